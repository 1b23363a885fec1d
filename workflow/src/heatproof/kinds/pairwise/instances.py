"""The instances of a pairwise figure as numbers: their means, and those in each bin.

They are one array: a row per model, a place per instance, filled piece by piece. What two models
are compared on is held as numbers, so that tens of millions of instances fit in memory: a text is
stored once, and a column that never changes takes no room.

Instances at (measure of x, measure of y) lie in bins of the unit square.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import metrics
from heatproof.config import roles
from heatproof.kinds.pairwise import words
from heatproof.samples import counts, selection
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.codes import Numbered

    Array = NDArray[Any]
    Floats = NDArray[np.float64]


class Instances(NamedTuple):
    """All instances, by what they are joined on."""

    names: dict[str, Numbered]
    """What they are joined on, column by column."""
    means: dict[str, NDArray[np.float64]]
    """Model → its mean measure of each, NaN where it has none."""

    def named(self, which: Sequence[int]) -> pl.DataFrame:
        """What some of them are joined on."""
        return pl.DataFrame(
            {name: values[codes[[*which]]] for name, (codes, values) in self.names.items()}
        )


def gather(partial: Sequence[pl.LazyFrame], entry: Entry) -> Instances:
    """The instances that counts tell of (`samples.counts`), in portions, of all models shown."""
    names = counts.told_apart(partial[0].collect_schema().names())
    on = instance_key(entry)
    rows = counts.gather_counts(partial, metrics.mean(entry.measure), names)
    rows = counts.added_up(rows, [*on, entry.compare])
    found, at = codes.dense(*codes.codes(rows, on))
    one = np.zeros(len(found), np.int64)
    one[at] = np.arange(len(at))  # any row of an instance names it
    values = rows.numbers["total"] / rows.numbers["count"]
    model, models = rows.columns[entry.compare]
    means = {}
    for name, value in entry.named.items():
        mine = np.isin(model, np.flatnonzero((models == value).to_numpy()))
        means[name] = np.full(len(found), np.nan)
        means[name][at[mine]] = values[mine]
    return Instances({name: rows.at(one).columns[name] for name in on}, means)


class Bins:
    """The instances in each bin of the grid, by their numbers, ascending."""

    def __init__(self, instances: Instances, grid: pl.DataFrame) -> None:
        self._pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        """Instances of each pair of models, bin after bin, and how many each bin has."""
        size = words.across(grid)
        for pair in words.pair_table(grid).iter_rows(named=True):
            x, y = instances.means[pair["x"]], instances.means[pair["y"]]
            there = np.flatnonzero(~np.isnan(x + y))
            column, row = (bin_of(each[there], size) for each in (x, y))
            flat = row * size + column
            sizes = np.bincount(flat, minlength=size**2)
            self._pairs.append((there[np.argsort(flat, kind="stable")], sizes))

    @property
    def sizes(self) -> list[int]:
        """Instances in each bin."""
        return [size for _, sizes in self._pairs for size in sizes.tolist()]

    def first(self, most: int) -> list[list[int]]:
        """The first instances in each bin, `most` at most."""
        found = []
        for rows, sizes in self._pairs:
            starts = np.cumsum(sizes) - sizes
            ends = starts + np.minimum(sizes, most)
            found += [rows[a:b].tolist() for a, b in zip(starts, ends, strict=True)]
        return found


NULL = 2**32 - 1
"""Stands for a text that is not there; categories are fewer."""


class Means(NamedTuple):
    """The mean measure of each instance."""

    values: NDArray[np.float64]
    """Shape (models, instances); NaN where a model has no measure of an instance."""
    unit: Array | None
    """Shape (instances,): number of the problem, or family, that an instance is of, for several may
    be of one; without, each is of its own."""
    reconstructed: bool


def instance_key(entry: Entry) -> list[str]:
    """Columns that say which samples are of the same instance."""
    return ["task", *(name for name in entry.join if name not in ("task", entry.compare))]


def run_columns(entry: Entry, names: Sequence[str]) -> list[str]:
    """Of the settings `names`, those that say which run of a model an instance is of."""
    return [entry.compare, *(name for name in instance_key(entry) if name in {*names})]


def is_shared(entry: Entry) -> bool:
    """Whether several instances may be of one problem, or of a family, by task and id.

    What is joined beside it, a budget or an epoch, repeats a problem, which
    varies less than another one does.
    """
    joined = instance_key(entry)
    return "sample_id" in joined and (len(joined) > 2 or entry.family is not None)


def means_of_frame(wide: pl.DataFrame, entry: Entry, reconstructed: bool) -> Means:
    """The same of a frame with a row per instance and a column per model."""
    columns = [wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in entry.named]
    units = None
    if is_shared(entry):
        who = pl.struct("task", selection.family(entry.family))
        units = wide.select(who.rank("dense")).to_series().to_numpy()
    return Means(np.stack(columns), units, reconstructed)


def means_of_counts(
    shards: Sequence[pl.LazyFrame],
    chosen: Callable[[pl.LazyFrame], pl.LazyFrame],
    entry: Entry,
    place: str,
) -> Means | None:
    """The means from the `chosen` of counts, or none if counts cannot tell them.

    Two runs of the same settings may hold different epochs of a sample, and an instance may be made
    of several samples: these must be added up.

    Raises:
        Error: settings would be mixed that the figure does not name.
    """
    held = _Held(chosen(shards[0]).collect_schema(), entry)
    if "sample_id" not in held.on or not held.are_named:
        return None
    for piece in codes.pieces(shards, chosen):
        if len(piece):
            held.take(piece)
    selection.require_unmixed(held.settings, held.runs, held.free, place, selection.JOIN)
    return held.means()


class _Held:
    """What the pieces say, in small numbers."""

    def __init__(self, schema: Mapping[str, pl.DataType], entry: Entry) -> None:
        self.entry, self.on = entry, instance_key(entry)
        texts = [name for name, kind in schema.items() if kind == pl.String]
        self._kinds = {name: pl.Categorical(pl.Categories.random()) for name in texts}
        # Categories are forgotten with the last column that has them.
        self._alive = {name: pl.Series([*entry.named], dtype=k) for name, k in self._kinds.items()}
        self._place = np.arange(len(entry.models), dtype=np.uint16)  # the first to be numbered
        self.are_named = entry.compare in texts
        names = roles.settings([*schema])
        self.runs = run_columns(entry, names)
        self.free = [name for name in names if name not in self.runs]
        self.settings = pl.DataFrame(schema=schema).select(*self.runs, *self.free)
        self._family_kind = pl.Categorical(pl.Categories.random())
        self._family_alive = pl.Series([""], dtype=self._family_kind)
        self._families: list[tuple[Array, Array]] = []
        self._parts: dict[str, list[Array]] = {name: [] for name in self.on}
        self._models: list[Array] = []
        self._means: list[Array] = []
        self._made_up = False

    def take(self, piece: pl.DataFrame) -> None:
        """Note what a piece says."""
        told = piece.select(self.settings.columns).unique()
        self.settings = pl.concat([self.settings, told]).unique()
        for name in self.on:
            self._parts[name].append(self._numbers(piece[name]))
        if self.entry.family is not None:
            self._note_families(piece["sample_id"].unique())
        self._models.append(self._place[self._numbers(piece[self.entry.compare])])
        n, total = (piece[f"{self.entry.measure}.{what}"] for what in ("n", "sum"))
        self._means.append((total / n).fill_nan(None).fill_null(np.nan).to_numpy())
        self._made_up |= bool(piece["reconstructed"].any())

    def _note_families(self, names: pl.Series) -> None:
        family = names.to_frame().select(selection.family(self.entry.family)).to_series()
        numbers = family.cast(self._family_kind).to_physical().to_numpy()
        self._families.append((self._codes(names), numbers))

    def _numbers(self, column: pl.Series) -> Array:
        """Numbers that tell the values apart; they do not repeat in memory if all are the same."""
        same = bool(column.eq_missing(column[:1]).all())
        codes = self._codes(column[:1] if same else column)
        return np.broadcast_to(codes, len(column)) if same else codes

    def _codes(self, column: pl.Series) -> Array:
        if column.name in self._kinds:
            column = column.cast(self._kinds[column.name]).to_physical().fill_null(NULL)
        return column.to_numpy().copy()

    def means(self) -> Means | None:
        """The array, if no place was filled twice."""
        self._alive.clear()  # the names themselves are of no use any more
        ids, size = self._ids()
        shape = (len(self.entry.models), size)
        values, there = np.full(shape, np.nan), np.zeros(shape, bool)
        for at, model, mean in zip(ids, self._models, self._means, strict=True):
            values[model, at], there[model, at] = mean, True
        single = int(np.count_nonzero(there)) == sum(map(len, ids))
        return Means(values, self._units(ids, size), self._made_up) if single else None

    def _ids(self) -> tuple[Sequence[Array], int]:
        """The instance of each row, in pieces, and how many numbers there are."""
        varying = [parts for parts in self._parts.values() if not _is_one(parts)]
        if not varying:
            return [np.zeros(len(part), np.int64) for part in self._means], 1
        if len(varying) == 1 and all(part.dtype == np.uint32 for part in varying[0]):
            size = max(int(part.max()) for part in varying[0]) + 1
            if size <= NULL:
                return varying[0], size
        code, size = _combined(map(np.concatenate, varying))
        ends = np.cumsum([len(part) for part in self._means])
        return np.split(code, ends[:-1]), size

    def _units(self, ids: Sequence[Array], size: int) -> Array | None:
        """The problem, or family, of each instance, if several may be of one."""
        if not is_shared(self.entry):
            return None
        task, sample = (np.concatenate(self._parts[name]) for name in ("task", "sample_id"))
        if self._families:
            family = np.zeros(int(sample.max()) + 1, np.uint32)
            for codes, found in self._families:
                family[codes] = found
            sample = family[sample]
        units = np.zeros(size, np.int64)
        units[np.concatenate(ids)] = _combined([task, sample])[0]
        return units


def _combined(columns: Iterable[Array]) -> tuple[Array, int]:
    """A number for each row, by its numbers in all columns, and how many there are."""
    code, size = np.zeros(1, np.int64), 1
    for column in columns:
        found, own = np.unique(column, return_inverse=True)
        found, code = np.unique(code * len(found) + own, return_inverse=True)
        size = len(found)
    return code, size


def _is_one(parts: Sequence[Array]) -> bool:
    """Whether all pieces of a column hold one value, the same."""
    return len({part[0] for part in parts}) == 1 and all(part.strides == (0,) for part in parts)


POINTS = 5_000
"""Instances of a pair that are still drawn as points."""

STRIP = 1 << 20
"""Instances binned at a time."""

EQUAL = 1e-9
"""Differences below this are rounding of the logs, not of the models: a tie."""


class OutsideError(ValueError):
    """A position that is not between 0 and 1."""


def bin_instances(at_x: Floats, at_y: Floats, size: int) -> pl.DataFrame:
    """A row per bin of the unit square cut into `size` × `size`, empty ones included.

    Bins hold their lower edge, the last one its upper edge too. `points` lists the distinct
    positions in a bin with their number, unless there are too many to draw.
    """
    count, sums = np.zeros(size * size, np.int64), np.zeros(size * size, np.int64)
    for start in range(0, len(at_x), STRIP):
        x, y = at_x[start : start + STRIP], at_y[start : start + STRIP]
        flat = _flat(x, y, size)
        count += np.bincount(flat, minlength=size * size)
        # Differences are summed as whole millionths of a millionth: exact in any order.
        np.add.at(sums, flat, np.rint((x - y) * 1e12).astype(np.int64))
    edges = np.arange(size + 1) / size
    rows, columns = np.divmod(np.arange(size * size), size)
    frame = pl.DataFrame(
        {
            "x0": edges[columns],
            "x1": edges[columns + 1],
            "y0": edges[rows],
            "y1": edges[rows + 1],
            "samples": count,
            "difference": np.where(count > 0, sums / np.maximum(count, 1) / 1e12, np.nan),
        }
    ).with_columns(pl.col("difference").fill_nan(None))
    return frame.with_columns(points=_points(at_x, at_y, size))


def _flat(at_x: Floats, at_y: Floats, size: int) -> NDArray[np.int64]:
    return bin_of(at_y, size) * size + bin_of(at_x, size)


def bin_of(at: Floats, size: int) -> NDArray[np.int64]:
    """Number of the bin, from 0, that each position between 0 and 1 falls into.

    Raises:
        OutsideError: some position is not.
    """
    # A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    if at.size and (at.min() < 0 or at.max() > 1):
        raise OutsideError
    return np.minimum((at * size + EQUAL).astype(np.int64), size - 1)


def _points(at_x: Floats, at_y: Floats, size: int) -> pl.Series:
    kind = pl.List(pl.Struct({"x": pl.Float64, "y": pl.Float64, "n": pl.Int64}))
    listed: list[list[dict[str, float]]] = [[] for _ in range(size * size)]
    if len(at_x) <= POINTS:
        flat = _flat(at_x, at_y, size)
        spots = np.round(np.column_stack([at_x, at_y]), 6)
        distinct, where, counts = np.unique(spots, axis=0, return_index=True, return_counts=True)
        for (x, y), first, n in zip(distinct, where, counts, strict=True):
            listed[flat[first]].append({"x": float(x), "y": float(y), "n": int(n)})
    return pl.Series("points", listed, dtype=kind)
