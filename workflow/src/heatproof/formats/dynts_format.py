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
from heatproof.formats import harness
from heatproof.formats.api import (
    Declared,
    Place,
    Printed,
    Reject,
    content_beside,
    printed_count,
    printed_number,
)  # fmt: skip
from heatproof.formats.decoding import Decoder
from heatproof.formats.documents import decoded, one
from heatproof.formats.faults import FAULTS, reason
from heatproof.formats.lines import read_lines
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = re.compile(
    r"(?P<model_task>.+)_N(?P<samples>\d{1,9})-R(?P<ratio>None|\d+(?:\.\d*)?|\.\d+)"
    r"-KW(?P<local_window>None|\d{1,18})-PKVL(?P<prune_kvlength>None|\d{1,18})\.jsonl(\.gz|\.zst)?",
    re.ASCII,
)
SETTINGS = {"ratio": float, "local_window": int, "prune_kvlength": int}
MEASURES = ("peak_kvcache", "decode_time", "memory")
"""Of the batch that a sample was decoded in: cache entries at most, seconds, and memory at most
(in the log's unit)."""
NOTHING = (None,) * len(MEASURES)
ENDINGS = ("", ".gz", ".zst")
LIMIT = 1 << 30
"""Bytes of a file beside a log at most: it is held in memory whole."""
DECIMALS = 6
"""Digits behind the point of a percentage: it went through text."""


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

    range = ()

    def columns(self) -> Columns:
        params = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
        further = MEASURES if self.statistics else ()
        return Columns(params, ["tokens", *further], answers=self.answers)  # type: ignore[arg-type]

    def keeping_answers(self) -> str:
        return "`answers: true`"

    def from_path(self, path: str) -> dict[str, Any] | None:
        return settings(path.rsplit("/", 1)[-1], self.models)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] == "metrics.jsonl" or "statistics" in path.split("/")[-2:-1]

    def sidecars(self, path: str, root: Path) -> list[str]:
        return [one for one in [statistics(path, root)] if one and self.statistics]

    def printed_in(self, path: str, root: Path) -> list[str]:
        return [one for one in [metrics(path, root)] if one and self.metrics]


class Sample(msgspec.Struct, gc=False):
    """The fields wanted of a row."""

    question_id: int | str
    answer_id: int
    score: bool | float | None
    num_decode_tokens: int | None = None
    reconstructed: bool = False


class AnsweredSample(Sample, gc=False):
    """The same with the answer."""

    pred_answer: Any = None


class Group(msgspec.Struct):
    """A line of statistics: a batch of samples."""

    info_id: list[tuple[int | str, int]]
    peak_kvcache: float | None = None
    time_per_decode_step: list[float] = []
    kvmem_per_decode_step: list[float] = []

    def measures(self) -> tuple[float | None, ...]:
        """Values of `MEASURES`."""
        seconds = None
        with suppress(OverflowError):
            seconds = fsum(self.time_per_decode_step) if self.time_per_decode_step else None
        return self.peak_kvcache, seconds, max(self.kvmem_per_decode_step, default=None)


class Metrics(msgspec.Struct):
    """A line of metrics.jsonl, as far as it tells whose it is."""

    model_name: str
    data_name: str
    ratio: float | None = None
    kept_window: int | None = None
    prune_kvlength: int | None = None


def columns(samples: Any) -> dict[str, list[Any]]:
    """Many samples at once: logs of a sweep have little else to say."""
    return {
        "sample_id": [str(one.question_id) for one in samples],
        "epoch": [one.answer_id for one in samples],
        "score": [one.score for one in samples],
        "tokens": [one.num_decode_tokens for one in samples],
        "reconstructed": [one.reconstructed for one in samples],
    }


SAMPLES: dict[bool, msgspec.json.Decoder[Any]] = {
    False: msgspec.json.Decoder(Sample),
    True: msgspec.json.Decoder(AnsweredSample),
}
GROUP = Decoder(msgspec.json.Decoder(Group))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    named = NAME.fullmatch(path.rsplit("/", 1)[-1])
    told = b'"question_id"' in head and b'"answer_id"' in head
    return "its name tells N, R, KW and PKVL, its lines question_id" if named and told else ""


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
    model = max(known, key=len, default=both.split("_")[0])
    task = both[len(model) + 1 :]
    if not model or not task:
        return None
    told = {n: None if match[n] == "None" else kind(match[n]) for n, kind in SETTINGS.items()}
    return {"model": model, "task": task, **told}


