"""Whether bytes are UTF-8."""

from __future__ import annotations

SMALL = 1 << 16
"""Bytes up to which a copy is cheaper than being clever."""


def require_utf8(data: memoryview) -> None:
    """Raise a UnicodeDecodeError or another ValueError where bytes are not UTF-8."""
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
