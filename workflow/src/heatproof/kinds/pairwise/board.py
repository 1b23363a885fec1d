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
from heatproof.charts.bars import Bar
from heatproof.charts.lettering import widest
from heatproof.kinds.pairwise import names, words
from heatproof.kinds.pairwise.board_layout import BAR, LEAD, LIFT, PAD, TITLE, plan_board
from heatproof.util import numerals
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.board_layout import Plan
    from heatproof.kinds.pairwise.entry import Entry

Row = dict[str, Any]

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
BIN_FACTS = {words.FACTS[0]: "format(datum.samples, ',')", words.FACTS[1]: "datum.lead"}
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


# ---------------------------------------------------------------------------------------- the pairs


@dataclass(frozen=True)
class Duel:
    """How the model of a column compares with that of a row below it on the board."""

    column: str
    row: str
    turned: bool
    """The grid has the row's model as x."""
    n: int
    won: int
    ties: int
    lost: int
    units: int | None
    lead: float
    """Mean difference column − row."""
    low: float | None
    high: float | None
    """Its interval, which holds for all pairs of the board together."""
    judged: bool
    """False where it is not known which instances were solved: then there is no verdict."""
    why: str
    """Why there is no interval, where a few problems make the difference."""
    bins: list[Row]
    """Those that hold instances, with the row's model along y: `x0`, `x1`, `y0`, `y1`, `samples`,
    `difference`."""

    @property
    def apart(self) -> bool:
        """Whether the two are told apart: their interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def between(self) -> str:
        """The interval of the mean difference; empty where there is none."""
        return " to ".join(words.mean_texts(self.lead, self.low, self.high)[1:])

    @property
    def verdict(self) -> str:
        """Whether the two are told apart, and why not."""
        if not self.judged:
            return ""
        if self.low is None:
            return self.why or "not told apart: too few differ"
        return "told apart" if self.apart else "not told apart"

    @property
    def tallies(self) -> list[str]:
        """Won, equal and lost instances; empty where these are made up."""
        counts = (self.won, self.ties, self.lost)
        return [f"{count:,}" if self.judged else "" for count in counts]

    def lead_text(self, number: str = words.SIGNED) -> str:
        """The mean difference in a format."""
        return words.mean_texts(self.lead, self.low, self.high, number)[0]


@dataclass(frozen=True)
class Board:
    """All pairs of models."""

    order: list[str]
    """The models, from the first row and column on."""
    titles: Mapping[str, str]
    """What each is called in the figure."""
    duels: list[Duel]
    """Column by column of the lower triangle."""
    across: int
    """Bins along an axis."""
    verdicts: bool
    """Whether each instance is right or wrong, so that there are two."""

    @cached_property
    def leads(self) -> dict[str, float]:
        """Model → the mean of its mean leads over each of the others."""
        leads: dict[str, list[float]] = {name: [] for name in self.order}
        for duel in self.duels:
            leads[duel.column].append(duel.lead)
            leads[duel.row].append(-duel.lead)
        return {name: sum(values) / len(values) for name, values in leads.items()}

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
        return max(abs(duel.lead) for duel in self.duels)

    @property
    def mixed(self) -> bool:
        """Whether some differences are below zero."""
        return any(duel.lead < -SAME for duel in self.duels)

    @property
    def judged(self) -> bool:
        """Whether there are verdicts."""
        return any(duel.judged for duel in self.duels)

    @property
    def fullest(self) -> int:
        """The most instances in a bin."""
        return max(int(row["samples"]) for duel in self.duels for row in duel.bins)

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


def read_board(grid: pl.DataFrame, entry: Entry) -> Board:
    """The board of a grid."""
    titles, verdicts = entry.titles, words.are_verdicts(grid, entry)
    parts = grid.partition_by("x_model", "y_model", maintain_order=True)
    across = words.across(grid)
    duels = [_duel(part, turned=False) for part in parts]
    board = Board([*titles], titles, duels, across, verdicts)
    order = [*titles]
    if entry.sorted == "value":
        order.sort(key=lambda name: -round(board.leads[name], 12))
    place = {name: n for n, name in enumerate(order)}
    duels = [
        _duel(part, turned=place[duel.column] > place[duel.row])
        for part, duel in zip(parts, duels, strict=True)
    ]
    duels.sort(key=lambda duel: (place[duel.column], place[duel.row]))
    return Board(order, titles, duels, across, verdicts)


def _duel(part: pl.DataFrame, turned: bool) -> Duel:
    """A pair, x in the column; or `turned`, y."""
    first = part.row(0, named=True)
    bins = [row for row in part.iter_rows(named=True) if row["samples"]]
    lead, low, high = first["mean"], first["simultaneous_low"], first["simultaneous_high"]
    if lead is None:  # of made-up instances: whichever were solved, the mean is the same
        total = math.fsum(row["samples"] * row["difference"] for row in bins)
        lead = float(total / first["pair_n"])
    if turned:
        low, high = (None if end is None else -end for end in (high, low))
    x, y = first["x_model"], first["y_model"]
    return Duel(
        column=y if turned else x,
        row=x if turned else y,
        turned=turned,
        n=first["pair_n"],
        won=first["losses" if turned else "wins"],
        ties=first["ties"],
        lost=first["wins" if turned else "losses"],
        units=first["units"],
        lead=-lead if turned else lead,
        low=low,
        high=high,
        judged=first["mean"] is not None,
        why=first.get("unjudged") or "",
        # Above the diagonal the same two meet with the better one as the row.
        bins=[_turned_bin(row, not turned) for row in bins],
    )


def _turned_bin(row: Mapping[str, Any], turned: bool) -> Row:
    """A bin with x and y exchanged if `turned`; `difference` is x − y."""
    ends = ("x0", "x1", "y0", "y1")
    sources = ("y0", "y1", "x0", "x1") if turned else ends
    difference = -row["difference"] if turned else row["difference"]
    edges = {end: row[source] for end, source in zip(ends, sources, strict=True)}
    return {**edges, "samples": row["samples"], "difference": difference}


# ------------------------------------------------------------------------------------------- words


def meanings(board: Board, entry: Entry, full: bool) -> list[str]:
    """Lines below the board: what squares say, and densities."""
    measure, pairs = entry.axis.lower(), len(board.duels)
    several = sorted({duel.units for duel in board.duels if duel.units not in (None, duel.n)})
    by = f" by {numerals.span(several)} {entry.units}" if several else ""
    together = f" for all {pairs} pairs" if pairs > 1 else ""
    how = "paired t, Bonferroni" if pairs > 1 else "paired t"
    few = sum(bool(duel.why) for duel in board.duels)
    verdicts = (
        f"above: {entry.things} by {measure} of column (right half: 1) and row (upper half: 1)"
    )
    density = (
        f"above: {entry.things} by {measure} of column (x) and row (y), 0 to 1; "
        f"black: {board.fullest:,}; line: equal"
    )
    lines = {
        f"{'below' if full else 'squares'}: mean {measure} of column − row, "
        f"{numerals.span(duel.n for duel in board.duels)} {entry.things}"
        + f"; won{BETWEEN}lost"
        * (full and board.judged): True,
        f"{'dashed' if full else 'white'}: not told apart, 0 is in the 95 % interval"
        f"{by}{together} ({how}){sheet.LIKE}": board.judged,
        f"of these {few:,} {words.FEW}": few,
        verdicts if board.verdicts else density: full,
    }
    return [line for line, occurs in lines.items() if occurs]


def caption(board: Board, entry: Entry) -> list[str]:
    """What squares and densities say, and which pairs are not told apart."""
    order = "by their mean lead over the others" if entry.sorted == "value" else "as configured"
    below = (
        f"Below the diagonal: mean {entry.axis.lower()} of column − row; models are sorted "
        f"{order}: {board.ranking(board.order)}."
    )
    if not board.judged:
        return [below]
    alike = [duel for duel in board.duels if not (duel.apart or duel.why)]
    silent = [duel for duel in board.duels if duel.why]
    apart, pairs = len(board.duels) - len(alike) - len(silent), len(board.duels)
    which = f"; not {_pair_names(alike, board)}" if 0 < len(alike) <= NAMED else ""
    verdict = (
        f"{apart} of {pairs} pairs are told apart (zero lies outside their interval, which holds "
        f"for all pairs together: 95\u00a0%, paired t over {entry.units}, Bonferroni{sheet.LIKE})"
        f"{which}."
    )
    which = f" ({_pair_names(silent, board)})" if len(silent) <= NAMED else ""
    unjudged = f"{len(silent)} of {pairs} pairs{which} are {words.FEW}."
    return [below, verdict, unjudged] if silent else [below, verdict]


def _pair_names(duels: Sequence[Duel], board: Board) -> str:
    pairs = (f"{board.titles[duel.column]} and {board.titles[duel.row]}" for duel in duels)
    return ", ".join(pairs)


def spoken(board: Board, measure: str) -> str:
    """A board in words: who is ahead, and how many pairs are told apart."""
    models = board.ranking(sorted(board.order, key=lambda model: board.ranks[model]))
    apart = sum(duel.apart for duel in board.duels)
    verdicts = f" {apart} of {len(board.duels)} pairs are told apart." if board.judged else ""
    return f"Pairs of models by {measure}, mean lead over the others: {models}.{verdicts}"


# ------------------------------------------------------------------------------------------- marks


def draw(grid: pl.DataFrame, entry: Entry, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the board."""
    board = read_board(grid, entry)
    models = [board.titles[model] for model in board.order]
    palette = entry.palette or (colour.SIGNED if board.mixed else colour.USUAL)
    end = board.furthest or 1.0
    low = -end if board.mixed or colour.is_diverging(palette) else 0.0
    bar = Bar("mean difference", scales.scale((low, end), colour.palette(palette)))
    longest = widest((duel.lead_text(board.number) for duel in board.duels), theme.SMALL)
    plan = plan_board(models, entry, longest, bar.room + bars.GAP)
    printed = dict(zip(models, plan.names, strict=True))
    parts = [*notes, *meanings(board, entry, plan.full), *names.shared_words(printed)]
    lines = sheet.lines(parts, [], plan.sheet.text) if entry.footer else []
    omitted = wording.names_cut(names.cut_names(printed))
    omitted += wording.beyond_page(plan.sheet.tall(lines), entry, "fewer `models`")
    chart = _figure(board, plan, bar, entry, lines)
    return spec.with_panels(spec.with_omitted(chart, omitted), boxes(board, plan))


