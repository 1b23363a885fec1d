"""The score of an Inspect sample: which of several, and what its value is as a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._documents import one, plain
from heatproof.readers._inspect_log import Untold
from heatproof.readers._keys import Decoder
from heatproof.readers._lines import reason
from heatproof.readers._params import excerpted, unit
from heatproof.readers._scores import fault
from heatproof.readers._typed import Int64, number
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from heatproof.readers.inspect import Entry

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's `value_to_float` knows: correct, partial, incorrect, no answer."""


class Score(msgspec.Struct):
    """One scorer's judgement."""

    value: Any = None


class Sample(msgspec.Struct):
    """The places wanted of a sample."""

    id: int | str
    epoch: Int64
    scores: dict[str, Score] | None = None
    error: Any = None
    invalidation: Any = None
    model_usage: dict[str, dict[str, Any]] | None = None
    total_time: float | None = None


def sample_of(data: bytes) -> Sample:
    """A sample that can be graded. Raises Untold with the reason why it cannot."""
    try:
        sample: Sample = _one(data)
    except Error as error:
        raise Untold(str(error)) from error
    if sample.error:
        told = sample.error.get("message") if isinstance(sample.error, dict) else sample.error
        raise Untold(f"sample ended in an error: {excerpted(told)}")
    if sample.invalidation:
        raise Untold("the sample was invalidated")
    return sample


def _one(data: bytes) -> Sample:
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise Untold(reason(error, data)) from error
    try:
        return one(SAMPLE, data)  # type: ignore[no-any-return]
    except Error:
        return one(SAMPLE, plain(data))  # type: ignore[no-any-return]


def tokens(sample: Sample) -> float | None:
    """Tokens that the models of a sample put out."""
    counts = [used.get("output_tokens") for used in (sample.model_usage or {}).values()]
    known = [count for count in counts if isinstance(count, int)]
    return float(sum(known)) if known and max(known) < 2**53 else None


SAMPLE = Decoder(msgspec.json.Decoder(Sample))


class Choice:
    """The score that config.yaml asks for, or the only one."""

    def __init__(self, entry: Entry, names: set[str], path: str) -> None:
        self.wanted, self.path = entry.scorer, path
        self.place = f"config.yaml: sources.{entry.name}.scorer"
        base = (entry.scorer or "").split(".")
        known = {".".join(base[: n + 1]) for n in range(len(base))} & names
        if names and entry.scorer and not known:
            there = choices(entry.scorer, sorted(names))
            raise Error(f"{self.place}: {entry.scorer!r} did not score {path}; {there}")

    def score(self, sample: Sample, ends: list[float]) -> tuple[str, float]:
        """Name of the score, and its value brought to 0–1. Raises Untold where it has none."""
        scores = sample.scores or {}
        if not scores:
            raise Untold("the sample has no score")
        if self.wanted is None and len(scores) > 1:
            there = choices("", sorted(scores))
            raise Error(f"{self.place}: {self.path} has several, name one; {there}")
        name = self.wanted or next(iter(scores))
        value = _value(scores, name)
        score = unit(value, ends)
        if why := fault(score, *ends):
            raise Untold(why)
        return name, score


def _value(scores: dict[str, Score], name: str) -> float:
    """A score as a number, as Inspect reads it; what Inspect would count as 0 unseen is refused."""
    base, _, key = name.rpartition(".")
    if name in scores:
        value = scores[name].value
    elif base in scores and isinstance(scores[base].value, dict) and key in scores[base].value:
        value = scores[base].value[key]
    else:
        raise Untold(f"no score by {name!r}; {choices(name, sorted(scores))}")
    if value == []:
        raise Untold("the score is NaN, infinite or empty")
    if isinstance(value, dict):
        keys = ", ".join(f"{name}.{key}" for key in sorted(value))
        raise Untold(f"the score is a mapping; choose one with `scorer`: {excerpted(keys)}")
    if isinstance(value, str):
        known = GRADES.get(value, GRADES.get(value.lower()) if len(value) > 1 else None)
        value = _number(value) if known is None else known
    if not isinstance(value, (int, float)):
        raise Untold(f"the score is {excerpted(value)}, no grade that is known")
    try:
        return value if isinstance(value, bool) else float(value)
    except OverflowError:
        raise Untold("the score is a number beyond all bounds") from None


def _number(text: str) -> float | str:
    try:
        return number(text)
    except ValueError:
        return text
