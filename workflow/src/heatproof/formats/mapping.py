"""The keys of config.yaml that map records of any layout to columns, and what can be wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from heatproof.config.entries import Columns, Param, Printed, Source, Word, constant
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.config.schema import is_bare_exponent
from heatproof.formats import aggregates, map_checks, places, sidecars
from heatproof.formats.grading import VOTED, Grade
from heatproof.formats.params import from_text
from heatproof.formats.places import ANSWER, EACH, GRADED, GROUP, VERDICT, is_head
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


LISTED = "*"
"""Starts the name of a column that holds a list a record, one item an epoch."""
KINDS = {"epoch": "int", "score": "number", **dict.fromkeys((*GRADED, VERDICT), "text")}
"""Types of columns that every source may have, where they are not `str`."""


class Field(NamedTuple):
    """A column filled from the record: where it lies and what type it must have there."""

    column: str
    place: str
    type: str
    required: bool


def fields(entry: Mapped) -> list[Field]:
    """The columns that are filled from the record; head, path and constants fill the others.

    Of a record that is no object, places are those in the object that is made of it.
    """
    own = [field for field in _mapped(entry) if not is_head(field.place)]
    each, value = f"{EACH}.", places.VALUE
    return [
        f._replace(
            place=f"{value}.{f.place}" if f.place.startswith(each) else places.literal(f.place)
        )
        for f in own
    ]


def heads(entry: Mapped) -> list[Field]:
    """The columns that are filled from the head of a log, with their places in it."""
    return [f._replace(place=places.literal(f.place)) for f in _mapped(entry) if is_head(f.place)]


Typed = tuple[bool, Word]
"""A value, and whether it is true or false: to Python, true is 1."""


def only_values(only: Mapping[str, Word | list[Word]]) -> dict[str, set[Typed]]:
    """Place → the values of the records that are read: numbers by value, texts letter by letter."""
    return {
        place: {
            (isinstance(word, bool), float(word) if is_bare_exponent(word) else word)
            for word in (words if isinstance(words, list) else [words])
        }
        for place, words in only.items()
    }


def split(entry: Mapped, head: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a head tells: settings, which all rows of a batch share, and other columns."""
    names = {*places.IDENTITY, *entry.params}
    settings = {name: value for name, value in head.items() if name in names}
    return settings, {name: value for name, value in head.items() if name not in names}


def columns_of_keys(entry: Mapped, keys: Mapping[str, str]) -> dict[str, Any]:
    """What keys of a document say of the records below them, or of a group of columns.

    Raises:
        Error: one is not of the column's type.
    """
    return {name: from_text(key, entry.kind(name), name) for name, key in keys.items()}


def _mapped(entry: Mapped) -> list[Field]:
    elsewhere = {*re.compile(entry.path).groupindex, *entry.set, entry.group(), *entry.listed()}
    lists = entry.exploded()
    fields = []
    for name, place in entry.fields.items():
        column = VERDICT if name == "score" and entry.verdicts else name
        needed = name != ANSWER or entry.grade is not None  # a graded record may lack its answer
        in_list = name in lists
        kind = f"{_standard(column)}s" if in_list else _standard(column)
        fields.append(Field(f"{LISTED}{column}" if in_list else column, place, kind, needed))
    for name, param in Param.all(entry.params).items():
        if name not in elsewhere:
            needed = param.default is None
            fields.append(Field(name, param.field or name, param.type, required=needed))
    others = [
        (f"{LISTED}{name}", place, "numbers") if name in lists else (name, place, "number")
        for name, place in entry.measures.items()
    ]
    others += [(name, at, "printed") for name, at in aggregates.places(entry.aggregates).items()]
    others += [(f"{aggregates.STATE}{place}", place, "text") for place in entry.finished]
    return fields + [Field(*other, required=False) for other in others]


def _standard(column: str) -> str:
    return KINDS.get(column, "str")


def shared(entry: Mapped, log: str) -> dict[str, Any]:
    """What the log's path and config.yaml say of all its records.

    Raises:
        Error: the path does not match, or a part of it is not of the column's type.
    """
    match = re.search(entry.path, log)
    if match is None:
        raise Error(f"the path does not match {entry.path!r}", "path")
    columns: dict[str, Any] = {c: constant(v, entry.kind(c)) for c, v in entry.set.items()}
    columns |= {"sample_id": aggregates.SAMPLE} if entry.aggregates else {}
    for column, text in match.groupdict().items():
        if text is not None:
            columns[column] = from_text(text, entry.kind(column), column)
    return columns


