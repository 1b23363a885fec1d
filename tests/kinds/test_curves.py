"""`fit` and `crossing` of lines: what is drawn, said, stored and counted anew."""

from collections.abc import Callable
from math import exp, log2
from typing import Any

import numpy as np
import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.library import frames
from heatproof.util.errors import Error

X = (1, 2, 4, 8, 16, 32)
BLOCK = {
    "kind": "line", "name": "f", "source": "s", "x_scale": "log", "fit": "logistic", "crossing": 50,
    "encoding": {"x": "minutes", "y": "mean(score)", "color": "model"},
}  # fmt: skip


def rows(right: Callable[[int, int], float], count: int = 10, **more: Any) -> pl.DataFrame:
    """Problems of a model, each with one x; `right`: x and number of the problem → its score."""
    records = []
    for x in X:
        for problem in range(count):
            one = {"minutes": x, "sample_id": f"{x}-{problem}", "score": float(right(x, problem))}
            records.append({"model": "a", "task": "t"} | one | more)
    return pl.DataFrame(records)


def falling(x: int, problem: int) -> float:
    """9, 9, 7, 4, 2 and 1 of ten are right."""
    return float(problem < (9, 9, 7, 4, 2, 1)[X.index(x)])


def made(data: pl.DataFrame, **keys: Any) -> tuple[Any, Any, pl.LazyFrame, pl.DataFrame]:
    entry, kind = api.read(BLOCK | keys), api.kind("line")
    samples = frames.samples_of(data, ["minutes"], [], {}, {}).lazy()
    return entry, kind, samples, kind.aggregate(samples, entry)


def test_a_crossing_is_where_residuals_add_up_to_nothing() -> None:
    """The logistic curve of highest likelihood, checked by its two equations, crosses there."""
    _, _, _, grid = made(rows(falling))
    start, slope, at = grid.select("curve_start", "curve_slope", "curve_crossing").row(0)
    rests = []
    for x in X:
        for problem in range(10):
            rest = falling(x, problem) - 1 / (1 + exp(-(start + slope * log2(x))))
            rests.append((rest, rest * log2(x)))
    assert np.allclose(np.sum(rests, axis=0), 0, atol=1e-7)
    assert at == pytest.approx(2 ** (-start / slope))
    low, high = grid.select("curve_low", "curve_high").row(0)
    assert low < at < high
    assert grid["curve_crossing"].n_unique() == 1


def test_scores_in_their_own_unit_cross_a_level_of_it() -> None:
    """A level of 5.5 in scores from 1 to 10 is one half."""
    data = rows(falling)
    _, _, _, percent = made(data)
    entry = api.read(BLOCK | {"crossing": 5.5})
    entry.ranges = {"score": [1, 10]}
    samples = frames.samples_of(data, ["minutes"], [], {}, {}).lazy()
    grid = api.kind("line").aggregate(samples, entry)
    assert grid["curve_crossing"][0] == percent["curve_crossing"][0]


