"""verify: does everything that a figure rests on still stand, down to the raw logs?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.errors import Error, choices
from heatproof.proof import (
    artefacts,
    identify,
    inputs,
    manifest,
    outputs,
    rebuild,
    strays,
    witnesses,
)
from heatproof.proof.checks import ABSENT, Failure, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.plan import Plan

INPUTS = {"config", "code", "environment", "logs"}
"""Stages without which a new build says nothing of the old one."""


def names(given: Sequence[str], plan: Plan) -> list[str]:
    """The figures that files, ids or names stand for; all, if none is given.

    Raises:
        Error: one of them is no figure of config.yaml.
    """
    found = []
    for one in given:
        name = one if one in plan.figures else identify.find(one, plan.root).figure
        if name not in plan.figures:
            raise Error(
                f"{one}: {name!r} is no figure of config.yaml; {choices(name, plan.figures)}"
            )
        found.append(name)
    return found or list(plan.figures)


def stages(plan: Plan, given: Sequence[str], *, quick: bool = False) -> Iterator[Stage]:
    """One stage after the other, as soon as it is known; only what touches the figures asked for.

    `quick`: rehash only, do not build again.
    """
    wanted = names(given, plan)
    every = set(wanted) == set(plan.figures)
    inputs_stand = True
    for stage in _rehash(plan, given, wanted):
        mine = [f for f in stage.failures if every or not f.figures or set(f.figures) & set(wanted)]
        stage.failures = mine
        inputs_stand = inputs_stand and not (mine and stage.name in INPUTS)
        yield stage
    if quick:
        return
    if not inputs_stand:
        yield Stage("rebuilt", "not tried: what it is made of has changed, see above", [])
        return
    one, files = _read(plan)
    with rebuild.fresh(plan.root, rebuild.targets(plan, wanted)) as folder:
        yield rebuild.same(one, plan, folder, files)
        yield rebuild.counted(plan, folder, wanted)


def _read(plan: Plan) -> tuple[manifest.Manifest, dict[str, str]]:
    one = manifest.read(plan.root)
    return one, outputs.present(one, plan)


def _rehash(plan: Plan, given: Sequence[str], wanted: Sequence[str]) -> Iterator[Stage]:
    path = plan.root / artefacts.MANIFEST
    try:
        one, files = _read(plan)
    except Error as error:
        yield Stage("manifest", "", [Failure(artefacts.MANIFEST, "a manifest", str(error), [])])
        return
    yield from (outputs.picture(name, one, plan) for name in given if Path(name).is_file())
    data = path.read_bytes()
    told = witnesses.seen(one, plan, files)
    yield outputs.sound(one, data, plan, files, told)
    trusted = manifest.is_sound(one, data)
    for stage in _compared(one, plan, files, told, wanted):
        for failure in () if trusted else stage.failures:
            # Which of the two was changed, nothing tells.
            failure.path = f"{artefacts.MANIFEST} or {failure.path}"
        yield stage


def _compared(
    one: manifest.Manifest,
    plan: Plan,
    files: dict[str, str],
    told: Mapping[str, str],
    wanted: Sequence[str],
) -> Iterator[Stage]:
    """What the manifest tells of, stage by stage."""
    yield inputs.config(one, plan)
    yield inputs.code(one, plan)
    yield inputs.environment(one, plan)
    sources = sorted({plan.figures[name].source for name in wanted})
    yield inputs.raw(one, plan, files, sources)
    yield from outputs.results(one, plan, files, told)
    yield witnesses.shown(one, plan, files)
    unknown = strays.strays(plan.root, {*one.files, artefacts.MANIFEST})
    failures = [Failure(path, ABSENT, "a file that no job makes", []) for path in unknown]
    yield Stage("strays", "files of the results beside these", failures)


def text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    verdict = f"{len(stage.failures)} FAILED" if stage.failures else "ok"
    if stage.checked.startswith("not tried"):
        verdict = ""
    lines = [f"{stage.name:12} {stage.checked:44} {verdict}".rstrip()]
    for one in stage.failures:
        lines.append(f"  {one.path}: expected {_short(one.expected)}, found {_short(one.found)}")
        lines.append(f"    touches {', '.join(one.figures) or 'no figure'}")
    return "\n".join(lines)


def _short(value: str) -> str:
    is_digest = len(value) == 64 and set(value) <= set("0123456789abcdef")
    return f"{value[:16]}…" if is_digest else value if len(value) <= 300 else f"{value[:300]}…"
