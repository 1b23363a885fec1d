"""What an Inspect log holds: its head, its samples as bytes, and their scores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.formats.api import Place
from heatproof.formats.decoding import Decoder, require_unique
from heatproof.formats.documents import (
    decoded,
    document,
    document_fault,
    document_kind,
    members,
    one,
    places,
    plain,
)
from heatproof.formats.faults import FAULTS, fault_kind, reason
from heatproof.formats.harness import Refused
from heatproof.formats.params import Int64, excerpted
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.formats.api import Log
    from heatproof.logs.archives import Archive


HEADER, START, SAMPLES = "header.json", "_journal/start.json", "samples/"
HEAD = "sample.json"
"""Of a sample that is a folder: the member with its scores."""
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
FOLDER = re.compile(r"samples/.+?_epoch_\d+/", re.DOTALL)
JOURNAL, TABLES = "_journal/", {HEADER, "summaries.json", "reductions.json"}
"""What else Inspect keeps in an archive."""


class Header(msgspec.Struct):
    """The places wanted of a log's head."""

    version: int = 2
    status: str = "started"
    eval: dict[str, Any] = {}
    plan: dict[str, Any] = {}
    results: dict[str, Any] | None = None

    def scorers(self) -> list[str]:
        """Names of the scores, as far as the head tells; `name.key` of one that is a mapping.

        A key has its own entry, which tells the scorer that it is of; beside such entries there
        may be one of the scorer alone, without numbers (`_eval/task/results.py`).
        """
        listed = [(self.results or {}).get("scores"), self.eval.get("scorers")]
        found = next((names for names in listed if isinstance(names, list) and names), [])
        told = [item for item in found if isinstance(item, dict) and item.get("name")]
        names = {name_of(item) for item in told}
        mappings = {str(item.get("scorer")) for item in told if name_of(item) != str(item["name"])}
        return sorted(name for name in names if name not in mappings)

    def params(self) -> list[Any]:
        """Where hyper-parameters may lie; the plan's override the model's.

        Solver and models in other roles (`grader`) are found by these names.
        """
        keys = ("model_generate_config", "task_args", "solver_args", "model_args")
        told = [self.eval.get(key) for key in keys]
        roles = self.eval.get("model_roles")
        models = {
            role: one.get("model")
            for role, one in (roles.items() if isinstance(roles, dict) else ())
            if isinstance(one, dict)
        }
        own = {"solver": self.eval.get("solver")} | models
        config, metadata = self.eval.get("config"), self.eval.get("metadata")
        return [self.plan.get("config"), *told, config, metadata, own]


def name_of(score: dict[str, Any]) -> str:
    """What a score of the results is called: its key, behind the scorer that it is of."""
    name, scorer = str(score.get("name")), str(score.get("scorer") or score.get("name"))
    return name if name == scorer else f"{scorer}.{name}"


class Document(Header):
    """A `.json` log: head and samples in one."""

    samples: list[msgspec.Raw] | None = None


Part = tuple[str, Place, bytes | Unreadable]
"""A sample: its member, its place there, its bytes."""


def head_of(archive: Archive, limit: int) -> tuple[Header, str]:
    """The head of an archive; one that was never finished has only its start."""
    name = next((name for name in (HEADER, START) if name in archive.names), None)
    if name is None:
        raise Refused(f"an archive without {HEADER}: no Inspect log")
    data = archive.read(name, limit)
    header: Header = _decoded(data, Header)
    if name == START:
        header.status = "started"
    return header, name


def members_of(archive: Archive, limit: int) -> Iterator[Part]:
    """The samples of an archive: a member each, or a folder each with the scores in its head.

    A member of any other name is refused if the archive contradicts itself about the name: it may
    have been a sample's before it was damaged.
    """
    names = Names.of(archive.names)
    for name in names.samples:
        if name in archive.repeated:
            twice = Unreadable("the archive holds this member twice")
            yield from [(name, Place(1, 0, 0), twice)] * archive.repeated[name]
            continue
        try:
            data = archive.read(name, limit)
            yield name, Place(1, 0, len(data)), data
        except Unreadable as error:
            yield name, Place(1, 0, 0), error
    for folder in names.headless:
        yield folder, Place(1, 0, 0), Unreadable(f"the folder of this sample has no {HEAD}")
    for name in names.others:
        try:
            archive.head(name, 0)
        except Unreadable as error:
            yield name, Place(1, 0, 0), error


