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
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
        places = (place, f"{place}.encoding.color")
        noted = f"{place}.annotate"
        raise Error(
            [m._replace(place=noted) if m.place in places else m for m in error.mistakes]
        ) from None
    notes = counted.select(*entry.places, *(pl.col(name).alias(f"note_{name}") for name in COUNTED))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")


def _texts(grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, place: str) -> pl.Series:
    """The one value of the column in each cell; nothing where a cell has no samples.

    Raises:
        Error: a cell has several.
    """
    rows = selection.of_figure(samples, entry.alone())
    pairs = rows.select(*entry.along, pl.col(entry.noted).alias(NOTE)).unique().collect()
    texts: dict[tuple[Any, ...], list[Any]] = {}
    for *at, value in pairs.sort(pl.all(), nulls_last=True).iter_rows():
        texts.setdefault(tuple(at), []).append(value)
    notes = []
    for row in grid.select(entry.places).iter_rows():
        values = texts.get(row, [None])
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
        notes.append(values[0])
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
    noted, key, annotate = word(entry), ".annotate", entry.annotate
    if not annotate:
        return []
    if noted in (*entry.along, entry.encoding.color):
        return [Mistake(key, f"{noted!r} is shown already; name another column or metric")]
    form, beside = annotate.format if isinstance(annotate, Annotate) else None, figure(entry)
    # What is spelled like no metric is a column, which others look for.
    problems = refused(key, metric, noted) if METRIC_LIKE & {*noted} else []
    if not problems and beside is None and form is not None:
        why = f"{form!r}: {noted!r} is a column, and only metrics have a format"
        problems = [Mistake(f"{key}.format", why)]
    elif not problems and form is not None and not is_format(form):
        problems = [Mistake(f"{key}.format", hints.number_format(form))]
    elif beside and metric(noted).join and entry.averaged:
        why = f"{noted} is averaged over tasks alone, not over {entry.mean_over!r}"
        problems = [Mistake(key, why)]
    if entry.uncertainty in ("se", "interval"):
        twice = "a cell has room for one line below its value; take one of them out"
        problems.append(Mistake(key, f"beside uncertainty: {entry.uncertainty!r}: {twice}"))
    if entry.text is False and entry.margins:
        problems.append(
            Mistake(".margins", f"means of values, and `text: false` prints {noted} alone in cells")
        )
    return problems


LABEL = "label"
"""Beside the columns of an item: what its frame means, in words for the lines below."""


def framed_columns(item: Mapping[str, Any]) -> dict[str, Any]:
    """Column → the value that it has in the cells of an item."""
    return {name: value for name, value in item.items() if name != LABEL}


def frame_mistakes(entry: Entry) -> list[Mistake]:
    """Items that name no cell, as far as the config tells."""
    problems = []
    for n, item in enumerate(entry.highlight):
        place, columns = f".highlight[{n}]", framed_columns(item)
        if not columns:
            problems.append(Mistake(place, f"names no column; {choices('', entry.along)}"))
        problems += [
            Mistake(
                f"{place}.{name}",
                f"{name!r} lies along no axis and has no panels; {choices(name, entry.along)}",
            )
            for name in columns
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
"""What a cell is said to be that has a frame."""


def _labels(items: Iterable[int], entry: Entry) -> str:
    labels = (str(entry.highlight[n].get(LABEL, "")) for n in items)
    return ", ".join(dict.fromkeys(filter(None, labels)))


def frame_words(row: Mapping[str, Any], entry: Entry) -> str:
    """What is said of a cell that has a frame: its labels; empty of others. `row`: of the grid."""
    items = frames_of(row, entry)
    return _labels(items, entry) or "yes" * bool(items)


def frame_meaning(rows: Sequence[Row], entry: Entry) -> str:
    """What frames mean, as far as the user says; empty if none occurs or nothing is said."""
    text = _labels(sorted({n for row in rows for n in row.get("highlighted", ())}), entry)
    return f"coloured frame: {text}" if text else ""
