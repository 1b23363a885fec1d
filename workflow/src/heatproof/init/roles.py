"""What each column is, given the score: facts of columns and of pairs decide, names weigh."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.init.frame import ABSENT, Frame
from heatproof.init.words import models, verdict, weight
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SENTINELS = (-1.0, -99.0, -999.0, 999.0)
"""Numbers that stand for none, where all others lie on a scale that begins at 0."""
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}[-_T]?\d{4}")
ABOVE = ("path", "hole", "head", "sidecar")
"""Kinds of places that hold what records have in common: settings, rather than results."""
CONFIG = re.compile(r"(?i)config|param|args|setting|sampling|option")
"""Names of objects that hold settings."""
LEAST = {"model": 1.9, "one model": 2.4, "task": 1.5, "problem": 1.6, "setting": 2.0, "score": 1.6}
"""Role → how much a column must speak for it."""
SURE = 2.4  # weight of a name that is a setting, never pooled in silence, or a task for certain
PRIOR = 1.2  # what a place above the records speaks for a setting
FREE, OUTCOME = 0.1, 0.3
"""Distance of shares (`Texts.crossed`) up to which a column does not depend on units, and from
which it does: it is a result."""
UNIQUE = 0.995  # part of the rows that a key must tell apart
EVEN = 1.25  # how much oftener the most frequent of values is met that all are met equally often
LONG = 60  # characters of a text, on average, that is no name
SHOWN = 40  # values that are kept of a column
FEW_VALUES, MOST_VALUES = 30, 400  # of a column that may be a setting by its values, by its place
PROBLEMS = 5  # values from which a setting may be the problem after all


class Facts(NamedTuple):
    """Of a column."""

    name: str
    type: str
    """bool, int, float, text, long (a text of sentences), empty."""
    distinct: int
    missing: float
    """Part of the rows that have none."""
    values: list[Any]
    """The first of those that differ, in their order."""
    low: float = 0.0
    high: float = 0.0
    sentinel: float | None = None

    @property
    def constant(self) -> bool:
        """Whether all rows are alike; absent is a value."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def dated(self) -> bool:
        """Whether values are dates, whatever the column is called."""
        dates = sum(bool(DATE.match(str(value))) for value in self.values)
        return self.type == "text" and bool(dates) and dates >= 0.9 * len(self.values)

    @property
    def single(self) -> bool:
        """Whether values are right or wrong, as of single problems."""
        binary = self.type == "int" and self.low >= 0 and self.high <= 1
        return self.type in ("bool", "text") or binary


def profile(frame: Frame) -> dict[str, Facts]:
    """The facts of each column but the path of the file."""
    return {name: _facts(name, frame) for name in frame.data.columns if name != "$file"}


def _facts(name: str, frame: Frame) -> Facts:
    series = numbers(frame, name)
    values = series.drop_nulls()
    missing = 1 - len(values) / len(series)
    if not len(values):
        return Facts(name, "empty", 0, 1.0, [])
    listed = sorted(values.unique().to_list(), key=lambda v: (isinstance(v, str), v))[:SHOWN]
    base = Facts(name, "text", values.n_unique(), missing, listed)
    if series.dtype == pl.Boolean:
        return base._replace(type="bool", low=float(min(listed)), high=float(max(listed)))
    if series.dtype == pl.String:
        mean, lines = values.str.len_chars().mean(), values.str.contains("\n").mean()
        long = _number(mean) > LONG or _number(lines) > 0.2
        return base._replace(type="long" if long else "text")
    scale, sentinel = _without_sentinel(values.cast(pl.Float64))
    kind = "int" if bool((scale == scale.round()).all()) else "float"
    low, high = _number(scale.min()), _number(scale.max())
    return Facts(name, kind, scale.n_unique(), missing, listed, low, high, sentinel)


