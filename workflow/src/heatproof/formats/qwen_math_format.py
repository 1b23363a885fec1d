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
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import hints
from heatproof.config.entries import Columns, Source
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.formats import harness
from heatproof.formats.api import Declared, Reject, content_beside, printed_count, printed_number
from heatproof.formats.documents import decoded
from heatproof.logs.logs import fits, literal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.formats.api import Printed

NAME = re.compile(
    r"(?:.*/)?(?P<split>[A-Za-z]+)_(?P<prompt>.+)_(?P<num_test_sample>-?\d{1,18})"
    r"_seed(?P<seed>\d{1,18})_t(?P<temperature>\d+(?:\.\d+)?)"
    r"_s(?P<start>-?\d+)_e(?P<end>-?\d+)(?P<metrics>_[\w.-]*metrics)?\.jsonl?(\.gz|\.zst)?",
    re.ASCII,
)
FORM = "{split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl"
PARAMS: dict[str, Type] = {
    "prompt": "str", "temperature": "float", "seed": "int", "num_test_sample": "int",
}  # fmt: skip
PATH = (
    r"^(?:.*/)?(?P<model>(?!math_eval/|([^/]+)_eval/\2/)[^/]+)"
    r"/(?:math_eval/|([^/]+)_eval/(?=\3/))?(?P<task>[^/]+)/[^/]+$"
)
LIMIT = 1 << 24
"""Bytes of a file of metrics at most."""
WHOLE = ("0", "-1")
"""Start and end in the name of a log that has all problems."""


class Entry(Source, kw_only=True):
    """Keys of a `qwen_math` source."""

    path: str = PATH
    """A regular expression searched in the log's path; its groups `model` and `task` name them.
    By itself, a model is called as its folder is, with the one above (`org/name`) where `logs` does
    not name that one in full."""
    answers: bool = False
    """Keep which samples have the same answer (`pred`), for a vote (maj@k)."""

    @staticmethod
    def is_sidecar(path: str) -> bool:
        match = NAME.fullmatch(path)
        return bool(match and match["metrics"])

    def columns(self) -> Columns:
        return Columns(dict(PARAMS), ["tokens"], answers=self.answers)

    def keeping_answers(self) -> str:
        return "`answers: true`"

    def sidecars(self, path: str, root: Path) -> list[str]:
        name = NAME.fullmatch(path)
        if name is None or name["metrics"] or ".jsonl" not in path:
            return []
        stem = path[: path.rindex(".jsonl")]
        told = [f"{stem}_{name['prompt']}_metrics.json", f"{stem}_metrics.json"]
        return [file for file in told if (root / file).is_file()][:1]

    printed_in = sidecars

    def mistakes(self) -> list[str]:
        try:
            groups = re.compile(self.path).groupindex
        except re.error as error:
            return [f".path: {hints.expression(error, self.path)}"]
        wrong = sorted(set(groups) - {"model", "task"})
        said = [f".path: {name!r} is not a column; there are model, task" for name in wrong]
        return super().mistakes() + said

    range = ()
    """Scores are right and wrong, or shares."""


class Problem(msgspec.Struct, gc=False):
    """The lists of a problem."""

    idx: int | str
    score: list[bool | float | None]
    pred: list[Any] | None = None
    output_len: list[float | None] | None = None


PROBLEM = msgspec.json.Decoder(Problem)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    match = NAME.fullmatch(path)
    told = b'"idx"' in head and b'"score"' in head
    return f"it is named {FORM}" if match and not match["metrics"] and told else ""


class Reader(harness.Reader):
    """A line is a problem, with a sample for each item of its lists."""

    def begin(self) -> None:
        self.name, self.sizes = NAME.fullmatch(self.path), list[int]()
        if self.name and (self.name["metrics"] or ".jsonl" not in self.path):
            raise harness.Refused("a file of metrics: they are computed from the samples, not read")
        if self.name is None:
            raise harness.Refused(f"the file name is not {FORM}", "path")
        where = re.search(self.entry.path, self.path)
        if where is None:
            raise harness.Refused(f"the path does not match {self.entry.path!r}", "path")
        kinds = {"str": str, "float": float, "int": int}
        told = {name: kinds[kind](self.name[name]) for name, kind in PARAMS.items()}
        told |= {name: text or "" for name, text in where.groupdict().items()}
        told["model"] = self._organisation(where) + told.get("model", "")
        self.shared = told | {"run": self.path[: self.name.start("start") - len("_s")]}

    def _organisation(self, where: re.Match[str]) -> str:
        """The folder above the model's with a slash, unless `logs` leads there."""
        given = [self.entry.logs] if isinstance(self.entry.logs, str) else self.entry.logs
        pattern = next((p for p in given if fits(p.split("/"), self.path.split("/"))), "")
        folders = self.path[: where.start("model")] if self.entry.path == PATH else ""
        return "" if literal(pattern).startswith(folders) else f"{folders.split('/')[-2]}/"

    def records(self) -> Iterator[harness.Record | Reject]:
        for one in self.lines(PROBLEM):
            if isinstance(one, Reject) and one.spoils:
                self.sizes.clear()
            yield one

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        one: Problem = record.value
        size = len(one.score)
        if not size:
            raise Error("the list of scores is empty", "unscored")
        for name, items in (("pred", one.pred), ("output_len", one.output_len)):
            if items and len(items) != size:
                raise Error(f"{size} scores and {len(items)} of {name}")
        self.sizes.append(size)
        for epoch in range(size):
            tokens = one.output_len[epoch] if one.output_len else None
            row = {"sample_id": str(one.idx), "epoch": epoch, "tokens": tokens}
            answer = {"answer": one.pred[epoch] if one.pred else None}
            yield row | answer if self.entry.answers else row

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | bool | None:
        return record.value.score[row["epoch"]]  # type: ignore[no-any-return]

    def why(self, row: dict[str, Any], reason: str) -> str:
        return f"epoch {row['epoch']}: {reason}"

    def show(self, record: harness.Record, row: Any) -> object:
        epoch = row.get("epoch", 0)
        preds = (record.value.pred or [])[epoch : epoch + 1]
        return {"idx": record.value.idx, "epoch": epoch, "pred": preds}

    def ended(self) -> Iterator[Declared]:
        """What the log was to hold. A damaged file is named where printed numbers are compared."""
        for path in filter(self.log.was_there, self.entry.sidecars(self.path, self.log.root)):
            with suppress(Error):
                told = decoded(self.log.beside(path, LIMIT), dict[str, Any], path)
                problems, samples = (
                    printed_count(told.get(f"num_{n}")) for n in ("samples", "scores")
                )
                if samples is None and problems is not None and self.sizes:
                    samples = problems * max(self.sizes)
                if samples is not None:
                    whole = self.name is not None and self.name.group("start", "end") == WHOLE
                    lacking = max(0, samples - sum(self.sizes))
                    yield Declared(self.shared, samples if whole else None, lacking=lacking)

    def printed_numbers(self) -> Iterator[Printed]:
        for path in self.entry.printed_in(self.path, self.log.root):
            told = decoded(content_beside(self.log, path, LIMIT), dict[str, Any], path)
            value = printed_number(told.get("acc"))
            yield self.number(
                "acc", value, file=path, over="first", low=0.0, high=100.0,
                problems=printed_count(told.get("num_samples")),
                decimals=1 if value is not None and round(value, 1) == value else None,
                why="" if value is not None else "it has no number `acc`",
            )  # fmt: skip


read, printed = Reader.read, Reader.printed
