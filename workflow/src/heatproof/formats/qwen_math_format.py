"""Qwen2.5-Math family: `…/{task}/test_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl`.

The folder above is the model's, or `math_eval` in it, or `{task}_eval` in it (SkyThought). A line
per problem, its samples in lists side by side (code, pred, report, score): each is an epoch. Shards
of one run differ in start and end alone. A later one also holds what lay beside it when it was
written; these rows are refused as repeats. `…_metrics.json` beside them is never read as data.
Its `acc` was printed in percent, of the first sample of each problem; `evaluation/evaluate.py`
rounds to one digit in one release and to none in another. Its `num_samples` are the problems,
`num_scores` their samples, counted when both files were written. The log of a whole data set
(`_s0_e-1`) had all that was asked for; of a part of it only what is lost since is known.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.config import hints
from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.logs.logs import fits, literal
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from pathlib import Path


NAME = re.compile(
    r"(?:.*/)?(?P<split>[A-Za-z]+)_(?P<prompt>.+)_(?P<num_test_sample>-?\d{1,18})"
    r"_seed(?P<seed>\d{1,18})_t(?P<temperature>\d+(?:\.\d+)?)"
    r"_s(?P<start>-?\d+)_e(?P<end>-?\d+)(?P<metrics>_[\w.-]*metrics)?\.jsonl?(\.gz|\.zst)?",
    re.ASCII,
)
FORM = "{split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl"
KINDS = {"str": str, "float": float, "int": int}
PATH = (
    r"^(?:.*/)?(?P<model>(?!math_eval/|([^/]+)_eval/\2/)[^/]+)"
    r"/(?:math_eval/|([^/]+)_eval/(?=\3/))?(?P<task>[^/]+)/[^/]+$"
)


class Entry(harness.Harness, kw_only=True):
    """Keys of a `qwen_math` source."""

    path: str = PATH
    """A regular expression searched in the log's path; its groups `model` and `task` name them.
    By itself, a model is called as its folder is, with the one above (`org/name`) where `logs` does
    not name that one in full."""
    answers: bool = False
    """Keep which samples have the same answer (`pred`), for a vote (maj@k)."""
    own: ClassVar[dict[str, Any]] = {
        "prompt": "str", "temperature": "float", "seed": "int", "num_test_sample": "int",
    }  # fmt: skip
    measures: ClassVar[tuple[str, ...]] = ("tokens",)
    range: ClassVar[tuple[float, ...]] = ()
    """Scores are right and wrong, or shares."""

    @staticmethod
    def is_sidecar(path: str) -> bool:
        match = NAME.fullmatch(path)
        return bool(match and match["metrics"])

    def sidecars(self, path: str, root: Path) -> list[str]:
        name = NAME.fullmatch(path)
        if name is None or name["metrics"] or ".jsonl" not in path:
            return []
        stem = path[: path.rindex(".jsonl")]
        files = [f"{stem}_{name['prompt']}_metrics.json", f"{stem}_metrics.json"]
        return [file for file in files if (root / file).is_file()][:1]

    printed_in = sidecars

    def mistakes(self) -> list[Mistake]:
        try:
            groups = re.compile(self.path).groupindex
        except re.error as error:
            return [Mistake(".path", hints.expression(error, self.path), offset=error.pos)]
        wrong = sorted({*groups} - {"model", "task"})
        problems = [
            Mistake(".path", f"{name!r} is not a column; there are model, task") for name in wrong
        ]
        return super().mistakes() + problems


class Problem(msgspec.Struct, gc=False):
    idx: int | str
    score: list[bool | float | None]
    pred: list[Any] | None = None
    output_len: list[float | None] | None = None


PROBLEM = msgspec.json.Decoder(Problem)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    match = NAME.fullmatch(path)
    is_log = b'"idx"' in head and b'"score"' in head
    return f"it is named {FORM}" if match and not match["metrics"] and is_log else ""


class Reader(harness.Reader):
    """A line is a problem, with a sample for each item of its lists."""

    def begin(self) -> None:
        name, self.sizes = NAME.fullmatch(self.path), list[int]()
        if name and (name["metrics"] or ".jsonl" not in self.path):
            raise Error("a file of metrics: they are computed from the samples, not read")
        if name is None:
            raise Error(f"the file name is not {FORM}", "path")
        self.is_whole = name.group("start", "end") == ("0", "-1")
        match = re.search(self.entry.path, self.path)
        if match is None:
            raise Error(f"the path does not match {self.entry.path!r}", "path")
        self.shared = {key: KINDS[kind](name[key]) for key, kind in self.entry.own.items()}
        self.shared |= {key: text or "" for key, text in match.groupdict().items()}
        self.shared["model"] = self._organisation(match) + self.shared.get("model", "")
        self.shared["run"] = self.path[: name.start("start") - len("_s")]

    def _organisation(self, match: re.Match[str]) -> str:
        """The folder above the model's with a slash, unless `logs` leads there."""
        logs = [self.entry.logs] if isinstance(self.entry.logs, str) else self.entry.logs
        pattern = next((p for p in logs if fits(p.split("/"), self.path.split("/"))), "")
        folders = self.path[: match.start("model")] if self.entry.path == PATH else ""
        return "" if literal(pattern).startswith(folders) else f"{folders.split('/')[-2]}/"

    def records(self) -> harness.Records:
        for record in self.lines(PROBLEM):
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
        nothing = [None] * size
        columns = zip(problem.output_len or nothing, problem.pred or nothing, strict=True)
        for epoch, (tokens, answer) in enumerate(columns):
            row = {"sample_id": str(problem.idx), "epoch": epoch, "tokens": tokens}
            yield row | {"answer": answer} if self.entry.answers else row

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        return record.value.score[row["epoch"]]

    def why(self, row: dict[str, Any], reason: str) -> str:
        return f"epoch {row['epoch']}: {reason}"

    def ended(self) -> harness.Sizes:
        """What the log was to hold. A damaged file is named where printed numbers are compared."""
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
            metrics = self.beside(path, dict[str, Any], read=False)
            value = printed_number(metrics.get("acc"))
            yield self.number(
                "acc", value, file=path, over="first", low=0.0, high=100.0,
                problems=printed_count(metrics.get("num_samples")),
                decimals=1 if value is not None and round(value, 1) == value else None,
                why="" if value is not None else "it has no number `acc`",
            )  # fmt: skip


read, printed = Reader.read, Reader.printed