def numbers(frame: Frame, name: str) -> pl.Series:
    """A column; texts that all are numbers (of a cell such as "93.50" or "41 %") as these."""
    series = frame.data[name]
    if series.dtype != pl.String or frame.places[name].part != "field":
        return series
    bare = series.str.strip_suffix("%").str.strip_chars()
    values = bare.drop_nulls()
    if not len(values) or values.str.contains(r"^[-+]?0\d").any():
        return series
    read = bare.cast(pl.Float64, strict=False)
    numeric = read.null_count() == series.null_count() and bool(read.drop_nulls().is_finite().all())
    return read if numeric else series


def _without_sentinel(values: pl.Series) -> tuple[pl.Series, float | None]:
    """Numbers without an isolated one that stands for none."""
    for sentinel in SENTINELS:
        rest = values.filter(values != sentinel)
        if not 0 < len(rest) < len(values):
            continue
        low, high = _number(rest.min()), _number(rest.max())
        scale = rest.n_unique() > 2 or (rest.n_unique() == 2 and high > 1)
        if scale and low >= 0 and (sentinel < 0 or high <= 100):
            return rest, sentinel
    return values, None


def _number(value: Any) -> float:
    return float(value) if value is not None else 0.0


class Texts:
    """Columns of a frame as texts, and how they go together; absent is a value."""

    def __init__(self, frame: Frame, names: Sequence[str]) -> None:
        self.data = frame.data.select(
            pl.col(name).cast(pl.String).fill_null(ABSENT).alias(name) for name in names
        )
        self.rows = len(self.data)
        self._counts: dict[frozenset[str], int] = {}

    def count(self, names: Sequence[str]) -> int:
        """Combinations of values of some columns."""
        key = frozenset(name for name in names if name in self.data.columns)
        if key not in self._counts:
            self._counts[key] = self.data.select(sorted(key)).n_unique() if key else 1
        return self._counts[key]

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        present = [other for other in others if other in self.data.columns]
        return bool(present) and self.count([*present, name]) == self.count(present)

    def unique(self, names: Sequence[str]) -> bool:
        """Whether some columns tell all rows apart."""
        return self.count(names) >= UNIQUE * self.rows

    def crossed(self, name: str, units: Sequence[str]) -> tuple[float, float]:
        """How many of a column's values a unit meets, and how far their shares are from the whole.

        A setting that was swept is met by each unit in the same shares: (1, 0). What depends on the
        result of a run is not. Shares: half the sum of differences, on average over units.
        """
        counts = self.data.group_by([*units, name]).len(name="$count")
        values = counts.group_by(units).len(name="$met")["$met"].mean()
        overall = self.data.group_by(name).len(name="$all")
        share = pl.col("$count") / pl.col("$count").sum().over(units)
        whole = pl.col("$all") / self.rows
        # Values that a unit does not meet differ by all of their share.
        apart = ((share - whole).abs().sum().over(units) + 1 - whole.sum().over(units)) / 2
        rows = counts.join(overall, on=name).select(*units, apart.alias("$apart")).unique()
        return _number(values) / self.count([name]), _number(rows["$apart"].mean())

    def balanced(self, name: str, units: Sequence[str]) -> float:
        """Of the units that meet several values of a column, how many meet each equally often.

        Nested designs: not each unit meets all values.
        """
        n = pl.col("$count")
        by_unit = self.data.group_by([*units, name]).len(name="$count").group_by(units)
        counts = by_unit.agg(n.max().alias("$most"), n.min().alias("$least"), n.len().alias("$met"))
        several = counts.filter(pl.col("$met") > 1)
        if len(several) < max(2, 0.2 * len(counts)) or _number(several["$most"].mean()) < 1.9:
            return 0.0
        return _number((several["$most"] <= several["$least"] * EVEN).mean())


# ----------------------------------------------------------------------------------------- readings


