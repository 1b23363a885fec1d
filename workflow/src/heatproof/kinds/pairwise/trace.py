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
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.pairwise.aggregate import EQUAL, bin_of, read_instances
from heatproof.kinds.recount import Recount, average, on_common, same, where
from heatproof.kinds.trace import Behind, Part, Stretches, as_dicts, as_float, fair, require_known
from heatproof.samples import selection
from heatproof.util import canonical
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.pairwise.aggregate import Floats, Ints
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.picture import Picture
    from heatproof.kinds.recount import Definition
    from heatproof.kinds.trace import Recounted

    Rows = list[dict[str, Any]]

Story = dict[str, Any]
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
    means, size, bins = instances.means, pairs.across(grid), list[Any]()
    models_of = grid.select(MODELS).rows()
    for x_model, y_model in dict.fromkeys(models_of):
        bins += _rows_of_bins(means[x_model], means[y_model], size)
    most = fair(len(rows) for rows in bins if len(rows))
    listed = sorted({instance for rows in bins for instance in rows[:most].tolist()})
    keys = pl.DataFrame(
        {name: column.values[column.codes[listed]] for name, column in instances.keys.items()}
    )
    # Without what is the same for all.
    columns = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    names = [", ".join(map(str, key)) for key in keys.select(columns).iter_rows()]
    name_of = dict(zip(listed, names, strict=True))
    cells, links = [], []
    for cell, (models, rows) in enumerate(zip(models_of, bins, strict=True)):
        x, y = (means[model] for model in models)
        first = rows[:most].tolist()
        parts = [[name_of[n], float(x[n]), float(y[n])] for n in first]
        cells.append({"instances": parts, "more": len(rows) - len(first)})
        links += [(cell, entry.values[model], n) for model in models for n in first]
    schema: Any = {CELL: pl.Int64, entry.compare: samples[0].collect_schema()[entry.compare]}
    of_cells = pl.DataFrame(links, schema | {INSTANCE: pl.Int64}, orient="row").lazy()
    numbers = keys.with_columns(pl.Series(INSTANCE, listed, pl.Int64)).lazy()
    places = Stretches(CELL)
    for rows in samples:
        graded = selection.of_figure(rows, entry).filter(pl.col(entry.measure).is_not_null())
        numbered = graded.join(numbers, on=keys.columns, nulls_equal=True)
        placed = numbered.join(of_cells, on=[INSTANCE, entry.compare])
        places.add(placed.select(CELL, *roles.PLACE).collect())
    lines = places.listed()
    cells = [cell | {"logs": lines.get(n, [])} for n, cell in enumerate(cells)]
    return {"cells": cells, "logs": places.logs()}


def _rows_of_bins(x: Floats, y: Floats, size: int) -> list[Ints]:
    """The rows of the instances in each bin of a pair, whose means are `x` and `y`."""
    there = np.flatnonzero(~np.isnan(x + y))
    flat = bin_of(y[there], size) * size + bin_of(x[there], size)
    ends = np.cumsum(np.bincount(flat, minlength=size**2))[:-1]
    return np.split(there[np.argsort(flat, kind="stable")], ends)


