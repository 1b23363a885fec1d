"""Compare the digits that the paper prints with the cells of the gallery's figures:

    python data/published/compare.py

Run it in the project's folder after `snakemake`. It needs no library: `results/tables/FIGURE.csv`
has a row per cell. Shares are printed in percent.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
TABLES = Path("results/tables")
FIGURES = {"r1-llama": {"model": "R1-Llama"}, "r1-qwen": {"model": "R1-Qwen"}, "r1-mean": {}}
"""Figure → the columns that have one value in it, which its table leaves out."""
FINEST = 10**7
"""Largest denominator of a share: floats tell all fractions with smaller ones apart."""
PRINTED = "pass@1"
SIZES = ("samples", "epochs")  # a cell that lacks some has another value than the paper's

Cell = frozenset[tuple[str, object]]


def span(text: str) -> tuple[Fraction, Fraction]:
    """Lowest and highest number that prints as `text`; a half fits whichever way it was rounded."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def name_cell(row: dict[str, str]) -> Cell:
    """Where a printed number stands: model, perhaps a task, ratio and window."""
    names: dict[str, object] = {"model": row["model"]}
    if "task" in row:
        names["task"] = row["task"]
        names |= {key: int(row[key]) for key in SIZES}
    names |= {key: float(row[key]) for key in ("ratio", "local_window")}
    return frozenset(names.items())


def read_cells(tables: Path) -> dict[Cell, Fraction]:
    """The cells of the figures, in percent."""
    cells = {}
    for figure, fixed in FIGURES.items():
        for row in read_rows(tables / f"{figure}.csv"):
            if row["value"]:
                share = Fraction(float(row["value"])).limit_denominator(FINEST)
                cells[name_cell(row | fixed)] = 100 * share
    return cells


def compare(printed: Path, cells: dict[Cell, Fraction]) -> tuple[int, list[str]]:
    """How many digits of a printed table agree, and a line for each that does not."""
    agree, wrong = 0, []
    for row in read_rows(printed):
        cell = name_cell(row)
        low, high = span(row[PRINTED])
        value = cells.get(cell)
        if value is not None and low <= value <= high:
            agree += 1
            continue
        place = ", ".join(text for name, text in row.items() if name not in (PRINTED, *SIZES))
        computed = "nothing" if value is None else f"{float(value):.2f}"
        wrong.append(f"{place}: printed {row[PRINTED]}, computed {computed}")
    return agree, wrong


if __name__ == "__main__":
    cells = read_cells(TABLES)
    for path in sorted(HERE.glob("*.csv")):
        agree, wrong = compare(path, cells)
        print(f"{path.name}: {agree} of {agree + len(wrong)} printed digits agree", *wrong, sep="\n  ")
