"""The keys of config.yaml that map records of any layout to columns, and mistakes in them."""

from __future__ import annotations

import re
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.config import hints, roles
from heatproof.config.choice import Word
from heatproof.config.entries import Columns, Param, Printed, Source, spelling, unfit
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.config.schema import is_bare_exponent
from heatproof.formats import places, sidecars
from heatproof.formats.grading import MISSING, VOTED, Grade
from heatproof.formats.joins import Join  # noqa: TC001  msgspec looks it up
from heatproof.formats.params import (
    as_key,
    excerpted,
    from_text,
    number_from_text,
    path_columns,
    place_keys,
    unit,
)
from heatproof.formats.places import (
    ANSWER,
    EACH,
    GRADED,
    GROUP,
    IDENTITY,
    KEY,
    LISTED,
    ROW,
    VALUE,
    VERDICT,
    Field,
    count_items,
    is_head,
    literal,
)
from heatproof.util.errors import Error, Mistake, choices, likeliest
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Rows = Iterator[tuple[str, object, str]]


KINDS = {"epoch": "int", "score": "number", **dict.fromkeys((*GRADED, VERDICT), "text")}
"""Types of columns of every source, where they are not `str`."""
SAMPLE = "aggregate"  # the `sample_id` of printed numbers
N, STDERR = "_n", "_stderr"
"""End the names of columns with the problems and the standard error of a printed number."""
NOTHING = {"", "-", "–", "—", "n/a", "na", "nan", "none", "null"}  # printed for no number
STATE = "?"  # begins the name of an inner column: whether a record failed
PRESENT = "present"  # under `failed`: any value that is not `BLANK`
BLANK = NOTHING | {"0", "false", "[]", "{}"}


