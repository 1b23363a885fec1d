"""What is remarked on a heatmap of panels: its marks, what has no mark, what its colours hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.sheet import LIKE
from heatproof.kinds import states
from heatproof.kinds.heatmap import words
from heatproof.kinds.heatmap.panels import all_cells
from heatproof.kinds.heatmap.unmarked import unmarked
from heatproof.kinds.heatmap.verdicts import no_top
from heatproof.kinds.looks import INCOMPLETE, MISSING
from heatproof.kinds.picture import Remark, aside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof.kinds.heatmap.cell import DrawnCells
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import AllPanels, Panel
    from heatproof.kinds.picture import Legend
    from heatproof.kinds.question import Question


def figure_remarks(
    panels: AllPanels, entry: Entry, errors: bool, values: bool, labels: bool = False
) -> list[Remark]:
    """What the marks of a heatmap mean, and what else readers must know.

    `errors`: there is room for the second lines. `values`: cells have numbers. `labels`: some of
    the axes are bold.
    """
    question = entry.question
    cells = all_cells(panels)
    legend_parts: Legend = []
    if question.pair:
        legend_parts.append(Remark(f"in each cell: {question.pair.words}"))
    if question.relative_to:
        legend_parts += words.baseline_parts(cells, question, values)
    else:
        legend_parts += ["bold" if values else "ring", "dot"]
    legend_parts.append("coloured frame")
    if labels:
        legend_parts.append(_bold_labels(panels))
    if not question.relative_to:
        legend_parts += unmarked(cells, question)
    legend_parts += [MISSING.mark, INCOMPLETE.mark]
    legend_parts.append(_second_line(cells, question, errors, values=entry.text is not False))
    legend_parts += words.caveats(question)
    judged = question.marks != "none" and question.uncertainty == "tied"
    if judged and any(cell.counted for cell in cells):
        legend_parts.append(aside(states.doubt_words(states.MADE_UP, question.word)))
    legend_parts += [aside(_values_beyond(panels)), aside(_calm(panels))]
    return words.mark_meanings(legend_parts, cells, question)


def colour_words(entry: Entry) -> str:
    """How values become colours, where that is not as usual."""
    question = entry.question
    texts = []
    for metric_word, alone in question.by_metric().items():
        text = entry.color(metric_word).words()
        if text:
            texts.append((text, alone))
    return ". ".join(
        text + metric_names for text, metric_names in words.by_metrics(texts, question)
    )


def _best_ends(panels: Iterable[Panel]) -> str:
    """Which ends are best in some panels: `highest or lowest`; empty without panels."""
    return " or ".join(dict.fromkeys(f"{panel.question.best}" for panel in panels))


def _second_line(cells: DrawnCells, question: Question, errors: bool, *, values: bool) -> Remark:
    """What stands below the values of cells; `errors`: there is room for it.

    `values`: where these are left out, a note may stand in their place.
    """
    if question.annotate:
        title = words.note_words(cells, question)
        if not values:
            return Remark(f"in the cells: {title}")
        if errors:
            return Remark(f"below each value: {title}")
        return aside(f"{title}: no room in the cells, see the table")
    if not any(cell.spread for cell in cells):
        return Remark("")
    if not errors:
        return aside("uncertainty: no room in the cells, see the table")
    text, addition = _error_words(cells, question)
    return Remark(text, addition, mark=words.ERROR_MARKS[question.uncertainty])


def _error_words(cells: DrawnCells, question: Question) -> words.Words:
    """What stands below values, of a number or of a difference."""
    text, addition = words.error_words(cells, question.uncertainty)
    if question.pair and text:
        together = "of each pair by itself"
        if question.pair.lead:
            together = "for all pairs together (Bonferroni)"
        return f"{text}, {together}", addition
    if not question.relative_to:
        return text, addition
    if question.uncertainty == "stars":
        return words.star_words(cells, question)
    if question.uncertainty == "interval":
        return f"{text} of the difference", f" ({words.together_words(cells, question)})"
    return "standard error of the difference", ""


def _bold_labels(panels: AllPanels) -> Remark:
    """What bold labels of axes mean."""
    ends = _best_ends(panel for panel in panels if panel.verdict.tops)
    if not ends:
        return Remark("")
    text = f"bold label: on average {ends}, or not told apart from it"
    return Remark(text, f" (95\u00a0%{LIKE})")


def _calm(panels: AllPanels) -> str:
    """Why colours differ less than they could."""
    ends = _best_ends(panel for panel in panels if panel.bar and panel.bar.calm)
    if not ends:
        return ""
    return f"where {no_top(ends)}, colours span twice the spread of equal settings"


def _values_beyond(panels: AllPanels) -> str:
    """How many values lie beyond the ends of the colours."""
    sides = {"below": 0, "above": 0}
    for panel in panels:
        if panel.bar is None:
            continue
        low, high = panel.bar.scale.domain
        values = [cell.value for cell in panel.rows if cell.value is not None]
        sides["below"] += sum(value < low for value in values)
        sides["above"] += sum(value > high for value in values)
    beyond = ", ".join(f"{number:,} {side}" for side, number in sides.items() if number)
    return f"beyond the colour bar, drawn like its ends: {beyond}" if beyond else ""
