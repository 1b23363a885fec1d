"""All sizes of a heatmap, measured and solved before anything is drawn.

Names above its panels and verdicts below these, on the lines that fit; how large values may be
printed in its cells, and how near a frame may come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heatproof.charts import bars, theme
from heatproof.charts.lettering import APART, broken, cut, widest, wrapped
from heatproof.charts.sheet import ROW_GAP, Sheet
from heatproof.kinds.heatmap import marks
from heatproof.kinds.heatmap.axes import LIFT, Axes, Texts
from heatproof.kinds.heatmap.layout import GROUPS_APART, Layout, Needs, Slot, solve, starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Names, Panel

CELLS_WITH_VALUES = 400
"""Panels with more cells are drawn without values, unless the user wants them."""
MEAN = "mean"
"""What marginal rows and columns are called."""
HEAD_APART = 5.0
"""From the title of the figure to what stands over the panels."""
LINES_APART = 2.0
"""From the lines of a verdict to the name of the panel above them."""
GAP = (8.0, 12.0)
"""From the labels of one panel's bar to the cells of the next: in narrow figures, and in others."""

PASSES = 9
"""A figure is laid out at most so often: room for labels of groups makes cells smaller, and the
lines of these labels, which are as long as their cells, shorter and more."""
BETWEEN_VERDICTS = 6.0
"""Least room between two verdicts."""
VERDICT_LINES = 3
"""Most lines of a verdict."""
NAME_LINES = 3
"""Lines of a name of a row or column of panels; a longer one is cut in its middle."""
WIDER = 0.7
"""Room of a label that is as long as a name with its line breaks: names are bold and larger."""
OVER_ROW = 16.0
"""The name of a row of panels may be so much longer than these are high."""
VALUE_SIZES = (8.0, 7.5, 7.0, 6.5, theme.SMALL)
AROUND_VALUES = (2.2, 2.6)
"""Least room around a value inside its cell."""
FRAME_INSET = (0.6, 1.3)
"""From the edge of a cell to the frame of the best: least and usual."""
SECOND_LINE = theme.line_height(theme.SMALL)
"""Height of a second line, for the uncertainty."""
VALUES_OVER = 7.0
"""Least size of a value that stands over its error."""
BESIDE_OUTLINES = 7.0
"""Least size of values that are smaller for the sake of an outline."""
VALUES_APART = 2.0
"""Room for a frame around two lines."""
CAPITALS = 0.75
"""Height of digits as a part of their size."""
Contents = list[tuple[tuple[float, float] | None, bool]]
"""Room that the content of a cell needs, and whether it is a value with its error."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a heatmap, for all its panels alike."""

    layout: Layout
    axes: Axes
    sheet: Sheet
    head: list[str]
    """Lines of the title of the figure."""
    titles: dict[str, list[str]]
    """Name of a panel → lines of its title."""
    lines: dict[str, list[str]]
    """Name of a panel → its verdict, between its name and its cells; empty without room for it."""
    short: dict[str, str]
    """What is shown of names that have no room → the whole of them."""
    room: int
    """Width of a colour bar with its labels; 0 without any."""
    value: float
    """Size of the values in cells; 0 where there are none."""
    errors: bool
    """Whether their uncertainty stands below them."""
    inset: float
    """From the edge of a cell to the frame of the best."""
    clear: float
    """Least room around a value inside its cell; without values what a cell has for a mark."""
    scale: float | None
    """Where the scale of the rulers below the panels ends; None where there are none."""
    ruler: float
    """Length of a ruler."""

    @property
    def bar(self) -> float:
        """Height of a colour bar: that of a panel, or of all rows of them."""
        return self.sheet.reach if self.layout.needs.tall else self.sheet.height

    @property
    def lift(self) -> float:
        """From the cells to the baseline of a panel's name, and of the titles of bars."""
        return name_lift(self.lines)

    def below(self, slot: Slot) -> float:
        """Room for the labels and the title of x below a panel."""
        return self.axes.below if slot.last else self.axes.labels_below if slot.bottom else 0.0


