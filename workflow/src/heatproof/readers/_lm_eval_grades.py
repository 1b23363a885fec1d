"""Scores of the repeats in an lm-evaluation-harness record: stored, or graded as its task does.

The harness keeps the metric of the filtered answer only, or a list with one of each repeat. What is
computed here must give for the first repeat what the harness stored, answer and metric; a record
for which it does not is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.readers import _lm_eval_filters as filters
from heatproof.readers import _lm_eval_match as match
from heatproof.readers._limited import Late, limited
from heatproof.readers._params import excerpted, unit
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from heatproof.readers._lm_eval_filters import Step
    from heatproof.readers._lm_eval_runs import Run
    from heatproof.readers.lm_eval import Entry

Score = float | None

WAY_OUT = "(`repeats: stored` in config.yaml takes the stored metric alone)"


class Grader:
    """Scores of a record's repeats, for one metric and filter of a run."""

    def __init__(self, run: Run, metric: str, chosen: str, entry: Entry) -> None:
        self.run, self.metric, self.chosen, self.range = run, metric, chosen, entry.range
        self._filters = filters.listed(run.settings, chosen)
        votes = any(step.get("function") == filters.VOTING for step in self._filters)
        self.each = entry.repeats == "each" and not votes
        self._steps: list[Step] | None = None
        self._late: Late | None = None

    def scores(self, record: Any) -> tuple[list[Score], bool]:
        """The score of each repeat, and whether those behind the first were computed here.

        Raises:
            Error: the repeats cannot be graded from the log.
        """
        texts = match.texts(record.resps)
        if isinstance(record.score, list):
            return self._listed(record.score, len(texts)), False
        stored = record.score
        pairs = match.likelihoods(record.resps)
        if self.each and len(texts) > 1:
            return self._matched(record, texts, stored), True
        if self.each and len(pairs) > 1:
            return self._chosen(record, pairs, stored), True
        return [self._unit(stored)], False

    def _unit(self, stored: Score) -> Score:
        return stored if stored is None else unit(stored, self.range)

    def _listed(self, stored: list[Any], repeats: int) -> list[Score]:
        """What the harness stored of each repeat."""
        if not self.each or len(stored) != repeats:
            what = f"{len(stored)} values, not one score" + (
                " for each repeat" if self.each else ""
            )
            raise Error(f"{self.metric} is a list of {what}")
        if not all(isinstance(score, int | float) for score in stored):
            raise Error(f"{self.metric} is a list of other things than numbers")
        return [self._unit(score) for score in stored]

    def _matched(self, record: Any, answers: list[str], stored: Score) -> list[Score]:
        """exact_match of each repeat, filtered, with the target."""
        settings = self.run.settings
        if self.metric != "exact_match" or any(map(settings.get, match.UNLIKE)):
            raise self._not_plain("exact_match")
        if self._late:
            raise self._late
        try:
            with limited(f"a pattern of task {self.run.task!r}"):
                answers = self._filtered(record, answers)
                read = self._compared(record, answers)
        except Late as error:
            self._late = error  # once is enough: there may be many such records
            raise
        fitting = [grades for grades in read if grades[0] == stored]
        if not fitting:
            raise Error(
                f"{self.metric} of the first repeat is stored as {stored}, "
                f"and {read[0][0]} by comparing {excerpted(answers[0])} with its target"
            )
        if any(grades != fitting[0] for grades in fitting):
            raise Error(f"the target {excerpted(record.target)} may be a text or a list of several")
        return [*fitting[0]]

    def _compared(self, record: Any, answers: list[str]) -> list[list[float]]:
        """exact_match of each answer, for each way to read the target."""
        rules = match.rules(self.run.settings, self.metric)
        return [
            [match.exact(answer, targets, rules) for answer in answers]
            for targets in match.targets(record.target)
        ]

    def _chosen(self, record: Any, repeats: list[Any], stored: Score) -> list[Score]:
        """Scores by log-likelihoods: the same ones have the same, and acc follows from them."""
        if all(repeat == repeats[0] for repeat in repeats):
            return [self._unit(stored)] * len(repeats)
        settings = self.run.settings
        if self.metric != "acc" or settings.get("process_results"):
            raise self._not_plain("acc")
        grades = [match.accuracy(repeat, record, settings) for repeat in repeats]
        if grades[0] != stored:
            raise Error(f"acc of the first repeat is stored as {stored}, computed as {grades[0]}")
        return [*grades]

    def _filtered(self, record: Any, answers: list[str]) -> list[str]:
        """Each repeat as the filter leaves it; the first must be what the harness stored."""
        kept = record.filtered_resps[0] if record.filtered_resps else None
        if isinstance(kept, list):
            if len(kept) == len(answers) and all(isinstance(answer, str) for answer in kept):
                return kept
            kept = kept[0] if kept else None
        if self._steps is None:
            self._steps = filters.steps(self._filters)
        for step in self._steps:
            answers = [step(answer) for answer in answers]
        if answers[0] != kept:
            raise Error(
                f"filter {self.chosen!r} gives {excerpted(answers[0])} for the first repeat, "
                f"and {excerpted(kept)} is stored"
            )
        return answers

    def _not_plain(self, metric: str) -> Error:
        task = self.run.task
        return Error(
            f"repeats cannot be graded: {self.metric!r} of task {task!r} is not plain {metric} "
            + WAY_OUT
        )
