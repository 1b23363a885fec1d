"""pass@k and pass^k: the chance that one, or each, of k samples of a problem is correct."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from heatproof.statistics.matrices import LARGEST, Scores
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int, *, every: bool = False) -> NDArray[np.float64]:
    """Unbiased pass@k of each problem, 1 − C(n − c, k) / C(n, k); NaN where n < k.

    `every`: pass^k instead, C(c, k) / C(n, k), the chance that all k are correct.

    Sources: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1;
    Yao et al. 2024, "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".

    Raises:
        Error: k is below 1, or no problem has k samples.
        ValueError: the shapes differ, or a c is not between 0 and n.
    """
    points = pass_scores(n, c, k, every=every)
    return points.numerator / points.scale


def pass_scores(n: ArrayLike, c: ArrayLike, k: int, *, every: bool = False) -> Scores:
    """The same as numerators over one scale, exact while C(n, k) is small and n the same."""
    samples, correct = np.asarray(n, dtype=np.int64), np.asarray(c, dtype=np.int64)
    _check(samples, correct, k)
    both = np.stack([samples.ravel(), correct.ravel()], axis=1)
    kinds, place = np.unique(both, axis=0, return_inverse=True)
    sizes = {int(size) for size in kinds[:, 0] if size >= k}
    scale = comb(sizes.pop(), k) if len(sizes) == 1 else 1
    if scale > LARGEST:
        scale = 1
    table = np.array([_points(int(size), int(right), k, scale, every) for size, right in kinds])
    return Scores(table[place.ravel()].reshape(samples.shape), scale)


def _points(n: int, c: int, k: int, scale: int, every: bool) -> float:
    if n < k:
        return float("nan")
    good = comb(c, k) if every else comb(n, k) - comb(n - c, k)
    return scale * good / comb(n, k)


def _check(n: NDArray[np.int64], c: NDArray[np.int64], k: int) -> None:
    if n.shape != c.shape:
        raise ValueError(f"n {n.shape} and c {c.shape} must have one shape")
    if np.any(c < 0) or np.any(c > n):
        raise ValueError("c must lie between 0 and n")
    most = int(n.max(initial=0))
    if k < 1 or k > most:
        raise Error(f"pass@{k}: k must lie between 1 and the {most} samples of a problem")
