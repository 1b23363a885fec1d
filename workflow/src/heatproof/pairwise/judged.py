"""How the models of each pair compare over all their instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.lazy import numpy as np
from heatproof.pairwise.binning import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.pairwise.binning import Floats

TESTS = ("mean", "mean_low", "mean_high", "p_holm")
"""Columns that compare a pair: mean of x − y over the instances with its 95 % interval, and p of
the exact sign test, corrected over the pairs of the figure (Holm)."""


def judge(leads: Sequence[Floats], made_up: bool = False) -> list[dict[str, float | None]]:
    """`TESTS` for each pair, from x − y of its instances; all null where these are made up."""
    from heatproof import statistics

    if made_up:
        return [dict.fromkeys(TESTS) for _ in leads]
    told = [np.where(np.abs(lead) <= EQUAL, 0.0, lead) for lead in leads]
    found = [statistics.paired(lead, np.zeros(len(lead))) for lead in told]
    corrected = statistics.holm([one.p for one in found])
    values = [
        (one.difference, one.low, one.high, p) for one, p in zip(found, corrected, strict=True)
    ]
    return [
        {name: None if np.isnan(x) else float(x) for name, x in zip(TESTS, row, strict=True)}
        for row in values
    ]
