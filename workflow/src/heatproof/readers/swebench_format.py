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
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.readers.api import (
    Declared,
    Offer,
    Place,
    Printed,
    Reject,
    excerpt,
    printed_count,
    printed_number,
)
from heatproof.readers.decoding import Decoder
from heatproof.readers.detection import plain
from heatproof.readers.documents import (
    decoded,
    document,
    document_fault,
    members,
    one,
    places,
)
from heatproof.readers.faults import FAULTS
from heatproof.readers.harness import Placed, Refused, Rows, of_document, settings
from heatproof.readers.id_lists import gathered
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.readers.api import Batch, Log
    from heatproof.readers.harness import Parts


TASK = "SWE-bench"
OF_INSTANCE = re.compile(r"run_evaluation/(?P<run_id>[^/]+)/(?P<model>[^/]+)/[^/]+/report\.json$")
OF_RUN = (
    re.compile(
        r"(?:^|/)(?P<model>[^/]+)(?:(?<!\d)\.|\.(?!\d))"
        r"(?P<run_id>(?:[^/.]|(?<=\d)\.(?=\d))+)\.json$"
    ),
    re.compile(r"(?:^|/)(?P<model>[^/]+)\.(?P<run_id>[^/.]+)\.json$"),
)
"""The name of a report, first with points between digits as parts of a version."""
RESOLVED, WRONG, ERROR, UNTRIED = "resolved", "wrong", "error", "untried"
OUTCOMES = {
    "resolved_ids": RESOLVED,
    "empty_patch_ids": WRONG,
    "infra_failure_ids": ERROR,
    "ambiguous_failure_ids": ERROR,
    "error_ids": ERROR,
    "unresolved_ids": WRONG,
    "incomplete_ids": UNTRIED,
}
"""List of the report of a run → what became of its instances; the first list with one counts."""
OLDER = {
    "resolved": RESOLVED,
    "no_generation": WRONG,
    "no_apply": WRONG,
    "install_fail": ERROR,
    "reset_failed": ERROR,
    "test_errored": ERROR,
    "test_timeout": ERROR,
    "applied": WRONG,
    "generated": ERROR,
}
"""The same of the older report; what was generated, and is in no other list, has no log."""


class Entry(Placed, kw_only=True):
    """Keys of a `swebench` source."""

    unjudged: Literal["missing", "wrong"] = "missing"
    """What an instance is that could not be judged, or has no prediction: missing, or wrong as in
    the rate that the harness prints."""

    own: ClassVar[dict[str, Any]] = {"run_id": "str"}

    def columns(self) -> Columns:
        return replace(super().columns(), measures=["cost", "api_calls"])

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


class Instance(msgspec.Struct, gc=False):
    """What became of an instance, in a report of its own."""

    resolved: bool | None = None
    infra_failure: bool = False
    cost: float | None = None
    api_calls: float | None = None


class Judged(NamedTuple):
    """An instance, what became of it, and where that stands."""

    name: str
    outcome: str
    place: Place
    data: bytes
    told: str
    """The list that it stands in."""
    cost: float | None = None
    api_calls: float | None = None


SOME = 1 << 16
"""Bytes in which the keys of a prediction stand."""
INSTANCE = Decoder(msgspec.json.Decoder(Instance))
SIGNS = {
    "a report of a run": (b'"total_instances"', b'"resolved_ids"'),
    "a report of instances": (b'"resolved"', b'"patch_successfully_applied"'),
    "details of instances": (b'"resolved"', b'"api_calls"'),
    "an older report": (b'"resolved"', b'"no_generation"'),
    "predictions, which have no score": (b'"instance_id"', b'"model_patch"'),
}
"""What a file is → what is in it."""


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if not plain(path).endswith((".json", ".jsonl")):
        return ""
    found = (what for what, keys in SIGNS.items() if all(key in head for key in keys))
    what = next(found, "")
    return f"it is {what}" if what else ""


def offer(log: Log, entry: Entry) -> Offer:
    """What an instance without a verdict may be: wrong, for the rate of the harness is of all.

    Where fewer than half were tried, that rate says nothing of the model, and is not offered.
    """
    judged, _, _ = _judged(document(log, entry.max_document))
    untried = sum(one_.outcome == UNTRIED for one_ in judged)
    names = ["missing"] if 2 * untried > len(judged) else ["wrong", "missing"]
    return Offer(choices={"unjudged": names})


