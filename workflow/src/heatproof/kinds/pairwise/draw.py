"""draw: the grid of a pairwise figure → the figure: panels of marks, and the one bar."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, scales, sheet, spec, theme, wording
from heatproof.charts.bars import Bar
from heatproof.kinds.pairwise import bins, board_draw, layout, naming, words
from heatproof.kinds.pairwise.bins import FACTS
from heatproof.kinds.pairwise.layout import AXIS, GAP, HALVES, LIFT
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.bins import Pair, Reading, Row
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.layout import Plan
    from heatproof.util.lazy import polars as pl


TITLES = {"count": "instances", "difference": "mean x − y"}
"""Reading → title of the colour bar: the two must never be taken for each other."""


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    if entry.board:
        return board_draw.draw(grid, entry, notes)
    counts = entry.reading == "count"
    verdicts = words.are_verdicts(grid, entry)
    points = counts and entry.points is not False and not verdicts
    pairs = bins.pairs(grid, entry.reading, points, entry.titles, entry.units)
    bar = Bar(
        TITLES[entry.reading],
        scales.scale(
            bins.domain(pairs, entry.reading),
            colour.palette(entry.colours),
            entry.count_scale(verdicts) if counts else "linear",
        ),
        whole=counts,
    )
    plan = layout.plan(pairs, entry, bar, verdicts=verdicts)
    meant = pair_meanings(pairs, entry.reading, entry.axis, verdicts=verdicts)
    said = [*meant, *naming.key(plan.axes)]
    lines = sheet.lines(notes, said, plan.sheet.text) if entry.footer else []
    chart = compose_figure(pairs, plan, bar, lines, entry.axis)
    mend = "`form: board`, or fewer `models`"
    high = wording.beyond_page(plan.sheet.tall(lines), entry, mend)
    return spec.with_omitted(chart, [*omitted(pairs, plan), *high])


RASTER = 100
"""Bins along an axis above which they are drawn as a picture."""
MOST = RASTER**2
"""Bins of pictures that answer, at most: each is a rectangle, not seen, that takes 200 bytes of a
file; 10,000 are 2 MB and half a second."""


def pair_meanings(
    pairs: Sequence[Pair], reading: Reading, what: str, *, verdicts: bool
) -> list[str]:
    """What axes, squares, points and the dash mean."""
    most = max(row["samples"] for pair in pairs for row in pair.bins)
    across = pairs[0].across
    points = any(pair.points for pair in pairs)
    area = f"area: instances (largest: {most:,})"
    tested = len(pairs) if any(pair.low is not None for pair in pairs) else 0
    over = f" for all {tested} pairs together" if tested > 1 else ""
    how = "paired t, Bonferroni" if tested > 1 else "paired t"
    parts = {
        f"axes: {what.lower()} of an instance": True,
        "dashed: parity": not verdicts,
        "grey dot: one instance, larger for several": points,
        area: reading == "difference" and across <= RASTER,
        "white, dotted: no instances" if across <= FEW else "white: no instances": not verdicts,
        f"in brackets: 95 % interval{over} ({how}){sheet.LIKE}": tested,
    }
    return [part for part, occurs in parts.items() if occurs]


def compose_figure(
    pairs: Sequence[Pair], plan: Plan, bar: Bar, lines: Sequence[str], what: str
) -> alt.TopLevelConcatSpec:
    """The chart: rows of panels and the colour bar; `what` is the measure's name."""
    asked = answer_data(pairs)
    panels = [_panel(n, pair, plan, bar, what, bool(asked[n])) for n, pair in enumerate(pairs)]
    rows = [panels[n : n + plan.columns] for n in range(0, len(panels), plan.columns)]
    # Nearer to the panels than these are to each other, hence left of its own box.
    at, high = GAP - plan.sheet.gap, min(plan.sheet.reach, layout.BAR)
    rows[0].append(bars.chart(bar, "colours", high, 1, LIFT, plan.side, at))
    data: dict[str, Sequence[Any]] = {"colours": bars.slices(bar, high)}
    for n, pair in enumerate(pairs):
        data |= {_bins(n): asked[n]}
        data |= {_points(n): pair.points} if pair.points else {}
    said = [
        words.spoken_figure(bar.title, what),
        *(words.spoken_pair(pair, what) for pair in pairs),
    ]
    return plan.sheet.assemble(rows, data, lines, " ".join(said))


