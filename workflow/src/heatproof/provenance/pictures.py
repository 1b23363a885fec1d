"""results/figures.json: how each figure can be known again when its record is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.provenance import identify

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def seen(figures: Mapping[str, str], root: Path) -> list[identify.Seen]:
    """Name, id and pixels of each figure; `figures`: name → its PNG, else its SVG.

    A PNG gives the digest that its SVG does, without a renderer. Figures that have none are drawn
    coarsely.
    """
    found = []
    for name, path in sorted(figures.items()):
        record = identify.of_spec(name, root)
        look = _look((root / path).read_bytes(), path)
        found.append(identify.Seen(name, str(record.get("id", "")), look))
    return found


def _look(data: bytes, path: str) -> str:
    if path.endswith(".png"):
        return identify.of_png(data)
    return identify.of_svg(data, identify.COARSE)
