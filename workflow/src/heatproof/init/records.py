"""Where records may lie in JSON documents: lists, objects keyed by a value, heads above them."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

DEPTH = 5  # levels of a document in which records are looked for
LOOKED = 400  # objects of a level whose shape is compared
OFTEN = 0.5  # part of the documents that must have a place


class Record(NamedTuple):
    """One object that may be a record."""

    node: Any
    holes: dict[str, Any]
    """`$key` or `$index` of the record itself, `key_1` … of the keys on the way."""
    head: dict[str, Any]
    """What stands beside the list or object that holds it: place → value."""
    file: int

    def below(self, key: str) -> Record:
        """What lies behind a key; all else is its head, and only keys on the way are known."""
        holes = {name: value for name, value in self.holes.items() if name[0] != "$"}
        return Record(self.node[key], holes, {**head(self.node, key), **self.head}, self.file)


Places = dict[str | None, list[Record]]
"""Place, as a source writes it (None: a document, or a line, is a record) → the records there."""


def of_lines(documents: list[list[Any]]) -> Places:
    """The places of records in files of lines (or rows), a list of objects a file."""
    rows = [Record(row, {}, {}, n) for n, lines in enumerate(documents) for row in lines]
    places: Places = {None: rows}
    for key in _keys(rows, list):
        lists = [row.below(key) for row in rows if isinstance(row.node.get(key), list)]
        places[key] = _items(lists)
    return places


def of_documents(documents: list[Any]) -> Places:
    """The places of records in documents."""
    start = [Record(document, {}, {}, n) for n, document in enumerate(documents)]
    places: Places = {}
    _walk(start, [], places)
    objects = [record for record in start if isinstance(record.node, dict)]
    if objects and not _is_map(objects):
        places[None] = objects
    return {place: records for place, records in places.items() if records}


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
            inside = _kind(value)
            keys |= {f"{key}[]"} if inside == "list" else set() if inside == "object" else {key}
            stack += [value] if inside in ("list", "object") else []
    return keys


def _kind(node: Any) -> str:
    if isinstance(node, dict):
        return "object"
    if isinstance(node, list):
        return "list" if any(isinstance(item, dict) for item in node) else "bare"
    return "single"


def _keys(records: list[Record], *types: type) -> list[str]:
    """Keys behind which half of some objects have a list of objects, or an object."""
    nodes = [record.node for record in records[:LOOKED] if isinstance(record.node, dict)]
    counts = Counter(
        key
        for node in nodes
        for key, value in node.items()
        if isinstance(value, types) and (isinstance(value, dict) or _kind(value) == "list")
    )
    return [key for key, count in counts.items() if count >= OFTEN * len(nodes)]


def _items(lists: list[Record]) -> list[Record]:
    return [
        Record(item, {**record.holes, "$index": number}, record.head, record.file)
        for record in lists
        for number, item in enumerate(record.node)
        if isinstance(item, dict)
    ]


def _is_map(records: list[Record]) -> bool:
    """Whether keys of an object are values of a column, and no names of columns.

    They are where what lies behind them has one shape, and they are many, or others in each object.
    """
    nodes = [record.node for record in records if isinstance(record.node, dict)][:LOOKED]
    children = [child for node in nodes for child in node.values()][: 8 * LOOKED]
    kind, count = Counter(map(_kind, children)).most_common(1)[0] if children else ("", 0)
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
    pairs = node.items() if isinstance(node, dict) else ()
    return frozenset((key, _kind(value)) for key, value in pairs)


def _walk(records: list[Record], steps: list[str], places: Places, *, keyed: bool = False) -> None:
    """Add the places of records in and below what lies at the end of some steps."""
    lists = [record for record in records if isinstance(record.node, list)]
    objects = [record for record in records if isinstance(record.node, dict)]
    if len(steps) > DEPTH or not (lists or objects):
        return
    if len(lists) >= len(objects):
        items = _items(lists)
        places[".".join(steps) or "$"] = items
        for key in _keys(items, list):
            _walk([r.below(key) for r in items if r.node.get(key)], [*steps, "*", key], places)
    elif keyed or _is_map(objects):
        _walk_map(objects, steps, places)
    else:
        for key in _keys(objects, list, dict):
            below = [r.below(key) for r in objects if isinstance(r.node.get(key), dict | list)]
            _walk(below, [*steps, key], places)


def _walk_map(objects: list[Record], steps: list[str], places: Places) -> None:
    """Add the places of records in and below objects whose keys are values."""
    pairs = [(record, key) for record in objects for key in record.node]
    if all(isinstance(record.node[key], dict) for record, key in pairs[: 2 * LOOKED]):
        places[".".join(steps) or "$"] = [
            record._replace(node=record.node[key], holes={**record.holes, "$key": key})
            for record, key in pairs
            if isinstance(record.node[key], dict)
        ]
    hole = f"key_{sum(step.startswith('{') for step in steps) + 1}"
    inner = [
        record._replace(node=record.node[key], holes={**record.holes, hole: key})
        for record, key in pairs
    ]
    deeper = [record for record in inner if isinstance(record.node, list)]
    deeper = deeper or (inner if _is_map(inner) else [])
    if deeper:
        _walk(deeper, [*steps, f"{{{hole}}}"], places, keyed=True)
