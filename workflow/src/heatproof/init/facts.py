"""Facts of columns, and of how two go together: all that later decisions rest on beside names."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.init.frame import ABSENT, Frame, Place
from heatproof.init.words import weight
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTINELS = (-1.0, -99.0, -999.0, 999.0)
"""Numbers that stand for none, where all others lie on a scale that begins at 0."""
LONG = 60
"""Characters of a text, on average, that is no name."""
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}[-_T]?\d{4}")
SHOWN = 40
"""Values that are kept of a column."""
UNIQUE = 0.995
"""Part of the rows that a key must tell apart."""
EVEN = 1.25
"""How much oftener the most frequent value may be met where all are met equally often."""

HOLE = "column"
"""What the column of their names is called."""
TASK = "task"
"""The same, where nothing beside a name tells what it is of."""
MOST = 3
"""Other columns of a table whose columns are tasks, beside the one that names its rows."""


class Facts(NamedTuple):
    """Of a column."""

    name: str
    type: str
    """bool, int, float, text, long (a text of sentences), empty."""
    filled: int
    """Rows that have a value."""
    distinct: int
    missing: float
    """Part of the rows that have none."""
    values: list[Any]
    """The first of those that differ, in their order."""
    low: float = 0.0
    high: float = 0.0
    sentinel: float | None = None

    @property
    def numeric(self) -> bool:
        return self.type in ("bool", "int", "float")

    @property
    def constant(self) -> bool:
        """Whether all rows are alike; absent is a value."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def dated(self) -> bool:
        """Whether values are dates, whatever the column is called."""
        dates = sum(bool(DATE.match(str(value))) for value in self.values)
        return self.type == "text" and bool(dates) and dates >= 0.9 * len(self.values)


def profile(frame: Frame) -> dict[str, Facts]:
    """The facts of each column but the path of the file."""
    return {name: _facts(name, frame) for name in frame.data.columns if name != "$file"}


def _facts(name: str, frame: Frame) -> Facts:
    series = numbers(frame, name)
    values = series.drop_nulls()
    missing = 1 - len(values) / len(series)
    if not len(values):
        return Facts(name, "empty", 0, 0, 1.0, [])
    listed = sorted(values.unique().to_list(), key=lambda v: (isinstance(v, str), v))[:SHOWN]
    base = Facts(name, "text", len(values), values.n_unique(), missing, listed)
    if series.dtype == pl.Boolean:
        return base._replace(type="bool", low=float(min(listed)), high=float(max(listed)))
    if series.dtype == pl.String:
        mean, lines = values.str.len_chars().mean(), values.str.contains("\n").mean()
        long = _number(mean) > LONG or _number(lines) > 0.2
        return base._replace(type="long" if long else "text")
    scale, sentinel = _without_sentinel(values.cast(pl.Float64))
    return base._replace(
        type="int" if bool((scale == scale.round()).all()) else "float",
        distinct=scale.n_unique(), low=float(scale.min()), high=float(scale.max()),  # type: ignore[arg-type]
        sentinel=sentinel,
    )  # fmt: skip


def numbers(frame: Frame, name: str) -> pl.Series:
    """A column; texts that all are numbers (of a cell such as "93.50" or "41 %") as these."""
    series = frame.data[name]
    if series.dtype != pl.String or frame.places[name].part != "field":
        return series
    bare = series.str.strip_suffix("%").str.strip_chars()
    values = bare.drop_nulls()
    if not len(values) or values.str.contains(r"^[-+]?0\d").any():
        return series
    read = bare.cast(pl.Float64, strict=False)
    numeric = read.null_count() == series.null_count() and bool(read.drop_nulls().is_finite().all())
    return read if numeric else series


def _without_sentinel(values: pl.Series) -> tuple[pl.Series, float | None]:
    """Numbers without an isolated one that stands for none."""
    for sentinel in SENTINELS:
        rest = values.filter(values != sentinel)
        if not 0 < len(rest) < len(values):
            continue
        low, high = float(rest.min()), float(rest.max())  # type: ignore[arg-type]
        scale = rest.n_unique() > 2 or (rest.n_unique() == 2 and high > 1)
        if scale and low >= 0 and (sentinel < 0 or high <= 100):
            return rest, sentinel
    return values, None


# -------------------------------------------------------------------------------- columns together


