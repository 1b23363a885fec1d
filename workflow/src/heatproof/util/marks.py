"""Where in its files a config says something: a place such as `figures.mine.kind` → line, column.

A config may be read from several files, of which the last that says something counts, and from the
command line. Anchors and merges of YAML are followed: what is told is where the text stands.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.util.errors import Mistake

OVER = "--config"
"""What values of the command line are told under."""
MERGE = "tag:yaml.org,2002:merge"


class Spot(NamedTuple):
    """Where something stands."""

    name: str
    """Of the file, or `--config`."""
    line: int
    """From 1; 0 of the command line."""
    column: int

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}" if self.line else self.name


class Marks:
    """The marks of the files that a config was read from."""

    def __init__(self, files: Sequence[str], values: Mapping[str, Any] | None = None) -> None:
        """`files`: paths, those that count before others last; `values`: of the command line."""
        self._tops = [(name, _compose(_text(name))) for name in files]
        if values:
            self._tops.append((OVER, _compose(json.dumps(values, default=str))))

    def of(self, mistake: Mistake) -> Spot | None:
        """Where a mistake stands; None if no file says what it is about."""
        if mistake.place is None:
            return None
        word = mistake.word
        best, spot = 0, None
        for name, top in self._tops:
            depth, key, node = _walk(top, mistake.place)
            if not depth and any(k is not None and k.value == word for k, _ in _items(top)):
                depth = 1
            if depth and depth >= best:  # of those that lead as deep, the last was laid over
                line, column = _mark(key, node, mistake)
                best, spot = depth, Spot(name, line + 1, column + 1)
        return Spot(OVER, 0, 0) if spot and spot.name == OVER else spot


def _text(path: str) -> str:
    """A file; nothing if it cannot be read, which is told elsewhere."""
    try:
        with open(os.fsencode(path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def _compose(text: str) -> Any:
    import yaml  # where all is well nothing is looked up

    try:
        return yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None


def _items(node: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of a mapping, those that are merged into it last; items, without keys."""
    if node is None or node.id == "scalar":
        return
    if node.id == "sequence":
        yield from ((None, item) for item in node.value)
        return
    merged: list[Any] = []
    for key, value in node.value:
        if key.tag == MERGE:
            merged += value.value if value.id == "sequence" else [value]
        elif key.id == "scalar" and key.value:
            yield key, value
    for mapping in merged:
        yield from _items(mapping)


def _walk(top: Any, place: str) -> tuple[int, Any, Any]:
    """As deep as a place leads: how deep that is, the key and the node there."""
    depth, key, node, rest = 0, None, top, place
    while rest:
        rest = rest.removeprefix(".") if depth else rest
        steps = []
        for number, (below, value) in enumerate(_items(node)):
            name = f"[{number}]" if below is None else below.value
            if rest.startswith(name) and rest[len(name) :][:1] in ("", ".", "["):
                steps.append((len(name), below, value))
        if not steps:
            break
        # Names may have dots in them: the longest fits. A mapping's own keys come before merged.
        length, key, node = max(steps, key=lambda step: step[0])
        depth, rest = depth + 1, rest[length:]
    return depth, key, node


def _mark(key: Any, node: Any, mistake: Mistake) -> tuple[int, int]:
    """Line and column, from 0, of the wrong word, if it is a key or item here; else of a value that
    is no more than a word, at what is wrong in it, or of its key.
    """
    words = [] if key is None else [key]
    words += [value if below is None else below for below, value in _items(node)]
    plain = node.value if node.id == "scalar" else ""
    fallback = node if plain or key is None else key
    at = next((entry for entry in words if mistake.word and entry.value == mistake.word), fallback)
    column = at.start_mark.column
    if mistake.offset is not None and at is node and at.start_mark.line == at.end_mark.line:
        offset = min(mistake.offset, len(plain))
        quotes = {None: 0, "'": 1 + plain.count("'", 0, offset)}.get(node.style)
        column += 0 if quotes is None else quotes + offset
    return at.start_mark.line, column
