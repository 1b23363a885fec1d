"""Documents → places of records: lists, objects whose keys are values, lists of grades."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.params import place_keys
from heatproof.formats.places import VALUE
from heatproof.init.facts import weight

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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
    if isinstance(value, list):
        return list(map(as_written, value))
    return value


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
    items: list[Record] = []
    for record in lists:
        items += [record._replace(node=item) for item in record.node]
    return _objects(items)


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
        keyed = _keyed(objects, "$key")
        if not any(isinstance(record.node, list) for record in keyed):
            places[place] = _objects(keyed)
        hole = _next_hole(steps)
        _add_places(_keyed(objects, hole), steps + [hole], places)
        return
    for key in _inner_keys(objects):
        nested = [record for record in objects if isinstance(record.node.get(key), dict | list)]
        below = [record.below(key) for record in nested]
        _add_places(below, steps + [step(key)], places)


def _keyed(objects: Sequence[Record], column: str) -> list[Record]:
    """What lies behind the keys of objects, which are values of a column."""
    records: list[Record] = []
    for record in objects:
        records += [record.keyed(column, key) for key in record.node]
    return records


def _next_hole(steps: Sequence[str]) -> str:
    """What stands in a place for keys that are values, behind some steps."""
    holes = [step for step in steps if step.startswith("{")]
    return f"{{key_{len(holes) + 1}}}"


def joined_places(places: Places, alike: Sequence[str]) -> tuple[str, list[str], list[Record]]:
    """Places that differ in one key as one, with a hole for it; these keys; the records there."""
    paths = [place.split(".") for place in alike]
    levels = enumerate(zip(*paths, strict=True))
    level = next(number for number, steps in levels if len(set(steps)) > 1)
    keys = [steps[level] for steps in paths]
    hole = _next_hole(paths[0])
    heads = tuple(f"^{key}." for key in keys)
    records: list[Record] = []
    for place, key in zip(alike, keys, strict=True):
        for record in places[place]:
            above = {n: value for n, value in record.above.items() if not n.startswith(heads)}
            above[hole] = plain(key)
            records.append(record._replace(above=above))
    joined = [*paths[0]]
    joined[level] = hole
    return ".".join(joined), list(map(plain, keys)), records


def _inner_keys(records: Sequence[Record]) -> list[str]:
    """Keys behind which half of some objects have a list of objects, or an object of such."""
    counts: Counter[str] = Counter()
    first_records = records[:LOOKED]
    for record in first_records:
        counts.update(key for key, child in record.node.items() if _holds_objects(child))
    return [key for key, count in counts.items() if count >= OFTEN * len(first_records)]


def _holds_objects(node: Any) -> bool:
    if not isinstance(node, dict):
        return kind_of(node) == "list"
    kinds = set(map(kind_of, node.values()))
    return not kinds.isdisjoint({"list", "object"}) or _are_numbered([node])


def _are_numbered(nodes: Sequence[Any]) -> bool:
    """Whether keys of objects are problems with one value each, such as `q1` to `q40`."""
    objects = [node for node in nodes[:LOOKED] if isinstance(node, dict)]
    if not are_problems(set(chain(*objects))):
        return False
    types = {type(value) for value in _all_values(objects)}
    return len(types) == 1 and dict not in types


def are_problems(names: Collection[str]) -> bool:
    """Whether many names with running numbers are those of problems.

    Such as are called scores, settings or repetitions are columns.
    """
    stems = {DIGITS.sub("", name) for name in names}
    if len(names) < NUMBERED or len(stems) > 1 or not all(map(DIGITS.search, names)):
        return False
    [stem] = stems
    as_column = max(weight(role, stem) for role in COLUMNS)
    return as_column - weight("sample_id", stem) < 1


def _are_flags(nodes: Sequence[Any]) -> bool:
    """Whether documents say of each of many problems whether it was solved, and nothing else."""
    looked = nodes[:LOOKED]
    types = set(map(type, _all_values(looked)))
    return types == {bool} and min(map(len, looked)) >= FLAGS


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
        if weight("score", key) < GRADED:
            continue
        lists = [record.below(key) for record in records if _holds_grades(record.node.get(key))]
        if len(lists) >= OFTEN * len(records):
            places[step(key)] = _values(lists)
    return places


def _holds_grades(node: Any) -> bool:
    if not isinstance(node, list):
        return False
    return set(map(type, node)) in ({int}, {float}, {int, float}, {bool})


def head(node: dict[str, Any], without: str = "") -> dict[str, Any]:
    """Columns of the values of an object and of objects in it; `without`: a key."""
    beside = {key: value for key, value in node.items() if key != without}
    values = flat(beside, 2).items()
    return {f"^{place}": value for place, value in values if not isinstance(value, list)}


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
        has_objects = any(isinstance(item, dict) for item in node)
        return "list" if has_objects else "bare"
    return "object" if isinstance(node, dict) else "single"


def holds_records(node: Any, depth: int = 2) -> bool:
    """Whether a document has a list of several objects, or objects of one shape."""
    if not isinstance(node, dict):
        return kind_of(node) == "list"
    for child in node.values():
        if kind_of(child) == "list" and len(child) > 1:
            return True
    if is_map([node]):
        return True
    inner = [child for child in node.values() if isinstance(child, dict)]
    return depth > 0 and any(holds_records(child, depth - 1) for child in inner)


def is_map(objects: Sequence[dict[str, Any]]) -> bool:
    """Whether keys of objects are values of a column, and no names of columns.

    They are where what lies behind them has one shape, and they are many, or others in each object.
    """
    nodes = objects[:LOOKED]
    children = [child for child in _all_values(nodes) if child not in (None, [])]
    children = children[: 8 * LOOKED]
    inner = [child for child in children if kind_of(child) in ("object", "list")]
    if not children or len(inner) < NESTED * len(children):
        return False
    size = sum(map(len, nodes)) / len(nodes)
    keys = set(chain(*nodes))
    if size < 1.5 and len(keys) < 2 * size:
        return False
    pairs = Counter(chain(*map(_shape, inner)))
    total = pairs.total()
    usual = sum(count for count in pairs.values() if count > OFTEN * len(inner))
    if usual >= ALIKE * total:
        return True
    deeper = sum(count for (_, kind), count in pairs.items() if kind != "single")
    return deeper > OFTEN * total and len(set(map(_is_deep, inner))) == 1


def _all_values(objects: Iterable[dict[str, Any]]) -> list[Any]:
    return list(chain(*(node.values() for node in objects)))


def _is_deep(node: Any) -> bool:
    """Whether there are objects in the objects of an object or a list."""
    children = node if isinstance(node, list) else node.values()
    objects = [child for child in children if isinstance(child, dict)]
    kinds = Counter(map(kind_of, _all_values(objects)))
    return kinds["object"] > OFTEN * kinds.total()


def _shape(node: Any) -> set[tuple[str, str]]:
    """Keys of an object, or of the first object in a list, and what lies behind each."""
    if isinstance(node, list):
        node = next(item for item in node if isinstance(item, dict))
    return {(key, kind_of(value)) for key, value in node.items()}


def outline(nodes: Sequence[Any], depth: int = DEPTH) -> Outline:
    """The keys of objects, and of those in them and in lists, as one tree."""
    items = chain(*(node[:ITEMS] for node in nodes if isinstance(node, list)))
    objects = [node for node in chain(nodes, items) if isinstance(node, dict)][:LOOKED]
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
    keys, shared = one.keys() | other.keys(), one.keys() & other.keys()
    if not keys:
        return 1.0
    likenesses = (likeness(one[key], other[key]) for key in shared)
    return sum(likenesses) / len(keys)
