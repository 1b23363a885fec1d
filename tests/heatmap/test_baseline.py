"""relative: cells against a baseline, recounted by plain Python in fractions."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import pytest

from heatproof import statistics
from heatproof.kinds import api, heatmap, states
from heatproof.kinds.heatmap.reasons import gap_words
from heatproof.statistics.contrasts import Scores
from support import defined
from support.samples import heat, table

Cell = tuple[Any, ...]

RATIOS, WINDOWS, TASKS, MODELS = (0.1, 0.3, None, 1.0), (8, 16), ("s", "t"), ("base", "tuned")


def samples(seed: int = 0, problems: int = 7, lost: float = 0.2) -> list[dict[str, Any]]:
    """Two models × four ratios × two windows × two tasks; some problems lost, unequal epochs."""
    draw, rows = random.Random(seed), []
    for model, ratio, window, task in product(MODELS, RATIOS, WINDOWS, TASKS):
        for problem in range(problems):
            if draw.random() < lost:
                continue
            for epoch in range(draw.randint(1, 3)):
                setting = {"model": model, "ratio": ratio, "window": window, "task": task}
                score = float(draw.random() < (problem + 1) / (problems + 1))
                sample = {"sample_id": f"p{problem}", "epoch": epoch, "score": score}
                rows.append({**setting, **sample, "tokens": float(draw.randint(1, 90))})
    return rows


def entry(**keys: Any) -> heatmap.Entry:
    where = {"model": "tuned", "ratio": [0.1, 0.3]}
    return heat(**{"panel": "task", "where": where} | keys)


def grid_of(rows: Sequence[dict[str, Any]], **keys: Any) -> pl.DataFrame:
    return api.kind("heatmap").aggregate(table(rows), entry(**keys))


def mean(values: Sequence[Any]) -> Any:
    return sum(values, Fraction(0)) / len(values)


def pass_at_2(scores: Sequence[Fraction]) -> Any:
    """Share of the pairs of samples that hold a right one; none of a single sample."""
    return mean([max(pair) for pair in combinations(scores, 2)]) if len(scores) > 1 else None


METRICS: dict[str, tuple[str, Any, Any, str | None]] = {
    "pass@1": ("score", mean, mean, None),
    "pass@2": ("score", pass_at_2, mean, None),
    "max(score)": ("score", mean, max, states.UNKNOWN),
    "median(tokens)": ("tokens", mean, median, states.UNKNOWN),
    "mean(tokens)": ("tokens", mean, mean, states.UNBOUNDED),
}
"""Metric → its column, the value of a problem, how problems are joined, why it has no interval."""


def brute(rows: Sequence[dict[str, Any]], places: Sequence[Any], word: str) -> tuple[Any, Any, int]:
    """Value of a cell and of its baseline on common problems, and how many these are."""
    column, value_of, join, _ = METRICS[word]
    sides = []
    for place in places:
        held: dict[Cell, list[Fraction]] = {}
        for row in rows:
            if all(row[name] == value for name, value in place.items()):
                key = row["task"], row["sample_id"]
                held.setdefault(key, []).append(Fraction(row[column]))
        values = {key: value_of(scores) for key, scores in held.items()}
        sides.append({key: value for key, value in values.items() if value is not None})
    both = sorted(sides[0].keys() & sides[1].keys())
    tasks = {task: [key for key in both if key[0] == task] for task, _ in both}
    own, base = (mean([join([side[k] for k in keys]) for keys in tasks.values()]) for side in sides)
    return own, base, len(both)


CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"ratio": 1.0}, {}),
    ({"ratio": None}, {}),
    ({"ratio": 0.1}, {}),
    ({"ratio": 1.0, "window": 16}, {}),
    ({"model": "base"}, {}),
    ({"model": "base", "ratio": 1.0, "window": 8}, {}),
    ({"ratio": 1.0}, {"panel": None, "mean_over": "task"}),
    ({"ratio": 1.0}, {"panel": "model", "mean_over": "task", "where": {"ratio": [0.1, 0.3, 1.0]}}),
    ({"model": "base"}, {"panel": "model", "mean_over": "task", "where": {"ratio": [0.1, 0.3]}}),
    ({"window": 8}, {"encoding": {"x": "task", "y": "window", "color": "pass@1"}, "panel": "ratio"}),
    *(({"ratio": 1.0}, {"encoding": {"x": "ratio", "y": "window", "color": word}}) for word in METRICS),
]  # fmt: skip


@pytest.mark.parametrize(("relative_to", "keys"), CASES)
def test_every_cell_is_that_of_plain_python(
    relative_to: dict[str, Any], keys: dict[str, Any]
) -> None:
    """Value, both sides and the problems of each, on an axis, under where, on panels, over tasks."""
    rows, figure = samples(), entry(relative_to=relative_to, **keys)
    lazy, room = table(rows), api.kind("heatmap")
    grid = room.aggregate(lazy, figure)
    fixed = {name: v for name, v in figure.where.items() if not isinstance(v, list)}
    assert len(grid)
    for cell in grid.to_dicts():
        place = fixed | {figure.encoding.x: cell["x"], figure.encoding.y: cell["y"]}
        place |= {figure.panel: cell[figure.panel]} if figure.panel else {}
        own, base, common = brute(rows, [place, place | relative_to], figure.encoding.color)
        assert cell["own_value"] == pytest.approx(float(own), abs=1e-12)
        assert cell["baseline_value"] == pytest.approx(float(base), abs=1e-12)
        assert cell["value"] == pytest.approx(float(own - base), abs=1e-12)
        assert cell["paired_problems"] == common
        assert cell["is_baseline"] == all(place[name] == v for name, v in relative_to.items())
        assert not cell["is_baseline"] or cell["value"] == 0
        if why := METRICS[figure.encoding.color][3]:
            assert (cell["low"], cell["differs"], cell["unjudged"]) == (None, None, why)
    assert all(right for *_, right in room.recounted(lazy, grid, figure))


def test_a_wrong_number_of_any_column_is_seen() -> None:
    """By `verify`, in each cell."""
    lazy, room = table(samples()), api.kind("heatmap")
    figure = entry(relative_to={"ratio": 1.0}, panel=None, mean_over="task")
    grid = room.aggregate(lazy, figure)
    forged = {
        "value": pl.col("value") + 1e-6, "own_value": pl.col("own_value") * 0.9 + 0.01,
        "baseline_value": pl.col("baseline_value") + 0.01, "epochs": pl.col("epochs") + 1,
        "paired_problems": pl.col("paired_problems") - 1, "samples": pl.col("samples") + 1,
        "gap": pl.lit(states.NO_BASELINE),
    }  # fmt: skip
    for column, wrong in forged.items():
        cells = [*room.recounted(lazy, grid.with_columns(wrong.alias(column)), figure)]
        assert sum(not right for *_, right in cells) == len(grid), column


def test_a_gap_is_not_parity() -> None:
    """Without a baseline there is no value, and the cell says why: of a mean, of which task."""
    place = ("ratio", "window", "task")
    rows = [row for row in samples(lost=0) if [row[n] for n in place] != [1.0, 8, "s"]]
    where = {"model": "tuned", "ratio": [0.1, 0.3]}
    mean_gap = "no baseline (no problems in common of task s)"
    grid = grid_of(rows, relative_to={"ratio": 1.0}, panel=None, mean_over="task", where=where)
    mean = entry(relative_to={"ratio": 1.0}, panel=None, mean_over="task", where=where)
    told = {(cell["y"], gap_words(cell, mean.question)) for cell in grid.iter_rows(named=True)}
    assert told == {(8, mean_gap), (16, "")}
    for row in rows:
        row["sample_id"] += "q" * ([row[n] for n in place] == [1.0, 16, "t"])
    gaps = {("s", 8): "no baseline (no data)",
            ("t", 16): "no baseline (no problems in common)"}  # fmt: skip
    for cell in grid_of(rows, relative_to={"ratio": 1.0}).to_dicts():
        gap = gaps.get((cell["task"], cell["y"]), "")
        told = gap_words(cell, entry(relative_to={"ratio": 1.0}).question)
        assert (cell["value"] is None, told) == (gap != "", gap)
        assert cell["differs"] is None or not gap


def test_made_up_problems_have_no_pairs() -> None:
    """Differences of reconstructed logs are told, and nothing that rests on single problems.

    Values are those of all samples together, also of each task of a mean.
    """
    rows = table(samples(lost=0)).with_columns(reconstructed=True)
    figure = entry(relative_to={"ratio": 1.0})
    grid = api.kind("heatmap").aggregate(rows, figure)
    by = {"task": "task", "ratio": "x", "window": "y"}
    means = rows.filter(model="tuned").group_by(*by).agg(mean=pl.col("score").mean()).collect()
    both = grid.join(means, left_on=[*by.values()], right_on=[*by], how="inner")
    assert both["own_value"].to_list() == pytest.approx(both["mean"].to_list())
    over_tasks = api.kind("heatmap").aggregate(rows, entry(panel=None, mean_over="task"))
    parts = over_tasks.explode("parts").with_columns(pl.col("parts").struct.unnest())
    both = (
        parts.drop("value")
        .with_columns(parts["parts"].struct.field("value"))
        .join(means, left_on=[*by.values()], right_on=[*by], how="inner")
    )
    assert len(both) == 8
    assert both["value"].to_list() == pytest.approx(both["mean"].to_list())
    assert {*grid["unjudged"]} == {states.MADE_UP}
    assert grid["low"].null_count() == len(grid)
    assert grid["value"].null_count() == 0


def pairs(x: Any, base: Any) -> statistics.Pairs:
    """Scores (problems, cells) beside those of one baseline, (problems,), in one task."""
    own = np.asarray(x, float)
    beside = np.repeat(np.asarray(base, float)[:, None], own.shape[1], axis=1)
    number = np.arange(len(own))
    return statistics.Pairs(Scores(own, 1), Scores(beside, 1), number * 0, number)


def test_all_intervals_of_a_panel_hold_at_once() -> None:
    """Nineteen cells equal to their baseline: in 95 % of panels no interval leaves out 0."""
    held, runs = 0, 150
    for run in range(runs):
        draw = np.random.default_rng([run, 11])
        chance = draw.beta(0.6, 0.7, 40)[:, None]
        x = draw.binomial(5, chance, (40, 20)) / 5
        compared = pairs(x[:, 1:], x[:, 0])
        gap = statistics.gaps(compared)
        (limits,) = statistics.simultaneous([(compared, gap)], permutations=499)
        held += not bool(((limits.low > 0) | (limits.high < 0)).any())
    assert held / runs >= 0.93


def limits_of(compared: statistics.Pairs) -> statistics.DifferenceLimits:
    """Intervals of one panel."""
    (limits,) = statistics.simultaneous([(compared, statistics.gaps(compared))], permutations=999)
    return limits


def test_a_few_problems_make_no_difference() -> None:
    """Where one problem of 40 does, or four, other samples may show another; of all it is clear."""
    base = np.zeros(40)
    own = np.arange(40)[:, None] < [1, 4, 40]
    limits = limits_of(pairs(own, base))
    assert (limits.low > 0).tolist() == [False, False, True]
    assert (own.mean(axis=0) - limits.low >= defined.least(3) / 40 - 1e-9).all()


def test_a_growing_sweep_needs_more_for_a_difference() -> None:
    """Intervals that hold at every look are wider, the more the less is there."""
    draw = np.random.default_rng(2)
    compared = pairs(draw.binomial(4, 0.6, (60, 5)) / 4, draw.binomial(4, 0.4, 60) / 4)
    gap = statistics.gaps(compared)
    widths = [
        np.ptp(statistics.simultaneous([(compared, gap)], 999, grown=part)[0], axis=0)
        for part in (None, 1.0, 0.5)
    ]
    assert (np.diff(widths, axis=0) > 0).all()


@pytest.mark.parametrize("families", [2, 3, 6, 12])
def test_intervals_of_few_families_hold_possible_differences_alone(families: int) -> None:
    """None ends beyond 100 points, and one that would hold all there can be is not told."""
    draw = np.random.default_rng(families)
    number = np.arange(60) % families
    shift = draw.normal(0, 2, (families, 12))[number]
    x = draw.binomial(5, 1 / (1 + np.exp(-shift))) / 5
    compared = pairs(x[:, 1:], x[:, 0])._replace(group=number)
    gap = statistics.gaps(compared)
    (limits,) = statistics.simultaneous([(compared, gap)], permutations=999)
    bounded = ~np.isnan(limits.low)
    assert (limits.low[bounded] >= -1).all()
    assert (limits.high[bounded] <= 1).all()
    assert not ((limits.low <= -1) & (limits.high >= 1)).any()
    assert bounded.any() == (families > 3)


def test_a_difference_is_as_large_as_problems_of_the_smallest_task() -> None:
    """A cell right in 19 of 20 beside a baseline right in 1 of 20; not one right in 3 of 20."""
    task = np.repeat([0, 1], [30, 198])
    right = np.arange(len(task)) % 20
    own = np.stack([right < 19, right < 3], axis=1).astype(float)
    compared = pairs(own, (right < 1).astype(float))._replace(task=task)
    low, high = limits_of(compared)
    assert (low > 0).tolist() == [True, False]
    assert (high - low)[1] >= 2 * defined.least(2) / 30 / 2


def test_all_problems_lost_is_a_clear_difference() -> None:
    """Where every problem differs alike there is no scatter, and an interval all the same."""
    base, none = np.ones(40), np.zeros(40)
    compared = pairs(np.stack([none, base], axis=1), base)
    gap = statistics.gaps(compared)
    (limits,) = statistics.simultaneous([(compared, gap)])
    assert limits.low[0] == -1 < limits.high[0] < -0.8
    assert np.isnan(limits.low[1])


def test_that_no_cell_differs_is_said_once() -> None:
    """In a caption; where one differs, how many do."""
    rows = [
        {"model": model, "task": "t", "ratio": ratio, "window": 8, "sample_id": f"p{n}", "epoch": 0,
         "score": float((n * 7 + len(model)) % 5 > 1), "tokens": 1.0}
        for model, ratio, n in product(MODELS, (0.1, 0.3), range(60))
    ]  # fmt: skip
    figure = heat("ratio", "model", "mean(score)", relative_to={"model": "base"})
    said = []
    for changed in (
        rows,
        [row | {"score": row["score"] * (row["model"] == "base")} for row in rows],
    ):
        cells = api.kind("heatmap").aggregate(table(changed), figure)
        said.append(". ".join(api.kind("heatmap").caption(cells, figure)))
    assert [text.count("can be told apart from the baseline") for text in said] == [1, 2]
    assert "No cell can be told apart from the baseline" in said[0]
    assert "2 of 2 can be told apart from the baseline" in said[1]
