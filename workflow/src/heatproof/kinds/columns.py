"""The columns of a grid of cells: each with its type, unit and meaning (docs/results.md has all).

Codes and their words are in `states`.

The columns of panels stand before them; `x` and `y` have the type of the samples' columns along
them. Columns of a block exist where keys of the figure ask for them, whatever its cells hold. A
second metric has `value`, `samples`, `epochs` and `gap` with a prefix: `note_` for `annotate`, and
`x_`, with its interval, for x of a scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.util.lazy import polars as pl

    Samples = pl.LazyFrame  # a row for each graded sample, or for each of their counts
    Portions = Sequence[Samples]  # the same shard by shard, which no memory need hold together
    Partial = Portions | None  # counts of the samples, where they are there
    Grid = pl.DataFrame  # a row for each cell, with columns of `GRID`


class GridColumn(NamedTuple):
    """A column of a grid."""

    name: str
    type: type
    unit: str
    """`value` and `side` (of a difference) are in the unit of the metric, `span` is a distance of
    two values, `count` a number of problems or records; empty for all others."""
    meaning: str
    block: str = ""  # what asks for it; empty for columns that every grid has
    prefix: str = ""  # before the name, of a second metric


NOTE = "note_value"  # of what `annotate` prints: a number, or a value of a column
NUMBERS = (
    GridColumn("value", float, "value", "of the metric; null where there is none: see `gap`"),
    GridColumn("samples", int, "count", "problems that it rests on"),
    GridColumn("epochs", int, "count", "graded records that it rests on"),
    GridColumn("gap", str, "", "code of why there is no value; null where there is one"),
    GridColumn("lacks", list, "", "codes of what is lacking for a value, each with its tasks"),
)
GRID = (
    GridColumn("metric", str, "", "of which its numbers are", "several metrics"),
    *NUMBERS,
    GridColumn("expected", int, "count", "graded records that a complete run would hold"),
    GridColumn("se", float, "span", "standard error, over problems or families"),
    GridColumn("low", float, "value", "lower end of the 95 % interval"),
    GridColumn("high", float, "value", "upper end of the 95 % interval"),
    GridColumn(
        "reconstructed", bool, "", "counts are real, but which problem was solved is made up"
    ),
    GridColumn("best", bool, "", "it has the highest value, or the lowest, among its peers"),
    GridColumn("peers", int, "", "place of the first cell that it is compared with; null for none"),
    GridColumn("common", int, "count", "problems that all its peers hold"),
    GridColumn("tied", bool, "", "it cannot be told apart from the best of its peers"),
    GridColumn("spread", float, "span", "from the lowest to the highest value of its peers"),
    GridColumn("spread_equal", float, "span", "the same on the problems that all of them hold"),
    GridColumn("chance_median", float, "span", "spread of equal settings in half of the samples"),
    GridColumn("chance_high", float, "span", "the same in 95 % of the samples"),
    GridColumn("chance_p", float, "", "share of such spreads that are as large as the one seen"),
    GridColumn("separated", int, "count", "peers that can be told apart from the best"),
    GridColumn(
        "resolution", float, "span", "difference that would be told in four of five samples"
    ),
    GridColumn("resolution_epochs", float, "span", "the same with any number of epochs"),
    GridColumn("resolution_problems", float, "span", "the same with four times the problems"),
    GridColumn("varying", int, "count", "problems of which its peers have different scores"),
    GridColumn(
        "unjudged",
        str,
        "",
        "code of why it has no interval, or its peers no best",
    ),
    GridColumn("tried", int, "count", "problems with records, where some have too few"),
    GridColumn("parts", list, "", "task, value, problems and epochs of each of several tasks"),
    GridColumn("asked", int, "count", "problems that were asked for, of a part of the data set"),
    GridColumn("dataset", int, "count", "problems of that data set"),
    GridColumn("asked_tasks", list, "", "of several tasks, those of which a part was asked for"),
    GridColumn("failed_records", int, "count", "records that say that they failed; null for none"),
    GridColumn("top_x", bool, "", "its value of x may be the best on average; null: not judged"),
    GridColumn("top_y", bool, "", "the same of y"),
    GridColumn("problems", int, "count", "problems behind it, as printed", "printed"),
    GridColumn("own_value", float, "side", "value of the cell on common problems", "relative_to"),
    GridColumn("baseline_value", float, "side", "that of its baseline on them", "relative_to"),
    GridColumn("paired_problems", int, "count", "common problems", "relative_to"),
    GridColumn(
        "differs", bool, "", "its interval leaves out 0; null where it has none", "relative_to"
    ),
    GridColumn("star_levels", int, "", "levels of 5, 1 and 0.1 % at which it differs", "stars"),
    GridColumn("is_baseline", bool, "", "it is the baseline itself", "relative_to"),
    GridColumn("wins", int, "count", "instances on which y is ahead of x", "pairs"),
    GridColumn("ties", int, "count", "instances on which none is ahead", "pairs"),
    GridColumn("losses", int, "count", "instances on which x is ahead of y", "pairs"),
    GridColumn("units", int, "count", "problems, or families, that it is of", "pairs"),
    GridColumn("apart", bool, "", "one of the two is ahead; null: not judged", "pairs"),
    GridColumn("group_x", str, "", "label of the group of x; null for none", "groups"),
    GridColumn("group_y", str, "", "label of the group of y; null for none", "groups"),
    GridColumn("curve_start", float, "", "of the fitted curve: its a at x = 1", "fit"),
    GridColumn("curve_slope", float, "", "its b: how much it rises as x doubles", "fit"),
    GridColumn("curve_gap", str, "", "code of why it has no crossing; null for none", "fit"),
    GridColumn("curve_crossing", float, "", "x at which it crosses the level", "fit"),
    GridColumn("curve_low", float, "", "lower end of the 95 % interval, as far as x goes", "fit"),
    GridColumn("curve_high", float, "", "upper end of it", "fit"),
    GridColumn(
        "change_value", float, "span", "of a row, from its first value to its second", "dumbbell"
    ),
    GridColumn("change_low", float, "span", "lower end of its 95 % interval", "dumbbell"),
    GridColumn("change_high", float, "span", "upper end of it", "dumbbell"),
    GridColumn(
        "change_differs", bool, "", "this leaves out 0; null where there is none", "dumbbell"
    ),
    GridColumn("change_problems", int, "count", "problems that both values share", "dumbbell"),
    GridColumn("change_unjudged", str, "", "code of why it has no interval", "dumbbell"),
    *(number._replace(block="annotate", prefix="note_") for number in NUMBERS),
    *(number._replace(block="scatter", prefix="x_") for number in NUMBERS),
    GridColumn("se", float, "span", "standard error along x", "scatter", "x_"),
    GridColumn("low", float, "value", "lower end of the interval along x", "scatter", "x_"),
    GridColumn("high", float, "value", "upper end of the interval along x", "scatter", "x_"),
    GridColumn("unjudged", str, "", "code of why it has no interval along x", "scatter", "x_"),
    GridColumn("tried", int, "count", "problems with records along x", "scatter", "x_"),
)
BY_NAME = {f"{column.prefix}{column.name}": column for column in GRID}
COUNTED = ("value", "side", "count")
"""Units of values and counts that come from records."""
JUDGED = (
    "low", "high", "common", "separated", "varying", "tried", "problems", "failed_records", "asked",
    "dataset", "units",
)  # fmt: skip
"""Columns of these units that follow from others."""


def join_cells(grid: Grid, more: pl.DataFrame, places: Sequence[str]) -> Grid:
    """The grid with the columns of another table; `places`: columns that tell cells apart."""
    return grid.join(more, on=places, how="left", nulls_equal=True, maintain_order="left")


def counted_columns(names: list[str]) -> list[str]:
    """The columns of a grid that are values and counts of its cells."""
    columns = [(name, BY_NAME[name]) for name in names if name in BY_NAME]
    return [n for n, c in columns if c.unit in COUNTED and c.name not in JUDGED]
