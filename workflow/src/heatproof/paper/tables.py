"""Tables of a manuscript beside figures, cell by cell.

What stands above a number and left of it, and the caption, name its cell. Columns that nothing
names have the values with which most numbers agree. Only where most do, others contradict the
figure; a table that names the settings of a figure and has other numbers is asked about.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from heatproof.paper import vocabulary
from heatproof.paper.findings import Finding, finding
from heatproof.paper.quotes import Quote, differs, facts_words
from heatproof.paper.sources import CITED
from heatproof.paper.typed_numbers import NUMBER, Number, Role, read_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.paper.names import FigureCell, FigureNames, Values
    from heatproof.paper.sources import Piece, SourceTable

TITLES: Mapping[Role, re.Pattern[str]] = {
    "error": re.compile(r"±|\bs\.?e\.?m?\.?\b|std|stderr|error|\bsd\b|ci\b", re.IGNORECASE),
    "count": re.compile(
        r"^\W*(n|#.*|problems?|samples?|questions?|size|items?)\W*$", re.IGNORECASE
    ),
    "difference": re.compile(r"Δ|\bdiff|\bgain|improve|delta|\bdrop", re.IGNORECASE),
    "mean": re.compile(r"\bav(era)?g(e)?\b\.?|\bmean\b|overall|macro", re.IGNORECASE),
    "other": re.compile(
        r"time|latenc|second|memory|tokens/s|speed|\bGB\b|\bMB\b|\bms\b|flops|params|cost|length|rank",
        re.IGNORECASE,
    ),
}
"""What a label says of numbers that are no values."""
VALUED = re.compile("accuracy|pass@|score|%", re.IGNORECASE)
BARE = re.compile(rf"\W{{0,3}}{NUMBER.pattern}")
FEWEST = 3  # numbers that agree, where a table shows a figure
ROUND = {"1.0", "1.00", "100", "100.0", "10", "50"}
"""Numbers that agree by chance."""
MOSTLY = 2 / 3
NEAR = 0.5  # of a value: how far numbers of an older build lie from it


class Entry(NamedTuple):
    """A number of a table, and what its labels say of it."""

    row: int
    piece: Piece
    number: Number
    role: Role
    place: Values
    foreign: bool


@dataclass
class Reading:
    """A table read as numbers of a figure."""

    names: FigureNames
    quotes: list[Quote]
    is_named: bool  # whether labels and caption name all columns

    def __post_init__(self) -> None:
        self.values = [quote for quote in self.quotes if quote.role == "value"]
        self.wrong = [quote for quote in self.values if not quote.fits]
        self.right = len(self.values) - len(self.wrong)
        self.stale = [quote for quote in self.wrong if quote.stale_id]

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """Which of several readings is taken: most numbers agree, or labels name all columns."""
        agreeing = self.right + len(self.stale)
        agrees = agreeing >= FEWEST and 2 * agreeing >= len(self.values)
        return agrees, self.is_named, agreeing, len(self.values)

    @property
    def is_shown(self) -> bool:
        """Whether it shows the figure, or a former build: most numbers agree, not by chance."""
        if self.is_named and not self.wrong:
            return True
        agreeing = [quote for quote in self.values if quote not in self.wrong] + self.stale
        texts = {quote.number.text for quote in agreeing}
        telling = {text for text in texts - ROUND if len(text.lstrip("+-−0.")) > 1}
        return len(telling) >= FEWEST and len(agreeing) >= MOSTLY * len(self.values)


def check_table(table: SourceTable, figures: Sequence[FigureNames]) -> tuple[int, list[Finding]]:
    """How many numbers of a table are those of a figure, and what is wrong with others."""
    columns = set(chain.from_iterable(names.mentions(table.caption) for names in figures))
    readings = []
    for names in figures:
        entries = []
        if columns <= names.values.keys():
            entries = _entries(table, names)
        if entries:
            reading = _read(names, entries)
            readings.append(reading)
    best = max(readings, key=lambda reading: reading.rank, default=None)
    if best is None:
        return 0, []
    if best.is_shown:
        return best.right, list(_mismatches(best))
    is_variant = vocabulary.VARIANT.search(table.caption) is not None
    is_other = is_variant or not best.is_named or len(best.values) < FEWEST
    if is_other or not best.wrong or not _is_near(best.wrong):
        return 0, []
    return 0, [_question(table, best)]


def _mismatches(reading: Reading) -> Iterator[Finding]:
    """The numbers that are not those of their cells; they contradict where most of a sort fit."""
    tried: dict[Role, list[bool]] = {}
    for quote in reading.quotes:
        tried.setdefault(quote.role, []).append(quote.fits)
    is_rounded = any(quote.is_whole and quote.fits for quote in reading.values)
    for quote in reading.quotes:
        outcomes = tried[quote.role]
        is_firm = quote.role != "mean" and 2 * sum(outcomes) >= len(outcomes)
        is_firm = is_firm and (is_rounded or not quote.is_whole)
        is_firm = is_firm or quote in reading.stale
        if quote.role == "difference" and len(quote.cells) > 2:
            is_firm = False
        if not quote.fits:
            yield differs(quote, is_firm=is_firm)


def _is_near(quotes: Sequence[Quote]) -> bool:
    """Whether numbers are such as another build of the figure would have."""
    close = 0
    for quote in quotes:
        value = quote.cells[0].exact.value or 0.0
        close += abs(quote.number.value - value) <= NEAR * abs(value)
    return close >= MOSTLY * len(quotes)


def _question(table: SourceTable, reading: Reading) -> Finding:
    """A table with the labels of a figure and other numbers: it is older, or of something else."""
    first = reading.wrong[0]
    cell = first.cells[0]
    why = f"it names the settings of {cell.figure_name}, where {len(reading.wrong)} are others, "
    why += f"such as {facts_words([cell], 'value')} for {first.number.text}"
    return finding(
        "question", table.place, f"a table of {len(reading.values)} numbers", why,
        prints=cell.value, command=cell.command,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------- cells


def _read(names: FigureNames, entries: Sequence[Entry]) -> Reading:
    """A table with the cells of its numbers; what no label names is as most numbers have it."""
    values = [entry for entry in entries if entry.role == "value"]
    labelled = set(chain.from_iterable(entry.place for entry in values))
    varied = {column for column, forms in names.values.items() if len(forms) > 1}
    unknown = sorted(varied - labelled)
    agreeing: Counter[tuple[str, ...]] = Counter()
    for entry in values:
        is_told = entry.place and varied <= entry.place.keys() | set(unknown)
        for cell in _cells(names, entry.place) if is_told else ():
            if Quote(entry.piece, entry.number, "value", [cell]).fits:
                agreeing[tuple(cell.address[column] for column in unknown)] += 1
    assumed: Values = {}
    for commonest, _ in agreeing.most_common(1):
        assumed = dict(zip(unknown, commonest, strict=True))
    is_named = not unknown and labelled >= names.values.keys() & {"model"}
    return Reading(names, list(_quotes(names, entries, assumed)), is_named)


def _cells(names: FigureNames, place: Values) -> Sequence[FigureCell]:
    return names.select({column: [value] for column, value in place.items()})


def _quotes(names: FigureNames, entries: Sequence[Entry], assumed: Values) -> Iterator[Quote]:
    """The numbers with the one cell of each; counts, differences and means with their row's."""
    rows: dict[int, list[FigureCell]] = {}
    summed = list[Entry]()
    for entry in entries:
        if entry.role in ("count", "difference", "mean"):
            summed.append(entry)
            continue
        cells = _cells(names, assumed | entry.place)
        if entry.role == "other" or len(cells) != 1 or cells[0].exact.value is None:
            continue
        yield Quote(entry.piece, entry.number, entry.role, cells, entry.foreign)
        if entry.role == "value":
            rows.setdefault(entry.row, []).append(cells[0])
    for entry in summed:
        cells = rows.get(entry.row, [])
        fewest = 2
        if entry.role == "count":
            cells = [cell for cell in cells if cell.exact.n is not None]
            fewest = 1
        if len(cells) >= fewest:
            yield Quote(entry.piece, entry.number, entry.role, cells, entry.foreign)


