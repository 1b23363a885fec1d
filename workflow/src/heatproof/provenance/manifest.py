"""results/manifest.json: digests of all that was made, and of all that it was made of.

`artefacts` knows every file that a run makes, and the figures that each of them touches.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.logs import logs
from heatproof.plan import called, code_digest
from heatproof.plan.code_digest import STAGES, stage_modules
from heatproof.provenance import receipts
from heatproof.samples import shard_index
from heatproof.util import canonical, hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from heatproof.plan.plan import Plan


class Manifest(msgspec.Struct):
    """results/manifest.json."""

    build: dict[str, Any]
    """What the results were made of, but the logs: see `build`."""
    files: dict[str, str]
    """Path → SHA-256 of everything made."""
    digest: str = ""
    """SHA-256 of the two above, so that a change of the manifest itself shows."""


def build(plan: Plan) -> dict[str, Any]:
    """What results are made of, as plain values; logs are known by the manifests of the tables.

    Files `beside` them, in which a harness printed numbers, are known by BLAKE3, as logs are.
    """
    libraries = sorted({name for _, names in STAGES.values() for name in names})
    printed = sorted({path for one in plan.checks for path in one.given.values()})
    return {
        "code": code_digests(),
        "config": configured(plan),
        "snakefile": called.snakefile(plan.root),
        "environment": {name: pins.installed(name) for name in libraries},
        "pins": {name: pins.pin(name) for name in libraries},
        "requirements": requirements(),
        "printed": {path: hashed.sha256(plan.root / path) for path in printed},
        "beside": {path: digest for name in plan.shards
                   for path, digest in plan.beside(name).items()},
        "fonts": {path: digest for name in plan.figures
                  for path, digest in plan.fonts(name).items()},
    }  # fmt: skip


def configured(plan: Plan) -> dict[str, dict[str, Any]]:
    """The entries of config.yaml that something is made of, with all their defaults."""
    sources = {name: msgspec.to_builtins(plan.sources[name]) for name in plan.shards}
    others = {
        section: {name: msgspec.to_builtins(said[name]) for name in said if name in plan.shards}
        for section, said in plan.config.others.items()
    }
    return {"sources": sources, "figures": plan.entries, **others}


def requirements() -> str:
    """SHA-256 of the file of pins; empty where there is none."""
    return hashed.sha256(pins.FILE) if pins.FILE.is_file() else ""


def of(
    given: dict[str, Any], outputs: Iterable[str], root: Path, known: Mapping[str, str]
) -> Manifest:
    """The manifest of what lies below `root`; `known`: path → digest, where it is taken already."""
    paths = [path for path in outputs if receipts.is_there(path, root)]
    files = {path: known.get(path) or hashed.sha256(root / path) for path in paths}
    return signed(Manifest(given, files))


def signed(one: Manifest) -> Manifest:
    """The manifest with its own digest."""
    plain = canonical.text({"build": one.build, "files": one.files})
    return msgspec.structs.replace(one, digest=hashlib.sha256(plain.encode()).hexdigest())


def text(value: Any) -> str:
    """JSON to be read by people too: sorted, a line each."""
    plain = msgspec.to_builtins(value)
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read(root: Path) -> Manifest:
    """The manifest of the last build.

    Raises:
        Error: there is none, or it is no manifest.
    """
    path = root / MANIFEST
    try:
        return msgspec.json.decode(hashed.read(path), type=Manifest)
    except OSError:
        what = hashed.other(path) or "not to be read"
        part = ", so nothing was built, or a part only" if what == hashed.ABSENT else ""
        raise Error(f"{MANIFEST} is {what}{part}: run snakemake") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Error(f"{MANIFEST}: not a manifest: {error}; run snakemake") from None


def forget_absent(outputs: Iterable[str], root: Path) -> None:
    """Where results were removed with their manifest, what is gone counts as never made.

    Otherwise, what a later run is not asked for would be taken for lost.
    """
    if hashed.other(root / MANIFEST) == hashed.ABSENT:
        for output in outputs:
            if not receipts.is_there(output, root):
                receipts.forget(output, root)


def is_sound(one: Manifest, data: bytes) -> bool:
    """Whether the bytes of a manifest are what its content says."""
    return signed(one).digest == one.digest and text(one).encode() == data


MANIFEST = "results/manifest.json"
"""Digests of all other files, and of what they were made of."""
CRATE = "results/ro-crate-metadata.json"
"""The run as an RO-Crate; it tells of all the others, but for the manifest."""
READING = ("normalize", "compare_printed")
"""Stages that run the reader of a format."""
PICTURES = "results/figures.json"
"""Digests of the pixels of all figures."""


def outputs(plan: Plan) -> list[str]:
    """What jobs make, but the manifest."""
    tables = plan.samples()
    return [
        *tables,
        *(paths.rejected(path) for path in tables),
        *(paths.counts(path) for path in tables),
        *plan.manifests(),
        *plan.grids(),
        *(paths.behind(name) for name in plan.figures),
        *plan.specs(),
        *([paths.LIBRARY] if plan.has_pages(list(plan.figures)) else []),
        *plan.files(),
        *plan.numbers(),
        *plan.captions(),
        *plan.checking(),
        *(paths.printed(name, form) for name in plan.comparable() for form in paths.COMPARISON),
        PICTURES,
        paths.PAGE,
        paths.README,
        *paths.SUMMARY,
        CRATE,
    ]


def described(plan: Plan) -> list[str]:
    """What the crate tells of: all but the files that are made with it."""
    return [path for path in outputs(plan) if path != CRATE]


def everything(plan: Plan) -> list[str]:
    """All that a run makes."""
    return [*outputs(plan), MANIFEST]


def misplaced(plan: Plan) -> list[str]:
    """What lies where a result belongs and is no file, or no folder where one belongs: in words."""
    paths, found = everything(plan), []
    above = {str(place) for path in paths for place in PurePosixPath(path).parents} - {"."}
    for path in [*sorted(above), *paths]:
        what = hashed.other(plan.root / path)
        folder = path in above
        if what not in ("" if not folder else "a folder", *hashed.NOTHING):
            found.append(f"{path} is {what or 'a file'}, not {'a folder' if folder else 'a file'}")
    return found


def require_places(plan: Plan) -> None:
    """Stop before any job where something lies in the place of a result that no job can replace.

    Raises:
        Error: a line for each such place, and what to do.
    """
    if found := misplaced(plan):
        raise Error("\n".join([*found, "move it away (or remove it) and run snakemake again"]))


def damaged(plan: Plan) -> list[str]:
    """What is there but not as it was made; the next run makes it again."""
    return receipts.damaged(everything(plan), plan.root)


def code_files(plan: Plan) -> dict[str, Path]:
    """The files of the repository that shape the results: library, scripts, rules."""
    found: dict[str, Path] = {}
    formats = [one for name in plan.shards for one in plan.sources[name].formats()]
    for stage in STAGES:
        found |= code_digest.files(
            stage_modules(stage, formats if stage in READING else plan.kinds), stage
        )
    rules = [
        code_digest.REPOSITORY / "Snakefile",
        *(code_digest.SCRIPTS.parent / "rules").glob("*.smk"),
    ]
    found |= {code_digest.name(path): path for path in rules if path.is_file()}
    return dict(sorted(found.items()))


def code_digests() -> dict[str, str]:
    """Path in the repository → SHA-256, of all that runs or says how: see `code.program`."""
    return {name: hashed.sha256(path) for name, path in code_digest.program().items()}


def figures(path: str, plan: Plan) -> list[str]:
    """Figures whose numbers or looks hang on a file of the results, or on a log."""
    parts = PurePosixPath(path).parts
    named = PurePosixPath(path).name
    if parts[0] != "results":
        return list(plan.figures)
    if parts[1] in ("grids", "specs", "figures") or (parts[1] == "tables" and len(parts) == 3):
        end = PurePosixPath(named).suffix
        ends = (".vl.json", f".caption{end}", end, *(f".{end}" for end in FORMATS.values()))
        stems = {named.removesuffix(end) for end in ends}
        return [name for name in plan.figures if name in stems]
    if parts[1] in ("tables", "counts"):
        return of_source(parts[2], plan)
    if checks := [one for one in plan.checks if path in one.outputs.values()]:
        return of_source(checks[0].source, plan)
    if path == paths.LIBRARY:
        return [name for name in plan.figures if plan.has_pages([name])]
    return []


def of_log(path: str, source: str, plan: Plan) -> list[str]:
    """Figures that may show a log, as far as its path tells; of a sidecar it tells nothing."""
    entry, shown = plan.sources[source], of_source(source, plan)
    if not logs.matches(entry, path):
        return shown
    told = entry.from_path(path)
    return [name for name in shown if shard_index.may_show(told, plan.figures[name])]


def of_source(source: str, plan: Plan) -> list[str]:
    """Figures that show a source."""
    return [name for name, entry in plan.figures.items() if entry.source == source]