def answer_data(pairs: Sequence[Pair]) -> list[list[Row]]:
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
    return {name: row[name] for name in ASKED}


def omitted(pairs: Sequence[Pair], plan: Plan) -> list[str]:
    """What the figure was to have and has no room for, a line each."""
    told = f"what a bin answers who points at it, for more than {MOST:,} hold instances"
    silent = [] if any(answer_data(pairs)) else [f"{told}: fewer `bins` answer"]
    return [*silent, *wording.names_cut(naming.cut(plan.axes))]


def _bins(n: int) -> str:
    return f"bins {n + 1}"


def _points(n: int) -> str:
    return f"points {n + 1}"


def _panel(n: int, pair: Pair, plan: Plan, bar: Bar, what: str, answers: bool) -> alt.LayerChart:
    names = plan.axes[pair.x], plan.axes[pair.y]
    axes = partial(bin_axes, names, AXIS, plan.side, plan.ticks)
    at = alt.Chart().encode(*axes(("left", "bottom")))
    layers = (
        quarter_marks(pair, at, bar, plan.side)
        if plan.verdicts
        else _marks(pair, at, bar, plan.side)
    )
    if pair.points:
        dots = axes(("x", "y"))
        layers.append(point_marks(_points(n), dots, len(pair.points), plan.side))
    if answers:
        over = alt.Chart().encode(*axes(("x0", "y0")))
        layers.append(answer_marks(over, pair))
    return alt.LayerChart(
        layer=[*layers, *_head(n, plan)],
        data=alt.NamedData(_bins(n)), width=plan.side, height=plan.side,
        description=words.spoken_pair(pair, what),
    )  # fmt: skip


def _marks(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """The marks of a panel, bottom first: small squares lie over the diagonal, full bins under."""
    few, line = pair.across <= FEW, parity_marks(side)
    if pair.across > RASTER:
        picture = image_mark(pair.bins, bar, side)
        return [frame_mark(side), picture, nothing_mark(base), *line]
    below = [frame_mark(side), *([empty_marks(base)] if few else [])]
    filled = bin_marks(base, bar, edged=few)
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


LINES: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 2.0},
    {"stroke": "#1a1a1a", "strokeWidth": 0.9, "strokeDash": [3.0, 2.2]},
]
USUAL = 250
"""Dots in a panel up to which they keep their size."""
FEW = 40
"""Bins along an axis up to which each is set off, and empty ones are dotted."""


ASKED = ("x0", "x1", "y0", "y1", "x_told", "y_told", "samples", "lead")
"""What is asked of a row by `answered`."""


def bin_axes(
    names: tuple[str, str],
    title_x: float,
    side: float,
    ticks: Sequence[float],
    fields: tuple[str, str],
) -> list[Any]:
    """Channels of both axes, 0 to 1; titles are the models, that of y `title_x` pt to the left.

    All layers of a panel must have the same, or Vega-Lite merges them as it likes.
    """
    halves = {"labelExpr": "datum.value < 0.5 ? '0' : '1'"}
    labels: dict[str, Any] = halves if list(ticks) == HALVES else {"format": ".1f"}
    common: dict[str, Any] = {
        "values": list(ticks), **labels, "ticks": True, "tickSize": 2.5, "labelPadding": 2,
        "labelOverlap": False, "titleAlign": "center", "tickRound": False, "translate": 0,
    }  # fmt: skip
    below: dict[str, Any] = {"titleX": side / 2, "titleY": 15.0, "titleBaseline": "top"}
    beside: dict[str, Any] = {"titleX": -title_x, "titleY": side / 2, "titleBaseline": "alphabetic"}
    beside |= {"titleAngle": -90}
    x_axis, y_axis = alt.Axis(**below, **common), alt.Axis(**beside, **common)
    x, y = (f"{field}:Q" for field in fields)
    return [
        alt.X(x, title=names[0], axis=x_axis, scale=_scale([0, side])),
        alt.Y(y, title=names[1], axis=y_axis, scale=_scale([side, 0])),
    ]


def _scale(ends: Sequence[float]) -> alt.Scale:
    return alt.Scale(domain=[0, 1], range=list(ends), nice=False, zero=False)


