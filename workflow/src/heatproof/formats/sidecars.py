"""Files with the settings of a log, beside it or above, that config.yaml names: `sidecar`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.documents import decoded
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.formats.api import Log

NAME = "{name}"
"""In the name of a sidecar: that of its log, without its endings."""
YAML = (".yaml", ".yml")
ENDINGS = (".json", *YAML)
PACKED = (".gz", ".zst")
LIMIT = 16 << 20
"""Bytes of a sidecar at most."""


def _named(path: str, given: str) -> tuple[str, str]:
    """The folder of a log, and what its sidecar is called."""
    folder, slash, name = path.rpartition("/")
    for ending in PACKED:
        name = name.removesuffix(ending)
    return folder + slash, given.replace(NAME, name.rpartition(".")[0] or name)


def sidecar(path: str, given: str, root: Path) -> str | None:
    """The nearest sidecar of the log at `path`, a path as the log's own; None if there is none."""
    folder, name = _named(path, given)
    while True:
        if (root / folder / name).is_file():
            return f"{folder}{name}"
        if not folder:
            return None
        above = folder.rstrip("/").rpartition("/")[0]
        folder = f"{above}/" if above else ""


def is_sidecar_of(path: str, given: str) -> bool:
    """Whether by its name a file may be the sidecar of a log, and so no log itself."""
    before, hole, after = given.partition(NAME)
    if not hole:
        return path == given or path.endswith(f"/{given}")
    return f"/{path}".endswith(after) and (f"/{before}" in f"/{path}" or not before)


def content(log: Log, given: str) -> tuple[str, bytes]:
    """Path and content, as JSON, of the sidecar of a log.

    Raises:
        Error: there is none, or it is damaged.
    """
    path = sidecar(log.path, given, log.root)
    if path is None:
        raise Error(
            f"there is no {_named(log.path, given)[1]} beside it or in a folder above", "missing"
        )
    return path, as_json(log.beside(path, LIMIT), path)


def as_json(data: bytes, path: str) -> bytes:
    """The content of a sidecar, an object, as JSON; `path` is where it lies.

    Raises:
        Error: it is damaged.
    """
    if not path.endswith(YAML):
        return msgspec.json.encode(decoded(data, dict[str, Any], path))
    import yaml

    try:
        return msgspec.json.encode(yaml.safe_load(data))
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise Error(f"{path}: not YAML: {' '.join(str(error).split())}") from error


def mistakes_of_sidecars(given: str, told: Mapping[str, str]) -> Iterator[Mistake]:
    """With the name of a sidecar; `told`: column → place, of what it is to tell."""
    if not given:
        return
    if given.startswith("/") or ".." in given.split("/"):
        yield Mistake(".sidecar", f"{given!r} is not a name, or a path below the folder of a log")
    elif not given.endswith(ENDINGS):
        yield Mistake(".sidecar", f"{given!r} does not end in {', '.join(ENDINGS)}")
    if not told:
        yield Mistake(
            ".sidecar", "nothing is read from it; a place that begins with ^ is one of its own"
        )
