"""coverage: the runs of a sweep, complete, incomplete, failed and missing; from counts alone.

A sweep is every combination of the values that its settings take (model, task, hyper-parameters,
scorer); values that no log has yet can be named. Runs that lack some hyper-parameter, as baselines
do, are a sweep of their own. A complete run holds what its logs declare; where they declare
nothing, each problem of the runs of its task with plainly the same problems, as often as the run
that holds it most often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.config.schema import KINDS
from heatproof.kinds.heatmap.grid import whole_sizes
from heatproof.samples import shard_index
from heatproof.samples.shard_index import LOG
from heatproof.util import terminal
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.samples.shard_index import ShardIndex

COMMON = (*roles.SETTINGS, *roles.GRADERS)  # settings of every run, beside its hyper-parameters
STATES = ("complete", "incomplete", "failed", "missing")  # failed: it has a log, and no sample
LIMITED = ("asked", "dataset")
"""Problems that a run was asked for, and those of its data set, where these are more."""
NUMBERS = ("samples", "problems", "epochs", "expected")
RESULTS = ("state", *NUMBERS, *LIMITED, LOG)  # all columns that are no settings


def run_coverage(
    partial: pl.DataFrame, expected: Mapping[str, Sequence[str]], logs: ShardIndex | None = None
) -> pl.DataFrame:
    """A row per combination of settings, sorted: its state, epochs there and expected, and more.

    `partial`: counts of all shards; `expected`: column → further values. Raises Error if such a
    column is no setting, or a value does not fit its type.
    """
    names = roles.settings(partial.columns)
    declarations = shard_index.runs(partial, logs)
    present = pl.concat([partial.select(names), declarations.select(names)])
    runs = _combinations(present.unique(maintain_order=True), names, expected)
    sums = partial.group_by(names).agg(
        samples=pl.col("sample_id").n_unique(), epochs=pl.col("epochs").sum()
    )
    usual = declarations.group_by("task").agg(usual=pl.col("whole").max())
    least = pl.max_horizontal("expected", "least", "usual")
    missing, short = pl.col("epochs") == 0, pl.col("epochs") < pl.col("expected")
    complete, incomplete, failed, lacking = map(pl.lit, STATES)
    empty = pl.when(pl.col(LOG).is_null()).then(lacking).otherwise(failed)
    return (
        _complete_sizes(runs, partial, names)
        .join(sums, on=names, how="left", nulls_equal=True)
        .with_columns(pl.col(name).fill_null(0).cast(pl.Int64) for name in NUMBERS)
        .join(declarations, on=names, how="left", nulls_equal=True)
        .join(usual, on="task", how="left")
        .with_columns(expected=pl.coalesce("whole", least))
        .with_columns(
            state=pl.when(missing).then(empty).when(short).then(incomplete).otherwise(complete)
        )
        .select(*names, *RESULTS)
        .sort(names)
    )


def _combinations(
    runs: pl.DataFrame, names: Sequence[str], expected: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """The runs of a sweep; one without a `ratio` once, not once for each value of the others."""
    for name in expected:
        if name not in names:
            raise Error(f"--expect {name}: not a setting; {choices(name, names)}")
    tuned = [name for name in names if name not in COMMON]
    lacks = {f"no {name}": pl.col(name).is_null() for name in tuned}
    parts = runs.with_columns(**lacks).partition_by(*lacks) if tuned else [runs]
    product = _product(runs, [name for name in names if name in COMMON], expected)
    return pl.concat(product.join(_product(part, tuned, expected), how="cross") for part in parts)


def _product(
    runs: pl.DataFrame, names: Sequence[str], expected: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Every combination of the values that occur, or are expected of a setting with values."""
    product = pl.DataFrame({"": [0]})
    for name in names:
        values = runs[name].unique()
        if name in COMMON or not values.has_nulls():
            values = pl.concat([values, _cast(name, expected.get(name, ()), values.dtype)]).unique()
        product = product.join(values.sort().to_frame(), how="cross")
    return product.drop("")


