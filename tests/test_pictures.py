"""results/figures.json: by what figures are known that have lost their records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from heatproof.provenance import identify, pictures

if TYPE_CHECKING:
    from pathlib import Path

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="9"><rect width="9" height="9"/></svg>'


def test_pictures_are_known_by_their_pixels(tmp_path: Path) -> None:
    """By name, in order, with the id of the spec."""
    (tmp_path / "results/specs").mkdir(parents=True)
    for name, width in {"b": 10, "a": 9}.items():
        (tmp_path / f"{name}.svg").write_text(SVG.format(width))
        spec = {"usermeta": {"heatproof": {"id": f"{name}{width}"}}}
        (tmp_path / f"results/specs/{name}.vl.json").write_text(json.dumps(spec))
    assert pictures.seen({"b": "b.svg", "a": "a.svg"}, tmp_path) == [
        identify.Seen(name, f"{name}{width}", identify.of_svg(SVG.format(width).encode(), 72))
        for name, width in (("a", 9), ("b", 10))
    ]
