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

from math import lcm, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.statistics.lead import asymmetry, straightened
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]
    Numbers = NDArray[np.intp]  # of cells, tasks or groups
    Flags = NDArray[np.bool_]
    Words = NDArray[np.uint64]
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


def compare(data: ContrastPanel, least_lead: float = 0.0) -> Contrasts:
    """How clearly each cell is ahead of each other, by at least `least_lead` problems' worth.

    A problem's worth is the weight in a mean of the heaviest one: over tasks, of the smallest task.
    """
    size = data.x.shape[1]
    sums, squares, leads, skewed = np.zeros((4, size, size))
    full = np.asarray(data.present.all(axis=0))
    level = centred_scores(data)
    values, unit = whole_scores(data)
    for cell in range(size):
        for rivals, is_simple in zip(earlier(full, cell), (True, False), strict=True):
            if not len(rivals):
                continue
            if is_simple:
                d = _less_one(values, cell, rivals)
                step = unit
                centred = _less_one(level, cell, rivals)
            else:
                pairs = differences(data, cell, rivals)
                d, step = whole_scores(pairs, axis=0)
                centred = centred_scores(pairs)
            pair_sums = d.sum(axis=0)
            sums[rivals, cell] = pair_sums
            squares[rivals, cell] = (d * d).sum(axis=0)
            leads[rivals, cell] = step * pair_sums
            skewed[rivals, cell] = asymmetry(d, centred, ROUNDING)
    squares = squares + squares.T
    norms = np.where(squares > 0, inverse_roots(squares), 0.0)
    sums_ahead = sums - sums.T
    ahead = sums_ahead * norms
    clear = straightened(np.abs(ahead), skewed + skewed.T)
    leads = np.abs(leads - leads.T) * common_units(data)
    is_large = leads >= least_lead * EQUAL
    signed = np.sign(ahead) * clear
    return Contrasts(np.where(is_large, signed, 0.0), norms)


def inverse_roots(squares: Matrix) -> Matrix:
    """1 over the roots of whole numbers, or over 1."""
    return np.asarray(1 / np.sqrt(np.maximum(squares, 1)))


def common_units(data: ContrastPanel) -> Matrix:
    """How many units two cells share in the task where they share the fewest, (cells, cells)."""
    shared = []
    for rows in task_rows(data.task):
        counts = by_group(data.present[rows], data.group[rows])
        present = (counts > 0).astype(np.float64)
        common = present.T @ present
        shared.append(common)
    return np.asarray(np.min(shared, axis=0))


