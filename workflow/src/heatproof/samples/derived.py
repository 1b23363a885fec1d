"""Columns made of columns (`columns` of a source): in bins, by a pattern, through a file, by value.

They are made where samples are, in the order of config.yaml: the first of what logs say, others
perhaps of those above them. The ends of quantiles follow from all rows of a table, so these
columns, and those made of them, come when all logs are read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from heatproof.config.derived import number_of_end
from heatproof.config.entries import bin_names, constant, spelling
from heatproof.formats import sidecars
from heatproof.formats.joins import Join, read_partners
from heatproof.formats.params import from_text
from heatproof.formats.places import Field
from heatproof.samples import tables
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.config.entries import Derived, Source
    from heatproof.formats.api import Log
    from heatproof.formats.joins import Partners
    from heatproof.samples.tables import Names, Samples, Table

NUMBER, VALUE = " number", " value"
"""Columns of frames on the way; no column of a table has a blank in its name."""


def joined_files(source: Source, path: str, root: Path) -> list[str]:
    """The files in which columns of a log are looked up."""
    source = source.source_of(path)
    columns = source.derived.values()
    files = [sidecars.sidecar(path, column.join, root) for column in columns if column.join]
    return [name for name in files if name]


def files_beside(source: Source, path: str, root: Path) -> list[str]:
    """All files that a log is read together with."""
    files = source.sidecars(path, root) + joined_files(source, path, root)
    return list(dict.fromkeys(files))


class Recipe(NamedTuple):
    """How the columns of some logs are made."""

    source: Source
    partners: dict[str, Partners]  # column → the records of its file

    def late(self) -> set[str]:
        """Columns that wait until all rows are there."""
        names = set[str]()
        for name, column in self.source.derived.items():
            if column.quantiles or not names.isdisjoint(column.origins()):
                names.add(name)
        return names


class Maker:
    """Makes the columns of rows, as the source of their log says."""

    def __init__(self, source: Source, like: Path | None = None) -> None:
        """`like`: a table whose quantiles are taken, where only some of its logs are read."""
        self._source = source
        self._like = like
        self._recipes: dict[tuple[str, ...], Recipe] = {}
        self._of_log: dict[str, Recipe] = {}
        self._read: dict[str, dict[str, Any]] = {}  # column → what is known of its file
        self._numbers: dict[str, list[pl.Series]] = {}  # column of quantiles → what it is made of
        self._ends: dict[str, list[float]] = {}

    def prepare(self, log: Log) -> None:
        """Read the files in which columns of a log are looked up. Raises Error: one is missing."""
        source = self._source.source_of(log.path)
        if not source.derived:
            return
        partners = {}
        key = [source.name]
        for name, column in source.derived.items():
            if column.join:
                join = Join(column.join, column.by, {name: column.take}, column.each)
                fields = [Field(name, column.take, column.type, required=False)]
                partners_read = self._read.setdefault(name, {})
                try:
                    partners[name] = read_partners(log, join, fields, {}, partners_read)
                except Error as error:
                    place = f"sources.{source.name}.columns.{name}.join"
                    message = f"{error} (first needed for {log.path})"
                    raise Error(Mistake(place, message)) from error
                key += partners_read
        recipe = Recipe(source, partners)
        self._of_log[log.path] = self._recipes.setdefault(tuple(key), recipe)

    def early(self, rows: Table) -> Table:
        """Rows just read, with all columns but those of quantiles."""
        return self._with_columns(rows, late=False)

    def waits(self) -> bool:
        """Whether a column follows from the rows of all logs."""
        return any(recipe.late() for recipe in self._recipes.values())

    def late(self, rows: Table) -> Table:
        """Rows with all columns; to be called when all are read."""
        return self._with_columns(rows, late=True)

    def setting_values(self, log: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a log with those made of them, as far as they are known."""
        recipe = self._of_log.get(log)
        names = []
        if recipe:
            params = recipe.source.all_columns().params
            names = [name for name in recipe.source.derived if name in params]
        if recipe is None or not names:
            return {**settings}
        types = tables.dtypes({"model": "str", "task": "str", **params})
        row = pl.DataFrame({name: [settings.get(name)] for name in types}, types)
        waiting = recipe.late()
        for late in (False, True):
            row = self._made(row, recipe, [name for name in names if (name in waiting) == late])
        made_values = row.select(names).row(0, named=True)
        return {**settings, **made_values}

    def _with_columns(self, rows: Table, *, late: bool) -> Table:
        if not self._of_log or rows.is_empty():
            return rows
        recipes = [self._of_log.get(log) for log in rows["log"].unique(maintain_order=True)]
        different = {id(recipe): recipe for recipe in recipes if recipe}
        if len(different) == 1 and None not in recipes:
            (recipe,) = different.values()
            return self._of_recipe(rows, recipe, late=late)
        rows = rows.with_row_index(NUMBER)
        tables = []
        for number in {id(recipe) for recipe in recipes}:
            logs = [log for log in rows["log"].unique() if id(self._of_log.get(log)) == number]
            log_rows = rows.filter(pl.col("log").is_in(logs))
            if number in different:
                log_rows = self._of_recipe(log_rows, different[number], late=late)
            tables.append(log_rows)
        return pl.concat(tables).sort(NUMBER).drop(NUMBER)

    def _of_recipe(self, rows: Table, recipe: Recipe, *, late: bool) -> Table:
        waiting = recipe.late()
        names = [name for name in recipe.source.derived if (name in waiting) == late]
        rows = self._made(rows, recipe, names)
        if not late:
            for name, column in recipe.source.derived.items():
                if column.quantiles:
                    self._numbers.setdefault(name, []).append(rows[column.bin])
        return rows

    def _made(self, rows: Table, recipe: Recipe, names: Names) -> Table:
        for name in names:
            column = recipe.source.derived[name]
            try:
                if column.bin:
                    values = self._binned(rows[column.bin], name, column, recipe)
                else:
                    values = _by_value(rows, name, column, recipe.partners.get(name))
            except Error as error:
                place = f"sources.{recipe.source.name}.columns.{name}"
                raise Error(Mistake(place, str(error))) from error
            if column.default is not None:
                default = constant(column.default, column.type)
                values = values.fill_null(default)
            rows = rows.with_columns(values.alias(name))
        return rows

    def _binned(self, values: pl.Series, name: str, column: Derived, recipe: Recipe) -> pl.Series:
        low, high = recipe.source.ranges().get(column.bin) or (0.0, 1.0)
        bins = column.bins()
        if column.quantiles:
            ends = self._quantiles(name, column)
            printed_ends = [low + end * (high - low) for end in ends]
            if ends:
                bins = bins or bin_names(words(printed_ends), column.closed)
            else:
                bins = ["all"]
            number = len(ends) + 1
            if len(bins) != number:
                equal = f"many samples have one {column.bin!r}: it falls into {number} bins"
                raise Error(f"{equal}, not {len(bins)}; name so many, or give ends: at")
        else:
            ends = [(number_of_end(end) - low) / (high - low) for end in column.at]
        side: Literal["left", "right"] = "left"
        if column.closed == "left":
            side = "right"
        numbers = values.cast(pl.Float64).fill_nan(None)
        places = numbers.fill_null(0.0).to_numpy()
        numbers_of_bins = np.searchsorted(np.array(ends), places, side=side)
        binned = pl.Series(bins, dtype=pl.String).gather(numbers_of_bins)
        return binned.set(numbers.is_null(), None)

    def _quantiles(self, name: str, column: Derived) -> list[float]:
        """The ends of bins that hold about as many samples each: numbers that occur."""
        if name not in self._ends:
            if self._like is None:
                numbers = pl.concat(self._numbers.get(name) or [pl.Series(dtype=pl.Float64)])
            else:
                table = pl.scan_parquet(self._like)
                numbers = table.select(column.bin).collect().to_series()
            numbers = numbers.drop_nulls().cast(pl.Float64)
            ordered = np.sort(numbers.to_numpy())
            self._ends[name] = _ends_of_quantiles(ordered, column)
        return self._ends[name]


