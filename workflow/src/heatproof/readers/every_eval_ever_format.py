"""Every Eval Ever, instance-level rows: a line per sample, `{id}_samples.jsonl` or `{id}.jsonl`.

The evaluation as a whole is `{id}.json` beside it: hyper-parameters under generation_config, and
the metric of each result, which tells the rows of a sample apart that has several; and how many
rows there are. What that file says of scores is not read. Both may be packed (.gz, .zst). Versions
0.2 to 0.3.0 of the schema.

How many rows a log lacks, that file tells too:
`detailed_evaluation_results.total_rows` counts all rows that were written (`eval.schema.json`).
`num_samples` of a result is of no use: it says what an uncertainty was computed of, which need not
be rows (for logs of HELM the converter gives the train trials).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.logs.streams import Unreadable
from heatproof.readers.api import (
    Batch,
    Declared,
    Offer,
    Place,
    Reject,
    excerpt,
    printed_count,
    score_fault,
)
from heatproof.readers.documents import decoded, object_in
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.mapping import ROW
from heatproof.readers.params import Tuned, excerpted, lookup, typed, unit
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.config.roles import Type
    from heatproof.readers.api import Log


NEEDED = (b'"evaluation_id"', b'"model_id"', b'"evaluation_name"', b'"sample_id"', b'"evaluation"')


class Entry(Tuned, kw_only=True):
    """Keys of an `every_eval_ever` source."""

    score: Literal["score", "is_correct"] = "score"
    """Which of the two that the schema demands."""
    epoch: str | None = None
    """Place of the repetition's number in `metadata`, which the schema itself does not know; where
    `epoch` is there, it is that. `$row`: the number of the line; '': there are no repetitions."""
    answers: bool = False
    """Keep which samples have the same answer (`extracted_value` of the last `answer_attribution`),
    for a vote (maj@k)."""

    def columns(self) -> Columns:
        return replace(super().columns(), measures=["tokens", "time"], answers=self.answers)

    def keeping_answers(self) -> str:
        return "`answers: true`"

    def sidecars(self, path: str, root: Path) -> list[str]:
        return beside(path, root)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.endswith(tuple(".json" + end for end in PACKED))

    def repeated(self) -> str:
        return "" if self.epoch else f"`epoch: {ROW}`"


class Evaluation(msgspec.Struct):
    """The grade of a row; until version 0.2.1 of the schema the score may be true or false."""

    score: bool | float | None = None
    is_correct: bool | None = None


class Usage(msgspec.Struct):
    """Tokens of a row."""

    output_tokens: float | None = None


class Performance(msgspec.Struct):
    """Times of a row."""

    generation_time_ms: float | None = None
    latency_ms: float | None = None


class Record(msgspec.Struct, gc=False):
    """The places wanted of a row; in version 0.2.0 of the schema an id may be a number."""

    model_id: str
    evaluation_name: str
    sample_id: str | int
    evaluation: Evaluation
    evaluation_result_id: str | None = None
    error: str | None = None
    token_usage: Usage | None = None
    performance: Performance | None = None
    metadata: dict[str, Any] | None = None


class Answered(Record, gc=False):
    """The same with the answers that were taken out of it."""

    answer_attribution: list[Any] | None = None


DECODER, ANSWERED = msgspec.json.Decoder(Record), msgspec.json.Decoder(Answered)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    if ".jsonl" in path and all(name in first for name in NEEDED):
        return "its lines have evaluation_id, model_id, sample_id and evaluation"
    return ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of all its results, as the evaluation's own file tells them."""
    told = whole(log, entry.max_document)
    return Offer([place for places in told.settings.values() for place in places])


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; rows that ended in an error are refused."""
    try:
        told = whole(log, entry.max_document)
    except (Error, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    seen = Seen([*entry.wanted()])
    decoder = ANSWERED if entry.answers else DECODER
    for part in read_lines(log, decoder, as_records, {}):
        for one in _rows(part, entry, told) if isinstance(part, Batch) else (part,):
            seen.add(one)
            yield one
    yield from seen.declared(told.rows)


def _rows(batch: Batch, entry: Entry, told: Told) -> Iterator[Batch | Reject]:
    rows, places = [], []
    wanted = entry.wanted()
    for place, record in zip(batch.places, batch.columns["record"], strict=True):
        of: dict[str, Any] | None = None
        try:
            epoch = place.line if entry.epoch == ROW else _epoch(record, entry.epoch)
            of = {"epoch": epoch, **_sample(record, told, wanted)}
            answer = {"answer": _answer(record)} if entry.answers else {}
            rows.append({**of, "score": _score(record, entry), **answer})
            places.append(place)
        except Error as error:
            shown = {"sample_id": record.sample_id, "evaluation": record.evaluation}
            yield Reject(place, str(error), excerpt(msgspec.json.encode(shown)), of=of)
    names = rows[0] if rows else {}
    yield Batch({name: [row[name] for row in rows] for name in names}, places, {})


def _score(record: Record, entry: Entry) -> float | None:
    if record.error:
        raise Error(f"sample ended in an error: {excerpted(record.error)}")
    stored = getattr(record.evaluation, entry.score)
    score = None if stored is None else unit(stored, entry.range)
    if why := score_fault(score, *entry.range):
        raise Error(why)
    return score


def _answer(record: Answered) -> Any:
    """The answer that was taken out of a row last."""
    last = record.answer_attribution[-1] if record.answer_attribution else None
    return last.get("extracted_value") if isinstance(last, dict) else None


def _sample(record: Record, told: Told, wanted: Mapping[str, tuple[str, Type]]) -> dict[str, Any]:
    """What a row tells of its sample, but for the score."""
    metadata = record.metadata or {}
    result = record.evaluation_result_id or ""
    key = result if result in told.settings else record.evaluation_name
    if wanted and key in told.unclear:
        raise Error("the evaluation's own file tells several settings of this result")
    places = told.settings.get(key, [])
    return {
        "model": record.model_id,
        "task": record.evaluation_name,
        "sample_id": str(record.sample_id),
        "scorer": told.metrics.get(result, result),
        "tokens": record.token_usage.output_tokens if record.token_usage else None,
        "time": _seconds(record.performance),
        **lookup(wanted, [*places, metadata]),
    }


def _epoch(record: Record, name: str | None) -> int:
    """The repetition that a record is; `epoch` in its metadata is what converters write there."""
    metadata = record.metadata or {}
    if name == "" or (name is None and metadata.get("epoch") is None):
        return 0
    place = name or "epoch"
    if place not in metadata:
        raise Error(f"its metadata has no {place!r}")
    try:
        epoch: int = typed(metadata[place], "int", place)
    except Error as error:
        hint = f"`epoch: {ROW}` in config.yaml numbers repetitions that have names, '' takes none"
        raise Error(f"{error}; {hint}") from error
    return epoch


def _seconds(times: Performance | None) -> float | None:
    if times is None:
        return None
    known = [t for t in (times.generation_time_ms, times.latency_ms) if t is not None]
    return known[0] / 1000 if known else None


PACKED = ("", ".gz", ".zst")


class Told(NamedTuple):
    """What the evaluation as a whole says of its results, each known by its id or its name."""

    settings: dict[str, list[Any]]
    """Where hyper-parameters may lie."""
    metrics: dict[str, str]
    """What was measured: other than the id of a result, the same for all models."""
    unclear: set[str]
    """Ids and names of results that are told with other settings elsewhere."""
    rows: int | None = None
    """How many rows were written, where the file tells."""


def beside(path: str, root: Path) -> list[str]:
    """The file of the evaluation whose rows are at a path, if there is one."""
    folder, slash, name = path.rpartition("/")
    name = folder + slash + name.partition(".jsonl")[0].removesuffix("_samples") + ".json"
    return [name + end for end in PACKED if (root / (name + end)).is_file()][:1]


def whole(log: Log, limit: int) -> Told:
    """What the file says; nothing if there is none. Raises Error or Unreadable if it is damaged."""
    told, of = Told({}, {}, set()), dict[str, str]()
    rows = None
    for path in beside(log.path, log.root):
        data = log.beside(path, limit)
        found = decoded(data, dict[str, Any], path.rsplit("/", 1)[-1])
        rows = printed_count(object_in(found, "detailed_evaluation_results").get("total_rows"))
        results = found.get("evaluation_results")
        for result in results if isinstance(results, list) else []:
            if isinstance(result, dict):
                _add(told, result)
                of[str(result.get("evaluation_result_id"))] = str(result.get("evaluation_name"))
    several = Counter((of[number], name) for number, name in told.metrics.items())
    for number, name in told.metrics.items():
        if several[of[number], name] > 1 or number.endswith(f":{name}"):
            told.metrics[number] = number  # the metric alone would not tell it from another's
    return told._replace(rows=rows)


def _add(told: Told, result: dict[str, Any]) -> None:
    config, metric = (object_in(result, key) for key in ("generation_config", "metric_config"))
    places = [config.get("generation_args"), config.get("additional_details"), config]
    number = str(result.get("evaluation_result_id"))
    for key in (number, str(result.get("evaluation_name"))):
        if told.settings.setdefault(key, places) != places:
            told.unclear.add(key)
    if name := metric.get("metric_id") or metric.get("metric_name"):
        told.metrics[number] = str(name)


class Seen:
    """Rows of a log, as far as they are known."""

    def __init__(self, params: Sequence[str]) -> None:
        """`params`: hyper-parameters that the source asks for."""
        self._names = ("model", "task", "scorer", *params)
        self._runs: set[tuple[Any, ...]] = set()
        self._rows = 0

    def add(self, part: Batch | Reject) -> None:
        """Look at rows: a refused one is there if it says of which sample it is."""
        if isinstance(part, Batch) and part.places:
            columns = (part.columns[name] for name in self._names)
            self._runs.update(zip(*columns, strict=True))
            self._rows += len(part.places)
        elif isinstance(part, Reject) and part.of:
            self._runs.add(tuple(part.of[name] for name in self._names))
            self._rows += 1
        elif isinstance(part, Reject) and part.spoils:
            self._runs, self._rows = set(), 0

    def declared(self, rows: int | None) -> Iterator[Declared]:
        """What the log lacks of the `rows` that were written.

        Nothing where it holds several runs or metrics: it does not say whose rows they are.
        """
        if rows is not None and rows > self._rows and len(self._runs) == 1:
            (run,) = self._runs
            shared = dict(zip(self._names, run, strict=True))
            yield Declared(shared, lacking=rows - self._rows)
