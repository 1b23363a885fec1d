"""What can be wrong with keys that map records to columns: rows of place, test and message."""

from __future__ import annotations

import re
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from heatproof.config import hints, roles
from heatproof.config.entries import Param, unfit
from heatproof.formats import aggregates, places, sidecars
from heatproof.formats.grading import MISSING, VOTED
from heatproof.formats.places import ANSWER, EACH, GRADED, GROUP, IDENTITY, KEY, ROW, VALUE, is_head
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
OTHERS = "; settings stand under params, further numbers under measures"
"""Columns that `fields` does not name."""
OF_SAMPLES = ("sample_id", "epoch", "score", "answer", "target")
"""Columns of records of single problems: the first two may be numbers of records, and `score` and
`answer` cannot be the same in all records of a log."""
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
    for name, value in entry.set.items():
        if name in (*IDENTITY, *entry.params):
            problems += unfit(value, entry.kind(name), f".set.{name}")
    for name, param in Param.all(entry.params).items():
        problems += [problem.below(f".params.{name}") for problem in param.mistakes()]
    return [*problems, *sidecars.mistakes(entry.sidecar, entry.beside_records())]


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
                    inside = entry.path.partition(f"(?P<{name}>")[2].partition(")")[0]
                    kind = "int" if re.search(r"\\d|0-9", inside) else "str"
                    kind = "float" if kind == "int" and "." in inside else kind
                    hint += f"; give it a type: params: {{{name}: {kind}}}"
                yield f".{key}.{name}", True, f"{name!r} is not a column; {hint}"
    for name, ends in entry.range.items():
        is_range = len(ends) == 2 and ends[0] < ends[1]
        yield f".range.{name}", not is_range, f"{ends} is not [lowest, highest]"
    filled = {*entry.fields, *parts, *entry.set, entry.group(), *entry.listed()}
    needs = f"needs 'sample_id', the place of a problem's id in a record ({entry.numbers!r}: "
    without = "sample_id" not in filled and not entry.aggregates
    yield ".fields", without, f"{needs}{COUNTED[entry.numbers]})"


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
        stray = place == ROW == entry.numbers and name not in OF_SAMPLES[:2]
        yield where, stray, f"{place!r} is for {' and '.join(OF_SAMPLES[:2])}"
    unnamed = numbered(re.compile(entry.path).groups, "group")
    message = f"{entry.path!r} has {unnamed} without a name, which fill no column: "
    message += "(?P<model>…) fills model; (?:…) is for what fills none"
    yield ".path", re.compile(entry.path).groups and not parts, message


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
    yield (
        ".versus",
        versus not in params,
        f"{versus!r} is not under params; {choices(versus, params)}",
    )
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
        inside, name = places.literal(place), where.partition(".")[2]
        if headless:
            yield f".{where}", True, f"{place!r} is of the head of a log; {headless}"
            continue
        formless = {"", EACH}.intersection(inside.split("."))
        yield f".{where}", formless, f"{place!r} is not of the form {places.HEAD}a.b"
        own = name in ("score", ANSWER) or name in entry.exploded()
        yield f".{where}", own, f"{place!r} is one for all records, and each has its own {name}"
        below = each and f"{inside}.".startswith(f"{each}.")
        yield f".{where}", below and not own, f"{place!r} lies in the records, each: {each}"


def _groups(entry: Mapped, parts: set[str]) -> Rows:
    """Places with `{model}` in them."""
    by_key, columns = entry.places(), [*IDENTITY, *entry.params]
    names = {name: where for where, place in by_key.items() for name in GROUP.findall(place)}
    for where, place in by_key.items():
        message = f"{place!r} has several {{…}}; a record has groups by one column"
        yield f".{where}", len(GROUP.findall(place)) > 1, message
    first, *others = names or [""]
    for name, where in names.items():
        yield from _column(name, columns, {*parts, *entry.set, *entry.fields}, f".{where}")
        message = f"{{{name}}}: a record has groups by one column, {{{first}}}"
        yield f".{where}", name in others, message
    message = f"has no {{{first}}}, as {names.get(first)} has"
    yield ".fields.score", first and not places.grouped_place(by_key), message


