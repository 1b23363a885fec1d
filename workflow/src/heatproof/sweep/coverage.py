"""coverage: what a sweep holds, what it lacks, and which runs are not complete; from counts alone.

A sweep is every combination of the values that its settings take (model, task, hyper-parameters,
scorer); values that no log has yet can be named. Runs that lack some hyper-parameter, as baselines
do, are a sweep of their own. A complete run holds what its logs declare; where they declare
nothing, each problem that a run of its task with plainly the same problems holds, as often as the
run that holds it most often.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.config.mistakes import KINDS
from heatproof.kinds.heatmap import judging
from heatproof.samples import declared
from heatproof.samples.declared import LOG
from heatproof.util import terminal
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.samples.shard_index import ShardIndex


COMMON = ("model", "task", "scorer")
"""Settings that every run has, beside its hyper-parameters."""
STATES = ("complete", "incomplete", "failed", "missing")
"""A failed run is one of which there is a log, and no sample."""
LIMITED = ("asked", "dataset")
"""Problems that a run was asked for, and those of its data set, where these are more."""
NUMBERS = ("samples", "problems", "epochs", "expected")
FOUND = ("state", *NUMBERS, *LIMITED, LOG)
"""What is found of a run: all columns but those that set it apart; no setting is called so."""


def coverage(
    partial: pl.DataFrame, expected: Mapping[str, Sequence[str]], logs: ShardIndex | None = None
) -> pl.DataFrame:
    """A row per combination of settings, sorted: its state, epochs found and expected, and more.

    `partial`: counts (`samples.counts`) of all shards; `expected`: column → further values;
    `logs`: what they were to hold, those included that hold nothing.

    Raises:
        Error: a column of `expected` is no setting, or a value does not fit its type.
    """
    names = roles.settings(partial.columns)
    told = declared.runs(partial, logs) if logs else declared.none(partial)
    runs = _product(pl.concat([partial.select(names), told.select(names)]), names, expected)
    found = partial.group_by(names).agg(
        samples=pl.col("sample_id").n_unique(), epochs=pl.col("epochs").sum()
    )
    each = partial.group_by([*names, "sample_id"]).agg(pl.col("epochs").sum())
    rows = whole(runs, each, names).join(found, on=names, how="left", nulls_equal=True)
    rows = rows.with_columns(pl.col(name).fill_null(0).cast(pl.Int64) for name in NUMBERS)
    rows = _declared(rows, told, names)
    missing, short = pl.col("epochs") == 0, pl.col("epochs") < pl.col("expected")
    complete, incomplete, failed, lacking = map(pl.lit, STATES)
    empty = pl.when(pl.col(LOG).is_null()).then(lacking).otherwise(failed)
    state = pl.when(missing).then(empty).when(short).then(incomplete).otherwise(complete)
    return rows.with_columns(state.alias("state")).select(*names, *FOUND).sort(names)


def _declared(rows: pl.DataFrame, told: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The runs, each with what its logs declare expected of it, or by what there is of others."""
    usual = told.group_by("task").agg(usual=pl.col("whole").max())
    both = rows.join(told, on=names, how="left", nulls_equal=True).join(
        usual, on="task", how="left"
    )
    others = pl.max_horizontal("expected", "least", "usual")
    return both.with_columns(expected=pl.coalesce("whole", others)).select(
        *rows.columns, *LIMITED, LOG
    )


