"""`encoding.color` as a list: panels for each metric, in one grid and one figure."""

import math
from collections import defaultdict
from functools import cache
from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap.entry import Entry
from heatproof.util.errors import Error
from support.heatmaps import panels
from support.tasks import entry, samples, sweep

WORDS = ("pass@1", "pass@2", "mean(tokens)", "median(tokens)", "p95(tokens)", "count")
KIND = api.kind("heatmap")
DIRECTIONS: tuple[dict[str, Any], ...] = ({}, {"row": "task"}, {"column": "task"})


@cache
def rows() -> tuple[dict[str, Any], ...]:
    """Models a, b and c on three tasks; c has one try of some of t2, and no tokens on t3."""
    lost = {"tokens": None}
    every = (
        row | (lost if (row["model"], row["task"]) == ("c", "t3") else {})
        for row in sweep("abc")
        if (row["model"], row["task"], row["epoch"]) != ("c", "t2", 1) or row["sample_id"] < "15"
    )
    return (*every,)


@cache
def table() -> pl.LazyFrame:
    return samples(rows())


def figure(*words: str, **keys: Any) -> Entry:
    x = "b" if {"row", "column"} & {*keys} else "task"
    return entry(x, "model", [*words], **keys)  # type: ignore[arg-type]  # as config.yaml may say


def grid(*words: str, **keys: Any) -> pl.DataFrame:
    return grids.aggregate(table(), figure(*words, **keys))


def counted(word: str, records: list[dict[str, Any]]) -> float | None:
    """A metric of the records of a cell, by plain loops."""
    of = "tokens" if "tokens" in word else "score"
    problems = defaultdict(list)
    for row in records:
        if row[of] is not None:
            problems[row["sample_id"]].append(row[of])
    if word == "count":
        return float(sum(map(len, problems.values())))
    if word.startswith("pass@"):
        k = int(word[5:])
        shares = [
            1 - math.comb(len(tries) - int(sum(tries)), k) / math.comb(len(tries), k)
            for tries in problems.values()
            if len(tries) >= k
        ]
        return sum(shares) / len(shares) if shares else None
    means = sorted(sum(values) / len(values) for values in problems.values())
    if not means:
        return None
    if word.startswith("mean"):
        return sum(means) / len(means)
    at = (len(means) - 1) * (0.5 if word.startswith("median") else 0.95)
    low = int(at)
    return means[low] + (at - low) * (means[min(low + 1, len(means) - 1)] - means[low])


@pytest.mark.parametrize("keys", DIRECTIONS)
def test_each_number_is_that_of_plain_loops(keys: dict[str, Any]) -> None:
    """Every cell of every metric, in whichever direction its panels lie."""
    cells = grid(*WORDS, **keys)
    assert len(cells) == len(WORDS) * 9
    for cell in cells.iter_rows(named=True):
        task = cell["task"] if keys else cell["x"]
        own = [row for row in rows() if (row["model"], row["task"]) == (cell["y"], task)]
        value = counted(cell["metric"], own)
        assert (cell["value"] is None) == (value is None) == (cell["gap"] is not None)
        assert value is None or cell["value"] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("word", WORDS)
def test_panels_of_a_metric_are_those_of_its_own_figure(word: str) -> None:
    """Values, uncertainty, marks: all but the numbers of the sets that are compared."""
    every, alone = grid(*WORDS), grids.aggregate(table(), entry("task", "model", word))
    names = [name for name in alone.columns if name != "peers"]
    assert every.filter(metric=word).select(names).equals(alone.select(names), null_equal=True)
    sets = (part["peers"].rank("dense").to_list() for part in (every.filter(metric=word), alone))
    assert next(sets) == next(sets)


def test_no_cell_is_compared_with_one_of_another_metric() -> None:
    """Each set of peers is of one metric, and of each the best is marked."""
    cells = grid(*WORDS)
    assert cells.group_by("peers").agg(pl.col("metric").n_unique()).filter(
        pl.col("peers").is_not_null(), pl.col("metric") > 1
    ).is_empty()  # fmt: skip
    assert {*cells.filter("best")["metric"]} == {*WORDS}


