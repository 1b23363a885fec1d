"""What is not as jobs were given it, or as they made it; so what the next run makes again."""

from __future__ import annotations

from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof import ledger
from heatproof.util import hashed, terminal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from heatproof.ledger import Piece
    from heatproof.plan.plan import Plan

ABSENT = hashed.ABSENT
LONG = 300
"""Characters of a value that are shown at most."""
NOTHING = ("", 0)
"""Digest and size of a file that is not there."""


class Difference(msgspec.Struct):
    """Something that is not as it was."""

    place: str
    """A file, a key in config.yaml, or a package."""
    before: str
    now: str
    kind: str = ""
    """What it is part of: config, code, logs or results."""
    job: str = ""
    figures: list[str] = []
    """Those whose numbers or looks depend on it."""

    def __str__(self) -> str:
        """Digests by their beginnings, long values from where they part."""
        pairs = zip(self.before, self.now, strict=False)
        apart = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        words = []
        for value in (self.before, self.now):
            if is_digest(value):
                words.append(f"{value[:16]}…")
                continue
            start = max(0, apart - LONG // 6) if len(value) > LONG else 0
            head, tail = "…" * (start > 0), "…" * (len(value) > start + LONG)
            words.append(f"{head}{value[start : start + LONG]}{tail}")
        return terminal.name(f"{self.place}: was {words[0]}, is {words[1]}")


def is_digest(text: str) -> bool:
    """Whether this is a digest, and no words."""
    return len(text) == 64 and " " not in text


def differences(
    plan: Plan, piece: Piece, made: Collection[str], *, every: bool = False
) -> Iterator[Difference]:
    """What a job was given and made, where that is not so now.

    Args:
        plan: of now.
        piece: of the job.
        made: the files that jobs make; as inputs of others they are not looked at.
        every: hash all files, not only those that were written since the piece was confirmed.
    """
    job, inputs = piece.job, {*piece.inputs}
    with suppress(KeyError, StopIteration):  # of a figure or source that there is no more
        settings = ledger.plain(plan.settings(piece.rule, piece.name))
        for key, (old, new) in ledger.differing(piece.settings, settings).items():
            yield Difference(_place(piece, key), repr(old), repr(new), "config", job)
        inputs = {*plan.read_by(piece.name)} if piece.rule == "normalize" else inputs
    for name, (old, new) in ledger.differing(piece.code, ledger.code(piece.rule)).items():
        what = f"code of {piece.rule}" if name == "rooms" else name
        yield Difference(what, str(old), str(new), "code", job)
    place, files = plan.root / ledger.place(job), piece.files
    changed = files if every or not place.is_file() else ledger.changed(place, plan.root)
    others = {*made} - piece.outputs.keys()
    for path in sorted({*changed, *(inputs ^ piece.inputs.keys())} - others):
        where, before = plan.root / path, files.get(path, NOTHING)
        read = path in inputs or path in piece.outputs
        now = ledger.contents(where) if read else NOTHING
        if now != before:
            words = hashed.other(where) or ("not to be read" if read else "left out")
            kind = "results" if path in piece.outputs else "logs"
            yield Difference(path, before[0] or ABSENT, now[0] or words, kind, job)


FILLED = {
    "base": "relative_to: its other figure",
    "ranges": "source: its range",
    "opponent": "source: its versus",
}
"""Fields of an entry that are filled from elsewhere → how the user knows them."""


def _place(piece: Piece, key: str) -> str:
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


class Answer(NamedTuple):
    """What would be made again, and why."""

    reasons: list[Difference]
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
    made = {path for piece in pieces.values() for path in piece.outputs}
    listed = [pieces[job] for job in jobs if job in pieces]
    reasons = [change for piece in listed for change in differences(plan, piece, made)]
    stages = [*dict.fromkeys(job.partition(" ")[0] for job in jobs)]
    changed = [stages.index(reason.job.partition(" ")[0]) for reason in reasons]
    again = stages[min(changed, default=len(stages)) :]
    again = [stage for stage in again if stage != "bundle" or again[0] == "bundle"]
    absent = dict.fromkeys(job.partition(" ")[0] for job in jobs if job not in pieces)
    return Answer(reasons, again, [*absent])


def text(figure: str, result: Answer) -> str:
    """The answer in words."""
    left = f"not built, for nobody asked for it: {', '.join(result.not_built)}"
    if not result.reasons:
        if result.not_built:
            return f"{figure}: nothing has changed that what is there is made of; {left}"
        return f"{figure}: up to date, nothing it is made of has changed"
    lines = [f"{figure}: {', '.join(result.stages)} would be done again"]
    lines += [f"  {terminal.name(reason.job)}: {reason}" for reason in result.reasons]
    return "\n".join([*lines, *([f"  {left}"] if result.not_built else [])])
