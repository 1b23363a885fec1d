"""All pairs of models as a board: one matrix, models ranked by their mean lead.

Below the diagonal how far the model of a column is ahead of that of a row, above it where the
instances of both lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, scales, sheet, spec, theme, wording
from heatproof.charts.lettering import widest
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.pairwise.board_layout import BAR, LEAD, LIFT, PAD, plan_board
from heatproof.util import numerals
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import Digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.board_layout import Plan
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Pair, Row
    from heatproof.util.lazy import polars as pl

SAME = 1e-9
"""Two mean leads closer than this are equal."""
BETWEEN = " : "
INTERVAL = "95 % interval, all pairs together"
SQUARE_PLACES = {"Column": "datum.column", "Row": "datum.row"}
SQUARE_FACTS = {
    "Mean of column − row": "datum.lead",
    INTERVAL: "datum.between",
    "Verdict": "datum.verdict",
    "Column ahead": "datum.won",
    "Equal": "datum.ties",
    "Row ahead": "datum.lost",
}
BIN_PLACES = {"x": "datum.column", "y": "datum.row"}
BIN_FACTS = {pairs.FACTS[0]: "format(datum.samples, ',')", pairs.FACTS[1]: "datum.lead"}
NAMED = 12
"""Pairs that a caption names, at most."""

DASH: dict[str, Any] = {"stroke": theme.LINE, "strokeWidth": 0.6, "strokeDash": [2, 2]}
HAIRLINE: dict[str, Any] = {"stroke": "#c8c8c8", "strokeWidth": 0.4}
RANK = "#b8b8b8"
NUMBER = 9.0
"""Largest type of a difference."""
GREYS = ("#e4e4e4", "#000000")
"""From one instance in a bin to the most."""
PALE = ("#f4f4f4", "#a8a8a8")
"""The same where black numbers stand on them."""
FRAME: dict[str, Any] = {"stroke": "#b0b0b0", "strokeWidth": 0.5}
PARITY: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 1.7},
    {"stroke": "#d6006c", "strokeWidth": 0.7},
]
"""The line of equal models, on a casing that sets it off."""
INSET = 0.02
"""Of a density's side, left free at its edges."""


