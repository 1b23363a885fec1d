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

ALTERED = "it does not show what was drawn, or it was saved again"
LARGEST = 100_000  # packed bytes of a stream that may be a record; ours have a hundredth
LARGEST_SPEC = 10_000_000  # packed bytes of a spec
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
        name = f"{self.figure} (heatproof {self.record.get('id', '?')})"
        if not self.pages:
            return name
        numbers = ", ".join(map(str, self.pages))
        if len(self.pages) > 1:
            return f"{name}, pages {numbers}"
        return f"{name}, page {numbers}"


class Included(NamedTuple):
    """A figure in a document."""

    record: Record
    pages: list[int]  # from 1
    looks: set[str]  # a digest of the drawing, of each place of the figure
    packed: bytes = b""  # its spec (`export.packed`), if it is there


def find_figures(name: str, root: Path) -> list[Match]:
    """The figures in a file, or of a name or id. Raises Error: nothing leads to a figure."""
    path = Path(name)
    figures = drawn(root)
    if not path.is_file():
        return [_named_figure(name, figures)]
    data = path.read_bytes()
    contained = in_pdf(data) if data.startswith(b"%PDF") else []
    contained = contained or [Included(inside(data) or {}, [], set())]
    matches = []
    for included in contained:
        record = figures.get(str(included.record.get("figure")))
        if record:
            fault = _figure_fault(data, included, record, root)
            how = f"by the record in {path.name}"
            matches.append(Match(record, how, included.pages, fault))
    matches = matches or _printed_figures(data, path.name, figures)
    if not matches:
        raise Error(
            f"{name} holds no record of this project; name a figure, or give the id printed in "
            f"its lower right corner instead of the file; {choices('', figures)}"
        )
    return matches


def _named_figure(name: str, figures: dict[str, Record]) -> Match:
    """The figure with a name or id. Raises Error: there is none."""
    for figure, record in figures.items():
        if name == figure:
            return Match(record, "by its name")
        if name == record["id"]:
            return Match(record, "by its id")
    words: list[str] = []
    for figure, record in figures.items():
        words += [figure, str(record["id"])]
    valid = choices(name, words) if words else "no figure is drawn yet: call `heatproof run`"
    raise Error(f"{name!r} is neither a file, nor a drawn figure, nor a figure's id; {valid}")


def _printed_figures(data: bytes, file_name: str, figures: dict[str, Record]) -> list[Match]:
    """The figures whose id is printed in a file."""
    how = f"by the id printed in it: {file_name} holds no record"
    fault = "only the id printed in it identifies it"
    records = [
        record for record in figures.values() if f"heatproof {record['id']}".encode() in data
    ]
    return [Match(record, how, fault=fault) for record in records]


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


def _figure_fault(data: bytes, included: Included, record: Record, root: Path) -> str:
    """Why a file does not show a figure as it was drawn; `record`: of the figure's spec.

    Programs that include a PDF pack it anew, so the drawings on its pages are compared.
    """
    figure = record["figure"]
    outputs = _output_digests(figure, root)
    if blake3(data).hexdigest() in outputs.values():
        return ""
    if "id" in included.record and included.record != record:
        return _record_fault(included.record, record)
    if included.looks:
        with suppress(OSError, ValueError):
            original = in_pdf(_original_pdf(figure, outputs, root))[0]
            if included.looks == original.looks:
                return ""
    return ALTERED


def _output_digests(figure: str, root: Path) -> dict[str, str]:
    """File → its digest, of the files that the jobs of a figure made."""
    pieces = ledger.load(root)
    digests: dict[str, str] = {}
    for job in (f"aggregate {figure}", f"draw {figure}"):
        if job in pieces:
            digests |= {path: extent[0] for path, extent in pieces[job].outputs.items()}
    return digests


def _record_fault(record: Record, drawn_record: Record) -> str:
    """How the record in a file differs from the one that was drawn."""
    keys = ", ".join(ledger.differing(record, drawn_record))
    reason = f"it is of another build (heatproof {record['id']}, now {drawn_record['id']})"
    if record["id"] == drawn_record["id"]:
        reason = "its record was changed"
    return f"{reason}, not compared: other {keys}"