def statistics(path: str, root: Path) -> str:
    """The statistics file of a log, `statistics/` beside `files/`; empty if there is none."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".jsonl")[0] + ".jsonl"
    above = folder.rpartition("/")[0]
    files = ("/".join(filter(None, (above, "statistics", stem + end))) for end in ENDINGS)
    return next((file for file in files if (root / file).is_file()), "")


def metrics(path: str, root: Path) -> str:
    """The metrics.jsonl of a log's run; empty if there is none."""
    above = path.rpartition("/")[0].rpartition("/")[0]
    found = f"{above}/metrics.jsonl" if above else "metrics.jsonl"
    return found if (root / found).is_file() else ""


class Reader(harness.Reader):
    """A line is a sample."""

    def begin(self) -> Iterator[Declared | Reject]:
        told = self.entry.from_path(self.path)
        if told is None:
            raise harness.Refused(
                "the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl", "path"
            )
        self.shared = told
        yield Declared(told, epochs=self.size())
        self.measured: dict[Any, tuple[float | None, ...]] = {}
        if self.entry.statistics:
            self.measured, problems = joined(self.log)
            yield from (Reject(Place(1, 0, 0), problem, kind="damage") for problem in problems)

    def size(self) -> int:
        """Epochs of each problem, by the name of the log."""
        match = NAME.fullmatch(self.path.rsplit("/", 1)[-1])
        return int(match["samples"]) if match else 0

    def records(self) -> Iterator[Any]:
        plain = not self.entry.statistics and not self.entry.answers
        decoder = SAMPLES[self.entry.answers]
        return read_lines(self.log, decoder, columns, self.shared) if plain else self.lines(decoder)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        one: Sample = record.value
        row = {"sample_id": str(one.question_id), "epoch": one.answer_id,
               "tokens": one.num_decode_tokens, "reconstructed": one.reconstructed}  # fmt: skip
        if self.entry.statistics:
            values = self.measured.get((row["sample_id"], row["epoch"]), NOTHING)
            row |= dict(zip(MEASURES, values, strict=True))
        if self.entry.answers:
            row["answer"] = one.pred_answer  # type: ignore[attr-defined]
        yield row

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | bool | None:
        return record.value.score  # type: ignore[no-any-return]

    def printed_numbers(self) -> Iterator[Printed]:
        """The mean of all samples, and pass@k of all epochs.

        The file is appended to at every run, so that a run may have several lines: one must agree.
        """
        told, size = self.entry.from_path(self.path), self.size()
        for path in self.entry.printed_in(self.path, self.log.root) if told else ():
            lines = _metrics_of(content_beside(self.log, path, LIMIT)).get(tuple(told.values()), [])
            for name, over in ((f"avg@{size}", "all"), (f"pass@{size}", f"pass_at_{size}")):
                found = [n for line in lines if (n := printed_number(line.get(name))) is not None]
                if found or over == "all":
                    yield self.number(
                        name, found[-1] if found else None, file=path, earlier=found[:-1],
                        over=over,
                        problems=printed_count(lines[-1].get("num_questions")) if lines else None,
                        low=0.0, high=100.0, decimals=DECIMALS,
                        why="" if found else f"no line of this run has {name}",
                    )  # fmt: skip


def joined(log: Any) -> tuple[dict[Any, tuple[float | None, ...]], list[str]]:
    """Measures by sample id and epoch; and what is wrong with the statistics of the log."""
    path = statistics(log.path, log.root)
    if not path:
        return {}, ["no statistics file beside the log: its measures are missing"]
    found: dict[Any, tuple[float | None, ...]] = {}
    problems = []
    try:
        data = log.beside(path, LIMIT)
    except Error as error:
        return {}, [f"{path}: {error}"]
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            line.decode()
            group = one(GROUP, line)
        except (Error, *FAULTS) as error:
            said = error if isinstance(error, Error) else reason(error, line)
            problems.append(f"{path}:{number}: {said}")
            continue
        values = group.measures()
        for question, answer in group.info_id:
            key = str(question), answer
            if key in found:
                problems.append(f"{path}: a sample stands in two batches; which it was decoded in "
                                "is not known")  # fmt: skip
            found[key] = NOTHING if key in found else values
    return found, problems


@lru_cache(maxsize=2)
def _metrics_of(data: bytes) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Whose a line is → what it tells, of the lines that can be read."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in data.split(b"\n"):
        with suppress(Error, *FAULTS):
            told = decoded(line, dict[str, Any])
            whose = msgspec.structs.astuple(msgspec.convert(told, Metrics))
            found.setdefault(whose, []).append(told)
    return found


read, printed = Reader.read, Reader.printed
