"""scatter: one metric against another, such as cost against score, a point for each setting.

A point beats another where it is no worse in both metrics and better in one; the same twice beat
nobody, so that ties are all on the front. It does so beyond doubt where its whole interval is
better in both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec

from heatproof.charts import quantity, series, sheet, theme
from heatproof.charts.lettering import APART, LINE, PAD, broken, text_width
from heatproof.kinds import frame
from heatproof.kinds.heatmap import cells, printed, reasons, report, words
from heatproof.kinds.heatmap.entry import Encoding as Axes
from heatproof.kinds.heatmap.reasons import NOTHING
from heatproof.kinds.tables import NONE, escape, line
from heatproof.metrics import metric
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.frame import Row
    from heatproof.kinds.heatmap.entry import Entry as Heatmap
    from heatproof.kinds.heatmap.panel import Names
    from heatproof.kinds.recount import Definition
    from heatproof.kinds.tables import Table

ALONG = ("value", "se", "low", "high", "samples", "epochs", "gap")
"""Columns of the grid of what lies along x; in that of the scatter with `x_` before them."""


class Encoding(msgspec.Struct, kw_only=True):
    """The metrics along x and y, and the columns whose values, or pairs of them, have a point."""

    x: str
    y: str
    label: str = "model"
    detail: str | None = None
    """With it points are named by its values, and told apart by colour for those of `label`."""


class Entry(frame.View, kw_only=True):
    """A scatter in config.yaml."""

    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "label", "color": "y"}

    encoding: Encoding
    """Which metric lies along x, which along y, and what has a point each."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """What is drawn around points: nothing, a standard error, or a 95 % interval."""
    front: Literal["lowest", "highest", "none"] = "lowest"
    """Which end of x is the good one, for the front of those that no other beats in both; the good
    end of y is `best`."""
    x_scale: Literal["linear", "log"] = "linear"
    """How values lie along x."""
    y_scale: Literal["linear", "log"] = "linear"
    """How values lie along y."""
    x_domain: list[float] | None = None
    """Ends of x, in the unit points."""
    domain: list[float] | None = None
    """Ends of y, in the unit points."""
    columns: int | None = None
    """Panels in a row."""

    def summary(self) -> str:
        what = self.encoding
        keys = f"{what.label} and {what.detail}" if what.detail else what.label
        return f"{what.y} over {what.x}, a point for each {keys}"

    def costs(self) -> Heatmap:
        """The heatmap of what lies along x."""
        what = self.encoding
        unknown = what.x != what.y and frame.is_unknown(what.x)
        return self.cells(
            encoding=Axes(**(self.axes() | {"color": what.x})), format=None, percent=None,
            best="highest" if self.front == "highest" else "lowest",
            uncertainty="none" if unknown else self.grid_uncertainty(),
        )  # fmt: skip

    def heats(self) -> list[Any]:
        def reworded(text: str) -> str:
            return self.reworded(text.replace("encoding.color", "encoding.\0")).replace("\0", "x")

        return [*super().heats(), (self.costs(), reworded)]

    def definitions(self) -> list[Definition]:
        return [self.cells().definition(), self.costs().definition("x_", self.encoding.x)]

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        mistakes += self.wrong_ends("x_domain", self.x_domain, "x_scale")
        mistakes += self.wrong_ends("domain", self.domain, "y_scale")
        mistakes += self.wrong_columns(self.columns)
        if self.front != "none" and self.best == "none":
            why = "leaves no good end of y for the front; there is front: none"
            mistakes.append(Mistake(".best", f"'none' {why}"))
        return mistakes


# --------------------------------------------------- two metrics: the grid, its recount, its tables


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: Any = None, logs: Any = None
) -> pl.DataFrame:
    """The grid of the heatmap of y, with what lies along x beside it."""
    score, cost = (frame.aggregate(samples, entry, partial, logs, heat) for heat in (0, 1))
    keys = entry.cells().places
    along = [name for name in (*ALONG, reasons.UNJUDGED) if name in cost.columns]
    beside = cost.select(*keys, *(cost[name].alias(f"x_{name}") for name in along))
    return score.join(beside, on=keys, how="left", nulls_equal=True, maintain_order="left")


def costs(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid of what lies along x. No best is told of it."""
    own = [name for name in grid.columns if name.startswith("x_")]
    kept = grid.drop(*(name.removeprefix("x_") for name in own), printed.PROBLEMS, strict=False)
    none = {"peers": pl.lit(None, pl.Int64), "best": pl.lit(value=False)}
    return kept.rename({name: name.removeprefix("x_") for name in own}).with_columns(**none)


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    text: str = frame.csv(report.in_own_unit(grid, entry.costs(), "x_"), entry)
    return text


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Values, uncertainty and counts of each point, with what lies along x."""
    plain: Table = frame.table(grid, entry)
    points = points_of(grid, entry)
    by_cell = {row["cell"]: row for row in [*points.rows, *points.lost]}
    rows = []
    for n, row in enumerate(plain.rows):
        along = by_cell.get(n, {})
        more = along.get("cost_told") or "–", along.get("cost_between") or "–"
        rows.append(replace(row, cells=(*row.cells, *more)))
    return replace(plain, columns=[*plain.columns, points.x, "95 % interval"], rows=rows)


# ------------------------------------------------------------------------------------- the points


@dataclass(frozen=True)
class Points:
    """All points of a figure."""

    panels: Mapping[str, Sequence[Row]]
    """Label of a panel → its rows with both values."""
    lost: Sequence[Row]
    """Rows with records of which some value is none."""
    names: Names
    x: str
    """What lies along x, with its unit."""
    styles: Mapping[str, series.Style]
    """Value of `label` → how its points are drawn, where `detail` tells them apart."""
    doubts: Sequence[str]
    """Why of a metric no interval is told, so that it is not judged which points are beaten."""

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.panels.values() for row in rows]


def points_of(grid: pl.DataFrame, entry: Entry) -> Points:
    """The points of a grid.

    A row is a cell in words (`cells.letter_cells`), its value along y, with `cost` along x, ends of
    what is drawn around both (`lower` and `upper`, `left_end` and `right_end`), what both are in
    words, its `name` in the figure and all of it (`setting`), and whether it is on the `front` or
    may be (`maybe`).
    """
    counted, (table, names) = entry.cells().uncertainty, frame.worded(grid, entry)
    lettered = cells.letter_cells(table, None, names.digits, entry.uncertainty)
    several = len({row["x"] for row in table}) > 1
    labels = list(dict.fromkeys(row["y"] for row in table))
    styles = series.styles(labels) if several else {}
    plain = {"shape": "circle", "colour": theme.INK}
    panels: dict[str, list[Row]] = {}
    lost = []
    for row, cost in zip(lettered, _along(grid, entry), strict=True):
        title = ", ".join(names.of(row["panel"]))
        lower, upper = frame.spread_ends(row, counted, entry.uncertainty)
        point = {
            "panel": title, "lower": lower, "upper": upper,
            "setting": f"{row['y']} · {row['x']}" if several else row["y"],
            "name": row["x"] if several else row["y"],
        } | (styles[row["y"]].columns() if several else plain)  # fmt: skip
        point = row | cost | point | {"gap": row["gap"] or cost["gap"]}
        part = panels.setdefault(title, [])
        if point["value"] is None or point["cost"] is None:
            lost += [point] if point["gap"] != NOTHING else []
        else:
            part.append(point)
    rows = [row for part in panels.values() for row in part]
    frame.require_on_axis(entry, rows, "cost", ("x_domain", "x_scale"), entry.costs())
    frame.require_on_axis(entry, rows, "value", ("domain", "y_scale"), entry.cells())
    x = cells.value_title(entry.costs())
    doubts = [
        f"{title}: {why}"
        for title, own in ((names.value, grid), (x, costs(grid)))
        for why in reasons.doubts_of(own)
    ]
    judged = {title: _standing(part, entry, bool(doubts)) for title, part in panels.items()}
    return Points(judged, lost, names, x, styles, doubts)


def _along(grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """What lies along x, in its unit: columns of a row."""
    heat = entry.costs()
    rows = cells.cell_table(costs(grid), heat, heat.unit, "none")
    digits, points = cells.value_digits(rows, heat), []
    for row in rows:
        left, right = frame.spread_ends(row, heat.uncertainty, entry.uncertainty)
        texts = cells.texts(row, digits)
        points.append({
            "cost": row["value"], "gap": row["gap"] or None,
            "cost_told": texts["told"], "cost_between": texts["between"],
            "cost_low": row["low"], "cost_high": row["high"], "left_end": left, "right_end": right,
        })  # fmt: skip
    return points


# -------------------------------------------------------------------------------------- the front


class Spot(NamedTuple):
    """A point with its intervals, turned so that less of x and more of y is better."""

    x: float
    y: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float


def spots(rows: Sequence[Row], entry: Entry) -> list[Spot]:
    """The points turned so; a metric of which no interval is known is taken as it is."""

    def ends(row: Row, sign: float, value: str, low: str, high: str) -> list[float]:
        interval = [row[low], row[high]]
        interval = [row[value]] * 2 if None in interval else interval
        return [sign * row[value], *sorted(sign * end for end in interval)]

    sign, up = _turned(entry)
    spots = []
    for row in rows:
        x, x_low, x_high = ends(row, sign, "cost", "cost_low", "cost_high")
        y, y_low, y_high = ends(row, up, "value", "low", "high")
        spots.append(Spot(x, y, x_low, x_high, y_low, y_high))
    return spots


def _turned(entry: Entry) -> tuple[float, float]:
    """Signs that make less of x and more of y better."""
    return (-1.0 if entry.front == "highest" else 1.0), (-1.0 if entry.best == "lowest" else 1.0)


def unbeaten(spots: Sequence[Spot]) -> list[bool]:
    """Whether each is on the front."""

    def beats(spot: Spot, other: Spot) -> bool:
        return spot.x <= other.x and spot.y >= other.y and spot[:2] != other[:2]

    return [not any(beats(other, spot) for other in spots) for spot in spots]


def doubtful(spots: Sequence[Spot]) -> list[bool]:
    """Whether each is not beaten beyond doubt: it may be on the front."""
    return [
        not any(other.x_high < spot.x_low and other.y_low > spot.y_high for other in spots)
        for spot in spots
    ]


def steps(spots: Sequence[Spot], end: float, foot: float) -> list[tuple[float, float]]:
    """The corners of the front, from the `foot` of the axis to the far `end` of x."""
    front = sorted({(s.x, s.y) for s, on in zip(spots, unbeaten(spots), strict=True) if on})
    corners, level = [], foot
    for x, y in front:
        corners += [(x, level), (x, y)]
        level = y
    return [*corners, (end, level)] if corners else []


def _standing(rows: Sequence[Row], entry: Entry, unknown: bool) -> list[Row]:
    """The rows with how they stand: on the front, perhaps on it, or beaten.

    `unknown`: the intervals of a metric are not known, so that any may be on it.
    """
    turned = spots(rows, entry)
    if entry.front == "none":
        return [row | {"front": False, "maybe": True, "filled": True} for row in rows]
    return [
        row | {"front": on, "maybe": may or unknown, "filled": on or not (may or unknown)}
        for row, on, may in zip(rows, unbeaten(turned), doubtful(turned), strict=True)
    ]


# -------------------------------------------------------------------------------------- the sizes

LEAST = (120.0, 150.0)
"""A panel is no narrower, in narrow figures and in others, but where the user says so."""
MOST = 330.0
"""Nor wider."""
HIGH = 0.72
"""Height of a panel as a part of its width …"""
HEIGHTS = (110.0, 230.0)
"""… from and to."""
NEAR = 7.0
"""A point answers so far from its middle."""
CLOSE = 3.0
"""Points that are nearer than this answer beside each other."""


@dataclass(frozen=True, kw_only=True)
class Layout(frame.Panels):
    """Where all of a scatter lies, in pt."""

    x: quantity.Quantity
    y: quantity.Quantity

    def place(self, row: Row) -> tuple[float, float]:
        """Where a point lies in its panel, as near as the axes reach."""
        wide, high = self.size
        x, y = self.x.place(row["cost"]), high - self.y.place(row["value"])
        return min(max(x, 0.0), float(wide)), min(max(y, 0.0), float(high))

    def holds(self, row: Row) -> bool:
        """Whether a point lies on both axes."""
        return self.x.holds(row["cost"]) and self.y.holds(row["value"])


def lay_out(points: Points, entry: Entry) -> Layout:
    """The most panels in a row that have room, all with the same axes."""
    width, rows, gap = theme.width(entry.width), points.rows, frame.GAP
    logs = entry.x_scale == "log", entry.y_scale == "log"
    of_x, of_y = (frame.value_limits(heat) for heat, _ in reversed(entry.heats()))
    up = frame.domain(rows, ("value", "lower", "upper"), logs[1], entry.domain)
    over = frame.domain(rows, ("cost", "left_end", "right_end"), logs[0], entry.x_domain)
    rough = quantity.upward(up, HEIGHTS[0], logs[1], of_y)
    left, right = math.ceil(theme.LABEL + APART + quantity.label_room(rough) + APART), 4
    least, count = LEAST[width >= theme.ROOMY], len(points.panels)
    columns = frame.count_columns(count, width - left - right, least, gap, entry.columns)
    wide = int(min((width - left - right - (columns - 1) * gap) / columns, MOST))
    high = round(min(max(wide * HIGH, HEIGHTS[0]), HEIGHTS[1]))
    used = left + columns * wide + (columns - 1) * gap + right
    legend = series.legend([*points.styles], used - left)
    across = broken(points.x, wide, theme.LABEL)
    below = quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL + LINE * (len(across) - 1)
    page = Layout.page(
        entry, math.ceil(count / columns), high, legend, width=used, left=left, below=below, gap=gap
    )
    return Layout(
        sheet=page, columns=columns, size=(wide, high), legend=legend,
        x=quantity.along(over, wide, logs[0], of_x), y=quantity.upward(up, high, logs[1], of_y),
        titles=(across, broken(frame.value_title(entry), high, theme.LABEL)),
    )  # fmt: skip


def boxes(layout: Layout, rows: Sequence[Row]) -> list[frame.Box]:
    """The box of each point of a panel. None lies on another: points on each other answer side by
    side.
    """
    middles: list[tuple[float, float]] = []
    for row in rows:
        x, y = layout.place(row)
        while any(max(abs(x - a), abs(y - b)) < CLOSE for a, b in middles):
            x += CLOSE
        middles.append((x, y))
    boxes: list[frame.Box] = []
    for n, (x, y) in enumerate(middles):
        far = (max(abs(x - a), abs(y - b)) for k, (a, b) in enumerate(middles) if k != n)
        half = math.floor(min([NEAR, *(distance / 2 for distance in far)]) * 100) / 100
        boxes.append((round(x - half, 2), round(y - half, 2), 2 * half, 2 * half))
    return boxes


# ------------------------------------------------------------------------------------- the names

RADIUS = 4.0
"""Of a point with the air around it."""
RINGS = (5.0, 11.0, 19.0)
"""From a point to its name; from the second on, a hair leads there."""
WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand: right, left, above, below, and between; the first that is free."""
NAME_HIGH = theme.LABEL * 1.1
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pt."""


class Name(NamedTuple):
    """A name and where it stands: left edge and middle, whether a hair leads there, and its end."""

    text: str
    x: float
    y: float
    led: bool
    end: float


def place_names(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    lines: Sequence[Box],
    size: tuple[float, float],
) -> list[Name | None]:
    """For each point the place of its name; None where no place is free.

    Greedy, in the order given: the same points, the same places. Where there is no place that is
    free of the `lines`, a name may lie on them, but on no point and no other name.
    """
    dots: list[Box] = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    taken: list[Box] = []
    placed: list[Name | None] = []
    for n, (text, point) in enumerate(zip(names, points, strict=True)):
        hard = [*taken, *(box for k, box in enumerate(dots) if k != n)]
        name = _free(text, point, [*hard, *lines], size) or _free(text, point, hard, size)
        placed.append(name)
        if name:
            end = name.x + text_width(text, theme.LABEL) + 1
            taken.append((name.x - 1, name.y - NAME_HIGH / 2, end, name.y + NAME_HIGH / 2))
    return placed


def _free(
    text: str, point: tuple[float, float], taken: Sequence[Box], size: tuple[float, float]
) -> Name | None:
    """The first free place around a point."""
    wide = text_width(text, theme.LABEL)
    for ring in RINGS:
        for right, down in WAYS:
            away = ring * (0.6 if right and down else 1.0)
            x = point[0] + right * away - wide * (0.5 - right / 2)
            y = point[1] + down * (away + NAME_HIGH / 2 - 1)
            top, foot = y - NAME_HIGH / 2 + 1, y + NAME_HIGH / 2 - 1
            inside = x >= 0 and top >= 0 and x + wide <= size[0] and foot <= size[1]
            if inside and not any(
                x < c and a < x + wide and top < d and b < foot for a, b, c, d in taken
            ):
                return Name(text, x, y, ring != RINGS[0], x + wide * (0.5 - right / 2))
    return None


def name_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The names that have a place, those of the front first."""
    there = sorted(
        (row for row in rows if layout.holds(row)),
        key=lambda row: (not row["front"], not row["maybe"], row["cell"]),
    )
    places = [layout.place(row) for row in there]
    lines = [cross for row in there for cross in _crosses_of(row, layout)]
    placed = place_names([row["name"] for row in there], places, lines, layout.size)
    return [
        {
            "text": name.text, "px": round(name.x, 2), "py": round(name.y, 2), "led": name.led,
            "fx": round(x, 2), "fy": round(y, 2), "ex": round(name.end, 2),
            "bold": row["front"], "ink": theme.INK if row["maybe"] else theme.QUIET,
        }
        for row, (x, y), name in zip(there, places, placed, strict=True)
        if name
    ]  # fmt: skip


