"""Epochs and grades in config terms: answers side by side, lists, answers compared with targets."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from heatproof.formats import grading
from heatproof.util.errors import Error


@pytest.mark.parametrize(
    ("kind", "answer", "target", "score"),
    [
        ("exact", " B\n", "B", 1),
        ("exact", "b", "B", 0),
        ("number", "so it is 1,234.50 in all", "1234.5", 1),
        ("number", "first 3, then 4", "3", 0),
        ("number", "1e3", "1000", 1),
        ("number", "no idea", "3", 0),
        ("number", "-0.5", "-.5", 1),
        ("number", "A4x 12", "12", 1),
        ("number", "\u22123", "-3", 1),
        ("number", "it is \u22123", "- 3", 1),
        ("number", "x = - 3", "\u22123", 1),
        ("number", " - 3", "-3", 1),
        ("number", r"\boxed{- 3}", "-3", 1),
        ("number", "+ 3", "3", 1),
        ("number", "\u2212 3", "3", 0),
        ("number", "5 - 3", "3", 1),
        ("number", "Those are:\n- 2\n- 3", "3", 1),
        ("math", r"thus \boxed{\frac{1}{2}}", "0.5", 1),
        ("math", r"$x = \sqrt{8}$", r"2\sqrt{2}", 1),
        ("math", "it is 3", r"\frac{7}{2}", 0),
        ("math", "", "3", 0),
    ],
)
def test_answers_are_compared_as_config_says(
    kind: Any, answer: str, target: str, score: float
) -> None:
    """`exact` compares texts, number the last number, math the value of expressions."""
    if kind == "math":
        pytest.importorskip("math_verify")
    assert grading.grader(kind)(answer, target) == score


def test_a_target_that_is_no_number_gives_no_grade() -> None:
    """Where there is nothing to compare with, no answer is wrong: the record is refused."""
    with pytest.raises(Error, match="target 'none' holds no number"):
        grading.grader("number")("3", "none")


def test_math_without_its_library_says_what_to_install(monkeypatch: Any) -> None:
    """The message names the package and the extra."""
    monkeypatch.setitem(sys.modules, "math_verify", None)
    with pytest.raises(Error, match="needs the package math-verify, the extra `math`"):
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
    [
        ("1/2", "1/2", ["$1/2$", "1/2"], 1.0),
        ("2", "1/2", ["$1/2$", "2"], 0.0),
        ("2", "$2$", ["$2$", "2"], 1.0),
        ("2", r"\boxed{2}", [r"\boxed{2}", "2"], 0.0),
        ("9" + "1" * 20, "1", ["$1$", "1" * 20], 0.0),
        ("odd", "odd", ["$odd$", "~$odd$", "~odd"], 1.0),
        ("odd", "1", ["$1$", "odd", "~$1$", "~odd"], 0.0),
        ("never", "1", ["$1$", "never", "~$1$", "~never"], 0.0),
        ("odd" + "1" * 20, "odd", ["$odd$", "~$odd$", "~" + "1" * 20], 0.0),
        ("slow", "1", ["$1$", "slow"], "math-verify did not finish in time"),
        ("1", " ", ["$ $"], "target ' ' holds nothing that math-verify can read"),
        ("1", " " * 99, [f"${' ' * 99}$"], f"target {' ' * 60!r} holds nothing that math-verify can read"),
    ],
)  # fmt: skip
def test_what_math_verify_is_asked(
    answer: str, target: str, asked: list[str], score: float | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare target as LaTeX; a second time, leniently (`~`), only where the first breaks off."""
    monkeypatch.setattr(grading, "LONGEST", 20)
    seen: list[Any] = []
    stand_in(monkeypatch, seen)
    if isinstance(score, str):
        with pytest.raises(Error) as told:
            grading.grader("math")(answer, target)
        assert str(told.value) == score
    else:
        assert grading.grader("math")(answer, target) == score
    assert ["" if strict else "~" for _, strict in seen] == [one[: one[:1] == "~"] for one in asked]
    assert [text for text, _ in seen] == [one.removeprefix("~") for one in asked]


def test_signs_are_alike_in_a_vote() -> None:
    """Three ways to write one answer are one answer."""
    assert {grading.graded_of(text, "number") for text in ("\u22123", "- 3", "-3")} == {"-3"}
