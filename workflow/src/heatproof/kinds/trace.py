"""How a cell is named (`task=AIME24,ratio=0.3`), the records behind it, and every cell recounted.

The `definitions` of the figure's entry (`recount.Definition`) say what a number is: the first is of
the value, any other of a number beside it. Places of records are stretches of consecutive lines.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from heatproof.charts.units import PLAIN
from heatproof.config import roles
from heatproof.config.choice import conditions_of
from heatproof.config.entries import spelling
from heatproof.kinds import api, states
from heatproof.kinds import columns as grid_columns
from heatproof.kinds.recount import Recount
from heatproof.samples.counts import ANSWER
from heatproof.util import canonical
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from heatproof.charts.units import Unit
    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.recount import CountedCell, Definition, Values
    from heatproof.kinds.states import GridRow

SAFE = "/,:@"  # signs that stand as they are in an address
Recounted = tuple[str, float | None, float | None, bool]
"""Cell, its value, the value counted anew, whether all that was counted agrees."""


class RecordGroup(msgspec.Struct):
    """Some records of a cell: those of a task, or of an instance."""

    title: str
    value: float | None
    samples: int
    epochs: int
    records: list[dict[str, Any]]


class Behind(msgspec.Struct):
    """A number of a figure with all that it was made of."""

    cell: dict[str, Any]
    metric: str
    value: float | None  # as the grid has it
    samples: int
    epochs: int
    counted: float | None  # the same counted anew from `parts`
    agrees: bool | None  # with the grid, of value, problems and epochs; None: not counted
    parts: list[RecordGroup]
    note: str = ""  # what is missing here, and why
    changed: list[str] = []  # in words: logs that differ from those of the figure
    grown: list[str] = []  # in words: logs with new records, of which the old part was read
    unread: list[str] = []  # logs that cannot be read: their records come from the samples table
    gap: str = ""  # why the records give no value
    state: str = ""  # the same as a code of `states.GAPS`
    failed: list[str] = []  # where there is no record: the logs that were to hold some
    asked: str = ""  # how many problems of a data set were asked for, if not all, in words
    expected: int | None = None  # records of a complete run; None where the kind does not know
    heads: dict[str, str] = {}  # column → its place in the head of the log
    against: str = ""  # value and baseline, of a difference, in words
    beside: str = ""  # numbers beside the value, in words
    printed: str = ""  # of aggregates: that they are such, and what was printed beside them


class DerivedNumber(NamedTuple):
    """A number that is made of several cells, as stored and as counted anew."""

    cells: Mapping[str, object]  # name → value, what these cells have in common
    called: str
    stored: float | None
    counted: float | None
    agrees: bool
    said: str = ""  # what stands before it in the words on one of these cells

    def words(self) -> str:
        """The number beside the value of a cell."""
        stored, counted = (
            "none" if value is None else f"{value:.6g}" for value in (self.stored, self.counted)
        )
        return f"{self.said} {stored}, counted anew {counted}"


def derived_numbers(
    samples: Samples,  # noqa: ARG001
    grid: Grid,  # noqa: ARG001
    entry: Any,  # noqa: ARG001
) -> Iterable[DerivedNumber]:
    """Numbers that are made of several cells, counted once more; most kinds have none."""
    return ()


def parse_cell(text: str) -> dict[str, str]:
    """`task=a,ratio=0.3` or `task=a&ratio=0.3` as names and values; a value may hold commas.

    Raises:
        Error: a pair has no `=`.
    """
    values: dict[str, str] = {}
    if not text:
        return values
    for pair in re.split(r"[,&](?=[^,&=]+=)", text):
        name, equals, value = pair.partition("=")
        if not equals:
            raise Error(f"--cell: {pair!r} is not name=value, as in model=a,task=b")
        values[name.strip()] = value.strip()
    return values


def place_words(place: Values) -> str:
    """A cell in words: `task=a, ratio=0.3`."""
    return ", ".join(f"{name}={value}" for name, value in place.items())


def cell_address(figure: str, cell: Values) -> str:
    """The address of a cell, `figure?task=a&ratio=0.3`, as the page has it behind its `#`."""
    pairs = []
    for name, value in cell.items():
        text = quote(spelling(value), SAFE)
        pairs.append(f"{quote(name, SAFE)}={text}")
    return f"{quote(figure, SAFE)}?{'&'.join(pairs)}"


def split_address(text: str) -> tuple[str, str | None]:
    """Figure and cell of an address; without a cell, all of the text is the figure."""
    figure, has_cell, cell = text.partition("?")
    if not has_cell:
        return text, None
    return unquote(figure), ",".join(unquote(pair) for pair in cell.split("&"))


def pick(name: str, text: str | None, values: Iterable[Any], names: Mapping[Any, str] = {}) -> Any:
    """The one of `values` that a text means; without a text the only one.

    `names`: value → what the figure calls it, which a text may be as well.

    Raises:
        Error: a text means none, or there are several and no text.
    """
    values = list(values)
    if text is None:
        if len(values) == 1:
            return values[0]
        raise Error(f"--cell: which {name}? {choices('', map(spelling, values))}")
    try:
        number = float(text)
    except ValueError:
        number = None
    for value in values:
        words = {str(value), spelling(value), names.get(value), canonical.guarded(str(value))}
        if text in words or (type(value) in (int, float) and number == value):
            return value
    raise Error(f"--cell: {name}={text}: {choices(text, map(spelling, values))}")


def require_known(cell: Mapping[str, str], keys: Sequence[str]) -> None:
    """Refuse names that do not tell cells apart."""
    for name in cell:
        if name not in keys:
            raise Error(f"--cell: {name!r} does not tell cells apart; {choices(name, keys)}")


def columns(entry: Any, _: Grid) -> dict[str, str]:
    """Name in the address of a cell → the column of the grid that has it."""
    return entry.definitions()[0].places()  # type: ignore[no-any-return]


def value_columns(_: Any, grid: Grid) -> list[str]:
    """Columns of the grid that are values and counts, and not what follows from them."""
    return grid_columns.counted_columns(grid.columns)


def within(samples: Samples, entry: Any, cell: Values) -> Samples:
    """The samples of a cell, given by columns of the grid or the samples, and of its baseline."""
    definition = entry.definitions()[0]
    names = definition.keys
    if definition.pair:
        names = definition.places()
    place = {name: cell[name if name in cell else key] for name, key in names.items()}
    return samples.filter(pl.any_horizontal(definition.sides(place)))


def problem_counts(*_: Any) -> list[Any]:
    """Of kinds that are no cells of problems, none."""
    return []


def recounted(samples: Samples, grid: Grid, entry: Any) -> Iterator[Recounted]:
    """Every number of the grid, and those made of several cells, counted once more."""
    for definition in entry.definitions():
        recount = Recount(samples, definition)
        title = definition.title
        for row in grid.filter(conditions_of(definition.part)).iter_rows(named=True):
            place = {name: row[column] for name, column in definition.places().items()}
            cell = recount.cell(place, row)
            words = place_words(place)
            if title:
                words += f": {title}"
            yield words, row[f"{definition.prefix}value"], as_float(cell.value), cell.agrees
    for number in api.kind(entry.kind).derived_numbers(samples, grid, entry):
        yield number.called, number.stored, number.counted, number.agrees


def behind(samples: Samples, grid: Grid, entry: Any, place: Mapping[str, str]) -> Behind:
    """The cell that `place` names, its records, and the numbers beside its value.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    definitions = entry.definitions()
    keys = definitions[0].places()
    require_known(place, list(keys))
    cell_place, rows = {}, grid
    for name, column in keys.items():
        values = grid[column].unique(maintain_order=True).to_list()
        cell_place[name] = pick(name, place.get(name), values, entry.called(name, values))
        rows = rows.filter(pl.col(column) == cell_place[name])
    grid_place = {column: cell_place[name] for name, column in keys.items()}
    first, *further = (
        definition for definition in definitions if definition.part.items() <= grid_place.items()
    )
    row = rows.row(0, named=True)
    panel = {name: cell_place[name] for name in first.panels}
    cell = Recount(samples, first, panel).cell(cell_place, row)
    notes = []
    agrees = cell.agrees
    for other in further:
        number = Recount(samples, other, panel).cell(cell_place, row)
        stored, counted = (
            "no value" if value is None else f"{_in_unit(value, other.unit):.12g}"
            for value in (row[f"{other.prefix}value"], number.value)
        )
        metric_words = other.metric.word
        if other.deviates:
            metric_words = f"std over {other.deviates}"
        notes.append(f"{metric_words} = {stored}, counted anew {counted}")
        agrees = agrees and number.agrees
    if not further and "note_value" in row:
        noted = row["note_value"]
        notes.append(f"{entry.question.noted}: {'none' if noted is None else noted}")
    for derived in api.kind(entry.kind).derived_numbers(samples, grid, entry):
        if derived.cells.items() <= cell_place.items():
            notes.append(derived.words())
            agrees = agrees and derived.agrees
    state = gap = ""
    if cell.value is None:
        records = cell.sides[0].rows if cell.sides else grid.clear()
        state, gap = _why_no_value(row, records, first)
    return Behind(
        cell=cell_place, metric=first.metric.word, samples=row["samples"], epochs=row["epochs"],
        value=_in_unit(row["value"], first.unit), counted=_in_unit(cell.value, first.unit),
        agrees=agrees, parts=_record_parts(cell, first), gap=gap, state=state,
        expected=row["expected"],
        asked=states.asked_words(row), beside="; ".join(notes),
        against=_sides_words(cell, first) if first.relative_to else "",
        printed=_printed_words(cell.sides[0].rows, first) if first.metric.printed else "",
    )  # fmt: skip


