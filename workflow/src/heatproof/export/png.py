"""PNG at 300 pixels per inch, as small as it comes without loss; the record is a text chunk."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from heatproof.util import canonical, deflate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

    from heatproof.export.drawing import Drawing

PPI = 300
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEYWORD = b"heatproof\0"
_PIXELS_A_METRE = round(PPI / 0.0254)
_COLOUR_TYPES = {"RGB": 2, "P": 3, "RGBA": 6}  # PNG specification, 11.2.1
LEVEL = 7
"""Of zlib: 0.03 to 0.08 s a figure; 9 takes three to four times as long, for 3 to 6 % in size."""


def write(drawing: Drawing) -> bytes:
    """The drawing in pixels, 300 of them to an inch of 72 pt."""
    from vl_convert import svg_to_png

    record = canonical.text(drawing.record).encode()
    return pack(svg_to_png(drawing.placed, scale=1, ppi=PPI), _KEYWORD + record)


def pack(image: bytes, text: bytes) -> bytes:
    """A PNG of the same pixels, a fifth of our renderer's in size, with a chunk of text.

    Without an alpha channel where nothing shines through, and with a palette where it suffices.
    Rows are not filtered: among flat surfaces every filter of PNG made figures larger, by a quarter
    and more.
    """
    shown = _opaque(_opened(image))
    named = _with_palette(shown)
    packed = named or shown
    data, (width, height) = packed.tobytes(), packed.size
    step = len(data) // height
    rows = b"".join(b"\0" + data[at : at + step] for at in range(0, len(data), step))
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[packed.mode], 0, 0, 0)
    resolution = struct.pack(">IIB", _PIXELS_A_METRE, _PIXELS_A_METRE, 1)
    content = (
        (b"IHDR", header),
        (b"tEXt", text),
        (b"pHYs", resolution),
        *([(b"PLTE", bytes(named.getpalette("RGB") or ()))] if named else []),
        (b"IDAT", deflate.compress(rows, LEVEL)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(*one) for one in content)


def _opened(image: bytes) -> Image:
    """A PNG, packed in any way, as RGBA.

    Raises:
        ValueError: the bytes are no PNG that can be read.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(image), formats=["PNG"]) as opened:
            return opened.convert("RGBA")
    except (OSError, SyntaxError) as error:  # the second is how Pillow tells of a broken chunk
        raise ValueError(f"not a PNG that can be read: {error}") from None


def _opaque(image: Image) -> Image:
    """The same without an alpha channel, if all is opaque."""
    return image.convert("RGB") if image.getchannel("A").getextrema() == (255, 255) else image


def _with_palette(image: Image) -> Image | None:
    """The same with its colours in a palette; None if they are too many for one."""
    if image.mode != "RGB" or not image.getcolors(256):
        return None
    named = image.quantize(256)
    return named if named.convert("RGB").tobytes() == image.tobytes() else None


def decode(image: bytes) -> tuple[tuple[int, int], bytes]:
    """Width and height, and RGBA pixels, of a PNG that is packed in any way.

    Raises:
        ValueError: the bytes are no PNG that can be read.
    """
    opened = _opened(image)
    return opened.size, opened.tobytes()


def digest(size: tuple[int, int], pixels: bytes) -> str:
    """SHA-256 of width, height and RGBA pixels: what an image shows, however it is packed."""
    return hashlib.sha256(struct.pack(">II", *size) + pixels).hexdigest()


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
