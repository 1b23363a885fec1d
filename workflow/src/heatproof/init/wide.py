"""Several columns of scores → one, with a column of their names: a row for each number."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import chain, permutations
from typing import TYPE_CHECKING

from heatproof.init import files
from heatproof.init.evidence import are_shares
from heatproof.init.facts import (
    differ_in_one_key,
    holds,
    in_words,
    models,
    score_name,
    score_weight,
    weight,
    weights,
    words,
)
from heatproof.init.frame import (
    ANSWER,
    GRADED,
    NAMED,
    NUMBER,
    PAIRED,
    SCORER,
    TRUTH,
    kind,
    without_empty,
)
from heatproof.init.layouts import DOCUMENTS, TABLES
from heatproof.init.records import are_problems, plain
from heatproof.init.roles import LEAST, SCORE_TOO
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from heatproof.init.facts import Facts
    from heatproof.init.frame import Frame

NUMBERS = ("bool", "int", "float")  # types of columns that may be scores
BESIDE, ODD = 3, ("not_score", "setting", "count")
"""Columns beside those of tasks, at most; what names of tasks do not speak for."""
ABOVE_ONE, CERTAIN = 0.5, 99.0
"""How much more likely several columns are the score than one; weight of those of tasks."""
MANY = 12  # numbers below one key, from which they are of tasks
MULTIPLES = 20  # pairs of numbers from which it is no chance that they have one ratio
EQUAL_TO = 0.05  # part of the answers that are what was expected, letter by letter
HOLES = 0.95  # part of the rows of a table that may have no number for a task
COUNTS, SPREAD = 12, 0.02
"""Whole numbers of which a share is looked for; what is as near to 0 is the share of none."""
SIGN = re.compile(r"[_.\- ]")  # between the words of a name
HOLE = "{column}"  # the column of names of columns that are values
TASK, MODEL, PROBLEM = "{task}", "{model}", "{problem}"
"""This column, where names say what they are."""
NUMBERED_NAME = re.compile(r"(\D*?)(\d+)")


def unpivoted(table: Frame) -> Iterator[Frame]:
    """The frame with a row for each of several columns of numbers, if it has such columns.

    Several frames, where equal columns lie below several keys of a record.
    """
    fields = table.numbers
    place, names = _wide_columns(fields, table)
    if not place:
        place, names = _question_columns(fields)
    if place:
        yield _unpivot(table, place, names)
        for alike, columns in _columns_alike(table, place).items():
            yield _unpivot(table, alike, columns)
        return
    board = _row_names(table)
    place, names = _board_columns(fields, table) if board else ("", {})
    if not place:
        return
    long = replace(_unpivot(table, place, names), weight=CERTAIN)
    if long.lists == table.lists:  # no number is of several attempts
        long = replace(long, board=board)
    yield long


def with_hole(table: Frame, place: str) -> Frame | None:
    """The frame with a row for each column that fits a place with a hole, as a person wrote it:
    `{condition}_rate`. None if fewer than two fit.
    """
    before, hole, after = re.split(r"(\{\w+\})", place, maxsplit=1)
    if table.place or hole in table.facts:
        return None
    fits = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    names: dict[str, str] = {}
    for facts in table.numbers:
        match = fits.fullmatch(facts.name)
        if not match or facts.type not in NUMBERS:
            continue
        if _is_readable(table, f"{before}{HOLE}{after}", match[1]):
            names[facts.name] = match[1]
    return _unpivot(table, place, names) if len(names) > 1 else None


def _columns_alike(table: Frame, place: str) -> dict[str, dict[str, str]]:
    """Places that differ from one in a single key, and have most of the same columns.

    Such are those of several systems in one record; of them all or none is drawn in silence.
    """
    before, _, after = place.partition("{")
    above = before.split(".")[:-1]
    if after.partition("}")[2] or not above:
        return {}
    keys_above = ".".join(above)
    numbers = [facts.name for facts in table.facts.values() if facts.type in NUMBERS]
    columns_of: dict[str, dict[str, str]] = defaultdict(dict)
    own_tokens: set[str] = set()
    for name in numbers:
        keys = name.split(".")
        start = ".".join(keys[: len(above)])
        token = name.removeprefix(f"{start}.")
        if len(keys) <= len(above):
            continue
        if start == keys_above:
            own_tokens.add(token)
        elif differ_in_one_key(start, keys_above):
            columns_of[f"{start}.{place.removeprefix(before)}"][name] = token
    alike: dict[str, dict[str, str]] = {}
    for other, columns in columns_of.items():
        shared = own_tokens.intersection(columns.values())
        if 2 * len(shared) >= max(2, len(columns)):
            alike[other] = columns
    return alike


def _unpivot(table: Frame, place: str, names: dict[str, str]) -> Frame:
    before, hole, after = re.split(r"(\{\w+\})", place)
    value = place if before or after else NUMBER
    related = tuple(f"{before}{name}" for name in names.values())  # such as their errors
    rest = [name for name in table.data.columns if not name.startswith(related) and name != hole]
    numbers = (pl.col(name).cast(pl.Float64) for name in names)
    data = _long(table.data.with_columns(numbers), names, rest, hole, value)
    keys = list(map(plain, names.values()))
    without = f"left out: of records without {in_words(keys, len(keys))}"
    left_out = dict(table.left_out)
    for name in rest:
        if name not in data.columns:
            left_out[name] = SCORE_TOO if score_name(name) >= NAMED else without
    fits = re.compile(f"{re.escape(before)}[^{{}}]+{re.escape(after)}")
    others = table.facts.keys() - names.keys()
    is_open = value != NUMBER and not any(map(fits.fullmatch, others))
    lists = {value} if table.lists.issuperset(names) else set()
    has_none = pl.all_horizontal(pl.col(name).is_null() for name in names)
    return replace(
        table,
        data=data,
        lists=table.lists | lists,
        place=place,
        group=[] if is_open else keys,
        weight=max(score_weight(table.facts[name]) for name in names) + ABOVE_ONE,
        left_out=left_out,
        lost=len(table.data.filter(has_none)),
    )


def _long(
    data: pl.DataFrame, names: dict[str, str], rest: Sequence[str], hole: str, value: str
) -> pl.DataFrame:
    """Rows with a row for each of several columns that has a value: `hole` says which it is of."""
    keys = {name: plain(token) for name, token in names.items()}
    data = data.unpivot(list(names), index=rest, variable_name=hole, value_name=value)
    data = data.with_columns(pl.col(hole).replace(keys)).drop_nulls(value)
    return without_empty(data).select(pl.exclude("$file"), "$file")


def with_answers(table: Frame) -> Frame | None:
    """The frame with a row for each of several columns of answers, called as models or in modes.

    None without such columns, or if nothing says what was expected: a score would then be repeated
    for each of them.
    """
    expected = [name for name in table.facts if name == TRUTH or weight("target", name) >= PAIRED]
    if not expected:
        return None
    groups = _answer_columns(table, expected[0])
    if not groups:
        return None
    place, names = max(groups.items(), key=_width)
    hole = HOLE if HOLE in place else MODEL
    related = set(chain(*groups.values()))
    index = [name for name in table.data.columns if name not in related]
    texts = (pl.col(name).cast(pl.String) for name in names)
    data = _long(table.data.with_columns(texts), names, index, hole, ANSWER)
    return replace(table, data=data, answers=place, group=list(map(plain, names.values())))


def _answer_columns(table: Frame, expected: str) -> dict[str, dict[str, str]]:
    """Places of answers in columns of several models or modes → column → what it is of.

    Nothing but what was expected tells that other names are modes: some answers are equal to it.
    """
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name, facts in table.facts.items():
        if kind(name) != "field" or facts.type == "float" or facts.constant:
            continue
        for place, token in _places_of_model(name):
            if models([token]):
                groups[place][name] = token
            elif place != MODEL and "." not in token and _answers(table, name, expected):
                groups[place.replace(MODEL, HOLE)][name] = token
    return {place: names for place, names in groups.items() if len(names) > 1}


def _answers(table: Frame, name: str, expected: str) -> bool:
    """Whether some texts of a column are what was expected of their records."""
    if name == expected:
        return False
    stripped = pl.col(name, expected).cast(pl.String).str.strip_chars()
    texts = table.data.select(stripped)
    equal = texts[name] == texts[expected]
    return bool(equal.sum() > EQUAL_TO * len(equal))


def _places_of_model(name: str) -> list[tuple[str, str]]:
    """Places of which a column of answers may be one, and the model that it has for the hole."""
    plain, called = [(MODEL, name)], []
    for gap in SIGN.finditer(name):
        first, last = name[: gap.start()], name[gap.end() :]
        if _names_answer(last):
            called.append((f"{MODEL}{gap[0]}{last}", first))
        elif _names_answer(first):
            called.append((f"{first}{gap[0]}{MODEL}", last))
        elif gap[0] == ".":  # models have points in their names too
            plain.append((f"{first}.{MODEL}", last))
    return called or plain


def _names_answer(word: str) -> bool:
    return max(weight("answer", word), weight("target", word)) >= PAIRED


def _wide_columns(fields: list[Facts], table: Frame) -> tuple[str, dict[str, str]]:
    """The place of numbers of one scale in several columns; column → what it has for the hole."""
    several: list[tuple[str, dict[str, str]]] = []
    for place, names in _columns_of_scales(fields, table):
        varied = {n: token for n, token in names.items() if not table.facts[n].constant}
        # A model may solve all of it; a metric that is always 1 says nothing.
        kept = names
        if not varied or not _are_models(names.values()):
            kept = _unlike(varied, table)
        if len(kept) > 1:
            several.append((place, kept))
    if not several:
        return "", {}
    place, names = max(several, key=_width)
    if place == HOLE:
        place, names = _most_graded(several, names)
    hole = HOLE
    scorers = [name for name in names.values() if weight("score", name) >= 1]
    if 2 * len(scorers) >= len(names):
        hole = SCORER
    names |= _rated_alike(place, names, fields)
    if _are_models(names.values()):
        hole = SCORER if _has_models(table, names) else MODEL
    return place.replace(HOLE, hole), names


def _has_models(table: Frame, names: Collection[str]) -> bool:
    """Whether another column is called one of models: then others called so are judges."""
    called = [f for f in table.facts.values() if weight("model", f.name) >= LEAST["model"]]
    return any(facts.distinct > 1 and facts.name not in names for facts in called)


def _question_columns(fields: Iterable[Facts]) -> tuple[str, dict[str, str]]:
    """The place of grades in columns with one name and running numbers: Q1 to Q72."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for facts in fields:
        is_grade = facts.type in ("bool", "int") and -1 <= facts.low <= facts.high <= 1
        match = NUMBERED_NAME.fullmatch(facts.name)
        if match and is_grade:
            groups[match[1]][facts.name] = match[2]
    for stem, names in groups.items():
        if are_problems(names):
            return f"{stem}{PROBLEM}", names
    return "", {}


