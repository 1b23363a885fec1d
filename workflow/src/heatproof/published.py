"""Digits printed in a paper, and logs that give exactly these digits.

A table of Pass@1 in percent says for each run how many problems were asked how often; the only
count of right answers that rounds to the printed digit is then known, although no log is.
"""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from blake3 import blake3

from heatproof.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PRUNED_AT = 5000
"""Entries of the KV cache at which these runs pruned it (arXiv 2601.18383)."""

MEAN = "mean"
"""Stands for the benchmark where the number is the mean over all of them."""

UNKNOWN = dict.fromkeys(("prompt", "decode_text", "ground_truth", "pred_answer"))


class Digits(NamedTuple):
    """One printed number: a share in percent, and what it is of."""

    model: str
    benchmark: str
    ratio: str
    local_window: str
    text: str
    """As printed: its decimals tell how it was rounded."""
    problems: int = 0
    samples: int = 0
    """Answers to each problem."""

    def __str__(self) -> str:
        where = f"ratio {self.ratio}, local window {self.local_window}"
        return f"{self.model}, {self.benchmark}, {where}: {self.text}"

    @property
    def graded(self) -> int:
        return self.problems * self.samples

    @property
    def span(self) -> tuple[Fraction, Fraction]:
        """Lowest and highest share (0–1) that prints so.

        A share on the half between two printed numbers fits both, whichever way it was rounded.
        """
        half = Fraction(1, 2 * 10 ** len(self.text.partition(".")[2]))
        return (Fraction(self.text) - half) / 100, (Fraction(self.text) + half) / 100


def _count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


SETTINGS: dict[str, Callable[[str], Any]] = {
    "model": str,
    "benchmark": str,
    "ratio": float,
    "local_window": int,
    "pass_at_1": Fraction,
}
"""Column of a table → what its text must read as."""


def read(text: str, place: str = "printed digits") -> list[Digits]:
    """The rows of a CSV table: `SETTINGS`, problems, samples_per_problem.

    Raises:
        Error: a column is missing or a value is wrong; `place` (the path) and line are named.
    """
    columns = {**SETTINGS, "problems": _count, "samples_per_problem": _count}
    return [Digits(*values) for values in _rows(text, place, columns)]


def read_means(text: str, place: str = "printed means") -> list[Digits]:
    """The rows of a CSV table of means over the benchmarks: `SETTINGS` without benchmark.

    Raises:
        Error: as for `read`.
    """
    columns = {name: kind for name, kind in SETTINGS.items() if name != "benchmark"}
    return [Digits(model, MEAN, *values) for model, *values in _rows(text, place, columns)]


def _rows(text: str, place: str, columns: dict[str, Callable[[str], Any]]) -> Iterator[list[Any]]:
    """The values of each line; numbers of settings stay as they are printed."""
    rows = csv.DictReader(io.StringIO(text))
    found = rows.fieldnames or []
    for column in sorted(columns.keys() - set(found)):
        raise Error(f"{place}: no column {column!r}; {choices(column, found)}")
    for row in rows:
        for column, kind in columns.items():
            try:
                kind(row[column] or "")
            except ValueError:
                said = f"{row[column]!r} is not a {'count' if kind is _count else 'number'}"
                raise Error(f"{place}:{rows.line_num}: {column}: {said}") from None
        yield [int(row[name]) if kind is _count else row[name] for name, kind in columns.items()]


def right(digits: Digits) -> int:
    """How many graded answers were right: the one count that prints as `digits`.

    Raises:
        Error: no count does, or more than one.
    """
    low, high = (share * digits.graded for share in digits.span)
    fitting = range(max(0, ceil(low)), min(digits.graded, floor(high)) + 1)
    if len(fitting) != 1:
        said = f"{len(fitting)} counts" if fitting else "no count"
        raise Error(f"{digits}: {said} of right answers in {digits.graded} can be printed so")
    return fitting[0]


def reconstruct(rows: Iterable[Digits]) -> dict[str, str]:
    """File name → text of a log in the layout of DynTS, one for each printed number.

    The count of right answers is the printed one. *Which* answers are right is made up: the
    answers are put in the order of a digest of file name, problem and answer, and the first ones
    are right. No per-problem pattern may be read from these logs, nor pass@k for k > 1, nor a
    standard error. The order is scrambled, and differently in each file, because an even or a
    common one would let differences between cells look certain that are not.

    Raises:
        Error: no count, or more than one, gives the printed number.
    """
    return dict(_log(digits) for digits in rows)


def _log(digits: Digits) -> tuple[str, str]:
    run = f"{digits.model}_{digits.benchmark}_N{digits.samples}-R{digits.ratio}"
    name = f"{run}-KW{digits.local_window}-PKVL{PRUNED_AT}.jsonl"
    answers = [(q, a) for q in range(digits.problems) for a in range(digits.samples)]
    scrambled = sorted(answers, key=lambda at: blake3(f"{name}:{at[0]}:{at[1]}".encode()).digest())
    solved = set(scrambled[: right(digits)])
    return name, "".join(_line(q, a, score=(q, a) in solved) for q, a in answers)


def _line(question: int, answer: int, *, score: bool) -> str:
    record = {"question_id": question, "answer_id": answer, **UNKNOWN, "score": score}
    record |= {"num_decode_tokens": None, "reconstructed": True}
    return msgspec.json.encode(record).decode() + "\n"
