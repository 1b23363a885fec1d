"""How a fact on a cell looks: one look in all kinds of figures, in tables of LaTeX and on the page.

`MISSING` stands where a value would. `TIED` and `INCOMPLETE` stand beside one: behind a number, in
a corner of a coloured cell, at the upper left of a point. They are paths of SVG, which Vega takes
for the shape of a point and draws in pixels at `size=4`; so no typeface must have them. Lengths are
pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import theme
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.cell import Drawn
    from heatproof.kinds.lattice import Size
    from heatproof.kinds.picture import Layers


class Look(NamedTuple):
    """One look of one fact."""

    mark: str  # what it is called in figures and captions, before its meaning
    sign: str  # stands behind numbers of the page, and before its meaning below tables of LaTeX
    tex: str  # stands behind numbers of such a table, raised
    flagged: str  # test of a row of data


TIED = Look("dot", "•", r"\bullet", "datum.dotted")
INCOMPLETE = Look("†", "†", r"\dagger", "datum.incomplete")
MISSING = Look("–", "–", "--", "datum.missing")

DOT, DAGGER, LEAST = 1.0, 4.4, 2.8
"""Radius of the dot, and height of the dagger; the least of one below digits."""
SPAN, STROKE, CROSSING = 0.54, 0.18, 0.22
"""Width of the dagger, of its two strokes, and from its top to its arms, as parts of its height."""
INSET, CLEAR = 1.3, 0.8  # from a mark in a corner to the edges of the cell, and to digits
BEHIND, RAISED = 1.9, 0.22
"""Of a dot behind a number: how far from its end, and how high as a part of its size."""
AFTER_DOT = 2.7  # from the middle of a dot to that of a dagger behind it
ROOM = 4.2  # of a mark behind a number
DASH, DASH_STROKE = 4.0, 0.8  # of `MISSING`, as a path
OFF_POINT = 4.6  # how far from a point, to the left and upward, its dagger is
DAGGER_BOX = (-6.0, -7.0, -3.4, -2.4)  # of this dagger: left, top, right, foot from the point
CASING = 1.4  # of the white that sets this dagger off lines below it


def dot_path(radius: float, x: float = 0.0, y: float = 0.0) -> str:
    """A circle; by default in the middle of a cell."""
    half_turn = f"a{radius:.3f},{radius:.3f},0,1,1,"
    turn = f"{half_turn}{2 * radius:.3f},0{half_turn}-{2 * radius:.3f},0Z"
    return f"M{x - radius:.3f},{y:.3f}{turn}"


def corner_dot_path(cell: Size) -> str:
    """A dot at the upper right of a cell, as a path around its middle."""
    inset = DOT + INSET
    right, top = cell[0] / 2, -cell[1] / 2
    return dot_path(DOT, right - inset, top + inset)


def dagger_path(height: float, x: float = 0.0, y: float = 0.0) -> str:
    """A dagger; by default in the middle of a cell."""
    thick = STROKE * height
    wide = SPAN * height
    top = y - height / 2
    stem = _bar_path(x, top, thick, height)
    return stem + _bar_path(x, top + CROSSING * height, wide, thick)


def _bar_path(middle: float, top: float, wide: float, high: float) -> str:
    return f"M{middle - wide / 2:.3f},{top:.3f}h{wide:.3f}v{high:.3f}h{-wide:.3f}Z"


def corner_dagger_path(cell: Size, digits: float) -> str:
    """A dagger at the lower left of a cell, as a path around its middle; below what stands in it.

    `digits`: height of that.
    """
    smallest = min(cell)
    inset = min(INSET, 0.06 * smallest)
    room = max((cell[1] - digits) / 2 - inset - CLEAR, LEAST)
    height = min(DAGGER, 0.4 * smallest, room)
    x = -cell[0] / 2 + inset + SPAN * height / 2
    y = cell[1] / 2 - inset - height / 2
    return dagger_path(height, x, y)


def dash_path(cell: Size = (2 * DASH, 2 * DASH)) -> str:
    """What stands where there is no value: a dash in the middle of a cell."""
    return _bar_path(0.0, -DASH_STROKE / 2, min(DASH, min(cell) / 2), DASH_STROKE)


def stamp(base: alt.Chart, flagged: str, path: str, **style: Any) -> alt.Chart:
    """A path at the place of each row of data that passes a test."""
    style = {"fill": "transparent", "stroke": None, "opacity": 1, "aria": False, **style}
    layer: alt.Chart = base.transform_filter(flagged).mark_point(shape=path, size=4, **style)
    return layer


def room_behind(cells: Sequence[Drawn]) -> float:
    """What the marks behind numbers take."""
    return max(ROOM * (cell.dotted + cell.incomplete) for cell in cells)


def marks_behind(cells: Sequence[Drawn], base: alt.Chart, x: str, size: float, ink: Any) -> Layers:
    """Dots and daggers behind numbers that end at `x`, an expression; `size`: of their type."""
    style = {"y": alt.expr(f"datum.py - {size * RAISED:.2f}"), "fill": ink}
    dot_x = f"{x} + {BEHIND}"
    layers = []
    if any(cell.dotted for cell in cells):
        layers.append(stamp(base, TIED.flagged, dot_path(DOT), x=alt.expr(dot_x), **style))
    if any(cell.incomplete for cell in cells):
        dagger_x = alt.expr(f"{dot_x} + (datum.dotted ? {AFTER_DOT} : 0)")
        dagger = dagger_path(DAGGER, y=size * RAISED / 2)
        layers.append(stamp(base, INCOMPLETE.flagged, dagger, x=dagger_x, **style))
    return layers


def daggers_at(cells: Sequence[Drawn], points: alt.Chart, **place: Any) -> Layers:
    """Daggers at the upper left of points; `place`: of points off their place."""
    if not any(cell.incomplete for cell in cells):
        return []
    path = dagger_path(DAGGER, -OFF_POINT, -OFF_POINT)
    casing = {"stroke": theme.PAPER, "strokeWidth": CASING}
    return [
        stamp(points, INCOMPLETE.flagged, path, **casing, **place),
        stamp(points, INCOMPLETE.flagged, path, fill=theme.INK, **place),
    ]


def tex_marks(cell: Drawn) -> str:
    """What stands behind a number of a LaTeX table: it takes no room, so that numbers align."""
    signs = ""
    if cell.dotted:
        signs += TIED.tex
    if cell.incomplete:
        signs += INCOMPLETE.tex
    signs += cell.stars
    if signs:
        return rf"\rlap{{$^{{{signs}}}$}}"
    return ""
