"""What one job does together."""

from __future__ import annotations

from pathlib import Path

import pytest

from heatproof.config.entries import Figure
from heatproof.plan import batching
from heatproof.plan.plan import Plan
from heatproof.provenance.batch import batch
from heatproof.util.errors import Error
from test_workflow import CONFIG, write_logs

MB = 1_000_000


def names(count: int) -> list[str]:
    """Names of shards."""
    return [f"{number:04d}" for number in range(count)]


@pytest.mark.parametrize(
    ("figures", "sizes"),
    [({"a": 6}, [6]), ({"a": 7}, [4, 3]), ({"a": 3, "b": 2, "c": 8}, [3, 2, 4, 4]), ({}, [])],
)
def test_batches_of_figures_are_even(figures: dict[str, int], sizes: list[int]) -> None:
    """As few as it takes, of a source none much longer than another, and never two sources in one."""
    entries = {
        f"{source}{n}": Figure(name=f"{source}{n}", kind="heatmap", source=source)
        for source, number in figures.items()
        for n in range(number)
    }
    batches = batching.figures(entries)
    assert [len(names) for names in batches] == sizes
    assert [name for names in batches for name in names] == list(entries)


@pytest.mark.parametrize(
    ("count", "size", "sizes"),
    [
        (100, 400 * MB, [16, 16, 16, 16, 16, 16, 4]),
        (100, 3_100 * MB, [2] * 50),
        (3, 10_000 * MB, [1, 1, 1]),
        (1, 0, [1]),
        (0, 0, []),
    ],
)
def test_short_logs_are_read_together(count: int, size: int, sizes: list[int]) -> None:
    """A job reads some 100 MB, or one shard; in their order, each shard in one job."""
    found = batching.shards(names(count), size)
    assert [len(mine) for mine in found.values()] == sizes
    assert [name for mine in found.values() for name in mine] == names(count)


def test_more_shards_leave_the_others_in_their_batches() -> None:
    """Shards that hold no log are no matter, and new ones are put at the end."""
    before = batching.shards(names(40), 160 * MB)
    after = batching.shards([name for name in names(45) if name != "0003"], 180 * MB)
    assert list(before) == list(after)
    assert before["0001"] == after["0001"]
    assert set(before["0000"]) - set(after["0000"]) == {"0003"}
    assert set(before["0002"]) < set(after["0002"])


def test_what_is_slow_to_grade_is_no_batch() -> None:
    """There the job's start is nothing, and cores are wanted."""
    assert batching.shards(names(3), 1, slow=True) == {f"{n:04d}": [f"{n:04d}"] for n in range(3)}


def test_jobs_of_a_run_batch_as_it_did(tmp_path: Path) -> None:
    """Jobs on a cluster do not look for logs: they take over how large these were."""
    write_logs(tmp_path / "data/runs")
    raw = CONFIG | {"sources": {"runs": CONFIG["sources"]["runs"] | {"shards": 4}}}
    read = Plan(raw, tmp_path).read_together
    assert [(source, batch) for source, batch, _ in read] == [("runs", "0000")]
    for path in (tmp_path / "data/runs").iterdir():
        path.unlink()
    assert Plan(raw, tmp_path, scan=False).read_together == read


def test_mistakes_of_several_figures_are_told_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody starts five runs to learn of five mistakes; what was right is made meanwhile."""
    monkeypatch.chdir(tmp_path)
    made = []
    with pytest.raises(SystemExit), batch("draw", "job.log") as figures:
        for name in "abcd":
            with figures.one(name, [name]):
                if name in "bd":
                    raise Error(f"figures.{name} is wrong")
                made.append(name)
    assert made == ["a", "c"]
    assert Path("job.log").read_text() == "figures.b is wrong\nfigures.d is wrong\n"
    assert "figures.b is wrong\nfigures.d is wrong" in capsys.readouterr().err
