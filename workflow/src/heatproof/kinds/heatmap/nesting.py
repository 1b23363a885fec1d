"""Nested axes: a list of columns along x or y, so that a figure is one strip of blocks of cells.

The last column of a list lies along the axis. Those before it part the strip into blocks, which
are judged as panels are, and which brackets beyond the labels of the axis name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds.heatmap import reasons
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry

MOST = 3
"""Columns that may lie along one axis: of more nobody reads the brackets."""


def levels(given: str | Sequence[str]) -> list[str]:
    """The columns along an axis, the outermost first."""
    return [given] if isinstance(given, str) else [*given] or [""]


def _keys(entry: Entry, axis: str) -> dict[str, str]:
    given = getattr(entry.encoding, axis)
    if isinstance(given, str):
        return {f"encoding.{axis}": given}
    return {f"encoding.{axis}[{n}]": column for n, column in enumerate(given)}


def inner_keys(entry: Entry) -> dict[str, str]:
    """Key in the entry → the innermost column along x, and along y."""
    return dict([*_keys(entry, "x").items()][-1:] + [*_keys(entry, "y").items()][-1:])


def outer_keys(entry: Entry) -> dict[str, str]:
    """Key in the entry → each column that parts the strip into blocks; those along y first."""
    return dict([*_keys(entry, "y").items()][:-1] + [*_keys(entry, "x").items()][:-1])


def upward(entry: Entry) -> list[str]:
    """Columns of blocks along y: their first value is lowest, and blocks are counted downwards."""
    return levels(entry.encoding.y)[:-1]


def said(entry: Entry) -> tuple[str, str]:
    """What lies along x and y, for the middle of a sentence: `Ratio within each Task`."""
    x, y = (
        " within each ".join(wording.column(name, entry.labels) or name for name in columns[::-1])
        for columns in (levels(entry.encoding.x), levels(entry.encoding.y))
    )
    return x, y


NAMED = 3
"""Groups that are spelled out at most."""


def empty_words(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What would leave no cell empty where each value along an axis is of one block alone."""
    return [
        words
        for axis, line in (("x", "columns"), ("y", "rows"))
        for words in _empty_words(grid, entry, axis, line)
    ]


def _empty_words(grid: pl.DataFrame, entry: Entry, axis: str, line: str) -> list[str]:
    *outer, inner = levels(getattr(entry.encoding, axis))
    if not outer:
        return []
    there = grid.filter(pl.col("gap").is_null() | (pl.col("gap") != reasons.NOTHING))
    pairs = there.select(*outer, axis).unique(maintain_order=True)
    many = grid.select(*outer, axis).n_unique()
    blocks: dict[str, list[str]] = {}
    for *names, value in pairs.iter_rows():
        blocks.setdefault(" ".join(map(str, names)), []).append(str(value))
    if pairs[axis].n_unique() < len(pairs) or len(blocks) < 2 or len(pairs) == len(blocks):
        return []
    named = [f"{name}: [{', '.join(those)}]" for name, those in blocks.items()]
    more = [*named[:NAMED], *["…"] * (len(named) > NAMED)]
    none = f"{many - len(pairs):,} of {many:,} {line} are empty"
    groups = f"`groups: {{{inner}: {{{', '.join(more)}}}}}`"
    why = f"each {inner} is of one {' and '.join(outer)} alone"
    cure = f"`{axis}: {inner}` with {groups} has no empty ones"
    return [f"room for its cells: {none}, as {why}; {cure}"]


def mistakes(entry: Entry) -> list[str]:
    """What does not go with blocks of one strip."""
    key = next(iter(outer_keys(entry))).partition("[")[0]
    panels = {"panel": entry.panel, "row": entry.row, "column": entry.column}
    found = [
        f".{word}: {column!r} beside nested axes ({key}): they make the blocks of one strip; put "
        f"{column!r} in the list, or take one of them out"
        for word, column in panels.items()
        if column
    ]
    lone = {"columns": entry.columns, "letters": entry.letters}
    return found + [
        f".{word}: {given!r}: it is of panels, and nested axes ({key}) make blocks of one strip"
        for word, given in lone.items()
        if given is not None
    ]


def listed(entry: Entry) -> list[str]:
    """Lists along an axis that hold no column, or too many."""
    return [
        f".encoding.{axis}: lists {len(given) or 'no'} columns; there may be 1 to {MOST}"
        for axis in ("x", "y")
        for given in (getattr(entry.encoding, axis),)
        if not isinstance(given, str) and not 1 <= len(given) <= MOST
    ]


def misscaled(entry: Entry) -> list[str]:
    """A scale for each row or column of blocks, where the axis is not nested that makes them."""
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    if not axis or len(levels(getattr(entry.encoding, axis))) > 1:
        return []
    return [f".scale: {entry.scale!r}: encoding.{axis} lists no second column to part it into them"]
