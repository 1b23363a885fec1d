"""Manuscripts in LaTeX, as plain text with tables, figures and named numbers taken out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from heatproof.paper.sources import (
    BOUND,
    CITED,
    REFERRED,
    Call,
    Graphic,
    Manuscript,
    Piece,
    SourceFile,
    SourceTable,
    TableCell,
    blanked,
)
from heatproof.paper.values import PAIR_FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Span = tuple[int, int]

TABLES = (
    "tabular|tabularx|tabulary|longtable|xltabular|supertabular|array|tblr|longtblr|NiceTabular"
)
SIZED = ("tabularx", "tabulary", "xltabular")  # with a width before their columns
TABLE = re.compile(rf"\\begin\s*\{{({TABLES})(\*?)\}}")
FLOAT = re.compile(r"\\begin\s*\{((?:sideways|wrap|long)?(?:table|figure)\*?|subfigure)\}")
COMMENT = re.compile(r"(?<!\\)%[^\n]*")
VERBATIM = re.compile(
    r"\\begin\{(verbatim|lstlisting|minted|comment)\*?\}.*?\\end\{\1\*?\}", re.DOTALL
)
DEFINED = re.compile(
    r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z]+)\}?\s*\{|\\def\s*\\([A-Za-z]+)\s*\{"
)
INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)\*?|\\(?P<sign>.)|(?P<mark>[{}$~^_&])|(?P<dash>--+)|[^\\{}$~^_&-]+|-",
    re.DOTALL,
)
SIGNS = {
    "pm": "±", "textpm": "±", "times": "×", "cdot": "·", "Delta": "Δ", "approx": "≈", "sim": "≈",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "to": "→", "rightarrow": "→", "percent": "%",
    "quad": " ", "qquad": " ", "newline": " ", "xspace": "", "par": "\n\n", "item": "\n\n",
    "dots": "…", "ldots": "…", "dagger": "†", "ddagger": "†", "textendash": "–",
    "textminus": "−", "textbackslash": "/", "backslash": "/",
}  # fmt: skip
GONE = dict.fromkeys((
    "label", "includegraphics", "usepackage", "vspace", "hspace", "cmidrule", "bibliography",
    "bibliographystyle", "scalebox", "cline", "color", "textcolor", "cellcolor", "rowcolor",
    "url", "input", "include", "begin", "end", "href", "thispagestyle", "pagestyle", "raisebox",
    "SetCell", "graphicspath",
), 1) | {
    "setlength": 2, "addtolength": 2, "resizebox": 2, "multicolumn": 2, "multirow": 2,
    "setcounter": 2, "fontsize": 2, "rule": 2, "newcommand": 2, "renewcommand": 2,
    "specialrule": 3, "definecolor": 3, "hplet": 3,
}  # fmt: skip
"""Commands whose first arguments are no text."""
APART = {
    "caption", "captionof", "subcaption", "section", "subsection", "subsubsection", "paragraph",
    "chapter", "title", "abstract", "footnote", "begin", "end",
}  # fmt: skip
"""Commands whose text is a paragraph of its own."""
NUMBERS = ("num", "SI", "qty")  # of siunitx
CITE = re.compile(r"[Cc]ite\w*|parencite|textcite|footcite|autocite")
REF = re.compile(r"(?:auto|c|C|eq|page|sub|name|v)?ref")
STRONG = ("textbf", "mathbf", "bm", "bfseries", "boldsymbol")
DEEPEST = 4  # macros within macros
OPTION = re.compile(r"\s*\[([^\]]*)\]")


class Stretch(NamedTuple):
    """What is read, and where it goes."""

    text: str
    end: int
    piece: Piece
    fixed: int = -1  # the offset of all of it, if a macro stands for it
    depth: int = 0

    def place(self, at: int) -> int:
        return at if self.fixed < 0 else self.fixed


class Reader:
    """Reads one file; `macros`: commands without arguments that the manuscript defines."""

    def __init__(self, source: SourceFile, macros: dict[str, str]) -> None:
        self.source, self.macros = source, macros
        self.text = blanked(blanked(source.text, COMMENT), VERBATIM)
        self.calls: list[Call] = []
        self.tables: dict[int, int] = {}  # start → end of those that are left out

    def plain(self, start: int, end: int) -> Piece:
        """The text between two offsets."""
        piece = Piece(self.source)
        self._read(Stretch(self.text, end, piece), start)
        return piece

    def _read(self, stretch: Stretch, at: int) -> None:
        """Add plain text to a piece."""
        text, end, piece, fixed, _ = stretch
        while at < end:
            if fixed < 0 and self.tables.get(at, end) < end:
                piece.add("\n\n", at, 0)
                at = self.tables[at]
                continue
            token = TOKEN.match(text, at, end)
            if token is None:
                return
            place, at = stretch.place(at), token.end()
            if token["word"]:
                at = self._command(stretch, token["word"], place, at)
            elif token["sign"]:
                piece.add(ESCAPED.get(token["sign"], token["sign"]), place, 0)
            elif token["mark"]:
                at = _mark(stretch, token["mark"], place, at)
            elif token["dash"]:
                piece.add("–", place, 0)
            else:
                piece.add(token[0], place, int(fixed < 0))

    def _command(self, stretch: Stretch, word: str, place: int, at: int) -> int:
        """Add what a command stands for; where to read on."""
        piece = stretch.piece
        if word == "hp" and stretch.fixed < 0:
            return self._call(stretch, place, at)
        if CITE.fullmatch(word) or REF.fullmatch(word):
            return _reference(stretch, word, place, at)
        if word in SIGNS:
            piece.add(SIGNS[word], place, 0)
            return at
        if word in self.macros and stretch.depth < DEEPEST:
            body = self.macros[word]
            inner = Stretch(body, len(body), piece, place, stretch.depth + 1)
            self._read(inner, 0)
            return at
        return self._text_of(stretch, word, place, at)

    def _text_of(self, stretch: Stretch, word: str, place: int, at: int) -> int:
        """Add the text that is an argument of a command, if it has one that is text."""
        piece = stretch.piece
        if word in APART:
            piece.add("\n\n", place, 0)
        if word in GONE:
            return arguments(stretch.text, at, stretch.end, GONE[word])[1]
        if word in APART or word in NUMBERS:
            return self._argument(stretch, word, place, at)
        return options_end(stretch.text, at, stretch.end)

    def _argument(self, stretch: Stretch, word: str, place: int, at: int) -> int:
        """Add the first argument of a command; a unit behind it is left out."""
        count = 2 if word in ("SI", "qty") else 1
        groups, after = arguments(stretch.text, at, stretch.end, count)
        for start, end in groups[:1]:
            self._read(stretch._replace(end=end), start)
        if word in APART:
            stretch.piece.add("\n\n", place, 0)
        return after

    def _call(self, stretch: Stretch, place: int, at: int) -> int:
        option = OPTION.match(stretch.text, at)
        fact = option[1].strip() if option else "value"
        count = 3 if fact in PAIR_FACTS else 2
        groups, after = arguments(stretch.text, at, stretch.end, count)
        if len(groups) == count:
            texts = [stretch.text[slice(*group)].replace("\\", "") for group in groups]
            figure, cell, *others = texts
            place_of_call = self.source.place(place)
            self.calls.append(Call(fact, figure.strip(), cell, place_of_call, "".join(others)))
            stretch.piece.add(BOUND, place, 0)
        return after


def _mark(stretch: Stretch, mark: str, place: int, at: int) -> int:
    """Add what a sign stands for; what is raised or lowered is left out, but for errors."""
    if mark in "~&":
        stretch.piece.add(" ", place, 0)
    if mark not in "^_":
        return at
    text = stretch.text
    group = group_at(text, at, stretch.end)
    if group is None:
        token = TOKEN.match(text, at, stretch.end)
        return token.end() if token and token["word"] else at + 1
    return at if "pm" in text[slice(*group)] else group[1] + 1


def _reference(stretch: Stretch, word: str, place: int, at: int) -> int:
    groups, after = arguments(stretch.text, at, stretch.end, 1)
    if CITE.fullmatch(word):
        stretch.piece.add(CITED, place, 0)
        return after
    for group in groups:
        labels = stretch.text[slice(*group)].split(",")
        stretch.piece.labels += [label.strip() for label in labels]
    stretch.piece.add(REFERRED, place, 0)
    return after


ESCAPED = {",": "", ";": " ", ":": " ", "!": "", " ": " ", "\\": " ", "(": "", ")": "", "[": "",
           "]": "", "\n": " ", "/": "", "-": "", "@": "", "&": "&"}  # fmt: skip
"""What a control sign stands for, unless itself."""


def group_at(text: str, at: int, end: int) -> Span | None:
    """Inner start and end of the group in braces that begins here."""
    while at < end and text[at].isspace():
        at += 1
    if at >= end or text[at] != "{":
        return None
    depth = 0
    for position in range(at, end):
        if text[position - 1] == "\\" and text[position - 2 : position - 1] != "\\":
            continue
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return at + 1, position
    return None


def options_end(text: str, at: int, end: int) -> int:
    """Where options in brackets end that begin here."""
    option = re.compile(r"(?:\[[^\]]*\])*").match(text, at, end)
    return option.end() if option else at


def arguments(text: str, at: int, end: int, count: int) -> tuple[list[Span], int]:
    """So many arguments of a command, and where they end; options between them are left out."""
    groups: list[Span] = []
    skip = re.compile(r"\s*(?:\[[^\]]*\]|\([^)]*\))*")
    while len(groups) < count:
        before = skip.match(text, at, end)
        group = group_at(text, before.end() if before else at, end)
        if not group:
            break
        groups.append(group)
        at = group[1] + 1
    return groups, at


def read_latex(path: Path) -> Manuscript:
    """A manuscript with all files that it inputs."""
    texts = _read_texts(path)
    macros = {}
    for text in texts.values():
        clean = COMMENT.sub("", text)
        for match in DEFINED.finditer(clean):
            group = group_at(clean, match.end() - 1, len(clean))
            body = clean[slice(*group)] if group else "#"
            if "#" not in body:
                macros[match[1] or match[2]] = body
    manuscript = Manuscript()
    for file, text in texts.items():
        _read_file(Reader(SourceFile(str(file), text), macros), manuscript)
    return manuscript


def _read_texts(path: Path) -> dict[Path, str]:
    """The files of a manuscript, without those of numbers by name."""
    texts: dict[Path, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        if file in texts or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if r"\hpkeep{" in text:
            continue
        texts[file] = text
        for name in INPUT.findall(COMMENT.sub("", text)):
            listed = [path.parent / name, file.parent / name]
            waiting += [place.with_name(f"{place.name}.tex") for place in listed] + listed
    return texts


def _read_file(reader: Reader, manuscript: Manuscript) -> None:
    text = reader.text
    begin = text.find(r"\begin{document}")
    start = begin + len(r"\begin{document}") if begin >= 0 else 0
    floats = [(m.start(), _end_of(text, m.start(), m[1])) for m in FLOAT.finditer(text)]
    last = start
    for match in TABLE.finditer(text, start):
        if match.start() < last:  # within another
            continue
        last = _end_of(text, match.start(), match[1] + match[2])
        manuscript.tables.append(_table(reader, match, (match.start(), last), floats))
        reader.tables[match.start()] = last
    for match in re.finditer(r"\\includegraphics\*?", text):
        groups, _ = arguments(text, match.end(), len(text), 1)
        around = [span for span in floats if span[0] <= match.start() < span[1]]
        labels = tuple(label for span in around for label in _labels(text, span))
        for group in groups:
            name, place = text[slice(*group)].strip(), reader.source.place(match.start())
            manuscript.show(Graphic(name, place, labels))
    manuscript.texts.append(reader.plain(start, len(text)))
    manuscript.calls += dict.fromkeys(reader.calls)  # those of captions and tables were read before


def _end_of(text: str, start: int, name: str) -> int:
    """Where an environment ends."""
    depth = 0
    for match in re.compile(rf"\\(begin|end)\s*\{{{re.escape(name)}\}}").finditer(text, start):
        depth += 1 if match[1] == "begin" else -1
        if not depth:
            return match.end()
    return len(text)


def _labels(text: str, span: Span) -> list[str]:
    return re.findall(r"\\label\s*\{([^{}]*)\}", text[slice(*span)])


def _table(reader: Reader, match: re.Match[str], span: Span, floats: Iterable[Span]) -> SourceTable:
    text, name = reader.text, match[1] + match[2]
    sized = match[2] == "*" or match[1] in SIZED
    _, start = arguments(text, match.end(), span[1], 1 + sized)
    end = text.rfind(r"\end", start, span[1])
    table = SourceTable(reader.source.place(span[0]), [], [])
    around = [place for place in floats if place[0] <= span[0] < place[1]]
    places = around[-1:] or ([span] if name.startswith("long") else [])
    for place in places:
        table.labels += _labels(text, place)
        for caption in re.compile(r"\\caption\*?").finditer(text, *place):
            groups, _ = arguments(text, caption.end(), place[1], 1)
            table.captions += [reader.plain(*group) for group in groups]
    for row_start, row_end in split(text, start, end, r"\\"):
        cells = split(text, row_start, row_end, "&")
        row = [_cell(reader, *cell) for cell in cells]
        if any(cell.content.text.strip() for cell in row):
            table.rows.append(row)
    return table


def split(text: str, start: int, end: int, mark: str) -> list[Span]:
    """The spans between marks that stand in no group; an escaped mark is none."""
    spans, depth, at, first = [], 0, start, start
    while at < end:
        if text.startswith(mark, at) and not depth:
            spans.append((first, at))
            at = first = at + len(mark)
            if mark == r"\\":
                at = first = options_end(text, at, end)
        elif text[at] == "\\":
            at += 2
        else:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return [*spans, (first, end)]


def _cell(reader: Reader, start: int, end: int) -> TableCell:
    """A cell with the room that it takes."""
    content = reader.plain(start, end).stripped()
    text = reader.text[start:end]
    wide, tall = (_size(text, command) for command in ("multicolumn", "multirow"))
    is_bold = any(f"\\{word}" in text for word in STRONG)
    return TableCell(content, wide, tall, is_bold)


def _size(text: str, command: str) -> int:
    match = re.search(rf"\\{command}\b\*?(?:\[[^\]]*\])?\s*\{{\s*(\d+)", text)
    return int(match[1]) if match else 1
