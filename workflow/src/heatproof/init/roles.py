"""What each column is, given the score: facts decide, names weigh."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from heatproof.init.facts import Texts
from heatproof.init.words import Layout, is_model, verdict, weight

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.init.facts import Facts
    from heatproof.init.frame import Frame

ABOVE = ("path", "hole", "head", "sidecar")
"""Kinds of places that hold what records have in common: settings, rather than results."""
PRIOR = 1.2
"""Weight of such a place for a setting."""


class Least(NamedTuple):
    """How much a column must speak for a role."""

    model: float = 1.9
    one_model: float = 2.4
    """A model that is the same in all records."""
    task: float = 1.5
    problem: float = 1.6
    setting: float = 2.0
    sure: float = 2.4
    """A setting by its name alone, which is never pooled in silence."""
    score: float = 1.6


LEAST = Least()
FREE = 0.1
"""Distance of shares (`Texts.crossed`) up to which a column does not depend on units."""
OUTCOME = 0.3
"""From which it depends on them: it is a result."""
MOST_VALUES = 400
FEW_VALUES = 30
PROBLEMS = 5
"""Values from which a setting may be the problem after all."""


@dataclass
class Reading:
    """What the columns of a frame are, if one of them is the score."""

    frame: Frame
    facts: dict[str, Facts]
    texts: Texts
    score: str
    weight: float
    """How much speaks for this score."""
    model: str = ""
    task: str = ""
    problem: str = ""
    repetition: str = ""
    settings: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    """Column → its role, or why it is left out."""
    notes: list[str] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    """What is known of records of this harness."""
    unique: bool = True
    """Whether model, task, settings, problem and repetition tell all records apart."""

    @property
    def cell(self) -> list[str]:
        """The columns that tell cells apart."""
        names = [self.model, self.task, *self.settings]
        return [name for name in names if name in self.texts.data.columns]

    def part(self, name: str) -> str:
        """The kind of the place of a column."""
        return self.frame.places[name].part

    def is_above(self, name: str) -> bool:
        return self.part(name) in ABOVE


def score_weight(facts: Facts, rows: int) -> float:
    """How likely a column is the score, by its name and its values alone."""
    if facts.type in ("long", "empty"):
        return -9.0
    total = weight("score", facts.name) - weight("not_score", facts.name)
    total -= 6.0 * (facts.distinct <= 1)
    if facts.type == "bool":
        total += 1.2
    elif facts.type == "text":
        verdicts = [verdict(value) is not None for value in facts.values]
        told_apart = all(verdicts) and 2 <= facts.distinct <= 4
        total += 1.0 if told_apart else -0.5 if facts.distinct <= 4 else -9.0
    elif facts.type == "int" and facts.low >= 0 and facts.high == 1:
        total += 1.0
    elif facts.low >= 0 and facts.high <= 1:
        total += 0.7
    elif facts.low >= -10 and facts.high <= 100:
        total += 0.3
    else:
        total -= 1.0
    return total - 1.5 * facts.missing + 0.15 * len(str(rows))


def infer(
    frame: Frame, facts: dict[str, Facts], score: str, score_weight_: float, layout: Layout
) -> Reading:
    """The roles of all other columns, given the score."""
    reading = Reading(frame, facts, Texts(frame, []), score, score_weight_, layout=layout)
    reading.roles[score] = "score"
    names = _varying(reading)
    reading.texts = Texts(frame, names)
    few = [name for name in names if reading.is_above(name) or _is_few(reading, name)]
    _choose_model(reading, few)
    _choose_task(reading, few)
    _choose_problem(reading, names)
    _choose_settings(reading, few)
    _choose_repetition(reading, names)
    roles = {
        reading.model: "model", reading.task: "task",
        reading.problem: "problem", reading.repetition: "repetition",
    }  # fmt: skip
    for name in filter(None, roles):
        reading.roles.setdefault(name, roles[name])
    reading.roles |= dict.fromkeys(reading.settings, "setting")
    for name in names:
        reading.roles.setdefault(name, "left out: tells no runs apart")
    return reading


def _varying(reading: Reading) -> list[str]:
    """The columns that may have a role: not alike in all records, no texts of sentences."""
    names = []
    for facts in reading.facts.values():
        name = facts.name
        if name == reading.score or reading.part(name) == "index":
            continue
        if facts.type == "long":
            reading.roles[name] = "left out: text"
        elif facts.constant:
            reading.roles[name] = f"left out: always {str(facts.values[0])[:40]}"
        elif facts.type != "empty":
            names.append(name)
    return names


def _is_few(reading: Reading, name: str) -> bool:
    """Whether a column has so few values that it may name settings."""
    by_name = max(weight(role, name) for role in ("model", "task", "setting")) >= LEAST.model
    rows = reading.texts.rows
    return reading.facts[name].distinct <= min(MOST_VALUES, max(2, rows if by_name else rows / 2))


def _best(
    reading: Reading, role: str, names: Sequence[str], value: Callable[[str], float], least: float
) -> str:
    """The column of a role that a layout knows, or that of the highest value if it is enough."""
    column = reading.layout.roles.get(role, "")
    if column in names:
        return column
    best = max(names, key=value, default="")
    return best if best and value(best) >= least else ""


# ---------------------------------------------------------------------------- model, task, problem


def _choose_model(reading: Reading, few: list[str]) -> None:
    facts = reading.facts

    def value(name: str) -> float:
        if facts[name].type not in ("text", "int", "bool"):
            return -9.0
        models = sum(map(is_model, facts[name].values)) / max(len(facts[name].values), 1)
        looks = 2.2 * models if models >= 0.4 else 0.0
        lacks = 40 * max(0.0, facts[name].missing - 0.02) + 3 * (facts[name].type != "text")
        return weight("model", name) - weight("not_model", name) + looks - lacks

    reading.model = _best(reading, "model", few, value, LEAST.model)
    if not reading.model:
        alike = [f.name for f in facts.values() if f.constant and f.type == "text"]
        by_name = _best(
            reading, "", alike, lambda n: weight("model", n) - weight("not_model", n),
            LEAST.one_model,
        )  # fmt: skip
        if by_name:
            reading.model, reading.roles[by_name] = by_name, "model (one)"


def _choose_task(reading: Reading, few: list[str]) -> None:
    facts, rows = reading.facts, reading.texts.rows

    def value(name: str) -> float:
        if name == reading.model or facts[name].type != "text":
            return -9.0
        lacks = 40 * max(0.0, facts[name].missing - 0.02) + 2 * (facts[name].distinct > rows / 4)
        return weight("task", name) - weight("not_task", name) - lacks

    reading.task = _best(reading, "task", few, value, LEAST.task)


def _choose_problem(reading: Reading, names: list[str]) -> None:
    """The problem: named so, it comes again in other runs, or is the only one of each record."""
    facts, texts = reading.facts, reading.texts
    used = [name for name in (reading.model, reading.task) if name in texts.data.columns]

    def value(name: str) -> float:
        column = facts[name]
        if name in used or column.type == "float" or column.missing > 0.05 or column.dated:
            return -9.0
        if reading.model in used and texts.follows(name, [reading.model]):
            return -9.0
        total = weight("sample_id", name) - weight("not_id", name)
        if column.distinct >= 0.98 * texts.rows and texts.rows > 20 and len(reading.cell) > 0:
            return total - 1.5  # it names records, not problems: those come again
        total += 0.4 * (texts.count([*used, name]) > 0.9 * texts.rows) + 0.6 * (
            column.distinct >= 8
        )
        return total - 1.5 * (reading.is_above(name) and reading.part(name) != "hole")

    reading.problem = _best(reading, "problem", names, value, LEAST.problem)
    task = reading.task
    likely = weight("task", task) >= LEAST.sure
    if reading.problem and task in used and not likely and texts.follows(task, [reading.problem]):
        reading.roles[task] = f"left out: {reading.problem} determines it"
        reading.task = ""


# ----------------------------------------------------------------------------------------- settings


def _choose_settings(reading: Reading, few: list[str]) -> None:
    """Settings: crossed with what a run is of. What depends on a run's result is an outcome."""
    used = [reading.model, reading.task, reading.problem]
    candidates = [name for name in few if name not in used]
    weighed = [(value, name) for name in candidates if (value := _as_setting(reading, name, few))]
    weighed.sort(key=lambda pair: -pair[0])
    for _, name in weighed:
        _add_setting(reading, name)
    for name in reversed(reading.settings):
        others = [other for other in reading.cell if other != name]
        if len(reading.settings) > 1 and reading.texts.follows(name, others):
            reading.settings.remove(name)
            reading.roles[name] = f"left out: {_listed(others)} determine it"
    _keep_named_settings(reading, candidates)
    if not reading.problem and _is_grade(reading.facts[reading.score]):
        _take_problem(reading)


