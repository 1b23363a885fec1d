"""A manuscript as plain text that knows where each letter stands, whatever its format.

A format is a `Markup`: rules that make its text plain, and functions that find its tables, figures
and named numbers as spans of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

CITED, REFERRED, BOUND = "\ue000", "\ue001", "\ue002"
"""Letters that stand for a citation, for a reference, and for a number that is named."""
KEPT = "\ue003"
"""In the replacement of a rule: the first group, each letter with its place."""
Span = tuple[int, int]
Rule = tuple[re.Pattern[str], str | Mapping[str, str]]
"""What is matched, and what stands for it; of a mapping, by the first group."""


class Place(NamedTuple):
    """Where something stands, counted from 1; of a PDF the line is that of its text."""

    file: str
    line: int
    column: int


class SourceFile:
    """The text of a file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return Place(self.name, line, offset - self._starts[line - 1] + 1)


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """A text in which blanks stand for what a pattern matches: lines and offsets stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


@dataclass
class Piece:
    """Plain text, each letter with its offset in the file."""

    source: SourceFile
    text: str = ""
    offsets: list[int] = field(default_factory=list)

    def cut(self, start: int, end: int) -> Piece:
        return Piece(self.source, self.text[start:end], self.offsets[start:end])

    def place(self, index: int = 0) -> Place:
        """Where a letter stands."""
        offsets = self.offsets or [0]
        return self.source.place(offsets[min(index, len(offsets) - 1)])

    def stripped(self) -> Piece:
        """The same without white space at its ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, len(self.text.rstrip()))

    def rewritten(self, rules: Iterable[Rule]) -> Piece:
        """The same with all that the rules match replaced, one rule after the other."""
        piece = self
        for pattern, replacement in rules:
            piece = piece._replaced(pattern, replacement)
        return piece

    def _replaced(self, pattern: re.Pattern[str], replacement: str | Mapping[str, str]) -> Piece:
        texts, offsets, last = [], list[int](), 0
        for match in pattern.finditer(self.text):
            new = replacement if isinstance(replacement, str) else replacement[match[1]]
            before, kept, after = new.partition(KEPT)
            span = match.span(1) if kept else (match.end(), match.end())
            place = self.offsets[match.start()]
            texts += [self.text[last : match.start()], before, self.text[slice(*span)], after]
            offsets += self.offsets[last : match.start()] + [place] * len(before)
            offsets += self.offsets[slice(*span)] + [place] * len(after)
            last = match.end()
        texts.append(self.text[last:])
        offsets += self.offsets[last:]
        return Piece(self.source, "".join(texts), offsets)

    def paragraphs(self) -> Iterator[Piece]:
        """Its paragraphs, which blank lines part."""
        for match in re.finditer(r"(?:(?!\n[ \t]*\n).)+", self.text, re.DOTALL):
            cut = self.cut(*match.span()).stripped()
            if cut.text:
                yield cut


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

    start: int
    end: int
    rows: list[list[CellSpan]]
    captions: list[Span]


@dataclass
class SourceTable:
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

    def read(self, name: str, raw: str, manuscript: Manuscript, start: int = 0) -> None:
        """Add what a file says from an offset on."""
        source = SourceFile(name, blanked(raw, self.hidden))
        for match in self.graphic.finditer(source.text):
            place = source.place(match.start())
            manuscript.graphics.append(Graphic(match[1].strip(), place))
        for match in self.named.finditer(source.text, start):
            manuscript.calls.append(_call(match, source))
        for layout in self.layouts(source.text):
            if layout.start >= start:
                manuscript.texts.append(self._plain(source, start, layout.start))
                manuscript.tables.append(self._table(source, layout))
                start = layout.end
        manuscript.texts.append(self._plain(source, start, len(source.text)))

    def _plain(self, source: SourceFile, start: int, end: int) -> Piece:
        piece = Piece(source, source.text[start:end], [*range(start, end)])
        return piece.rewritten(self.rules)

    def _table(self, source: SourceFile, layout: Layout) -> SourceTable:
        captions = [self._plain(source, *span).text for span in layout.captions]
        empty = Piece(source)
        places: dict[tuple[int, int], Piece] = {}
        for row, spans in enumerate(layout.rows):
            column = 0
            for span in spans:
                piece = self._plain(source, span.start, span.end).stripped()
                for number in range(span.wide * span.tall):
                    down, right = divmod(number, span.wide)
                    place = row + down, column + right
                    if piece.text or place not in places:  # else a tall cell from above
                        places[place] = piece
                column += span.wide
        width = max((column + 1 for _, column in places), default=0)
        rows = []
        for row in range(len(layout.rows)):
            line = [places.get((row, column), empty) for column in range(width)]
            if any(piece.text for piece in line):
                rows.append(line)
        return SourceTable(source.place(layout.start), rows, " ".join(captions))


def _call(match: re.Match[str], source: SourceFile) -> Call:
    texts = {name: (text or "").replace("\\", "") for name, text in match.groupdict().items()}
    fact = texts.get("fact", "").strip() or "value"
    place = source.place(match.start())
    return Call(fact, texts["figure"].strip(), texts["cell"], place, texts.get("other", ""))
