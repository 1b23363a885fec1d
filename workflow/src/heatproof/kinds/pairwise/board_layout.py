"""Sizes and names of a board, measured and solved before anything is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from heatproof.charts import theme
from heatproof.charts.lettering import broken, fit_middle, widest
from heatproof.charts.sheet import Sheet
from heatproof.config import venues
from heatproof.kinds.pairwise import naming
from heatproof.kinds.pairwise.board import MOST
from heatproof.kinds.pairwise.entry import CELLS, SMALLEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.entry import Entry

LARGEST = 60.0
"""Side of a square at most."""
PAIRED = 30.0
"""Least side of a square with two lines in it, or with a density."""
NAMES = 0.27
"""The part that names of rows may take."""
GAP = 2.0
GAP_SMALL = 1.0
"""Between squares."""
PAD = 5.0
"""From names to squares."""
NAME = 7.2
HALF = 0.7
"""Of a line's height beside its middle, as a part of the size of its type: as Vega reckons."""
TURN = -45.0
"""Degrees by which names of columns are turned where they have no room."""
STEEP = 10.0
"""Where squares are smaller, they stand upright."""
HANG = 80.0
"""Length of a turned name at most."""
ROOM = 4.0
"""Around a difference, the gap to the next square included."""
BAR = 72.0
"""Height of a colour bar."""
TITLE = 8.5
LEAD = 4.0
"""From names to mean leads beside them."""
ROUNDS = 6
"""Steps in which squares and what reaches beyond them come to terms."""
LINES = 3
"""Most lines of a name of a column, and `ROWS` of a row."""
ROWS = 2
BELOW = 2.0
LIFT = 3.0
"""From the squares to the names of columns."""
AROUND = 110.0
"""Height kept free for title, names of columns and lines below."""
LEAST = 260.0
"""A page is no narrower, for the lines below, but where that is asked for."""
EDGE = 2.5
"""Of frames that hang out of their squares, and of rounding."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a board, in pt; places count from the upper left corner of the squares."""

    width: float
    step: float
    """From one square to the next."""
    models: int
    names: list[str]
    """What is printed of the models."""
    rows: list[list[str]]
    """Lines of the name of each row."""
    columns: list[list[str]]
    """The same of each column; one line where they are turned."""
    name: float
    """Size of the names."""
    angle: float
    """By how much names of columns are turned; 0: they are not."""
    left: float
    """Room of the names of rows, their mean leads included."""
    right: float
    """What reaches beyond the squares: turned names, a bar beside them."""
    head: float
    """Room of a title."""
    full: bool
    """Two lines in a square, densities above the diagonal; else the lower triangle alone."""
    digits: bool
    """Differences stand in the squares; else there is a colour bar."""
    bar: float
    """Room of the bar."""
    named: bool
    """Whether the figure's id stands in its corner."""

    @property
    def gap(self) -> float:
        """Between two squares."""
        return GAP if self.full else GAP_SMALL

    @property
    def side(self) -> float:
        """Of a square."""
        return self.step - self.gap

    @property
    def reach(self) -> float:
        """From the first square's edge to the last one's."""
        return self.models * self.step - self.gap

    @property
    def above(self) -> float:
        """Room above the squares: the title, and names of columns as far as they reach up."""
        return self.head + max(self.column_height, 0.0) + LIFT + BELOW

    @property
    def column_height(self) -> float:
        """Of names of columns, from their lowest end."""
        longest = max(self.columns, key=lambda lines: widest(lines, self.name))
        if not self.angle:
            return theme.line_height(self.name) * max(map(len, self.columns)) + 2.0
        if self.full:
            return _turned(widest(longest, self.name), self.name, self.angle)[1] + 2.0
        # On the diagonal the first stands highest, but as much lower as it has squares above.
        high = (_turned(widest(n, self.name), self.name, self.angle)[1] for n in self.columns)
        return max(one - at * self.step for at, one in enumerate(high)) + 2.0

    @property
    def sheet(self) -> Sheet:
        """The page: one chart, of the squares; no wider than it must be for them and the lines."""
        needed = math.ceil(self.left) + self.reach + self.right + EDGE
        width = min(self.width, max(math.ceil(needed), LEAST))
        margin = max(width - needed, 0.0) / 2
        return Sheet(
            width=width,
            left=math.ceil(margin + self.left),  # Vega rounds it up in any case
            above=self.above,
            below=BELOW,
            height=self.reach,
            gap=0.0,
            rows=1,
            margin=margin,
            named=self.named,
        )


def plan(names: Sequence[str], entry: Entry, number: float, bar: float) -> Plan:
    """The board with squares as large as the names let them be.

    Args:
        names: the models in their order.
        entry: says how wide and how high it may be, and whether it has a title.
        number: width of the widest difference in type of `theme.SMALL`.
        bar: room of a colour bar, for a board whose squares have no room for digits.
    """
    width = theme.width(entry.width)
    high = venues.height(entry.height, entry.width) - AROUND
    sizes = Sizes(width, high / len(names), bool(entry.title), entry.id)
    if len(names) <= MOST:
        made = _full(names, sizes)
        if made.side >= PAIRED:
            return made
    for size in (theme.LABEL, theme.SMALL):
        made = _lower(names, sizes, size, number + ROOM, (0.0, 0.0))
        if made.side >= number + ROOM - GAP_SMALL:
            return made
    corner = made.reach - HANG - bar >= BAR
    beside = 0.0 if corner else bar
    return _lower(names, sizes, theme.SMALL, SMALLEST, (bar, beside))


