"""How two models compare over all instances of a pair, counted once more in exact fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from heatproof.kinds import recount
from heatproof.kinds.pairwise import compared
from heatproof.kinds.pairwise.binning import EQUAL
from heatproof.kinds.pairwise.traced import Key
from heatproof.kinds.recount import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.behind import Recounted
    from heatproof.util.lazy import polars as pl

Models = tuple[str, str]
"""Those of a pair: x, y."""
Lead = tuple[Key, Fraction]
"""The problem, or family, of an instance, and its x − y."""


def recounted(
    leads: Mapping[Models, Sequence[Lead]], grid: pl.DataFrame, made_up: bool
) -> Iterator[Recounted]:
    """Mean, wins, ties, losses and p of each pair; `leads`: x − y of all its instances.

    `made_up`: which instances were solved is not known, so that nothing is compared.
    """
    units = [_units(pair) for pair in leads.values()]
    chances = recount.holm([recount.sign_test(*_ahead(unit)) for unit in units])
    rows = compared.pairs(grid).iter_rows(named=True)
    for row, (models, pair), unit, chance in zip(rows, leads.items(), units, chances, strict=True):
        each = [one for _, one in pair]
        won, lost = _ahead(each)
        mean = None if made_up else sum(each, Fraction(0)) / len(each)
        tested = (None, None) if made_up else (len(unit), chance)
        tallies = len(each), won, len(each) - won - lost, lost, tested[0]
        agrees = tallies == (row["n"], row["wins"], row["ties"], row["losses"], row["units"])
        agrees = agrees and same(row["mean"], mean) and same(row["p"], tested[1])
        value = None if mean is None else float(mean)
        yield f"x_model={models[0]}, y_model={models[1]}", row["mean"], value, agrees


def _units(pair: Sequence[Lead]) -> list[Fraction]:
    """The mean lead in each problem, or family."""
    found: dict[Key, list[Fraction]] = defaultdict(list)
    for unit, lead in pair:
        found[unit].append(lead)
    return [sum(leads, Fraction(0)) / len(leads) for leads in found.values()]


def _ahead(leads: Sequence[Fraction]) -> tuple[int, int]:
    """How often x is ahead, and how often y; by a hair is not."""
    hair = Fraction(EQUAL)
    return sum(one > hair for one in leads), sum(one < -hair for one in leads)
