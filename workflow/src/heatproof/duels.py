"""A pairwise figure put together: sizes first, then panels and the one colour bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from heatproof import bars, colour, density, sheet, theme, wording
from heatproof.lazy import altair as alt
from heatproof.lettering import fit, short_names, widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.bars import Bar
    from heatproof.bins import Pair, Reading

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
RASTER = 100
"""Bins along an axis above which they are drawn as a picture."""


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
    def text(self) -> float:
        """Width of the lines below the panels."""
        return self.width - self.margin

    @property
    def margin(self) -> int:
        used = self.columns * (LEFT + self.side) + (self.columns - 1) * GAP + GAP + self.room
        return int(max(self.width - used, 0) // 2)

    @property
    def sheet(self) -> sheet.Sheet:
        return sheet.Sheet(
            width=self.width,
            left=self.margin + LEFT,
            above=self.above,
            below=BELOW,
            height=self.side,
            gap=LEFT + GAP,
            rows=self.rows,
            margin=self.margin,
        )


def plan(pairs: Sequence[Pair], width: Literal["single", "double"], columns: int, bar: Bar) -> Plan:
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
    """The counts on one line, or on two that say who is ahead in the second."""
    parts = pair.tally
    line = " · ".join(parts)
    halves = [" · ".join(parts[0::2]), " · ".join(parts[1::2])]
    return [line] if widest([line], theme.SMALL) <= room else halves


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


def meanings(pairs: Sequence[Pair], reading: Reading, what: str) -> list[str]:
    """What axes, squares, points and the dash mean."""
    most = max(row["samples"] for pair in pairs for row in pair.bins)
    across = pairs[0].across
    points = any(pair.points for pair in pairs)
    area = f"area: instances (largest: {most:,})"
    parts = {
        f"axes: {what.lower()} of an instance": True,
        "dashed: parity": True,
        "grey dot: one instance, larger for several": points,
        area: reading == "difference" and across <= RASTER,
        "white, dotted: no instances" if across <= density.FEW else "white: no instances": True,
    }
    return [part for part, occurs in parts.items() if occurs]


def figure(
    pairs: Sequence[Pair], plan: Plan, bar: Bar, lines: Sequence[str], what: str
) -> alt.ConcatChart:
    """The chart: rows of panels and the colour bar; `what` is the measure's name."""
    panels = [_panel(n, pair, plan, bar, what) for n, pair in enumerate(pairs)]
    rows = [panels[n : n + plan.columns] for n in range(0, len(panels), plan.columns)]
    # Nearer to the panels than these are to each other, hence left of its own box.
    at, high = GAP - plan.sheet.gap, plan.sheet.reach
    rows[0].append(bars.chart(bar, "colours", high, 1, LIFT, plan.side, at))
    data: dict[str, Sequence[Any]] = {"colours": bars.slices(bar, high)}
    for n, pair in enumerate(pairs):
        data |= {_bins(n): [] if pair.across > RASTER else pair.bins}
        data |= {_points(n): pair.points} if pair.points else {}
    said = [wording.duels(bar.title, what), *(wording.duel(pair, what) for pair in pairs)]
    return plan.sheet.assemble(rows, data, lines, " ".join(said))


def _bins(n: int) -> str:
    return f"bins {n + 1}"


def _points(n: int) -> str:
    return f"points {n + 1}"


def _panel(n: int, pair: Pair, plan: Plan, bar: Bar, what: str) -> alt.LayerChart:
    x, y = (fit(name, plan.side + 12.0, theme.LABEL) for name in (pair.x, pair.y))
    base = alt.Chart().encode(*density.axes((x, y), AXIS, plan.side))
    return alt.layer(
        *_marks(n, pair, base, bar, plan.side), *_head(n, plan),
        data=alt.NamedData(_bins(n)), width=plan.side, height=plan.side,
        description=wording.duel(pair, what),
    )  # fmt: skip


def _marks(n: int, pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """The marks of a panel, bottom first."""
    few, layers = pair.across <= density.FEW, [density.frame(side)]
    if pair.across > RASTER:
        layers += [density.image(pair.bins, bar, side), density.nothing(base)]
    else:
        layers += [density.empties(base)] if few else []
        layers += [density.bins(base, bar, edged=few)]
    layers += [density.points(_points(n), side)] if pair.points else []
    return [*layers, *density.parity(side)]


def _head(n: int, plan: Plan) -> list[alt.Chart]:
    """Title of a panel, and in grey below it the counts."""
    middle, title = plan.side / 2, plan.titles[n]
    counts = sheet.title(
        plan.tallies[n], middle, LIFT, "center", theme.SMALL, color=theme.QUIET
    )  # fmt: skip
    if not title:
        return [counts]
    return [sheet.title([title], middle, plan.lift, "center", fontWeight="bold"), counts]
