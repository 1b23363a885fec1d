"""The library's code: one digest of the rooms that a rule runs, and versions of libraries."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof.util import repository
from heatproof.util.pins import version

if TYPE_CHECKING:
    from pathlib import Path

READ = "util config logs formats samples"
COUNT = f"{READ} statistics metrics.py kinds provenance"
DRAW = f"{COUNT} charts export page"
RUNS = {
    "normalize": READ,
    "aggregate": COUNT,
    "draw": DRAW,
    "publish": f"{DRAW} printed.py paper.py",
}
"""Rule → rooms that it runs. Wider than what it imports: a rule is done again once too often."""
LIBRARIES = {
    "normalize": "isal msgspec numpy polars pyarrow",
    "aggregate": "numpy polars",
    "draw": "altair font-source-sans-pro font-source-serif-pro jinja2 pikepdf pillow polars "
    "pyarrow uharfbuzz vl-convert-python",
    "publish": "jinja2 polars pyarrow",
}


@cache
def code(rule: str) -> dict[str, str]:
    """Digest of the script of a rule and of the rooms that it runs, and library → version."""
    kind = rule if rule in RUNS else "publish"
    script = digest_of(repository.ROOT / "workflow" / "scripts" / f"{rule}.py")
    digests = [script, *(digest_of(repository.LIBRARY / room) for room in RUNS[kind].split())]
    rooms = {"rooms": blake3("".join(digests).encode()).hexdigest()}
    return rooms | {library: version(library) for library in LIBRARIES[kind].split()}


@cache
def digest_of(place: Path) -> str:
    """BLAKE3 of all files of a room, or of a module that is a room by itself."""
    hasher = blake3()
    paths = [place] if place.is_file() else sorted(place.rglob("*"))
    for path in paths:
        if not path.is_file() or path.suffix == ".pyc":
            continue
        hasher.update(f"{path.relative_to(place.parent)}\n".encode() + path.read_bytes())
    return hasher.hexdigest()
