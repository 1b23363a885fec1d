"""results/figures.json: how each figure can be known again when its record is lost."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from heatproof.provenance import identify, kept, made, pixels
from heatproof.samples import tables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MEMO = made.FOLDER / "pixels.json"


class Memo(msgspec.Struct):
    """The pixels of pictures seen before: to draw a figure for them takes as long as to make it."""

    code: str
    """Digest of the code that saw them."""
    pixels: dict[str, str]
    """SHA-256 of a file → digest of its pixels."""


def seen(figures: Mapping[str, str], root: Path, code: str) -> list[identify.Seen]:
    """Name, id and pixels of each figure; `figures`: name → its PNG, else its SVG.

    A PNG gives the digest that its SVG does, without a renderer. Figures that have none are drawn
    coarsely.
    """
    known, now = _known(root, code), dict[str, str]()
    found = []
    for name, path in sorted(figures.items()):
        data = (root / path).read_bytes()
        file = hashlib.sha256(data).hexdigest()
        now[file] = known.get(file) or _look(data, path)
        record = identify.of_spec(name, root)
        found.append(identify.Seen(name, str(record.get("id", "")), now[file]))
    (root / MEMO).parent.mkdir(parents=True, exist_ok=True)
    tables.write_bytes(msgspec.json.encode(Memo(code, now)), root / MEMO)
    return found


def _look(data: bytes, path: str) -> str:
    if path.endswith(".png"):
        return pixels.of_our_png(data)
    return pixels.of_svg(data, pixels.COARSE)


def _known(root: Path, code: str) -> dict[str, str]:
    try:
        memo = msgspec.json.decode((root / MEMO).read_bytes(), type=Memo)
    except (OSError, msgspec.DecodeError):
        return {}
    return memo.pixels if memo.code == code and kept.allowed() else {}
