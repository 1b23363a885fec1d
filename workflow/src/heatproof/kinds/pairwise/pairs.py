"""The pairs of a grid: how two models compare, and all as a board; CSV, LaTeX, table, caption."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units
from heatproof.charts.sheet import LIKE
from heatproof.kinds import picture as pictures
from heatproof.kinds import states
from heatproof.kinds.picture import NONE, Latex, Table, TableRow, escape, tex_line
from heatproof.kinds.printed_values import Exact, PrintedCell, PrintedFigure
from heatproof.kinds.question import AGAINST
from heatproof.util import numerals
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.spec import Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.picture import Picture

SIGNED = "+.3f"
RATE = ".1f"  # of win rates in percent
BIN_FACTS = {"Instances": "format(datum.samples, ',')", "Mean of x − y": "datum.lead"}
"""What a bin answers in the figure: title → expression of its text."""
INTERVAL = "95 % interval, all pairs together"
DIFFERENCE = "Mean of x − y"
WON = "Won by x (%), ties half"
VERDICTS = 2  # bins along an axis where all values are 0 or 1
MOST = 10  # models up to which a board has densities above the diagonal
SAME = 1e-9  # two mean leads closer than this are equal


class Bin(NamedTuple):
    """A part of the unit square, as the grid has it: how many instances lie there."""

    x0: float
    x1: float
    y0: float
    y1: float
    samples: int
    difference: float | None  # the mean of x − y; None where it is empty

    @property
    def x_span(self) -> str:
        """Its edges along x, as text."""
        return bin_edges(self.x0, self.x1)

    @property
    def y_span(self) -> str:
        return bin_edges(self.y0, self.y1)

    @property
    def lead(self) -> str:
        """The mean difference, as text; empty where there is none."""
        if self.difference is None:
            return ""
        return show(self.difference, SIGNED)

    def data(self) -> Datum:
        """A row of a data set, with its edges and its lead in words."""
        texts = {"x_span": self.x_span, "y_span": self.y_span, "lead": self.lead}
        return self._asdict() | texts


@dataclass(frozen=True)
class Pair:
    """Two models on the instances that both have."""

    x: str
    y: str
    n: int
    wins: int  # instances on which x is ahead
    ties: int
    losses: int
    units: int  # problems, or families, that the interval is of
    value: float
    """What is printed: the mean of x − y, or the share that x wins, ties counted half."""
    low: float | None
    high: float | None  # its interval, which holds for all pairs together
    doubt: str | None  # the code of why it has no interval
    rate: bool  # whether it is the share that x wins
    bins: list[Bin]  # row by row from below

    @property
    def judged(self) -> bool:
        """Whether it is known which instances were solved."""
        return self.doubt != states.MADE_UP

    @property
    def fewer(self) -> int:
        """Problems, or families, where these are fewer than instances; else 0."""
        if self.units == self.n:
            return 0
        return self.units

    @property
    def number(self) -> float:
        """What is printed, in the unit in which it is: rates in percent."""
        return self.value * (100 if self.rate else 1)

    @property
    def equal(self) -> float:
        """The value of two models of which none is ahead."""
        return 0.5 if self.rate else 0.0

    @property
    def lead(self) -> float:
        """The mean of x − y; of rates, the percentage beyond 50."""
        return (self.value - self.equal) * (100 if self.rate else 1)

    @property
    def apart(self) -> bool:
        """Whether the interval leaves out the value of equal models."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.equal or self.high < self.equal

    @property
    def why(self) -> str:
        """Why a win rate has no interval; empty where it has one."""
        if self.doubt == states.EQUAL_MEANS:
            return states.DOUBTS[states.EQUAL_MEANS]
        return ""

    @property
    def verdict(self) -> str:
        if not self.judged:
            return ""
        if self.apart:
            return "can be told apart"
        if self.why:
            return f"cannot be told apart: {self.why}"
        return "cannot be told apart"

    def texts(self, spec: str = "") -> list[str]:
        """What is printed, with the ends of its interval, if it has one."""
        scale = 100 if self.rate else 1
        digits = Digits(RATE if self.rate else spec or SIGNED)
        value = self.number
        if self.low is None or self.high is None:
            return [digits.value(value)]
        error = (self.high - self.low) * scale / 4
        ends = (digits.end(end * scale, value, error) for end in (self.low, self.high))
        return [digits.value(value, error), *ends]

    @property
    def between(self) -> str:
        """The interval; empty where there is none."""
        return " to ".join(self.texts()[1:])

    @property
    def tallies(self) -> list[str]:
        """Won, equal and lost instances; empty where these are made up."""
        if not self.judged:
            return ["", "", ""]
        return [f"{count:,}" for count in (self.wins, self.ties, self.losses)]


