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
    select,
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


SOURCES = (*GRADED, VERDICT)
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
    for part in parts:
        if isinstance(part, Batch) and entry.aggregates:
            yield from aggregates.rows_of(part, entry.aggregates, entry.finished)
        elif isinstance(part, Batch):
            for rows in _unrolled(part, entry):
                graded = _graded(rows, entry) if isinstance(rows, Batch) else (rows,)
                for step in graded:
                    sides = entry.versus and isinstance(step, Batch)
                    yield from _both_sides(step, entry.versus) if sides else (step,)  # type: ignore[arg-type]
        elif isinstance(part, Reject) and not entry.aggregates:
            reason, kind = _hinted(part, entry)
            yield replace(part, reason=reason, kind=kind)
        else:
            yield part


def _hinted(part: Reject, entry: Mapped) -> Refusal:
    """Why a record is refused: a score with the ends of its scale, a text with what to write."""
    reason, kind = part.reason, part.kind
    score, ends = (part.told or part.of or {}).get("score"), entry.range.get("score", ())
    if ends and not isinstance(score, str) and reason == str(score_fault(score)):
        reason = str(score_fault(score, *ends))
    epoch = entry.fields.get("epoch")
    if epoch and re.fullmatch(NO_NUMBER.format(re.escape(epoch)), reason):
        reason = f"{reason}; `epoch: {entry.numbers}` in config.yaml would number them"
        if epoch.isidentifier() and epoch not in roles.TAKEN:
            reason += f"; `params: {{{epoch}: str}}` and `pool: [{epoch}]` would keep their names"
        return reason, kind
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
    good = []
    for row, (model, opponent) in enumerate(zip(*sides.values(), strict=True)):
        if model != opponent and None not in (model, opponent):
            good.append(row)
            continue
        why = "no opponents" if model is None else f"a game of {model!r:.40} against itself"
        record = sample(batch, row)
        place = batch.places[row]
        yield Reject(place, why, "", batch.member, told=record, samples=0, kind="grade")
    shared = {name: value for name, value in batch.shared.items() if name not in sides}
    games = select(replace(batch, columns={**batch.columns, **sides}, shared=shared), good)
    yield games
    lost = [None if score is None else 1 - score for score in games.columns["score"]]
    turned = {SIDE: games.columns[versus], versus: games.columns[SIDE], "score": lost}
    yield replace(games, columns={**games.columns, **turned})


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
        items = {name.removeprefix(LISTED): batch.columns[name][row] for name in lists}
        sizes = {len(item) for item in items.values() if item is not None}
        if len(sizes) != 1 or not (size := sizes.pop()):
            why = "its lists of epochs are empty or differ in length"
            most = max(sizes, default=1) or 1
            yield replace(_refused(batch, row, (why, "unscored"), items), samples=most)
            continue
        for name, item in items.items():
            columns[name] += item or [None] * size
        columns["epoch"] += range(size)
        for name in single:
            columns[name] += [batch.columns[name][row]] * size
        places += [place] * size
    numbers = {"score", *entry.measures}.intersection(names)
    yield replace(batch, columns=scaled(entry, columns, numbers), places=places)


def _graded(batch: Batch, entry: Mapped) -> Iterator[Batch | Reject]:
    """The rows with a score; stored, or computed as `grade` says."""
    if not entry.grade and not entry.verdicts and not entry.exploded():
        yield batch
        return
    columns = dict(batch.columns)
    refusals = _judged(columns, len(batch.places), entry)
    for row, refusal in enumerate(refusals):
        if refusal is not GOOD:
            cells = {n: columns[n][row] for n in (*SOURCES, "score", "epoch") if n in columns}
            yield replace(_refused(batch, row, refusal, cells), of=sample(batch, row))
    left = {*SOURCES} - ({ANSWER} if entry.keeps_answers() else set())
    rows = replace(batch, columns={n: v for n, v in columns.items() if n not in left})
    yield select(rows, [row for row, refusal in enumerate(refusals) if refusal is GOOD])


def _judged(columns: dict[str, list[Any]], size: int, entry: Mapped) -> list[Refusal]:
    """Put the score of each row among its columns; why it has none, or nothing."""
    refusals = _compared(columns, size, entry.grade, entry) if entry.grade else [GOOD] * size
    if VERDICT in columns:
        columns["score"] = [entry.verdicts.get(_text(text)) for text in columns[VERDICT]]
        for row, (text, score) in enumerate(zip(columns[VERDICT], columns["score"], strict=True)):
            if text is not None and score is None:
                refusals[row] = _unknown(text, entry), "verdict"
    ends = entry.range.get("score", ())
    for row, score in enumerate(columns.get("score", ())):
        if refusals[row] is GOOD and (fault := score_fault(score, *ends)):
            refusals[row] = str(fault), fault.kind
    return refusals


def _compared(
    columns: dict[str, list[Any]], size: int, grade: Grade, entry: Mapped
) -> list[Refusal]:
    """The same where answers are compared with targets."""
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
        answers = (None if value is None else _text(value) for value in columns[ANSWER])
        columns[ANSWER] = [answer and graded_of(answer, grade) for answer in answers]
    return refusals


def _unknown(text: Any, entry: Mapped) -> str:
    """Why a text is refused that no verdict stands for."""
    reason = f"score {text!r:.40} is none of the verdicts; {choices(text, entry.verdicts)}"
    if str(text).lower() in TRUTHS and entry.verdicts.keys() & {"true", "false"}:
        return f"{reason}; YAML takes {text} for one of these: put it in quotes in config.yaml"
    return reason


def _score(answer: Any, target: Any, entry: Mapped, judge: Any) -> float:
    if target is None or not _text(target).strip():
        raise Error("the target is empty", "unscored")
    if answer is None or not _text(answer).strip():
        if entry.empty == "wrong":
            return 0.0
        message = "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"
        raise Error(message, "unscored")
    score: float = judge(_text(answer), _text(target))
    return score


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _refused(batch: Batch, row: int, refusal: Refusal, cells: dict[str, Any]) -> Reject:
    shown, (reason, kind) = excerpt(msgspec.json.encode(cells)), refusal
    record = sample(batch, row) | {"score": cells.get(VERDICT, cells.get("score"))}
    return Reject(batch.places[row], reason, shown, batch.member, told=record, kind=kind)
