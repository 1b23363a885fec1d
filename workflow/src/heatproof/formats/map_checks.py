"""What can be wrong with keys that map records to columns: rows of place, test and message."""

from __future__ import annotations

import re
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from heatproof.config import hints, roles
from heatproof.config.entries import Param, unfit
from heatproof.formats import aggregates
from heatproof.formats.grading import MISSING, VOTED
from heatproof.formats.places import (
    ANSWER,
    EACH,
    GRADED,
    GROUP,
    HEAD,
    IDENTITY,
    KEY,
    ROW,
    VALUE,
    grouped_place,
    is_head,
    literal,
)
from heatproof.formats.sidecars import mistakes_of_sidecars
from heatproof.util.errors import Mistake, choices, likeliest
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.formats.mapping import Listed, Mapped

    Rows = Iterator[tuple[str, object, str]]

COUNTED = {
    ROW: "its number in the log",
    KEY: "its key in the object that holds the records, or its number in the list",
}
"""What stands for the number of a record, in words."""
NUMBERED = ("sample_id", "epoch")
"""What the number of a record may tell."""
OTHERS = "; settings stand under params, further numbers under measures"
"""Columns that `fields` does not name."""
OF_RECORDS = ("score", "answer")
"""Columns that cannot be the same in all records of a log."""
OF_SAMPLES = ("sample_id", "epoch", "score", "answer", "target")
"""Columns of records of single problems."""
UNREAD = re.compile(r"[\\\"\x00-\x1f]")
"""What the decoder takes no key with."""


def mistakes(entry: Mapped) -> list[Mistake]:
    """What is wrong with a map beyond the types of its keys."""
    try:
        parts = set(re.compile(entry.path).groupindex)
    except re.error as error:
        return [Mistake(".path", hints.expression(error, entry.path), offset=error.pos)]
    checks = (_columns, _elsewhere, _scores, _games, _heads, _groups, _only, _aggregates)
    rows = chain(*(check(entry, parts) for check in checks))
    problems = [Mistake(place, message) for place, wrong, message in rows if wrong]
    constant = {*IDENTITY, *entry.params}
    for name, value in entry.set.items():
        if name in constant:
            problems += unfit(value, entry.kind(name), f".set.{name}")
    for name, param in Param.all(entry.params).items():
        problems += [problem.below(f".params.{name}") for problem in param.mistakes()]
    return [*problems, *mistakes_of_sidecars(entry.sidecar, entry.beside_records())]


def _columns(entry: Mapped, parts: set[str]) -> Rows:
    """Names that are no columns, and ranges that are none."""
    constant = [*IDENTITY, *entry.params]
    for key, names, valid in (
        ("fields", entry.fields, [*IDENTITY, "score", *GRADED]),
        ("path", parts, constant),
        ("set", entry.set, constant),
        ("range", entry.range, ["score", *entry.measures, *entry.aggregates]),
    ):
        for name in names:
            if name not in valid:
                hint = hints.key(name, valid)
                hint += OTHERS * (key == "fields" and not hints.likely(name, valid))
                if key == "path" and not likeliest(name, valid):
                    hint += _untyped(entry.path, name)
                yield f".{key}.{name}", True, f"{name!r} is not a column; {hint}"
    for name, ends in entry.range.items():
        is_range = len(ends) == 2 and ends[0] < ends[1]
        yield f".range.{name}", not is_range, f"{ends} is not [lowest, highest]"
    filled = {*entry.fields, *parts, *entry.set, entry.group(), *entry.listed()}
    needs = f"needs 'sample_id', the place of a problem's id in a record ({entry.numbers!r}: "
    without = "sample_id" not in filled and not entry.aggregates
    yield ".fields", without, f"{needs}{COUNTED[entry.numbers]})"


