"""Numbers and claims of sentences, beside the cells that the sentence names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from heatproof.paper import vocabulary
from heatproof.paper.findings import Finding, finding
from heatproof.paper.names import without_names
from heatproof.paper.quotes import FEW, Quote, differs, facts_words
from heatproof.paper.sources import CITED
from heatproof.paper.typed_numbers import (
    SHARE,
    Number,
    Role,
    fits,
    is_apart,
    read_numbers,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.paper.names import FigureCell, FigureNames, Mention
    from heatproof.paper.sources import Piece

SHORTENED = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|cf|resp|approx|[Ff]igs?|[Tt]abs?|[Ss]ecs?|[Ee]qs?|No|ca|s\.e)"
    r"|\b[A-Z])\.$"
)
END = re.compile(r"(?<=[.!?])[)\]\"'”’]*\s+(?=[^a-z\s]|[a-z]+(?:[-_]\w|\d))")
PERCENT = re.compile(r"\s*(?:%|percent\b)")
SIZES = 2  # numbers of problems among which a wrong one contradicts


def sentences(paragraph: Piece) -> Iterator[Piece]:
    """The sentences of a paragraph."""
    start = 0
    for match in END.finditer(paragraph.text):
        if SHORTENED.search(paragraph.text[: match.start()].rstrip(")]\"'”’")):
            continue
        yield paragraph.cut(start, match.start()).stripped()
        start = match.end()
    yield paragraph.cut(start, len(paragraph.text)).stripped()


@dataclass
class Reading:
    """A sentence with the cells of a figure that it names."""

    names: FigureNames
    text: str
    mentions: Mapping[str, Sequence[Mention]]
    cells: Sequence[FigureCell]
    open: Sequence[str]  # columns that it does not narrow

    @property
    def words(self) -> dict[str, list[str]]:
        """What it names by words: column → values."""
        listed = {}
        for column, mentions in self.mentions.items():
            if column not in self.names.numeric:
                listed[column] = [mention.value for mention in mentions]
        return listed

    def role(self, number: Number) -> Role:
        """What a number says of cells, by the words around it."""
        before = self.text[: number.start]
        after = self.text[number.end :]
        for role, ahead, behind in vocabulary.ROLES:
            if (ahead and ahead.search(before)) or (behind and behind.match(after)):
                return role
        unnamed = without_names(self.text, self.mentions)[: number.start]
        if vocabulary.VERSIONED.search(unnamed):
            return "other"
        if vocabulary.RANGED.search(self.text) and vocabulary.BOUND.search(before):
            return "end"
        is_whole = not any("." in cell.value for cell in self.cells)
        if number.places or is_whole or PERCENT.match(after):
            return "value"
        return "other"

    def top(self, cells: Sequence[FigureCell]) -> Sequence[FigureCell]:
        """The highest of some cells, or the lowest, if the sentence speaks of it."""
        unnamed = without_names(self.text, self.mentions)
        is_top = vocabulary.TOP.search(unnamed) is not None
        is_lowest = vocabulary.LOWEST.search(unnamed) is not None
        values = values_of(cells)
        if not values or is_top == is_lowest:
            return []
        if is_top:
            end = max(values)
        else:
            end = min(values)
        return [cell for cell in cells if cell.exact.value == end]


def readings(text: str, figures: Sequence[FigureNames]) -> list[Reading]:
    """The figures of which a sentence names cells, those that it narrows the most first."""
    named_columns = set(chain.from_iterable(names.mentions(text) for names in figures))
    candidates = []
    for names in figures:
        mentions = names.mentions(text)
        if not mentions or named_columns & names.values.keys() != mentions.keys():
            continue
        values_of_columns = {}
        for column, listed in mentions.items():
            values_of_columns[column] = [mention.value for mention in listed]
        cells = names.select(values_of_columns)
        left = []
        for column, forms in names.values.items():
            if column not in mentions and len(forms) > 1:
                left.append(column)
        if cells:
            candidates.append(Reading(names, text, mentions, cells, left))
    widest = max((len(reading.mentions) for reading in candidates), default=0)
    narrowest = [reading for reading in candidates if len(reading.mentions) == widest]
    return sorted(narrowest, key=lambda reading: len(reading.open))


# --------------------------------------------------------------------------------------- numbers


def check_sentence(sentence: Piece, figures: Sequence[FigureNames]) -> tuple[int, list[Finding]]:
    """How many numbers of a sentence are those of the cells that it names, and the others.

    Of several figures the one is taken that it contradicts the least.
    """
    results = [_check(sentence, reading) for reading in readings(sentence.text, figures)]

    def rank(result: tuple[int, list[Finding]]) -> tuple[int, int]:
        right, findings = result
        return sum(item.sort == "contradiction" for item in findings), -right

    return min(results, key=rank, default=(0, []))


def _check(sentence: Piece, reading: Reading) -> tuple[int, list[Finding]]:
    right = 0
    wrong = list[Quote]()
    quotes = _quotes(sentence, reading)
    for quote in quotes:
        if quote.fits or _is_beside(quote):
            right += 1
        else:
            wrong.append(quote)
    odd = _odd_roles(quotes, reading)
    findings = []
    for quote in wrong:
        is_odd = quote.role in odd or quote.is_whole
        is_firm = not is_odd and _is_narrow(quote, reading)
        findings.append(differs(quote, is_firm=is_firm))
    return right, findings


def _odd_roles(quotes: Sequence[Quote], reading: Reading) -> set[Role]:
    """What some numbers say of something else: there are more than cells, or another one is it."""
    odd = set[Role]()
    values = [quote for quote in quotes if quote.role == "value"]
    is_told = any(quote.fits for quote in values)
    if len(values) > len(reading.cells) and (is_told or "respectively" in reading.text):
        odd.add("value")
    for number in read_numbers(reading.text):
        if fits(number, "count", reading.cells, reading.names.figure):
            odd.add("count")
    return odd


def _quotes(sentence: Piece, reading: Reading) -> list[Quote]:
    """The numbers of a sentence that say something of cells."""
    text = reading.text
    unnamed = without_names(text, reading.mentions)
    numbers = [number for number in read_numbers(text) if unnamed[number.start] != " "]
    roles = [(number, reading.role(number)) for number in numbers]
    foreign = CITED in text or vocabulary.FOREIGN.search(text) is not None
    values = [number for number, role in roles if role == "value"]
    quotes = []
    for number, role in roles:
        cells = reading.cells
        if role == "value":
            cells = _cells_in_order(values.index(number), len(values), reading)
            cells = reading.top(cells) or cells
        if role != "other":
            quotes.append(Quote(sentence, number, role, cells, foreign))
    return quotes


def _cells_in_order(index: int, count: int, reading: Reading) -> Sequence[FigureCell]:
    """The cells of a value among several: as many names as values stand in their order."""
    values_of_columns = {}
    for column, mentions in reading.mentions.items():
        listed = [mention.value for mention in mentions]
        is_ordered = count == len(listed) == len(set(listed)) > 1
        if is_ordered:
            values_of_columns[column] = listed[index : index + 1]
        else:
            values_of_columns[column] = listed
    return reading.names.select(values_of_columns) or reading.cells


def _is_beside(quote: Quote) -> bool:
    """Whether it is an error of the only cell, or an end of its interval."""
    if quote.role != "value" or len(quote.cells) > 1:
        return False
    roles: list[Role] = ["error", "end"]
    return any(fits(quote.number, role, quote.cells, quote.cells[0].figure) for role in roles)


def _is_narrow(quote: Quote, reading: Reading) -> bool:
    """Whether a sentence says so narrowly which number it means that another contradicts."""
    number = quote.number
    cells = quote.cells
    if quote.role == "count":
        sizes = {cell.exact.n for cell in cells} - {None}
        return bool(reading.words) and 0 < len(sizes) <= SIZES
    if quote.role == "difference":
        return len(cells) == 2 and not reading.open
    if quote.role != "value":
        return not reading.open
    is_shared = vocabulary.SHARED.search(without_names(reading.text, reading.mentions))
    if len(cells) > FEW or is_shared or is_apart(number, reading.cells):
        return False
    is_of_best = len(cells) < len(reading.cells) and len(reading.mentions) > 1
    may_be_open = is_of_best and reading.names.numeric.issuperset(set(reading.open) - {"model"})
    is_percent = reading.names.figure.percent and PERCENT.match(reading.text, number.end)
    is_near = is_percent or _is_in_range(number, reading)
    return bool(is_near) and (may_be_open or not reading.open)


def _is_in_range(number: Number, reading: Reading) -> bool:
    """Whether a number may be a value where the sentence is: no further from all than they lie."""
    cells = reading.names.select(reading.words)
    values = values_of(cells)
    low = min(values, default=0.0)
    high = max(values, default=0.0)
    room = (high - low) or abs(high)
    sizes = [number.value]
    if reading.names.figure.percent and abs(number.value) <= 1:
        sizes.append(number.value * SHARE)
    elif not reading.names.figure.percent and high <= 1:
        sizes.append(number.value / SHARE)
    return any(low - room <= size <= high + room for size in sizes)


# ---------------------------------------------------------------------------------------- claims

STANDINGS = {"best": 0, "differs": 0, "tied": 1, "level": 1, "alike": 1}
"""In which order cells are told of; all others come last."""


def claims(
    sentence: Piece, figures: Sequence[FigureNames], *, all_of_them: bool
) -> Iterator[Finding]:
    """Words of comparison beside names of cells: how these stand, as a question.

    Without `all_of_them` only claims that the cells do not bear.
    """
    words = vocabulary.CLAIMS.search(sentence.text)
    if words is None:
        return
    for reading in readings(sentence.text, figures)[:1]:
        if _is_borne(reading) and not all_of_them:
            continue
        cells = sorted(reading.cells, key=lambda cell: STANDINGS.get(cell.standing, 2))
        first = cells[0]
        why = "; ".join(
            f"{cell.words}: {cell.value or 'no value'}, {cell.verdict}" for cell in cells
        )
        if len(cells) > FEW:
            verdicts = dict.fromkeys(cell.verdict for cell in cells)
            why = f"{facts_words(cells, 'value')}: {', '.join(verdicts)}"
        yield finding(
            "question", sentence.place(words.start()), words[0], f"{first.figure_name}: {why}",
            prints=first.verdict, command=first.command,
        )  # fmt: skip


def _is_borne(reading: Reading) -> bool:
    """Whether no cell speaks against a claim."""
    standings = {cell.standing for cell in reading.cells}
    if not vocabulary.FIRM.search(reading.text) or vocabulary.DENIED.search(reading.text):
        return "behind" not in standings and "differs" not in standings
    shared = any(";" in cell.verdict for cell in reading.cells if cell.standing == "best")
    return not shared and not standings & {"level", "tied", "alike", "unjudged"}
