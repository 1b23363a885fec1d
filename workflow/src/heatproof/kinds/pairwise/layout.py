"""All sizes and titles of a pairwise figure, measured and solved before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import short_names, widest, wrap
from heatproof.charts.sheet import Sheet
from heatproof.config import venues
from heatproof.kinds.pairwise import naming

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.pairwise.bins import Pair
    from heatproof.kinds.pairwise.entry import Entry


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
TINY = 40
"""Sides of panels where a page would not hold larger ones, at least."""
USUAL = 3
"""Panels in a row."""
BESIDE = 12.0
"""A name may be so much longer than its axis."""
TELLING = 7
"""A name cut to fewer characters says nothing."""
BAR = 160.0
"""Height of a colour bar at most."""
TICKS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
FEW_TICKS = [0.0, 0.5, 1.0]
"""Where panels are narrower than `SMALLEST`."""
HALVES = [0.25, 0.75]
"""Where an axis is cut in two."""
QUARTERED = 120
"""Side of a panel of four numbers, at most."""
FOOT = 4 * SECOND
"""Room of the lines below, about."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a pairwise figure."""

    width: float
    columns: int
    side: int
    axes: dict[str, str]
    """Model → what it is called along an axis."""
    tallies: list[list[str]]
    """Lines of counts of each panel."""
    titles: list[str]
    """Title of each panel."""
    rows: int
    room: int
    named: bool
    """Whether the figure's id stands in its corner."""
    verdicts: bool
    """Whether each instance is right or wrong, so that a panel is four squares."""

    @property
    def ticks(self) -> list[float]:
        """Of both axes."""
        if self.verdicts:
            return HALVES
        return TICKS if self.side >= SMALLEST else FEW_TICKS

    @property
    def tall(self) -> float:
        """Height of the figure, about."""
        return self.above + self.sheet.reach + BELOW + FOOT

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
            named=self.named,
        )


def plan(pairs: Sequence[Pair], entry: Entry, bar: Bar, *, verdicts: bool) -> Plan:
    """Square panels, as large as the page lets them be.

    As many in a row as asked for, or three; more, and smaller, where a page would not hold them.
    `verdicts`: whether each instance is right or wrong.
    """
    page, high = theme.width(entry.width), venues.height(entry.height, entry.width)
    asked = min(entry.columns or USUAL, len(pairs))
    solved = partial(_solved, pairs, page, bar=bar, named=entry.id, verdicts=verdicts)
    made = solved(_columns(page, asked, bar.room, SMALLEST))
    if entry.columns is not None or made.tall <= high:
        return made
    tried = [made]
    for columns in range(made.columns + 1, len(pairs) + 1):
        if _side(page, columns, bar.room) < TINY:
            break
        tried.append(solved(columns))
        if tried[-1].tall <= high:
            break
    return min(tried, key=lambda one: max(one.tall, high))


def _columns(page: float, most: int, room: int, least: int) -> int:
    return next((n for n in range(most, 1, -1) if _side(page, n, room) >= least), 1)


def _solved(
    pairs: Sequence[Pair], page: float, columns: int, bar: Bar, named: bool, verdicts: bool
) -> Plan:
    side = min(_side(page, columns, bar.room), QUARTERED if verdicts else LARGEST)
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.x, pair.y)))
    axes = naming.short(names, side + BESIDE, theme.LABEL)
    tallies = [_tally(pair, side + GAP) for pair in pairs]
    titles = _titles(pairs, side + GAP)
    rows = -(-len(pairs) // columns)
    return Plan(page, columns, side, axes, tallies, titles, rows, bar.room, named, verdicts)


def _side(page: float, columns: int, room: int) -> int:
    return int((page - room - GAP - columns * LEFT - (columns - 1) * GAP) / columns)


def _tally(pair: Pair, room: float) -> list[str]:
    """The counts on one line, on two that say who is ahead in the second, or more; the verdict."""
    parts = pair.tally
    line = " · ".join(parts)
    halves = [" · ".join(parts[0::2]), " · ".join(parts[1::2])]
    counts = wrap(parts, room, theme.SMALL)
    for lines in (halves, [line]):
        counts = lines if widest(lines, theme.SMALL) <= room else counts
    return [*counts, *wrap(pair.verdict, room, theme.SMALL, ", ")]


def _titles(pairs: Sequence[Pair], room: float) -> list[str]:
    """`x: A vs y: B`: whole names, else what differs in all, or in the two; else a part.

    Empty where there is no room for names that say something: the axes have them too.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.x, pair.y)))
    apart = naming.told_apart(names)
    found = []
    for pair in pairs:
        whole = _title(pair.x, pair.y)
        short = _title(apart[pair.x], apart[pair.y])
        own = naming.told_apart([pair.x, pair.y])
        two = _title(own[pair.x], own[pair.y])
        fits = [one for one in (whole, short, two) if widest([one], theme.TITLE, bold=True) <= room]
        found.append(
            fits[0] if fits else _cut(apart[pair.x], apart[pair.y], [*apart.values()], room)
        )
    return found if all(found) else [""] * len(pairs)


def _title(x: str, y: str) -> str:
    return f"x: {x} vs y: {y}"


def _cut(x: str, y: str, names: Sequence[str], room: float) -> str:
    """A title with a part of one name, or of both, cut out; empty where that says nothing.

    No two of the `names` are cut to the same in the same room.
    """
    spare = room - widest([_title("", "")], theme.TITLE, bold=True)
    wide_x, wide_y = (widest([name], theme.TITLE, bold=True) for name in (x, y))
    rooms = {x: max(spare / 2, spare - wide_y), y: max(spare / 2, spare - wide_x)}
    shown = {}
    for name, own in rooms.items():
        every = short_names(names, own, theme.TITLE, bold=True)
        shown[name] = every[name]
        alike = len({*every.values()}) < len(names)
        if name != every[name] and (alike or len(every[name]) < TELLING):
            return ""
    return _title(shown[x], shown[y])