def fullest_bin(pairs: Sequence[Pair]) -> int:
    """How many instances lie in the bin with the most of them."""
    samples: list[int] = []
    for pair in pairs:
        samples += [bin_.samples for bin_ in pair.bins]
    return max(samples)


def read_pairs(grid: Grid, entry: Entry) -> list[Pair]:
    """The pairs (0, 1), (0, 2), (1, 2), (0, 3) and so on of the models."""
    models = list(entry.values)
    pairs = read_all(grid, entry)
    ordered = []
    for number, y in enumerate(models):
        ordered += [pairs[x, y] for x in models[:number]]
    return ordered


def read_all(grid: Grid, entry: Entry) -> dict[tuple[str, str], Pair]:
    """Two models, in either order → how the first compares with the second."""
    pairs = {}
    with_bins = grid.drop_nulls("bin_samples")
    for row in with_bins.iter_rows(named=True):
        x, y = str(row["y"]), str(row["x"])
        bins = _read_bins(row["bin_samples"], row["bin_leads"])
        fields: list[Any] = [row[name] for name in FIELDS]
        pairs[x, y] = Pair(*[x, y, *fields, entry.win_rates, bins])
    return pairs


FIELDS = ("samples", "wins", "ties", "losses", "units", "value", "low", "high", "unjudged")
"""Columns of the grid on a pair, in the order of `Pair`."""


def _read_bins(counts: Sequence[int], leads: Sequence[float | None]) -> list[Bin]:
    """The bins of a pair, row by row from below."""
    size = math.isqrt(len(counts))
    bins = []
    for number, (count, lead) in enumerate(zip(counts, leads, strict=True)):
        row, column = divmod(number, size)
        edges = column / size, (column + 1) / size, row / size, (row + 1) / size
        bins.append(Bin(*edges, count, lead))
    return bins


def across(grid: Grid) -> int:
    """How many bins the grid has along each axis."""
    return math.isqrt(int(grid["bin_samples"].list.len().max()))  # type: ignore[arg-type]


def are_verdicts(grid: Grid, entry: Entry) -> bool:
    """Whether each instance is right or wrong: two bins along each axis."""
    return entry.bins is None and across(grid) == VERDICTS


def bin_edges(low: float, high: float) -> str:
    """The edges of a bin, as text."""
    return f"{show(low, '.3~g')} to {show(high, '.3~g')}"


@dataclass(frozen=True)
class Board:
    """All pairs of models, of which x is the column and y the row below it."""

    titles: Mapping[str, str]  # model, in the order of rows → what the figure calls it
    leads: Mapping[str, float]  # model → the mean of its leads over each of the others
    pairs: list[Pair]  # column by column of the lower triangle
    turned: list[Pair]  # the same with x as y, of which y is the column
    verdicts: bool  # see `are_verdicts`
    center: float | None  # of win rates 50, which is added to leads

    @property
    def judged(self) -> bool:
        return any(pair.judged for pair in self.pairs)

    @property
    def fullest(self) -> int:
        return fullest_bin(self.pairs)

    @property
    def number(self) -> str:
        """The format of all differences: two digits of the largest, at least two places."""
        if self.center is not None:
            return RATE
        largest = max(abs(pair.lead) for pair in self.pairs)
        places = 2
        if largest:
            places = min(max(1 - math.floor(math.log10(largest)), 2), 4)
        return f"+.{places}f"

    def rank(self, model: str) -> int:
        """1 for the model with the highest mean lead; equal ones share a rank."""
        model_lead = self.leads[model]
        least = model_lead + SAME
        return 1 + sum(lead > least for lead in self.leads.values())

    def ranking(self, order: Sequence[str]) -> str:
        texts = [f"{self.titles[model]} {self.lead(model)}" for model in order]
        return ", ".join(texts)

    def lead(self, model: str) -> str:
        """The mean lead of a model, or its mean win rate, as text."""
        lead = self.leads[model]
        if self.center is None:
            return Digits(self.number).value(lead)
        return show(50 + lead, RATE)


