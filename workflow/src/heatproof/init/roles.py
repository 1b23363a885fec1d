"""What each column is, given the score: facts of columns and of pairs decide, names weigh."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import combinations, permutations
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from heatproof.init.evidence import ALIKE, PLACE, UNIQUE, Evidence
from heatproof.init.facts import (
    benchmarks,
    holds,
    is_amount,
    is_state,
    may_be_score,
    models,
    names_score,
    score_name,
    score_names,
    weight,
    weights,
    words,
)
from heatproof.init.frame import begins_as_target, kind
from heatproof.init.games import OPPONENT
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.formats.grading import Grade
    from heatproof.init.facts import Facts
    from heatproof.init.frame import Frame

CONFIG = re.compile(r"(?i)config|param|args|setting|sampling|option")
"""Names of objects that hold settings."""
LEAST = {"model": 1.9, "task": 1.5, "sample_id": 1.6, "score": 1.1}
"""Role → how much a column must speak for it."""
LACKING = 0.02  # part of the records that may lack a model or a task
DIGITS = 5  # of a number that is set, and a point
PLACES = 1.5  # of a ranking, for each place that somebody has
KNOWN = 9.0  # weight of a column whose role a layout says
VERSION = r"v?\d+(\.\d+)+"
NUMBERED = re.compile(rf"(?!{VERSION}$)\d[\d\W_T]*|[0-9a-f]{{7,}}")
"""Numbers, dates and hashes, which say nothing of what they name; a version, 1.5.2, does."""
SCORERS = (["metric"], ["metric", "name"], ["metric", "type"], ["scorer"])
UNNAMED = re.compile(r"/part_\d+")
SURE = 2.0  # weight of a name that is a setting, never pooled in silence
SWEPT = 0.5  # weight of a name from which a number of many values may be one
IN_FILES = 0.5  # part of the records from which an id is another in each file
AGAIN = 0.98  # part of the records below which values come again
IDS = 2.0  # weight of a name of ids
PRIOR = 1.2  # what a text speaks for being the problem
IN_PATHS = 0.87  # how much of that a part of paths speaks: records that name models are surer
SHARED = 1.2  # what a column speaks for the rows, of which each file has every value once
SUMMARY, COUNTED = 10, 1.5  # records of a summary; weight of a name of a number of samples
FEW_VALUES, MOST_VALUES = 30, 400  # of a column that may be a setting by its values, by its place
WORDS_OF_NAME, WORDS_OF_TITLE = 5, 3
"""Words of a model, at most; of one that stands alone, and need not be called so."""
NAMES = 0.9  # share of the rows from which values are names of these
ASKED_VALUES = 12  # of a column that is asked about
FEWEST = attrgetter("distinct")
VERSIONS = 4  # of a problem: values of a column that tells them apart
PROBLEMS = 5  # values from which a setting may be the problem after all
UNNAMED_TIMES, PROBLEMS_LEAST, HINTED = 5, 8, 0.4
"""Records of a model and a value, from which it is a setting: few values, a name that hints so."""
NESTED = 0.8  # weight of a name of groups of problems
BENCHMARKS = 0.5  # benchmarks that are named, for each value of tasks
BENCHMARK = 2.0  # weight of a name of tasks that are no groups of problems
TARGET = 2.5  # weight of a name of what was expected
GROUPS, ATTRIBUTES = 12, 3  # of problems: in an attribute, and attributes, that are kept
REPEATED = 0.9  # weight of a name of repetitions
STEPS, EVEN = 5, 0.99  # numbers that may be steps of a curve; how alike these steps are
MORE = 10  # columns of which some may tell equal records apart
LEFT, TOLD = "left out: ", 4
"""Before a reason; columns that are named as one."""
DECIDED = f"{LEFT}differs from answer to answer"
SCORE_TOO = f"{LEFT}may be a score too: heatproof init FOLDER --score NAME"


def listed(names: Iterable[str]) -> str:
    """Columns in a few words."""
    return ", ".join(name.strip("/{}") for name in names)


def _oddness(facts: Facts) -> float:
    """How much the name and the values of a column speak for an outcome."""
    if _is_size(facts):
        return 0.0
    odd = sum(weight(role, facts.name) for role in ("outcome", "stderr", "spent"))
    counted = re.sub(r"(^|.*[.^])(n|num)_(?=.)", "", facts.name)  # n_ctx may be a setting
    odd += weight("count", counted)
    odd += 2.0 * is_state(facts)
    odd += any(weight("score", key) >= SURE for key in facts.name.split(".")[:-1])
    if facts.type != "text":
        as_score = max(weight("score", facts.name), score_name(facts.name))  # as of pass_at_5
        odd += max(0.0, as_score - 0.5)
    if facts.type == "float" and not _may_be_set(facts):
        odd += 3.0
    measured = not set(words(facts.name)).isdisjoint(weights()["units"])
    if facts.type in ("int", "float") and measured and weight("setting", facts.name) < SWEPT:
        odd += 3.0
    if _is_release(facts):
        return odd
    return odd + weight("time", facts.name) + (6.0 if facts.dated else 0.0)


def _speaks_against_setting(facts: Facts) -> float:
    """How much the name and the values of a column speak for anything but a setting."""
    if _is_size(facts):
        return 0.0
    return max(_oddness(facts), weight("not_score", facts.name))


def _is_size(facts: Facts) -> bool:
    """Whether a rank is that of a matrix, as of an adapter, and no place in a ranking."""
    is_place = facts.high - facts.low < PLACES * facts.distinct
    return facts.type == "int" and words(facts.name)[-1:] == ["rank"] and not is_place


def _is_called_setting(name: str) -> bool:
    """Whether a column, or an object that holds it, is called a setting."""
    objects = name.lstrip("^/").split(".")[:-1]
    return weight("setting", name) >= SURE or any(map(CONFIG.search, objects))


def _is_measured(facts: Facts) -> bool:
    """Whether numbers are many, or have more digits than a person sets."""
    if facts.distinct > FEW_VALUES:
        return True
    digits = [f"{value:.9e}".partition("e")[0].strip("-0.").rstrip("0") for value in facts.values]
    return sum(len(text) > DIGITS for text in digits) > len(digits) / 2


def _may_be_set(facts: Facts) -> bool:
    """Whether a person may have set these numbers: they are called so, or few and round."""
    return weight("setting", facts.name) >= SWEPT or not _is_measured(facts)


def _is_sentence(facts: Facts) -> bool:
    """Whether most values are words on models, such as a hypothesis, rather than names."""
    sentences = [value for value in facts.values if len(str(value).split()) > WORDS_OF_NAME]
    return 2 * len(sentences) > len(facts.values)


def _speaks_for_model(facts: Facts) -> float:
    """How much the values of a column speak for models; who judges is none that is judged."""
    if holds("judges", facts.name) or facts.prompt or _is_sentence(facts):
        return -9.0
    if set(map(str, facts.values)) <= set(weights()["backends"]):
        return -9.0
    # What is said of a whole document, as the title of a test, names models in passing.
    if facts.constant and max(len(str(value).split()) for value in facts.values) > WORDS_OF_TITLE:
        return 0.0
    share = models(facts.values)
    return 2.2 * share if share >= 0.4 else 0.0


def _is_tally(facts: Facts) -> bool:
    """Whether numbers count what a plural names, such as test_timeouts."""
    last = words(facts.name)[-1:] or [""]
    return facts.type == "int" and last[0].endswith("s") and weight("setting", facts.name) < SWEPT


def _is_release(facts: Facts) -> bool:
    """Whether a column may name or date a few releases, rather than each record or run."""
    above = kind(facts.name) in ("path", "hole", "head")
    return above and facts.distinct <= ASKED_VALUES and not facts.stamped


@dataclass(frozen=True)
class Given:
    """What a person said of logs."""

    score: str = ""  # its column
    roles: Mapping[str, str] = field(default_factory=dict)  # column → `setting`, or `pooled`
    keys: Mapping[str, Any] = field(default_factory=dict)  # of the entry
    values: Mapping[str, list[Any]] = field(default_factory=dict)
    """Column → its values in the records that are drawn."""
    places: tuple[str, ...] = ()  # of the records, of several places of one shape
    grade: Grade | None = None  # how answers are graded

    def with_answer(self, answer: Given) -> Given:
        """All that was said, and an answer."""
        return Given(
            answer.score or self.score,
            {**self.roles, **answer.roles},
            {**self.keys, **answer.keys},
            {**self.values, **answer.values},
            answer.places or self.places,
            answer.grade or self.grade,
        )


class Reading:
    """What the columns of a frame are, if one of them is the score.

    `given`: what a person said.
    """

    def __init__(self, frame: Frame, score: str, given: Given) -> None:
        self.frame, self.score, self.given = frame, score, given.roles
        self.facts, self.layout = frame.facts, frame.layout
        self.model = self.task = self.problem = self.repetition = ""
        self.mistaken = ""  # what is called a problem, and is none
        self.settings: list[str] = []
        self.attributes: list[str] = []
        """Columns that problems determine."""
        self.apart: list[str] = []
        """Settings that do not come with all others."""
        self.determined: dict[str, list[str]] = {}
        """Column that is left out → those that determine it."""
        self.roles = {score: "score", **frame.left_out}
        """Column → its role, or why it is left out."""
        self.kept: list[str] = []
        """Settings that are no repetitions, whatever they are called."""
        self.scorer = self._scorer()
        """The column of names of scores, if records have one each."""
        self.opponent: str = self.layout.get("roles", {}).get(OPPONENT, "")
        """The column of the other model, if records are games of two."""
        self.notes: list[str] = []
        self.asked: list[str] = []
        """Columns that may be settings, or what answers decide: only a person can say."""
        self.names: list[str] = []  # the columns that vary and may have a role
        self.is_of_wholes = self._is_of_wholes()
        """Whether each record sums up many, as one with an area under a curve does."""
        self._sort_out()
        self.evidence = Evidence(frame, self.names, score)
        self._set_printed_aside()
        self._set_sizes_aside()
        few = self._of_few_values()
        self.model = self._best("model", few) or self._best("model", self._constant())
        self.task = self._best("task", few)
        problem = self._best("sample_id", self.names) or self._place_of_texts()
        self.problem = problem or self._trial_of_runs()
        self._check_golds()
        self._take_keys_for_models()
        if self.problem and (frame.board or self.evidence.has_own_scales(self.problem)):
            self._keep_problems_apart()
        self._choose_settings([name for name in few if not self._is_target(name)])
        self._require_same_problems()
        aside = self._set_file_names_aside()
        self.settings = [name for name in self.settings if name not in aside]
        self.unique = self.is_unique(self.key + [self.repetition])
        """Whether model, task, settings, problem and repetition tell all records apart."""
        self._choose_repetition(aside)
        self._find_problem()
        self._settle_rest()
        if self.apart:
            self.notes.append(f"kept apart: {listed(self.apart)} (not with all others)")
        self._name_roles()

    def _name_roles(self) -> None:
        """Write the role of each column that has one."""
        for role in ("model", "task", "problem", "repetition"):
            if name := getattr(self, role):
                self.roles[name] = role
        self.roles |= dict.fromkeys(self.settings, "setting")
        if self.opponent:
            self.roles[self.opponent] = OPPONENT
        self.roles |= dict.fromkeys(self.attributes, "attribute of problems")

    def _constant(self) -> list[str]:
        return [name for name, facts in self.facts.items() if facts.constant]

    def _of_few_values(self) -> list[str]:
        """Columns that may tell cells apart: no long texts, nor very many values in records, but of
        what is called a model.
        """
        short = [name for name in self.names if self.facts[name].type != "long"]
        few: list[str] = []
        for name in short:
            is_sure = self.frame.is_above(name) or weight("model", name) >= LEAST["model"]
            if is_sure or self.facts[name].distinct <= MOST_VALUES:
                few.append(name)
        return few

    def _scorer(self) -> str:
        scorer: str = self.layout.get("roles", {}).get("scorer", "")
        plain = [f for f in self.facts.values() if f.type == "text" and f.distinct <= ASKED_VALUES]
        of_scores = [facts for facts in plain if score_names(facts.values)]
        called = [f.name for f in of_scores if words(f.name) in SCORERS or f.distinct > 1]
        return scorer or next(iter(called), "")

    def _is_of_wholes(self) -> bool:
        names = [f.name for f in self.facts.values() if f.type in ("int", "float")]
        for facts in self.facts.values():
            if kind(facts.name) == "hole" or facts.name == self.scorer:
                names += map(str, facts.values)
        graded = self.facts[self.score].type == "float"
        return graded and any(holds("whole", name) for name in names)

    def _sort_out(self) -> None:
        """Leave out texts and what does not vary."""
        for name, column in self.facts.items():
            if name == self.score:
                continue
            again = 1 < column.distinct <= min(ASKED_VALUES, len(self.frame.data) // 4)
            is_id = weight("sample_id", name) >= LEAST["sample_id"]
            if column.type == "long" and not (column.prompt or again or is_id):
                self.roles[name] = f"{LEFT}text"
            elif column.constant:
                self.roles[name] = f"{LEFT}always {str(column.values[0])[:40]}"
            elif self.given.get(name) == "pooled":
                self.roles[name] = f"{LEFT}records that differ in it are pooled"
            else:
                self.names.append(name)

    def _set_printed_aside(self) -> None:
        """Leave out numbers above the records that were printed of their scores."""
        for name in list(self.names):
            number = kind(name) == "head" and self.facts[name].type in ("int", "float")
            if number and (holds("averages", name) or self.evidence.sums_up(name)):
                self.names.remove(name)
                self.roles[name] = f"{LEFT}printed of the scores below it"

    def _set_sizes_aside(self) -> None:
        """Leave out two counts of which the score is the share: they are no settings, and it sums
        up what they count.
        """
        counts = [name for name in self.names if self.facts[name].type == "int"]
        counts = [name for name in counts if not self.facts[name].missing]
        is_share = self.facts[self.score].type == "float"
        for hits, total in permutations(counts, 2) if is_share else ():
            if self.facts[hits].high > self.facts[total].high:
                continue
            if self.evidence.is_share(hits, total):
                self.is_of_wholes = self.is_of_wholes or self.facts[total].high > 1
                called = f"{LEFT}{self.score} is the share of one in the other"
                self.roles |= {hits: called, total: called}
                self.names = [name for name in self.names if name not in (hits, total)]
                return

    @property
    def cell(self) -> list[str]:
        """The columns that tell cells apart."""
        return [name for name in (self.model, self.task, *self.settings) if name in self.names]

    @property
    def is_summary(self) -> bool:
        """Whether a few records have a flag beside numbers of other samples, and no model."""
        flagged = self.facts[self.score].single and self.evidence.rows < SUMMARY
        counted = [name for name in self.facts if weight("count", name) >= COUNTED]
        return flagged and not self.model and bool(counted)

    @property
    def key(self) -> list[str]:
        """The columns that tell cells and problems apart."""
        return [*self.cell, *filter(None, [self.problem])]

    @property
    def is_told_by_time(self) -> bool:
        """Whether a date or time is the repetition: it tells all apart, and says nothing of what
        was set then.
        """
        return self.repetition in self._repeating("time", 1.8)

    def is_unique(self, names: Sequence[str], least: float = UNIQUE) -> bool:
        """Whether columns tell almost all records apart."""
        return self.evidence.is_unique(names, least)

    def _leave(self, name: str, by: Sequence[str]) -> None:
        """Leave out a column that others determine; one of them alone, if it does."""
        alone = [other for other in by if self.evidence.follows(name, [other])]
        by = alone[:1] or [other for other in by if other]
        self.determined[name] = list(by)
        reason = f"{listed(by)} determine{'' if len(by) > 1 else 's'} it"
        self.roles[name] = LEFT + (reason if len(by) <= TOLD else "the columns above determine it")
        if self._may_be_score(name):
            self.roles[name] = SCORE_TOO

    # Model, task, problem.

    def _best(self, role: str, names: Sequence[str]) -> str:
        """The column of a role that a layout knows, or the one that most speaks for it."""
        values = {name: self._speaks(role, name) for name in names}
        best = max(names, key=lambda name: values[name], default="")
        if role == "sample_id":
            best = self._finer(best, [name for name in names if values[name] >= LEAST[role]])
        return best if values.get(best, -9.0) >= LEAST[role] else ""

    def _finer(self, problem: str, likely: Sequence[str]) -> str:
        """The id that says as much as a likely problem, such as the text of a question, or more."""
        for name in likely:
            if weight("sample_id", name) < IDS or not self._comes_again(name):
                continue
            if self.evidence.follows(problem, [name]):
                return name
        return problem

    def _comes_again(self, name: str) -> bool:
        """Whether values come in several records: what is another in each names no problem."""
        return self.facts[name].distinct < AGAIN * self.evidence.rows

    def _speaks(self, role: str, name: str) -> float:
        """How much the name and the values of a column speak for model, task or problem."""
        facts = self.facts[name]
        known = self.layout.get("roles", {}).get(role) == name and facts.missing <= LACKING
        if known and not (role == "sample_id" and self._has_lines(name)):
            return KNOWN
        total = weight(role, name) - weight(f"not_{role}", name)
        if name in (*self.cell, self.score) or facts.type == "float" or facts.dated:
            return -9.0
        if role == "task" and not self.frame.is_above(name) and self.evidence.names_grades(name):
            return -9.0
        if role == "sample_id":
            return total + self._speaks_for_problem(name)
        if role == "task" and benchmarks(facts.values) >= BENCHMARKS:
            total += 2.0
        if role == "model":
            total += self._holds_models(name)
        if facts.type != "text":  # as in task3
            total -= 3.0 if role == "model" else 1.2
        return total - 40 * max(0.0, facts.missing - LACKING)

    def _holds_models(self, name: str) -> float:
        """How much the values of a column speak for the model, beside those of other columns."""
        as_model = _speaks_for_model(self.facts[name])
        if UNNAMED.fullmatch(name):
            return IN_PATHS * as_model
        if as_model > 0 and self.evidence.names_rows(name):
            return as_model + SHARED
        return as_model

    def _speaks_for_problem(self, name: str) -> float:
        """How much the values of a column speak for the problem."""
        facts, evidence = self.facts[name], self.evidence
        if self.is_of_wholes:
            return -9.0
        if facts.missing > 0.05 or evidence.follows(name, [self.model]) or self._has_lines(name):
            return -9.0
        several = evidence.count([self.model]) > 1
        total = PRIOR if facts.prompt else 0.0
        is_of_record = evidence.rows > 20 and not self._comes_again(name)
        # What two models never have is a run, unless files hold a record or two of each.
        in_files = (
            evidence.files > 1 and evidence.count([name, "$file"]) >= IN_FILES * evidence.rows
        )
        is_of_model = evidence.follows(self.model, [name]) and not (in_files and not is_of_record)
        if several and (is_of_model or is_of_record):
            total -= 2.5
        is_name = facts.type == "text" and not facts.prompt
        if is_name and self.facts[self.score].single and evidence.names_rows(name):
            total += SHARED
        again = evidence.rows >= UNNAMED_TIMES * evidence.count([self.model, name])
        few = facts.type == "text" and facts.distinct < PROBLEMS_LEAST
        hinted = max(weight("setting", name), weight("task", name)) >= HINTED
        if few and again and hinted:  # as prompt_id: cot, thinking
            total -= 2.5
        return total + 0.6 * (facts.distinct >= 8)

    def _place_of_texts(self) -> str:
        """The place in the file, where it tells which of some texts of several lines was asked;
        empty if none does.
        """
        for name in self.names:
            asked = self.facts[name].prompt or weight("sample_id", name) >= LEAST["sample_id"]
            if not asked or self.evidence.files < 2 or not self._has_lines(name):
                continue
            if self.evidence.follows(name, [self.task, PLACE]) and self._comes_again(name):
                return PLACE
        return ""

    def _trial_of_runs(self) -> str:
        """What numbers the trials of each file, where files are runs by their numbers alone, and so
        repetitions: trial 3 is the same in each. Empty if nothing does.
        """
        files = [name for name in self.names if self.evidence.names_files(name)]
        runs = [name for name in files if self._is_numbered(name)]
        if self.model or not runs or not self.facts[self.score].single:
            return ""
        trials = [n for n in self.names if weight("epoch", n) >= REPEATED and n not in files]
        trial = next(filter(self.evidence.names_rows, trials), "")
        self.repetition = runs[0] if trial else ""
        return trial

    def _has_lines(self, name: str) -> bool:
        """Whether some texts have several lines or tabs, which no name of a problem may have."""
        column = self.frame.data[name]
        return column.dtype == pl.String and bool(column.str.contains(r"[\x00-\x1f\x7f]").any())

    def _is_target(self, name: str) -> bool:
        """Whether a column holds what was expected: `answer` does beside a prediction."""
        if self.frame.board or self.is_of_wholes:
            return False
        answered = any(weight("answer", other) >= TARGET for other in self.facts if other != name)
        least = 2.0 if answered else TARGET
        begins = begins_as_target(name) and weight("setting", name) < SWEPT
        return (begins or weight("target", name) >= least) and self.facts[name].type != "float"

    def _check_golds(self) -> None:
        """Take the place in the file for the problem, where one name has several golds in a run."""
        evidence, above = self.evidence, [name for name in self.names if self.frame.is_above(name)]
        repeats = [name for name in self.names if weight("epoch", name) >= REPEATED]
        run = [name for name in (self.model, self.task, *above, *repeats) if name != self.problem]
        golds = [name for name in self.names if self._is_target(name) and name != self.problem]
        several = [name for name in golds if not evidence.follows(name, run + [self.problem])]
        if not (self.problem and several):
            return
        versions = [
            name
            for name in self.names
            if self._may_be_version(name)
            and all(evidence.follows(gold, run + [self.problem, name]) for gold in several)
        ]
        if versions:
            self.settings.append(versions[0])
            self.kept.append(versions[0])
            return
        self.notes.append(
            f"{listed([self.problem])} is no problem: one and the same has several {several[0]}"
        )
        self.problem = ""
        for key in ([self.task, PLACE], [name for name in run if name != self.model] + [PLACE]):
            if all(evidence.follows(name, key) for name in several):
                self.problem = PLACE

    def _may_be_version(self, name: str) -> bool:
        """Whether a column may tell versions of a problem apart, as one whose sides are swapped."""
        facts = self.facts[name]
        is_key = name in (self.model, self.task, self.problem) or self.frame.is_above(name)
        if is_key or self._is_target(name) or facts.type not in ("bool", "int", "text"):
            return False
        odd = max(_speaks_against_setting(facts), weight("answer", name))
        return facts.distinct <= VERSIONS and odd < 1

    def _take_keys_for_models(self) -> None:
        """Take names before single numbers for the models, where a document has nothing else.

        Keys that differ in a number are problems.
        """
        numbers = not self.facts[self.score].single and self.score not in self.frame.lists
        if self.problem != "$key" or self.cell or not numbers:
            return
        stems = {re.sub(r"\d+", "", str(value)) for value in self.facts["$key"].values}
        if len(stems) > 1:
            self.model, self.problem = self.problem, ""

    def _keep_problems_apart(self) -> None:
        """Average no printed numbers, nor scores in units of their own, over problems.

        These are tasks, or set below one.
        """
        if self.task:
            self.settings.append(self.problem)
            self.kept.append(self.problem)
        else:
            self.task = self.problem
        self.problem = ""

    def _require_same_problems(self) -> None:
        """Take no column for the problem whose values stand for other questions in each model."""
        key = self.settings + [self.task, self.problem]
        asked = [name for name in self.names if name not in key]
        asked = [n for n in asked if self.facts[n].prompt or self._is_target(n)]
        count = self.evidence.count
        others = [count(key + [name]) > 1.5 * count(key) for name in asked]
        if self.problem in ("", PLACE) or not others or not all(others):
            return
        if not any(self.evidence.ends_alike(name, key) for name in asked):
            self.mistaken = self.problem
            self.notes.append(
                f"{self.problem} is no problem: {listed(asked)} differ{'' if asked[1:] else 's'} "
                "where it does not"
            )
            facts = self.facts[self.problem]
            plain = self.facts[self.score].single or not self.is_unique(self.key)
            if plain and facts.type == "text" and facts.distinct <= FEW_VALUES:  # as of prompts
                self.settings.append(self.problem)
            self.problem = ""

    # Settings.

    def _choose_settings(self, few: list[str]) -> None:
        """Settings: what was set before an answer, and is not told by what stands already."""
        groups: list[str] = []
        for name in few:
            if name in (self.model, self.task, self.problem, self.repetition):
                continue
            if name in (self.scorer, self.opponent):
                self.settings.append(name)
                continue
            if not (self._is_told(name, groups) or self._is_outcome(name)):
                self.settings.append(name)
        self._stand_in_for_texts()
        self._place_groups(groups)
        self._drop_told()
        self._promote()
        self._find_problem()

    def _is_told(self, name: str, groups: list[str]) -> bool:
        """Whether model, task, problem or run determine a column; adds groups of problems."""
        evidence, problem = self.evidence, self.problem
        for twin in (self.model, self.task, self.repetition):
            if evidence.count([twin]) > 1 and evidence.follows(name, [twin]):
                self._leave(name, [twin])
                return True
        if not problem or not evidence.follows(name, [self.task, problem]):
            return False
        again = evidence.count([self.task, problem]) < 0.7 * evidence.rows
        if self.frame.is_above(name) and not again:
            return False  # problems of their own in each setting
        if again and not evidence.follows(problem, [name]):
            groups.append(name)
        self._leave(name, [problem])
        return True

    def _is_outcome(self, name: str) -> bool:
        """Whether answers decide a column, as far as names and counts tell; else it is a setting.

        What is a setting by its name or place is never pooled in silence.
        """
        facts = self.facts[name]
        if self.given.get(name) == "setting" or name == self.frame.board:
            return False
        if reason := self._why_result(name):
            self.roles[name] = reason
            return True
        if kind(name) in ("path", "hole"):
            return False
        units = [other for other in (self.model, self.task, self.problem) if other in self.names]
        units = units or self._crossed_with(name)
        odd = _oddness(facts) - weight("setting", name)
        if odd < 1 and not facts.dated and self.evidence.is_regular(name, units, ALIKE):
            return False
        called = _is_called_setting(name)
        few = facts.distinct <= FEW_VALUES or (called and 2 * facts.distinct <= self.evidence.rows)
        if (called or kind(name) == "head") and odd < 1 and few:
            self.apart.append(name)
            return False
        self.roles[name] = DECIDED
        return True

    def _why_result(self, name: str) -> str:
        """Why a column is no setting, whatever the counts: answers or runs bring it."""
        facts = self.facts[name]
        if self.frame.board and facts.type == "float" and weight("setting", name) < SURE:
            return DECIDED  # another number of the table
        if self.evidence.is_missing_as_scores(name) or self._lies_in_results(name):
            return DECIDED
        if weight("sample_id", name) >= IDS and facts.distinct > FEW_VALUES:
            return DECIDED  # an id that some records lack
        if not facts.stamped:
            return ""
        of_files = [other for other in self.names if self.frame.is_of_file(other)]
        of_files = [other for other in of_files if not self.facts[other].stamped]
        is_told = self.evidence.rest_follows(name, of_files)
        return f"{LEFT}names a run by its time" if is_told else ""

    def _lies_in_results(self, name: str) -> bool:
        """Whether a number lies in an object of results, as `metrics.latency` does."""
        above = name.lstrip("^/").split(".")[:-1]
        plain = self.facts[name].type != "text" and weight("setting", name) < SWEPT
        return plain and any(holds("results", key) for key in above)

    def _stand_in_for_texts(self) -> None:
        """Keep what determines a text that was set, as no column holds such a text."""
        for name in self.names:
            facts = self.facts[name]
            if facts.type != "long" or facts.distinct > ASKED_VALUES or name == self.problem:
                continue
            if weight("sample_id", name) >= LEAST["sample_id"]:  # a question of several lines
                continue
            plain = [other for other in self.settings if not self._numbers_runs(other)]
            is_told = self.evidence.follows(name, plain + [self.model, self.task])
            if is_told or self.evidence.follows(name, [self.problem]) or self._is_outcome(name):
                continue
            short = [other for other in self.names if self.facts[other].type != "long"]
            short = [other for other in short if self.evidence.are_twins(name, other)]
            few = next(iter(short), "")
            if few:
                self.kept.append(few)
                self.settings += [few] if few not in self.settings else []
                self.notes.append(f"{listed([few])} stands for {listed([name])}, a long text")
            elif self.given.get(name) != "pooled":
                self.asked.append(name)

    def _crossed_with(self, name: str) -> list[str]:
        """The first other column of few values, where neither determines the other."""
        few = [n for n in self.names if n != name and self.facts[n].distinct <= FEW_VALUES]
        for other in few:
            if not (self.evidence.follows(name, [other]) or self.evidence.follows(other, [name])):
                return [other]
        return []

    def _drop_told(self) -> None:
        """Leave out settings that others determine: names of files first, then parts of paths."""
        ranks = {
            name: (
                not _is_tally(self.facts[name]),
                not self.facts[name].missing,
                not self.evidence.names_files(name),
                kind(name) != "path",
                -self.evidence.count([name]),
                weight("setting", name),
                -number,
            )
            for number, name in enumerate(self.settings)
        }
        # A run that is called by its time, or by its number, has settings, and says none.
        stamped = {name for name in self.cell if self.facts[name].stamped}
        numbers = {name for name in self.settings if self.repeats(name)}
        for name in sorted(ranks, key=lambda name: ranks[name]):
            aside = stamped | numbers if _is_called_setting(name) else stamped
            others = [other for other in self.cell if other != name and other not in aside]
            # A setting tells records of one problem apart; what does not may be an outcome.
            sure = self.frame.is_above(name) or weight("setting", name) >= (
                SURE if self.problem else 1.0
            )
            by = others if sure else (others + [self.problem])
            if name not in (self.scorer, self.opponent) and self.evidence.follows(name, by):
                self.settings.remove(name)
                self._leave(name, by)
        self.apart = [name for name in self.apart if name in self.settings]

    def _promote(self) -> None:
        """Take an unnamed part of paths for the model, if no column is."""
        parts = [name for name in self.settings if UNNAMED.fullmatch(name)]
        if self.model or models([self.score]) or len(parts) != 1:
            return
        values = self.facts[parts[0]].values
        if not self.task and benchmarks(values) >= BENCHMARKS:
            self.task = self._promoted(parts[0], "task")
            return
        # A file may be called as what it sums up, rather than as what it is of.
        sums_up = any(holds("summaries", str(value)) for value in values)
        versions = all(re.fullmatch(VERSION, str(value)) for value in values)
        if not (sums_up or versions or self._is_numbered(parts[0])):
            self.model = self._promoted(parts[0], "model")

    def _is_numbered(self, name: str) -> bool:
        """Whether some values are numbers, dates or hashes, which say nothing of what they name."""
        facts = self.facts[name]
        return facts.stamped or any(NUMBERED.fullmatch(str(value)) for value in facts.values)

    def _find_problem(self) -> None:
        """Take a setting for the problem of single grades, if no column is named as one.

        A figure of settings alone would show no problem that is shared.
        """
        unique = self.is_unique(self.cell + [self.repetition])
        if self.problem or not (self.facts[self.score].single and unique):
            return
        free = [name for name in self.settings if name not in self.kept]
        settings = [self.facts[name] for name in free if not self.frame.is_above(name)]
        ids = [f for f in settings if f.type != "float" and weight("epoch", f.name) < 1]
        ids = [facts for facts in ids if weight("setting", facts.name) < SURE]
        ids = [
            facts for facts in ids if not self.evidence.names_files(facts.name)
        ]  # these are runs
        most = max(ids, key=FEWEST, default=None)
        if most and most.distinct >= PROBLEMS:
            self.problem = self._promoted(most.name, "problem")

    def _promoted(self, name: str, role: str) -> str:
        """A setting that is taken for something else."""
        self.settings.remove(name)
        self.apart = [other for other in self.apart if other != name]
        self.notes.append(f"{listed([name])} is taken for the {role}, though no name says so")
        return name

    def _place_groups(self, groups: list[str]) -> None:
        """Take groups of problems for the task, if a model is all that varies; keep the others."""
        swept = [name for name in self.settings if not self._numbers_runs(name)]
        nested = bool(self.problem and self.task) and self.evidence.follows(
            self.task, [self.problem]
        )
        if (
            swept
            and nested
            and weight("task", self.task) < BENCHMARK
            and not self.frame.is_above(self.task)
        ):
            groups.insert(0, self.task)
            self.task = ""
        if not self.task:
            as_tasks = [name for name in groups if weight("task", name) >= NESTED and not swept]
            self.task = next(
                (name for name in groups if self.frame.is_above(name) or name in as_tasks), ""
            )
        for name in groups:  # files of other problems are other data, whatever these have in common
            is_told = name == self.task or self.evidence.follows(name, [self.task])
            if self.task and self.frame.is_of_file(name) and not is_told:
                self.settings.append(name)
                self.kept.append(name)
        groups = [name for name in groups if name not in self.settings]
        kinds = ("text", "bool", "int")
        facts = [self.facts[name] for name in groups if name != self.task]
        facts = [column for column in facts if not column.prompt]
        facts = [column for column in facts if not self._lies_in_results(column.name)]
        facts = [column for column in facts if not self.evidence.names_grades(column.name)]
        most = min(GROUPS, self.evidence.count([self.task, self.problem]) // 2)
        few = [f.name for f in facts if f.distinct <= most and f.type in kinds and _oddness(f) < 1]
        self.attributes = few[:ATTRIBUTES]

    def repeats(self, name: str) -> bool:
        """Whether a column numbers repetitions, by its name."""
        facts = self.facts[name]
        kept = name in self.kept or (facts.dated and _is_release(facts)) or self._trains(name)
        return weight("epoch", name) > weight("setting", name) and not kept

    def _trains(self, name: str) -> bool:
        """Whether a column counts epochs of a training, or its many steps: no repetitions."""
        if words(name)[-1:] in (["iteration"], ["iter"]):
            numbers = not self.facts[self.score].single
            return numbers and self.facts[name].distinct > ASKED_VALUES
        return words(name)[-1:] in (["epoch"], ["epochs"]) and "loss" in words(self.score)

    def _numbers_runs(self, name: str) -> bool:
        """Whether a column tells runs apart and does not say what they are of."""
        return self.repeats(name) or self.evidence.names_files(name)

    # What is left.

    def _set_file_names_aside(self) -> list[str]:
        """Leave out names of files, where records say what they are of."""
        file_names = [name for name in self.settings if self.evidence.names_files(name)]
        sure = {*self.given, *self.kept}
        plain = [n for n in file_names if kind(n) in ("path", "head") and n not in sure]
        plain = [name for name in plain if weight("setting", name) < 1]
        units = [name for name in self.key if name not in plain]
        return [name for name in plain if not self.evidence.is_regular(name, units, ALIKE)]

    def _choose_repetition(self, file_names: Sequence[str]) -> None:
        """Repetitions: numbers or names that tell apart what the rest leaves alike.

        Then come further columns: what is pooled in silence might be a setting. Names of files
        are asked about where they alone tell equal records apart; dates come last.
        """
        repeating = self._repeating("epoch", REPEATED)
        for name in repeating:
            self._try_repetition(name, UNIQUE)
        if not self.unique and (more := self._more(repeating[:1])):
            self.settings += more
            self.apart += more
            self.unique = self.is_unique(self.key)
            for name in repeating[:1]:
                self._try_repetition(name, UNIQUE)
        self._settle_file_names(file_names)
        for name in self._repeating("time", 1.8):
            self._try_repetition(name, 1.0)
        for name in list(self.settings):
            certain = weight("epoch", name) - weight("setting", name) > 1
            if certain and self.repeats(name) and not (self.repetition or self._is_step(name)):
                self.settings.remove(name)
                self.repetition = name

    def _settle_file_names(self, file_names: Sequence[str]) -> None:
        """Keep apart files whose names alone tell equal records apart; many are asked about."""
        for name in file_names:
            is_told = self.unique or self.evidence.follows(name, self.key + [self.repetition])
            if is_told or self._is_numbered(name):
                self.roles[name] = f"{LEFT}names a file"
                self._try_repetition(name, 1.0)
            elif self.facts[name].distinct > ASKED_VALUES:
                self.asked.append(name)
            else:
                self.settings.append(name)
                self.apart.append(name)
                self.unique = self.is_unique(self.key)

    def _try_repetition(self, name: str, least: float) -> None:
        """Take a column for the repetition if it tells apart what the rest leaves alike."""
        if self.unique or not self.is_unique(self.key + [name], least):
            return
        self.unique = True
        if self._is_step(name):
            self.settings.append(name)
        else:
            self.repetition = name

    def _is_step(self, name: str) -> bool:
        """Whether a column counts the steps of one course: what is solved stays solved."""
        key = [other for other in self.key if other != name]
        if not self.problem or not self.evidence.only_rises(name, key):
            return False
        self.kept.append(name)
        self.notes.append(f"{listed([name])} counts steps: no score falls from one to the next")
        return True

    def _more(self, repeating: Sequence[str]) -> list[str]:
        """Columns that may be settings and tell apart what key and repetition leave alike."""
        key = [*self.key, *repeating]
        free = [self.facts[name] for name in self.names if name not in key]
        free = [facts for facts in free if not self.evidence.names_files(facts.name)]
        few = [facts for facts in free if self._may_tell_apart(facts)]
        few = [f for f in few if _speaks_against_setting(f) < 1 and not f.prompt]
        names = [facts.name for facts in sorted(few, key=FEWEST)]
        for size in (1, 2, 3):
            for more in combinations(names[:MORE], size):
                if self.is_unique(key + list(more)):
                    return list(more)
        return self._needed(names, key)

    def _needed(self, names: Sequence[str], key: list[str]) -> list[str]:
        """The fewest of some columns that tell printed numbers apart, if all together do."""
        needed = list(names)
        if self.facts[self.score].single or not self.is_unique(key + needed):
            return []
        for name in reversed(names):
            rest = [other for other in needed if other != name]
            if self.is_unique(key + rest):
                needed = rest
        return needed

    def _may_tell_apart(self, facts: Facts) -> bool:
        """Whether a column may be a setting by its values; one of aggregates, which are no
        repetitions of each other, may have the names of many models or data sets, or be a number
        that nothing calls a setting.
        """
        of_aggregates = not self.facts[self.score].single
        if of_aggregates and self._is_even(facts):
            return True
        is_target = not of_aggregates and self._is_target(facts.name)
        if is_target or facts.distinct >= NAMES * self.evidence.rows:
            return False
        if facts.type == "float":
            return _may_be_set(facts)
        if facts.type == "text" and of_aggregates and not _is_sentence(facts):
            return True
        return (
            facts.type in ("text", "int") and facts.distinct <= FEW_VALUES and not _is_tally(facts)
        )

    def _is_even(self, facts: Facts) -> bool:
        """Whether numbers are equal steps apart, as those over which a curve is drawn."""
        if facts.type not in ("int", "float") or facts.distinct < STEPS or facts.missing:
            return False
        steps = self.frame.data[facts.name].unique().sort().diff().drop_nulls()
        low, high = steps.quantile(0.1), steps.quantile(0.9)
        return low is not None and high is not None and 0 < low > EVEN * high

    def _repeating(self, role: str, least: float) -> list[str]:
        """Columns that may number repetitions, by their names or as dates, the likeliest first."""
        repetition = self.layout.get("roles", {}).get("repetition", "")
        values: dict[str, float] = {}
        for name in self.names:
            facts = self.facts[name]
            if name in self.key or facts.missing or (facts.dated and _is_release(facts)):
                continue
            values[name] = KNOWN if name == repetition else weight(role, name)
            if role == "time" and facts.dated:
                values[name] = max(values[name], 3.0)
            # The name of a record numbers nothing: repetitions come again.
            is_name = facts.distinct > 0.5 * self.evidence.rows and facts.type == "text"
            counts = weight("epoch", name) > weight("setting", name) and not self._trains(name)
            if role == "epoch" and (is_name or facts.type == "float" or not counts):
                values[name] = -9.0
        likely = [name for name in values if values[name] > least]
        return sorted(likely, key=lambda name: -values[name])

    def _settle_rest(self) -> None:
        """Say why the others are left out; ask about those on which equal records depend."""
        roles = (*self.key, self.repetition, *self.attributes)
        for name in self.names:
            if name in roles:
                continue
            self.roles.setdefault(name, DECIDED)
            if self.roles[name] == DECIDED and self._may_be_score(name):
                self.roles[name] = SCORE_TOO
            is_swept = self.is_told_by_time and weight("setting", name) >= SWEPT
            if (is_swept or not self.unique) and name not in self.asked and self._is_unclear(name):
                self.asked.append(name)

    def _may_be_score(self, name: str) -> bool:
        """Whether a number beside the score is called as one: a person may want it instead."""
        facts = self.facts[name]
        is_grade = names_score(facts) and not is_amount(facts)
        return is_grade and facts.type in ("int", "float", "bool") and may_be_score(facts)

    def _is_unclear(self, name: str) -> bool:
        """Whether records of one cell and problem differ in a column that may be a setting.

        Nothing shows it to be harmless: no name says that answers decide it; or each problem meets
        each value once, which no answer decides.
        """
        facts, evidence, key = self.facts[name], self.evidence, self.key
        equal = evidence.count(key + [name]) == evidence.count(key)
        if equal or facts.prompt or facts.dated or self._is_target(name):
            return False
        few = facts.distinct <= ASKED_VALUES
        if few and self.problem and evidence.is_regular(name, key, 1.0):
            return True
        if max(_speaks_against_setting(facts), weight("answer", name)) >= 1:
            return False
        if weight("setting", name) >= SWEPT and 2 * facts.distinct <= evidence.rows:
            return True
        if facts.type == "text" and not self.problem:
            return few or not self.cell
        is_set = facts.type in ("text", "bool", "int")
        is_set = is_set or (facts.type == "float" and _may_be_set(facts))
        return few and is_set and (self.frame.is_above(name) or evidence.decides(name, key))