class Names(NamedTuple):
    """The members of an archive by what their names say that they are.

    A sample is a member `{id}_epoch_{n}.json`, or a folder of that name: there `sample.json` holds
    all but the long lists (messages, events, calls, attachments), which lie beside it in pieces
    (inspect_ai, `log/_recorders/chunked/format.py`). An archive may have both; ids, a slash.
    """

    samples: list[str]
    headless: list[str]
    """Folders of samples without `sample.json`."""
    others: list[str]

    @classmethod
    def of(cls, names: list[str]) -> Names:
        inside = {name for name in names if name.startswith(SAMPLES) and name.endswith(".json")}
        samples = {name for name in inside if WHOLE.fullmatch(name) or name.endswith(f"/{HEAD}")}
        folders = {name.removesuffix(HEAD) for name in samples if not WHOLE.fullmatch(name)}
        loose = {n for n in inside - samples if folders.isdisjoint(_folders(n))}
        headless = {folder[0] for name in loose if (folder := FOLDER.match(name))}
        samples |= {name for name in loose if not FOLDER.match(name)}
        known = inside | TABLES
        others = [n for n in names if n not in known and not n.startswith(JOURNAL)]
        return cls(sorted(samples), sorted(headless), others)


def _folders(name: str) -> Iterator[str]:
    """The folders that a member lies in, each with its slash."""
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)


def samples_of(log: Log, limit: int) -> tuple[Header, Iterator[Part]]:
    """Head and samples of a document."""
    try:
        data = document(log, limit)
    except Error as error:
        raise Refused(str(error), error.kind) from error
    header, data = _decoded_document(data)
    raws = header.samples or []
    return header, (
        ("", place, bytes(memoryview(raw)))
        for raw, place in zip(raws, places(data, raws), strict=True)
    )


def _decoded_document(data: bytes) -> tuple[Document, bytes]:
    """The document, and the bytes that its samples are views into."""
    try:
        try:
            return _document(data), data
        except msgspec.DecodeError:
            data = plain(data)
            return _document(data), data
    except FAULTS as error:
        raise Refused(document_fault(error, data), document_kind(error, data)) from error


def _document(data: bytes) -> Document:
    """Head and samples of a log; of samples it is not known yet whether a key stands twice."""
    found = msgspec.json.decode(data, type=Document)
    held = members(data, Document.__struct_fields__)
    for name in held.keys() & {*Header.__struct_fields__}:
        require_unique(bytes(memoryview(held[name])))
    return found


def _decoded(data: bytes, kind: Any) -> Any:
    try:
        return decoded(data, kind)
    except Error as error:
        raise Refused(str(error), error.kind) from error


class Score(msgspec.Struct):
    """One scorer's judgement."""

    value: Any = None


class Answered(Score):
    """The same with what the scorer took for the answer; many tell none where they find none."""

    answer: Any = None


class Sample(msgspec.Struct):
    """The places wanted of a sample."""

    id: int | str
    epoch: Int64
    scores: dict[str, Score] | None = None
    error: Any = None
    invalidation: Any = None
    model_usage: dict[str, dict[str, Any]] | None = None
    total_time: float | None = None


class AnsweredSample(Sample):
    """The same with the answers that were judged."""

    scores: dict[str, Answered] | None = None  # type: ignore[assignment]  # of more than a Score


def sample_of(data: bytes, answers: bool = False) -> Sample:
    """A sample that can be graded. Raises Refused with the reason why it cannot."""
    try:
        sample: Sample = _one(data, ANSWERED if answers else SAMPLE)
    except Error as error:
        raise Refused(str(error), error.kind) from error
    if sample.error:
        told = sample.error.get("message") if isinstance(sample.error, dict) else sample.error
        raise Refused(f"sample ended in an error: {excerpted(told)}", "absent")
    if sample.invalidation:
        raise Refused("the sample was invalidated", "absent")
    return sample


def _one(data: bytes, decoder: Decoder) -> Sample:
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise Refused(reason(error, data), fault_kind(error)) from error
    try:
        return one(decoder, data)  # type: ignore[no-any-return]
    except Error:
        return one(decoder, plain(data))  # type: ignore[no-any-return]


def tokens(sample: Sample) -> float | None:
    """Tokens that the models of a sample put out."""
    counts = [used.get("output_tokens") for used in (sample.model_usage or {}).values()]
    known = [count for count in counts if isinstance(count, int)]
    return float(sum(known)) if known and max(known) < 2**53 else None


SAMPLE = Decoder(msgspec.json.Decoder(Sample))
ANSWERED = Decoder(msgspec.json.Decoder(AnsweredSample))
