"""Orders of rows and columns, by words and by values, and groups of them."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import lettered
from heatproof.charts import spec
from heatproof.export import drawing
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import ordering
from heatproof.kinds.heatmap.layout import GROUPS_APART, Needs, solve
from heatproof.util.errors import Error
from support import heatmaps
from support.tasks import entry, samples

if TYPE_CHECKING:
    import polars as pl

RIGHT = {"a": (1, 4), "b": (8, 7), "c": (5, 5), "d": (1, 3)}
"""Of ten problems of t1 and t2 those that each model has right: means 25, 75, 50, 20 %."""


def rows(*without: tuple[str, str]) -> pl.LazyFrame:
    return samples(
        {"model": model, "task": task, "sample_id": str(n), "score": float(n < right)}
        | {"run": f"{model} {task}"}
        for model, told in RIGHT.items()
        for task, right in zip(("t1", "t2"), told, strict=True)
        for n in range(10)
        if (model, task) not in without
    )


def grid(*without: tuple[str, str], **keys: Any) -> pl.DataFrame:
    return grids.aggregate(rows(*without), entry("task", "model", **keys))


def models(*without: tuple[str, str], **keys: Any) -> str:
    return "".join(dict.fromkeys(grid(*without, **keys)["y"]))


GROUPS = {"Closed": ["c", "b"], "Open": ["a"]}


@pytest.mark.parametrize(
    ("keys", "wanted"),
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
def test_an_axis_is_ordered_as_asked(keys: dict[str, Any], wanted: str) -> None:
    """By name, value, config or likeness; groups first, and within them as listed or as sorted."""
    assert models(**keys) == wanted


def test_an_order_by_value_moves_cells_with_their_numbers() -> None:
    """The same cells in another order, counted alike by the witness; columns are ordered, too."""
    one = entry("task", "model", sort={"model": "value", "task": "-value"})
    plain, found = grid(), grids.aggregate(rows(), one)
    assert [*dict.fromkeys(found["x"])] == ["t2", "t1"]
    key = ["y", "x"]
    assert found.drop("peers").sort(key).equals(plain.drop("peers").sort(key), null_equal=True)
    assert all(agrees for *_, agrees in trace.recounted(rows(), found, one))


def test_an_order_by_value_is_of_the_cells_that_all_have() -> None:
    """A model that lacks a task is compared on the others; ties stand by name."""
    assert models(("b", "t2"), sort={"model": "value"}) == "adcb"


@pytest.mark.parametrize(
    ("order", "without", "said"),
    [
        ("value", [("a", "t1"), ("b", "t2")], "no cells are there that all have a value of"),
        ("similarity", [("a", "t1")], "1 of 8 cells have no value"),
    ],
)
def test_an_order_that_cannot_be_told_is_refused(
    order: str, without: list[tuple[str, str]], said: str
) -> None:
    """With the key and the reason."""
    with pytest.raises(Error, match=said) as told:
        grid(*without, sort={"model": order})
    assert f"figures.f.sort.model: {order!r}" in str(told.value)


def test_like_lines_are_neighbours() -> None:
    """Two kinds of lines in turns are set apart, whatever their order; the lower kind first."""
    kinds = np.array([[0.9, 0.1, 0.8], [0.1, 0.4, 0.2]])
    lines = np.array([kinds[n % 2] + n / 1000 for n in range(9)])
    assert ordering.leaves(lines) == [1, 3, 5, 7, 0, 2, 4, 6, 8]
    assert ordering.leaves(lines[:1]) == [0]
    assert ordering.leaves(np.zeros((3, 2))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"sort": {"model": "value"}, "groups": {"task": {"A": ["t1"]}}}, []),
        (
            {"sort": {"epoch": "value"}},
            [".sort.epoch: no axis and no panel is of it; there are model, task"],
        ),
        ({"sort": {"model": "config"}}, [".sort.model: 'config': where.model lists no values"]),
        (
            {"groups": {"epoch": {"A": [1]}}},
            [".groups.epoch: groups stand along x or y; there are task, model"],
        ),
        ({"groups": {"model": {"A": []}}}, [".groups.model.A: lists no value"]),
        ({"groups": {"model": {"": ["a"]}}}, [".groups.model: a group has no label"]),
        (
            {"groups": {"model": {"A": ["a"], "B": ["a"]}}},
            [".groups.model: 'a' stands there twice"],
        ),
        (
            {"groups": {"model": {"A": ["a"]}}, "sort": {"model": ["a"]}},
            [".sort.model: groups.model gives the order; take one of them out"],
        ),
    ],
)
def test_orders_that_cannot_be_are_told(keys: dict[str, Any], said: list[str]) -> None:
    """Before any job, with the key."""
    assert entry("task", "model", **keys).mistakes() == said


def test_values_of_groups_must_be_there() -> None:
    """A misspelt value is looked for as those of `where` are."""
    one = entry("task", "model", groups={"model": GROUPS})
    assert one.wanted()["groups.model.Open"] == ("model", ["a"])
    assert one.used()["groups.model"] == "model"


def test_a_gap_lies_between_groups() -> None:
    """Cells keep their size; the panel is wider by the gaps, and the page too."""
    plain = Needs(504, 1, (4, 3), (14, 9), 28, 28)
    apart = Needs(504, 1, (4, 3), (14, 9), 28, 28, gaps=((1, 3), (2,)))
    found, other = solve(apart), solve(plain)
    assert found.step == (
        pytest.approx(other.step[0], abs=0.3),
        pytest.approx(other.step[1], abs=0.3),
    )
    assert found.panel[0] - other.panel[0] == 2 * GROUPS_APART
    assert found.shifts(0) == [0, GROUPS_APART, GROUPS_APART, 2 * GROUPS_APART]


def test_cells_beside_means_are_found_where_they_are_drawn() -> None:
    """Means take a part of a panel, and no cell is opened there."""
    one = entry("task", "model", margins=True)
    chart = api.kind("heatmap").draw(grids.aggregate(rows(), one), one)
    view, places = (
        chart.to_dict()["concat"][0],
        json.loads(spec.text(chart, {}))["usermeta"]["places"],
    )
    left, top, wide, high = places[1]
    assert left + wide < view["width"] - wide
    assert top + high < view["height"] - high


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("tasks", [1, 2, 4])
@pytest.mark.parametrize(("across", "up"), [(5, 4), (8, 2), (6, 3)])
def test_labels_of_groups_along_both_axes_lie_apart(
    across: int, up: int, tasks: int, width: str
) -> None:
    """From each other, from the title of their axis and from the next panel: all on the page."""
    x, y = ([n * step for n in range(1, cells + 1)] for cells, step in ((across, 0.1), (up, 500)))
    groups = {
        "ratio": {"Reasoning models": x[: across // 2], "Chat": x[across // 2 :]},
        "local_window": {
            "Models with open weights": y[: up // 2],
            "Proprietary models behind an API": y[up // 2 :],
        },
    }
    frame = heatmaps.grid(heatmaps.TASKS[:tasks], x, y)
    drawn = drawing.draw(heatmaps.spec(frame, groups=groups, width=width, title="")).svg
    texts, (wide, high) = lettered.texts(drawn), lettered.page(drawn)
    for one in texts:
        assert one.left > -0.5, one.text
        assert one.top > -0.5, one.text
        assert one.right < wide + 0.5, one.text
        assert one.bottom < high + 0.5, one.text
    overlapping = [
        (one.text, other.text)
        for one, other in combinations(texts, 2)
        if min(one.right, other.right) - max(one.left, other.left) > 0.3
        and min(one.bottom, other.bottom) - max(one.top, other.top) > 0.3
    ]
    assert overlapping == []
