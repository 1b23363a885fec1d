"""A small sweep as a samples table."""

import random
from typing import Any

import polars as pl

from heatproof.config.entries import Columns
from heatproof.kinds import heatmap
from heatproof.samples.tables import samples_schema

SCHEMA = samples_schema(Columns({"ratio": "float"}, ["tokens"]))


def sweep(scores: tuple[float, ...] = (0.0, 1.0), runs: int = 1) -> pl.DataFrame:
    """Two tasks, two ratios, five problems of three epochs; some measures are not there."""
    draw = random.Random(1)
    rows: list[dict[str, Any]] = []
    for model in ("m", "n"):
        for task in ("s", "t"):
            for ratio in (0.1, 0.2):
                for sample in range(5):
                    for epoch in range(3):
                        name = f"{model}-{task}-{ratio}-{epoch % runs}"
                        rows.append(
                            {"log": name, "member": "", "line": 1, "offset": 0, "length": 9,
                             "run": name, "model": model, "task": task, "ratio": ratio,
                             "sample_id": str(sample), "epoch": epoch, "scorer": "",
                             "score": draw.choice(scores),
                             "tokens": draw.choice([None, draw.random()]),
                             "reconstructed": False, "graded": False}
                        )  # fmt: skip
    return pl.DataFrame(rows, schema=SCHEMA).sort("run", "sample_id", "epoch", "scorer")


def heat(color: str = "pass@1", **keys: Any) -> heatmap.Entry:
    given = {
        "where": {"model": "m"},
        "encoding": heatmap.entry.Encoding(x="ratio", y="task", color=color),
    }
    return heatmap.Entry(name="f", kind="heatmap", source="s", **{**given, **keys})