@dataclass(frozen=True)
class Board:
    """All pairs of models, of which x is the column and y the row below it."""

    order: list[str]
    """The models, from the first row and column on."""
    titles: Mapping[str, str]
    """What each is called in the figure."""
    pairs: list[Pair]
    """Column by column of the lower triangle."""
    verdicts: bool
    """Whether each instance is right or wrong, so that there are two bins along an axis."""

    @cached_property
    def leads(self) -> dict[str, float]:
        """Model → the mean of its mean leads over each of the others."""
        leads = mean_leads(self.pairs)
        return {name: leads[name] for name in self.order}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Model → how many are ahead of it on average, and one."""
        leads = self.leads
        return {
            name: 1 + sum(other > lead + SAME for other in leads.values())
            for name, lead in leads.items()
        }

    @cached_property
    def places(self) -> dict[str, int]:
        """Model → its place in the order, from 0."""
        return {model: n for n, model in enumerate(self.order)}

    @property
    def furthest(self) -> float:
        """The largest difference."""
        return max(abs(pair.lead) for pair in self.pairs)

    @property
    def mixed(self) -> bool:
        """Whether some differences are below zero."""
        return any(pair.lead < -SAME for pair in self.pairs)

    @property
    def judged(self) -> bool:
        """Whether there are verdicts."""
        return any(pair.judged for pair in self.pairs)

    @property
    def fullest(self) -> int:
        """The most instances in a bin."""
        return max(int(row["samples"]) for pair in self.pairs for row in pair.bins)

    @property
    def number(self) -> str:
        """The format of all differences: two digits of the largest, at least two places."""
        largest = self.furthest
        places = 2 if not largest else min(max(1 - math.floor(math.log10(largest)), 2), 4)
        return f"+.{places}f"

    def ranking(self, order: Sequence[str]) -> str:
        """Models with their mean leads."""
        digits = Digits(self.number)
        return ", ".join(f"{self.titles[m]} {digits.value(self.leads[m])}" for m in order)


def mean_leads(every: Sequence[Pair]) -> dict[str, float]:
    """Model → the mean of its mean leads over each of the others."""
    leads: dict[str, list[float]] = {}
    for pair in every:
        leads.setdefault(pair.x, []).append(pair.lead)
        leads.setdefault(pair.y, []).append(-pair.lead)
    return {name: sum(values) / len(values) for name, values in leads.items()}


def read_board(grid: pl.DataFrame, entry: Entry) -> Board:
    """The board of a grid."""
    titles, every = entry.titles, pairs.read_pairs(grid)
    order, leads = [*titles], mean_leads(every)
    if entry.sorted == "value":
        order.sort(key=lambda name: -round(leads[name], 12))
    place = {name: n for n, name in enumerate(order)}
    every = [pair if place[pair.x] < place[pair.y] else pair.turned() for pair in every]
    every.sort(key=lambda pair: (place[pair.x], place[pair.y]))
    return Board(order, titles, every, pairs.are_verdicts(grid, entry))


def verdict(pair: Pair) -> str:
    """Whether two models are told apart, and why not."""
    if not pair.judged:
        return ""
    if pair.low is None:
        return pair.why or "not told apart: too few differ"
    return "told apart" if pair.apart else "not told apart"


# ------------------------------------------------------------------------------------------- words


def meanings(board: Board, entry: Entry, full: bool) -> list[str]:
    """Lines below the board: what squares say, and densities."""
    measure, count = entry.axis.lower(), len(board.pairs)
    several = sorted({pair.fewer for pair in board.pairs if pair.fewer})
    by = f" by {numerals.span(several)} {entry.units}" if several else ""
    together = f" for all {count} pairs" if count > 1 else ""
    how = "paired t, Bonferroni" if count > 1 else "paired t"
    few = sum(bool(pair.why) for pair in board.pairs)
    verdicts = (
        f"above: {entry.things} by {measure} of column (right half: 1) and row (upper half: 1)"
    )
    density = (
        f"above: {entry.things} by {measure} of column (x) and row (y), 0 to 1; "
        f"black: {board.fullest:,}; line: equal"
    )
    lines = {
        f"{'below' if full else 'squares'}: mean {measure} of column − row, "
        f"{numerals.span(pair.n for pair in board.pairs)} {entry.things}"
        + f"; won{BETWEEN}lost"
        * (full and board.judged): True,
        f"{'dashed' if full else 'white'}: not told apart, 0 is in the 95 % interval"
        f"{by}{together} ({how}){sheet.LIKE}": board.judged,
        f"of these {few:,} {pairs.FEW}": few,
        verdicts if board.verdicts else density: full,
    }
    return [line for line, occurs in lines.items() if occurs]


def caption(board: Board, entry: Entry) -> list[str]:
    """What squares and densities say, and which pairs are not told apart."""

    def names(some: Sequence[Pair]) -> str:
        return ", ".join(f"{board.titles[pair.x]} and {board.titles[pair.y]}" for pair in some)

    order = "by their mean lead over the others" if entry.sorted == "value" else "as configured"
    below = (
        f"Below the diagonal: mean {entry.axis.lower()} of column − row; models are sorted "
        f"{order}: {board.ranking(board.order)}."
    )
    if not board.judged:
        return [below]
    alike = [pair for pair in board.pairs if not (pair.apart or pair.why)]
    silent = [pair for pair in board.pairs if pair.why]
    count = len(board.pairs)
    which = f"; not {names(alike)}" if 0 < len(alike) <= NAMED else ""
    judged = (
        f"{count - len(alike) - len(silent)} of {count} pairs are told apart (zero lies outside "
        f"their interval, which holds for all pairs together: 95\u00a0%, paired t over "
        f"{entry.units}, Bonferroni{sheet.LIKE}){which}."
    )
    which = f" ({names(silent)})" if len(silent) <= NAMED else ""
    unjudged = [f"{len(silent)} of {count} pairs{which} are {pairs.FEW}."] if silent else []
    return [below, judged, *unjudged]


def spoken(board: Board, measure: str) -> str:
    """A board in words: who is ahead, and how many pairs are told apart."""
    models = board.ranking(sorted(board.order, key=lambda model: board.ranks[model]))
    apart = sum(pair.apart for pair in board.pairs)
    verdicts = f" {apart} of {len(board.pairs)} pairs are told apart." if board.judged else ""
    return f"Pairs of models by {measure}, mean lead over the others: {models}.{verdicts}"


# ------------------------------------------------------------------------------------------- marks


def draw(grid: pl.DataFrame, entry: Entry, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the board."""
    board = read_board(grid, entry)
    palette = entry.palette or (colour.SIGNED if board.mixed else colour.USUAL)
    end = board.furthest or 1.0
    low = -end if board.mixed or colour.is_diverging(palette) else 0.0
    bar = bars.Bar("mean difference", scales.scale((low, end), colour.palette(palette)))
    longest = widest((pair.texts(board.number)[0] for pair in board.pairs), theme.SMALL)
    models = [board.titles[model] for model in board.order]
    plan = plan_board(models, entry, longest, bar.room + bars.GAP)
    data: dict[str, Sequence[Row]] = {
        "squares": [_square(pair, board, plan, bar) for pair in board.pairs]
    }
    layers = [*_square_marks(plan), *_names(board, plan, data, entry.title)]
    layers += _densities(board, plan, data) if plan.full else []
    layers.append(_answers("squares", plan, SQUARE_PLACES, SQUARE_FACTS))
    layers += [_answers("bins", plan, BIN_PLACES, BIN_FACTS)] if plan.full else []
    charts: list[Any] = [alt.LayerChart(layer=layers, width=plan.reach, height=plan.reach)]
    if plan.bar:
        at = plan.right - plan.bar if plan.right >= plan.bar else -plan.bar
        charts.append(bars.chart(bar, "colours", BAR, 1, 5.0, plan.reach, at + bars.GAP))
        data["colours"] = bars.slices(bar, BAR)
    parts = [*notes, *meanings(board, entry, plan.full)]
    lines = sheet.lines(parts, [], plan.sheet.text) if entry.footer else []
    chart = plan.sheet.assemble([charts], data, lines, spoken(board, entry.axis))
    omitted = wording.names_cut(plan.cut)
    omitted += wording.beyond_page(plan.sheet.tall(lines), entry, "fewer `models`")
    return spec.note(chart, omitted=omitted, panels=boxes(board, plan))


