"""Rows of the samples table: made of what readers yield, sorted, repeats taken out.

What no table can hold is refused, and so are samples that stand twice, which shows only when rows
are sorted. More rows than memory holds are sorted on disk.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.formats.api import Batch, Place, Reject, beyond_range
from heatproof.samples import tables
from heatproof.samples.counts import ANSWER, count_digests
from heatproof.util import canonical
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.lazy import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from heatproof.formats.api import Kind
    from heatproof.samples.tables import Kinds, Names, Pieces, Table

    Faults = dict[int, Error]  # number of a row → what is wrong with its value

LogBatch = tuple[str, Batch]  # a log's path, and rows of it
Refused = tuple[str, Reject]

LONGEST = 200  # characters of the longest text that the rejected table holds
LARGEST = 2.0**63  # its numbers are smaller
AGAIN = "repeats a record: the same sample, epoch, run and scorer"
UNLIKE = "contradicts a record of the same sample, epoch, run and scorer: none of them is kept"
MOST = 1e150  # of a measure: squares, from which errors are estimated, still add up to floats
WITHIN = f"; a measure lies within ±{MOST:g}, and is null or empty where there is none"
CONTROL = r"[\x00-\x1f\x7f-\x9f\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fffe}\u{ffff}]"
"""What no name may hold: control characters, line ends, marks that turn the writing direction, and
what XML, and so no picture, can hold."""


def rejected_rows(rejects: Sequence[Refused], names: Collection[str]) -> Table:
    """Rejects as rows of the rejected table; `names`: columns that their settings may hold."""
    rows = []
    for log, reject in rejects:
        short = {}
        for name, value in reject.cells.items():
            number = isinstance(value, int | float) and abs(value) < LARGEST  # no NaN is
            if name in names and (number or (isinstance(value, str) and len(value) <= LONGEST)):
                short[name] = value
        settings = ""
        if short:
            settings = canonical.text(short)
        no_record = reject.whole or not reject.place.record_bytes
        reason = reject.kind, reject.field, no_record, reject.reason, reject.excerpt
        rows.append((log, reject.member, *reject.place, *reason, settings))
    return pl.DataFrame(rows, tables.dtypes(tables.REJECTED), orient="row")


def rows_of(
    batches: Sequence[LogBatch],
    kinds: Kinds,
    ranges: Mapping[str, Sequence[float]] | None = None,
) -> tuple[Table, list[Refused]]:
    """Batches as rows of the samples table, in their order; what no table can hold as rejects.

    Such are values out of range, and names with control characters. There is a batch, and none is
    empty. `kinds`: type of each column of the table; `ranges`: column → the values of its 0 and 1.
    """
    scales: dict[str, Sequence[float]] = {"score": (0.0, 1.0)}
    for column, ends in (ranges or {}).items():
        scales[column] = ends or scales.get(column, ())
    begins = np.cumsum([0] + _sizes(batches)).tolist()
    measures = set(roles.columns(kinds, "measure")) - {"score"}
    stated = set[str]().union(*(batch.columns for _, batch in batches))
    arrays = [np.asarray(batch.places, np.int64) for _, batch in batches]
    places = np.concatenate(arrays)
    columns = dict(zip(Place._fields, map(pl.Series, places.T), strict=True))
    faults: Faults = {}
    for name, kind in kinds.items():
        if name in columns:
            continue
        columns[name], wrong = _column(
            name, kind, batches, is_shared=name not in stated, measure=name in measures
        )
        faults |= wrong
        if scale := scales.get(name):
            faults |= _beyond(name, columns[name], *scale)
    rows = pl.DataFrame(columns).select(*kinds)
    if not faults:
        return rows, []
    rejects = []
    for row, fault in sorted(faults.items()):
        number = bisect_right(begins, row) - 1
        log, batch = batches[number]
        index = row - begins[number]
        place = Place(*places[row].tolist())
        cells = batch.shared | {name: values[index] for name, values in batch.columns.items()}
        reject = Reject.of_error(place, fault, member=batch.member, cells=cells)
        rejects.append((log, reject))
    is_faulty = pl.int_range(len(rows)).is_in(list(faults))
    return rows.filter(~is_faulty), rejects


def _sizes(batches: Sequence[LogBatch]) -> list[int]:
    return [len(batch.places) for _, batch in batches]


def _column(
    name: str, kind: str, batches: Sequence[LogBatch], *, is_shared: bool, measure: bool
) -> tuple[pl.Series, Faults]:
    """A column of batches, and row → what is wrong with its value.

    `is_shared`: the rows of each batch share its value, which is looked at once a batch.
    """
    if is_shared:
        sizes = [1 for _ in batches]
    else:
        sizes = _sizes(batches)
    values = list(chain.from_iterable(map(_values, repeat(name), batches, sizes)))
    wrong: Faults = {}
    if name == ANSWER:
        column = count_digests(values)
    else:
        column, wrong = _checked(name, values, kind, measure=measure)
    if is_shared:
        numbers = np.repeat(np.arange(len(batches)), _sizes(batches))
        column = column.gather(numbers)
        if wrong:
            wrong = {row: wrong[n] for row, n in enumerate(numbers.tolist()) if n in wrong}
    return column, wrong


def _values(name: str, log_batch: LogBatch, count: int) -> Iterable[Any]:
    """The values of a column in a batch; of one that its rows share, so many."""
    log, batch = log_batch
    if name in batch.columns:
        return batch.columns[name]
    if name in batch.shared:
        value = batch.shared[name]
    elif name in ("log", "run"):
        value = log
    elif name == "member":
        value = batch.member
    elif name in roles.OWN:
        value = roles.OWN[name].default
    else:
        value = None
    return repeat(value, count)


def _checked(
    name: str, values: list[Any], kind: str, *, measure: bool = False
) -> tuple[pl.Series, Faults]:
    """Values as a column, and position → what is wrong with a value that it cannot hold."""
    column, faults = fitting(values, kind)
    if not roles.is_null(name) and column.null_count():
        faults |= {row: "missing" for row, value in enumerate(values) if value is None}
    if kind == "str" and name not in ("log", "member"):
        for row in column.str.contains(CONTROL).fill_null(value=False).arg_true():
            faults[row] = f"{column[row]!a:.60} holds a control character"
    if measure and not _lies_within(column, -MOST, MOST):
        for row in (column.is_nan() | (column.abs() > MOST)).fill_null(value=False).arg_true():
            faults[row] = f"{column[row]:g} is out of range{WITHIN}"
    return column, {row: Error(f"{name}: {fault}", "type", name) for row, fault in faults.items()}


def _beyond(name: str, column: pl.Series, low: float, high: float) -> Faults:
    """Position → what is wrong, of numbers beyond the ends of their scale."""
    if _lies_within(column, 0, 1):
        return {}
    outside = ((column < 0) | (column > 1)).fill_null(value=False).arg_true()
    return {row: beyond_range(name, column[row], low, high) for row in outside}


def _lies_within(column: pl.Series, low: float, high: float) -> bool:
    """Whether all numbers are seen to lie within two ends at a glance: none is NaN or infinite."""
    lowest: Any = column.min()
    highest: Any = column.max()
    return lowest is None or (math.isfinite(column.sum()) and low <= lowest and highest <= high)


def fitting(values: Sequence[Any], kind: str) -> tuple[pl.Series, dict[int, str]]:
    """Values as a column, null where one does not fit its type, and position → why."""
    (dtype,) = tables.dtypes({"": kind}).values()
    unfit = (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError)
    with suppress(*unfit):
        return pl.Series(values, dtype=dtype), {}
    faults = {}
    for row, value in enumerate(values):
        try:
            pl.Series([value], dtype=dtype)
        except unfit:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            is_not = f"{value!r:.40} is not {kind}"
            if number:
                faults[row] = f"{str(value)[:40]} is out of range"
            else:
                faults[row] = is_not
    fit = list(values)
    for row in faults:
        fit[row] = None
    return pl.Series(fit, dtype=dtype), faults


class Settings:
    """Models, tasks and hyper-parameters of each log: several are several runs."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.several = set[str]()  # logs that hold several runs
        self._log = ""
        self._settings = dict[str, set[tuple[Any, ...]]]()

    def add(self, log: str, batch: Batch) -> None:
        """Look at a batch; those of one log come one after the other."""
        if log != self._log:
            self._log = log
            self._settings = {}
        settings = self._settings.setdefault(batch.member, set())
        shared = tuple(map(batch.shared.get, self.names))
        if batch.columns.keys().isdisjoint(self.names):
            settings.add(shared)
        else:
            pairs = zip(map(batch.columns.get, self.names), shared, strict=True)
            settings.update(zip(*(repeat(v) if c is None else c for c, v in pairs), strict=False))
        if len(settings) > 1:
            self.several.add(log)

    def with_runs(self, rows: Table) -> Table:
        """The rows, with the name `log#ratio=0.1,…` for each run of a log that holds several."""
        words = []
        for name in self.names:
            values = rows[name]
            if values.dtype == pl.Float64:  # as Python writes them
                texts = [None if value is None else str(value) for value in values.to_list()]
                values = pl.Series(texts, dtype=pl.String)
            words.append(pl.format(f"{name}={{}}", values.cast(pl.String).fill_null("none")))
        run = pl.format("{}#{}", "run", pl.concat_str(words, separator=","))
        has_runs = pl.col("log").is_in(sorted(self.several))
        run = pl.when(has_runs).then(run).otherwise("run")
        return rows.with_columns(run.alias("run"))


