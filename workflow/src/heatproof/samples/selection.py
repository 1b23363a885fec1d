"""Which samples a figure shows: chosen by `where`, and nothing mixed that was not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import hints, roles
from heatproof.config.entries import spelling
from heatproof.util.errors import Absent, Error, Lasting, Mistake, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure, Word

    Values = Mapping[str, Sequence[Any]]
    Where = Mapping[str, Word | list[Word] | None]

SPREAD = "choose one under where, or name {!r} under panel, x, y, mean_over or pool"
JOIN = "choose one under where, or list {!r} under join"
"""What to do where settings would be mixed in a cell; in a pair, of an instance."""

NO_KEYS: Mapping[str, str] = {}
SHOWN = 6
"""Values named in a message at most."""


def choose(
    samples: pl.LazyFrame,
    where: Where,
    place: str,
    key: str = "",
    keys: Mapping[str, str] = NO_KEYS,
) -> pl.LazyFrame:
    """The samples whose columns have the values, or one of the values, that `where` asks for.

    None asks for rows that have no value. `key`: of the entry, if it is not `where` that asks;
    `keys`: column → key that asks for its value.

    Raises:
        Error: no sample has such a value; the message names those that occur.
    """
    return filtered(samples, conditions([samples], where, place, key, keys))


def conditions(
    shards: Sequence[pl.LazyFrame],
    where: Where,
    place: str,
    key: str = "",
    keys: Mapping[str, str] = NO_KEYS,
) -> list[pl.Expr]:
    """What `choose` asks of each row, all of which must hold.

    Raises:
        Error: as `choose`.
    """
    tests: list[pl.Expr] = []
    for column, test in zip(where, holding(where), strict=True):
        parts = [filtered(rows, tests).select(pl.col(column).unique()).collect() for rows in shards]
        there = pl.concat(parts)[column].unique()
        present, own_key = there.drop_nulls(), key or keys.get(column, f"where.{column}")
        for value in _listed(where[column]):
            other = isinstance(value, str) and present.dtype != pl.String
            if other or value not in (there if value is None else present):
                hint = hints.selection(value, present)
                message = f"no sample has {value!r}; {choices(value, present.sort())}{hint}"
                raise Absent(Mistake(f"{place}.{own_key}", message, word=f"{value}"))
        tests.append(test)
    return tests


def holding(where: Where) -> list[pl.Expr]:
    """What `choose` asks of each row, be there such rows or not."""
    return [
        pl.col(column).is_null() if values is None else pl.col(column).is_in(_listed(values))
        for column, values in where.items()
    ]


def _listed(values: Word | list[Word] | None) -> list[Any]:
    return values if isinstance(values, list) else [values]


def of_figure(samples: pl.LazyFrame, figure: Figure) -> pl.LazyFrame:
    """The samples, or counts of samples, that a figure shows; unlike `choose`, maybe none."""
    return filtered(samples, [pl.col(name).is_in(v) for name, v in figure.shown().items()])


def filtered(samples: pl.LazyFrame, tests: Sequence[pl.Expr]) -> pl.LazyFrame:
    """The samples for which all tests hold."""
    return samples.filter(*tests) if tests else samples


def require_some(samples: pl.LazyFrame, rejected: pl.LazyFrame, entry: Figure) -> None:
    """Refuse to show a source without samples; `rejected`: what became of its records.

    Raises:
        Error: there is none; the message tells the most frequent reason.
    """
    if samples.select(pl.len()).collect().item():
        return
    why = "its logs hold no record"
    if len(refused := rejected.sort("log", "line").collect()):
        reason, count = refused["reason"].value_counts(sort=True).row(0)
        log, line = refused.filter(pl.col("reason") == reason).select("log", "line").row(0)
        records = numbered(len(refused), "record")
        why = f"all of its {records} refused, {count:,} × {reason} (first: {log}:{line})"
    raise Error(
        Mistake(
            f"figures.{entry.name}.source",
            f"{entry.source!r} has no sample, {why}; look at sources.{entry.source}, and at "
            f"results/tables/{entry.source}/*.rejected.parquet",
        )
    )


def require_measured(some: bool, name: str, source: str, place: str) -> None:
    """Refuse a number that no sample has.

    Args:
        some: whether a sample of the figure has it.
        name: of the number, such as `tokens`.
        source: where the number is described in config.yaml.
        place: key in config.yaml that asks for it.

    Raises:
        Error: none has it.
    """
    if not some:
        raise Absent(
            Mistake(
                place,
                f"no sample has a number for {name!r}; "
                f"is its place in the record right? look at sources.{source}",
            )
        )


def require_unmixed(
    rows: pl.DataFrame,
    cell: Iterable[str],
    free: Iterable[str],
    place: str,
    advice: str = SPREAD,
) -> None:
    """Refuse to average within a cell over settings that the figure does not name.

    Args:
        rows: samples, or what is told apart of some.
        cell: columns that say in which cell a row lies.
        free: settings that the figure does not name: a cell may hold one value of each.
        place: of the figure in config.yaml.
        advice: what to do where several meet.

    Raises:
        Error: they do; the message names the values and the first such cell.
    """
    here = [*dict.fromkeys(cell)]
    for name in free:
        if rows[name].n_unique() < 2:
            continue
        mixed = rows.select(*here, name).unique().filter(pl.struct(here).is_duplicated())
        if len(mixed):
            raise _mixed(mixed.sort(*here, name), here, name, place, advice)


def _mixed(rows: pl.DataFrame, cell: list[str], name: str, place: str, advice: str) -> Error:
    """The message of a setting whose values meet in a cell; `rows`: sorted, such cells alone."""
    first = dict(zip(cell, rows.select(cell).row(0), strict=True))
    values = rows.filter(*(pl.col(k).eq_missing(pl.lit(v)) for k, v in first.items()))[name]
    listed = ", ".join(map(repr, values.head(SHOWN))) + (" …" if len(values) > SHOWN else "")
    # A source without scorers has none to tell its cells by.
    where = ", ".join(f"{k}={v}" for k, v in first.items() if k not in roles.GRADERS or v)
    return Lasting(
        Mistake(
            place,
            f"would mix {len(values)} values of {name!r} in one cell ({listed} at {where}); "
            + advice.format(name),
        )
    )


def family(pattern: str | None) -> pl.Expr:
    """The family of a problem, out of its `sample_id`; without a pattern, or a match, its own."""
    own = pl.col("sample_id")
    return own if pattern is None else pl.coalesce(own.str.extract(pattern), own)


def require_complete(samples: pl.DataFrame, axes: Mapping[str, str], place: str) -> None:
    """Refuse samples that lie nowhere on an axis.

    Raises:
        Error: a column of `axes` (key in the entry → column) holds nulls.
    """
    for key, name in axes.items():
        if missing := samples[name].null_count():
            logs = samples.filter(pl.col(name).is_null())["log"]
            raise Lasting(
                Mistake(
                    f"{place}.{key}",
                    f"{missing} samples have no {name!r} (first in {logs[0]}); leave them out "
                    "under where, or give them one (default, in the source's params)",
                )
            )


def require_single(samples: pl.DataFrame, place: str, under: str = "pool") -> None:
    """Refuse to count a sample twice that two runs with the same settings hold.

    `under`: key of the entry for columns by which such runs may be told apart.

    Raises:
        Error: two rows share all settings, sample and epoch; the message names both records.
    """
    key = [*roles.settings(samples.columns), "sample_id", "epoch"]
    twice = samples.filter(pl.struct(key).is_duplicated())
    if len(twice):
        first = twice.sort(*key, "log", "line").head(2)
        records = " and ".join(f"{log}:{line}" for log, line in first.select("log", "line").rows())
        raise Lasting(
            Mistake(
                place,
                f"{records} hold the same sample of the same settings; remove one log, "
                f"or tell the runs apart by a column (path, params) and list it under {under}",
            )
        )


def listed_values(figure: Figure) -> Iterator[tuple[str, str, str]]:
    """Key, column and value of what a figure lists without asking for it."""
    for column, labels in figure.names.items():
        for value in labels:
            yield f"names.{column}.{value}", column, spelling(value)
    wanted_keys = figure.wanted()
    for key, (column, values) in figure.spelled().items():
        if key not in wanted_keys:
            yield from ((key, column, spelling(value)) for value in values)


def setting_values(counts: pl.LazyFrame) -> dict[str, list[Any]]:
    """Setting → the values that some counts have of it."""
    values = {
        name: counts.select(pl.col(name).drop_nulls().unique().sort()).collect()[name]
        for name in roles.settings(counts.collect_schema().names())
    }
    return {name: column.to_list() for name, column in values.items()}


def unused_values(figures: Iterable[Figure], sources: Mapping[str, Values]) -> list[Mistake]:
    """Values that `names` calls otherwise, or an order lists, and no sample has: a line for each.

    Figures may share such a list: what one of them has a use for is no mistake of the others.

    Args:
        figures: all.
        sources: source → column → its values; a column that is not there may hold anything.
    """
    idle: dict[tuple[str, str, str], Figure] = {}
    used = set()
    for figure in figures:
        columns = sources.get(figure.source, {})
        for entry in listed_values(figure):
            _, column, value = entry
            if column not in columns or value in map(spelling, columns[column]):
                used.add(entry)
            else:
                idle.setdefault(entry, figure)
    return [
        Mistake(
            f"figures.{figure.name}.{key}",
            f"no sample has {value!r}; {choices(value, sources[figure.source][column])}",
        )
        for (key, column, value), figure in idle.items()
        if (key, column, value) not in used
    ]
