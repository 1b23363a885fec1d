"""Behind the bins of a pairwise figure: instances, their records, and numbers counted once more.

The recount works in exact fractions of the samples, apart from the code of grids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import roles
from heatproof.config.choice import conditions_of
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.pairwise.aggregate import EQUAL, bin_of, read_instances
from heatproof.kinds.picture import Story
from heatproof.kinds.recount import Recount, on_common, same
from heatproof.kinds.trace import Behind, Part, Stretches, as_dicts, as_float, fair, require_known
from heatproof.metrics import exact_mean
from heatproof.samples import selection
from heatproof.util import canonical
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.choice import Word
    from heatproof.kinds.pairwise.aggregate import Floats, Ints
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.picture import Picture
    from heatproof.kinds.recount import Definition
    from heatproof.kinds.trace import Recounted

    Rows = list[dict[str, Any]]

MODELS = ("x_model", "y_model")
CELL, INSTANCE = "#cell", "#instance"
"""Columns of the numbers of a bin and of an instance."""
FACTS = (
    pairs.WON, pairs.DIFFERENCE, "Instances", pairs.INTERVAL, "Verdict", "x ahead", "Equal",
    "y ahead",
)  # fmt: skip
"""Facts of squares and bins; of each those that it has."""
HAIR = Fraction(EQUAL)
"""As in the grid, a value a hair below the edge of a bin lies on it, and a hair wins nothing."""

# ------------------------------------------------------------------------------------- for the page


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What lies in each bin, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `instances` (what each is joined on, means of x and y),
    `more` (how many are left out), and `logs` (see `Stretches.listed`) by the numbers of `logs`.
    """
    instances = read_instances(pl.concat(samples), entry, partial)
    means = instances.means
    size = pairs.across(grid)
    bins = list[Any]()
    models_of = grid.select(MODELS).rows()
    for x_model, y_model in dict.fromkeys(models_of):
        bins += _rows_of_bins(means[x_model], means[y_model], size)
    most_listed = fair(len(rows) for rows in bins if len(rows))
    instances_listed = set()
    for rows in bins:
        instances_listed.update(rows[:most_listed].tolist())
    listed = sorted(instances_listed)
    keys = {}
    for name, column in instances.keys.items():
        keys[name] = column.values[column.codes[listed]]
    instance_keys = pl.DataFrame(keys)
    names = dict(zip(listed, _instance_names(instance_keys), strict=True))
    cells, links = [], []
    for cell, (models, rows) in enumerate(zip(models_of, bins, strict=True)):
        x, y = (means[model] for model in models)
        first = rows[:most_listed].tolist()
        instance_values = [[names[n], float(x[n]), float(y[n])] for n in first]
        cells.append({"instances": instance_values, "more": len(rows) - len(first)})
        for model in models:
            links += [(cell, entry.values[model], instance) for instance in first]
    numbered = instance_keys.with_columns(pl.Series(INSTANCE, listed, pl.Int64))
    places = _stretches(samples, entry, links, numbered)
    lines = places.listed()
    for number, behind in enumerate(cells):
        behind["logs"] = lines.get(number, [])
    return {"cells": cells, "logs": places.logs()}


def _instance_names(keys: pl.DataFrame) -> list[str]:
    """What instances are called: without the columns that are the same for all."""
    columns = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    return [", ".join(map(str, key)) for key in keys.select(columns).iter_rows()]


def _stretches(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    links: Sequence[tuple[int, Word, int]],
    instances: pl.DataFrame,
) -> Stretches:
    """The places of the records behind each bin.

    `links`: bin, value of `compare` and number of an instance in it; `instances`: with keys.
    """
    schema: Any = {CELL: pl.Int64, entry.compare: samples[0].collect_schema()[entry.compare]}
    cells = pl.DataFrame(links, schema | {INSTANCE: pl.Int64}, orient="row").lazy()
    keys = [name for name in instances.columns if name != INSTANCE]
    places = Stretches(CELL)
    for rows in samples:
        is_graded = pl.col(entry.measure).is_not_null()
        graded = selection.of_figure(rows, entry).filter(is_graded)
        numbered = graded.join(instances.lazy(), on=keys, nulls_equal=True)
        placed = numbered.join(cells, on=[INSTANCE, entry.compare])
        places.add(placed.select(CELL, *roles.PLACE).collect())
    return places


