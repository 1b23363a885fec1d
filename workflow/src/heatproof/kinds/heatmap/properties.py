"""Columns along which figures lie though they are no settings: properties of problems, of answers.

A setting is known before the answer, and each of its values is tried on all problems. A problem has
its language, whatever is tried on it; and the answer decides its length, its error, the confidence
that it states. So of a property no cell is to hold the problems of its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.config import roles
from heatproof.samples import selection
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.kinds.columns import Samples
    from heatproof.kinds.question import Question
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.codes import Rows

PROBLEM = ("task", "sample_id")
MOST_ROWS = 300_000  # rows of counts that are looked at: those of some problems, evenly chosen
MOST_PROBLEMS = 200  # problems whose epochs are looked at one by one


class Properties(NamedTuple):
    """Columns of a figure that are no settings."""

    of_problems: frozenset[str] = frozenset()
    of_answers: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return self.of_problems | self.of_answers


def find_properties(
    rows: Rows, samples: Samples, question: Question, logs: ShardIndex | None
) -> Properties:
    """The properties among the columns along which cells lie, and those that cells mix.

    `rows`: counts of the `samples` that the figure shows; `logs`: what these hold.
    """
    used = [*question.along, *question.pool, *filter(None, [question.mean_over])]
    used += [name for name in question.mixable if name in rows.columns]
    fixed_columns = {*roles.OWN, question.opponent, *(_settings_of_logs(logs) if logs else ())}
    # Counts lack a column of the source's own that is pooled: its problems are those of the cell.
    used = [name for name in used if name in rows.columns and name not in fixed_columns]
    names = {name for name in used if len(rows.columns[name].values) > 1}
    if not names:
        return Properties()
    rows = _some_problems(rows)
    settings = [name for name in roles.settings(list(rows.columns)) if name in rows.columns]
    by_problem = {name for name in names if _decides(rows, PROBLEM, name)}
    run = [name for name in settings if name not in by_problem]
    of_problems = {name for name in by_problem if not _decides(rows, run, name)}
    of_answers, derived = set(), roles.columns(list(rows.columns), "property")
    for name in sorted(names - by_problem):
        run_columns = [
            run_column for run_column in settings if run_column not in {name, *of_problems}
        ]
        is_setting = _decides(rows, run_columns, name)
        if name in derived:  # made of numbers or problems, and so of no setting alone
            if not is_setting:
                of_answers |= {name}
            continue
        is_setting = is_setting or _is_crossed(rows, run_columns, name)
        if not is_setting and _divides_epochs(rows, samples, question, run_columns, name):
            of_answers.add(name)
    return Properties(frozenset(of_problems), frozenset(of_answers))


def _settings_of_logs(index: ShardIndex) -> Iterator[str]:
    """Columns that a log names as settings of a run, or of which each of several has one value."""
    logs = list(index.logs.values())
    for number, name in enumerate(index.columns):
        declared, single = [], []
        for log in logs:
            declared += [run.settings[number] for run in log.runs]
            values = {row[number] for row in log.settings or ()}
            is_single = len(values) == 1
            single.append(is_single)
        if any(value is not None for value in declared) or (len(logs) > 1 and all(single)):
            yield name


def _some_problems(rows: Rows) -> Rows:
    code = codes.codes(rows, PROBLEM)
    number = np.unique(code, return_inverse=True)[1]
    step = -(-len(code) // MOST_ROWS)
    return rows.take(np.flatnonzero(number % max(step, 1) == 0))


def _decides(rows: Rows, names: Sequence[str], name: str) -> bool:
    """Whether rows with the same values of some columns have one value of another."""
    pair_codes = codes.codes(rows, [*names, name])
    distinct = np.unique(codes.codes(rows, names))
    return len(np.unique(pair_codes)) == len(distinct)


def _is_crossed(rows: Rows, run_columns: Sequence[str], name: str) -> bool:
    """Whether most problems of a run were tried as often with each of several values.

    `run_columns`: the columns that tell runs apart, without this one.
    """
    cells = pl.DataFrame({
        "run": codes.codes(rows, run_columns), "problem": codes.codes(rows, PROBLEM),
        "value": rows.columns[name].codes, "count": rows.numbers["records"],
    })  # fmt: skip
    cells = cells.group_by("run", "problem", "value").agg(pl.col("count").sum())
    has_several = pl.col("value").n_unique().over("run") > 1
    several = cells.filter(has_several)
    repeated = several.sort("value")
    groups = repeated.group_by("run", "problem")
    problems = groups.agg("value", "count")
    equal_counts = (
        problems.group_by("run", "value", "count").len().filter(pl.col("value").list.len() > 1)
    )
    largest_groups = equal_counts.group_by("run").agg(pl.col("len").max())
    return bool(2 * largest_groups["len"].sum() > len(problems))


def _divides_epochs(
    rows: Rows, samples: Samples, question: Question, run_columns: Sequence[str], name: str
) -> bool:
    """Whether each epoch of a problem in a run has one value: not each value was tried."""
    place = list({*run_columns, *PROBLEM, "epoch"})
    ids = rows.columns["sample_id"].values.head(MOST_PROBLEMS).to_list()
    shown_samples = selection.of_figure(samples, question.alone()).filter(
        pl.col("sample_id").is_in(ids)
    )
    values = shown_samples.group_by(place).agg(pl.col(name).n_unique()).select(name)
    return bool(values.max().collect(engine="streaming").item() == 1)
