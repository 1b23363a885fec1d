"""Counts of problems that figures carry: they give all numbers again, and the pairs of cells."""

import json
import string
from typing import Any

import numpy as np
import polars as pl
import pytest

from heatproof.kinds import api
from heatproof.kinds.heatmap import problem_counts
from support import toys, views
from support.samples import heat, table

LETTERS = string.ascii_lowercase


def counts_of(entry: Any, samples: pl.LazyFrame) -> tuple[pl.DataFrame, list[Any]]:
    """The grid of a figure, and its counts as JSON holds them."""
    kind = api.kind(entry.kind)
    grid = kind.aggregate(samples, entry)
    counts = kind.problem_counts(samples, entry, grid, None, None)
    return grid, json.loads(json.dumps(counts))


@pytest.mark.parametrize("kind", ["heatmap", *views.ENTRIES])
def test_counts_give_the_numbers_of_the_grid(kind: str) -> None:
    """Value, error, interval and verdict, of gaps and incomplete cells too."""
    if kind == "heatmap":
        entry = heat(
            name="toy", source="toy", panel="task", uncertainty="tied", sort={"x": "value"}
        )
    else:
        entry = views.entry(kind)
    grid, counts = counts_of(entry, toys.sweep().lazy())
    counted = problem_counts.recount(counts, entry.question)
    assert counts
    names = ["value", "se", "low", "high", "tied", "samples", "epochs"]
    assert counted.select(names).equals(grid.select(names))


def sweep(seed: int, names: str = LETTERS) -> pl.LazyFrame:
    """Four settings of 26 problems, three times each, of two tasks."""
    random = np.random.default_rng(seed)
    rows = []
    for task in ("s", "t"):
        for ratio in (0.1, 0.2, 0.3, 0.4):
            for name in names:
                for epoch in range(3):
                    score = float(random.random() < ratio + 0.02 * names.index(name))
                    rows.append({
                        "task": task, "ratio": ratio, "window": 5, "sample_id": name, "epoch": epoch,
                        "score": score, "run": f"{task}{ratio}",
                    })  # fmt: skip
    return table(rows, measures=())


def test_counts_name_no_problem_and_keep_no_order() -> None:
    """Problems under other names, in another order, are the same counts."""
    first, second = (
        counts_of(heat(panel="task"), sweep(1, names))[1] for names in (LETTERS, LETTERS.upper())
    )
    assert first == second
    for panel in first:
        assert panel["sums"] == sorted(panel["sums"])


def test_pairs_of_cells_are_paired_differences() -> None:
    """By hand; an interval holds its difference, and those that leave out 0 are no tied cells."""
    entry = heat(panel="task", uncertainty="tied")
    grid, counts = counts_of(entry, sweep(2))
    values, tied, best = (grid[name].to_list() for name in ("value", "tied", "best"))
    pairs = list(problem_counts.cell_pairs(counts, entry.question))
    assert len(pairs) == 12
    for pair in pairs:
        assert pair.difference == pytest.approx(values[pair.first] - values[pair.second])
        assert pair.problems == 26
        assert pair.low is not None
        assert pair.high is not None
        assert pair.low < pair.difference < pair.high
        if best[pair.first] and pair.low > 0:
            assert not tied[pair.second]
        turned = pair.turned()
        assert (turned.first, turned.difference) == (pair.second, -pair.difference)
        assert (turned.low, turned.high) == (-pair.high, -pair.low)
        assert turned.turned() == pair


@pytest.mark.parametrize(
    "keys", [{"color": "maj@3"}, {"relative_to": {"ratio": 0.1}}, {"mean_over": "window"}]
)
def test_counts_that_do_not_give_all_numbers_are_left_out(keys: dict[str, Any]) -> None:
    """Votes need answers, differences a baseline, and means over settings their parts."""
    question = heat(**keys).question
    assert not problem_counts.is_counted(question)


def test_large_figures_carry_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a figure stays small."""
    monkeypatch.setattr(problem_counts, "MOST", 10)
    assert counts_of(heat(panel="task"), sweep(1))[1] == []
