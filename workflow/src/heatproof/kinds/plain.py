"""What is told of the figures of any kind that leaves it out: see `heatproof.kinds.api`.

Numbers are the columns of the grid, as they stand there. The records behind a row are those with
the row's values in the columns that both have; how a kind makes its numbers is known to the kind
alone, so nothing is counted anew, and the answer says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.kinds.cell_records import Behind, Part, as_dicts, pick, require_known, where
from heatproof.kinds.tables import NONE, Row, Table, escape, line, tabular
from heatproof.util import spreadsheet
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import TICK, Digits, fitting, show, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.kinds.cell_records import Recounted

SHORT = 4
"""Signs of a fraction that is printed as it is."""


def csv(grid: pl.DataFrame, entry: Figure) -> str:  # noqa: ARG001 - all kinds are asked alike
    """All columns that hold single values, in their own unit and to the last digit."""
    return spreadsheet.csv(flat(grid))


def latex(grid: pl.DataFrame, entry: Figure, note: str = "") -> str:  # noqa: ARG001
    """The same as a table, numbers of a column alike and at the right."""
    shown = flat(grid)
    sides = "".join("r" if kind.is_numeric() else "l" for kind in shown.schema.values())
    rows = zip(*(texts(column) for column in shown), strict=True)
    body = [line([escape(wording.column(name, {})) for name in shown.columns]), r"\midrule"]
    return tabular(sides, [*body, *(line([*map(escape, row)]) for row in rows)], note)


def caption(grid: pl.DataFrame, entry: Figure) -> list[str]:
    """What the config says of the figure, and how many problems its numbers rest on."""
    found = table(grid, entry)
    return [entry.shows(), *where_words(entry), found.n, *lacking(found)]


def where_words(entry: Figure) -> list[str]:
    """What all that is shown has in common, as `where` says it: of values that are listed, none."""
    told = [
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in entry.where.items()
        if not isinstance(value, list)
    ]
    return [f"All of {', '.join(told)}"] if told else []


GAPS = 3
"""Cells whose gaps a caption names at most."""


def lacking(found: Table) -> list[str]:
    """What is missing: the first few by name."""
    gaps, more = found.incomplete[:GAPS], len(found.incomplete) - GAPS
    if not gaps:
        return []
    return [f"Incomplete: {'; '.join(gaps)}{f'; and {more:,} more' if more > 0 else ''}"]


def flat(grid: pl.DataFrame) -> pl.DataFrame:
    """The columns that hold single values."""
    return grid.select(name for name, kind in grid.schema.items() if not kind.is_nested())


def texts(column: pl.Series, none: str = NONE) -> list[str]:
    """The values of a column in words; its fractions in one format, as short as they are."""
    if not column.dtype.is_float():
        return [none if value is None else _word(value) for value in column]
    values = column.fill_nan(None)
    known = values.drop_nulls().to_list()
    short = all(len(show(value, TICK)) <= SHORT for value in known)
    spec = TICK if short else fitting(known)
    return [none if value is None else Digits(spec).value(value) for value in values]


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def table(grid: pl.DataFrame, entry: Figure) -> Table:  # noqa: ARG001 - all kinds are asked alike
    """A row per row of the grid.

    `samples` (problems), `epochs` and `expected` (graded rows) mean the same in grids of all kinds.
    """
    shown = flat(grid)
    names = [name for name, kind in shown.schema.items() if not kind.is_numeric()]
    ordered = [*names, *(name for name in shown.columns if name not in names)]
    cells = zip(*(texts(shown[name], "–") for name in ordered), strict=True)
    lacks = _lacks(grid)
    rows = [Row(row, incomplete=gap) for row, gap in zip(cells, lacks, strict=True)]
    gaps = [", ".join(row.cells[: len(names)]) or str(n) for n, row in enumerate(rows, 1)]
    return Table(
        columns=[wording.column(name, {}) for name in ordered],
        texts=len(names),
        rows=rows,
        n=f"{span(grid['samples'])} problems a number" if "samples" in grid.columns else "",
        incomplete=[gap for gap, lack in zip(gaps, lacks, strict=True) if lack],
    )


def _lacks(grid: pl.DataFrame) -> list[bool]:
    """Of which rows a complete run would hold more."""
    if not {"epochs", "expected"} <= {*grid.columns}:
        return [False] * len(grid)
    return (grid["epochs"] < grid["expected"]).fill_null(value=True).to_list()


def records(
    samples: Sequence[pl.LazyFrame],  # noqa: ARG001
    entry: Figure,  # noqa: ARG001
    grid: pl.DataFrame,  # noqa: ARG001
    partial: Sequence[pl.LazyFrame] | None = None,  # noqa: ARG001
) -> dict[str, Any]:
    """Nothing: where its cells lie in the picture is known to the kind alone."""
    return {}


def story(found: Mapping[str, Any], entry: Figure, grid: pl.DataFrame) -> dict[str, Any]:  # noqa: ARG001
    """Nothing, likewise."""
    return {}


def columns(entry: Figure, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """The first columns that tell all rows apart; all of them, if rows are there twice."""
    flat = [name for name, kind in grid.schema.items() if not kind.is_nested()]
    apart = (n for n in range(1, len(flat)) if not grid.select(flat[:n]).is_duplicated().any())
    return flat[: next(apart, len(flat))]


def value_columns(entry: Figure, grid: pl.DataFrame) -> list[str]:
    """All others."""
    keys = columns(entry, grid)
    return [name for name, k in grid.schema.items() if name not in keys and not k.is_nested()]


def within(samples: pl.LazyFrame, entry: Figure, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The figure's samples that have the values of a row, in the columns that they have."""
    names = samples.collect_schema().names()
    tests = [pl.col(name).eq_missing(value) for name, value in cell.items() if name in names]
    return samples.filter(where(entry.where), *tests)


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Figure, wanted: Mapping[str, str]
) -> Behind:
    """The row that `wanted` names and the records that have its values.

    Raises:
        Error: there is no such row; the message names those there are.
    """
    keys = columns(entry, grid)
    require_known(wanted, keys)
    cell: dict[str, Any] = {}
    left = grid
    for name in keys:
        values = left[name].unique(maintain_order=True).to_list()
        cell[name] = pick(name, wanted.get(name), values, entry.called(name, values))
        left = left.filter(pl.col(name).eq_missing(pl.lit(cell[name])))
    if len(left) != 1:
        raise Error(f"--cell: {len(left)} rows of the grid have {cell}")
    measure = next(iter(entry.measured().values()), "score")
    rows = within(samples, entry, cell).filter(pl.col(measure).is_not_null()).collect()
    number = _number(entry, grid)
    value = left[number][0] if number else None
    problems = rows.select("task", "sample_id").n_unique()
    return Behind(
        cell=cell, metric=number or "row", value=value,
        samples=problems, epochs=len(rows), counted=None, agrees=None,
        parts=[Part("all", value, problems, len(rows), as_dicts(rows, measure))],
        note=_note(entry, [name for name in keys if name not in samples.collect_schema()]),
    )  # fmt: skip


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Figure) -> Iterator[Recounted]:  # noqa: ARG001
    """Nothing."""
    yield from ()


def _number(entry: Figure, grid: pl.DataFrame) -> str | None:
    """The column that is told as the number of a row: `value`, or the first that is one."""
    numeric = [name for name in value_columns(entry, grid) if grid[name].dtype.is_numeric()]
    return "value" if "value" in numeric else next(iter(numeric), None)


def _note(entry: Figure, missing: list[str]) -> str:
    said = f"not counted anew: how {entry.kind!r} makes its numbers is not known to trace"
    return f"{said}; samples have no {', '.join(missing)}" if missing else said
