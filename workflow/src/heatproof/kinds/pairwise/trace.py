"""The records behind a bin of a pairwise figure, and its numbers counted once more.

Values and counts are counted from the samples in exact fractions, apart from the code of grids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.pairwise.aggregate import EQUAL
from heatproof.kinds.recount import average, same, where
from heatproof.kinds.trace import Behind, Part, as_dicts, as_float, require_known
from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.trace import Recounted

Rows = list[dict[str, Any]]

MODELS = ("x_model", "y_model")
MIRROR = {f"{a}{end}": f"{b}{end}" for a, b in ("xy", "yx") for end in ("_model", "0", "1")}
"""Column → what it is called where x and y are exchanged."""
HAIR = Fraction(EQUAL)
"""As in the grid, a hair below the edge of a bin is on it, and a hair ahead is not."""


class Instance(NamedTuple):
    """A problem as both models met it: what it is joined on, means of x and y."""

    key: dict[str, str]
    x: Fraction
    y: Fraction
    records: Rows

    @property
    def lead(self) -> Fraction:
        return self.x - self.y

    def bin(self, size: int) -> tuple[int, ...]:
        """Column and row of the bin that it lies in."""
        return bin_index(self.x, size), bin_index(self.y, size)


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Both models, and the lower edges of the bin."""
    return [*MODELS, "x0", "y0"]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """What is counted in the bin, and for the pair."""
    return ["difference", "samples", "wins", "ties", "losses", "pair_n"]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of both models."""
    models = [entry.values[cell[name]] for name in MODELS]
    return samples.filter(where(entry.where), pl.col(entry.compare).is_in(models))


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, place: Mapping[str, str]
) -> Behind:
    """The bin that `place` names (x, y: any point in it) and its instances, with their records.

    Without a point, all instances of the two models. They may be named in either order.

    Raises:
        Error: there is no such bin; the message names those there are.
    """
    require_known(place, [*MODELS, "x", "y"])
    bins, size = _bins(grid, entry, place), grid["x0"].n_unique()
    whole = {*place} == {*MODELS}
    at = (0, 0) if whole else tuple(bin_index(_coordinate(axis, place), size) for axis in "xy")
    row = next(row for row in bins if (round(row["x0"] * size), round(row["y0"] * size)) == at)
    rows = within(samples, entry, row).filter(pl.col(entry.measure).is_not_null()).collect()
    instances = join_instances(rows, row["x_model"], entry)
    instances = [instance for instance in instances if whole or instance.bin(size) == at]
    made_up = whole and bool(rows["reconstructed"].any())
    lead = None if made_up else _mean_lead(instances)
    value, count = (row["mean"], row["pair_n"]) if whole else (row["difference"], row["samples"])
    return Behind(
        cell={name: row[name] for name in (*MODELS, *(() if whole else ("x0", "x1", "y0", "y1")))},
        metric=f"mean {entry.measure} of x − y",
        value=value,
        samples=count,
        epochs=sum(len(instance.records) for instance in instances),
        counted=as_float(lead),
        agrees=len(instances) == count and same(value, lead),
        parts=[_part(instance) for instance in instances],
    )


def _bins(grid: pl.DataFrame, entry: Entry, place: Mapping[str, str]) -> Rows:
    """The bins of the pair of models that is asked for, seen from the x that is asked for."""
    pairs = grid.select(MODELS).unique(maintain_order=True).rows()
    x, y = (
        {model for model, title in entry.titles.items()
         if place.get(name) in (None, model, title, spreadsheet.guarded(model))}
        for name in MODELS
    )  # fmt: skip
    fits = [pair for pair in pairs if pair[0] in x and pair[1] in y]
    turned = [pair for pair in pairs if pair[0] in y and pair[1] in x]
    if len(fits or turned) != 1:
        cell = ",".join(f"{name}={place[name]}" for name in MODELS if name in place)
        cells = [f"x_model={x},y_model={y}" for x, y in pairs]
        raise Error(f"--cell: {cell or 'which models?'}: {choices(cell, cells)}")
    ((x_model, y_model),) = fits or turned
    bins = grid.filter(x_model=x_model, y_model=y_model)
    if not fits:
        bins = bins.rename(MIRROR).with_columns(-pl.col("difference"), -pl.col("mean"))
    return bins.to_dicts()


def _coordinate(axis: str, place: Mapping[str, str]) -> Fraction:
    text = place.get(axis, "nothing")
    try:
        value = Fraction(text)
    except ValueError:
        raise Error(f"--cell: {axis}={text}: give a number from 0 to 1") from None
    if not 0 <= value <= 1:
        raise Error(f"--cell: {axis}={text} is not from 0 to 1")
    return value


def _part(instance: Instance) -> Part:
    key = ", ".join(f"{name}={value}" for name, value in instance.key.items() if value)
    title = f"{key}: x {float(instance.x):.6g}, y {float(instance.y):.6g}"
    return Part(title, float(instance.lead), 1, len(instance.records), instance.records)


def bin_index(at: Fraction, size: int) -> int:
    """Number of the bin that a value falls into."""
    return min(int(at * size + HAIR), size - 1)


def join_instances(rows: pl.DataFrame, x: str, entry: Entry) -> list[Instance]:
    """What both models have (`x`: that of x), in the order of its name."""
    names, of_x = ["task", *(name for name in entry.join if name != "task")], entry.values[x]
    records: dict[tuple[str, ...], tuple[Rows, Rows]] = defaultdict(lambda: ([], []))
    keys = {name: f"key {name}" for name in (*names, entry.compare)}
    rows = rows.with_columns(pl.col(name).alias(key) for name, key in keys.items())
    for record in as_dicts(rows, entry.measure, *keys.values()):
        *key, model = (record.pop(name) for name in keys.values())
        records[tuple(map(str, key))][model != of_x].append(record)
    instances = []
    for parts, sides in sorted(records.items()):
        if all(sides):
            x_mean, y_mean = (average([Fraction(r["value"]) for r in side]) for side in sides)
            key_of = dict(zip(names, parts, strict=True))
            instances.append(Instance(key_of, x_mean, y_mean, [*sides[0], *sides[1]]))
    return instances


def _unit(key: Mapping[str, str], family: str | None) -> tuple[str, ...]:
    """The task and problem of an instance, or the family; where no problem is named, itself."""
    if "sample_id" not in key:
        return tuple(key.values())
    match = re.search(family, key["sample_id"]) if family is not None else None
    return key["task"], (match[1] if match else None) or key["sample_id"]


def _mean_lead(instances: Sequence[Instance]) -> Fraction | None:
    return average([instance.lead for instance in instances]) if instances else None


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every bin of the grid, then each pair: mean, wins, ties, losses and units."""
    size = grid["x0"].n_unique()
    chosen = samples.filter(where(entry.where), pl.col(entry.measure).is_not_null()).collect()
    made_up = bool(chosen["reconstructed"].any())  # which were solved is not known: nothing to say
    totals = []
    for part in grid.partition_by(MODELS, maintain_order=True):
        first = part.row(0, named=True)
        own = within(chosen.lazy(), entry, first).collect()
        instances = join_instances(own, first["x_model"], entry)
        inside = defaultdict(list)
        for instance in instances:
            inside[instance.bin(size)].append(instance)
        cell = f"x_model={first['x_model']}, y_model={first['y_model']}"
        for row in part.iter_rows(named=True):
            there = inside[round(row["x0"] * size), round(row["y0"] * size)]
            lead = _mean_lead(there)
            agrees = len(there) == row["samples"] and same(row["difference"], lead)
            place = f"{cell}, x={row['x0']:g}, y={row['y0']:g}"
            yield place, row["difference"], as_float(lead), agrees
        won, lost = (sum(sign * i.lead > HAIR for i in instances) for sign in (1, -1))
        units = None if made_up else len({_unit(i.key, entry.family) for i in instances})
        counts = len(instances), won, len(instances) - won - lost, lost, units
        mean = None if made_up else _mean_lead(instances)
        agrees = counts == tuple(first[n] for n in ("pair_n", "wins", "ties", "losses", "units"))
        totals.append((cell, first["mean"], as_float(mean), agrees and same(first["mean"], mean)))
    yield from totals
