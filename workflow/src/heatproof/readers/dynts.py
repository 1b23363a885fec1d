"""DynTS: one JSON line per sample, the settings of the run in the file name.

`{model}_{task}_N{samples}-R{ratio}-KW{local window}-PKVL{pruned at}.jsonl`, also .gz or .zst;
`None` stands for a setting that the run did not have (Robin930/DynTS, arXiv 2601.18383).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config.entries import Columns, Source
from heatproof.readers import _dynts_beside as beside
from heatproof.readers._batch import Batch, Declared, Place, Reject
from heatproof.readers._lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.readers._log import Log
    from heatproof.readers._printed import Printed

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

    def columns(self) -> Columns:
        params = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
        further = beside.MEASURES if self.statistics else []
        return Columns(params, ["tokens", *further])  # type: ignore[arg-type]

    def told(self, path: str) -> dict[str, Any] | None:
        return settings(path.rsplit("/", 1)[-1], self.models)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] == "metrics.jsonl" or "statistics" in path.split("/")[-2:-1]

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = beside.statistics(path, root) if self.statistics else ""
        return [found] if found else []

    def printed_in(self, path: str, root: Path) -> list[str]:
        found = beside.metrics(path, root) if self.metrics else ""
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


class _Texts(dict[int | str, str]):
    """Ids as text: each is met in every log again."""

    def __missing__(self, number: int | str) -> str:
        if len(self) > 1 << 16:
            self.clear()
        text = self[number] = str(number)
        return text


TEXTS = _Texts()
DECODER = msgspec.json.Decoder(Record)


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; the whole log is refused when its name does not tell the settings."""
    name = log.path.rsplit("/", 1)[-1]
    shared, match = settings(name, entry.models), NAME.fullmatch(name)
    if shared is None or match is None:
        reason = "the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl"
        yield Reject(Place(1, 0, 0), reason)
        return
    yield Declared(shared, epochs=int(match["samples"]))
    parts = read_lines(log, DECODER, columns, shared)
    yield from _measured(parts, log) if entry.statistics else parts


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """What metrics.jsonl tells of a log."""
    name = log.path.rsplit("/", 1)[-1]
    match, shared = NAME.fullmatch(name), settings(name, entry.models)
    if entry.metrics and match and shared:
        yield from beside.printed(log, shared, int(match["samples"]))


def _measured(parts: Iterator[Batch | Reject], log: Log) -> Iterator[Batch | Reject]:
    """The samples with the measures of the batch in which they were decoded."""
    found, problems = beside.joined(log)
    yield from (Reject(Place(1, 0, 0), problem) for problem in problems)
    for part in parts:
        if isinstance(part, Batch):
            keys = zip(part.columns["sample_id"], part.columns["epoch"], strict=True)
            rows = [found.get(key, beside.NOTHING) for key in keys]
            measured = {m: [row[at] for row in rows] for at, m in enumerate(beside.MEASURES)}
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