def _product(
    partial: pl.DataFrame, names: Sequence[str], expected: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """The runs of a sweep.

    A baseline that has no `ratio` needs to be there once, not once for each value of the others.
    """
    for name in expected:
        if name not in names:
            raise Error(f"--expect {name}: not a setting; {choices(name, names)}")
    runs = partial.select(names).unique()
    common = [name for name in names if name in COMMON]
    tuned = [name for name in names if name not in COMMON]
    product = _cross(runs, common, expected)
    if not tuned:
        return product
    lacks = {f"no {name}": pl.col(name).is_null() for name in tuned}
    parts = runs.with_columns(**lacks).partition_by(*lacks)
    return pl.concat(product.join(_cross(part, tuned, expected), how="cross") for part in parts)


def _cross(
    runs: pl.DataFrame, names: Sequence[str], expected: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Every combination of the values that occur, or are expected where the setting has any."""
    product = pl.DataFrame()
    for name in names:
        values = runs[name].unique()
        if name in COMMON or not values.has_nulls():
            further = _cast(name, expected.get(name, ()), values.dtype)
            values = pl.concat([values, further]).unique()
        one = values.sort().to_frame()
        product = one if not product.width else product.join(one, how="cross")
    return product


def _cast(name: str, values: Sequence[str], kind: pl.DataType) -> pl.Series:
    given = pl.Series(name, list(values), pl.String)
    if kind == pl.Boolean:
        flags = {"true": True, "false": False}
        found = given.replace_strict(flags, default=None, return_dtype=pl.Boolean)
    else:
        found = given.cast(kind, strict=False)
    if found.has_nulls():
        wanted = bool if kind == pl.Boolean else int if kind == pl.Int64 else float
        wrong = given.filter(found.is_null())[0]
        raise Error(f"--expect {name}: {wrong!r} is not {KINDS[wanted]}")
    return found


def text(rows: pl.DataFrame) -> str:
    """A line for each state, then the settings that differ among the runs that lack something.

    Then the tasks of which runs were asked for some of the problems alone: they may be complete.
    """
    counts = dict(rows.group_by("state").len().iter_rows())
    lines = [f"{counts.get(state, 0):>8,} {state}" for state in STATES]
    wanting = rows.filter(pl.col("state") != "complete")
    varied = [name for name in settings(rows) if rows[name].n_unique() > 1]
    for row in wanting.iter_rows(named=True):
        place = " ".join(f"{name}={row[name]}" for name in varied)
        lines.append(f"{row['state']:10}  {row['epochs']:,} of {row['expected']:,}  {place}")
        lines[-1] += f"  ({terminal.name(row[LOG])})" if row[LOG] else ""
    limited = rows.drop_nulls(LIMITED).group_by("task", *LIMITED).len("runs")
    for task, asked, there, runs in limited.sort("task", *LIMITED).iter_rows():
        of = f" of {task}" if task else ""
        said = f"{asked:,} of the {there:,} problems of the data set"
        lines.append(f"limited     {numbered(runs, 'run')}{of} asked for {said} alone")
    return "\n".join(lines)


def todo(rows: pl.DataFrame) -> str:
    """The runs to do, tab-separated under their names: line n + 1 is task n of a job array."""
    wanting = rows.filter(pl.col("state") != "complete").select(settings(rows))
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(wanting.columns)
    writer.writerows([_plain(value) for value in row] for row in wanting.iter_rows())
    return out.getvalue()


def settings(rows: pl.DataFrame) -> list[str]:
    """The columns of `coverage` that set one run apart from another."""
    return [name for name in rows.columns if name not in FOUND]


def _plain(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def whole(runs: pl.DataFrame, each: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The runs, with the `problems` and epochs (`expected`) of a complete one.

    Of a run without samples, of which its neighbours do not tell which problems it would have, the
    most that any run of its task is to hold.

    Args:
        runs: a row per run, those included of which there is nothing.
        each: `epochs` by run and `sample_id`.
        names: settings that tell runs apart, `task` among them.
    """
    held = each.partition_by("task", as_dict=True)
    return pl.concat(
        _task(part, held.get(task, each.clear()), names)
        for task, part in runs.partition_by("task", as_dict=True).items()
    )


def _task(runs: pl.DataFrame, each: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    at = each.join(runs.with_row_index("at"), on=names, nulls_equal=True)
    problem = at["sample_id"].rank("dense").to_numpy().astype(np.int64) - 1
    count = np.zeros((at["sample_id"].n_unique(), len(runs)), np.int64)
    count[problem, at["at"].to_numpy()] = at["epochs"].to_numpy()
    lines = [runs[name].rank("dense").fill_null(0).to_numpy().astype(np.int64) for name in names]
    own = judging.fill_lines(judging.alike_sets(count > 0, lines), lines)
    most = {one: count[:, own == one].max(axis=1) for one in {*own.tolist()} - {judging.NO_SET}}
    sizes = {one: (int((held > 0).sum()), int(held.sum())) for one, held in most.items()}
    sizes[judging.NO_SET] = max(sizes.values(), key=lambda size: size[1], default=(0, 0))
    told = pl.DataFrame(
        [sizes[one] for one in own.tolist()],
        schema={"problems": pl.Int64, "expected": pl.Int64},
        orient="row",
    )
    return pl.concat([runs, told], how="horizontal")
