"""The engine of all harness formats: logs → records → samples, each record a row or a refusal.

A format is one file with two classes. `Entry` has its keys in config.yaml. `Reader` reads one log:

- `begin` finds what is told of the log as a whole (`self.settle`), and may yield `Declared`;
- `records` yields each record, decoded (`self.lines`, `self.each`);
- `samples` says which samples a record is of, `score` what each got: an error in the first refuses
  the record, one in the second a sample that is known and lacks its score;
- `ended` says what shows only at the end, `printed` what the harness itself counted.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from heatproof.config import hints
from heatproof.config.entries import Columns, Param, Source, Word, constant, unfit
from heatproof.config.roles import SETTINGS, Type
from heatproof.formats import preferences
from heatproof.formats.api import (
    Batch,
    Declared,
    Log,
    Offer,
    Place,
    Printed,
    Reject,
    content_beside,
    excerpt,
    printed_number,
    score_fault,
    score_kind,
)  # fmt: skip
from heatproof.formats.detection import plain
from heatproof.formats.documents import (
    LIMIT,
    decoded,
    document,
    document_fault,
    document_kind,
    members,
    one,
    places,
)  # fmt: skip
from heatproof.formats.faults import FAULTS
from heatproof.formats.lines import as_records, read_lines
from heatproof.formats.params import excerpted, from_text, lookup, unit
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.formats.api import Kind
    from heatproof.formats.decoding import Decoder

ROWS = 8192
"""Rows of a batch, about."""
OBJECT, LIST = dict[str, msgspec.Raw], list[msgspec.Raw]
"""What records may be the items of."""


class Refused(Error):
    """Why nothing of a log can be taken; of other errors config.yaml is the cause."""

    def __init__(self, message: object = "", kind: Kind = "form") -> None:
        super().__init__(message, kind)


class Record(NamedTuple):
    """A record of a log."""

    place: Place
    value: Any
    """Decoded; or the error that says why it cannot be."""
    data: bytes = b""
    """Its bytes, where they are at hand."""
    key: str = ""
    """Its key in the object that holds the records, or its number in the list."""
    number: int = 0
    raw: msgspec.Raw = msgspec.Raw(b"")
    """Its bytes as a view into the document, of which `each` tells the places of what is in it."""
    member: str = ""
    """Of an archive."""


class Tuned(Source, kw_only=True):
    """Keys of a source whose logs tell the hyper-parameters of their run."""

    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and name in the log. Names in the log are dotted for what
    lies deeper; a column that is not called otherwise has the last part."""
    max_document: int = LIMIT
    """Bytes of a document that is held in memory whole at most: a larger one is refused."""
    range: list[float] = []
    """The lowest and highest score, brought to 0 and 1, as true and false are."""

    own: ClassVar[dict[str, Any]] = {}
    """Hyper-parameters that the format itself tells, where it does."""
    measures: ClassVar[tuple[str, ...]] = ()
    prefers: ClassVar[tuple[str, ...]] = ()
    """Keys that choose among several names, by task (`formats.preferences`)."""
    prints: ClassVar[bool] = False
    """Whether the harness prints numbers into the log itself."""

    def columns(self) -> Columns:
        params = Param.all(self.params)
        found = Columns.of({_column(n, one): one for n, one in params.items()}, [*self.measures])
        answers = getattr(self, "answers", False)
        return msgspec.structs.replace(found, params=self.own | found.params, answers=answers)

    def keeping_answers(self) -> str:
        return "`answers: true`" if hasattr(self, "answers") else ""

    def wanted(self) -> dict[str, tuple[str, Type]]:
        """Hyper-parameter, as its column is called → its name in the log, its type."""
        params = Param.all(self.params)
        return {_column(name, one): (one.field or name, one.type) for name, one in params.items()}

    def chooses(self) -> bool:
        return not all(isinstance(getattr(self, key), str) for key in self.prefers)

    def unchosen(self, tasks: Sequence[str]) -> list[str]:
        found = (preferences.unknown(key, getattr(self, key), tasks) for key in self.prefers)
        return [*chain.from_iterable(found)]

    def printed_in(self, path: str, root: Path) -> list[str]:
        return [path] if self.prints else []

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        if self.range and (len(self.range) != 2 or self.range[0] >= self.range[1]):
            found.append(f".range: {self.range} is not [lowest, highest]")
        taken: set[str] = set()
        for name, param in Param.all(self.params).items():
            found += [f".params.{name}{problem}" for problem in param.mistakes()]
            if (column := _column(name, param)) in taken:
                found.append(f".params.{name}: another one is called {column!r} too; say "
                             f"{{type: …, field: {name}}} under a name of its own")  # fmt: skip
            taken.add(column)
        for key in self.prefers:
            found += preferences.mistakes(key, getattr(self, key))
        return found