def boxes(board: Board, plan: Plan) -> list[list[float]]:
    """Where cells can be opened: the squares, then the densities, if there are any."""
    side = _round(plan.side)
    corners = [
        (board.places[d.column] * plan.step, board.places[d.row] * plan.step) for d in board.duels
    ]
    squares = [[_round(x), _round(y), side, side] for x, y in corners]
    return [*squares, *(_density_boxes(board, plan) if plan.full else [])]


def _density_boxes(board: Board, plan: Plan) -> list[list[float]]:
    """Left, top, width and height of the densities, in the order of the board's pairs."""
    pad = plan.side * INSET
    inner = plan.side - 2 * pad
    corners = [
        (board.places[d.row] * plan.step, board.places[d.column] * plan.step) for d in board.duels
    ]
    return [[_round(at) for at in (x + pad, y + pad, inner, inner)] for x, y in corners]


def _figure(
    board: Board, plan: Plan, bar: Bar, entry: Entry, lines: Sequence[str]
) -> alt.TopLevelConcatSpec:
    data: dict[str, Sequence[Row]] = {
        "squares": [_square(d, board, plan, bar) for d in board.duels]
    }
    layers = [*_square_marks(plan), *_names(board, plan, data, entry.title)]
    if plan.full:
        layers += _densities(board, plan, data, entry)
    layers.append(_answers("squares", plan, SQUARE_PLACES, SQUARE_FACTS))
    if plan.full:
        layers.append(_answers("bins", plan, BIN_PLACES, BIN_FACTS))
    charts: list[Any] = [alt.LayerChart(layer=layers, width=plan.reach, height=plan.reach)]
    if not plan.digits:
        at = plan.right - plan.bar if plan.right >= plan.bar else -plan.bar
        charts.append(bars.chart(bar, "colours", BAR, 1, 5.0, plan.reach, at + bars.GAP))
        data["colours"] = bars.slices(bar, BAR)
    return plan.sheet.assemble([charts], data, lines, spoken(board, entry.axis))


