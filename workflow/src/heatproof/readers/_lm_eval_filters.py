"""The filters of lm-evaluation-harness that change an answer, as it defines them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[str], str]

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
        fallback = str(given.get("fallback", "[invalid]"))
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