class Mapped(Source, kw_only=True, dict=True):
    """Keys of a source whose records have any layout."""

    fields: dict[str, str] = {}
    """model, task, sample_id, epoch, scorer, run, score → place in the record: `a.b`, `a.0`, or in
    documents and lines `count(a.b)`, the number of items there.
    `answer` beside a score is for a vote (maj@k); a record may lack it. `$row` is the number of the
    record, if all logs have the same problems in the same order."""
    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and place in the record."""
    measures: dict[str, str] = {}
    """Further numbers (progress, tokens, …) → place in the record."""
    groups: list[str] = []
    """The only names that `{scorer}`, or another column in a place, stands for. A record gives a
    row for each that it has; without one of them, or with null there, none. Where the column is in
    `each`, these keys alone hold records."""
    path: str = ""
    """A regular expression, searched in the log's path; its named groups fill columns."""
    set: dict[str, Word] = {}
    """Column → the value that all records have."""
    range: dict[str, list[float]] = {}
    """Score or measure → its lowest and highest value, mapped to 0 and 1. A number beyond them is
    refused, and stops the run."""
    aggregates: dict[str, str | Printed] = {}
    """For logs of printed numbers without records: name → place of the number, or `value`, `n`,
    `stderr`. A figure shows it as `printed(name)`."""
    failed: dict[str, Word | list[Word]] = {}
    """Place in a record → its values if the record failed, or `present`: all but null, false, 0 and
    what is empty. A record that failed is missing, neither right nor wrong."""
    finished: dict[str, Word | list[Word]] = {}
    """Place in a record → its values if the record did not fail. Records with others failed."""
    verdicts: dict[str, float] = {}
    """Score written as text → its value from 0 to 1."""
    grade: Grade | None = None
    """For logs without a score: how to compare the `answer` in `fields` with the `target`."""
    empty: Literal["refuse", "wrong"] = "refuse"
    """Refuse an empty answer, or grade it as wrong."""
    only: dict[str, Word | list[Word]] = {}
    """Place in a record → one or several values. Records with others are passed over."""
    sidecar: str = ""
    """A JSON or YAML file with settings, beside the log or in a folder above. Places that begin
    with `^` are in it; `{name}` is the log's name without its ending."""
    join: Join | None = None
    """Columns whose values lie in another file, looked up by the value of a column."""
    versus: str = ""
    """For games of two models: the hyper-parameter that names the opponent. A record counts for
    both, with 1 − score for the opponent. The name of either is a verdict, too."""
    answers: bool = False
    """With `grade`: keep the graded part of the answers, for a vote (maj@k)."""

    @property
    def numbers(self) -> str:
        """The word in `fields` for the number of a record."""
        return ROW

    @cached_property
    def parts(self) -> dict[tuple[str, str], places.Part]:
        """Decoders of records and heads (`mapped.part_of`), made once for all logs of a source."""
        return {}

    @cached_property
    def partners(self) -> dict[str, Any]:
        """What was read of the file of `join`, kept from log to log."""
        return {}

    def joined(self) -> dict[str, str]:
        """Column → its place in the file of `join`."""
        return self.join.take if self.join else {}

    def headless(self) -> str:
        """Why logs of this source have no head; empty if they have one."""
        return "tables have no head; if a column has this name, write \\^ for ^"

    def exploded(self) -> list[str]:
        """Columns of which a record holds a list with an item for each epoch."""
        epochs: Lists | None = getattr(self, "epochs", None)
        return epochs.lists if epochs else []

    def listed(self) -> list[str]:
        """Columns that keys above the records fill."""
        return GROUP.findall(getattr(self, "each", ""))

    def printed(self) -> dict[str, Printed]:
        """Name → place of a printed number, of its size and its standard error."""
        return {name: Printed(entry) if isinstance(entry, str) else entry
                for name, entry in self.aggregates.items()}  # fmt: skip

    def printed_columns(self) -> dict[str, str | int]:
        """Column → place, of printed numbers, sizes and standard errors; a size may be a number."""
        return {f"{name}{end}": place for name, entry in self.printed().items()
                for end, place in (("", entry.value), (N, entry.size), (STDERR, entry.stderr))
                if place}  # fmt: skip

    def places(self) -> dict[str, str]:
        """`key.column` → place, of all columns with one."""
        params = {name: param.place(name) for name, param in Param.all(self.params).items()}
        keys: dict[str, Mapping[str, Any]]
        keys = {"fields": self.fields, "measures": self.measures, "params": params,
                "aggregates": self.printed_columns(),
                "failed": {place: place for place in self.failed},
                "finished": {place: place for place in self.finished}}  # fmt: skip
        return {f"{key}.{name}": self.inner(place) for key, names in keys.items()
                for name, place in names.items() if isinstance(place, str)}  # fmt: skip

    def inner(self, place: str) -> str:
        """The place of what is counted; in tables nothing is."""
        return place

    @cached_property
    def group(self) -> str:
        """The column that groups of a record fill (`{model}`); empty if there are none."""
        return next((match[1] for p in self.places().values() if (match := GROUP.search(p))), "")

    @cached_property
    def grouped_place(self) -> str:
        """The place that decides which groups a record has: of score, answer or first aggregate."""
        by_key = self.places()
        candidates = [by_key.get(f"fields.{name}", "") for name in ("score", "answer")]
        candidates += [place for key, place in by_key.items() if key.startswith("aggregates.")]
        return next(filter(GROUP.search, candidates), "")

    def group_of(self, key: str, part: str) -> str:
        """What stands for `{model}` in a key that fits a part of a place; empty if it is no group.

        In tables, the columns that other keys name are none.
        """
        match = places.group_pattern(part, self.group).fullmatch(key)
        listed = self.groups_listed()
        if not match or (listed and match[1] not in listed):
            return ""
        if listed or not self.aggregates:
            return match[1]
        inside = [place for place in self.places().values() if not is_head(place)]
        others = {place for place in inside if GROUP.search(place)} - {self.grouped_place}
        longer = (places.group_pattern(place, self.group).fullmatch(key) for place in others)
        is_named = key in inside or as_key(key) in inside
        if is_named or any(longer):
            return ""
        return match[1]

    def groups_listed(self) -> list[str]:
        """The only names that `{task}` stands for; empty: any."""
        return self.groups or next((entry.of for entry in self.printed().values() if entry.of), [])

    def failure(self, cells: Mapping[str, Any]) -> Error | None:
        """Why a record is missing, by what its cells say of its state; None if it is not."""
        for place, words in self.failed.items():
            value = cells.get(f"{STATE}{place}")
            if _is_among(value, words):
                return Error(f"failed: {place} is {excerpted(value)}", "failed", place)
        for place, words in self.finished.items():
            value = cells.get(f"{STATE}{place}")
            if not _is_among(value, words):
                state = "missing" if value is None else excerpted(value)
                return Error(f"not finished: {place} is {state}", "failed", place)
        return None

    def states(self) -> dict[str, str]:
        """Inner column → place, of what tells whether a record failed."""
        return {f"{STATE}{place}": place for place in (*self.failed, *self.finished)}

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = [sidecars.sidecar(path, pattern, root) for pattern in self.files_beside()]
        return [beside for beside in found if beside]

    def files_beside(self) -> list[str]:
        """Patterns of the names of files that a log is read together with."""
        return list(filter(None, (self.sidecar, self.join.file if self.join else "")))

    def leaves_out(self, path: str) -> bool:
        return any(sidecars.is_sidecar_of(path, pattern) for pattern in self.files_beside())

    def columns(self) -> Columns:
        printed = self.printed_columns()
        columns = Columns.with_params(Param.all(self.params), [*self.measures, *printed])
        has_answer = ANSWER in {*self.fields, *self.joined(), *self.exploded()}
        columns.answers = has_answer and (self.answers or self.grade is None)
        columns.printed = {
            name: [f"{name}{end}" for end in (N, STDERR) if f"{name}{end}" in printed]
            for name in self.aggregates
        }
        return columns

    def keeping_answers(self) -> str:
        if self.grade is None:
            return "`fields: {answer: its place in a record}`"
        return "`answers: true`" if self.grade in VOTED else "`answers: true`, and another `grade`,"

    def repeated(self) -> str:
        if self.aggregates:
            return "`params: {seed: int}`, or what else these runs differ in,"
        columns = {*self.fields, *self.joined(), *self.set, self.group}
        columns.update(re.compile(self.path).groupindex)
        hint = f"`fields: {{epoch: {self.numbers}}}`"
        if "epoch" in columns or self.exploded():
            return ""
        return hint

    def by_path(self, path: str) -> dict[str, Any]:
        """Columns that the path of a log and `set` fill. Raises Error."""
        return path_columns(self, path) | ({"sample_id": SAMPLE} if self.aggregates else {})

    def kind(self, column: str) -> Any:
        if column in self.params:
            return Param.all(self.params)[column].type
        return KINDS.get(column, "str")

    def beside_records(self) -> dict[str, str]:
        places = self.places().items()
        return {where.partition(".")[2]: place for where, place in places if is_head(place)}

    def mistakes(self) -> list[Mistake]:
        try:
            parts = set(re.compile(self.path).groupindex)
        except re.error as error:
            wrong = Mistake(".path", hints.expression(error, self.path), offset=error.pos)
            return super().mistakes() + [wrong]
        checks = (_columns, _elsewhere, _scores, _games, _heads, _groups, _only, _aggregates)
        rows = chain(*(check(self, parts) for check in checks))
        problems = [Mistake(place, message) for place, wrong, message in rows if wrong]
        for name, value in self.set.items():
            if name in _setting_names(self):
                problems += unfit(value, self.kind(name), f".set.{name}")
        for name, param in Param.all(self.params).items():
            problems += [problem.below(f".params.{name}") for problem in param.mistakes()]
        problems += sidecars.mistakes(self.sidecar, self.beside_records())
        if self.join:
            filled = dict.fromkeys(self.set, "set") | dict.fromkeys(parts, "path")
            filled |= dict.fromkeys(self.fields, "fields")
            columns = _setting_names(self) + ["score", *GRADED, *self.measures]
            problems += self.join.mistakes(columns, filled)
        return super().mistakes() + problems


