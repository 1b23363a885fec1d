"""lighteval: details, `details/{model}/{date}/details_{task}|{shots}_{date}.parquet`.

Older releases put a suite in front of the task (`suite|task|shots`). A row is a problem: `doc.id`
and the struct `metric` (`logging/info_loggers.py`); until v0.9 `metrics` without an id, so that the
number of the row is the problem's (`logging/evaluation_tracker.py`).
The run is `results/{model}/results_{date}.json`, or `results_{date}.json` above the folder of the
date: hyper-parameters in `config_general`, numbers of problems in `config_tasks`. Printed: its
`results`, mostly means over problems, and `…_stderr`.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count
from heatproof.formats.decoding import object_in
from heatproof.formats.harness import Preference  # noqa: TC001  msgspec looks it up
from heatproof.formats.params import excerpted
from heatproof.util.errors import Error

NAME = re.compile(
    r"(?P<above>(?:.*/)?)(?P<date>[^/]+)/details_(?:[^|/]+\|)?(?P<task>[^|/]+)\|(?P<shots>\d{1,9})"
    r"(?:\|\d+)?_[^/]*\.parquet"
)
FORM = "{model}/{date}/details_{task}|{shots}_{date}.parquet"
STDERR = "_stderr"
FIRST = 512  # records among whose metrics one is chosen


class Entry(harness.Placed, kw_only=True):
    """Keys of a `lighteval` source."""

    metric: Preference | None = None
    """Which metric is the score, if a task has several: a name, a list in order of preference, or
    either by task."""
    own: ClassVar[dict[str, Any]] = {"shots": "int"}
    prefers: ClassVar[tuple[str, ...]] = ("metric",)
    others: ClassVar[str] = r"(?:.*/)?results_[^/]*\.(json|parquet)"
    prints: ClassVar[str] = "sidecar"

    def settings_files(self, path: str) -> list[str]:
        match = NAME.fullmatch(path)
        if match is None:
            return []
        name = f"results_{match['date']}.json"
        files = [match["above"] + name]
        parent, folder, rest = match["above"].rpartition("details/")
        if folder:
            files.insert(0, f"{parent}results/{rest}{name}")
        return files


class Doc(msgspec.Struct, gc=False):
    id: str | int | None = None


class Row(msgspec.Struct, gc=False):
    doc: Doc | None = None
    metric: Any = None
    metrics: Any = None


class Results(msgspec.Struct):
    """The file of a run."""

    config_general: dict[str, Any] = {}
    config_tasks: dict[str, Any] = {}
    results: dict[str, Any] = {}


recognises = harness.sign(
    f"it is named {FORM} and has metrics", NAME.pattern, b'"metrics?"', line=True
)


class Reader(harness.Reader):
    """A record is a row, and a problem."""

    metric = ""

    def begin(self) -> None:
        match = NAME.fullmatch(self.path)
        columns = dict[str, Any]()
        heads = []
        self.task: dict[str, Any] = {}
        if match:
            _, folder, folders = f"/{match['above']}".rpartition("/details/")
            if folder:
                name = folders.strip("/")
            else:
                name = match["above"].strip("/").rpartition("/")[2]
            model = name.removeprefix("details_").replace("__", "/")  # on the Hub: details_{model}
            columns = {"model": model, "task": match["task"], "shots": int(match["shots"])}
        for path in self.entry.sidecars(self.path, self.log.root):
            run = self.beside(path, Results)
            general = run.config_general
            config = object_in(general, "model_config")
            columns["model"] = str(general.get("model_name") or columns.get("model", ""))
            self.task = self._task_in(run.config_tasks)
            newer, older = (block.get("generation_parameters") for block in (config, general))
            heads = [newer, older, config, general, self.task]
        self.settle(columns, heads)

    def _task_in(self, tasks: dict[str, Any]) -> dict[str, Any]:
        """The log's task in the file of a run, by its name with the shots or without."""
        key = self.path.rsplit("/", 1)[-1].removeprefix("details_").rpartition("_")[0]
        return object_in(tasks, key) or object_in(tasks, key.rpartition("|")[0])

    def records(self) -> harness.Records:
        records = self.lines(Row)
        first = list(islice(records, FIRST))
        names: set[str] = set()
        for record in first:
            if isinstance(record, harness.Record):
                metrics = _metrics(record.value)
            else:
                metrics = None
            if isinstance(metrics, dict):
                names.update(map(str, metrics))
        if names:
            self.metric = self.shared["scorer"] = self.choose("metric", sorted(names))
        return chain(first, records)

    def samples(self, record: harness.Record) -> harness.Rows:
        if record.value.doc:
            number = record.value.doc.id
        else:
            number = None
        yield {"sample_id": str(record.place.line if number in (None, "") else number), "epoch": 0}

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        metrics = _metrics(record.value)
        if metrics is None:
            raise Error("the row has no metric: these are not details of lighteval", "missing")
        if not isinstance(metrics, dict):
            raise Error(f"its metrics are not numbers: {excerpted(metrics)}; since v0.9 lighteval "
                        "writes them as such", "type")  # fmt: skip
        return metrics.get(self.metric)

    def ended(self) -> harness.Sizes:
        size, available = (printed_count(self.task.get(f"{name}_num_docs"))
                        for name in ("effective", "original"))  # fmt: skip
        if self.metric and size is not None:
            yield harness.Declared(
                self.shared, size, part=None if available is None else (size, available)
            )

    def printed_numbers(self) -> harness.Numbers:
        for path in self.entry.printed_in(self.path, self.log.root):
            run = self.beside(path, Results)
            size = printed_count(self._task_in(run.config_tasks).get("effective_num_docs"))
            for name, value in self._task_in(run.results).items():
                yield self.number(
                    name, value, file=path, scorer=name.removesuffix(STDERR), problems=size,
                    statistic="stderr" if name.endswith(STDERR) else "mean",
                )  # fmt: skip


def _metrics(row: Row) -> Any:
    if row.metric is None:
        return row.metrics
    return row.metric


read = Reader.read
printed = Reader.printed
offer = Reader.offer
