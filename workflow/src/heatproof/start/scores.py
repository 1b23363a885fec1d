"""Which place of records is the score, by its name and its values, and on which scale."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NAMES = (
    "correct", "is_correct", "score", "acc", "accuracy", "passed", "is_passed", "pass", "success",
    "is_success", "resolved", "is_resolved", "solved", "is_solved", "exact_match", "em", "reward",
    "max_reward", "f1", "grade", "rating", "verdict", "judgement", "judgment", "outcome", "result",
    "ok", "right", "is_right", "if_right", "win", "hit", "match", "is_match", "matched", "label",
    "status", "r",
)  # fmt: skip
"""What scores are called, the likeliest first."""
SURE = NAMES[: NAMES.index("reward")]
"""Those that tell nothing else, and so a score even where all have the same."""
OTHERS = {
    "answer", "target", "gold", "expected", "response", "prompt", "threshold", "stderr", "std",
    "se", "count", "num", "n", "time", "idx", "index", "id", "ci", "weight", "total", "reason",
    "explanation", "log", "logprob", "logprobs", "token", "tokens", "min", "max",
}  # fmt: skip
"""Words in the name of something else."""
RIGHT = {
    "correct", "right", "pass", "passed", "true", "yes", "y", "c", "success", "succeeded",
    "successful", "resolved", "solved", "win", "won", "ok", "accept", "accepted",
}  # fmt: skip
WRONG = {
    "incorrect", "wrong", "fail", "failed", "false", "no", "n", "i", "failure", "unsuccessful",
    "unresolved", "unsolved", "lose", "lost", "loss", "reject", "rejected",
}  # fmt: skip
LABELS = (["label"], ["labels"])
"""The last word of what scores are called, and as well what is right, or what a model said."""
ABOUT = {"metadata", "meta", "request", "api", "http"}
"""Groups of what tells how a record was made."""
CLEAR = (RIGHT | WRONG) - {"true", "yes", "y", "c", "false", "no", "n", "i", "accept", "reject"}
"""Texts that tell nothing but right or wrong."""
HALF = {"partial", "partially_correct", "partly_correct", "p", "tie", "draw"}
SOME = 50
"""Records that tell of a file what may be its score."""
ENOUGH = 10
"""Values that tell a scale."""
FEW = 12
"""Texts that verdicts are at most."""
FAULTS = {"error", "errors", "fatal", "refusal", "refused", "failure", "toxicity"}
"""Words in the names of what is the worse the more there is of it."""
SWITCHES = {
    "truncated", "done", "finished", "cached", "cache", "stop", "stopped", "error", "errored",
    "timeout", "chat", "use", "enable", "enabled", "has", "skip", "skipped", "flagged", "streaming",
    "thinking", "greedy", "sampled", "valid", "parsed", "empty", "exists",
}  # fmt: skip
"""Words in the names of what is true or false and tells nothing of right and wrong."""
LARGEST = 2**53
"""A number that is larger is no score, but an id or a hash."""
SCALES = ((-1, 1), (1, 5), (1, 10), (0, 5), (0, 10), (0, 100))
"""Scales of ratings, the narrowest first."""


class Score(NamedTuple):
    """A place that may be the score."""

    place: str
    kind: str
    """`true and false`, `0 and 1`, `from 0 to 1`, `texts`, or a scale of its own."""
    seen: str
    """Its values in words."""
    range: tuple[float, float] | None = None
    """What is 0 and what is 1 of a scale of its own."""
    sure: bool = True
    """Whether its values tell this scale alone."""
    verdicts: Mapping[str, float] = {}
    unknown: Sequence[str] = ()
    """Texts of which nothing says what they stand for."""
    listed: bool = False
    """Whether a record holds a list of them."""
    rank: tuple[int, ...] = ()
    high: float = 1
    """The highest value."""
    size: int = 0
    """How many values there are."""
    scales: Sequence[tuple[float, float]] = ()
    """Others that its values fit."""

    @property
    def is_number(self) -> bool:
        """Whether each record has one number."""
        return not self.verdicts and not self.listed and self.kind != "true and false"


def words(place: str) -> list[str]:
    """The words in the last part of a place: `isCorrect` is called `is`, `correct`."""
    last = place.rpartition(".")[2].lstrip("^")
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    return [word for word in re.split(r"[^a-z0-9]+", split.lower()) if word]


def name(place: str) -> str:
    """The last part of a place, as names are spelled: `is_correct`."""
    return "_".join(words(place))


def candidates(rows: Sequence[Mapping[str, Any]], *, above: bool = True) -> list[Score]:
    """Places that may be the score, the likeliest first; `above`: in the heads of documents too."""
    places: dict[str, list[Any]] = {}
    for row in rows:
        for place, value in row.items():
            if above or not place.startswith("^"):
                places.setdefault(place, []).append(value)
    found = [
        score
        for number, (place, values) in enumerate(places.items())
        if (rank := _rank(place)) is not None
        and (score := _of(place, values, (*rank, number))) is not None
    ]
    return sorted(found, key=lambda score: score.rank)


def unnamed(rows: Sequence[Mapping[str, Any]], *, always: bool = False) -> list[Score]:
    """Places with no name of a score, now true, now false; `always`: or always the same."""
    places = dict.fromkeys(place for row in rows for place in row if not place.startswith("^"))
    found = []
    for number, place in enumerate(places):
        values = [row[place] for row in rows if place in row]
        there = {*map(repr, values)}
        plain = there <= {"True", "False"} and (always or len(there) > 1)
        if plain and not _is_about(place) and not {*words(place)} & {*SWITCHES, *OTHERS}:
            told = _of(place, values, (3, number))
            found += [told] if told else []
    return found


def likely(rows: Sequence[Mapping[str, Any]]) -> list[Score]:
    """Places that may be the score by their names, or because they are true or false."""
    return [*candidates(rows, above=False), *unnamed(rows, always=True)]


def places(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Those that may be the score in the first rows that tell any, each with its scale.

    The same place on another scale is another: ratings from 0 to 10 beside right and wrong.
    """
    found = likely(rows[:SOME]) or likely(rows)
    return {f"{score.place} {scale}" for score in found for scale in _scales(score)}