def plan(panels: Sequence[Panel], entry: Entry, names: Names, scale: float | None = None) -> Plan:
    """As many panels in a row as leave room for the values; without values where none is left.

    Labels need room beside the cells, and how they are broken depends on the room that these leave:
    so all is laid out anew until what was kept is enough. `scale`: the end of the scale of rulers,
    if there are any.
    """
    texts = _texts(panels, entry, names, scale)
    needs, contents = _needs(panels, entry, texts), _contents(panels, entry, texts)
    left, turned = texts.left, True
    for again in range(PASSES):
        layout = _filled(replace(needs, left=left), contents)
        rows, rows_cut = row_names(panels, layout)
        axes = Axes(texts, layout, [*rows.values()], turned)
        if again and axes.left <= left:
            break
        left, turned = axes.left, bool(axes.y_title)
    _, columns_cut = column_names(panels, layout)
    titles, lines = title_lines(panels, layout), verdict_lines(panels, layout)
    head = wrapped(entry.title, layout.page, theme.HEAD, True) if entry.title else []
    errors = layout.needs.errors
    value = value_size(panels, layout, errors) if layout.needs.cell else 0.0
    clear = value_clear(panels, layout, value, errors)
    least, usual = FRAME_INSET  # the usual one where the value leaves room for it
    inset = min(max(clear - 1.2, least), usual)
    if not value:
        inset = usual if min(layout.cell) >= 9 else least
    spreads = [panel.verdict.spread for panel in panels if panel.verdict.spread]
    beside = 0.0 if entry.nested else room_beside(layout.needs)
    return Plan(
        layout, axes, _sheet(panels, entry, axes, titles, lines, head), head, titles, lines,
        short=axes.cut | rows_cut | columns_cut | axes.blocks_cut,
        room=_bar_room(panels), value=value, errors=errors, inset=inset, clear=clear,
        scale=scale, ruler=marks.ruler_length(spreads, layout.panel[0], beside),
    )  # fmt: skip


def _texts(panels: Sequence[Panel], entry: Entry, names: Names, scale: float | None) -> Texts:
    deep, many = entry.rows_split, entry.nested and _columns(panels, entry)
    return Texts(
        x=list(dict.fromkeys(row["x"] for row in panels[0].rows)),
        y=list(dict.fromkeys(row["y"] for row in panels[0].rows)),
        titles=(names.x, names.y),
        groups=names.groups,
        places=(
            [panel.place[deep:] for panel in panels[:many]] if many else [],
            [panel.place[:deep] for panel in panels[::many]] if many else [],
        ),
        longest=0.28 * theme.width(entry.width),
        also=[MEAN] if entry.margins else [],
        ruler=marks.ruler_left() if scale else 0.0,
        rulers=marks.RULER_ROOM if scale else 0.0,
    )


def _needs(panels: Sequence[Panel], entry: Entry, texts: Texts) -> Needs:
    """What cells without values need."""
    width = theme.width(entry.width)
    scale = entry.sharing if len(panels) > 1 else "independent"
    gap = GROUPS_APART if entry.nested else GAP[width >= theme.ROOMY]
    room, grid = _bar_room(panels), ""
    if not entry.panel:  # what parts panels into a grid
        rows, columns = entry.rows_split > 0, entry.rows_split < len(entry.panels)
        grid = {(True, True): "both", (True, False): "row", (False, True): "column"}.get(
            (rows, columns), ""
        )
    longest = 0.0  # word of a name over panels, which few cells may not have room for
    if grid != "row" and not entry.nested:
        titles = [", ".join(panel.place[-1:] if grid else panel.place) for panel in panels]
        every = (word for title in titles for word in broken(title, 0.0, theme.TITLE, True))
        longest = widest(every, theme.TITLE, True)
    return Needs(
        width=width,
        panels=len(panels),
        shape=(len(texts.x), len(texts.y)),
        cell=None,
        left=texts.left,
        bar=room + (gap if scale in ("shared", "row") else bars.GAP) if room else 0.0,
        scale=scale,
        title=min(widest((", ".join(panel.place) for panel in panels), theme.TITLE, True), 90),
        gap=gap,
        columns=_columns(panels, entry),
        nested=entry.nested,
        grid=grid,  # type: ignore[arg-type]  # a word of the table above
        margins=entry.margins,
        label=max(widest(texts.x, theme.LABEL) + APART, longest / len(texts.x)),
        row=texts.row,
        gaps=(starts(texts.groups[0]), starts(texts.groups[1])),
    )


def _bar_room(panels: Iterable[Panel]) -> int:
    """Width of the widest colour bar with its labels."""
    return max((panel.legend.labelled for panel in panels if panel.legend), default=0)


def _columns(panels: Sequence[Panel], entry: Entry) -> int | None:
    """Panels in a row, where the entry says so."""
    if entry.panel or not entry.panels:
        return entry.columns
    return len({panel.place[entry.rows_split :] for panel in panels})


def _contents(panels: Sequence[Panel], entry: Entry, texts: Texts) -> Contents:
    """What may stand in the cells, the most first."""
    few = len(texts.x) * len(texts.y) <= CELLS_WITH_VALUES
    contents: Contents = []
    if few if entry.prints is None else entry.prints:
        spreads = any(row["spread"] for panel in panels for row in panel.rows)
        contents = [(value_room(panels, beside), beside) for beside in [True] * spreads + [False]]
    return contents if entry.prints else [*contents, (None, False)]


