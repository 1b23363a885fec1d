"""A manuscript as plain text that knows where each letter stands, whatever its format.

A format is a `Markup`: rules that make its text plain, and functions that find its tables, figures
and named numbers as spans of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import NamedTuple

CITED = "\ue000"
REFERRED = "\ue001"
BOUND = "\ue002"
"""Letters that stand for a citation, for a reference, and for a number that is named."""
KEPT = "\ue003"
BREAK = "\ue004"
GONE = "\ue005"
"""In the replacement of a rule: its first group; where a paragraph ends; a letter that goes."""
Span = tuple[int, int]
Rule = tuple[re.Pattern[str], str | Mapping[str, str]]
"""What is matched, and what stands for it, which is no longer; of a mapping, by the first group."""
PARAGRAPH = re.compile(rf"(?:(?!\n[ \t]*\n)[^{BREAK}])+", re.DOTALL)


class Place(NamedTuple):
    """Where something stands, counted from 1; of a PDF the line is that of its text."""

    file: str
    line: int
    column: int


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """A text in which blanks stand for what a pattern matches: lines and offsets stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class SourceFile(NamedTuple):
    """The text of a file, and what stands in for longer texts in it."""

    name: str
    text: str
    macros: Mapping[str, str] = {}  # letter → the text that it stands for

    def place(self, offset: int) -> Place:
        before = self.text[:offset]
        return Place(self.name, before.count("\n") + 1, offset - before.rfind("\n"))

    def plain(self, span: Span, rules: Sequence[Rule]) -> Piece:
        """A part of it as plain text: one rule after the other replaces what it matches."""
        text = self.text[slice(*span)]
        for pattern, replacement in rules:
            text = pattern.sub(partial(_replaced, replacement), text)
        letters = list[str]()
        offsets = list[int]()
        for offset, letter in enumerate(text, span[0]):
            if letter != GONE:
                words = self.macros.get(letter, letter)
                letters.append(words)
                offsets += repeat(offset, len(words))
        return Piece(self, "".join(letters), offsets)


def _replaced(replacement: str | Mapping[str, str], match: re.Match[str]) -> str:
    """What stands for a match, as long as it is."""
    if isinstance(replacement, str):
        new = replacement
    else:
        new = replacement[match[1]]
    before, kept, after = new.partition(KEPT)
    if not kept:
        return new.ljust(len(match[0]), GONE)
    start, end = match.span(1)
    left = before.ljust(start - match.start(), GONE)
    return left + match[1] + after.ljust(match.end() - end, GONE)


class Piece(NamedTuple):
    """Plain text, each letter with its offset in the file."""

    source: SourceFile
    text: str = ""
    offsets: Sequence[int] = ()

    def cut(self, start: int, end: int) -> Piece:
        return Piece(self.source, self.text[start:end], self.offsets[start:end])

    def place(self, index: int = 0) -> Place:
        """Where a letter stands."""
        offset = 0
        if self.offsets:
            offset = self.offsets[min(index, len(self.offsets) - 1)]
        return self.source.place(offset)

    def stripped(self) -> Piece:
        """The same without white space at its ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, len(self.text.rstrip()))

    def paragraphs(self) -> Iterator[Piece]:
        """Its paragraphs, which blank lines part."""
        for match in PARAGRAPH.finditer(self.text):
            yield self.cut(*match.span()).stripped()


class Call(NamedTuple):
    """A number that the manuscript names, by a fact of a figure and a cell, or two."""

    fact: str
    figure: str
    cell: str
    place: Place
    other: str = ""  # of a difference: the second cell


class Graphic(NamedTuple):
    """A file that the manuscript shows."""

    name: str
    place: Place


class CellSpan(NamedTuple):
    """A cell of a table in a text, with the room that it takes."""

    start: int
    end: int
    wide: int = 1
    tall: int = 1


class Layout(NamedTuple):
    """A table in a text: its rows as they are written, and its captions."""

    span: Span
    rows: list[list[CellSpan]]
    captions: list[Span]


class SourceTable(NamedTuple):
    """A table as rows of one length: what is wide or tall stands in each place that it takes."""

    place: Place
    rows: list[list[Piece]]
    caption: str


@dataclass
class Manuscript:
    """What a manuscript says and shows."""

    graphics: list[Graphic] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    tables: list[SourceTable] = field(default_factory=list)
    texts: list[Piece] = field(default_factory=list)  # paragraphs and captions


@dataclass(frozen=True)
class Markup:
    """How texts of a format are read."""

    hidden: re.Pattern[str]  # comments and code
    rules: Sequence[Rule]
    named: re.Pattern[str]  # a number by name: groups `figure`, `cell`, `fact` and `other`
    layouts: Callable[[str], Iterator[Layout]]
    graphic: re.Pattern[str]  # a file that is shown: its first group
    macros: Mapping[str, str] = field(default_factory=dict)

    def read(self, name: str, raw: str, manuscript: Manuscript, start: int = 0) -> None:
        """Add what a file says from an offset on."""
        source = SourceFile(name, blanked(raw, self.hidden), self.macros)
        for match in self.graphic.finditer(source.text):
            place = source.place(match.start())
            manuscript.graphics.append(Graphic(match[1].strip(), place))
        for match in self.named.finditer(source.text, start):
            manuscript.calls.append(_call(match, source))
        for layout in self.layouts(source.text):
            if layout.span[0] >= start:
                text = source.plain((start, layout.span[0]), self.rules)
                manuscript.texts.append(text)
                manuscript.tables.append(self._table(source, layout))
                start = layout.span[1]
        text = source.plain((start, len(source.text)), self.rules)
        manuscript.texts.append(text)

    def _table(self, source: SourceFile, layout: Layout) -> SourceTable:
        captions = [source.plain(span, self.rules).text for span in layout.captions]
        grid: list[dict[int, Piece]] = [{} for _ in layout.rows]
        for number, spans in enumerate(layout.rows):
            column = 0
            for span in spans:
                piece = source.plain((span.start, span.end), self.rules).stripped()
                for line in grid[number : number + span.tall]:
                    for place in range(column, column + span.wide):
                        if piece.text or place not in line:  # else a tall cell from above
                            line[place] = piece
                column += span.wide
        width = max((max(line, default=-1) + 1 for line in grid), default=0)
        rows = []
        for line in grid:
            row = [line.get(place, Piece(source)) for place in range(width)]
            if any(piece.text for piece in row):
                rows.append(row)
        return SourceTable(source.place(layout.span[0]), rows, " ".join(captions))


def _call(match: re.Match[str], source: SourceFile) -> Call:
    texts = {name: (text or "").replace("\\", "") for name, text in match.groupdict().items()}
    fact = texts.get("fact", "").strip() or "value"
    place = source.place(match.start())
    return Call(fact, texts["figure"].strip(), texts["cell"], place, texts.get("other", ""))
