"""Metrics: what a cell shows of its samples, as the words of `encoding.color`.

A metric gives each problem a value, made of all samples of it, and joins the values of a task into
one; a cell over several tasks is the unweighted mean of theirs. Each metric is one row of `TABLE`:
grids, words, pages, `trace` and `verify` know no more of it than its row says.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb, floor, fsum, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Points = Callable[[Ints, Floats, int], tuple[Floats, Ints]]


class Problem(NamedTuple):
    """How the samples of a problem give its value."""

    points: Points
    """Arrays of epochs and sums, and k → dividend and divisor of the values; 0 where none is.
    Of `VOTE`, arrays of epochs and values (`heatproof.samples.answers`), NaN where none is."""
    exact: Callable[[Sequence[Fraction], int], Fraction]
    """The same of the samples of one problem, in fractions; of a vote, of its value alone."""


class Join(NamedTuple):
    """How the values of a task's problems, in ascending order, give one."""

    floats: Callable[[Sequence[float], int], float]
    exact: Callable[[Sequence[Fraction], int], Fraction]
    said: str
    """What the figure says of it; `{n}` is the number in the word."""
    least: int = 1
    """Problems that it needs."""


class Row(NamedTuple):
    """A metric, or those that differ by the number in their words."""

    word: str
    """As a pattern: `n` the number, `of` the column."""
    shown: str
    """How the word is told where those there are are listed."""
    label: str
    """What figures call it: `{n}` the number, `{of}` the column."""
    problem: Problem
    join: Join | None = None
    """None: the mean, the only one with a standard error, an interval and a tied set."""
    graded: bool = False
    """Whether it is of right and wrong alone, and a problem needs n samples."""
    votes: bool = False
    """Whether it is a vote: it asks for answers too, and a problem needs n samples."""
    keeps: bool = True
    """Whether it is of the unit of what was measured, so that of shares it is one."""
    moves: bool = True
    """Whether it moves along where all that was measured is moved; a spread does not."""
    printed: bool = False
    """Whether it is of aggregates, numbers that were printed and of which no record is known."""


class Metric(NamedTuple):
    """A number made of many graded samples, as a word asks for it."""

    word: str
    of: str
    """Column of the samples."""
    number: int
    """n of the word; 1 where it has none."""
    row: Row

    @property
    def k(self) -> int | None:
        """Samples that a problem needs; None where any will do."""
        return self.number if self.row.graded or self.row.votes else None

    @property
    def graded(self) -> bool:
        """Whether all samples are to be right or wrong."""
        return self.row.graded

    @property
    def votes(self) -> bool:
        """Whether it is a vote on the answers of samples (`maj@k`)."""
        return self.row.votes

    @property
    def valued(self) -> bool:
        """Whether problems come with their values instead of the sums of their samples."""
        return self.row.problem is VOTE

    def by_problem(self) -> Metric:
        """The same metric of problems that come with their values."""
        return self._replace(row=self.row._replace(problem=VOTE))

    @property
    def every(self) -> bool:
        """Whether all k samples of a problem are to be right (`pass^k`), and not one at least."""
        return self.row.problem is EVERY

    @property
    def join(self) -> Join | None:
        """How problems are joined; None: the mean, and its uncertainty is known."""
        return self.row.join

    @property
    def least(self) -> int:
        """Problems with a value that a task needs to have one."""
        return self.row.join.least if self.row.join else 1

    @property
    def lacks(self) -> str:
        """What a task has whose samples give no value."""
        if self.votes:
            return f"fewer than {self.k} samples of each problem, or no answer in any"
        if self.k:
            return f"fewer than {self.k} samples of each problem"
        return f"fewer than {self.least} problems"

    @property
    def is_share(self) -> bool:
        """Whether the metric lies between 0 and 1 and reads best in percent."""
        return self.row.keeps and self.of in ("score", "progress")

    @property
    def said(self) -> str:
        """What the figure says of how problems are joined; empty for the mean."""
        return self.row.join.said.format(n=self.number) if self.row.join else ""

    @property
    def printed(self) -> bool:
        """Whether it is of aggregates: numbers as they were printed (`printed(column)`)."""
        return self.row.printed

    @property
    def told(self) -> str:
        """What figures say of numbers of which no verdict is known; empty for the mean."""
        if self.printed:
            return PRINTED
        return f"{self.said}; no uncertainty is told" if self.said else ""

    def label(self, of: str) -> str:
        """What figures call the metric; `of`: what they call its column."""
        return self.row.label.format(n=self.number, of=of)

    def points(self, count: Ints, total: Floats) -> tuple[Floats, Ints]:
        """Dividend and divisor of the value of each problem, 0 where it has none.

        Args:
            count: epochs, of any shape.
            total: sums of what was measured, of the same shape.
        """
        return self.row.problem.points(count, total, self.number)

    def value(self, count: Ints, total: Floats) -> tuple[float | None, int]:
        """Value of a task, in any order of its problems the same, and how many of them have one.

        `count` and `total` as for `points`, of shape (problems,).
        """
        dividend, divisor = self.points(count, total)
        there = divisor > 0
        each = sorted((dividend[there] / divisor[there]).tolist())
        if len(each) < self.least:
            return None, len(each)
        join = self.row.join.floats if self.row.join else _mean
        return join(each, self.number), len(each)

    def exact(self, problems: Sequence[Sequence[Fraction]]) -> tuple[Fraction | None, int]:
        """The same in fractions, of the samples of each problem; apart from the code of grids."""
        each = sorted(self.row.problem.exact(s, self.number) for s in problems)
        if len(each) < self.least:
            return None, len(each)
        join = self.row.join.exact if self.row.join else _exact_mean
        return join(each, self.number), len(each)


