"""The package: a wheel that carries the workflow, and `heatproof run`, which runs it anywhere."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.cli import run
from heatproof.util import repository
from heatproof.util.errors import Error
from support.project import PROJECT, write_folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a wheel of the clone is installed; the clone is left as it was."""
    clone, built = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("site")
    for name in ("workflow", "profiles"):
        shutil.copytree(
            PROJECT / name, clone / name,
            ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
        )  # fmt: skip
    shutil.copytree(PROJECT / "docs", clone / "docs", ignore=shutil.ignore_patterns("*.p*"))
    there = [path for path in PROJECT.iterdir() if path.is_file()]
    for path in there:
        shutil.copy2(path, clone)
    build = f"from setuptools import build_meta; print(build_meta.build_wheel({str(built)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=clone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in clone.iterdir()} == {
        *(path.name for path in there), "docs", "workflow", "profiles"
    }, "no build/ is left"  # fmt: skip
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(built)
    return built


def printed_by(site: Path, code: str) -> Any:
    """What the installed library answers."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.workflow
def test_a_wheel_carries_all_that_runs(site: Path) -> None:
    """The same files under the same names as in the clone, but for its pins."""
    code = "import json; from heatproof import ledger;print(json.dumps(ledger.code('draw')))"
    assert printed_by(site, code) == ledger.code("draw")
    carried = [path.relative_to(PROJECT) for path in (PROJECT / "workflow/rules").iterdir()]
    pages = [path.relative_to(PROJECT) for path in (PROJECT / "docs").glob("*.md")]
    assert all((site / "heatproof/repository" / path).is_file() for path in carried + pages)


PROFILES = repository.ROOT / "profiles"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--cores", "all"]),
        (["-n", "figures"], ["--cores", "all", "-n", "figures"]),
        (["--until", "draw", "-c4"], ["--until", "draw", "-c4"]),
        (["--cores=2"], ["--cores=2"]),
        (["--profile", "p"], ["--profile", "p"]),
        (["--profile", "slurm"], ["--profile", f"{PROFILES}/slurm"]),
        (["--profile=profiles/slurm"], [f"--profile={PROFILES}/slurm"]),
        (["-c1", "--profile", "own"], ["-c1", "--profile", "own"]),
        (["-c1", "slurm"], ["-c1", "slurm"]),
        (["--config", "a=b"], ["--cores", "all", "--config", "a=b"]),
        (["--configfile", "p", "tables"], ["--cores", "all", "tables"]),
    ],
)
def test_words_are_handed_on(
    options: list[str], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What heatproof does not know is for Snakemake, in its order; all cores, if none are named.

    A profile that it brings is found from any folder; each --configfile takes one file.
    """
    monkeypatch.chdir(tmp_path)
    parsed = cli.parse(["run", *options])
    start = ["--snakefile", str(repository.SNAKEFILE)]
    if parsed.configfile:
        start = ["--configfile", str(tmp_path / "p"), *start]
    quiet = ["--logger=heatproof"]
    given = run.command(parsed.configfile, parsed.rest)
    assert [word for word in given if word not in quiet] == start + words


PIECE = "results/.ledger/draw/mine.json"
WANTED = {"sources": {"runs": {}}, "figures": {"mine": {}, "draw": {}}}


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (["mine"], [PIECE]),
        (["-n", "mine"], ["-n", PIECE]),
        (["--cores", "2", "mine"], ["--cores", "2", PIECE]),
        (["--cores=2", "mine", "tables"], ["--cores=2", PIECE, "tables"]),
        (["--until", "draw"], ["--until", "draw"]),  # a rule, although there is such a figure
        (["--forcerun", "normalize", "aggregate"], ["--forcerun", "normalize", "aggregate"]),
        (["tables_runs", "results/figures/mine.svg"], ["tables_runs", "results/figures/mine.svg"]),
    ],
)
def test_a_figure_is_made_by_its_name(rest: list[str], words: list[str]) -> None:
    """All else that Snakemake makes, and values of its options, stay as they are."""
    assert run.with_figures(rest, WANTED) == words


@pytest.mark.parametrize("rest", [["mime"], ["-n", "mime"], ["--cores", "2", "mime"]])
def test_what_cannot_be_made_is_told(rest: list[str]) -> None:
    """With what was meant."""
    words = r"'mime' is neither a figure nor a stage; there are mine, .*did you mean 'mine'"
    with pytest.raises(Error, match=words):
        run.with_figures(rest, WANTED)


