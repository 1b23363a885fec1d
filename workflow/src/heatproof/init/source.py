"""A reading as a source of config.yaml; with a question, where only a person can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.roles import TAKEN
from heatproof.init import files
from heatproof.init.frame import ABSENT, TASK, kind
from heatproof.init.roles import listed
from heatproof.init.text import values_in_words
from heatproof.init.words import holds, verdict, weight, weights
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from heatproof.init.facts import Facts
    from heatproof.init.roles import Reading

FIELDS = ("model", "task", "sample_id", "epoch")
"""Columns of ours that a source gives a place."""
SAME = 0.9  # part of the rows of two files that have the same text if they are the same problems
SHOWN = 6  # numbers that are listed of a column
LOST = 0.08  # part of the records without a score from which the config says how many they may be


class Figure(NamedTuple):
    """A figure of a source."""

    end: str
    """What its name has behind that of the source."""
    keys: dict[str, Any]
    what: str
    """What it shows, in few words."""


class Trial(NamedTuple):
    """What logs hold, as a run would read them."""

    source: Any = None
    """As the config says it, checked."""
    samples: pl.DataFrame = pl.DataFrame()
    refused: Sequence[tuple[str, int, str]] = ()
    """Reason, records, and the first log with such a one; the commonest first."""
    part: str = ""
    """How many of the logs were read, if not all."""
    fault: str = ""
    """Why a run would stop, or have nothing."""
    above: bool = False
    """Whether it would as scores lie above the scale."""


@dataclass
class Source:
    """Logs and what was made of them: a source with figures, or a question."""

    paths: list[str]
    entry: dict[str, Any] = field(default_factory=dict)
    """As config.yaml may say it."""
    metric: str = "pass@1"
    """What its figures show."""
    pooled: list[str] = field(default_factory=list)
    """Settings that number repetitions."""
    notes: list[str] = field(default_factory=list)
    """What was assumed."""
    roles: dict[str, str] = field(default_factory=dict)
    """Column of the logs → its role, or why it is left out."""
    graded: bool = False
    """Whether a harness says what the score is."""
    question: str = ""
    """What only a person can say."""
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Of each answer its words, and the keys that it gives the entry."""
    trial: Trial = field(default_factory=Trial)
    figures: list[Figure] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    """Readings that were tried before, or figures, and why they will not do."""
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

    Args:
        reading: what its columns are.
        others: files that are none of its logs.
        within: what the folder is called: the model or task, where none is known.
    """

    def __init__(self, reading: Reading, others: Collection[str], within: str) -> None:
        self.reading, self.frame = reading, reading.frame
        self.score = reading.facts[reading.score]
        self.source = Source(reading.frame.family.paths, notes=reading.notes)
        family, self.entry = self.frame.family, self.source.entry
        self.entry |= {
            "format": family.format,
            "logs": files.patterns(family.paths, [*others]),
            "delimiter": family.delimiter if family.delimiter != "," else "",
            "decimal": family.decimal if family.decimal != "." else "",
            "sidecar": family.sidecar,
        }
        self.is_printed = self._is_printed()
        self.names = self._names()
        self._place()
        self.fields = self.entry["fields"]
        if self.is_printed:
            self._printed()
        else:
            self._samples()
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
        self.source.roles = {name: self._described(name) for name in reading.roles}
        if unnamed := [n for n in self.names.values() if re.fullmatch(r"(part|key)_\d", n)]:
            self._note(f"nothing names {listed(unnamed)}: give it a name in config.yaml")

    def _note(self, note: str) -> None:
        self.source.notes.append(note)

    def _described(self, name: str) -> str:
        """The role of a column and its values, or why it is left out."""
        role, facts = self.reading.roles[name], self.reading.facts[name]
        if role.startswith("left out") or not facts.values:
            return role
        if facts.distinct > SHOWN and facts.type in ("int", "float"):
            return f"{role}: {facts.low:g} to {facts.high:g}"
        return f"{role}: {values_in_words(facts.values)}"

    # Names and places.

    def _names(self) -> dict[str, str]:
        """Column of the frame → what it is called in the samples table."""
        reading, repetition = self.reading, self.reading.repetition
        names = {reading.model: "model", reading.task: "task"}
        if self.is_printed:  # what a problem is else; its repetitions are a setting, averaged
            names[reading.problem] = "task"
        else:
            names[reading.problem] = "sample_id"
            facts = reading.facts.get(repetition)
            texts = facts and all(re.fullmatch(r"0|[1-9]\d*", str(v)) for v in facts.values)
            if facts and not facts.missing and (texts or (facts.type == "int" and facts.low >= 0)):
                names[repetition] = "epoch"  # a whole number in all records
        names.pop("", None)
        holes = [name for name in reading.facts if kind(name) == "hole"]
        for name in [*reading.settings, repetition, *holes]:
            if name and name not in names:
                names[name] = free(name, {*names.values()})
        return names

    def _place(self) -> None:
        """Write where each column stands: fields, params, groups of the path, holes of `each`."""
        pattern, at = self.frame.pattern, self.frame.at or ""
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
            values = [str(value) for value in facts.values if value != ""]
            if all(re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", value) for value in values):
                type_ = "float" if any("." in value for value in values) else "int"
            return {"type": "int", "default": 1} if "" in facts.values else type_
        if facts.missing:
            return {"type": "str", "field": name, "default": ABSENT}
        if type_ == "int" and self.frame.data[name].dtype == pl.Float64:
            type_ = "float"  # 1.0
        return type_ if name == own else {"type": type_, "field": name}

    def _score_place(self) -> str:
        """Where the score stands; a hole in it has the name of the column that it fills."""
        place = TASK if self.frame.group else self.score.name
        for name, own in self.names.items():
            place = place.replace(name, f"{{{own}}}") if kind(name) == "hole" else place
        return place

    def _row(self) -> str:
        """The place of the number of a record."""
        return "$key" if self.frame.family.format == "json" else "$row"

    # Printed numbers.

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
        return score.type == "int" and score.low >= 0 and score.high > 1 and not (rated or scale)

    def _stderr(self) -> str:
        """The column that holds the standard error of the score; empty if there is none."""
        facts = self.reading.facts.values()
        likely = [f.name for f in facts if weight("stderr", f.name) >= 1.2 and f.type[:1] in "if"]
        own = [name for name in likely if name.startswith(self.score.name)]
        return next(iter(own or (likely if len(likely) == 1 else [])), "")

    def _printed(self) -> None:
        """Write the printed number with what is known of its uncertainty."""
        score, reading = self.score, self.reading
        group, roles = self.frame.group, reading.roles
        own, value = free("number" if group else score.name, self.names), self._score_place()
        self.source.metric = f"printed({own})"
        several = f"several printed {score.name} of equal settings: "
        if reading.problem:
            roles[reading.problem] = "task"
            if reading.task or not reading.is_unique(reading.key):
                self.source.question = f"{several}what is each?"
        if not (reading.unique or reading.repetition):
            self.source.question = f"{several}what differs?"
        number: dict[str, Any] = {"value": value}
        words = {"n": "number of problems", "stderr": "standard error"}
        for key, name in {"n": self._size(), "stderr": self._stderr()}.items():
            if name:
                number[key], roles[name] = name, words[key]
        number |= {"of": group} if group else {}
        self.entry["aggregates"] = {own: number if len(number) > 1 else value}
        for column in reading.facts.values():  # what tells whether a run finished
            done = [v for v in column.values if str(v).casefold() in weights()["finished"]]
            if column.type == "text" and column.distinct <= SHOWN and len(done) == 1:
                roles[column.name] = f"finished: {done[0]}"
                self.entry["finished"] = {column.name: done[0]}
        self._printed_scale(own, value)

    def _printed_scale(self, own: str, value: str) -> None:
        """Write the scale of the printed number, or ask what it counts."""
        score = self.score
        called = holds("summed", score.name) or holds("percent", score.name)
        if score.sentinel is not None:
            none = f"some {score.name} are {score.sentinel:g}: which records have none?"
            self.source.question = none
        elif self._is_count():
            count = f"{score.name} counts {score.low:g} to {score.high:g}: what should be drawn?"
            self.source.question, answers = count, self.source.answers
            for total in self._totals()[:3]:
                share = {own: {"value": value, "total": total}}
                answers.append((f"its share of {total}", {"aggregates": share}))
            answers.append(("the count itself", {"aggregates": {own: value}}))
        elif score.low >= 0 and 10 < score.high <= 100 and (called or score.type == "float"):
            self.entry["range"] = {own: [0, 100]}
            self._note("range: read as percent")

    def _totals(self) -> list[str]:
        """Columns of whole numbers that the score is never above, the likeliest total first."""
        score, weighed = self._numbers(self.score.name), []
        for facts in self._counts():
            near = facts.name.rpartition(".")[0] == self.score.name.rpartition(".")[0]
            count = weight("count", facts.name)
            if (score <= self._numbers(facts.name)).all() and (near or count >= 2):
                weighed.append((count + near, facts.high, facts.name))
        return [name for _, _, name in sorted(weighed, reverse=True)]

    def _size(self) -> str:
        """The column of the number of problems behind a share: share × number is whole."""
        shares = self._numbers(self.score.name) / (100.0 if self.score.high > 1 else 1.0)
        best = (1.9, "")
        for facts in self._counts():
            sizes, count = self._numbers(facts.name), weight("count", facts.name)
            off = (shares * sizes - (shares * sizes).round()).abs()
            whole = facts.high < 1000 and (off <= 0.011 + 0.00051 * sizes).sum() > 0.95 * len(off)
            best = max(best, (count + whole if count > 0 else 0.0, facts.name))
        return best[1]

    def _counts(self) -> list[Facts]:
        """Columns that may count things, beside the score."""
        facts = (f for f in self.reading.facts.values() if f.type == "int" and f.low >= 1)
        facts = (f for f in facts if f.name != self.score.name and f.missing <= 0.05)
        return [f for f in facts if kind(f.name) in ("field", "head")]

    def _numbers(self, name: str) -> pl.Series:
        return self.frame.data[name].cast(pl.Float64)

    # Samples.

    def _samples(self) -> None:
        """Write the score of samples, and what tells problems and repetitions apart."""
        entry, score = self.entry, self.score
        self.fields["score"] = self._score_place()
        if score.name in self.frame.lists:
            entry["epochs"] = {"lists": ["score"]}
        self._scale()
        lost = score.missing
        if score.sentinel is not None:
            alike = self._numbers(score.name) == score.sentinel
            lost += int(alike.sum()) / len(alike)
            self._note(f"{score.sentinel:g} is no score: such records are missing")
        if (lost > LOST or score.sentinel is not None) and lost < 0.5:
            entry["refused"] = round(lost + 0.03, 2)
            self._note(f"refused: {lost:.0%} of the records have no score")
        if not self.reading.problem:
            self._problems()
        elif not self.reading.unique and not self.reading.repetition:
            self.fields["epoch"] = self._row()
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
            ends, words = _ends(score)
            entry["range"] = {"score": ends}
            self._note(f"range: read as {words}: all in {score.low:g} to {score.high:g}")

    def _problems(self) -> None:
        """Write what tells problems apart where no column is called so."""
        reading, keyed = self.reading, "$key" in self.reading.facts
        if reading.repetition and reading.unique:
            self._note(
                "no record names its problem: the records of a cell count as repetitions of one"
            )
        elif reading.is_unique(reading.cell):
            self._note("one record per cell, of one problem")
        elif keyed or self._same_rows():
            self.fields["sample_id"] = "$key" if keyed else self._row()
            if not keyed:
                self._note(
                    "records with the same number are the same problem: files have the same texts"
                )
        elif prompt := next(filter(self._is_apart, reading.facts), ""):
            self.fields["sample_id"] = prompt
            self._note(
                f"each record has its own {prompt}: cells cannot be compared with each other"
            )
        else:
            self.fields["epoch"] = self._row()
            self._note(
                "nothing shows that records of two files are of the same problems: those of a "
                "cell count as repetitions of one, and no cell is compared with another"
            )
        if "sample_id" not in self.fields:
            self.entry["set"] = {"sample_id": "all"}

    def _is_apart(self, name: str) -> bool:
        """Whether a column is a prompt that no two records of a cell have."""
        reading = self.reading
        return reading.facts[name].prompt and reading.is_unique([*reading.cell, name])

    def _same_rows(self) -> bool:
        """Whether the n-th records of all files have the same text, as the same problem has."""
        data = self.frame.data.with_columns(pl.int_range(pl.len()).over("$file").alias("$n"))
        texts = (f for f in self.reading.facts.values() if f.type in ("long", "text"))
        texts = (f for f in texts if f.distinct > 2 and kind(f.name) == "field")
        for facts in (facts for facts in texts if facts.name not in self.reading.cell):
            same = pl.col(facts.name).n_unique() == 1
            again = data.group_by("$n").agg(same.alias("$same"), pl.len()).filter(pl.col("len") > 1)
            if len(again) and again["$same"].sum() >= SAME * len(again):
                return True
        return False


def _ends(score: Facts) -> tuple[list[float], str]:
    """The lowest and highest value of a score, and in words."""
    low, high = score.low, score.high
    for least, beyond, ends, words in (
        (-1, -2, [-1, 1], "-1 to 1"), (1, 5, [1, 10], "1 to 10"), (0, 5, [0, 10], "0 to 10"),
        (0, 10, [0, 100], "percent" if score.type == "float" else "0 to 100"),
    ):  # fmt: skip
        if least <= low and beyond < high <= ends[1]:
            return [*ends], words
    top = float(-int(-high // 1))
    bottom = -max(top, -float(int(low // 1))) if low < 0 else 0.0
    return [bottom, max(top, -bottom)], "the range of what is there"
