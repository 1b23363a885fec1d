"""The numbers behind a figure: a grid as CSV for computing and as a LaTeX table for print."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from heatproof.heatmaps import cells
from heatproof.heatmaps.panel import CHANCE
from heatproof.lazy import polars as pl
from heatproof.numerals import show
from heatproof.pairwise import bins
from heatproof.pairwise.bins import SIGNED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.heatmaps.cells import Row

CELL = {"x", "y", "value", "samples", "epochs", "expected", "se", "low", "high", "best",
        "reconstructed", *CHANCE}  # fmt: skip
"""Columns that every heatmap's grid has; one more names its panels."""
SIGN_TEST = "p: exact sign test, corrected over the pairs (Holm)"
PAIR = {"x_model": "x", "y_model": "y", "pair_n": "n", "wins": "wins", "ties": "ties",
        "losses": "losses", "mean": "mean", "mean_low": "low", "mean_high": "high",
        "p_holm": "p"}  # fmt: skip
"""What is the same in all bins of a pair, and what a table calls it."""
NONE = "--"
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$",
            "±": r"$\pm$", "µ": r"\textmu{}"}  # fmt: skip
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def is_pairwise(grid: pl.DataFrame) -> bool:
    """Whether the rows are bins of pairs of models, and not cells."""
    return "pair_n" in grid.columns


def panel_column(grid: pl.DataFrame) -> str | None:
    """The column that tells the panels of a heatmap apart, if there is one."""
    return next((name for name in grid.columns if name not in CELL), None)


def pairs(grid: pl.DataFrame) -> pl.DataFrame:
    """A row per pair of models, in order.

    `x`, `y`, `n`, `wins` (x above y), `ties`, `losses`; `mean` of x − y with its interval `low`,
    `high`, and `p`, corrected over the pairs.
    """
    columns = [pl.col(name).alias(new) for name, new in PAIR.items()]
    return grid.select(columns).unique(maintain_order=True)


def csv(grid: pl.DataFrame, x: str = "x", y: str = "y") -> str:
    """All of a grid but single points, in its own unit and to the last digit.

    `x`, `y`: columns of the samples that lie along the axes of a heatmap; they name its columns.
    """
    names = {} if is_pairwise(grid) else {"x": x, "y": y}
    new = {old: name for old, name in names.items() if name not in grid.columns}
    lists = [name for name, kind in grid.schema.items() if isinstance(kind, pl.List)]
    return grid.drop(lists).rename(new).write_csv()


def latex(
    grid: pl.DataFrame,
    x: str = "x",
    y: str = "y",
    *,
    percent: bool = False,
    spec: str = "",
    error: bool = False,
    note: str = "",
) -> str:
    """A tabular with rules of the package booktabs.

    Heatmap: panels below each other, cells as the figure has them. In bold what is tied with the
    best of a panel, where that is known, else the best; a comment says which.
    Pairwise: a row per pair.

    Args:
        grid: as `aggregate` makes it.
        x: title of the columns.
        y: title of the rows.
        percent: print values × 100.
        spec: format of a number, such as `.2f`; without it, as many digits as the figure shows.
        error: print ± one standard error.
        note: a comment before the table.
    """
    if is_pairwise(grid):
        body, meant = _pairs(grid), [SIGN_TEST]
    else:
        rows = _lettered(grid, percent, spec, error)
        body = _heatmap(rows, x, y, titled=panel_column(grid) is not None)
        meant = _meant(rows, error)
    comment = [f"% {line}" for line in [*note.splitlines(), *meant, r"needs \usepackage{booktabs}"]]
    return "\n".join([*comment, *body, r"\bottomrule", r"\end{tabular}", ""])


def escape(text: str) -> str:
    """Text in which LaTeX sees no commands."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _pairs(grid: pl.DataFrame) -> list[str]:
    head = [
        "$x$",
        "$y$",
        "$n$",
        "$x$ ahead",
        "equal",
        "$y$ ahead",
        "mean $x - y$",
        r"95\,\%",
        "$p$",
    ]
    rows = [
        _line([escape(str(cell)) for cell in [*row[:6], *compared(*row[6:])]])
        for row in pairs(grid).iter_rows()
    ]
    return [r"\begin{tabular}{llrrrrrrr}", r"\toprule", _line(head), r"\midrule", *rows]


def compared(
    mean: float | None, low: float | None, high: float | None, p: float | None
) -> list[str]:
    """Mean difference, interval and p as a table prints them; a dash where one is not known."""
    between = (
        NONE if low is None or high is None else f"{show(low, SIGNED)} to {show(high, SIGNED)}"
    )
    chance = NONE if p is None else bins.chance(p).removeprefix("p ").removeprefix("= ")
    return [NONE if mean is None else show(mean, SIGNED), between, chance]


def _heatmap(rows: Sequence[Row], x: str, y: str, titled: bool) -> list[str]:
    across = list(dict.fromkeys(row["x"] for row in rows))
    width = len(across)
    lines = [
        rf"\begin{{tabular}}{{l{'r' * width}}}",
        r"\toprule",
        _line(["", rf"\multicolumn{{{width}}}{{c}}{{{escape(x)}}}"]),
        rf"\cmidrule(lr){{2-{width + 1}}}",
        _line([escape(y), *map(escape, across)]),
    ]
    for panel, part in groupby(rows, key=lambda row: str(row["panel"])):
        title = rf"\multicolumn{{{width + 1}}}{{l}}{{\textit{{{escape(panel)}}}}} \\"
        lines += [r"\midrule", *([title] if titled else []), *_block(list(part), width)]
    return lines


def _lettered(grid: pl.DataFrame, percent: bool, spec: str, error: bool) -> list[Row]:
    """Cells in the unit and to the digit that the figure shows, with their LaTeX as `text`."""
    rows = cells.table(grid, panel_column(grid), 100.0 if percent else 1.0, "tied")
    spec = spec or cells.number_format(rows, percent)
    return [row | {"text": _cell(row, spec, error)} for row in rows]


def _cell(row: Row, spec: str, error: bool) -> str:
    if row["missing"]:
        return NONE
    value = escape(show(row["value"], spec))
    # Where ties are known, the best is one of them.
    text = rf"\textbf{{{value}}}" if row["best"] or row["tied"] else value
    if not error or row["se"] is None:
        return text
    return rf"{text}\,$\pm$\,{escape(show(row['se'], spec))}"


def _meant(rows: Sequence[Row], error: bool) -> list[str]:
    """What bold and ± mean, in words."""
    ties = any(row["tied"] for row in rows)
    bold = "the best of a panel and all not distinguishable from it" if ties else "best of a panel"
    over = "problems x samples, from counts alone" if rows[0]["counted"] else "problems"
    errors = error and any(row["se"] is not None for row in rows)
    like = ", for problems like these" if ties else ""
    return [f"bold: {bold}{like}", *([f"+-: standard error over {over}"] if errors else [])]


def _block(rows: Sequence[Row], width: int) -> list[str]:
    """The rows of a panel from top to bottom, which is from the last of the grid to the first."""
    starts = range(0, len(rows), width)
    cut = [rows[start : start + width] for start in reversed(starts)]
    return [_line([escape(row[0]["y"]), *(cell["text"] for cell in row)]) for row in cut]


def _line(texts: Sequence[str]) -> str:
    return " & ".join(texts) + r" \\"
