"""why: what of the programs is not as it was at the last build, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.plan import code, stages
from heatproof.provenance import identify, made, manifest
from heatproof.util import hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.plan.plan import Plan

ORDER = ("reconstruct", "normalize", "aggregate", "bundle", "draw")
"""Stages before a figure's files; where one is redone, so are those after it."""


class Reason(NamedTuple):
    """An input that is not what it was at the last build."""

    stage: str
    """The first stage that reads it."""
    what: str
    """What changed, in words."""
    shard: str = ""


def modules(plan: Plan, stage: str, figure: str) -> list[str]:
    """Modules that a stage of a figure starts from."""
    entry = plan.figures[figure]
    reads = stage == "normalize"
    return stages.modules(stage, [plan.sources[entry.source].format if reads else entry.kind])


def _stages(plan: Plan, figure: str) -> list[str]:
    made_up = plan.sources[plan.figures[figure].source].reconstruct
    return [stage for stage in ORDER if made_up or stage != "reconstruct"]


def code_of(one: manifest.Manifest, plan: Plan, figure: str) -> Iterator[Reason]:
    """Files of the library and of the workflow that are not as they were."""
    told: set[str] = set()
    build, record, now = one.build, _record(one, plan, figure), plan.codes(figure)
    for stage in _stages(plan, figure):
        if stage in record and record[stage] == now.get(stage):
            continue  # of a kind's file, each stage counts its own part
        for name, path in sorted(code.files(modules(plan, stage, figure), stage).items()):
            if name not in told and build["code"].get(name) != hashed.sha256(path):
                told.add(name)
                yield Reason(stage, f"{name} changed")


def _record(one: manifest.Manifest, plan: Plan, figure: str) -> dict[str, str]:
    """Stage → digest of its code, as the spec has it that the manifest tells of; else none."""
    path = paths.spec(figure)
    if made.contents(path, plan.root) != {path: one.files.get(path)}:
        return {}
    try:
        return dict(identify.of_spec(figure, plan.root)["code"])
    except (Error, KeyError):
        return {}


def packages(build: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    """Packages that are not installed, or not pinned, as they were."""
    told: set[str] = set()
    for stage in _stages(plan, figure):
        for name in stages.STAGES[stage][1]:
            was = build["environment"].get(name, ""), build["pins"].get(name, "")
            now = pins.installed(name), pins.pin(name)
            if name not in told and was != now:
                told.add(name)
                which = "installed" if was[0] != now[0] else "pinned"
                old, new = (was[0], now[0]) if was[0] != now[0] else (was[1], now[1])
                yield Reason(
                    stage, f"{name} is {which} as {new or 'nothing'}, was {old or 'nothing'}"
                )
