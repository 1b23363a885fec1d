"""Decode long records: a parser passes over their texts by vector instructions."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import msgspec
from simdjson import Array, Object, Parser

from heatproof.readers._counted import is_struct, item, union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.reading.streams import Text

MOST = 4 << 20
"""Bytes of a chunk: the parser takes room for a dozen bytes for each byte of the longest record."""

LAYOUTS = 64
"""Sequences of keys that are remembered."""

PLAIN = {int, float, bool, str, NoneType}


def fits(kind: Any) -> bool:
    """Whether records of a type can be decoded: structs that hold no structs."""
    return is_struct(kind) and not any(
        is_struct(item(member))
        for field in msgspec.structs.fields(kind)
        for member in union(field.type)
    )


class Long:
    """Decodes the records of chunk after chunk, and checks that they are UTF-8.

    Numbers that need more than 64 bits, and all that is wrong, are left to others.
    """

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._kind = list[kind]  # type: ignore[valid-type]
        self._parser = Parser()
        fields = msgspec.structs.fields(kind)
        self._nested = {f.encode_name: bool({*union(f.type)} - PLAIN) for f in fields}
        self._layouts: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}

    def lines(self, text: Text) -> list[Any] | None:
        """The records of a chunk, one a line; None if something is unusual in one of them."""
        if len(text.data) > MOST:
            return None
        try:
            return msgspec.convert(list(self._found(text)), self._kind)
        except (ValueError, RuntimeError):  # no JSON, nested too deeply, or of other types
            return None

    def _found(self, text: Text) -> Iterator[dict[str, Any]]:
        """The wanted fields of each record."""
        parse, layouts = self._parser.parse, self._layouts
        data, start = text.data, 0
        for end in text.ends.tolist():
            document = parse(data[start:end].tobytes())  # half a microsecond less than of a view
            if type(document) is not Object:
                raise ValueError
            keys = tuple(document)
            names, nested = layouts.get(keys) or self._learn(keys)
            record = {name: document[name] for name in names}
            for name in nested:
                record[name] = _whole(record[name])
            yield record
            document, start = None, end + 1  # the parser has room for one

    def _learn(self, keys: tuple[str, ...]) -> tuple[list[str], list[str]]:
        """Of these keys those that are wanted, and those of them that may hold others.

        Raises:
            ValueError: one of them stands twice.
        """
        if len(self._layouts) == LAYOUTS:
            self._layouts.clear()
        names = [key for key in keys if key in self._nested]
        if len(set(names)) < len(names):
            raise ValueError
        self._layouts[keys] = names, [name for name in names if self._nested[name]]
        return self._layouts[keys]


def _whole(value: Any) -> Any:
    """The value itself, where the parser gives a view of what it holds until the next record."""
    if type(value) is Array:
        return value.as_list()
    return value.as_dict() if type(value) is Object else value
