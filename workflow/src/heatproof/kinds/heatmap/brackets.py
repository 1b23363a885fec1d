"""Brackets that name the blocks of nested axes: a level for each column of a list but its last.

They stand beyond the labels of their axis, the innermost level next to these. Lengths are pt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.labels import LINE, NARROW, Labels, is_cut, stacked
from heatproof.charts.lettering import widest, wrapped
from heatproof.kinds.heatmap.grouping import BRACKET, bracket, label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import altair as alt

    from heatproof.kinds.heatmap.layout import Layout
    from heatproof.kinds.heatmap.outline import Span

    Place = tuple[str, ...]
    """What a block is called at each level, the outermost first."""


TURNED = 2
"""Most lines of a turned label beside the cells."""
OVER = 6.0
"""A turned label may be so much longer than its bracket."""


@dataclass(frozen=True)
class Level:
    """The brackets of one level."""

    labels: Sequence[str]
    reach: Sequence[Span]
    """Where each begins and ends, from the first cell of the strip."""
    lines: Mapping[str, Sequence[str]]
    """Label → its lines."""
    angle: int
    """0 (level), 45 or 90 (turned, read upwards)."""
    room: float
    """From the edge of this level that is nearer to the cells to the other one."""

    @property
    def cut(self) -> dict[str, str]:
        """What is shown of labels that have no room → the whole of them."""
        return {lines[0]: one for one, lines in self.lines.items() if is_cut(lines, one)}


@dataclass(frozen=True)
class Brackets:
    """The levels below the labels of x and left of those of y, the innermost first."""

    below: Sequence[Level] = field(default_factory=list)
    left: Sequence[Level] = field(default_factory=list)

    @property
    def rooms(self) -> tuple[float, float]:
        """Of all levels: below, and left."""
        return sum(level.room for level in self.below), sum(level.room for level in self.left)

    @property
    def cut(self) -> dict[str, str]:
        """What is shown of labels that have no room → the whole of them."""
        return {
            short: whole
            for level in [*self.below, *self.left]
            for short, whole in level.cut.items()
        }


def columns(places: Sequence[Place], layout: Layout, left: float) -> list[Level]:
    """The levels below the cells. `places`: of the blocks of a row; `left`: room before them."""
    pitch = layout.box[0] + layout.needs.apart_beside
    return [_below(runs, left) for runs in _levels(places, pitch, layout.box[0])]


def rows(places: Sequence[Place], layout: Layout, between: float, longest: float) -> list[Level]:
    """The levels left of them. `places`: of the blocks of a column; `between`: two of its blocks.

    `longest`: a label that is not turned is cut beyond.
    """
    pitch = layout.box[1] + between
    return [_left(runs, longest) for runs in _levels(places, pitch, layout.box[1])]


Run = tuple[str, "Span"]


def _levels(places: Sequence[Place], pitch: float, size: float) -> list[list[Run]]:
    """For each level, the innermost first, what its brackets are called and where they lie."""
    found = []
    for deep in range(len(places[0]) if places else 0, 0, -1):
        runs, start = [], 0
        for place, blocks in groupby(places, key=lambda place: place[:deep]):
            end = start + len([*blocks])
            runs.append((place[-1], (start * pitch, (end - 1) * pitch + size)))
            start = end
        found.append(runs)
    return found


def _below(runs: Sequence[Run], left: float) -> Level:
    labels = Labels.of(
        tuple(dict.fromkeys(label for label, _ in runs)),
        min(end - start for _, (start, end) in runs) + NARROW,
        left,
    )
    names, reach = zip(*runs, strict=True)
    return Level(names, reach, labels.shown, labels.angle, 2 * BRACKET + labels.height)


def _left(runs: Sequence[Run], longest: float) -> Level:
    names, reach = zip(*runs, strict=True)
    high = min(end - start for start, end in reach)
    turned = {name: wrapped(name, high + OVER, theme.LABEL) for name in names}
    most = max(map(len, turned.values()))
    fits = widest((line for one in turned.values() for line in one), theme.LABEL) <= high + OVER
    if fits and most <= TURNED:
        return Level(names, reach, turned, 90, 2 * BRACKET + theme.LABEL + LINE * (most - 1))
    level = stacked(names, longest, max(int(high / LINE), 1))
    wide = widest((line for one in level.values() for line in one), theme.LABEL)
    return Level(names, reach, level, 0, 2 * BRACKET + wide)


def marks(found: Brackets, top: float, end: float) -> list[alt.Chart]:
    """All brackets with their labels, from the upper left corner of the first block.

    `top`: where the labels of x end; `end`: how far left of the cells those of y do.
    """
    layers: list[alt.Chart] = []
    for level in found.below:
        layers += _drawn_below(level, top + BRACKET)
        top += level.room
    for level in found.left:
        layers += _drawn_left(level, -end - BRACKET)
        end += level.room
    return layers


def _drawn_below(level: Level, y: float) -> Iterable[alt.Chart]:
    turned = {"angle": -level.angle % 360, "align": "right"} if level.angle else {}
    for name, (start, end) in zip(level.labels, level.reach, strict=True):
        yield bracket(start, y, end, y)
        how: dict[str, Any] = {"baseline": "middle" if level.angle else "top", **turned}
        yield label(level.lines[name], (start + end) / 2, y + BRACKET, **how)


def _drawn_left(level: Level, x: float) -> Iterable[alt.Chart]:
    for name, (top, foot) in zip(level.labels, level.reach, strict=True):
        lines, middle = level.lines[name], (top + foot) / 2
        yield bracket(x, top, x, foot)
        if level.angle:
            most = max(map(len, level.lines.values()))
            at = x - BRACKET - LINE * (most - 1)
            yield label(lines, at, middle, baseline="alphabetic", angle=270)
        else:
            up = LINE * (len(lines) - 1) / 2
            yield label(lines, x - BRACKET, middle - up, baseline="middle", align="right")