def frame_mark(side: float) -> alt.Chart:
    """The outline of the panel, below everything."""
    layer: alt.Chart = sheet.one().mark_rect(
        x=0, x2=side, y=0, y2=side, fill="#ffffff", stroke=theme.LINE, strokeWidth=0.6, aria=False
    )
    return layer


def bin_marks(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    """The filled part of each bin that has instances."""
    fill = alt.Color("value:Q", legend=None, title=bar.title, scale=bars.scale(bar.scale))
    edge: dict[str, Any] = (
        {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3} if edged else {}
    )
    shown = base.transform_filter("datum.samples > 0")
    layer: alt.Chart = shown.mark_rect(aria=False, **edge).encode(
        fill, alt.X2("right:Q"), alt.Y2("top:Q")
    )
    return layer


def answer_marks(base: alt.Chart, pair: Pair) -> alt.Chart:
    """What a bin answers: where it lies, and the facts that the page tells of it."""
    names = {"x": pair.x, "y": pair.y}
    places = {f"{at}: {name}": f"datum.{at}_told" for at, name in names.items()}
    facts = dict(zip(FACTS, ("format(datum.samples, ',')", "datum.lead"), strict=True))
    over = base.encode(alt.X2("x1:Q"), alt.Y2("y1:Q"))
    return spec.layer(over, places, facts)


def quarter_marks(pair: Pair, base: alt.Chart, bar: Bar, side: float) -> list[alt.Chart]:
    """Four squares with their numbers: both 0, one of them 1, both 1."""
    numbers = [
        sheet.one().mark_text(
            aria=False, text=f"{row['samples']:,}", x=_middle(row, "x0", side),
            y=side - _middle(row, "y0", side), baseline="middle", fontSize=theme.LABEL,
            color=colour.ink(bar.scale.drawn(row["samples"])) if row["samples"] else theme.INK,
        )
        for row in pair.bins
    ]  # fmt: skip
    return [frame_mark(side), bin_marks(base, bar, edged=True), *numbers]


def _middle(row: Row, edge: str, side: float) -> float:
    return (float(row[edge]) + HALVES[0]) * side


def image_mark(rows: Sequence[Row], bar: Bar, side: float) -> alt.Chart:
    """The bins as one picture, where they are too many for rectangles."""
    layer: alt.Chart = sheet.one().mark_image(
        url=bins.url(rows, bar.scale), smooth=False, aspect=False,
        x=0, y=0, width=side, height=side, align="left", baseline="top",
    )  # fmt: skip
    return layer


def nothing_mark(base: alt.Chart) -> alt.Chart:
    """No mark, only the axes."""
    layer: alt.Chart = base.transform_filter("false").mark_point(aria=False)
    return layer


def empty_marks(base: alt.Chart) -> alt.Chart:
    """A faint dot in the middle of each empty bin: nothing there, which is not zero."""
    empty = base.transform_filter("datum.samples == 0")
    layer: alt.Chart = empty.mark_circle(size=1.0, color="#b3b3b3", opacity=1, aria=False)
    return layer


def point_marks(data: str, axes: Sequence[Any], count: int, side: float) -> alt.Chart:
    """A grey dot for each place with instances, its area by their number up to nine.

    `count` places there are: where they are many, dots are small.
    """
    area = side / 5 * min(1.0, math.sqrt(USUAL / count))
    scale = alt.Scale(domain=[0, 9], range=[0, area], clamp=True)
    look: dict[str, Any] = {
        "fill": "#c9c9c9",
        "stroke": "#3d3d3d",
        "strokeWidth": 0.08 * math.sqrt(area),
    }
    base = alt.Chart(alt.NamedData(data)).mark_circle(aria=False, opacity=1, **look)
    layer: alt.Chart = base.encode(*axes, alt.Size("n:Q", legend=None, scale=scale))
    return layer


def parity_marks(side: float) -> list[alt.Chart]:
    """The diagonal where both models are equal: a dark dash that a white casing sets off."""
    ends: dict[str, float] = {"x": 0, "x2": side, "y": side, "y2": 0}
    line = sheet.one().encode(**{end: alt.value(at) for end, at in ends.items()})
    return [line.mark_rule(aria=False, clip=True, **look) for look in LINES]