def _square(duel: Duel, board: Board, plan: Plan, bar: Bar) -> Row:
    """What is drawn of a pair below the diagonal, and what it answers."""
    x, y = (board.places[model] * plan.step for model in (duel.column, duel.row))
    told = duel.apart or not duel.judged
    fill = bar.scale.drawn(duel.lead) if told else "#ffffff"
    won, ties, lost = duel.tallies
    return {
        "x": _round(x),
        "x2": _round(x + plan.side),
        "y": _round(y),
        "y2": _round(y + plan.side),
        "fill": fill,
        "ink": colour.ink(fill),
        "told": told,
        "bold": duel.apart,
        "number": duel.lead_text(board.number),
        "tally": f"{won}{BETWEEN}{lost}" if duel.judged else "",
        "column": board.titles[duel.column],
        "row": board.titles[duel.row],
        "lead": duel.lead_text(),
        "between": duel.between,
        "verdict": duel.verdict,
        "won": won,
        "ties": ties,
        "lost": lost,
    }


def _square_marks(plan: Plan) -> list[alt.Chart]:
    """Squares and what stands in them: dashed and white where there is no difference to tell."""
    box = _position(plan, "x", "x2", "y", "y2")
    filled = _rows("squares").transform_filter("datum.told").mark_rect(aria=False)
    hollow = _rows("squares").transform_filter("!datum.told")
    edge = DASH if plan.full else HAIRLINE
    marks = [
        filled.encode(*box, alt.Fill("fill:N", scale=None)),
        hollow.mark_rect(aria=False, fill="#ffffff", **edge).encode(*box),
    ]

    def written(base: alt.Chart, field: str, size: float, lower: float, weight: Any) -> alt.Chart:
        text = base.mark_text(
            aria=False, fontSize=size, fontWeight=weight, baseline="middle", align="center",
            xOffset=plan.side / 2, yOffset=plan.side / 2 + lower,
        )  # fmt: skip
        at, ink = _position(plan, "x", "y"), alt.Color("ink:N", scale=None)
        chart: alt.Chart = text.encode(*at, alt.Text(f"{field}:N"), ink)
        return chart

    if plan.digits:
        small = max(min(theme.VALUE, plan.side * 0.32), theme.SMALL)
        size = min(NUMBER, plan.side * 0.32) if plan.full else small
        lift = -size * 0.32 if plan.full else 0.0
        for test, weight in (("datum.bold", "bold"), ("!datum.bold", "normal")):
            base = _rows("squares").transform_filter(test)
            marks.append(written(base, "number", size, lift, weight))
        if plan.full:
            below = _rows("squares")
            marks.append(written(below, "tally", theme.SMALL + 0.2, size * 0.75, "normal"))
    return marks


