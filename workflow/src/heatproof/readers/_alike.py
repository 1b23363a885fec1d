"""Decode short records that are laid out alike, and learn where in their bytes the values stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._counted import quoted, union
from heatproof.readers._layout import Layout
from heatproof.readers._utf8 import require_utf8
from heatproof.readers._values import Records, Spot
from heatproof.structs import usual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from heatproof.reading.streams import Text

PATIENCE = 8
"""Chunks whose records were decoded in spite of all after which they are at once."""


class Alike:
    """Decodes the records of chunk after chunk, each of a layout that one look confirms.

    Where all records hold a field, and none may hold it twice, it is at the same colon in each.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any], names: Iterable[bytes]) -> None:
        """`names`: the keys, with quotes, that may not stand twice."""
        self._decoder, self._layout = decoder, Layout(names)
        self._full = decoder
        self._fields: dict[str, Spot] = {}
        self._absent: dict[str, Any] = {}
        self._check = _checker()
        self._patience = PATIENCE

    def lines(self, text: Text) -> Sequence[Any] | None:
        """The records of a chunk; None if they are not laid out alike. Raises as the decoder.

        They are decoded when they are looked at, if it is certain before that they are JSON.
        """
        grid = self._layout.grid(text)
        if grid is not None and self._patience and self._layout.flat and self._check(text):
            return Records(text, grid, self._fields, self._absent, self._late)
        require_utf8(text.data)
        if grid is None:
            records = self._decoder.decode_lines(text.data)
            if not self._layout.learn(text) or self._layout.grid(text) is None:
                return None
            self._learn()
            return records
        try:
            records = self._full.decode_lines(text.data)
        except msgspec.ValidationError:
            return self._decoder.decode_lines(text.data)
        return Records(text, grid, self._fields, self._absent, lambda _: records)

    def _late(self, text: Text) -> list[Any]:
        self._patience -= 1
        return self._full.decode_lines(text.data)

    def _learn(self) -> None:
        """Expect of all records the fields that those of a new layout hold."""
        keys, values = self._layout.keys, self._layout.values
        fields = msgspec.structs.fields(self._decoder.type)
        self._fields, self._absent = {}, {}
        members: list[Any] = []
        for field in fields:
            key = quoted(field.encode_name)
            if key in keys:
                at = keys.index(key)
                self._fields[field.name] = _spot(at, values[at], field.type)
                members.append((field.name, field.type))
            else:
                self._absent[field.name] = usual(field)
                members.append((field.name, field.type, _default(field)))
        rename = {f.name: f.encode_name for f in fields}
        kind = msgspec.defstruct("Full", members, rename=rename, gc=False, kw_only=True)
        self._full = msgspec.json.Decoder(kind)


def _spot(colon: int, behind: int, kind: Any) -> Spot:
    kinds = {*union(kind)}
    return Spot(colon, behind, bool(kinds & {int, float, Any}), bool(kinds & {bool, Any}))


def _default(field: msgspec.structs.FieldInfo) -> Any:
    made = field.default_factory
    return field.default if made is msgspec.NODEFAULT else msgspec.field(default_factory=made)


def _checker() -> Callable[[Text], bool]:
    try:
        from heatproof.readers._checked import Check
    except ImportError:  # there is no package of the parser for this Python
        return lambda _: False
    return Check()
