"""What rows tell of columns: which determine others, and which were set before an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.init.facts import STAMP, verdict
from heatproof.init.frame import ABSENT
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from heatproof.init.frame import Frame

PLACE = "$place"  # the number of a record in its file
UNIQUE = 0.995  # share of the rows that a key must tell apart
ALIKE = 0.75  # share of counts that must be the usual ones, where a column was set beforehand
COMMON = 1.5  # files that have a value that most have, in the mean
USUAL = 0.5  # share of the units that must have the usual values
MIXED = (2, 0.1)  # units that meet several values, at least, and their share of all
ENDS = (20, 50, 100, 200)  # signs at the end of a text that are compared
ROUNDED, PRINTED = 0.005, 0.8
"""How far a printed mean may be from that of its records; part of the files that print it."""
ENDING = r"^(.*\d)[_:-]([A-Za-z]\w*)$"  # of an id: its number, and a word
SHARES = 3  # scores from which it is no accident that they are parts of two counts
GRADED = 10  # records of a value, in the mean, whose scores are compared
FEW, TIMES = 12, 20
"""Values of a column whose scores may be in units of their own; times that they lie apart."""
RISES = 6  # scores that rise and never fall, from which it is no accident
SURELY = 3.0  # standard errors from which a score depends on a column


def scores_of(frame: Frame, score: str) -> pl.Series:
    """The scores of a frame as numbers, `$score`; of words those that are known."""
    scores = frame.data[score]
    if scores.dtype == pl.String:
        verdicts = {value: verdict(value) for value in scores.unique()}
        scores = scores.replace_strict(verdicts, return_dtype=pl.Float64)
    return scores.cast(pl.Float64).alias("$score")


def are_shares(numbers: pl.Series, shares: pl.Series) -> bool:
    """Whether numbers are some shares, or these in percent; the first tells most that are not."""
    first, share = numbers[0], shares[0]
    for top in (1, 100):
        near = top * ROUNDED
        if first is not None and share is not None and abs(first - top * share) > near:
            continue
        apart = (numbers - top * shares).abs().drop_nulls()
        if len(apart) > 1 and bool((apart <= near).all()):
            return True
    return False


class Evidence:
    """The rows of a frame as texts; absent is a value.

    `names`: columns that are looked at; `score`: the column that grades.
    """

    def __init__(self, frame: Frame, names: Sequence[str], score: str) -> None:
        self.frame, self.names = frame, [*names, PLACE, "$file"]
        texts = (pl.col(name).cast(pl.String).fill_null(ABSENT) for name in names)
        place = pl.int_range(pl.len()).over("$file").alias(PLACE)
        self.data = frame.data.select(*texts, "$file", place)
        self.rows, self.files = len(self.data), self.data["$file"].n_unique()
        self.scores = scores_of(frame, score)
        self._counts: dict[frozenset[str], int] = {}
        self._numbers: dict[tuple[str, bool], np.ndarray] = {}

    def table(self, names: Collection[str]) -> pl.DataFrame:
        """The rows; for parts of paths alone those of all files, as not all are looked into."""
        parts = self.frame.family.parts
        return parts if set(names) <= set(parts.columns) else self.data

    def count(self, names: Collection[str]) -> int:
        """Combinations of values of some columns."""
        key = frozenset(names) & set(self.data.columns)
        if key not in self._counts:
            self._counts[key] = self._combinations(key)
        return self._counts[key]

    def _combinations(self, names: frozenset[str]) -> int:
        """Combinations of values of some columns, of which each value is a number once."""
        table = self.table(names)
        combined = np.zeros(len(table), dtype=np.int64)
        for name in sorted(names):
            place = name, table is self.data
            if place not in self._numbers:
                values = table[name].rank("dense").fill_null(0)
                self._numbers[place] = values.to_numpy().astype(np.int64)
            numbers = self._numbers[place]
            combined = combined * (numbers.max(initial=0) + 1) + numbers
            _, combined = np.unique(combined, return_inverse=True)
        return int(combined.max(initial=0)) + 1

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        present = [other for other in others if other in self.names]
        return bool(present) and self.count(present + [name]) == self.count(present)

    def rest_follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine what is left of names of runs without their times."""
        rest = self.data[name].str.replace_all(STAMP.pattern, "").alias("$rest")
        if not others:
            return rest.n_unique() == 1
        return self.data.select(*others, rest).n_unique() == self.count(others)

    def are_twins(self, name: str, other: str) -> bool:
        """Whether two columns say the same."""
        return self.follows(name, [other]) and self.follows(other, [name])

    def is_unique(self, names: Sequence[str], least: float = UNIQUE) -> bool:
        """Whether columns tell almost all records apart."""
        key = [name for name in names if name in self.names]
        return bool(key) and self.count(key) >= least * self.rows

    def names_grades(self, name: str) -> bool:
        """Whether a column is another name of what was graded: each value has one score alone."""
        grades = self.data.select(name).with_columns(self.scores).drop_nulls("$score")
        values = grades.group_by(name).agg(pl.len(), pl.col("$score").n_unique())
        again = len(grades) >= GRADED * len(values)
        return again and grades["$score"].n_unique() > 1 and values["$score"].max() == 1

    def has_own_scales(self, name: str) -> bool:
        """Whether scores of the few values of a column lie far apart, as errors in other units."""
        highest = self.scores.max()
        if name not in self.names or self.count([name]) > FEW or highest is None:
            return False
        scores = self.data.select(name).with_columns(self.scores)
        table = scores.group_by(name).agg(pl.col("$score").median()).drop_nulls()
        middles = table["$score"].sort().to_list()
        return middles[-1:] > [1] and 0 <= TIMES * middles[0] < middles[-1]

    def names_files(self, name: str) -> bool:
        """Whether a column has one value in each file, another in each."""
        files = self.files
        pairs = self.data.select(name, "$file").n_unique()
        return files > 1 and self.data[name].n_unique() == files == pairs

    def part_met(self, cell: Sequence[str], problem: str, groups: list[str]) -> float:
        """The part of the problems of its group that a cell has, over all cells."""
        answers = self.data.select(*dict.fromkeys([*groups, *cell, problem])).unique()
        planned = 0
        for rows in answers.partition_by(groups) if groups else [answers]:
            cells = rows.select(cell).n_unique() if cell else 1
            planned += cells * rows[problem].n_unique()
        return len(answers) / planned

    def names_rows(self, name: str) -> bool:
        """Whether files have each value of a column once, and most values are in several files."""
        once = self.count([name, "$file"]) == self.rows
        return once and self.rows >= COMMON * self.count([name])

    def ends_alike(self, name: str, key: Sequence[str]) -> bool:
        """Whether texts end in one way for each combination of a key: shots before a question."""
        present = [other for other in key if other in self.names]
        for length in ENDS:
            table = self.data.select(*present, pl.col(name).str.tail(length).alias("$end"))
            ends = table.select("$end").n_unique()
            if table.n_unique() == self.count(present) and ends > USUAL * self.count(present[-1:]):
                return True
        return False

    def is_regular(self, name: str, units: Sequence[str], least: float) -> bool:
        """Whether units meet the values of a column as often as each other.

        A setting that was swept is met so, by all units or by those with one value of a column.
        What an answer decides is met by chance. `least`: share of the counts that are alike.
        """
        units = [unit for unit in units if unit != name]
        if not units:
            return False
        size = pl.len().over(units).alias("$values")
        counts = self.table([name] + units).group_by(units + [name]).len("$count")
        counts = counts.with_columns(size).sort(units + [name])
        contexts: list[list[str]] = [[]]
        contexts += [[unit] for unit in units] if len(units) > 1 else []
        return any(_is_regular_within(counts, name, units, context, least) for context in contexts)

    def sums_up(self, name: str) -> bool:
        """Whether a number was printed of the scores of each file: their sum, or their mean."""
        score, number = pl.col("$score"), pl.col("$number")
        data = self.frame.data.select("$file", pl.col(name).cast(pl.Float64).alias("$number"))
        groups = (
            data.with_columns(self.scores)
            .group_by("$file")
            .agg(
                number.first(),
                score.sum().alias("sum"),
                score.mean().alias("mean"),
                (score.sum() / pl.len()).alias("share"),
            )
        )
        for column in ("sum", "mean", "share"):
            for times in (1, 100):
                near = (groups["$number"] - times * groups[column]).abs() <= times * ROUNDED
                if near.sum() >= PRINTED * len(near) and groups["$number"].n_unique() > 1:
                    return True
        return False

    def only_rises(self, name: str, key: Sequence[str]) -> bool:
        """Whether scores of equal records rise with a number several times, and never fall."""
        present = [other for other in key if other in self.names]
        number = pl.col(name).cast(pl.Float64, strict=False)
        table = self.data.select(*present, number).with_columns(self.scores).drop_nulls()
        table = table.sort(name, maintain_order=True)
        changes = table.select(pl.col("$score").diff().over(present))["$score"]
        return int((changes > 0).sum()) >= RISES and not (changes < 0).any()

    def is_missing_as_scores(self, name: str) -> bool:
        """Whether a column lacks values just where there is no score, and somewhere else not."""
        missing = self.frame.data[name].is_null()
        return bool(missing.any() and (missing == self.scores.is_null()).all())

    def is_share(self, hits: str, total: str) -> bool:
        """Whether several scores are the shares of one count in another, or these in percent."""
        shares = self.frame.data[hits] / self.frame.data[total]
        if self.scores.null_count() or not are_shares(self.scores, shares):
            return False
        return shares.round(2).n_unique() >= SHARES

    def endings(self, name: str) -> list[str]:
        """The few words in which ids end, where each problem has each: q1_plain, q1_long."""
        if name not in self.names:
            return []
        ids = self.data[name].cast(pl.String).unique()
        halves = {half: ids.str.extract(ENDING, half) for half in (1, 2)}
        problems, words = (halves[half].drop_nulls().n_unique() for half in (1, 2))
        crossed = UNIQUE * problems * words <= len(ids) == halves[1].count()
        return halves[2].unique().sort().to_list() if crossed and 1 < words <= FEW else []

    def decides(self, name: str, key: Sequence[str]) -> bool:
        """Whether scores of equal records depend on a column."""
        by_key: list[Any] = [other for other in key if other in self.names] or [pl.lit(1)]
        left = pl.col("$score") - pl.col("$score").mean().over(by_key)
        table = self.data.with_columns(self.scores)
        table = table.filter(pl.col("$score").is_not_null()).with_columns(left.alias("$left"))
        table = table.filter(pl.col(name).n_unique().over(by_key) > 1)
        spread = table["$left"].std()
        if not spread or not isinstance(spread, float):
            return False
        errors = pl.col("$left").mean() * pl.len().sqrt() / spread
        return bool((table.group_by(name).agg(errors)["$left"].abs() > SURELY).any())


def _is_regular_within(
    counts: pl.DataFrame, name: str, units: Sequence[str], context: Sequence[str], least: float
) -> bool:
    """The same of units within each value of a column, or of all.

    `counts`: a row for each unit and value that it meets; values of a unit (`$values`).
    """
    usual = pl.col("$count").mode().max().over([*context, name])
    again = (pl.col("$count") == usual).sum().over([*context, name]) > 1
    alike = ((pl.col("$count") == usual) & again).alias("$alike")
    counts = counts.with_columns(alike)
    mixed = counts.filter(pl.col("$values") > 1)
    several = mixed.select(units).n_unique()
    if several < max(MIXED[0], MIXED[1] * counts.select(units).n_unique()):
        return False
    for table in (counts, mixed):
        if table["$alike"].sum() < max(1, least * len(table)):
            return False
    met = mixed.group_by(units, maintain_order=True).agg(name)
    met = met.with_columns(pl.col(name).list.join("\n"))
    often = met.group_by([*context, name]).len("$often")
    most = often.group_by(context).max() if context else often.select(pl.col("$often").max())
    return bool(most["$often"].sum() >= USUAL * len(met))
