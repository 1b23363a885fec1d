"""lm-evaluation-harness 0.4: `samples_{task}_{time}.jsonl`, its run in `results_{time}.json`.

A line per problem and filter. Repeats lie inside the line, but the metric beside them is mostly
that of the filtered answer alone (of the first repeat, with take_first): each repeat is graded.

It printed `results` of `results_{time}.json`:
`"{metric},{filter}"` is the mean over the problems of the stored metric, with repeats that of the
first alone (`evaluator_utils.py`, `api/metrics.py`); `"{metric}_stderr,{filter}"` its standard
error in closed form. Both only where the task aggregates the metric by its mean.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.logs.streams import Unreadable
from heatproof.readers import preferences
from heatproof.readers.api import (
    Batch,
    Declared,
    Offer,
    Place,
    Printed,
    Reject,
    content_beside,
    excerpt,
    printed_count,
    printed_number,
    score_fault,
)
from heatproof.readers.documents import decoded
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.lm_eval_grades import Grader
from heatproof.readers.lm_eval_runs import (
    FORM,
    NAME,
    RESULTS,
    Refused,
    Results,
    Run,
    load,
    problems,
    results,
    superseded,
)
from heatproof.readers.params import Tuned, excerpted, lookup
from heatproof.readers.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.readers.api import Log


class Entry(Tuned, kw_only=True):
    """Keys of an `lm_eval` source; `logs` names the samples files."""

    filter: Preference | None = None
    """Which filter's answers, where a task has several: a name, a list of names of which the first
    that a task has is taken, or either by task (`{gsm8k: strict-match, mmlu_*: none}`)."""
    metric: Preference | None = None
    """Which metric is the score, where a task has several, said as for `filter`."""
    repeats: Literal["each", "stored"] = "each"
    """Each repeat is an epoch. Its score is stored where the metric is a list; else it is graded
    here, for which the metric must be exact_match and the filters by regex, map, case or blanks, or
    the record one of log-likelihoods; all else is refused. Or one epoch, with the stored metric."""
    answers: bool = False
    """Keep which samples have the same answer (`filtered_resps`), for a vote (maj@k)."""

    def columns(self) -> Columns:
        return msgspec.structs.replace(super().columns(), answers=self.answers)

    def keeping_answers(self) -> str:
        return "`answers: true`"

    def mistakes(self) -> list[str]:
        found = (preferences.mistakes(key, given) for key, given in self.preferred().items())
        return super().mistakes() + [said for some in found for said in some]

    def preferred(self) -> dict[str, Preference | None]:
        """Key → what it prefers."""
        return {"filter": self.filter, "metric": self.metric}

    def chooses(self) -> bool:
        return not all(isinstance(given, str) for given in self.preferred().values())

    def unchosen(self, tasks: Sequence[str]) -> list[str]:
        found = (preferences.unknown(key, given, tasks) for key, given in self.preferred().items())
        return [said for some in found for said in some]

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return bool(RESULTS.fullmatch(path))

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = [results(path, root), superseded(path, root, self)]
        return [file for file in found if file and (root / file).is_file()]

    def printed_in(self, path: str, root: Path) -> list[str]:
        found = results(path, root)
        return [found] if found and (root / found).is_file() else []


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = all(name in first for name in (b'"doc_id"', b'"target"', b'"arguments"'))
    return f"it is named {FORM} and holds doc_id" if NAME.fullmatch(path) and told else ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, filters and metrics."""
    run = load(log, entry.max_document)
    filters = sorted({chosen for _, chosen in run.metrics})
    metrics = sorted({metric for metric, _ in run.metrics})
    return Offer(run.places(), {"filter": filters, "metric": metrics})


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; all of them are refused when a later run replaces it.

    Raises:
        Error: config.yaml does not choose among several filters or metrics.
    """
    try:
        run = load(log, entry.max_document)
        metric, chosen = _choice(run, entry, log.path)
        shared = {"model": run.model, "task": run.task, "scorer": f"{metric},{chosen}"}
        shared |= _settings(entry, run)
        grader = Grader(run, metric, chosen, entry)
    except (Refused, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    if run.problems is not None:
        samples = run.problems * (run.repeats() if grader.each else 1)
        yield Declared(shared, samples, part=run.part())
    parts = read_lines(log, _decoder(metric), as_records, shared)
    later = superseded(log.path, log.root, entry)
    later = later if log.was_there(later) else ""
    seen = False
    for part in parts:
        if isinstance(part, Reject):
            seen = True
            yield part
            continue
        mine = _mine(part, chosen)
        seen = seen or bool(mine)
        if later:
            yield from (_refused(at, f"superseded by the run of {later}", r) for at, r in mine)
        else:
            yield from _rows(mine, shared, entry, grader)
    if not seen:
        yield Reject(Place(1, 0, 0), f"no record of filter {chosen!r}")


def _settings(entry: Entry, run: Run) -> dict[str, Any]:
    try:
        return lookup(entry.wanted(), run.places())
    except Error as error:
        raise Refused(str(error)) from error


@cache
def _decoder(metric: str) -> msgspec.json.Decoder[Any]:
    """Of what is wanted of a line: the metric's name is a key of its own."""
    kind = msgspec.defstruct(
        "Record",
        [
            ("doc_id", int | str),
            ("score", bool | float | list[Any] | None),
            ("target", Any, None),
            ("resps", list[Any], []),
            ("filtered_resps", list[Any], []),
            ("filter", str, "none"),
            ("arguments", Any, None),
        ],
        rename={"score": metric},
    )
    return msgspec.json.Decoder(kind)


