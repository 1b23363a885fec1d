"""Digits that a paper prints, compared with cells; and the logs made of them."""

import gzip
import importlib.util
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from heatproof import paper
from heatproof.config import configuration
from heatproof.plan import SECTIONS
from heatproof.util.errors import Error

DATA = Path(__file__).parent.parent / "data/published"
CONFIG: dict[str, Any] = {
    "sources": {"runs": {"format": "dynts", "logs": "data/runs/*.jsonl*"}},
    "figures": {"grid": {"kind": "heatmap", "source": "runs", "encoding": {
        "x": "ratio", "y": "model", "color": "pass@1"}}},
}  # fmt: skip
HEADER = "model,benchmark,ratio,local_window,pass_at_1,problems,samples_per_problem\n"
CELLS = paper.read((DATA / "dynts_pass_at_1.csv").read_text())
MEANS = paper.read((DATA / "dynts_pass_at_1_mean.csv").read_text(), means=True)


def reconstruct() -> Any:
    """The script beside the digits."""
    spec = importlib.util.spec_from_file_location("reconstruct", DATA / "reconstruct.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def heatmaps(rows: list[paper.Digits]) -> SimpleNamespace:
    """Grids and config entries as the logs of `rows` give them: one a model, one of means."""
    right, encoding = reconstruct().right_answers, {"x": "ratio", "y": "local_window"}
    columns = ["model", "task", "x", "y", "value", "epochs"]
    cells = [
        (d.model, d.benchmark, float(d.ratio), int(d.local_window), right(d) / d.graded, d.graded)
        for d in rows
    ]
    frame = pl.DataFrame(cells, schema=columns, orient="row")
    means = pl.col("value").mean(), pl.col("epochs").sum()
    grids = {"mean": frame.group_by("model", "x", "y").agg(means)}
    entries = {"mean": {"encoding": encoding, "where": {}, "mean_over": "task"}}
    for (model,), part in frame.partition_by("model", as_dict=True).items():
        grids[model] = part.drop("model")
        entries[model] = {"encoding": encoding, "where": {"model": model}}
    return SimpleNamespace(grids=grids, entries=entries)


def test_the_logs_in_the_data_are_made_of_the_printed_digits() -> None:
    """Byte by byte; each digit has one count of right answers, and all is marked as made up."""
    script = reconstruct()
    logs = dict(map(script.log, CELLS))
    assert {f"{name}.gz" for name in logs} == {path.name for path in (DATA / "logs").iterdir()}
    for name, text in logs.items():
        assert gzip.decompress((DATA / "logs" / f"{name}.gz").read_bytes()).decode() == text
        assert text.count('"reconstructed":true') == len(text.splitlines())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("m,t,0.1,500,4o,3,2", "digits.csv:2: pass_at_1: '4o' is not a number"),
        ("m,t,low,500,40,3,2", "digits.csv:2: ratio: 'low' is not a number"),
        ("m,t,0.1,500,40,0,2", "digits.csv:2: problems: '0' is not a count"),
        ("m,t,0.1,500,40,3", "digits.csv:2: samples_per_problem: None is not a count"),
    ],
)
def test_a_bad_row_is_named(line: str, message: str) -> None:
    """By file, line, column and value."""
    with pytest.raises(Error, match=message):
        paper.read(HEADER + line + "\n", "digits.csv")
    with pytest.raises(Error, match=r"digits.csv: no column 'benchmark'"):
        paper.read(HEADER.replace("benchmark,", ""), "digits.csv")


def test_198_of_200_digits_agree() -> None:
    """All cells and 38 of 40 means follow from the counts; no share lies on the half."""
    figures = heatmaps(CELLS)
    rows = paper.compare(figures.grids, figures.entries, CELLS, MEANS)
    exact = [row.computed for row in rows if row.computed is not None]
    assert len(exact) == 200
    assert not any((10 * share + Fraction(1, 2)).denominator == 1 for share in exact)
    assert paper.summary(rows) == (
        "198 of 200 printed digits agree; "
        "not R1-Llama, mean, window 2000, ratio 0.1 (printed 49.5, computed 49.43); "
        "not R1-Llama, mean, window 3000, ratio 0.3 (printed 50.6, computed 50.65)."
    )
    lines = paper.table(rows).splitlines()
    assert lines[0] == "model,benchmark,ratio,local_window,printed,computed,agree,figures"
    assert lines[1] == "R1-Llama,AIME24,0.1,500,40.0,40.000,yes,R1-Llama"
    assert len(lines) == 201


def test_wrong_digits_and_incomplete_cells_do_not_agree() -> None:
    """A digit changed by a tenth; a cell that lacks samples is not compared as if it were whole."""
    figures = heatmaps(CELLS)
    wrong = [CELLS[0]._replace(text="40.1"), *CELLS[1:]]
    rows = paper.compare(figures.grids, figures.entries, wrong, [])
    assert [row.digits.text for row in rows if not row.agree] == ["40.1"]
    for change in (pl.col("epochs") - 1, pl.lit(None).alias("value")):
        grids = {name: grid.with_columns(change) for name, grid in figures.grids.items()}
        rows = paper.compare(grids, figures.entries, CELLS, [])
        assert "0 of 160 printed digits agree" in paper.summary(rows)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("cells.csv", "config.yaml: paper: 'cells.csv' is not a mapping"),
        ({"run": {"cells": "c"}}, "config.yaml: paper.run: 'run' is not a source"),
        ({"runs": {"means": "m.csv"}}, "config.yaml: paper.runs: needs 'cells'"),
        ({"runs": {"cells": "c", "mean": "m"}}, "paper.runs: 'mean' is not a key here"),
    ],
)
def test_mistakes_in_the_section_are_told(section: object, message: str) -> None:
    """Like all others in config.yaml, with their place."""
    with pytest.raises(Error, match=message):
        configuration.read(deepcopy(CONFIG) | {"paper": section}, others=SECTIONS)


def test_heatmaps_of_pass_at_1_are_compared() -> None:
    """Of each source that a figure shows; tables that are not there are told before any job."""
    raw = deepcopy(CONFIG)
    block = raw["figures"]["grid"]
    raw["figures"]["tokens"] = block | {"encoding": block["encoding"] | {"color": "mean(tokens)"}}
    entry = paper.Entry("c.csv")
    figures = configuration.read(raw).figures
    (check,) = paper.checks({"runs": entry, "unseen": entry}, figures, ["runs"])
    assert (check.key, check.files, check.figures) == ("paper.runs", {"cells": "c.csv"}, ["grid"])
