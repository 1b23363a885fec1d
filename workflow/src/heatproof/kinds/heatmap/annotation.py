"""What the user adds to cells: `annotate` prints another metric or a column, `highlight` frames.

Of a metric the grid has `note_value`, `note_samples`, `note_epochs` and `note_gap`, counted as if
it were the value; of a column `note_value` alone, the one that all samples of a cell have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.charts import wording
from heatproof.config import hints
from heatproof.config.entries import refused
from heatproof.kinds.heatmap import ordering
from heatproof.metrics import metric
from heatproof.samples import selection
from heatproof.util.errors import Error, Mistake, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, fitting, is_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    place, beside = f"figures.{entry.name}", entry.beside
    if beside is None:
        return grid.with_columns(_texts(grid, samples, entry, f"{place}.annotate"))
    try:
        counted = count(beside)
    except Error as error:
        shown = (place, f"{place}.encoding.color")
        noted = f"{place}.annotate"
        raise Error(
            [m._replace(place=noted) if m.place in shown else m for m in error.mistakes]
        ) from None
    notes = counted.select(*entry.places, *(pl.col(name).alias(f"note_{name}") for name in COUNTED))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")


def _texts(grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, place: str) -> pl.Series:
    """The one value of the column in each cell; nothing where a cell has no samples.

    Raises:
        Error: a cell has several.
    """
    texts = texts_of(samples, entry)
    notes = []
    for row in grid.select(entry.places).iter_rows():
        values = texts.get(row, [])
        if len(values) > 1:
            cell = ", ".join(f"{n}={v}" for n, v in zip(entry.along, row, strict=True))
            examples = ", ".join(map(str, values[:SEVERAL]))
            more = f" and {len(values) - SEVERAL:,} more" if len(values) > SEVERAL else ""
            raise Error(
                Mistake(
                    place,
                    f"{entry.noted!r} has {len(values):,} values in one cell "
                    f"({examples}{more} at {cell}), and a cell prints one; choose it under "
                    f"where.{entry.noted}, or lay {entry.noted!r} along an axis",
                )
            )
        notes.append(values[0] if values else None)
    kind = samples.collect_schema()[entry.noted]
    return pl.Series(NOTE, notes, kind)


def texts_of(samples: pl.LazyFrame, entry: Entry) -> dict[tuple[Any, ...], list[Any]]:
    """Place of a cell → the values of the column that its samples have, sorted."""
    rows = selection.shown(samples, entry.alone())
    pairs = rows.select(*entry.along, pl.col(entry.noted).alias(NOTE)).unique().collect()
    texts: dict[tuple[Any, ...], list[Any]] = {}
    for *at, value in pairs.sort(pl.all(), nulls_last=True).iter_rows():
        texts.setdefault(tuple(at), []).append(value)
    return texts


def told(grid: pl.DataFrame, entry: Entry) -> list[str]:
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
    return [{**row, line: "" if row["missing"] else row["noted"] or UNKNOWN} for row in rows]


def meaning(entry: Entry, printed: bool = True) -> str:
    """What is said of it below the figure; `printed`: there is room for it."""
    if entry.text is False:
        return f"in the cells: {title(entry)}"
    if not printed:
        return f"no room in the cells for {title(entry)}, see the table"
    return f"below each value: {title(entry)}"


def word(entry: Entry) -> str:
    """The metric or column; empty where there is none."""
    annotate = entry.annotate
    return annotate.text if isinstance(annotate, Annotate) else annotate or ""


def figure(entry: Entry) -> Entry | None:
    """The figure of the metric; None of a column."""
    noted, annotate = word(entry), entry.annotate
    if not noted or refused("", metric, noted):
        return None
    encoding = msgspec.structs.replace(entry.encoding, color=noted)
    orders = {name: by for name, by in entry.sort.items() if by not in ordering.COUNTED}
    return msgspec.structs.replace(
        entry.alone(), encoding=encoding, annotate=None, sort=orders, best="none", verdict=None,
        ruler=None, uncertainty="none", percent=None, highlight=[], margins=False,
        format=annotate.format if isinstance(annotate, Annotate) else None,
    )  # fmt: skip


def mistakes(entry: Entry) -> list[Mistake]:
    """What cannot stand beside the values."""
    noted, key = word(entry), ".annotate"
    if not entry.annotate:
        return []
    if noted in (*entry.along, entry.encoding.color):
        return [Mistake(key, f"{noted!r} is shown already; name another column or metric")]
    problems = _misread(noted, key) or _misformatted(entry, key)
    if entry.uncertainty in ("se", "interval"):
        twice = "a cell has room for one line below its value; take one of them out"
        problems.append(Mistake(key, f"beside uncertainty: {entry.uncertainty!r}: {twice}"))
    if entry.text is False and entry.margins:
        problems.append(
            Mistake(".margins", f"means of values, and `text: false` prints {noted} alone in cells")
        )
    return problems


def _misread(noted: str, key: str) -> list[Mistake]:
    """What is wrong with a metric. What is spelled like none is a column, which others look for."""
    return refused(key, metric, noted) if METRIC_LIKE & {*noted} else []


def _misformatted(entry: Entry, key: str) -> list[Mistake]:
    noted, beside = word(entry), figure(entry)
    if beside is None:
        given = entry.annotate.format if isinstance(entry.annotate, Annotate) else None
        column = Mistake(
            f"{key}.format", f"{given!r}: {noted!r} is a column, and only metrics have a format"
        )
        return [column] if given is not None else []
    if beside.format is not None and not is_format(beside.format):
        return [Mistake(f"{key}.format", hints.number_format(beside.format))]
    if metric(noted).join and entry.averaged:
        return [Mistake(key, f"{noted} is averaged over tasks alone, not over {entry.mean_over!r}")]
    return []


LABEL = "label"
"""Beside the columns of an item: what its frame means, in words for the lines below."""


def framed_columns(item: Mapping[str, Any]) -> dict[str, Any]:
    """Column → the value that it has in the cells of an item."""
    return {name: value for name, value in item.items() if name != LABEL}


def frame_mistakes(entry: Entry) -> list[Mistake]:
    """Items that name no cell, as far as the config tells."""
    problems = []
    for n, item in enumerate(entry.highlight):
        place = f".highlight[{n}]"
        problems += [Mistake(place, f"names no column; {choices('', entry.along)}")] * (
            not framed_columns(item)
        )
        problems += [
            Mistake(
                f"{place}.{name}",
                f"{name!r} lies along no axis and has no panels; {choices(name, entry.along)}",
            )
            for name in framed_columns(item)
            if name not in entry.along
        ]
        if not isinstance(item.get(LABEL, ""), str):
            problems.append(Mistake(f"{place}.{LABEL}", f"{item[LABEL]!r} is not text"))
    return problems


def frames_of(row: Mapping[str, Any], entry: Entry) -> list[int]:
    """The items that name a cell; `row`: of the grid."""
    places = dict(zip(entry.along, entry.places, strict=True))
    return [
        n
        for n, item in enumerate(entry.highlight)
        if all(row[places[name]] == value for name, value in framed_columns(item).items())
    ]


def require_framed(grid: pl.DataFrame, entry: Entry) -> None:
    """Refuse an item that names no cell of the grid.

    Raises:
        Error: with the item, and where it stands.
    """
    items = {n for row in grid.iter_rows(named=True) for n in frames_of(row, entry)}
    for n, item in enumerate(entry.highlight):
        if n not in items:
            what = ", ".join(f"{name}: {value}" for name, value in framed_columns(item).items())
            raise Error(
                Mistake(f"figures.{entry.name}.highlight[{n}]", f"there is no cell with {what}")
            )


FRAMED = "Highlighted"
"""What a cell is told to be that has a frame."""


def frame_words(row: Mapping[str, Any], entry: Entry) -> str:
    """What is told of a cell that has a frame: its labels; empty of others. `row`: of the grid."""
    labels = [str(entry.highlight[n].get(LABEL, "")) for n in frames_of(row, entry)]
    return ", ".join(dict.fromkeys(filter(None, labels))) or "yes" * bool(labels)


def frame_meaning(rows: Sequence[Row], entry: Entry) -> str:
    """What frames mean, as far as the user says; empty if none occurs or nothing is said."""
    there = {item for row in rows for item in row.get("highlighted", ())}
    labels = (entry.highlight[n].get(LABEL, "") for n in sorted(there))
    text = ", ".join(dict.fromkeys(str(label) for label in labels if label))
    return f"coloured frame: {text}" if text else ""
