"""What a heatmap says of its cells: meanings of marks, facts, what is read out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from heatproof.charts import wording
from heatproof.charts.sheet import LIKE
from heatproof.kinds import states
from heatproof.kinds.heatmap import printed, reasons
from heatproof.kinds.heatmap.cell import valued_cells
from heatproof.kinds.heatmap.unmarked import ALONE, NO_MARK, cells_without_mark, unmarked
from heatproof.kinds.heatmap.verdicts import APART, ITSELF, PAIR_ALIKE
from heatproof.kinds.looks import INCOMPLETE, MISSING, TIED
from heatproof.kinds.picture import Remark
from heatproof.kinds.question import GROUPS, LABEL, axis_columns
from heatproof.metrics import PRINTED, is_printed, metric
from heatproof.statistics import STARS
from heatproof.util.numerals import TICK, numbered, show, span, spanned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Drawn, DrawnCells, Names, PlainCells
    from heatproof.kinds.heatmap.reasons import Scope
    from heatproof.kinds.picture import Legend
    from heatproof.kinds.question import Question

# ------------------------------------------------------------------------------ what marks mean

ERROR_MARKS = {"se": "±", "interval": "range", "std": "±", "stars": "*, **, ***"}
"""How each stands beside values."""
ERRORS = {
    "se": ("standard error", " over problems"),
    "interval": (f"95\u00a0% interval{LIKE}", ""),
}
"""Uncertainty → what it is, in a few words, and what there is to add."""
COUNTED_ERRORS = {
    "se": ("standard error from counts alone, too small for problems like these",
           " (over problems × samples)"),
    "interval": ("95\u00a0% interval from counts alone, too narrow for problems like these",
                 " (Wilson's, over problems × samples)"),
}  # fmt: skip
"""The same where it is made up which problems were solved."""
GAPS_NAMED = 2  # reasons why cells have no value that the figure itself names, at most
SPOKEN_AT_MOST = 3  # places of the highest that are read out; of more, only the number is

Said = TypeVar("Said")  # what is said of some metrics
Words = tuple[str, str]
"""What a mark means, in a few words, and what those add that have room for it."""


def error_words(cells: DrawnCells, uncertainty: str) -> Words:
    """What the uncertainty of these cells is; empty where none is shown."""
    if uncertainty not in ERRORS:
        return "", ""
    if any(cell.printed for cell in cells):
        return printed.ERRORS[uncertainty]
    made_up = any(cell.counted for cell in cells)
    return (COUNTED_ERRORS if made_up else ERRORS)[uncertainty]


def _top_of(cells: DrawnCells, question: Question, which: str) -> str:
    """`highest of each task`, where `which` is `each`."""
    return f"{question.best}{reasons.figure_scope(cells, question).of(which)}"


def _bold(_: DrawnCells, cells: DrawnCells, question: Question) -> Words:
    top = _top_of(cells, question, "each")
    uneven = any(cell.uneven for cell in cells)
    return f"{top} on equal problems" if uneven else top, ""


def _alike(cells: DrawnCells, question: Question) -> str:
    return f"cannot be told apart from the {_top_of(cells, question, 'its')}"


def _tied(marked: DrawnCells, cells: DrawnCells, question: Question) -> Words:
    size = spanned((cell.samples for cell in marked), "problems")
    how = f"95\u00a0%, paired test on {size}"
    if reasons.is_growing(cells, question):
        how += ", at every look"
    return _alike(cells, question), f" ({how}{LIKE})"


def _differs(_: DrawnCells, cells: DrawnCells, question: Question) -> Words:
    return APART, f" (95\u00a0% interval, {together_words(cells, question)}{LIKE})"


def star_words(cells: DrawnCells, question: Question) -> Words:
    """What stars mean, with their levels."""
    percents = ", ".join(show(100 * level, TICK) for level in STARS)
    return f"{APART} at {percents}\u00a0%", f" ({together_words(cells, question)}{LIKE})"


def _difference(_: DrawnCells, __: DrawnCells, question: Question) -> Words:
    measure = wording.measure(question.word, question.labels)
    shared = "" if is_printed(question.word) else ", on shared problems"
    return f"{measure} minus that of the baseline ({baseline_name(question)})", shared


def _pair_alike(_: DrawnCells, cells: DrawnCells, question: Question) -> Words:
    pairs = sum(cell.apart is not None for cell in cells) // 2
    how = "95\u00a0% interval, paired t"
    if pairs > 1:
        how = f"{how}, Bonferroni for all {pairs:,} pairs"
    center = question.center or 0
    return PAIR_ALIKE, f" ({center:g} is in the {how}{LIKE})"


def _gaps(marked: DrawnCells, _: DrawnCells, __: Question) -> Words:
    """Why cells have no value; where there is no record, that comes first."""
    gap_kinds = {cell.gap.kind for cell in marked if cell.gap}
    texts = []
    for kind, state in states.GAPS.items():
        if state.is_empty and kind in gap_kinds:
            texts.append(state.words)
    begun = {cell.why for cell in marked if not cell.state.is_empty}
    texts += sorted(begun)
    if len(texts) <= GAPS_NAMED:
        return (", or ".join(texts), "")
    return ("no value", f": {', or '.join(texts)}")


def _frames(marked: DrawnCells, _: DrawnCells, question: Question) -> Words:
    items: set[int] = set()
    for cell in marked:
        items.update(cell.highlighted)
    return highlight_words(items, question), ""


def _frame(cell: Drawn, _: Scope, question: Question) -> str:
    if not cell.highlighted:
        return ""
    label = highlight_words(cell.highlighted, question)
    return f"highlighted: {label}" if label else "highlighted"


def _lacks(cell: Drawn, _: Scope, question: Question) -> str:
    if cell.missing or not cell.incomplete:
        return ""
    return f"incomplete: {reasons.lack_words(cell, metric(question.word))}"


def _top(cell: Drawn, scope: Scope, question: Question) -> str:
    if not cell.best:
        return ""
    equal = " on equal problems" if cell.uneven else ""
    return f"{question.best} of its {scope.name or 'panel'}{equal}"


def _like_top(cell: Drawn, scope: Scope, question: Question) -> str:
    if cell.best or not cell.tied:
        return ""
    scope_words = ""
    if scope.name:
        scope_words = f" of its {scope.name}"
    return f"cannot be told apart from the {question.best}{scope_words}"


def _below_top(cell: Drawn, scope: Scope, question: Question) -> str:
    """Of a cell that was compared; of one that was not, why."""
    if cell.missing or cell.tied:
        return ""
    if cell.doubt:
        return reasons.doubt_words_of(cell.doubt, question)
    within = ""
    if scope.name:
        within = f" of its {scope.name}"
    if cell.chance:
        return f"not the {question.best}{within}"
    return ""


class Meaning(NamedTuple):
    """What a mark means, in all texts."""

    occurs: Callable[[Drawn], object]  # whether a cell has it
    words: Callable[[DrawnCells, DrawnCells, Question], Words]
    """For figures, captions, LaTeX and tables; from the cells that have it, and all of a figure."""
    page: Callable[[Drawn, Scope, Question], str] = lambda *_: ""
    """For the page, of one cell, perhaps empty; the second argument: `reasons.figure_scope`."""
    spoken: str = ""
    """For alternative texts, behind the number of cells; of gaps `states.GAPS` has it."""


def _flag(name: str) -> Callable[[Drawn], object]:
    return lambda cell: getattr(cell, name)


_UNFINISHED = Meaning(_flag("incomplete"), lambda *_: ("incomplete", ""), _lacks, "incomplete")
_DOTTED = Meaning(_flag("dotted"), _tied)
MEANINGS: Mapping[str, Meaning] = {
    "bold": Meaning(_flag("bold"), _bold, _top),
    "ring": Meaning(_flag("bold"), _bold),
    TIED.sign: _DOTTED,
    TIED.mark: Meaning(_flag("dotted"), _tied, _like_top),
    "no mark": Meaning(_flag("chance"), lambda *_: ("", ""), _below_top),
    "coloured frame": Meaning(_flag("highlighted"), _frames, _frame),
    INCOMPLETE.mark: _UNFINISHED,
    MISSING.mark: Meaning(_flag("missing"), _gaps, lambda cell, *_: cell.why),
}
BESIDE: Mapping[str, Meaning] = {
    "Δ": Meaning(_flag("stands"), _difference, lambda cell, *_: cell.stands),
    **MEANINGS,
    "bold": Meaning(_flag("bold"), _differs),
    "dot": Meaning(_flag("bold"), _differs),
    "no mark": Meaning(_flag("chance"), lambda *_: ("", "")),
    "0": Meaning(_flag("itself"), lambda *_: (ITSELF, "")),
}
"""The same of differences from a baseline."""
PAIRED: Mapping[str, Meaning] = {
    **MEANINGS,
    "•": Meaning(_flag("dotted"), _pair_alike),
    "dot": Meaning(_flag("dotted"), _pair_alike),
    "no mark": Meaning(_flag("chance"), lambda *_: ("", "")),
}
"""The same of numbers about two values."""


def meanings_of(question: Question) -> Mapping[str, Meaning]:
    """What marks mean in a figure."""
    if question.pair:
        return PAIRED
    return BESIDE if question.relative_to else MEANINGS


def mark_meanings(legend_parts: Legend, cells: DrawnCells, question: Question) -> list[Remark]:
    """The meanings of marks that occur, among other remarks, in the order of `legend_parts`.

    Where metrics are marked by different ends, their names are added. `more` stands once.
    """
    remarks: list[Remark] = []
    for legend_part in legend_parts:
        if isinstance(legend_part, str):
            additions = {remark.more for remark in remarks}
            for remark in _meanings(legend_part, cells, question) if legend_part else ():
                remarks.append(remark._replace(more="") if remark.more in additions else remark)
                additions.add(remark.more)
        elif legend_part.words:
            remarks.append(legend_part)
    return remarks


def _meanings(mark: str, cells: DrawnCells, question: Question) -> list[Remark]:
    """What a mark means, perhaps for some metrics and for others."""
    meanings = meanings_of(question)
    meanings_of_metrics = []
    for alone in question.by_best():
        metrics = alone.metric_keys().values()
        metric_cells = [cell for cell in cells if cell.metric in metrics]
        marked = [cell for cell in metric_cells if meanings[mark].occurs(cell)]
        if marked:
            words = meanings[mark].words(marked, metric_cells, alone)
            meanings_of_metrics.append(((mark, *words), alone))
    told_meanings = by_metrics(meanings_of_metrics, question)
    remarks = []
    for (shown_mark, text, addition), metric_names in told_meanings:
        if text:
            remarks.append(Remark(text + metric_names, addition, mark=shown_mark))
    return remarks


def by_metrics(
    texts: Iterable[tuple[Said, Question]], question: Question
) -> list[tuple[Said, str]]:
    """Each text once; with it the names of its metrics, unless it holds for all."""
    metrics: dict[Said, list[str]] = {}
    for text, alone in texts:
        names = [
            wording.measure(metric_word, question.labels)
            for metric_word in alone.metric_keys().values()
        ]
        metrics.setdefault(text, []).extend(names)
    number = len(question.metric_keys())
    texts_told = []
    for text, listed in metrics.items():
        texts_told.append((text, f" ({', '.join(listed)})" if len(listed) < number else ""))
    return texts_told


def doubts(cells: DrawnCells, question: Question) -> list[str]:
    """Why cells are not judged that have a mark, or lie beside one, and how many if others are."""
    valued = valued_cells(cells)
    silent = {cell.number for cell in cells_without_mark(valued, question)}
    texts = []
    for metric_word, alone in question.by_metric().items():
        metric_cells = [cell for cell in valued if cell.metric == metric_word]
        kinds = Counter(cell.doubt for cell in metric_cells if cell.number not in silent)
        for kind, size in kinds.items():
            if kind:
                text = reasons.doubt_words_of(kind, alone)
                if size < len(metric_cells):
                    text += f" ({size:,} of {len(metric_cells):,} cells)"
                texts.append((text, alone))
    return [text + metric_names for text, metric_names in by_metrics(texts, question)]


def caveats(question: Question) -> list[Remark]:
    """What is to be known of metrics."""
    texts = []
    for metric_word, alone in question.by_metric().items():
        shown_metric = metric(metric_word)
        if shown_metric.join:
            texts.append(((shown_metric.caveat, shown_metric.printed), alone))
    told_caveats = by_metrics(texts, question)
    return [
        Remark(text + metric_names, below=False, is_counted=is_n)
        for (text, is_n), metric_names in told_caveats
    ]


def table_remarks(cells: DrawnCells, question: Question) -> list[Remark]:
    """What marks mean in a table, or why there are none."""
    marks = ["bold", TIED.sign]
    silent = unmarked(cells, question)
    return mark_meanings(marks + silent + [INCOMPLETE.sign, MISSING.sign], cells, question)


def latex_remarks(cells: DrawnCells, question: Question, error: bool) -> list[Remark]:
    """The same in LaTeX, with what ± and missing numbers mean."""
    text, addition = error_words(cells, "se")
    legend_parts: Legend = [*caveats(question), *table_remarks(cells, question)]
    if question.relative_to:
        legend_parts = baseline_parts(cells, question, values=True)
        text, addition = "standard error of the difference", ""
    if error and any(cell.se is not None for cell in cells):
        legend_parts.append(Remark(text, addition, mark="±"))
    if any(cell.stars for cell in cells):
        text, addition = star_words(cells, question)
        legend_parts.append(Remark(text, addition, mark=ERROR_MARKS["stars"]))
    return mark_meanings(legend_parts, cells, question)


def _rival_words(cell: Drawn, cells: DrawnCells) -> str:
    """Of the best of its peers, how many cannot be told apart from it."""
    if not (cell.best and cell.chance):
        return ""
    group = cell.panel, cell.peers
    peers = [other for other in cells if (other.panel, other.peers) == group]
    rivals = sum(other.tied for other in peers) - 1
    if rivals > 0:
        return f"{numbered(rivals, 'other')} cannot be told apart from it"
    return "all others can be told apart from it" if len(peers) > 1 else ""


def page_flags(cells: DrawnCells, limits: Sequence[str], question: Question) -> list[list[str]]:
    """What the page says of each cell; `limits`: `states.asked_words` of each."""
    alone = set(reasons.untested(cells))
    scope = reasons.figure_scope(cells, question)
    meanings = meanings_of(question).values()
    flags = []
    questions = question.by_metric()
    for cell, limit in zip(cells, limits, strict=True):
        texts = [meaning.page(cell, scope, questions[cell.metric]) for meaning in meanings]
        if not question.relative_to:
            texts.append(_rival_words(cell, cells))
        if cell.number in alone:
            texts.append(ALONE)
        if limit and not question.relative_to:
            texts.append(f"asked for {limit}")
        flags.append(list(dict.fromkeys(filter(None, texts))))
    return flags


def note_title(question: Question) -> str:
    """What `annotate` prints, in words."""
    if question.beside is None:
        return wording.column(question.noted, question.labels) or question.noted
    if question.deviates:
        return f"standard deviation over {wording.column(question.deviates, question.labels)}"
    name = wording.measure(question.noted, question.labels)
    if question.beside.shows_percent and "%" not in name:
        return f"{name} (%)"
    return name


def note_words(cells: DrawnCells, question: Question) -> str:
    """The same, with how many values deviations are of."""
    numbers = [cell.values or 0 for cell in cells if cell.deviation is not None]
    title = note_title(question)
    if numbers:
        return f"{title} (n = {span(numbers)})"
    return title


def highlight_words(items: Iterable[int], question: Question) -> str:
    """The labels of some items of `highlight`."""
    labels = []
    for number in sorted(items):
        item = question.highlight[number]
        label = item.get(LABEL)
        if label:
            labels.append(str(label))
    return ", ".join(dict.fromkeys(labels))


# --------------------------------------------------------------------------- beside a baseline


def baseline_name(question: Question) -> str:
    """`Ratio 1, Model base`, or as `labels` says."""
    label = question.labels.get("relative_to")
    if label:
        return label
    names = []
    for name, value in question.relative_to.items():
        called = question.called(name, [value])[value]
        names.append(f"{wording.column(name, question.labels)} {called}")
    return ", ".join(names)


def baseline_parts(cells: DrawnCells, question: Question, values: bool) -> Legend:
    """Marks of differences, for `mark_meanings`, and why some have no interval."""
    legend_parts: Legend = ["Δ", "bold" if values else "dot"]
    marked = question.uncertainty not in ("none", "stars") and question.marks != "none"
    judged = any(cell.judged for cell in cells)
    if marked and judged and not any(cell.differs for cell in cells):
        _, how = _differs(cells, cells, question)
        legend_parts.append(Remark(f"no cell {APART}", how))
    legend_parts.append("0" if values else "")
    if marked:
        differences = [cell for cell in cells if not (cell.missing or cell.itself)]
        total = numbered(len(differences), "cell")
        why = Counter(cell.doubtful for cell in cells if cell.doubtful)
        for kind, number in why.items():
            reason = states.DOUBTS[kind].format(metric=question.word)
            text = f"no interval, {reason} ({number:,} of {total})"
            legend_parts.append(Remark(text, mark=NO_MARK))
    return legend_parts


def together_words(cells: DrawnCells, question: Question) -> str:
    """The cells for which intervals of differences hold together."""
    has_panels = len({cell.panel for cell in cells}) > 1
    panel_words = "the figure"
    if has_panels:
        panel_words = f"each {panel_noun(question)}"
    return f"paired, for all cells of {panel_words} together"


def panel_noun(question: Question) -> str:
    """What its panels are called."""
    return "block" if question.nested else "panel"


def means_words(cells: DrawnCells, question: Question) -> str:
    """Of what there are means: `groups, rows and columns, each over its cells`."""
    nouns = {GROUPS: "groups", question.x: "rows", question.y: "columns"}
    mean_nouns = [noun for column, noun in nouns.items() if column in question.means]
    *first, last = mean_nouns
    words = last
    if first:
        first_nouns = ", ".join(first)
        words = f"{first_nouns} and {last}"
    if first and GROUPS in question.means:
        words += ", each over its cells"
    if any(cell.itself for cell in cells):
        words += ", without the baseline itself"
    if any(cell.meets_itself for cell in cells):
        words += ", without each against itself"
    return words


# --------------------------------------------------------------------------- cells and panels


def cell_facts(question: Question) -> dict[str, str]:
    """Title → column of a row: the facts of a cell beside its value, in all texts."""
    is_aggregate = is_printed(question.word)
    if question.relative_to:
        columns = {
            "Its own": "own_told",
            "Baseline": "base_told",
            "Shared problems": "size",
            "Standard error": "error",
            "95\u00a0% interval, for all cells of a panel together": "between",
        }
    elif question.pair:
        title = question.instances.title()
        columns = {"95 % interval": "between", title: "size"}
        if not question.pair.is_alike:
            columns |= {"Row ahead : equal : column ahead": "tallied", "Verdict": "stands"}
    else:
        size = "Problems, as printed" if is_aggregate else "Problems"
        columns = {"Standard error": "error", "95 % interval": "between", size: "size"}
    columns["Printed numbers" if is_aggregate else "Graded rows"] = "graded"
    if question.annotate:
        columns[note_title(question)] = "noted"
    return columns


def counts_words(cells: PlainCells, noun: str, problems_noun: str = "problems") -> str:
    """How many problems and samples cells with a value rest on; `noun`: what they are called.

    `problems_noun`: what its problems are called.
    """
    valued = valued_cells(cells)
    if not valued:
        return f"No {noun} has a value"
    if valued[0].printed:
        return f"{wording.sentence(PRINTED)}; {printed.printed_counts_words(valued, noun)}"
    problems = [cell.samples for cell in valued]
    graded = [cell.epochs for cell in valued]
    size = spanned(problems, problems_noun)
    sizes = f"{size} per {noun}"
    if span(problems) == span(graded):
        return sizes
    return f"{sizes}, {spanned(graded, 'graded samples')}"


def axis_words(question: Question) -> tuple[str, str]:
    """The columns along x and y: `Ratio within each Task`."""
    axes = []
    for columns in (question.encoding.x, question.encoding.y):
        inner, *outer = axis_columns(columns)[::-1]
        names = filter(None, [inner, question.grouping.get(inner), *outer])
        texts = (wording.column(name, question.labels) or name for name in names)
        axes.append(" within each ".join(texts))
    return axes[0], axes[1]


def spoken_panel(
    title: str, cells: DrawnCells, question: Question, names: Names, judged: str = ""
) -> str:
    """A panel in words; `judged`: its verdict."""
    valued = [cell for cell in cells if not (cell.missing or cell.itself)]
    opening = f"{title}: " if title else ""
    if not valued:
        none = "data"
        if any(cell.incomplete for cell in cells):
            none = "value"
        return f"{opening}no {none} in any of its cells."
    by_value = sorted(valued, key=lambda cell: cell.value or 0.0)
    lowest, highest = by_value[0], by_value[-1].value
    top = next(cell for cell in by_value if cell.value == highest)
    low = names.digits.value(lowest.value or 0.0, lowest.typical_error)
    high = names.digits.value(top.value or 0.0, top.typical_error)
    count = numbered(len(valued), "cell")
    texts = [f"{opening}{names.value} from {low} to {high} in {count}"]
    bold_cells = [cell for cell in valued if cell.bold]
    places = [f"{names.x} {cell.x}, {names.y} {cell.y}" for cell in bold_cells]
    if places and not question.relative_to:
        place_words = f"at {' and at '.join(places)}"
        if len(places) > SPOKEN_AT_MOST:
            place_words = f"in {len(places)} cells"
        top_words, _ = _bold(valued, cells, question)
        texts.append(f"{top_words} {place_words}")
    tied_others = 0
    if places:
        tied_others = sum(cell.tied and not cell.bold for cell in valued)
    if judged:
        texts.append(judged)
    elif tied_others:
        texts.append(f"{numbered(tied_others, 'other')} {_alike(cells, question)}")
    texts.append(reasons.untested_words(cells))
    texts += _spoken_states(cells)
    return "; ".join(filter(None, texts)) + "."


def _spoken_states(cells: DrawnCells) -> list[str]:
    """How many cells have no value, or are incomplete."""
    spoken = Counter[str]()
    for cell in cells:
        if cell.missing:
            spoken[cell.state.spoken] += 1
        elif cell.incomplete:
            spoken[_UNFINISHED.spoken] += 1
    order = dict.fromkeys(state.spoken for state in states.GAPS.values())
    order[_UNFINISHED.spoken] = None
    there = [text for text in order if text and spoken[text]]
    return [f"{spoken[text]} {text}" for text in there]
