"""The null of "no setting is better": signs flipped at random, one for each problem.

Swapping the labels of two cells within a problem turns the sign of their difference there. One sign
for each problem, shared by all pairs, swaps the labels of every pair at once and keeps what the
cells have in common and how each of them varies; shuffling all labels of a problem freely would
forget both (one noisy cell among quiet ones then covers .84 in place of .95, measured).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.matrices import labels, scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]

GRID = 2.0**30  # weighted scores become whole numbers up to this: sums stay exact below 2**53
ROWS = 1024  # patterns of signs in work at a time


class Panel(NamedTuple):
    """Mean score `x`, where it is `present`, and the labels of each problem."""

    x: Matrix
    present: NDArray[np.bool_]
    task: NDArray[np.intp]
    group: NDArray[np.intp]

    @property
    def units(self) -> int:
        """How many signs there are to flip."""
        return int(self.group.max(initial=-1)) + 1


def panel(
    total: ArrayLike, count: ArrayLike, task: ArrayLike | None, group: ArrayLike | None
) -> Panel:
    """A panel in an order of its own: neither the rows' nor the cells' order shows in it."""
    points = scores(total, count)
    x, size = np.nan_to_num(points.numerator / points.scale), len(points.numerator)
    raw = Panel(x, points.present, labels(task, size, each=False), labels(group, size, each=True))
    values = by_unit(whole(weighted(raw)), raw)
    seen = by_unit(raw.present.astype(np.float64), raw) > 0
    order = np.argsort(_keys(values, seen), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return raw._replace(group=place[raw.group])


def has_value(panel: Panel) -> NDArray[np.bool_]:
    """Cells with a problem of each task, (cells,): others are no mean, and in no test."""
    found = np.asarray(panel.present.any(axis=0))
    for task in np.unique(panel.task):
        found = found & panel.present[panel.task == task].any(axis=0)
    return found


def some(panel: Panel, cells: NDArray[np.intp]) -> Panel:
    """The panel of these cells alone."""
    return panel._replace(x=panel.x[:, cells], present=panel.present[:, cells])


def weighted(panel: Panel) -> Matrix:
    """Scores times the weight of their problem in the cell's mean (summed over tasks)."""
    weights = np.zeros_like(panel.x)
    for index in np.unique(panel.task):
        rows = panel.task == index
        weights[rows] = 1 / np.maximum(panel.present[rows].sum(axis=0), 1)
    return np.where(panel.present, panel.x * weights, 0.0)


def by_unit(values: Matrix, panel: Panel) -> Matrix:
    """Sum rows of whole numbers by unit: (problems, …) to (units, …)."""
    sums = np.zeros((panel.units, *values.shape[1:]))
    np.add.at(sums, panel.group, values)
    return sums


def whole(values: Matrix, axis: int | None = None) -> Matrix:
    """Scale to whole numbers up to `GRID`: all by one factor, or along `axis` by one for each."""
    top = np.abs(values).max(axis=axis, initial=0.0, keepdims=True)
    return np.rint(values * (GRID / np.where(top > 0, top, 1.0)))


def signs(units: int, permutations: int, seed: int) -> NDArray[np.int8]:
    """Patterns of ±1, (patterns, units); the first is all +1, the data as they are.

    Every pattern up to a common sign if there are no more than `permutations`, else that many
    drawn from the raw bits of PCG64, whose stream numpy keeps across versions.
    """
    if units <= 40 and 2 ** max(units - 1, 0) <= permutations:
        patterns = np.arange(2 ** max(units - 1, 0))[:, None]
        bits = ((patterns >> np.arange(units)) & 1).astype(np.uint8)
    else:
        words = -(-units // 64)
        raw = np.random.PCG64(seed).random_raw(permutations * words).astype("<u8")
        bits = np.unpackbits(raw.view(np.uint8).reshape(permutations, words * 8), axis=1)[:, :units]
        bits[0] = 0
    return (1 - 2 * bits.astype(np.int8)).astype(np.int8)


def flipped(patterns: NDArray[np.int8], values: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Signed sums of whole numbers, (patterns, columns), some patterns at a time; exact."""
    for start in range(0, len(patterns), ROWS):
        part = slice(start, start + ROWS)
        yield part, patterns[part].astype(np.float64) @ values


def _keys(values: Matrix, seen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A key for each row that no renaming of cells changes and that follows the row about.

    Rows and columns are told apart by what they hold, then by what those that they meet hold, as in
    colour refinement; rows still alike after that are interchangeable.
    """
    top = np.abs(values).max(initial=0.0)
    cells = np.where(seen, values / top if top > 0 else values, -1.0).view(np.uint64)
    columns = np.zeros(values.shape[1], dtype=np.uint64)
    rows = np.zeros(len(values), dtype=np.uint64)
    for _ in range(3):
        rows = _mix(cells ^ _mix(columns)[None, :]).sum(axis=1, dtype=np.uint64)
        columns = _mix(cells ^ _mix(rows)[:, None]).sum(axis=0, dtype=np.uint64)
    return rows


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (the finaliser of MurmurHash3)."""
    for _ in range(2):
        words = (words ^ (words >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    return words ^ (words >> np.uint64(33))
