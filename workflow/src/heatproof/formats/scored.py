"""Rows with their scores: lists of epochs unrolled, answers graded, games seen from both sides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.config import roles
from heatproof.formats import aggregates
from heatproof.formats.api import (
    Batch,
    Passed,
    Place,
    Reject,
    excerpt,
    sample,
    score_fault,
    score_kind,
)
from heatproof.formats.grading import graded_of, grader
from heatproof.formats.mapping import LISTED, scaled
from heatproof.formats.places import ANSWER, EACH, GRADED, VERDICT
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heatproof.formats.api import Declared, Kind
    from heatproof.formats.grading import Grade
    from heatproof.formats.mapping import Mapped


TOLD = (*GRADED, VERDICT)
"""What scores are made of; no columns of the table."""
INDEX = re.compile(r"\[\d+\]")
"""Which item of a list, where it is told what is wrong with it."""
NO_NUMBER = r"{0}: .* is not int|Expected `int`, got .* - at `\$\.{0}`"
"""What is said of an epoch that is a text; in a table, and elsewhere."""
TRUTHS = ("yes", "no", "on", "off")
"""Words that YAML takes for true or false."""
Refusal = tuple[str, "Kind"]
"""Why a row has no score, and the kind of that."""
GOOD: Refusal = ("", "")
SIDE = "model"
"""The column of the side of a game that the score is of."""


def finished(
    parts: Iterable[Batch | Declared | Passed | Reject], entry: Mapped
) -> Iterator[Batch | Declared | Passed | Reject]:
    """Batches with a row per epoch and a score in each, and the rows that have none."""
    if entry.aggregates:
        yield from aggregates.taken(parts, entry.aggregates, entry.finished)
        return
    stored = not entry.grade and not entry.verdicts and not entry.exploded()
    for part in parts:
        if isinstance(part, Reject):
            reason, kind = _hinted(_unscaled(part, entry), part.kind, entry)
            yield replace(part, reason=reason, kind=kind)
        elif not isinstance(part, Batch):
            yield part
        else:
            steps = iter((part,)) if stored else _scored(part, entry)
            for step in steps:
                if entry.versus and isinstance(step, Batch):
                    yield from _both_sides(step, entry.versus)
                else:
                    yield step


def _scored(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """The rows of a batch whose records hold lists of epochs, or no scores yet."""
    for step in _unrolled(batch, entry):
        yield from _graded(step, entry) if isinstance(step, Batch) else (step,)


def _unscaled(part: Reject, entry: Mapped) -> str:
    """The reason for a refusal; of a score, with that of the log and the ends of its scale."""
    score, ends = (part.told or part.of or {}).get("score"), entry.range.get("score", ())
    is_score = ends and not isinstance(score, str) and part.reason == score_fault(score)
    return score_fault(score, *ends) if is_score else part.reason


def _hinted(reason: str, kind: Kind, entry: Mapped) -> Refusal:
    """A refusal; where a score is a text, or an epoch, with what could be done."""
    epoch = entry.fields.get("epoch")
    if epoch and re.fullmatch(NO_NUMBER.format(re.escape(epoch)), reason):
        named = f"; `params: {{{epoch}: str}}` and `pool: [{epoch}]` would keep their names"
        told = f"{reason}; `epoch: {entry.numbers}` in config.yaml would number them"
        return told + named * (epoch.isidentifier() and epoch not in roles.TAKEN), kind
    place = entry.fields.get("score")
    if entry.verdicts or not place:
        return reason, kind
    # Of a table, or where a place fills two columns, it is refused as no number.
    cell = reason.removeprefix(f"{place}: ").removeprefix("does not fit: score: ")
    no_number = cell != reason and not any(map(str.isdigit, cell))
    spot = "$." + place.replace(f".{EACH}", "")
    if not no_number and not INDEX.sub("", reason).endswith(f"got `str` - at `{spot}`"):
        return reason, kind
    return f"{reason}; `verdicts` in config.yaml would tell what texts stand for", "verdict"


def _both_sides(batch: Batch, versus: str) -> Iterator[Batch | Reject]:
    """A batch of games of two models, and the same from the other side: who won has lost.

    `versus`: the column of the other side. A game of a model against itself has no winner, and is
    refused.
    """
    size = len(batch.places)
    sides = {
        name: list(batch.columns.get(name, [batch.shared.get(name)] * size))
        for name in (SIDE, versus)
    }
    kept = []
    for row, (model, opponent) in enumerate(zip(*sides.values(), strict=True)):
        if model != opponent and None not in (model, opponent):
            kept.append(row)
            continue
        why = "no opponents" if model is None else f"a game of {model!r:.40} against itself"
        record = sample(batch, row)
        yield Reject(batch.places[row], why, "", batch.member, told=record, samples=0, kind="grade")
    columns = {
        name: [values[row] for row in kept] for name, values in {**batch.columns, **sides}.items()
    }
    places = [batch.places[row] for row in kept]
    shared = {name: value for name, value in batch.shared.items() if name not in sides}
    yield Batch(columns, places, shared, batch.member)
    lost = [None if score is None else 1 - score for score in columns["score"]]
    turned = {SIDE: columns[versus], versus: columns[SIDE], "score": lost}
    yield Batch({**columns, **turned}, places, shared, batch.member)


def _unrolled(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """A row per item of the lists; a record whose lists differ in length is refused."""
    lists = [name for name in batch.columns if name.startswith(LISTED)]
    if not lists:
        yield batch
        return
    single = [name for name in batch.columns if name not in lists]
    names = [name.removeprefix(LISTED) for name in lists]
    columns: dict[str, list[Any]] = {name: [] for name in [*names, "epoch", *single]}
    places: list[Place] = []
    for row, place in enumerate(batch.places):
        items = {name: batch.columns[name][row] for name in lists}
        sizes = {len(item) for item in items.values() if item is not None}
        if len(sizes) != 1 or not (size := sizes.pop()):
            why = "its lists of epochs are empty or differ in length"
            shown = {name.removeprefix(LISTED): item for name, item in items.items()}
            most = max(sizes, default=1) or 1
            yield replace(_refused(batch, row, why, shown, "unscored"), samples=most)
            continue
        for name in lists:
            columns[name.removeprefix(LISTED)] += items[name] or [None] * size
        columns["epoch"] += range(size)
        for name in single:
            columns[name] += [batch.columns[name][row]] * size
        places += [place] * size
    numbers = {name for name in ("score", *entry.measures) if name in names}
    yield Batch(scaled(entry, columns, numbers), places, batch.shared, batch.member)


def _graded(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """The rows with a score; stored, or computed as `grade` says."""
    columns, size = dict(batch.columns), len(batch.places)
    refusals = _compared(columns, size, entry.grade, entry) if entry.grade else [GOOD] * size
    if VERDICT in columns:
        columns["score"] = [entry.verdicts.get(_text(told)) for told in columns[VERDICT]]
        pairs = zip(columns[VERDICT], columns["score"], strict=True)
        refusals = [
            (_unknown(told, entry), "verdict") if told is not None and score is None else GOOD
            for told, score in pairs
        ]
    if "score" in columns:
        ends = entry.range.get("score", ())
        for row, score in enumerate(columns["score"]):
            if refusals[row] is GOOD and (fault := score_fault(score, *ends)):
                refusals[row] = fault, score_kind(score)
    for row, (reason, kind) in enumerate(refusals):
        if reason:
            shown = {n: columns[n][row] for n in (*TOLD, "score", "epoch") if n in columns}
            yield replace(_refused(batch, row, reason, shown, kind), of=sample(batch, row))
    kept = [row for row, (reason, _) in enumerate(refusals) if not reason]
    left = {*TOLD} - ({ANSWER} if entry.keeps_answers() else set())
    yield Batch(
        {n: [v[row] for row in kept] for n, v in columns.items() if n not in left},
        [batch.places[row] for row in kept],
        batch.shared,
        batch.member,
    )


def _compared(
    columns: dict[str, list[Any]], size: int, grade: Grade, entry: Mapped
) -> list[Refusal]:
    """Put the score of each row among its columns; why it has none, or nothing."""
    judge, refusals = grader(grade), [GOOD] * size
    columns["score"] = [None] * size
    for row in range(size):
        answer, target = (columns[name][row] for name in GRADED)
        try:
            columns["score"][row] = _score(answer, target, entry, judge)
        except Error as error:
            refusals[row] = str(error), error.kind or "grade"
    columns["graded"] = [True] * size
    if entry.answers:
        told = (None if one is None else _text(one) for one in columns[ANSWER])
        columns[ANSWER] = [one and graded_of(one, grade) for one in told]
    return refusals


def _unknown(told: Any, entry: Mapped) -> str:
    """Why a text is refused that no verdict stands for."""
    reason = f"score {told!r:.40} is none of the verdicts; {choices(told, entry.verdicts)}"
    if str(told).lower() in TRUTHS and entry.verdicts.keys() & {"true", "false"}:
        return f"{reason}; YAML takes {told} for one of these: put it in quotes in config.yaml"
    return reason


def _score(answer: Any, target: Any, entry: Mapped, judge: Any) -> float:
    if target is None or not _text(target).strip():
        raise Error("the target is empty", "unscored")
    if answer is None or not _text(answer).strip():
        if entry.empty == "wrong":
            return 0.0
        said = "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"
        raise Error(said, "unscored")
    score: float = judge(_text(answer), _text(target))
    return score


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _refused(batch: Batch, row: int, reason: str, shown: dict[str, Any], kind: Kind) -> Reject:
    seen = excerpt(msgspec.json.encode(shown))
    score = {"score": shown.get(VERDICT, shown.get("score"))}
    place, told = batch.places[row], sample(batch, row) | score
    return Reject(place, reason, seen, batch.member, told=told, kind=kind)
