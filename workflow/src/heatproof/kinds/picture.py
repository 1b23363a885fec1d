"""What a figure shows and says, and what is made of that: its page, table of LaTeX, caption."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import colour, sheet, spec, wording
from heatproof.config.choice import left_out, single_values
from heatproof.kinds import looks
from heatproof.util import canonical
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from heatproof.config.entries import Figure
    from heatproof.kinds.columns import Grid
    from heatproof.util.lazy import altair as alt

    Layers = list[alt.Chart]  # marks of a panel, those on top last

Story = dict[str, Any]
"""What the page tells of a figure, as JSON holds it."""
Charts = tuple[list[list[Any]], Mapping[str, Sequence[Any]]]
"""Panels in rows, and the data sets that they name."""


ALT = 2  # sentences of an alternative text, at most; what is read out at length says more
ALT_LETTERS = 250  # of its second sentence; one that lists many rows is only read out at length


class Remark(NamedTuple):
    """A sentence on a figure: on one of its marks, or on all that it shows."""

    words: str
    more: str = ""  # added where there is room: on the page, below LaTeX tables, in JSON
    below: bool = True  # it stands below the figure as well as in its caption
    mark: str = ""  # what it explains, before a colon
    is_counted: bool = False  # sentences on how many problems there are say the same

    @property
    def text(self) -> str:
        if self.mark:
            return f"{self.mark}: {self.words}"
        return self.words

    @property
    def whole(self) -> str:
        return self.text + self.more

    @property
    def tex(self) -> str:
        """The same below a table of LaTeX."""
        return self._replace(mark=TEX_MARKS.get(self.mark, self.mark)).whole


Legend = list[str | Remark]
"""Marks to explain, where they occur, among other remarks."""
TEX_MARKS = {looks.TIED.mark: looks.TIED.sign}


def aside(text: str) -> Remark:
    """A remark of captions, not of the figure."""
    return Remark(text, below=False)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What a figure shows and says, before it is put on its page."""

    shows: str  # the beginning of its caption
    rows: Sequence[Any] = ()
    """All cells that are drawn (`heatmap.cell.Drawn`); `left`, `right`, `top` and `foot` are the
    box of each in its panel, if cells lie on no grid."""
    noun: str = ""  # what a row is called
    sheet: sheet.Sheet
    charts: Callable[[], Charts]
    meanings: Sequence[Remark] = ()  # of its marks
    spoken: Sequence[str]  # read out: the figure in a sentence, then each panel
    places: Sequence[Sequence[float]] = ()
    """Left, top, width and height of each cell of a panel whose grid is uneven."""
    panels: Sequence[Sequence[float]] = ()
    """The same of panels that are no charts of their own, from the corner of the first chart."""
    latex: Latex | None = None
    below_table: Sequence[str] = ()  # sentences below its table of LaTeX
    omitted: Sequence[str] = ()  # what has no room, or cannot be seen: a line each
    mend: str = "fewer rows, or a figure for each panel, make it lower"  # if it is too high
    free: bool = False  # cells lie on no grid: the arrows of the keyboard go from each to the next
    facts: Mapping[str, str] = field(default_factory=dict)
    """Title → column of the rows: facts of a cell besides those of a heatmap."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Words on a cell → column of the rows that says whether they hold."""
    lost: Sequence[Any] = ()  # rows of the page alone, which have no place in the figure


