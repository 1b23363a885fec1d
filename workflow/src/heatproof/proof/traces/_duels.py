"""How two models compare over all instances of a pair, counted once more in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heatproof.pairwise import compared
from heatproof.pairwise.binning import EQUAL
from heatproof.proof import recount
from heatproof.proof.recount import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.lazy import polars as pl
    from heatproof.proof.behind import Recounted

Models = tuple[str, str]
"""Those of a pair: x, y."""


def recounted(
    leads: Mapping[Models, Sequence[Fraction]], grid: pl.DataFrame
) -> Iterator[Recounted]:
    """Mean, wins, ties, losses and p of each pair; `leads`: x − y of all its instances."""
    hair = Fraction(EQUAL)
    wins, losses = ([sum(sign * one > hair for one in pair) for pair in leads.values()]
                    for sign in (1, -1))  # fmt: skip
    chances = recount.holm([recount.sign_test(*both) for both in zip(wins, losses, strict=True)])
    rows = compared.pairs(grid).iter_rows(named=True)
    counted = zip(rows, leads.items(), wins, losses, chances, strict=True)
    for row, (models, pair), won, lost, chance in counted:
        mean = sum(pair, Fraction(0)) / len(pair) if pair else None
        tallies = len(pair), won, len(pair) - won - lost, lost
        agrees = tallies == (row["n"], row["wins"], row["ties"], row["losses"])
        agrees = agrees and same(row["mean"], mean) and same(row["p"], chance)
        value = None if mean is None else float(mean)
        yield f"x_model={models[0]}, y_model={models[1]}", row["mean"], value, agrees
