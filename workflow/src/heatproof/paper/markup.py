"""Manuscripts in Markdown, Quarto and Typst, and the text of a PDF."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from heatproof.export.export import TYPE
from heatproof.paper.sources import (
    BOUND,
    CITED,
    KEPT,
    REFERRED,
    CellSpan,
    Graphic,
    Layout,
    Manuscript,
    Markup,
    SourceFile,
)
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pypdf

    from heatproof.paper.sources import Rule

NAMED = re.compile(
    r"(?:#|\b)hp\(\s*\"(?P<figure>[^\"]+)\"\s*,\s*\"(?P<cell>[^\"]*)\""
    r"(?:\s*,\s*(?:fact\s*[:=]\s*)?\"(?P<fact>[\w-]+)\")?\s*\)"
)
SHARED_RULES: Sequence[Rule] = (
    (NAMED, BOUND),
    (re.compile(r"\\pm\b|\bplus\.minus\b"), "±"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\Delta\b"), "Δ"),
    (re.compile(r"\\[,;! ]"), ""),
    (re.compile(r"\\([%&_#$*])"), KEPT),
    (re.compile(r"[*`$]|(?<![\w])_|_(?![\w])"), ""),
    (re.compile(r"(?<=\d)---?(?=\d)"), "–"),
)


def read_text(markup: Markup, path: Path) -> Manuscript:
    """A manuscript of one file."""
    manuscript = Manuscript()
    markup.read(str(path), path.read_text(encoding="utf-8", errors="replace"), manuscript)
    return manuscript


# -------------------------------------------------------------------------------------- markdown

HIDDEN = re.compile(r"\A---\n.*?\n---\n|^(```|~~~).*?^\1|<!--.*?-->", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)(?:\{[^}]*\})?")
BLOCK = re.compile(r"(?:^[ \t]*\|?[^\n|]*\|[^\n]*(?:\n|\Z))+", re.MULTILINE)  # lines with pipes
RULE = re.compile(r"^[ \t]*\|?[ \t:|+-]*-{2,}[ \t:|+-]*$", re.MULTILINE)
CAPTION = r"(?:[*_]*Table\b|:)(?:(?!\n[ \t]*\n).)*"
MARKDOWN_RULES: Sequence[Rule] = (
    (IMAGE, ""),
    (re.compile(r"\[[^\]]*@[^\]]*\]"), CITED),
    (re.compile(r"@(?:fig|tbl|sec|eq)-[\w-]+"), REFERRED),
    (re.compile(r"(?<![\w@])@[\w:-]+"), CITED),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), KEPT),
    (re.compile(r"^[ \t]*(?:#+|[-*+]|\d+\.)[ \t]+", re.MULTILINE), "\n\n"),
    *SHARED_RULES,
)


def _pipe_layouts(text: str) -> Iterator[Layout]:
    """Lines with pipes that follow each other, one of them a rule."""
    before = re.compile(rf"(?:\A|\n[ \t]*\n)\s*({CAPTION})\s*\Z", re.DOTALL)
    after = re.compile(rf"\s*({CAPTION})", re.DOTALL)
    for block in BLOCK.finditer(text):
        if not RULE.search(block[0]):
            continue
        lines = re.compile(r"[^\n]+").finditer(text, *block.span())
        spans = [line.span() for line in lines if not RULE.fullmatch(line[0])]
        rows = [_piped_cells(text, *span) for span in spans]
        around = before.search(text, 0, block.start()), after.match(text, block.end())
        captions = [match.span(1) for match in around if match]
        yield Layout(block.span(), rows, captions)


def _piped_cells(text: str, start: int, end: int) -> list[CellSpan]:
    """The cells of a line; the room before its first pipe, if it begins with one, is none."""
    line = text[start:end]
    start += len(line) - len(line.lstrip(" \t").removeprefix("|"))
    end = start + len(text[start:end].rstrip(" \t").removesuffix("|"))
    cells = []
    first = start
    for match in re.compile(r"(?<!\\)\|").finditer(text, start, end):
        cells.append(CellSpan(first, match.start()))
        first = match.end()
    return cells + [CellSpan(first, end)]


MARKDOWN = Markup(HIDDEN, MARKDOWN_RULES, NAMED, _pipe_layouts, IMAGE)
read_markdown = partial(read_text, MARKDOWN)

# ----------------------------------------------------------------------------------------- typst

COMMENTS = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/|```.*?```", re.DOTALL)
TYPST_RULES: Sequence[Rule] = (
    (re.compile(r"#?image\([^)]*\)"), ""),
    (re.compile(r"#cite\([^)]*\)"), CITED),
    (re.compile(r"@((?:fig|tab|tbl|sec|eq)[\w:.-]*)"), REFERRED),
    (re.compile(r"(?<!\w)@[\w:.-]+"), CITED),
    (re.compile(r"^[ \t]*#(?:set|show|import|include|let)\b[^\n]*$", re.MULTILINE), ""),
    (NAMED, BOUND),
    (re.compile(r"#[\w.]+(?:\([^()\[\]]*\))?|<[\w:.-]+>"), " "),
    (re.compile(r"^[ \t]*(?:=+|[-+])[ \t]+", re.MULTILINE), "\n\n"),
    (re.compile(r"[\[\]]"), " "),
    *SHARED_RULES,
)
TYPST_TABLE = re.compile(r"#?\btable\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
TYPST_CELL = re.compile(r"(?:cell\(([^()]*)\))?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
TYPST_CAPTION = re.compile(r"\s*,?\s*caption:\s*\[([^\]]*)\]")
TYPST_IMAGE = re.compile(r"image\(\s*\"([^\"]+)\"")


def _typst_layouts(text: str) -> Iterator[Layout]:
    for table in TYPST_TABLE.finditer(text):
        columns = re.search(r"columns:\s*(?:(\d+)|\(([^)]*)\))", table[1])
        count = 1
        if columns:
            count = int(columns[1] or len(re.findall(r"[^,\s][^,]*", columns[2])))
        rows = [list[CellSpan]()]
        filled = 0
        for cell in TYPST_CELL.finditer(text, *table.span(1)):
            if filled >= count:
                rows.append([])
                filled = 0
            wide = re.search(r"colspan:\s*(\d+)", cell[1] or "")
            span = CellSpan(*cell.span(2), int(wide[1]) if wide else 1)
            rows[-1].append(span)
            filled += span.wide
        caption = TYPST_CAPTION.match(text, table.end())
        yield Layout(table.span(), rows, [caption.span(1)] if caption else [])


TYPST = Markup(COMMENTS, TYPST_RULES, NAMED, _typst_layouts, TYPST_IMAGE)
read_typst = partial(read_text, TYPST)

# ------------------------------------------------------------------------------------------- pdf


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
        for form in page.get("/Resources", {}).get("/XObject", {}).values():
            if _is_figure(form.get_object()):
                form.get_object().set_data(b"")
        if _is_figure(page):
            text = ""
        else:
            text = page.extract_text()
        source = SourceFile(f"{path} page {number}", text)
        if number == 1:
            manuscript.graphics.append(Graphic(path.name, source.place(0)))
        manuscript.texts.append(source.plain((0, len(text)), ()))
    return manuscript


def _is_figure(thing: pypdf.generic.DictionaryObject) -> bool:
    """Whether a page, or a form on it, is a figure of ours, which is read by its record."""
    return TYPE in thing.get("/Resources", {}).get("/Properties", {})
