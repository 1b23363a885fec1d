"""How the models of each pair compare over all their instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.statistics import Paired

UNITS = "units"
TESTS = ("mean", "mean_low", "mean_high", "p_holm", UNITS)
"""Columns that compare a pair: mean of x − y over the instances with its 95 % interval, p of the
exact sign test, corrected over the pairs of the figure (Holm), and how many problems, or families,
interval and p are of."""


def judge(found: Sequence[Paired | None]) -> list[dict[str, float | None]]:
    """`TESTS` for each pair; null where there is none, for its instances are made up."""
    from heatproof import statistics

    corrected = statistics.holm([np.nan if one is None else one.p for one in found])
    nothing = (np.nan,) * len(TESTS)
    values = [
        nothing if one is None else (one.difference, one.low, one.high, p, one.units)
        for one, p in zip(found, corrected, strict=True)
    ]
    return [
        {name: None if np.isnan(x) else float(x) for name, x in zip(TESTS, row, strict=True)}
        for row in values
    ]
