"""A family of files → tables: columns are keys, heads, parts of paths, sidecars."""

from __future__ import annotations

import fnmatch
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from heatproof.formats.grading import grader
from heatproof.formats.places import VALUE
from heatproof.init.facts import (
    Facts,
    facts_of,
    holds,
    in_words,
    is_spread,
    layout,
    score_name,
    weight,
    weights,
    words,
)
from heatproof.init.games import layout_of_games
from heatproof.init.layouts import TABLES, typed
from heatproof.init.records import LOOKED, Record, flat, plain
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.formats.grading import Grade
    from heatproof.init.layouts import Family


ABSENT = "absent"  # what stands for a setting that a record does not have: absent is a value
ROWS, COLUMNS = 100_000, 240  # of a table, at most
PATTERN = re.compile(r"|\*|\^.*\$")
"""Names that are no columns: pandas writes rows with none, polars reads others as patterns."""
SEVERAL = 12  # keys of an object, from which they may be others in each record
SUBMISSIONS = 10  # files from which two of one model are two submissions
GRADED, NAMED = 1.5, 1.2
"""Weight of a name that says of a column alone that it is a score; of one among others."""
KINDS = {"path": r"/\w+", "hole": r"\{\w+\}", "key": r"\$key", "head": r"\^.*"}
"""What a column is of → its name: a part of the path, a key on the way to a record, its own key, a
value above it or in the sidecar. All others are fields of the record, and lie where they say."""
NUMBER = "$number"  # the column of what these columns hold, where no name has a part in common
SCORER = "{scorer}"  # the column of names of scores
TRUTH = "$truth"  # the column of what another file says was expected
EQUAL, CHOICES = "$equal", 30  # whether an answer is right; values of choices, at most
ANSWER = "$answer"  # the column of answers that stand in columns of their models
RUNNING = 6  # numbers that rise by one, from which they count the rows
RECORDS, RARE = 100, 0.05
"""Records from which a flag tells something; part of them in which it must be another."""
AGREED = 0.9  # part of the lists of two grades from which these say which of two is better
PAIRED, CHOSEN, OFFERED = 1.5, 0.8, 0.5
"""Weight of a name of targets or answers; part of the answers that must be one of the choices, and
of those that a person is asked about."""


Cells = dict[str, dict[int, Any]]
"""Column → number of a record → its value there."""


@cache
def label(name: str) -> str:
    """A column as a person reads it."""
    return {EQUAL: "right answers", NUMBER: "several columns"}.get(name, name.lstrip("/"))


def kind(column: str) -> str:
    """What a column is of."""
    return next((name for name, form in KINDS.items() if re.fullmatch(form, column)), "field")


