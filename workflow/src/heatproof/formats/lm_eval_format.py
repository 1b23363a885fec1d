"""lm-evaluation-harness 0.4: `samples_{task}_{time}.jsonl`, its run in `results_{time}.json`.

A line per problem and filter. Repeats lie inside the line, but the metric beside them is mostly
that of the filtered answer alone (of the first repeat, with take_first): each repeat is graded.

It printed `results` of `results_{time}.json`:
`"{metric},{filter}"` is the mean over the problems of the stored metric, with repeats that of the
first alone (`evaluator_utils.py`, `api/metrics.py`); `"{metric}_stderr,{filter}"` its standard
error in closed form. Both only where the task aggregates the metric by its mean.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness, preferences
from heatproof.formats.api import (
    Declared,
    Place,
    Printed,
    Reject,
    printed_count,
    printed_number,
    score_fault,
    score_kind,
)
from heatproof.formats.lm_eval_grades import Grader
from heatproof.formats.lm_eval_runs import (
    FORM,
    NAME,
    RESULTS,
    Results,
    load,
    problems,
    results,
    superseded,
)
from heatproof.formats.params import excerpted, lookup
from heatproof.formats.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.formats.api import Log, Offer

STDERR = "_stderr"


class Entry(harness.Tuned, kw_only=True):
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
    prefers: ClassVar[tuple[str, ...]] = ("filter", "metric")

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return bool(RESULTS.fullmatch(path))

    def sidecars(self, path: str, root: Path) -> list[str]:
        files = [results(path, root), superseded(path, root, self)]
        return [file for file in files if file and (root / file).is_file()]

    def printed_in(self, path: str, root: Path) -> list[str]:
        file = results(path, root)
        return [file] if file and (root / file).is_file() else []


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = all(name in first for name in (b'"doc_id"', b'"target"', b'"arguments"'))
    return f"it is named {FORM} and holds doc_id" if NAME.fullmatch(path) and told else ""


@cache
def _decoder(metric: str) -> msgspec.json.Decoder[Any]:
    """Of what is wanted of a line: the metric's name is a key of its own."""
    kind = msgspec.defstruct(
        "Record",
        [
            ("doc_id", int | str),
            ("score", bool | float | list[Any] | None),
            ("resps", list[Any]),
            ("target", Any, None),
            ("filtered_resps", list[Any], []),
            ("filter", str, "none"),
            ("arguments", Any, None),
        ],
        rename={"score": metric},
    )
    return msgspec.json.Decoder(kind)


class Reader(harness.Reader):
    """A line is a problem, with a sample for each repeat; lines of other filters are passed over.

    All of them are refused when a later run replaces the log.
    """

    shown = ("doc_id", "filter", "resps")

    def begin(self) -> Iterator[Declared]:
        self.run = load(self.log, self.entry.max_document)
        self.metric, self.filter = self.choice()
        told = {"model": self.run.model, "task": self.run.task}
        self.settle(told | {"scorer": f"{self.metric},{self.filter}"}, self.run.places())
        wanted = self.entry.wanted()
        self.missing = {name: wanted[name] for name in wanted if self.shared[name] is None}
        self.grader = Grader(self.run, self.metric, self.filter, self.entry)
        later = superseded(self.path, self.log.root, self.entry)
        self.later = later if self.log.was_there(later) else ""
        self.is_empty = True
        if self.run.problems is not None:
            repeats = self.run.repeats() if self.grader.each else 1
            yield Declared(self.shared, self.run.problems * repeats, part=self.run.part())

    def choice(self) -> tuple[str, str]:
        """Metric and filter, as config.yaml chooses among those of the results file."""
        pairs, task, entry = self.run.metrics, self.run.task, self.entry
        if not pairs:
            raise harness.Refused("its results file names no filter", "missing")
        place = f"config.yaml: sources.{entry.name}"
        of_filter, of_metric = (
            preferences.of_task(names, task) for names in (entry.filter, entry.metric)
        )
        filters = preferences.narrowed(pairs, of_metric, of_filter)
        chosen = preferences.chosen(filters, of_filter, f"{place}.filter", self.path)
        metrics = sorted({metric for metric, name in pairs if name == chosen})
        return preferences.chosen(metrics, of_metric, f"{place}.metric", self.path), chosen

    def records(self) -> Iterator[harness.Record | Reject]:
        for record in self.lines(_decoder(self.metric)):
            if isinstance(record, Reject) or record.value.filter == self.filter:
                self.is_empty = False
                yield record

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        if self.later:
            raise Error(f"superseded by the run of {self.later}", "absent")
        line = record.value
        scores, is_graded = self.grader.scores(line)
        for score in scores:
            if reason := score_fault(score):
                raise Error(reason, score_kind(score))
        settings = lookup(self.missing, arguments(line.arguments))
        answers = self.grader.answers(line, len(scores)) if self.entry.answers else []
        for epoch, score in enumerate(scores):
            answer = {"answer": answers[epoch]} if answers else {}
            graded = is_graded and epoch > 0
            yield {
                "sample_id": str(line.doc_id),
                "epoch": epoch,
                "score": score,
                "graded": graded,
                **settings,
                **answer,
            }

    def ended(self) -> Iterator[Reject]:
        if self.is_empty:
            why = f"no record of filter {self.filter!r}"
            yield Reject(Place(1, 0, 0), why, kind="missing", whole=True)

    def printed_numbers(self) -> Iterator[Printed]:
        """The numbers of the log's task; none of a run that a later one replaces."""
        match, path = NAME.fullmatch(self.path), results(self.path, self.log.root)
        if match is None or not (self.log.root / path).is_file():
            return
        if superseded(self.path, self.log.root, self.entry):
            return
        told, task = self.told_beside(path, Results), match["task"]
        settings = told.configs.get(task, {})
        for key, value in told.results.get(task, {}).items():
            metric, comma, _ = key.rpartition(",")
            is_error = metric.endswith(STDERR)
            if not comma or (is_error and isinstance(value, str)):
                continue  # no number, such as the task's name; N/A where there is no error
            yield self.number(
                key,
                value,
                file=path,
                scorer=key.replace(f"{STDERR},", ",", 1) if is_error else key,
                statistic="stderr" if is_error else "mean",
                over="first",
                problems=_problems(told, task),
                why=_why(value, metric, settings),
            )


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


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, filters and metrics."""
    run = load(log, entry.max_document)
    filters = sorted({name for _, name in run.metrics})
    metrics = sorted({metric for metric, _ in run.metrics})
    return harness.offer_of(run.places(), filter=filters, metric=metrics)


read, printed = Reader.read, Reader.printed
