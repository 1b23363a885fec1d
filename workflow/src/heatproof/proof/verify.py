"""verify: does everything that a figure rests on still stand, down to the raw logs?"""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.proof import inputs, rebuild, strays, witnesses
from heatproof.proof.checks import ABSENT, Failure, Stage
from heatproof.provenance import identify, manifest
from heatproof.util import pins, terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.plan.called import Call
    from heatproof.plan.plan import Plan

INPUTS = {"config", "code", "versions", "packages", "logs", "fonts"}
"""Stages without which a new build says nothing of the old one."""
UNTRIED = "not tried"
LONG = 300
"""Characters of a value that are shown at most."""


def names(given: Sequence[str], plan: Plan) -> list[str]:
    """The figures that files, ids or names stand for, of a paper each; all, if none is given.

    Raises:
        Error: one of them is no figure of config.yaml.
    """
    found = []
    for one in given:
        for name in _named(one, plan):
            if name not in plan.figures:
                raise Error(
                    f"{one}: {name!r} is no figure of config.yaml; {choices(name, plan.figures)}"
                )
            found.append(name)
    return [*dict.fromkeys(found)] or list(plan.figures)


def _named(given: str, plan: Plan) -> list[str]:
    if given in plan.figures:
        return [given]
    if told := plan.left_out.figures.get(given):
        raise Error(f"{given}: the last run left it out (--keep-going), for\n" + "\n".join(told))
    mine = [one.figure for one in identify.held(given, plan.root) if one.figure in plan.figures]
    return mine or [identify.find(given, plan.root).figure]


def stages(
    plan: Plan, given: Sequence[str], *, quick: bool = False, call: Call | None = None
) -> Iterator[Stage]:
    """One stage after the other, as soon as it is known; only what touches the figures asked for.

    `quick`: rehash only, neither read installed packages nor build again; `call`: how to build, if
    not as the last run did. A stage that cannot be
    judged has failed, and says why; those after it are judged all the same.
    """
    wanted = names(given, plan)
    if rebuild.is_part(plan):
        yield from _of_part(rebuild.Part(plan, wanted), given, quick, call)
        return
    every = set(wanted) == set(plan.figures)
    inputs_stand = True
    for stage in _rehash(plan, given, wanted, quick=quick):
        mine = [f for f in stage.failures if every or not f.figures or set(f.figures) & set(wanted)]
        stage.failures = mine
        inputs_stand = inputs_stand and not (mine and stage.name in INPUTS)
        yield stage
    if quick:
        return
    if not inputs_stand:
        why = f"{UNTRIED}: what it is made of has changed, see above"
        yield Stage("rebuilt", why, [])
        return
    yield from judged("rebuilt", lambda: _built_anew(plan, wanted, call))


def _of_part(
    part: rebuild.Part, given: Sequence[str], quick: bool, call: Call | None
) -> Iterator[Stage]:
    """Where a part was built: what is not is told, what is there is judged."""
    yield part.not_built_stage()
    yield from judged("picture", lambda: part.pictures(given))
    yield from judged("receipts", lambda: [part.receipts(quick=quick)])
    yield from judged("strays", lambda: [_strays(part.plan)])
    if not quick:
        yield from judged("rebuilt", lambda: part.built_anew(call))


def _built_anew(plan: Plan, wanted: Sequence[str], call: Call | None) -> Iterator[Stage]:
    one, files = _read(plan)
    with rebuild.fresh(plan.root, rebuild.targets(plan, wanted), call) as folder:
        yield rebuild.same(one, plan, folder, files, wanted)
        yield from judged("counted", lambda: [rebuild.counted(plan, folder, wanted)])


def judged(name: str, judge: Callable[[], Iterable[Stage]]) -> Iterator[Stage]:
    """The stages that are asked for; if that fails, one of this name that failed, and why."""
    try:
        yield from judge()
    except Exception as error:  # noqa: BLE001 - whatever is damaged, the other stages must be told
        said = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        yield Stage(name, "not to be judged", [Failure(name, "a stage to be judged", said, [])])


