"""values: the numbers of all figures by name, as macros of LaTeX and as JSON."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.kinds.picture import NONE, escape
from heatproof.kinds.printed_values import PrintedFigure  # noqa: TC001  msgspec looks it up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.kinds.printed_values import PrintedCell

    Figures = Mapping[str, PrintedFigure]  # name of a figure → its numbers

MACROS = Path(__file__).with_name("macros.tex")
PAIR_FACTS = {"delta": "value", "delta-interval": "interval"}
"""Facts of two cells in TeX → in JSON."""
CELL_FACTS = ("value", "interval", "low", "high", "se", "n", "verdict")
"""Facts of a cell, by name in both files."""
SPECIAL = re.compile(r"[%#{}\\]")
"""What a name in TeX has a backslash before, which `\\hp` drops again."""

COMMA = re.compile(r",\s+")
PLAIN = re.compile(r"[−+]?[\d,]+(\.\d+)?")
"""Numbers whose differences TeX rounds as they are rounded; no 12.3k."""


class Values(msgspec.Struct):
    """The content of values.json."""

    figures: dict[str, PrintedFigure]


def json_text(figures: Figures) -> bytes:
    """values.json: figure → its numbers, by addresses with columns in order of the alphabet."""
    text = msgspec.json.encode(Values(dict(figures)))
    return msgspec.json.format(text, indent=1) + b"\n"


def read_values(data: bytes) -> dict[str, PrintedFigure]:
    """Figure → its numbers. Raises msgspec.DecodeError: it is no values.json."""
    return msgspec.json.decode(data, type=Values).figures


def tex_text(figures: Figures) -> str:
    """values.tex: commands, and a line for each fact."""
    macros = MACROS.read_text(encoding="utf-8")
    lines = [macros.rstrip()]
    for name, figure in figures.items():
        lines += _figure_lines(name, figure)
    return "\n".join(lines + [""])


def _figure_lines(name: str, figure: PrintedFigure) -> Iterator[str]:
    yield f"% {name}, heatproof {figure.id}"
    called = spelled(name)
    yield rf"\hpfigure{{{called}}}{{{figure.missing}}}"
    columns = sorted(figure.columns)
    yield _columns_line("cell", columns)
    for column in columns:
        listed = {cell.address[column]: cell.names[column] for cell in figure.cells.values()}
        values = "".join(f"{{{spelled(value)}}}" for value in listed)
        yield rf"\hpvalues{{{spelled(column)}}}{{{values}}}"
        names = [(name, value) for value, name in listed.items() if name not in listed]
        pairs = "".join(f"{{{{{spelled(name)}}}{{{spelled(value)}}}}}" for name, value in names)
        if pairs:
            yield rf"\hpnames{{{spelled(column)}}}{{{pairs}}}"
    for address, cell in figure.cells.items():
        yield _facts_line(address, _cell_texts(cell))
    for addresses in _compared_cells(figure):
        yield _pairs_line(figure, addresses)
    first = next(iter(figure.panels.values()), None)
    yield _columns_line("panel", sorted(first.address) if first else [])
    for address, panel in figure.panels.items():
        facts = {"best": panel.best, "best-setting": panel.setting}
        if not address:  # the figure is its only panel
            facts["missing"] = str(figure.missing)
        yield _facts_line(address, facts)


def _compared_cells(figure: PrintedFigure) -> list[list[str]]:
    """The addresses of cells of which all pairs have a difference, panel by panel."""
    groups: list[list[str]] = []
    for address in figure.cells:
        partners = figure.differences.get(address, {})
        for group in groups:
            if group[0] in partners:
                group.append(address)
                break
        else:
            groups.append([address])
    return [group for group in groups if len(group) > 1]


def _pairs_line(figure: PrintedFigure, addresses: list[str]) -> str:
    """A line with the differences of all pairs, each with the ends of its interval."""
    called = "".join(f"{{{spelled(address)},}}" for address in addresses)
    texts = []
    for first, second in combinations(addresses, 2):
        pair = figure.differences[first].get(second)
        ends = (pair.value, pair.low, pair.high) if pair else ()
        texts.append("".join(f"{{{end.replace('−', '-')}}}" for end in ends))
    pairs = "".join(f"{{{text}}}" for text in texts)
    return rf"\hppairs{{{called}}}{{{pairs}}}"


def _columns_line(kind: str, columns: list[str]) -> str:
    names = "".join(f"{{{spelled(column)}}}" for column in columns)
    return rf"\hpcolumns{{{kind}}}{{{names}}}"


def _cell_texts(cell: PrintedCell) -> dict[str, str]:
    facts = {fact: getattr(cell, fact) for fact in CELL_FACTS}
    if cell.exact.value is not None and PLAIN.fullmatch(cell.value):
        facts["exact"] = f"{cell.exact.value:.12f}"
        facts["places"] = str(len(cell.value.partition(".")[2]))
    return facts


def _facts_line(address: str, facts: Mapping[str, str]) -> str:
    """A line with all facts; what is not known prints a dash."""
    texts = ",".join(f"{fact}={{{escape(text) or NONE}}}" for fact, text in facts.items())
    end = "," if address else ""
    return rf"\hpkeep{{{spelled(address)}{end}}}{{{texts}}}"


def spelled(name: str) -> str:
    """A name as it stands in the arguments of TeX commands."""
    return SPECIAL.sub(r"\\\g<0>", COMMA.sub(",", name))
