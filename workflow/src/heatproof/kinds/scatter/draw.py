"""draw: the grid of a scatter → its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, series, sheet, spec, theme, wording
from heatproof.charts.labels import LINE
from heatproof.kinds.heatmap import cells
from heatproof.kinds.scatter import words
from heatproof.kinds.scatter.front import band, steps
from heatproof.kinds.scatter.layout import LIFT, answers, layout
from heatproof.kinds.scatter.naming import place_names
from heatproof.kinds.scatter.points import points, settings_title, spots
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.scatter.entry import Entry
    from heatproof.kinds.scatter.layout import Layout
    from heatproof.kinds.scatter.points import Points
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

HIGH = "more `columns` of panels or a larger `width` make it lower"
LEGEND = "legend"
GROUND = "#efefef"
"""Of the band around the front."""
BEATEN = 0.45
"""How much of its colour a point has that others beat beyond doubt."""


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    shown = points(grid, entry)
    plan = layout(shown, entry)
    labels = [*shown.panels]
    starts = range(0, len(labels), plan.columns)
    charts = [
        [_panel(n, labels[n], shown, plan, entry) for n in range(len(labels))[at:][: plan.columns]]
        for at in starts
    ]
    top = -plan.above - plan.head + _title_room(entry)
    data: dict[str, Sequence[Row]] = {LEGEND: plan.legend.data(shown.styles, 2.0 - plan.left, top)}
    unnamed = 0
    for label, rows in shown.panels.items():
        named = name_rows(rows, plan)
        unnamed += sum(plan.holds(row) for row in rows) - len(named)
        data |= {_data(label): placed_rows(rows, plan), f"names {label}": named}
        data |= {f"front {label}": front_rows(rows, plan, entry)}
        data |= {f"band {label}": band_rows(rows, plan, entry)}
    meant = words.meanings(shown, entry, plan)
    lines = sheet.lines(notes, meant, plan.sheet.text) if entry.footer else []
    said = [words.spoken(label, rows, entry) for label, rows in shown.panels.items()]
    told = " ".join([words.opening(shown, entry), *said, *notes])
    chart = plan.sheet.assemble(charts, data, lines, told)
    high = wording.beyond_page(plan.sheet.tall(lines), entry, HIGH)
    return spec.with_omitted(chart, [*words.unnamed(unnamed), *high])


def _data(label: str) -> str:
    return f"points {label}".strip()


def _title_room(entry: Entry) -> float:
    return theme.line_height(theme.TITLE) + 3 if entry.title else 0.0


def placed_rows(rows: Sequence[Row], plan: Layout) -> list[Row]:
    """The points of a panel with the box that answers for each."""
    found = []
    for row, (left, top, wide, high) in zip(rows, answers(plan, rows), strict=True):
        box: Row = {"left": left, "right": left + wide, "top": top, "foot": top + high}
        ends: Row = {key: _within(row[key], plan.y) for key in ("lower", "upper")}
        ends |= {key: _within(row[key], plan.x) for key in ("left_end", "right_end")}
        found.append({**row, **box, **ends, "there": plan.holds(row)})
    return found


def _within(value: float | None, axis: quantity.Quantity) -> float | None:
    """An end of an interval, no further than the axis reaches."""
    return None if value is None else _held(value, axis)


def _held(value: float, axis: quantity.Quantity) -> float:
    return min(max(value, axis.domain[0]), axis.domain[1])


def name_rows(rows: Sequence[Row], plan: Layout) -> list[Row]:
    """The names that have a place, those of the front first."""
    there = sorted(
        (row for row in rows if plan.holds(row)),
        key=lambda row: (not row["front"], not row["maybe"], row["cell"]),
    )
    places = [plan.place(row) for row in there]
    lines = [line for row in there for line in cross_lines(row, plan)]
    named = place_names([row["name"] for row in there], places, lines, plan.panel)
    return [
        {
            "text": name.text, "px": round(name.x, 2), "py": round(name.y, 2), "led": name.led,
            "fx": round(x, 2), "fy": round(y, 2), "ex": round(name.end, 2),
            "bold": row["front"], "ink": theme.INK if row["maybe"] else theme.QUIET,
        }
        for row, (x, y), name in zip(there, places, named, strict=True)
        if name
    ]  # fmt: skip


def cross_lines(row: Row, plan: Layout) -> list[tuple[float, float, float, float]]:
    """The two lines of the cross of a point: left, top, right, bottom."""
    x, y = plan.place(row)
    found = []
    left, right, lower, upper = (row[k] for k in ("left_end", "right_end", "lower", "upper"))
    if left is not None and right is not None:
        ends = [plan.x.place(_held(end, plan.x)) for end in (left, right)]
        found.append((ends[0], y - 0.5, ends[1], y + 0.5))
    if lower is not None and upper is not None:
        tops = [plan.panel[1] - plan.y.place(_held(end, plan.y)) for end in (upper, lower)]
        found.append((x - 0.5, tops[0], x + 0.5, tops[1]))
    return found


def _turned(entry: Entry) -> tuple[float, float]:
    """Signs that make less of x and more of y better."""
    return (-1.0 if entry.front == "highest" else 1.0), (-1.0 if entry.best == "lowest" else 1.0)


def _far(plan: Layout, entry: Entry) -> tuple[float, float]:
    """The far end of x and the foot of y, turned likewise."""
    sign, up = _turned(entry)
    (low, high), (foot, top) = plan.x.domain, plan.y.domain
    return (high if sign > 0 else -low), (foot if up > 0 else -top)


def front_rows(rows: Sequence[Row], plan: Layout, entry: Entry) -> list[Row]:
    """The corners of the front, in order."""
    if entry.front == "none" or not rows:
        return []
    sign, up = _turned(entry)
    corners = steps(spots(rows, entry), *_far(plan, entry))
    return [
        {"n": n, "cost": _within(sign * x, plan.x), "value": _within(up * y, plan.y)}
        for n, (x, y) in enumerate(corners)
    ]


def band_rows(rows: Sequence[Row], plan: Layout, entry: Entry) -> list[Row]:
    """The corners of what is reached at both ends of the intervals, from left to right."""
    if entry.front == "none" or not rows or entry.uncertainty == "none":
        return []
    sign, up = _turned(entry)
    far, foot = _far(plan, entry)
    found: list[Row] = []
    for one in band(spots(rows, entry), far, foot):
        low, high = (foot if end is None else end for end in (one.low, one.high))
        ends = {"lower": _within(up * low, plan.y), "upper": _within(up * high, plan.y)}
        found.append({"cost": _within(sign * one.x, plan.x), **ends})
    return found[:: int(sign)]


def _panel(number: int, label: str, shown: Points, plan: Layout, entry: Entry) -> alt.LayerChart:
    wide, high = plan.panel
    along, up = _encode(number, plan)
    panel = {wording.column(entry.panel, entry.labels): "datum.panel"} if entry.panel else {}
    places = panel | {settings_title(entry): "datum.setting"}
    layers = [*_front(label, along, up, entry), *_crosses(along, up), *_dots(along, up)]
    layers += _names(label)
    if plan.titled:
        layers.append(sheet.title([label], wide / 2, LIFT, "center", fontWeight="bold"))
    if number == 0:
        layers += plan.legend.layers(LEGEND, line=False) if shown.styles else []
        top = -plan.above - plan.head + theme.TITLE
        layers += [series.title_mark(entry.title, 2 - plan.left, top)] if entry.title else []
    layers.append(spec.layer(spec.boxed(), places, point_answers(shown, entry)))
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(_data(label)), width=wide, height=high,
        description=words.spoken(label, shown.panels[label], entry),
    )  # fmt: skip


def point_answers(shown: Points, entry: Entry) -> dict[str, str]:
    """Title → expression of its text, for what is known of any point."""
    facts = cells.cell_answers(shown.rows, entry.cells())
    between = any(row["cost_between"] for row in shown.rows)
    told = {shown.x: "datum.cost_told"}
    more = {f"{shown.x}, 95 % interval": "datum.cost_between"} if between else {}
    return {**facts, **told, **more}


def _encode(number: int, plan: Layout) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scales and axes of a panel; the first of a row has the title and the labels of y."""
    (wide, high), (across, upward) = plan.panel, plan.titles
    x = plan.x.axis(
        title=list(across), titleX=wide / 2, titleAlign="center", titleBaseline="top",
        titleY=plan.below - LINE * (len(across) - 1) - theme.LABEL, titleLineHeight=LINE,
        grid=True, gridColor=quantity.GRID, gridWidth=0.5,
    )  # fmt: skip
    first = number % plan.columns == 0
    y = plan.y.axis(
        title=list(upward) if first else None, titleAngle=-90, titleX=theme.LABEL + 1 - plan.left,
        titleY=high / 2, titleAlign="center", titleBaseline="alphabetic", titleLineHeight=LINE,
        grid=True, gridColor=quantity.GRID, gridWidth=0.5, domain=False, ticks=False, labels=first,
    )  # fmt: skip
    return (
        {"scale": plan.x.scale(), "axis": x},
        {"scale": plan.y.scale(upward=True), "axis": y},
    )


