"""Games of two models: which columns name the two, which the winner, and what its words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.init.facts import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.init.facts import Facts

OPPONENT = "opponent"
"""The hyper-parameter that names the other model of a game."""
SIDES = {"a": "b", "A": "B", "1": "2", "left": "right", "first": "second"}
"""What ends or begins the name of the first column → the same of the second."""
TIES = {"tie", "ties", "tied", "draw", "both", "equal", "same", "neither"}
WINNERS = ("winner", "preference", "preferred", "verdict", "judgment", "choice", "vote", "result")
"""Words of names of columns of winners, the surest first."""
SHARED = 0.5  # part of the names of the first column that are in the second, too
UNKNOWN = 3  # words of a column of winners that only a person can explain, at most


class Sides(NamedTuple):
    """Columns of the two models of a game; what ends or begins their names."""

    first: Facts
    second: Facts
    ends: tuple[str, str]

    @property
    def models(self) -> set[str]:
        """All models that play."""
        values = self.first.values + self.second.values
        return set(map(str, values))

    def points(self, value: Any) -> float | None:
        """What a word gives the first model: 1, 0 or half; None if it does not say so.

        Such are `model_a`, `A`, `[[B]]`, `tie (bothbad)`.
        """
        point_words = words(str(value).replace(".", " "))
        if not TIES.isdisjoint(point_words):
            return 0.5
        last = point_words[-1:]
        for end, point in zip(self.ends, (1.0, 0.0), strict=True):
            if last == [end.lower()]:
                return point
        return None


def layout_of_games(columns: Mapping[str, Facts]) -> dict[str, Any]:
    """What is known of records of games, as `facts.layout` says it; empty if they are none."""
    for sides in _pairs(columns):
        for word in WINNERS:
            for name, facts in columns.items():
                if word in words(name) and _names_winners(facts, sides):
                    return _layout(facts, sides)
    return {}


def _pairs(columns: Mapping[str, Facts]) -> Iterator[Sides]:
    """Columns whose names differ in their sides, and that hold the same names of models."""
    for name, first in columns.items():
        for one, other in SIDES.items():
            if name.endswith(one):
                partner = name.removesuffix(one) + other
            elif name.startswith(one):
                partner = other + name.removeprefix(one)
            else:
                continue
            second = columns.get(partner)
            if second and _share_names(first, second):
                yield Sides(first, second, (one, other))


def _share_names(first: Facts, second: Facts) -> bool:
    """Whether two columns of names have many in common; one may be the same model always."""
    if not first.type == second.type == "text":
        return False
    names, others = set(map(str, first.values)), set(map(str, second.values))
    if len(names | others) < 2:
        return False
    fewer = min(len(names), len(others))
    return fewer == 1 or len(names & others) >= SHARED * fewer


def _names_winners(facts: Facts, sides: Sides) -> bool:
    """Whether a column says who won: by the names of columns or sides, or of the models."""
    values = set(map(str, facts.values))
    names = values & sides.models
    points = {value: sides.points(value) for value in values - names}
    distinct = {point for point in points.values() if point is not None}
    unknown = [value for value, point in points.items() if point is None]
    decided = len(names) > 1 or {0.0, 1.0} <= distinct
    return facts.type == "text" and decided and len(unknown) <= UNKNOWN


def _layout(winner: Facts, sides: Sides) -> dict[str, Any]:
    values = set(map(str, winner.values)) - sides.models
    points = {value: sides.points(value) for value in sorted(values)}
    verdicts = {value: point for value, point in points.items() if point is not None}
    unknown = [value for value in points if value not in verdicts]
    verdicts = verdicts or {"tie": 0.5}  # texts need a word, beside the names of models
    roles = {"score": winner.name, "model": sides.first.name, OPPONENT: sides.second.name}
    return {"roles": roles, "entry": {"versus": OPPONENT, "verdicts": verdicts}, "unknown": unknown}