def _is_grade(facts: Facts) -> bool:
    """Whether a score is right or wrong, as of single problems."""
    return facts.type in ("bool", "text") or (facts.type == "int" and facts.high <= 1)


def _take_problem(reading: Reading) -> None:
    """Where settings alone tell records apart, take the one with most values for the problem.

    A grade is of a problem; a figure of single grades would show none that is shared.
    """
    names = [name for name in reading.settings if not reading.is_above(name)]
    most = max(names, key=lambda name: reading.facts[name].distinct, default="")
    if most and reading.facts[most].distinct >= PROBLEMS and reading.texts.unique(reading.cell):
        reading.settings.remove(most)
        reading.problem = most
        reading.notes.append(f"no name says so, but {most} is taken for the problem")


def _as_setting(reading: Reading, name: str, few: list[str]) -> float:
    """How much speaks for a setting; 0: it is none, and `roles` says why."""
    texts, roles, problem = reading.texts, reading.roles, reading.problem
    cell = [other for other in (reading.model, reading.task) if texts.count([other]) > 1]
    if why := _determined(reading, name, cell):
        roles[name] = why
        return 0.0
    fits, crossed = _fit(reading, name, cell, few)
    total = _setting_name(reading, name) + fits if fits > -9 else 0.0
    odd = sum(weight(role, name) for role in ("score", "time", "outcome", "count"))
    if crossed and odd < 1:
        total = max(total, LEAST.setting + 0.5)
    if total >= LEAST.setting:
        return total
    of_problem = bool(problem) and texts.follows(name, [problem])
    dated = reading.facts[name].dated
    if reading.part(name) in ("path", "hole") and not (dated or of_problem):
        _note_apart(reading, [name])
        return max(total, 0.1)
    roles[name] = f"left out: not crossed with {_listed(cell) or 'the rest'}, as a result would be"
    return 0.0


