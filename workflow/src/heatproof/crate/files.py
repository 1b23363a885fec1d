"""What is known of the files that a crate tells of: digest and size of each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from heatproof.plan import code
from heatproof.provenance import made
from heatproof.samples import outcome
from heatproof.util import hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from heatproof.crate.jobs import Job

LICENSE = "LICENSE"
INDEX = made.FOLDER / "crate.json"


class Known(NamedTuple):
    """What is known of a file."""

    digest: str
    size: int
    kind: str = "sha256"
    """Of the digest."""


def beside() -> dict[str, str]:
    """Path → SHA-256 of what lies beside the workflow's code: its licence and its pins."""
    paths = {name: code.REPOSITORY / name for name in (LICENSE, pins.NAME)}
    return {name: hashed.sha256(path) for name, path in paths.items() if path.is_file()}


def read(jobs: Sequence[Job], root: Path) -> tuple[dict[str, Known], dict[str, list[str]]]:
    """What is known of the files of jobs, and what is in the folders that they make.

    Raises:
        Error: there is a log that no job has read.
    """
    named = {
        path
        for job in jobs
        for side in (job.inputs, job.outputs)
        for paths in side.values()
        for path in paths
    }
    folders = {
        path: made.files(path.rstrip("/"), root) for path in sorted(named) if path.endswith("/")
    }
    logs = _logs(jobs, root)
    paths = {path for path in named - logs.keys() if path not in folders}.union(*folders.values())
    index = hashed.Index(root / INDEX, hashed.sha256)
    digests = index.digests(sorted(paths), root)
    index.save()
    files = {path: Known(digest, _size(root, path)) for path, digest in digests.items()}
    return files | logs, folders


def _logs(jobs: Iterable[Job], root: Path) -> dict[str, Known]:
    """What is known of raw logs, from those that read them: they may be too long to read again."""
    found: dict[str, Known] = {}
    for job in jobs:
        if read := job.inputs.get("logs"):
            (manifest,) = job.outputs["manifest"]
            told = outcome.known(root / manifest)
            if new := [path for path in read if path not in told]:
                raise Error(f"{new[0]} came while the logs were read; run snakemake again")
            found |= {path: Known(*told[path], "blake3") for path in read}
    return found


def _size(root: Path, path: str) -> int:
    return os.path.getsize(os.path.join(root, path))  # a Path takes longer to make than to ask