def _cast(name: str, texts: Sequence[str], kind: pl.DataType) -> pl.Series:
    """Expected values in the type of their column."""
    column = pl.Series(name, list(texts), pl.String)
    if kind == pl.Boolean:
        flags = {"true": True, "false": False}
        values = column.replace_strict(flags, default=None, return_dtype=kind)
    else:
        values = column.cast(kind, strict=False)
    if values.has_nulls():
        python = bool if kind == pl.Boolean else int if kind == pl.Int64 else float
        wrong = column.filter(values.is_null())[0]
        raise Error(f"--expect {name}: {wrong!r} is not {KINDS[python]}")
    return values


def _complete_sizes(
    runs: pl.DataFrame, partial: pl.DataFrame, names: Sequence[str]
) -> pl.DataFrame:
    """The runs, with the `problems` and epochs (`expected`) of a complete one.

    Of a run without samples, whose neighbours do not show which problems it would have, the most of
    any run of its task.
    """
    epochs = partial.group_by([*names, "sample_id"]).agg(pl.col("epochs").sum())
    tasks = epochs.partition_by("task", as_dict=True)
    parts = []
    for task, part in runs.partition_by("task", as_dict=True).items():
        samples = tasks.get(task, epochs.clear())
        samples = samples.join(part.with_row_index("at"), on=names, nulls_equal=True)
        problem = samples["sample_id"].rank("dense").to_numpy().astype(np.int64) - 1
        count = np.zeros((samples["sample_id"].n_unique(), len(part)), np.int64)
        count[problem, samples["at"].to_numpy()] = samples["epochs"].to_numpy()
        lines = [part[n].rank("dense").fill_null(0).to_numpy().astype(np.int64) for n in names]
        problems, expected = whole_sizes(count, lines, np.ones(len(part), np.int64))
        largest, unknown = np.argmax(expected), expected == 0
        problems[unknown], expected[unknown] = problems[largest], expected[largest]
        parts.append(part.with_columns(problems=pl.Series(problems), expected=pl.Series(expected)))
    return pl.concat(parts)


def setting_columns(rows: pl.DataFrame) -> list[str]:
    """The columns of `run_coverage` that are settings."""
    return [name for name in rows.columns if name not in RESULTS]


def coverage_text(rows: pl.DataFrame) -> str:
    """A line for each state, for each run that is not complete, and for tasks of limited runs."""
    counts = dict(rows.group_by("state").len().iter_rows())
    lines = [f"{counts.get(state, 0):>8,} {state}" for state in STATES]
    varied = [name for name in setting_columns(rows) if rows[name].n_unique() > 1]
    for row in rows.filter(pl.col("state") != "complete").iter_rows(named=True):
        place = " ".join(f"{name}={row[name]}" for name in varied)
        lines.append(f"{row['state']:10}  {row['epochs']:,} of {row['expected']:,}  {place}")
        lines[-1] += f"  ({terminal.name(row[LOG])})" if row[LOG] else ""
    limited = rows.drop_nulls(LIMITED).group_by("task", *LIMITED).len("runs")
    for task, limit, dataset, runs in limited.sort("task", *LIMITED).iter_rows():
        of_task = f" of {task}" if task else ""
        share = f"{limit:,} of the {dataset:,} problems of the data set"
        lines.append(f"limited     {numbered(runs, 'run')}{of_task} asked for {share} alone")
    return "\n".join(lines)


def todo(rows: pl.DataFrame) -> str:
    """The runs to do as tab-separated settings: line n + 1 is task n of a job array."""
    lacking = rows.filter(pl.col("state") != "complete").select(setting_columns(rows))
    blank = pl.col(pl.String).replace("", None)  # a null is written as nothing at all
    return lacking.with_columns(blank).write_csv(separator="\t")
