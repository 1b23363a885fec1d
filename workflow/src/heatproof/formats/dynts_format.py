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
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.formats.decoding import FAULTS, Decoder, decoded, one
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.config.entries import Columns

RUN = (
    r"_N(?P<samples>\d{1,9})-R(?:None|(?P<ratio>\d+(?:\.\d*)?|\.\d+))"
    r"-KW(?:None|(?P<local_window>\d{1,18}))-PKVL(?:None|(?P<prune_kvlength>\d{1,18}))\.jsonl"
)
SIZE = re.compile(RUN)
SETTINGS = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
MEASURES = ("peak_kvcache", "decode_time", "memory")
"""Of the batch that a sample was decoded in: cache entries at most, seconds, and memory at most
(in the log's unit)."""
Measured = dict[tuple[str, int], tuple[float | None, ...]]
"""Sample id and epoch → values of `MEASURES`."""
ENDINGS = ("", ".gz", ".zst")
DECIMALS = 6  # digits behind the point of a percentage: it went through text


class Entry(harness.Placed, kw_only=True):
    """Keys of a `dynts` source."""

    statistics: bool = False
    """Join `statistics/` for the measures peak_kvcache, decode_time (s) and memory of the batch."""
    answers: bool = False
    """Keep which samples have the same answer (`pred_answer`), for a vote (maj@k)."""
    own: ClassVar[dict[str, Any]] = SETTINGS
    measures: ClassVar[tuple[str, ...]] = ("tokens",)
    form: ClassVar[str] = "{model}_{task}_N…-R…-KW…-PKVL….jsonl"
    usual: ClassVar[tuple[str, ...]] = (
        r"(?:^|/)(?P<model>[^/_]+)_(?P<task>[^/]+)" + RUN.replace("?P<samples>", "") + "$",
    )

    def columns(self) -> Columns:
        columns = super().columns()
        columns.measures += MEASURES if self.statistics else ()
        return columns

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
    """A batch, and the samples that were decoded in it."""

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
recognises = harness.sign(
    "its name tells N, R, KW and PKVL, its lines question_id", rf"[^/]+{RUN}", b'"question_id"',
    b'"answer_id"',
)  # fmt: skip


class Reader(harness.Reader):
    """A line is a sample."""

    def begin(self) -> harness.Sizes:
        self.settle({})
        yield harness.Declared(self.shared, epochs=self.size())
        self.measured: Measured = {}
        if self.entry.statistics:
            yield from self.read_statistics()

    def size(self) -> int:
        """Epochs of each problem, by the name of the log."""
        match = SIZE.search(self.path)
        return int(match["samples"]) if match else 0

    def read_statistics(self) -> harness.Sizes:
        """Gather measures by sample; what is wrong with the statistics of the log is told."""
        files = self.entry.sidecars(self.path, self.log.root)
        if not files:
            why = "no statistics file beside the log: its measures are missing"
            yield harness.refusal(Error(why, "damage"))
            return
        try:
            data = self.log.beside(files[0], self.entry.max_document)
        except Error as error:
            yield harness.refusal(Error(f"{files[0]}: {error}", "damage"))
            return
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                group = one(GROUP, line) if line.strip() else Group([])
            except Error as error:
                yield harness.refusal(Error(f"{files[0]}:{number}: {error}", "damage"))
                continue
            for question, answer in group.info_id:
                key = str(question), answer
                if key in self.measured:
                    why = "a sample stands in two batches; which it was decoded in is not known"
                    yield harness.refusal(Error(f"{files[0]}: {why}", "damage"))
                self.measured[key] = () if key in self.measured else group.measures()

    def records(self) -> harness.Records:
        return self.lines(SAMPLE)

    def samples(self, record: harness.Record) -> harness.Rows:
        line: Sample = record.value
        row: dict[str, Any] = {
            "sample_id": str(line.question_id), "epoch": line.answer_id, "score": line.score,
            "tokens": line.num_decode_tokens, "reconstructed": line.reconstructed,
        }  # fmt: skip
        if self.entry.answers:
            row["answer"] = line.pred_answer
        if self.entry.statistics:
            values = self.measured.get((row["sample_id"], row["epoch"]))
            row |= zip(MEASURES, values or [None] * len(MEASURES), strict=True)
        yield row

    def printed_numbers(self) -> harness.Numbers:
        """The mean of all samples, and pass@k of all epochs.

        The file is appended to at every run, so that a run may have several lines: one must agree.
        """
        settings, size = self.entry.from_path(self.path), self.size()
        for path in self.entry.printed_in(self.path, self.log.root) if settings else ():
            run = tuple(settings.get(name) for name in ("model", "task", *SETTINGS))
            data = self.log.beside(path, self.entry.max_document)
            lines = _metrics_of(data).get(run, [])
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
