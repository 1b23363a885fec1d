"""Figures of the toy sweep, one of each kind that shows the cells of a heatmap otherwise."""

import json
from typing import Any

import polars as pl

from heatproof.charts import spec
from heatproof.kinds import api
from support import toys

ENTRIES: dict[str, dict[str, Any]] = {
    "forest": {"encoding": {"x": "pass@1", "y": "window", "detail": "ratio"}},
    "line": {"encoding": {"x": "ratio", "y": "pass@1", "color": "window"}},
    "scatter": {
        "encoding": {"x": "mean(score)", "y": "pass@1", "label": "window", "detail": "ratio"}
    },
    "table": {"encoding": {"x": "ratio", "y": "window", "text": "pass@1"}},
}


def entry(kind: str, **keys: Any) -> Any:
    """A figure of the toy sweep, as config.yaml would give it."""
    block = {"name": "toy", "kind": kind, "source": "toy", "panel": "task"}
    return api.read(block | ENTRIES[kind] | keys)


def grid(figure: Any) -> pl.DataFrame:
    """Its grid."""
    cells: pl.DataFrame = api.kind(figure.kind).aggregate(toys.sweep().lazy(), figure)
    return cells


def draw(figure: Any, cells: pl.DataFrame | None = None) -> dict[str, Any]:
    """Its spec."""
    cells = grid(figure) if cells is None else cells
    chart = api.kind(figure.kind).draw(cells, figure)
    plain: dict[str, Any] = json.loads(spec.text(chart, {"reconstructed": False}))
    return plain
