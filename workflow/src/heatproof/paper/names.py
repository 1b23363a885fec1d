"""Which cells of a figure a text means, by the values of columns that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from heatproof.kinds.printed_values import canonical_address
from heatproof.kinds.trace import cell_address
from heatproof.paper.typed_numbers import read_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.kinds.printed_values import PrintedCell, PrintedFigure

JOINTS = (
    r"(?:of|=|is|:|to|at|and|or|,|/|–|the|a|set|equal|equals|with|size|sizes|value|values|from|both|only|just|≈|"
    r"tokens?|\(|\)|\[|\]|\{|\}|\d[\d,.]*%?)"
)
"""Words that may stand between the name of a column and its numbers."""
GENERIC = {"size", "value", "number", "rate", "of", "the", "max", "min", "num", "n", "k"}
"""Words of titles that name no column."""
BEFORE = {"on", "for", "of", "task", "tasks", "dataset", "benchmark", "model", "models", "with"}


class Mention(NamedTuple):
    """A value of a column, where a text names it."""

    column: str
    value: str
    start: int
    end: int


Mentions = Mapping[str, list[Mention]]


def as_number(text: str) -> float | None:
    """A text as a number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def flat(text: str) -> str:
    """A name without what fonts and habits change."""
    return re.sub(r"[\s_‐‑-]+", " ", text).strip().casefold()


