"""Values of short records straight from their bytes, where all are laid out alike.

What is read here are whole numbers of up to seven digits, and true and false: eight bytes at a time
as one machine word, for all records of a chunk at once. Everything else is left to the decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from heatproof.reading.streams import Text

    Words = NDArray[np.uint64]

WORD = 8
"""Bytes of a machine word."""

COMMA, CLOSE = b",}"
TRUE, FALSE = (int.from_bytes(text, "little") for text in (b"true", b"fals"))
HALF = np.uint64(0xFFFFFFFF)


class Spot(NamedTuple):
    """Where all records hold a field: which of their colons, how far behind, what it may be."""

    colon: int
    behind: int
    numbers: bool
    flags: bool


class Records(Sequence[Any]):
    """Records whose values stand at known places; decoded when they themselves are looked at."""

    def __init__(
        self,
        text: Text,
        colons: NDArray[np.int64],
        fields: Mapping[str, Spot],
        absent: Mapping[str, Any],
        decode: Callable[[Text], list[Any]],
    ) -> None:
        """`colons`: a row for each record; `absent`: fields that none holds, with their defaults.

        `decode` gives the records; it may raise what a decoder raises.
        """
        self._text, self._colons, self._fields = text, colons, fields
        self.absent, self._decode = absent, decode
        self._decoded: list[Any] | None = None

    def __len__(self) -> int:
        return len(self._colons)

    def __getitem__(self, at: Any) -> Any:
        return self.all()[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.all())

    def all(self) -> list[Any]:
        """The records, decoded."""
        if self._decoded is None:
            self._decoded = self._decode(self._text)
        return self._decoded

    def array(self, name: str) -> NDArray[Any] | None:
        """The values of a field; None if not all of them are small numbers, or true or false."""
        if name not in self._fields:
            return None
        spot = self._fields[name]
        found = words(self._text.data, self._colons[:, spot.colon] + spot.behind)
        if found[0] & HALF in (TRUE, FALSE):
            return flags(found) if spot.flags else None
        return whole(found) if spot.numbers else None


def values(records: Sequence[Any], name: str) -> list[Any] | NDArray[Any]:
    """The values of a field, as an array where the records know of one."""
    if isinstance(records, Records) and records:
        if name in records.absent:
            value = records.absent[name]
            same = isinstance(value, bool)  # and soon looked through
            return np.full(len(records), value) if same else [value] * len(records)
        if (found := records.array(name)) is not None:
            return found
    return list(map(attrgetter(name), records))


def words(data: memoryview, starts: NDArray[np.int64]) -> Words:
    """The eight bytes from each position on, which rise; zeros behind the end of the data."""
    most = len(data) - WORD
    # As bytes, not as numbers: these would have to lie at multiples of eight, or cost twice.
    octets = np.ndarray(most + 1, f"V{WORD}", buffer=data, strides=(1,))
    if starts[-1] <= most:
        return octets[starts].view(np.uint64)
    at = np.minimum(starts, most)
    return octets[at].view(np.uint64) >> ((starts - at) * WORD).astype(np.uint64)


def whole(found: Words) -> NDArray[np.int64] | None:
    """The whole numbers that words begin with; None if one holds none, or another number.

    Digits are found and added up in all bytes of a word together (SIMD within a register).
    """
    digits = found ^ np.uint64(0x3030303030303030)
    others = digits & np.uint64(0x7F7F7F7F7F7F7F7F)
    others += np.uint64(0x7676767676767676)
    others |= digits
    others &= np.uint64(0x8080808080808080)
    first = others & (~others + np.uint64(1))  # the first byte that is no digit
    if not (first > 0x80).all():
        return None  # no digit at all; where all are digits, there is no first byte either
    bits = np.bitwise_count((first >> np.uint64(7)) - np.uint64(1))
    behind = (found >> bits).astype(np.uint8)
    if not ((behind == COMMA) | (behind == CLOSE)).all():
        return None
    digits <<= np.uint64(64) - bits
    longest = int(bits.max())
    for bits_, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF)):
        if longest <= bits_:
            digits >>= np.uint64(64 - bits_)
            break
        upper = digits >> np.uint64(bits_)
        digits *= np.uint64(10 ** (bits_ // 8))
        digits += upper
        digits &= np.uint64(mask)
    return digits.view(np.int64)


def flags(found: Words) -> NDArray[np.bool_] | None:
    """Whether words begin with true; None if one begins with neither true nor false."""
    heads = found & HALF
    yes = heads == TRUE
    return yes if (yes | (heads == FALSE)).all() else None
