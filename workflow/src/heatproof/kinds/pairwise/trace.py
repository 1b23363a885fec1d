"""The pairs of records behind a bin of a pairwise figure.

The instances of a pair of models, each with the records of both, in exact fractions.

How two models compare over all instances of a pair, counted once more in exact fractions.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds import recount
from heatproof.kinds.cell_records import Behind, Part, as_dicts, ordered, require_known, where
from heatproof.kinds.pairwise import words
from heatproof.kinds.pairwise.instances import EQUAL
from heatproof.kinds.recount import same
from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Word
    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.pairwise.entry import Entry


KEYS = ("x_model", "y_model", "x", "y")
"""What tells the bins of the figure apart; x and y: any point in a bin."""


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Both models, and the lower edges of the bin."""
    return ["x_model", "y_model", "x0", "y0"]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """What is counted in the bin, and for the pair."""
    return ["difference", "samples", "wins", "ties", "losses", "pair_n"]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of both models."""
    models = _values(entry, cell["x_model"], cell["y_model"])
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
    whole = {*wanted} == {*KEYS[:2]}
    row = _bin(grid, entry, wanted, whole)
    models = _values(entry, row["x_model"], row["y_model"])
    chosen = within(samples, entry, row)
    rows = chosen.filter(pl.col(entry.measure).is_not_null()).collect()
    inside = traced_instances(rows, models, entry)
    if not whole:
        size = words.across(grid)
        at = round(row["x0"] * size), round(row["y0"] * size)
        inside = [i for i in inside if _place(i, size) == at]
    leads = [i.x - i.y for i in inside]
    made_up = whole and bool(rows["reconstructed"].any())
    lead = sum(leads, Fraction(0)) / len(leads) if leads and not made_up else None
    value, count = (row["mean"], row["pair_n"]) if whole else (row["difference"], row["samples"])
    place = () if whole else ("x0", "x1", "y0", "y1")
    return Behind(
        cell={name: row[name] for name in ("x_model", "y_model", *place)},
        metric=f"mean {entry.measure} of x − y",
        value=value,
        samples=count,
        epochs=sum(len(i.records) for i in inside),
        counted=None if lead is None else float(lead),
        agrees=len(inside) == count and same(value, lead),
        parts=[_part(instance, entry) for instance in inside],
    )


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every bin of the grid, then what is said of each pair, counted once more from samples."""
    found: dict[PairOfModels, dict[tuple[int, int], list[Lead]]] = {}
    size = words.across(grid)
    chosen = samples.filter(where(entry.where), pl.col(entry.measure).is_not_null()).collect()
    for row in grid.iter_rows(named=True):
        pair = row["x_model"], row["y_model"]
        if pair not in found:
            models = _values(entry, *pair)
            mine = chosen.filter(pl.col(entry.compare).is_in(models))
            found[pair] = _leads(mine, models, entry, size)
        at = round(row["x0"] * size), round(row["y0"] * size)
        leads = [one for _, one in found[pair].get(at, [])]
        lead = sum(leads, Fraction(0)) / len(leads) if leads else None
        agrees = len(leads) == row["samples"] and same(row["difference"], lead)
        cell = f"x_model={pair[0]}, y_model={pair[1]}, x={row['x0']:g}, y={row['y0']:g}"
        yield cell, row["difference"], None if lead is None else float(lead), agrees
    every = {
        pair: [one for inside in bins.values() for one in inside] for pair, bins in found.items()
    }
    yield from recounted_standings(every, grid, bool(chosen["reconstructed"].any()))


def _leads(
    rows: pl.DataFrame, models: Sequence[Word], entry: Entry, size: int
) -> dict[tuple[int, int], list[Lead]]:
    """Bin → differences of the instances in it; `size`: bins along an axis."""
    found: dict[tuple[int, int], list[Lead]] = defaultdict(list)
    for one in traced_instances(rows, models, entry):
        at = bin_index(one.x, size), bin_index(one.y, size)
        found[at].append((one.unit, one.x - one.y))
    return found


