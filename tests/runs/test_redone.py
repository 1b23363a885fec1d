"""What a change makes again: the jobs whose piece of the ledger goes, and what Snakemake makes of it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.config import paths
from support import warm

pytestmark = pytest.mark.workflow

LOG = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


def edited(path: str, old: bytes = b"", new: bytes = b"") -> Callable[[Path], None]:
    """Other bytes, behind the back of the clock; a bit of the middle where none are named."""

    def change(root: Path) -> None:
        place = root / path
        data, stat = place.read_bytes(), place.stat()
        at = len(data) // 2
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        place.write_bytes(data.replace(old, new, 1) if old else flipped)
        os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    return change


def removed(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def configured(section: str, name: str, **keys: Any) -> Callable[[Path], None]:
    """Other keys of a block of config.yaml."""

    def change(root: Path) -> None:
        config = yaml.safe_load((root / "config.yaml").read_text())
        config[section][name] |= keys
        (root / "config.yaml").write_text(yaml.safe_dump(config))

    return change


def added(root: Path) -> None:
    """A log of another setting."""
    shutil.copy(root / LOG, root / LOG.replace("R0.1", "R0.3"))


def put_back(root: Path) -> None:
    """A result that is taken away and laid there again."""
    path = root / "results/grids/grid.parquet"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def touched(root: Path) -> None:
    """Every file, and a comment in config.yaml."""
    for path in root.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    with (root / "config.yaml").open("a") as file:
        file.write("# a comment\n")


READ = (
    "aggregate grid, aggregate pair, compare_printed runs, draw grid, draw pair, "
    "normalize runs/0000, normalize runs/0001"
)
TABLES = "aggregate grid, aggregate pair, compare_printed runs, normalize runs/0001"
CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "nothing but times": (touched, ""),
    "a result put back": (put_back, ""),
    "a score": (edited(LOG, b"false", b"true "), "normalize runs/0000"),
    "a table of samples": (edited("results/tables/runs/0001.parquet"), TABLES),
    "a grid": (edited("results/grids/grid.parquet"), "aggregate grid, draw grid"),
    "a table of numbers": (edited("results/tables/grid.csv"), "aggregate grid"),
    "a spec": (edited("results/specs/grid.vl.json"), "draw grid"),
    "a picture": (edited("results/figures/grid.png"), "draw grid"),
    "the page": (edited("results/index.html"), "gallery page"),
    "no page": (removed("results/index.html"), "gallery page"),
    "no records behind a grid": (removed("results/grids/grid.json"), "aggregate grid, draw grid"),
    "no refusals": (
        removed("results/tables/runs/0000.rejected.parquet"),
        "aggregate grid, aggregate pair, compare_printed runs, normalize runs/0000",
    ),
    "a printed number": (edited("data/metrics.jsonl", b"99.5", b"99.4"), "compare_printed runs"),
    "a title": (configured("figures", "grid", title="other"), "draw grid"),
    "the size of runs": (configured("sources", "runs", expect=7), "aggregate grid"),
    "one setting less": (
        configured("figures", "grid", where={"model": "m", "ratio": 0.1}),
        "aggregate grid, draw grid",
    ),
    "the scale of scores": (configured("sources", "runs", range=[0, 2]), READ),
    "one log more": (added, "normalize runs/0000"),
    "the number of bins": (configured("figures", "pair", bins=4), "aggregate pair, draw pair"),
}
"""What changes → the jobs that made it or were given it, beside the page and the printed numbers.

The rest finds Snakemake.
"""
OF_ALL = {"gallery page", "values numbers"}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_makes_its_jobs_untrue(name: str, copy_of_tiny: Any) -> None:
    """And no others: no log is read again for what only shapes a grid, no grid made for a title."""
    change, jobs = CHANGES[name]
    root = copy_of_tiny.root
    change(root)
    plan = cli.plan(root)
    untrue = {*ledger.forget_untrue(root)}
    pieces = [ledger.read(path) for place in plan.pieces() if (path := root / place).is_file()]
    untrue |= {piece.job for piece in pieces if plan.is_outdated(piece)}
    assert ", ".join(sorted(untrue - OF_ALL or untrue)) == jobs


def test_what_depends_on_it_is_made_again(copy_of_tiny: Any, tiny: Any) -> None:
    """From a log to the page; then nothing is left to do, nor with Snakemake's own records gone."""
    project, root = copy_of_tiny, copy_of_tiny.root
    edited(LOG, b"false", b"true ")(root)
    assert project.stages() == {"normalize", "compare", "aggregate", "draw", "values", "gallery"}
    edited(LOG, b"true ", b"false")(root)
    edited("results/grids/grid.parquet")(root)
    status, said = project.run()
    assert status == 0, said
    assert "results/grids/grid.parquet changed: " in said
    assert project.results() == tiny.results()
    shutil.rmtree(root / ".snakemake")
    assert project.redone() == set()


def test_the_page_leads_to_what_changed(copy_of_tiny: Any) -> None:
    """To a page that is there from the first build on, and tells of the last run that changed any."""
    root = copy_of_tiny.root
    changed = root / "results/changes.html"
    assert 'href="changes.html"' in (root / "results/index.html").read_text(encoding="utf-8")
    assert "No cell of a figure" in changed.read_text(encoding="utf-8")
    numbers = (root / paths.VALUES[1]).read_bytes()
    edited(LOG, b"false", b"true ")(root)
    for _ in range(2):
        status, said = copy_of_tiny.run()
        assert status == 0, said
        assert "cells changed" in changed.read_text(encoding="utf-8")
    (kept,) = (root / paths.FORMER_VALUES).glob("*.json")  # by which `paper` knows stale numbers
    assert kept.read_bytes() == numbers
    assert (root / paths.VALUES[1]).read_bytes() != numbers


def test_a_changed_module_redoes_the_stages_that_use_its_room(copy_of_tiny, monkeypatch):
    """Snakemake does not see imported modules; the digest of their room does."""
    source = copy_of_tiny.root / "workflow/src"
    monkeypatch.setenv("PYTHONPATH", str(source))
    with (source / "heatproof/metrics.py").open("a") as file:
        file.write("# changed\n")
    stages = copy_of_tiny.stages()
    assert "aggregate" in stages
    assert "normalize" not in stages


def held(locks: Path) -> bool:
    """Whether a run holds its outputs."""
    return any(path.stat().st_size for path in locks.glob("*.output.lock"))


def test_after_a_killed_run_the_lock_is_removed_and_all_goes_on(copy_of_tiny: Any) -> None:
    """SIGKILL leaves a lock and half a job; the run after ends as if nothing had been."""
    root = copy_of_tiny.root
    edited(LOG, b"false", b"true ")(root)
    process = subprocess.Popen(
        [warm.EXECUTABLE, "-m", "snakemake"], cwd=root, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    locks = root / ".snakemake/locks"
    end = time.monotonic() + 120
    # What a lock is for stands in it, and comes to the disk last.
    while not held(locks) and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert held(locks)
    left = [
        root / "results/tables/runs/.waiting-o6yq9011/0000.parquet",
        root / "results/figures/grid.svg.0123456789abcdef.part",
    ]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    status, output = copy_of_tiny.run()
    assert (status, "--unlock" in output) == (1, True)
    assert copy_of_tiny.run("--unlock")[0] == 0
    status, output = copy_of_tiny.run()
    assert status == 0, output
    assert "no longer asked for by config.yaml" not in output
    assert not left[0].parent.exists()
    assert not left[1].exists()
    assert copy_of_tiny.stages() == set()
