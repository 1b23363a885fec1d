"""The reader of records of any layout, as config.yaml maps them to columns.

`plain` turns records of any shape into plain ones: it finds them (`each`), passes over others
(`only`), splits groups (`{model}` in a place), and decodes each into its cells. `samples` makes a
row of it, or several: of lists of epochs, of games. A format says where records lie (`records`).
Here all is JSON, in documents or lines; `csv_format` replaces the hooks.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config.entries import Param
from heatproof.formats import decoding, harness, joins, mapping, places, sidecars
from heatproof.formats.api import Declared, Passed, Place, Reject, score_fault
from heatproof.formats.decoding import FAULTS
from heatproof.formats.grading import graded_of, grader
from heatproof.formats.harness import Record
from heatproof.formats.mapping import STDERR, N
from heatproof.formats.params import as_key, excerpted, number_from_text, place_keys
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from heatproof.formats.api import Kind, Log
    from heatproof.formats.mapping import Listed, Mapped

    Parts = Iterator[Record | Reject | Declared | Passed]

MOST_VALUES = 6  # values of records passed over that a message names at most
TRUTHS = ("yes", "no", "on", "off")  # words that YAML takes for true or false
SIDE = "model"  # the column of the side of a game that has the score


class Reader(harness.Reader):
    """A record is a sample; with lists of epochs several, a game two."""

    apart = ()
    entry: Any

    def begin(self) -> None:
        entry: Mapped = self.entry
        self.shared = self.common = entry.by_path(self.path)
        self.head: dict[str, Any] = {}
        self.headed = bool(mapping.heads(entry)) and not entry.sidecar
        self.has_head_line = False  # whether the first line is the head
        self.document_alone = False  # whether the record is the log
        if entry.sidecar:
            path, data = sidecars.content(self.log, entry.sidecar)
            self.take_head(data, path)
        numbers = (places.ROW, places.KEY)
        self.numbered = [f.column for f in mapping.fields(entry) if f.place in numbers]
        filled = {*entry.fields, *entry.joined(), *entry.exploded()}
        self.scored = "score" in filled or bool(entry.grade)
        self.partners = partners_of(self.log, entry, entry.join) if entry.join else None
        self.judge = grader(entry.grade) if entry.grade else None
        self.lists = entry.exploded()
        self.only = mapping.only_values(entry.only)
        self.groups = Groups(entry) if entry.group else None
        self.count = 0  # records that are read
        self.others = Counter[str]()  # why others are passed over

    def take_head(self, data: bytes, what: str, names: str = "") -> None:
        """Read the head of records from a document or sidecar (`what`). Raises Error.

        `names`: its columns there, joined by commas; by default all.
        """
        part = part_of(self.entry, "head", names)
        try:
            self.head |= part.cells(part.decode(data))
        except (Error, *decoding.MISFITS, *FAULTS) as error:
            why, _ = places.explained(reason_of(error, data), data, part.fields, {})
            raise Error(f"{what}: {why}", why.kind) from error

    # The hooks of a format.

    def groups_of(self, record: Record) -> list[str]:
        """The groups of a record, `""` where a record is one sample. Raises Error."""
        if self.groups:
            return self.groups.of_record(record)
        return [""]

    def other(self, record: Record) -> str:
        """Why a record is passed over; empty if it is read. Raises Error: it is damaged."""
        if self.only:
            part = part_of(self.entry, "only")
            try:
                cells = part.cells(part.decode(record.data))
            except Error as error:
                if isinstance(error.__cause__, decoding.Repeated):
                    raise
                return "no such keys"
            for place, values in self.only.items():
                value = cells[f"={place}"]
                if (isinstance(value, bool), value) not in values:
                    if value is None:
                        return f"no {place}"
                    return f"{place}: {excerpted(value)}"
        if self.entry.aggregates:
            return _other_than_printed(self.entry, record.data)
        return ""

    def cells(self, record: Record, group: str) -> dict[str, Any]:
        """Column → value in a group of a record. Raises Error, FAULTS or MISFITS."""
        part = part_of(self.entry, group=group)
        return part.cells(part.decode(record.data) if record.value is None else record.value)

    def explain(
        self, why: Error, record: Record, group: str, cells: dict[str, Any]
    ) -> tuple[Error, dict[str, Any]]:
        """Why a record does not fit, with a hint, and its values by column."""
        part = part_of(self.entry, group=group)
        data = part.wrapped(_bytes(record))
        return places.explained(why, data, part.fields, cells, document=self.document_alone)

    # Plain records.

    def plain(
        self, records: Iterable[Record | Reject], keys: Mapping[str, Any] | None = None
    ) -> Parts:
        """Records decoded into cells, and refusals; `keys`: columns from keys above them."""
        names = {*places.IDENTITY, *self.entry.params}
        settings = {name: value for name, value in self.head.items() if name in names}
        alike = {name: value for name, value in self.head.items() if name not in names}
        self.shared = {**self.common, **settings, **(keys or {})}
        for record in records:
            if isinstance(record, Reject):
                yield record
                continue
            try:
                other = self.other(record)
                if other:
                    groups = []
                else:
                    groups = self.groups_of(record)
                if not groups and not other:
                    other = f"with none of {', '.join(self.entry.groups)}"
                    if failure := self.failure(record):
                        raise failure
            except Error as error:
                self.count += 1
                yield self.refused(record, error, self.shared)
                continue
            self.count += not other
            self.others.update([other] if other else [])
            for group in groups:
                yield from self.of_group(record, group, alike)

    def failure(self, record: Record) -> Error | None:
        """Why a record without a group is missing; None if it is not."""
        entry: Mapped = self.entry
        _, cells = self.explain(Error(""), record, "", self.head)
        return entry.failure(cells)

    def of_group(self, record: Record, group: str, alike: dict[str, Any]) -> Parts:
        """A group of a record as a record of its own, or its refusal."""
        own = mapping.columns_of_keys(self.entry, {self.entry.group: group} if group else {})
        for name in self.numbered:
            if name == "epoch":
                own[name] = record.number
            else:
                own[name] = record.key
        try:
            if isinstance(record.value, Reject):
                reject = record.value
                raise Error(reject.reason, reject.kind, reject.field)
            cells = {**alike, **own, **self.cells(record, group)}
            if self.partners:
                cells |= self.partners.of(self.shared | cells)
        except (Error, *FAULTS, *decoding.MISFITS) as error:
            why = reason_of(error, record.data)
            known = {**alike, **self.shared, **own}
            if why.kind != "damage":
                why, known = self.explain(why, record, group, known)
            yield self.refused(record, self.entry.failure(known) or why, known)
        else:
            yield from self.of_cells(record._replace(value=cells))

    def of_cells(self, record: Record) -> Parts:
        """A record of cells, or its refusal: it failed, or its cells do not fit each other."""
        cells = record.value
        known = self.shared | record.value
        lists = [cells[name] for name in cells if name[0] == places.LISTED]
        sizes = {len(values) for values in lists if values is not None}
        samples = max(sizes, default=1) or 1
        if failure := self.entry.failure(cells):
            yield self.refused(record, failure, known, lacks_score=True, samples=samples)
        elif self.lists and (len(sizes) != 1 or 0 in sizes):
            why = Error("its lists of epochs are empty or differ in length", "unscored")
            yield self.refused(record, why, known, samples=samples)
        elif self.entry.aggregates:
            yield from self.of_printed(record)
        elif self.entry.versus and (no_game := self.no_game(cells)):
            yield self.refused(record, no_game, self.shared | cells, samples=0)
        else:
            yield record

    def no_game(self, cells: dict[str, Any]) -> Error | None:
        """Why a record is no game of two models; fills in both sides."""
        sides = (SIDE, self.entry.versus)
        model, opponent = (cells.setdefault(name, self.shared.get(name)) for name in sides)
        if model != opponent and None not in (model, opponent):
            return None
        if model is None:
            why = "no opponents"
        else:
            why = f"a game of {model!r:.40} against itself"
        return Error(why, "grade")

    def of_printed(self, record: Record) -> Parts:
        """A record of printed numbers, or its refusal."""
        cells = record.value
        sample = self.shared | record.value
        columns = self.entry.printed_columns().items()
        cells |= {name: float(size) for name, size in columns if isinstance(size, int)}
        for name, number in self.entry.printed().items():
            value = cells[name]
            total = cells.get(f"{name}{N}")
            why = _no_number(name, value, total, cells.get(f"{name}{STDERR}"), number.total)
            if why:
                yield self.refused(record, Error(why, "type"), sample)
                return
            if number.total:
                if total and value is not None:
                    cells[name] = value / total
                else:
                    cells[name] = None
        yield record

    def refused(self, record: Record, why: Error, cells: Mapping[str, Any], **facts: Any) -> Reject:
        """The refusal of a record; `cells`: its values by column."""
        cells = {name: value for name, value in cells.items() if name[0] != places.LISTED}
        reason: str = str(why)
        kind: Kind = why.kind or "type"
        if kind == "type" and _is_text(cells.get("epoch")):
            reason += f"; `epoch: {self.entry.numbers}` in config.yaml would number them"
        elif kind == "type" and not self.entry.verdicts and _is_text(cells.get("score")):
            kind = "verdict"
        data = decoding.excerpt(_bytes(record))
        facts |= {"cells": cells, "kind": kind, "field": why.field}
        return Reject(record.place, reason, data, record.member, **facts)

    # Samples and their scores.

    def samples(self, record: Record) -> harness.Rows:
        for row in self.epochs(record.value) if self.lists else (record.value,):
            yield row
            if self.entry.versus:  # the other side of a game: who won has lost
                with suppress(Error):
                    score = 1 - (self.graded(record, row) or 0)
                    versus = self.entry.versus
                    yield row | {SIDE: row[versus], versus: row[SIDE], "score": score}

    def epochs(self, cells: dict[str, Any]) -> harness.Rows:
        lists = {name: items for name, items in cells.items() if name[0] == places.LISTED}
        single = {name: value for name, value in cells.items() if name not in lists}
        for epoch in range(max(len(items or ()) for items in lists.values())):
            own = {name[1:]: items and items[epoch] for name, items in lists.items()}
            yield {**single, **own, "epoch": epoch}

    def graded(self, record: Record, row: dict[str, Any]) -> float | None:
        entry = self.entry
        score = row.get("score")
        if not self.scored:
            return None
        if entry.verdicts and (text := row[places.VERDICT]) is not None and "score" not in row:
            score = self.verdict(_text(text), row)
        if self.judge and "score" not in row:
            answer = row["answer"]
            score, row["graded"] = self.compared(answer, row["target"]), True
            if entry.answers:
                row["answer"] = answer and graded_of(_text(answer), entry.grade)
        if wrong := score_fault(score, *entry.range.get("score", ())):
            raise wrong
        return score

    def verdict(self, text: str, row: dict[str, Any]) -> float:
        """The score that a word stands for; of a game, also the name of the winner.

        Raises Error: it is no verdict.
        """
        verdicts: dict[str, float] = self.entry.verdicts
        versus = self.entry.versus
        if text in verdicts:
            return verdicts[text]
        if versus and text in (row[SIDE], row[versus]):
            return float(text == row[SIDE])
        why = f"score {text!r:.40} is none of the verdicts; {choices(text, verdicts)}"
        if text.lower() in TRUTHS and verdicts.keys() & {"true", "false"}:
            why += f"; YAML reads {text} as true or false: put it in quotes in config.yaml"
        raise Error(why, "verdict")

    def judged_columns(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """Columns of plain samples, with scores of their verdicts. Raises Error: one failed."""
        names = list(self.entry.states())
        for states in zip(*(columns.pop(name) for name in names), strict=True):
            if failure := self.entry.failure(dict(zip(names, states, strict=True))):
                raise failure
        if verdicts := self.entry.verdicts:
            texts = columns[places.VERDICT]
            columns["score"] = [verdicts.get(text) if type(text) is str else None for text in texts]
        return columns

    def compared(self, answer: Any, target: Any) -> float:
        """The grade of an answer. Raises Error: there is none."""
        if target is None or not _text(target).strip():
            raise Error("the target is empty", "unscored")
        if answer is not None and _text(answer).strip():
            return self.judge(_text(answer), _text(target))  # type: ignore[misc]
        if self.entry.empty == "wrong":
            return 0.0
        why = "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"
        raise Error(why, "unscored", "answer")

    def refusal(self, record: Record, why: Error, row: dict[str, Any] | None = None) -> Reject:
        cells = {**self.shared, **(row or {})}
        cells["score"] = cells.get(places.VERDICT, cells.get("score"))
        why = Error(str(why), why.kind or "grade", why.field)
        return self.refused(record, why, cells, lacks_score=row is not None)

    def ended(self) -> Iterable[Declared | Reject | Passed]:
        if self.groups:
            yield from self.groups.lacking()
        if self.others and not self.count:
            others = ", ".join(f"{o} ({n} ×)" for o, n in self.others.most_common(MOST_VALUES))
            why = f"`only` leaves no record; there are {others}"
            if self.entry.aggregates and not self.entry.only:
                values = (repr(entry.value) for entry in self.entry.printed().values())
                why = f"no item has {' or '.join(values)} (aggregates); there are {others}"
            yield Reject.of_log(Error(why, "missing"))
        if passed := self.others.total() + self.has_head_line:
            yield Passed(passed)

    # Documents.

    def of_document(self, data: bytes, begins: Place | None = None) -> Parts:
        """The records of a document; `begins`: its place in the log, if it is a part of it.

        Raises Error or FAULTS before the first record: there are none where `each` says, the only
        head does not fit, a key stands twice, it is no JSON.
        """
        entry: Listed = self.entry
        self.data = data
        self.begins = begins
        names = [] if entry.group else entry.groups
        runs = list(_ways(Run(msgspec.Raw(data)), place_keys(entry.each), names))
        spots = decoding.places(data, [run.document for run in runs], begins)
        for run, place in zip(runs, spots, strict=True):
            if run.fault:
                item = bytes(memoryview(run.document))
                yield self.refused(Record(place, None, item), reason_of(run.fault, item), {})
        lists = [(run, list(self.items(run.items))) for run in runs if run.items]
        if lists and not any(records for _, records in lists):
            raise Error(f"each: {entry.each!r} holds no records", "empty")
        for run, records in lists:
            try:
                keys = self.above(run) if records else {}
            except Error as error:
                if not entry.listed() and places.EACH not in place_keys(entry.each):
                    raise
                yield from (self.refused(record, error, {}) for record in records)
            else:
                yield from self.plain(records, keys)

    def above(self, run: Run) -> dict[str, Any]:
        """Columns that the keys above records fill; reads their head. Raises Error."""
        keys = mapping.columns_of_keys(self.entry, run.keys)
        if self.headed:
            # Of aggregates at `$`, some items of the document are no records.
            is_mixed = self.entry.aggregates and self.entry.each == "$"
            heads = [self.data] if is_mixed else [head.data() for head in reversed(run.heads)]
            self.take_nearest(heads or [b"{}"])
        return keys

    def take_nearest(self, heads: list[bytes]) -> None:
        """Read each column of the head from the nearest object that has it. Raises Error.

        `heads`: objects around records, the innermost first.
        """
        self.head = {}
        what = "the head of the document"
        if len(heads) == 1:
            self.take_head(heads[0], what)
            return
        decoded = [decoding.decoded(head, dict[str, Any], what) for head in heads]
        names: dict[int, list[str]] = {}
        for field in mapping.heads(self.entry):
            number = _nearest(decoded, field.place)
            names.setdefault(number, []).append(field.column)
        for number, columns in names.items():
            self.take_head(heads[number], what, ",".join(columns))


def part_of(entry: Mapped, what: str = "record", group: str = "") -> places.Part:
    """The decoder of a `record`, of its `group`, of the `head`, or of what `only` compares.

    Of the head, `group` may name some columns.
    """
    if (what, group) not in entry.parts:
        fields = mapping.heads(entry)
        if what == "head" and group:
            fields = [field for field in fields if field.column in group.split(",")]
        elif what == "only":
            fields = [places.Field(f"={at}", at, "text", required=False) for at in entry.only]
        elif what == "record":
            hole = f"{{{entry.group}}}"
            fields = [f for f in mapping.fields(entry) if f.place not in (places.ROW, places.KEY)]
            fields = [f._replace(place=places.filled(f.place, hole, group)) for f in fields]
        entry.parts[what, group] = places.Part(fields)
    return entry.parts[what, group]


def partners_of(log: Log, entry: Mapped, join: joins.Join) -> joins.Partners:
    """What the file of `join` has for the records of a log. Raises Error."""
    params = {name: param.place(name) for name, param in Param.all(entry.params).items()}
    usual = {name: places.literal(place) for name, place in (params | entry.fields).items()}
    fields = mapping.joined_fields(entry)
    return joins.read_partners(log, join, fields, usual, entry.partners)


def _nearest(heads: list[dict[str, Any]], place: str) -> int:
    """The number of the first head that has a place, or else its beginning; else of the last."""
    for there in (place, as_key(place_keys(place)[0])):
        for number, head in enumerate(heads):
            if places.value_at(head, there) is not None:
                return number
    return len(heads) - 1


def _other_than_printed(entry: Mapped, data: bytes) -> str:
    """What an item of a document has instead of printed numbers; empty if it has them."""
    numbers = [number.value for number in entry.printed().values()]
    if not numbers or (places.VALUE in numbers and data.lstrip()[:1] not in b'{["'):
        return ""
    try:
        keys = decoding.members(data)
    except FAULTS:
        return "no object"
    first = [place_keys(place)[0] for place in numbers if not places.is_head(place)]
    if any(places.GROUP.search(key) or key in keys for key in first):
        return ""
    if keys:
        return f"with {', '.join(list(keys)[:4])}"
    return "empty"


def _no_number(
    name: str, value: float | None, n: float | None, error: float | None, total: str | None
) -> str:
    """What is wrong with a printed number, its size or its standard error; empty if nothing."""
    if value is not None and not isfinite(value):
        return f"{name} is {value}"
    if n is not None and not (n >= 1 and n == int(n)):
        return f"n of {name} is {n:g}, which is not a number of problems"
    if total and value is not None and not (n and 0 <= value <= n):
        return f"{name}: {value:g} of {'nothing' if n is None else f'{n:g}'} is not a share"
    if error is not None and not (error >= 0 and isfinite(error)):
        return f"stderr of {name} is {error:g}, which is not a standard error"
    return ""


def reason_of(error: Exception, data: bytes) -> Error:
    """Why a record cannot be taken, by what reading it has raised."""
    if isinstance(error, Error):
        return error
    if isinstance(error, mapping.NoNumber):
        return Error(str(error), "type", error.place)
    if isinstance(error, decoding.MISFITS):
        return Error(f"does not fit: {error}", "type")
    return decoding.fault(error, data)


def _bytes(record: Record) -> bytes:
    return record.data or msgspec.json.encode(record.value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def _is_text(value: Any) -> bool:
    """Whether a value, or one of a list, is a text that is no number."""
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            try:
                number_from_text(text)
            except ValueError:
                return True
    return False


class Head(NamedTuple):
    """An object around records, and what in it is no part of the head: where the records lie."""

    holder: msgspec.Raw
    cut: msgspec.Raw | None = None

    def data(self) -> bytes:
        """The object with `null` in the place of what is cut out."""
        data = bytes(memoryview(self.holder))
        start, stop = decoding.span(self.holder, self.cut or self.holder)
        return data[:start] + b"null" + data[stop:]


class Run(NamedTuple):
    """Records of a document that have a head in common."""

    document: msgspec.Raw
    items: msgspec.Raw | None = None  # the array or object that holds the records
    keys: dict[str, str] = {}  # column → the key above the records that fills it
    heads: tuple[Head, ...] = ()  # the outermost first
    fault: Exception | None = None  # why a document in a list has no records

    def closed(self, cut: msgspec.Raw) -> tuple[Head, ...]:
        """The heads, in which nothing is read beyond a level of the document."""
        return tuple(Head(head.holder, head.cut or cut) for head in self.heads)


def _ways(run: Run, parts: list[str], names: Collection[str]) -> Iterator[Run]:
    """The runs to which the parts of `each` lead in a document.

    At `*` each item of a list is a document with a head of its own; at `{model}` each key fills
    that column, or each of `names`, if there are any.
    """
    level = run.items or run.document
    if not parts or parts == ["$"]:
        yield run._replace(items=level, heads=run.closed(level))
        return
    part, *rest = parts
    if part == places.EACH:
        for item in msgspec.json.decode(level, type=list[msgspec.Raw]):
            try:
                yield from list(_ways(Run(item, item, run.keys, run.closed(level)), rest, names))
            except (Error, *FAULTS) as error:
                yield Run(item, fault=error)
    elif match := places.GROUP.fullmatch(part):
        # Beside keys that are named stands what is true of all of them.
        heads = (*run.heads, Head(level)) if names else run.closed(level)
        for key, value in _named(level, names).items():
            keys = {**run.keys, match[1]: key}
            inside = run._replace(items=value, keys=keys, heads=heads)
            yield from _ways(inside, rest, names)
    else:
        there = decoding.members(level, [part])
        if part not in there:
            hint = choices(part, map(as_key, there))
            raise Error(f"each: the document has no {part!r}; {hint}", "missing")
        heads = (*run.heads, Head(level))
        yield from _ways(run._replace(items=there[part], heads=heads), rest, names)


def _named(level: msgspec.Raw, names: Collection[str]) -> dict[str, msgspec.Raw]:
    """The members of an object, or those of some names. Raises Error: it has none of them."""
    members = decoding.members(level)
    if not names:
        return members
    named = {key: value for key, value in members.items() if key in names}
    if not named:
        raise Error(f"each: the document has none of {', '.join(names)}", "missing")
    return named


class Groups:
    """The groups of columns in the records of a log: `score: "{model}.is_correct"`.

    Each group is a row; what stands for `{model}` fills that column. A key that fits, with an
    object without a score, is a group that lacks its score if other records have one there.
    """

    def __init__(self, entry: Mapped) -> None:
        self._entry = entry
        self._hole = f"{{{entry.group}}}"
        parts = place_keys(entry.grouped_place)
        at = next(n for n, part in enumerate(parts) if self._hole in part)
        self._above = parts[:at]
        self._part = parts[at]
        self._below = parts[at + 1 :]
        self._holds_answers = entry.grouped_place == entry.fields.get("answer")
        self._groups: set[str] = set()
        self._without: dict[str, list[Place]] = {}  # group → records in which it has no score

    def of_record(self, record: Record) -> list[str]:
        """The groups of a record that have a score. Raises Error: it has none, and may not."""
        groups = []
        listed = self._entry.groups
        try:
            level = decoding.members(record.data)
            for part in self._above:
                level = decoding.members(level[part]) if part in level else {}
            for key, raw in level.items():
                group = self._entry.group_of(key, self._part)
                if group and self._has_score(raw):
                    groups.append(group)
                elif group and not listed and bytes(memoryview(raw)[:1]) in (b"{", b"n"):
                    self._without.setdefault(group, []).append(record.place)
        except FAULTS as error:
            raise Error(str(error), decoding.fault(error, record.data).kind) from error
        if not groups and not listed:
            place = self._entry.grouped_place
            raise Error(f"no key fits {place!r}; {choices('', level)}", "missing")
        self._groups.update(groups)
        return groups

    def _has_score(self, raw: msgspec.Raw) -> bool:
        for part in self._below:
            if bytes(memoryview(raw)[:1]) != b"{":
                return part.isdigit()
            level = decoding.members(raw)
            if part not in level:
                return False
            raw = level[part]
        value = bytes(memoryview(raw))
        is_null = value == b"null" or decoding.EMPTIED.fullmatch(value)
        may_lack = self._entry.groups and not self._holds_answers  # an empty answer is one
        return not (is_null and may_lack)

    def lacking(self) -> Iterator[Reject]:
        """The records in which a group lacks its score; to be asked for at the end."""
        for group in sorted(self._without.keys() & self._groups):
            why = f"nothing at {self._entry.grouped_place.replace(self._hole, group)}"
            for place in self._without[group]:
                yield Reject(place, why, cells={self._entry.group: group}, kind="missing")
