"""Tell at a glance that no record of a chunk repeats a key: all are laid out like the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 8


def alike(data: memoryview, ends: NDArray[np.int64], names: set[bytes]) -> bool:
    """Whether all lines hold the keys of the first, spelled and ordered like there, each of `names`
    (with quotes) at most once.

    `data` is one JSON object a line, already decoded without a fault. Every key has a colon, so it
    is enough to look at what stands before each colon, and a line with a colon in a text or in an
    object within does not look like others. False tells nothing.
    """
    bytes_ = np.frombuffer(data, np.uint8)
    colons = np.flatnonzero(bytes_ == ord(":"))
    if not len(colons) or len(colons) % len(ends):
        return False
    grid = colons.reshape(len(ends), -1).T
    if (grid[-1] > ends).any() or (grid[0, 1:] < ends[:-1]).any():
        return False
    keys = [_before(data, int(colon)) for colon in grid[:, 0]]
    if not all(keys) or any(keys.count(name) > 1 for name in names):
        return False
    return all(_same(data, at, len(key)) for at, key in zip(grid, keys, strict=True))


def _before(data: memoryview, colon: int) -> bytes:
    """The key, with quotes, that ends at the first colon of a column; empty if none does."""
    text = bytes(data[max(0, colon - 4 * WORD) : colon])
    start = text.rfind(b'"', 0, -1)
    key = text[start:] if start >= 0 else b""
    return key if key.endswith(b'"') and b"\\" not in key else b""


def _same(data: memoryview, at: NDArray[np.int64], length: int) -> bool:
    """Whether the same `length` bytes stand before all these places."""
    words = np.ndarray(len(data) - WORD + 1, "<u8", buffer=data, strides=(1,))
    for start in range(0, length, WORD):
        places = at - (length - start)
        if places[-1] >= len(words):
            return False
        found = words[places]
        if length - start < WORD:
            found &= np.uint64((1 << 8 * (length - start)) - 1)
        if (found != found[0]).any():
            return False
    return True
