"""What the page tells of the numbers of a figure: a table of them, and what lies behind each.

Told while the grid is at hand, and kept as plain values: the page itself is made without a library
of frames, and holds no samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.kinds import api

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.util.lazy import polars as pl


def told(found: Mapping[str, Any], entry: Any, grid: pl.DataFrame) -> dict[str, Any]:
    """Plain values: the `table` (`table.Table`) and the `story` of a figure.

    Args:
        found: what lies behind its cells, as `records` of its kind has it.
        entry: the figure's block of the config.
        grid: its cells.

    Returns:
        `story` is what `kinds.api.Evidence` tells, without what is empty.
    """
    story = api.part(entry.kind, "evidence").story(found, entry, grid)
    if story:
        story["cells"] = [{key: v for key, v in cell.items() if v} for cell in story["cells"]]
    table = api.part(entry.kind, "table").table(grid, entry)
    return {"table": msgspec.to_builtins(table), "story": story}
