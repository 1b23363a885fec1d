"""Tables of a manuscript beside figures: by their own head lines and first columns, cell by cell.

How many lines are heads, which lie along which column, and what no head names, is tried: the
reading in which most numbers are those of one figure is taken. Only where most are, others
contradict it; a table that names the settings of a figure and has other numbers is asked about.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple

from heatproof.paper import vocabulary
from heatproof.paper.findings import Finding, finding
from heatproof.paper.names import as_number, flat
from heatproof.paper.sources import CITED
from heatproof.paper.typed_numbers import (
    SHARE,
    TINY,
    Number,
    is_count,
    is_error,
    is_printed,
    read_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.printed_values import PrintedCell
    from heatproof.paper.names import FigureNames
    from heatproof.paper.sources import Piece, SourceTable

Role = Literal["value", "error", "count", "difference", "mean", "other"]
ROLES: Mapping[Role, re.Pattern[str]] = {
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
"""What the head of a column or row says of numbers that are no values."""
VALUED = re.compile("accuracy|pass@|score|%", re.IGNORECASE)
HEADS, FIRST = 4, 3  # rows and columns of heads at most
COMBINATIONS = 400  # of values of columns that no head names, at most
FEWEST = 3  # numbers that agree, where a table shows a figure
ROUND = ("1.0", "1.00", "100", "100.0", "10", "50")
"""Numbers that agree by chance."""
MOSTLY = 2 / 3
NEAR = 0.5  # of a value: how far numbers of an older build lie from it


class Head(NamedTuple):
    """What the heads of a row or column say of its numbers."""

    known: dict[str, str]  # column of the figure → value
    role: Role | None
    foreign: bool


class Entry(NamedTuple):
    """A number of a table, and the cell of the figure that its heads name."""

    row: int
    piece: Piece
    number: Number
    known: dict[str, str]
    role: Role
    foreign: bool


@dataclass
class Reading:
    """A table read as numbers of a figure."""

    names: FigureNames
    entries: list[Entry]
    assumed: dict[str, str] = field(default_factory=dict)  # what no head names
    right: int = 0
    named: bool = False  # whether heads and caption name everything

    def figure_cell(self, entry: Entry) -> PrintedCell | None:
        """The cell of the figure that an entry is."""
        return self.names.only(self.assumed | entry.known)

    def values(self) -> list[tuple[Entry, PrintedCell]]:
        """The entries that are values, each with its cell."""
        pairs = []
        for entry in self.entries:
            cell = self.figure_cell(entry) if entry.role == "value" else None
            if cell and cell.exact.value is not None:
                pairs.append((entry, cell))
        return pairs

    def is_right(self, entry: Entry, cell: PrintedCell) -> bool:
        """Whether an entry is the value of a cell."""
        return is_printed(entry.number, cell.exact, self.names.figure)

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """Which of several readings is taken: most numbers agree, or heads name everything."""
        count = len(self.values())
        agrees = self.right >= FEWEST and 2 * self.right >= count
        return agrees, self.named, self.right, count

    def found(self, entry: Entry, cell: PrintedCell, why: str, prints: str, firm: bool) -> Finding:
        """A finding on an entry; `firm`: whether it is a contradiction."""
        place = entry.piece.place(entry.number.start)
        return finding(
            "contradiction" if firm else "look", place, entry.number.text, why,
            prints=prints, command=self.names.command(cell),
        )  # fmt: skip


def check_table(table: SourceTable, figures: Sequence[FigureNames]) -> tuple[int, list[Finding]]:
    """How many numbers of a table are those of a figure, and what is wrong with others."""
    named = {column for names in figures for column in names.mentions(table.caption)}
    found: list[Reading] = []
    for names in figures:
        if named <= names.values.keys():
            found += readings(table, names)
    if not found:
        return 0, []
    best = max(found, key=lambda reading: reading.rank)
    pairs = best.values()
    wrong = [(entry, cell) for entry, cell in pairs if not best.is_right(entry, cell)]
    right = len(pairs) - len(wrong)
    telling = {entry.number.text for entry, cell in pairs if best.is_right(entry, cell)}
    telling = {text for text in telling if len(text.lstrip("+-−0.")) > 1} - {*ROUND}
    is_shown = len(telling) >= FEWEST and right >= MOSTLY * len(pairs)
    if is_shown or (best.named and not wrong):
        findings = [_mismatch(best, entry, cell) for entry, cell in wrong]
        return right, findings + list(_beside_values(best))
    is_variant = vocabulary.VARIANT.search(table.caption) is not None
    if wrong and best.named and len(pairs) >= FEWEST and not is_variant and _is_near(wrong):
        return 0, [_question(table, best, wrong, len(pairs))]
    return 0, []


def _mismatch(reading: Reading, entry: Entry, cell: PrintedCell) -> Finding:
    names = reading.names
    why = f"{names.name(cell)} has {cell.value} at {names.words_of(cell)}"
    is_whole = not entry.number.places and "." in cell.value  # another quantity, such as a count
    firm = not (entry.foreign or is_whole)
    return reading.found(entry, cell, why, cell.value, firm)


def _is_near(pairs: Sequence[tuple[Entry, PrintedCell]]) -> bool:
    """Whether numbers are such as another build of the figure would have."""
    close = 0
    for entry, cell in pairs:
        value = cell.exact.value or 0.0
        close += abs(entry.number.value - value) <= NEAR * abs(value)
    return close >= MOSTLY * len(pairs)


def _question(
    table: SourceTable, reading: Reading, wrong: Sequence[tuple[Entry, PrintedCell]], count: int
) -> Finding:
    """A table with the heads of a figure and other numbers: it is older, or of something else."""
    names = reading.names
    entry, cell = wrong[0]
    why = f"it names the settings of {names.name(cell)}, where {len(wrong)} are others, such as "
    why += f"{cell.value} for {entry.number.text} at {names.words_of(cell)}"
    return finding(
        "question", table.place, f"a table of {count} numbers", why,
        prints=cell.value, command=names.command(cell),
    )  # fmt: skip


# ------------------------------------------------------------------------------------- readings


def readings(table: SourceTable, names: FigureNames) -> Iterator[Reading]:
    """The ways to read a table as numbers of a figure."""
    rows = table.rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    heads = _head_lines(rows, names, HEADS)
    firsts = _head_lines(columns, names, FIRST)
    for head, first in product(range(heads + 1), range(firsts + 1)):
        entries = list(_entries(table, names, head, first))
        if entries:
            yield _completed(names, entries)


def _head_lines(lines: Sequence[Sequence[Piece]], names: FigureNames, limit: int) -> int:
    """How many of the first lines may be heads: a decimal there is the value of a column."""
    for number, line in enumerate(lines[: min(limit, len(lines) - 1)]):
        for piece in line:
            is_decimal = any(n.places for n in read_numbers(piece.text))
            if is_decimal and not names.named(piece.text) and not names.is_level(piece.text):
                return number
    return min(limit, len(lines) - 1)


def _completed(names: FigureNames, entries: list[Entry]) -> Reading:
    """A reading with what no head names set so that most numbers agree."""
    known = {column for entry in entries if entry.role == "value" for column in entry.known}
    unknown = [c for c, forms in names.values.items() if c not in known and len(forms) > 1]
    best = Reading(names, entries, named=not unknown and known >= {*names.values} & {"model"})
    choices = [list(names.values[column]) for column in unknown]
    if prod(map(len, choices)) > COMBINATIONS or len(unknown) == len(names.values):
        return best
    for combination in product(*choices):
        assumed = dict(zip(unknown, combination, strict=True))
        reading = Reading(names, entries, assumed, named=best.named)
        reading.right = sum(reading.is_right(*pair) for pair in reading.values())
        if reading.right > best.right:
            best = reading
    return best


def _entries(table: SourceTable, names: FigureNames, head: int, first: int) -> Iterator[Entry]:
    """The numbers of a table with so many rows and columns of heads."""
    rows, caption = table.rows, table.caption
    body = rows[head:]
    head_texts = [[row[n].text for row in rows[:head]] for n in range(len(rows[0]))]
    head_axes = []
    for n, line in enumerate(rows[:head]):
        head_axes.append(_axis(names, [p.text for p in line[first:]], _titles(rows, head, n)))
    first_axes = []
    for n, texts in enumerate(head_texts[:first]):
        first_axes.append(_axis(names, [row[n].text for row in body], map(flat, texts)))
    column_heads = [_head(names, texts, head_axes) for texts in head_texts]
    row_heads = [_head(names, labels, first_axes) for labels in _labels_of_rows(body, first)]
    said = _caption_values(names, caption, column_heads[first:] + row_heads)
    is_other = ROLES["other"].search(caption) is not None and not VALUED.search(caption)
    section: dict[str, str] = {}
    for number, row in enumerate(body):
        titled = _section(names, row)
        if titled is not None:
            section = titled or section
            continue
        row_head = row_heads[number]
        for column in range(first, len(row)):
            column_head = column_heads[column]
            known = said | section | column_head.known | row_head.known
            role = column_head.role or row_head.role or ("other" if is_other else "value")
            foreign = column_head.foreign or row_head.foreign or CITED in row[column].text
            for found, kind in cell_numbers(row[column].text, role):
                yield Entry(head + number, row[column], found, known, kind, foreign)


def _caption_values(names: FigureNames, caption: str, heads: Sequence[Head]) -> dict[str, str]:
    """What a caption says of all numbers: nothing of columns of which heads name values."""
    headed = {column for head in heads for column in head.known}
    said = {}
    for column, values in names.listed(caption).items():
        if len(values) == 1 and column not in headed:
            said[column] = values.pop()
    return said


def _titles(rows: Sequence[Sequence[Piece]], head: int, number: int) -> list[str]:
    """The heads that may say what a row of heads holds: those of other rows, and its first."""
    titles = []
    for index, row in enumerate(rows[:head]):
        titles += [flat(piece.text) for piece in (row[:1] if index == number else row)]
    return titles


def _labels_of_rows(body: Sequence[Sequence[Piece]], first: int) -> list[list[str]]:
    """The heads of each row; where one is empty, the last one above."""
    labels: list[list[str]] = []
    last = [""] * first
    for row in body:
        last = [piece.text or label for piece, label in zip(row, last, strict=False)]
        labels.append(last)
    return labels


def _section(names: FigureNames, row: Sequence[Piece]) -> dict[str, str] | None:
    """What a row that holds one text alone says of those below it; None for other rows."""
    texts = {piece.text for piece in row if piece.text}
    if len(texts) != 1:
        return None
    text = texts.pop()
    return None if any(number.places for number in read_numbers(text)) else names.named(text)


def _head(names: FigureNames, labels: Sequence[str], axes: Sequence[str | None]) -> Head:
    """What the labels of a row or column say, from the outermost; `axes`: along which they lie."""
    known: dict[str, str] = {}
    role: Role | None = None
    is_variant = False
    for label, axis in zip(labels, axes, strict=True):
        named = names.named(label)
        known |= named
        is_variant = is_variant or (bool(named) and names.is_qualified(label))
        value = names.label_value(axis, label) if axis else None
        if axis and value is not None:
            known[axis] = value
        elif not named:
            role = _role(label) or role
    told = " ".join(labels)
    foreign = is_variant or CITED in told or vocabulary.FOREIGN.search(told) is not None
    return Head(known, role, foreign)


def _role(label: str) -> Role | None:
    for role, pattern in ROLES.items():
        if pattern.search(label):
            return role
    return None


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


def _axis(
    names: FigureNames, labels: Sequence[str], titles: Iterator[str] | list[str]
) -> str | None:
    """The column of the figure whose values these heads are."""
    texts = list(dict.fromkeys(filter(None, labels)))
    words = {term for title in titles for term in title.split()}
    numbers = [text for text in texts if as_number(flat(text).replace(",", "")) is not None]
    hits: Counter[str] = Counter()
    for column in names.values:
        found = {names.label_value(column, text) for text in texts} - {None}
        titled = not words.isdisjoint(names.words(column))
        if names.numeric(column) and not titled and len(found) < max(2, len(numbers)):
            continue
        if found:
            hits[column] = 2 * len(found) + titled
    listed = [*hits.most_common(2), ("", 0), ("", 0)]
    return listed[0][0] if listed[0][1] > listed[1][1] else None


# --------------------------------------------------------------------------------- beside values


def _beside_values(reading: Reading) -> Iterator[Finding]:
    """Errors, counts, differences and means that do not belong to the values of their rows."""
    rows: dict[int, list[tuple[Entry, PrintedCell]]] = {}
    for entry, cell in reading.values():
        rows.setdefault(entry.row, []).append((entry, cell))
    for entry in reading.entries:
        row = rows.get(entry.row, [])
        if entry.role == "count" and row:
            yield from _count(reading, entry, row)
        elif entry.role in ("difference", "mean") and len(row) > 1:
            yield from _reckoned(reading, entry, row)
    yield from _errors(reading)


def _errors(reading: Reading) -> Iterator[Finding]:
    """Errors that are not those of their cells; contradictions where most errors are."""
    wrong, right = [], 0
    for entry in reading.entries:
        cell = reading.figure_cell(entry) if entry.role == "error" else None
        if cell and is_error(entry.number, cell.exact, reading.names.figure):
            right += 1
        elif cell:
            wrong.append((entry, cell))
    for entry, cell in wrong:
        names = reading.names
        why = f"{names.name(cell)} has ± {cell.se or 'no error'} at {names.words_of(cell)}"
        yield reading.found(entry, cell, why, cell.se, right >= len(wrong))


def _count(
    reading: Reading, entry: Entry, row: Sequence[tuple[Entry, PrintedCell]]
) -> Iterator[Finding]:
    """A number of problems that no cell of its row rests on."""
    cell, names = row[0][1], reading.names
    if cell.exact.n is not None and not any(is_count(entry.number, c.exact) for _, c in row):
        why = f"{names.name(cell)} counts {cell.n} problems at {names.words_of(cell)}"
        yield reading.found(entry, cell, why, cell.n, firm=True)


def _reckoned(
    reading: Reading, entry: Entry, row: Sequence[tuple[Entry, PrintedCell]]
) -> Iterator[Finding]:
    """A difference or mean that the values of its row have neither exactly nor as they stand."""
    exact = [cell.exact.value or 0.0 for _, cell in row]
    written = [other.number.value for other, _ in row]
    size, slack = entry.number.value, 2 * entry.number.step + TINY
    first, last = row[0][1], row[-1][1]
    name = reading.names.name(first)
    if entry.role == "mean":
        mean = sum(exact) / len(exact)
        told = [mean, sum(written) / len(written)]
        shown = f"{mean:.{entry.number.places}f}"
        why = f"the unweighted mean of this row is {shown} in {name}"
    else:
        size = abs(size)
        told = []
        for one, two in [*combinations(exact, 2), *combinations(written, 2)]:
            distance = abs(one - two)
            ends = sorted([abs(one) or 1.0, abs(two) or 1.0])
            told += [distance, SHARE * distance / ends[0], SHARE * distance / ends[1]]
        shown = f"{abs(exact[0] - exact[-1]):.{entry.number.places}f}"
        why = f"in {name} {first.value} and {last.value} are {shown} apart"
    if min(abs(size - number) for number in told) > slack:
        is_firm = entry.role == "difference" and len(row) == 2
        yield reading.found(entry, first, why, shown, is_firm)
