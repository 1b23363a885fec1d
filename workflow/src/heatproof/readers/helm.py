"""HELM: `per_instance_stats.json`, its run in `run_spec.json` beside it.

An instance appears once for each train trial (its epoch here) and perturbation. Splits are a
column: HELM reports each by itself, and so must a figure (`where: {split: test}`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.logs.streams import Unreadable
from heatproof.readers import _helm_printed
from heatproof.readers._batch import Batch, Declared, Place, Reject, excerpt
from heatproof.readers._documents import document, document_fault, one, places
from heatproof.readers._helm_printed import declared, printed
from heatproof.readers._helm_run import beside, shared
from heatproof.readers._keys import Decoder
from heatproof.readers._lines import FAULTS
from heatproof.readers._params import Tuned, unit
from heatproof.readers._scores import fault
from heatproof.readers._typed import Int64  # noqa: TC001  msgspec reads it
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.config.roles import Type
    from heatproof.readers._log import Log

__all__ = ["Entry", "printed", "read", "recognises"]

NAME = "per_instance_stats.json"
OTHERS = {
    "run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "instances.json",
    "display_predictions.json", "display_requests.json",
}  # fmt: skip
"""What else HELM writes into the folder of a run."""


class Entry(Tuned, kw_only=True):
    """Keys of a `helm` source."""

    metric: str | None = None
    """Which statistic of an instance is the score: exact_match, quasi_exact_match, f1_score, …"""

    def columns(self) -> Columns:
        told = super().columns()
        params: dict[str, Type] = {"split": "str", "perturbation": "str"}
        return replace(told, params=params | told.params, measures=["tokens", "time"])

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] in OTHERS

    def sidecars(self, path: str, root: Path) -> list[str]:
        return [spec for spec in [beside(path)] if (root / spec).is_file()] + self.printed_in(
            path, root
        )

    def printed_in(self, path: str, root: Path) -> list[str]:
        return _helm_printed.files(path, root)


class Kind(msgspec.Struct):
    """What a statistic is of."""

    name: str
    split: str = ""


class Stat(msgspec.Struct):
    """A statistic over the outputs of an instance."""

    name: Kind
    count: float = 0
    sum: float | None = None


class Record(msgspec.Struct, gc=False):
    """An instance."""

    instance_id: int | str
    stats: list[Stat]
    train_trial_index: Int64 = 0
    perturbation: dict[str, Any] | None = None


DECODER = Decoder(msgspec.json.Decoder(Record))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    named = path.rsplit("/", 1)[-1] == NAME
    return f"it is a {NAME}" if named and head.lstrip()[:1] == b"[" else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log.

    Raises:
        Error: config.yaml names no metric, or one that no instance has.
    """
    data = b""
    try:
        told = shared(log, entry)
        yield from declared(log, entry, told)
        data = document(log, entry.max_document)
        raws = msgspec.json.decode(data, type=list[msgspec.Raw])
        if not raws:
            raise Error("the log holds no instances")
    except FAULTS as error:
        yield Reject(Place(1, 0, 0), document_fault(error, data))
        return
    except (Error, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    records: list[tuple[Place, Record]] = []
    for raw, place in zip(raws, places(data, raws), strict=True):
        record = bytes(memoryview(raw))
        try:
            records.append((place, one(DECODER, record)))
        except Error as error:
            yield Reject(place, str(error), excerpt(record))
    if records:
        metric = _metric(records, entry, log.path)
        yield from _rows(records, metric, told | {"scorer": metric}, entry)


def _metric(records: list[tuple[Place, Record]], entry: Entry, path: str) -> str:
    names = sorted({stat.name.name for _, record in records for stat in record.stats})
    place = f"config.yaml: sources.{entry.name}.metric"
    if entry.metric is None:
        raise Error(f"{place}: {path} has several, name one; {choices('', names)}")
    if entry.metric not in names:
        there = choices(entry.metric, names)
        raise Error(f"{place}: {entry.metric!r} is not a metric of {path}; {there}")
    return entry.metric


def _rows(
    records: list[tuple[Place, Record]], metric: str, shared: dict[str, Any], entry: Entry
) -> Iterator[Batch | Reject]:
    rows, found = [], []
    for place, record in records:
        try:
            rows.append(_row(record, metric, entry.range))
            found.append(place)
        except Error as error:
            told = {
                "instance_id": record.instance_id,
                "train_trial_index": record.train_trial_index,
            }
            of = shared | _sample(record)
            yield Reject(place, str(error), excerpt(msgspec.json.encode(told)), of=of)
    names = rows[0] if rows else {}
    yield Batch({name: [row[name] for row in rows] for name in names}, found, shared)


def _row(record: Record, metric: str, ends: list[float]) -> dict[str, Any]:
    stats = [stat for stat in record.stats if stat.name.name == metric]
    if len(stats) != 1:
        raise Error(f"the instance has {len(stats)} values of {metric!r}")
    value = _mean(stats[0])
    score = None if value is None else unit(value, ends)
    if why := fault(score, *ends):
        raise Error(why)
    others = {stat.name.name: stat for stat in record.stats}
    return {
        **_sample(record),
        "split": stats[0].name.split,
        "score": score,
        "tokens": _mean(others.get("num_output_tokens")),
        "time": _mean(others.get("inference_runtime")),
    }


def _sample(record: Record) -> dict[str, Any]:
    """What an instance tells of its sample, with or without a score."""
    return {
        "sample_id": str(record.instance_id),
        "epoch": record.train_trial_index,
        "split": next((stat.name.split for stat in record.stats), ""),
        "perturbation": str((record.perturbation or {}).get("name") or ""),
    }


def _mean(stat: Stat | None) -> float | None:
    """The mean over the outputs of an instance; HELM leaves it out where there are none."""
    if stat is None or stat.sum is None or not stat.count:
        return None
    return stat.sum / stat.count