def _crosses_of(row: Row, layout: Layout) -> list[Box]:
    """The two lines of the cross of a point."""
    (x, y), boxes = layout.place(row), []
    left, right, lower, upper = (
        frame.clipped(row[key], axis)
        for axis, keys in ((layout.x, ("left_end", "right_end")), (layout.y, ("lower", "upper")))
        for key in keys
    )
    if left is not None and right is not None:
        boxes.append((layout.x.place(left), y - 0.5, layout.x.place(right), y + 0.5))
    if lower is not None and upper is not None:
        top, foot = (layout.size[1] - layout.y.place(end) for end in (upper, lower))
        boxes.append((x - 0.5, top, x + 0.5, foot))
    return boxes


# ------------------------------------------------------------------------------------- the picture

NAMELESS = (
    "the names of {}, for which no place is free: a larger `width`, or a panel for each of their "
    "values, gives more"
)
OPACITY = "datum.maybe ? 1 : 0.45"
"""How much of its colour a point has: less where others beat it beyond doubt."""


def picture(grid: pl.DataFrame, entry: Entry) -> frame.Picture:
    """All that a scatter shows and says."""
    points = points_of(grid, entry)
    layout = lay_out(points, entry)
    title, value = frame.settings_title(entry, entry.encoding.label), frame.value_title(entry)
    names = {label: name_rows(rows, layout) for label, rows in points.panels.items()}
    meanings = _meanings(points, entry, layout)
    spoken = {label: _spoken(label, rows, entry) for label, rows in points.panels.items()}

    placed = {label: placed_rows(rows, layout) for label, rows in points.panels.items()}

    def charts() -> Any:
        data: dict[str, Sequence[Row]] = {frame.LEGEND: layout.legend_rows(entry, points.styles)}
        for label, rows in points.panels.items():
            data |= {_data(label): placed[label], f"names {label}": names[label]}
            data |= {f"front {label}": front_rows(rows, layout, entry)}
        panels = enumerate(points.panels)
        drawn = [_panel(n, label, points, layout, entry, spoken[label]) for n, label in panels]
        return layout.charts(drawn), data

    front = [f"bold: {_front_words(points, entry)}"] if entry.front != "none" else []
    heads = [title, points.x, "95 % interval", value, "95 % interval", "problems"]
    latex = frame.Latex(
        columns="lrrrrr",
        head=[frame.tex_row(heads)],
        parts={
            label: [_tex(row) for row in sorted(rows, key=lambda row: (row["cost"], row["cell"]))]
            for label, rows in points.panels.items()
        },
        meanings=[*front, *meanings],
    )

    heat, keys = entry.cells(), [entry.encoding.label, entry.encoding.detail]
    settings = " and ".join(reasons.among_title(name, heat) for name in keys if name)
    opening = f"Scatter of {points.names.value}{frame.percent_words(entry)} over {points.x}"
    unnamed = sum(map(layout.holds, points.rows)) - sum(map(len, names.values()))
    return frame.Picture(
        shows=f"{value} over {points.x}, a point for each {settings}",
        rows=[row for rows in placed.values() for row in rows],
        noun="point",
        sheet=layout.sheet,
        charts=charts,
        meanings=meanings,
        spoken=[f"{opening}, a point for each {title}.", *spoken.values()],
        latex=latex,
        omitted=[NAMELESS.format(numbered(unnamed, "point"))] if unnamed else [],
        mend="more `columns` of panels or a larger `width` make it lower",
        free=True,
        titles=[points.x, f"{points.x}, 95 % interval"],
        facts=lambda row: (
            [row.get("cost_told") or None, row.get("cost_between") or None],
            ["on the front"] if row.get("front") else [],
        ),
        lost=points.lost,
    )


