"""The numbers behind a figure of any kind: the columns of its grid, as they stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import spreadsheet
from heatproof.charts import wording
from heatproof.numbers._latex import NONE, escape, line, tabular
from heatproof.numerals import TICK, fitting, show

if TYPE_CHECKING:
    from heatproof.config import Figure
    from heatproof.lazy import polars as pl

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
    return [none if value is None else show(value, spec) for value in values]


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
