"""What each kind of one file has of its own: axes, greys, fronts, tables that fit."""

from __future__ import annotations

import json
import random
import re
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from heatproof.charts import quantity, spec, theme
from heatproof.charts.lettering import text_width
from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api, forest, line, scatter, table
from heatproof.kinds.scatter import HALF, Spot, doubtful, unbeaten
from heatproof.kinds.table import BELOW, BESIDE, DASH, NOT
from heatproof.util.errors import Error
from support.toys import sweep, words
from support.views import ENTRIES, draw, entry, grid

WIDTHS = ["nature", "double", "2.5in"]
ONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ENTRIES)
def test_a_figure_has_the_width_of_its_column(kind: str, width: str) -> None:
    """To the pt, whatever it shows."""
    for keys in ({}, ONE, {"color": True} if kind == "table" else {}):
        figure = entry(kind, width=width, **keys)
        assert drawing.draw(draw(figure)).size[0] == venues.width(width)


# ------------------------------------------------------------------------------------------- line


def test_scales_that_do_not_go_with_a_column_are_refused() -> None:
    """A log axis of names, before any job; numbers along x are sorted only as names."""
    encoding = {"x": "prompt", "y": "pass@1", "color": "window"}
    (mistake,) = entry("line", encoding=encoding, x_scale="log").mistyped({"prompt": "str"})
    assert mistake.place == ".x_scale"
    types: Any = {"ratio": "float"}
    (mistake,) = entry("line", sort={"ratio": [0.2, 0.1]}).mistyped(types)
    assert mistake.place == ".sort.ratio"
    ordinal = entry("line", sort={"ratio": "descending"}, x_scale="ordinal")
    assert ordinal.mistyped(types) == []
    assert [*line.points_of(grid(ordinal), ordinal).x] == [0.3, 0.2, 0.1]


def test_a_log_axis_holds_no_zero() -> None:
    """The value and where it lies are named."""
    figure = entry("line", y_scale="log")
    with pytest.raises(Error, match=r"\.y_scale: 0\.0 \(x 0\.1, 5\) has no place on a log axis"):
        draw(figure, grid(figure).with_columns(value=pl.lit(0.0)))
    with pytest.raises(Error, match=r"\.x_scale: ratio=0.0 has no place on a log axis"):
        draw(entry("line", x_scale="log"), grid(figure).with_columns(x=pl.col("x") - 0.1))
    figure = entry("forest", scale="log")
    with pytest.raises(Error, match=r"scale: 0\.0 \(.*\) has no place on a log axis"):
        draw(figure, grid(figure).with_columns(value=0.0 * pl.col("value")))


@pytest.mark.parametrize("largest", [1_000, 1_000_000_000])
def test_the_last_label_of_x_stays_in_the_figure(largest: int) -> None:
    """A long number below the last point of the last panel takes room from the panels."""
    last = pl.col("window") == sweep()["window"].max()
    samples = sweep().with_columns(window=pl.when(last).then(largest).otherwise("window"))
    figure = entry("line", encoding={"x": "window", "y": "pass@1", "color": "ratio"})
    cells = api.kind("line").aggregate(samples.lazy(), figure)
    layout = line.lay_out(line.points_of(cells, figure), figure)
    sheet, columns = layout.sheet, layout.columns
    reach = sheet.left + columns * layout.size[0] + (columns - 1) * sheet.gap
    assert isinstance(layout.x, quantity.Quantity)
    assert reach + layout.x.overhang <= sheet.width


# ----------------------------------------------------------------------------------------- forest


@pytest.mark.parametrize(("best", "sign"), [("highest", -1), ("lowest", 1)])
def test_rows_stand_by_value_with_one_standard_error_to_each_side(best: str, sign: int) -> None:
    """The best first; or as the config sorts them."""
    figure = entry("forest", best=best, uncertainty="se")
    for rows in forest.rows_of(grid(figure), figure)[0].values():
        values = [sign * row["value"] for row in rows]
        assert values == sorted(values)
        for row in rows:
            ends = [row["value"] - row["se"], row["value"] + row["se"]]
            assert [row["lower"], row["upper"]] == ends
    figure = entry("forest", sort={"window": [10, 5]})
    first = next(iter(forest.rows_of(grid(figure), figure)[0].values()))
    assert [row["y"] for row in first] == ["10"] * 3 + ["5"] * 3