@dataclass
class Reading:
    """What the columns of a frame are, if one of them is the score."""

    frame: Frame
    facts: dict[str, Facts]
    score: str
    weight: float
    """How much speaks for this score."""
    layout: dict[str, Any]
    """What is known of records of this harness (`words.layout`)."""
    model: str = ""
    task: str = ""
    problem: str = ""
    repetition: str = ""
    settings: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    """Column → its role, or why it is left out."""
    notes: list[str] = field(default_factory=list)
    unique: bool = True
    """Whether model, task, settings, problem and repetition tell all records apart."""

    def __post_init__(self) -> None:
        self.roles[self.score] = "score"
        names = []
        for facts in self.facts.values():
            if facts.name == self.score or self.part(facts.name) == "index":
                continue
            if facts.type in ("long", "empty"):
                self.roles[facts.name] = f"left out: {'text' if facts.values else 'always empty'}"
            elif facts.constant:
                self.roles[facts.name] = f"left out: always {str(facts.values[0])[:40]}"
            else:
                names.append(facts.name)
        self.texts = Texts(self.frame, names)

    @property
    def names(self) -> list[str]:
        """The columns that vary and may have a role."""
        return self.texts.data.columns

    @property
    def cell(self) -> list[str]:
        """The columns that tell cells apart."""
        names = [self.model, self.task, *self.settings]
        return [name for name in names if name in self.names]

    @property
    def key(self) -> list[str]:
        """The columns that tell cells and problems apart."""
        return [*self.cell, *([self.problem] if self.problem else [])]

    def part(self, name: str) -> str:
        """The kind of the place of a column."""
        return self.frame.places[name].part

    def is_above(self, name: str) -> bool:
        return self.part(name) in ABOVE

    def comes_again(self) -> bool:
        """Whether problems come again in other runs."""
        problem = self.problem
        return bool(problem) and self.facts[problem].distinct < 0.7 * self.texts.rows

    def leave(self, name: str, by: Sequence[str]) -> None:
        """Leave out a column that others determine."""
        self.roles[name] = f"left out: {listed(by)} determine{'s' * (len(by) == 1)} it"


def listed(names: Sequence[str]) -> str:
    """Columns in a few words."""
    return ", ".join(name.lstrip("/") for name in names)


def score_weight(facts: Facts, rows: int) -> float:
    """How likely a column is the score, by its name and its values alone."""
    if facts.type in ("long", "empty"):
        return -9.0
    total = weight("score", facts.name) - weight("not_score", facts.name)
    total -= 6.0 * (facts.distinct <= 1) + 1.5 * facts.missing - 0.15 * len(str(rows))
    if facts.type == "text":
        verdicts = all(verdict(value) is not None for value in facts.values)
        few = 2 <= facts.distinct <= 4
        return total + (1.0 if verdicts and few else -0.5 if facts.distinct <= 4 else -9.0)
    if facts.type == "bool":
        return total + 1.2
    scales = [(facts.single and facts.high == 1, 1.0), (0 <= facts.low <= facts.high <= 1, 0.7)]
    scales += [(-10 <= facts.low <= facts.high <= 100, 0.3), (True, -1.0)]
    return total + next(bonus for fits, bonus in scales if fits)


def infer(
    frame: Frame, facts: dict[str, Facts], score: str, likely: float, layout: dict[str, Any]
) -> Reading:
    """The roles of all other columns, given the score and how likely it is that."""
    reading = Reading(frame, facts, score, likely, layout)
    few = [name for name in reading.names if reading.is_above(name) or _is_few(reading, name)]
    _choose_model(reading, few)
    _choose_task(reading, few)
    _choose_problem(reading)
    _choose_settings(reading, few)
    _choose_repetition(reading)
    for role in ("model", "task", "problem", "repetition"):
        if name := getattr(reading, role):
            reading.roles.setdefault(name, role)
    reading.roles |= dict.fromkeys(reading.settings, "setting")
    for name in reading.names:
        reading.roles.setdefault(name, "left out: tells no runs apart")
    return reading


def _is_few(reading: Reading, name: str) -> bool:
    """Whether a column has so few values that it may name settings."""
    by_name = max(weight(role, name) for role in ("model", "task", "setting")) >= LEAST["model"]
    rows = reading.texts.rows
    return reading.facts[name].distinct <= min(MOST_VALUES, max(2, rows if by_name else rows / 2))


