"""The engine of all harness formats: logs → records → samples, each record a row or a refusal.

A format is one file with two classes. `Entry` has its keys in config.yaml. `Reader` reads one log:

- `begin` reads what is true of the log as a whole (`self.settle`), and may yield `Declared`;
- `records` yields each record, decoded (`self.lines`, `self.items`);
- `samples` yields the samples of a record, `score` the score of each: an error in the first refuses
  the record, one in the second a sample that has no score;
- `ended` yields what only the end shows, `printed_numbers` what the harness itself counted.

Where a task has several metrics, filters or scorers, a key of config.yaml chooses (`Preference`). A
text holds for every task. Of a list, the first counts that a task has. A map has either by task, or
by a pattern of tasks (`mmlu_*`); a task's own name comes first, then the first pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from heatproof.config import hints
from heatproof.config.choice import Word  # noqa: TC001  msgspec looks it up
from heatproof.config.entries import Columns, Param, Source, unfit
from heatproof.config.roles import SETTINGS, Type
from heatproof.formats import decoding
from heatproof.formats.api import (
    Batch,
    Declared,
    Log,
    Offer,
    Passed,
    Place,
    Printed,
    Reject,
    printed_number,
    score_fault,
)
from heatproof.formats.detection import plain
from heatproof.formats.lines import Lines, read_lines, text_lines
from heatproof.formats.params import excerpted, from_text, lookup, path_columns, unit
from heatproof.logs.streams import UNENDED
from heatproof.util.errors import Error, Mistake, choices, not_one_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Declared", "Reject", "sign"]
ROWS = 8192  # rows of a batch
OBJECT = dict[str, msgspec.Raw]
LIST = list[msgspec.Raw]  # what may hold records
Rows = Iterator[dict[str, Any]]
Numbers = Iterator[Printed]
Sizes = Iterator[Declared | Reject]
Names = str | list[str]
Preference = Names | dict[str, Names]


class Unchosen(Error):
    """config.yaml chooses none of several names, or one that a log lacks: the run stops."""


class Record(NamedTuple):
    """A record of a log."""

    place: Place
    value: Any  # decoded, or the error
    data: bytes = b""
    key: str = ""  # in the object that holds the records, or its number in the list
    number: int = 0
    raw: msgspec.Raw = msgspec.Raw(b"")  # its bytes as a view into the document, for `items`
    member: str = ""  # of an archive


Records = Iterator[Record | Reject | Batch | Declared | Passed]


class Harness(Source, kw_only=True):
    """Keys of a source with logs of a harness."""

    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and name in the log. Dots lead to nested names (`a.b`); the
    column has the last part unless you name it."""
    max_document: int = decoding.LIMIT
    """Bytes of a document held in memory at most; a larger one is refused."""
    range: list[float] = []
    """The lowest and highest score, mapped to 0 and 1; false and true are 0 and 1 too."""

    own: ClassVar[dict[str, Any]] = {}  # hyper-parameters of the format itself
    measures: ClassVar[tuple[str, ...]] = ()
    prefers: ClassVar[tuple[str, ...]] = ()  # keys that are a `Preference`
    others: ClassVar[str] = "(?!)"  # a pattern of paths: other files of the harness, no logs
    prints: ClassVar[str] = ""  # where the harness prints numbers: its `log`, its `sidecar`

    def columns(self) -> Columns:
        params = {_column(name, p): p for name, p in Param.all(self.params).items()}
        columns = Columns.with_params(params, list(self.measures))
        columns.params = self.own | columns.params
        columns.answers = getattr(self, "answers", False)
        return columns

    def keeping_answers(self) -> str:
        return "`answers: true`" if hasattr(self, "answers") else ""

    def lookups(self) -> dict[str, tuple[str, Type]]:
        """Column → name in the log and type, of each hyper-parameter."""
        params = Param.all(self.params)
        return {_column(name, p): (p.place(name), p.type) for name, p in params.items()}

    def chooses(self) -> bool:
        return not all(isinstance(getattr(self, key), str) for key in self.prefers)

    def unchosen(self, tasks: Sequence[str]) -> list[Mistake]:
        problems = []
        for key in self.prefers:
            choice = getattr(self, key)
            for name in choice if isinstance(choice, dict) else ():
                if not any(fnmatchcase(task, name) for task in {name} & set(tasks) or tasks):
                    message = f"no sample is of task {name!r}; {choices(name, sorted(tasks))}"
                    problems.append(Mistake(f".{key}.{name}", message))
        return problems

    @classmethod
    def is_sidecar(cls, path: str) -> bool:
        return re.fullmatch(cls.others, path, re.DOTALL) is not None

    @classmethod
    def retold(cls, logs: Sequence[str], others: Sequence[str]) -> list[str]:  # noqa: ARG003
        """Those of some logs, and of the other files, that hold the samples of other logs again."""
        return []

    def settings_files(self, path: str) -> list[str]:
        """Paths of files that may hold the settings of a log: the first that exists does."""
        return []

    def sidecars(self, path: str, root: Path) -> list[str]:
        return [file for file in self.settings_files(path) if (root / file).is_file()][:1]

    def printed_in(self, path: str, root: Path) -> list[str]:
        return {"": [], "log": [path], "sidecar": self.sidecars(path, root)}[self.prints]

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        if self.range and (len(self.range) != 2 or self.range[0] >= self.range[1]):
            problems.append(Mistake(".range", f"{self.range} is not [lowest, highest]"))
        taken: set[str] = set()
        for name, param in Param.all(self.params).items():
            problems += [problem.below(f".params.{name}") for problem in param.mistakes()]
            if (column := _column(name, param)) in taken:
                way_out = f"write {{type: …, field: {name}}} under another name"
                message = f"another parameter fills the column {column!r} too; {way_out}"
                problems.append(Mistake(f".params.{name}", message))
            taken.add(column)
        for key in self.prefers:
            problems += preference_mistakes(key, getattr(self, key))
        return problems


