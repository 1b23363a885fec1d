"""forest: settings below each other, each with its value and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.charts import quantity, series, sheet, theme, wording
from heatproof.charts.lettering import PAD, cut, widest
from heatproof.kinds import frame
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.heatmap.reasons import NOTHING
from heatproof.kinds.tables import NONE, escape, line
from heatproof.metrics import metric
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.frame import Row
    from heatproof.kinds.heatmap.panel import Names
    from heatproof.util.errors import Mistake
    from heatproof.util.lazy import polars as pl


class Encoding(msgspec.Struct, kw_only=True):
    """The metric along x, and the columns whose values, or pairs of them, have a row each."""

    x: str
    y: str
    detail: str | None = None


class Entry(frame.View, kw_only=True):
    """A forest in config.yaml."""

    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "y", "color": "x"}
    PART: ClassVar[str] = "part"

    encoding: Encoding
    """What lies along y, a row each, and which metric along x."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """What is drawn around values: nothing, a standard error, or a 95 % interval."""
    verdict: Literal["ink", "none"] = "ink"
    """Whether what is told apart from the highest stands back in grey."""
    scale: Literal["linear", "log"] = "linear"
    """How values lie along x."""
    domain: list[float] | None = None
    """Ends of x, in the unit shown."""

    def summary(self) -> str:
        what = self.encoding
        return f"{what.x} of each {what.y}" + (f" and {what.detail}" if what.detail else "")

    def mistakes(self) -> list[Mistake]:
        return super().mistakes() + self.wrong_ends("domain", self.domain, "scale")


# --------------------------------------------------------------------------------------- the rows


@dataclass(frozen=True)
class Rows:
    """All rows of a figure."""

    panels: Mapping[str, Sequence[Row]]
    """Label of a panel → its rows from top to bottom."""
    names: Names
    hidden: int
    """Cells without any record, of pairs that were never run."""

    @property
    def all(self) -> list[Row]:
        return [row for rows in self.panels.values() for row in rows]


def rows_of(grid: pl.DataFrame, entry: Entry) -> Rows:
    """The rows of a grid, by value, or as `sort` says of y; what has no value stands last.

    A row is a cell in words (`cells.letter_cells`) with what it is called (`setting`), `lower` and
    `upper` ends of what is drawn around its value, `bold`, and `colour`: ink, or grey where it can
    be told from the best.
    """
    heat, (table, names) = entry.cells(), frame.worded(grid, entry)
    several = len({row["x"] for row in table}) > 1
    before = {  # numbers of both columns: alone they say nothing
        at: f"{title} " if grid[at].dtype.is_numeric() and title else ""
        for at, title in (("x", names.x), ("y", names.y))
    }
    parts: dict[tuple[str, ...], list[Row]] = {}
    for row in table:
        parts.setdefault(row["panel"], []).append(row)
    panels: dict[str, list[Row]] = {}
    for panel, part in parts.items():
        marked = cells.marked_cells(part, "dots" if heat.best != "none" else "none")
        lettered = cells.letter_cells(marked, None, names.digits, entry.uncertainty)
        judged = {row["peers"] for row in lettered if row["tied"]}
        title = ", ".join(names.of(panel))
        panels[title] = []
        for row in lettered:
            detail = f" · {before['x']}{row['x']}" if several else ""
            lower, upper = frame.spread_ends(row, heat.uncertainty, entry.uncertainty)
            grey = row["peers"] in judged and not (row["tied"] or row["best"])
            more = {
                "panel": title, "setting": before["y"] + row["y"] + detail,
                "lower": lower, "upper": upper, "grey": grey,
                "colour": theme.LINE if grey else theme.INK,
                "text": theme.QUIET if grey or row["missing"] else theme.INK,
                "n": "" if row["missing"] else row["size"],
            }  # fmt: skip
            panels[title] += [row | more] if row["gap"] != NOTHING else []
    rows = Rows({k: _ordered(part, entry) for k, part in panels.items()}, names, 0)
    frame.require_on_axis(entry, rows.all, "value", ("domain", "scale"), heat)
    return Rows(rows.panels, names, len(table) - len(rows.all))


def _ordered(rows: Sequence[Row], entry: Entry) -> list[Row]:
    """By value, or as the user sorts them; the same twice keep the order of the grid."""
    sign = 1 if entry.best == "lowest" else -1
    valued = [row for row in rows if not row["missing"]]
    if entry.encoding.y not in entry.sort:
        valued.sort(key=lambda row: (sign * row["value"], row["cell"]))
    return [*valued, *(row for row in rows if row["missing"])]


# -------------------------------------------------------------------------------------- the sizes

STEP = 11.5
"""From one row to the next."""
NAMES = 0.42
"""Part of the width that names may take."""
GAP = 8.0
"""Beside the intervals."""
LEAST = 60.0
"""Width of the intervals, at least."""
COUNTED = "n"
"""What counts of problems are called."""
TITLE = theme.TITLE + 6.0


@dataclass(frozen=True)
class Layout:
    """Where all of a forest lies, in pt."""

    sheet: sheet.Sheet
    plot: int
    names: Mapping[str, str]
    """Setting → its name as it is printed."""
    value: float
    """The right edge of the values, from the first interval's left end."""
    count: float
    """The right edge of the counts."""
    x: quantity.Quantity


