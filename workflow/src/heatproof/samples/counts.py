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
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import statistics
from heatproof.config import roles
from heatproof.samples import tables
from heatproof.util import codes
from heatproof.util.codes import Rows
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.metrics import Metric


def count_key(names: Sequence[str]) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    return ["run", *roles.columns(names, "setting"), "sample_id", *roles.GRADERS]


def settled_key(names: Sequence[str], used: Iterable[str]) -> list[str]:
    """The `key`, without the run unless it is used: settings alone tell most runs apart."""
    return [name for name in count_key(names) if name != "run" or name in set(used)]


def count(
    samples: pl.DataFrame, only: Sequence[str] | None = None, also: Iterable[str] = ()
) -> pl.DataFrame:
    """The counts of samples in any order: `only` of some numbers, by `also` other columns.

    Epochs are added in their order by one thread, so that no sum depends on the machine.
    """
    by = list(dict.fromkeys(chain(count_key(samples.columns), also)))
    return _count_groups(samples.sort(*dict.fromkeys(by + ["epoch"])), by, only)


def count_sorted(rows: pl.DataFrame) -> pl.DataFrame:
    """The counts of rows sorted by their key."""
    graders = [name for name in roles.GRADERS if rows[name].n_unique() > 1]
    if graders:
        rows = rows.sort(*tables.SAMPLE, *graders, maintain_order=True)
    return _count_groups(rows, count_key(rows.columns))


def _count_groups(
    rows: pl.DataFrame, by: Sequence[str], only: Sequence[str] | None = None
) -> pl.DataFrame:
    """The counts of rows of which those with the same values `by` columns lie together."""
    first = tables.starts(rows, by)
    columns = {"epochs": np.diff(np.append(first, len(rows)))}
    for name in roles.columns(rows.columns, "measure") if only is None else only:
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


