"""Values of axes, judged as cells are: the columns of the grid, the words, the recount."""

from typing import Any

import numpy as np
import polars as pl

from heatproof.kinds import api
from heatproof.kinds.heatmap import verdicts
from heatproof.kinds.heatmap.aggregate import aggregate
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.entry import Entry
from heatproof.util.numerals import Digits
from support.samples import heat, table

PEAK = np.array([0, 0.5, 1, 0.5, 0])
LINE = np.arange(5) / 4


def drawn(
    rise: float, problems: int = 40, seed: int = 0, shape: Any = LINE
) -> np.ndarray[Any, Any]:
    """Right answers of 4, (problems, 15); the chance rises by `rise` along five values."""
    draw = np.random.default_rng(seed)
    ease = draw.uniform(0.2, 0.6, (problems, 1))
    return draw.binomial(4, ease + rise * shape[np.arange(15) % 5]).astype(float)


def samples(total: np.ndarray[Any, Any]) -> pl.LazyFrame:
    """A row per sample of three budgets and five ratios, of a number and of a name."""
    rows = [
        {
            "line": 1, "budget": cell // 5, "ratio": 0.1 * (cell % 5), "epoch": epoch,
            "sample_id": f"{problem:03}", "score": float(epoch < total[problem, cell]),
        }
        for cell in range(total.shape[1])
        for problem in range(len(total))
        for epoch in range(4)
    ]  # fmt: skip
    return table(rows, {"budget": "int", "ratio": "float"})


def entry(**keys: Any) -> Entry:
    """Ratios along x, budgets along y."""
    return heat("ratio", "budget", "mean(score)", **keys)


def grid_of(total: np.ndarray[Any, Any], **keys: Any) -> pl.DataFrame:
    """The grid of such samples."""
    return aggregate(samples(total), entry(**keys))


RISING = drawn(0.14, seed=2)
"""Rises enough for a value of the axis, too little for a best setting."""


def tops(grid: pl.DataFrame, axis: str = "x") -> dict[Any, Any]:
    """Value of an axis → whether it may be the best."""
    return dict(grid.select(axis, f"top_{axis}").iter_rows())


def test_a_peak_is_seen() -> None:
    """Values that rise and fall again are highest in between."""
    grid = grid_of(drawn(0.14, problems=120, seed=1, shape=PEAK))
    assert [at for at, top in tops(grid).items() if top] == [0.2]


def test_axes_that_are_not_judged() -> None:
    """A hole, a problem that a cell lacks, one value of the other axis, nothing asked for: the
    column says nothing.
    """
    rows = samples(RISING)
    hole = rows.filter(pl.col("line") + pl.col("budget") + 10 * pl.col("ratio") > 1)
    flat = rows.filter(pl.col("budget") == 1)
    first = (pl.col("sample_id") == "000") & (pl.col("budget") + pl.col("ratio") == 0)
    for part in (hole, flat, rows.filter(~first)):
        assert not aggregate(part, entry())["top_x"].count()
    assert not grid_of(RISING, uncertainty="se")["top_x"].count()
    assert not grid_of(RISING, best="none")["top_x"].count()


def test_few_problems_that_make_a_value_say_nothing() -> None:
    """Of forty problems three that break along an axis tell nothing of others like them."""
    for broken, told in ((3, {True}), (20, {True, False})):
        rare = np.full((40, 15), 4.0)
        rare[:broken] -= np.arange(15) % 5
        assert {*grid_of(rare)["top_x"]} == told


