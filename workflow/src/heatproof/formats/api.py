"""What a reader is given, a log, and what it yields: good records in batches, bad ones alone."""

from __future__ import annotations

import os
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.logs.streams import Hashed, Limits, Unreadable, whole
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.util.hashed import Extent


class Place(NamedTuple):
    """Where a record lies: line from 1; offset and length in bytes, after decompression."""

    line: int
    offset: int
    length: int


START = Place(1, 0, 0)


class Batch(msgspec.Struct):
    """Good records: columns of equal length, one place for each row, and what all rows share."""

    columns: Mapping[str, list[Any]]
    places: Sequence[Place]
    shared: dict[str, Any]
    member: str = ""


def completed(batch: Batch, defaults: Mapping[str, Any]) -> Batch:
    """The batch with the default of a column wherever neither records nor log tell a value."""
    columns = {
        name: [defaults[name] if value is None else value for value in values]
        if name in defaults else values
        for name, values in batch.columns.items()
    }  # fmt: skip
    return replace(batch, columns=columns, shared=_completed(batch.shared, defaults))


def _completed(shared: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {**defaults, **{name: value for name, value in shared.items() if value is not None}}


class Declared(msgspec.Struct):
    """What a log says that it was to hold of a run, whatever came of it."""

    shared: dict[str, Any]  # model, task and hyper-parameters, as far as the log tells them
    samples: int | None = None  # problems × epochs
    each: dict[str, int] = {}  # problem → its epochs, of those that the log names
    epochs: int = 0  # epochs of each problem that the log holds
    lacking: int = 0  # samples that it does not hold, at least, of problems that it does not name
    part: tuple[int, int] | None = None  # problems that were asked for, and those of the data set
    refused: bool = False  # whether refused records alone say so

    def named(self) -> bool:
        """Whether all problems are named."""
        return self.samples is not None and sum(self.each.values()) >= self.samples

    def completed(self, defaults: Mapping[str, Any]) -> Declared:
        """The same with the default of each column that the log does not tell."""
        return replace(self, shared=_completed(self.shared, defaults))


class Offer(msgspec.Struct):
    """What a log has that config.yaml may ask for; a function `offer(log, entry)` of a reader."""

    settings: list[Any] = []
    """Where hyper-parameters may lie, the most telling first: mappings, or texts like `a=1,b=x`."""
    choices: dict[str, list[str]] = {}
    """Key of the source → names in the log, of which it is to name one."""
    shown: dict[str, tuple[str, str]] = {}
    """Key of the source → a pattern of tasks, and what the harness's own tables show of them."""


Kind = Literal[
    "", "absent", "above", "below", "damage", "empty", "form", "grade", "missing", "path",
    "repeat", "same", "syntax", "type", "unended", "unscored", "verdict",
]  # fmt: skip
"""Why a record or log was refused, for code: its sentence is for readers alone.

absent: the log itself says that it lacks a sample. form: another layout than that of the format.
grade: its score does not follow from what the log holds. path: it tells no setting, or several
sources. repeat: it stands twice; same: with one score. verdict: a text in the place of a score.
"""


class Reject(msgspec.Struct):
    """A record that was refused, or a log, when nothing in it could be read."""

    place: Place
    reason: str
    excerpt: str = ""
    member: str = ""
    spoils: bool = False  # whether what else was read of its log cannot be taken
    cells: Mapping[str, Any] = {}
    """What is known of it all the same, by column: settings, what stands for its score."""
    lacks_score: bool = False
    """Whether no more is wrong than that its sample has no score: then `cells` are all it has."""
    samples: int = 1  # samples that it was to be
    kind: Kind = ""
    field: str = ""  # the place in the record, or the column, that the reason is about
    whole: bool = False  # whether it is the log that was refused, not a record in it

    @classmethod
    def of_error(cls, place: Place, why: Error, excerpt: str = "", **facts: Any) -> Reject:
        """The refusal for which an error says why."""
        facts = {"kind": why.kind, "field": why.field} | facts
        return cls(place, str(why), excerpt, **facts)

    @classmethod
    def of_log(cls, why: Error, member: str = "") -> Reject:
        """A log refused as a whole, or a remark on one that is read."""
        return cls.of_error(START, why, member=member, kind=why.kind or "form", whole=True)


class Passed(msgspec.Struct):
    """Records that are no samples by what config.yaml says: neither rows nor refused."""

    count: int


def sample(batch: Batch, row: int) -> dict[str, Any]:
    """What a row tells of the sample that it is of."""
    cells = {name: values[row] for name, values in batch.columns.items() if name != "record"}
    return batch.shared | cells


class Log:
    """A log being read, its bytes hashed on the way. Raises Unreadable: there is no such file.

    `noted`: what there was of each file when the run began, of which alone is read.
    """

    def __init__(
        self, path: str, root: Path, entry: Source, noted: Mapping[str, Extent] | None = None
    ) -> None:
        self.path, self.root = path, root
        self.limits = Limits(entry.max_record, entry.max_expansion)
        self.sidecars: dict[str, tuple[str, int]] = {}
        self._noted = noted
        self._has_lines = entry.has_lines
        self._changed = False  # whether a sidecar that was read is not as it was noted
        self.file = self._open(path)

    def _open(self, path: str) -> Hashed:
        noted = self._noted.get(path) if self._noted else None
        place = os.path.join(self.root, path)
        return Hashed(place, self.limits, noted)

    def was_there(self, path: str) -> bool:
        """Whether a file beside the log was there when the run began."""
        return self._noted is None or path in self._noted

    def again(self) -> Hashed:
        """The log as a file, from its beginning."""
        return self._open(self.path)

    def has_lines(self) -> bool:
        """Whether a line of the log is a record."""
        return self._has_lines(self.path)

    def identity(self) -> tuple[str, int]:
        """Digest and size of the log."""
        return self.file.digest(), self.file.size

    def beside(self, path: str, limit: int) -> bytes:
        """The content of a sidecar. Raises Unreadable: it is damaged, too long, or came since."""
        if not self.was_there(path):
            raise Unreadable(f"{path} came while the logs were read: run snakemake again")
        with self._open(path) as file:
            try:
                return whole(file, path, limit)
            except Unreadable as error:
                raise Unreadable(f"{path.rsplit('/', 1)[-1]}: {error}") from error
            finally:
                self.sidecars[path] = read = file.digest(), file.size
                self._changed |= file.grown or self._differs(path, read)

    def changed(self) -> bool:
        """Whether others write to the log, or to what was read beside it."""
        return self._changed or self.file.grown or self._differs(self.path, self.identity())

    def _differs(self, path: str, read: tuple[str, int]) -> bool:
        noted = self._noted.get(path) if self._noted else None
        return noted is not None and read[0] != noted.digest

    def identity_beside(self, path: str) -> tuple[str, int]:
        """Digest and size of a sidecar that was not read; none of one that cannot be."""
        try:
            with self._open(path) as file:
                return file.digest(), file.size
        except Unreadable:
            return "", 0

    def close(self) -> None:
        self.file.close()


def score_fault(score: float | None, low: float = 0.0, high: float = 1.0) -> Error | None:
    """Why a score, brought from `low` and `high` to 0 and 1, cannot be taken; None if it can."""
    if score is None:
        return Error("score is missing", "unscored")
    if not isfinite(score):
        return Error(f"score is {score}", "unscored")
    if 0 <= score <= 1:
        return None
    own = low + score * (high - low)
    text = f"{own:.12g}"  # the last digits are what brought it to 0–1, unless only they are wrong
    text = f"{own!r}" if low <= float(text) <= high else text
    kind = "above" if score > 1 else "below"
    return Error(f"score {text} is not between {low:g} and {high:g}", kind)


Statistic = Literal["mean", "stderr", "std", "var"]


class Printed(msgspec.Struct, kw_only=True):
    """A number that a harness printed of the samples of a log."""

    file: str  # where it stands: a path in the project
    name: str
    value: float | None = None
    scorer: str | None = None
    """Of which samples of the log it is, by the column `scorer`; None: of all."""
    where: dict[str, Any] = {}  # the same by other columns
    statistic: Statistic = "mean"
    """Of one value for each problem. Spreads have n − 1 below, the standard error √n too."""
    over: str = "mean"
    """How the repeats of a problem become one value: see `heatproof.statistics.repeats`."""
    problems: int | None = None
    """Of how many it is told to be; in some harnesses, of how many samples."""
    run: int | None = None
    """How many samples its run is told to have, where that may not be the number's own."""
    low: float = 0.0
    high: float = 1.0  # what scores 0 and 1 are in its unit
    decimals: int | None = None
    """Digits behind the point to which the harness rounds; None: it writes all of them."""
    earlier: list[float] = []
    """What is printed for runs like this one before: the log may be of one of those."""
    why: str = ""  # why it cannot be compared; empty if it can


def printed_number(value: object) -> float | None:
    """A number of a document; None for all else, and for what no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def printed_count(value: object) -> int | None:
    """A count in a document; None for all else."""
    number = printed_number(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None
