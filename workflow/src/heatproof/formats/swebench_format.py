"""SWE-bench: what became of each instance, in any of the files that its harness writes.

- The report of a run, `{model}.{run_id}.json`: lists of ids, `resolved_ids`, `unresolved_ids`, …
  (`swebench/harness/reporting.py`, schema 2). An id of an infrastructure failure stands among the
  unresolved ones, or those with errors, too.
- `report.json` of an instance, `{id: {"resolved": …, "patch_exists": …}}`, in
  `logs/run_evaluation/{run_id}/{model}/{id}/` (`swebench/harness/grading.py`), and
  `per_instance_details.json` of the leaderboard, the same of many.
- The older report, lists called `resolved`, `generated`, `no_generation`, …
  (`swebench/metrics/report.py` of 2024). The `results.json` of the leaderboard has no list of what
  was tried, and is refused.

An instance is wrong if its tests failed, or if there was no patch. If it could not be judged (an
error, a failure of the infrastructure) it is missing; so is one without a prediction. The harness
divides by all instances, and so counts these as wrong: `unjudged: wrong` does the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import Declared, Offer, printed_count
from heatproof.formats.decoding import Decoder
from heatproof.formats.detection import plain
from heatproof.formats.documents import decoded, document_fault, members, places
from heatproof.formats.faults import FAULTS
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.formats.api import Log, Printed

OF_INSTANCE = r"run_evaluation/(?P<run_id>[^/]+)/(?P<model>[^/]+)/[^/]+/report\.json$"
OF_RUN = (
    (
        r"(?:^|/)(?P<model>[^/]+)(?:(?<!\d)\.|\.(?!\d))"  # points between digits: of a version
        r"(?P<run_id>(?:[^/.]|(?<=\d)\.(?=\d))+)\.json$"
    ),
    r"(?:^|/)(?P<model>[^/]+)\.(?P<run_id>[^/.]+)\.json$",
)
RESOLVED, WRONG, ERROR, UNTRIED = "resolved", "wrong", "error", "untried"
OUTCOMES = {
    "resolved_ids": RESOLVED, "empty_patch_ids": WRONG, "infra_failure_ids": ERROR,
    "ambiguous_failure_ids": ERROR, "error_ids": ERROR, "unresolved_ids": WRONG,
    "incomplete_ids": UNTRIED,
}  # fmt: skip
"""List of the report of a run → what became of its instances; the first list with one counts."""
OLDER = {
    "resolved": RESOLVED, "no_generation": WRONG, "no_apply": WRONG, "install_fail": ERROR,
    "reset_failed": ERROR, "test_errored": ERROR, "test_timeout": ERROR, "applied": WRONG,
    "generated": ERROR,
}  # fmt: skip
"""The same of the older report; what was generated, and is in no other list, has no log."""
SIGNS = {
    "a report of a run": (b'"total_instances"', b'"resolved_ids"'),
    "a report of instances": (b'"resolved"', b'"patch_successfully_applied"'),
    "details of instances": (b'"resolved"', b'"api_calls"'),
    "an older report": (b'"resolved"', b'"no_generation"'),
    "predictions, which have no score": (b'"instance_id"', b'"model_patch"'),
}
"""What a file is → what is in it."""


class Entry(harness.Placed, kw_only=True):
    """Keys of a `swebench` source."""

    unjudged: Literal["missing", "wrong"] = "missing"
    """What an instance is that could not be judged, or has no prediction: missing, or wrong as in
    the rate that the harness prints."""
    own: ClassVar[dict[str, Any]] = {"run_id": "str"}
    measures: ClassVar[tuple[str, ...]] = ("cost", "api_calls")
    usual: ClassVar[tuple[str, ...]] = (OF_INSTANCE, *OF_RUN)
    slash: ClassVar[str] = "__"
    prints: ClassVar[bool] = True


class Instance(msgspec.Struct, gc=False):
    """What became of an instance, in a report of its own."""

    resolved: bool | None = None
    infra_failure: bool = False
    cost: float | None = None
    api_calls: float | None = None
    outcome: str = ""
    told: str = ""
    """Where that stands."""


INSTANCE = Decoder(msgspec.json.Decoder(Instance))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if not plain(path).endswith((".json", ".jsonl")):
        return ""
    found = (what for what, keys in SIGNS.items() if all(key in head for key in keys))
    return next((f"it is {what}" for what in found), "")


class Reader(harness.Reader):
    """The log is a document; a record is an instance."""

    def begin(self) -> Iterator[Declared]:
        self.judged, total = self.instances(self.document())
        self.settle({"task": "SWE-bench"})
        self.shared["scorer"] = (
            "resolved" if self.entry.unjudged == "missing" else "resolved of all"
        )
        if re.search(OF_INSTANCE, plain(self.path)):
            self.shared["run"] = self.path.rsplit("/", 2)[0]
        each = {one.key: 1 for one in self.judged if not isinstance(one.value, Error)}
        yield Declared(self.shared, total, each)

    def instances(self, data: bytes) -> tuple[list[harness.Record], int | None]:
        """Each instance of a document, and how many there were by its word."""
        if b'"model_patch"' in data[: 1 << 16]:
            raise harness.Refused("these are predictions, which have no score: the harness writes "
                                  "it to {model}.{run_id}.json when it evaluates them")  # fmt: skip
        found = members(data)
        if "resolved_ids" in found:
            total = printed_count(msgspec.json.decode(found.get("total_instances", b"null")))
            return _listed(data, found, OUTCOMES), total
        if "resolved" in found and not bytes(memoryview(found["resolved"])).startswith(b"{"):
            if "generated" not in found:
                raise harness.Refused(
                    "it names the instances that were resolved, but not all that were tried: "
                    "read report.json of the instances, or per_instance_details.json"
                )
            return _listed(data, found, OLDER), None
        if not found:
            raise harness.Refused("the log holds no instances")
        return [_judged(one) for one in self.each(data, INSTANCE, harness.OBJECT)], None

    def records(self) -> Iterator[harness.Record]:
        return iter(self.judged)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        one = record.value
        if self.entry.unjudged == "wrong" or one.outcome != UNTRIED:
            more = {"cost": one.cost, "api_calls": one.api_calls}
            yield {"sample_id": record.key, "epoch": 0, **more}

    def score(self, record: harness.Record, row: dict[str, Any]) -> bool:
        if self.entry.unjudged == "missing" and record.value.outcome == ERROR:
            raise Error(f"sample ended in an error: it is told under {record.value.told}", "absent")
        return bool(record.value.outcome == RESOLVED)

    def printed_numbers(self) -> Iterator[Printed]:
        data = self.document()
        told = decoded(data, dict[str, Any])
        if "resolved_instances" not in told:
            return
        try:
            judged, _ = self.instances(data)
        except FAULTS as error:
            raise Error(document_fault(error, data)) from error
        counted = (RESOLVED, WRONG) if self.entry.unjudged == "missing" else {*OUTCOMES.values()}
        of = sum(getattr(one.value, "outcome", "") in counted for one in judged)
        yield self.number("resolved_instances", told["resolved_instances"], low=0.0, high=of)


def _listed(
    data: bytes, found: Mapping[str, msgspec.Raw], outcomes: Mapping[str, str]
) -> list[harness.Record]:
    """The instances of a report that lists their ids; the first list with one counts."""
    records: dict[str, harness.Record] = {}
    for name in outcomes:
        raws = msgspec.json.decode(found.get(name, b"null"), type=list[msgspec.Raw] | None) or []
        for raw, place in zip(raws, places(data, raws), strict=True):
            instance = str(msgspec.json.decode(raw, type=str | int))
            value = Instance(outcome=outcomes[name], told=name)
            record = harness.Record(place, value, bytes(memoryview(raw)), instance)
            first = records.setdefault(instance, record)
            verdicts = {outcomes[name], getattr(first.value, "outcome", "")}
            if outcomes is OUTCOMES and RESOLVED in verdicts and len(verdicts - {""}) > 1:
                why = f"the instance is in {first.value.told}, and in a list of others"
                records[instance] = first._replace(value=Error(why, "repeat"))
    return [*records.values()]


def _judged(record: harness.Record) -> harness.Record:
    """An instance that has an object of its own."""
    one = record.value
    if isinstance(one, Instance):
        if one.resolved is None:
            return record._replace(value=Error("it does not say whether the instance is resolved"))
        one.outcome = RESOLVED if one.resolved else ERROR if one.infra_failure else WRONG
        one.told = "infra_failure" if one.outcome == ERROR else "resolved"
    return record


def offer(log: Log, entry: Entry) -> Offer:
    """What an instance without a verdict may be: wrong, for the rate of the harness is of all.

    Where fewer than half were tried, that rate says nothing of the model, and is not offered.
    """
    reader = Reader(log, entry)
    judged, _ = reader.instances(reader.document())
    untried = sum(getattr(one.value, "outcome", "") == UNTRIED for one in judged)
    names = ["missing"] if 2 * untried > len(judged) else ["wrong", "missing"]
    return harness.offer_of([], unjudged=names)


read, printed = Reader.read, Reader.printed