def _read(plan: Plan) -> tuple[manifest.Manifest, dict[str, str]]:
    one = manifest.read(plan.root)
    return one, rebuild.present(one, plan)


def _rehash(
    plan: Plan, given: Sequence[str], wanted: Sequence[str], *, quick: bool
) -> Iterator[Stage]:
    path = plan.root / manifest.MANIFEST
    try:
        one, files = _read(plan)
    except Error as error:
        yield Stage("manifest", "", [Failure(manifest.MANIFEST, "a manifest", str(error), [])])
        yield from judged("strays", lambda: [_strays(plan)])
        return
    for name in given:
        if Path(name).is_file():
            yield from judged("picture", lambda name=name: [rebuild.picture(name, one, plan)])  # type: ignore[misc]
    data = path.read_bytes()
    told = witnesses.seen(one, plan, files)
    yield from judged("manifest", lambda: [rebuild.sound(one, data, plan, files, told)])
    trusted = manifest.is_sound(one, data)
    for stage in _compared(one, plan, files, told, wanted):
        for failure in () if trusted else stage.failures:
            # Which of the two was changed, nothing tells.
            failure.path = f"{manifest.MANIFEST} or {failure.path}"
        yield stage
    if not quick:
        yield from judged("packages", lambda: [_packages(one, plan)])
    yield from judged("strays", lambda: [_strays(plan)])


def _compared(
    one: manifest.Manifest,
    plan: Plan,
    files: dict[str, str],
    told: Mapping[str, str],
    wanted: Sequence[str],
) -> Iterator[Stage]:
    """What the manifest tells of, stage by stage."""
    sources = sorted({plan.figures[name].source for name in wanted})
    yield from judged("config", lambda: [inputs.config(one, plan)])
    yield from judged("code", lambda: [inputs.code(one, plan)])
    yield from judged("versions", lambda: [inputs.versions(one, plan)])
    yield from judged("logs", lambda: [inputs.raw(one, plan, files, sources)])
    yield from judged("fonts", lambda: inputs.fonts(one, plan))
    yield from judged("results", lambda: rebuild.results(one, plan, files, told))
    yield from judged("shown", lambda: [witnesses.shown(one, plan, files)])


def _packages(one: manifest.Manifest, plan: Plan) -> Stage:
    """All that are pinned, and those whose versions the build has told."""
    named = {name for name in one.build["environment"] if pins.installed(name)}
    return inputs.stage(sorted({*pins.known(), *named}), list(plan.figures))


def _strays(plan: Plan) -> Stage:
    found = strays.of_plan(plan)
    failures = [Failure(path, ABSENT, "a file that no job makes", []) for path in found]
    return Stage("strays", "files of the results beside these", failures)


def text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    verdict = f"{len(stage.failures)} FAILED" if stage.failures else "ok"
    if stage.checked.startswith(UNTRIED) or stage.name == rebuild.NOT_BUILT:
        verdict = ""
    lines = [f"{stage.name:12} {stage.checked:44} {verdict}".rstrip()]
    for one in stage.failures:
        expected, found = _short(one.expected, one.found)
        lines.append(f"  {terminal.name(one.path)}: expected {expected}, found {found}")
        lines.append(f"    touches {', '.join(one.figures) or 'no figure'}")
    if stage.name == "strays" and stage.failures:
        lines.append("  see `heatproof clean`, which removes what is left of former figures")
    return "\n".join(lines)


def _short(*values: str) -> list[str]:
    """Values that differ: digests by their beginnings, long ones from where they part."""
    apart = sum(1 for _ in takewhile(lambda signs: len({*signs}) == 1, zip(*values, strict=False)))
    return [
        f"{one[:16]}…" if _is_digest(one) else _cut(one, apart if len(one) > LONG else 0)
        for one in values
    ]


def _cut(value: str, apart: int) -> str:
    start = max(0, apart - LONG // 6)
    head, tail = "…" * (start > 0), "…" * (len(value) > start + LONG)
    return f"{head}{value[start : start + LONG]}{tail}"


def _is_digest(value: str) -> bool:
    return len(value) == 64 and set(value) <= set("0123456789abcdef")
