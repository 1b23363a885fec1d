"""Sizes and names of a board, measured and solved before anything is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import broken, fit, widest
from heatproof.charts.sheet import Sheet
from heatproof.config import venues
from heatproof.kinds.pairwise.entry import CELLS, SMALLEST
from heatproof.kinds.pairwise.names import distinct_parts, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.kinds.pairwise.entry import Entry

MOST = 10
"""Models up to which a board has densities above the diagonal."""
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
    id: bool
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
        return max(reach - at * self.step for at, reach in enumerate(high)) + 2.0

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
            named=self.id,
        )


def plan_board(names: Sequence[str], entry: Entry, number: float, bar: float) -> Plan:
    """The board with squares as large as the names let them be.

    Args:
        names: the models in their order.
        entry: says how wide and how high it may be, and whether it has a title.
        number: width of the widest difference in type of `theme.SMALL`.
        bar: room of a colour bar, for a board whose squares have no room for digits.
    """
    width = theme.width(entry.width)
    # The step at most, lest the board is higher than a page.
    high = (venues.height(entry.height, entry.width) - AROUND) / len(names)
    head = theme.line_height(TITLE) + 4.0 if entry.title else 0.0
    plan = partial(Plan, width=width, models=len(names), head=head, id=entry.id)
    if len(names) <= MOST:
        full = _full(names, width, high, plan)
        if full.side >= PAIRED:
            return full
    for size in (theme.LABEL, theme.SMALL):
        lower = _lower(names, width, high, plan, size, number + ROOM)
        if lower.side >= number + ROOM - GAP_SMALL:
            return lower
    corner = lower.reach - HANG - bar >= BAR
    beside = 0.0 if corner else bar
    return _lower(names, width, high, plan, theme.SMALL, SMALLEST, bar, beside)


def _full(names: Sequence[str], width: float, high: float, plan: Callable[..., Plan]) -> Plan:
    """Both triangles, names of columns above: on lines, or turned where these have no room."""
    printed = _row_names(names, NAMES * width)
    rows = [lines for _, lines in printed]
    longest = widest(chain(*rows), NAME, bold=True)
    left = max(longest, widest(["+0.000 on average"], theme.SMALL)) + PAD
    room = width - left - EDGE
    step = _whole(min(room / len(names), LARGEST, high), len(names), GAP)
    parts = [*distinct_parts(names).values()]
    columns, angle, hang = [broken(name, step - 3.0, NAME) for name in parts], 0.0, 0.0
    if widest(chain(*columns), NAME) > step - 3.0 or max(map(len, columns)) > LINES:
        columns, step, hang = _slanted(parts, width, high, room, NAME)
        step, angle = _whole(step, len(names), GAP), TURN
    return plan(
        step=step, names=[name for name, _ in printed], rows=rows, columns=columns, name=NAME,
        angle=angle, left=left, right=hang, full=True, digits=True, bar=0.0,
    )  # fmt: skip


def _lower(
    names: Sequence[str], width: float, high: float, plan: Callable[..., Plan], size: float,
    least: float, bar: float = 0.0, beside: float = 0.0,
) -> Plan:  # fmt: skip
    """The lower triangle, names of columns on the diagonal.

    `least`: what squares and the gaps between them need; names of rows may have the rest. `bar`:
    room of a colour bar, of which so much lies `beside` the squares, not in their empty corner.
    """
    leads = widest(["+0.000"], theme.SMALL) + LEAD
    squares = len(names) * least + (1 - CELLS - NAMES) * width
    spare = width - leads - PAD - EDGE - beside - squares
    printed = [*shorten(names, max(NAMES * width - leads, spare), size).values()]
    left = widest(printed, size) + leads + PAD
    room = width - left - beside - EDGE
    parts = [*distinct_parts(names).values()]
    step = _whole(min(room / len(names), high), len(names), GAP_SMALL)
    columns, angle, hang = [[fit(name, HANG, size, keep="ends")] for name in parts], -90.0, 0.0
    if step >= STEEP:
        columns, step, hang = _slanted(parts, width, high, room, size)
        step, angle = _whole(step, len(names), GAP_SMALL), TURN
    return plan(
        step=step, names=printed, rows=[[name] for name in printed], columns=columns, name=size,
        angle=angle, left=left, right=hang + beside, full=False, digits=not bar, bar=bar,
    )  # fmt: skip


def _whole(step: float, count: int, gap: float) -> float:
    """The step, a bit less, at which all squares together are whole pt: Vega rounds the page up."""
    return (math.floor(step * count - gap) + gap) / count


def _slanted(
    names: Sequence[str], width: float, high: float, room: float, size: float
) -> tuple[list[list[str]], float, float]:
    """Names of columns that are turned, the step, and how far they reach beyond the squares."""
    turn = math.cos(math.radians(TURN))
    most = min((1 - CELLS - NAMES) * width, HANG * turn)
    count, step, hang = len(names), min(room / len(names), high), 0.0
    reach = [_turned(widest([name], size), size, TURN)[0] for name in names]
    for _ in range(ROUNDS):
        needed = max(own - (count - at - 0.5) * step for at, own in enumerate(reach))
        hang = min(max(needed, 0.0), most)
        step = min((room - hang) / count, LARGEST, high)
    ends = [(count - at - 0.5) * step + hang for at in range(count)]
    lengths = [(end - size * HALF * math.sin(math.radians(-TURN))) / turn + 0.01 for end in ends]
    cut = (
        fit(name, min(length, HANG), size, keep="ends")
        for name, length in zip(names, lengths, strict=True)
    )
    return [[name] for name in cut], step, hang


def _row_names(names: Sequence[str], room: float) -> list[tuple[str, list[str]]]:
    """What is printed of each, and its lines.

    The whole name on one line, else what differs, else the same on lines, else cut.
    """
    ways = (names, [*distinct_parts(names).values()])
    for printed in ways:
        if widest(printed, NAME, bold=True) <= room:
            return [(name, [name]) for name in printed]
    for printed in ways:
        lines = [broken(name, room, NAME, bold=True) for name in printed]
        if max(map(len, lines)) <= ROWS and widest(chain(*lines), NAME, bold=True) <= room:
            return [*zip(printed, lines, strict=True)]
    return [(text, [text]) for text in shorten(names, room, NAME, bold=True).values()]


def _turned(length: float, size: float, angle: float) -> tuple[float, float]:
    """Width and height of a line of text that is turned."""
    turn = math.radians(abs(angle))
    half = size * HALF
    return (
        length * math.cos(turn) + half * math.sin(turn),
        length * math.sin(turn) + half * math.cos(turn),
    )