def lay_out(rows: Rows, entry: Entry) -> Layout:
    """Names and numbers as wide as they are, and the intervals in what is left."""
    width, all_rows, log = theme.width(entry.width), rows.all, entry.scale == "log"
    texts = widest((row["label"] for row in all_rows), theme.LABEL, bold=True)
    count = widest([COUNTED, *(row["n"] for row in all_rows)], theme.LABEL)
    right = math.ceil(GAP + texts + GAP + count + 1)
    room = max(min(NAMES * width, width - right - LEAST - 2 * GAP), 30.0)
    names = cut(list(dict.fromkeys(r["setting"] for r in all_rows)), room, theme.LABEL)
    left = math.ceil(widest(names.values(), theme.LABEL, bold=True) + GAP)
    plot = max(int(width - left - right), 20)
    ends = frame.domain(all_rows, ("value", "lower", "upper"), log, entry.domain)
    page = sheet.Sheet(
        width=width, left=left, gap=0.0, rows=len(rows.panels), margin=0.0, with_id=entry.id,
        above=theme.LABEL + 5.0 + (TITLE if entry.panel else 0.0),
        below=quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL,
        height=math.ceil(max(map(len, rows.panels.values())) * STEP),
        head=frame.title_room(entry),
    )  # fmt: skip
    x = quantity.along(ends, plot, log, frame.value_limits(entry.cells()))
    return Layout(page, plot, names, plot + GAP + texts, plot + right - 1.0, x)


# ------------------------------------------------------------------------------------- the picture


def picture(grid: pl.DataFrame, entry: Entry) -> frame.Picture:
    """All that a forest shows and says."""
    rows = rows_of(grid, entry)
    layout = lay_out(rows, entry)
    meanings, title = _meanings(rows, entry, layout), frame.settings_title(entry, entry.encoding.y)
    spoken = {label: _spoken(label, part, entry) for label, part in rows.panels.items()}

    placed = {label: placed_rows(part, layout) for label, part in rows.panels.items()}

    def charts() -> Any:
        panels = [
            [_panel(n, label, rows, layout, entry, spoken[label])]
            for n, label in enumerate(rows.panels)
        ]
        return panels, {_data(label): part for label, part in placed.items()}

    latex = frame.Latex(
        columns="lrrr",
        head=[frame.tex_row([title, frame.value_title(entry), "95 % interval", "problems"])],
        parts={label: [*map(_tex, part)] for label, part in rows.panels.items()},
        meanings=[*meanings, *reasons.doubts_of(grid)],
    )

    heat, keys = entry.cells(), [entry.encoding.y, entry.encoding.detail]
    settings = " and ".join(reasons.among_title(name, heat) for name in keys if name)
    opening = f"{rows.names.value}{frame.percent_words(entry)} of each {title}, by value."
    return frame.Picture(
        shows=f"{frame.value_title(entry)} of each {settings}",
        rows=[row for part in placed.values() for row in part],
        noun="row",
        sheet=layout.sheet,
        charts=charts,
        meanings=meanings,
        spoken=[opening, *spoken.values()],
        latex=latex,
        omitted=wording.names_cut([k for k, name in layout.names.items() if k != name]),
        free=True,
    )


def _data(label: str) -> str:
    return f"rows {label}".strip()


