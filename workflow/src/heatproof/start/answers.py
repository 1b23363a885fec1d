"""Records without a score that hold an answer and what is right: how a run may compare them.

Nothing is compared whose outcome would tell more of the texts than of the model: a letter against a
paragraph is equal only where the model said nothing else. Such records are left, with what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.grading import NUMBER
from heatproof.start import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.formats.grading import Grade

ANSWERS = (
    "extracted_answer", "extracted", "parsed_answer", "parsed", "pred_answer", "predicted_answer",
    "answer_pred", "predicted_label", "predicted", "prediction", "pred", "preds", "final_answer",
    "model_answer", "llm_answer", "model_prediction", "generated_answer", "choice", "model_output",
    "model_response", "llm_response", "response", "output", "outputs", "completion", "generation",
    "generated_text", "generated", "answer",
)  # fmt: skip
"""What a model said is called, the shortest form first: it is what graders compare."""
TARGETS = (
    "gold", "gold_answer", "golden_answer", "ground_truth", "groundtruth", "gt", "gt_answer",
    "target", "correct_answer", "expected", "expected_answer", "expected_output", "true_answer",
    "answer_key", "correct_option", "reference", "reference_answer", "solution", "label", "answer",
)  # fmt: skip
"""What is right is called."""
SHARE = 0.9
"""Part of the texts, at least, that have the form that a comparison needs."""
MOST = 2000
"""Records looked at."""
EXACT, NEVER = ", exact", ", None"
"""How `places` end where answers are bare, and where they are in words."""
SIGN = re.compile(r"^[#$\s]*|[\s.%]*$")
"""What may stand around a number that is the whole of a target."""


class Pair(NamedTuple):
    """Two places of a record, and how they can be compared."""

    answer: str
    target: str
    listed: bool
    """Whether a record holds a list of answers."""
    grade: Grade | None
    """None where no comparison tells right from wrong."""
    seen: str
    """An answer and its target."""
    same: bool = False
    """Whether each answer is its target, as in a data set that has both."""

    @property
    def places(self) -> tuple[str, str]:
        """Both."""
        return self.answer, self.target

    @property
    def told(self) -> str:
        """How they are compared, in words."""
        last = ", by the last number in it" if self.grade == "number" else ""
        return f"{self.grade}{last}"

    @property
    def why_not(self) -> str:
        """What to do where nothing can be compared."""
        return (
            f"no score in its records; {self.answer} is a text in words, which `grade` cannot "
            f"judge by {self.target} ({self.seen}): add a score of your own to each record, or "
            "the bare answer"
        )


def pair(rows: Sequence[Mapping[str, Any]]) -> Pair | None:
    """The answer and the target of records; none where they have no such."""
    rows = rows[:MOST]
    target = _named(rows, TARGETS, ())
    answer = _named(rows, ANSWERS, (target,)) if target else ""
    if not answer:
        return None
    both = [(row[answer], row[target]) for row in rows if answer in row and target in row]
    if all(isinstance(right, list) and len(right) == 1 for _, right in both):
        both = [(told, right[0]) for told, right in both]
        target = f"{target}.0"
    listed = any(isinstance(said, list) for said, _ in both)
    said = [
        (str(text), str(right))
        for told, right in both
        for text in (told if isinstance(told, list) else [told])
    ]
    if not said:
        return None
    if any(isinstance(right, list) for _, right in both):
        return Pair(answer, target, listed, None, "several are right")
    seen = f"{said[0][0]!r:.40} for {said[0][1]!r:.20}"
    same = all(text.strip() == right.strip() for text, right in said)
    return Pair(answer, target, listed, _grade(said), seen, same)


def places(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """What tells files of such records from others: the two places, and how they compare."""
    found = pair(rows)
    return {f"{found.answer} against {found.target}, {found.grade}"} if found else set()


def is_wordy(bare: Iterable[str], other: Iterable[str]) -> bool:
    """Whether files of the same two places hold bare answers here, and answers in words there."""
    here = {one.removesuffix(EXACT) for one in bare if one.endswith(EXACT)}
    return any(one.removesuffix(NEVER) in here for one in other if one.endswith(NEVER))


def _named(rows: Sequence[Mapping[str, Any]], names: Sequence[str], but: Sequence[str]) -> str:
    """The place with the likeliest of some names that most records have; empty if there is none."""
    counts = Counter(place for row in rows for place in row)
    usual = [place for place, count in counts.items() if 2 * count > len(rows)]
    usual = [place for place in usual if place not in but and not place.startswith("^")]
    known = {place: scores.name(place) for place in usual}
    likely = [place for place in known if known[place] in names]
    return min(likely, key=lambda place: (names.index(known[place]), place.count(".")), default="")


def _grade(said: Sequence[tuple[str, str]]) -> Grade | None:
    """How pairs of answer and target can be compared."""
    rights = {right.strip() for _, right in said}
    texts = [text.strip() for text, _ in said]
    numbers = [bool(NUMBER.fullmatch(SIGN.sub("", right))) for right in rights]
    if _most(numbers) and _most([not text or bool(NUMBER.search(text)) for text in texts]):
        return "number"
    longest = max(map(len, rights))
    bare = [text in rights or ("\n" not in text and len(text) <= longest) for text in texts]
    alike = [text in rights for text in texts if text]
    return "exact" if _most(bare) and 2 * sum(alike) >= len(alike) > 0 else None


def _most(told: Sequence[bool]) -> bool:
    return sum(told) >= SHARE * len(told)
