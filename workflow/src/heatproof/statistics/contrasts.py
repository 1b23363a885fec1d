"""All pairs of cells: how clearly one beats the other, and the same under random flips.

The score of a pair is the sum of its (weighted) differences over the root of the sum of their
squares. Flips leave the squares alone: each costs one signed sum for each cell and a subtraction
for each pair, so all pairs of 1,225 cells under 10,000 flips take seconds.

The null of "no setting is better" is signs flipped at random, one for each problem. Swapping the
labels of two cells within a problem turns the sign of their difference there. A sign for each
problem, shared by all pairs, swaps the labels of every pair at once and keeps what the cells have
in common and how each of them varies. Shuffling all labels of a problem would lose both (one noisy
cell among quiet ones then covers .84 in place of .95, measured).
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.statistics.lead import asymmetry, straightened
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]
    Cells = NDArray[np.intp]
    Patterns = NDArray[np.uint8]  # of signs, as `signs` packs them
    Labels = ArrayLike | None  # of problems; None: each has its own, or all have the same


ALPHA = 0.05  # the level of all intervals and tests
EQUAL = 1 - 1e-5  # scores closer than this differ by rounding only
WORK = 2_000_000_000  # pairs under flips that a panel may cost: 10,000 flips up to 632 cells
SIGNS = 200_000_000  # signs held at a time, a bit each: 10,000 flips up to 20,000 problems
LEAST = 1_000  # flips that every panel gets
BLOCK = 32  # cells compared with one at a time, so that the work stays in cache
GRID = 2.0**30  # weighted scores become whole numbers up to this: sums stay exact below 2**53
ROUNDING = 1024  # differences of such whole numbers up to this are none
NUMBERS = 1 << 21  # signs in work at a time, each a number of 8 bytes
LARGEST = 2**31  # a scale beyond this could push the numerators past the integers of a float64


class Contrasts(NamedTuple):
    """All pairs of cells, (cells, cells)."""

    clearly: Matrix  # how clearly j is ahead of c at [j, c]; 0 where it is not, or by too little
    norms: Matrix  # 1 over the root of the sum of their squared differences


def compare(data: ContrastPanel, least: float = 0.0) -> Contrasts:
    """How clearly each cell is ahead of each other; `least`: by how many problems' worth at least.

    A problem's worth is the weight in a mean of the heaviest one: over tasks, of the smallest task.
    """
    size = data.x.shape[1]
    sums, squares, leads, skewed = np.zeros((4, size, size))
    full, (values, unit) = np.asarray(data.present.all(axis=0)), whole_scores(data)
    level = centred_scores(data)
    for cell in range(size):
        for others, simple in zip(earlier(full, cell), (True, False), strict=True):
            if not len(others):
                continue
            if simple:
                d, c, step = values[:, others], level[:, others], unit
                d, c = d - values[:, [cell]], c - level[:, [cell]]
            else:
                pairs = differences(data, cell, others)
                d, step = whole_scores(pairs, axis=0)
                c = centred_scores(pairs)
            sums[others, cell], squares[others, cell] = d.sum(axis=0), (d * d).sum(axis=0)
            leads[others, cell], skewed[others, cell] = (
                step * d.sum(axis=0),
                asymmetry(d, c, ROUNDING),
            )
    squares, leads = squares + squares.T, np.abs(leads - leads.T) * common_units(data)
    norms = np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)
    ahead = (sums - sums.T) * norms
    clear = straightened(np.abs(ahead), skewed + skewed.T)
    return Contrasts(np.where(leads >= least * EQUAL, np.sign(ahead) * clear, 0.0), norms)


def common_units(data: ContrastPanel) -> Matrix:
    """How many units two cells share in the task where they share the fewest, (cells, cells)."""
    shared = []
    for task in np.unique(data.task):
        rows = data.task == task
        there = (by_group(data.present[rows], data.group[rows]) > 0).astype(np.float64)
        shared.append(there.T @ there)
    return np.asarray(np.min(shared, axis=0))


def affordable(permutations: int, cells: int, units: int) -> int:
    """Flips for a panel of so many cells and units: `permutations` unless that is too much work.

    With fewer flips p is coarser: 35 × 35 cells get 2,667, and a p of .05 has a standard error of
    .004.
    """
    pairs = max(1, cells * (cells - 1) // 2)
    return min(permutations, max(LEAST, min(WORK // pairs, SIGNS // max(1, units))))


def null_maxima(
    data: ContrastPanel, norms: Matrix, order: list[int], patterns: Patterns
) -> Iterator[NDArray[np.float32]]:
    """For each cell of `order` the largest score of any pair up to it, one array (patterns,)."""
    data = data._replace(x=data.x[:, order], present=data.present[:, order])
    full, norms = np.asarray(data.present.all(axis=0)), norms[np.ix_(order, order)]
    values = whole_scores(data)[0][:, full]
    sums = np.empty((values.shape[1], len(patterns)), dtype=np.float32)
    for part, signed in flipped(patterns, values):
        sums[:, part] = signed.T
    largest = np.zeros(len(patterns), dtype=np.float32)
    for cell in range(len(order)):
        fast, slow = earlier(full, cell)
        for start in range(0, len(fast), BLOCK):
            block = slice(start, min(start + BLOCK, len(fast)))
            ahead = sums[block] - sums[len(fast)]
            ahead *= norms[fast[block], cell, None].astype(np.float32)
            np.maximum(largest, np.abs(ahead, out=ahead).max(axis=0), out=largest)
        if len(slow):
            pairs, _ = whole_scores(differences(data, cell, slow), axis=0)
            for part, signed in flipped(patterns, pairs):
                highest = np.abs(signed * norms[slow, cell]).max(axis=1)
                largest[part] = np.maximum(largest[part], highest)
        yield largest


def earlier(full: NDArray[np.bool_], cell: int) -> tuple[Cells, Cells]:
    """Cells before `cell`: those where subtracting scores will do, those with problems missing."""
    simple = full[:cell] & full[cell]
    return np.flatnonzero(simple), np.flatnonzero(~simple)


def whole_scores(data: ContrastPanel, axis: int | None = None) -> tuple[Matrix, Matrix]:
    """Weighted scores as whole numbers, (units, cells), and their unit; along `axis`, one for each.

    With one unit they are centred in each row to keep sums small.
    """
    scores = weighted(data)
    values = by_group(integers(scores, axis), data.group)
    if axis is None:
        values -= np.rint(values.mean(axis=1, keepdims=True))
    return values, np.abs(scores).max(axis=axis, initial=0.0) / GRID


def centred_scores(data: ContrastPanel) -> Matrix:
    """Weighted scores less the mean of their task in each cell: whole numbers, (units, cells)."""
    values = integers(weighted(data))
    for task in np.unique(data.task):
        rows = data.task == task
        number = np.maximum(data.present[rows].sum(axis=0), 1)
        means = np.rint(values[rows].sum(axis=0) / number)
        values[rows] -= np.where(data.present[rows], means, 0.0)
    return by_group(values, data.group)


def differences(data: ContrastPanel, cell: int, others: Cells) -> ContrastPanel:
    """Differences of `others` to `cell` on common problems, (problems, others)."""
    both = data.present[:, others] & data.present[:, [cell]]
    return data._replace(x=data.x[:, others] - data.x[:, [cell]], present=both)


class ContrastPanel(NamedTuple):
    """Mean scores `x` where they are `present`, (problems, cells), and labels of the problems."""

    x: Matrix
    present: NDArray[np.bool_]
    task: NDArray[np.intp]
    group: NDArray[np.intp]

    @property
    def units(self) -> int:
        """How many signs there are to flip."""
        return int(self.group.max(initial=-1)) + 1


def panel(
    total: ArrayLike, count: ArrayLike, task: Labels, group: Labels
) -> tuple[ContrastPanel, Cells]:
    """A panel of the cells with a problem of each task, and which these are: others are in no test.

    Its units are numbered independently of the order of rows and cells.
    """
    points = scores(total, count)
    x, size = np.nan_to_num(points.mean), len(points.numerator)
    raw = ContrastPanel(
        x, points.present, labels(task, size, apart=False), labels(group, size, apart=True)
    )
    values = by_group(integers(weighted(raw)), raw.group)
    present = by_group(raw.present, raw.group) > 0
    place = np.argsort(np.argsort(_row_keys(values, present), kind="stable"))
    parts = [raw.present[raw.task == name].any(axis=0) for name in np.unique(raw.task)]
    cells = np.flatnonzero(np.logical_and.reduce([raw.present.any(axis=0), *parts]))
    return ContrastPanel(x[:, cells], raw.present[:, cells], raw.task, place[raw.group]), cells


def weighted(panel: ContrastPanel) -> Matrix:
    """Scores times the weight of their problem in the cell's mean, summed over tasks."""
    weights = np.zeros_like(panel.x)
    for index in np.unique(panel.task):
        rows = panel.task == index
        weights[rows] = 1 / np.maximum(panel.present[rows].sum(axis=0), 1)
    return np.where(panel.present, panel.x * weights, 0.0)