def boxes(board: Board, plan: Plan) -> list[list[float]]:
    """Where cells can be opened: the squares, then the densities, if there are any."""
    side = _round(plan.side)
    corners = [_corner(board, plan, pair.x, pair.y) for pair in board.pairs]
    squares = [[_round(x), _round(y), side, side] for x, y in corners]
    return [*squares, *(_density_boxes(board, plan) if plan.full else [])]


def _density_boxes(board: Board, plan: Plan) -> list[list[float]]:
    """Left, top, width and height of the densities, in the order of the board's pairs."""
    pad = plan.side * INSET
    inner = plan.side - 2 * pad
    corners = [_corner(board, plan, pair.y, pair.x) for pair in board.pairs]
    return [[_round(at) for at in (x + pad, y + pad, inner, inner)] for x, y in corners]


def _corner(board: Board, plan: Plan, column: str, row: str) -> tuple[float, float]:
    return board.places[column] * plan.step, board.places[row] * plan.step


def _square(pair: Pair, board: Board, plan: Plan, bar: bars.Bar) -> Row:
    """What is drawn of a pair below the diagonal, and what it answers."""
    x, y = _corner(board, plan, pair.x, pair.y)
    coloured = pair.apart or not pair.judged
    fill = bar.scale.drawn(pair.lead) if coloured else "#ffffff"
    won, ties, lost = pair.tallies
    return {
        "x": _round(x),
        "x2": _round(x + plan.side),
        "y": _round(y),
        "y2": _round(y + plan.side),
        "fill": fill,
        "ink": colour.ink(fill),
        "told": coloured,
        "bold": pair.apart,
        "number": pair.texts(board.number)[0],
        "tally": f"{won}{BETWEEN}{lost}" if pair.judged else "",
        "column": board.titles[pair.x],
        "row": board.titles[pair.y],
        "lead": pair.texts()[0],
        "between": pair.between,
        "verdict": verdict(pair),
        "won": won,
        "ties": ties,
        "lost": lost,
    }


