"""Pairs of models whose every instance is right or wrong: four numbers say all of a pair."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.kinds.pairwise import words
from heatproof.library import frames

FIELDS = {"sample_id": "q", "score": "s"}
RIGHT = {"a": "1110000111", "b": "1100100110", "c": "0000001111"}


def rows(right: dict[str, str] = RIGHT) -> dict[str, list[Any]]:
    """A table of ten problems that models solve or not."""
    return {
        "model": [m for m, told in right.items() for _ in told],
        "q": [n for told in right.values() for n in range(len(told))],
        "s": [int(one) for told in right.values() for one in told],
    }


def made(models: str, **keys: Any) -> tuple[Any, pl.DataFrame]:
    """Entry and grid of a figure."""
    block = {
        "name": "f",
        "kind": "pairwise",
        "source": "s",
        "models": [*models],
        "measure": "score",
    }
    entry = api.read(block | keys)
    samples = frames.samples_of(rows(), ["model"], ["score"], FIELDS, {})
    return entry, api.part("pairwise", "aggregate").aggregate(samples.lazy(), entry)


def quarters(grid: pl.DataFrame, x: str, y: str) -> list[int]:
    """Instances of a pair: neither, x alone, y alone, both."""
    return grid.filter(x_model=x, y_model=y).sort("y0", "x0")["samples"].to_list()


@pytest.mark.parametrize("x", ["a", "b"])
def test_four_numbers_are_those_of_the_table(x: str) -> None:
    """Counted by hand from the verdicts."""
    entry, grid = made("abc")
    assert words.are_verdicts(grid, entry)
    for y in "abc"["abc".index(x) + 1 :]:
        pairs = [*zip(RIGHT[x], RIGHT[y], strict=True)]
        wanted = [pairs.count(one) for one in (("0", "0"), ("1", "0"), ("0", "1"), ("1", "1"))]
        assert quarters(grid, x, y) == wanted


def test_they_are_recounted_and_opened() -> None:
    """Trace counts each of the four from the samples, and evidence names their instances."""
    entry, grid = made("abc")
    samples = frames.samples_of(rows(), ["model"], ["score"], FIELDS, {})
    told = [*api.part("pairwise", "trace").recounted(samples.lazy(), grid, entry)]
    assert len(told) > 12
    assert all(agrees for *_, agrees in told)
    bad = grid.with_columns(samples=pl.col("samples") + 1)
    told = [*api.part("pairwise", "trace").recounted(samples.lazy(), bad, entry)]
    assert not all(agrees for *_, agrees in told)
    behind = api.part("pairwise", "trace").behind(
        samples.lazy(), grid, entry, {"x_model": "a", "y_model": "b", "x": "0.5", "y": "0"}
    )
    assert behind.samples == quarters(grid, "a", "b")[1]
    assert behind.agrees


@pytest.mark.parametrize("models", ["ab", "abc"])
def test_the_numbers_are_drawn(models: str) -> None:
    """In panels and on boards, without a line of parity and without dots."""
    chart = hp.figure(rows(), "pairwise", FIELDS, models=[*models], measure="score").to_dict()
    text = json.dumps(chart)
    _, grid = made(models)
    for count in quarters(grid, "a", "b"):
        assert f'"text": "{count}"' in text or f'"samples": {count}' in text
    assert "parity" not in text
    assert "line: equal" not in text


def test_bins_that_are_asked_for_stay() -> None:
    """Ten are ten, and a value between needs them."""
    entry, grid = made("ab", bins=10)
    assert words.across(grid) == 10
    assert not words.are_verdicts(grid, entry)
    table = rows()
    table["s"][0] = 0.5
    samples = frames.samples_of(table, ["model"], ["score"], FIELDS, {})
    free = api.read(
        {"name": "f", "kind": "pairwise", "source": "s", "models": ["a", "b"], "measure": "score"}
    )
    assert words.across(api.part("pairwise", "aggregate").aggregate(samples.lazy(), free)) == 10
