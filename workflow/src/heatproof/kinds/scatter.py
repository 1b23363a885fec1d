"""scatter: one metric against another, such as cost against score, a point for each setting.

A point beats another where it is no worse in both metrics and better in one, so that ties are all
on the front; beyond doubt, where its whole interval is better in both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypedDict

import msgspec

from heatproof.charts import quantity, series, spec, theme
from heatproof.charts.lettering import APART, broken, text_width
from heatproof.charts.spec import data_chart, data_name, datum
from heatproof.kinds import frame, looks, references
from heatproof.kinds.columns import join_cells
from heatproof.kinds.heatmap import cells, report, words
from heatproof.kinds.heatmap.aggregate import count_cells
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.entry import Letters  # noqa: TC001  msgspec looks it up
from heatproof.kinds.picture import Charts, Latex, Picture, Remark, aside, tex_line, tex_text
from heatproof.kinds.references import Reference  # noqa: TC001  msgspec looks it up
from heatproof.metrics import metric
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.series import Styles
    from heatproof.charts.spec import ChartKeys, Datum
    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.heatmap.cell import Drawn
    from heatproof.kinds.picture import Layers
    from heatproof.kinds.question import Question
    from heatproof.kinds.recount import Definition

ALONG = (
    "value", "se", "low", "high", "samples", "epochs", "gap", "lacks", "unjudged", "tried",
)  # fmt: skip
"""Columns of the grid of the metric along x; the scatter's grid has them with `x_` before them."""
SHARED = ("expected", "reconstructed")
"""Columns that say of both metrics the same."""
Place = tuple[float, float]
"""Numbers along x and y: of the metrics, or in pt."""


class ScatterEncoding(msgspec.Struct, kw_only=True):
    """Metrics along x and y, and the columns with a point for each value or pair."""

    x: str
    y: str
    label: str = "model"
    detail: str | None = None
    """Its values name the points; colours tell apart those of `label`."""


class Entry(frame.View, kw_only=True):
    """A scatter in config.yaml."""

    LOOK: ClassVar[set[str]] = {
        "front", "x_scale", "y_scale", "x_domain", "domain", "letters", "columns", "reference",
    }  # fmt: skip
    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "label", "color": "y"}
    SHOWS: ClassVar[str] = "{y} over {x}, a point for each {label}"
    ENDS: ClassVar[dict[str, str]] = {"x_domain": "x_scale", "domain": "y_scale"}

    encoding: ScatterEncoding
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
    reference: Reference = None
    """A dashed line: a level of y in the unit shown, such as `25` or `{value: 25, label: chance}`,
    or a list of them; or `diagonal`, where x and y are equal."""

    @property
    def costs(self) -> Question:
        """The question of the metric along x."""
        x = self.encoding.x
        y = self.encoding.y
        unknown = x != y and frame.has_no_interval(x)
        return self.ask(
            "x",
            format=None,
            percent=None,
            best="highest" if self.front == "highest" else "lowest",
            uncertainty="none" if unknown else self.counted_uncertainty(y),
        )

    def questions(self) -> list[Question]:
        return [self.question, self.costs]

    def definitions(self) -> list[Definition]:
        return [self.question.definition(), self.costs.definition("x_", self.encoding.x)]

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        if self.front != "none" and self.best == "none":
            why = "'none' leaves no good end of y for the front; write front: none"
            mistakes.append(Mistake(".best", why))
        is_log = self.y_scale == "log"
        mistakes += references.reference_mistakes(self.reference, self.domain, log=is_log)
        is_diagonal = self.reference == "diagonal" and not mistakes
        if is_diagonal and self.question.unit != self.costs.unit:
            why = "'diagonal': x and y have no unit in common; write a level of y"
            mistakes.append(Mistake(".reference", why))
        if self.k:
            mistakes.append(Mistake(".k", "lines, heatmaps and tables show a metric over k"))
        return mistakes

    @property
    def signs(self) -> Place:
        """Factors of x and y by which less of x and more of y is better."""
        x_sign = -1.0 if self.front == "highest" else 1.0
        y_sign = -1.0 if self.best == "lowest" else 1.0
        return x_sign, y_sign