def read_board(grid: Grid, entry: Entry) -> Board:
    """The models of a grid in order of their mean lead, or as configured, and all pairs."""
    both = read_all(grid, entry)
    titles = entry.titles
    leads: dict[str, list[float]] = {name: [] for name in titles}
    for pair in both.values():
        leads[pair.x].append(pair.lead)
    means = {name: sum(values) / len(values) for name, values in leads.items()}
    order = list(titles)
    if entry.sort != "config":
        order.sort(key=lambda name: -round(means[name], 12))
    place = {name: number for number, name in enumerate(order)}
    below = [(x, y) for x, y in product(order, order) if place[x] < place[y]]
    center = 50.0 if entry.win_rates else None
    ordered_titles = {name: titles[name] for name in order}
    pairs_below = [both[x, y] for x, y in below]
    turned = [both[y, x] for x, y in below]
    return Board(ordered_titles, means, pairs_below, turned, are_verdicts(grid, entry), center)


# ------------------------------------------------------------------------------ outside the figure

COUNTS = {
    "x": "$x$", "y": "$y$", "instances": "$n$",
    "x ahead": "$x$ ahead", "equal": "equal", "y ahead": "$y$ ahead",
}  # fmt: skip
MEANS, RATES = {"mean x − y": "mean $x - y$"}, {"won by x (%)": r"won by $x$ (\%)"}
INTERVALS = {"95 % interval (all pairs)": r"95\,\%"}
NAMED = 12  # pairs that a caption names, at most


def csv(grid: Grid, entry: Entry) -> str:
    """The bins of all pairs, each with the numbers of its pair and their unit."""
    rows = []
    for pair in read_pairs(grid, entry):
        numbers: Datum = {entry.compare: pair.x, AGAINST: pair.y, "pair_n": pair.n}
        numbers |= {name: getattr(pair, field) for name, field in NUMBERS.items()}
        rows += [bin_._asdict() | numbers for bin_ in pair.bins]
    unit = pl.lit(entry.rescaled or units.SHARE)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    with_unit = frame.with_columns(value_unit=unit)
    return pictures.grid_csv(with_unit)


NUMBERS = {
    "wins": "wins", "ties": "ties", "losses": "losses", "units": "units", "doubt": "doubt",
    "pair_value": "value", "pair_low": "low", "pair_high": "high",
}  # fmt: skip
"""Column of the CSV, of which each row is a bin → field of its pair."""


def latex(grid: Grid, entry: Entry, _: Picture, note: str = "") -> str:
    """A row per pair of models."""
    rows, several = _pair_rows(grid, entry, "", NONE)
    heads = _pair_heads(entry)
    head = list(heads.values())
    over = ""
    if several:
        head.append(entry.units)
        over = f", over {entry.units}"
    meanings = []
    if entry.win_rates:
        meanings.append(f"won: percent of the {entry.question.instances}, ties counted half")
    joint = "95 %: intervals that hold for all pairs together"
    meanings.append(f"{joint} (Bonferroni, paired t){over}{LIKE}")
    if entry.rescaled:
        meanings.append(f"{entry.measure}: {entry.rescaled}")
    tex = [tex_line(list(map(escape, row))) for row in rows]
    columns = "ll".ljust(len(head), "r")
    return Latex(columns=columns, head=[tex_line(head)], parts={"": tex}, meanings=meanings).text(
        note
    )


def _pair_heads(entry: Entry) -> dict[str, str]:
    """Heads of the page's table → of LaTeX."""
    return COUNTS | (RATES if entry.win_rates else MEANS) | INTERVALS


def table(grid: Grid, entry: Entry, _: Picture) -> Table:
    """Who is ahead how often, and by how much."""
    rows, several = _pair_rows(grid, entry, ",", "–")
    columns = list(_pair_heads(entry))
    if several:
        columns.append(f"{entry.units} tested")
    return Table(
        columns=columns,
        texts=2,
        rows=[TableRow(tuple(row)) for row in rows],
        n=_instance_words(grid),
        details=list(filter(None, details(grid, entry))),
    )


def printed_values(grid: Grid, entry: Entry) -> PrintedFigure:
    """The number of each pair, both ways round."""
    titles = entry.titles
    figure = PrintedFigure(
        title=entry.title or "",
        metrics=[entry.measure],
        percent=entry.win_rates,
        columns={entry.compare: "x", AGAINST: "y"},
    )
    for pair in read_all(grid, entry).values():
        value, low, high = (pair.texts() + ["", ""])[:3]
        exact = Exact(value=pair.number, n=pair.n)
        if pair.low is not None and pair.high is not None:
            scale = 100 if pair.rate else 1
            exact = Exact(pair.number, None, pair.low * scale, pair.high * scale, pair.n)
        cell = PrintedCell(
            address={entry.compare: pair.x, AGAINST: pair.y},
            names={entry.compare: titles[pair.x], AGAINST: titles[pair.y]},
            value=value if pair.judged else "",
            interval=pair.between,
            low=low,
            high=high,
            n=f"{pair.n:,}",
            verdict=pair.verdict or "not judged",
            exact=exact,
        )
        if pair.verdict:
            cell.standing = "differs" if pair.apart else "alike"
        figure.add(cell)
    return figure