def _rows_of_bins(x: Floats, y: Floats, size: int) -> list[Ints]:
    """The rows of the instances in each bin of a pair, whose means are `x` and `y`."""
    shared_rows = np.flatnonzero(~np.isnan(x + y))
    line = bin_of(y[shared_rows], size)
    flat = line * size + bin_of(x[shared_rows], size)
    counts = np.bincount(flat, minlength=size**2)
    ends = np.cumsum(counts)[:-1]
    return np.split(shared_rows[np.argsort(flat, kind="stable")], ends)


def story(records: Mapping[str, Any], entry: Entry, grid: pl.DataFrame, _: Picture) -> Story:
    """What the page says of each bin, as plain values.

    `cells` with `facts`, `parts` (the instances, each with x − y) and `logs`, panel by panel: first
    the squares of a board, then its densities, for which the drawing may have no room.
    """
    panels = list[Story]()
    cells = list[Story]()
    shown_pairs = pairs.read_pairs(grid)
    if entry.board:
        shown_pairs = pairs.read_board(grid, entry).pairs
        for pair in shown_pairs:
            panels.append(_panel(pair, entry) | {"one": True})
            cells.append({"facts": _facts_of_pair(pair)})
        shown_pairs = (
            [pair.turned() for pair in shown_pairs] if len(entry.models) <= pairs.MOST else []
        )
    for pair in shown_pairs:
        panels.append(_panel(pair, entry))
        for row in pair.bins:
            turned = grid["x_model"][row.cell] != pair.x
            cells.append(_story_of_bin(row, records["cells"][row.cell], turned=turned))
    facts = [name for name in FACTS if any(cell["facts"].get(name) for cell in cells)]
    for cell in cells:
        cell["facts"] = [cell["facts"].get(name) or None for name in facts]
    axis = _axis_words(pairs.across(grid))
    return {
        "x": {"name": "x", **axis},
        "y": {"name": "y", **axis},
        "panels": panels,
        "facts": facts,
        "parts": "Instance",
        "part": "x − y",
        "cells": cells,
        "logs": records["logs"],
    }


def _axis_words(size: int) -> Story:
    """The lower edges of bins, and the bins in words."""
    edges = [number / size for number in range(size + 1)]
    words = [pairs.span(*ends) for ends in pairwise(edges)]
    return {"values": [str(edge) for edge in edges[:-1]], "words": words}


def _story_of_bin(row: pairs.Bin, behind: Mapping[str, Any], *, turned: bool) -> Story:
    """Facts of a bin, its instances and logs; `turned`: x of the grid is y here."""
    instance_texts = []
    for name, x, y in behind["instances"]:
        sides = (y, x) if turned else (x, y)
        instance_texts.append([name, " − ".join(show(side, ".4~g") for side in sides)])
    if behind["more"]:
        instance_texts.append([f"… and {behind['more']:,} more: use the command", ""])
    facts = {pairs.DIFFERENCE: row.lead or "no instances"}
    facts["Instances"] = f"{row.samples:,}"
    return {"facts": facts, "parts": instance_texts, "logs": behind["logs"]}


def _facts_of_pair(pair: pairs.Pair) -> dict[str, str]:
    """What a square prints, with its interval and its test."""
    value, *_ = pair.texts()
    won, ties, lost = pair.tallies
    return {
        pairs.WON if pair.rate else pairs.DIFFERENCE: value,
        "Instances": f"{pair.n:,}",
        pairs.INTERVAL: pair.between,
        "Verdict": pair.verdict,
        "x ahead": won,
        "Equal": ties,
        "y ahead": lost,
    }


def _panel(pair: pairs.Pair, entry: Entry) -> Story:
    x = entry.titles[pair.x]
    y = entry.titles[pair.y]
    pick = [["x_model", pair.x], ["y_model", pair.y]]
    return {"pick": pick, "words": "", "x": f"x: {x}", "y": f"y: {y}"}


# ------------------------------------------------------------------------------ counted once more


class Instance(NamedTuple):
    """What both models answered: what it is joined on, and their means."""

    key: dict[str, Any]
    x: Fraction
    y: Fraction


