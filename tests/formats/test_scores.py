"""Scores as logs write them, and grades of answers: which are taken, and what is said of the others."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from heatproof.formats import grading
from heatproof.formats import lm_eval_format as lm_eval
from heatproof.formats.api import score_fault
from heatproof.formats.params import from_text
from heatproof.samples import rows as table_rows
from heatproof.samples import tables
from heatproof.util.errors import Error
from support.data import cases

CASES = cases(__file__)

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("score", "ends", "said"),
    CASES["what is no score"],
)
def test_what_is_no_score(score: float | None, ends: Any, said: str) -> None:
    """Told in the unit of the log, with the ends of its scale."""
    assert str(score_fault(score, *ends) or "") == said


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    CASES["values written as text"],
)
def test_values_written_as_text(text: str, kind: str, found: Any) -> None:
    """Numbers in plain digits alone, true and false in any case, blanks at the ends aside."""
    if found is None:
        with pytest.raises(Error) as refused:
            from_text(text, kind, "col")
        what = "true or false" if kind == "bool" else kind
        assert str(refused.value).startswith(f"col: {text!r} is not {what}")
    else:
        told = from_text(text, kind, "col")
        assert (type(told), told) == (type(found), found)


def test_numbers_as_columns() -> None:
    """As the kind asks, null where one does not fit, with the reason."""
    long = "x" * 99
    cases: list[tuple[list[Any], str, list[Any], dict[int, str]]] = [
        ([0, 255, 3], "int", [0, 255, 3], {}),
        ([0, 256, -3], "int", [0, 256, -3], {}),
        ([1, None, 300], "int", [1, None, 300], {}),
        ([2**63 - 1, -(2**63)], "int", [2**63 - 1, -(2**63)], {}),
        ([2**63, 1], "int", [None, 1], {0: "9223372036854775808 is out of range"}),
        ([1, -(10**50)], "int", [1, None], {1: f"{-(10**50)}"[:40] + " is out of range"}),
        ([1, 2, 300], "float", [1.0, 2.0, 300.0], {}),
        ([1, 0.5], "float", [1.0, 0.5], {}),
        ([2**64, 0.5], "float", [2.0**64, 0.5], {}),
        ([None, 0.5], "float", [None, 0.5], {}),
        ([0.5, "a"], "float", [0.5, None], {1: "'a' is not float"}),
        ([long, 1], "int", [None, 1], {0: f"{long!r:.40} is not int"}),
        ([True, None, False], "bool", [True, None, False], {}),
        ([True, "no"], "bool", [True, None], {1: "'no' is not bool"}),
        (["a", None, "b"], "str", ["a", None, "b"], {}),
        ([], "int", [], {}),
    ]
    for given, kind, wanted, said in cases:
        column, faults = table_rows.fitting(given, kind)
        assert (column.to_list(), faults) == (wanted, said), (given, kind)
        assert column.dtype == tables.dtypes({"": kind})[""]


@pytest.mark.parametrize(
    ("kind", "answer", "target", "score"),
    CASES["answers are compared as config says"],
)
def test_answers_are_compared_as_config_says(kind, answer, target, score):
    """`exact` compares texts, number the last number, math the value of expressions."""
    if kind == "math":
        pytest.importorskip("math_verify")
    assert grading.grader(kind)(answer, target) == score
    if kind == "number" and score:  # three ways to write one answer are one in a vote
        assert grading.graded_of(answer, "number") == grading.graded_of(target, "number")


def test_math_without_its_library_says_what_to_install(monkeypatch: Any) -> None:
    """The message names the package and the extra."""
    monkeypatch.setitem(sys.modules, "math_verify", None)
    with pytest.raises(Error, match=r"needs math-verify: pip install 'heatproof\[math\]'"):
        grading.grader("math")


class TimeoutException(Exception):
    """Of the library: it takes no end."""


def stand_in(monkeypatch: pytest.MonkeyPatch, seen: list[Any]) -> None:
    """In the place of math-verify one that notes what it is asked, and takes texts for numbers."""

    def parse(text: str, *, raise_on_error: bool = True) -> list[str]:
        seen.append((text, raise_on_error))
        if "slow" in text:
            raise TimeoutException
        if "odd" in text and raise_on_error:
            raise ValueError(text)
        return [text.strip("$ ")] if text.strip("$ ") else []

    def verify(gold: list[str], found: list[str], *, raise_on_error: bool = True) -> bool:
        if "never" in found[0] and raise_on_error:
            raise TypeError
        return gold == found

    library = {"parse": parse, "verify": verify}
    errors = SimpleNamespace(TimeoutException=TimeoutException)
    monkeypatch.setitem(sys.modules, "math_verify", SimpleNamespace(**library))
    monkeypatch.setitem(sys.modules, "math_verify.errors", errors)


@pytest.mark.parametrize(
    ("answer", "target", "asked", "score"),
    CASES["what math verify is asked"],
)
def test_what_math_verify_is_asked(answer, target, asked, score, monkeypatch):
    """A bare target as LaTeX; a second time, leniently (`~`), only where the first breaks off."""
    monkeypatch.setattr(grading, "LONGEST", 20)
    seen: list[Any] = []
    stand_in(monkeypatch, seen)
    if isinstance(score, str):
        with pytest.raises(Error) as error:
            grading.grader("math")(answer, target)
        assert str(error.value) == score
    else:
        assert grading.grader("math")(answer, target) == score
    assert ["" if strict else "~" for _, strict in seen] == [one[: one[:1] == "~"] for one in asked]
    assert [text for text, _ in seen] == [one.removeprefix("~") for one in asked]


# Repeats of lm-evaluation-harness.


@pytest.mark.parametrize(
    ("rules", "answer", "score"),
    CASES["answers are compared by the rules of the metric"],
)
def test_answers_are_compared_by_the_rules_of_the_metric(rules, answer, score):
    """Case, signs, digits and patterns are left out of both texts where the metric says so."""
    assert lm_eval.exact([answer, "A1"], ["z", "A1", "SS"], rules) == [score, 1]


def test_a_pattern_to_ignore_that_is_none_is_told() -> None:
    """It stands in the results file."""
    with pytest.raises(Error, match=r"the metric ignores '\[', not a regular expression"):
        lm_eval.exact(["1"], ["1"], {"regexes_to_ignore": ["["]})


LONG = "[0" + " " * lm_eval.LONGEST


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ([1, "b"], [["1", "b"]]), ("a", [["a"]]), (7, [["7"]]), ("[]", [["[]"]]), ("[a]", [["[a]"]]),
        ("['a', 2]", [["['a', 2]"], ["a", "2"]]), (LONG + "1]", [[LONG + "1]"]]),
        (LONG[:-3] + "]", [[LONG[:-3] + "]"], ["0"]]),
    ],
)  # fmt: skip
def test_targets_are_a_text_or_a_list(target: Any, read: list[list[str]]) -> None:
    """A text that looks like a list may be either."""
    assert lm_eval.targets(target) == read


@pytest.mark.parametrize(
    ("given", "answer", "kept"),
    CASES["steps of a filter"],
)
def test_steps_of_a_filter(given: dict[str, Any], answer: str, kept: str) -> None:
    """As the harness defines them."""
    assert lm_eval.step_function(given)(answer) == kept


def test_only_the_chosen_filter_has_its_steps() -> None:
    """Other shapes than a list of steps are none."""
    steps = [{"function": "lowercase"}, "odd"]
    settings = {"filter_list": ["odd", {"name": "a", "filter": steps}, {"name": "b", "filter": 1}]}
    assert lm_eval.Task("t", settings, "m", "a").steps() == steps[:1]
    for other, name in ((settings, "b"), (settings, "c"), ({"filter_list": {"name": "a"}}, "a")):
        assert lm_eval.Task("t", other, "m", name).steps() == []
