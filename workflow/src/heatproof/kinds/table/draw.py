"""draw: the grid of a table → its figure, with the rules of a printed table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, spec, theme, wording
from heatproof.charts.lettering import fit, widest
from heatproof.kinds.heatmap import cells
from heatproof.kinds.table import words
from heatproof.kinds.table.blocks import blocks
from heatproof.kinds.table.layout import BELOW, BESIDE, HEAVY, MEAN, RULE, answers, layout
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.table.blocks import Blocks
    from heatproof.kinds.table.entry import Entry
    from heatproof.kinds.table.layout import Layout
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

RADIUS = 0.95
"""Of the dot behind a number."""
HIGH = "fewer rows, or panels drawn as figures of their own, make it lower"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the table."""
    shown = blocks(grid, entry)
    plan = layout(shown, entry)
    charts = [[_block(n, shown, plan, entry)] for n in range(len(shown.all))]
    data: dict[str, Sequence[Row]] = {}
    for n in range(len(shown.all)):
        data[f"cells {n}"] = cell_rows(n, shown, plan)
        data[f"texts {n}"] = text_rows(n, shown, plan, entry)
        data[f"rules {n}"] = rule_rows(n, plan, entry)
    meant = words.meanings(shown, entry, plan)
    lines = sheet.lines(notes, meant, plan.sheet.text) if entry.footer else []
    said = [words.opening(shown, entry), *(block.spoken for block in shown.all), *notes]
    chart = plan.sheet.assemble(charts, data, lines, " ".join(said))
    high = wording.beyond_page(plan.sheet.tall(lines), entry, HIGH)
    return spec.with_omitted(chart, [*words.omitted(shown, entry, plan), *high])


def cell_rows(block: int, shown: Blocks, plan: Layout) -> list[Row]:
    """The cells of a block with where they and their texts lie."""
    found, across = [], len(shown.x)
    for n, (row, box) in enumerate(
        zip(shown.all[block].rows, answers(plan, shown, block), strict=True)
    ):
        left, top, wide, high = box
        lift = plan.step / 2 - plan.size * 0.8 if plan.spread == BELOW else 0.0
        number, middle = plan.number(n % across), plan.middle(n // across)
        ends = {"left": left, "right": left + wide, "top": top, "foot": top + high}
        beside = number + plan.block - plan.value - _spread(row)
        places = {
            "px": round(number, 2),
            "py": round(middle - lift, 2),
            "sx": round(beside if plan.spread == BESIDE else left + wide / 2, 2),
            "sy": round(middle + plan.size * 0.55, 2) if plan.spread == BELOW else round(middle, 2),
            "centre": round(left + wide / 2, 2),
        }
        found.append({**row, **ends, **places})
    return found


def _spread(row: Row) -> float:
    return widest([row["spread"]], theme.SMALL)


def _block(number: int, shown: Blocks, plan: Layout, entry: Entry) -> alt.LayerChart:
    wide, high = plan.box
    rows = shown.all[number].rows
    panel = {wording.column(entry.panel, entry.labels): "datum.panel"} if entry.panel else {}
    axes = [(shown.names.y, entry.encoding.y, "y"), (shown.names.x, entry.encoding.x, "x")]
    places = panel | {title or column: f"datum.{key}" for title, column, key in axes}
    layers = [
        *_grounds(rows),
        *_rules(f"rules {number}"),
        *_numbers(rows, plan),
        *_texts(f"texts {number}"),
        spec.layer(spec.boxed(), places, cells.cell_answers(shown.rows, entry.cells())),
    ]
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(f"cells {number}"), width=wide, height=high,
        description=shown.all[number].spoken,
    )  # fmt: skip


def _grounds(rows: Sequence[Row]) -> list[alt.Chart]:
    """Colours behind the numbers, a hair apart."""
    if not any(row["ground"] for row in rows):
        return []
    base = spec.boxed().transform_filter("isValid(datum.ground)")
    fill: dict[str, Any] = {"fill": alt.expr("datum.ground"), "stroke": "#ffffff"}
    return [base.mark_rect(**fill, strokeWidth=0.8, aria=False)]


def _numbers(rows: Sequence[Row], plan: Layout) -> list[alt.Chart]:
    """Numbers, the best bold, what is not finished in italics; dots and uncertainties."""
    base, ink = alt.Chart(), alt.expr("datum.ink")
    at: dict[str, Any] = {"x": alt.expr("datum.px"), "y": alt.expr("datum.py"), "aria": False}
    marks = [
        base.mark_text(
            **at, align="right", baseline="middle", fontSize=plan.size, color=ink,
            fontWeight=alt.expr("datum.bold ? 'bold' : 'normal'"),
            fontStyle=alt.expr("datum.incomplete ? 'italic' : 'normal'"),
        ).encode(alt.Text("shown:N"))
    ]  # fmt: skip
    if any(row["dotted"] for row in rows):
        r = RADIUS
        path = f"M{-r},0a{r},{r},0,1,1,{2 * r},0a{r},{r},0,1,1,{-2 * r},0Z"
        up = plan.size * 0.22
        marks.append(
            base.transform_filter("datum.dotted").mark_point(
                x=alt.expr("datum.px + 1.9"), y=alt.expr(f"datum.py - {up:.2f}"), shape=path,
                size=4, fill=ink, stroke=None, opacity=1, aria=False,
            )
        )  # fmt: skip
    if plan.spread in (BESIDE, BELOW):
        beside = plan.spread == BESIDE
        marks.append(
            base.transform_filter("datum.spread").mark_text(
                x=alt.expr("datum.sx"), y=alt.expr("datum.sy"), fontSize=theme.SMALL,
                align="left" if beside else "center", baseline="middle",
                dy=0.5 if beside else 0.0, aria=False,
                color=alt.expr(f"isValid(datum.ground) ? datum.ink : '{theme.QUIET}'"),
            ).encode(alt.Text("spread:N"))
        )  # fmt: skip
    return marks


