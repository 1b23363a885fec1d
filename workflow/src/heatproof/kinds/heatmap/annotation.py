"""What `annotate` prints in cells beside their values: another metric, or the text of a column.

Of a metric the grid has `note_value`, `note_samples`, `note_epochs` and `note_gap`, counted as if
it were the value; of a column `note_value` alone, the one that all samples of a cell have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.charts import wording
from heatproof.config.entries import refused
from heatproof.kinds.heatmap import ordering
from heatproof.metrics import metric
from heatproof.samples import selection
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import fitting, is_format, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.entry import Entry


class Annotate(msgspec.Struct):
    """What is printed beside the values of a heatmap."""

    text: str
    """A metric, or a column of which each cell has one value."""
    format: str | None = None
    """Of a metric: a format of d3; by default what fits."""


NOTE = "note_value"
COUNTED = ("value", "samples", "epochs", "gap")
"""Columns of a grid that those of a metric stand for, behind `note_`."""
METRIC_LIKE = {*"(@^"}
"""Signs of which a metric has one, and the name of a column none."""
UNKNOWN = "–"
"""What a cell prints that has a value, and nothing to stand beside it."""
SEVERAL = 3
"""Values that are named at most where a cell has more than one."""


def grid_of(
    grid: pl.DataFrame,
    samples: pl.LazyFrame,
    entry: Entry,
    count: Callable[[Entry], pl.DataFrame],
) -> pl.DataFrame:
    """The grid with what is printed beside its values.

    `count`: a heatmap's block of the config → its grid.

    Raises:
        Error: the metric cannot be counted, or a cell has several values of the column.
    """
    place, beside = f"config.yaml: figures.{entry.name}", entry.beside
    if beside is None:
        return grid.with_columns(_texts(grid, samples, entry, f"{place}.annotate"))
    try:
        found = count(beside)
    except Error as error:
        said = str(error).replace(f"{place}.encoding.color", f"{place}.annotate")
        raise Error(said.replace(f"{place}: ", f"{place}.annotate: ")) from None
    notes = found.select(*entry.places, *(pl.col(name).alias(f"note_{name}") for name in COUNTED))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")


def _texts(grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, place: str) -> pl.Series:
    """The one value of the column in each cell; nothing where a cell has no samples.

    Raises:
        Error: a cell has several.
    """
    found = texts_of(samples, entry)
    notes = []
    for row in grid.select(entry.places).iter_rows():
        values = found.get(row, [])
        if len(values) > 1:
            cell = ", ".join(f"{n}={v}" for n, v in zip(entry.along, row, strict=True))
            named = ", ".join(map(str, values[:SEVERAL]))
            more = f" and {len(values) - SEVERAL:,} more" if len(values) > SEVERAL else ""
            raise Error(
                f"{place}: {entry.noted!r} has {len(values):,} values in one cell ({named}{more} "
                f"at {cell}), and a cell prints one; choose it under where.{entry.noted}, or lay "
                f"{entry.noted!r} along an axis"
            )
        notes.append(values[0] if values else None)
    kind = samples.collect_schema()[entry.noted]
    return pl.Series(NOTE, notes, kind)


def texts_of(samples: pl.LazyFrame, entry: Entry) -> dict[tuple[Any, ...], list[Any]]:
    """Place of a cell → the values of the column that its samples have, sorted."""
    mine = selection.shown(samples, entry.alone())
    pairs = mine.select(*entry.along, pl.col(entry.noted).alias(NOTE)).unique().collect()
    found: dict[tuple[Any, ...], list[Any]] = {}
    for *at, value in pairs.sort(pl.all(), nulls_last=True).iter_rows():
        found.setdefault(tuple(at), []).append(value)
    return found


def values_of(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid of the metric beside the values. No best is told of it."""
    told = {name: pl.col(f"note_{name}") for name in COUNTED}
    none = {"peers": pl.lit(None, pl.Int64), "best": pl.lit(value=False)}
    return grid.with_columns(**told, **none)


def recounted(
    samples: pl.LazyFrame,
    grid: pl.DataFrame,
    entry: Entry,
    count: Callable[[pl.LazyFrame, pl.DataFrame, Entry], Iterator[Recounted]],
) -> Iterator[Recounted]:
    """What stands beside each value, once more from samples; `count`: of the values themselves."""
    if entry.beside:
        for cell, value, counted, agrees in count(samples, values_of(grid), entry.beside):
            yield f"{cell}: {entry.noted}", value, counted, agrees
        return
    found = texts_of(samples, entry)
    for *at, note in grid.select(*entry.places, NOTE).iter_rows():
        here = found.get(tuple(at), [])
        cell = ", ".join(f"{n}={v}" for n, v in zip(entry.along, at, strict=True))
        said = f"{cell}: {entry.noted} {note!r}, by its records {', '.join(map(repr, here))}"
        yield said, None, None, here == ([] if note is None else [note])


