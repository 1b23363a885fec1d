"""Whether all is there that a run needs: what is installed, the config, the logs, the results."""

from __future__ import annotations

import platform
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from heatproof import __version__
from heatproof.config import paths
from heatproof.logs.raw import POINTER
from heatproof.provenance import clean, record, why
from heatproof.util import repository
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.plan.plan import Plan

TRIED = (3, 11), (3, 14)
"""The first and the last Python that is tested."""
LEAST = 1 << 30
"""Bytes that should be free: figures take little, tables of long logs and their sorting more."""
MOST = 3
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
    tested = f"{platform.python_version()}; {first} to {last} are tested"
    yield Finding("python", tested, TRIED[0] <= sys.version_info[:2])
    yield _packages()
    free = shutil.disk_usage(folder).free
    yield Finding("disk", f"{free / 1e9:.1f} GB free here", free > LEAST)


def _packages() -> Finding:
    """Installed versions beside the pinned ones, by which all that is promised was tested."""
    needed = ["snakemake", "polars", "pyarrow", "altair", "vl-convert-python"]
    installed = repository.installed
    lacking = [name for name in needed if not installed(name)]
    pinned = {name: pin for name, pin in repository.pinned().items() if installed(name)}
    if not pinned:
        versions = (f"{name} {installed(name) or 'missing'}" for name in needed)
        return Finding("packages", ", ".join(versions), not lacking)
    other = [
        f"{name} {installed(name)} (pinned: {pin})"
        for name, pin in pinned.items()
        if installed(name) not in pin.split(" or ")
    ]
    words = f"{len(pinned) - len(other)} of {len(pinned)} as pinned in {repository.PINS}"
    words += f"; {_some(other)}" if other else ""
    words += f"; missing: {', '.join(lacking)}" if lacking else ""
    return Finding("packages", words, not other and not lacking)


def project(plan: Plan) -> Iterator[Finding]:
    """Sources and figures of a config, and what stands of their results."""
    for name in sorted(plan.sources):
        yield _source(name, plan)
    for name in plan.figures:
        yield _figure(name, plan)
    if (plan.root / "results").is_dir():
        orphans = clean.orphans(plan)
        words = f"{numbered(len(orphans), 'file')} that no job makes"
        words += f": {_some(orphans)}; heatproof clean" if orphans else ""
        yield Finding("strays", words, not orphans)


def _source(name: str, plan: Plan) -> Finding:
    if name not in plan.shards:
        return Finding(f"source {name}", "no figure shows it: its logs are not looked at")
    logs = [log for shard in plan.logs[name].values() for log in shard]
    pointers = []
    for log in logs:
        with (plan.root / log).open("rb") as file:
            pointers += [log] if file.read(len(POINTER)) == POINTER else []
    words = f"{plan.sources[name].format}, {numbered(len(logs), 'log')}"
    if pointers:
        words += f"; git-LFS pointers, not logs: {_some(pointers)}; git lfs pull"
    return Finding(f"source {name}", words, not pointers)


def _figure(name: str, plan: Plan) -> Finding:
    """What stands of a figure: whether it is up to date, and how many of its cells have a value."""
    grid = plan.root / paths.grid(name)
    if not grid.is_file():
        return Finding(f"figure {name}", "not drawn yet")
    try:
        cells = record.read_grid(grid)[0]
    except Error as error:
        return Finding(f"figure {name}", str(error), False)
    words = ""
    if "value" in cells.columns:
        words = f"{cells['value'].count()} of {numbered(len(cells), 'cell')} with a value; "
        if "expected" in cells.columns:
            short = cells.filter(cells["epochs"] < cells["expected"]).height
            words += f"{short} incomplete; " if short else ""
    with suppress(Error):  # without a record of the last run nothing tells it
        words += "to be made anew" if why.answer(plan, name).reasons else "up to date"
    return Finding(f"figure {name}", words.removesuffix("; ") or "drawn")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def text(findings: list[Finding]) -> str:
    """The findings as lines; what is wrong begins with an exclamation mark."""
    width = max(len(finding.part) for finding in findings)
    lines = [f"{' ' if good else '!'} {part:{width}}  {words}" for part, words, good in findings]
    bad = sum(not finding.good for finding in findings)
    end = f"{numbered(bad, 'thing')} to mend, marked with !" if bad else "all is well"
    return "\n".join([*lines, end])