def _best(reading: Reading, role: str, names: Sequence[str], value: Callable[[str], float]) -> str:
    """The column of a role that a layout knows, or that of the highest value if it is enough."""
    column: str = reading.layout.get("roles", {}).get(role, "")
    if column in names:
        return column
    best = max(names, key=value, default="")
    return best if best and value(best) >= LEAST[role] else ""


def _choose_model(reading: Reading, few: list[str]) -> None:
    facts = reading.facts

    def name_weight(name: str) -> float:
        return weight("model", name) - weight("not_model", name)

    def value(name: str) -> float:
        if facts[name].type not in ("text", "int", "bool"):
            return -9.0
        share = models(facts[name].values)
        lacks = 40 * max(0.0, facts[name].missing - 0.02) + 3 * (facts[name].type != "text")
        return name_weight(name) + (2.2 * share if share >= 0.4 else 0.0) - lacks

    reading.model = _best(reading, "model", few, value)
    alike = [f.name for f in facts.values() if f.constant and f.type == "text"]
    if not reading.model and (only := _best(reading, "one model", alike, name_weight)):
        reading.model, reading.roles[only] = only, "model (one)"


def _choose_task(reading: Reading, few: list[str]) -> None:
    facts, rows = reading.facts, reading.texts.rows

    def value(name: str) -> float:
        if name == reading.model or facts[name].type != "text":
            return -9.0
        lacks = 40 * max(0.0, facts[name].missing - 0.02) + 2 * (facts[name].distinct > rows / 4)
        return weight("task", name) - weight("not_task", name) - lacks

    reading.task = _best(reading, "task", few, value)


def _choose_problem(reading: Reading) -> None:
    """The problem: named so, it comes again in other runs, or is the only one of each record."""
    facts, texts, cell = reading.facts, reading.texts, reading.cell

    def value(name: str) -> float:
        column = facts[name]
        if name in cell or column.type == "float" or column.missing > 0.05 or column.dated:
            return -9.0
        if reading.model in cell and texts.follows(name, [reading.model]):
            return -9.0
        total = weight("sample_id", name) - weight("not_id", name)
        if column.distinct >= 0.98 * texts.rows and texts.rows > 20 and cell:
            return total - 1.5  # it names records, not problems: those come again
        total += 0.4 * (texts.count([*cell, name]) > 0.9 * texts.rows)
        total += 0.6 * (column.distinct >= 8)
        return total - 1.5 * (reading.is_above(name) and reading.part(name) != "hole")

    reading.problem = _best(reading, "problem", reading.names, value)
    task = reading.task
    unsure = task in cell and weight("task", task) < SURE
    if reading.problem and unsure and texts.follows(task, [reading.problem]):
        reading.leave(task, [reading.problem])
        reading.task = ""


# ----------------------------------------------------------------------------------------- settings


def _choose_settings(reading: Reading, few: list[str]) -> None:
    """Settings: crossed with what a run is of. What depends on a run's result is an outcome."""
    texts = reading.texts
    used = [reading.model, reading.task, reading.problem]
    candidates = [name for name in few if name not in used]
    above = {name for name in candidates if reading.part(name) in ("path", "hole")}
    for part in sorted(above):
        values = _plain(reading, part)
        same = (n for n in candidates if n not in above and _plain(reading, n) == values)
        if twin := next((name for name in same if texts.follows(name, [part])), ""):
            reading.leave(part, [twin])  # the record says what the path says
            candidates.remove(part)
            above.add(twin)
    few = [name for name in few if name in (*used, *candidates)]
    weights = {name: _as_setting(reading, name, few, name in above) for name in candidates}
    reading.settings = sorted(filter(weights.get, candidates), key=lambda name: -weights[name])
    for name in reversed(reading.settings):
        others = [other for other in reading.cell if other != name]
        if texts.follows(name, others):
            reading.settings.remove(name)
            reading.leave(name, others)
    for name in sorted(candidates, key=lambda name: reading.facts[name].distinct):
        if _is_kept(reading, name):
            reading.settings.append(name)
            reading.notes.append(_apart_note(name))
    if not reading.problem and reading.facts[reading.score].single:
        _take_problem(reading)


