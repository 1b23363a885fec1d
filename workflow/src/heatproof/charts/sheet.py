"""Panels laid out flush on a page of exact width, with a footer below.

Labels and titles are measured, so all sizes are known before anything is drawn. The footer has
notes first, then the meaning of the marks; the figure's id stands in its corner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from heatproof.charts import theme
from heatproof.charts.lettering import text_width, wrap, wrapped
from heatproof.charts.spec import MARK
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SINGLE = "one"  # name of the data set with one row and nothing in it
ROW_GAP = 9.0  # between the labels of one row and the titles of the next
HEAD_APART = 5.0  # from the title of the figure to what stands over the panels
GAP = 7.0  # from the labels to the first line of the footer
BARE = 2.0  # from the labels to the end of the page without a footer
LIKE = ", for problems like these"
"""95 % are of other samples of such problems, not of other runs of these."""
SLIM = 2.2  # times the room of the id: below narrower lines, the id stands by itself


def id_room() -> float:
    """Width in pt kept free for the figure's id, at the right of the lines."""
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
    head: float = 0.0  # room over the first row, such as for a legend
    title: str = ""  # of the figure, above all
    between: float | None = None
    """Between the boxes of two rows; by default room for all that stands around panels."""

    @property
    def inset(self) -> float:
        """From the edge of the page to the lines below, which take at least half of its width."""
        return min(self.margin, self.width / 4)

    @property
    def text(self) -> float:
        """Width of the lines below, the figure's id among them."""
        return self.width - 2 * self.inset

    @property
    def title_lines(self) -> list[str]:
        return wrapped(self.title, self.text, theme.HEAD, True) if self.title else []

    @property
    def over(self) -> float:
        """From the top of the page to the boxes of the first row."""
        room = 0.0
        if lines := self.title_lines:
            room = HEAD_APART + len(lines) * theme.line_height(theme.HEAD)
        return room + self.head + self.above

    @property
    def row_gap(self) -> float:
        if self.between is None:
            return self.below + ROW_GAP + self.above
        return self.between

    @property
    def reach(self) -> float:
        """From the top of the first row's boxes to the bottom of the last one's."""
        return self.rows * self.height + (self.rows - 1) * self.row_gap

    def tall(self, lines: Sequence[str]) -> float:
        """Height of the page with these lines below."""
        room = BARE
        if lines or self.with_id:
            count = len(lines)
            if lines and self.with_id and self.text < SLIM * id_room():
                count += 1
            room = GAP + max(count, 1) * theme.line_height(theme.SMALL)
        return math.ceil(self.over + self.reach + self.below + room)

    def assemble(
        self,
        rows: Sequence[Sequence[Any]],
        data: Mapping[str, Sequence[Any]],
        lines: Sequence[str],
        description: str,
    ) -> alt.TopLevelConcatSpec:
        """The figure: all charts in one grid, short rows filled up, `lines` below.

        `data`: the data sets that charts name. The first, a layered one, has title and footer.
        """
        columns = max(map(len, rows))
        charts: list[Any] = []
        for row in rows:
            charts += row
            if row is not rows[-1]:
                charts += [blank(1, 1) for _ in range(columns - len(row))]
        page, *footer = self._footer(lines)
        if texts := self.title_lines:
            x, lift = self.inset - self.left, self.above + self.head + HEAD_APART
            footer.insert(0, title(texts, x, lift, "left", theme.HEAD, fontWeight="bold"))
        charts[0].layer = [page, *charts[0].layer, *footer]
        plain_charts = []
        for chart in charts:
            # Plain values, for Altair copies the charts that it puts together several times.
            values = chart.to_dict(validate=False, context={"top_level": False})
            plain_charts.append(_Plain(values))
        datasets = _Plain({**data, SINGLE: [{}]})
        scales = alt.ScaleResolveMap(color="independent", x="independent", y="independent")
        return alt.TopLevelConcatSpec(
            concat=cast("Any", plain_charts), datasets=cast("Any", datasets), columns=columns,
            bounds="flush", description=description, config=theme.config(),
            spacing=alt.RowColnumber(row=self.row_gap, column=self.gap),
            resolve=alt.Resolve(scale=scales),
        )  # fmt: skip

    def _footer(self, lines: Sequence[str]) -> list[alt.Chart]:
        """A transparent rectangle as large as the page, the lines, and the figure's id.

        The rectangle gives the drawing its exact size.
        """
        start, end = -self.over, self.width - self.left
        corners = {"x": -self.left, "y": start, "x2": end, "y2": self.tall(lines) + start}
        footer = [box(fill="transparent", **corners)]
        top = self.reach + self.below + GAP
        if lines:
            footer.append(quiet(lines, self.inset - self.left, top))
        if not self.with_id:
            return footer
        line = max(len(lines), 1) - 1
        if self.text < SLIM * id_room():
            line = len(lines)
        last = top + line * theme.line_height(theme.SMALL)
        style: dict[str, Any] = {
            "align": "right",
            "baseline": "top",
            "color": theme.QUIET,
            "aria": False,
        }
        footer.append(words([MARK], end - self.inset - 1, last, theme.SMALL, **style))
        return footer


