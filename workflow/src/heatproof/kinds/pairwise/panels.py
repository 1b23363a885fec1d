"""Pairs of models as panels: square bins of the instances of two models, and one colour bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, scales, sheet, spec, theme, wording
from heatproof.charts.bars import Bar
from heatproof.charts.lettering import short_names, widest, wrap
from heatproof.charts.sheet import Sheet
from heatproof.config import venues
from heatproof.kinds.pairwise import names, words
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import show, ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.scales import Domain
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

Row = dict[str, Any]

TITLES = {"count": "instances", "difference": "mean x − y"}
"""Reading → title of the colour bar: the two must never be taken for each other."""
SMALLEST_SQUARE = 0.18
"""Side of the square of a bin with one instance, at least, as a part of the bin's."""
FEW = 40
"""Bins along an axis up to which each is set off, and empty ones are dotted."""
LINES: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 2.0},
    {"stroke": "#1a1a1a", "strokeWidth": 0.9, "strokeDash": [3.0, 2.2]},
]
"""The line of parity: a dark dash that a white casing sets off."""

AXIS = 18
"""From a panel to the middle of its y title: ticks, labels, padding."""
LEFT = AXIS + 7
BELOW = 15.0 + theme.LABEL + 1.0
GAP = 10
"""From one panel to the y title of the next, and from the last to the colour bar."""
LARGEST = 200
SMALLEST = 56
TINY = 40
"""Sides of panels; `TINY` where a page would not hold larger ones."""
QUARTERED = 120
"""Side of a panel of four numbers, at most."""
LIFT = 5.0
SECOND = theme.line_height(theme.SMALL)
FOOT = 4 * SECOND
"""Room of the lines below, about."""
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


