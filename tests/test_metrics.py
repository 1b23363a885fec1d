"""Metrics: each row of their table, from the samples to the figure and back."""

import math
import random
import statistics
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof.kinds import api, heatmap, states, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap.reasons import gap_words
from heatproof.metrics import TABLE, metric
from heatproof.samples import counts
from heatproof.util.errors import Error
from support.data import cases
from support.naive import entry, sweep, table

CASES = cases(__file__)

OF_PROBLEMS = {
    "median(tokens)": statistics.median,
    "p50(tokens)": statistics.median,
    "p95(tokens)": lambda values: quantile(values, 95),
    "p1(tokens)": lambda values: quantile(values, 1),
    "min(tokens)": min,
    "max(tokens)": max,
    "std(tokens)": lambda values: statistics.stdev(values) if len(values) > 1 else None,
    "std(score)": lambda values: statistics.stdev(values) if len(values) > 1 else None,
    "median(score)": statistics.median,
}
OF_SAMPLES = {"sum(tokens)": sum, "sum(score)": sum, "count": len, "count(tokens)": len}


def quantile(values, percent):
    """As the standard library has it."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def by_hand(rows, word):
    """The value of one task."""
    of = metric(word).of
    there = [row for row in rows if row[of] is not None]
    if word in OF_SAMPLES:
        return OF_SAMPLES[word]([row[of] for row in there]) if there else None
    there.sort(key=lambda row: row["sample_id"])
    problems = groupby(there, key=lambda row: row["sample_id"])
    means = [statistics.fmean(row[of] for row in those) for _, those in problems]
    return OF_PROBLEMS[word](means) if means else None


@pytest.mark.parametrize("even", [False, True], ids=["broken", "complete"])
@pytest.mark.parametrize("word", [*OF_PROBLEMS, *OF_SAMPLES])
def test_a_cell_is_what_its_records_give(word, even):
    """By task and as mean over tasks, of counts as of rows, and counted anew."""
    rows = sweep(5, even=even)
    samples = table(rows)
    partial = [counts.count(samples.collect()).lazy()]
    for one in (entry(panel="task", color=word, where={"model": "a"}), entry(panel="model", color=word, mean_over="task")):  # fmt: skip
        grid = grids.aggregate(samples, one)
        assert grids.aggregate(samples.clear(), one, partial).equals(grid)
        every = {row["task"] for row in rows}
        for cell in grid.iter_rows(named=True):
            at = {one.panel: cell[one.panel], "ratio": cell["x"], "window": cell["y"], **one.where}
            mine = [row for row in rows if all(row[k] == v for k, v in at.items())]
            tasks = {at["task"]} if "task" in at else every
            told = [by_hand([r for r in mine if r["task"] == task], word) for task in tasks]
            value = None if None in told else pytest.approx(statistics.fmean(told))
            assert cell["value"] == value, at
            assert cell["se"] is cell["low"] is cell["high"] is cell["tied"] is None
            assert (cell["gap"] is None) == (value is not None)
        assert all(agrees for *_, agrees in trace.recounted(samples, grid, one))


@pytest.mark.parametrize("word", [*OF_PROBLEMS, *OF_SAMPLES])
def test_a_task_of_forty_problems(word):
    """What a few problems do not tell from a mean or an end: 40 of them, of one to three samples."""
    chance = random.Random(word)
    problems = [
        [Fraction(chance.randint(0, 10**4), 100) for _ in range(chance.randint(1, 3))]
        for _ in range(40)
    ]
    samples = [float(number) for problem in problems for number in problem]
    means = [statistics.fmean(map(float, problem)) for problem in problems]
    told = OF_SAMPLES[word](samples) if word in OF_SAMPLES else OF_PROBLEMS[word](means)
    count = np.array([len(problem) for problem in problems])
    total = np.array([float(sum(problem)) for problem in problems])
    assert metric(word).value(count, total) == (pytest.approx(told), 40)
    assert metric(word).exact(problems) == (pytest.approx(told), 40)


@pytest.mark.parametrize("word", ["median(tokens)", "sum(tokens)", "p95(tokens)", "count"])
def test_a_wrong_value_is_found(word):
    """The recount of verify, by another number of the row of the metric."""
    one, samples = entry(panel="task", color=word, where={"model": "a"}), table(sweep(1, even=True))
    grid = grids.aggregate(samples, one).with_columns(value=pl.col("value") + 0.001)
    assert not any(agrees for *_, agrees in trace.recounted(samples, grid, one))


def test_one_problem_has_no_standard_deviation():
    """The cell says so, and so does its trace."""
    rows = [row for row in sweep(1, even=True) if row["model"] == "a" and row["task"] == "t1"]
    rows = [row for row in rows if row["ratio"] > 0.1 or row["sample_id"] == "p0"]
    one, samples = entry(color="std(tokens)"), table(rows)
    grid = grids.aggregate(samples, one)
    (gap,) = {gap_words(row, one.question) for row in grid.to_dicts() if row["x"] == 0.1}
    assert gap == "no value, fewer than 2 problems"
    found = trace.behind(samples, grid, one, {"ratio": "0.1", "window": "5"})
    assert found.gap == gap
    assert found.agrees


def test_cells_of_other_problems_have_no_best():
    """Only means can be compared on equal problems."""
    rows = [row for row in sweep(1, even=True) if row["model"] == "a" and row["task"] == "t1"]
    rows = [row for row in rows if row["ratio"] > 0.1 or row["sample_id"] != "p0"]
    grid = grids.aggregate(table(rows), entry(color="median(tokens)"))
    assert not grid["best"].any()
    (why,) = {*grid["unjudged"]}
    assert why == states.UNEVEN
    assert "not judged:" in str(
        api.kind("heatmap").draw(grid, entry(color="median(tokens)")).to_dict()
    )


def test_what_is_known_of_means_alone_is_refused():
    """Errors, means over settings, and problems of which printed digits tell nothing."""
    one = entry(color="median(tokens)", mean_over="ratio", uncertainty="se", x="model")
    errors, over = (mistake.sentence for mistake in one.mistakes())
    assert errors == ".uncertainty: 'se' needs a mean, but median(tokens) is not one: remove it"
    assert over == (
        ".mean_over: 'ratio': median(tokens) can only be averaged over tasks; choose one value under "
        "where, or list 'ratio' under pool"
    )
    made_up = table(sweep(1, even=True)).with_columns(reconstructed=pl.lit(value=True))
    one = entry(panel="task", color="max(score)", where={"model": "a"})
    with pytest.raises(
        Error, match=r"max\(score\) needs the number of each problem, .* mean\(score\)"
    ):
        grids.aggregate(made_up, one)


@pytest.mark.parametrize(
    ("word", "label", "percent"),
    CASES["words of metrics"],
)
def test_words_of_metrics(word, label, percent):
    """Each row of the table has a label and a unit; blanks in words do not count."""
    what = metric(word)
    assert what.label(what.of.replace("_", " ")) == label
    assert what.is_share == percent
    spaced = f" {word.replace('(', ' (')} "
    assert metric(spaced) == replace(what, word=spaced)
    asked = {"x": "ratio", "y": "window", "color": word}
    given = {"name": "f", "kind": "heatmap", "source": "s", "encoding": asked}
    assert msgspec.convert(given, heatmap.Entry).question.shows_percent == percent


@pytest.mark.parametrize(("word", "value"), [("pass@2", (17, 18)), ("pass^2", (1, 6))])
def test_passes_by_hand(word, value):
    """2 of 3, 2 of 4 (a bit is lost on the way), 1 of 2; one sample is too few to draw two of."""
    what, lost = metric(word), math.nextafter(2, 0)
    found, problems = what.value(np.array([3, 1, 4, 2]), np.array([lost, 1.0, 2.0, 1.0]))
    assert (found, problems) == (pytest.approx(Fraction(*value)), 3)
    samples = [[Fraction(n) for n in one] for one in ([1, 1, 0], [0, 1, 0, 1], [1, 0])]
    assert what.exact(samples) == (Fraction(*value), 3)


def test_each_row_of_the_table_is_tried_here():
    """None of them is without a test."""
    words = [*OF_PROBLEMS, *OF_SAMPLES, "pass@1", "pass^3", "mean(tokens)"]
    words += ["accuracy"]  # by hand, below
    words += ["maj@3", "cons@3"]  # in test_votes
    words += ["printed(acc)"]  # in test_aggregates
    words += ["share"]  # in test_shares
    assert {metric(word).pattern for word in words} == {row.pattern for row in TABLE}


def test_accuracy_is_pass_at_1() -> None:
    """Another word for it, with a name of its own."""
    count, total = np.array([3, 1, 4]), np.array([2.0, 1.0, 1.0])
    assert metric("accuracy").value(count, total) == metric("pass@1").value(count, total)
    samples = [[Fraction(1), Fraction(0), Fraction(1)], [Fraction(1)]]
    assert metric("accuracy").exact(samples) == (Fraction(5, 6), 2)
