"""The caption of a figure, to be pasted into a paper: as LaTeX and as Markdown.

With the figure's file, its true width, its text for those who cannot see it, and a label.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.picture import escape
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INCLUDED = ("pdf", "png", "svg")
"""Formats that papers include, the best first."""

MARKDOWN = re.compile(r"([\\`*_<>\[\]$]|~~|&(?=#?\w+;))")
"""What would be a mark of Markdown, of HTML in it, or a formula; in alternative texts too."""


class Shown(NamedTuple):
    """What is known of a finished figure."""

    name: str
    spec: Mapping[str, Any]
    width: float
    """In pt."""
    formats: Sequence[str]

    @property
    def id(self) -> str:
        """What is printed in its corner."""
        return str(self.spec["usermeta"]["heatproof"]["id"])

    @property
    def alt(self) -> str:
        """What it shows, for those who cannot see it."""
        return _on_a_line(str(self.spec.get("description", "")))

    @property
    def file(self) -> str:
        """The file that a paper includes."""
        return f"{self.name}.{next(form for form in INCLUDED if form in self.formats)}"


def _on_a_line(text: str) -> str:
    """A text with no empty line, which would end what it stands in."""
    return re.sub(r"\s*\n\s*", " ", text)


def sentences(parts: Sequence[str]) -> str:
    """Parts as sentences, each with a full stop; empty ones are left out."""
    lines = (_on_a_line(part).strip().rstrip(".") for part in parts)
    return " ".join(f"{line}." for line in lines if line)


def write(parts: Sequence[str], figure: Shown) -> dict[str, str]:
    """Form → the caption's text."""
    return {"tex": _tex(sentences(parts), figure), "md": _markdown(sentences(parts), figure)}


def _tex(text: str, figure: Shown) -> str:
    inches = show(figure.width / 72, ".4~g")
    lines = [
        f"% {figure.name}, {_traced(figure)}",
        "% needs the package graphicx; `alt` is known to LaTeX from 2022 on",
        r"\begin{figure}",
        r"  \centering",
        rf"  \includegraphics[width={inches}in, alt={{{_spoken(figure.alt)}}}]{{{figure.file}}}",
        rf"  \caption{{{escape(text)}}}",
        rf"  \label{{fig:{figure.name}}}",
        r"\end{figure}",
    ]
    return "\n".join([*lines, ""])


def _spoken(text: str) -> str:
    """A text that a PDF holds as it is: typeset nowhere, so it is free of TeX's formulas."""
    plain = text.translate({0x2212: "-", 0xA0: " ", ord("\\"): "/", ord("^"): " "})
    return re.sub(r"([%#&_$])", r"\\\1", plain.translate({ord(c): None for c in "{}~"}))


def _markdown(text: str, figure: Shown) -> str:
    alt, plain = (MARKDOWN.sub(r"\\\1", words) for words in (figure.alt, text))
    form = "svg" if "svg" in figure.formats else figure.file.rpartition(".")[2]
    return f"![{alt}]({figure.name}.{form})\n\n{plain}\n\n<!-- {_traced(figure)} -->\n"


def _traced(figure: Shown) -> str:
    return f"heatproof {figure.id}: `heatproof trace {figure.id}` tells what it was made of"
