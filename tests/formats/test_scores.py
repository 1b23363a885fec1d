"""Scores as logs write them, and grades of answers: which are taken, and what is said of the others."""

import sys
from pathlib import Path
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
from support.reading import lines, reasons, run

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("score", "ends", "said"),
    [
        (None, (), "score is missing"), (NAN, (), "score is nan"), (INF, (), "score is inf"),
        (-INF, (0, 100), "score is -inf"), (0.0, (), ""), (1.0, (), ""), (0.5, (1, 10), ""),
        (1.000001, (), "score 1.000001 is not between 0 and 1"),
        (1 + 1e-15, (), "score 1.000000000000001 is not between 0 and 1"),
        (1.003, (0, 100), "score 100.3 is not between 0 and 100"),
        (-1e-9, (), "score -1e-09 is not between 0 and 1"),
        (1.1, (1, 10), "score 10.9 is not between 1 and 10"),
        (-1e-17, (1, 10), "score 0.9999999999999999 is not between 1 and 10"),
        (-0.5, (-1, 1), "score -2 is not between -1 and 1"),
        (2.0, (0, 2.5), "score 5 is not between 0 and 2.5"),
    ],
)  # fmt: skip
def test_what_is_no_score(score: float | None, ends: Any, said: str) -> None:
    """Told in the unit of the log, with the ends of its scale."""
    assert str(score_fault(score, *ends) or "") == said


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("7", "str", "7"), (" x ", "text", " x "), ("True", "text", "True"),
        ("12", "int", 12), (" -3\t", "int", -3), ("+4", "int", 4), ("1_0", "int", None),
        ("١", "int", None), ("\u00a07", "int", None), ("7\u2003", "float", None), ("\x1c7", "int", None), ("1.0", "int", None), ("", "int", None),
        ("1.", "float", 1.0), (".5", "float", 0.5), ("-1e-3", "float", -0.001), ("1E+2", "float", 100.0),
        ("inf", "float", INF), ("-Infinity", "float", -INF), ("1_0", "float", None), ("٣", "float", None),
        (".", "float", None), ("e5", "float", None), ("0x1", "float", None), ("true", "float", None),
        (" TRUE ", "bool", True), ("false", "bool", False), ("1", "bool", None), ("yes", "bool", None),
        ("True", "number", True), ("False", "number", False), ("0.25", "number", 0.25), ("pass", "number", None),
    ],
)  # fmt: skip
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


FIELDS = {"sample_id": "id", "score": "s"}


def scored(tmp_path: Path, *told: Any, **keys: Any) -> tuple[dict[str, float], list[str]]:
    """Scores by sample and reasons of refusals, of records that tell these scores."""
    rows = [{"id": f"q{n}"} | ({} if s == "gone" else {"s": s}) for n, s in enumerate(told)]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    found = run(tmp_path, format="jsonl", logs="*", fields=FIELDS, **keys)
    return dict(found.samples.select("sample_id", "score").rows()), reasons(found)


def test_scores_on_another_scale(tmp_path: Path) -> None:
    """Brought to 0 to 1 by `range`; true and false are 1 and 0 on every scale; ends belong to it."""
    told = [1, 5.5, 10, True, False, 0.5, 10.5, None]
    found, said = scored(tmp_path, *told, range={"score": [1, 10]})
    assert found == {"q0": 0, "q1": 0.5, "q2": 1, "q3": 1, "q4": 0}
    assert said == [
        "score 0.5 is not between 1 and 10",
        "score 10.5 is not between 1 and 10",
        "score is missing",
    ]
    found, said = scored(tmp_path, 0, 1, 0.25, True, False, 1.5, -0.5)
    assert found == {"q0": 0, "q1": 1, "q2": 0.25, "q3": 1, "q4": 0}
    assert said == ["score 1.5 is not between 0 and 1", "score -0.5 is not between 0 and 1"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"a": "4", "t": None}, "the target is empty"),
        ({"a": "4", "t": "  "}, "the target is empty"),
        ({"a": None, "t": "4"}, "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"),
        ({"a": " ", "t": "4"}, "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)"),
        ({"a": "4", "t": "none"}, "target 'none' holds no number"),
        ({"a": "4", "t": "x" * 99}, f"target {'x' * 60!r} holds no number"),
        ({"a": "so 4", "t": "4.0"}, 1.0),
        ({"a": 4, "t": 4}, 1.0),
        ({"a": "5", "t": "4"}, 0.0),
        ({"a": "no", "t": "4"}, 0.0),
    ],
)  # fmt: skip
def test_graded_answers(record: dict[str, Any], said: str | float, tmp_path: Path) -> None:
    """Right or wrong by the last number; without answer or target no grade."""
    (tmp_path / "a.jsonl").write_bytes(lines([{"id": 1} | record]))
    fields = {"sample_id": "id", "answer": "a", "target": "t"}
    found = run(tmp_path, format="jsonl", logs="*", fields=fields, grade="number")
    if isinstance(said, str):
        assert reasons(found) == [said]
        wrong = run(
            tmp_path, format="jsonl", logs="*", fields=fields, grade="number", empty="wrong"
        )
        assert (wrong.samples["score"].to_list() == [0.0]) is said.startswith("the answer")
    else:
        assert found.samples.select("score", "graded").rows() == [(said, True)]


