"""Samples of models on tasks, and heatmaps of them."""

import random
from collections.abc import Iterable
from typing import Any

import polars as pl

from support.samples import heat as entry
from support.samples import table

__all__ = ["entry", "samples", "sweep"]
SIZES = {"t1": 12, "t2": 20, "t3": 7}
"""Problems of each task, tried twice."""


def samples(rows: Iterable[dict[str, Any]]) -> pl.LazyFrame:
    """Rows of a samples table; a setting `b` is 1."""
    return table(rows, {"b": "int"}, b=1, tokens=1.0)


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
