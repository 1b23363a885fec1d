"""relative: cells against a baseline, recounted by plain Python in fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof import statistics
from heatproof.config.entries import Columns
from heatproof.kinds import api, heatmap
from heatproof.kinds.heatmap import reasons
from heatproof.samples import tables
from heatproof.statistics.contrasts import Scores
from support.toys import row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Cell = tuple[Any, ...]

RATIOS, WINDOWS, TASKS, MODELS = (0.1, 0.3, None, 1.0), (8, 16), ("s", "t"), ("base", "tuned")


def table(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """A samples table of rows, with columns ratio and window, and the measure tokens."""
    schema = tables.samples_schema(Columns({"ratio": "float", "window": "int"}, ["tokens"]))
    made = [row(n + 1, log="a.jsonl", **one) for n, one in enumerate(rows)]
    for one in made:
        one.pop("progress")
    return pl.DataFrame(made, schema=schema)


def samples(seed: int = 0, problems: int = 7, lost: float = 0.2) -> list[dict[str, Any]]:
    """Two models × four ratios × two windows × two tasks; some problems lost, unequal epochs."""
    draw, found = random.Random(seed), []
    for model, ratio, window, task in product(MODELS, RATIOS, WINDOWS, TASKS):
        for problem in range(problems):
            if draw.random() < lost:
                continue
            for epoch in range(draw.randint(1, 3)):
                keys = {"model": model, "ratio": ratio, "window": window, "task": task}
                score = float(draw.random() < (problem + 1) / (problems + 1))
                own = {"sample_id": f"p{problem}", "epoch": epoch, "score": score}
                found.append({**keys, **own, "tokens": float(draw.randint(1, 90))})
    return found


def entry(**given: Any) -> heatmap.Entry:
    whole: dict[str, Any] = {
        "name": "f", "kind": "heatmap", "source": "s", "panel": "task",
        "where": {"model": "tuned", "ratio": [0.1, 0.3]},
        "encoding": {"x": "ratio", "y": "window", "color": "pass@1"},
    }  # fmt: skip
    return msgspec.convert(whole | given, heatmap.Entry)


def made(rows: Sequence[dict[str, Any]], **given: Any) -> pl.DataFrame:
    return api.kind("heatmap").aggregate(table(rows).lazy(), entry(**given))


def mean(values: Sequence[Any]) -> Any:
    return sum(values, Fraction(0)) / len(values)


def brute(
    rows: Sequence[dict[str, Any]],
    own: dict[str, Any],
    base: dict[str, Any],
    measure: str = "score",
    join: Callable[[Sequence[Any]], Any] = mean,
) -> tuple[Any, Any, int] | None:
    """Value of a cell and of its baseline on common problems, and how many these are.

    Over all tasks of which either has samples, unweighted; none where one has no common problem.
    """
    sides: list[dict[Cell, list[Fraction]]] = []
    for wanted in (own, base):
        found: dict[Cell, list[Fraction]] = {}
        for one in rows:
            if all(one[name] == value for name, value in wanted.items()):
                key = one["task"], one["sample_id"]
                found.setdefault(key, []).append(Fraction(one[measure]))
        sides.append(found)
    both = sides[0].keys() & sides[1].keys()
    tasks = {task for task, _ in sides[0]}
    if not both or {task for task, _ in both} != tasks:
        return None
    values = [
        mean(
            [join([mean(side[key]) for key in sorted(both) if key[0] == t]) for t in sorted(tasks)]
        )
        for side in sides
    ]
    return values[0], values[1], len(both)


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
]  # fmt: skip


@pytest.mark.parametrize(("relative_to", "given"), CASES)
def test_every_cell_is_that_of_plain_python(
    relative_to: dict[str, Any], given: dict[str, Any]
) -> None:
    """Value, both sides and the problems of each, on an axis, under where, on panels, over tasks."""
    rows, seen = samples(), 0
    one = entry(relative_to=relative_to, **given)
    fixed = {name: v for name, v in one.where.items() if not isinstance(v, list)}
    for cell in made(rows, relative_to=relative_to, **given).to_dicts():
        own = fixed | {one.encoding.x: cell["x"], one.encoding.y: cell["y"]}
        own |= {one.panel: cell[one.panel]} if one.panel else {}
        found = brute(rows, own, own | relative_to)
        assert found
        ours, theirs, common = found
        assert cell["own_value"] == pytest.approx(float(ours), abs=1e-15)
        assert cell["baseline_value"] == pytest.approx(float(theirs), abs=1e-15)
        wanted = ours - theirs
        assert cell["value"] == pytest.approx(float(wanted), abs=1e-15)
        assert cell["paired_problems"] == common
        itself = all(own[name] == value for name, value in relative_to.items())
        assert cell["is_baseline"] == itself
        assert not itself or cell["value"] == 0
        seen += 1
    assert seen


@pytest.mark.parametrize(
    ("word", "measure", "join", "said"),
    [
        ("median(tokens)", "tokens", median, "no interval: none is known of median(tokens)"),
        ("max(score)", "score", max, "no interval: none is known of max(score)"),
        ("mean(tokens)", "tokens", mean, reasons.UNBOUNDED),
    ],
)
def test_other_numbers_are_compared_without_an_interval(
    word: str, measure: str, join: Callable[[Sequence[Any]], Any], said: str
) -> None:
    """A median less a median, on the same problems; only bounded means have an interval."""
    rows = samples(problems=12)
    encoding = {"x": "ratio", "y": "window", "color": word}
    for cell in made(rows, relative_to={"ratio": 1.0}, encoding=encoding).to_dicts():
        own = {"model": "tuned", "ratio": cell["x"], "window": cell["y"], "task": cell["task"]}
        found = brute(rows, own, own | {"ratio": 1.0}, measure, join)
        assert found
        assert cell["value"] == pytest.approx(float(found[0] - found[1]), abs=1e-12)
        assert (cell["low"], cell["differs"], cell["unjudged"]) == (None, None, said)
        assert (cell["se"] is None) == (join is not mean)


def test_pass_at_k_pairs_problems_that_both_tried_often_enough() -> None:
    """A problem with fewer than k samples on either side is no pair."""
    rows = samples(problems=12, lost=0)
    encoding = {"x": "ratio", "y": "window", "color": "pass@2"}
    for cell in made(rows, relative_to={"ratio": 1.0}, encoding=encoding).to_dicts():
        at = {"model": "tuned", "window": cell["y"], "task": cell["task"]}
        values = []
        for ratio in (cell["x"], 1.0):
            tried: dict[str, list[float]] = {}
            for one in rows:
                if all(one[n] == v for n, v in (at | {"ratio": ratio}).items()):
                    tried.setdefault(one["sample_id"], []).append(one["score"])
            values.append({
                name: 1 - Fraction((w := len(s) - int(sum(s))) * (w - 1), len(s) * (len(s) - 1))
                for name, s in tried.items() if len(s) > 1
            })  # fmt: skip
        both = sorted(values[0].keys() & values[1].keys())
        wanted = mean([values[0][name] - values[1][name] for name in both])
        assert cell["value"] == pytest.approx(float(wanted), abs=1e-12)
        assert cell["paired_problems"] == len(both)


def test_a_gap_is_not_parity() -> None:
    """Without a baseline there is no value, and the cell says why."""
    rows = [
        one for one in samples(lost=0)
        if not (one["ratio"] == 1.0 and (one["window"], one["task"]) == (8, "s"))
    ]  # fmt: skip
    rows = [
        one | {"sample_id": "q" + one["sample_id"]}
        if one["ratio"] == 1.0 and (one["window"], one["task"]) == (16, "t")
        else one
        for one in rows
    ]
    cells = {
        (c["task"], c["y"], c["x"]): c for c in made(rows, relative_to={"ratio": 1.0}).to_dicts()
    }
    for (task, window, _), cell in cells.items():
        none = {("s", 8): "no record of it", ("t", 16): "it has no problems in common"}
        said = none.get((task, window))
        assert (cell["value"] is None) == (said is not None)
        assert cell["gap"] == (f"no baseline ({said})" if said else None)
        assert cell["differs"] is None or not said


def test_a_mean_over_tasks_needs_a_baseline_in_each() -> None:
    """The task that lacks one is named."""
    rows = [
        one for one in samples(lost=0)
        if (one["window"], one["ratio"], one["task"]) != (8, 1.0, "s")
    ]  # fmt: skip
    grid = made(rows, relative_to={"ratio": 1.0}, panel=None, mean_over="task", where={
        "model": "tuned", "ratio": [0.1, 0.3, 1.0], "task": ["s", "t"]})  # fmt: skip
    gaps = {(cell["y"], cell["x"]): cell["gap"] for cell in grid.to_dicts()}
    assert gaps.pop((8, 1.0)) == "incomplete: no value, task s missing"
    said = "no baseline (it has no problems in common of task s)"
    assert gaps == {(y, x): said if y == 8 else None for y, x in gaps}


def test_made_up_problems_have_no_pairs() -> None:
    """Differences of reconstructed logs are told, and nothing that rests on single problems."""
    schema = table(samples(lost=0)).with_columns(reconstructed=pl.lit(value=True))
    one = entry(relative_to={"ratio": 1.0})
    grid = api.kind("heatmap").aggregate(schema.lazy(), one)
    assert {*grid["unjudged"]} == {reasons.MADE_UP}
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
        one = pairs(x[:, 1:], x[:, 0])
        gap = statistics.gaps(one)
        (limits,) = statistics.simultaneous([(one, gap)], permutations=499)
        held += not bool(((limits.low > 0) | (limits.high < 0)).any())
    assert held / runs >= 0.93


def test_a_few_problems_that_make_the_difference_give_no_verdict() -> None:
    """Where one problem of 40 does, flips of its sign are no picture of chance."""
    base = np.zeros(40)
    rare = base.copy()
    rare[0] = 1.0
    clear = base + 1.0
    small, few = statistics.doubtful(pairs(np.stack([rare, clear], axis=1), base))
    assert small == [None, None]
    assert few.tolist() == [True, False]


@pytest.mark.parametrize("families", [2, 3, 6, 12])
def test_intervals_of_few_families_hold_possible_differences_alone(families: int) -> None:
    """None ends beyond 100 points, and one that would hold all there can be is not told."""
    draw = np.random.default_rng(families)
    number = np.arange(60) % families
    shift = draw.normal(0, 2, (families, 12))[number]
    x = draw.binomial(5, 1 / (1 + np.exp(-shift))) / 5
    one = pairs(x[:, 1:], x[:, 0])._replace(group=number)
    gap = statistics.gaps(one)
    (limits,) = statistics.simultaneous([(one, gap)], permutations=999)
    told = ~np.isnan(limits.low)
    assert (limits.low[told] >= -1).all()
    assert (limits.high[told] <= 1).all()
    assert not ((limits.low <= -1) & (limits.high >= 1)).any()
    assert told.any() == (families > 3)


def test_a_small_task_hides_no_difference_beyond_doubt() -> None:
    """A cell right in 19 of 20 beside a baseline right in 1 of 20 has its interval."""
    task = np.repeat([0, 1], [30, 198])
    right = np.arange(len(task)) % 20
    own = np.stack([right < 19, right < 3], axis=1).astype(float)
    one = pairs(own, (right < 1).astype(float))._replace(task=task)
    small, _ = statistics.doubtful(one)
    assert small == [None, (0, 30)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"relative_to": {"rato": 1.0}}, "has no one value in a cell; there are ratio, window, task, model (did you mean 'ratio'?)"),
        ({"relative_to": {"task": "s"}}, "cells are paired by it"),
        ({"relative_to": {"model": "tuned"}}, "every cell is its own baseline"),
        ({"relative_to": {"seed": 1}, "pool": ["seed"]}, "a cell holds several of its values"),
        ({"relative_to": {"ratio": 1.0}, "best": "lowest"}, ".best: 'lowest'"),
    ],
)  # fmt: skip
def test_what_gives_no_baseline_is_refused(given: dict[str, Any], said: str) -> None:
    """In words, with the wrong value and what would do."""
    assert said in " ".join(mistake.sentence for mistake in entry(**given).mistakes())


@pytest.mark.parametrize(("relative_to", "given"), CASES)
def test_verify_counts_both_sides_anew(relative_to: dict[str, Any], given: dict[str, Any]) -> None:
    """Every cell agrees; a wrong number of any column is seen."""
    keys = {"relative_to": relative_to, **given}
    rows, one = samples(problems=9), entry(**keys)
    grid, frame = made(rows, **keys), table(rows).lazy()
    room = api.kind("heatmap")
    found = [*room.recounted(frame, grid, one)]
    assert len(found) == len(grid)
    assert all(right for *_, right in found)
    forged = {
        "value": pl.col("value") + 1e-6, "own_value": pl.col("own_value") * 0.9 + 0.01,
        "baseline_value": pl.col("baseline_value") + 0.01, "epochs": pl.col("epochs") + 1,
        "paired_problems": pl.col("paired_problems") - 1, "samples": pl.col("samples") + 1,
    }  # fmt: skip
    for column, wrong in forged.items():
        other = [*room.recounted(frame, grid.with_columns(wrong.alias(column)), one)]
        assert sum(not right for *_, right in other) == len(grid), column


def test_all_problems_lost_is_a_clear_difference() -> None:
    """Where every problem differs alike there is no scatter, and an interval all the same."""
    base, none = np.ones(40), np.zeros(40)
    one = pairs(np.stack([none, base], axis=1), base)
    gap = statistics.gaps(one)
    (limits,) = statistics.simultaneous([(one, gap)])
    assert limits.low[0] == -1 < limits.high[0] < -0.8
    assert np.isnan(limits.low[1])