def draw_picture(content: Picture, entry: Figure, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure; `notes` are printed first below it."""
    panels, data = content.charts()
    lines: list[str] = []
    if entry.footer:
        legend = [remark.text for remark in content.meanings if remark.below]
        lines = sheet.lines(notes, legend, content.sheet.text)
    description = " ".join([*content.spoken, *notes])
    chart = content.sheet.assemble(panels, data, lines, description)
    omitted = [
        *content.omitted,
        *wording.beyond_page(content.sheet.tall(lines), entry, content.mend),
        *colour.sides_alike(getattr(entry, "palette", "")),
    ]
    places = [list(box) for box in content.places]
    panel_boxes = [list(box) for box in content.panels]
    short = content.spoken[0]
    if len(content.spoken) == ALT and len(content.spoken[1]) <= ALT_LETTERS:
        short += f" {content.spoken[1]}"
    return spec.note(chart, alt=[short], omitted=omitted, places=places, panels=panel_boxes)


def grid_csv(grid: Grid) -> str:
    """All columns that hold single values, to the last digit.

    Texts that a spreadsheet would run are guarded.
    """
    columns = [name for name, kind in grid.schema.items() if not kind.is_nested()]
    texts = pl.col(pl.String)
    risky = texts.str.slice(0, 1).is_in(list(canonical.STARTS))
    quoted = texts.str.replace("^", canonical.QUOTE)
    safe = pl.when(risky).then(quoted).otherwise(texts)
    single_values = grid.select(columns)
    return single_values.with_columns(safe).write_csv()


def where_words(entry: Figure) -> list[str]:
    """The values that all cells have in common by `where`, and those that it leaves out."""
    words = [
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in single_values(entry.where).items()
    ]
    sentences = []
    if words:
        listed = ", ".join(words)
        sentences.append(f"All with {listed}")
    missing = []
    for name, values in left_out(entry.where).items():
        column = wording.column(name, entry.labels)
        names = list(entry.called(name, values).values())
        if len(names) > NAMED:
            names = [f"{len(names)} values"]
        missing.append(f"{column} {' and '.join(names)}")
    if missing:
        listed = ", ".join(missing)
        sentences.append(f"Without {listed}")
    return sentences


def lacking_words(table: Table) -> list[str]:
    """What is missing: one cell by name, of several their number."""
    number = len(table.incomplete)
    if not number:
        return []
    many = f"{number:,} of {len(table.rows):,} cells"
    return [f"Incomplete: {table.incomplete[0] if number == 1 else many}"]


NAMED = 4  # values that a caption says are left out, at most; of more their number
WORDS = 90  # of a caption, at most, unless what must be said takes more


def brief(*captions: Sequence[str]) -> list[str]:
    """The first of some captions, the longest first, that is short enough, or the last."""
    for text in captions:
        if sum(len(sentence.split()) for sentence in text) <= WORDS:
            return list(text)
    return list(captions[-1])


# ------------------------------------------------------------------------- the numbers as a table


@dataclass(frozen=True)
class TableRow:
    """A row of the numbers behind a figure, as text."""

    cells: tuple[str, ...]
    best: bool = False
    incomplete: bool = False  # fewer rows than in a complete run, too few for a value, or none
    tied: bool = False  # the best, or not told apart from it, where the figure marks these


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure, as text."""

    columns: Sequence[str] = ()
    texts: int = 0  # how many columns, from the first, hold names; those after them hold numbers
    rows: Sequence[TableRow] = ()
    n: str = ""  # how many samples the numbers rest on, in words
    key: Sequence[str] = ()  # what bold and • mean, if they occur
    details: Sequence[str] = ()  # meanings of marks at length, and the verdict on each panel
    incomplete: Sequence[str] = ()  # cells that lack rows: `task a, ratio 0.1: 149 of 150`


# ----------------------------------------------------------------------------------------- LaTeX

NONE = looks.MISSING.tex
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$",
            "±": r"$\pm$", "µ": r"\textmu{}",
            "\u00a0": "~", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "×": r"$\times$",
            "Δ": r"$\Delta$", "÷": r"$\div$", "–": "--", "•": r"$^{\bullet}$", "†": r"$^{\dagger}$",
            "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$"}  # fmt: skip
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
_SIGN = re.compile(
    rf"(?<![\w.])([−+]?\d+\.?\d*)e([−+])(\d+)(?![\w.])|[{re.escape(''.join(_SPECIAL))}]"
)
_RAISED = re.compile(r"(?<=[Pp]ass)\\textasciicircum{}(\d+)")


def escape(text: str) -> str:
    """Text in which LaTeX sees no commands; 4.2e−6 becomes a product, pass^4 has an exponent."""

    def written(sign: re.Match[str]) -> str:
        mantissa, minus, power = sign.groups()
        if power is None:
            return _SPECIAL[sign[0]]
        if minus == "−":
            power = f"$-${power}"
        return rf"{escape(mantissa)}\,$\times$\,10\textsuperscript{{{power}}}"

    return _RAISED.sub(r"\\textsuperscript{\1}", _SIGN.sub(written, text))


def tex_text(text: str, *, is_bold: bool = False) -> str:
    """A text of a table of LaTeX; a dash for none."""
    printed = escape(text) or NONE
    if is_bold:
        return rf"\textbf{{{printed}}}"
    return printed


def tex_line(texts: Sequence[str]) -> str:
    """A row of a table."""
    return " & ".join(texts) + r" \\"


