"""The cells of a heatmap in words: numbers to the digit that is known, flags for marks, means."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from heatproof.charts import units, wording
from heatproof.kinds import lattice
from heatproof.kinds import picture as pictures
from heatproof.kinds.heatmap import ordering, reasons, words
from heatproof.kinds.heatmap.cell import (
    Cell,
    Drawn,
    Names,
    Place,
    fields_of,
    read_cells,
    side_unit,
)
from heatproof.kinds.heatmap.verdicts import ALIKE, APART, ITSELF, PAIR_ALIKE, PAIR_APART
from heatproof.kinds.picture import NONE, Latex, escape, tex_line
from heatproof.kinds.question import GROUPS
from heatproof.metrics import is_printed, metric
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, few_digits, fitting_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.charts.colour import Scale
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import DrawnCells, PlainCells, Shown
    from heatproof.kinds.lattice import Line
    from heatproof.kinds.question import Marks, Question

AnyDrawn = TypeVar("AnyDrawn", bound=Drawn)
FRAMES = 3  # peers that may always share the mark of the best; more of them only up to `SHARE`
SHARE = 0.1


def place_labels(cell: Cell) -> list[str]:
    """The labels of a cell, in the order of `Question.along`."""
    return [*cell.panel, cell.y, cell.x]


def shown_cells(grid: Grid, question: Question) -> list[Drawn]:
    """The cells in words, with the marks of the figure."""
    cells = read_cells(grid, question, "tied")
    numbers = all_digits(cells, question)
    sides = side_digits(cells, question)
    return letter_cells(marked_cells(cells, question.marks), numbers, question, sides)


def values_of(cells: PlainCells) -> list[float]:
    """The values of cells that have one."""
    return [cell.value for cell in cells if cell.value is not None]


# ------------------------------------------------------------------------------ rows and columns


def names_of_figure(
    grid: Grid, cells: PlainCells, question: Question, downward: bool | None = None
) -> Names:
    """The words of a figure, of all its cells; `downward`: as in `Names`, not as y has it."""
    labels = question.labels
    if downward is None:
        downward = ordering.is_downward(grid["y"])
    before = []
    for name in question.panels:
        is_number = grid.schema.get(name, pl.String()).is_numeric()
        before.append(wording.column(name, labels) if is_number else "")
    titled = question.relative_to or question.several
    return Names(
        wording.column(question.x, labels),
        wording.column(question.y, labels),
        question.value_title if titled else wording.measure(question.word, labels),
        all_digits(cells, question),
        tuple(before),
        (
            lines_of_axis("x", question.x, grid, cells, question),
            lines_of_axis("y", question.y, grid, cells, question, upward=not downward),
        ),
        downward,
        side_digits(cells, question),
    )


def lines_of_axis(
    axis: str,
    column: str,
    grid: Grid,
    cells: PlainCells,
    question: Question,
    *,
    upward: bool = False,
) -> list[Line]:
    """The lines along x from left to right, or along y from the top; `cells`: all."""
    groups: list[str | None] = [None] * len(grid)
    by = question.grouping.get(column, "")
    if f"group_{axis}" in grid.columns:
        groups = grid[f"group_{axis}"].to_list()
    called = {}
    if by:
        called = question.called(by, [group for group in groups if group])
    labels = {}
    for cell, group in zip(cells, groups, strict=True):
        labels[getattr(cell, axis)] = called.get(group, group or "")
    if upward:
        labels = dict(reversed(labels.items()))
    means = question.means
    return lattice.axis_lines(labels, of_groups=GROUPS in means, of_all=column in means)


def mean_text(cells: PlainCells, digits: Digits, none: str) -> str:
    """The mean of cells as printed; `none`: what stands where there is none."""
    mean = mean_of(cells)
    if mean is None:
        return none
    if all(cell.itself for cell in cells):
        return "0"
    return digits.value(mean)


def mean_of(cells: PlainCells) -> float | None:
    """The unweighted mean of cells, if all have a value; without the baseline, and one itself."""
    counted = [cell for cell in cells if not (cell.itself or cell.meets_itself)] or cells
    values = values_of(counted)
    if not values or len(values) < len(counted):
        return None
    return math.fsum(values) / len(values)


def latex_of_cells(
    panels_of_parts: Mapping[str, Sequence[Sequence[AnyDrawn]]],
    names: Names, text: Callable[[AnyDrawn], str],
    title: str, meanings: Sequence[str], outer: Sequence[Place] = ((),), nested: bool = False,
) -> Latex:  # fmt: skip
    """Cells as a table of LaTeX.

    `panels_of_parts`: title of a part → the panels beside each other in it; `text`: of a cell;
    `title`: over all columns; `outer`: labels of the panels beside each other, which are blocks if
    `nested`.
    """
    columns = list(product(outer, names.lines[0]))
    tex: dict[str, list[str]] = {}
    for title_of_part, panels in panels_of_parts.items():
        rows = [[escape(y.printed)] for y in names.lines[1]]
        for cells in panels:
            for crossing in lattice.crossings(cells, names.lines):
                if crossing.is_mean:
                    mean = mean_text(crossing.cells, names.numbers[crossing.cell.metric], NONE)
                    rows[crossing.row].append(escape(mean))
                else:
                    rows[crossing.row].append(text(crossing.cell))
        for y, texts in zip(names.lines[1], rows, strict=True):
            group = ", ".join(filter(None, (title_of_part, y.group)))
            gap_above = r"\addlinespace " if y.outer else ""
            tex.setdefault(group, []).append(gap_above + tex_line(texts))
    head = _tex_head(columns, names, title, nested=nested)
    return Latex(columns="l".ljust(len(columns) + 1, "r"), head=head, parts=tex, meanings=meanings)


def _tex_head(
    columns: Sequence[tuple[Place, Line]], names: Names, title: str, *, nested: bool
) -> list[str]:
    """The lines above the numbers; `columns`: block and line of each."""
    blocks = [(*block, x.group) for block, x in columns]
    inner = len(blocks[0])
    wide = len(columns)
    head = list[str]()
    for deep in range(1, inner):
        head += pictures.tex_heading(blocks, deep)
    if not nested and columns[-1][1].outer:
        wide -= 1
    if title or not nested:
        head.append(tex_line(["", rf"\multicolumn{{{wide}}}{{c}}{{{escape(title)}}}"]))
    if not nested:
        head.append(rf"\cmidrule(lr){{2-{wide + 1}}}")
    head += pictures.tex_heading(blocks, inner)
    labels = [x.printed for _, x in columns]
    heads = [escape(label) for label in ([names.y] + labels)]
    head.append(tex_line(heads))
    return head


# --------------------------------------------------------------------------------------- numbers


def all_digits(cells: PlainCells, question: Question) -> dict[str, Digits]:
    """Metric → how its values are printed."""
    digits = {}
    for metric_word, alone in question.by_metric().items():
        digits[metric_word] = value_digits(
            [cell for cell in cells if cell.metric == metric_word], alone
        )
    return digits


def value_digits(cells: PlainCells, question: Question) -> Digits:
    """How the values of one metric are printed: percent with a decimal, else as fits the values."""
    form = question.format
    if isinstance(form, dict):
        form = form.get(question.word)
    if form:
        return Digits(form, fixed=True)
    sign = "+" if question.relative_to or question.shows_leads else ""
    written = is_printed(question.word)
    values = values_of(cells)
    if question.shows_percent and not (written and few_digits(values)):
        return Digits(f"{sign}.1f")
    errors = [cell.typical_error or 0.0 for cell in cells if cell.value is not None]
    return Digits(sign + fitting_format(values, errors, _distances(cells), written))


def _distances(cells: PlainCells) -> list[float]:
    """From the best value to the next, of each set of cells that are compared."""
    sets: dict[tuple[Place, int | None], list[Cell]] = {}
    for cell in cells:
        if cell.value is not None:
            sets.setdefault((cell.panel, cell.peers), []).append(cell)
    distances = []
    for peers in sets.values():
        best = values_of([cell for cell in peers if cell.best])
        rivals = values_of([cell for cell in peers if not cell.best])
        if best and rivals:
            apart = [abs(best[0] - rival) for rival in rivals]
            distances.append(min(apart))
    return distances


def side_digits(cells: PlainCells, question: Question) -> Digits | None:
    """How both sides of differences are printed: as finely as these."""
    sides = [cell.side for cell in cells if cell.side]
    if not sides:
        return None
    if side_unit(question) == units.PERCENT:
        return Digits(".1f")
    both = [side.own for side in sides] + [side.base for side in sides]
    values = [value for value in both if value is not None]
    steps = [value_digits(cells, question).step]
    written = is_printed(question.word)
    return Digits(fitting_format(values, gaps=steps, written=written))


def letter_cells(
    cells: PlainCells,
    numbers: Mapping[str, Digits],
    question: Question,
    sides: Digits | None,
    shown: Shown = "none",
    scale: Scale | None = None,
) -> list[Drawn]:
    """The cells with their words and, on a `scale`, the ink that reads best on each.

    `numbers`: metric → how its values are printed; `sides`: how those of both sides of differences
    are; `shown`: what stands on the second line.
    """
    drawn = []
    metrics = {metric_word: metric(metric_word) for metric_word in numbers}
    for cell in cells:
        digits = numbers[cell.metric]
        lettered = Drawn(**fields_of(cell))
        if cell.value is not None:
            lettered.label = digits.value(cell.value, cell.typical_error)
        elif cell.gap:
            lettered.why = cell.gap.words(metrics[cell.metric], question.averaged or "")
        lettered.told = lettered.label or lettered.why
        lettered.margin = _error(cell, digits)
        lettered.error = f"± {lettered.margin}" if lettered.margin else ""
        lettered.between = _between(cell, digits, " to ")
        lettered.size = _size_text(cell)
        lettered.graded = f"{cell.epochs:,} of {cell.expected:,}"
        lettered.spread = spread_text(cell, digits, shown)
        if cell.highlighted:
            lettered.framed_as = words.highlight_words(cell.highlighted, question) or "yes"
        drawn.append(lettered)
    if scale:
        ink_rows(drawn, scale)
    if sides:
        return _letter_sides(drawn, question, sides)
    if question.pair and not question.pair.is_alike:
        _letter_pairs(drawn, question)
    return drawn


def _letter_pairs(cells: Sequence[Drawn], question: Question) -> None:
    """How two values stand, and how often each is ahead."""
    for cell in cells:
        if cell.tally is None:
            continue
        cell.tallied = " : ".join(f"{count:,}" for count in cell.tally)
        if cell.doubt:
            cell.stands = reasons.doubt_words_of(cell.doubt, question)
        elif cell.apart is not None:
            cell.stands = PAIR_APART if cell.apart else PAIR_ALIKE


def ink_rows(cells: DrawnCells, scale: Scale) -> None:
    """Give each cell of a panel the ink that reads best on it, row by row."""
    rows: dict[tuple[Place, str], list[Drawn]] = {}
    for cell in cells:
        rows.setdefault((cell.panel, cell.y), []).append(cell)
    for row in rows.values():
        inks = scale.row_inks([cell.value for cell in row])
        for cell, ink in zip(row, inks, strict=True):
            cell.ink = ink


def _size_text(cell: Cell) -> str:
    """Of how many problems a cell is."""
    if cell.side is not None:
        size = cell.side.problems
        if cell.printed:
            return ""
    else:
        size = cell.size_of_problems
    if size is None:
        return "–"
    return f"{size:,}"


def _letter_sides(cells: list[Drawn], question: Question, digits: Digits) -> list[Drawn]:
    """Both sides of differences; what differs is bold."""
    marked = question.uncertainty not in ("none", "stars") and question.marks != "none"
    for cell in cells:
        if cell.side is None:
            continue
        cell.own_told = _side_text(cell.side.own, digits)
        cell.base_told = _side_text(cell.side.base, digits)
        cell.bold = cell.differs and marked
        if cell.itself:
            cell.stands = ITSELF
            cell.label = "0"
            cell.told = f"0, {ITSELF}"
        elif cell.judged:
            cell.stands = APART if cell.differs else ALIKE
        elif cell.doubt:
            cell.stands = reasons.doubt_words_of(cell.doubt, question)
    return cells


def _side_text(value: float | None, digits: Digits) -> str:
    """A cell, or its baseline, as printed; empty where it has no value."""
    if value is None:
        return ""
    return digits.value(value)


def _between(cell: Cell, digits: Digits, joint: str) -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return ""
    ends = [digits.end(end, cell.value, cell.typical_error) for end in (cell.low, cell.high)]
    return joint.join(ends)


def _error(cell: Cell, digits: Digits) -> str:
    """The standard error of a value as printed; empty where it is not known."""
    if cell.se is None or cell.value is None:
        return ""
    return digits.error(cell.se, cell.value)


def spread_text(cell: Cell, digits: Digits, shown: Shown) -> str:
    """The uncertainty of a cell as printed; empty where it is not known or not asked for."""
    if shown == "std":
        return cell.noted
    if shown == "se":
        error = _error(cell, digits)
        return f"±{error}" if error else ""
    if shown == "stars":
        return cell.stars
    if shown == "interval":
        return _between(cell, digits, " to " if "+" in digits.spec else "–")
    return ""


def cell_answers(cells: DrawnCells, question: Question) -> dict[str, str]:
    """Tooltip of cells: title → expression of its text, for what is known of any cell."""
    facts = words.cell_facts(question) | {"Highlighted": "framed_as", "Verdict": "stands"}
    answers = {question.value_title: "datum.told"}
    for title, name in facts.items():
        if any(getattr(cell, name) for cell in cells):
            answers[title] = f"datum.{name}"
    return answers


# --------------------------------------------------------------------------------------- verdicts


def marked_cells(cells: PlainCells, verdict: Marks, *, in_full: bool = False) -> list[Cell]:
    """The cells with the marks of a verdict.

    `bold`: the best, unless all its peers tie, or too many share it and nothing is judged.
    `dotted`: the rest of the tied set, unless it is all peers. `in_full`, as tables have them, the
    best is bold, judged or not, and the tied set is dotted even if it is all peers.
    """
    groups: dict[int | None, list[Cell]] = {}
    for cell in cells:
        if not cell.missing:
            groups.setdefault(cell.peers, []).append(cell)
    all_tied = set()
    judged = set()
    crowds = set()
    for number, peers in groups.items():
        tied = sum(cell.tied for cell in peers)
        if tied:
            judged.add(number)
        of_pairs = peers[0].tally is not None
        if tied == len(peers) and not of_pairs:
            all_tied.add(number)
        if sum(cell.best for cell in peers) > max(FRAMES, SHARE * len(peers)):
            crowds.add(number)
    hidden = crowds if in_full else all_tied | (crowds - judged)
    level = set() if in_full else all_tied
    marked = []
    for cell in cells:
        bold = cell.best and cell.peers not in hidden
        dotted = cell.tied and not bold and cell.peers not in level
        changed = structs.replace(cell, bold=bold, dotted=dotted and verdict == "dots")
        marked.append(changed)
    return marked