class Sizes(NamedTuple):
    """What is given of a board."""

    width: float
    step: float
    """From one square to the next at most, lest the board is higher than a page."""
    title: bool
    named: bool

    @property
    def head(self) -> float:
        """Room of the title."""
        return theme.line_height(TITLE) + 4.0 if self.title else 0.0


def _full(names: Sequence[str], sizes: Sizes) -> Plan:
    """Both triangles, names of columns above."""
    shown = _row_names(names, NAMES * sizes.width)
    rows = [found[1] for found in shown]
    longest = widest((line for one in rows for line in one), NAME, bold=True)
    left = max(longest, widest(["+0.000 on average"], theme.SMALL)) + PAD
    room = sizes.width - left - EDGE
    step = _whole(min(room / len(names), LARGEST, sizes.step), len(names), GAP)
    apart = [*naming.told_apart(names).values()]
    columns = [broken(name, step - 3.0, NAME) for name in apart]
    wide = widest((line for one in columns for line in one), NAME)
    if wide <= step - 3.0 and max(map(len, columns)) <= LINES:
        return Plan(
            sizes.width, step, len(names), [one[0] for one in shown], rows, columns, NAME, 0.0,
            left, 0.0, sizes.head, full=True, digits=True, bar=0.0, named=sizes.named,
        )  # fmt: skip
    columns, step, hang = _slanted(apart, sizes, room, NAME)
    step = _whole(step, len(names), GAP)
    return Plan(
        sizes.width, step, len(names), [one[0] for one in shown], rows, columns, NAME, TURN,
        left, hang, sizes.head, full=True, digits=True, bar=0.0, named=sizes.named,
    )  # fmt: skip


def _lower(
    names: Sequence[str], sizes: Sizes, size: float, least: float, bar: tuple[float, float]
) -> Plan:
    """The lower triangle, names of columns on the diagonal.

    `least`: what squares and the gaps between them need; names of rows may have the rest. `bar`:
    room of a colour bar, and how much of it lies beside the squares, not in their empty corner.
    """
    beside = bar[1]
    leads = widest(["+0.000"], theme.SMALL) + LEAD
    squares = len(names) * least + (1 - CELLS - NAMES) * sizes.width
    spare = sizes.width - leads - PAD - EDGE - beside - squares
    shown = [*naming.short(names, max(NAMES * sizes.width - leads, spare), size).values()]
    left = widest(shown, size) + leads + PAD
    room = sizes.width - left - beside - EDGE
    apart = [*naming.told_apart(names).values()]
    step = _whole(min(room / len(names), sizes.step), len(names), GAP_SMALL)
    if step >= STEEP:
        columns, step, hang = _slanted(apart, sizes, room, size)
        step, angle = _whole(step, len(names), GAP_SMALL), TURN
    else:
        columns, angle, hang = [[fit_middle(name, HANG, size)] for name in apart], -90.0, 0.0
    return Plan(
        sizes.width, step, len(names), shown, [[name] for name in shown], columns, size, angle,
        left, hang + beside, sizes.head, full=False, digits=not bar[0], bar=bar[0],
        named=sizes.named,
    )  # fmt: skip


def _whole(step: float, count: int, gap: float) -> float:
    """The step, a bit less, at which all squares together are whole pt: Vega rounds the page up."""
    return (math.floor(step * count - gap) + gap) / count


def _slanted(
    names: Sequence[str], sizes: Sizes, room: float, size: float
) -> tuple[list[list[str]], float, float]:
    """Names of columns that are turned, the step, and how far they reach beyond the squares."""
    turn = math.cos(math.radians(TURN))
    most = min((1 - CELLS - NAMES) * sizes.width, HANG * turn)
    count, step, hang = len(names), min(room / len(names), sizes.step), 0.0
    for _ in range(ROUNDS):
        free = [(count - at - 0.5) * step for at in range(count)]
        reach = [_turned(widest([name], size), size, TURN)[0] for name in names]
        needed = max(one - own for one, own in zip(reach, free, strict=True))
        hang = min(max(needed, 0.0), most)
        step = min((room - hang) / count, LARGEST, sizes.step)
    ends = [(count - at - 0.5) * step + hang for at in range(count)]
    lengths = [(end - size * HALF * math.sin(math.radians(-TURN))) / turn + 0.01 for end in ends]
    cut = [
        fit_middle(name, min(length, HANG), size)
        for name, length in zip(names, lengths, strict=True)
    ]
    return [[name] for name in cut], step, hang


def _row_names(names: Sequence[str], room: float) -> list[tuple[str, list[str]]]:
    """What is printed of each, and its lines.

    The whole name on one line, else what differs, else the same on lines, else cut.
    """
    apart = [*naming.told_apart(names).values()]
    for shown in (names, apart):
        if widest(shown, NAME, bold=True) <= room:
            return [(name, [name]) for name in shown]
    for shown in (names, apart):
        lines = [broken(name, room, NAME, bold=True) for name in shown]
        if max(map(len, lines)) <= ROWS and widest(chain(*lines), NAME, bold=True) <= room:
            return [*zip(shown, lines, strict=True)]
    return [(text, [text]) for text in naming.short(names, room, NAME, bold=True).values()]


def _turned(length: float, size: float, angle: float) -> tuple[float, float]:
    """Width and height of a line of text that is turned."""
    turn = math.radians(abs(angle))
    half = size * HALF
    return (
        length * math.cos(turn) + half * math.sin(turn),
        length * math.sin(turn) + half * math.cos(turn),
    )
