"""How harnesses make one value of the repeats of a problem.

`mean`, `median`, `mode` (of several, the first), `max`; `first`: the first repeat alone; `all`: no
reduction, each repeat counts for itself; `at_least_k`: 1 if k repeats are right; `pass_at_k`:
1 − C(n − c, k) / C(n, k); `pass_k_k`: C(c, k) / C(n, k). Right is a score of 1.

Sources: the reducers of inspect_ai (`scorer/_reducer/reducer.py`); Chen et al. 2021, equation 1.
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Any

import numpy as np

from heatproof.statistics.estimates import pass_at_k

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COUNTED = re.compile(r"(at_least|pass_at|pass_k)_([1-9]\d{0,5})")


def is_known(over: str) -> bool:
    """Whether `reduced` knows a reduction."""
    return over in ("all", *WHOLE, *EACH) or COUNTED.fullmatch(over) is not None


def reduced(scores: Floats, first: NDArray[Any], over: str) -> Floats:
    """One value for each problem, NaN where there is none.

    Args:
        scores: of all repeats, those of a problem one behind the other.
        first: where each problem begins; not empty.
        over: a reduction that is known.
    """
    if over == "all":
        return scores
    if over in WHOLE:
        return WHOLE[over](scores, first)
    if found := COUNTED.fullmatch(over):
        return _counted(scores, first, found[1], int(found[2]))
    parts = np.split(scores, first[1:])
    return np.array([EACH[over](part.tolist()) for part in parts])


def _sizes(scores: Floats, first: NDArray[Any]) -> NDArray[np.int64]:
    return np.diff(np.append(first, len(scores)))


WHOLE: dict[str, Callable[[Floats, NDArray[Any]], Floats]] = {
    "first": lambda scores, first: scores[first],
    "max": np.maximum.reduceat,
    "mean": lambda scores, first: np.add.reduceat(scores, first) / _sizes(scores, first),
}
EACH: dict[str, Callable[[list[float]], float]] = {
    "median": statistics.median,
    "mode": statistics.mode,
}


def _counted(scores: Floats, first: NDArray[Any], what: str, k: int) -> Floats:
    samples = _sizes(scores, first)
    right = np.add.reduceat((scores >= 1).astype(np.int64), first)
    if what == "at_least":
        return (right >= k).astype(np.float64)
    if samples.max() < k:
        return np.full(len(first), np.nan)
    if what == "pass_at":
        return pass_at_k(samples, right, k)
    return pass_at_k(samples, right, k, every=True)
