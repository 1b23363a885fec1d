"""How cells that share problems stand among each other: the best, the tied set, and chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap.peers import ALPHA
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heatproof.statistics import Chance

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]

ROUNDING = 1e-9
"""Cells that differ by less, in parts of the largest score, differ by rounding only."""
MOST = 10**12
"""More problems than these nobody will have, nor does a column hold them."""


@dataclass(frozen=True)
class Peers:
    """Cells with a value that share problems; matrices are of shape (problems, cells)."""

    total: Floats
    """Sums of scores, with a sign that makes the highest the best."""
    count: Ints
    task: Ints
    family: Ints
    value: Floats
    """Shape (cells,), with the same sign."""

    def among(self, cells: Ints) -> Peers:
        """Some of the cells, and the problems that these hold."""
        held = (self.count[:, cells] > 0).any(axis=1)
        if held.all() and len(cells) == len(self.value):
            return self
        total, count = self.total[held][:, cells], self.count[held][:, cells]
        return Peers(total, count, self.task[held], self.family[held], self.value[cells])

    @property
    def uneven(self) -> bool:
        """Whether some cell lacks a problem that another holds."""
        return not bool((self.count > 0).all(axis=1).all())

    @property
    def common(self) -> int:
        """Problems that all cells hold."""
        return int((self.count > 0).all(axis=1).sum())

    def best(self, tied: Flags | None = None) -> Flags:
        """The highest cells; of cells with other problems each, the highest on equal problems.

        That is by the mean distance of their scores from the mean of the same problem over all
        cells that hold it. Where the `tied` set is known, the best are of it.
        """
        from heatproof import statistics

        if not self.uneven:
            return np.asarray(self.value == self.value.max())
        level = statistics.levels(self.total, self.count, self.task)
        level = level if tied is None else np.where(tied, level, -np.inf)
        scores = self.total / np.maximum(self.count, 1)
        return np.asarray(level >= level.max() - ROUNDING * np.abs(scores).max())

    def judged(self, share: bool) -> dict[str, Any]:
        """The tied set and what chance gives; `share`: no two values are further apart than 1."""
        from heatproof import statistics

        tied = statistics.tied(self.total, self.count, self.task, ALPHA, group=self.family)
        chance = statistics.chance_range(
            self.total, self.count, self.task, ALPHA, group=self.family
        )
        best = self.best(tied)
        far = share and max(chance.equal, chance.high) > 1 + ROUNDING
        return {
            "best": best,
            "tied": tied,
            "spread": chance.spread,
            "spread_equal": None if far else chance.equal,
            "chance_median": None if far else chance.median,
            "chance_high": None if far else chance.high,
            "chance_p": chance.p,
            "separated": int((~tied & ~best).sum()),
            "needed": self._needed(best, chance),
        }

    def _needed(self, best: Flags, chance: Chance) -> int | None:
        """Problems that would part the best from the runner-up; none where all may be chance."""
        from heatproof import statistics

        if not chance.p <= ALPHA:
            return None
        found = statistics.problems_needed(
            self.total, self.count, self.task, ALPHA, group=self.family
        )
        known = found and found.needed and best[found.best] and found.needed < MOST
        return found.needed if found and known else None