def aggregate(samples: Samples, entry: Entry, partial: Any = None, logs: Any = None) -> Grid:
    """The grid of the heatmap of y, with the metric along x beside it."""
    question = entry.question
    score = count_cells(samples, question, partial, logs)
    cost = count_cells(samples, entry.costs, partial, logs)
    keys = question.places
    cost_columns = cost.select(*keys, *(cost[name].alias(f"x_{name}") for name in ALONG))
    return join_cells(score, cost_columns, keys)


def costs(grid: Grid, entry: Entry) -> Grid:
    """The grid of the metric along x, in which no cells are compared."""
    columns = [*entry.question.places, *SHARED]
    values = [pl.col(f"x_{name}").alias(name) for name in ALONG]
    none = pl.lit(None, pl.Int64)
    return grid.select(*columns, *values, peers=none, common=none, best=False, tied=False)


def csv(grid: Grid, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    with_unit = report.in_own_unit(grid, entry.costs, "x_")
    return report.csv(with_unit, entry)


class ScatterPoint(frame.Row, kw_only=True):
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
    def place(self) -> Place:
        """Its cost and its value."""
        return self.cost or 0.0, self.value or 0.0


@dataclass(frozen=True)
class ScatterPoints:
    """All points of a figure."""

    panels: Mapping[str, Sequence[ScatterPoint]]  # label of a panel → its rows with both values
    lost: Sequence[ScatterPoint]  # rows with records that lack a value
    x: str  # title of x
    styles: Styles  # name in the legend → look of points, with `detail`
    doubts: Sequence[str]  # why a metric has no interval, so that no point is beaten beyond doubt


def scatter_points(grid: Grid, entry: Entry) -> ScatterPoints:
    """The points of a grid."""
    question = entry.question
    drawn, names = frame.panels_of(grid, entry, ScatterPoint)
    cost_grid = costs(grid, entry)
    prices = _letter_costs(cost_grid, entry)
    has_details = grid["x"].n_unique() > 1
    before = frame.words_before(grid["y"], names.y)
    styles: Styles = {}
    if has_details:
        labels = dict.fromkeys(before + row.y for row in frame.all_rows(drawn))
        styles = series.styles(list(labels))
    panels = {}
    lost = []
    for title, rows in drawn.items():
        placed = []
        for row in rows:
            cost = prices[row.number]
            _add_cost(row, cost, entry)
            row.setting = row.name = row.y
            if styles:
                _style_point(row, styles[before + row.y])
            if None not in (row.value, row.cost):
                placed.append(row)
            elif not row.state.is_absent:
                lost.append(row)
        panels[title] = placed
    _require_on_axes(frame.all_rows(panels), entry)
    x = entry.costs.value_title
    value_doubts = frame.doubts_of(grid, question)
    cost_doubts = frame.doubts_of(cost_grid, entry.costs)
    doubts = [f"{names.value}: {why}" for why in value_doubts]
    doubts += [f"{x}: {why}" for why in cost_doubts]
    for rows in panels.values():
        _judge_points(rows, entry, unknown=bool(doubts))
    return ScatterPoints(panels, lost, x, styles, doubts)


def _letter_costs(cost_grid: Grid, entry: Entry) -> list[Drawn]:
    """The cells of the metric along x, in words."""
    question = entry.costs
    cells_along = read_cells(cost_grid, question, "none")
    digits = cells.all_digits(cells_along, question)
    return cells.letter_cells(cells_along, digits, question, None)


def _add_cost(row: ScatterPoint, cost: Drawn, entry: Entry) -> None:
    """Add what a cell of the metric along x is; a gap of either is that of the point."""
    row.cost = cost.value
    row.cost_low = cost.low
    row.cost_high = cost.high
    row.cost_told = cost.told
    row.cost_between = cost.between
    ends = frame.spread_ends(cost, entry.costs.uncertainty, entry.drawn)
    row.left_end, row.right_end = ends
    row.gap = row.gap or cost.gap
    row.why = row.why or cost.why


def _style_point(row: ScatterPoint, style: series.Style) -> None:
    """Give it the look of its value of `label`, and its value of `detail` as a name."""
    row.setting = f"{row.y} · {row.x}"
    row.name = row.x
    row.shape = style.shape
    row.colour = style.colour
    row.dash = style.dash


def _require_on_axes(rows: Sequence[ScatterPoint], entry: Entry) -> None:
    """Refuse ends of an axis that hold no point, and a point that a log axis cannot hold."""
    costs_told = [(row.place[0], row.cost_told, row.setting) for row in rows]
    frame.require_on_axis(entry, costs_told, "x_domain", entry.costs)
    values_told = [(row.place[1], row.told, row.setting) for row in rows]
    frame.require_on_axis(entry, values_told, "domain", entry.question)


class Span(NamedTuple):
    """A number and the ends of its interval, turned so that more is better."""

    number: float
    low: float
    high: float


def _turned(number: float, low: float | None, high: float | None, sign: float) -> Span:
    if low is None or high is None:
        low = high = number
    ends = sign * low, sign * high
    return Span(sign * number, min(ends), max(ends))


def _judge_points(rows: Sequence[ScatterPoint], entry: Entry, *, unknown: bool) -> None:
    """Set `front`, `maybe` and `filled` of the points of a panel.

    `unknown`: a metric has no intervals, so that any point may be on the front.
    """
    if entry.front == "none":
        return
    x_sign, y_sign = entry.signs
    spans = []
    for row in rows:
        cost, value = row.place
        x = _turned(cost, row.cost_low, row.cost_high, -x_sign)
        y = _turned(value, row.low, row.high, y_sign)
        spans.append((x, y))
    for row, (x, y) in zip(rows, spans, strict=True):
        row.front = not any(_beats((a.number, b.number), (x.number, y.number)) for a, b in spans)
        surely = any(a.low > x.high and b.low > y.high for a, b in spans)
        row.maybe = unknown or not surely
        row.filled = row.front or not row.maybe


def _beats(point: Place, rival: Place) -> bool:
    """Whether a point is no worse in both, and better in one."""
    return point[0] >= rival[0] and point[1] >= rival[1] and point != rival


# -------------------------------------------------------------------------------------- the sizes

LEAST = (120.0, 150.0)  # width of a panel in narrow and in wide figures, unless the user gives it
MOST = 330.0  # nor wider, where the figure has no width
HIGH = 0.72  # height of a panel as a part of its width …
HEIGHTS = (110.0, 230.0)  # … from and to
NEAR = 7.0  # a point answers so far from its middle
CLOSE = 3.0  # points that are nearer than this answer beside each other
RIGHT = 4  # room right of the panels


@dataclass(frozen=True, kw_only=True)
class ScatterLayout(frame.Panels):
    """Places of a scatter, in pt."""

    x: quantity.Quantity
    y: quantity.Quantity

    def place(self, cost: float, value: float) -> Place:
        """Where a point lies in its panel, as near as the axes reach."""
        wide, high = map(float, self.size)
        x = self.x.place(cost)
        y = high - self.y.place(value)
        return quantity.clamped(x, 0.0, wide), quantity.clamped(y, 0.0, high)


def lay_out_scatter(points: ScatterPoints, entry: Entry) -> ScatterLayout:
    """The most panels in a row that have room, all with the same axes."""
    width = entry.page_width
    rows = frame.all_rows(points.panels)
    gap = frame.GAP
    x_log = entry.x_scale == "log"
    y_log = entry.y_scale == "log"
    limits = frame.value_limits(entry.question)
    reach = []
    for row in rows:
        reach += [row.cost, row.left_end, row.right_end]
    x_domain = frame.domain(reach, x_log, entry.x_domain)
    y_reach = frame.reach_of(rows) + references.level_values(entry.reference)
    y_domain = frame.domain(y_reach, y_log, entry.domain)
    rough = quantity.upward(y_domain, HEIGHTS[0], y_log, limits)
    tick_room = quantity.label_room(rough)
    label_room = tick_room + APART
    left = math.ceil(theme.LABEL + APART + label_room)
    room = width - left - RIGHT
    count = len(points.panels)
    is_roomy = width >= theme.ROOMY
    narrowest = LEAST[is_roomy]
    columns = frame.count_columns(count, room, narrowest, gap, entry.columns)
    gaps = (columns - 1) * gap
    wide = (room - gaps) / columns
    if not entry.width:
        wide = min(wide, MOST)
        panels_wide = columns * int(wide) + gaps
        width = left + panels_wide + RIGHT
    wide = int(wide)
    high = round(quantity.clamped(wide * HIGH, *HEIGHTS))
    legend = series.legend(list(points.styles), width - left)
    x_title = broken(points.x, wide, theme.LABEL)
    upward = broken(entry.question.value_title, high, theme.LABEL)
    sides = {"width": width, "left": left, "gap": gap, "labels": theme.LABEL}
    return ScatterLayout(
        sheet=ScatterLayout.page(entry, math.ceil(count / columns), high, legend, x_title, **sides),
        columns=columns,
        size=(wide, high),
        legend=legend,
        x=quantity.rightward(x_domain, wide, x_log, frame.value_limits(entry.costs)),
        y=quantity.upward(y_domain, high, y_log, limits),
        titles=(x_title, upward),
    )


def place_scatter_points(rows: Sequence[ScatterPoint], layout: ScatterLayout) -> list[ScatterPoint]:
    """The points of a panel with the box that answers for each; no box lies on another."""
    middles: list[Place] = []
    for row in rows:
        x, y = layout.place(*row.place)
        while any(_distance_between((x, y), neighbour) < CLOSE for neighbour in middles):
            x += CLOSE
        middles.append((x, y))
    for number, row in enumerate(rows):
        x, y = middles[number]
        neighbours = middles[:number] + middles[number + 1 :]
        far = [_distance_between((x, y), neighbour) / 2 for neighbour in neighbours]
        distances = [NEAR] + far
        nearest = min(distances)
        half = math.floor(nearest * 100) / 100
        left = round(x - half, 2)
        top = round(y - half, 2)
        row.put((left, top, 2 * half, 2 * half))
        frame.clip(row, ("lower", "upper"), layout.y)
        frame.clip(row, ("left_end", "right_end"), layout.x)
        cost, value = row.place
        row.there = layout.x.holds(cost) and layout.y.holds(value)
    return list(rows)


def _distance_between(point: Place, neighbour: Place) -> float:
    """The larger of the distances along x and y."""
    return max(abs(point[0] - neighbour[0]), abs(point[1] - neighbour[1]))


class Step(TypedDict):
    """A corner of the front, by number, as a row of data."""

    n: int
    cost: float
    value: float


def front_rows(rows: Sequence[ScatterPoint], entry: Entry) -> list[Step]:
    """The corners of the stepped line from the first point of the front to the last."""
    sign, y_sign = entry.signs
    turned = set()
    for row in rows:
        if row.front:
            cost, value = row.place
            turned.add((sign * cost, y_sign * value))
    front = sorted(turned)
    corners = front[:1]
    for (_, level), (x, y) in pairwise(front):
        corners += [(x, level), (x, y)]
    if len(corners) < 2:
        return []
    return [{"n": n, "cost": sign * x, "value": y_sign * y} for n, (x, y) in enumerate(corners)]


# ------------------------------------------------------------------------------------- the names

RADIUS = 4.0  # of a point with the air around it
RINGS = (5.0, 11.0, 19.0, 28.0)  # from a point to its name; from the second on, a hair leads there
WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand: right, left, above, below, and between; the first that is free."""
SLANTED = 0.6  # part of a ring at which names stand between
PIECE = 4.0  # length of a piece of a line that a name must avoid


class NameBox(NamedTuple):
    """A box in pt."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, neighbour: NameBox) -> bool:
        if self.right <= neighbour.left or neighbour.right <= self.left:
            return False
        return self.top < neighbour.bottom and neighbour.top < self.bottom


class NameSpot(NamedTuple):
    """Where a name stands."""

    left: float
    middle: float  # from the top
    end: float  # where the hair ends that leads there
    led: bool  # there is one

    def box(self, wide: float) -> NameBox:
        """What the name takes, and the air beside it."""
        return NameBox(
            self.left - 1, self.middle - half(), self.left + wide + 1, self.middle + half()
        )

    def hair(self, point: Place) -> list[NameBox]:
        """The boxes of the hair from a point."""
        if self.led:
            return _along(point, (self.end, self.middle))
        return []


def half() -> float:
    """Half of the height of a name."""
    return theme.LABEL * 0.55


def name_rows(
    rows: Sequence[ScatterPoint], steps: Sequence[Step], layout: ScatterLayout
) -> list[Datum]:
    """The names that have a place, those of the front first.

    A name lies on no point and no other name. It avoids lines: crosses, the front, and hairs to
    other names; where no such place is free, it may lie on them, and last its hair on names.
    """
    placed = [row for row in rows if row.there]
    placed.sort(key=lambda row: (not row.front, not row.maybe, row.number))
    points = [layout.place(*row.place) for row in placed]
    dots = [NameBox(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    for row, (x, y) in zip(placed, points, strict=True):
        if row.incomplete:
            left, top, right, bottom = looks.DAGGER_BOX
            dots.append(NameBox(x + left, y + top, x + right, y + bottom))
    lines = _line_boxes(placed, steps, layout)
    names: list[Datum] = []
    taken: list[NameBox] = []
    for number, (row, point) in enumerate(zip(placed, points, strict=True)):
        wide = text_width(row.name, theme.LABEL)
        spots = _spots(wide, point, layout.size)
        hard = taken + dots[:number] + dots[number + 1 :]
        here = NameBox(*point, *point)
        hair_blocks = [box for box in hard if not here.touches(box)]
        spot = (
            _first_free(spots, wide, point, hard + lines, hair_blocks)
            or _first_free(spots, wide, point, hard, hair_blocks)
            or _first_free(spots, wide, point, hard, [])
        )
        if spot is None:
            continue
        taken.append(spot.box(wide))
        lines += spot.hair(point)
        names.append({
            "text": row.name, "px": round(spot.left, 2), "py": round(spot.middle, 2),
            "led": spot.led, "fx": round(point[0], 2), "fy": round(point[1], 2),
            "ex": round(spot.end, 2), "bold": row.front, "right": round(spot.left + wide, 2),
            "ink": theme.INK if row.maybe else theme.QUIET,
        })  # fmt: skip
    return names


def _line_boxes(
    rows: Sequence[ScatterPoint], steps: Sequence[Step], layout: ScatterLayout
) -> list[NameBox]:
    """Boxes that cover the front and the crosses of points."""
    corners = [layout.place(step["cost"], step["value"]) for step in steps]
    lines = list(pairwise(corners))
    for row in rows:
        lines += _cross(row, layout)
    boxes = []
    for start, end in lines:
        boxes += _along(start, end)
    return boxes


def _spots(wide: float, point: Place, size: Place) -> list[NameSpot]:
    """Where a name of this width may stand inside of a panel, the best first."""
    spots = []
    for ring in RINGS:
        for right, down in WAYS:
            away = ring
            if right and down:
                away = ring * SLANTED
            share = 0.5 - right / 2
            to_point = wide * (share)  # from the left end of the name
            x = point[0] + right * away - to_point
            end = x + to_point
            if not right:  # above or below a point at the edge, it stands inside
                x = quantity.clamped(x, 0.0, size[0] - wide)
                end = point[0]
            tall = half() - 1
            y = point[1] + down * (away + tall)
            fits_across = x >= 0 and x + wide <= size[0]
            if fits_across and y - tall >= 0 and y + tall <= size[1]:
                spots.append(NameSpot(x, y, end, ring != RINGS[0]))
    return spots


def _first_free(
    spots: Sequence[NameSpot],
    wide: float,
    point: Place,
    taken: Sequence[NameBox],
    hair_blocks: Sequence[NameBox],
) -> NameSpot | None:
    """The first with the name on nothing of `taken`, and its hair on nothing of `hair_blocks`."""
    for spot in spots:
        tall = half() - 1
        right = spot.left + wide
        name = NameBox(spot.left, spot.middle - tall, right, spot.middle + tall)
        if any(map(name.touches, taken)):
            continue
        if not any(box.touches(block) for box, block in product(spot.hair(point), hair_blocks)):
            return spot
    return None


def _along(start: Place, end: Place) -> list[NameBox]:
    """Small boxes that cover a line."""
    x, y = start
    x_length = end[0] - x
    y_length = end[1] - y
    longest = max(abs(x_length), abs(y_length))
    count = math.ceil(longest / PIECE) + 1
    middles = [(x + x_length * n / count, y + y_length * n / count) for n in range(count + 1)]
    boxes = []
    for (a, b), (c, d) in pairwise(middles):
        boxes.append(NameBox(min(a, c) - 0.5, min(b, d) - 0.5, max(a, c) + 0.5, max(b, d) + 0.5))
    return boxes


def _cross(row: ScatterPoint, layout: ScatterLayout) -> list[tuple[Place, Place]]:
    """The ends of the two lines of the cross of a point."""
    cost, value = row.place
    lines = []
    if row.left_end is not None and row.right_end is not None:
        left = layout.place(row.left_end, value)
        lines.append((left, layout.place(row.right_end, value)))
    if row.upper is not None and row.lower is not None:
        top = layout.place(cost, row.upper)
        lines.append((top, layout.place(cost, row.lower)))
    return lines


# ------------------------------------------------------------------------------------- the picture

NAMELESS = (
    "the names of {}, which found no free place: a larger `width` makes room, or a panel for each "
    "of their values"
)
HALO = 0.8  # how much the ground of a name hides of what lies below it
OPACITY = "datum.maybe ? 1 : 0.45"  # of a point: less where others beat it beyond doubt


def picture(grid: Grid, entry: Entry) -> Picture:
    """What a scatter shows and says."""
    points = scatter_points(grid, entry)
    layout = lay_out_scatter(points, entry)
    label = entry.encoding.label
    value = entry.question.value_title
    title = frame.settings_title(entry, label)
    placed, steps, names, spoken = {}, {}, {}, {}
    for panel, panel_points in points.panels.items():
        panel_rows = place_scatter_points(panel_points, layout)
        placed[panel] = panel_rows
        steps[panel] = front_rows(panel_rows, entry)
        names[panel] = name_rows(panel_rows, steps[panel], layout)
        spoken[panel] = _points_in_words(panel, panel_rows)
    rows = frame.all_rows(placed)
    front = _front_words(entry, points.x)
    has_steps = any(steps.values())
    meanings = _point_meanings(rows, points, entry, front, has_steps)
    facts = {points.x: "cost_told", f"{points.x}, 95 % interval": "cost_between"}

    def charts() -> Charts:
        legend = frame.legend_rows(layout.legend, layout.sheet, points.styles)
        data: dict[str, Sequence[Any]] = {frame.LEGEND: legend}
        marks = {}
        for number, (panel, panel_rows) in enumerate(placed.items()):
            data[data_name("points", panel)] = frame.data_of(panel_rows)
            data[f"names {panel}"] = names[panel]
            data[f"front {panel}"] = steps[panel]
            layers = _marks(number, panel, layout, panel_rows, bool(front))
            layers += _name_marks(panel)
            if entry.reference is not None:
                name = data_name(references.DATA, panel)
                axes = layout.y, layout.x, layout.size
                data[name] = references.line_rows(entry.reference, *axes, 1.0)
                layers += references.reference_layers(name)
            marks[panel] = layers
        legend_layers = []
        if points.styles:
            legend_layers = layout.legend.layers(frame.LEGEND, line=False)
        cost_facts = {}
        for of_cost, name in facts.items():
            if any(getattr(row, name) for row in rows):
                cost_facts[of_cost] = f"datum.{name}"
        answering = frame.answers(entry, rows, {title: "datum.setting"}, **cost_facts)
        return layout.charts(marks, legend_layers, answering, spoken, entry.letters), data

    unnamed = sum(row.there for row in rows) - sum(map(len, names.values()))
    value_words = frame.spoken_value(entry)
    return Picture(
        shows=f"{value} over {points.x}, a point for each {frame.settings_words(entry, label)}",
        noun="point",
        rows=rows,
        lost=points.lost,
        sheet=layout.sheet,
        charts=charts,
        meanings=meanings,
        spoken=[
            f"Scatter of {value_words} over {points.x}, a point for each {title}.",
            *spoken.values(),
        ],
        free=True,
        facts=facts,
        flags={"on the front": "front"},
        latex=_latex(placed, (title, points.x, value), front, meanings),
        omitted=[NAMELESS.format(numbered(unnamed, "point"))] if unnamed else [],
        mend=frame.MEND,
    )


def _marks(
    number: int, panel: str, layout: ScatterLayout, rows: Sequence[ScatterPoint], fronted: bool
) -> Layers:
    """The stepped front, intervals of both metrics, and points: filled, white or pale."""
    grid: ChartKeys = {"grid": True, "gridColor": quantity.GRID, "gridWidth": 0.5}
    x_axis = layout.x.axis(**layout.x_axis(), **grid)
    x_keys: ChartKeys = {"scale": layout.x.scale(), "axis": x_axis}
    column = number % layout.columns
    is_first = column == 0
    y_axis = layout.y.axis(**layout.y_axis(number), labels=is_first)
    y_keys: ChartKeys = {"scale": layout.y.scale(upward=True), "axis": y_axis}
    x = alt.X("cost:Q", **x_keys)
    y = alt.Y("value:Q", **y_keys)
    placed = alt.Chart().transform_filter("datum.there")
    colour = datum("colour")
    layers = []
    opacity = alt.expr(OPACITY)
    pale: ChartKeys = {"aria": False, "opacity": opacity}
    if fronted:
        steps = data_chart(f"front {panel}").mark_line(
            stroke=theme.LINE, strokeWidth=1.0, strokeDash=[3, 2], clip=True, aria=False
        )
        layers.append(steps.encode(x, y, alt.Order("n:Q")))
    x_intervals = placed.transform_filter("isValid(datum.left_end) && isValid(datum.right_end)")
    x_intervals = x_intervals.mark_rule(strokeWidth=0.8, color=colour, **pale)
    upward = placed.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    upward = upward.mark_rule(strokeWidth=0.8, color=colour, **pale)
    dots = placed.mark_point(
        shape=datum("shape"), size=series.MARK + 6, strokeWidth=1.1, stroke=colour,
        fill=alt.expr("datum.filled ? datum.colour : '#ffffff'"), **pale,
    )  # fmt: skip
    left_ends = alt.X("left_end:Q", **x_keys)
    layers.append(x_intervals.encode(left_ends, alt.X2("right_end:Q"), y))
    lower_ends = alt.Y("lower:Q", **y_keys)
    layers.append(upward.encode(x, lower_ends, alt.Y2("upper:Q")))
    layers.append(dots.encode(x, y))
    return layers + looks.daggers_at(rows, placed.encode(x, y))


def _name_marks(panel: str) -> Layers:
    """Names beside points, on a white ground, with a hair to those that stand off."""
    base = data_chart(f"names {panel}")
    hairs = base.transform_filter("datum.led").mark_rule(
        color=theme.LINE, strokeWidth=0.5, aria=False
    )
    halo = base.mark_rect(fill=theme.PAPER, opacity=HALO, cornerRadius=2, aria=False)
    ground = {"x": "px - 1", "x2": "right + 1", "y": f"py - {half()}", "y2": f"py + {half()}"}
    style = {"fontSize": theme.LABEL, "color": datum("ink")}
    return [
        hairs.encode(**spec.places(x="fx", y="fy", x2="ex", y2="py")),
        halo.encode(**spec.places(**ground)),
        spec.texts(base, "text", **style),
    ]


# --------------------------------------------------------------------------------------- the words


def _point_meanings(
    rows: Sequence[ScatterPoint], points: ScatterPoints, entry: Entry, front: str, stepped: bool
) -> list[Remark]:
    """What the marks mean; `front`: of what the front is; `stepped`: a line shows it."""
    metrics = entry.encoding.x, entry.encoding.y
    caveats = dict.fromkeys(metric(metric_word).caveat for metric_word in metrics)
    remarks = list(map(aside, caveats))
    has_y_intervals = frame.has_any(rows, "lower")
    has_x_intervals = frame.has_any(rows, "left_end")
    if has_y_intervals or has_x_intervals:
        error, addition = words.error_words(rows, entry.uncertainty)
        mark = "cross" if has_y_intervals and has_x_intervals else "line"
        remarks.append(Remark(error, addition, mark=mark))
    if stepped:
        remarks.append(Remark("stepped line: front", f" {front}"))
    if front:
        remarks.append(Remark("filled: on the front in this sample"))
    has_rivals = any(row.maybe and not row.front for row in rows)
    if front and has_rivals:
        interval_words = "" if points.doubts else ", but within the intervals"
        remarks.append(Remark(f"white: beaten{interval_words}"))
    if not all(row.maybe for row in rows):
        remarks.append(Remark("pale: beaten beyond them"))
    remarks += words.mark_meanings([looks.INCOMPLETE.mark], rows, entry.question)
    remarks.append(references.meaning(entry.reference))
    if points.lost:
        number = len(points.lost)
        lost = numbered(number, "setting")
        remarks.append(Remark(f"not shown: {lost} without a value"))
    remarks.append(frame.beyond_meaning(rows, "the axes", "point"))
    remarks += map(aside, points.doubts)
    return [remark for remark in remarks if remark.text]


def _front_words(entry: Entry, x: str) -> str:
    """Of what the front is; empty where there is none."""
    if entry.front == "none":
        return ""
    return f"of the {entry.front} {x} and the {entry.best} {entry.question.value_title}"


def _points_in_words(panel: str, rows: Sequence[ScatterPoint]) -> str:
    points = []
    for row in rows:
        text = f"{row.setting}: {row.told} at {row.cost_told}"
        points.append(f"{text}, on the front" if row.front else text)
    point_words = "; ".join(points) or "no point"
    if panel:
        return f"{panel}: {point_words}."
    return f"{point_words}."


def _latex(
    parts: Mapping[str, Sequence[ScatterPoint]],
    titles: Sequence[str],
    front: str,
    notes: Sequence[Remark],
) -> Latex:
    """The points by their place along x; `titles`: of names, x and y."""
    title, x, y = titles
    tex = {}
    for panel, rows in parts.items():
        by_cost = sorted(rows, key=lambda row: (row.place[0], row.number))
        tex[panel] = list(map(_tex_of_point, by_cost))
    bold = []
    if front:
        bold = [f"bold: front {front}"]
    return Latex(
        columns="lrrrrr",
        head=[frame.tex_row([title, x, "95 % interval", y, "95 % interval", "problems"])],
        parts=tex,
        meanings=bold + frame.tex_comments(notes),
    )


def _tex_of_point(row: ScatterPoint) -> str:
    setting = tex_text(row.setting, is_bold=row.front)
    marks = looks.tex_marks(row)
    name = setting + marks
    texts = [row.cost_told, row.cost_between, row.told, row.between]
    return tex_line([name, *map(tex_text, texts), row.size])