def _untyped(pattern: str, group: str) -> str:
    """What to write for a group of a pattern that no column has, of a type by what it matches."""
    match = re.search(rf"\(\?P<{group}>((?:[^()\\]|\\.)*)\)", pattern)
    inside = match[1] if match else ""
    kind = "str" if not re.search(r"\\d|0-9", inside) else "float" if "." in inside else "int"
    return f"; give it a type: params: {{{group}: {kind}}}"


def _elsewhere(entry: Mapped, parts: set[str]) -> Rows:
    """Columns that are filled twice; groups that fill none, and numbers of records."""
    fills = dict.fromkeys(entry.set, "set") | dict.fromkeys(parts, "path")
    for name, param in Param.all(entry.params).items():
        twice = param.field and name in fills
        yield f".params.{name}.field", twice, f"{fills.get(name)} fills {name!r}; keep one"
    for name, place in entry.fields.items():
        where = f".fields.{name}"
        yield where, name in fills, f"{fills.get(name)} fills {name!r} too; keep one"
        other = place in (ROW, KEY) and place != entry.numbers
        yield where, other, f"{place!r} is {entry.numbers!r} in this format"
        stray = place == ROW == entry.numbers and name not in NUMBERED
        yield where, stray, f"{place!r} is for {' and '.join(NUMBERED)}"
    unnamed = re.compile(entry.path).groups
    yield ".path", unnamed and not parts, (
        f"{entry.path!r} has {numbered(unnamed, 'group')} without a name, which fill no column: "
        "(?P<model>…) fills model; (?:…) is for what fills none"
    )  # fmt: skip


def _scores(entry: Mapped, _: set[str]) -> Rows:
    """Verdicts, grades and answers that are kept."""
    lists, grade = entry.exploded(), entry.grade
    columns = {*entry.fields, *lists}
    has_score, has_answer = "score" in columns, ANSWER in columns
    for text, value in entry.verdicts.items():
        yield f".verdicts.{text}", not 0 <= value <= 1, f"{value:g} is not between 0 and 1"
    needs = "needs 'score' in fields, the place of the text"
    yield ".verdicts", entry.verdicts and not has_score, needs
    texts = entry.verdicts and "score" in entry.range
    yield ".range.score", texts, "the scores are texts, for 'verdicts'"
    yield ".grade", grade == "math" and find_spec("math_verify") is None, MISSING
    message = f"{grade!r} would replace the 'score' in fields; name one of them"
    yield ".grade", grade and has_score, message
    for name in GRADED:
        alone = name in columns and not (name == ANSWER and has_score)
        message = f"{name!r} is for grading; say how with 'grade'"
        yield f".fields.{name}", alone and not grade, message
        message = f"needs {name!r}, the place of the {name}, for 'grade'"
        yield ".fields", grade and not has_score and name not in columns, message
    message = f"each {ANSWER!r} needs a score of its own; list 'score' beside it, or say with "
    message += "'grade' how answers are graded"
    single = not grade and ANSWER in lists and has_score and "score" not in lists
    yield ".epochs", single, message
    message = f"needs {ANSWER!r}, the place of the answer, for 'answers'"
    yield ".fields", entry.answers and not has_answer, message
    message = f"{grade!r} tells whether two answers are equal, not what they are"
    yield ".answers", entry.answers and grade not in (None, *VOTED), message


def _games(entry: Mapped, _: set[str]) -> Rows:
    versus, params = entry.versus, Param.all(entry.params)
    if not versus:
        return
    message = f"{versus!r} is not under params; {choices(versus, params)}"
    yield ".versus", versus not in params, message
    kind = params[versus].type if versus in params else "str"
    yield ".versus", kind != "str", f"{versus!r} is {kind}, but names models: str"
    has_answer = ANSWER in {*entry.fields, *entry.exploded()}
    others = {"measures": entry.measures, "grade": entry.grade, "answer": has_answer}
    for key, value in others.items():
        message = f"both sides of a game have its score; {key!r} would be of one of them"
        yield ".versus", value, message


