"""Decode records, and notice keys that stand twice: the JSON decoder silently takes the last.

A decoder of our own kind counts what it meets. Only where a repeat is suspected, lines are looked
at one by one.

It counts each wanted key that is met, and each that a record lacks: a record without repeats adds
one for each of its fields, whatever their number; so a sum that is too high tells that a chunk
holds a repeat.
"""

from __future__ import annotations

import json
import types
from collections import Counter
from functools import lru_cache, partial
from itertools import count, repeat
from operator import length_hint
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Decoder:
    """Like a decoder for a struct, but refuses records in which a wanted key stands twice.

    Where `decoder` is for something else than a struct, records are only decoded. Bytes that are
    not UTF-8 are refused too: the decoder does not look into strings that it skips.
    """

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self._decoder = decoder
        self._counted = Counted(decoder.type) if is_struct(decoder.type) else None
        self._open = Open(decoder.type) if is_struct(decoder.type) else None

    def lines(self, data: bytes | memoryview) -> list[Any]:
        """The records of a chunk, one a line.

        Raises:
            Repeated: a key may stand twice; `single` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        require_utf8(data)
        return self.values(data)

    def values(self, data: bytes | memoryview) -> list[Any]:
        """The records that follow one another in a text known to be UTF-8. Raises as `lines`."""
        decoder = self._counted or self._decoder
        records = decoder.decode_lines(data)
        if self._open:
            self._open.require_unique(data)
        return records

    def single(self, data: bytes) -> Any:
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


MANY = 1 << 60


class _Met(type):
    """A type that any value is an instance of, and that counts how often that is tested."""

    tests = count(1)
    # Static: from Python 3.14 on a partial that is found in a class is bound like a function.
    __instancecheck__ = staticmethod(partial(next, tests))


class _Any(metaclass=_Met):
    """The type of a field that is counted."""


class Repeated(ValueError):
    """A key stands twice, or an object may hold one that does."""


class Counted:
    """Decodes records for a struct, and counts their fields."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._kind = list[kind]  # type: ignore[valid-type]
        self._absent: list[repeat[Any]] = []
        self._nested: list[tuple[str, int]] = []
        self._parents: list[tuple[str, list[str], repeat[Any] | None]] = []
        shadow, self._fields = self._shadow(kind, "")
        # {}.get(type, value) is the value: a callback that never leaves C.
        self._decoder = msgspec.json.Decoder(shadow, dec_hook=dict[Any, Any]().get)

    def _shadow(self, kind: Any, above: str) -> tuple[Any, int]:
        """A struct of the same keys whose fields are counted, and their number.

        Objects within objects are decoded likewise; attribute path and number are noted.
        """
        members: list[Any] = []
        leaves = 0
        fields = msgspec.structs.fields(kind)
        for field in fields:
            inner = [t for t in union(field.type) if is_struct(item(t))]
            shape: Any = _Any
            factory = field.default_factory
            default = field.default if factory is msgspec.NODEFAULT else factory()
            supply = None if field.required else repeat(default, MANY)
            if inner:
                path = f"{above}{field.name}"
                shape, number = self._shadow(item(inner[0]), f"{path}.")
                shape = (shape if is_struct(inner[0]) else list[shape]) | None
                self._nested.append((path, number))
                self._parents.append((field.encode_name, above.split(".")[:-1], supply))
            elif supply:
                self._absent.append(supply)
            leaves += not inner
            # What is left of a default's supply tells how often the field was absent.
            default = [msgspec.field(default_factory=supply.__next__)] if supply else []
            members.append((field.name, shape, *default))
        rename = {f.name: f.encode_name for f in fields}
        return msgspec.defstruct("Counted", members, rename=rename, gc=False), leaves

    def decode_lines(self, data: bytes | memoryview) -> list[Any]:
        """The records of a chunk, one a line.

        Raises:
            Repeated: a key may stand twice.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        before, absent = self._sum(), self._parents_absent()
        records = self._decoder.decode_lines(data)
        inner = sum(n * _present(records, path.split(".")) for path, n in self._nested)
        if self._sum() - before - 1 != self._fields * len(records) + inner:
            raise Repeated
        if self._parents and self._parents_repeat(data, records, absent):
            raise Repeated
        return msgspec.convert(records, self._kind, from_attributes=True)

    def _sum(self) -> int:
        """One more than at the last call, and one for each field met or absent in between."""
        return next(_Met.tests) + sum(map(_drawn, self._absent))

    def _parents_absent(self) -> Counter[str]:
        """Key of an object → how often it has been absent so far."""
        absent = Counter[str]()
        for key, _, supply in self._parents:
            absent[key] += _drawn(supply) if supply else 0
        return absent

    def _parents_repeat(
        self, data: bytes | memoryview, records: list[Any], before: Counter[str]
    ) -> bool:
        # An object that replaces a null leaves no trace in the sum.
        text = bytes(data)
        there = before.copy()
        there.subtract(self._parents_absent())
        for key, above, _ in self._parents:
            there[key] += _present(records, above)
        return b"\\u00" in text or any(text.count(quoted(p)) > n for p, n in there.items())


def _drawn(supply: repeat[Any]) -> int:
    return MANY - length_hint(supply)


def _present(records: Iterable[Any], path: list[str]) -> int:
    """How many of the records hold an object at the path."""
    objects = [*records]
    for name in path:
        values = [value for record in objects if (value := getattr(record, name)) is not None]
        objects = [o for value in values for o in (value if isinstance(value, list) else [value])]
    return len(objects)


def quoted(name: str) -> bytes:
    """A key as it stands in the JSON text."""
    return json.dumps(name, ensure_ascii=False).encode()


def union(kind: Any) -> Iterator[Any]:
    """The types of a union, or the one type."""
    if get_origin(kind) in (Union, types.UnionType):
        yield from get_args(kind)
    else:
        yield kind


def item(kind: Any) -> Any:
    """What a list holds; what is no list is its own item."""
    return get_args(kind)[0] if get_origin(kind) is list else kind


def is_struct(kind: Any) -> bool:
    """Whether records of a type are decoded field by field."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


