"""All sizes of a table, in pt: as large as fits its width, and no wider than it must be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.lettering import broken, short_names, widest
from heatproof.charts.sheet import ROW_GAP, Sheet
from heatproof.kinds.heatmap import views_told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.table.blocks import Blocks
    from heatproof.kinds.table.entry import Entry

    Row = dict[str, Any]

SIZES = (8.0, 7.5, 7.0, 6.5, theme.SMALL)
"""Of numbers and names, the largest first."""
GAPS = (12.0, 8.0, 5.0)
"""Between columns, the widest first."""
ROOMY = 26.0
"""Between columns, at most, where there is more room than they need."""
DOT = 4.2
"""Room of a dot behind a number."""
LEADING = 1.6
"""From one row to the next, as a part of the size."""
NAMES = 0.38
"""Part of the width that names of rows may take."""
UPRIGHT = 84.0
"""Most room of names that stand upright; longer ones are cut."""
LEAST = 180.0
"""The page is no narrower, for the lines below, but where that is asked for."""
LINES = 3
"""Of the name of a column, at most."""
RULE, HEAVY = 0.5, 0.9
"""Strength of the rules between and around, as in booktabs."""
MEAN = "mean"
BESIDE, BELOW, NOT = "beside", "below", "not"
WAYS = (
    (BESIDE, False), (BELOW, False), (BESIDE, True), (BELOW, True), (NOT, False), (NOT, True),
)  # fmt: skip
"""Where uncertainties stand and whether the names of columns are turned, the best first."""


@dataclass(frozen=True)
class Layout:
    """Where all of a table lies."""

    size: float
    """Of the type."""
    spread: str
    """Where uncertainties stand: `BESIDE`, `BELOW` or `NOT` at all."""
    pitch: float
    """From one column to the next."""
    value: float
    """Width of the widest number."""
    block: float
    """The same with what stands beside it."""
    left: int
    heads: Sequence[Sequence[str]]
    """Lines of the name of each column."""
    turned: bool
    """Whether these stand upright, where there is no room for them to lie."""
    names: Mapping[str, str]
    """Row → its name as it is printed."""
    rows: int
    blocks: int
    titled: bool
    """Whether blocks have titles."""
    spanner: str
    """What stands over all columns."""
    y_title: str
    head: float
    mean: float
    """Width of the column of means; 0 without one."""
    tight: bool
    """Whether the columns are narrower than they need."""
    most: float
    """Width of the page, at most."""
    id: bool

    @property
    def step(self) -> float:
        """From one row to the next."""
        below = theme.line_height(theme.SMALL) if self.spread == BELOW else 0.0
        return self.size * LEADING + below

    @property
    def columns(self) -> int:
        return len(self.heads)

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of the cells of a block."""
        return math.ceil(self.columns * self.pitch), math.ceil(self.rows * self.step)

    @property
    def right(self) -> float:
        """Where the rules end."""
        return self.box[0] + self.mean

    @property
    def above(self) -> float:
        """Room for the title of a block."""
        return self.size * LEADING + 2 if self.titled else 2.0

    @property
    def sheet(self) -> Sheet:
        return Sheet(
            width=max(math.ceil(self.left + self.right), min(self.most - ROUNDED / 2, LEAST)),
            left=self.left, above=self.above,
            below=4.0 if self.blocks == 1 else max(4.0 - ROW_GAP, 0.0), height=self.box[1],
            gap=0.0, rows=self.blocks, margin=0.0, head=self.head, named=self.id,
        )  # fmt: skip

    def number(self, column: int) -> float:
        """The right edge of the numbers of a column."""
        return (column + 0.5) * self.pitch - self.block / 2 + self.value

    def middle(self, row: int) -> float:
        """The middle of a row, from the top of its block."""
        return (row + 0.5) * self.step


ROUNDED = 2.0
"""What a table may grow by: Vega rounds up both parts of its width."""


