"""Cells of a drawn table beside an independent count of the same logs.

A count has a row for each cell: columns that name it, then `value`, `n`, and perhaps columns of what
the logs print of themselves. A table agrees if *one* reading of the count gives all of its cells: one
column of results, one scale, and one value of each name that the table does not show (the metric, say).
A mean of what the count keeps apart is no reading, unless `pooled` names its column.
"""

import csv
import io
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

Row = dict[str, str]
Key = tuple[str, ...]
Cells = dict[Key, float]

SCALES = [(1, 0), (100, 0), (0.01, 0), (0.1, 0), (10, 0), (1 / 9, -1 / 9), (0.5, 0.5)]
"""Factor and offset: shares, percent, of 10, from 1 to 10, from -1 to 1."""
NUMBER = re.compile(r"-?\d+(\.\d*)?(e-?\d+)?")
DIGITS = 3e-6  # counts are rounded to six digits
ALIKE = 0.5  # least part of a column's values that the column of the count has too


class Count(NamedTuple):
    """An independent count, and how a table of it is to be read."""

    rows: list[Row]
    names: list[str]
    """Columns that name a cell."""
    results: list[str]
    spelled: dict[str, Row]
    """Column of the count → word there or in a table → the word for the same."""
    chosen: frozenset[str]
    """Columns of which `where` kept the rows to be shown, which may hang on the other columns."""
    pooled: frozenset[str]
    """Columns of which a table may show the mean."""
    within: float
    """By how much a value may differ that logs print rounded."""
    shown: dict[str, list[str]]
    """Column of a table → the values that the count has; it says nothing of the others."""


class Pair(NamedTuple):
    """A column of the count that a column of a table shows."""

    name: str
    same: Row
    """Word of the table → the count's."""


class Agreement(NamedTuple):
    """How many cells of a table are as counted, and what is wrong with the others."""

    right: int
    wrong: list[str]


def read_count(
    text: str,
    where: dict[str, list[str]] | None = None,
    printed: list[str] | None = None,
    spelled: dict[str, Row] | None = None,
    pooled: list[str] | None = None,
    within: float = 0.0,
    shown: dict[str, list[str]] | None = None,
) -> Count:
    """The count of a CSV text; `where`: column → the values that a figure is expected to show."""
    rows = [*csv.DictReader(io.StringIO(text))]
    columns = [*rows[0]]
    for column, values in (where or {}).items():
        kept = {*map(plain, values)}
        rows = [row for row in rows if plain(row[column]) in kept]
    words: dict[str, Row] = {}
    for column, same in (spelled or {}).items():
        words[column] = {plain(word): plain(meant) for word, meant in same.items()}
    names = columns[: columns.index("value")]
    results = ["value", *(printed or [])]
    chosen, means = frozenset(where or {}), frozenset(pooled or [])
    return Count(rows, names, results, words, chosen, means, within, shown or {})


def plain(text: object) -> str:
    """A name or number in one spelling: 0.50 and .5, gpt-4o and gpt_4o."""
    word = str(text).strip()
    if NUMBER.fullmatch(word):
        return repr(float(word))
    return re.sub(r"[^a-z0-9.+]+", "_", word.lower()).strip("_")


def compare(table: str, count: Count) -> Agreement:
    """A figure's CSV beside the count, by the reading of it that fits best."""
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row["value"]]
    for column, values in count.shown.items():
        rows = [row for row in rows if row.get(column) in values]
    if not rows:
        return Agreement(0, ["no cell has a value"])
    columns = [*rows[0]]
    pairs = pair_columns(rows, columns[: columns.index("value")], count)
    drawn = mean_cells(rows, pairs, count)
    best = Agreement(-1, [])
    for reading, counted in readings(count, [pair.name for pair in pairs.values()]):
        for factor, offset in SCALES:
            scaled = {key: factor * value + offset for key, value in counted.items()}
            wrong = differences(drawn, scaled, count.within)
            if (found := Agreement(len(drawn) - len(wrong), wrong)).right > best.right:
                best = Agreement(found.right, [f"{line} ({reading})" for line in wrong])
    return best


