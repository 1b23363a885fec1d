"""Inspect AI, log versions 2 and 3: `.eval` archives and `.json` documents.

Only what was graded in a run that ended well is a sample: whatever an error, a cancellation or a
missing grade touched is refused with the reason, since it says nothing about the model.

The head tells how many samples a log was to hold. The ids of the data set are those of the samples
that were asked for. Its number of samples may be that of all there are, under a limit too: it
counts only where no ids are told.

It printed `results.scores` in the head. A metric is of one value for each problem, which a reducer
made of its epochs; without a reducer it is their mean (`_eval/task/results.py`,
`scorer/_reducer/reducer.py`, `scorer/_metrics/`).
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import (
    Declared,
    Offer,
    Place,
    Printed,
    Reject,
    Statistic,
    excerpt,
    printed_count,
    printed_number,
)
from heatproof.formats.documents import decoded, document, object_in
from heatproof.formats.inspect_log import (
    Header,
    Sample,
    head_of,
    members_of,
    name_of,
    sample_of,
    samples_of,
    tokens,
)
from heatproof.formats.inspect_scores import Choice, answer_of, is_pattern
from heatproof.formats.params import excerpted
from heatproof.formats.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.logs.archives import Archive
from heatproof.logs.streams import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.formats.api import Log


VERSIONS = (2, 3)
OTHERS = {"logs.json", "eval-set.json", "listing.json"}
"""What else Inspect writes beside its logs: their heads, and of what set they are."""

Status = Literal["success", "started", "cancelled", "error"]


class Entry(harness.Tuned, kw_only=True):
    """Keys of an `inspect` source."""

    scorer: Preference | None = None
    """Which score, where a task has several: a name (`name.key` of a score that is a mapping), a
    list of names of which the first that a task has is taken, or either by task (`{gsm8k: match,
    mmlu_*: choice}`). A name with a `*` is a pattern: each score that fits is read, `"*"` all."""
    status: list[Status] = msgspec.field(default_factory=lambda: ["success"])
    """Logs whose samples count; those of others are incomplete."""
    answers: bool = False
    """Keep which samples have the same answer (`answer` of the score), for a vote (maj@k)."""

    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")
    prefers: ClassVar[tuple[str, ...]] = ("scorer",)
    prints: ClassVar[bool] = True

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] in OTHERS

    def mistakes(self) -> list[str]:
        problems = super().mistakes()
        by_task = self.scorer if isinstance(self.scorer, dict) else {"": self.scorer}
        for task, names in by_task.items():
            for name in names if isinstance(names, list) else ():
                if is_pattern(name):
                    place = f".scorer.{task}" if task else ".scorer"
                    problems.append(
                        f"{place}: {name!r} is a pattern, which takes all that fit: it stands "
                        "alone, not in a list of which one is taken"
                    )
        return problems


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    if Entry.is_sidecar(path):
        return ""
    told = all(name in head for name in (b'"status"', b'"eval"', b'"run_id"', b'"task_id"'))
    return "it has a status and an eval with run_id" if path.endswith(".json") and told else ""


class Reader(harness.Reader):
    """A record is a score of a sample: a member of an archive, or an item of a document."""

    def begin(self) -> None:
        self.open, self.head, self.count = ExitStack(), "", 0
        if self.path.endswith(".eval"):
            archive = self.open.enter_context(Archive(self.log.file.hashed()))
            self.header, self.head = head_of(archive, self.entry.max_document)
            self.parts = members_of(archive, self.entry.max_record)
        else:
            self.header, self.parts = samples_of(self.log, self.entry.max_document)
        header, entry = self.header, self.entry
        if header.version not in VERSIONS:
            raise harness.Refused(f"log version {header.version}; known are 2 and 3")
        if not header.eval:
            raise harness.Refused("the head tells no evaluation: no Inspect log")
        names = {name: str(header.eval.get(name) or "") for name in ("model", "task")}
        self.settle(names, header.params())
        scorers = header.scorers() if header.status in entry.status else []
        self.choice = Choice(entry, scorers, self.shared["task"], self.path)

    def records(self) -> Iterator[harness.Record | Reject]:
        for member, place, data in self.parts:
            self.count += 1
            content = data if isinstance(data, bytes) else member.encode()
            try:
                sample = self.sample(data)
                grades = self.choice.of(sample)
            except harness.Refused as error:
                yield harness.Record(place, error, content, member=member)
                continue
            for grade in grades:
                if grade.why:
                    why = grade.why if len(grades) == 1 else f"{grade.name}: {grade.why}"
                    yield Reject(place, why, excerpt(content), member, kind=grade.kind)
                else:
                    yield harness.Record(place, (sample, grade), content, member=member)

    def sample(self, data: bytes | Unreadable) -> Sample:
        """A sample that can be graded. Raises Refused."""
        if isinstance(data, Unreadable):
            raise harness.Refused(str(data), data.kind)
        status = self.header.status
        if status not in self.entry.status:
            raise harness.Refused(
                f"the log's status is {status}; `status: [success, {status}]` counts it", "absent"
            )
        return sample_of(data, self.entry.answers)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        sample, grade = record.value
        row = {
            "sample_id": str(sample.id),
            "epoch": sample.epoch,
            "scorer": grade.name,
            "score": grade.score,
            "tokens": tokens(sample),
            "time": sample.total_time,
        }
        yield row | {"answer": answer_of(sample, grade.name)} if self.entry.answers else row

    def ended(self) -> Iterator[Declared | Reject]:
        status = self.header.status
        if not self.count:
            why = "the log holds no samples"
            why += "" if status == "success" else f" (its status is {status})"
            yield Reject(Place(1, 0, 0), why, "", self.head, kind="absent", whole=True)
        yield declared(self.header, self.shared, self.count)

    def close(self) -> None:
        self.open.close()

    def printed_numbers(self) -> Iterator[Printed]:
        """The numbers in the head, where its samples count."""
        header, entry = _header(self.log, self.entry), self.entry
        results = header.results or {}
        scores = results.get("scores") if header.status in entry.status else None
        for score in scores if isinstance(scores, list) else []:
            metrics = score.get("metrics") if isinstance(score, dict) else None
            reducer = score.get("reducer") if isinstance(score, dict) else None
            for key, metric in metrics.items() if isinstance(metrics, dict) else ():
                number = metric if isinstance(metric, dict) else {"value": metric}
                parts = filter(None, (str(score.get("name")), reducer, key))
                yield self.number(
                    "/".join(map(str, parts)),
                    number.get("value"),
                    scorer=name_of(score),
                    statistic=STATISTICS.get(key, "mean"),
                    over="mean" if reducer is None else str(reducer),
                    problems=printed_count(score.get("scored_samples")),
                    run=printed_count(results.get("completed_samples")),
                    why=_why(key, number, reducer, entry),
                )


def declared(header: Header, shared: dict[str, Any], seen: int) -> Declared:
    """What the log was to hold; `seen`: samples in it, of whatever grade.

    A sample that was stopped early, as it was meant to be, is not asked for.
    """
    epochs = max(_number(object_in(header.eval, "config").get("epochs")) or 1, 1)
    stopped = _stopped(header)
    if ids := _ids(header):
        each = {one: epochs * n - stopped[one] for one, n in Counter(ids).items()}
        each = {one: n for one, n in each.items() if n > 0}
        return Declared(shared, sum(each.values()), each, part=_part(header, len({*ids})))
    problems = _problems(header)
    if problems is None:
        return Declared(shared, seen if header.status == "success" else None)
    samples = max(problems * epochs - stopped.total(), 0)
    return Declared(shared, samples, part=_part(header, problems))


def _part(header: Header, asked: int) -> tuple[int, int] | None:
    there = _number(object_in(header.eval, "dataset").get("samples"))
    return None if there is None else (asked, there)


def _ids(header: Header) -> list[str]:
    listed = object_in(header.eval, "dataset").get("sample_ids")
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _problems(header: Header) -> int | None:
    """Problems asked for, where their ids are not told."""
    config = object_in(header.eval, "config")
    samples, limit = _number(object_in(header.eval, "dataset").get("samples")), config.get("limit")
    chosen = config.get("sample_id")
    if isinstance(chosen, list):
        samples = len(chosen)
    elif isinstance(chosen, str | int):
        samples = 1
    if isinstance(limit, list) and len(limit) == 2:
        first, stop = (_number(one) or 0 for one in limit)
        return max(0, min(stop, samples or stop) - first)
    if (most := _number(limit)) is not None:
        return most if samples is None else min(most, samples)
    return samples


def _stopped(header: Header) -> Counter[str]:
    """Epochs of each problem that were stopped early."""
    listed = object_in(header.results or {}, "early_stopping").get("early_stops")
    found = listed if isinstance(listed, list) else []
    return Counter(str(one.get("id")) for one in found if isinstance(one, dict))


def _number(given: Any) -> int | None:
    return given if type(given) is int and given >= 0 else None


STATISTICS: dict[str, Statistic] = {
    "accuracy": "mean",
    "mean": "mean",
    "stderr": "stderr",
    "std": "std",
    "var": "var",
}


def _header(log: Log, entry: Entry) -> Header:
    if log.path.endswith(".eval"):
        with Archive(log.root / log.path) as archive:
            return head_of(archive, entry.max_document)[0]
    return decoded(document(log, entry.max_document), Header)  # type: ignore[no-any-return]


def _why(key: str, told: dict[str, Any], reducer: object, entry: Entry) -> str:
    if printed_number(told.get("value")) is None:
        return "it is not a number"
    if key not in STATISTICS:
        return f"{excerpted(key)} is none of {', '.join(STATISTICS)}"
    if told.get("params"):
        return f"the metric has settings of its own: {excerpted(told['params'])}"
    if entry.range and reducer not in (None, "mean", "median", "mode", "max"):
        return f"{excerpted(reducer)} asks for scores on their own scale, not on that of `range`"
    return ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and scorers as far as its head tells."""
    if log.path.endswith(".eval"):
        with Archive(log.file.hashed()) as archive:
            header, _ = head_of(archive, entry.max_document)
    else:
        header, _ = samples_of(log, entry.max_document)
    counts = header.status in entry.status  # of others no sample is read, and no score
    return harness.offer_of(header.params(), **({"scorer": header.scorers()} if counts else {}))


read, printed = Reader.read, Reader.printed
