"""What a complete run holds, by the runs of its task that plainly have the same problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import judging
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    most = {one: count[:, own == one].max(axis=1) for one in {*own.tolist()} - {judging.NO_PEER}}
    sizes = {one: (int((held > 0).sum()), int(held.sum())) for one, held in most.items()}
    sizes[judging.NO_PEER] = max(sizes.values(), key=lambda size: size[1], default=(0, 0))
    told = pl.DataFrame(
        [sizes[one] for one in own.tolist()],
        schema={"problems": pl.Int64, "expected": pl.Int64},
        orient="row",
    )
    return pl.concat([runs, told], how="horizontal")