def story(records: Mapping[str, Any], entry: Entry, grid: pl.DataFrame, _: Picture) -> Story:
    """What the page says of each bin, as plain values.

    `cells` with `facts`, `parts` (the instances, each with x − y) and `logs`, panel by panel: first
    the squares of a board, then its densities, for which the drawing may have no room.
    """
    size, models = pairs.across(grid), grid.select(MODELS).rows()
    edges = [n / size for n in range(size + 1)]
    axis = {
        "values": [str(edge) for edge in edges[:-1]],
        "words": [pairs.span(*ends) for ends in pairwise(edges)],
    }
    every = pairs.read_pairs(grid)
    panels, cells = list[Story](), list[Story]()
    if entry.board:
        every = pairs.read_board(grid, entry).pairs
        for pair in every:
            panels.append(_panel(pair, entry) | {"one": True})
            cells.append({"facts": _facts_of_pair(pair)})
        every = [pair.turned() for pair in every] if len(entry.models) <= pairs.MOST else []
    for pair in every:
        panels.append(_panel(pair, entry))
        for row in pair.bins:
            behind, turned = records["cells"][row["cell"]], models[row["cell"]][0] != pair.x
            facts = {pairs.DIFFERENCE: pairs.lead_text(row) or "no instances"}
            facts["Instances"] = f"{row['samples']:,}"
            parts = [
                [name, " − ".join(show(side, ".4~g") for side in ((y, x) if turned else (x, y)))]
                for name, x, y in behind["instances"]
            ]
            if behind["more"]:
                parts.append([f"… and {behind['more']:,} more: use the command", ""])
            cells.append({"facts": facts, "parts": parts, "logs": behind["logs"]})
    shown = [name for name in FACTS if any(cell["facts"].get(name) for cell in cells)]
    return {
        **{name: {"name": name, **axis} for name in ("x", "y")},
        "panels": panels,
        "facts": shown,
        "parts": "Instance",
        "part": "x − y",
        "cells": [
            cell | {"facts": [cell["facts"].get(name) or None for name in shown]} for cell in cells
        ],
        "logs": records["logs"],
    }


def _facts_of_pair(pair: pairs.Pair) -> dict[str, str]:
    """What a square prints, with its interval and its test."""
    value, *_ = pair.texts()
    won, ties, lost = pair.tallies
    return {
        pairs.WON if pair.rate else pairs.DIFFERENCE: value, "Instances": f"{pair.n:,}",
        pairs.INTERVAL: pair.between, "Verdict": pair.verdict,
        "x ahead": won, "Equal": ties, "y ahead": lost,
    }  # fmt: skip


def _panel(pair: pairs.Pair, entry: Entry) -> Story:
    pick = [["x_model", pair.x], ["y_model", pair.y]]
    titles = {axis: f"{axis}: {entry.titles[m]}" for axis, m in (("x", pair.x), ("y", pair.y))}
    return {"pick": pick, "words": "", **titles}


# ------------------------------------------------------------------------------ counted once more


class Instance(NamedTuple):
    """What both models answered: what it is joined on, and their means."""

    key: dict[str, Any]
    x: Fraction
    y: Fraction


def _bin_at(x: Fraction, y: Fraction, size: int) -> int:
    """The place of the bin of a point among those of a pair, row by row from below."""
    column, row = (min(int(at * size + HAIR), size - 1) for at in (x, y))
    return row * size + column


def _instances(
    samples: pl.LazyFrame, definition: Definition
) -> tuple[list[pl.DataFrame], list[Instance]]:
    """The records of either model, and the instances of both, sorted by name."""
    sides = [definition.numbered(rows) for rows in Recount(samples, definition).rows({})]
    x, y = (side.get("", {}) for side in on_common(*map(definition.problems, sides)))
    instances = [
        Instance(dict(zip(definition.problem, key, strict=True)), x[key].value, y[key].value)
        for key in x
    ]
    return sides, sorted(instances, key=lambda instance: [*map(str, instance.key.values())])


def _sign(instance: Instance) -> int:
    """1 where x is ahead, −1 where y is, 0 where neither."""
    lead = instance.x - instance.y
    return int(lead > HAIR) - int(lead < -HAIR)


