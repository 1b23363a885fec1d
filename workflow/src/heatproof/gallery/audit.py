"""What the gallery page needs so that the cells of a figure can be opened: all in one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.gallery import hits
from heatproof.provenance import provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def audit(
    story: Mapping[str, Any], spec: Mapping[str, Any], svg: bytes, files: Sequence[str]
) -> dict[str, Any]:
    """The story of each cell, where it is drawn, and the file that `heatproof trace` is to read.

    Args:
        story: what is told of its cells, see `told.told`.
        spec: its Vega-Lite spec.
        svg: the spec drawn.
        files: paths of the figure's files; its PNG is traced, or else its SVG.

    Returns:
        Plain values; empty if the panels are not found in the drawing, or the kind tells nothing.
    """
    boxes = hits.boxes(spec, svg) if story else []
    if not boxes:
        return {}
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