def _original_pdf(figure: str, outputs: dict[str, str], root: Path) -> bytes:
    """The PDF of a figure, drawn anew if it is not as it was made or was not asked for."""
    path = paths.picture(figure, "pdf")
    if hashed.content(root / path)[0] == outputs.get(path):
        return hashed.read(root / path)
    spec = json.loads(hashed.read(root / paths.spec(figure)))
    return export.render(spec, ["pdf"])["pdf"]


# --------------------------------------------------------------------------------------- papers


def in_pdf(data: bytes) -> list[Included]:
    """The figures in a PDF by their records, in the order of their pages.

    One record on several pages is one figure; two records of one name are two.
    """
    listed: dict[str, Included] = {}
    with suppress(pikepdf.PdfError), pikepdf.Pdf.open(io.BytesIO(data)) as pdf:
        for number, page in enumerate(pdf.pages, 1):
            for thing in [page.obj] + list(_forms(page.obj, set())):
                stream = _value_below(thing, "/Resources", "/Properties", TYPE, "/Record")
                record = _read_record(stream)
                if record is None:
                    continue
                key = json.dumps(record, sort_keys=True)
                spec = _value_below(thing, "/Resources", "/Properties", TYPE, "/Spec")
                figure = listed.setdefault(key, Included(record, [], set(), _packed_spec(spec)))
                if number not in figure.pages:
                    figure.pages.append(number)
                with suppress(pikepdf.PdfError, RecursionError):  # objects may contain themselves
                    figure.looks.add(_look_digest(thing))
    return list(listed.values())


def _forms(thing: pikepdf.Object, visited: set[tuple[int, int]]) -> Iterator[pikepdf.Object]:
    """The forms that a page or a form shows, and those that they show."""
    objects = _value_below(thing, "/Resources", "/XObject")
    if not isinstance(objects, pikepdf.Dictionary):
        return
    for _, form in sorted(objects.items()):
        is_form = _value_below(form, "/Subtype") == "/Form"
        if is_form and form.objgen not in visited:
            visited.add(form.objgen)
            yield form
            yield from _forms(form, visited)


def _value_below(thing: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(thing, (pikepdf.Dictionary, pikepdf.Stream)) or key not in thing:
            return None
        thing = thing[key]
    return thing


def _read_record(stream: Any) -> Record | None:
    if not isinstance(stream, pikepdf.Stream):
        return None
    if len(stream.read_raw_bytes()) > LARGEST:
        return None
    try:
        record = json.loads(stream.read_bytes())
    except (pikepdf.PdfError, ValueError):
        return None
    if not isinstance(record, dict):
        return None
    return record or None


def _packed_spec(stream: Any) -> bytes:
    """The packed spec beside a record; empty without one, or if it is far too large."""
    if not isinstance(stream, pikepdf.Stream) or len(stream.read_raw_bytes()) > LARGEST_SPEC:
        return b""
    try:
        return bytes(stream.read_bytes())
    except pikepdf.PdfError:
        return b""


def _look_digest(thing: pikepdf.Object) -> str:
    """A digest of what a page or a form draws: its content and resources.

    A page and the form that a program made of it have one digest.
    """
    stream: Any = thing
    if not isinstance(thing, pikepdf.Stream):
        pikepdf.Page(thing).contents_coalesce()
        stream = _value_below(thing, "/Contents")
    content = b""
    if stream is not None:
        content = bytes(stream.read_bytes())
    resources = {}
    for key in DRAWN:
        resources[key] = _plain_value(_value_below(thing, "/Resources", key))
    text = json.dumps([hashlib.sha256(content).hexdigest(), resources], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain_value(value: Any) -> Any:
    """An object of a PDF as plain values, with numbers to three decimals: programs round them."""
    if isinstance(value, pikepdf.Array):
        return list(map(_plain_value, value))
    if isinstance(value, pikepdf.Stream):
        packing = {"/Length", "/Filter", "/DecodeParms"}
        head = {}
        for key, item in value.items():
            if key not in packing:
                head[key] = _plain_value(item)
        return [head, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, pikepdf.Dictionary):
        return {key: _plain_value(item) for key, item in value.items()}
    if isinstance(value, (int, float, Decimal)):
        return f"{value:.3f}"
    return str(value)
