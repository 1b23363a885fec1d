"""Answers: kept as digests where a source asks for them, for votes; and where formats have them."""

import json
from pathlib import Path
from typing import Any

import pytest

from heatproof.samples import counts
from support import harness_logs
from support.reading import lines, run

GENERIC = {"format": "jsonl", "logs": "*.jsonl", "set": {"model": "m", "task": "t"}}
FIELDS = {"sample_id": "id", "epoch": "n", "score": "ok"}


def read(root: Path, records: list[dict[str, Any]], **keys: Any) -> list[Any]:
    """The column of answers of a log."""
    (root / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return run(root, **(GENERIC | {"fields": FIELDS} | keys)).samples["answer"].to_list()


def digest(text: str) -> str:
    return counts.digests([text])[0]


def test_answers_are_kept_as_digests(tmp_path: Path) -> None:
    """Of what the log says, blanks aside: of no text its JSON; empty and missing ones are told."""
    given_ = ["42", " 42\n", "42.0", 42, True, "", "  ", None]
    records = [{"id": 1, "n": n, "ok": 1, "a": a} for n, a in enumerate(given_)]
    records.append({"id": 1, "n": 9, "ok": 1})
    found = read(tmp_path, records, fields=FIELDS | {"answer": "a"})
    same = digest("42")
    assert found == [same, same, digest("42.0"), same, digest("true"), "", "", None, None]
    assert len(same) == 16


def test_lists_of_answers_are_unrolled(tmp_path: Path) -> None:
    """Each with the score beside it."""
    records = [{"id": 1, "ok": [1, 0], "a": ["x", None]}]
    fields = {"sample_id": "id", "score": "ok", "answer": "a"}
    found = read(tmp_path, records, fields=fields, epochs={"lists": ["score", "answer"]})
    assert found == [digest("x"), None]


@pytest.mark.parametrize(
    ("grade", "told"), [("exact", ["so 3", "it is 3.0", "no"]), ("number", ["3", "3", ""])]
)
def test_of_graded_answers_what_is_graded_votes(tmp_path: Path, grade: str, told: Any) -> None:
    """The last number, or the whole text."""
    said = ["so 3", "it is 3.0", "no"]
    records = [{"id": 1, "n": n, "a": a, "t": "3"} for n, a in enumerate(said)]
    fields = {"sample_id": "id", "epoch": "n", "answer": "a", "target": "t"}
    found = read(tmp_path, records, fields=fields, grade=grade, answers=True)
    assert found == [digest(one) for one in told]
    without = run(tmp_path, **(GENERIC | {"fields": fields, "grade": grade})).samples
    assert "answer" not in without.columns


EEE = {"model_id": "m", "evaluation_name": "t", "evaluation": {"score": 1}}
VALUES = [{"answer_attribution": [{"extracted_value": v} for v in ["1", "2"][:n]]} for n in (2, 0)]
LOGS: dict[str, tuple[str, list[dict[str, Any]], list[str | None]]] = {
    # `pred`, a list beside the scores, or none; `pred_answer`; the value that was extracted last.
    "qwen_math": (
        "m/t/test_p_-1_seed0_t0.0_s0_e-1.jsonl",
        [{"idx": 0, "score": [1, 0, 0], "pred": ["1", "", [2]]}, {"idx": 1, "score": [1]}],
        ["1", "", "[2]", None],
    ),
    "dynts": (
        "m_t_N3-R0.1-KW500-PKVL5000.jsonl",
        [{"question_id": 0, "answer_id": n, "score": True} | answer
         for n, answer in enumerate([{"pred_answer": "7"}, {"pred_answer": 7}, {}])],
        ["7", "7", None],
    ),
    "every_eval_ever": (
        "e.jsonl",
        [EEE | {"sample_id": str(n)} | more for n, more in enumerate([*VALUES, {}])],
        ["2", None, None],
    ),
    "inspect": ("", [], ["4", None]),  # `answer` of the score, if its scorer told it
    "lm_eval": ("", [], ["1", "22", ""]),  # what the filter leaves of each repeat
}  # fmt: skip


@pytest.mark.parametrize("form", LOGS)
def test_formats_know_where_answers_stand(form: str, tmp_path: Path) -> None:
    """With `answers: true`; without, the table is as it was but for the column."""
    name, records, told = LOGS[form]
    if form == "inspect":
        scores = [{"value": "C", "answer": "4"}, {"value": "I"}]
        samples = [{"id": "p", "epoch": n, "scores": {"match": s}} for n, s in enumerate(scores)]
        harness_logs.document(tmp_path, samples)
    elif form == "lm_eval":
        row = harness_logs.record(0, ["1 it is", "it is 22", "no idea"], "digits")
        row |= {"filtered_resps": ["1"], "exact_match": 1.0}
        harness_logs.write(tmp_path, [row], filters=(harness_logs.DIGITS,))
    else:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(lines(records))
    keys = {"format": form, "logs": "**/samples_*" if form == "lm_eval" else "**/*.json*"}
    kept = run(tmp_path, answers=True, **keys).samples
    assert kept["answer"].to_list() == [None if one is None else digest(one) for one in told]
    assert run(tmp_path, **keys).samples.equals(kept.drop("answer"))


def test_a_log_of_choices_tells_no_answer(tmp_path: Path) -> None:
    """Log-likelihoods are no answers."""
    harness_logs.write(tmp_path, [harness_logs.choice([-2.0, -1.0], acc=1.0)], metrics=("acc",))
    kept = run(tmp_path, format="lm_eval", logs="**/samples_*", answers=True).samples
    assert kept["answer"].to_list() == [None]
