"""Rows with all the keys that the published schemas and harnesses give them, written by hand."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from reading import lines, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

EEE: dict[str, Any] = {"format": "every_eval_ever", "logs": "**/*_samples.jsonl*"}
SINGLE: dict[str, Any] = {
    "schema_version": "0.2.2",
    "evaluation_id": "gsm8k/org/m/1",
    "model_id": "org/m",
    "evaluation_name": "gsm8k",
    "evaluation_result_id": "r1",
    "sample_id": "gsm8k_0001",
    "sample_hash": "ab" * 32,
    "interaction_type": "single_turn",
    "input": {"raw": "2 + 2?", "formatted": None, "reference": ["4"], "choices": None},
    "output": {"raw": ["4"], "reasoning_trace": ["two and two"]},
    "messages": None,
    "answer_attribution": [
        {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": "4",
            "extraction_method": "regex",
            "is_terminal": True,
        }
    ],
    "evaluation": {"score": 1.0, "is_correct": True, "num_turns": 1, "tool_calls_count": 0},
    "token_usage": {
        "input_tokens": 12,
        "output_tokens": 34,
        "total_tokens": 46,
        "input_tokens_cache_write": None,
        "input_tokens_cache_read": None,
        "reasoning_tokens": 30,
    },
    "performance": {
        "latency_ms": 2000,
        "time_to_first_token_ms": None,
        "generation_time_ms": None,
        "additional_details": {"gpu": "x"},
    },
    "error": None,
    "metadata": {"stop_reason": "stop", "epoch": "1"},
}
AGENT = SINGLE | {
    "sample_id": "gsm8k_0002",
    "interaction_type": "agentic",
    "output": None,
    "messages": [
        {
            "turn_idx": 0,
            "role": "assistant",
            "content": None,
            "reasoning_trace": None,
            "tool_calls": [{"id": "c", "name": "sum", "arguments": {"a": "2"}}],
            "tool_call_id": None,
        }
    ],
    "evaluation": {"score": 0.0, "is_correct": None, "num_turns": 2, "tool_calls_count": 1},
    "token_usage": None,
    "performance": None,
    "metadata": None,
}
WHOLE: dict[str, Any] = {
    "schema_version": "0.2.2",
    "evaluation_id": "gsm8k/org/m/1",
    "evaluation_results": [
        {
            "evaluation_result_id": number,
            "evaluation_name": "gsm8k",
            "metric_config": {"metric_id": metric, "lower_is_better": False},
            "score_details": {"score": 0.5},
            "generation_config": {
                "generation_args": {"temperature": 0.6, "max_tokens": 64},
                "additional_details": {"num_images": "4"},
            },
        }
        for number, metric in (("r1", "accuracy"), ("r2", "f1"))
    ],
}


def test_every_eval_ever_rows_of_the_schema_are_taken(tmp_path: Path) -> None:
    """Single turns and agents with every key of version 0.2.2, the files packed or not."""
    (tmp_path / "u_samples.jsonl.gz").write_bytes(gzip.compress(lines([SINGLE, AGENT])))
    (tmp_path / "u.json.gz").write_bytes(gzip.compress(json.dumps(WHOLE).encode()))
    params = {"temperature": "float", "max_tokens": "int", "num_images": "int"}
    result = run(tmp_path, **EEE, params=params)
    assert not len(result.rejected)
    names = ("sample_id", "scorer", "score", "tokens", "time", *params)
    assert result.samples.select(names).rows() == [
        ("gsm8k_0001", "accuracy", 1.0, 34.0, 2.0, 0.6, 64, 4),
        ("gsm8k_0002", "accuracy", 0.0, None, None, 0.6, 64, 4),
    ]
    assert [log.log for log in result.manifest] == ["u.json.gz", "u_samples.jsonl.gz"]


@pytest.mark.parametrize("beside", [True, False])
def test_every_eval_ever_results_of_a_sample_are_told_apart(beside: bool, tmp_path: Path) -> None:
    """A row per sample and result: the scorer is the result's metric, or else its id."""
    rows = [SINGLE | {"evaluation_result_id": number} for number in ("r1", "r2")]
    (tmp_path / "u_samples.jsonl").write_bytes(lines(rows))
    if beside:
        (tmp_path / "u.json").write_text(json.dumps(WHOLE))
    result = run(tmp_path, **EEE)
    assert result.samples["scorer"].to_list() == (["accuracy", "f1"] if beside else ["r1", "r2"])
    assert not len(result.rejected)


