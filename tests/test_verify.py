"""heatproof verify: any changed byte is reported, and the right file named."""

from __future__ import annotations

import importlib.util
import json
import marshal
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import mutating
from heatproof.charts import spec
from heatproof.cli import main as cli
from heatproof.cli.main import main
from heatproof.plan import code_digest
from heatproof.proof import closing, inputs, rebuild, strays, verify
from heatproof.provenance import manifest
from heatproof.samples import tables
from heatproof.util import hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.workflow


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, copy_of_small: Any) -> Path:
    """The root of a built project, its own code being the one that is checked."""
    root = Path(copy_of_small.root)
    monkeypatch.setattr(code_digest, "REPOSITORY", root)
    monkeypatch.setattr(code_digest, "SCRIPTS", root / "workflow" / "scripts")
    monkeypatch.setattr(code_digest, "TEMPLATES", root / "workflow/src/heatproof/export/templates")
    monkeypatch.setattr(code_digest, "HERE", root / "workflow/src/heatproof")
    monkeypatch.setattr(pins, "FILE", root / pins.NAME)
    for cached in (code_digest.digest, pins.pinned):
        cached.cache_clear()
    return root


def reported(root: Path, *figures: str) -> list[str]:
    """What rehashing names."""
    try:
        stages = verify.stages(cli.plan(root), figures, quick=True)
        return [failure.path for stage in stages for failure in stage.failures]
    except Error as error:
        return [str(error)]


def test_a_build_stands(here: Path) -> None:
    """Nothing is reported where nothing was changed, and a touch changes nothing."""
    for path in here.rglob("*"):
        if path.is_file():
            path.touch()
    assert reported(here) == []