def _filled(needs: Needs, contents: Contents) -> Layout:
    """The layout with as much in the cells as there is room for."""
    for cell, errors in contents:
        layout = solve(replace(needs, cell=cell, errors=errors))
        if layout.fits:
            break
    return layout


def _sheet(
    panels: Sequence[Panel], entry: Entry, axes: Axes,
    titles: Mapping[str, Sequence[str]], lines: Mapping[str, Sequence[str]], head: Sequence[str],
) -> Sheet:  # fmt: skip
    """The page; in a grid of panels labels and names stand at its edges, not between rows."""
    layout, needs, rulers = axes.layout, axes.layout.needs, axes.texts.rulers
    legends, high = [panel.legend for panel in panels if panel.legend], theme.TITLE
    most = max(map(len, [*titles.values(), *(bar.lines for bar in legends)]), default=1)
    above = name_lift(lines) + high + 1.5 + theme.line_height(high) * max(most - 1, 0)
    between = axes.labels_below + rulers + ROW_GAP + above
    if needs.grid:
        letters = max(map(len, [*titles.values()][layout.columns :]), default=0)
        names = high + theme.line_height(high) * (letters - 1) if letters else 0.0
        lift = name_lift(lines) if letters or any(lines.values()) else 0.0
        between = rulers + needs.gap + (lift + names)
    return Sheet(
        width=layout.page,
        left=int(needs.left),
        above=above,
        below=axes.below + rulers,
        height=layout.box[1],
        gap=bars.GAP if legends and not needs.shared else needs.gap,
        rows=layout.rows,
        margin=0.0,
        with_id=entry.id,
        head=HEAD_APART + len(head) * theme.line_height(theme.HEAD) if head else 0.0,
        between=between,
    )


def verdict_lines(panels: Sequence[Panel], layout: Layout) -> dict[str, list[str]]:
    """Verdicts on lines as wide as a panel and its bar; none if any would be a column of words.

    Nor between blocks of a strip, which rows of words would part.
    """
    needs = layout.needs
    if needs.nested and needs.grid != "column":
        return {}
    beside = room_beside(needs) - (BETWEEN_VERDICTS if needs.shared else 0.0)
    room = layout.box[0] + max(beside, 0.0)
    verdicts = {panel.name: panel.verdict.line for panel in panels}
    lines = {
        name: broken(verdict, room, theme.SMALL) if verdict else []
        for name, verdict in verdicts.items()
    }
    wide = widest((line for verdict in lines.values() for line in verdict), theme.SMALL)
    fits = max(map(len, lines.values())) <= VERDICT_LINES and wide <= room + 1
    return lines if fits else {}


def room_beside(needs: Needs) -> float:
    """Room right of every panel for what is longer than it: its bar's, or the gap before another.

    Without bars the page ends with the last panel.
    """
    if not needs.bar:
        return 0.0
    if needs.scale == "column" and needs.grid == "both":
        return bars.GAP  # a bar reaches down beside what stands between its panels
    return needs.gap if needs.shared else needs.bar


def name_lift(lines: Mapping[str, Sequence[str]]) -> float:
    """From the cells to the baseline of a panel's name, above the `lines` of a verdict."""
    most = max(map(len, lines.values()), default=0)
    return LIFT + (most * theme.line_height(theme.SMALL) + LINES_APART if most else 0.0)


def name_lines(names: Sequence[str], room: float) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Names on lines no wider than `room`, as many as there may be.

    And what is printed of a name that has no room → the whole of it.
    """
    short = {name: name for name in names}
    for _ in range(2):
        lines = {name: wrapped(text, room, theme.TITLE, True) for name, text in short.items()}
        if max(map(len, lines.values()), default=0) <= NAME_LINES:
            break
        short = cut([*short], NAME_LINES * room * WIDER)
    return lines, {text: name for name, text in short.items() if text != name}


def row_names(
    panels: Sequence[Panel], layout: Layout
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The names of the rows of a grid of panels; none where rows have none."""
    has_names = layout.needs.grid in ("row", "both") and not layout.needs.nested
    firsts = panels[:: layout.columns] if has_names else []
    return name_lines([panel.place[0] for panel in firsts], layout.box[1] + OVER_ROW)


