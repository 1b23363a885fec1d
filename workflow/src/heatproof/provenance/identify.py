"""From a file to the figures in it, by the record inside or the id printed in it.

Of a record in a file nothing is believed but the name of a figure of this project: what it was made
of stands in its spec. A record may stay where pixels change, so it is looked at what a file shows.
"""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from blake3 import blake3

from heatproof import ledger
from heatproof.config import paths
from heatproof.export import export, png
from heatproof.provenance import papers
from heatproof.samples import tables
from heatproof.util import hashed
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

OTHER = "what it shows is not what was drawn, or it was saved anew"


class Match(msgspec.Struct):
    """A figure, and how a name, an id or a file led to it."""

    record: dict[str, Any]
    """What it was made of, by its spec."""
    how: str
    pages: list[int] = []
    """Of a paper, those that show it."""
    fault: str = ""
    """Why a file does not show it as it was drawn, in words; empty if it does."""

    @property
    def figure(self) -> str:
        return str(self.record["figure"])

    @property
    def label(self) -> str:
        """Name, id and pages."""
        pages = ", ".join(map(str, self.pages))
        where = f", page{'s' * (len(self.pages) > 1)} {pages}" if pages else ""
        return f"{self.figure} (heatproof {self.record.get('id', '?')}){where}"


def find(name: str, root: Path) -> list[Match]:
    """The figures in a file, or the one of that name or id; `root` is the project's folder.

    Raises:
        Error: nothing leads to a figure of this project.
    """
    path, figures = Path(name), drawn(root)
    if not path.is_file():
        for figure, record in figures.items():
            if name in (figure, record["id"]):
                return [Match(record, f"by its {'name' if name == figure else 'id'}")]
        words = [word for figure in figures for word in (figure, str(figures[figure]["id"]))]
        there = choices(name, words) if words else "no figure is drawn yet: run snakemake"
        raise Error(f"{name!r} is no file, no figure that is drawn and no figure's id; {there}")
    data = path.read_bytes()
    contained = papers.figures(data) if data.startswith(b"%PDF") else []
    contained = contained or [papers.Included(inside(data) or {}, [], set())]
    matches = []
    for included in contained:
        own = figures.get(str(included.record.get("figure")))
        if own:
            fault = _fault(data, included, own, root)
            how = f"by the record in {path.name}"
            matches.append(Match(own, how, included.pages, fault))
    if not matches:
        how = f"by the id printed in it: {path.name} holds no record"
        fault = "it is known by the id printed in it alone"
        matches = [Match(record, how, fault=fault) for record in figures.values()
                   if f"heatproof {record['id']}".encode() in data]  # fmt: skip
    if not matches:
        raise Error(
            f"{name} holds no record of this project; give the id printed in its lower right "
            "corner instead of the file"
        )
    return matches


def drawn(root: Path) -> dict[str, dict[str, Any]]:
    """Figure → its record, of all that are drawn."""
    records = {}
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        with suppress(OSError):
            if record := inside(hashed.read(path)):
                records[str(record["figure"])] = record
    return records


def inside(data: bytes) -> dict[str, Any] | None:
    """The record in a figure's file, spec or grid; None where there is none that can be read."""
    try:
        if data.startswith(b"{"):
            return dict(json.loads(data)["usermeta"]["heatproof"])
        if data.startswith(b"PAR1"):
            footer = pl.read_parquet_metadata(io.BytesIO(data))
            return dict(json.loads(footer[tables.RECORD]))
        return export.record(data)
    except Exception:  # noqa: BLE001 - whatever is broken, there are other ways
        return None


def _fault(data: bytes, included: papers.Included, own: dict[str, Any], root: Path) -> str:
    """Why a file does not show a figure as it was drawn; `own`: the figure's record of now.

    PNG and PDF are packed anew by many programs, so what they show counts.
    """
    figure, record, pieces = own["figure"], included.record, ledger.load(root)
    jobs = [pieces[job] for job in (f"aggregate {figure}", f"draw {figure}") if job in pieces]
    outputs = {path: file[0] for piece in jobs for path, file in piece.outputs.items()}
    if blake3(data).hexdigest() in outputs.values():
        return ""
    if "id" in record and record != own:
        keys = ", ".join(ledger.differing(record, own))
        other = f"of another build (heatproof {record['id']}, now {own['id']})"
        word = "its record was changed" if record["id"] == own["id"] else f"it is {other}"
        return f"{word}, not compared: other {keys}"

    def original(form: str) -> bytes:
        """The picture that was made: of the results, or, where that is another, drawn again."""
        path = paths.picture(figure, form)
        if ledger.contents(root / path)[0] == outputs.get(path):
            return (root / path).read_bytes()
        return export.render(json.loads(hashed.read(root / paths.spec(figure))), [form])[form]

    with suppress(OSError, ValueError, SyntaxError):  # a damaged picture cannot be read
        if data.startswith(b"\x89PNG") and not png.is_animated(data):
            same = png.pixels(data) == png.pixels(original("png"))
            return "" if same else OTHER
        if included.looks:
            return "" if included.looks == papers.figures(original("pdf"))[0].looks else OTHER
    return OTHER