def _determined(reading: Reading, name: str, cell: list[str]) -> str:
    """Why a column is none of the settings, as others determine it; empty if they do not."""
    texts, problem, above = reading.texts, reading.problem, reading.is_above(name)
    again = _comes_again(reading)
    twin = next((o for o in (*cell, problem) if o and texts.follows(name, [o])), "")
    if twin and twin == problem and above and again and not reading.task:
        return _split_task(reading, name)
    if twin and (twin != problem or again or not above):
        return f"left out: {twin} determines it"
    if problem and again and not above and texts.follows(name, [*cell, problem]):
        return f"left out: {problem} determines it"
    return ""


def _comes_again(reading: Reading) -> bool:
    """Whether problems come again in other runs."""
    problem = reading.problem
    return bool(problem) and reading.facts[problem].distinct < 0.7 * reading.texts.rows


def _fit(reading: Reading, name: str, cell: list[str], few: list[str]) -> tuple[float, bool]:
    """How well a column is crossed with the rest, and whether it is so on its own.

    -9: it depends on the results of runs.
    """
    texts, above = reading.texts, reading.is_above(name)
    share, apart = texts.crossed(name, cell) if cell else _crossed_alone(reading, name, few)
    if _comes_again(reading) and not above and texts.crossed(name, [reading.problem])[0] < 0.6:
        share = min(share, 0.49)
    small = bool(cell) and reading.facts[name].distinct <= 12 and share < 0.6
    if small and texts.balanced(name, cell) >= 0.75:
        return 2.0, False
    if not above and (share < 0.5 or apart > OUTCOME):
        return -9.0, False
    return 2.0 * share - 4.0 * max(0.0, apart - FREE), share >= 0.9 and apart <= FREE / 2


