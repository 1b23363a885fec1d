"""What stands for the answer of a sample in its table, and the votes that are taken on answers.

A vote needs no more of answers than which are equal, so a table holds 16 hex digits of the BLAKE2b
of each: a long answer takes no more room than a short one, and no text of a log leaves it. Answers
are equal as their log has them, but for blanks around them: `42` and `42.0` are two. What is no
text is compared by its JSON. The answer is empty where none was found in what a model said, and
null where its log tells nothing of it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.samples import counts, tables
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heatproof.metrics import Metric
    from heatproof.util.codes import Rows

(COLUMN,) = roles.own("answer")
BYTES = 8
"""Of a digest. Equal by chance are two of the 64 answers of a problem once in 10¹⁶ problems."""
VOTE = "vote"
"""Column of the value of a vote, or of another metric; null where there is none."""


def digests(answers: Iterable[Any]) -> pl.Series:
    """The answers of samples as a column of digests; empty and null ones stay what they are."""
    by_text: dict[str | None, str | None] = {"": "", None: None}
    column: list[str | None] = []
    for value in answers:
        if value is None or isinstance(value, str):
            text = value
        else:
            text = msgspec.json.encode(value, order="sorted").decode()
        text = text and text.strip()
        if text and text not in by_text:
            data = text.encode("utf-8", "surrogatepass")
            by_text[text] = blake2b(data, digest_size=BYTES).hexdigest()
        column.append(by_text[text])
    return pl.Series(column, dtype=pl.String)


def require_some(samples: pl.LazyFrame, what: Metric, source: str, place: str) -> None:
    """Refuse a vote of which nobody is known to have taken part; `place`: key that asks for it.

    Raises:
        Error: no sample has an answer.
    """
    if not samples.select(pl.col(COLUMN).is_not_null().any()).collect().item():
        raise Error(
            Mistake(
                place,
                f"{what.word} is a vote on the answers of samples, and the logs tell none of "
                f"those shown; is their place in the record right? look at sources.{source}",
            )
        )


def votes(samples: Sequence[pl.LazyFrame], what: Metric, by: Sequence[str]) -> pl.DataFrame:
    """The value of the vote on each problem.

    None is taken on a problem with fewer samples than vote, nor where the logs of a task tell no
    answer of any sample.

    Args:
        samples: those that a figure shows, in portions.
        what: the vote.
        by: what tells problems apart, `sample_id` last.

    Returns:
        A row for each problem: `by`, and `VOTE`.
    """
    from heatproof import statistics

    chosen = [rows.select(*by, COLUMN, what.of) for rows in samples]
    rows = pl.concat(chosen).drop_nulls(what.of).collect()
    some = pl.col(COLUMN).is_not_null().any().over(by[:-1]).alias("some")
    rows = rows.with_columns(some, pl.col(COLUMN).fill_null("")).sort(*by, COLUMN, what.of)
    starts = tables.starts(rows, [*by, COLUMN])  # of the samples with one answer: ballots
    sizes = np.diff(np.append(starts, len(rows))).tolist()
    sums = np.add.reduceat(rows[what.of].to_numpy(), starts).tolist() if len(rows) else []
    blank = (rows[COLUMN][starts] == "").to_list()
    first = tables.starts(rows, by)
    heads, ends = rows[first], np.searchsorted(starts, np.append(first, len(rows))).tolist()
    values: list[float | None] = []
    for some_, start, stop in zip(heads["some"].to_list(), ends[:-1], ends[1:], strict=True):
        ballots = [*zip(sizes[start:stop], sums[start:stop], strict=True)]
        none = ballots.pop(0) if blank[start] else (0, 0.0)
        enough = some_ and sum(sizes[start:stop]) >= what.number
        values.append(statistics.vote_at_k(ballots, none, what.number) if enough else None)
    return heads.select(by).with_columns(pl.Series(VOTE, values, dtype=pl.Float64))


def values_of_counts(rows: Rows, what: Metric, by: Sequence[str]) -> pl.DataFrame:
    """The same of a metric that needs no answers, from counts: `by` tells problems apart."""
    summed = counts.added_up(rows, by)
    dividend, divisor = what.points(summed.numbers["count"], summed.numbers["total"])
    value = np.divide(dividend, divisor, out=np.full(len(divisor), np.nan), where=divisor > 0)
    return summed.frame(by).with_columns(pl.Series(VOTE, value).fill_nan(None))


def averaged(values: pl.DataFrame, over: str) -> pl.DataFrame:
    """The mean of the values of each problem; of one that lacks some of them there is none.

    `values`: as `votes` gives them, of problems that are told apart by the column `over` as well.
    """
    by = [name for name in values.columns if name not in (over, VOTE)]
    rows = values.sort(*by, over)
    first = tables.starts(rows, by)
    heads = rows.select(by)[first]
    if not len(rows):
        return heads.with_columns(rows[VOTE])
    total = np.add.reduceat(rows[VOTE].fill_null(float("nan")).to_numpy(), first)
    value = total / np.diff(np.append(first, len(rows)))
    return heads.with_columns(pl.Series(VOTE, value).fill_nan(None))


def of_problems(problems: pl.DataFrame, values: pl.DataFrame) -> NDArray[np.float64]:
    """The value of the vote on the problem of each row, NaN where there is none.

    `values`: as `votes` gives them; the problems have their columns.
    """
    by = [name for name in values.columns if name != VOTE]
    rows = problems.select(by).join(
        values, on=by, how="left", nulls_equal=True, maintain_order="left"
    )
    return rows[VOTE].fill_null(float("nan")).to_numpy()