class FigureNames:
    """Figures with the same columns as one: the values of these, and how texts name them.

    What all cells of a figure have in common is a column too, by which its cells are told from
    those of the others.
    """

    def __init__(self, members: Mapping[str, PrintedFigure]) -> None:
        self.figure = next(iter(members.values()))
        self.cells: list[PrintedCell] = []
        self._by_place: dict[frozenset[tuple[str, str]], PrintedCell] = {}
        self._origins: dict[str, tuple[str, PrintedCell]] = {}
        self.values: dict[str, dict[str, set[str]]] = {}
        self.titles: dict[str, str] = {}
        self._mentions: dict[str, dict[str, list[Mention]]] = {}  # of texts that were read
        self._named: dict[str, dict[str, str]] = {}  # the same of labels
        for name, figure in members.items():
            self.titles |= figure.columns
            for cell in figure.cells.values():
                self._add(name, figure, cell)
        self.words = self._title_words()

    def _add(self, name: str, figure: PrintedFigure, cell: PrintedCell) -> None:
        full = structs.replace(
            cell, address=figure.fixed | cell.address, names=figure.fixed | cell.names
        )
        key = canonical_address(full.address)
        if key in self._origins:
            return
        self._origins[key] = name, cell
        self.cells.append(full)
        self._by_place[frozenset(full.address.items())] = full
        for column, value in full.address.items():
            forms = self.values.setdefault(column, {}).setdefault(value, set())
            forms |= {value, full.names[column]}
            if column == "model" and column in figure.fixed and figure.title:
                forms.add(figure.title)

    def name(self, cell: PrintedCell) -> str:
        """The figure that prints a cell."""
        return self._origins[canonical_address(cell.address)][0]

    def words_of(self, cell: PrintedCell) -> str:
        """The address of a cell in words, as its figure has it."""
        _, origin = self._origins[canonical_address(cell.address)]
        return ", ".join(f"{column}={value}" for column, value in origin.address.items())

    def command(self, cell: PrintedCell) -> str:
        """The command that shows the records behind a cell."""
        name, origin = self._origins[canonical_address(cell.address)]
        return f"heatproof trace '{cell_address(name, origin.address)}'"

    def _title_words(self) -> dict[str, list[str]]:
        """Column → the words that name it, and no other."""
        words: dict[str, set[str]] = {}
        for column in self.values:
            title = self.titles.get(column, "")
            found = re.findall(r"[a-z]+", f"{column} {title}".casefold().replace("_", " "))
            words[column] = {word for word in found if word not in GENERIC}
        kept = {}
        for column, own in words.items():
            others = set[str]().union(*(words[name] for name in words if name != column))
            kept[column] = sorted(own - others)
        return kept

    def open_columns(self, mentions: Mentions) -> list[str]:
        """Columns of several values of which none is named."""
        return [
            column for column in self.values
            if column not in mentions and len(self.values[column]) > 1
        ]  # fmt: skip

    def numeric(self, column: str) -> bool:
        """Whether all values of a column are numbers."""
        return all(as_number(value) is not None for value in self.values[column])

    def mentions(self, text: str) -> dict[str, list[Mention]]:
        """Column → the values that a text names, in its order."""
        if text in self._mentions:
            return self._mentions[text]
        found: dict[str, list[Mention]] = {}
        for column in self.values:
            numeric = self.numeric(column)
            listed = self._numbers_of(column, text) if numeric else self._words_of(column, text)
            if listed:
                found[column] = sorted(set(listed), key=lambda mention: mention.start)
        self._mentions[text] = found
        return found

    def named(self, label: str) -> dict[str, str]:
        """Column → the one value that a label of a table names."""
        if label in self._named:
            return self._named[label]
        known = {}
        for column in self.values:
            value = None if self.numeric(column) else self.label_value(column, label)
            if value is not None:
                known[column] = value
        for column, mentions in self.mentions(label).items():
            values = {mention.value for mention in mentions}
            if len(values) == 1:
                known.setdefault(column, values.pop())
        self._named[label] = known
        return known

    def _words_of(self, column: str, text: str) -> list[Mention]:
        forms = []
        for value, names in self.values[column].items():
            forms += [(form, value) for form in names]
        forms.sort(key=lambda pair: -len(pair[0]))
        taken: list[Mention] = []
        for form, value in forms:
            pattern = (
                re.escape(form)
                .replace(r"\ ", "[ _~-]+")
                .replace(r"\-", "[ ‐‑-]")
                .replace("_", "[ _-]")
            )
            for match in re.finditer(rf"(?<![\w-]){pattern}(?![\w]|-\w)", text, re.IGNORECASE):
                overlaps = any(m.start < match.end() and match.start() < m.end for m in taken)
                mention = Mention(column, value, match.start(), match.end())
                if not overlaps and self._is_meant(mention, text, taken):
                    taken.append(mention)
        return taken

    def _is_meant(self, mention: Mention, text: str, taken: Sequence[Mention]) -> bool:
        """Whether a word is a name here: ordinary ones stand beside words that tell so."""
        word = text[mention.start : mention.end]
        if not re.fullmatch(r"[A-Z]|[A-Z]?[a-z]+", word):
            return True
        before = re.findall(r"[\w-]+|[\"'`“‘]", text[: mention.start])[-1:]
        after = re.findall(r"[\w-]+|[\"'`”’]", text[mention.end :])[:1]
        beside = {item.casefold() for item in before + after}
        own = {*self.words[mention.column], *(f"{word}s" for word in self.words[mention.column])}
        quoted = beside & set("\"'`“”‘’")
        if (before and before[0].casefold() in BEFORE) or beside & own or quoted:
            return True
        between = text[: mention.start].rstrip()
        return any(between[other.end :].strip() in (",", "and", ", and", "or") for other in taken)

    def _numbers_of(self, column: str, text: str) -> list[Mention]:
        words = self.words[column]
        if not words:
            return []
        title = "|".join(f"{re.escape(word)}s?" for word in words)
        symbols = "|".join({word[0] for word in words if self._is_initial(word[0])})
        after = re.compile(rf"(?:\b(?:{title})\b[\s_-]*)(?:[\s]*{JOINTS}[\s]*)*$", re.IGNORECASE)
        sign = re.compile(rf"(?<![\w])(?:{symbols})\s*=\s*$", re.IGNORECASE) if symbols else None
        follows = re.compile(rf"\s*-?\s*(?:tokens?\s*-?\s*|local\s+)?(?:{title})\b", re.IGNORECASE)
        found = []
        for number in read_numbers(text):
            value = self._value_at(column, number.value)
            if value is None:
                continue
            before = text[max(0, number.start - 60) : number.start]
            is_named = after.search(before) or follows.match(text, number.end)
            if is_named or (sign and sign.search(before)):
                found.append(Mention(column, value, number.start, number.end))
        return found

    def _is_initial(self, letter: str) -> bool:
        """Whether one column alone has words with this first letter."""
        return sum(any(word[0] == letter for word in words) for words in self.words.values()) == 1

    def _value_at(self, column: str, number: float) -> str | None:
        for value in self.values[column]:
            if as_number(value) == number:
                return value
        return None

    def label_value(self, column: str, label: str) -> str | None:
        """The value of a column that the label of a row or column of a table is."""
        plain = flat(label)
        number = as_number(plain.replace(",", ""))
        for value, forms in self.values[column].items():
            if plain in map(flat, forms) or (number is not None and as_number(value) == number):
                return value
        listed = self.mentions(label).get(column, [])
        values = {mention.value for mention in listed}
        return values.pop() if len(values) == 1 else None

    def only(self, known: Mapping[str, str]) -> PrintedCell | None:
        """The one cell whose columns have some values; None for none or several."""
        if len(known) == len(self.values):
            return self._by_place.get(frozenset(known.items()))
        cells = self.select({column: [value] for column, value in known.items()})
        return cells[0] if len(cells) == 1 else None

    def select(self, wanted: Mapping[str, Iterable[str]]) -> list[PrintedCell]:
        """The cells whose columns have one of the wanted values."""
        return [
            cell for cell in self.cells
            if all(cell.address.get(column, "") in values for column, values in wanted.items())
        ]  # fmt: skip


def grouped(build: Mapping[str, PrintedFigure]) -> list[FigureNames]:
    """The figures of a build, those with the same columns and metrics together."""
    groups: dict[tuple[object, ...], dict[str, PrintedFigure]] = {}
    for name, figure in build.items():
        columns = tuple(sorted({*figure.columns, *figure.fixed}))
        key = columns, tuple(figure.metrics), figure.percent
        groups.setdefault(key, {})[name] = figure
    return [FigureNames(members) for members in groups.values()]
