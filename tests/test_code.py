"""code: what a stage depends on among the library's own modules."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from heatproof.plan import code_digest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def fresh() -> None:
    """No digest is remembered from one test to the next."""
    code_digest.digest.cache_clear()


def test_a_module_depends_on_all_it_imports() -> None:
    """The closure follows imports at any remove, those inside functions too."""
    found = code_digest.closure(["heatproof.readers.jsonl_format"])
    assert {
        "heatproof.readers.jsonl_format",
        "heatproof.readers.lines",
        "heatproof.logs.streams",
        "heatproof.util.errors",
    } <= found
    assert "heatproof.readers.csv_format" not in found


def test_drawing_is_no_part_of_reading() -> None:
    """A change in the palette must not read the logs again."""
    found = code_digest.closure(["heatproof.samples.normalize", "heatproof.readers.dynts_format"])
    assert not {name for name in found if "figures." in name or "colour" in name}


def test_a_changed_module_changes_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest follows the text of each module in the closure, and library versions."""
    before = code_digest.digest(("heatproof.kinds.heatmap.aggregate",), ("polars",))
    assert before == code_digest.digest(("heatproof.kinds.heatmap.aggregate",), ("polars",))
    source = code_digest._source
    code_digest.digest.cache_clear()
    monkeypatch.setattr(
        code_digest, "_source", lambda m: source(m) + (b"#" if m == "heatproof.metrics" else b"")
    )
    assert code_digest.digest(("heatproof.kinds.heatmap.aggregate",), ("polars",)) != before
    assert code_digest.digest(("heatproof.logs.streams",)) == code_digest.digest(
        ("heatproof.logs.streams",)
    )
    code_digest.digest.cache_clear()
    monkeypatch.setattr(code_digest, "version", lambda _: "99")
    assert code_digest.digest(("heatproof.logs.streams",), ("polars",)) != code_digest.digest(
        ("heatproof.logs.streams",)
    )


def test_a_project_that_links_to_a_workflow_runs_its_code(tmp_path: Path) -> None:
    """What a job and `verify` take for the code is the same, whichever way the library is found."""
    (tmp_path / "workflow").symlink_to(code_digest.REPOSITORY / "workflow")
    asked = "from heatproof.plan import code_digest; print(*code_digest.program())"
    beside = {**os.environ, "PYTHONPATH": str(tmp_path / "workflow" / "src")}
    found = subprocess.run(
        [sys.executable, "-c", asked], env=beside, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == [*code_digest.program()]
