"""Styles of lines and points: colours, shapes, dashes; and their legend.

Colours differ for red-green blindness (deutan, protan) too and have 3 : 1 or more on white. Shapes
and dashes tell series apart without colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from heatproof.charts import spec, theme
from heatproof.charts.colour import contrast, mixed
from heatproof.charts.lettering import text_width
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Styles = Mapping[str, "Style"]  # name of a line → how it is drawn

COLOURS = (
    "#0072b2", "#d55e00", "#2b2b2b", "#117733", "#882255", "#4a9bd1", "#808080", "#332288",
)  # fmt: skip
"""The dark ones of Okabe and Ito (2008) and Tol (2021), black and greys."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = ((1, 0), (4, 2), (1, 1.5), (6, 1.5, 1, 1.5))
READABLE = 4.5  # contrast of text: WCAG 2.2, 1.4.3
GLYPH = 18.0  # width of the piece of line before a name in the legend
MARK = 22.0  # area of a point, pt²


def line() -> float:
    """Distance in pt between names in a legend, or beside lines."""
    return theme.LEADING + 0.5


@dataclass(frozen=True)
class Style:
    """How a line and its points are drawn."""

    colour: str
    shape: str
    dash: tuple[float, ...]

    @property
    def ink(self) -> str:
        """The colour, darkened to 4.5 : 1 on white, for text."""
        for step in range(21):
            darker = mixed(step / 20, (self.colour, theme.INK))
            if contrast(darker, theme.PAPER) >= READABLE:
                break
        return darker

    def columns(self) -> dict[str, Any]:
        return {"colour": self.colour, "shape": self.shape, "dash": list(self.dash)}


def styles(names: Sequence[str]) -> dict[str, Style]:
    """A style for each name. The first 24 differ even where colour or shape is lost."""
    colours, shapes = cycle(COLOURS), cycle(SHAPES)
    dashes = cycle(dash for dash in DASHES for _ in COLOURS)
    return dict(zip(names, map(Style, colours, shapes, dashes), strict=False))


@dataclass(frozen=True)
class Legend:
    """Names in rows above the panels, each with its piece of line."""

    names: Sequence[str]
    rows: Sequence[Sequence[tuple[float, str]]]  # (left edge, name) of each, in pt

    @property
    def height(self) -> float:
        if not self.rows:
            return 0.0
        return len(self.rows) * line() + 3

    def data(self, styles: Styles, x: float, top: float) -> list[dict[str, Any]]:
        """A row of data per name. `x`, `top`: the upper left corner."""
        table = []
        for n, row in enumerate(self.rows):
            middle = round(top + (n + 0.5) * line(), 2)
            for left, name in row:
                place = {"name": name, "px": round(x + left, 2), "py": middle}
                table.append(place | styles[name].columns())
        return table

    def layers(self, data: str, line: bool) -> list[alt.Chart]:
        """The marks of the data set called `data`; `line`: with pieces of line beside points."""
        base = alt.Chart(alt.NamedData(data))
        colour, dash = alt.expr("datum.colour"), alt.expr("datum.dash")
        layers: list[alt.Chart] = []
        if line:
            ends = spec.places(x="px", x2=f"px + {GLYPH}", y="py")
            rules = base.mark_rule(color=colour, strokeWidth=1.3, strokeDash=dash, aria=False)
            layers.append(rules.encode(**ends))
        place: dict[str, Any] = {
            "x": alt.expr(f"datum.px + {GLYPH / 2}"),
            "y": alt.expr("datum.py"),
        }
        points = base.mark_point(
            shape=alt.expr("datum.shape"), size=MARK, fill=colour,
            stroke="#ffffff", strokeWidth=0.6, opacity=1, aria=False, **place,
        )  # fmt: skip
        layers.append(points)
        layers.append(spec.texts(base, "name", f"px + {GLYPH + 3}", fontSize=theme.LABEL))
        return layers


def legend(names: Sequence[str], width: float) -> Legend:
    """The names in rows that fill the width."""
    rows: list[list[tuple[float, str]]] = []
    left = width
    for name in names:
        entry_width = GLYPH + 3 + text_width(name, theme.LABEL)
        if not rows or left + entry_width > width:
            rows.append([])
            left = 0.0
        rows[-1].append((left, name))
        left += entry_width + 12
    return Legend(names, rows)


def spread_out(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as needed to be `gap` apart, in their order, from `low` to `high`.

    Neighbours that would touch stand as a block around their own middle (pool adjacent violators).
    """
    order = sorted(range(len(places)), key=lambda n: (places[n], n))
    blocks: list[tuple[float, int]] = []  # middle of the block, how many
    for n in order:
        blocks.append((places[n], 1))
        while len(blocks) > 1:
            (left, left_size), (right, right_size) = blocks[-2:]
            size = left_size + right_size
            if right - left >= gap * size / 2 - 1e-9:
                break
            middle = (left * left_size + right * right_size) / size
            blocks[-2:] = [(middle, size)]
    spread = []
    for middle, size in blocks:
        spread += [middle + (k - (size - 1) / 2) * gap for k in range(size)]
    last = len(spread) - 1
    spread = [max(place, low + k * gap) for k, place in enumerate(spread)]
    spread = [min(place, high - (last - k) * gap) for k, place in enumerate(spread)]
    return [place for _, place in sorted(zip(order, spread, strict=True))]