def test_all_metrics_are_sorted_by_the_first() -> None:
    """`sort: value` gives axes that all panels share."""
    keys = {"sort": {"model": "value", "task": "-value"}}
    cells = grid("pass@1", "mean(tokens)", **keys)
    alone = grids.aggregate(table(), entry("task", "model", "pass@1", **keys))
    for word in ("pass@1", "mean(tokens)"):
        assert cells.filter(metric=word).select("x", "y").equals(alone.select("x", "y"))


@pytest.mark.parametrize("keys", DIRECTIONS)
def test_every_metric_is_counted_once_more(keys: dict[str, Any]) -> None:
    """One changed value is one cell that does not agree, and it is named."""
    own, cells = figure(*WORDS, **keys), grid(*WORDS, **keys)
    assert all(agrees for *_, agrees in KIND.recounted(table(), cells, own))
    number = cells["metric"].to_list().index("median(tokens)")
    values = cells["value"].to_list()
    values[number] += 1
    wrong = cells.with_columns(pl.Series("value", values))
    names = [name for name, *_, agrees in KIND.recounted(table(), wrong, own) if not agrees]
    assert len(names) == 1
    assert names[0].startswith("metric=median(tokens), ")


@pytest.mark.parametrize("word", WORDS)
def test_a_cell_is_traced_by_its_metric(word: str) -> None:
    """With the records of that metric, and the name by which it is asked for once more."""
    own, cells = figure(*WORDS), grid(*WORDS)
    cell = {"metric": word, "task": "t1", "model": "a"}
    behind = KIND.behind(table(), cells, own, cell)
    assert (behind.cell, behind.metric, behind.agrees) == (cell, word, True)
    inside = cells.filter(metric=word, x="t1", y="a")
    assert [behind.value] == inside["value"].to_list() == [pytest.approx(behind.counted)]
    assert [sum(len(part.records) for part in behind.parts)] == inside["epochs"].to_list()
    assert KIND.columns(own, cells) == ["metric", "x", "y"]


def test_a_cell_without_its_metric_is_asked_for_it() -> None:
    """There are as many cells of that name as metrics."""
    cell = {"task": "t1", "model": "a"}
    with pytest.raises(Error, match=r"--cell: which metric\?"):
        KIND.behind(table(), grid(*WORDS), figure(*WORDS), cell)


def test_lines_behind_a_cell_are_those_with_its_number() -> None:
    """Of c there are no tokens on t3, and its scores are there."""
    own, cells = figure("pass@1", "mean(tokens)"), grid("pass@1", "mean(tokens)")
    logs = [cell["logs"] for cell in KIND.records([table()], own, cells)["cells"]]
    lost = cells.with_row_index("n").filter(x="t3", y="c").select("metric", "n").rows()
    assert {word: bool(logs[n]) for word, n in lost} == {"pass@1": True, "mean(tokens)": False}


