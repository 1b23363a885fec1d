"""aggregate: samples → the grid of a pairwise figure, a row for each two models, with its bins.

An instance is what two models are compared on. It lies at (mean of y, mean of x) in the unit
square, which is cut into bins: lists in the row of the pair, row by row from below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import pair_grid, states
from heatproof.kinds.pairwise import pairs
from heatproof.pair_numbers import EQUAL
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heatproof.kinds.columns import Grid, Partial, Samples
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.errors import Error

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BINS = 10  # bins along an axis by default


def aggregate(samples: Samples, entry: Entry, partial: Partial = None) -> Grid:
    """Each two models, of which y is compared with x.

    With the `partial` counts of the same samples (`samples.counts`) the samples themselves are
    read only where epochs count one by one, or to say which record is at fault.

    Raises:
        Error: a model is not there, or two models share no instance.
    """
    question = entry.question
    (instances,) = pair_grid.read_instances(samples, question, partial).values()
    means = np.stack(list(instances.means.values()))
    is_there = ~np.isnan(means)
    compared = means[:, is_there.sum(axis=0) > 1]
    if (compared < 0).any() or (compared > 1).any():
        raise _outside(samples, entry)
    cells = pair_grid.compare_pairs(instances, entry.models, question)
    for (first, second), cell in cells.items():
        if cell.gap == states.UNCOMMON:
            why = f"{first!r} and {second!r} share no {' and '.join(entry.join)}"
            raise question.fault("models", why)
    grid = pair_grid.grid_of({(): cells}, pl.Series(entry.models), question)
    scores = means[is_there]
    is_verdict = np.isin(scores, (0.0, 1.0)).all()
    size = entry.bins or (pairs.VERDICTS if is_verdict else BINS)
    counts: list[list[int] | None] = []
    leads: list[list[float | None] | None] = []
    for value, other in grid.select("y", "x").iter_rows():
        if value == other:
            counts.append(None)
            leads.append(None)
            continue
        sides = instances.sides(value, other)
        common = instances.common(sides)
        first, second = (instances.means[side][common] for side in sides)
        count, lead = bin_instances(first, second, size)
        counts.append(count)
        leads.append(lead)
    return grid.with_columns(
        pl.Series("bin_samples", counts, pl.List(pl.Int64)),
        pl.Series("bin_leads", leads, pl.List(pl.Float64)),
    )


def _outside(samples: Samples, entry: Entry) -> Error:
    """An error that names the first record whose measure is not from 0 to 1."""
    tests = pair_grid.pair_conditions([samples], entry.question)
    rows = samples.filter(*tests)
    outside = rows.filter(~pl.col(entry.measure).is_between(0, 1))
    records = outside.select("log", "line", entry.measure).sort("log", "line")
    log, line, value = records.head(1).collect().row(0)
    message = (
        f"{entry.measure!r} is not from 0 to 1: {log}:{line} of source {entry.source!r} has "
        f"{value:.12g} on that scale; choose a measure from 0 to 1, or bring this one there "
        f"where it is read (range: {{{entry.measure}: [lowest, highest]}})"
    )
    return entry.question.fault("measure", message)


def bin_instances(across: Floats, up: Floats, size: int) -> tuple[list[int], list[float | None]]:
    """How many instances lie in each bin of the unit square, and the mean of across − up there."""
    bins = size * size
    row = bin_of(up, size)
    flat = row * size + bin_of(across, size)
    sums = np.zeros(bins, np.int64)
    count = np.bincount(flat, minlength=bins)
    # Differences are summed as whole millionths of a millionth: exact in any order.
    millionths = np.rint((across - up) * 1e12)
    np.add.at(sums, flat, millionths.astype(np.int64))
    leads = []
    for number, total in zip(count.tolist(), sums.tolist(), strict=True):
        leads.append(total / number / 1e12 if number else None)
    return count.tolist(), leads


def bin_of(at: Floats, size: int) -> Ints:
    """Number of the bin of each position from 0 to 1: it holds its lower edge, the last one both.

    A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    """
    numbers = at * size + EQUAL
    return np.minimum(numbers.astype(np.int64), size - 1)
