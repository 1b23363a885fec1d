"""Inspect AI, log versions 2 and 3: `.eval` archives and `.json` documents.

A sample counts if it was graded in a run that ended well. Errors, cancellations and missing grades
are refused: they say nothing about the model.

The head lists the ids of the samples that were asked for, and how many the data set has. Its
`results.scores` have printed metrics, of one value for each problem: the mean of its epochs, or
another reducer of them (`_eval/task/results.py`, `scorer/_reducer/reducer.py`, `scorer/_metrics/`).
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import decoding, harness
from heatproof.formats.api import Place, Statistic, printed_count, printed_number
from heatproof.formats.decoding import object_in, objects_in
from heatproof.formats.detection import plain
from heatproof.formats.harness import Preference  # noqa: TC001  msgspec looks it up
from heatproof.formats.params import Int64, excerpted, number_from_text
from heatproof.logs.archives import Archive
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


VERSIONS = (2, 3)
STATISTICS: dict[str, Statistic] = {
    "accuracy": "mean", "mean": "mean", "stderr": "stderr", "std": "std", "var": "var",
}  # fmt: skip
Status = Literal["success", "started", "cancelled", "error"]
HEADER = "header.json"
START = "_journal/start.json"
SAMPLES = "samples/"
HEAD = "sample.json"  # has the scores of a sample that is a folder
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
FOLDER = re.compile(r"samples/.+?_epoch_\d+/", re.DOTALL)
JOURNAL = "_journal/"
TABLES = {HEADER, "summaries.json", "reductions.json"}
"""Other members of an archive."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""As Inspect's `value_to_float`: correct, partial, incorrect, no answer."""


class Entry(harness.Harness, kw_only=True):
    """Keys of an `inspect` source."""

    scorer: Preference | None = None
    """Which score, if a task has several: a name (`name.key` within a mapping), a list (the first
    that a task has counts), or either by task (`{gsm8k: match, mmlu_*: choice}`). `*` reads each
    score that fits; `"*"` reads all."""
    status: list[Status] = msgspec.field(default_factory=lambda: ["success"])
    """Logs with this status count; runs of others are incomplete."""
    answers: bool = False
    """Keep which samples have the same answer (`answer` of the score), for a vote (maj@k)."""

    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")
    prefers: ClassVar[tuple[str, ...]] = ("scorer",)
    prints: ClassVar[str] = "log"
    others: ClassVar[str] = r"(?:.*/)?(?:logs|eval-set|listing)\.json"

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        by_task = self.scorer if isinstance(self.scorer, dict) else {"": self.scorer}
        for task, names in by_task.items():
            for name in names if isinstance(names, list) else ():
                message = f"{name!r} is a pattern and reads all scores that fit: write it alone, "
                message += "not in a list"
                if "*" in name:
                    problems.append(Mistake(f".scorer.{task}".rstrip("."), message))
        return problems


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    if path.endswith(".eval") and head.startswith(b"PK"):
        return "it is an .eval archive"
    keys = (b'"status"', b'"eval"', b'"run_id"', b'"task_id"')
    is_document = plain(path).endswith(".json") and not Entry.is_sidecar(path)
    is_log = is_document and all(key in head for key in keys)
    return "it has a status and an eval with run_id" if is_log else ""


class Header(msgspec.Struct):
    """The head of a log."""

    version: int = 2
    status: str = "started"
    eval: dict[str, Any] = {}
    plan: dict[str, Any] = {}
    results: dict[str, Any] | None = None

    def scorers(self, *, measured: bool = False) -> list[str]:
        """Names of the scores, `name.key` for each key of a mapping; `measured`: with a metric.

        A key has an entry of its own, which names its scorer; the scorer alone may have one too,
        without numbers (`_eval/task/results.py`).
        """
        scores = objects_in(self.results or {}, "scores") or objects_in(self.eval, "scorers")
        scores = [score for score in scores if score.get("name")]
        mappings = {str(s.get("scorer")) for s in scores if name_of(s) != str(s["name"])}
        if measured:
            scores = [score for score in scores if score.get("metrics")]
        return sorted({name_of(score) for score in scores} - mappings)

    def params(self) -> list[Any]:
        """Where hyper-parameters may lie, the plan first; last solver, time and roles of models."""
        keys = ("model_generate_config", "task_args", "solver_args", "model_args")
        roles = object_in(self.eval, "model_roles").items()
        models = {role: model.get("model") for role, model in roles if isinstance(model, dict)}
        run = {"solver": self.eval.get("solver"), "created": self.eval.get("created")}
        return [self.plan.get("config"), *map(self.eval.get, (*keys, "config", "metadata")),
                run | models]  # fmt: skip


