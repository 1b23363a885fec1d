"""How often the problems of a cell were solved, and the cells of which a mean was made."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from heatproof import cells, grids
from heatproof.lazy import polars as pl
from heatproof.metrics import metric
from heatproof.numerals import show

if TYPE_CHECKING:
    from heatproof.figures.heatmap import Entry


def title(entry: Entry) -> str:
    """What the tally of a cell is called."""
    what = metric(entry.encoding.color).of
    return "Problems by right epochs" if what == "score" else f"{what.title()}, mean of a problem"


def tallies(rows: pl.DataFrame, entry: Entry) -> dict[int, list[Any]]:
    """Cell → how many problems were right how often; of other numbers lowest, middle, highest.

    `rows`: samples, each with the number of its `cell`.
    """
    what = metric(entry.encoding.color)
    sums = grids.problems(rows, ["cell"], what).partition_by("cell", maintain_order=True)
    right = what.of == "score" and rows["score"].is_in([0.0, 1.0]).all()
    return {int(part["cell"][0]): (_counts if right else _ends)(part) for part in sums}


def _counts(part: pl.DataFrame) -> list[Any]:
    pairs = part.select("count", pl.col("total").round().cast(pl.Int64)).rows()
    found = sorted(Counter(pairs).items(), reverse=True)
    return [[f"{right} of {epochs}", problems] for (epochs, right), problems in found]


def _ends(part: pl.DataFrame) -> list[Any]:
    means = (part["total"] / part["count"]).sort()
    at = {"lowest": 0, "middle": len(means) // 2, "highest": len(means) - 1}
    return [[words, show(means[place], ".6~g")] for words, place in at.items()]


def parts(rows: pl.DataFrame, entry: Entry, spec: str) -> dict[int, list[Any]]:
    """Cell → name, value, problems and graded rows of each cell of which it is the mean.

    `spec`: format of a value. Empty unless the figure shows means over a column.
    """
    if entry.mean_over is None:
        return {}
    sums = grids.problems(rows, ["cell", entry.mean_over], metric(entry.encoding.color))
    found: dict[int, list[Any]] = {}
    for part in sums.partition_by("cell", entry.mean_over, maintain_order=True):
        row = _alone(part, entry)
        value = cells.scaled(row["value"], 100.0 if entry.shows_percent else 1.0)
        told = "–" if value is None else show(value, spec)
        name = str(part[entry.mean_over][0])
        found.setdefault(int(part["cell"][0]), []).append(
            [name, told, row["samples"], row["epochs"]]
        )
    return found


def _alone(part: pl.DataFrame, entry: Entry) -> dict[str, Any]:
    """The row that the grid would have for these problems alone."""
    count, total = (part[key].to_numpy()[:, None] for key in ("count", "total"))
    panel = grids.Panel(count, total, task=0 * count[:, 0], expected=count.sum(axis=0))
    return grids.estimate(panel, metric(entry.encoding.color)).row(0, named=True)
