"""scatter: one metric against another, such as cost against score, a point for each setting.

A point beats another where it is no worse in both metrics and better in one, so that ties are all
on the front; beyond doubt, where its whole interval is better in both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import msgspec

from heatproof.charts import quantity, series, spec, theme
from heatproof.charts.lettering import APART, broken, text_width
from heatproof.kinds import frame
from heatproof.kinds.heatmap import cells, report, words
from heatproof.kinds.heatmap.aggregate import count_cells
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.entry import Letters  # noqa: TC001  msgspec looks it up
from heatproof.kinds.picture import NONE, Latex, Picture, Remark, aside, escape, line
from heatproof.metrics import metric
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Drawn
    from heatproof.kinds.question import Question
    from heatproof.kinds.recount import Definition

ALONG = (
    "value", "se", "low", "high", "samples", "epochs", "gap", "lacks", "unjudged", "tried",
)  # fmt: skip
"""Columns of the grid of the metric along x; the scatter's grid has them with `x_` before them."""
SHARED = ("expected", "reconstructed")
"""Columns that say of both metrics the same."""


class Encoding(msgspec.Struct, kw_only=True):
    """Metrics along x and y, and the columns with a point for each value or pair."""

    x: str
    y: str
    label: str = "model"
    detail: str | None = None
    """Its values name the points; colours tell apart those of `label`."""