def pair_columns(rows: list[Row], columns: list[str], count: Count) -> dict[str, Pair]:
    """Column of a table → the column of the count that has the same values."""
    fits = []
    for column, name in itertools.product(columns, count.names):
        theirs = {spell(row[name], name, count) for row in count.rows} - {""}
        mine = {spell(row[column], name, count) for row in rows}
        same = {word: match_word(word, theirs) for word in mine}
        equal, matched = len(mine & theirs), len({*same.values()} & theirs)
        if equal >= ALIKE * len(mine) or matched == len(mine):
            fits.append((matched, equal, column, name, same))
    pairs: dict[str, Pair] = {}
    for _, _, column, name, same in sorted(fits, key=lambda fit: fit[:4], reverse=True):
        if column not in pairs and name not in {pair.name for pair in pairs.values()}:
            pairs[column] = Pair(name, same)
    return pairs


def spell(text: str, name: str, count: Count) -> str:
    """A word of this column of the count, as it is meant."""
    word = plain(text)
    return count.spelled.get(name, {}).get(word, word)


def match_word(word: str, counted: set[str]) -> str:
    """The one word of the count that holds this word or that it holds; else the word itself."""
    if word in counted or NUMBER.fullmatch(word):
        return word
    near = [other for other in counted if holds(other, word) or holds(word, other)]
    return near[0] if len(near) == 1 else word


def holds(text: str, words: str) -> bool:
    """Whether a name has these words in a row: a_b_c has b_c."""
    return bool(words) and f"_{words}_" in f"_{text}_"


def mean_cells(rows: list[Row], pairs: dict[str, Pair], count: Count) -> Cells:
    """The table's cells by paired columns: what it splits more finely is pooled by records."""
    groups: dict[Key, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        words = [pair.same[spell(row[column], pair.name, count)] for column, pair in pairs.items()]
        groups[tuple(words)].append((float(row["value"]), float(row.get("epochs") or 1)))
    return {key: weighted_mean(values) for key, values in groups.items()}


def weighted_mean(values: list[tuple[float, float]]) -> float:
    """The mean of pairs of a number and its weight."""
    weights = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / weights


def readings(count: Count, columns: list[str]) -> Iterator[tuple[str, Cells]]:
    """What the count says of cells that are named by these columns, in each way to read it.

    Some of the names that a table does not show are fixed, and the others must follow from the
    cell, as the metric follows from the task.
    """
    settled = {*columns} | count.chosen | count.pooled
    values = {name: sorted({row[name] for row in count.rows}) for name in count.names}
    hidden = [name for name in count.names if name not in settled and len(values[name]) > 1]
    weights = ["n", ""] if count.pooled else ["n"]
    for fixed in subsets(hidden):
        options = itertools.product(*(values[name] for name in fixed))
        for result, weight, shown in itertools.product(count.results, weights, options):
            rows = count.rows
            for name, value in zip(fixed, shown, strict=True):
                rows = [row for row in rows if row[name] == value]
            cells = count_cells(count, rows, columns, result, weight)
            yield ", ".join([result, *shown]), cells


def subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    """All choices of names, the smallest first."""
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


def count_cells(
    count: Count, rows: list[Row], columns: list[str], result: str, weight: str
) -> Cells:
    """A result of these rows of the count; of several for a cell their mean, or nothing."""
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        if NUMBER.fullmatch(row[result]):
            groups[tuple(spell(row[name], name, count) for name in columns)].append(row)
    alike = [name for name in count.names if name not in count.pooled]
    cells = {}
    for key, members in groups.items():
        if len({tuple(row[name] for name in alike) for row in members}) == 1:
            numbers = [(float(row[result]), float(row.get(weight) or 1)) for row in members]
            cells[key] = weighted_mean(numbers)
    return cells


def differences(drawn: Cells, counted: Cells, within: float) -> list[str]:
    """A line for each cell that is not as counted."""
    lines = []
    for key, value in drawn.items():
        name = ", ".join(key)
        slack = max(within, DIGITS * max(1.0, abs(value)))
        if key not in counted:
            lines.append(f"{name}: {value:g} is drawn, and the count has no such cell")
        elif abs(value - counted[key]) > slack:
            lines.append(f"{name}: {value:g} is drawn, {counted[key]:g} counted")
    return lines
