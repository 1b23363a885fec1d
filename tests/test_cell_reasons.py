"""Why cells of heatmaps have no value, and what heatmaps refuse to draw of samples."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import reasons
from heatproof.metrics import metric
from heatproof.samples import selection
from heatproof.util.errors import Error
from support.cells import color, entry, epochs, samples

FIG = "config.yaml: figures.fig"


def said(call: Any, *args: Any, **keys: Any) -> str:
    """The message of an error."""
    with pytest.raises(Error) as refused:
        call(*args, **keys)
    return str(refused.value)


def test_families_are_told_by_a_pattern() -> None:
    """Its group, or where it does not match, the problem itself."""
    rows = pl.DataFrame({"sample_id": ["1-a", "1-b", "x"]})
    assert rows.select(selection.family(r"^(\d)-")).to_series().to_list() == ["1", "1", "x"]
    assert rows.select(selection.family(None)).to_series().to_list() == ["1-a", "1-b", "x"]


LACKS = [
    (["s"], [[1]], "pass@1", "incomplete: no value, no score"),
    (["s"], [[1]], "mean(tokens)", "incomplete: no value, no tokens"),
    ([*"abcd"], [[0], [0], [0], [1]], "pass@1", "incomplete: no value, tasks a, b, c missing; no score in task d"),
    ([*"abcde"], [[0], [0], [0], [0], [1]], "pass@1", "incomplete: no value, tasks a, b, c and 1 more missing; no score in task e"),
    ([*"abcdef"], [[1], [0], [0], [0], [0], [0]], "pass@1", "incomplete: no value, tasks b, c, d and 2 more missing; no score in task a"),
    (["a", "b"], [[0], [0]], "pass@1", "no data"),
    (["a", "b"], [[1], [1]], "pass@1", "incomplete: no value, no score in tasks a, b"),
    ([*"abF"], [[1], [0], [0]], "pass@1", "incomplete: no value, task b missing; run of task F failed or unfinished; no score in task a"),
    ([*"aFG"], [[1], [0], [0]], "pass@1", "incomplete: no value, run of tasks F, G failed or unfinished; no score in task a"),
]  # fmt: skip


@pytest.mark.parametrize(("tasks", "records", "word", "wanted"), LACKS)
def test_why_a_cell_has_no_value(tasks: Any, records: Any, word: str, wanted: str) -> None:
    """Of several tasks, those that lack something, three by name; in capitals, runs that failed."""
    import numpy as np

    panel: Any = SimpleNamespace(
        tasks=tasks, records=np.array(records, bool), cells=[0], task=np.zeros(0, int),
        count=np.zeros((0, 1), int), failed=np.array([[task.isupper()] for task in tasks]),
        uneven=np.zeros((len(tasks), 1), bool), over="",
    )  # fmt: skip
    assert reasons.gap_words(panel, metric(word), np.zeros((len(tasks), 1), bool)) == [wanted]


def test_pass_of_more_samples_than_there_are() -> None:
    """The message tells the most that there is."""
    rows = epochs("a", 1, 0) + epochs("b", 1)
    assert said(grids.aggregate, samples(rows), entry(encoding=color("pass@3"))) == (
        f"{FIG}.encoding.color: pass@3 needs 3 samples of a problem, "
        "and no cell has more than 2; there is pass@2"
    )
    grids.aggregate(samples(rows), entry(encoding=color("pass@2")))


def test_a_figure_without_a_value() -> None:
    """The first cell with records says why, and the way out is told."""
    rows = epochs("a", 1, task="s", ratio=0.2) + epochs("a", 1, task="t", ratio=0.1)
    figure = entry(panel="model", mean_over="task")
    assert said(grids.aggregate, samples(rows), figure) == (
        f"{FIG}: no cell has a value, so there is nothing to draw. model=m, window=500, ratio=0.1: "
        "incomplete: no value, task s missing. A cell is the mean over its tasks: choose those "
        "that all cells have under where.task, or put task on panel, x or y"
    )


@pytest.mark.parametrize("less", ["fewer epochs", "no epoch"])
def test_means_over_uneven_parts(less: str) -> None:
    """A problem that one part holds less often would weigh the parts unequally."""
    rows = epochs("a", 1, 0, ratio=0.1) + epochs("a", 1, 1, ratio=0.2)
    rows += epochs("b", 1, 0, ratio=0.1) + epochs(
        "b", *([1] if less == "fewer epochs" else []), ratio=0.2
    )
    given = {"encoding": {"x": "model", "y": "window", "color": "pass@1"}, "mean_over": "ratio"}
    assert said(grids.aggregate, samples(rows), entry(**given)) == (
        f"{FIG}: no cell has a value, so there is nothing to draw. task=t, window=500, model=m: "
        "incomplete: no value, the samples are not as many for each ratio. A cell is the mean over "
        "ratio (mean_over): choose under where what is complete, or list 'ratio' under pool, where "
        "each sample weighs the same"
    )
    even = samples(epochs("a", 1, 0, ratio=0.1) + epochs("a", 1, 1, ratio=0.2))
    assert grids.aggregate(even, entry(**given))["value"].to_list() == [0.75]


def test_the_first_cell_that_has_records_says_why_it_has_no_value() -> None:
    """One without any stands before it."""
    rows = epochs("a", 1, ratio=0.1, window=500) + epochs("a", 1, 0, ratio=0.2, window=100)
    rows = [row | {"score": None, "tokens": 1.0} for row in rows]
    rows += epochs("a", 1, ratio=0.2, window=500, task="s")
    with pytest.raises(
        Error, match=r"model=m, window=100, ratio=0.2: incomplete: no value, task s"
    ):
        grids.aggregate(samples(rows), entry(panel="model", mean_over="task"))


@pytest.mark.parametrize(
    ("rows", "keys", "message"),
    [
        (
            epochs("a", 1) + epochs("a", 1, task=None),
            {},
            (
                "panel: 1 samples have no 'task' (first in a.jsonl); leave them out under where, "
                "or give them one (default, in the source's params)"
            ),
        ),
        (
            epochs("a", 1) + epochs("b", 1, window=None),
            {},
            (
                "encoding.y: 1 samples have no 'window' (first in a.jsonl); leave them out under "
                "where, or give them one (default, in the source's params)"
            ),
        ),
        (epochs("a", 1), {"where": {"epoch": 3}}, "where.epoch: no sample has 3; there are 0"),
        (
            epochs("a", 1),
            {"encoding": color("mean(tokens)")},
            (
                "encoding.color: no sample has a number for 'tokens'; "
                "is its place in the record right? look at sources.runs"
            ),
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_with_its_key(rows: Any, keys: Any, message: str) -> None:
    """Where counts tell it, and where samples are looked at."""
    assert said(grids.aggregate, samples(rows), entry(**keys)) == f"{FIG}.{message}"


def test_sort_that_leaves_out_a_value() -> None:
    """The first one, and those that there are."""
    rows = epochs("a", 1) + epochs("a", 1, task="s")
    assert said(grids.aggregate, samples(rows), entry(sort={"task": ["s"]})) == (
        f"{FIG}.sort.task: leaves out 't'; there are s, t"
    )


def test_partial_scores_have_no_pass() -> None:
    """The record is named, and the metric that takes them."""
    assert said(grids.aggregate, samples(epochs("a", 1, 0.5)), entry()) == (
        f"{FIG}.encoding.color: pass@1 needs scores of 0 or 1, "
        "but a.jsonl:1 has 0.5; there is mean(score)"
    )


WORDS = {
    "pass@0": "", "pass@": "; k is a number: pass@1", "p0(tokens)": "", "p100(tokens)": "",
    "mean": " (did you mean 'mean(score)'?)", "median": " (did you mean 'median(score)'?)",
    "accuracy": "; accuracy is pass@1, of aggregates: printed(accuracy)",
    "Exact_Match": "; Exact_Match is pass@1, of aggregates: printed(Exact_Match)",
    "pass_at_3": " (did you mean 'pass@3'?)",
    "tokens": "; of a column tokens: mean(tokens), of aggregates: printed(tokens)",
}  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_that_are_no_metric(word: str) -> None:
    """Those that there are, and what is probably meant."""
    assert said(metric, word) == (
        f"{word!r} is not a metric; there are pass@k, pass^k, maj@k, cons@k, mean(column), "
        "median(column), p95(column), min(column), max(column), std(column), sum(column), "
        "printed(column) and count "
        f"(k = 1, 2, …; any column of numbers){WORDS[word]}"
    )
