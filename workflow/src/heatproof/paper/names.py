"""Which cells of a figure a text means, by the values of columns that it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from heatproof.kinds.trace import cell_address
from heatproof.paper.typed_numbers import read_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from heatproof.kinds.printed_values import PrintedCell, PrintedFigure

    Mentions = Mapping[str, "list[Mention]"]
    Values = dict[str, str]
    """Column → value."""
    Plain = dict[str | float, str]
    """Plain form → value."""

JOINTS = (
    r"(?:of|=|is|:|to|at|and|or|,|/|–|the|a|set|equal|equals|with|size|sizes|value|values|from|both|only|just|≈|"
    r"tokens?|\(|\)|\[|\]|\{|\}|\d[\d,.]*%?)"
)
"""Words that may stand between the name of a column and its numbers."""
REACH = 60  # letters before a number in which the name of its column may stand
GENERIC = {"size", "value", "number", "rate", "of", "the", "max", "min", "num", "n", "k"}
"""Words of titles that name no column."""
UNQUALIFIED = {"ours", "our", "and", "tokens", "token", "method", "baseline", "accuracy", "score"}
INTRODUCING = {
    "on",
    "for",
    "of",
    "task",
    "tasks",
    "dataset",
    "benchmark",
    "model",
    "models",
    "with",
}
QUOTES = {*"\"'`“‘”’"}
ORDINARY = re.compile(r"[A-Z]|[A-Z]?[a-z]+")  # a name that may be a word of English
LISTED = re.compile(r"(?:,|,? and|or)?")


class Mention(NamedTuple):
    """A value of a column, where a text names it."""

    column: str
    value: str
    start: int
    end: int


class Lookup(NamedTuple):
    """How a column is found in a text."""

    numeric: bool
    words: list[str]  # that name this column, and no other
    values: Plain
    pattern: re.Pattern[str]  # of its values, or of what stands before one that is a number
    follows: re.Pattern[str] | None  # what stands behind one


def as_number(text: str) -> float | None:
    """A text as a number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def flat(text: str) -> str:
    """A name without what fonts and habits change."""
    return re.sub(r"[\s_~‐‑-]+", " ", text).strip().casefold()


def plain_value(text: str) -> str | float:
    """A value as it is compared: a number, or a flat name."""
    number = as_number(text.replace(",", "").strip())
    return flat(text) if number is None else number


