"""why: what is not as it was at the last build, input by input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import paths
from heatproof.plan.params import SAID
from heatproof.proof import programs
from heatproof.proof.checks import differing
from heatproof.proof.programs import Reason
from heatproof.provenance import artefacts, made, manifest
from heatproof.samples import outcome
from heatproof.util import hashed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest


def reasons(plan: Plan, figure: str) -> Iterator[Reason]:
    """All inputs of a figure that are not as the manifest of the last build has them.

    Where a part was built, as its grid and spec have them; what nobody asked for is no reason.

    Raises:
        Error: nothing was built yet.
    """
    from heatproof.proof import partial, unsealed  # a start of a run reads this module, too

    if not partial.is_part(plan):
        yield from told(manifest.read(plan.root), plan, figure)
        yield from _logs(plan, figure)
        yield from _damaged(plan, figure)
        return
    left = unsealed.not_built(plan, figure)
    yield from unsealed.told(plan, figure)
    if unsealed.is_read(plan, plan.figures[figure].source):
        yield from _logs(plan, figure)
    yield from _damaged(plan, figure, left)


def told(one: Manifest, plan: Plan, figure: str) -> Iterator[Reason]:
    """The inputs that the manifest itself tells of, all but the logs."""
    yield from _config(one.build, plan, figure)
    yield from programs.code_of(one, plan, figure)
    yield from programs.packages(one.build, plan, figure)
    yield from _printed(one.build, plan, figure)


def _config(build: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    entry = plan.figures[figure]
    now = manifest.configured(plan)
    place = f"config.yaml: sources.{entry.source}"
    old = build["config"]["sources"].get(entry.source, {})
    for key in differing(old, now["sources"][entry.source]):
        if key != "expect" or entry.expects():
            yield Reason("aggregate" if key in SAID else "normalize", f"{place}.{key} changed")
    old = build["config"]["figures"].get(figure)
    if old is None:
        yield Reason("aggregate", f"config.yaml: figures.{figure} is new")
    for key in differing(old or {}, now["figures"][figure] if old else {}):
        stage = "draw" if key in entry.drawing() else "aggregate"
        yield Reason(stage, f"config.yaml: figures.{figure}.{key} changed")


def _printed(build: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    path = plan.sources[plan.figures[figure].source].reconstruct
    if path and build["printed"].get(path) != hashed.sha256(plan.root / path):
        yield Reason("reconstruct", f"{path} changed")


def _logs(plan: Plan, figure: str) -> Iterator[Reason]:
    """Logs that changed and that the figure may show."""
    source = plan.figures[figure].source
    for path, change, shard in changed(source, plan):
        if figure in artefacts.of_log(path, source, plan):
            yield Reason("normalize", f"{path} {change}", shard)


def changed(name: str, plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Logs of a source that changed, came or went since their table was made: path, what, shard.

    Reconstructed ones are none.
    """
    if plan.sources[name].reconstruct:
        return
    noted = plan.noted(name)
    shard_of = {path: shard for shard, one in noted.items() for path in one.files}
    now = {path: seen.digest for one in noted.values() for path, seen in one.files.items()}
    was: dict[str, str] = {}
    tables = plan.root / paths.tables(name)
    for table in sorted(tables.glob(f"*{paths.LOGS}")):
        was |= outcome.digests(table)
    for path in sorted(was.keys() | now.keys()):
        if was.get(path) != now.get(path):
            change = "is new" if path not in was else "is gone" if path not in now else "changed"
            yield path, change, shard_of.get(path, "")


def _damaged(plan: Plan, figure: str, left: Sequence[str] = ()) -> Iterator[Reason]:
    """Results that are gone or not as they were made, but for those `left` for later."""
    files = [*plan.tables(figure), *plan.counts(figure), paths.grid(figure)]
    files += map(paths.rejected, plan.tables(figure))
    files += [*plan.manifests(figure), paths.spec(figure), *plan.files_of(figure)]
    source = plan.figures[figure].source
    files += plan.made_logs(source)
    if "html" in plan.formats_of(figure):
        files.append(paths.LIBRARY)
    bad = dict.fromkeys(artefacts.damaged(plan), "is not as it was made")
    bad |= {path: "is not there" for path in files if not made.files(path, plan.root)}
    for path in files:
        if path in bad and path not in left:
            yield Reason(_maker(path), f"{path} {bad[path]}")


def _maker(path: str) -> str:
    makers = {"grids": "aggregate", "specs": "draw", "figures": "draw", "vega.js": "bundle",
              "reconstructed": "reconstruct"}  # fmt: skip
    return makers.get(path.split("/")[1], "normalize")
