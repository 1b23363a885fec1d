"""Qwen2.5-Math family: `…/{task}/test_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl`.

The folder above is the model's, or `math_eval` or `{task}_eval` (SkyThought) in it. A line per
problem, its samples in lists side by side (code, pred, report, score): each is an epoch. Shards of
one run differ in start and end alone; a later one repeats the rows of those before it, which are
refused as repeats. The log of a whole data set is called `_s0_e-1`.
`…_metrics.json` beside it has `num_samples` (problems), `num_scores` (their samples), and the
printed `acc`, in percent, of the first sample of each problem; `evaluation/evaluate.py` rounds it
to one digit in one release and to none in another.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.formats.detection import plain
from heatproof.logs.logs import fits, literal_folders
from heatproof.util.errors import Error

FOLDERS = (
    r"^(?:.*/)?(?P<model>(?!math_eval/|([^/]+)_eval/\2/)[^/]+)"
    r"/(?:math_eval/|([^/]+)_eval/(?=\3/))?(?P<task>[^/]+)/"
)
RUN = (
    r"[A-Za-z]+_(?P<prompt>[^/]+)_(?P<num_test_sample>-?\d{1,18})_seed(?P<seed>\d{1,18})"
    r"_t(?P<temperature>\d+(?:\.\d+)?)_s-?\d+_e-?\d+"
)
SHARD = re.compile(r"_s(-?\d+)_e(-?\d+)\.jsonl$")


class Entry(harness.Placed, kw_only=True):
    """Keys of a `qwen_math` source."""

    answers: bool = False
    """Keep which samples have the same answer (`pred`), for a vote (maj@k)."""
    own: ClassVar[dict[str, Any]] = {
        "prompt": "str", "temperature": "float", "seed": "int", "num_test_sample": "int",
    }  # fmt: skip
    measures: ClassVar[tuple[str, ...]] = ("tokens",)
    form: ClassVar[str] = "{split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl"
    usual: ClassVar[tuple[str, ...]] = (rf"{FOLDERS}{RUN}\.jsonl$", rf"(?:^|/){RUN}\.jsonl$")
    others: ClassVar[str] = rf"(?:.*/)?{RUN}_[\w.-]*metrics\.jsonl?(?:\.gz|\.zst)?"
    prints: ClassVar[str] = "sidecar"
    shares_runs: ClassVar[bool] = True

    def settings_files(self, path: str) -> list[str]:
        run = self.from_path(path)
        stem = plain(path).removesuffix(".jsonl")
        if run:
            return [f"{stem}_{run['prompt']}_metrics.json", f"{stem}_metrics.json"]
        return []

    def by_path(self, path: str) -> dict[str, Any]:
        """The same; the model's name has the folder above it, unless `logs` names that folder."""
        columns = super().by_path(path)
        match = re.search(self.usual[0], plain(path))
        if match and not self.path and "model" not in self.set:
            if isinstance(self.logs, str):
                logs = [self.logs]
            else:
                logs = self.logs
            pattern = next((p for p in logs if fits(p.split("/"), path.split("/"))), "")
            folders = path[: match.start("model")]
            if not literal_folders(pattern).startswith(folders):
                columns["model"] = f"{folders.split('/')[-2]}/{columns['model']}"
        return columns


class Problem(msgspec.Struct, gc=False):
    idx: int | str
    score: list[bool | float | None]
    pred: list[Any] | None = None
    output_len: list[float | None] | None = None


recognises = harness.sign(f"it is named {Entry.form}", rf"{RUN}\.jsonl", b'"idx"', b'"score"')


class Reader(harness.Reader):
    """A line is a problem, with a sample for each item of its lists."""

    def begin(self) -> None:
        self.sizes = list[int]()
        if self.entry.is_sidecar(self.path):
            raise Error("a file of metrics; heatproof computes them from the samples")
        self.settle({})
        shard = SHARD.search(plain(self.path))
        self.is_whole = bool(shard and shard.groups() == ("0", "-1"))
        if shard:
            self.shared["run"] = self.path[: shard.start()]
        else:
            self.shared["run"] = self.path

    def records(self) -> harness.Records:
        for record in self.lines(Problem):
            if isinstance(record, harness.Reject) and record.spoils:
                self.sizes.clear()
            yield record

    def samples(self, record: harness.Record) -> harness.Rows:
        problem: Problem = record.value
        size = len(problem.score)
        if not size:
            raise Error("the list of scores is empty", "unscored")
        for name, items in (("pred", problem.pred), ("output_len", problem.output_len)):
            if items and len(items) != size:
                raise Error(f"{size} scores and {len(items)} of {name}")
        self.sizes.append(size)
        nothing = [None for _ in range(size)]
        columns = zip(problem.output_len or nothing, problem.pred or nothing, strict=True)
        for epoch, (tokens, answer) in enumerate(columns):
            yield {"sample_id": str(problem.idx), "epoch": epoch, "tokens": tokens,
                   "answer": answer}  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        return record.value.score[row["epoch"]]

    def ended(self) -> harness.Sizes:
        """The size of the run. A damaged file is reported where printed numbers are compared."""
        for path in filter(self.log.was_there, self.entry.sidecars(self.path, self.log.root)):
            with suppress(Error):
                metrics = self.beside(path, dict[str, Any])
                problems, samples = (
                    printed_count(metrics.get(f"num_{n}")) for n in ("samples", "scores")
                )
                if samples is None and problems is not None and self.sizes:
                    samples = problems * max(self.sizes)
                if samples is not None:
                    lacking = max(0, samples - sum(self.sizes))
                    size = samples if self.is_whole else None
                    yield harness.Declared(self.shared, size, lacking=lacking)

    def printed_numbers(self) -> harness.Numbers:
        for path in self.entry.printed_in(self.path, self.log.root):
            metrics = self.beside(path, dict[str, Any])
            value = printed_number(metrics.get("acc"))
            yield self.number(
                "acc", value, file=path, over="first", low=0.0, high=100.0,
                problems=printed_count(metrics.get("num_samples")),
                decimals=1 if value is not None and round(value, 1) == value else None,
                why="" if value is not None else "it has no number `acc`",
            )  # fmt: skip


read = Reader.read
printed = Reader.printed
