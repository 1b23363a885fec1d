"""Sizes and names of a board, measured before anything is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import LINE, SLOPE, Labels, cut_labels, fit_labels, stacked, widest
from heatproof.charts.sheet import Sheet
from heatproof.config import venues
from heatproof.kinds.pairwise.entry import CELLS, SMALLEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.entry import Entry

MOST = 10
"""Models up to which a board has densities above the diagonal."""
LARGEST = 60.0
"""Side of a square at most."""
PAIRED = 30.0
"""Least side of a square with two lines in it, or with a density."""
NAMES = 0.27
"""The part that names of rows may take."""
GAP = 2.0
GAP_SMALL = 1.0
"""Between squares."""
PAD = 5.0
"""From names to squares."""
LIFT = 3.0
"""From the squares to the names of columns."""
LEAD = 4.0
"""From names to mean leads beside them."""
BOLD = 0.93
"""Width of a regular line as a part of the same in bold."""
HALF = 0.7
"""Of a line's height beside its middle, as a part of the size of its type: as Vega reckons."""
HANG = 80.0
"""Height of an upright name, about."""
ROOM = 4.0
"""Around a difference, the gap to the next square included."""
BAR = 72.0
"""Height of a colour bar."""
ROWS = 2
"""Most lines of the name of a row."""
BELOW = 2.0
AROUND = 110.0
"""Height kept free for title, names of columns and lines below."""
LEAST = 260.0
"""A page is no narrower, for the lines below, but where that is asked for."""
EDGE = 2.5
"""Of frames that hang out of their squares, and of rounding."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a board, in pt; places count from the upper left corner of the squares."""

    width: float
    step: float
    """From one square to the next."""
    rows: Mapping[str, Sequence[str]]
    """Model → lines of its name beside its row."""
    columns: Mapping[str, Sequence[str]]
    """Model → lines of its name over its column; one line where they are turned."""
    angle: int
    """By how much names of columns are turned; 0: they are not."""
    left: float
    """Room of the names of rows, their mean leads included."""
    right: float
    """What reaches beyond the squares: turned names, a bar beside them."""
    head: float
    """Room of a title."""
    full: bool
    """Two lines in a square, densities above the diagonal; else the lower triangle alone."""
    bar: float
    """Room of a colour bar, for squares without digits; 0 where they have some."""
    id: bool
    """Whether the figure's id stands in its corner."""

    @property
    def gap(self) -> float:
        """Between two squares."""
        return GAP if self.full else GAP_SMALL

    @property
    def side(self) -> float:
        """Of a square."""
        return self.step - self.gap

    @property
    def reach(self) -> float:
        """From the first square's edge to the last one's."""
        return len(self.rows) * self.step - self.gap

    @property
    def cut(self) -> list[str]:
        """Models of whose names a part is printed alone."""
        return [*cut_labels(self.rows).values()]

    @property
    def above(self) -> float:
        """Room above the squares: the title, and names of columns as far as they reach up."""
        # On the diagonal the first name stands highest, and each as much lower as a square is high.
        drop = 0.0 if self.full else self.step
        heights = (_height(lines, self.angle) for lines in self.columns.values())
        tops = [height - at * drop for at, height in enumerate(heights)]
        return self.head + max(*tops, 0.0) + 2.0 + LIFT + BELOW

    @property
    def sheet(self) -> Sheet:
        """The page: one chart, of the squares; no wider than it must be for them and the lines."""
        needed = math.ceil(self.left) + self.reach + self.right + EDGE
        width = min(self.width, max(math.ceil(needed), LEAST))
        margin = max(width - needed, 0.0) / 2
        return Sheet(
            width=width,
            left=math.ceil(margin + self.left),  # Vega rounds it up in any case
            above=self.above,
            below=BELOW,
            height=self.reach,
            gap=0.0,
            rows=1,
            margin=margin,
            with_id=self.id,
        )


def _height(lines: Sequence[str], angle: int) -> float:
    """Of a name over its column."""
    if not angle:
        return LINE * len(lines)
    turn = math.radians(angle)
    return widest(lines, theme.LABEL) * math.sin(turn) + theme.LABEL * HALF * math.cos(turn)


def plan_board(models: Sequence[str], entry: Entry, number: float, bar: float) -> Plan:
    """The board with squares as large as the names let them be.

    Args:
        models: their names in their order.
        entry: says how wide and how high it may be, and whether it has a title.
        number: width of the widest difference in type of `theme.SMALL`.
        bar: room of a colour bar, for a board whose squares have no room for digits.
    """
    width, count = theme.width(entry.width), len(models)
    # The step at most, lest the board is higher than a page.
    high = (venues.height(entry.height, entry.width) - AROUND) / count
    head = theme.line_height(theme.HEAD) + 4.0 if entry.title else 0.0
    plan = partial(Plan, width=width, head=head, id=entry.id)
    if count <= MOST:
        rows = stacked(models, NAMES * width * BOLD, ROWS)
        longest = widest(chain(*rows.values()), theme.LABEL, bold=True)
        left = max(longest, widest(["+0.000 on average"], theme.SMALL)) + PAD
        step, labels, hang = _columns(models, width, left + EDGE, min(LARGEST, high), GAP)
        full = plan(
            step=step, rows=rows, columns=labels.lines, angle=labels.angle, left=left, right=hang,
            full=True, bar=0.0,
        )  # fmt: skip
        if full.side >= PAIRED:
            return full
    leads = widest(["+0.000"], theme.SMALL) + LEAD + PAD
    for room in (0.0, bar):
        least = SMALLEST if room else number + ROOM
        # Of a bar that has no room in the empty corner.
        beside = 0.0 if count * least - HANG - room >= BAR else room
        spare = (CELLS + NAMES) * width - leads - EDGE - beside - count * least - 1.0
        rows = stacked(models, max(NAMES * width - leads, spare), 1)
        left = widest(chain(*rows.values()), theme.LABEL) + leads
        step, labels, hang = _columns(models, width, left + beside + EDGE, high, GAP_SMALL)
        lower = plan(
            step=step, rows=rows, columns=labels.lines, angle=labels.angle, left=left,
            right=hang + beside, full=False, bar=room,
        )  # fmt: skip
        if step >= least:
            break
    return lower


def _columns(
    models: Sequence[str], width: float, used: float, most: float, gap: float
) -> tuple[float, Labels, float]:
    """The step, names of columns, and how far these reach beyond the squares where they slant."""
    count, room, hang = len(models), width - used, 0.0
    step = min(room / count, most)
    labels = fit_labels(models, step)
    if labels.angle and step * SLOPE >= LINE:
        reach = widest(models, theme.LABEL) * SLOPE + theme.LABEL * HALF
        hang = min(max(reach - step / 2, 0.0), (1 - CELLS - NAMES) * width)
        step = min((room - hang) / count, most)
        labels = fit_labels(models, step, hang)
    # The step, a bit less, at which all squares together are whole pt: Vega rounds the page up.
    return (math.floor(step * count - gap) + gap) / count, labels, hang
