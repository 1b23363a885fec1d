"""Records that hold a group of columns for each model: `score: "{model}.is_correct"`.

The part of a key that stands in the place of `{model}` fills that column, and each group is a row.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from heatproof.readers.api import Place, Reject
from heatproof.readers.documents import members
from heatproof.readers.faults import FAULTS
from heatproof.readers.group_places import grouped_place, pattern
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    import msgspec

    from heatproof.readers.mapping import Mapped


class Groups:
    """Where the groups of a source's records stand."""

    def __init__(self, entry: Mapped) -> None:
        self.entry, self.column = entry, entry.group()
        self.place = grouped_place(entry.places())
        parts = self.place.split(".")
        at = next(n for n, part in enumerate(parts) if f"{{{self.column}}}" in part)
        self.above, self.below = parts[:at], parts[at + 1 :]
        self.key = pattern(parts[at], self.column)

    def of_log(self) -> LogGroups:
        """Those of a log, of which none is known yet."""
        return LogGroups(self)


class LogGroups:
    """The groups that the records of a log have.

    A key that fits, with an object that has no score, is a group that lacks its score if other
    records have that group, and no group at all otherwise.
    """

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._known: dict[str, None] = {}
        self._without: dict[str, array[int]] = {}
        """Group → line, offset and length of each record in which it has no score."""

    def of(self, data: bytes, place: Place) -> list[str]:
        """The groups of a record that have a score.

        Raises:
            Error: it has none, or a key on the way stands twice.
        """
        try:
            level = self._level(data)
            found = []
            for key, raw in level.items():
                match = self._groups.key.fullmatch(key)
                if not match or not self._groups.entry.is_group(key, match[1]):
                    continue
                if self._is_there(raw):
                    found.append(match[1])
                elif bytes(memoryview(raw)[:1]) in (b"{", b"n"):
                    self._without.setdefault(match[1], array("q")).extend(place)
        except FAULTS as error:
            raise Error(str(error)) from error
        if not found:
            raise Error(f"no key fits {self._groups.place!r}; {choices('', level)}")
        self._known |= dict.fromkeys(found)
        return found

    def _level(self, data: bytes) -> dict[str, msgspec.Raw]:
        level = members(data)
        for part in self._groups.above:
            if part not in level:
                return {}
            level = members(level[part])
        return level

    def _is_there(self, raw: msgspec.Raw) -> bool:
        for part in self._groups.below:
            if bytes(memoryview(raw)[:1]) != b"{":
                return str.isdigit(part)
            level = members(raw)
            if part not in level:
                return False
            raw = level[part]
        return True

    def lacking(self) -> Iterator[Reject]:
        """The records in which a group lacks its score, when all were looked at."""
        column = self._groups.column
        for group, numbers in self._without.items():
            if group not in self._known:
                continue
            place = self._groups.place.replace(f"{{{column}}}", group)
            for at in range(0, len(numbers), 3):
                where = Place(*numbers[at : at + 3])
                yield Reject(where, f"nothing at {place}", told={column: group})
