"""Qwen2.5-Math family: `…/{task}/test_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl`.

The folder above is the model's, or `math_eval` in it, or `{task}_eval` in it (SkyThought). A line
per problem, its samples in lists side by side (code, pred, report, score): each is an epoch. Shards
of one run differ in start and end alone. A later one also holds what lay beside it when it was
written; these rows are refused as repeats. `…_metrics.json` beside them is never read as data, but
tells how many samples there were (see `declared`).

Its `acc` was printed in percent, of the first sample of each problem; `evaluation/evaluate.py`
rounds to one digit in one release and to none in another.

`num_samples` are its problems, `num_scores` their samples, counted when both files were written
(`evaluation/evaluate.py`). The log of a whole data set (`_s0_e-1`) had all that was asked for; of a
part of it only what is lost since is known.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import meant
from heatproof.config.entries import Columns, Source
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.logs.logs import fits, literal
from heatproof.readers.api import (
    Batch,
    Declared,
    Place,
    Printed,
    Reject,
    content_beside,
    excerpt,
    printed_count,
    printed_number,
    score_fault,
)
from heatproof.readers.documents import decoded
from heatproof.readers.lines import as_records, read_lines
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.readers.api import Log


NAME = re.compile(
    r"(?:.*/)?(?P<split>[A-Za-z]+)_(?P<prompt>.+)_(?P<num_test_sample>-?\d{1,18})"
    r"_seed(?P<seed>\d{1,18})_t(?P<temperature>\d+(?:\.\d+)?)"
    r"_s(?P<start>-?\d+)_e(?P<end>-?\d+)(?P<metrics>_[\w.-]*metrics)?\.jsonl?(\.gz|\.zst)?",
    re.ASCII,
)
FORM = "{split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl"
PARAMS: dict[str, Type] = {
    "prompt": "str",
    "temperature": "float",
    "seed": "int",
    "num_test_sample": "int",
}


PATH = (
    r"^(?:.*/)?(?P<model>(?!math_eval/|([^/]+)_eval/\2/)[^/]+)"
    r"/(?:math_eval/|([^/]+)_eval/(?=\3/))?(?P<task>[^/]+)/[^/]+$"
)


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
        return self.printed_in(path, root)

    def printed_in(self, path: str, root: Path) -> list[str]:
        return files(path, root, NAME.fullmatch(path))

    def mistakes(self) -> list[str]:
        """What is wrong with the path beyond its type."""
        try:
            groups = re.compile(self.path).groupindex
        except re.error as error:
            return [f".path: {meant.expression(error, self.path)}"]
        wrong = set(groups) - {"model", "task"}
        return super().mistakes() + [
            f".path: {name!r} is not a column; there are model, task" for name in sorted(wrong)
        ]


class Record(msgspec.Struct, gc=False):
    """The lists of a problem."""

    idx: int | str
    score: list[bool | float | None]
    pred: list[Any] | None = None
    output_len: list[float | None] | None = None


DECODER = msgspec.json.Decoder(Record)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    match = NAME.fullmatch(path)
    told = b'"idx"' in head and b'"score"' in head
    return f"it is named {FORM}" if match and not match["metrics"] and told else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; the whole log is refused when its name does not tell the settings."""
    match = NAME.fullmatch(log.path)
    where = re.search(entry.path, log.path)
    if match is None or match["metrics"] or ".jsonl" not in log.path:
        yield Reject(Place(1, 0, 0), _misnamed(match))
        return
    if where is None:
        yield Reject(Place(1, 0, 0), f"the path does not match {entry.path!r}")
        return
    shared: dict[str, Any] = {name: match[name] for name in PARAMS}
    shared |= {name: text or "" for name, text in where.groupdict().items()}
    shared["model"] = f"{_above(log.path, where, entry)}{shared.get('model', '')}"
    for name, kind in (("temperature", float), ("seed", int), ("num_test_sample", int)):
        shared[name] = kind(shared[name])
    shared["run"] = _run(log.path, match)
    sizes: list[int] = []
    for part in read_lines(log, DECODER, as_records, shared):
        if isinstance(part, Batch):
            sizes += [len(one.score) for one in part.columns["record"] if not _uneven(one)]
        elif part.spoils:
            sizes.clear()
        yield from _epochs(part, shared, entry) if isinstance(part, Batch) else (part,)
    yield from declared(log, match, shared, sizes)


def _above(path: str, where: re.Match[str], entry: Entry) -> str:
    """The folder above the model's, which is its organisation's, unless `logs` leads there."""
    given = [entry.logs] if isinstance(entry.logs, str) else entry.logs
    pattern = next((one for one in given if fits(one.split("/"), path.split("/"))), "")
    folders = path[: where.start("model")] if entry.path == PATH else ""
    if literal(pattern).startswith(folders):
        return ""
    return f"{folders.split('/')[-2]}/"


