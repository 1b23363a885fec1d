"""why: what the next run would make again for a figure, and for which changed input.

Where a part was built no manifest tells what it was made of, but grid and spec do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.plan.code_digest import STAGES
from heatproof.plan.params import SAID
from heatproof.proof import closing, rebuild
from heatproof.proof.checks import differing
from heatproof.proof.reasons import ORDER, Reason, reasons
from heatproof.provenance import identify, manifest, receipts
from heatproof.samples import tables
from heatproof.util import pins, terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.plan.plan import Plan


class Answer(NamedTuple):
    """What would be made again, and why."""

    reasons: list[Reason]
    stages: list[str]
    """All that would run, from the first changed input on."""
    not_built: str = ""
    """What of the figure nobody has asked for so far, in words; that is no reason."""


def answer(plan: Plan, figure: str) -> Answer:
    """Compare the plan of now with what the last build tells of itself.

    Raises:
        Error: nothing was built yet.
    """
    found = list(reasons(plan, figure))
    first = {reason.stage for reason in found}
    again = [stage for stage in ORDER if stage in first or _follows(stage, first)]
    pages = "html" in plan.formats_of(figure)
    stages = [s for s in again if s != "bundle" or (pages and "bundle" in first)]
    left = not_built(plan, figure) if rebuild.is_part(plan) else []
    return Answer(found, stages, closing.parts(left, plan))


def _follows(stage: str, first: set[str]) -> bool:
    return any(ORDER.index(stage) > ORDER.index(one) for one in first if one != "bundle") or (
        stage == "draw" and "bundle" in first
    )


def text(figure: str, found: Answer) -> str:
    """The answer in words."""
    left = f"; not built, for nobody asked for it: {found.not_built}" if found.not_built else ""
    if not found.reasons and left:
        return f"{figure}: nothing has changed that what is there is made of{left}"
    if not found.reasons:
        return f"{figure}: up to date, nothing it is made of has changed"
    lines = [f"{figure}: {', '.join(found.stages)} would be done again"]
    for one in found.reasons:
        shard = f" (table {one.shard})" if one.shard else ""
        lines.append(f"  {one.stage:11} {terminal.name(one.what)}{shard}")
    return "\n".join([*lines, *([f"  {left[2:]}"] if left else [])])


def not_built(plan: Plan, figure: str) -> list[str]:
    """What of a figure nobody has asked for so far."""
    part = rebuild.Part(plan, [figure])
    return [path for path in part.not_built if manifest.figures(path, plan)]


def is_read(plan: Plan, source: str) -> bool:
    """Whether there are samples of all logs of a source."""
    tables_of = plan.tables_of(source)
    return all(receipts.is_there(paths.manifest(path), plan.root) for path in tables_of)


def unsealed_reasons(plan: Plan, figure: str) -> Iterator[Reason]:
    """What changed of that which grid and spec, as far as they are there, say they were made of."""
    record = _record(plan, figure)
    if record:
        yield from _config(record, plan, figure)
        yield from _programs(record, plan, figure)


def _record(plan: Plan, figure: str) -> dict[str, Any]:
    """What the spec tells, or before it was made the grid; nothing if neither can be read."""
    try:
        return identify.of_spec(figure, plan.root)
    except Error:
        grid = plan.root / paths.grid(figure)
    try:
        return tables.read(grid)[1] if grid.is_file() else {}
    except Exception:  # noqa: BLE001 - a damaged grid may fail in any way; it is told as damaged
        return {}


def _config(record: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    entry, now = plan.figures[figure], plan.aggregate_params(figure)
    place = f"config.yaml: sources.{entry.source}"
    for key in differing(record["source"], now["source"]):
        yield Reason("aggregate" if key in SAID else "normalize", f"{place}.{key} changed")
    whole = plan.entries[figure] if "draw" in record["code"] else now["entry"]
    for key in differing(record["entry"], whole):
        stage = "draw" if key in entry.drawing() else "aggregate"
        yield Reason(stage, f"config.yaml: figures.{figure}.{key} changed")


def _programs(record: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    moved = {}
    for name, was in record["versions"].items():
        if pins.installed(name) != was:
            first = [stage for stage in ORDER if name in STAGES[stage][1]]
            moved[name] = first[0] if first else ""
            if first:
                now = pins.installed(name) or "nothing"
                yield Reason(first[0], f"{name} is installed as {now}, was {was}")
    codes = plan.codes(figure)
    for stage, digest in record["code"].items():
        if codes.get(stage) != digest and stage not in moved.values():
            yield Reason(stage, f"its code, or a version in {pins.NAME}, changed")
