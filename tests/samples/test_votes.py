"""maj@k and cons@k: votes on the answers of samples, from the logs to the figure and back."""

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.kinds import trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import report
from heatproof.kinds.heatmap.reasons import gap_words
from heatproof.samples import counts
from heatproof.util.errors import Error
from support.naive import entry
from support.samples import table as samples_table

WORDS = "abcd"


def table(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    """Samples of one model and task, each with `sample_id`, `epoch`, `score` and `answer`."""
    return samples_table(rows, measures=(), answers=True, ratio=0.1, window=5)


def problem(name: str, said: list[tuple[str | None, float]], **more: Any) -> list[dict[str, Any]]:
    """The samples of a problem: answers and scores."""
    return [
        {"sample_id": name, "epoch": n, "answer": answer, "score": score, **more}
        for n, (answer, score) in enumerate(said)
    ]


def by_hand(said: list[tuple[str | None, float]], k: int) -> Fraction:
    """The mean over all choices of k samples, each voted on; of equal counts the mean."""
    scores: dict[str, list[Fraction]] = {}
    for answer, score in said:
        scores.setdefault(answer or "", []).append(Fraction(score))
    worth = {answer: sum(those, Fraction(0)) / len(those) for answer, those in scores.items()}
    values = []
    for chosen in combinations([answer or "" for answer, _ in said], k):
        named = [answer for answer in chosen if answer]
        most = max(map(named.count, named), default=0)
        first = {answer for answer in named if named.count(answer) == most} or {""}
        values.append(sum((worth[answer] for answer in first), Fraction(0)) / len(first))
    return sum(values, Fraction(0)) / len(values)


def value_of(said: list[tuple[str | None, float]], k: int) -> tuple[float, float]:
    """Of a figure with one problem: as its grid has it, and as it is counted anew."""
    samples, one = table(problem("p", said)), entry(color=f"maj@{k}")
    grid = grids.aggregate(samples, one)
    ((_, _, counted, agrees),) = trace.recounted(samples, grid, one)
    assert agrees
    assert counted is not None
    return grid["value"][0], counted


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=7
    ),
    st.lists(st.sampled_from([None, ""]), max_size=3),
    st.data(),
)
def test_a_vote_is_the_mean_over_all_choices(said, blank, data):
    """As grid and recount have it, each by its own formula: ties, missing answers, any scores."""
    said = [*said, *((one, 0.0) for one in blank)]
    k = data.draw(st.integers(1, len(said)))
    assert value_of(said, k) == pytest.approx((float(by_hand(said, k)),) * 2, abs=1e-12)


def sweep() -> list[dict[str, Any]]:
    """Two tasks, four cells, some answers missing, epochs uneven."""
    draws, rows = random.Random(4), []
    for task in ("t", "u"):
        for ratio in (0.1, 0.2):
            for window in (5, 10):
                for name in range(6):
                    epochs = 4 if draws.random() < 0.8 else 2
                    said = [draws.choice(["r", "r", "w", "v", ""]) for _ in range(epochs)]
                    at = {"task": task, "ratio": ratio, "window": window}
                    at["run"] = f"{task}{ratio}{window}"
                    rows += problem(f"p{name}", [(a, float(a == "r")) for a in said], **at)
    return rows


@pytest.mark.parametrize("word", ["maj@3", "cons@3"])
def test_a_cell_is_the_mean_of_its_votes(word):
    """By task and over tasks, with problems of too few samples left out; told task by task."""
    rows, samples = sweep(), table(sweep())
    for one in (entry(panel="task", color=word), entry(color=word, mean_over="task")):
        grid = grids.aggregate(samples, one, [counts.count(samples.collect()).lazy()])
        for cell in grid.iter_rows(named=True):
            tasks = [cell["task"]] if "task" in cell else ["t", "u"]
            told = [of_task(rows, task, cell["x"], cell["y"]) for task in tasks]
            assert cell["value"] == pytest.approx(sum(sum(v) / len(v) for v, _ in told) / len(told))
            assert cell["samples"] == sum(len(values) for values, _ in told)
            assert cell["epochs"] == sum(epochs for _, epochs in told)
            assert 0 <= cell["low"] <= cell["value"] <= cell["high"] <= 1
            assert cell["se"] > 0
        assert grid["tied"].any()
        assert all(agrees for *_, agrees in trace.recounted(samples, grid, one))
    behind = report.records([samples], one, grid)
    for cell, value in zip(behind["cells"], grid["value"], strict=True):
        assert sum(part[1] for part in cell["parts"]) / 2 == pytest.approx(value)


def of_task(rows, task, ratio, window):
    """Votes of three on the problems of a task in a cell, and their samples."""
    mine = [r for r in rows if (r["task"], r["ratio"], r["window"]) == (task, ratio, window)]
    said = [
        [(r["answer"], r["score"]) for r in mine if r["sample_id"] == name]
        for name in sorted({r["sample_id"] for r in mine})
    ]
    enough = [one for one in said if len(one) >= 3]
    return [float(by_hand(one, 3)) for one in enough], sum(map(len, enough))


def test_a_run_without_answers_has_no_value():
    """Its log tells none: nobody voted, and the cell says so; nor has one with too few samples."""
    rows = problem("p", [("a", 1.0)] * 2)
    rows += problem("p", [(None, 1.0)] * 2, ratio=0.2, run="s")
    rows += problem("p", [("a", 1.0)], ratio=0.3, run="u")
    samples, one = table(rows), entry(color="maj@2")
    grid = grids.aggregate(samples, one)
    assert grid["value"].to_list() == [1.0, None, None]
    why = "no value, fewer than 2 samples of each problem, or no answer in any"
    assert [gap_words(row, one.question) for row in grid.iter_rows(named=True)] == ["", why, why]
    found = trace.behind(samples, grid, one, {"ratio": "0.2"})
    assert found.agrees
    assert "or no answer in any" in found.gap


def test_what_samples_cannot_give_is_refused():
    """More votes than samples; and printed digits, of which no answer is known."""
    samples = table(problem("p", [("a", 1.0)] * 2))
    with pytest.raises(Error, match=r"maj@3 needs 3 samples .* more than 2; write maj@2"):
        grids.aggregate(samples, entry(color="maj@3"))
    silent = samples.with_columns(answer=pl.lit(None, pl.String))
    with pytest.raises(Error, match=r"maj@2 is a vote .* but the samples shown have none"):
        grids.aggregate(silent, entry(color="maj@2"))
    made_up = samples.with_columns(reconstructed=pl.lit(value=True))
    with pytest.raises(Error, match=r"maj@2 needs the number of each problem"):
        grids.aggregate(made_up, entry(color="maj@2"))