def printed(log: Log, entry: Entry) -> Iterator[Printed]:  # noqa: ARG001
    """What the file of metrics tells of a log."""
    return printed_accuracy(log, NAME.fullmatch(log.path))


def _misnamed(match: re.Match[str] | None) -> str:
    if match and (match["metrics"] or match[0].endswith(".json")):
        return "a file of metrics: they are computed from the samples, not read"
    return f"the file name is not {FORM}"


def _run(path: str, match: re.Match[str]) -> str:
    """The run of a shard: its path without the start and end of the shard."""
    start = match.start("start") - len("_s")
    return path[:start]


def _epochs(batch: Batch, shared: dict[str, Any], entry: Entry) -> Iterator[Batch | Reject]:
    columns: dict[str, list[Any]] = {"sample_id": [], "epoch": [], "score": [], "tokens": []}
    columns |= {"answer": []} if entry.answers else {}
    places: list[Place] = []
    for place, record in zip(batch.places, batch.columns["record"], strict=True):
        size = len(record.score)
        if why := _uneven(record):
            yield Reject(place, why, _shown(record, 0))
            continue
        lengths = record.output_len or [None] * size
        for epoch, score in enumerate(record.score):
            value = None if score is None else float(score)
            if why := score_fault(value):
                of = shared | {"sample_id": str(record.idx), "epoch": epoch}
                yield Reject(place, f"epoch {epoch}: {why}", _shown(record, epoch), of=of)
                continue
            columns["sample_id"].append(str(record.idx))
            columns["epoch"].append(epoch)
            columns["score"].append(value)
            columns["tokens"].append(lengths[epoch])
            if entry.answers:
                columns["answer"].append(record.pred[epoch] if record.pred else None)
            places.append(place)
    yield Batch(columns, places, shared)


def _uneven(record: Record) -> str:
    size = len(record.score)
    if not size:
        return "the list of scores is empty"
    for name in ("pred", "output_len"):
        items = getattr(record, name)
        if items and len(items) != size:
            return f"{size} scores and {len(items)} of {name}"
    return ""


def _shown(record: Record, epoch: int) -> str:
    preds = (record.pred or [])[epoch : epoch + 1]
    return excerpt(msgspec.json.encode({"idx": record.idx, "epoch": epoch, "pred": preds}))


LIMIT = 1 << 24
"""Bytes of a file of metrics at most."""


def files(path: str, root: Path, name: re.Match[str] | None) -> list[str]:
    """The file of metrics beside a log, if it is there; `name`: the log's, taken apart."""
    if name is None or name["metrics"] or ".jsonl" not in path:
        return []
    stem = path[: path.rindex(".jsonl")]
    told = [f"{stem}_{name['prompt']}_metrics.json", f"{stem}_metrics.json"]
    return [file for file in told if (root / file).is_file()][:1]


def printed_accuracy(log: Log, name: re.Match[str] | None) -> Iterator[Printed]:
    """The accuracy of a log.

    Raises:
        Error: the file is damaged or too large.
    """
    for path in files(log.path, log.root, name):
        told: dict[str, Any] = decoded(content_beside(log, path, LIMIT), dict[str, Any], path)
        value = printed_number(told.get("acc"))
        yield Printed(
            file=path,
            name="acc",
            value=value,
            over="first",
            problems=printed_count(told.get("num_samples")),
            high=100,
            decimals=1 if value is not None and round(value, 1) == value else None,
            why="" if value is not None else "it has no number `acc`",
        )


WHOLE = ("0", "-1")
"""Start and end in the name of a log that has all problems."""


def declared(
    log: Log, name: re.Match[str], shared: dict[str, Any], sizes: Sequence[int]
) -> Iterator[Declared]:
    """What the log was to hold, if the file beside it tells.

    A damaged file tells nothing here: it is named where printed numbers are compared.

    Args:
        log: the log, read by now.
        name: its name, taken apart.
        shared: its settings.
        sizes: samples of each problem that it holds, with a score or without.
    """
    for path in filter(log.was_there, files(log.path, log.root, name)):
        with suppress(Error):
            told = decoded(log.beside(path, LIMIT), dict[str, Any], path)
            problems, samples = (
                printed_count(told.get("num_samples")),
                printed_count(told.get("num_scores")),
            )
            if samples is None and problems is not None and sizes:
                samples = problems * max(sizes)
            if samples is not None:
                lacking = max(0, samples - sum(sizes))
                whole = (name["start"], name["end"]) == WHOLE
                yield Declared(shared, samples if whole else None, lacking=lacking)
