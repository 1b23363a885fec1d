"""Manuscripts in Markdown, Quarto and Typst, and the text of a PDF."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Rule = tuple[re.Pattern[str], str]

HIDDEN = re.compile(r"\A---\n.*?\n---\n|^(```|~~~).*?^\1|<!--.*?-->", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)(?:\{#([\w-]+)[^}]*\})?")
PIPES = re.compile(r"^[ \t]*\|?[^\n|]*\|[^\n]*$", re.MULTILINE)
RULE = re.compile(r"^[ \t]*\|?[ \t:|+-]*-{2,}[ \t:|+-]*$")
LOOKED_UP = re.compile(
    r"(?:#|\b)hp\(\s*\"([^\"]+)\"\s*,\s*\"([^\"]*)\"(?:\s*,\s*(?:fact\s*[:=]\s*)?\"([\w-]+)\")?\s*\)"
)

SHARED_RULES: Sequence[Rule] = (
    (LOOKED_UP, BOUND),
    (re.compile(r"\\pm\b|\bplus\.minus\b"), "±"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\Delta\b"), "Δ"),
    (re.compile(r"\\[,;! ]"), ""),
    (re.compile(r"\\([%&_#$*])"), r"\1"),
    (re.compile(r"[*`$]|(?<![\w])_|_(?![\w])"), ""),
    (re.compile(r"(?<=\d)---?(?=\d)"), "–"),
)
MARKDOWN_RULES: Sequence[Rule] = (
    (IMAGE, ""),
    (re.compile(r"\[[^\]]*@[^\]]*\]"), CITED),
    (re.compile(r"@(?:fig|tbl|sec|eq)-[\w-]+"), REFERRED),
    (re.compile(r"(?<![\w@])@[\w:-]+"), CITED),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"^[ \t]*(?:#+|[-*+]|\d+\.)[ \t]+", re.MULTILINE), "\n\n"),
    *SHARED_RULES,
)
TYPST_RULES: Sequence[Rule] = (
    (re.compile(r"#?image\([^)]*\)"), ""),
    (re.compile(r"#cite\([^)]*\)"), CITED),
    (re.compile(r"@(?:fig|tab|tbl|sec|eq)[\w:.-]*"), REFERRED),
    (re.compile(r"(?<!\w)@[\w:.-]+"), CITED),
    (re.compile(r"^[ \t]*#(?:set|show|import|include|let)\b[^\n]*$", re.MULTILINE), ""),
    (re.compile(r"#[\w.]+(?:\([^()\[\]]*\))?|<[\w:.-]+>"), " "),
    (re.compile(r"^[ \t]*(?:=+|[-+])[ \t]+", re.MULTILINE), "\n\n"),
    (re.compile(r"[\[\]]"), " "),
    *SHARED_RULES,
)


def rewritten(source: SourceFile, start: int, end: int, rules: Sequence[Rule]) -> Piece:
    """A part of a file with what the rules match replaced, each letter with its offset."""
    piece = Piece(source)
    piece.add(source.text[start:end], start)
    for pattern, replacement in rules:
        done = Piece(source, labels=piece.labels)
        last = 0
        for match in pattern.finditer(piece.text):
            done.text += piece.text[last : match.start()]
            done.offsets += piece.offsets[last : match.start()]
            if replacement == REFERRED:
                done.labels.append(match[0].lstrip("@"))
            done.add(match.expand(replacement), piece.offsets[match.start()], 0)
            last = match.end()
        done.text += piece.text[last:]
        done.offsets += piece.offsets[last:]
        piece = done
    return piece


def _calls(source: SourceFile, manuscript: Manuscript) -> None:
    for match in LOOKED_UP.finditer(source.text):
        place = source.place(match.start())
        manuscript.calls.append(Call(match[3] or "value", match[1], match[2], place))


def read_markdown(path: Path) -> Manuscript:
    """A manuscript in Markdown, or in Quarto."""
    manuscript = Manuscript()
    raw = path.read_text(encoding="utf-8", errors="replace")
    source = SourceFile(str(path), blanked(raw, HIDDEN))
    for match in IMAGE.finditer(source.text):
        labels = tuple(filter(None, [match[2]]))
        place = source.place(match.start())
        manuscript.show(Graphic(match[1], place, labels))
    _calls(source, manuscript)
    start = 0
    for block_start, block_end in _pipe_blocks(source.text):
        manuscript.texts.append(rewritten(source, start, block_start, MARKDOWN_RULES))
        manuscript.tables.append(_pipe_table(source, block_start, block_end))
        start = block_end
    manuscript.texts.append(rewritten(source, start, len(source.text), MARKDOWN_RULES))
    return manuscript


def _pipe_blocks(text: str) -> list[tuple[int, int]]:
    """Lines with pipes that follow each other, one of them a rule."""
    blocks: list[list[int]] = []
    for match in PIPES.finditer(text):
        if blocks and match.start() <= blocks[-1][1] + 1:
            blocks[-1][1] = match.end()
        else:
            blocks.append([match.start(), match.end()])
    return [(a, b) for a, b in blocks if any(map(RULE.match, text[a:b].splitlines()))]


def _pipe_table(source: SourceFile, start: int, end: int) -> SourceTable:
    table = SourceTable(source.place(start), [], [])
    for line in re.finditer(r"[^\n]+", source.text[start:end]):
        if RULE.match(line[0]):
            continue
        row = []
        for match in re.finditer(r"(?:^|\|)([^|]*)(?=\||$)", line[0].strip().strip("|")):
            offset = start + line.start() + line[0].index(line[0].strip().strip("|"))
            span = offset + match.start(1), offset + match.end(1)
            content = rewritten(source, *span, MARKDOWN_RULES).stripped()
            row.append(TableCell(content, is_bold="**" in match[1]))
        table.rows.append(row)
    before = source.text[:start].rstrip().rpartition("\n\n")[2]
    after = source.text[end:].lstrip().partition("\n\n")[0]
    for text in (before, after):
        place = source.text.find(text)
        if re.match(r"\s*(?:[*_]*Table\b|:)", text):
            table.captions.append(rewritten(source, place, place + len(text), MARKDOWN_RULES))
    return table


COMMENTS = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/|```.*?```", re.DOTALL)


def read_typst(path: Path) -> Manuscript:
    """A manuscript in Typst."""
    manuscript = Manuscript()
    raw = path.read_text(encoding="utf-8", errors="replace")
    source = SourceFile(str(path), blanked(raw, COMMENTS))
    for match in re.finditer(r"image\(\s*\"([^\"]+)\"", source.text):
        label = re.compile(r"[^<]*?<([\w:.-]+)>").match(source.text, match.end())
        labels = (label[1],) if label else ()
        place = source.place(match.start())
        manuscript.show(Graphic(match[1], place, labels))
    _calls(source, manuscript)
    start = 0
    for match in re.finditer(r"#?\btable\(", source.text):
        end = _closing(source.text, match.end())
        if match.start() < start:
            continue
        manuscript.texts.append(rewritten(source, start, match.start(), TYPST_RULES))
        manuscript.tables.append(_typst_table(source, match.end(), end))
        start = end
    manuscript.texts.append(rewritten(source, start, len(source.text), TYPST_RULES))
    return manuscript


def _closing(text: str, at: int) -> int:
    """Where the parenthesis closes that is open here."""
    depth = 1
    while at < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def _typst_table(source: SourceFile, start: int, end: int) -> SourceTable:
    text = source.text[start:end]
    columns = re.search(r"columns:\s*(?:(\d+)|\(([^)]*)\))", text)
    count = 1
    if columns:
        count = (
            int(columns[1]) if columns[1] else len(list(filter(str.strip, columns[2].split(","))))
        )
    table = SourceTable(source.place(start), [[]], [])
    cell = re.compile(r"(?:cell\(([^()]*)\))?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
    filled = 0
    for match in cell.finditer(text):
        wide = re.search(r"colspan:\s*(\d+)", match[1] or "")
        span = start + match.start(2), start + match.end(2)
        content = rewritten(source, *span, TYPST_RULES).stripped()
        if filled >= count:
            table.rows.append([])
            filled = 0
        room = int(wide[1]) if wide else 1
        table.rows[-1].append(TableCell(content, wide=room, is_bold="*" in match[2]))
        filled += room
    after = re.compile(r"\s*,?\s*caption:\s*\[([^\]]*)\]").match(source.text, end)
    if after:
        table.captions.append(rewritten(source, *after.span(1), TYPST_RULES))
    return table


def read_pdf(path: Path) -> Manuscript:
    """The figures of a PDF, and its text; the file is its only graphic."""
    try:
        import pypdf
    except ImportError:
        raise Error(
            f"{path}: to read the text of a PDF takes pypdf: pip install 'heatproof[paper]'"
        ) from None
    manuscript = Manuscript()
    for number, page in enumerate(pypdf.PdfReader(path).pages, 1):
        source = SourceFile(f"{path} page {number}", page.extract_text())
        if number == 1:
            manuscript.show(Graphic(path.name, source.place(0)))
        piece = Piece(source)
        piece.add(source.text, 0)
        manuscript.texts.append(piece)
    return manuscript
