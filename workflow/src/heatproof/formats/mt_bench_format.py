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

from heatproof.formats import harness
from heatproof.formats.params import Int64  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = -1
"""The score where the judge gave none."""
WON = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}
"""Winner of a game → the score of the first model."""


class Entry(harness.Placed, kw_only=True):
    """Keys of an `mt_bench` source."""

    range: list[float] = msgspec.field(default_factory=lambda: [1.0, 10.0])
    """The lowest and highest score of a single judgment, brought to 0 and 1."""
    own: ClassVar[dict[str, Any]] = {"judge": "str", "turn": "int", "opponent": "str"}
    usual: ClassVar[tuple[str, ...]] = (r"(?:^|/)(?P<task>[^/]+)/model_judgment/[^/]+$",)


class Judgment(msgspec.Struct, gc=False):
    """Of one answer, or of two."""

    question_id: int | str
    judge: list[str] | str | None = None
    turn: Int64 = 1
    model: str | None = None
    score: float | None = None
    model_1: str | None = None
    model_2: str | None = None
    g1_winner: str | None = None
    g2_winner: str | None = None


JUDGMENT = msgspec.json.Decoder(Judgment)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = b'"question_id"' in first and b'"judge"' in first
    told = told and (b'"score"' in first or b'"g1_winner"' in first)
    return "its lines are judgments, with question_id and judge" * (told and ".jsonl" in path)


class Reader(harness.Reader):
    """A line is a judgment."""

    def begin(self) -> None:
        self.settle({"model": "of each line", "task": "mt_bench"})
        for name in ("model", *self.entry.own):
            del self.shared[name]

    def records(self) -> Iterator[Any]:
        return self.lines(JUDGMENT)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        one: Judgment = record.value
        judge = one.judge[0] if isinstance(one.judge, list) and one.judge else one.judge or None
        of = {"sample_id": str(one.question_id), "epoch": 0, "judge": judge, "turn": one.turn}
        winners = {"g1_winner": one.g1_winner, "g2_winner": one.g2_winner}
        if not any(winners.values()):
            yield of | {"model": one.model, "opponent": None, "scorer": "score"}
            return
        if one.model_1 is None or one.model_2 is None:
            raise Error("the judgment of a pair names no two models")
        if "error" in winners.values():
            raise Error(
                "the sample has no score: the judge named no winner, which is told as error",
                "absent",
            )
        for name, winner in winners.items():
            if winner not in WON:
                raise Error(f"{name}: {winner!r:.40} is none of {', '.join(WON)}", "type")
        first = WON[str(one.g1_winner)] if one.g1_winner == one.g2_winner else WON["tie"]
        sides = ((one.model_1, one.model_2, first), (one.model_2, one.model_1, 1 - first))
        for model, opponent, score in sides:
            yield of | {"model": model, "opponent": opponent, "scorer": "wins", "score": score}

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | None:
        if record.value.model is None:
            raise Error("the judgment names no model")
        if record.value.score == FAILED:
            raise Error(
                f"the sample has no score: the judge gave none, which is told as {FAILED}", "absent"
            )
        return record.value.score  # type: ignore[no-any-return]


read = Reader.read