def _why_no_value(row: GridRow, records: pl.DataFrame, number: Definition) -> tuple[str, str]:
    """The code of a cell without a value, and its words."""
    gap = states.read_gap(row)
    if number.pair and gap:
        return gap.kind, gap.words(number.metric, number.averaged)
    if not len(records) and (gap is None or gap.kind == states.NOTHING):
        return states.NOTHING, states.GAPS[states.NOTHING].words
    if gap is None:
        return states.BEGUN, "no value"
    return gap.kind, gap.words(number.metric, number.averaged)


def as_float(value: Fraction | float | None) -> float | None:
    """A fraction as a number."""
    if value is None:
        return None
    return float(value)


def _in_unit(value: Fraction | float | None, unit: Unit) -> float | None:
    if unit == PLAIN:
        return as_float(value)
    return unit.value(as_float(value))


def _record_parts(cell: CountedCell, number: Definition) -> list[RecordGroup]:
    if number.pair:
        return _instance_parts(cell, number)
    answer = []
    if number.metric.votes:
        answer = [ANSWER]
    task_parts = []
    titles = [""]
    if number.relative_to:
        titles = ["own, ", "baseline, "]
    for title, (rows, tasks) in zip(titles, cell.sides, strict=True):
        numbered = number.numbered(rows)
        for task, count in tasks.items():
            records = as_dicts(numbered.filter(task=task), number.metric.of, *answer)
            for record in records:
                record["value"] = _in_unit(record["value"], number.sample_unit)
            value = _in_unit(count.value, number.side_unit)
            task_parts.append(
                RecordGroup(f"{title}task={task}", value, count.samples, count.epochs, records)
            )
    return task_parts