def name_of(score: dict[str, Any]) -> str:
    """The name of a score of the results: its scorer, and its key if it has one."""
    name = str(score.get("name"))
    scorer = str(score.get("scorer") or score.get("name"))
    if name == scorer:
        return name
    return f"{scorer}.{name}"


class Document(Header):
    """A `.json` log: head and samples in one."""

    samples: list[msgspec.Raw] | None = None


class Score(msgspec.Struct):
    value: Any = None
    answer: Any = None


class Sample(msgspec.Struct):
    id: int | str
    epoch: Int64
    scores: dict[str, Score] | None = None
    error: Any = None
    invalidation: Any = None
    model_usage: dict[str, dict[str, Any]] | None = None
    total_time: float | None = None

    def tokens(self) -> float | None:
        counts = [usage.get("output_tokens") for usage in (self.model_usage or {}).values()]
        numbers = [count for count in counts if isinstance(count, int)]
        if numbers and max(numbers) < 2**53:
            return float(sum(numbers))
        return None


class Reader(harness.Reader):
    """A record is a sample, a member of an archive or an item of a document."""

    def begin(self) -> None:
        header = self.read_head()
        entry = self.entry
        if header.version not in VERSIONS:
            raise Error(f"log version {header.version}; heatproof reads versions 2 and 3")
        if not header.eval:
            raise Error("its head names no evaluation: it is not an Inspect log")
        names = {name: str(header.eval.get(name) or "") for name in ("model", "task")}
        self.settle(names, header.params())
        wish = harness.of_task(entry.scorer, self.shared["task"])
        self.pattern = wish if isinstance(wish, str) and "*" in wish else ""
        self.scorer = wish if isinstance(wish, str) and not self.pattern else ""
        if header.status in entry.status and (scorers := header.scorers()):
            if len(measured := header.scorers(measured=True)) == 1:
                self.offered.shown["scorer"] = str(self.shared["task"]), measured[0]
            if not self.pattern:
                self.scorer = self.chosen(scorers)
            elif not any(fnmatchcase(name, self.pattern) for name in scorers):
                message = f"{self.pattern!r} fits no scorer of {self.path}; {choices('', scorers)}"
                raise harness.Unchosen(Mistake(f"sources.{entry.name}.scorer", message))

    def chosen(self, scorers: Sequence[str]) -> str:
        """The score that config.yaml chooses, perhaps a key of a mapping."""
        bases = {name.rpartition(".")[0] for name in scorers} | set(scorers)
        prefixes = tuple(f"{base}." for base in bases - {""})
        names = harness.names_of(self.entry.scorer, self.shared["task"])
        keys = [name for name in names if name not in scorers and name.startswith(prefixes)]
        return self.choose("scorer", list(scorers) + keys)

    def read_head(self) -> Header:
        self.head = ""
        self.count = 0
        if not self.path.endswith(".eval"):
            data = self.document()
            self.header: Header = msgspec.json.decode(data, type=Document)
            members = decoding.members(data, Document.__struct_fields__)
            self.inside = members["samples"] if self.header.samples else b"[]"
            for name in members.keys() & set(Header.__struct_fields__):
                decoding.require_unique(bytes(memoryview(members[name])))
            return self.header
        archive = self.archive = Archive(self.log.file.hashed())
        self.head = next((name for name in (HEADER, START) if name in archive.names), "")
        if not self.head:
            raise Error(f"an archive without {HEADER}: it is not an Inspect log")
        self.header = decoding.decoded(archive.read(self.head, self.entry.max_document), Header)
        if self.head == START:
            self.header.status = "started"  # and never finished
        return self.header

    def records(self) -> harness.Records:
        status = self.header.status
        why = f"the log's status is {status}; `status: [success, {status}]` counts it"
        of_document = isinstance(self.header, Document)
        for record in self.items(self.inside) if of_document else self.in_archive(self.archive):
            self.count += 1
            if not isinstance(record.value, Error) and status not in self.entry.status:
                yield record._replace(value=Error(why, "absent"))
            else:
                yield record

    def in_archive(self, archive: Archive) -> Iterator[harness.Record]:
        """The samples of an archive, and refusals of damaged members.

        A sample is a member `{id}_epoch_{n}.json`, or a folder of that name: there `sample.json`
        holds all but the long lists (inspect_ai, `log/_recorders/chunked/format.py`). Other members
        are refused if they are damaged: they may have been samples.
        """
        sample_files = [n for n in archive.names if n.startswith(SAMPLES) and n.endswith(".json")]
        samples, headless = members_of(sample_files)
        for name in samples:
            if name in archive.repeated:
                twice = _unreadable(name, "the archive holds this member twice")
                yield from repeat(twice, archive.repeated[name])
                continue
            try:
                data = archive.read(name, self.entry.max_record)
                yield harness.Record(Place(1, 0, len(data)), None, data, member=name)
            except Unreadable as error:
                yield _unreadable(name, error)
        for folder in headless:
            yield _unreadable(folder, f"the folder of this sample has no {HEAD}")
        for name in archive.names:
            if name not in set(sample_files) | TABLES and not name.startswith(JOURNAL):
                try:
                    archive.head(name, 0)
                except Unreadable as error:
                    yield _unreadable(name, error)

    def samples(self, record: harness.Record) -> harness.Rows:
        sample = self.sample = sample_of(record.data)
        scores = sample.scores or {}
        self.scores = scores_by_name(scores)
        names = [name for name in self.scores
                 if name not in scores or not isinstance(scores[name].value, dict)]  # fmt: skip
        if not self.pattern:
            self.scorer = self.scorer or self.chosen(names)
        elif not (fitting := [name for name in names if fnmatchcase(name, self.pattern)]):
            raise Error(f"no score fits {self.pattern!r}; {choices('', names)}", "missing")
        for name in fitting if self.pattern else [self.scorer]:
            yield {"sample_id": str(sample.id), "epoch": sample.epoch, "scorer": name,
                   "tokens": sample.tokens(), "time": sample.total_time,
                   "answer": self.scores.get(name, Score()).answer}  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> float:
        name = row["scorer"]
        if name not in self.scores:
            why = f"no score by {name!r}; {choices(name, sorted(self.sample.scores or {}))}"
            raise Error(why, "missing")
        return value_of(self.scores[name].value, name)

    def ended(self) -> harness.Sizes:
        status = self.header.status
        if not self.count:
            why = "the log holds no samples"
            why += "" if status == "success" else f" (its status is {status})"
            yield harness.Reject.of_log(Error(why, "absent"), self.head)
        yield declared(self.header, self.shared, self.count)

    def printed_numbers(self) -> harness.Numbers:
        """The numbers in the head, if samples of its status count."""
        header = self.read_head()
        entry = self.entry
        results = header.results or {}
        for score in objects_in(results, "scores") if header.status in entry.status else ():
            reducer = score.get("reducer")
            for key, metric in object_in(score, "metrics").items():
                if isinstance(metric, dict):
                    number = metric
                else:
                    number = {"value": metric}
                names = filter(None, (str(score.get("name")), reducer, key))
                yield self.number(
                    "/".join(map(str, names)), number.get("value"), scorer=name_of(score),
                    statistic=STATISTICS.get(key, "mean"),
                    over="mean" if reducer is None else str(reducer),
                    problems=printed_count(score.get("scored_samples")),
                    run=printed_count(results.get("completed_samples")),
                    why=_why(key, number, reducer, entry),
                )  # fmt: skip