def _front(label: str, along: Any, up: Any, entry: Entry) -> list[alt.Chart]:
    """The front as steps, and the band around it."""
    if entry.front == "none":
        return []
    order = alt.Order("n:Q")
    area = alt.Chart(alt.NamedData(f"band {label}")).mark_area(fill=GROUND, aria=False)
    line = alt.Chart(alt.NamedData(f"front {label}"))
    return [
        area.encode(
            alt.X("cost:Q", **along), alt.Y("lower:Q", **up), alt.Y2("upper:Q")
        ),
        line.mark_line(
            stroke=theme.LINE, strokeWidth=1.0, strokeDash=[3, 2], aria=False
        ).encode(alt.X("cost:Q", **along), alt.Y("value:Q", **up), order),
    ]  # fmt: skip


def _crosses(along: Any, up: Any) -> list[alt.Chart]:
    """Intervals of both metrics."""
    there = alt.Chart().transform_filter("datum.there")
    style: dict[str, Any] = {"strokeWidth": 0.8, "aria": False}
    style |= {"color": alt.expr("datum.colour"), "opacity": _opacity()}
    x, y = alt.X("cost:Q", **along), alt.Y("value:Q", **up)
    across = there.transform_filter("isValid(datum.left_end) && isValid(datum.right_end)")
    upward = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    return [
        across.mark_rule(**style).encode(alt.X("left_end:Q", **along), alt.X2("right_end:Q"), y),
        upward.mark_rule(**style).encode(x, alt.Y("lower:Q", **up), alt.Y2("upper:Q")),
    ]


