"""What each kind of one file has of its own: axes, greys, fronts, tables that fit."""

import random
from itertools import combinations, pairwise
from typing import Any

import polars as pl
import pytest
from msgspec.structs import replace

from heatproof.charts.lettering import text_width
from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api, line, looks, scatter, states
from heatproof.util.errors import Error
from support.toys import sweep
from support.views import ENTRIES, draw, entry, grid

ONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENTRIES)
def test_a_figure_has_the_width_of_its_column(kind: str) -> None:
    """To the pt, whatever it shows."""
    coloured = {"color": True} if kind == "table" else {}
    for width, keys in (("nature", ONE), ("double", {}), ("2.5in", coloured)):
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
    assert [*line.line_points(grid(ordinal), ordinal).x] == [0.3, 0.2, 0.1]


def test_a_log_axis_holds_no_zero() -> None:
    """The value and where it lies are named."""
    figure = entry("line", y_scale="log")
    with pytest.raises(Error, match=r"\.y_scale: 0\.0 \(x 0\.1, 5\) cannot be shown on a log axis"):
        draw(figure, grid(figure).with_columns(value=pl.lit(0.0)))
    with pytest.raises(Error, match=r"\.x_scale: ratio=0.0 cannot be shown on a log axis"):
        draw(entry("line", x_scale="log"), grid(figure).with_columns(x=pl.col("x") - 0.1))
    figure = entry("forest", scale="log")
    with pytest.raises(Error, match=r"scale: 0\.0 \(.*\) cannot be shown on a log axis"):
        draw(figure, grid(figure).with_columns(value=0.0 * pl.col("value")))


def test_ends_that_hold_a_zero_alone_are_taken() -> None:
    """A zero is a value."""
    figure = entry("line", domain=[-1, 1])
    zero = pl.when(pl.col("x") == 0.1).then(0.0).otherwise(0.5)
    drawn = draw(figure, grid(figure).with_columns(value=zero))
    assert sum(row["there"] for row in drawn["datasets"]["points <a>"]) == 2


# ----------------------------------------------------------------------------------------- forest


def test_a_dumbbell_joins_the_values_of_a_row() -> None:
    """From the lowest to the highest; all of them are printed, each has its own look."""
    figure = entry("forest", form="dumbbell", where={"ratio": [0.1, 0.3]})
    cells = grid(figure).filter(pl.col("task") == "<a>")
    chart = draw(figure)
    rows = chart["datasets"]["rows <a>"]
    joins = {row["name"]: (row["join_low"], row["join_high"]) for row in rows if row["name"]}
    for window in (5, 10):
        values = cells.filter(pl.col("y") == window)["value"] * 100
        assert joins[f"Window {window}"] == pytest.approx((values.min(), values.max()))
    assert {row["printed_as"] for row in rows} == {"75.0 → 16.7† (−50.0)", "12.5 → 12.5 (0.0)", ""}
    assert looks.INCOMPLETE.flagged not in f"{chart}", "its sign stands at its number"
    assert len({(row["colour"], row["shape"], row["dy"]) for row in rows}) == 2
    assert len({row["py"] for row in rows}) == 2
    alike = {"window": {n: f"one of two long names that are cut to the same, {n}, of a window"
                        for n in ("5", "10")}}  # fmt: skip
    rows = draw(entry("forest", form="dumbbell", width="2in", names=alike))["datasets"]["rows <a>"]
    assert sorted(row["name"][:1] for row in rows if row["name"]) == ["1", "2"]


# ---------------------------------------------------------------------------------------- scatter

COSTS = {"x_value": [3.0, 1.0, 2.0, 2.0, 5.0, 4.0], "value": [0.2, 0.1, 0.5, 0.5, 0.4, 0.9]}
ON = [False, True, True, True, False, True]
"""Of these the points that no other beats: the third and the fourth are the same."""


def priced(
    figure: Any, sign: int = 1, around: tuple[float, float] | None = (0.05, 0.05)
) -> pl.DataFrame:
    """The grid of one task with costs and scores of our own, with intervals or without."""
    cells = grid(figure).with_columns(pl.Series(n, some) * sign for n, some in COSTS.items())
    return cells.with_columns(
        (pl.col(f"{x}value") + side * span if around else pl.lit(None, pl.Float64)).alias(x + end)
        for x, span in zip(("x_", ""), around or (0, 0), strict=True)
        for end, side in (("low", -1), ("high", 1))
    )


@pytest.mark.parametrize("ends", [("lowest", "highest"), ("highest", "lowest")])
@pytest.mark.parametrize(
    ("around", "may"),
    [(None, ON), ((0.05, 0.05), ON), ((9, 0.05), [True] * 6), ((0.05, 9), [True] * 6)],
)
def test_the_front_is_what_no_other_beats(
    ends: tuple[str, str], around: tuple[float, float] | None, may: list[bool]
) -> None:
    """Ties are all on it; beaten beyond doubt is what lies outside of both intervals."""
    figure = entry("scatter", **ONE, front=ends[0], best=ends[1])
    cells = priced(figure, 1 if ends[0] == "lowest" else -1, around)
    (rows,) = scatter.scatter_points(cells, figure).panels.values()
    rows = sorted(rows, key=lambda row: row.number)
    assert [row.front for row in rows] == ON
    assert [row.maybe for row in rows] == may