class Lists(msgspec.Struct):
    """Records with several epochs, as lists side by side."""

    lists: list[str]
    """Names in `fields` or `measures` whose places hold lists: score, answer, …

    A place like `samples.*.score` is that of each object in the list `samples`.
    """


class Listed(Mapped, kw_only=True):
    """Keys of a source of JSON records."""

    each: str = ""
    """Place of the array or object whose items are the records, in a document or in each line; `$`
    is the whole. Without it, a document or line is one record. `*` on the way: each document of a
    list; `{model}`: each key, which fills that column."""
    epochs: Lists | None = None
    """Lists in a record with one item for each repetition."""

    def inner(self, place: str) -> str:
        return places.counted(place)

    def mistakes(self) -> list[Mistake]:
        columns = [*self.fields, *self.measures]
        lists = self.exploded()
        own = {where: place for where, place in self.places().items() if not is_head(place)}
        checks = (_epochs(self, lists), _each(self), _listed(own, lists))
        problems = [
            Mistake(".epochs.lists", f"{name!r} is not among fields and measures; "
                    f"{choices(name, columns)}", word=name)
            for name in lists if name not in columns
        ]  # fmt: skip
        problems += [Mistake(place, message) for place, wrong, message in chain(*checks) if wrong]
        return problems + super().mistakes()