def _data(label: str) -> str:
    return f"points {label}".strip()


def placed_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The points of a panel with the box that answers for each."""
    ends = {"lower": layout.y, "upper": layout.y, "left_end": layout.x, "right_end": layout.x}
    return [
        row
        | frame.box_row(box)
        | {key: frame.clipped(row[key], axis) for key, axis in ends.items()}
        | {"there": layout.holds(row)}
        for row, box in zip(rows, boxes(layout, rows), strict=True)
    ]


def front_rows(rows: Sequence[Row], layout: Layout, entry: Entry) -> list[Row]:
    """The corners of the front, in order."""
    if entry.front == "none" or not rows:
        return []
    sign, up = _turned(entry)
    (low, high), (foot, top) = layout.x.domain, layout.y.domain
    corners = steps(spots(rows, entry), high if sign > 0 else -low, foot if up > 0 else -top)
    return [
        {
            "n": n,
            "cost": frame.clipped(sign * x, layout.x),
            "value": frame.clipped(up * y, layout.y),
        }
        for n, (x, y) in enumerate(corners)
    ]


def _panel(
    number: int, label: str, points: Points, layout: Layout, entry: Entry, description: str
) -> alt.LayerChart:
    grid: dict[str, Any] = {"grid": True, "gridColor": quantity.GRID, "gridWidth": 0.5}
    x = layout.x.axis(**layout.x_axis(), **grid)
    y = layout.y.axis(**layout.y_axis(number), labels=number % layout.columns == 0)
    along: dict[str, Any] = {"scale": layout.x.scale(), "axis": x}
    up: dict[str, Any] = {"scale": layout.y.scale(upward=True), "axis": y}
    layers = [*_front(label, along, up, entry), *_crosses(along, up), *_dots(along, up)]
    layers += _names(label)
    if entry.panel:
        middle = layout.size[0] / 2
        layers.append(sheet.title([label], middle, frame.LIFT, "center", fontWeight="bold"))
    if number == 0:
        layers += layout.legend.layers(frame.LEGEND, line=False) if points.styles else []
        layers += frame.title_marks(entry, layout.sheet)
    more = {points.x: "datum.cost_told"}
    if any(row["cost_between"] for row in points.rows):
        more[f"{points.x}, 95 % interval"] = "datum.cost_between"
    places = {frame.settings_title(entry, entry.encoding.label): "datum.setting"}
    layers.append(frame.answers(entry, points.rows, places, **more))
    return frame.panel_chart(layers, _data(label), layout.size, description)


def _front(label: str, along: Any, up: Any, entry: Entry) -> list[alt.Chart]:
    """The front as steps."""
    if entry.front == "none":
        return []
    front = alt.Chart(alt.NamedData(f"front {label}")).mark_line(
        stroke=theme.LINE, strokeWidth=1.0, strokeDash=[3, 2], aria=False
    )
    x, y = alt.X("cost:Q", **along), alt.Y("value:Q", **up)
    return [front.encode(x, y, alt.Order("n:Q"))]


def _crosses(along: Any, up: Any) -> list[alt.Chart]:
    """Intervals of both metrics."""
    there = alt.Chart().transform_filter("datum.there")
    style: dict[str, Any] = {"strokeWidth": 0.8, "aria": False, "opacity": alt.expr(OPACITY)}
    style |= {"color": alt.expr("datum.colour")}
    x, y = alt.X("cost:Q", **along), alt.Y("value:Q", **up)
    across = there.transform_filter("isValid(datum.left_end) && isValid(datum.right_end)")
    upward = there.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    return [
        across.mark_rule(**style).encode(alt.X("left_end:Q", **along), alt.X2("right_end:Q"), y),
        upward.mark_rule(**style).encode(x, alt.Y("lower:Q", **up), alt.Y2("upper:Q")),
    ]


def _dots(along: Any, up: Any) -> list[alt.Chart]:
    """Points: filled on the front, with a white heart where they may be, pale where beaten."""
    dots = alt.Chart().transform_filter("datum.there").mark_point(
        shape=alt.expr("datum.shape"), size=series.MARK + 6, strokeWidth=1.1,
        stroke=alt.expr("datum.colour"), opacity=alt.expr(OPACITY),
        fill=alt.expr("datum.filled ? datum.colour : '#ffffff'"), aria=False,
    )  # fmt: skip
    return [dots.encode(alt.X("cost:Q", **along), alt.Y("value:Q", **up))]


def _names(label: str) -> list[alt.Chart]:
    """Names beside points, with a hair to those that stand off."""
    base = alt.Chart(alt.NamedData(f"names {label}"))
    ends = {"x": "fx", "y": "fy", "x2": "ex", "y2": "py"}
    hairs = base.transform_filter("datum.led").mark_rule(
        color=theme.LINE, strokeWidth=0.5, aria=False
    ).encode(**{at: alt.value(alt.expr(f"datum.{name}")) for at, name in ends.items()})  # fmt: skip
    text = base.mark_text(
        x=alt.expr("datum.px"), y=alt.expr("datum.py"), align="left", baseline="middle",
        fontSize=theme.LABEL, color=alt.expr("datum.ink"),
    ).encode(alt.Text("text:N"))  # fmt: skip
    return [hairs, text]


# --------------------------------------------------------------------------------------- the words


def _meanings(points: Points, entry: Entry, layout: Layout) -> list[str]:
    """What crosses, the stepped line and the three sorts of points mean, if they occur."""
    rows, fronted = points.rows, entry.front != "none"
    metrics = dict.fromkeys(metric(word).caveat for word in (entry.encoding.x, entry.encoding.y))
    beyond = sum(not layout.holds(row) for row in rows)
    may = any(row["maybe"] and not row["front"] for row in rows)
    drawn = any(row["lower"] is not None or row["left_end"] is not None for row in rows)
    white = "white: beaten" + ", but within the intervals" * (not points.doubts)
    parts = [
        *metrics,
        f"cross: {words.error_words(rows, entry.uncertainty)}" if drawn else "",
        f"stepped: {_front_words(points, entry)}" if fronted else "",
        "filled: on it in this sample" if fronted else "",
        white if fronted and may else "",
        "" if all(row["maybe"] for row in rows) else "pale: beaten beyond them",
        "incomplete runs among them" if any(row["incomplete"] for row in rows) else "",
        f"not points: {numbered(len(points.lost), 'setting')} without a value"
        if points.lost
        else "",
        frame.beyond_meaning(beyond, "the axes", "point"),
    ]
    return [*filter(None, parts), *points.doubts]


def _front_words(points: Points, entry: Entry) -> str:
    y = frame.value_title(entry)
    return f"front of the {entry.front} {points.x} and the {entry.best} {y}"


def _spoken(label: str, rows: Sequence[Row], entry: Entry) -> str:
    """A panel in words, point by point."""
    texts = [
        f"{row['setting']}: {row['told']} at {row['cost_told']}{', on the front' * row['front']}"
        for row in rows
    ]
    return f"{label}: " * bool(entry.panel) + ("; ".join(texts) or "no point") + "."


def _tex(row: Row) -> str:
    name = escape(row["setting"])
    name = rf"\textbf{{{name}}}" if row["front"] else name
    texts = [row["cost_told"], row["cost_between"], row["told"], row["between"]]
    return line([name, *(escape(text) or NONE for text in texts), row["size"]])