def _mean(values: Sequence[float], _: int) -> float:
    return fsum(values) / len(values)


def _exact_mean(values: Sequence[Fraction], _: int) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _sum(values: Sequence[float], _: int) -> float:
    return fsum(values)


def _std(values: Sequence[float], _: int) -> float:
    middle = _mean(values, 1)
    return sqrt(fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _exact_std(values: Sequence[Fraction], _: int) -> Fraction:
    n, total = len(values), sum(values, Fraction(0))
    squares = sum((value * value for value in values), Fraction(0))
    return Fraction(sqrt((squares - total * total / n) / (n - 1)))


def _quantile(values: Sequence[float], percent: int) -> float:
    low, part = divmod((len(values) - 1) * percent, 100)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (part / 100)


def _exact_quantile(values: Sequence[Fraction], percent: int) -> Fraction:
    at = Fraction((len(values) - 1) * percent, 100)
    low = floor(at)
    return values[low] * (1 - at + low) + (values[low + 1] * (at - low) if at > low else 0)


def _per_sample(count: Ints, total: Floats, _: int) -> tuple[Floats, Ints]:
    return total, count


def _in_all(count: Ints, total: Floats, _: int) -> tuple[Floats, Ints]:
    return total, np.minimum(count, 1)


def _number(count: Ints, total: Floats, _: int) -> tuple[Floats, Ints]:  # noqa: ARG001
    return count.astype(np.float64), np.minimum(count, 1)


def _passes(every: bool) -> Points:
    """Pass@k of each problem, or pass^k (`every`); of one sample both are the mean."""

    def points(count: Ints, total: Floats, k: int) -> tuple[Floats, Ints]:
        if k == 1:
            return total, count
        from heatproof.statistics import pass_at_k

        enough, value = count >= k, np.zeros(total.shape)
        if enough.any():
            right = np.rint(total[enough]).astype(np.int64)
            value[enough] = pass_at_k(count[enough], right, k, every=every)
        return value, enough.astype(np.int64)

    return points


def _one_of(scores: Sequence[Fraction], k: int) -> Fraction:
    """1 − C(n − c, k) / C(n, k) of n samples with c right (Chen et al. 2021, equation 1)."""
    n, right = len(scores), int(sum(scores))
    return 1 - Fraction(comb(n - right, k), comb(n, k))


def _all_of(scores: Sequence[Fraction], k: int) -> Fraction:
    return Fraction(comb(int(sum(scores)), k), comb(len(scores), k))


def _voted(count: Ints, value: Floats, _: int) -> tuple[Floats, Ints]:
    there = (count > 0) & ~np.isnan(value)
    return np.where(there, value, 0.0), there.astype(np.int64)


VOTE = Problem(_voted, lambda value, _: value[0])
"""Of values that problems have already: those of votes, and means of several values."""
ANY, EVERY = Problem(_passes(False), _one_of), Problem(_passes(True), _all_of)
MEAN = Problem(_per_sample, lambda scores, _: sum(scores, Fraction(0)) / len(scores))
SUM = Problem(_in_all, lambda scores, _: sum(scores, Fraction(0)))
COUNT = Problem(_number, lambda scores, _: Fraction(len(scores)))
PRINTED = "aggregates: printed numbers, no records below"
"""What is said wherever a number that was printed goes."""
TOTAL = Join(_sum, lambda values, _: sum(values, Fraction(0)), "all samples of a task together")
OF = r"\((?P<of>\w+)\)"


def _percentile(word: str, shown: str, label: str, said: str, fixed: int | None = None) -> Row:
    """A row of percentiles, interpolated between the two nearest problems (Hyndman & Fan's 7)."""

    def at(n: int) -> int:
        return n if fixed is None else fixed

    join = Join(
        lambda values, n: _quantile(values, at(n)),
        lambda values, n: _exact_quantile(values, at(n)),
        f"{said} over problems, each the mean of its samples",
    )
    return Row(word + OF, shown, label, MEAN, join)


STD = Join(_std, _exact_std, "standard deviation over problems, each the mean of its samples", 2)
TABLE = (
    Row(r"pass@(?P<n>[1-9]\d*)", "pass@k", "Pass@{n}", ANY, graded=True),
    Row(r"pass\^(?P<n>[1-9]\d*)", "pass^k", "Pass^{n}", EVERY, graded=True),
    Row(r"maj@(?P<n>[1-9]\d*)", "maj@k", "Maj@{n}", VOTE, votes=True),
    Row(r"cons@(?P<n>[1-9]\d*)", "cons@k", "Cons@{n}", VOTE, votes=True),  # the same, as o1 has it
    Row("mean" + OF, "mean(column)", "Mean {of}", MEAN),
    _percentile("median", "median(column)", "Median {of}", "median", 50),
    _percentile(r"p(?P<n>[1-9]\d?)", "p95(column)", "P{n} {of}", "{n} % quantile"),
    _percentile("min", "min(column)", "Lowest {of}", "lowest", 0),
    _percentile("max", "max(column)", "Highest {of}", "highest", 100),
    Row(
        "std" + OF, "std(column)", "Standard deviation of {of}", MEAN, STD, moves=False,
    ),
    Row("sum" + OF, "sum(column)", "Sum of {of}", SUM, TOTAL, keeps=False, moves=False),
    Row(
        "printed" + OF, "printed(column)", "{of}", MEAN, Join(_mean, _exact_mean, PRINTED),
        printed=True,
    ),
    Row(f"count(?:{OF})?", "count", "Graded samples", COUNT, TOTAL, keeps=False),
)  # fmt: skip
"""All metrics."""


SHARES = {"accuracy", "acc", "exactmatch", "em", "passrate", "solverate", "successrate"}
MEANS = {"mean", "average", "avg", "score", "scores", "meanscore", "averagescore"}
ATTEMPTS = re.compile(r"(pass|maj|cons)(?:at)?(\d+)")
"""Words that others have for metrics, without blanks, hyphens and the like."""


def metric(word: str) -> Metric:
    """The metric that a word in `encoding.color` stands for.

    Raises:
        Error: the word is none of these.
    """
    for row in TABLE:
        if match := re.fullmatch(row.word, word.replace(" ", "")):
            found = match.groupdict()
            return Metric(word, found.get("of") or "score", int(found.get("n") or 1), row)
    known = ", ".join(row.shown for row in TABLE[:-1])
    raise Error(
        f"{word!r} is not a metric; there are {known} and {TABLE[-1].shown} (k = 1, 2, …; "
        f"any column of numbers){_meant(word)}"
    )


def _meant(word: str) -> str:
    """What a word that is no metric probably stands for, in words."""
    plain = re.sub(r"[-_ ]", "", word.casefold())
    if plain in SHARES:
        return f"; {word} is pass@1{_printed(word)}"
    if match := re.fullmatch(r"(pass[@^]|maj@|cons@)k?", plain):
        return f"; k is a number: {match[1]}1"
    if found := _word(plain, word):
        return f" (did you mean {found!r}?)"
    return f"; of a column {word}: mean({word}){_printed(word)}" if word.isidentifier() else ""


def _printed(word: str) -> str:
    return f", of aggregates: printed({word})" if word.isidentifier() else ""


def _word(plain: str, word: str) -> str:
    """The word of a metric that a wrong one was probably meant as; empty if none was."""
    if plain in MEANS:
        return "mean(score)"
    if match := ATTEMPTS.fullmatch(plain):
        return f"{match[1]}@{match[2]}"
    if any(row.shown == f"{plain}(column)" for row in TABLE):
        return f"{plain}(score)"
    if match := re.fullmatch(r"(\w+)\([\w.]*\)?", plain):
        return _of_column(match[1], re.sub(r".*\(|\).*", "", word).strip())
    return plain if any(re.fullmatch(row.word, plain) for row in TABLE) else ""


def _of_column(name: str, column: str) -> str:
    """What is meant by a metric of a column, as a word has both: `avg(tokens)`, `mean(tokens`."""
    own = {"avg": "mean", "average": "mean", "stdev": "std", "stddev": "std", "sd": "std"}
    found = f"{own.get(name, name)}({column or 'score'})" if name != "count" else "count"
    return found if any(re.fullmatch(row.word, found) for row in TABLE) else ""


def mean(column: str) -> Metric:
    """The mean of a column."""
    return metric(f"mean({column})")


def is_printed(word: str) -> bool:
    """Whether it is of aggregates; what is no metric is told elsewhere."""
    return word.replace(" ", "").startswith("printed(")


def is_share(word: str) -> bool:
    """Whether the metric lies between 0 and 1 and reads best in percent."""
    return metric(word).is_share
