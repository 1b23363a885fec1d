"""why: what is not as it was at the last build, input by input.

Of the programs it is told stage by stage. Where a part was built no manifest tells what it was made
of, but grid and spec do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.plan import code_digest
from heatproof.plan.params import SAID
from heatproof.proof.checks import differing
from heatproof.provenance import identify, manifest, receipts
from heatproof.samples import outcome, tables
from heatproof.util import hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest


def reasons(plan: Plan, figure: str) -> Iterator[Reason]:
    """All inputs of a figure that are not as the manifest of the last build has them.

    Where a part was built, as its grid and spec have them; what nobody asked for is no reason.

    Raises:
        Error: nothing was built yet.
    """
    from heatproof.proof import rebuild  # a start of a run reads this module, too

    if not rebuild.is_part(plan):
        yield from manifest_reasons(manifest.read(plan.root), plan, figure)
        yield from _logs(plan, figure)
        yield from _damaged(plan, figure)
        return
    left = not_built(plan, figure)
    yield from _part_reasons(plan, figure)
    if _is_read(plan, plan.figures[figure].source):
        yield from _logs(plan, figure)
    yield from _damaged(plan, figure, left)


def manifest_reasons(one: Manifest, plan: Plan, figure: str) -> Iterator[Reason]:
    """The inputs that the manifest itself tells of, all but the logs."""
    yield from _config(one.build, plan, figure)
    yield from code_of(one, plan, figure)
    yield from packages(one.build)


def _config(build: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    entry = plan.figures[figure]
    now = manifest.configured(plan)
    old = build["config"]["sources"].get(entry.source, {})
    source = [
        key
        for key in differing(old, now["sources"][entry.source])
        if key != "expect" or entry.expects()
    ]
    drawn = build["config"]["figures"].get(figure)
    own = [] if drawn is None else differing(drawn, now["figures"][figure])
    yield from _changed_keys(plan, figure, source, own)
    if drawn is None:
        yield Reason("aggregate", f"config.yaml: figures.{figure} is new")


def _changed_keys(
    plan: Plan, figure: str, source: Iterable[str], own: Iterable[str]
) -> Iterator[Reason]:
    """Keys of a figure's source, and its `own`, that say something else than before."""
    entry = plan.figures[figure]
    for key in source:
        stage = "aggregate" if key in SAID else "normalize"
        yield Reason(stage, f"config.yaml: sources.{entry.source}.{key} changed")
    for key in own:
        stage = "draw" if key in entry.drawing() else "aggregate"
        yield Reason(stage, f"config.yaml: figures.{figure}.{FILLED.get(key, key)} changed")


FILLED = {"base": "relative_to: its other figure", "ranges": "source: its range"}
"""Fields of an entry that are filled from elsewhere → how the user knows them."""


def _logs(plan: Plan, figure: str) -> Iterator[Reason]:
    """Logs that changed and that the figure may show."""
    source = plan.figures[figure].source
    for path, change, shard in changed(source, plan):
        if figure in manifest.of_log(path, source, plan):
            yield Reason("normalize", f"{path} {change}", shard)


