"""Cells that the user frames: which they are, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl

LABEL = "label"
"""Beside the columns of an item: what its frame means, in words for the lines below."""


def columns(item: Mapping[str, Any]) -> dict[str, Any]:
    """Column → the value that it has in the cells of an item."""
    return {name: value for name, value in item.items() if name != LABEL}


def texts(entry: Entry) -> dict[str, str]:
    """Key in the entry → label of an item."""
    return {
        f"highlight[{n}].{LABEL}": str(item[LABEL])
        for n, item in enumerate(entry.highlight)
        if LABEL in item
    }


def faults(entry: Entry) -> list[str]:
    """Items that name no cell, as far as the config tells."""
    found = []
    for n, item in enumerate(entry.highlight):
        place = f".highlight[{n}]"
        found += [f"{place}: names no column; {choices('', entry.along)}"] * (not columns(item))
        found += [
            f"{place}.{name}: {name!r} lies along no axis and has no panels; "
            f"{choices(name, entry.along)}"
            for name in columns(item)
            if name not in entry.along
        ]
        if not isinstance(item.get(LABEL, ""), str):
            found.append(f"{place}.{LABEL}: {item[LABEL]!r} is not text")
    return found


def of_row(row: Mapping[str, Any], entry: Entry) -> list[int]:
    """The items that name a cell; `row`: of the grid."""
    places = dict(zip(entry.along, entry.places, strict=True))
    return [
        n
        for n, item in enumerate(entry.highlight)
        if all(row[places[name]] == value for name, value in columns(item).items())
    ]


def require_cells(grid: pl.DataFrame, entry: Entry) -> None:
    """Refuse an item that names no cell of the grid.

    Raises:
        Error: with the item, and where it stands.
    """
    named = {n for row in grid.iter_rows(named=True) for n in of_row(row, entry)}
    for n, item in enumerate(entry.highlight):
        if n not in named:
            what = ", ".join(f"{name}: {value}" for name, value in columns(item).items())
            raise Error(
                f"config.yaml: figures.{entry.name}.highlight[{n}]: there is no cell with {what}"
            )


TITLE = "Highlighted"
"""What a cell is told to be that has a frame."""


def words(row: Mapping[str, Any], entry: Entry) -> str:
    """What is told of a cell that has a frame: its labels; empty of others. `row`: of the grid."""
    said = [str(entry.highlight[n].get(LABEL, "")) for n in of_row(row, entry)]
    return ", ".join(dict.fromkeys(filter(None, said))) or "yes" * bool(said)


def meaning(rows: Sequence[Row], entry: Entry) -> str:
    """What frames mean, as far as the user says; empty if none occurs or nothing is said."""
    there = {item for row in rows for item in row.get("highlighted", ())}
    labels = (entry.highlight[n].get(LABEL, "") for n in sorted(there))
    said = ", ".join(dict.fromkeys(str(label) for label in labels if label))
    return f"coloured frame: {said}" if said else ""
