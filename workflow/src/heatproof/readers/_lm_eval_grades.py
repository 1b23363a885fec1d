"""Grade each repeat of an lm-evaluation-harness record as its task does, and check that.

The harness keeps the metric of the filtered answer only. What is computed here must give for the
first repeat what the harness stored, answer and metric; a record for which it does not is refused.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any

from heatproof.errors import Error
from heatproof.readers._params import excerpted, unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from heatproof.readers._lm_eval_runs import Run
    from heatproof.readers.lm_eval import Entry

    Step = Callable[[str], str]

SELECTING = ("take_first", "take_first_k")
"""Filters that choose among repeats and leave each as it is."""
VOTING = "majority_vote"


class Grader:
    """Scores of a record's repeats, for one metric and filter of a run.

    Raises:
        Error: on first need, when the task grades in a way that cannot be repeated from its log.
    """

    def __init__(self, run: Run, metric: str, chosen: str, entry: Entry) -> None:
        self.run, self.metric, self.chosen, self.range = run, metric, chosen, entry.range
        self._filters = _filters(run.settings, chosen)
        votes = any(step.get("function") == VOTING for step in self._filters)
        self.each = entry.repeats == "each" and not votes
        self._steps: list[Step] | None = None

    def scores(self, record: Any) -> list[float | None]:
        """The stored score, and behind it the computed ones of the other repeats."""
        stored = None if record.score is None else float(record.score)
        answers = _repeats(record.resps)
        if not self.each or len(answers) < 2:
            return [stored if stored is None else unit(stored, self.range)]
        filtered = self._filtered(record, answers)
        wanted = record.target if isinstance(record.target, list) else [record.target]
        rules = _rules(self.run.settings, self.metric)
        grades: list[float | None] = [
            float(any(_same(answer, str(target), rules) for target in wanted))
            for answer in filtered
        ]
        if grades[0] != stored:
            raise Error(
                f"{self.metric} of the first repeat is stored as {stored}, "
                f"and {grades[0]} by comparing {excerpted(filtered[0])} with its target"
            )
        return grades

    def _filtered(self, record: Any, answers: list[str]) -> list[str]:
        """Each repeat as the filter leaves it; the first must be what the harness stored."""
        kept = record.filtered_resps[0] if record.filtered_resps else None
        if isinstance(kept, list):
            if len(kept) == len(answers) and all(isinstance(answer, str) for answer in kept):
                return kept
            kept = kept[0] if kept else None
        if self._steps is None:
            self._require_repeatable()
            self._steps = [_step(f) for f in self._filters if f.get("function") not in SELECTING]
        for step in self._steps:
            answers = [step(answer) for answer in answers]
        if answers[0] != kept:
            raise Error(
                f"filter {self.chosen!r} gives {excerpted(answers[0])} for the first repeat, "
                f"and {excerpted(kept)} is stored"
            )
        return answers

    def _require_repeatable(self) -> None:
        if self.metric != "exact_match" or self.run.settings.get("process_results"):
            raise Error(
                f"repeats cannot be graded: {self.metric!r} of task {self.run.task!r} is not plain "
                "exact_match (`repeats: stored` in config.yaml takes the stored metric alone)"
            )


def _filters(settings: dict[str, Any], chosen: str) -> list[dict[str, Any]]:
    listed = settings.get("filter_list")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and item.get("name") == chosen:
            found = item.get("filter")
            return [f for f in found if isinstance(f, dict)] if isinstance(found, list) else []
    return []


def _repeats(resps: list[Any]) -> list[str]:
    """The repeats of a generation; none for log-likelihoods, which are not texts."""
    if len(resps) != 1 or not isinstance(resps[0], list):
        return []
    return resps[0] if all(isinstance(answer, str) for answer in resps[0]) else []


def _step(given: dict[str, Any]) -> Step:
    """One filter that changes an answer, as the harness defines it.

    Raises:
        Error: it is none of those known here.
    """
    function = given.get("function")
    if function == "regex":
        return _regex(given)
    steps: dict[Any, Step] = {
        "remove_whitespace": str.lstrip,
        "lowercase": str.lower,
        "uppercase": str.upper,
    }
    if function not in steps:
        raise Error(
            f"repeats cannot be filtered by {function!r} "
            "(`repeats: stored` in config.yaml takes the stored metric alone)"
        )
    return steps[function]


def _regex(given: dict[str, Any]) -> Step:
    """The match number `group_select` of a pattern, or `fallback`."""
    try:
        pattern = re.compile(given.get("regex_pattern", r"#### (\-?[0-9\.\,]+)"))
        select = int(given.get("group_select", 0))
        fallback = str(given.get("fallback", "[invalid]"))
    except (re.error, TypeError, ValueError) as error:
        raise Error(f"the regex filter of the task is not usable: {error}") from error

    def step(answer: str) -> str:
        found: list[Any] = pattern.findall(answer)
        if not -len(found) <= select < len(found):
            return fallback
        match = found[select]
        if isinstance(match, tuple):
            match = next((group for group in match if group), fallback)
        return str(match).strip()

    return step


def _rules(settings: dict[str, Any], metric: str) -> dict[str, Any]:
    listed = settings.get("metric_list")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and item.get("metric") == metric:
            return item
    return {}


def _same(answer: str, target: str, rules: dict[str, Any]) -> bool:
    """Exact match under the metric's own options (ignore_case, regexes_to_ignore, …)."""
    return _plain(answer, rules) == _plain(target, rules)


def _plain(text: str, rules: dict[str, Any]) -> str:
    ignored = rules.get("regexes_to_ignore")
    for pattern in ignored if isinstance(ignored, list) else []:
        try:
            text = re.sub(pattern, "", text)
        except (re.error, TypeError) as error:
            raise Error(f"the metric ignores {pattern!r}, no regular expression") from error
    if rules.get("ignore_case"):
        text = text.lower()
    if rules.get("ignore_punctuation"):
        text = text.translate(str.maketrans("", "", string.punctuation))
    if rules.get("ignore_numbers"):
        text = text.translate(str.maketrans("", "", string.digits))
    return text
