"""Decode records, and notice keys that stand twice: the JSON decoder silently takes the last.

The decoder counts by itself: each wanted key that it meets, and each that a record lacks. A record
without repeats adds one for each of its fields, whatever their number; so a sum that is too high
tells that a chunk holds a repeat, and only then its lines are looked at one by one.
"""

from __future__ import annotations

import json
import types
from functools import partial
from itertools import count, repeat
from operator import length_hint
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

SHORT = 1000
"""Bytes of a record from which on counting costs less than a look at the layout."""

PATIENCE = 8
"""Chunks of unlike records after which layouts are looked at no more."""

MANY = 1 << 60


class _Met(type):
    """A type that any value is an instance of, and that counts how often it is asked."""

    asked = count(1)
    __instancecheck__ = partial(next, asked)


class _Any(metaclass=_Met):
    """The type of a field that is counted."""


class Repeated(ValueError):
    """A key stands twice, or an object may hold one that does."""


class Decoder:
    """Like a decoder for a struct, but refuses records in which a wanted key stands twice.

    Where `decoder` is for something else than a struct, records are only decoded.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self._decoder, self._kind = decoder, list[decoder.type]  # type: ignore[name-defined]
        self._absent: list[repeat[Any]] = []
        self._nested: list[tuple[str, int]] = []
        self._parents: set[str] = set()
        self._names: set[str] = set()
        self._fields, self._counting, self._patience = 0, None, PATIENCE
        if _is_struct(decoder.type):
            shadow, self._fields = self._shadow(decoder.type, "")
            # {}.get(type, value) is the value: a callback that never leaves C.
            self._counting = msgspec.json.Decoder(shadow, dec_hook=dict[Any, Any]().get)
        from heatproof.readers._layout import Layout

        self._layout = Layout(map(_quoted, self._names))

    def _shadow(self, kind: Any, above: str) -> tuple[Any, int]:
        """A struct of the same keys whose fields are counted, and their number.

        Objects within objects are decoded likewise; attribute path and number are noted.
        """
        members: list[Any] = []
        leaves = 0
        fields = msgspec.structs.fields(kind)
        for field in fields:
            self._names.add(field.encode_name)
            inner = [t for t in _members(field.type) if _is_struct(t)]
            shape: Any = _Any
            if inner:
                path = f"{above}{field.name}"
                shape, number = self._shadow(inner[0], f"{path}.")
                shape = shape | None
                self._nested.append((path, number))
                self._parents.add(field.encode_name)
            leaves += not inner
            members.append((field.name, shape) if field.required else self._default(field, shape))
        rename = {f.name: f.encode_name for f in fields}
        return msgspec.defstruct("Counted", members, rename=rename, gc=False), leaves

    def _default(self, field: Any, shape: Any) -> tuple[str, Any, Any]:
        """A field whose default is drawn from a long supply: what is left of it tells how often."""
        made = field.default_factory
        supply = repeat(field.default if made is msgspec.NODEFAULT else made(), MANY)
        if shape is _Any:
            self._absent.append(supply)
        return field.name, shape, msgspec.field(default_factory=supply.__next__)

    def lines(self, data: memoryview, ends: NDArray[np.int64]) -> list[Any]:
        """The records of a chunk, one a line; `ends` are the ends of the lines.

        Raises:
            Repeated: a key may stand twice; `one` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        if self._counting is None:
            return self._decoder.decode_lines(data)
        if self._patience and len(data) < SHORT * len(ends):
            records = self._decoder.decode_lines(data)
            if self._layout.alike(data, ends):
                self._patience = PATIENCE
                return records
            self._patience -= 1
        before = self._sum()
        found = self._counting.decode_lines(data)
        if self._sum() - before - 1 != self._expected(found):
            raise Repeated
        if self._parents and self._parents_repeat(data, len(found)):
            raise Repeated
        return msgspec.convert(found, self._kind, from_attributes=True)

    def _sum(self) -> int:
        """One more than at the last call, and one for each field met or absent in between."""
        return next(_Met.asked) + sum(MANY - length_hint(supply) for supply in self._absent)

    def _expected(self, found: list[Any]) -> int:
        held = sum(number * _present(found, path.split(".")) for path, number in self._nested)
        return self._fields * len(found) + held

    def _parents_repeat(self, data: memoryview, records: int) -> bool:
        # An object that replaces a null leaves no trace in the sum.
        text = bytes(data)
        return b"\\u00" in text or any(text.count(_quoted(p)) > records for p in self._parents)

    def one(self, data: bytes) -> Any:
        """A single record. Raises as `lines`; Repeated names the key."""
        record = self._decoder.decode(data)
        if self._counting is not None:
            json.loads(data, object_pairs_hook=self._unique, parse_int=str, parse_float=str)
        return record

    def _unique(self, pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen and key in self._names:
                raise Repeated(f"the key {key!r} stands twice")
            seen.add(key)


def _present(found: Iterable[Any], path: list[str]) -> int:
    """How many of the records hold an object at the path."""
    for name in path:
        found = [held for record in found if (held := getattr(record, name)) is not None]
    return len(found)  # type: ignore[arg-type]


def _quoted(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode()


def _members(kind: Any) -> Iterator[Any]:
    if get_origin(kind) in (Union, types.UnionType):
        yield from get_args(kind)
    else:
        yield kind


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)
