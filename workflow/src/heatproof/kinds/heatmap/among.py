"""What the cells are called with which a cell is compared: those that share its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.entry import Entry


class Among(NamedTuple):
    """Words that follow "best": nothing where all cells of a panel are compared."""

    each: str
    """Of all such cells: ` of each task`."""
    its: str
    """Of one of them: ` of its task`."""
    equal: bool
    """Whether some cell lacks problems of others, so that only equal problems are compared."""


def words(rows: Sequence[Row], entry: Entry) -> Among:
    """The words for a heatmap. `rows`: its cells with `panel`, `x`, `y`, `peers` and `uneven`."""
    equal = any(row["uneven"] for row in rows)
    if not several(rows):
        return Among("", "", equal)
    if axis := along(rows):
        name = title(entry.encoding.x if axis == "x" else entry.encoding.y, entry)
        return Among(f" of each {name}", f" of its {name}", equal)
    return Among(" of cells that share problems", " of those that share its problems", equal)


def title(column: str, entry: Entry) -> str:
    """What a column is called within a sentence."""
    return entry.labels.get(column, column.replace("_", " "))


def several(rows: Sequence[Row]) -> bool:
    """Whether some cells with a value in one panel are not compared with each other."""
    sets = {(row.get("panel"), row["peers"]) for row in rows if row["value"] is not None}
    return len(sets) > len({panel for panel, _ in sets})


def along(rows: Sequence[Row]) -> str | None:
    """The axis on which each set of peers has a value of its own, if there is one."""
    for axis in ("x", "y"):
        told = [row for row in rows if row["peers"] is not None]
        places = {(row.get("panel"), row[axis]) for row in told}
        both = {(row.get("panel"), row[axis], row["peers"]) for row in told}
        if told and len(both) == len(places) == len({row["peers"] for row in told}):
            return axis
    return None
