"""Whether flat records laid out alike are JSON, each just its line, told without decoding them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from simdjson import Array, Parser

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heatproof.reading.streams import Text

PART = 1 << 18
"""Bytes looked through at a time, about: the parser needs room for a dozen bytes for each, which is
to stay in the cache."""

OPEN, CLOSE, COMMA, END = b"[],}"
BLANK = np.zeros(256, bool)
BLANK[list(b"{ \t\r")] = True
"""What may stand before the end of an object that holds nothing."""


class Check:
    """Looks through chunk after chunk.

    All lines are put into one array, with a comma for each newline, and a parser is asked whether
    that is JSON, in UTF-8. It is then certain that each line is one object, if all lines begin with
    a brace and a key, which no line can within a text, if all their other keys follow a comma, so
    that no other object begins in a line but an empty one, and if such a one ends no line: what
    ends there is the object that began with the line, and nothing else is open.
    """

    def __init__(self) -> None:
        self._parser = Parser()
        self._room = np.empty(0, np.uint8)

    def __call__(self, text: Text) -> bool:
        """Whether all lines of a text whose layout is known and flat are JSON, one object each.

        False tells nothing.
        """
        octets, ends = text.octets, text.ends
        if (octets[ends - 1] != END).any() or BLANK[octets[ends - 2]].any():
            return False
        lines = max(1, PART * len(ends) // len(octets))
        start = 0
        for first in range(0, len(ends), lines):
            part = ends[first : first + lines]
            if not self._is_array(octets[start : part[-1] + 1], part - start):
                return False
            start = int(part[-1]) + 1
        text.objects = True
        return True

    def _is_array(self, octets: NDArray[np.uint8], ends: NDArray[np.int64]) -> bool:
        """Whether lines are the items of an array."""
        size = len(octets) + 1
        if len(self._room) < size:
            self._room = np.empty(size, np.uint8)
        room = self._room[:size]
        room[0] = OPEN
        room[1:] = octets
        room[ends + 1] = COMMA
        room[-1] = CLOSE
        try:
            found = self._parser.parse(room.data)
        except (ValueError, RuntimeError):
            return False
        return type(found) is Array and len(found) == len(ends)