def placed_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The rows of a panel with the box that answers for each, and their name as it is printed."""
    placed = []
    for n, row in enumerate(rows):
        box = frame.box_row((0.0, round(n * STEP, 2), float(layout.plot), STEP))
        ends = {key: frame.clipped(row[key], layout.x) for key in ("lower", "upper")}
        there = not row["missing"] and layout.x.holds(row["value"])
        more = {"py": (n + 0.5) * STEP, "there": there, "name": layout.names[row["setting"]]}
        placed.append(row | box | ends | more)
    return placed


def _panel(
    number: int, label: str, rows: Rows, layout: Layout, entry: Entry, description: str
) -> alt.LayerChart:
    layers = [*_intervals(layout, entry), *_texts(layout), *_heads(label, layout, entry)]
    layers += frame.title_marks(entry, layout.sheet, 0) if number == 0 else []
    places = {frame.settings_title(entry, entry.encoding.y): "datum.setting"}
    layers.append(frame.answers(entry, rows.all, places))
    return frame.panel_chart(layers, _data(label), (layout.plot, layout.sheet.height), description)


def _intervals(layout: Layout, entry: Entry) -> list[alt.Chart]:
    """Intervals and values; hollow where a run is not finished."""
    axis = layout.x.axis(
        title=frame.value_title(entry), titleAlign="center", titleX=layout.plot / 2,
        titleY=quantity.TICK_SIZE + PAD + theme.LABEL + PAD, titleBaseline="top",
        grid=True, gridColor=quantity.GRID, gridWidth=0.5,
    )  # fmt: skip
    colour, y = alt.expr("datum.colour"), alt.value(alt.expr("datum.py"))
    along: dict[str, Any] = {"scale": layout.x.scale(), "axis": axis}
    there = alt.Chart().transform_filter("datum.there")
    spans = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)").mark_rule(
        color=colour, strokeWidth=1.1, aria=False
    ).encode(alt.X("lower:Q", **along), alt.X2("upper:Q"), y=y)  # fmt: skip
    dots = there.mark_point(
        shape="circle", size=series.MARK, opacity=1, strokeWidth=1.1, stroke=colour,
        fill=alt.expr("datum.incomplete ? '#ffffff' : datum.colour"), aria=False,
    ).encode(alt.X("value:Q", **along), y=y)  # fmt: skip
    return [spans, dots]


def _texts(layout: Layout) -> list[alt.Chart]:
    """The name of each row, its value and its count; the best in bold, gaps with their reason."""
    base, weight = alt.Chart(), alt.expr("datum.bold ? 'bold' : 'normal'")
    style: dict[str, Any] = {
        "y": alt.expr("datum.py"), "baseline": "middle", "fontSize": theme.LABEL,
        "color": alt.expr("datum.text"), "aria": False,
    }  # fmt: skip
    small: dict[str, Any] = {**style, "fontSize": theme.SMALL, "limit": layout.count - 4}
    texts = {
        "name": base.mark_text(x=-layout.sheet.left, align="left", fontWeight=weight, **style),
        "label": base.mark_text(x=layout.value, align="right", fontWeight=weight, **style),
        "n": base.mark_text(x=layout.count, align="right", **style),
        "gap": base.transform_filter("datum.missing").mark_text(x=2, align="left", **small),
    }
    return [mark.encode(alt.Text(f"{name}:N")) for name, mark in texts.items()]


def _heads(label: str, layout: Layout, entry: Entry) -> list[alt.Chart]:
    """What counts are called, and the title of a panel."""
    head = sheet.single().mark_text(
        text=COUNTED, x=layout.count, y=-4.0, align="right", baseline="alphabetic",
        fontSize=theme.LABEL, fontStyle="italic",
    )  # fmt: skip
    up = layout.sheet.above - TITLE + theme.LABEL * 0.3 - 2
    title = sheet.title([label], -layout.sheet.left, up, "left", fontWeight="bold")
    return [head, title] if entry.panel else [head]


# --------------------------------------------------------------------------------------- the words


def _meanings(rows: Rows, entry: Entry, layout: Layout) -> list[str]:
    """What lines, bold, grey and hollow points mean, if they occur."""
    all_rows, what, heat = rows.all, metric(entry.encoding.x), entry.cells()
    (black,) = words.explain(["black"], all_rows, heat) or [""]
    beyond = sum(not (row["missing"] or layout.x.holds(row["value"])) for row in all_rows)
    hidden = f"not shown: {numbered(rows.hidden, 'pair')} with {NOTHING}"
    parts = [
        what.caveat if what.join else "",
        frame.errors_meaning(all_rows, entry.uncertainty, "line"),
        "bold",
        f"{black}; grey: told apart from it" if wording.count(all_rows, "grey") else "",
        reasons.untested_words(all_rows),
        "n: problems",
        "hollow",
        hidden if rows.hidden else "",
        frame.beyond_meaning(beyond, "x", "value"),
    ]
    return words.explain(parts, all_rows, heat)


def _spoken(label: str, rows: Sequence[Row], entry: Entry) -> str:
    """A panel in words, row by row."""
    texts = (
        f"{row['setting']}: {row['told']}" + f" ({row['between']})" * bool(row["between"])
        for row in rows
    )
    return f"{label}: " * bool(entry.panel) + "; ".join(texts) + "."


def _tex(row: Row) -> str:
    value = escape(row["label"]) or NONE
    bold = rf"\textbf{{{value}}}" if row["bold"] else value
    return line([escape(row["setting"]), bold, escape(row["between"]) or NONE, row["n"] or NONE])