class Pairs(list[tuple[str, Any]]):
    """An object as it is written: its keys with their values, one after the other."""


def written(data: bytes) -> Any:
    """A document with Pairs for its objects. Raises ValueError or RecursionError as `json`."""
    return json.loads(data, object_pairs_hook=Pairs, parse_int=str, parse_float=str)


def require_unique(data: bytes) -> None:
    """Raise Repeated if a key stands twice in an object of a document, however deep it lies."""
    LOOK.decode(data.decode("utf-8-sig"))


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        _require([key for key, _ in pairs])


LOOK = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
"""Made once: that takes longer than to look at a short record."""


def _require(keys: list[str]) -> None:
    if len(set(keys)) < len(keys):
        raise Repeated(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")


def require_unique_in(value: Any, kind: Any) -> None:
    """Raise Repeated if a key stands twice that a decoder for `kind` looks at; `value`: as
    `written`. What it skips may hold any.
    """
    if isinstance(value, Pairs):
        parts = [(key, part, below) for key, part in value if (below := _below(kind, key))]
        _require([key for key, _, _ in parts])
        for _, part, below in parts:
            require_unique_in(part, below)
    elif isinstance(value, list):
        items = next((item(part) for part in union(kind) if get_origin(part) is list), None)
        for part in value if kind is Any or items not in (None, Any) else ():
            require_unique_in(part, Any if kind is Any else items)


def _below(kind: Any, key: str) -> Any:
    """What a decoder for a kind takes the value of a key for; None if it skips it."""
    for part in union(kind):
        if part is Any:
            return Any
        if get_origin(part) is dict:
            return get_args(part)[1]
        if is_struct(part):
            return _types(part).get(key)
    return None


@lru_cache(maxsize=64)
def _types(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Key of a record → type of its value. Found anew for each record, it took a fifth of a
    millisecond: more than all else that is done to one.
    """
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


class Open:
    """Looks at those fields of records that hold objects of any keys: no struct counts these."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        fields = [field for field in msgspec.structs.fields(kind) if _is_open(field.type)]
        self.names = [field.encode_name for field in fields]
        members = [(f"f{n}", msgspec.Raw, msgspec.Raw(b"")) for n in range(len(fields))]
        rename = {f"f{n}": name for n, name in enumerate(self.names)}
        struct = msgspec.defstruct("Open", members, rename=rename, gc=False)
        self._decoder = msgspec.json.Decoder(struct)

    def require_unique(self, data: bytes | memoryview) -> None:
        """Raise Repeated if a key stands twice in one of the records that follow one another.

        It may be one that nobody reads: `require_unique_in` knows.
        """
        if not self.names:
            return
        for record in self._decoder.decode_lines(data):
            for raw in msgspec.structs.astuple(record):
                text = bytes(memoryview(raw))
                if b"{" in text:
                    require_unique(text)


def _is_open(kind: Any) -> bool:
    """Whether a value may be, or an object in it, of any keys. What is in lists is not looked at,
    unless it is known what they hold.
    """
    return any(
        part is Any or get_origin(part) is dict or any(map(_is_open, _inside(part)))
        for part in union(kind)
    )


def _inside(kind: Any) -> Iterator[Any]:
    """The kinds of what a struct holds, or a list of structs."""
    if is_struct(inner := item(kind)):
        yield from (field.type for field in msgspec.structs.fields(inner))


SMALL = 1 << 16
"""Bytes up to which a copy is cheaper than being clever."""


def require_utf8(data: bytes | memoryview) -> None:
    """Raise a UnicodeDecodeError or another ValueError where bytes are not UTF-8."""
    if len(data) <= SMALL:
        text = bytes(data)
        if not text.isascii():
            text.decode()
        return
    import numpy as np
    import pyarrow as pa

    ends = np.array([0, len(data)])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    pa.LargeStringArray.from_buffers(1, buffers[1], buffers[2]).validate(full=True)
