"""What numbers alone do not settle: records that failed, and scales that differ between groups."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.init import files
from heatproof.init.facts import holds, in_words, is_broken, is_state, weight, weights
from heatproof.init.facts import words as words_of
from heatproof.init.frame import kind
from heatproof.init.roles import Given
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.init.frame import Frame
    from heatproof.init.roles import Reading

HUNDRED = 20  # times that middle scores lie apart, where one group is in percent
UNLIKE = 0.005  # part of the records of which an error need not explain the grade
UNANSWERED = 0.005  # part of the answers from which it matters what empty ones are
FEW = 12  # values of a column in which scores may have scales of their own
ENOUGH = 10  # scores of a group whose highest is taken for the end of its scale


class Doubt(NamedTuple):
    """A question, and what its answers mean."""

    question: str
    answers: dict[str, Given]  # words → what is known then


class Failures(NamedTuple):
    """Records of which a column says that they failed."""

    place: str
    words: Any  # as `failed` takes them
    failed: pl.Series

    @property
    def said(self) -> str:
        """The column and the words, for a question."""
        place = self.place.lstrip("^")
        if self.words == "present":
            return place
        return f"{place}: {', '.join(self.words)}"


def failure_columns(reading: Reading) -> list[Failures]:
    """Columns that say of some records that they failed, each of some that no other says."""
    listed: list[Failures] = []
    for name, facts in reading.frame.facts.items():
        if name == reading.score or kind(name) not in ("field", "head"):
            continue
        column = reading.frame.data[name]
        words: Any
        coded = facts.type == "int" and words_of(name)[-1:] == ["code"]
        if _names_failure(name) and (coded or facts.type in ("text", "long", "bool")):
            words, failed = _present(column)
        elif is_state(facts):
            words, failed = _failed_states(column)
        else:
            continue
        if 0 < failed.sum() < len(failed):
            listed.append(Failures(name, words, failed))
    listed.sort(key=lambda failures: -failures.failed.sum())
    widest: list[Failures] = []
    for failures in listed:
        alone = [(failures.failed & ~other.failed).any() for other in widest]
        if all(alone):
            widest.append(failures)
    return widest


def _names_failure(name: str) -> bool:
    """Whether a name is that of an error; its type or kind may be that of a wrong answer."""
    last = words_of(name)[-1:]
    return holds("failures", name) and last not in (["type"], ["kind"], ["category"])


def _present(column: pl.Series) -> tuple[str, pl.Series]:
    """The records whose value is anything but none, false, 0 and what is empty."""
    texts = column.cast(pl.String).fill_null("")
    plain = texts.str.strip_chars().str.to_lowercase()
    return "present", ~plain.is_in(["", "false", "0", "0.0", "[]", "{}", "null", "none"])


def _failed_states(column: pl.Series) -> tuple[list[str], pl.Series]:
    """The records whose state is none of a finished one, where some state is."""
    states = column.drop_nulls().unique().sort().to_list()
    finished = [state for state in states if state.casefold() in weights()["finished"]]
    words = [state for state in states if is_broken(state)]
    if not finished:
        words = []
    return words, column.is_in(words).fill_null(value=False)


def doubt_of_failures(reading: Reading) -> tuple[dict[str, Any], Doubt | None]:
    """Keys for records that failed and have no score; a question, if some have one.

    Where almost all that are wrong failed and no others, the column tells why they are wrong.
    """
    keys: dict[str, Any] = {}
    scores = reading.evidence.scores
    for failures in failure_columns(reading):
        place, words, failed = failures
        graded = failed & scores.is_not_null()
        if not graded.any():
            keys[place] = words
            continue
        lowest = scores == scores.min()
        unlike = (lowest != graded).mean()
        is_grade = reading.facts[reading.score].single
        if is_grade and isinstance(unlike, float) and unlike <= UNLIKE:
            continue
        best = (graded & (scores == scores.max())).sum()
        question = f"{graded.sum():,} of {len(failed):,} records failed ({failures.said})"
        question += ", and have a score"
        if best:
            question += f", {best:,} of them the best"
        question += ": what are they?"
        missing = {"failed": keys | {place: words}}
        answers = {
            "missing: neither right nor wrong": Given(keys=missing),
            "as they are graded": Given(keys={"failed": {}}),
        }
        return keys, Doubt(question, answers)
    return keys, None


def doubt_of_empty(number: int, samples: int) -> Doubt | None:
    """A question where many answers are empty; `number`: these, beside so many samples."""
    records = number + samples
    if number <= UNANSWERED * records:
        return None
    answers = {
        "wrong, as any answer that is not right": Given(keys={"empty": "wrong"}),
        "missing: neither right nor wrong": Given(keys={"empty": "refuse"}),
    }
    return Doubt(f"{number:,} of {records:,} answers are empty: what are they?", answers)


def doubt_of_scales(reading: Reading, column: str) -> Doubt | None:
    """A question where groups of scores have scales of their own; `column`: that of scores.

    Such are shares beside percent, or judges of 1 to 5 beside judges of 1 to 10.
    """
    facts, frame = reading.facts[reading.score], reading.frame
    measured = max(weight("lowest", facts.name), weight("spent", facts.name)) >= 1
    on_scale = facts.low >= 0 and 1 < facts.high <= 100
    if measured or not on_scale or facts.type in ("bool", "text"):
        return None
    scores = frame.data.with_columns(reading.evidence.scores).drop_nulls("$score")
    for name in reading.cell + ["$file"]:
        judged = name not in (reading.model, "$file")
        if judged and reading.facts[name].distinct > FEW:
            continue
        tops = _tops(scores, name, judged=judged)
        if holds("judges", name):
            tops = _tops(scores, name, judged=True, least=1)
        if len(set(tops.values())) > 1:
            return _doubt_of_tops(reading, name, tops, column)
    return None


def _tops(scores: pl.DataFrame, name: str, *, judged: bool, least: int = 0) -> dict[Any, int]:
    """Value of a column → the highest score of its scale; nothing where it does not show.

    `judged`: whether each value of the column may have a scale of its own, whose end is reached;
    of judges (`least`) it need not be reached.
    """
    score = pl.col("$score")
    groups = scores.group_by(name).agg(high=score.max(), middle=score.median(), count=score.len())
    tops: dict[Any, int] = {}
    for value, high, _, count in groups.sort(name).iter_rows() if judged else ():
        top = next(top for top in (1, 5, 10, 100) if high <= top)
        is_reached = high == top or least
        if is_reached and count >= (least or ENOUGH):
            tops[value] = top
    if len(tops) == len(groups) > 1:
        return tops
    shares = groups.filter(pl.col("high") <= 1, pl.col("middle") > 0)
    percent = groups.filter(pl.col("high") > HUNDRED)
    if not (len(shares) and len(percent)):
        return {}
    if percent["middle"].min() < HUNDRED * shares["middle"].max():  # type: ignore[operator]
        return {}
    values = groups[name].sort()
    return dict.fromkeys(values, 100) | dict.fromkeys(shares[name], 1)


def _doubt_of_tops(reading: Reading, name: str, tops: dict[Any, int], column: str) -> Doubt:
    facts = reading.facts[reading.score]
    groups: dict[int, list[Any]] = defaultdict(list)
    for value, top in tops.items():
        groups[top].append(value)
    called = "file" if name == "$file" else name.strip("^/{}")
    answers: dict[str, Given] = {}
    scales: list[str] = []
    low = 1 if facts.low >= 1 else 0
    for top in sorted(groups, key=lambda top: -len(groups[top])):
        values = groups[top]
        words = in_words(values, len(values))
        scales.append(f"up to {top} in {words}")
        alone = {name: values}
        if keys_of_values(reading.frame, alone):
            range_ = {"range": {column: [low, top]}}
            chosen = Given(keys=range_, values=alone)
            answers[f"draw {called} {words} alone, on a scale of {low} to {top}"] = chosen
    one = {"range": {column: [facts.low, facts.high]}}
    answers["all are on one scale"] = Given(keys=one)
    return Doubt(f"{reading.score} is {' and '.join(scales)}: which is drawn?", answers)


def keys_of_values(frame: Frame, values: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Keys of an entry by which only records with some values are read; none if no keys say so."""
    family, data = frame.family, frame.data
    unseen = set(family.paths) - set(family.documents)
    fields = {name: chosen for name, chosen in values.items() if kind(name) == "field"}
    fields.pop("$file", None)
    if family.has_one_record and not unseen:
        fields = {}  # `only` would leave some logs without a record
    keys: dict[str, Any] = {}
    if fields:
        keys["only"] = {**frame.only, **fields}
    above = {name: chosen for name, chosen in values.items() if name not in fields}
    if not above:
        return keys
    whole = all(name == "$file" or frame.is_of_file(name) for name in above)
    has_hole = "hole" in map(kind, above)
    if unseen or has_hole or not whole:
        return {}
    for name, chosen in above.items():
        data = data.filter(pl.col(name).is_in(chosen))
    paths = set(data["$file"])
    rest = [path for path in family.paths if path not in paths]
    return keys | {"logs": files.patterns(sorted(paths), rest)}
