"""Sums rounded once, and columns as numbers: what arithmetic of all grids stands on."""

from itertools import permutations
from math import fsum
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatproof.samples import counts
from heatproof.statistics import estimates
from heatproof.util import codes

NUMBERS = st.lists(st.floats(-1e100, 1e100), max_size=40)


@given(NUMBERS)
def test_a_sum_is_the_true_one_rounded_once(values: list[float]) -> None:
    """Whatever is added, large to small."""
    array = np.array(values)
    assert estimates.total(array) == fsum(values)
    columns = np.array([array, array[::-1], -array]).T
    assert estimates.column_sums(columns).tolist() == [fsum(values), fsum(values), -fsum(values)]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pl.String, ["b", None, "a", "b", "b"]),
        (pl.String, ["b", "a", "c"]),
        (pl.Float64, [0.3, 0.3, None, 0.1]),
        (pl.Int64, [7, 7, -1, 10**12]),
        (pl.Boolean, [True, False]),
        (pl.Int64, [None, None]),
        (pl.String, []),
    ],
)
def test_numbers_follow_the_order_of_the_values(kind: Any, values: list[Any]) -> None:
    """Null is the first, and where a piece ends does not show."""
    series = pl.Series("name", values, kind)
    for size in (1, 2, 10):
        shards = [part.lazy() for part in series.to_frame().iter_slices(size)]
        column = codes.gather_rows(shards or [series.to_frame().lazy()], []).columns["name"]
        assert (column.values.name, column.values.dtype) == ("name", kind)
        assert column.values.to_list() == series.unique().sort().to_list()
        assert column.values[column.codes].to_list() == values


def test_pooled_runs_are_summed_in_one_order() -> None:
    """Whichever shard comes first: floats added in another order would be other floats."""
    shards = [
        pl.LazyFrame({"model": ["m"], "sample_id": ["q"], "scorer": [""], "run": [run], "count": [1],
                      "total": [total], "reconstructed": [run == "b"]})
        for run, total in (("a", 0.1), ("b", 0.2), ("c", 0.3))
    ]  # fmt: skip
    found = set()
    for order in permutations(shards):
        rows = codes.gather_rows([*order], ["count", "total", "reconstructed"])
        numbers = counts.added_up(rows, ["sample_id"]).numbers
        assert (numbers["count"].tolist(), numbers["reconstructed"].tolist()) == ([3], [True])
        found |= {*numbers["total"].tolist()}
    assert len(found) == 1
    assert len({0.1 + (0.2 + 0.3), 0.3 + (0.2 + 0.1)}) == 2