def tex_heading(places: Sequence[tuple[str, ...]], deep: int) -> list[str]:
    """Over columns, the names of a level of their places, if any, with rules below."""
    names, rules = [""], []
    start = 2
    for place, group_places in groupby(places, key=lambda place: place[:deep]):
        wide = len(list(group_places))
        name = escape(place[-1])
        names.append(rf"\multicolumn{{{wide}}}{{c}}{{{name}}}")
        if name:
            rules.append(rf"\cmidrule(lr){{{start}-{start + wide - 1}}}")
        start += wide
    if rules:
        return [tex_line(names), " ".join(rules)]
    return []


@dataclass(frozen=True, kw_only=True)
class Latex:
    """The numbers of a figure as a table of LaTeX."""

    columns: str  # as for tabular
    head: Sequence[str]  # lines
    parts: Mapping[str, Sequence[str]]  # title of a part → its lines
    meanings: Sequence[str] = ()  # of its marks, printed below it

    def text(self, note: str) -> str:
        """The table, shrunk where it is wider than its place, and the meanings of its marks."""
        comments = note.splitlines() + [r"needs \usepackage{booktabs,graphicx}"]
        lines = [f"% {comment}" for comment in comments]
        lines += [r"\par\begingroup\parindent0pt", r"\sbox0{%"]
        lines += [rf"\begin{{tabular}}{{{self.columns}}}", r"\toprule", *self.head]
        for title, rows in self.parts.items():
            words = rf"\multicolumn{{{len(self.columns)}}}{{l}}{{\textit{{{escape(title)}}}}} \\"
            lines += [r"\midrule", *([words] if title else []), *rows]
        lines += [r"\bottomrule", r"\end{tabular}}%"]
        lines.append(r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi")
        if self.meanings:
            lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize\raggedright"]
            lines += [f"{escape(meaning)}." for meaning in self.meanings]
            lines.append(r"\end{minipage}")
        return "\n".join(lines + [r"\par\endgroup", ""])


# --------------------------------------------------------------------------------------- captions

COLUMN = 3.6 * 72  # pt: the widest column where a page has two
INCLUDED = ("pdf", "png")  # formats that TeX includes, the best first
MARKDOWN = re.compile(r"([\\`*_<>\[\]$]|~~|&(?=#?\w+;))")
"""What would be a mark of Markdown, of HTML in it, or a formula; in alternative texts too."""


def captions(
    parts: Sequence[str], name: str, chart: Mapping[str, Any], width: float, formats: Sequence[str]
) -> dict[str, str]:
    """Form → a figure with its caption, for a paper: in LaTeX (`tex`) and Markdown (`md`).

    `parts`: sentences of the caption; empty ones are left out. `width`: in pt.
    """
    # An empty line would end what a text stands in.
    texts = " ".join(spec.noted(chart, "alt")) or chart.get("description", ""), *parts
    spoken, *parts = (re.sub(r"\s*\n\s*", " ", part) for part in texts)
    sentences = (part.strip().rstrip(".") for part in parts)
    text = " ".join(f"{sentence}." for sentence in sentences if sentence)
    record = chart["usermeta"]["heatproof"]
    id_ = record["id"]
    traced = f"heatproof {id_}: `heatproof trace {id_}` shows what it was made from"
    form = next((form for form in INCLUDED if form in formats), "")
    # A PDF holds it as it is: typeset nowhere, so it is free of TeX's formulas.
    plain = spoken.translate({0x2212: "-", 0xA0: " ", ord("\\"): "/", ord("^"): " "})
    plain = plain.translate({ord(c): None for c in "{}~"})
    alt = re.sub(r"([%#&_$])", r"\\\1", plain)
    inches = show(width / 72, ".4~g")
    # Wider than a column of two, it runs over both; where there is one column, these are the same.
    place = "figure*" if width > COLUMN else "figure"
    included = rf"\includegraphics[width={inches}in, alt={{{alt}}}]{{{name}.{form}}}"
    if not form:
        included = f"% TeX includes no {name}.svg: add pdf or png to `formats`"
    tex = [
        f"% {name}, {traced}",
        "% needs the package graphicx; `alt` is known to LaTeX from 2022 on",
        rf"\begin{{{place}}}",
        r"  \centering",
        f"  {included}",
        rf"  \caption{{{escape(text)}}}",
        rf"  \label{{fig:{name}}}",
        rf"\end{{{place}}}",
        "",
    ]
    alt = MARKDOWN.sub(r"\\\1", spoken)
    words = MARKDOWN.sub(r"\\\1", text)
    if "svg" in formats:
        form = "svg"
    markdown = f"![{alt}]({name}.{form})\n\n{words}\n\n<!-- {traced} -->\n"
    return {"tex": "\n".join(tex), "md": markdown}
