"""lighteval: details, `details/{model}/{date}/details_{task}|{shots}_{date}.parquet`.

Older releases put a suite in front of the task (`suite|task|shots`). A row is a problem: `doc.id`
and the struct `metric` (`logging/info_loggers.py`); until v0.9 rows had no id, and the column was
`metrics`, in some releases as text (`logging/evaluation_tracker.py`): there the number of the row
is the problem's.

The run is `results/{model}/results_{date}.json`, or `results_{date}.json` above the folder of the
date: hyper-parameters in `config_general`, how many problems were asked for in `config_tasks`.

It printed `results` there: a metric is mostly the mean over the problems, and `…_stderr` the
standard error of that; some tasks aggregate otherwise, which the file does not tell.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.logs.streams import Unreadable
from heatproof.readers import preferences
from heatproof.readers.api import (
    Declared,
    Offer,
    Place,
    Printed,
    Reject,
    content_beside,
    printed_count,
    printed_number,
)
from heatproof.readers.documents import decoded, object_in
from heatproof.readers.harness import Placed, Refused, Rows, settings
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.params import excerpted, unit
from heatproof.readers.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from heatproof.readers.api import Batch, Log


NAME = re.compile(
    r"(?P<above>(?:.*/)?)(?P<date>[^/]+)/details_(?:[^|/]+\|)?(?P<task>[^|/]+)\|(?P<shots>\d{1,9})"
    r"(?:\|\d+)?_[^/]*\.parquet"
)
"""A log; `above`: the folder of its model."""
FORM = "{model}/{date}/details_{task}|{shots}_{date}.parquet"
RESULTS = re.compile(r"(?:.*/)?results_[^/]*\.(json|parquet)")
NUMPY = re.compile(r"np\.\w+\(([^()]*)\)|array\(([^()]*)\)")
"""How numbers of numpy are written as text."""
STDERR = "_stderr"


class Entry(Placed, kw_only=True):
    """Keys of a `lighteval` source."""

    metric: Preference | None = None
    """Which metric is the score, where a task has several: a name, a list in the order of
    preference, or either by task."""

    own: ClassVar[dict[str, Any]] = {"shots": "int"}

    def mistakes(self) -> list[str]:
        return [*super().mistakes(), *preferences.mistakes("metric", self.metric)]

    def chooses(self) -> bool:
        return not isinstance(self.metric, str)

    def unchosen(self, tasks: Sequence[str]) -> list[str]:
        return [*preferences.unknown("metric", self.metric, tasks)]

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return bool(RESULTS.fullmatch(path))

    def sidecars(self, path: str, root: Path) -> list[str]:
        return results(path, root)

    def printed_in(self, path: str, root: Path) -> list[str]:
        return results(path, root)


class Doc(msgspec.Struct, gc=False):
    """A problem."""

    id: str | int | None = None


class Record(msgspec.Struct, gc=False):
    """A row."""

    doc: Doc | None = None
    metric: Any = None
    metrics: Any = None


class Results(msgspec.Struct):
    """The places wanted of the file of a run."""

    config_general: dict[str, Any] = {}
    config_tasks: dict[str, Any] = {}
    results: dict[str, Any] = {}


DECODER = msgspec.json.Decoder(Record)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = b'"metric"' in first or b'"metrics"' in first
    return f"it is named {FORM} and has metrics" if NAME.fullmatch(path) and told else ""


def results(path: str, root: Path) -> list[str]:
    """The file of the run that a log is of, if it is there."""
    match = NAME.fullmatch(path)
    if match is None:
        return []
    name = f"results_{match['date']}.json"
    above, found, below = match["above"].rpartition("details/")
    first = [f"{above}results/{below}{name}"] if found else []
    return [file for file in (*first, match["above"] + name) if (root / file).is_file()][:1]


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and the metrics of its rows."""
    run = Run(log, entry)
    parts = read_lines(log, DECODER, as_records, {})
    first = next((part for part in parts if not isinstance(part, Reject)), None)
    names = _names(first.columns["record"]) if first else []
    return Offer(run.heads, {"metric": names})


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log.

    Raises:
        Error: config.yaml does not choose among several metrics.
    """
    try:
        run = Run(log, entry)
    except (Refused, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    metric = ""
    for part in read_lines(log, DECODER, as_records, run.shared):
        if isinstance(part, Reject):
            yield part
            continue
        pairs = [*zip(part.places, part.columns["record"], strict=True)]
        metric = metric or _chosen(_names(one for _, one in pairs), entry, run)
        shared = run.shared | {"scorer": metric}
        rows = Rows(shared, entry.range)
        for place, record in pairs:
            yield from _taken(rows, place, record, metric)
        yield rows.batch()
    if metric:
        yield from run.declared(metric)


class Run:
    """What is told of a log by its name, and by the file of its run."""

    def __init__(self, log: Log, entry: Entry) -> None:
        """Raises Refused or Unreadable where the file is damaged, or tells no model."""
        self.path = log.path
        match = NAME.fullmatch(log.path)
        told: dict[str, Any] = {}
        if match:
            told = {"model": _model(match["above"]), "task": match["task"]}
            told["shots"] = int(match["shots"])
        self.key = _key(log.path)
        self.heads: list[Any] = []
        self.task: dict[str, Any] = {}
        for path in results(log.path, log.root):
            try:
                found = decoded(log.beside(path, entry.max_document), Results, path)
            except Error as error:
                raise Refused(str(error)) from error
            general = found.config_general
            model_config = object_in(general, "model_config")
            told["model"] = str(general.get("model_name") or told.get("model", ""))
            self.task = task_of(found.config_tasks, self.key)
            below = object_in(model_config, "generation_parameters")
            older = general.get("generation_parameters")
            self.heads = [below, older, model_config, general, self.task]
        self.shared = settings(entry, log.path, told, self.heads)

    def declared(self, metric: str) -> Iterator[Declared]:
        """How many problems were asked for, of how many."""
        asked, there = (
            printed_count(self.task.get(f"{name}_num_docs")) for name in ("effective", "original")
        )
        if asked is not None:
            part = None if there is None else (asked, there)
            yield Declared(self.shared | {"scorer": metric}, asked, part=part)


def _model(above: str) -> str:
    """The model that the folder of its details is named by, also on the Hub: `details_{model}`."""
    _, found, below = f"/{above}".rpartition("/details/")
    name = below.strip("/") if found else above.strip("/").rpartition("/")[2]
    return name.removeprefix("details_").replace("__", "/")


def _key(path: str) -> str:
    """What a task is called in the file of its run: `suite|task|shots`."""
    name = path.rsplit("/", 1)[-1].removeprefix("details_")
    return name.rpartition("_")[0]


def task_of(found: dict[str, Any], key: str) -> dict[str, Any]:
    """What is told of a task, under its name with the number of shots or without."""
    names = (key, key.rpartition("|")[0])
    return next((found[name] for name in names if isinstance(found.get(name), dict)), {})


def _metrics(record: Record) -> dict[str, Any]:
    """The metrics of a row.

    Raises:
        Error: there are none.
    """
    given = record.metric if record.metric is not None else record.metrics
    if isinstance(given, str):
        try:
            given = ast.literal_eval(NUMPY.sub(lambda m: m[1] or m[2], given))
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise Error(f"its metrics are no numbers: {excerpted(given)}") from error
    if not isinstance(given, dict):
        raise Error("the row has no metric: no details of lighteval")
    return given


def _names(records: Iterable[Record]) -> list[str]:
    """The metrics of rows."""
    names: dict[str, None] = {}
    for record in records:
        with suppress(Error):
            names |= dict.fromkeys(map(str, _metrics(record)))
    return sorted(names)


def _chosen(names: list[str], entry: Entry, run: Run) -> str:
    """The metric that is read, of those of a log; none where that has none."""
    if not names:
        return ""
    wanted = preferences.of_task(entry.metric, run.shared["task"])
    place = f"config.yaml: sources.{entry.name}.metric"
    return preferences.chosen(names, wanted, place, run.path)


def _taken(rows: Rows, place: Place, record: Record, metric: str) -> Iterator[Reject]:
    told = record.doc.id if record.doc else None
    name = str(told) if told not in (None, "") else str(place.line)
    of = {"sample_id": name, "epoch": 0}
    shown = {"doc": {"id": told}, "metric": record.metric or record.metrics}
    try:
        value = _metrics(record).get(metric)
        if value is not None and not isinstance(value, bool | int | float):
            raise Error(f"{metric}: {excerpted(value)} is not a number")
    except Error as error:
        yield rows.lost(place, str(error), shown, **of)
        return
    score = None if value is None else unit(value, [*rows.ends])
    yield from rows.take(place, {**of, "score": score}, shown)


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers of a log's task.

    Raises:
        Error: the file of the run is damaged or too large.
    """
    low, high = entry.range or (0.0, 1.0)
    for path in results(log.path, log.root):
        told = _results(content_beside(log, path, entry.max_document), path)
        found = task_of(told.results, _key(log.path))
        asked = printed_count(task_of(told.config_tasks, _key(log.path)).get("effective_num_docs"))
        for name, value in found.items():
            number = printed_number(value)
            yield Printed(
                file=path,
                name=name,
                value=number,
                scorer=name.removesuffix(STDERR),
                statistic="stderr" if name.endswith(STDERR) else "mean",
                problems=asked,
                low=low,
                high=high,
                why="" if number is not None else "it is not a number",
            )


@lru_cache(maxsize=2)
def _results(data: bytes, name: str) -> Results:
    return decoded(data, Results, name)  # type: ignore[no-any-return]
