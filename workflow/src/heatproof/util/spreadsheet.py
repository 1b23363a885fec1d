"""Text in CSV files: a spreadsheet takes a cell that begins like a formula for one, and runs it."""

from __future__ import annotations

from heatproof.util.lazy import polars as pl

STARTS = "=+-@\t\r\n＝＋－＠"
"""First characters of a formula, and what spreadsheets leave out before them."""
QUOTE = "'"
"""Before a cell: the rest is text."""


def guarded(text: str) -> str:
    """Text for a cell of a CSV file that is a formula to nobody."""
    return QUOTE + text if text[:1] and text[0] in STARTS else text


def bare(text: str) -> str:
    """The text of such a cell as it was."""
    return text[1:] if guarded(text[1:]) == text else text


def csv(frame: pl.DataFrame) -> str:
    """A table as CSV, its texts guarded; numbers stay numbers."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.when(pl.col(name).str.slice(0, 1).is_in(list(STARTS)))
        .then(pl.lit(QUOTE) + pl.col(name))
        .otherwise(name)
        .alias(name)
        for name in texts
    ).write_csv()
