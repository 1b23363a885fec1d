"""Results that came without Snakemake's records of them: from an archive, or a copy of a folder.

Of such results Snakemake knows no settings, and takes any change of config, code or logs for none.
The manifest knows: what it does not confirm is made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config import paths
from heatproof.proof import reasons
from heatproof.provenance import manifest, receipts
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.plan.plan import Plan


def doubtful(plan: Plan) -> list[str]:
    """Of the results that have no record, those that the manifest does not confirm.

    All of them, if there is no manifest.
    """
    every = manifest.everything(plan)
    brought = [path for path in every if not receipts.is_recorded(path, plan.root)]
    there = [path for path in brought if receipts.is_there(path, plan.root)]
    if not there:
        return []
    try:
        one = manifest.read(plan.root)
    except Error:
        return there
    wrong = set(_other(there, one.files, plan.root))
    for name in plan.shards:
        if any(reasons.changed(name, plan)):
            wrong |= {paths.table(name, shard) for shard in plan.shards[name]}
    for name in plan.figures:
        for reason in reasons.manifest_reasons(one, plan, name):
            wrong |= set(_made_by(reason.stage, name, plan))
    if one.build != manifest.build(plan):
        wrong |= {path for path in there if not manifest.figures(path, plan)}
        wrong.update(plan.checking())
    return [path for path in there if path in wrong]


def _other(outputs: list[str], known: Mapping[str, str], root: Path) -> Iterator[str]:
    """Those whose bytes are not the ones that the manifest tells of; it cannot tell of itself."""
    for output in outputs:
        found = receipts.contents(output, root)
        if output != manifest.MANIFEST and any(known.get(p) != d for p, d in found.items()):
            yield output


def _made_by(stage: str, figure: str, plan: Plan) -> list[str]:
    """What a stage makes for a figure; what is made of that follows by itself."""
    outputs = {
        "normalize": plan.tables(figure),
        "aggregate": [paths.grid(figure)],
        "bundle": [paths.LIBRARY],
        "draw": [paths.spec(figure)],
    }
    return outputs[stage]
