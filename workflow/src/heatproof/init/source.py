"""A reading as a source of config.yaml; with a question, where only a person can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.roles import TAKEN
from heatproof.formats.detection import plain
from heatproof.formats.places import VALUE
from heatproof.init import doubts
from heatproof.init.evidence import PLACE
from heatproof.init.facts import (
    SENTINELS,
    direction,
    holds,
    in_words,
    models,
    verdict,
    weight,
    weights,
)
from heatproof.init.facts import words as words_of
from heatproof.init.frame import ABSENT, EQUAL, SCORER, TRUTH, kind, label
from heatproof.init.games import OPPONENT
from heatproof.init.layouts import DOCUMENTS
from heatproof.init.records import as_written
from heatproof.init.roles import LEAST, Given, Reading, listed
from heatproof.samples import tables
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.formats.grading import Grade

FIELDS = ("model", "task", "sample_id", "epoch", "scorer")
"""Columns of ours that a source gives a place."""
NO_SCORE = "no score"  # what a person says of a number such as -1
GRADES: dict[Grade, str] = {
    "exact": "is the target",
    "choice": "names the letter of the target last",
    "number": "has the number of the target last",
    "includes": "has the words of the target",
}
"""Grade → when an answer is right."""
LIKE_MODELS = 0.6  # with a share of values that look like models: of 0.4 it is enough
CROSSED = 0.9  # part of a planned experiment that must be there
RANGED = re.compile(r"[(\[](-?\d+) ?[-–] ?(\d+)[)\]]")
"""The scale of a score in its name: Accuracy (0-4)."""
TOTALS = 3  # of a count, at most
CHOICES = 4  # columns of which one alone may be a setting
LEAST_COUNT = 2.0  # weight of a name of a number of problems
GRADED = 5  # records of a file, from which it is no chance that all have one score
REACHED = 0.5  # part of the most that a score may be, which some score has
SCALES = ((-2, -1, 1), (2, 1, 5), (2, 0, 5), (5, 1, 10), (5, 0, 10), (10, 0, 100))
"""Above what the highest score lies, the lowest and the highest that there may be."""


def _names_top(name: str) -> bool:
    """Whether a name is that of the most that a score may be, and of nothing else."""
    tops, scores = weights()["tops"], ("score", "scores", "points", "marks", "of")
    name_words = words_of(name)
    return holds("tops", name) and all(word in tops or word in scores for word in name_words)


class Figure(NamedTuple):
    """A figure of a source."""

    end: str  # of its name, behind that of the source
    keys: dict[str, Any]
    what: str  # it shows, in few words


class Trial(NamedTuple):
    """What logs hold, as a run would read them."""

    source: Any = None  # as the config says it, checked
    samples: pl.DataFrame = pl.DataFrame()
    refused: str = ""  # records that were refused, and why
    part: str = ""  # how many of the logs were read, if not all
    fault: str = ""  # why a run would stop, or have nothing
    rejected: pl.DataFrame = pl.DataFrame(schema=tables.dtypes(tables.REJECTED))

    def refuses(self, kind: str) -> frozenset[str]:
        """Columns and places for which records are refused, for one kind of reason."""
        return frozenset(self.rejected.filter(kind=kind)["field"])

    def unanswered(self) -> int:
        """How many records are refused as their answers are empty."""
        empty = self.rejected.filter(kind="unscored", field="answer")
        return len(empty)

    def strangers(self) -> dict[str, str]:
        """Log that is of another form, or has no score at all → why, unless all are."""
        form = pl.col("kind") == "form"
        lacking = pl.col("kind") == "missing"
        if len(self.samples):
            lacking &= ~pl.col("log").is_in(self.samples["log"].unique().to_list())
        reason = pl.col("reason").first()
        refused = self.rejected.filter((form & pl.col("whole")) | lacking)
        refused = refused.group_by("log", maintain_order=True).agg(reason)
        is_read = len(self.samples) or len(refused) < self.rejected["log"].n_unique()
        return dict(refused.iter_rows()) if is_read else {}


@dataclass
class Source:
    """Logs and what was made of them: a source with figures, or a question."""

    paths: list[str]
    entry: dict[str, Any] = field(default_factory=dict)  # as config.yaml may say it
    metric: str = "pass@1"  # of its figures
    pooled: list[str] = field(default_factory=list)  # settings that number repetitions
    attributes: list[str] = field(default_factory=list)  # of problems
    numbers: dict[str, str] = field(default_factory=dict)
    """Name for a number of problems with many values, which is not read → its place."""
    notes: list[str] = field(default_factory=list)  # what was assumed
    roles: dict[str, str] = field(default_factory=dict)
    """Column of the logs → its role, or why it is left out."""
    guess: str = ""  # what a person should look at before it is drawn
    graded: bool = False  # whether a harness says what the score is
    ungraded: list[str] = field(default_factory=list)  # files to be left out: they have no score
    places: list[str] = field(default_factory=list)
    """What records have, where no figure is known."""
    question: str = ""  # what only a person can say
    is_mixed: bool = False  # whether nothing tells some of its numbers apart
    answers: list[tuple[str, Given]] = field(default_factory=list)
    """Of each answer its words, and what is known then."""
    is_nameable: bool = True  # whether `--score` finds the score of the first answer
    is_proposed: bool = False  # whether the first answer keeps apart all that may be settings
    options: list[tuple[str, Source]] = field(default_factory=list)
    """The words of an answer, and what would be drawn then."""
    trial: Trial = field(default_factory=Trial)
    figures: list[Figure] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)  # cells of the first figure, with a record
    chosen: list[str] = field(default_factory=list)
    """Names of scores, of several: figures say them."""
    best: str = "highest"  # or `lowest`; `none`, where nothing says which is
    rejected: list[str] = field(default_factory=list)  # why readings or figures will not do

    def ask(self, question: str, answers: Mapping[str, Given], given: Given) -> None:
        """Ask, unless a person said it: `given`; `answers`: words → what is known then."""
        keys = {key for answer in answers.values() for key in answer.keys}
        if not keys & set(given.keys):
            self.question = question
            self.answers = [(words, given.with_answer(answer)) for words, answer in answers.items()]

    @property
    def number(self) -> str:
        """The column of samples that its figures are of."""
        return self.metric.partition("(")[2].rstrip(")") or "score"

    @property
    def printed(self) -> bool:
        """Whether each record is a printed number, with no records below."""
        return self.metric.startswith("printed")


FEW = 8  # values of a number that an axis shows as they are


def free(name: str, taken: Collection[str]) -> str:
    """A name for a setting: the last part of its place, and of none of our own columns."""
    parts = [re.sub(r"\W+", "_", part).strip("_") for part in name.lstrip("^/").split(".")]
    short = parts[-1].strip("{}") or "setting"
    if short.lower() in ("name", "id", "type", "key", "value") and len(parts) > 1:
        short = f"{parts[-2]}_{short}"
    short = short if not short[0].isdigit() else f"n_{short}"
    while short in taken or short.lower() in TAKEN | {"source"}:
        short += "_"
    return short


class Draft:
    """A reading, and the source that is made of it: `source`.

    `patterns`: of its logs; `within`: what stands for an unknown model or task.
    """

    def __init__(
        self, reading: Reading, patterns: str | list[str], within: str, given: Given
    ) -> None:
        self.reading, self.frame, self.given = reading, reading.frame, given
        self.score, family = reading.facts[reading.score], self.frame.family
        self.entry: dict[str, Any] = {
            "format": family.format,
            "logs": patterns,
            **family.table,
            "only": self.frame.only,
            **doubts.keys_of_values(self.frame, given.values),
        }
        paths = family.paths
        if given.values:
            paths = sorted(set(self.frame.data["$file"]))
        self.source = Source(paths, self.entry, notes=reading.notes)
        self.note = self.source.notes.append
        self.source.best = self._best()
        self.is_printed = self._is_printed()
        self.item = reading.problem if self.is_printed and self._is_count() else ""
        """The column of problems with a count each, of which a mean is shown."""
        self.names = self._names()
        self._place_columns()
        self.fields = self.entry["fields"]
        if self.is_printed:
            self._describe_printed()
        else:
            self._describe_samples()
        present = {*self.names.values(), *self.fields}
        model = self._model_in_names() or within
        for key, value in reading.layout.get("entry", {}).items():
            more = {**self.entry.get(key, {}), **value} if isinstance(value, dict) else value
            self.entry[key] = more
        self._count_as_failed(self._failed())
        self.entry |= given.keys
        unknown = {"model": model, "task": within if "model" in present else "all"}
        constants = {**unknown, **self.entry.get("set", {})}
        self.entry["set"] = {name: constants[name] for name in constants if name not in present}
        for key in [key for key, value in self.entry.items() if value in ("", None, {}, [])]:
            del self.entry[key]
        repeats = [name for name in reading.settings if reading.repeats(name)]
        repeats = [self.names[name] for name in (*repeats, reading.repetition, self.item) if name]
        self.source.pooled = [name for name in repeats if name != "epoch"]
        self.source.attributes = [self.names[name] for name in reading.attributes]
        self.source.numbers = self._numbers_of_problems()
        self.source.guess = self._guess(given)
        self._ask_about_sentinel()
        self._ask_about_numbers()
        self._ask_about_endings()
        if reading.is_summary and not given.score:
            self.source.question = f"{self.score.name} is a flag of records that sum up others"
        if reading.asked and not self.source.question:
            self._ask_about_settings()
        self.source.roles = {
            name: role if "left out" in role else f"{role}: {reading.facts[name].contents}"
            for name, role in reading.roles.items()
            if name != PLACE
        }
        if unnamed := [n for n in self.names.values() if re.fullmatch(r"(part|key)_\d", n)]:
            self.note(f"nothing names {listed(unnamed)}: replace it throughout config.yaml")
        self.source.entry = as_written(self.entry)

    def _numbers_of_problems(self) -> dict[str, str]:
        """Name → place of numbers that problems have, too many to be kept as attributes."""
        reading = self.reading
        numbers: dict[str, str] = {}
        for name, by in reading.determined.items():
            facts = reading.facts[name]
            is_number = facts.type in ("int", "float") and name not in self.frame.texts
            is_plain = kind(name) not in ("path", "hole", "head") and not facts.missing
            if by == [reading.problem] and is_number and is_plain and facts.distinct > FEW:
                numbers[free(name, {*self.names.values(), *numbers})] = as_written(name)
        return numbers

    def _guess(self, given: Given) -> str:
        """What a person should look at before it is drawn: roles that no name bears out, and cells
        of other problems; empty if somebody said something of these logs.
        """
        reading = self.reading
        score = f"{label(reading.score)} ({self.score.contents}) is the score"
        if doubt := self._selection() or self._own_marks():
            return f"{score}; {doubt}"
        if reading.layout or given != Given():
            return ""
        if doubt := self._odd_roles():
            return f"{score}; {doubt}"
        if self._is_crossed():
            return ""
        lost = reading.mistaken and not reading.problem
        if lost and reading.repetition not in ("", reading.mistaken):
            return f"{reading.mistaken} is no problem, and records of a cell are averaged; {score}"
        set_by_name = [weight("setting", name) >= 1 for name in reading.settings]
        called = bool(self._model_in_names() or (set_by_name and all(set_by_name)))
        model_words = "all is of one model"
        if reading.model:
            facts = reading.facts[reading.model]
            called = max(weight("model", reading.model), LIKE_MODELS + models(facts.values)) >= 1
            model_words = f"{listed([reading.model])} ({facts.contents}) is the model"
        doubt = self._unfair_cells()
        if not (called or doubt):
            doubt = "no name says so"
        return f"{model_words}, {score}; {doubt}" if doubt else ""

    def _odd_roles(self) -> str:
        """Why a role is perhaps another one, whatever problems cells have; else empty."""
        reading = self.reading
        asked = [name for name in reading.settings if reading.facts[name].prompt]
        if asked and reading.problem:
            return f"{listed(asked)} is a setting, and {listed([reading.problem])} the problem"
        if reading.repetition in reading.facts and reading.facts[reading.repetition].missing:
            called = listed([reading.repetition])
            self.source.is_mixed = True
            return f"records without {called} are averaged with those that have one"
        files = self.frame.data["$file"].n_unique()
        scores = self.frame.data.select("$file", self.score.name).n_unique()
        if self.score.single or min(files, self.score.distinct) == 1:
            return ""
        alike = scores == files < len(self.frame.data) / GRADED
        return "all records of a file have the same" if alike else ""

    def _unfair_cells(self) -> str:
        """Why cells are perhaps no fair comparison; empty if each is of the same problems."""
        reading = self.reading
        if self.frame.board:
            return ""
        if not reading.problem:
            alike = not reading.unique or reading.is_told_by_time
            self.source.is_mixed = alike and not self.score.single
            if self.source.is_mixed:
                return "numbers that no column tells apart are averaged"
            return ""
        groups = [name for name in (reading.task, reading.scorer) if name in reading.names]
        problem = [reading.task, reading.problem]
        groups += [name for name in reading.settings if reading.evidence.follows(name, problem)]
        met = reading.evidence.part_met(reading.cell, reading.problem, groups)
        return "" if met >= CROSSED else f"its cells are of {met:.0%} of the problems, in the mean"

    def _selection(self) -> str:
        """That these may be some records of others, if all files are called so; else empty."""
        names = [Path(plain(path)).stem for path in self.frame.family.paths]
        if all(holds("selections", name) for name in names):
            return f"the name says that these are some records of others ({names[0]})"
        return ""

    def _own_marks(self) -> str:
        """That each score has a most of its own, as one of 3 and one of 30; else empty."""
        if self.reading.layout or self.is_printed or not (top := self._own_tops()):
            return ""
        return f"{top} is the most that each may be, and they are averaged as they are"

    def _is_crossed(self) -> bool:
        """Whether all cells have the same problems, as those of an experiment that was planned:
        its numbers are right whatever its columns are called. So are those of a printed table.
        """
        reading = self.reading
        if self.frame.board:
            rows = [n for n in reading.cell if n != reading.task and kind(n) != "hole"]
            return rows == [self.frame.board]
        is_id = weight("sample_id", reading.problem) >= LEAST["sample_id"]
        if not (is_id and reading.unique):
            return False
        count, cell = reading.evidence.count, [n for n in reading.cell if n != reading.task]
        planned = count(cell) * count([reading.task, reading.problem])
        return count(reading.key) >= CROSSED * planned

    def _model_in_names(self) -> str:
        """The model that the place of the score names, or the only file; empty if none does."""
        names = self.score.name.split(".")
        if len(self.frame.family.paths) == 1:
            names.append(Path(plain(self.frame.family.paths[0])).stem)
        return next((name for name in names if models([name])), "")

    def _best(self) -> str:
        """Which of the scores is the best; what no name says is marked nowhere, and told."""
        score, family = self.score, self.frame.family
        graded = set(map(verdict, score.values)) == {0, 1} and not holds("adverse", score.name)
        if score.name == EQUAL or graded:
            return "highest"
        known = self.reading.layout.get("best", "")
        names = [self.frame.called(score.name).name]
        for facts in self.reading.facts.values():
            if kind(facts.name) == "hole" or facts.name == self.reading.scorer:
                names += map(str, facts.values)
        each = [direction([name]) for name in names]
        one_is_lowest = set(each[1:]) == {"lowest", "none"} and each[0] == "none"  # the others?
        # Of scores below and above 0, as of too much and too little, none may be the best.
        is_signed = score.low < 0 < score.high and words_of(score.name)[-1:] == ["score"]
        best: str = known or ("none" if one_is_lowest or is_signed else direction(names))
        if best == "none" and not known:
            best = direction(Path(path).stem for path in family.paths)
        if best == "none":
            self.note(
                "best: none, as no name says whether high or low is better: write highest or "
                f"lowest ({label(score.name)})"
            )
        elif best == "lowest":
            self.note(f"best: lowest, as {label(score.name)} says so")
        return best

    def _count_as_failed(self, keys: Mapping[str, Any]) -> None:
        """Write that records with these values failed, beside those of which that is written."""
        self.entry["failed"] = {**self.entry.get("failed", {}), **keys}

    def _failed(self) -> dict[str, Any]:
        """Which records failed and have no score; asks about those that have one."""
        keys, doubt = doubts.doubt_of_failures(self.reading)
        if keys and "refused" in self.entry:
            del self.entry["refused"]
        if doubt and not self.source.question and "finished" not in self.entry:
            self._ask(doubt.question, doubt.answers)
        return keys

    def _ask_about_sentinel(self) -> None:
        """Ask what a number means that lies apart from all scores, such as -1."""
        score, numbers = self.score, self.frame.data[self.score.name]
        said = self.given.roles.get(score.name)
        if score.sentinel is None or self.source.question:
            return
        apart = numbers.filter(numbers.cast(pl.Float64).is_in(SENTINELS))
        values = list(map(int, apart.unique().sort()))
        if said == NO_SCORE:
            self._count_as_failed({self._place(): values})
        elif said and not self.is_printed:
            ends = [min(score.low, *values), max(score.high, *values)]
            self.entry["range"] = {"score": ends}
        elif not said:
            words = in_words(values, len(values))
            self.source.question = (
                f"{label(score.name)} is {words} in {len(apart):,} of {len(numbers):,} records, "
                f"and {score.low:g} to {score.high:g} in the others: what are these?"
            )
            answers = {"missing: they have no score": NO_SCORE, "scores as the others are": "score"}
            for answer, role in answers.items():
                given = self.given.with_answer(Given(roles={score.name: role}))
                self.source.answers.append((answer, given))

    def _ask_about_numbers(self) -> None:
        """Ask about scores on several scales."""
        column = next(iter(self.entry.get("aggregates") or self.entry.get("measures") or ["score"]))
        doubt = doubts.doubt_of_scales(self.reading, column)
        if doubt and not self.source.question:
            self._ask(doubt.question, doubt.answers)

    def _ask_about_endings(self) -> None:
        """Ask whether the words in which ids of problems end are a column of their own."""
        words = self.reading.evidence.endings(self.reading.problem)
        if not words or self.source.question or self.is_printed:
            return
        match = {"match": "sample_id", "pattern": rf"\d[_:-]({'|'.join(words)})$"}
        answers = {
            "versions of one problem: a figure by them": Given(
                keys={"columns": {"version": match}}
            ),
            "problems of their own": Given(keys={"columns": {}}),
        }
        ends = (
            f"{self.reading.problem} ends in {in_words(words, len(words))}, each with each number"
        )
        self._ask(f"{ends}: what are these?", answers)
        if self.given.keys.get("columns"):
            self.source.attributes.append("version")

    def _ask_about_settings(self) -> None:
        """Ask once which columns are settings, of all in which records differ that are else alike;
        that all are is proposed.
        """
        reading = self.reading
        settings = self._settings_in_turn()
        texts = [name for name in reading.asked if name not in settings]
        answers: dict[str, Given] = {}
        contents = {name: f"{listed([name])}: {reading.facts[name].contents}" for name in settings}
        pooled = dict.fromkeys(settings + texts, "pooled")
        if settings[1:]:
            every = Given(roles=dict.fromkeys(settings, "setting"))
            answers[f"all are settings ({'; '.join(contents.values())})"] = every
        for name in settings[:CHOICES]:
            alone_words = "alone is" if settings[1:] else "is"
            words = f"{listed([name])} {alone_words} a setting"
            alone = Given(roles=pooled | {name: "setting"})
            answers[f"{words}: {reading.facts[name].contents}"] = alone
        for name in texts:  # no setting holds such a text
            for value in reading.facts[name].values:
                words = f"draw the records of one {listed([name])} alone: {in_words([value], 1)}"
                answers[words] = Given(values={name: [value]})
        answers["no: records that differ in it are pooled"] = Given(roles=pooled)
        key = [name for name in reading.key if name != PLACE]
        same = listed(n for n in key if not reading.evidence.follows(reading.asked[0], [n]))
        alike = f"of the same {same}" if same else "that are alike in all else"
        names = [listed([name]) for name in settings + texts]
        which = "which are settings?" if names[1:] else "is that a setting?"
        self._ask(f"records {alike} differ in {in_words(names, len(names))}: {which}", answers)
        self.source.is_proposed = bool(settings)

    def _settings_in_turn(self) -> list[str]:
        """Columns that are asked about, and those that are asked about once these are settings."""
        settings: list[str] = []
        asked = self.reading.asked
        while asked := [name for name in asked if self._may_be_setting(name, settings)]:
            settings += asked
            roles = dict.fromkeys(settings, "setting")
            given = self.given.with_answer(Given(roles=roles))
            asked = Reading(self.frame, self.score.name, given).asked
        return settings

    def _may_be_setting(self, name: str, known: Collection[str]) -> bool:
        return name not in known and self.reading.facts[name].type != "long"

    def _ask(self, question: str, answers: Mapping[str, Given]) -> None:
        """Ask, unless a person said it; `answers`: words → what is known then."""
        self.source.ask(question, answers, self.given)

    def _names(self) -> dict[str, str]:
        """Column of the frame → what it is called in the samples table."""
        reading, repetition = self.reading, self.reading.repetition
        # What else is a problem is a task of printed numbers; repetitions of these are averaged.
        names = {reading.model: "model", reading.task: "task"}
        if not self.item:
            names[reading.problem] = "task" if self.is_printed else "sample_id"
        facts = reading.facts.get(repetition)
        whole = facts and facts.type == "int" and facts.low >= 0 and not facts.missing
        above = kind(repetition) in ("path", "hole")
        is_number = whole and (above or repetition not in self.frame.texts)
        if is_number and not self.is_printed:
            names[repetition] = "epoch"
        holes = [name for name in reading.facts if kind(name) == "hole"]
        scorer = reading.scorer or SCORER
        if scorer in holes + reading.settings:
            names[scorer] = "scorer"
        if reading.opponent:
            names[reading.opponent] = OPPONENT
        prefix = reading.layout.get("prefix", "")
        for name in [*reading.settings, repetition, self.item, *holes, *reading.attributes]:
            names.setdefault(name, free(name.removeprefix(prefix), set(names.values())))
        return {name: own for name, own in names.items() if name}

    def _place_columns(self) -> None:
        """Write where each column stands: fields, params, groups of the path, holes of `each`."""
        pattern, at = self.frame.family.pattern, self.frame.at or ""
        for name in [*self.reading.facts, *self.frame.left_out]:
            if kind(name) == "hole":
                at = at.replace(name, f"{{{self.names[name]}}}")
            elif kind(name) == "path":
                group = f"(?P<{self.names[name]}>" if name in self.names else "(?:"
                pattern = pattern.replace(f"(?P<{name[1:]}>", group)
        own = {column: name for name, column in self.names.items()}
        within = {c: name for c, name in own.items() if kind(name) not in ("path", "hole")}
        self.entry |= {
            "groups": self.frame.group,
            "sidecar": self.frame.sidecar if "head" in map(kind, self.names) else "",
            "each": at,
            "path": pattern if "path" in map(kind, self.names) else "",
            "fields": {c: self._row(name) for c, name in within.items() if c in FIELDS},
            "params": {c: self._param(n, c) for c, n in own.items() if c not in FIELDS},
        }

    def _row(self, name: str) -> str:
        """The place of a column; of the number of a record in its file as readers call it."""
        if name != PLACE:
            return name
        return "$key" if self.entry["format"] in DOCUMENTS else "$row"

    def _param(self, name: str, own: str) -> Any:
        """The type of a setting, and its place where that is not its name."""
        facts = self.reading.facts[name]
        above = kind(name) in ("path", "hole")
        if facts.missing:
            return {"type": "str", "field": name, "default": ABSENT}
        type_ = facts.type if facts.type in ("int", "float", "bool") else "str"
        type_ = "float" if type_ == "int" and facts.decimals else type_
        type_ = type_ if above or name not in self.frame.texts else "str"
        return type_ if above or name == own else {"type": type_, "field": name}

    def _place(self) -> str:
        """Where the score stands."""
        return self._with_own_holes(self.frame.place or self.score.name)

    def _with_own_holes(self, place: str) -> str:
        """A place whose holes are called as the columns that they fill."""
        for name, own in self.names.items():
            if kind(name) == "hole":
                place = place.replace(name, f"{{{own}}}")
        return place

    def _is_printed(self) -> bool:
        """Whether records are numbers that were printed of several samples each."""
        reading = self.reading
        if "printed" in reading.layout or self.frame.board or reading.is_of_wholes:
            return True
        if self.score.single or self.score.name in self.frame.lists:
            return False
        summed = holds("summed", self.score.name) or bool(self._stderr())
        summary = reading.unique and (bool(self._stderr()) or (summed and not reading.problem))
        alone = reading.is_unique(reading.cell) and not (reading.repetition and not summed)
        return alone or summary or self._is_count()

    def _is_count(self) -> bool:
        """Whether the score is a number of things: whole, above 1, and called no rating."""
        score = self.score
        rated = holds("rated", score.name) or bool(RANGED.search(score.name))
        totals = [name for name in self._totals() if weight("count", name) >= LEAST_COUNT]
        rated = rated or (score.low >= 1 and score.high <= 10 and not totals)
        is_whole = score.type == "int" and not score.decimals
        return is_whole and score.low >= 0 and score.high > 1 and not rated

    def _stderr(self) -> str:
        """The column that holds the standard error of the score; empty if there is none."""
        facts = self.reading.facts.values()
        likely = [f.name for f in facts if weight("stderr", f.name) >= 1.2 and f.type[:1] in "if"]
        alone = likely[0] if len(likely) == 1 else ""
        return next((name for name in likely if name.startswith(self.score.name)), alone)

    def _describe_printed(self) -> None:
        score, reading, source = self.score, self.reading, self.source
        own, place = free(score.name, set(self.names.values())), self._place()
        source.metric = f"printed({own})"
        twice = reading.task and not self.item
        taken = reading.problem and (twice or not reading.is_unique(reading.key))
        if taken or not (reading.unique or reading.repetition):
            source.question = f"several {score.name} of equal settings: what tells them apart?"
            source.is_mixed = True
        elif self._is_count():
            answers: dict[str, Given] = {}
            for total in self._totals():
                share = {own: {"value": place, "total": total}}
                keys = {"aggregates": share}
                answers[f"its share of {total}"] = Given(score.name, keys=keys)
            itself = Given(score.name, keys={"aggregates": {own: place}})
            answers["the count itself"] = itself
            if len(answers) > 1 or not self.given.score:
                self._ask(f"{score.name} counts {score.contents}: what should be drawn?", answers)
        number: dict[str, Any] = {"value": place, "stderr": self._stderr()}
        number = {key: value for key, value in number.items() if value}
        self.entry["aggregates"] = {own: number if len(number) > 1 else place}
        reading.roles |= {name: "standard error" for name in [self._stderr()] if name}
        reading.roles |= {name: "task" for name in [reading.problem] if name != self.item}
        for column in reading.facts.values():  # what tells whether a run finished
            done = [v for v in column.values if str(v).casefold() in weights()["finished"]]
            if column.type == "text" and len(done) == 1:
                reading.roles[column.name] = f"finished: {done[0]}"
                self.entry["finished"] = {column.name: done[0]}
        self._note_lost()
        self._leave_out_empty()
        if self._scale() == [0, 100] and not self._is_count():
            self._write_range(own, [0, 100])

    def _leave_out_empty(self) -> None:
        """Take rates of no problems at all for missing."""
        score, data = self.score, self.frame.data
        for facts in self.reading.facts.values():
            counts = facts.type == "int" and weight("count", facts.name) >= LEAST_COUNT
            if not counts or facts.low != 0 or facts.constant or kind(facts.name) != "field":
                continue
            empty = data.filter(pl.col(facts.name) == 0)
            if (empty[score.name].fill_null(0) == 0).all():
                self._count_as_failed({facts.name: 0})
                self.note(f"{numbered(len(empty), 'record')} of 0 {facts.name}: missing")

    def _note_lost(self) -> None:
        """Tell how many records have none of the numbers that are drawn."""
        lost = self.frame.lost or self.frame.data[self.score.name].null_count()
        called = in_words(self.frame.group, len(self.frame.group)) or label(self.score.name)
        if lost:
            self.note(f"{numbered(lost, 'record')} without {called}: no figure shows them")

    def _totals(self) -> list[str]:
        """Columns of whole numbers of which the score may be a count, the likeliest first."""
        data, score = self.frame.data, self.score.name
        counts = [f.name for f in self.reading.facts.values() if f.type == "int" and not f.missing]
        totals = [name for name in counts if name != score and (data[score] <= data[name]).all()]
        totals = [name for name in totals if (data[score] > 0.1 * data[name]).any()]
        odd = {name: max(weight("setting", name), weight("spent", name)) for name in totals}
        totals = [name for name in totals if odd[name] < 1]
        return sorted(totals, key=lambda name: -weight("count", name))[:TOTALS]

    def _describe_samples(self) -> None:
        self._describe_score()
        self._describe_missing()
        if self._is_each_game_a_problem():
            self.fields["sample_id"] = self._row(PLACE)
            self.note("no record names its problem: each game is one")
            return
        if not self.reading.problem:
            self.entry["set"] = {"sample_id": "all"}
            self.note(
                "no record names its problem: those of a cell count as repetitions of one, and no "
                "cell is compared with another"
            )
        numbered = self.names.get(self.reading.repetition) == "epoch"
        above = kind(self.reading.repetition) in ("path", "hole")
        if not self.reading.unique and numbered and above:
            alike = f"records of the same {listed(self.reading.key + [self.reading.repetition])}"
            self.source.question = f"{alike} are several: what tells them apart?"
        elif not (self.reading.unique and self._is_one_game()):
            self.fields["epoch"] = self._row(PLACE)
            games = "two games of the same models on one problem"
            records = games if self.reading.opponent else "identical records"
            self.note(f"{records} count as repetitions")

    def _is_each_game_a_problem(self) -> bool:
        """Whether no record names its problem, and the place in the file tells games apart."""
        reading = self.reading
        if not reading.opponent or reading.problem:
            return False
        return reading.is_unique([*reading.key, PLACE], 1.0)

    def _is_one_game(self) -> bool:
        """Whether two models play once for each problem: a judge may see both orders."""
        reading = self.reading
        if not reading.opponent:
            return True
        sides = pl.concat_list(reading.model, reading.opponent).list.sort()
        others = [name for name in reading.key if name not in (reading.model, reading.opponent)]
        games = self.frame.data.select(*others, sides.alias("$sides"))
        return not games.is_duplicated().any()

    def _describe_score(self) -> None:
        """Write where the score or the measure is, and its scale."""
        entry, score, ends = self.entry, self.score, self._scale()
        if score.name == EQUAL:
            self.fields |= self._graded_fields()
            grade: Grade = self.given.grade or "exact"
            entry["grade"] = grade
            self.reading.roles |= {column: role for role, column in self.frame.graded.items()}
            ways = "`heatproof guide logs#answers-without-a-score` has other ways"
            self.note(f"graded: an answer is right if it {GRADES[grade]}; {ways}")
            return
        if self._is_measure(ends):
            own = free(score.name, set(self.names.values()))
            entry["measures"] = {own: self._place()}
            self.source.metric = f"mean({own})"
            return
        self.fields["score"] = self._place()
        if score.name in self.frame.lists:
            entry["epochs"] = {"lists": ["score"]}
        if score.type == "text":
            self._describe_words()
        elif ends:
            self._write_range("score", ends)

    def _graded_fields(self) -> dict[str, str]:
        """The places of answers and of what was expected; asks about that of another file."""
        fields, truth = dict(self.frame.graded), self.frame.family.truth
        if self.frame.answers:
            fields["answer"] = self._with_own_holes(self.frame.answers)
        if truth is None or fields["target"] != TRUTH:
            return fields
        del fields["target"]
        self.entry["join"] = truth.join(self.names.get(truth.column, "sample_id"))
        there = "the value" if truth.place == VALUE else truth.place
        words = f"yes: right is what equals {there} there, looked up by {listed([truth.column])}"
        question = f"does {truth.file} hold what was expected of {fields['answer']}?"
        if self.given.grade is None:
            self._ask(question, {words: Given(keys={"grade": "exact"})})
        return fields

    def _describe_missing(self) -> None:
        """Write which part of the records may lack a score."""
        lost = self.score.missing
        if 0 < lost < 0.5:
            self.entry["refused"] = round(lost + 0.03, 2)
            self.note(f"refused: {lost:.0%} of the records have no score")

    def _describe_words(self) -> None:
        """Write which words stand for right and wrong, or ask."""
        score = self.score
        if self.reading.opponent:
            self._describe_winners()
            return
        words = self.reading.layout.get("entry", {}).get("verdicts", {})
        verdicts = {value: words.get(value, verdict(value)) for value in score.values}
        self.entry["verdicts"] = verdicts
        unknown = [value for value in score.values if verdicts[value] is None]
        if unknown:
            answers: dict[str, Given] = {}
            sure = {value: right for value, right in verdicts.items() if right is not None}
            good, others = [value for value in sure if sure[value]], ", ".join(unknown)
            if set(sure.values()) >= {0, 1}:
                failed = {"verdicts": sure, "failed": {score.name: unknown}}
                words = f"{', '.join(good)} is right, {others} is missing"
                answers[words] = Given(keys=failed)
                wrong = {"verdicts": sure | dict.fromkeys(unknown, 0)}
                bad = [value for value in sure if not sure[value]]
                words = f"{others} is wrong, as {', '.join(bad)} is"
                answers[words] = Given(keys=wrong)
            for value in score.values if not answers else ():
                right = {word: int(word == value) for word in score.values}
                answers[f"{value} is right, the others are wrong"] = Given(keys={"verdicts": right})
            self._ask(f"{score.name} is one of {score.contents}: which is right?", answers)

    def _describe_winners(self) -> None:
        """Ask what words on games mean that name no winner and no tie."""
        score, layout = self.score, self.reading.layout
        known, unknown = layout["entry"]["verdicts"], layout["unknown"]
        if not unknown:
            return
        said = ", ".join(unknown)
        missing = {"failed": {score.name: unknown}}
        ties = {"verdicts": known | dict.fromkeys(unknown, 0.5)}
        answers = {
            f"{said}: such games are missing": Given(keys=missing),
            f"{said}: half a point for both, as a tie": Given(keys=ties),
        }
        self._ask(f"{score.name} is {said} in some games: what are they?", answers)

    def _is_measure(self, ends: list[float]) -> bool:
        """Whether a number has its own unit: its scale is not known, or low ones are good."""
        score = self.score
        plain = score.type in ("int", "float") and not score.single and score.sentinel is None
        if self.frame.place or score.name in self.frame.lists or not plain:
            return False
        has_scale = not ends or (ends[0] <= 0 <= ends[1] and ends != [score.low, score.high])
        has_scale = has_scale or any(ends == [low, high] for _, low, high in SCALES)
        return self.source.best == "lowest" or not has_scale or holds("speeds", score.name)

    def _scale(self) -> list[float]:
        """The lowest and the highest score that there may be, where these are not 0 and 1."""
        score = self.score
        if scale := RANGED.search(score.name):
            ends = [float(scale[1]), float(scale[2])]
            if ends[0] <= score.low <= score.high <= ends[1]:
                return ends
        if score.type in ("bool", "text") or 0 <= score.low <= score.high <= 1:
            return []
        scales: Iterator[list[float]]
        scales = ([a, b] for beyond, a, b in SCALES if a <= score.low and beyond < score.high <= b)
        if self._own_tops():
            return [score.low, score.high]
        tops = [f.high for f in self.reading.facts.values() if f.constant and _names_top(f.name)]
        tops = [top for top in tops if score.low >= 0 and REACHED * top <= score.high <= top]
        return [0, min(tops)] if tops else next(scales, [score.low, score.high])

    def _own_tops(self) -> str:
        """The column of the most that each score may be; empty if there is none."""
        data, score = self.frame.data, self.score
        for facts in self.reading.facts.values() if score.high > 1 else ():
            is_number = facts.type in ("int", "float") and not (facts.constant or facts.missing)
            called = is_number and facts.name != score.name and _names_top(facts.name)
            if called and (data[score.name] <= data[facts.name]).all():
                return facts.name
        return ""

    def _write_range(self, name: str, ends: list[float]) -> None:
        """Write the scale: what is read as another is shown in the unit of the logs anyway."""
        self.entry["range"] = {name: ends}
        self.note(f"range: read as {ends[0]:g} to {ends[1]:g}: all in {self.score.contents}")
