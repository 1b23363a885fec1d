"""Compressed bytes that are the same on every machine.

Python's zlib is the system's, which may be another library under its name (zlib-ng: other bytes for
the same data). Arrow brings the classic one in its wheel, which requirements/ name by its digest.
Where the system's is the classic one too, it is taken: Arrow and NumPy take 0.15 s to load, a tenth
of what it takes to draw a figure.
"""

from __future__ import annotations

import re
import struct
import zlib

GZIP_HEAD, GZIP_TAIL = 10, 8
"""Bytes around the compressed data (RFC 1952, 2.3)."""
HEADS = {1: b"\x78\x01", 2: b"\x78\x5e", 6: b"\x78\x9c", 7: b"\x78\xda"}
"""Level from which on → the head of a zlib stream (RFC 1950, 2.2)."""


def compress(data: bytes, level: int) -> bytes:
    """The data as a zlib stream; `level`: 1 to 9."""
    if re.fullmatch(r"[\d.]+", zlib.ZLIB_RUNTIME_VERSION):
        return zlib.compress(data, level)
    return by_arrow(data, level)


def by_arrow(data: bytes, level: int) -> bytes:
    """The same by the zlib of Arrow's wheel."""
    from pyarrow import Codec

    packed: bytes = Codec("gzip", compression_level=level).compress(data, asbytes=True)
    head = HEADS[max(least for least in HEADS if least <= level)]
    return head + packed[GZIP_HEAD:-GZIP_TAIL] + struct.pack(">I", zlib.adler32(data))
