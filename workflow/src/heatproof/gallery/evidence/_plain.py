"""Behind the figures of any kind: nothing that a cell can tell, so none can be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heatproof.config import Figure
    from heatproof.lazy import polars as pl


def story(samples: pl.LazyFrame, entry: Figure, grid: pl.DataFrame) -> dict[str, Any]:  # noqa: ARG001
    """Nothing: where its cells lie in the picture is known to the kind alone."""
    return {}
