"""All sizes and titles of a pairwise figure, measured and solved before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import short_names, widest, wrap
from heatproof.charts.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.pairwise.bins import Pair


AXIS = 18
"""From a panel to the middle of its y title: ticks, labels, padding."""
LEFT = AXIS + 7
BELOW = 15.0 + theme.LABEL + 1.0
GAP = 10
"""From one panel to the y title of the next, and from the last to the colour bar."""
LARGEST = 200
SMALLEST = 56
LIFT = 5.0
SECOND = theme.line_height(theme.SMALL)
TELLING = 7
"""A name cut to fewer characters says nothing."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a pairwise figure."""

    width: float
    columns: int
    side: int
    tallies: list[list[str]]
    """Lines of counts of each panel."""
    titles: list[str]
    """Title of each panel."""
    rows: int
    room: int

    @property
    def lift(self) -> float:
        """From a panel to the baseline of its title: over the counts."""
        return LIFT + SECOND * max(map(len, self.tallies)) + 1.0

    @property
    def above(self) -> float:
        """Room above a panel."""
        return self.lift + (theme.TITLE if any(self.titles) else 0.0)

    @property
    def margin(self) -> int:
        used = self.columns * (LEFT + self.side) + (self.columns - 1) * GAP + GAP + self.room
        return int(max(self.width - used, 0) // 2)

    @property
    def sheet(self) -> Sheet:
        return Sheet(
            width=self.width,
            left=self.margin + LEFT,
            above=self.above,
            below=BELOW,
            height=self.side,
            gap=LEFT + GAP,
            rows=self.rows,
            margin=self.margin,
        )


def plan(pairs: Sequence[Pair], width: str, columns: int, bar: Bar) -> Plan:
    """Square panels, as large as the width of the page lets them be."""
    page = theme.width(width)
    most = min(columns, len(pairs))
    columns = next((n for n in range(most, 1, -1) if _side(page, n, bar.room) >= SMALLEST), 1)
    side = min(_side(page, columns, bar.room), LARGEST)
    rows = -(-len(pairs) // columns)
    tallies = [_tally(pair, side + GAP) for pair in pairs]
    titles = _titles(pairs, side + GAP)
    return Plan(page, columns, side, tallies, titles, rows, bar.room)


def _side(page: float, columns: int, room: int) -> int:
    return int((page - room - GAP - columns * LEFT - (columns - 1) * GAP) / columns)


def _tally(pair: Pair, room: float) -> list[str]:
    """The counts on one line, or on two that say who is ahead in the second; then the verdict."""
    parts = pair.tally
    line = " · ".join(parts)
    halves = [" · ".join(parts[0::2]), " · ".join(parts[1::2])]
    counts = [line] if widest([line], theme.SMALL) <= room else halves
    return [*counts, *wrap(pair.verdict, room, theme.SMALL, ", ")]


def _titles(pairs: Sequence[Pair], room: float) -> list[str]:
    """`x: A vs y: B`, the names shortened where they must be; the shorter one leaves its room.

    Empty where there is no room for names that say something: the axes have them too.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.x, pair.y)))
    spare = room - widest(["x:  vs y: "], theme.TITLE, bold=True)
    found = []
    for pair in pairs:
        x, y = (widest([name], theme.TITLE, bold=True) for name in (pair.x, pair.y))
        rooms = {pair.x: max(spare / 2, spare - y), pair.y: max(spare / 2, spare - x)}
        shown = {name: short_names(names, rooms[name], theme.TITLE, True)[name] for name in rooms}
        found.append(f"x: {shown[pair.x]} vs y: {shown[pair.y]}")
        if any(short != name and len(short) < TELLING for name, short in shown.items()):
            return [""] * len(pairs)
    return found
