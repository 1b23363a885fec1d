"""Numbers of a manuscript beside the cells that they may be of, by the words around them."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from heatproof.paper.findings import Finding, Sort, finding
from heatproof.paper.typed_numbers import fits, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.paper.names import FigureCell
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
    cells: Sequence[FigureCell]
    foreign: bool = False  # whether it may be of somebody else

    @property
    def fits(self) -> bool:
        """Whether it is a number of its cells."""
        return fits(self.number, self.role, self.cells, self.cells[0].figure)

    @property
    def stale_id(self) -> str:
        """The id of a former build of the figure, if that printed it in the only cell."""
        if len(self.cells) > 1:
            return ""
        ids = [f.id for f, old in self.cells[0].former if fits(self.number, self.role, [old], f)]
        return next(iter(ids), "")

    @property
    def is_whole(self) -> bool:
        """Whether it has no decimals where values have some: it may be a count."""
        is_decimal = any("." in cell.value for cell in self.cells)
        return self.role == "value" and not self.number.places and is_decimal


def differs(quote: Quote, *, is_firm: bool) -> Finding:
    """What is to be said of a number that is none of its cells; `is_firm`: that it contradicts."""
    fact, verb = FACTS[quote.role]
    number = quote.number
    nearest = sorted(quote.cells, key=lambda cell: abs((cell.exact.value or 0.0) - number.value))
    why = f"{nearest[0].figure_name} {verb} {facts_words(nearest, fact)}"
    values = values_of(nearest)
    if quote.role == "difference" and len(values) == 2:
        why += f": {max(values) - min(values):.{number.places}f} apart"
    elif quote.role == "mean":
        why += f": {fmean(values):.{number.places}f} is their unweighted mean"
    if quote.stale_id:
        why += f"; stale: heatproof {quote.stale_id} printed {number.text}"
    sort: Sort = "look"
    if is_firm and not quote.foreign:
        sort = "contradiction"
    place = quote.piece.place(number.start)
    prints = getattr(nearest[0], fact)
    return finding(sort, place, number.text, why, prints=prints, command=nearest[0].command)


def facts_words(cells: Sequence[FigureCell], fact: str) -> str:
    """The facts of some cells; of many the first and last, and what their cells have in common."""
    if len(cells) <= FEW:
        return ", ".join(f"{getattr(c, fact) or 'nothing'} at {c.words}" for c in cells)
    ordered = sorted(cells, key=lambda cell: cell.exact.value or 0.0)
    ends = [getattr(cell, fact) or "nothing" for cell in (ordered[0], ordered[-1])]
    shared = set.intersection(*(set(cell.address.items()) for cell in cells))
    common = [f"{column}={value}" for column, value in sorted(shared)]
    words = f"{' to '.join(ends)} in {len(cells)} cells"
    if common:
        return f"{words} with {', '.join(common)}"
    return words
