"""What was expected of problems, where it lies in another file: the key `join`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.formats.places import KEY, VALUE
from heatproof.init.facts import weight
from heatproof.init.layouts import DOCUMENTS, Truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.init.layouts import Family
    from heatproof.init.records import Record

LEAST, FOUND = 4, 0.9  # values that are looked up, and the part of the records that have one
TARGET = 2.0  # weight of a name of what was expected


def find_truths(families: Sequence[Family]) -> list[str]:
    """Files with what was expected of the records of other files, which then know them."""
    truths: list[Truth] = []
    for family in families:
        for path in family.documents:
            name = Path(path).stem.removesuffix("s")  # answers, labels
            if len(family.paths) == 1 or weight("target", name) >= TARGET:
                truths += _truths(family, path)
    paths: set[str] = set()
    for family in families if truths else ():
        records = max(family.places().values(), key=len, default=[])
        others = [truth for truth in truths if [truth.file] != family.paths]
        of_truths = {truth.file for truth in others}
        answered = [record for record in records if record.file not in of_truths]
        family.truth = _truth_of(answered, others)
        if family.truth:
            paths.add(family.truth.file)
    return sorted(paths)


def _truths(family: Family, path: str) -> Iterator[Truth]:
    """What a file may say of problems: by their ids as keys, or by a column of its records."""
    rows = family.documents[path]
    if family.format in DOCUMENTS and isinstance(rows[0], dict):
        nodes = rows[0]
        place = _target_place(list(nodes.values()))
        expected = {key: _text(node, place) for key, node in nodes.items()}
        yield Truth(path, "", "", place, expected)
        return
    items = rows[0] if isinstance(rows[0], list) else rows
    records = [item for item in items if isinstance(item, dict)]
    place = _target_place(records)
    for name in records[0] if records else ():
        expected = {_text(node, name): _text(node, place) for node in records}
        if len(expected) == len(records):
            yield Truth(path, name, name, place, expected)


def _target_place(nodes: Sequence[Any]) -> str:
    """The key of what was expected in some objects; `$value` of texts; empty if there is none."""
    if all(isinstance(node, str | int) for node in nodes):
        return VALUE
    names = list(nodes[0]) if isinstance(nodes[0], dict) else []
    likely = max(names, key=lambda name: weight("target", name), default="")
    return likely if weight("target", likely) >= TARGET else ""


def _text(node: Any, place: str) -> str:
    if place == VALUE:
        return str(node)
    return str(node[place]) if isinstance(node, dict) and place in node else ""


def _truth_of(records: Sequence[Record], truths: Sequence[Truth]) -> Truth | None:
    """What is known of the problems of some records, if these do not say it themselves."""
    nodes = [{KEY: record.above.get(KEY), **record.node} for record in records]
    names = dict.fromkeys(name for node in nodes for name in node)
    targets = [name for name in names if weight("target", name) >= TARGET]
    answers = [name for name in names if weight("answer", name) >= TARGET]
    if targets and (targets != answers or weight("target", targets[0]) > TARGET):
        return None  # a single `answer` may be that of the model
    for truth in truths if nodes else ():
        for name in [truth.column] if truth.column else names:
            ids = [_text(node, name) for node in nodes]
            matching = sum(identity in truth.values for identity in ids)
            if truth.place and len(set(ids)) >= LEAST and matching >= FOUND * len(ids):
                return truth._replace(column=name)
    return None