class FigureNames:
    """Figures with the same columns as one: the values of these, and how texts name them.

    What all cells of a figure have in common is a column too, by which its cells are told from
    those of the others.
    """

    def __init__(self, members: Mapping[str, PrintedFigure]) -> None:
        self.figure = next(iter(members.values()))
        self.cells: list[PrintedCell] = []
        self.values: dict[str, dict[str, set[str]]] = {}  # column → value → its names
        self._cell_of: dict[frozenset[tuple[str, str]], PrintedCell] = {}
        self._origins: dict[int, tuple[str, Values]] = {}  # figure and address there
        self._mentions: dict[str, dict[str, list[Mention]]] = {}  # of texts that were read
        titles: dict[str, str] = {}
        for name, figure in members.items():
            titles |= figure.columns
            for cell in figure.cells.values():
                self._add(name, figure, cell)
        self._lookups = self._make_lookups(titles)

    def _add(self, name: str, figure: PrintedFigure, cell: PrintedCell) -> None:
        address, names = figure.fixed | cell.address, figure.fixed | cell.names
        full = structs.replace(cell, address=address, names=names)
        if self._cell_of.setdefault(frozenset(address.items()), full) is not full:
            return
        self.cells.append(full)
        self._origins[id(full)] = name, cell.address
        for column, value in address.items():
            forms = self.values.setdefault(column, {}).setdefault(value, set())
            forms |= {value, names[column]}
            if column == "model" and column in figure.fixed and figure.title:
                forms.add(figure.title)

    def name(self, cell: PrintedCell) -> str:
        """The figure that prints a cell."""
        return self._origins[id(cell)][0]

    def words_of(self, cell: PrintedCell) -> str:
        """The address of a cell in words, as its figure has it."""
        _, address = self._origins[id(cell)]
        return ", ".join(f"{column}={value}" for column, value in address.items())

    def command(self, cell: PrintedCell) -> str:
        """The command that shows the records behind a cell."""
        return f"heatproof trace '{cell_address(*self._origins[id(cell)])}'"

    def numeric(self, column: str) -> bool:
        """Whether all values of a column are numbers."""
        return self._lookups[column].numeric

    def words(self, column: str) -> list[str]:
        """The words that name a column, and no other."""
        return self._lookups[column].words

    def _make_lookups(self, titles: Mapping[str, str]) -> dict[str, Lookup]:
        words: dict[str, set[str]] = {}
        for column in self.values:
            text = f"{column} {titles.get(column, '')}".casefold().replace("_", " ")
            words[column] = {*re.findall(r"[a-z]+", text)} - GENERIC
        lookups = {}
        for column, values in self.values.items():
            elsewhere = {term for name in words if name != column for term in words[name]}
            named = sorted(words[column] - elsewhere)
            plain = {plain_value(form): v for v, forms in values.items() for form in forms}
            if all(as_number(value) is not None for value in values):
                letters = {term[0] for term in named} - {term[0] for term in elsewhere}
                lookups[column] = _numeric_lookup(named, plain, letters)
            else:
                forms = {flat(form) for forms in values.values() for form in forms}
                lookups[column] = _word_lookup(named, plain, forms - {""})
        return lookups

    def mentions(self, text: str) -> dict[str, list[Mention]]:
        """Column → the values that a text names, in its order."""
        if text not in self._mentions:
            found = {}
            for column, lookup in self._lookups.items():
                named = self._numbers_of if lookup.numeric else self._words_of
                if listed := list(named(column, lookup, text)):
                    found[column] = listed
            self._mentions[text] = found
        return self._mentions[text]

    def listed(self, text: str) -> dict[str, set[str]]:
        """The same without places."""
        mentions = self.mentions(text)
        return {column: {m.value for m in listed} for column, listed in mentions.items()}

    def _words_of(self, column: str, lookup: Lookup, text: str) -> Iterator[Mention]:
        last = 0  # where the last one ends
        for match in lookup.pattern.finditer(text):
            is_listed = last and LISTED.fullmatch(text[last : match.start()].strip())
            if is_listed or _is_meant(match, lookup.words, text):
                last = match.end()
                yield Mention(column, lookup.values[plain_value(match[0])], *match.span())

    def _numbers_of(self, column: str, lookup: Lookup, text: str) -> Iterator[Mention]:
        for number in read_numbers(text):
            value = lookup.values.get(number.value)
            if value is None or lookup.follows is None:
                continue
            before = text[max(0, number.start - REACH) : number.start]
            if lookup.pattern.search(before) or lookup.follows.match(text, number.end):
                yield Mention(column, value, number.start, number.end)

    def is_level(self, text: str) -> bool:
        """Whether a text is a number that some column has as a value."""
        number = plain_value(text)
        if isinstance(number, str):
            return False
        return any(number in lookup.values for lookup in self._lookups.values())

    def named(self, label: str) -> Values:
        """Column → the one value that a label of a table names."""
        known = {}
        for column, lookup in self._lookups.items():
            value = None if lookup.numeric else self.label_value(column, label)
            values = self.listed(label).get(column, set())
            if value is None and len(values) == 1:
                (value,) = values
            if value is not None:
                known[column] = value
        return known

    def is_qualified(self, label: str) -> bool:
        """Whether a label says more than what it names, such as `Opus 4.1 (think)`."""
        if any(plain_value(label) in lookup.values for lookup in self._lookups.values()):
            return False
        said = without_names(label, self.mentions(label)).casefold()
        plain = INTRODUCING | GENERIC | UNQUALIFIED
        for lookup in self._lookups.values():
            plain |= {*lookup.words, *(f"{term}s" for term in lookup.words)}
        return not {*re.findall(r"[a-z]{3,}", said)} <= plain

    def label_value(self, column: str, label: str) -> str | None:
        """The value of a column that the label of a row or column of a table is."""
        value = self._lookups[column].values.get(plain_value(label))
        if value is not None:
            return value
        values = self.listed(label).get(column, set())
        return next(iter(values)) if len(values) == 1 else None

    def open_columns(self, mentions: Mentions) -> list[str]:
        """Columns of several values of which none is named."""
        return [c for c, forms in self.values.items() if c not in mentions and len(forms) > 1]

    def only(self, known: Values) -> PrintedCell | None:
        """The one cell whose columns have some values; None for none or several."""
        if len(known) == len(self.values):
            return self._cell_of.get(frozenset(known.items()))
        cells = self.select({column: [value] for column, value in known.items()})
        return cells[0] if len(cells) == 1 else None

    def select(self, wanted: Mapping[str, Iterable[str]]) -> list[PrintedCell]:
        """The cells whose columns have one of the wanted values."""
        cells = self.cells
        for column, values in wanted.items():
            cells = [cell for cell in cells if cell.address.get(column, "") in values]
        return cells


