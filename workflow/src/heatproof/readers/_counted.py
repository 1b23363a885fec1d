"""Notice keys that stand twice by counting: each wanted key that is met, each that a record lacks.

The decoder counts by itself. A record without repeats adds one for each of its fields, whatever
their number; so a sum that is too high tells that a chunk holds a repeat.
"""

from __future__ import annotations

import json
import types
from collections import Counter
from functools import partial
from itertools import count, repeat
from operator import length_hint
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

from heatproof.util.structs import usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MANY = 1 << 60


class _Met(type):
    """A type that any value is an instance of, and that counts how often it is asked."""

    asked = count(1)
    # Static: from Python 3.14 on a partial that is found in a class is bound like a function.
    __instancecheck__ = staticmethod(partial(next, asked))


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
            supply = None if field.required else repeat(usual(field), MANY)
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
        found = self._decoder.decode_lines(data)
        if self._sum() - before - 1 != self._expected(found):
            raise Repeated
        if self._parents and self._parents_repeat(data, found, absent):
            raise Repeated
        return msgspec.convert(found, self._kind, from_attributes=True)

    def _sum(self) -> int:
        """One more than at the last call, and one for each field met or absent in between."""
        return next(_Met.asked) + sum(map(_drawn, self._absent))

    def _expected(self, found: list[Any]) -> int:
        held = sum(number * _present(found, path.split(".")) for path, number in self._nested)
        return self._fields * len(found) + held

    def _parents_absent(self) -> Counter[str]:
        """Key of an object → how often it has been absent so far."""
        absent = Counter[str]()
        for key, _, supply in self._parents:
            absent[key] += _drawn(supply) if supply else 0
        return absent

    def _parents_repeat(
        self, data: bytes | memoryview, found: list[Any], before: Counter[str]
    ) -> bool:
        # An object that replaces a null leaves no trace in the sum.
        text = bytes(data)
        there = before.copy()
        there.subtract(self._parents_absent())
        for key, above, _ in self._parents:
            there[key] += _present(found, above)
        return b"\\u00" in text or any(text.count(quoted(p)) > n for p, n in there.items())


def _drawn(supply: repeat[Any]) -> int:
    return MANY - length_hint(supply)


def _present(found: Iterable[Any], path: list[str]) -> int:
    """How many of the records hold an object at the path."""
    for name in path:
        held = [value for record in found if (value := getattr(record, name)) is not None]
        found = [one for value in held for one in (value if isinstance(value, list) else [value])]
    return len(found)  # type: ignore[arg-type]


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
