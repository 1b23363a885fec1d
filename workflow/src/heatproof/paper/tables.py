"""Tables of a manuscript beside figures: by their own head lines and first columns, cell by cell.

How many lines are heads, which lie along which column, and what no head names, is tried: the
reading in which most numbers are those of one figure is taken. Of a table whose heads and caption
name everything, all numbers are compared, right or wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, product
from statistics import median
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
    is_value,
    read_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.printed_values import PrintedCell
    from heatproof.paper.names import FigureNames
    from heatproof.paper.sources import SourceTable, TableCell

    Lines = list[list[TableCell | None]]

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
HEADS, FIRST = 4, 3  # rows and columns of heads at most
COMBINATIONS = 400  # of values of columns that no head names, at most
FEWEST = 3  # numbers that agree, where heads do not name everything
NEAR = 6.0  # standard errors within which numbers of an older build lie
MOSTLY = 2 / 3


class Entry(NamedTuple):
    """A number of a table where it stands, and the cell of the figure that its heads name."""

    row: int
    column: int
    cell: TableCell
    number: Number
    known: dict[str, str]  # column of the figure → value, as heads say
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


def is_right(entry: Entry, cell: PrintedCell, names: FigureNames) -> bool:
    """Whether an entry is the value of a cell."""
    return is_value(entry.number, cell.exact.value, names.figure)


def check_table(table: SourceTable, figures: Sequence[FigureNames]) -> tuple[int, list[Finding]]:
    """How many numbers of a table are those of a figure, and what is wrong with others."""
    best: Reading | None = None
    lines = table.grid()
    caption = " ".join(piece.text for piece in table.captions)
    named = {column for names in figures for column in names.mentions(caption)}
    for names in figures:
        if named - names.values.keys():
            continue
        for reading in readings(table, lines, names):
            if best is None or _rank(reading) > _rank(best):
                best = reading
    if best is None:
        return 0, []
    pairs = best.values()
    wrong = [(entry, cell) for entry, cell in pairs if not is_right(entry, cell, best.names)]
    if not _is_same(best, len(pairs), wrong, caption):
        return 0, _told_apart(table, best, len(pairs))
    findings = [_mismatch(best.names, entry, cell) for entry, cell in wrong]
    return len(pairs) - len(wrong), findings + list(_beside_values(best))


def _rank(reading: Reading) -> tuple[bool, bool, int, int]:
    """Which of several readings is taken: most numbers agree, or heads name everything."""
    count = len(reading.values())
    agrees = reading.right >= FEWEST and 2 * reading.right >= count
    return agrees, reading.named, reading.right, count


def _is_same(
    reading: Reading, count: int, wrong: Sequence[tuple[Entry, PrintedCell]], caption: str
) -> bool:
    """Whether the table shows this figure, so that what differs is wrong."""
    if reading.right >= FEWEST and reading.right >= MOSTLY * count:
        return True
    if not reading.named or not count or vocabulary.VARIANT.search(caption):
        return False
    distances = []
    for entry, cell in wrong:
        size = cell.exact.se or abs(cell.exact.value or 0.0) / 20
        distances.append(abs(entry.number.value - (cell.exact.value or 0.0)) / max(size, 1e-9))
    if not distances:
        return True
    near = sum(distance <= NEAR for distance in distances) >= MOSTLY * len(distances)
    return near and (count > 1 or reading.right > 0) and median(distances) <= NEAR


def _told_apart(table: SourceTable, reading: Reading, count: int) -> list[Finding]:
    """A table with the heads of a figure and other numbers."""
    if not reading.named or count < FEWEST:
        return []
    name = reading.names.name(reading.values()[0][1])
    why = f"it names the settings of {name}, but its numbers are others"
    return [finding("look", table.place, f"a table of {count} numbers", why)]


def _mismatch(names: FigureNames, entry: Entry, cell: PrintedCell) -> Finding:
    place = entry.cell.content.place(entry.number.start)
    where = f"{names.name(cell)} has {cell.value} at {names.words_of(cell)}"
    others = [
        other for other in names.cells
        if other is not cell and is_value(entry.number, other.exact.value, names.figure)
        and sum(other.address[c] != v for c, v in cell.address.items()) == 1
    ]  # fmt: skip
    if others and entry.number.places:
        where += f"; {entry.number.text} stands at {names.words_of(others[0])}"
    command = names.command(cell)
    item = finding(
        "contradiction", place, entry.number.text, where, prints=cell.value, command=command
    )
    is_whole = not entry.number.places and "." in cell.value  # another quantity, such as a count
    if entry.foreign or is_whole:
        item.sort = "look"
    return item


# ------------------------------------------------------------------------------------- readings


def readings(table: SourceTable, lines: Lines, names: FigureNames) -> Iterator[Reading]:
    """The ways to read a table as numbers of a figure."""
    if not lines:
        return
    caption = " ".join(piece.text for piece in table.captions)
    said: dict[str, str] = {}
    for column, mentions in names.mentions(caption).items():
        values = {mention.value for mention in mentions}
        if len(values) == 1:
            said[column] = values.pop()
    heads = range(min(HEADS, len(lines) - 1) + 1)
    firsts = range(min(FIRST, len(lines[0]) - 1) + 1)
    for head, first in product(heads, firsts):
        entries = list(Heads(names, lines, head, first, said, caption).entries())
        if entries:
            yield _completed(names, entries)


def _completed(names: FigureNames, entries: list[Entry]) -> Reading:
    """A reading with what no head names set so that most numbers agree."""
    values = [entry for entry in entries if entry.role == "value"]
    known = {column for entry in values for column in entry.known}
    unknown = names.values.keys() - known
    open_columns = [column for column in names.values if len(names.values[column]) > 1]
    open_columns = [column for column in open_columns if column in unknown]
    choices = [list(names.values[column]) for column in open_columns]
    number = 1
    for listed in choices:
        number *= len(listed)
    best = Reading(names, entries, named=not open_columns and "model" not in unknown)
    if number > COMBINATIONS or len(open_columns) >= len(names.values):
        return best
    for combination in product(*choices):
        assumed = dict(zip(open_columns, combination, strict=True))
        reading = Reading(names, entries, assumed, named=best.named)
        reading.right = sum(is_right(entry, cell, names) for entry, cell in reading.values())
        if reading.right > best.right:
            best = reading
    return best


@dataclass
class Heads:
    """A table with so many rows and columns of heads, and what its caption says."""

    names: FigureNames
    lines: Lines
    head: int
    first: int
    said: dict[str, str]
    caption: str

    def __post_init__(self) -> None:
        self.axes_across = [self._axis_across(row) for row in range(self.head)]
        self.axes_down = [self._axis_down(column) for column in range(self.first)]

    def _axis_across(self, row: int) -> str | None:
        heads = self.lines[: self.head]
        titles = []
        for index, line in enumerate(heads):
            listed = line[:1] if index == row else line
            titles += [flat(cell.content.text) for cell in listed if cell]
        return _axis(self.names, self.lines[row][self.first :], titles)

    def _axis_down(self, column: int) -> str | None:
        body = [line[column] for line in self.lines[self.head :]]
        titles = [flat(text) for text in self.above(column)]
        return _axis(self.names, body, titles)

    def above(self, column: int) -> list[str]:
        """The heads of a column."""
        cells = [line[column] for line in self.lines[: self.head]]
        return [cell.content.text for cell in cells if cell]

    def before(self, row: int) -> list[str]:
        """The heads of a row; where one is empty, the last one above."""
        labels = []
        for column in range(self.first):
            label = ""
            for index in range(row, self.head - 1, -1):
                cell = self.lines[index][column]
                label = cell.content.text.strip() if cell else ""
                if label:
                    break
            labels.append(label)
        return labels

    def known(self, row: int, column: int) -> dict[str, str]:
        """Column of the figure → the value that heads name for a number."""
        known = dict(self.said)
        for index in range(self.head):
            cell = self.lines[index][column]
            if cell:
                known |= _label_values(self.names, cell.content.text, self.axes_across[index])
        for index, label in enumerate(self.before(row)):
            known |= _label_values(self.names, label, self.axes_down[index])
        return known

    def section(self, row: int) -> dict[str, str] | None:
        """What a row that holds one text alone says of those below it; None for other rows."""
        filled = {id(cell): cell for cell in self.lines[row] if cell and cell.content.text.strip()}
        if len(filled) != 1:
            return None
        (cell,) = filled.values()
        if any(number.places for number in read_numbers(cell.content.text)):
            return None
        return self.names.named(cell.content.text)

    def entries(self) -> Iterator[Entry]:
        """The numbers of the body."""
        section: dict[str, str] = {}
        for row in range(self.head, len(self.lines)):
            titled = self.section(row)
            if titled is not None:
                section = titled or section
                continue
            for column in range(self.first, len(self.lines[row])):
                cell = self.lines[row][column]
                known = section | self.known(row, column)
                if cell:
                    yield from self._numbers(row, column, cell, known)

    def _numbers(
        self, row: int, column: int, cell: TableCell, known: dict[str, str]
    ) -> Iterator[Entry]:
        above, before = self.above(column), self.before(row)
        told = " ".join([*above, *before])
        unnamed = [text for text in [*reversed(above), *before] if not self.names.named(text)]
        role = _role(unnamed, self.caption)
        foreign = CITED in told + cell.content.text or bool(vocabulary.FOREIGN.search(told))
        for number, kind in cell_numbers(cell.content.text, role):
            yield Entry(row, column, cell, number, known, kind, foreign)


def cell_numbers(text: str, role: Role) -> Iterator[tuple[Number, Role]]:
    """The numbers of a cell: `49.3 ± 3.1` has a value and an error, `[46.9, 52.9]` ends of it."""
    for index, number in enumerate(read_numbers(text)):
        before = text[: number.start].rstrip()
        if before.endswith("±"):
            yield number, "error"
        elif index and (before.endswith(("(", "[", ",", "–", "-", "/")) or role != "value"):
            yield number, "other"
        elif before.endswith(("+", "Δ", "↑", "↓")) or (index and number.sign):
            yield number, "difference"
        else:
            yield number, role if not index else "other"


def _role(heads: Sequence[str], caption: str) -> Role:
    """What heads that name no value of the figure say of their numbers, or else the caption."""
    for text in heads:
        for role, pattern in ROLES.items():
            if pattern.search(text):
                return role
    if ROLES["other"].search(caption) and not re.search(
        "accuracy|pass@|score|%", caption, re.IGNORECASE
    ):
        return "other"
    return "value"


def _axis(
    names: FigureNames, cells: Sequence[TableCell | None], titles: Sequence[str]
) -> str | None:
    """The column of the figure whose values these heads are."""
    texts = list(dict.fromkeys(cell.content.text for cell in cells if cell))
    hits: Counter[str] = Counter()
    for column in names.values:
        found = {names.label_value(column, text) for text in texts} - {None}
        numeric = names.numeric(column)
        titled = any(word in title.split() for title in titles for word in names.words[column])
        numbers = [text for text in texts if as_number(flat(text).replace(",", "")) is not None]
        if numeric and not titled and len(found) < max(2, len(numbers)):
            continue
        if found:
            hits[column] = 2 * len(found) + titled
    listed = hits.most_common(2)
    if not listed or (len(listed) > 1 and listed[0][1] == listed[1][1]):
        return None
    return listed[0][0]


def _label_values(names: FigureNames, label: str, axis: str | None) -> dict[str, str]:
    """Column → value that a label names: along its axis, or in words."""
    named = dict(names.named(label))
    value = names.label_value(axis, label) if axis else None
    if axis and value is not None:
        named[axis] = value
    return named


# ------------------------------------------------------------------------------ beside values


def _beside_values(reading: Reading) -> Iterator[Finding]:
    """Errors, counts, differences and means that do not belong to the values of their rows."""
    rows: dict[int, list[tuple[Entry, PrintedCell]]] = {}
    for entry, cell in reading.values():
        rows.setdefault(entry.row, []).append((entry, cell))
    for entry in reading.entries:
        row = rows.get(entry.row, [])
        if entry.role == "count" and row:
            yield from _count(reading, entry, [cell for _, cell in row])
        elif entry.role == "difference" and len(row) > 1:
            yield from _difference(reading, entry, row)
        elif entry.role == "mean" and len(row) > 1:
            yield from _mean(reading, entry, row)
    yield from _errors(reading)


def _errors(reading: Reading) -> Iterator[Finding]:
    """Errors that are not those of their cells; contradictions where most errors are."""
    names, wrong, right = reading.names, list[Finding](), 0
    for entry in reading.entries:
        cell = reading.figure_cell(entry) if entry.role == "error" else None
        if cell is None:
            continue
        if is_error(entry.number, cell.exact, names.figure):
            right += 1
            continue
        place = entry.cell.content.place(entry.number.start)
        why = f"{names.name(cell)} has ± {cell.se or 'no error'} at {names.words_of(cell)}"
        command = reading.names.command(cell)
        says = f"± {entry.number.text}"
        wrong.append(finding("look", place, says, why, prints=cell.se, command=command))
    for item in wrong:
        if right >= len(wrong):
            item.sort = "contradiction"
        yield item


def _count(reading: Reading, entry: Entry, cells: Sequence[PrintedCell]) -> Iterator[Finding]:
    """A number of problems that no cell of its row rests on."""
    if any(is_count(entry.number, cell.exact) for cell in cells):
        return
    cell, names = cells[0], reading.names
    if cell.exact.n is None:
        return
    place = entry.cell.content.place(entry.number.start)
    why = f"{names.name(cell)} counts {cell.n} problems at {names.words_of(cell)}"
    command = reading.names.command(cell)
    yield finding("contradiction", place, entry.number.text, why, prints=cell.n, command=command)


def _difference(
    reading: Reading, entry: Entry, row: Sequence[tuple[Entry, PrintedCell]]
) -> Iterator[Finding]:
    """A difference that no two values of its row have, neither exact nor as they stand there."""
    size = abs(entry.number.value)
    for (one, first), (two, second) in combinations(row, 2):
        exact = abs((first.exact.value or 0.0) - (second.exact.value or 0.0))
        written = abs(one.number.value - two.number.value)
        base = max(abs(first.exact.value or 0.0), abs(second.exact.value or 0.0)) or 1.0
        least = min(abs(first.exact.value or 0.0), abs(second.exact.value or 0.0)) or 1.0
        told = (exact, written, SHARE * exact / base, SHARE * exact / least)
        if min(abs(size - number) for number in told) <= 2 * entry.number.step + TINY:
            return
    first, second = row[0][1], row[-1][1]
    exact = abs((first.exact.value or 0.0) - (second.exact.value or 0.0))
    apart = f"{exact:.{entry.number.places}f}"
    why = f"in {reading.names.name(first)} {first.value} and {second.value} are {apart} apart"
    place = entry.cell.content.place(entry.number.start)
    command = reading.names.command(first)
    item = finding("look", place, entry.number.text, why, prints=apart, command=command)
    if len(row) == 2:
        item.sort = "contradiction"
    yield item


def _mean(
    reading: Reading, entry: Entry, row: Sequence[tuple[Entry, PrintedCell]]
) -> Iterator[Finding]:
    """A mean that is not that of the values of its row."""
    exact = sum(cell.exact.value or 0.0 for _, cell in row) / len(row)
    printed = sum(other.number.value for other, _ in row) / len(row)
    if entry.number.rounds(exact) or entry.number.rounds(printed):
        return
    place = entry.cell.content.place(entry.number.start)
    mean = f"{exact:.{entry.number.places}f}"
    why = f"the unweighted mean of this row is {mean} in {reading.names.name(row[0][1])}"
    yield finding("look", place, entry.number.text, why, prints=mean)
