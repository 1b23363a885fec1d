"""Behind the figures of any kind: nothing that a cell can tell, so none can be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config import Figure
    from heatproof.lazy import polars as pl


def story(
    samples: Sequence[pl.LazyFrame],  # noqa: ARG001
    entry: Figure,  # noqa: ARG001
    grid: pl.DataFrame,  # noqa: ARG001
    partial: Sequence[pl.LazyFrame] | None = None,  # noqa: ARG001
) -> dict[str, Any]:
    """Nothing: where its cells lie in the picture is known to the kind alone."""
    return {}
