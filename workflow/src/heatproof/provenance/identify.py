"""From a picture to its figure: by the record inside, by its pixels, or by the id printed in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.provenance import artefacts, records
from heatproof.util import regular
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator


class Seen(msgspec.Struct):
    """A figure as the manifest of pictures knows it."""

    figure: str
    id: str
    pixels: str
    """See `heatproof.provenance.pixels`; the same for PNG and SVG of a figure that has both."""


class Found(msgspec.Struct):
    """A figure, and how it was found."""

    record: dict[str, Any]
    how: str

    @property
    def figure(self) -> str:
        return str(self.record["figure"])


def find(given: str, root: Path) -> Found:
    """The figure of a file, or the one of that name or id; `root` is the project's folder.

    Raises:
        Error: nothing leads to a figure of this project.
    """
    path = Path(given)
    if not path.is_file():
        return _named(given, root)
    data = path.read_bytes()
    record = inside(data)
    if record and records.is_one(record):
        return Found(record, f"by the record in {path.name}")
    figures = known(root)
    for look, how in ((_pixels, "by its pixels"), (_printed, "by the id printed in it")):
        name = look(data, figures)
        if name:
            return Found(of_spec(name, root), f"{how}: {path.name} holds no record")
    raise Error(
        f"{given} holds no record of this project, its pixels are those of no figure in "
        f"{artefacts.PICTURES}; give the id printed in its lower right corner instead of the file"
    )


def inside(data: bytes) -> dict[str, Any] | None:
    """The record in a figure's file, spec or grid; None where there is none that can be read."""
    try:
        if data[:1] == b"{":
            return dict(json.loads(data)["usermeta"]["heatproof"])
        if data[:4] == b"PAR1":
            return _footer(data)
        return _held(data)
    except Exception:  # noqa: BLE001 - whatever is broken, there are other ways
        return None


def _held(data: bytes) -> dict[str, Any] | None:
    from heatproof.export import export  # each start of a run asks specs alone

    return export.record(data)


def _footer(data: bytes) -> dict[str, Any] | None:
    import io

    from heatproof.samples import tables
    from heatproof.util.lazy import polars as pl

    found = json.loads(pl.read_parquet_metadata(io.BytesIO(data)).get(tables.RECORD, "{}"))
    return dict(found) or None


def known(root: Path) -> list[Seen]:
    """The pictures of the last build, as far as it came; none before the first."""
    try:
        return msgspec.json.decode(regular.read(root / artefacts.PICTURES), type=list[Seen])
    except (OSError, msgspec.DecodeError):
        return [*_drawn(root)]


def _drawn(root: Path) -> Iterator[Seen]:
    """Where a part was built: the figures that were drawn; of their pixels nothing is known."""
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        if record := inside(regular.read(path)):
            yield Seen(str(record["figure"]), str(record["id"]), "")


def of_spec(figure: str, root: Path) -> dict[str, Any]:
    """The record of a figure, from its spec."""
    path = root / paths.spec(figure)
    record = inside(path.read_bytes()) if path.is_file() else None
    if not record:
        raise Error(f"{paths.spec(figure)} is not there or holds no record: run snakemake")
    return record


def _named(given: str, root: Path) -> Found:
    figures = known(root)
    for seen in figures:
        if given in (seen.figure, seen.id):
            return Found(
                of_spec(seen.figure, root), f"by its {'id' if given == seen.id else 'name'}"
            )
    names = [name for seen in figures for name in (seen.figure, seen.id)]
    those = choices(given, names) if names else "no figure is drawn yet: run snakemake"
    raise Error(f"{given!r} is no file, no figure that is drawn and no figure's id; {those}")


def _pixels(data: bytes, figures: list[Seen]) -> str | None:
    from heatproof.provenance import pixels

    try:
        found = pixels.possible(data)
    except Exception:  # noqa: BLE001 - not a picture that can be drawn
        return None
    return next((seen.figure for seen in figures if seen.pixels in found), None)


def _printed(data: bytes, figures: list[Seen]) -> str | None:
    ids = {found.decode() for found in re.findall(rb"heatproof ([0-9a-f]{8})", data)}
    return next((seen.figure for seen in figures if seen.id in ids), None)
