"""EvalPlus: `eval_results.json`, each problem with a list of attempts (`evalplus/evaluate.py`).

The file is called `{samples}.eval_results.json`; until 2024 `{samples}_eval_results.json`, or it
lies in a folder of that name. Model and temperature stand in the name that `evalplus.codegen`
gives: `{org}--{model}_{backend}_temp_{temperature}`.

With the extra tests ("plus") an attempt is right if it passes these and the base tests. Until
v0.2.0 the attempts of a problem were lists side by side, `{nfiles, base: [[status, …]], plus}`.

It printed `pass_at_k` (since October 2024): the means over the problems of the unbiased estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec

from heatproof.readers.api import Place, Printed, Reject, excerpt, printed_number
from heatproof.readers.decoding import Decoder
from heatproof.readers.detection import plain
from heatproof.readers.documents import decoded, document, members, object_in, one, places
from heatproof.readers.harness import Placed, Refused, Rows, of_document, settings
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers.api import Batch, Log
    from heatproof.readers.harness import Parts


PATH = (
    r"(?:^|/)(?P<model>[^/]+?)(?:(?:_(?P<backend>hf|vllm|openai|mistral|anthropic|google|bedrock"
    r"|ollama|gptqmodel))?_temp_(?P<temperature>\d+(?:\.\d+)?)[^/]*?)?"
    r"(?:[._-]sanitized)?[._/]eval_results\.json$"
)
PASSED = ("pass", "success")
FAILED = ("fail", "failed", "timeout", "timed out")
"""Words for the outcome of tests, in all releases."""
ORGANISATION = "--"
"""What stands in a name for the slash behind an organisation."""


class Entry(Placed, kw_only=True):
    """Keys of an `evalplus` source."""

    tests: Literal["plus", "base"] = "plus"
    """Which tests an attempt must pass: the base tests and the extra ones, or the base tests."""

    own: ClassVar[dict[str, Any]] = {"backend": "str", "temperature": "float"}
    usual: ClassVar[str] = PATH

    def from_path(self, path: str) -> dict[str, Any] | None:
        told = super().from_path(path)
        return told and self.named(told)

    def named(self, told: dict[str, Any]) -> dict[str, Any]:
        """What a path tells, with the model called as it is: `org/name` in a name of EvalPlus."""
        if "model" in self.set or self.path or "model" not in told:
            return told
        return told | {"model": told["model"].replace(ORGANISATION, "/")}

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.endswith((".jsonl", ".bak"))

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


class Attempt(msgspec.Struct, gc=False):
    """An attempt at a problem."""

    base_status: str | None = None
    plus_status: str | None = None


class Attempts(msgspec.Struct):
    """Those of a problem, as lists side by side; of each, status and details."""

    base: list[list[Any]]
    plus: list[list[Any]] | None = None


class Tried(NamedTuple):
    """An attempt at a problem, and where it stands."""

    problem: str
    epoch: int
    place: Place
    data: bytes
    attempt: Attempt | Error


ATTEMPT = Decoder(msgspec.json.Decoder(Attempt))
ATTEMPTS = Decoder(msgspec.json.Decoder(Attempts))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    told = b'"eval"' in head and (b'"base_status"' in head or b'"nfiles"' in head)
    return "it has an eval with base_status" if plain(path).endswith(".json") and told else ""


def read(log: Log, entry: Entry) -> Parts:
    """The samples of a log; an attempt whose tests are not told is refused."""

    def parts(data: bytes) -> Parts:
        tried = [*_tried(data)]
        rows = Rows(_settings(entry, log.path, tried[0].problem))
        for one_ in tried:
            yield from _taken(rows, one_, entry.tests)
        yield rows.batch()

    yield from of_document(log, entry.max_document, parts)


def _settings(entry: Entry, path: str, problem: str) -> dict[str, Any]:
    """Settings of a log; the task is what its problems' names begin with."""
    task = problem.replace("_", "/").partition("/")[0].lower()
    return entry.named(settings(entry, path, {"task": task})) | {"scorer": entry.tests}


def _tried(data: bytes) -> Iterator[Tried]:
    """All attempts of a document."""
    found = members(data, ["eval"])
    if "eval" not in found:
        raise Refused("the document has no 'eval': no results of EvalPlus")
    problems = members(found["eval"])
    if not problems:
        raise Refused("the log holds no problems")
    where = places(data, [*problems.values()])
    for (name, raw), place in zip(problems.items(), where, strict=True):
        held = bytes(memoryview(raw))
        if not held.startswith(b"["):
            yield from _side_by_side(name, place, held)
            continue
        attempts = msgspec.json.decode(raw, type=list[msgspec.Raw])
        if not attempts:
            yield Tried(name, 0, place, held, Error("the problem has no attempt"))
        inside = places(data, attempts)
        for epoch, (attempt, at) in enumerate(zip(attempts, inside, strict=True)):
            text = bytes(memoryview(attempt))
            try:
                yield Tried(name, epoch, at, text, one(ATTEMPT, text))
            except Error as error:
                yield Tried(name, epoch, at, text, error)


def _side_by_side(name: str, place: Place, data: bytes) -> Iterator[Tried]:
    try:
        lists = one(ATTEMPTS, data)
        if lists.plus and len(lists.plus) != len(lists.base):
            raise Error(f"{len(lists.base)} attempts at base, {len(lists.plus)} at plus")
        if not lists.base:
            raise Error("the problem has no attempt")
    except Error as error:
        yield Tried(name, 0, place, data, error)
        return
    for epoch, base in enumerate(lists.base):
        plus = lists.plus[epoch] if lists.plus else [None]
        told = [str(words[0]) if words and words[0] is not None else None for words in (base, plus)]
        yield Tried(name, epoch, place, data, Attempt(*told))


def _taken(rows: Rows, tried: Tried, tests: str) -> Iterator[Batch | Reject]:
    of = {"sample_id": tried.problem, "epoch": tried.epoch}
    if isinstance(tried.attempt, Error):
        yield Reject(tried.place, str(tried.attempt), excerpt(tried.data))
        return
    try:
        score = _score(tried.attempt, tests)
    except Error as error:
        yield rows.lost(tried.place, str(error), tried.data, **of)
    else:
        yield from rows.take(tried.place, {**of, "score": score}, tried.data)


def _score(attempt: Attempt, tests: str) -> float:
    """1 if all tests that count are passed.

    Raises:
        Error: the log does not tell.
    """
    told = {"base": attempt.base_status, "plus": attempt.plus_status}
    if tests == "base":
        del told["plus"]
    elif told["plus"] is None:
        raise Error("only the base tests were run (`tests: base` in config.yaml)")
    for name, status in told.items():
        if status not in (*PASSED, *FAILED):
            raise Error(f"{name}_status: {status!r:.40} is neither pass nor fail")
    return float(all(status in PASSED for status in told.values()))


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The estimates that stand behind the problems.

    Raises:
        Error: the log is damaged or too large.
    """
    told = decoded(document(log, entry.max_document), dict[str, Any])
    for tests, values in object_in(told, "pass_at_k").items():
        for name, value in (values if isinstance(values, dict) else {}).items():
            word, _, k = name.partition("@")
            known = word == "pass" and k.isdecimal() and printed_number(value) is not None
            yield Printed(
                file=log.path,
                name=f"{tests} {name}",
                value=printed_number(value),
                scorer=tests,
                over=f"pass_at_{k}" if known else "mean",
                why="" if known else "it is not a number",
            )