def _scales(score: Score) -> Sequence[str]:
    """Up to 1, above, or both where all are 0 or the values are few."""
    if score.high > 1:
        return ("above",)
    return ("unit", "above") if score.high <= 0 or score.size < ENOUGH else ("unit",)


def of(place: str, values: Sequence[Any]) -> Score | None:
    """A place that is known to be the score; None if its values are no scores."""
    return _of(place, values, (0, 0))


def texts(place: str, values: Sequence[str], verdicts: Mapping[str, float]) -> Score:
    """A place whose texts are known to stand for a score each."""
    return Score(place, "texts", _seen(Counter(values)), verdicts=verdicts)


def is_named(place: str) -> bool:
    """Whether it is called as scores are."""
    return _rank(place) is not None


def _is_about(place: str) -> bool:
    """Whether it stands in a group of what tells how a record was made."""
    return any(name(part) in ABOUT for part in place.split(".")[:-1])


def _rank(place: str) -> tuple[int, int] | None:
    """How likely a name is that of a score: none if it is not."""
    own = name(place)
    if FAULTS & {*words(place)}:
        return (3, 0) if place.rpartition(".")[0] and "score" in place.lower() else None
    parents = [name(part) for part in place.split(".")[:-1]]
    if _is_about(place):
        return None
    if own in NAMES:
        return 0, NAMES.index(own)
    parts = [re.sub(r"\d+$|(?<=[^s])s$", "", word) for word in words(place)]
    if not OTHERS & {*parts} and (known := [NAMES.index(p) for p in parts if p in NAMES]):
        return 1, min(known)
    if own in ("value", "score") or any(part in ("score", "scores", "metrics") for part in parents):
        return (2, 0) if not OTHERS & {*parts} else None
    return None


