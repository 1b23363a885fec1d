"""forest: settings below each other, each with its value and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from heatproof.charts import quantity, series, sheet, theme, wording
from heatproof.charts.lettering import PAD, cut, widest
from heatproof.config.entries import Word  # noqa: TC001  msgspec looks it up
from heatproof.kinds import frame, states
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.picture import NONE, Latex, Picture, Remark, aside, escape, line
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.picture import Row
    from heatproof.util.lazy import polars as pl


class Entry(frame.View, kw_only=True):
    """A forest in config.yaml."""

    LOOK: ClassVar[set[str]] = {"form", "scale", "domain"}
    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "y", "color": "x"}
    SHOWS: ClassVar[str] = "{x} of each {y}"
    PART: ClassVar[str] = "part"
    ENDS: ClassVar[dict[str, str]] = {"domain": "scale"}

    encoding: frame.Settings
    """Column along y (a row for each value), and metric along x."""
    verdict: Literal["ink", "none"] = "ink"
    """`ink`: rows that can be told apart from the highest are grey."""
    form: Literal["rows", "dumbbell"] = "rows"
    """A row for each value; or `dumbbell`: one row joins the values of `detail`, such as before and
    after."""
    scale: Literal["linear", "log"] = "linear"
    """Scale of x."""
    domain: list[float] | None = None
    """Ends of x, in the unit shown."""
    relative_to: dict[str, Word | None] = {}
    """Column → its value in the baseline: rows show the difference, as in a heatmap."""

    def mistakes(self) -> list[Mistake]:
        why = "'dumbbell' joins the values of a column in one row; `encoding.detail` names it"
        lone = self.form == "dumbbell" and self.encoding.detail is None
        return super().mistakes() + [Mistake(".form", why)] * lone


Looks = Mapping[str, series.Style]  # of a dumbbell: value of `detail` → how its points are drawn


def rows_of(grid: pl.DataFrame, entry: Entry) -> tuple[dict[str, list[Row]], Looks, int]:
    """Title of a panel → its rows from top to bottom, looks, and how many pairs were never run.

    They stand by value, or as `sort` says of y; rows without a value stand last. A row is a cell
    (`frame.panels_of`) with its name (`setting`) and `colour`: ink, or grey where it can be told
    apart from the best. `line` is the name of its row, of which a dumbbell has one for all values
    of `detail`; then `part` is that value.
    """
    every, names = frame.panels_of(grid, entry, "none" if entry.best == "none" else "dots")
    several = grid["x"].n_unique() > 1
    before = {  # numbers of both columns: alone they say nothing
        at: f"{title} " if grid[at].dtype.is_numeric() and title else ""
        for at, title in (("x", names.x), ("y", names.y))
    }
    sign, panels = 1 if entry.best == "lowest" else -1, {}
    for label, rows in every.items():
        judged = {row["peers"] for row in rows if row["tied"]}
        for row in rows:
            detail = f" · {before['x']}{row['x']}" if several else ""
            grey = row["peers"] in judged and not (row["tied"] or row["best"])
            row.update({
                "setting": before["y"] + row["y"] + detail, "grey": grey,
                "part": before["x"] + row["x"], "shape": "circle", "dy": 0.0,
                "colour": theme.LINE if grey else theme.INK,
                "text": theme.QUIET if grey or row["missing"] else theme.INK,
                "n": "" if row["missing"] else row["size"],
            })  # fmt: skip
            line = before["y"] + row["y"] if entry.form == "dumbbell" else row["setting"]
            row |= {"line": line, "printed": row["label"], "count": row["n"]}
        valued = [row for row in rows if not row["missing"]]
        if entry.encoding.y not in entry.sort:
            valued.sort(key=lambda row: (sign * row["value"], row["cell"]))
        lost = [row for row in rows if row["missing"] and not cells.is_absent(row)]
        panels[label] = [*valued, *lost]
    looks: Looks = {}
    if entry.form == "dumbbell":
        looks = series.styles([*{row["part"]: 0 for row in frame.all_rows(every)}])
        panels = {label: _joined(part, looks) for label, part in panels.items()}
    drawn = frame.all_rows(panels)
    frame.require_on_axis(entry, drawn, "value", ("domain", "scale"), entry.cells())
    return panels, looks, len(grid) - len(drawn)


def _joined(rows: Sequence[Row], looks: Looks) -> list[Row]:
    """The rows of a panel, those with one name beside each other: the first has all numbers."""
    lines: dict[str, list[Row]] = {}
    for row in rows:
        look = looks[row["part"]].columns() | {"text": theme.INK, "bold": False, "gap": None}
        dy = ([*looks].index(row["part"]) - (len(looks) - 1) / 2) * DODGE / len(looks)
        line = lines.setdefault(row["line"], [])
        line.append(row | look | {"grey": False, "tied": False, "dy": round(dy, 2)})
    for beside in lines.values():
        values = [row["value"] for row in beside if not row["missing"]]
        labels = {row["part"]: row["label"] for row in beside}
        numbers = {
            "join_low": min(values, default=None), "join_high": max(values, default=None),
            "printed": ARROW.join(labels.get(part) or "–" for part in looks),
            "count": " / ".join(dict.fromkeys(row["n"] for row in beside if row["n"])),
        }  # fmt: skip
        others = (row | {"printed": "", "count": "", "line": ""} for row in beside[1:])
        beside[:] = [beside[0] | numbers, *others]
    return [row for beside in lines.values() for row in beside]


# -------------------------------------------------------------------------------------- the sizes

ARROW = " → "  # between the numbers of a dumbbell, …
JOINT = 4.0  # … whose points a line of this strength joins
DODGE = 6.0  # height that all points of a row share, lest one lies on another
STEP = 11.5  # from one row to the next
NAMES = 0.42  # part of the width that names may take
GAP = 8.0  # beside the intervals
CLOSE = 4.0  # points of a row that are nearer than this answer beside each other
ENDS = ("lower", "upper", "join_low", "join_high")  # columns that reach no further than the axis
LEAST = 60.0  # width of the intervals, at least
COUNTED = "n"  # what counts of problems are called
TITLE = 6.0  # and the name of a panel


@dataclass(frozen=True)
class Layout:
    """Places of a forest, in pt."""

    sheet: sheet.Sheet
    plot: int
    names: Mapping[str, str]  # setting → its name as it is printed
    value: float  # the right edge of the values, from the first interval's left end
    count: float  # the right edge of the counts
    x: quantity.Quantity
    looks: Looks
    legend: series.Legend


def lay_out(panels: Mapping[str, Sequence[Row]], looks: Looks, entry: Entry) -> Layout:
    """Names and numbers as wide as they are, and the intervals in what is left."""
    rows, width = frame.all_rows(panels), theme.width(entry.width)
    texts = widest((row["printed"] for row in rows), theme.LABEL, bold=True)
    count = widest([COUNTED, *(row["count"] for row in rows)], theme.LABEL)
    right = math.ceil(GAP + texts + GAP + count + 1)
    room = max(min(NAMES * width, width - right - LEAST - 2 * GAP), 30.0)
    names = cut([*dict.fromkeys(row["line"] for row in rows if row["line"])], room, theme.LABEL)
    left = math.ceil(widest(names.values(), theme.LABEL, bold=True) + GAP)
    plot, log = max(int(width - left - right), 20), entry.scale == "log"
    zero = [dict.fromkeys(("value", "lower", "upper"), 0.0)] * bool(entry.relative_to)
    ends = frame.domain([*rows, *zero], ("value", "lower", "upper"), log, entry.domain)
    legend = series.legend([*looks], width)
    page = sheet.Sheet(
        width=width, left=left, gap=0.0, rows=len(panels), margin=0.0, with_id=entry.id,
        above=theme.LABEL + 5.0 + (theme.TITLE + TITLE if entry.panel else 0.0),
        below=quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL,
        height=math.ceil(max(len(_lines(part)) for part in panels.values()) * STEP),
        head=legend.height, title=entry.title,
    )  # fmt: skip
    x = quantity.along(ends, plot, log, frame.value_limits(entry.cells()))
    return Layout(page, plot, names, plot + GAP + texts, plot + right - 1.0, x, looks, legend)


# ------------------------------------------------------------------------------------- the picture


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """What a forest shows and says."""
    panels, looks, hidden = rows_of(grid, entry)
    layout = lay_out(panels, looks, entry)
    placed = {label: placed_rows(part, layout) for label, part in panels.items()}
    rows = frame.all_rows(placed)
    value, title = frame.value_title(entry), frame.settings_title(entry, entry.encoding.y)
    parts = _meanings(rows, looks, hidden, entry)
    doubts = [] if entry.relative_to else frame.doubts_of(grid, entry.cells())
    meanings = frame.explain(entry, rows, parts, doubts)
    spoken = {
        label: f"{label}: " * bool(entry.panel) + "; ".join(map(_spoken, part)) + "."
        for label, part in panels.items()
    }

    def charts() -> Any:
        drawn = []
        data = {f"rows {label}".strip(): part for label, part in placed.items()}
        data[frame.LEGEND] = frame.legend_rows(layout.legend, layout.sheet, looks)
        for label in placed:
            layers = [*_intervals(layout, entry), *_texts(layout), *_heads(label, layout, entry)]
            layers.append(frame.answers(entry, rows, {title: "datum.setting"}))
            size = layout.plot, layout.sheet.height
            drawn.append([frame.panel_chart(layers, f"rows {label}".strip(), size, spoken[label])])
        drawn[0][0].layer += layout.legend.layers(frame.LEGEND, line=False) if looks else []
        return drawn, data

    return Picture(
        shows=f"{value} of each {frame.settings_words(entry, entry.encoding.y)}", noun="row",
        rows=rows, sheet=layout.sheet, charts=charts, meanings=meanings, free=True,
        spoken=[f"{frame.spoken_value(entry)} of each {title}, by value.", *spoken.values()],
        latex=Latex(
            columns="lrrr", head=[frame.tex_row([title, value, "95 % interval", "problems"])],
            parts={label: [*map(_tex, part)] for label, part in panels.items()},
            meanings=frame.tex_comments(meanings),
        ),
        omitted=wording.names_cut([k for k, name in layout.names.items() if k != name]),
    )  # fmt: skip


def placed_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The rows of a panel with the box that answers for each, and their name as it is printed."""
    placed = []
    for n, beside in enumerate(_lines(rows)):
        values = [frame.clipped(row["value"], layout.x) for row in beside]
        at = [0.0 if value is None else layout.x.place(value) for value in values]
        middles = series.spread_out(at, CLOSE, 0.0, layout.plot)
        edges = [0.0, *((a + b) / 2 for a, b in pairwise(sorted(middles))), float(layout.plot)]
        for row, middle in zip(beside, middles, strict=True):
            k = sum(other < middle for other in middles)
            left, right = edges[k : k + 2]
            placed.append(
                row
                | frame.box_row((round(left, 2), round(n * STEP, 2), round(right - left, 2), STEP))
                | {key: frame.clipped(row[key], layout.x) for key in ENDS if key in row}
                | {"py": (n + 0.5) * STEP, "name": layout.names.get(row["line"], "")}
                | {"there": not row["missing"] and layout.x.holds(row["value"])}
            )
    return placed


