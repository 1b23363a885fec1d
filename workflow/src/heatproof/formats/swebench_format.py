"""SWE-bench: the outcome of each instance, in any of the files that its harness writes.

- The report of a run, `{model}.{run_id}.json`: lists of ids, `resolved_ids`, `unresolved_ids`, …
  (`swebench/harness/reporting.py`, schema 2). The id of an infrastructure failure is also among
  those that are unresolved or have errors.
- `report.json` of an instance, `{id: {"resolved": …, "patch_exists": …}}`, in
  `logs/run_evaluation/{run_id}/{model}/{id}/` (`swebench/harness/grading.py`), and
  `per_instance_details.json` of the leaderboard, the same for many.

Other files, such as `results.json` of the leaderboard, do not list all instances that were tried,
and are refused.

An instance is wrong if its tests failed, or if there was no patch. It is missing if it could not be
judged (an error, a failure of the infrastructure), or has no prediction; the harness counts these
as wrong, and so does `unjudged: wrong`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count
from heatproof.formats.decoding import decoded, members, places
from heatproof.formats.detection import plain
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


OF_INSTANCE = r"run_evaluation/(?P<run_id>[^/]+)/(?P<model>[^/]+)/[^/]+/report\.json$"
REPORT = r"\g<model>.\g<run_id>.json"  # of the run of an instance
OF_RUN = (
    (
        r"(?:^|/)(?P<model>[^/]+)(?:(?<!\d)\.|\.(?!\d))"  # points between digits: of a version
        r"(?P<run_id>(?:[^/.]|(?<=\d)\.(?=\d))+)\.json$"
    ),
    r"(?:^|/)(?P<model>[^/]+)\.(?P<run_id>[^/.]+)\.json$",
)
RESOLVED = "resolved"
WRONG = "wrong"
ERROR = "error"
UNTRIED = "untried"
OUTCOMES = {
    "resolved_ids": RESOLVED, "empty_patch_ids": WRONG, "infra_failure_ids": ERROR,
    "ambiguous_failure_ids": ERROR, "error_ids": ERROR, "unresolved_ids": WRONG,
    "incomplete_ids": UNTRIED,
}  # fmt: skip
"""List of the report of a run → the outcome; the first list with an instance counts."""
SIGNS = {
    "a report of a run": (b'"total_instances"', b'"resolved_ids"'),
    "a report of instances": (b'"resolved"', b'"patch_successfully_applied"'),
    "details of instances": (b'"resolved"', b'"api_calls"'),
    "a list of instances that were resolved": (b'"resolved"', b'"no_generation"'),
    "predictions, which have no score": (b'"instance_id"', b'"model_patch"'),
}
"""What a file is → keys in it."""


class Entry(harness.Placed, kw_only=True):
    """Keys of a `swebench` source."""

    unjudged: Literal["missing", "wrong"] = "missing"
    """An instance without judgment or prediction is missing, or wrong as in the rate that the
    harness prints."""
    own: ClassVar[dict[str, Any]] = {"run_id": "str"}
    measures: ClassVar[tuple[str, ...]] = ("cost", "api_calls")
    usual: ClassVar[tuple[str, ...]] = (OF_INSTANCE, *OF_RUN)
    slash: ClassVar[str] = "__"
    shares_runs: ClassVar[bool] = True
    prints: ClassVar[str] = "log"

    @classmethod
    def retold(cls, logs: Sequence[str], others: Sequence[str]) -> list[str]:  # noqa: ARG003
        """Reports of instances whose run has a report."""
        names = {path.rsplit("/", 1)[-1] for path in logs}
        instances = {path: re.search(OF_INSTANCE, path) for path in logs}
        return [p for p, match in instances.items() if match and match.expand(REPORT) in names]


class Instance(msgspec.Struct, gc=False):
    """The outcome of an instance."""

    resolved: bool | None = None
    infra_failure: bool = False
    cost: float | None = None
    api_calls: float | None = None
    outcome: str = ""
    source: str = ""  # under which key that stands


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if not plain(path).endswith((".json", ".jsonl")):
        return ""
    for kind, keys in SIGNS.items():
        if all(key in head for key in keys):
            return f"it is {kind}"
    return ""


class Reader(harness.Reader):
    """The log is a document; a record is an instance."""

    def begin(self) -> harness.Sizes:
        self.held, total = self.instances()
        self.settle({"task": "SWE-bench"})
        is_strict = self.entry.unjudged == "missing"
        self.shared["scorer"] = "resolved" if is_strict else "resolved of all"
        if re.search(OF_INSTANCE, plain(self.path)):
            self.shared["run"] = self.path.rsplit("/", 2)[0]
        # The harness's rate is of all: where few were tried, it says nothing of the model.
        untried = sum(getattr(r.value, "outcome", "") == UNTRIED for r in self.held)
        if 2 * untried > len(self.held):
            names = ["missing"]
        else:
            names = ["wrong", "missing"]
        self.offered.choices["unjudged"] = names
        epochs = {r.key: 1 for r in self.held if not isinstance(r.value, Error)}
        yield harness.Declared(self.shared, total, epochs)

    def instances(self) -> tuple[list[harness.Record], int | None]:
        """Each instance of the document, and the number of instances that it states."""
        data = self.document()
        if b'"model_patch"' in data[: 1 << 16]:
            raise Error("these are predictions, which have no score: the harness writes it to "
                        "{model}.{run_id}.json when it evaluates them")  # fmt: skip
        lists = members(data)
        if "resolved_ids" in lists:
            total = printed_count(msgspec.json.decode(lists.get("total_instances", b"null")))
            return _listed(data, lists), total
        if "resolved" in lists and not bytes(memoryview(lists["resolved"])).startswith(b"{"):
            raise Error("it names the instances that were resolved, but not all that were tried:"
                        " read report.json of each, or per_instance_details.json")  # fmt: skip
        if not lists:
            raise Error("the log holds no instances")
        return [_judged(record) for record in self.items(data, Instance, harness.OBJECT)], None

    def samples(self, record: harness.Record) -> harness.Rows:
        instance = record.value
        if self.entry.unjudged == "wrong" or instance.outcome != UNTRIED:
            yield {"sample_id": record.key, "epoch": 0, "cost": instance.cost,
                   "api_calls": instance.api_calls}  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> bool:
        if self.entry.unjudged == "missing" and record.value.outcome == ERROR:
            why = f"sample ended in an error: it is listed under {record.value.source}"
            raise Error(why, "absent")
        return bool(record.value.outcome == RESOLVED)

    def printed_numbers(self) -> harness.Numbers:
        records, _ = self.instances()
        document = decoded(self.data, dict[str, Any])
        if "resolved_instances" in document:
            strict = self.entry.unjudged == "missing"
            counted = set(OUTCOMES.values())
            if strict:
                counted = {RESOLVED, WRONG}
            size = sum(getattr(r.value, "outcome", "") in counted for r in records)
            yield self.number("resolved_instances", document["resolved_instances"], high=size)


def _listed(data: bytes, lists: Mapping[str, msgspec.Raw]) -> list[harness.Record]:
    records: dict[str, harness.Record] = {}
    for name, outcome in OUTCOMES.items():
        raws = msgspec.json.decode(lists.get(name, b"null"), type=list[msgspec.Raw] | None) or []
        for raw, place in zip(raws, places(data, raws), strict=True):
            instance = str(msgspec.json.decode(raw, type=str | int))
            value = Instance(outcome=outcome, source=name)
            first = records.setdefault(
                instance, harness.Record(place, value, bytes(memoryview(raw)), instance)
            )
            outcomes = {outcome, getattr(first.value, "outcome", outcome)}
            if RESOLVED in outcomes and len(outcomes) > 1:
                why = f"the instance is in {first.value.source}, and in a list of others"
                records[instance] = first._replace(value=Error(why, "repeat"))
    return list(records.values())


def _judged(record: harness.Record) -> harness.Record:
    instance = record.value
    if isinstance(instance, Instance):
        if instance.resolved is None:
            return record._replace(value=Error("it does not say whether the instance is resolved"))
        failed = not instance.resolved and instance.infra_failure
        if failed:
            instance.outcome = ERROR
        else:
            instance.outcome = RESOLVED if instance.resolved else WRONG
        instance.source = "infra_failure" if failed else "resolved"
    return record


read = Reader.read
printed = Reader.printed
offer = Reader.offer
