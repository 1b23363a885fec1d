"""heatproof as a module of another workflow: folders of its own, logs that rules there make."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli import main as cli
from heatproof.config import configuration, roots
from heatproof.ledger import pieces
from heatproof.plan import embedded
from heatproof.plan.plan import Plan
from heatproof.provenance import job, verify
from heatproof.util.errors import Error
from test_pack import CONFIG, write_folder
from test_workflow import PROJECT, Project

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = CONFIG["sources"]["own"]


def asking(logs: Any, **more: Any) -> dict[str, Any]:
    """The config with these logs."""
    return CONFIG | {"sources": {"own": SOURCE | {"logs": logs} | more}}


def moved(prefix: str, start: str = "") -> Callable[[str], str]:
    return lambda path: prefix + path.removeprefix(start) if path.startswith(start) else path


def test_a_prefix_is_the_folder_of_a_project() -> None:
    """Nothing else than a prefix is taken: pages and proofs name results so."""
    assert embedded.folder(lambda path: path) == ""
    assert embedded.folder(moved("figs/a/")) == "figs/a/"
    for other in (moved("sub/", "results/"), moved("sub/results/", "results/"), moved("/far/")):
        with pytest.raises(Error, match="takes `prefix"):
            embedded.folder(other)


def test_logs_named_in_full_settle_what_hangs_on_them() -> None:
    """How many tables there are, and that printed numbers are not compared, if nobody says else."""
    many = [f"logs/{number}.jsonl" for number in range(1001)]
    (source,) = embedded.handed_on(asking(many), "")["sources"].values()
    assert (source["shards"], source["compare_printed"]) == (2, False)
    (source,) = embedded.handed_on(asking(many, shards=3), "")["sources"].values()
    assert source["shards"] == 3
    (source,) = embedded.handed_on(asking(many, grade="math"), "")["sources"].values()
    assert source["shards"] == 11, "grading takes long"
    assert embedded.handed_on(asking("logs/*.jsonl"), "") == asking("logs/*.jsonl")
    wrong = asking(["logs/no.jsonl"], format="auto", compare_printed=True)
    with pytest.raises(Error, match=r"sources\.own\.format: auto looks at logs") as told:
        embedded.handed_on(wrong, "")
    assert "sources.own.compare_printed: what a harness prints" in str(told.value)


@pytest.mark.parametrize(
    ("config", "folders"),
    [
        (asking("logs/*.jsonl"), {"logs": "../../logs"}),
        (asking("in/x", path="p") | {"roots": {"in": "results/evals"}}, {"in": "../../results/evals"}),
        (asking("in/x") | {"roots": {"in": "/far"}}, {"in": "/far"}),
        (asking("a/x") | {"figures": {"f": {"font": {"bold": "f/b.ttf", "regular": "g/r.otf"}}}},
         {"a": "../../a", "f": "../../f", "g": "../../g"}),
        (asking(["a/x", "b/y"]) | {"paper": {"own": {"cells": "p/c.csv"}}},
         {"a": "../../a", "b": "../../b", "p": "../../p"}),
    ],
)  # fmt: skip
def test_logs_are_named_from_where_snakemake_runs(
    config: dict[str, Any], folders: dict[str, str]
) -> None:
    """Links in the folder of the module lead to them."""
    assert embedded.handed_on(config, "figs/one/")["roots"] == folders


@pytest.mark.parametrize(
    ("logs", "folder"),
    [
        ("*.jsonl", "."),
        ("**/x.jsonl", "."),
        ("results/evals/x.jsonl", "results/evals"),
        ("my logs/*/x.jsonl", "my logs"),
    ],
)
def test_what_no_link_can_stand_for_is_refused(logs: str, folder: str) -> None:
    """With the key that gives it a name."""
    with pytest.raises(Error, match=rf"give the folder a name: roots: \{{logs: {folder}\}}"):
        embedded.handed_on(asking(["a/x", logs]), "one/")
    named = asking("in/x") | {"roots": {"in": folder}}
    there = embedded.handed_on(named, "one/")["roots"]["in"]
    assert there == f"../{folder}".removesuffix("/.")


def test_a_root_may_be_made_later(tmp_path: Path) -> None:
    """The link stands before its folder does; what is there already must lead to the same place."""
    folders = {"gone": "../gone", "more": str(tmp_path / "far")}
    for _ in range(2):
        roots.mount(folders, tmp_path / "here", later=True)
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone/a.jsonl").write_text("x")
    assert (tmp_path / "here/gone/a.jsonl").read_text() == "x"
    with pytest.raises(Error, match=r"roots\.gone: .*here/gone is there and is not \.\./other"):
        roots.mount({"gone": "../other"}, tmp_path / "here", later=True)
    assert roots.followed("gone/a.jsonl", folders, Path("here")) == "gone/a.jsonl"
    assert roots.followed("own/a.jsonl", folders, Path("here")) == "here/own/a.jsonl"
    assert roots.followed("own/a.jsonl", {}, Path()) == "own/a.jsonl"


def test_logs_made_later_are_known_by_their_paths(tmp_path: Path) -> None:
    """So a plan is the same before they are there and after."""
    config = embedded.handed_on(asking(["logs/b.jsonl", "logs/a.jsonl"]), "")
    with pytest.raises(Error, match="no file matches"):
        assert Plan(config, tmp_path).shards
    before = Plan(config, tmp_path, upstream=True)
    assert before.logs["own"] == {"0000": ["logs/a.jsonl", "logs/b.jsonl"]}
    assert before.is_made("own")
    (tmp_path / "logs").mkdir()
    for name in "ab":
        (tmp_path / f"logs/{name}.jsonl").write_text(f'"{name}"\n')
    after = Plan(config, tmp_path, upstream=True)
    assert (after.logs, after.is_made("own")) == (before.logs, False)
    assert after.settings("normalize", "own/0000") == before.settings("normalize", "own/0000")


class Given(list[str]):
    """Files as Snakemake hands them to a script: by number, and by name."""

    def __init__(self, plain: list[str] | None = None, **named: Any) -> None:
        each = [[one] if isinstance(one, str) else one for one in named.values()]
        super().__init__([*(plain or []), *(path for one in each for path in one)])
        self.named = {k: v if isinstance(v, str) else Given(v) for k, v in named.items()}

    def keys(self) -> Any:
        return self.named.keys()

    def get(self, name: str) -> Any:
        return self.named[name]


def test_a_job_works_in_the_folder_of_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are named from there, by number and by name."""
    monkeypatch.chdir(tmp_path)
    for name in ("POLARS_MAX_THREADS", job.HOME):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "one").mkdir()
    (tmp_path / "one/in").symlink_to("../in")
    given = SimpleNamespace(
        log=Given(["one/.snakemake/heatproof/log/draw/f.log"]),
        input=Given(grid="one/results/g", library=["logs/x", "one/results/v", "in/a"]),
        output=Given(spec="one/results/s"),
    )
    with job.at_home(given):
        assert Path.cwd() == tmp_path / "one"
        assert given.input.grid == given.input[0] == "results/g"
        assert given.input.library == given.input[1:] == ["../logs/x", "results/v", "in/a"]
        Path("results").mkdir()
        Path(given.output.spec).write_text("s")
    assert (tmp_path / "one/.snakemake/heatproof/log/draw/f.log").read_text() == ""
    assert os.environ["POLARS_MAX_THREADS"] == "1"
    assert job.at("see results/index.html", "results/index.html") == "see one/results/index.html"


