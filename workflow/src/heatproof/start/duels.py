"""Records that are games of two models: which places name the sides, and which the winner."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from heatproof.start.scores import name, worded

if TYPE_CHECKING:
    from heatproof.start.columns import Records
    from heatproof.start.scores import Score

SIDES = (
    ("model_a", "model_b"), ("model_1", "model_2"), ("model1", "model2"), ("model_x", "model_y"),
    ("generator_1", "generator_2"), ("assistant_a", "assistant_b"), ("player_a", "player_b"),
    ("player_1", "player_2"), ("system_a", "system_b"), ("system_1", "system_2"),
    ("agent_a", "agent_b"), ("agent_1", "agent_2"), ("left_model", "right_model"),
    ("left", "right"), ("model_left", "model_right"),
)  # fmt: skip
"""What the two sides are called."""
WINNERS = (
    "winner", "win", "won", "preference", "preferred", "verdict", "outcome", "result", "judgment",
    "judgement", "vote", "choice", "label",
)  # fmt: skip
"""What tells who won."""
TIE = re.compile(r"tie|draw|both|equal|neither|same", re.IGNORECASE)
FEW = 8
"""Texts that say who won are at most."""


class Duel(NamedTuple):
    """How the records of a game are read."""

    side: str
    """Place of the side that the score is of."""
    opponent: str
    score: Score


def duel(records: Records) -> Duel | None:
    """The game that records are, if they are any; none whose winner is told in other words."""
    named = {name(place): place for place in reversed(records.places())}
    pair = next((pair for pair in SIDES if {*pair} <= {*named}), None)
    if pair is None:
        return None
    for place in (named[one] for one in WINNERS if one in named):
        told = Counter(str(value) for value in records.values(place) if value is not None)
        verdicts = {text: value for text in told if (value := _won(text, pair)) is not None}
        if {0.0, 1.0} <= {*verdicts.values()} and len(told) <= FEW:
            return Duel(named[pair[0]], named[pair[1]], worded(place, told, verdicts))
    return None


def _won(text: str, pair: tuple[str, str]) -> float | None:
    """What a text says of the first side: 1 for the winner; None where it says nothing."""
    word = name(text)
    for value, side in ((1.0, pair[0]), (0.0, pair[1])):
        own = side.rpartition("_")[2] if "_" in side else side[-1]
        if word in (side, own, f"{own}_win", f"{own}_wins", f"{side}_win", f"{side}_wins"):
            return value
    return 0.5 if TIE.search(text) else None
