"""Counts: what one run holds of one problem, in a row; and votes on the answers of samples.

A row per run, settings, sample and scorer: epochs, and for the score and each measure how many
there are and their sum; of scores also how many are exactly 1 and exactly 0. A run lies in one
shard as a whole, so the counts of shards are set one below the other. They are added up where a
figure pools runs. A grid of counts has the same bytes as one of rows, which are counted first.

A vote needs no more of answers than which are equal, so a table holds 16 hex digits of the BLAKE2b
of each: no text of a log leaves it. Answers are equal as their log has them, but for blanks around
them: `42` and `42.0` are two. What is no text is compared by its JSON. The answer is empty where
none was found in what a model said, and null where its log does not say.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import statistics
from heatproof.config import roles
from heatproof.samples.tables import SAMPLE, starts
from heatproof.util import codes
from heatproof.util.codes import Rows
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.metrics import Metric
    from heatproof.samples.tables import Names, Pieces, Portions, Samples, Starts, Table


def count_key(names: Names) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    settings = roles.columns(names, "setting")
    return ["run"] + settings + ["sample_id"] + list(roles.GRADERS)


def settled_key(names: Names, used: Iterable[str]) -> list[str]:
    """The `key`, without the run unless it is used: settings alone tell most runs apart."""
    key = count_key(names)
    if "run" not in used:
        key.remove("run")
    return key


def count(samples: Table, only: Names | None = None, also: Iterable[str] = ()) -> Table:
    """The counts of samples in any order: `only` of some numbers, by `also` other columns.

    Epochs are added in their order by one thread, so that no sum depends on the machine.
    """
    by = list(dict.fromkeys(count_key(samples.columns) + list(also)))
    order = dict.fromkeys(by + ["epoch"])
    return _count_groups(samples.sort(*order), by, only)


def count_sorted(rows: Table) -> Table:
    """The counts of rows sorted by their key."""
    graders = [name for name in roles.GRADERS if rows[name].n_unique() > 1]
    if graders:
        rows = rows.sort(*SAMPLE, *graders, maintain_order=True)
    return _count_groups(rows, count_key(rows.columns))


def _count_groups(rows: Table, by: Names, only: Names | None = None) -> Table:
    """The counts of rows of which those with the same values `by` columns lie together."""
    first = starts(rows, by)
    columns: dict[str, Any] = {"epochs": _sizes(first, rows)}
    if only is None:
        only = roles.columns(rows.columns, "measure")
    for name in only:
        present = rows[name].is_not_null().to_numpy()
        values = rows[name].fill_null(0).to_numpy()
        columns[f"{name}.n"] = _count_flags(present, first)
        columns[f"{name}.sum"] = np.add.reduceat(values, first)
        if name == "score":
            columns["score.one"] = _count_flags(present & (values == 1), first)
            columns["score.zero"] = _count_flags(present & (values == 0), first)
    columns["reconstructed"] = _count_flags(rows["reconstructed"].to_numpy(), first) > 0
    series = [pl.Series(name, values) for name, values in columns.items()]
    return rows.select(by)[first].with_columns(series)


def _sizes(first: Starts, rows: Table) -> Starts:
    """How many rows each of the groups has that begin at `first`."""
    return np.diff(np.append(first, len(rows)))


def _count_flags(flags: NDArray[np.bool_], first: Starts) -> NDArray[np.int64]:
    """How many rows have a flag, of the groups that begin at `first`."""
    return np.add.reduceat(flags.astype(np.int64), first)


def sufficient_counts(
    samples: Samples,
    partial: Portions | None,
    only: Names,
    columns: set[str],
) -> Portions | None:
    """The `partial` counts if they have the `columns`, else those of the samples; none without."""
    if partial is not None:
        names = partial[0].collect_schema().names()
        if columns <= set(names):
            return partial
        return None
    names = samples.collect_schema().names()
    if not columns <= set(count_key(names)):
        return None
    rows = samples.select(*count_key(names), "epoch", *only, "reconstructed")
    return [count(rows.collect(), only).lazy()]


def sum_epochs(rows: Samples, by: Names) -> Table:
    """The epochs of counts, added up by some columns."""
    epochs = pl.col("epochs").sum()
    return rows.group_by(by).agg(epochs).collect()


def gather_counts(shards: Portions, metric: Metric, by: Names, also: Names = ()) -> Rows:
    """Counts by some columns: `count` of epochs with a number, their `total`, all `records`."""
    numbers = {"count": f"{metric.of}.n", "total": f"{metric.of}.sum", "records": "epochs"}
    renamed = [pl.col(column).alias(name) for name, column in numbers.items()]
    others = ["reconstructed"] + list(also)
    selected = [shard.select(*by, *others, *renamed) for shard in shards]
    return codes.gather_rows(selected, list(numbers) + others)


def added_up(rows: Rows, key: Names) -> Rows:
    """A row per cell and problem, or instance, that was counted: what the `key` tells apart.

    Where a cell pools several runs, they are summed in the order of their settings by one thread:
    no sum depends on the machine.
    """
    present = rows.numbers["count"] > 0
    if present.all() and codes.is_unique(rows, key):
        return rows
    rows = rows.take(present)
    names = list(rows.columns)
    by = list(key) + roles.settings(names) + ["sample_id"]
    if "run" in names:
        by.append("run")
    order = np.argsort(codes.codes(rows, dict.fromkeys(by)), kind="stable")
    groups = codes.codes(rows, key)[order]
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    sums: dict[str, NDArray[Any]] = {}
    for name, kind in (("count", np.int64), ("total", np.float64), ("reconstructed", np.int64)):
        numbers = rows.numbers[name][order].astype(kind)
        sums[name] = np.add.reduceat(numbers, first)
    sums["reconstructed"] = sums["reconstructed"] > 0
    return Rows(rows.take(order[first]).columns, sums)


def pieces(samples: Path, columns: Names) -> Pieces:
    """Some columns of a samples table, in row groups, joined where a sample goes on in the next."""
    table = pl.scan_parquet(samples).select(columns)
    metadata = pq.read_metadata(samples)
    start = 0
    last = ()
    rest: list[Table] = []
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        rows = table.slice(start, size).collect()
        start += size
        keys = rows.select(SAMPLE)
        first = keys.row(0)
        if rest and first != last:
            yield pl.concat(rest)
            rest = []
        rest.append(rows)
        last = keys.row(-1)
    if rest:
        yield pl.concat(rest)


(ANSWER,) = roles.own("answer")
BYTES = 8
"""Of a digest. Equal by chance are two of the 64 answers of a problem once in 10¹⁶ problems."""
VOTE = "vote"  # column of the value of a vote, or of another metric; null where there is none


def count_digests(answers: Iterable[Any]) -> pl.Series:
    """The answers of samples as a column of digests; empty and null ones stay what they are."""
    digest_of: dict[str | None, str | None] = {"": "", None: None}
    column: list[str | None] = []
    for value in answers:
        text = value
        if not (value is None or isinstance(value, str)):
            text = msgspec.json.encode(value, order="sorted").decode()
        if text:
            text = text.strip()
        if text and text not in digest_of:
            data = text.encode("utf-8", "surrogatepass")
            digest_of[text] = blake2b(data, digest_size=BYTES).hexdigest()
        column.append(digest_of[text])
    return pl.Series(column, dtype=pl.String)


def require_answers(samples: Samples, metric: Metric, source: str, place: str) -> None:
    """Raise Error if no sample has an answer to vote with; `place`: key that asks for the vote."""
    is_there = pl.col(ANSWER).is_not_null().any()
    if not samples.select(is_there).collect().item():
        message = (
            f"{metric.word} is a vote on answers, but the samples shown have none; is their "
            f"place in the record right? look at sources.{source}"
        )
        raise Error(Mistake(place, message))


def votes(samples: Portions, metric: Metric, by: Names) -> Table:
    """The value of the vote on each problem: the columns `by`, and `VOTE`.

    None is taken on a problem with fewer samples than vote, nor where the logs of a task tell no
    answer of any sample. `samples`: those that a figure shows, in portions; `by`: what tells
    problems apart, `sample_id` last.
    """
    chosen = [rows.select(*by, ANSWER, metric.of) for rows in samples]
    rows = pl.concat(chosen).drop_nulls(metric.of).collect()
    is_there = pl.col(ANSWER).is_not_null().any()
    some = is_there.over(by[:-1]).alias("some")
    rows = rows.with_columns(some, pl.col(ANSWER).fill_null(""))
    rows = rows.sort(*by, ANSWER, metric.of)
    ballots = starts(rows, [*by, ANSWER])  # the first of the samples with one answer
    sizes = _sizes(ballots, rows).tolist()
    sums = np.add.reduceat(rows[metric.of].to_numpy(), ballots).tolist()
    blank = (rows[ANSWER][ballots] == "").to_list()
    first = starts(rows, by)
    problems = rows[first]
    ends = np.searchsorted(ballots, np.append(first, len(rows))).tolist()
    values: list[float | None] = []
    for answered, start, stop in zip(problems["some"], ends[:-1], ends[1:], strict=True):
        answers = list(zip(sizes[start:stop], sums[start:stop], strict=True))
        if blank[start]:
            none = answers.pop(0)
        else:
            none = (0, 0.0)
        value = None
        if answered and sum(sizes[start:stop]) >= metric.number:
            value = statistics.vote_at_k(answers, none, metric.number)
        values.append(value)
    return problems.select(by).with_columns(pl.Series(VOTE, values, dtype=pl.Float64))


def values_of_counts(rows: Rows, metric: Metric, by: Names) -> Table:
    """The same of a metric that needs no answers, from counts: `by` tells problems apart."""
    summed = added_up(rows, by)
    dividend, divisor = metric.points(summed.numbers["count"], summed.numbers["total"])
    value = np.divide(dividend, divisor, out=np.full(len(divisor), np.nan), where=divisor > 0)
    return summed.frame(by).with_columns(pl.Series(VOTE, value).fill_nan(None))


def averaged(values: Table, mean_over: str) -> Table:
    """The mean over a column of the values of each problem (`votes`); none if one is missing."""
    by = [name for name in values.columns if name not in (mean_over, VOTE)]
    rows = values.sort(*by, mean_over)
    first = starts(rows, by)
    values_or_nan = rows[VOTE].fill_null(float("nan")).to_numpy()
    total = np.add.reduceat(values_or_nan, first)
    value = total / _sizes(first, rows)
    return rows.select(by)[first].with_columns(pl.Series(VOTE, value).fill_nan(None))


def of_problems(problems: Table, values: Table) -> NDArray[np.float64]:
    """The value of the problem of each row (`votes`), NaN where there is none."""
    by = [name for name in values.columns if name != VOTE]
    rows = problems.join(values, on=by, how="left", nulls_equal=True, maintain_order="left")
    return rows[VOTE].fill_null(float("nan")).to_numpy()