def _heads(entry: Mapped, _: set[str]) -> Rows:
    """Places of the head of a log."""
    each: str = getattr(entry, "each", "")
    headless = "" if entry.sidecar else entry.headless()
    for where, place in entry.places().items():
        if not is_head(place):
            continue
        inside, name = literal(place), where.partition(".")[2]
        parts = inside.split(".")
        if headless:
            yield f".{where}", True, f"{place!r} is of the head of a log; {headless}"
            continue
        formless = "" in parts or EACH in parts
        yield f".{where}", formless, f"{place!r} is not of the form {HEAD}a.b"
        own = name in OF_RECORDS or name in entry.exploded()
        yield f".{where}", own, f"{place!r} is one for all records, and each has its own {name}"
        below = each and f"{inside}.".startswith(f"{each}.")
        yield f".{where}", below and not own, f"{place!r} lies in the records, each: {each}"


def _groups(entry: Mapped, parts: set[str]) -> Rows:
    """Places with `{model}` in them."""
    places, columns = entry.places(), [*IDENTITY, *entry.params]
    names = {name: where for where, place in places.items() for name in GROUP.findall(place)}
    for where, place in places.items():
        several = len(GROUP.findall(place)) > 1
        message = f"{place!r} has several {{…}}; a record has groups by one column"
        yield f".{where}", several, message
    first, *others = names or [""]
    for name, where in names.items():
        message = f"{{{name}}} is not a column; {choices(name, columns)}"
        yield f".{where}", name not in columns, message
        message = f"{{{name}}} fills {name!r}, and so does another key; keep one"
        twice = name in columns and name in {*parts, *entry.set, *entry.fields}
        yield f".{where}", twice, message
        message = f"{{{name}}}: a record has groups by one column, {{{first}}}"
        yield f".{where}", name in others, message
    message = f"has no {{{first}}}, as {names.get(first)} has"
    yield ".fields.score", first and not grouped_place(places), message


def _only(entry: Mapped, _: set[str]) -> Rows:
    for place, values in entry.only.items():
        yield f".only.{place}", values == [], "lists no value"
        formless = is_head(place) or GROUP.search(place) or EACH in place.split(".")
        yield f".only.{place}", formless, f"{place!r} is not of the form a.b, a place in a record"


def _aggregates(entry: Mapped, parts: set[str]) -> Rows:
    if not entry.aggregates:
        message = "is for `aggregates`; `only` says which records of problems are read"
        yield ".finished", entry.finished, message
        return
    for name in OF_SAMPLES:
        yield f".fields.{name}", name in {*entry.fields, *parts, *entry.set}, (
            f"{name!r} is of records of problems, and aggregates have none below; what tells runs "
            "apart is a model, a task or one of params"
        )  # fmt: skip
    for key in ("measures", "grade", "verdicts", "answers", "expect", "epochs", "versus"):
        message = "is of records of problems, beside `aggregates`; take it out"
        yield f".{key}", getattr(entry, key, None), message
    for place, values in entry.finished.items():
        yield f".finished.{place}", values == [], "lists no value"
    for name, number in aggregates.parts(entry.aggregates).items():
        key, taken = f".aggregates.{name}", name in roles.TAKEN
        why = "what a column of our own is called" if taken else "no name"
        message = f"{name!r} is {why}; call it my_number or so"
        yield key, taken or not name.isidentifier(), message
        count = isinstance(number.n, int) and number.n < 1
        yield f"{key}.n", count, f"{number.n} is not 1 or more (problems behind the number)"
        message = "is for a value with {task} in it, one for each column"
        yield f"{key}.of", number.of and not GROUP.search(number.value), message
        for part, at in (("value", number.value), ("n", number.n), ("stderr", number.stderr)):
            formless = isinstance(at, str) and (is_head(at) or EACH in at.split("."))
            message = f"{at!r} is not of the form a.b, a place in a record"
            yield f"{key}.{part}", formless, message


