"""draw: the grid of a line figure → its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, series, sheet, spec, theme, wording
from heatproof.charts.labels import LINE, Labels
from heatproof.kinds.heatmap import cells
from heatproof.kinds.line import words as line_words
from heatproof.kinds.line.layout import BESIDE, LIFT, answers, layout
from heatproof.kinds.line.points import points
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.line.entry import Entry
    from heatproof.kinds.line.layout import Layout
    from heatproof.kinds.line.points import Points
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

BAND = 0.16
"""How dark a band is; with many, which lie on each other, `FAINT`."""
FAINT = 0.09
FEW = 3
CROSS = 2.0
"""Half the width of the mark of a point without a value."""
HIGH = "more `columns` of panels or a larger `width` make it lower"
LEGEND, ENDS = "legend", "ends"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    shown = points(grid, entry)
    plan = layout(shown, entry)
    placed = {label: placed_rows(label, shown, plan) for label in shown.panels}
    labels = [*placed]
    starts = range(0, len(labels), plan.columns)
    rows = [
        [
            _panel(label, at + n, shown, plan, entry)
            for n, label in enumerate(labels[at : at + plan.columns])
        ]
        for at in starts
    ]
    data: dict[str, Sequence[Row]] = {_data(label): found for label, found in placed.items()}
    data[LEGEND] = plan.legend.data(_styles(shown), -plan.left + 2, _top(plan) + _title_room(entry))
    data[ENDS] = end_rows(placed[labels[0]], shown, plan) if plan.named else []
    meant = line_words.meanings(shown, entry, plan)
    lines = sheet.lines(notes, meant, plan.sheet.text) if entry.footer else []
    said = [line_words.spoken(label, rows, shown, entry) for label, rows in placed.items()]
    told = " ".join([line_words.opening(shown, entry), *said, *notes])
    chart = plan.sheet.assemble(rows, data, lines, told)
    return spec.with_omitted(chart, wording.beyond_page(plan.sheet.tall(lines), entry, HIGH))


def _styles(shown: Points) -> dict[str, series.Style]:
    """What stands beside a line → how it is drawn."""
    return {shown.called[name]: style for name, style in shown.styles.items()}


def _data(label: str) -> str:
    return f"points {label}".strip()


def _top(plan: Layout) -> float:
    """The upper edge of the page, from the first panel."""
    return -plan.above - plan.head


def _title_room(entry: Entry) -> float:
    return theme.line_height(theme.TITLE) + 3 if entry.title else 0.0


def placed_rows(label: str, shown: Points, plan: Layout) -> list[Row]:
    """The rows of a panel with the box that answers for each, and whether y holds it."""
    rows, axis = shown.panels[label], plan.y[label]
    found = []
    for row, (left, top, wide, high) in zip(rows, answers(plan, rows, axis), strict=True):
        there = not row["missing"] and axis.holds(row["value"])
        box: Row = {"left": left, "right": left + wide, "top": top, "foot": top + high}
        ends: Row = {key: _within(row[key], axis) for key in ("lower", "upper")}
        offset = {"dx": plan.dodge[row["line"]], "px": round(plan.place(row), 2)}
        found.append({**row, **box, **ends, **offset, "py": top + high / 2, "there": there})
    return found


def _within(value: float | None, axis: quantity.Quantity) -> float | None:
    """An end of an error, on a log axis no lower than it reaches."""
    return max(value, axis.domain[0]) if value is not None and axis.log else value


def _panel(label: str, number: int, shown: Points, plan: Layout, entry: Entry) -> alt.LayerChart:
    """One panel; the first also carries what is said once."""
    width, height = plan.panel
    base = alt.Chart().encode(*_encode(label, number, plan, entry))
    layers = [*_errors(base, shown, entry), *_lines(base, entry)]
    layers += _missing(shown)
    if entry.panel:
        (title,) = shown.names.of((label,))
        layers.append(sheet.title([title], width / 2, LIFT, "center", fontWeight="bold"))
    if number == 0:
        layers += plan.legend.layers(LEGEND, line=True)
        layers += _names() if plan.named else []
        baseline = _top(plan) + theme.TITLE
        layers += [series.title_mark(entry.title, 2 - plan.left, baseline)] if entry.title else []
    layers.append(_answers(shown, entry))
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(_data(label)), width=width, height=height,
        description=line_words.spoken(label, shown.panels[label], shown, entry),
    )  # fmt: skip


def _encode(label: str, number: int, plan: Layout, entry: Entry) -> list[Any]:
    """Both channels of a panel; the first of a row has the title of y, and its labels where all
    panels have the same.
    """
    (width, height), (across, up) = plan.panel, plan.titles
    first, axis = number % plan.columns == 0, plan.y[label]
    title: dict[str, Any] = {
        "title": list(across) or None, "titleX": width / 2, "titleAlign": "center",
        "titleY": plan.below - LINE * (len(across) - 1) - theme.LABEL,
        "titleBaseline": "top", "titleLineHeight": LINE,
    }  # fmt: skip
    if isinstance(plan.x, Labels):
        names = alt.Scale(
            type="band", domain=list(plan.x.all), range=[0, width],
            paddingInner=0, paddingOuter=0, align=0,
        )  # fmt: skip
        named = plan.x.axis(width, across)
        named.domain, named.domainColor, named.domainWidth = True, theme.LINE, 0.6
        x = alt.X("x:N", scale=names, axis=named)
    else:
        x = alt.X("at:Q", scale=plan.x.scale(), axis=plan.x.axis(**title))
    beside = -plan.left + theme.LABEL + 1
    turned: dict[str, Any] = {
        "title": list(up) if first else None, "titleAngle": -90, "titleX": beside,
        "titleY": height / 2, "titleAlign": "center", "titleBaseline": "alphabetic",
        "titleLineHeight": LINE, "grid": True, "gridColor": quantity.GRID, "gridWidth": 0.5,
        "domain": False, "ticks": False,
    }  # fmt: skip
    if not first and entry.scale == "shared":
        turned["labels"] = False
    return [x, alt.Y("value:Q", scale=axis.scale(upward=True), axis=axis.axis(**turned))]


def _errors(base: alt.Chart, shown: Points, entry: Entry) -> list[alt.Chart]:
    """Bands behind the lines, or bars; a point that is alone on its line has a bar in any case."""
    known = base.transform_filter("isValid(datum.lower) && isValid(datum.upper) && datum.there")
    colour = alt.expr("datum.colour")
    if not any(row["lower"] is not None for row in shown.rows):
        return []
    clip = entry.domain is not None
    each = known if shown.bars else known.transform_filter("datum.alone")
    bars = each.mark_rule(
        color=colour, strokeWidth=0.9, xOffset=alt.expr("datum.dx"), clip=clip, aria=False
    ).encode(alt.Y("lower:Q"), alt.Y2("upper:Q"))  # fmt: skip
    if shown.bars:
        return [bars]
    dark = BAND if len(shown.styles) <= FEW else FAINT
    bands = known.mark_area(fill=colour, opacity=dark, clip=clip, aria=False)
    return [bands.encode(alt.Y("lower:Q"), alt.Y2("upper:Q"), alt.Detail("segment:N")), bars]


def _lines(base: alt.Chart, entry: Entry) -> list[alt.Chart]:
    """Lines, and points on them: hollow where a run is not finished."""
    colour, moved = alt.expr("datum.colour"), alt.expr("datum.dx")
    there = base.transform_filter("!datum.missing")
    lines = there.mark_line(
        stroke=colour, strokeWidth=1.3, strokeDash=alt.expr("datum.dash"), xOffset=moved,
        clip=entry.domain is not None, aria=False,
    ).encode(alt.Detail("segment:N"), alt.Order("at:Q"))  # fmt: skip
    dots = there.transform_filter("datum.there").mark_point(
        shape=alt.expr("datum.shape"), size=series.MARK, opacity=1, xOffset=moved,
        fill=alt.expr("datum.incomplete ? '#ffffff' : datum.colour"),
        stroke=alt.expr("datum.incomplete ? datum.colour : '#ffffff'"),
        strokeWidth=alt.expr("datum.incomplete ? 1.1 : 0.6"), aria=False,
    )  # fmt: skip
    return [lines, dots]


def _missing(shown: Points) -> list[alt.Chart]:
    """A small cross at the foot of a panel for each point without a value."""
    if not any(row["missing"] for row in shown.rows):
        return []
    path = f"M{-CROSS},{-CROSS}L{CROSS},{CROSS}M{-CROSS},{CROSS}L{CROSS},{-CROSS}"
    lost = alt.Chart().transform_filter("datum.missing")
    crosses = lost.mark_point(
        x=alt.expr("datum.px"), y=alt.expr("datum.py"), shape=path, size=4, fill="transparent",
        stroke=alt.expr("datum.colour"), strokeWidth=0.9, opacity=1, aria=False,
    )  # fmt: skip
    return [crosses]


def end_rows(rows: Sequence[Row], shown: Points, plan: Layout) -> list[Row]:
    """The name of each line beside its end, as near to it as the others leave room."""
    axis = next(iter(plan.y.values()))
    last = max(row["at"] for row in rows)
    ends = [row for row in rows if row["at"] == last]
    height = float(plan.panel[1])
    at = [height - min(max(axis.place(row["value"]), 0.0), height) for row in ends]
    room = series.spread_out(at, series.LINE, 0.0, height)
    edge = plan.panel[0] + BESIDE
    return [
        {
            "name": shown.called[row["line"]],
            "colour": row["colour"], "ink": shown.styles[row["line"]].ink,
            "px": round(plan.place(row) + 3.5, 2), "end": round(y, 2),
            "edge": edge - 2, "text": edge, "py": round(to, 2),
        }
        for row, y, to in zip(ends, at, room, strict=True)
    ]  # fmt: skip


def _names() -> list[alt.Chart]:
    """Names beside the ends of lines, each with a hair to where its line ends."""
    base = alt.Chart(alt.NamedData(ENDS))
    hairs = base.mark_rule(color=alt.expr("datum.colour"), strokeWidth=0.5, aria=False).encode(
        x=alt.value(alt.expr("datum.px")), x2=alt.value(alt.expr("datum.edge")),
        y=alt.value(alt.expr("datum.end")), y2=alt.value(alt.expr("datum.py")),
    )  # fmt: skip
    text = base.mark_text(
        x=alt.expr("datum.text"), y=alt.expr("datum.py"), align="left", baseline="middle",
        fontSize=theme.LABEL, fontWeight="bold", color=alt.expr("datum.ink"),
    ).encode(alt.Text("name:N"))  # fmt: skip
    return [hairs, text]


def _answers(shown: Points, entry: Entry) -> alt.Chart:
    """What each point answers."""
    panel = {wording.column(entry.panel, entry.labels): "datum.panel"} if entry.panel else {}
    axes = [(shown.names.y, entry.encoding.color, "line"), (shown.names.x, entry.encoding.x, "x")]
    places = panel | {title or column: f"datum.{key}" for title, column, key in axes}
    return spec.layer(spec.boxed(), places, cells.cell_answers(shown.rows, entry.cells()))
