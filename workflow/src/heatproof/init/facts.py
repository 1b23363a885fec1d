"""Facts of a column: its type, values and scale; what its name speaks for; may it be the score?

`words.json` has words with weights, which decide nothing alone, and the layouts of harnesses whose
records plain keys can say. These follow `lcb_runner/runner/main.py` (LiveCodeBench),
`tau_bench/types.py`, `alpaca_eval/annotators` (AlpacaEval),
`evaluation/src/main.py` (MultiPL-E), `gen_judgment.py` and `show_result.py` (Arena-Hard).
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util import terminal
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])")
SENTINELS = (-1.0, -9.0, -99.0, -100.0, -999.0, 999.0, 9999.0)
"""Numbers that stand for none, where all others lie on a scale that begins at 0."""
DATE = re.compile(r"\d{4}([-_])\d\d\1\d\d|20\d{6}[-_T]?\d{4}")
STAMP = re.compile(
    r"20\d\d[01]\d[0-3]\d[-_T]?[0-2]\d{3}(\d\d)?Z?|20\d\d-[01]\d-[0-3]\d[-_T ][0-2][\d:.-]+Z?"
)
"""A date and a time."""
STAMPED = re.compile(rf"(?<!\d)(?:{STAMP.pattern})")  # not within the digits of an id
NUMBERS = ("num", "no", "number", "idx", "index")  # of a run: run_num
NAMED = 1.1  # weight from which a name says that a column is the score
DIRECTED = 0.9  # weight from which a name says whether high or low is better
VARIANT = re.compile(r"(?i)([_@ -]?\d+|[_-](l|lsum))$")
"""What tells numbers of one kind apart at the end of a name: pass_1, recall@5, ROUGE-L."""
QUALIFIED = re.compile(r"(?i)(?<=[a-z0-9])[_ -](with|without|having|per)[_ -].*")
"""What a name says of its noun, after it."""
PACE = re.compile(r"_per_(s|sec|second|min|minute|hour)$")
"""How a name of what is done in a time ends: samples_per_sec."""
KNOWN = ("model", "task", "sample_id", "setting", "epoch", "time", "count", "stderr", "target")
"""Roles of columns that are no score."""
CLASSES, EXPECTED = 8, 1.5
"""Classes of answers, at most; weight of a name of what was expected."""
LONG = 60  # characters of a text, on average, that is no name
KEPT = 40  # values that are kept of a column
WIDTH, LISTED = 24, 6  # characters of a value that is listed, and values
DIGITS = 8  # characters of a number that is listed


@cache
def weights() -> dict[str, Any]:
    """Role → word → weight; and lists of words by what they stand for."""
    return dict(json.loads(Path(__file__).with_name("words.json").read_text("utf-8")))


def layout(columns: Collection[str]) -> dict[str, Any]:
    """What is known of records with these columns: `roles` (score, scorer, model, task, sample_id,
    repetition → column), `entry` (further keys of the source), `prefix` (before the names of
    settings), `printed` (whether each score is of many problems), `best` (of figures), `refused`
    (why they cannot be drawn).
    """
    names = set(columns)
    for known in weights()["layouts"].values():
        if names.issuperset(known["has"]):
            return dict(known)
    return {}


def words(name: str) -> list[str]:
    """The words of the last part of a place: `config.maxTokens` → max, tokens.

    Behind a comma stands how it was measured: `acc,none` of lm_eval is acc, without a filter.
    """
    last = name.lstrip("^/").rpartition(".")[2]
    called, _, _ = last.partition(",")
    parts = CAMEL.sub("_", called).lower()
    return list(filter(None, re.split(r"[^a-z0-9@]+", parts)))


@cache
def weight(role: str, name: str) -> float:
    """How much a name speaks for a role: all of it, its last word, any word, what is above it."""
    table, parts = weights()[role], words(name)
    if role == "epoch" and parts[1:] and parts[-1] in NUMBERS:
        parts = parts[:-1]
    if not parts:
        return 0.0
    # What is counted stands last: `seed_pairs` are pairs, and no seed.
    if role == "epoch" and parts[1:] and parts[-1].endswith("s"):
        parts = parts[-1:]
    best: float = table.get("_".join(parts), 0)
    if not best:
        last, any_word = table.get(parts[-1], 0), max(table.get(word, 0) for word in parts)
        best = max(0.75 * last, 0.45 * any_word)
    above = name.lstrip("^/").split(".")[:-1]
    is_of_above = parts in (["name"], ["id"]) or role == "score"
    if role == "model" and parts[-1] == "name":
        is_of_above = True
    if above and is_of_above:
        best = max(best, 0.8 * weight(role, above[-1]))
    return best


def differ_in_one_key(place: str, other: str) -> bool:
    """Whether two places have all keys but one in common: runs.a.score, runs.b.score."""
    keys, others = place.split("."), other.split(".")
    if len(keys) != len(others):
        return False
    pairs = zip(keys, others, strict=True)
    return sum(key != another for key, another in pairs) == 1


def holds(role: str, name: str) -> bool:
    """Whether one of the words of a name is in a list of `words.json`."""
    return not set(words(name)).isdisjoint(weights()[role])


def is_spread(name: str, others: Iterable[str]) -> bool:
    """Whether a column says how far another one may be off, as `accuracy_ci95` or `sd_accuracy`."""
    own = set(words(name))
    rest = own - set(weights()["spreads"])
    if not rest or rest == own:
        return False
    averages = set(weights()["averages"])
    rest -= averages
    others_words = (set(words(other)) for other in others if other != name)
    return any(other - averages == rest for other in others_words)


def verdict(value: Any) -> int | None:
    """1 or 0 for a word such as `passed` or `incorrect`; None for another."""
    word = str(value).strip().lower()
    stands: int | None = weights()["verdicts"].get(word)
    return stands


def models(values: Collection[Any]) -> float:
    """Part of some values that look like names of models: a family, or a size such as 7b."""
    families = "|".join(weights()["families"])
    names = re.compile(rf"(?i){families}|\d+(\.\d+)?b(?![a-z0-9])")
    of_models = [value for value in values if names.search(str(value))]
    return len(of_models) / max(len(values), 1)


def benchmarks(values: Collection[Any]) -> float:
    """How many benchmarks are named, for each of some values; ids within one name it alone."""
    all_benchmarks = set(weights()["benchmarks"])
    benchmarks_met: set[str] = set()
    for value in values:
        parts = words(str(value))
        benchmarks_met |= all_benchmarks.intersection(parts + ["_".join(parts)])
    return len(benchmarks_met) / max(len(values), 1)


def in_words(values: Sequence[Any], number: int) -> str:
    """Values in a few words; `number`: how many there are in all."""
    texts = list(map(_shortened, values))
    if number <= LISTED:
        return ", ".join(texts)
    first = ", ".join(texts[: LISTED - 1])
    return f"{first} … {texts[-1]}, {number:,} in all"


def _shortened(value: Any) -> str:
    text = terminal.name(value)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


class Facts(NamedTuple):
    """Facts of a column."""

    name: str
    type: str  # bool, int, float, text, long (a text of sentences)
    distinct: int
    missing: float  # part of the rows that have none
    values: list[Any]  # the first of those that differ, in their order, and the last
    low: float = 0.0
    high: float = 0.0
    sentinel: float | None = None
    decimals: bool = False  # whether numbers are written with a point, as 25.0 is

    @property
    def contents(self) -> str:
        """The values, or the lowest and the highest, in a few words."""
        digits = max((len(str(value)) for value in self.values), default=0)
        many = self.distinct > LISTED or digits > DIGITS
        if many and self.type in ("int", "float"):
            return f"{self.low:g} to {self.high:g}"
        return in_words(self.values, self.distinct)

    @property
    def constant(self) -> bool:
        """Whether all rows are alike; absent is a value."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def stamped(self) -> bool:
        """Whether values are names of runs, each with its date and time."""
        return self.type == "text" and all(map(STAMPED.search, map(str, self.values)))

    @property
    def dated(self) -> bool:
        """Whether values are dates, whatever the column is called."""
        if self.stamped and self.values:
            return True
        if self.type not in ("text", "int"):
            return False
        dates = [value for value in self.values if DATE.match(str(value))]
        return len(dates) >= 0.9 * max(len(self.values), 1)

    @property
    def prompt(self) -> bool:
        """Whether values are sentences that may be what was asked."""
        if self.type not in ("text", "long"):
            return False
        asked = holds("prompts", self.name) or self.name.isdigit()  # as a table without a header
        sentences = [value for value in self.values if " " in str(value)]
        return asked and len(sentences) >= 0.9 * len(self.values)

    @property
    def single(self) -> bool:
        """Whether values are right or wrong, as of single problems."""
        binary = self.type == "int" and self.low >= 0 and self.high <= 1
        return self.type in ("bool", "text") or binary


