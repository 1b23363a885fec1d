"""Documents → places of records: lists, objects whose keys are values, lists of grades."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.params import place_keys
from heatproof.formats.places import VALUE
from heatproof.init.facts import weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEPTH = 5  # levels of a document in which records are looked for
LOOKED = 400  # objects of a level whose shape is compared
OFTEN = 0.5  # part of the documents that must have a place
ALIKE, NESTED = 0.6, 0.9
"""Part of the keys of objects that most of them have; of what lies behind keys that are values."""
ITEMS = 20  # of a list, that tell its keys
NUMBERED = 8  # keys that differ in a number, from which they are problems
FLAGS = 20  # flags in a document, from which their keys are problems, whatever they are called
COLUMNS = ("score", "epoch", "setting", "answer")
"""Roles of columns that may have numbered names."""
DIGITS = re.compile(r"\d+")
FREE = "*"  # stands for keys that are values
POINT = "\u2024"  # stands for a point within a key, as that between keys parts them
NAMELESS = "(no name)"  # the column of a table whose header is empty
POINTED = re.compile(rf"[^.^]*{POINT}[^.]*")
GRADED = 1.5  # weight of a name that says of lists of numbers that they are scores

Outline = dict[str, "Outline"]
"""Key → the keys of what lies behind it, none of a value."""


class Record(NamedTuple):
    """One object that may be a record."""

    node: Any
    above: dict[str, Any]  # column → value, of what is not in the record itself
    file: str

    def below(self, key: str) -> Record:
        """What lies behind a key; all else is its head, and the nearest counts."""
        return self._replace(node=self.node[key], above=self.above | head(self.node, key))

    def keyed(self, column: str, key: str) -> Record:
        """What lies behind a key that is a value of a column."""
        return self._replace(node=self.node[key], above=self.above | {column: key})


Places = dict[str | None, list[Record]]
"""Place, as a source writes it (None: a document, or a line, is a record) → the records there."""


def step(key: str) -> str:
    """A key as a part of a place within `init`."""
    escaped = f"\\{key}" if key.startswith("^") else key
    return escaped.replace(".", POINT)


def plain(text: str) -> str:
    """A part of a place as a key, or a text on places as a person reads it."""
    return text.replace(POINT, ".")


def as_written(value: Any) -> Any:
    """What an entry says, with places as config.yaml writes them: keys with points in quotes."""
    if value == NAMELESS:
        return ""
    if isinstance(value, str):
        return POINTED.sub(lambda match: f'"{plain(match[0])}"', value)
    if isinstance(value, dict):
        return {as_written(key): as_written(inner) for key, inner in value.items()}
    return list(map(as_written, value)) if isinstance(value, list) else value


def as_inside(place: str) -> str:
    """A place that a person wrote, as it is called within `init`."""
    return ".".join(map(step, place_keys(place)))


def places_of(records: list[Record], *, lists: bool) -> Places:
    """The places of records in documents, lines or rows; `lists`: whether of bare grades too."""
    places: Places = {}
    objects = _objects(records)
    nodes = [record.node for record in objects]
    if lists and (_are_numbered(nodes) or _are_flags(nodes)):
        return {"$": _values(objects)}
    _add_places(records, [], places)
    if objects and "$" not in places:
        places[None] = objects
        if lists:
            places |= _bare_lists(objects)
    return places


def _objects(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if isinstance(record.node, dict)]


def _items(lists: Iterable[Record]) -> list[Record]:
    """Objects in lists."""
    return _objects(record._replace(node=item) for record in lists for item in record.node)


def _add_places(records: list[Record], steps: list[str], places: Places) -> None:
    """Add the places of records in and below what lies at the end of some steps."""
    lists = [record for record in records if isinstance(record.node, list)]
    objects = _objects(records)
    if len(steps) > DEPTH or not (lists or objects):
        return
    place = ".".join(steps) or "$"
    if len(lists) >= len(objects):
        objects = _items(lists)
        places[place] = objects
        steps = steps + [FREE]
    elif steps and _are_numbered([record.node for record in objects]):
        places[place] = _values(objects)
        return
    elif is_map([record.node for record in objects]):
        pairs = [(record, key) for record in objects for key in record.node]
        keyed = [record.keyed("$key", key) for record, key in pairs]
        if not any(isinstance(record.node, list) for record in keyed):
            places[place] = _objects(keyed)
        number = sum(step.startswith("{") for step in steps) + 1
        hole = f"{{key_{number}}}"
        inner = [record.keyed(hole, key) for record, key in pairs]
        _add_places(inner, steps + [hole], places)
        return
    for key in _inner_keys(objects):
        below = [r.below(key) for r in objects if isinstance(r.node.get(key), dict | list)]
        _add_places(below, steps + [step(key)], places)


def joined_places(places: Places, alike: Sequence[str]) -> tuple[str, list[str], list[Record]]:
    """Places that differ in one key as one, with a hole for it; these keys; the records there."""
    steps = [place.split(".") for place in alike]
    level = next(n for n, keys in enumerate(zip(*steps, strict=True)) if len(set(keys)) > 1)
    hole = f"{{key_{sum(step.startswith('{') for step in steps[0]) + 1}}}"
    names = tuple(f"^{keys[level]}." for keys in steps)
    records: list[Record] = []
    for place, keys in zip(alike, steps, strict=True):
        for record in places[place]:
            above = {n: value for n, value in record.above.items() if not n.startswith(names)}
            above[hole] = plain(keys[level])
            records.append(record._replace(above=above))
    joined = steps[0][:level] + [hole] + steps[0][level + 1 :]
    return ".".join(joined), [plain(keys[level]) for keys in steps], records


def _inner_keys(records: Sequence[Record]) -> list[str]:
    """Keys behind which half of some objects have a list of objects, or an object of such."""
    counts: Counter[str] = Counter()
    first_records = records[:LOOKED]
    for record in first_records:
        counts.update(key for key, child in record.node.items() if _holds_objects(child))
    return [key for key, count in counts.items() if count >= OFTEN * len(first_records)]


def _holds_objects(node: Any) -> bool:
    inner = node.values() if isinstance(node, dict) else ()
    has_objects = not set(map(kind_of, inner)).isdisjoint({"list", "object"})
    return kind_of(node) == "list" or has_objects or _are_numbered([node])


def _are_numbered(nodes: Sequence[Any]) -> bool:
    """Whether keys of objects are problems with one value each, such as `q1` to `q40`.

    Numbered keys that are called scores, settings or repetitions are columns.
    """
    objects = [node for node in nodes[:LOOKED] if isinstance(node, dict)]
    names = {key for node in objects for key in node}
    stems = {DIGITS.sub("", name) for name in names}
    if len(names) < NUMBERED or len(stems) > 1 or not all(map(DIGITS.search, names)):
        return False
    stem_weight = max(weight(role, stem) for role in COLUMNS for stem in stems)
    if stem_weight - max(weight("sample_id", stem) for stem in stems) >= 1:
        return False
    values = [value for node in objects for value in node.values()]
    return "object" not in set(map(kind_of, values)) and len(set(map(type, values))) == 1


def _are_flags(nodes: Sequence[Any]) -> bool:
    """Whether documents say of each of many problems whether it was solved, and nothing else."""
    types = {type(value) for node in nodes[:LOOKED] for value in node.values()}
    return types == {bool} and min(map(len, nodes[:LOOKED])) >= FLAGS


def _values(holders: Sequence[Record]) -> list[Record]:
    """What objects or lists hold, each a record that its key or its number names."""
    records: list[Record] = []
    for record in holders:
        is_list = isinstance(record.node, list)
        pairs = enumerate(record.node) if is_list else record.node.items()
        for key, value in pairs:
            above = record.above | {"$key": key}
            records.append(Record({VALUE: value}, above, record.file))
    return records


def _bare_lists(records: list[Record]) -> Places:
    """Lists of grades, beside the settings of a run: the number of a grade is its problem."""
    places: Places = {}
    for key in records[0].node:
        lists = [r.below(key) for r in records if _holds_grades(r.node.get(key))]
        if len(lists) < OFTEN * len(records) or weight("score", key) < GRADED:
            continue
        places[step(key)] = _values(lists)
    return places


def _holds_grades(node: Any) -> bool:
    return isinstance(node, list) and set(map(type, node)) in ({int}, {float}, {int, float}, {bool})


def head(node: dict[str, Any], without: str = "") -> dict[str, Any]:
    """Columns of the values of an object and of objects in it; `without`: a key."""
    values = flat({key: value for key, value in node.items() if key != without}, 2)
    return {f"^{place}": value for place, value in values.items() if not isinstance(value, list)}


def flat(node: dict[str, Any], depth: int, before: str = "") -> dict[str, Any]:
    """Place → value of all that is no object, `depth` levels below."""
    values: dict[str, Any] = {}
    for key, value in node.items():
        place = before + step(key)
        if not isinstance(value, dict):
            values[place] = value
        elif depth:
            values |= flat(value, depth - 1, f"{place}.")
    return values


def kind_of(node: Any) -> str:
    """Object, list (of objects), bare (list of others), or single."""
    if isinstance(node, list):
        return "list" if any(isinstance(item, dict) for item in node) else "bare"
    return "object" if isinstance(node, dict) else "single"


def holds_records(node: Any, depth: int = 2) -> bool:
    """Whether a document has a list of several objects, or objects of one shape."""
    if not isinstance(node, dict):
        return kind_of(node) == "list"
    children = node.values()
    if any(kind_of(child) == "list" and len(child) > 1 for child in children) or is_map([node]):
        return True
    inner = [child for child in children if isinstance(child, dict)]
    return depth > 0 and any(holds_records(child, depth - 1) for child in inner)


def is_map(objects: Sequence[dict[str, Any]]) -> bool:
    """Whether keys of objects are values of a column, and no names of columns.

    They are where what lies behind them has one shape, and they are many, or others in each object.
    """
    nodes = objects[:LOOKED]
    children = [child for node in nodes for child in node.values() if child not in (None, [])]
    children = children[: 8 * LOOKED]
    inner = [child for child in children if kind_of(child) in ("object", "list")]
    if not children or len(inner) < NESTED * len(children):
        return False
    size = sum(map(len, nodes)) / len(nodes)
    keys = {key for node in nodes for key in node}
    if size < 1.5 and len(keys) < 2 * size:
        return False
    pairs = Counter(pair for child in inner for pair in _shape(child))
    total = pairs.total()
    usual = sum(count for count in pairs.values() if count > OFTEN * len(inner))
    deeper = sum(count for (_, kind), count in pairs.items() if kind != "single")
    return usual >= ALIKE * total or (
        deeper > OFTEN * total and len(set(map(_is_deep, inner))) == 1
    )


def _is_deep(node: Any) -> bool:
    """Whether there are objects in the objects of an object or a list."""
    children = node if isinstance(node, list) else node.values()
    objects = [child for child in children if isinstance(child, dict)]
    kinds = Counter(kind_of(value) for child in objects for value in child.values())
    return kinds["object"] > OFTEN * kinds.total()


def _shape(node: Any) -> set[tuple[str, str]]:
    """Keys of an object, or of the first object in a list, and what lies behind each."""
    if isinstance(node, list):
        node = next(item for item in node if isinstance(item, dict))
    return {(key, kind_of(value)) for key, value in node.items()}


def outline(nodes: Sequence[Any], depth: int = DEPTH) -> Outline:
    """The keys of objects, and of those in them and in lists, as one tree."""
    items = [item for node in nodes if isinstance(node, list) for item in node[:ITEMS]]
    objects = [node for node in [*nodes, *items] if isinstance(node, dict)][:LOOKED]
    are_free = is_map(objects)
    children: dict[str, list[Any]] = defaultdict(list)
    for node in objects:
        for key, child in node.items():
            children[FREE if are_free else key].append(child)
    if not depth:
        return {}
    return {key: outline(below, depth - 1) for key, below in children.items()}


def likeness(one: Outline, other: Outline) -> float:
    """Part of the keys that two outlines share, at each level; all of one level weigh the same.

    So many keys deep in each document, as of the tests that it ran, weigh like the one above them.
    """
    keys = one.keys() | other.keys()
    if not keys:
        return 1.0
    return sum(likeness(one[key], other[key]) for key in one.keys() & other.keys()) / len(keys)
