"""`format: auto`: look at the logs, say which format they have and why, and go on with that one.

Decided when the config is read, before any job. Each format may have a function
`recognises(path, head)`, giving the reason why a file is one of its logs, or nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import readers
from heatproof.config.entries import Columns, Source
from heatproof.logs import logs
from heatproof.logs.raw import LFS, Content, Hashed
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers.api import Batch, Log, Reject


FILES = 256
"""Logs looked at, at most: two of each ending in each folder, spread over all there are."""
PER_KIND = 2
HEAD = 64 << 10
"""Bytes of each that are looked at."""
MAPPED = {
    "csv": (".csv", ".tsv"),
    "jsonl": (".jsonl", ".ndjson", ".parquet"),
    "json": (".json",),
}
"""Formats of any layout, by the endings of their files: they need `fields` in config.yaml."""


class Entry(Source, kw_only=True):
    """An entry whose format is yet to be found."""

    def columns(self) -> Columns:
        """None: the entry of the format that was found has them."""
        return Columns()


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """Nothing: the logs are read in the format that `resolve` found.

    Raises:
        Error: always.
    """
    raise Error(f"sources.{entry.name}.format: {log.path}: 'auto' was not resolved")


def resolve(given: dict[str, Any], place: str, root: Path) -> tuple[dict[str, Any], str]:
    """The entry with the format that its logs have, and a sentence that says which and why.

    Raises:
        Error: no format is found, or several are.
    """
    try:
        source = msgspec.convert({key: given.get(key) for key in ("logs", "format", "name")}, Entry)
    except msgspec.ValidationError:
        raise Error(f"{place}.logs: 'auto' needs the patterns of the logs") from None
    there = logs.find(source, root)
    _require_content(there, place, root)
    found, others = candidates(there, root)
    if len(found) == 1:
        name, (path, reason) = next(iter(found.items()))
        beside = registry.find(readers, name, "", "log format").Entry.is_sidecar
        others = [other for other in others if not beside(other)]
        rest = f"; other logs, such as {others[0]}, are not and will be refused" if others else ""
        return given | {"format": name}, f"{place}.format: auto is {name}: {path}: {reason}{rest}"
    if not found:
        known = ", ".join(name for name in registry.names(readers) if name != "auto")
        raise Error(f"{place}.format: 'auto' knows none of the logs; there are {known}")
    listed = "".join(f"\n  {name}: {path}: {why}" for name, (path, why) in sorted(found.items()))
    raise Error(
        f"{place}.format: 'auto' is ambiguous; name the format, or give each a source of its own:"
        + listed
    )


def _require_content(paths: list[str], place: str, root: Path) -> None:
    """Raise Error if git-LFS has left pointers in the place of logs."""
    for path in _spread(paths):
        with Hashed(root / path) as raw:
            if raw.pointer():
                raise Error(f"{place}.logs: {path} is {LFS}")


def candidates(paths: list[str], root: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Format → the first log that has it and the reason; and logs that have none of them.

    A format of its own beats the general ones, which any file of their ending would fit.
    """
    found: dict[str, tuple[str, str]] = {}
    general: dict[str, tuple[str, str]] = {}
    others = []
    for path in _spread(paths):
        reasons = _reasons(path, _head(path, root))
        for name, reason in reasons.items():
            found.setdefault(name, (path, reason))
        if not reasons:
            others.append(path)
            mapped = _mapped(path)
            general.setdefault(mapped, (path, "only its ending tells: `fields` must say the rest"))
    unknown = [general.pop("")[0]] if "" in general else []
    return (found, others) if found else (general, unknown)


def _spread(paths: list[str]) -> list[str]:
    seen: Counter[tuple[str, str]] = Counter()
    chosen = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        kind = folder, name.rpartition(".")[2]
        seen[kind] += 1
        if seen[kind] <= PER_KIND:
            chosen.append(path)
    return chosen[:: -(-len(chosen) // FILES)] if chosen else []


def _reasons(path: str, head: bytes) -> dict[str, str]:
    reasons = {}
    for name in registry.names(readers):
        test = getattr(registry.find(readers, name, "", "log format"), "recognises", None)
        if test and (reason := test(path, head)):
            reasons[name] = reason
    return reasons


def _mapped(path: str) -> str:
    plain = path.removesuffix(".gz").removesuffix(".zst")
    return next((name for name, endings in MAPPED.items() if plain.endswith(endings)), "")


def _head(path: str, root: Path) -> bytes:
    """The first bytes of a log, decompressed; none of a damaged one."""
    try:
        with Hashed(root / path) as raw:
            content, room = Content(raw, path), memoryview(bytearray(HEAD))
            held = 0
            while held < HEAD and (size := content.readinto(room[held:])):
                held += size
            return bytes(room[:held])
    except Error:
        return b""
