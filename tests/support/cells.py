"""A few samples by hand, and heatmaps of them."""

from typing import Any

import polars as pl

from heatproof.kinds import heatmap
from support.samples import heat, table


def entry(**keys: Any) -> heatmap.Entry:
    return heat(**{"name": "fig", "source": "runs", "panel": "task"} | keys)


def samples(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    """Rows of one log, by default epochs of one problem."""
    numbered = [{"epoch": n} | row for n, row in enumerate(rows)]
    return table(numbered, log="a.jsonl", ratio=0.1, window=500, sample_id="0")


def epochs(sample: str, *scores: float, **keys: Any) -> list[dict[str, Any]]:
    return [
        {"sample_id": sample, "epoch": n, "score": float(s)} | keys for n, s in enumerate(scores)
    ]