def test_what_is_told_apart_from_the_best_is_grey() -> None:
    """As the grid has it."""
    figure = entry("forest")
    cells = grid(figure)
    peers = cells["peers"].drop_nulls()[0]
    best = (pl.col("x") == 0.1) & (pl.col("y") == 5)
    marked = cells.with_columns(
        tied=pl.when(peers=peers).then(pl.col("x") == 0.1).otherwise("tied"),
        best=pl.when(peers=peers).then(best).otherwise("best"),
    )
    panels, _ = forest.rows_of(marked, figure)
    colours = {row["cell"]: row["colour"] for rows in panels.values() for row in rows}
    for n, cell in enumerate(marked.iter_rows(named=True)):
        if cell["peers"] == peers:
            assert colours[n] == (theme.INK if cell["tied"] or cell["best"] else theme.LINE)


def test_pairs_without_a_record_are_counted_and_others_shown() -> None:
    """What was never run has no row; what has records but no value has one with the reason, last."""
    figure = entry("forest")
    panels, hidden = forest.rows_of(grid(figure), figure)
    assert (hidden, sum(map(len, panels.values()))) == (1, 11)
    lost = pl.col("x") == 0.1
    cells = grid(figure).with_columns(
        *(pl.when(~lost).then(name).alias(name) for name in ("value", "low", "high")),
        gap=pl.when(lost).then(pl.lit("incomplete: no value")).otherwise("gap"),
    )
    last = next(iter(forest.rows_of(cells, figure)[0].values()))[-1]
    assert (last["missing"], last["gap"]) == (True, "incomplete: no value")
    assert r"& -- & -- & --" in api.kind("forest").latex(cells, figure)


# ------------------------------------------------------------------------------------------ table


def test_cells_without_a_value_are_dashes_with_their_reason() -> None:
    """In the picture and in LaTeX; the mean of their row is one too."""
    figure = entry("table", margins=True)
    _, second = table.blocks_of(grid(figure), figure).parts
    assert [row["shown"] for row in second.rows].count(DASH) == 1
    assert second.means["10"] == DASH
    assert re.fullmatch(r"\d+\.\d", second.means["5"])
    assert f"{DASH}: no data" in str(draw(figure))
    assert "& -- & " in api.kind("table").latex(grid(figure), figure)


@pytest.mark.parametrize("width", ["187pt", "213pt"])
def test_a_table_is_no_wider_than_the_config_says(width: str) -> None:
    """As Vega draws it, which rounds up each part; in widths that it fills."""
    figure = entry("table", width=width, margins=True, color=True)
    text = spec.text(api.kind("table").draw(grid(figure), figure), {"figure": "f", "entry": {}})
    assert drawing.draw(json.loads(text)).size[0] <= venues.width(width)


@pytest.mark.parametrize(
    ("width", "names", "place", "turned"),
    [("double", "", BESIDE, False), ("1.4in", "", BELOW, False),
     ("1.4in", "quite a longer-name", BELOW, True), ("1.1in", "", NOT, True)],
)  # fmt: skip
def test_uncertainties_stand_where_there_is_room(
    width: str, names: str, place: str, turned: bool
) -> None:
    """Beside the numbers, else below them, else not at all, which is told; names turn before."""
    labels = {"ratio": {str(r): f"{names}{r}" for r in (0.1, 0.2, 0.3)}} if names else {}
    figure = entry("table", **ONE, width=width, names=labels)
    layout = table.lay_out(table.blocks_of(grid(figure), figure), figure)
    assert (layout.spread, layout.turned) == (place, turned)
    omitted = draw(figure)["usermeta"].get("omitted", [])
    left_out = any("`uncertainty: se` beside its numbers" in line for line in omitted)
    assert left_out == (place == NOT)


# ---------------------------------------------------------------------------------------- scatter

COSTS = {"x_value": [3.0, 1.0, 2.0, 2.0, 5.0, 4.0], "value": [0.2, 0.1, 0.5, 0.5, 0.4, 0.9]}
ON = [False, True, True, True, False, True]
"""Of these the points that no other beats: the third and the fourth are the same."""


def spot(x: float, y: float, around: float = 0.0) -> Spot:
    """A point with intervals of the same width in both."""
    return Spot(x, y, x - around, x + around, y - around, y + around)


def priced(figure: Any, sign: int = 1, around: float | None = 0.05) -> pl.DataFrame:
    """The grid of one task with costs and scores of our own, with intervals or without."""
    cells = grid(figure).with_columns(pl.Series(n, some) * sign for n, some in COSTS.items())
    return cells.with_columns(
        (pl.col(f"{x}value") + side * around if around else pl.lit(None, pl.Float64)).alias(x + end)
        for x in ("x_", "")
        for end, side in (("low", -1), ("high", 1))
    )


