"""`color: share`: confusion matrices, whose rows add up to one."""

from collections import Counter
from itertools import product
from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.library import frames
from heatproof.util.errors import Error

TAKEN = {"cat": "cat cat dog cat", "dog": "dog ox dog dog", "ox": "ox cat ox"}
"""Class → what its samples are taken for; `horse` is predicted in panel `b` alone."""


def rows() -> pl.DataFrame:
    records = []
    for model, (target, predictions) in product("ab", TAKEN.items()):
        for number, predicted in enumerate(predictions.split()):
            guess = "horse" if model == "b" and number == 0 else predicted
            one = {"model": model, "task": "t", "sample_id": f"{target}{number}", "target": target}
            records.append(one | {"predicted": guess, "score": float(guess == target)})
    return pl.DataFrame(records)


KEYS: dict[str, Any] = {
    "x": "predicted", "y": "target", "metric": "share", "panel": "model", "best": "none",
}  # fmt: skip


def test_shares_are_parts_of_rows() -> None:
    """Counted by hand; what no sample is taken for is 0, and no gap."""
    data = rows()
    grid = hp.grid(data, **KEYS)
    pairs = Counter(data.select("model", "target", "predicted").iter_rows())
    of_rows = Counter(data.select("model", "target").iter_rows())
    for cell in grid.iter_rows(named=True):
        row = cell["model"], cell["target"]
        counted = pairs[*row, cell["predicted"]]
        if row[1] == "horse":
            assert (cell["value"], cell["gap"]) == (None, "none_such")
        else:
            assert cell["value"] == counted / of_rows[row]
            assert cell["gap"] is None
    sums = grid.group_by("model", "target").agg(pl.col("value").sum())
    assert sorted(sums["value"].round(12).unique()) == [0, 1]


def test_both_axes_have_all_classes_in_one_order() -> None:
    """Also those that occur along one alone; `sort` of one sorts the other."""
    grid = hp.grid(rows(), **KEYS)
    orders = [grid[name].unique(maintain_order=True).to_list() for name in ("target", "predicted")]
    assert orders == [["cat", "dog", "horse", "ox"]] * 2
    grid = hp.grid(rows(), **KEYS, sort={"target": ["ox", "dog", "cat", "horse"]})
    assert grid["predicted"].unique(maintain_order=True).to_list() == ["ox", "dog", "cat", "horse"]
    grid = hp.grid(rows(), **KEYS | {"x": "model", "panel": None, "pool": ["predicted"]})
    assert grid["target"].unique(maintain_order=True).to_list() == ["cat", "dog", "ox"]


def test_shares_are_counted_anew() -> None:
    """From samples alone; a share that was changed does not agree."""
    block = {"kind": "heatmap", "name": "f", "source": "s", "panel": "model", "best": "none"}
    entry = api.read(block | {"encoding": {"x": "predicted", "y": "target", "color": "share"}})
    kind = api.kind("heatmap")
    samples = frames.samples_of(rows(), ["target", "predicted"], [], {}, {}).lazy()
    grid = kind.aggregate(samples, entry)
    assert all(agrees for *_, agrees in kind.recounted(samples, grid, entry))
    changed = grid.with_columns(value=pl.col("value").clip(upper_bound=0.7))
    wrong = [cell for cell, *_, agrees in kind.recounted(samples, changed, entry) if not agrees]
    assert len(wrong) == (grid["value"] > 0.7).sum() > 0


@pytest.mark.parametrize(("keys", "says"), [
    ({"mean_over": "task"}, "is a part of all samples of a row"),
    ({"relative_to": {"model": "a"}}, "share of other samples is no baseline"),
])  # fmt: skip
def test_mistakes(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(Error, match=says):
        hp.grid(rows(), **KEYS | keys)
