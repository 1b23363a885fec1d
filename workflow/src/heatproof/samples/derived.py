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
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Derived, Source
    from heatproof.formats.api import Log
    from heatproof.formats.joins import Partners

NUMBER, VALUE = " number", " value"
"""Columns of frames on the way; no column of a table has a blank in its name."""


def joined_files(source: Source, path: str, root: Path) -> list[str]:
    """The files in which columns of a log are looked up."""
    derived = source.source_of(path).derived.values()
    files = [sidecars.sidecar(path, column.join, root) for column in derived if column.join]
    return [name for name in files if name]


def files_beside(source: Source, path: str, root: Path) -> list[str]:
    """All files that a log is read together with."""
    return list(dict.fromkeys(source.sidecars(path, root) + joined_files(source, path, root)))


class Recipe(NamedTuple):
    """How the columns of some logs are made."""

    source: Source
    partners: dict[str, Partners]  # column → the records of its file

    def late(self) -> set[str]:
        """Columns that wait until all rows are there."""
        names: set[str] = set()
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
                    raise Error(Mistake(place, f"{error} (first needed for {log.path})")) from error
                key += partners_read
        recipe = Recipe(source, partners)
        self._of_log[log.path] = self._recipes.setdefault(tuple(key), recipe)

    def early(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows just read, with all columns but those of quantiles."""
        return self._with_columns(rows, late=False)

    def waits(self) -> bool:
        """Whether a column follows from the rows of all logs."""
        return any(recipe.late() for recipe in self._recipes.values())

    def late(self, rows: pl.DataFrame) -> pl.DataFrame:
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
        for late in (False, True):
            row = self._made(row, recipe, [n for n in names if (n in recipe.late()) == late])
        return {**settings, **row.select(names).row(0, named=True)}

    def _with_columns(self, rows: pl.DataFrame, *, late: bool) -> pl.DataFrame:
        if not self._of_log or rows.is_empty():
            return rows
        recipes = [self._of_log.get(log) for log in rows["log"].unique(maintain_order=True)]
        different = {id(recipe): recipe for recipe in recipes if recipe}
        if len(different) == 1 and None not in recipes:
            return self._of_recipe(rows, *different.values(), late=late)
        rows = rows.with_row_index(NUMBER)
        tables = []
        for number in {id(recipe) for recipe in recipes}:
            logs = [log for log in rows["log"].unique() if id(self._of_log.get(log)) == number]
            log_rows = rows.filter(pl.col("log").is_in(logs))
            if number in different:
                log_rows = self._of_recipe(log_rows, different[number], late=late)
            tables.append(log_rows)
        return pl.concat(tables).sort(NUMBER).drop(NUMBER)

    def _of_recipe(self, rows: pl.DataFrame, recipe: Recipe, *, late: bool) -> pl.DataFrame:
        waiting = recipe.late()
        names = [name for name in recipe.source.derived if (name in waiting) == late]
        rows = self._made(rows, recipe, names)
        if not late:
            for name, column in recipe.source.derived.items():
                if column.quantiles:
                    self._numbers.setdefault(name, []).append(rows[column.bin])
        return rows

    def _made(self, rows: pl.DataFrame, recipe: Recipe, names: Sequence[str]) -> pl.DataFrame:
        for name in names:
            column = recipe.source.derived[name]
            place = f"sources.{recipe.source.name}.columns.{name}"
            try:
                if column.bin:
                    values = self._binned(rows[column.bin], name, column, recipe)
                else:
                    values = _by_value(rows, name, column, recipe.partners.get(name))
            except Error as error:
                raise Error(Mistake(place, str(error))) from error
            if column.default is not None:
                values = values.fill_null(constant(column.default, column.type))
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
            if len(bins) != len(ends) + 1:
                equal = f"many samples have one {column.bin!r}: it falls into {len(ends) + 1} bins"
                raise Error(f"{equal}, not {len(bins)}; name so many, or give ends: at")
        else:
            ends = [(number_of_end(end) - low) / (high - low) for end in column.at]
        side: Literal["left", "right"] = "right" if column.closed == "left" else "left"
        numbers = values.cast(pl.Float64).fill_nan(None)
        numbers_of_bins = np.searchsorted(
            np.array(ends), numbers.fill_null(0.0).to_numpy(), side=side
        )
        binned = pl.Series(bins, dtype=pl.String).gather(numbers_of_bins)
        return binned.set(numbers.is_null(), None)

    def _quantiles(self, name: str, column: Derived) -> list[float]:
        """The ends of bins that hold about as many samples each: numbers that occur."""
        if name not in self._ends:
            if self._like is None:
                numbers = pl.concat(self._numbers.get(name) or [pl.Series(dtype=pl.Float64)])
            else:
                numbers = pl.scan_parquet(self._like).select(column.bin).collect().to_series()
            ordered = np.sort(numbers.drop_nulls().cast(pl.Float64).to_numpy())
            steps = range(1, column.quantiles or 1) if len(ordered) else ()
            ends = {
                float(ordered[step * len(ordered) // (column.quantiles or 1)]) for step in steps
            }
            beyond = {float(ordered[0])} if column.closed == "left" and len(ordered) else set()
            self._ends[name] = sorted(ends - beyond)
        return self._ends[name]


def _by_value(
    rows: pl.DataFrame, name: str, column: Derived, partners: Partners | None
) -> pl.Series:
    """A column whose values follow from those of others, each combination looked at once."""
    origins = column.origins()
    kind = tables.dtypes({name: column.type})[name]
    if partners:
        value_of = _lookup(partners)
    else:
        value_of = FUNCTIONS[column.operation](name, column)
    distinct = rows.select(origins).unique(maintain_order=True)
    made_values = [value_of(*values) for values in distinct.iter_rows()]
    table = distinct.with_columns(pl.Series(VALUE, made_values, kind))
    joined = rows.select(origins).join(
        table, on=origins, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined[VALUE]


def _match(name: str, column: Derived) -> Callable[[Any], Any]:
    pattern = re.compile(column.pattern)

    def value_of(value: Any) -> Any:
        if value is None:
            match = None
        else:
            match = pattern.search(spelling(value))
        text = match[1] if match else None
        if text is None:
            return None
        return from_text(text, column.type, name)

    return value_of


def _map(_: str, column: Derived) -> Callable[[Any], Any]:
    values = {spelling(old): constant(new, column.type) for old, new in column.to.items()}
    return lambda value: None if value is None else values.get(spelling(value))


def _lookup(partners: Partners) -> Callable[..., Any]:
    def value_of(*ids: Any) -> Any:
        partner = partners.find(ids)
        return partner[0] if partner else None

    return value_of


FUNCTIONS: dict[str, Callable[[str, Derived], Callable[..., Any]]] = {"match": _match, "map": _map}
"""Operation → what makes, of name and column, a function of the value of its origin."""


def lacking_words(source: Source, samples: pl.LazyFrame) -> Iterator[str]:
    """A line for each column made of others that some samples have no value of."""
    names = samples.collect_schema().names()
    for name, column in source.derived.items():
        if name not in names:
            continue
        lacks = samples.filter(pl.col(name).is_null())
        origins = [origin for origin in column.origins() if origin in names]
        count = lacks.select(pl.len()).collect().item()
        if count:
            first = lacks.select(origins).head(1).collect().row(0)
            example = ", ".join(map("{} {!r:.60}".format, origins, map(spelling, first)))
            yield (
                f"config.yaml: sources.{source.name}.columns.{name}: {count:,} samples have none "
                f"(first: {example}); default: gives them one"
            )