PAGE = (PROJECT / "docs/embed.md").read_text()
BLOCKS = re.findall(r"^```(?:python|yaml)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PARENT, NESTED, FOLDER = BLOCKS
EVALUATE = """
import json, random, sys
for i in range(COUNT):
    for t in (0.0, 0.5):
        row = {"id": i, "temperature": t, "correct": (i + int(sys.argv[2])) % 3 > t}
        print(json.dumps(row))
"""
SURROUNDINGS = """
rule surroundings:
    output: "env.json"
    run:
        import json, os
        json.dump(dict(os.environ), open(output[0], "w"))
"""


def parent(root: Path, snakefile: str, count: int = 4) -> Project:
    """A workflow in an empty folder, with the script that makes its logs."""
    (root / "Snakefile").write_text(snakefile.replace("CLONE", str(PROJECT)))
    (root / "evaluate.py").write_text(EVALUATE.replace("COUNT", str(count)))
    return Project.at(root)


def jobs(said: str) -> dict[str, int]:
    """Rule → how many of its jobs a dry run counts."""
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE)}


@pytest.mark.workflow
@pytest.mark.usefixtures("compiled")
def test_logs_are_made_first_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's workflow from nothing: its rules, then ours; what they make anew is read again.

    The results of two modules stand by themselves, and jobs of others see nothing of ours.
    """
    project = parent(tmp_path, PARENT + SURROUNDINGS)
    own = ("POLARS_MAX_THREADS", "MALLOC_TRIM_THRESHOLD_", "ARROW_DEFAULT_MEMORY_POOL")
    for name in (*own, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", "/mine")
    status, said = project.run("-n")
    assert status == 0, said
    assert jobs(said) | {"evaluate": 6, "one_normalize": 1, "two_normalize": 1} == jobs(said)
    status, said = project.start("--cores", "2", "all", "env.json")
    assert status == 0, said
    assert "1 figure in 1 file, figs/one/results/index.html shows them" in said
    alien = json.loads((tmp_path / "env.json").read_text())
    assert not alien.keys() & {*own, "XDG_CACHE_HOME"}
    assert alien["PYTHONPATH"].endswith("/mine")
    assert "Nothing to be done" in project.run("-n", "--cores", "2")[1]
    root = tmp_path / "figs/one"
    ledger = pieces.whole(root)
    assert ledger
    assert ledger.upstream
    assert "logs/apple-1.jsonl" in ledger.pieces["normalize evals/0000"].inputs
    stages = [*verify.stages(cli.plan(root), [])]
    assert [failure for stage in stages for failure in stage.failures] == []
    assert stages[-1].name == "counted"
    trace = ["trace", "heat", "--project", str(root), "--cell", "temperature=0.0,model=apple"]
    assert cli.main(trace) == 0
    assert "4 problems" in capsys.readouterr().out
    parent(tmp_path, PARENT + SURROUNDINGS, count=6)
    status, said = project.run("--cores", "2", "figs/one/results/grids/heat.parquet")
    assert status == 0, said
    assert cli.main(trace) == 1, "the figure itself was not asked for"
    assert "6 problems" in capsys.readouterr().out
    log = tmp_path / "logs/apple-1.jsonl"
    before = log.stat()
    log.write_text(log.read_text().replace("true", "1234", 1))
    os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    status, said = project.run("-n", "figs/one/results/ledger.json")
    changed = "logs/apple-1.jsonl changed: normalize evals/0000 is done again"
    assert changed in said
    assert jobs(said)["one_normalize"] == 1
    assert "evaluate" not in jobs(said)


@pytest.mark.workflow
def test_logs_whose_names_a_run_alone_knows(tmp_path: Path) -> None:
    """The page's rule that calls heatproof itself: it finds what another rule has put there."""
    project = parent(tmp_path, NESTED)
    (tmp_path / "figs").mkdir()
    (tmp_path / "figs/config.yaml").write_text(FOLDER)
    there = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    status, said = project.start("--cores", "2", PATH=there)
    assert status == 0, said
    assert "evals  1 log, 8 samples" in (tmp_path / "figs/results/summary.txt").read_text()