# The columns of a record.


def fields(entry: Mapped) -> list[Field]:
    """The columns that the record fills; head, path and constants fill the others.

    A record that is no object lies under `$value` in one.
    """
    listed = f"{EACH}."
    return [
        f._replace(place=f"{VALUE}.{f.place}" if f.place.startswith(listed) else literal(f.place))
        for f in _fields(entry) if not is_head(f.place)
    ]  # fmt: skip


def heads(entry: Mapped) -> list[Field]:
    """The columns that the head of a log fills."""
    return [f._replace(place=literal(f.place)) for f in _fields(entry) if is_head(f.place)]


def joined_fields(entry: Mapped) -> list[Field]:
    """The columns that the file of `join` fills."""
    fields = []
    for name, place in entry.joined().items():
        column = name
        if name == "score" and entry.verdicts:
            column = VERDICT
        if name in entry.measures:
            kind = "number"
        else:
            kind = entry.kind(column)
        param = Param.all(entry.params).get(name)
        required = name not in entry.measures and (param is None or param.default is None)
        field = Field(column, place, kind, required, _converter(entry, column, kind, place))
        fields.append(_counted(field, places.counted(place)))
    return fields


def _fields(entry: Mapped) -> list[Field]:
    elsewhere = {*re.compile(entry.path).groupindex, *entry.set, entry.group, *entry.listed()}
    elsewhere |= set(entry.joined())
    texts = {"score": VERDICT} if entry.verdicts else {}
    columns: list[tuple[str, str, str, bool]] = []  # name, place, type, whether it is required
    for name, place in entry.fields.items():
        column = texts.get(name, name)
        needed = name != ANSWER or entry.grade is not None  # a graded record may lack its answer
        columns.append((column, place, KINDS.get(column, "str"), needed))
    for name, param in Param.all(entry.params).items():
        if name in elsewhere:
            continue
        needed = param.default is None
        # With a word for what is absent, a column of numbers or flags is one of texts.
        mixed = param.type == "str" and not needed
        columns.append((name, param.place(name), "text" if mixed else param.type, needed))
    measures = {name: at for name, at in entry.measures.items() if name not in elsewhere}
    columns += [(name, place, "number", False) for name, place in measures.items()]
    printed = entry.printed_columns().items()
    columns += [(name, at, "printed", False) for name, at in printed if isinstance(at, str)]
    columns += [(name, place, "any", False) for name, place in entry.states().items()]
    lists = {texts.get(name, name) for name in entry.exploded()}
    found = []
    for name, place, kind, needed in columns:
        field = Field(name, place, kind, needed, _converter(entry, name, kind, place))
        if name in lists:
            kinds = f"{kind}s"
            field = Field(
                LISTED + name, place, kinds, needed, _converter(entry, name, kinds, place)
            )
        found.append(_counted(field, entry.inner(place)))
    return found


