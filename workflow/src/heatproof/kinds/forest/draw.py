"""draw: the grid of a forest → its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, series, sheet, spec, theme, wording
from heatproof.charts.labels import PAD
from heatproof.kinds.forest import words
from heatproof.kinds.forest.layout import COUNTED, TITLE, answers, layout
from heatproof.kinds.forest.rows import rows
from heatproof.kinds.heatmap import cells
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.forest.entry import Entry
    from heatproof.kinds.forest.layout import Layout
    from heatproof.kinds.forest.rows import Rows
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

HIGH = "fewer rows, or panels drawn as figures of their own, make it lower"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the rows."""
    shown = rows(grid, entry)
    plan = layout(shown, entry)
    data = {_data(label): placed_rows(found, plan) for label, found in shown.panels.items()}
    charts = [[_panel(n, label, shown, plan, entry)] for n, label in enumerate(shown.panels)]
    meant = words.meanings(shown, entry, plan)
    lines = sheet.lines(notes, meant, plan.sheet.text) if entry.footer else []
    said = [words.spoken(label, found, entry) for label, found in shown.panels.items()]
    told = " ".join([words.opening(shown, entry), *said, *notes])
    chart = plan.sheet.assemble(charts, data, lines, told)
    cut = [name for name, printed in plan.names.items() if name != printed]
    high = wording.beyond_page(plan.sheet.tall(lines), entry, HIGH)
    return spec.with_omitted(chart, [*wording.names_cut(cut), *high])


def _data(label: str) -> str:
    return f"rows {label}".strip()


def placed_rows(found: Sequence[Row], plan: Layout) -> list[Row]:
    """The rows of a panel with the box that answers for each, and their name as it is printed."""
    placed = []
    for n, (row, box) in enumerate(zip(found, answers(plan, found), strict=True)):
        left, top, wide, high = box
        ends: Row = {"left": left, "right": left + wide, "top": top, "foot": top + high}
        there = not row["missing"] and plan.x.holds(row["value"])
        drawn = {key: _within(row[key], plan.x) for key in ("lower", "upper")}
        more = {"py": plan.middle(n), "there": there, "name": plan.names[row["setting"]]}
        placed.append({**row, **ends, **drawn, **more})
    return placed


def _within(value: float | None, axis: quantity.Quantity) -> float | None:
    """An end of an interval, no further than the axis reaches."""
    return None if value is None else min(max(value, axis.domain[0]), axis.domain[1])


def _panel(number: int, label: str, shown: Rows, plan: Layout, entry: Entry) -> alt.LayerChart:
    found = shown.panels[label]
    panel = {wording.column(entry.panel, entry.labels): "datum.panel"} if entry.panel else {}
    places = panel | {words.settings_title(entry): "datum.setting"}
    layers = [*_intervals(plan), *_texts(plan), *_heads(label, plan)]
    if number == 0 and entry.title:
        baseline = -plan.above - plan.head + theme.TITLE
        layers.append(series.title_mark(entry.title, -plan.left, baseline))
    layers.append(spec.layer(spec.boxed(), places, cells.cell_answers(shown.all, entry.cells())))
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(_data(label)), width=plan.plot, height=plan.height,
        description=words.spoken(label, found, entry),
    )  # fmt: skip


def _intervals(plan: Layout) -> list[alt.Chart]:
    """Intervals and values; hollow where a run is not finished."""
    axis = plan.x.axis(
        title=plan.title, titleAlign="center", titleX=plan.plot / 2,
        titleY=quantity.TICK_SIZE + PAD + theme.LABEL + PAD, titleBaseline="top",
        grid=True, gridColor=quantity.GRID, gridWidth=0.5,
    )  # fmt: skip
    colour, y = alt.expr("datum.colour"), alt.value(alt.expr("datum.py"))
    along: dict[str, Any] = {"scale": plan.x.scale(), "axis": axis}
    there = alt.Chart().transform_filter("datum.there")
    spans = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)").mark_rule(
        color=colour, strokeWidth=1.1, aria=False
    ).encode(alt.X("lower:Q", **along), alt.X2("upper:Q"), y=y)  # fmt: skip
    dots = there.mark_point(
        shape="circle", size=series.MARK, opacity=1, strokeWidth=1.1, stroke=colour,
        fill=alt.expr("datum.incomplete ? '#ffffff' : datum.colour"), aria=False,
    ).encode(alt.X("value:Q", **along), y=y)  # fmt: skip
    return [spans, dots]


def _texts(plan: Layout) -> list[alt.Chart]:
    """The name of each row, its value and its count; the best in bold, gaps with their reason."""
    base = alt.Chart()
    style: dict[str, Any] = {
        "y": alt.expr("datum.py"), "baseline": "middle", "fontSize": theme.LABEL,
        "color": alt.expr("datum.text"), "aria": False,
    }  # fmt: skip
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    names = base.mark_text(x=-plan.left, align="left", fontWeight=weight, **style)
    values = base.mark_text(x=plan.value, align="right", fontWeight=weight, **style)
    counts = base.mark_text(x=plan.count, align="right", **style)
    why = base.transform_filter("datum.missing").mark_text(
        x=2, align="left", limit=plan.count - 4, **{**style, "fontSize": theme.SMALL}
    )
    return [
        names.encode(alt.Text("name:N")), values.encode(alt.Text("label:N")),
        counts.encode(alt.Text("n:N")), why.encode(alt.Text("gap:N")),
    ]  # fmt: skip


def _heads(label: str, plan: Layout) -> list[alt.Chart]:
    """What counts are called, and the title of a panel."""
    head = sheet.one().mark_text(
        text=COUNTED, x=plan.count, y=-4.0, align="right", baseline="alphabetic",
        fontSize=theme.LABEL, fontStyle="italic",
    )  # fmt: skip
    if not plan.titled:
        return [head]
    up = plan.above - TITLE + theme.LABEL * 0.3
    return [head, sheet.title([label], -plan.left, up - 2, "left", fontWeight="bold")]
