"""From a file to the figures in it, by the record inside or the id printed in it.

Only the name of a figure is taken from a record in a file: the rest stands in the figure's spec. A
record may stay where pixels change, so the drawing is compared too. A paper that includes the page
of a figure keeps the record in the resources of a page, of a form on it, or of a form of a form.
"""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from blake3 import blake3

from heatproof import ledger
from heatproof.config import paths
from heatproof.export import export
from heatproof.export.export import TYPE
from heatproof.samples import tables
from heatproof.util import hashed
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import pikepdf
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    Record = dict[str, Any]

OTHER = "it does not show what was drawn, or it was saved again"
LARGEST = 100_000  # packed bytes of a stream that may be a record; ours have a hundredth
DRAWN = ("/ColorSpace", "/ExtGState", "/Font", "/Pattern", "/Shading", "/XObject")
"""Resources that a page draws with."""


class Match(msgspec.Struct):
    """A figure, and how a name, an id or a file led to it."""

    record: dict[str, Any]  # of its spec
    how: str
    pages: list[int] = []  # of a paper
    fault: str = ""  # why a file does not show it as it was drawn; empty if it does

    @property
    def figure(self) -> str:
        return str(self.record["figure"])

    @property
    def label(self) -> str:
        pages = ", ".join(map(str, self.pages))
        where = f", page{'s' * (len(self.pages) > 1)} {pages}" if pages else ""
        return f"{self.figure} (heatproof {self.record.get('id', '?')}){where}"


class Included(NamedTuple):
    """A figure in a document."""

    record: Record
    pages: list[int]  # from 1
    looks: set[str]  # a digest of the drawing, of each place of the figure


def find(name: str, root: Path) -> list[Match]:
    """The figures in a file, or of a name or id. Raises Error: nothing leads to a figure."""
    path, figures = Path(name), drawn(root)
    if not path.is_file():
        for figure, record in figures.items():
            if name in (figure, record["id"]):
                return [Match(record, f"by its {'name' if name == figure else 'id'}")]
        words = [word for figure in figures for word in (figure, str(figures[figure]["id"]))]
        there = choices(name, words) if words else "no figure is drawn yet: run snakemake"
        raise Error(f"{name!r} is neither a file, nor a drawn figure, nor a figure's id; {there}")
    data = path.read_bytes()
    contained = in_pdf(data) if data.startswith(b"%PDF") else []
    contained = contained or [Included(inside(data) or {}, [], set())]
    matches = []
    for included in contained:
        if own := figures.get(str(included.record.get("figure"))):
            fault, how = _fault(data, included, own, root), f"by the record in {path.name}"
            matches.append(Match(own, how, included.pages, fault))
    if not matches:
        how = f"by the id printed in it: {path.name} holds no record"
        fault = "only the id printed in it identifies it"
        matches = [Match(record, how, fault=fault) for record in figures.values()
                   if f"heatproof {record['id']}".encode() in data]  # fmt: skip
    if not matches:
        raise Error(
            f"{name} holds no record of this project; give the id printed in its lower right "
            "corner instead of the file"
        )
    return matches


def drawn(root: Path) -> dict[str, Record]:
    """Figure → its record, of all drawn figures."""
    records = {}
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        with suppress(OSError):
            if record := inside(hashed.read(path)):
                records[str(record["figure"])] = record
    return records


def inside(data: bytes) -> Record | None:
    """The record in a figure's file, spec or grid; None if none can be read."""
    try:
        if data.startswith(b"{"):
            return dict(json.loads(data)["usermeta"]["heatproof"])
        if data.startswith(b"PAR1"):
            return dict(json.loads(pl.read_parquet_metadata(io.BytesIO(data))[tables.RECORD]))
        return export.record(data)
    except Exception:  # noqa: BLE001 - whatever is broken, there are other ways
        return None


def _fault(data: bytes, included: Included, own: Record, root: Path) -> str:
    """Why a file does not show a figure as it was drawn; `own`: the record of the figure's spec.

    Programs that include a PDF pack it anew, so the drawings on its pages are compared.
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
    if included.looks:
        with suppress(OSError, ValueError):
            path = paths.picture(figure, "pdf")
            if hashed.content(root / path)[0] == outputs.get(path):
                original = hashed.read(root / path)
            else:  # it is not as it was made, or was not asked for
                spec = json.loads(hashed.read(root / paths.spec(figure)))
                original = export.render(spec, ["pdf"])["pdf"]
            return "" if included.looks == in_pdf(original)[0].looks else OTHER
    return OTHER


# --------------------------------------------------------------------------------------- papers


def in_pdf(data: bytes) -> list[Included]:
    """The figures in a PDF by their records, in the order of their pages.

    One record on several pages is one figure; two records of one name are two.
    """
    listed: dict[str, Included] = {}
    with suppress(pikepdf.PdfError), pikepdf.Pdf.open(io.BytesIO(data)) as pdf:
        for number, page in enumerate(pdf.pages, 1):
            for thing in [page.obj, *_forms(page.obj, set())]:
                record = _record(_at(thing, "/Resources", "/Properties", TYPE, "/Record"))
                if record is None:
                    continue
                key = json.dumps(record, sort_keys=True)
                figure = listed.setdefault(key, Included(record, [], set()))
                figure.pages.extend({number} - {*figure.pages})
                with suppress(pikepdf.PdfError, RecursionError):  # objects may contain themselves
                    figure.looks.add(_look(thing))
    return list(listed.values())


def _forms(thing: pikepdf.Object, visited: set[tuple[int, int]]) -> Iterator[pikepdf.Object]:
    """The forms that a page or a form shows, and those that they show."""
    used = _at(thing, "/Resources", "/XObject")
    for _, form in sorted(used.items()) if isinstance(used, pikepdf.Dictionary) else ():
        if _at(form, "/Subtype") == "/Form" and form.objgen not in visited:
            visited.add(form.objgen)
            yield form
            yield from _forms(form, visited)


def _at(thing: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(thing, (pikepdf.Dictionary, pikepdf.Stream)) or key not in thing:
            return None
        thing = thing[key]
    return thing


def _record(stream: Any) -> Record | None:
    if not isinstance(stream, pikepdf.Stream) or len(stream.read_raw_bytes()) > LARGEST:
        return None
    try:
        record = json.loads(stream.read_bytes())
    except (pikepdf.PdfError, ValueError):
        return None
    return record if record and isinstance(record, dict) else None


def _look(thing: pikepdf.Object) -> str:
    """A digest of what a page or a form draws: its content and resources.

    A page and the form that a program made of it have one digest.
    """
    stream: Any = thing
    if not isinstance(thing, pikepdf.Stream):
        pikepdf.Page(thing).contents_coalesce()
        stream = _at(thing, "/Contents")
    content = b"" if stream is None else bytes(stream.read_bytes())
    used = {key: _plain(_at(thing, "/Resources", key)) for key in DRAWN}
    text = json.dumps([hashlib.sha256(content).hexdigest(), used], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """An object of a PDF as plain values, with numbers to three decimals: programs round them."""
    if isinstance(value, pikepdf.Array):
        return [*map(_plain, value)]
    if isinstance(value, pikepdf.Stream):
        packing = {"/Length", "/Filter", "/DecodeParms"}
        head = {k: _plain(v) for k, v in value.items() if k not in packing}
        return [head, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, pikepdf.Dictionary):
        return {k: _plain(v) for k, v in value.items()}
    return f"{value:.3f}" if isinstance(value, (int, float, Decimal)) else str(value)
