"""A small sweep as a samples table."""

import random
from itertools import product
from typing import Any

import polars as pl

from heatproof.kinds import heatmap
from support import samples


def sweep(scores: tuple[float, ...] = (0.0, 1.0), runs: int = 1) -> pl.DataFrame:
    """Two tasks, two ratios, five problems of three epochs; some measures are not there."""
    draw = random.Random(1)
    rows: list[dict[str, Any]] = []
    for model, task, ratio, sample, epoch in product("mn", "st", (0.1, 0.2), range(5), range(3)):
        run = f"{model}-{task}-{ratio}-{epoch % runs}"
        told = {"log": run, "run": run, "model": model, "task": task, "ratio": ratio}
        told |= {"sample_id": str(sample), "epoch": epoch, "score": draw.choice(scores)}
        rows.append(told | {"tokens": draw.choice([None, draw.random()])})
    table = samples.table(rows, {"ratio": "float"}, line=1, length=9)
    return table.collect().sort("run", "sample_id", "epoch", "scorer")


def heat(color: str = "pass@1", **keys: Any) -> heatmap.Entry:
    return samples.heat("ratio", "task", color, **{"where": {"model": "m"}} | keys)