@dataclass
class Frame:
    """One reading of a family: a row for each record, and at the end `$file`, its log."""

    family: Family
    at: str | None
    data: pl.DataFrame
    records: list[Record]
    lists: set[str]  # columns of lists: of a grade for each repetition, here their mean
    texts: set[str]  # columns with texts, all of which may be numbers
    sidecar: str = ""  # what the file of settings is called, where there is one
    place: str = ""  # of numbers in several columns, with a hole for what tells their names apart
    group: list[str] = field(default_factory=list)
    """What stands for the hole, where other columns fit the place too."""
    lost: int = 0  # records with none of these numbers
    weight: float = 0.0  # how likely these numbers are the score
    board: str = ""  # what names the rows of a printed table, whose columns are tasks or models
    answers: str = ""  # of answers in columns of their models, with a hole for these: `ANSWER`
    left_out: dict[str, str] = field(default_factory=dict)
    """Column that is not in the table → why."""
    in_paths: set[str] = field(default_factory=set)  # columns that names of files say again
    graded: dict[str, str] = field(default_factory=dict)
    """`target` and `answer` → column, where `EQUAL` says whether one answers the other."""
    pair: dict[str, str] = field(default_factory=dict)
    """The same by their names alone: how answers are graded is not known."""
    proved: str = ""  # the column of grades of which numbers above the records are the mean
    only: dict[str, Any] = field(default_factory=dict)
    """Column → its values in the records that are read."""

    layout: dict[str, Any] = field(default_factory=dict)
    """What is known of records of this harness (`facts.layout`)."""

    def __post_init__(self) -> None:
        self.facts = {name: facts_of(self.data[name]) for name in self.data.columns[:-1]}
        self.layout = self.layout or layout_of_games(self.facts)
        self.score = next((name for name in (NUMBER, self.place) if name in self.facts), "")
        """The column of these numbers: no other is the score."""

    def is_above(self, name: str) -> bool:
        """Whether a column holds what records have in common: a setting, rather than a result."""
        return kind(name) in ("path", "hole", "head") or name in self.in_paths

    def is_settled(self, name: str) -> bool:
        """Whether a flag is almost always the same: that a request went through is no grade."""
        flags = self.data[name].drop_nulls()
        if flags.dtype != pl.Boolean or len(flags) < RECORDS:
            return False
        return not RARE < flags.sum() / len(flags) < 1 - RARE

    def is_running(self, name: str) -> bool:
        """Whether whole numbers count along the rows of a file, as the wins so far do."""
        facts = self.facts[name]
        if facts.type != "int" or facts.missing or facts.distinct < RUNNING:
            return False
        steps = self.data.select(pl.col(name).cast(pl.Int64).diff().over("$file")).to_series()
        return bool(steps.drop_nulls().is_in([0, 1]).all())

    def is_spread(self, name: str) -> bool:
        """Whether a column is of the errors of another one."""
        return is_spread(name, self.facts)

    def is_of_side(self, name: str) -> bool:
        """Whether a column is of one of two models that were compared, `model_a` and `model_b`."""
        compared = {"model_a", "model_b"} <= {column.lstrip("^") for column in self.facts}
        return compared and not {"a", "b"}.isdisjoint(words(name))

    def called(self, name: str) -> Facts:
        """The facts of a column; what is no object is called as its place is."""
        facts = self.facts[name]
        return facts._replace(name=self.at) if name == VALUE and self.at else facts

    def is_of_file(self, name: str) -> bool:
        """Whether all records of a file have the same value in a column."""
        return self.data.select("$file", name).n_unique() == self.data["$file"].n_unique()

    @cached_property
    def numbers(self) -> list[Facts]:
        """The columns of records that may be of scores, of one side of a comparison aside; looked
        for once, as each way to read several of them as one asks for them.
        """
        numbers: list[Facts] = []
        for name, facts in self.facts.items():
            if kind(name) != "field" or self.is_of_side(name) or self.is_spread(name):
                continue
            if not (self.is_running(name) or self.is_settled(name)):
                numbers.append(facts)
        return numbers

    @property
    def likely_score(self) -> Facts | None:
        """The column that is called a score most of all; None if there is none."""
        fields = [facts for name, facts in self.facts.items() if kind(name) == "field"]
        fields = [facts for facts in fields if facts.single or facts.type in ("int", "float")]
        best = max(fields, key=lambda facts: score_name(facts.name), default=None)
        return best if best and score_name(best.name) >= GRADED else None


def _as_layout(table: Frame) -> Frame:
    """The frame with the records that its layout says."""
    for column, value in table.layout.get("entry", {}).get("only", {}).items():
        table = replace(table, data=table.data.filter(pl.col(column) == value))
    return table


def without_repeats(table: Frame) -> Frame:
    """The frame without what names of files and heads of documents say twice, or say of each."""
    table = _as_layout(table)
    logs = table.data.unique("$file", maintain_order=True)
    count = {name: logs[name].n_unique() for name in table.facts}
    above = [name for name in table.facts if kind(name) in ("path", "head") and count[name] > 1]
    parts = [name for name in above if kind(name) == "path"]
    shared = [name for name in parts if count[name] < len(logs)]
    apart = bool(shared) and logs.select(shared).n_unique() == len(logs)
    for name in above:
        if apart and count[name] == len(logs):
            table.left_out[name] = "left out: another in each file"
        several = len(logs) >= SUBMISSIONS and 0.9 * len(logs) <= count[name] < len(logs)
        if several and set(parts) - set(shared) and weight("model", name) >= 2:
            table.left_out[name] = "left out: files of equal ones have other names"
    fields = [name for name in table.facts if kind(name) == "field" and score_name(name) < NAMED]
    fields = [name for name in fields if name not in table.left_out and weight("count", name) < 2]
    if len(logs) < len(table.data):
        fields = []
    # The number of a run may be that of a version.
    for name, field_ in product((n for n in above if weight("epoch", n) < GRADED), fields):
        pairs = logs.select(name, field_).unique()
        again = len(pairs) == count[name] == count[field_] <= len(logs) / 2
        if again and pairs.sort(name)[field_].is_sorted():
            table.left_out[name] = f"left out: {field_} says it"
            table.in_paths.add(field_)
    return replace(table, data=table.data.drop(table.left_out, strict=False))


