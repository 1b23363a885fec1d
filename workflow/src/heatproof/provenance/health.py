"""Whether all is there that a run needs: what is installed, the config, the logs, the results."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof import __version__
from heatproof.charts import typefaces
from heatproof.config import paths
from heatproof.logs.raw import POINTER
from heatproof.provenance import checks, clean, why
from heatproof.util import pins
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.plan.plan import Plan

TRIED = (3, 11), (3, 14)
"""The first and the last Python that is tested."""
LEAST = 1 << 30
"""Bytes that should be free: figures take little, tables of long logs and their sorting more."""
NAMED = 3
"""Files that are named of more."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    part: str
    text: str
    good: bool = True


def installation(folder: Path) -> Iterator[Finding]:
    """What is installed, and the machine. `folder`: where results would lie."""
    yield Finding("heatproof", __version__)
    first, last = (".".join(map(str, version)) for version in TRIED)
    here = sys.version_info[:2]
    said = f"{platform.python_version()}; {first} to {last} are tested"
    yield Finding("python", said, TRIED[0] <= here)
    yield _packages()
    yield _bytecode()
    yield _typefaces()
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("cores", f"{allowed}")
    free = shutil.disk_usage(folder).free
    yield Finding("disk", f"{free / 1e9:.1f} GB free here", free > LEAST)


def _packages() -> Finding:
    """Installed versions beside the pinned ones, by which all that is promised was tested."""
    if not pins.pinned():
        found = ["snakemake", "polars", "pyarrow", "altair", "vl-convert-python"]
        told = ", ".join(f"{name} {pins.installed(name) or 'missing'}" for name in found)
        return Finding("packages", told, all(map(pins.installed, found)))
    lacking = [name for name in ("snakemake", "polars", "altair") if not pins.installed(name)]
    there = pins.known()
    other = [
        f"{name} {pins.installed(name)} (pinned: {pins.pin(name)})"
        for name in there
        if pins.installed(name) not in pins.pin(name).split(" or ")
    ]
    told = f"{len(there) - len(other)} of {len(there)} as pinned in {pins.NAME}"
    told += f"; {_some(other)}" if other else ""
    told += f"; missing: {', '.join(lacking)}" if lacking else ""
    return Finding("packages", told, not other and not lacking)


def _bytecode() -> Finding:
    """Whether compiled modules are kept, seen by one that is imported by now."""
    if Path(cache_from_source(str(msgspec.__file__))).is_file():
        return Finding("bytecode", "kept")
    folder = Path(msgspec.__file__).parents[1]
    said = (
        "none is kept, and each start takes some seconds more: unset PYTHONDONTWRITEBYTECODE, or "
        f"{sys.executable} -m compileall -q {folder} (uv: --compile-bytecode)"
    )
    return Finding("bytecode", said, good=False)


def _typefaces() -> Finding:
    """Whether each face is drawn."""
    names = [one.family for one in typefaces.TYPEFACES.values()]
    try:
        for one in typefaces.TYPEFACES.values():
            typefaces.register(one)
    except Error as error:
        return Finding("typefaces", str(error), good=False)
    return Finding("typefaces", f"{', '.join(names)}: drawn")


def project(plan: Plan) -> Iterator[Finding]:
    """Sources and figures of a config, and what stands of their results."""
    for name in sorted(plan.sources):
        yield _source(name, plan)
    for name in plan.figures:
        yield _figure(name, plan)
    if (plan.root / "results").is_dir():
        stray = clean.strays(plan)
        told = f"{numbered(len(stray), 'file')} that no job makes"
        told += f": {_some(stray)}; heatproof clean" if stray else ""
        yield Finding("strays", told, not stray)
    held = clean.is_locked(plan.root)
    told = "a run is at work here, or was killed; snakemake --unlock" if held else "none"
    yield Finding("lock", told, not held)


def _source(name: str, plan: Plan) -> Finding:
    if name not in plan.shards:
        return Finding(f"source {name}", "no figure shows it: its logs are not looked at")
    logs = [log for shard in plan.logs[name].values() for log in shard]
    pointers = [log for log in logs if _is_pointer(plan.root / log)]
    told = f"{plan.sources[name].format}, {numbered(len(logs), 'log')}"
    if pointers:
        told += f"; git-LFS pointers, not logs: {_some(pointers)}; git lfs pull"
    return Finding(f"source {name}", told, not pointers)


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(POINTER)) == POINTER


def _figure(name: str, plan: Plan) -> Finding:
    """What stands of a figure: whether it is up to date, and how many of its cells have a value."""
    grid = plan.root / paths.grid(name)
    if not grid.is_file():
        return Finding(f"figure {name}", "not drawn yet")
    try:
        cells = checks.grid(grid)[0]
    except Error as error:
        return Finding(f"figure {name}", str(error), False)
    told = ""
    if "value" in cells.columns:
        known = cells["value"].count()
        told = f"{known} of {numbered(len(cells), 'cell')} with a value; "
        if "expected" in cells.columns:
            short = cells.filter(cells["epochs"] < cells["expected"]).height
            told += f"{short} incomplete; " if short else ""
    with suppress(Error):  # without a record of the last run nothing tells it
        told += "to be made anew" if why.answer(plan, name).reasons else "up to date"
    return Finding(f"figure {name}", told.removesuffix("; ") or "drawn")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def text(found: list[Finding]) -> str:
    """The findings as lines; what is wrong begins with an exclamation mark."""
    width = max(len(one.part) for one in found)
    lines = [f"{' ' if one.good else '!'} {one.part:{width}}  {one.text}" for one in found]
    bad = sum(not one.good for one in found)
    end = f"{numbered(bad, 'thing')} to mend, marked with !" if bad else "all is well"
    return "\n".join([*lines, end])