def _values(entry: Entry, *names: str) -> list[Word]:
    """The values that the names of models in the grid stand for."""
    return [entry.named[name] for name in names]


def _place(one: Instance, size: int) -> tuple[int, int]:
    return bin_index(one.x, size), bin_index(one.y, size)


def _bin(
    grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str], whole: bool
) -> dict[str, Any]:
    """The row of the bin, any of the pair if that is wanted `whole`; seen from the x wanted."""
    known = grid.select("x_model", "y_model").unique(maintain_order=True).rows()
    asked = wanted.get("x_model"), wanted.get("y_model")
    titles = entry.titles

    def fitting(asked: Sequence[str | None]) -> list[tuple[str, str]]:
        return [
            pair
            for pair in known
            if all(
                a in (None, b, titles[b], spreadsheet.guarded(b))
                for a, b in zip(asked, pair, strict=True)
            )
        ]

    fits = fitting(asked)
    turned = not fits and len(fitting(asked[::-1])) == 1
    fits = fits or fitting(asked[::-1])
    if len(fits) != 1:
        names = [f"x_model={x},y_model={y}" for x, y in known]
        given = ",".join(f"{k}={v}" for k, v in wanted.items() if k.endswith("_model"))
        raise Error(f"--cell: {given or 'which models?'}: {choices(given, names)}")
    mine = grid.filter(pl.col("x_model") == fits[0][0], pl.col("y_model") == fits[0][1])
    size, axes = mine["x0"].n_unique(), ("y", "x") if turned else ("x", "y")
    column, row = (0 if whole else bin_index(_coordinate(name, wanted), size) for name in axes)
    found = mine.row(row * size + column, named=True)
    return _turned(found) if turned else found


