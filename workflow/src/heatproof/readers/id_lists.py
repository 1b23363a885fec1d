"""Reports that list the ids of problems: `ids: {1: [resolved_ids], 0: [unresolved_ids]}`.

An id is a record, however many lists of the report it stands in, and the report is its head. An id
that stands in a list of `missing`, too, has no score; one in lists of different scores is refused.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof.config.entries import spelling
from heatproof.readers.api import Batch, Declared, Place, Reject, excerpt
from heatproof.readers.documents import members, places
from heatproof.readers.head_places import HEAD, is_head
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

MISSING = "missing"
"""In `ids`: what could not be judged, and has no score."""
FILLED = ("sample_id", "score")
"""Columns that lists of ids fill."""


class Listed(NamedTuple):
    """An id of a report."""

    name: str
    lists: list[str]
    """All that it stands in, in their order."""
    place: Place
    """In the first of them."""
    data: bytes


def gathered(
    data: bytes, lists: Mapping[str, msgspec.Raw], begins: Place | None = None
) -> list[Listed]:
    """The ids of some lists, each once.

    `lists`: name → bytes within `data`. `begins`: where in a log `data` does, if it is not all of
    it.

    Raises:
        msgspec.DecodeError: one is no list of texts or whole numbers.
    """
    found: dict[str, Listed] = {}
    for name, held in lists.items():
        items = msgspec.json.decode(held, type=list[msgspec.Raw] | None) or []
        for raw, place in zip(items, places(data, items, begins), strict=True):
            told = str(msgspec.json.decode(raw, type=str | int))
            one = found.setdefault(told, Listed(told, [], place, bytes(memoryview(raw))))
            if name not in one.lists:
                one.lists.append(name)
    return [*found.values()]


def read(
    data: bytes,
    ids: Mapping[str, list[str]],
    told: Mapping[str, Any],
    alike: Mapping[str, Any],
    begins: Place | None = None,
) -> Iterator[Batch | Reject | Declared]:
    """The samples of a report, and how many it was to hold: all ids that it names.

    Args:
        data: the report.
        ids: score, or `missing` → places of its lists.
        told: setting → what path, config and head say of all of them.
        alike: other columns that are the same in all of them.
        begins: where in a log the report does, if it is not all of it.

    Raises:
        Error: a list is not there, or all are empty.
        msgspec.DecodeError: the report is no object, or what stands at a place is no list of ids.
    """
    of_list = {place: score for score, named in ids.items() for place in named}
    found = gathered(data, {place: _at(data, place) for place in of_list}, begins)
    if not found:
        raise Error(f"ids: its lists are empty, {', '.join(of_list)}")
    yield Declared(dict(told), len(found), {one.name: 1 for one in found})
    kept: list[tuple[Listed, float]] = []
    for one in found:
        scores = list(dict.fromkeys(of_list[name] for name in one.lists))
        if len(scores) == 1 and scores[0] != MISSING:
            kept.append((one, float(scores[0])))
        else:
            why = _why(one, scores)
            of = {**told, "sample_id": one.name, "epoch": 0}
            yield Reject(one.place, why, excerpt(one.data), of=of)
    if kept:
        columns: dict[str, list[Any]] = {name: [value] * len(kept) for name, value in alike.items()}
        columns["sample_id"] = [one.name for one, _ in kept]
        columns["score"] = [score for _, score in kept]
        yield Batch(columns, [one.place for one, _ in kept], dict(told))


def _why(one: Listed, scores: list[str]) -> str:
    if MISSING in scores:
        return f"sample ended in an error: it is told under {one.lists[scores.index(MISSING)]}"
    return f"the id stands in {' and in '.join(one.lists)}, which are different scores"


def _at(data: bytes, place: str) -> msgspec.Raw:
    """What stands at a place. Raises as `read`."""
    raw = msgspec.Raw(data)
    for part in place.split("."):
        level = members(raw)
        if part not in level:
            raise Error(f"ids: the report has no {place!r}; {choices(part, level)}")
        raw = level[part]
    return raw


def mistakes_of_ids(
    ids: Mapping[str, list[str]], told: Mapping[str, str], filled: Collection[str]
) -> Iterator[str]:
    """With lists of ids.

    `told`: key and column → place, of all columns. `filled`: keys of the source, and columns of its
    path and `set`, that have no meaning beside ids.
    """
    yield from _lists_at_fault(ids)
    for name in filled:
        yield f".{name}: has no meaning beside `ids`, whose records are ids of problems alone"
    for where, place in told.items():
        name = where.partition(".")[2]
        if name in FILLED:
            yield f".{where}: `ids` tells the {name}; keep one"
        elif not is_head(place):
            yield (
                f".{where}: {place!r} is a key of a record, and by `ids` a record is an id; what "
                f"stands in the report is {HEAD}{place}"
            )


def _lists_at_fault(ids: Mapping[str, list[str]]) -> Iterator[str]:
    """With the scores, and with the places of their lists."""
    counts = Counter(place for named in ids.values() for place in named)
    for score, named in ids.items():
        if score != MISSING and not _is_score(score):
            yield f".ids.{score}: {score!r} is no score from 0 to 1, nor {MISSING!r}"
        if not named:
            yield f".ids.{score}: lists no place"
        for place in filter(is_head, named):
            yield f".ids.{score}: {place!r} is a place of the report itself: without {HEAD}"
    for place, count in counts.items():
        if count > 1:
            yield f".ids: {place!r} stands there twice"
    if {*ids} == {MISSING}:
        yield ".ids: names no list of a score, such as 1: [resolved_ids]"


def _is_score(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1 and spelling(float(text)) == text
    except ValueError:
        return False
