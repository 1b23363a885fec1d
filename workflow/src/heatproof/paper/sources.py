"""The files of a manuscript, and plain text of them that knows where each letter stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CITED, REFERRED, BOUND = "\ue000", "\ue001", "\ue002"
"""Letters that stand for a citation, for a reference, and for a number that is named."""


class Place(NamedTuple):
    """Where something stands, counted from 1; of a PDF the line is that of its text."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """A text in which blanks stand for what a pattern matches: lines and offsets stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class SourceFile:
    """The text of a file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self._starts = [0]
        for number, letter in enumerate(text):
            if letter == "\n":
                self._starts.append(number + 1)

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return Place(self.name, line, offset - self._starts[line - 1] + 1)


@dataclass
class Piece:
    """Plain text, each letter with its offset in the file."""

    source: SourceFile
    text: str = ""
    offsets: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # that references in it name

    def add(self, text: str, offset: int, step: int = 1) -> None:
        """Add text that begins at an offset; `step` 0: all of it stands for what is there."""
        self.text += text
        for number in range(len(text)):
            self.offsets.append(offset + step * number)

    def part(self, start: int, end: int) -> Piece:
        return Piece(self.source, self.text[start:end], self.offsets[start:end], self.labels)

    def place(self, index: int = 0) -> Place:
        """Where a letter stands."""
        if not self.offsets:
            return self.source.place(0)
        return self.source.place(self.offsets[min(index, len(self.offsets) - 1)])

    def stripped(self) -> Piece:
        """The same without white space at its ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.part(start, len(self.text.rstrip()))


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
    labels: tuple[str, ...] = ()  # of the figure in which it stands


@dataclass
class TableCell:
    """A cell of a table, with the room that it takes."""

    content: Piece
    wide: int = 1
    tall: int = 1
    is_bold: bool = False


@dataclass
class SourceTable:
    """A table: rows of cells as they are written, and its caption."""

    place: Place
    rows: list[list[TableCell]]
    captions: list[Piece]
    labels: list[str] = field(default_factory=list)

    def grid(self) -> list[list[TableCell | None]]:
        """Rows of one length: what is wide or tall stands in each place that it takes."""
        places: dict[tuple[int, int], TableCell] = {}
        for number, row in enumerate(self.rows):
            column = 0
            for cell in row:
                is_empty = not cell.content.text.strip()
                for step in range(cell.wide):
                    if is_empty and (number, column + step) in places:
                        continue  # a tall cell from above
                    for down in range(cell.tall):
                        places[number + down, column + step] = cell
                column += cell.wide
        width = max((column + 1 for _, column in places), default=0)
        return [[places.get((n, c)) for c in range(width)] for n in range(len(self.rows))]


@dataclass
class Manuscript:
    """What a manuscript says and shows."""

    graphics: list[Graphic] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    tables: list[SourceTable] = field(default_factory=list)
    texts: list[Piece] = field(default_factory=list)  # paragraphs and captions
    figure_labels: dict[str, list[str]] = field(default_factory=dict)  # label → files it shows

    def show(self, graphic: Graphic) -> None:
        """Add a graphic; its labels name it from now on."""
        self.graphics.append(graphic)
        for label in graphic.labels:
            self.figure_labels.setdefault(label, []).append(graphic.name)

    def paragraphs(self) -> Iterator[Piece]:
        """The paragraphs of all texts."""
        for piece in self.texts:
            start = 0
            for end in [*_breaks(piece.text), len(piece.text)]:
                part = piece.part(start, end).stripped()
                if part.text:
                    yield part
                start = end


def _breaks(text: str) -> Iterator[int]:
    position = text.find("\n\n")
    while position >= 0:
        yield position + 2
        position = text.find("\n\n", position + 2)
