"""Figures of labelled that stand in a PDF: alone, in a paper, or in a paper saved anew.

The document's own attachments and metadata are lost where a page is included. The record that the
page carries is found wherever a program put it (`heatproof.export.pdf`): in the resources of a
page or of a form on it, in a form of a form, or, of a form that no page shows, anywhere. Where a
program drops all records, the id that a figure prints as text is left.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.export.pdf import TYPE
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Object, Pdf

LARGEST = 100_000
"""Packed bytes of a stream that may be a record; one of labelled has a hundredth."""
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

    listed: dict[str, Included] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for record, place in _records(pdf):
            key = json.dumps(record, sort_keys=True)
            figure = listed.setdefault(key, Included(record, [], set()))
            if place is not None:
                with suppress(Error, PdfError):
                    figure.looks.add(look(place.thing))
                if place.page not in figure.pages:
                    figure.pages.append(place.page)
    return list(listed.values())


def _places(pdf: Pdf) -> Iterator[Place]:
    """Every page of a PDF, and after it the forms that it shows."""
    for number, page in enumerate(pdf.pages, 1):
        yield Place(page.obj, number)
        for form in _forms(page.obj, set(), 0):
            yield Place(form, number)


def _forms(thing: Object, visited: set[tuple[int, int]], depth: int) -> Iterator[Object]:
    from pikepdf import Dictionary

    used = _at(thing, "/Resources", "/XObject")
    for _, form in sorted(used.items()) if isinstance(used, Dictionary) else ():
        is_form = _at(form, "/Subtype") == "/Form"
        if is_form and form.objgen not in visited and depth <= DEEPEST:
            visited.add(form.objgen)
            yield form
            yield from _forms(form, visited, depth + 1)


def _records(pdf: Pdf) -> Iterator[tuple[dict[str, Any], Place | None]]:
    reached = set()
    for place in _places(pdf):
        stream = _at(place.thing, "/Resources", "/Properties", TYPE, "/Record")
        if stream is not None and (record := _record(stream)):
            reached.add(stream.objgen)
            yield record, place
    for thing in pdf.objects:
        labelled = _at(thing, "/Type") == TYPE and thing.objgen not in reached
        if labelled and (record := _record(thing)):
            yield record, None


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


def _plain(value: Any, depth: int = 0) -> Any:
    """An object of a PDF as plain values, streams unpacked.

    Numbers to three decimals: who saves a PDF anew may round them.

    Raises:
        Error: the objects lead back to themselves.
    """
    from pikepdf import Array, Dictionary, Stream

    if depth > 50:
        raise Error("a PDF whose objects lead back to themselves")
    if isinstance(value, Array):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, Stream):
        packing = {"/Length", "/Filter", "/DecodeParms"}
        head = {k: _plain(v, depth + 1) for k, v in value.items() if k not in packing}
        return [head, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, Dictionary):
        return {k: _plain(v, depth + 1) for k, v in value.items()}
    return f"{value:.3f}" if isinstance(value, (int, float, Decimal)) else str(value)


_PRINTED = re.compile(r"heatproof([0-9a-f]{8})")
_SECTION = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_PAIR = re.compile(rb"<(\w+)>\s*<(\w*)>")
_RANGE = re.compile(rb"<(\w+)>\s*<(\w+)>\s*(?:<(\w*)>|\[(.*?)\])", re.DOTALL)
_CODE = re.compile(rb"<(\w*)>")


def ids(data: bytes) -> dict[str, list[int]]:
    """Id → pages of a PDF that print it after the word heatproof."""
    from pikepdf import Pdf, PdfError

    printed: dict[str, list[int]] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for thing, page in _places(pdf):
            text = "".join("".join(_texts(thing)).split())
            for name in _PRINTED.findall(text):
                if page not in printed.setdefault(name, []):
                    printed[name].append(page)
    return printed


def _texts(thing: Any) -> Iterator[str]:
    """The texts that a page or a form shows, in the order of its content."""
    from pikepdf import Array, PdfError, String, parse_content_stream

    resources = _at(thing, "/Resources", "/Font")
    fonts = (
        {} if resources is None else {name: characters(font) for name, font in resources.items()}
    )
    # Fonts that do not say are near enough to ASCII.
    latin = 1, {code: chr(code) for code in range(256)}
    size, signs = latin
    try:
        content = parse_content_stream(thing, "Tf Tj TJ ' \"")
    except (PdfError, TypeError):  # the second of what is no content
        return
    for instruction in content:
        operands = list(instruction.operands)
        if str(instruction.operator) == "Tf":
            size, signs = (fonts.get(str(operands[0])) if operands else None) or latin
            continue
        for operand in operands[-1:]:  # a string, or an array of strings and of moves
            for part in operand if isinstance(operand, Array) else [operand]:
                data = bytes(part) if isinstance(part, String) else b""
                codes = (data[at : at + size] for at in range(0, len(data), size))
                yield "".join(signs.get(int.from_bytes(code), "") for code in codes)


def characters(font: Any) -> tuple[int, dict[int, str]] | None:
    """Bytes of a code of a font, and code → characters (ISO 32000-1, 9.10.3).

    None of a font that does not say.
    """
    from pikepdf import PdfError, Stream

    table = _at(font, "/ToUnicode")
    size = 2 if _at(font, "/Subtype") == "/Type0" else 1
    if not isinstance(table, Stream):
        return None if size == 1 else (2, {})
    signs: dict[int, str] = {}
    with suppress(PdfError, ValueError):  # a table that is none
        for kind, section in _SECTION.findall(table.read_bytes()):
            if kind == b"char":
                signs |= {int(code, 16): _utf16(text) for code, text in _PAIR.findall(section)}
                continue
            for low, high, start, listed in _RANGE.findall(section):
                first = int(low, 16)
                codes = range(first, min(int(high, 16), first + 0xFFFF) + 1)
                text = _utf16(start)
                texts = [*map(_utf16, _CODE.findall(listed))] or [
                    text[:-1] + chr(ord(text[-1]) + code - first)
                    for code in (codes if text else ())
                    if ord(text[-1]) + code - first < 0x110000
                ]
                signs |= dict(zip(codes, texts, strict=False))
    return size, signs


def _utf16(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "ignore")