def _ends_of_quantiles(ordered: NDArray[np.float64], column: Derived) -> list[float]:
    """The ends of bins of numbers in their order; at the lowest of them no bin ends."""
    if not len(ordered):
        return []
    bins = column.quantiles or 1
    ends = set[float]()
    for step in range(1, bins):
        place = step * len(ordered) // bins
        ends.add(float(ordered[place]))
    if column.closed == "left":
        ends.discard(float(ordered[0]))
    return sorted(ends)


def _by_value(rows: Table, name: str, column: Derived, partners: Partners | None) -> pl.Series:
    """A column whose values follow from those of others, each combination looked at once."""
    origins = column.origins()
    kind = tables.dtypes({name: column.type})[name]
    if partners:
        value_of = _lookup(partners)
    else:
        make_function = FUNCTIONS[column.operation]
        value_of = make_function(name, column)
    selected = rows.select(origins)
    distinct = selected.unique(maintain_order=True)
    made_values = [value_of(*values) for values in distinct.iter_rows()]
    column_values = pl.Series(VALUE, made_values, kind)
    table = distinct.with_columns(column_values)
    joined = selected.join(table, on=origins, how="left", nulls_equal=True, maintain_order="left")
    return joined[VALUE]


def _match(name: str, column: Derived) -> Callable[[Any], Any]:
    pattern = re.compile(column.pattern)

    def value_of(value: Any) -> Any:
        if value is None:
            return None
        match = pattern.search(spelling(value))
        if match is None or match[1] is None:
            return None
        return from_text(match[1], column.type, name)

    return value_of


def _map(_: str, column: Derived) -> Callable[[Any], Any]:
    values = {spelling(old): constant(new, column.type) for old, new in column.to.items()}

    def value_of(value: Any) -> Any:
        if value is None:
            return None
        return values.get(spelling(value))

    return value_of


def _lookup(partners: Partners) -> Callable[..., Any]:
    def value_of(*ids: Any) -> Any:
        partner = partners.find(ids)
        if partner:
            return partner[0]
        return None

    return value_of


FUNCTIONS: dict[str, Callable[[str, Derived], Callable[..., Any]]] = {"match": _match, "map": _map}
"""Operation → what makes, of name and column, a function of the value of its origin."""


def lacking_words(source: Source, samples: Samples) -> Iterator[str]:
    """A line for each column made of others that some samples have no value of."""
    names = samples.collect_schema().names()
    for name, column in source.derived.items():
        if name not in names:
            continue
        lacks = samples.filter(pl.col(name).is_null())
        origins = [origin for origin in column.origins() if origin in names]
        count = lacks.select(pl.len()).collect().item()
        if count:
            first = lacks.select(origins).head(1).collect()
            texts = map(spelling, first.row(0))
            example = ", ".join(map("{} {!r:.60}".format, origins, texts))
            yield (
                f"config.yaml: sources.{source.name}.columns.{name}: {count:,} samples have none "
                f"(first: {example}); default: gives them one"
            )
