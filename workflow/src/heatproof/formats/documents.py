"""JSON documents held in memory: their parts, and where in the bytes each lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.api import Place
from heatproof.formats.decoding import FAULTS, ends_early, fault, plain, require_unique
from heatproof.logs.streams import BOM, EMPTY, UNENDED, whole
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.formats.api import Log
    from heatproof.formats.decoding import Decoder


LIMIT = 1 << 30
"""Bytes of a document at most, unless config.yaml says otherwise: it is held in memory whole."""
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
        raise document_fault(error, data) from error
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


def objects_in(within: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of the list that stands under a key; none where there is none."""
    value = within.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def document_fault(error: Exception, data: bytes) -> Error:
    """Why a whole document cannot be read: there may be no more wrong with it than that it ends."""
    ended = isinstance(error, UnicodeDecodeError) and ends_early(error)
    if type(error) is msgspec.DecodeError:
        try:
            msgspec.json.decode(plain(data.rstrip(BEGUN)), type=msgspec.Raw)
        except msgspec.DecodeError as first:
            ended = str(first) == "Input data was truncated"
        except (ValueError, RecursionError):
            pass
    return (
        Error(f"the document ends too early: {UNENDED}", "unended") if ended else fault(error, data)
    )


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
        raise Error(f"{name}: {why}" if name else why, why.kind) from error
    return value


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
        raise fault(error, data) from error
    return record


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