def frame_of(family: Family, at: str | None, rows: list[Record]) -> Frame:
    """A row for each record, with what lies above it and in its sidecar."""
    # In an entry `^` is either of the document or of a sidecar.
    heads = any(kind(name) == "head" for record in rows[:LOOKED] for name in record.above)
    cells = _cells(rows, {} if heads else family.settings, family.format)
    texts = {name for name in cells if any(isinstance(v, str) for v in cells[name].values())}
    left_out: dict[str, str] = {}
    for parent, names in _free_keys({name: cells[name] for name in texts}).items():
        left_out[f"{parent}.*"] = "left out: its keys are others in each record"
        for name in names:
            cells.pop(name, None)
    known = _layout_at(cells, at)
    for pattern in known.get("left", []):
        names = fnmatch.filter(cells, pattern)
        left_out |= dict.fromkeys(names, "left out: its tool writes it of itself")
        for name in set(names) - set(known.get("entry", {}).get("only", {})):  # compared once
            del cells[name]
    order = {"field": 1, "head": 2}
    columns = sorted(cells, key=lambda name: (order.get(kind(name), 0), -len(cells[name])))
    data, lists = [], set()
    for name in columns[:COLUMNS]:
        values = [cells[name].get(number) for number in range(len(rows))]
        if 2 * sum(isinstance(value, list) for value in values) > len(cells[name]):
            values = _shares(values)
            lists.add(name)
        if values and (column := series(name, values)).count():
            data.append(column)
    table = pl.DataFrame([*data, pl.Series("$file", [record.file for record in rows])])
    sidecar = "" if heads else family.sidecar
    return Frame(family, at, table, rows, lists, texts, sidecar, left_out=left_out, layout=known)


def _layout_at(cells: Cells, at: str | None) -> dict[str, Any]:
    """What is known of records of a harness, if these are those that it is known of."""
    known = layout(cells)
    return known if known.get("at", at) == at else {}


def fields_of(record: Record, form: str) -> dict[str, Any]:
    """Place → value in a record of a format; names of columns of a table are no places."""
    fields = flat(record.node, 3)
    if form in TABLES:
        return {plain(name): value for name, value in fields.items()}
    return fields


def _cells(rows: list[Record], settings: dict[str, dict[str, Any]], form: str) -> Cells:
    """The values of records; `settings`: file → column of its sidecar → value."""
    cells: Cells = defaultdict(dict)
    for number, record in enumerate(rows):
        fields = fields_of(record, form)
        values = fields | settings.get(record.file, {}) | record.above
        for name, value in values.items():
            if PATTERN.fullmatch(name) or (name in fields and kind(name) != "field"):
                continue  # a key `{id}` would be a hole
            column = cells[name]
            if value is not None:
                column[number] = value
    return cells


def _free_keys(cells: Cells) -> dict[str, list[str]]:
    """Object → its keys, of which each record has others: names of its tests."""
    below: dict[str, list[str]] = defaultdict(list)
    for name in cells:
        for dot in re.finditer(r"\.", name):
            below[name[: dot.start()]].append(name)
    free: dict[str, list[str]] = {}
    for parent, names in below.items():
        if len(names) < SEVERAL:
            continue
        records = {number for name in names for number in cells[name]}
        if sum(len(cells[name]) for name in names) <= len(names) * len(records) / 2:
            free[parent] = names
    return free


