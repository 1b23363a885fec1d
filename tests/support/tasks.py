"""Samples of models on tasks, and heatmaps of them."""

import random
from collections.abc import Iterable
from typing import Any

import msgspec
import polars as pl

from heatproof.config.entries import Columns
from heatproof.kinds import heatmap
from heatproof.samples import tables

SCHEMA = tables.samples_schema(Columns({"b": "int"}, ["tokens"]))
SIZES = {"t1": 12, "t2": 20, "t3": 7}
"""Problems of each task, tried twice."""
METRICS = ("pass@1", "pass@2", "mean(score)", "mean(tokens)")


def entry(x: str, y: str, color: str = "pass@1", **keys: Any) -> heatmap.Entry:
    given = {"name": "f", "kind": "heatmap", "source": "s"}
    given |= {"encoding": {"x": x, "y": y, "color": color}}
    return msgspec.convert(given | keys, heatmap.Entry)


def samples(rows: Iterable[dict[str, Any]]) -> pl.LazyFrame:
    """Rows of a samples table; what is not given has plain defaults."""
    base = {"log": "a", "member": "", "offset": 0, "length": 1, "run": "a", "scorer": "", "b": 1}
    base |= {"model": "m", "task": "t", "epoch": 0, "tokens": 1.0, "reconstructed": False}
    base |= {"graded": False}
    full = [base | {"line": n} | row for n, row in enumerate(rows)]
    return pl.DataFrame(full, schema=SCHEMA).lazy()


def sweep(models: str = "ab", tasks: Iterable[str] = SIZES) -> list[dict[str, Any]]:
    """Each model on each task."""
    draw = random.Random(2)
    return [
        {"model": model, "task": task, "sample_id": str(problem), "epoch": epoch, "run": model}
        | {"score": float(draw.random() < 0.6), "tokens": float(draw.randrange(90))}
        for model in models
        for task in tasks
        for problem in range(SIZES[task])
        for epoch in range(2)
    ]
