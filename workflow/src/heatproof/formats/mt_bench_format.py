"""MT-bench (FastChat): judgments, `{bench}/model_judgment/{judge}_{single,pair}.jsonl`.

A line of single judgments has a score up to 10 (1 is asked for; some judges give 0), or -1 if the
judge gave none (`fastchat/llm_judge/common.py`). A line of pairs has the winner in each order of
the two answers, and is a sample of each model: 1 for one that won both times, 0 for the other, and
½ where the orders disagree or it is a tie, as in `win_rate_adjusted` (`llm_judge/show_result.py`).
Judgments of one answer at several times (`tstamp`) are epochs; `show_result.py` takes the mean of
these too.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.params import Int64  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

FAILED = -1  # the score where the judge gave none
WON = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}
"""Winner of a game → the score of the first model."""


class Entry(harness.Placed, kw_only=True):
    """Keys of an `mt_bench` source."""

    range: list[float] = msgspec.field(default_factory=lambda: [0.0, 10.0])
    """The lowest and highest score of a single judgment, mapped to 0 and 1."""
    own: ClassVar[dict[str, Any]] = {"judge": "str", "turn": "int", "opponent": "str"}
    usual: ClassVar[tuple[str, ...]] = (r"(?:^|/)(?P<task>[^/]+)/model_judgment/[^/]+$",)


class Judgment(msgspec.Struct, gc=False):
    """A judgment of one answer, or of two."""

    question_id: int | str
    judge: list[str] | str | None = None
    turn: Int64 = 1
    model: str | None = None
    score: float | None = None
    model_1: str | None = None
    model_2: str | None = None
    g1_winner: str | None = None
    g2_winner: str | None = None
    tstamp: float | None = None


recognises = harness.sign(
    "its lines are judgments, with question_id and judge", r".*\.jsonl", b'"question_id"',
    b'"judge"', b'"(score|g1_winner)"', line=True,
)  # fmt: skip


class Reader(harness.Reader):
    """A line is a judgment."""

    def begin(self) -> None:
        self.settle({"model": "of each line", "task": "mt_bench"})
        for name in ("model", *self.entry.own):
            del self.shared[name]
        self.times: dict[tuple[Any, ...], list[float | None]] = {}
        """What was judged → when: each time is an epoch."""

    def records(self) -> Any:
        return self.lines(Judgment)

    def samples(self, record: harness.Record) -> harness.Rows:
        line: Judgment = record.value
        judge = line.judge[0] if isinstance(line.judge, list) and line.judge else line.judge or None
        row = {
            "sample_id": str(line.question_id),
            "epoch": self.epoch(line),
            "judge": judge,
            "turn": line.turn,
        }
        winners = {"g1_winner": line.g1_winner, "g2_winner": line.g2_winner}
        if not any(winners.values()):
            yield row | {"model": line.model, "opponent": None, "scorer": "score"}
            return
        if line.model_1 is None or line.model_2 is None:
            raise Error("the judgment of a pair does not name two models")
        if "error" in winners.values():
            why = "the sample has no score: the judge named no winner ('error')"
            raise Error(why, "absent")
        for name, winner in winners.items():
            if winner not in WON:
                why = f"{name}: {winner!r:.40} is none of {', '.join(WON)}"
                raise Error(why, "type", name)
        if line.g1_winner == line.g2_winner:
            first = WON[str(line.g1_winner)]
        else:
            first = WON["tie"]
        sides = ((line.model_1, line.model_2, first), (line.model_2, line.model_1, 1 - first))
        for model, opponent, score in sides:
            yield row | {"model": model, "opponent": opponent, "scorer": "wins", "score": score}

    def epoch(self, line: Judgment) -> int:
        """The number of the time at which this judge judged this answer."""
        models = (line.model, line.model_1, line.model_2)
        times = self.times.setdefault((line.question_id, str(line.judge), line.turn, *models), [])
        if line.tstamp not in times:
            times.append(line.tstamp)
        return times.index(line.tstamp)

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | None:
        if record.value.model is None:
            raise Error("the judgment names no model")
        if record.value.score == FAILED:
            why = f"the sample has no score: the judge gave none ({FAILED})"
            raise Error(why, "absent")
        return record.value.score  # type: ignore[no-any-return]


read = Reader.read