def test_the_front_is_what_no_other_beats() -> None:
    """Ties are all on it; by the definition, over every pair."""
    rng = random.Random(3)
    for _ in range(50):
        spots = [spot(rng.randrange(5), rng.randrange(5)) for _ in range(8)]
        for point, on in zip(spots, unbeaten(spots), strict=True):
            better = [o for o in spots if o.x <= point.x and o.y >= point.y and o != point]
            assert on == (not better)
    assert unbeaten([spot(*at) for at in zip(*COSTS.values(), strict=True)]) == ON


def test_beaten_within_intervals_is_not_beaten_beyond_doubt() -> None:
    """Only where the whole interval of another is better in both."""
    far, near = spot(1, 5, 0.5), spot(1.5, 4.5, 0.5)
    in_x, in_y = spot(1.4, 1, 0.5), spot(9, 4.4, 0.5)  # each within the interval of one metric
    spots = [far, near, spot(9, 1, 0.5), in_x, in_y]
    assert doubtful(spots) == [True, True, False, True, True]
    assert unbeaten([far, near]) == [True, False]


@pytest.mark.parametrize(
    ("front", "best", "sign"), [("lowest", "highest", 1), ("highest", "lowest", -1)]
)
def test_good_ends_are_the_users(front: str, best: str, sign: int) -> None:
    """Lowest cost and highest score by default; turned, the same points turned are on the front."""
    figure = entry("scatter", **ONE, front=front, best=best)
    rows = scatter.points_of(priced(figure, sign, None), figure).rows
    assert [row["front"] for row in rows] == ON
    none = entry("scatter", **ONE, front="none")
    assert "front" not in draw(none, priced(none))["description"]


def test_both_numbers_of_a_point_are_told_and_counted_anew() -> None:
    """On the page, in the table, in CSV and LaTeX; a wrong cost is seen."""
    figure, cells, kind = entry("scatter"), grid(entry("scatter")), api.kind("scatter")
    samples = sweep().lazy()
    wrong = cells.with_columns(x_value=pl.col("x_value") + 0.5)
    rows = [cell for cell, *_, agrees in kind.recounted(samples, wrong, figure) if not agrees]
    assert rows
    assert all(cell.endswith(": mean(score)") for cell in rows)
    cell = {"task": "<a>", "ratio": "0.1", "window": "5"}
    behind = kind.behind(samples, cells, figure, cell)
    assert (behind.agrees, behind.beside[:14]) == (True, "mean(score) = ")
    assert not kind.behind(samples, wrong, figure, cell).agrees
    story, numbers = words([samples], figure, cells), kind.table(cells, figure)
    assert len(story["facts"]) == len(story["cells"][0]["facts"])
    assert story["facts"][-2:] == numbers.columns[-2:]
    assert numbers.columns[-2] == "Mean score (%)"
    assert len(numbers.columns) == len(numbers.rows[0].cells)
    assert kind.csv(cells, figure).splitlines()[0].endswith("x_samples,x_epochs,x_gap")
    tokens = entry("scatter", encoding={"x": "mean(tokens)", "y": "pass@1", "label": "window"})
    assert tokens.measured() == {"encoding.y": "score", "encoding.x": "tokens"}
    assert tokens.used() == {"encoding.label": "window", "panel": "task"}


def test_names_lie_on_no_other_name_and_on_no_point() -> None:
    """Wherever the points are; what has no place is left out, and that is told."""
    rng, figure = random.Random(1), entry("scatter", **ONE)
    points = scatter.points_of(priced(figure), figure)
    layout = scatter.lay_out(points, figure)
    xs, ys = layout.x.domain, layout.y.domain
    none = dict.fromkeys(("lower", "upper", "left_end", "right_end"))
    rows = [
        points.rows[0] | none
        | {"cost": rng.uniform(*xs), "value": rng.uniform(*ys), "name": f"model-{n}", "cell": n}
        for n in range(25)
    ]  # fmt: skip
    placed = scatter.placed_rows(rows, layout)
    names = scatter.name_rows(placed, layout)
    wide = text_width("model-1", 8)
    boxes = [(n["px"], n["py"] - HALF + 1, n["px"] + wide, n["py"] + HALF - 1) for n in names]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for left, top, right, foot in boxes:
        places = map(layout.place, placed)
        assert not any(left < x < right and top < y < foot for x, y in places)
    crowd = [row | {"cost": xs[0], "value": ys[0]} for row in placed]
    assert 0 < len(scatter.name_rows(crowd, layout)) < 25
    long = "a name far too long for any panel that a page can hold, however wide"
    figure = entry("scatter", **ONE, width="2in", names={"ratio": {"0.1": long}})
    assert "the names of 2 points" in draw(figure, priced(figure))["usermeta"]["omitted"][0]
