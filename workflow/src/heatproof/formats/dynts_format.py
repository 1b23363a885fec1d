"""DynTS: one JSON line per sample, the settings of the run in the file name.

`{model}_{task}_N{samples}-R{ratio}-KW{local window}-PKVL{pruned at}.jsonl`, also .gz or .zst;
`None` stands for a setting that the run did not have (Robin930/DynTS, arXiv 2601.18383).
`metrics.jsonl` beside the logs has numbers that are compared with the samples.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.formats.decoding import FAULTS, decoded
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RUN = (
    r"_N(?P<samples>\d{1,9})-R(?:None|(?P<ratio>\d+(?:\.\d*)?|\.\d+))"
    r"-KW(?:None|(?P<local_window>\d{1,18}))-PKVL(?:None|(?P<prune_kvlength>\d{1,18}))\.jsonl"
)
SIZE = re.compile(RUN)
SETTINGS = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
DECIMALS = 6  # of a printed percentage


class Entry(harness.Placed, kw_only=True):
    """Keys of a `dynts` source."""

    answers: bool = False
    """Keep which samples have the same answer (`pred_answer`), for a vote (maj@k)."""
    own: ClassVar[dict[str, Any]] = SETTINGS
    measures: ClassVar[tuple[str, ...]] = ("tokens",)
    form: ClassVar[str] = "{model}_{task}_N…-R…-KW…-PKVL….jsonl"
    usual: ClassVar[tuple[str, ...]] = (
        r"(?:^|/)(?P<model>[^/_]+)_(?P<task>[^/]+)" + RUN.replace("?P<samples>", "") + "$",
    )
    others: ClassVar[str] = r"(?:.*/)?(?:metrics\.jsonl|statistics/[^/]*)"

    def printed_in(self, path: str, root: Path) -> list[str]:
        folder = path.rpartition("/")[0].rpartition("/")[0]
        file = f"{folder}/metrics.jsonl" if folder else "metrics.jsonl"
        if (root / file).is_file():
            return [file]
        return []


class Sample(msgspec.Struct, gc=False):
    question_id: int | str
    answer_id: int
    score: bool | float | None
    num_decode_tokens: int | None = None
    reconstructed: bool = False
    pred_answer: Any = None


class Metrics(msgspec.Struct):
    """The settings of a line of metrics.jsonl."""

    model_name: str
    data_name: str
    ratio: float | None = None
    kept_window: int | None = None
    prune_kvlength: int | None = None


recognises = harness.sign(
    "its name has N, R, KW and PKVL, its lines have question_id", rf"[^/]+{RUN}", b'"question_id"',
    b'"answer_id"',
)  # fmt: skip


class Reader(harness.Reader):
    """A line is a sample."""

    alike: ClassVar[Sequence[str]] = (
        "sample_id", "epoch", "score", "tokens", "reconstructed", "answer"
    )  # fmt: skip

    def begin(self) -> harness.Sizes:
        self.settle({})
        yield harness.Declared(self.shared, epochs=self.size())

    def size(self) -> int:
        match = SIZE.search(self.path)
        if match:
            return int(match["samples"])
        return 0

    def records(self) -> harness.Records:
        return self.lines(Sample)

    def printed_numbers(self) -> harness.Numbers:
        """The mean of all samples, and pass@k of all epochs.

        Each run appends a line to the file, also a rerun: one line must agree.
        """
        settings = self.entry.from_path(self.path)
        size = self.size()
        for path in self.entry.printed_in(self.path, self.log.root) if settings else ():
            run = tuple(settings.get(name) for name in ("model", "task", *SETTINGS))
            lines = _metrics_of(self.log.beside(path, self.entry.max_document)).get(run, [])
            for name, reduction in ((f"avg@{size}", "all"), (f"pass@{size}", f"pass_at_{size}")):
                values = [n for line in lines if (n := printed_number(line.get(name))) is not None]
                if values or reduction == "all":
                    yield self.number(
                        name, values[-1] if values else None, file=path, earlier=values[:-1],
                        over=reduction,
                        problems=printed_count(lines[-1].get("num_questions")) if lines else None,
                        low=0.0, high=100.0, decimals=DECIMALS,
                        why="" if values else f"no line of this run has {name}",
                    )  # fmt: skip


@lru_cache(maxsize=2)
def _metrics_of(data: bytes) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Settings of a run → its lines, of those that can be read."""
    lines: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in data.split(b"\n"):
        with suppress(Error, *FAULTS):
            metrics = decoded(line, dict[str, Any])
            run = msgspec.structs.astuple(msgspec.convert(metrics, Metrics))
            lines.setdefault(run, []).append(metrics)
    return lines


read = Reader.read
printed = Reader.printed
