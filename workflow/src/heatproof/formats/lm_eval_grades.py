"""Grades of the repeats in a record of lm-evaluation-harness that stored only the first.

The metric beside the repeats is mostly that of the filtered answer alone. What is computed here
must give for the first repeat what the harness stored, answer and metric; a record for which it
does not is refused. Filters change an answer as the harness defines them; of metrics exact_match
follows from the log.
"""

from __future__ import annotations

import ast
import re
import string
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.documents import objects_in
from heatproof.formats.params import excerpted
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

WAY_OUT = "(`repeats: stored` in config.yaml takes the stored metric alone)"
NO_MATCH = "[invalid]"
"""What the regex filter gives for an answer in which it finds nothing, unless it is told."""
SELECTING = ("take_first", "take_first_k")
"""Filters that choose among repeats and leave each as it is."""
PLAIN: dict[Any, Callable[[str], str]] = {
    "remove_whitespace": str.lstrip, "lowercase": str.lower, "uppercase": str.upper,
}  # fmt: skip
UNUSABLE = (re.error, TypeError, ValueError, OverflowError, RecursionError)
"""What Python raises of patterns, and of numbers that are none."""
UNLIKE = ("process_results", "doc_to_choice")
"""Settings of a task by which exact_match is something else than target against answer."""
LONGEST = 10_000
"""Characters of a target that may be a list."""


class Task(NamedTuple):
    """What decides the grades of a task."""

    name: str
    settings: dict[str, Any]
    metric: str
    filter: str

    def steps(self) -> list[dict[str, Any]]:
        """The steps of the filter."""
        return objects_in(item_of(self.settings, "filter_list", "name", self.filter), "filter")

    def votes(self) -> bool:
        return any(step.get("function") == "majority_vote" for step in self.steps())

    def fallbacks(self) -> set[str]:
        """What stands for an answer in which a filter found nothing."""
        return {str(step.get("fallback", NO_MATCH)) for step in self.steps()}


def item_of(settings: dict[str, Any], key: str, field: str, value: str) -> dict[str, Any]:
    """The first object of a list in the settings that has a value in a field; or an empty one."""
    return next((item for item in objects_in(settings, key) if item.get(field) == value), {})


def exact_matches(record: Any, task: Task, answers: list[str]) -> list[float]:
    """exact_match of each repeat, filtered, with the target.

    Raises:
        Error: the repeats cannot be graded from the log.
    """
    if task.metric != "exact_match" or any(map(task.settings.get, UNLIKE)):
        which = f"{task.metric!r} of task {task.name!r}"
        raise Error(f"repeats cannot be graded: {which} is not plain exact_match {WAY_OUT}")
    answers = filtered(record, task, answers)
    rules = item_of(task.settings, "metric_list", "metric", task.metric)
    readings = [
        [exact(answer, target, rules) for answer in answers] for target in targets(record.target)
    ]
    fitting = [grades for grades in readings if grades[0] == record.score]
    if not fitting:
        raise Error(
            f"{task.metric} of the first repeat is stored as {record.score}, "
            f"and {readings[0][0]} by comparing {excerpted(answers[0])} with its target"
        )
    if any(grades != fitting[0] for grades in fitting):
        raise Error(f"the target {excerpted(record.target)} may be a text or a list of several")
    return fitting[0]


def filtered(record: Any, task: Task, answers: list[str]) -> list[str]:
    """Each repeat as the filter leaves it; the first must be what the harness stored."""
    kept = record.filtered_resps[0] if record.filtered_resps else None
    if isinstance(kept, list):
        if len(kept) == len(answers) and all(isinstance(answer, str) for answer in kept):
            return kept
        kept = kept[0] if kept else None
    for step in task.steps():
        if step.get("function") not in SELECTING:
            answers = [*map(step_function(step), answers)]
    if answers[0] != kept:
        raise Error(
            f"filter {task.filter!r} gives {excerpted(answers[0])} for the first repeat, "
            f"and {excerpted(kept)} is stored"
        )
    return answers


def step_function(step: dict[str, Any]) -> Callable[[str], str]:
    """One filter that changes an answer, as the harness defines it. Raises Error: it is unknown."""
    name = step.get("function")
    if name == "regex":
        return _regex(step)
    if name == "map":
        table, default = step.get("mapping_dict"), step.get("default_value")
        if not isinstance(table, dict):
            raise Error("the map filter of the task has no mapping_dict")
        return lambda answer: str(table.get(answer, default))
    if not isinstance(name, str) or name not in PLAIN:
        raise Error(f"repeats cannot be filtered by {name!r} {WAY_OUT}")
    return PLAIN[name]


def _regex(step: dict[str, Any]) -> Callable[[str], str]:
    """The match number `group_select` of a pattern, or `fallback`."""
    try:
        pattern = re.compile(step.get("regex_pattern", r"#### (\-?[0-9\.\,]+)"))
        select = int(step.get("group_select", 0))
        fallback = str(step.get("fallback", NO_MATCH))
    except UNUSABLE as error:
        raise Error(f"the regex filter of the task is not usable: {error}") from error

    def extract(answer: str) -> str:
        matches: list[Any] = pattern.findall(answer)
        if not -len(matches) <= select < len(matches):
            return fallback
        match = matches[select]
        if isinstance(match, tuple):
            match = next((group for group in match if group), fallback)
        return str(match).strip()

    return extract


def texts_of(resps: list[Any]) -> list[str]:
    """The repeats of a generation; none for log-likelihoods, which are not texts."""
    if len(resps) != 1 or not isinstance(resps[0], list):
        return []
    return resps[0] if all(isinstance(answer, str) for answer in resps[0]) else []


def likelihoods(resps: list[Any]) -> int:
    """The number of repeats of a record of log-likelihoods, which have one score if they are alike;
    0 of other records. Raises Error: they differ.
    """
    choices = [choice for choice in resps if isinstance(choice, list)]
    if len({len(choice) for choice in choices}) != 1 or len(choices) < len(resps):
        return 0
    if not all(isinstance(pair, list) for choice in choices for pair in choice):
        return 0
    if any(pair != choice[0] for choice in choices for pair in choice):
        raise Error(f"repeats cannot be graded: their log-likelihoods differ {WAY_OUT}")
    return len(choices[0])


def targets(target: Any) -> list[list[str]]:
    """How a target can be read: as the one right answer, and as the list of several it may be.

    The harness writes both as text.
    """
    if isinstance(target, list):
        return [list(map(str, target))]
    text = str(target)
    readings = [[text]]
    if text.startswith("[") and text.endswith("]") and len(text) <= LONGEST:
        try:
            several = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return readings
        readings += [list(map(str, several))] if several else []
    return readings


def exact(answer: str, right: list[str], rules: dict[str, Any]) -> float:
    """Whether an answer is one of the right ones, under the metric's own options."""
    plain = _plain(answer, rules)
    return float(any(plain == _plain(target, rules) for target in right))


def _plain(text: str, rules: dict[str, Any]) -> str:
    ignored = rules.get("regexes_to_ignore")
    for pattern in ignored if isinstance(ignored, list) else []:
        try:
            text = re.sub(pattern, "", text)
        except UNUSABLE as error:
            raise Error(f"the metric ignores {pattern!r}, no regular expression") from error
    if rules.get("ignore_case"):
        text = text.lower()
    if rules.get("ignore_punctuation"):
        text = text.translate(str.maketrans("", "", string.punctuation))
    if rules.get("ignore_numbers"):
        text = text.translate(str.maketrans("", "", string.digits))
    return text
