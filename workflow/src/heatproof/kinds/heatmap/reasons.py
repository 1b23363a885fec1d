"""In words why a cell has no value, is not compared, or holds a part of its data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from heatproof.kinds import states
from heatproof.kinds.states import asked_words, read_gap
from heatproof.metrics import metric
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import Cell, PlainCells
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import GridRow
    from heatproof.metrics import Metric


def gap_words(row: GridRow, question: Question, prefix: str = "") -> str:
    """Why a row of the grid of one metric has no value; empty where it has one."""
    gap = read_gap(row, prefix)
    if gap:
        return gap.words(metric(question.word), question.averaged or "")
    return ""


def doubt_codes(grid: Grid) -> list[str]:
    """Codes of why cells are not judged, each once."""
    codes = grid["unjudged"].drop_nulls()
    return list(dict.fromkeys(codes))


def doubt_words_of(kind: str, question: Question) -> str:
    """Why cells of the figure of one metric are not judged, or have no interval."""
    return states.doubt_words(
        kind, question.word, paired=bool(question.relative_to or question.pair)
    )


def untested(cells: PlainCells) -> list[int]:
    """Numbers of cells with a value that share no problems with any other, in panels of others."""
    judged = {cell.panel for cell in cells if cell.tied}
    alone = (c for c in cells if not (c.missing or c.tally) and c.peers is None)
    return [cell.number for cell in alone if cell.panel in judged]


def untested_words(cells: PlainCells) -> str:
    """How many cells are `untested`; empty if none."""
    number = len(untested(cells))
    if not number:
        return ""
    shares = "share" if number > 1 else "shares"
    count = numbered(number, "cell")
    return f"{count} {shares} no problem with others: not compared"


EVERY_LOOK = (
    "Records are missing, so this is one look of several at a sweep that grows: verdicts hold at "
    "every look, if problems come in an order that has nothing to do with results"
)
"""Measured (`tests/bench/coverage.py looks`): see docs/statistics.md."""


def is_growing(cells: PlainCells, question: Question) -> bool:
    """Whether verdicts on these cells are to hold at every look, as `judged.grown_part` has it."""
    if question.looks is not None:
        return question.looks == "many"
    return any(cell.epochs < cell.expected for cell in cells)


def lack_words(cell: Cell, shown_metric: Metric) -> str:
    """What a cell with a value lacks: problems tried often enough, or rows."""
    if cell.tried:
        samples_needed = f"{shown_metric.k} samples"
        return f"{cell.samples:,} of {cell.tried:,} problems have {samples_needed} or more"
    rows = "printed numbers" if shown_metric.printed else "graded rows"
    what_of = ""
    if shown_metric.of != "score" and not shown_metric.printed:
        what_of = f" with {shown_metric.of}"
    lacking = f"{cell.epochs:,} of {cell.expected:,} {rows}{what_of}"
    # One that failed may have been done again, and then lacks no more.
    failed = min(cell.failed_records or 0, cell.expected - cell.epochs)
    if failed:
        return f"{lacking}, {failed:,} failed"
    return lacking


def asked_by_all(grid: Grid) -> str:
    """`asked for 20 of 100 problems of the data set`, of a whole figure."""
    sizes = grid.select("asked", "dataset", "asked_tasks")
    rows = sizes.iter_rows(named=True)
    texts = {asked_words(row) for row in rows}
    limits = list(texts - {""})
    if not limits:
        return ""
    cells_words = "in some cells " if "" in texts else ""
    return (
        f"{cells_words}asked for {limits[0] if len(limits) == 1 else 'only a part of the data set'}"
    )


def among_title(column: str, question: Question) -> str:
    """A column's name within a sentence."""
    return question.labels.get(column) or column.replace("_", " ")


class Scope(NamedTuple):
    """Among which cells each is compared."""

    kind: Literal["all", "panel", "blocks", "axis", "sets"]
    name: str  # `task`, `panel`; empty for all

    def of(self, which: str) -> str:
        """` of each task`, where `which` is `each`; empty where all of a panel are compared."""
        if self.kind in ("all", "panel"):
            return ""
        return f" of {which} {self.name}"


SETS = Scope("sets", "set of cells that share problems")


def scope(cells: PlainCells, question: Question) -> Scope:
    """The axis within whose values the cells of a panel are compared, if not all are.

    A cell without peers is a set of its own.
    """
    valued = [cell for cell in cells if cell.value is not None]
    panels = {cell.panel for cell in valued}
    groups = {(cell.panel, cell.peers) for cell in valued}
    if len(groups) <= len(panels):
        return Scope("all", "")
    sets = []
    for number, cell in enumerate(valued):
        sets.append(f"{number} alone" if cell.peers is None else f"{cell.peers}")
    x_lines = [(cell.panel, cell.x) for cell in valued]
    y_lines = [(cell.panel, cell.y) for cell in valued]
    for column, lines in ((question.x, x_lines), (question.y, y_lines)):
        if len(set(zip(lines, sets, strict=True))) == len(set(lines)) == len(set(sets)):
            return Scope("axis", among_title(column, question))
    return SETS


def figure_scope(cells: PlainCells, question: Question) -> Scope:
    """The same of the cells of a figure: within panels, or within blocks of nested axes by name."""
    panel_scope = scope(cells, question)
    if question.nested and panel_scope != SETS:
        names = [among_title(name, question) for name in question.panels]
        if panel_scope.name:
            names += [panel_scope.name]
        return Scope("blocks", " and ".join(names))
    has_panels = len({cell.panel for cell in cells}) > 1
    if has_panels and panel_scope.kind == "all":
        return Scope("panel", "panel")
    return panel_scope
