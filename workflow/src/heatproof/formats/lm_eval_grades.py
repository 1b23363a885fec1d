"""Scores of the repeats in an lm-evaluation-harness record: stored, or graded as its task does.

The harness keeps the metric of the filtered answer only, or a list with one of each repeat. What is
computed here must give for the first repeat what the harness stored, answer and metric; a record
for which it does not is refused.

Filters change an answer as the harness defines them; of grades exact_match follows from the log,
and acc of choices.
"""

from __future__ import annotations

import ast
import re
import string
from typing import TYPE_CHECKING, Any

from heatproof.formats.params import excerpted, unit
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from heatproof.formats.lm_eval_format import Entry
    from heatproof.formats.lm_eval_runs import Run

    Step = Callable[[str], str]


Score = float | None

WAY_OUT = "(`repeats: stored` in config.yaml takes the stored metric alone)"


class Grader:
    """Scores of a record's repeats, for one metric and filter of a run."""

    def __init__(self, run: Run, metric: str, chosen: str, entry: Entry) -> None:
        self.run, self.metric, self.chosen, self.range = run, metric, chosen, entry.range
        self._filters = listed(run.settings, chosen)
        self._none = {str(step.get("fallback", NO_MATCH)) for step in self._filters}
        """What stands for an answer in which a filter found nothing."""
        votes = any(step.get("function") == VOTING for step in self._filters)
        self.each = entry.repeats == "each" and not votes
        self._steps: list[Step] | None = None

    def scores(self, record: Any) -> tuple[list[Score], bool]:
        """The score of each repeat, and whether those behind the first were computed here.

        Raises:
            Error: the repeats cannot be graded from the log.
        """
        texts = texts_of(record.resps)
        if isinstance(record.score, list):
            return self._listed(record.score, len(texts)), False
        stored = record.score
        pairs = likelihoods(record.resps)
        if self.each and len(texts) > 1:
            return self._matched(record, texts, stored), True
        if self.each and len(pairs) > 1:
            return self._chosen(record, pairs, stored), True
        return [self._unit(stored)], False

    def answers(self, record: Any, number: int) -> list[str | None]:
        """The answer of each of a `number` of repeats, as the filter leaves it.

        None where the log does not tell it: of log-likelihoods, and of the repeats behind the first
        where the filter is not known here.
        """
        texts, kept = texts_of(record.resps), record.filtered_resps
        if not texts:
            return [None] * number
        if kept and isinstance(kept[0], list):
            kept = kept[0]
        if len(kept) != number:
            kept = self._again(record, texts)
        return [self._answer(one) for one in kept] if len(kept) == number else [None] * number

    def _again(self, record: Any, texts: list[str]) -> list[str]:
        """The repeats filtered here; none where that cannot be."""
        try:
            return self._filtered(record, texts)
        except Error:
            return []

    def _answer(self, told: Any) -> str | None:
        """An answer; empty where the filter found none and said so."""
        if not isinstance(told, str):
            return None
        return "" if told in self._none else told

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
        if self.metric != "exact_match" or any(map(settings.get, UNLIKE)):
            raise self._not_plain("exact_match")
        answers = self._filtered(record, answers)
        read = self._compared(record, answers)
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
        rules = match_rules(self.run.settings, self.metric)
        return [
            [exact(answer, wanted, rules) for answer in answers]
            for wanted in targets(record.target)
        ]

    def _chosen(self, record: Any, repeats: list[Any], stored: Score) -> list[Score]:
        """Scores by log-likelihoods: the same ones have the same, and acc follows from them."""
        if all(repeat == repeats[0] for repeat in repeats):
            return [self._unit(stored)] * len(repeats)
        settings = self.run.settings
        if self.metric != "acc" or settings.get("process_results"):
            raise self._not_plain("acc")
        grades = [accuracy(repeat, record, settings) for repeat in repeats]
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
            self._steps = steps(self._filters)
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


NO_MATCH = "[invalid]"
"""What the regex filter gives for an answer in which it finds nothing, unless it is told."""
SELECTING = ("take_first", "take_first_k")
"""Filters that choose among repeats and leave each as it is."""
VOTING = "majority_vote"

UNUSABLE = (TypeError, ValueError, OverflowError, RecursionError)
"""What Python raises of patterns, beside `re.error`, and of numbers that are none."""


def listed(settings: dict[str, Any], chosen: str) -> list[dict[str, Any]]:
    """The steps of a task's filter."""
    filters = settings.get("filter_list")
    for item in filters if isinstance(filters, list) else []:
        if isinstance(item, dict) and item.get("name") == chosen:
            found = item.get("filter")
            return [f for f in found if isinstance(f, dict)] if isinstance(found, list) else []
    return []


def steps(given: list[dict[str, Any]]) -> list[Step]:
    """Those that change an answer. Raises an Error: one of them is not known here."""
    return [_step(step) for step in given if step.get("function") not in SELECTING]


