"""heatproof verify: any changed byte is reported, and the right file named."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import mutating
from heatproof import build, ledger
from heatproof.cli import main as cli
from heatproof.cli.main import main
from heatproof.provenance import verify
from heatproof.provenance.verify import Difference
from heatproof.samples import tables
from heatproof.util import repository
from heatproof.util.errors import Error

pytestmark = pytest.mark.workflow


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, copy_of_small: Any) -> Path:
    """The root of a built project, its own code being the one that is checked."""
    root = Path(copy_of_small.root)
    monkeypatch.setattr(repository, "ROOT", root)
    monkeypatch.setattr(repository, "LIBRARY", root / "workflow/src/heatproof")
    for cached in (ledger.code, ledger.digest_of):
        cached.cache_clear()
    return root


def reported(root: Path, *figures: str) -> list[str]:
    """What rehashing names."""
    for cached in (ledger.code, ledger.digest_of):
        cached.cache_clear()
    try:
        stages = verify.stages(cli.plan(root), figures, quick=True)
        return [failure.place for stage in stages for failure in stage.failures]
    except Error as error:
        return [str(error)]


def test_random_damage_is_named(here: Path) -> None:
    """Whatever the kind of file and of damage, the files that were damaged are named; a touch is
    no damage.
    """
    for path in filter(Path.is_file, here.rglob("*")):
        path.touch()
    assert reported(here) == []
    chance = random.Random(7)
    for kind, damage, paths, new in mutating.mutations(here, 60, chance):
        with mutating.damaged(paths, new):
            told = reported(here)
        for path in paths:
            name = path.relative_to(here).as_posix()
            code = name.startswith("workflow/") and any("code of" in line for line in told)
            job = name.removeprefix("results/.ledger/").removesuffix(".json").replace("/", " ", 1)
            named = any(name in line or f"ledger.json: {job}" in line for line in told)
            assert code or named, (kind, damage, name, told)
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


def test_a_file_that_no_job_makes_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden, linked, an empty folder, words of a job: none of it is a result."""
    for name, what in STRAYS.items():
        put(here / "results" / name, what)
    stray = sorted(f"results/{name}" for name in STRAYS)
    assert reported(here) == verify.orphans(cli.plan(here)) == stray
    monkeypatch.chdir(here)
    said = build.summary(cli.plan(here))
    assert f"no part of what config.yaml asks for: {', '.join(stray[:5])} and 8 more" in said


def test_a_changed_key_shows_its_two_values(here: Path) -> None:
    """Each key is a line of its own, long values from where they part."""
    path = here / "config.yaml"
    path.write_text(path.read_text().replace("title: m", "title: o", 1))
    (stage,) = (s for s in verify.stages(cli.plan(here), [], quick=True) if s.name == "config")
    assert {(change.before, change.now) for change in stage.failures} == {("'m'", "'o'")}
    said = str(Difference("k", "a" * 400 + "b", "a" * 400 + "c"))
    assert "ab, is " in said
    assert said.endswith("ac")


def asked(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, Any]:
    """Exit status and the stages that `verify --json` prints, by name."""
    status = main(["verify", "--json", "--project", str(root), *options])
    return status, {one["name"]: one for one in json.loads(capsys.readouterr().out)}


def test_json_is_printed_whatever_is_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that is wrong at once; what cannot be judged has failed, and says why."""
    config = here / "config.yaml"
    before = config.read_text()
    config.write_text(before.replace("logs: data", "shards: 2\n    logs: data"))
    put(here / "results/figures/old.png", "file")
    grid = here / "results/grids/grid.parquet"
    grid.write_bytes(grid.read_bytes()[:-1])
    status, stages = asked(here, capsys, "--quick")
    assert status == 1
    assert stages["config"]["failures"]
    assert [change["place"] for change in stages["strays"]["failures"]] == [
        "results/figures/old.png"
    ]
    (change,) = stages["results"]["failures"]
    assert change["place"] == "results/grids/grid.parquet"
    assert change["figures"] == ["grid"]
    config.write_text(before.replace("kind: heatmap", "kind: heatmp"))
    status, stages = asked(here, capsys)
    assert status == 2
    assert "'heatmp' is not a figure kind" in stages["asked"]["failures"][0]["now"]
    config.write_text(before)
    assert asked(here, capsys, "nothing")[0] == 2
    (here / "results/ledger.json").write_text("{")
    status, stages = asked(here, capsys)
    assert status == 2
    assert "ledger.json: damaged" in stages["asked"]["failures"][0]["now"]


def test_a_build_that_fails_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it said, on whichever stream; the status is 1."""
    done = subprocess.CompletedProcess([], 1, stdout="no space left", stderr="")
    monkeypatch.setattr(verify.subprocess, "run", lambda *_, **__: done)
    status, stages = asked(here, capsys)
    assert status == 1
    assert "no space left" in stages["rebuilt"]["failures"][0]["now"]


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
    at = data.index(b"IDAT") + 40
    given.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert reported(here, str(given))[0].startswith(f"{given}: grid ")


def test_forged_numbers_are_found_by_building_anew(here: Path) -> None:
    """A wrong value, with a ledger made to fit: the raw logs still tell."""
    path = here / "results/grids/grid.parquet"
    grid, record = tables.read(path)
    tables.write(grid.with_columns(pl.col("value") * 0.5), path, record)
    found = ledger.load(here)
    for piece in found.values():
        for files in (piece.inputs, piece.outputs):
            if "results/grids/grid.parquet" in files:
                files["results/grids/grid.parquet"] = ledger.contents(path)
        (here / ledger.place(piece.job)).write_bytes(ledger.encoded(piece))
    (here / ledger.LEDGER).unlink()
    plan = cli.plan(here)
    stages = {stage.name: stage for stage in verify.stages(plan, [])}
    assert [f.place for f in stages["rebuilt"].failures] == ["results/grids/grid.parquet"]
    assert stages["counted"].failures
    assert all(f.place.startswith("results/grids/grid") for f in stages["counted"].failures)