class Placed(Tuned, kw_only=True):
    """Keys of a source whose logs tell by their path what stands in none of their records."""

    path: str = ""
    """A regular expression searched in the log's path; its named groups fill columns. Without it
    the names are taken apart that the harness itself gives."""
    set: dict[str, Word] = {}
    """Columns that are the same for all records."""

    usual: ClassVar[tuple[str, ...]] = ()
    """Patterns of paths that the harness itself writes; the first that fits counts."""
    slash: ClassVar[str] = ""
    """What stands in such a path for the slash behind an organisation's name."""

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        try:
            groups = sorted(re.compile(self.path).groupindex)
        except re.error as error:
            return [*found, f".path: {hints.expression(error, self.path)}"]
        valid = [*SETTINGS, *self.columns().params]
        named = {f".path.{name}": name for name in groups} | {f".set.{n}": n for n in self.set}
        for place, name in named.items():
            if name not in valid:
                found.append(f"{place}: {name!r} is not a column; {choices(name, valid)}")
            elif place.startswith(".set"):
                found += unfit(self.set[name], self.kind(name), place)
        return found

    def kind(self, column: str) -> Type:
        """The type of a column that tells runs apart."""
        return self.columns().params.get(column, "str")

    def from_path(self, path: str) -> dict[str, Any] | None:
        try:
            return self.by_path(path)
        except Error:
            return None

    def by_path(self, path: str) -> dict[str, Any]:
        """What the path of a log and config.yaml tell of all its records. Raises Refused."""
        patterns, name = ((self.path,), path) if self.path else (self.usual, plain(path))
        match = next((m for one in patterns if (m := re.search(one, name))), None)
        if match is None and self.path:
            raise Refused(f"the path does not match {self.path!r}", "path")
        told = {n: text for n, text in match.groupdict().items() if text} if match else {}
        if self.slash and not self.path and "model" in told:
            told["model"] = told["model"].replace(self.slash, "/")
        try:
            found = {name: from_text(text, self.kind(name), name) for name, text in told.items()}
        except Error as error:
            raise Refused(str(error), "type") from error
        return found | {name: constant(value, self.kind(name)) for name, value in self.set.items()}


def _column(name: str, param: Param) -> str:
    return name if param.field else name.rsplit(".", 1)[-1]


