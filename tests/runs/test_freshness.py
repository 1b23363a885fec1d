"""Freshness: what a run makes again, and what `heatproof why` says of it before."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import mutating
from heatproof.cli import main as cli
from heatproof.provenance import verify
from heatproof.samples import tables

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.workflow


def damage(root: Path, path: str) -> None:
    """Another byte in the middle; size and times stay."""
    place = root / path
    data, stat = place.read_bytes(), place.stat()
    at = len(data) // 2
    place.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_a_damaged_result_is_made_again(copy_of_tiny: Any, tiny: Any) -> None:
    """With what depends on it and no more, though neither size nor time tell; same bytes.

    The same bytes with another time are the same result.
    """
    root = copy_of_tiny.root
    pieces, kept = root / "results/.ledger", root / "kept"
    shutil.copytree(pieces, kept)
    for path, first, spared in (
        ("tables/runs/0000.parquet", "normalize", set()),
        ("figures/grid.png", "draw", {"normalize", "aggregate"}),
        ("index.html", "gallery", {"aggregate", "draw"}),
    ):
        place = root / "results" / path
        before = place.read_bytes()
        damage(root, f"results/{path}")
        found = copy_of_tiny.stages()
        assert first in found
        assert not spared & found
        place.unlink()
        place.write_bytes(before)
        shutil.copytree(kept, pieces, dirs_exist_ok=True)
    assert copy_of_tiny.stages() == set()
    damage(root, "results/grids/grid.parquet")
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert "results/grids/grid.parquet changed: aggregate grid is done again" in said
    assert copy_of_tiny.results() == tiny.results()


def test_why_names_the_input_and_the_stages(copy_of_small: Any) -> None:
    """What `why` says is what `snakemake` would do."""
    root = copy_of_small.root
    assert verify.why(cli.plan(root), "grid").reasons == []
    log = root / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    with mutating.damaged([log], [log.read_bytes().replace(b"false", b"true ", 1)]):
        found = verify.why(cli.plan(root), "grid")
        assert [r.place for r in found.reasons] == [f"data/runs/{log.name}"]
        assert found.stages == ["normalize", "aggregate", "draw"]
        assert set(found.stages) <= copy_of_small.stages()
    config = root / "config.yaml"
    with mutating.damaged([config], [config.read_bytes().replace(b"title: m", b"title: o", 1)]):
        found = {
            name: verify.why(cli.plan(root), name) for name in ("grid", "pair", "twice", "mean")
        }
        changed = [name for name in found if found[name].reasons]
        assert len(changed) == 1
        assert found[changed[0]].stages == ["draw"]
    damage(root, "results/grids/pair.parquet")
    found = verify.why(cli.plan(root), "pair")
    assert [r.place for r in found.reasons] == ["results/grids/pair.parquet"]
    assert found.stages == ["aggregate", "draw"]
    assert verify.why(cli.plan(root), "grid").stages == []


def test_what_is_expected_of_runs_reads_no_log_again(copy_of_small: Any) -> None:
    """Grids that tell it are made anew; pairs of models and the samples tables stay."""
    root = copy_of_small.root
    config = root / "config.yaml"
    said = config.read_bytes().replace(b"format: dynts\n", b"format: dynts\n    expect: 7\n", 1)
    with mutating.damaged([config], [said]):
        found = {name: verify.why(cli.plan(root), name).stages for name in ("grid", "pair")}
        assert found == {"grid": ["aggregate", "draw"], "pair": []}
        made = copy_of_small.stages()
        assert "aggregate" in made
        assert "normalize" not in made


def test_after_a_killed_run_the_lock_is_removed_and_all_goes_on(copy_of_tiny: Any) -> None:
    """SIGKILL leaves a lock and half a job; the run after ends as if nothing had been."""
    root = copy_of_tiny.root
    log = root / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("false", "true", 1))
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake"], cwd=root, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    locks = root / ".snakemake/locks"
    end = time.monotonic() + 120
    while not list(locks.glob("*.lock")) and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert list(locks.glob("*.lock"))
    left = [
        root / "results/tables/runs/.waiting-o6yq9011/0000.parquet",
        root / "results/figures/grid.svg.0123456789abcdef.part",
    ]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    status, said = copy_of_tiny.run()
    assert (status, "--unlock" in said) == (1, True)
    assert copy_of_tiny.run("--unlock")[0] == 0
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert "no part of what config.yaml asks for" not in said
    assert not left[0].parent.exists()
    assert not left[1].exists()
    assert copy_of_tiny.stages() == set()


def test_only_what_jobs_left_is_cleared(tmp_path: Path) -> None:
    """Files of users that are called alike stay."""
    mine = ["tables/a.part", "tables/a.0123.part", "tables/.waiting", "tables/waiting-a/b"]
    theirs = [
        "tables/a.csv.0123456789abcdef.part",
        "tables/s/.waiting-a/b",
        "c.0123456789abcdef.part",
    ]
    for name in [*mine, *theirs]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    tables.remove_unfinished(tmp_path)
    found = [
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    ]
    assert sorted(found) == sorted(mine)
    assert not (tmp_path / "tables/s/.waiting-a").exists()
    tables.remove_unfinished(tmp_path / "nowhere")


def test_files_take_their_place_when_they_are_whole(tmp_path: Path) -> None:
    """A writer that fails leaves what was there, and nothing else."""
    path = tmp_path / "a.txt"
    tables.write_text("old", path)

    def fail() -> Any:
        yield pl.DataFrame({"n": [1]})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        tables.write_pieces(fail(), tables.schema({"n": "int"}), path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_results_from_an_archive_are_believed_as_far_as_the_ledger_goes(
    copy_of_tiny: Any,
) -> None:
    """Without Snakemake's records a build still stands, and what changed since is seen."""
    root = copy_of_tiny.root
    shutil.rmtree(root / ".snakemake")
    assert copy_of_tiny.stages() == set()
    config = root / "config.yaml"
    config.write_text(config.read_text().replace("title: m", "title: o", 1))
    found = copy_of_tiny.stages()
    assert "draw" in found
    assert not {"normalize", "aggregate"} & found
