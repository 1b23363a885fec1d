"""why: what the next run would make again for a figure, and for which changed input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import ledger
from heatproof.util import terminal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from heatproof.ledger import Piece
    from heatproof.plan.plan import Plan


class Reason(NamedTuple):
    """Something that is not as a job was given it, or as it made it."""

    stage: str
    what: str
    shard: str = ""


class Answer(NamedTuple):
    """What would be made again, and why."""

    reasons: list[Reason]
    stages: list[str]
    """All that would run, from the first changed input on."""
    not_built: list[str]
    """Stages of the figure that nobody has asked for so far; that is no reason."""


def answer(plan: Plan, figure: str) -> Answer:
    """Compare the plan of now with what the ledger tells of the last build.

    Raises:
        Error: nothing was built yet.
    """
    pieces = ledger.load(plan.root)
    source = plan.figures[figure].source
    jobs = [f"normalize {source}/{shard}" for shard in plan.shards[source]]
    jobs += [f"aggregate {figure}", *(["bundle vega"] if plan.has_pages([figure]) else [])]
    jobs.append(f"draw {figure}")
    absent = [job.partition(" ")[0] for job in jobs if job not in pieces]
    outputs = {path for piece in pieces.values() for path in piece.outputs}
    there = (pieces[job] for job in jobs if job in pieces)
    reasons = [
        Reason(piece.rule, what, piece.name if piece.rule == "normalize" else "")
        for piece in there
        for what in [*_params(plan, piece), *_files(plan, piece, outputs)]
    ]
    stages = [*dict.fromkeys(job.partition(" ")[0] for job in jobs)]
    first = min((stages.index(reason.stage) for reason in reasons), default=len(stages))
    again = [stage for stage in stages[first:] if stage != "bundle" or stages[first] == "bundle"]
    return Answer(reasons, again, [*dict.fromkeys(absent)])


def _params(plan: Plan, piece: Piece) -> Iterator[str]:
    """Settings and code that are not as a job was given them."""
    now = ledger.plain(plan.settings(piece.rule, piece.name))
    for key, pair in differing(piece.settings, now).items():
        old, new = ("nothing" if value in (None, {}, [], "") else repr(value) for value in pair)
        yield f"{place(piece, key)}: {old} → {new}"
    for name, (old, new) in differing(piece.code, ledger.code(piece.rule)).items():
        installed = f"{name} is installed as {new or 'nothing'}, was {old or 'nothing'}"
        yield "heatproof's own code changed" if name == "rooms" else installed


FILLED = {
    "base": "relative_to: its other figure",
    "ranges": "source: its range",
    "opponent": "source: its versus",
}
"""Fields of an entry that are filled from elsewhere → how the user knows them."""


def place(piece: Piece, key: str) -> str:
    """Where config.yaml says a setting of a job."""
    part, _, rest = key.partition(".")
    rest = FILLED.get(rest.partition(".")[0], rest)
    if part not in ("source", "entry"):
        return f"config.yaml: {key}"
    entry = piece.settings["entry"]
    if part == "source":
        return f"config.yaml: sources.{entry['source']}.{rest}"
    section = "sources" if piece.rule == "normalize" else "figures"
    return f"config.yaml: {section}.{entry['name']}.{rest}"


def _files(plan: Plan, piece: Piece, outputs: Collection[str]) -> Iterator[str]:
    """Logs that came, went or changed, and results that are gone or not as they were made.

    Changed `outputs` of other jobs are told of those.
    """
    inputs = {*piece.inputs}
    if piece.rule == "normalize":
        inputs = {*plan.read_by(piece.name)}
    yield from (f"{path} is new" for path in sorted(inputs - piece.inputs.keys()))
    yield from (f"{path} is gone" for path in sorted(piece.inputs.keys() - inputs))
    path = plan.root / ledger.place(piece.job)
    if path.is_file():
        changed = ledger.changed(path, plan.root)
    else:
        changed = [p for p, file in piece.files.items() if ledger.contents(plan.root / p) != file]
    for file in changed:
        if file in piece.outputs:
            there = (plan.root / file).is_file()
            yield f"{file} {'is not as it was made' if there else 'is not there'}"
        elif file in inputs and file not in outputs:
            yield f"{file} changed"


def differing(old: Any, new: Any) -> dict[str, tuple[Any, Any]]:
    """Key → value before and now, of those that differ, at the ends of nested mappings."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    return {
        key: (before.get(key), after.get(key))
        for key in before | after
        if before.get(key) != after.get(key)
    }


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name))
    else:
        yield key, value


def text(figure: str, result: Answer) -> str:
    """The answer in words."""
    left = f"not built, for nobody asked for it: {', '.join(result.not_built)}"
    if not result.reasons:
        if result.not_built:
            return f"{figure}: nothing has changed that what is there is made of; {left}"
        return f"{figure}: up to date, nothing it is made of has changed"
    lines = [f"{figure}: {', '.join(result.stages)} would be done again"]
    for reason in result.reasons:
        shard = f" (table {reason.shard.rpartition('/')[2]})" if reason.shard else ""
        lines.append(f"  {reason.stage:11} {terminal.name(reason.what)}{shard}")
    return "\n".join([*lines, *([f"  {left}"] if result.not_built else [])])
