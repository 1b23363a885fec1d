"""units: values that a source's `range` brought to 0–1, shown as the logs have them."""

import json
from typing import Any

import polars as pl
import pytest

from heatproof.charts import units
from heatproof.config import configuration
from heatproof.kinds import api, heatmap
from heatproof.util.errors import Error
from support.samples import heat, table

RANGE = {"score": [1.0, 10.0], "win": [0.0, 100.0]}
ASKED = {"x": "turn", "y": "model", "color": "mean(score)"}


def samples() -> pl.LazyFrame:
    """Two models with two turns of three questions, graded from 1 to 10."""
    marks = {("m", 1): (7, 8, 9), ("m", 2): (1, 2, 10), ("n", 1): (5, 5, 6), ("n", 2): (4, 3, 3)}
    rows = [
        {"line": n, "model": model, "turn": turn, "sample_id": f"q{n}"}
        | {"score": (mark - 1) / 9, "win": mark / 10}
        for (model, turn), each in marks.items()
        for n, mark in enumerate(each, 1)
    ]
    return table(rows, {"turn": "int"}, ["win"])


def drawn(figure: heatmap.Entry) -> tuple[pl.DataFrame, list[list[str]], str]:
    """The grid, the rows of the table, and all texts of the spec."""
    grid = api.kind("heatmap").aggregate(samples(), figure)
    page = api.kind("heatmap").table(grid, figure)
    chart = api.kind("heatmap").draw(grid, figure)
    return grid, [[*line.cells] for line in page.rows], json.dumps(chart.to_dict())


def test_values_are_those_of_the_logs() -> None:
    """Grid and counts stay shares; figure, table, csv, caption and trace tell 1 to 10."""
    entry = heat("turn", "model", "mean(score)", ranges=RANGE, uncertainty="se")
    grid, lines, spec = drawn(entry)
    assert grid["value"].to_list() == pytest.approx([7 / 9, 10 / 27, 13 / 27, 7 / 27])
    assert {line[1]: line[2] for line in lines if line[0] == "m"} == {"1": "8.00", "2": "4.33"}
    assert "Mean score (1–10)" in spec or "Mean score (1\\u201310)" in spec
    csv = api.kind("heatmap").csv(grid, entry).splitlines()
    head, first = (line.split(",") for line in csv[:2])
    printed = dict(zip(head, first, strict=True))
    assert (printed["value"], float(printed["se"])) == ("8.0", pytest.approx(grid["se"][0] * 9))
    assert "(1–10)" in " ".join(api.kind("heatmap").caption(grid, entry))
    behind = api.kind("heatmap").behind(samples(), grid, entry, {"turn": "1", "model": "m"})
    records = [record["value"] for part in behind.parts for record in part.records]
    assert (behind.value, behind.counted, behind.agrees, records) == (8, 8, True, [7, 8, 9])
    assert all(right for *_, right in api.kind("heatmap").recounted(samples(), grid, entry))


@pytest.mark.parametrize(
    ("word", "ranges", "unit"),
    [
        ("mean(score)", RANGE, (9, 1)),
        ("median(score)", RANGE, (9, 1)),
        ("std(score)", RANGE, (9, 0)),
        ("mean(win)", RANGE, (100, 0)),
        ("sum(win)", RANGE, (100, 0)),
        ("mean(tokens)", RANGE, None),
        ("count", RANGE, None),
        ("pass@1", RANGE, None),
        ("mean(score)", {"score": [0, 100]}, None),
        ("mean(score)", {"score": [0, 1]}, None),
        ("mean(score)", {}, None),
    ],
)
def test_the_unit_follows_metric_and_range(word: str, ranges: Any, unit: Any) -> None:
    """A spread has no start, a count of right ones no range; percent scores stay percent."""
    assert units.logged_unit(word, ranges) == unit


def test_a_sum_has_no_value_in_the_unit_of_the_logs() -> None:
    """Of numbers that were moved to 0; ranges come from the source, and no key of a figure says them."""
    fields = {"model": "m", "task": "t", "sample_id": "i", "score": "s"}
    source = {"format": "jsonl", "logs": "a.jsonl", "fields": fields, "params": {"turn": "int"},
              "range": {"score": [1, 10]}}  # fmt: skip
    figure = {"kind": "heatmap", "source": "s", "encoding": ASKED}
    read = configuration.read({"sources": {"s": source}, "figures": {"f": figure}})
    assert read.figures["f"].ranges == {"score": [1, 10]}
    figure = figure | {"encoding": ASKED | {"color": "sum(score)"}}
    with pytest.raises(Error, match=r"figures\.f\.encoding\.color: the score begins at 1"):
        configuration.read({"sources": {"s": source}, "figures": {"f": figure}})
