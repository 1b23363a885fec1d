"""JSON documents held in memory: their parts, and where in the bytes each lies."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.api import Place
from heatproof.formats.decoding import Repeated, require_unique, written
from heatproof.formats.faults import FAULTS, ends_early, fault_kind, reason
from heatproof.logs.raw import EMPTY, UNENDED
from heatproof.logs.streams import BOM, whole
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from heatproof.formats.api import Kind, Log
    from heatproof.formats.decoding import Decoder


LIMIT = 1 << 30
"""Bytes of a document at most, unless config.yaml says otherwise: it is held in memory whole."""

BARE = re.compile(rb'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|-?Infinity|NaN', re.DOTALL)
"""Strings, to skip them, and the bare words that Python writes for numbers that JSON lacks.

A string that does not end reaches to the end of the document: so each byte is looked at once.
"""


KEY = re.compile(rb'[\s{,]*"(?:[^"\\]|\\.)*+"\s*:\s*', re.DOTALL)
"""What stands before a member's value: the key, and the comma or brace that it follows."""
END = re.compile(rb"[\s{]*}\s*")
BEGUN = b"-+.0123456789eENaInfity"
"""What a number or a bare word is made of, of which only the beginning may be there."""


def document(log: Log, limit: int) -> bytes:
    """The whole of a log, valid UTF-8; bare NaN and Infinity, which Python writes, as by `plain`.

    Raises:
        Error: it is empty, damaged, not UTF-8 or longer than `limit` bytes.
    """
    data = whole(log.file, log.path, limit)
    if data.startswith(BOM):
        data = b"   " + data[3:]  # blanks, for a mark is no JSON; all places stay
    if not data.strip():
        raise Error(EMPTY, "empty")
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise Error(document_fault(error, data), document_kind(error, data)) from error
    if b"NaN" in data or b"Infinity" in data:
        try:
            msgspec.json.decode(data, type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            return plain(data)
    return data


def object_in(within: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object that stands under a key; an empty one where there is none, or something else."""
    value = within.get(key)
    return value if isinstance(value, dict) else {}


def document_fault(error: Exception, data: bytes) -> str:
    """Why a whole document cannot be read: there may be no more wrong with it than that it ends."""
    if document_kind(error, data) == "unended":
        return f"the document ends too early: {UNENDED}"
    return reason(error, data)


def document_kind(error: Exception, data: bytes) -> Kind:
    """The kind of what is wrong with a whole document, which may be good as far as it goes."""
    if isinstance(error, UnicodeDecodeError) and ends_early(error):
        return "unended"
    if type(error) is msgspec.DecodeError:
        try:
            msgspec.json.decode(plain(data.rstrip(BEGUN)), type=msgspec.Raw)
        except msgspec.DecodeError as fault:
            if str(fault) == "Input data was truncated":
                return "unended"
        except (ValueError, RecursionError):
            pass
    return fault_kind(error)


def decoded(data: bytes, kind: Any, name: str = "") -> Any:
    """A document as a `kind`; bare NaN and Infinity, which Python writes, become lists.

    Raises:
        Error: it is no such document, or a key stands twice in it; the message begins with `name`.
    """
    try:
        if not data.isascii():
            data.decode()
        try:
            value = msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError:
            value = msgspec.json.decode(plain(data), type=kind)
        require_unique(data)
    except FAULTS as error:
        why = document_fault(error, data)
        raise Error(f"{name}: {why}" if name else why, document_kind(error, data)) from error
    return value


def members(data: bytes | msgspec.Raw, needed: Collection[str] = ()) -> dict[str, msgspec.Raw]:
    """Key → bytes, of an object.

    Raises:
        Repeated: a key stands twice, or one of those that are `needed`, if such are given.
        msgspec.DecodeError, RecursionError: it is no object.
    """
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    require_whole(data, parts, needed)
    return parts


def require_whole(
    data: bytes | msgspec.Raw, parts: dict[str, msgspec.Raw], needed: Collection[str] = ()
) -> None:
    """Raise Repeated if an object holds more members than its parts: the last of a key is there."""
    text, start = memoryview(data), _address(data)
    at = 0
    for raw in parts.values():
        stop = _address(raw) - start
        if stop < at or not KEY.fullmatch(text[at:stop]):
            break
        at = stop + len(memoryview(raw))
    else:
        if END.fullmatch(text[at:]):
            return
    for key, count in Counter(key for key, _ in written(bytes(text))).items():
        if count > 1 and (not needed or key in needed):
            raise Repeated(f"the key {key!r} stands twice")


def one(decoder: Decoder, data: bytes) -> Any:
    """A record of a document, of which it is known that it is UTF-8.

    Raises:
        Error: it does not fit its type, or a key that is read stands twice in it.
    """
    try:
        try:
            [record] = decoder.values(data)
        except FAULTS:
            record = decoder.single(data)  # says what is wrong
    except FAULTS as error:
        raise Error(reason(error, data), fault_kind(error)) from error
    return record


def plain(data: bytes) -> bytes:
    """The document with bare NaN and Infinity as empty lists of the same length.

    What lies elsewhere stays in place. Where one is wanted as a number, a list is none; and unlike
    a text it cannot pass for a key. `faults.as_written` tells which word stood there.
    """
    return BARE.sub(
        lambda m: m[0] if m[0][:1] == b'"' else b"[\t" + b" " * (len(m[0]) - 3) + b"]", data
    )


def places(
    data: bytes, raws: list[msgspec.Raw], begins: Place | None = None, since: Place | None = None
) -> list[Place]:
    """Where each record lies: a Raw is a view into the document, so addresses tell offsets.

    `begins`: where in a log the document does, if it is not all of it. `since`: a place before the
    records, of which the line is known.
    """
    line, before = (begins.line, begins.offset) if begins else (1, 0)
    base, last, spots = _address(data), 0, []
    if since and raws and since.offset <= _address(raws[0]) - base:
        line, last = since.line, since.offset
    for raw in raws:
        offset = _address(raw) - base
        line += data.count(b"\n", last, offset)
        last = offset
        spots.append(Place(line, before + offset, len(memoryview(raw))))
    return spots


def span(data: bytes | msgspec.Raw, raw: msgspec.Raw) -> tuple[int, int]:
    """Where a part of a document begins and ends, in bytes."""
    start = _address(raw) - _address(data)
    return start, start + len(memoryview(raw))


def _address(buffer: bytes | msgspec.Raw) -> int:
    import numpy as np

    return int(np.frombuffer(memoryview(buffer), dtype=np.uint8).__array_interface__["data"][0])