def _of(place: str, values: Sequence[Any], rank: tuple[int, ...]) -> Score | None:
    listed = isinstance(values[0], list)
    each = [v for value in values for v in (value if isinstance(value, list) else (value,))]
    each = [value for value in each if value is not None]
    if not each:
        return None
    texts = [value for value in each if isinstance(value, str)]
    if words(place)[-1:] in LABELS and not {*map(_word, texts)} & CLEAR:
        return None
    if len(texts) == len(each):
        return _verdicts(place, texts, listed, rank)
    counted = [value for value in each if isinstance(value, int | float)]
    if texts or not counted or max(map(abs, counted)) > LARGEST:
        return None
    numbers = [float(value) for value in counted]
    told = _scale(each, numbers)
    return told and told._replace(
        place=place, listed=listed, rank=(rank[0], told.rank[0], *rank),
        high=max(numbers), size=len(numbers),
    )  # fmt: skip


def of_numbers(values: Sequence[float]) -> Score | None:
    """What numbers are as scores, wherever they stand; None for those that are no scale of such."""
    return _scale(values, values) if values else None


def _scale(each: Sequence[Any], numbers: Sequence[float]) -> Score | None:
    """What values are as scores; None for numbers that are no scale of scores."""
    low, high = min(numbers), max(numbers)
    if all(isinstance(value, bool) for value in each):
        true = sum(numbers)
        return Score("", "true and false", f"true {true:.0f} ×, false {len(numbers) - true:.0f} ×",
                     rank=(0,))  # fmt: skip
    seen = f"number {low:g} … {high:g}"
    if {*numbers} <= {0.0, 1.0}:
        return Score("", "0 and 1", seen, rank=(0,))
    if low >= 0 and high <= 1:
        return Score("", "from 0 to 1", seen, rank=(1,))
    if {*numbers} <= {0.0, 100.0} or (low >= 0 and 10 < high <= 100):
        return Score("", "percent", seen, (0, 100), rank=(2,))
    fits = [ends for ends in SCALES if ends[0] <= low and high <= ends[1]]
    if fits:
        told = f"{fits[0][0]} to {fits[0][1]}"
        return Score("", told, seen, fits[0], sure=False, rank=(3,), scales=fits[1:3])
    return None


def _verdicts(
    place: str, texts: Sequence[str], listed: bool, rank: tuple[int, ...]
) -> Score | None:
    counts = Counter(texts)
    told = {text: value for text in counts if (value := verdict(text)) is not None}
    if len(counts) > FEW or not {0.0, 1.0} & {*told.values()} or len(told) * 2 < len(counts):
        return None
    if len(told) < 2 and len(counts) > 1:
        return None
    return worded(place, counts, told)._replace(listed=listed, rank=(rank[0], 1, *rank))


def worded(place: str, counts: Counter[str], told: Mapping[str, float]) -> Score:
    """A place with texts, of which some are `told` to stand for a score."""
    ordered = dict(sorted(told.items(), key=lambda item: (-item[1], item[0])))
    unknown = sorted(text for text in counts if text not in told)
    return Score(place, "texts", _seen(counts), verdicts=ordered, unknown=unknown)


def _seen(counts: Counter[str]) -> str:
    return ", ".join(f"{text} {count:,} ×" for text, count in counts.most_common())


def _word(text: str) -> str:
    return "_".join(re.findall(r"[a-z]+", text.lower()))


def verdict(text: str) -> float | None:
    """What a text stands for, where it is a common word for right or wrong."""
    word = _word(text) or {"1": "right", "1.0": "right", "0": "wrong", "0.0": "wrong"}.get(text, "")
    known: Iterable[tuple[set[str], float]] = ((RIGHT, 1.0), (WRONG, 0.0), (HALF, 0.5))
    return next((value for names, value in known if word in names), None)