def _numeric_lookup(words: list[str], plain: Plain, letters: set[str]) -> Lookup:
    """A column of numbers: these stand behind its name, before it, or as in `r = 0.3`."""
    if not words:
        return Lookup(True, words, plain, re.compile(""), None)
    title = "|".join(f"{re.escape(term)}s?" for term in words)
    before = rf"\b(?:{title})\b[\s_-]*(?:\s*{JOINTS}\s*)*$"
    if letters:
        before += rf"|(?<!\w)[{''.join(sorted(letters))}]\s*=\s*$"
    behind = rf"\s*-?\s*(?:tokens?\s*-?\s*|local\s+)?(?:{title})\b"
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in (before, behind)]
    return Lookup(True, words, plain, *patterns)


def _word_lookup(words: list[str], plain: Plain, forms: set[str]) -> Lookup:
    """A column of names, each in the forms that fonts and habits give it."""
    ordered = sorted(forms, key=len, reverse=True)
    joined = "|".join(re.escape(form).replace(r"\ ", r"[\s_~‐‑-]+") for form in ordered)
    pattern = re.compile(rf"(?<![\w-])(?:{joined or '(?!)'})(?!\w|-\w)", re.IGNORECASE)
    return Lookup(False, words, plain, pattern, None)


def _is_meant(match: re.Match[str], words: list[str], text: str) -> bool:
    """Whether a word is a name here: ordinary ones stand beside words that tell so."""
    if not ORDINARY.fullmatch(match[0]):
        return True
    before = re.findall(r"[\w-]+|[\"'`“‘]", text[: match.start()])[-1:]
    behind = re.findall(r"[\w-]+|[\"'`”’]", text[match.end() :])[:1]
    neighbours = {term.casefold() for term in before + behind}
    titles = {*words, *(f"{term}s" for term in words)}
    introduced = bool(before) and before[0].casefold() in INTRODUCING
    return introduced or not neighbours.isdisjoint(titles | QUOTES)


def without_names(text: str, mentions: Mentions) -> str:
    """A text with blanks for the values that it names: Qwen-Max is not the highest."""
    for listed in mentions.values():
        for mention in listed:
            blank = " " * (mention.end - mention.start)
            text = text[: mention.start] + blank + text[mention.end :]
    return text


def grouped(build: Mapping[str, PrintedFigure]) -> list[FigureNames]:
    """The figures of a build, those with the same columns and metrics together."""
    groups: dict[tuple[object, ...], dict[str, PrintedFigure]] = {}
    for name, figure in build.items():
        columns = tuple(sorted({*figure.columns, *figure.fixed}))
        key = columns, tuple(figure.metrics), figure.percent
        groups.setdefault(key, {})[name] = figure
    return [FigureNames(members) for members in groups.values()]