def scaled(
    entry: Mapped, columns: dict[str, list[Any]], only: set[str] | None = None
) -> dict[str, list[Any]]:
    """Columns with scores and measures as floats, brought to 0–1 where `range` says so.

    True and false are 1 and 0 whatever the range of numbers: true is not the least of 1–10.
    """
    ranges = aggregates.spans(entry.aggregates, entry.range)
    for column in aggregates.places(entry.aggregates):
        if column in columns:
            columns[column] = [aggregates.number(value) for value in columns[column]]
    for column in ("score", *entry.measures, *aggregates.places(entry.aggregates)):
        if column not in columns or (only is not None and column not in only):
            continue
        low, high = ranges.get(column, (0.0, 1.0))
        span = high - low
        as_is = (bool,) if (low, high) != (0.0, 1.0) else (bool, int, float)
        try:
            columns[column] = [
                v if v is None else float(v) if isinstance(v, as_is) else (v - low) / span
                for v in columns[column]
            ]
        except TypeError:  # a place that fills a column of texts, too
            wrong = next(v for v in columns[column] if not isinstance(v, float | int | None))
            raise TypeError(f"{column}: {wrong!r:.40} is not a number") from None
    return columns


class Mapped(Source, kw_only=True):
    """Keys of a source whose records have any layout."""

    fields: dict[str, str] = {}
    """model, task, sample_id, epoch, scorer, run, score → place in the record (`a.b`, `a.0`).

    `answer` beside a score is what was answered, for a vote (maj@k); it may be missing. `$row` is
    the number of the record, where all logs have the same problems in the same order.
    """
    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and place in the record."""
    measures: dict[str, str] = {}
    """Further numbers (progress, tokens, …) → place in the record."""
    path: str = ""
    """A regular expression searched in the log's path; its named groups fill columns."""
    set: dict[str, Word] = {}
    """Columns that are the same for all records."""
    range: dict[str, list[float]] = {}
    """Score or measure → its lowest and highest value, brought to 0 and 1."""
    aggregates: dict[str, str | Printed] = {}
    """Of logs that hold printed numbers and no records below: name of a number → its place, or
    `value`, `n`, `stderr`. A figure shows it as `printed(name)`."""
    finished: dict[str, Word | list[Word]] = {}
    """Beside `aggregates`: place in a record → what stands there of a run that finished. What
    others printed is missing."""
    verdicts: dict[str, float] = {}
    """Scores that are texts: what each stands for, from 0 to 1."""
    grade: Grade | None = None
    """For logs without a score: how the `answer` in `fields` is compared with the `target`."""
    empty: Literal["refuse", "wrong"] = "refuse"
    """An empty answer has no grade, or is a wrong one."""
    only: dict[str, Word | list[Word]] = {}
    """Place in a record → the value, or one of the values, that it must have there: others are
    passed over."""
    sidecar: str = ""
    """A JSON or YAML file with the settings of a log, beside it or in a folder above: places that
    begin with `^` are its own. `{name}` in it is the log's name without its ending."""
    versus: str = ""
    """The hyper-parameter that names the opponent, where a record is a game of two models: it
    counts for both, with 1 − score for the opponent."""
    answers: bool = False
    """With `grade`: keep what is graded of the answers, for a vote (maj@k)."""

    @property
    def numbers(self) -> str:
        """What stands in `fields` for the number of a record."""
        return places.ROW

    def headless(self) -> str:
        """Why logs of this source have no head, and what to write; empty if they have one."""
        return "tables have none; a column that is called so is written with a backslash before ^"

    def group(self) -> str:
        """The column that the groups of a record fill (`{model}`); empty if it has none."""
        return places.group_of(self.places())

    def is_group(self, key: str, group: str) -> bool:
        """Whether a `group` that a key fits is one: of aggregates, what else is named is none."""
        listed = aggregates.listed(self.aggregates)
        if listed or not self.aggregates:
            return group in listed or not self.aggregates
        inside = [place for place in self.places().values() if not is_head(place)]
        first = places.grouped_place(self.places())
        others = [place for place in inside if GROUP.search(place) and place != first]
        longer = (places.group_pattern(place, self.group()).fullmatch(key) for place in others)
        return key not in {*inside, *self.finished} and not any(longer)

    def sidecars(self, path: str, root: Path) -> list[str]:
        beside = sidecars.sidecar(path, self.sidecar, root) if self.sidecar else None
        return [beside] if beside else []

    def leaves_out(self, path: str) -> bool:
        return bool(self.sidecar) and sidecars.is_sidecar_of(path, self.sidecar)

    def places(self) -> dict[str, str]:
        """Key and column → place, of all columns that config.yaml gives one."""
        params = {name: param.field or name for name, param in Param.all(self.params).items()}
        keys = {"fields": self.fields, "measures": self.measures, "params": params}
        keys["aggregates"] = aggregates.places(self.aggregates)
        return {f"{k}.{name}": place for k, names in keys.items() for name, place in names.items()}

    def columns(self) -> Columns:
        numbers = [*self.measures, *aggregates.columns(self.aggregates)]
        columns = Columns.of(Param.all(self.params), numbers)
        printed = aggregates.beside(self.aggregates)
        return msgspec.structs.replace(columns, answers=self.keeps_answers(), printed=printed)

    def keeps_answers(self) -> bool:
        """Whether tables tell which samples have the same answer."""
        has_answer = ANSWER in {*self.fields, *self.exploded()}
        return has_answer and (self.answers or self.grade is None)

    def keeping_answers(self) -> str:
        if self.grade is None:
            return "`fields: {answer: its place in a record}`"
        return "`answers: true`" if self.grade in VOTED else "`answers: true`, and another `grade`,"

    def repeated(self) -> str:
        if self.aggregates:
            return "`params: {seed: int}`, or what else these runs differ in,"
        columns = {*self.fields, *self.set, *re.compile(self.path).groupindex, self.group()}
        hint = f"`fields: {{epoch: {self.numbers}}}`"
        return "" if "epoch" in columns or self.exploded() else hint

    def from_path(self, path: str) -> dict[str, Any] | None:
        try:
            return shared(self, path)
        except Error:
            return None

    def kind(self, column: str) -> Any:
        """The type of a column that tells runs, problems or repetitions apart."""
        return Param.all(self.params)[column].type if column in self.params else _standard(column)

    def mistakes(self) -> list[Mistake]:
        """What is wrong with the map beyond the types of its keys."""
        return super().mistakes() + map_checks.mistakes(self)

    def beside_records(self) -> dict[str, str]:
        places = self.places().items()
        return {where.partition(".")[2]: place for where, place in places if is_head(place)}

    def libraries(self) -> list[str]:
        return ["math-verify"] if self.grade == "math" else []

    def exploded(self) -> list[str]:
        """Columns of which a record holds a list, one item an epoch."""
        return []

    def listed(self) -> tuple[str, ...]:
        """Columns that the keys on the way to records fill."""
        return ()


class Lists(msgspec.Struct):
    """Records that hold several epochs, as lists side by side."""

    lists: list[str]
    """Names in `fields` or `measures` whose places hold lists: score, answer, …

    A place like `samples.*.score` is that of each object in the list `samples`.
    """


class Listed(Mapped, kw_only=True):
    """Keys of a source of JSON records."""

    each: str = ""
    """Place of the array or object whose items are the records (`$`: all of it): of a document, or
    of each line. Without it, document or line is one record. `*` on the way: of each document in a
    list. `{model}`: of each key, which fills that column."""
    epochs: Lists | None = None
    """Lists in a record that hold one item for each repetition."""

    def listed(self) -> tuple[str, ...]:
        return tuple(GROUP.findall(self.each))

    def several(self) -> bool:
        """Whether `each` leads to several lists."""
        return any(part == EACH or GROUP.fullmatch(part) for part in self.each.split("."))

    def exploded(self) -> list[str]:
        return self.epochs.lists if self.epochs else []

    def mistakes(self) -> list[Mistake]:
        return map_checks.mistakes_of_lists(self) + super().mistakes()
