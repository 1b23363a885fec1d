"""A grid that is damaged, or none of ours, is named with the way out, by all that reads grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from heatproof.provenance import diff
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("data", [b"", b"x", b"PAR1xxxxPAR1", None])
def test_a_damaged_grid_is_named(data: bytes | None, tmp_path: Path) -> None:
    """Whatever lies in its place; a table without a record is none of ours."""
    for build in ("before", "after"):
        folder = tmp_path / build / "grids"
        folder.mkdir(parents=True)
        if data is None:
            pl.DataFrame({"value": [1.0]}).write_parquet(folder / "mine.parquet")
        else:
            (folder / "mine.parquet").write_bytes(data)
    with pytest.raises(Error, match=r"mine\.parquet: damaged, no grid of ours any more: run snake"):
        diff.compared(tmp_path / "before", tmp_path / "after")
