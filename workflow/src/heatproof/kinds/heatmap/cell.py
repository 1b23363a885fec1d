"""A cell of a heatmap: its numbers and its state, without words; the same as drawn; its names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

import msgspec

from heatproof.charts import units
from heatproof.kinds import states
from heatproof.kinds.columns import NOTE
from heatproof.kinds.states import Gap  # noqa: TC001  msgspec looks it up
from heatproof.metrics import is_share
from heatproof.util.numerals import NOISE, Digits, fitting_format

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from heatproof.charts.spec import Datum
    from heatproof.charts.units import Unit
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.lattice import Lines
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import GridRow

    Shown = Literal["none", "se", "interval", "tied", "std", "stars"]

Place = tuple[str, ...]  # labels of a panel: one for each column that panels are split by


class ChanceSpread(msgspec.Struct, kw_only=True):
    """What holds for cells that are compared, all together; spans in the unit of the grid."""

    spread: float
    spread_equal: float | None
    chance_median: float | None
    chance_high: float | None
    chance_p: float | None
    resolution: float | None
    resolution_epochs: float | None
    resolution_problems: float | None
    varying: int | None


class OtherSide(msgspec.Struct, kw_only=True):
    """A cell beside its baseline."""

    own: float | None  # both in the unit of the metric
    base: float | None
    problems: int | None  # that both hold
    itself: bool  # it is the baseline
    differs: bool | None  # its interval leaves out 0; None: not judged
    stars: int = 0


class Cell(msgspec.Struct, kw_only=True):
    """A cell with the labels of its place; numbers in the unit shown."""

    number: int  # its row in the grid
    metric: str
    panel: Place
    x: str
    y: str
    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    samples: int = 0
    epochs: int = 0
    expected: int = 0
    gap: Gap | None = None
    doubt: str | None = None  # the code of why it is not judged
    peers: int | None = None  # the set of cells that it is compared with
    common: int | None = None  # problems that all of these hold
    chance: ChanceSpread | None = None
    top_x: bool | None = None  # its value of x may be the best on average; None: not judged
    top_y: bool | None = None
    tried: int | None = None  # problems with records, where some have too few
    failed_records: int | None = None
    printed: bool = False  # it is of aggregates, …
    problems: int | None = None  # … of so many problems, as printed
    counted: bool = False  # its uncertainty rests on counts alone
    side: OtherSide | None = None
    tally: tuple[int, int, int] | None = None  # of two: instances won, equal, and lost
    apart: bool | None = None  # of two: whether one is ahead; None: not judged
    noted: str = ""  # what `annotate` prints
    deviation: float | None = None  # the same of a standard deviation, …
    values: int | None = None  # … of so many values
    highlighted: tuple[int, ...] = ()  # items of `highlight` that name it
    best: bool = False
    incomplete: bool = False  # fewer rows than a complete run holds, or too few for a value
    uneven: bool = False  # its peers hold other problems
    tied: bool = False  # the best, or not told apart from it
    # The marks of a verdict, see `cells.marked_cells`.
    bold: bool = False
    dotted: bool = False

    @property
    def missing(self) -> bool:
        return self.value is None

    @property
    def state(self) -> states.GapState:
        """Why it has no value; of one that does not say so, that it is incomplete."""
        if self.gap:
            return self.gap.state
        return states.GAPS[states.BEGUN]

    @property
    def size_of_problems(self) -> int | None:
        """The problems that it rests on; of aggregates as printed."""
        if self.printed:
            return self.problems
        return self.samples

    @property
    def itself(self) -> bool:
        return self.side is not None and self.side.itself

    @property
    def meets_itself(self) -> bool:
        """Whether it is of a value against itself, which nobody expects to have a number."""
        return self.gap is not None and self.gap.kind == states.ITSELF

    @property
    def differs(self) -> bool:
        return self.side is not None and self.side.differs is True

    @property
    def stars(self) -> str:
        """A star for each level at which it differs from its baseline."""
        if self.side is None:
            return ""
        return "".ljust(self.side.stars, "*")

    @property
    def judged(self) -> bool:
        """Whether it has a verdict beside its baseline."""
        return self.side is not None and self.side.differs is not None and not self.itself

    @property
    def doubtful(self) -> str | None:
        """The code of why it has none."""
        if self.side is None or self.itself or self.judged:
            return None
        return self.doubt

    @property
    def typical_error(self) -> float | None:
        """The standard error of its value, or a quarter of its interval."""
        if self.value is None or self.low is None or self.high is None:
            return self.se
        if (self.se or 0.0) > NOISE * abs(self.value):
            return self.se
        return (self.high - self.low) / 4


class Drawn(Cell, kw_only=True):
    """A cell with its words."""

    HIDDEN: ClassVar[set[str]] = {
        "number", "metric", "gap", "doubt", "peers", "common", "chance", "top_x", "top_y", "tried",
        "failed_records", "printed", "problems", "counted", "side", "tally", "apart", "deviation",
        "values", "highlighted", "uneven", "margin", "why", "noted", "own_told", "base_told",
        "stands", "framed_as", "tallied",
    }  # fmt: skip
    """Fields that data sets of specs do not have, or only where they are not empty."""
    SPARSE: ClassVar[tuple[str, ...]] = (
        "noted", "own_told", "base_told", "tallied", "stands", "framed_as", "itself",
    )  # fmt: skip

    label: str = ""  # its value as printed
    told: str = ""  # the same, or why there is none
    why: str = ""  # why there is no value
    margin: str = ""  # its standard error
    error: str = ""  # the same with ±
    between: str = ""  # its interval
    size: str = ""
    graded: str = ""
    spread: str = ""  # the second line in a cell
    ink: str = "#000000"
    own_told: str = ""
    base_told: str = ""
    tallied: str = ""  # won, equal and lost instances
    stands: str = ""  # how it stands beside its baseline, or how two stand
    framed_as: str = ""

    def data(self) -> Datum:
        """A row of a data set of the spec."""
        names = [name for name in self.__struct_fields__ if name not in self.HIDDEN]
        names += [name for name in self.SPARSE if getattr(self, name)]
        return {"missing": self.missing} | {name: getattr(self, name) for name in names}


PlainCells = Sequence[Cell]
DrawnCells = Sequence[Drawn]
AnyCell = TypeVar("AnyCell", bound=Cell)


def valued_cells(cells: Sequence[AnyCell]) -> list[AnyCell]:
    """The cells that have a value."""
    return [cell for cell in cells if not cell.missing]


def fields_of(cell: Cell) -> Datum:
    """The fields of a cell, for one that has more."""
    return {name: getattr(cell, name) for name in cell.__struct_fields__}


@dataclass(frozen=True)
class Names:
    """The words for axes, values and panels, and how values are printed."""

    x: str
    y: str
    value: str
    numbers: Mapping[str, Digits]  # metric → how its values are printed
    panels: tuple[str, ...]
    """Words before the number of a panel; none before a name."""
    lines: Lines = ((), ())
    downward: bool = False  # whether the first value of y lies on top
    sides: Digits | None = None  # how both sides of differences are printed

    @property
    def digits(self) -> Digits:
        """How the values of its one metric are printed."""
        return next(iter(self.numbers.values()))

    def of(self, place: Place) -> Place:
        """The labels of a panel with the words before them."""
        labels = zip(self.panels, place, strict=True)
        return tuple(f"{before} {label}".strip() for before, label in labels)


# ---------------------------------------------------------------------------------- from the grid


def read_cells(grid: Grid, question: Question, shown: Shown) -> list[Cell]:
    """The cells of a grid in its order.

    They are tied only if `shown` is `tied`.
    """
    column_of = dict(zip(question.places, question.along, strict=True))
    names = {key: question.called(column, grid[key].to_list()) for key, column in column_of.items()}
    uneven = set(grid.filter(grid["samples"] > grid["common"])["peers"])
    shown_in = {metric_word: alone.unit for metric_word, alone in question.by_metric().items()}
    cells = []
    for number, row in enumerate(grid.iter_rows(named=True)):
        metric = question.metric_of(row)
        unit = shown_in[metric]
        gap = states.read_gap(row)
        missing = row["value"] is None
        lacking = row["epochs"] < row["expected"]
        if missing:
            lacking = gap is None or gap.state.is_begun
        cell = Cell(
            number=number,
            metric=metric,
            panel=tuple(names[name][row[name]] for name in question.panels),
            x=names["x"][row["x"]],
            y=names["y"][row["y"]],
            value=unit.value(row["value"]),
            se=unit.span(row["se"]),
            low=unit.value(row["low"]),
            high=unit.value(row["high"]),
            gap=gap,
            doubt=row["unjudged"],
            best=bool(row["best"]) and not missing,
            incomplete=lacking,
            uneven=row["peers"] in uneven,
            tied=shown == "tied" and bool(row["tied"]) and not missing,
            counted=bool(row.get("reconstructed")),
            printed="problems" in row,
            problems=row.get("problems"),
            chance=_read_chance(row),
            **{name: row[name] for name in PLAIN},
            top_x=row.get("top_x"),
            top_y=row.get("top_y"),
            failed_records=row.get("failed_records"),
        )
        if question.relative_to:
            cell.side = _read_side(row, question)
        if question.pair and not missing:
            cell.tally = row["wins"], row["ties"], row["losses"]
            cell.apart = row["apart"]
        cells.append(cell)
    _add_notes(cells, grid, question)
    _add_frames(cells, grid, question)
    return cells


PLAIN = ("samples", "epochs", "expected", "peers", "common", "tried")
"""Columns of the grid that cells have as they are."""


def _read_chance(row: GridRow) -> ChanceSpread | None:
    if row.get("spread") is None:
        return None
    return ChanceSpread(**{name: row[name] for name in ChanceSpread.__struct_fields__})


def _read_side(row: GridRow, question: Question) -> OtherSide:
    unit = side_unit(question)
    return OtherSide(
        own=unit.value(row["own_value"]),
        base=unit.value(row["baseline_value"]),
        problems=row["paired_problems"],
        itself=bool(row["is_baseline"]) and row["value"] is not None,
        differs=row["differs"],
        stars=row.get("star_levels") or 0,
    )


def side_unit(question: Question) -> Unit:
    """The unit in which both sides of a difference are shown."""
    if is_share(question.word) and not question.own_unit:
        return units.PERCENT
    return question.own_unit or units.PLAIN


def _add_notes(cells: PlainCells, grid: Grid, question: Question) -> None:
    """What `annotate` prints; of a deviation also of how many values."""
    if not question.annotate:
        return
    notes = grid[NOTE].to_list()
    note_question = question.beside
    if note_question is None:
        names = question.called(question.noted, [note for note in notes if note is not None])
        for cell, note in zip(cells, notes, strict=True):
            cell.noted = names.get(note, "")
        return
    way = note_question.unit.value
    if question.deviates:
        way = note_question.unit.span
    values = [way(note) for note in notes]
    digits = _note_digits(values, question, note_question)
    sign = "±" if question.deviates else ""
    for cell, value, number in zip(cells, values, grid["note_samples"], strict=True):
        if value is not None:
            cell.noted = sign + digits.value(value)
        if question.deviates:
            cell.deviation = value
            cell.values = number


def _note_digits(
    values: Sequence[float | None], question: Question, note_question: Question
) -> Digits:
    form = question.note.format
    if form is None and note_question.shows_percent:
        return Digits(".1f")
    noted_values = [value for value in values if value is not None]
    return Digits(form or fitting_format(noted_values), fixed=form is not None)


def _add_frames(cells: PlainCells, grid: Grid, question: Question) -> None:
    """The items of `highlight` that name each cell."""
    places = question.grid_columns
    for number, item in enumerate(question.framed):
        framed_values = {places[name]: value for name, value in item.items()}
        has_cell = False
        for cell, row in zip(cells, grid.iter_rows(named=True), strict=True):
            if framed_values.items() <= row.items():
                cell.highlighted += (number,)
                has_cell = True
        if not has_cell:
            pairs = [f"{name}: {value}" for name, value in item.items()]
            item_words = ", ".join(pairs)
            why = f"there is no cell with {item_words}"
            raise question.fault(f"highlight[{number}]", why)
