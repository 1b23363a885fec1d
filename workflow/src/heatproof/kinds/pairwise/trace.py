"""The records behind a bin of a pairwise figure, and its numbers counted once more.

Values and counts are counted from the samples in exact fractions, apart from the code of grids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.cell_records import Behind, Part, as_dicts, ordered, require_known, where
from heatproof.kinds.pairwise import words
from heatproof.kinds.pairwise.instances import EQUAL
from heatproof.kinds.recount import same
from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.pairwise.entry import Entry

Key = tuple[str, ...]
Rows = list[dict[str, Any]]

KEYS = ("x_model", "y_model", "x", "y")
"""What tells the bins of the figure apart; x and y: any point in a bin."""
MIRROR = {"x_model": "y_model", "x0": "y0", "x1": "y1", "y_model": "x_model", "y0": "x0",
          "y1": "x1"}  # fmt: skip
HAIR = Fraction(EQUAL)
"""As in the grid, a hair below the edge of a bin is on it, and a hair ahead is not."""


class Instance(NamedTuple):
    """A problem as both models met it: what it is joined on, means of x and y."""

    key: Key
    unit: Key
    """The problem, or family, that it is of."""
    x: Fraction
    y: Fraction
    records: Rows

    @property
    def lead(self) -> Fraction:
        """X − y."""
        return self.x - self.y

    def place(self, size: int) -> tuple[int, int]:
        """Column and row of the bin that it lies in."""
        return bin_index(self.x, size), bin_index(self.y, size)


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Both models, and the lower edges of the bin."""
    return ["x_model", "y_model", "x0", "y0"]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """What is counted in the bin, and for the pair."""
    return ["difference", "samples", "wins", "ties", "losses", "pair_n"]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of both models."""
    models = [entry.values[cell[axis]] for axis in ("x_model", "y_model")]
    return samples.filter(where(entry.where), pl.col(entry.compare).is_in(models))


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The bin that `wanted` names and its instances, each with the records of both models.

    Without a place in it, all instances of the two models. They may be named in either order.

    Raises:
        Error: there is no such bin; the message names those there are.
    """
    require_known(wanted, KEYS)
    pair = {*wanted} == {*KEYS[:2]}
    row = _row(grid, entry, wanted, pair)
    rows = within(samples, entry, row).filter(pl.col(entry.measure).is_not_null()).collect()
    instances = join_instances(rows, row["x_model"], row["y_model"], entry)
    if not pair:
        size = words.across(grid)
        at = round(row["x0"] * size), round(row["y0"] * size)
        instances = [instance for instance in instances if instance.place(size) == at]
    made_up = pair and bool(rows["reconstructed"].any())
    lead = None if made_up else _mean([instance.lead for instance in instances])
    value, count = (row["mean"], row["pair_n"]) if pair else (row["difference"], row["samples"])
    place = () if pair else ("x0", "x1", "y0", "y1")
    return Behind(
        cell={name: row[name] for name in ("x_model", "y_model", *place)},
        metric=f"mean {entry.measure} of x − y",
        value=value,
        samples=count,
        epochs=sum(len(instance.records) for instance in instances),
        counted=None if lead is None else float(lead),
        agrees=len(instances) == count and same(value, lead),
        parts=[_part(instance, entry) for instance in instances],
    )


def _row(grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str], pair: bool) -> dict[str, Any]:
    """The row of the bin, any of them if the whole pair is wanted; seen from the x wanted."""
    pairs = grid.select("x_model", "y_model").unique(maintain_order=True).rows()
    names = wanted.get("x_model"), wanted.get("y_model")

    def fitting(*names: str | None) -> list[tuple[str, str]]:
        return [
            models
            for models in pairs
            if all(
                name in (None, model, entry.titles[model], spreadsheet.guarded(model))
                for name, model in zip(names, models, strict=True)
            )
        ]

    fits, mirrored = fitting(*names), fitting(*names[::-1])
    turned = not fits and len(mirrored) == 1
    fits = fits or mirrored
    if len(fits) != 1:
        cells = [f"x_model={x},y_model={y}" for x, y in pairs]
        cell = ",".join(f"{k}={v}" for k, v in wanted.items() if k.endswith("_model"))
        raise Error(f"--cell: {cell or 'which models?'}: {choices(cell, cells)}")
    bins = grid.filter(pl.col("x_model") == fits[0][0], pl.col("y_model") == fits[0][1])
    size, axes = words.across(bins), ("y", "x") if turned else ("x", "y")
    column, row = (0 if pair else bin_index(_coordinate(axis, wanted), size) for axis in axes)
    values = bins.row(row * size + column, named=True)
    if not turned:
        return values
    signed = {n: None if values[n] is None else -values[n] for n in ("difference", "mean")}
    return {**values, **{name: values[other] for name, other in MIRROR.items()}, **signed}


