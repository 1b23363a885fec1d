"""draw: the grid of a pairwise figure → a board, or panels of square bins of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, sheet, spec, theme, wording
from heatproof.charts.lettering import cut, widest, wrap
from heatproof.config import venues
from heatproof.kinds.pairwise import board, pairs
from heatproof.kinds.picture import Charts, Picture, Remark
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Pair
    from heatproof.util.lazy import polars as pl

FEW = 40  # bins along an axis up to which each is set off, and empty ones are dotted
LINES: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 2.0},
    {"stroke": "#1a1a1a", "strokeWidth": 0.9, "strokeDash": [3.0, 2.2]},
]
"""The line of parity: a dark dash that a white casing sets off."""

AXIS = 18  # from a panel to the middle of its y title: ticks, labels, padding
LEFT = AXIS + 7
BELOW = 16.0  # and the labels of an axis
GAP = 10  # from one panel to the y title of the next, and from the last to the colour bar
LARGEST, SMALLEST, TINY = 200, 56, 40
"""Sides of panels; `TINY` where a page would not hold larger ones."""
QUARTERED = 120  # side of a panel of four numbers, at most
LIFT = 5.0
FOOT = 4  # lines below, about
USUAL = 3  # panels in a row
BESIDE = 12.0  # a name may be so much longer than its axis
PALEST = 3  # of the usual palette: a bin with one instance is seen on white
BAR = 160.0  # height of a colour bar at most
TICKS, FEW_TICKS, HALVES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 1.0], [0.25, 0.75]
"""Of an axis, where panels are narrower than `SMALLEST`, and where an axis is cut in two."""


@dataclass(frozen=True)
class Plan:
    """Sizes and texts, measured before anything is drawn."""

    columns: int
    side: int
    axes: Mapping[str, str]  # title of a model → the same as it fits along an axis
    tallies: list[list[str]]  # lines of counts of each panel
    sheet: sheet.Sheet

    @property
    def tall(self) -> float:
        """Height of the figure, about."""
        under = BELOW + theme.LABEL + FOOT * theme.line_height(theme.SMALL)
        return self.sheet.over + self.sheet.reach + under


def _plan_panels(every: Sequence[Pair], entry: Entry, bar: Bar, verdicts: bool) -> Plan:
    """Square panels, as large as the page lets them be.

    Three in a row, or fewer where these would be small; more where a page would not hold them.
    """
    page, high = theme.width(entry.width), venues.height(entry.height, entry.width)

    def side(columns: int) -> int:
        return int((page - bar.room - GAP - columns * LEFT - (columns - 1) * GAP) / columns)

    def plan(columns: int) -> Plan:
        own = min(side(columns), QUARTERED if verdicts else LARGEST)
        tallies = [_tally(pair, entry, own + GAP / 2) for pair in every]
        used = columns * (LEFT + own) + (columns - 1) * GAP + GAP + bar.room
        margin = int(max(page - used, 0) // 2)
        sizes = sheet.Sheet(
            width=page, left=margin + LEFT, below=BELOW + theme.LABEL, height=own, gap=LEFT + GAP,
            above=LIFT + theme.line_height(theme.SMALL) * max(map(len, tallies)) + 1.0,
            rows=-(-len(every) // columns), margin=margin, with_id=entry.id, title=entry.title,
        )  # fmt: skip
        return Plan(columns, own, cut([*entry.titles.values()], own + BESIDE), tallies, sizes)

    most = min(USUAL, len(every))
    least = next((n for n in range(most, 1, -1) if side(n) >= SMALLEST), 1)
    more = [n for n in range(least + 1, len(every) + 1) if side(n) >= TINY]
    plans = [plan(columns) for columns in (least, *more)]
    fits = (plan for plan in plans if plan.tall <= high)
    return next(fits, min(plans, key=lambda plan: plan.tall))


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """What the figure shows and says: a board, or a panel for each pair, and one colour bar."""
    if entry.board:
        return board.picture(grid, entry)
    every, verdicts = pairs.read_pairs(grid), pairs.are_verdicts(grid, entry)
    # Two at least, so that a scale has two ends.
    domain = 1.0, float(max([2, *(row["samples"] for pair in every for row in pair.bins)]))
    colours = colour.palette(entry.palette or colour.USUAL)[0 if entry.palette else PALEST :]
    shades = colour.scale(domain, colours, not verdicts)
    bar = bars.Bar("instances", shades, counts=True)
    plan = _plan_panels(every, entry, bar, verdicts)

    def charts() -> Charts:
        panels = [_panel(n, pair, plan, bar, entry, verdicts) for n, pair in enumerate(every)]
        rows = [panels[n : n + plan.columns] for n in range(0, len(panels), plan.columns)]
        # Nearer to the panels than these are to each other, hence left of its own box.
        at, high = GAP - plan.sheet.gap, min(plan.sheet.reach, BAR)
        rows[0].append(bars.chart(bar, high, 1, LIFT, plan.side, at))
        data = {
            f"bins {n}": [
                row
                | {f"{axis}_span": pairs.span(row[f"{axis}0"], row[f"{axis}1"]) for axis in "xy"}
                | {"lead": pairs.lead_text(row)}
                for row in pair.bins
            ]
            for n, pair in enumerate(every, 1)
        }
        return rows, data

    opening = f"Pairs of models by {entry.axis} on the same instances, from 0 to 1"
    return Picture(
        shows=entry.shows(), sheet=plan.sheet, charts=charts,
        meanings=_meanings(every, entry, pairs.across(grid), verdicts),
        spoken=[f"{opening}; colour: instances.", *(_spoken(pair, entry) for pair in every)],
        omitted=wording.names_cut([name for name, text in plan.axes.items() if name != text]),
        mend="`form: board`, or fewer `models`",
    )  # fmt: skip


def _meanings(every: Sequence[Pair], entry: Entry, bins: int, verdicts: bool) -> list[Remark]:
    """What axes, lines and colours mean; `bins`: how many there are along an axis."""
    judged = len(every) if any(pair.low is not None for pair in every) else 0
    over = f" for all {judged} pairs together" if judged > 1 else ""
    how = "paired t, Bonferroni" if judged > 1 else "paired t"
    remarks = {
        Remark(f"axes: {entry.axis.lower()} of an instance"): True,
        Remark("dashed: parity"): not verdicts,
        Remark(f"white{', dotted' * (bins <= FEW)}: no instances"): not verdicts,
        Remark(f"in brackets: 95 % interval{sheet.LIKE}", f"{over} ({how})"): judged,
    }
    return [remark for remark, occurs in remarks.items() if occurs]


def _difference(pair: Pair, entry: Entry) -> list[str]:
    if not pair.judged:
        return []
    mean, *ends = pair.texts()
    between = " [" + ",\u00a0".join(ends) + "]" if ends else ""
    units = f" by {pair.fewer:,} {entry.units}" if pair.fewer else ""
    return [f"mean x − y {mean}{between}{units}"]


def _spoken(pair: Pair, entry: Entry) -> str:
    """A panel in words: who is ahead how often, and the fullest bin."""
    full = max(pair.bins, key=lambda row: int(row["samples"]))
    x, y = entry.titles[pair.x], entry.titles[pair.y]
    place = (f"{axis} {pairs.span(full[f'{axis}0'], full[f'{axis}1'])}" for axis in "xy")
    parts = [
        f"{x} ahead on {pair.wins}, equal on {pair.ties}, {y} ahead on {pair.losses}",
        f"most, {full['samples']}, at {', '.join(place)}",
        *_difference(pair, entry),
    ]
    return f"{entry.axis} of {x} (x) against {y} (y) on {pair.n} instances: {'; '.join(parts)}."


def _tally(pair: Pair, entry: Entry, room: float) -> list[str]:
    """The counts on one line, on two, of which the second says who is ahead, or more; the mean."""
    won, lost = f"x ahead {pair.wins:,}", f"y ahead {pair.losses:,}"
    parts = [f"n {pair.n:,}", won, f"equal {pair.ties:,}", lost]
    ways = [" · ".join(parts)], [" · ".join(parts[0::2]), " · ".join(parts[1::2])]
    counts = next((lines for lines in ways if widest(lines, theme.SMALL) <= room), None)
    counts = counts or wrap(parts, room, theme.SMALL)
    return [*counts, *wrap(_difference(pair, entry), room, theme.SMALL, ", ")]


# ------------------------------------------------------------------------------------------- marks


def _panel(
    n: int, pair: Pair, plan: Plan, bar: Bar, entry: Entry, verdicts: bool
) -> alt.LayerChart:
    side, titles = plan.side, (entry.titles[pair.x], entry.titles[pair.y])
    base = alt.Chart().encode(*_axes([plan.axes[title] for title in titles], side, verdicts))
    edge = {"fill": "#ffffff", "stroke": theme.LINE, "strokeWidth": 0.6}
    frame = sheet.box(x=0, x2=side, y=0, y2=side, **edge)
    squares = (_quarters if verdicts else _squares)(pair, base, bar, side)
    places = {f"x: {titles[0]}": "datum.x_span", f"y: {titles[1]}": "datum.y_span"}
    answers = spec.layer(base.encode(alt.X2("x1:Q"), alt.Y2("y1:Q")), places, pairs.BIN_FACTS)
    tally = sheet.title(plan.tallies[n], 0.0, LIFT, "left", theme.SMALL, color=theme.QUIET)
    return alt.LayerChart(
        layer=[frame, *squares, answers, tally], data=alt.NamedData(f"bins {n + 1}"),
        width=side, height=side, description=_spoken(pair, entry),
    )  # fmt: skip


def _axes(titles: Sequence[str], side: int, verdicts: bool) -> list[Any]:
    """Channels of both axes, 0 to 1.

    All layers of a panel must have the same, or Vega-Lite merges them as it likes.
    """
    halves = {"labelExpr": "datum.value < 0.5 ? '0' : '1'"}
    labels: dict[str, Any] = halves if verdicts else {"format": ".1f"}
    ticks = HALVES if verdicts else TICKS if side >= SMALLEST else FEW_TICKS
    common: dict[str, Any] = {
        "values": ticks, **labels, "ticks": True, "tickSize": 2.5, "labelPadding": 2,
        "labelOverlap": False, "titleAlign": "center", "tickRound": False, "translate": 0,
    }  # fmt: skip
    below: dict[str, Any] = {"titleX": side / 2, "titleY": 15.0, "titleBaseline": "top"}
    beside: dict[str, Any] = {
        "titleX": -AXIS, "titleY": side / 2, "titleBaseline": "alphabetic", "titleAngle": -90,
    }  # fmt: skip
    x, y = (
        alt.Scale(domain=[0, 1], range=ends, nice=False, zero=False)
        for ends in ([0, side], [side, 0])
    )
    return [
        alt.X("x0:Q", title=titles[0], axis=alt.Axis(**below, **common), scale=x),
        alt.Y("y0:Q", title=titles[1], axis=alt.Axis(**beside, **common), scale=y),
    ]


def _squares(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """Bins, a faint dot in empty ones, and over them the line of parity."""
    few, half = len(pair.bins) <= FEW**2, side / len(pair.bins) ** 0.5 / 2
    dot = base.transform_filter("datum.samples == 0").mark_circle(
        size=1.0, color="#b3b3b3", opacity=1, aria=False, xOffset=half, yOffset=-half
    )
    ends: dict[str, float] = {"x": 0, "x2": side, "y": side, "y2": 0}
    parity = sheet.single().encode(**{end: alt.value(at) for end, at in ends.items()})
    lines = [parity.mark_rule(aria=False, clip=True, **look) for look in LINES]
    return [*([dot] if few else []), _filled(base, bar, edged=few), *lines]


def _quarters(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """Four squares with their numbers: both 0, one of them 1, both 1."""
    numbers = [
        sheet.single().mark_text(
            aria=False, text=f"{row['samples']:,}", x=(row["x0"] + HALVES[0]) * side,
            y=side - (row["y0"] + HALVES[0]) * side, baseline="middle", fontSize=theme.LABEL,
            color=colour.ink(bar.scale.drawn(row["samples"])) if row["samples"] else theme.INK,
        )
        for row in pair.bins
    ]  # fmt: skip
    return [_filled(base, bar, edged=True), *numbers]


def _filled(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    edge = {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3} if edged else {}
    full = base.transform_filter("datum.samples > 0").encode(alt.X2("x1:Q"), alt.Y2("y1:Q"))
    return bars.filled(full, bar, "samples", **edge)
