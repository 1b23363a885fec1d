"""A metric along an axis: pass@k over k, counted by listing the choices of k samples."""

from itertools import combinations, product
from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.util.errors import Error

RIGHT = {
    "a": [[1, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1]],
    "b": [[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1]],
}
"""Model → right or wrong of the samples of each problem."""
ONE = {"pass@k": any, "pass^k": all}


def rows() -> pl.DataFrame:
    records = []
    for (model, problems), task in product(RIGHT.items(), ("s", "t")):
        for problem, scores in enumerate(problems):
            for epoch, score in enumerate(scores):
                one = {"model": model, "task": task, "sample_id": f"{problem}", "epoch": epoch}
                records.append(one | {"score": score if task == "s" else 1 - score})
    return pl.DataFrame(records)


def chance(word: str, model: str, task: str, k: int) -> float:
    """The mean over problems of the share of choices of k samples of which one, or all, are right."""
    values = []
    for scores in RIGHT[model]:
        choices = [*combinations(scores if task == "s" else [1 - s for s in scores], k)]
        values.append(sum(map(ONE[word], choices)) / len(choices))
    return sum(values) / len(values)


@pytest.mark.parametrize("word", ONE)
@pytest.mark.parametrize(
    "axes", [{"x": "k", "y": "model"}, {"x": "model", "y": "k"}, {"x": ["task", "k"], "y": "model"}]
)
def test_values_are_those_of_all_choices(word: str, axes: dict[str, Any]) -> None:
    """Along x, along y, within blocks of a strip; in the order of the axis, whatever the list's."""
    panel = {} if isinstance(axes["x"], list) else {"panel": "task"}
    grid = hp.grid(rows(), **axes, metric=word, k=[3, 1, 2], **panel)
    assert grid["k"].unique(maintain_order=True).to_list() == [1, 2, 3]
    assert len(grid) == 12
    for cell in grid.iter_rows(named=True):
        told = chance(word, cell["model"], cell["task"], cell["k"])
        assert cell["value"] == pytest.approx(told), cell


def test_each_k_is_judged_by_itself() -> None:
    """The highest is marked at each k: that pass@3 is above pass@1 is no result."""
    grid = hp.grid(rows().filter(task="s"), x="k", y="model", metric="pass@k", k=[1, 2])
    assert grid.group_by("k").agg(pl.col("peers").drop_nulls().n_unique())["peers"].max() == 1
    assert grid["peers"].n_unique() == 2


def test_every_k_is_recounted() -> None:
    """By the definition of its own metric, under the name `k`."""
    block = {
        "kind": "heatmap", "name": "f", "source": "s", "panel": "task", "k": [1, 2, 4],
        "encoding": {"x": "k", "y": "model", "color": "pass@k"},
    }  # fmt: skip
    entry, kind = api.read(block), api.kind("heatmap")
    samples = hp.library.frames.samples_of(rows(), [], [], {}, {})
    grid = kind.aggregate(samples.lazy(), entry)
    counted = [*kind.recounted(samples.lazy(), grid, entry)]
    assert len(counted) == 12
    assert all(agrees for *_, agrees in counted)
    behind = kind.behind(samples.lazy(), grid, entry, {"k": "2", "model": "a", "task": "s"})
    assert behind.metric == "pass@2"
    assert behind.value == pytest.approx(chance("pass@k", "a", "s", 2))


def test_a_k_beyond_the_samples_is_told() -> None:
    with pytest.raises(
        Error, match=r"^k: pass@9 needs 9 samples of a problem, but no cell has more"
    ):
        hp.grid(rows(), x="k", y="model", panel="task", metric="pass@k", k=[1, 9])


@pytest.mark.parametrize(("keys", "says"), [
    ({"metric": "pass@k"}, r"write k: \[1, 2, 4\] and 'k' on an axis"),
    ({"metric": "pass@1", "k": [1]}, "'pass@1' is not over k"),
    ({"metric": "pass@k", "k": [1], "x": "task"}, "no axis has it"),
    ({"metric": "pass@k", "k": [0]}, "1 or more"),
    ({"metric": "pass@k", "k": [2, 2]}, "one occurs twice"),
    ({"metric": "pass@k", "k": [2], "margins": True}, "a mean over 'k' means nothing"),
    ({"metric": ["pass@k", "pass^k"], "k": [2]}, "stands alone"),
])  # fmt: skip
def test_mistakes_say_what_to_write(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(Error, match=says):
        hp.grid(rows(), **{"x": "k", "y": "model", "panel": "task"} | keys)
