"""heatproof diff: two builds, cell by cell, with the logs behind what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heatproof.cli.main import main

pytestmark = pytest.mark.workflow

LOG = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


@pytest.fixture
def after(copy_of_small: Any) -> Path:
    """The small sweep, built again after one score of one log changed."""
    log = copy_of_small.root / LOG
    log.write_text(log.read_text().replace("false", "true", 1))
    status, output = copy_of_small.run()
    assert status == 0, output
    return Path(copy_of_small.root)


def test_two_builds_are_compared(
    small: Any, after: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cell, its values and the log that changed; everything else is the same."""
    assert main(["diff", str(small.root), str(after)]) == 1
    output = capsys.readouterr().out
    assert "grid: 1 of 8 cells changed" in output
    (change,) = (line for line in output.splitlines() if "(+0.125)" in line and "x=0.1" in line)
    assert all(part in change for part in ("task=t", "y=500", "value "))
    assert output.split(change)[1].startswith(f"\n    {LOG}\n")
    assert "mean: 1 of " in output
    assert main(["diff", str(after), str(after / "results")]) == 0
    assert main(["diff", str(after), "nothing"]) == 2
