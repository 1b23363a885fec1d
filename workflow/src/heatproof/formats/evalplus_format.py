"""EvalPlus: `eval_results.json`, each problem with a list of attempts (`evalplus/evaluate.py`).

The file is `{samples}.eval_results.json`, `{samples}_eval_results.json`, or in a folder of that
name. `evalplus.codegen` names it `{org}--{model}_{backend}_temp_{temperature}`.
Before v0.2.1 (February 2024) a problem has two lists, `base` and `plus`, of [status, tests].
With the extra tests ("plus") an attempt is right if it passes these and the base tests.
Printed since October 2024: `pass_at_k`, the mean over problems of the unbiased estimate.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import decoding, harness
from heatproof.formats.api import printed_number
from heatproof.formats.decoding import decoded, object_in
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH = (
    r"(?:^|/)(?P<model>[^/]+?)(?:(?:_(?P<backend>hf|vllm|openai|mistral|anthropic|google|bedrock"
    r"|ollama|gptqmodel))?_temp_(?P<temperature>\d+(?:\.\d+)?)[^/]*?)?"
    r"(?:[._-]sanitized)?[._/]eval_results\.json$"
)
ONLY_BASE = re.compile(rb'"plus(_status)?":\s*(null|\[\])')
PASSED = ("pass", "success")
FAILED = ("fail", "failed", "timeout", "timed out")


class Entry(harness.Placed, kw_only=True):
    """Keys of an `evalplus` source."""

    tests: Literal["plus", "base"] = "plus"
    """Tests that an attempt must pass: `base` alone, or the extra ones too (`plus`)."""
    own: ClassVar[dict[str, Any]] = {"backend": "str", "temperature": "float"}
    usual: ClassVar[tuple[str, ...]] = (PATH,)
    slash: ClassVar[str] = "--"
    prints: ClassVar[str] = "log"
    others: ClassVar[str] = r".*\.(?:jsonl|bak)"


class Attempt(msgspec.Struct, gc=False):
    base_status: str | None = None
    plus_status: str | None = None


class Lists(msgspec.Struct, gc=False):
    """A problem as written before v0.2.1: a status, and the tests passed, of each attempt."""

    base: list[tuple[str, Any]]
    plus: list[tuple[str, Any]] = []


recognises = harness.sign(
    "it has an eval with base_status", r".*\.json", b'"eval"', b'"base_status"|"nfiles"'
)


class Reader(harness.Reader):
    """The log is a document; a record is an attempt."""

    def begin(self) -> None:
        content = self.member("eval", "it has no 'eval': these are not results of EvalPlus")
        self.problems = list(self.items(content, kind=harness.OBJECT))
        if not self.problems:
            raise Error("the log holds no problems")
        self.settle({"task": self.problems[0].key.replace("_", "/").partition("/")[0].lower()})
        usual = "plus"
        if ONLY_BASE.search(self.problems[0].data):
            usual = "base"
        self.offered.choices["tests"] = ["base", "plus"]
        self.offered.shown["tests"] = "*", usual
        self.shared["scorer"] = self.entry.tests

    def records(self) -> harness.Records:
        for problem in self.problems:
            none = problem._replace(value=Error("the problem has no attempt"))
            if problem.data.startswith(b"["):
                attempts = list(self.items(problem.raw, Attempt))
            else:
                attempts = list(_from_lists(problem))
            for number, attempt in enumerate(attempts or [none]):
                yield attempt._replace(key=problem.key, number=number)

    def samples(self, record: harness.Record) -> harness.Rows:
        yield {"sample_id": record.key, "epoch": record.number}

    def score(self, record: harness.Record, row: dict[str, Any]) -> bool:
        outcomes = {"base": record.value.base_status, "plus": record.value.plus_status}
        if self.entry.tests == "base":
            del outcomes["plus"]
        elif outcomes["plus"] is None:
            raise Error("only the base tests were run (`tests: base` in config.yaml)")
        for name, status in outcomes.items():
            if status not in (*PASSED, *FAILED):
                why = f"{name}_status: {status!r:.40} is neither pass nor fail"
                raise Error(why, "type", f"{name}_status")
        return all(status in PASSED for status in outcomes.values())

    def printed_numbers(self) -> harness.Numbers:
        document = decoded(self.document(), dict[str, Any])
        for tests, values in object_in(document, "pass_at_k").items():
            for name, value in (values if isinstance(values, dict) else {}).items():
                metric, _, k = name.partition("@")
                is_rate = metric == "pass" and k.isdecimal() and printed_number(value) is not None
                yield self.number(
                    f"{tests} {name}", value, scorer=tests,
                    over=f"pass_at_{k}" if is_rate else "mean",
                    why="" if is_rate else "it is not a number",
                )  # fmt: skip


def _from_lists(problem: harness.Record) -> Iterator[harness.Record]:
    """The attempts at a problem that has a list of each status."""
    try:
        lists = decoding.decoder_of(Lists).one(problem.data)
    except Error as error:
        yield problem._replace(value=error)
        return
    for number, (base, _) in enumerate(lists.base):
        if number < len(lists.plus):
            plus = lists.plus[number][0]
        else:
            plus = None
        yield problem._replace(value=Attempt(base, plus))


read = Reader.read
printed = Reader.printed
offer = Reader.offer
