"""What the page tells of the numbers of a figure: a table of them, and what lies behind each.

Told while samples and grid are at hand, and kept as plain values: the page itself is made without
a library of frames, and holds no samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.kinds import api

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.util.lazy import polars as pl


def told(
    samples: Sequence[pl.LazyFrame],
    entry: Any,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> dict[str, Any]:
    """Plain values: the `table` (`table.Table`) and the `story` of a figure.

    Args:
        samples: the tables that the grid was made of, in portions, a log in one as a whole.
        entry: the figure's block of the config.
        grid: its cells.
        partial: the counts of the samples (`samples.counts`), likewise.

    Returns:
        `story` is what `kinds.api.Evidence` tells, without what is empty.
    """
    story = api.part(entry.kind, "evidence").story(samples, entry, grid, partial)
    if story:
        story["cells"] = [{key: v for key, v in cell.items() if v} for cell in story["cells"]]
    table = api.part(entry.kind, "table").table(grid, entry)
    return {"table": msgspec.to_builtins(table), "story": story}
