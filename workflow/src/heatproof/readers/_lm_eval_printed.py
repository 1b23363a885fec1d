"""What lm-evaluation-harness printed of a samples file: `results` of `results_{time}.json`.

`"{metric},{filter}"` is the mean over the problems of the stored metric, with repeats that of the
first alone (`evaluator_utils.py`, `api/metrics.py`); `"{metric}_stderr,{filter}"` its standard
error in closed form. Both only where the task aggregates the metric by its mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heatproof.readers import _lm_eval_runs as runs
from heatproof.readers._documents import decoded
from heatproof.readers._params import excerpted
from heatproof.readers._printed import Printed, beside, count, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers._log import Log
    from heatproof.readers.lm_eval import Entry

STDERR = "_stderr"


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers of a log's task; none of a run that a later one replaces.

    Raises:
        Error: the results file is damaged or too large.
    """
    match, path = runs.NAME.fullmatch(log.path), runs.results(log.path)
    if match is None or not (log.root / path).is_file():
        return
    if runs.superseded(log.path, log.root, entry):
        return
    told = _results(beside(log, path, entry.max_document), path.rsplit("/", 1)[-1])
    task = match["task"]
    low, high = entry.range or (0.0, 1.0)
    problems = _problems(told, task)
    for key, value in told.results.get(task, {}).items():
        metric, comma, _ = key.rpartition(",")
        if not comma or (metric.endswith(STDERR) and isinstance(value, str)):
            continue  # no number, such as the task's name; N/A where there is no error
        yield Printed(
            file=path,
            name=key,
            value=number(value),
            scorer=key.replace(f"{STDERR},", ",", 1) if metric.endswith(STDERR) else key,
            statistic="stderr" if metric.endswith(STDERR) else "mean",
            over="first",
            problems=problems,
            low=low,
            high=high,
            why=_why(value, metric, told.configs.get(task, {})),
        )


@lru_cache(maxsize=2)
def _results(data: bytes, name: str) -> runs.Results:
    return decoded(data, runs.Results, name)  # type: ignore[no-any-return]


def _problems(told: runs.Results, task: str) -> int | None:
    """Of how many problems the numbers are; releases differ in what they write."""
    found = told.results.get(task, {})
    values = (found.get("sample_len"), found.get("samples"), runs.problems(told, task))
    return next((size for value in values if (size := count(value))), None)


def _why(value: object, metric: str, settings: dict[str, Any]) -> str:
    """Why a number is no mean of what the samples hold; empty if it is one."""
    if number(value) is None:
        return f"it is {excerpted(value)}, not a number"
    listed = settings.get("metric_list")
    name = metric.removesuffix(STDERR)
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and item.get("metric") == name:
            how = item.get("aggregation", "mean")
            if how != "mean" and (how != "nanmean" or metric != name):
                return f"the task aggregates by {excerpted(how)}, not by the mean"
    return ""
