"""What a reader gets, a log, and what it yields: good records in batches, refused ones alone."""

from __future__ import annotations

import os
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from heatproof.logs.streams import Hashed, Limits, Unreadable, whole
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from heatproof.config.entries import Source
    from heatproof.util.hashed import Extent


class Place(NamedTuple):
    """Where a record lies: line from 1; offset and length in bytes, after decompression."""

    line: int
    offset: int
    record_bytes: int


START = Place(1, 0, 0)


class Batch(msgspec.Struct):
    """Good records: columns of equal length, one place for each row, and what all rows share."""

    columns: Mapping[str, list[Any]]
    places: Sequence[Place] | np.ndarray  # an array has a row for each: line, offset and length
    shared: dict[str, Any]
    member: str = ""


class Declared(msgspec.Struct):
    """What a log says that it should hold of a run."""

    shared: dict[str, Any]  # model, task and hyper-parameters, as far as the log has them
    samples: int | None = None  # problems × epochs
    each: dict[str, int] = {}  # problem → its epochs, where the log names problems
    epochs: int = 0  # epochs of each problem in the log
    lacking: int = 0  # samples that are missing, at least, of problems without a name here
    part: tuple[int, int] | None = None  # problems that were asked for, and those of the data set
    stopped: bool = False  # whether samples were stopped by the results of others
    refused: bool = False  # whether refused records alone say so
    lost: dict[str, set[int]] = {}  # problem → the epochs of these
    failed: int = 0  # samples of records that failed

    def named(self) -> bool:
        """Whether all problems have a name."""
        return self.samples is not None and sum(self.each.values()) >= self.samples


Shared = TypeVar("Shared", bound="Batch | Declared")


def completed(item: Shared, defaults: Mapping[str, Any]) -> Shared:
    """The part with the default of a column wherever neither records nor log have a value."""
    stated = {name: value for name, value in item.shared.items() if value is not None}
    item = replace(item, shared={**defaults, **stated})
    if isinstance(item, Batch):
        item.columns = dict(item.columns)
        for name, default in defaults.items():
            if None in (values := item.columns.get(name, ())):
                item.columns[name] = [default if value is None else value for value in values]
    return item


class Offer(msgspec.Struct):
    """What config.yaml may choose in a log, for `init`."""

    run: tuple[Any, Any] = (None, None)
    """Model and task of the log."""
    settings: list[Any] = []
    """Where hyper-parameters may lie, the best first: mappings, or texts like `a=1,b=x`."""
    choices: dict[str, list[str]] = {}
    """Key of the source → names in the log, of which the source needs one."""
    shown: dict[str, tuple[str, str]] = {}
    """Key of the source → a pattern of tasks, and what the harness's own tables show of them."""


Kind = Literal[
    "", "absent", "above", "below", "damage", "empty", "failed", "form", "grade", "missing",
    "path", "repeat", "same", "syntax", "type", "unended", "unscored", "verdict",
]  # fmt: skip
"""Why a record or log was refused.

absent: the log itself says that a sample is missing. failed: the record says that it failed: this
is counted by itself. form: another layout than that of the format.
grade: its score does not follow from the log. path: it has no setting, or several sources name it.
repeat: it stands twice; same: with one score. verdict: a text in the place of a score.
"""


class Reject(msgspec.Struct):
    """A refused record, or a refused log."""

    place: Place
    reason: str
    excerpt: str = ""
    member: str = ""
    spoils: bool = False  # whether no row of its log can be taken
    cells: Mapping[str, Any] = {}  # what it says by column: settings, a text as score
    lacks_score: bool = False  # whether only its score is missing: then `cells` are complete
    samples: int = 1  # samples that it should have been
    kind: Kind = ""
    field: str = ""  # the place in the record, or the column, that the reason is about
    whole: bool = False  # whether the whole log was refused

    @classmethod
    def of_error(cls, place: Place, why: Error, excerpt: str = "", **facts: Any) -> Reject:
        facts = {"kind": why.kind, "field": why.field} | facts
        return cls(place, str(why), excerpt, **facts)

    @classmethod
    def of_log(cls, why: Error, member: str = "") -> Reject:
        return cls.of_error(START, why, member=member, kind=why.kind or "form", whole=True)