def draw(grid: pl.DataFrame, entry: Entry, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    counts = entry.reading == "count"
    verdicts = words.are_verdicts(grid, entry)
    pairs = read_pairs(grid, entry)
    domain = count_domain(pairs) if counts else difference_domain(pairs)
    scale = entry.count_scale(verdicts) if counts else "linear"
    shades = scales.scale(domain, colour.palette(entry.colours), scale)
    bar = Bar(TITLES[entry.reading], shades, whole=counts)
    plan = plan_panels(pairs, entry, bar, verdicts=verdicts)
    parts = [*meanings(pairs, entry, verdicts=verdicts), *names.shared_words(plan.axes)]
    lines = sheet.lines(notes, parts, plan.sheet.text) if entry.footer else []
    chart = _figure(pairs, plan, bar, lines, entry.axis)
    advice = "`form: board`, or fewer `models`"
    omitted = wording.names_cut(names.cut_names(plan.axes))
    omitted += wording.beyond_page(plan.sheet.tall(lines), entry, advice)
    return spec.with_omitted(chart, omitted)


# ------------------------------------------------------------------------ the pairs and their bins


@dataclass(frozen=True)
class Pair:
    """One panel: its bins, empty ones included, and how often which model is ahead."""

    x: str
    y: str
    bins: list[Row]
    n: int
    wins: int
    ties: int
    losses: int
    mean: float | None
    """Of x − y over the instances; null where it is not known."""
    low: float | None
    high: float | None
    """Its interval, which holds for all pairs together."""
    units: str
    """Of how many problems, or families, the interval is; empty if each instance is one."""

    @cached_property
    def across(self) -> int:
        """Bins along an axis."""
        return len({row["x0"] for row in self.bins})

    @property
    def tally(self) -> list[str]:
        """The counts in words."""
        ahead = f"x ahead {self.wins:,}", f"equal {self.ties:,}", f"y ahead {self.losses:,}"
        return [f"n {self.n:,}", *ahead]

    @property
    def difference(self) -> list[str]:
        """The mean difference with its interval, in words; as far as there are any."""
        if self.mean is None:
            return []
        mean, *ends = words.mean_texts(self.mean, self.low, self.high)
        between = " [" + ",\u00a0".join(ends) + "]" if ends else ""
        return [f"mean x − y {mean}{between}{self.units}"]

    def spoken(self, measure: str) -> str:
        """The panel in words: who is ahead how often, and the fullest bin."""
        full = max(self.bins, key=lambda row: int(row["samples"]))
        x0, x1, y0, y1 = (show(full[edge], ".3~g") for edge in ("x0", "x1", "y0", "y1"))
        return (
            f"{measure} of {self.x} (x) against {self.y} (y) on {self.n} instances: "
            f"{self.x} ahead on {self.wins}, equal on {self.ties}, {self.y} ahead on {self.losses};"
            f" most, {full['samples']}, at x {x0} to {x1}, y {y0} to {y1}"
            f"{''.join(f'; {part}' for part in self.difference)}."
        )


def read_pairs(grid: pl.DataFrame, entry: Entry) -> list[Pair]:
    """The panels in the order of the grid."""
    titles, most = entry.titles, max(int(count) for count in grid["samples"])
    parts = grid.partition_by("x_model", "y_model", maintain_order=True)
    pairs = []
    for part, row in zip(parts, words.pair_table(grid).iter_rows(named=True), strict=True):
        several = row["units"] not in (None, row["n"])
        numbers = {
            name: row[name] for name in ("n", "wins", "ties", "losses", "mean", "low", "high")
        }
        pairs.append(
            Pair(
                x=titles[row["x"]],
                y=titles[row["y"]],
                bins=[_bin(each, entry.reading, most) for each in part.iter_rows(named=True)],
                units=f" by {row['units']:,} {entry.units}" if several else "",
                **numbers,
            )
        )
    return pairs


def _bin(row: Row, reading: str, most: int) -> Row:
    """A bin with `value`, null where it is empty, and the edges of the square that is filled.

    For differences its area is as the instances, up to `most`.
    """
    samples, difference = row["samples"], row["difference"]
    share = math.sqrt(samples / (1 if reading == "count" else most))
    part = min(max(share, SMALLEST_SQUARE), 1.0) if samples else 0.0
    left, right = _middle_part(row["x0"], row["x1"], part)
    bottom, top = _middle_part(row["y0"], row["y1"], part)
    value = samples if reading == "count" else difference
    return {
        **{key: row[key] for key in ("x0", "x1", "y0", "y1", "samples", "difference")},
        "left": left,
        "right": right,
        "bottom": bottom,
        "top": top,
        "value": value if samples else None,
        "x_span": words.span(row["x0"], row["x1"]),
        "y_span": words.span(row["y0"], row["y1"]),
        "lead": "" if difference is None else show(difference, words.SIGNED),
    }


def _middle_part(low: float, high: float, part: float) -> tuple[float, float]:
    """An interval in the middle of another, a `part` of it long."""
    middle, half = (low + high) / 2, (high - low) / 2 * part
    return float(f"{middle - half:.9g}"), float(f"{middle + half:.9g}")


def count_domain(pairs: Sequence[Pair]) -> Domain:
    """From 1 to the highest count; two at least, so that a scale has two ends."""
    return 1.0, float(max([2, *(row["samples"] for pair in pairs for row in pair.bins)]))


def difference_domain(pairs: Sequence[Pair]) -> Domain:
    """As far below zero as above, a round number."""
    values = [row["value"] for pair in pairs for row in pair.bins if row["value"] is not None]
    furthest = max(map(abs, values), default=0.0) or 1.0
    step = ticks(0.0, furthest, 5)[1]
    end = float(f"{math.ceil(furthest / step - 1e-9) * step:.9g}")
    return -end, end


def meanings(pairs: Sequence[Pair], entry: Entry, *, verdicts: bool) -> list[str]:
    """What axes, squares and the dash mean; `verdicts`: each instance is right or wrong."""
    most = max(row["samples"] for pair in pairs for row in pair.bins)
    tested = len(pairs) if any(pair.low is not None for pair in pairs) else 0
    over = f" for all {tested} pairs together" if tested > 1 else ""
    how = "paired t, Bonferroni" if tested > 1 else "paired t"
    empty = "white, dotted: no instances" if pairs[0].across <= FEW else "white: no instances"
    parts = {
        f"axes: {entry.axis.lower()} of an instance": True,
        "dashed: parity": not verdicts,
        f"area: instances (largest: {most:,})": entry.reading == "difference",
        empty: not verdicts,
        f"in brackets: 95 % interval{over} ({how}){sheet.LIKE}": tested,
    }
    return [part for part, occurs in parts.items() if occurs]


# ---------------------------------------------------------------------------------- sizes and texts


@dataclass(frozen=True)
class Plan:
    """Sizes and texts, measured before anything is drawn."""

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
    """Of the colour bar."""
    id: bool
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
    def lift(self) -> float:
        """From a panel to the baseline of its title: over the counts."""
        return LIFT + SECOND * max(map(len, self.tallies)) + 1.0

    @property
    def tall(self) -> float:
        """Height of the figure, about."""
        return self.sheet.above + self.sheet.reach + BELOW + FOOT

    @property
    def sheet(self) -> Sheet:
        used = self.columns * (LEFT + self.side) + (self.columns - 1) * GAP + GAP + self.room
        margin = int(max(self.width - used, 0) // 2)
        return Sheet(
            width=self.width,
            left=margin + LEFT,
            above=self.lift + (theme.TITLE if any(self.titles) else 0.0),
            below=BELOW,
            height=self.side,
            gap=LEFT + GAP,
            rows=self.rows,
            margin=margin,
            named=self.id,
        )


def plan_panels(pairs: Sequence[Pair], entry: Entry, bar: Bar, *, verdicts: bool) -> Plan:
    """Square panels, as large as the page lets them be.

    As many in a row as asked for, or three; more, and smaller, where a page would not hold them.
    """
    page, high = theme.width(entry.width), venues.height(entry.height, entry.width)

    def side(columns: int) -> int:
        return int((page - bar.room - GAP - columns * LEFT - (columns - 1) * GAP) / columns)

    def plan(columns: int) -> Plan:
        own = min(side(columns), QUARTERED if verdicts else LARGEST)
        models = list(dict.fromkeys(name for pair in pairs for name in (pair.x, pair.y)))
        return Plan(
            width=page,
            columns=columns,
            side=own,
            axes=names.shorten(models, own + BESIDE, theme.LABEL),
            tallies=[_tally(pair, own + GAP) for pair in pairs],
            titles=_titles(pairs, models, own + GAP),
            rows=-(-len(pairs) // columns),
            room=bar.room,
            id=entry.id,
            verdicts=verdicts,
        )

    most = min(entry.columns or USUAL, len(pairs))
    plans = [plan(next((n for n in range(most, 1, -1) if side(n) >= SMALLEST), 1))]
    if entry.columns is not None:
        return plans[0]
    while plans[-1].tall > high:
        columns = plans[-1].columns + 1
        if columns > len(pairs) or side(columns) < TINY:
            break
        plans.append(plan(columns))
    return min(plans, key=lambda plan: max(plan.tall, high))


def _tally(pair: Pair, room: float) -> list[str]:
    """The counts on one line, on two that say who is ahead in the second, or more; the mean."""
    parts = pair.tally
    halves = [" · ".join(parts[0::2]), " · ".join(parts[1::2])]
    ways = ([" · ".join(parts)], halves)
    counts = next((lines for lines in ways if widest(lines, theme.SMALL) <= room), None)
    counts = counts or wrap(parts, room, theme.SMALL)
    return [*counts, *wrap(pair.difference, room, theme.SMALL, ", ")]


def _titles(pairs: Sequence[Pair], models: Sequence[str], room: float) -> list[str]:
    """`x: A vs y: B`: whole names, else what differs in all, or in the two; else a part.

    Empty where there is no room for names that say something: the axes have them too.
    """
    parts = names.distinct_parts(models)
    titles = []
    for pair in pairs:
        own = names.distinct_parts([pair.x, pair.y])
        ways = (
            _title(pair.x, pair.y),
            _title(parts[pair.x], parts[pair.y]),
            _title(own[pair.x], own[pair.y]),
        )
        fits = (title for title in ways if widest([title], theme.TITLE, bold=True) <= room)
        cut = _cut_title(parts[pair.x], parts[pair.y], [*parts.values()], room)
        titles.append(next(fits, cut))
    return titles if all(titles) else [""] * len(pairs)


def _title(x: str, y: str) -> str:
    return f"x: {x} vs y: {y}"


def _cut_title(x: str, y: str, models: Sequence[str], room: float) -> str:
    """A title with a part of one name, or of both, cut out; empty where that says nothing.

    No two of the `models` are cut to the same in the same room.
    """
    spare = room - widest([_title("", "")], theme.TITLE, bold=True)
    wide_x, wide_y = (widest([name], theme.TITLE, bold=True) for name in (x, y))
    rooms = {x: max(spare / 2, spare - wide_y), y: max(spare / 2, spare - wide_x)}
    printed = {}
    for name, own in rooms.items():
        short = short_names(models, own, theme.TITLE, bold=True)
        printed[name] = short[name]
        alike = len({*short.values()}) < len(models)
        if name != short[name] and (alike or len(short[name]) < TELLING):
            return ""
    return _title(printed[x], printed[y])


# -------------------------------------------------------------------------------------------- marks


def _figure(
    pairs: Sequence[Pair], plan: Plan, bar: Bar, lines: Sequence[str], measure: str
) -> alt.TopLevelConcatSpec:
    """Rows of panels and the colour bar."""
    panels = [_panel(n, pair, plan, bar, measure) for n, pair in enumerate(pairs)]
    rows = [panels[n : n + plan.columns] for n in range(0, len(panels), plan.columns)]
    # Nearer to the panels than these are to each other, hence left of its own box.
    at, high = GAP - plan.sheet.gap, min(plan.sheet.reach, BAR)
    rows[0].append(bars.chart(bar, "colours", high, 1, LIFT, plan.side, at))
    data: dict[str, Sequence[Any]] = {f"bins {n}": pair.bins for n, pair in enumerate(pairs, 1)}
    data["colours"] = bars.slices(bar, high)
    spoken = [
        f"Pairs of models by {measure} on the same instances, from 0 to 1; colour: {bar.title}.",
        *(pair.spoken(measure) for pair in pairs),
    ]
    return plan.sheet.assemble(rows, data, lines, " ".join(spoken))


def _panel(n: int, pair: Pair, plan: Plan, bar: Bar, measure: str) -> alt.LayerChart:
    side, middle = plan.side, plan.side / 2
    axes = partial(_axes, (plan.axes[pair.x], plan.axes[pair.y]), plan)
    base = alt.Chart().encode(*axes("left", "bottom"))
    frame = sheet.one().mark_rect(
        x=0, x2=side, y=0, y2=side, fill="#ffffff", stroke=theme.LINE, strokeWidth=0.6, aria=False
    )
    layers = [frame, *(_quarters if plan.verdicts else _squares)(pair, base, bar, side)]
    layers.append(_answers(alt.Chart().encode(*axes("x0", "y0")), pair))
    if title := plan.titles[n]:
        layers.append(sheet.title([title], middle, plan.lift, "center", fontWeight="bold"))
    layers.append(
        sheet.title(plan.tallies[n], middle, LIFT, "center", theme.SMALL, color=theme.QUIET)
    )
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(f"bins {n + 1}"), width=side, height=side,
        description=pair.spoken(measure),
    )  # fmt: skip


def _axes(titles: tuple[str, str], plan: Plan, *fields: str) -> list[Any]:
    """Channels of both axes, 0 to 1.

    All layers of a panel must have the same, or Vega-Lite merges them as it likes.
    """
    halves = {"labelExpr": "datum.value < 0.5 ? '0' : '1'"}
    labels: dict[str, Any] = halves if plan.verdicts else {"format": ".1f"}
    common: dict[str, Any] = {
        "values": plan.ticks, **labels, "ticks": True, "tickSize": 2.5, "labelPadding": 2,
        "labelOverlap": False, "titleAlign": "center", "tickRound": False, "translate": 0,
    }  # fmt: skip
    side = plan.side
    below: dict[str, Any] = {"titleX": side / 2, "titleY": 15.0, "titleBaseline": "top"}
    beside: dict[str, Any] = {
        "titleX": -AXIS,
        "titleY": side / 2,
        "titleBaseline": "alphabetic",
        "titleAngle": -90,
    }
    ways: Any = ((alt.X, below, [0, side]), (alt.Y, beside, [side, 0]))
    return [
        channel(
            f"{field}:Q",
            title=title,
            axis=alt.Axis(**place, **common),
            scale=alt.Scale(domain=[0, 1], range=ends, nice=False, zero=False),
        )
        for field, title, (channel, place, ends) in zip(fields, titles, ways, strict=True)
    ]


def _squares(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """Bins and the line of parity: small squares lie over it, full bins under it.

    A faint dot stands in each empty bin: nothing there, which is not zero.
    """
    few = pair.across <= FEW
    empty = base.transform_filter("datum.samples == 0")
    dots = [empty.mark_circle(size=1.0, color="#b3b3b3", opacity=1, aria=False)] if few else []
    ends: dict[str, float] = {"x": 0, "x2": side, "y": side, "y2": 0}
    parity = sheet.one().encode(**{end: alt.value(at) for end, at in ends.items()})
    lines = [parity.mark_rule(aria=False, clip=True, **look) for look in LINES]
    filled = _filled(base, bar, edged=few)
    return [*dots, *([*lines, filled] if bar.title == TITLES["difference"] else [filled, *lines])]


def _quarters(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """Four squares with their numbers: both 0, one of them 1, both 1."""
    numbers = [
        sheet.one().mark_text(
            aria=False, text=f"{row['samples']:,}", x=(row["x0"] + HALVES[0]) * side,
            y=side - (row["y0"] + HALVES[0]) * side, baseline="middle", fontSize=theme.LABEL,
            color=colour.ink(bar.scale.drawn(row["samples"])) if row["samples"] else theme.INK,
        )
        for row in pair.bins
    ]  # fmt: skip
    return [_filled(base, bar, edged=True), *numbers]


def _filled(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    """The filled part of each bin that has instances."""
    fill = alt.Color("value:Q", legend=None, title=bar.title, scale=bars.scale(bar.scale))
    edge: dict[str, Any] = (
        {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3} if edged else {}
    )
    filled = base.transform_filter("datum.samples > 0").mark_rect(aria=False, **edge)
    layer: alt.Chart = filled.encode(fill, alt.X2("right:Q"), alt.Y2("top:Q"))
    return layer


def _answers(base: alt.Chart, pair: Pair) -> alt.Chart:
    """What a bin answers: where it lies, and the facts that the page tells of it."""
    places = {f"x: {pair.x}": "datum.x_span", f"y: {pair.y}": "datum.y_span"}
    facts = dict(zip(words.FACTS, ("format(datum.samples, ',')", "datum.lead"), strict=True))
    return spec.layer(base.encode(alt.X2("x1:Q"), alt.Y2("y1:Q")), places, facts)
