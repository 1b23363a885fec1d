"""Figures with their records that stand in a PDF: alone, in a paper, or in a paper saved anew.

The document's own attachments and metadata are lost where a page is included. The record that the
page carries is found wherever a program put it (`heatproof.export.pdf`): in the resources of a
page or of a form on it, in a form of a form, or, of a form that no page shows, anywhere.
"""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.export.pdf import TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Object, Pdf

LARGEST = 100_000
"""Packed bytes of a stream that may be a record; ours have a hundredth."""
_DRAWN = ("/ColorSpace", "/ExtGState", "/Font", "/Pattern", "/Shading", "/XObject")


class Included(NamedTuple):
    """A figure in a document."""

    record: dict[str, Any]
    pages: list[int]
    """From 1; none of a form that no page shows."""
    looks: set[str]
    """Digests of what is drawn, of each place where the figure stands."""


def figures(data: bytes) -> list[Included]:
    """The figures in a PDF by the records that it kept, in the order of their pages.

    The same figure twice is one; figures of one name and different records are two.
    """
    from pikepdf import Pdf, PdfError

    listed: dict[str, Included] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for record, thing, page in _records(pdf):
            key = json.dumps(record, sort_keys=True)
            figure = listed.setdefault(key, Included(record, [], set()))
            if page:
                with suppress(PdfError, RecursionError):  # objects that lead back to themselves
                    figure.looks.add(look(thing))
                figure.pages.extend({page} - {*figure.pages})
    return list(listed.values())


def _records(pdf: Pdf) -> Iterator[tuple[dict[str, Any], Object, int]]:
    """Each record, the page or form that carries it, and the number of the page; 0 for none."""
    reached = set()
    for number, page in enumerate(pdf.pages, 1):
        for thing in [page.obj, *_forms(page.obj, set())]:
            stream = _at(thing, "/Resources", "/Properties", TYPE, "/Record")
            if stream is not None and (record := _record(stream)):
                reached.add(stream.objgen)
                yield record, thing, number
    for thing in pdf.objects:
        labelled = _at(thing, "/Type") == TYPE and thing.objgen not in reached
        if labelled and (record := _record(thing)):
            yield record, thing, 0


def _forms(thing: Object, visited: set[tuple[int, int]]) -> Iterator[Object]:
    """The forms that a page or a form shows, and those that they show."""
    from pikepdf import Dictionary

    used = _at(thing, "/Resources", "/XObject")
    for _, form in sorted(used.items()) if isinstance(used, Dictionary) else ():
        if _at(form, "/Subtype") == "/Form" and form.objgen not in visited:
            visited.add(form.objgen)
            yield form
            yield from _forms(form, visited)


def _at(thing: Any, *keys: str) -> Any:
    """What stands under keys of keys; None where nothing does."""
    from pikepdf import Dictionary, Stream

    for key in keys:
        if not isinstance(thing, (Dictionary, Stream)) or key not in thing:
            return None
        thing = thing[key]
    return thing


def _record(stream: Any) -> dict[str, Any] | None:
    """The record in a stream, packed in any way; None where it holds none."""
    from pikepdf import PdfError, Stream

    if not isinstance(stream, Stream) or len(stream.read_raw_bytes()) > LARGEST:
        return None
    try:
        record = json.loads(stream.read_bytes())
    except (PdfError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def look(thing: Object) -> str:
    """A digest of what a page or a form draws: its content, and all that it is drawn with.

    The same of a page and of the form that a program made of it.
    """
    from pikepdf import Page, Stream

    stream: Any = thing
    if not isinstance(thing, Stream):
        Page(thing).contents_coalesce()
        stream = _at(thing, "/Contents")
    content = b"" if stream is None else bytes(stream.read_bytes())
    used = {key: _plain(_at(thing, "/Resources", key)) for key in _DRAWN}
    text = json.dumps([hashlib.sha256(content).hexdigest(), used], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """An object of a PDF as plain values, streams unpacked.

    Numbers to three decimals: who saves a PDF anew may round them.
    """
    from pikepdf import Array, Dictionary, Stream

    if isinstance(value, Array):
        return [*map(_plain, value)]
    if isinstance(value, Stream):
        packing = {"/Length", "/Filter", "/DecodeParms"}
        head = {k: _plain(v) for k, v in value.items() if k not in packing}
        return [head, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, Dictionary):
        return {k: _plain(v) for k, v in value.items()}
    return f"{value:.3f}" if isinstance(value, (int, float, Decimal)) else str(value)