def _square_marks(plan: Plan) -> list[alt.Chart]:
    """Squares and what stands in them: dashed and white where there is no difference to tell."""
    box, squares = _position(plan, "x", "x2", "y", "y2"), alt.Chart(alt.NamedData("squares"))
    filled = squares.transform_filter("datum.told").mark_rect(aria=False)
    edge = DASH if plan.full else HAIRLINE
    hollow = squares.transform_filter("!datum.told").mark_rect(aria=False, fill="#ffffff", **edge)
    marks = [filled.encode(*box, alt.Fill("fill:N", scale=None)), hollow.encode(*box)]
    if plan.bar:
        return marks
    small = max(min(theme.VALUE, plan.side * 0.32), theme.SMALL)
    size = min(NUMBER, plan.side * 0.32) if plan.full else small
    lift = -size * 0.32 if plan.full else 0.0
    texts: list[tuple[alt.Chart, str, float, float, Any]] = [
        (squares.transform_filter("datum.bold"), "number", size, lift, "bold"),
        (squares.transform_filter("!datum.bold"), "number", size, lift, "normal"),
        (squares, "tally", theme.SMALL + 0.2, size * 0.75, "normal"),
    ]
    for base, field, type_size, lower, weight in texts if plan.full else texts[:2]:
        text = base.mark_text(
            aria=False, fontSize=type_size, fontWeight=weight, baseline="middle", align="center",
            xOffset=plan.side / 2, yOffset=plan.side / 2 + lower,
        )  # fmt: skip
        at, ink = _position(plan, "x", "y"), alt.Color("ink:N", scale=None)
        marks.append(text.encode(*at, alt.Text(f"{field}:N"), ink))
    return marks


def _names(board: Board, plan: Plan, data: dict[str, Sequence[Row]], title: str) -> list[alt.Chart]:
    """Names of rows with their mean leads, of columns, ranks on the diagonal, and the title."""
    words: dict[str, list[Row]] = {"rows": [], "leads": [], "columns": [], "ranks": []}
    high = theme.line_height(theme.LABEL)

    def word(name: str, x: float, y: float, text: str) -> None:
        words[name].append({"x": _round(x), "y": _round(y), "text": text})

    for n, model in enumerate(board.order):
        middle, title_of = n * plan.step + plan.side / 2, board.titles[model]
        lead = Digits(board.number).value(board.leads[model])
        lines = plan.rows[title_of]
        if plan.full:
            first = middle - (high * len(lines) + theme.line_height(theme.SMALL) - high) / 2
            for k, line in enumerate(lines):
                word("rows", -PAD, first + high * k, line)
            word("leads", -PAD, first + high * len(lines) - 0.5, f"{lead} on average")
        else:
            word("rows", -PAD - widest(["+0.000"], theme.SMALL) - LEAD, middle, lines[0])
            word("leads", -PAD, middle, lead)
        word("ranks", middle, middle, str(board.ranks[model]))
        # Above the board, or on the diagonal where nothing stands above it.
        top = 0.0 if plan.full else n * plan.step
        for k, line in enumerate([*plan.columns[title_of]][::-1]):
            up = LIFT if plan.angle else LIFT + theme.LABEL / 2 - 1.0 + high * k
            word("columns", middle, top - up, line)
    turned = {"align": "left", "angle": -plan.angle % 360} if plan.angle else {"align": "center"}
    small = min(11.0, plan.side * 0.7)
    weight = "bold" if plan.full else "normal"
    looks: dict[str, dict[str, Any]] = {
        "rows": {"fontSize": theme.LABEL, "fontWeight": weight, "align": "right"},
        "leads": {"fontSize": theme.SMALL, "color": theme.QUIET, "align": "right"},
        "columns": {"fontSize": theme.LABEL, **turned},
        "ranks": {"fontSize": small, "color": RANK, "align": "center"},
    }
    if small < theme.SMALL:
        del looks["ranks"]
    data |= words
    marks: list[alt.Chart] = [
        alt.Chart(alt.NamedData(name))
        .mark_text(baseline="middle", aria=False, **look)
        .encode(*_position(plan, "x", "y"), alt.Text("text:N"))
        for name, look in looks.items()
    ]
    if title:
        lift = plan.above - theme.line_height(theme.HEAD) + 2.0
        marks.append(sheet.title([title], -plan.left, lift, "left", theme.HEAD, fontWeight="bold"))
    return marks


