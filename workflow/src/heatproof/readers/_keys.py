"""Decode records, and notice keys that stand twice: the JSON decoder silently takes the last.

Short records are mostly laid out alike, which one look at their layout tells; of long ones a parser
tells the keys, which is quick to pass over texts; else the decoder counts what it meets. Only where
a repeat is suspected, lines are looked at one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._counted import Counted, Repeated, is_struct, quoted
from heatproof.readers._unique import Open, require_unique_in, written
from heatproof.readers._utf8 import require_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.reading.streams import Text

    Lines = Callable[[Text], Sequence[Any] | None]

__all__ = ["Decoder", "Repeated"]

SHORT = 1000
"""Bytes of a record from which on counting costs less than a look at the layout."""

LONG = 12_000
"""Bytes of a record from which on the parser for long ones wins back what each call costs."""

PATIENCE = 8
"""Chunks on which a way has failed after which it is tried no more."""


class _Way:
    """A quick way to decode chunks of one shape; given up where it fails again and again."""

    def __init__(self, make: Callable[[], Lines]) -> None:
        self._make, self._patience = make, PATIENCE
        self._found: Lines | None = None

    def lines(self, text: Text) -> Sequence[Any] | None:
        """The records of a chunk; None if they do not have the shape."""
        if not self._patience:
            return None
        self._found = self._found or self._make()
        records = self._found(text)
        self._patience = self._patience - 1 if records is None else PATIENCE
        return records


class Decoder:
    """Like a decoder for a struct, but refuses records in which a wanted key stands twice.

    Where `decoder` is for something else than a struct, records are only decoded. Bytes that are
    not UTF-8 are refused too: the decoder does not look into strings that it skips.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self._decoder = decoder
        self._counted = Counted(decoder.type) if is_struct(decoder.type) else None
        self._open = Open(decoder.type) if is_struct(decoder.type) else None
        self._short, self._long = _Way(self._for_short), _Way(self._for_long)

    def lines(self, text: Text) -> Sequence[Any]:
        """The records of a chunk, one a line.

        Raises:
            Repeated: a key may stand twice; `one` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        records = self._lines(text)
        if self._open:
            self._open.require_unique(text.data)
        return records

    def _lines(self, text: Text) -> Sequence[Any]:
        if self._counted and text.begins_within(SHORT):
            records = self._short.lines(text)
            if records is not None:
                return records
        elif len(text.data) >= LONG * len(text.ends):
            records = self._long.lines(text)
            if records is not None:
                return records
        require_utf8(text.data)
        return self._values(text.data)

    def values(self, data: bytes | memoryview) -> list[Any]:
        """The records that follow one another in a text known to be UTF-8. Raises as `lines`."""
        records = self._values(data)
        if self._open:
            self._open.require_unique(data)
        return records

    def _values(self, data: bytes | memoryview) -> list[Any]:
        decoder = self._counted or self._decoder
        return decoder.decode_lines(data)

    # Either is loaded where there are such records alone.

    def _for_short(self) -> Lines:
        from heatproof.readers._alike import Alike

        assert self._counted  # noqa: S101 - `lines` has asked
        return Alike(self._decoder, map(quoted, self._counted.names)).lines

    def _for_long(self) -> Lines:
        try:
            from heatproof.readers._long import Long, fits
        except ImportError:  # there is no package of the parser for this Python
            return _none
        return Long(self._decoder.type).lines if fits(self._decoder.type) else _none

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


def _none(text: Text) -> None:
    """A way that never leads anywhere."""
