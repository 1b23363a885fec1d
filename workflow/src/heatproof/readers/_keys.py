"""Decode records, and notice keys that stand twice: the JSON decoder silently takes the last.

A decoder of our own kind counts what it meets. Only where a repeat is suspected, lines are looked
at one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._counted import Counted, Repeated, is_struct
from heatproof.readers._unique import Open, require_unique_in, written
from heatproof.readers._utf8 import require_utf8

if TYPE_CHECKING:
    from heatproof.logs.streams import Text

__all__ = ["Decoder", "Repeated"]


class Decoder:
    """Like a decoder for a struct, but refuses records in which a wanted key stands twice.

    Where `decoder` is for something else than a struct, records are only decoded. Bytes that are
    not UTF-8 are refused too: the decoder does not look into strings that it skips.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self._decoder = decoder
        self._counted = Counted(decoder.type) if is_struct(decoder.type) else None
        self._open = Open(decoder.type) if is_struct(decoder.type) else None

    def lines(self, text: Text) -> list[Any]:
        """The records of a chunk, one a line.

        Raises:
            Repeated: a key may stand twice; `one` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        require_utf8(text.data)
        return self.values(text.data)

    def values(self, data: bytes | memoryview) -> list[Any]:
        """The records that follow one another in a text known to be UTF-8. Raises as `lines`."""
        decoder = self._counted or self._decoder
        records = decoder.decode_lines(data)
        if self._open:
            self._open.require_unique(data)
        return records

    def one(self, data: bytes) -> Any:
        """A single record. Raises as `lines`; Repeated names the key."""
        try:
            record = self._decoder.decode(data)
        except msgspec.ValidationError:
            self._look_for_repeats(data)  # of two, one may fit
            raise
        self._look_for_repeats(data)
        return record

    def _look_for_repeats(self, data: bytes) -> None:
        if self._counted is not None:
            require_unique_in(written(data), self._decoder.type)
