"""How the records of a chunk are laid out: the same keys in the same order, all on their own line.

Behind each key stands a colon. If all lines have the same number of colons, and around each of
them the same: the key with the comma or brace that it follows, and a space or none, then what one
look at the first line tells of its keys holds for all lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from heatproof.reading.buffers import NEWLINE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heatproof.reading.streams import Text

COLON = ord(":")

KEY = re.compile(rb'[,{] *("[^"\\\s,:\[\]{}][^"\\]*")$')
"""A key with what it follows. What stands between two texts cannot be taken for one: it begins
with a space, a comma, a colon or a closing bracket. Nor can the end of a text, where a quote that
belongs to it has a backslash before it."""


class Layout:
    """A layout, learnt from one chunk and found again in others."""

    def __init__(self, names: Iterable[bytes]) -> None:
        """`names`: the keys, with quotes, that may not stand twice."""
        self._names = frozenset(names)
        self._begin = 0
        self._around: list[bytes] = []
        self._repeated: list[bytes] = []
        self.keys: list[bytes] = []
        """The keys of a record, with quotes, in their order; none before one is learnt."""
        self.values: list[int] = []
        """How far behind the colon of each key its value begins."""
        self.flat = False
        """Whether no record holds another object that is not empty."""

    def grid(self, text: Text) -> NDArray[np.int64] | None:
        """Where the colons behind the keys are, a row for each line; None if laid out otherwise.

        Of a text that is, the ends of the lines are known too.
        """
        if not self.keys:
            return None
        stops = text.stops(COLON)
        rows, rest = divmod(len(stops), len(self.keys) + 1)
        if rest or not rows:
            return None
        grid = stops.reshape(rows, -1)
        ends = np.ascontiguousarray(grid[:, -1])
        if grid[0, 0] != self._begin or (grid[1:, 0] != ends[:-1] + (self._begin + 1)).any():
            return None
        if (text.octets[ends] != NEWLINE).any():
            return None
        if not all(self._stands(at, grid[:, at], text.data) for at in range(len(self.keys))):
            return None
        text.ends = ends
        return grid[:, :-1]

    def _stands(self, key: int, colons: NDArray[np.int64], data: memoryview) -> bool:
        """Whether a key, and what is around it, stands at each of these colons."""
        around, behind = self._around[key], self.values[key]
        width = len(around)
        starts = colons - (width - behind)
        if starts[0] < 0 or starts[-1] + width > len(data):
            return False
        # All in one array of pieces that lie over each other, which each colon takes one of.
        pieces = np.ndarray(len(data) - width + 1, f"V{width}", buffer=data, strides=(1,))
        if len(self._repeated[key]) < width * len(starts):
            self._repeated[key] = around * len(starts)
        return self._repeated[key].startswith(pieces[starts].data)

    def learn(self, text: Text) -> bool:
        """Take the first line for a model, if it is one, and no name stands twice in it.

        `text` is one JSON object a line, decoded without a fault.
        """
        parts = bytes(text.data[: text.ends[0]]).split(b":")
        found = [match for part in parts[:-1] if (match := KEY.search(part))]
        self.keys = [match[1] for match in found]
        twice = any(self.keys.count(name) > 1 for name in self._names)
        if not found or len(found) < len(parts) - 1 or found[0].start() or twice:
            self.keys = []
            return False
        behind = [b": " if part.startswith(b" ") else b":" for part in parts[1:]]
        self._begin = len(parts[0])
        self._around = [match[0] + after for match, after in zip(found, behind, strict=True)]
        self._repeated = [b""] * len(found)
        self.values = [len(after) for after in behind]
        self.flat = not any(part.startswith(b"{") for part in self._around[1:])
        return True