def _lines(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of a panel; of a dumbbell, those that lie beside each other together."""
    lines: list[list[Row]] = []
    for row in rows:
        if row["line"]:
            lines.append([])
        lines[-1].append(row)
    return lines


def _intervals(layout: Layout, entry: Entry) -> list[alt.Chart]:
    """Intervals and values; hollow where a run is not finished."""
    axis = layout.x.axis(
        title=frame.value_title(entry), titleAlign="center", titleX=layout.plot / 2,
        titleY=quantity.TICK_SIZE + PAD + theme.LABEL + PAD, titleBaseline="top",
        grid=True, gridColor=quantity.GRID, gridWidth=0.5,
    )  # fmt: skip
    colour, y = alt.expr("datum.colour"), alt.value(alt.expr("datum.py + datum.dy"))
    along: dict[str, Any] = {"scale": layout.x.scale(), "axis": axis}
    there = alt.Chart().transform_filter("datum.there")
    spans = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)").mark_rule(
        color=colour, strokeWidth=1.1, aria=False
    ).encode(alt.X("lower:Q", **along), alt.X2("upper:Q"), y=y)  # fmt: skip
    dots = there.mark_point(
        shape=alt.expr("datum.shape"), size=series.MARK, opacity=1, strokeWidth=1.1, stroke=colour,
        fill=alt.expr("datum.incomplete ? '#ffffff' : datum.colour"), aria=False,
    ).encode(alt.X("value:Q", **along), y=y)  # fmt: skip
    if entry.relative_to and layout.x.holds(0.0):
        at, high = layout.x.place(0.0), layout.sheet.height
        spans = sheet.box(fill=theme.LINE, x=at - 0.3, x2=at + 0.3, y=0, y2=high) + spans
    if entry.form == "rows":
        return [spans, dots]
    middle = alt.value(alt.expr("datum.py"))
    joined = alt.Chart().transform_filter("isValid(datum.join_low)").mark_rule(
        color=quantity.GRID, strokeWidth=JOINT, aria=False
    ).encode(alt.X("join_low:Q", **along), alt.X2("join_high:Q"), y=middle)  # fmt: skip
    return [joined, spans, dots]


def _texts(layout: Layout) -> list[alt.Chart]:
    base, weight = alt.Chart(), alt.expr("datum.bold ? 'bold' : 'normal'")
    style: dict[str, Any] = {
        "y": alt.expr("datum.py"), "baseline": "middle", "fontSize": theme.LABEL,
        "color": alt.expr("datum.text"), "aria": False,
    }  # fmt: skip
    small: dict[str, Any] = {**style, "fontSize": theme.SMALL, "limit": layout.count - 4}
    texts = {
        "name": base.mark_text(x=-layout.sheet.left, align="left", fontWeight=weight, **style),
        "printed": base.mark_text(x=layout.value, align="right", fontWeight=weight, **style),
        "count": base.mark_text(x=layout.count, align="right", **style),
        "gap": base.transform_filter("datum.missing").mark_text(x=2, align="left", **small),
    }
    return [mark.encode(alt.Text(f"{name}:N")) for name, mark in texts.items()]


def _heads(label: str, layout: Layout, entry: Entry) -> list[alt.Chart]:
    style: dict[str, Any] = {"align": "right", "baseline": "alphabetic", "fontStyle": "italic"}
    head = sheet.words([COUNTED], layout.count, -4.0, **style)
    up = layout.sheet.above - theme.TITLE - TITLE + theme.LABEL * 0.3 - 2
    title = sheet.title([label], -layout.sheet.left, up, "left", fontWeight="bold")
    return [head, title] if entry.panel else [head]


def _meanings(rows: Sequence[Row], looks: Looks, hidden: int, entry: Entry) -> list[str | Remark]:
    heat = entry.cells()
    bold = words.baseline_parts(rows, heat, values=True) if entry.relative_to else ["bold"]
    nothing = states.GAPS[states.NOTHING].words
    lost = f"not shown: {numbered(hidden, 'pair')} with {nothing}" if hidden else ""
    return [
        frame.errors_meaning(rows, entry, "coloured line" if looks else "line"),
        Remark("grey line: joins the values of a row" * bool(looks)),
        *bold,
        "grey",
        aside(reasons.untested_words(rows)),
        Remark(f"numbers: {ARROW.join(looks)}" * bool(looks)),
        Remark("n: problems"),
        "hollow",
        Remark(lost),
        frame.beyond_meaning(rows, "x", "value"),
    ]


def _spoken(row: Row) -> str:
    return f"{row['setting']}: {row['told']}" + f" ({row['between']})" * bool(row["between"])


def _tex(row: Row) -> str:
    value = escape(row["label"]) or NONE
    bold = rf"\textbf{{{value}}}" if row["bold"] else value
    return line([escape(row["setting"]), bold, escape(row["between"]) or NONE, row["n"] or NONE])
