"""Panels laid out flush on a page of exact width, with a footer below.

Flush layout counts only the boxes of panels and the gaps between them. What hangs out of the boxes
(labels, titles) has been measured, so all sizes are known before anything is drawn.

The footer has notes first, then what those marks mean that occur; the figure's id stands in its
corner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from heatproof.charts import theme
from heatproof.charts.lettering import wrap, wrapped
from heatproof.charts.spec import MARK
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SINGLE = "one"  # name of the data set with one row and nothing in it
ROW_GAP = 9.0  # between the labels of one row and the titles of the next
HEAD_APART = 5.0  # from the title of the figure to what stands over the panels
GAP = 7.0  # from what is above to the first line
BARE = 2.0  # from what is above to the end of the page where there is no line
LIKE = ", for problems like these"
"""What 95 % are of: other samples of such problems, not other runs of these."""
SLIM = 2.2  # of lines that are narrower, as a part of this room, the id stands below


def id_room() -> float:
    """Kept free at the right of the lines for the figure's id."""
    return theme.SMALL * 62 / 6


@dataclass(frozen=True)
class Sheet:
    """Sizes, in pt, of a page of rows of panels."""

    width: float
    left: float  # from the edge of the page to the first panel
    above: float  # room for the title of a panel
    below: float  # room for labels and title of its x axis
    height: float  # height of a panel's box
    gap: float  # between the boxes of neighbours
    rows: int
    margin: float  # from the edge of the page to where its content begins
    with_id: bool = True  # whether the figure's id stands in its corner
    head: float = 0.0  # room over the first row for what is said once, such as a legend
    title: str = ""  # of the figure, above all
    between: float | None = None
    """Between the boxes of two rows, if it is not room for all that stands around panels."""

    @property
    def inset(self) -> float:
        """From the edge of the page to the lines below, which take half of it at least."""
        return min(self.margin, self.width / 4)

    @property
    def text(self) -> float:
        """Width of the lines below, the figure's id among them."""
        return self.width - 2 * self.inset

    @property
    def title_lines(self) -> list[str]:
        """The title of the figure on as many lines as it needs."""
        return wrapped(self.title, self.text, theme.HEAD, True) if self.title else []

    @property
    def over(self) -> float:
        """From the edge of the page to the first row's boxes."""
        lines = self.title_lines
        room = HEAD_APART + len(lines) * theme.line_height(theme.HEAD) if lines else 0.0
        return room + self.head + self.above

    @property
    def row_gap(self) -> float:
        """Between the boxes of two rows."""
        return self.below + ROW_GAP + self.above if self.between is None else self.between

    @property
    def reach(self) -> float:
        """From the top of the first row's boxes to the bottom of the last one's."""
        return self.rows * self.height + (self.rows - 1) * self.row_gap

    def tall(self, lines: Sequence[str]) -> float:
        """Height of the whole page with these lines below."""
        under = 1 if lines and self.with_id and self.text < SLIM * id_room() else 0
        room = GAP + max(len(lines) + under, 1) * theme.line_height(theme.SMALL)
        room = room if lines or self.with_id else BARE
        return math.ceil(self.over + self.reach + self.below + room)

    def assemble(
        self,
        rows: Sequence[Sequence[Any]],
        data: Mapping[str, Sequence[Any]],
        lines: Sequence[str],
        description: str,
    ) -> alt.TopLevelConcatSpec:
        """The figure: all charts in one grid, short rows filled up, `lines` below.

        `data`: the data sets that the charts name. The first chart, a layered one, carries the
        title and the footer.
        """
        columns, charts = max(map(len, rows)), []
        for row in rows:
            charts += [*row] if row is rows[-1] else [*row, *[blank(1, 1)] * (columns - len(row))]
        page, *footer = self._footer(lines)  # the page lies below all: it answers nobody
        charts[0].layer = [page, *charts[0].layer, *self._title(), *footer]
        # As plain values: charts that Altair puts together itself it copies whole, several times.
        parts = [chart.to_dict(validate=False, context={"top_level": False}) for chart in charts]
        return alt.TopLevelConcatSpec(
            concat=cast("Any", [_Plain(part) for part in parts]),
            columns=columns, bounds="flush", description=description, config=theme.config(),
            datasets=cast("Any", _Plain({**data, SINGLE: [{}]})),
            spacing=alt.RowColnumber(row=self.row_gap, column=self.gap),
            resolve=alt.Resolve(
                scale=alt.ScaleResolveMap(color="independent", x="independent", y="independent")
            ),
        )  # fmt: skip

    def _title(self) -> list[alt.Chart]:
        """The title of the figure, from where the lines below begin."""
        x, lift = self.inset - self.left, self.above + self.head + HEAD_APART
        lines = self.title_lines
        return [title(lines, x, lift, "left", theme.HEAD, fontWeight="bold")] if lines else []

    def _footer(self, lines: Sequence[str]) -> list[alt.Chart]:
        """An invisible rectangle as large as the page, the lines, and the figure's id.

        The rectangle makes the drawing as wide as asked for, and not as what happens to hang out.
        """
        over, end = self.over, self.width - self.left
        top = self.reach + self.below + GAP
        line = len(lines) if self.text < SLIM * id_room() else max(len(lines), 1) - 1
        last = top + line * theme.line_height(theme.SMALL)
        corners = {"x": -self.left, "y": -over, "x2": end, "y2": self.tall(lines) - over}
        footer = [box(fill="transparent", **corners)]
        footer += [quiet(lines, self.inset - self.left, top)] if lines else []
        mark = words(
            [MARK], end - self.inset - 1, last, theme.SMALL,
            align="right", baseline="top", color=theme.QUIET, aria=False,
        )  # fmt: skip
        return [*footer, mark] if self.with_id else footer