def _names(board: Board, plan: Plan, data: dict[str, Sequence[Row]], title: str) -> list[alt.Chart]:
    """Names of rows with their mean leads, of columns, ranks on the diagonal, and the title."""
    rows: list[Row] = []
    leads: list[Row] = []
    ranks: list[Row] = []
    columns: list[Row] = []
    high = theme.line_height(plan.name)
    for n, model in enumerate(board.order):
        middle = n * plan.step + plan.side / 2
        lead = Digits(board.number).value(board.leads[model])
        lines = plan.rows[n]
        if plan.full:
            first = middle - (high * len(lines) + theme.line_height(theme.SMALL) - high) / 2
            rows += [_word(-PAD, first + high * k, line) for k, line in enumerate(lines)]
            leads.append(_word(-PAD, first + high * len(lines) - 0.5, f"{lead} on average"))
        else:
            name_at = -PAD - widest(["+0.000"], theme.SMALL) - LEAD
            rows.append(_word(name_at, middle, lines[0]))
            leads.append(_word(-PAD, middle, lead))
        ranks.append(_word(middle, middle, str(board.ranks[model])))
        # Above the board, or on the diagonal where nothing stands above it.
        top = 0.0 if plan.full else n * plan.step
        for k, line in enumerate(plan.columns[n][::-1]):
            up = LIFT if plan.angle else LIFT + plan.name / 2 - 1.0 + high * k
            columns.append(_word(middle, top - up, line))
    data |= {"rows": rows, "leads": leads, "ranks": ranks, "columns": columns}

    def written(name: str, **look: Any) -> alt.Chart:
        text = _rows(name).mark_text(baseline="middle", aria=False, **look)
        chart: alt.Chart = text.encode(*_position(plan, "x", "y"), alt.Text("text:N"))
        return chart

    turned = {"align": "left", "angle": plan.angle % 360} if plan.angle else {"align": "center"}
    weight = "bold" if plan.full else "normal"
    marks = [
        written("rows", fontSize=plan.name, fontWeight=weight, align="right"),
        written("leads", fontSize=theme.SMALL, color=theme.QUIET, align="right"),
        written("columns", fontSize=plan.name, **turned),
    ]
    small = min(11.0, plan.side * 0.7)
    if small >= theme.SMALL:
        marks.append(written("ranks", fontSize=small, color=RANK, align="center"))
    if title:
        lift = plan.above - theme.line_height(TITLE) + 2.0
        marks.append(sheet.title([title], -plan.left, lift, "left", TITLE, fontWeight=600))
    return marks


