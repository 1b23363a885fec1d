"""What can be wrong with the map of records to columns, beyond names and types of its keys.

Each mistake begins with the key where it is, to be put behind the name of the source.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from heatproof.readers._fields import EACH, GRADED, KEY, NUMBERED, ROW
from heatproof.readers._grading import MISSING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


def of_numbers(fields: Mapping[str, str], numbers: str) -> Iterator[str]:
    """With columns that are to hold the number of a record, which the format calls `numbers`."""
    for name, place in fields.items():
        if place not in (ROW, KEY):
            continue
        if place != numbers:
            yield f".fields.{name}: {place!r} is {numbers!r} in this format"
        elif place == ROW and name not in NUMBERED:
            yield f".fields.{name}: {place!r} is for {' and '.join(NUMBERED)}"


def of_verdicts(
    verdicts: Mapping[str, float], filled: Collection[str], scales: Collection[str]
) -> Iterator[str]:
    """With the scores that texts stand for; `filled` are the columns that a record fills."""
    for text, value in verdicts.items():
        if not 0 <= value <= 1:
            yield f".verdicts.{text}: {value:g} is not between 0 and 1"
    if verdicts and "score" not in filled:
        yield ".verdicts: needs 'score' in fields, the place of the text"
    if verdicts and "score" in scales:
        yield ".range.score: the scores are texts, for 'verdicts'"


def of_grades(grade: str | None, filled: Collection[str]) -> Iterator[str]:
    """With how a record is graded, and what is compared for it."""
    if grade == "math" and find_spec("math_verify") is None:
        yield f".grade: {MISSING}"
    elif grade is None:
        for name in GRADED:
            if name in filled:
                yield f".fields.{name}: {name!r} is for grading; say how with 'grade'"
    elif "score" in filled:
        yield f".grade: {grade!r} would replace the 'score' in fields; name one of them"
    else:
        for name in GRADED:
            if name not in filled:
                yield f".fields: needs {name!r}, the place of the {name}, for 'grade'"


def of_lists(fields: Mapping[str, str], lists: Collection[str]) -> Iterator[str]:
    """With columns of which a record holds a list, one item an epoch."""
    for name in lists:
        if name in fields and name not in ("score", *GRADED):
            above, each, below = fields[name].partition(f".{EACH}.")
            way = f"each: {above}, fields: {{{name}: {below}}}" if each else "each: their place"
            yield (
                f".epochs.lists: {name!r} is the same in all epochs of a problem; "
                f"lists of problems are read with format: json, {way}"
            )


def of_places(places: Mapping[str, str], lists: Collection[str]) -> Iterator[str]:
    """With places of each object in a list; `places`: key and name → place, of all columns."""
    for where, place in places.items():
        if EACH not in place.split("."):
            continue
        above, each, below = place.partition(f".{EACH}.")
        inside = below.split(".")
        key, name = where.split(".", 1)
        if EACH in [*above.split("."), *inside] or inside[-1].isdigit():
            yield f".{where}: {place!r} is not of the form list.{EACH}.key"
        elif key == "params" or name not in lists:
            yield (
                f".{where}: {place!r} is one for each epoch; "
                "such are fields and measures that epochs.lists names"
            )
        for other, taken in places.items():
            if f"{taken}.".startswith(f"{above}.") and not taken.startswith(f"{above}{each}"):
                yield f".{other}: {taken!r} lies in the list of {where}, {place!r}"
