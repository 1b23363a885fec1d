"""Manuscripts in LaTeX: rules that make them plain, their tables, figures and files."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from heatproof.paper.sources import (
    BOUND,
    BREAK,
    CITED,
    KEPT,
    REFERRED,
    CellSpan,
    Layout,
    Manuscript,
    Markup,
    SourceFile,
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
    (re.compile(rf"{_command(APART)}{OPTION}{GROUP}"), f"{BREAK}{KEPT}{BREAK}"),
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
MARKS = re.compile(
    r"\\\\(?:\*?\[[^\]]*\])?|\\(?P<begin>begin)\b|\\(?P<end>end)\s*\{[^{}]*\}|\\.|[{}&]", re.DOTALL
)
DEEPER = {"{": 1, "}": -1, "begin": 1, "end": -1}


def layouts(text: str) -> Iterator[Layout]:
    """The tables of a text; one within another is text of its cell."""
    floats = [match.span() for match in FLOAT.finditer(text)]
    last = 0
    for match in TABULAR.finditer(text):
        start = match.start()
        if start < last:
            continue
        groups = 1
        if SIZED.fullmatch(match[1]):
            groups = 2
        head = re.compile(rf"(?:{OPTION}{ANY_GROUP}){{{groups}}}").match(text, match.end())
        rows, last = _read_rows(text, (head or match).end())
        around = [span for span in floats if span[0] <= start < span[1]]
        captions = CAPTION.finditer(text, *(around[-1] if around else (start, last)))
        yield Layout((start, last), rows, [caption.span(1) for caption in captions])


def _read_rows(text: str, start: int) -> tuple[list[list[CellSpan]], int]:
    """The rows from an offset to the end of their environment, and where it ends.

    Marks within groups or other environments part nothing.
    """
    depth = 0
    rows = [list[CellSpan]()]
    for match in MARKS.finditer(text, start):
        mark = match.lastgroup or match[0]
        depth += DEEPER.get(mark, 0)
        is_end = depth < 0 and mark == "end"
        is_row = mark.startswith("\\\\")
        if is_end or (not depth and (is_row or mark == "&")):
            rows[-1].append(_cell(text, start, match.start()))
            start = match.end()
        if is_end:
            break
        if is_row and not depth:
            rows.append([])
    return rows, start


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
FIRST = 0xE100  # the letter that stands for the first macro
DEEPEST = 3  # macros within macros


def read_latex(path: Path) -> Manuscript:
    """A manuscript with all files that it inputs."""
    texts = _read_texts(path)
    bodies: dict[str, str] = {}
    for text in texts.values():
        for name, body in DEFINED.findall(blanked(text, HIDDEN)):
            if "#" not in body:
                bodies[name] = body.replace(r"\xspace", "")
    letters = {name: chr(number) for number, name in enumerate(bodies, FIRST)}
    called = re.compile(rf"\\({'|'.join(bodies) or '(?!)'})(?![A-Za-z])(?:\{{\}})?")
    macros = {}
    for name, body in bodies.items():
        text = body
        for _ in range(DEEPEST):
            text = called.sub(lambda match: bodies[match[1]], text)
        macros[letters[name]] = SourceFile(name, text).plain((0, len(text)), RULES).text
    markup = replace(LATEX, rules=[(called, letters)] + RULES, macros=macros)
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