class Placed(Harness, kw_only=True):
    """Keys of a source whose logs have settings in their path."""

    path: str = ""
    """A regular expression, searched in the log's path; its named groups fill columns and override
    the names that the harness gives."""
    set: dict[str, Word] = {}
    """Column → the value that all records have."""

    usual: ClassVar[tuple[str, ...]] = ()
    """Patterns of paths that the harness itself writes; the first that fits counts."""
    form: ClassVar[str] = ""  # the form of such a path, if logs of other names are refused
    slash: ClassVar[str] = ""  # what such a path has for the slash behind an organisation's name

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        try:
            groups = sorted(re.compile(self.path).groupindex)
        except re.error as error:
            message = hints.expression(error, self.path)
            return problems + [Mistake(".path", message, offset=error.pos)]
        valid = list(SETTINGS) + list(self.columns().params)
        columns = {f".path.{name}": name for name in groups} | {f".set.{n}": n for n in self.set}
        for place, name in columns.items():
            if name not in valid:
                problems.append(Mistake(place, not_one_of(name, "column", valid)))
            elif place.startswith(".set"):
                problems += unfit(self.set[name], self.kind(name), place)
        return problems

    def kind(self, column: str) -> Type:
        return self.columns().params.get(column, "str")

    def from_path(self, path: str) -> dict[str, Any]:
        """Columns as `by_path` has them; none if the path does not fit."""
        with suppress(Error):
            return self.by_path(path)
        return {}

    def by_path(self, path: str) -> dict[str, Any]:
        """Columns that the path of a log and `set` fill. Raises Error."""
        own = path_columns(self, path)
        kinds = self.columns().params
        usual = next((m for p in self.usual if (m := re.search(p, plain(path)))), None)
        if usual is None and self.form:
            raise Error(f"the file name is not {self.form}", "path")
        texts = {n: text for n, text in (usual.groupdict() if usual else {}).items() if text}
        if self.slash and "model" in texts:
            texts["model"] = texts["model"].replace(self.slash, "/")
        columns = {n: from_text(text, kinds.get(n, "str"), n) for n, text in texts.items()}
        return columns | own


def _column(name: str, param: Param) -> str:
    if param.field:
        return name
    return name.rsplit(".", 1)[-1]


