"""Orders of rows and columns, groups of them, and cells that stand blank in them."""

from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

from heatproof.kinds import api, states
from heatproof.kinds import trace as traces
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import ordering
from heatproof.util.errors import Error
from support.samples import heat, table
from support.tasks import entry, samples, sweep

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
        ({"sort": {"model": "value"}}, "bcad"),
        ({"sort": {"model": "-value"}}, "dacb"),
        ({"sort": {"model": "value"}, "best": "lowest"}, "dacb"),
        ({"sort": {"model": "config"}, "where": {"model": ["c", "a", "b", "d"]}}, "cabd"),
        ({"sort": {"model": "similarity"}}, "dacb"),
        ({"groups": {"model": GROUPS}}, "cbad"),
        ({"groups": {"model": GROUPS}, "sort": {"model": "-value"}}, "cbad"),
        ({"groups": {"model": GROUPS}, "sort": {"model": "ascending"}}, "bcad"),
    ],
)
def test_an_axis_is_ordered_as_asked(keys: dict[str, Any], order: str) -> None:
    """By name, value, config or likeness; groups first, and within them as listed or as sorted."""
    assert models(**keys) == order


@pytest.mark.parametrize(
    ("keys", "names", "numbers"),
    [
        ({}, "abcd", [3, 2, 1, 0]),
        ({"sort": {"model": "-value", "b": "value"}}, "bcad", [1, 2, 0, 3]),
    ],
)
def test_blocks_of_names_run_from_the_top_and_those_of_numbers_rise(
    keys: dict[str, Any], names: str, numbers: list[int]
) -> None:
    """Blocks are counted downwards: the first of the names is on top, the first number lowest."""
    frame = rows().with_columns(b=pl.col("model").replace_strict({"a": 0, "b": 1, "c": 2, "d": 3}))
    for name, order in (("model", [*names]), ("b", numbers)):
        blocks = grids.aggregate(frame, entry("task", [name, "scorer"], **keys))
        assert list(dict.fromkeys(blocks[name])) == order


def test_an_order_by_value_is_of_the_cells_that_all_have() -> None:
    """A model that lacks a task is compared on the others; ties stand by name."""
    assert models(("b", "t2"), sort={"model": "value"}) == "bcad"


def test_a_square_of_games_is_sorted_though_no_model_meets_itself() -> None:
    """The best on top, and its column first: each by the games that it has."""
    strength = {"a": 2, "b": 0, "c": 3, "d": 1}
    games = []
    for number, (model, opponent) in enumerate(permutations("abcd", 2)):
        names = {"model": model, "opponent": opponent, "sample_id": f"{number}", "run": model}
        games.append(names | {"score": float(strength[model] > strength[opponent])})
    order = {"sort": {"model": "value", "opponent": "value"}}
    square = grids.aggregate(
        table(games, {"opponent": "str"}).lazy(),
        heat("opponent", "model", "mean(score)", opponent="opponent", **order),
    )
    assert "".join(dict.fromkeys(square["y"])) == "cadb"
    assert "".join(dict.fromkeys(square["x"])) == "cadb"


@pytest.mark.parametrize(
    ("order", "without", "words"),
    [
        ("value", [("a", "t1"), ("b", "t2")], "there are no cells in which all have a value"),
        ("similarity", [("a", "t1")], "1 of 8 cells have no value"),
        (["a", "b", "c"], [], "leaves out 'd'; there are a, b, c, d"),
    ],
)
def test_an_order_that_cannot_be_is_refused(order: Any, without: Any, words: str) -> None:
    """With the key and the reason."""
    with pytest.raises(Error, match=words) as refused:
        grid(*without, sort={"model": order})
    assert refused.value.mistakes[0].place.endswith("figures.f.sort.model")


ACCESS = {"a": "open", "b": "closed", "c": "closed", "d": None}