def read(log: Log, entry: Entry) -> Parts:
    """The samples of a log; an instance that could not be judged is refused, unless it is wrong."""

    def parts(data: bytes) -> Parts:
        judged, refused, total = _judged(data)
        shared = settings(entry, log.path, _named(log.path))
        shared["scorer"] = "resolved" if entry.unjudged == "missing" else "resolved of all"
        if OF_INSTANCE.search(plain(log.path)):
            shared["run"] = log.path.rsplit("/", 2)[0]
        yield Declared(shared, total, {one_.name: 1 for one_ in judged})
        rows = Rows(shared)
        for one_ in judged:
            yield from _taken(rows, one_, entry.unjudged)
        yield from refused
        yield rows.batch()

    yield from of_document(log, entry.max_document, parts)


def _named(path: str) -> dict[str, str]:
    """What the name of a file tells, as the harness gives it."""
    name = plain(path)
    found = next((m.groupdict() for one_ in (OF_INSTANCE, *OF_RUN) if (m := one_.search(name))), {})
    return {"task": TASK, **found, "model": found.get("model", "").replace("__", "/")}


def _judged(data: bytes) -> tuple[list[Judged], list[Reject], int | None]:
    """The instances of a document, those that contradict themselves, and how many there were."""
    if b'"model_patch"' in data[:SOME]:
        raise Refused(
            "these are predictions, which have no score: the harness writes it to "
            "{model}.{run_id}.json when it evaluates them"
        )
    found = members(data)
    if "resolved_ids" in found:
        judged, refused = _listed(data, found, OUTCOMES)
        total = msgspec.json.decode(found.get("total_instances", b"null"))
        return judged, refused, printed_count(total)
    if "resolved" in found and not bytes(memoryview(found["resolved"])).startswith(b"{"):
        if "generated" not in found:
            raise Refused(
                "it names the instances that were resolved, but not all that were tried: "
                "read report.json of the instances, or per_instance_details.json"
            )
        return (*_listed(data, found, OLDER), None)
    return (*_each(data, found), None)


def _listed(
    data: bytes, found: Mapping[str, msgspec.Raw], outcomes: Mapping[str, str]
) -> tuple[list[Judged], list[Reject]]:
    """The instances of a report that lists their ids."""
    judged, refused = [], []
    lists = {name: found[name] for name in outcomes if name in found}
    for told in gathered(data, lists):
        name, others = told.lists[0], {outcomes[name] for name in told.lists}
        one_ = Judged(told.name, outcomes[name], told.place, told.data, name)
        if outcomes is OUTCOMES and RESOLVED in others and len(others) > 1:
            refused.append(_contradicts(one_))
        else:
            judged.append(one_)
    return judged, refused


def _contradicts(one_: Judged) -> Reject:
    why = f"the instance is in {one_.told}, and in a list of others"
    return Reject(one_.place, why, excerpt(one_.data))


def _each(data: bytes, found: Mapping[str, msgspec.Raw]) -> tuple[list[Judged], list[Reject]]:
    """The instances of a report that has an object for each."""
    judged, refused = [], []
    where = places(data, [*found.values()])
    for (name, raw), place in zip(found.items(), where, strict=True):
        text = bytes(memoryview(raw))
        try:
            told = one(INSTANCE, text)
            if told.resolved is None:
                raise Error("it does not say whether the instance is resolved")
        except Error as error:
            refused.append(Reject(place, str(error), excerpt(text)))
            continue
        outcome = RESOLVED if told.resolved else ERROR if told.infra_failure else WRONG
        word = "infra_failure" if outcome == ERROR else "resolved"
        judged.append(Judged(name, outcome, place, text, word, told.cost, told.api_calls))
    if not found:
        raise Refused("the log holds no instances")
    return judged, refused


def _taken(rows: Rows, one_: Judged, unjudged: str) -> Iterator[Batch | Reject]:
    if unjudged == "missing" and one_.outcome == ERROR:
        why = f"sample ended in an error: it is told under {one_.told}"
        yield rows.lost(one_.place, why, one_.data, sample_id=one_.name, epoch=0)
    elif unjudged == "wrong" or one_.outcome != UNTRIED:
        row = {
            "sample_id": one_.name,
            "epoch": 0,
            "score": float(one_.outcome == RESOLVED),
            "cost": one_.cost,
            "api_calls": one_.api_calls,
        }
        yield from rows.take(one_.place, row, one_.data)


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """How many instances the report of a run calls resolved.

    Raises:
        Error: the log is damaged or too large.
    """
    data = document(log, entry.max_document)
    told = decoded(data, dict[str, Any])
    if "resolved_instances" not in told:
        return
    try:
        judged, _, _ = _judged(data)
    except FAULTS as error:
        raise Error(document_fault(error, data)) from error
    counted = (RESOLVED, WRONG) if entry.unjudged == "missing" else (*OUTCOMES.values(),)
    value = printed_number(told["resolved_instances"])
    yield Printed(
        file=log.path,
        name="resolved_instances",
        value=value,
        high=sum(one_.outcome in counted for one_ in judged),
        why="" if value is not None else "it is not a number",
    )