class Passed(msgspec.Struct):
    """Records that config.yaml leaves out: neither rows nor refused."""

    count: int


class Log:
    """A log that is read and hashed in one pass. Raises Unreadable: there is no such file.

    `noted`: the extent of each file when the run began; no more than that is read.
    """

    def __init__(
        self, path: str, root: Path, entry: Source, noted: Mapping[str, Extent] | None = None
    ) -> None:
        self.path = path
        self.root = root
        self.limits = Limits(entry.max_record, entry.max_expansion)
        self.sidecars: dict[str, tuple[str, int]] = {}
        self.has_lines = entry.has_lines(path)  # whether a line is a record
        self.portion: Any = None  # small logs that are decoded with it
        self._noted = noted
        self._changed = False  # whether a sidecar has changed since it was noted
        self.file = self.open(path)

    def open(self, path: str) -> Hashed:
        """The log, or a file beside it, from its beginning."""
        if self._noted:
            noted = self._noted.get(path)
        else:
            noted = None
        return Hashed(os.path.join(self.root, path), self.limits, noted)

    def was_there(self, path: str) -> bool:
        """Whether a file beside the log was there when the run began."""
        return self._noted is None or path in self._noted

    def identity(self) -> tuple[str, int]:
        """Digest and size of the log."""
        return self.file.digest(), self.file.size

    def beside(self, path: str, limit: int) -> bytes:
        """The content of a sidecar. Raises Unreadable: it is damaged, too long, or came since."""
        if not self.was_there(path):
            raise Unreadable(
                f"{path} appeared while the logs were being read: call `heatproof run` again"
            )
        with self.open(path) as file:
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
        if self._noted:
            noted = self._noted.get(path)
        else:
            noted = None
        if noted is None:
            return False
        is_read = noted.digest or not noted.size
        if is_read:
            return read != noted
        return read[1] != noted.size

    def close(self) -> None:
        self.file.close()


def score_fault(score: float | None, low: float = 0.0, high: float = 1.0) -> Error | None:
    """What is wrong with a score, scaled from `low` and `high` to 0 and 1; None: nothing."""
    if score is None:
        return Error("score is missing", "unscored")
    if not isfinite(score):
        return Error(f"score is {score}", "unscored")
    if 0 <= score <= 1:
        return None
    return beyond_range("score", score, low, high)


def beyond_range(column: str, number: float, low: float, high: float) -> Error:
    """What is wrong with a number, scaled from `low` and `high` to 0 and 1, that is beyond them."""
    logged = low + number * (high - low)
    text = (
        f"{logged:.12g}"  # the last digits are what brought it to 0–1, unless only they are wrong
    )
    if low <= float(text) <= high:
        text = f"{logged!r}"
    kind = "above" if number > 1 else "below"
    field = "" if column == "score" else column
    return Error(f"{column} {text} is not between {low:g} and {high:g}", kind, field)


Statistic = Literal["mean", "stderr", "std", "var"]


class Printed(msgspec.Struct, kw_only=True):
    """A number that a harness printed for the samples of a log."""

    file: str  # a path in the project
    name: str
    value: float | None = None
    scorer: str | None = None  # its samples by the column `scorer`; None: all of the log
    where: dict[str, Any] = {}  # its samples by other columns
    statistic: Statistic = "mean"
    """Of one value for each problem. Spreads divide by n − 1, the standard error by √n too."""
    over: str = "mean"
    """How the repeats of a problem become one value: see `heatproof.statistics.repeats`."""
    problems: int | None = None  # its problems; in some harnesses, its samples
    run: int | None = None  # samples of its run, where the number may have fewer
    low: float = 0.0
    high: float = 1.0  # scores 0 and 1 in its unit
    decimals: int | None = None  # to which the harness rounds; None: it does not
    earlier: list[float] = []
    """Numbers of earlier runs like this one: the log may be of one of those."""
    why: str = ""  # why it cannot be compared; empty if it can


def printed_number(value: object) -> float | None:
    """A number of a document; None for anything else, and beyond all floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def printed_count(value: object) -> int | None:
    """A count in a document; None for anything else."""
    number = printed_number(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None
