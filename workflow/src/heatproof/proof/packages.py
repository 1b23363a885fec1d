"""verify: the files of installed packages, against what their wheels said of them (RECORD)."""

from __future__ import annotations

import csv
import hashlib
import os
from base64 import urlsafe_b64encode
from importlib import machinery, metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from heatproof.proof.checks import Failure, Stage
from heatproof.util import regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CODE = tuple(machinery.all_suffixes())
"""Endings of what Python may import."""
CACHE = "__pycache__"
"""Bytecode is not looked at: `verify` and what it starts use none that lies there."""


class Listed(NamedTuple):
    """A file as RECORD lists it (PEP 376, PEP 427)."""

    package: str
    path: str
    """As RECORD has it, below the folder of packages or beside it."""
    place: Path
    kind: str
    digest: str


def stage(names: Sequence[str], figures: list[str]) -> Stage:
    """Each file of these packages by its digest, and none among them that RECORD does not list."""
    found, failures = [], list[Failure]()
    for name in names:
        mine = list(_listed(name))
        if not mine:
            failures.append(Failure(name, "a RECORD with digests", "none", figures))
        found += mine
    failures += [Failure(path, want, have, figures) for path, want, have in _wrong(found)]
    listed = {os.path.normpath(one.place) for one in found}
    failures += [
        Failure(f"{name}: {path}", "no file that its RECORD does not list", "a file", figures)
        for name, path in _added(found, listed)
    ]
    checked = f"{len(names):,} packages, {len(found):,} files by their RECORD"
    return Stage("packages", checked, failures)


def _listed(name: str) -> Iterator[Listed]:
    """What RECORD has digests of; of itself and of bytecode it has none.

    RECORD is read here: since Python 3.12 `Distribution.files` leaves out what is not there.
    """
    package = metadata.distribution(name)
    for path, digest, _size in csv.reader((package.read_text("RECORD") or "").splitlines()):
        if digest and CACHE not in path.split("/"):
            kind, _, value = digest.partition("=")
            yield Listed(name, path, Path(str(package.locate_file(path))), kind, value)


def _wrong(found: Iterable[Listed]) -> Iterator[tuple[str, str, str]]:
    for one in found:
        have = regular.other(one.place) or _digest(one.place, one.kind)
        if have != one.digest:
            yield f"{one.package}: {one.path}", one.digest, have


def _digest(path: Path, kind: str) -> str:
    """As RECORD writes it: base64 for addresses, without the padding."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, kind).digest()
    return urlsafe_b64encode(found).decode().rstrip("=")


def _added(found: Iterable[Listed], listed: set[str]) -> Iterator[tuple[str, str]]:
    """Code in folders that are a package's own and that RECORD does not know: package and path.

    Folders without an `__init__`, which several packages may share, are looked at by their parts.
    """
    own = {one.place.parent: one.package for one in found if one.place.name.startswith("__init__.")}
    for folder, name in sorted(own.items()):
        for entry in os.scandir(folder):
            if entry.name.endswith(CODE) and os.path.normpath(entry.path) not in listed:
                yield name, f"{folder.name}/{entry.name}"
