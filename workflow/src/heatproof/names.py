"""Names that logs give to models, tasks and settings: they reach titles, file names and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from heatproof.config import Columns

CONTROL = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]"
"""Characters that are not seen, or that turn others around."""
MARKUP = r"<\s*[/!?A-Za-z]"
LONGEST = 1000
"""Characters of a name at most."""


def faults(rows: pl.DataFrame, columns: Columns) -> pl.Series:
    """For each row why its names cannot be shown; null for good ones."""
    texts = [name for name, kind in columns.params.items() if kind == "str"]
    names = ["model", "task", "scorer", *texts]
    tests = [
        pl.when(test).then(pl.lit(f"{name} {what}"))
        for name in names
        for what, test in (
            ("holds a control character", pl.col(name).str.contains(CONTROL)),
            ("holds markup", pl.col(name).str.contains(MARKUP)),
            (f"is longer than {LONGEST} characters", pl.col(name).str.len_chars() > LONGEST),
        )
    ]
    # Few distinct names stand for very many rows.
    distinct = rows.select(names).unique(maintain_order=True)
    told = distinct.with_columns(pl.coalesce(tests).alias("fault"))
    if told["fault"].null_count() == len(told):
        return pl.Series("fault", [None], pl.String).new_from_index(0, len(rows))
    joined = rows.select(names).join(told, on=names, how="left", nulls_equal=True, maintain_order="left")
    return joined["fault"]
