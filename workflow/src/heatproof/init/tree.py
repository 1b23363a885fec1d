"""Where records may lie in JSON documents: lists, objects keyed by a value, heads above them."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

DEPTH = 5
"""Levels of a document in which records are looked for."""
LOOKED = 400
"""Objects of a level whose shape is compared."""
OFTEN = 0.5
"""Part of the documents that must have a place."""


class Record(NamedTuple):
    """One object that may be a record."""

    node: Any
    holes: dict[str, Any]
    """`$key` or `$index` of the record itself, `key_1` … of the keys on the way."""
    head: dict[str, Any]
    """What stands beside the list or object that holds it: place → value."""
    file: int


class Records(NamedTuple):
    """All records at one place."""

    at: str | None
    """The place, as a source writes it; None: a document, or a line, is a record."""
    rows: list[Record]


def of_lines(documents: list[list[Any]]) -> list[Records]:
    """The places of records in files of lines (or rows), a list of objects a file."""
    rows = [Record(row, {}, {}, n) for n, lines in enumerate(documents) for row in lines]
    places = [Records(None, rows)]
    for key in _lists([record.node for record in rows]):
        below = [
            Record(item, {"$index": number}, head(record.node, key), record.file)
            for record in rows
            for number, item in enumerate(record.node.get(key) or [])
            if isinstance(item, dict)
        ]
        places.append(Records(key, below))
    return places


def of_documents(documents: list[Any]) -> list[Records]:
    """The places of records in documents."""
    start = [Record(document, {}, {}, n) for n, document in enumerate(documents)]
    places: list[Records] = []
    _walk(start, [], places)
    objects = [record for record in start if isinstance(record.node, dict)]
    if objects and not is_map(objects):
        places.append(Records(None, objects))
    return [place for place in places if place.rows]


def head(node: Any, but: str = "") -> dict[str, Any]:
    """Single values of an object and of objects in it, by place; `but`: a key that is left out."""
    if not isinstance(node, dict):
        return {}
    values = flat({key: value for key, value in node.items() if key != but}, 2)
    return {place: value for place, value in values.items() if not isinstance(value, list)}


def flat(node: dict[str, Any], depth: int, before: str = "") -> dict[str, Any]:
    """Place → value of all that is no object, `depth` levels below."""
    values: dict[str, Any] = {}
    for key, value in node.items():
        place = f"{before}{key.replace('^', chr(92) + '^', 1) if key.startswith('^') else key}"
        if not isinstance(value, dict):
            values[place] = value
        elif depth:
            values |= flat(value, depth - 1, f"{place}.")
    return values


def names(node: Any, most: int = 4000) -> set[str]:
    """Keys of single values anywhere in the first part of a document."""
    keys: set[str] = set()
    stack = [node]
    while stack and most:
        most -= 1
        node = stack.pop()
        if isinstance(node, list):
            stack += node[:60]
        for key, value in node.items() if isinstance(node, dict) else ():
            if isinstance(value, dict):
                stack.append(value)
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                stack.append(value)
                keys.add(f"{key}[]")
            else:
                keys.add(key)
    return keys


def _lists(nodes: list[Any]) -> list[str]:
    """Keys that hold a list of objects in half of some objects."""
    nodes = [node for node in nodes[:LOOKED] if isinstance(node, dict)]
    counts = Counter(
        key
        for node in nodes
        for key, value in node.items()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    )
    return [key for key, count in counts.items() if count >= OFTEN * len(nodes)]


def _kind(node: Any) -> str:
    if isinstance(node, dict):
        return "object"
    if isinstance(node, list):
        return "list" if any(isinstance(item, dict) for item in node) else "bare"
    return "single"


def is_map(records: list[Record]) -> bool:
    """Whether keys of an object are values of a column, and no names of columns.

    They are where what lies behind them has one shape, and they are many, or others in each object.
    """
    nodes = [record.node for record in records if isinstance(record.node, dict)][:LOOKED]
    children = [child for node in nodes for child in node.values()][: 8 * LOOKED]
    if not children:
        return False
    kind, count = Counter(map(_kind, children)).most_common(1)[0]
    keys = {key for node in nodes for key in node}
    if kind not in ("object", "list") or count < 0.9 * len(children):
        return False
    size = sum(map(len, nodes)) / len(nodes)
    many = size >= 2 or (len(nodes) > 1 and len(keys) >= 2 * size)
    shapes = [_shape(child) for child in children]
    union = Counter(key for shape in shapes for key in shape)
    alike = sum(map(len, shapes)) >= 0.6 * len(union) * len(shapes)
    numbers = sum(key.isdigit() for key in keys) >= OFTEN * len(keys)
    if alike or numbers or kind == "list":
        return numbers or (alike and many)
    if size >= 4 and all(inner == "single" for _, inner in union):
        return max(union.values(), default=0) >= 0.8 * len(shapes)
    below = [value for child in children if isinstance(child, dict) for value in child.values()]
    inner = Counter(map(_kind, below[: 4 * LOOKED])).most_common(1)
    return many and bool(inner) and inner[0][0] in ("object", "list")


def _shape(node: Any) -> frozenset[tuple[str, str]]:
    """Keys of an object, or of the first object in a list, and what lies behind each."""
    if isinstance(node, list):
        node = next((item for item in node if isinstance(item, dict)), {})
    if not isinstance(node, dict):
        return frozenset()
    return frozenset((key, _kind(value)) for key, value in node.items())


def _walk(
    records: list[Record], steps: list[str], places: list[Records], *, keyed: bool = False
) -> None:
    """Add the places of records in and below what lies at the end of some steps."""
    lists = [record for record in records if isinstance(record.node, list)]
    objects = [record for record in records if isinstance(record.node, dict)]
    if len(steps) > DEPTH or not (lists or objects):
        return
    if len(lists) >= len(objects):
        _walk_lists(lists, steps, places)
    elif keyed or is_map(objects):
        _walk_map(objects, steps, places)
    else:
        keys = Counter(
            key
            for record in objects
            for key, value in record.node.items()
            if isinstance(value, dict | list)
        )
        for key, count in keys.items():
            if count >= OFTEN * len(objects):
                below = [
                    record._replace(
                        node=record.node[key], head={**head(record.node, key), **record.head}
                    )
                    for record in objects
                    if isinstance(record.node.get(key), dict | list)
                ]
                _walk(below, [*steps, key], places)


def _walk_lists(lists: list[Record], steps: list[str], places: list[Records]) -> None:
    items = [
        Record(item, {**record.holes, "$index": number}, record.head, record.file)
        for record in lists
        for number, item in enumerate(record.node)
        if isinstance(item, dict)
    ]
    if not items:
        return
    places.append(Records(".".join(steps) or "$", items))
    for key in _lists([record.node for record in items]):
        below = [
            Record(record.node[key], _above(record.holes), head(record.node, key), record.file)
            for record in items
            if record.node.get(key)
        ]
        _walk(below, [*steps, "*", key], places)


def _walk_map(objects: list[Record], steps: list[str], places: list[Records]) -> None:
    items = [
        Record(value, {**record.holes, "$key": key}, record.head, record.file)
        for record in objects
        for key, value in record.node.items()
    ]
    if all(isinstance(record.node, dict) for record in items[: 2 * LOOKED]):
        rows = [record for record in items if isinstance(record.node, dict)]
        places.append(Records(".".join(steps) or "$", rows))
    hole = f"key_{sum(step.startswith('{') for step in steps) + 1}"
    inner = [
        record._replace(holes={**_above(record.holes), hole: record.holes["$key"]})
        for record in items
    ]
    deeper = [record for record in inner if isinstance(record.node, list)]
    deeper = deeper or (inner if is_map(inner) else _single_keys(inner))
    if deeper:
        _walk(deeper, [*steps, f"{{{hole}}}"], places, keyed=True)


def _above(holes: dict[str, Any]) -> dict[str, Any]:
    """Keys on the way, without that of a record itself."""
    return {name: value for name, value in holes.items() if name[0] != "$"}


def _single_keys(records: list[Record]) -> list[Record]:
    """Objects of one key each, which differ: their keys are values."""
    single = [
        record
        for record in records
        if isinstance(record.node, dict)
        and len(record.node) == 1
        and isinstance(next(iter(record.node.values())), list | dict)
    ]
    keys = {next(iter(record.node)) for record in single}
    return single if len(single) >= 0.9 * len(records) and len(keys) > 1 else []
