"""Which cells of a figure a text means, by the values of columns that it names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from heatproof.kinds.printed_values import PrintedCell, PrintedFigure, canonical_address
from heatproof.kinds.trace import cell_address
from heatproof.paper.typed_numbers import read_numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.paper.values import Figures

    Values = dict[str, str]
    """Column → value."""

TOKEN = re.compile(r"[^\W_]+|[^\w\s~‐‑-]")
GLUED = re.compile(r"[-_]\w")  # behind a name that is only the beginning of another
JOINTS = (
    r"(?:of|=|is|:|to|at|and|or|,|/|–|the|a|set|equal|equals|with|size|sizes|value|values|from|both|only|just|≈|"
    r"tokens?|\(|\)|\[|\]|\{|\}|\d[\d,.]*%?)"
)
"""Words that may stand between the name of a column and its numbers."""
REACH = 60  # letters before a number in which the name of its column may stand
GENERIC = {"size", "value", "number", "rate", "of", "the", "max", "min", "num", "n", "k"}
"""Words of titles that name no column."""
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
UNQUALIFIED = {"ours", "our", "and", "token", "tokens", "method", "baseline", "accuracy", "score"}
QUOTES = set("\"'`“‘”’")
ORDINARY = re.compile(r"[A-Z]|[A-Z]?[a-z]+")  # a name that may be a word of English
LISTED = re.compile(r"(?:,|,? and|or)?")


class Token(NamedTuple):
    """A word or sign of a text."""

    text: str
    start: int
    end: int


class Form(NamedTuple):
    """A way to write a value of a column."""

    tokens: list[str]
    column: str
    value: str


class Mention(NamedTuple):
    """A value of a column, where a text names it."""

    column: str
    value: str
    start: int
    end: int


def as_number(text: str) -> float | None:
    """A text as a number, if it is one."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


@lru_cache(maxsize=1 << 14)
def read_tokens(text: str) -> Sequence[Token]:
    """The words and signs of a text; what fonts and habits put between words is none."""
    return [Token(match[0].casefold(), *match.span()) for match in TOKEN.finditer(text)]


def singular(word: str) -> str:
    """A word without the s of many."""
    return word.removesuffix("s")


def flat(text: str) -> str:
    """A name without what fonts and habits change."""
    return " ".join(token.text for token in read_tokens(text))


class FigureCell(PrintedCell):
    """A cell whose address has what all cells of its figure have in common, too."""

    figure: PrintedFigure
    figure_name: str
    place: dict[str, str]  # its address in the figure
    former: list[tuple[PrintedFigure, PrintedCell]] = []  # as former builds printed it

    @property
    def words(self) -> str:
        """Its address, as the figure has it."""
        return ", ".join(f"{column}={value}" for column, value in self.place.items())

    @property
    def command(self) -> str:
        """The command that shows the records behind it."""
        return f"heatproof trace '{cell_address(self.figure_name, self.place)}'"


