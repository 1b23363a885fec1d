"""margins: means of rows and columns, set apart from the cells that they are means of."""

import json
import re

import polars as pl
import pytest

from heatproof.charts import colour, theme
from heatproof.export import drawing
from heatproof.kinds.heatmap import cells
from support.heatmaps import TASKS, entry, grid, panels, placed, rows, spec


def means(chart, task="AIME24"):
    return rows(chart, f"means {task}")


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


def test_a_mean_with_a_gap_is_hatched():
    """A row or column that lacks a cell has no mean: it would be one of other settings."""
    hole = pl.when((pl.col("x") == 0.1) & (pl.col("y") == 500)).then(None)
    chart = spec(grid(TASKS[:1], value=hole.otherwise(pl.col("value"))), margins=True)
    found = means(chart)
    assert [n for n, row in enumerate(found) if row["missing"]] == [0, 5]
    words = "set apart: means of rows and columns, hatched where one has a cell without a value"
    assert words in json.dumps(chart)
    assert found[-1]["label"] == ""


TEXT = r'<text text-anchor="(\w+)" transform="translate\(([^,]*),([^)]*)\)"([^>/]*)>([^<]*)<'
PATH = r'<path transform="translate\(([^,]*),([^)]*)\)" d="([^"]*)"([^>]*)>'
PERCENT = {
    (0.1, 500): 10,
    (0.2, 500): 17,
    (0.3, 500): 26,
    (0.1, 1000): 33,
    (0.2, 1000): 41,
    (0.3, 1000): 52,
}


@pytest.mark.parametrize("hole", [False, True])
def test_means_are_drawn_in_line_with_what_they_are_of(hole):
    """Each below its column or beside its row, in its colour or hatched as the cell that lacks."""
    frame = grid(TASKS[:1], [0.1, 0.2, 0.3], [500, 1000], lambda _, y, x: PERCENT[x, y] / 100)
    missing = (pl.col("x") == 0.1) & (pl.col("y") == 500) & pl.lit(hole)
    chart = spec(frame.with_columns(value=pl.when(~missing).then("value")), margins=True)
    svg = drawing.draw(chart).svg
    texts = [(label, side, float(x), float(y), 'font-style="italic"' in style)
             for side, x, y, style, label in re.findall(TEXT, svg)]  # fmt: skip
    at = {label: (x, y) for label, _, x, y, italic in texts if not italic}
    means_at = {label: (x, y) for label, _, x, y, italic in texts if italic and label != "mean"}
    (_, above, x_end, top, _), (_, beside, left, y_end, _) = (t for t in texts if t[0] == "mean")
    assert (above, beside, left) == ("middle", "end", -3)
    below = y_end + 0.64  # as digits of 8 pt stand in the middle of their cells
    assert top > below > at["17.0"][1] > at["41.0"][1]
    assert x_end > at["52.0"][0]
    wanted = {
        "29.0": (at["41.0"][0], below),
        "39.0": (at["52.0"][0], below),
        "42.0": (x_end, at["41.0"][1]),
    }
    if not hole:
        wanted |= {
            "21.5": (at["33.0"][0], below),
            "17.7": (x_end, at["17.0"][1]),
            "29.8": (x_end, below),
        }
    assert means_at.keys() == wanted.keys()
    for label, place in wanted.items():
        assert means_at[label] == pytest.approx(place, abs=0.01), label
    scale = cells.color_scale(rows(chart, "cells AIME24"), entry(), signed=False)
    drawn = [row["value"] for row in means(chart)[:-1] if row["filled"]]
    shades = [colour.rgb(scale.drawn(one)) for one in drawn]
    paths = [(float(x), float(y), d, style) for x, y, d, style in re.findall(PATH, svg)]
    apart = [
        one
        for one in paths
        if one[0] == pytest.approx(x_end, abs=0.01) or one[1] == pytest.approx(below - 2.64)
    ]
    for shade in shades:
        assert sum("rgb({}, {}, {})".format(*shade) in style for *_, style in apart) == 1
    hatched = [(x, y, d) for x, y, d, style in paths if f'fill="{theme.FAINT}"' in style]
    if not hole:
        assert (len(apart), hatched) == (len(shades), [])
        return
    (x, y, hatch), *others = hatched
    assert {d for *_, d in others} == {hatch}
    assert [place[:2] for place in others] == [
        (pytest.approx(x, abs=0.01), pytest.approx(below - 2.64)),
        (pytest.approx(x_end, abs=0.01), pytest.approx(y, abs=0.01)),
    ]


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("scale", ["independent", "shared"])
def test_figures_with_margins_are_no_wider_than_the_page(width, scale):
    """Means take their room from the cells, not from the page; text stays 6 pt or more."""
    made = drawing.draw(spec(grid(), width=width, scale=scale, margins=True))
    assert made.size[0] <= {"single": 237.6, "double": 504}[width] + 1
    assert min(map(float, re.findall(r'size="([\d.]+)px', made.svg))) >= 6
