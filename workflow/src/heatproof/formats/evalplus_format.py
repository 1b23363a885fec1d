"""EvalPlus: `eval_results.json`, each problem with a list of attempts (`evalplus/evaluate.py`).

The file is called `{samples}.eval_results.json`; until 2024 `{samples}_eval_results.json`, or it
lies in a folder of that name. Model and temperature stand in the name that `evalplus.codegen`
gives: `{org}--{model}_{backend}_temp_{temperature}`.
With the extra tests ("plus") an attempt is right if it passes these and the base tests. Until
v0.2.0 the attempts of a problem were lists side by side, `{nfiles, base: [[status, …]], plus}`.
It printed `pass_at_k` (since October 2024): the means over the problems of the unbiased estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_number
from heatproof.formats.decoding import Decoder
from heatproof.formats.detection import plain
from heatproof.formats.documents import decoded, object_in
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.formats.api import Printed

PATH = (
    r"(?:^|/)(?P<model>[^/]+?)(?:(?:_(?P<backend>hf|vllm|openai|mistral|anthropic|google|bedrock"
    r"|ollama|gptqmodel))?_temp_(?P<temperature>\d+(?:\.\d+)?)[^/]*?)?"
    r"(?:[._-]sanitized)?[._/]eval_results\.json$"
)
PASSED, FAILED = ("pass", "success"), ("fail", "failed", "timeout", "timed out")
"""Words for the outcome of tests, in all releases."""


class Entry(harness.Placed, kw_only=True):
    """Keys of an `evalplus` source."""

    tests: Literal["plus", "base"] = "plus"
    """Which tests an attempt must pass: the base tests and the extra ones, or the base tests."""
    own: ClassVar[dict[str, Any]] = {"backend": "str", "temperature": "float"}
    usual: ClassVar[tuple[str, ...]] = (PATH,)
    slash: ClassVar[str] = "--"
    prints: ClassVar[bool] = True

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.endswith((".jsonl", ".bak"))


class Attempt(msgspec.Struct, gc=False):
    """An attempt at a problem."""

    base_status: str | None = None
    plus_status: str | None = None


class Attempts(msgspec.Struct):
    """Those of a problem, as lists side by side; of each, status and details."""

    base: list[list[Any]]
    plus: list[list[Any]] | None = None


ATTEMPT, ATTEMPTS = (Decoder(msgspec.json.Decoder(kind)) for kind in (Attempt, Attempts))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    told = b'"eval"' in head and (b'"base_status"' in head or b'"nfiles"' in head)
    return "it has an eval with base_status" if plain(path).endswith(".json") and told else ""


class Reader(harness.Reader):
    """The log is a document; a record is an attempt."""

    def begin(self) -> None:
        held = self.member("eval", "the document has no 'eval': no results of EvalPlus")
        self.problems = [*self.each(held, of=harness.OBJECT)]
        if not self.problems:
            raise harness.Refused("the log holds no problems")
        task = self.problems[0].key.replace("_", "/").partition("/")[0].lower()
        self.settle({"task": task})
        self.shared["scorer"] = self.entry.tests

    def records(self) -> Iterator[harness.Record]:
        for problem in self.problems:
            if problem.data.startswith(b"["):
                attempts = [*self.each(problem.raw, ATTEMPT)]
            else:
                attempts = _side_by_side(problem)
            none = problem._replace(value=Error("the problem has no attempt"))
            for number, one in enumerate(attempts or [none]):
                yield one._replace(key=problem.key, number=number)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        yield {"sample_id": record.key, "epoch": record.number}

    def score(self, record: harness.Record, row: dict[str, Any]) -> bool:
        told = {"base": record.value.base_status, "plus": record.value.plus_status}
        if self.entry.tests == "base":
            del told["plus"]
        elif told["plus"] is None:
            raise Error("only the base tests were run (`tests: base` in config.yaml)")
        for name, status in told.items():
            if status not in (*PASSED, *FAILED):
                raise Error(f"{name}_status: {status!r:.40} is neither pass nor fail", "type")
        return all(status in PASSED for status in told.values())

    def printed_numbers(self) -> Iterator[Printed]:
        told = decoded(self.document(), dict[str, Any])
        for tests, values in object_in(told, "pass_at_k").items():
            for name, value in (values if isinstance(values, dict) else {}).items():
                word, _, k = name.partition("@")
                known = word == "pass" and k.isdecimal() and printed_number(value) is not None
                yield self.number(
                    f"{tests} {name}", value, scorer=tests, low=0.0, high=1.0,
                    over=f"pass_at_{k}" if known else "mean",
                    why="" if known else "it is not a number",
                )  # fmt: skip


def _side_by_side(problem: harness.Record) -> list[harness.Record]:
    """The attempts of a problem as v0.1 wrote them."""
    lists = harness.attempt(ATTEMPTS, problem.data)
    if isinstance(lists, Error):
        return [problem._replace(value=lists)]
    plus = lists.plus or [[None]] * len(lists.base)
    if len(plus) != len(lists.base):
        why = f"{len(lists.base)} attempts at base, {len(plus)} at plus"
        return [problem._replace(value=Error(why))]
    told = [[str(one[0]) if one and one[0] is not None else None for one in pair]
            for pair in zip(lists.base, plus, strict=True)]  # fmt: skip
    return [problem._replace(value=Attempt(*pair)) for pair in told]


read, printed = Reader.read, Reader.printed