def test_families_are_the_unit() -> None:
    """The same problem ten times over is no more certain than once, if its family is named."""
    weak = drawn(0.03, problems=30, seed=5)
    many = np.repeat(weak, 10, axis=0)
    rows = samples(many).with_columns(
        sample_id=pl.format("{}-{}", pl.col("sample_id").cast(int) // 10, "sample_id")
    )
    assert False in tops(aggregate(rows, entry())).values()
    assert {*tops(aggregate(rows, entry(family=r"^(\d+)-"))).values()} == {True}


def test_metrics_and_panels_are_corrected_together() -> None:
    """What stands alone falls among several metrics, and among panels that cannot be judged."""
    words: Any = ["mean(score)", "pass@1", "pass@2"]
    rising = drawn(0.1, seed=4)
    several = aggregate(samples(rising), heat("ratio", "budget", words)).filter(metric=words[0])
    assert False in tops(grid_of(rising)).values()
    assert several["top_x"].drop_nulls().all()
    weak = drawn(0.05, seed=5)
    assert False in tops(grid_of(weak)).values()
    rare = np.full((40, 15), 4.0)
    rare[:3] -= np.arange(15) % 5
    panels = pl.concat(
        samples(weak if n == 0 else rare).with_columns(task=pl.lit(f"t{n}")) for n in range(10)
    )
    grid = aggregate(panels, entry(panel="task"))
    assert {*grid["top_x"]} == {True}


def bold_labels(part: Any) -> list[str]:
    """Tests of bold labels on all axes of a spec, one for each that has some."""
    if isinstance(part, list):
        return [test for inner in part for test in bold_labels(inner)]
    if not isinstance(part, dict):
        return []
    weight = part.get("labelFontWeight")
    found = [weight["condition"]["test"]] if isinstance(weight, dict) else []
    return found + [test for inner in part.values() for test in bold_labels(inner)]


BOLD = "Bold label: on average highest, or not told apart from it"


def test_labels_of_values_that_may_be_best_are_bold() -> None:
    """The caption says what that means; nothing is bold where the axis tells nothing."""
    kind = api.kind("heatmap")
    told, silent = grid_of(drawn(0.14, problems=120, seed=1, shape=PEAK)), grid_of(drawn(0.0))
    chart = kind.draw(told, entry()).to_dict()
    assert {*bold_labels(chart)} == {'indexof(["0.2"], datum.label) >= 0'}
    assert any(part.startswith(BOLD) for part in kind.caption(told, entry()))
    assert not bold_labels(kind.draw(silent, entry()).to_dict())
    assert not any(part.startswith(BOLD) for part in kind.caption(silent, entry()))


def test_no_label_is_bold_that_stands_for_several_panels() -> None:
    """Panels side by side share the labels of y, and each has its own along x."""
    peaked = drawn(0.14, problems=120, seed=1, shape=PEAK)
    tasks = [samples(peaked).with_columns(task=pl.lit(task)) for task in ("s", "t")]
    grid = aggregate(pl.concat(tasks), entry(panel="task"))
    turned = grid.rename({"x": "y", "y": "x", "top_x": "top_y", "top_y": "top_x"})
    draw = api.kind("heatmap").draw
    assert bold_labels(draw(grid, entry(panel="task")).to_dict())
    along_y = heat("budget", "ratio", "mean(score)", panel="task")
    assert not bold_labels(draw(turned, along_y).to_dict())


def test_each_panel_has_its_verdict_in_a_few_words() -> None:
    """In the caption, by name; where names take too many words, counted."""
    tasks = {"flat": drawn(0.0), "peak": drawn(0.3, problems=120, seed=1, shape=PEAK)}
    parts = [samples(total).with_columns(task=pl.lit(task)) for task, total in tasks.items()]
    figure, wordy = entry(panel="task"), entry(panel="task", caption=" ".join(["so"] * 30))
    grid = aggregate(pl.concat(parts), figure)
    said = "Each panel by itself (95\u00a0%, for problems like these): "
    caption = api.kind("heatmap").caption
    named = said + "none is clearly highest in flat; 3 of 15 may be highest in peak"
    assert named in caption(grid, figure)
    counted = said + "none is clearly highest in 1 of 2; several may be highest in 1 of 2"
    assert counted in caption(grid, wordy)
    asked = figure.question
    verdict = verdicts.verdicts(
        read_cells(grid, asked, "tied"), asked, {asked.word: Digits(".1f")}
    )["flat",]
    assert verdict.power.startswith("40 of 40 problems ever differ. Differences of ")
