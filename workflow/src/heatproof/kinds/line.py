"""line: a metric over one parameter, a line for each value of another column."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.charts import quantity, series, spec, theme, wording
from heatproof.charts.lettering import APART, Labels, broken, fit_labels, widest
from heatproof.charts.quantity import Quantity
from heatproof.charts.spec import data_chart, data_name, datum
from heatproof.kinds import crossings, curves, frame, looks, references
from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.cell import valued_cells
from heatproof.kinds.heatmap.entry import Letters  # noqa: TC001  msgspec looks it up
from heatproof.kinds.picture import Charts, Picture
from heatproof.kinds.references import Reference, ReferenceLevel
from heatproof.statistics.fits import Form  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import shorten_labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.charts.quantity import Domain
    from heatproof.charts.series import Styles
    from heatproof.charts.spec import Datum
    from heatproof.config.roles import Type
    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.heatmap.cell import Names
    from heatproof.kinds.picture import Layers, Legend
    from heatproof.kinds.trace import DerivedNumber


class LineEncoding(msgspec.Struct, kw_only=True):
    """Column along x, metric along y, and the column with a line for each value."""

    x: str
    y: str
    color: str = "model"


class Entry(frame.View, kw_only=True):
    """A line figure in config.yaml."""

    LOOK: ClassVar[set[str]] = {
        "x_scale", "y_scale", "scale", "domain", "letters", "columns", "legend", "form",
        "reference",
    }  # fmt: skip
    KEYS: ClassVar[dict[str, str]] = {"x": "x", "y": "color", "color": "y"}
    SHOWS: ClassVar[str] = "{y} over {x}, a line for each {color}"
    ENDS: ClassVar[dict[str, str]] = {"domain": "y_scale"}

    encoding: LineEncoding
    """Column along x, metric along y, and the column with a line for each value (`color`)."""
    form: Literal["lines", "bars"] = "lines"
    """`bars` stand side by side at each value of x, from 0 on."""
    fit: Form | None = None
    """A curve through each line, over log2 of x: `logistic`, or a straight line (`log-linear`)."""
    crossing: float | None = None
    """With `fit`: a level of y, in the unit shown. Where each curve crosses it is printed, with
    its 95 % interval."""
    reference: Reference = None
    """A dashed line: a level of y in the unit shown, such as `25` or `{value: 25, label: chance}`,
    or a list of them; or `diagonal`, where x and y are equal."""
    x_scale: Literal["linear", "log", "ordinal"] | None = None
    """Scale of x; by default linear. Names are `ordinal`: in order, at equal distances."""
    y_scale: Literal["linear", "log"] = "linear"
    """Scale of y."""
    scale: Literal["independent", "shared"] = "shared"
    """All panels share one scale of y, or each has its own."""
    domain: list[float] | None = None
    """Ends of y, in the unit shown."""
    letters: Letters | None = None
    """Letters before the names of panels, in this style."""
    columns: int | None = None
    """Panels in a row."""
    legend: bool | None = None
    """By default lines are named beside their ends, or above if there is no room. `true`: always
    above; `false`: not at all."""

    @property
    def has_bars(self) -> bool:
        return self.form == "bars"

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        if self.has_bars:
            for key, value in (("x_scale", self.x_scale), ("y_scale", self.y_scale)):
                if value == "log":
                    why = "'log': bars begin at 0 and stand at equal distances; draw lines"
                    mistakes.append(Mistake(f".{key}", why))
        is_even = self.has_bars or self.x_scale == "ordinal"
        mistakes += curves.curve_mistakes(self.question, is_even=is_even)
        is_log = self.y_scale == "log"
        return mistakes + references.reference_mistakes(self.reference, self.domain, log=is_log)

    def mistyped(self, types: Mapping[str, Type]) -> list[Mistake]:
        x = self.encoding.x
        kind = types.get(self.encoding.x)
        is_names = kind in ("str", "bool")
        if self.fit and is_names:
            return curves.mistyped(self.question)
        if self.x_scale in ("linear", "log") and is_names:
            values = "names" if kind == "str" else "yes and no"
            why = f"{self.x_scale!r} is for numbers, and {x!r} has {values}; write ordinal"
            return [Mistake(".x_scale", why)]
        if x in self.sort and self.x_scale != "ordinal" and not is_names and not self.has_bars:
            why = "numbers on x are placed by their size; to sort them, write x_scale: ordinal"
            return [Mistake(f".sort.{x}", why)]
        return super().mistyped(types)


class LinePoint(frame.Row, kw_only=True):
    """A point of a line."""

    line: str = ""
    at: float = 0.0  # place along x: the number itself, or its place in order
    shape: str = ""
    colour: str = ""
    dash: Sequence[float] = ()
    segment: int = 0  # of its line, which is drawn without a gap
    alone: bool = False  # on its segment
    dx: float = 0.0
    px: float = 0.0
    py: float = 0.0
    crossing: str = ""  # of the curve of its line


@dataclass(frozen=True)
class LinePoints:
    """All points of a figure."""

    panels: Mapping[str, Sequence[LinePoint]]  # label of a panel → its rows, line by line, along x
    x: Mapping[Any, str]  # value of x → what it is called, in the order of the axis
    styles: Styles  # name of a line → how it is drawn
    labels: Mapping[str, str]  # the same → the name in the figure: a number with its column
    names: Names
    numeric: bool  # x holds numbers: errors are bands, else bars
    curves: Sequence[curves.DrawnCurve] = ()

    @property
    def has_bands(self) -> bool:
        """Whether errors are bands."""
        return self.numeric and not self.curves


def line_points(grid: Grid, entry: Entry) -> LinePoints:
    """The points of a grid."""
    panels, names = frame.panels_of(grid, entry, LinePoint)
    rows = frame.all_rows(panels)
    x = entry.called(entry.encoding.x, grid["x"].to_list())
    numeric = grid["x"].dtype.is_numeric() and entry.x_scale != "ordinal" and not entry.has_bars
    values_told = frame.values_told(rows)
    frame.require_on_axis(entry, values_told, "domain", entry.question)
    if numeric and entry.x_scale == "log":
        _require_above_zero(x, entry)
    styles = series.styles(list(dict.fromkeys(row.y for row in rows)))
    if entry.has_bars:
        _require_colours(styles, entry)
        styles = {name: replace(style, shape="square") for name, style in styles.items()}
    labels = {name: name for name in styles}
    if grid["y"].dtype.is_numeric() and names.y:
        labels = {name: f"{names.y} {name}" for name in styles}
    order = {value: number for number, value in enumerate(x)}
    values = grid["x"]
    for row in rows:
        value = values[row.number]
        style = styles[row.y]
        row.line = row.y
        row.at = float(value if numeric else order[value])
        row.shape = style.shape
        row.colour = style.colour
        row.dash = style.dash
    segmented = {label: _segmented(panel_rows) for label, panel_rows in panels.items()}
    fitted = []
    if entry.fit:
        fitted = _add_curves(panels, grid, entry)
    return LinePoints(segmented, x, styles, labels, names, numeric, fitted)


def _add_curves(
    panels: Mapping[str, Sequence[LinePoint]], grid: Grid, entry: Entry
) -> list[curves.DrawnCurve]:
    """The curves of a figure; rows are told what their line crosses."""
    places = [("", "") for _ in range(len(grid))]
    for label, rows in panels.items():
        for row in rows:
            places[row.number] = label, row.line
    fitted = curves.curves_of(grid, entry.question, places)
    crossings = {(curve.panel, curve.line): curve.told for curve in fitted}
    for row in frame.all_rows(panels):
        place = places[row.number]
        row.crossing = crossings[place]
    return fitted


def _require_colours(names: Collection[str], entry: Entry) -> None:
    if len(names) > len(series.COLOURS):
        colour = entry.encoding.color
        why = f"{colour!r} has {len(names)} values, but bars have {len(series.COLOURS)} colours"
        ways = f"choose some under where.{colour}, or draw lines"
        raise entry.question.fault("form", f"{why}; {ways}")


def _require_above_zero(values: Iterable[Any], entry: Entry) -> None:
    for value in values:
        if not value > 0:
            words = f"{entry.encoding.x}={value} cannot be shown on a log axis"
            raise entry.question.fault("x_scale", f"{words}; write linear or ordinal")


def _segmented(rows: Sequence[LinePoint]) -> list[LinePoint]:
    """The rows of a panel, line by line, with their segment; a point without a value ends one."""
    order = list(dict.fromkeys(row.line for row in rows))
    ordered = sorted(rows, key=lambda row: (order.index(row.line), row.at))
    segments = groupby(ordered, key=lambda row: (row.line, row.missing and row.number + 1))
    for number, (_, points) in enumerate(segments, 1):
        segment = list(points)
        for row in segment:
            row.segment = number
            row.alone = len(segment) == 1
    return ordered


# -------------------------------------------------------------------------------------- the sizes

LEAST = (84.0, 108.0)  # width of a panel in narrow and in wide figures, unless the user gives it
HIGH = 0.62  # height of a panel as a part of its width …
HEIGHTS = (84.0, 186.0)  # … from and to
BESIDE = 11.0  # from the last point of a line to its name
LARGEST_NAMES = 0.34  # part of the width that names beside the lines may take
NEAR = 8.0  # a point answers so far from its middle
DODGE = 3.2  # between the bars of two lines at one place, at most
BARS = 0.8  # part of the room of a value of x that its bars take, with what is between them
BETWEEN = 0.6  # from bar to bar
HAIR = 0.75  # the height of a bar of 0
SHARE_END = 1.05  # the end of an axis of shares, with its air
FOOT = 4.0  # of the dash of a point without a value, above the axis


@dataclass(frozen=True, kw_only=True)
class LineLayout(frame.Panels):
    """Places of a line figure, in pt."""

    x: Quantity | Labels  # numbers along x, or names
    y: Mapping[str, Quantity]  # label of a panel → its axis of y
    beside: bool  # whether lines are named beside their ends
    dodge: Mapping[str, float]  # line → its shift to the right, so that bars lie side by side

    def place(self, row: LinePoint) -> float:
        return _across(self.x, row.at) + self.dodge[row.line]

    def down(self, row: LinePoint, label: str, k: int = 0) -> float:
        """How far down a point lies; without a value, the `k`-th of them, at the foot."""
        high = float(self.size[1])
        if row.value is None:
            lift = 5.0 * (k % 3)
            return high - FOOT - lift
        return self.down_at(label, row.value)

    def down_at(self, label: str, value: float) -> float:
        """How far down a value lies, as near as the panel reaches."""
        high = float(self.size[1])
        up = self.y[label].place(value)
        return quantity.clamped(high - up, 0.0, high)


def _across(x: Quantity | Labels, number: float) -> float:
    """How far to the right a value of x lies."""
    if isinstance(x, Labels):
        return (number + 0.5) * x.step
    return x.place(number)


def lay_out_lines(points: LinePoints, entry: Entry) -> LineLayout:
    """The most panels in a row that have room; names beside the lines where they fit."""
    width = entry.page_width
    log = entry.y_scale == "log"
    is_independent = entry.scale != "shared"
    limits = frame.value_limits(entry.question)
    ends = _y_ends(points, entry)
    rough = [quantity.upward(span, HEIGHTS[0], log, limits) for span in ends.values()]
    room = max(map(quantity.label_room, rough)) + APART
    left = math.ceil(theme.LABEL + APART + room)
    gap = frame.GAP
    if is_independent:
        gap += room
    names = list(points.labels.values())
    right = 6
    named_beside = not entry.has_bars and _fits_beside(points, entry, width)
    if named_beside:
        right = math.ceil(BESIDE + widest(names, theme.LABEL, bold=True) + 2)
    is_roomy = width >= theme.ROOMY
    narrowest = LEAST[is_roomy]
    count = len(points.panels)
    columns = frame.count_columns(count, width - left - right, narrowest, gap, entry.columns)
    for _ in range(2):  # a long number below the last point takes room from the panels
        wide = int((width - left - right - (columns - 1) * gap) / columns)
        x = _x_axis(points, entry, wide)
        if isinstance(x, Quantity):
            right = max(math.ceil(x.overhang), right)
    high = quantity.clamped(wide * HIGH, *HEIGHTS)
    if named_beside:
        high = max(high, len(names) * series.line())
    high = round(high)
    legend = series.legend(_legend_names(names, entry, named_beside), width - left)
    x_title = []
    if points.names.x:
        x_title = broken(points.names.x, wide, theme.LABEL)
    labels = x.height if isinstance(x, Labels) else theme.LABEL
    sides = {"width": width, "left": left, "gap": gap, "labels": labels}
    return LineLayout(
        sheet=LineLayout.page(entry, math.ceil(count / columns), high, legend, x_title, **sides),
        columns=columns,
        size=(wide, high),
        x=x,
        legend=legend,
        beside=named_beside,
        y={label: quantity.upward(span, high, log, limits) for label, span in ends.items()},
        titles=(x_title, broken(entry.question.value_title, high + 14, theme.LABEL)),
        dodge=_dodge(list(points.styles), x, entry),
    )


def _legend_names(names: Sequence[str], entry: Entry, named_beside: bool) -> Sequence[str]:
    """The lines that a legend above the panels names; a single set of bars only if it is asked."""
    hidden = named_beside or entry.legend is False
    if entry.has_bars and len(names) == 1:
        hidden = not entry.legend
    if hidden:
        return []
    return names


def _y_ends(points: LinePoints, entry: Entry) -> dict[str, Domain]:
    """Label of a panel → the ends of its axis of y, which holds all values and references."""
    rows, ends = frame.all_rows(points.panels), {}
    levels = references.level_values(entry.reference)
    if entry.crossing is not None:
        levels.append(entry.crossing)
    for label, panel_rows in points.panels.items():
        visible = panel_rows
        if entry.scale == "shared":
            visible = rows
        reach = frame.reach_of(visible)
        reach += levels
        if entry.has_bars and not entry.domain:
            ends[label] = _from_zero(reach)
        else:
            ends[label] = frame.domain(reach, entry.y_scale == "log", entry.domain)
    return ends


def _from_zero(reach: Sequence[float | None]) -> Domain:
    """The ends of an axis on which bars begin at 0."""
    numbers = [0.0, *(number for number in reach if number is not None)]
    low, high = quantity.padded(numbers, log=False)
    return (low if min(numbers) < 0 else 0.0), (high if max(numbers) > 0 else 0.0)


def _fits_beside(points: LinePoints, entry: Entry, width: float) -> bool:
    """Whether lines can be named beside their ends: one panel, all ends at its right, and room."""
    if entry.legend is not None or len(points.panels) > 1:
        return False
    rows = frame.all_rows(points.panels)
    last = max(row.at for row in rows)
    ends = {row.line for row in rows if row.at == last and not row.missing}
    room = widest(points.labels.values(), theme.LABEL, bold=True) + BESIDE
    fits = room <= LARGEST_NAMES * width and len(ends) * series.line() <= HEIGHTS[1]
    return fits and ends == set(points.styles)


def _x_axis(points: LinePoints, entry: Entry, wide: float) -> Quantity | Labels:
    if not points.numeric:
        return fit_labels(list(points.x.values()), wide / len(points.x))
    log = entry.x_scale == "log"
    names = shorten_labels(list(points.x.values()))
    values = {float(value): name for value, name in zip(points.x, names, strict=True)}
    return quantity.at_values(quantity.padded(list(values), log), wide, log, values)


def _bar_width(x: Quantity | Labels, count: int) -> float:
    """The width of a bar where so many stand at each value of x."""
    if isinstance(x, Labels):
        return BARS * x.step / count
    return 0.0


def _dodge(names: Sequence[str], x: Quantity | Labels, entry: Entry) -> dict[str, float]:
    """Line → its shift to the right, around the middle of all."""
    if not isinstance(x, Labels):
        return dict.fromkeys(names, 0.0)
    distance = min(DODGE, 0.6 * x.step / len(names))
    if entry.has_bars:
        distance = _bar_width(x, len(names))
    middle = (len(names) - 1) / 2
    return {name: round((number - middle) * distance, 3) for number, name in enumerate(names)}


def place_line_points(label: str, points: LinePoints, layout: LineLayout) -> list[LinePoint]:
    """The rows of a panel with the box that answers for each, and whether y holds it (`there`).

    Boxes at one place of x share the height; points without a value lie at the foot.
    """
    rows = points.panels[label]
    axis = layout.y[label]
    low = -math.inf
    if axis.log:
        low = axis.domain[0]
    places = sorted({_across(layout.x, row.at) for row in rows})
    half = min([NEAR, *((b - a) / 2 for a, b in pairwise(places))])
    for _, column in groupby(sorted(rows, key=lambda row: row.at), key=lambda row: row.at):
        for row, top_edge, foot in _point_boxes(list(column), label, layout):
            x = layout.place(row)
            left = round(x - half, 2)
            top = round(top_edge, 2)
            tall = max(foot - top_edge, 1.0)
            high = round(tall, 2)
            row.put((left, top, round(2 * half, 2), high))
            if row.lower is not None:
                row.lower = max(row.lower, low)
            if row.upper is not None:
                row.upper = max(row.upper, low)
            row.dx = layout.dodge[row.line]
            row.px = round(x, 2)
            row.py = top + high / 2
            row.there = row.value is not None and axis.holds(row.value)
    return list(rows)


def bar_rows(label: str, points: LinePoints, layout: LineLayout) -> list[LinePoint]:
    """The same of bars: each is its own box; one of 0 is a hair."""
    rows = place_line_points(label, points, layout)
    zero = layout.down_at(label, 0.0)
    wide = _bar_width(layout.x, len(points.styles)) - BETWEEN
    for row in rows:
        end = zero
        if row.value is not None:
            end = layout.down(row, label)
        high = max(abs(zero - end), HAIR)
        top = zero
        if end <= zero:
            top = zero - high
        left = layout.place(row) - wide / 2
        row.put((round(left, 2), round(top, 2), round(wide, 2), round(high, 2)))
    return rows


def _point_boxes(
    rows: Sequence[LinePoint], label: str, layout: LineLayout
) -> list[tuple[LinePoint, float, float]]:
    """The points at one place of x from the top, each with the top and the foot of its box."""
    tops = [layout.down(row, label, number) for number, row in enumerate(rows)]
    spread = series.spread_out(tops, 2.0, 0.0, float(layout.size[1]))
    ranked = sorted((y, number) for number, y in enumerate(spread))
    middles = [(a[0] + b[0]) / 2 for a, b in pairwise(ranked)]
    edges = [ranked[0][0] - NEAR] + middles + [ranked[-1][0] + NEAR]
    boxes = []
    for (y, number), (top_edge, under) in zip(ranked, pairwise(edges), strict=True):
        boxes.append((rows[number], max(top_edge, y - NEAR), min(under, y + NEAR)))
    return boxes


# ------------------------------------------------------------------------------------- the picture

BAND, FAINT, FEW = 0.16, 0.09, 3
"""How dark a band is, with up to so many, and with more, which lie on each other."""
ENDS = "ends"  # name of the data set of names beside lines
NOUNS = {"lines": ("line", "Line chart"), "bars": ("bar", "Bar chart")}
"""Form → what it draws for each value of `color`, and what it is."""


def picture(grid: Grid, entry: Entry) -> Picture:
    """What a line figure shows and says."""
    points = line_points(grid, entry)
    layout = lay_out_lines(points, entry)
    place = bar_rows if entry.has_bars else place_line_points
    placed = {label: place(label, points, layout) for label in points.panels}
    rows = frame.all_rows(placed)
    question = entry.question
    x = points.names.x or entry.encoding.x
    y = points.names.y or entry.encoding.color
    spoken = {label: _panel_in_words(label, shown, points) for label, shown in placed.items()}

    def charts() -> Charts:
        data = {
            data_name("points", k): frame.data_of(panel_rows) for k, panel_rows in placed.items()
        }
        styles = {points.labels[name]: style for name, style in points.styles.items()}
        data[frame.LEGEND] = frame.legend_rows(layout.legend, layout.sheet, styles)
        data[ENDS] = end_rows(rows, points, layout)
        marks = {}
        for number, label in enumerate(placed):
            base = alt.Chart().encode(*_panel_axes(number, label, layout, entry))
            layers = _value_marks(base, rows, points, entry)
            if points.curves:
                layers = _curve_marks(number, label, layout, entry) + layers
                data |= _curve_data(label, points, layout, entry)
            if entry.reference is not None:
                name = data_name(references.DATA, label)
                data[name] = _reference_rows(label, layout, entry)
                layers += references.reference_layers(name)
            marks[label] = layers
        x_words = layout.legend.layers(frame.LEGEND, line=not entry.has_bars)
        if layout.beside:
            x_words += _line_names()
        answering = frame.answers(entry, rows, {y: "datum.line", x: "datum.x"})
        return layout.charts(marks, x_words, answering, spoken, entry.letters), data

    x_words = wording.column(entry.encoding.x, entry.labels)
    noun, chart = NOUNS[entry.form]
    opening = f"{chart} of {frame.spoken_value(entry)} over {x_words}, a {noun} for each {y}."
    each_line = f"a {noun} for each {reasons.among_title(entry.encoding.color, question)}"
    legend_parts: Legend = [
        frame.errors_meaning(rows, entry, _error_mark(points, entry)),
        looks.INCOMPLETE.mark,
        looks.MISSING.mark,
        frame.beyond_meaning(rows, "y", "point"),
        references.meaning(entry.reference),
        *curves.curve_meanings(points.curves, question),
    ]
    facts = {}
    if entry.crossing is not None:
        level = curves.level_words(question)
        facts = {f"Crosses {level} at": "crossing"}
    return Picture(
        shows=f"{question.value_title} over {x_words}, {each_line}",
        noun="bar" if entry.has_bars else "point",
        rows=rows,
        sheet=layout.sheet,
        charts=charts,
        meanings=frame.explain(entry, rows, legend_parts, frame.doubts_of(grid, question)),
        spoken=[opening, *spoken.values()],
        mend=frame.MEND,
        facts=facts,
        below_table=curves.below_table(points.curves, question),
    )


def _curve_data(
    label: str, points: LinePoints, layout: LineLayout, entry: Entry
) -> dict[str, list[Datum]]:
    """The data sets of the curves of a panel."""
    panel_curves = [curve for curve in points.curves if curve.panel == label]
    name = data_name(curves.CURVES, label)
    data = {name: curves.curve_rows(panel_curves, points.styles)}
    if entry.crossing is not None and isinstance(layout.x, Quantity):
        down = layout.down_at(label, entry.crossing)
        name = data_name(curves.CROSSINGS, label)
        data[name] = curves.crossing_rows(panel_curves, points.styles, layout.x, down)
        level = ReferenceLevel(entry.crossing)
        name = data_name(curves.LEVELS, label)
        data[name] = references.line_rows(level, layout.y[label], None, layout.size, 1.0)
    return data


def _curve_marks(number: int, label: str, layout: LineLayout, entry: Entry) -> Layers:
    """The curves of a panel, and where they cross the level."""
    axes = _panel_axes(number, label, layout, entry)
    if entry.crossing is None:
        return curves.curve_layers(axes, label)
    levels = references.reference_layers(data_name(curves.LEVELS, label))
    return levels + curves.curve_layers(axes, label) + curves.crossing_layers(label)


def derived_numbers(samples: Samples, grid: Grid, entry: Entry) -> Iterator[DerivedNumber]:
    """The crossing of each line, counted once more."""
    words = f"its line crosses {curves.level_words(entry.question)} at {entry.encoding.x}"
    for crossing in crossings.count_crossings(samples, grid, entry.question):
        yield crossing._replace(said=words)


def _error_mark(points: LinePoints, entry: Entry) -> str:
    """What errors are drawn as."""
    if entry.has_bars:
        return "line"
    return "band" if points.has_bands else "bar"


def _reference_rows(label: str, layout: LineLayout, entry: Entry) -> list[Datum]:
    x = None
    if isinstance(layout.x, Quantity):
        x = layout.x
    factor = 1.0
    if x is not None and entry.question.shows_percent and x.domain[1] <= SHARE_END:
        factor = 100.0  # shares along x, percent along y
    return references.line_rows(entry.reference, layout.y[label], x, layout.size, factor)


def _panel_axes(number: int, label: str, layout: LineLayout, entry: Entry) -> list[Any]:
    """Both channels of a panel; only the first of a row has labels of y, if all have the same."""
    width = layout.size[0]
    y = layout.y[label]
    if isinstance(layout.x, Labels):
        names = alt.Scale(
            type="band", domain=list(layout.x.all), range=[0, width],
            paddingInner=0, paddingOuter=0, align=0,
        )  # fmt: skip
        axis = layout.x.axis(width, layout.titles[0])
        axis.domain = True
        axis.domainColor = theme.LINE
        axis.domainWidth = 0.6
        x = alt.X("x:N", scale=names, axis=axis)
    else:
        x = alt.X("at:Q", scale=layout.x.scale(), axis=layout.x.axis(**layout.x_axis()))
    labelled = number % layout.columns == 0 or entry.scale == "independent"
    keys = layout.y_axis(number) | ({} if labelled else {"labels": False})
    return [x, alt.Y("value:Q", scale=y.scale(upward=True), axis=y.axis(**keys))]


def _value_marks(
    base: alt.Chart, rows: Sequence[LinePoint], points: LinePoints, entry: Entry
) -> Layers:
    """The bars or lines of a panel, with errors and signs: behind lines, and on bars."""
    layers = _error_marks(base, rows, points, entry)
    if entry.has_bars:
        layers = _bars(base) + layers
    else:
        layers += _line_marks(base, entry)
    return layers + _point_signs(base, rows)


def _error_marks(
    base: alt.Chart, rows: Sequence[LinePoint], points: LinePoints, entry: Entry
) -> Layers:
    """Bands behind the lines, or bars; a point that is alone on its segment has a bar."""
    if not any(row.lower is not None for row in rows):
        return []
    spreads = base.transform_filter("isValid(datum.lower) && isValid(datum.upper) && datum.there")
    colour = datum("colour")
    clip = entry.domain is not None
    ends = alt.Y("lower:Q"), alt.Y2("upper:Q")
    alone = spreads
    if points.has_bands:
        alone = spreads.transform_filter("datum.alone")
    rules: list[tuple[Any, float]] = [(colour, 0.9)]
    if entry.has_bars:  # black on white, to be seen on dark bars too
        rules = [(theme.PAPER, 2.1), (theme.INK, 0.9)]
    layers = []
    for ink, wide in rules:
        rule = alone.mark_rule(
            color=ink, strokeWidth=wide, xOffset=datum("dx"), clip=clip, aria=False
        )
        layers.append(rule.encode(*ends))
    if points.has_bands:
        dark = FAINT
        if len(points.styles) <= FEW:
            dark = BAND
        bands = spreads.mark_area(fill=colour, opacity=dark, clip=clip, aria=False)
        layers.insert(0, bands.encode(*ends, alt.Detail("segment:N")))
    return layers


def _bars(base: alt.Chart) -> Layers:
    """Bars from 0 on. A layer without ink brings the axes."""
    axes = base.mark_point(size=0, opacity=0, aria=False)
    valued = spec.boxed().transform_filter("!datum.missing")
    bars = valued.mark_rect(
        fill=datum("colour"), stroke=None, aria=False,
    )  # fmt: skip
    return [axes, bars]


def _line_marks(base: alt.Chart, entry: Entry) -> Layers:
    """Lines with their points."""
    colour = datum("colour")
    moved = datum("dx")
    valued = base.transform_filter("!datum.missing")
    lines = valued.mark_line(
        stroke=colour, strokeWidth=1.3, strokeDash=datum("dash"), xOffset=moved,
        clip=entry.domain is not None, aria=False,
    )  # fmt: skip
    dots = valued.transform_filter("datum.there").mark_point(
        shape=datum("shape"), size=series.MARK, opacity=1, xOffset=moved,
        fill=colour, stroke=theme.PAPER, strokeWidth=0.6, aria=False,
    )  # fmt: skip
    if entry.fit:
        return [dots]
    return [lines.encode(alt.Detail("segment:N"), alt.Order("at:Q")), dots]


def _point_signs(base: alt.Chart, rows: Sequence[LinePoint]) -> Layers:
    """Daggers at points that are incomplete, and dashes for those without a value."""
    placed = base.transform_filter("datum.there")
    daggers = looks.daggers_at(rows, placed, xOffset=datum("dx"))
    if not any(row.missing for row in rows):
        return daggers
    place = {"x": datum("px"), "y": datum("py")}
    ink = datum("colour")
    dashes = looks.stamp(alt.Chart(), looks.MISSING.flagged, looks.dash_path(), fill=ink, **place)
    missing = alt.Chart().transform_filter(looks.MISSING.flagged)
    without_value = [row for row in rows if row.missing]
    return daggers + [dashes] + looks.daggers_at(without_value, missing, **place)


def end_rows(rows: Sequence[LinePoint], points: LinePoints, layout: LineLayout) -> list[Datum]:
    """The name of each line beside its end, as near to it as the others leave room."""
    if not layout.beside:
        return []
    (label,) = points.panels
    edge = layout.size[0] + BESIDE
    last = max(row.at for row in rows)
    ends = [row for row in rows if row.at == last]
    downs = [layout.down(row, label) for row in ends]
    room = series.spread_out(downs, series.line(), 0.0, float(layout.size[1]))
    names: list[Datum] = []
    for row, end, middle in zip(ends, downs, room, strict=True):
        look: Datum = {"colour": row.colour, "ink": points.styles[row.line].ink}
        hair = {"px": round(layout.place(row) + 3.5, 2), "end": round(end, 2), "edge": edge - 2}
        text = {"text": edge, "py": round(middle, 2)}
        names.append({"name": points.labels[row.line]} | look | hair | text)
    return names


def _line_names() -> Layers:
    """Names beside the ends of lines, each with a hair to where its line ends."""
    base = data_chart(ENDS)
    hairs = base.mark_rule(color=datum("colour"), strokeWidth=0.5, aria=False).encode(
        **spec.places(x="px", x2="edge", y="end", y2="py")
    )
    style = {"fontSize": theme.LABEL, "fontWeight": "bold", "color": datum("ink")}
    return [hairs, spec.texts(base, "name", "text", **style)]


READ_AT_MOST = 12  # points of a line that are read out one by one


def _panel_in_words(label: str, rows: Sequence[LinePoint], points: LinePoints) -> str:
    """A panel in words, behind its name."""
    text = _lines_in_words(rows, points)
    if label:
        return f"{label}: {text}"
    return text


def _lines_in_words(rows: Sequence[LinePoint], points: LinePoints) -> str:
    """A panel in words, line by line: all values, or of many the ends and the highest."""
    parts = []
    for name in points.styles:
        line = [row for row in rows if row.line == name]
        valued = valued_cells(line)
        texts = [f"{row.told} at {row.x}" for row in valued]
        text = ", ".join(texts) or "no value"
        if len(texts) > READ_AT_MOST:
            top = max(range(len(texts)), key=lambda n: valued[n].value or 0.0)
            text = f"from {texts[0]} to {texts[-1]}, highest {texts[top]}"
        lost = len(line) - len(valued)
        if lost and valued:
            text = f"{text}, {lost} without a value"
        parts.append(f"{name}: {text}")
    return "; ".join(parts) + "."
