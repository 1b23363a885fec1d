"""results/manifest.json: digests of all that was made, and of all that it was made of."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.plan import called
from heatproof.plan.stages import STAGES
from heatproof.provenance import artefacts, made
from heatproof.util import canonical, hashed, pins, regular
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
    printed = [
        path
        for name in plan.shards
        for path in (plan.sources[name].reconstruct, plan.sources[name].means)
        if path
    ]
    return {
        "code": artefacts.code_digests(),
        "config": configured(plan),
        "snakefile": called.snakefile(plan.root),
        "environment": {name: pins.installed(name) for name in libraries},
        "pins": {name: pins.pin(name) for name in libraries},
        "requirements": requirements(),
        "printed": {path: hashed.sha256(plan.root / path) for path in printed},
        "beside": {path: digest for name in plan.shards
                   for path, digest in plan.beside(name).items()},
    }  # fmt: skip


def configured(plan: Plan) -> dict[str, dict[str, Any]]:
    """The entries of config.yaml that something is made of, with all their defaults."""
    sources = {name: msgspec.to_builtins(plan.sources[name]) for name in plan.shards}
    return {"sources": sources, "figures": plan.entries}


def requirements() -> str:
    """SHA-256 of the file of pins; empty where there is none."""
    return hashed.sha256(pins.FILE) if pins.FILE.is_file() else ""


def of(
    given: dict[str, Any], outputs: Iterable[str], root: Path, known: Mapping[str, str]
) -> Manifest:
    """The manifest of what lies below `root`; `known`: path → digest, where it is taken already."""
    paths = [path for output in outputs for path in made.files(output, root)]
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
    path = root / artefacts.MANIFEST
    try:
        return msgspec.json.decode(regular.read(path), type=Manifest)
    except OSError:
        what = regular.other(path) or "not to be read"
        part = ", so nothing was built, or a part only" if what == regular.ABSENT else ""
        raise Error(f"{artefacts.MANIFEST} is {what}{part}: run snakemake") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Error(f"{artefacts.MANIFEST}: not a manifest: {error}") from None


def forget_absent(outputs: Iterable[str], root: Path) -> None:
    """Where results were removed with their manifest, what is gone counts as never made.

    Otherwise, what a later run is not asked for would be taken for lost.
    """
    if regular.other(root / artefacts.MANIFEST) == regular.ABSENT:
        for output in outputs:
            if not made.files(output, root):
                made.forget(output, root)


def is_sound(one: Manifest, data: bytes) -> bool:
    """Whether the bytes of a manifest are what its content says."""
    return signed(one).digest == one.digest and text(one).encode() == data