def _plain(reading: Reading, name: str) -> set[Any]:
    """The values of a column, numbers as such."""
    values = map(str, reading.facts[name].values)
    return {float(v) if re.fullmatch(r"\d+(\.\d+)?", v) else v for v in values}


def _as_setting(reading: Reading, name: str, few: list[str], above: bool) -> float:
    """How much speaks for a setting; 0: it is none, and `roles` says why.

    `above`: whether it is a part of the path, or says the same as one.
    """
    texts, problem, facts = reading.texts, reading.problem, reading.facts[name]
    cell = [other for other in (reading.model, reading.task) if texts.count([other]) > 1]
    if _is_determined(reading, name, cell):
        return 0.0
    share, apart = _crossed(reading, name, cell, few)
    own = weight("setting", name) + PRIOR * reading.is_above(name)
    own -= 0.8 * weight("not_score", name) * (not own)
    odd = _odd(reading, name)
    total = own - odd + 2.0 * share - 4.0 * max(0.0, apart - FREE)
    if cell and facts.distinct <= 12 and share < 0.6 and texts.balanced(name, cell) >= 0.75:
        total = own - odd + 2.0  # nested designs: not each unit meets all values
    elif not reading.is_above(name) and (share < 0.5 or apart > OUTCOME):
        total = 0.0
    elif odd < 1 and share >= 0.9 and apart <= FREE / 2:
        total = max(total, LEAST["setting"] + 0.5)
    compound = any(texts.follows(other, [name]) for other in cell)
    if total >= LEAST["setting"]:
        return 0.2 if compound else total  # it names runs, perhaps; those that name settings first
    if above and not (facts.dated or (problem and texts.follows(name, [problem]))):
        reading.notes += [] if compound else [_apart_note(name)]
        return 0.1
    beside = listed(cell) or "the rest"
    reading.roles[name] = f"left out: not crossed with {beside}, as a result would be"
    return 0.0


def _odd(reading: Reading, name: str) -> float:
    """What the name and type of a column speak against a setting."""
    facts = reading.facts[name]
    total = sum(weight(role, name) for role in ("outcome", "count", "stderr", "time"))
    total += max(0.0, weight("score", name) - 0.5) * (facts.type != "text")
    return total + 6.0 * facts.dated + 3.0 * (facts.distinct > 60 and facts.type == "float")


def _is_determined(reading: Reading, name: str, cell: list[str]) -> bool:
    """Whether a column is none of the settings, as others determine it."""
    texts, problem, above = reading.texts, reading.problem, reading.is_above(name)
    again = reading.comes_again()
    twin = next((o for o in (*cell, problem) if o and texts.follows(name, [o])), "")
    if twin and twin == problem and above and again and not reading.task:
        shapes = {re.sub(r"\d+", "0", str(value)) for value in reading.facts[name].values}
        numbered = len(shapes) == 1 and "0" in next(iter(shapes))
        reading.roles[name] = "left out: each value holds other problems" if numbered else "task"
        reading.task = "" if numbered else name
    elif twin and (twin != problem or again or not above):
        reading.leave(name, [twin])
    elif problem and again and not above and texts.follows(name, [*cell, problem]):
        reading.leave(name, [problem])
    return name in reading.roles


def _crossed(reading: Reading, name: str, cell: list[str], few: list[str]) -> tuple[float, float]:
    """How a column is crossed with model and task, and problems that come again.

    Where none of these varies: with the best of the others.
    """
    texts, problem = reading.texts, reading.problem
    if cell:
        share, apart = texts.crossed(name, cell)
    else:
        pairs = [(0.0, 1.0) if len(few) > 2 else (1.0, 0.0)]
        for other in few:
            free = other not in (name, problem) and texts.count([other]) > 1
            if free and not (texts.follows(name, [other]) or texts.follows(other, [name])):
                pairs.append(texts.crossed(name, [other]))
        share, apart = max(pairs, key=lambda pair: pair[0] - 2 * pair[1])
    again = reading.comes_again() and not reading.is_above(name)
    unmet = again and texts.crossed(name, [problem])[0] < 0.6
    return min(share, 0.49) if unmet else share, apart


