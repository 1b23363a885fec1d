"""LaTeX that every table is made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NONE = "--"
"""Stands where there is no number."""
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$",
            "±": r"$\pm$", "µ": r"\textmu{}"}  # fmt: skip
_EXPONENT = re.compile(r"(−?\d+\.?\d*)e([−+])(\d+)")
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def escape(text: str) -> str:
    """Text in which LaTeX sees no commands; 4.2e−6 becomes a product."""
    if found := _EXPONENT.fullmatch(text):
        mantissa, sign, power = found.groups()
        minus = "$-$" if sign == "−" else ""
        return rf"{escape(mantissa)}\,$\times$\,10\textsuperscript{{{minus}{power}}}"
    return "".join(_SPECIAL.get(character, character) for character in text)


def line(texts: Sequence[str]) -> str:
    """A row of a table."""
    return " & ".join(texts) + r" \\"


def tabular(columns: str, body: Iterable[str], note: str, meant: Iterable[str] = ()) -> str:
    """A whole table, its `columns` as for tabular; `note` and what is `meant` as comments."""
    said = [*note.splitlines(), *meant, r"needs \usepackage{booktabs}"]
    comment = [f"% {one}" for one in said]
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    return "\n".join([*comment, *begin, *body, r"\bottomrule", r"\end{tabular}", ""])
