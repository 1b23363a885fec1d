"""Nested axes: one strip of blocks of cells, which brackets beyond the labels of an axis name."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from heatproof.charts import theme
from heatproof.export import drawing, svg
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from support.panel_grids import TASKS, rows, sweep
from support.tasks import entry, samples


@cache
def drawn(x: Any, y: Any, model: str = "", **keys: Any) -> tuple[dict[str, Any], bytes]:
    """The spec of a strip of the sweep, checked against the schema, and its SVG."""
    one = strip(x, y, where={"model": model} if model else {}, **keys)
    chart = api.kind("heatmap").draw(grids.aggregate(rows(), one), one)
    made = chart.to_dict(validate=True)
    return made, svg.write(drawing.draw(made))


def strip(x: Any, y: Any, **keys: Any) -> Any:
    return entry(*(list(one) if isinstance(one, tuple) else one for one in (x, y)), **keys)


def words(picture: bytes) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.decode())


def lines(made: dict[str, Any]) -> list[dict[str, float]]:
    """The marks of brackets: thin rectangles, in the first chart."""
    marks = (layer["mark"] for layer in made["concat"][0]["layer"])
    return [mark for mark in marks if mark.get("fill") == theme.INK and mark["type"] == "rect"]


@pytest.mark.parametrize(
    ("axes", "keys"),
    [
        ((["task", "b"], "scorer"), {"column": "task", "where": {"model": "m1"}}),
        ((["model", "task", "b"], "scorer"), {}),
        ((["task", "b"], ["model", "scorer"]), {"row": "model", "column": "task"}),
    ],
)
def test_a_block_is_judged_as_a_panel_of_its_own(axes: Any, keys: dict[str, Any]) -> None:
    """Value, interval, best and tied set are those of a figure of the block alone."""
    where = {"where": keys.get("where", {})}
    grid = grids.aggregate(rows(), entry(*axes, **where))
    told = ["x", "y", "value", "samples", "se", "low", "high", "best", "tied", "chance_p"]
    for model in {*grid["model"]} if "model" in grid.columns else ["m1"]:
        for task in TASKS:
            alone = entry("b", "scorer", where={"model": model, "task": task})
            if (model, task) == ("m2", "t3"):
                continue
            here = grid.filter(task=task)
            here = here.filter(model=model) if "model" in grid.columns else here
            assert here.select(told).equals(
                grids.aggregate(rows(), alone).select(told), null_equal=True
            )


@pytest.mark.parametrize(
    ("sort", "found"),
    [({}, "m2 m1"), ({"model": ["m2", "m1"]}, "m1 m2"), ({"model": "value"}, "m2 m1"),
     ({"model": "-value"}, "m1 m2"), ({"model": "descending"}, "m1 m2")],
)  # fmt: skip
def test_the_first_block_of_y_is_the_lowest(sort: dict[str, Any], found: str) -> None:
    """As values of an axis are: blocks are counted downwards, so the last comes first."""
    one = strip("b", ("model", "scorer"), where={"task": "t1"}, sort=sort)
    assert [*dict.fromkeys(grids.aggregate(rows(), one)["model"])] == found.split()


def strip_of_many(x: Any = "b", y: Any = ("task", "model"), **keys: Any) -> dict[str, Any]:
    one = strip(x, y, **keys)
    chart = api.kind("heatmap").draw(grids.aggregate(many(), one), one)
    made: dict[str, Any] = chart.to_dict()
    return made


def many() -> Any:
    """2 models on 2 tasks of 40 problems, of which the second is easier with the larger `b`."""
    return samples(
        {"model": m, "task": t, "b": b, "sample_id": str(n), "run": f"{m} {t} {b}"}
        | {"score": float((n + b) % 7 < (3 * b if t == "t2" else 3))}
        for m in ("a", "c")
        for t in ("t1", "t2")
        for b in (1, 2)
        for n in range(40)
    )


def test_a_cell_answers_with_its_block() -> None:
    """Tooltip and what is read out name the task, which stands far from the cell."""
    made, picture = drawn(("task", "b"), "scorer", "m1")
    assert "Task t2, B 1, Scorer s: Pass@1 (%)" in picture.decode()
    assert "datum.panel[0]" in json.dumps(made["concat"][0]["layer"])


def test_cells_of_blocks_are_traced_and_counted() -> None:
    """`heatproof trace` asks for all columns; a wrong value is found."""
    one = strip(("task", "b"), ("model", "scorer"))
    grid = grids.aggregate(rows(), one)
    found = [*trace.recounted(rows(), grid, one)]
    assert len(found) == len(grid)
    assert all(agrees for *_, agrees in found)
    wrong = grid.with_columns(value=grid["value"] + 0.25)
    assert not any(agrees for _, value, _, agrees in trace.recounted(rows(), wrong, one) if value)


@pytest.mark.parametrize(("keys", "there"), [({}, False), ({"ruler": True}, True)])
def test_blocks_that_are_narrow_have_no_rulers(keys: dict[str, Any], there: bool) -> None:
    """They would be shorter than their numbers, unless the user wants them all the same."""
    made = strip_of_many(("task", "b"), "model", width="1in", **keys)
    assert ('"spread"' in json.dumps(made["concat"])) == there


BESIDE = "beside nested axes (encoding.x): they make the blocks of one strip; put"
OF_PANELS = "it is of panels, and nested axes (encoding.x) make blocks of one strip"


@pytest.mark.parametrize(
    ("x", "keys", "said"),
    [
        ("", {}, "encoding.x: lists no columns; there may be 1 to 3"),
        ("task b model run", {}, "encoding.x: lists 4 columns; there may be 1 to 3"),
        ("task task", {}, "encoding.x[0]: 'task' is encoding.x[1] already"),
        (
            "task b",
            {"panel": "model"},
            f"panel: 'model' {BESIDE} 'model' in the list, or take one of them out",
        ),
        ("task b", {"letters": "a"}, f"letters: 'a': {OF_PANELS}"),
        ("task b", {"columns": 2}, f"columns: 2: {OF_PANELS}"),
        (
            "task b",
            {"scale": "row"},
            "scale: 'row': encoding.y lists no second column to part it into them",
        ),
        ("task b", {"scale": "column"}, None),
        ("b", {"panel": "task"}, None),
    ],
)
def test_what_does_not_go_with_a_strip_is_refused(x: str, keys: Any, said: str | None) -> None:
    """With its key and what to do; a list of one column is that column."""
    assert strip(tuple(x.split()), "scorer", **keys).mistakes() == ([f".{said}"] if said else [])


def test_columns_of_a_list_are_looked_for_by_their_place() -> None:
    """An empty list names none."""
    assert strip(("task", "b"), "scorer").used() == {
        "encoding.x[1]": "b", "encoding.y": "scorer", "encoding.x[0]": "task",
    }  # fmt: skip
    assert strip((), "scorer").used() == {"encoding.y": "scorer"}


def test_a_strip_stands_beside_a_baseline() -> None:
    """Each block is compared with the same block of the baseline."""
    one = strip(("task", "b"), "scorer", where={"model": "m1"}, relative_to={"b": 1})
    beside = entry("b", "scorer", where={"model": "m1"}, column="task", relative_to={"b": 1})
    grid = grids.aggregate(rows(), one)
    assert grid.equals(grids.aggregate(rows(), beside), null_equal=True)
    said = " ".join(api.kind("heatmap").caption(grid, one))
    assert "all cells of each block together" in said


def test_the_sweep_is_what_the_tests_take_it_for() -> None:
    """Two models, one of which has not run one of three tasks."""
    assert len({(row["model"], row["task"]) for row in sweep()}) == 5