def _count_flags(flags: NDArray[np.bool_], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many rows have a flag, of the groups that begin at `first`."""
    return np.add.reduceat(flags.astype(np.int64), first)


def sufficient_counts(
    samples: pl.LazyFrame,
    partial: Sequence[pl.LazyFrame] | None,
    only: Sequence[str],
    columns: set[str],
) -> Sequence[pl.LazyFrame] | None:
    """The `partial` counts if they have the `columns`, else those of the samples; none without."""
    if partial is not None:
        return partial if columns <= set(partial[0].collect_schema().names()) else None
    names = samples.collect_schema().names()
    if not columns <= set(count_key(names)):
        return None
    rows = samples.select(*count_key(names), "epoch", *only, "reconstructed")
    return [count(rows.collect(), only).lazy()]


def gather_counts(
    shards: Sequence[pl.LazyFrame], metric: Metric, by: Sequence[str], also: Sequence[str] = ()
) -> Rows:
    """Counts by some columns: `count` of epochs with a number, their `total`, all `records`."""
    numbers = {"count": f"{metric.of}.n", "total": f"{metric.of}.sum", "records": "epochs"}
    renamed = [pl.col(column).alias(name) for name, column in numbers.items()]
    columns = [*by, "reconstructed", *also, *renamed]
    selected = [shard.select(columns) for shard in shards]
    return codes.gather_rows(selected, [*numbers, "reconstructed", *also])


def added_up(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per cell and problem, or instance, that was counted: what the `key` tells apart.

    Where a cell pools several runs, they are summed in the order of their settings by one thread:
    no sum depends on the machine.
    """
    present = rows.numbers["count"] > 0
    if present.all() and codes.is_unique(rows, key):
        return rows
    rows = rows.take(present)
    names = list(rows.columns)
    run = ["run"] if "run" in names else []
    by = dict.fromkeys([*key, *roles.settings(names), "sample_id", *run])
    order = np.argsort(codes.codes(rows, by), kind="stable")
    first = np.flatnonzero(np.diff(codes.codes(rows, key)[order], prepend=-1))
    sums: dict[str, NDArray[Any]] = {}
    for name, kind in (("count", np.int64), ("total", np.float64), ("reconstructed", np.int64)):
        numbers = rows.numbers[name][order].astype(kind)
        sums[name] = np.add.reduceat(numbers, first)
    sums["reconstructed"] = sums["reconstructed"] > 0
    return Rows(rows.take(order[first]).columns, sums)


def pieces(samples: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some columns of a samples table, in row groups, joined where a sample goes on in the next."""
    table = pl.scan_parquet(samples).select(columns)
    metadata = pq.read_metadata(samples)
    start = 0
    last = ()
    rest: list[pl.DataFrame] = []
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        rows = table.slice(start, size).collect()
        start += size
        keys = rows.select(tables.SAMPLE)
        if rest and keys.row(0) != last:
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
        text = text and text.strip()
        if text and text not in digest_of:
            data = text.encode("utf-8", "surrogatepass")
            digest_of[text] = blake2b(data, digest_size=BYTES).hexdigest()
        column.append(digest_of[text])
    return pl.Series(column, dtype=pl.String)


def require_answers(samples: pl.LazyFrame, metric: Metric, source: str, place: str) -> None:
    """Raise Error if no sample has an answer to vote with; `place`: key that asks for the vote."""
    if not samples.select(pl.col(ANSWER).is_not_null().any()).collect().item():
        message = (
            f"{metric.word} is a vote on answers, but the samples shown have none; is their "
            f"place in the record right? look at sources.{source}"
        )
        raise Error(Mistake(place, message))


def votes(samples: Sequence[pl.LazyFrame], metric: Metric, by: Sequence[str]) -> pl.DataFrame:
    """The value of the vote on each problem: the columns `by`, and `VOTE`.

    None is taken on a problem with fewer samples than vote, nor where the logs of a task tell no
    answer of any sample. `samples`: those that a figure shows, in portions; `by`: what tells
    problems apart, `sample_id` last.
    """
    chosen = [rows.select(*by, ANSWER, metric.of) for rows in samples]
    rows = pl.concat(chosen).drop_nulls(metric.of).collect()
    some = pl.col(ANSWER).is_not_null().any().over(by[:-1]).alias("some")
    rows = rows.with_columns(some, pl.col(ANSWER).fill_null(""))
    rows = rows.sort(*by, ANSWER, metric.of)
    ballots = tables.starts(rows, [*by, ANSWER])  # the first of the samples with one answer
    sizes = np.diff(np.append(ballots, len(rows))).tolist()
    sums = np.add.reduceat(rows[metric.of].to_numpy(), ballots).tolist()
    blank = (rows[ANSWER][ballots] == "").to_list()
    first = tables.starts(rows, by)
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


def values_of_counts(rows: Rows, metric: Metric, by: Sequence[str]) -> pl.DataFrame:
    """The same of a metric that needs no answers, from counts: `by` tells problems apart."""
    summed = added_up(rows, by)
    dividend, divisor = metric.points(summed.numbers["count"], summed.numbers["total"])
    value = np.divide(dividend, divisor, out=np.full(len(divisor), np.nan), where=divisor > 0)
    return summed.frame(by).with_columns(pl.Series(VOTE, value).fill_nan(None))


def averaged(values: pl.DataFrame, mean_over: str) -> pl.DataFrame:
    """The mean over a column of the values of each problem (`votes`); none if one is missing."""
    by = [name for name in values.columns if name not in (mean_over, VOTE)]
    rows = values.sort(*by, mean_over)
    first = tables.starts(rows, by)
    values_or_nan = rows[VOTE].fill_null(float("nan")).to_numpy()
    total = np.add.reduceat(values_or_nan, first)
    value = total / np.diff(np.append(first, len(rows)))
    return rows.select(by)[first].with_columns(pl.Series(VOTE, value).fill_nan(None))


def of_problems(problems: pl.DataFrame, values: pl.DataFrame) -> NDArray[np.float64]:
    """The value of the problem of each row (`votes`), NaN where there is none."""
    by = [name for name in values.columns if name != VOTE]
    rows = problems.join(values, on=by, how="left", nulls_equal=True, maintain_order="left")
    return rows[VOTE].fill_null(float("nan")).to_numpy()
