"""Grids of panels: a row for each value of a column, a column for each of another."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from heatproof.export import drawing, svg
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import cells
from heatproof.page import gallery
from support.panel_grids import MODELS, TASKS, drawn, grid_entry, panels, rows
from support.tasks import entry


def texts(view: dict[str, Any]) -> list[Any]:
    return [layer["mark"]["text"] for layer in view["layer"] if "text" in layer["mark"]]


def test_a_cell_of_a_grid_is_that_of_its_model_alone() -> None:
    """Rows of panels come first, then columns; numbers are those of a figure of one model."""
    found = grids.aggregate(rows(), grid_entry())
    pairs = [*dict.fromkeys(found.select("model", "task").iter_rows())]
    assert pairs == [(model, task) for model in MODELS for task in TASKS]
    alone = grids.aggregate(rows(), entry("b", "scorer", panel="task", where={"model": "m1"}))
    told = [name for name in alone.columns if name not in ("task", "peers")]
    assert found.filter(model="m1").select(told).equals(alone.select(told), null_equal=True)
    lost = found.filter(model="m2", task="t3")
    assert [*lost["gap"]] == ["no data"] * 4


@pytest.mark.parametrize(
    ("scale", "bars", "high"),
    [("independent", 4, 1), ("row", 2, 1), ("column", 3, 2), ("shared", 1, 2)],
)
def test_what_is_coloured_alike_has_one_bar(scale: str, bars: int, high: int) -> None:
    """A bar for each panel whose values differ, each row, each column or all; as high as what it is of."""
    made, _ = drawn(scale=scale)
    names = {name for name in made["datasets"] if name.startswith("colours")}
    found = [one for one in made["concat"] if one.get("data", {}).get("name") in names]
    assert len(found) == len(names) == bars
    heights = {one["layer"][0]["encoding"]["y"]["scale"]["range"][0] for one in found}
    box = panels(made)[0]["height"]
    least, most = (0, 1) if high == 1 else (2, 5)
    assert all(box * least < height <= box * most for height in heights)


def test_panels_of_one_scale_have_one_domain() -> None:
    """By row, all panels of a model have its lowest and highest value at the ends."""
    made, _ = drawn(scale="row")
    domains = [
        tuple(layer["encoding"]["color"]["scale"]["domain"])
        for one in panels(made)
        for layer in one["layer"]
        if "color" in layer.get("encoding", {})
    ]
    values: dict[str, list[float]] = {model: [] for model in MODELS}
    for name, data in made["datasets"].items():
        if name.startswith("cells"):
            values[data[0]["panel"][0]] += [row["value"] for row in data if not row["missing"]]
    ends = [(min(found), max(found)) for found in values.values()]
    assert [(one[0], one[-1]) for one in domains] == [ends[0]] * 3 + [ends[1]] * 2


def test_a_cell_is_traced_by_both_columns() -> None:
    """`heatproof trace` asks for row and column; each cell of the figure is counted alike."""
    one = grid_entry()
    grid = grids.aggregate(rows(), one)
    at = {"model": "m2", "task": "t1", "b": "2", "scorer": "u"}
    found = trace.behind(rows(), grid, one, at)
    assert (found.agrees, found.samples) == (True, 8)
    told = [*trace.recounted(rows(), grid, one)]
    assert len(told) == len(grid)
    assert all(agrees for *_, agrees in told)


def test_a_mean_over_tasks_in_a_grid_is_counted_alike() -> None:
    """What a panel should hold is asked of that panel alone, whose model and setting are given."""
    one = entry("scorer", "epoch", row="b", column="model", mean_over="task")
    told = [*trace.recounted(rows(), grids.aggregate(rows(), one), one)]
    assert len(told) == 8
    assert all(value is not None and agrees for _, value, _, agrees in told)


@pytest.mark.parametrize(
    ("keys", "shape"),
    [
        ({"column": None, "where": {"task": "t1"}}, (1, 2)),
        ({"row": None, "where": {"model": "m1"}}, (3, 1)),
    ],
)
def test_either_alone_is_a_row_or_a_column(keys: dict[str, Any], shape: tuple[int, int]) -> None:
    """With `row` alone panels lie below each other, with `column` beside."""
    one = grid_entry(**keys)
    grid = grids.aggregate(rows(), one)
    made = api.kind("heatmap").draw(grid, one).to_dict(validate=True)
    found = gallery.cell_boxes(made, svg.write(drawing.draw(made)))
    assert tuple(len({box[at] for box in found}) for at in (0, 1)) == shape


@pytest.mark.parametrize(
    ("style", "number", "wanted"),
    [("a", 0, "a"), ("(a)", 1, "(b)"), ("A.", 25, "Z."), ("a)", 26, "aa)"), ("A", 53, "BB")],
)
def test_a_letter_has_the_style_that_is_given(style: str, number: int, wanted: str) -> None:
    """After z come aa, ab."""
    assert cells.lettered(number, style) == wanted


def test_each_panel_has_its_letter() -> None:
    """Before the name at the top of a grid, alone over the others; read out before the panel."""
    made, picture = drawn(letters="(a)")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", picture.decode())
    assert "(b)\u00a0\u00a0t2" in words
    assert [word for word in words if re.fullmatch(r"\([d-f]\)", word)] == ["(d)", "(e)", "(f)"]
    assert panels(made)[4]["description"].startswith("(e): m2, t2: ")


def test_a_grid_without_room_for_numbers_does_not_name_a_key_that_it_refuses() -> None:
    """`columns` says how `panel` is wrapped; panels of a grid can only be fewer."""
    one = entry("b", "scorer", row="model", column="sample_id", pool=["task"])
    made = api.kind("heatmap").draw(grids.aggregate(rows(), one), one).to_dict()
    assert "fewer panels beside each other give more room" in json.dumps(made["usermeta"])
