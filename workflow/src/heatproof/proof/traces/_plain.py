"""The records behind a row of any grid: those with the row's values in the columns that both have.

How a kind makes its numbers is known to the kind alone, so nothing is counted anew here, and the
answer says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.errors import Error
from heatproof.lazy import polars as pl
from heatproof.proof.behind import Behind, Part, pick, records, require_known, where

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config import Figure
    from heatproof.proof.behind import Recounted


def columns(entry: Figure, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """The first columns that tell all rows apart; all of them, if rows are there twice."""
    flat = [name for name, kind in grid.schema.items() if not kind.is_nested()]
    apart = (n for n in range(1, len(flat)) if not grid.select(flat[:n]).is_duplicated().any())
    return flat[: next(apart, len(flat))]


def told(entry: Figure, grid: pl.DataFrame) -> list[str]:
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
        parts=[Part("all", value, problems, len(rows), records(rows, measure))],
        note=_note(entry, [name for name in keys if name not in samples.collect_schema()]),
    )  # fmt: skip


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Figure) -> Iterator[Recounted]:  # noqa: ARG001
    """Nothing."""
    yield from ()


def _number(entry: Figure, grid: pl.DataFrame) -> str | None:
    """The column that is told as the number of a row: `value`, or the first that is one."""
    numeric = [name for name in told(entry, grid) if grid[name].dtype.is_numeric()]
    return "value" if "value" in numeric else next(iter(numeric), None)


def _note(entry: Figure, missing: list[str]) -> str:
    said = f"not counted anew: how {entry.kind!r} makes its numbers is not known to trace"
    return f"{said}; samples have no {', '.join(missing)}" if missing else said
