"""why: what the next run would make again for a figure, and for which changed input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.proof import closing, rebuild
from heatproof.proof.reasons import ORDER, Reason, not_built, reasons
from heatproof.util import terminal

if TYPE_CHECKING:
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
    pages = plan.has_pages([figure])
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
