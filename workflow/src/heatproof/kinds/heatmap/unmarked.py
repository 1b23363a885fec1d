"""Why cells that could have a mark have none: the highest is not known, or they are not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import states
from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.cell import valued_cells
from heatproof.kinds.heatmap.verdicts import NAMED_AT_MOST, why_no_top
from heatproof.kinds.picture import Remark
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.kinds.heatmap.cell import Drawn, DrawnCells, Place
    from heatproof.kinds.question import Question

NO_MARK = "no mark"
ALONE = "not compared, no problem in common with others"


def unmarked(cells: DrawnCells, question: Question) -> list[Remark]:
    """Why sets of cells have no mark; where there is more than one reason, also which sets."""
    valued = valued_cells(cells)
    cells_of: dict[str, list[Drawn]] = {}
    for metric_word, alone in question.by_metric().items():
        top = f"{alone.best}{reasons.figure_scope(cells, question).of('its')}"
        for cell in cells_without_mark(valued, alone):
            if cell.metric == metric_word:
                reason = _reason(cell, alone, top)
                cells_of.setdefault(reason, []).append(cell)
    cells_of.pop("", None)
    remarks = []
    for reason, silent in cells_of.items():
        mark = NO_MARK
        if len(cells_of) > 1 and not silent[0].chance:
            place = _place_words(silent, valued)
            mark += f" in {place}"
        remarks.append(Remark(reason, mark=mark))
    return remarks


def cells_without_mark(valued: DrawnCells, question: Question) -> list[Drawn]:
    """The cells of sets of which none has a mark; not those that are alone in their panel."""
    if question.marks == "none":
        return []
    sets: dict[tuple[Place, int | None], list[Drawn]] = {}
    sizes: dict[Place, int] = {}
    for cell in valued:
        number = cell.peers
        if question.pair:
            number = cell.number
        sets.setdefault((cell.panel, number), []).append(cell)
        sizes[cell.panel] = sizes.get(cell.panel, 0) + 1
    silent = []
    for (panel, _), peers in sets.items():
        marked = any(cell.bold or cell.dotted for cell in peers)
        if sizes[panel] > 1 and not marked:
            silent += peers
    return silent


def _reason(cell: Drawn, question: Question, top: str) -> str:
    """Why the set of a cell has no mark; empty where a pair is told apart."""
    if cell.doubt:
        return f"not judged, {states.DOUBTS[cell.doubt].format(metric=question.word)}"
    if question.pair:
        return ""
    if cell.chance:
        return why_no_top(cell.chance, top)
    if cell.peers is None:
        return ALONE
    return f"several share the {question.best} value"


def _place_words(silent: DrawnCells, valued: DrawnCells) -> str:
    """The panels, columns or rows that some cells fill, or how many cells these are."""
    numbers = {cell.number for cell in silent}
    names_of: Sequence[Callable[[Drawn], str]] = (
        lambda cell: ", ".join(cell.panel), lambda cell: cell.x, lambda cell: cell.y,
    )  # fmt: skip
    for name_of in names_of:
        names = list(dict.fromkeys(map(name_of, silent)))
        filled = {cell.number for cell in valued if name_of(cell) in names}
        if filled == numbers and len(names) <= NAMED_AT_MOST:
            return ", ".join(names)
    return numbered(len(silent), "cell")
