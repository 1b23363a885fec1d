"""Shares of rows, as in a confusion matrix: each row of a panel adds up to one.

Both axes show the same classes in one order where they have some in common, whether or not each
occurs along both. A cell without samples in a row that has some is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.question import Question


def with_classes(values: dict[str, pl.Series], question: Question) -> dict[str, pl.Series]:
    """Column → its values; along both axes those of either, where they share some."""
    x, y = question.x, question.y
    along_x = values[x]
    along_y = values[y]
    if along_x.dtype != along_y.dtype or not set(along_x) & set(along_y):
        return values
    along_both = pl.concat([along_x.alias(""), along_y.alias("")])
    classes = along_both.unique().sort()
    return values | {x: classes.alias(x), y: classes.alias(y)}


def in_one_order(question: Question) -> Question:
    """The question with one order along both axes, where `sort` has one of one of them."""
    x, y = question.x, question.y
    order = question.sort.get(y, question.sort.get(x))
    if order is None:
        return question
    return replace(question, sort={x: order, y: order} | question.sort)


def with_shares(grid: Grid, question: Question) -> Grid:
    """The grid of counts as shares of each row's graded samples."""
    row = [name for name in question.places if name != "x"]
    epochs = pl.col("epochs")
    total = epochs.sum().over(row)
    has_samples = total > 0
    return grid.with_columns(
        value=pl.when(has_samples).then(epochs / total),
        gap=pl.when(~has_samples).then("gap"),
        lacks=pl.when(~has_samples).then("lacks"),
        expected=pl.when(has_samples).then(epochs).otherwise("expected"),
    )