def values(chart: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [chart["datasets"][panel["data"]["name"]] for panel in panels(chart)]


def domains(chart: dict[str, Any]) -> list[tuple[float, float]]:
    """Ends of the colours of each panel."""
    scales = (
        layer["encoding"]["color"]["scale"]["domain"]
        for panel in panels(chart)
        for layer in panel["layer"]
        if "color" in layer.get("encoding", {})
    )
    return [(scale[0], scale[-1]) for scale in scales]


APART = {"metric", "panel", "peers"}
"""What a cell has otherwise where there are panels of several metrics."""


@pytest.mark.parametrize(
    ("x", "keys"),
    [
        ("task", {}),
        ("task", {"where": {"task": "t1"}}),
        ("task", {"uncertainty": "none", "where": {"task": ["t1", "t2"]}}),
        ("b", {"mean_over": "task"}),
    ],
)
@pytest.mark.parametrize("word", WORDS)
def test_a_panel_is_drawn_and_told_as_in_its_own_figure(
    word: str, x: str, keys: dict[str, Any]
) -> None:
    """Cells, colours, marks, facts, flags, values of tasks, verdict, and what is incomplete."""
    best, form = {"mean(tokens)": "lowest", "count": "none"}, {"median(tokens)": ".3f"}
    own: Any = (best.get(word, "highest"), form.get(word))
    several = entry(x, "model", [*WORDS], best=best, format=form, **keys)  # type: ignore[arg-type]
    single = entry(x, "model", word, best=own[0], format=own[1], **keys)
    cells, told = [], []
    for figure_, at in ((several, WORDS.index(word)), (single, 0)):
        numbers = grids.aggregate(table(), figure_)
        chart = KIND.draw(numbers, figure_).to_dict()
        rows_ = [{k: v for k, v in row.items() if k not in APART} for row in values(chart)[at]]
        story = KIND.story(KIND.records([table()], figure_, numbers), figure_, numbers)
        part = slice(at * len(rows_), (at + 1) * len(rows_))
        of_panel = str(story["cells"][part]).replace(" of its panel", "")  # one alone is not named
        cells.append((rows_, domains(chart)[at], of_panel))
        told.append(KIND.table(numbers, figure_))
    assert cells[0] == cells[1]
    title = told[0].rows[WORDS.index(word) * len(cells[0][0])].cells[0]
    details = {text.casefold() for text in told[1].details}
    verdict = [text for text in told[0].details if text.startswith(f"For {title}: ")]
    assert all(text.removeprefix(f"For {title}: ").casefold() in details for text in verdict)
    gaps = [text for text in told[0].incomplete if text.startswith(f"Metric {title}, ")]
    assert [text.removeprefix(f"Metric {title}, ") for text in gaps] == [*told[1].incomplete]


def test_an_order_by_value_asks_for_no_value_of_another_metric() -> None:
    """Of c there are no tokens on t3, so that these have no likeness: that of scores will do."""
    cells = grid("pass@1", "mean(tokens)", sort={"model": "similarity"})
    assert cells["x"].n_unique() == 3
    with pytest.raises(Error, match=r"figures.f.sort.model: 'similarity'"):
        grid("mean(tokens)", "pass@1", sort={"model": "similarity"})


def test_what_is_not_judged_is_told_of_its_metric() -> None:
    """Tokens have no bounds, and shares have."""
    remarks = KIND.table(grid("pass@1", "mean(tokens)"), figure("pass@1", "mean(tokens)")).details
    assert "Not judged: values have no bounds (Mean tokens)" in remarks


def test_values_in_the_unit_of_logs_stand_beside_others() -> None:
    """A score of 1 to 10 is shown as such, and the tokens beside it as they are."""
    own = figure("mean(score)", "mean(tokens)", ranges={"score": [1.0, 10.0]})
    cells = grids.aggregate(table(), own)
    first = pl.read_csv(KIND.csv(cells, own).encode())
    score, tokens = (
        (part["value"].to_list(), cells.filter(metric=word)["value"].to_list())
        for (word,), part in first.group_by("metric", maintain_order=True)
    )
    assert score[0] == pytest.approx([1 + 9 * value for value in score[1]])
    assert tokens[0] == pytest.approx(tokens[1])
    assert "Mean score (1–10)" in KIND.draw(cells, own).to_dict()["description"]


def test_colours_are_not_shared_by_scores_in_another_unit() -> None:
    """The range of a source says so: pass@1 counts right answers, the mean is of 1 to 10."""
    own = figure("pass@1", "mean(score)", scale="shared")
    assert not own.mistakes()
    (wrong,) = own.misranged({"score": [1.0, 10.0]})
    assert wrong.place == ".scale"


def test_a_notebook_takes_a_list_and_its_grid() -> None:
    """`hp.grid` has a column `metric`, and `hp.heatmap` draws it again."""
    keys: dict[str, Any] = {"x": "task", "y": "model", "metric": ["pass@1", "mean(tokens)"]}
    data = table().drop_nulls("tokens").collect()
    numbers = hp.grid(data, **keys)
    assert numbers["metric"].unique(maintain_order=True).to_list() == keys["metric"]
    first, again = (hp.heatmap(rows, **keys) for rows in (data, numbers))
    assert first.to_dict()["datasets"] == again.to_dict()["datasets"]