class Entry(frame.View, kw_only=True):
    """A scatter in config.yaml."""

    LOOK: ClassVar[set[str]] = {
        "front", "x_scale", "y_scale", "x_domain", "domain", "letters", "columns",
    }  # fmt: skip
    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "label", "color": "y"}
    SHOWS: ClassVar[str] = "{y} over {x}, a point for each {label}"
    ENDS: ClassVar[dict[str, str]] = {"x_domain": "x_scale", "domain": "y_scale"}

    encoding: Encoding
    """Metrics along x and y, and the columns with a point for each value."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """Drawn around values: a 95 % interval, a standard error (`se`), or nothing."""
    front: Literal["lowest", "highest", "none"] = "lowest"
    """Which end of x is good (of y: `best`). The front joins the points that no other beats in
    both."""
    x_scale: Literal["linear", "log"] = "linear"
    """Scale of x."""
    y_scale: Literal["linear", "log"] = "linear"
    """Scale of y."""
    x_domain: list[float] | None = None
    """Ends of x, in the unit shown."""
    domain: list[float] | None = None
    """Ends of y, in the unit shown."""
    letters: Letters | None = None
    """Letters before the names of panels, in this style."""
    columns: int | None = None
    """Panels in a row."""

    @property
    def costs(self) -> Question:
        """The question of the metric along x."""
        x, y = self.encoding.x, self.encoding.y
        unknown = x != y and frame.has_no_interval(x)
        return self.ask(
            "x",
            format=None,
            percent=None,
            best="highest" if self.front == "highest" else "lowest",
            uncertainty="none" if unknown else self.counted_uncertainty(),
        )

    def questions(self) -> list[Question]:
        return [self.question, self.costs]

    def definitions(self) -> list[Definition]:
        return [self.question.definition(), self.costs.definition("x_", self.encoding.x)]

    def mistakes(self) -> list[Mistake]:
        why = "'none' leaves no good end of y for the front; write front: none"
        endless = self.front != "none" and self.best == "none"
        return super().mistakes() + [Mistake(".best", why)] * endless

    @property
    def signs(self) -> tuple[float, float]:
        """Factors of x and y by which less of x and more of y is better."""
        return (-1.0 if self.front == "highest" else 1.0), (-1.0 if self.best == "lowest" else 1.0)


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: Any = None, logs: Any = None
) -> pl.DataFrame:
    """The grid of the heatmap of y, with the metric along x beside it."""
    score, cost = (count_cells(samples, asked, partial, logs) for asked in entry.questions())
    keys = entry.question.places
    beside = cost.select(*keys, *(cost[name].alias(f"x_{name}") for name in ALONG))
    return score.join(beside, on=keys, how="left", nulls_equal=True, maintain_order="left")


def costs(grid: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """The grid of the metric along x, in which no cells are compared."""
    columns = [*entry.question.places, *SHARED]
    values = [pl.col(f"x_{name}").alias(name) for name in ALONG]
    none = pl.lit(None, pl.Int64)
    return grid.select(*columns, *values, peers=none, common=none, best=False, tied=False)


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    text: str = frame.csv(report.in_own_unit(grid, entry.costs, "x_"), entry)
    return text


class Row(frame.Row, kw_only=True):
    """A point, with its value along y and `cost` along x."""

    setting: str = ""  # its name in full
    name: str = ""  # the same in the figure
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    cost_told: str = ""
    cost_between: str = ""
    left_end: float | None = None  # ends of what is drawn around the cost
    right_end: float | None = None
    shape: str = "circle"
    colour: str = theme.INK
    dash: Sequence[float] = ()
    front: bool = False
    maybe: bool = True  # no other beats it beyond doubt
    filled: bool = True

    @property
    def place(self) -> tuple[float, float]:
        """Its cost and its value."""
        return self.cost or 0.0, self.value or 0.0


@dataclass(frozen=True)
class Points:
    """All points of a figure."""

    panels: Mapping[str, Sequence[Row]]  # label of a panel → its rows with both values
    lost: Sequence[Row]  # rows with records that lack a value
    x: str  # title of x
    styles: Mapping[str, series.Style]  # value of `label` → look of its points, with `detail` alone
    doubts: Sequence[str]  # why a metric has no interval, so that no point is beaten beyond doubt


def points_of(grid: pl.DataFrame, entry: Entry) -> Points:
    """The points of a grid."""
    every, names = frame.panels_of(grid, entry, Row)
    question, along = entry.costs, costs(grid, entry)
    across = read_cells(along, question, "none")
    priced = cells.letter_cells(
        across, {question.word: cells.value_digits(across, question)}, question, None
    )
    several = grid["x"].n_unique() > 1
    labels = dict.fromkeys(row.y for row in frame.all_rows(every))
    styles = series.styles([*labels]) if several else {}
    panels: dict[str, list[Row]] = {}
    lost = []
    for title, part in every.items():
        points = panels.setdefault(title, [])
        for row in part:
            _add_cost(row, priced[row.number], question, entry)
            row.setting = f"{row.y} · {row.x}" if several else row.y
            row.name = row.x if several else row.y
            if several:
                style = styles[row.y]
                row.shape, row.colour, row.dash = style.shape, style.colour, style.dash
            if row.value is not None and row.cost is not None:
                points.append(row)
            elif not row.state.is_absent:
                lost.append(row)
    rows = frame.all_rows(panels)
    costs_told = [(row.place[0], row.cost_told, row.setting) for row in rows]
    frame.require_on_axis(entry, costs_told, ("x_domain", "x_scale"), question)
    values_told = [(row.place[1], row.told, row.setting) for row in rows]
    frame.require_on_axis(entry, values_told, ("domain", "y_scale"), entry.question)
    x = question.value_title
    doubts = [
        f"{title}: {why}"
        for title, own, of in ((names.value, grid, entry.question), (x, along, question))
        for why in frame.doubts_of(own, of)
    ]
    judged = {title: _judge(part, entry, bool(doubts)) for title, part in panels.items()}
    return Points(judged, lost, x, styles, doubts)


def _add_cost(row: Row, cost: Drawn, question: Question, entry: Entry) -> None:
    """Add what a cell of the metric along x is; a gap of either is that of the point."""
    row.cost, row.cost_low, row.cost_high = cost.value, cost.low, cost.high
    row.cost_told, row.cost_between = cost.told, cost.between
    row.left_end, row.right_end = frame.spread_ends(cost, question.uncertainty, entry.drawn)
    row.gap, row.why = row.gap or cost.gap, row.why or cost.why


Span = tuple[float, float, float]  # a value and the ends of its interval, rising


def _spans(row: Row, entry: Entry) -> tuple[Span, Span]:
    """Cost and value with their intervals, turned so that more is better."""
    (cost, value), (across, up) = row.place, entry.signs
    ends = [(cost, row.cost_low, row.cost_high, -across), (value, row.low, row.high, up)]
    spans = []
    for number, low, high, sign in ends:
        known = [number, number] if low is None or high is None else [low, high]
        first, last = sorted(sign * end for end in known)
        spans.append((sign * number, first, last))
    return spans[0], spans[1]


def _judge(rows: Sequence[Row], entry: Entry, unknown: bool) -> list[Row]:
    """The rows with `front`, `maybe` and `filled`.

    `unknown`: a metric has no intervals, so that any point may be on the front.
    """
    if entry.front == "none":
        return [*rows]
    spans = [_spans(row, entry) for row in rows]
    for row, ((x, _, x_high), (y, _, y_high)) in zip(rows, spans, strict=True):
        row.front = not any(a >= x and b >= y and (a, b) != (x, y) for (a, *_), (b, *_) in spans)
        surely = any(low > x_high and foot > y_high for (_, low, _), (_, foot, _) in spans)
        row.maybe = unknown or not surely
        row.filled = row.front or not row.maybe
    return [*rows]


# -------------------------------------------------------------------------------------- the sizes

LEAST = (120.0, 150.0)  # width of a panel in narrow and in wide figures, unless the user gives it
MOST = 330.0  # nor wider, where the figure has no width
HIGH = 0.72  # height of a panel as a part of its width …
HEIGHTS = (110.0, 230.0)  # … from and to
NEAR = 7.0  # a point answers so far from its middle
CLOSE = 3.0  # points that are nearer than this answer beside each other


@dataclass(frozen=True, kw_only=True)
class Layout(frame.Panels):
    """Places of a scatter, in pt."""

    x: quantity.Quantity
    y: quantity.Quantity

    def place(self, cost: float, value: float) -> tuple[float, float]:
        """Where a point lies in its panel, as near as the axes reach."""
        wide, high = self.size
        x, y = self.x.place(cost), high - self.y.place(value)
        return min(max(x, 0.0), float(wide)), min(max(y, 0.0), float(high))


def lay_out(points: Points, entry: Entry) -> Layout:
    """The most panels in a row that have room, all with the same axes."""
    width, rows, gap = theme.width(entry.width), frame.all_rows(points.panels), frame.GAP
    logs = entry.x_scale == "log", entry.y_scale == "log"
    of_x, of_y = (frame.value_limits(question) for question in (entry.costs, entry.question))
    reach = [end for row in rows for end in (row.cost, row.left_end, row.right_end)]
    up = frame.domain(frame.reach_of(rows), logs[1], entry.domain)
    over = frame.domain(reach, logs[0], entry.x_domain)
    rough = quantity.upward(up, HEIGHTS[0], logs[1], of_y)
    left, right = math.ceil(theme.LABEL + APART + quantity.label_room(rough) + APART), 4
    least, count = LEAST[width >= theme.ROOMY], len(points.panels)
    columns = frame.count_columns(count, width - left - right, least, gap, entry.columns)
    room = (width - left - right - (columns - 1) * gap) / columns
    wide = int(room if entry.width else min(room, MOST))
    high = round(min(max(wide * HIGH, HEIGHTS[0]), HEIGHTS[1]))
    used = width if entry.width else left + columns * wide + (columns - 1) * gap + right
    legend = series.legend([*points.styles], used - left)
    across = broken(points.x, wide, theme.LABEL)
    sides = {"width": used, "left": left, "gap": gap, "labels": theme.LABEL}
    return Layout(
        sheet=Layout.page(entry, math.ceil(count / columns), high, legend, across, **sides),
        columns=columns, size=(wide, high), legend=legend,
        x=quantity.along(over, wide, logs[0], of_x), y=quantity.upward(up, high, logs[1], of_y),
        titles=(across, broken(entry.question.value_title, high, theme.LABEL)),
    )  # fmt: skip


def placed_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The points of a panel with the box that answers for each; no box lies on another."""
    middles: list[tuple[float, float]] = []
    for row in rows:
        x, y = layout.place(*row.place)
        while any(max(abs(x - a), abs(y - b)) < CLOSE for a, b in middles):
            x += CLOSE
        middles.append((x, y))
    for n, (row, (x, y)) in enumerate(zip(rows, middles, strict=True)):
        far = (max(abs(x - a), abs(y - b)) for k, (a, b) in enumerate(middles) if k != n)
        half = math.floor(min([NEAR, *(distance / 2 for distance in far)]) * 100) / 100
        row.put((round(x - half, 2), round(y - half, 2), 2 * half, 2 * half))
        row.lower, row.upper = (frame.clipped(end, layout.y) for end in (row.lower, row.upper))
        row.left_end = frame.clipped(row.left_end, layout.x)
        row.right_end = frame.clipped(row.right_end, layout.x)
        cost, value = row.place
        row.there = layout.x.holds(cost) and layout.y.holds(value)
    return [*rows]


