"""Inspect AI, log versions 2 and 3: `.eval` archives and `.json` documents.

Only what was graded in a run that ended well is a sample: whatever an error, a cancellation or a
missing grade touched is refused with the reason, since it says nothing about the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.config import Columns
from heatproof.errors import Error, choices
from heatproof.readers._batch import Batch, Log, Place, Reject, excerpt, fault
from heatproof.readers._documents import decoded, document, one, places, plain
from heatproof.readers._fields import Int64  # noqa: TC001  msgspec reads it
from heatproof.readers._keys import Decoder
from heatproof.readers._lines import FAULTS, reason
from heatproof.readers._params import Tuned, excerpted, lookup, unit
from heatproof.reading.archives import Archive
from heatproof.reading.streams import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSIONS = (2, 3)
HEADER, START, SAMPLES = "header.json", "_journal/start.json", "samples/"
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's `value_to_float` knows: correct, partial, incorrect, no answer."""

Status = Literal["success", "started", "cancelled", "error"]


class Entry(Tuned, kw_only=True):
    """Keys of an `inspect` source."""

    scorer: str | None = None
    """Which score; needed where samples have several. `name.key` for a score that is a mapping."""
    status: list[Status] = msgspec.field(default_factory=lambda: ["success"])
    """Logs whose samples count; those of others are incomplete."""

    def columns(self) -> Columns:
        return Columns(super().columns().params, ["tokens", "time"])


class Header(msgspec.Struct):
    """The places wanted of a log's head."""

    version: int = 2
    status: str = "started"
    eval: dict[str, Any] = {}
    plan: dict[str, Any] = {}
    results: dict[str, Any] | None = None

    def scorers(self) -> set[str]:
        """Names of the scores, as far as the head tells."""
        listed = [(self.results or {}).get("scores"), self.eval.get("scorers")]
        found = next((names for names in listed if isinstance(names, list) and names), [])
        return {str(item["name"]) for item in found if isinstance(item, dict) and item.get("name")}

    def params(self) -> list[Any]:
        """Where hyper-parameters may lie; the plan's override the model's."""
        told = [self.eval.get(key) for key in ("model_generate_config", "task_args", "model_args")]
        return [self.plan.get("config"), *told, self.eval.get("config"), self.eval.get("metadata")]


class Document(Header):
    """A `.json` log: head and samples in one."""

    samples: list[msgspec.Raw] | None = None


class Score(msgspec.Struct):
    """One scorer's judgement."""

    value: Any = None