def _setting_name(reading: Reading, name: str) -> float:
    """What the name, place and type of a column speak for a setting."""
    facts = reading.facts[name]
    total = weight("setting", name) + PRIOR * reading.is_above(name)
    total -= sum(weight(role, name) for role in ("outcome", "count", "stderr"))
    total -= max(0.0, weight("score", name) - 0.5) + 0.7 * weight("time", name)
    if not reading.is_above(name) and not weight("setting", name):
        total -= 0.8 * weight("not_score", name)
    return total - 6.0 * facts.dated - 3.0 * (facts.distinct > 60 and facts.type == "float")


def _split_task(reading: Reading, name: str) -> str:
    """Take a part of the path whose values have problems of their own for the task, if it names."""
    shapes = {re.sub(r"\d+", "0", str(value)) for value in reading.facts[name].values}
    if len(shapes) > 1 or "0" not in next(iter(shapes)):
        reading.task = name
        return "task"
    return "left out: each value holds other problems"


def _crossed_alone(reading: Reading, name: str, few: list[str]) -> tuple[float, float]:
    """As `Texts.crossed`, where neither model nor task varies: with the best of the others."""
    texts = reading.texts
    others = [
        other
        for other in few
        if other not in (name, reading.problem)
        and texts.count([other]) > 1
        and not texts.follows(name, [other])
        and not texts.follows(other, [name])
    ]
    if len(few) <= 2:
        return 1.0, 0.0
    pairs = [(0.0, 1.0), *(texts.crossed(name, [other]) for other in others)]
    return max(pairs, key=lambda pair: pair[0] - 2 * pair[1])


def _add_setting(reading: Reading, name: str) -> None:
    """Add a setting, unless those before it determine it."""
    texts, settings = reading.texts, reading.settings
    twin = next((other for other in settings if texts.follows(name, [other])), "")
    if twin and reading.part(twin) == "path" != reading.part(name) and texts.follows(twin, [name]):
        settings[settings.index(twin)] = name  # the record says what the path says
        reading.roles[twin] = f"left out: {name} determines it"
    elif twin or (len(settings) >= 2 and texts.follows(name, settings)):
        reading.roles[name] = f"left out: {twin or _listed(settings)} determines it"
    else:
        settings.append(name)


def _keep_named_settings(reading: Reading, candidates: list[str]) -> None:
    """What is a setting by its name, and differs within a cell, is never pooled in silence."""
    for name in sorted(candidates, key=lambda name: reading.facts[name].distinct):
        facts, above = reading.facts[name], name.lstrip("^/").split(".")[:-1]
        inside = any(re.search(r"(?i)config|param|args|setting|sampling|option", p) for p in above)
        if name in reading.cell or not (weight("setting", name) >= LEAST.sure or inside):
            continue
        determined = reading.texts.follows(name, reading.cell)
        determined = determined or "determine" in reading.roles.get(name, "")
        if facts.distinct <= FEW_VALUES and not facts.dated and not determined:
            reading.settings.append(name)
            _note_apart(reading, [name])


# -------------------------------------------------------------------------------------- repetitions