def layout(shown: Blocks, entry: Entry) -> Layout:
    """The best of `WAYS`, and of these the largest type, in which the table fits its width."""
    width = theme.width(entry.width) - ROUNDED
    for place, turned in WAYS if any(row["spread"] for row in shown.rows) else WAYS[-2:]:
        for size in SIZES:
            for gap in GAPS:
                found = _set(shown, entry, place, turned, size, gap)
                if found.left + found.right <= width:
                    return _loosened(found, width)
    room = (width - found.left - found.mean) / found.columns
    return replace(found, pitch=max(room, 4.0), tight=True)


def _loosened(found: Layout, width: float) -> Layout:
    """With air between columns, where there is room."""
    room = (width - found.left - found.mean) / found.columns - 0.01
    widest_head = max(widest(head, found.size) for head in found.heads)
    most = max(found.pitch, max(found.block, widest_head) + ROOMY)
    return replace(found, pitch=min(room, most))


def _set(shown: Blocks, entry: Entry, place: str, turned: bool, size: float, gap: float) -> Layout:
    """The table in this type, with this room between columns."""
    width = theme.width(entry.width)
    need, value, block = _number_room(shown, place, size)
    names = short_names(shown.y, NAMES * width, size)
    left = math.ceil(max(widest([*names.values(), shown.names.y], size), 10.0) + gap)
    means = [text for one in shown.all for text in one.means.values()]
    mean = math.ceil(widest([*means, MEAN], size) + gap + 4) if means else 0
    spanner = views_told.value_title(entry)
    spanner += f" by {shown.names.x}" if shown.names.x else ""
    if turned:
        room = max(need, size)
        heads = [[one] for one in short_names(shown.x, UPRIGHT, size).values()]
        high = widest((line for one in heads for line in one), size)
    else:
        room = _head_room(shown.x, size, need)
        heads = [broken(name, room, size) for name in shown.x]
        high = max(map(len, heads)) * size * 1.2
    title = theme.line_height(theme.TITLE) + 4 if entry.title else 0.0
    return Layout(
        size=size, spread=place, value=value, block=block, left=left, heads=heads, names=names,
        pitch=max(room + gap, (widest([spanner], size) + 4) / len(heads)), turned=turned,
        rows=len(shown.y), blocks=len(shown.all), titled=entry.panel is not None,
        spanner=spanner, y_title=shown.names.y, head=title + 2 + size * 1.5 + 3 + high + 3,
        mean=mean, tight=False, most=width, id=entry.id,
    )  # fmt: skip


def _number_room(shown: Blocks, place: str, size: float) -> tuple[float, float, float]:
    """Width that a column needs, of its widest number, and of that with what stands beside."""
    value = widest((row["shown"] for row in shown.rows), size, bold=True)
    spread = widest((row["spread"] for row in shown.rows), theme.SMALL)
    dots = DOT if any(row["dotted"] for row in shown.rows) else 0.0
    block = value + (max(dots, 2.0) + spread if place == BESIDE else dots)
    return max(block, spread if place == BELOW else 0.0), value, block


def _head_room(names: Sequence[str], size: float, least: float) -> float:
    """The least width in which the names of columns stand on few lines."""
    most = max(widest(names, size), least)
    room = least
    while room < most:
        lines = [broken(name, room, size) for name in names]
        if max(map(len, lines)) <= LINES and max(widest(one, size) for one in lines) <= room:
            return room
        room += 2.0
    return most


def answers(plan: Layout, shown: Blocks, block: int) -> list[tuple[float, ...]]:
    """The box of each cell of a block: left, top, width, height."""
    across, down = len(shown.x), plan.step
    return [
        (
            round((n % across) * plan.pitch, 2),
            round(n // across * down, 2),
            round(plan.pitch, 2),
            round(down, 2),
        )
        for n in range(len(shown.all[block].rows))
    ]
