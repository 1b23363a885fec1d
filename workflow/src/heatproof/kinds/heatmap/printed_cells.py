"""The numbers that a figure of cells prints, for papers (`kinds.printed_values`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import structs

from heatproof.charts import wording
from heatproof.config.choice import single_values
from heatproof.config.entries import spelling
from heatproof.kinds.columns import NOTE
from heatproof.kinds.heatmap import cells, problem_counts, reasons
from heatproof.kinds.heatmap.cell import side_unit
from heatproof.kinds.printed_values import (
    Exact,
    PrintedCell,
    PrintedDifference,
    PrintedFigure,
    PrintedPanel,
    canonical_address,
)
from heatproof.util.numerals import numbered, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.units import Unit
    from heatproof.kinds.cell_figure import Cells
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import Drawn, DrawnCells, Place
    from heatproof.kinds.heatmap.problem_counts import CellPair, Plain
    from heatproof.kinds.printed_values import Standing
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import GridRow


PLAIN = re.compile(r"[−+]?[\d,]+(\.\d+)?")
"""Values of which differences are printed, with as many decimals; no 12.3k."""


def printed_values(grid: Grid, entry: Cells) -> PrintedFigure:
    """The numbers of a figure of cells, in the order of its grid."""
    question = entry.question
    rows = cells.shown_cells(grid, question)
    printed = []
    for row, values in zip(rows, grid.iter_rows(named=True), strict=True):
        places = question.grid_columns.items()
        address = {column: spelling(values[place]) for column, place in places}
        names = dict(zip(question.along, cells.place_labels(row), strict=True))
        cell = _printed_cell(row, address, names, question)
        cell.exact = structs.replace(cell.exact, beside=list(_numbers_beside(values, entry)))
        printed.append(cell)
    _add_standings(rows, printed, question)
    figure = PrintedFigure(
        title=entry.title or "",
        metrics=list(question.by_metric()),
        percent=question.shows_percent,
        columns={column: wording.column(column, question.labels) for column in question.along},
        missing=sum(row.missing or row.incomplete for row in rows),
    )
    for column, value in single_values(question.where).items():
        figure.fixed[column] = spelling(value)
    if not question.relative_to and isinstance(question.best, str):
        figure.ends = question.best
    for cell in printed:
        figure.add(cell)
    for panel in _printed_panels(rows, printed, question):
        figure.panels[canonical_address(panel.address)] = panel
    return figure


def _numbers_beside(row: GridRow, entry: Cells) -> Iterator[float]:
    """The numbers of a cell beside its value, such as those along x of a scatter chart."""
    question = entry.question
    ways = {}
    for along_x in entry.questions()[1:]:
        ways["x_value"] = along_x.unit.value
    if note := question.beside:
        ways[NOTE] = note.unit.value
        if question.deviates:
            ways[NOTE] = note.unit.span
    if question.relative_to:
        ways |= dict.fromkeys(("own_value", "baseline_value"), side_unit(question).value)
    for column, number_format in ways.items():
        if row.get(column) is not None:
            yield number_format(row[column])


def _printed_cell(
    row: Drawn, address: dict[str, str], names: dict[str, str], question: Question
) -> PrintedCell:
    low, _, high = row.between.partition(" to ")
    size = row.size_of_problems
    if row.side is not None:
        size = row.side.problems
    exact = Exact(row.value, row.se, row.low, row.high, size, row.epochs)
    cell = PrintedCell(
        address=address,
        names=names,
        value=row.label,
        se=row.error.removeprefix("± "),
        interval=row.between,
        low=low,
        high=high,
        n="" if row.missing or not size else f"{size:,}",
        exact=exact,
    )
    if row.missing:
        cell.standing, cell.verdict = "missing", row.why or "no value"
    elif row.judged:
        cell.standing = "differs" if row.differs else "alike"
        cell.verdict = row.stands
    elif row.stands:
        if row.apart is not None:
            cell.standing = "differs" if row.apart else "alike"
        cell.verdict = row.stands
    elif row.doubt:
        cell.verdict = reasons.doubt_words_of(row.doubt, question)
    return cell


def _add_standings(rows: DrawnCells, printed: Sequence[PrintedCell], question: Question) -> None:
    """How each cell stands among its peers."""
    peers: dict[int | None, list[tuple[Drawn, PrintedCell]]] = {}
    for row, cell in zip(rows, printed, strict=True):
        if cell.standing == "unjudged" and not cell.verdict:
            peers.setdefault(row.peers, []).append((row, cell))
    for number, among in peers.items():
        tied = sum(row.tied for row, _ in among)
        judged = number is not None and tied > 0
        ends = question.best_of(among[0][0].metric)
        for row, cell in among:
            cell.standing = "unjudged"
            if judged:
                cell.standing = _standing_beside_best(row, level=tied == len(among))
            cell.verdict = VERDICTS[cell.standing].format(ends=ends)
            if cell.standing == "best" and tied > 1:
                cell.verdict += f"; {numbered(tied - 1, 'other')} cannot be told apart from it"


def add_differences(figure: PrintedFigure, panels: Sequence[Plain], entry: Cells) -> None:
    """Add all pairs of cells of a panel, both ways round; `panels`: counts of problems."""
    question = entry.question
    listed = list(figure.cells.items())
    for pair in problem_counts.cell_pairs(panels, question):
        first, cell = listed[pair.first]
        second, other = listed[pair.second]
        if not (PLAIN.fullmatch(cell.value) and PLAIN.fullmatch(other.value)):
            continue
        spec = f".{max(len(text.partition('.')[2]) for text in (cell.value, other.value))}f"
        for start, end, turned in ((first, second, pair), (second, first, pair.turned())):
            difference = _printed_difference(turned, question.unit, spec)
            figure.differences.setdefault(start, {})[end] = difference


def _printed_difference(pair: CellPair, unit: Unit, spec: str) -> PrintedDifference:
    printed = PrintedDifference(
        value=show(unit.span(pair.difference), spec), n=f"{pair.problems:,}"
    )
    if pair.low is not None and pair.high is not None:
        printed.low = show(unit.span(pair.low), spec)
        printed.high = show(unit.span(pair.high), spec)
        printed.interval = f"{printed.low} to {printed.high}"
    return printed


FEW = 3  # of several best cells that are named
VERDICTS: Mapping[Standing, str] = {
    "level": "no setting is clearly {ends}",
    "best": "{ends}",
    "tied": "cannot be told apart from the {ends}",
    "behind": "can be told apart from the {ends}",
    "unjudged": "not judged",
}


def _standing_beside_best(row: Drawn, *, level: bool) -> Standing:
    """How a cell stands beside the best of its peers; `level`: none of them is told apart."""
    if level:
        return "level"
    if row.best:
        return "best"
    return "tied" if row.tied else "behind"


def _printed_panels(
    rows: DrawnCells, printed: Sequence[PrintedCell], question: Question
) -> list[PrintedPanel]:
    """The panels of a figure, each with its one best cell."""
    panels: dict[Place, list[int]] = {}
    for number, row in enumerate(rows):
        panels.setdefault(row.panel, []).append(number)
    listed = []
    for numbers in panels.values():
        first = printed[numbers[0]].address
        panel = PrintedPanel(address={column: first[column] for column in question.panels})
        best = [printed[number] for number in numbers if rows[number].best]
        if best:
            panel.best = best[0].value
            panel.setting = " or ".join(_place_words(cell, question) for cell in best[:FEW])
        listed.append(panel)
    return listed


def _place_words(cell: PrintedCell, question: Question) -> str:
    """Where a cell lies in its panel: `window 32, ratio 0.4`."""
    axes = question.y, question.x
    return ", ".join(f"{wording.column(c, question.labels)} {cell.names[c]}" for c in axes)
