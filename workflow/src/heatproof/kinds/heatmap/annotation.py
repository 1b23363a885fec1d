"""What the user adds to cells: `annotate` prints another metric or a column, `highlight` frames.

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
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, fitting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row


class Annotate(msgspec.Struct):
    """What is printed beside the values of a heatmap."""

    text: str
    """A metric, or a column of which each cell has one value."""
    format: str | None = None
    """Of a metric: a format of d3; by default what fits."""


NOTE = "note_value"
COUNTED = ("value", "samples", "epochs", "gap")
"""Columns of a grid that those of a metric stand for, behind `note_`."""
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
    place, beside = f"figures.{entry.name}", entry.beside
    if beside is None:
        return grid.with_columns(_one_of_each(grid, samples, entry, f"{place}.annotate"))
    try:
        counted = count(beside)
    except Error as error:
        places = (place, f"{place}.encoding.color")
        raise Error([
            m._replace(place=f"{place}.annotate") if m.place in places else m
            for m in error.mistakes
        ]) from None  # fmt: skip
    notes = counted.select(*entry.places, *(pl.col(name).alias(f"note_{name}") for name in COUNTED))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")


def _one_of_each(grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, place: str) -> pl.Series:
    """The one value of the column in each cell; nothing where a cell has no samples."""
    rows = selection.of_figure(samples, entry.alone())
    pairs = rows.select(*entry.along, pl.col(entry.noted).alias(NOTE)).unique().collect()
    values: dict[tuple[Any, ...], list[Any]] = {}
    for *at, value in pairs.sort(pl.all(), nulls_last=True).iter_rows():
        values.setdefault(tuple(at), []).append(value)
    for place_of, several in values.items():
        if len(several) > 1:
            cell = ", ".join(f"{n}={v}" for n, v in zip(entry.along, place_of, strict=True))
            more = f" and {len(several) - SEVERAL:,} more" if len(several) > SEVERAL else ""
            raise Error(
                Mistake(
                    place,
                    f"{entry.noted!r} has {len(several):,} values in one cell "
                    f"({', '.join(map(str, several[:SEVERAL]))}{more} at {cell}), and a cell "
                    f"prints one; choose it under where.{entry.noted}, or lay {entry.noted!r} "
                    "along an axis",
                )
            )
    notes = [values.get(at, [None])[0] for at in grid.select(entry.places).iter_rows()]
    return pl.Series(NOTE, notes, samples.collect_schema()[entry.noted])


def texts(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is printed beside each value, as text; empty where nothing is known."""
    notes, beside = grid[NOTE].to_list(), entry.beside
    if beside is None:
        names = entry.called(entry.noted, [note for note in notes if note is not None])
        return ["" if note is None else names[note] for note in notes]
    values = [beside.unit.value(note) for note in notes]
    numbers = [value for value in values if value is not None]
    spec = beside.format or (".1f" if beside.shows_percent else fitting(numbers))
    digits = Digits(spec, asked=beside.format is not None)
    return ["" if value is None else digits.value(value) for value in values]


def title(entry: Entry) -> str:
    """What it is called."""
    if entry.beside is None:
        return wording.column(entry.noted, entry.labels) or entry.noted
    name = wording.measure(entry.noted, entry.labels)
    return f"{name} (%)" if entry.beside.shows_percent and "%" not in name else name


def lettered(rows: Sequence[Row], entry: Entry) -> list[Row]:
    """The rows with it on the second line of the cells, or instead of the value."""
    line = "label" if entry.text is False else "spread"
    return [{**row, line: "" if row["missing"] else row["noted"] or "–"} for row in rows]


def meaning(entry: Entry, printed: bool) -> str:
    """What is said of it below the figure; `printed`: there is room for it."""
    if entry.text is False:
        return f"in the cells: {title(entry)}"
    if not printed:
        return f"no room in the cells for {title(entry)}, see the table"
    return f"below each value: {title(entry)}"


def figure(entry: Entry) -> Entry | None:
    """The figure of the metric; None of a column."""
    noted, annotate = entry.noted, entry.annotate
    if not noted or refused("", metric, noted):
        return None
    encoding = msgspec.structs.replace(entry.encoding, color=noted)
    orders = {name: by for name, by in entry.sort.items() if by not in ordering.COUNTED}
    return msgspec.structs.replace(
        entry.alone(), encoding=encoding, annotate=None, sort=orders, best="none", verdict=None,
        ruler=None, uncertainty="none", percent=None, highlight=[], margins=False,
        format=annotate.format if isinstance(annotate, Annotate) else None,
    )  # fmt: skip


# ------------------------------------------------------------------------------------- highlight

LABEL = "label"
"""Beside the columns of an item: what its frame means, in words for the lines below."""


def framed(entry: Entry) -> list[dict[str, Any]]:
    """Of each item of `highlight`: column → the value that it has in its cells."""
    return [{n: v for n, v in item.items() if n != LABEL} for item in entry.highlight]


def with_frames(rows: Sequence[Row], grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """The rows with the items that name each, and what is said of a cell that has a frame.

    Raises:
        Error: an item names no cell of the grid.
    """
    items, at = framed(entry), dict(zip(entry.along, entry.places, strict=True))
    numbers = [
        [n for n, item in enumerate(items) if all(cell[at[k]] == v for k, v in item.items())]
        for cell in grid.iter_rows(named=True)
    ]
    for n, item in enumerate(items):
        if not any(n in some for some in numbers):
            what = ", ".join(f"{name}: {value}" for name, value in item.items())
            place = f"figures.{entry.name}.highlight[{n}]"
            raise Error(Mistake(place, f"there is no cell with {what}"))
    return [
        row | {"highlighted": some, "framed_as": _labels(some, entry) or "yes" * bool(some)}
        for row, some in zip(rows, numbers, strict=True)
    ]


def _labels(items: Iterable[int], entry: Entry) -> str:
    labels = (str(entry.highlight[n].get(LABEL, "")) for n in items)
    return ", ".join(dict.fromkeys(filter(None, labels)))


def frame_meaning(rows: Sequence[Row], entry: Entry) -> str:
    """What frames mean, as far as the user says; empty if none occurs or nothing is said."""
    text = _labels(sorted({n for row in rows for n in row.get("highlighted", ())}), entry)
    return f"coloured frame: {text}" if text else ""
