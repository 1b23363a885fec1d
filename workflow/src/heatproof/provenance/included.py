"""Figures of ours that stand in a PDF: alone, in a paper, or in a paper saved anew.

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

from heatproof.export import png
from heatproof.export.pdf import TYPE
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Object, Pdf

LARGEST = 100_000
"""Packed bytes of a stream that may be a record; one of ours has a hundredth."""
MOST_PIXELS = 10_000
"""Width and height of an image that is looked at, at most: 33 inches of ours."""
DEEPEST = 20
"""Forms in forms, at most."""
_DRAWN = ("/ColorSpace", "/ExtGState", "/Font", "/Pattern", "/Shading", "/XObject")


class Included(NamedTuple):
    """A figure in a document."""

    record: dict[str, Any]
    pages: list[int]
    """From 1; none of a form that no page shows."""
    looks: set[str]
    """Digests of what is drawn, of each place where the figure stands."""


class Place(NamedTuple):
    """A page or a form, and the number of the page."""

    thing: Object
    page: int


def figures(data: bytes) -> list[Included]:
    """The figures in a PDF by the records that it kept, in the order of their pages.

    The same figure twice is one; figures of one name and different records are two.
    """
    from pikepdf import Pdf, PdfError

    found: dict[str, Included] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for record, place in _kept(pdf):
            key = json.dumps(record, sort_keys=True)
            one = found.setdefault(key, Included(record, [], set()))
            if place is not None:
                with suppress(Error, PdfError):
                    one.looks.add(look(place.thing))
                if place.page not in one.pages:
                    one.pages.append(place.page)
    return list(found.values())


def places(pdf: Pdf) -> Iterator[Place]:
    """Every page of a PDF, and after it the forms that it shows."""
    for number, page in enumerate(pdf.pages, 1):
        yield Place(page.obj, number)
        for form in _forms(page.obj, set(), 0):
            yield Place(form, number)


def _below(thing: Object, kind: str) -> Iterator[Object]:
    """Forms or images that a page or a form uses."""
    from pikepdf import Dictionary

    used = at(thing, "/Resources", "/XObject")
    for _, one in sorted(used.items()) if isinstance(used, Dictionary) else ():
        if at(one, "/Subtype") == kind:
            yield one


def _forms(thing: Object, seen: set[tuple[int, int]], depth: int) -> Iterator[Object]:
    for form in _below(thing, "/Form"):
        if form.objgen in seen or depth > DEEPEST:
            continue
        seen.add(form.objgen)
        yield form
        yield from _forms(form, seen, depth + 1)


def _kept(pdf: Pdf) -> Iterator[tuple[dict[str, Any], Place | None]]:
    reached = set()
    for place in places(pdf):
        for keys in (("/Resources", "/Properties", TYPE), ("/PieceInfo", TYPE, "/Private")):
            stream = at(place.thing, *keys, "/Record")
            if stream is not None and (record := _read(stream)):
                reached.add(stream.objgen)
                yield record, place
                break
    for thing in pdf.objects:
        named = at(thing, "/Type") == TYPE and thing.objgen not in reached
        if named and (record := _read(thing)):
            yield record, None


def at(thing: Any, *keys: str) -> Any:
    """What stands under keys of keys; None where nothing does."""
    from pikepdf import Dictionary, Stream

    for key in keys:
        if not isinstance(thing, (Dictionary, Stream)) or key not in thing:
            return None
        thing = thing[key]
    return thing


def _read(stream: Any) -> dict[str, Any] | None:
    """The record in a stream, packed in any way; None where it holds none."""
    from pikepdf import PdfError, Stream

    if not isinstance(stream, Stream) or len(stream.read_raw_bytes()) > LARGEST:
        return None
    try:
        record = json.loads(stream.read_bytes())
    except (PdfError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def images(data: bytes) -> dict[str, list[int]]:
    """Digest of the pixels of each image in a PDF → the pages that show it.

    See `png.digest`. Images that were packed with a loss, and too large ones, are left out.
    """
    from pikepdf import Pdf, PdfError

    found: dict[str, list[int]] = {}
    digests: dict[tuple[int, int], str] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for place in places(pdf):
            for image in _below(place.thing, "/Image"):
                if image.objgen not in digests:
                    digests[image.objgen] = _pixels(image)
                pages = found.setdefault(digests[image.objgen], [])
                if place.page not in pages:
                    pages.append(place.page)
    found.pop("", None)
    return found


def _pixels(image: Any) -> str:
    """The digest of an image's pixels; empty where there is none to be had."""
    from pikepdf import PdfImage

    # Ours are opaque, eight bits a channel, and packed without loss.
    size = [at(image, side) for side in ("/Width", "/Height")]
    if at(image, "/Filter") != "/FlateDecode" or "/SMask" in image:
        return ""
    if not all(isinstance(side, int) and side < MOST_PIXELS for side in size):
        return ""
    try:
        shown = PdfImage(image).as_pil_image().convert("RGBA")
    except Exception:  # noqa: BLE001 - whatever an image of others has that cannot be read
        return ""
    return png.digest(shown.size, shown.tobytes())


def look(thing: Object) -> str:
    """A digest of what a page or a form draws: its content, and all that it is drawn with.

    The same of a page and of the form that a program made of it.
    """
    from pikepdf import Page, Stream

    content = thing.read_bytes() if isinstance(thing, Stream) else _content(Page(thing))
    used = {key: plain(at(thing, "/Resources", key)) for key in _DRAWN}
    told = json.dumps([hashlib.sha256(content).hexdigest(), used], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _content(page: Any) -> bytes:
    page.contents_coalesce()
    content = at(page.obj, "/Contents")
    return b"" if content is None else bytes(content.read_bytes())


def pages(data: bytes) -> str:
    """A digest of what the pages of a PDF show, however it is packed."""
    from pikepdf import Pdf

    with Pdf.open(io.BytesIO(data)) as pdf:
        shown = [plain(page.obj, frozenset({"/Parent"})) for page in pdf.pages]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def plain(value: Any, without: frozenset[str] = frozenset(), depth: int = 0) -> Any:
    """An object of a PDF as plain values, streams unpacked; `without` entries of these names.

    Numbers to three decimals: who saves a PDF anew may round them.

    Raises:
        Error: the objects lead back to themselves.
    """
    from pikepdf import Array, Dictionary, Stream

    if depth > 50:
        raise Error("a PDF whose objects lead back to themselves")
    if isinstance(value, Array):
        return [plain(one, without, depth + 1) for one in value]
    if isinstance(value, Stream):
        packing = without | {"/Length", "/Filter", "/DecodeParms"}
        told = {k: plain(v, without, depth + 1) for k, v in value.items() if k not in packing}
        return [told, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, Dictionary):
        return {k: plain(v, without, depth + 1) for k, v in value.items() if k not in without}
    return f"{value:.3f}" if isinstance(value, (int, float, Decimal)) else str(value)