@pytest.mark.workflow
def test_rules_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetched as from GitHub, by the file that the catalog names."""
    origin = tmp_path / "served/me/heatproof"
    shutil.copytree(PROJECT / "workflow/rules", origin / "workflow/rules")
    shutil.copytree(PROJECT / "workflow/scripts", origin / "workflow/scripts")
    for name in ("Snakefile", "workflow/Snakefile"):
        shutil.copy(PROJECT / name, origin / name)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(origin))
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "rules"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    for key, value in {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/served/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(PROJECT / "workflow/src"),
    }.items():
        monkeypatch.setenv(key, value)
    project = Project.at(write_folder(tmp_path / "here"))
    fetched = 'github("me/heatproof", path="workflow/Snakefile", tag="v1")'
    module = (
        f'configfile: "config.yaml"\nmodule heatproof:\n    snakefile: {fetched}\n'
        "    config: config\nuse rule * from heatproof\n"
    )
    (project.root / "Snakefile").write_text(module)
    status, said = project.run("-n")
    assert status == 0, said
    assert jobs(said) | {"normalize": 1, "draw": 1, "ledger": 1, "whole": 1} == jobs(said)


def test_what_snakedeploy_copies_is_a_right_config() -> None:
    """Its sources and figures have no mistake, but that its logs are those of nobody."""
    given = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    assert configuration.examined(given)[1] == []
    assert 'include: "../Snakefile"' in (PROJECT / "workflow/Snakefile").read_text()
