"""Which samples a figure shows: chosen by `where`, and nothing mixed that was not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from heatproof.config import hints, roles
from heatproof.config.choice import read_choices
from heatproof.config.entries import spelling
from heatproof.util.errors import Error, Mistake, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.config.choice import Choice, Written
    from heatproof.config.entries import Figure
    from heatproof.samples.tables import Portions, Samples, Table

    Where = Mapping[str, Written | None]
    Keys = Mapping[str, str]  # column → key that asks for its value

SPREAD = "choose one under where, or name {!r} under panel, x, y, mean_over or pool"
JOIN = "choose one under where, or list {!r} under join"
PAIRED = "choose one under where, or name {!r} under panel or pool"
"""What to do where settings would be mixed in a cell; in a pair, of an instance."""

NO_KEYS: Keys = {}
SHOWN = 6  # values named in a message at most


def choose(samples: Samples, where: Where, place: str, keys: Keys = NO_KEYS) -> Samples:
    """The samples that have the values that `where` asks for. Raises Error as `conditions`."""
    return samples.filter(*conditions([samples], where, place, keys))


def conditions(shards: Portions, where: Where, place: str, keys: Keys = NO_KEYS) -> list[pl.Expr]:
    """What `where` asks of each row; None asks for rows without a value.

    `keys`: column → key that asks for its value, if it is not `where`.

    Raises Error: no sample has such a value; the message names those that occur.
    """
    tests: list[pl.Expr] = []
    before: list[str] = []  # what the samples are chosen by already, in words
    for column, choice in read_choices(where).items():
        key = keys.get(column, f"where.{column}{choice.key}")
        asking = f"{place}.{key}"
        chosen = [rows.filter(*tests) for rows in shards]
        present = _values(chosen, column)
        # What is left out may be gone already.
        if choice.leaves_out:
            values = _values(shards, column)
        else:
            values = present
        for value in choice.values:
            if _has_value(values, value):
                continue
            message = f"no sample has {value!r}"
            if before and _occurs(value, column, shards):
                message += f" beside {' and '.join(before)}"
            values = values.drop_nulls()
            valid = choices(value, values.sort())
            message += f"; {valid}{hints.selection(value, values)}"
            raise Error(Mistake(asking, message, word=f"{value}"))
        if not any(map(choice.keeps, present)):
            message = f"leaves out all values of {column!r}; keep one"
            raise Error(Mistake(asking, message))
        before.append(choice.words(column))
        tests.append(choice.test(column))
    return tests


def _values(shards: Portions, column: str) -> pl.Series:
    """The values of a column, each once."""
    values = pl.col(column).unique()
    tables = [rows.select(values).collect() for rows in shards]
    return pl.concat(tables)[column].unique()


def _has_value(values: pl.Series, value: Any) -> bool:
    """Whether a column has a value; a text is none of numbers."""
    if isinstance(value, str) and values.dtype != pl.String:
        return False
    if value is not None:
        values = values.drop_nulls()
    return value in values


def _occurs(value: Any, column: str, shards: Portions) -> bool:
    """Whether any sample has a value, whatever else it has."""
    return value in _values(shards, column).to_list()


class Selecting(Protocol):
    """A figure, or what it asks."""

    def selected(self) -> dict[str, Choice]:
        """Column → its values that are shown."""


def of_figure(samples: Samples, figure: Selecting) -> Samples:
    """The samples, or counts, that a figure shows; unlike `choose`, maybe none."""
    tests = [choice.test(name) for name, choice in figure.selected().items()]
    return samples.filter(*tests)


def require_some(samples: Samples, rejected: Samples, entry: Figure) -> None:
    """Raise Error if a source has no sample, with the most frequent reason of its `rejected`."""
    if samples.select(pl.len()).collect().item():
        return
    why = "its logs hold no record"
    refused = rejected.sort("log", "line").collect()
    number = len(refused)
    if number:
        reason, count = refused["reason"].value_counts(sort=True).row(0)
        alike = refused.filter(reason=reason)
        log, line = alike.select("log", "line").row(0)
        records = numbered(number, "record")
        why = f"all of its {records} refused, {count:,} × {reason} (first: {log}:{line})"
    message = (
        f"{entry.source!r} has no sample, {why}; look at sources.{entry.source}, and at "
        f"results/tables/{entry.source}/*.rejected.parquet"
    )
    place = f"figures.{entry.name}.source"
    raise Error(Mistake(place, message))


def unmeasured(name: str, source: str, place: str) -> Error:
    """The mistake of the key at `place`, which asks for a number `name` that no sample has."""
    why = f"no sample has a number for {name!r}; is its place in the record right?"
    message = f"{why} look at sources.{source}"
    return Error(Mistake(place, message))


def require_unmixed(
    rows: Table, cell: Iterable[str], free: Iterable[str], place: str, advice: str = SPREAD
) -> None:
    """Raise Error if rows of a `cell` (its columns) differ in a setting that is `free` to vary.

    The message names the values, the first such cell, and by `advice` what to do.
    """
    here = list(dict.fromkeys(cell))
    for name in free:
        pairs = rows.select(*here, name).unique()
        is_mixed = pl.struct(here).is_duplicated()
        mixed = pairs.filter(is_mixed).sort(*here, name)
        if rows[name].n_unique() < 2 or not len(mixed):
            continue
        first = mixed.row(0, named=True)
        is_first = [pl.col(key).eq_missing(pl.lit(first[key])) for key in here]
        values = mixed.filter(is_first)[name]
        listed = ", ".join(map(repr, values.head(SHOWN)))
        if len(values) > SHOWN:
            listed += " …"
        # A source without scorers has none to tell its cells by.
        keys = [key for key in here if key not in roles.GRADERS or first[key]]
        settings = ", ".join(f"{key}={first[key]}" for key in keys)
        message = f"would mix {len(values)} values of {name!r} in one cell ({listed} at {settings})"
        message += f"; {advice.format(name)}"
        raise Error(Mistake(place, message))


def family(pattern: str | None) -> pl.Expr:
    """The family of a problem by its `sample_id`; without a pattern or a match, the id itself."""
    problem = pl.col("sample_id")
    if pattern is None:
        return problem
    extracted = problem.str.extract(pattern)
    return pl.coalesce(extracted, problem)


def require_complete(samples: Table, axes: Mapping[str, str], place: str) -> None:
    """Raise Error if a column of `axes` (key in the entry → column) holds nulls."""
    for key, name in axes.items():
        if missing := samples[name].null_count():
            log = samples.filter(pl.col(name).is_null())["log"][0]
            message = (
                f"{missing} samples have no {name!r} (first in {log}); leave them out "
                "under where, or give them one (default, under params or columns of the source)"
            )
            raise Error(Mistake(f"{place}.{key}", message))


def require_single(samples: Table, place: str, under: str = "pool") -> None:
    """Raise Error if two rows share all settings, sample and epoch; the message names both records.

    `under`: key of the entry for columns by which such runs may be told apart.
    """
    key = roles.settings(samples.columns) + ["sample_id", "epoch"]
    twice = samples.filter(pl.struct(key).is_duplicated())
    if len(twice):
        ordered = twice.sort(*key, "log", "line").select("log", "line")
        records = " and ".join(f"{log}:{line}" for log, line in ordered.head(2).rows())
        message = (
            f"{records} hold the same sample of the same settings; remove one log, "
            f"or tell the runs apart by a column (path, params) and list it under {under}"
        )
        raise Error(Mistake(place, message))


def listed_values(figure: Figure) -> Iterator[tuple[str, str, str]]:
    """Key, column and value of what a figure lists but need not have: names and orders."""
    if figure.names != "spaces":
        for column, names in figure.names.items():
            if names == "spaces":
                continue
            for value in names:
                yield f"names.{column}.{value}", column, spelling(value)
    required = figure.required()
    for key, (column, values) in figure.spelled().items():
        if key not in required:
            yield from ((key, column, spelling(value)) for value in values)


def unused_values(
    figures: Iterable[Figure], sources: Mapping[str, Mapping[str, Sequence[Any]]]
) -> list[Mistake]:
    """A mistake for each value of `names` or of an order that no sample has.

    Figures may share such a list: what one of them uses is no mistake of the others. `sources`:
    source → column → its values; a column that is not there may hold anything.
    """
    idle: dict[tuple[str, str, str], Mistake] = {}
    used = set()
    for figure in figures:
        columns = sources.get(figure.source, {})
        for entry in listed_values(figure):
            key, column, value = entry
            if column not in columns or value in map(spelling, columns[column]):
                used.add(entry)
            else:
                message = f"no sample has {value!r}; {choices(value, columns[column])}"
                idle.setdefault(entry, Mistake(f"figures.{figure.name}.{key}", message))
    return [mistake for entry, mistake in idle.items() if entry not in used]
