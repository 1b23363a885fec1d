"""Places in config.yaml with `{model}` in them: a record has one for each model, and a row each.

What stands in a key of the record where `{model}` stands in the place fills that column.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


GROUP = re.compile(r"\{(\w+)\}")


def pattern(place: str, column: str) -> re.Pattern[str]:
    """What keys fit a part of a place that has `{column}` in it."""
    before, _, after = place.partition(f"{{{column}}}")
    return re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)


def group_of(places: Mapping[str, str]) -> str:
    """The column that groups fill, of all places of a source; empty if records have no groups."""
    return next((match[1] for place in places.values() if (match := GROUP.search(place))), "")


def grouped_place(places: Mapping[str, str]) -> str:
    """The place that tells which groups a record has: that of score, answer, or first aggregate."""
    told = [places.get(f"fields.{name}", "") for name in ("score", "answer")]
    told += [place for where, place in places.items() if where.startswith("aggregates.")]
    return next(filter(GROUP.search, told), "")


def mistakes_of_groups(
    places: Mapping[str, str], columns: Collection[str], filled: Collection[str]
) -> Iterator[str]:
    """With places that have a group in them.

    `places`: key and column → place. `columns`: those that a group may fill. `filled`: those that
    path, config or another place fill.
    """
    names = {match: where for where, place in places.items() for match in GROUP.findall(place)}
    for where, place in places.items():
        if len(GROUP.findall(place)) > 1:
            yield f".{where}: {place!r} has several {{…}}; a record has groups by one column"
    for name, where in names.items():
        if name not in columns:
            yield f".{where}: {{{name}}} is not a column; {choices(name, columns)}"
        elif name in filled:
            yield f".{where}: {{{name}}} fills {name!r}, and so does another key; keep one"
    for name, where in [*names.items()][1:]:
        yield f".{where}: {{{name}}}: a record has groups by one column, {{{next(iter(names))}}}"
    if names and not grouped_place(places):
        yield f".fields.score: has no {{{next(iter(names))}}}, as {next(iter(names.values()))} has"
