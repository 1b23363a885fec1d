"""What readers yield batch by batch, as one: lists, parts of lists."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heatproof.readers.api import Batch, Cut, Part, Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray


class Piece(NamedTuple):
    """Columns and places of the batches from number `first` to before `stop`, as one."""

    columns: Mapping[str, Any]
    places: Any
    first: int
    stop: int


def pieces(batches: Sequence[Batch]) -> list[Piece]:
    """The batches, but as one those whose rows lie side by side in columns that they share."""
    edges = [at for at, batch in enumerate(batches) if not at or not _on(batches[at - 1], batch)]
    spans = zip(edges, [*edges[1:], len(batches)], strict=True)
    return [_piece(batches[first], batches[stop - 1], first, stop) for first, stop in spans]


def _on(one: Batch, other: Batch) -> bool:
    """Whether the rows of a batch go on where those of another end."""
    beside = _beside(one.columns, other.columns, Cut)
    return beside and _beside(one.places, other.places, Part)


def _beside(one: Any, other: Any, kind: type[Cut | Part]) -> bool:
    both = isinstance(one, kind) and isinstance(other, kind)
    return both and one.whole is other.whole and one.stop == other.start


def _piece(one: Batch, last: Batch, first: int, stop: int) -> Piece:
    if one is last:
        return Piece(one.columns, one.places, first, stop)
    columns, places = _span(one.columns, last.columns), _span(one.places, last.places)
    return Piece(columns, places, first, stop)


def _span(one: Any, last: Any) -> Any:
    """From the beginning of one part to the end of another."""
    return type(one)(one.whole, one.start, last.stop)


def values_of(lists: Iterable[Any]) -> list[Any]:
    """All values of several lists."""
    return list(
        chain.from_iterable(one.values() if isinstance(one, Part) else one for one in lists)
    )


def places_of(places: Any, name: str) -> NDArray[np.int64]:
    """Line, offset or length of each place."""
    found = places.values() if isinstance(places, Part) else places
    if isinstance(found, Places):
        return getattr(found, name)  # type: ignore[no-any-return]
    return np.array([getattr(place, name) for place in found], np.int64)
