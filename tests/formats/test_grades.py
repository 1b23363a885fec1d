"""Grades of repeats: filters, targets and exact_match as lm-evaluation-harness defines them."""

from __future__ import annotations

from typing import Any

import pytest

from heatproof.formats import lm_eval_format as grades
from heatproof.util.errors import Error


@pytest.mark.parametrize(
    ("rules", "answer", "score"),
    [
        ({}, "a1.", 0), ({}, "A1", 1),
        ({"ignore_case": True}, "a1", 1), ({"ignore_case": True}, "a1.", 0), ({"ignore_case": True}, "ß", 0),
        ({"ignore_punctuation": True}, "A,1.", 1), ({"ignore_punctuation": True}, "A2", 0),
        ({"ignore_numbers": True}, "A23", 1), ({"ignore_numbers": True}, "A.", 0),
        ({"regexes_to_ignore": [",", r"\$"]}, "$A,1", 1), ({"regexes_to_ignore": ","}, "A,1", 0),
        ({"regexes_to_ignore": ["[a-z]"], "ignore_case": True}, "yA1", 1),
    ],
)  # fmt: skip
def test_answers_are_compared_by_the_rules_of_the_metric(
    rules: dict[str, Any], answer: str, score: float
) -> None:
    """Case, signs, digits and patterns are left out of both texts where the metric says so."""
    assert grades.exact(answer, ["z", "A1", "SS"], rules) == score


def test_a_pattern_to_ignore_that_is_none_is_told() -> None:
    """It stands in the results file."""
    with pytest.raises(Error, match=r"the metric ignores '\[', no regular expression"):
        grades.exact("1", ["1"], {"regexes_to_ignore": ["["]})


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ([1, "b"], [["1", "b"]]),
        ("a", [["a"]]),
        (7, [["7"]]),
        ("['a', 2]", [["['a', 2]"], ["a", "2"]]),
        ("[]", [["[]"]]),
        ("[a]", [["[a]"]]),
        ("[" + "1," * grades.LONGEST + "]", [["[" + "1," * grades.LONGEST + "]"]]),
        (
            "[0" + " " * (grades.LONGEST - 3) + "]",
            [["[0" + " " * (grades.LONGEST - 3) + "]"], ["0"]],
        ),
    ],
)
def test_targets_are_a_text_or_a_list(target: Any, read: list[list[str]]) -> None:
    """A text that looks like a list may be either."""
    assert grades.targets(target) == read


@pytest.mark.parametrize(
    ("given", "answer", "kept"),
    [
        ({"function": "remove_whitespace"}, " a ", "a "),
        ({"function": "lowercase"}, "Ab", "ab"),
        ({"function": "uppercase"}, "Ab", "AB"),
        ({"function": "regex"}, "so #### -1,2.5", "-1,2.5"),
        ({"function": "regex"}, "so", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "fallback": "?"}, "x", "?"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -1}, "1 2 3", "3"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": 1}, "1 2 3", "2"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": 3}, "1 2 3", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -4}, "1 2 3", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -3}, "1 2 3", "1"),
        ({"function": "regex", "regex_pattern": r"(a)?(b )?c"}, "b c", "b"),
        ({"function": "regex", "regex_pattern": r"(a)?(b)?c"}, "c", "[invalid]"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "a", "1"),
        ({"function": "map", "mapping_dict": {"a": 1}, "default_value": "z"}, "b", "z"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "b", "None"),
    ],
)
def test_steps_of_a_filter(given: dict[str, Any], answer: str, kept: str) -> None:
    """As the harness defines them."""
    assert grades.step_function(given)(answer) == kept


def test_only_the_chosen_filter_has_its_steps() -> None:
    """Other shapes than a list of steps are none."""
    steps = [{"function": "lowercase"}, "odd"]
    settings = {"filter_list": ["odd", {"name": "a", "filter": steps}, {"name": "b", "filter": 1}]}
    assert grades.Task("t", settings, "m", "a").steps() == steps[:1]
    for other, name in ((settings, "b"), (settings, "c"), ({"filter_list": {"name": "a"}}, "a")):
        assert grades.Task("t", other, "m", name).steps() == []