def test_tasks_weigh_alike() -> None:
    """Of a task with many problems as of one with few: copies of its problems change nothing."""
    few = rows(falling, task="s")
    other = rows(lambda x, problem: problem < 20 // (x + 1), task="t")
    copies = other.with_columns(pl.col("sample_id") + "*")
    _, _, _, once = made(pl.concat([few, other]), mean_over="task")
    entry, kind, samples, twice = made(pl.concat([few, other, copies]), mean_over="task")
    assert once["curve_crossing"][0] == pytest.approx(twice["curve_crossing"][0])
    assert all(agrees for *_, agrees in kind.recounted(samples, twice, entry))


@pytest.mark.parametrize("fit", ["logistic", "log-linear"])
def test_crossings_are_counted_anew(fit: str) -> None:
    """By other code, from the samples; a crossing that was changed does not agree."""
    entry, kind, samples, grid = made(rows(falling), fit=fit)
    counted = {cell: (value, anew, agrees) for cell, value, anew, agrees in
               kind.recounted(samples, grid, entry)}  # fmt: skip
    value, anew, _ = counted["model=a: crossing"]
    assert value == pytest.approx(anew)
    assert all(agrees for *_, agrees in counted.values())
    changed = grid.with_columns(pl.col("curve_crossing") * 1.001)
    wrong = [cell for cell, *_, agrees in kind.recounted(samples, changed, entry) if not agrees]
    assert wrong == ["model=a: crossing"]
    behind = kind.behind(samples, grid, entry, {"model": "a", "minutes": "4"})
    assert f"its line crosses 50\u00a0% at minutes {value:.6g}, counted anew" in behind.beside


@pytest.mark.parametrize(("right", "keys", "code", "says"), [
    (lambda x, problem: problem < 10 - log2(2 * x) / 1.5, {}, "beyond", "higher than 32, the highest minutes"),
    (lambda x, problem: problem < 5 - log2(2 * x), {}, "before", "lower than 1, the lowest minutes"),
    (lambda x, problem: problem < 5 + (x == 4), {}, "flat", "cannot be told apart from a level"),
    (lambda *_: 1, {}, "alike", "all values are the same"),
    (lambda x, _: x < 5, {}, "separated", "all wrong up to minutes 4 and from 8 on"),
    (lambda x, problem: x < 5 or (x == 8 and problem < 3), {}, "separated", "4 and from 16 on"),
    (lambda x, problem: x < 30 or problem < 3, {}, "separated", "all wrong up to minutes 16"),
    (falling, {"where": {"minutes": [4, 8]}}, "few", "fewer than three values of minutes"),
])  # fmt: skip
def test_what_has_no_crossing_says_why(
    right: Any, keys: dict[str, Any], code: str, says: str
) -> None:
    """In figure, caption, LaTeX and page; never a number; and the recount agrees."""
    entry, kind, samples, grid = made(rows(right), **keys)
    assert set(grid["curve_gap"]) == {code}
    assert grid["curve_crossing"].null_count() == len(grid)
    figure = api.FigureTexts(grid, entry)
    texts = [" ".join(figure.caption()), figure.latex(), str(figure.draw().to_dict())]
    assert all(says in text for text in texts), texts[0]
    assert says in figure.table().rows[0].cells[-1]
    assert all(agrees for *_, agrees in kind.recounted(samples, grid, entry))


def test_a_level_on_the_axis_crosses_the_curve_where_it_says() -> None:
    """The diamond, the ends of its bar and the curve lie on one scale; lines are not joined."""
    entry, _, _, grid = made(rows(falling))
    drawn = api.FigureTexts(grid, entry).draw().to_dict()
    data = drawn["datasets"]
    (mark,) = data["crossings"]
    assert mark["left"] < mark["px"] < mark["right"]
    (level,) = data["levels"]
    assert mark["py"] == level["start"]
    before = [row for row in data["curves"] if row["value"] > 50]
    assert max(row["at"] for row in before) <= grid["curve_crossing"][0]
    assert [row["at"] for row in data["curves"]][:: len(data["curves"]) - 1] == [1, 32]


@pytest.mark.parametrize(("keys", "says"), [
    ({"fit": None}, "crosses no curve"),
    ({"crossing": 120}, "120 is no level between 0 and 100"),
    ({"form": "bars", "x_scale": None}, "stand at equal distances"),
    ({"x_scale": "ordinal"}, "stand at equal distances"),
    ({"encoding": {"x": "minutes", "y": "std(score)", "color": "model"}}, "mean of scores with"),
    ({"encoding": {"x": "task", "y": "pass@1", "color": "model"}, "x_scale": None,
      "pool": ["minutes"]}, "'task' has names"),
    ({"fit": "logstic"}, "did you mean 'logistic'"),
])  # fmt: skip
def test_mistakes(keys: dict[str, Any], says: str) -> None:
    block = {
        name: v for name, v in (BLOCK | keys).items() if name not in ("kind", "name", "source")
    }
    with pytest.raises(Error, match=says):
        hp.figure(rows(falling), "line", **block)


def test_x_needs_a_logarithm() -> None:
    data = rows(falling).with_columns(minutes=pl.col("minutes") - 1)
    with pytest.raises(Error, match="0 has no logarithm"):
        made(data)
