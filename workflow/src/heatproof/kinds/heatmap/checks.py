"""What the keys of a heatmap in config.yaml cannot say together, or at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import colour
from heatproof.config import hints
from heatproof.config.entries import family_fault, refused
from heatproof.kinds.heatmap import annotation, ordering
from heatproof.metrics import STD, metric
from heatproof.util.errors import Mistake, choices
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.kinds.heatmap.entry import Entry

LEVELS = 3
"""Columns that may lie along one axis: of more nobody reads the brackets."""


def mistakes(entry: Entry) -> Iterator[Mistake]:
    """All of them, in the order in which they are told."""
    word, wrong = entry.encoding.color, False
    first = (
        refused(".encoding.color", metric, word),
        _levels(entry),
        annotation.mistakes(entry),
        _columns(entry),
        _baseline(entry),
        _verdict(entry),
        annotation.frame_mistakes(entry),
    )
    for mistake in (mistake for part in first for mistake in part):
        wrong = True
        yield mistake
    if not wrong and metric(word).join:
        yield from _printed(entry) if metric(word).printed else _joined(entry)
    yield from _colours(entry)
    if entry.format is not None and not is_format(entry.format):
        yield Mistake(".format", hints.number_format(entry.format))
    if entry.family is not None and (fault := family_fault(entry.family)):
        yield Mistake(".family", f"{entry.family!r} {fault}")
    if entry.columns is not None and entry.columns < 1:
        yield Mistake(".columns", f"{entry.columns} is not 1 or more")
    yield from _blocks(entry) if entry.nested else _panels(entry)
    yield from _order(entry)
    yield from _groups(entry)


def _levels(entry: Entry) -> Iterator[Mistake]:
    """Lists along an axis that hold no column, or too many."""
    for axis, columns in {"x": entry.encoding.x, "y": entry.encoding.y}.items():
        if not isinstance(columns, str) and not 1 <= len(columns) <= LEVELS:
            why = f"lists {len(columns) or 'no'} columns; there may be 1 to {LEVELS}"
            yield Mistake(f".encoding.{axis}", why)


def _columns(entry: Entry) -> Iterator[Mistake]:
    """Columns asked to lie in two directions, or mixed in one; values twice on an axis."""
    pooled = {f"pool[{n}]": column for n, column in enumerate(entry.pool)}
    mean_over = {"mean_over": entry.mean_over} if entry.mean_over else {}
    places = {**entry.axis_keys(), **entry.split(), **mean_over, **pooled}
    for n, (key, column) in enumerate(places.items()):
        for other in [*places][:n]:
            if places[other] == column:
                yield Mistake(f".{key}", f"{column!r} is {other} already")
    for column, values in entry.sort.items():
        for n, value in enumerate(values if isinstance(values, list) else []):
            if value in values[:n]:
                yield Mistake(f".sort.{column}", f"{value!r} stands there twice", word=f"{value}")


def _baseline(entry: Entry) -> Iterator[Mistake]:
    """Columns of `relative_to` by which no cell has one baseline, or by which it is its own."""
    if not entry.relative_to:
        return
    axes, right = [entry.x, entry.y, *entry.panels], True
    single = [name for name, value in entry.where.items() if not isinstance(value, list)]
    there = dict.fromkeys([*axes, *single])
    for name in entry.relative_to:
        faults = {
            ": cells are paired by it; name a setting": name in ("sample_id", "task"),
            ": a cell holds several of its values": name in (entry.mean_over, *entry.pool),
            f" has no one value in a cell; {choices(name, there)}": name not in there,
        }
        for fault in [fault for fault, holds in faults.items() if holds][:1]:
            right = False
            yield Mistake(f".relative_to.{name}", f"{name!r}{fault}")
    if entry.best == "lowest":
        right = False
        yield Mistake(".best", "'lowest': beside a baseline no best is marked; take it out")
    itself = (n not in axes and entry.where[n] == v for n, v in entry.relative_to.items())
    if right and all(itself):
        yield Mistake(".relative_to", "every cell is its own baseline; name another value")


def _verdict(entry: Entry) -> Iterator[Mistake]:
    """Marks that are asked for and that nothing is known for."""
    needs = {
        "`best: highest` or `best: lowest`": entry.best == "none",
        "`uncertainty: tied`": entry.uncertainty != "tied",
        "no `relative_to`": bool(entry.relative_to),
    }
    lacks = " and ".join(need for need, missing in needs.items() if missing)
    if lacks and entry.verdict == "outline":
        yield Mistake(".verdict", f"'outline' needs {lacks}")
    if lacks and entry.ruler:
        yield Mistake(".ruler", f"true needs {lacks}")


def _joined(entry: Entry) -> Iterator[Mistake]:
    """What is asked of another metric than a mean that there is of means alone."""
    word = entry.encoding.color
    for key, value in {"verdict": entry.verdict, "ruler": entry.ruler}.items():
        if value not in (None, "none", False):
            yield Mistake(f".{key}", f"ties are known of means, not of {word}: take it out")
    if entry.uncertainty in ("se", "interval"):
        why = f"{entry.uncertainty!r} is known of means, not of {word}: take it out"
        yield Mistake(".uncertainty", why)
    spread = metric(word).join is STD
    if entry.averaged:
        other = "put it on an axis" if spread else f"list {entry.mean_over!r} under pool"
        why = f"{word} is averaged over tasks alone; choose one value under where, or {other}"
        yield Mistake(".mean_over", f"{entry.mean_over!r}: {why}")
    for n, name in enumerate(entry.pool):
        if spread and name != "task":
            why = (
                f"{word} is the spread over problems, each the mean of its samples, and not over "
                f"{name!r}; choose one value under where, or put it on an axis"
            )
            yield Mistake(f".pool[{n}]", f"{name!r}: {why}")


def _printed(entry: Entry) -> Iterator[Mistake]:
    """What is asked of aggregates that there is of records of problems alone."""
    word = entry.encoding.color
    wishes = {
        (".verdict", f"{entry.verdict!r}"): entry.verdict not in (None, "none"),
        (".ruler", "true"): entry.ruler,
        (".family", f"{entry.family!r}"): entry.family is not None,
    }
    for (key, value), is_asked in wishes.items():
        if is_asked:
            why = f"needs records of problems, and {word} is an aggregate: take it out"
            yield Mistake(key, f"{value} {why}")
    for name in entry.pool:
        why = f"samples are pooled, and {word} is an aggregate; there is mean_over: {name}"
        yield Mistake(".pool", f"{name!r}: {why}", word=name)


def _colours(entry: Entry) -> Iterator[Mistake]:
    """Palette and scale of colour."""
    if entry.palette != "":
        yield from refused(".palette", colour.palette, entry.palette)
    if entry.domain and entry.color_scale.domain:
        yield Mistake(".domain", "color_scale.domain says the same; choose one")
    short = "" if entry.domain else ".color_scale"
    for wrong in entry.color.mistakes():
        yield wrong.below(short if wrong.place == ".domain" else ".color_scale")


def _panels(entry: Entry) -> Iterator[Mistake]:
    """What is said of panels in a row that `row` and `column` say already."""
    if entry.scale in ("row", "column") and not getattr(entry, entry.scale):
        why = f"{entry.scale!r} without {entry.scale}: name the column that it shows"
        yield Mistake(".scale", why)
    elif entry.row or entry.column:
        word = "row" if entry.row else "column"
        if entry.panel:
            why = "it makes a grid of panels, panel a list that is wrapped"
            yield Mistake(".panel", f"{entry.panel!r} beside {word}: {why}")
        if entry.columns is not None:
            why = "it says how `panel` is wrapped"
            yield Mistake(".columns", f"{entry.columns} beside {word}: {why}")


def _blocks(entry: Entry) -> Iterator[Mistake]:
    """What does not go with blocks of one strip."""
    key = next(iter(ordering.outer_keys(entry))).partition("[")[0]
    for word, column in {"panel": entry.panel, "row": entry.row, "column": entry.column}.items():
        if column:
            why = (
                f"beside nested axes ({key}): they make the blocks of one strip; put {column!r} in "
                "the list, or take one of them out"
            )
            yield Mistake(f".{word}", f"{column!r} {why}")
    for word, value in {"columns": entry.columns, "letters": entry.letters}.items():
        if value is not None:
            why = f"it is of panels, and nested axes ({key}) make blocks of one strip"
            yield Mistake(f".{word}", f"{value!r}: {why}")
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    if axis and len(ordering.levels(getattr(entry.encoding, axis))) == 1:
        why = f"encoding.{axis} lists no second column to part it into them"
        yield Mistake(".scale", f"{entry.scale!r}: {why}")


def _order(entry: Entry) -> Iterator[Mistake]:
    """Orders of a column that lies on no axis, or that are said twice."""
    for column, order in entry.sort.items():
        key = f".sort.{column}"
        if column not in entry.along:
            there = choices(column, dict.fromkeys(entry.along))
            yield Mistake(key, f"no axis and no panel is of it; {there}")
        if order == "config" and not isinstance(entry.where.get(column), list):
            yield Mistake(key, f"'config': where.{column} lists no values")
        if isinstance(order, list) and column in entry.groups:
            yield Mistake(key, f"groups.{column} gives the order; take one of them out")


def _groups(entry: Entry) -> Iterator[Mistake]:
    """Groups of a column that lies on no axis; groups that are empty, or overlap."""
    for column, groups in entry.groups.items():
        key, axes = f".groups.{column}", (entry.x, entry.y)
        if column not in axes:
            yield Mistake(key, f"groups stand along x or y; {choices(column, axes)}")
            continue
        for label, values in groups.items():
            if not values:
                yield Mistake(f"{key}.{label}", "lists no value")
        if "" in groups:
            yield Mistake(key, "a group has no label")
        every = [value for values in groups.values() for value in values]
        for value in dict.fromkeys(value for n, value in enumerate(every) if value in every[:n]):
            yield Mistake(key, f"{value!r} stands there twice")