# --------------------------------------------------------------------------------------- labels


class Head(NamedTuple):
    """What labels say of a number: its cell, its sort, and whether it may be of somebody else."""

    place: Values
    role: Role | None = None
    foreign: bool = False

    def with_inner(self, inner: Head) -> Head:
        """The same with a label that stands nearer to the number."""
        return Head(
            self.place | inner.place, inner.role or self.role, self.foreign or inner.foreign
        )


UNSAID = Head({})


def _entries(table: SourceTable, names: FigureNames) -> list[Entry]:
    """The numbers of a table, with what the labels above them and left of them say."""
    rows = [_spread(row) for row in table.rows]
    labels = _labels(names, rows)
    caption_values = _caption_values(table.caption, names, labels)
    heads = [UNSAID for _ in rows[0]]
    last = [UNSAID for _ in rows[0]]  # label of each column
    entries = []
    for number, row in enumerate(rows):
        left = UNSAID
        for place, piece in enumerate(row):
            label = labels[number][place]
            if label:
                last[place] = label
                heads[place] = heads[place].with_inner(label)
            if label or not piece.text:
                left = left.with_inner(last[place])
                continue
            head = heads[place].with_inner(left)
            role = head.role or _caption_role(table.caption)
            foreign = head.foreign or CITED in piece.text
            place_values = caption_values | head.place
            for printed, kind in cell_numbers(piece.text, role):
                entries.append(Entry(number, piece, printed, kind, place_values, foreign))
    return entries


