"""Epochs and grades in config terms: answers side by side, lists, answers compared with targets."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.readers import grading
from heatproof.util.errors import Error
from reading import lines, reasons, run

if TYPE_CHECKING:
    from pathlib import Path

WIDE = "id,Answer 1,Answer 2,Answer 10,Right,Score\n7,a,b,a,a,0\n8,,b,b,b,1\n"
ANSWERS: dict[str, Any] = {
    "format": "csv",
    "fields": {"sample_id": "id", "target": "Right"},
    "epochs": {"columns": "Answer {n}"},
    "grade": "exact",
}


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


def test_columns_side_by_side_are_epochs(tmp_path: Path) -> None:
    """Each answer column is an epoch, by its number, graded by itself: `Score` is not asked."""
    (tmp_path / "run.csv").write_text(WIDE)
    result = run(tmp_path, **ANSWERS, empty="wrong")
    assert result.samples.select("sample_id", "epoch", "score", "graded").rows() == [
        ("7", 1, 1.0, True),
        ("7", 2, 0.0, True),
        ("7", 10, 1.0, True),
        ("8", 1, 0.0, True),
        ("8", 2, 1.0, True),
        ("8", 10, 1.0, True),
    ]


def test_an_empty_answer_is_refused_unless_config_calls_it_wrong(tmp_path: Path) -> None:
    """Whether no answer is a wrong answer is not ours to guess."""
    (tmp_path / "run.csv").write_text(WIDE)
    result = run(tmp_path, **ANSWERS)
    assert len(result.samples) == 5
    assert "the answer is empty (`empty: wrong`" in reasons(result)[0]


def test_score_columns_side_by_side_are_epochs(tmp_path: Path) -> None:
    """Wide files may hold scores instead of answers."""
    (tmp_path / "run.csv").write_text("id,s1,s2\n7,100,50\n8,0,\n")
    keys = {"epochs": {"columns": "s{n}", "fill": "score"}, "range": {"score": [0, 100]}}
    result = run(tmp_path, format="csv", fields={"sample_id": "id"}, **keys)
    assert result.samples["score"].to_list() == [1.0, 0.5, 0.0]
    assert reasons(result) == ["score is missing"]


def test_a_file_without_such_columns_is_refused(tmp_path: Path) -> None:
    """A header that lacks the columns is named with those it has."""
    (tmp_path / "run.csv").write_text("id,Right,Reply 1\n7,a,b\n")
    assert reasons(run(tmp_path, **ANSWERS)) == [
        "the header has no 'Answer {n}'; there are id, Right, Reply 1"
    ]


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_lists_side_by_side_are_epochs(form: str, tmp_path: Path) -> None:
    """Lists in a record are unrolled together; uneven ones are refused."""
    good = {"id": 1, "ok": [True, False], "n": [10, 20]}
    records = [good, {"id": 2, "ok": [True], "n": [1, 2]}, {"id": 3, "ok": [], "n": []}]
    data = (
        lines(records) if form == "jsonl" else b"[" + b",".join(lines(records).splitlines()) + b"]"
    )
    (tmp_path / f"run.{form}").write_bytes(data)
    keys: dict[str, Any] = {"each": "$"} if form == "json" else {}
    result = run(
        tmp_path,
        format=form,
        fields={"sample_id": "id", "score": "ok"},
        measures={"tokens": "n"},
        epochs={"lists": ["score", "tokens"]},
        **keys,
    )
    assert result.samples.select("sample_id", "epoch", "score", "tokens").rows() == [
        ("1", 0, 1.0, 10.0),
        ("1", 1, 0.0, 20.0),
    ]
    assert reasons(result) == ["its lists of epochs are empty or differ in length"] * 2


def test_answers_in_lists_are_graded(tmp_path: Path) -> None:
    """Lists of answers and one target: a row and a grade for each answer."""
    records = [{"id": 1, "gt": 4, "pred": ["4", 4, "5", None]}, {"id": 2, "gt": 4, "pred": []}]
    (tmp_path / "run.jsonl").write_bytes(lines(records))
    result = run(
        tmp_path,
        format="jsonl",
        fields={"sample_id": "id", "answer": "pred", "target": "gt"},
        epochs={"lists": ["answer"]},
        grade="number",
    )
    assert result.samples["score"].to_list() == [1.0, 1.0, 0.0]
    assert result.rejected.select("reason", "excerpt", "settings").rows() == [
        (
            "the answer is empty (`empty: wrong` in config.yaml would count it as wrong)",
            '{"answer":null,"target":4,"score":null,"epoch":3}',
            "",
        ),
        ("its lists of epochs are empty or differ in length", '{"answer":[]}', ""),
    ]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"fields": {"sample_id": "id", "answer": "a"}}, "fields.answer: 'answer' is for grading"),
        ({"fields": {"sample_id": "id"}, "grade": "exact"}, "needs 'answer', the place of the"),
        (
            {"fields": {"sample_id": "i", "score": "s", "target": "t"}, "grade": "exact"},
            "would replace the 'score' in fields",
        ),
        ({"fields": {"sample_id": "i"}, "grade": "exakt"}, "grade: 'exakt' is not valid"),
        (
            {"fields": {"sample_id": "i"}, "epochs": {"lists": ["scores"]}},
            "epochs.lists: 'scores' is not among fields and measures",
        ),
    ],
)
def test_mistakes_stop_before_any_job(keys: dict[str, Any], message: str) -> None:
    """What does not go together is named with its place in config.yaml."""
    raw = {"sources": {"a": {"format": "jsonl", "logs": "*"} | keys}}
    with pytest.raises(Error, match=r"config.yaml: sources\.a") as told:
        configuration.read(raw)
    assert message in str(told.value)


def test_real_answers_give_pass_at_1(real_logs: Path) -> None:
    """pass@1 of a real wide file is the mean over its ten answers, not its majority vote."""
    result = run(
        real_logs / "jhu_temperature/data/details",
        **ANSWERS | {"fields": {"sample_id": "Problem ID", "target": "Correct Answer"}},
        logs="gpt-35-turbo - chain_of_thought*.csv",
        path=r"(?P<model>\S+) - (?P<task>\S+) - .* - temp-(?P<temperature>[\d.]+)\.csv",
        params={"temperature": "float"},
        empty="wrong",
    )
    for (path,), rows in list(result.samples.group_by("log"))[:3]:
        told = pl.read_csv(
            real_logs / "jhu_temperature/data/details" / str(path), infer_schema=False
        )
        right = [
            (told[f"Answer {n}"] == told["Correct Answer"]).fill_null(value=False).sum()
            for n in range(1, 11)
        ]
        assert rows["score"].sum() == sum(right)


def test_real_episodes_are_read_in_config_terms(real_logs: Path) -> None:
    """Episodes keyed by number, their reward deep inside: no code, only places."""
    result = run(
        real_logs / "intercode/data/results",
        format="json",
        logs="bash/*/*_multiturn_*.json",
        each="$",
        fields={"sample_id": "$key", "score": "summary.max_reward"},
        path=r"bash/(?P<model>[^/]+)/",
    )
    assert len(result.samples) > 900
    assert result.rejected["reason"].unique().to_list() in (
        [],
        ["Object missing required field `summary`"],
    )