def _bin_at(x: Fraction, y: Fraction, size: int) -> int:
    """The place of the bin of a point among those of a pair, row by row from below."""
    column = min(int(x * size + HAIR), size - 1)
    row = min(int(y * size + HAIR), size - 1)
    return row * size + column


def _instances(
    samples: pl.LazyFrame, definition: Definition
) -> tuple[list[pl.DataFrame], list[Instance]]:
    """The records of either model, and the instances of both, sorted by name."""
    sides = [definition.numbered(rows) for rows in Recount(samples, definition).rows({})]
    problems = [definition.problems(rows) for rows in sides]
    x, y = (side.get("", {}) for side in on_common(*problems))
    instances = []
    for key in x:
        instance_key = dict(zip(definition.problem, key, strict=True))
        instance = Instance(instance_key, x[key].value, y[key].value)
        instances.append(instance)
    return sides, sorted(instances, key=lambda instance: [*map(str, instance.key.values())])


def _sign(instance: Instance) -> int:
    """1 where x is ahead, −1 where y is, 0 where neither."""
    lead = instance.x - instance.y
    return int(lead > HAIR) - int(lead < -HAIR)


def _mean(instances: Sequence[Instance], rates: bool = False) -> Fraction | None:
    """The mean of x − y, or, of `rates`, the percentage that x wins, ties counted half."""
    leads = [50 + Fraction(50 * _sign(i)) if rates else i.x - i.y for i in instances]
    return exact_mean(leads) if leads else None


def _unit(key: Mapping[str, Any], family: str | None) -> tuple[Any, ...]:
    """Task and problem, or family, of an instance; without a problem the instance itself."""
    if "sample_id" not in key:
        return tuple(key.values())
    match = re.search(family, key["sample_id"]) if family is not None else None
    return key["task"], (match[1] if match else None) or key["sample_id"]


def columns(_: Entry, __: pl.DataFrame) -> dict[str, str]:
    """Name in the address of a bin → its column: both models, and the lower edges of the bin."""
    return {name: name for name in MODELS} | {"x": "x0", "y": "y0"}


