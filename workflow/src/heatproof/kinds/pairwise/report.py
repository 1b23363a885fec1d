"""What the page tells of pairs: the squares of a board, then its densities; or panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.pair_records import TITLES, pair_records, story_of_instances
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.question import AGAINST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.columns import Grid, Partial, Portions
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.picture import Picture, Story

ALONE = {"name": "", "values": [""], "words": [""]}
"""An axis of panels of one cell."""


def records(
    samples: Portions,
    entry: Entry,
    grid: Grid,
    partial: Partial = None,
) -> Story:
    """The instances of each pair, and where their records lie."""
    return pair_records(samples, entry.question, grid, partial)


def story(records: Mapping[str, Any], entry: Entry, grid: Grid, _: Picture) -> Story:
    """What the page says of each pair, as plain values.

    `cells` with `facts`, `parts` (the instances, each with x − y) and `logs`: first the squares of
    a board, then its densities, for which the drawing may have no room.
    """
    drawn_pairs = pairs.read_pairs(grid, entry)
    if entry.board:
        board = pairs.read_board(grid, entry)
        drawn_pairs = board.pairs
        if len(entry.models) <= pairs.MOST:
            drawn_pairs = board.pairs + board.turned
    number_of = {}
    for number, (value, other) in enumerate(grid.select("y", "x").iter_rows()):
        number_of[str(value), str(other)] = number
    panels: list[Story] = []
    cells: list[Story] = []
    question = entry.question
    for pair in drawn_pairs:
        pick = [[entry.compare, pair.x], [AGAINST, pair.y]]
        names = {"x": f"x: {entry.titles[pair.x]}", "y": f"y: {entry.titles[pair.y]}"}
        panels.append({"pick": pick, "words": "", "one": True, **names})
        behind = records["cells"][number_of[pair.x, pair.y]]
        parts = story_of_instances(behind, question)
        cells.append({"facts": _facts(pair), "parts": parts, "logs": behind["logs"]})
    titles = []
    for title in _facts(drawn_pairs[0]):
        if any(cell["facts"][title] for cell in cells):
            titles.append(title)
    for cell in cells:
        cell["facts"] = [cell["facts"][title] or None for title in titles]
    return {
        "x": ALONE, "y": ALONE, "panels": panels, "facts": titles, "parts": TITLES[0],
        "part": "x − y", "cells": cells, "logs": records["logs"],
    }  # fmt: skip


def _facts(pair: pairs.Pair) -> dict[str, str]:
    """What a square prints, with its interval and its test."""
    value, *_ = pair.texts()
    won, ties, lost = pair.tallies
    return {
        pairs.WON if pair.rate else pairs.DIFFERENCE: value,
        "Instances": f"{pair.n:,}",
        pairs.INTERVAL: pair.between,
        "Verdict": pair.verdict,
        "x ahead": won,
        "Equal": ties,
        "y ahead": lost,
    }
