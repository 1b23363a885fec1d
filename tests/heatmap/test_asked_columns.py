"""How many panels stand in a row: as the user says, as long as there is anything to be seen."""

from typing import Any

import pytest

from support.heatmaps import grid, panels, spec


def is_first(panel: dict[str, Any]) -> bool:
    """Whether a panel has labels along y: the first of each row has."""
    channels = (layer.get("encoding", {}).get("y", {}) for layer in panel["layer"])
    return any(channel.get("axis") for channel in channels)


@pytest.mark.parametrize(
    ("asked", "width", "cells", "rows"),
    [
        (1, "7in", 5, [1, 1, 1, 1]),
        (2, "7in", 5, [2, 2]),
        (3, "7in", 5, [3, 1]),
        (4, "7in", 5, [4]),
        (4, "3in", 5, [3, 1]),
        (4, "3in", 100, [1, 1, 1, 1]),
    ],
)
def test_panels_in_a_row_are_as_many_as_asked_for(
    asked: int, width: str, cells: int, rows: list[int]
) -> None:
    """Or as many as leave cells that can be seen; equally many in each row but the last."""
    ratios = tuple(number / cells for number in range(cells))
    chart = spec(grid(ratios=ratios), columns=asked, width=width)
    starts = [number for number, panel in enumerate(panels(chart)) if is_first(panel)]
    assert starts == [sum(rows[:number]) for number in range(len(rows))]


@pytest.mark.parametrize(("columns", "higher"), [(1, False), (2, False), (4, True)])
def test_a_width_makes_cells_higher_only_where_one_row_has_all_panels(
    columns: int, higher: bool
) -> None:
    """In several rows it makes them wider."""
    frame = grid(ratios=(0.0, 0.5))
    usual, wide = (
        panels(spec(frame, columns=columns, **keys))[0]["height"] for keys in ({}, {"width": "7in"})
    )
    assert (wide > usual) == higher
