"""heatproof diff: two builds, cell by cell, with the logs behind what changed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from heatproof.cli.main import main
from heatproof.provenance import diff
from heatproof.util.errors import Error

pytestmark = pytest.mark.workflow

LOG = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


@pytest.fixture
def after(copy_of_small: Any) -> Path:
    """The small sweep, built again after one score of one log changed."""
    log = copy_of_small.root / LOG
    log.write_text(log.read_text().replace("false", "true", 1))
    status, said = copy_of_small.run()
    assert status == 0, said
    return Path(copy_of_small.root)


def test_two_builds_are_compared(
    small: Any, after: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cell, its values and the log that changed; everything else is the same."""
    assert main(["diff", str(small.root), str(after), "--json"]) == 1
    figures = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert {"grid", "twice", "mean", "pair"} >= figures.keys() >= {"grid", "mean"}
    (change,) = figures["grid"]["changes"]
    assert change["cell"] == {"task": "t", "y": 500, "x": 0.1}
    assert change["logs"] == [LOG]
    rise = change["after"]["value"] - change["before"]["value"]
    assert rise == pytest.approx(1 / 8)
    assert main(["diff", str(small.root), str(after)]) == 1
    said = capsys.readouterr().out
    assert "grid: 1 of 8 cells changed" in said
    assert f"(+0.125)\n    {LOG}\n" in said
    assert main(["diff", str(after), str(after / "results")]) == 0


def test_a_git_revision_is_a_build(small: Any, copy_of_small: Any) -> None:
    """Results that were committed are compared as they were then."""
    root = copy_of_small.root
    git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-f", "results"], check=True)
    subprocess.run([*git, "commit", "-qm", "results"], check=True)
    (root / "results/grids/pair.parquet").unlink()
    with diff.results("HEAD", root) as before, diff.results(str(small.root), root) as now:
        assert all(not one.changes and not one.note for one in diff.figures(before, now))
    with pytest.raises(Error, match="neither a folder with results nor a git revision"):
        diff.results("nothing", root).__enter__()
