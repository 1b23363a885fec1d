"""PNG at 300 pixels per inch; the record is a text chunk."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from heatproof.util import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.export.drawing import Drawing

PPI = 300
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_END = len(_SIGNATURE) + 25  # the first chunk, IHDR, has 13 bytes of data and 12 around them
_KEYWORD = b"heatproof\0"


def write(drawing: Drawing) -> bytes:
    """The drawing in pixels, 300 of them to an inch of 72 pt."""
    from vl_convert import svg_to_png

    image = svg_to_png(drawing.svg, scale=1, ppi=PPI)
    chunk = _chunk(b"tEXt", _KEYWORD + canonical.text(drawing.record).encode())
    return image[:_HEADER_END] + chunk + image[_HEADER_END:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    """Length, kind, data, checksum (PNG specification, 5.3)."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and data of each chunk."""
    start = len(_SIGNATURE)
    while start + 12 <= len(image):
        (length,) = struct.unpack_from(">I", image, start)
        yield image[start + 4 : start + 8], image[start + 8 : start + 8 + length]
        start += 12 + length


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of a PNG; wherever the chunk stands, since optimisers move it."""
    if not data.startswith(_SIGNATURE):
        return None
    for kind, content in chunks(data):
        if content.startswith(_KEYWORD) and (text := _text(kind, content[len(_KEYWORD) :])):
            return dict(json.loads(text))
    return None


def _text(kind: bytes, content: bytes) -> bytes:
    """The text of a chunk after its keyword; whoever saved a PNG anew may have packed it."""
    if kind == b"zTXt":
        return zlib.decompress(content[1:])
    if kind == b"iTXt":
        packed, text = content[0], content[2:].split(b"\0", 2)[2]
        return zlib.decompress(text) if packed else text
    return content if kind == b"tEXt" else b""
