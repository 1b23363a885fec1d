"""verify: what results are made of (config, code, versions, logs) against the build."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from heatproof.config import paths
from heatproof.logs import logs
from heatproof.plan import called
from heatproof.plan import code as library
from heatproof.proof.checks import ABSENT, Failure, Stage, compare, differing
from heatproof.provenance import artefacts, manifest
from heatproof.util import hashed, pins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest


def config(one: Manifest, plan: Plan) -> Stage:
    """The entries of config.yaml, key by key; comments and order do not matter."""
    failures = []
    now = manifest.configured(plan)
    for section, entries in now.items():
        old = one.build["config"][section]
        for name in sorted(old.keys() | entries.keys()):
            touched = [name] if section == "figures" else artefacts.of_source(name, plan)
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
    found, shaping = artefacts.code_digests(), artefacts.code_files(plan)
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
    failures += compare(one.build["printed"], printed, lambda _: list(plan.figures))
    beside = one.build.get("beside", {})
    kept = {path: hashed.of_log(plan.root / path) for path in beside
            if (plan.root / path).is_file()}  # fmt: skip
    failures += compare(beside, kept, lambda _: [])
    number += len(beside)
    return Stage("logs", f"{number:,} files, {size / 1e6:,.1f} MB", failures)


def _shown_by(source: str, plan: Plan) -> Callable[[str], list[str]]:
    return lambda path: artefacts.of_log(path, source, plan)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)
