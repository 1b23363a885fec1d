"""Inspect AI, log versions 2 and 3: `.eval` archives and `.json` documents.

Only what was graded in a run that ended well is a sample: whatever an error, a cancellation or a
missing grade touched is refused with the reason, since it says nothing about the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from heatproof.logs.archives import Archive
from heatproof.logs.streams import Unreadable
from heatproof.readers._batch import Batch, Declared, Place, Reject, excerpt
from heatproof.readers._inspect_log import Header, Part, Untold, head_of, members_of, samples_of
from heatproof.readers._inspect_printed import printed
from heatproof.readers._inspect_scores import Choice, Sample, sample_of, tokens
from heatproof.readers._inspect_size import declared
from heatproof.readers._params import Tuned, lookup
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.readers._log import Log

__all__ = ["Entry", "printed", "read", "recognises"]

VERSIONS = (2, 3)

Status = Literal["success", "started", "cancelled", "error"]


class Entry(Tuned, kw_only=True):
    """Keys of an `inspect` source."""

    scorer: str | None = None
    """Which score; needed where samples have several. `name.key` for a score that is a mapping."""
    status: list[Status] = msgspec.field(default_factory=lambda: ["success"])
    """Logs whose samples count; those of others are incomplete."""

    def columns(self) -> Columns:
        return replace(super().columns(), measures=["tokens", "time"])

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    told = all(name in head for name in (b'"status"', b'"eval"', b'"run_id"', b'"task_id"'))
    return "it has a status and an eval with run_id" if path.endswith(".json") and told else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log.

    Raises:
        Error: config.yaml does not choose among several scorers, or names one there is not.
    """
    try:
        if log.path.endswith(".eval"):
            with Archive(log.file.hashed()) as archive:
                header, name = head_of(archive, entry.max_document)
                shared = _shared(header, entry)
                parts = members_of(archive, entry.max_record)
                yield from _read(parts, header, shared, entry, log.path, name)
        else:
            header, parts = samples_of(log, entry.max_document)
            yield from _read(parts, header, _shared(header, entry), entry, log.path, "")
    except Unreadable as error:
        yield Reject(Place(1, 0, 0), str(error))
    except Untold as error:
        yield Reject(Place(1, 0, 0), str(error))


def _shared(header: Header, entry: Entry) -> dict[str, Any]:
    if header.version not in VERSIONS:
        raise Untold(f"log version {header.version}; known are 2 and 3")
    if not header.eval:
        raise Untold("the head tells no evaluation: no Inspect log")
    try:
        told = lookup(entry.wanted(), header.params())
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
) -> Iterator[Batch | Reject | Declared]:
    choose = Choice(entry, header.scorers(), path)
    rows: dict[str, list[tuple[Place, Sample, str, float]]] = {}
    seen = 0
    for member, place, data in parts:
        seen += 1
        try:
            if isinstance(data, Unreadable):
                raise Untold(str(data))
            if header.status not in entry.status:
                raise Untold(f"the log's status is {header.status}")
            sample = sample_of(data)
            name, score = choose.score(sample, entry.range)
            rows.setdefault(member, []).append((place, sample, name, score))
        except Untold as error:
            shown = data if isinstance(data, bytes) else member.encode()
            yield Reject(place, str(error), excerpt(shown), member)
    if not seen:
        ended = "" if header.status == "success" else f" (its status is {header.status})"
        yield Reject(Place(1, 0, 0), f"the log holds no samples{ended}", "", head)
    yield declared(header, shared, seen)
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
        "tokens": [tokens(sample) for _, sample, _, _ in rows],
        "time": [sample.total_time for _, sample, _, _ in rows],
    }
    return Batch(columns, [place for place, _, _, _ in rows], shared, member)
