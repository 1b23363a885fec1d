"""What the keys of a question cannot say together: a mistake for each, in the order of reading."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from heatproof.config import hints
from heatproof.config.choice import single_values
from heatproof.config.entries import family_fault, refused
from heatproof.kinds.question import AGAINST, COUNTED, GROUPS, METRIC, K, axis_columns
from heatproof.metrics import Metric, metric
from heatproof.pair_numbers import TABLE
from heatproof.util.errors import Mistake, choices
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.kinds.question import Question

Rule = tuple[str, str, Any]
"""Key, what is wrong with it, and whether it is."""
LEVELS = 3  # columns that may lie along one axis: of more nobody reads the brackets


def mistakes(question: Question) -> list[Mistake]:
    """All of them."""
    unread = []
    for key, metric_word in question.metric_keys().items():
        unread += refused(f".{key}", metric, metric_word)
    rules = [
        *_axis_rules(question),
        *_annotation(question),
        *_baseline(question),
        *_highlight(question),
    ]
    rules += _metric_key_rules(question)
    if not unread:
        rules += [*_rules_over_k(question), *_pairs(question)]
        for metric_word, alone in question.by_metric().items():
            rules += [rule for rule in _metric(alone, metric(metric_word)) if rule not in rules]
    rules += _formats(question)
    rules += _order(question)
    return unread + broken_rules(rules)


def broken_rules(rules: list[Rule]) -> list[Mistake]:
    """The mistakes of rules that are broken."""
    return [Mistake(key, why) for key, why, wrong in rules if wrong]


def by_key(value: Any) -> list[tuple[str, str]]:
    """The rest of a key and its value, of each metric or of all."""
    if isinstance(value, dict):
        return [(f".{key_word}", item) for key_word, item in value.items()]
    if value is None:
        return []
    return [("", value)]


def unknown_metrics(key: str, value: Any, question: Question) -> Iterator[Rule]:
    """Metrics of a key, metric → value, that the figure does not show."""
    words = []
    if question.several:
        metric_words = question.metric_keys().values()
        words = list(metric_words)
    for rest, _ in by_key(value):
        metric_word = rest[1:]
        why = f"is not a metric of encoding.color; {choices(metric_word, words)}"
        yield f".{key}{rest}", f"{metric_word!r} {why}", metric_word and metric_word not in words


def _metric_key_rules(question: Question) -> Iterator[Rule]:
    """Keys that name other metrics, or that figures of several metrics do not take."""
    yield from unknown_metrics("best", question.best, question)
    yield from unknown_metrics("format", question.format, question)
    if not question.several:
        return
    metric_words = question.metric_keys().values()
    words = list(metric_words)
    yield ".encoding.color", "is an empty list", not words
    for n, (key, metric_word) in enumerate(question.metric_keys().items()):
        yield f".{key}", f"{metric_word!r} occurs twice", metric_word in words[:n]
    for key, column in question.place_keys().items():
        why = f"{column!r} is the column of the panels of several metrics; name one metric"
        yield f".{key}", why, column == METRIC
    panels = "encoding.color lists metrics, which have panels of their own"
    why = f"{question.panel!r}: {panels}; use `row` or `column` instead"
    yield ".panel", why, question.panel
    is_grid = question.row and question.column
    yield ".column", f"{question.column!r}: {panels}; remove row", is_grid
    alone = "encoding.color lists several metrics, but this takes one: draw a figure of each"
    for metric_word in ("annotate", "relative_to"):
        yield f".{metric_word}", alone, getattr(question, metric_word)
    why = "nested axes take one metric, but encoding.color lists several"
    for axis in ("x", "y"):
        columns = axis_columns(getattr(question.encoding, axis))
        yield f".encoding.{axis}", why, len(columns) > 1


def _rules_over_k(question: Question) -> Iterator[Rule]:
    """What does not go with a metric over k, and a metric that needs it."""
    open_words = {key: word for key, word in question.metric_keys().items() if metric(word).over_k}
    for key, word in open_words.items():
        fixed = f"{word.removesuffix(K)}1"
        why = f"{word!r} is over k: write k: [1, 2, 4] and {K!r} on an axis, or a number: {fixed}"
        yield f".{key}", why, not question.k
        yield f".{key}", f"{word!r} stands alone, in no list of metrics", question.several
    if not question.k:
        return
    why = f"{question.word!r} is not over k; write pass@k, pass^k or maj@k"
    yield ".k", why, not open_words
    yield ".k", f"no axis has it; write {question.keys['x']}: {K}", K not in question.along
    yield ".k", f"{question.k}: numbers of samples are 1 or more", min(question.k) < 1
    yield ".k", f"{question.k}: one occurs twice", len(set(question.k)) < len(question.k)
    yield ".annotate", "beside k there is room for no other number", question.annotate is not None
    why = f"a mean over {K!r} means nothing; name the column of the other axis"
    is_mean = K in question.means
    yield ".margins", why, is_mean


TASKS = (
    "a problem belongs to one task, so tasks cannot be compared on it; write join: [model], or if "
    "tasks share problems, set: {task: …}, and fill a column to compare by path or params"
)


def _pairs(question: Question) -> Iterator[Rule]:
    """What does not go with a number about two values, and one without two."""
    two_words = {k: w for k, w in question.metric_keys().items() if metric(w).pair}
    key, word = next(iter(two_words.items()), ("", ""))
    beside = f"beside {word} there is room for no other number; remove it"
    yield f".{key}", f"{word!r} stands alone, in no list of metrics", word and question.several
    only = f"{word!r} is for a heatmap, with {question.keys['x']}: {AGAINST}"
    yield f".{key}", only, word and not question.join
    x_key = f".{question.keys['x']}"
    why = f"{word!r} is of two values of {question.y!r}; write {AGAINST}, the other one"
    yield x_key, why, word and question.join and question.encoding.x != AGAINST
    numbers = ", ".join(f"{name}(score)" for name in TABLE)
    why = f"{AGAINST!r} is for a number about two values of a column: {numbers}"
    yield x_key, why, not word and question.encoding.x == AGAINST and not question.opponent
    is_joined = question.join not in ([], ["sample_id"])
    yield (
        ".join",
        f"it is for a number about two values of a column: {numbers}",
        is_joined and not word,
    )
    if not word:
        return
    yield (
        ".join",
        "is an empty list: name what two samples share, such as sample_id",
        (not question.join),
    )
    y_columns = axis_columns(question.encoding.y)
    yield f".{question.keys['y']}", f"{word!r} is of one column", len(y_columns) > 1
    yield ".annotate", beside, question.annotate
    means_nothing = f"does not go with {word!r}; remove it"
    for name in ("relative_to", "mean_over", "k", "groups", "highlight"):
        yield f".{name}", means_nothing, getattr(question, name)
    why = f"{AGAINST!r} stands in the order of {question.y!r}; sort that"
    yield f".sort.{AGAINST}", why, AGAINST in question.sort
    yield (
        ".join",
        f"{question.y!r} is compared, so instances do not share it",
        (question.y in question.join),
    )
    yield ".join", TASKS, question.y == "task" and "sample_id" in question.join


def _axis_rules(question: Question) -> Iterator[Rule]:
    for axis in ("x", "y"):
        columns = getattr(question.encoding, axis)
        number = len(columns)
        if isinstance(columns, str):
            number = 1
        why = f"lists {number or 'no'} columns; there may be 1 to {LEVELS}"
        yield f".{question.keys[axis]}", why, not 1 <= number <= LEVELS
    why = "'sample_id': a cell counts all of its problems together already; remove it"
    is_id = question.mean_over == "sample_id"
    yield ".mean_over", why, is_id
    places = question.place_keys()
    if question.mean_over:
        places["mean_over"] = question.mean_over
    for number, column in enumerate(question.pool):
        places[f"pool[{number}]"] = column
    for number, (key, column) in enumerate(places.items()):
        for before in list(places)[:number]:
            why = f"{column!r} is {before} already: name another"
            yield f".{key}", why, places[before] == column


def _annotation(question: Question) -> Iterator[Rule]:
    noted = question.noted
    key = f".{question.keys['note']}"
    yield key, "names neither `text` nor `std`", question.annotate is not None and not noted
    if not noted:
        return
    form = question.note.format
    note_question = question.beside
    name = question.deviates
    if name:
        yield from _deviation(question, name, f"{key}.std")
    is_shown = noted in (*question.along, question.word)
    yield key, f"{noted!r} is shown already; name another column or metric", is_shown
    # What is spelled like no metric is a column, which others look for.
    if set("(@^") & set(noted) and not name:
        for wrong in refused(key, metric, noted):
            yield key, wrong.message, True
    why = f"{form!r}: {noted!r} is a column, but only metrics have a format"
    yield f"{key}.format", why, form is not None and note_question is None
    wrong_format = form is not None and note_question is not None and not is_format(form)
    yield f"{key}.format", hints.number_format(form or ""), wrong_format
    why = f"{noted} can only be averaged over tasks, not over {question.mean_over!r}"
    yield (
        key,
        why,
        note_question and metric(note_question.word).join and question.averaged and not name,
    )
    why = "a cell has room for one line below its value; remove one of them"
    uncertain = question.uncertainty in ("se", "interval", "stars")
    yield key, f"beside uncertainty: {question.uncertainty!r}: {why}", uncertain


def _deviation(question: Question, name: str, key: str) -> Iterator[Rule]:
    """What does not go with the standard deviation over a column."""
    single = name not in (question.mean_over, *question.pool)
    why = "a cell holds only one value of it; list it under `mean_over` or `pool`"
    yield key, f"{name!r}: {why}", single
    why = "a cell has no room for this and `text`; remove one of them"
    yield key, f"{name!r}: {why}", question.note.text
    why = "cannot be drawn beside a baseline (relative_to)"
    yield key, f"{name!r}: {why}", question.relative_to


def _highlight(question: Question) -> Iterator[Rule]:
    for number, columns in enumerate(question.framed):
        place = f".highlight[{number}]"
        yield place, f"names no column; {choices('', question.along)}", not columns
        for name in columns:
            why = f"{name!r} is on no axis and has no panels; {choices(name, question.along)}"
            yield f"{place}.{name}", why, name not in question.along


def _baseline(question: Question) -> Iterator[Rule]:
    """Columns of `relative_to` that give a cell no baseline, several, or itself; stars without."""
    why = "'stars' compares with a baseline, and there is none: write relative_to, or tied for dots"
    yield ".uncertainty", why, question.uncertainty == "stars" and not question.relative_to
    if not question.relative_to:
        return
    axes = [question.x, question.y, *question.panels]
    cell_columns = dict.fromkeys(chain(axes, single_values(question.where)))
    itself = True
    for name, value in question.relative_to.items():
        fault = ""
        if name in ("sample_id", "task"):
            fault = " pairs the cells with their baseline; name a setting"
        elif name in (question.mean_over, *question.pool):
            fault = " has several values in a cell; name a setting"
        elif name not in cell_columns:
            fault = f" has no single value in a cell; {choices(name, cell_columns)}"
        if fault or name in axes or question.where.get(name) != value:
            itself = False
        yield f".relative_to.{name}", f"{name!r}{fault}", fault
    why = "'lowest': beside a baseline no best is marked; remove it"
    is_lowest = question.best == "lowest"
    yield ".best", why, is_lowest
    yield ".relative_to", "every cell is its own baseline; name another value", itself


def _metric(question: Question, what: Metric) -> Iterator[Rule]:
    """Marks, errors and means that the metric does not have."""
    metric_word = question.word
    averaged = question.mean_over
    needs = {
        "`best: highest` or `best: lowest`": question.best == "none",
        "`uncertainty: tied`": question.uncertainty != "tied",
        "no `relative_to`": question.relative_to,
        f"only for means of records, and {metric_word} is not one": what.join,
    }
    lacks = " and ".join(need for need, missing in needs.items() if missing)
    yield ".verdict", f"'dots' needs {lacks}", lacks and question.verdict == "dots"
    if what.printed:
        why = f"needs records of problems, but {metric_word} is an aggregate: remove it"
        yield ".family", f"{question.family!r} {why}", question.family is not None
        for number, name in enumerate(question.pool):
            why = f"samples are pooled, but {metric_word} is an aggregate; write mean_over: {name}"
            yield f".pool[{number}]", f"{name!r}: {why}", True
        return
    if not what.join:
        return
    if what.of_row:
        why = f"{metric_word} is a part of all samples of a row; list {averaged!r} under pool"
        yield ".mean_over", why, averaged
        why = f"{metric_word} of other samples is no baseline; draw a figure of each"
        yield ".relative_to", why, question.relative_to
    why = f"{question.uncertainty!r} needs a mean, but {metric_word} is not one: remove it"
    yield ".uncertainty", why, question.uncertainty in ("se", "interval", "stars")
    instead = f"list {averaged!r} under pool"
    if what.is_spread:
        instead = "put it on an axis"
    why = (
        f"{metric_word} can only be averaged over tasks; choose one value under where, or {instead}"
    )
    yield ".mean_over", f"{averaged!r}: {why}", question.averaged
    for number, name in enumerate(question.pool):
        why = (
            f"{metric_word} is the spread over problems, each the mean of its samples, not over "
            f"{name!r}; choose one value under where, or put it on an axis"
        )
        yield f".pool[{number}]", f"{name!r}: {why}", what.is_spread and name != "task"


def _formats(question: Question) -> Iterator[Rule]:
    for rest, form in by_key(question.format):
        yield f".format{rest}", hints.number_format(form), not is_format(form)
    if question.family is not None:
        fault = family_fault(question.family)
        yield ".family", f"{question.family!r} {fault}", fault


def _order(question: Question) -> Iterator[Rule]:
    """Orders and groups of a column on no axis, and values that occur twice."""
    for column, order in question.sort.items():
        key = f".sort.{column}"
        listed = []
        if isinstance(order, list):
            listed = order
        for number, value in enumerate(listed):
            yield f"{key}[{number}]", f"{value!r} occurs twice", value in listed[:number]
        cell_columns = dict.fromkeys(chain(question.along, question.grouping.values()))
        why = f"it is on no axis and has no panels; {choices(column, cell_columns)}"
        is_unknown = column not in cell_columns
        yield key, why, is_unknown
        why = f"{order!r}: groups have no value of their own; list them"
        yield key, why, column in question.grouping.values() and order in COUNTED
        lists = isinstance(question.where.get(column), list)
        why = f"'config': where.{column} lists no values"
        yield key, why, order == "config" and not lists
        why = f"groups.{column} gives the order; remove one of them"
        yield key, why, listed and question.members(column)
    axes = question.x, question.y
    for column, groups in question.groups.items():
        key = f".groups.{column}"
        why = f"groups stand along x or y; {choices(column, axes)}"
        is_elsewhere = column not in axes
        yield key, why, is_elsewhere
        yield key, f"{groups!r} lies along an axis", groups in question.along
        members = Counter(chain.from_iterable(question.members(column).values()))
        for value, count in members.items():
            yield key, f"{value!r} occurs twice", count > 1
    for mean_column in question.means:
        why = f"means are over x or y, or of {GROUPS}; {choices(mean_column, [*axes, GROUPS])}"
        yield ".margins", f"{mean_column!r}: {why}", mean_column not in (*axes, GROUPS)
        why = f"{mean_column!r}: no column has groups"
        yield ".margins", why, mean_column == GROUPS and not question.groups
