"""What lies beside the logs of DynTS: statistics of each batch, and a file of metrics.

Statistics are joined to the samples by `info_id`. Metrics are computed from the samples and never
read as data; they are compared with what was read.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.logs.streams import Unreadable
from heatproof.readers import _printed
from heatproof.readers._documents import decoded, one
from heatproof.readers._keys import Decoder
from heatproof.readers._lines import FAULTS, reason
from heatproof.util.errors import Error

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
DECIMALS = 6
"""Digits behind the point of a percentage: it went through text."""
SETTINGS = ("ratio", "local_window", "prune_kvlength")


class Group(msgspec.Struct):
    """A line of statistics: a batch of samples."""

    info_id: list[tuple[int | str, int]]
    peak_kvcache: float | None = None
    time_per_decode_step: list[float] = []
    kvmem_per_decode_step: list[float] = []

    def measures(self) -> tuple[float | None, ...]:
        """Values of `MEASURES`."""
        time, memory = self.time_per_decode_step, self.kvmem_per_decode_step
        try:
            seconds = fsum(time) if time else None
        except OverflowError:
            seconds = None
        return self.peak_kvcache, seconds, max(memory, default=None)


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


def printed(log: Log, shared: Mapping[str, Any], epochs: int) -> Iterator[_printed.Printed]:
    """What metrics.jsonl tells of a log: the mean of all its samples, and pass@k of all epochs.

    The file is appended to at every run, so that a run may have several lines: one must agree.

    Raises:
        Error: the file is damaged or too large.
    """
    path = metrics(log.path, log.root)
    if not path:
        return
    lines = _told(_printed.beside(log, path, LIMIT))
    mine = lines.get(tuple(shared[name] for name in ("model", "task", *SETTINGS)), [])
    for name, over in ((f"avg@{epochs}", "all"), (f"pass@{epochs}", f"pass_at_{epochs}")):
        found = [value for line in mine if (value := _printed.number(line.get(name))) is not None]
        if found or over == "all":
            yield _printed.Printed(
                file=path,
                name=name,
                value=found[-1] if found else None,
                earlier=found[:-1],
                over=over,
                problems=_printed.count(mine[-1].get("num_questions")) if mine else None,
                high=100,
                decimals=DECIMALS,
                why="" if found else f"no line of this run has {name}",
            )


@lru_cache(maxsize=2)
def _told(data: bytes) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Whose a line is → what it tells, of the lines that can be read."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in data.split(b"\n"):
        with suppress(Error, *FAULTS):
            told = decoded(line, dict[str, Any])
            whose = msgspec.structs.astuple(msgspec.convert(told, Metrics))
            found.setdefault(whose, []).append(told)
    return found
