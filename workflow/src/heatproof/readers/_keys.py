"""Decode records, and notice keys that stand twice: the JSON decoder silently takes the last.

Short records are mostly laid out alike, which one look at their layout tells; else the decoder
counts what it meets. Only where a repeat is suspected, lines are looked at one by one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from heatproof.readers._counted import Counted, Repeated, is_struct, quoted

if TYPE_CHECKING:
    import msgspec
    import numpy as np
    from numpy.typing import NDArray

    from heatproof.readers._alike import Alike

__all__ = ["Decoder", "Repeated"]

SHORT = 1000
"""Bytes of a record from which on counting costs less than a look at the layout."""

PATIENCE = 8
"""Chunks of unlike records after which layouts are looked at no more."""


class Decoder:
    """Like a decoder for a struct, but refuses records in which a wanted key stands twice.

    Where `decoder` is for something else than a struct, records are only decoded.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self._decoder = decoder
        self._counted = Counted(decoder.type) if is_struct(decoder.type) else None
        self._alike: Alike | None = None
        self._patience = PATIENCE

    def lines(self, data: memoryview, ends: NDArray[np.int64]) -> list[Any]:
        """The records of a chunk, one a line; `ends` are the ends of the lines.

        Raises:
            Repeated: a key may stand twice; `one` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        if self._counted is None:
            return self._decoder.decode_lines(data)
        if self._patience and len(data) < SHORT * len(ends):
            if (records := self._short(data, ends)) is not None:
                self._patience = PATIENCE
                return records
            self._patience -= 1
        return self._counted.lines(data)

    def _short(self, data: memoryview, ends: NDArray[np.int64]) -> list[Any] | None:
        """The records, if they are laid out alike."""
        if self._alike is None:
            from heatproof.readers._alike import Alike  # long records need none of it

            assert self._counted  # noqa: S101 - what is no struct has no layout
            self._alike = Alike(self._decoder, map(quoted, self._counted.names))
        return self._alike.lines(data, ends)

    def one(self, data: bytes) -> Any:
        """A single record. Raises as `lines`; Repeated names the key."""
        record = self._decoder.decode(data)
        if self._counted is not None:
            json.loads(data, object_pairs_hook=self._unique, parse_int=str, parse_float=str)
        return record

    def _unique(self, pairs: list[tuple[str, Any]]) -> None:
        assert self._counted  # noqa: S101 - `one` has asked
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen and key in self._counted.names:
                raise Repeated(f"the key {key!r} stands twice")
            seen.add(key)
