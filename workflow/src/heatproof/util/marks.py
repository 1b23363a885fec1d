"""Where in its files a config says something: a place such as `figures.mine.kind` → line, column.

A config may be read from several files, of which the last that says something counts, and from the
command line. Anchors and merges of YAML are followed: what is told is where the text stands.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OVER = "--config"
"""What values of the command line are told under."""
MERGE = "tag:yaml.org,2002:merge"
NUMBER = re.compile(r"\[(\d+)\]")
POSITION = re.compile(r" at position (\d+)$")
"""Ends a message about a pattern."""
QUOTED = re.compile(r"[^'\";]*(?P<quote>['\"])(?P<word>.*?)(?P=quote)")
"""The first value or key that a message names."""


class Spot(NamedTuple):
    """Where something stands."""

    name: str
    """Of the file, or `--config`."""
    line: int
    """From 1; 0 of the command line."""
    column: int

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}" if self.line else self.name


class _Found(NamedTuple):
    """A node, as deep in a file as a place leads."""

    depth: int
    key: Any
    """The node of its key; none of an item."""
    node: Any
    rest: str
    """What is left of the message."""


class Marks:
    """The marks of the files that a config was read from."""

    def __init__(self, files: Sequence[str], values: Mapping[str, Any] | None = None) -> None:
        """`files`: paths, those that count before others last; `values`: of the command line."""
        self._tops = [(name, _top(name)) for name in files]
        if values:
            self._tops.append((OVER, _composed(json.dumps(values, default=str))))

    def of(self, message: str) -> Spot | None:
        """Where stands what a message is about, that begins with its place.

        None if no file is known to say so.
        """
        found = [(name, deepest) for name, top in self._tops if (deepest := _deepest(top, message))]
        # Of those that lead as deep, the last counts: it was laid over the others.
        name, best = max(reversed(found), key=lambda one: one[1].depth, default=("", None))
        if best is None:
            return None
        mark = _mark(best)
        if name == OVER:
            return Spot(name, 0, 0)
        return Spot(name, mark.line + 1, mark.column + 1 + _within(best))


def _top(path: str) -> Any:
    """The nodes of a file; None if it is not there or no YAML, which is told elsewhere."""
    try:
        with open(os.fsencode(path), encoding="utf-8") as file:
            return _composed(file.read())
    except (OSError, UnicodeDecodeError):
        return None


def _composed(text: str) -> Any:
    import yaml  # where all is well nothing is looked up

    try:
        return yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None


def _deepest(top: Any, message: str) -> _Found | None:
    found = _Found(0, None, top, message)
    while below := _below(found):
        found = below
    keys = {key.value for key, _ in _pairs(top)}
    return found if found.depth or _quoted(message) in keys else None


def _below(found: _Found) -> _Found | None:
    """One step further to where the message leads; names may have dots in them."""
    rest, node = found.rest, found.node
    if (number := NUMBER.match(rest)) and _is(node, "sequence"):
        at = int(number[1])
        inside = node.value[at : at + 1]
        return _Found(found.depth + 1, None, inside[0], rest[number.end() :]) if inside else None
    rest = rest.removeprefix(".") if found.depth else rest
    fits = [
        _Found(found.depth + 1, key, value, rest[len(key.value) :])
        for key, value in _pairs(node)
        if _is(key, "scalar") and key.value and _begins(rest, key.value)
    ]
    return min(fits, key=lambda one: len(one.rest), default=None)


def _begins(rest: str, key: str) -> bool:
    return rest.startswith(key) and rest[len(key) : len(key) + 1] in ("", ".", ":", "[", " ")


def _pairs(node: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of a mapping, those that are merged into it behind its own."""
    if not _is(node, "mapping"):
        return
    merged: list[Any] = []
    for key, value in node.value:
        if key.tag == MERGE:
            merged += value.value if _is(value, "sequence") else [value]
        else:
            yield key, value
    for one in merged:
        yield from _pairs(one)


def _is(node: Any, kind: str) -> bool:
    return node is not None and node.id == kind


def _within(found: _Found) -> int:
    """Columns from the beginning of a value to what is wrong in it, if the message tells that."""
    node, match = found.node, POSITION.search(found.rest)
    if not match or not _is(node, "scalar") or node.start_mark.line != node.end_mark.line:
        return 0
    at = min(int(match[1]), len(node.value))
    quoted = {None: 0, "'": 1 + node.value.count("'", 0, at)}.get(node.style)
    return 0 if quoted is None else quoted + at


def _quoted(rest: str) -> str:
    match = QUOTED.match(rest)
    return match["word"] if match else ""


def _mark(found: _Found) -> Any:
    """The mark of the wrong word, if it is a key or item; else of a value, or of its key."""
    word, key, node = _quoted(found.rest), found.key, found.node
    if key is not None and key.value == word:
        return key.start_mark
    for inside, _ in _pairs(node):
        if word and inside.value == word:
            return inside.start_mark
    for item in node.value if _is(node, "sequence") else ():
        if word and item.value == word:
            return item.start_mark
    plain = _is(node, "scalar") and node.value
    return node.start_mark if plain or key is None else key.start_mark