def _counted(field: Field, inner: str) -> Field:
    """The field, if what it names are the items of `inner`."""
    if inner == field.place:
        return field
    listed = field.column.startswith(LISTED)
    convert = field.convert

    def count(value: Any) -> Any:
        number: Any = list(map(count_items, value or ())) if listed else count_items(value)
        return convert(number) if convert else number

    return field._replace(place=inner, type="counts" if listed else "count", convert=count)


def _is_among(value: Any, words: Word | list[Word]) -> bool:
    """Whether a state is one of some words of config.yaml, or `PRESENT`."""
    state = _state_word(value)
    if words == PRESENT:
        return state not in BLANK
    if isinstance(words, list):
        listed = words
    else:
        listed = [words]
    return value is not None and state in map(_state_word, listed)


def _state_word(value: Any) -> str:
    """A state as a text: `True` and true are one, and so are `0.0` in a table and 0."""
    if value is None:
        text = ""
    else:
        text = spelling(value).strip().casefold()
    try:
        return spelling(number_from_text(text))
    except ValueError:
        return text


Typed = tuple[bool, Word]  # whether a value is true or false, and the value: in Python, true is 1


def only_values(only: Mapping[str, Word | list[Word]]) -> dict[str, set[Typed]]:
    """Place → values of the records that are read; numbers are compared by value."""
    return {
        place: {
            (isinstance(word, bool), float(word) if is_bare_exponent(word) else word)
            for word in (words if isinstance(words, list) else [words])
        }
        for place, words in only.items()
    }


def columns_of_keys(entry: Mapped, keys: Mapping[str, str]) -> dict[str, Any]:
    """Columns that keys of a document fill. Raises Error: one is of another type."""
    return {name: from_text(key, entry.kind(name), name) for name, key in keys.items()}


class NoNumber(TypeError):
    """A value that is no number; `place`: where it stands in the record."""

    def __init__(self, place: str, value: object) -> None:
        super().__init__(f"{place}: {value!r:.40} is not a number")
        self.place = place


def _converter(entry: Mapped, column: str, kind: str, place: str) -> Callable[[Any], Any] | None:
    """A function from a decoded value at a place to a text, or to a number scaled to 0–1.

    True and false are 1 and 0 in any range: true is not the least of 1–10.
    """
    if kind == "str" or (kind == "text" and column in entry.params):
        return lambda value: None if value is None else str(value)
    if column not in ("score", *entry.measures) and kind != "printed":
        return None
    ends = entry.range.get(column, [])
    value_of = column.removesuffix(STDERR)
    if value_of != column and value_of in entry.aggregates.keys() & entry.range.keys():
        low, high = entry.range[value_of]
        ends = [0.0, high - low]  # an error is a distance of two values

    def scaled(value: Any) -> float | None:
        try:
            if isinstance(value, str):  # "8", as judges write
                value = number_from_text(value.removesuffix("%"))
            return None if value is None else unit(value, ends)
        except (TypeError, ValueError):
            raise NoNumber(place, value) from None

    if kind == "printed":
        return lambda value: scaled(number_as_printed(value))
    return (lambda items: items and list(map(scaled, items))) if kind == "numbers" else scaled


def number_as_printed(value: Any) -> float | None:
    """A number as harnesses print it; None for `N/A` and the like. Raises TypeError."""
    if isinstance(value, str):
        if value.strip().casefold() in NOTHING:
            return None
        try:
            value = number_from_text(value.strip().removesuffix("%"))
        except ValueError:
            raise TypeError(f"{excerpted(value)} is not a number") from None
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    try:
        return float(value)
    except OverflowError:
        raise TypeError(f"{excerpted(value)} is too large a number") from None


# Mistakes: rows of place, test and message.

