"""All pairs of cells: how clearly one beats the other, and the same under random flips.

The score of a pair is the sum of its (weighted) differences over the root of the sum of their
squares. Flips leave the squares alone, so each costs one signed sum for each cell and a subtraction
for each pair: that is what makes all pairs of 1,225 cells under 10,000 flips a matter of seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heatproof.statistics.flips import by_unit, flipped, weighted, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heatproof.statistics.flips import Panel

    Matrix = NDArray[np.float64]
    Single = NDArray[np.float32]
    Cells = NDArray[np.intp]

EQUAL = 1 - 1e-5  # scores closer than this differ by rounding only
WORK = 2_000_000_000  # pairs under flips that a panel may cost: 10,000 flips up to 632 cells
SIGNS = 200_000_000  # signs held at a time, a byte each: 10,000 flips up to 20,000 problems
LEAST = 1_000  # flips that every panel gets
BLOCK = 32  # cells compared with one at a time, so that the work stays in cache


def compare(data: Panel) -> tuple[Matrix, Matrix]:
    """Score of j over c at [j, c], and one over the root of their squares (0: no difference)."""
    size = data.x.shape[1]
    sums, squares = np.zeros((size, size)), np.zeros((size, size))
    full, values = complete(data), whole_scores(data)
    for cell in range(size):
        for others, simple in zip(earlier(full, cell), (True, False), strict=True):
            if len(others):
                d = values[:, others] - values[:, [cell]]
                d = d if simple else whole_differences(data, cell, others)
                sums[others, cell], squares[others, cell] = d.sum(axis=0), (d * d).sum(axis=0)
    squares += squares.T
    norms = np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)
    return (sums - sums.T) * norms, norms


def affordable(permutations: int, cells: int, units: int) -> int:
    """Flips for a panel of so many cells and units: `permutations` unless that is too much work.

    With fewer flips the test is as valid, its p only coarser: 35 × 35 cells get 2,667, and a p of
    .05 then comes out with a standard error of .004.
    """
    pairs = max(1, cells * (cells - 1) // 2)
    return min(permutations, max(LEAST, min(WORK // pairs, SIGNS // max(1, units))))


def null_maxima(
    data: Panel, norms: Matrix, order: list[int], patterns: NDArray[np.int8]
) -> Iterator[NDArray[np.float32]]:
    """Largest score of any pair of cells for each pattern, as the cells enter one by one.

    Yields one array (patterns,) for each cell of `order`, the same one made larger.
    """
    data = data._replace(x=data.x[:, order], present=data.present[:, order])
    full, norms = complete(data), norms[np.ix_(order, order)]
    sums = _signed_sums(whole_scores(data)[:, full], patterns)
    largest = np.zeros(len(patterns), dtype=np.float32)
    for cell in range(len(order)):
        fast, slow = earlier(full, cell)
        for start in range(0, len(fast), BLOCK):
            block = slice(start, min(start + BLOCK, len(fast)))
            pairs = sums[block] - sums[len(fast)]
            pairs *= norms[fast[block], cell, None].astype(np.float32)
            np.maximum(largest, np.abs(pairs, out=pairs).max(axis=0), out=largest)
        if len(slow):
            for part, signed in flipped(patterns, whole_differences(data, cell, slow)):
                highest = np.abs(signed * norms[slow, cell]).max(axis=1)
                largest[part] = np.maximum(largest[part], highest)
        yield largest


def complete(data: Panel) -> NDArray[np.bool_]:
    """Cells that have every problem, (cells,)."""
    return np.asarray(data.present.all(axis=0))


def earlier(full: NDArray[np.bool_], cell: int) -> tuple[Cells, Cells]:
    """Cells before `cell`: those where subtracting scores will do, those with problems missing."""
    simple = full[:cell] & full[cell]
    return np.flatnonzero(simple), np.flatnonzero(~simple)


def whole_scores(data: Panel) -> Matrix:
    """Weighted scores as whole numbers, (units, cells), centred in each unit to keep sums small."""
    values = by_unit(whole(weighted(data)), data)
    values -= np.rint(values.mean(axis=1, keepdims=True))
    return values


def whole_differences(data: Panel, cell: int, others: Cells) -> Matrix:
    """Weighted differences of `others` to `cell` over their common problems, (units, others).

    Each pair has a scale of its own, so that it is the same in whatever company it is asked for.
    """
    both = data.present[:, others] & data.present[:, [cell]]
    common = data._replace(x=data.x[:, others] - data.x[:, [cell]], present=both)
    return by_unit(whole(weighted(common), axis=0), data)


def _signed_sums(values: Matrix, patterns: NDArray[np.int8]) -> NDArray[np.float32]:
    sums = np.empty((values.shape[1], len(patterns)), dtype=np.float32)
    for part, signed in flipped(patterns, values):
        sums[:, part] = signed.T
    return sums
