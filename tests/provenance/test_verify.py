"""heatproof verify: any changed byte is reported, and the right file named."""

import json
import os
import random
import re
import subprocess
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from heatproof import build, ledger
from heatproof.cli import main as cli
from heatproof.cli.main import main
from heatproof.provenance import verify
from heatproof.provenance.verify import Difference
from heatproof.util import repository
from heatproof.util.errors import Error
from support import mutating


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, copy_of_small: Any) -> Path:
    """The root of a built project, its own code being the one that is checked."""
    root = Path(copy_of_small.root)
    monkeypatch.setattr(repository, "ROOT", root)
    monkeypatch.setattr(repository, "LIBRARY", root / "workflow/src/heatproof")
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
    for kind, damage, paths, new in mutating.mutations(here, 45, chance):
        with mutating.damaged(paths, new):
            places = reported(here)
        for path in paths:
            name = path.relative_to(here).as_posix()
            code = name.startswith("workflow/") and any("code of" in place for place in places)
            job = name.removeprefix("results/.ledger/").removesuffix(".json").replace("/", " ", 1)
            mentioned = any(name in place or f"ledger.json: {job}" in place for place in places)
            assert code or mentioned, (kind, damage, name, places)
    assert reported(here) == []


def test_what_lies_in_the_place_of_a_result_is_named(here: Path) -> None:
    """A folder, a pipe or a link there, for each kind of result."""
    kinds = [(kind, paths[0]) for kind, paths in mutating.kinds(here).items()]
    results = [(kind, path) for kind, path in kinds if path.is_relative_to(here / "results")]
    for (kind, path), instead in zip(results, cycle(mutating.INSTEAD), strict=False):
        with mutating.replaced(here, path, instead):
            places = reported(here)
        name = path.relative_to(here).as_posix()
        assert any(name in place for place in places), (kind, instead, places)
    assert reported(here) == []


STRAYS = {
    "file": ["figures/old.png", "tables/m/extra.parquet", ".evil/a", "figures/.evil.svg",
             "published/x/extra.jsonl", "log/old.svg", "log/words.log", "log/.hidden.log"],
    "folder": ["benchmark/begun/", "empty/", "grids/old/"],
    "link": ["log/linked.log", "linked", "tables/linked"],
    "pipe": ["figures/pipe"],
}  # fmt: skip
"""What is put below the results, and where."""


def test_a_file_that_no_job_makes_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden, linked, an empty folder, words of a job: none of it is a result."""
    make = {"file": Path.touch, "folder": Path.mkdir, "pipe": os.mkfifo,
            "link": lambda path: path.symlink_to(here / "data")}  # fmt: skip
    for what, names in STRAYS.items():
        for name in names:
            path = here / "results" / name
            path.parent.mkdir(exist_ok=True, parents=True)
            make[what](path)
    strays = sorted(f"results/{name}" for names in STRAYS.values() for name in names)
    assert reported(here) == verify.orphans(cli.plan(here)) == strays
    monkeypatch.chdir(here)
    words = build.summary(cli.plan(here))
    assert f"no longer asked for by config.yaml: {', '.join(strays[:5])} and 10 more" in words


def test_what_is_left_of_a_former_figure_is_a_note(here: Path) -> None:
    """It fails neither another figure nor all; a file of somebody else fails all, and no figure."""
    config = here / "config.yaml"
    config.write_text(config.read_text().replace("  grid:", "  heat:", 1))
    plan = cli.plan(here)
    for asked in (["pair"], []):
        (strays,) = (s for s in verify.stages(plan, asked, quick=True) if s.name == "strays")
        assert strays.failures == []
        assert re.fullmatch(r"other files in results/; \d+ files left of .*", strays.checked)
    stray = "results/figures/other.png"
    (here / stray).touch()
    assert [place for place in reported(here) if not place.startswith("config.yaml")] == [stray]
    assert reported(here, "pair") == []


def test_a_changed_key_shows_its_two_values(here: Path) -> None:
    """Each key is a line of its own, long values from where they part."""
    path = here / "config.yaml"
    path.write_text(path.read_text().replace("title: m", "title: o", 1))
    (stage,) = (s for s in verify.stages(cli.plan(here), [], quick=True) if s.name == "config")
    assert {(change.before, change.now) for change in stage.failures} == {("'m'", "'o'")}
    words = str(Difference("k", "a" * 400 + "b", "a" * 400 + "c"))
    assert "ab, is " in words
    assert words.endswith("ac")


def test_json_is_printed_whatever_is_wrong(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is wrong at once; what cannot be judged has failed, and says why."""

    def verify_json(*options: str) -> tuple[int, Any]:
        status = main(["verify", "--json", "--project", str(here), *options])
        return status, {stage["name"]: stage for stage in json.loads(capsys.readouterr().out)}

    done = subprocess.CompletedProcess([], 1, stdout="no space left", stderr="")
    monkeypatch.setattr(verify.subprocess, "run", lambda *_, **__: done)
    status, stages = verify_json()
    assert status == 1
    assert "no space left" in stages["rebuilt"]["failures"][0]["now"]
    config = here / "config.yaml"
    before = config.read_text()
    config.write_text(before.replace("logs: data", "shards: 2\n    logs: data"))
    (here / "results/figures/old.png").touch()
    grid = here / "results/grids/grid.parquet"
    grid.write_bytes(grid.read_bytes()[:-1])
    status, stages = verify_json()
    assert status == 1
    assert "its inputs have changed" in stages["rebuilt"]["checked"]
    assert stages["config"]["failures"]
    places = [change["place"] for change in stages["strays"]["failures"]]
    assert places == ["results/figures/old.png"]
    (change,) = stages["results"]["failures"]
    assert (change["place"], change["figures"]) == ("results/grids/grid.parquet", ["grid"])
    config.write_text(before.replace("kind: heatmap", "kind: heatmp"))
    status, stages = verify_json()
    assert status == 2
    assert "'heatmp' is not a figure kind" in stages["asked"]["failures"][0]["now"]
    config.write_text(before)
    assert verify_json("nothing")[0] == 2
    (here / "results/ledger.json").write_text("{")
    status, stages = verify_json()
    assert status == 2
    assert "ledger.json: damaged" in stages["asked"]["failures"][0]["now"]


def test_only_the_figures_asked_for_are_checked(here: Path, tmp_path: Path) -> None:
    """A damaged figure does not fail another; a file that is handed in must be the one made."""
    path = here / "results/figures/pair.svg"
    path.write_bytes(path.read_bytes() + b" ")
    assert reported(here, "grid") == []
    assert reported(here, "pair") == ["results/figures/pair.svg"]
    picture, data = tmp_path / "grid.png", (here / "results/figures/grid.png").read_bytes()
    picture.write_bytes(data)
    assert reported(here, str(picture)) == []
    at = data.index(b"IDAT") + 40
    picture.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert reported(here, str(picture))[0].startswith(f"{picture}: grid ")