def _most_graded(
    several: Iterable[tuple[str, dict[str, str]]], names: dict[str, str]
) -> tuple[str, dict[str, str]]:
    """Of columns with any name those that are most called a score, if they are those of models:
    of kite_correct, kite_steps, owl_correct, owl_steps the first of each model.
    """
    inside = [group for group in several if _is_of_models(*group, names)]
    inside.sort(key=lambda group: len(group[0]))
    longest = {frozenset(some): (place, some) for place, some in inside}
    if not longest:
        return HOLE, names
    return max(longest.values(), key=lambda group: score_name(_around(group[0])))


def _columns_of_scales(
    fields: Iterable[Facts], table: Frame
) -> Iterator[tuple[str, dict[str, str]]]:
    """Places with a hole, and the columns of one scale that they are of."""
    groups: dict[tuple[str, int, bool], dict[str, str]] = defaultdict(dict)
    for facts in fields:
        unit, lowest = scale(facts), weight("lowest", facts.name) >= NAMED
        if not unit:
            continue
        places = list(_places_with_hole(facts.name))
        if facts.type == "bool" and models([facts.name]):  # what a model, or a judge, got right
            places.append((HOLE, facts.name))
        for place, token in places:
            if _is_readable(table, place, token):
                groups[place, unit, lowest][facts.name] = token
    for (place, *_), names in groups.items():
        yield place, names


