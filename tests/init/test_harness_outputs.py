"""Whole default outputs of harnesses, through `init`, `format: auto` and the readers.

The cells of the first figure are those that were planted (support/harness_outputs.py), by name.
"""

import csv
from pathlib import Path

import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.library import reading
from heatproof.logs import logs
from support import drawn
from support.folders import init, put
from support.harness_outputs import MODELS, OUTPUTS, files_of, share

HARNESSES = [name for name, output in OUTPUTS.items() if output.format]


def planted_cells(name: str) -> dict[tuple[str, str], float]:
    """Model and condition → the share of problems solved."""
    return {(m, c): share(m, c) for m in MODELS for c in OUTPUTS[name].conditions}


@pytest.mark.parametrize("name", OUTPUTS)
def test_init_draws_the_default_output_of_a_harness(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a question, each cell by the names of its model and condition, and no other."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, files_of(name))
    screen = drawn.begin("logs")
    assert drawn.draws_figures(), screen.text
    planted, cells = planted_cells(name), {}
    _, table = next(drawn.tables())
    rows = [*csv.DictReader(table.splitlines())]
    for row in rows:
        names = table[: table.index(",value")].split(",")
        text = " ".join(row[column] for column in names)
        [cell] = [cell for cell in planted if all(word in text for word in cell)]
        cells[cell] = float(row["value"])
    assert cells == pytest.approx(planted), screen.text
    assert len(rows) == len(cells)


@pytest.mark.slow
@pytest.mark.parametrize("name", HARNESSES)
def test_auto_reads_what_init_reads(name: str, tmp_path: Path) -> None:
    """The format is found by the logs alone; samples and scores are the same."""
    put(tmp_path, files_of(name))
    [keys] = init(tmp_path)["sources"].values()
    assert keys["format"] == OUTPUTS[name].format
    by_auto = configuration.read({"sources": {"found": keys | {"format": "auto"}}}, tmp_path)
    by_name = configuration.read({"sources": {"found": keys}}, tmp_path)
    assert read_samples(by_auto, tmp_path).equals(read_samples(by_name, tmp_path))


def read_samples(config: configuration.Config, root: Path) -> pl.DataFrame:
    """The samples of its source: one for each problem, model and condition."""
    source = config.sources["found"]
    (samples, _), _, problems = reading.tables_of(source, logs.find(source, root), root)
    assert not problems
    return samples