def value_columns(_: Entry, __: pl.DataFrame) -> list[str]:
    """Counts and values of the bin and the pair."""
    return ["difference", "samples", "wins", "ties", "losses", "pair_n"]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of both models."""
    definition = entry.definition(*(cell[name] for name in MODELS))
    return samples.filter(pl.any_horizontal(definition.sides({})))


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, place: Mapping[str, str]
) -> Behind:
    """The bin that `place` names (x, y: any point in it) with its instances and their records.

    Without a point: all instances of the two models, which may be named in either order.

    Raises:
        Error: there is no such bin; the message names those there are.
    """
    require_known(place, [*MODELS, "x", "y"])
    pair = _pair_at(grid, entry, place)
    size = pairs.across(grid)
    definition = entry.definition(pair.x, pair.y)
    sides, instances = _instances(samples, definition)
    cell: dict[str, Any] = {"x_model": pair.x, "y_model": pair.y}
    metric = f"mean {entry.measure} of x − y"
    counted = None
    if {*place} == {*MODELS}:
        value = pair.number
        count = pair.n
        if entry.win_rates:
            metric = f"{pairs.WON}, by {entry.measure}"
        if not any(rows["reconstructed"].any() for rows in sides):
            counted = _mean(instances, entry.win_rates)
    else:
        number = _bin_at(_coordinate("x", place), _coordinate("y", place), size)
        row = pair.bins[number]
        value = row.difference
        count = row.samples
        cell |= {"x0": row.x0, "x1": row.x1, "y0": row.y0, "y1": row.y1}
        bins = [_bin_at(instance.x, instance.y, size) for instance in instances]
        instances = [i for i, bin_ in zip(instances, bins, strict=True) if bin_ == number]
        counted = _mean(instances)
    parts = _parts(instances, sides, definition, entry)
    return Behind(
        cell=cell,
        value=value,
        samples=count,
        metric=metric,
        epochs=sum(part.epochs for part in parts),
        counted=as_float(counted),
        parts=parts,
        agrees=len(instances) == count and same(value, counted),
    )


def _parts(
    instances: Sequence[Instance],
    sides: Sequence[pl.DataFrame],
    definition: Definition,
    entry: Entry,
) -> list[Part]:
    """The records of each instance; `sides`: those of either model."""
    instance_parts = []
    by_key = [rows.partition_by(definition.problem, as_dict=True) for rows in sides]
    for key, x, y in instances:
        named = [f"{name}={value}" for name, value in key.items() if value != ""]
        words = ", ".join(named)
        records: Rows = []
        for rows in by_key:
            records += as_dicts(rows[*key.values()], entry.measure)
        title = f"{words}: x {float(x):.6g}, y {float(y):.6g}"
        part = Part(title, float(x - y), 1, len(records), records)
        instance_parts.append(part)
    return instance_parts


def _pair_at(grid: pl.DataFrame, entry: Entry, place: Mapping[str, str]) -> pairs.Pair:
    """The pair of models that `place` names, with its x as x."""
    x, y = (_models_named(place.get(name), entry) for name in MODELS)
    all_pairs = pairs.read_pairs(grid, entry.win_rates)
    for turned in (False, True):
        sides = all_pairs
        if turned:
            sides = [pair.turned() for pair in all_pairs]
        fits = [pair for pair in sides if pair.x in x and pair.y in y]
        if fits:
            break
    if len(fits) != 1:
        cell = ",".join(f"{name}={place[name]}" for name in MODELS if name in place)
        cells = [f"x_model={pair.x},y_model={pair.y}" for pair in all_pairs]
        raise Error(f"--cell: {cell or 'which models?'}: {choices(cell, cells)}")
    return fits[0]


def _models_named(text: str | None, entry: Entry) -> list[str]:
    """The models that a text means; without a text all."""
    models = []
    for model, title in entry.titles.items():
        if text in (None, model, title, canonical.guarded(model)):
            models.append(model)
    return models


def _coordinate(axis: str, place: Mapping[str, str]) -> Fraction:
    text = place.get(axis, "nothing")
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise Error(f"--cell: {axis}={text}: give a number from 0 to 1")
    return value


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every bin of the grid, then each pair: what it prints, mean, wins, ties, losses and units."""
    size = pairs.across(grid)
    totals = []
    chosen = samples.filter(
        conditions_of(entry.where), pl.col(entry.measure).is_not_null()
    ).collect()
    made_up = bool(chosen["reconstructed"].any())  # nobody knows which were solved
    printed = pairs.read_pairs(grid, entry.win_rates)
    for pair, shown in zip(pairs.read_pairs(grid), printed, strict=True):
        definition = entry.definition(pair.x, pair.y)
        _, instances = _instances(chosen.lazy(), definition)
        by_bin = defaultdict(list)
        for instance in instances:
            by_bin[_bin_at(instance.x, instance.y, size)].append(instance)
        cell = f"x_model={pair.x}, y_model={pair.y}"
        for number, row in enumerate(pair.bins):
            lead = _mean(by_bin[number])
            agrees = len(by_bin[number]) == row.samples and same(row.difference, lead)
            place = f"{cell}, x={row.x0:g}, y={row.y0:g}"
            yield place, row.difference, as_float(lead), agrees
        total = _recount_pair(pair, shown, instances, entry, made_up=made_up)
        totals.append((cell, *total))
    yield from totals


def _recount_pair(
    pair: pairs.Pair, shown: pairs.Pair, instances: list[Instance], entry: Entry, *, made_up: bool
) -> tuple[float | None, float | None, bool]:
    """What a pair prints, the same counted anew, and whether all of it agrees."""
    signs = [_sign(instance) for instance in instances]
    wins, ties, losses = (signs.count(sign) for sign in (1, 0, -1))
    counts = len(signs), wins, ties, losses
    agrees = counts == (pair.n, pair.wins, pair.ties, pair.losses)
    mean = rate = units = None
    if not made_up:
        units = len({_unit(instance.key, entry.family) for instance in instances})
        mean = _mean(instances)
        rate = _mean(instances, shown.rate)
    agrees = agrees and units == pair.units and same(pair.number, mean)
    return shown.number, as_float(rate), agrees and same(shown.number, rate)