TURNED = {"x_model": "y_model", "x0": "y0", "x1": "y1"}


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the grid with x and y exchanged, as far as it is traced."""
    ends = {**TURNED, **{other: one for one, other in TURNED.items()}}
    signed = {name: None if row[name] is None else -row[name] for name in ("difference", "mean")}
    return {**row, **{name: row[other] for name, other in ends.items()}, **signed}


def _coordinate(name: str, wanted: Mapping[str, str]) -> Fraction:
    given = wanted.get(name, "nothing")
    try:
        value = Fraction(given)
    except ValueError:
        raise Error(f"--cell: {name}={given}: give a number from 0 to 1") from None
    if not 0 <= value <= 1:
        raise Error(f"--cell: {name}={given} is not from 0 to 1")
    return value


def _part(one: Instance, entry: Entry) -> Part:
    names = ["task", *(name for name in entry.join if name != "task")]
    named = [f"{n}={v}" for n, v in zip(names, one.key, strict=True) if v]
    title = f"{', '.join(named)}: x {float(one.x):.6g}, y {float(one.y):.6g}"
    return Part(title, float(one.x - one.y), 1, len(one.records), one.records)


Key = tuple[str, ...]

Rows = list[dict[str, Any]]


class Instance(NamedTuple):
    """A problem as both models met it: what it is joined on, means of x and y."""

    key: Key
    unit: Key
    """The problem, or family, that it is of."""
    x: Fraction
    y: Fraction
    records: Rows


def bin_index(at: Fraction, size: int) -> int:
    """Number of the bin that a value falls into: as in the grid, a hair below an edge is on it."""
    return min(int(at * size + Fraction(EQUAL)), size - 1)


def traced_instances(rows: pl.DataFrame, models: Sequence[Word], entry: Entry) -> list[Instance]:
    """What both models have, in the order of its name."""
    rows = ordered(rows)
    on = ["task", *(name for name in entry.join if name != "task")]
    mine: dict[Key, dict[Word, Rows]] = defaultdict(lambda: {model: [] for model in models})
    keys, named = rows.select(*on, entry.compare).rows(), as_dicts(rows, entry.measure)
    for (*key, model), record in zip(keys, named, strict=True):
        mine[tuple(map(str, key))][model].append(record)
    return [
        Instance(
            key,
            _unit(key, on, entry.family),
            _mean(by[models[0]]),
            _mean(by[models[1]]),
            [*by[models[0]], *by[models[1]]],
        )
        for key, by in sorted(mine.items())
        if all(by.values())
    ]


def _unit(key: Key, on: Sequence[str], family: str | None) -> Key:
    """The task and problem of an instance, or the family; where no problem is named, itself."""
    if "sample_id" not in on:
        return key
    named = dict(zip(on, key, strict=True))
    found = re.search(family, named["sample_id"]) if family is not None else None
    of = found[1] if found else None
    return named["task"], named["sample_id"] if of is None else of


def _mean(rows: Rows) -> Fraction:
    return sum((Fraction(row["value"]) for row in rows), Fraction(0)) / len(rows)


PairOfModels = tuple[str, str]
"""Those of a pair: x, y."""
Lead = tuple[Key, Fraction]
"""The problem, or family, of an instance, and its x − y."""


def recounted_standings(
    leads: Mapping[PairOfModels, Sequence[Lead]], grid: pl.DataFrame, made_up: bool
) -> Iterator[Recounted]:
    """Mean, interval, wins, ties, losses and p of each pair; `leads`: x − y of all its instances.

    `made_up`: which instances were solved is not known, so that nothing is compared.
    """
    clusters = [_units(pair) for pair in leads.values()]
    units = [[total / n for n, total in each] for each in clusters]
    chances = recount.holm([recount.sign_test(*_ahead(unit)) for unit in units])
    rows = words.pair_table(grid).iter_rows(named=True)
    parts = zip(rows, leads.items(), units, chances, clusters, strict=True)
    for row, (models, pair), unit, chance, cluster in parts:
        each = [one for _, one in pair]
        won, lost = _ahead(each)
        mean = None if made_up else sum(each, Fraction(0)) / len(each)
        tested = (None, None) if made_up else (len(unit), chance)
        tallies = len(each), won, len(each) - won - lost, lost, tested[0]
        agrees = tallies == (row["n"], row["wins"], row["ties"], row["losses"], row["units"])
        agrees = agrees and same(row["mean"], mean) and same(row["p"], tested[1])
        ends = row["low"], row["high"]
        agrees = agrees and (
            ends == (None, None) if made_up else is_interval(ends, cluster, LEVEL / len(leads))
        )
        value = None if mean is None else float(mean)
        yield f"x_model={models[0]}, y_model={models[1]}", row["mean"], value, agrees


LEVEL = 0.05
"""Of all intervals of a figure together."""
CLOSE = 1e-6
"""Two chances further apart, as a part of the larger, are not the same."""


def is_interval(
    ends: tuple[float | None, float | None], units: Sequence[tuple[int, Fraction]], level: float
) -> bool:
    """Whether a mean over such units, of so many instances with this sum, has this interval.

    None is right where the units with a difference are so few that all being on one side is no
    wonder.
    """
    low, high = ends
    decided = sum(_ahead([total / n for n, total in units]))
    few = len(units) < 2 or 2.0 ** (1 - decided) > level
    if few or low is None or high is None:
        return few and low is None and high is None
    mean = sum((total for _, total in units), Fraction(0)) / sum(n for n, _ in units)
    error = math.sqrt(recount.variance(units))
    if not same((low + high) / 2, mean):
        return False
    if error == 0:
        return low == high
    t = float(f"{(high - low) / 2 / error:.9g}")
    return math.isclose(recount.student_tail(t, len(units) - 1), level, rel_tol=CLOSE)


def _units(pair: Sequence[Lead]) -> list[tuple[int, Fraction]]:
    """How many instances each problem, or family, has, and the sum of their leads."""
    found: dict[Key, list[Fraction]] = defaultdict(list)
    for unit, lead in pair:
        found[unit].append(lead)
    return [(len(leads), sum(leads, Fraction(0))) for leads in found.values()]


def _ahead(leads: Sequence[Fraction]) -> tuple[int, int]:
    """How often x is ahead, and how often y; by a hair is not."""
    hair = Fraction(EQUAL)
    return sum(one > hair for one in leads), sum(one < -hair for one in leads)
