"""verify: the results themselves, against the manifest and the records inside each other."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from heatproof.config import paths
from heatproof.proof.checks import ABSENT, Failure, Stage, compare
from heatproof.provenance import artefacts, identify, manifest
from heatproof.util import hashed, regular
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest

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


def results(
    one: Manifest, plan: Plan, files: dict[str, str], told: Mapping[str, str]
) -> list[Stage]:
    """The files of each stage against the manifest, and against what is `told` beside it."""
    stages = []
    for name in KINDS:
        mine = {path: digest for path, digest in one.files.items() if kind(path) == name}
        found = {path: files[path] for path in mine if path in files}
        lies = {path: regular.other(plan.root / path) for path in mine if path not in files}
        failures = compare(mine, found, lambda path: artefacts.figures(path, plan))
        # Where the next stage confirms a file, it is the manifest that is wrong.
        failures = [f for f in failures if told.get(f.path) != f.found]
        for failure in failures:
            failure.found = lies.get(failure.path, failure.found)  # a folder, say
        known = {f.path for f in failures}
        failures += [
            Failure(path, told[path], files[path], artefacts.figures(path, plan))
            for path in found
            if path not in known and told.get(path, files[path]) != files[path]
        ]
        stages.append(Stage(name, f"{len(mine):,} files", failures))
    return stages


def sound(
    one: Manifest, data: bytes, plan: Plan, files: dict[str, str], told: Mapping[str, str]
) -> Stage:
    """The manifest: its own digest, its spelling, and what is `told` beside it."""
    failures = []
    if not manifest.is_sound(one, data):
        expected = manifest.signed(one).digest
        failures = [Failure(artefacts.MANIFEST, expected, one.digest, list(plan.figures))]
    for path, digest in one.files.items():
        if digest != files.get(path) and told.get(path) == files.get(path, ""):
            wrong = f"{artefacts.MANIFEST}: {path}"
            failures.append(Failure(wrong, told[path], digest, artefacts.figures(path, plan)))
    known = {*one.files, artefacts.MANIFEST}
    missing = sorted({*artefacts.outputs(plan)} - known)
    missing = [path for path in missing if not (plan.root / path).is_dir()]
    failures += [
        Failure(f"{artefacts.MANIFEST}: {path}", "a digest", ABSENT, artefacts.figures(path, plan))
        for path in missing
    ]
    return Stage("manifest", f"{len(one.files):,} digests", failures)


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
