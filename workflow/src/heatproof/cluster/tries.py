"""Which Slurm job a job of the workflow was last begun in: so can be asked how that one ended."""

from __future__ import annotations

import os
from pathlib import Path

from heatproof.util.swap import swap

FOLDER = Path(".snakemake/heatproof/tries")
JOB = "HEATPROOF_SLURM_JOB"
"""Environment variable: the number of the Slurm job. What Slurm itself tells is taken from the
processes that a job starts."""


def tell() -> None:
    """Let the processes of this Slurm job know its number."""
    if number := os.environ.get("SLURM_JOB_ID"):
        os.environ[JOB] = number


def begin(log: str, root: Path = Path()) -> None:
    """Note in which Slurm job a job of the workflow begins, known by its log file."""
    if JOB not in os.environ:
        return
    place = _place(log, root)
    place.parent.mkdir(parents=True, exist_ok=True)
    with swap(place) as part:
        part.write_text(os.environ[JOB])


def last(log: str, root: Path = Path()) -> str:
    """Number of the Slurm job that a job was last begun in; empty if there is none."""
    try:
        return _place(log, root).read_text()
    except FileNotFoundError:
        return ""


def forget(root: Path = Path()) -> None:
    """At the start of a run: what earlier runs noted is of no use."""
    for place in (root / FOLDER).glob("*") if (root / FOLDER).is_dir() else ():
        place.unlink(missing_ok=True)


def _place(log: str, root: Path) -> Path:
    return root / FOLDER / log.replace("/", "_")
