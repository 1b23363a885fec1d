"""Tell at a glance that no record of a chunk repeats a key: all are laid out like the first.

A key has a colon behind it. If all lines have the same number of colons, and the same bytes before
each, then what holds for the keys of the first line holds for all, and that is soon looked through.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAIL = 8
"""Bytes before each colon that are compared: a machine word."""

HEX = re.compile(rb"u?[0-9a-fA-F]{1,4}")
"""What is left of an escaped letter when its beginning is cut off."""


def alike(data: memoryview, ends: NDArray[np.int64], names: frozenset[bytes]) -> bool:
    """Whether no line repeats one of the keys `names` (with quotes); False tells nothing.

    `data` is one JSON object a line, decoded without a fault; `ends` are the ends of its lines.
    """
    colons = np.flatnonzero(np.frombuffer(data, np.uint8) == ord(":"))
    if not len(colons) or len(colons) % len(ends) or colons[0] < TAIL:
        return False
    grid = colons.reshape(len(ends), -1)
    if (grid[:, -1] > ends).any() or (grid[1:, 0] < ends[:-1]).any():
        return False
    keys = tuple(_before(data, colon) for colon in grid[0].tolist())
    masks = _masks(keys, names)
    if masks is None:
        return False
    words = np.ndarray(len(data) - TAIL + 1, "<u8", buffer=data, strides=(1,))
    found = words[colons - TAIL].reshape(grid.shape)
    found &= masks
    return not (found != found[0]).any()


def _before(data: memoryview, colon: int) -> bytes:
    """The key, with quotes, that ends at a colon; empty if none does."""
    text = bytes(data[max(0, colon - 64) : colon])
    return text[text.rfind(b'"', 0, -1) :] if text.count(b'"') > 1 else b""


@lru_cache(64)
def _masks(keys: tuple[bytes, ...], names: frozenset[bytes]) -> NDArray[np.uint64] | None:
    """Which bytes before each colon to compare; None if a name may stand at two of them."""
    if any(not key.endswith(b'"') or b"\\" in key for key in keys):
        return None
    for name in names:
        if sum(_may_be(key[-TAIL:], name) for key in keys) > 1:
            return None
    shown = [8 * (TAIL - min(len(key), TAIL)) for key in keys]
    return np.array([(1 << 64) - (1 << hidden) for hidden in shown], np.uint64)


def _may_be(tail: bytes, name: bytes) -> bool:
    """Whether a key of which only the tail is known can be `name`, spelled out or with escapes."""
    if re.search(rb'["\\/\x00-\x1f]', name[1:-1]):
        return True  # these have short escapes, which leave no trace
    if tail.startswith(b'"'):
        return tail == name
    cut = (tail[at:] for at in range(1, 6) if HEX.fullmatch(tail[:at]))
    return name.endswith((tail, *cut))