def _instance_parts(cell: CountedCell, number: Definition) -> list[RecordGroup]:
    """The records of each instance of a pair, those of either side."""
    by_key = [number.numbered(side.rows) for side in cell.sides]
    partitions = [rows.partition_by(number.problem, as_dict=True) for rows in by_key]
    instance_parts = []
    ordered = sorted(cell.instances, key=lambda instance: list(map(str, instance.key)))
    for key, x, y in ordered:
        names = zip(number.problem, key, strict=True)
        words = ", ".join(f"{name}={value}" for name, value in names if value != "")
        records: list[dict[str, Any]] = []
        for rows in partitions:
            records += as_dicts(rows[key], number.metric.of)
        for record in records:
            record["value"] = _in_unit(record["value"], number.sample_unit)
        x_value, y_value = (_in_unit(side.value, number.sample_unit) for side in (x, y))
        title = f"{words}: {x_value:.6g} against {y_value:.6g}"
        lead = _in_unit(x.value - y.value, number.side_unit._replace(start=0.0))
        instance_parts.append(RecordGroup(title, lead, 1, len(records), records))
    return instance_parts


def as_dicts(rows: pl.DataFrame, measure: str, *also: str) -> list[dict[str, Any]]:
    """The records in order of the logs: place, sample, the measure as `value`, columns `also`."""
    value, key = pl.col(measure).alias("value"), roles.KEY[1:]
    fields = [*roles.PLACE, *roles.SETTINGS, *key, value, *also]
    ordered = rows.sort("task", *roles.PLACE[:-1], *key)
    return ordered.select(fields).to_dicts()


def _sides_words(cell: CountedCell, number: Definition) -> str:
    """`0.59 − 0.55 of the baseline (ratio=1.0), on 40 shared problems`."""
    baseline_words = ", ".join(
        f"{n}={'none' if v is None else v}" for n, v in number.relative_to.items()
    )
    shared = f"{cell.common:,} shared problems"
    if cell.value is None:
        return f"baseline ({baseline_words}): {shared}"
    cell_value, base = (number.side_unit.value(as_float(side)) for side in cell.on_common)
    words = f"{cell_value:.10g} − {base:.10g} of the baseline ({baseline_words})"
    if number.metric.printed:
        return words
    return f"{words}, on {shared}"


