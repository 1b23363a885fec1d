"""Aggregates as logs: numbers that were printed, `aggregates` in config.yaml, and no records below.

A record is one row of the samples table. Each of its numbers has a column of its own, and beside it
`NAME_n` and `NAME_stderr`, where config.yaml gives them a place: all known of its uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config.entries import Printed, Word, spelling
from heatproof.formats.api import Batch, Declared, Passed, Reject, sample, select
from heatproof.formats.decoding import FAULTS, members
from heatproof.formats.params import excerpted, number_from_text
from heatproof.formats.places import GROUP, VALUE, is_head

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = "aggregate"
"""What stands for the problems of a number of which no problem is known."""
N, STDERR = "_n", "_stderr"
"""Behind the name of a number: the columns of its problems, and of its standard error."""
NOTHING = {"", "-", "–", "—", "n/a", "na", "nan", "none", "null"}
"""How harnesses and tables print, in small letters, that there is no number."""
STATE = "?"
"""Begins the name of a column that tells whether a run finished; no column of the table."""


Entries = Mapping[str, str | Printed]
"""`aggregates` of config.yaml."""


def parts(entries: Entries) -> dict[str, Printed]:
    """Name → where its number lies, of those that may be a place alone."""
    return {
        name: Printed(entry) if isinstance(entry, str) else entry for name, entry in entries.items()
    }


def columns(entries: Entries) -> dict[str, str | int]:
    """Column → its place, of all numbers and what is known of them; or a size that all have."""
    return {
        f"{name}{end}": place
        for name, entry in parts(entries).items()
        for end, place in (("", entry.value), (N, entry.size), (STDERR, entry.stderr))
        if place
    }


def places(entries: Entries) -> dict[str, str]:
    """Column → place, of those that have one."""
    return {name: place for name, place in columns(entries).items() if isinstance(place, str)}


def beside(entries: Entries) -> dict[str, list[str]]:
    """Name of a number → the columns of what is known of its uncertainty."""
    names = columns(entries)
    return {name: [f"{name}{e}" for e in (N, STDERR) if f"{name}{e}" in names] for name in entries}


def spans(entries: Entries, ranges: Mapping[str, list[float]]) -> dict[str, list[float]]:
    """Column → what 0 and 1 are in the logs; a standard error is a distance of two values."""
    ends = {name: pair for name, pair in ranges.items() if len(pair) == 2}
    widths = {f"{n}{STDERR}": [0.0, ends[n][1] - ends[n][0]] for n in entries if n in ends}
    return ends | widths


def listed(entries: Entries) -> list[str]:
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


def other(entries: Entries, data: bytes) -> str:
    """What an item of a document has instead of a number; empty if it is a record."""
    numbers = [entry.value for entry in parts(entries).values()]
    if not numbers or (VALUE in numbers and data.lstrip()[:1] not in b'{["'):
        return ""
    try:
        keys = members(data)
    except FAULTS:
        return "no object"
    first = [place.split(".")[0] for place in numbers if not is_head(place)]
    if any(GROUP.search(key) or key in keys for key in first):
        return ""
    return f"with {', '.join([*keys][:4])}" if keys else "empty"


def no_item(entries: Entries, others: str) -> str:
    """Why no item of a document is a record; `others`: what they have."""
    numbers = " or ".join(repr(entry.value) for entry in parts(entries).values())
    return f"no item has {numbers} (aggregates); there are {others}"


def rows_of(
    batch: Batch, entries: Entries, finished: Mapping[str, Word | list[Word]]
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The rows of runs that finished; of each other, that it was to be there."""
    good = []
    states = {
        f"{STATE}{place}": {spelling(word) for word in (v if isinstance(v, list) else [v])}
        for place, v in finished.items()
    }
    for row, place in enumerate(batch.places):
        if any(_word(batch.columns[name][row]) not in words for name, words in states.items()):
            yield Declared({"model": "", "task": ""} | sample(batch, row), each={SAMPLE: 1})
            yield Passed(1)
        elif why := _fault(batch, row, entries):
            yield Reject(place, why, told=sample(batch, row), kind="type")
        else:
            good.append(row)
    if good:
        yield _shares(select(batch, good), entries)


def _shares(batch: Batch, entries: Entries) -> Batch:
    """The rows with sizes that all have, and with counts as shares of their totals."""
    values = {n: v for n, v in batch.columns.items() if not n.startswith(STATE)}
    sizes = {name: n for name, n in columns(entries).items() if isinstance(n, int)}
    values |= {name: [float(n)] * len(batch.places) for name, n in sizes.items()}
    for name in (name for name, entry in parts(entries).items() if entry.total):
        pairs = zip(values[name], values[f"{name}{N}"], strict=True)
        values[name] = [n / of if of and n is not None else None for n, of in pairs]
    return replace(batch, columns=values)


def _word(value: Any) -> str:
    return "" if value is None else spelling(value).strip()


def _fault(batch: Batch, row: int, entries: Entries) -> str:
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
