"""Metrics: many graded samples → one number, task by task.

A metric gives each problem a value, made of all its samples, and joins the values of a task into
one; a cell over several tasks is the unweighted mean of theirs. Each metric is one row of `TABLE`:
grids, words, pages, `trace` and `verify` know no more of it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from math import comb, floor, fsum, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof import statistics
from heatproof.util.errors import Error, likeliest
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Points = Callable[[Ints, Floats, int], tuple[Floats, Ints]]


class Problem(NamedTuple):
    """How the samples of a problem give its value."""

    points: Points
    """Arrays of epochs and sums, and k → dividend and divisor of the values; 0 where none is.
    Of `VOTE`, arrays of epochs and values (`heatproof.samples.counts`), NaN where none is."""
    exact: Callable[[Sequence[Fraction], int], Fraction]
    """The same in fractions, of the samples of one problem; of a vote, of its value."""


class TaskJoin(NamedTuple):
    """How the values of a task's problems, in ascending order, become one."""

    floats: Callable[[Sequence[float], int], float]
    exact: Callable[[Sequence[Fraction], int], Fraction]
    words: str  # of the figure; `{n}` is the number in the metric's word
    least: int = 1  # problems that it needs


@dataclass(frozen=True)
class Metric:
    """A number made of many graded samples, as a word in config.yaml asks for it."""

    pattern: str  # of the word: `n` the number, `of` the column
    listed: str  # the word as it stands where all metrics are listed
    name: str  # what figures call it: `{n}` the number, `{of}` the column
    problem: Problem
    join: TaskJoin | None = None
    """None: the mean, the only one with a standard error, an interval and a tied set."""
    graded: bool = False  # whether it is of right and wrong alone, and a problem needs n samples
    votes: bool = False  # whether it is a vote: it needs answers too, and a problem needs n samples
    keeps: bool = True  # whether its unit is that of its column
    moves: bool = True  # whether it grows by c if all that was measured does; a spread does not
    printed: bool = False  # whether it is of aggregates: printed numbers without records
    word: str = ""
    of: str = "score"  # column of the samples
    number: int = 1  # n of the word, or of the quantile
    of_row: bool = False  # whether it is a part of all samples of its row
    over_k: bool = False  # whether the word leaves n open, for an axis
    pair: str = ""
    """Of two values on the instances of both: the row of `pair_numbers.TABLE`."""
    unit: str = ""  # what its values are counted in, if not as its column is

    @property
    def k(self) -> int | None:
        """Samples that a problem needs; None if one is enough."""
        return self.number if self.graded or self.votes else None

    @property
    def valued(self) -> bool:
        """Whether problems come with their values instead of the sums of their samples."""
        return self.problem is VOTE

    def by_problem(self) -> Metric:
        """The same metric of problems that come with their values."""
        return replace(self, problem=VOTE)

    @property
    def passes(self) -> bool:
        """Whether the value of a problem is a chance of right ones among several samples."""
        return self.problem in (ANY, EVERY) and self.number > 1

    @property
    def every(self) -> bool:
        """Whether all k samples of a problem are to be right (`pass^k`), and not one at least."""
        return self.problem is EVERY

    @property
    def least(self) -> int:
        """Problems with a value that a task needs."""
        return self.join.least if self.join else 1

    @property
    def lacks(self) -> str:
        """What is wrong with a task without a value."""
        if self.k:
            few = f"fewer than {self.k} samples of each problem"
            return f"{few}, or no answer in any" if self.votes else few
        return f"fewer than {self.least} problems"

    @property
    def is_share(self) -> bool:
        return self.unit == SHARE or (self.keeps and self.of in SHARE_COLUMNS)

    @property
    def unit_of(self) -> str:
        """The column whose unit it has; none of a count."""
        return "" if self.problem is COUNT else self.of

    @property
    def is_spread(self) -> bool:
        """Whether it says how far problems lie apart."""
        return self.join is not None and self.keeps and not self.moves

    @property
    def caveat(self) -> str:
        """What figures say of numbers without an uncertainty; empty for the mean."""
        if self.printed or not self.join:
            return PRINTED if self.printed else ""
        return f"{self.join.words.format(n=self.number)}; no uncertainty is given"

    def label(self, of: str) -> str:
        """The metric's name in figures; `of`: that of its column."""
        return self.name.format(n="k" if self.over_k else self.number, of=of)

    def points(self, count: Ints, total: Floats) -> tuple[Floats, Ints]:
        """Dividend and divisor (0: none) of each problem's value, from its epochs and their sum."""
        return self.problem.points(count, total, self.number)

    def value(self, count: Ints, total: Floats) -> tuple[float | None, int]:
        """Value of a task, whatever the order of its problems, and how many of these have one."""
        dividend, divisor = self.points(count, total)
        there = divisor > 0
        values = sorted((dividend[there] / divisor[there]).tolist())
        if len(values) < self.least:
            return None, len(values)
        join = self.join.floats if self.join else _mean
        return join(values, self.number), len(values)

    def exact(self, problems: Sequence[Sequence[Fraction]]) -> tuple[Fraction | None, int]:
        """The same in fractions, of the samples of each problem, by code that no grid uses."""
        values = [self.problem.exact(samples, self.number) for samples in problems]
        if len(values) < self.least:
            return None, len(values)
        if self.join is None:
            return exact_mean(values), len(values)
        return self.join.exact(sorted(values), self.number), len(values)