@dataclass
class _Plain:
    """Plain values, of which Altair does not ask, slowly, whether they are parts of a chart."""

    values: Any
    _schema: ClassVar[dict[str, Any]] = {}  # this and `to_dict` are what Altair looks for

    def to_dict(self, *_: Any, **__: Any) -> Any:
        return self.values


def single() -> alt.Chart:
    """A chart of one row: a mark at a place in pt."""
    return alt.Chart(alt.NamedData(SINGLE))


def words(
    lines: Sequence[str], x: float, y: float, size: float | None = None, **style: Any
) -> alt.Chart:
    """A text as a mark at a place in pt."""
    text = list(lines) if len(lines) > 1 else lines[0]
    style = {"text": text, "x": x, "y": y, "fontSize": size or theme.LABEL, **style}
    layer: alt.Chart = single().mark_text(**style)
    return layer


def box(**style: Any) -> alt.Chart:
    """A rectangle between `x`, `y` and `x2`, `y2`, in pt, without a tooltip."""
    layer: alt.Chart = single().mark_rect(aria=False, **style)
    return layer


def shape(path: str, x: float, y: float, **style: Any) -> alt.Chart:
    """An SVG path around x, y, as the shape of a point: Vega draws it in pixels at size 4."""
    style = {"fill": "transparent", "opacity": 1, "aria": False, **style}
    layer: alt.Chart = single().mark_point(x=x, y=y, size=4, **style)
    return layer.encode(alt.ShapeValue(path))


def title(
    lines: Sequence[str], x: float, lift: float, align: Literal["left", "center"],
    size: float | None = None, **style: Any,
) -> alt.Chart:  # fmt: skip
    """A title as a mark, its last baseline `lift` pt above the box of its chart.

    Titles of Vega stand above all labels of their chart, so two in a row may not be level.
    """
    size = size or theme.TITLE
    line_height = theme.line_height(size)
    style |= {"align": align, "baseline": "alphabetic", "lineHeight": line_height}
    y = -lift - line_height * (len(lines) - 1)
    return words(lines, x, y, size, **style)


def letter_room(letter: str) -> tuple[float, float]:
    """Room for the letter of a panel, and the size of its name: a letter is larger than a name."""
    if not letter:
        return 0.0, theme.TITLE
    return text_width(f"{letter}\u00a0\u00a0", theme.TITLE, True), theme.LABEL


def name(lines: Sequence[str], letter: str, lift: float) -> list[alt.Chart]:
    """The name of a panel above its box, behind its letter; each may be empty."""
    left, size = letter_room(letter)
    marks = []
    if any(lines):
        marks.append(title(lines, left, lift, "left", size, fontWeight="bold"))
    if letter:
        first = lift + theme.line_height(size) * (len(lines) - 1)
        marks.append(title([letter], 0.0, first, "left", fontWeight="bold"))
    return marks


def quiet(lines: Sequence[str], x: float, y: float) -> alt.Chart:
    """Small grey lines, the first one's top at y."""
    style: dict[str, Any] = {
        "align": "left", "baseline": "top", "color": theme.QUIET,
        "fontSize": theme.SMALL, "lineHeight": theme.line_height(theme.SMALL),
    }  # fmt: skip
    layer: alt.Chart = single().mark_text(text=list(lines), x=x, y=y, **style)
    return layer


def blank(width: float, height: float) -> Any:
    """An empty chart, to fill the grid."""
    nothing = single().transform_filter("false").mark_point(aria=False)
    return alt.LayerChart(layer=[nothing], width=width, height=height)


def lines(notes: Sequence[str], meanings: Sequence[str], width: float) -> list[str]:
    """The lines of the footer: each note on a line of its own, then the meaning of the marks.

    `width`: in pt, with the room of the figure's id.
    """
    if width >= SLIM * id_room():
        width -= id_room()
    noted = []
    for note in notes:
        noted += wrap([note], width, theme.SMALL)
    return noted + wrap(meanings, width, theme.SMALL)