def by_group(values: NDArray[Any], group: NDArray[np.intp]) -> Matrix:
    """Sum rows by group: (problems, …) to (groups, …)."""
    sums = np.zeros((int(group.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, group, values)
    return sums


def integers(values: Matrix, axis: int | None = None) -> Matrix:
    """Whole numbers up to `GRID`: values times one factor, or along `axis` one for each."""
    top = np.abs(values).max(axis=axis, initial=0.0, keepdims=True)
    return np.rint(values * (GRID / np.where(top > 0, top, 1.0)))


def signs(units: int, permutations: int) -> Patterns:
    """Patterns of ±1, a bit for each unit, 1 for −1; the first is all +1, the data as they are.

    Every pattern up to a common sign if there are no more than `permutations`, else that many
    drawn from the raw bits of PCG64, whose stream numpy keeps across versions.
    """
    if units <= 40 and 2 ** max(units - 1, 0) <= permutations:
        numbers = np.arange(2 ** max(units - 1, 0))[:, None]
        bits = (numbers >> np.arange(units)) & 1
        return np.packbits(bits.astype(np.bool_), axis=1)
    words = -(-units // 64)
    raw = np.random.PCG64(0).random_raw(permutations * words).astype("<u8")
    patterns = raw.view(np.uint8).reshape(permutations, words * 8)
    patterns[0] = 0
    return patterns


def pattern_numbers(patterns: Patterns, units: int) -> Matrix:
    """Patterns as numbers, 1 or −1, (patterns, units)."""
    bits = np.unpackbits(patterns, axis=1, count=units)
    return np.where(bits, -1.0, 1.0)


def flipped(patterns: Patterns, values: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Signed sums of whole numbers, (patterns, columns), some patterns at a time; exact."""
    units = len(values)
    rows = min(1024, max(1, NUMBERS // max(1, units)))
    for start in range(0, len(patterns), rows):
        part = slice(start, start + rows)
        yield part, pattern_numbers(patterns[part], units) @ values


def _row_keys(values: Matrix, present: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A key for each row, whatever the order of rows and cells, by colour refinement.

    Rows and columns differ by what they hold, then by what the columns and rows they meet hold;
    rows that are still alike are interchangeable.
    """
    top = np.abs(values).max(initial=0.0)
    cells = np.where(present, values / top if top > 0 else values, -1.0).view(np.uint64)
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


class Scores(NamedTuple):
    """Mean score of each problem in each cell, `numerator / scale`.

    `numerator` (problems, cells) is NaN where the problem is missing. Where totals are integers, so
    are numerators, and sums of them are exact.
    """

    numerator: NDArray[np.float64]
    scale: int

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a score, (problems, cells)."""
        return ~np.isnan(self.numerator)

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.numerator / self.scale


def scores(total: ArrayLike, count: ArrayLike) -> Scores:
    """Means of problems over the least common multiple of the epoch counts."""
    sums, epochs = np.asarray(total, np.float64), np.asarray(count, np.int64)
    scale = lcm(*(int(n) for n in np.unique(epochs) if n))
    there, divisor = epochs > 0, np.maximum(epochs, 1)
    if scale > LARGEST:
        return Scores(np.where(there, sums / divisor, np.nan), 1)
    return Scores(np.where(there, sums * (scale // divisor), np.nan), scale)


def labels(values: Labels, problems: int, apart: bool) -> NDArray[np.intp]:
    """Labels as 0…n − 1; without any, each problem has its own (`apart`), or all the same."""
    if values is None:
        return np.arange(problems) if apart else np.zeros(problems, dtype=np.intp)
    inverse: NDArray[np.intp] = np.unique(np.asarray(values), return_inverse=True)[1]
    return inverse


def units(present: NDArray[np.bool_], group: NDArray[np.intp]) -> NDArray[np.int64]:
    """Number of groups present in each cell, (cells,)."""
    return np.asarray(np.count_nonzero(by_group(present, group), axis=0), dtype=np.int64)
