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
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from heatproof.logs.archives import Archive
from heatproof.logs.streams import Unreadable
from heatproof.readers import preferences
from heatproof.readers.api import (
    Batch,
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
from heatproof.readers.documents import decoded, document, object_in
from heatproof.readers.inspect_log import (
    Header,
    Part,
    Sample,
    Untold,
    head_of,
    members_of,
    name_of,
    sample_of,
    samples_of,
    tokens,
)
from heatproof.readers.inspect_scores import Choice, answer_of, is_pattern
from heatproof.readers.params import Tuned, excerpted, lookup
from heatproof.readers.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.readers.api import Log
    from heatproof.readers.inspect_scores import Graded


VERSIONS = (2, 3)
OTHERS = {"logs.json", "eval-set.json", "listing.json"}
"""What else Inspect writes beside its logs: their heads, and of what set they are."""

Status = Literal["success", "started", "cancelled", "error"]


class Entry(Tuned, kw_only=True):
    """Keys of an `inspect` source."""

    scorer: Preference | None = None
    """Which score, where a task has several: a name (`name.key` of a score that is a mapping), a
    list of names of which the first that a task has is taken, or either by task (`{gsm8k: match,
    mmlu_*: choice}`). A name with a `*` is a pattern: each score that fits is read, `"*"` all."""
    status: list[Status] = msgspec.field(default_factory=lambda: ["success"])
    """Logs whose samples count; those of others are incomplete."""
    answers: bool = False
    """Keep which samples have the same answer (`answer` of the score), for a vote (maj@k)."""

    def columns(self) -> Columns:
        return replace(super().columns(), measures=["tokens", "time"], answers=self.answers)

    def keeping_answers(self) -> str:
        return "`answers: true`"

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] in OTHERS

    def mistakes(self) -> list[str]:
        told = preferences.mistakes("scorer", self.scorer)
        return [*super().mistakes(), *told, *(f".scorer{said}" for said in self._mixed())]

    def _mixed(self) -> Iterator[str]:
        given = self.scorer if isinstance(self.scorer, dict) else {"": self.scorer}
        for task, names in given.items():
            for name in names if isinstance(names, list) else ():
                if is_pattern(name):
                    yield (f"{'.' * bool(task)}{task}: {name!r} is a pattern, which takes all that "
                           "fit: it stands alone, not in a list of which one is taken")  # fmt: skip

    def chooses(self) -> bool:
        return not isinstance(self.scorer, str)

    def unchosen(self, tasks: Sequence[str]) -> list[str]:
        return [*preferences.unknown("scorer", self.scorer, tasks)]

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    if Entry.is_sidecar(path):
        return ""
    told = all(name in head for name in (b'"status"', b'"eval"', b'"run_id"', b'"task_id"'))
    return "it has a status and an eval with run_id" if path.endswith(".json") and told else ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and scorers as far as its head tells."""
    if log.path.endswith(".eval"):
        with Archive(log.file.hashed()) as archive:
            header, _ = head_of(archive, entry.max_document)
    else:
        header, _ = samples_of(log, entry.max_document)
    counts = header.status in entry.status  # of others no sample is read, and no score
    return Offer(header.params(), {"scorer": header.scorers()} if counts else {})


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
    names = header.scorers() if header.status in entry.status else []
    choose = Choice(entry, names, shared["task"], path)
    rows: dict[str, list[tuple[Place, Sample, str, float]]] = {}
    seen = 0
    for member, place, data in parts:
        seen += 1
        shown = data if isinstance(data, bytes) else member.encode()
        try:
            sample, graded = _graded(data, header, choose, entry)
        except Untold as error:
            yield Reject(place, str(error), excerpt(shown), member)
            continue
        for name, score, why in graded:
            if why:
                said = why if len(graded) == 1 else f"{name}: {why}"
                yield Reject(place, said, excerpt(shown), member)
            else:
                rows.setdefault(member, []).append((place, sample, name, score))
    if not seen:
        ended = "" if header.status == "success" else f" (its status is {header.status})"
        yield Reject(Place(1, 0, 0), f"the log holds no samples{ended}", "", head)
    yield declared(header, shared, seen)
    for member, found in rows.items():
        yield _batch(found, shared, member, entry)


def _graded(
    data: bytes | Unreadable, header: Header, choose: Choice, entry: Entry
) -> tuple[Sample, list[Graded]]:
    """A sample and its scores. Raises Untold where it has none."""
    if isinstance(data, Unreadable):
        raise Untold(str(data))
    if header.status not in entry.status:
        raise Untold(
            f"the log's status is {header.status}; `status: [success, {header.status}]` counts it"
        )
    sample = sample_of(data, entry.answers)
    return sample, choose.of(sample)


def _batch(
    rows: list[tuple[Place, Sample, str, float]], shared: dict[str, Any], member: str, entry: Entry
) -> Batch:
    columns: dict[str, list[Any]] = {
        "sample_id": [str(sample.id) for _, sample, _, _ in rows],
        "epoch": [sample.epoch for _, sample, _, _ in rows],
        "scorer": [name for _, _, name, _ in rows],
        "score": [score for _, _, _, score in rows],
        "tokens": [tokens(sample) for _, sample, _, _ in rows],
        "time": [sample.total_time for _, sample, _, _ in rows],
    }
    if entry.answers:
        columns["answer"] = [answer_of(sample, name) for _, sample, name, _ in rows]
    return Batch(columns, [place for place, _, _, _ in rows], shared, member)


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


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers in a log's head, where its samples count.

    Raises:
        Error: the log is damaged or too large.
    """
    header = _header(log, entry)
    if header.status not in entry.status:
        return
    scores = (header.results or {}).get("scores")
    for score in scores if isinstance(scores, list) else []:
        if isinstance(score, dict) and isinstance(score.get("metrics"), dict):
            samples = printed_count((header.results or {}).get("completed_samples"))
            yield from _of(score, samples, log.path, entry)


def _header(log: Log, entry: Entry) -> Header:
    if log.path.endswith(".eval"):
        with Archive(log.root / log.path) as archive:
            return head_of(archive, entry.max_document)[0]
    return decoded(document(log, entry.max_document), Header)  # type: ignore[no-any-return]


def _of(score: dict[str, Any], samples: int | None, path: str, entry: Entry) -> Iterator[Printed]:
    """The metrics of one scorer, or of one key of a score that is a mapping."""
    name, reducer = str(score.get("name")), score.get("reducer")
    low, high = entry.range or (0.0, 1.0)
    for key, metric in score["metrics"].items():
        told = metric if isinstance(metric, dict) else {"value": metric}
        yield Printed(
            file=path,
            name="/".join(map(str, filter(None, (name, reducer, key)))),
            value=printed_number(told.get("value")),
            scorer=name_of(score),
            statistic=STATISTICS.get(key, "mean"),
            over="mean" if reducer is None else str(reducer),
            problems=printed_count(score.get("scored_samples")),
            run=samples,
            low=low,
            high=high,
            why=_why(key, told, reducer, entry),
        )


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
