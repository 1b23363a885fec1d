"""Compressed bytes that are the same on every machine.

Python's zlib is the system's, which may be another library under its name (zlib-ng: other bytes for
the same data). Arrow brings its own in its wheel, and requirements/ name the wheel by its digest.
"""

from __future__ import annotations

import struct
import zlib

GZIP_HEAD, GZIP_TAIL = 10, 8
"""Bytes around the compressed data (RFC 1952, 2.3)."""
ZLIB_HEAD = b"\x78\x9c"
"""A window of 32 kB, level not told (RFC 1950, 2.2)."""


def compress(data: bytes, level: int) -> bytes:
    """The data as a zlib stream; `level`: 1 to 9."""
    from pyarrow import Codec

    packed: bytes = Codec("gzip", compression_level=level).compress(data, asbytes=True)
    body = packed[GZIP_HEAD:-GZIP_TAIL]
    return ZLIB_HEAD + body + struct.pack(">I", zlib.adler32(data))
