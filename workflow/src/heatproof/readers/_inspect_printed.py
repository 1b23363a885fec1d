"""What Inspect printed of a log: `results.scores` in its head.

A metric is of one value for each problem, which a reducer made of its epochs; without a reducer it
is their mean (`_eval/task/results.py`, `scorer/_reducer/reducer.py`, `scorer/_metrics/`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.logs.archives import Archive
from heatproof.readers._documents import decoded, document
from heatproof.readers._inspect_log import Header, head_of
from heatproof.readers._params import excerpted
from heatproof.readers._printed import Printed, Statistic, count, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers._log import Log
    from heatproof.readers.inspect import Entry

STATISTICS: dict[str, Statistic] = {
    "accuracy": "mean",
    "mean": "mean",
    "stderr": "stderr",
    "std": "std",
    "var": "var",
}


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers in a log's head, where its samples count.

    Raises:
        Error: the log is damaged or too large.
    """
    header = _header(log, entry)
    if header.status not in entry.status:
        return
    scores = (header.results or {}).get("scores")
    for score in scores if isinstance(scores, list) else []:
        if isinstance(score, dict) and isinstance(score.get("metrics"), dict):
            samples = count((header.results or {}).get("completed_samples"))
            yield from _of(score, samples, log.path, entry)


def _header(log: Log, entry: Entry) -> Header:
    if log.path.endswith(".eval"):
        with Archive(log.root / log.path) as archive:
            return head_of(archive, entry.max_document)[0]
    return decoded(document(log, entry.max_document), Header)  # type: ignore[no-any-return]


def _of(score: dict[str, Any], samples: int | None, path: str, entry: Entry) -> Iterator[Printed]:
    """The metrics of one scorer, or of one key of a score that is a mapping."""
    name, scorer = str(score.get("name")), str(score.get("scorer") or score.get("name"))
    reducer = score.get("reducer")
    low, high = entry.range or (0.0, 1.0)
    for key, metric in score["metrics"].items():
        told = metric if isinstance(metric, dict) else {"value": metric}
        yield Printed(
            file=path,
            name="/".join(map(str, filter(None, (name, reducer, key)))),
            value=number(told.get("value")),
            scorer=name if name == scorer else f"{scorer}.{name}",
            statistic=STATISTICS.get(key, "mean"),
            over="mean" if reducer is None else str(reducer),
            problems=count(score.get("scored_samples")),
            run=samples,
            low=low,
            high=high,
            why=_why(key, told, reducer, entry),
        )


def _why(key: str, told: dict[str, Any], reducer: object, entry: Entry) -> str:
    if number(told.get("value")) is None:
        return "it is not a number"
    if key not in STATISTICS:
        return f"{excerpted(key)} is none of {', '.join(STATISTICS)}"
    if told.get("params"):
        return f"the metric has settings of its own: {excerpted(told['params'])}"
    if entry.range and reducer not in (None, "mean", "median", "mode", "max"):
        return f"{excerpted(reducer)} asks for scores on their own scale, not on that of `range`"
    return ""
