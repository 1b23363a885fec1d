"""why: what the next run would make again for a figure, and for which changed input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.ledger import pieces
from heatproof.util import terminal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from heatproof.ledger.pieces import Piece
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
    ledger = pieces.load(plan.root)
    jobs = jobs_of(plan, figure)
    absent = [job for job in jobs if job not in ledger]
    made = {path for piece in ledger.values() for path in piece.outputs}
    found = [one for job in jobs if job in ledger for one in reasons(plan, ledger[job], made)]
    stages = [*dict.fromkeys(job.partition(" ")[0] for job in jobs)]
    first = min((stages.index(one.stage) for one in found), default=len(stages))
    again = [one for one in stages[first:] if one != "bundle" or stages[first] == "bundle"]
    return Answer(found, again, [*dict.fromkeys(job.partition(" ")[0] for job in absent)])


def jobs_of(plan: Plan, figure: str) -> list[str]:
    """The jobs that make a figure, in their order."""
    source = plan.figures[figure].source
    shards = [f"normalize {source}/{shard}" for shard in plan.shards[source]]
    library = ["bundle vega"] if plan.has_pages([figure]) else []
    return [*shards, f"aggregate {figure}", *library, f"draw {figure}"]


def reasons(plan: Plan, piece: Piece, made: Collection[str]) -> Iterator[Reason]:
    """What is not as a job was given it, or as it made it; what others `made` is told of them."""
    rule, _, shard = piece.job.partition(" ")
    shard = shard if rule == "normalize" else ""
    for what in (*_settings(plan, piece), *_code(plan, piece), *_files(plan, piece, made)):
        yield Reason(rule, what, shard)


def _settings(plan: Plan, piece: Piece) -> Iterator[str]:
    now = pieces.plain(plan.settings(piece.rule, piece.name))
    for key, (old, new) in differing(piece.settings, now).items():
        yield f"{place(piece, key)}: {_short(old)} → {_short(new)}"


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
    if part == "source":
        return f"sources.{piece.settings['entry']['source']}.{rest}"
    if part == "entry":
        section = "sources" if piece.rule == "normalize" else "figures"
        return f"config.yaml: {section}.{piece.settings['entry']['name']}.{rest}"
    return f"config.yaml: {key}"


def _code(plan: Plan, piece: Piece) -> Iterator[str]:
    for name, (old, new) in differing(piece.code, plan.code(piece.rule)).items():
        if name == "rooms":
            yield "heatproof's own code changed"
        else:
            yield f"{name} is installed as {new or 'nothing'}, was {old or 'nothing'}"


def _files(plan: Plan, piece: Piece, made: Collection[str]) -> Iterator[str]:
    """Logs that came, went or changed, and results that are gone or not as they were made."""
    inputs = {*piece.inputs}
    if piece.rule == "normalize":
        inputs = {*plan.read_by(piece.name)}
    yield from (f"{path} is new" for path in sorted(inputs - piece.inputs.keys()))
    yield from (f"{path} is gone" for path in sorted(piece.inputs.keys() - inputs))
    path = plan.root / pieces.place(piece.job)
    if path.is_file():
        changed = pieces.changed(path, plan.root)
    else:
        changed = [p for p, file in piece.files.items() if pieces.contents(plan.root / p) != file]
    for one in changed:
        if one in piece.outputs:
            there = (plan.root / one).is_file()
            yield f"{one} {'is not as it was made' if there else 'is not there'}"
        elif one in inputs and one not in made:
            yield f"{one} changed"


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


def _short(value: Any) -> str:
    return "nothing" if value in (None, {}, [], "") else repr(value)


def text(figure: str, found: Answer) -> str:
    """The answer in words."""
    left = f"not built, for nobody asked for it: {', '.join(found.not_built)}"
    if not found.reasons:
        said = "nothing has changed that what is there is made of" if found.not_built else ""
        said = said or "up to date, nothing it is made of has changed"
        return f"{figure}: {said}" + (f"; {left}" if found.not_built else "")
    lines = [f"{figure}: {', '.join(found.stages)} would be done again"]
    for one in found.reasons:
        shard = f" (table {one.shard.rpartition('/')[2]})" if one.shard else ""
        lines.append(f"  {one.stage:11} {terminal.name(one.what)}{shard}")
    return "\n".join([*lines, *([f"  {left}"] if found.not_built else [])])
