"""margins: means of rows and columns, set apart from the cells that they are means of."""

import json
import re

import polars as pl
import pytest

from heatproof.charts import colour
from heatproof.export import drawing
from heatproof.kinds.heatmap import cells
from test_heatmap import TASKS, grid, panels, placed, rows, spec


def means(chart, task="AIME24"):
    return rows(chart, f"means {task}")


def test_margins_are_drawn_on_request_only():
    """Without `margins` there are no means, and no word of them."""
    assert "means" not in json.dumps(spec(grid(TASKS[:1])))
    assert "set apart: means of rows and columns" in json.dumps(spec(grid(TASKS[:1]), margins=True))


def test_a_margin_is_the_unweighted_mean_of_the_cells_shown():
    """Each column has its mean, then each row from the bottom, then the panel."""
    chart = spec(
        grid(TASKS[:1], [0.1, 0.2], [500, 1000], lambda _, y, x: x + y / 1e4), margins=True
    )
    found = means(chart)
    assert [row["label"] for row in found] == ["17.5", "27.5", "20.0", "25.0", "22.5"]
    assert [row["filled"] for row in found] == [True] * 4 + [False]


def test_means_stand_beside_their_rows_and_below_their_columns():
    """The marginal row lies under the cells, the column right of them, both inside the panel."""
    chart = spec(grid(TASKS[:1]), margins=True)
    (view,) = panels(chart)
    scale = {axis: placed(view)[axis]["scale"]["range"] for axis in "xy"}
    *found, corner = means(chart)
    below, beside = found[:5], found[5:]
    assert all(scale["y"][0] < row["py"] < view["height"] for row in below)
    assert all(scale["x"][1] < row["px"] < view["width"] for row in beside)
    assert (corner["px"], corner["py"]) == (beside[0]["px"], below[0]["py"])
    assert [row["py"] for row in beside] == sorted((row["py"] for row in beside), reverse=True)


def test_margins_have_the_colours_of_the_cells():
    """Means are drawn on the scale of their own panel, in ink that can be read on it."""
    chart = spec(grid(TASKS[:2]), margins=True)
    svg = drawing.draw(chart).svg
    colours = colour.palette("ylgnbu")
    for task in TASKS[:2]:
        domain = cells.domain(rows(chart, f"cells {task}"))
        for row in means(chart, task)[:-1]:
            shade = colour.drawn(row["value"], domain, colours)
            assert "rgb({}, {}, {})".format(*colour.rgb(shade)) in svg
            assert colour.contrast(row["ink"], shade) >= 4.5


def test_a_mean_with_a_gap_is_hatched():
    """A row or column that lacks a cell has no mean: it would be one of other settings."""
    hole = pl.when((pl.col("x") == 0.1) & (pl.col("y") == 500)).then(None)
    chart = spec(grid(TASKS[:1], value=hole.otherwise(pl.col("value"))), margins=True)
    found = means(chart)
    assert [n for n, row in enumerate(found) if row["missing"]] == [0, 5]
    words = "set apart: means of rows and columns, hatched where one has a cell without a value"
    assert words in json.dumps(chart)
    assert found[-1]["label"] == ""


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("scale", ["independent", "shared"])
def test_figures_with_margins_are_as_wide_as_the_page(width, scale):
    """Means take their room from the cells, not from the page; text stays 6 pt or more."""
    made = drawing.draw(spec(grid(), width=width, scale=scale, margins=True))
    assert made.size[0] == pytest.approx({"single": 237.6, "double": 504}[width], abs=1)
    assert min(map(float, re.findall(r'size="([\d.]+)px', made.svg))) >= 6


def test_means_of_many_cells_have_no_numbers():
    """Where cells are too many for values, means are colours too."""
    frame = grid(["a"], range(35), range(35), lambda _, y, x: x * y / 35**2)
    chart = spec(frame, width="single", margins=True)
    fields = [x.get("encoding", {}).get("text", {}) for x in panels(chart)[0]["layer"]]
    assert {"field": "label", "type": "nominal"} not in fields
    assert drawing.draw(chart).size[0] == pytest.approx(237.6, abs=1)
