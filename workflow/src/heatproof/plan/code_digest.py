"""Know the library's own code by content: a changed module reaches the rules that use it.

`STAGES` says from which code each stage starts, and which libraries shape its output.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof import readers
from heatproof.kinds import api
from heatproof.util import pins, registry, repository
from heatproof.util.pins import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


HERE = repository.LIBRARY
"""Where the library lies."""
TEMPLATES = HERE / "export" / "templates"
REPOSITORY = repository.ROOT
SCRIPTS = REPOSITORY / "workflow" / "scripts"
IMPORT = re.compile(
    r"^\s*from (?P<package>heatproof[\w.]*) import (?P<names>\([^)]*\)|.+)$"
    r"|^\s*import (?P<module>heatproof[\w.]*)",
    re.MULTILINE,
)

TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ ].*\n|\n)+", re.MULTILINE)
"""Imports that never happen."""


@cache
def digest(modules: tuple[str, ...], libraries: tuple[str, ...] = (), script: str = "") -> str:
    """BLAKE3 of modules of this library, of all that they import of it, and of library versions.

    Imports are read from the text, those inside functions too, but for those that only types need;
    nothing is run. `script`: name of the workflow's script, and what it imports counts too.
    """
    text = (SCRIPTS / f"{script}.py").read_bytes() if script else b""
    hasher = blake3(text)
    found = closure(modules, text.decode(errors="replace"))
    for module in sorted(found):
        hasher.update(f"{module}\n".encode() + _source(module))
    for path in sorted(TEMPLATES.iterdir()) if "heatproof.export.pages" in found else ():
        hasher.update(f"{path.name}\n".encode() + path.read_bytes())
    for library in sorted(libraries):
        hasher.update(f"{library} {version(library)} {pins.pin(library)}\n".encode())
    return hasher.hexdigest()


def closure(modules: Iterable[str], script: str = "") -> set[str]:
    """These modules and all of this library that they, and the text of a script, import."""
    found, waiting = set[str](), [*modules, *_imported(script)]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imports(module)
    return found


def files(modules: Iterable[str], script: str) -> dict[str, Path]:
    """What `digest` reads, by its path in the repository: modules, templates and the script."""
    run = SCRIPTS / f"{script}.py"
    found = closure(modules, run.read_text(errors="replace"))
    paths = [path for module in found if (path := _path(module))]
    paths += TEMPLATES.iterdir() if "heatproof.export.pages" in found else ()
    paths += [run]
    return {name(path): path for path in paths}


def name(path: Path) -> str:
    """What a file of ours is called in the repository."""
    return repository.name(path, REPOSITORY, HERE)


BESIDE = ("Snakefile", "pyproject.toml", "environment.yml")
"""Files of the repository that a run hangs on beside the workflow and the profiles."""
IDLE = (".md", ".typed", "~")
"""Endings of files that nothing runs or reads."""


def program() -> dict[str, Path]:
    """All files of the repository that run, or say how, by their paths in it.

    More than shapes the results: what proves them, and what could be imported from beside them.
    """
    places = [REPOSITORY / one for one in BESIDE]
    for folder in (REPOSITORY / "workflow", REPOSITORY / "profiles", *_apart()):
        for at, folders, names in os.walk(folder):
            folders[:] = [one for one in folders if _runs(one) and Path(at, one) != REPOSITORY]
            places += [Path(at, one) for one in names if _runs(one)]
    found = {name(path): path for path in places if path.is_file()}
    return dict(sorted(found.items()))


def _apart() -> Iterator[Path]:
    """Our packages, where they are installed and so no part of the folder `workflow`."""
    if not HERE.is_relative_to(REPOSITORY):
        yield from (HERE.parent / package for package in repository.PACKAGES)


def _runs(name: str) -> bool:
    cached = name == "__pycache__" or name.endswith(".egg-info")
    return not (cached or name.startswith(".") or name.endswith(IDLE))


@cache
def _imports(module: str) -> tuple[str, ...]:
    return _imported(_text(module))


@cache
def _text(module: str) -> str:
    return _source(module).decode(errors="replace")


@cache
def _imported(text: str) -> tuple[str, ...]:
    found: set[str] = set()
    for match in IMPORT.finditer(TYPES.sub("", text)):
        if match["module"]:
            found.add(match["module"])
            continue
        package = match["package"]
        names = re.findall(r"\w+", re.sub(r"#.*|\bas \w+", "", match["names"]))
        inside = {f"{package}.{name}" for name in names if _path(f"{package}.{name}")}
        found |= inside or {package}
        found.add(package)
    return tuple(sorted(name for name in found if _path(name)))


def _path(module: str) -> Path | None:
    return _found(HERE, module)


@cache
def _found(here: Path, module: str) -> Path | None:
    base = here.parent.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _source(module: str) -> bytes:
    path = _path(module)
    return path.read_bytes() if path else b""


STAGES: dict[str, tuple[list[str], list[str]]] = {
    "normalize": (
        ["heatproof.samples.normalize", "heatproof.logs.logs", "heatproof.samples.counting"],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "aggregate": (
        [
            "heatproof.samples.shards_of_figure",
            "heatproof.samples.systematic",
            "heatproof.samples.tables",
        ],
        ["polars", "numpy"],
    ),
    "bundle": (["heatproof.export.html_page"], ["vl-convert-python"]),
    "draw": (
        ["heatproof.charts.spec", "heatproof.gallery.gallery", "heatproof.export.export"],
        [
            *("altair", "polars", "vl-convert-python"),
            *("font-source-sans-pro", "font-source-serif-pro", "jinja2", "pikepdf", "pillow"),
            *("pyarrow", "uharfbuzz"),
        ],
    ),
    "check_published": (["heatproof.paper.published"], ["polars"]),
    "compare_printed": (
        [f"heatproof.printed.{name}" for name in ("moments", "pairing", "told")],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "gallery": (
        [
            *(f"heatproof.gallery.{name}" for name in ("audit", "cards", "gallery")),
            "heatproof.printed.report",
            "heatproof.gallery.summary",
            "heatproof.samples.scorers",
        ],
        ["jinja2"],
    ),
    "pictures": (["heatproof.provenance.pictures"], ["pillow", "vl-convert-python"]),
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
STAGE_PARTS = {
    "aggregate": ("entry", "aggregate", "numbers", "evidence"),
    "draw": ("entry", "draw", "numbers", "caption", "table", "evidence"),
    "gallery": ("entry",),
}
"""Stage → parts of a figure kind that it finds by the kind's name."""


def stage_modules(stage: str, names: Iterable[str]) -> list[str]:
    """Where a stage starts from, for formats or kinds of these names."""
    found = {api.module(name, part) for part in STAGE_PARTS.get(stage, ()) for name in names}
    if stage in READING:
        found |= {registry.module(readers, name) for name in names}
    return [*STAGES[stage][0], *sorted(found)]


def stage_digest(stage: str, names: Iterable[str]) -> str:
    """Digest of all that a stage runs, for formats or kinds of these names."""
    return digest(tuple(stage_modules(stage, names)), tuple(STAGES[stage][1]), stage)