def _rated_alike(place: str, names: dict[str, str], fields: list[Facts]) -> dict[str, str]:
    """Further ratings beside those that are called scores: on the same scale, in the same place."""
    before, _, after = place.partition(HOLE)
    rated = [facts for facts in fields if facts.name in names]
    low, high = min(f.low for f in rated), max(f.high for f in rated)
    if after or low < 1 or high > 10:
        return {}
    alike: dict[str, str] = {}
    for facts in fields:
        token = facts.name.removeprefix(before)
        is_beside = facts.name.startswith(before) and "." not in token
        if not is_beside or facts.type not in ("int", "float"):
            continue
        inside = low <= facts.low < facts.high <= high
        if inside and _oddness(facts.name) < 1:
            alike[facts.name] = token
    return alike


def _oddness(name: str) -> float:
    """How much the name of a column says that it is no score of a task: all of it, or the noun at
    its end. `page_rank` is a rank, and `seed_bench` no seed.
    """
    parts = [part for part in words(name) if not part.isdigit()]
    tables: list[dict[str, float]] = [weights()[role] for role in ODD]
    called = [table.get("_".join(parts), 0.0) for table in tables]
    nouns = [table.get(part, 0.0) for table in tables for part in parts[-1:]]
    return max(called + nouns)


def _is_readable(table: Frame, place: str, token: str) -> bool:
    """Whether what a place has for its hole is one key of an object, and the last in a document."""
    if table.family.format in TABLES:
        return True
    if "." in place.partition(HOLE)[2] and table.family.format in DOCUMENTS:
        return False
    return "." not in token