def _step(given: dict[str, Any]) -> Step:
    """One filter that changes an answer, as the harness defines it.

    Raises:
        Error: it is none of those known here.
    """
    function = given.get("function")
    if function == "regex":
        return _regex(given)
    if function == "map":
        return _map(given)
    steps: dict[str, Step] = {
        "remove_whitespace": str.lstrip,
        "lowercase": str.lower,
        "uppercase": str.upper,
    }
    if not isinstance(function, str) or function not in steps:
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
        fallback = str(given.get("fallback", NO_MATCH))
    except (re.error, *UNUSABLE) as error:
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


def _map(given: dict[str, Any]) -> Step:
    """What a table says for an answer, or `default_value`, which may be nothing."""
    table, default = given.get("mapping_dict"), given.get("default_value")
    if not isinstance(table, dict):
        raise Error("the map filter of the task has no mapping_dict")
    return lambda answer: str(table.get(answer, default))


UNLIKE = ("process_results", "doc_to_choice")
"""Settings of a task by which exact_match is something else than target against answer."""

LONGEST = 10_000
"""Characters of a target that may be a list."""


def texts_of(resps: list[Any]) -> list[str]:
    """The repeats of a generation; none for log-likelihoods, which are not texts."""
    if len(resps) != 1 or not isinstance(resps[0], list):
        return []
    return resps[0] if all(isinstance(answer, str) for answer in resps[0]) else []


def likelihoods(resps: list[Any]) -> list[list[tuple[float, bool]]]:
    """Of each repeat: log-likelihood of each choice, and whether it is the greedy one.

    Empty for generations, and where choices have unlike numbers of repeats.
    """
    try:
        choices = [[_pair(pair) for pair in choice] for choice in resps]
        return [list(repeat) for repeat in zip(*choices, strict=True)]
    except (TypeError, ValueError, OverflowError):
        return []


def _pair(pair: Any) -> tuple[float, bool]:
    """Numbers and flags are stored as texts."""
    if isinstance(pair, str):
        raise TypeError
    number, greedy = pair
    return float(number), str(greedy) == "True"


def targets(target: Any) -> list[list[str]]:
    """How a target can be read: as the one right answer, and as the list of several it may be.

    The harness writes both as text.
    """
    if isinstance(target, list):
        return [list(map(str, target))]
    text = str(target)
    found = [[text]]
    if text.startswith("[") and text.endswith("]") and len(text) <= LONGEST:
        try:
            several = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return found
        found += [list(map(str, several))] if several else []
    return found


def exact(answer: str, wanted: list[str], rules: dict[str, Any]) -> float:
    """Whether an answer is one of those wanted, under the metric's own options."""
    plain = _plain(answer, rules)
    return float(any(plain == _plain(target, rules) for target in wanted))


def accuracy(repeat: list[tuple[float, bool]], record: Any, settings: dict[str, Any]) -> float:
    """Whether the likeliest choice is the target; of a single text, whether it is the greedy one.

    Raises:
        Error: the log does not tell which choice the target is.
    """
    if settings.get("output_type") == "loglikelihood" and len(repeat) == 1:
        return float(repeat[0][1])
    numbers = [number for number, _ in repeat]
    return float(numbers.index(max(numbers)) in _indices(record, len(repeat)))


def _indices(record: Any, count: int) -> list[int]:
    """Which choices are right: the target is the number of one, its text, or a list of such."""
    requests = record.arguments
    requests = list(requests.values()) if isinstance(requests, dict) else requests
    offered = [_continuation(request) for request in requests or []]
    wanted = targets(record.target)[-1]
    numbers = {str(at): at for at in range(count)}
    named = {text: at for at, text in reversed([*enumerate(offered)]) if text}
    if len(offered) != count or not {*wanted} <= numbers.keys() | named.keys():
        raise Error(f"the log does not tell which of {count} choices the target is")
    for text in wanted:
        if text in named and numbers.get(text, named[text]) != named[text]:
            raise Error(f"the target {text!r} may be the number of a choice or its text")
    return [(numbers | named)[text] for text in wanted]


def _continuation(request: Any) -> str:
    parts = list(request.values()) if isinstance(request, dict) else request
    return str(parts[1]).strip() if isinstance(parts, list) and len(parts) > 1 else ""


def match_rules(settings: dict[str, Any], metric: str) -> dict[str, Any]:
    """The options of a metric."""
    listed = settings.get("metric_list")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and item.get("metric") == metric:
            return item
    return {}


def _plain(text: str, rules: dict[str, Any]) -> str:
    ignored = rules.get("regexes_to_ignore")
    for pattern in ignored if isinstance(ignored, list) else []:
        try:
            text = re.sub(pattern, "", text)
        except (re.error, *UNUSABLE) as error:
            raise Error(f"the metric ignores {pattern!r}, no regular expression") from error
    if rules.get("ignore_case"):
        text = text.lower()
    if rules.get("ignore_punctuation"):
        text = text.translate(str.maketrans("", "", string.punctuation))
    if rules.get("ignore_numbers"):
        text = text.translate(str.maketrans("", "", string.digits))
    return text
