"""What the gallery page needs so that the cells of a figure can be opened: all in one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import kinds, provenance
from heatproof.gallery import evidence, hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.lazy import polars as pl


def audit(
    entry: Any,
    grid: pl.DataFrame,
    samples: pl.LazyFrame,
    spec: Mapping[str, Any],
    svg: bytes,
    files: Sequence[str],
) -> dict[str, Any]:
    """The story of each cell, where it is drawn, and the file that `heatproof trace` is to read.

    Args:
        entry: the figure's block of the config.
        grid: its cells.
        samples: the tables that it was made of.
        spec: its Vega-Lite spec.
        svg: the spec drawn.
        files: paths of the figure's files; its PNG is traced, or else its SVG.

    Returns:
        Plain values; empty if the panels are not found in the drawing, or the kind tells nothing.
    """
    boxes = hits.boxes(spec, svg)
    story = kinds.own(evidence, entry.kind).story(samples, entry, grid) if boxes else {}
    if not story:
        return {}
    story["cells"] = [{key: told for key, told in cell.items() if told} for cell in story["cells"]]
    return {
        "file": min(files, key=lambda path: (not path.endswith(".png"), not path.endswith(".svg"))),
        "note": " ".join(provenance.notes(record(spec))),
        "size": hits.size(svg),
        "boxes": boxes,
        **story,
    }


def record(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance record in a spec."""
    return {"reconstructed": False, **spec.get("usermeta", {}).get("heatproof", {})}
