"""The panels of a heatmap: their cells in words, their colours with a bar, and their verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import structs

from heatproof.charts import bars, colour
from heatproof.kinds.heatmap import words
from heatproof.kinds.heatmap.cells import letter_cells, marked_cells, values_of
from heatproof.kinds.heatmap.verdicts import Verdict
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from heatproof.charts.bars import Bar
    from heatproof.charts.colour import ColorScale, Scale
    from heatproof.kinds.heatmap.cell import Cell, Drawn, DrawnCells, Names, Place, PlainCells
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.question import Question
    from heatproof.util.numerals import Digits

CALM = 2.0  # colours of noise span so many times the spread of equal settings


@dataclass(frozen=True)
class Panel:
    """One small heatmap: its cells, colours, words and verdict."""

    label: str  # no two have the same
    place: Place  # its labels, with the words before them
    title: list[str]  # the title of the figure, if any, and the name of the panel
    rows: list[Drawn]
    bar: Bar | None  # none without any value
    description: str
    verdict: Verdict
    question: Question  # of its metric alone
    digits: Digits
    letter: str = ""  # what stands before its name, if panels have letters

    @property
    def name(self) -> str:
        """Name of the data set of its cells."""
        return f"cells {self.label}".strip()

    @property
    def legend(self) -> Bar | None:
        if self.bar and self.bar.drawn:
            return self.bar
        return None


AllPanels = Sequence[Panel]


def all_cells(panels: AllPanels) -> list[Drawn]:
    """The cells of all panels, one after the other."""
    cells: list[Drawn] = []
    for panel in panels:
        cells += panel.rows
    return cells


def split_panels(
    rows: PlainCells, entry: Entry, names: Names, verdicts: Mapping[Place, Verdict]
) -> list[Panel]:
    """The panels in order; those with a scale in common have the same bar."""
    question = entry.question
    deep = question.rows_split
    figures = question.by_metric()
    by_place = {
        place: list(panel_cells) for place, panel_cells in groupby(rows, key=lambda row: row.panel)
    }
    alike_of = {"independent": slice(None), "shared": slice(0), "row": slice(deep)}
    common = alike_of.get(entry.sharing, slice(deep, None))  # labels of panels coloured alike
    coloured: dict[Place, list[Cell]] = {}
    for place, panel_cells in by_place.items():
        coloured.setdefault(place[common], []).extend(panel_cells)
    key = "domain" if entry.domain else "color_scale.domain"
    values = values_of(rows)
    domain = entry.color(question.word).domain
    colour.require_within(values, domain, question.shows_percent, f"{question.place}.{key}")
    panels = []
    for n, (place, panel_cells) in enumerate(by_place.items()):
        metric_word = panel_cells[0].metric
        alone = figures[metric_word]
        metric_cells = [row for row in rows if row.metric == metric_word]
        colour_group: PlainCells = coloured[place[common]]
        signed = is_signed([*colour_group, *metric_cells], domain)
        levels = alone.shows_percent and not alone.relative_to  # their colours reach from 0 to 100
        if not levels and len(set(values_of(colour_group))) == 1:
            colour_group = (
                metric_cells  # one value alone would be the middle of its colours, whatever it is
            )
        letter = ""
        if entry.letters:
            letter = panel_letter(n, entry.letters)
        judged = verdicts.get(place, Verdict())
        noise = 0.0
        if len(colour_group) == len(panel_cells):
            noise = judged.noise
        bar = _bar(colour_group, alone, entry, signed, noise)
        called = names
        if question.several:  # their panels are named by the metric
            called = replace(
                names, value="values", numbers={metric_word: names.numbers[metric_word]}
            )
        panels.append(_make_panel(panel_cells, bar, alone, entry, called, judged, letter))
    return panels


def is_signed(rows: PlainCells, domain: Sequence[float] | None = None) -> bool:
    """Whether values, or the ends that the user gives their colours, lie on both sides of zero."""
    values = [*values_of(rows), *(domain or ())]
    return min(values, default=0.0) < 0 < max(values, default=0.0)


def color_scale(
    rows: PlainCells,
    question: Question,
    wish: ColorScale,
    palette: str | list[str],
    signed: bool,
) -> Scale | None:
    """The scale on which the values of these rows are coloured; None without values.

    `signed`: the figure has values on both sides of zero, so that a diverging palette is usual, and
    zero in its middle.

    Raises:
        Error: the scale that the user wishes does not hold them.
    """
    values = values_of(rows)
    usual = colour.SIGNED
    if wish.center is None and not signed:
        usual = colour.USUAL
    name = palette or usual
    if wish.center is None and signed and colour.is_diverging(name):
        wish = structs.replace(wish, center=0.0)
    try:
        share = question.shows_percent and not question.relative_to
        return colour.fitted(values, colour.palette(name), wish, share)
    except Error as error:
        place = f"{question.place}.color_scale"
        raise Error([wrong.below(place) for wrong in error.mistakes]) from None


def _calm_ends(
    values: Collection[float], question: Question, wish: ColorScale, noise: float
) -> list[float] | None:
    """Ends of colours by which no value stands out that may differ from others by chance alone.

    They lie `CALM` × `noise` apart around the values, as far as values can be. None where values
    spread further than `noise`, where the user gives ends, and on a log axis: it has ratios.
    """
    is_set = wish.domain or wish.clip or wish.type == "log"
    low = min(values, default=0.0)
    high = max(values, default=0.0)
    if is_set or low == high or noise <= high - low:
        return None
    lowest = -math.inf
    if low >= 0:
        lowest = 0.0
    highest = math.inf
    if question.own_unit or question.shows_percent:
        lowest, highest = question.unit.ends
    width = min(CALM * noise, highest - lowest)
    middle = (low + high - width) / 2
    start = max(min(middle, highest - width), lowest)
    return [float(f"{end:.12g}") for end in (start, start + width)]


def _bar(
    rows: PlainCells, question: Question, entry: Entry, signed: bool, noise: float
) -> Bar | None:
    """The bar of a scale; one value alone needs none, unless the user says where it ends.

    `question`: of the metric of the rows alone.
    """
    values = set(values_of(rows))
    wish = entry.color(question.word)
    ends = _calm_ends(values, question, wish, noise)
    fitted = structs.replace(wish, domain=ends or wish.domain)
    scale = color_scale(rows, question, fitted, entry.palette, signed)
    if not scale:
        return None
    low, high = scale.domain
    varied = len(values) > 1 or wish.domain is not None
    untitled = question.several or question.labels.get(question.word) == ""
    return bars.Bar(
        "" if untitled else question.value_title,
        scale,
        below=min(values) < low,
        above=max(values) > high,
        calm=ends is not None,
        drawn=varied if entry.legend is None else entry.legend,
    )


def panel_letter(number: int, style: str) -> str:
    """The letter of a panel, in the style of an example: of a they are a to z, then aa, ab."""
    letters = ""
    number = number + 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return style.lower().replace("a", letters.upper() if "A" in style else letters)


def _make_panel(
    rows: list[Cell],
    bar: Bar | None,
    question: Question,
    entry: Entry,
    names: Names,
    judged: Verdict,
    letter: str,
) -> Panel:
    labels = rows[0].panel
    place = names.of(labels)
    title = [text for text in (entry.title, ", ".join(place)) if text]
    marked = marked_cells(rows, question.marks)
    scale = bar.scale if bar else None
    cells = letter_cells(marked, names.numbers, question, names.sides, question.uncertainty, scale)
    if question.annotate:
        beside = entry.text is not False
        _annotate(cells, beside=beside)
    description = words.spoken_panel(" | ".join(title), cells, question, names, judged.words)
    return Panel(
        label=" ".join(labels if len(labels) < 2 else map(repr, labels)),
        place=place, title=title, rows=cells, bar=bar, verdict=judged, question=question,
        digits=names.digits, letter=letter,
        description=f"{letter}: {description}" if letter else description,
    )  # fmt: skip


def _annotate(cells: DrawnCells, *, beside: bool) -> None:
    """Set what `annotate` prints on the second line of cells, or instead of their value."""
    for cell in cells:
        text = ""
        if not cell.missing:
            text = cell.noted or "–"
        if beside:
            cell.spread = text
        elif not cell.itself:
            cell.label = text
