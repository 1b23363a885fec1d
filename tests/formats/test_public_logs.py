"""Public logs, where they lie beside the project: scores and means are what the harnesses say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from reading import run

if TYPE_CHECKING:
    from pathlib import Path


def test_helm_real_runs_agree_with_their_stats(real_logs: Path) -> None:
    """Over real runs the mean of each split is the one that HELM reports."""
    folder = real_logs / "every_eval_ever/tests/data/helm"
    result = run(folder, format="helm", logs="**/per_instance_stats.json", metric="exact_match")
    assert not len(result.rejected)
    for (path, split), rows in result.samples.group_by("log", "split"):
        stats = json.loads((folder / str(path)).with_name("stats.json").read_text())
        [told] = [
            stat["mean"]
            for stat in stats
            if stat["name"] == {"name": "exact_match", "split": split}
        ]
        assert rows["score"].mean() == pytest.approx(told)


def test_real_runs_have_their_true_pass_at_1(real_logs: Path) -> None:
    """Over a real sweep the first epochs give what the harness reports, all epochs the truth."""
    folder = real_logs / "lm_eval"
    params = {"temperature": "float", "top_p": "float"}
    result = run(
        folder, format="lm_eval", logs="**/samples_*.jsonl", filter="take_first", params=params
    )
    assert not len(result.rejected)
    for path, rows in result.samples.group_by("log"):
        told = json.loads(
            (folder / str(path[0]).replace("samples_tiny_add", "results"))
            .with_suffix(".json")
            .read_text()
        )
        first = rows.filter(epoch=0)["score"]
        assert first.sum() / len(first) == told["results"]["tiny_add"]["exact_match,take_first"]
    cell = result.samples.filter(pl.col("temperature") == 1.0, pl.col("top_p") == 0.9)["score"]
    assert (len(cell), cell.sum() / len(cell)) == (200, 0.505)


GRADES = [
    ("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (True, 1), ("yes", 1), ("No", 0), ("0.75", 0.75),
    ("TRUE", 1),
]  # fmt: skip


@pytest.mark.parametrize(("value", "score"), GRADES)
def test_grades_are_read_as_inspect_reads_them(value: Any, score: float) -> None:
    """By Inspect's own value_to_float."""
    inspect_ai = pytest.importorskip("inspect_ai.scorer")
    assert inspect_ai.value_to_float()(value) == score


@pytest.mark.parametrize("kind", ["inspect_sweep", "inspect_json"])
def test_real_logs_agree_with_inspect(kind: str, real_logs: Path) -> None:
    """On real logs ids, epochs, scores and settings are what inspect_ai itself reads."""
    oracle = pytest.importorskip("inspect_ai.log")
    params = {"temperature": "float", "top_p": "float"}
    result = run(real_logs / kind, format="inspect", params=params)
    assert not len(result.rejected)
    as_float = pytest.importorskip("inspect_ai.scorer").value_to_float()
    columns = ("sample_id", "epoch", "score", "model", *params)
    for (path,), rows in list(result.samples.group_by("log"))[:4]:
        log = oracle.read_eval_log(str(real_logs / kind / str(path)))
        config = log.plan.config
        assert sorted(rows.select(columns).rows()) == sorted(
            (str(s.id), s.epoch, as_float(s.scores["match"].value), log.eval.model,
             config.temperature, config.top_p)
            for s in log.samples
        )  # fmt: skip
        reported = log.results.scores[0].metrics["accuracy"].value
        means = rows.group_by("sample_id").agg(pl.col("score").mean())["score"]
        assert means.mean() == pytest.approx(reported)