def _densities(
    board: Board, plan: Plan, data: dict[str, Sequence[Row]], entry: Entry
) -> list[alt.Chart]:
    """Above the diagonal: frames, bins, lines of parity; of verdicts their numbers instead."""
    greys = PALE if board.verdicts else GREYS
    domain = (1.0, float(max(board.fullest, 2)))
    shades = scales.scale(domain, greys, entry.count_scale(board.verdicts))
    boxes = _density_boxes(board, plan)
    data["frames"] = [
        {"x": x, "x2": _round(x + side), "y": _round(y + side), "y2": y} for x, y, side, _ in boxes
    ]
    data["bins"] = [
        _bin(row, duel, board, box, shades.drawn(row["samples"]))
        for duel, box in zip(board.duels, boxes, strict=True)
        for row in duel.bins
    ]
    corners, pad = _position(plan, "x", "x2", "y", "y2"), plan.side * INSET
    frame = _rows("frames").mark_rect(
        aria=False, fill="#ffffff", xOffset=-pad, x2Offset=pad, yOffset=pad, y2Offset=-pad, **FRAME
    )
    filled = _rows("bins").mark_rect(aria=False)
    marks = [frame.encode(*corners), filled.encode(*corners, alt.Fill("fill:N", scale=None))]
    if not board.verdicts:
        lines = (_rows("frames").mark_rule(aria=False, **look) for look in PARITY)
        return [*marks, *(line.encode(*corners) for line in lines)]
    quarter = plan.side * (1 - 2 * INSET) / 4
    numbers = _rows("bins").mark_text(
        aria=False, fontSize=max(min(theme.VALUE, quarter), theme.SMALL), color=theme.INK,
        baseline="middle", align="center", xOffset=quarter, yOffset=quarter,
    )  # fmt: skip
    text = alt.Text("samples:Q", format=",")
    return [*marks, numbers.encode(*_position(plan, "x", "y"), text)]


def _bin(row: Row, duel: Duel, board: Board, box: Sequence[float], fill: str) -> Row:
    """Where a bin lies, and what it answers: of the model of its column and of that of its row."""
    left, top, side, _ = box
    ends = {
        "x": left + row["x0"] * side,
        "x2": left + row["x1"] * side,
        "y": top + (1 - row["y1"]) * side,
        "y2": top + (1 - row["y0"]) * side,
    }
    return {name: _round(at) for name, at in ends.items()} | {
        "fill": fill,
        "column": f"{board.titles[duel.row]} {words.span(row['x0'], row['x1'])}",
        "row": f"{board.titles[duel.column]} {words.span(row['y0'], row['y1'])}",
        "samples": row["samples"],
        "lead": show(row["difference"], words.SIGNED),
    }


def _answers(
    data: str, plan: Plan, places: Mapping[str, str], facts: Mapping[str, str]
) -> alt.Chart:
    base = _rows(data).encode(*_position(plan, "x", "x2", "y", "y2"))
    return spec.layer(base, places, facts)


def _word(x: float, y: float, text: str) -> Row:
    return {"x": _round(x), "y": _round(y), "text": text}


def _round(value: float) -> float:
    """A place in pt, without the digits that none can see."""
    return float(f"{value:.6g}")


def _rows(data: str) -> alt.Chart:
    """A chart of one of the figure's data sets."""
    return alt.Chart(alt.NamedData(data))


def _position(plan: Plan, *fields: str) -> list[Any]:
    """Channels of places in pt, from the upper left corner of the board."""
    scale = alt.Scale(domain=[0, plan.reach], range=[0, plan.reach], nice=False, zero=False)
    channels = {"x": alt.X, "y": alt.Y, "x2": alt.X2, "y2": alt.Y2}
    return [
        channels[field](f"{field}:Q", **({} if "2" in field else {"scale": scale, "axis": None}))
        for field in fields
    ]
