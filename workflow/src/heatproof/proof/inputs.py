"""verify: what results are made of (config, code, versions, logs) against the build.

Installed packages are compared file by file with what their wheels said of them (RECORD).

Python takes bytecode for good when its head fits the source: by time and size, or by a digest of
the source (PEP 552). What comes after the head is believed. So `verify` and what it builds use none
that lies there.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64encode
from contextlib import contextmanager
from importlib import machinery, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.config.fonts import font_files
from heatproof.logs import logs
from heatproof.plan import called
from heatproof.plan import code_digest as library
from heatproof.proof.checks import ABSENT, Failure, Stage, compare, differing
from heatproof.provenance import manifest
from heatproof.util import hashed, pins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest


def config(one: Manifest, plan: Plan) -> Stage:
    """The entries of config.yaml, key by key; comments and order do not matter."""
    failures = []
    now = manifest.configured(plan)
    for section, entries in now.items():
        old = one.build["config"].get(section, {})
        for name in sorted(old.keys() | entries.keys()):
            touched = [name] if section == "figures" else manifest.of_source(name, plan)
            place = f"config.yaml: {section}.{name}"
            failures += _entry(place, old.get(name), entries.get(name), touched)
    return Stage(
        "config", f"{len(now['figures'])} figures, {len(now['sources'])} sources", failures
    )


def _entry(place: str, old: Any, new: Any, touched: list[str]) -> list[Failure]:
    """What differs of an entry: it itself, where it is new or gone, else its keys."""
    if old is None or new is None:
        return [] if old == new else [Failure(place, _spell(old), _spell(new), touched)]
    return [
        Failure(f"{place}.{key}", _spell(old.get(key)), _spell(new.get(key)), touched)
        for key in differing(old, new)
    ]


def _spell(entry: Any) -> str:
    return ABSENT if entry is None else json.dumps(entry, sort_keys=True, ensure_ascii=False)


def code(one: Manifest, plan: Plan) -> Stage:
    """All that runs: library, scripts, rules, profiles, captions, and what proves the results."""
    found, shaping = manifest.code_digests(), manifest.code_files(plan)
    figures = list(plan.figures)
    touches = dict.fromkeys(shaping, figures)
    failures = compare(one.build["code"], found, lambda path: touches.get(path, []))
    own_now, own_then = called.snakefile(plan.root), one.build.get("snakefile", {})
    failures += compare(_of_project(own_then), _of_project(own_now), lambda _: figures)
    own = plan.root / "workflow" / "src" / "heatproof"
    if failures and own.is_dir() and not own.samefile(library.HERE):
        expected = "that of this project: pip install --no-deps --no-build-isolation -e ."
        failures.append(Failure("the library that looks", expected, str(library.HERE), []))
    return Stage("code", f"{len(found)} files", failures)


def _of_project(snakefile: Mapping[str, str]) -> dict[str, str]:
    return {f"{path} of the project": digest for path, digest in snakefile.items()}


def versions(one: Manifest, plan: Plan) -> Stage:
    """The packages installed, those of the build, and the pins: by their versions alone."""
    before, pinned = one.build["environment"], one.build["pins"]
    now = {name: pins.installed(name) for name in before}
    failures = compare(before, now, lambda _: list(plan.figures))
    locked = {name: pins.pin(name) for name in pinned}
    failures += compare(_pins(pinned), _pins(locked), lambda _: list(plan.figures))
    other = {name: have for name, have in now.items() if locked.get(name)}
    failures += [
        Failure(f"{pins.NAME}: {name}", locked[name], have, list(plan.figures))
        for name, have in other.items()
        if have not in locked[name].split(" or ")
    ]
    known = manifest.requirements()
    if not failures and known != one.build["requirements"]:
        # No pin of what shapes the figures changed: none is touched.
        failures.append(Failure(pins.NAME, one.build["requirements"], known, []))
    return Stage("versions", f"{len(now)} packages", failures)


def _pins(versions: Mapping[str, str]) -> dict[str, str]:
    return {f"{pins.NAME}: {name}": pin or "no pin" for name, pin in versions.items()}


def raw(one: Manifest, plan: Plan, files: dict[str, str], sources: list[str]) -> Stage:
    """The logs, against the manifests beside the tables; those that are damaged prove nothing."""
    failures, number, size = [], 0, 0
    for source in sources:
        tables = paths.tables(source)
        told = [p for p in one.files if p.startswith(f"{tables}/") and p.endswith(paths.LOGS)]
        if any(one.files[path] != files.get(path) for path in told):
            continue  # told with the tables
        rows = [row for path in told for row in _rows(plan.root / path)]
        expected = {row["log"]: row["blake3"] for row in rows}
        own = plan.sources[source]
        there = logs.with_sidecars(own, logs.find(own, plan.root), plan.root)
        found = {path: hashed.of_log(plan.root / path) for path in there}
        failures += compare(expected, found, _shown_by(source, plan))
        number, size = number + len(found), size + sum(int(row["bytes"]) for row in rows)
    printed = {p: hashed.sha256(plan.root / p) for p in one.build["printed"]
               if (plan.root / p).is_file()}  # fmt: skip
    failures += compare(one.build["printed"], printed, lambda path: _compared(path, plan))
    beside = one.build.get("beside", {})
    kept = {path: hashed.of_log(plan.root / path) for path in beside
            if (plan.root / path).is_file()}  # fmt: skip
    failures += compare(beside, kept, lambda _: [])
    number += len(beside)
    return Stage("logs", f"{number:,} files, {size / 1e6:,.1f} MB", failures)


def _compared(path: str, plan: Plan) -> list[str]:
    """Figures that are compared with the numbers in a file."""
    return [name for one in plan.checks if path in one.given.values() for name in one.figures]


def fonts(one: Manifest, plan: Plan) -> Iterator[Stage]:
    """The font files that figures are set in, if any are."""
    before = one.build.get("fonts", {})
    places = {path: plan.root / path for path in before}
    found = {path: hashed.sha256(place) for path, place in places.items() if place.is_file()}
    failures = compare(before, found, lambda path: _set_in(path, plan))
    if before:
        yield Stage("fonts", f"{len(found):,} files", failures)


def _set_in(path: str, plan: Plan) -> list[str]:
    """Figures that are set in a font file."""
    return [name for name, figure in plan.figures.items() if path in font_files(figure.font)]


def _shown_by(source: str, plan: Plan) -> Callable[[str], list[str]]:
    return lambda path: manifest.of_log(path, source, plan)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


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
        have = hashed.other(one.place) or _digest(one.place, one.kind)
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


PRIVATE = "HEATPROOF_BYTECODE"
"""Environment variable: the folder of a cache that only those processes know that made it."""


def is_private() -> bool:
    """Whether this process knows no bytecode but what it, or one that it works with, has made."""
    return sys.pycache_prefix is not None and os.environ.get(PRIVATE) == sys.pycache_prefix


@contextmanager
def private() -> Iterator[dict[str, str]]:
    """The environment of processes that start without any bytecode, whoever made it."""
    if is_private():
        yield {**os.environ, "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix)}
        return
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        kept = {key: word for key, word in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        yield {**kept, "PYTHONPYCACHEPREFIX": name, PRIVATE: name}


def again() -> int:
    """Run the command of this process once more, without bytecode: its exit status."""
    with private() as surroundings:
        prefix = f"pycache_prefix={surroundings[PRIVATE]}"
        command = [sys.executable, "-X", prefix, *sys.orig_argv[1:]]
        try:
            return subprocess.run(command, env=surroundings, check=False).returncode  # noqa: S603
        except KeyboardInterrupt:
            return 130  # as a shell says it; the other was interrupted too
