"""The spec of a figure, packed into its files: from one of them alone it can be drawn again.

Brotli of pyarrow packs to the same bytes on every machine; what comes with a system need not.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK = b"heAt"  # of PNG: ancillary, private, safe to copy
LEVEL = 5  # of brotli: a tenth of what the spec is, in some milliseconds
LARGEST = 64_000_000  # bytes of an unpacked spec; ours have a hundredth
HEAD = 8  # bytes before the packed ones, which say how many there are unpacked
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pack(spec: Mapping[str, Any]) -> bytes:
    """A spec in a tenth of its size."""
    import pyarrow as pa

    text = json.dumps(spec, ensure_ascii=False, separators=(",", ":")).encode()
    packed = pa.Codec("brotli", LEVEL).compress(text, asbytes=True)
    return len(text).to_bytes(HEAD, "big") + bytes(packed)


def unpack(data: bytes) -> dict[str, Any]:
    """The spec of `pack`. Raises Error: it is none, or larger than any of ours."""
    import pyarrow as pa

    size = int.from_bytes(data[:HEAD], "big")
    if not 0 < size <= LARGEST:
        raise Error(f"it holds a spec of {size:,} bytes, and {LARGEST:,} are the most")
    try:
        text = pa.decompress(data[HEAD:], size, codec="brotli", asbytes=True)
        spec = json.loads(text)
    except (ValueError, OSError) as error:
        raise Error(f"it holds a damaged spec ({error})") from None
    if not isinstance(spec, dict):
        raise Error("it holds no spec")
    return spec


def as_text(data: bytes) -> str:
    """Packed bytes as text."""
    return b64encode(data).decode()


def from_text(text: bytes) -> bytes:
    """The bytes of `as_text`. Raises Error: it is none."""
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise Error(f"it holds a damaged spec ({error})") from None


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and content of the chunks of a PNG whose checksums are right."""
    start = len(SIGNATURE)
    while start + 12 <= len(data):
        size = int.from_bytes(data[start : start + 4], "big")
        end = start + 8 + size
        name = data[start + 4 : start + 8]
        content = data[start + 8 : end]
        checksum = zlib.crc32(name + content).to_bytes(4, "big")
        if data[end : end + 4] == checksum:
            yield name, content
        start = end + 4