def _opacity() -> Any:
    return alt.expr(f"datum.maybe ? 1 : {BEATEN}")


def _dots(along: Any, up: Any) -> list[alt.Chart]:
    """Points: filled on the front, with a white heart where they may be, pale where beaten."""
    dots = alt.Chart().transform_filter("datum.there").mark_point(
        shape=alt.expr("datum.shape"), size=series.MARK + 6, strokeWidth=1.1,
        stroke=alt.expr("datum.colour"), opacity=_opacity(),
        fill=alt.expr("datum.filled ? datum.colour : '#ffffff'"), aria=False,
    )  # fmt: skip
    return [dots.encode(alt.X("cost:Q", **along), alt.Y("value:Q", **up))]


def _names(label: str) -> list[alt.Chart]:
    """Names beside points, with a hair to those that stand off."""
    base = alt.Chart(alt.NamedData(f"names {label}"))
    hairs = base.transform_filter("datum.led").mark_rule(
        color=theme.LINE, strokeWidth=0.5, aria=False
    ).encode(
        x=alt.value(alt.expr("datum.fx")), y=alt.value(alt.expr("datum.fy")),
        x2=alt.value(alt.expr("datum.ex")), y2=alt.value(alt.expr("datum.py")),
    )  # fmt: skip
    text = base.mark_text(
        x=alt.expr("datum.px"), y=alt.expr("datum.py"), align="left", baseline="middle",
        fontSize=theme.LABEL, color=alt.expr("datum.ink"),
    ).encode(alt.Text("text:N"))  # fmt: skip
    return [hairs, text]
