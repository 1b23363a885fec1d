"""Rows with their scores: lists of epochs unrolled, answers graded, games seen from both sides."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

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
from heatproof.formats.params import number_from_text
from heatproof.formats.places import ANSWER, GRADED, VERDICT
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heatproof.formats.api import Declared
    from heatproof.formats.mapping import Mapped


SOURCES = (*GRADED, VERDICT)
"""What scores are made of; no columns of the table."""
TRUTHS = ("yes", "no", "on", "off")
"""Words that YAML takes for true or false."""
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
                for step in _graded(rows, entry) if isinstance(rows, Batch) else (rows,):
                    sides = entry.versus and isinstance(step, Batch)
                    yield from _both_sides(step, entry.versus) if sides else (step,)  # type: ignore[arg-type]
        elif isinstance(part, Reject) and part.kind == "type" and _is_text(part, "epoch"):
            way_out = f"`epoch: {entry.numbers}` in config.yaml would number them"
            yield replace(part, reason=f"{part.reason}; {way_out}")
        elif isinstance(part, Reject) and part.kind == "type" and not entry.verdicts:
            yield replace(part, kind="verdict") if _is_text(part, "score") else part
        else:
            yield part


def _is_text(part: Reject, column: str) -> bool:
    """Whether a value of a refused record is a text that is no number."""
    values = (part.told or part.of or {}).get(column)
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, str):
            with suppress(ValueError):
                number_from_text(value)
                continue
            return True
    return False


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
            why = Error("its lists of epochs are empty or differ in length", "unscored")
            yield replace(_refused(batch, row, why, items), samples=max(sizes, default=1) or 1)
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
    """The rows with a score, stored or computed as `grade` says; the others one by one."""
    columns, faults = dict(batch.columns), dict[int, Error]()
    if entry.grade:
        _compare(columns, faults, entry)
    for row, text in enumerate(columns.get(VERDICT, ())):
        if text is not None and _text(text) not in entry.verdicts:
            faults[row] = _unknown(text, entry)
    if VERDICT in columns:
        columns["score"] = [entry.verdicts.get(_text(text)) for text in columns[VERDICT]]
    scores, ends = columns.get("score", []), entry.range.get("score", ())
    wrong = {score: fault for score in set(scores) if (fault := score_fault(score, *ends))}
    for row, score in enumerate(scores) if wrong else ():
        if score in wrong:
            faults.setdefault(row, wrong[score])
    for row in sorted(faults):
        cells = {name: values[row] for name, values in columns.items()}
        record = sample(replace(batch, columns=columns), row)
        yield replace(_refused(batch, row, faults[row], cells), of=record)
    left = {*SOURCES} - ({ANSWER} if entry.keeps_answers() else set())
    rows = replace(batch, columns={n: v for n, v in columns.items() if n not in left})
    kept = [row for row in range(len(batch.places)) if row not in faults]
    yield select(rows, kept) if faults else rows


def _compare(columns: dict[str, list[Any]], faults: dict[int, Error], entry: Mapped) -> None:
    """Put scores among the columns: answers are compared with targets."""
    grade = entry.grade or "exact"
    judge, size = grader(grade), len(columns[ANSWER])
    columns |= {"score": [None] * size, "graded": [True] * size}
    for row, (answer, target) in enumerate(zip(*map(columns.__getitem__, GRADED), strict=True)):
        try:
            if target is None or not _text(target).strip():
                raise Error("the target is empty", "unscored")
            if answer is not None and _text(answer).strip():
                columns["score"][row] = judge(_text(answer), _text(target))
            elif entry.empty == "wrong":
                columns["score"][row] = 0.0
            else:
                message = (
                    "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"
                )
                raise Error(message, "unscored")
        except Error as error:
            faults[row] = Error(str(error), error.kind or "grade")
    if entry.answers:
        answers = (None if value is None else _text(value) for value in columns[ANSWER])
        columns[ANSWER] = [answer and graded_of(answer, grade) for answer in answers]


def _unknown(text: Any, entry: Mapped) -> Error:
    """Why a text is refused that no verdict stands for."""
    reason = f"score {text!r:.40} is none of the verdicts; {choices(text, entry.verdicts)}"
    if str(text).lower() in TRUTHS and entry.verdicts.keys() & {"true", "false"}:
        reason += f"; YAML takes {text} for one of these: put it in quotes in config.yaml"
    return Error(reason, "verdict")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _refused(batch: Batch, row: int, why: Error, cells: dict[str, Any]) -> Reject:
    shown = excerpt(msgspec.json.encode(cells))
    record = sample(batch, row) | {"score": cells.get(VERDICT, cells.get("score"))}
    return Reject(batch.places[row], str(why), shown, batch.member, told=record, kind=why.kind)
