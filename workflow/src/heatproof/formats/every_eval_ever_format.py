"""Every Eval Ever, instance-level rows: a line per sample, `{id}_samples.jsonl` or `{id}.jsonl`.

The evaluation as a whole is `{id}.json` beside it: hyper-parameters (`generation_config`), the
metric of each result, and the number of rows (`detailed_evaluation_results.total_rows`; the
`num_samples` of a result may count something else). Its scores are not read. Both files may be
packed (.gz, .zst). Versions 0.2 to 0.3.0 of the schema (`eval.schema.json`).
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count
from heatproof.formats.decoding import object_in, objects_in
from heatproof.formats.params import excerpted, lookup, typed
from heatproof.formats.places import ROW
from heatproof.util.errors import Error


class Entry(harness.Harness, kw_only=True):
    """Keys of an `every_eval_ever` source."""

    score: Literal["score", "is_correct"] = "score"
    """Which of the two scores of the schema counts."""
    epoch: str | None = None
    """Place of the repetition's number in `metadata`; by default `epoch`, if it is there. `$row` is
    the number of the line; '' means no repetitions."""
    answers: bool = False
    """Keep which samples have the same answer (`extracted_value` of the last `answer_attribution`),
    for a vote (maj@k)."""
    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")

    others: ClassVar[str] = r".*\.json(?:\.gz|\.zst)?"

    def settings_files(self, path: str) -> list[str]:
        folder, slash, name = path.rpartition("/")
        name = folder + slash + name.partition(".jsonl")[0].removesuffix("_samples") + ".json"
        return [name, f"{name}.gz", f"{name}.zst"]

    def repeated(self) -> str:
        return "" if self.epoch else f"`epoch: {ROW}`"


class Evaluation(msgspec.Struct):
    """Until version 0.2.1 of the schema the score may be true or false."""

    score: bool | float | None = None
    is_correct: bool | None = None


class Usage(msgspec.Struct):
    output_tokens: float | None = None


class Performance(msgspec.Struct):
    generation_time_ms: float | None = None
    latency_ms: float | None = None


class Row(msgspec.Struct, gc=False):
    """In version 0.2.0 of the schema an id may be a number."""

    model_id: str
    evaluation_name: str
    sample_id: str | int
    evaluation: Evaluation
    evaluation_result_id: str | None = None
    error: str | None = None
    token_usage: Usage | None = None
    performance: Performance | None = None
    metadata: dict[str, Any] | None = None
    answer_attribution: Any = None


recognises = harness.sign(
    "its lines have evaluation_id, model_id, sample_id and evaluation", r".*\.jsonl",
    b'"evaluation_id"', b'"model_id"', b'"evaluation_name"', b'"sample_id"', b'"evaluation"',
    line=True,
)  # fmt: skip


class Reader(harness.Reader):
    """A line is a sample."""

    def begin(self) -> None:
        self.lookups = self.entry.lookups()
        self.names = ("model", "task", "scorer", *self.lookups)
        self.runs = set[Any]()
        self.count = 0
        self.places: dict[str, list[Any]] = {}
        self.unclear = set[str]()
        self.size = None
        metrics: dict[str, tuple[str, str]] = {}
        for path in self.entry.sidecars(self.path, self.log.root):
            document = self.beside(path, dict[str, Any])
            details = object_in(document, "detailed_evaluation_results")
            self.size = printed_count(details.get("total_rows"))
            for result in objects_in(document, "evaluation_results"):
                config, metric = (
                    object_in(result, f"{n}_config") for n in ("generation", "metric")
                )
                places = [config.get("generation_args"), config.get("additional_details"), config]
                number, name = (str(result.get(f"evaluation_{k}")) for k in ("result_id", "name"))
                for key in (number, name):
                    if self.places.setdefault(key, places) != places:
                        self.unclear.add(key)
                if title := metric.get("metric_id") or metric.get("metric_name"):
                    metrics[number] = (name, str(title))
        counts = Counter(metrics.values())
        self.metrics = {}
        for number, metric_names in metrics.items():
            _, title = metric_names
            is_ambiguous = counts[metric_names] > 1 or number.endswith(f":{title}")
            if is_ambiguous:
                self.metrics[number] = number
            else:
                self.metrics[number] = title
        self.offered.settings = list(chain.from_iterable(self.places.values()))

    def records(self) -> harness.Records:
        for record in self.lines(Row):
            if isinstance(record, harness.Reject) and record.spoils:
                self.runs = set()
                self.count = 0
            yield record

    def samples(self, record: harness.Record) -> harness.Rows:
        line: Row = record.value
        metadata = line.metadata or {}
        result = line.evaluation_result_id or ""
        if result in self.places:
            key = result
        else:
            key = line.evaluation_name
        if self.lookups and key in self.unclear:
            raise Error("the file of the evaluation gives several settings for this result")
        times = line.performance or Performance()
        usage = line.token_usage or Usage()
        if times.generation_time_ms is None:
            time = times.latency_ms
        else:
            time = times.generation_time_ms
        row = {
            "epoch": record.place.line if self.entry.epoch == ROW else self.epoch(metadata),
            "model": line.model_id, "task": line.evaluation_name, "sample_id": str(line.sample_id),
            "scorer": self.metrics.get(result, result), "tokens": usage.output_tokens,
            "time": None if time is None else time / 1000,
            **lookup(self.lookups, self.places.get(key, []) + [metadata]),
        }  # fmt: skip
        if self.entry.answers:
            answers = line.answer_attribution
            row["answer"] = None
            if isinstance(answers, list) and answers and isinstance(answers[-1], dict):
                row["answer"] = answers[-1].get("extracted_value")
        self.runs.add(tuple(row[name] for name in self.names))
        self.count += 1
        yield row

    def epoch(self, metadata: dict[str, Any]) -> int:
        """The repetition; converters write it to `epoch` in the metadata."""
        name = self.entry.epoch
        if name == "" or (name is None and metadata.get("epoch") is None):
            return 0
        place = name or "epoch"
        if place not in metadata:
            raise Error(f"its metadata has no {place!r}", "missing")
        try:
            return typed(metadata[place], "int", place)  # type: ignore[no-any-return]
        except Error as error:
            hint = f"write `epoch: {ROW}` to number repetitions by line, '' if there are none"
            raise Error(f"{error}; {hint}", error.kind, error.field) from error

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        if record.value.error:
            raise Error(f"sample ended in an error: {excerpted(record.value.error)}", "absent")
        return getattr(record.value.evaluation, self.entry.score)

    def ended(self) -> harness.Sizes:
        """Missing rows; if the log has several runs, nobody knows whose they are."""
        if self.size is not None and self.size > self.count and len(self.runs) == 1:
            [run] = self.runs
            settings = dict(zip(self.names, run, strict=True))
            yield harness.Declared(settings, lacking=self.size - self.count)


read = Reader.read
offer = Reader.offer
