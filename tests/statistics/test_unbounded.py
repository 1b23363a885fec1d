"""Means of numbers without bounds, such as tokens: every kind shows them, none judges them."""

from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof.kinds import api, trace
from support.samples import table

WHY = "values have no bounds"
KINDS: dict[str, dict[str, Any]] = {
    "heatmap": {"x": "model", "y": "budget", "color": "mean(tokens)"},
    "table": {"x": "model", "y": "budget", "text": "mean(tokens)"},
    "forest": {"x": "mean(tokens)", "y": "model", "detail": "budget"},
    "line": {"x": "budget", "y": "mean(tokens)", "color": "model"},
    "scatter": {"x": "mean(tokens)", "y": "pass@1", "label": "model", "detail": "budget"},
}


def samples(top: float = 32_000.0) -> pl.LazyFrame:
    """Two models at three budgets: 40 problems, far apart, one of which runs away."""
    draw, rows = np.random.default_rng(5), []
    for model in "ab":
        for budget in (1, 2, 3):
            tokens = draw.lognormal(3 + 2 * (model == "b"), 0.2, 40) * budget
            tokens[0] = top
            rows += [
                {"model": model, "budget": budget, "sample_id": f"{n:02}", "tokens": tokens[n]}
                | {"score": float(draw.random() < 0.2 + 0.5 * (model == "b"))}
                for n in range(40)
            ]
    return table(rows, {"budget": "int"}, ["tokens"])


def entry(kind: str, **given: Any) -> Any:
    """A figure of these."""
    block = {"name": "f", "kind": kind, "source": "s", "encoding": KINDS[kind], "best": "lowest"}
    if kind == "scatter":
        block["best"] = "highest"
    return api.read({"kind": kind} | block | given)


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_judges_them(kind: str) -> None:
    """No outline, dot, grey, interval or pale point; caption and figure say why."""
    one, rows = entry(kind), samples()
    grid = api.kind(kind).aggregate(rows, one)
    of = "x_" if kind == "scatter" else ""
    assert grid[f"{of}low"].null_count() == len(grid)
    assert grid[f"{of}se"].null_count() == 0
    told = ". ".join(api.kind(kind).caption(grid, one))
    assert WHY in told
    assert told.count(WHY) == 1
    spec = api.kind(kind).draw(grid, one).to_json()
    assert "not distinguishable" not in spec
    assert "beaten beyond" not in spec
    assert WHY in api.kind(kind).latex(grid, one)
    if kind != "scatter":
        assert grid["tied"].null_count() == len(grid)
        assert grid["best"].sum() == 1
        assert all(
            right
            for *_, right in trace.recounted(rows, grid, one.cells() if kind != "heatmap" else one)
        )


@pytest.mark.parametrize("kind", KINDS)
def test_a_range_of_the_source_makes_them_bounded(kind: str) -> None:
    """Of numbers that the source says lie within a range, an interval is known."""
    one = msgspec.structs.replace(entry(kind), ranges={"tokens": [0.0, 32_000.0]})
    rows = samples().with_columns(pl.col("tokens") / 32_000)
    grid = api.kind(kind).aggregate(rows, one)
    assert grid["x_low" if kind == "scatter" else "low"].null_count() == 0
