"""The last words of a run: what was made, of a part too, what was refused, and where to look."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.charts.spec import omitted
from heatproof.config import paths
from heatproof.gallery import summary
from heatproof.proof import strays
from heatproof.provenance import job, manifest
from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.plan.plan import Plan

NAMED = 4
"""Figures, files or targets named at most; of more, their number."""
STAGES = {"grids": "grids", "specs": "specs", "figures": "pictures", "tables": "numbers"}
"""Folder of the results → what of a figure lies in it."""

Seen = dict[str, tuple[int, int]]
"""Path → by what it is seen that a file was put there since: inode, and time in ns."""


def seen(outputs: Iterable[str], root: Path) -> Seen:
    """What is there of `outputs`, paths below `root`."""
    found = {}
    for path in outputs:
        try:
            stat = os.stat(root / path)
        except OSError:
            continue
        found[path] = stat.st_ino, stat.st_mtime_ns
    return found


def asked(settings: Any) -> list[str]:
    """What a run was asked for, as Snakemake's settings have it; nothing, if for everything."""
    found = sorted({*settings.targets} - {"all"})
    found += [f"--until {word}" for word in sorted(settings.until)]
    found += [f"--omit-from {word}" for word in sorted(settings.omit_from)]
    return [*found, *([f"--batch {settings.batch}"] if settings.batch else [])]


def text(plan: Plan, part: Sequence[str], before: Mapping[str, Any]) -> str:
    """What is told at the end of a run in which nothing failed.

    Args:
        plan: what there is to make.
        part: see `asked`.
        before: see `seen`; what was there when the run began.
    """
    every = manifest.everything(plan)
    now = seen(every, plan.root)
    missing = [path for path in every if path not in now]
    read = {
        name: plan.tables_of(name)
        for name in plan.shards
        if not {*_of_source(name, plan)} & {*missing}
    }
    if part or missing:
        new = [path for path in now if now[path] != before.get(path)]
        lines = [*_part(part, new, missing, plan), *_sources(read, new, plan)]
        lines += summary.left_out(_omitted(new, plan))
    else:
        lines = [(plan.root / paths.SUMMARY[1]).read_text().rstrip("\n")]
    idle = [f"  {terminal.name(line)}" for line in plan.unborne()]
    if len(idle) > NAMED:
        idle[NAMED:] = [f"  names that no sample has: {len(idle) - NAMED:,} more"]
    return "\n".join([*lines, *idle, *_strays(strays.of_plan(plan))])


def failure() -> str:
    """What is told at the end of a run in which some job failed; empty if none told why."""
    if not (told := job.text()):
        return ""
    head = "not everything could be made; what was made stays, and the next run goes on from there"
    return f"{head}\n{told}"


def _of_source(name: str, plan: Plan) -> list[str]:
    """What is read to tell of a source."""
    tables = plan.tables_of(name)
    return [told(path) for path in tables for told in (paths.manifest, paths.rejected)]


def _sources(read: Mapping[str, Sequence[str]], new: list[str], plan: Plan) -> list[str]:
    compared = [name for name in read if paths.printed(name, "csv") in new]
    return summary.lines(summary.sources(read, plan.root, compared, plan.figures.values()))


def _omitted(new: list[str], plan: Plan) -> dict[str, list[str]]:
    specs = {name: paths.spec(name) for name in plan.figures}
    return {
        name: omitted(json.loads((plan.root / path).read_text()))
        for name, path in specs.items()
        if path in new
    }


def _part(part: Sequence[str], new: list[str], missing: list[str], plan: Plan) -> list[str]:
    """What was made now, and what is not there, for nobody asked for it."""
    head = f"a part was asked for: {_some(part)}" if part else "not everything is there"
    rest = (
        f"  not built: {parts(missing, plan)}; `snakemake` makes all"
        if missing
        else "  the rest is as earlier runs left it; `snakemake` brings all up to date"
    )
    now = parts(new, plan) or "nothing, it was there"
    return [f"heatproof: {head}", f"  made now: {now}", rest]


def parts(files: Iterable[str], plan: Plan) -> str:
    """Files of the results in words: of which sources and figures, at which stage."""
    samples: dict[str, None] = {}
    stages: defaultdict[str, dict[str, None]] = defaultdict(dict)
    rest = []
    for path in files:
        _, folder, *below = path.split("/")
        if folder == "counts" or (folder == "tables" and len(below) == 2):
            samples[below[0]] = None
        elif folder in STAGES and below:
            stages[STAGES[folder]] |= dict.fromkeys(manifest.figures(path, plan))
        else:
            rest.append(path)
    alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for stage, figures in stages.items():
        alike[tuple(figures)].append(stage)
    said = [f"samples of {_some([*samples])}"] if samples else []
    for names, together in alike.items():
        number = f"{numbered(len(names), 'figure')}: " if len(names) > 1 else ""
        said.append(f"{_listed(together)} of {number}{_some(names)}")
    return "; ".join([*said, *([_some(rest)] if rest else [])])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - NAMED:,} more" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more


def _strays(found: Sequence[str]) -> list[str]:
    """Files that no job makes."""
    if not found:
        return []
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    named = f"{', '.join(map(terminal.name, found[:3]))}{more}"
    return [f"  no part of what config.yaml asks for: {named}; see `heatproof clean`"]
