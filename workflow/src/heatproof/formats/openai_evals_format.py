"""OpenAI evals: a line per event, the first line the specification of the run (`evals/record.py`).

Events of one type (`match` by default) are samples; others (`sampling`, `metrics`, …) are passed
over. Several events of one problem are repetitions. Model and task are `completion_fns` and
`eval_name` of the specification (`evals/base.py`); hyper-parameters may stand in its `run_config`
(`evals/cli/oaieval.py`).
Printed: `final_report` in the last line, the mean over all events (`evals/metrics.py`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.decoding import object_in
from heatproof.util.errors import Error, choices


class Entry(harness.Placed, kw_only=True):
    """Keys of an `openai_evals` source."""

    event: str = "match"
    """Type of the events that are samples."""
    score: str = "correct"
    """Key in the `data` of such an event."""
    prints: ClassVar[str] = "log"

    def has_lines(self, path: str) -> bool:
        return False  # events of other types are none


class Line(msgspec.Struct, gc=False):
    """The specification, an event, or the report."""

    spec: dict[str, Any] | None = None
    final_report: Any = None
    sample_id: str | int | None = None
    type: str | None = None
    data: Any = None


recognises = harness.sign(
    "its first line is the spec of a run", r".*\.jsonl", b'"spec"', b'"completion_fns"',
    b'"eval_name"', line=True,
)  # fmt: skip


class Reader(harness.Reader):
    """A record is an event of the type that counts."""

    unsettled: Error | None = Error("no line before it has the spec of the run", "missing")
    """Why the run of the events that follow is not known."""

    def records(self) -> harness.Records:
        self.types = Counter[Any]()
        self.epochs = Counter[str]()
        self.damaged = False
        for record in self.lines(Line):
            if isinstance(record, harness.Reject):
                self.damaged = True
                yield record
                continue
            if record.value.spec is not None:
                self._settle(record.value.spec)
            self.types[record.value.type] += 1
            if record.value.type == self.entry.event:
                yield record

    def _settle(self, spec: dict[str, Any]) -> None:
        self.epochs.clear()
        functions = spec.get("completion_fns")
        if not isinstance(functions, list):
            functions = [spec.get("completion_fn", "")]
        model = ",".join(str(function) for function in functions if function)
        config = object_in(spec, "run_config")
        arguments = object_in(object_in(config, "eval_spec"), "args")
        heads = [arguments, object_in(config, "initial_settings"), config, spec]
        try:
            self.settle({"model": model, "task": str(spec.get("eval_name") or "")}, heads)
            self.shared["scorer"], self.unsettled = self.entry.score, None
        except Error as error:
            self.unsettled = error

    def samples(self, record: harness.Record) -> harness.Rows:
        if self.unsettled:
            raise Error(str(self.unsettled), self.unsettled.kind)
        if record.value.sample_id is None:
            name = ""
        else:
            name = str(record.value.sample_id)
        yield {"sample_id": name, "epoch": self.epochs[name]}
        self.epochs[name] += 1

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        data = record.value.data
        key = self.entry.score
        if not isinstance(data, dict):
            data = {}
        if key not in data:
            why = f"the event has no {key!r} (`score` in config.yaml); {choices(key, data)}"
            raise Error(why, "missing")
        return data[key]

    def ended(self) -> harness.Sizes:
        event = self.entry.event
        if not self.types[event] and not self.damaged:
            valid = choices(event, sorted(filter(None, self.types)))
            why = f"no event is of type {event!r} (`event`); {valid}"
            yield harness.Reject.of_log(Error(why, "missing"))

    def printed_numbers(self) -> harness.Numbers:
        if self.entry.score == "correct":
            name = "accuracy"
        else:
            name = self.entry.score
        lines = [line for line in self.document().splitlines() if b'"final_report"' in line]
        report = msgspec.json.decode(lines[-1], type=Line).final_report if lines else None
        if isinstance(report, dict) and name in report:
            yield self.number(name, report[name], scorer=self.entry.score, over="all")


read = Reader.read
printed = Reader.printed
offer = Reader.offer
