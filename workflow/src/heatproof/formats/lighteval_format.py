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
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import Declared, Reject, printed_count
from heatproof.formats.documents import object_in
from heatproof.formats.params import excerpted
from heatproof.formats.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.formats.api import Log, Offer, Printed

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
LOOKED = 512
"""Records whose metrics are looked at where one is to be chosen."""


class Entry(harness.Placed, kw_only=True):
    """Keys of a `lighteval` source."""

    metric: Preference | None = None
    """Which metric is the score, where a task has several: a name, a list in the order of
    preference, or either by task."""
    own: ClassVar[dict[str, Any]] = {"shots": "int"}
    prefers: ClassVar[tuple[str, ...]] = ("metric",)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return bool(RESULTS.fullmatch(path))

    def sidecars(self, path: str, root: Path) -> list[str]:
        match = NAME.fullmatch(path)
        if match is None:
            return []
        name = f"results_{match['date']}.json"
        above, found, below = match["above"].rpartition("details/")
        files = [f"{above}results/{below}{name}"] * bool(found) + [match["above"] + name]
        return [file for file in files if (root / file).is_file()][:1]

    printed_in = sidecars


class Doc(msgspec.Struct, gc=False):
    """A problem."""

    id: str | int | None = None


class Row(msgspec.Struct, gc=False):
    """A row of the details."""

    doc: Doc | None = None
    metric: Any = None
    metrics: Any = None


class Results(msgspec.Struct):
    """The places wanted of the file of a run."""

    config_general: dict[str, Any] = {}
    config_tasks: dict[str, Any] = {}
    results: dict[str, Any] = {}


ROW = msgspec.json.Decoder(Row)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = b'"metric"' in first or b'"metrics"' in first
    return f"it is named {FORM} and has metrics" if NAME.fullmatch(path) and told else ""


class Reader(harness.Reader):
    """A record is a row, and a problem."""

    metric = ""

    def begin(self) -> None:
        match, told, heads = NAME.fullmatch(self.path), {}, []
        self.task: dict[str, Any] = {}
        if match:
            told = {"model": _model(match["above"]), "task": match["task"]}
            told["shots"] = int(match["shots"])
        for path in self.entry.sidecars(self.path, self.log.root):
            found = self.beside(path, Results)
            general = found.config_general
            config = object_in(general, "model_config")
            told["model"] = str(general.get("model_name") or told.get("model", ""))
            self.task = _of_task(found.config_tasks, self.path)
            below, older = (one.get("generation_parameters") for one in (config, general))
            heads = [below, older, config, general, self.task]
        self.settle(told, heads)

    def records(self) -> Iterator[harness.Record | Reject]:
        records = self.lines(ROW)
        first = [*islice(records, LOOKED)]
        if names := metrics_of(first):
            self.metric = self.shared["scorer"] = self.choose("metric", names)
        return chain(first, records)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        told = record.value.doc.id if record.value.doc else None
        yield {"sample_id": str(record.place.line if told in (None, "") else told), "epoch": 0}

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        return _metrics(record.value).get(self.metric)

    def show(self, record: harness.Record, row: Any) -> object:
        one = record.value
        return {"doc": {"id": one.doc.id if one.doc else None}, "metric": one.metric or one.metrics}

    def ended(self) -> Iterator[Declared]:
        asked, there = (printed_count(self.task.get(f"{name}_num_docs"))
                        for name in ("effective", "original"))  # fmt: skip
        if self.metric and asked is not None:
            yield Declared(self.shared, asked, part=None if there is None else (asked, there))

    def printed_numbers(self) -> Iterator[Printed]:
        for path in self.entry.printed_in(self.path, self.log.root):
            told = self.told_beside(path, Results)
            asked = _of_task(told.config_tasks, self.path).get("effective_num_docs")
            for name, value in _of_task(told.results, self.path).items():
                yield self.number(
                    name, value, file=path, scorer=name.removesuffix(STDERR),
                    statistic="stderr" if name.endswith(STDERR) else "mean",
                    problems=printed_count(asked),
                )  # fmt: skip


def _model(above: str) -> str:
    """The model that the folder of its details is named by, also on the Hub: `details_{model}`."""
    _, found, below = f"/{above}".rpartition("/details/")
    name = below.strip("/") if found else above.strip("/").rpartition("/")[2]
    return name.removeprefix("details_").replace("__", "/")


def _of_task(found: dict[str, Any], path: str) -> dict[str, Any]:
    """What the file of a run tells of a log's task, under its name with the shots or without."""
    key = path.rsplit("/", 1)[-1].removeprefix("details_").rpartition("_")[0]
    names = (key, key.rpartition("|")[0])
    return next((found[name] for name in names if isinstance(found.get(name), dict)), {})


def _metrics(row: Row) -> dict[str, Any]:
    """The metrics of a row. Raises Error: there are none."""
    given = row.metric if row.metric is not None else row.metrics
    if isinstance(given, str):
        try:
            given = ast.literal_eval(NUMPY.sub(lambda m: m[1] or m[2], given))
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise Error(f"its metrics are no numbers: {excerpted(given)}", "type") from error
    if not isinstance(given, dict):
        raise Error("the row has no metric: no details of lighteval", "missing")
    return given


def metrics_of(records: Iterable[harness.Record | Reject]) -> list[str]:
    """The metrics that some rows have."""
    names: set[str] = set()
    for record in records:
        with suppress(Error):
            names |= (
                {*map(str, _metrics(record.value))} if isinstance(record, harness.Record) else set()
            )
    return sorted(names)


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and the metrics of its rows."""
    reader = Reader(log, entry)
    reader.begin()
    return harness.offer_of(reader.heads, metric=metrics_of(islice(reader.lines(ROW), LOOKED)))


read, printed = Reader.read, Reader.printed
