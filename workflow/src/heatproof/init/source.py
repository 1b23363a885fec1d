"""A reading as a source of config.yaml; with a question, where only a person can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.roles import TAKEN
from heatproof.init import files
from heatproof.init.facts import holds, number, verdict, weight, weights
from heatproof.init.frame import ABSENT, TASK, kind
from heatproof.init.roles import listed
from heatproof.init.text import values_in_words
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from heatproof.init.roles import Reading

FIELDS = ("model", "task", "sample_id", "epoch")  # columns of ours that a source gives a place
WORDS = {"n": "number of problems", "stderr": "standard error"}
SHOWN = 6  # numbers that are listed of a column
SCALES = ((-2, -1, 1), (2, 1, 5), (2, 0, 5), (5, 1, 10), (5, 0, 10), (10, 0, 100))
"""Above what the highest score lies, the lowest and the highest that there may be."""


class Figure(NamedTuple):
    """A figure of a source."""

    end: str  # of its name, behind that of the source
    keys: dict[str, Any]
    what: str  # it shows, in few words


class Trial(NamedTuple):
    """What logs hold, as a run would read them."""

    source: Any = None  # as the config says it, checked
    samples: pl.DataFrame = pl.DataFrame()
    refused: Sequence[tuple[str, int, str]] = ()
    """Reason, records, and the first log with such a one; the commonest first."""
    part: str = ""  # how many of the logs were read, if not all
    fault: str = ""  # why a run would stop, or have nothing
    above: bool = False  # whether it would as scores lie above the scale


@dataclass
class Source:
    """Logs and what was made of them: a source with figures, or a question."""

    paths: list[str]
    entry: dict[str, Any] = field(default_factory=dict)  # as config.yaml may say it
    metric: str = "pass@1"  # of its figures
    pooled: list[str] = field(default_factory=list)  # settings that number repetitions
    notes: list[str] = field(default_factory=list)  # what was assumed
    roles: dict[str, str] = field(default_factory=dict)
    """Column of the logs → its role, or why it is left out."""
    graded: bool = False  # whether a harness says what the score is
    question: str = ""  # what only a person can say
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Of each answer its words, and the keys that it gives the entry."""
    trial: Trial = field(default_factory=Trial)
    figures: list[Figure] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)  # why readings or figures will not do
    candidates: list[str] = field(default_factory=list)
    """Columns that may be the score, with their values."""

    @property
    def printed(self) -> bool:
        """Whether each record is a printed number, with no records below."""
        return self.metric.startswith("printed")


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

    `others`: files that are none of its logs; `within`: what stands for an unknown model or task.
    """

    def __init__(self, reading: Reading, others: Collection[str], within: str) -> None:
        self.reading, self.frame = reading, reading.frame
        self.score, family = reading.facts[reading.score], self.frame.family
        self.entry: dict[str, Any] = {
            "format": family.format,
            "logs": files.patterns(family.paths, [*others]),
            "delimiter": family.delimiter if family.delimiter != "," else "",
            "decimal": family.decimal if family.decimal != "." else "",
            "sidecar": family.sidecar,
        }
        self.source = Source(family.paths, self.entry, notes=reading.notes)
        self.is_printed = self._is_printed()
        self.names = self._names()
        self._place_columns()
        self.fields = self.entry["fields"]
        if self.is_printed:
            self._describe_printed()
        else:
            self._describe_samples()
        present = {*self.names.values(), *self.fields}
        if "model" not in present:
            self.entry.setdefault("set", {})["model"] = within
        if "task" not in present:
            self.entry.setdefault("set", {})["task"] = within if "model" in present else "all"
        for key, value in reading.layout.get("entry", {}).items():
            self.entry[key] = {**(self.entry.get(key) or {}), **value}
        for key in [key for key, value in self.entry.items() if value in ("", None, {}, [])]:
            del self.entry[key]
        repeats = [n for n in reading.settings if weight("epoch", n) > weight("setting", n)]
        repeats = [self.names[name] for name in (*repeats, reading.repetition) if name]
        self.source.pooled = [name for name in repeats if name != "epoch"]
        self.source.roles = {name: self._role(name) for name in reading.roles}
        if unnamed := [n for n in self.names.values() if re.fullmatch(r"(part|key)_\d", n)]:
            self._note(f"nothing names {listed(unnamed)}: replace it throughout config.yaml")

    def _note(self, note: str) -> None:
        self.source.notes.append(note)

    def _role(self, name: str) -> str:
        """The role of a column and its values, or why it is left out."""
        role, facts = self.reading.roles[name], self.reading.facts[name]
        if role.startswith("left out") or not facts.values:
            return role
        if facts.distinct > SHOWN and facts.type in ("int", "float"):
            return f"{role}: {facts.low:g} to {facts.high:g}"
        return f"{role}: {values_in_words(facts.values)}"

    def _names(self) -> dict[str, str]:
        """Column of the frame → what it is called in the samples table."""
        reading, repetition = self.reading, self.reading.repetition
        # What else is a problem is a task of printed numbers; repetitions of these are averaged.
        problem = "task" if self.is_printed else "sample_id"
        names = {reading.model: "model", reading.task: "task", reading.problem: problem}
        facts = reading.facts.get(repetition)
        if facts and not (self.is_printed or facts.missing):
            texts = all(re.fullmatch(r"0|[1-9]\d*", str(v)) for v in facts.values)
            if texts or (facts.type == "int" and facts.low >= 0):
                names[repetition] = "epoch"
        names.pop("", None)
        holes = [name for name in reading.facts if kind(name) == "hole"]
        for name in [*reading.settings, repetition, *holes]:
            if name and name not in names:
                names[name] = free(name, {*names.values()})
        return names

    def _place_columns(self) -> None:
        """Write where each column stands: fields, params, groups of the path, holes of `each`."""
        pattern, at = self.frame.family.pattern, self.frame.at or ""
        for name in self.reading.facts:
            if kind(name) == "hole":
                at = at.replace(name, f"{{{self.names[name]}}}")
            elif kind(name) == "path":
                group = f"(?P<{self.names[name]}>" if name in self.names else "(?:"
                pattern = pattern.replace(f"(?P<{name[1:]}>", group)
        own = {column: name for name, column in self.names.items()}
        within = {c: name for c, name in own.items() if kind(name) not in ("path", "hole")}
        self.entry |= {
            "each": at,
            "path": pattern if "path" in map(kind, self.names) else "",
            "fields": {c: name for c, name in within.items() if c in FIELDS},
            "params": {c: self._param(n, c) for c, n in own.items() if c not in FIELDS},
        }

    def _param(self, name: str, own: str) -> Any:
        """The type of a setting, and its place where that is not its name."""
        facts = self.reading.facts[name]
        type_ = facts.type if facts.type in ("int", "float", "bool") else "str"
        if kind(name) in ("path", "hole"):
            if all(re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", str(value)) for value in facts.values):
                type_ = "float" if any("." in str(value) for value in facts.values) else "int"
            return type_
        if facts.missing:
            return {"type": "str", "field": name, "default": ABSENT}
        if type_ == "int" and facts.decimals:
            type_ = "float"  # 1.0
        return type_ if name == own else {"type": type_, "field": name}

    def _score_place(self) -> str:
        """Where the score stands; a hole in it has the name of the column that it fills."""
        place = TASK if self.frame.group else self.score.name
        for name, own in self.names.items():
            place = place.replace(name, f"{{{own}}}") if kind(name) == "hole" else place
        return place

    def _is_printed(self) -> bool:
        """Whether records are numbers that were printed of several samples each."""
        reading = self.reading
        if self.score.single or self.score.name in self.frame.lists:
            return False
        summed = holds("summed", self.score.name) or bool(self._stderr())
        summary = reading.unique and not reading.problem and summed
        alone = reading.is_unique(reading.cell)
        return ((alone or summary) and not (reading.repetition and not summed)) or self._is_count()

    def _is_count(self) -> bool:
        """Whether the score is a number of things: whole, above 1, and called no rating."""
        score = self.score
        rated = weight("score", score.name) > 0 and holds("rated", score.name)
        scale = score.low >= 1 and score.high <= 10
        whole = score.type == "int" and not score.decimals
        return whole and score.low >= 0 and score.high > 1 and not (rated or scale)

    def _stderr(self) -> str:
        """The column that holds the standard error of the score; empty if there is none."""
        facts = self.reading.facts.values()
        likely = [f.name for f in facts if weight("stderr", f.name) >= 1.2 and f.type[:1] in "if"]
        own = [name for name in likely if name.startswith(self.score.name)]
        return next(iter(own or (likely if len(likely) == 1 else [])), "")

    def _describe_printed(self) -> None:
        score, reading, roles = self.score, self.reading, self.reading.roles
        own, totals = free("number" if self.frame.group else score.name, self.names), self._totals()
        self.source.metric = f"printed({own})"
        if reading.problem:
            roles[reading.problem] = "task"
        taken = reading.problem and (reading.task or not reading.is_unique(reading.key))
        if taken or not (reading.unique or reading.repetition):
            alike = f"several printed {score.name} of equal settings: what tells them apart?"
            self.source.question = alike
        number: dict[str, Any] = {"value": self._score_place()}
        number |= {"n": totals[0]} if totals and not self._is_count() else {}
        number |= {"stderr": self._stderr()} if self._stderr() else {}
        roles |= {number[key]: WORDS[key] for key in number if key in WORDS}
        number |= {"of": self.frame.group} if self.frame.group else {}
        self.entry["aggregates"] = {own: number if len(number) > 1 else number["value"]}
        for column in reading.facts.values():  # what tells whether a run finished
            done = [v for v in column.values if str(v).casefold() in weights()["finished"]]
            if column.type == "text" and column.distinct <= SHOWN and len(done) == 1:
                roles[column.name] = f"finished: {done[0]}"
                self.entry["finished"] = {column.name: done[0]}
        self._scale_printed(own, totals)

    def _scale_printed(self, own: str, totals: Sequence[str]) -> None:
        """Write the scale of the printed number, or ask what it counts."""
        score, source = self.score, self.source
        called = holds("summed", score.name) or holds("percent", score.name)
        if score.sentinel is not None:
            source.question = f"some {score.name} are {score.sentinel:g}: which records have none?"
        elif self._is_count():
            count = f"{score.name} counts {score.low:g} to {score.high:g}: what should be drawn?"
            source.question, value = count, self._score_place()
            for total in totals[:3]:
                share = {own: {"value": value, "total": total}}
                source.answers.append((f"its share of {total}", {"aggregates": share}))
            source.answers.append(("the count itself", {"aggregates": {own: value}}))
        elif score.low >= 0 and 10 < score.high <= 100 and (called or score.type == "float"):
            self.entry["range"] = {own: [0, 100]}
            self._note("range: read as percent")

    def _totals(self) -> list[str]:
        """Columns of whole numbers of which the score is a count or share, the likeliest first."""
        score, totals = self.score, []
        values = self._numbers(score.name) / (
            100 if score.type == "float" and score.high > 1 else 1
        )
        for facts in self.reading.facts.values():
            whole = facts.type == "int" and facts.low >= 1 and facts.missing <= 0.05
            if not whole or facts.name == score.name or kind(facts.name) not in ("field", "head"):
                continue
            count = weight("count", facts.name)
            near = facts.name.rpartition(".")[0] == score.name.rpartition(".")[0]
            sizes = self._numbers(facts.name)
            if self._is_count():
                fits = (near or count >= 2) and bool((values <= sizes).all())
            else:  # with the digits of a printed share
                off = (values * sizes - (values * sizes).round()).abs()
                fits = count >= 1 and (off <= 0.011 + 0.00051 * sizes).sum() > 0.95 * len(off)
            if fits:
                totals.append((count + near, facts.high, facts.name))
        return [name for _, _, name in sorted(totals, reverse=True)]

    def _numbers(self, name: str) -> pl.Series:
        return self.frame.data[name].cast(pl.Float64)

    def _describe_samples(self) -> None:
        entry, score = self.entry, self.score
        self.fields["score"] = self._score_place()
        if score.name in self.frame.lists:
            entry["epochs"] = {"lists": ["score"]}
        self._scale()
        lost = score.missing
        if score.sentinel is not None:
            alike = self._numbers(score.name) == score.sentinel
            lost += number(alike.sum()) / len(alike)
            self._note(f"{score.sentinel:g} is no score: such records are missing")
        if 0 < lost < 0.5:
            entry["refused"] = round(lost + 0.03, 2)
            self._note(f"refused: {lost:.0%} of the records have no score")
        if not self.reading.problem:
            self._tell_problems_apart()
        elif not self.reading.unique and not self.reading.repetition:
            self.fields["epoch"] = "$key" if entry["format"] == "json" else "$row"
            self._note("identical records count as repetitions")

    def _scale(self) -> None:
        """Write what scores stand for: words, or numbers beyond 0 and 1."""
        entry, score, source = self.entry, self.score, self.source
        if score.type == "text":
            entry["verdicts"] = {value: verdict(value) for value in score.values}
            if None in entry["verdicts"].values():
                words = ", ".join(map(str, score.values))
                source.question = f"{score.name} is one of {words}: which is right?"
                for value in score.values:
                    right = {"verdicts": {word: int(word == value) for word in score.values}}
                    source.answers.append((f"{value} is right, the others are wrong", right))
        elif score.type != "bool" and not 0 <= score.low <= score.high <= 1:
            span = f"{score.low:g} to {score.high:g}"
            scales = (
                [a, b] for beyond, a, b in SCALES if a <= score.low and beyond < score.high <= b
            )
            ends = next(scales, [score.low, score.high])  # shown in the unit of the logs anyway
            words = f"{ends[0]:g} to {ends[1]:g}"
            words = "percent" if ends[1] == 100 and score.type == "float" else words
            entry["range"] = {"score": ends}
            self._note(f"range: read as {words}: all in {span}")

    def _tell_problems_apart(self) -> None:
        reading = self.reading
        if reading.repetition and reading.unique:
            note = "no record names its problem: the records of a cell count as repetitions of one"
        elif reading.is_unique(reading.cell):
            note = "one record per cell, of one problem"
        elif "$key" in reading.facts:
            self.fields["sample_id"] = "$key"
            note = "the key of a record is its problem"
        else:
            self.fields["epoch"] = "$key" if self.entry["format"] == "json" else "$row"
            note = (
                "nothing shows that records of two files are of the same problems: those of a "
                "cell count as repetitions of one, and no cell is compared with another"
            )
        self._note(note)
        if "sample_id" not in self.fields:
            self.entry["set"] = {"sample_id": "all"}