class Sample(msgspec.Struct):
    """The places wanted of a sample."""

    id: int | str
    epoch: Int64
    scores: dict[str, Score] | None = None
    error: Any = None
    invalidation: Any = None
    model_usage: dict[str, dict[str, Any]] | None = None
    total_time: float | None = None


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    told = all(name in head for name in (b'"status"', b'"eval"', b'"run_id"', b'"task_id"'))
    return "it has a status and an eval with run_id" if path.endswith(".json") and told else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log.

    Raises:
        Error: config.yaml does not choose among several scorers, or names one there is not.
    """
    try:
        if log.path.endswith(".eval"):
            if log.file.pointer():
                raise Untold("a git-LFS pointer, not the log itself: run git lfs pull")
            with Archive(log.root / log.path) as archive:
                header, name = _head(archive, entry.max_document)
                shared = _shared(header, entry)
                parts = _members(archive, entry.max_record)
                yield from _read(parts, header, shared, entry, log.path, name)
        else:
            header, parts = _document(log, entry.max_document)
            yield from _read(parts, header, _shared(header, entry), entry, log.path, "")
    except Unreadable as error:
        yield Reject(Place(1, 0, 0), str(error))
    except Untold as error:
        yield Reject(Place(1, 0, 0), str(error))


class Untold(Error):
    """Why nothing of a log can be taken."""


Part = tuple[str, Place, bytes | Unreadable]
"""A sample: its member, its place there, its bytes."""


def _head(archive: Archive, limit: int) -> tuple[Header, str]:
    """The head of an archive; one that was never finished has only its start."""
    name = next((name for name in (HEADER, START) if name in archive.names), None)
    if name is None:
        raise Untold(f"an archive without {HEADER}: no Inspect log")
    data = archive.read(name, limit)
    header: Header = _decoded(data, Header)
    if name == START:
        header.status = "started"
    return header, name


def _members(archive: Archive, limit: int) -> Iterator[Part]:
    for name in archive.names:
        if not (name.startswith(SAMPLES) and name.endswith(".json")):
            continue
        if name in archive.repeated:
            yield name, Place(1, 0, 0), Unreadable("the archive holds this member twice")
            continue
        try:
            data = archive.read(name, limit)
            yield name, Place(1, 0, len(data)), data
        except Unreadable as error:
            yield name, Place(1, 0, 0), error


def _document(log: Log, limit: int) -> tuple[Header, Iterator[Part]]:
    try:
        data = document(log, limit)
    except Error as error:
        raise Untold(str(error)) from error
    header, data = _decoded_document(data)
    raws = header.samples or []
    return header, (
        ("", place, bytes(memoryview(raw)))
        for raw, place in zip(raws, places(data, raws), strict=True)
    )


def _decoded_document(data: bytes) -> tuple[Document, bytes]:
    """The document, and the bytes that its samples are views into."""
    try:
        return msgspec.json.decode(data, type=Document), data
    except FAULTS:
        data = plain(data)
        return _decoded(data, Document), data


def _decoded(data: bytes, kind: Any) -> Any:
    try:
        return decoded(data, kind)
    except Error as error:
        raise Untold(str(error)) from error


def _shared(header: Header, entry: Entry) -> dict[str, Any]:
    if header.version not in VERSIONS:
        raise Untold(f"log version {header.version}; known are 2 and 3")
    if not header.eval:
        raise Untold("the head tells no evaluation: no Inspect log")
    try:
        told = lookup(entry.params, header.params())
    except Error as error:
        raise Untold(str(error)) from error
    return {name: str(header.eval.get(name) or "") for name in ("model", "task")} | told


def _read(
    parts: Iterable[Part],
    header: Header,
    shared: dict[str, Any],
    entry: Entry,
    path: str,
    head: str,
) -> Iterator[Batch | Reject]:
    choose = _Choice(entry, header.scorers(), path)
    rows: dict[str, list[tuple[Place, Sample, str, float]]] = {}
    seen = False
    for member, place, data in parts:
        seen = True
        try:
            if isinstance(data, Unreadable):
                raise Untold(str(data))
            if header.status not in entry.status:
                raise Untold(f"the log's status is {header.status}")
            sample = _sample(data)
            name, score = choose.score(sample, entry.range)
            rows.setdefault(member, []).append((place, sample, name, score))
        except Untold as error:
            shown = data if isinstance(data, bytes) else member.encode()
            yield Reject(place, str(error), excerpt(shown), member)
    if not seen:
        ended = "" if header.status == "success" else f" (its status is {header.status})"
        yield Reject(Place(1, 0, 0), f"the log holds no samples{ended}", "", head)
    for member, found in rows.items():
        yield _batch(found, shared, member)


def _batch(
    rows: list[tuple[Place, Sample, str, float]], shared: dict[str, Any], member: str
) -> Batch:
    columns: dict[str, list[Any]] = {
        "sample_id": [str(sample.id) for _, sample, _, _ in rows],
        "epoch": [sample.epoch for _, sample, _, _ in rows],
        "scorer": [name for _, _, name, _ in rows],
        "score": [score for _, _, _, score in rows],
        "tokens": [_tokens(sample) for _, sample, _, _ in rows],
        "time": [sample.total_time for _, sample, _, _ in rows],
    }
    return Batch(columns, [place for place, _, _, _ in rows], shared, member)


def _sample(data: bytes) -> Sample:
    try:
        sample: Sample = _one(data)
    except Error as error:
        raise Untold(str(error)) from error
    if sample.error:
        told = sample.error.get("message") if isinstance(sample.error, dict) else sample.error
        raise Untold(f"sample ended in an error: {excerpted(told)}")
    if sample.invalidation:
        raise Untold("the sample was invalidated")
    return sample


def _one(data: bytes) -> Sample:
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise Untold(reason(error, data)) from error
    try:
        return one(SAMPLE, data)  # type: ignore[no-any-return]
    except Error:
        return one(SAMPLE, plain(data))  # type: ignore[no-any-return]


def _tokens(sample: Sample) -> float | None:
    """Tokens that the models of a sample put out."""
    counts = [used.get("output_tokens") for used in (sample.model_usage or {}).values()]
    known = [count for count in counts if isinstance(count, int)]
    return float(sum(known)) if known and max(known) < 2**53 else None


SAMPLE = Decoder(msgspec.json.Decoder(Sample))


class _Choice:
    """The score that config.yaml asks for, or the only one."""

    def __init__(self, entry: Entry, names: set[str], path: str) -> None:
        self.wanted, self.path = entry.scorer, path
        self.place = f"config.yaml: sources.{entry.name}.scorer"
        base = (entry.scorer or "").split(".")
        known = {".".join(base[: n + 1]) for n in range(len(base))} & names
        if names and entry.scorer and not known:
            there = choices(entry.scorer, sorted(names))
            raise Error(f"{self.place}: {entry.scorer!r} did not score {path}; {there}")

    def score(self, sample: Sample, ends: list[float]) -> tuple[str, float]:
        scores = sample.scores or {}
        if not scores:
            raise Untold("the sample has no score")
        if self.wanted is None and len(scores) > 1:
            there = choices("", sorted(scores))
            raise Error(f"{self.place}: {self.path} has several, name one; {there}")
        name = self.wanted or next(iter(scores))
        value = _value(scores, name)
        score = unit(value, ends)
        if why := fault(score):
            raise Untold(why)
        return name, score


def _value(scores: dict[str, Score], name: str) -> float:
    """A score as a number, as Inspect reads it; what Inspect would count as 0 unseen is refused."""
    base, _, key = name.rpartition(".")
    if name in scores:
        value = scores[name].value
    elif base in scores and isinstance(scores[base].value, dict) and key in scores[base].value:
        value = scores[base].value[key]
    else:
        raise Untold(f"no score by {name!r}; {choices(name, sorted(scores))}")
    if value == []:
        raise Untold("the score is NaN, infinite or empty")
    if isinstance(value, dict):
        keys = ", ".join(f"{name}.{key}" for key in sorted(value))
        raise Untold(f"the score is a mapping; choose one with `scorer`: {excerpted(keys)}")
    if isinstance(value, str):
        known = GRADES.get(value, GRADES.get(value.lower()) if len(value) > 1 else None)
        value = _number(value) if known is None else known
    if not isinstance(value, (int, float)):
        raise Untold(f"the score is {excerpted(value)}, no grade that is known")
    try:
        return float(value)
    except OverflowError:
        raise Untold("the score is a number beyond all bounds") from None


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
