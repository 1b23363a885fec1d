"""Inspect AI, log versions 2 and 3: `.eval` archives and `.json` documents.

Only what was graded in a run that ended well is a sample: whatever an error, a cancellation or a
missing grade touched is refused with the reason, since it says nothing about the model.

The head tells how many samples a log was to hold: the ids of the data set there are those of the
samples that were asked for, the number beside them that of all there are.

It printed `results.scores` in the head. A metric is of one value for each problem, which a reducer
made of its epochs; without a reducer it is their mean (`_eval/task/results.py`,
`scorer/_reducer/reducer.py`, `scorer/_metrics/`).
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness, inspect_log, preferences
from heatproof.formats.api import (
    Statistic,
    excerpt,
    printed_count,
    printed_number,
    score_fault,
    score_kind,
)
from heatproof.formats.documents import object_in
from heatproof.formats.params import excerpted, unit
from heatproof.formats.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.logs.archives import Archive
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.formats.inspect_log import Header, Score


VERSIONS = (2, 3)
OTHERS = {"logs.json", "eval-set.json", "listing.json"}
"""What else Inspect writes beside its logs: their heads, and of what set they are."""
STATISTICS: dict[str, Statistic] = {
    "accuracy": "mean", "mean": "mean", "stderr": "stderr", "std": "std", "var": "var",
}  # fmt: skip
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

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        by_task = self.scorer if isinstance(self.scorer, dict) else {"": self.scorer}
        for task, names in by_task.items():
            problems += [
                Mistake(
                    f".scorer{f'.{task}' if task else ''}",
                    f"{name!r} is a pattern, which takes all that "
                    "fit: it stands alone, not in a list of which one is taken",
                )
                for name in (names if isinstance(names, list) else ())
                if "*" in name
            ]
        return problems


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    keys = (b'"status"', b'"eval"', b'"run_id"', b'"task_id"')
    is_log = path.endswith(".json") and not Entry.is_sidecar(path) and all(k in head for k in keys)
    return "it has a status and an eval with run_id" if is_log else ""


class Reader(harness.Reader):
    """A record is a score of a sample: a member of an archive, or an item of a document."""

    def begin(self) -> None:
        header, entry = self.read_head(), self.entry
        if header.version not in VERSIONS:
            raise Error(f"log version {header.version}; known are 2 and 3")
        if not header.eval:
            raise Error("the head tells no evaluation: no Inspect log")
        names = {name: str(header.eval.get(name) or "") for name in ("model", "task")}
        self.settle(names, header.params())
        self.place = f"sources.{entry.name}.scorer"
        self.preferred = preferences.of_task(entry.scorer, self.shared["task"])
        is_pattern = isinstance(self.preferred, str) and "*" in self.preferred
        self.pattern = str(self.preferred) if is_pattern else ""
        scorers = header.scorers() if header.status in entry.status else []
        self.scorer = self._of_head(scorers) if scorers else ""

    def read_head(self) -> Header:
        self.open, self.head, self.count = ExitStack(), "", 0
        if self.path.endswith(".eval"):
            archive = self.open.enter_context(Archive(self.log.file.hashed()))
            self.header, self.head = inspect_log.head_of(archive, self.entry.max_document)
            self.parts = inspect_log.members_of(archive, self.entry.max_record)
        else:
            self.header, self.parts = inspect_log.samples_of(self.document())
        return self.header

    def close(self) -> None:
        self.open.close()

    def records(self) -> harness.Records:
        for member, place, data in self.parts:
            self.count += 1
            content = data if isinstance(data, bytes) else member.encode()
            record = harness.Record(place, None, content, member=member)
            try:
                sample = self._sample(data)
                names = self._scorers(sample.scores or {})
            except preferences.Unchosen:
                raise
            except Error as error:
                yield record._replace(value=error)
                continue
            for name in names:
                try:
                    score = unit(inspect_log.value_of(sample.scores or {}, name), self.entry.range)
                    why = score_fault(score, *self.entry.range)
                    kind = score_kind(score)
                except Error as error:
                    why, kind = str(error), error.kind
                if why:
                    why = why if len(names) == 1 else f"{name}: {why}"
                    yield harness.Reject(place, why, excerpt(content), member, kind=kind)
                else:
                    yield record._replace(value=(sample, name, score))

    def _sample(self, data: bytes | Unreadable) -> inspect_log.Sample:
        """A sample that can be graded. Raises Error."""
        if isinstance(data, Unreadable):
            raise data
        status = self.header.status
        if status not in self.entry.status:
            raise Error(f"the log's status is {status}; `status: [success, {status}]` counts it",
                        "absent")  # fmt: skip
        return inspect_log.sample_of(data)

    def _of_head(self, names: Sequence[str]) -> str:
        """The score that config.yaml asks for, among those that the head names; '' of a pattern."""
        if self.pattern:
            if not any(fnmatchcase(name, self.pattern) for name in names):
                there = choices("", names)
                raise preferences.Unchosen(
                    Mistake(self.place, f"{self.pattern!r} fits no scorer of {self.path}; {there}")
                )
            return ""
        listed = [self.preferred] if isinstance(self.preferred, str) else self.preferred or []
        above = {name.rpartition(".")[0] for name in names} | {*names}  # a name may be a key of one
        below = [name for name in listed if name not in names
                 and any(name.startswith(f"{base}.") for base in above - {""})]  # fmt: skip
        return preferences.chosen([*names, *below], self.preferred, self.place, self.path)

    def _scorers(self, scores: Mapping[str, Score]) -> list[str]:
        """Names of the scores of a sample that are asked for, or of the only one."""
        if self.pattern:
            there = [*inspect_log.single(scores)]
            names = [name for name in there if fnmatchcase(name, self.pattern)]
            if not names:
                raise Error(f"no score fits {self.pattern!r}; {choices('', there)}", "missing")
            return names
        if isinstance(self.preferred, str):
            return [self.preferred]
        if self.scorer and (self.preferred is not None or len(scores) == 1):
            return [self.scorer]
        names = [*inspect_log.single(scores)] if self.preferred else sorted(scores)
        return [preferences.chosen(names, self.preferred, self.place, self.path)]

    def samples(self, record: harness.Record) -> harness.Rows:
        sample, name, score = record.value
        row = {"sample_id": str(sample.id), "epoch": sample.epoch, "scorer": name, "score": score}
        row |= {"tokens": sample.tokens(), "time": sample.total_time}
        if self.entry.answers:
            row["answer"] = sample.scores[inspect_log.key_in(sample.scores, name)[0]].answer
        yield row

    def ended(self) -> harness.Sizes:
        status = self.header.status
        if not self.count:
            why = "the log holds no samples"
            why += "" if status == "success" else f" (its status is {status})"
            yield harness.refusal(why, "absent", self.head)
        yield declared(self.header, self.shared, self.count)

    def printed_numbers(self) -> harness.Numbers:
        """The numbers in the head, where its samples count."""
        header, entry = self.read_head(), self.entry
        results = header.results or {}
        scores = results.get("scores") if header.status in entry.status else None
        for score in filter(harness.is_object, scores if isinstance(scores, list) else []):
            reducer = score.get("reducer")
            for key, metric in object_in(score, "metrics").items():
                number = metric if isinstance(metric, dict) else {"value": metric}
                parts = filter(None, (str(score.get("name")), reducer, key))
                yield self.number(
                    "/".join(map(str, parts)),
                    number.get("value"),
                    scorer=inspect_log.name_of(score),
                    statistic=STATISTICS.get(key, "mean"),
                    over="mean" if reducer is None else str(reducer),
                    problems=printed_count(score.get("scored_samples")),
                    run=printed_count(results.get("completed_samples")),
                    why=_why(key, number, reducer, entry),
                )

    def offers(self) -> harness.Offer:
        header = self.read_head()
        counts = header.status in self.entry.status  # of others no sample is read, and no score
        return harness.Offer(header.params(), {"scorer": header.scorers()} if counts else {})


def declared(header: Header, shared: dict[str, Any], size: int) -> harness.Declared:
    """What the log was to hold; `size`: samples in it, of whatever grade.

    A sample that was stopped early, as it was meant to be, is not asked for.
    """
    dataset = object_in(header.eval, "dataset")
    ids, there = dataset.get("sample_ids"), printed_count(dataset.get("samples"))
    config = object_in(header.eval, "config")
    epochs = max(printed_count(config.get("epochs")) or 1, 1)
    if not isinstance(ids, list) or not ids:  # of releases before the end of 2024
        if there is None or config.get("limit") or config.get("sample_id"):
            return harness.Declared(shared, size if header.status == "success" else None)
        return harness.Declared(shared, there * epochs, part=(there, there))
    stops = object_in(header.results or {}, "early_stopping").get("early_stops")
    stops = stops if isinstance(stops, list) else []
    stopped = Counter(str(stop.get("id")) for stop in stops if isinstance(stop, dict))
    sizes = {name: epochs * n - stopped[name] for name, n in Counter(map(str, ids)).items()}
    part = None if there is None else (len(sizes), there)
    sizes = {name: n for name, n in sizes.items() if n > 0}
    return harness.Declared(shared, sum(sizes.values()), sizes, part=part)


def _why(key: str, number: dict[str, Any], reducer: object, entry: Entry) -> str:
    """Why a number is not of the kind that is counted here; empty if it is."""
    if printed_number(number.get("value")) is None:
        return "it is not a number"
    if key not in STATISTICS:
        return f"{excerpted(key)} is none of {', '.join(STATISTICS)}"
    if number.get("params"):
        return f"the metric has settings of its own: {excerpted(number['params'])}"
    if entry.range and reducer not in (None, "mean", "median", "mode", "max"):
        return f"{excerpted(reducer)} asks for scores on their own scale, not on that of `range`"
    return ""


read, printed, offer = Reader.read, Reader.printed, Reader.offer
