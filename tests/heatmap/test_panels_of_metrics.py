"""`encoding.color` as a list: panels for each metric, in one grid and one figure."""

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


@pytest.mark.parametrize("keys", DIRECTIONS)
def test_panels_of_a_metric_are_those_of_its_own_figure(keys: dict[str, Any]) -> None:
    """Values, uncertainty, marks, and which cells are compared: none with one of another metric."""
    cells, x = grid(*WORDS, **keys), "b" if keys else "task"
    for word in WORDS:
        own, alone = (
            cells.filter(metric=word),
            grids.aggregate(table(), entry(x, "model", word, **keys)),
        )
        names = [name for name in alone.columns if name != "peers"]
        assert own.select(names).equals(alone.select(names), null_equal=True)
        ranks = [part["peers"].rank("dense").to_list() for part in (own, alone)]
        assert ranks[0] == ranks[1]
    metrics_of_a_set = cells.drop_nulls("peers").group_by("peers").agg(pl.n_unique("metric"))
    assert {*metrics_of_a_set["metric"]} == {1}


def test_all_metrics_are_sorted_by_the_first() -> None:
    """`sort: value` gives axes that all panels share."""
    keys = {"sort": {"model": "value", "task": "-value"}}
    cells = grid("pass@1", "mean(tokens)", **keys)
    alone = grids.aggregate(table(), entry("task", "model", "pass@1", **keys))
    for word in ("pass@1", "mean(tokens)"):
        assert cells.filter(metric=word).select("x", "y").equals(alone.select("x", "y"))


def test_every_metric_is_counted_once_more() -> None:
    """One changed value is one cell that does not agree, and it is named."""
    own, cells = figure(*WORDS, row="task"), grid(*WORDS, row="task")
    assert all(agrees for *_, agrees in KIND.recounted(table(), cells, own))
    number = cells["metric"].to_list().index("median(tokens)")
    values = cells["value"].to_list()
    values[number] += 1
    wrong = cells.with_columns(pl.Series("value", values))
    names = [name for name, *_, agrees in KIND.recounted(table(), wrong, own) if not agrees]
    assert len(names) == 1
    assert names[0].startswith("metric=median(tokens), ")


@pytest.mark.parametrize("word", ["pass@2", "median(tokens)"])
def test_a_cell_is_traced_by_its_metric(word: str) -> None:
    """With the records of that metric, and the name by which it is asked for once more."""
    own, cells = figure(*WORDS), grid(*WORDS)
    cell = {"metric": word, "task": "t1", "model": "a"}
    behind = KIND.behind(table(), cells, own, cell)
    assert (behind.cell, behind.metric, behind.agrees) == (cell, word, True)
    inside = cells.filter(metric=word, x="t1", y="a")
    assert [behind.value] == inside["value"].to_list() == [pytest.approx(behind.counted)]
    assert [sum(len(part.records) for part in behind.parts)] == inside["epochs"].to_list()
    assert KIND.columns(own, cells) == {"metric": "metric", "task": "x", "model": "y"}


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
BEST: Any = {"mean(tokens)": "lowest", "count": "none"}
FORMAT: Any = {"median(tokens)": ".3f"}


def outputs(own: Entry) -> tuple[dict[str, Any], list[str], Any]:
    """Spec, what the page tells of each cell, and its table."""
    cells = grids.aggregate(table(), own)
    story = KIND.story(KIND.records([table()], own, cells), own, cells)
    of_cells = [f"{cell}".replace(" of its panel", "") for cell in story["cells"]]
    return KIND.draw(cells, own).to_dict(validate=False), of_cells, KIND.table(cells, own)


@pytest.mark.parametrize(
    ("x", "words", "keys"),
    [
        ("task", WORDS, {}),
        ("task", ["median(tokens)"], {"where": {"task": "t1"}}),
        ("task", ["mean(tokens)"], {"uncertainty": "none", "where": {"task": ["t1", "t2"]}}),
        ("b", ["pass@2"], {"mean_over": "task"}),
    ],
)
@pytest.mark.slow
def test_a_panel_is_drawn_and_described_as_in_its_own_figure(
    x: str, words: Any, keys: dict[str, Any]
) -> None:
    """Cells, colours, marks, facts, flags, values of tasks, verdict, and what is incomplete."""
    several = entry(x, "model", [*WORDS], best=BEST, format=FORMAT, **keys)  # type: ignore[arg-type]
    chart, facts, page = outputs(several)
    for word in words:
        best, form = BEST.get(word, "highest"), FORMAT.get(word)
        alone = outputs(entry(x, "model", word, best=best, format=form, **keys))
        at = WORDS.index(word)
        own, cells = values(chart)[at], values(alone[0])[0]
        assert [{k: row[k] for k in row if k not in APART} for row in own] == [
            {k: row[k] for k in row if k not in APART} for row in cells
        ]
        assert domains(chart)[at] == domains(alone[0])[0]
        assert facts[at * len(own) : (at + 1) * len(own)] == alone[1]
        title = page.rows[at * len(own)].cells[0]
        verdict = [text for text in page.details if text.startswith(f"For {title}: ")]
        details = {text.casefold() for text in alone[2].details}
        assert {text.removeprefix(f"For {title}: ").casefold() for text in verdict} <= details
        gaps = [text for text in page.incomplete if text.startswith(f"Metric {title}, ")]
        assert [text.removeprefix(f"Metric {title}, ") for text in gaps] == [*alone[2].incomplete]


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
    printed = pl.read_csv(KIND.csv(cells, own).encode())
    score = pl.when(metric="mean(score)").then(1 + 9 * pl.col("value")).otherwise("value")
    expected = cells.select(value=score)["value"].to_list()
    assert printed["value"].to_list() == pytest.approx(expected)
    assert "Mean score (1–10)" in KIND.draw(cells, own).to_dict(validate=False)["description"]


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
    assert first.to_dict(validate=False)["datasets"] == again.to_dict(validate=False)["datasets"]
