"""results/figures.json: how each figure can be known again when its record is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.proof import identify, pixels

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def seen(figures: Iterable[str], root: Path) -> list[identify.Seen]:
    """Name, id and pixels of each figure, by its SVG, of which the other files are made."""
    found = []
    for name in sorted(figures):
        drawn = (root / f"results/figures/{name}.svg").read_bytes()
        record = identify.of_spec(name, root)
        found.append(identify.Seen(name, str(record.get("id", "")), pixels.of_svg(drawn)))
    return found
