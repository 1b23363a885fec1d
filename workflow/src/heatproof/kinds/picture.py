"""What a figure shows and says, and what is made of that: its page, its table of LaTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, spec, wording
from heatproof.util import spreadsheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """All that a figure shows and says, before it is put on its page."""

    shows: str
    """What its caption begins with."""
    rows: Sequence[Row] = ()
    """All that is drawn; `cell` is the number of a row's cell in the grid. Of cells that lie on no
    grid `left`, `right`, `top` and `foot` say where, in a panel."""
    noun: str = ""
    """What one of them is called."""
    sheet: sheet.Sheet
    charts: Callable[[], tuple[list[list[Any]], Mapping[str, Sequence[Any]]]]
    """Panels in rows, and the data sets that they name."""
    meanings: Sequence[str] = ()
    """What its marks mean."""
    spoken: Sequence[str]
    """What is read out: the figure in a sentence, then each panel."""
    places: Sequence[Sequence[float]] = ()
    """Left, top, width and height of each cell of a panel whose grid is uneven."""
    panels: Sequence[Sequence[float]] = ()
    """The same of panels that are no charts of their own, from the corner of the first chart."""
    latex: Latex | None = None
    above: Sequence[str] = ()
    """Lines below the figure that stand before the meanings."""
    omitted: Sequence[str] = ()
    """What has no room, a line each."""
    mend: str = "fewer rows, or panels drawn as figures of their own, make it lower"
    """What would make it lower."""
    free: bool = False
    """Cells do not lie on a grid, so that the arrows of the keyboard go from each to the next."""
    facts: Callable[[Row], tuple[list[Any], list[str]]] | None = None
    """A row → what the page tells of it beside the facts of a heatmap, and flags."""
    titles: Sequence[str] = ()
    """Of these facts."""
    lost: Sequence[Row] = ()
    """Rows that the page tells of, but that have no place."""


def draw(content: Picture, entry: Any, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure; `notes` are printed first below it."""
    panels, data = content.charts()
    lines: list[str] = []
    if entry.footer:
        lines = sheet.lines([*notes, *content.above], content.meanings, content.sheet.text)
    chart = content.sheet.assemble(panels, data, lines, " ".join([*content.spoken, *notes]))
    high = wording.beyond_page(content.sheet.tall(lines), entry, content.mend)
    places = [[*place] for place in content.places]
    panels_inside = [[*panel] for panel in content.panels]
    return spec.note(chart, omitted=[*content.omitted, *high], places=places, panels=panels_inside)


def csv(grid: pl.DataFrame) -> str:
    """All columns that hold single values, in their own unit and to the last digit."""
    columns = [name for name, kind in grid.schema.items() if not kind.is_nested()]
    return spreadsheet.csv(grid.select(columns))


def where_words(entry: Figure) -> list[str]:
    """What all that is shown has in common, as `where` says it: of values that are listed, none."""
    words = [
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in entry.where.items()
        if not isinstance(value, list)
    ]
    return [f"All of {', '.join(words)}"] if words else []


GAPS = 3
"""Cells whose gaps a caption names at most."""


def lacking(table: Table) -> list[str]:
    """What is missing: the first few by name."""
    gaps, more = table.incomplete[:GAPS], len(table.incomplete) - GAPS
    if not gaps:
        return []
    return [f"Incomplete: {'; '.join(gaps)}{f'; and {more:,} more' if more > 0 else ''}"]


# ------------------------------------------------------------------------- the numbers as a table


@dataclass(frozen=True)
class TableRow:
    """A row of the numbers behind a figure, as text."""

    cells: tuple[str, ...]
    best: bool = False
    incomplete: bool = False
    """Fewer rows than a complete run would hold, too few for a value, or none."""
    tied: bool = False
    """Not told apart from the best, or is it, where the figure outlines these."""
    excluded: bool = False
    """Told apart from the best, where the figure has a bar below what is."""


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure, as text."""

    columns: Sequence[str] = ()
    texts: int = 0
    """How many columns, from the first, hold names; those after them hold numbers."""
    rows: Sequence[TableRow] = ()
    n: str = ""
    """How many samples the numbers rest on, in words."""
    key: Sequence[str] = ()
    """What bold and † mean, if they occur."""
    incomplete: Sequence[str] = ()
    """Cells with fewer rows than expected, or no value: `task a, ratio 0.1: 149 of 150`."""


# ----------------------------------------------------------------------------------------- LaTeX

NONE = "--"
"""Stands where there is no number."""
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$",
            "±": r"$\pm$", "µ": r"\textmu{}",
            "\u00a0": "~", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "×": r"$\times$",
            "Δ": r"$\Delta$", "÷": r"$\div$",
            "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$"}  # fmt: skip
_EXPONENT = re.compile(r"(?<![\w.])([−+]?\d+\.?\d*)e([−+])(\d+)(?![\w.])")
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def escape(text: str) -> str:
    """Text in which LaTeX sees no commands; 4.2e−6 becomes a product."""
    escaped, start = "", 0
    for number in _EXPONENT.finditer(text):
        mantissa, sign, power = number.groups()
        minus = "$-$" if sign == "−" else ""
        escaped += _plain(text[start : number.start()] + mantissa)
        escaped += rf"\,$\times$\,10\textsuperscript{{{minus}{power}}}"
        start = number.end()
    return escaped + _plain(text[start:])


def _plain(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def line(texts: Sequence[str]) -> str:
    """A row of a table."""
    return " & ".join(texts) + r" \\"


def tabular(columns: str, body: Iterable[str], note: str, meanings: Iterable[str] = ()) -> str:
    """A whole table, its `columns` as for tabular; `note` and `meanings` as comments."""
    lines = [*note.splitlines(), *meanings, r"needs \usepackage{booktabs}"]
    comments = [f"% {line}" for line in lines]
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    return "\n".join([*comments, *begin, *body, r"\bottomrule", r"\end{tabular}", ""])


@dataclass(frozen=True, kw_only=True)
class Latex:
    """The numbers of a figure as a table of LaTeX."""

    columns: str
    """As for tabular."""
    head: Sequence[str]
    """Lines."""
    parts: Mapping[str, Sequence[str]]
    """Title of a part → its lines."""
    meanings: Sequence[str] = ()
    """Of its marks, as comments."""

    def text(self, note: str) -> str:
        """The whole table, a part for each panel; `note` is a comment at its head."""
        lines, wide = [*self.head], len(self.columns)
        for title, rows in self.parts.items():
            words = rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{escape(title)}}}}} \\"
            lines += [r"\midrule", *([words] if title else []), *rows]
        return tabular(self.columns, lines, note, self.meanings)
