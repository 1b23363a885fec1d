"""Kinds that show the cells of a heatmap in another form: as lines, rows, points, a printed table.

Such a kind is one file with its `Entry` (a `View`: which of its keys are x, y and colour of its
question) and `picture(grid, entry)`. Caption, LaTeX and page are made of the picture here; grid,
records and CSV are made of the question, as those of a heatmap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import msgspec

from heatproof.charts import colour, quantity, series, sheet, spec, theme, wording
from heatproof.charts.lettering import PAD
from heatproof.charts.spec import data_name
from heatproof.config.entries import refused
from heatproof.kinds import picture as pictures
from heatproof.kinds.cell_figure import Cells
from heatproof.kinds.heatmap import aggregate as counting
from heatproof.kinds.heatmap import cells, printed_cells, reasons, report, words
from heatproof.kinds.heatmap import problem_counts as problems
from heatproof.kinds.heatmap.cell import Cell, Drawn, fields_of, read_cells
from heatproof.kinds.heatmap.panels import panel_letter
from heatproof.kinds.heatmap.unmarked import NO_MARK
from heatproof.kinds.looks import INCOMPLETE, MISSING, TIED
from heatproof.kinds.picture import Picture, Remark, aside, escape, tex_line
from heatproof.kinds.question import Annotate, Encoding, Question
from heatproof.metrics import is_share, metric
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.charts.quantity import Domain
    from heatproof.charts.series import Styles
    from heatproof.charts.spec import ChartKeys, Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import Names, Shown
    from heatproof.kinds.lattice import Size
    from heatproof.kinds.picture import Legend, Story, Table
    from heatproof.kinds.question import Marks
    from heatproof.util.lazy import polars as pl

SPARE = ("scorer", "task", "model", "run")
"""Columns of every source, the first of which has one value in most."""


class Deviation(msgspec.Struct):
    """The standard deviation over the values of a column."""

    std: str
    """The column, such as a seed, under `mean_over` or `pool`."""


class View(Cells, kw_only=True):
    """A figure of the cells of a heatmap."""

    LOOK: ClassVar[set[str]] = {"format"}
    KEYS: ClassVar[dict[str, str]]
    """`x`, `y` and `color` of a question → their keys under `encoding` here."""
    SHOWS: ClassVar[str]
    """What it shows, with keys of `encoding` in braces; `detail` is added where it is given."""
    USUAL: ClassVar[str] = "interval"  # `uncertainty` by default
    PART: ClassVar[str] = "panel"  # what a value of `panel` has
    ENDS: ClassVar[dict[str, str]] = {}  # key of the ends of an axis → key of its scale

    encoding: Any
    """Which columns and metrics lie where."""
    uncertainty: Literal["none", "se", "interval"] | Deviation = "interval"  # type: ignore[assignment]
    """Drawn around values: a 95 % interval, a standard error (`se`), nothing, or the standard
    deviation over a column (`{std: seed}`)."""
    best: Literal["highest", "lowest", "none"] = "highest"
    """Mark the highest or the lowest value, or none."""
    format: str | None = None
    """Number format of d3, such as `.2f`; by default what fits the values."""

    @property
    def question(self) -> Question:
        return self.ask(self.KEYS["color"])

    def ask(self, key: str, **others: Any) -> Question:
        """The question of the metric at a key of `encoding`; `others`: fields in which it differs.

        Where no column lies along x, the first of `SPARE` does.
        """
        x = getattr(self.encoding, self.KEYS["x"])
        y = getattr(self.encoding, self.KEYS["y"])
        metric_word = getattr(self.encoding, key)
        keys = {axis: f"encoding.{name}" for axis, name in self.KEYS.items()}
        keys |= {"color": f"encoding.{key}", "note": "uncertainty"}
        if x is None:
            keys["x"] = ""
            taken = {y, self.panel, self.mean_over, *self.pool}
            x = next(name for name in SPARE if name not in taken)
        fields = {
            "encoding": Encoding(x=x, y=y, color=metric_word),
            "keys": keys,
            "verdict": None,
            "uncertainty": self.counted_uncertainty(metric_word),
        }
        if isinstance(self.uncertainty, Deviation):
            fields["annotate"] = Annotate(std=self.uncertainty.std)
        return Question.of(self, **fields | others)

    @property
    def drawn(self) -> Shown:
        """What is drawn around values: a word of `uncertainty`, or `std`."""
        if isinstance(self.uncertainty, Deviation):
            return "std"
        return self.uncertainty

    def counted_uncertainty(self, metric_word: str) -> str:
        """That of the grid: `tied` where ties may be marked; `none` by default where unknown."""
        verdict = getattr(self, "verdict", None)
        chosen = self.uncertainty != self.USUAL
        unknown = has_no_interval(metric_word)
        drawn = self.drawn
        if drawn == "std":
            drawn = "none"
        if verdict is None:
            if unknown and not chosen:
                return "none"
            return drawn
        if "none" in (verdict, self.best) or (unknown and chosen):
            return drawn
        return "tied"

    def asks_uncertainty(self) -> bool:
        return self.drawn in ("se", "interval") and self.drawn != self.USUAL

    def shows(self) -> str:
        encoding = msgspec.to_builtins(self.encoding)
        detail = ""
        if encoding.get("detail"):
            detail = f" and {encoding['detail']}"
        panels = ""
        if self.panel:
            panels = f", a {self.PART} for each {self.panel}"
        return self.caption or self.SHOWS.format(**encoding) + detail + panels

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        for key, scale in self.ENDS.items():
            ends = getattr(self, key)
            if ends is None:
                continue
            if not (len(ends) == 2 and ends[0] < ends[1]):
                mistakes.append(Mistake(f".{key}", f"{ends!r} is not [lowest, highest]"))
            elif getattr(self, scale, None) == "log" and ends[0] <= 0:
                why = f"{ends!r} begins at 0 or below, but {scale}: log needs values above 0"
                mistakes.append(Mistake(f".{key}", why))
        ends = getattr(self, "domain", None)
        if ends and not mistakes:
            mistakes += colour.impossible(ends, self.question.possible, self.question.word)
        columns = getattr(self, "columns", None)
        if columns is not None and columns < 1:
            mistakes.append(Mistake(".columns", f"{columns} is not 1 or more"))
        if columns is not None and self.panel is None:
            why = "there is only one panel; write `panel` for more"
            mistakes.append(Mistake(".columns", why))
        return mistakes


class DetailEncoding(msgspec.Struct, kw_only=True):
    """`encoding` of a kind with a mark for each value of a column, or pair of values of two."""

    x: str
    y: str
    detail: str | None = None


def has_no_interval(word: str) -> bool:
    """Whether a metric has no interval; a word that is no metric is left to `mistakes`."""
    if refused("", metric, word):
        return False
    return metric(word).join is not None and not metric(word).printed


aggregate = counting.aggregate
csv = report.csv
printed_values = printed_cells.printed_values
records = report.records
problem_counts = problems.problem_counts


# ------------------------------------------------------------------------------ what a picture says


def caption(grid: Grid, entry: View, content: Picture) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    short, at_length = report.caption_sentences(grid, entry, content)
    return pictures.brief(at_length, short)


def latex(grid: Grid, entry: View, content: Picture, note: str = "") -> str:
    """The same numbers in the same order as a table of LaTeX, a part for each panel."""
    if content.latex:
        return content.latex.text(note)
    return report.latex(grid, entry, content, note)


def table(grid: Grid, entry: View, content: Picture) -> Table:
    """The same numbers on the page, with the facts that the picture has beside them."""
    plain = report.plain_table(grid, entry.question)
    by_cell = _rows_by_cell(content)
    rows = []
    for n, row in enumerate(plain.rows):
        drawn = by_cell.get(n)
        texts = (getattr(drawn, name, "") or MISSING.sign for name in content.facts.values())
        rows.append(replace(row, cells=(*row.cells, *texts)))
    details = [wording.sentence(remark.whole) for remark in content.meanings]
    return replace(plain, columns=[*plain.columns, *content.facts], rows=rows, details=details)


def _rows_by_cell(content: Picture) -> dict[int, Row]:
    """Number of a cell of the grid → its row in the picture."""
    return {row.number: row for row in chain(content.rows, content.lost)}


def story(records: Story, entry: View, grid: Grid, content: Picture) -> Story:
    """What the page tells of each cell, and its box; all 0 where it is not drawn."""
    page = report.story(records, entry, grid)
    by_cell = _rows_by_cell(content)
    page["facts"] = [*page["facts"], *content.facts]
    page["places"] = []
    for n, cell in enumerate(page["cells"]):
        row = by_cell.get(n)
        page["places"].append(row.box if row else [0.0, 0.0, 0.0, 0.0])
        facts = [getattr(row, name, None) or None for name in content.facts.values()]
        flags = [words for words, name in content.flags.items() if getattr(row, name, False)]
        cell |= {"facts": [*cell["facts"], *facts], "flags": [*cell["flags"], *flags]}
    spare = getattr(entry.encoding, entry.KEYS["x"]) is None
    if spare and len(page["x"]["values"]) == 1:  # of x there is nothing to say
        page["panels"] = [{**panel, "x": ""} for panel in page["panels"]]
        page["x"] = {"name": "", "values": [""], "words": [""]}
    return page | ({"free": True} if content.free else {})


# ------------------------------------------------------------------ what pictures are made of


class Row(Drawn, kw_only=True):
    """A cell that lies on no grid: with the line around its value, and its box in pt."""

    HIDDEN: ClassVar[set[str]] = Drawn.HIDDEN | {"panel"}

    lower: float | None = None
    upper: float | None = None
    there: bool = False  # the axes hold it
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    foot: float = 0.0

    def data(self) -> Datum:
        return super().data() | {"panel": ", ".join(self.panel)}

    @property
    def box(self) -> list[float]:
        """Left, top, width and height."""
        wide, high = self.right - self.left, self.foot - self.top
        return [round(side, 2) for side in (self.left, self.top, wide, high)]

    def put(self, box: Sequence[float]) -> None:
        """Set its box, given by left, top, width and height."""
        self.left, self.top, wide, high = box
        self.right = self.left + wide
        self.foot = self.top + high


AnyRow = TypeVar("AnyRow", bound=Row)


def panels_of(
    grid: Grid,
    entry: View,
    kind: type[AnyRow],
    marks: Marks | None = None,
) -> tuple[dict[str, list[AnyRow]], Names]:
    """Title of a panel → its cells in words and in the unit shown; and names of axes and values.

    `kind`: the class of the rows; `marks`: as `cells.marked_cells` has them.
    """
    question = entry.question
    table = read_cells(grid, question, question.uncertainty)
    names = cells.names_of_figure(grid, table, question, downward=True)
    by_panel: dict[str, list[Cell]] = {}
    for cell in table:
        by_panel.setdefault(", ".join(names.of(cell.panel)), []).append(cell)
    panels: dict[str, list[AnyRow]] = {}
    for title, panel_cells in by_panel.items():
        marked = panel_cells
        if marks:
            marked = cells.marked_cells(panel_cells, marks, in_full=True)
        drawn = cells.letter_cells(marked, names.numbers, question, names.sides, entry.drawn)
        panels[title] = [kind(**fields_of(cell)) for cell in drawn]
        for row in panels[title]:
            row.lower, row.upper = spread_ends(row, question.uncertainty, entry.drawn)
    return panels, names


def data_of(rows: Sequence[Row]) -> list[Datum]:
    """The rows as a data set."""
    return [row.data() for row in rows]


def all_rows(panels: Mapping[str, Sequence[AnyRow]]) -> list[AnyRow]:
    """The rows of all panels, one after the other."""
    return list(chain.from_iterable(panels.values()))


def has_any(rows: Sequence[Row], field: str) -> bool:
    """Whether some row has a number in a field."""
    return any(getattr(row, field) is not None for row in rows)


def value_limits(question: Question) -> Domain | None:
    """The lowest and highest value that the metric can have, in the unit shown."""
    bounded = (is_share(question.word) or question.own_unit) and not question.relative_to
    return question.unit.ends if bounded else None


def spread_ends(cell: Cell, counted: str, drawn: str) -> tuple[float | None, float | None]:
    """Ends of the line around a value: none, an error or deviation to each side, or the interval.

    `counted`: the uncertainty of the grid; `drawn`: that of the figure.
    """
    if cell.value is None or ("none" in (counted, drawn) and drawn != "std"):
        return None, None
    if drawn == "interval":
        return cell.low, cell.high
    error = cell.se
    if drawn == "std":
        error = cell.deviation
    if error is None:
        return None, None
    return (cell.value - error, cell.value + error)


def drawn_error_words(rows: Sequence[Row], entry: View) -> words.Words:
    """What is drawn around these values."""
    if entry.drawn == "std":
        return words.note_words(rows, entry.question), ""
    return words.error_words(rows, entry.drawn)


def errors_meaning(rows: Sequence[Row], entry: View, mark: str) -> Remark:
    """What the lines around values mean, if there are any."""
    text, addition = drawn_error_words(rows, entry)
    if not has_any(rows, "lower"):
        return Remark("")
    return Remark(text, addition, mark=mark)


def beyond_meaning(rows: Sequence[Row], ends: str, noun: str) -> Remark:
    """How many values lie beyond the ends of an axis that the config gives."""
    count = sum(not (row.missing or row.there) for row in rows)
    return Remark(f"beyond the ends of {ends}: {numbered(count, noun)}" if count else "")


def explain(
    entry: View, rows: Sequence[Row], legend_parts: Legend, doubts: Sequence[str]
) -> list[Remark]:
    """The caveat of the metric, what marks that occur mean (`words.mark_meanings`), all doubts."""
    shown_metric = metric(entry.question.word)
    caveat = aside(shown_metric.caveat if shown_metric.join else "")
    remarks = words.mark_meanings([caveat, *legend_parts], rows, entry.question)
    return remarks + [aside(doubt) for doubt in doubts]


def doubts_of(grid: Grid, question: Question) -> list[str]:
    """Why cells are not judged, each reason once."""
    return [reasons.doubt_words_of(kind, question) for kind in reasons.doubt_codes(grid)]


def spoken_value(entry: View) -> str:
    """What the metric is called where it is read out."""
    question = entry.question
    if question.relative_to:
        return question.value_title
    name = wording.measure(question.word, question.labels)
    if question.shows_percent:
        return f"{name} in percent"
    return name


def words_before(values: pl.Series, title: str) -> str:
    """What stands before each value of a column: its title before numbers, which say nothing."""
    if values.dtype.is_numeric() and title:
        return f"{title} "
    return ""


def settings_title(entry: View, column: str) -> str:
    """What rows or points are called that stand for a value of a column, or for a pair."""
    title = wording.column(column, entry.labels) or column
    detail = entry.encoding.detail
    if detail:
        return f"{title} · {wording.column(detail, entry.labels)}"
    return title


def settings_words(entry: View, column: str) -> str:
    """The same within a sentence."""
    names = filter(None, [column, entry.encoding.detail])
    return " and ".join(reasons.among_title(name, entry.question) for name in names)


def require_on_axis(
    entry: View,
    values: Sequence[tuple[float, str, str]],
    ends: str,
    question: Question,
) -> None:
    """Refuse ends of an axis that hold no value, and a value that a log axis cannot hold.

    `values`: along the axis, each with its text and its place in words; `ends`: the key of the ends
    of the axis.
    """
    scale = entry.ENDS[ends]
    numbers = [value for value, *_ in values]
    place = f"{question.place}.{ends}"
    colour.require_within(numbers, getattr(entry, ends), question.shows_percent, place)
    if getattr(entry, scale, "") != "log":
        return
    for value, text, place_words in values:
        if not value > 0:
            words = f"{text} ({place_words}) cannot be shown on a log axis; write linear"
            raise question.fault(scale, words)


def values_told(rows: Sequence[Row]) -> list[tuple[float, str, str]]:
    """The values of cells with their texts and places, for `require_on_axis`."""
    return [(row.value, row.told, f"x {row.x}, {row.y}") for row in rows if row.value is not None]


def domain(numbers: Iterable[float | None], log: bool, ends: Sequence[float] | None) -> Domain:
    """The ends of an axis of some numbers; `ends`: those of the config."""
    numbers_known = [number for number in numbers if number is not None]
    return quantity.padded([number for number in numbers_known if number > 0 or not log], log, ends)


def reach_of(rows: Sequence[Row]) -> list[float | None]:
    """Values and ends of the lines around them."""
    reach: list[float | None] = []
    for row in rows:
        reach += [row.value, row.lower, row.upper]
    return reach


def clipped(value: float | None, axis: quantity.Quantity) -> float | None:
    """A value, or the end of the axis beyond which it lies."""
    if value is None:
        return None
    return quantity.clamped(value, *axis.domain)


def clip(row: Row, fields: Sequence[str], axis: quantity.Quantity) -> None:
    """Move numbers of a row that lie beyond the axis to its end."""
    for name in fields:
        setattr(row, name, clipped(getattr(row, name), axis))


def answers(entry: View, rows: Sequence[Row], places: Mapping[str, str], **more: str) -> alt.Chart:
    """The mark with the tooltip of each row. `places`, `more`: title → expression of its text."""
    panel = {}
    if entry.panel:
        panel = {wording.column(entry.panel, entry.labels): "datum.panel"}
    facts = cells.cell_answers(rows, entry.question) | more
    chart: alt.Chart = spec.layer(spec.boxed(), panel | {**places}, facts)
    return chart


def panel_chart(layers: Sequence[Any], data: str, size: Size, description: str) -> alt.LayerChart:
    """A panel of the data set of that name."""
    return alt.LayerChart(
        layer=list(layers), data=alt.NamedData(data), width=size[0], height=size[1],
        description=description,
    )  # fmt: skip


def tex_comments(remarks: Sequence[Remark]) -> list[str]:
    """Of the remarks on a picture those that hold of a table of the same numbers too."""
    kept = ("bold", TIED.mark, INCOMPLETE.mark, MISSING.mark, NO_MARK)
    return [remark.tex for remark in remarks if not remark.below or remark.mark.startswith(kept)]


def tex_row(texts: Sequence[str]) -> str:
    """Texts as a row of a LaTeX table."""
    escaped = map(escape, texts)
    return tex_line(list(escaped))


# --------------------------------------------------------------------- panels with axes of numbers

LIFT = 5.0  # from a panel to the baseline of its title
GAP = 12.0  # between panels
LEGEND = "legend"  # name of the data set of the legend
MEND = "more `columns` of panels or a larger `width` make it lower"


def count_columns(
    count: int, room: float, narrowest: float, gap: float, columns: int | None
) -> int:
    """How many panels stand in a row; by default as many as have room, spread evenly over rows."""
    if columns:
        return min(columns, count)
    widest_row = max(int((room + gap) // (narrowest + gap)), 1)
    return math.ceil(count / math.ceil(count / min(widest_row, count)))


@dataclass(frozen=True, kw_only=True)
class Panels:
    """Panels of one size in rows, each with an axis of numbers or names along x and along y."""

    sheet: sheet.Sheet
    columns: int
    size: tuple[int, int]
    titles: tuple[Sequence[str], Sequence[str]]  # lines of the titles of x and y
    legend: series.Legend

    @staticmethod
    def page(
        entry: View, rows: int, height: float, legend: series.Legend, title: Sequence[str],
        labels: float, **sides: float,
    ) -> Any:  # fmt: skip
        """The page of `rows` of panels; `title`: of x, in lines; `labels`: height of those of x."""
        label_room = quantity.TICK_SIZE + PAD + labels
        if title:
            label_room += PAD + theme.LABEL + theme.LEADING * (len(title) - 1)
        return sheet.Sheet(
            height=height, rows=rows, margin=0.0, with_id=entry.id, below=label_room,
            above=LIFT + theme.TITLE + 1.5 if entry.panel else 3.0,
            head=legend.height, title=entry.title, **sides,
        )  # fmt: skip

    def charts(
        self, marks: Mapping[str, Sequence[Any]], over: Sequence[Any], answering: alt.Chart,
        spoken: Mapping[str, str], letters: str | None,
    ) -> list[list[alt.LayerChart]]:  # fmt: skip
        """The panels in rows.

        `marks`: label of a panel → its layers; `over`: layers above all panels; `spoken`: label →
        the panel in words; `letters`: their style.
        """
        panels: list[alt.LayerChart] = []
        for n, (label, panel_marks) in enumerate(marks.items()):
            letter = ""
            if letters:
                letter = panel_letter(n, letters)
            title = sheet.name([label], letter, LIFT)
            layers = [*panel_marks, *title, *([] if panels else over), answering]
            words = f"{letter}: {spoken[label]}" if letter else spoken[label]
            panels.append(panel_chart(layers, data_name("points", label), self.size, words))
        starts = range(0, len(panels), self.columns)
        return [panels[start : start + self.columns] for start in starts]

    def x_axis(self) -> ChartKeys:
        """Keys of an axis of numbers along x: its title on lines that end with the panel's room."""
        lines = self.titles[0]
        return {
            "title": list(lines) or None, "titleX": self.size[0] / 2, "titleAlign": "center",
            "titleBaseline": "top", "titleLineHeight": theme.LEADING,
            "titleY": self.sheet.below - theme.LEADING * (len(lines) - 1) - theme.LABEL,
        }  # fmt: skip

    def y_axis(self, number: int) -> ChartKeys:
        """The same of y: turned, at the left edge of the page, beside the first panel of a row."""
        column = number % self.columns
        first = column == 0
        return y_title(self.titles[1] if first else None, self.size[1], self.sheet.left)


def legend_rows(legend: series.Legend, page: sheet.Sheet, styles: Styles) -> list[Datum]:
    """The data of a legend above all panels."""
    return legend.data(styles, 1.5 - page.left, -page.above - page.head)


def y_title(lines: Sequence[str] | None, high: float, left: float) -> ChartKeys:
    """Keys of an axis of numbers along y, its title turned at the left edge of the page."""
    return {
        "title": list(lines) if lines else None, "titleAngle": -90,
        "titleX": theme.LABEL + 1 - left, "titleY": high / 2,
        "titleAlign": "center", "titleBaseline": "alphabetic",
        "titleLineHeight": theme.LEADING, "grid": True, "gridColor": quantity.GRID,
        "gridWidth": 0.5, "domain": False, "ticks": False,
    }  # fmt: skip
