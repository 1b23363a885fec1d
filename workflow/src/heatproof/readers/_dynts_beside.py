"""What lies beside the logs of DynTS: statistics of each batch, and a file of metrics.

Statistics are joined to the samples by `info_id`. Metrics are computed from the samples and never
read as data; they are a second opinion on what was read.
"""

from __future__ import annotations

from math import fsum, isclose, isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.errors import Error
from heatproof.readers._documents import decoded, one
from heatproof.readers._keys import Decoder
from heatproof.readers._lines import FAULTS, reason
from heatproof.reading.streams import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.readers._log import Log

MEASURES = ["peak_kvcache", "decode_time", "memory"]
"""Of the batch that a sample was decoded in: cache entries at most, seconds, and memory at most
(in the log's unit)."""
LIMIT = 1 << 30
"""Bytes of a file at most: it is held in memory whole."""
ENDINGS = ("", ".gz", ".zst")
NOTHING = (None,) * len(MEASURES)
TWICE = "{path}: a sample stands in two batches; which it was decoded in is not known"
TOLERANCE = 1e-6
"""Percent that a stored metric may differ by: it went through text."""


class Group(msgspec.Struct):
    """A line of statistics: a batch of samples."""

    info_id: list[tuple[int | str, int]]
    peak_kvcache: float | None = None
    time_per_decode_step: list[float] = []
    kvmem_per_decode_step: list[float] = []

    def measures(self) -> tuple[float | None, ...]:
        """Values of `MEASURES`."""
        time, memory = self.time_per_decode_step, self.kvmem_per_decode_step
        found = (self.peak_kvcache, fsum(time) if time else None, max(memory, default=None))
        return tuple(v if v is None or isfinite(v) else None for v in found)


class Metrics(msgspec.Struct):
    """A line of metrics.jsonl, as far as it tells whose it is."""

    model_name: str
    data_name: str
    ratio: float | None = None
    kept_window: int | None = None
    prune_kvlength: int | None = None


def statistics(path: str, root: Path) -> str:
    """The statistics file of a log, `statistics/` beside `files/`; empty if there is none."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".jsonl")[0] + ".jsonl"
    above = folder.rpartition("/")[0]
    for ending in ENDINGS:
        found = "/".join(part for part in (above, "statistics", stem + ending) if part)
        if (root / found).is_file():
            return found
    return ""


def metrics(path: str, root: Path) -> str:
    """The metrics.jsonl of a log's run; empty if there is none."""
    above = path.rpartition("/")[0].rpartition("/")[0]
    found = f"{above}/metrics.jsonl" if above else "metrics.jsonl"
    return found if (root / found).is_file() else ""


def _lines(log: Log, path: str, kind: Any) -> Iterator[Any]:
    """The records of a file beside the log, with Error in the place of a bad one."""
    decoder = Decoder(msgspec.json.Decoder(kind))
    for number, line in enumerate(log.beside(path, LIMIT).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            line.decode()
            yield one(decoder, line), line
        except (Error, *FAULTS) as error:
            said = str(error) if isinstance(error, Error) else reason(error, line)
            yield Error(f"{path}:{number}: {said}"), line


def joined(log: Log) -> tuple[dict[tuple[str, int], tuple[float | None, ...]], list[str]]:
    """Measures by sample id and epoch; and what is wrong with the statistics of the log."""
    path = statistics(log.path, log.root)
    if not path:
        return {}, ["no statistics file beside the log: its measures are missing"]
    found: dict[tuple[str, int], tuple[float | None, ...]] = {}
    problems = []
    try:
        for group, _ in _lines(log, path, Group):
            if isinstance(group, Error):
                problems.append(str(group))
                continue
            values = group.measures()
            for question, answer in group.info_id:
                key = str(question), answer
                found[key] = values if key not in found else NOTHING
                problems += [] if found[key] is not NOTHING else [TWICE.format(path=path)]
    except Unreadable as error:
        problems.append(f"{path}: {error}")
    return found, problems


def disagreement(log: Log, shared: Mapping[str, Any], scores: list[float], epochs: int) -> str:
    """How metrics.jsonl disagrees with the mean of a run's scores; empty if it does not.

    The file is appended to at every run, so that a run may have several lines: one must agree.
    """
    path = metrics(log.path, log.root)
    if not path or not scores:
        return ""
    name, mine = f"avg@{epochs}", 100 * fsum(scores) / len(scores)
    told = [value for line, value in _told(log, path, name) if _same_run(line, shared)]
    if not told:
        return f"{path} has no {name} of this run"
    if any(isclose(value, mine, abs_tol=TOLERANCE) for value in told):
        return ""
    return f"{path} says {name} is {told[-1]:g} %, the {len(scores)} samples read give {mine:g} %"


def _told(log: Log, path: str, name: str) -> Iterator[tuple[Metrics, float]]:
    try:
        for record, line in _lines(log, path, Metrics):
            if isinstance(record, Metrics):
                value = decoded(line, dict[str, Any]).get(name)
                if isinstance(value, (int, float)):
                    yield record, float(value)
    except (Error, *FAULTS, OverflowError):
        return


def _same_run(line: Metrics, shared: Mapping[str, Any]) -> bool:
    settings = (line.ratio, line.kept_window, line.prune_kvlength)
    mine = (shared["ratio"], shared["local_window"], shared["prune_kvlength"])
    return (line.model_name, line.data_name, settings) == (shared["model"], shared["task"], mine)