def text_behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, cell: Mapping[str, Any]
) -> tuple[str, bool]:
    """The text of a cell in words, and whether its records say the same."""
    at = tuple(cell[name] for name in entry.along)
    note = next(
        note for *place, note in grid.select(*entry.places, NOTE).iter_rows() if tuple(place) == at
    )
    here = texts_of(samples, entry).get(at, [])
    said = f"{entry.noted}: {'none' if note is None else note}"
    return said, here == ([] if note is None else [note])


def told(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is printed beside each value, as text; empty where nothing is known."""
    notes, beside = grid[NOTE].to_list(), entry.beside
    if beside is None:
        names = entry.called(entry.noted, [note for note in notes if note is not None])
        return ["" if note is None else names[note] for note in notes]
    values = [beside.unit.value(note) for note in notes]
    known = [value for value in values if value is not None]
    spec = beside.format or (".1f" if beside.shows_percent else fitting(known))
    return ["" if value is None else show(value, spec) for value in values]


def title(entry: Entry) -> str:
    """What it is called."""
    if entry.beside is None:
        return wording.column(entry.noted, entry.labels) or entry.noted
    name = wording.measure(entry.noted, entry.labels)
    return f"{name} (%)" if entry.beside.shows_percent and "%" not in name else name


def lettered(rows: Sequence[Row], entry: Entry) -> list[Row]:
    """The rows with it on the second line of the cells, or instead of the value."""
    line = "label" if entry.text is False else "spread"
    return [{**row, line: "" if row["missing"] else row["noted"] or UNKNOWN} for row in rows]


def meaning(entry: Entry, printed: bool = True) -> str:
    """What is said of it below the figure; `printed`: there is room for it."""
    if entry.text is False:
        return f"in the cells: {title(entry)}"
    if not printed:
        return f"{title(entry)}: no room in the cells, see the table"
    return f"below each value: {title(entry)}"


def word(entry: Entry) -> str:
    """The metric or column; empty where there is none."""
    given = entry.annotate
    return given.text if isinstance(given, Annotate) else given or ""


def figure(entry: Entry) -> Entry | None:
    """The figure of the metric; None of a column."""
    noted, given = word(entry), entry.annotate
    if not noted or refused("", metric, noted):
        return None
    encoding = msgspec.structs.replace(entry.encoding, color=noted)
    orders = {name: by for name, by in entry.sort.items() if by not in ordering.COUNTED}
    return msgspec.structs.replace(
        entry.alone(), encoding=encoding, annotate=None, sort=orders, best="none", verdict=None,
        ruler=None, uncertainty="none", percent=None, highlight=[], margins=False,
        format=given.format if isinstance(given, Annotate) else None,
    )  # fmt: skip


def mistakes(entry: Entry) -> list[str]:
    """What cannot stand beside the values."""
    noted, key = word(entry), ".annotate"
    if not entry.annotate:
        return []
    if noted in (*entry.along, entry.encoding.color):
        return [f"{key}: {noted!r} is shown already; name another column or metric"]
    found = _misread(noted, key) or _misformatted(entry, key)
    if entry.uncertainty in ("se", "interval"):
        twice = "a cell has room for one line below its value; take one of them out"
        found.append(f"{key}: beside uncertainty: {entry.uncertainty!r}: {twice}")
    if entry.text is False and entry.margins:
        found.append(f".margins: means of values, and `text: false` prints {noted} alone in cells")
    return found


def _misread(noted: str, key: str) -> list[str]:
    """What is wrong with a metric. What is spelled like none is a column, which others look for."""
    return refused(key, metric, noted) if METRIC_LIKE & {*noted} else []


def _misformatted(entry: Entry, key: str) -> list[str]:
    noted, beside = word(entry), figure(entry)
    if beside is None:
        given = entry.annotate.format if isinstance(entry.annotate, Annotate) else None
        column = f"{key}.format: {given!r}: {noted!r} is a column, and only metrics have a format"
        return [column] if given is not None else []
    if beside.format is not None and not is_format(beside.format):
        return [f"{key}.format: {beside.format!r} is not a format; there are .1f, .3~s, ,d, …"]
    if metric(noted).join and entry.mean_over not in (None, "task"):
        return [f"{key}: {noted} is averaged over tasks alone, not over {entry.mean_over!r}"]
    return []
