"""Logs that the libraries of harnesses wrote, drawn as `heatproof init` says, have their numbers.

`HEATPROOF_ORACLES` names a Python that has the libraries (`tests/oracles/README.md`).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import heatproof
from reading import run
from support.folders import init

PYTHON = os.environ.get("HEATPROOF_ORACLES", "")
SCRIPTS = sorted((Path(__file__).parents[1] / "oracles").glob("*_logs.py"))


@pytest.mark.skipif(not PYTHON, reason="HEATPROOF_ORACLES names no Python with the libraries")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem.removesuffix("_logs"))
def test_cells_are_what_the_library_says(script: Path, tmp_path: Path) -> None:
    """One source, its reader chosen, and each value equal to the last digits of a float."""
    (tmp_path / "logs").mkdir()
    ran = subprocess.run(
        [PYTHON, str(script), str(tmp_path / "logs")], capture_output=True, text=True, check=False
    )
    if "ModuleNotFoundError" in ran.stderr:
        pytest.skip(ran.stderr.splitlines()[-1])
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    [source] = init(tmp_path)["sources"].values()
    assert {**source, **told["source"]} == source
    result = run(tmp_path, **source)
    x = told.get("x", "task")
    cells = heatproof.grid(result.samples, x=x, y="model", metric=told["metric"])
    found = {(x, y): value for x, y, value in cells.select(x, "model", "value").iter_rows()}
    expected = {(x, model): value for x, model, value in told["values"]}
    assert found == pytest.approx(expected, abs=1e-12)
