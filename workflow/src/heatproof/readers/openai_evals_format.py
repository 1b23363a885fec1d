"""OpenAI evals: a line per event, the first line the specification of the run (`evals/record.py`).

Of the events those of one type are samples, `match` by itself; the others (`sampling`, `metrics`,
…) are passed over. An event says of which problem it is; where a problem has several of them, each
is a repetition. Model and task are `completion_fns` and `eval_name` of the specification
(`evals/base.py`); hyper-parameters may stand in its `run_config` (`evals/cli/oaieval.py`).

It printed `final_report` in the last line: the mean over all events (`evals/metrics.py`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers.api import Offer, Place, Printed, Reject, content_beside, printed_number
from heatproof.readers.documents import object_in
from heatproof.readers.harness import Placed, Refused, Rows, settings
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.params import excerpted, unit
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers.api import Batch, Log


class Entry(Placed, kw_only=True):
    """Keys of an `openai_evals` source."""

    event: str = "match"
    """Events of which type are samples."""
    score: str = "correct"
    """Key in the `data` of such an event."""

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


class Record(msgspec.Struct, gc=False):
    """A line: the specification, an event, or the report."""

    spec: dict[str, Any] | None = None
    final_report: Any = None
    sample_id: str | int | None = None
    type: str | None = None
    data: Any = None


DECODER = msgspec.json.Decoder(Record)


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = all(name in first for name in (b'"spec"', b'"completion_fns"', b'"eval_name"'))
    return "its first line is the spec of a run" if ".jsonl" in path and told else ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, in its first line."""
    line = content_beside(log, log.path, entry.max_document).split(b"\n", 1)[0]
    spec = DECODER.decode(line).spec
    return Offer(told(spec)[1] if spec else [])


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log; events in front of a specification are refused."""
    events = Events(log.path, entry)
    for part in read_lines(log, DECODER, as_records, {}):
        if isinstance(part, Reject):
            events.damaged = True
            yield part
            continue
        for place, record in zip(part.places, part.columns["record"], strict=True):
            yield from events.take(place, record)
        yield from events.batch()
    yield from events.ended()


class Events:
    """The events of a log on their way to rows."""

    def __init__(self, path: str, entry: Entry) -> None:
        self.path, self.entry = path, entry
        self.damaged = False
        self._rows: Rows | Refused = Refused("no line with the spec of the run is before it")
        self._types = Counter[str]()
        self._seen = Counter[str]()

    def take(self, place: Place, record: Record) -> Iterator[Batch | Reject]:
        """What a line is."""
        if record.spec is not None:
            yield from self.batch()
            self._begin(record.spec)
        if record.type is not None:
            self._types[record.type] += 1
            if record.type == self.entry.event:
                yield from self._event(place, record)

    def _begin(self, spec: dict[str, Any]) -> None:
        self._seen.clear()
        try:
            shared = settings(self.entry, self.path, *told(spec))
        except Refused as error:
            self._rows = error
        else:
            self._rows = Rows(shared | {"scorer": self.entry.score}, self.entry.range)

    def _event(self, place: Place, record: Record) -> Iterator[Reject]:
        shown = {"sample_id": record.sample_id, "type": record.type, "data": record.data}
        name = "" if record.sample_id is None else str(record.sample_id)
        epoch = self._seen[name]
        self._seen[name] += 1
        if isinstance(self._rows, Refused):
            yield Reject(place, str(self._rows), excerpted(shown))
            return
        of = {"sample_id": name, "epoch": epoch}
        try:
            score = self._score(record)
        except Error as error:
            yield self._rows.lost(place, str(error), shown, **of)
        else:
            yield from self._rows.take(place, {**of, "score": score}, shown)

    def _score(self, record: Record) -> float:
        data = record.data if isinstance(record.data, dict) else {}
        key = self.entry.score
        if key not in data:
            raise Error(f"the event has no {key!r} (`score` in config.yaml); {choices(key, data)}")
        value = data[key]
        if not isinstance(value, bool | int | float):
            raise Error(f"{key}: {excerpted(value)} is not a number")
        return unit(value, self.entry.range)

    def batch(self) -> Iterator[Batch]:
        """The rows that were gathered; others follow them."""
        if isinstance(self._rows, Rows) and len(self._rows):
            yield self._rows.batch()
            self._rows = Rows(self._rows.shared, self._rows.ends)

    def ended(self) -> Iterator[Reject]:
        """What is to be said at the end of a log: that it has no samples."""
        if self._types[self.entry.event] or self.damaged:
            return
        event, there = self.entry.event, sorted(self._types)
        found = choices(event, there)
        yield Reject(Place(1, 0, 0), f"no event is of type {event!r} (`event`); {found}")


def told(spec: dict[str, Any]) -> tuple[dict[str, str], list[Any]]:
    """Model and task of a run, and where its hyper-parameters may lie."""
    functions = spec.get("completion_fns")
    functions = functions if isinstance(functions, list) else [spec.get("completion_fn", "")]
    named = {
        "model": ",".join(str(one) for one in functions if one),
        "task": str(spec.get("eval_name") or ""),
    }
    config = object_in(spec, "run_config")
    below = object_in(object_in(config, "eval_spec"), "args")
    return named, [below, object_in(config, "initial_settings"), config, spec]


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers of the report that are of the score that is read.

    Raises:
        Error: the log is too large.
    """
    wanted = "accuracy" if entry.score == "correct" else entry.score
    low, high = entry.range or (0.0, 1.0)
    data = content_beside(log, log.path, entry.max_document)
    at = data.rfind(b'"final_report"')
    line = data[data.rfind(b"\n", 0, max(at, 0)) + 1 :].split(b"\n", 1)[0] if at >= 0 else b"{}"
    try:
        report = DECODER.decode(line).final_report
    except msgspec.DecodeError as error:
        raise Error(f"the final report: {error}") from None
    for name, value in (report if isinstance(report, dict) else {}).items():
        if name == wanted:
            number = printed_number(value)
            yield Printed(
                file=log.path,
                name=name,
                value=number,
                scorer=entry.score,
                over="all",
                low=low,
                high=high,
                why="" if number is not None else "it is not a number",
            )
