"""Keys that stand twice, where a decoder would take one of the two in silence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from heatproof.readers._counted import Repeated, is_struct, item, union

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        seen = [(key, of, below) for key, of in value if (below := _below(kind, key)) is not None]
        _require([key for key, _, _ in seen])
        for _, of, below in seen:
            require_unique_in(of, below)
    elif isinstance(value, list):
        items = next((item(one) for one in union(kind) if get_origin(one) is list), None)
        for one in value if kind is Any or items not in (None, Any) else ():
            require_unique_in(one, Any if kind is Any else items)


def _below(kind: Any, key: str) -> Any:
    """What a decoder for a kind takes the value of a key for; None if it skips it."""
    for one in union(kind):
        if one is Any:
            return Any
        if get_origin(one) is dict:
            return get_args(one)[1]
        if is_struct(one):
            types = {field.encode_name: field.type for field in msgspec.structs.fields(one)}
            return types.get(key)
    return None


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
        one is Any or get_origin(one) is dict or any(map(_is_open, _inside(one)))
        for one in union(kind)
    )


def _inside(kind: Any) -> Iterator[Any]:
    """The kinds of what a struct holds, or a list of structs."""
    if is_struct(inner := item(kind)):
        yield from (field.type for field in msgspec.structs.fields(inner))
