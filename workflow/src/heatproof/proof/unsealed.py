"""why, where a part was built: no manifest tells what it was made of, but grid and spec do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import paths
from heatproof.plan.params import SAID
from heatproof.plan.stages import STAGES
from heatproof.proof import partial
from heatproof.proof.checks import differing
from heatproof.proof.programs import ORDER, Reason
from heatproof.provenance import artefacts, identify, made
from heatproof.samples import tables
from heatproof.util import pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.plan.plan import Plan


def not_built(plan: Plan, figure: str) -> list[str]:
    """What of a figure nobody has asked for so far."""
    part = partial.Part(plan, [figure])
    return [path for path in part.not_built if artefacts.figures(path, plan)]


def is_read(plan: Plan, source: str) -> bool:
    """Whether there are samples of all logs of a source."""
    tables_of = plan.tables_of(source)
    return all(made.files(paths.manifest(path), plan.root) for path in tables_of)


def told(plan: Plan, figure: str) -> Iterator[Reason]:
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
