"""verify: the results themselves, against the manifest and the records inside each other."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from heatproof import hashed, held, paths, provenance
from heatproof.charts import spec
from heatproof.errors import Error
from heatproof.proof import artefacts, identify, manifest
from heatproof.proof.checks import ABSENT, Failure, Stage, compare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.plan import Plan
    from heatproof.proof.manifest import Manifest

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
    return {path: hashed.sha256(place) for path, place in places.items() if place.is_file()}


def results(one: Manifest, plan: Plan, files: dict[str, str]) -> list[Stage]:
    """The files of each stage against the manifest, and against the stage after them."""
    witnesses = seen(one, plan, files)
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
    witnesses = seen(one, plan, files)
    for path, digest in one.files.items():
        if digest != files.get(path) and witnesses.get(path) == files.get(path, ""):
            wrong = f"{artefacts.MANIFEST}: {path}"
            failures.append(Failure(wrong, witnesses[path], digest, artefacts.figures(path, plan)))
    known = {*one.files, artefacts.MANIFEST}
    missing = sorted({*artefacts.outputs(plan)} - known)
    missing = [path for path in missing if not (plan.root / path).is_dir()]
    failures += [
        Failure(f"{artefacts.MANIFEST}: {path}", "a digest", ABSENT, artefacts.figures(path, plan))
        for path in missing
    ]
    return Stage("manifest", f"{len(one.files):,} digests", failures)


def seen(one: Manifest, plan: Plan, files: dict[str, str]) -> dict[str, str]:
    """Path → SHA-256 as told beside the manifest: by the crate, and of grids by the specs."""
    crate = artefacts.CRATE
    found = _described(plan.root / crate) if one.files.get(crate) == files.get(crate) else {}
    for record in _records(plan):
        found[record["grid"]["path"]] = record["grid"]["sha256"]
    return found


def _described(crate: Path) -> dict[str, str]:
    """The digests in the crate."""
    try:
        entities = json.loads(crate.read_bytes())["@graph"]
        return {entity["name"]: entity["sha256"] for entity in entities if "sha256" in entity}
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # told by its digest


def _records(plan: Plan) -> Iterator[dict[str, Any]]:
    """The records of figures, out of specs whose figure's id is right."""
    for name in plan.figures:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            # What is damaged is told by its digest.
            whole = json.loads((plan.root / paths.spec(name)).read_bytes())
            record = whole["usermeta"]["heatproof"]
            if spec.figure_id(whole) == record["id"]:
                yield record


def shown(one: Manifest, plan: Plan, files: dict[str, str]) -> Stage:
    """The logs that figures were made of, by their records, against those read into the tables."""
    failures, number = [], 0
    held_in = cache(held.read)
    for record in _records(plan):
        name = record["figure"]
        counts = plan.counts(name)
        if any(files.get(path) != one.files.get(path) for path in counts):
            continue  # told with the tables
        found = held.shown((held_in(plan.root / path) for path in counts), plan.figures[name])
        number += 1
        told, now = (
            f"{of['count']:,} logs, blake3 {of['blake3']}"
            for of in (record["logs"], provenance.logs(found))
        )
        failures += [Failure(paths.spec(name), now, told, [name])] if told != now else []
    return Stage("shown", f"the logs of {number:,} figures", failures)


def picture(given: str, one: Manifest, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against the one that was made."""
    found = identify.find(given, plan.root)
    name = paths.picture(found.figure, PurePosixPath(given).suffix[1:])
    if found.figure not in plan.figures:
        raise Error(f"{given} shows {found.figure!r}, which is no figure of config.yaml")
    if name not in one.files:
        return Stage("picture", f"{found.figure}, found {found.how}", [])
    failures = compare(
        {given: one.files[name]}, {given: hashed.sha256(given)}, lambda _: [found.figure]
    )
    return Stage("picture", f"{found.figure}, found {found.how}", failures)
