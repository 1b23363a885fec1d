"""Decode short records that are laid out alike, and learn where in their bytes the values stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._counted import quoted
from heatproof.readers._layout import Layout
from heatproof.readers._values import Records

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


class Alike:
    """Decodes the records of chunk after chunk, each of a layout that one look confirms.

    Where all records hold a field, and none may hold it twice, it is at the same colon in each.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any], names: Iterable[bytes]) -> None:
        """`names`: the keys, with quotes, that may not stand twice."""
        self._decoder, self._layout = decoder, Layout(names)
        self._full: msgspec.json.Decoder[Any] | None = None
        self._fields: dict[str, int] = {}
        self._absent: set[str] = set()

    def lines(self, data: memoryview, ends: NDArray[np.int64]) -> list[Any] | None:
        """The records of a chunk; None if they are not laid out alike. Raises as the decoder."""
        full = self._all_full(data)
        records = self._decoder.decode_lines(data) if full is None else full
        grid = self._layout.alike(data, ends)
        if grid is None:
            return None
        if self._layout.new:
            self._learn()
        elif full is not None:
            colons = {name: grid[:, at] for name, at in self._fields.items()}
            return Records(records, data, colons, self._absent)
        return records

    def _all_full(self, data: memoryview) -> list[Any] | None:
        """The records, if each holds every field of the layout."""
        try:
            return self._full.decode_lines(data) if self._full else None
        except msgspec.ValidationError:
            return None

    def _learn(self) -> None:
        """Expect of all records the fields that those of a new layout hold."""
        keys, fields = self._layout.keys, msgspec.structs.fields(self._decoder.type)
        names = [(f.name, quoted(f.encode_name)) for f in fields]
        self._fields = {name: keys.index(key) for name, key in names if key in keys}
        self._absent = {name for name, key in names if not self._layout.may_hold(key)}
        members: list[Any] = [
            (f.name, f.type, *([] if f.name in self._fields else _default(f))) for f in fields
        ]
        rename = {f.name: f.encode_name for f in fields}
        kind = msgspec.defstruct("Full", members, rename=rename, gc=False, kw_only=True)
        self._full = msgspec.json.Decoder(kind)


def _default(field: msgspec.structs.FieldInfo) -> list[Any]:
    if field.required:
        return []
    if field.default_factory is not msgspec.NODEFAULT:
        return [msgspec.field(default_factory=field.default_factory)]
    return [field.default]