def test_a_command_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With the one that was meant; the status is that of a mistake."""
    assert cli.main(["vrify"]) == 2
    assert "'vrify' is no command" in (words := capsys.readouterr().err)
    assert "did you mean 'verify'?" in words


def test_a_profile_of_the_user_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder, or among all profiles of Snakemake."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    words = ["--profile", "slurm"]
    for own in ("slurm", "snakemake/slurm"):
        (tmp_path / own).mkdir(parents=True)
        assert run.command([], words)[-2:] == words
        (tmp_path / own).rmdir()
    assert run.command([], words)[-2:] != words


def test_other_commands_refuse_what_they_do_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    """Words for Snakemake are for `run` alone."""
    assert cli.main(["why", "--cores", "2"]) == 2
    assert "why: --cores is not an option; there are --json" in capsys.readouterr().err


WRONG = {
    "plot": "'plot' is no command; .* (did you mean 'run'?)",
    "runn": "(did you mean 'run'?)",
    "check": "(did you mean 'verify'?)",
    "verify --quik": "verify: --quik is not an option; .* (did you mean '--quick'?)",
    "schema config.yaml": "schema: 'config.yaml' is one word more than it takes",
    "clean -y": "clean: -y is not an option; there are --yes, --json,",
    "trace": "trace: the following arguments are required: FIGURE; `heatproof trace --help` shows",
    "trace f --cell": "trace: argument --cell: expected one argument",
    "run --config paper.yaml": "run: 'paper.yaml': --config sets keys, .*--configfile paper.yaml",
    "init nowhere": "nowhere: no such folder",
    "coverage own --expect lr": "--expect lr: write COLUMN=VALUE",
    "coverage own --todo no/where.tsv": "--todo: there is no folder no",
    "why": "",
}
"""A wrong command line → what leads out of it."""


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_leads_out(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the status of a mistake."""
    monkeypatch.chdir(write_folder(tmp_path, "config.yaml"))
    if line == "why":
        Path("config.yaml").unlink()
    assert cli.main(line.split()) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    words = WRONG[line] or "no config.yaml here .* `heatproof init FOLDER` write one"
    assert all(part in told for part in words.split(".*"))


@pytest.mark.parametrize("words", [["help"], ["help", "trace"], ["trace", "--help"]])
def test_help_is_a_word_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As in git and uv; behind it stands the command."""
    with pytest.raises(SystemExit, match="0"):
        cli.main(words)
    assert capsys.readouterr().out.startswith(f"usage: heatproof {(words[1:] and 'trace') or '['}")


def test_without_a_config_the_way_out_is_named(tmp_path: Path) -> None:
    """One of another name, or the command that writes one."""
    parsed = cli.parse(["run", "--project", str(tmp_path)])
    with pytest.raises(Error, match=r"no config\.yaml in .*\n`heatproof init FOLDER` writes one"):
        run.run(parsed)
    (tmp_path / "paper.yaml").write_text("")
    with pytest.raises(Error, match=r"name it: --configfile paper\.yaml"):
        run.run(parsed)
    parsed.configfile = ["papr.yaml"]
    with pytest.raises(Error, match=r"--configfile: no file 'papr\.yaml'"):
        run.run(parsed)


@pytest.mark.parametrize(
    ("command", "way_out"), [("run", ""), ("verify", "; --quick does without")]
)
def test_without_snakemake_its_extra_is_named(
    command: str, way_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, before anything is read: `pip install heatproof` does not bring it."""
    monkeypatch.setattr(repository, "find_spec", lambda _: None)
    words = f"`heatproof {command}` needs Snakemake, which is not installed: pip install"
    with pytest.raises(Error) as raised:
        repository.snakemake(command, way_out)
    assert str(raised.value) == f"{words} 'heatproof[run]'{way_out}"
    assert cli.main(["run", "--project", "nowhere"]) == 2


@pytest.mark.workflow
def test_an_installed_copy_draws_in_any_folder(site: Path, tmp_path: Path) -> None:
    """With no clone in sight and a config of another name; what is asked later goes by that."""
    root = write_folder(tmp_path / "far", "paper.yaml")
    surroundings = {**os.environ, "PYTHONPATH": str(site)}

    def heatproof(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "heatproof", *words], cwd=root, env=surroundings,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "1 figure in 1 file" in heatproof("run", "--configfile", "paper.yaml")
    assert (root / "results/figures/heat.svg").is_file()
    assert "pass@1 = 0.5, 4 problems" in heatproof("trace", "heat", "--cell", "b=1,model=u")
    assert "up to date" in heatproof("why")
    assert (root / "results/ledger.json").is_file()
