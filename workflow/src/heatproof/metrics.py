"""Metrics: the words `pass@k` and `mean(column)`, and what each makes of a problem's epochs."""

from __future__ import annotations

import re
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from heatproof.errors import Error
from heatproof.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

SHAPE = re.compile(r"pass@(?P<k>[1-9]\d*)|mean\((?P<of>\w+)\)")


class Metric(NamedTuple):
    """A number made of many graded samples: `pass@k` of the score, or the mean of a column."""

    word: str
    of: str
    k: int | None = None

    def parts(self, count: Ints, total: Floats) -> tuple[Floats, Floats]:
        """Numerator and denominator of each problem's own value, whole numbers where they can be.

        `count`: epochs of a problem, `total`: sum of the column over them. The mean is
        total / count. pass@k is the chance that k epochs drawn from the n hold a right one,
        1 − C(n − c, k) / C(n, k) with c right ones (Chen et al. 2021); a problem with fewer than
        k epochs has none: 0 / 0.

        Raises:
            Error: pass@k of scores that are not all 0 or 1.
        """
        if self.k is None:
            return total.astype(np.float64), count.astype(np.float64)
        right = np.rint(total).astype(np.int64)
        numerator, denominator = np.zeros(count.shape), np.zeros(count.shape)
        for n, c in {(int(n), int(c)) for n, c in zip(count.flat, right.flat, strict=True)}:
            at = (count == n) & (right == c)
            denominator[at] = comb(n, self.k)
            numerator[at] = comb(n, self.k) - comb(n - c, self.k)
        return numerator, denominator


def metric(word: str) -> Metric:
    """The metric that a word in `encoding.color` stands for.

    Raises:
        Error: the word is neither pass@k nor mean(column).
    """
    match = SHAPE.fullmatch(word.replace(" ", ""))
    if match is None:
        raise Error(f"{word!r} is not a metric; there are pass@k (k = 1, 2, …) and mean(column)")
    return Metric(word, match["of"] or "score", int(match["k"]) if match["k"] else None)


def is_share(word: str) -> bool:
    """Whether the metric lies between 0 and 1 and reads best in percent."""
    return metric(word).of in ("score", "progress")
