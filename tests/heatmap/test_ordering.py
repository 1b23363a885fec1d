"""Orders of rows and columns, by words and by values, and groups of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import ordering
from heatproof.util.errors import Error
from support.tasks import entry, samples

if TYPE_CHECKING:
    import polars as pl

RIGHT = {"a": (1, 4), "b": (8, 7), "c": (5, 5), "d": (1, 3)}
"""Of ten problems of t1 and t2 those that each model has right: means 25, 75, 50, 20 %."""
GROUPS = {"Closed": ["c", "b"], "Open": ["a"]}


def rows(*without: tuple[str, str]) -> pl.LazyFrame:
    return samples(
        {"model": model, "task": task, "sample_id": str(n), "score": float(n < right)}
        | {"run": f"{model} {task}"}
        for model, counts in RIGHT.items()
        for task, right in zip(("t1", "t2"), counts, strict=True)
        for n in range(10)
        if (model, task) not in without
    )


def grid(*without: tuple[str, str], **keys: Any) -> pl.DataFrame:
    return grids.aggregate(rows(*without), entry("task", "model", **keys))


def models(*without: tuple[str, str], **keys: Any) -> str:
    return "".join(dict.fromkeys(grid(*without, **keys)["y"]))


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ({}, "abcd"),
        ({"sort": {"model": "ascending"}}, "abcd"),
        ({"sort": {"model": "descending"}}, "dcba"),
        ({"sort": {"model": "value"}}, "dacb"),
        ({"sort": {"model": "-value"}}, "bcad"),
        ({"sort": {"model": "config"}, "where": {"model": ["c", "a", "b", "d"]}}, "cabd"),
        ({"sort": {"model": "similarity"}}, "dacb"),
        ({"groups": {"model": GROUPS}}, "cbad"),
        ({"groups": {"model": GROUPS}, "sort": {"model": "-value"}}, "bcad"),
        ({"groups": {"model": GROUPS}, "sort": {"model": "ascending"}}, "bcad"),
    ],
)
def test_an_axis_is_ordered_as_asked(keys: dict[str, Any], order: str) -> None:
    """By name, value, config or likeness; groups first, and within them as listed or as sorted."""
    assert models(**keys) == order


@pytest.mark.parametrize(
    ("sort", "order"),
    [({}, "ab"), ({"model": ["b", "a"]}, "ba"), ({"model": "value"}, "ab"), ({"model": "-value"}, "ba"),
     ({"model": "descending"}, "ba")],
)  # fmt: skip
def test_the_first_block_of_y_is_on_top_where_it_has_a_name(
    sort: dict[str, Any], order: str
) -> None:
    """As values of an axis are: blocks are counted downwards."""
    one = entry("scorer", ["model", "task"], where={"model": ["a", "b"]}, sort=sort)
    assert "".join(dict.fromkeys(grids.aggregate(rows(), one)["model"])) == order


def test_an_order_by_value_is_of_the_cells_that_all_have() -> None:
    """A model that lacks a task is compared on the others; ties stand by name."""
    assert models(("b", "t2"), sort={"model": "value"}) == "adcb"


@pytest.mark.parametrize(
    ("order", "without", "words"),
    [
        ("value", [("a", "t1"), ("b", "t2")], "no cells are there that all have a value of"),
        ("similarity", [("a", "t1")], "1 of 8 cells have no value"),
        (["a", "b", "c"], [], "leaves out 'd'; there are a, b, c, d"),
    ],
)
def test_an_order_that_cannot_be_is_refused(order: Any, without: Any, words: str) -> None:
    """With the key and the reason."""
    with pytest.raises(Error, match=words) as refused:
        grid(*without, sort={"model": order})
    assert refused.value.mistakes[0].place.endswith("figures.f.sort.model")


def test_like_lines_are_neighbours() -> None:
    """Two kinds of lines in turns are set apart, whatever their order; the lower kind first."""
    kinds = np.array([[0.9, 0.1, 0.8], [0.1, 0.4, 0.2]])
    lines = np.array([kinds[n % 2] + n / 1000 for n in range(9)])
    assert ordering.leaves(lines) == [1, 3, 5, 7, 0, 2, 4, 6, 8]
    assert ordering.leaves(lines[:1]) == [0]
    assert ordering.leaves(np.zeros((3, 2))) == [0, 1, 2]
