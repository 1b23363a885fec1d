"""Behind the cells of a heatmap: their numbers in words, how often problems were solved, lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from heatproof import cells, grids, numbers, selection, wording
from heatproof.evidence.places import PLACE, Logs, fair, stretches, told
from heatproof.lazy import polars as pl
from heatproof.metrics import metric
from heatproof.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.figures.heatmap import Entry

Story = dict[str, Any]


def story(samples: pl.LazyFrame, entry: Entry, grid: pl.DataFrame) -> Story:
    """What the audit page tells of each cell of a heatmap, as plain values.

    `cells` stand in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `tally` ([words, count] pairs), `parts` (cells of which a mean was made) and `logs` (see
    `places.told`).
    """
    rows = _rows(samples, entry, grid)
    logs, found = Logs(), stretches(rows, "cell")
    lines = told(found, "cell", fair(found["cell"].value_counts()["count"]), logs)
    tallies, parts = _tallies(rows, entry), _parts(rows, entry)
    shown, spec = _shown(grid, entry)
    return {
        **_axes(grid, entry),
        "facts": [_value(entry), "Standard error", "Interval", "Problems", "Graded rows"],
        "tally": _tally_title(entry),
        "parts": wording.column(entry.mean_over, entry.labels) if entry.mean_over else "",
        "cells": [
            {
                "facts": _facts(row, spec),
                "flags": _flags(row),
                "tally": tallies.get(n, []),
                "parts": parts.get(n, []),
                "logs": lines.get(n, []),
            }
            for n, row in enumerate(shown)
        ],
        "logs": logs.listed(),
    }


def _rows(samples: pl.LazyFrame, entry: Entry, grid: pl.DataFrame) -> pl.DataFrame:
    """The samples behind the figure, each with the number of its `cell` in the grid."""
    what, panel = metric(entry.encoding.color), numbers.panel_column(grid)
    chosen = selection.choose(samples, entry.where, f"config.yaml: figures.{entry.name}")
    graded = chosen.filter(pl.col(what.of).is_not_null())
    columns = graded.collect_schema().names()
    wanted = {*PLACE, *selection.settings(columns), "sample_id", "epoch", "run", what.of}
    rows = graded.select(name for name in columns if name in wanted).collect()
    ours = [*([panel] if panel else []), entry.encoding.y, entry.encoding.x]
    theirs = [*([panel] if panel else []), "y", "x"]
    places = grid.select(theirs).with_row_index("cell")
    return rows.join(places, left_on=ours, right_on=theirs)


def _problems(rows: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    return grids.problems(rows, ["cell"], metric(entry.encoding.color))


def _tally_title(entry: Entry) -> str:
    what = metric(entry.encoding.color).of
    return "Problems by right epochs" if what == "score" else f"{what.title()}, mean of a problem"


def _tallies(rows: pl.DataFrame, entry: Entry) -> dict[int, list[Any]]:
    """Cell → how many problems were right how often; of other numbers lowest, middle, highest."""
    found = _problems(rows, entry).partition_by("cell", as_dict=True, maintain_order=True)
    graded = metric(entry.encoding.color).of == "score"
    right = graded and rows["score"].is_in([0.0, 1.0]).all()
    return {int(cell): (_counts if right else _ends)(part) for (cell,), part in found.items()}


def _counts(part: pl.DataFrame) -> list[Any]:
    pairs = part.select(pl.col("total").round().cast(pl.Int64), "count").rows()
    order = sorted(Counter(pairs).items(), key=lambda item: (item[0][1], item[0][0]), reverse=True)
    return [[f"{right} of {epochs}", problems] for (right, epochs), problems in order]


def _ends(part: pl.DataFrame) -> list[Any]:
    means = (part["total"] / part["count"]).sort()
    at = {"lowest": 0, "middle": len(means) // 2, "highest": len(means) - 1}
    return [[words, show(means[place], ".6~g")] for words, place in at.items()]


def _parts(rows: pl.DataFrame, entry: Entry) -> dict[int, list[Any]]:
    """Cell → name, value, problems and graded rows of each cell of which it is the mean."""
    if entry.mean_over is None or not len(rows):
        return {}
    what, over = metric(entry.encoding.color), entry.mean_over
    sums = grids.problems(rows, ["cell", over], what)
    found: dict[int, list[Any]] = {}
    for (cell, name), part in sums.partition_by(
        "cell", over, as_dict=True, maintain_order=True
    ).items():
        count, total = (part[key].to_numpy()[:, None] for key in ("count", "total"))
        alone = grids.Panel(count, total, 0 * count[:, 0], count.sum(axis=0))
        row = grids.estimate(alone, what).row(0, named=True)
        value = cells.scaled(row["value"], _factor(entry))
        spec = entry.format or (".1f" if entry.shows_percent else ".6~g")
        told = "–" if value is None else show(value, spec)
        found.setdefault(int(cell), []).append([str(name), told, row["samples"], row["epochs"]])
    return found


def _factor(entry: Entry) -> float:
    return 100.0 if entry.shows_percent else 1.0


def _shown(grid: pl.DataFrame, entry: Entry) -> tuple[list[cells.Row], str]:
    """The cells in the unit of the figure, and the format of its numbers."""
    rows = cells.table(grid, numbers.panel_column(grid), _factor(entry), "tied")
    return rows, entry.format or cells.number_format(rows, entry.shows_percent)


def _value(entry: Entry) -> str:
    unit = " (%)" if entry.shows_percent else ""
    return wording.measure(entry.encoding.color, entry.labels) + unit


def _facts(row: cells.Row, spec: str) -> list[str | None]:
    """Value, standard error, interval and counts as text; None for what is not known."""
    value, se, low, high = (
        None if row[key] is None else show(row[key], spec) for key in ("value", "se", "low", "high")
    )
    interval = f"{low} to {high}" if low and high else None
    graded = f"{row['epochs']:,} of {row['expected']:,}"
    return [value or "no data", se and f"± {se}", interval, f"{row['samples']:,}", graded]


def _flags(row: cells.Row) -> list[str]:
    said = {
        "best": "highest of its panel",
        "tied": "not distinguishable from the highest",
        "incomplete": "incomplete: a full run holds more rows",
        "missing": "no data",
    }
    return [words for flag, words in said.items() if row[flag]]


def _axes(grid: pl.DataFrame, entry: Entry) -> Story:
    """What panels and axes are called, in the figure and for `heatproof trace`."""
    panel = numbers.panel_column(grid)
    along = {"x": entry.encoding.x, "y": entry.encoding.y}
    titles = {axis: wording.column(name, entry.labels) for axis, name in along.items()}
    return {
        "panels": [_panel(panel, value, titles) for value in _distinct(grid, panel)],
        **{axis: {"name": name, **_values(_distinct(grid, axis))} for axis, name in along.items()},
    }


def _panel(column: str | None, value: Any, titles: dict[str, str]) -> Story:
    pick = [[column, str(value)]] if column else []
    return {"pick": pick, "words": str(value) if column else "", **titles}


def _values(values: Sequence[Any]) -> Story:
    return {"values": [str(value) for value in values], "words": list(cells.labels(values).values())}


def _distinct(grid: pl.DataFrame, column: str | None) -> list[Any]:
    return list(dict.fromkeys(grid[column])) if column else [None]
