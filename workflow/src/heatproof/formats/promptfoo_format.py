"""promptfoo: `results.json`, a document with `results.results`, or `results.jsonl`, its lines.

A record is an answer of a provider to a prompt with the variables of a test. It says whether all
assertions hold (`success`), their weighted mean (`score`), and scores that the user named
(`namedScores`; `src/types/index.ts`). The model is the provider's label, else its id; the prompt is
a setting. With `--repeat` the numbers of tests count on (`src/evaluator.ts`), so that description,
variables and assertions name the problem, and equal ones are repetitions.
An error of the provider (`failureReason` 2) is missing, not wrong. Printed: the tests passed, by
provider and prompt.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
from blake3 import blake3

from heatproof.formats import decoding, harness
from heatproof.formats.api import printed_count
from heatproof.formats.decoding import object_in, objects_in
from heatproof.formats.detection import plain
from heatproof.formats.harness import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util import canonical
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ERROR = 2  # reason of a failure that is no wrong answer
ALL, MEAN = "success", "score"  # the scores that every answer has
LONG = 56  # characters of a prompt, or of a problem, by which people know it
UNSTABLE = ("_conversation", "sessionId")  # variables that promptfoo itself sets
TWIN = re.compile(r"(.*)\.(?:jsonl|csv|html|xml|txt|ya?ml)")


class Entry(harness.Placed, kw_only=True):
    """Keys of a `promptfoo` source."""

    metric: Preference | None = None
    """Which score counts: `success` (all assertions hold), `score` (their weighted mean), or a
    `metric` that assertions name."""
    provider: Literal["label", "id"] = "label"
    """Which name of a provider is the model; one without a label has its id."""
    own: ClassVar[dict[str, Any]] = {"prompt": "str"}
    measures: ClassVar[tuple[str, ...]] = ("cost", "time")
    prefers: ClassVar[tuple[str, ...]] = ("metric",)
    prints: ClassVar[str] = "log"

    @classmethod
    def retold(cls, logs: Sequence[str], others: Sequence[str]) -> list[str]:
        """The same results in another form: `results.csv` beside `results.json`."""
        twins = {path: TWIN.fullmatch(path) for path in chain(logs, others)}
        return [path for path, match in twins.items() if match and f"{match[1]}.json" in logs]


class Provider(msgspec.Struct, gc=False):
    id: str = ""
    label: str | None = None


class Prompt(msgspec.Struct, gc=False):
    label: str | None = None
    display: str | None = None  # its name before April 2024
    raw: str | None = None


class Test(msgspec.Struct, gc=False):
    description: str | None = None
    vars: dict[str, Any] = {}
    asserts: Any = msgspec.field(name="assert", default=None)


class Answer(msgspec.Struct, gc=False):
    """An answer of a provider to a prompt, graded."""

    provider: Provider | str
    prompt: Prompt
    success: bool | None = None
    score: float | None = None
    named: dict[str, Any] = msgspec.field(name="namedScores", default_factory=dict)
    vars: dict[str, Any] = {}
    test: Test | None = msgspec.field(name="testCase", default=None)
    failure: int | None = msgspec.field(name="failureReason", default=None)
    grading: Any = msgspec.field(name="gradingResult", default=None)
    error: str | None = None
    cost: float | None = None
    latency: float | None = msgspec.field(name="latencyMs", default=None)

    def model(self, name: str) -> str:
        if isinstance(self.provider, str):
            return self.provider
        return (self.provider.label if name == "label" else "") or self.provider.id

    def problem(self) -> str:
        """Description or variables, and a digest of all that makes the test."""
        test = self.test or Test(vars=self.vars)
        values = {name: test.vars[name] for name in test.vars if name not in UNSTABLE}
        pairs = ", ".join(f"{name}={value}" for name, value in values.items())
        identity = canonical.text([test.description, values, test.asserts])
        return f"{shortened(test.description or pairs)} #{digest(identity)}"

    def scores(self) -> dict[str, Any]:
        return {ALL: self.success, MEAN: self.score, **self.named}

    def failed(self) -> bool:
        """Whether the provider gave no answer; older versions have an error and no grading."""
        return self.failure == ERROR or bool(
            self.failure is None and self.error and self.grading is None
        )


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    return document(path, head) or lines(path, head)


WHY = "it has answers of promptfoo"
document = harness.sign(
    WHY, r".*\.json", rb'"results":\s*\{\s*"version"', rb'"prompts"|"stats"|"results":\s*\['
)
lines = harness.sign(
    WHY,
    r".*\.jsonl",
    b'"provider"',
    b'"prompt"',
    b'"vars"',
    b'"success"',
    b'"namedScores"',
    line=True,
)


class Reader(harness.Reader):
    """A record is an item of `results.results`, or a line."""

    def begin(self) -> None:
        self.settle({"model": "of each record", "task": "promptfoo"})
        for name in ("model", *self.entry.own):
            del self.shared[name]
        self.held = list(self.lines(Answer) if self.is_lines() else self.listed())
        values = [getattr(record, "value", None) for record in self.held]
        graded = [value for value in values if isinstance(value, Answer)]
        ids = {answer.model("id") for answer in graded}
        pairs = {(answer.model("id"), answer.model("label")) for answer in graded}
        is_apart = len(ids) == len(pairs)  # whether ids tell apart what labels do
        if is_apart:
            self.offered.choices["provider"] = ["id", "label"]
        else:
            self.offered.choices["provider"] = ["label"]
        names: set[str] = set()
        for answer in graded:
            names.update(answer.scores())
        self.metric = self.shared["scorer"] = self.choose("metric", sorted(names | {ALL, MEAN}))
        self.epochs = Counter[tuple[str, ...]]()

    def is_lines(self) -> bool:
        """Whether the log has the answers alone, a line each."""
        return plain(self.path).endswith(".jsonl")

    def listed(self) -> Iterator[harness.Record]:
        results = decoding.members(self.member("results", "it has no 'results'"))
        if "results" not in results:
            raise Error("its results have no 'results', the list of answers")
        return self.items(results["results"], Answer, harness.LIST)

    def samples(self, record: harness.Record) -> harness.Rows:
        answer: Answer = record.value
        prompt = answer.prompt.label or answer.prompt.display or answer.prompt.raw or ""
        key = (answer.model(self.entry.provider), named(prompt), answer.problem())
        epoch = self.epochs[key]
        self.epochs[key] += 1
        if answer.failed() or self.metric in answer.scores():  # of a test without it no sample
            if answer.latency is None:
                time = None
            else:
                time = answer.latency / 1000
            yield dict(zip(("model", "prompt", "sample_id"), key, strict=True)) | {
                "epoch": epoch, "cost": answer.cost, "time": time,
            }  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> Any:
        answer: Answer = record.value
        if answer.failed():
            raise Error(f"sample ended in an error: {answer.error!r:.80}", "absent")
        return answer.scores()[self.metric]

    def printed_numbers(self) -> harness.Numbers:
        if self.is_lines():
            return
        results = object_in(decoding.decoded(self.document(), dict[str, Any]), "results")
        for prompt in objects_in(results, "prompts"):
            metrics = object_in(prompt, "metrics")
            model = str(prompt.get("provider"))
            counts = [printed_count(metrics.get(f"test{end}Count")) for end in ("Pass", "Fail")]
            columns = {"model": model, "prompt": named(str(prompt.get("label") or ""))}
            if None not in counts and self.entry.provider == "label":
                size = sum(filter(None, counts))
                yield self.number(
                    "testPassCount", counts[0], high=size, over="all", scorer=ALL, where=columns
                )


def named(prompt: str) -> str:
    """A name for a prompt: its first words, with a digest where there are more."""
    words = shortened(prompt)
    if words == " ".join(prompt.split()):
        return words
    return f"{words} #{digest(prompt)}"


def shortened(text: str) -> str:
    """The beginning of a text, in one line of signs that a name can hold."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())[:LONG]


def digest(text: str) -> str:
    """A few signs that tell a text from others."""
    return blake3(text.encode()).hexdigest()[:6]


read = Reader.read
printed = Reader.printed
offer = Reader.offer