def members_of(inside: Sequence[str]) -> tuple[list[str], list[str]]:
    """The members that are samples, and the folders of samples without a head."""
    heads = {n for n in inside if n.endswith(f"/{HEAD}") and not WHOLE.fullmatch(n)}
    folders = {name.removesuffix(HEAD) for name in heads}
    samples = []
    headless = dict[str, None]()
    for name in inside:
        folder = FOLDER.match(name)
        above = {name[: slash.end()] for slash in re.finditer("/", name)}
        if name in heads or WHOLE.fullmatch(name) or not (folder or above & folders):
            samples.append(name)
        elif folder and not above & folders:
            headless[folder[0]] = None
    return samples, list(headless)


def _unreadable(member: str, why: object) -> harness.Record:
    return harness.Record(Place(1, 0, 0), Error(str(why), "damage"), member.encode(), member=member)


def sample_of(data: bytes) -> Sample:
    """A graded sample. Raises Error: it was not graded."""
    sample: Sample = decoding.decoder_of(Sample).one(decoding.plain(data))
    if sample.error:
        if isinstance(sample.error, dict):
            message = sample.error.get("message")
        else:
            message = sample.error
        raise Error(f"sample ended in an error: {excerpted(message)}", "absent")
    if sample.invalidation:
        raise Error("the sample was invalidated", "absent")
    if not sample.scores:
        raise Error("the sample has no score", "absent")
    return sample


