"""What every reader yields: batches of good records, and each bad one by itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.reading.streams import Hashed, Limits, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from heatproof.reading.pools import Held

EXCERPT = 80
"""Characters of a refused record kept to recognise it by."""


class Place(NamedTuple):
    """Where a record lies: line from 1; offset and length in bytes, after decompression."""

    line: int
    offset: int
    length: int


class Places(Sequence[Place]):
    """Places as arrays: a long log has too many for an object each."""

    def __init__(
        self, line: NDArray[np.int64], offset: NDArray[np.int64], length: NDArray[np.int64]
    ) -> None:
        self.line, self.offset, self.length = line, offset, length

    def __len__(self) -> int:
        return len(self.line)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Places(self.line[at], self.offset[at], self.length[at])
        return Place(int(self.line[at]), int(self.offset[at]), int(self.length[at]))


class Part(Sequence[Any]):
    """Some values of a longer list, not copied."""

    __slots__ = ("start", "stop", "whole")

    def __init__(self, whole: list[Any], start: int, stop: int) -> None:
        self.whole, self.start, self.stop = whole, start, stop

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int) and 0 <= at < len(self):
            return self.whole[self.start + at]
        return self.values()[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())

    def values(self) -> list[Any]:
        """The values as a list of their own, unless all of the longer one is meant."""
        if self.start == 0 and self.stop == len(self.whole):
            return self.whole
        return self.whole[self.start : self.stop]


class Batch(msgspec.Struct):
    """Good records: columns of equal length, one place for each row, and what all rows share."""

    columns: dict[str, Any]
    """Values by column: lists, or parts of such."""
    places: Sequence[Place]
    shared: dict[str, Any]
    member: str = ""


class Reject(msgspec.Struct):
    """A record that was refused, or a log, when nothing in it could be read."""

    place: Place
    reason: str
    excerpt: str = ""
    member: str = ""


class Log:
    """A log being read: its path in the project, and its bytes, hashed on the way.

    `held`: where its content lies if it was read ahead.

    Raises:
        Error: there is no such file, or it may not be read.
    """

    def __init__(
        self, path: str, root: Path, limits: Limits | None = None, held: Held | None = None
    ) -> None:
        self.path, self.root, self.held = path, root, held
        self.limits = limits or Limits()
        self.sidecars: dict[str, tuple[str, int]] = {}
        self._file = None if held else Hashed(f"{root}/{path}", self.limits)

    @property
    def file(self) -> Hashed:
        """The log as a file."""
        if self._file is None:
            data = self.held.content() if self.held else None
            self._file = Hashed(f"{self.root}/{self.path}", self.limits, data)
        return self._file

    def known(self) -> tuple[str, int]:
        """Digest and size of the log."""
        if self.held:
            return self.held.digest, self.held.stop - self.held.start
        return self.file.digest(), self.file.size

    def beside(self, path: str, limit: int) -> bytes:
        """The content of a sidecar; its digest and size are kept with the log's own.

        Raises:
            Unreadable: it is damaged or longer than `limit` bytes.
        """
        with Hashed(self.root / path, self.limits) as file:
            try:
                return whole(file, path, limit)
            finally:
                self.sidecars[path] = file.digest(), file.size

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def excerpt(data: bytes) -> str:
    """The first characters of a record, control characters and broken bytes made visible."""
    text = data[: 4 * EXCERPT].decode("utf-8", "backslashreplace")[:EXCERPT]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def fault(score: float | None) -> str:
    """Why a score cannot be taken; empty if it can."""
    if score is None:
        return "score is missing"
    if not isfinite(score):
        return f"score is {score}"
    return "" if 0 <= score <= 1 else f"score {score:g} is not between 0 and 1"


def sift(batch: Batch, record: Callable[[Place], bytes]) -> Iterator[Batch | Reject]:
    """The batch without the rows whose score is no score, and these one by one.

    `record` gives the bytes at a place, for the excerpt.
    """
    scores = batch.columns.get("score")
    if not scores or all_scores(scores):
        yield batch
        return
    reasons = [fault(score) for score in scores]
    for place, reason in zip(batch.places, reasons, strict=True):
        if reason:
            yield Reject(place, reason, excerpt(record(place)), batch.member)
    keep = [i for i, reason in enumerate(reasons) if not reason]
    columns = {name: [values[i] for i in keep] for name, values in batch.columns.items()}
    places = [batch.places[i] for i in keep]
    yield Batch(columns, places, batch.shared, batch.member)


def all_scores(scores: Sequence[Any]) -> bool:
    """Whether each score can be taken."""
    distinct = set(scores)  # few, mostly: right and wrong
    return None not in distinct and not any(map(fault, distinct))
