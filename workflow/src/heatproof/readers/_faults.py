"""What can be wrong with the bytes of a record, and how it is told."""

from __future__ import annotations

import msgspec

from heatproof.readers._keys import Repeated

FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
"""What decoding raises; of ValueErrors: no JSON, broken UTF-8, repeated keys, endless integers."""

MISFITS = (TypeError, LookupError, ArithmeticError)
"""What turning a decoded record into columns raises, beyond that."""

SMALL = 1 << 16
"""Bytes up to which a copy is cheaper than being clever."""


def require_utf8(data: memoryview) -> None:
    """Raise a UnicodeDecodeError or another ValueError where bytes are not UTF-8.

    The decoder does not look into the strings that it skips.
    """
    if len(data) <= SMALL:
        text = bytes(data)
        if not text.isascii():
            text.decode()
        return
    import numpy as np
    import pyarrow as pa

    ends = np.array([0, len(data)])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    pa.LargeStringArray.from_buffers(1, buffers[1], buffers[2]).validate(full=True)


def reason(  # noqa: PLR0911 - one for each kind of damage
    error: Exception, data: bytes, *, cut: bool = False
) -> str:
    """Why a record could not be decoded, in words for the rejected table."""
    if isinstance(error, UnicodeDecodeError):
        return f"invalid UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError | Repeated):
        return str(error)
    if "integer string conversion" in str(error):
        return "a number is out of range"
    if cut:
        return f"the log ends within this line: {error}"
    for word in (b"NaN", b"Infinity"):
        if word in data:
            return f"not JSON: {word.decode()} (a bare word): {error}"
    return f"not JSON: {error}"
