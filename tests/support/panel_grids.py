"""A sweep of models on tasks, drawn as a grid of panels."""

from functools import cache
from typing import Any

import polars as pl

from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap.entry import Entry
from support.tasks import entry, samples

MODELS, TASKS = ("m1", "m2"), ("t1", "t2", "t3")


@cache
def sweep() -> tuple[dict[str, Any], ...]:
    """2 models × 3 tasks, of which m2 has not run t3, × 2 settings `b` × 2 scorers."""
    return tuple(
        {"model": model, "task": task, "b": b, "scorer": scorer, "sample_id": str(n)}
        | {"score": float(n * (b + m + 1) % (t + 3) < 2), "run": f"{model} {task} {b}"}
        for m, model in enumerate(MODELS)
        for t, task in enumerate(TASKS)
        for b in (1, 2)
        for scorer in ("s", "u")
        for n in range(8)
        if (model, task) != ("m2", "t3")
    )


def grid_entry(**keys: Any) -> Entry:
    return entry("b", "scorer", **({"row": "model", "column": "task"} | keys))


def rows() -> pl.LazyFrame:
    return samples(sweep())


@cache
def drawn(**keys: Any) -> tuple[dict[str, Any], bytes]:
    one = grid_entry(**keys)
    chart = api.kind("heatmap").draw(grids.aggregate(rows(), one), one)
    made = chart.to_dict(validate=True)
    return made, export.svg(drawing.draw(made))


def panels(made: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in made["concat"] if "description" in one]
