"""What is known, before any job, of the values that the columns of a source hold.

The logs of a shard that was read before, by the same code and settings, hold the values found
then: `normalize` leaves them beside the receipts, under the key of all that it read. Of logs that
are new, their paths may tell. What is not known for certain is left to `aggregate`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config.entries import spelling
from heatproof.samples import tables
from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure, Source


FOLDER = Path(".snakemake/heatproof/values")
VALUES_AT_MOST = 1000
"""Values of a column that are kept; of more, none is."""

Values = dict[str, list[Any]]
"""Column → its values, for those columns of which all are known."""


class LastValues(msgspec.Struct):
    """The values in a shard."""

    key: str
    """Of all that the shard was read from."""
    values: Values


def note_values(
    values: Mapping[str, Collection[Any]], source: str, shard: str, key: str, root: Path = Path()
) -> None:
    """Leave the values that the columns of a shard hold for the next run."""
    few = {name: sorted(found) for name, found in values.items() if len(found) <= VALUES_AT_MOST}
    path = root / FOLDER / source / f"{shard}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    tables.write_bytes(msgspec.json.encode(LastValues(key, few)), path)


def read_values(source: str, shard: str, key: str, root: Path) -> Values | None:
    """The values of a shard; None unless it was read just so."""
    path = root / FOLDER / source / f"{shard}.json"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=LastValues)
    except (OSError, msgspec.DecodeError):
        return None
    return found.values if found.key == key else None


def values_of_paths(source: Source, paths: Iterable[str]) -> list[Values]:
    """What the paths of logs tell of all samples in them; logs without a sample are left out."""
    told = (source.from_path(path) for path in paths)
    rows = (one for one in told if one is not None)
    return [{name: [value] for name, value in row.items()} for row in rows]


def union_of_values(parts: Sequence[Values]) -> Values:
    """The values of all parts, of columns that each part tells of."""
    if not parts:
        return {}
    common = set.intersection(*(set(part) for part in parts))
    merged = {name: {value for part in parts for value in part[name]} for name in sorted(common)}
    return {name: sorted(values - {None}) for name, values in merged.items()}


def problems(figure: Figure, values: Values) -> list[str]:
    """Values that a figure asks for and no sample has: place, value, and those there are."""
    return [
        f"config.yaml: figures.{figure.name}.{key}: no sample has {value!r}; "
        f"{choices(value, values[column])}"
        for key, (column, wanted) in figure.wanted().items()
        if column in values
        for value in wanted
        if value not in values[column]
    ]


def unborne(figures: Iterable[Figure], values: Mapping[str, Values]) -> list[str]:
    """Values that `names` calls otherwise, or an order lists, and no sample has: a line for each.

    Figures may share such a list: what one of them has a use for is no mistake of the others.

    Args:
        figures: all.
        values: source → what is known of it; a column that is not told of may hold anything.
    """
    known = {source: {column: {*map(spelling, found)} for column, found in of.items()}
             for source, of in values.items()}  # fmt: skip
    idle: dict[tuple[str, str, str], Figure] = {}
    used = set()
    for figure in figures:
        for key, column, name in listed(figure):
            there = known.get(figure.source, {}).get(column)
            if there is None or name in there:
                used.add((key, column, name))
            else:
                idle.setdefault((key, column, name), figure)
    return [
        f"config.yaml: figures.{figure.name}.{key}: no sample has {name!r}; "
        f"{choices(name, values[figure.source][column])}"
        for (key, column, name), figure in idle.items()
        if (key, column, name) not in used
    ]


def listed(figure: Figure) -> Iterator[tuple[str, str, str]]:
    """Key, column and value of what a figure lists without asking for it."""
    for column, names in figure.names.items():
        for name in names:
            yield f"names.{column}.{name}", column, spelling(name)
    asked = figure.wanted()
    for key, (column, values) in figure.spelled().items():
        for value in values if key not in asked else ():
            yield key, column, spelling(value)
