"""What a score can be, and what becomes of rows whose score is none."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.readers._batch import Batch, Place, Reject, excerpt, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def fault(score: float | None, low: float = 0.0, high: float = 1.0) -> str:
    """Why a score, brought from `low` and `high` to 0 and 1, cannot be taken; empty if it can."""
    if score is None:
        return "score is missing"
    if not isfinite(score):
        return f"score is {score}"
    own = low + score * (high - low)
    if 0 <= score <= 1:
        return ""
    told = f"{own:.12g}"  # the last digits are what brought it to 0–1, unless only they are wrong
    told = f"{own!r}" if low <= float(told) <= high else told
    return f"score {told} is not between {low:g} and {high:g}"


def sift(batch: Batch, record: Callable[[Place], bytes]) -> Iterator[Batch | Reject]:
    """The batch without the rows whose score is no score, and these one by one.

    `record` gives the bytes at a place, for the excerpt.
    """
    scores = batch.columns.get("score")
    if scores is None or all_scores(scores):
        yield batch
        return
    reasons = [fault(score) for score in scores]
    for row, (place, reason) in enumerate(zip(batch.places, reasons, strict=True)):
        if reason:
            of = sample(batch, row)
            yield Reject(place, reason, excerpt(record(place)), batch.member, of=of)
    keep = [i for i, reason in enumerate(reasons) if not reason]
    columns = {name: [values[i] for i in keep] for name, values in batch.columns.items()}
    places = [batch.places[i] for i in keep]
    yield replace(batch, columns=columns, places=places)


def all_scores(scores: Iterable[Any]) -> bool:
    """Whether each of these scores can be taken."""
    distinct = set(scores)  # few, mostly: right and wrong
    return None not in distinct and not any(map(fault, distinct))