COUNTED = {
    ROW: "its number in the log",
    KEY: "its key in the object that holds the records, or its number in the list",
}
OTHERS = "; settings stand under params, further numbers under measures"
OF_SAMPLES = ("sample_id", "epoch", "score", "answer", "target")
"""Columns of records of single problems; the first two may be numbers of records."""
UNREAD = re.compile(r"[\\\"\x00-\x1f]")  # characters of keys that the decoder cannot read


def _setting_names(entry: Mapped) -> list[str]:
    """The columns that paths, keys of documents and `set` may fill."""
    return list(IDENTITY) + list(entry.params)


def _columns(entry: Mapped, parts: set[str]) -> Rows:
    """Names that are no columns; wrong ranges."""
    constant = _setting_names(entry)
    for key, names, valid in (
        ("fields", entry.fields, [*IDENTITY, "score", *GRADED]),
        ("path", parts, constant),
        ("set", entry.set, constant),
        ("range", entry.range, ["score", *entry.measures, *entry.aggregates]),
    ):
        for name in (name for name in names if name not in valid):
            hint = hints.key(name, valid)
            hint += OTHERS * (key == "fields" and not hints.likely(name, valid))
            if key == "path" and not likeliest(name, valid):
                inside = entry.path.partition(f"(?P<{name}>")[2].partition(")")[0]
                kind = "str"
                if re.search(r"\\d|0-9", inside):
                    kind = "int"
                if kind == "int" and "." in inside:
                    kind = "float"
                hint += f"; give it a type: params: {{{name}: {kind}}}"
            yield f".{key}.{name}", True, f"{name!r} is not a column; {hint}"
    for name, ends in entry.range.items():
        is_range = len(ends) == 2 and ends[0] < ends[1]
        yield f".range.{name}", not is_range, f"{ends} is not [lowest, highest]"
    filled = {*entry.fields, *entry.joined(), *parts, *entry.set, entry.group, *entry.listed()}
    needs = f"needs 'sample_id', the place of a problem's id in a record ({entry.numbers!r}: "
    without = "sample_id" not in filled and not entry.aggregates
    yield ".fields", without, f"{needs}{COUNTED[entry.numbers]})"


def _elsewhere(entry: Mapped, parts: set[str]) -> Rows:
    """Columns that are filled twice; groups without a name; numbers of records."""
    fills = dict.fromkeys(entry.set, "set") | dict.fromkeys(parts, "path")
    for name, param in Param.all(entry.params).items():
        twice = param.field is not None and name in fills
        yield f".params.{name}.field", twice, f"{fills.get(name)} fills {name!r}; keep one"
    for name, place in entry.fields.items():
        where = f".fields.{name}"
        yield where, name in fills, f"{fills.get(name)} fills {name!r} too; keep one"
        other = place in (ROW, KEY) and place != entry.numbers
        yield where, other, f"this format has no {place!r}: write {entry.numbers!r}"
        stray = place == ROW == entry.numbers and name not in OF_SAMPLES[:2]
        yield where, stray, f"{place!r} is for {' and '.join(OF_SAMPLES[:2])}"
    unnamed = numbered(re.compile(entry.path).groups, "group")
    message = f"{entry.path!r} has {unnamed} without a name: "
    message += "write (?P<model>…) to fill the column model, (?:…) to fill none"
    yield ".path", re.compile(entry.path).groups and not parts, message