def affordable(permutations: int, cells: int, units: int) -> int:
    """Flips for a panel of so many cells and units: `permutations` unless that is too much work.

    With fewer flips p is coarser: 35 × 35 cells get 2,667, and a p of .05 has a standard error of
    .004.
    """
    pairs = max(1, cells * (cells - 1) // 2)
    budget = min(WORK // pairs, SIGNS // max(1, units))
    flips = max(LEAST, budget)
    return min(permutations, flips)


def null_maxima(
    data: ContrastPanel, norms: Matrix, order: list[int], patterns: Patterns
) -> Iterator[NDArray[np.float32]]:
    """For each cell of `order` the largest score of any pair up to it, one array (patterns,)."""
    x = data.x[:, order]
    present = data.present[:, order]
    data = data._replace(x=x, present=present)
    full = np.asarray(present.all(axis=0))
    norms = norms[np.ix_(order, order)]
    values, _ = whole_scores(data)
    values = values[:, full]
    sums = np.empty((values.shape[1], len(patterns)), dtype=np.float32)
    for flips, signed in flipped(patterns, values):
        sums[:, flips] = signed.T
    largest = np.zeros(len(patterns), dtype=np.float32)
    for cell in range(len(order)):
        fast, slow = earlier(full, cell)
        for start in range(0, len(fast), BLOCK):
            block = slice(start, min(start + BLOCK, len(fast)))
            ahead = sums[block] - sums[len(fast)]
            ahead *= norms[fast[block], cell, None].astype(np.float32)
            np.abs(ahead, out=ahead)
            np.maximum(largest, ahead.max(axis=0), out=largest)
        if len(slow):
            pairs, _ = whole_scores(differences(data, cell, slow), axis=0)
            for flips, signed in flipped(patterns, pairs):
                clearly = np.abs(signed * norms[slow, cell])
                clearest = clearly.max(axis=1)
                largest[flips] = np.maximum(largest[flips], clearest)
        yield largest


def earlier(full: Flags, cell: int) -> tuple[Numbers, Numbers]:
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
        means = values.mean(axis=1, keepdims=True)
        values -= np.rint(means)
    largest = np.abs(scores).max(axis=axis, initial=0.0)
    return values, largest / GRID


def centred_scores(data: ContrastPanel) -> Matrix:
    """Weighted scores less the mean of their task in each cell: whole numbers, (units, cells)."""
    values = integers(weighted(data))
    for rows in task_rows(data.task):
        present = data.present[rows]
        number = problems_of_cells(present)
        means = np.rint(values[rows].sum(axis=0) / number)
        values[rows] -= np.where(present, means, 0.0)
    return by_group(values, data.group)


def differences(data: ContrastPanel, cell: int, rivals: Numbers) -> ContrastPanel:
    """Differences of `rivals` to `cell` on common problems, (problems, rivals)."""
    common = data.present[:, rivals] & data.present[:, [cell]]
    x = _less_one(data.x, cell, rivals)
    return data._replace(x=x, present=common)


def _less_one(values: Matrix, cell: int, rivals: Numbers) -> Matrix:
    """The columns of `rivals` less that of a cell."""
    return values[:, rivals] - values[:, [cell]]


class ContrastPanel(NamedTuple):
    """Mean scores `x` where they are `present`, (problems, cells), and labels of the problems."""

    x: Matrix
    present: Flags
    task: Numbers
    group: Numbers

    @property
    def units(self) -> int:
        """How many signs there are to flip."""
        return count_labels(self.group)

    def signs(self, permutations: int) -> Patterns:
        """Patterns of its signs: so many, or those that are affordable."""
        cells = self.x.shape[1]
        return signs(self.units, affordable(permutations, cells, self.units))


def panel(
    total: ArrayLike, count: ArrayLike, task: Labels, group: Labels
) -> tuple[ContrastPanel, Numbers]:
    """A panel of the cells with a problem of each task, and which these are: others are in no test.

    Its units are numbered independently of the order of rows and cells.
    """
    points = scores(total, count)
    x = np.nan_to_num(points.mean)
    size = len(points.numerator)
    tasks = labels(task, size, distinct=False)
    groups = labels(group, size, distinct=True)
    raw = ContrastPanel(x, points.present, tasks, groups)
    whole = integers(weighted(raw))
    values = by_group(whole, groups)
    is_present = by_group(raw.present, groups) > 0
    keys = _row_keys(values, is_present)
    place = np.argsort(np.argsort(keys, kind="stable"))
    complete = raw.present.any(axis=0)
    for rows in task_rows(tasks):
        complete &= raw.present[rows].any(axis=0)
    cells = np.flatnonzero(complete)
    present = raw.present[:, cells]
    return ContrastPanel(x[:, cells], present, tasks, place[groups]), cells


def weighted(panel: ContrastPanel) -> Matrix:
    """Scores times the weight of their problem in the cell's mean, summed over tasks."""
    weights = np.zeros_like(panel.x)
    for rows in task_rows(panel.task):
        weights[rows] = 1 / problems_of_cells(panel.present[rows])
    return np.where(panel.present, panel.x * weights, 0.0)


def by_group(values: NDArray[Any], group: Numbers) -> Matrix:
    """Sum rows by group: (problems, …) to (groups, …)."""
    sums = np.zeros((count_labels(group),) + values.shape[1:])
    np.add.at(sums, group, values)
    return sums


def integers(values: Matrix, axis: int | None = None) -> Matrix:
    """Whole numbers up to `GRID`: values times one factor, or along `axis` one for each."""
    top = np.abs(values).max(axis=axis, initial=0.0, keepdims=True)
    factor = GRID / np.where(top > 0, top, 1.0)
    return np.rint(values * factor)


def signs(units: int, permutations: int) -> Patterns:
    """Patterns of ±1, a bit for each unit, 1 for −1; the first is all +1, the data as they are.

    Every pattern up to a common sign if there are no more than `permutations`, else that many
    drawn from the raw bits of PCG64, whose stream numpy keeps across versions.
    """
    all_patterns = 2 ** max(units - 1, 0)
    if all_patterns <= permutations:
        numbers = np.arange(all_patterns)[:, None]
        bits = (numbers >> np.arange(units)) & 1
        return np.packbits(bits.astype(np.bool_), axis=1)
    words = -(-units // 64)
    raw = np.random.PCG64(0).random_raw(permutations * words)
    octets = raw.astype("<u8").view(np.uint8)
    patterns = octets.reshape(permutations, words * 8)
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
        stop = start + rows
        block = slice(start, stop)
        yield block, pattern_numbers(patterns[block], units) @ values


def _row_keys(values: Matrix, present: Flags) -> Words:
    """A key for each row, whatever the order of rows and cells, by colour refinement.

    Rows and columns differ by what they hold, then by what the columns and rows they meet hold;
    rows that are still alike are interchangeable.
    """
    top = largest_size(values)
    if top > 0:
        values = values / top
    filled = np.where(present, values, -1.0)
    cells = filled.view(np.uint64)
    columns = np.zeros(values.shape[1], dtype=np.uint64)
    rows = np.zeros(len(values), dtype=np.uint64)
    for _ in range(3):
        by_column = _mix(cells ^ _mix(columns)[None, :])
        rows = by_column.sum(axis=1, dtype=np.uint64)
        by_row = _mix(cells ^ _mix(rows)[:, None])
        columns = by_row.sum(axis=0, dtype=np.uint64)
    return rows


def _mix(words: Words) -> Words:
    """Scramble 64-bit words (the finaliser of MurmurHash3)."""
    for _ in range(2):
        words = words ^ (words >> np.uint64(33))
        words = words * np.uint64(0xFF51AFD7ED558CCD)
    return words ^ (words >> np.uint64(33))


class Scores(NamedTuple):
    """Mean score of each problem in each cell, `numerator / scale`.

    `numerator` (problems, cells) is NaN where the problem is missing. Where totals are integers, so
    are numerators, and sums of them are exact.
    """

    numerator: Matrix
    scale: int

    @property
    def present(self) -> Flags:
        """Where there is a score, (problems, cells)."""
        return ~np.isnan(self.numerator)

    @property
    def mean(self) -> Matrix:
        return self.numerator / self.scale

    def over(self, scale: int) -> Matrix:
        """The numerators over a multiple of the scale."""
        return self.numerator * (scale // self.scale)

    def only(self, kept: Flags) -> Scores:
        """The same where `kept`, (problems, cells)."""
        return Scores(np.where(kept, self.numerator, nan), self.scale)


def scores(total: ArrayLike, count: ArrayLike) -> Scores:
    """Means of problems over the least common multiple of the epoch counts."""
    sums = np.asarray(total, np.float64)
    epochs = np.asarray(count, np.int64)
    scale = lcm(*(int(n) for n in np.unique(epochs) if n))
    divisor = np.maximum(epochs, 1)
    if scale > LARGEST:
        numerator = sums / divisor
        scale = 1
    else:
        factor = scale // divisor
        numerator = sums * factor
    return Scores(np.where(epochs > 0, numerator, nan), scale)


def labels(values: Labels, problems: int, distinct: bool) -> Numbers:
    """Labels as 0…n − 1; without any, each problem has its own (`distinct`), or all the same."""
    if values is None and distinct:
        return np.arange(problems)
    if values is None:
        return np.zeros(problems, dtype=np.intp)
    numbers: Numbers
    _, numbers = np.unique(np.asarray(values), return_inverse=True)
    return numbers


def count_labels(numbers: NDArray[Any]) -> int:
    """How many labels there are, numbered from 0."""
    return int(numbers.max(initial=-1)) + 1


def task_rows(task: NDArray[Any]) -> Iterator[Flags]:
    """The problems of each task, one task after the other; `task`: the number of each problem's."""
    for number in np.unique(task):
        yield task == number


def largest_size(values: NDArray[Any]) -> float:
    """The largest of some numbers, whatever their signs; 0 of none."""
    return float(np.abs(values).max(initial=0.0))


def problems_of_cells(present: Flags) -> NDArray[Any]:
    """How many problems each cell has, at least 1; `present`: (problems, cells)."""
    counts = present.sum(axis=0)
    return np.asarray(np.maximum(counts, 1))


def few_clusters(number: Any) -> Any:
    """G / (G − 1): how much more units scatter about the true mean than about their own."""
    return number / np.maximum(number - 1, 1)


def undefined() -> AbstractContextManager[None]:
    """Where no number comes out, NaN or infinity does, without a warning."""
    return np.errstate(invalid="ignore", divide="ignore")


def units(present: Flags, group: Numbers) -> NDArray[np.int64]:
    """Number of groups present in each cell, (cells,)."""
    counts = by_group(present, group)
    return np.asarray(np.count_nonzero(counts, axis=0), dtype=np.int64)