@dataclass
class _Plain:
    """Plain values: of each of them Altair would ask, slowly, whether it is a part of a chart."""

    values: Any
    _schema: ClassVar[dict[str, Any]] = {}  # by this and `to_dict` it knows such parts

    def to_dict(self, *_: Any, **__: Any) -> Any:
        return self.values


def single() -> alt.Chart:
    """A chart of one row: a mark at a place in pt."""
    return alt.Chart(alt.NamedData(SINGLE))


def words(
    lines: Sequence[str], x: float, y: float, size: float | None = None, **style: Any
) -> alt.Chart:
    """A text of one line or more as a mark at a place in pt."""
    text = list(lines) if len(lines) > 1 else lines[0]
    layer: alt.Chart = single().mark_text(
        text=text, x=x, y=y, fontSize=size or theme.LABEL, **style
    )
    return layer


def box(**style: Any) -> alt.Chart:
    """A rectangle between `x`, `y` and `x2`, `y2`, in pt, that answers nobody."""
    layer: alt.Chart = single().mark_rect(aria=False, **style)
    return layer


def shape(path: str, x: float, y: float, **style: Any) -> alt.Chart:
    """A path of SVG around x, y, in pt, not filled unless `style` says so.

    Vega takes one for the shape of a point, and draws it in pixels at size 4.
    """
    style = {"fill": "transparent", "opacity": 1, "aria": False, **style}
    layer: alt.Chart = single().mark_point(x=x, y=y, size=4, **style)
    return layer.encode(shape=alt.value(path))


def title(
    lines: Sequence[str], x: float, lift: float, align: Literal["left", "center"],
    size: float | None = None, **style: Any,
) -> alt.Chart:  # fmt: skip
    """A title as a mark, its last baseline `lift` pt above the box of its chart.

    Vega sets its own titles above whatever hangs out of a chart, so two of them in a row would
    not stand on one line.
    """
    size = size or theme.TITLE
    high = theme.line_height(size)
    style |= {"align": align, "baseline": "alphabetic", "lineHeight": high}
    return words(lines, x, -lift - high * (len(lines) - 1), size, **style)


def quiet(lines: Sequence[str], x: float, y: float) -> alt.Chart:
    """Small grey lines, the first one's top at y."""
    layer: alt.Chart = single().mark_text(
        text=list(lines), x=x, y=y, align="left", baseline="top", color=theme.QUIET,
        fontSize=theme.SMALL, lineHeight=theme.line_height(theme.SMALL),
    )  # fmt: skip
    return layer


def blank(width: float, height: float) -> Any:
    """A chart of nothing, where the grid needs one."""
    nothing = single().transform_filter("false").mark_point(aria=False)
    return alt.LayerChart(layer=[nothing], width=width, height=height)


def lines(notes: Sequence[str], parts: Sequence[str], width: float) -> list[str]:
    """The text, wrapped: each note on a line of its own, what the marks mean after them.

    `width`: of the lines, of which the figure's id takes a part.
    """
    width -= 0.0 if width < SLIM * id_room() else id_room()
    noted = [line for note in notes for line in wrap([note], width, theme.SMALL)]
    return [*noted, *wrap(parts, width, theme.SMALL)]
