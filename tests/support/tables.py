"""Grids of cells and of pairs whose numbers are told as CSV and LaTeX."""

import msgspec
import polars as pl

from heatproof.kinds import api
from heatproof.kinds.heatmap.entry import Entry
from heatproof.kinds.pairwise.entry import Entry as Pairwise
from support.toys import peered

CELLS = peered(
    pl.DataFrame(
        {
            "task": ["a_1"] * 4 + ["b"] * 4,
            "y": [500, 500, 3000, 3000] * 2,
            "x": [0.1, 0.2] * 4,
            "value": [0.4, 0.4533333333333333, None, 0.4933333333333333, 0.1, 0.2, 0.3, 0.3],
            "samples": [30, 30, 0, 30, 9, 9, 9, 9],
            "epochs": [150, 150, 0, 149, 45, 45, 45, 45],
            "expected": [150] * 4 + [45] * 4,
            "se": [0.04, 0.04, None, 0.04, 0.01, 0.01, 0.01, None],
            "low": [None] * 8,
            "high": [None] * 8,
            "best": [False, False, False, True, False, False, True, True],
            "tied": [None] * 8,
        },
        schema_overrides={"low": pl.Float64, "high": pl.Float64, "tied": pl.Boolean},
    ),
    "task",
)


def entry(**keys):
    """A heatmap of ratios and windows; what it says of itself is plain."""
    axes = {"x": "ratio", "y": "local_window", "color": "pass@1", **keys.pop("encoding", {})}
    given = {"name": "n", "kind": "heatmap", "source": "s", "panel": "task", "percent": False}
    return msgspec.convert({**given, "uncertainty": "none", **keys, "encoding": axes}, Entry)


def duel(**keys):
    """A pairwise figure of the models in `BINS`."""
    given = {"name": "n", "kind": "pairwise", "source": "s", "models": ["R1", "L&4", "g2"]}
    return msgspec.convert({**given, **keys}, Pairwise)


def csv(grid, kind="heatmap", **keys):
    return api.kind(kind).csv(grid, entry(**keys))


def latex(grid, note="", **keys):
    return api.kind("heatmap").latex(grid, entry(**keys), note)
