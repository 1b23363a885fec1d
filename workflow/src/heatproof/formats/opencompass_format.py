"""OpenCompass: `results/{model}/{dataset}.json` with `details` (`tasks/openicl_eval.py`).

Without `--dump-eval-details` the file has no details, and is refused. They have two shapes:

- a list, each item a problem with `example_abbr`, and under each key a list with one value for each
  replica of the data set (`icl_evaluator/icl_base_evaluator.py`, since April 2025);
- an object whose keys are numbers, each item a problem, beside a `type` (GEN, PPL).

The score is `correct`, else `is_correct`, else `cascade_correct`, as there. Evaluators that count
equal texts (`AccEvaluator`) write none of these, only `predictions` and `references`: then an
answer is right if both are equal, provided that the printed accuracy is the share of such answers.
Printed: `accuracy` in percent, the mean over problems and replicas.
"""

from __future__ import annotations

import re
from functools import cached_property
from math import isclose
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_number
from heatproof.formats.decoding import decoded
from heatproof.util.errors import Error, Mistake, choices

CORRECT = ["correct", "is_correct", "cascade_correct"]
TYPE = "type"  # a key beside the problems
PRINTED = re.compile(r"(accuracy|score)( \(\d+ runs average\))?")


class Entry(harness.Placed, kw_only=True):
    """Keys of an `opencompass` source."""

    score: str | list[str] = msgspec.field(default_factory=lambda: list(CORRECT))
    """Key of a problem's score; of a list, the first that is there."""
    usual: ClassVar[tuple[str, ...]] = (r"(?:^|/)(?P<model>[^/]+)/(?P<task>[^/]+)\.json$",)
    prints: ClassVar[str] = "log"
    others: ClassVar[str] = r"(?:.*/)?(?:predictions/.*\.json|summary/summary_[^/]*)"

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        problems += harness.preference_mistakes("score", self.score)
        return problems


recognises = harness.sign(
    "it has details with example_abbr or a type", r".*\.json",
    rb'(?s)"details".*("example_abbr"|"type":\s*"(?:GEN|PPL)")',
)  # fmt: skip


class Texts(msgspec.Struct, gc=False):
    """The answer to a problem and its reference, as texts."""

    predictions: str
    references: str


TEXTS = Texts.__struct_fields__


class Reader(harness.Reader):
    """The log is a document; a record is a problem, with a sample for each replica."""

    def begin(self) -> None:
        details = self.member("details", "it has only aggregates, no problems: run "
                              "OpenCompass with --dump-eval-details")  # fmt: skip
        self.held = [record for record in self.items(details) if record.key != TYPE]
        if not self.held:
            raise Error("the log holds no problems")
        self.settle({})

    @cached_property
    def counts_equal_texts(self) -> bool:
        """Whether the printed accuracy is the share of predictions that equal the reference."""
        problems = [decoded(record.data, Texts) for record in self.held]
        right = sum(problem.predictions == problem.references for problem in problems)
        accuracy = printed_number(decoded(self.data, dict[str, Any]).get("accuracy"))
        return accuracy is not None and isclose(accuracy, 100 * right / len(problems))

    def samples(self, record: harness.Record) -> harness.Rows:
        problem = decoded(record.data, dict[str, Any])
        names = harness.names_of(self.entry.score)
        key = next((name for name in names if name in problem), None)
        if key is None and set(TEXTS) <= set(problem):
            yield self.compared(record)
            return
        if key is None:
            raise Error(f"the problem has none of {', '.join(names)} (`score` in config.yaml); "
                        f"{choices(names[0], problem)}", "missing")  # fmt: skip
        self.values = problem[key] if isinstance(problem[key], list) else [problem[key]]
        if not self.values:
            raise Error(f"{key} is an empty list", "unscored")
        name = str(problem.get("example_abbr", record.key))
        for epoch in range(len(self.values)):
            yield {"sample_id": name, "epoch": epoch, "scorer": key, "graded": False}

    def compared(self, record: harness.Record) -> dict[str, Any]:
        """The sample of a problem that has an answer and its reference, but no score."""
        if not self.counts_equal_texts:
            raise Error("the problem has no score, and the printed accuracy is not the share of "
                        "predictions that equal the reference", "unscored")  # fmt: skip
        texts = decoded(record.data, Texts)
        score = float(texts.predictions == texts.references)
        name = {"sample_id": record.key, "epoch": 0, "scorer": "exact match"}
        return name | {"score": score, "graded": True}

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        return self.values[row["epoch"]]

    def printed_numbers(self) -> harness.Numbers:
        for name, value in decoded(self.document(), dict[str, Any]).items():
            if PRINTED.fullmatch(name):
                yield self.number(name, value, over="all", low=0.0, high=100.0)


read = Reader.read
printed = Reader.printed
