"""Freshness: what a run makes again, and what `heatproof why` says of it before."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import mutating
from heatproof.cli import main as cli
from heatproof.proof import why
from heatproof.provenance import receipts
from heatproof.samples import tables, temporary
from heatproof.util import pins

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.workflow


def stages(project: Any) -> set[str]:
    """Stages of the jobs that `snakemake` would run now."""
    status, said = project.run("-n", "--quiet", "host")
    assert status == 0, said
    listed = re.findall(r"^(\w+) +\d+$", said, re.MULTILINE)
    return {name.split("_")[0] for name in listed} - {"total", "all"}


def damage(root: Path, path: str) -> None:
    """Another byte in the middle; size and times stay."""
    place = root / path
    data, stat = place.read_bytes(), place.stat()
    at = len(data) // 2
    place.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize(
    ("path", "first", "spared"),
    [
        ("results/tables/runs/0000.parquet", "normalize", set()),
        ("results/grids/grid.parquet", "aggregate", {"normalize"}),
        ("results/specs/grid.vl.json", "draw", {"normalize", "aggregate"}),
        ("results/figures/grid.png", "draw", {"normalize", "aggregate"}),
        ("results/tables/grid.csv", "aggregate", {"normalize"}),
        ("results/index.html", "gallery", {"aggregate", "draw"}),
        ("results/manifest.json", "seal", {"draw", "gallery"}),
    ],
)
def test_a_damaged_result_is_made_again(
    copy_of_tiny: Any, tiny: Any, path: str, first: str, spared: set[str]
) -> None:
    """With what depends on it and no more, though neither size nor time tell; same bytes."""
    damage(copy_of_tiny.root, path)
    found = stages(copy_of_tiny)
    assert {first, "seal"} <= found
    assert not spared & found
    if first in ("aggregate", "seal"):
        status, said = copy_of_tiny.run()
        assert status == 0, said
        assert f"heatproof: {path} is not as it was made" in said
        assert copy_of_tiny.results() == tiny.results()
        assert stages(copy_of_tiny) == set()


def test_a_result_put_back_is_no_change(copy_of_small: Any) -> None:
    """The same bytes with another time are the same result."""
    path = copy_of_small.root / "results/grids/grid.parquet"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
    assert stages(copy_of_small) == set()


def test_a_changed_pin_redoes_what_depends_on_it(copy_of_small: Any) -> None:
    """Another version of the renderer: figures are drawn anew, tables and grids stay."""
    path = copy_of_small.root / pins.NAME
    text = path.read_text()
    path.write_text(
        re.sub(r"^vl-convert-python==\S+", "vl-convert-python==1.0", text, flags=re.MULTILINE)
    )
    found = stages(copy_of_small)
    assert {"draw", "seal"} <= found
    assert not {"normalize", "aggregate"} & found
    path.write_text(text + "# a comment\n")
    assert stages(copy_of_small) == {"seal"}  # the crate describes the file


@pytest.fixture
def pinned_there(copy_of_small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pins that count are those of the copy."""
    monkeypatch.setattr(pins, "FILE", copy_of_small.root / pins.NAME)
    pins.pinned.cache_clear()


@pytest.mark.usefixtures("pinned_there")
def test_why_names_the_input_and_the_stages(copy_of_small: Any) -> None:
    """What `why` says is what `snakemake` would do."""
    root = copy_of_small.root
    assert why.answer(cli.plan(root), "grid").reasons == []
    log = root / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    with mutating.damaged([log], [log.read_bytes().replace(b"false", b"true ", 1)]):
        found = why.answer(cli.plan(root), "grid")
        assert [r.what for r in found.reasons] == [f"data/runs/{log.name} changed"]
        assert found.stages == ["normalize", "aggregate", "draw"]
        assert set(found.stages) <= stages(copy_of_small)
    config = root / "config.yaml"
    with mutating.damaged([config], [config.read_bytes().replace(b"title: m", b"title: o", 1)]):
        found = {
            name: why.answer(cli.plan(root), name) for name in ("grid", "pair", "twice", "mean")
        }
        changed = [name for name in found if found[name].reasons]
        assert len(changed) == 1
        assert found[changed[0]].stages == ["draw"]
    damage(root, "results/grids/pair.parquet")
    found = why.answer(cli.plan(root), "pair")
    assert [r.what for r in found.reasons] == ["results/grids/pair.parquet is not as it was made"]
    assert found.stages == ["aggregate", "draw"]
    assert why.answer(cli.plan(root), "grid").stages == []


