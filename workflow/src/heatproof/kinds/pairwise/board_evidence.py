"""Behind the squares and densities of a board: what is told of each that is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.pairwise import bins, board, board_words, words
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.board import Board, Duel
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

Story = dict[str, Any]
FACTS = (*bins.FACTS, board_words.INTERVAL, "Verdict", "x ahead", "Equal", "y ahead")
"""What is told of a square; of a bin the first two."""
LISTED = 20
"""Instances of a square that are named."""


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """`panels`, `facts` and `cells`: the squares in the order of the board, then the densities.

    Densities stand there where a board of so many models has any, for it is known to the drawing
    alone whether they had room.
    """
    titles = entry.titles
    shown = board.read(grid, entry)
    starts = {pair: n for n, pair in enumerate(_pairs(grid))}
    size = words.across(grid) ** 2
    behind = []
    for duel in shown.duels:
        pair = (duel.row, duel.column) if duel.turned else (duel.column, duel.row)
        start = starts[pair] * size
        behind.append(found["cells"][start : start + size])
    squares = [
        {"facts": _facts(duel), **_listed(cells)}
        for duel, cells in zip(shown.duels, behind, strict=True)
    ]
    panels = [_panel(duel.column, duel.row, titles) | {"one": True} for duel in shown.duels]
    if len(entry.models) > board.MOST:
        return {"panels": panels, "facts": [*FACTS], "cells": squares}
    panels += [_panel(duel.row, duel.column, titles) for duel in shown.duels]
    dense = [
        cell
        for duel, cells in zip(shown.duels, behind, strict=True)
        for cell in _density(duel, cells, shown)
    ]
    return {"panels": panels, "facts": [*FACTS], "cells": [*squares, *dense]}


def _pairs(grid: pl.DataFrame) -> list[tuple[str, str]]:
    return grid.select("x_model", "y_model").unique(maintain_order=True).rows()


def _panel(x: str, y: str, titles: Mapping[str, str]) -> Story:
    return {
        "pick": [["x_model", x], ["y_model", y]],
        "words": "",
        "x": f"x: {titles[x]}",
        "y": f"y: {titles[y]}",
    }


def _facts(duel: Duel) -> list[str | None]:
    told = [board_words.between(duel), board_words.verdict(duel)]
    told += [f"{count:,}" if duel.judged else "" for count in (duel.won, duel.ties, duel.lost)]
    return [f"{duel.n:,}", show(duel.lead, bins.SIGNED), *(one or None for one in told)]


def _listed(cells: Sequence[Mapping[str, Any]]) -> Story:
    """The first instances of a pair, over all bins, and how many more there are."""
    named = [n for cell in cells for n in cell["pairs"]]
    total = len(named) + sum(cell["more"] for cell in cells)
    return {"pairs": named[:LISTED], "more": total - len(named[:LISTED])}


def _density(duel: Duel, cells: Sequence[Mapping[str, Any]], shown: Board) -> list[Story]:
    """The cells of a density, row by row from below: the row's model of the square is its x."""
    across = shown.across
    held = {
        (round(row["x0"] * across), round(row["y0"] * across)): row["difference"]
        for row in duel.bins
    }
    found = []
    for y in range(across):
        for x in range(across):
            cell = cells[y * across + x] if duel.turned else cells[x * across + y]
            lead = held.get((x, y))
            said = None if lead is None else show(lead, bins.SIGNED)
            count = len(cell["pairs"]) + cell["more"]
            facts = [f"{count:,}", said, *[None] * (len(FACTS) - len(bins.FACTS))]
            found.append({"facts": facts, **cell})
    return found