def _mean(instances: Sequence[Instance], rates: bool = False) -> Fraction | None:
    """The mean of x − y, or, of `rates`, the percentage that x wins, ties counted half."""
    leads = [50 + Fraction(50 * _sign(i)) if rates else i.x - i.y for i in instances]
    return average(leads) if leads else None


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
    pair, size = _pair_at(grid, entry, place), pairs.across(grid)
    definition = entry.definition(pair.x, pair.y)
    sides, instances = _instances(samples, definition)
    cell: dict[str, Any] = {"x_model": pair.x, "y_model": pair.y}
    rates, made_up = entry.win_rates and {*place} == {*MODELS}, False
    if {*place} == {*MODELS}:
        value, count = pair.number, pair.n
        made_up = any(rows["reconstructed"].any() for rows in sides)
    else:
        at = _bin_at(_coordinate("x", place), _coordinate("y", place), size)
        row = pair.bins[at]
        value, count = row["difference"], row["samples"]
        cell |= {name: row[name] for name in ("x0", "x1", "y0", "y1")}
        instances = [i for i in instances if _bin_at(i.x, i.y, size) == at]
    counted, parts = None if made_up else _mean(instances, rates), []
    by_key = [rows.partition_by(definition.problem, as_dict=True) for rows in sides]
    for key, x, y in instances:
        words = ", ".join(f"{name}={value}" for name, value in key.items() if value != "")
        own = [r for rows in by_key for r in as_dicts(rows[*key.values()], entry.measure)]
        title = f"{words}: x {float(x):.6g}, y {float(y):.6g}"
        parts.append(Part(title, float(x - y), 1, len(own), own))
    return Behind(
        cell=cell, value=value, samples=count,
        metric=f"{pairs.WON}, by {entry.measure}" if rates else f"mean {entry.measure} of x − y",
        epochs=sum(part.epochs for part in parts), counted=as_float(counted), parts=parts,
        agrees=len(instances) == count and same(value, counted),
    )  # fmt: skip


def _pair_at(grid: pl.DataFrame, entry: Entry, place: Mapping[str, str]) -> pairs.Pair:
    """The pair of models that `place` names, with its x as x."""
    x, y = (
        [model for model, title in entry.titles.items()
         if place.get(name) in (None, model, title, canonical.guarded(model))]
        for name in MODELS
    )  # fmt: skip
    every = pairs.read_pairs(grid, entry.win_rates)
    sides = every, [pair.turned() for pair in every]
    fits = [[pair for pair in side if pair.x in x and pair.y in y] for side in sides]
    listed = fits[0] or fits[1]
    if len(listed) != 1:
        cell = ",".join(f"{name}={place[name]}" for name in MODELS if name in place)
        cells = [f"x_model={pair.x},y_model={pair.y}" for pair in every]
        raise Error(f"--cell: {cell or 'which models?'}: {choices(cell, cells)}")
    return listed[0]


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
    size, totals = pairs.across(grid), []
    chosen = samples.filter(where(entry.where), pl.col(entry.measure).is_not_null()).collect()
    made_up = bool(chosen["reconstructed"].any())  # nobody knows which were solved
    printed = pairs.read_pairs(grid, entry.win_rates)
    for pair, shown in zip(pairs.read_pairs(grid), printed, strict=True):
        _, instances = _instances(chosen.lazy(), entry.definition(pair.x, pair.y))
        inside = defaultdict(list)
        for instance in instances:
            inside[_bin_at(instance.x, instance.y, size)].append(instance)
        cell = f"x_model={pair.x}, y_model={pair.y}"
        for at, row in enumerate(pair.bins):
            lead = _mean(inside[at])
            agrees = len(inside[at]) == row["samples"] and same(row["difference"], lead)
            place = f"{cell}, x={row['x0']:g}, y={row['y0']:g}"
            yield place, row["difference"], as_float(lead), agrees
        signs = [_sign(instance) for instance in instances]
        counts = len(signs), signs.count(1), signs.count(0), signs.count(-1)
        agrees = counts == (pair.n, pair.wins, pair.ties, pair.losses)
        mean = rate = units = None
        if not made_up:
            units = len({_unit(instance.key, entry.family) for instance in instances})
            mean, rate = _mean(instances), _mean(instances, shown.rate)
        agrees = agrees and units == pair.units and same(pair.number, mean)
        totals.append((cell, shown.number, as_float(rate), agrees and same(shown.number, rate)))
    yield from totals
