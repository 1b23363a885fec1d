"""What the keys of a heatmap in config.yaml cannot say together, or at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import colour
from heatproof.config import hints
from heatproof.config.entries import family_fault, refused
from heatproof.kinds.heatmap import annotation, ordering
from heatproof.metrics import STD, Metric, metric
from heatproof.util.errors import Mistake, choices
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.kinds.heatmap.entry import Entry

    Rule = tuple[str, str, Any]
    """Key, what is wrong with it, and whether it is."""

LEVELS = 3
"""Columns that may lie along one axis: of more nobody reads the brackets."""


def mistakes(entry: Entry) -> list[Mistake]:
    """All of them, in the order in which they are told."""
    word = entry.encoding.color
    unread = refused(".encoding.color", metric, word)
    rules = [*_axes(entry), *_annotation(entry), *_baseline(entry), *_highlight(entry)]
    if not unread:
        rules += _metric(entry, metric(word))
    scales = [] if entry.palette == "" else refused(".palette", colour.palette, entry.palette)
    short = "" if entry.domain else ".color_scale"
    for wrong in entry.color.mistakes():
        scales.append(wrong.below(short if wrong.place == ".domain" else ".color_scale"))
    fault = family_fault(entry.family) if entry.family is not None else ""
    rules += [
        (".domain", "color_scale.domain says the same; choose one",
         entry.domain and entry.color_scale.domain),
        (".format", hints.number_format(entry.format or ""),
         entry.format is not None and not is_format(entry.format)),
        (".family", f"{entry.family!r} {fault}", fault),
        (".columns", f"{entry.columns} is not 1 or more",
         entry.columns is not None and entry.columns < 1),
        *(_blocks(entry) if entry.nested else _panels(entry)),
        *_order(entry),
    ]  # fmt: skip
    return [*unread, *(Mistake(key, why) for key, why, wrong in rules if wrong), *scales]


def _axes(entry: Entry) -> Iterator[Rule]:
    """Lists along an axis; columns asked to lie in two directions, or mixed in one."""
    for axis, columns in {"x": entry.encoding.x, "y": entry.encoding.y}.items():
        number = 1 if isinstance(columns, str) else len(columns)
        why = f"lists {number or 'no'} columns; there may be 1 to {LEVELS}"
        yield f".encoding.{axis}", why, not 1 <= number <= LEVELS
    pooled = {f"pool[{n}]": column for n, column in enumerate(entry.pool)}
    mean_over = {"mean_over": entry.mean_over} if entry.mean_over else {}
    places = {**entry.axis_keys(), **entry.split(), **mean_over, **pooled}
    for n, (key, column) in enumerate(places.items()):
        for other in [*places][:n]:
            yield f".{key}", f"{column!r} is {other} already", places[other] == column


def _annotation(entry: Entry) -> Iterator[Rule]:
    """What cannot stand beside the values."""
    noted, key, annotate = entry.noted, ".annotate", entry.annotate
    if not annotate:
        return
    form = annotate.format if isinstance(annotate, annotation.Annotate) else None
    beside, shown = annotation.figure(entry), noted in (*entry.along, entry.encoding.color)
    yield key, f"{noted!r} is shown already; name another column or metric", shown
    # What is spelled like no metric is a column, which others look for.
    for wrong in refused(key, metric, noted) if {*"(@^"} & {*noted} else ():
        yield key, wrong.message, True
    why = f"{form!r}: {noted!r} is a column, and only metrics have a format"
    yield f"{key}.format", why, form is not None and beside is None
    wrong_format = form is not None and beside is not None and not is_format(form)
    yield f"{key}.format", hints.number_format(form or ""), wrong_format
    why = f"{noted} is averaged over tasks alone, not over {entry.mean_over!r}"
    yield key, why, beside and metric(noted).join and entry.averaged
    why = "a cell has room for one line below its value; take one of them out"
    uncertain = entry.uncertainty in ("se", "interval")
    yield key, f"beside uncertainty: {entry.uncertainty!r}: {why}", uncertain
    why = f"means of values, and `text: false` prints {noted} alone in cells"
    yield ".margins", why, entry.text is False and entry.margins


def _highlight(entry: Entry) -> Iterator[Rule]:
    """Items that name no cell, as far as the config tells."""
    for n, columns in enumerate(annotation.framed(entry)):
        place, label = f".highlight[{n}]", entry.highlight[n].get(annotation.LABEL, "")
        yield place, f"names no column; {choices('', entry.along)}", not columns
        for name in columns:
            why = f"{name!r} lies along no axis and has no panels; {choices(name, entry.along)}"
            yield f"{place}.{name}", why, name not in entry.along
        yield f"{place}.{annotation.LABEL}", f"{label!r} is not text", not isinstance(label, str)


def _baseline(entry: Entry) -> Iterator[Rule]:
    """Columns of `relative_to` by which no cell has one baseline, or by which it is its own."""
    axes = [entry.x, entry.y, *entry.panels]
    single = [name for name, value in entry.where.items() if not isinstance(value, list)]
    there = dict.fromkeys([*axes, *single])
    right = True
    for name in entry.relative_to:
        faults = {
            ": cells are paired by it; name a setting": name in ("sample_id", "task"),
            ": a cell holds several of its values": name in (entry.mean_over, *entry.pool),
            f" has no one value in a cell; {choices(name, there)}": name not in there,
        }
        for fault in [fault for fault, holds in faults.items() if holds][:1]:
            right = False
            yield f".relative_to.{name}", f"{name!r}{fault}", True
    why = "'lowest': beside a baseline no best is marked; take it out"
    yield ".best", why, entry.relative_to and entry.best == "lowest"
    itself = (n not in axes and entry.where.get(n) == v for n, v in entry.relative_to.items())
    every = entry.relative_to and right and all(itself)
    yield ".relative_to", "every cell is its own baseline; name another value", every


def _metric(entry: Entry, what: Metric) -> Iterator[Rule]:
    """Marks, errors and means that are asked for, and that are not known of the metric."""
    word, over = entry.encoding.color, entry.mean_over
    needs = {
        "`best: highest` or `best: lowest`": entry.best == "none",
        "`uncertainty: tied`": entry.uncertainty != "tied",
        "no `relative_to`": entry.relative_to,
        f"a mean of records, which {word} is not": what.join,
    }
    lacks = " and ".join(need for need, missing in needs.items() if missing)
    yield ".verdict", f"'outline' needs {lacks}", lacks and entry.verdict == "outline"
    yield ".ruler", f"true needs {lacks}", lacks and entry.ruler
    if what.printed:
        why = f"needs records of problems, and {word} is an aggregate: take it out"
        yield ".family", f"{entry.family!r} {why}", entry.family is not None
        for n, name in enumerate(entry.pool):
            why = f"samples are pooled, and {word} is an aggregate; there is mean_over: {name}"
            yield f".pool[{n}]", f"{name!r}: {why}", True
    elif what.join:
        why = f"{entry.uncertainty!r} is known of means, not of {word}: take it out"
        yield ".uncertainty", why, entry.uncertainty in ("se", "interval")
        other = "put it on an axis" if what.join is STD else f"list {over!r} under pool"
        why = f"{word} is averaged over tasks alone; choose one value under where, or {other}"
        yield ".mean_over", f"{over!r}: {why}", entry.averaged
        for n, name in enumerate(entry.pool):
            why = (
                f"{word} is the spread over problems, each the mean of its samples, and not over "
                f"{name!r}; choose one value under where, or put it on an axis"
            )
            yield f".pool[{n}]", f"{name!r}: {why}", what.join is STD and name != "task"


def _panels(entry: Entry) -> Iterator[Rule]:
    """What is said of panels in a row that `row` and `column` say already."""
    split = entry.scale in ("row", "column") and not getattr(entry, entry.scale)
    why = f"{entry.scale!r} without {entry.scale}: name the column that it shows"
    yield ".scale", why, split
    word, grid = "row" if entry.row else "column", entry.row or entry.column
    why = f"{entry.panel!r} beside {word}: it makes a grid of panels, panel a list that is wrapped"
    yield ".panel", why, grid and entry.panel
    why = f"{entry.columns} beside {word}: it says how `panel` is wrapped"
    yield ".columns", why, grid and entry.columns is not None


def _blocks(entry: Entry) -> Iterator[Rule]:
    """What does not go with blocks of one strip."""
    key = next(iter(ordering.outer_keys(entry))).partition("[")[0]
    for word in ("panel", "row", "column"):
        column = getattr(entry, word)
        why = (
            f"beside nested axes ({key}): they make the blocks of one strip; put {column!r} in the "
            "list, or take one of them out"
        )
        yield f".{word}", f"{column!r} {why}", column
    for word, value in {"columns": entry.columns, "letters": entry.letters}.items():
        why = f"it is of panels, and nested axes ({key}) make blocks of one strip"
        yield f".{word}", f"{value!r}: {why}", value is not None
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    why = f"{entry.scale!r}: encoding.{axis} lists no second column to part it into them"
    yield ".scale", why, axis and len(ordering.levels(getattr(entry.encoding, axis))) == 1


def _order(entry: Entry) -> Iterator[Rule]:
    """Orders and groups of a column that lies on no axis, or that say twice what they say."""
    for column, order in entry.sort.items():
        key, listed = f".sort.{column}", order if isinstance(order, list) else []
        for n, value in enumerate(listed):
            yield f"{key}[{n}]", f"{value!r} stands there twice", value in listed[:n]
        why = f"no axis and no panel is of it; {choices(column, dict.fromkeys(entry.along))}"
        yield key, why, column not in entry.along
        lists = isinstance(entry.where.get(column), list)
        yield key, f"'config': where.{column} lists no values", order == "config" and not lists
        why = f"groups.{column} gives the order; take one of them out"
        yield key, why, listed and column in entry.groups
    for column, groups in entry.groups.items():
        key, axes = f".groups.{column}", (entry.x, entry.y)
        why = f"groups stand along x or y; {choices(column, axes)}"
        yield key, why, column not in axes
        for label, values in groups.items():
            yield f"{key}.{label}", "lists no value", not values
        yield key, "a group has no label", "" in groups
        every = [value for values in groups.values() for value in values]
        for value in dict.fromkeys(value for n, value in enumerate(every) if value in every[:n]):
            yield key, f"{value!r} stands there twice", True