def _scores(entry: Mapped, _: set[str]) -> Rows:
    lists = entry.exploded()
    grade = entry.grade
    columns = {*entry.fields, *entry.joined(), *lists}
    has_score = "score" in columns
    has_answer = ANSWER in columns
    for text, value in entry.verdicts.items():
        yield f".verdicts.{text}", not 0 <= value <= 1, f"{value:g} is not between 0 and 1"
    needs = "needs 'score' in fields, the place of the text"
    yield ".verdicts", entry.verdicts and not has_score, needs
    texts = entry.verdicts and "score" in entry.range
    yield ".range.score", texts, "the scores are texts: 'verdicts' says their values"
    yield ".grade", grade == "math" and find_spec("math_verify") is None, MISSING
    message = "the logs have a 'score' in fields already: remove one of them"
    yield ".grade", grade and has_score, message
    for name in GRADED:
        alone = name in columns and not (name == ANSWER and has_score)
        message = f"{name!r} is for grading; write how: grade: exact, number or math"
        yield f".fields.{name}", alone and not grade, message
        message = f"needs {name!r}, the place of the {name}, for 'grade'"
        yield ".fields", grade and not has_score and name not in columns, message
    message = f"each {ANSWER!r} needs a score of its own; list 'score' beside it, or write "
    message += "how answers are graded: grade: exact, number or math"
    single = not grade and ANSWER in lists and has_score and "score" not in lists
    yield ".epochs", single, message
    message = f"needs {ANSWER!r}, the place of the answer, for 'answers'"
    yield ".fields", entry.answers and not has_answer, message
    message = f"{grade!r} compares two answers, but gives no text to vote on"
    yield ".answers", entry.answers and grade not in (None, *VOTED), message


def _games(entry: Mapped, _: set[str]) -> Rows:
    versus = entry.versus
    params = Param.all(entry.params)
    if not versus:
        return
    message = f"{versus!r} is not under params; {choices(versus, params)}"
    yield ".versus", versus not in params, message
    kind = "str"
    if versus in params:
        kind = params[versus].type
    yield ".versus", kind != "str", f"{versus!r} is {kind}, but names models: str"
    has_answer = ANSWER in {*entry.fields, *entry.exploded()}
    others = {"measures": entry.measures, "grade": entry.grade, "answer": has_answer}
    for key, value in others.items():
        message = f"a game has one score for both sides; {key!r} is of one side alone"
        yield ".versus", value, message


def _heads(entry: Mapped, _: set[str]) -> Rows:
    each: str = getattr(entry, "each", "")
    if entry.sidecar:
        headless = ""
    else:
        headless = entry.headless()
    for where, place in entry.places().items():
        if not is_head(place):
            continue
        inside = literal(place)
        name = where.partition(".")[2]
        if headless:
            yield f".{where}", True, f"{place!r} is a place in the head of a log; {headless}"
            continue
        formless = {"", EACH}.intersection(place_keys(inside))
        yield f".{where}", formless, f"{place!r} is not of the form {places.HEAD}a.b"
        own = name in ("score", ANSWER) or name in entry.exploded()
        yield f".{where}", own, f"{place!r} is one for all records, but each has its own {name}"
        below = each and f"{inside}.".startswith(f"{each}.")
        yield f".{where}", below and not own, f"{place!r} lies inside the records (each: {each})"


def _groups(entry: Mapped, parts: set[str]) -> Rows:
    by_key = entry.places()
    columns = _setting_names(entry)
    names = {name: where for where, place in by_key.items() for name in GROUP.findall(place)}
    first, *others = names or [""]
    for name, where in names.items():
        yield from _column(name, columns, {*parts, *entry.set, *entry.fields}, f".{where}")
        message = f"{{{name}}}: the groups of a record fill one column, {{{first}}}"
        yield f".{where}", name in others, message
    message = f"has no {{{first}}}, but {names.get(first)} has"
    yield ".fields.score", first and not entry.grouped_place, message
    message = 'no place has a column in braces, such as fields: {score: "{scorer}"}'
    yield ".groups", entry.groups and not (first or entry.listed()), message
    message = f"each has several columns in braces: {', '.join(entry.listed())}"
    yield ".groups", entry.groups and not first and len(entry.listed()) > 1, message
    for number, name in enumerate(entry.groups):
        yield ".groups", name in entry.groups[:number], f"names {name!r} twice"


def _column(name: str, columns: Sequence[str], filled: set[str], where: str) -> Rows:
    yield where, name not in columns, f"{{{name}}} is not a column; {choices(name, columns)}"
    twice = name in columns and name in filled
    yield where, twice, f"{{{name}}} fills {name!r}, and so does another key; keep one"


