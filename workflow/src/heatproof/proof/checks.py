"""verify, part one: rehash everything, and compare it with what the build wrote down."""

from __future__ import annotations

import csv
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec
from blake3 import blake3

from heatproof import pins
from heatproof.charts import spec
from heatproof.errors import Error
from heatproof.proof import artefacts, identify, made, manifest
from heatproof.reading import logs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from heatproof.plan import Plan
    from heatproof.proof.manifest import Manifest

ABSENT = "not there"


class Failure(msgspec.Struct):
    """Something that is not what it should be."""

    path: str
    """The file, or the key in config.yaml, or the package."""
    expected: str
    found: str
    figures: list[str]
    """Those whose numbers or looks hang on it."""


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str
    """What was looked at, in words."""
    failures: list[Failure]


def compare(
    expected: dict[str, str], found: dict[str, str], touches: Callable[[str], list[str]]
) -> list[Failure]:
    """What differs, is missing, or is there but should not be."""
    return [
        Failure(name, expected.get(name, ABSENT), found.get(name, ABSENT), touches(name))
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    ]


def config(one: Manifest, plan: Plan) -> Stage:
    """The entries of config.yaml; comments and order do not matter."""
    failures = []
    now = manifest.configured(plan)
    for section, entries in now.items():
        old = {name: _spell(entry) for name, entry in one.build["config"][section].items()}
        new = {name: _spell(entry) for name, entry in entries.items()}
        for failure in compare(old, new, lambda name: [name]):
            if section == "sources":
                failure.figures = artefacts.of_source(failure.path, plan)
            keys = _keys(one.build["config"][section].get(failure.path), entries.get(failure.path))
            failure.path = f"config.yaml: {section}.{failure.path}{keys}"
            failures.append(failure)
    return Stage(
        "config", f"{len(now['figures'])} figures, {len(now['sources'])} sources", failures
    )


def _spell(entry: Any) -> str:
    return json.dumps(entry, sort_keys=True)


def _keys(old: dict[str, Any] | None, new: dict[str, Any] | None) -> str:
    """The keys that differ, where an entry is there in both."""
    if old is None or new is None:
        return ""
    return "." + ", ".join(key for key in old | new if old.get(key) != new.get(key))


def code(one: Manifest, plan: Plan) -> Stage:
    """The library, scripts and rules that shape the results."""
    found = {name: made.sha256(str(path)) for name, path in artefacts.code_files(plan).items()}
    failures = compare(one.build["code"], found, lambda _: list(plan.figures))
    return Stage("code", f"{len(found)} files", failures)


def environment(one: Manifest, plan: Plan) -> Stage:
    """The packages installed, those of the build, and the pins."""
    before, pinned = one.build["environment"], one.build["pins"]
    now = {name: pins.installed(name) for name in before}
    failures = compare(before, now, lambda _: list(plan.figures))
    locked = {name: pins.pin(name) for name in pinned}
    failures += compare(pinned, locked, lambda _: list(plan.figures))
    other = {name: have for name, have in now.items() if locked.get(name)}
    failures += [
        Failure(f"requirements.txt: {name}", locked[name], have, list(plan.figures))
        for name, have in other.items()
        if have not in locked[name].split(" or ")
    ]
    known = manifest.requirements()
    if not failures and known != one.build["requirements"]:
        # No pin of what shapes the figures changed: none is touched.
        failures.append(Failure("requirements.txt", one.build["requirements"], known, []))
    return Stage("environment", f"{len(now)} packages", failures)


def raw(one: Manifest, plan: Plan, files: dict[str, str], sources: list[str]) -> Stage:
    """The logs, against the manifests beside the tables; those that are damaged prove nothing."""
    failures, number, size = [], 0, 0
    for source in sources:
        tables, shown = f"results/tables/{source}/", artefacts.of_source(source, plan)
        paths = [p for p in one.files if p.startswith(tables) and p.endswith(".logs.csv")]
        if any(one.files[path] != files.get(path) for path in paths):
            continue  # told with the tables
        rows = [row for path in paths for row in _rows(plan.root / path)]
        expected = {row["log"]: row["blake3"] for row in rows}
        own = plan.sources[source]
        there = logs.with_sidecars(own, logs.find(own, plan.root), plan.root)
        found = {path: _blake3(plan.root / path) for path in there}
        failures += compare(expected, found, _always(shown))
        number, size = number + len(found), size + sum(int(row["bytes"]) for row in rows)
    printed = {p: made.sha256(str(plan.root / p)) for p in one.build["printed"]
               if (plan.root / p).is_file()}  # fmt: skip
    failures += compare(one.build["printed"], printed, lambda _: list(plan.figures))
    return Stage("logs", f"{number:,} files, {size / 1e6:,.1f} MB", failures)