class Step(TypedDict):
    """A corner of the front, by number, as a row of data."""

    n: int
    cost: float
    value: float


def front_rows(rows: Sequence[Row], entry: Entry) -> list[Step]:
    """The corners of the stepped line from the first point of the front to the last."""
    sign, up = entry.signs
    places = [row.place for row in rows if row.front]
    front = sorted({(sign * cost, up * value) for cost, value in places})
    corners = front[:1]
    for (_, level), (x, y) in pairwise(front):
        corners += [(x, level), (x, y)]
    return [
        {"n": n, "cost": sign * x, "value": up * y}
        for n, (x, y) in enumerate(corners if len(front) > 1 else [])
    ]


# ------------------------------------------------------------------------------------- the names

Place = tuple[float, float]  # in pt
Box = tuple[float, float, float, float]  # left, top, right, bottom, in pt
RADIUS = 4.0  # of a point with the air around it
RINGS = (5.0, 11.0, 19.0, 28.0)  # from a point to its name; from the second on, a hair leads there
WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand: right, left, above, below, and between; the first that is free."""
PIECE = 4.0  # length of a piece of a line that a name must avoid


def half() -> float:
    """Half of the height of a name."""
    return theme.LABEL * 0.55


def name_rows(rows: Sequence[Row], steps: Sequence[Step], layout: Layout) -> list[dict[str, Any]]:
    """The names that have a place, those of the front first.

    A name lies on no point and no other name. It avoids lines: crosses, the front, and hairs to
    other names; where no such place is free, it may lie on them, and last its hair on names.
    """
    there = sorted(
        (row for row in rows if row.there),
        key=lambda row: (not row.front, not row.maybe, row.number),
    )
    points = [layout.place(*row.place) for row in there]
    dots = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    corners = [layout.place(step["cost"], step["value"]) for step in steps]
    ends = [*pairwise(corners), *(e for row in there for e in _cross(row, layout))]
    lines = [box for start, end in ends for box in _along(start, end)]
    names: list[dict[str, Any]] = []
    taken: list[Box] = []
    for n, (row, (x, y)) in enumerate(zip(there, points, strict=True)):
        hard = [*taken, *dots[:n], *dots[n + 1 :]]
        wide = text_width(row.name, theme.LABEL)
        apart = [box for box in hard if not _touch([(x, y, x, y)], [box])]
        tries: list[tuple[list[Box], list[Box]]]
        tries = [([*hard, *lines], apart), (hard, apart), (hard, [])]
        places = (_free(wide, (x, y), name, hair, layout.size) for name, hair in tries)
        if place := next(filter(None, places), None):
            left, middle, end, led = place
            taken.append((left - 1, middle - half(), left + wide + 1, middle + half()))
            lines += _along((x, y), (end, middle)) if led else []
            names.append({
                "text": row.name, "px": round(left, 2), "py": round(middle, 2), "led": led,
                "fx": round(x, 2), "fy": round(y, 2), "ex": round(end, 2), "bold": row.front,
                "right": round(left + wide, 2), "ink": theme.INK if row.maybe else theme.QUIET,
            })  # fmt: skip
    return names


def _free(
    wide: float, point: Place, taken: Sequence[Box], apart: Sequence[Box], size: Place
) -> tuple[float, float, float, bool] | None:
    """Left edge and middle of the first free place of a name, and end of the hair that leads there.

    The name lies on nothing of `taken`, the hair on nothing of `apart`. Last: whether there is one.
    """
    for ring in RINGS:
        for right, down in WAYS:
            away = ring * (0.6 if right and down else 1.0)
            x = point[0] + right * away - wide * (0.5 - right / 2)
            if not right:  # above or below a point at the edge, it stands inside
                x = min(max(x, 0.0), size[0] - wide)
            y = point[1] + down * (away + half() - 1)
            name = x, y - half() + 1, x + wide, y + half() - 1
            end, led = (x + wide * (0.5 - right / 2) if right else point[0]), ring != RINGS[0]
            hair = _along(point, (end, y)) if led else []
            inside = name[0] >= 0 and name[1] >= 0 and name[2] <= size[0] and name[3] <= size[1]
            if inside and not (_touch([name], taken) or _touch(hair, apart)):
                return x, y, end, led
    return None


def _touch(boxes: Sequence[Box], others: Sequence[Box]) -> bool:
    pairs = product(boxes, others)
    return any(p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3] for p, q in pairs)


def _along(start: Place, end: Place) -> list[Box]:
    """Small boxes that cover a line."""
    (x, y), (over, down) = start, (end[0] - start[0], end[1] - start[1])
    count = math.ceil(max(abs(over), abs(down)) / PIECE) + 1
    middles = [(x + over * n / count, y + down * n / count) for n in range(count + 1)]
    return [
        (min(a, c) - 0.5, min(b, d) - 0.5, max(a, c) + 0.5, max(b, d) + 0.5)
        for (a, b), (c, d) in pairwise(middles)
    ]


def _cross(row: Row, layout: Layout) -> list[tuple[Place, Place]]:
    """The ends of the two lines of the cross of a point."""
    (cost, value), lines = row.place, []
    if row.left_end is not None and row.right_end is not None:
        lines.append((layout.place(row.left_end, value), layout.place(row.right_end, value)))
    if row.upper is not None and row.lower is not None:
        lines.append((layout.place(cost, row.upper), layout.place(cost, row.lower)))
    return lines


# ------------------------------------------------------------------------------------- the picture

NAMELESS = (
    "the names of {}, which found no free place: a larger `width` makes room, or a panel for each "
    "of their values"
)
HALO = 0.8  # how much the ground of a name hides of what lies below it
OPACITY = "datum.maybe ? 1 : 0.45"  # of a point: less where others beat it beyond doubt


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """What a scatter shows and says."""
    points = points_of(grid, entry)
    layout = lay_out(points, entry)
    title, value = frame.settings_title(entry, entry.encoding.label), entry.question.value_title
    placed = {label: placed_rows(rows, layout) for label, rows in points.panels.items()}
    rows = frame.all_rows(placed)
    steps = {label: front_rows(part, entry) for label, part in placed.items()}
    names = {label: name_rows(part, steps[label], layout) for label, part in placed.items()}
    front = f"front of the {entry.front} {points.x} and the {entry.best} {value}"
    front = "" if entry.front == "none" else front
    meanings = _meanings(rows, points, entry, front, any(steps.values()))
    spoken = {label: _spoken(label, part) for label, part in placed.items()}
    facts = {points.x: "cost_told", f"{points.x}, 95 % interval": "cost_between"}
    more = {}
    for of_cost, name in facts.items():
        if any(getattr(row, name) for row in rows):
            more[of_cost] = f"datum.{name}"

    def charts() -> Any:
        legend = frame.legend_rows(layout.legend, layout.sheet, points.styles)
        data: dict[str, Sequence[Any]] = {frame.LEGEND: legend}
        for label, part in placed.items():
            data[f"points {label}".strip()] = frame.data_of(part)
            data |= {f"names {label}": names[label], f"front {label}": steps[label]}
        marks = {
            label: [*_marks(number, label, layout, bool(front)), *_names(label)]
            for number, label in enumerate(placed)
        }
        over = layout.legend.layers(frame.LEGEND, line=False) if points.styles else []
        answering = frame.answers(entry, rows, {title: "datum.setting"}, **more)
        return layout.charts(marks, over, answering, spoken, entry.letters), data

    settings = frame.settings_words(entry, entry.encoding.label)
    opening = f"Scatter of {frame.spoken_value(entry)} over {points.x}, a point for each {title}."
    unnamed = sum(row.there for row in rows) - sum(map(len, names.values()))
    return Picture(
        shows=f"{value} over {points.x}, a point for each {settings}", noun="point", rows=rows,
        lost=points.lost, sheet=layout.sheet, charts=charts, meanings=meanings, free=True,
        spoken=[opening, *spoken.values()], facts=facts, flags={"on the front": "front"},
        latex=_latex(placed, (title, points.x, value), front, meanings),
        omitted=[NAMELESS.format(numbered(unnamed, "point"))] if unnamed else [], mend=frame.MEND,
    )  # fmt: skip


def _marks(number: int, label: str, layout: Layout, fronted: bool) -> list[alt.Chart]:
    """The stepped front, intervals of both metrics, and points: filled, white or pale."""
    grid: dict[str, Any] = {"grid": True, "gridColor": quantity.GRID, "gridWidth": 0.5}
    axis = layout.x.axis(**layout.x_axis(), **grid)
    along: dict[str, Any] = {"scale": layout.x.scale(), "axis": axis}
    axis = layout.y.axis(**layout.y_axis(number), labels=number % layout.columns == 0)
    up: dict[str, Any] = {"scale": layout.y.scale(upward=True), "axis": axis}
    x, y = alt.X("cost:Q", **along), alt.Y("value:Q", **up)
    there = alt.Chart().transform_filter("datum.there")
    pale: dict[str, Any] = {"aria": False, "opacity": alt.expr(OPACITY)}
    cross = pale | {"strokeWidth": 0.8, "color": alt.expr("datum.colour")}
    across = there.transform_filter("isValid(datum.left_end) && isValid(datum.right_end)")
    upward = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    steps = alt.Chart(alt.NamedData(f"front {label}")).mark_line(
        stroke=theme.LINE, strokeWidth=1.0, strokeDash=[3, 2], clip=True, aria=False
    )
    dots = there.mark_point(
        shape=alt.expr("datum.shape"), size=series.MARK + 6, strokeWidth=1.1,
        stroke=alt.expr("datum.colour"),
        fill=alt.expr("datum.filled ? datum.colour : '#ffffff'"), **pale,
    )  # fmt: skip
    return [
        *([steps.encode(x, y, alt.Order("n:Q"))] if fronted else []),
        across.mark_rule(**cross).encode(alt.X("left_end:Q", **along), alt.X2("right_end:Q"), y),
        upward.mark_rule(**cross).encode(x, alt.Y("lower:Q", **up), alt.Y2("upper:Q")),
        dots.encode(x, y),
    ]


def _names(label: str) -> list[alt.Chart]:
    """Names beside points, on a white ground, with a hair to those that stand off."""
    base = alt.Chart(alt.NamedData(f"names {label}"))
    hairs = base.transform_filter("datum.led").mark_rule(
        color=theme.LINE, strokeWidth=0.5, aria=False
    ).encode(**spec.places(x="fx", y="fy", x2="ex", y2="py"))  # fmt: skip
    halo = base.mark_rect(fill=theme.PAPER, opacity=HALO, cornerRadius=2, aria=False).encode(
        **spec.places(x="px - 1", x2="right + 1", y=f"py - {half()}", y2=f"py + {half()}")
    )
    style = {"fontSize": theme.LABEL, "color": alt.expr("datum.ink")}
    return [hairs, halo, spec.texts(base, "text", **style)]


# --------------------------------------------------------------------------------------- the words


def _meanings(
    rows: Sequence[Row], points: Points, entry: Entry, front: str, stepped: bool
) -> list[Remark]:
    caveats = dict.fromkeys(metric(word).caveat for word in (entry.encoding.x, entry.encoding.y))
    may = any(row.maybe and not row.front for row in rows)
    up = any(row.lower is not None for row in rows)
    across = any(row.left_end is not None for row in rows)
    within = ", but within the intervals" * (not points.doubts)
    error, more = words.error_words(rows, entry.uncertainty)
    parts = {
        **{aside(caveat): True for caveat in caveats},
        Remark(error, more, mark="cross" if up and across else "line"): up or across,
        Remark("stepped line: front", front.removeprefix("front")): stepped,
        Remark("filled: on the front in this sample"): front,
        Remark(f"white: beaten{within}"): front and may,
        Remark("pale: beaten beyond them"): not all(row.maybe for row in rows),
        Remark("some runs are incomplete"): any(row.incomplete for row in rows),
        Remark(f"not shown: {numbered(len(points.lost), 'setting')} without a value"): points.lost,
        frame.beyond_meaning(rows, "the axes", "point"): True,
    }
    remarks = [remark for remark, occurs in parts.items() if remark.text and occurs]
    return [*remarks, *map(aside, points.doubts)]


def _spoken(label: str, rows: Sequence[Row]) -> str:
    points = [
        f"{row.setting}: {row.told} at {row.cost_told}" + ", on the front" * row.front
        for row in rows
    ]
    return f"{label}: " * bool(label) + ("; ".join(points) or "no point") + "."


def _latex(
    parts: Mapping[str, Sequence[Row]], titles: Sequence[str], front: str, notes: Sequence[Remark]
) -> Latex:
    """The points by their place along x; `titles`: of names, x and y."""
    title, x, y = titles
    return Latex(
        columns="lrrrrr",
        head=[frame.tex_row([title, x, "95 % interval", y, "95 % interval", "problems"])],
        parts={
            label: [_tex(row) for row in sorted(rows, key=lambda row: (row.place[0], row.number))]
            for label, rows in parts.items()
        },
        meanings=[f"bold: {front}"] * bool(front) + frame.tex_comments(notes),
    )


def _tex(row: Row) -> str:
    name = escape(row.setting)
    name = rf"\textbf{{{name}}}" if row.front else name
    texts = [row.cost_told, row.cost_between, row.told, row.between]
    return line([name, *(escape(text) or NONE for text in texts), row.size])