def scores_by_name(scores: Mapping[str, Score]) -> dict[str, Score]:
    """The scores, with `name.key` for each key of a mapping, in order of the names."""
    by_name: dict[str, Score] = {}
    for name in sorted(scores):
        score = by_name[name] = scores[name]
        if isinstance(score.value, dict):
            for key in sorted(score.value):
                key_score = Score(score.value[key], score.answer)
                by_name.setdefault(f"{name}.{key}", scores.get(f"{name}.{key}", key_score))
    return by_name


def value_of(value: Any, name: str) -> float:
    """A score as the number that Inspect takes it for. Raises Error where Inspect would take 0."""
    if value == []:
        raise Error("the score is NaN, infinite or empty", "unscored")
    if isinstance(value, dict):
        keys = excerpted(", ".join(f"{name}.{key}" for key in sorted(value)))
        raise Error(f"the score is a mapping; choose one with `scorer`: {keys}", "type")
    number = value
    if isinstance(value, str):
        number = GRADES.get(value, GRADES.get(value.lower()) if len(value) > 1 else None)
        with suppress(ValueError):
            if number is None:
                number = number_from_text(value)
    if not isinstance(number, (int, float)):
        raise Error(f"the score is {excerpted(value)}, which is not a known grade", "type")
    try:
        if isinstance(number, bool):
            return number
        return float(number)
    except OverflowError:
        raise Error("the score is too large a number", "type") from None


def declared(header: Header, shared: dict[str, Any], size: int) -> harness.Declared:
    """What the log should hold; `size`: samples in it. Samples that stop early do not count."""
    dataset = object_in(header.eval, "dataset")
    ids = dataset.get("sample_ids")
    available = printed_count(dataset.get("samples"))
    config = object_in(header.eval, "config")
    epochs = printed_count(config.get("epochs")) or 1
    if not isinstance(ids, list) or not ids:  # of releases before the end of 2024
        if available is None or config.get("limit") or config.get("sample_id"):
            return harness.Declared(shared, size if header.status == "success" else None)
        return harness.Declared(shared, available * epochs, part=(available, available))
    stopping = object_in(header.results or {}, "early_stopping")
    stopped = Counter(str(stop.get("id")) for stop in objects_in(stopping, "early_stops"))
    sizes = {name: epochs * n - stopped[name] for name, n in Counter(map(str, ids)).items()}
    if available is None:
        of_data_set = None
    else:
        of_data_set = (len(sizes), available)
    sizes = {name: n for name, n in sizes.items() if n > 0}
    return harness.Declared(
        shared, sum(sizes.values()), sizes, part=of_data_set, stopped=stopped.total() > 0
    )


def _why(key: str, number: dict[str, Any], reducer: object, entry: Entry) -> str:
    """Why a number cannot be compared; empty if it can."""
    if printed_number(number.get("value")) is None:
        return "it is not a number"
    if key not in STATISTICS:
        return f"{excerpted(key)} is none of {', '.join(STATISTICS)}"
    if number.get("params"):
        return f"the metric has settings of its own: {excerpted(number['params'])}"
    if entry.range and reducer not in (None, "mean", "median", "mode", "max"):
        return f"{excerpted(reducer)} needs scores on their own scale: remove `range`"
    return ""


read = Reader.read
printed = Reader.printed
offer = Reader.offer
