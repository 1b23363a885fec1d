"""coverage: what a sweep holds and lacks."""

from __future__ import annotations

import polars as pl
import pytest

from heatproof import counts, coverage
from heatproof.errors import Error
from test_counts import sweep


def states(rows: pl.DataFrame) -> dict[str, int]:
    return dict(rows.group_by("state").len().iter_rows())


def test_a_full_sweep_is_complete() -> None:
    """Every combination of settings holds all problems and epochs."""
    found = coverage.coverage(counts.count(sweep()), {})
    assert states(found) == {"complete": 8}
    assert found["epochs"].to_list() == found["expected"].to_list() == [15] * 8


def test_missing_and_incomplete_runs_are_listed_for_a_job_array() -> None:
    """One run without logs, one that was cut off: a line each under the names of the settings."""
    rows = sweep().filter(
        (pl.col("run") != "m-s-0.1-0")
        & ((pl.col("run") != "n-t-0.2-0") | (pl.col("sample_id") < "2"))
    )
    found = coverage.coverage(counts.count(rows), {})
    assert states(found) == {"complete": 6, "incomplete": 1, "missing": 1}
    assert coverage.todo(found) == "model\ttask\tratio\tscorer\nm\ts\t0.1\t\nn\tt\t0.2\t\n"
    assert "incomplete  6 of 15  model=n task=t ratio=0.2" in coverage.text(found)


def test_expected_values_that_no_log_has_are_missing() -> None:
    """Values are read as the type of their column."""
    found = coverage.coverage(counts.count(sweep()), {"ratio": ["0.30", "0.2"]})
    assert states(found) == {"complete": 8, "missing": 4}


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ({"rate": ["1"]}, "--expect rate: not a setting; there are model, task, ratio"),
        ({"ratio": ["high"]}, "--expect ratio: high are not all of type Float64"),
    ],
)
def test_wrong_expectations_are_told(expected: dict[str, list[str]], said: str) -> None:
    """The message names column, value and choices."""
    with pytest.raises(Error, match=said):
        coverage.coverage(counts.count(sweep()), expected)
