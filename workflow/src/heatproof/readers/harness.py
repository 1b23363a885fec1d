"""What readers of harnesses have in common: settings told by a path, documents, rows of a log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import replace

from heatproof.config import meant
from heatproof.config.entries import Word, constant, unfit
from heatproof.config.roles import SETTINGS, Type
from heatproof.logs.streams import Unreadable
from heatproof.readers.api import Batch, Place, Reject, excerpt, score_fault
from heatproof.readers.detection import plain
from heatproof.readers.documents import document, document_fault
from heatproof.readers.faults import FAULTS
from heatproof.readers.params import Tuned, from_text, lookup
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Columns
    from heatproof.readers.api import Declared, Log

    Parts = Iterator[Batch | Reject | Declared]


class Refused(Error):
    """Why nothing of a log can be taken; of other errors config.yaml is the cause."""


class Placed(Tuned, kw_only=True):
    """Keys of a source whose logs tell by their path what stands in none of their records."""

    path: str = ""
    """A regular expression searched in the log's path; its named groups fill columns. Without it
    the names are taken apart that the harness itself gives."""
    set: dict[str, Word] = {}
    """Columns that are the same for all records."""

    own: ClassVar[dict[str, Any]] = {}
    """Hyper-parameters that the format itself tells, where it does."""
    usual: ClassVar[str] = ""
    """The pattern of paths that the harness itself writes."""

    def columns(self) -> Columns:
        told = super().columns()
        return replace(told, params={**self.own, **told.params})

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        try:
            groups = sorted(re.compile(self.path).groupindex)
        except re.error as error:
            return [*found, f".path: {meant.expression(error, self.path)}"]
        valid = [*SETTINGS, *self.columns().params]
        for key, names in (("path", groups), ("set", list(self.set))):
            found += [
                f".{key}.{name}: {name!r} is not a column; {choices(name, valid)}"
                for name in names
                if name not in valid
            ]
        for name, value in self.set.items():
            if name in valid:
                found += unfit(value, self.kind(name), f".set.{name}")
        return found

    def kind(self, column: str) -> Type:
        """The type of a column that tells runs apart."""
        return self.columns().params.get(column, "str")

    def from_path(self, path: str) -> dict[str, Any] | None:
        try:
            return by_path(self, path)
        except Error:
            return None


def by_path(entry: Placed, path: str) -> dict[str, Any]:
    """What the path of a log and config.yaml tell of all its records.

    Raises:
        Refused: the path does not match, or a part of it is not of the column's type.
    """
    match = re.search(entry.path, path) if entry.path else re.search(entry.usual, plain(path))
    found: dict[str, Any] = {}
    if match is None and entry.path:
        raise Refused(f"the path does not match {entry.path!r}")
    for column, text in match.groupdict().items() if match else ():
        if text is not None:
            try:
                found[column] = from_text(text, entry.kind(column), column)
            except Error as error:
                raise Refused(str(error)) from error
    return found | {name: constant(value, entry.kind(name)) for name, value in entry.set.items()}


def settings(
    entry: Placed, path: str, told: Mapping[str, Any], heads: Iterable[object] = ()
) -> dict[str, Any]:
    """Model, task and hyper-parameters of a log: of its head, its path, and config.yaml.

    Args:
        entry: the source.
        path: of the log.
        told: what the log says of itself; a path and `set` go before it.
        heads: where further hyper-parameters may lie, see `params.lookup`.

    Raises:
        Refused: nothing tells the model or the task, or a value is not of its column's type.
    """
    found = {**told, **by_path(entry, path)}
    for name in SETTINGS:
        if not found.get(name):
            raise Refused(
                f"nothing tells its {name}: say `set: {{{name}: …}}` in config.yaml, "
                f"or a group `(?P<{name}>…)` in `path`"
            )
    wanted = {name: one for name, one in entry.wanted().items() if name not in found}
    try:
        found |= lookup(wanted, heads)
    except Error as error:
        raise Refused(str(error)) from error
    return {**dict.fromkeys(entry.own), **found}


def of_document(log: Log, limit: int, parts: Callable[[bytes], Parts]) -> Parts:
    """What `parts` makes of a document; a document that cannot be read is one reject.

    `parts` raises what decoding raises, or Refused, before it yields any row.
    """
    data = b""
    try:
        try:
            data = document(log, limit)
        except Error as error:
            raise Refused(str(error)) from error
        yield from parts(data)
    except FAULTS as error:
        yield Reject(Place(1, 0, 0), document_fault(error, data))
    except (Refused, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))


class Rows:
    """Good records of a log, gathered; what has no score that can be taken is a reject."""

    def __init__(self, shared: dict[str, Any], ends: Sequence[float] = ()) -> None:
        """`ends`: the lowest and highest score in the log's own unit."""
        self.shared, self.ends = shared, ends
        self._rows: list[dict[str, Any]] = []
        self._places: list[Place] = []

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, place: Place, row: dict[str, Any], shown: object) -> Iterator[Reject]:
        """A row of a record; `shown`: its bytes, or what is shown of it as JSON.

        Rows have the same columns in the same order.
        """
        if why := score_fault(row["score"], *self.ends):
            of = self.shared | {name: value for name, value in row.items() if name != "score"}
            yield Reject(place, why, _excerpt(shown), of=of)
        else:
            self._rows.append(row)
            self._places.append(place)

    def lost(self, place: Place, why: str, shown: object, **of: Any) -> Reject:
        """A record of a sample that is known, and has no score."""
        return Reject(place, why, _excerpt(shown), of=self.shared | of)

    def batch(self) -> Batch:
        """All of them."""
        names = self._rows[0] if self._rows else {}
        columns = {name: [row[name] for row in self._rows] for name in names}
        return Batch(columns, self._places, self.shared)


def _excerpt(shown: object) -> str:
    return excerpt(shown if isinstance(shown, bytes) else msgspec.json.encode(shown))
