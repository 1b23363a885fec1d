"""MT-bench (FastChat): judgments, `{bench}/model_judgment/{judge}_{single,pair}.jsonl`.

A line of single judgments has a score from 1 to 10, or -1 where none was found in the words of the
judge (`fastchat/llm_judge/common.py`). A line of pairs says who won in each order of the two
answers: each of the models has a sample of it, 1 for one that won both times, 0 for the other, and
½ where the orders disagree or it is a tie, as in `win_rate_adjusted` (`llm_judge/show_result.py`).
It prints nothing beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.readers.api import Place, Reject, excerpt
from heatproof.readers.harness import Placed, Refused, Rows, settings
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.params import Int64, unit
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers.api import Batch, Log


FAILED = -1
"""The score where the judge gave none."""
WON = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}
"""Winner of a game → the score of the first model."""
ERROR = "error"
SINGLE, PAIR = "score", "wins"
"""What the scorer is called."""


class Entry(Placed, kw_only=True):
    """Keys of an `mt_bench` source."""

    range: list[float] = msgspec.field(default_factory=lambda: [1.0, 10.0])
    """The lowest and highest score of a single judgment, brought to 0 and 1."""

    own: ClassVar[dict[str, Any]] = {"judge": "str", "turn": "int", "opponent": "str"}
    usual: ClassVar[str] = r"(?:^|/)(?P<task>[^/]+)/model_judgment/[^/]+$"


class Record(msgspec.Struct, gc=False):
    """A judgment, of one answer or of two."""

    question_id: int | str
    judge: list[str] | str | None = None
    turn: Int64 = 1
    model: str | None = None
    score: float | None = None
    model_1: str | None = None
    model_2: str | None = None
    g1_winner: str | None = None
    g2_winner: str | None = None


DECODER = msgspec.json.Decoder(Record)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    if ".jsonl" not in path or b'"question_id"' not in first or b'"judge"' not in first:
        return ""
    single, pair = b'"score"' in first, b'"g1_winner"' in first
    return "its lines are judgments, with question_id and judge" if single or pair else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log: one for a judgment of an answer, two for one of a pair."""
    try:
        shared = settings(entry, log.path, {"model": "of each line", "task": "mt_bench"})
    except Refused as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    of_line = ("model", *entry.own)
    shared = {name: value for name, value in shared.items() if name not in of_line}
    for part in read_lines(log, DECODER, as_records, shared):
        if isinstance(part, Reject):
            yield part
            continue
        rows = Rows(shared, entry.range)
        for place, record in zip(part.places, part.columns["record"], strict=True):
            yield from _taken(rows, place, record, entry)
        yield rows.batch()


def _taken(rows: Rows, place: Place, record: Record, entry: Entry) -> Iterator[Reject]:
    judge = record.judge[:1] if isinstance(record.judge, list) else [record.judge]
    of: dict[str, Any] = {"sample_id": str(record.question_id), "epoch": 0}
    of |= {"judge": next(iter(judge), None), "turn": record.turn}
    if record.g1_winner is None and record.g2_winner is None:
        of |= {"model": record.model, "opponent": None, "scorer": SINGLE}
        try:
            yield from rows.take(place, {**of, "score": _single(record, entry)}, record)
        except Error as error:
            yield rows.lost(place, str(error), record, **of)
        return
    try:
        first = _first(record)
    except Error as error:
        yield Reject(place, str(error), excerpt(msgspec.json.encode(record)))
        return
    pair = ((record.model_1, record.model_2, first), (record.model_2, record.model_1, 1 - first))
    for model, opponent, score in pair:
        told = {**of, "model": model, "opponent": opponent, "scorer": PAIR}
        yield from rows.take(place, {**told, "score": score}, record)


def _single(record: Record, entry: Entry) -> float | None:
    if record.model is None:
        raise Error("the judgment names no model")
    if record.score == FAILED:
        raise Error(f"the sample has no score: the judge gave none, which is told as {FAILED}")
    return None if record.score is None else unit(record.score, entry.range)


def _first(record: Record) -> float:
    """The score of the first model of a pair."""
    if record.model_1 is None or record.model_2 is None:
        raise Error("the judgment of a pair names no two models")
    winners = (record.g1_winner, record.g2_winner)
    if ERROR in winners:
        raise Error("the sample has no score: the judge named no winner, which is told as error")
    for name, winner in zip(("g1_winner", "g2_winner"), winners, strict=True):
        if winner not in WON:
            raise Error(f"{name}: {winner!r:.40} is none of {', '.join(WON)}")
    first, second = winners
    return WON[str(first)] if first == second else WON["tie"]