def test_every_eval_ever_rows_without_a_result_have_no_scorer(tmp_path: Path) -> None:
    """Version 0.2.1 of the schema has one result a row, and no id for it."""
    row = {key: value for key, value in SINGLE.items() if key != "evaluation_result_id"}
    (tmp_path / "u_samples.jsonl").write_bytes(lines([row | {"schema_version": "0.2.1"}]))
    (tmp_path / "u.json").write_text(json.dumps(WHOLE))
    assert run(tmp_path, **EEE).samples["scorer"].to_list() == [""]


FOLDER = "outputs/Qwen/Qwen2.5-Math-1.5B-Instruct/math_eval/math"
SHARD = "test_qwen25-math-cot_-1_seed0_t{}_s{}_e{}.jsonl"


def problem(idx: int) -> dict[str, Any]:
    return {
        "idx": idx,
        "question": "What is $1+1$?",
        "gt_cot": "It is $\\boxed{2}$.",
        "gt": "2",
        "level": 1,
        "type": "Algebra",
        "solution": "It is $\\boxed{2}$.",
        "answer": "2",
        "code": ["It is \\boxed{2}.", "It is \\boxed{3}."],
        "pred": ["2", "3"],
        "report": ["Done", None],
        "score": [True, False],
    }


def test_qwen_math_rows_of_the_harness_are_taken(tmp_path: Path) -> None:
    """A row as math_eval.py saves it; the temperature may stand in the name without a point."""
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / SHARD.format("0", 0, -1)).write_bytes(lines([problem(0), problem(1)]))
    result = run(tmp_path, format="qwen_math", logs="**/*.jsonl")
    names = ("model", "task", "prompt", "temperature", "sample_id", "epoch", "score")
    shared = ("Qwen/Qwen2.5-Math-1.5B-Instruct", "math", "qwen25-math-cot", 0.0)
    assert result.samples.select(names).rows() == [
        (*shared, str(idx), epoch, 1.0 - epoch) for idx in range(2) for epoch in range(2)
    ]
    assert traced(result, tmp_path)[3]["idx"] == 1


@pytest.mark.parametrize(
    ("folder", "model", "task"),
    [
        ("outputs/meta-llama/Llama-3.1-8B/aime24_eval/aime24", "meta-llama/Llama-3.1-8B", "aime24"),
        ("Llama-3.1-8B/minerva_math_eval/minerva_math", "Llama-3.1-8B", "minerva_math"),
        ("out/ckpts/checkpoint-105/math_eval/math", "ckpts/checkpoint-105", "math"),
        ("out/m_eval/aime24", "out/m_eval", "aime24"),
        ("m/math", "m", "math"),
    ],
)
def test_qwen_math_folders_tell_model_and_task(
    folder: str, model: str, task: str, tmp_path: Path
) -> None:
    """As the harness lays them out, and SkyThought, which has a folder for each task's run."""
    (tmp_path / folder).mkdir(parents=True)
    row = problem(0) | {"pred": [None], "report": [None], "code": [""], "score": [False]}
    (tmp_path / folder / SHARD.format("0.0", 0, -1)).write_bytes(lines([row]))
    result = run(tmp_path, format="qwen_math", logs="**/*.jsonl")
    assert result.samples.select("model", "task", "score").rows() == [(model, task, 0.0)]


def test_qwen_math_shards_that_repeat_earlier_ones_count_once(tmp_path: Path) -> None:
    """A later shard holds the earlier ones' problems too: they are refused, and told."""
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / SHARD.format("0.6", 0, 1)).write_bytes(lines([problem(0)]))
    (folder / SHARD.format("0.6", 1, 2)).write_bytes(lines([problem(1), problem(0)]))
    result = run(tmp_path, format="qwen_math", logs="**/*.jsonl")
    assert result.samples["sample_id"].to_list() == ["0", "0", "1", "1"]
    assert [reason[:16] for reason in reasons(result)] == ["repeats a record"] * 2
