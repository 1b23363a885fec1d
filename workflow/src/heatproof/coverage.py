"""coverage: what a sweep holds, what it lacks, and which runs are not complete; from counts alone.

A sweep is every combination of the values that its settings take (model, task, hyper-parameters,
scorer); values that no log has yet can be named. A complete run holds each problem that any run of
its task holds, as often as the run that holds it most often.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from heatproof import selection
from heatproof.errors import Error, choices
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STATES = ("complete", "incomplete", "missing")


def coverage(partial: pl.DataFrame, expected: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """A row per combination of settings, sorted: its state, epochs found and expected.

    `partial`: counts (`heatproof.counts`) of all shards; `expected`: column → further values.

    Raises:
        Error: a column of `expected` is no setting, or a value does not fit its type.
    """
    names = selection.settings(partial.columns)
    runs = _product(partial, names, expected)
    found = partial.group_by(names).agg(
        samples=pl.col("sample_id").n_unique(), epochs=pl.col("epochs").sum()
    )
    each = partial.group_by([*names, "sample_id"]).agg(pl.col("epochs").sum())
    most = each.group_by("task", "sample_id").agg(pl.col("epochs").max())
    whole = most.group_by("task").agg(problems=pl.len(), expected=pl.col("epochs").sum())
    rows = runs.join(found, on=names, how="left", nulls_equal=True).join(
        whole, on="task", how="left"
    )
    numbers = ["samples", "problems", "epochs", "expected"]
    rows = rows.with_columns(pl.col(name).fill_null(0).cast(pl.Int64) for name in numbers)
    missing, short = pl.col("epochs") == 0, pl.col("epochs") < pl.col("expected")
    complete, incomplete, lacking = map(pl.lit, STATES)
    state = pl.when(missing).then(lacking).when(short).then(incomplete).otherwise(complete)
    return rows.select(*names, state.alias("state"), *numbers).sort(names)


def _product(
    partial: pl.DataFrame, names: Sequence[str], expected: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    for name in expected:
        if name not in names:
            raise Error(f"--expect {name}: not a setting; {choices(name, names)}")
    product = pl.DataFrame()
    for name in names:
        values = partial[name].unique()
        axis = (
            pl.concat([values, _cast(name, expected.get(name, ()), values.dtype)]).unique().sort()
        )
        one = axis.to_frame()
        product = one if not product.width else product.join(one, how="cross")
    return product


def _cast(name: str, values: Sequence[str], kind: pl.DataType) -> pl.Series:
    try:
        return pl.Series(name, list(values), pl.String).cast(kind)
    except pl.exceptions.InvalidOperationError:
        raise Error(f"--expect {name}: {', '.join(values)} are not all of type {kind}") from None


def text(rows: pl.DataFrame) -> str:
    """A line for each state, then the settings that differ among the runs that lack something."""
    counts = dict(rows.group_by("state").len().iter_rows())
    lines = [f"{counts.get(state, 0):>8,} {state}" for state in STATES]
    wanting = rows.filter(pl.col("state") != "complete")
    varied = [name for name in _settings(rows) if rows[name].n_unique() > 1]
    for row in wanting.iter_rows(named=True):
        settings = " ".join(f"{name}={row[name]}" for name in varied)
        lines.append(f"{row['state']:10}  {row['epochs']:,} of {row['expected']:,}  {settings}")
    return "\n".join(lines)


def todo(rows: pl.DataFrame) -> str:
    """The runs to do as tab-separated values under their names: line n + 1 is task n of an array."""
    wanting = rows.filter(pl.col("state") != "complete").select(_settings(rows))
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(wanting.columns)
    writer.writerows([_plain(value) for value in row] for row in wanting.iter_rows())
    return out.getvalue()


def _settings(rows: pl.DataFrame) -> list[str]:
    return rows.columns[: rows.columns.index("state")]


def _plain(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
