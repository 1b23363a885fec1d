"""The columns of a grid of cells: each with its type, unit and meaning (docs/results.md has all).

Codes and their words are in `states`.

The columns of panels stand before them; `x` and `y` have the type of the samples' columns along
them. Columns of a block exist where keys of the figure ask for them, whatever its cells hold. A
second metric has `value`, `samples`, `epochs` and `gap` with a prefix: `note_` for `annotate`, and
`x_`, with its interval, for x of a scatter.
"""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
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
    Column("value", float, "value", "of the metric; null where there is none: see `gap`"),
    Column("samples", int, "count", "problems that it rests on"),
    Column("epochs", int, "count", "graded records that it rests on"),
    Column("gap", str, "", "code of why there is no value; null where there is one"),
    Column("lacks", list, "", "codes of what is lacking for a value, each with its tasks"),
)
GRID = (
    Column("metric", str, "", "of which its numbers are", "several metrics"),
    *NUMBERS,
    Column("expected", int, "count", "graded records that a complete run would hold"),
    Column("se", float, "span", "standard error, over problems or families"),
    Column("low", float, "value", "lower end of the 95 % interval"),
    Column("high", float, "value", "upper end of the 95 % interval"),
    Column("reconstructed", bool, "", "counts are real, but which problem was solved is made up"),
    Column("best", bool, "", "it has the highest value, or the lowest, among its peers"),
    Column("peers", int, "", "place of the first cell that it is compared with; null for none"),
    Column("common", int, "count", "problems that all its peers hold"),
    Column("tied", bool, "", "it cannot be told apart from the best of its peers"),
    Column("spread", float, "span", "from the lowest to the highest value of its peers"),
    Column("spread_equal", float, "span", "the same on the problems that all of them hold"),
    Column("chance_median", float, "span", "spread of equal settings in half of the samples"),
    Column("chance_high", float, "span", "the same in 95 % of the samples"),
    Column("chance_p", float, "", "share of such spreads that are as large as the one seen"),
    Column("separated", int, "count", "peers that can be told apart from the best"),
    Column("resolution", float, "span", "difference that would be told in four of five samples"),
    Column("resolution_epochs", float, "span", "the same with any number of epochs"),
    Column("resolution_problems", float, "span", "the same with four times the problems"),
    Column("varying", int, "count", "problems of which its peers have different scores"),
    Column(
        "unjudged",
        str,
        "",
        "code of why it has no interval, or its peers no best",
    ),
    Column("tried", int, "count", "problems with records, where some have too few"),
    Column("parts", list, "", "task, value, problems and epochs of each of several tasks"),
    Column("asked", int, "count", "problems that were asked for, of a part of the data set"),
    Column("dataset", int, "count", "problems of that data set"),
    Column("asked_tasks", list, "", "of several tasks, those of which a part was asked for"),
    Column("failed_records", int, "count", "records that say that they failed; null for none"),
    Column("top_x", bool, "", "its value of x may be the best on average; null: not judged"),
    Column("top_y", bool, "", "the same of y"),
    Column("problems", int, "count", "problems behind it, as printed", "printed"),
    Column("own_value", float, "side", "value of the cell on common problems", "relative_to"),
    Column("baseline_value", float, "side", "that of its baseline on them", "relative_to"),
    Column("paired_problems", int, "count", "common problems", "relative_to"),
    Column("differs", bool, "", "its interval leaves out 0; null where it has none", "relative_to"),
    Column("star_levels", int, "", "levels of 5, 1 and 0.1 % at which it differs", "stars"),
    Column("is_baseline", bool, "", "it is the baseline itself", "relative_to"),
    Column("wins", int, "count", "instances on which y is ahead of x", "pairs"),
    Column("ties", int, "count", "instances on which none is ahead", "pairs"),
    Column("losses", int, "count", "instances on which x is ahead of y", "pairs"),
    Column("units", int, "count", "problems, or families, that it is of", "pairs"),
    Column("apart", bool, "", "one of the two is ahead; null: not judged", "pairs"),
    Column("group_x", str, "", "label of the group of x; null for none", "groups"),
    Column("group_y", str, "", "label of the group of y; null for none", "groups"),
    Column("curve_start", float, "", "of the fitted curve: its a at x = 1", "fit"),
    Column("curve_slope", float, "", "its b: how much it rises as x doubles", "fit"),
    Column("curve_gap", str, "", "code of why it has no crossing; null for none", "fit"),
    Column("curve_crossing", float, "", "x at which it crosses the level", "fit"),
    Column("curve_low", float, "", "lower end of the 95 % interval, as far as x goes", "fit"),
    Column("curve_high", float, "", "upper end of it", "fit"),
    Column(
        "change_value", float, "span", "of a row, from its first value to its second", "dumbbell"
    ),
    Column("change_low", float, "span", "lower end of its 95 % interval", "dumbbell"),
    Column("change_high", float, "span", "upper end of it", "dumbbell"),
    Column("change_differs", bool, "", "this leaves out 0; null where there is none", "dumbbell"),
    Column("change_problems", int, "count", "problems that both values share", "dumbbell"),
    Column("change_unjudged", str, "", "code of why it has no interval", "dumbbell"),
    *(number._replace(block="annotate", prefix="note_") for number in NUMBERS),
    *(number._replace(block="scatter", prefix="x_") for number in NUMBERS),
    Column("se", float, "span", "standard error along x", "scatter", "x_"),
    Column("low", float, "value", "lower end of the interval along x", "scatter", "x_"),
    Column("high", float, "value", "upper end of the interval along x", "scatter", "x_"),
    Column("unjudged", str, "", "code of why it has no interval along x", "scatter", "x_"),
    Column("tried", int, "count", "problems with records along x", "scatter", "x_"),
)
BY_NAME = {f"{column.prefix}{column.name}": column for column in GRID}
COUNTED = ("value", "side", "count")
"""Units of values and counts that come from records."""
JUDGED = (
    "low", "high", "common", "separated", "varying", "tried", "problems", "failed_records", "asked",
    "dataset", "units",
)  # fmt: skip
"""Columns of these units that follow from others."""


def counted(names: list[str]) -> list[str]:
    """The columns of a grid that are values and counts of its cells."""
    columns = [(name, BY_NAME[name]) for name in names if name in BY_NAME]
    return [n for n, c in columns if c.unit in COUNTED and c.name not in JUDGED]
