"""The axes of a heatmap: labels, titles, and brackets around groups and blocks. Lengths are pt."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from heatproof.charts import lettering, sheet, theme
from heatproof.charts.lettering import APART, LINES, PAD, Labels, broken, widest, wrapped
from heatproof.kinds.heatmap.layout import FEW
from heatproof.kinds.lattice import Bracket
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.spec import ChartKeys
    from heatproof.kinds.heatmap.layout import HeatmapLayout, Slot
    from heatproof.kinds.lattice import Line, Lines, Span

    TextLines = Sequence[str]
    Place = tuple[str, ...]  # what a block is called at each level, the outermost first

CROWDED = 1.1  # least distance between two labels of y, as a part of their size
Y_APART = 3.0  # least room between labels of y on several lines
Y_TITLE_OVER = 14.0  # a title of y may be so much longer than its panel
LIFT = 5.0  # from the cells to the baseline of a title above them
BRACKET = 3.0  # from the labels of an axis to the brackets, and from these to their own labels
PARTED = 1.0  # from the edges of a group of cells to the ends of its bracket
TURNED = 2  # most lines of a turned label of a block
BEYOND = 2.5  # a label may be so much longer than its bracket, …
OVER = 6.0  # … and a turned one


@dataclass(frozen=True)
class BracketLevel:
    """Brackets on one line, with their labels."""

    brackets: Sequence[Bracket]  # from the first cell, with whole labels
    lines: Mapping[str, TextLines]  # whole label → its lines
    angle: int  # 0 (level), 45 or 90 (turned, read upwards)
    room: float  # from the edge of this level that is nearer to the cells to the other one

    def marks_below(self, line: float) -> Iterator[alt.Chart]:
        """Brackets and labels under the cells, below a line."""
        style: ChartKeys = {"baseline": "top", "align": "center"}
        if self.angle:
            style = {"baseline": "middle", "align": "right", "angle": -self.angle % 360}
        y = line + BRACKET
        for bracket in self.brackets:
            yield _thin_rule(bracket.start, y, bracket.end, y)
            lines = self.lines[bracket.name]
            yield _axis_label(lines, bracket.middle, y + BRACKET, style)

    def marks_left(self, line: float) -> Iterator[alt.Chart]:
        """Brackets and labels left of the cells, beyond a line so far from them."""
        style: ChartKeys = {"baseline": "middle", "align": "right"}
        if self.angle:
            style = {"baseline": "alphabetic", "align": "center", "angle": 270}
        most_lines = max(map(len, self.lines.values()))
        x = -line - BRACKET
        for bracket in self.brackets:
            lines = self.lines[bracket.name]
            left = x - BRACKET
            middle = bracket.middle
            if self.angle:
                left -= theme.LEADING * (most_lines - 1)
            else:
                middle -= theme.LEADING * (len(lines) - 1) / 2
            yield _thin_rule(x, bracket.start, x, bracket.end)
            yield _axis_label(lines, left, middle, style)


def _thin_rule(x: float, y: float, x2: float, y2: float) -> alt.Chart:
    """A thin rectangle: where ends are given, Vega-Lite takes no rule without a channel."""
    half = 0.3
    start = {"x": x - half, "y": y - half}
    end = {"x2": x2 + half, "y2": y2 + half}
    return sheet.box(fill=theme.INK, stroke=None, **start, **end)


def _axis_label(lines: TextLines, x: float, y: float, style: Mapping[str, Any]) -> alt.Chart:
    return sheet.words(lines, x, y, lineHeight=theme.LEADING, **style)


def _nested_brackets(places: Sequence[Place], pitch: float, size: float) -> Iterator[list[Bracket]]:
    """The brackets of blocks, level by level, the innermost first.

    `places`: of blocks of a `size`, from one to the next a `pitch`.
    """
    deepest = 0
    if places:
        deepest = len(places[0])
    for deep in range(deepest, 0, -1):
        brackets, start = [], 0
        for place, blocks in groupby(places, key=lambda place: place[:deep]):
            end = start + len(list(blocks))
            if place[-1]:
                last = (end - 1) * pitch
                bracket = Bracket(place[-1], start * pitch, last + size)
                brackets.append(bracket)
            start = end
        yield brackets


def _level_below(brackets: Sequence[Bracket], left: float) -> BracketLevel:
    """Brackets below the cells; `left`: room before the first of them.

    Labels lie level where each fits its own bracket, else as labels of cells do.
    """
    rooms = {bracket.name: bracket.room + BEYOND for bracket in brackets}
    level = {name: broken(name, room, theme.LABEL) for name, room in rooms.items()}
    labels = lettering.fit_labels(list(rooms), min(rooms.values()), left)
    most_lines = max(map(len, level.values()))
    if most_lines <= LINES and _fits(level, rooms):
        labels = Labels(list(rooms), level, 0, 0.0)
    return BracketLevel(brackets, labels.lines, labels.angle, 2 * BRACKET + labels.height)


def _level_left(brackets: Sequence[Bracket], longest: float) -> BracketLevel:
    """Brackets left of the cells, with turned labels; or level ones, cut at `longest`."""
    rooms = {bracket.name: bracket.room + OVER for bracket in brackets}
    lines_of = {name: broken(name, room, theme.LABEL) for name, room in rooms.items()}
    most_lines = max(map(len, lines_of.values()))
    if most_lines <= TURNED and _fits(lines_of, rooms):
        wide = theme.LABEL + theme.LEADING * (most_lines - 1)
        return BracketLevel(brackets, lines_of, 90, 2 * BRACKET + wide)
    shortest = min(bracket.room for bracket in brackets)
    high = max(int(shortest / theme.LEADING), 1)
    lines_of = lettering.stacked(list(rooms), longest, high)
    wide = max(widest(lines, theme.LABEL) for lines in lines_of.values())
    return BracketLevel(brackets, lines_of, 0, 2 * BRACKET + wide)


def _fits(lines_of: Mapping[str, TextLines], rooms: Mapping[str, float]) -> bool:
    """Whether no label is longer than its room."""
    return all(widest(lines, theme.LABEL) <= rooms[name] for name, lines in lines_of.items())


def _inner_lines(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if not line.outer]


@dataclass(frozen=True)
class Texts:
    """The texts beside the panels, before these are laid out."""

    lines: Lines
    names: tuple[str, str]  # of x and y
    titles: tuple[str, str]  # the same beside the axes; empty if left out
    places: tuple[Sequence[Place], Sequence[Place]]  # labels of the blocks of a row, of a column
    longest: float  # at which labels of y are cut
    also: Sequence[str]  # other texts in the place of labels of y
    bold: bool = False  # some labels of y may be bold, and so wider

    @cached_property
    def inner(self) -> tuple[list[Line], list[Line]]:
        """The lines without the means of all, which stand apart."""
        x, y = map(_inner_lines, self.lines)
        return x, y

    @cached_property
    def x(self) -> list[str]:
        return [line.name for line in self.inner[0]]

    @cached_property
    def y(self) -> list[str]:
        """From the lowest."""
        return [line.name for line in reversed(self.inner[1])]

    @cached_property
    def means(self) -> list[str]:
        """Labels of means among those of cells."""
        x, y = self.inner
        return [line.name for line in x + y if line.mean]

    @cached_property
    def y_lines(self) -> dict[str, list[str]]:
        """Label of y → its lines: several only where cells are few, and can be made as high."""
        most_lines = 1
        if len(self.y) <= FEW:
            most_lines = LINES
        return lettering.stacked(self.y, self.longest, most_lines)

    @property
    def row(self) -> float:
        """From one row of cells to the next, at least, for labels of several lines."""
        most_lines = max(map(len, self.y_lines.values()), default=1)
        if most_lines > 1:
            return theme.LABEL + theme.LEADING * (most_lines - 1) + Y_APART
        return 0.0

    @cached_property
    def y_label(self) -> float:
        lines = list(chain.from_iterable(self.y_lines.values()))
        return widest(lines + list(self.also), theme.LABEL, self.bold)

    @property
    def left(self) -> int:
        """Room left of the cells without brackets, for a title of one line."""
        return math.ceil(PAD + self.y_label + APART + theme.LABEL)


@dataclass(frozen=True)
class Axes:
    """The labels and titles of panels that are laid out."""

    texts: Texts
    layout: HeatmapLayout
    rows: Sequence[TextLines]  # lines of the names of rows of panels, turned, left of all else
    turned: bool = True  # whether the title of y may stand beside the labels

    @cached_property
    def y_title(self) -> list[str]:
        """Lines of the turned title of y; none if it stands above the labels."""
        high = self.layout.box[1] * self.layout.rows + Y_TITLE_OVER
        title = self.texts.titles[1]
        if not (title and self.turned):
            return []
        lines = broken(title, high, theme.LABEL)
        fits = widest(lines, theme.LABEL) <= high
        if fits and len(lines) <= 2:
            return lines
        return []

    @cached_property
    def groups(self) -> tuple[list[BracketLevel], list[BracketLevel]]:
        """Brackets of groups below the cells, and left of them."""
        columns = self.layout.lattice.brackets(0, PARTED)
        rows = self.layout.lattice.brackets(1, PARTED)
        below_cells = []
        if columns:
            below_cells = [_level_below(columns, self.layout.left)]
        left = []
        if rows:
            left = [_level_left(rows, self.texts.longest)]
        return below_cells, left

    @cached_property
    def blocks(self) -> tuple[list[BracketLevel], list[BracketLevel]]:
        """Brackets of blocks of nested axes below all panels, and left of them."""
        layout = self.layout
        across, down = self.texts.places
        wide, high = layout.box
        columns = _nested_brackets(across, wide + layout.apart_beside, wide)
        rows = _nested_brackets(down, high + layout.gap, high)
        below_cells = [_level_below(brackets, layout.left) for brackets in columns]
        left = [_level_left(brackets, self.texts.longest) for brackets in rows]
        return below_cells, left

    @property
    def brackets(self) -> Span:
        """Room of all brackets beyond the labels of x and of y."""
        below, left = self.groups
        below_all, left_of_all = self.blocks
        foot = sum(level.room for level in below + below_all)
        return foot, sum(level.room for level in left + left_of_all)

    @property
    def beside(self) -> float:
        """Room for labels, brackets and title of y."""
        labels = PAD + self.texts.y_label
        brackets = self.brackets[1]
        if self.y_title:
            title = brackets + APART + theme.LABEL + theme.LEADING * (len(self.y_title) - 1)
            return labels + title
        title_room = min(widest(self.texts.titles[1:], theme.LABEL), self.texts.longest)
        return PAD + max(self.texts.y_label + brackets, title_room)

    @cached_property
    def left(self) -> int:
        """Room left of the cells, also for the names of rows of panels."""
        most_lines = max(map(len, self.rows), default=0)
        names = 0.0
        if most_lines:
            names = APART + most_lines * theme.line_height(theme.TITLE)
        return math.ceil(self.beside + names)

    @cached_property
    def labels(self) -> Labels:
        return lettering.fit_labels(self.texts.x, self.layout.step[0], self.left)

    @property
    def labels_below(self) -> float:
        return PAD + self.labels.height + self.brackets[0]

    @cached_property
    def x_title(self) -> list[str]:
        title = self.texts.titles[0]
        if title:
            return wrapped(title, self.x_span + 8, theme.LABEL)
        return []

    @property
    def x_span(self) -> float:
        if self.layout.columns > 1:
            return self.layout.span
        return self.layout.panel[0]

    @property
    def below(self) -> float:
        lines = len(self.x_title)
        title = 0.0
        if lines:
            title = PAD + theme.LABEL + theme.LEADING * (lines - 1)
        return self.labels_below + title

    @property
    def y_printed(self) -> list[str]:
        label = CROWDED * theme.LABEL
        return lettering.thinned(self.texts.y, label / self.layout.step[1])

    def bold_labels(self, tops: Mapping[str, TextLines]) -> dict[str, TextLines]:
        """Printed labels that are bold, of axes of one panel alone; `tops`: of its `Verdict`."""
        printed = {}
        if not self.layout.grid or self.layout.rows == 1:
            printed["x"] = self.labels.printed
        if self.layout.columns == 1:
            printed["y"] = self.y_printed
        bold: dict[str, TextLines] = {}
        for axis in tops.keys() & printed.keys():
            labels = [label for label in tops[axis] if label in printed[axis]]
            if labels:
                bold[axis] = labels
        return bold

    @property
    def unprinted(self) -> list[str]:
        """Names of rows and columns of cells that lie too near to each other."""
        x = lettering.unprinted(self.texts.x, self.labels.printed)
        return x + lettering.unprinted(self.texts.y, self.y_printed)

    @property
    def cut(self) -> dict[str, str]:
        short = lettering.cut_labels(self.labels.lines)
        short |= lettering.cut_labels(self.texts.y_lines)
        for levels in self.groups + self.blocks:
            for level in levels:
                short |= lettering.cut_labels(level.lines)
        return short

    @property
    def title_cut(self) -> list[str]:
        """The title of y, if it is cut above the labels."""
        title = self.texts.titles[1]
        is_cut = not self.y_title and widest([title], theme.LABEL) > self.beside
        return [title] if is_cut else []

    def channels(self, slot: Slot, reach: float, bold: Mapping[str, TextLines]) -> list[Any]:
        """Both axes of one panel; titles stand once, in the middle of all rows and columns.

        `reach`: from the top of the first panels to the bottom of the last. `bold`: axis → labels
        that are bold.
        """
        width, height = self.layout.panel
        wide, high = self.layout.step
        x_axis = None
        if slot.bottom:
            titled = []
            if slot.first and slot.last:
                titled = self.x_title
            x_axis = self.labels.axis(self.x_span, titled)
            x_axis = self._styled(x_axis, bold.get("x", ()))
            if self.brackets[0]:
                x_axis.titleY = self.labels_below + PAD
        y_room: float = height
        if self.layout.rows > 1:
            y_room = reach
        y_axis = None
        if slot.first:
            y_axis = self._y_axis(y_room, slot.top)
            y_axis = self._styled(y_axis, bold.get("y", ()))
        x_scale = _band(self.texts.x, self.layout.line / wide, (0, width))
        y_scale = _band(self.texts.y, self.layout.line / high, (height, 0))
        x, y = self.texts.names
        return [
            alt.X("x:N", title=x, scale=x_scale, axis=x_axis),
            alt.Y("y:N", title=y, scale=y_scale, axis=y_axis),
        ]

    def _styled(self, axis: alt.Axis, bold: TextLines) -> alt.Axis:
        """The axis with the labels of means in italics, and some labels bold."""
        if self.texts.means:
            axis.labelFontStyle = _only_of(self.texts.means, "italic")
        if bold:
            axis.labelFontWeight = _only_of(bold, "bold")
        return axis

    def _y_axis(self, height: float, titled: bool) -> alt.Axis:
        lines = self.texts.y_lines
        title = self.y_title
        place: ChartKeys = {
            "titleAngle": 0, "titleX": -PAD, "titleY": -LIFT, "titleAlign": "right",
            "titleLimit": self.beside,
        }  # fmt: skip
        if title:  # turned, beside the labels
            x = -PAD - self.texts.y_label - self.brackets[1] - APART
            x -= theme.LEADING * (len(title) - 1)
            place = {
                "titleAngle": -90, "titleX": x, "titleY": height / 2, "titleAlign": "center",
                "titleLimit": height + 2 * Y_TITLE_OVER,
            }  # fmt: skip
        labels = lettering.worded(lines)
        shifts = dict[float, list[str]]()
        for label in self.texts.y:  # those of several lines stand in the middle of their cells
            shift = -theme.LEADING * (len(lines[label]) - 1) / 2
            shifts.setdefault(shift, []).append(label)
        tests = []
        for shift, names in sorted(shifts.items(), reverse=True):
            if shift:
                tests.append({"test": _among_expression(names), "value": round(shift, 3)})
        if tests:
            labels["labelOffset"] = {"condition": tests, "value": 0}
        shown_title = None
        if titled:
            shown_title = title or self.texts.titles[1] or None
        return alt.Axis(
            title=shown_title, values=self.y_printed, labelLimit=0, titleBaseline="alphabetic",
            titleLineHeight=theme.LEADING, **place, **labels,
        )  # fmt: skip

    def marks(self, slot: Slot, reach: float) -> Iterator[alt.Chart]:
        """The brackets of groups beside labels, and once those of blocks."""
        under = PAD + self.labels.height
        left = PAD + self.texts.y_label
        below_cells, left_of_cells = self.groups
        for level in below_cells:
            if slot.bottom:
                yield from level.marks_below(self.layout.box[1] + under)
            under += level.room
        for level in left_of_cells:
            if slot.first:
                yield from level.marks_left(left)
            left += level.room
        if not (slot.first and slot.top):
            return
        under += reach
        for level in self.blocks[0]:
            yield from level.marks_below(under)
            under += level.room
        for level in self.blocks[1]:
            yield from level.marks_left(left)
            left += level.room


def _among_expression(labels: TextLines) -> str:
    """The expression of Vega that asks whether a label is one of some."""
    return f"indexof({json.dumps(list(labels), ensure_ascii=False)}, datum.label) >= 0"


def _only_of(labels: TextLines, style: str) -> ChartKeys:
    return {"condition": {"test": _among_expression(labels), "value": style}, "value": "normal"}


def _band(labels: Sequence[str], inner: float, ends: Sequence[float]) -> alt.Scale:
    # align 0: else rounding puts the first band a hair outside, where Vega drops its label.
    return alt.Scale(
        type="band", domain=list(labels), range=list(ends),
        paddingInner=inner, paddingOuter=0, align=0,
    )  # fmt: skip