def _unlike(names: dict[str, str], table: Frame) -> dict[str, str]:
    """Columns without those that are a multiple of another: one score on two scales."""
    kept: dict[str, str] = {}
    for name, token in names.items():
        if not any(_is_multiple(table.data[name], table.data[other]) for other in kept):
            kept[name] = token
    return kept


def _is_multiple(numbers: pl.Series, others: pl.Series) -> bool:
    shares = numbers.cast(pl.Float64) / others.cast(pl.Float64)
    shares = shares.filter(shares.is_finite())
    low, high = shares.quantile(0.1), shares.quantile(0.9)
    if len(shares) < MULTIPLES or low is None or high is None:
        return False
    is_scaled = low > 2 or 0 < high < 0.5  # equal numbers may be two scores
    return is_scaled and high - low < 0.02 * high


def _are_models(names: Collection[str]) -> bool:
    return models(names) >= files.MODELS


def _around(place: str) -> str:
    """What a place has in common with others: all but its hole."""
    return place.replace(HOLE, "")


def _is_of_models(place: str, some: dict[str, str], names: dict[str, str]) -> bool:
    """Whether some of several columns are those of models, each of which has others too."""
    return place != HOLE and some.keys() < names.keys() and _are_models(some.values())


def _width(group: tuple[str, dict[str, str]]) -> tuple[int, int]:
    """How many columns a group has; models count twice. Of equal groups the longest place."""
    place, names = group
    return len(names) * (1 + _are_models(names.values())), len(place)


def scale(facts: Facts) -> int:
    """What numbers of one scale have in common; 0 if they are counts or measures."""
    most = 1000 if weight("lowest", facts.name) >= NAMED else 100  # errors may be more than all
    if facts.type not in NUMBERS or not 0 <= facts.low <= facts.high <= most:
        return 0
    if facts.type == "bool":
        return 2
    if facts.high <= 1:
        return 1
    if facts.type == "float" or facts.decimals:
        return 100
    return 10 if facts.high <= 10 else 0  # others are counts


def _places_with_hole(name: str) -> Iterator[tuple[str, str]]:
    """Places of which a column of scores may be one, and what it has for the hole there."""
    above = [match.end() for match in re.finditer(r"\.", name)] or [0]
    for start in above:  # keys may have points in them
        place = name[:start] + HOLE
        if score_name(name) >= NAMED or score_name(place) >= GRADED:
            yield place, name[start:]
    ways: list[tuple[str, str]] = []
    keys = name.split(".")
    for number, key in enumerate(keys[:-1]):
        others = keys[:number] + [HOLE] + keys[number + 1 :]
        ways.append((".".join(others), key))
    for gap in SIGN.finditer(name):
        first, last = name[: gap.start()], name[gap.end() :]
        ways += [(f"{HOLE}{gap[0]}{last}", first), (f"{first}{gap[0]}{HOLE}", last)]
    for place, token in ways:
        graded = score_name(place) >= GRADED and not place.endswith(f".{HOLE}")
        is_name = weight("score", token) < 1 and not token.isdigit()
        is_average = holds("averages", _around(place)) and score_name(token) >= NAMED
        if is_average or (graded and is_name):
            yield place, token


