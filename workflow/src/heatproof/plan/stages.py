"""The stages of a run: the code that each starts from, and the libraries that shape its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import readers
from heatproof.config import entries as config
from heatproof.kinds import api
from heatproof.plan import code
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Iterable

STAGES: dict[str, tuple[list[str], list[str]]] = {
    "reconstruct": (["heatproof.paper.reconstruction"], []),
    "normalize": (
        ["heatproof.samples.normalize", "heatproof.logs.logs", "heatproof.samples.counting"],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "aggregate": (
        ["heatproof.samples.near", "heatproof.samples.systematic", "heatproof.samples.tables"],
        ["polars", "numpy"],
    ),
    "bundle": (["heatproof.export.html"], ["vl-convert-python"]),
    "draw": (
        [
            *("heatproof.charts.spec", "heatproof.gallery.told", "heatproof.export.export"),
            *(f"heatproof.export.{name}" for name in config.FORMATS),
        ],
        [
            *("altair", "polars", "vl-convert-python"),
            *("font-source-sans-pro", "jinja2", "pikepdf", "uharfbuzz"),
        ],
    ),
    "check_published": (["heatproof.paper.agreement"], ["polars"]),
    "compare_printed": (
        [f"heatproof.printed.{name}" for name in ("moments", "pairing", "told")],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "gallery": (
        [
            *(f"heatproof.gallery.{name}" for name in ("audit", "cards", "gallery")),
            "heatproof.printed.told",
            "heatproof.gallery.summary",
        ],
        ["jinja2"],
    ),
    "pictures": (["heatproof.provenance.pictures"], ["vl-convert-python"]),
    "seal": (
        [
            *(f"heatproof.crate.{name}" for name in ("crate", "files", "jobs")),
            "heatproof.provenance.manifest",
        ],
        ["snakemake"],
    ),
}
"""Stage → modules of the library it starts from, other libraries that shape its output."""

READING = ("normalize", "compare_printed")
"""Stages that find a module by the name of a format."""
PARTS = {
    "aggregate": ("entry", "aggregate", "numbers", "evidence"),
    "draw": ("entry", "draw", "numbers", "table", "evidence"),
    "gallery": ("entry",),
}
"""Stage → parts of a figure kind that it finds by the kind's name."""


def modules(stage: str, names: Iterable[str]) -> list[str]:
    """Where a stage starts from, for formats or kinds of these names."""
    found = {api.module(name, part) for part in PARTS.get(stage, ()) for name in names}
    if stage in READING:
        found |= {registry.module(readers, name) for name in names}
    return [*STAGES[stage][0], *sorted(found)]


def digest(stage: str, names: Iterable[str]) -> str:
    """Digest of all that a stage runs, for formats or kinds of these names."""
    return code.digest(tuple(modules(stage, names)), tuple(STAGES[stage][1]), stage)
