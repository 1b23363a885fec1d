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
from functools import lru_cache, partial
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import content_beside, printed_count, printed_number
from heatproof.formats.decoding import FAULTS, Decoder, fault
from heatproof.formats.documents import LIMIT, decoded, one
from heatproof.formats.lines import read_lines
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.config.entries import Columns

NAME = re.compile(
    r"(?P<model_task>[^/]+)_N(?P<samples>\d{1,9})-R(?P<ratio>None|\d+(?:\.\d*)?|\.\d+)"
    r"-KW(?P<local_window>None|\d{1,18})-PKVL(?P<prune_kvlength>None|\d{1,18})\.jsonl(\.gz|\.zst)?",
    re.ASCII,
)
SETTINGS = {"ratio": float, "local_window": int, "prune_kvlength": int}
MEASURES = ("peak_kvcache", "decode_time", "memory")
"""Of the batch that a sample was decoded in: cache entries at most, seconds, and memory at most
(in the log's unit)."""
NOTHING = (None,) * len(MEASURES)
Measured = dict[tuple[str, int], tuple[float | None, ...]]
"""Sample id and epoch → values of `MEASURES`."""
ENDINGS = ("", ".gz", ".zst")
DECIMALS = 6
"""Digits behind the point of a percentage: it went through text."""


class Entry(harness.Harness, kw_only=True):
    """Keys of a `dynts` source."""

    models: list[str] = []
    """Names of models that hold an underscore; without them the name ends at the first one."""
    statistics: bool = False
    """Join `statistics/` for the measures peak_kvcache, decode_time (s) and memory of the batch."""
    answers: bool = False
    """Keep which samples have the same answer (`pred_answer`), for a vote (maj@k)."""
    own: ClassVar[dict[str, Any]] = {name: kind.__name__ for name, kind in SETTINGS.items()}
    measures: ClassVar[tuple[str, ...]] = ("tokens",)
    range: ClassVar[tuple[float, ...]] = ()

    def columns(self) -> Columns:
        columns = super().columns()
        columns.measures += MEASURES if self.statistics else ()
        return columns

    def from_path(self, path: str) -> dict[str, Any] | None:
        """Model, task and hyper-parameters that a file name tells; None if it is no such name.

        Tasks may hold underscores (GPQA_D) and so may models: the longest of `models` that fits
        wins, else the model ends at the first underscore.
        """
        match = NAME.fullmatch(path.rsplit("/", 1)[-1])
        if match is None:
            return None
        both = match["model_task"]
        fitting = [model for model in self.models if both.startswith(f"{model}_")]
        model = max(fitting, key=len, default=both.split("_")[0])
        task = both[len(model) + 1 :]
        if not model or not task:
            return None
        texts = {name: match[name] for name in SETTINGS}
        return {"model": model, "task": task} | {
            name: None if text == "None" else SETTINGS[name](text) for name, text in texts.items()
        }

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] == "metrics.jsonl" or "statistics" in path.split("/")[-2:-1]

    def sidecars(self, path: str, root: Path) -> list[str]:
        """The statistics of a log, `statistics/` beside `files/`, where they are joined."""
        stem = path.rsplit("/", 1)[-1].partition(".jsonl")[0] + ".jsonl"
        files = (_above(path, f"statistics/{stem}{end}") for end in ENDINGS)
        return [file for file in files if self.statistics and (root / file).is_file()][:1]

    def printed_in(self, path: str, root: Path) -> list[str]:
        file = _above(path, "metrics.jsonl")
        return [file] if (root / file).is_file() else []


def _above(path: str, name: str) -> str:
    """A file in the folder above that of a log."""
    return "/".join(filter(None, (path.rpartition("/")[0].rpartition("/")[0], name)))


class Sample(msgspec.Struct, gc=False):
    question_id: int | str
    answer_id: int
    score: bool | float | None
    num_decode_tokens: int | None = None
    reconstructed: bool = False
    pred_answer: Any = None


class Group(msgspec.Struct):
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


SAMPLE = msgspec.json.Decoder(Sample)
GROUP = Decoder(msgspec.json.Decoder(Group))


