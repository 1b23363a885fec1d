"""Grids of heatmaps: nothing is mixed unasked, and why a cell has no value."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import gaps
from heatproof.metrics import TABLE, metric
from heatproof.samples import counts
from heatproof.util.errors import Error
from support.cells import entry, epochs, samples

REFUSED: list[tuple[list[dict[str, Any]], dict[str, Any], str]] = [
    (
        epochs("a", 1) + epochs("b", 1, model="n"),
        {},
        "would mix 2 values of 'model' in one cell ('m', 'n' at ",
    ),
    (epochs("a", 1), {"where": {"model": "x"}}, "where.model: no sample has 'x'; there are m"),
    (
        epochs("a", 1) + epochs("b", 1, model="n", window=300),
        {"where": {"window": 500, "model": "n"}},
        "where.model: no sample has 'n' beside window=500; there are m",
    ),
    (epochs("a", 1, ratio=None), {}, "encoding.x: 1 samples have no 'ratio'"),
    (epochs("a", 1) + epochs("a", 1, log="b.jsonl", run="b"), {}, "hold the same sample"),
    (
        epochs("a", 1),
        {"color": "mean(tokens)"},
        "encoding.color: no sample has a number for 'tokens'; is its place in the record right?",
    ),
    (
        epochs("a", 1, 0) + epochs("b", 1),
        {"color": "pass@3"},
        "pass@3 needs 3 samples of a problem, but no cell has more than 2; write pass@2",
    ),
    (
        epochs("a", 1, 0.5),
        {},
        "pass@1 needs scores of 0 or 1, but a.jsonl:1 has 0.5 on the scale from 0 to 1; write",
    ),
    (
        epochs("a", 1, task="s", ratio=0.2) + epochs("a", 1, task="t", ratio=0.1),
        {"panel": "model", "mean_over": "task"},
        "model=m, window=500, ratio=0.1: no value, task s missing. A cell is the mean",
    ),
]


@pytest.mark.parametrize(("rows", "keys", "message"), REFUSED)
def test_what_would_be_guessed_is_refused(
    rows: list[dict[str, Any]], keys: dict[str, Any], message: str
) -> None:
    """Mixed settings, unknown values, samples on no cell, samples twice, metrics that they lack."""
    with pytest.raises(Error, match=r"config.yaml: figures.fig") as caught:
        grids.aggregate(samples(rows), entry(**keys))
    assert message in str(caught.value)


@pytest.mark.parametrize("counted", [False, True])
def test_cells_may_differ_in_settings_that_are_not_named(counted: bool) -> None:
    """Each task with a scorer of its own mixes nothing, nor does a setting that follows an axis."""
    rows = epochs("a", 1, task="s", scorer="exact") + epochs("b", 0, task="t", scorer="f1")
    frame = samples(rows).collect()
    partial = [counts.count(frame).lazy()] if counted else None
    grid = grids.aggregate(frame.lazy(), entry(), partial)
    assert grid["value"].to_list() == [1, 0]
    mixed = samples(rows + epochs("c", 1, task="t", scorer="exact")).collect()
    partial = [counts.count(mixed).lazy()] if counted else None
    said = r"2 values of 'scorer' in one cell \('exact', 'f1' at task=t, window=\d+, ratio=[\d.]+\)"
    with pytest.raises(Error, match=said):
        grids.aggregate(mixed.lazy(), entry(), partial)


LACKS = [
    (["s"], [[1]], "pass@1", "no value, no score"),
    (["s"], [[1]], "mean(tokens)", "no value, no tokens"),
    ([*"abcd"], [[0], [0], [0], [1]], "pass@1", "no value, tasks a, b, c missing; no score in task d"),
    ([*"abcdef"], [[1], [0], [0], [0], [0], [0]], "pass@1", "no value, tasks b, c, d and 2 more missing; no score in task a"),
    (["a", "b"], [[0], [0]], "pass@1", "no data"),
    (["a", "b"], [[1], [1]], "pass@1", "no value, no score in tasks a, b"),
    ([*"abF"], [[1], [0], [0]], "pass@1", "no value, task b missing; run of task F failed or unfinished; no score in task a"),
    ([*"aFG"], [[1], [0], [0]], "pass@1", "no value, run of tasks F, G failed or unfinished; no score in task a"),
]  # fmt: skip


@pytest.mark.parametrize(("tasks", "records", "word", "wanted"), LACKS)
def test_why_a_cell_has_no_value(tasks: Any, records: Any, word: str, wanted: str) -> None:
    """Of several tasks, those that lack something, three by name; in capitals, runs that failed."""
    panel: Any = SimpleNamespace(
        tasks=tasks, records=np.array(records, bool), cells=[0], task=np.zeros(0, int),
        count=np.zeros((0, 1), int), failed=np.array([[task.isupper()] for task in tasks]),
        unbalanced=np.zeros((len(tasks), 1), bool), over="",
    )  # fmt: skip
    (gap,) = gaps.find_gaps(panel, np.zeros((len(tasks), 1), bool))
    assert gap
    assert gap.words(metric(word), "") == wanted


WORDS = {
    "pass@0": "", "pass@": "; k is a number: pass@1", "p0(tokens)": "", "p100(tokens)": "",
    "acc": "; for acc, write pass@1, for aggregates printed(acc)",
    "acuracy": "; for acuracy, write pass@1, for aggregates printed(acuracy)",
    "Exact_Match": "; for Exact_Match, write pass@1, for aggregates printed(Exact_Match)",
    "tokens": "; for column tokens, write mean(tokens), for aggregates printed(tokens)",
}  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_that_are_no_metric(word: str) -> None:
    """Those that there are, and what is probably meant."""
    with pytest.raises(Error) as refused:
        metric(word)
    *words, last = (row.listed for row in TABLE)
    assert str(refused.value) == (
        f"{word!r} is not a metric; there are {', '.join(words)} and {last} "
        f"(k = 1, 2, …; any column of numbers){WORDS[word]}"
    )
