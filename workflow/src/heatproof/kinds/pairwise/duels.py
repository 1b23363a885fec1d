"""A pairwise figure put together: marks summed to panels, panels and the one bar laid out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, footer, sheet, theme, wording
from heatproof.charts.lettering import fit, widest
from heatproof.kinds.pairwise import density, spoken
from heatproof.kinds.pairwise.squares import AXIS, GAP, LIFT
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.pairwise.bins import Pair, Reading, Row
    from heatproof.kinds.pairwise.squares import Plan

BESIDE = 12.0
"""A name may be so much longer than its axis."""
RASTER = 100
"""Bins along an axis above which they are drawn as a picture."""
MOST = RASTER**2
"""Bins of pictures that answer, at most: each is a rectangle, not seen, that takes 200 bytes of a
file; 10,000 are 2 MB and half a second."""


def meanings(pairs: Sequence[Pair], reading: Reading, what: str) -> list[str]:
    """What axes, squares, points and the dash mean."""
    most = max(row["samples"] for pair in pairs for row in pair.bins)
    across = pairs[0].across
    points = any(pair.points for pair in pairs)
    area = f"area: instances (largest: {most:,})"
    tested = len(pairs) if any(pair.p is not None for pair in pairs) else 0
    over = f", Holm over {tested} pairs" if tested > 1 else ""
    parts = {
        f"axes: {what.lower()} of an instance": True,
        "dashed: parity": True,
        "grey dot: one instance, larger for several": points,
        area: reading == "difference" and across <= RASTER,
        "white, dotted: no instances" if across <= density.FEW else "white: no instances": True,
        f"in brackets: 95 % interval; p: exact sign test{over}{footer.LIKE}": tested,
    }
    return [part for part, occurs in parts.items() if occurs]


def figure(
    pairs: Sequence[Pair], plan: Plan, bar: Bar, lines: Sequence[str], what: str
) -> alt.TopLevelConcatSpec:
    """The chart: rows of panels and the colour bar; `what` is the measure's name."""
    asked = answering(pairs)
    panels = [_panel(n, pair, plan, bar, what, bool(asked[n])) for n, pair in enumerate(pairs)]
    rows = [panels[n : n + plan.columns] for n in range(0, len(panels), plan.columns)]
    # Nearer to the panels than these are to each other, hence left of its own box.
    at, high = GAP - plan.sheet.gap, plan.sheet.reach
    rows[0].append(bars.chart(bar, "colours", high, 1, LIFT, plan.side, at))
    data: dict[str, Sequence[Any]] = {"colours": bars.slices(bar, high)}
    for n, pair in enumerate(pairs):
        data |= {_bins(n): asked[n]}
        data |= {_points(n): pair.points} if pair.points else {}
    said = [spoken.duels(bar.title, what), *(spoken.duel(pair, what) for pair in pairs)]
    return plan.sheet.assemble(rows, data, lines, " ".join(said))


def answering(pairs: Sequence[Pair]) -> list[list[Row]]:
    """The bins of each panel that answer who points at them: of a picture, those that hold any.

    None of a picture, if these are too many.
    """
    held = [[row for row in pair.bins if row["samples"]] for pair in pairs]
    few = sum(map(len, held)) <= MOST
    return [
        pair.bins if pair.across <= RASTER else [_asked(row) for row in mine] if few else []
        for pair, mine in zip(pairs, held, strict=True)
    ]


def _asked(row: Row) -> Row:
    return {name: row[name] for name in density.ASKED}


def omitted(pairs: Sequence[Pair], plan: Plan) -> list[str]:
    """What the figure was to have and has no room for, a line each."""
    told = f"what a bin answers who points at it, for more than {MOST:,} hold instances"
    silent = [] if any(answering(pairs)) else [f"{told}: fewer `bins` answer"]
    return [*silent, *wording.names_cut(cut(pairs, plan))]


def cut(pairs: Sequence[Pair], plan: Plan) -> list[str]:
    """Names that are longer than the axes have room for."""
    names = dict.fromkeys(name for pair in pairs for name in (pair.x, pair.y))
    return [name for name in names if widest([name], theme.LABEL) > plan.side + BESIDE]


def _bins(n: int) -> str:
    return f"bins {n + 1}"


def _points(n: int) -> str:
    return f"points {n + 1}"


def _panel(n: int, pair: Pair, plan: Plan, bar: Bar, what: str, answers: bool) -> alt.LayerChart:
    x, y = (fit(name, plan.side + BESIDE, theme.LABEL) for name in (pair.x, pair.y))
    axes = partial(density.axes, (x, y), AXIS, plan.side)
    layers = _marks(pair, alt.Chart().encode(*axes(("left", "bottom"))), bar, plan.side)
    if pair.points:
        at = axes(("x", "y"))
        layers.append(density.points(_points(n), at, len(pair.points), plan.side))
    if answers:
        over = alt.Chart().encode(*axes(("x0", "y0")))
        layers.append(density.answered(over, pair))
    return alt.LayerChart(
        layer=[*layers, *_head(n, plan)],
        data=alt.NamedData(_bins(n)), width=plan.side, height=plan.side,
        description=spoken.duel(pair, what),
    )  # fmt: skip


def _marks(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """The marks of a panel, bottom first: small squares lie over the diagonal, full bins under."""
    few, line = pair.across <= density.FEW, density.parity(side)
    if pair.across > RASTER:
        picture = density.image(pair.bins, bar, side)
        return [density.frame(side), picture, density.nothing(base), *line]
    below = [density.frame(side), *([density.empties(base)] if few else [])]
    filled = density.bins(base, bar, edged=few)
    squares = pair.reading == "difference"
    return [*below, *([*line, filled] if squares else [filled, *line])]


def _head(n: int, plan: Plan) -> list[alt.Chart]:
    """Title of a panel, and in grey below it the counts."""
    middle, title = plan.side / 2, plan.titles[n]
    counts = sheet.title(
        plan.tallies[n], middle, LIFT, "center", theme.SMALL, color=theme.QUIET
    )  # fmt: skip
    if not title:
        return [counts]
    return [sheet.title([title], middle, plan.lift, "center", fontWeight="bold"), counts]