def changed(name: str, plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Logs of a source that changed, came or went since their table was made: path, what, shard."""
    noted = plan.noted(name)
    shard_of = {path: shard for shard, one in noted.items() for path in one.files}
    now = {path: seen.digest for one in noted.values() for path, seen in one.files.items()}
    was: dict[str, str] = {}
    folder = plan.root / paths.tables(name)
    for listed in sorted(folder.glob(f"*{paths.LOGS}")):
        was |= outcome.digests(listed)
    for path in sorted(was.keys() | now.keys()):
        if was.get(path) != now.get(path):
            change = "is new" if path not in was else "is gone" if path not in now else "changed"
            yield path, change, shard_of.get(path, "")


def _damaged(plan: Plan, figure: str, left: Sequence[str] = ()) -> Iterator[Reason]:
    """Results that are gone or not as they were made, but for those `left` for later."""
    files = [*plan.tables(figure), *plan.counts(figure), paths.grid(figure)]
    files += map(paths.rejected, plan.tables(figure))
    files += [*plan.manifests(figure), paths.spec(figure), *plan.files_of(figure)]
    if plan.has_pages([figure]):
        files.append(paths.LIBRARY)
    bad = dict.fromkeys(manifest.damaged(plan), "is not as it was made")
    bad |= {path: "is not there" for path in files if not receipts.is_there(path, plan.root)}
    for path in files:
        if path in bad and path not in left:
            yield Reason(_maker(path), f"{path} {bad[path]}")


def _maker(path: str) -> str:
    makers = {"grids": "aggregate", "specs": "draw", "figures": "draw", "vega.js": "bundle"}
    return makers.get(path.split("/")[1], "normalize")


ORDER = ("normalize", "aggregate", "bundle", "draw")
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
    return code_digest.stage_modules(
        stage, plan.sources[entry.source].formats() if reads else [entry.kind]
    )


def code_of(one: manifest.Manifest, plan: Plan, figure: str) -> Iterator[Reason]:
    """Files of the library, of the workflow and of typefaces that are not as they were."""
    yield from _fonts(one.build.get("fonts", {}), plan, figure)
    told: set[str] = set()
    build, record, now = one.build, _record(one, plan, figure), plan.codes(figure)
    for stage in ORDER:
        if stage in record and record[stage] == now.get(stage):
            continue  # of a kind's file, each stage counts its own part
        for name, path in sorted(code_digest.files(modules(plan, stage, figure), stage).items()):
            if name not in told and build["code"].get(name) != hashed.sha256(path):
                told.add(name)
                yield Reason(stage, f"{name} changed")


def _fonts(before: dict[str, str], plan: Plan, figure: str) -> Iterator[Reason]:
    """Font files of a figure that are not as they were."""
    for path, digest in plan.fonts(figure).items():
        if before.get(path) != digest:
            yield Reason("draw", f"{path} changed")


def _record(one: manifest.Manifest, plan: Plan, figure: str) -> dict[str, str]:
    """Stage → digest of its code, as the spec has it that the manifest tells of; else none."""
    path = paths.spec(figure)
    if receipts.contents(path, plan.root) != {path: one.files.get(path)}:
        return {}
    try:
        return dict(identify.of_spec(figure, plan.root)["code"])
    except (Error, KeyError):
        return {}


def packages(build: dict[str, Any]) -> Iterator[Reason]:
    """Packages that are not installed, or not pinned, as they were."""
    told: set[str] = set()
    for stage in ORDER:
        for name in code_digest.STAGES[stage][1]:
            was = build["environment"].get(name, ""), build["pins"].get(name, "")
            now = pins.installed(name), pins.pin(name)
            if name not in told and was != now:
                told.add(name)
                which = "installed" if was[0] != now[0] else "pinned"
                old, new = (was[0], now[0]) if was[0] != now[0] else (was[1], now[1])
                yield Reason(
                    stage, f"{name} is {which} as {new or 'nothing'}, was {old or 'nothing'}"
                )


def not_built(plan: Plan, figure: str) -> list[str]:
    """What of a figure nobody has asked for so far."""
    from heatproof.proof import rebuild  # a start of a run reads this module, too

    part = rebuild.Part(plan, [figure])
    return [path for path in part.not_built if manifest.figures(path, plan)]


def _is_read(plan: Plan, source: str) -> bool:
    """Whether there are samples of all logs of a source."""
    tables_of = plan.tables_of(source)
    return all(receipts.is_there(paths.manifest(path), plan.root) for path in tables_of)


def _part_reasons(plan: Plan, figure: str) -> Iterator[Reason]:
    """What changed of that which grid and spec, as far as they are there, say they were made of."""
    record = _part_record(plan, figure)
    if record:
        yield from _part_config(record, plan, figure)
        yield from _part_programs(record, plan, figure)


def _part_record(plan: Plan, figure: str) -> dict[str, Any]:
    """What the spec tells, or before it was made the grid; nothing if neither can be read."""
    try:
        return identify.of_spec(figure, plan.root)
    except Error:
        grid = plan.root / paths.grid(figure)
    try:
        return tables.read(grid)[1] if grid.is_file() else {}
    except Exception:  # noqa: BLE001 - a damaged grid may fail in any way; it is told as damaged
        return {}


def _part_config(record: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    now = plan.aggregate_params(figure)
    whole = plan.entries[figure] if "draw" in record["code"] else now["entry"]
    keys = differing(record["source"], now["source"]), differing(record["entry"], whole)
    yield from _changed_keys(plan, figure, *keys)


def _part_programs(record: dict[str, Any], plan: Plan, figure: str) -> Iterator[Reason]:
    moved = {}
    for name, was in record["versions"].items():
        if pins.installed(name) != was:
            first = [stage for stage in ORDER if name in code_digest.STAGES[stage][1]]
            moved[name] = first[0] if first else ""
            if first:
                now = pins.installed(name) or "nothing"
                yield Reason(first[0], f"{name} is installed as {now}, was {was}")
    codes = plan.codes(figure)
    for stage, digest in record["code"].items():
        if codes.get(stage) != digest and stage not in moved.values():
            yield Reason(stage, f"its code, or a version in {pins.NAME}, changed")
