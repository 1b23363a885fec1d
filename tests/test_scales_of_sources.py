"""Numbers of another scale, of other spreads and printed twice: refused, or said in the figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.kinds import api
from support.built import figure, folder, grid, read
from test_lacking import IN_RECORDS, attempt, lines

__all__ = ["folder"]

SOURCE = IN_RECORDS | {"logs": "a.log", "params": {"seed": "int"}}
AXES = {"x": "task", "y": "model"}


def said(sources: dict[str, Any], **keys: Any) -> str:
    """What is wrong with a config of one figure; empty if nothing is."""
    shown = {"kind": "heatmap", "source": "s"} | keys
    _, problems = configuration.examined({"sources": sources, "figures": {"f": shown}})
    return "\n".join(map(str, problems))


def test_the_spread_of_problems_is_none_of_seeds() -> None:
    """Beside pooled seeds it is refused, with the way out."""
    asked = {"encoding": AXES | {"color": "std(score)"}}
    wrong = said({"s": SOURCE}, pool=["seed"], **asked)
    assert "figures.f.pool[0]: 'seed': std(score) is the spread over problems" in wrong
    assert "choose one value under where, or put it on an axis" in wrong
    assert "put it on an axis" in said({"s": SOURCE}, mean_over="seed", **asked)
    assert not said({"s": SOURCE}, where={"seed": 1}, **asked)


@pytest.mark.parametrize("kind", ["heatmap", "pairwise"])
def test_two_scales_of_joined_sources_are_refused(kind: str) -> None:
    """Unless the figure shows shares of each, or one of both is the usual one."""
    scaled = SOURCE | {"logs": "b.log", "range": {"score": [1, 10]}}
    asked: dict[str, Any] = {"kind": kind, "source": ["x", "y"]}
    if kind == "heatmap":
        asked |= {"encoding": AXES | {"color": "mean(score)"}, "pool": ["source"]}
    else:
        asked |= {"models": ["m", "o"], "measure": "score"}
    wrong = said({"x": scaled, "y": SOURCE}, **asked)
    assert "score is 1 to 10 in 'x' and as it is in 'y'; draw a figure of each" in wrong
    assert ("percent: true" in wrong) == (kind == "heatmap")
    assert not said({"x": scaled, "y": SOURCE | {"range": {"score": [1, 10]}}}, **asked)
    assert not said({"x": SOURCE, "y": SOURCE | {"range": {"score": [0, 100]}}}, **asked)
    if kind == "heatmap":
        assert not said({"x": scaled, "y": SOURCE}, percent=True, **asked)


@pytest.mark.parametrize("form", ["panels", "board"])
def test_pairs_say_the_range_that_their_differences_are_of(form: str) -> None:
    """Figure, caption and LaTeX tell what 0 and 1 are; a score that is a share needs no word."""
    rows = [attempt(n, m=m, s=1 + (n * k) % 10) for n in range(20) for k, m in enumerate("mop", 1)]
    Path("a.log").write_text(lines(*rows))
    samples = pl.scan_parquet(read(logs="a.log", **IN_RECORDS, range={"score": [1, 10]}))
    given = {"name": "f", "kind": "pairwise", "source": "s", "models": [*"mop"], "form": form}
    for ranges in ({"score": [1.0, 10.0]}, {}):
        told = given | {"measure": "score", "ranges": ranges, "caption": "Own words"}
        entry = api.read({"kind": "pairwise"} | told)
        made = api.kind("pairwise").aggregate(samples, entry)
        spec = api.kind("pairwise").draw(made, entry).to_json(ensure_ascii=False)
        caption = " ".join(api.kind("pairwise").caption(made, entry))
        latex = api.kind("pairwise").latex(made, entry)
        for words in (spec.lower(), caption, latex):
            assert ("1–10 as 0–1" in words) == bool(ranges)


def test_two_printed_numbers_of_one_run_make_its_cell_incomplete() -> None:
    """The first is drawn, and the figure says that there is another."""
    Path("a.log").write_text("m,t,acc\na,t,0.41\na,t,0.9\nb,t,0.5\n")
    source = {"format": "csv", "fields": {"model": "m", "task": "t"}, "aggregates": {"acc": "acc"}}
    shown = {"x": "task", "color": "printed(acc)"}
    made = grid(read(logs="a.log", **source), **shown)
    assert made.select("y", "value", "epochs", "expected").rows() == [
        ("a", 0.41, 1, 2), ("b", 0.5, 1, 1)
    ]  # fmt: skip
    caption = " ".join(api.kind("heatmap").caption(made, figure(**shown)))
    assert "Incomplete: Model a, Task t: 1 of 2 printed numbers" in caption
    Path("a.log").write_text(lines(attempt(0), attempt(0)))
    assert grid(read(logs="a.log", **IN_RECORDS), x="task")["expected"].to_list() == [1]
