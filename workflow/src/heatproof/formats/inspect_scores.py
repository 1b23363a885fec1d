"""Scores of an Inspect log: which are meant, and what they are as numbers.

Each task of a suite mostly has a scorer of its own, so `scorer` is a preference as the names of
lm-eval are; with a `*` it is a pattern, and each score that fits is a row of its own.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats import preferences
from heatproof.formats.api import score_fault, score_kind
from heatproof.formats.harness import Refused
from heatproof.formats.params import excerpted, number_from_text, unit
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.formats.api import Kind
    from heatproof.formats.inspect_format import Entry
    from heatproof.formats.inspect_log import Sample, Score


GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's `value_to_float` knows: correct, partial, incorrect, no answer."""


class Graded(NamedTuple):
    """A score of a sample, or why it is none."""

    name: str
    score: float = 0.0
    why: str = ""
    kind: Kind = ""


class Choice:
    """The scores that config.yaml asks for, or the only one."""

    def __init__(self, entry: Entry, names: Sequence[str], task: str, path: str) -> None:
        """`names`: as the head of the log tells them.

        Raises:
            Error: config.yaml names one that there is not, or does not choose among several.
        """
        self.path, self.place = path, f"config.yaml: sources.{entry.name}.scorer"
        self.wanted, self.ends = preferences.of_task(entry.scorer, task), entry.range
        self.name = self._of_head(names) if names else ""

    def _of_head(self, names: Sequence[str]) -> str:
        if is_pattern(self.wanted):
            if not any(fnmatchcase(name, str(self.wanted)) for name in names):
                raise Error(f"{self.place}: {self.wanted!r} fits no scorer of {self.path}; "
                            f"{choices('', names)}")  # fmt: skip
            return ""
        listed = [self.wanted] if isinstance(self.wanted, str) else self.wanted or []
        there = [*names, *(one for one in listed if one not in names and _is_below(one, names))]
        return preferences.chosen(there, self.wanted, self.place, self.path)

    def of(self, sample: Sample) -> list[Graded]:
        """The scores of a sample, one or more.

        Raises:
            Refused: it has none of that name.
            Error: it has several, and config.yaml names none.
        """
        scores = sample.scores or {}
        if not scores:
            raise Refused("the sample has no score", "absent")
        if is_pattern(self.wanted):
            names = [one for one in single(scores) if fnmatchcase(one, str(self.wanted))]
            if not names:
                raise Refused(
                    f"no score fits {self.wanted!r}; {choices('', [*single(scores)])}", "missing"
                )
            return [self._graded(scores, name) for name in names]
        return [self._graded(scores, self._one(scores))]

    def _one(self, scores: Mapping[str, Score]) -> str:
        if isinstance(self.wanted, str):
            return self.wanted
        if self.name and (self.wanted is not None or len(scores) == 1):
            return self.name
        names = [*(single(scores) if self.wanted else sorted(scores))]
        return preferences.chosen(names, self.wanted, self.place, self.path)

    def _graded(self, scores: Mapping[str, Score], name: str) -> Graded:
        try:
            score = unit(value_of(scores, name), self.ends)
        except Refused as error:
            return Graded(name, why=str(error), kind=error.kind)
        why = score_fault(score, *self.ends)
        return Graded(name, score, why, score_kind(score) if why else "")


def is_pattern(wanted: object) -> bool:
    """Whether a name stands for all that fit it."""
    return isinstance(wanted, str) and "*" in wanted


def single(scores: Mapping[str, Score]) -> Iterator[str]:
    """Names of scores, of mappings those of their keys, in the order of the names."""
    for name in sorted(scores):
        value = scores[name].value
        if isinstance(value, dict):
            yield from (f"{name}.{key}" for key in sorted(value))
        else:
            yield name


def _is_below(name: str, names: Sequence[str]) -> bool:
    """Whether a name may be a key of a scorer's mapping, as far as names of the head tell."""
    at, above = name.find("."), {one.rpartition(".")[0] for one in names} | {*names}
    while at > 0:
        if name[:at] in above:
            return True
        at = name.find(".", at + 1)
    return False


def key_in(scores: Mapping[str, Score], name: str) -> tuple[str, str]:
    """The scorer that a name means, and the key in its mapping; '' for the score as a whole.

    Both may have a point in their names. Raises Refused where there is none.
    """
    if name in scores:
        return name, ""
    at = name.find(".")
    while at >= 0:
        base, key = name[:at], name[at + 1 :]
        if base in scores and isinstance(scores[base].value, dict) and key in scores[base].value:
            return base, key
        at = name.find(".", at + 1)
    raise Refused(f"no score by {name!r}; {choices(name, sorted(scores))}", "missing")


def answer_of(sample: Sample, name: str) -> Any:
    """The answer that a score is of; None where its scorer tells none."""
    scores = sample.scores or {}
    return getattr(scores[key_in(scores, name)[0]], "answer", None)


def value_of(scores: Mapping[str, Score], name: str) -> float:
    """A score as a number, as Inspect reads it; what Inspect would count as 0 unseen is refused."""
    base, key = key_in(scores, name)
    value = scores[base].value[key] if key else scores[base].value
    if value == []:
        raise Refused("the score is NaN, infinite or empty", "unscored")
    if isinstance(value, dict):
        keys = ", ".join(f"{name}.{key}" for key in sorted(value))
        raise Refused(
            f"the score is a mapping; choose one with `scorer`: {excerpted(keys)}", "type"
        )
    if isinstance(value, str):
        known = GRADES.get(value, GRADES.get(value.lower()) if len(value) > 1 else None)
        value = _number(value) if known is None else known
    if not isinstance(value, (int, float)):
        raise Refused(f"the score is {excerpted(value)}, no grade that is known", "type")
    try:
        return value if isinstance(value, bool) else float(value)
    except OverflowError:
        raise Refused("the score is a number beyond all bounds", "type") from None


def _number(text: str) -> float | str:
    try:
        return number_from_text(text)
    except ValueError:
        return text
