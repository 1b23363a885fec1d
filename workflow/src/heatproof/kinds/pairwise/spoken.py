"""What is read out of a pairwise figure to those who cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.numerals import show

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.bins import Pair


def duels(colours: str, what: str) -> str:
    """What a pairwise figure shows, in a sentence. `colours`: the title of its colour bar."""
    return f"Pairs of models by {what} on the same instances, from 0 to 1; colour: {colours}."


def duel(pair: Pair, what: str) -> str:
    """A pairwise panel in words: who is ahead how often, and the fullest bin."""
    full = max(pair.bins, key=lambda row: int(row["samples"]))
    x0, x1, y0, y1 = (show(full[edge], ".3~g") for edge in ("x0", "x1", "y0", "y1"))
    return (
        f"{what} of {pair.x} (x) against {pair.y} (y) on {pair.n} instances: "
        f"{pair.x} ahead on {pair.wins}, equal on {pair.ties}, {pair.y} ahead on {pair.losses}; "
        f"most, {full['samples']}, at x {x0} to {x1}, y {y0} to {y1}"
        f"{''.join(f'; {part}' for part in pair.verdict)}."
    )