def is_state(facts: Facts) -> bool:
    """Whether a column says of records that they finished, or how they failed."""
    if facts.type != "text":
        return False
    said = {str(value).casefold() for value in facts.values}
    is_finished = not said.isdisjoint(weights()["finished"])
    return is_finished and any(map(is_broken, facts.values))


def is_broken(state: object) -> bool:
    """Whether a word says how something failed, as `timeout` or `connection_error`."""
    word = str(state)
    return holds("broken", word) or word.casefold() in weights()["broken"]


def facts_of(series: pl.Series) -> Facts:
    """The facts of a column."""
    values = series.drop_nulls()
    missing = series.null_count() / len(series)
    distinct = values.unique().sort()
    kept = distinct.to_list()
    if len(kept) > KEPT:
        kept = kept[: KEPT - 1] + kept[-1:]
    facts = Facts(series.name, "text", len(distinct), missing, kept)
    if series.dtype == pl.String:
        length = values.str.len_chars().mean()
        lines = values.str.contains("\n").mean()
        is_long = length > LONG or lines > 0.2  # type: ignore[operator]
        return facts._replace(type="long") if is_long else facts
    every, sentinel = list(map(float, distinct)), None
    scale = [number for number in every if number not in SENTINELS]
    if 1 < len(scale) < len(every) and 0 <= scale[0] <= scale[-1] <= 100:
        sentinel = next(number for number in every if number in SENTINELS)
        every = scale
    type_ = "int" if all(map(float.is_integer, every)) else "float"
    if series.dtype == pl.Boolean:
        type_ = "bool"
    return facts._replace(
        type=type_,
        distinct=len(every),
        low=every[0],
        high=every[-1],
        sentinel=sentinel,
        decimals=series.dtype == pl.Float64,
    )