def _labels(names: FigureNames, rows: Sequence[Sequence[Piece]]) -> list[list[Head | None]]:
    """What the labels of a table say; None for numbers, and where nothing stands."""
    axes = [_axis(names, line, [line]) for line in zip(*rows, strict=True)]
    labels = []
    for number, row in enumerate(rows):
        row_axis = _axis(names, row, rows[: number + 1])
        line = list[Head | None]()
        for axis, piece in zip(axes, row, strict=True):
            label_axis = row_axis or axis
            is_label = piece.text and (label_axis or _is_label(piece, names))
            line.append(_label(names, piece.text, label_axis) if is_label else None)
        labels.append(line)
    return labels


def _caption_values(
    caption: str, names: FigureNames, labels: Sequence[Sequence[Head | None]]
) -> Values:
    """What a caption says of all numbers: nothing of columns of which labels name values."""
    labelled = set[str]()
    for label in chain.from_iterable(labels):
        if label:
            labelled.update(label.place)
    caption_values = {}
    for column, mentions in names.mentions(caption).items():
        values = {mention.value for mention in mentions}
        if len(values) == 1 and column not in labelled:
            caption_values[column] = values.pop()
    return caption_values


def _caption_role(caption: str) -> Role:
    """What the numbers of a table say, unless their labels do."""
    is_other = TITLES["other"].search(caption) and not VALUED.search(caption)
    return "other" if is_other else "value"


def _spread(row: Sequence[Piece]) -> Sequence[Piece]:
    """A row; one that holds one text alone says it of all below."""
    texts = [piece for piece in row if piece.text]
    if len(texts) == 1:
        return texts * len(row)
    return row


def _is_label(piece: Piece, names: FigureNames) -> bool:
    """Whether a cell of a table holds a name or words, rather than a number."""
    return not BARE.match(piece.text) or bool(names.mentions(piece.text))


def _axis(
    names: FigureNames, line: Sequence[Piece], around: Sequence[Sequence[Piece]]
) -> str | None:
    """The column of the figure whose values the bare numbers of a row or column are."""
    numbers = {piece.text for piece in line if not _is_label(piece, names)}
    columns = set[str]()
    if numbers:
        columns = set(names.numeric)
    for text in numbers:
        columns &= names.levels(text).keys()
    titles = set[str]()
    for row in around if columns else ():
        for piece in row:
            titles |= set(re.findall(r"[a-z]+", piece.text.casefold()))
    titled = [column for column in columns if not titles.isdisjoint(names.words[column])]
    listed = titled or (sorted(columns) if len(numbers) > 1 else [])
    if len(listed) == 1:
        return listed[0]
    return None


def _label(names: FigureNames, text: str, axis: str | None) -> Head:
    """What a label says; `axis`: the column of which it is a value, if it is a number."""
    levels = names.levels(text)
    if axis and axis in levels:
        return Head({axis: levels[axis]})
    place = names.label_values(text)
    foreign = CITED in text or vocabulary.FOREIGN.search(text) is not None
    if place:
        return Head(place, foreign=foreign or names.is_qualified(text))
    roles = [role for role, pattern in TITLES.items() if pattern.search(text)]
    return Head({}, roles[0] if roles else None, foreign)


def cell_numbers(text: str, role: Role) -> Iterator[tuple[Number, Role]]:
    """The numbers of a cell: `49.3 ± 3.1` has a value and an error, `[46.9, 52.9]` ends of it."""
    numbers = [n for n in read_numbers(text) if not vocabulary.UNIT.match(text, n.end)]
    for index, number in enumerate(numbers):
        before = text[: number.start].rstrip()
        if before.endswith("±"):
            yield number, "error"
        elif index and (before.endswith(("(", "[", ",", "–", "-", "/")) or role != "value"):
            yield number, "other"
        elif before.endswith(("+", "Δ", "↑", "↓")) or (index and number.sign):
            yield number, "difference"
        else:
            yield number, "other" if index else role
