"""Numbers and claims of sentences, beside the cells that the sentence names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from heatproof.paper import vocabulary
from heatproof.paper.findings import Finding, finding
from heatproof.paper.names import without_names
from heatproof.paper.sources import CITED
from heatproof.paper.typed_numbers import (
    SHARE,
    Number,
    is_count,
    is_end,
    is_error,
    is_printed,
    is_value,
    read_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.printed_values import PrintedCell, PrintedFigure
    from heatproof.paper.names import FigureNames, Mention
    from heatproof.paper.sources import Piece

Role = Literal["value", "error", "end", "count", "difference", "none"]
SHORTENED = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|cf|resp|approx|[Ff]igs?|[Tt]abs?|[Ss]ecs?|[Ee]qs?|No|ca|s\.e)"
    r"|\b[A-Z])\.$"
)
END = re.compile(r"(?<=[.!?])[)\]\"'”’]*\s+(?=[^a-z\s]|[a-z]+(?:[-_]\w|\d))")
BRACKET = re.compile(r"[\[(][^\])]*$")
PAIR = re.compile(r"[\[(]\s*[^\])]*\d\s*(?:,|–|-|to)\s*[^\])]*\d")
PERCENT = re.compile(r"\s*(?:%|percent\b)")
FEW = 4  # cells that a message names, at most


@dataclass
class Reading:
    """A sentence with the cells of a figure that it names."""

    names: FigureNames
    mentions: Mapping[str, list[Mention]]
    cells: list[PrintedCell]
    open: list[str]  # columns that it does not narrow
    strength: int  # how many columns it narrows


def sentences(paragraph: Piece) -> Iterator[Piece]:
    """The sentences of a paragraph."""
    start = 0
    for match in END.finditer(paragraph.text):
        if SHORTENED.search(paragraph.text[: match.start()].rstrip(")]\"'”’")):
            continue
        yield paragraph.cut(start, match.start()).stripped()
        start = match.end()
    yield paragraph.cut(start, len(paragraph.text)).stripped()


def readings(text: str, figures: Sequence[FigureNames]) -> list[Reading]:
    """The figures of which a sentence names cells, those that it narrows the most first."""
    found = [(names, names.mentions(text)) for names in figures]
    everywhere = {column for _, mentions in found for column in mentions}
    kept = []
    for names, mentions in found:
        elsewhere = any(c in names.values and c not in mentions for c in everywhere)
        if not mentions or elsewhere:
            continue
        wanted = {column: [m.value for m in listed] for column, listed in mentions.items()}
        cells = names.select(wanted)
        if cells:
            shared = _shared_columns(mentions)
            open_columns = names.open_columns(mentions) + shared
            strength = len(mentions) - bool(shared)
            kept.append(Reading(names, mentions, cells, open_columns, strength))
    strongest = max((reading.strength for reading in kept), default=0)
    narrowest = [reading for reading in kept if reading.strength == strongest]
    return sorted(narrowest, key=lambda reading: len(reading.open))


def _shared_columns(mentions: Mapping[str, list[Mention]]) -> list[str]:
    """Columns of which a value is named by a word that names one of another column, too."""
    counted: Counter[tuple[int, int]] = Counter()
    for listed in mentions.values():
        counted.update({(mention.start, mention.end) for mention in listed})
    shared = []
    for column, listed in mentions.items():
        if any(counted[mention.start, mention.end] > 1 for mention in listed):
            shared.append(column)
    return shared


# --------------------------------------------------------------------------------------- numbers


def check_sentence(sentence: Piece, figures: Sequence[FigureNames]) -> tuple[int, list[Finding]]:
    """How many numbers of a sentence are those of the cells that it names, and the others."""
    text = sentence.text
    listed = readings(text, figures)
    if not listed:
        return 0, []
    best: tuple[int, list[Finding]] = (0, [])
    fewest: tuple[int, int] | None = None
    for reading in listed:
        right, findings = _check(sentence, reading)
        firm = sum(item.sort == "contradiction" for item in findings)
        if fewest is None or (firm, -right) < fewest:
            fewest, best = (firm, -right), (right, findings)
    return best


def _check(sentence: Piece, reading: Reading) -> tuple[int, list[Finding]]:
    text = sentence.text
    said = without_names(text, reading.mentions)
    taken = {(m.start, m.end) for listed in reading.mentions.values() for m in listed}
    numbers = [n for n in read_numbers(text) if (n.start, n.end) not in taken]
    roles = [(number, _role(text, number, reading)) for number in numbers]
    foreign = CITED in text or bool(vocabulary.FOREIGN.search(text))
    values = [number for number, role in roles if role == "value"]
    right, findings = 0, list[Finding]()
    # Of more numbers than cells some are of something else, if one is of them.
    crowded = len(values) > len(reading.cells) and any(
        is_printed(number, cell.exact, reading.names.figure)
        for number in values for cell in reading.cells
    )  # fmt: skip
    crowded = crowded or (len(values) > len(reading.cells) and "respectively" in text)
    counted = any(is_count(number, cell.exact) for number in numbers for cell in reading.cells)
    for number, role in roles:
        is_large = reading.names.figure.percent and abs(number.value) > SHARE
        if role == "none" or (role != "count" and is_large):
            continue
        cells = _meant(number, values, reading) if role == "value" else reading.cells
        verdict = _judge(number, role, cells, reading, said)
        if verdict == "right":
            right += 1
            continue
        item = _finding(sentence, number, role, cells, reading)
        is_whole = role == "value" and not number.places and "." in cells[0].value
        is_percent = reading.names.figure.percent and PERCENT.match(text, number.end)
        is_near = is_percent or _is_in_range(number, reading)
        is_odd = role == "value" and (crowded or not is_near)
        if verdict == "open" or foreign or is_whole or is_odd or (role == "count" and counted):
            item.sort = "look"
        findings.append(item)
    return right, findings


def _is_in_range(number: Number, reading: Reading) -> bool:
    """Whether a number may be a value where the sentence is: no further from all than they lie."""
    names = reading.names
    words = {
        column: [mention.value for mention in listed]
        for column, listed in reading.mentions.items() if not names.numeric(column)
    }  # fmt: skip
    values = [cell.exact.value for cell in names.select(words) if cell.exact.value is not None]
    if not values:
        return False
    low, high = min(values), max(values)
    room = (high - low) or abs(high)
    scales = [1.0]
    if names.figure.percent and abs(number.value) <= 1:
        scales.append(SHARE)
    if not names.figure.percent and high <= 1:
        scales.append(1 / SHARE)
    return any(low - room <= number.value * scale <= high + room for scale in scales)


def _role(text: str, number: Number, reading: Reading) -> Role:
    """What a number says of a cell, by the words around it."""
    before, after = text[: number.start], text[number.end :]
    if before.rstrip().endswith("±"):
        return "error"
    if vocabulary.SIZED.search(before) or vocabulary.COUNTED.match(after):
        return "count"
    is_change = _is_change(number, before, after)
    role: Role = "none"
    if vocabulary.UNIT.match(after) or (vocabulary.NO_VALUE.search(before) and not is_change):
        return role
    if vocabulary.VERSIONED.search(before) and not _is_named(before, reading):
        return role
    digits = {len(cell.value.partition(".")[2]) for cell in reading.cells if cell.value}
    is_percent = PERCENT.match(after) is not None
    if is_change:
        role = "difference"
    elif _is_end(text, before):
        role = "end"
    elif number.places or is_percent or digits == {0}:
        role = "value"
    return role


def _is_named(before: str, reading: Reading) -> bool:
    """Whether the last word before a number names a value of the figure."""
    end = len(before.rstrip())
    return any(m.end == end for listed in reading.mentions.values() for m in listed)


def _is_change(number: Number, before: str, after: str) -> bool:
    """Whether a number is said to be a difference."""
    if vocabulary.CHANGED.search(before) or vocabulary.POINTS.match(after):
        return True
    return bool(number.sign) and vocabulary.COMPARED.search(after) is not None


def _is_end(text: str, before: str) -> bool:
    """Whether a number is said to be the end of an interval."""
    if not vocabulary.RANGED.search(text):
        return False
    if BRACKET.search(before) and PAIR.search(text):
        return True
    is_near = vocabulary.RANGED.search(before[-60:]) is not None
    return is_near and re.search(r"(?:from|between|to|and|–)\s*$", before) is not None


def _meant(number: Number, values: Sequence[Number], reading: Reading) -> list[PrintedCell]:
    """The cells that a number may be of; as many names as numbers stand in their order."""
    wanted = {}
    index = values.index(number)
    for column, listed in reading.mentions.items():
        values_named = [m.value for m in listed]
        if len(listed) == len(values) > 1 and len(set(values_named)) == len(values_named):
            wanted[column] = [values_named[index]]
        else:
            wanted[column] = values_named
    cells = reading.names.select(wanted)
    return cells or reading.cells


def _judge(
    number: Number, role: Role, cells: Sequence[PrintedCell], reading: Reading, text: str
) -> str:
    """`right`, `wrong`, or `open` where the sentence does not name the cells so narrowly."""
    figure = reading.names.figure
    unsaid = "open" if reading.open else "wrong"
    if role == "count":
        return _judge_count(number, cells, reading)
    if role == "difference":
        return _judge_difference(number, cells, reading)
    if role == "value":
        return _judge_value(number, cells, reading, text)
    test = is_error if role == "error" else is_end
    return "right" if any(test(number, cell.exact, figure) for cell in cells) else unsaid


def _judge_value(number: Number, cells: Sequence[PrintedCell], reading: Reading, text: str) -> str:
    figure, ends = reading.names.figure, _top(cells, text)
    if any(is_printed(number, cell.exact, figure) for cell in ends or cells):
        return "right"
    if len(cells) == 1 and _is_beside(number, cells[0], figure):
        return "right"
    is_wide = len(ends or cells) > FEW
    if is_wide or vocabulary.SHARED.search(text) or _is_difference(number, reading):
        return "open"
    is_of_best = 0 < len(ends) < len(cells) and len(reading.mentions) > 1
    return "open" if reading.open and not is_of_best else "wrong"


def _is_beside(number: Number, cell: PrintedCell, figure: PrintedFigure) -> bool:
    """Whether it is an error of a cell, or an end of its interval."""
    return is_error(number, cell.exact, figure) or is_end(number, cell.exact, figure)


def _top(cells: Sequence[PrintedCell], text: str) -> list[PrintedCell]:
    """The highest of some cells, or the lowest, if the sentence speaks of it."""
    known = [cell for cell in cells if cell.exact.value is not None]
    values = [cell.exact.value or 0.0 for cell in known]
    if not known or bool(vocabulary.TOP.search(text)) == bool(vocabulary.LOWEST.search(text)):
        return []
    end = max(values) if vocabulary.TOP.search(text) else min(values)
    return [cell for cell in known if cell.exact.value == end]


def _judge_count(number: Number, cells: Sequence[PrintedCell], reading: Reading) -> str:
    sizes = {cell.exact.n for cell in cells} | {cell.exact.records for cell in cells}
    if any(is_count(number, cell.exact) for cell in cells):
        return "right"
    words = [column for column in reading.mentions if not reading.names.numeric(column)]
    is_narrow = 0 < len(sizes - {None}) <= 2
    return "wrong" if is_narrow and words else "open"


def _is_difference(number: Number, reading: Reading) -> bool:
    for one, two in combinations(reading.cells, 2):
        if one.exact.value is None or two.exact.value is None:
            continue
        exact = abs(one.exact.value - two.exact.value)
        if abs(abs(number.value) - exact) <= 2 * number.step + 1e-9:
            return True
    return False


def _judge_difference(number: Number, cells: Sequence[PrintedCell], reading: Reading) -> str:
    if _is_difference(number, reading) or any(
        is_value(number, cell.exact.value, reading.names.figure)
        or is_value(number._replace(value=-number.value), cell.exact.value, reading.names.figure)
        for cell in cells
    ):
        return "right"
    return "wrong" if len(cells) == 2 and not reading.open else "open"


FACTS: Mapping[Role, tuple[str, str]] = {
    "value": ("value", "prints"),
    "difference": ("value", "prints"),
    "error": ("se", "has ±"),
    "end": ("interval", "has the interval"),
    "count": ("n", "counts"),
}
"""What a number says → the fact of a cell, and what the figure does with it."""


def _finding(
    sentence: Piece, number: Number, role: Role, cells: Sequence[PrintedCell], reading: Reading
) -> Finding:
    names, (fact, verb) = reading.names, FACTS[role]
    nearest = sorted(cells, key=lambda cell: abs((cell.exact.value or 0.0) - number.value))
    first = nearest[0]
    why = f"{names.name(first)} {verb} {_facts_words(nearest, fact, names)}"
    if role == "difference" and len(cells) == 2:
        distance = abs((cells[0].exact.value or 0.0) - (cells[1].exact.value or 0.0))
        why += f": {distance:.{number.places}f} apart"
    return finding(
        "contradiction", sentence.place(number.start), number.text, why,
        prints=getattr(first, fact), command=names.command(first),
    )  # fmt: skip


def _facts_words(cells: Sequence[PrintedCell], fact: str, names: FigureNames) -> str:
    """The facts of some cells; of many the first and last, and what their cells have in common."""
    if len(cells) <= FEW:
        return ", ".join(f"{getattr(c, fact) or 'nothing'} at {names.words_of(c)}" for c in cells)
    ordered = sorted(cells, key=lambda cell: cell.exact.value or 0.0)
    ends = [getattr(cell, fact) or "nothing" for cell in (ordered[0], ordered[-1])]
    shared = set.intersection(*(set(cell.address.items()) for cell in cells))
    common = {column: v for column, v in cells[0].address.items() if (column, v) in shared}
    place = ", ".join(f"{column}={value}" for column, value in common.items())
    return f"{' to '.join(ends)} in {len(cells)} cells{' with ' if place else ''}{place}"


# ---------------------------------------------------------------------------------------- claims


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
        if _is_borne(reading, sentence.text) and not all_of_them:
            continue
        told = sorted(reading.cells, key=lambda cell: STANDINGS.get(cell.standing, 2))
        names, first = reading.names, told[0]
        why = _facts_words(told, "value", names)
        if len(told) > FEW:
            why += f": {', '.join(dict.fromkeys(cell.verdict for cell in told))}"
        else:
            why = "; ".join(_stands_words(cell, names) for cell in told)
        yield finding(
            "question", sentence.place(words.start()), words[0], f"{names.name(first)}: {why}",
            prints=first.verdict, command=names.command(first),
        )  # fmt: skip


def _stands_words(cell: PrintedCell, names: FigureNames) -> str:
    return f"{names.words_of(cell)}: {cell.value or 'no value'}, {cell.verdict}"


STANDINGS = {"best": 0, "differs": 0, "tied": 1, "level": 1, "alike": 1}
"""In which order cells are told of; all others come last."""


def _is_borne(reading: Reading, text: str) -> bool:
    """Whether no cell speaks against a claim."""
    standings = {cell.standing for cell in reading.cells}
    firm, denied = vocabulary.FIRM.search(text), vocabulary.DENIED.search(text)
    if not firm or denied:
        return "behind" not in standings and "differs" not in standings
    shared = any(";" in cell.verdict for cell in reading.cells if cell.standing == "best")
    return not shared and not standings & {"level", "tied", "alike", "unjudged"}