def _densities(board: Board, plan: Plan, data: dict[str, Sequence[Row]]) -> list[alt.Chart]:
    """Above the diagonal: frames, bins, lines of parity; of verdicts their numbers instead."""
    greys = PALE if board.verdicts else GREYS
    domain = 1.0, float(max(board.fullest, 2))
    shades = scales.scale(domain, greys, log=not board.verdicts)
    boxes = _density_boxes(board, plan)
    data["frames"] = [
        {"x": x, "x2": _round(x + side), "y": _round(y + side), "y2": y} for x, y, side, _ in boxes
    ]
    # Above the diagonal the same two meet with the better one as the row.
    data["bins"] = [
        _bin(row, pair, board, box) | {"fill": shades.drawn(row["samples"])}
        for pair, box in zip((pair.turned() for pair in board.pairs), boxes, strict=True)
        for row in pair.bins
        if row["samples"]
    ]
    corners, pad = _position(plan, "x", "x2", "y", "y2"), plan.side * INSET
    frames, bins = (alt.Chart(alt.NamedData(name)) for name in ("frames", "bins"))
    frame = frames.mark_rect(
        aria=False, fill="#ffffff", xOffset=-pad, x2Offset=pad, yOffset=pad, y2Offset=-pad, **FRAME
    )
    filled = bins.mark_rect(aria=False).encode(*corners, alt.Fill("fill:N", scale=None))
    if not board.verdicts:
        lines = (frames.mark_rule(aria=False, **look).encode(*corners) for look in PARITY)
        return [frame.encode(*corners), filled, *lines]
    quarter = plan.side * (1 - 2 * INSET) / 4
    numbers = bins.mark_text(
        aria=False, fontSize=max(min(theme.VALUE, quarter), theme.SMALL), color=theme.INK,
        baseline="middle", align="center", xOffset=quarter, yOffset=quarter,
    )  # fmt: skip
    text = alt.Text("samples:Q", format=",")
    return [frame.encode(*corners), filled, numbers.encode(*_position(plan, "x", "y"), text)]


def _bin(row: Row, pair: Pair, board: Board, box: Sequence[float]) -> Row:
    """Where a bin lies, and what it answers: of the model along x and of that along y."""
    left, top, side, _ = box
    return {
        "x": _round(left + row["x0"] * side),
        "x2": _round(left + row["x1"] * side),
        "y": _round(top + (1 - row["y1"]) * side),
        "y2": _round(top + (1 - row["y0"]) * side),
        "column": f"{board.titles[pair.x]} {pairs.span(row['x0'], row['x1'])}",
        "row": f"{board.titles[pair.y]} {pairs.span(row['y0'], row['y1'])}",
        "samples": row["samples"],
        "lead": pairs.lead_text(row),
    }


def _answers(
    data: str, plan: Plan, places: Mapping[str, str], facts: Mapping[str, str]
) -> alt.Chart:
    base = alt.Chart(alt.NamedData(data)).encode(*_position(plan, "x", "x2", "y", "y2"))
    return spec.layer(base, places, facts)


def _round(value: float) -> float:
    """A place in pt, without the digits that none can see."""
    return float(f"{value:.6g}")


def _position(plan: Plan, *fields: str) -> list[Any]:
    """Channels of places in pt, from the upper left corner of the board."""
    scale = alt.Scale(domain=[0, plan.reach], range=[0, plan.reach], nice=False, zero=False)
    channels = {"x": alt.X, "y": alt.Y, "x2": alt.X2, "y2": alt.Y2}
    return [
        channels[field](f"{field}:Q", **({} if "2" in field else {"scale": scale, "axis": None}))
        for field in fields
    ]
