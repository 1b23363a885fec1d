"""Public logs, where they lie beside the project: scores and means are what the harnesses say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

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