def column_names(
    panels: Sequence[Panel], layout: Layout
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The same of the columns; above the title of a bar that would stand in their way."""
    if layout.needs.grid not in ("column", "both") or layout.needs.nested:
        return {}, {}
    names = [panel.place[-1] for panel in panels[: layout.columns]]
    lines, short = name_lines(names, layout.panel[0] + _beside_title(layout))
    last = widest((line[-1] for line in lines.values()), theme.TITLE, True)
    if last > _title_room(layout, panels):
        lines = {name: [*line, " "] for name, line in lines.items()}
    return lines, short


def title_lines(panels: Sequence[Panel], layout: Layout) -> dict[str, list[str]]:
    """Letters and names of panels. In a grid those at its top have one: that of their column."""
    if layout.needs.grid:
        over, _ = column_names(panels, layout)
        titles = {}
        for n, panel in enumerate(panels):
            lines = over.get(panel.place[-1], []) if n < layout.columns else []
            first = "\u00a0\u00a0".join(filter(None, [panel.letter, *lines[:1]]))
            titles[panel.name] = [first, *lines[1:]] if first else []
        return titles
    names = ((panel, f"{panel.letter}\u00a0\u00a0{', '.join(panel.place)}") for panel in panels)
    texts = {panel.name: name.strip() for panel, name in names if name.strip()}
    room, wider = _title_room(layout, panels), layout.panel[0] + _beside_title(layout)
    words = [line for text in texts.values() for line in broken(text, room, theme.TITLE, True)]
    if widest(words, theme.TITLE, True) <= max(room, layout.panel[0]):
        return {name: wrapped(text, room, theme.TITLE, True) for name, text in texts.items()}
    titles = {name: wrapped(text, wider, theme.TITLE, True) for name, text in texts.items()}
    for lines in titles.values():  # above the title of a bar, if the last has no room beside it
        lines.extend([" "] * (widest(lines[-1:], theme.TITLE, True) > room))
    return titles


def _beside_title(layout: Layout) -> float:
    """What a name may take of the room right of its panel."""
    return max(room_beside(layout.needs) - APART, 2.0)


def _title_room(layout: Layout, panels: Sequence[Panel]) -> float:
    """Width of a name over one panel, which leaves room for the title of a bar beside it."""
    hangs = max((panel.legend.hangs for panel in panels if panel.legend), default=0.0)
    return layout.panel[0] + 2.0 - max(hangs - (bars.GAP - APART), 0.0)


def value_room(
    panels: Sequence[Panel], errors: bool, size: float | None = None
) -> tuple[float, float]:
    """Room that values of this size need in their cells, beside an outline where there is one.

    By default the smallest size; over errors a larger one, so that the two differ at a glance.
    """
    wide, high = value_extent(panels, errors, size or (VALUES_OVER if errors else theme.SMALL))
    least = 2 * marks.outline_room(marks.LINE_WIDTHS[-1]) if _outlined(panels) else 0.0
    around, over = (max(room, least) for room in AROUND_VALUES)
    return wide + around, high + over


def _outlined(panels: Sequence[Panel]) -> bool:
    return any(row["outlined"] for panel in panels for row in panel.rows)


def value_extent(panels: Sequence[Panel], errors: bool, size: float) -> tuple[float, float]:
    """Width and height of values of this size, with a second line if there are `errors`."""
    rows = [row for panel in panels for row in panel.rows]
    label = widest({row["label"] for row in rows}, size, bold=True)
    spread = widest({row["spread"] for row in rows}, theme.SMALL) if errors else 0.0
    return max(label, spread), size + (SECOND_LINE + VALUES_APART if errors else 0.0)


def value_size(panels: Sequence[Panel], layout: Layout, errors: bool) -> float:
    """The largest size in which all values fit their cells.

    Where some are outlined, rather a smaller one than a thin outline, but no less than
    `BESIDE_OUTLINES`.
    """
    if _outlined(panels):
        sizes = [size for size in VALUE_SIZES if size >= BESIDE_OUTLINES]
        clear = {size: value_clear(panels, layout, size, errors) for size in sizes}
        for widths in marks.LINE_WIDTHS[:-1]:
            if fits := [size for size in sizes if clear[size] >= marks.outline_room(widths)]:
                return fits[0]
    least = VALUES_OVER if errors else theme.SMALL
    for size in VALUE_SIZES:
        wide, high = value_room(panels, errors, size)
        if size >= least and wide + 1.0 <= layout.cell[0] and high + 2.0 <= layout.cell[1]:
            return size
    return least


def value_clear(panels: Sequence[Panel], layout: Layout, value: float, errors: bool) -> float:
    """Least room around a value inside its cell; of cells without values a sixth of their side."""
    if not value:
        return min(layout.cell) / 6
    wide, high = value_extent(panels, errors, value)
    return min(layout.cell[0] - wide, layout.cell[1] - high * CAPITALS) / 2
