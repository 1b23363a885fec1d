"""Aggregates as logs: numbers that were printed, `aggregates` in config.yaml, and no records below.

A record is one row of the samples table. Each of its numbers has a column of its own, and beside it
`NAME_n` and `NAME_stderr`, where config.yaml gives them a place: all known of its uncertainty.
"""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config.entries import Printed, Word, spelling
from heatproof.formats.api import Batch, Declared, Passed, Reject, sample, select
from heatproof.formats.decoding import FAULTS
from heatproof.formats.documents import members
from heatproof.formats.params import excerpted, number_from_text
from heatproof.formats.places import GROUP, VALUE, is_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    return {
        f"{name}{end}": place
        for name, entry in parts(entries).items()
        for end, place in (("", entry.value), (N, entry.size), (STDERR, entry.stderr))
        if isinstance(place, str) and place
    }


def columns(entries: Mapping[str, str | Printed]) -> list[str]:
    """The columns of all numbers, those of a size that is the same for all too."""
    return [column for name, others in beside(entries).items() for column in (name, *others)]


def beside(entries: Mapping[str, str | Printed]) -> dict[str, list[str]]:
    """Name of a number → the columns of what is known of its uncertainty."""
    return {
        name: [f"{name}{end}" for end, key in ((N, entry.size), (STDERR, entry.stderr)) if key]
        for name, entry in parts(entries).items()
    }


def sizes(entries: Mapping[str, str | Printed]) -> dict[str, float]:
    """Column → the size that config.yaml gives all numbers of a name."""
    return {f"{name}{N}": float(p.n) for name, p in parts(entries).items() if isinstance(p.n, int)}


def spans(
    entries: Mapping[str, str | Printed], ranges: Mapping[str, list[float]]
) -> dict[str, list[float]]:
    """Column → what 0 and 1 are in the logs; a standard error is a distance of two values."""
    spans = {name: ends for name, ends in ranges.items() if len(ends) == 2}
    widths = {name: spans[name][1] - spans[name][0] for name in entries if name in spans}
    return spans | {f"{name}{STDERR}": [0.0, width] for name, width in widths.items()}


def listed(entries: Mapping[str, str | Printed]) -> list[str]:
    """What alone may stand for `{task}` in a place; empty if all may that fits."""
    return next((entry.of for entry in parts(entries).values() if entry.of), [])


def number(value: Any) -> float | None:
    """A number as harnesses and tables print it, `N/A` and the like for none.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, str):
        if value.strip().casefold() in NOTHING:
            return None
        try:
            value = number_from_text(value.strip().removesuffix("%"))
        except ValueError:
            raise TypeError(f"{excerpted(value)} is not a number") from None
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    try:
        return float(value)
    except OverflowError:
        raise TypeError(f"{excerpted(value)} is beyond all floats") from None


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
            keys = members(data)
        except FAULTS:
            return "no object"
        if any(GROUP.search(key) or key in keys for key in self._keys):
            return ""
        return f"with {', '.join([*keys][:4])}" if keys else "empty"

    def none(self, others: str) -> str:
        """Why no item of a document is a record; `others`: what they have."""
        return f"no item has {' or '.join(map(repr, self.places))} (aggregates); there are {others}"


def rows_of(
    batch: Batch,
    entries: Mapping[str, str | Printed],
    finished: Mapping[str, Word | list[Word]],
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The rows of runs that finished; of each other, that it was to be there."""
    size, good = len(batch.places), []
    states = {
        f"{STATE}{place}": {spelling(word) for word in (v if isinstance(v, list) else [v])}
        for place, v in finished.items()
    }
    unfinished = [
        row
        for row in range(size)
        if any(_word(batch.columns[name][row]) not in words for name, words in states.items())
    ]
    for row in sorted({*range(size)}.difference(unfinished)):
        if why := _fault(batch, row, entries):
            yield Reject(batch.places[row], why, told=sample(batch, row), kind="type")
        else:
            good.append(row)
    for row in unfinished:
        yield Declared({"model": "", "task": ""} | sample(batch, row), each={SAMPLE: 1})
    if unfinished:
        yield Passed(len(unfinished))
    if good:
        columns = {n: v for n, v in batch.columns.items() if not n.startswith(STATE)}
        columns |= _shares(columns, entries)
        counts = {name: [count] * size for name, count in sizes(entries).items()}
        yield select(replace(batch, columns=columns | counts), good)


def _shares(
    columns: Mapping[str, list[Any]], entries: Mapping[str, str | Printed]
) -> dict[str, list[float | None]]:
    """Counts as shares of their totals."""
    return {
        name: [
            count / total if total and count is not None else None
            for count, total in zip(columns[name], columns[f"{name}{N}"], strict=True)
        ]
        for name, entry in parts(entries).items()
        if entry.total
    }


def _word(value: Any) -> str:
    return "" if value is None else spelling(value).strip()


def _fault(batch: Batch, row: int, entries: Mapping[str, str | Printed]) -> str:
    """Why a row cannot be taken; empty if it can."""
    for name, entry in parts(entries).items():
        value, n, error = (
            batch.columns[column][row] if column in batch.columns else None
            for column in (name, f"{name}{N}", f"{name}{STDERR}")
        )
        if value is not None and not isfinite(value):
            return f"{name} is {value}"
        if n is not None and not (n >= 1 and n == int(n)):
            return f"n of {name} is {n:g}, no number of problems"
        if entry.total and value is not None and not (n and 0 <= value <= n):
            return f"{name} counts {value:g} of {'nothing' if n is None else f'{n:g}'}"
        if error is not None and not (error >= 0 and isfinite(error)):
            return f"stderr of {name} is {error:g}, no standard error"
    return ""
