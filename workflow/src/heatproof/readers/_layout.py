"""Tell at a glance that no record of a chunk repeats a key: all are laid out like the first.

A key has a colon behind it. If all lines have the same number of colons, and the same bytes before
each, then what holds for the keys of the first line holds for all, and that is soon looked through.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TAIL = 8
"""Bytes before each colon that are compared: a machine word."""

COLON = np.uint8(ord(":"))

HEX = re.compile(rb"u?[0-9a-fA-F]{1,4}")
"""What is left of an escaped letter when its beginning is cut off."""


class Layout:
    """How the records of the last chunk were laid out, if no key was repeated in it."""

    def __init__(self, names: Iterable[bytes]) -> None:
        self._names = frozenset(names)
        self._masks = self._tails = np.zeros(0, np.uint64)
        self._room = np.empty(0, bool)
        self.keys: list[bytes] = []
        """The keys of a record, with quotes, in their order."""
        self.new = False
        """Whether the last chunk was laid out in another way than the one before."""

    def alike(self, data: memoryview, ends: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Where the colons behind the keys are, a row for each line, if none repeats a name.

        None tells nothing. `data` is one JSON object a line, decoded without a fault; `ends` are
        the ends of its lines.
        """
        if len(self._room) < len(data):
            self._room = np.empty(len(data), bool)
        marks = np.equal(np.frombuffer(data, np.uint8), COLON, out=self._room[: len(data)])
        colons = marks.nonzero()[0]
        keys, rest = divmod(len(colons), len(ends))
        if rest or not keys or colons[0] < TAIL:
            return None
        grid = colons.reshape(-1, keys)
        if (grid[:, -1] > ends).any() or (grid[1:, 0] < ends[:-1]).any():
            return None
        # As bytes, not as numbers: these would have to lie at multiples of eight, or cost twice.
        octets = np.ndarray(len(data) - TAIL + 1, f"V{TAIL}", buffer=data, strides=(1,))
        found = octets[colons - TAIL].view("<u8").reshape(grid.shape)
        self.new = not self._known(found)
        if self.new and not (self._learn(data, grid, found) and self._known(found)):
            return None
        return grid

    def _known(self, found: NDArray[np.uint64]) -> bool:
        if found.shape[1] != len(self._masks):
            return False
        return bool(((found & self._masks) == self._tails).all())

    def may_hold(self, name: bytes) -> bool:
        """Whether a record may have a key of this name (with quotes)."""
        return any(_may_be(key[-TAIL:], name) for key in self.keys)

    def _learn(self, data: memoryview, grid: NDArray[np.int64], found: NDArray[np.uint64]) -> bool:
        """Take the first line as the model, if no name can stand in it twice."""
        keys = [_before(data, colon) for colon in grid[0].tolist()]
        if any(not key.endswith(b'"') or b"\\" in key for key in keys):
            return False
        if any(sum(_may_be(key[-TAIL:], name) for key in keys) > 1 for name in self._names):
            return False
        self.keys = keys
        hidden = [8 * (TAIL - min(len(key), TAIL)) for key in keys]
        self._masks = np.array([(1 << 64) - (1 << bits) for bits in hidden], np.uint64)
        self._tails = found[0] & self._masks
        return True


def _before(data: memoryview, colon: int) -> bytes:
    """The key, with quotes, that ends at a colon; empty if none does."""
    text = bytes(data[max(0, colon - 64) : colon])
    return text[text.rfind(b'"', 0, -1) :] if text.count(b'"') > 1 else b""


def _may_be(tail: bytes, name: bytes) -> bool:
    """Whether a key of which only the tail is known can be `name`, spelled out or with escapes."""
    if re.search(rb'["\\/\x00-\x1f]', name[1:-1]):
        return True  # these have short escapes, which leave no trace
    if tail.startswith(b'"'):
        return tail == name
    cut = (tail[at:] for at in range(1, 6) if HEX.fullmatch(tail[:at]))
    return name.endswith((tail, *cut))