def _choice(run: Run, entry: Entry, path: str) -> tuple[str, str]:
    """Metric and filter, as config.yaml chooses among those of the results file."""
    place = f"config.yaml: sources.{entry.name}"
    if not run.metrics:
        raise Refused("its results file names no filter")
    of_filter, of_metric = (
        preferences.of_task(given, run.task) for given in (entry.filter, entry.metric)
    )
    filters = preferences.narrowed(run.metrics, of_metric, of_filter)
    chosen = preferences.chosen(filters, of_filter, f"{place}.filter", path)
    metrics = sorted({metric for metric, of in run.metrics if of == chosen})
    return preferences.chosen(metrics, of_metric, f"{place}.metric", path), chosen


def _mine(batch: Batch, chosen: str) -> list[tuple[Place, Any]]:
    """The records of the filter: the others are the same answers, filtered otherwise."""
    pairs = zip(batch.places, batch.columns["record"], strict=True)
    return [(place, record) for place, record in pairs if record.filter == chosen]


def _rows(
    mine: list[tuple[Place, Any]], shared: dict[str, Any], entry: Entry, grader: Grader
) -> Iterator[Batch | Reject]:
    missing = {name: found for name, found in entry.wanted().items() if shared[name] is None}
    columns: dict[str, list[Any]] = {"sample_id": [], "epoch": [], "score": [], "graded": []}
    columns |= {name: [] for name in [*missing, *(["answer"] if entry.answers else [])]}
    places: list[Place] = []
    for place, record in mine:
        try:
            scores, computed = grader.scores(record)
            if reason := next(filter(None, map(score_fault, scores)), ""):
                raise Error(reason)
            told = lookup(missing, arguments(record.arguments))
        except Error as error:
            yield _refused(place, str(error), record)
            continue
        columns["sample_id"] += [str(record.doc_id)] * len(scores)
        columns["epoch"] += range(len(scores))
        columns["score"] += scores
        columns["graded"] += [computed and epoch > 0 for epoch in range(len(scores))]
        for name, value in told.items():
            columns[name] += [value] * len(scores)
        if entry.answers:
            columns["answer"] += grader.answers(record, len(scores))
        places += [place] * len(scores)
    yield Batch(columns, places, shared)


def _refused(place: Place, reason: str, record: Any) -> Reject:
    told = {"doc_id": record.doc_id, "filter": record.filter, "resps": record.resps}
    return Reject(place, reason, excerpt(msgspec.json.encode(told)))


STDERR = "_stderr"


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers of a log's task; none of a run that a later one replaces.

    Raises:
        Error: the results file is damaged or too large.
    """
    match, path = NAME.fullmatch(log.path), results(log.path, log.root)
    if match is None or not (log.root / path).is_file():
        return
    if superseded(log.path, log.root, entry):
        return
    told = _results(content_beside(log, path, entry.max_document), path.rsplit("/", 1)[-1])
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
            value=printed_number(value),
            scorer=key.replace(f"{STDERR},", ",", 1) if metric.endswith(STDERR) else key,
            statistic="stderr" if metric.endswith(STDERR) else "mean",
            over="first",
            problems=problems,
            low=low,
            high=high,
            why=_why(value, metric, told.configs.get(task, {})),
        )


@lru_cache(maxsize=2)
def _results(data: bytes, name: str) -> Results:
    return decoded(data, Results, name)  # type: ignore[no-any-return]


def _problems(told: Results, task: str) -> int | None:
    """Of how many problems the numbers are; releases differ in what they write."""
    found = told.results.get(task, {})
    values = (found.get("sample_len"), found.get("samples"), problems(told, task))
    return next((size for value in values if (size := printed_count(value))), None)


def _why(value: object, metric: str, settings: dict[str, Any]) -> str:
    """Why a number is no mean of what the samples hold; empty if it is one."""
    if printed_number(value) is None:
        return f"it is {excerpted(value)}, not a number"
    listed = settings.get("metric_list")
    name = metric.removesuffix(STDERR)
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and item.get("metric") == name:
            how = item.get("aggregation", "mean")
            if how != "mean" and (how != "nanmean" or metric != name):
                return f"the task aggregates by {excerpted(how)}, not by the mean"
    return ""


def arguments(given: Any) -> list[Any]:
    """The generation arguments of a record: `{gen_args_0: {arg_1: {…}}}`, or `[[prompt, {…}]]`."""
    requests = list(given.values()) if isinstance(given, dict) else given
    if not isinstance(requests, list):
        return []
    found: list[Any] = []
    for request in requests[:1]:
        parts = list(request.values()) if isinstance(request, dict) else request
        found += [p for p in parts if isinstance(p, dict)] if isinstance(parts, list) else []
    return found