@pytest.mark.parametrize(("sort", "order"), [(None, "bcad"), (["open", "closed"], "abcd")])
def test_a_column_gives_the_groups(sort: Any, order: str) -> None:
    """In the order of its values, or as listed; its means are those of the cells of a group."""
    frame = rows().with_columns(access=pl.col("model").replace_strict(ACCESS))
    keys = {"groups": {"model": "access"}, "margins": ["groups", "task"]}
    figure = entry("task", "model", **keys, **({"sort": {"access": sort}} if sort else {}))
    grid = grids.aggregate(frame, figure)
    assert "".join(dict.fromkeys(grid["y"])) == order
    assert dict(zip(grid["y"], grid["group_y"], strict=True)) == ACCESS
    lines = [line.split(r" \\")[0] for line in api.kind("heatmap").latex(grid, figure).splitlines()]
    means = [[cell.split("\\,")[0] for cell in line.split(" & ")] for line in lines]
    assert ["mean", "65.0", "60.0", "62.5"] in means  # of b, with 8 and 7 of ten right, and c
    assert sum(line[0] == "mean" for line in means) == 1  # a group of one has no mean
    assert [line[-1] for line in means if line[0] == "d"] == ["20.0"]
    both = frame.with_columns(access=pl.col("task"))
    with pytest.raises(Error, match=r"groups\.model: 'a' has 2 values of 'access' \(t1, t2\)"):
        grids.aggregate(both, figure)


def test_like_lines_are_neighbours() -> None:
    """Two kinds of lines in turns are set apart, whatever their order; the lower kind first."""
    kinds = np.array([[0.9, 0.1, 0.8], [0.1, 0.4, 0.2]])
    lines = np.array([kinds[n % 2] + n / 1000 for n in range(9)])
    assert ordering.leaves(lines) == [1, 3, 5, 7, 0, 2, 4, 6, 8]
    assert ordering.leaves(lines[:1]) == [0]
    assert ordering.leaves(np.zeros((3, 2))) == [0, 1, 2]


def test_the_witness_does_not_confirm_an_empty_cell_with_records() -> None:
    """Neither one that is called "no data" nor one whose records give a number."""
    table, figure = samples(sweep()), entry("task", "model")
    whole = grids.aggregate(table, figure)
    first = pl.int_range(pl.len()) == 0
    for words in (states.NOTHING, states.BEGUN, None):
        keep = pl.when(~first)
        forged = whole.with_columns(
            keep.then("value").alias("value"),
            keep.then("gap").otherwise(pl.lit(words)).alias("gap"),
        )
        agreement = [agrees for *_, agrees in traces.recounted(table, forged, figure)]
        assert agreement == [False, True, True, True, True, True]
        assert not traces.behind(table, forged, figure, {"task": "t1", "model": "a"}).agrees
    lost = samples(row for row in sweep() if (row["model"], row["task"]) != ("a", "t1"))
    mean = entry("b", "model", mean_over="task")
    grid = grids.aggregate(lost, mean).with_columns(gap=pl.lit(states.NOTHING))
    assert [agrees for *_, agrees in traces.recounted(lost, grid, mean)] == [False, True]


@pytest.mark.parametrize("turned", [False, True])
def test_a_blank_cell_is_of_the_task_of_its_line_in_its_own_panel(turned: bool) -> None:
    """Panels may have other tasks on the same line: what is expected of a blank cell is its own."""
    tasks = ("t1", "t2", "t2", "t1", "t1", "t1")
    of = dict(zip(product("abc", (0, 1)), tasks, strict=True))
    rows = [
        {"model": model, "b": b, "x": x, "task": task, "sample_id": f"{n}", "score": float(n > b)}
        for (model, b), task in of.items()
        for x in range(3)
        for n in range({"t1": 3, "t2": 5}[task])
        if (model, b, x) not in {("a", 0, 2), ("b", 0, 1), ("c", 1, 0), ("b", 1, 2)}
    ]
    rows = [{k: v for k, v in row.items() if k != "x"} | {"scorer": f"s{row['x']}"} for row in rows]
    axes = ("b", "scorer") if turned else ("scorer", "b")
    grid = grids.aggregate(samples(rows), entry(*axes, panel="model"))
    grid = grid.rename({"x": "y", "y": "x"}).sort("model", "y", "x") if turned else grid
    sizes = [{"t1": 3, "t2": 5}[of[model, b]] for model in "abc" for b in (0, 1) for _ in range(3)]
    assert grid["expected"].to_list() == sizes
    blank = grid.filter(pl.col("value").is_null())
    assert blank.select("model", "y", "x").rows() == [
        ("a", 0, "s2"), ("b", 0, "s1"), ("b", 1, "s2"), ("c", 1, "s0"),
    ]  # fmt: skip
    assert set(blank["gap"]) == {states.NOTHING}
