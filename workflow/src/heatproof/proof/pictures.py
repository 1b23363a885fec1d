"""results/figures.json: how each figure can be known again when its record is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.proof import identify, pixels

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def seen(figures: Mapping[str, str], root: Path) -> list[identify.Seen]:
    """Name, id and pixels of each figure; `figures`: name → its PNG, else its SVG.

    PNG and SVG give the same digest; that of a PNG of ours needs no renderer.
    """
    found = []
    for name, path in sorted(figures.items()):
        data = (root / path).read_bytes()
        digest = pixels.of_our_png(data) if path.endswith(".png") else pixels.of_svg(data)
        found.append(identify.Seen(name, str(identify.of_spec(name, root).get("id", "")), digest))
    return found
