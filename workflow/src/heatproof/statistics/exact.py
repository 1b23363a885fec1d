"""Sums that are rounded once: the order of what is added cannot matter.

Values are cut at a common bit, so high that what lies above it adds up without rounding in any
order; what lies below is cut once more, until nothing is left (Rump, Ogita and Oishi 2008,
"Accurate floating-point summation", section 3: error-free vector transformation). Few such parts
remain, which `math.fsum` adds.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LARGEST = 2.0**900
"""Beyond that, and for what is no number, values are added one by one."""


def columns(values: Floats) -> Floats:
    """Sum of each column."""
    found = _parts(values)
    if len(found) == 1:
        return found[0]
    return np.array([fsum(column) for column in zip(*(p.tolist() for p in found), strict=True)])


def total(strips: Iterable[Floats]) -> float:
    """Sum of all values, (instances,) each strip."""
    return fsum(float(part) for strip in strips for part in _parts(strip))


def _parts(values: Floats) -> list[Floats]:
    """Numbers for each column that have the same sum as its values, none of it rounded."""
    most = np.abs(values).max(axis=0, initial=0)
    if not np.all(most < LARGEST):
        return [*values]
    more, parts = len(values).bit_length(), []
    while most.any():
        # Below 2**53 of its last bits: so many values as there are cannot add up to more.
        above = np.ldexp(1.0, np.frexp(most)[1] + more)
        high = (values + above) - above
        parts.append(np.asarray(high.sum(axis=0)))
        values = values - high
        most = np.abs(values).max(axis=0, initial=0)
    return parts or [np.zeros(values.shape[1:])]
