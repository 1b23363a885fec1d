"""PNG at 300 pixels per inch, as small as it comes without loss; the record is a text chunk."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from heatproof.util import canonical

if TYPE_CHECKING:
    from PIL.Image import Image

    from heatproof.export.drawing import Drawing

PPI = 300
KEYWORD = "heatproof"
LEVEL = 6  # of zlib: 9 takes three times as long, for 1 to 4 % in size


def write(drawing: Drawing) -> bytes:
    """The drawing in pixels, 300 of them to an inch of 72 pt.

    A fifth of our renderer's in size: without an alpha channel where nothing shines through, and
    with a palette where it suffices.
    """
    from PIL.PngImagePlugin import PngInfo
    from vl_convert import svg_to_png

    pixels = _open(svg_to_png(drawing.svg, scale=1, ppi=PPI))
    if pixels.getchannel("A").getextrema() == (255, 255):
        pixels = pixels.convert("RGB")
        if pixels.getcolors(256):
            palette = pixels.quantize(256)
            same = palette.convert("RGB").tobytes() == pixels.tobytes()
            pixels = palette if same else pixels
    text, file = PngInfo(), io.BytesIO()
    text.add(b"tEXt", f"{KEYWORD}\0{canonical.text(drawing.record)}".encode())
    pixels.save(file, "PNG", pnginfo=text, dpi=(PPI, PPI), compress_level=LEVEL)
    return file.getvalue()


def _open(image: bytes) -> Image:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(image), formats=["PNG"]) as opened:
            return opened.convert("RGBA")
    except (OSError, SyntaxError) as error:  # the second is how Pillow reports a broken chunk
        raise ValueError(f"not a PNG that can be read: {error}") from None


def pixels(image: bytes) -> str:
    """SHA-256 of width, height and pixels of a PNG, however they are packed in the file.

    Raises:
        ValueError: the bytes are no PNG that can be read.
    """
    opened = _open(image)
    return hashlib.sha256(struct.pack(">II", *opened.size) + opened.tobytes()).hexdigest()


def is_animated(image: bytes) -> bool:
    """Whether a PNG holds more pictures than the one that most programs show."""
    from PIL import Image

    with Image.open(io.BytesIO(image), formats=["PNG"]) as opened:
        return bool(getattr(opened, "is_animated", False))


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of a PNG; wherever the chunk stands, since optimisers move it."""
    from PIL import Image

    with suppress(OSError, SyntaxError), Image.open(io.BytesIO(data), formats=["PNG"]) as opened:
        if KEYWORD not in opened.info:
            opened.load()  # chunks that stand behind the pixels
        if isinstance(text := opened.info.get(KEYWORD), str):
            return dict(json.loads(text))
    return None