@pytest.mark.parametrize(
    ("kind", "answer", "target", "score"),
    [
        ("exact", " B\n", "B", 1), ("exact", "b", "B", 0), ("number", "1e3", "1000", 1),
        ("number", "so it is 1,234.50 in all", "1234.5", 1), ("number", "first 3, then 4", "3", 0),
        ("number", "no idea", "3", 0), ("number", "-0.5", "-.5", 1), ("number", "A4x 12", "12", 1),
        ("number", "\u22123", "-3", 1), ("number", "it is \u22123", "- 3", 1), ("number", "x = - 3", "\u22123", 1),
        ("number", " - 3", "-3", 1), ("number", r"\boxed{- 3}", "-3", 1), ("number", "+ 3", "3", 1),
        ("number", "\u2212 3", "3", 0), ("number", "5 - 3", "3", 1), ("number", "Those are:\n- 2\n- 3", "3", 1),
        ("math", r"thus \boxed{\frac{1}{2}}", "0.5", 1), ("math", r"$x = \sqrt{8}$", r"2\sqrt{2}", 1),
        ("math", "it is 3", r"\frac{7}{2}", 0), ("math", "", "3", 0),
    ],
)  # fmt: skip
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
    [
        ({}, "a1.", 0), ({}, "A1", 1),
        ({"ignore_case": True}, "a1", 1), ({"ignore_case": True}, "a1.", 0), ({"ignore_case": True}, "ß", 0),
        ({"ignore_punctuation": True}, "A,1.", 1), ({"ignore_punctuation": True}, "A2", 0),
        ({"ignore_numbers": True}, "A23", 1), ({"ignore_numbers": True}, "A.", 0),
        ({"regexes_to_ignore": [",", r"\$"]}, "$A,1", 1), ({"regexes_to_ignore": ","}, "A,1", 0),
        ({"regexes_to_ignore": ["[a-z]"], "ignore_case": True}, "yA1", 1),
    ],
)  # fmt: skip
def test_answers_are_compared_by_the_rules_of_the_metric(rules, answer, score):
    """Case, signs, digits and patterns are left out of both texts where the metric says so."""
    assert lm_eval.exact(answer, ["z", "A1", "SS"], rules) == score


def test_a_pattern_to_ignore_that_is_none_is_told() -> None:
    """It stands in the results file."""
    with pytest.raises(Error, match=r"the metric ignores '\[', no regular expression"):
        lm_eval.exact("1", ["1"], {"regexes_to_ignore": ["["]})


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


DIGIT = {"function": "regex", "regex_pattern": r"\d"}


@pytest.mark.parametrize(
    ("given", "answer", "kept"),
    [
        ({"function": "remove_whitespace"}, " a ", "a "), ({"function": "lowercase"}, "Ab", "ab"),
        ({"function": "uppercase"}, "Ab", "AB"), ({"function": "regex"}, "so #### -1,2.5", "-1,2.5"),
        ({"function": "regex"}, "so", "[invalid]"), ({**DIGIT, "fallback": "?"}, "x", "?"),
        ({**DIGIT, "group_select": -1}, "1 2 3", "3"), ({**DIGIT, "group_select": 1}, "1 2 3", "2"),
        ({**DIGIT, "group_select": 3}, "1 2 3", "[invalid]"), ({**DIGIT, "group_select": -4}, "1 2 3", "[invalid]"),
        ({**DIGIT, "group_select": -3}, "1 2 3", "1"),
        ({"function": "regex", "regex_pattern": r"(a)?(b )?c"}, "b c", "b"),
        ({"function": "regex", "regex_pattern": r"(a)?(b)?c"}, "c", "[invalid]"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "a", "1"),
        ({"function": "map", "mapping_dict": {"a": 1}, "default_value": "z"}, "b", "z"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "b", "None"),
    ],
)  # fmt: skip
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
