"""Records that are games of two models: a row for each side of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.readers.api import Batch, Reject, sample
from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.config.entries import Param

SIDE = "model"
"""The column of the side that the score is of."""


def both_sides(batch: Batch, versus: str) -> Iterator[Batch | Reject]:
    """A batch, and the same games from the other side: who won has lost.

    `versus`: the column of the other side. A game of a model against itself has no winner, and is
    refused.
    """
    size = len(batch.places)
    sides = {name: _values(batch, name, size) for name in (SIDE, versus)}
    pairs = list(zip(*sides.values(), strict=True))
    for row, (one, other) in enumerate(pairs):
        if one == other or None in (one, other):
            why = f"a game of {one!r:.40} against itself" if one is not None else "no opponents"
            yield Reject(batch.places[row], why, "", batch.member, told=sample(batch, row))
    kept = [
        row for row, (one, other) in enumerate(pairs) if one != other and None not in (one, other)
    ]
    columns = {name: [values[row] for row in kept] for name, values in batch.columns.items()}
    columns |= {name: [values[row] for row in kept] for name, values in sides.items()}
    places = [batch.places[row] for row in kept]
    shared = {name: value for name, value in batch.shared.items() if name not in sides}
    yield Batch(columns, places, shared, batch.member)
    turned = {SIDE: columns[versus], versus: columns[SIDE]}
    turned["score"] = [None if score is None else 1 - score for score in columns["score"]]
    yield Batch({**columns, **turned}, places, shared, batch.member)


def _values(batch: Batch, name: str, size: int) -> list[Any]:
    if name in batch.columns:
        return list(batch.columns[name])
    return [batch.shared.get(name)] * size


def mistakes_of_games(
    versus: str, params: Mapping[str, Param], others: Collection[str]
) -> Iterator[str]:
    """With the column of the other side; `others`: keys given that mean nothing beside it."""
    if not versus:
        return
    if versus not in params:
        yield f".versus: {versus!r} is not under params; {choices(versus, params)}"
    elif params[versus].type != "str":
        yield f".versus: {versus!r} is {params[versus].type}, but names models: str"
    for key in others:
        yield f".versus: both sides of a game have its score; {key!r} would be of one of them"
