"""A family of files → its likeliest readings, the first that a trial bears out, or a question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from heatproof.init import facts as facts_of
from heatproof.init import figures, frame, judge, roles, words
from heatproof.init.proposals import Option, Proposal, Question, propose
from heatproof.init.roles import LEAST, Reading
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from heatproof.init.facts import Facts
    from heatproof.init.figures import Figure
    from heatproof.init.frame import Family, Frame
    from heatproof.init.judge import Trial
    from heatproof.init.words import Layout

TRIED = 4
"""Readings that are tried."""
PER_FRAME = 2
CANDIDATES = 6
"""Columns that are named where none is known to be the score."""
SURE = 99.0
"""Weight of a score that is known."""
NEAR = 1.0
"""Weight by which a reading may be less likely than one that is a question."""


@dataclass
class Source:
    """A source that will be written."""

    proposal: Proposal
    trial: Trial
    figures: list[Figure]
    paths: list[str]
    refused: list[str] = field(default_factory=list)
    """Readings that were tried before, and why they will not do."""


@dataclass
class Open:
    """Logs of which only a person can say what is to be drawn."""

    paths: list[str]
    question: str
    options: list[Option] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    """Columns that may be the score, with their values."""


def best(
    family: Family, others: Collection[str], within: str, root: Path, score: str = ""
) -> Source | Open:
    """The first reading of a family that a trial bears out.

    Args:
        family: its files.
        others: files that are none of its logs.
        within: what the folder is called.
        root: the project.
        score: place of the score, where the user gives it.
    """
    try:
        readings, candidates = _likely(family, score)
    except Question as question:
        return Open(family.paths, question.text)
    reasons: list[str] = []
    options: list[Option] = []
    for reading in readings:
        try:
            proposal = propose(reading, others, within)
            source, reason = _tried(proposal, family, root)
        except Question as question:
            reasons.append(question.text)
            options += question.options
            if _is_decisive(reading, readings):
                break  # what is likeliest is a question: nothing less likely is drawn
            continue
        if source:
            source.refused = reasons
            return source
        reasons.append(f"{reading.score}: {reason}")
    none = "no column looks like a score; name it: heatproof init --score PLACE"
    return Open(family.paths, "; ".join(reasons) or none, options, candidates)


def _is_decisive(reading: Reading, readings: Sequence[Reading]) -> bool:
    """Whether a reading that is a question stops the search; not where the share stands beside."""
    beside = any(
        other.frame is reading.frame and other.facts[other.score].type == "float"
        for other in readings
    )
    count = reading.facts[reading.score].type == "int"
    return not (count and beside) and reading.weight > readings[0].weight - NEAR


def _likely(family: Family, score: str) -> tuple[list[Reading], list[str]]:
    """The likeliest readings, best first, and columns that may be the score, in words."""
    columns: list[Candidate] = []
    for plain in frame.frames(family):
        table, facts = plain, facts_of.profile(plain)
        layout = words.layout(table.places)
        if layout.refused:
            raise Question(layout.refused)
        if spread := facts_of.unpivoted(table, facts):
            table, facts = spread, facts_of.profile(spread)
        columns += _candidates(table, facts, layout, score)
    columns.sort(key=lambda candidate: -candidate.value)
    readings: list[Reading] = []
    for column in columns:
        same = sum(reading.frame is column.frame for reading in readings)
        if column.is_likely and len(readings) < TRIED and same < PER_FRAME:
            name, value = column.facts.name, column.value
            reading = roles.infer(column.frame, column.every, name, value, column.layout)
            readings.append(reading)
    listed = dict.fromkeys(filter(None, (column.words() for column in columns)))
    return readings, [*listed][:CANDIDATES]


class Candidate(NamedTuple):
    """A column that may be the score."""

    value: float
    """How likely it is."""
    facts: Facts
    every: dict[str, Facts]
    """Of all columns of its frame."""
    frame: Frame
    layout: Layout

    @property
    def is_likely(self) -> bool:
        """Whether it is tried as the score."""
        return self.value >= (1.0 if self.facts.type == "bool" else LEAST.score)

    def words(self) -> str:
        """Its place and values; empty for what nobody would take for a score."""
        facts, place = self.facts, self.frame.places[self.facts.name].text
        if facts.numeric and facts.constant:
            return f"{place}: always {facts.low:g}"
        if facts.numeric:
            return f"{place}: {facts.low:g} to {facts.high:g}"
        few = facts.type == "text" and 2 <= facts.distinct <= 4 and self.value > -2
        return f"{place}: {', '.join(map(str, facts.values))}" if few else ""


def _candidates(
    table: Frame, facts: dict[str, Facts], layout: Layout, score: str
) -> Iterator[Candidate]:
    """Columns of a frame that may be the score; `score`: the place that the user gives."""
    lasts = Counter(name.rpartition(".")[2] for name in facts)
    spread = next((name for name in facts if name.startswith("{") and table.group), "")
    certain = score or layout.roles.get("score") or spread
    for name, column in facts.items():
        if table.places[name].part not in ("field", "list"):
            continue
        value = roles.score_weight(column, len(table.data))
        value -= 3.0 * (lasts[name.rpartition(".")[2]] > 6)  # keys that are values
        value = SURE if name == certain else min(value, 0.0) if score else value
        yield Candidate(value, column, facts, table, layout)


def _tried(proposal: Proposal, family: Family, root: Path) -> tuple[Source | None, str]:
    """The source, if a trial bears it out; else why not."""
    try:
        trial = judge.read(proposal.entry, root)
    except Error as error:
        return None, str(error).replace("sources.trial", "it").replace("config.yaml: ", "")
    if reason := judge.unreadable(trial):
        return None, reason
    drawn, reasons = drawable(proposal, trial)
    if not drawn:
        return None, reasons[0]
    return Source(proposal, trial, drawn, family.paths), ""


def drawable(proposal: Proposal, trial: Trial) -> tuple[list[Figure], list[str]]:
    """The figures that say something, those that show most first; why the others do not."""
    params = proposal.entry.get("params", {})
    types = {n: type_["type"] if isinstance(type_, dict) else type_ for n, type_ in params.items()}
    types |= {n: "str" for n in trial.source.columns().params if n not in types}
    sweep = figures.Sweep(trial.samples, types, _metric(proposal, trial), proposal.pooled)
    if sweep.metric.startswith("printed") and not sweep.dimensions:
        sweep = replace(sweep, pooled=[])  # repetitions are all that varies
    drawn: list[Figure] = []
    reasons: list[str] = []
    for figure in figures.figures(sweep):
        reason = judge.undrawable(trial, figure, numbered=proposal.numbered)
        if reason and not (proposal.graded and reason.startswith(judge.EQUAL)):
            reasons.append(reason)
            if not drawn and len(reasons) == 1 and reason.startswith(judge.EQUAL):
                return [], reasons
        else:
            drawn.append(figure)
    return drawn, reasons


def _metric(proposal: Proposal, trial: Trial) -> str:
    """pass@1 where all scores are 0 or 1; else the mean of the score."""
    if proposal.numbered:
        return proposal.metric
    single = trial.samples["score"].drop_nulls().is_in([0.0, 1.0]).all()
    return "pass@1" if single and "range" not in proposal.entry else "mean(score)"


def answered(question: Open, option: Option, root: Path) -> Source | Open:
    """The source that an answer stands for, tried; the question, where it cannot be read."""
    trial = judge.read(option.proposal.entry, root)
    if judge.unreadable(trial):
        return question
    drawn, _ = drawable(option.proposal, trial)
    return Source(option.proposal, trial, drawn, question.paths) if drawn else question
