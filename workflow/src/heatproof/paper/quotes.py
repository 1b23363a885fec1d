"""Numbers of a manuscript beside the cells that they may be of, by the words around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.paper.findings import Finding, finding
from heatproof.paper.typed_numbers import fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.printed_values import PrintedCell
    from heatproof.paper.names import FigureNames
    from heatproof.paper.sources import Piece
    from heatproof.paper.typed_numbers import Number, Role

FEW = 4  # cells that a message names, at most
FACTS: Mapping[Role, tuple[str, str]] = {
    "value": ("value", "prints"),
    "difference": ("value", "prints"),
    "mean": ("value", "prints"),
    "error": ("se", "has ±"),
    "end": ("interval", "has the interval"),
    "count": ("n", "counts"),
}
"""What a number says → the fact of a cell, and what the figure does with it."""


class Quote(NamedTuple):
    """A number of a manuscript, what it says, and of which cells."""

    piece: Piece
    number: Number
    role: Role
    cells: Sequence[PrintedCell]
    foreign: bool = False  # whether it may be of somebody else

    def fits(self, names: FigureNames) -> bool:
        """Whether it is a number of its cells."""
        return fits(self.number, self.role, self.cells, names.figure)

    def stale_id(self, names: FigureNames) -> str:
        """The id of a former build of the figure, if that printed it in the only cell."""
        for cell in self.cells if len(self.cells) == 1 else ():
            for figure, old in names.former_cells(cell):
                if fits(self.number, self.role, [old], figure):
                    return figure.id
        return ""

    @property
    def is_whole(self) -> bool:
        """Whether it has no decimals where values have some: it may be a count."""
        is_decimal = any("." in cell.value for cell in self.cells)
        return self.role == "value" and not self.number.places and is_decimal


def differs(quote: Quote, names: FigureNames, *, is_firm: bool) -> Finding:
    """What is to be said of a number that is none of its cells; `is_firm`: that it contradicts."""
    fact, verb = FACTS[quote.role]
    near = sorted(quote.cells, key=lambda cell: abs((cell.exact.value or 0) - quote.number.value))
    why = f"{names.name(near[0])} {verb} {facts_words(near, fact, names)}"
    values = [cell.exact.value or 0.0 for cell in quote.cells]
    places = quote.number.places
    if quote.role == "difference" and len(values) == 2:
        why += f": {abs(values[0] - values[1]):.{places}f} apart"
    elif quote.role == "mean":
        why += f": {sum(values) / len(values):.{places}f} is their unweighted mean"
    if stale := quote.stale_id(names):
        why += f"; stale: heatproof {stale} printed {quote.number.text}"
    return finding(
        "contradiction" if is_firm and not (quote.foreign or quote.is_whole) else "look",
        quote.piece.place(quote.number.start),
        quote.number.text,
        why,
        prints=getattr(near[0], fact),
        command=names.command(near[0]),
    )


def facts_words(cells: Sequence[PrintedCell], fact: str, names: FigureNames) -> str:
    """The facts of some cells; of many the first and last, and what their cells have in common."""
    if len(cells) <= FEW:
        return ", ".join(f"{getattr(c, fact) or 'nothing'} at {names.words_of(c)}" for c in cells)
    ordered = sorted(cells, key=lambda cell: cell.exact.value or 0.0)
    ends = [getattr(cell, fact) or "nothing" for cell in (ordered[0], ordered[-1])]
    shared = set.intersection(*(set(cell.address.items()) for cell in cells))
    common = [f"{column}={value}" for column, value in sorted(shared)]
    words = f"{' to '.join(ends)} in {len(cells)} cells"
    return f"{words} with {', '.join(common)}" if common else words
