"""The way through a ledger: the jobs behind a figure, and the figures that a job is behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.ledger.pieces import Piece


def behind(ledger: Mapping[str, Piece], job: str) -> list[str]:
    """The jobs behind one, itself first, stage by stage back to the logs."""
    maker = {file: job for job, piece in ledger.items() for file in piece.outputs}
    jobs, found = [job] if job in ledger else [], dict[str, None]()
    while jobs:
        found |= dict.fromkeys(jobs)
        needed = (maker[one] for job in jobs for one in ledger[job].inputs if one in maker)
        jobs = [one for one in dict.fromkeys(needed) if one not in found]
    return [*found]


def drawn(ledger: Mapping[str, Piece]) -> dict[str, list[str]]:
    """Figure → the jobs behind it; of one that is not drawn yet, those that are done."""
    figures = dict.fromkeys(p.name for p in ledger.values() if p.rule in ("aggregate", "draw"))
    last = {name: f"draw {name}" for name in figures}
    return {
        name: behind(ledger, job if job in ledger else f"aggregate {name}")
        for name, job in last.items()
    }


def touched(ledger: Mapping[str, Piece]) -> dict[str, list[str]]:
    """Job → the figures that it is behind."""
    found: dict[str, list[str]] = {job: [] for job in ledger}
    for figure, jobs in drawn(ledger).items():
        for job in jobs:
            found[job].append(figure)
    return found