class Reader:
    """Reads one log of a harness: the base of the readers of all formats."""

    apart: ClassVar[tuple[str, ...]] = ("epoch", "scorer")
    """Columns that a refusal names where a record has several samples."""
    alike: ClassVar[Sequence[str]] = ()
    """The columns of the fields of a decoded record, where each record is one sample with a score
    from 0 to 1: such are read by the column, and one by one only where one of them is refused."""

    def __init__(self, log: Log, entry: Any) -> None:
        self.log = log
        self.entry = entry
        self.path = log.path
        self.shared: dict[str, Any] = {}  # columns with one value for all samples
        self.offered = Offer()
        self.data = b""  # the document, if the log is one
        self.held: list[Any] = []  # its records, if `begin` reads them
        self.begins: Place | None = None  # of the document in the log, if it is a part of it
        self._rows: list[dict[str, Any]] = []
        self._records: list[Record] = []
        self._run: dict[str, Any] = {}
        self._since = Place(1, 0, 0)

    # The hooks of a format.

    def begin(self) -> Iterable[Declared | Reject] | None:
        """Read what is true of the log as a whole."""

    def records(self) -> Records:
        """The records of the log, or batches of them."""
        return iter(self.held)

    def samples(self, record: Record) -> Rows:
        """Column → value of each sample of a record; with `score`, if that is 0 to 1 already."""
        columns = self.read_columns([msgspec.structs.astuple(record.value)])
        yield {name: values[0] for name, values in columns.items()}

    def read_columns(self, records: Sequence[Any]) -> dict[str, list[Any]]:
        """Column → values of records that are samples. Raises MISFITS: one is refused."""
        columns = dict(zip(self.alike, map(list, zip(*records, strict=True)), strict=True))
        columns["sample_id"] = list(map(str, columns["sample_id"]))
        return columns

    def score(self, record: Record, row: dict[str, Any]) -> Any:
        """The score of a sample, on the scale of the log."""
        raise NotImplementedError

    def ended(self) -> Iterable[Declared | Reject | Passed]:
        """What only shows when all records were read."""
        return ()

    def printed_numbers(self) -> Numbers:
        return iter(())

    # The functions of the module of a format.

    @classmethod
    def read(cls, log: Log, entry: Any) -> Iterator[Batch | Reject | Declared | Passed]:
        reader = cls(log, entry)
        try:
            yield from reader.begin() or ()
            for record in reader.records():
                if isinstance(record, Record):
                    yield from reader._take(record)
                    continue
                if isinstance(record, Batch):  # rows leave in the order of their records
                    yield from reader._batch()
                yield record
            yield from reader._batch()
            yield from reader.ended()
        except decoding.FAULTS as error:
            yield Reject.of_log(decoding.document_fault(error, reader.data))
        except Unchosen:
            raise
        except Error as error:
            yield Reject.of_log(error)

    @classmethod
    def printed(cls, log: Log, entry: Any) -> Numbers:
        """The numbers that the harness printed for a log. Raises Error: it cannot be read."""
        reader = cls(log, entry)
        try:
            yield from reader.printed_numbers()
        except decoding.FAULTS as error:
            raise decoding.document_fault(error, reader.data) from error

    @classmethod
    def offer(cls, log: Log, entry: Any) -> Offer:
        """What config.yaml may choose in a log. Raises as reading it would."""
        reader = cls(log, entry)
        with suppress(Unchosen):
            _ = list(reader.begin() or ())
            next(iter(reader.records()), None)
        return reader.offered

    def _take(self, record: Record) -> Iterator[Batch | Reject]:
        full = len(self._rows) >= ROWS or self._run is not self.shared  # of another run
        if full or (self._records and record.member != self._records[0].member):
            yield from self._batch()
        try:
            if isinstance(record.value, Error):
                raise record.value
            rows = list(self.samples(record))
        except Unchosen:
            raise
        except Error as error:
            yield self.refusal(record, error)
            return
        for row in rows:
            try:
                row["score"] = self.graded(record, row)
                self._rows.append(row)
                self._records.append(record)
            except Error as error:
                place = self._row_place(row, rows)
                yield self.refusal(record, Error(f"{place}{error}", error.kind, error.field), row)

    def _row_place(self, row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
        """What tells a row from the others of its record: `scorer: `."""
        place = ""
        for name in self.apart:
            if len({line.get(name) for line in rows}) > 1:
                place += f"{name} {row[name]}: "
        return place

    def graded(self, record: Record, row: dict[str, Any]) -> float | None:
        """The score of a sample, from 0 to 1. Raises Error: it has none."""
        if "score" in row:
            score = row["score"]
        elif (score := self.score(record, row)) is not None:
            if not isinstance(score, bool | int | float):
                scorer = row.get("scorer", self.shared.get("scorer"))
                message = f"{scorer}: {excerpted(score)} is not true, false or a number"
                raise Error(message, "type", str(scorer))
            score = unit(score, self.entry.range)
        if wrong := score_fault(score, *self.entry.range):
            raise wrong
        return score  # type: ignore[no-any-return]

    def refusal(self, record: Record, why: Error, row: dict[str, Any] | None = None) -> Reject:
        """The refusal of a record, or of one of its samples (`row`)."""
        decoded_alone = not record.data and not isinstance(record.value, Error)
        data = decoding.excerpt(msgspec.json.encode(record.value) if decoded_alone else record.data)
        if row is None:
            cells = {}
        else:
            cells = self.shared | row
        cells.pop("score", None)
        facts = {"member": record.member, "cells": cells, "kind": why.kind or "grade"}
        return Reject.of_error(record.place, why, data, lacks_score=row is not None, **facts)

    def _batch(self) -> Iterator[Batch]:
        rows = self._rows
        records = self._records
        if rows:
            columns: dict[str, list[Any]] = {}
            for name in rows[0]:
                columns[name] = [row[name] for row in rows]
            places = [record.place for record in records]
            yield Batch(columns, places, self._run, records[0].member)
        self._rows = []
        self._records = []
        self._run = self.shared

    # What the hooks call.

    def settle(self, own: Mapping[str, Any], heads: Iterable[object] = ()) -> None:
        """Set model, task and hyper-parameters of the log, from its head, its path and config.yaml.

        `own`: columns from the head; path and `set` override them. `heads`: where further
        hyper-parameters may lie, the best first. Raises Error.
        """
        entry = self.entry
        self.offered.settings = list(heads)
        placed = isinstance(entry, Placed)
        columns = {**own, **(entry.by_path(self.path) if placed else {})}
        for name in SETTINGS if placed else ():
            if not columns.get(name):
                raise Error(f"its {name} is unknown: write `set: {{{name}: …}}` in config.yaml, "
                            f"or a group `(?P<{name}>…)` in `path`", "path")  # fmt: skip
        self.offered.run = columns.get("model"), columns.get("task")
        missing = {n: place for n, place in entry.lookups().items() if n not in columns}
        params = lookup(missing, self.offered.settings)
        self.shared = {**dict.fromkeys(entry.own), **columns, **params}

    def document(self) -> bytes:
        self.data = decoding.document(self.log, self.entry.max_document)
        return self.data

    def member(self, key: str, without: str) -> msgspec.Raw:
        """The value of a key of the document. Raises Error `without`: there is no such key."""
        members = decoding.members(self.document(), [key])
        if key not in members:
            raise Error(without)
        return members[key]

    def items(
        self,
        holder: msgspec.Raw | bytes,
        record: Any = None,
        kind: Any = OBJECT | LIST,
    ) -> Iterator[Record]:
        """The items of a list or object in the document, each decoded as a `record`, a struct."""
        content = msgspec.json.decode(holder, type=kind)
        is_object = isinstance(content, dict)
        pairs = list(decoding.members(holder).items() if is_object else enumerate(content))
        spots = decoding.places(self.data, [raw for _, raw in pairs], self.begins, self._since)
        if spots:
            self._since = spots[0]
        for number, ((key, raw), place) in enumerate(zip(pairs, spots, strict=True)):
            data = bytes(memoryview(raw))
            try:
                if record:
                    value = decoding.decoder_of(record).one(data)
                else:
                    value = None
            except Error as error:
                value = error
            yield Record(place, value, data, str(key), number, raw)

    def text_lines(self) -> Iterator[Record | Reject]:
        """The lines of a log of text that are not blank, each a record whose value is its text."""
        for line in text_lines(self.log):
            if isinstance(line, Reject):
                yield line
            else:
                place, text, data = line
                yield Record(place, text, data, str(place.line), place.line)

    def lines(self, record: Any) -> Iterator[Any]:
        """The records of a log of lines, each decoded as a `record`, a struct."""
        decoder = decoding.decoder_of(record, as_tuples=bool(self.alike))
        for item in read_lines(self.log, decoder):
            if isinstance(item, Reject):
                yield item
            elif batch := self.batch_of(item) if self.alike else None:
                yield batch
            else:
                for place, value in zip(item.each_place(), item.records, strict=True):
                    decoded = record(*value) if isinstance(value, tuple) else value
                    yield value if isinstance(value, Reject) else Record(place, decoded)

    def batch_of(self, lines: Lines) -> Batch | None:
        """Records as a batch, column by column; None if one of them is refused."""
        if lines.data:  # they could not be decoded at once
            return None
        try:
            columns = self.read_columns(lines.records)
        except (Error, *decoding.FAULTS, *decoding.MISFITS):
            return None
        is_refused = any(map(score_fault, set(columns.get("score", ()))))
        if is_refused:
            return None
        return Batch(columns, lines.places, self.shared)

    def beside(self, path: str, kind: Any) -> Any:
        """A file beside the log, decoded. Raises Error."""
        data = self.log.beside(path, self.entry.max_document)
        return decoding.decoded(data, kind, path.rsplit("/", 1)[-1])

    def lines_beside(self, path: str, record: Any) -> list[Any]:
        """The lines of a file beside the log, each decoded as a `record`. Raises Error."""
        name = path.rsplit("/", 1)[-1]
        data = self.log.beside(path, self.entry.max_document)
        lines = [line for line in data.splitlines() if line.strip()]
        if not lines:
            raise Error(f"{name} ends too early: {UNENDED}", "unended")
        decoder = decoding.decoder_of(record)
        records = []
        for line in lines:
            try:
                records.append(decoder.single(line))
            except decoding.FAULTS as error:
                is_last = line is lines[-1]
                why = decoding.fault(error, line, cut=is_last and not data.endswith(b"\n"))
                raise Error(f"{name}: {why}", why.kind) from error
        return records

    def number(self, name: str, value: object, **facts: Any) -> Printed:
        """A printed number; one that is none cannot be compared."""
        low, high = self.entry.range or (0.0, 1.0)
        number = printed_number(value)
        why = "" if number is not None else "it is not a number"
        usual: dict[str, Any] = {"file": self.path, "low": low, "high": high, "why": why}
        return Printed(name=name, value=number, **usual | facts)

    def choose(self, key: str, names: Sequence[str]) -> str:
        """The one of `names` that a key of config.yaml chooses. Raises Unchosen: it does not."""
        self.offered.choices[key] = list(names)
        wish = of_task(getattr(self.entry, key), self.shared["task"])
        wishes = names_of(wish)
        preferred = [name for name in wishes if name in names]
        if isinstance(wish, str) and not preferred:
            message = not_one_of(wish, f"{key} of {self.path}", names)
            if not get_close_matches(wish, names):
                message += f"; if tasks differ, write a list: {key}: [{wish}, {names[0]}]"
        elif not preferred and len(names) > 1:
            contrast = ": choose one"
            if wishes:
                contrast = f", but not {', '.join(wishes)}"
            message = f"{self.path} has several{contrast}; {choices('', names)}"
        else:
            return (preferred or list(names))[0]
        raise Unchosen(Mistake(f"sources.{self.entry.name}.{key}", message))


def sign(why: str, name: str, *parts: bytes, line: bool = False) -> Callable[[str, bytes], str]:
    """The function `recognises` of a format: it returns `why` if the name of a file matches and the
    beginning of the file, or its first `line`, has all `parts` (expressions too).
    """
    fits = re.compile(f"(?:.*/)?{name}", re.DOTALL).fullmatch

    def recognises(path: str, head: bytes) -> str:
        text = head
        if line:
            text = head.split(b"\n", 1)[0]
        return why if fits(plain(path)) and all(re.search(p, text) for p in parts) else ""

    return recognises


def of_task(preference: Preference | None, task: str) -> Names | None:
    """The preference for a task; None where there is none."""
    if not isinstance(preference, dict):
        return preference
    if task in preference:
        return preference[task]
    return next(
        (names for pattern, names in preference.items() if fnmatchcase(task, pattern)), None
    )


def names_of(preference: Preference | None, task: str = "") -> list[str]:
    """The names that a preference has for a task, the best first."""
    names = of_task(preference, task)
    if isinstance(names, str):
        return [names]
    return names or []


def preference_mistakes(key: str, preference: Preference | None) -> Iterator[Mistake]:
    """What is wrong with a preference beyond its type."""
    for task, names in (preference if isinstance(preference, dict) else {"": preference}).items():
        if task:
            place = f".{key}.{task}"
        else:
            place = f".{key}"
        if names == []:
            yield Mistake(place, "is an empty list")
        for name in dict.fromkeys(names if isinstance(names, list) else ()):
            if (names or []).count(name) > 1:
                yield Mistake(place, f"{name!r} is listed twice", word=name)
