"""Grades of lm-evaluation-harness that follow from its log: exact_match, and acc of choices."""

from __future__ import annotations

import ast
import re
import string
from typing import Any

from heatproof.readers._lm_eval_filters import UNUSABLE
from heatproof.util.errors import Error

UNLIKE = ("process_results", "doc_to_choice")
"""Settings of a task by which exact_match is something else than target against answer."""

LONGEST = 10_000
"""Characters of a target that may be a list."""


def texts(resps: list[Any]) -> list[str]:
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


def rules(settings: dict[str, Any], metric: str) -> dict[str, Any]:
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
