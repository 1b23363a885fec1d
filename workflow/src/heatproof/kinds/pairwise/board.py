"""The pairs of a figure as a board: models ranked, and each pair seen from the better one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.kinds.pairwise import words
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.pairwise.entry import Entry

Row = dict[str, Any]
MOST = 10
"""Models up to which a board has densities above the diagonal."""
SAME = 1e-9
"""Two mean leads closer than this are equal."""


@dataclass(frozen=True)
class Duel:
    """How the model of a column compares with that of a row below it on the board."""

    column: str
    row: str
    turned: bool
    """The grid has the row's model as x."""
    n: int
    won: int
    ties: int
    lost: int
    units: int | None
    lead: float
    """Mean difference column − row."""
    low: float | None
    high: float | None
    """Its interval, which holds for all pairs of the board together."""
    judged: bool
    """False where it is not known which instances were solved: then there is no verdict."""
    bins: list[Row]
    """Those that hold instances, with the row's model along y: `x0`, `x1`, `y0`, `y1`, `samples`,
    `difference`."""

    @property
    def apart(self) -> bool:
        """Whether the two are told apart: their interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class Board:
    """All pairs of models."""

    order: list[str]
    """The models, from the first row and column on."""
    called: Mapping[str, str]
    """What each is called in the figure."""
    duels: list[Duel]
    """Column by column of the lower triangle."""
    across: int
    """Bins along an axis."""
    verdicts: bool
    """Whether each instance is right or wrong, so that there are two."""

    @cached_property
    def leads(self) -> dict[str, float]:
        """Model → the mean of its mean leads over each of the others."""
        found: dict[str, list[float]] = {name: [] for name in self.order}
        for duel in self.duels:
            found[duel.column].append(duel.lead)
            found[duel.row].append(-duel.lead)
        return {name: sum(leads) / len(leads) for name, leads in found.items()}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Model → how many are ahead of it on average, and one."""
        leads = self.leads
        return {
            name: 1 + sum(other > mine + SAME for other in leads.values())
            for name, mine in leads.items()
        }

    @property
    def furthest(self) -> float:
        """The largest difference."""
        return max(abs(duel.lead) for duel in self.duels)

    @property
    def mixed(self) -> bool:
        """Whether some differences are below zero."""
        return any(duel.lead < -SAME for duel in self.duels)

    @property
    def judged(self) -> bool:
        """Whether there are verdicts."""
        return any(duel.judged for duel in self.duels)

    @property
    def fullest(self) -> int:
        """The most instances in a bin."""
        return max(int(row["samples"]) for duel in self.duels for row in duel.bins)


def read(grid: pl.DataFrame, entry: Entry) -> Board:
    """The board of a grid."""
    called, verdicts = entry.titles, words.are_verdicts(grid, entry)
    parts = grid.partition_by("x_model", "y_model", maintain_order=True)
    across = len(parts[0]["x0"].unique())
    listed = [_duel(part, turned=False) for part in parts]
    first = Board([*called], called, listed, across, verdicts)
    if entry.sorted == "config":
        order = [*called]
    else:
        order = sorted(called, key=lambda name: -round(first.leads[name], 12))
    place = {name: n for n, name in enumerate(order)}
    duels = [
        _duel(part, turned=place[one.column] > place[one.row])
        for part, one in zip(parts, listed, strict=True)
    ]
    duels.sort(key=lambda one: (place[one.column], place[one.row]))
    return Board(order, called, duels, across, verdicts)


def _duel(part: pl.DataFrame, turned: bool) -> Duel:
    """A pair, x in the column; or `turned`, y."""
    first = part.row(0, named=True)
    x, y = (first["x_model"], first["y_model"])
    low, high = first["simultaneous_low"], first["simultaneous_high"]
    lead = first["mean"] if first["mean"] is not None else _mean(part)
    if turned:
        low, high = (None if end is None else -end for end in (high, low))
    return Duel(
        column=y if turned else x,
        row=x if turned else y,
        turned=turned,
        n=first["pair_n"],
        won=first["losses" if turned else "wins"],
        ties=first["ties"],
        lost=first["wins" if turned else "losses"],
        units=first["units"],
        lead=-lead if turned else lead,
        low=low,
        high=high,
        judged=first["mean"] is not None,
        # Above the diagonal the same two meet with the better one as the row.
        bins=[_seen(row, not turned) for row in part.iter_rows(named=True) if row["samples"]],
    )


def _mean(part: pl.DataFrame) -> float:
    """The mean difference of made-up instances: whichever were solved, it is the same."""
    held = part.filter(pl.col("samples") > 0).select("samples", "difference").rows()
    return float(math.fsum(n * lead for n, lead in held) / sum(n for n, _ in held))


def _seen(row: Mapping[str, Any], turned: bool) -> Row:
    """A bin with x and y exchanged if `turned`; `difference` is x − y."""
    ends = ("x0", "x1", "y0", "y1")
    other = ("y0", "y1", "x0", "x1") if turned else ends
    lead = row["difference"]
    return {
        **{end: row[from_] for end, from_ in zip(ends, other, strict=True)},
        "samples": row["samples"],
        "difference": -lead if turned else lead,
    }