def _choose_repetition(reading: Reading, names: list[str]) -> None:
    """Repetitions: numbers or names that tell apart what the rest leaves alike."""
    facts, texts = reading.facts, reading.texts
    key = [*reading.cell, *([reading.problem] if reading.problem else [])]
    reading.unique = texts.unique(key)
    column = reading.layout.roles.get("repetition", "")
    likely = [column] if column in names else _repeating(reading, names)
    numbers = [name for name in likely if facts[name].type == "int" and weight("epoch", name) >= 2]
    for name in numbers[:2]:
        if not (reading.unique or reading.problem):
            _number_anew(reading, name, names)
    for name in likely:
        if not reading.unique and texts.unique([*key, name]):
            _repeat_by(reading, name)
    if not reading.unique:
        _tell_apart(reading, names)
    for name in list(reading.settings):
        repeats = weight("epoch", name) - weight("setting", name) > 1
        if repeats and not reading.repetition:
            reading.settings.remove(name)
            reading.repetition = name


def _repeat_by(reading: Reading, name: str) -> None:
    """Take a column for that of repetitions; or of problems, if attempts have names."""
    reading.unique = True
    by_name = reading.facts[name].type == "text" and weight("time", name) < 2
    if by_name and not (reading.problem or reading.facts[name].dated):
        reading.problem = name
    else:
        reading.repetition = name


def _tell_apart(reading: Reading, names: list[str]) -> None:
    """Keep columns apart that tell all records apart, though they are not crossed with the rest.

    Nested designs: what is pooled in silence might be a setting.
    """
    texts, facts = reading.texts, reading.facts
    key = [*reading.cell, *([reading.problem] if reading.problem else [])]
    more: list[str] = []
    while len(more) < 3 and not texts.unique([*key, *more]):
        ways = [
            name
            for name in names
            if name not in (*key, *more)
            and facts[name].distinct <= FEW_VALUES
            and facts[name].type in ("text", "int")
            and not facts[name].dated
            and max(weight(role, name) for role in ("outcome", "count", "not_score")) < 1
            and texts.count([*key, *more, name]) > texts.count([*key, *more])
        ]
        if not ways:
            return
        more.append(max(ways, key=lambda name: texts.count([*key, *more, name])))
    reading.settings += more
    reading.unique = True
    _note_apart(reading, more)


def _number_anew(reading: Reading, name: str, names: list[str]) -> None:
    """Add the settings in each value of which repetitions are numbered anew."""
    texts, facts = reading.texts, reading.facts
    more: list[str] = []
    while len(more) < 3 and not texts.unique([*reading.cell, name, *more]):
        ways = [
            other
            for other in names
            if other not in (*reading.cell, name, *more, reading.problem)
            and facts[other].distinct <= 20
            and facts[other].type == "text"
            and weight("outcome", other) < 2
        ]
        best = max(
            ways,
            key=lambda o: texts.count([*reading.cell, name, *more, o]) - facts[o].distinct,
            default="",
        )
        if not best:
            return
        more.append(best)
    if texts.unique([*reading.cell, name, *more]):
        reading.settings += more
        reading.repetition, reading.unique = name, True


def _repeating(reading: Reading, names: list[str]) -> list[str]:
    """Columns that may number repetitions, the likeliest first."""
    facts, rows = reading.facts, reading.texts.rows

    def value(name: str) -> float:
        return max(weight("epoch", name), 0.5 * weight("time", name), float(facts[name].dated))

    likely = [
        name
        for name in names
        if name not in (*reading.cell, reading.problem)
        and value(name) > 0.9
        and not facts[name].missing
        and (facts[name].distinct < 0.98 * rows or facts[name].type == "int")
    ]
    return sorted(likely, key=value, reverse=True)


def _note_apart(reading: Reading, names: Sequence[str]) -> None:
    """Tell of settings that not each model, task and problem meets."""
    for name in names:
        reading.notes.append(f"{name.lstrip('/')} is not crossed with the rest, and kept apart")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.lstrip("/") for name in names)