def _shares(values: list[Any]) -> list[float | None]:
    """Of lists of grades the share that is right; nothing if they are lists of something else."""
    lists = [value if isinstance(value, list) else [] for value in values]
    items = {item if isinstance(item, bool | int | float) else "" for row in lists for item in row}
    if not items or not items <= {True, False} or _are_preferences(lists):
        return []
    return [sum(row) / len(row) if row else None for row in lists]


def _are_preferences(lists: Sequence[Sequence[float]]) -> bool:
    """Whether lists of two say which of two answers is better: their sum is always 1."""
    agreed = sum(len(row) == 2 and sum(row) == 1 for row in lists)
    filled = sum(bool(row) for row in lists)
    return agreed >= AGREED * filled


def series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: true and false, whole numbers, numbers, or texts.

    Texts that all are numbers (a cell such as "93.50" or "41 %") are read as these.
    """
    types = {type(value) for value in values if value is not None}
    if types in ({bool}, {int}):
        if all(abs(value or 0) < 1 << 62 for value in values):
            return pl.Series(name, values)
        digests = [value if value is None else str(value) for value in values]
        return pl.Series(name, digests, dtype=pl.String)
    if types <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False).fill_nan(None)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    if kind(name) != "path":
        texts = [text or None for text in texts]  # an empty text names nothing
    if numbers := _numbers(texts):
        return series(name, numbers)
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError:  # half of a surrogate pair, with which no run reads a record
        return pl.Series(name, [text and ascii(text) for text in texts], dtype=pl.String)


def _numbers(texts: list[str | None]) -> list[Any]:
    """The numbers that texts are; nothing if one of them is none."""
    numbers: list[Any] = []
    for text in texts:
        number = None if text is None else typed(text.removesuffix("%"))
        if isinstance(number, bool | str):
            return []
        if number is not None and str(text).endswith("%"):
            number = float(number)  # a share, not a count
        numbers.append(number)
    return numbers if any(number is not None for number in numbers) else []


def with_records(table: Frame, values: Mapping[str, list[Any]]) -> Frame:
    """The frame of the records that have some values: column → its values."""
    if not values:
        return table
    data = table.data
    for name in values:
        data = data.filter(pl.col(name).is_in(values[name]))
    return replace(table, data=without_empty(data))


def without_empty(data: pl.DataFrame) -> pl.DataFrame:
    """The columns that have a value in some row."""
    return data.select(column for column in data if column.count())


def with_score(table: Frame, score: str) -> Frame:
    """The frame of the records that have a score, if a column says which these are."""
    has = table.data[score].is_not_null()
    kinds = [f for f in table.facts.values() if f.type == "text" and holds("kinds", f.name)]
    for name in (facts.name for facts in kinds if not (facts.missing or has.all())):
        values = table.data.filter(has)[name].unique().sort().to_list()
        if not table.data.filter(~has)[name].is_in(values).any():
            table = _with_rows(table, name, values)
    return _without_sums(table)


def _with_rows(table: Frame, name: str, values: list[Any]) -> Frame:
    """The frame of the rows that have some values in a column, and are read alone."""
    only = {name: values[0] if len(values) == 1 else values}
    return replace(with_records(table, {name: values}), only=table.only | only)


def _without_sums(table: Frame) -> Frame:
    """The frame without rows that sum up others, as their kind or their name says: aggregate."""
    for name, facts in table.facts.items():
        known = weights()["sums"] if holds("kinds", name) else weights()["averages_of_rows"]
        sums = [value for value in facts.values if str(value).casefold() in known]
        others = [value for value in facts.values if value not in sums]
        whole = (
            facts.type == "text" and kind(name) == "field" and facts.distinct == len(facts.values)
        )
        if whole and sums and others and not facts.missing:
            summed = f"left out: rows in which {name} is {in_words(sums, len(sums))}"
            left_out = table.left_out | {f"{name}: {sums[0]}": summed}
            table = _with_rows(replace(table, left_out=left_out), name, others)
    return table


def with_truth(table: Frame) -> Frame:
    """The frame with what another file says was expected, if one does."""
    truth = table.family.truth
    if truth is None or truth.column not in table.facts:
        return table
    ids = table.data[truth.column].cast(pl.String)
    expected = ids.replace_strict(truth.values, default=None).alias(TRUTH)
    return replace(table, data=_with_column(table, expected))


def _with_column(table: Frame, column: pl.Series) -> pl.DataFrame:
    return table.data.with_columns(column).select(pl.exclude("$file"), "$file")


def with_pair(table: Frame) -> Frame:
    """The frame with grades, if it has choices and what was expected of them.

    If answers are no choices, only their columns are noted: `pair`.
    """
    facts = [f for name, f in table.facts.items() if kind(name) == "field" and f.type != "float"]
    names = [facts.name for facts in facts]
    targets, answers = (_called(role, names) for role in ("target", "answer"))
    if TRUTH in table.facts:
        targets.insert(0, TRUTH)
        answers += [VALUE for name in names if name == VALUE]
    if table.answers:
        answers = [ANSWER]
    pairs = [(target, answer) for target, answer in product(targets, answers) if target != answer]
    pairs = [pair for pair in pairs if table.facts[pair[1]].distinct > 1]
    for target, answer in pairs:
        if _are_choices(table, target, answer):
            equal = table.data[target].cast(pl.String) == table.data[answer].cast(pl.String)
            data = _with_column(table, equal.alias(EQUAL))
            return replace(table, data=data, graded={"target": target, "answer": answer})
    pairs = pairs or _pairs_of_choices(table, names)
    if not pairs:
        return table
    target, answer = pairs[0]
    return replace(table, pair={"target": target, "answer": answer})


def _pairs_of_choices(table: Frame, names: Sequence[str]) -> list[tuple[str, str]]:
    """Columns that are called as what was expected, each with another of the same few words."""
    texts = [name for name in names if table.facts[name].type == "text"]
    texts = [name for name in texts if 1 < table.facts[name].distinct <= CHOICES]
    texts = [name for name in texts if not holds("lures", name)]
    called = [name for name in _called("target", texts) if weight("answer", name) < PAIRED]
    targets = [name for name in texts if begins_as_target(name) or name in called]
    pairs: list[tuple[str, str]] = []
    for target, answer in product(targets, texts):
        if target != answer and _are_choices(table, target, answer, least=OFFERED):
            pairs.append((target, answer))
    return pairs


def begins_as_target(name: str) -> bool:
    """Whether a name begins with one of what was expected: ground_truth_winner."""
    parts = words(name)
    starts = ["_".join(parts[:number]) for number in range(1, len(parts))]
    return any(weight("target", start) >= PAIRED for start in starts)


def _called(role: str, names: Iterable[str]) -> list[str]:
    """Columns that are called targets or answers, the likeliest first; what was to mislead is
    neither.
    """
    plain = [name for name in names if not holds("lures", name)]
    called = [name for name in plain if weight(role, name) >= PAIRED]
    return sorted(called, key=lambda name: -weight(role, name))


def _are_choices(table: Frame, target: str, answer: str, least: float = CHOSEN) -> bool:
    """Whether most answers are one of a few that were expected."""
    if max(table.facts[target].distinct, table.facts[answer].distinct) > CHOICES:
        return False
    expected = table.data[target].cast(pl.String)
    chosen = table.data[answer].cast(pl.String).drop_nulls()
    choices = expected.unique().to_list()
    one_class = len(choices) == 1 and chosen.n_unique() == 2
    if one_class and chosen.is_in(choices).any():
        choices += chosen.unique().to_list()
    return bool(chosen.is_in(choices).sum() >= least * len(chosen))


def with_grades(table: Frame, grade: Grade) -> Frame:
    """The frame with grades of its pair."""
    data = _with_column(table, grades_of(table, grade))
    return replace(table, data=data, graded=table.pair)


def grades_of(table: Frame, grade: Grade) -> pl.Series:
    """Whether answers of its pair are right, `EQUAL`; missing where there is none, or no target."""
    judge = grader(grade)
    grades: list[bool | None] = []
    for target, answer in table.data.select(*table.pair.values()).iter_rows():
        text = "" if answer is None else str(answer).strip()
        try:
            missing = text == "" or target is None
            grades.append(None if missing else bool(judge(text, str(target))))
        except Error:  # such a target cannot be graded so
            grades.append(None)
    return pl.Series(EQUAL, grades, dtype=pl.Boolean)
