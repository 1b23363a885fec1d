"""draw: the grid of a pairwise figure → a board, or panels of square bins of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, sheet, spec, theme, wording
from heatproof.charts.lettering import cut, widest, wrap
from heatproof.kinds.pairwise import board, pairs
from heatproof.kinds.picture import Charts, Picture, Remark
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.charts.spec import ChartKeys
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Pair
    from heatproof.kinds.picture import Layers

FEW = 40  # bins along an axis up to which each is set off, and empty ones are dotted
LINES: list[ChartKeys] = [
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
AND, BOLDER = " · ", 1.08
"""Between the names of two models, and how much wider they are in bold."""
BESIDE = 12.0  # a name may be so much longer than its axis
PALEST = 3  # of the usual palette: a bin with one instance is seen on white
BAR = 160.0  # height of a colour bar at most
TICKS, FEW_TICKS, HALVES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 1.0], [0.25, 0.75]
"""Of an axis, where panels are narrower than `SMALLEST`, and where an axis is cut in two."""


@dataclass(frozen=True)
class MatrixPlan:
    """Sizes and texts, measured before anything is drawn."""

    columns: int
    side: int
    axes: Mapping[str, str]  # title of a model → the same as it fits along an axis
    names: list[str]  # of each panel
    tallies: list[list[str]]  # lines of counts of each panel
    sheet: sheet.Sheet

    @property
    def tall(self) -> float:
        """Height of the figure, about."""
        under = BELOW + theme.LABEL + FOOT * theme.line_height(theme.SMALL)
        return self.sheet.over + self.sheet.reach + under


def _plan_panels(pairs_shown: Sequence[Pair], entry: Entry, bar: Bar, verdicts: bool) -> MatrixPlan:
    """Square panels, as large as the page lets them be.

    Three in a row, or fewer where these would be small; more where a page would not hold them.
    """
    page = entry.page_width
    high = entry.page_height

    def side(columns: int) -> int:
        gaps = columns * LEFT + (columns - 1) * GAP
        return int((page - bar.room - GAP - gaps) / columns)

    def plan(columns: int) -> MatrixPlan:
        largest = QUARTERED if verdicts else LARGEST
        return _plan_row(columns, min(side(columns), largest), page, pairs_shown, entry, bar)

    most_columns = min(USUAL, len(pairs_shown))
    fewest_columns = next((n for n in range(most_columns, 1, -1) if side(n) >= SMALLEST), 1)
    more_columns = [n for n in range(fewest_columns + 1, len(pairs_shown) + 1) if side(n) >= TINY]
    plans = [plan(columns) for columns in (fewest_columns, *more_columns)]
    fits = [plan for plan in plans if plan.tall <= high]
    if fits:
        return fits[0]
    return min(plans, key=lambda plan: plan.tall)


def _plan_row(
    columns: int, side: int, page: float, pairs_shown: Sequence[Pair], entry: Entry, bar: Bar
) -> MatrixPlan:
    """The sizes with so many panels of a side in a row of a page."""
    tallies = [_count_lines(pair, entry, side + GAP / 2) for pair in pairs_shown]
    names = [f"{entry.titles[pair.x]}{AND}{entry.titles[pair.y]}" for pair in pairs_shown]
    fitting = cut(names, (side + GAP / 2) / BOLDER)
    used = columns * (LEFT + side) + columns * GAP + bar.room
    margin = int(max(page - used, 0) // 2)
    lines = max(map(len, tallies))
    above = theme.line_height(theme.SMALL) * lines + theme.line_height(theme.LABEL)
    sizes = sheet.Sheet(
        width=page,
        left=margin + LEFT,
        below=BELOW + theme.LABEL,
        height=side,
        gap=LEFT + GAP,
        above=LIFT + above + 1.0,
        rows=-(-len(pairs_shown) // columns),
        margin=margin,
        with_id=entry.id,
        title=entry.title,
    )
    axes = cut(list(entry.titles.values()), side + BESIDE)
    return MatrixPlan(columns, side, axes, [fitting[name] for name in names], tallies, sizes)


def picture(grid: Grid, entry: Entry) -> Picture:
    """What the figure shows and says: a board, or a panel for each pair, and one colour bar."""
    if entry.board:
        return board.picture(grid, entry)
    pairs_shown = pairs.read_pairs(grid, entry)
    verdicts = pairs.are_verdicts(grid, entry)
    bar = _instance_bar(pairs_shown, entry, verdicts)
    plan = _plan_panels(pairs_shown, entry, bar, verdicts)

    def charts() -> Charts:
        panels: list[Any] = []
        data = {}
        for number, pair in enumerate(pairs_shown):
            panels.append(_pair_panel(number, pair, plan, bar, entry, verdicts))
            data[f"bins {number + 1}"] = [bin_.data() for bin_ in pair.bins]
        starts = range(0, len(panels), plan.columns)
        rows = [panels[start : start + plan.columns] for start in starts]
        # Nearer to the panels than these are to each other, hence left of its own box.
        nearer = GAP - plan.sheet.gap
        high = min(plan.sheet.reach, BAR)
        rows[0].append(bars.chart(bar, high, 1, LIFT, plan.side, nearer))
        return rows, data

    opening = f"Pairs of models by {entry.axis} on the same instances, from 0 to 1"
    return Picture(
        shows=entry.shows(),
        sheet=plan.sheet,
        charts=charts,
        meanings=_matrix_meanings(pairs_shown, pairs.across(grid), verdicts, entry),
        spoken=[
            f"{opening}; colour: instances.",
            *(_pair_in_words(pair, entry) for pair in pairs_shown),
        ],
        omitted=wording.names_cut([name for name, text in plan.axes.items() if name != text]),
        mend="`form: board`, or fewer `models`",
    )


def _instance_bar(pairs_shown: Sequence[Pair], entry: Entry, verdicts: bool) -> Bar:
    """The colours of numbers of instances, from one to the most."""
    fullest = pairs.fullest_bin(pairs_shown)
    colours = colour.palette(entry.palette or colour.USUAL)
    if not entry.palette:
        colours = colours[PALEST:]
    most = max(2, fullest)
    domain = 1.0, float(most)  # two at least, so that a scale has two ends
    return bars.Bar("instances", colour.scale(domain, colours, not verdicts), counts=True)


def _matrix_meanings(
    pairs_shown: Sequence[Pair], bins: int, verdicts: bool, entry: Entry
) -> list[Remark]:
    """What axes, lines and colours mean; `bins`: how many there are along an axis."""
    remarks = [Remark(f"axes: {entry.axis.lower()} of an instance")]
    if not verdicts:
        dotted = ", dotted" if bins <= FEW else ""
        remarks += [Remark("dashed: parity"), Remark(f"white{dotted}: no instances")]
    if any(pair.low is not None for pair in pairs_shown):
        how = " (paired t)"
        number = len(pairs_shown)
        if number > 1:
            how = f" for all {number} pairs together (paired t, Bonferroni)"
        remarks.append(Remark(f"in brackets: 95 % interval{sheet.LIKE}", how))
    return remarks


def _difference_lines(pair: Pair, entry: Entry) -> list[str]:
    if not pair.judged:
        return []
    mean, *ends = pair.texts()
    between = ""
    if ends:
        listed = ",\u00a0".join(ends)
        between = " [" + listed + "]"
    units = ""
    if pair.fewer:
        units = f" by {pair.fewer:,} {entry.units}"
    return [f"mean x − y {mean}{between}{units}"]


def _pair_in_words(pair: Pair, entry: Entry) -> str:
    """A panel in words: who is ahead how often, and the fullest bin."""
    full = max(pair.bins, key=lambda bin_: bin_.samples)
    x = entry.titles[pair.x]
    y = entry.titles[pair.y]
    place = f"x {full.x_span}, y {full.y_span}"
    texts = [f"{x} ahead on {pair.wins}, equal on {pair.ties}, {y} ahead on {pair.losses}"]
    texts.append(f"most, {full.samples}, at {place}")
    texts += _difference_lines(pair, entry)
    return f"{entry.axis} of {x} (x) against {y} (y) on {pair.n} instances: {'; '.join(texts)}."


def _count_lines(pair: Pair, entry: Entry, room: float) -> list[str]:
    """The counts on one line, on two, of which the second says who is ahead, or more; the mean."""
    counts_told = [f"n {pair.n:,}", f"x ahead {pair.wins:,}"]
    counts_told += [f"equal {pair.ties:,}", f"y ahead {pair.losses:,}"]
    one_line = [" · ".join(counts_told)]
    two_lines = [" · ".join(counts_told[0::2]), " · ".join(counts_told[1::2])]
    counts = wrap(counts_told, room, theme.SMALL)
    for lines in (two_lines, one_line):
        if widest(lines, theme.SMALL) <= room:
            counts = lines
    return counts + wrap(_difference_lines(pair, entry), room, theme.SMALL, ", ")


# ------------------------------------------------------------------------------------------- marks


def _pair_panel(
    number: int, pair: Pair, plan: MatrixPlan, bar: Bar, entry: Entry, verdicts: bool
) -> alt.LayerChart:
    side = plan.side
    x = entry.titles[pair.x]
    y = entry.titles[pair.y]
    base = alt.Chart().encode(*_bin_axes((plan.axes[x], plan.axes[y]), side, verdicts))
    edge = {"fill": "#ffffff", "stroke": theme.LINE, "strokeWidth": 0.6}
    frame = sheet.box(x=0, x2=side, y=0, y2=side, **edge)
    draw_bins = _quarters if verdicts else _squares
    squares = draw_bins(pair, base, bar, side)
    places = {f"x: {x}": "datum.x_span", f"y: {y}": "datum.y_span"}
    boxes = base.encode(alt.X2("x1:Q"), alt.Y2("y1:Q"))
    answers = spec.layer(boxes, places, pairs.BIN_FACTS)
    tally = sheet.title(plan.tallies[number], 0.0, LIFT, "left", theme.SMALL, color=theme.QUIET)
    up = LIFT + theme.line_height(theme.SMALL) * len(plan.tallies[number])
    name = sheet.title([plan.names[number]], 0.0, up, "left", theme.LABEL, fontWeight="bold")
    return alt.LayerChart(
        layer=[frame, *squares, answers, tally, name],
        data=alt.NamedData(f"bins {number + 1}"),
        width=side,
        height=side,
        description=_pair_in_words(pair, entry),
    )


def _bin_axes(titles: tuple[str, str], side: int, verdicts: bool) -> list[Any]:
    """Channels of both axes, 0 to 1.

    All layers of a panel must have the same, or Vega-Lite merges them as it likes.
    """
    common: ChartKeys = {"values": TICKS if side >= SMALLEST else FEW_TICKS, "format": ".1f"}
    if verdicts:
        common = {"values": HALVES, "labelExpr": "datum.value < 0.5 ? '0' : '1'"}
    common |= {"ticks": True, "tickSize": 2.5, "labelPadding": 2, "labelOverlap": False}
    common |= {"titleAlign": "center", "tickRound": False, "translate": 0}
    x_place: ChartKeys = {"titleX": side / 2, "titleY": 15.0, "titleBaseline": "top"}
    y_place: ChartKeys = {"titleX": -AXIS, "titleY": side / 2}
    y_place |= {"titleBaseline": "alphabetic", "titleAngle": -90}
    x = alt.Scale(domain=[0, 1], range=[0, side], nice=False, zero=False)
    y = alt.Scale(domain=[0, 1], range=[side, 0], nice=False, zero=False)
    return [
        alt.X("x0:Q", title=titles[0], axis=alt.Axis(**x_place, **common), scale=x),
        alt.Y("y0:Q", title=titles[1], axis=alt.Axis(**y_place, **common), scale=y),
    ]


def _squares(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> Layers:
    """Bins, a faint dot in empty ones, and over them the line of parity."""
    is_coarse = len(pair.bins) <= FEW**2
    half = side / len(pair.bins) ** 0.5 / 2
    layers = [_filled(base, bar, edged=is_coarse)]
    if is_coarse:
        empty = base.transform_filter("datum.samples == 0")
        style: ChartKeys = {"size": 1.0, "color": "#b3b3b3", "opacity": 1, "aria": False}
        layers.insert(0, empty.mark_circle(xOffset=half, yOffset=-half, **style))
    ends: dict[str, float] = {"x": 0, "x2": side, "y": side, "y2": 0}
    parity = sheet.single().encode(**{end: alt.value(place) for end, place in ends.items()})
    return layers + [parity.mark_rule(aria=False, clip=True, **look) for look in LINES]


def _quarters(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> Layers:
    """Four squares with their numbers: both 0, one of them 1, both 1."""
    layers = [_filled(base, bar, edged=True)]
    for bin_ in pair.bins:
        ink = theme.INK
        if bin_.samples:
            ink = colour.ink(bar.scale.drawn(bin_.samples))
        number = sheet.single().mark_text(
            aria=False, text=f"{bin_.samples:,}", x=(bin_.x0 + HALVES[0]) * side,
            y=side - (bin_.y0 + HALVES[0]) * side, baseline="middle", fontSize=theme.LABEL,
            color=ink,
        )  # fmt: skip
        layers.append(number)
    return layers


def _filled(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    edge = {}
    if edged:
        edge = {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3}
    full = base.transform_filter("datum.samples > 0").encode(alt.X2("x1:Q"), alt.Y2("y1:Q"))
    return bars.filled(full, bar, "samples", **edge)