def _only(entry: Mapped, _: set[str]) -> Rows:
    for key in ("only", "failed", "finished"):
        for place, values in getattr(entry, key).items():
            yield f".{key}.{place}", values == [], "lists no value"
    for place in entry.only:
        formless = is_head(place) or GROUP.search(place) or EACH in place.split(".")
        yield f".only.{place}", formless, f"{place!r} is not of the form a.b, a place in a record"


def _aggregates(entry: Mapped, parts: set[str]) -> Rows:
    if not entry.aggregates:
        return
    for name in OF_SAMPLES:
        message = f"aggregates have no records of problems, and so no {name!r}; tell runs apart "
        message += "by model, task or params"
        yield f".fields.{name}", name in {*entry.fields, *parts, *entry.set}, message
    for key in ("measures", "grade", "verdicts", "answers", "expect", "epochs", "versus"):
        message = "is for records of problems, not for `aggregates`; remove it"
        yield f".{key}", getattr(entry, key, None), message
    for name, number in entry.printed().items():
        key = f".aggregates.{name}"
        taken = name in roles.TAKEN
        why = "the name of a column of heatproof" if taken else "not a name"
        message = f"{name!r} is {why}; write another, such as my_number"
        yield key, taken or not name.isidentifier(), message
        count = isinstance(number.n, int) and number.n < 1
        yield f"{key}.n", count, f"{number.n} is not 1 or more (problems behind the number)"
        message = "is for a value with {task} in it, one for each column"
        yield f"{key}.of", number.of and not GROUP.search(number.value), message
        for part, at in (("value", number.value), ("n", number.n), ("stderr", number.stderr)):
            formless = isinstance(at, str) and (is_head(at) or EACH in at.split("."))
            message = f"{at!r} is not of the form a.b, a place in a record"
            yield f"{key}.{part}", formless, message


def _epochs(entry: Listed, lists: Sequence[str]) -> Rows:
    for name in lists if "epoch" not in lists else ():
        if name in entry.fields and name not in ("score", *GRADED):
            yield ".epochs.lists", True, f"{name!r} is the same in all epochs of a problem"
    yield ".fields.epoch", lists and "epoch" in entry.fields, "the place in the list is the epoch"


def _each(entry: Listed) -> Rows:
    for part in place_keys(entry.each):
        formless = "{" in part or (EACH in part and part != EACH)
        message = f"{part!r} is not of the form key, {EACH} or {{column}}"
        yield ".each", formless and not GROUP.fullmatch(part), message
    names = entry.listed()
    filled = {*entry.fields, *entry.set, *(name for name in names if names.count(name) > 1)}
    for name in names:
        yield from _column(name, _setting_names(entry), filled, ".each")


def _listed(own: dict[str, str], lists: Sequence[str]) -> Rows:
    """Places of each object in a list; `own`: `key.column` → place outside of the head."""
    items = f"{EACH}."
    whole = [p for p in own.values()
             if p == VALUE or (p.startswith(items) and p.count(EACH) == 1)]  # fmt: skip
    for where, place in own.items():
        message = f"{place!r}: keys with a backslash, quote or control character are not read"
        yield f".{where}", any(map(UNREAD.search, place_keys(literal(place)))), message
        if whole and place not in (*whole, ROW, KEY):
            message = f"{place!r} is a key of a record, but {whole[0]!r} is the whole record"
            yield f".{where}", True, message
        if EACH not in place.split("."):
            continue
        inner = place
        if place.startswith(items):
            inner = f"{VALUE}.{place}"
        above, each, below = inner.partition(f".{EACH}.")
        inside = place_keys(below)
        key, name = where.split(".", 1)
        formless = EACH in (above.split(".") + inside) or inside[-1].isdigit()
        yield f".{where}", formless, f"{place!r} is not of the form list.{EACH}.key"
        message = f"{place!r} has a value for each epoch; only fields and measures in epochs.lists"
        unlisted = key == "params" or name not in lists
        yield f".{where}", unlisted and not formless, f"{message} do"
        for other, taken in own.items():
            is_below = f"{taken}.".startswith(f"{above}.") and not taken.startswith(above + each)
            yield f".{other}", is_below, f"{taken!r} lies in the list of {where}, {place!r}"