class Repeats:
    """Takes rows out of sorted ones whose key stands twice, and of those that contradict all.

    The first of equal rows is kept. If their scores differ, none is: which is right is not known.
    """

    def __init__(self, apart: str = "", mapped: bool = False) -> None:
        """`apart`: key of config.yaml that tells repetitions apart; `mapped`: it names columns."""
        hint = ""
        if apart:
            hint = f"; to tell repetitions apart, write {apart} in config.yaml"
        self._again = AGAIN + hint
        self._unlike = UNLIKE + hint
        self._kind: Kind = "same"
        if apart or mapped:
            self._kind = "repeat"
        self._held = pl.DataFrame()  # the first row of the last key: others of it may come
        self._is_unlike = False  # whether some of these have another score

    def split(self, rows: Table, *, last: bool = False) -> tuple[Table, list[Refused]]:
        """The rows of a piece that are kept, and rejects; `last`: no piece comes after it."""
        batches = [batch for batch in (self._held, rows) if len(batch)]
        if not batches:
            return rows, []
        rows = pl.concat(batches)
        first = tables.starts(rows, roles.KEY)
        sizes = np.diff(np.append(first, len(rows)))
        group = np.repeat(np.arange(len(first)), sizes)
        scores = rows["score"].fill_null(math.nan).to_numpy()
        row_score = scores[first][group]
        differs = (scores != row_score) & ~(np.isnan(scores) & np.isnan(row_score))
        unlike = np.zeros(len(first), bool)
        unlike[group[differs]] = True
        unlike[0] |= self._is_unlike
        kept = np.zeros(len(rows), bool)
        kept[first] = ~unlike
        refused = ~kept
        if not last:
            held = first[-1]
            self._held = rows[[held]]
            self._is_unlike = bool(unlike[-1])
            kept[held] = False
            refused[held] = False
        rejects = []
        contradicting = unlike[group][refused].tolist()
        for row, contradicts in zip(rows.filter(refused).to_dicts(), contradicting, strict=True):
            place = Place(row["line"], row["offset"], row["record_bytes"])
            reject = Reject(place, self._again, "", row["member"], cells=row, kind=self._kind)
            if contradicts:
                reject.reason = self._unlike
                reject.kind = "repeat"
            rejects.append((row["log"], reject))
        return rows.filter(kept), rejects


