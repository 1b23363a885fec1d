"""Scores that logs write as texts, such as pass and fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.readers import csv_format, jsonl_format
from reading import lines, reasons, run

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = {"pass": 1, "fail": 0, "partly": 0.5, "true": 1}
FIELDS = {"sample_id": "id", "score": "status"}
TEXTS: list[Any] = ["pass", "fail", "partly", True, "PASS", None, "pass"]
WRONG = [
    "score 'PASS' is none of the verdicts; there are pass, fail, partly, true (did you mean 'pass'?)",
    "score is missing",
]


def scores(result: Any) -> dict[str, float]:
    return dict(result.samples.select("sample_id", "score").sort("sample_id").rows())


def test_texts_stand_for_scores(tmp_path: Path) -> None:
    """As config.yaml says, and only so: another spelling is refused, with what there is."""
    rows = [{"id": f"q{n}", "status": text} for n, text in enumerate(TEXTS)]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    result = run(tmp_path, format="jsonl", logs="*", fields=FIELDS, verdicts=VERDICTS)
    assert scores(result) == {"q0": 1, "q1": 0, "q2": 0.5, "q3": 1, "q6": 1}
    assert reasons(result) == WRONG
    assert not result.samples["graded"].any()
    assert "verdict" not in result.samples.columns
    assert "PASS" in result.rejected["excerpt"][0]


def test_lists_of_texts_are_epochs(tmp_path: Path) -> None:
    """Each with its own score."""
    (tmp_path / "a.jsonl").write_bytes(lines([{"id": 1, "status": ["pass", "fail", "partly"]}]))
    result = run(
        tmp_path, format="jsonl", logs="*", fields=FIELDS, verdicts=VERDICTS,
        epochs={"lists": ["score"]},
    )  # fmt: skip
    assert result.samples["score"].to_list() == [1, 0, 0.5]


def test_documents_and_tables_tell_verdicts_too(tmp_path: Path) -> None:
    """In JSON by key, in CSV by cell, one or one an epoch."""
    (tmp_path / "a.json").write_text(
        json.dumps({"q1": {"status": "pass"}, "q2": {"status": "fail"}})
    )
    keyed = FIELDS | {"sample_id": "$key"}
    result = run(tmp_path, format="json", logs="*.json", each="$", fields=keyed, verdicts=VERDICTS)
    assert scores(result) == {"q1": 1, "q2": 0}
    (tmp_path / "a.csv").write_text("id,status,r1,r2\nq1,pass,fail,pass\nq2,true,partly,fail\n")
    result = run(tmp_path, format="csv", logs="*.csv", fields=FIELDS, verdicts=VERDICTS)
    assert scores(result) == {"q1": 1, "q2": 1}
    result = run(
        tmp_path, format="csv", logs="*.csv", fields={"sample_id": "id"}, verdicts=VERDICTS,
        epochs={"columns": "r{n}", "fill": "score"},
    )  # fmt: skip
    assert sorted(result.samples.select("sample_id", "epoch", "score").rows()) == [
        ("q1", 1, 0.0), ("q1", 2, 1.0), ("q2", 1, 0.5), ("q2", 2, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"verdicts": {"pass": 2}}, ".verdicts.pass: 2 is not between 0 and 1"),
        ({"verdicts": {"pass": 1}, "fields": {"sample_id": "id"}}, ".verdicts: needs 'score' in fields"),
        ({"verdicts": {"pass": 1}, "range": {"score": [0, 9]}}, ".range.score: the scores are texts"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("module", [jsonl_format, csv_format])
def test_what_verdicts_cannot_be_is_told(module: Any, keys: dict[str, Any], said: str) -> None:
    """Before any job."""
    given = {"name": "x", "logs": "*", "format": "x", "fields": FIELDS} | keys
    assert any(said in problem for problem in msgspec.convert(given, module.Entry).mistakes())


LACKING: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "a record": ("jsonl", lines([{"id": 1, "status": "pass"}]), {}),
    "a list": ("jsonl", lines([{"id": 1, "status": ["pass"]}]), {"epochs": {"lists": ["score"]}}),
    "objects": (
        "jsonl",
        lines([{"id": 1, "tries": [{"status": "pass"}]}]),
        {
            "epochs": {"lists": ["score"]},
            "fields": {"sample_id": "id", "score": "tries.*.status"},
        },
    ),
    "a table": ("csv", b"id,status\n1,pass\n", {}),
}


@pytest.mark.parametrize("case", LACKING)
def test_without_verdicts_a_text_is_no_score(case: str, tmp_path: Path) -> None:
    """And it is said what would make it one."""
    kind, data, keys = LACKING[case]
    (tmp_path / "a").write_bytes(data)
    [reason] = reasons(run(tmp_path, **{"format": kind, "logs": "*", "fields": FIELDS} | keys))
    assert reason.endswith("; `verdicts` in config.yaml would tell what texts stand for")


@pytest.mark.parametrize("loaded", [{"true": 1, "false": 0}, {"true": 1, "x": 0}, {"false": 0}])
def test_words_that_yaml_takes_for_truths_are_told(
    loaded: dict[str, float], tmp_path: Path
) -> None:
    """What stands in config.yaml without quotes is not what stands in the log."""
    (tmp_path / "a.jsonl").write_bytes(lines([{"id": 1, "status": "yes"}]))
    [reason] = reasons(run(tmp_path, format="jsonl", logs="*", fields=FIELDS, verdicts=loaded))
    assert reason == (
        f"score 'yes' is none of the verdicts; there are {', '.join(loaded)}"
        "; YAML takes yes for one of these: put it in quotes in config.yaml"
    )
    plain = {"pass": 1, "fail": 0}
    [reason] = reasons(run(tmp_path, format="jsonl", logs="*", fields=FIELDS, verdicts=plain))
    assert reason.startswith("score 'yes' is none of the verdicts; ")
    assert "YAML" not in reason