def _coordinate(axis: str, wanted: Mapping[str, str]) -> Fraction:
    text = wanted.get(axis, "nothing")
    try:
        value = Fraction(text)
    except ValueError:
        raise Error(f"--cell: {axis}={text}: give a number from 0 to 1") from None
    if not 0 <= value <= 1:
        raise Error(f"--cell: {axis}={text} is not from 0 to 1")
    return value


def _part(instance: Instance, entry: Entry) -> Part:
    names = ["task", *(name for name in entry.join if name != "task")]
    key = ", ".join(f"{n}={v}" for n, v in zip(names, instance.key, strict=True) if v)
    title = f"{key}: x {float(instance.x):.6g}, y {float(instance.y):.6g}"
    return Part(title, float(instance.lead), 1, len(instance.records), instance.records)


def bin_index(at: Fraction, size: int) -> int:
    """Number of the bin that a value falls into."""
    return min(int(at * size + HAIR), size - 1)


def join_instances(rows: pl.DataFrame, x: str, y: str, entry: Entry) -> list[Instance]:
    """What both models have, in the order of its name."""
    rows, models = ordered(rows), (entry.values[x], entry.values[y])
    names = ["task", *(name for name in entry.join if name != "task")]
    records: dict[Key, tuple[Rows, Rows]] = defaultdict(lambda: ([], []))
    keys = rows.select(*names, entry.compare).rows()
    for (*parts, model), record in zip(keys, as_dicts(rows, entry.measure), strict=True):
        records[tuple(map(str, parts))][models.index(model)].append(record)
    instances = []
    for key, both in sorted(records.items()):
        at = [_mean([Fraction(record["value"]) for record in own]) for own in both]
        if at[0] is not None and at[1] is not None:
            unit = _unit(dict(zip(names, key, strict=True)), entry.family)
            instances.append(Instance(key, unit, at[0], at[1], [*both[0], *both[1]]))
    return instances


def _unit(key: Mapping[str, str], family: str | None) -> Key:
    """The task and problem of an instance, or the family; where no problem is named, itself."""
    if "sample_id" not in key:
        return tuple(key.values())
    match = re.search(family, key["sample_id"]) if family is not None else None
    return key["task"], (match[1] if match else None) or key["sample_id"]


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every bin of the grid, then each pair: mean, wins, ties, losses and units."""
    size = words.across(grid)
    chosen = samples.filter(where(entry.where), pl.col(entry.measure).is_not_null()).collect()
    pairs: dict[tuple[str, str], list[Instance]] = {}
    for x, y in words.pair_table(grid).select("x", "y").rows():
        own = chosen.filter(pl.col(entry.compare).is_in([entry.values[x], entry.values[y]]))
        pairs[x, y] = join_instances(own, x, y, entry)
    for part in grid.partition_by("x_model", "y_model", maintain_order=True):
        x, y = part["x_model"][0], part["y_model"][0]
        leads = defaultdict(list)
        for instance in pairs[x, y]:
            leads[instance.place(size)].append(instance.lead)
        for row in part.iter_rows(named=True):
            inside = leads[round(row["x0"] * size), round(row["y0"] * size)]
            lead = _mean(inside)
            agrees = len(inside) == row["samples"] and same(row["difference"], lead)
            cell = f"x_model={x}, y_model={y}, x={row['x0']:g}, y={row['y0']:g}"
            yield cell, row["difference"], None if lead is None else float(lead), agrees
    made_up = bool(chosen["reconstructed"].any())
    for row in words.pair_table(grid).iter_rows(named=True):
        yield _recounted_pair(row, pairs[row["x"], row["y"]], made_up)


def _recounted_pair(
    row: Mapping[str, Any], instances: Sequence[Instance], made_up: bool
) -> Recounted:
    """`made_up`: which instances were solved is not known, so that nothing is compared."""
    leads = [instance.lead for instance in instances]
    won, lost = sum(lead > HAIR for lead in leads), sum(lead < -HAIR for lead in leads)
    units = None if made_up else len({instance.unit for instance in instances})
    counts = len(leads), won, len(leads) - won - lost, lost, units
    mean = None if made_up else _mean(leads)
    agrees = counts == tuple(row[name] for name in ("n", "wins", "ties", "losses", "units"))
    value = None if mean is None else float(mean)
    cell = f"x_model={row['x']}, y_model={row['y']}"
    return cell, row["mean"], value, agrees and same(row["mean"], mean)
