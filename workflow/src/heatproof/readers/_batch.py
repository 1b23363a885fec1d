"""What every reader yields: batches of good records, each bad one by itself, what was to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, KeysView

    import numpy as np
    from numpy.typing import NDArray


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
    """Some items of a longer sequence, not copied."""

    __slots__ = ("start", "stop", "whole")

    def __init__(self, whole: Any, start: int, stop: int) -> None:
        self.whole, self.start, self.stop = whole, start, stop

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int) and 0 <= at < len(self):
            return self.whole[self.start + at]
        return self.values()[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())

    def values(self) -> Any:
        """The items as a sequence of their own, unless all of the longer one is meant."""
        if self.start == 0 and self.stop == len(self.whole):
            return self.whole
        return self.whole[self.start : self.stop]


class Cut(Mapping[str, Any]):
    """Columns of which some rows are meant, not copied."""

    __slots__ = ("start", "stop", "whole")

    def __init__(self, whole: dict[str, Any], start: int, stop: int) -> None:
        self.whole, self.start, self.stop = whole, start, stop

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, name: str) -> Part:
        return Part(self.whole[name], self.start, self.stop)

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def keys(self) -> KeysView[str]:
        return self.whole.keys()


class Batch(msgspec.Struct):
    """Good records: columns of equal length, one place for each row, and what all rows share."""

    columns: Mapping[str, Any]
    """Values by column: lists, or parts of such."""
    places: Sequence[Place]
    shared: dict[str, Any]
    member: str = ""


def completed(batch: Batch, defaults: Mapping[str, Any]) -> Batch:
    """The batch with the default of a column wherever neither records nor log tell a value."""
    if not defaults:
        return batch
    columns = {
        name: [default if value is None else value for value in batch.columns[name]]
        for name, default in defaults.items()
        if name in batch.columns
    }
    shared = {
        name: default
        for name, default in defaults.items()
        if name not in columns and batch.shared.get(name) is None
    }
    told = {**batch.columns, **columns} if columns else batch.columns
    return replace(batch, columns=told, shared=batch.shared | shared)


class Declared(msgspec.Struct):
    """What a log says that it was to hold of a run, whatever came of it."""

    shared: dict[str, Any]
    """Model, task and hyper-parameters as in batches; what the log does not tell is left out."""
    samples: int | None = None
    """Problems × epochs; None where the log does not tell."""
    each: dict[str, int] = {}
    """Problem → its epochs, of those that the log names."""
    epochs: int = 0
    """Epochs of each problem that the log holds."""
    lacking: int = 0
    """Samples that it held once, or was to hold, and does not; of problems that it does not name.
    They tell how many a run has at least, and nothing of what else there may be."""
    part: tuple[int, int] | None = None
    """Problems that were asked for, and those of the data set, where the log says how many."""

    def named(self) -> bool:
        """Whether all problems are named."""
        return self.samples is not None and sum(self.each.values()) >= self.samples

    def completed(self, defaults: Mapping[str, Any]) -> Declared:
        """The same with the default of each column that the log does not tell."""
        told = {name: value for name, value in self.shared.items() if value is not None}
        return replace(self, shared={**defaults, **told})


class Reject(msgspec.Struct):
    """A record that was refused, or a log, when nothing in it could be read."""

    place: Place
    reason: str
    excerpt: str = ""
    member: str = ""
    spoils: bool = False
    """Whether what else was read of its log may be wrong, and cannot be taken."""
    of: Mapping[str, Any] | None = None
    """Of a record without a score, where it is known: `sample_id`, `epoch` and settings of the
    sample that it was to be. It was asked for, and is lacking."""
    told: dict[str, Any] = {}
    """What is known of another all the same, by column: settings, what stands for its score."""


def sample(batch: Batch, row: int) -> dict[str, Any]:
    """What a row tells of the sample that it is of."""
    told = {name: values[row] for name, values in batch.columns.items() if name != "record"}
    return batch.shared | told


def excerpt(data: bytes) -> str:
    """The first characters of a record, control characters and broken bytes made visible."""
    text = data[: 4 * EXCERPT].decode("utf-8", "backslashreplace")[:EXCERPT]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