def columns(samples: Any, answers: bool) -> dict[str, list[Any]]:
    """Many samples at once: logs of a sweep have little else to say."""
    answer = {"answer": [sample.pred_answer for sample in samples]} if answers else {}
    return answer | {
        "sample_id": [str(sample.question_id) for sample in samples],
        "epoch": [sample.answer_id for sample in samples],
        "score": [sample.score for sample in samples],
        "tokens": [sample.num_decode_tokens for sample in samples],
        "reconstructed": [sample.reconstructed for sample in samples],
    }


recognises = harness.sign(
    "its name tells N, R, KW and PKVL, its lines question_id", NAME.pattern, b'"question_id"',
    b'"answer_id"',
)  # fmt: skip


class Reader(harness.Reader):
    """A line is a sample."""

    def begin(self) -> harness.Sizes:
        settings = self.entry.from_path(self.path)
        if settings is None:
            raise Error("the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl", "path")
        self.shared = settings
        yield harness.Declared(settings, epochs=self.size())
        self.measured: Measured = {}
        if self.entry.statistics:
            self.measured, problems = self.statistics()
            yield from (harness.refusal(why, "damage") for why in problems)

    def size(self) -> int:
        """Epochs of each problem, by the name of the log."""
        match = NAME.fullmatch(self.path.rsplit("/", 1)[-1])
        return int(match["samples"]) if match else 0

    def statistics(self) -> tuple[Measured, list[str]]:
        """Measures by sample id and epoch; and what is wrong with the statistics of the log."""
        measured: Measured = {}
        problems = []
        files = self.entry.sidecars(self.path, self.log.root)
        if not files:
            return {}, ["no statistics file beside the log: its measures are missing"]
        try:
            data = self.log.beside(files[0], LIMIT)
        except Error as error:
            return {}, [f"{files[0]}: {error}"]
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                line.decode()
                group = one(GROUP, line) if line.strip() else Group([])
            except (Error, *FAULTS) as error:
                why = error if isinstance(error, Error) else fault(error, line)
                problems.append(f"{files[0]}:{number}: {why}")
                continue
            for question, answer in group.info_id:
                key = str(question), answer
                if key in measured:
                    problems.append(f"{files[0]}: a sample stands in two batches; which it was "
                                    "decoded in is not known")  # fmt: skip
                measured[key] = NOTHING if key in measured else group.measures()
        return measured, problems

    def records(self) -> Iterator[Any]:
        if self.entry.statistics:
            return self.lines(SAMPLE)
        make = partial(columns, answers=self.entry.answers)
        return read_lines(self.log, SAMPLE, make, self.shared)

    def samples(self, record: harness.Record) -> harness.Rows:
        rows = columns([record.value], self.entry.answers)
        row = {name: values[0] for name, values in rows.items()}
        measured = self.measured.get((row["sample_id"], row["epoch"]), NOTHING)
        yield row | dict(zip(MEASURES, measured, strict=True))

    def printed_numbers(self) -> harness.Numbers:
        """The mean of all samples, and pass@k of all epochs.

        The file is appended to at every run, so that a run may have several lines: one must agree.
        """
        settings, size = self.entry.from_path(self.path), self.size()
        for path in self.entry.printed_in(self.path, self.log.root) if settings else ():
            metrics = _metrics_of(content_beside(self.log, path, LIMIT))
            lines = metrics.get(tuple(settings.values()), [])
            for name, over in ((f"avg@{size}", "all"), (f"pass@{size}", f"pass_at_{size}")):
                values = [n for line in lines if (n := printed_number(line.get(name))) is not None]
                if values or over == "all":
                    yield self.number(
                        name, values[-1] if values else None, file=path, earlier=values[:-1],
                        over=over,
                        problems=printed_count(lines[-1].get("num_questions")) if lines else None,
                        low=0.0, high=100.0, decimals=DECIMALS,
                        why="" if values else f"no line of this run has {name}",
                    )  # fmt: skip


@lru_cache(maxsize=2)
def _metrics_of(data: bytes) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Whose a line is → what it tells, of the lines that can be read."""
    lines: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in data.split(b"\n"):
        with suppress(Error, *FAULTS):
            metrics = decoded(line, dict[str, Any])
            run = msgspec.structs.astuple(msgspec.convert(metrics, Metrics))
            lines.setdefault(run, []).append(metrics)
    return lines


read, printed = Reader.read, Reader.printed