def _column(name: str, columns: Sequence[str], filled: set[str], where: str) -> Rows:
    """A column that keys in the place of `{name}` fill."""
    yield where, name not in columns, f"{{{name}}} is not a column; {choices(name, columns)}"
    twice = name in columns and name in filled
    yield where, twice, f"{{{name}}} fills {name!r}, and so does another key; keep one"


def _only(entry: Mapped, _: set[str]) -> Rows:
    for key, given in (("only", entry.only), ("finished", entry.finished)):
        for place, values in given.items():
            yield f".{key}.{place}", values == [], "lists no value"
    for place in entry.only:
        formless = is_head(place) or GROUP.search(place) or EACH in place.split(".")
        yield f".only.{place}", formless, f"{place!r} is not of the form a.b, a place in a record"


def _aggregates(entry: Mapped, parts: set[str]) -> Rows:
    if not entry.aggregates:
        message = "is for `aggregates`; `only` says which records of problems are read"
        yield ".finished", entry.finished, message
        return
    for name in OF_SAMPLES:
        message = f"{name!r} is of records of problems, and aggregates have none below; what tells "
        message += "runs apart is a model, a task or one of params"
        yield f".fields.{name}", name in {*entry.fields, *parts, *entry.set}, message
    for key in ("measures", "grade", "verdicts", "answers", "expect", "epochs", "versus"):
        message = "is of records of problems, beside `aggregates`; take it out"
        yield f".{key}", getattr(entry, key, None), message
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
    unknown = [name for name in lists if name not in columns]
    hint = "is not among fields and measures"
    return [
        *(
            Mistake(".epochs.lists", f"{n!r} {hint}; {choices(n, columns)}", word=n)
            for n in unknown
        ),
        *(Mistake(place, message) for place, wrong, message in rows if wrong),
    ]


def _epochs(entry: Listed, lists: Sequence[str]) -> Rows:
    for name in lists if "epoch" not in lists else ():
        if name in entry.fields and name not in ("score", *GRADED):
            above, each, below = entry.fields[name].partition(f".{EACH}.")
            way = f"each: {above}, fields: {{{name}: {below}}}" if each else "each: their place"
            message = (
                f"{name!r} is the same in all epochs of a problem; lists of problems are read "
            )
            yield ".epochs.lists", True, f"{message}with format: json, {way}"
    counted = lists and "epoch" in entry.fields
    yield ".fields.epoch", counted, "the place in the lists is the epoch"


def _each(entry: Listed) -> Rows:
    """The place of the records."""
    for part in entry.each.split("."):
        formless = "{" in part or (EACH in part and part != EACH)
        message = f"{part!r} is not of the form key, {EACH} or {{column}}"
        yield ".each", formless and not GROUP.fullmatch(part), message
    names = GROUP.findall(entry.each)
    filled = {*entry.fields, *entry.set, *(name for name in names if names.count(name) > 1)}
    for name in names:
        yield from _column(name, [*IDENTITY, *entry.params], filled, ".each")


def _listed(own: dict[str, str], lists: Sequence[str]) -> Rows:
    """Places of each object in a list; `own`: key and name → place, of all columns."""
    for where, place in own.items():
        message = f"{place!r}: no key is read with a backslash, a quote or a control sign"
        yield f".{where}", UNREAD.search(places.literal(place)), message
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
        for other, taken in own.items():
            is_below = f"{taken}.".startswith(f"{above}.") and not taken.startswith(above + each)
            yield f".{other}", is_below, f"{taken!r} lies in the list of {where}, {place!r}"


def _values(own: dict[str, str], lists: Sequence[str]) -> Rows:
    """Places in records that are no objects."""
    items = {w: p for w, p in own.items() if p.startswith(f"{EACH}.") and p.count(EACH) == 1}
    values = {w: p for w, p in own.items() if p == VALUE}
    if not items and not values:
        return
    first, taken = next(iter({**values, **items}.items()))
    for where, place in own.items():
        key = where not in items and where not in values and place not in (ROW, KEY)
        message = f"{place!r} is a key of a record, and by {first}, {taken!r}, it has none"
        yield f".{where}", key, message
        unlisted = where in items and where.partition(".")[2] not in lists
        message = f"{place!r} is one for each epoch; epochs.lists must name it"
        yield f".{where}", unlisted, message
