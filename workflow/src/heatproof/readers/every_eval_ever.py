"""Every Eval Ever, instance-level rows: a line per sample, `{id}_samples.jsonl` or `{id}.jsonl`.

Hyper-parameters are in `{id}.json` beside it, the evaluation as a whole, under generation_config;
what that file says of scores is not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.config import Columns
from heatproof.errors import Error
from heatproof.readers._batch import Batch, Log, Place, Reject, excerpt, fault
from heatproof.readers._documents import decoded
from heatproof.readers._lines import as_records, read_lines
from heatproof.readers._params import Tuned, excerpted, lookup, typed, unit
from heatproof.reading.streams import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NEEDED = (b'"evaluation_id"', b'"model_id"', b'"evaluation_name"', b'"sample_id"', b'"evaluation"')


class Entry(Tuned, kw_only=True):
    """Keys of an `every_eval_ever` source."""

    score: Literal["score", "is_correct"] = "score"
    """Which of the two that the schema demands."""
    epoch: str | None = None
    """Place of the repetition's number in `metadata`, which the schema itself does not know."""

    def columns(self) -> Columns:
        return Columns(super().columns().params, ["tokens", "time"])

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = _whole(path)
        return [found] if self.params and (root / found).is_file() else []


class Evaluation(msgspec.Struct):
    """The grade of a row."""

    score: float | None = None
    is_correct: bool | None = None


class Usage(msgspec.Struct):
    """Tokens of a row."""

    output_tokens: float | None = None


class Performance(msgspec.Struct):
    """Times of a row."""

    generation_time_ms: float | None = None
    latency_ms: float | None = None


class Record(msgspec.Struct, gc=False):
    """The places wanted of a row."""

    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: Evaluation
    error: str | None = None
    token_usage: Usage | None = None
    performance: Performance | None = None
    metadata: dict[str, Any] | None = None


DECODER = msgspec.json.Decoder(Record)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    if ".jsonl" in path and all(name in first for name in NEEDED):
        return "its lines have evaluation_id, model_id, sample_id and evaluation"
    return ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log; rows that ended in an error are refused."""
    try:
        settings = _settings(log, entry)
    except (Error, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    for part in read_lines(log, DECODER, as_records, {}):
        yield from _rows(part, entry, settings) if isinstance(part, Batch) else (part,)


def _whole(path: str) -> str:
    """The file of the evaluation as a whole."""
    return path.partition(".jsonl")[0].removesuffix("_samples") + ".json"


def _settings(log: Log, entry: Entry) -> dict[str, list[Any]]:
    """Evaluation name → where its hyper-parameters may lie."""
    if not entry.sidecars(log.path, log.root):
        return {}
    path = _whole(log.path)
    data = log.beside(path, entry.max_document)
    told = decoded(data, dict[str, Any], path.rsplit("/", 1)[-1])
    results = told.get("evaluation_results")
    found: dict[str, list[Any]] = {}
    for result in results if isinstance(results, list) else []:
        config = result.get("generation_config") if isinstance(result, dict) else None
        if isinstance(config, dict):
            places = [config.get("generation_args"), config.get("additional_details"), config]
            found.setdefault(str(result.get("evaluation_name")), places)
    return found


def _rows(batch: Batch, entry: Entry, settings: dict[str, list[Any]]) -> Iterator[Batch | Reject]:
    rows, places = [], []
    for place, record in zip(batch.places, batch.columns["record"], strict=True):
        try:
            rows.append(_row(record, entry, settings))
            places.append(place)
        except Error as error:
            told = {"sample_id": record.sample_id, "evaluation": record.evaluation}
            yield Reject(place, str(error), excerpt(msgspec.json.encode(told)))
    names = rows[0] if rows else {}
    yield Batch({name: [row[name] for row in rows] for name in names}, places, {})


def _row(record: Record, entry: Entry, settings: dict[str, list[Any]]) -> dict[str, Any]:
    if record.error:
        raise Error(f"sample ended in an error: {excerpted(record.error)}")
    stored = getattr(record.evaluation, entry.score)
    score = None if stored is None else unit(float(stored), entry.range)
    if why := fault(score):
        raise Error(why)
    metadata = record.metadata or {}
    places = [*settings.get(record.evaluation_name, []), metadata]
    return {
        "model": record.model_id,
        "task": record.evaluation_name,
        "sample_id": record.sample_id,
        "epoch": _epoch(metadata, entry.epoch),
        "score": score,
        "tokens": record.token_usage.output_tokens if record.token_usage else None,
        "time": _seconds(record.performance),
        **lookup(entry.params, places),
    }


def _epoch(metadata: dict[str, Any], name: str | None) -> int:
    if name is None:
        return 0
    if name not in metadata:
        raise Error(f"its metadata has no {name!r}")
    epoch: int = typed(metadata[name], "int", name)
    return epoch


def _seconds(times: Performance | None) -> float | None:
    if times is None:
        return None
    known = [t for t in (times.generation_time_ms, times.latency_ms) if t is not None]
    return known[0] / 1000 if known else None
