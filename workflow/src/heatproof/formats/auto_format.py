"""`format: auto`: find the format of the logs, before any job, and say which it is and why."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats
from heatproof.config.entries import Columns, Source
from heatproof.formats import detection
from heatproof.formats.decoding import excerpt
from heatproof.formats.params import excerpted
from heatproof.formats.places import SHOWN_KEYS, record_places
from heatproof.logs import logs
from heatproof.logs.streams import LFS, Hashed
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.formats.api import Batch, Log, Reject


class Entry(Source, kw_only=True):
    """A source whose logs decide the format; it then has the keys of that format."""

    def columns(self) -> Columns:
        return Columns()


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """Always raises Error: the format that `resolve` returns reads the logs."""
    raise Error(Mistake(f"sources.{entry.name}.format", f"{log.path}: 'auto' was not resolved"))


def resolve(entry: dict[str, Any], place: str, root: Path) -> tuple[dict[str, Any], str]:
    """The entry with the format of its logs, and a sentence that says why it is that.

    Raises Error: no format fits, or several do.
    """
    try:
        source = msgspec.convert({key: entry.get(key) for key in ("logs", "format", "name")}, Entry)
    except msgspec.ValidationError:
        raise Error(Mistake(f"{place}.logs", "'auto' needs the patterns of the logs")) from None
    paths = logs.find(source, root)
    for path in detection.spread(paths):
        with Hashed(root / path) as raw:
            if raw.pointer():
                raise Error(Mistake(f"{place}.logs", f"{path} is {LFS}"))
    fitting, unfitting = candidates(paths, root)
    if not fitting:
        names = ", ".join(name for name in registry.names(formats) if name != "auto")
        message = f"'auto' recognises none of the logs; the formats are {names}"
        raise Error(Mistake(f"{place}.format", message))
    if len(fitting) > 1:
        message = "'auto' is ambiguous; name the format, or give each a source of its own:"
        for name, (path, reason) in sorted(fitting.items()):
            message += f"\n  {name}: {path}: {reason}"
        raise Error(Mistake(f"{place}.format", message))
    [(name, (path, reason))] = fitting.items()
    is_sidecar = registry.load(formats, name).Entry.is_sidecar
    file = next((file for file in unfitting if not is_sidecar(file)), "")
    rest = f"; others, such as {file}, have another format and will be refused" if file else ""
    return entry | {"format": name}, f"auto is {name}: {path}: {reason}{rest}"


def candidates(paths: list[str], root: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Format → its first log and the reason; and logs of no format.

    A format of a harness beats the general ones, which fit any file of their ending.
    """
    special = dict[str, tuple[str, str]]()
    general = dict[str, tuple[str, str]]()
    unfitting = []
    unknown = []
    for path in detection.spread(paths):
        data = detection.head(path, root).data
        reasons = detection.reasons(path, data)
        for name, reason in reasons.items():
            special.setdefault(name, (path, reason))
        if not reasons:
            unfitting.append(path)
            layouts = detection.reasons(path, data, "resembles")
            unknown += [] if layouts else [path]
            for name, reason in layouts.items():
                message = f"{reason}; write what its keys mean under `fields`{_keys(data)}"
                general.setdefault(name, (path, message))
    if special:
        return special, unfitting
    return general, unknown


def _keys(data: bytes) -> str:
    """Words about the places in the first record of a log; empty for an empty log."""
    line = data.split(b"\n", 1)[0]
    for text in (line, data):
        with suppress(msgspec.DecodeError, ValueError, RecursionError):
            record = msgspec.json.decode(text)
            if isinstance(record, list) and record:
                record = record[0]
            if isinstance(record, dict):
                keys = map(excerpted, islice(record_places(record), SHOWN_KEYS))
                return f"; the first record has {', '.join(keys)}"
    if line:
        return f"; it begins with {excerpt(line)}"
    return ""