def test_the_library_of_another_project_is_told(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One environment may serve two clones; its `heatproof` is that of one of them."""
    other = here / "other"
    for folder in ("workflow", "profiles"):
        shutil.copytree(here / folder, other / folder)
    script = other / "workflow/scripts/draw.py"
    script.write_text(script.read_text() + "# newer\n")
    monkeypatch.setattr(code_digest, "REPOSITORY", other)
    monkeypatch.setattr(code_digest, "SCRIPTS", other / "workflow" / "scripts")
    monkeypatch.setattr(code_digest, "HERE", other / "workflow/src/heatproof")
    monkeypatch.setattr(code_digest, "TEMPLATES", other / "workflow/src/heatproof/export/templates")
    shutil.copy(here / "Snakefile", other)
    assert reported(here) == ["workflow/scripts/draw.py", "the library that looks"]


def test_random_damage_is_named(here: Path) -> None:
    """Whatever the kind of file and of damage, the files that were damaged are named."""
    chance = random.Random(7)
    for kind, damage, paths, new in mutating.mutations(here, 60, chance):
        with mutating.damaged(paths, new):
            told = reported(here)
        for path in paths:
            name = path.relative_to(here).as_posix()
            assert any(name in line for line in told), (kind, damage, name, told)
    assert reported(here) == []


def test_whatever_lies_in_a_wrong_place_is_named(here: Path) -> None:
    """Strays of all kinds, and a folder, a pipe or a link in the place of a result of each kind."""
    for name in mutating.PLACES:
        with mutating.strayed(here, name) as path:
            assert path in reported(here)
    for kind, (path, *_) in mutating.kinds(here).items():
        for instead in mutating.INSTEAD if path.is_relative_to(here / "results") else ():
            with mutating.replaced(here, path, instead):
                told = reported(here)
            name = path.relative_to(here).as_posix()
            assert any(name in line for line in told), (kind, instead, told)
    assert reported(here) == []


def test_a_changed_entry_is_named_with_its_key(here: Path) -> None:
    """A comment in config.yaml is no change; a title is."""
    path = here / "config.yaml"
    path.write_text("# words\n" + path.read_text())
    assert reported(here) == []
    path.write_text(path.read_text().replace("title: m", "title: o", 1))
    assert [line for line in reported(here) if "config.yaml: figures." in line and ".title" in line]


def test_a_lost_and_an_added_log_are_named(here: Path) -> None:
    """Logs are those of the build, no more and no less."""
    log = here / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    other = log.with_name("m_t_N2-R0.3-KW500-PKVL5000.jsonl")
    log.rename(other)
    assert reported(here) == [f"data/runs/{log.name}", f"data/runs/{other.name}"]


@pytest.mark.parametrize("name", ["scripts/seal.py", "src/heatproof/samples/tables.py"])
def test_code_that_is_no_text_is_named(here: Path, name: str) -> None:
    """A flipped bit may leave bytes that are not UTF-8."""
    path = here / "workflow" / name
    path.write_bytes(path.read_bytes() + b"# \xee")
    assert f"workflow/{name}" in reported(here)


STRAYS = {
    "figures/old.png": "file",
    "tables/m/extra.parquet": "file",
    ".evil/a": "file",
    "figures/.evil.svg": "file",
    "log/evil.svg": "file",
    "log/words.log": "file",
    "benchmark/begun/": "folder",
    "log/.hidden.log": "file",
    "log/linked.log": "link",
    "linked": "link",
    "tables/linked": "link",
    "empty/": "folder",
    "figures/pipe": "pipe",
}
"""Place below the results → what is put there."""


def put(path: Path, what: str) -> None:
    """Put something at a place."""
    path.parent.mkdir(exist_ok=True, parents=True)
    if what == "file":
        path.write_text("")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to(path.parents[2] / "data")


def test_a_file_that_no_job_makes_is_named(here: Path) -> None:
    """Hidden, linked, an empty folder, words of a job: none of it is a result."""
    for name, what in STRAYS.items():
        put(here / "results" / name, what)
    stray = sorted(f"results/{name}" for name in STRAYS)
    assert reported(here) == strays.of_plan(cli.plan(here)) == stray
    said = closing.text(cli.plan(here), [], {})
    assert f"no part of what config.yaml asks for: {', '.join(stray[:3])} and 10 more" in said


def test_a_manifest_blesses_no_stray(here: Path) -> None:
    """What the plan has no job for is a stray, though the manifest, signed anew, tells of it."""
    put(here / "results/figures/evil.svg", "file")
    one = manifest.read(here)
    forged = one.files | {"results/figures/evil.svg": hashed.sha256("/dev/null")}
    text = manifest.text(manifest.signed(manifest.Manifest(one.build, forged)))
    (here / "results/manifest.json").write_text(text)
    assert reported(here) == ["results/figures/evil.svg"]


PROGRAM = [
    "workflow/src/heatproof/proof/inputs.py",
    "workflow/src/heatproof/cluster/slurm.py",
    "workflow/src/heatproof/proof/verify.py",
    "workflow/src/heatproof/kinds/recount.py",
    "workflow/report/figure.rst",
    "profiles/default/config.yaml",
    "Snakefile",
]


def test_all_that_runs_is_code(here: Path) -> None:
    """Also what starts a run, proves it, or says how; and what is new beside the library."""
    for name in PROGRAM:
        before = (here / name).read_text()
        (here / name).write_text(before + "# x\n")
        assert reported(here) == [name]
        (here / name).write_text(before)
    for name in ("pyproject.toml", "environment.yml", "workflow/src/polars.py"):
        (here / name).write_text("")
        assert reported(here) == [name]
        (here / name).unlink()


def test_a_changed_key_shows_its_two_values(here: Path) -> None:
    """Each key is a line of its own, long values from where they part."""
    path = here / "config.yaml"
    path.write_text(path.read_text().replace("title: m", "title: o", 1))
    (stage,) = (s for s in verify.stages(cli.plan(here), [], quick=True) if s.name == "config")
    told = {one.path: (one.expected, one.found) for one in stage.failures}
    assert told == {"config.yaml: figures.grid.title": ('"m"', '"o"')} or set(told.values()) == {
        ('"m"', '"o"')
    }
    old, new = "a" * 400 + "b", "a" * 400 + "c"
    said = verify.text(verify.Stage("config", "", [verify.Failure("k", old, new, [])]))
    assert "ab, found " in said
    assert "ac\n" in said


def asked(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, Any]:
    """Exit status and the stages that `verify --json` prints, by name."""
    status = main(["verify", "--json", "--project", str(root), *options])
    return status, {one["name"]: one for one in json.loads(capsys.readouterr().out)}


def test_json_is_printed_whatever_is_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stages that cannot be judged have failed and say why; those after them are judged."""
    config = here / "config.yaml"
    before = config.read_text()
    config.write_text(before.replace("logs: data", "shards: 2\n    logs: data"))
    put(here / "results/figures/old.png", "file")
    status, stages = asked(here, capsys, "--quick")
    assert status == 1
    assert "does not tell what its logs hold" in stages["shown"]["failures"][0]["found"]
    assert [one["path"] for one in stages["strays"]["failures"]] == ["results/figures/old.png"]
    config.write_text(before.replace("kind: heatmap", "kind: heatmp"))
    status, stages = asked(here, capsys)
    assert status == 2
    assert "'heatmp' is not a figure kind" in stages["asked"]["failures"][0]["found"]
    config.write_text(before)
    assert asked(here, capsys, "nothing")[0] == 2
    (here / "results/manifest.json").write_text("{")
    status, stages = asked(here, capsys)
    assert (status, list(stages)) == (1, ["manifest", "strays", "rebuilt"])
    assert "not a manifest" in stages["rebuilt"]["failures"][0]["found"]


def test_a_build_that_fails_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it said, on whichever stream; the status is 1."""
    done = subprocess.CompletedProcess([], 1, stdout="no space left", stderr="")
    monkeypatch.setattr(rebuild.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(inputs, "stage", lambda *_: verify.Stage("packages", "", []))
    status, stages = asked(here, capsys)
    assert status == 1
    assert "no space left" in stages["rebuilt"]["failures"][0]["found"]


@pytest.mark.parametrize("what", ["folder", "pipe"])
@pytest.mark.parametrize(
    "name", ["grids/grid.parquet", "specs/grid.vl.json", "manifest.json", "figures.json",
             "counts/runs/0000.parquet", "ro-crate-metadata.json"],
)  # fmt: skip
def test_what_is_no_file_is_never_opened(here: Path, name: str, what: str) -> None:
    """A folder or a pipe in the place of a result is named, and nothing hangs."""
    (here / "results" / name).unlink()
    put(here / "results" / name, what)
    stages = list(verify.stages(cli.plan(here), [], quick=True))
    told = {one.path: one.found for stage in stages for one in stage.failures}
    word = {"folder": "a folder", "pipe": "a named pipe"}[what]
    assert word in told[f"results/{name}"]
    assert manifest.misplaced(cli.plan(here)) == [f"results/{name} is {word}, not a file"]


def test_a_run_stops_before_a_place_that_is_taken(copy_of_small: Any) -> None:
    """No job starts; the place and what lies there are told."""
    path = copy_of_small.root / "results/grids/grid.parquet"
    path.unlink()
    os.mkfifo(path)
    status, said = copy_of_small.run()
    assert status == 1
    assert "results/grids/grid.parquet is a named pipe, not a file" in said
    assert "move it away" in said


def test_a_damaged_manifest_accuses_no_other_file(here: Path) -> None:
    """Where it contradicts a file, it is named with the file: which of them is wrong, none knows."""
    path = here / "results/manifest.json"
    path.write_text(path.read_text().replace('"title": "m"', '"title": "w"', 1))
    told = reported(here)
    assert any("config.yaml: figures." in line for line in told)
    assert all(line.startswith("results/manifest.json") for line in told)


def test_only_the_figures_asked_for_are_checked(here: Path) -> None:
    """A damaged figure does not fail another."""
    path = here / "results/figures/pair.svg"
    path.write_bytes(path.read_bytes() + b" ")
    assert reported(here, "grid") == []
    assert reported(here, "pair") == ["results/figures/pair.svg"]


def test_a_picture_from_elsewhere_is_compared(here: Path, tmp_path: Path) -> None:
    """A file that is handed in must be the one that was made."""
    given = tmp_path / "given.png"
    shutil.copy(here / "results/figures/grid.png", given)
    assert reported(here, str(given)) == []
    data = given.read_bytes()
    given.write_bytes(data[:-13] + bytes([data[-13] ^ 1]) + data[-12:])
    assert reported(here, str(given)) == [str(given)]


def test_a_failure_says_what_it_touches(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File, expected and found digest, figures; the exit status is 1."""
    path = here / "results/grids/grid.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["verify", "--project", str(here), "--quick"]) == 1
    said = capsys.readouterr().out
    assert "results/grids/grid.parquet: expected " in said
    assert "touches grid\n" in said


@pytest.mark.usefixtures("compiled")
def test_forged_numbers_are_found_by_building_anew(here: Path) -> None:
    """A wrong value, with a manifest made to fit: the raw logs still tell."""
    path = here / "results/grids/grid.parquet"
    grid, record = tables.read(path)
    tables.write(grid.with_columns(pl.col("value") * 0.5), path, record)
    one = manifest.read(here)
    digest = hashed.sha256(path)
    forged = manifest.signed(
        manifest.Manifest(one.build, one.files | {"results/grids/grid.parquet": digest})
    )
    (here / "results/manifest.json").write_text(manifest.text(forged))
    plan = cli.plan(here)
    stages = {stage.name: stage for stage in verify.stages(plan, [])}
    assert [f.path for f in stages["rebuilt"].failures] == ["results/grids/grid.parquet"]
    assert stages["counted"].failures
    assert all(f.path.startswith("results/grids/grid") for f in stages["counted"].failures)


def forge(root: Path, name: str, change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The stages of rehashing, after a record was changed, with an id and a manifest that fit."""
    path = root / name
    whole = json.loads(path.read_text())
    record = whole["usermeta"]["heatproof"]
    change(record)
    path.write_text(json.dumps(whole).replace(record["id"], spec.figure_id(whole)))
    one = manifest.read(root)
    forged = manifest.Manifest(one.build, one.files | {name: hashed.sha256(path)})
    (root / "results/manifest.json").write_text(manifest.text(manifest.signed(forged)))
    return {stage.name: stage for stage in verify.stages(cli.plan(root), [], quick=True)}


@pytest.mark.parametrize("key", ["grid", "logs"])
def test_a_record_that_lost_a_part_is_named_by_the_crate(here: Path, key: str) -> None:
    """It tells nothing, and nothing breaks off."""
    stages = forge(here, "results/specs/mean.vl.json", lambda record: record.pop(key))
    assert [f.path for f in stages["specs"].failures] == ["results/specs/mean.vl.json"]
    assert stages["shown"].failures == []


def test_a_record_of_other_logs_is_named_by_rehashing(here: Path) -> None:
    """A spec that tells of other logs than were read, its id and the manifest made to fit."""
    stages = forge(
        here, "results/specs/mean.vl.json", lambda record: record["logs"].update(count=11)
    )
    (failure,) = stages["shown"].failures
    assert (failure.path, failure.figures) == ("results/specs/mean.vl.json", ["mean"])
    assert failure.expected.split(",")[0] == "10 logs"
    assert failure.found.split(",")[0] == "11 logs"


def test_a_changed_log_touches_the_figures_that_show_it(here: Path) -> None:
    """Of logs whose paths tell their settings it is known which figures do."""
    log = here / "data/runs/n_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("true", "false", 1))
    stages = {stage.name: stage for stage in verify.stages(cli.plan(here), [], quick=True)}
    (failure,) = stages["logs"].failures
    assert sorted(failure.figures) == ["mean", "pair"]


def forge_bytecode(module: Path, added: str) -> None:
    """Bytecode of other code, with a head that fits the source of a module."""
    kept = Path(importlib.util.cache_from_source(str(module)))
    kept.parent.mkdir(exist_ok=True)
    forged = compile(module.read_text() + added, str(module), "exec")
    checked = (0b11).to_bytes(4, "little")  # by the digest of the source
    head = importlib.util.MAGIC_NUMBER + checked + importlib.util.source_hash(module.read_bytes())
    kept.write_bytes(head + marshal.dumps(forged))


def test_verify_believes_no_bytecode(here: Path) -> None:
    """Its own process starts without any: a forged answer is not given."""
    path = here / "results/grids/grid.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    forge_bytecode(here / "workflow/src/heatproof/cli/verify.py", "_told = lambda *_: 0\n")
    given = ["verify", "--quick", "--project", str(here)]
    trusting = f"from heatproof.cli.main import main; raise SystemExit(main({given}))"
    for command, status in ((["-c", trusting], 0), (["-m", "heatproof", *given], 1)):
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(here / "workflow/src")},
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr


def test_a_build_anew_sees_no_results(here: Path) -> None:
    """What is built to compare comes from the logs: no results are there to be read, no bytecode."""
    forge_bytecode(
        here / "workflow/src/heatproof/kinds/pairwise/aggregate.py", "raise SystemExit(9)\n"
    )
    with rebuild.fresh(here, ["results/grids/pair.parquet"]) as folder:
        assert (folder / "data").is_symlink()
        assert not (folder / "results").is_symlink()
        assert (folder / "results/grids/pair.parquet").read_bytes() == (
            here / "results/grids/pair.parquet"
        ).read_bytes()


def test_no_new_build_where_inputs_changed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With another log a new build would say nothing of the old one: it is not tried."""
    log = here / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("false", "true", 1))
    assert main(["verify", "--project", str(here)]) == 1
    assert "not tried" in capsys.readouterr().out
