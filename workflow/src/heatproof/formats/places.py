r"""Places in config.yaml: what they may look like, and what can be wrong with them.

A place is keys and numbers of items joined by points, `a.b.0`. One that begins with `^` is of the
head of a log, not of each record: `^config.model` is `config.model` of what the list of records
lies in. A key of a record that itself begins with `^` is written `\^key`. Where `{model}` stands in
a place, a record has one for each model, and a row each: what stands in the key of the record fills
that column.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.util.errors import Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

ROW = "$row"
"""In `fields`: the number of the record in its log, from 1."""
KEY = "$key"
"""In `fields`: the key of a record in the object that holds the records, or its place in a list."""
VALUE = "$value"
"""In `fields`: the record itself, where that is no object. `*.key`: of each object in the list that
it is."""
NUMBERED = ("sample_id", "epoch")
"""What the number of a record may tell."""
UNREAD = re.compile(r"[\\\"\x00-\x1f]")
"""What the decoder takes no key with."""
HEAD = "^"
"""Begins a place of the head."""
EACH = "*"
"""In a place: of each object in a list."""
POINT = "\x01"
"""In a place: a point within a key, as the name of a group may have; config.yaml has none such."""
ESCAPED = re.compile(r"\\+\^")
"""Begins a place of the record whose first key begins with `^`, with one backslash too many."""
OF_RECORDS = ("score", "answer")
"""Columns that cannot be the same in all records of a log."""
GROUP = re.compile(r"\{(\w+)\}")


def is_head(place: str) -> bool:
    """Whether a place is one of the head."""
    return place.startswith(HEAD)


def literal(place: str) -> str:
    """A place as it stands in a record or head: without the mark of the head, unescaped."""
    place = place.removeprefix(HEAD)
    return place[1:] if ESCAPED.match(place) else place


def mistakes_of_heads(
    places: Mapping[str, str], lists: Collection[str], each: str, why: str
) -> Iterator[Mistake]:
    """With places of the head.

    `places`: key and column → place, of all columns. `lists`: columns of which a record holds a
    list. `each`: the place of the records. `why`: why these logs have no head; empty if they do.
    """
    for where, place in places.items():
        if not is_head(place):
            continue
        parts, name = literal(place).split("."), where.partition(".")[2]
        if why:
            yield Mistake(f".{where}", f"{place!r} is of the head of a log; {why}")
        elif "" in parts or EACH in parts:
            yield Mistake(f".{where}", f"{place!r} is not of the form {HEAD}a.b")
        elif name in OF_RECORDS or name in lists:
            yield Mistake(
                f".{where}", f"{place!r} is one for all records, and each has its own {name}"
            )
        elif each and f"{literal(place)}.".startswith(f"{each}."):
            yield Mistake(f".{where}", f"{place!r} lies in the records, each: {each}")


def group_pattern(place: str, column: str) -> re.Pattern[str]:
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
) -> Iterator[Mistake]:
    """With places that have a group in them.

    `places`: key and column → place. `columns`: those that a group may fill. `filled`: those that
    path, config or another place fill.
    """
    names = {match: where for where, place in places.items() for match in GROUP.findall(place)}
    for where, place in places.items():
        if len(GROUP.findall(place)) > 1:
            yield Mistake(
                f".{where}", f"{place!r} has several {{…}}; a record has groups by one column"
            )
    for name, where in names.items():
        if name not in columns:
            yield Mistake(f".{where}", f"{{{name}}} is not a column; {choices(name, columns)}")
        elif name in filled:
            yield Mistake(
                f".{where}", f"{{{name}}} fills {name!r}, and so does another key; keep one"
            )
    for name, where in [*names.items()][1:]:
        yield Mistake(
            f".{where}", f"{{{name}}}: a record has groups by one column, {{{next(iter(names))}}}"
        )
    if names and not grouped_place(places):
        yield Mistake(
            ".fields.score", f"has no {{{next(iter(names))}}}, as {next(iter(names.values()))} has"
        )


def mistakes_of_each(
    each: str, columns: Collection[str], filled: Collection[str]
) -> Iterator[Mistake]:
    """With the place of the records: `columns` that a key may fill, those that are `filled`."""
    for part in each.split("."):
        if not GROUP.fullmatch(part) and ("{" in part or (EACH in part and part != EACH)):
            yield Mistake(".each", f"{part!r} is not of the form key, {EACH} or {{column}}")
    for name in GROUP.findall(each):
        if name not in columns:
            yield Mistake(".each", f"{{{name}}} is not a column; {choices(name, columns)}")
        elif name in filled or each.count(f"{{{name}}}") > 1:
            yield Mistake(".each", f"{{{name}}} fills {name!r}, and so does another key; keep one")


def mistakes_of_numbers(fields: Mapping[str, str], numbers: str) -> Iterator[Mistake]:
    """With columns that are to hold the number of a record, which the format calls `numbers`."""
    for name, place in fields.items():
        if place not in (ROW, KEY):
            continue
        if place != numbers:
            yield Mistake(f".fields.{name}", f"{place!r} is {numbers!r} in this format")
        elif place == ROW and name not in NUMBERED:
            yield Mistake(f".fields.{name}", f"{place!r} is for {' and '.join(NUMBERED)}")


def mistakes_of_values(places: Mapping[str, str], lists: Collection[str]) -> Iterator[Mistake]:
    """With places in records that are no objects; `places`: as for `mistakes_of_places`."""
    starts = {where: place for where, place in places.items() if place.startswith(f"{EACH}.")}
    of_lists = {where: place for where, place in starts.items() if place.count(EACH) == 1}
    itself = {where: place for where, place in places.items() if place == VALUE}
    if not of_lists and not itself:
        return
    first, taken = next(iter({**itself, **of_lists}.items()))
    for where, place in places.items():
        if where in of_lists or where in itself or place in (ROW, KEY):
            continue
        yield Mistake(
            f".{where}", f"{place!r} is a key of a record, and by {first}, {taken!r}, it has none"
        )
    for where, place in places.items():
        if where in of_lists and where.partition(".")[2] not in lists:
            yield Mistake(
                f".{where}", f"{place!r} is one for each epoch; epochs.lists must name it"
            )


def mistakes_of_places(places: Mapping[str, str], lists: Collection[str]) -> Iterator[Mistake]:
    """With places of each object in a list; `places`: key and name → place, of all columns."""
    for where, place in places.items():
        if UNREAD.search(literal(place)):
            yield Mistake(
                f".{where}",
                f"{place!r}: no key is read with a backslash, a quote or a control sign",
            )
        if EACH not in place.split(".")[1:]:
            continue
        above, each, below = place.partition(f".{EACH}.")
        inside = below.split(".")
        key, name = where.split(".", 1)
        if EACH in [*above.split("."), *inside] or inside[-1].isdigit():
            yield Mistake(f".{where}", f"{place!r} is not of the form list.{EACH}.key")
        elif key == "params" or name not in lists:
            yield (
                Mistake(
                    f".{where}",
                    f"{place!r} is one for each epoch; "
                    "such are fields and measures that epochs.lists names",
                )
            )
        for other, taken in places.items():
            if f"{taken}.".startswith(f"{above}.") and not taken.startswith(f"{above}{each}"):
                yield Mistake(f".{other}", f"{taken!r} lies in the list of {where}, {place!r}")
