"""Know a picture by its pixels, when what was written into the file is lost."""

from __future__ import annotations

import hashlib
import re
import struct
from base64 import b64encode

from isal import isal_zlib

from heatproof.charts import fonts
from heatproof.export import png

COARSE = 72
"""Pixels per inch of figures without a PNG: drawn in a third of the time."""


def of_png(data: bytes) -> str:
    """SHA-256 of width, height and pixels of a PNG, however they are packed in the file.

    The image is drawn once more, pixel by pixel, so that filters, palettes and text chunks of
    whoever saved it last make no difference.

    Raises:
        ValueError: the bytes are no PNG.
    """
    from vl_convert import svg_to_png

    if not data.startswith(b"\x89PNG\r\n\x1a\n") or len(data) < 24:
        raise ValueError("not a PNG")
    width, height = struct.unpack(">II", data[16:24])
    url = f"data:image/png;base64,{b64encode(data).decode()}"
    size = f'width="{width}" height="{height}"'
    image = f'<image {size} image-rendering="optimizeSpeed" href="{url}"/>'
    drawn = svg_to_png(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{image}</svg>', scale=1, ppi=72
    )
    return of_our_png(drawn)


def of_svg(data: bytes, ppi: int = png.PPI) -> str:
    """The same digest of the pixels that an SVG gives, by default as many as our PNG files have.

    Raises:
        ValueError: the bytes are no SVG that can be drawn.
    """
    from vl_convert import svg_to_png

    fonts.register()
    text = data.decode("utf-8", "replace").replace(fonts.FAMILY, fonts.PRIVATE)
    # Lengths in pt would be scaled again by the resolution.
    text = re.sub(r'(<svg[^>]*?\s(?:width|height)="[\d.]+)pt"', r'\1"', text)
    text = re.sub(r'(<svg[^>]*?\s(?:width|height)="[\d.]+)pt"', r'\1"', text)
    return of_our_png(svg_to_png(text, scale=1, ppi=ppi))


def possible(data: bytes) -> set[str]:
    """The digests by which a picture may be known: an SVG at both resolutions.

    Raises:
        ValueError: the bytes are no picture that can be drawn.
    """
    if data.startswith(b"\x89PNG"):
        return {of_png(data)}
    return {of_svg(data, ppi) for ppi in (png.PPI, COARSE)}


def of_our_png(image: bytes) -> str:
    """The same digest, of an image as our renderer packed it, which it does always in one way."""
    packed = b"".join(data for kind, data in png.chunks(image) if kind == b"IDAT")
    return hashlib.sha256(image[16:24] + isal_zlib.decompress(packed)).hexdigest()
