"""The records behind a bin of a pairwise figure, and its numbers counted once more.

Values and counts are counted from the samples in exact fractions, apart from the code of grids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.cell_records import Behind, Part, as_dicts, ordered, require_known, where
from heatproof.kinds.pairwise.aggregate import EQUAL
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
Models = tuple[str, str]

KEYS = ("x_model", "y_model", "x", "y")
"""What tells the bins of the figure apart; x and y: any point in a bin."""
MIRROR = {f"{a}{end}": f"{b}{end}" for a, b in ("xy", "yx") for end in ("_model", "0", "1")}
"""Column → what it is called where x and y are exchanged."""
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
    bins, size = _bins(grid, entry, wanted), grid["x0"].n_unique()
    pair = {*wanted} == {*KEYS[:2]}
    at = (0, 0) if pair else tuple(bin_index(_coordinate(axis, wanted), size) for axis in "xy")
    (row,) = (r for r in bins if (round(r["x0"] * size), round(r["y0"] * size)) == at)
    rows = within(samples, entry, row).filter(pl.col(entry.measure).is_not_null()).collect()
    instances = join_instances(rows, row["x_model"], row["y_model"], entry)
    instances = [instance for instance in instances if pair or instance.place(size) == at]
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


def _bins(grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]) -> Rows:
    """The bins of the pair of models that is asked for, seen from the x that is asked for."""
    models = grid.select(KEYS[:2]).unique(maintain_order=True).rows()
    x, y = (
        [
            model
            for model, title in entry.titles.items()
            if wanted.get(key) in (None, model, title, spreadsheet.guarded(model))
        ]
        for key in KEYS[:2]
    )
    fits = [pair for pair in models if pair[0] in x and pair[1] in y]
    turned = [pair for pair in models if pair[0] in y and pair[1] in x]
    if len(fits or turned) != 1:
        cells = [f"x_model={x},y_model={y}" for x, y in models]
        cell = ",".join(f"{k}={v}" for k, v in wanted.items() if k.endswith("_model"))
        raise Error(f"--cell: {cell or 'which models?'}: {choices(cell, cells)}")
    ((x_model, y_model),) = fits or turned
    bins = grid.filter(pl.col("x_model") == x_model, pl.col("y_model") == y_model)
    if not fits:
        bins = bins.rename(MIRROR).with_columns(-pl.col("difference"), -pl.col("mean"))
    return bins.to_dicts()


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
    size = grid["x0"].n_unique()
    chosen = samples.filter(where(entry.where), pl.col(entry.measure).is_not_null()).collect()
    made_up = bool(chosen["reconstructed"].any())
    totals = []
    for part in grid.partition_by("x_model", "y_model", maintain_order=True):
        first = part.row(0, named=True)
        x, y = first["x_model"], first["y_model"]
        own = chosen.filter(pl.col(entry.compare).is_in([entry.values[x], entry.values[y]]))
        instances, leads = join_instances(own, x, y, entry), defaultdict(list)
        for instance in instances:
            leads[instance.place(size)].append(instance.lead)
        cell = f"x_model={x}, y_model={y}"
        for row in part.iter_rows(named=True):
            inside = leads[round(row["x0"] * size), round(row["y0"] * size)]
            lead = _mean(inside)
            agrees = len(inside) == row["samples"] and same(row["difference"], lead)
            bin_name = f"{cell}, x={row['x0']:g}, y={row['y0']:g}"
            yield bin_name, row["difference"], None if lead is None else float(lead), agrees
        totals.append((cell, *_recounted_pair(first, instances, made_up)))
    yield from totals


def _recounted_pair(
    row: Mapping[str, Any], instances: Sequence[Instance], made_up: bool
) -> tuple[float | None, float | None, bool]:
    """`made_up`: which instances were solved is not known, so that nothing is compared."""
    leads = [instance.lead for instance in instances]
    won, lost = sum(lead > HAIR for lead in leads), sum(lead < -HAIR for lead in leads)
    units = None if made_up else len({instance.unit for instance in instances})
    counts = len(leads), won, len(leads) - won - lost, lost, units
    mean = None if made_up else _mean(leads)
    agrees = counts == tuple(row[name] for name in ("pair_n", "wins", "ties", "losses", "units"))
    return row["mean"], None if mean is None else float(mean), agrees and same(row["mean"], mean)
