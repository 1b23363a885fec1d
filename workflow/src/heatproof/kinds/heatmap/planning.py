"""All sizes of a heatmap, measured and solved before anything is drawn.

What is printed in cells, labels and titles have room that was measured; what has no room is cut or
left out, and told. Lengths are pt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from heatproof.charts import bars, theme
from heatproof.charts.lettering import APART, broken, cut, text_width, widest, wrapped
from heatproof.charts.sheet import ROW_GAP, Sheet, letter_room
from heatproof.kinds.heatmap.axes import LIFT, Axes, Texts
from heatproof.kinds.heatmap.layout import HeatmapLayout
from heatproof.kinds.heatmap.panels import all_cells
from heatproof.kinds.lattice import MEAN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Names
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import AllPanels
    from heatproof.kinds.lattice import Size
    from heatproof.kinds.question import Question

CELLS_WITH_VALUES = 400  # most cells of a panel with values, unless the user asks for them
GAP, BLOCKS_APART = (8.0, 12.0), 6.0
"""From the labels of one panel's bar to the cells of the next: in narrow figures, in others, and
between the blocks of nested axes."""
PASSES = 9
"""A figure is laid out at most so often: room for labels of groups makes cells smaller, and the
lines of these labels, which are as long as their cells, shorter and more."""
NAME_LINES, WIDER, OVER_ROW = 3, 0.7, 16.0
"""Lines of the name of a panel; part of their length to which a longer name is cut; by how much the
name of a row may be longer than its panels."""
AROUND_VALUES, VALUES_APART = (2.2, 2.6), 2.0  # least room around values; between two lines
LONGEST_TITLE = 90.0  # width that panels should have for their titles, at most
LABELS = 0.28  # part of the width at which labels of y are cut


@dataclass(frozen=True)
class PrintedTexts:
    """What is printed in cells."""

    wide: float  # width of the widest value, as a part of its size
    spread: float  # width of the widest uncertainty; 0 where there is none

    def extent(self, size: float, errors: bool) -> Size:
        """Width and height of values of a size, perhaps over their errors."""
        wide = size * self.wide
        high = size
        if errors:
            wide = max(wide, self.spread)
            high += theme.line_height(theme.SMALL) + VALUES_APART
        return wide, high

    def room(self, size: float, errors: bool) -> Size:
        """Room that values of a size need in their cells."""
        wide, high = self.extent(size, errors)
        around, above_below = AROUND_VALUES
        return wide + around, high + above_below

    def contents(self, entry: Entry, cells: int) -> list[tuple[Size | None, bool]]:
        """What cells may contain, the most first: its room, and whether it has a second line.

        Values over errors are larger, so that the two differ at a glance.
        """
        rooms: list[tuple[Size | None, bool]] = [(self.room(theme.VALUES[-1], False), False)]
        if self.spread:
            rooms.insert(0, (self.room(larger_sizes()[-1], True), True))
        if entry.prints:
            return rooms
        if entry.prints is False or cells > CELLS_WITH_VALUES:
            return [(None, False)]
        return rooms + [(None, False)]

    def size(self, layout: HeatmapLayout) -> float:
        """The largest size of values that fits."""
        if not layout.value:
            return 0.0
        errors = layout.errors
        wide, high = layout.cell
        sizes: Sequence[float] = theme.VALUES
        if errors:
            sizes = larger_sizes()
        for size in sizes:
            x, y = self.room(size, errors)
            if x + 1.0 <= wide and y + 2.0 <= high:
                return size
        return sizes[-1]


def larger_sizes() -> Sequence[float]:
    """Sizes of values that stand over their errors."""
    return [size for size in theme.VALUES if size >= theme.LABEL] or theme.VALUES


@dataclass(frozen=True, kw_only=True)
class HeatmapPlan:
    """Sizes of a heatmap, for all its panels alike."""

    layout: HeatmapLayout
    axes: Axes
    sheet: Sheet
    titles: dict[str, list[str]]  # name of a panel → lines of its title
    short: dict[str, str]  # cut text → whole name
    room: int  # width of a colour bar with its labels; 0 without any
    value: float  # size of the values in cells; 0 without any


def plan_heatmap(panels: AllPanels, entry: Entry, names: Names) -> HeatmapPlan:
    """As many panels in a row as leave room for the values; without values where none is left.

    Labels take room from cells, and cells break labels: all is laid out anew until the room fits.
    """
    cells = all_cells(panels)
    labels, spreads = {cell.label for cell in cells}, {cell.spread for cell in cells}
    values = PrintedTexts(widest(labels, 1.0, bold=True), widest(spreads, theme.SMALL))
    question = entry.question
    columns = entry.columns  # panels in a row, where the entry says so
    if question.panels and not question.wraps:
        columns = len({panel.place[question.rows_split :] for panel in panels})
    longest = LABELS * entry.page_width
    texts = _panel_texts(panels, question, names, columns, longest)
    empty = replace(_empty(panels, entry, texts, columns), downward=names.downward)
    left, turned = texts.left, True
    for attempt in range(PASSES):
        for room, errors in values.contents(entry, math.prod(empty.shape)):
            layout = replace(empty, left=left, value=room, errors=errors).fitted()
            if not room or layout.cell[0] >= room[0]:
                break
        row_names, rows_cut = _broken_row_names(panels, layout)
        axes = Axes(texts, layout, row_names, turned)
        if attempt and axes.left <= left:
            break
        left = axes.left
        turned = bool(axes.y_title)
    titles, titles_cut = title_lines(panels, layout)
    return HeatmapPlan(
        layout=layout,
        axes=axes,
        sheet=_sheet(panels, entry, axes, titles),
        titles=titles,
        short=axes.cut | rows_cut | titles_cut,
        room=_bar_room(panels),
        value=values.size(layout),
    )


def _panel_texts(
    panels: AllPanels, question: Question, names: Names, columns: int | None, longest: float
) -> Texts:
    """The texts beside panels, of which `columns` stand in a row; `longest`: of labels of y."""
    deep = question.rows_split
    column_places = list[tuple[str, ...]]()
    row_places = list[tuple[str, ...]]()
    if question.nested and columns:
        column_places = [panel.place[deep:] for panel in panels[:columns]]
        row_places = [panel.place[:deep] for panel in panels[::columns]]
    titles = []
    for column, name in ((question.x, names.x), (question.y, names.y)):
        titles.append("" if question.labels.get(column) == "" else name)
    alone = len(panels) == 1 or columns == 1
    return Texts(
        lines=names.lines,
        names=(names.x, names.y),
        titles=(titles[0], titles[1]),
        places=(column_places, row_places),
        longest=longest,
        also=[MEAN] if question.y in question.means else [],
        bold=alone and any("y" in panel.verdict.tops for panel in panels),
    )


def _empty(panels: AllPanels, entry: Entry, texts: Texts, columns: int | None) -> HeatmapLayout:
    """The layout without values, before it is fitted into the page."""
    question = entry.question
    width = entry.page_width
    room = _bar_room(panels)
    has_several = len(panels) > 1
    sharing = entry.sharing if has_several else "independent"
    gap = BLOCKS_APART
    if not question.nested:
        is_roomy = width >= theme.ROOMY
        gap = GAP[is_roomy]
    grid = _grid_of(question)
    longest = 0.0  # word of a name over panels, which few cells may not have room for
    if grid != "row" and not question.nested:
        titles = [", ".join(panel.place[-1:] if grid else panel.place) for panel in panels]
        longest = _longest_word(titles, 0.0)
    bar = 0.0
    if room:
        bar = room + (gap if sharing in ("shared", "row") else bars.GAP)
    title = widest((", ".join(panel.place) for panel in panels), theme.TITLE, True)
    return HeatmapLayout(
        width=width,
        exact=bool(entry.width),
        panels=len(panels),
        left=texts.left,
        gap=gap,
        lines=texts.lines,
        row=texts.row,
        label=max(widest(texts.x, theme.LABEL) + APART, longest / len(texts.x)),
        bar=bar,
        title=min(title, LONGEST_TITLE),
        sharing=sharing,
        asked=columns,
        nested=question.nested,
        grid=grid,
    )


def _grid_of(question: Question) -> Literal["", "row", "column", "both"]:
    """What parts panels into a grid."""
    by_row = question.rows_split > 0
    deep = len(question.panels)
    by_column = question.rows_split < deep
    if question.wraps or not (by_row or by_column):
        return ""
    if by_row and by_column:
        return "both"
    return "row" if by_row else "column"


def _bar_room(panels: AllPanels) -> int:
    return max((panel.legend.labelled for panel in panels if panel.legend), default=0)


def _sheet(
    panels: AllPanels, entry: Entry, axes: Axes, titles: Mapping[str, Sequence[str]]
) -> Sheet:
    """The page of panels with titles of these lines."""
    layout = axes.layout
    line = theme.line_height(theme.TITLE)
    legends = [panel.legend for panel in panels if panel.legend]
    lines = [len(title) for title in titles.values()]
    most_lines = max([*lines, *(len(bar.lines) for bar in legends)], default=1)
    head_room = LIFT + theme.TITLE + 1.5 + line * max(most_lines - 1, 0)
    between = axes.labels_below + ROW_GAP + head_room
    if layout.grid:
        between = layout.gap
        letters = max(lines[layout.columns :], default=0)
        if letters:
            between += theme.TITLE + line * (letters - 1) + LIFT
    return Sheet(
        width=layout.page,
        left=int(layout.left),
        above=head_room,
        below=axes.below,
        height=layout.box[1],
        gap=bars.GAP if legends and not layout.shared else layout.gap,
        rows=layout.rows,
        margin=0.0,
        with_id=entry.id,
        title=entry.title,
        between=between,
    )


# ------------------------------------------------------------------------------ names of panels


def _fit_names(names: Sequence[str], room: float) -> dict[str, str]:
    """Name → its text on at most `NAME_LINES` no wider than `room`."""
    if all(len(_wrap_title(name, room)) <= NAME_LINES for name in names):
        return {name: name for name in names}
    return cut(names, NAME_LINES * room * WIDER)


def _wrap_title(name: str, room: float) -> list[str]:
    return wrapped(name, room, theme.TITLE, True)


def _cut_names(short: Mapping[str, str]) -> dict[str, str]:
    """Cut text → whole name."""
    return {text: name for name, text in short.items() if text != name}


def _broken_row_names(
    panels: AllPanels, layout: HeatmapLayout
) -> tuple[list[list[str]], dict[str, str]]:
    """Lines of the names of the rows of a grid; and cut text → whole name."""
    if layout.grid not in ("row", "both") or layout.nested:
        return [], {}
    room = layout.box[1] + min(OVER_ROW, layout.gap - APART)
    names = [panel.place[0] for panel in panels[:: layout.columns]]
    short = _fit_names(names, room)
    return [_wrap_title(text, room) for text in short.values()], _cut_names(short)


def title_lines(
    panels: AllPanels, layout: HeatmapLayout
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Lines of the names of panels, in a grid of columns; and cut text → whole name.

    A name leaves room for the title of a bar beside it, or stands above that. A panel that has a
    letter alone has one empty line.
    """
    names = _title_names(panels, layout)
    room, wide = _title_room(panels, names, layout)
    short = _fit_names(list(dict.fromkeys(names)), wide)
    titles, longest = {}, 0.0
    for panel, name in zip(panels, names, strict=True):
        left, size = letter_room(panel.letter)
        if name:
            lines = wrapped(short[name], wide - left, size, True)
            longest = max(longest, left + text_width(lines[-1], size, True))
        else:
            lines = [""] if panel.letter else []
        titles[panel.name] = lines
    if longest > room:
        for panel, name in zip(panels, names, strict=True):
            if name:
                titles[panel.name].append(" ")
    return titles, _cut_names(short)


def _title_names(panels: AllPanels, layout: HeatmapLayout) -> list[str]:
    """What stands above each panel: its name, or in a grid that of its column."""
    if not layout.grid:
        return [", ".join(panel.place) for panel in panels]
    names = ["" for _ in panels]
    if layout.grid != "row" and not layout.nested:
        first_row = panels[: layout.columns]
        names[: layout.columns] = [panel.place[-1] for panel in first_row]
    return names


def _longest_word(names: Sequence[str], room: float) -> float:
    """Width of the longest piece of a name over panels that is not broken in so much room."""
    pieces = []
    for name in names:
        pieces += broken(name, room, theme.TITLE, True)
    return widest(pieces, theme.TITLE, True)


def _title_room(panels: AllPanels, names: Sequence[str], layout: HeatmapLayout) -> Size:
    """Width of a title beside that of a bar, and where it may stand above that."""
    hangs = max((panel.legend.hangs for panel in panels if panel.legend), default=0.0)
    overhang = max(hangs - (bars.GAP - APART), 0.0)
    room = layout.panel[0] + 2.0 - overhang
    longest = _longest_word(names, room)
    if layout.grid or longest > room:
        return room, layout.panel[0] + max(layout.beside - APART, 2.0)
    return room, room
