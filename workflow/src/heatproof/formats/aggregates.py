"""Aggregates as logs: numbers that were printed, `aggregates` in config.yaml, and no records below.

A record is one row of the samples table. Each of its numbers has a column of its own, and beside it
`NAME_n` and `NAME_stderr`, where config.yaml gives them a place: all known of its uncertainty.
"""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config.entries import Printed, Word, spelling
from heatproof.formats.api import Batch, Declared, Passed, Reject, sample
from heatproof.formats.documents import members
from heatproof.formats.faults import FAULTS
from heatproof.formats.params import excerpted, number_from_text
from heatproof.formats.places import GROUP, VALUE, is_head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SAMPLE = "aggregate"
"""What stands for the problems of a number of which no problem is known."""
N, STDERR = "_n", "_stderr"
"""Behind the name of a number: the columns of its problems, and of its standard error."""
NOTHING = {"", "-", "–", "—", "n/a", "na", "nan", "none", "null"}
"""How harnesses and tables print, in small letters, that there is no number."""
STATE = "?"
"""Begins the name of a column that tells whether a run finished; no column of the table."""


def parts(entries: Mapping[str, str | Printed]) -> dict[str, Printed]:
    """Name → where its number lies, of those that may be a place alone."""
    return {
        name: Printed(entry) if isinstance(entry, str) else entry for name, entry in entries.items()
    }


def places(entries: Mapping[str, str | Printed]) -> dict[str, str]:
    """Column → place, of all numbers; a size that is the same for all has none."""
    found = {}
    for name, entry in parts(entries).items():
        found[name] = entry.value
        if isinstance(entry.n, str):
            found[f"{name}{N}"] = entry.n
        if entry.stderr:
            found[f"{name}{STDERR}"] = entry.stderr
    return found


def columns(entries: Mapping[str, str | Printed]) -> list[str]:
    """The columns of all numbers, those of a size that is the same for all too."""
    return [column for name, known in beside(entries).items() for column in (name, *known)]


def beside(entries: Mapping[str, str | Printed]) -> dict[str, list[str]]:
    """Name of a number → the columns of what is known of its uncertainty."""
    return {
        name: [f"{name}{end}" for end, told in ((N, entry.n), (STDERR, entry.stderr)) if told]
        for name, entry in parts(entries).items()
    }


def sizes(entries: Mapping[str, str | Printed]) -> dict[str, float]:
    """Column → the size that config.yaml gives all numbers of a name."""
    return {f"{name}{N}": float(p.n) for name, p in parts(entries).items() if isinstance(p.n, int)}


def spans(
    entries: Mapping[str, str | Printed], ranges: Mapping[str, list[float]]
) -> dict[str, list[float]]:
    """Column → what 0 and 1 are in the logs; a standard error is a distance of two values."""
    told = {name: ends for name, ends in ranges.items() if len(ends) == 2}
    return told | {
        f"{name}{STDERR}": [0.0, told[name][1] - told[name][0]] for name in entries if name in told
    }


def asked(entries: Mapping[str, str | Printed]) -> list[str]:
    """What alone may stand for `{task}` in a place; empty if all may that fits."""
    return next((entry.of for entry in parts(entries).values() if entry.of), [])


def number(told: Any) -> float | None:
    """A number as harnesses and tables print it, `N/A` and the like for none.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(told, str):
        if told.strip().casefold() in NOTHING:
            return None
        try:
            told = number_from_text(told.strip().removesuffix("%"))
        except ValueError:
            raise TypeError(f"{excerpted(told)} is not a number") from None
    if told is None or (isinstance(told, float) and isnan(told)):
        return None
    try:
        return float(told)
    except OverflowError:
        raise TypeError(f"{excerpted(told)} is beyond all floats") from None


class Items:
    """Which items of a document are records: those that have one of the places of numbers."""

    def __init__(self, entries: Mapping[str, str | Printed]) -> None:
        self.places = [entry.value for entry in parts(entries).values()]
        self._keys = [place.split(".")[0] for place in self.places if not is_head(place)]

    def has(self, data: bytes) -> str:
        """Empty if it is a record; else what it has instead."""
        if VALUE in self.places and data.lstrip()[:1] not in b'{["':
            return ""
        try:
            held = members(data)
        except FAULTS:
            return "no object"
        if any(GROUP.search(key) or key in held for key in self._keys):
            return ""
        return f"with {', '.join([*held][:4])}" if held else "empty"

    def none(self, seen: str) -> str:
        """Why no item of a document is a record; `seen`: what they have."""
        return f"no item has {' or '.join(map(repr, self.places))} (aggregates); there are {seen}"


def taken(
    found: Iterable[Batch | Declared | Passed | Reject],
    entries: Mapping[str, str | Printed],
    finished: Mapping[str, Word | list[Word]],
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The rows of runs that finished; of each other, that it was to be there."""
    for part in found:
        if not isinstance(part, Batch):
            yield part
            continue
        kept, missing = _ended(part, finished)
        faults = {row: why for row in kept if (why := _fault(part, row, entries))}
        for row, why in faults.items():
            yield Reject(part.places[row], why, told=sample(part, row), kind="type")
        for row in missing:
            yield Declared({"model": "", "task": ""} | sample(part, row), each={SAMPLE: 1})
        if missing:
            yield Passed(len(missing))
        if right := [row for row in kept if row not in faults]:
            yield _rows(part, right, sizes(entries))


def _rows(batch: Batch, rows: list[int], told: Mapping[str, float]) -> Batch:
    """Some rows of a batch, without what tells whether they finished."""
    named = {n: v for n, v in batch.columns.items() if not n.startswith(STATE)}
    kept = {name: [values[row] for row in rows] for name, values in named.items()}
    kept |= {name: [size] * len(rows) for name, size in told.items()}
    return replace(batch, columns=kept, places=[batch.places[row] for row in rows])


def _ended(batch: Batch, finished: Mapping[str, Word | list[Word]]) -> tuple[list[int], list[int]]:
    """Rows of runs that finished, and the others."""
    wanted = {
        f"{STATE}{place}": [
            spelling(entry) for entry in (told if isinstance(told, list) else [told])
        ]
        for place, told in finished.items()
    }
    rows = range(len(batch.places))
    done = {
        row
        for row in rows
        if all(_word(batch.columns[name][row]) in words for name, words in wanted.items())
    }
    return [row for row in rows if row in done], [row for row in rows if row not in done]


def _word(value: Any) -> str:
    return "" if value is None else spelling(value).strip()


def _fault(batch: Batch, row: int, entries: Mapping[str, str | Printed]) -> str:
    """Why a row cannot be taken; empty if it can."""
    for name in entries:
        value, n, error = (
            batch.columns[entry][row] if entry in batch.columns else None
            for entry in (name, f"{name}{N}", f"{name}{STDERR}")
        )
        if value is not None and not isfinite(value):
            return f"{name} is {value}"
        if n is not None and not (n >= 1 and n == int(n)):
            return f"n of {name} is {n:g}, no number of problems"
        if error is not None and not (error >= 0 and isfinite(error)):
            return f"stderr of {name} is {error:g}, no standard error"
    return ""