@pytest.mark.usefixtures("pinned_there")
def test_what_is_expected_of_runs_reads_no_log_again(copy_of_small: Any) -> None:
    """Grids that tell it are made anew; pairs of models and the samples tables stay."""
    root = copy_of_small.root
    config = root / "config.yaml"
    said = config.read_bytes().replace(b"format: dynts\n", b"format: dynts\n    expect: 7\n", 1)
    with mutating.damaged([config], [said]):
        found = {name: why.answer(cli.plan(root), name).stages for name in ("grid", "pair")}
        assert found == {"grid": ["aggregate", "draw"], "pair": []}
        made = stages(copy_of_small)
        assert "aggregate" in made
        assert "normalize" not in made
    assert stages(copy_of_small) == set()


def test_the_lock_of_a_killed_run_is_set_free(copy_of_tiny: Any) -> None:
    """SIGKILL leaves a lock and half a job; the next run ends as if nothing had been."""
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
    assert status == 0, said
    assert "no part of what config.yaml asks for" not in said
    assert not left[0].parent.exists()
    assert not left[1].exists()
    assert stages(copy_of_tiny) == set()


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
    temporary.clear(tmp_path)
    found = [
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    ]
    assert sorted(found) == sorted(mine)
    assert not (tmp_path / "tables/s/.waiting-a").exists()
    temporary.clear(tmp_path / "nowhere")


def test_the_lock_of_a_living_run_stays(tmp_path: Path) -> None:
    """A lock whose holder still runs, or ran on another host, is not touched."""
    lock = tmp_path / ".snakemake/locks/0.input.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    receipts.hold(tmp_path)
    holder = tmp_path / receipts.HOLDER
    receipts.free(tmp_path)
    assert lock.exists()
    host, process, start = holder.read_text().split()
    holder.write_text(f"elsewhere {process} 1")
    receipts.free(tmp_path)
    assert lock.exists()
    holder.write_text(f"{host} {process} {int(start) - 1}")
    receipts.free(tmp_path)
    assert not lock.exists()


def test_files_take_their_place_when_they_are_whole(tmp_path: Path) -> None:
    """A writer that fails leaves what was there; what is long abandoned is cleared."""
    path = tmp_path / "a.txt"
    tables.write_text("old", path)
    for name, age in (("a.txt.1.part", 100_000), ("a.txt.2.part", 10)):
        (tmp_path / name).write_text("of a killed job, or of one that runs")
        os.utime(tmp_path / name, (time.time() - age,) * 2)

    def fail() -> None:
        with tables.whole(path) as part:
            part.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    tables.write_text("new", path)
    assert {p.name for p in tmp_path.iterdir()} >= {"a.txt", "a.txt.2.part"}
    assert not (tmp_path / "a.txt.1.part").exists()


def test_a_receipt_tells_what_a_job_made(tmp_path: Path) -> None:
    """Files, known by content; what is gone is Snakemake's to see."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    receipts.note(["a", "b"], tmp_path)
    assert receipts.damaged(["a", "b", "unknown"], tmp_path) == []
    (tmp_path / "b").write_text("c")
    assert receipts.damaged(["a", "b"], tmp_path) == ["b"]
    (tmp_path / "b").unlink()
    assert receipts.damaged(["b"], tmp_path) == []


def test_outputs_shared_out_anew_leave_no_old_receipt(tmp_path: Path) -> None:
    """A job that makes other files together than before is believed, in any order of names."""
    for first, second in ((["a", "b"], ["b"]), (["b"], ["a", "b"])):
        (tmp_path / "a").write_text("old")
        (tmp_path / "b").write_text("old")
        receipts.note(first, tmp_path)
        (tmp_path / "b").write_text("new")
        receipts.note(second, tmp_path)
        assert receipts.damaged(["a", "b"], tmp_path) == []


def test_results_from_an_archive_are_believed_as_far_as_the_manifest_goes(
    copy_of_tiny: Any, tiny: Any
) -> None:
    """Without Snakemake's records a build still stands, and what changed since is seen."""
    root = copy_of_tiny.root
    shutil.rmtree(root / ".snakemake")
    assert stages(copy_of_tiny) == set()
    config = root / "config.yaml"
    config.write_text(config.read_text().replace("title: m", "title: o", 1))
    found = stages(copy_of_tiny)
    assert {"draw", "seal"} <= found
    assert not {"normalize", "aggregate"} & found
    config.write_text(config.read_text().replace("title: o", "title: m", 1))
    damage(root, "results/grids/grid.parquet")
    assert "aggregate" in stages(copy_of_tiny)
    (root / "results/manifest.json").unlink()
    assert "normalize" in stages(copy_of_tiny)
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert copy_of_tiny.results() == tiny.results()