def mistakes_of_lists(entry: Listed) -> list[Mistake]:
    """What is wrong with the places of JSON records, and with lists of epochs in them."""
    columns, lists = [*entry.fields, *entry.measures], entry.exploded()
    own = {where: place for where, place in entry.places().items() if not is_head(place)}
    rows = chain(_epochs(entry, lists), _each(entry), _listed(own, lists), _values(own, lists))
    return [
        Mistake(
            ".epochs.lists",
            f"{name!r} is not among fields and measures; {choices(name, columns)}",
            word=name,
        )
        for name in lists
        if name not in columns
    ] + [Mistake(place, message) for place, wrong, message in rows if wrong]


def _epochs(entry: Listed, lists: Sequence[str]) -> Rows:
    for name in lists if "epoch" not in lists else ():
        if name in entry.fields and name not in ("score", *GRADED):
            above, each, below = entry.fields[name].partition(f".{EACH}.")
            way = f"each: {above}, fields: {{{name}: {below}}}" if each else "each: their place"
            yield ".epochs.lists", True, (
                f"{name!r} is the same in all epochs of a problem; lists of problems are read with "
                f"format: json, {way}"
            )  # fmt: skip
    counted = lists and "epoch" in entry.fields
    yield ".fields.epoch", counted, "the place in the lists is the epoch"


def _each(entry: Listed) -> Rows:
    """The place of the records."""
    columns, filled = [*IDENTITY, *entry.params], {*entry.fields, *entry.set}
    for part in entry.each.split("."):
        formless = "{" in part or (EACH in part and part != EACH)
        message = f"{part!r} is not of the form key, {EACH} or {{column}}"
        yield ".each", formless and not GROUP.fullmatch(part), message
    for name in GROUP.findall(entry.each):
        message = f"{{{name}}} is not a column; {choices(name, columns)}"
        yield ".each", name not in columns, message
        twice = name in filled or entry.each.count(f"{{{name}}}") > 1
        message = f"{{{name}}} fills {name!r}, and so does another key; keep one"
        yield ".each", name in columns and twice, message


def _listed(places: dict[str, str], lists: Sequence[str]) -> Rows:
    """Places of each object in a list; `places`: key and name → place, of all columns."""
    for where, place in places.items():
        message = f"{place!r}: no key is read with a backslash, a quote or a control sign"
        yield f".{where}", UNREAD.search(literal(place)), message
        if EACH not in place.split(".")[1:]:
            continue
        above, each, below = place.partition(f".{EACH}.")
        inside = below.split(".")
        key, name = where.split(".", 1)
        formless = EACH in [*above.split("."), *inside] or inside[-1].isdigit()
        yield f".{where}", formless, f"{place!r} is not of the form list.{EACH}.key"
        message = f"{place!r} is one for each epoch; such are fields and measures that epochs.lists"
        unlisted = key == "params" or name not in lists
        yield f".{where}", unlisted and not formless, f"{message} names"
        for other, taken in places.items():
            is_below = f"{taken}.".startswith(f"{above}.") and not taken.startswith(above + each)
            yield f".{other}", is_below, f"{taken!r} lies in the list of {where}, {place!r}"


def _values(places: dict[str, str], lists: Sequence[str]) -> Rows:
    """Places in records that are no objects."""
    items = {w: p for w, p in places.items() if p.startswith(f"{EACH}.") and p.count(EACH) == 1}
    values = {w: p for w, p in places.items() if p == VALUE}
    if not items and not values:
        return
    first, taken = next(iter({**values, **items}.items()))
    for where, place in places.items():
        key = where not in items and where not in values and place not in (ROW, KEY)
        message = f"{place!r} is a key of a record, and by {first}, {taken!r}, it has none"
        yield f".{where}", key, message
        unlisted = where in items and where.partition(".")[2] not in lists
        message = f"{place!r} is one for each epoch; epochs.lists must name it"
        yield f".{where}", unlisted, message
