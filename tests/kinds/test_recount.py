"""The exact recount of `verify`: fractions by hand, and by definitions written apart from it."""

import random
from fractions import Fraction
from math import nextafter
from typing import Any

import polars as pl
import pytest

from heatproof.kinds import recount
from heatproof.kinds.recount import Count, same
from heatproof.metrics import metric
from support import defined

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ROWS = [
    *(("t", "a", score) for score in (1.0, 0.0, 1.0)),
    *(("t", "b", score) for score in (0.0, 1.0)),
    ("s", "a", 1.0),
    ("s", "b", 0.0),
    ("s", "b", 0.0),
]


def count(rows: list[Any], word: str, made_up: bool = False) -> dict[str, Count]:
    """Task → what records give: of (task, problem, score) each."""
    columns = {"task": pl.String, "sample_id": pl.String, "score": pl.Float64}
    frame = pl.DataFrame(rows, columns, orient="row")
    definition = recount.Definition(metric=metric(word), keys={}, where={})
    (counts,) = definition.counts(definition.problems(frame.with_columns(reconstructed=made_up)))
    return counts


@pytest.mark.parametrize(
    ("word", "made_up", "expected"),
    [
        ("pass@1", False, {"s": Count(HALF, 2, 3), "t": Count(Fraction(7, 12), 2, 5)}),
        ("mean(score)", True, {"s": Count(THIRD, 2, 3), "t": Count(Fraction(3, 5), 2, 5)}),
        ("pass@2", False, {"s": Count(Fraction(0), 1, 2), "t": Count(Fraction(1), 2, 5)}),
        ("pass@2", True, {"s": Count(Fraction(0), 1, 2), "t": Count(Fraction(3, 5), 2, 5)}),
        ("pass@3", False, {"s": Count(None, 0, 0), "t": Count(Fraction(1), 1, 3)}),
        ("pass^2", False, {"s": Count(Fraction(0), 1, 2), "t": Count(THIRD / 2, 2, 5)}),
    ],
)
def test_a_cell_by_hand(word: str, made_up: bool, expected: dict[str, Count]) -> None:
    """Mean over problems, or over all samples together; what has too few samples is left out."""
    assert [*count(ROWS, word, made_up).items()] == [*expected.items()]


@pytest.mark.parametrize("word", ["mean(score)", "pass@1", "pass@2", "pass@4"])
def test_a_cell_from_its_definition(word: str) -> None:
    """The same for problems with one to six samples."""
    draw, k = random.Random(5), int(word[5:]) if word[4] == "@" else 1
    scores = [[float(draw.random() < 0.6) for _ in range(1 + n % 6)] for n in range(18)]
    rows = [("t", str(n), one) for n, those in enumerate(scores) for one in those]
    draw.shuffle(rows)
    sizes = [[len(one) if len(one) >= k else 0] for one in scores]
    points = defined.passed([[int(sum(one))] for one in scores], [[len(one)] for one in scores], k)
    expected = defined.column(points, 0, sizes)
    counts = count(rows, word)["t"]
    assert (float(counts.value or 0), *counts[1:]) == (
        expected.value,
        expected.problems,
        expected.epochs,
    )


def test_the_mean_over_tasks_by_hand() -> None:
    """Each weighs the same; where one has no value, there is none, and no task is no value."""
    tasks = {"a": Count(HALF, 2, 3), "b": Count(THIRD, 10, 50)}
    assert recount.mean(tasks, tasks) == Count(Fraction(5, 12), 12, 53)
    assert recount.mean(tasks, [*tasks, "c"]) == Count(None, 12, 53)
    more = tasks | {"c": Count(None, 1, 2)}
    assert recount.mean(more, more) == Count(None, 13, 55)
    assert recount.mean({}, []) == Count(None, 0, 0)


@pytest.mark.parametrize(
    ("value", "counted", "agree"),
    [
        (None, None, True),
        (0.0, None, False),
        (None, Fraction(0), False),
        (1 / 3, THIRD, True),
        (1 / 3 + 2e-9, THIRD, False),
        (1 / 3 + 0.9e-9, THIRD, True),
        (2e6 + 3e-3, Fraction(2_000_000), False),
        (recount.CLOSE, Fraction(0), True),
        (nextafter(recount.CLOSE, 1), Fraction(0), False),
    ],
)
def test_values_are_the_same_but_for_rounding(
    value: float | None, counted: Fraction | None, agree: bool
) -> None:
    """Within a billionth of the value, or of one where it is smaller."""
    assert same(value, counted) is agree
