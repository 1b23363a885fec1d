"""Records that do not have the layout that config.yaml tells: what they have instead, in words.

Looked at only where a record was refused: it is decoded once more, whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._fields import LISTED, VERDICT
from heatproof.readers._params import excerpted
from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.readers._fields import Field

MISSING = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$\.?(.*)`)?")
LIST = "Expected `object`, got `array`"
KEYS = 12
"""Places in a record that are named at most."""
DEEP = 3
"""Levels of objects that are looked through for them."""

Look = tuple[str, dict[str, Any]]
"""The reason for a refusal, with a hint; and what the record says, by column."""


class Misfits:
    """Looks at the records of a source that were refused."""

    def __init__(self, wanted: Sequence[Field], shared: Mapping[str, Any]) -> None:
        """`shared`: what all records have."""
        self.places = {field.column: field.place for field in wanted}
        self.shared = shared

    def __call__(self, reason: str, data: bytes, *, document: bool = False) -> Look:
        """What is told of the record in `data`; `document`: it is all of a log."""
        try:
            record = msgspec.json.decode(data)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return reason, {}
        hint = self._hint(reason, record, document=document)
        return f"{reason}; {hint}" if hint else reason, self._told(record)

    def _told(self, record: Any) -> dict[str, Any]:
        """Columns whose place in the record holds something, even if it is of another type."""
        found = dict(self.shared)
        for column, place in self.places.items():
            value = _at(record, place)
            if value is not None and not column.startswith(LISTED):
                found["score" if column == VERDICT else column] = value
        return found

    def _hint(self, reason: str, record: Any, *, document: bool) -> str:
        if reason == LIST:
            if document:
                return "the document is a list of records: each: $"
            return "a list, not a record a line: format: json, each: $"
        if (match := MISSING.fullmatch(reason)) and isinstance(record, dict):
            if document and (lists := list(_lists(record))):
                return f"the document has {' and '.join(lists)}"
            place = ".".join(filter(None, (match[2], match[1])))
            return choices(place, list(_places(record))[:KEYS])
        return ""


def _at(record: Any, place: str) -> Any:
    """What stands at a place, if that is a text, a number, true or false."""
    for part in place.split("."):
        if isinstance(record, dict):
            record = record.get(part)
        elif isinstance(record, list) and part.isdigit() and int(part) < len(record):
            record = record[int(part)]
        else:
            return None
    return record if isinstance(record, str | int | float) else None


def _places(record: dict[str, Any], above: str = "", deep: int = DEEP) -> Iterator[str]:
    """The places of a record, those nearest to its top first."""
    inside = []
    for key, value in record.items():
        if isinstance(value, dict) and value and deep > 1:
            inside.append((key, value))
        else:
            yield f"{above}{key}"
    for key, value in inside:
        yield from _places(value, f"{above}{key}.", deep - 1)


def _lists(record: dict[str, Any]) -> Iterator[str]:
    """The lists of objects in a document, which may be its records."""
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            keys = ", ".join(list(_places(value[0]))[:4])
            yield f"{excerpted(key)}, a list of {len(value):,} objects with {keys}: each: {key}"
