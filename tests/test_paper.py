"""Digits that a paper prints, compared with cells; and the logs made of them."""

import csv
import gzip
import importlib.util
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from heatproof import paper
from heatproof.plan import planned
from heatproof.util.errors import Error

DATA = Path(__file__).parent.parent / "data/published"
CELLS, MEANS = DATA / "dynts_pass_at_1.csv", DATA / "dynts_pass_at_1_mean.csv"
ROWS = [*csv.DictReader(CELLS.read_text().splitlines())]


def reconstruct() -> Any:
    """The script beside the digits."""
    spec = importlib.util.spec_from_file_location("reconstruct", DATA / "reconstruct.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Heatmaps(NamedTuple):
    """Grids, and the blocks of the config that they are of."""

    grids: dict[str, pl.DataFrame]
    entries: dict[str, dict[str, Any]]

    def compare(self, *tables: Path) -> list[dict[str, str]]:
        return [row for path in tables for row in paper.compare(path, self.grids, self.entries)]


@pytest.fixture(scope="module")
def heatmaps() -> Heatmaps:
    """As the logs of the digits give them: a heatmap of each model, and one of the means."""
    right = reconstruct().right_answers
    encoding = {"x": "ratio", "y": "local_window", "color": "pass@1"}
    block = {"encoding": encoding, "relative_to": None}
    frame = pl.DataFrame(
        {
            "model": row["model"], "task": row["task"],
            "x": float(row["ratio"]), "y": int(row["local_window"]),
            "value": right(row["pass@1"], int(row["epochs"])) / int(row["epochs"]),
            "samples": int(row["samples"]), "epochs": int(row["epochs"]),
        }
        for row in ROWS
    )  # fmt: skip
    grids = {"mean": frame.group_by("model", "x", "y").agg(pl.col("value").mean())}
    entries: dict[str, dict[str, Any]] = {"mean": {**block, "where": {}}}
    for (model,), part in frame.partition_by("model", as_dict=True).items():
        grids[model] = part.drop("model")
        entries[model] = {**block, "where": {"model": model}}
    return Heatmaps(grids, entries)


def test_the_logs_in_the_data_are_made_of_the_printed_digits() -> None:
    """Byte by byte; each digit has one count of right answers, and all is marked as made up."""
    logs = dict(map(reconstruct().log, ROWS))
    assert {f"{name}.gz" for name in logs} == {path.name for path in (DATA / "logs").iterdir()}
    for name, text in logs.items():
        assert gzip.decompress((DATA / "logs" / f"{name}.gz").read_bytes()).decode() == text
        assert text.count('"reconstructed":true') == len(text.splitlines())


def test_198_of_200_digits_agree(heatmaps: Heatmaps) -> None:
    """All cells and 38 of 40 means follow from the counts; no share lies on the half."""
    rows = heatmaps.compare(CELLS, MEANS)
    shares = [Fraction(row["computed"]) for row in rows]
    assert not any((10 * share + Fraction(1, 2)).denominator == 1 for share in shares)
    assert paper.summary(rows) == (
        "198 of 200 printed digits agree; "
        "not model R1-Llama, ratio 0.1, local_window 2000 (printed 49.5, computed 49.43); "
        "not model R1-Llama, ratio 0.3, local_window 3000 (printed 50.6, computed 50.65)."
    )
    lines = paper.table(rows).splitlines()
    head = "model,task,ratio,local_window,samples,epochs,printed,computed,agree,figures"
    assert lines[:2] == [head, "R1-Llama,AIME24,0.1,500,30,150,40.0,40.000,yes,R1-Llama"]
    assert lines[-1].startswith("R1-Qwen,,")
    assert len(lines) == 201


def test_wrong_digits_and_incomplete_cells_do_not_agree(heatmaps: Heatmaps, tmp_path: Path) -> None:
    """A digit changed by a tenth; cells that lack samples, have no value, or have two values.

    Differences to a baseline are no digits of cells.
    """
    wrong = tmp_path / "digits.csv"
    wrong.write_text(CELLS.read_text().replace(",40.0,", ",40.1,", 1))
    assert [row["printed"] for row in heatmaps.compare(wrong) if row["agree"] == "no"] == ["40.1"]
    for change in (pl.col("epochs") - 1, pl.lit(None, pl.Float64).alias("value")):
        grids = {name: grid.with_columns(change) for name, grid in heatmaps.grids.items()
                 if name != "mean"}  # fmt: skip
        entries = {name: heatmaps.entries[name] for name in grids}
        rows = paper.compare(CELLS, grids, entries)
        assert paper.summary(rows) == "0 of 0 printed digits agree; 160 are in no heatmap."
    changes = {
        name: {**entry, "relative_to": {"ratio": 0.1}} for name, entry in heatmaps.entries.items()
    }
    rows = paper.compare(CELLS, heatmaps.grids, changes)
    assert paper.summary(rows) == "0 of 0 printed digits agree; 160 are in no heatmap."
    twice = {"other": heatmaps.grids["R1-Llama"].with_columns(pl.col("value") / 2)}
    entries = heatmaps.entries | {"other": heatmaps.entries["R1-Llama"]}
    rows = paper.compare(CELLS, heatmaps.grids | twice, entries)
    assert "80 of 160 printed digits agree" in paper.summary(rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,pass@1\nm,4o\n", "digits.csv:2: pass@1: '4o' is not a number"),
        ("model,pass@1\nm,\n", "digits.csv:2: pass@1: None is not a number"),
        ("model,pass@1\nm,NaN\n", "digits.csv:2: pass@1: 'NaN' is not a number"),
        ("model,accuracy\nm,1\n", "needs one column of digits, named as a metric: pass@1; it has model"),
    ],
)  # fmt: skip
def test_a_bad_table_is_named(heatmaps: Heatmaps, tmp_path: Path, text: str, message: str) -> None:
    """By file, line, column and value."""
    path = tmp_path / "digits.csv"
    path.write_text(text)
    with pytest.raises(Error, match=message):
        heatmaps.compare(path)


def test_a_table_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    """Told before any job; heatmaps of the source are compared, whatever they colour."""
    (tmp_path / "m_t_N1-R0.1-KW5-PKVL5.jsonl").touch()
    source = {"format": "dynts", "logs": "*.jsonl", "published": "cells.csv"}
    encoding = {"x": "ratio", "y": "model", "color": "pass@1"}
    figure = {"kind": "heatmap", "source": "runs", "encoding": encoding}
    raw = {"sources": {"runs": source}, "figures": {"grid": figure}}
    with pytest.raises(Error, match=r"sources.runs.published: no file 'cells.csv'"):
        planned(raw, tmp_path)
    (tmp_path / "cells.csv").touch()
    assert planned(raw, tmp_path).checks == {"runs": ["grid"]}
