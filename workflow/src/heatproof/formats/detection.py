"""Recognise the format of a log, for `auto` and `init`.

A format of a harness has a function `recognises(path, head)`, a format of any layout `resembles(
path, head)`: why a file is one of its logs, or an empty text. `head`: the beginning of the file.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from heatproof import formats
from heatproof.logs.streams import PACKED, Content, Hashed
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

FILES = 256  # logs that are read, at most
PER_KIND = 2  # of each ending in each folder
HEAD = 64 << 10  # bytes of each
ONLY_ENDING = "only its ending tells"
LINES = (".jsonl", ".ndjson", ".parquet")  # endings of logs of JSON lines


class Head(NamedTuple):
    """The beginning of a file, decompressed."""

    data: bytes
    whole: bool  # whether the file has no more
    fault: str = ""  # why it cannot be read


def head(path: str, root: Path, size: int = HEAD) -> Head:
    """The first `size` bytes of a file; none of a damaged one."""
    try:
        with Hashed(root / path) as raw:
            content = Content(raw, path)
            data = b""
            while len(data) <= size and (piece := content.read(size + 1 - len(data))):
                data += piece
            return Head(data[:size], len(data) <= size)
    except Error as error:
        return Head(b"", whole=False, fault=str(error))


def reasons(path: str, data: bytes, question: str = "recognises") -> dict[str, str]:
    """Format → why a file is one of its logs; `question`: the function that is asked."""
    return {name: reason for name, test in _tests(question).items() if (reason := test(path, data))}


@cache
def _tests(question: str) -> dict[str, Callable[[str, bytes], str]]:
    """Format → its function, loaded once: that takes longer than all answers for a log."""
    modules = {name: registry.load(formats, name) for name in registry.names(formats)}
    return {name: getattr(m, question) for name, m in modules.items() if hasattr(m, question)}


def resembles_lines(path: str, head: bytes) -> str:
    """Why a file can be read as JSON lines: by its name, or because two lines are objects."""
    lines = [line.strip() for line in head.split(b"\n", 2)]
    objects = [line[:1] == b"{" and line[-1:] == b"}" for line in lines[:2]]
    if plain(path).endswith(LINES):
        return "its lines are objects" if objects[0] else ONLY_ENDING
    if len(lines) > 1 and all(objects):
        return "its lines are objects, whatever its name"
    return ""


def document_sign(head: bytes) -> str:
    """Why a file can be read as a document of objects, by its first byte or its ending alone."""
    kind = {b"{": "an object", b"[": "a list"}.get(head.lstrip()[:1])
    return f"it is {kind}" if kind else ONLY_ENDING


def plain(path: str) -> str:
    """The path without the endings of packed files."""
    for ending in PACKED[:2]:
        path = path.removesuffix(ending)
    return path


def spread(paths: Sequence[str]) -> list[str]:
    """Two files of each ending in each folder; of these at most `FILES`, spread over all."""
    counts: Counter[tuple[str, str]] = Counter()
    chosen = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        kind = folder, name.rpartition(".")[2]
        counts[kind] += 1
        if counts[kind] <= PER_KIND:
            chosen.append(path)
    return chosen[:: -(-len(chosen) // FILES) or 1]