class Texts:
    """Columns of a frame as texts, and how they go together; absent is a value."""

    def __init__(self, frame: Frame, names: Sequence[str]) -> None:
        self.data = frame.data.select(
            pl.col(name).cast(pl.String).fill_null(ABSENT).alias(name) for name in names
        )
        self.rows = len(self.data)
        self._counts: dict[frozenset[str], int] = {}

    def count(self, names: Sequence[str]) -> int:
        """Combinations of values of some columns."""
        key = frozenset(name for name in names if name in self.data.columns)
        if key not in self._counts:
            self._counts[key] = self.data.select(sorted(key)).n_unique() if key else 1
        return self._counts[key]

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        present = [other for other in others if other in self.data.columns]
        return bool(present) and self.count([*present, name]) == self.count(present)

    def unique(self, names: Sequence[str]) -> bool:
        """Whether some columns tell all rows apart."""
        return self.count(names) >= UNIQUE * self.rows

    def crossed(self, name: str, units: Sequence[str]) -> tuple[float, float]:
        """How many of a column's values a unit meets, and how far their shares are from the whole.

        A setting that was swept is met by each unit in the same shares: (1, 0). What depends on the
        result of a run is not. Shares: half the sum of differences, on average over units.
        """
        if not units:
            return 1.0, 0.0
        counts = self.data.group_by([*units, name]).len(name="$count")
        shares_met = counts.group_by(units).len(name="$met")["$met"].mean()
        overall = self.data.group_by(name).len(name="$whole")
        shares = counts.join(overall, on=name).with_columns(
            (pl.col("$count") / pl.col("$count").sum().over(units)).alias("$share"),
            (pl.col("$whole") / self.rows).alias("$whole"),
        )
        # Values that a unit does not meet differ by all of their share.
        apart = (
            shares.group_by(units)
            .agg(
                ((pl.col("$share") - pl.col("$whole")).abs().sum() + 1 - pl.col("$whole").sum()) / 2
            )["$share"]
            .mean()
        )
        return _number(shares_met) / self.count([name]), _number(apart)

    def balanced(self, name: str, units: Sequence[str]) -> float:
        """Of the units that meet several values of a column, how many meet each equally often.

        Nested designs: not each unit meets all values.
        """
        counts = self.data.group_by([*units, name]).len(name="$count")
        by_unit = counts.group_by(units).agg(
            pl.len().alias("$met"), pl.col("$count").max().alias("$most"),
            pl.col("$count").min().alias("$least"),
        )  # fmt: skip
        several = by_unit.filter(pl.col("$met") > 1)
        if len(several) < max(2, 0.2 * len(by_unit)) or _number(several["$most"].mean()) < 1.9:
            return 0.0
        return _number((several["$most"] <= several["$least"] * EVEN).mean())


def _number(value: Any) -> float:
    return float(value) if value is not None else 0.0


# -------------------------------------------------------------------------- columns that are one


def unpivoted(frame: Frame, facts: dict[str, Facts]) -> Frame | None:
    """The frame with a row for each column of a group; None if no columns are one."""
    if frame.family.format == "json" and frame.at is None:
        return None
    for template, columns in _groups(facts, frame).items():
        if len(columns) > 1:
            return _spread(frame, template, columns)
    return None


def _groups(facts: dict[str, Facts], frame: Frame) -> dict[str, dict[str, str]]:
    """Template of a group → token → column."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    fields = [name for name in facts if frame.places[name].part == "field"]
    # Objects in documents are places of records of their own.
    signs = r"[_\- ]" if frame.family.format == "json" else r"[_.\- ]"
    for name in fields:
        column = facts[name]
        for token, template in _templates(name, signs):
            graded = weight("score", template) - weight("not_score", template)
            small = (
                column.numeric and column.type != "float" and 0 <= column.low <= column.high <= 1
            )
            if small and graded >= 1.5 and weight("score", token) < 1 and not token.isdigit():
                groups[template][token] = name
    return groups if any(len(group) > 1 for group in groups.values()) else _tasks(facts, fields)


def _templates(name: str, signs: str) -> list[tuple[str, str]]:
    """What a name may be taken apart into: a token, and the rest with a hole in its place."""
    cuts = [(match.start(), match.end()) for match in re.finditer(signs, name)]
    first = [(name[:start], f"{{{HOLE}}}{name[start:]}") for start, _ in cuts]
    last = [(name[end:], f"{name[:end]}{{{HOLE}}}") for _, end in cuts]
    return [*first, *last]


def _tasks(facts: dict[str, Facts], fields: list[str]) -> dict[str, dict[str, str]]:
    """Numbers of one scale side by side, in a table whose rows one text tells apart."""
    rows = max((facts[name].filled for name in fields), default=0)
    shares = [
        name
        for name in fields
        if facts[name].type in ("float", "int")
        and not facts[name].missing
        and facts[name].low >= 0
        and facts[name].high <= 100
        and abs(weight("score", name) - weight("not_score", name)) < 0.9
        and max(weight("setting", name), weight("count", name)) < 1
    ]
    heads = [name for name in fields if facts[name].type == "text" and facts[name].distinct == rows]
    others = [name for name in fields if name not in shares]
    scales = {facts[name].high <= 1 for name in shares}
    fractions = any(facts[name].type == "float" for name in shares)
    apart = rows > 1 and heads and len(others) <= MOST and len(scales) == 1 and fractions
    return {f"{{{TASK}}}": {name: name for name in shares}} if apart else {}


def _spread(frame: Frame, template: str, columns: dict[str, str]) -> Frame:
    hole = template.partition("{")[2].partition("}")[0]
    rest = [name for name in frame.data.columns if name not in (*columns.values(), hole)]
    parts = [
        frame.data.select(rest).with_columns(
            pl.lit(token).alias(hole), numbers(frame, name).alias(template)
        )
        for token, name in columns.items()
    ]
    places = {name: frame.places[name] for name in rest if name in frame.places}
    places |= {hole: Place("hole", hole), template: Place("field", template)}
    bare = template == f"{{{TASK}}}"
    return replace(
        frame, data=pl.concat(parts, how="vertical_relaxed"), places=places,
        group=[*columns] if bare else [],
    )  # fmt: skip
