"""Files with the settings of a log, beside it or in a folder above: the key `sidecar`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.decoding import decoded
from heatproof.formats.detection import plain
from heatproof.logs import yaml_text
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.formats.api import Log

NAME = "{name}"  # stands for the name of the log without its endings
ENDINGS = (".json", *yaml_text.ENDINGS)
LIMIT = 16 << 20  # bytes of a sidecar at most


def _name(path: str, pattern: str) -> tuple[str, str]:
    """The folder of a log, and the name of its sidecar."""
    folder, slash, name = plain(path).rpartition("/")
    return folder + slash, pattern.replace(NAME, name.rpartition(".")[0] or name)


def sidecar(path: str, pattern: str, root: Path) -> str | None:
    """The path of the nearest sidecar of a log; None if there is none."""
    folder, name = _name(path, pattern)
    while not (root / folder / name).is_file():
        if not folder:
            return None
        folder = folder[: folder.rstrip("/").rfind("/") + 1]
    return f"{folder}{name}"


def is_sidecar_of(path: str, pattern: str) -> bool:
    """Whether a file may be the sidecar of a log by its name."""
    before, hole, after = pattern.partition(NAME)
    if not hole:
        return f"/{path}".endswith(f"/{pattern}")
    return f"/{path}".endswith(after) and (f"/{before}" in f"/{path}" or not before)


def nearest(log: Log, pattern: str) -> str:
    """The path of the nearest sidecar of a log. Raises Error: there is none."""
    path = sidecar(log.path, pattern, log.root)
    if path is None:
        why = f"there is no {_name(log.path, pattern)[1]} beside it or in a folder above"
        raise Error(why, "missing")
    return path


def content(log: Log, pattern: str) -> tuple[str, bytes]:
    """Path and content, as JSON, of the sidecar of a log. Raises Error: it cannot be read."""
    path = nearest(log, pattern)
    return path, as_json(log.beside(path, LIMIT), path)


def as_json(data: bytes, path: str) -> bytes:
    """The content of a sidecar, an object, as JSON. Raises Error: it is damaged."""
    return msgspec.json.encode(decoded(data, dict[str, Any], path))


def mistakes(pattern: str, places: Mapping[str, str]) -> Iterator[Mistake]:
    """What is wrong with the key `sidecar`; `places`: column → place in the sidecar."""
    if not pattern:
        return
    if pattern.startswith("/") or ".." in pattern.split("/"):
        yield Mistake(".sidecar", f"{pattern!r} is not a name, or a path below the folder of a log")
    elif not pattern.endswith(ENDINGS):
        yield Mistake(".sidecar", f"{pattern!r} does not end in {', '.join(ENDINGS)}")
    if not places:
        message = "no place begins with ^, so nothing is read from it"
        yield Mistake(".sidecar", message)