def _instance_words(grid: Grid) -> str:
    pairs = grid.drop_nulls("bin_samples")
    return f"{numerals.spanned(pairs['samples'], 'instances')} per pair"


def _pair_rows(grid: Grid, entry: Entry, thousands: str, none: str) -> tuple[list[list[str]], bool]:
    """The texts of each pair, `none` where there is no number; and whether units are fewer."""
    titles = entry.titles
    pairs = read_pairs(grid, entry)
    rows = []
    several = any(pair.fewer for pair in pairs)
    for pair in pairs:
        texts = [titles[pair.x], titles[pair.y]]
        texts += [f"{n:{thousands}}" for n in (pair.n, pair.wins, pair.ties, pair.losses)]
        texts.append(pair.texts()[0] if pair.judged else none)
        texts.append(pair.between or none)
        if several:
            texts.append(f"{pair.units:,}" if pair.judged else none)
        rows.append(texts)
    return rows, several


def caption(grid: Grid, entry: Entry, _: Picture) -> list[str]:
    """What is shown, of how many instances, and how the models of each pair compare, if short."""
    start = [entry.shows()] + pictures.where_words(entry) + [_instance_words(grid)]
    sentences = details(grid, entry)
    return pictures.brief(start + sentences, start + sentences[:-1])


def details(grid: Grid, entry: Entry) -> list[str]:
    """How the numbers are made; the last sentence compares the models of each pair."""
    if entry.board:
        board = read_board(grid, entry)
        return list(_board_words(board, entry))
    rescaled = ""
    if entry.rescaled:
        rescaled = f" ({entry.rescaled})"
    words = (
        f"Mean differences{rescaled} over {entry.units}, with intervals that hold for all "
        f"pairs together (95\u00a0%, paired t, Bonferroni{LIKE})"
    )
    sentences = [_pair_words(pair, entry.titles) for pair in read_pairs(grid, entry)]
    return [words, "; ".join(sentences)]


def _pair_words(pair: Pair, titles: Mapping[str, str]) -> str:
    """The mean difference of a pair, with its interval."""
    mean = ""
    if pair.judged:
        mean = pair.texts()[0]
    within = pair.between or pair.why
    words = f"{titles[pair.x]} − {titles[pair.y]}: {mean}"
    if within:
        return f"{words} ({within})"
    return words


def _board_words(board: Board, entry: Entry) -> Iterator[str]:
    """What a board shows, how many pairs can be told apart, and which cannot."""
    measure = entry.axis.lower()
    mean = "mean lead over"
    shows = f"mean {measure} of column − row"
    if entry.win_rates:
        mean = "mean win rate against"
        instances = entry.question.instances
        shows = f"percent of the {instances} won by the column, by {measure}, ties counted half"
    order = f"by their {mean} the others"
    if entry.sort == "config":
        order = "as configured"
    models = list(board.titles)
    ranking = board.ranking(models)
    yield f"Below the diagonal: {shows}; models are sorted {order}: {ranking}."
    if not board.judged:
        yield ""
        return
    alike = [pair for pair in board.pairs if not (pair.apart or pair.why)]
    silent = [pair for pair in board.pairs if pair.why]
    count = len(board.pairs)
    test = (
        f"{'50' if entry.win_rates else 'zero'} lies outside their interval, which holds for all "
        f"pairs together: 95\u00a0%, paired t over {entry.units}, Bonferroni{LIKE}"
    )
    yield f"{count - len(alike) - len(silent)} of {count} pairs can be told apart ({test})."
    if silent:
        which = ""
        if len(silent) <= NAMED:
            names = _pair_names(silent, board)
            which = f" ({names})"
        yield f"{len(silent)} of {count} pairs{which}: {states.DOUBTS[states.EQUAL_MEANS]}."
    if alike:
        yield f"Cannot be told apart: {_pair_names(alike, board)}"


def _pair_names(pairs: Sequence[Pair], board: Board) -> str:
    titles = board.titles
    return ", ".join(f"{titles[pair.x]} and {titles[pair.y]}" for pair in pairs)
