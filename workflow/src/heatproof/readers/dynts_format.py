"""DynTS: one JSON line per sample, the settings of the run in the file name.

`{model}_{task}_N{samples}-R{ratio}-KW{local window}-PKVL{pruned at}.jsonl`, also .gz or .zst;
`None` stands for a setting that the run did not have (Robin930/DynTS, arXiv 2601.18383).

Beside the logs may lie statistics of each batch, and a file of metrics. Statistics are joined to
the samples by `info_id`. Metrics are computed from the samples and never read as data; they are
compared with what was read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config.entries import Columns, Source
from heatproof.logs.streams import Unreadable
from heatproof.readers import api
from heatproof.readers.api import Batch, Declared, Place, Reject
from heatproof.readers.decoding import Decoder
from heatproof.readers.documents import decoded, one
from heatproof.readers.faults import FAULTS, reason
from heatproof.readers.lines import read_lines
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.readers.api import Log, Printed


NAME = re.compile(
    r"(?P<model_task>.+)_N(?P<samples>\d{1,9})-R(?P<ratio>None|\d+(?:\.\d*)?|\.\d+)"
    r"-KW(?P<local_window>None|\d{1,18})-PKVL(?P<prune_kvlength>None|\d{1,18})\.jsonl(\.gz|\.zst)?",
    re.ASCII,
)


class Entry(Source, kw_only=True):
    """Keys of a `dynts` source."""

    models: list[str] = []
    """Names of models that hold an underscore; without them the name ends at the first one."""
    statistics: bool = False
    """Join `statistics/` for the measures peak_kvcache, decode_time (s) and memory of the batch."""
    metrics: bool = True
    """Compare each run with its line of metrics.jsonl, where that is there: what
    `compare_printed` says for every format."""
    answers: bool = False
    """Keep which samples have the same answer (`pred_answer`), for a vote (maj@k)."""

    def columns(self) -> Columns:
        params = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
        further = MEASURES if self.statistics else []
        return Columns(params, ["tokens", *further], answers=self.answers)  # type: ignore[arg-type]

    def keeping_answers(self) -> str:
        return "`answers: true`"

    def from_path(self, path: str) -> dict[str, Any] | None:
        return settings(path.rsplit("/", 1)[-1], self.models)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] == "metrics.jsonl" or "statistics" in path.split("/")[-2:-1]

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = statistics(path, root) if self.statistics else ""
        return [found] if found else []

    def printed_in(self, path: str, root: Path) -> list[str]:
        found = metrics(path, root) if self.metrics else ""
        return [found] if found else []


class Record(msgspec.Struct, gc=False):
    """The fields wanted of a row."""

    question_id: int | str
    answer_id: int
    score: bool | float | None
    num_decode_tokens: int | None = None
    reconstructed: bool = False


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    named = NAME.fullmatch(path.rsplit("/", 1)[-1])
    told = b'"question_id"' in head and b'"answer_id"' in head
    return "its name tells N, R, KW and PKVL, its lines question_id" if named and told else ""


class Answered(Record, gc=False):
    """The same with the answer."""

    pred_answer: Any = None


class _Texts(dict[int | str, str]):
    """Ids as text: each is met in every log again."""

    def __missing__(self, number: int | str) -> str:
        if len(self) > 1 << 16:
            self.clear()
        text = self[number] = str(number)
        return text


TEXTS = _Texts()
DECODER, ANSWERED = msgspec.json.Decoder(Record), msgspec.json.Decoder(Answered)


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; the whole log is refused when its name does not tell the settings."""
    name = log.path.rsplit("/", 1)[-1]
    shared, match = settings(name, entry.models), NAME.fullmatch(name)
    if shared is None or match is None:
        reason = "the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl"
        yield Reject(Place(1, 0, 0), reason)
        return
    yield Declared(shared, epochs=int(match["samples"]))
    decoder, told = (ANSWERED, with_answers) if entry.answers else (DECODER, columns)
    parts = read_lines(log, decoder, told, shared)
    yield from _measured(parts, log) if entry.statistics else parts


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """What metrics.jsonl tells of a log."""
    name = log.path.rsplit("/", 1)[-1]
    match, shared = NAME.fullmatch(name), settings(name, entry.models)
    if entry.metrics and match and shared:
        yield from printed_metrics(log, shared, int(match["samples"]))


def _measured(parts: Iterator[Batch | Reject], log: Log) -> Iterator[Batch | Reject]:
    """The samples with the measures of the batch in which they were decoded."""
    found, problems = joined(log)
    yield from (Reject(Place(1, 0, 0), problem) for problem in problems)
    for part in parts:
        if isinstance(part, Batch):
            keys = zip(part.columns["sample_id"], part.columns["epoch"], strict=True)
            rows = [found.get(key, NOTHING) for key in keys]
            measured = {m: [row[at] for row in rows] for at, m in enumerate(MEASURES)}
            part.columns = {**part.columns, **measured}
        yield part


def settings(name: str, models: list[str]) -> dict[str, Any] | None:
    """Model, task and hyper-parameters that a file name tells; None if it is no such name.

    Tasks may hold underscores (GPQA_D) and so may models: the longest of `models` that fits
    wins, else the model ends at the first underscore.
    """
    match = NAME.fullmatch(name)
    if match is None:
        return None
    both = match["model_task"]
    known = [model for model in models if both.startswith(f"{model}_")]
    model = max(known, key=len) if known else both.split("_")[0]
    task = both[len(model) + 1 :]
    if not model or not task:
        return None
    return {
        "model": model,
        "task": task,
        "ratio": _number(match["ratio"], float),
        "local_window": _number(match["local_window"], int),
        "prune_kvlength": _number(match["prune_kvlength"], int),
    }


def _number(text: str, kind: type[float | int]) -> float | int | None:
    return None if text == "None" else kind(text)


def columns(records: Sequence[Record]) -> dict[str, list[Any]]:
    """Columns of the samples table that the rows themselves tell."""
    made = [r.reconstructed for r in records]
    found: dict[str, list[Any]] = {
        "sample_id": [TEXTS[r.question_id] for r in records],
        "epoch": [r.answer_id for r in records],
        "score": [r.score for r in records],
        "tokens": [r.num_decode_tokens for r in records],
    }
    return found | {"reconstructed": made} if True in made else found


def with_answers(records: Sequence[Answered]) -> dict[str, list[Any]]:
    """The same with the answers."""
    return columns(records) | {"answer": [r.pred_answer for r in records]}


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


def printed_metrics(log: Log, shared: Mapping[str, Any], epochs: int) -> Iterator[api.Printed]:
    """What metrics.jsonl tells of a log: the mean of all its samples, and pass@k of all epochs.

    The file is appended to at every run, so that a run may have several lines: one must agree.

    Raises:
        Error: the file is damaged or too large.
    """
    path = metrics(log.path, log.root)
    if not path:
        return
    lines = _told(api.content_beside(log, path, LIMIT))
    mine = lines.get(tuple(shared[name] for name in ("model", "task", *SETTINGS)), [])
    for name, over in ((f"avg@{epochs}", "all"), (f"pass@{epochs}", f"pass_at_{epochs}")):
        found = [
            value for line in mine if (value := api.printed_number(line.get(name))) is not None
        ]
        if found or over == "all":
            yield api.Printed(
                file=path,
                name=name,
                value=found[-1] if found else None,
                earlier=found[:-1],
                over=over,
                problems=api.printed_count(mine[-1].get("num_questions")) if mine else None,
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