class Reader:
    """Reads one log of a harness; each format says below what its own are like."""

    shown: ClassVar[tuple[str, ...]] = ()
    """Fields of a record that are shown of one that is refused; without them its bytes."""

    def __init__(self, log: Log, entry: Any) -> None:
        self.log, self.entry, self.path = log, entry, log.path
        self.shared: dict[str, Any] = {}
        """What all samples have."""
        self.heads: list[Any] = []
        """Where hyper-parameters may lie, the most telling first."""
        self.data = b""
        """The document, where the log is one."""
        self._rows: list[dict[str, Any]] = []
        self._records: list[Record] = []
        self._of: dict[str, Any] = {}
        self._since = Place(1, 0, 0)

    # What a format says.

    def begin(self) -> Iterable[Declared | Reject] | None:
        """Find what is told of the log as a whole."""

    def records(self) -> Iterator[Record | Reject | Batch]:
        """The records of the log; a batch of lines that are told as a table at once."""
        raise NotImplementedError

    def samples(self, record: Record) -> Iterator[dict[str, Any]]:
        """What a record tells of each sample that it is of: `sample_id`, `epoch` and more.

        With `score`, where that is on our scale already.
        """
        raise NotImplementedError

    def score(self, record: Record, row: dict[str, Any]) -> float | bool | None:
        """The score of a sample, on the scale of the log."""
        raise NotImplementedError

    def why(self, row: dict[str, Any], reason: str) -> str:
        """The reason why a sample has no score, in words."""
        return reason

    def ended(self) -> Iterable[Declared | Reject]:
        """What shows when all records were read."""
        return ()

    def close(self) -> None:
        """Let go of what `begin` opened."""

    def printed_numbers(self) -> Iterator[Printed]:
        """The numbers that the harness printed of the log."""
        return iter(())

    # What is the same for all of them.

    @classmethod
    def read(cls, log: Log, entry: Any) -> Iterator[Batch | Reject | Declared]:
        """The samples of a log."""
        reader = cls(log, entry)
        try:
            yield from reader.begin() or ()
            for record in reader.records():
                if isinstance(record, Reject | Batch):
                    yield record
                elif isinstance(record.value, Error):
                    error, text = record.value, excerpt(record.data)
                    place, member = record.place, record.member
                    yield Reject(place, str(error), text, member, kind=error.kind or "grade")
                else:
                    yield from reader._take(record)
            yield from reader._batch()
            yield from reader.ended()
        except FAULTS as error:
            kind = document_kind(error, reader.data)
            yield Reject(Place(1, 0, 0), document_fault(error, reader.data), kind=kind, whole=True)
        except (Refused, Unreadable) as error:
            yield Reject(Place(1, 0, 0), str(error), kind=error.kind, whole=True)
        finally:
            reader.close()

    @classmethod
    def printed(cls, log: Log, entry: Any) -> Iterator[Printed]:
        """What the harness printed of a log. Raises Error: the file is damaged or too large."""
        return cls(log, entry).printed_numbers()

    def _take(self, record: Record) -> Iterator[Batch | Reject]:
        full = len(self._rows) >= ROWS or self._of is not self.shared  # of another run
        if full or (self._records and record.member != self._records[0].member):
            yield from self._batch()
        try:
            rows = [*self.samples(record)]
        except Error as error:
            text = self._excerpt(record, {})
            kind: Kind = error.kind or "grade"
            yield Reject(record.place, str(error), text, record.member, kind=kind)
            return
        for row in rows:
            try:
                score = row["score"] if "score" in row else self._unit(self.score(record, row), row)
                reason = score_fault(score, *self.entry.range)
                kind = score_kind(score) if reason else ""
            except Error as error:
                reason, kind = str(error), error.kind or "grade"
            if reason:
                settings = self.shared | {name: v for name, v in row.items() if name != "score"}
                yield Reject(
                    record.place, self.why(row, reason), self._excerpt(record, row), record.member,
                    of=settings, kind=kind,
                )  # fmt: skip
            else:
                row["score"] = score
                self._rows.append(row)
                self._records.append(record)

    def _unit(self, score: Any, row: Mapping[str, Any]) -> float | None:
        if score is None:
            return None
        if not isinstance(score, bool | int | float):
            scorer = row.get("scorer", self.shared.get("scorer"))
            raise Error(f"{scorer}: {excerpted(score)} is not true, false or a number", "type")
        return unit(score, self.entry.range)

    def _batch(self) -> Iterator[Batch]:
        rows, records = self._rows, self._records
        if rows:
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            yield Batch(columns, [one.place for one in records], self._of, records[0].member)
        self._rows, self._records, self._of = [], [], self.shared

    def _excerpt(self, record: Record, row: Mapping[str, Any]) -> str:
        shown = self.show(record, row)
        return excerpt(shown if isinstance(shown, bytes) else msgspec.json.encode(shown))

    def show(self, record: Record, row: Mapping[str, Any]) -> object:
        """What is shown of a record that is refused."""
        if self.shown:
            return {name: getattr(record.value, name) for name in self.shown}
        return record.data or record.value

    # What formats are made with.

    def settle(self, told: Mapping[str, Any], heads: Iterable[object] = ()) -> None:
        """Take model, task and hyper-parameters of the log: of its head, its path, config.yaml.

        `told`: what the log says of itself; a path and `set` go before it. `heads`: where further
        hyper-parameters may lie. Raises Refused: nothing tells model or task, or a wrong type does.
        """
        entry, self.heads = self.entry, [*heads]
        found = {**told, **(entry.by_path(self.path) if isinstance(entry, Placed) else {})}
        for name in SETTINGS if isinstance(entry, Placed) else ():
            if not found.get(name):
                raise Refused(
                    f"nothing tells its {name}: say `set: {{{name}: …}}` in config.yaml, "
                    f"or a group `(?P<{name}>…)` in `path`",
                    "path",
                )
        wanted = {name: one for name, one in entry.wanted().items() if name not in found}
        try:
            found |= lookup(wanted, self.heads)
        except Error as error:
            raise Refused(str(error), "type") from error
        self.shared = {**dict.fromkeys(entry.own), **found}

    def document(self) -> bytes:
        """The whole log. Raises Refused."""
        try:
            self.data = document(self.log, self.entry.max_document)
        except Error as error:
            raise Refused(str(error), error.kind) from error
        return self.data

    def member(self, key: str, without: str) -> msgspec.Raw:
        """What stands under a key of the document; `without`: why a log without it is refused."""
        found = members(self.document(), [key])
        if key not in found:
            raise Refused(without)
        return found[key]

    def each(
        self, held: msgspec.Raw | bytes, decoder: Decoder | None = None, of: Any = OBJECT | LIST
    ) -> Iterator[Record]:
        """The items of a list or object in the document, decoded if that is asked for."""
        found = msgspec.json.decode(held, type=of)
        pairs = [*members(held).items()] if isinstance(found, dict) else [*enumerate(found)]
        where = places(self.data, [raw for _, raw in pairs], since=self._since)
        self._since = where[0] if where else self._since
        for number, ((key, raw), place) in enumerate(zip(pairs, where, strict=True)):
            data = bytes(memoryview(raw))
            value = attempt(decoder, data) if decoder else data
            yield Record(place, value, data, str(key), number, raw)

    def lines(self, decoder: Any) -> Iterator[Record | Reject]:
        """The records of a log of lines."""
        for part in read_lines(self.log, decoder, as_records, self.shared):
            if isinstance(part, Reject):
                yield part
            else:
                yield from map(Record, part.places, part.columns["record"])

    def beside(self, path: str, kind: Any) -> Any:
        """A file beside the log, of which a change is one of the log. Raises Refused."""
        try:
            return decoded(self.log.beside(path, self.entry.max_document), kind, path)
        except Error as error:
            raise Refused(str(error), error.kind) from error

    def told_beside(self, path: str, kind: Any) -> Any:
        """A file beside the log with what was printed of it. Raises Error."""
        return decoded(content_beside(self.log, path, self.entry.max_document), kind, path)

    def number(self, name: str, value: object, *, file: str = "", **more: Any) -> Printed:
        """A printed number; one that is none cannot be compared."""
        ends = dict(zip(("low", "high"), self.entry.range or (0.0, 1.0), strict=True))
        number = printed_number(value)
        told = {**ends, "why": "" if number is not None else "it is not a number"} | more
        return Printed(file=file or self.path, name=name, value=number, **told)

    def choose(self, key: str, names: Sequence[str]) -> str:
        """The one of some names that config.yaml means. Raises Error if it does not say."""
        wanted = preferences.of_task(getattr(self.entry, key), self.shared["task"])
        place = f"config.yaml: sources.{self.entry.name}.{key}"
        return preferences.chosen(names, wanted, place, self.path)


def attempt(decoder: Decoder, data: bytes) -> Any:
    """A record decoded, or the error that says why it cannot be."""
    try:
        return one(decoder, data)
    except Error as error:
        return error


def offer_of(settings: Sequence[Any], **names: Sequence[str]) -> Offer:
    """What a log has: places of settings; key of the source → names of which it is to name one."""
    return Offer([*settings], {key: [*there] for key, there in names.items()})
