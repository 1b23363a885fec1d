"""Grids of panels: a row for each value of a column, a column for each of another."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from heatproof.charts import lettering, theme
from heatproof.export import drawing, svg
from heatproof.gallery import gallery
from heatproof.kinds import api
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import cells, sizing, trace
from test_tasks import entry, samples

if TYPE_CHECKING:
    import polars as pl

    from heatproof.kinds.heatmap.entry import Entry

MODELS, TASKS = ("m1", "m2"), ("t1", "t2", "t3")


@cache
def sweep() -> tuple[dict[str, Any], ...]:
    """2 models × 3 tasks, of which m2 has not run t3, × 2 settings `b` × 2 scorers."""
    return tuple(
        {"model": model, "task": task, "b": b, "scorer": scorer, "sample_id": str(n)}
        | {"score": float(n * (b + m + 1) % (t + 3) < 2), "run": f"{model} {task} {b}"}
        for m, model in enumerate(MODELS)
        for t, task in enumerate(TASKS)
        for b in (1, 2)
        for scorer in ("s", "u")
        for n in range(8)
        if (model, task) != ("m2", "t3")
    )


def grid_entry(**keys: Any) -> Entry:
    return entry("b", "scorer", **({"row": "model", "column": "task"} | keys))


def rows() -> pl.LazyFrame:
    return samples(sweep())


@cache
def drawn(**keys: Any) -> tuple[dict[str, Any], bytes]:
    one = grid_entry(**keys)
    chart = api.part("heatmap", "draw").draw(grids.aggregate(rows(), one), one)
    made = chart.to_dict(validate=True)
    return made, svg.write(drawing.draw(made))


def panels(made: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in made["concat"] if "description" in one]


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


def test_names_and_labels_stand_at_the_edges_alone() -> None:
    """A name over each column and beside each row; labels and titles of axes once."""
    made, picture = drawn()
    words = re.findall(r"<text[^>]*>([^<]*)</text>", picture.decode())
    assert all(words.count(name) == 1 for name in (*MODELS, *TASKS, "B", "Scorer"))
    assert (words.count("s"), words.count("u")) == (2, 2)
    axes = [one["layer"][-1]["encoding"] for one in panels(made)[1:]]
    assert [axis["x"]["axis"] is None for axis in axes] == [True] * 2 + [False] * 3
    assert [axis["y"]["axis"] is None for axis in axes] == [True, True, False, True, True]


def test_a_place_without_records_says_so() -> None:
    """It has no hatches, which no other cell has either; it is read out like all panels."""
    made, _ = drawn()
    empty = panels(made)[-1]
    assert "no record" in texts(empty)
    assert empty["description"] == "m2, t3: no data in any of the 4 cells."
    assert "hatched" not in json.dumps(made)


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
    assert trace.keys(one) == ["model", "task", "b", "scorer"]
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


def test_the_page_knows_panels_by_both_columns() -> None:
    """Panels lie in the order of the cells, each with what picks it for `heatproof trace`."""
    one = grid_entry(names={"model": {"m1": "First"}})
    grid = grids.aggregate(rows(), one)
    found = api.part("heatmap", "evidence").records([rows()], one, grid)
    told = gallery.figure_text(json.loads(json.dumps(found)), one, grid)
    story, (made, picture) = told["story"], drawn()
    assert len(gallery.cell_boxes(made, picture)) == len(story["panels"])
    assert story["panels"][1]["pick"] == [["model", "m1"], ["task", "t2"]]
    assert story["panels"][1]["words"] == "First, t2"
    tallies = [sum(count for _, count in cell.get("tally", [])) for cell in story["cells"]]
    assert tallies == [8] * 20 + [0] * 4
    assert [*told["table"]["columns"][:4]] == ["Model", "Task", "Scorer", "B"]
    assert [*told["table"]["rows"][4]["cells"][:4]] == ["First", "t2", "s", "1"]


def test_numbers_name_row_and_column() -> None:
    """CSV has both columns, LaTeX a head for each panel."""
    one = grid_entry()
    grid, numbers = grids.aggregate(rows(), one), api.part("heatmap", "numbers")
    assert numbers.csv(grid, one).splitlines()[0].startswith("model,task,")
    assert [f"textit{{m2, {task}}}" in numbers.latex(grid, one) for task in TASKS] == [True] * 3


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
    made = api.part("heatmap", "draw").draw(grid, one).to_dict(validate=True)
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


def test_long_names_of_rows_and_columns_take_a_few_lines() -> None:
    """Beyond, their middle is cut, and the whole stands below; all of one figure stay apart."""
    names = ["vendor/model-eight-billion-instruct", "vendor/model-eight-billion-base"]
    found = sizing.named_lines(names, 60.0)
    assert max(map(len, found.lines.values())) <= sizing.NAME_LINES + 1
    assert found.cut == {}
    tight = sizing.named_lines(names, 30.0)
    assert sorted(tight.cut.values()) == sorted(names)
    assert all("…" in short for short in tight.cut)
    assert max(map(len, tight.lines.values())) < len(lettering.wrapped(names[0], 30.0, theme.TITLE))


def test_a_grid_without_room_for_numbers_does_not_name_a_key_that_it_refuses() -> None:
    """`columns` says how `panel` is wrapped; panels of a grid can only be fewer."""
    one = entry("b", "scorer", row="model", column="sample_id", pool=["task"])
    made = api.part("heatmap", "draw").draw(grids.aggregate(rows(), one), one).to_dict()
    assert "fewer panels beside each other give more room" in json.dumps(made["usermeta"])
