"""All sizes of a forest, in pt: names at the left, values and counts at the right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, theme
from heatproof.charts.labels import PAD
from heatproof.charts.lettering import short_names, widest
from heatproof.charts.sheet import Sheet
from heatproof.kinds.heatmap import views_told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.quantity import Quantity
    from heatproof.kinds.forest.entry import Entry
    from heatproof.kinds.forest.rows import Rows

    Row = dict[str, Any]

STEP = 11.5
"""From one row to the next."""
NAMES = 0.42
"""Part of the width that names may take."""
GAP = 8.0
"""Beside the intervals."""
LEAST = 60.0
"""Width of the intervals, at least."""
COUNTED = "n"
"""What counts of problems are called."""
TITLE = theme.TITLE + 6.0


@dataclass(frozen=True)
class Layout:
    """Where all of a forest lies."""

    width: float
    plot: int
    most: int
    """Rows of the longest panel."""
    panels: int
    left: int
    names: Mapping[str, str]
    """Setting → its name as it is printed."""
    value: float
    """The right edge of the values, from the first interval's left end."""
    count: float
    """The right edge of the counts."""
    x: Quantity
    title: str
    """Of x."""
    titled: bool
    head: float
    id: bool

    @property
    def height(self) -> int:
        return math.ceil(self.most * STEP)

    @property
    def below(self) -> float:
        """Room for labels and title of x."""
        return quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL

    @property
    def above(self) -> float:
        """Room for the title of a panel and what stands over its numbers."""
        return theme.LABEL + 5.0 + (TITLE if self.titled else 0.0)

    @property
    def sheet(self) -> Sheet:
        return Sheet(
            width=self.width, left=self.left, above=self.above, below=self.below,
            height=self.height, gap=0.0, rows=self.panels, margin=0.0, head=self.head,
            named=self.id,
        )  # fmt: skip

    @staticmethod
    def middle(row: int) -> float:
        """How far down the middle of a row lies."""
        return (row + 0.5) * STEP


def layout(shown: Rows, entry: Entry) -> Layout:
    """Names and numbers as wide as they are, and the intervals in what is left."""
    width, found = theme.width(entry.width), shown.all
    texts = widest((row["label"] for row in found), theme.LABEL, bold=True)
    count = widest([COUNTED, *(row["n"] for row in found)], theme.LABEL)
    right = math.ceil(GAP + texts + GAP + count + 1)
    settings = list(dict.fromkeys(row["setting"] for row in found))
    room = max(min(NAMES * width, width - right - LEAST - 2 * GAP), 30.0)
    names = short_names(settings, room, theme.LABEL)
    left = math.ceil(widest(names.values(), theme.LABEL, bold=True) + GAP)
    plot = max(int(width - left - right), 20)
    log = entry.scale == "log"
    limits = views_told.value_limits(entry.cells())
    ends = [row[key] for row in found for key in ("value", "lower", "upper")]
    known = [one for one in ends if one is not None and (one > 0 or not log)]
    domain = quantity.padded(known, log, entry.domain)
    return Layout(
        width=width, plot=plot, most=max(map(len, shown.panels.values())),
        panels=len(shown.panels), left=left, names=names, value=plot + GAP + texts,
        count=plot + right - 1.0, x=quantity.along(domain, plot, log, limits),
        title=views_told.value_title(entry), titled=shown.titled,
        head=theme.line_height(theme.TITLE) + 3 if entry.title else 0.0, id=entry.id,
    )  # fmt: skip


def answers(plan: Layout, rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """The box of each row of a panel: left, top, width, height."""
    return [(0.0, round(n * STEP, 2), float(plan.plot), STEP) for n in range(len(rows))]
