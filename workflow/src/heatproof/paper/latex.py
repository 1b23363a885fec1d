"""Manuscripts in LaTeX: rules that make them plain, their tables, figures and files."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from heatproof.paper.sources import (
    BOUND,
    CITED,
    KEPT,
    REFERRED,
    CellSpan,
    Layout,
    Manuscript,
    Markup,
    blanked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.paper.sources import Rule

INNER = r"[^{}\\]|\\."
for _ in range(4):  # groups within groups
    INNER = rf"[^{{}}\\]|\\.|\{{(?:{INNER})*+\}}"
GROUP = rf"\s*\{{((?:{INNER})*+)\}}"
"""An argument in braces, and, without a number, any."""
ANY_GROUP = rf"\s*\{{(?:{INNER})*+\}}"
OPTION = r"(?:\s*\[[^\]]*\])?"
HIDDEN = re.compile(
    r"(?<!\\)%[^\n]*|\\begin\{(verbatim|lstlisting|minted|comment)\*?\}.*?\\end\{\1\*?\}", re.DOTALL
)
NAMED = re.compile(
    r"\\hp(?:let\s*\\\w+)?\s*(?:\[\s*(?P<fact>(?P<pair>delta)?[^\]]*)\])?"
    r"\s*\{(?P<figure>[^{}]*)\}\s*\{(?P<cell>[^{}]*)\}(?(pair)\s*\{(?P<other>[^{}]*)\})"
)
SIGNS = {
    "pm": "±", "textpm": "±", "times": "×", "cdot": "·", "Delta": "Δ", "approx": "≈", "sim": "≈",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "to": "→", "rightarrow": "→", "percent": "%",
    "quad": " ", "qquad": " ", "newline": " ", "par": "\n\n", "item": "\n\n", "dots": "…",
    "ldots": "…", "dagger": "†", "ddagger": "†", "textendash": "–", "textminus": "−",
    "textbackslash": "/", "backslash": "/",
}  # fmt: skip
ESCAPED = dict.fromkeys(",!()[]/-@", "") | dict.fromkeys(";: \\\n", " ")
"""What a control sign stands for, unless itself."""
GONE = {
    1: "label|includegraphics|usepackage|[vh]space|cmidrule|bibliography(?:style)?|scalebox|cline|"
    "(?:text|cell|row)?color|url|input|include|href|(?:this)?pagestyle|raisebox|SetCell|graphicspath",
    2: "setlength|addtolength|resizebox|multicolumn|multirow|setcounter|fontsize|rule|"
    "(?:re)?newcommand|providecommand",
    3: "specialrule|definecolor",
}
"""Commands whose first arguments are no text, by their number."""
APART = (
    "caption|captionof|subcaption|(?:sub)*section|paragraph|chapter|title|abstract|footnote"
    "|footnotetext"
)
"""Commands whose text is a paragraph of its own."""


def _command(names: str) -> str:
    return rf"\\(?:{names})(?![A-Za-z@])\*?"


RULES: list[Rule] = [
    (NAMED, BOUND),
    (re.compile(rf"{_command('[A-Za-z]*[Cc]ite[a-zA-Z]*')}(?:{OPTION}){{0,2}}{ANY_GROUP}"), CITED),
    (re.compile(rf"{_command('(?:auto|c|C|eq|page|sub|name|v)?ref')}{GROUP}"), REFERRED),
    (re.compile(rf"\\(?:begin|end)\s*\{{[^{{}}]*\}}{OPTION}"), "\n\n"),
    *(
        (
            re.compile(rf"{_command(names)}{OPTION}(?:{OPTION}(?:\([^)]*\))?{ANY_GROUP}){{1,{n}}}"),
            "",
        )
        for n, names in GONE.items()
    ),
    (re.compile(rf"{_command('SI|qty')}{OPTION}{GROUP}{ANY_GROUP}"), KEPT),
    (re.compile(rf"{_command(APART)}{OPTION}{GROUP}"), f"\n\n{KEPT}\n\n"),
    (re.compile(rf"\\({'|'.join(SIGNS)})(?![A-Za-z])"), SIGNS),
    (re.compile(rf"(?<!\\)[_^](?:(?!\s*\{{\s*±){ANY_GROUP}|[A-Za-z0-9*†](?![\d.]))"), ""),
    (re.compile(rf"\\([{re.escape(''.join(ESCAPED))}])"), ESCAPED),
    (re.compile(r"\\[A-Za-z@]+\*?(?:\[[^\]]*\])*"), ""),
    (re.compile(r"(?<!\\)[{}$^_]"), ""),
    (re.compile(r"(?<!\\)[~&]"), " "),
    (re.compile(r"--+"), "–"),
    (re.compile(r"\\(.)"), KEPT),
]
TABULAR = re.compile(
    r"\\begin\s*\{((?:tabular|tabularx|tabulary|longtable|xltabular|supertabular|array|tblr|longtblr"
    r"|NiceTabular)\*?)\}"
)
SIZED = re.compile(r"tabularx|tabulary|xltabular|.*\*")  # with a width before their columns
FLOAT = re.compile(
    r"\\begin\s*\{((?:sideways|wrap|long)?(?:table|figure)\*?|subfigure)\}.*?\\end\s*\{\1\}",
    re.DOTALL,
)
CAPTION = re.compile(rf"\\caption\*?{OPTION}{GROUP}")
MARKS = re.compile(r"(\\\\)(?:\*?\[[^\]]*\])?|\\(begin|end)\b|\\.|[{}&]", re.DOTALL)
DEEPER = {"{": 1, "}": -1, "begin": 1, "end": -1}


def layouts(text: str) -> Iterator[Layout]:
    """The tables of a text; one within another is text of its cell."""
    floats = [match.span() for match in FLOAT.finditer(text)]
    last = 0
    for match in TABULAR.finditer(text):
        start, name = match.start(), match[1]
        if start < last:
            continue
        last = _end_of(text, start, name)
        columns = re.compile(rf"(?:{OPTION}{ANY_GROUP}){{{1 + bool(SIZED.fullmatch(name))}}}")
        head = columns.match(text, match.end())
        around = [span for span in floats if span[0] <= start < span[1]][-1:]
        captions = []
        for span in around or [(start, last)]:
            captions += [caption.span(1) for caption in CAPTION.finditer(text, *span)]
        body = head.end() if head else match.end(), text.rfind(r"\end", start, last)
        yield Layout(start, last, list(_rows(text, *body)), captions)


def _end_of(text: str, start: int, name: str) -> int:
    """Where an environment ends."""
    depth = 0
    for match in re.compile(rf"\\(begin|end)\s*\{{{re.escape(name)}\}}").finditer(text, start):
        depth += DEEPER[match[1]]
        if not depth:
            return match.end()
    return len(text)


def _rows(text: str, start: int, end: int) -> Iterator[list[CellSpan]]:
    """The rows between two offsets; marks within groups or environments part nothing."""
    depth, row = 0, list[CellSpan]()
    for match in MARKS.finditer(text, start, end):
        depth += DEEPER.get(match[2] or match[0], 0)
        if depth or not (match[1] or match[0] == "&"):
            continue
        row.append(_cell(text, start, match.start()))
        start = match.end()
        if match[1]:
            yield row
            row = []
    yield [*row, _cell(text, start, end)]


def _cell(text: str, start: int, end: int) -> CellSpan:
    sizes = []
    for command in ("multicolumn", "multirow"):
        size = re.search(rf"\\{command}\*?{OPTION}\s*\{{\s*(\d+)", text[start:end])
        sizes.append(int(size[1]) if size else 1)
    return CellSpan(start, end, *sizes)


GRAPHIC = re.compile(rf"\\includegraphics\*?{OPTION}{GROUP}")
LATEX = Markup(HIDDEN, RULES, NAMED, layouts, GRAPHIC)
DEFINED = re.compile(rf"\\(?:(?:re)?newcommand\*?\s*\{{?|def\s*)\\([A-Za-z]+)\}}?{GROUP}")
INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
DEEPEST = 3  # macros within macros


def read_latex(path: Path) -> Manuscript:
    """A manuscript with all files that it inputs."""
    texts = _read_texts(path)
    macros = {}
    for text in texts.values():
        for name, body in DEFINED.findall(blanked(text, HIDDEN)):
            if "#" not in body:
                macros[name] = body.replace(r"\xspace", "")
    markup = LATEX
    if macros:
        called = re.compile(rf"\\({'|'.join(macros)})(?![A-Za-z])(?:\{{\}})?")
        markup = replace(LATEX, rules=[(called, macros)] * DEEPEST + RULES)
    manuscript = Manuscript()
    for file, text in texts.items():
        begin = text.find(r"\begin{document}")
        markup.read(str(file), text, manuscript, max(begin, 0))
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
        for name in INPUT.findall(blanked(text, HIDDEN)):
            listed = [path.parent / name, file.parent / name]
            waiting += [place.with_name(f"{place.name}.tex") for place in listed] + listed
    return texts
