"""In which order parts of a text are drawn that run from right to left (Unicode Standard Annex 9).

The text as a whole runs from left to right, as a figure does, and holds no marks of direction: for
such text this gives what the annex does, but for brackets that stand at a change of direction.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

_NUMBERS = ("EN", "AN")
_STRONG = {"L": 0, "R": 1, "AL": 1}
_INVISIBLE = ("NSM", "BN")


class Stretch(NamedTuple):
    """A part of a text that runs one way."""

    text: str
    leftwards: bool


@cache
def stretches(text: str) -> tuple[Stretch, ...]:
    """The parts of a text from left to right; the signs of each in the order of reading."""
    kinds = [unicodedata.bidirectional(sign) for sign in text]
    if not {"R", "AL", "AN"} & {*kinds}:
        return (Stretch(text, False),) if text else ()
    levels = _levels(kinds)
    found: list[Stretch] = []
    for backwards, group in groupby(zip(text, levels, strict=True), lambda pair: pair[1] > 0):
        parts = [
            Stretch("".join(sign for sign, _ in part), level == 1)
            for level, part in groupby(group, lambda pair: pair[1])
        ]
        found += reversed(parts) if backwards else parts
    return tuple(found)


def _levels(given: list[str]) -> list[int]:
    """0 of what runs rightwards, 1 leftwards, 2 of numbers between the latter."""
    return [2 if kind in _NUMBERS else _STRONG[kind] for kind in _neutral(_weak(given))]


def _weak(given: list[str]) -> list[str]:
    """Rules W1 to W7: numbers, and the signs that belong to them."""
    kinds, before, strong = [], "L", "L"
    for kind in given:
        here = before if kind in _INVISIBLE else kind
        strong = here if here in _STRONG else strong
        before = "AN" if here == "EN" and strong == "AL" else here
        kinds.append(before)
    kinds = ["R" if kind == "AL" else kind for kind in kinds]
    for at in range(1, len(kinds) - 1):
        if _joins(*kinds[at - 1 : at + 2]):
            kinds[at] = kinds[at - 1]
    for order in (1, -1):
        for one, other in pairwise(range(len(kinds))[::order]):
            if (kinds[one], kinds[other]) == ("EN", "ET"):
                kinds[other] = "EN"
    words = [*accumulate(kinds, lambda last, kind: kind if kind in _STRONG else last, initial="L")]
    pairs = zip(kinds, words[1:], strict=True)
    return ["L" if (kind, word) == ("EN", "L") else kind for kind, word in pairs]


def _joins(before: str, kind: str, after: str) -> bool:
    """Whether a sign, such as a decimal point, makes one number of two."""
    joint = kind == "CS" or (kind == "ES" and before == "EN")
    return joint and before == after and before in _NUMBERS


def _neutral(kinds: list[str]) -> list[str]:
    """Rules N1 and N2: what stands between two words that run one way goes with them."""
    known = (*_STRONG, *_NUMBERS)
    found = [*kinds]
    at = 0
    for neutral, group in groupby(kinds, lambda kind: kind not in known):
        size = len([*group])
        if neutral:
            before = _side(kinds[at - 1]) if at else "L"
            after = _side(kinds[at + size]) if at + size < len(kinds) else "L"
            found[at : at + size] = [before if before == after else "L"] * size
        at += size
    return found


def _side(kind: str) -> str:
    return "R" if kind in _NUMBERS else kind