class FigureNames:
    """Figures with the same columns as one: the values of these, and how texts name them.

    What all cells of a figure have in common is a column too, by which its cells are told from
    those of the others.
    """

    def __init__(self, members: Figures, former: Sequence[Figures]) -> None:
        self.figure = next(iter(members.values()))
        self.cells: list[FigureCell] = []
        self.values: dict[str, dict[str, set[str]]] = {}  # column → value → its names
        self.words: dict[str, set[str]] = {}  # column → the words that name it, and no other
        self.numeric = set[str]()  # columns whose values are numbers
        self._cells_of: dict[tuple[str, str], set[int]] = {}  # column and value → its cells
        self._keys = set[str]()  # addresses of its cells
        self._levels: dict[float, list[tuple[str, str]]] = {}  # number → columns and values
        self._before: dict[str, re.Pattern[str]] = {}  # column of numbers → what stands before …
        self._behind: dict[str, re.Pattern[str]] = {}  # … or behind one
        self._forms: dict[str, list[Form]] = {}  # first word → names, the longest first
        self._labels: dict[str, list[Form]] = {}  # flat name → what it names
        self._mentions: dict[str, dict[str, list[Mention]]] = {}  # of texts that were read
        titles: dict[str, str] = {}
        for name, figure in members.items():
            titles |= figure.columns
            olds = [build[name] for build in former if name in build]
            for cell in figure.cells.values():
                self._add_cell(name, figure, cell, olds)
        self._add_words(titles)
        for column, values in self.values.items():
            if all(as_number(value) is not None for value in values):
                self._add_levels(column, values)
            else:
                self._add_forms(column, values)

    def _add_cell(
        self, name: str, figure: PrintedFigure, cell: PrintedCell, olds: Sequence[PrintedFigure]
    ) -> None:
        address = figure.fixed | cell.address
        names = figure.fixed | cell.names
        key = canonical_address(address)
        if key in self._keys:
            return
        self._keys.add(key)
        for column, value in address.items():
            forms = self.values.setdefault(column, {}).setdefault(value, set())
            forms |= {value, names[column]}
            if column == "model" and column in figure.fixed and figure.title:
                forms.add(figure.title)
            self._cells_of.setdefault((column, value), set()).add(len(self.cells))
        facts = structs.asdict(cell) | {"address": address, "names": names, "place": cell.address}
        place = canonical_address(cell.address)
        former = [(old, old.cells[place]) for old in olds if place in old.cells]
        self.cells.append(FigureCell(figure=figure, figure_name=name, former=former, **facts))

    def _add_words(self, titles: Mapping[str, str]) -> None:
        words: dict[str, set[str]] = {}
        for column in self.values:
            text = f"{column} {titles.get(column, '')}".casefold().replace("_", " ")
            words[column] = set(re.findall(r"[a-z]+", text)) - GENERIC
        for column, column_words in words.items():
            elsewhere = (words[name] for name in words if name != column)
            self.words[column] = column_words.difference(*elsewhere)

    def _add_levels(self, column: str, values: Iterable[str]) -> None:
        """Numbers of a column: they stand behind its name, before it, or as in `r = 0.3`."""
        self.numeric.add(column)
        for value in values:
            self._levels.setdefault(as_number(value) or 0.0, []).append((column, value))
        words = self.words[column]
        if not words:
            return
        letters = {title_word[0] for title_word in words}
        for name in self.words.keys() - {column}:
            letters -= {title_word[0] for title_word in self.words[name]}
        title = "|".join(f"{re.escape(singular(title_word))}s?" for title_word in sorted(words))
        before = rf"\b(?:{title})\b[\s_-]*(?:\s*{JOINTS}\s*)*\Z"
        letter = rf"(?<!\w)[{''.join(sorted(letters)) or '='}]\s*=\s*\Z"
        behind = rf"\s*-?\s*(?:tokens?\s*-?\s*|local\s+)?(?:{title})\b"
        self._before[column] = re.compile(f"{before}|{letter}", re.IGNORECASE)
        self._behind[column] = re.compile(behind, re.IGNORECASE)

    def _add_forms(self, column: str, values: Mapping[str, Collection[str]]) -> None:
        for value, names in values.items():
            for name in names:
                tokens = [token.text for token in read_tokens(name)]
                if not tokens:
                    continue
                form = Form(tokens, column, value)
                self._labels.setdefault(" ".join(tokens), []).append(form)
                listed = self._forms.setdefault(tokens[0], [])
                listed.append(form)
                listed.sort(key=lambda form: -len(form.tokens))

    # ------------------------------------------------------------------------------- of cells

    def select(self, values_of_columns: Mapping[str, Iterable[str]]) -> list[FigureCell]:
        """The cells whose columns have one of the wanted values."""
        kept = set(range(len(self.cells)))
        for column, values in values_of_columns.items():
            kept &= set().union(*(self._cells_of.get((column, value), ()) for value in values))
        return [self.cells[number] for number in sorted(kept)]

    # ------------------------------------------------------------------------------- of texts

    def mentions(self, text: str) -> dict[str, list[Mention]]:
        """Column → the values that a text names, in its order."""
        if text not in self._mentions:
            listed: dict[str, list[Mention]] = {}
            for mention in [*self._named_values(text), *self._named_levels(text)]:
                listed.setdefault(mention.column, []).append(mention)
            self._mentions[text] = listed
        return self._mentions[text]

    def _named_values(self, text: str) -> Iterator[Mention]:
        tokens = read_tokens(text)
        ends: dict[str, int] = {}  # column → where its last mention ends
        for index, token in enumerate(tokens):
            for form in self._forms.get(token.text, ()):
                pieces = tokens[index : index + len(form.tokens)]
                start = token.start
                end = pieces[-1].end
                is_glued = text[start - 1 : start] == "-" or GLUED.match(text, end)
                if [piece.text for piece in pieces] != form.tokens or is_glued:
                    continue
                last = ends.get(form.column, 0)
                is_listed = last and LISTED.fullmatch(text[last:start].strip())
                if start >= last and (is_listed or self._is_meant(form, text, index)):
                    ends[form.column] = end
                    yield Mention(form.column, form.value, start, end)

    def _is_meant(self, form: Form, text: str, index: int) -> bool:
        """Whether a word is a name here: ordinary ones stand beside words that tell so."""
        tokens = read_tokens(text)
        last = index + len(form.tokens)
        if not ORDINARY.fullmatch(text[tokens[index].start : tokens[last - 1].end]):
            return True
        before = tokens[max(0, index - 1) : index]
        if any(token.text in INTRODUCING for token in before):
            return True
        telling = QUOTES | {singular(title_word) for title_word in self.words[form.column]}
        neighbours = [*before, *tokens[last : last + 1]]
        return any(singular(token.text) in telling for token in neighbours)

    def _named_levels(self, text: str) -> Iterator[Mention]:
        for number in read_numbers(text):
            before = text[max(0, number.start - REACH) : number.start]
            for column, value in self._levels.get(number.value, ()):
                if column not in self._before:
                    continue
                behind = self._behind[column].match(text, number.end)
                if behind or self._before[column].search(before):
                    yield Mention(column, value, number.start, number.end)

    def levels(self, text: str) -> Values:
        """Column → value, of the columns that have a text as one of their numbers."""
        number = as_number(text)
        if number is None:
            return {}
        return dict(self._levels.get(number, ()))

    def label_values(self, label: str) -> Values:
        """Column → the one value that a label of a table names."""
        values_of_columns = {form.column: form.value for form in self._labels.get(flat(label), ())}
        for column, mentions in self.mentions(label).items():
            values = {mention.value for mention in mentions}
            if len(values) == 1:
                values_of_columns.setdefault(column, values.pop())
        return values_of_columns

    def is_qualified(self, label: str) -> bool:
        """Whether a label says more than what it names, such as `Opus 4.1 (think)`."""
        if flat(label) in self._labels:
            return False
        plain = INTRODUCING | GENERIC | UNQUALIFIED
        plain = {singular(known_word) for known_word in plain.union(*self.words.values())}
        unnamed = re.findall(r"[a-z]{3,}", without_names(label, self.mentions(label)).casefold())
        return not plain.issuperset(map(singular, unnamed))


def without_names(text: str, mentions: Mapping[str, Sequence[Mention]]) -> str:
    """A text with blanks for the values that it names: Qwen-Max is not the highest."""
    for listed in mentions.values():
        for mention in listed:
            blank = "".ljust(mention.end - mention.start)
            text = text[: mention.start] + blank + text[mention.end :]
    return text


def grouped(build: Figures, former: Sequence[Figures] = ()) -> list[FigureNames]:
    """The figures of a build, those with the same columns and metrics together."""
    groups: dict[tuple[object, ...], dict[str, PrintedFigure]] = {}
    for name, figure in build.items():
        columns = tuple(sorted({*figure.columns, *figure.fixed}))
        key = columns, tuple(figure.metrics), figure.percent
        groups.setdefault(key, {})[name] = figure
    return [FigureNames(members, former) for members in groups.values()]
