"""BFCL (Berkeley function calling): lines of `result/{model}/…/BFCL_v4_{category}_result.json`.

`score/{model}/…/BFCL_v4_{category}_score.json` grades them: its first line counts all, the others
are the failures alone (`eval_checker/eval_runner_helper.py`). So an answer is right if no failure
has its id, provided that both files count the same. An answer in whose place an exception stands
(`traceback`; `_llm_response_generation.py`) is missing. Printed: `accuracy`.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.logs.streams import UNENDED
from heatproof.util.errors import Error

NAME = re.compile(
    r"(?P<above>(?:.*/)?)result[^/]*/(?P<below>(?P<model>[^/]+)/(?:[^/]+/)*BFCL_(?:v\d+_)?"
    r"(?P<task>.+))_result\.json"
)
FORM = "result/{model}/…/BFCL_v4_{category}_result.json"


class Entry(harness.Placed, kw_only=True):
    """Keys of a `bfcl` source; `logs` names the result files."""

    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")
    usual: ClassVar[tuple[str, ...]] = (NAME.pattern + "$",)
    form: ClassVar[str] = FORM
    others: ClassVar[str] = r"(?:.*/)?score/(?:.*_score\.json|data_[a-z_]+\.csv)"
    prints: ClassVar[str] = "sidecar"

    def settings_files(self, path: str) -> list[str]:
        match = NAME.fullmatch(path)
        if match:
            return [f"{match['above']}score/{match['below']}_score.json"]
        return []


class Answer(msgspec.Struct, gc=False):
    """A line of a result file."""

    id: str
    traceback: Any = None
    output_token_count: Any = None
    latency: Any = None


class Graded(msgspec.Struct, gc=False):
    """A line of a score file: the counts, or a failure."""

    accuracy: float | None = None
    correct_count: int | None = None
    total_count: int | None = None
    id: str | None = None
    valid: bool | None = None


recognises = harness.sign(
    f"it is named {FORM} and has ids and results", NAME.pattern, b'"id"', b'"result"', line=True
)


class Reader(harness.Reader):
    """A line is an answer."""

    def begin(self) -> None:
        self.settle({})
        self.shared["scorer"] = "valid"
        counts, *failures = self.score_lines()
        self.failures = {line.id for line in failures}
        self.held = list(self.lines(Answer))
        self.require_counted(counts)

    def require_counted(self, counts: Graded) -> None:
        """Raise Error unless the score file counts these very answers."""
        answers = len(self.held)
        refused = [answer for answer in self.held if isinstance(answer, harness.Reject)]
        if any(reject.whole for reject in refused):
            return
        if answers < (counts.total_count or 0):
            message = f"the score file counts {counts.total_count} answers, the log has {answers}"
            raise Error(f"{message} and ends too early: {UNENDED}", "unended")
        ids = {answer.value.id for answer in self.held if isinstance(answer, harness.Record)}
        right = len(ids - self.failures)
        lost = (counts.correct_count or 0) - right
        if answers != counts.total_count or not 0 <= lost <= len(refused):
            raise Error(
                f"the score file counts {counts.correct_count} right of {counts.total_count}, but "
                f"{right} of these {answers} answers are not among its failures: "
                "evaluate them again", "missing",
            )  # fmt: skip

    def score_lines(self) -> list[Graded]:
        """The lines of the score file: counts, then failures. Raises Error: there is none."""
        for path in self.entry.sidecars(self.path, self.log.root):
            return self.lines_beside(path, Graded)
        raise Error("no score file for it: run `bfcl evaluate`", "missing")

    def samples(self, record: harness.Record) -> harness.Rows:
        answer: Answer = record.value
        counts = answer.output_token_count
        tokens = counts if isinstance(counts, int | float) else None
        time = answer.latency if isinstance(answer.latency, int | float) else None
        yield {"sample_id": answer.id, "epoch": 0, "tokens": tokens, "time": time}

    def score(self, record: harness.Record, row: dict[str, Any]) -> bool:
        if record.value.traceback is not None:
            raise Error("sample ended in an error: an exception stands for the answer", "absent")
        return record.value.id not in self.failures

    def printed_numbers(self) -> harness.Numbers:
        for path in self.entry.sidecars(self.path, self.log.root):
            yield self.number("accuracy", self.score_lines()[0].accuracy, file=path)


read = Reader.read
printed = Reader.printed