def names_score(facts: Facts) -> bool:
    """Whether the name of a column, or the words in it, say that it grades answers."""
    texts = {str(value).strip().lower() for value in facts.values}
    verdicts = set(map(verdict, facts.values))
    if verdicts == {0, 1} and not texts.isdisjoint(weights()["graded"]):
        return facts.type == "text"
    return score_name(facts.name) >= NAMED


def score_name(name: str) -> float:
    """How much a name alone speaks for a score; what was expected or answered is none."""
    plain = VARIANT.sub("", name)
    noun = QUALIFIED.sub("", plain)  # judgments_with_score: judgments
    total = max(weight("score", noun), weight("lowest", name))
    if noun == plain:
        total = max(total, weight("score", name))
    total -= weight("not_score", name)
    return total - max(weight("target", name), weight("answer", name))


def score_names(values: Collection[Any]) -> bool:
    """Whether values are names of scores, such as auc and rmse, rather than verdicts."""
    if any(verdict(value) is not None for value in values):
        return False
    names = list(map(str, values))
    weights_of = [max(score_name(name), weight("lowest", name)) for name in names]
    return bool(names) and min(weights_of) >= NAMED


def direction(names: Iterable[str]) -> str:
    """Which of some numbers is the best, by their names: `highest`, `lowest`, or `none`.

    What is done to a model, as an attack or a refusal, is good or bad by what was asked.
    """
    said: set[str] = set()
    for name in names:
        if holds("adverse", name):
            return "none"
        directed = [word for word in words(name) if word not in weights()["undirected"]]
        plain = "_".join(directed)
        low = max(weight("lowest", plain), weight("spent", plain), weight("lowest", name))
        high = max(weight("score", plain), float(holds("speeds", plain)))
        if PACE.search("_".join(words(name))):
            low, high = 0.0, DIRECTED
        if max(low, high) >= DIRECTED:
            said.add("lowest" if low > high else "highest")
    return said.pop() if len(said) == 1 else "none"


def score_weight(facts: Facts) -> float:
    """How likely a column is the score, by its name and its values alone."""
    if facts.type == "long" or (facts.type == "text" and facts.distinct > 4):
        return -9.0
    total = score_name(facts.name) - 1.5 * facts.missing
    if facts.distinct <= 1:
        total -= 6.0
    if weight("lowest", facts.name) > weight("score", facts.name):
        total -= 0.8  # an accuracy beside a loss is the score
    return total + _scale_weight(facts)


def _scale_weight(facts: Facts) -> float:
    """How much the values of a column, whatever it is called, speak for a score."""
    if facts.type == "bool":
        return 1.2
    if facts.type == "text":
        verdicts = set(map(verdict, facts.values))
        if verdicts >= {0, 1}:
            return 1.2
        return -1.5 if facts.distinct > 2 and verdicts == {None} else -0.5
    if facts.single and facts.high == 1:
        return 1.0
    if 0 <= facts.low <= facts.high <= 1:
        return 0.7
    return 0.3 if -10 <= facts.low <= facts.high <= 100 else -1.0


def is_amount(facts: Facts) -> bool:
    """Whether values are amounts rather than grades: counts, tokens, times, costs."""
    as_amount = max(weight("not_score", facts.name), weight("spent", facts.name))
    return as_amount > 1 or (facts.type == "int" and facts.high > 10)


def may_be_score(facts: Facts) -> bool:
    """Whether a person may say that a column is the score: it is graded, and nothing else."""
    as_other = max(weight(role, facts.name) for role in KNOWN)
    if is_label(facts):
        return True
    is_number = words(facts.name)[-1:] in (["index"], ["idx"], ["id"], ["no"])
    if facts.distinct <= 1 or as_other >= 1.5 or is_number:
        return False
    if facts.type != "text":
        return facts.type in ("bool", "int", "float")
    verdicts = set(map(verdict, facts.values[:4]))
    as_grade = verdicts != {None} or score_name(facts.name) > 0.5
    return facts.distinct <= 4 and as_grade


def is_label(facts: Facts) -> bool:
    """Whether a column has one of a few words that class an answer, as `refused` or `complied`."""
    few = facts.type == "text" and 1 < facts.distinct <= CLASSES
    called = holds("labels", facts.name) and weight("target", facts.name) < EXPECTED
    return few and called
