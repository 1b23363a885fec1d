"""The stages of a run: the code that each starts from, and the libraries that shape its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import code, config

if TYPE_CHECKING:
    from collections.abc import Iterable

STAGES: dict[str, tuple[list[str], list[str]]] = {
    "reconstruct": (["heatproof.reconstruction"], []),
    "normalize": (
        ["heatproof.reading.normalize", "heatproof.reading.logs", "heatproof.counting"],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "aggregate": (
        ["heatproof.near", "heatproof.systematic", "heatproof.tables"],
        ["polars", "numpy"],
    ),
    "draw": (
        ["heatproof.charts.spec"],
        ["polars", "altair", "uharfbuzz", "font-source-sans-pro"],
    ),
    "bundle": (["heatproof.files.html"], ["vl-convert-python"]),
    "export": (
        ["heatproof.files.export", *(f"heatproof.files.{name}" for name in config.FORMATS)],
        ["vl-convert-python", "pikepdf", "uharfbuzz", "font-source-sans-pro", "jinja2"],
    ),
    "numbers": (["heatproof.gallery.told", "heatproof.near"], ["polars"]),
    "check_published": (["heatproof.agreement"], ["polars"]),
    "compare_printed": (
        [f"heatproof.printed.{name}" for name in ("moments", "pairing", "told")],
        ["isal", "msgspec", "numpy", "pyarrow"],
    ),
    "gallery": (
        [
            *(f"heatproof.gallery.{name}" for name in ("audit", "cards", "gallery")),
            "heatproof.printed.told",
            "heatproof.summary",
        ],
        ["jinja2"],
    ),
    "pictures": (["heatproof.proof.pictures"], ["vl-convert-python"]),
    "seal": (
        [
            *(f"heatproof.crates.{name}" for name in ("crate", "files", "jobs")),
            "heatproof.proof.manifest",
        ],
        ["snakemake"],
    ),
}
"""Stage → modules of the library it starts from, other libraries that shape its output."""

ROOMS = {
    "normalize": ("readers",),
    "compare_printed": ("readers",),
    "aggregate": ("figures",),
    "draw": ("figures",),
    "numbers": ("figures", "numbers", "gallery.tables", "gallery.evidence"),
    "gallery": ("figures",),
}
"""Stage → packages in which it finds a module by the name of a format or of a figure kind."""


TAKES = {"aggregate": "Entry,aggregate", "draw": "Entry,draw"}
"""What a stage takes of a figure kind's module; the others take `Entry` alone."""


def modules(stage: str, names: Iterable[str]) -> list[str]:
    """Where a stage starts from, for formats or kinds of these names; see `code.digest`."""
    taken = f":{TAKES.get(stage, 'Entry')}"
    found = {
        code.named(f"heatproof.{room}", name) + (taken if room == "figures" else "")
        for room in ROOMS.get(stage, ())
        for name in names
    }
    return [*STAGES[stage][0], *sorted(found)]


def digest(stage: str, names: Iterable[str]) -> str:
    """Digest of all that a stage runs, for formats or kinds of these names."""
    return code.digest(tuple(modules(stage, names)), tuple(STAGES[stage][1]), stage)
