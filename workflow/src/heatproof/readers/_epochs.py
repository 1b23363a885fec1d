"""Epochs and grades that config.yaml describes: lists unrolled, answers compared with targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.errors import Error
from heatproof.readers._batch import Batch, Place, Reject, excerpt
from heatproof.readers._fields import LISTED, scaled
from heatproof.readers._mapped import GRADED, Mapped
from heatproof.readers._scores import fault
from heatproof.reading.grading import grader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EPOCH = f"{LISTED}epoch"
"""The numbers of a record's epochs, where they are not its places in the lists."""


def finished(parts: Iterable[Batch | Reject], entry: Mapped) -> Iterator[Batch | Reject]:
    """Batches with a row per epoch and a score in each, and the rows that have none."""
    if not entry.grade and not entry.exploded():
        yield from parts
        return
    for part in parts:
        if isinstance(part, Reject):
            yield part
            continue
        for step in _unrolled(part, entry):
            yield from _graded(step, entry) if isinstance(step, Batch) else (step,)


def _unrolled(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """A row per item of the lists; a record whose lists differ in length is refused."""
    lists = [name for name in batch.columns if name.startswith(LISTED)]
    if not lists:
        yield batch
        return
    single = [name for name in batch.columns if name not in lists]
    columns: dict[str, list[Any]] = {name.removeprefix(LISTED): [] for name in [*lists, EPOCH]}
    columns |= {name: [] for name in single}
    places: list[Place] = []
    for row, place in enumerate(batch.places):
        items = {name: batch.columns[name][row] for name in lists}
        sizes = {len(item) for item in items.values() if item is not None}
        if len(sizes) != 1 or not (size := sizes.pop()):
            yield _refused(place, "its lists of epochs are empty or differ in length", items, batch)
            continue
        for name in lists:
            columns[name.removeprefix(LISTED)] += items[name] or [None] * size
        if EPOCH not in lists:
            columns["epoch"] += range(size)
        for name in single:
            columns[name] += [batch.columns[name][row]] * size
        places += [place] * size
    names = [name.removeprefix(LISTED) for name in lists]
    numbers = {name for name in ("score", *entry.measures) if name in names}
    yield Batch(scaled(entry, columns, numbers), places, batch.shared, batch.member)


def _graded(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """The rows with a score; stored, or computed as `grade` says."""
    columns, size = dict(batch.columns), len(batch.places)
    reasons = [""] * size
    if entry.grade:
        judge = grader(entry.grade)
        columns["score"] = [0.0] * size
        for row in range(size):
            answer, target = (columns[name][row] for name in GRADED)
            try:
                columns["score"][row] = _score(answer, target, entry, judge)
            except Error as error:
                reasons[row] = str(error)
        columns["graded"] = [True] * size
    if "score" in columns:
        reasons = [why or fault(v) for why, v in zip(reasons, columns["score"], strict=True)]
    for row, reason in enumerate(reasons):
        if reason:
            told = {n: columns[n][row] for n in (*GRADED, "score", "epoch") if n in columns}
            yield _refused(batch.places[row], reason, told, batch)
    kept = [row for row, reason in enumerate(reasons) if not reason]
    yield Batch(
        {n: [v[row] for row in kept] for n, v in columns.items() if n not in GRADED},
        [batch.places[row] for row in kept],
        batch.shared,
        batch.member,
    )


def _score(answer: Any, target: Any, entry: Mapped, judge: Any) -> float:
    if target is None or not _text(target).strip():
        raise Error("the target is empty")
    if answer is None or not _text(answer).strip():
        if entry.empty == "wrong":
            return 0.0
        raise Error("the answer is empty (`empty: wrong` in config.yaml would count it as wrong)")
    score: float = judge(_text(answer), _text(target))
    return score


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _refused(place: Place, reason: str, values: dict[str, Any], batch: Batch) -> Reject:
    return Reject(place, reason, excerpt(msgspec.json.encode(values)), batch.member)
