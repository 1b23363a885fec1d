"""The numbers behind a figure as text: what stands below it on the page.

LaTeX that every table is made of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Row:
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
    rows: Sequence[Row] = ()
    n: str = ""
    """How many samples the numbers rest on, in words."""
    key: Sequence[str] = ()
    """What bold and † mean, if they occur."""
    incomplete: Sequence[str] = ()
    """Cells with fewer rows than expected, or no value: `task a, ratio 0.1: 149 of 150`."""


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