def _always(names: list[str]) -> Callable[[str], list[str]]:
    return lambda _: names


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def _blake3(path: Path) -> str:
    return blake3().update_mmap(path).hexdigest()


KINDS = ("tables", "grids", "specs", "figures", "pages")


def kind(path: str) -> str:
    """The stage that a file of the results belongs to."""
    parts = PurePosixPath(path).parts
    if parts[1] in ("reconstructed", "counts"):
        return "tables"
    if parts[1] in KINDS and (parts[1] != "tables" or len(parts) == 4):
        return parts[1]
    return "pages"


def present(one: Manifest, plan: Plan) -> dict[str, str]:
    """Path → SHA-256 of the files that the manifest names, as they are now."""
    places = {path: plan.root / path for path in one.files}
    return {path: made.sha256(str(place)) for path, place in places.items() if place.is_file()}


def results(one: Manifest, plan: Plan, files: dict[str, str]) -> list[Stage]:
    """The files of each stage against the manifest, and against the stage after them."""
    witnesses = seen(plan)
    stages = []
    for name in KINDS:
        mine = {path: digest for path, digest in one.files.items() if kind(path) == name}
        found = {path: files[path] for path in mine if path in files}
        failures = compare(mine, found, lambda path: artefacts.figures(path, plan))
        # Where the next stage confirms a file, it is the manifest that is wrong.
        failures = [f for f in failures if witnesses.get(f.path) != f.found]
        known = {f.path for f in failures}
        failures += [
            Failure(path, witnesses[path], files[path], artefacts.figures(path, plan))
            for path in found
            if path not in known and witnesses.get(path, files[path]) != files[path]
        ]
        stages.append(Stage(name, f"{len(mine):,} files", failures))
    return stages


def sound(one: Manifest, data: bytes, plan: Plan, files: dict[str, str]) -> Stage:
    """The manifest: its own digest, its spelling, and what the records in the files say of it."""
    failures = []
    if not manifest.is_sound(one, data):
        expected = manifest.signed(one).digest
        failures = [Failure(artefacts.MANIFEST, expected, one.digest, list(plan.figures))]
    witnesses = seen(plan)
    for path, digest in one.files.items():
        if digest != files.get(path) and witnesses.get(path) == files.get(path, ""):
            wrong = f"{artefacts.MANIFEST}: {path}"
            failures.append(Failure(wrong, witnesses[path], digest, artefacts.figures(path, plan)))
    known = {*one.files, artefacts.MANIFEST}
    missing = sorted({*artefacts.outputs(plan), artefacts.PICTURES} - known)
    missing = [path for path in missing if not (plan.root / path).is_dir()]
    failures += [
        Failure(f"{artefacts.MANIFEST}: {path}", "a digest", ABSENT, artefacts.figures(path, plan))
        for path in missing
    ]
    return Stage("manifest", f"{len(one.files):,} digests", failures)


def seen(plan: Plan) -> dict[str, str]:
    """Path → SHA-256 as the records in specs and grids have it, whose figure's id is right."""
    found: dict[str, str] = {}
    for name in plan.figures:
        try:
            whole = json.loads((plan.root / f"results/specs/{name}.vl.json").read_bytes())
            record = whole["usermeta"]["heatproof"]
            if spec.figure_id(whole) != record["id"]:
                continue
            found |= {
                **record["tables"],
                **record["logs"],
                record["grid"]["path"]: record["grid"]["sha256"],
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # told by its digest
    return found


def picture(given: str, one: Manifest, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against the one that was made."""
    found = identify.find(given, plan.root)
    name = f"results/figures/{found.figure}{PurePosixPath(given).suffix}"
    if found.figure not in plan.figures:
        raise Error(f"{given} shows {found.figure!r}, which is no figure of config.yaml")
    if name not in one.files:
        return Stage("picture", f"{found.figure}, found {found.how}", [])
    failures = compare(
        {given: one.files[name]}, {given: made.sha256(given)}, lambda _: [found.figure]
    )
    return Stage("picture", f"{found.figure}, found {found.how}", failures)
