"""Counts of what a figure shows: those at hand, where they tell enough, else of its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.samples import counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.util.lazy import polars as pl


def counted(
    samples: Sequence[pl.LazyFrame],
    partial: Sequence[pl.LazyFrame] | None,
    shown: Callable[[pl.LazyFrame], pl.LazyFrame],
    used: set[str],
    of: str,
    by: Sequence[str],
) -> list[pl.LazyFrame]:
    """Counts in portions (`samples.counts`).

    Args:
        samples: those that the figure shows, graded, in portions.
        partial: the counts of all samples, where they are at hand.
        shown: what the figure shows of them.
        used: columns of samples that the figure asks for.
        of: the number that is counted.
        by: further columns by which samples are counted.
    """
    if partial and used <= {*counts.count_key(samples[0].collect_schema().names())}:
        return [shown(part) for part in partial]
    return [counts.count(rows.collect(), [of], by).lazy() for rows in samples]