MEMORY = 48 << 20
"""Bytes of rows that are kept in memory, some 240,000 rows. A job of a million short records then
peaks at 370 MB and takes 3.1 CPU s; with 200 MB of rows it would peak at 470 MB and take 2.2."""
PIECE = 1 << 15  # rows that leave at a time
BLOCK = 1024  # rows of a run that are read at a time
PORTION = 128  # blocks that are sorted at a time
RUN = " run"  # column: the run that a row was in; no column of a table has a blank in its name


class Sorter:
    """Rows that come in any order, as frames of one schema, and leave sorted by `key`.

    Rows of equal key leave in the order in which they came. What is too much for the memory waits
    in a file below `folder`: sorted runs one after the other, in blocks that are read one by one.
    """

    def __init__(self, key: Names, folder: Path | None = None) -> None:
        self.key = list(key)
        self._folder = folder
        self.rows = 0
        self._rows: list[Table] = []
        self._blocks: list[tuple[tuple[Any, ...], int, int]] = []
        """Key of the first row, number of the run, and number in the file."""
        self._runs = 0

    def add(self, rows: Table) -> None:
        if len(rows):
            self.rows += len(rows)
            self._rows.append(rows)
            if sum(int(table.estimated_size()) for table in self._rows) >= MEMORY:
                self._spill()

    def pieces(self) -> Pieces:
        """All rows, sorted, in frames of no fixed size; to be called once."""
        if not self._runs:
            if self._rows:
                yield from self._sorted()
            return
        if self._rows:
            self._spill()
        self._file.close()
        with self._room, pa.OSFile(str(self._path)) as data:
            options = pa.ipc.IpcReadOptions(use_threads=False)
            file = pa.ipc.open_file(data, options=options)
            yield from self._merged(file)

    def _sorted(self) -> Pieces:
        """The rows in memory, sorted; from one chunk they are gathered in half the time."""
        rows = pl.concat(self._rows, rechunk=True)
        self._rows = []
        names = [name for name in self.key if rows[name].ne_missing(rows[name][0]).any()]
        by = pl.arg_sort_by(names or self.key[:1], maintain_order=True)
        order = rows.select(by).to_series()
        for start in range(0, len(rows), PIECE):
            yield rows[order[start : start + PIECE]]

    def _spill(self) -> None:
        for rows in self._sorted():
            table = rows.to_arrow()
            if not self._blocks:
                self._room = TemporaryDirectory(dir=self._folder, prefix=tables.WAITING)
                self._path = Path(self._room.name, "rows.arrow")
                options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
                self._file = pa.ipc.new_file(self._path, table.schema, options=options)
            self._file.write_table(table, max_chunksize=BLOCK)
            for key in rows.select(self.key).gather_every(BLOCK).iter_rows():
                self._blocks.append((_ranked(key), self._runs, len(self._blocks)))
        self._runs += 1

    def _merged(self, file: pa.RecordBatchFileReader) -> Pieces:
        """The rows of all runs in order, those of equal key run by run.

        Blocks are read in the order of their first keys. After each portion, all rows before the
        first row of the next block are there; of its very key, those of earlier runs and its own.
        """
        blocks = sorted(self._blocks)
        order = self.key + [RUN]
        rest: list[Table] = []
        for start in range(0, len(blocks), PORTION):
            portion = blocks[start : start + PORTION]
            batches = [file.get_batch(number) for *_, number in portion]
            runs = np.repeat([run for _, run, _ in portion], [len(batch) for batch in batches])
            read = pl.DataFrame(pa.Table.from_batches(batches)).with_columns(pl.Series(RUN, runs))
            rows = pl.concat(rest + [read], rechunk=True).sort(order, maintain_order=True)
            stop = len(rows)
            if start + PORTION < len(blocks):
                first, run, _ = blocks[start + PORTION]
                keys = rows.select(order)
                after = (*first, *_ranked((run,)))
                stop = bisect_right(range(stop), after, key=lambda row: _ranked(keys.row(row)))
            yield from rows[:stop].drop(RUN).iter_slices(PIECE)
            rest = [rows[stop:]]


def _ranked(key: Sequence[Any]) -> tuple[Any, ...]:
    """A key that Python can compare: nulls before all values, as polars sorts them."""
    return tuple((value is not None, value) for value in key)
