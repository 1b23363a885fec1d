"""Documents that hold several runs: a list of documents, or objects keyed by a model or task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.places import EACH, VALUE
from heatproof.start import scores

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOVE = 4
"""Levels of a document in which runs are sought."""
BARE = 5
"""Keys of an object, at least, whose bare values are scores of problems."""


Run = tuple[dict[str, Any], dict[str, str], list[dict[str, Any]]]
"""Head, what stands for each `{…}`, and records."""


class Several(NamedTuple):
    """The records of several runs."""

    each: str
    """Where they lie; `{0}`, `{1}` … stand for keys of which it is not known yet what they are."""
    runs: list[Run]
    keyed: bool


def several(held: Any) -> Iterator[Several]:
    """Each way to find several runs in a document."""
    yield from _of_documents(held, "", ABOVE)
    if found := _keyed(held, ABOVE):
        each, runs, keyed = found
        if "{0}" in each:
            yield Several(each, [({}, told, rows) for told, rows in runs], keyed)


def _of_documents(held: Any, place: str, deep: int) -> Iterator[Several]:
    """Lists of documents, each with a list of records."""
    if isinstance(held, list):
        items = [item for item in held if isinstance(item, dict)]
        keys = dict.fromkeys(key for item in items for key in item if "." not in key)
        for key in keys if len(items) > 1 else ():
            runs: list[Run] = [
                ({k: v for k, v in item.items() if k != key}, {}, records)
                for item in items
                if (records := _records(item.get(key)))
            ]
            if 2 * len(runs) > len(items):
                keyed = isinstance(items[0].get(key), dict)
                above = f"{place}.{EACH}" if place else EACH
                yield Several(f"{above}.{key}", runs, keyed)
    elif isinstance(held, dict) and deep:
        for key, value in held.items():
            if "." not in key:
                yield from _of_documents(value, f"{place}.{key}" if place else key, deep - 1)


Keyed = tuple[str, list[tuple[dict[str, str], list[dict[str, Any]]]], bool]
"""Place, what stands for its keys and the records below, whether these have keys themselves."""


def _keyed(held: Any, deep: int) -> Keyed | None:
    """Records behind keys, as many levels down in all of them; None if there are none."""
    if records := _records(held):
        return "", [({}, records)], isinstance(held, dict)
    if not isinstance(held, dict) or not deep:
        return None
    below = {key: found for key, one in held.items() if (found := _keyed(one, deep - 1))}
    ends = {found[0] for found in below.values()}
    if len(below) == len(held) > 1 and len(ends) == 1 and _alike([*below.values()]):
        end = "".join(f".{{{n}}}" for n in range(1, ends.pop().count("{") + 1))
        runs = [
            ({"0": key, **{str(int(n) + 1): one for n, one in told.items()}}, rows)
            for key, (_, held_in, _) in below.items()
            for told, rows in held_in
        ]
        return "{0}" + end, runs, all(found[2] for found in below.values())
    likely = [(key, one) for key, one in below.items() if one[0] and "." not in key]
    if len(likely) != 1:
        return None
    [(key, (place, runs, keyed))] = likely
    return f"{key}.{place}", runs, keyed


def graded(held: Any) -> list[dict[str, Any]]:
    """The records of an object whose bare values are scores of problems; else none."""
    if (
        not isinstance(held, dict)
        or len(held) < BARE
        or {*map(scores.name, held)} & {*scores.NAMES}
    ):
        return []
    values = list(held.values())
    return [{VALUE: value} for value in values] if all(map(_is_graded, values)) else []


def _is_graded(value: Any) -> bool:
    """Whether it is right or wrong and nothing else, or a list of such, of attempts."""
    each = value if isinstance(value, list) else [value]
    return bool(each) and all(isinstance(one, bool) or one in (0, 1) for one in each)


def _records(held: Any) -> list[dict[str, Any]]:
    """The records of a list, or of an object keyed by problem; none if it holds no such."""
    if bare := graded(held):
        return bare
    items = list(held.values()) if isinstance(held, dict) else held
    if not isinstance(items, list) or not items or not all(isinstance(one, dict) for one in items):
        return []
    if all(map(graded, items)):
        return []
    single = [any(not isinstance(value, dict | list) for value in one.values()) for one in items]
    return items if all(single) and _share([{*one} for one in items[:20]]) else []


def _alike(found: list[Keyed]) -> bool:
    """Whether the records of all have mostly the same keys."""
    return _share([{*rows[0]} for _, runs, _ in found for _, rows in runs[:1]])


def _share(sets: list[set[str]]) -> bool:
    return 2 * len(set.intersection(*sets)) > len(set.union(*sets))