def _mean(values: Sequence[float], _: int = 1) -> float:
    return fsum(values) / len(values)


def exact_sum(values: Iterable[Fraction]) -> Fraction:
    """The sum of fractions; those of one denominator are added up as whole numbers."""
    sums = defaultdict[int, int](int)
    for value in values:
        sums[value.denominator] += value.numerator
    parts = [Fraction(total, denominator) for denominator, total in sums.items()]
    return sum(parts[1:], parts[0]) if parts else Fraction(0)


def exact_mean(values: Sequence[Fraction], _: int = 1) -> Fraction:
    """The mean of fractions."""
    return exact_sum(values) / len(values)


def _std(values: Sequence[float], _: int) -> float:
    middle = _mean(values)
    return sqrt(fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _exact_std(values: Sequence[Fraction], _: int) -> Fraction:
    n, total = len(values), exact_sum(values)
    squares = exact_sum(value * value for value in values)
    return Fraction(sqrt((squares - total * total / n) / (n - 1)))


def _quantile(values: Sequence[float], percent: int) -> float:
    low, part = divmod((len(values) - 1) * percent, 100)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (part / 100)


def _exact_quantile(values: Sequence[Fraction], percent: int) -> Fraction:
    at = Fraction((len(values) - 1) * percent, 100)
    low = floor(at)
    return values[low] * (1 - at + low) + (values[low + 1] * (at - low) if at > low else 0)


def _passes(count: Ints, total: Floats, k: int, *, every: bool) -> tuple[Floats, Ints]:
    """Pass@k, or pass^k (`every`), of each problem; of one sample both are the mean."""
    if k == 1:
        return total, count
    right = np.rint(total).astype(np.int64)
    value = np.nan_to_num(statistics.pass_scores(count, right, k, every=every).mean)
    return value, (count >= k).astype(np.int64)


def _exact_passes(scores: Sequence[Fraction], k: int, *, every: bool) -> Fraction:
    """1 − C(n − c, k) / C(n, k) of n samples, c of them right, or C(c, k) / C(n, k)."""
    n, right = len(scores), int(sum(scores))
    chance = Fraction(comb(right if every else n - right, k), comb(n, k))
    return chance if every else 1 - chance


def _voted(count: Ints, value: Floats, _: int) -> tuple[Floats, Ints]:
    there = (count > 0) & ~np.isnan(value)
    return np.where(there, value, 0.0), there.astype(np.int64)


VOTE = Problem(_voted, lambda value, _: value[0])
"""Of problems that come with their values: those of votes, and means of several values."""
ANY, EVERY = (
    Problem(partial(_passes, every=every), partial(_exact_passes, every=every))
    for every in (False, True)
)
MEAN = Problem(lambda count, total, _: (total, count), exact_mean)
SUM = Problem(
    lambda count, total, _: (total, np.minimum(count, 1)),
    lambda scores, _: exact_sum(scores),
)
COUNT = Problem(
    lambda count, *_: (count.astype(np.float64), np.minimum(count, 1)),
    lambda scores, _: Fraction(len(scores)),
)
PRINTED = "aggregates: printed numbers, no records behind them"  # in figures, captions, pages
OF_MEANS = "over problems, each the mean of its samples"
OF_ROW = TaskJoin(
    lambda values, _: fsum(values),
    lambda values, _: exact_sum(values),
    "graded samples as a part of those of their row",
)
TOTAL = TaskJoin(
    lambda values, _: fsum(values),
    lambda values, _: exact_sum(values),
    "all samples of a task together",
)
STD = TaskJoin(_std, _exact_std, f"standard deviation {OF_MEANS}", 2)
OF = r"\((?P<of>\w+)\)"


def _percent(words: str) -> TaskJoin:
    """The quantile interpolated between two problems (Hyndman and Fan 1996, definition 7)."""
    return TaskJoin(_quantile, _exact_quantile, f"{words} {OF_MEANS}")


OPEN = "k"
"""In place of the number in a word: each k along an axis."""
SHARE_COLUMNS = ("score", "progress")
"""Columns that lie between 0 and 1 in every table."""
TABLE = (
    Metric(r"pass@(?P<n>[1-9]\d*|k)", "pass@k", "Pass@{n}", ANY, graded=True),
    Metric("accuracy", "accuracy", "Accuracy", ANY, graded=True),  # pass@1
    Metric(r"pass\^(?P<n>[1-9]\d*|k)", "pass^k", "Pass^{n}", EVERY, graded=True),
    Metric(r"maj@(?P<n>[1-9]\d*|k)", "maj@k", "Maj@{n}", VOTE, votes=True),
    Metric(r"cons@(?P<n>[1-9]\d*|k)", "cons@k", "Cons@{n}", VOTE, votes=True),  # the same
    Metric("mean" + OF, "mean(column)", "Mean {of}", MEAN),
    Metric("median" + OF, "median(column)", "Median {of}", MEAN, _percent("median"), number=50),
    Metric(rf"p(?P<n>[1-9]\d?){OF}", "p95(column)", "P{n} {of}", MEAN, _percent("{n} % quantile")),
    Metric("min" + OF, "min(column)", "Lowest {of}", MEAN, _percent("lowest"), number=0),
    Metric("max" + OF, "max(column)", "Highest {of}", MEAN, _percent("highest"), number=100),
    Metric("std" + OF, "std(column)", "Standard deviation of {of}", MEAN, STD, moves=False),
    Metric("sum" + OF, "sum(column)", "Sum of {of}", SUM, TOTAL, keeps=False, moves=False),
    Metric(
        "printed" + OF, "printed(column)", "{of}", MEAN, TaskJoin(_mean, exact_mean, PRINTED),
        printed=True,
    ),
    Metric("share", "share", "Share of row", COUNT, OF_ROW, of_row=True),
    Metric(f"count(?:{OF})?", "count", "Graded samples", COUNT, TOTAL, keeps=False),
)  # fmt: skip

SHARE = "0 to 1"  # the unit of shares
OF_PAIRS = (
    ("win_rate", "Win rate by {of}", SHARE),
    ("difference", "Difference of {of}", ""),
    ("agreement", "Agreement of {of}", SHARE),
    ("kappa", "Cohen's κ of {of}", "−1 to 1"),
    ("correlation", "Correlation of {of}", "−1 to 1"),
    ("rating", "Elo margin by {of}", "Elo points"),
)
"""Word, name and unit of metrics of two values of a column, of one beside the other."""
PAIRED = tuple(
    Metric(
        word + OF, f"{word}(column)", name, MEAN, keeps=not unit, moves=False, pair=word, unit=unit
    )
    for word, name, unit in OF_PAIRS
)

TWO = {word.replace("_", ""): word for word, *_ in OF_PAIRS}
TWO |= dict.fromkeys(("elo", "bradleyterry", "btrating"), "rating")
TWO |= dict.fromkeys(("cohen", "cohenkappa", "cohenskappa"), "kappa")
TWO |= dict.fromkeys(("pearson", "pearsonr", "corr"), "correlation")
TWO |= {"wins": "win_rate", "winrates": "win_rate", "diff": "difference"}
"""Words for metrics of two values, without blanks, hyphens and the like → the metric."""

SHARES = {"acc", "exactmatch", "em", "passrate", "solverate", "successrate"}
"""Other tools' words for pass@1, without blanks, hyphens and the like."""


@cache
def metric(word: str) -> Metric:
    """The metric that a word in `encoding.color` stands for. Raises Error if there is none."""
    for row in TABLE + PAIRED:
        if match := re.fullmatch(row.pattern, word.replace(" ", "")):
            parts = match.groupdict()
            given = parts.get("n") or row.number
            over_k = given == OPEN
            number = 1 if over_k else int(given)
            of = parts.get("of") or "score"
            return replace(row, word=word, of=of, number=number, over_k=over_k)
    words, hint = ", ".join(row.listed for row in TABLE[:-1]), ""
    plain = re.sub(r"[-_ ]", "", word.casefold())
    if match := re.fullmatch(r"(pass[@^]|maj@|cons@)", plain):
        hint = f"; k is a number: {match[1]}1"
    elif two := TWO.get(plain):
        hint = f"; of two values of a column {two}(score), with x: against"
    elif word.isidentifier():
        is_share = plain in SHARES or likeliest(plain, ["accuracy"])
        what = f"{word}, write pass@1" if is_share else f"column {word}, write mean({word})"
        hint = f"; for {what}, for aggregates printed({word})"
    raise Error(
        f"{word!r} is not a metric; there are {words} and {TABLE[-1].listed} (k = 1, 2, …; "
        f"any column of numbers){hint}"
    )


def is_printed(word: str) -> bool:
    """Whether a word is a metric of aggregates."""
    return word.replace(" ", "").startswith("printed(")


def is_share(word: str) -> bool:
    """Whether the metric lies between 0 and 1 and reads best in percent."""
    return metric(word).is_share
