"""Digits that a paper prints, beside the cells of our grids: every one is compared.

A table of printed digits is a CSV file. One column has the name of the metric that a heatmap
colours; the others are columns of its grid, such as `model`, `ratio` or `epochs`.
Shares are printed in percent.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from heatproof.kinds.columns import BY_NAME
from heatproof.metrics import is_share
from heatproof.util import canonical
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FINEST = 10**7
"""Largest denominator of a value: floats tell all fractions with smaller ones apart."""
LAST = ("printed", "computed", "agree", "figures")
"""Columns of the comparison, behind those of the printed table."""


def read(path: Path, metrics: list[str]) -> tuple[str, pl.DataFrame]:
    """The metric of a table of printed digits, and its rows as text.

    Raises Error: no column, or more than one, has the name of one of `metrics`; or a digit is none.
    """
    table = pl.read_csv(path, infer_schema=False)
    printed = [name for name in table.columns if name in metrics]
    if len(printed) != 1:
        needs = f"needs one column of digits, named as a metric: {', '.join(metrics)}"
        raise Error(f"{path}: {needs}; it has {', '.join(table.columns)}")
    for line, text in enumerate(table[printed[0]], 2):
        try:
            Fraction(text or "")
        except ValueError:
            raise Error(f"{path}:{line}: {printed[0]}: {text!r} is not a number") from None
    return printed[0], table


def span(text: str) -> tuple[Fraction, Fraction]:
    """Lowest and highest number that prints as `text`; a half fits whichever way it was rounded."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


def computed(
    places: pl.DataFrame, grid: pl.DataFrame, entry: Mapping[str, Any]
) -> dict[int, Fraction] | None:
    """Row of `places`, which are cells as text → its value in the grid of a heatmap.

    None: the heatmap has an axis, or panels, of which the places say nothing.
    """
    axes = {axis: entry["encoding"][axis] for axis in ("x", "y")}
    if entry["relative_to"] or any(isinstance(columns, list) for columns in axes.values()):
        return None
    grid = grid.rename(axes)
    settings = {*grid.columns} - BY_NAME.keys()
    where = entry["where"].items()
    fixed = {n: v for n, v in where if n not in settings and not isinstance(v, list)}
    grid = grid.with_columns(pl.lit(value).alias(name) for name, value in fixed.items())
    keys = places.columns
    if not settings <= {*keys} <= {*grid.columns}:
        return None
    cells = places.select(pl.col(key).cast(grid.schema[key], strict=False) for key in keys)
    values = cells.with_row_index("row").join(grid.select(*keys, "value"), on=keys)
    rows = values.drop_nulls("value").select("row", "value").iter_rows()
    return {row: Fraction(value).limit_denominator(FINEST) for row, value in rows}


def compare(
    path: Path, grids: Mapping[str, pl.DataFrame], entries: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Each row of a printed table, and beside it what is computed, by which figures.

    `grids` and `entries`: heatmap → its grid and its entry in the config.

    Raises Error: the table cannot be read.
    """
    colours = {name: entry["encoding"]["color"] for name, entry in entries.items()}
    metric, table = read(path, sorted({m for m in colours.values() if isinstance(m, str)}))
    places = table.drop(metric)
    values = {name: computed(places, grids[name], entry) for name, entry in entries.items()
              if colours[name] == metric}  # fmt: skip
    rows, unit = [], 100 if is_share(metric) else 1
    for number, (text, place) in enumerate(zip(table[metric], places.to_dicts(), strict=True)):
        cells = {name: cell[number] for name, cell in values.items() if cell and number in cell}
        # Two figures that show a cell differently leave it without a number.
        value = unit * next(iter(cells.values())) if len({*cells.values()}) == 1 else None
        low, high = span(text)
        agree = "yes" if value is not None and low <= value <= high else "no"
        rows.append({key: canonical.guarded(word or "") for key, word in place.items()} | {
            "printed": text,
            "computed": "" if value is None else f"{float(value):.3f}",
            "agree": agree if cells else "",
            "figures": " ".join(cells),
        })  # fmt: skip
    return rows


def table(rows: list[dict[str, str]]) -> str:
    """CSV, a line per printed number; what a table does not name is empty."""
    places = dict.fromkeys(name for row in rows for name in row if name not in LAST)
    texts = {name: [row.get(name) or None for row in rows] for name in (*places, *LAST)}
    return pl.DataFrame(texts).write_csv()


def summary(rows: list[dict[str, str]]) -> str:
    """One sentence: how many agree, which do not, and how many no heatmap shows."""
    wrong = []
    for row in (row for row in rows if row["agree"] == "no"):
        *places, printed, computed, _, _ = row.items()
        where = ", ".join(f"{name} {value}" for name, value in places)
        number = f"{Decimal(computed[1]):.2f}" if computed[1] else "nothing"
        wrong.append(f"; not {where} (printed {printed[1]}, computed {number})")
    compared = sum(bool(row["agree"]) for row in rows)
    absent = f"; {len(rows) - compared:,} are in no heatmap" if compared < len(rows) else ""
    return f"{compared - len(wrong)} of {compared} printed digits agree{''.join(wrong)}{absent}."