def _board_columns(fields: list[Facts], table: Frame) -> tuple[str, dict[str, str]]:
    """As `_wide_columns`, of tasks or models in a table whose rows one text tells apart."""
    fields = _below_one_key(fields, table) or fields
    numbers = [f for f in fields if f.type in ("float", "int") and f.missing <= HOLES]
    shares = [f for f in numbers if 0 <= f.low <= f.high <= 100]
    shared = _shared_words(f.name for f in shares if f.type == "float" and f.high > 1)
    if shared:  # as `fluency_mean` and `style_mean`, beside counts
        shares = [f for f in shares if shared <= set(words(f.name))]
    counts = set(chain(*shares_of_counts(numbers, table).values()))
    shares = [f for f in shares if f.name not in counts]
    if not shared:
        shares = [f for f in shares if weight("score", f.name) < 0.9]
    sure = {f.name for f in shares if models([f.name])} | table.texts  # 71.3 %
    named = [facts.name for facts in shares if facts.name in sure or _oddness(facts.name) < 1]
    graded = [facts for facts in shares if facts.name in named]
    scales = {f.high <= 1 for f in graded if f.high > 0}
    one_scale = len(scales) == 1 and any(f.decimals for f in graded)
    above = {""}
    if table.family.format not in TABLES:
        above = {name.rpartition(".")[0] for name in named}
    many = len(named) > 1 and len(fields) <= len(named) + BESIDE
    if not (many and one_scale and len(above) == 1):
        return "", {}
    start = f"{above.pop()}.".lstrip(".")
    names = {name: name.removeprefix(start) for name in named}
    hole = MODEL if _are_models(names.values()) else TASK
    return start + hole, names


def _below_one_key(fields: Sequence[Facts], table: Frame) -> list[Facts]:
    """Numbers below the key of a document that has most of them, if they are many: their keys are
    names of tasks, whatever lies beside. Nothing of tables.
    """
    if table.family.format in TABLES:
        return []
    by_key: dict[str, list[Facts]] = defaultdict(list)
    for facts in fields:
        by_key[facts.name.rpartition(".")[0]].append(facts)
    most = max(by_key.values(), key=len, default=[])
    return most if len(most) >= MANY else []


def shares_of_counts(numbers: Sequence[Facts], table: Frame) -> dict[str, tuple[str, str]]:
    """Column that is a share, or a percentage → the two whole numbers of which it is one."""
    whole = [facts.name for facts in numbers if facts.type == "int"]
    likely = [facts.name for facts in numbers if facts.type == "float" or facts.decimals]
    data = table.data
    counts: dict[str, tuple[str, str]] = {}
    for hits, total in permutations(whole[:COUNTS], 2):
        ratio = (data[hits] / data[total]).fill_nan(None)
        known = ratio.drop_nulls()
        if known.n_unique() == 1 or known.is_between(0, SPREAD).all():
            continue
        for name in likely:
            if name not in (hits, total) and are_shares(data[name], ratio):
                counts[name] = (hits, total)
    return counts


def _shared_words(names: Iterable[str]) -> set[str]:
    """The words that several names have in common."""
    word_sets = [set(words(name)) for name in names]
    return set.intersection(*word_sets) if len(word_sets) > 1 else set()


def _row_names(table: Frame) -> str:
    """The text that tells the rows of a table apart; empty if none does."""
    rows = len(table.data)
    if rows < 2:
        return ""
    paths = {name for name in table.facts if kind(name) == "path"}
    for name, facts in table.facts.items():
        if facts.type == "text" and table.data.select(paths | {name}).n_unique() == rows:
            return name
    return ""