def _is_kept(reading: Reading, name: str) -> bool:
    """Whether a column is a setting by its name and differs within a cell: never pooled unsaid."""
    facts, above = reading.facts[name], name.lstrip("^/").split(".")[:-1]
    called = weight("setting", name) >= SURE or any(map(CONFIG.search, above))
    few = facts.distinct <= FEW_VALUES and not facts.dated
    if name in reading.cell or "determine" in reading.roles.get(name, "") or not (called and few):
        return False
    return not reading.texts.follows(name, reading.cell)


def _apart_note(name: str) -> str:
    return f"{name.lstrip('/')} is not crossed with the rest, and kept apart"


def _take_problem(reading: Reading) -> None:
    """Where settings alone tell records apart, take the one with most values for the problem.

    A grade is of a problem; a figure of single grades would show none that is shared.
    """
    names = [name for name in reading.settings if not reading.is_above(name)]
    most = max(names, key=lambda name: reading.facts[name].distinct, default="")
    if most and reading.facts[most].distinct >= PROBLEMS and reading.texts.unique(reading.cell):
        reading.settings.remove(most)
        if reading.facts[most].type == "float":
            reading.roles[most] = "left out: a number of each record"
        else:
            reading.problem = most
            reading.notes.append(f"no name says so, but {most} is taken for the problem")


# -------------------------------------------------------------------------------------- repetitions


def _choose_repetition(reading: Reading) -> None:
    """Repetitions: numbers, names or dates that tell apart what the rest leaves alike.

    Before dates come further columns: what is pooled in silence might be a setting.
    """
    facts, texts = reading.facts, reading.texts
    reading.unique = texts.unique(reading.key)
    for name in [*_repeating(reading, "epoch"), "", *_repeating(reading, "time")]:
        if reading.unique:
            break
        key = [*reading.key, *filter(None, [name])]
        anew = not name or (facts[name].type == "int" and not reading.problem)
        more = _apart(reading, key) if anew else []
        if not texts.unique([*key, *more]):
            continue
        reading.unique = True
        reading.settings += more
        reading.notes += [] if name else map(_apart_note, more)
        attempts = name and facts[name].type == "text" and not facts[name].dated
        attempts = attempts and not reading.problem and weight("time", name) < 2
        setattr(reading, "problem" if attempts else "repetition", name or reading.repetition)
    for name in list(reading.settings):
        repeats = weight("epoch", name) - weight("setting", name) > 1
        numbers = weight("sample_id", name) >= LEAST["model"] and facts[name].type == "int"
        if (repeats or numbers) and not reading.repetition:
            reading.settings.remove(name)
            reading.repetition = name


def _apart(reading: Reading, key: Sequence[str]) -> list[str]:
    """Up to three columns that may be settings and tell all apart that a key leaves alike."""
    texts, facts, more = reading.texts, reading.facts, list[str]()
    ways = [
        name
        for name in reading.names
        if name not in key
        and facts[name].distinct <= FEW_VALUES
        and facts[name].type in ("text", "int")
        and not facts[name].dated
        and max(weight(role, name) for role in ("outcome", "count", "not_score")) < 1
    ]
    while ways and len(more) < 3 and not texts.unique([*key, *more]):
        more.append(max(ways, key=lambda n: texts.count([*key, *more, n]) - facts[n].distinct))
        ways.remove(more[-1])
    return more if texts.unique([*key, *more]) else []


def _repeating(reading: Reading, role: str) -> list[str]:
    """Columns that may number repetitions, by their names or as dates, the likeliest first."""
    names = []
    for name in (name for name in reading.names if name not in reading.key):
        facts, time = reading.facts[name], role == "time"
        value = max(weight(role, name), 3.0 * facts.dated) / 2 if time else weight(role, name)
        few = facts.distinct < 0.98 * reading.texts.rows or facts.type == "int"
        if value > 0.9 and not facts.missing and few:
            names.append((-value, name))
    return [name for _, name in sorted(names)]
