"""What readers yield batch by batch, as one: lists, parts of lists, arrays."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from heatproof.readers._batch import Part, Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


def values_of(lists: Iterable[list[Any] | Part], kind: str) -> list[Any] | NDArray[Any]:
    """All values of several lists, of a column of a kind; as an array if all are arrays."""
    parts: list[Any] = list(_joined(lists))
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return list(chain.from_iterable(_listed(part, kind) for part in parts))


def _joined(lists: Iterable[list[Any] | Part]) -> Iterator[list[Any]]:
    """The same values in fewer lists: parts that lie side by side are taken together."""
    last = Part([], 0, 0)
    for values in lists:
        part = values if isinstance(values, Part) else Part(values, 0, len(values))
        if part.whole is last.whole and part.start == last.stop:
            last = Part(last.whole, last.start, part.stop)
        else:
            if len(last):
                yield last.values()
            last = part
    yield last.values()


def _listed(values: Any, kind: str) -> Any:
    if not isinstance(values, np.ndarray):
        return values
    return map(str, values.tolist()) if kind == "str" else values.tolist()


def places_of(places: Any, name: str) -> NDArray[np.int64]:
    """Line, offset or length of each place."""
    if isinstance(places, Places):
        return getattr(places, name)  # type: ignore[no-any-return]
    return np.array([getattr(place, name) for place in places], np.int64)