def _printed_words(records: pl.DataFrame, number: Definition) -> str:
    """What was printed beside the one number of a cell of aggregates."""
    rows = number.numbered(records).to_dicts()
    metric = number.metric
    texts = []
    if len(rows) == 1:
        error = rows[0].get(f"{metric.of}_stderr")
        size = rows[0].get(f"{metric.of}_n")
        if error is not None:
            texts.append(f"standard error {number.sample_unit.span(error):.10g}")
        if size is not None:
            texts.append(f"{size:,.0f} problems")
    if texts:
        return f"{metric.caveat}; {' and '.join(texts)} as printed"
    return metric.caveat


# ------------------------------------------------------------------------------- where records lie

ORDER = ["log", "member", "first", "start"]
SPAN = ("first", "last", "start", "end")
BUDGET = 6_000  # stretches listed for a figure at most: its page stays readable and small


class Stretches:
    """The places of records, added in portions: the first stretches of each owner, as many as fit.

    Memory grows with what is listed, not with the records. `by`: the column of an owner's number.
    """

    def __init__(self, by: str) -> None:
        self._by = by
        self._paths: dict[tuple[str, str], int] = {}
        self._first = list[pl.DataFrame]()
        self._sums = list[pl.DataFrame]()

    def add(self, rows: pl.DataFrame) -> None:
        """Add records: `by` and the place columns. No log is split between portions."""
        by = self._by
        new_stretches = stretches(rows, self._by)
        sums = [
            *self._sums,
            new_stretches.select(by, "rows", pl.lit(1, pl.Int64).alias("stretches")),
        ]
        self._sums = [pl.concat(sums).group_by(by).agg(pl.col("rows", "stretches").sum()).sort(by)]
        # The more there are, the fewer of one owner: none is dropped too early.
        sums_of_owners = self._sums[0]
        most_listed = fair(sums_of_owners["stretches"])
        ordered = pl.concat(self._first + [new_stretches]).sort(by, *ORDER)
        self._first = [ordered.filter(pl.int_range(pl.len()).over(by) < most_listed)]

    def listed(self) -> dict[int, list[Any]]:
        """Owner → its first stretches, by log.

        Each item is [number of the log, [first, last, start, end], …]; a last item [-1, stretches,
        rows] sums up those left out.
        """
        items: dict[int, list[Any]] = {}
        if not self._sums:
            return items
        first_stretches = self._first[0]
        rows = first_stretches.iter_rows(named=True)
        first = {
            owner: list(owner_rows)
            for owner, owner_rows in groupby(rows, lambda row: row[self._by])
        }
        for owner, records, count in self._sums[0].rows():
            lines = first.get(owner, [])
            item = items.setdefault(int(owner), [])
            for log, owner_rows in groupby(lines, lambda row: (row["log"], row["member"])):
                number = self._paths.setdefault(log, len(self._paths))
                spans = [[row[key] for key in SPAN] for row in owner_rows]
                item.append([number] + spans)
            if left := count - len(lines):
                item.append([-1, left, records - sum(row["rows"] for row in lines)])
        return items

    def logs(self) -> list[str | list[str]]:
        """The listed logs in order of their numbers: path, or path and member of an archive."""
        return [[log, member] if member else log for log, member in self._paths]


def stretches(rows: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of a samples table → a row per stretch of consecutive lines of one log and owner.

    Returns:
        `by`, `log`, `member`, `first` and `last` line (from 1), `start` and `end` (bytes, the
        end not included), `rows`; in the order of these.
    """
    owner = [by, "log", "member"]
    changes = [pl.col(name) != pl.col(name).shift() for name in owner]
    jumps = ~pl.col("line").diff().is_in([0, 1])
    new = pl.any_horizontal(*changes, jumps).fill_null(value=True)
    ordered = rows.sort(*owner, "offset", maintain_order=True).with_columns(new=new.cum_sum())
    stretches_found = ordered.group_by(*owner, "new", maintain_order=True).agg(
        first=pl.col("line").first(),
        last=pl.col("line").last(),
        start=pl.col("offset").first(),
        end=(pl.col("offset") + pl.col("record_bytes")).last(),
        rows=pl.len().cast(pl.Int64),
    )
    return stretches_found.drop("new").sort(by, *ORDER)


def fair(counts: Iterable[int], budget: int = BUDGET) -> int:
    """The most that each may list, so that all together keep to the budget; 0 for too many."""
    left = budget
    waiting = sorted(counts)
    for done, count in enumerate(waiting):
        share = left // (len(waiting) - done)
        if count > share:
            return share
        left -= count
    return max(waiting, default=1)