def text_rows(block: int, shown: Blocks, plan: Layout, entry: Entry) -> list[Row]:
    """Names of rows and columns, titles and means: text, place, and how it is set."""
    one, found = shown.all[block], []
    if block == 0:
        found += _head(plan, entry)
    if plan.titled:
        at = -plan.above + plan.size * 0.85
        found.append(_put(plan, one.title, -plan.left, at, style="italic"))
    for n, name in enumerate(shown.y):
        found.append(_put(plan, plan.names[name], -plan.left, plan.middle(n)))
        if plan.mean:
            found.append(_put(plan, one.means[name], plan.right, plan.middle(n), "right"))
    return found


def _head(plan: Layout, entry: Entry) -> list[Row]:
    """The names of columns, what stands over them, and the title of the figure."""
    size, wide = plan.size, plan.box[0]
    foot = -plan.above - 3 - size * 0.6
    over = fit(plan.spanner, wide, size)
    found = [
        _put(plan, plan.y_title, -plan.left, foot),
        _put(plan, over, wide / 2, _spanner(plan, entry), "center"),
    ]
    for n, lines in enumerate(plan.heads):
        middle = plan.number(n) - plan.value / 2 if plan.turned else (n + 0.5) * plan.pitch
        if plan.turned:
            found.append(_put(plan, lines[0], middle, foot + size * 0.6, angle=-90))
            continue
        for k, line in enumerate(reversed(lines)):
            found.append(_put(plan, line, middle, foot - k * size * 1.2, "center"))
    if plan.mean:
        found.append(_put(plan, MEAN, plan.right, foot, "right", style="italic"))
    if entry.title:
        bold: Row = {"weight": "bold", "size": theme.TITLE}
        top = _top(plan) + theme.TITLE * 0.6
        found.append(_put(plan, entry.title, -plan.left, top, **bold))
    return found


def _put(plan: Layout, text: str, x: float, y: float, align: str = "left", **how: Any) -> Row:
    """A text with its place and how it is set."""
    row: Row = {"text": text, "px": round(x, 2), "py": round(y, 2), "align": align}
    return {**row, "size": plan.size, "weight": "normal", "style": "normal", "angle": 0, **how}


def _top(plan: Layout) -> float:
    """The upper edge of the page, from the first block."""
    return -plan.above - plan.head


def _title(entry: Entry) -> float:
    return theme.line_height(theme.TITLE) + 4 if entry.title else 0.0


def _spanner(plan: Layout, entry: Entry) -> float:
    """The middle of what stands over all columns."""
    return _top(plan) + _title(entry) + 2 + plan.size * 0.8


def rule_rows(block: int, plan: Layout, entry: Entry) -> list[Row]:
    """The rules of a block: above and below the table, below its head, and between blocks."""
    edge = -float(plan.left)

    def rule(y: float, strong: float, x: float = edge, x2: float = plan.right) -> Row:
        return {"x": round(x, 2), "x2": round(x2, 2), "y": round(y, 2), "strong": strong}

    found = [rule(-plan.above, RULE)]
    if block == 0:
        under = _spanner(plan, entry) + plan.size * 0.75
        found.append(rule(_top(plan) + _title(entry) + HEAVY, HEAVY))
        found.append(rule(under, RULE * 0.7, 2.0, plan.box[0] - 2.0))
    if block == plan.blocks - 1:
        found.append(rule(plan.box[1] + 2, HEAVY))
    return found


def _rules(data: str) -> list[alt.Chart]:
    base = alt.Chart(alt.NamedData(data))
    ends = {key: alt.value(alt.expr(f"datum.{key}")) for key in ("x", "x2", "y")}
    rules = base.mark_rule(
        color=theme.INK, strokeWidth=alt.expr("datum.strong"), aria=False
    ).encode(**ends)  # fmt: skip
    return [rules]


def _texts(data: str) -> list[alt.Chart]:
    base = alt.Chart(alt.NamedData(data))
    found = []
    for align in ("left", "center", "right"):
        shown = base.transform_filter(f"datum.align == '{align}'")
        found.append(
            shown.mark_text(
                x=alt.expr("datum.px"), y=alt.expr("datum.py"), align=align, baseline="middle",
                fontSize=alt.expr("datum.size"), fontWeight=alt.expr("datum.weight"),
                fontStyle=alt.expr("datum.style"), angle=alt.expr("datum.angle"),
            ).encode(alt.Text("text:N"))
        )  # fmt: skip
    return found
