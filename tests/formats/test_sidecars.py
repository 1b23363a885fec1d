"""Sidecars: what a log is read together with is part of the log, for freshness and for proof."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from heatproof import ledger
from heatproof.plan import Plan
from support.harness_logs import record, write

if TYPE_CHECKING:
    from pathlib import Path

EARLY, LATE = "2026-01-02T00-00-00.0", "2026-01-03T00-00-00.0"


def shards(root: Path) -> dict[str, Any]:
    """Shard → what its job reads, with its content."""
    source = {"format": "lm_eval", "logs": "**/samples_*.jsonl", "shards": 64}
    axes = {"x": "model", "y": "task", "color": "pass@1"}
    figure = {"kind": "heatmap", "source": "runs", "encoding": axes}
    raw: dict[str, Any] = {"sources": {"runs": source}, "figures": {"grid": figure}}
    plan = Plan(raw, root)
    return {
        shard: {path: ledger.contents(root / path) for path in plan.read_by(f"runs/{shard}")}
        for shard in plan.logs["runs"]
    }


def test_a_changed_sidecar_changes_the_shard_of_its_log(tmp_path: Path) -> None:
    """New settings in a results file are a change of the run, though its samples are the same."""
    write(tmp_path, [record(1, ["1"])], time=EARLY)
    write(tmp_path, [record(1, ["1"])], time=LATE, gen_kwargs={"top_p": 1})
    before = shards(tmp_path)
    path = tmp_path / "tiny" / f"results_{EARLY}.json"
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"config": {"model_args": "pretrained=other"}}))
    after = shards(tmp_path)
    assert sum(before[name] != after[name] for name in before) == 1