def test_both_numbers_of_a_point_are_counted_anew() -> None:
    """A wrong cost is seen."""
    figure, cells, kind = entry("scatter"), grid(entry("scatter")), api.kind("scatter")
    wrong = cells.with_columns(x_value=pl.col("x_value") + 0.5)
    rows = [cell for cell, *_, right in kind.recounted(sweep().lazy(), wrong, figure) if not right]
    assert rows
    assert all(cell.endswith(": mean(score)") for cell in rows)
    place = {"task": "<a>", "ratio": "0.1", "window": "5"}
    behind = kind.behind(sweep().lazy(), cells, figure, place)
    assert (behind.agrees, behind.beside[:14]) == (True, "mean(score) = ")
    assert not kind.behind(sweep().lazy(), wrong, figure, place).agrees


def test_names_avoid_crosses_and_the_front_which_joins_its_points() -> None:
    """Nothing of the front lies beyond them, so that none of it is cut at the edge of a panel."""
    rng, figure = random.Random(2), entry("scatter", **ONE)
    points = scatter.scatter_points(priced(figure), figure)
    layout = scatter.lay_out_scatter(points, figure)
    (low, high), (foot, top) = layout.x.domain, layout.y.domain
    rows = []
    for n in range(7):
        x, y = low + (high - low) * (n + 1) / 9, foot + (top - foot) * (n + 1 + rng.random()) / 10
        ends = {"lower": y - 3, "upper": y + 3, "left_end": x - 3, "right_end": x + 3}
        place = {"cost": x, "value": y, "front": True, "name": f"name {n}", "number": n}
        rows.append(replace(next(iter(points.panels.values()))[0], **place | ends))
    steps = scatter.front_rows(rows, figure)
    assert [(row["cost"], row["value"]) for row in steps[::2]] == [row.place for row in rows]
    places = [layout.place(step["cost"], step["value"]) for step in steps]
    lines = [*pairwise(places)]
    for row in rows:
        cost, value = row.place
        lines.append((layout.place(row.left_end, value), layout.place(row.right_end, value)))
        lines.append((layout.place(cost, row.lower), layout.place(cost, row.upper)))
    names = scatter.name_rows(scatter.place_scatter_points(rows, layout), steps, layout)
    assert len(names) == 7
    for name in names:
        left, top, right, down = name["px"], name["py"] - 2.5, name["right"], name["py"] + 2.5
        for (a, b), (c, d) in lines:
            assert max(a, c) <= left or right <= min(a, c) or max(b, d) <= top or down <= min(b, d)


def test_names_lie_on_no_other_name_and_on_no_point() -> None:
    """Wherever the points are; what has no place is left out, and that is told."""
    rng, figure = random.Random(1), entry("scatter", **ONE)
    points = scatter.scatter_points(priced(figure), figure)
    layout = scatter.lay_out_scatter(points, figure)
    xs, ys = layout.x.domain, layout.y.domain
    none = dict.fromkeys(("lower", "upper", "left_end", "right_end"))
    rows = [
        replace(
            next(iter(points.panels.values()))[0],
            **none,
            cost=rng.uniform(*xs),
            value=rng.uniform(*ys),
            name=f"model-{n}",
            number=n,
        )
        for n in range(25)
    ]
    placed = scatter.place_scatter_points(rows, layout)
    names = scatter.name_rows(placed, [], layout)
    wide = text_width("model-1", 8)
    half = scatter.half() - 1
    boxes = [(n["px"], n["py"] - half, n["px"] + wide, n["py"] + half) for n in names]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for left, top, right, foot in boxes:
        places = (layout.place(*row.place) for row in placed)
        assert not any(left < x < right and top < y < foot for x, y in places)
    crowd = [replace(row, cost=xs[0], value=ys[0]) for row in placed]
    assert 0 < len(scatter.name_rows(crowd, [], layout)) < 25
    long = "a name far too long for any panel that a page can hold, however wide"
    figure = entry("scatter", **ONE, width="2in", names={"ratio": {"0.1": long}})
    assert "the names of 2 points" in draw(figure, priced(figure))["usermeta"]["omitted"][0]


# ----------------------------------------------------------------------------------------- table


@pytest.mark.parametrize(
    ("why", "verdict", "remark"),
    [
        (states.UNEVEN, "dots", "No mark: not judged, cells hold different problems"),
        (states.UNEVEN, "none", "No mark: not judged, cells hold different problems"),
        (states.UNBOUNDED, "dots", "No mark: not judged, values have no bounds"),
        (states.UNBOUNDED, "none", "No mark: not judged, values have no bounds"),
    ],
)
def test_why_numbers_are_not_judged_is_told_where_marks_are_asked_for(
    why: str, verdict: str, remark: str
) -> None:
    """The best is not bold then, whether or not dots are asked for."""
    figure = entry("table", verdict=verdict)
    none = pl.lit(value=False)
    cells = grid(figure).with_columns(unjudged=pl.lit(why), best=none, tied=none)
    remarks = api.kind("table").caption(cells, figure)
    assert [text for text in remarks if "not judged" in text.lower()] == [remark]
