"""What a heatmap says: meanings of its marks, verdicts, facts of its cells, what is read out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from heatproof.charts import wording
from heatproof.charts.sheet import LIKE
from heatproof.kinds import states
from heatproof.kinds.heatmap import printed, reasons
from heatproof.kinds.heatmap.judged import ALPHA
from heatproof.kinds.picture import Remark, aside
from heatproof.kinds.question import GROUPS, LABEL, METRIC, levels
from heatproof.metrics import PRINTED, is_printed, metric
from heatproof.util.numerals import numbered, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Cell, Chance, Drawn, Place
    from heatproof.kinds.heatmap.cells import Names, Panel
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.reasons import Scope
    from heatproof.kinds.question import Question
    from heatproof.util.lazy import polars as pl
    from heatproof.util.numerals import Digits

# ------------------------------------------------------------------------------ what marks mean

ERROR_MARKS = {"se": "±", "interval": "range", "std": "±"}  # how each stands beside values
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
SPOKEN_AT_MOST = 3  # places of the highest that are read out; of more, only the number is
NAMED_AT_MOST = 4  # values of an axis that are named at most

Said = TypeVar("Said")  # what is said of some metrics
Words = tuple[str, str]
"""What a mark means, in a few words, and what those add that have room for it."""


def error_words(rows: Sequence[Drawn], uncertainty: str) -> Words:
    """What the uncertainty of these rows is; empty where none is shown."""
    if uncertainty not in ERRORS:
        return "", ""
    if any(row.printed for row in rows):
        return printed.ERRORS[uncertainty]
    return (COUNTED_ERRORS if any(row.counted for row in rows) else ERRORS)[uncertainty]


def _top_of(rows: Sequence[Drawn], question: Question, which: str) -> str:
    """`highest of each task`, where `which` is `each`."""
    return f"{question.best}{reasons.figure_scope(rows, question).of(which)}"


def _bold(_: Sequence[Drawn], rows: Sequence[Drawn], question: Question) -> Words:
    equal = " on equal problems" * any(row.uneven for row in rows)
    return _top_of(rows, question, "each") + equal, ""


def _beyond_top(question: Question) -> str:
    return f"significantly {'above' if question.best == 'lowest' else 'below'}"


def _alike(rows: Sequence[Drawn], question: Question) -> str:
    return f"cannot be told apart from the {_top_of(rows, question, 'its')}"


def _tied(marked: Sequence[Drawn], rows: Sequence[Drawn], question: Question) -> Words:
    how = f"95\u00a0%, paired test on {span(row.samples for row in marked)} problems"
    if reasons.is_growing(rows, question):
        how += ", at every look"
    return _alike(rows, question), f" ({how}{LIKE})"


def _apart(marked: Sequence[Drawn], rows: Sequence[Drawn], question: Question) -> Words:
    _, how = _tied(marked, rows, question)
    return f"not the {_top_of(rows, question, 'its')}", how


def _differs(_: Sequence[Drawn], rows: Sequence[Drawn], question: Question) -> Words:
    return APART, f" (95\u00a0% interval, {_together(rows, question)}{LIKE})"


def _difference(_: Sequence[Drawn], __: Sequence[Drawn], question: Question) -> Words:
    what = wording.measure(question.word, question.labels)
    shared = "" if is_printed(question.word) else ", on shared problems"
    return f"{what} minus that of the baseline ({baseline_name(question)})", shared


def _gaps(marked: Sequence[Drawn], _: Sequence[Drawn], __: Question) -> Words:
    """Why cells have no value; where there is no record, that comes first."""
    there = {row.gap.kind for row in marked if row.gap}
    empty = [kind for kind, state in states.GAPS.items() if state.is_empty and kind in there]
    texts = [states.GAPS[kind].words for kind in empty]
    others = [row for row in marked if not row.state.is_empty]
    texts += sorted({row.why for row in others})
    return (texts[0], "") if len(texts) == 1 else ("no value", f": {', or '.join(texts)}")


def _frames(marked: Sequence[Drawn], _: Sequence[Drawn], question: Question) -> Words:
    return highlight_words({n for row in marked for n in row.highlighted}, question), ""


def _frame(row: Drawn, _: Scope, question: Question) -> str:
    if not row.highlighted:
        return ""
    label = highlight_words(row.highlighted, question)
    return f"highlighted: {label}" if label else "highlighted"


def _lacks(row: Drawn, _: Scope, question: Question) -> str:
    if row.missing or not row.incomplete:
        return ""
    return f"incomplete: {reasons.lack_words(row, metric(question.word))}"


def _top(row: Drawn, scope: Scope, question: Question) -> str:
    if not row.best:
        return ""
    equal = " on equal problems" if row.uneven else ""
    return f"{question.best} of its {scope.name or 'panel'}{equal}"


def _like_top(row: Drawn, scope: Scope, question: Question) -> str:
    if row.best or not row.tied:
        return ""
    within = f" of its {scope.name}" if scope.name else ""
    return f"cannot be told apart from the {question.best}{within}"


class Meaning(NamedTuple):
    """What a mark means, in all texts."""

    occurs: Callable[[Drawn], object]  # whether a cell has it
    words: Callable[[Sequence[Drawn], Sequence[Drawn], Question], Words]
    """For figures, captions, LaTeX and tables; from the cells that have it, and all of a figure."""
    page: Callable[[Drawn, Scope, Question], str] = lambda *_: ""
    """For the page, of one cell, perhaps empty; the second argument: `reasons.figure_scope`."""
    spoken: str = ""
    """For alternative texts, behind the number of cells; of gaps `states.GAPS` has it."""


def _flag(name: str) -> Callable[[Drawn], object]:
    return lambda row: getattr(row, name)


_HATCHED = Meaning(lambda row: row.missing and not row.incomplete, _gaps, lambda row, *_: row.why)
_LACKING = Meaning(
    lambda row: row.missing and row.incomplete,
    lambda *_: ("incomplete, no value", ": the table says why"),
)
_UNFINISHED = Meaning(
    lambda row: row.incomplete and not row.missing,
    lambda *_: ("incomplete", ""),
    _lacks,
    "incomplete",
)
_DAGGER = Meaning(lambda row: row.outlined and not row.bold, _tied)
_MISSING = Meaning(_flag("missing"), _gaps)
MEANINGS: Mapping[str, Meaning] = {
    "bold": Meaning(_flag("bold"), _bold, _top),
    "framed": Meaning(_flag("framed"), _bold),
    "bold, framed": Meaning(_flag("framed"), _bold),
    "outline": Meaning(_flag("outlined"), _tied, _like_top),
    "dagger": _DAGGER,
    "†": _DAGGER,
    "dot": Meaning(_flag("dotted"), _tied),
    "grey": Meaning(_flag("grey"), _apart),
    "bar below": Meaning(_flag("excluded"), _apart),
    "underlined": Meaning(_flag("excluded"), _apart),
    "coloured frame": Meaning(_flag("highlighted"), _frames, _frame),
    "hatched": _HATCHED,
    "hatched, filled corner": _LACKING,
    "filled corner": _UNFINISHED,
    "hollow": _UNFINISHED,
    "italics": _UNFINISHED,
    "–": _MISSING,
    "--": _MISSING,
    "no bar": _MISSING,
    "×": _MISSING,
}
OTHERWISE = {"bold, framed": ("bold",)}  # mark → the one that is explained where no cell has it
BESIDE: Mapping[str, Meaning] = {
    "Δ": Meaning(_flag("stands"), _difference, lambda row, *_: row.stands),
    **MEANINGS,
    "bold": Meaning(_flag("bold"), _differs),
    "dot": Meaning(_flag("bold"), _differs),
    "0": Meaning(_flag("itself"), lambda *_: (ITSELF, "")),
}
"""The same of differences from a baseline."""


def explain(
    parts: Sequence[str | Remark], rows: Sequence[Drawn], question: Question
) -> list[Remark]:
    """The meanings of marks that occur, among other remarks, in the order of `parts`.

    Where metrics are marked by different ends, their names are added. `more` stands once.
    """
    meanings, remarks = BESIDE if question.relative_to else MEANINGS, []
    for part in parts:
        if isinstance(part, Remark):
            remarks += [part] if part.words else []
            continue
        meant = []
        for own in question.by_best() if part else ():
            metrics = own.metric_keys().values()
            inside = [row for row in rows if row.metric in metrics]
            for mark in (part, *OTHERWISE.get(part, ())):
                if marked := [row for row in inside if meanings[mark].occurs(row)]:
                    meant.append(((mark, *meanings[mark].words(marked, inside, own)), own))
                    break
        for (mark, text, more), which in _of_which(meant, question):
            once = "" if more in {remark.more for remark in remarks} else more
            remarks += [Remark(text + which, once, mark=mark)] if text else []
    return remarks


def _of_which(
    texts: Iterable[tuple[Said, Question]], question: Question
) -> Iterator[tuple[Said, str]]:
    """Each text once; with it the names of its metrics, unless it holds for all."""
    metrics: dict[Said, list[str]] = {}
    for text, own in texts:
        names = (wording.measure(word, question.labels) for word in own.metric_keys().values())
        metrics.setdefault(text, []).extend(names)
    for text, listed in metrics.items():
        yield text, f" ({', '.join(listed)})" * (len(listed) < len(question.metric_keys()))


def doubts(grid: pl.DataFrame, question: Question) -> list[str]:
    """Why some cells are not judged, and how many of them if others are."""
    parts = dict(grid.partition_by(METRIC, as_dict=True)) if question.several else {}
    texts = []
    for own in question.by_metric().values():
        part = parts.get((own.word,), grid)
        valued = part["value"].count()
        for kind in reasons.doubts_of(part):
            text, size = reasons.doubt_words(kind, own), part["unjudged"].eq(kind).sum()
            if size < valued:
                text += f" ({size:,} of {valued:,} cells)"
            texts.append((text, own))
    return [text + which for text, which in _of_which(texts, question)]


def _caveats(question: Question) -> list[Remark]:
    whats = ((metric(word), own) for word, own in question.by_metric().items())
    texts = (((what.caveat, what.printed), own) for what, own in whats if what.join)
    return [
        Remark(text + which, below=False, is_counted=counted)
        for (text, counted), which in _of_which(texts, question)
    ]


def colour_words(entry: Entry) -> str:
    """How values become colours, where that is not as usual."""
    question = entry.question
    texts = []
    for word, alone in question.by_metric().items():
        text = entry.color(word).words()
        if text:
            texts.append((text, alone))
    return ". ".join(text + which for text, which in _of_which(texts, question))


def figure_remarks(
    panels: Sequence[Panel], entry: Entry, errors: bool, values: bool, labels: bool = False
) -> list[Remark]:
    """What the marks of a heatmap mean, and what else readers must know.

    `errors`: there is room for the second lines. `values`: cells have numbers. `labels`: some of
    the axes are bold.
    """
    question = entry.question
    rows = [row for panel in panels if not panel.bare for row in panel.rows]
    judged = question.marks != "none" and question.uncertainty == "tied"
    unknown = judged and any(row.counted for row in rows)
    ends = dict.fromkeys(
        f"{panel.question.best}" for panel in panels if panel.bar and panel.bar.calm
    )
    calm = f"where {no_top(' or '.join(ends))}, colours span twice the spread of equal settings"
    parts: list[str | Remark] = [
        *(baseline_parts(rows, question, values) if question.relative_to else []),
        "" if question.relative_to else "bold, framed" if values else "framed",
        "outline",
        "bar below",
        "coloured frame",
        *_bold_labels(panels if labels else []),
        *_unmarked(panels, question),
        "hatched",
        "hatched, filled corner",
        "filled corner",
        _second_line(rows, question, errors, values=entry.text is not False),
        *_caveats(question),
        *(map(aside, _crowds(panels, question) if values else [])),
        aside(reasons.untested_words(rows)),
        aside(states.doubt_words(states.MADE_UP, question.word) if unknown else ""),
        aside(_beyond(panels)),
        aside(calm * bool(ends)),
    ]
    return explain(parts, rows, question)


def table_remarks(rows: Sequence[Drawn], question: Question, dagger: str = "†") -> list[Remark]:
    """What bold, daggers and lines mean in a table."""
    return explain(
        ["bold", dagger, "underlined", aside(reasons.untested_words(rows))], rows, question
    )


def latex_remarks(rows: Sequence[Drawn], question: Question, error: bool) -> list[Remark]:
    """The same in LaTeX, with what ± and missing numbers mean."""
    text, more = error_words(rows, "se")
    parts: list[str | Remark] = [*_caveats(question)]
    parts += table_remarks(rows, question, "dagger")
    if question.relative_to:
        parts = baseline_parts(rows, question, values=True)
        text, more = "standard error of the difference", ""
    drawn = error and any(row.se is not None for row in rows)
    return explain([*parts, Remark(text if drawn else "", more, mark="+-"), "--"], rows, question)


def page_flags(rows: Sequence[Drawn], limits: Sequence[str], question: Question) -> list[list[str]]:
    """What the page says of each cell; `limits`: `states.asked_words` of each."""
    alone, scope = {*reasons.untested(rows)}, reasons.figure_scope(rows, question)
    meanings = (BESIDE if question.relative_to else MEANINGS).values()
    flags, figures = [], question.by_metric()
    for row, limit in zip(rows, limits, strict=True):
        own = figures[row.metric]
        texts = [meaning.page(row, scope, own) for meaning in meanings]
        texts.append("shares no problem with the others: not compared" * (row.number in alone))
        texts.append(f"asked for {limit}" if limit and not question.relative_to else "")
        flags.append([*dict.fromkeys(filter(None, texts))])
    return flags


def note_title(question: Question) -> str:
    """What `annotate` prints, in words."""
    if question.beside is None:
        return wording.column(question.noted, question.labels) or question.noted
    if question.deviates:
        return f"standard deviation over {wording.column(question.deviates, question.labels)}"
    name = wording.measure(question.noted, question.labels)
    return f"{name} (%)" if question.beside.shows_percent and "%" not in name else name


def note_words(rows: Sequence[Drawn], question: Question) -> str:
    """The same, with how many values deviations are of."""
    numbers = [row.values or 0 for row in rows if row.deviation is not None]
    return note_title(question) + f" (n = {span(numbers)})" * bool(numbers)


def highlight_words(items: Iterable[int], question: Question) -> str:
    """The labels of some items of `highlight`."""
    labels = (str(question.highlight[n].get(LABEL, "")) for n in sorted(items))
    return ", ".join(dict.fromkeys(filter(None, labels)))


def _second_line(
    rows: Sequence[Drawn], question: Question, errors: bool, *, values: bool
) -> Remark:
    """What stands below the values of cells; `errors`: there is room for it.

    `values`: where these are left out, a note may stand in their place.
    """
    if question.annotate:
        title = note_words(rows, question)
        if not values:
            return Remark(f"in the cells: {title}")
        if errors:
            return Remark(f"below each value: {title}")
        return aside(f"{title}: no room in the cells, see the table")
    if not any(row.spread for row in rows):
        return Remark("")
    if not errors:
        return aside("uncertainty: no room in the cells, see the table")
    text, more = error_words(rows, question.uncertainty)
    if question.relative_to:
        text = (
            f"{text if question.uncertainty == 'interval' else 'standard error'} of the difference"
        )
        more = f" ({_together(rows, question)})" if question.uncertainty == "interval" else ""
    return Remark(text, more, mark=ERROR_MARKS[question.uncertainty])


def _bold_labels(panels: Sequence[Panel]) -> Iterator[Remark]:
    """What bold labels of axes mean."""
    ends = dict.fromkeys(f"{panel.question.best}" for panel in panels if panel.verdict.tops)
    if ends:
        text = f"bold label: on average {' or '.join(ends)}, or not told apart from it"
        yield Remark(text, f" (95\u00a0%{LIKE})")


def _unmarked(panels: Sequence[Panel], question: Question) -> Iterator[Remark]:
    """Why panels have no mark: none of their cells is the highest, or they are not judged."""
    bare = []
    for panel in panels:
        marked = any(row.bold or row.outlined or row.excluded for row in panel.rows)
        if panel.verdict.line and not marked:
            bare.append(panel)
    if question.relative_to:
        return
    told = [panel for panel in bare if panel.verdict.judged]
    if told:
        ends = dict.fromkeys(f"{panel.question.best}" for panel in told)
        yield Remark(f"no mark: {no_top(' or '.join(ends))}")
    silent = [panel for panel in bare if not panel.verdict.judged]
    if silent and len(silent) < len(panels):
        names = [" ".join(panel.title[-1:]) for panel in silent]
        more = f" and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
        yield Remark(f"no mark in {', '.join(names[:NAMED_AT_MOST])}{more}: not judged")
    elif silent:
        yield Remark("no mark: not judged")


def no_top(ends: str) -> str:
    """Of a panel with all its cells in the tied set."""
    return f"no setting is clearly {ends}"


def _crowds(panels: Sequence[Panel], question: Question) -> list[str]:
    crowded = [panel for panel in panels if panel.unmarked]
    ends = " or ".join(dict.fromkeys(f"{panel.question.best}" for panel in crowded))
    share = f"cells share the {ends} value, not bold"
    if len(crowded) > 2:
        most = max(panel.unmarked for panel in crowded)
        return [f"in a {'block' if question.nested else 'panel'} up to {most:,} {share}"]
    where = {panel.name: f"in {panel.title[-1]} " if len(panels) > 1 else "" for panel in crowded}
    return [f"{where[panel.name]}{panel.unmarked:,} {share}" for panel in crowded]


def _beyond(panels: Sequence[Panel]) -> str:
    below = above = 0
    for panel in panels:
        if panel.bar is None:
            continue
        low, high = panel.bar.scale.domain
        values = [row.value for row in panel.rows if row.value is not None]
        below += sum(value < low for value in values)
        above += sum(value > high for value in values)
    sides = {"below": below, "above": above}
    beyond = ", ".join(f"{number:,} {side}" for side, number in sides.items() if number)
    return f"beyond the colour bar, drawn like its ends: {beyond}" * bool(beyond)


# ------------------------------------------------------------------------------------- verdicts


Sort = Literal["none", "one", "several", "differ", "equal", "sets", "unjudged"]
SORTS: Mapping[Sort, str] = {
    "none": "none is clearly {best}",
    "one": "one is {best}",
    "several": "several may be {best}",
    "differ": "some differ",
    "equal": "none differs",
    "sets": "",  # the meanings of the marks say that they hold within each
    "unjudged": "not judged",
}
"""How the cells of a panel stand, in the fewest words."""


class Verdict(NamedTuple):
    """What is said of the cells of a panel together."""

    line: str = ""
    chance: str = ""
    """How far values spread, and how far equal settings would; empty where that is not known, and
    where cells are told apart: that says more."""
    noise: float = 0.0
    """Spread of equal settings in 95 % of samples, in the unit shown; 0 if cells are told apart."""
    judged: bool = False  # whether some of them are compared
    power: str = ""
    """Which differences would be noticed, and how many problems ever differ; for the page."""
    brief: str = ""  # `line` in a few words
    sort: Sort = "unjudged"
    fewest: str = ""  # words of `sort`
    tops: Mapping[str, Sequence[str]] = {}
    """Axis → labels of the values that may be the best on average, where that is told."""
    is_remark: bool = False  # a remark on marks, or on their lack, says no less than `line`

    @property
    def words(self) -> str:
        """Both: "spread 10.0; equal settings would spread 10.7 (…): no setting is clearly …"."""
        return ": ".join(filter(None, [self.chance, self.line]))

    @property
    def at_length(self) -> str:
        """The same, and what the panel could have shown."""
        return ". ".join(filter(None, [self.words, self.power]))


def verdicts(
    cells: Sequence[Cell], question: Question, digits: Mapping[str, Digits]
) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict; `digits`: metric → how its values are printed."""
    asked = question.relative_to or question.uncertainty in ("tied", "interval")
    if not asked or question.uncertainty == "none" or question.marks == "none":
        return {}
    panels: dict[Place, list[Cell]] = {}
    for cell in cells:
        panels.setdefault(cell.panel, []).append(cell)
    if question.relative_to:
        return {place: baseline_verdict(panel) for place, panel in panels.items()}
    figures, judged = question.by_metric(), {}
    for place, panel in panels.items():
        word = panel[0].metric
        judged[place] = verdict(panel, figures[word], digits[word])
    return judged


def verdict(rows: Sequence[Cell], question: Question, digits: Digits) -> Verdict:
    """The verdict on the cells of one panel; of sets that share no problems, one on all of them."""
    sets: dict[int, list[Cell]] = {}
    doubts: dict[str, set[int | None]] = {}  # code of why there is no verdict on some cells
    for row in rows:
        if row.peers is not None and row.chance is not None:
            sets.setdefault(row.peers, []).append(row)
        if row.doubt:
            doubts.setdefault(row.doubt, set()).add(row.peers)
    why = []
    for kind, among in doubts.items():
        text = reasons.doubt_words(kind, question)
        why.append(f"in {len(among):,} {text}" if sets else text)
    scope, none = reasons.scope(rows, question), no_top(f"{question.best}")
    lines, chance, noise, power, tops = list[str](), "", 0.0, "", dict[str, list[str]]()
    sort: Sort = "unjudged"
    brief, is_remark = "", len(why) == 1 and not sets
    if len(sets) == 1:
        (peers,) = sets.values()
        tops = _best_levels(peers)
        lines = [_set_words(peers, scope, question, digits), _level_words(tops, question)]
        brief, sort = _brief_words(peers, question)
        if sort == "none":
            chance, noise = _chance_words(peers[0].chance, question, digits)
            is_remark = not (why or tops) and _is_by_chance(peers[0].chance)
        power = _power_words(peers, question, digits)
    elif sets:
        bare = sum(all(row.tied for row in peers) for peers in sets.values())
        some = f": in {bare:,} of {len(sets):,} {none}" if bare else ""
        every = bare == len(sets)
        apart = f"compared within each {scope.name}{some}"
        lines = [f"{none} of its {scope.name}" if every else apart]
        sort = "sets"
    line = "; ".join(filter(None, [*lines, *why]))
    fewest = SORTS[sort].format(best=question.best)
    return Verdict(
        line, chance, noise, bool(sets), power, brief or fewest, sort, fewest, tops, is_remark
    )


def _is_by_chance(chance: Chance | None) -> bool:
    """Whether values spread as far as chance has it."""
    return chance is not None and chance.chance_p is not None and chance.chance_p > ALPHA


def _chance_words(chance: Chance | None, question: Question, digits: Digits) -> tuple[str, float]:
    """How far values spread and equal settings would, and the latter in 95 % of samples."""
    if chance is None or chance.chance_p is None:
        return "", 0.0
    numbers = chance.spread_equal, chance.chance_median, chance.chance_high
    spans = [question.unit.span(number) for number in numbers if number is not None]
    if len(spans) < len(numbers):
        return "", 0.0
    spread, median, high = map(digits.value, spans)
    words = f"spread {spread}; equal settings would spread {median}"
    return f"{words} (in {100 * (1 - ALPHA):g}\u00a0% of samples up to {high})", spans[-1]


def _set_words(peers: Sequence[Cell], scope: Scope, question: Question, digits: Digits) -> str:
    """The highest of the cells that are compared, and how many cannot be told apart from it.

    "highest 87.5; 2 others cannot be told apart from it"; "no setting is clearly highest".
    """
    number, tied = len(peers), sum(row.tied for row in peers)
    chance = peers[0].chance
    if tied == number:
        none = no_top(str(question.best))
        if chance is None or chance.chance_p is None:
            return f"too few problems to tell which setting is {question.best}"
        return none if _is_by_chance(chance) else f"{none}, yet values spread beyond chance"
    best = [digits.value(row.value or 0.0, row.typical_error) for row in peers if row.best]
    top = f"{question.best}{scope.of('each')}"
    if any(row.samples > (row.common or 0) for row in peers):
        top += " on equal problems"
    if len({*best}) == 1:
        top += f" {best[0]}"
    if len(best) > 1:
        top += f" in {len(best)} cells"
    if alike := tied - len(best):
        return f"{top}; {numbered(alike, 'other')} cannot be told apart from it"
    others = number - len(best)
    if number == 2:
        return f"{top}; the other is {_beyond_top(question)} it"
    # Each is significantly behind some cell; behind the best alone a test of the two may say less.
    which = "the other is" if others == 1 else f"the {others:,} others are"
    return f"{top}; {which} not the {question.best}"


def _brief_words(peers: Sequence[Cell], question: Question) -> tuple[str, Sort]:
    """The verdict on cells that are compared in a few words, where numbers say more; its sort."""
    number, tied = len(peers), sum(row.tied for row in peers)
    if tied == number:
        return "", "none"
    if tied == 1:
        return f"one of {number:,} is {question.best}", "one"
    return f"{tied:,} of {number:,} may be {question.best}", "several"


def _power_words(peers: Sequence[Cell], question: Question, digits: Digits) -> str:
    """What cells that are compared could have shown: "61 of 198 problems ever differ. …"."""
    chance, size = peers[0].chance, max(row.samples for row in peers)
    if chance is None or chance.varying is None:
        return ""
    ever = f"{chance.varying:,} of {size:,} problems ever differ"
    told = chance.resolution, chance.resolution_epochs, chance.resolution_problems
    spans = [None if number is None else question.unit.span(number) for number in told]
    now, epochs, problems = (None if span is None else digits.value(span) for span in spans)
    if now is None:
        return ever
    noticed = f"Differences of {now} would mostly be noticed here, half as large ones mostly not"
    enough = []
    if epochs not in (None, now):
        enough.append(f"with more epochs {epochs} at best")
    if problems is not None:
        enough.append(f"with four times the problems {problems}")
    return ". ".join([ever, "; ".join(filter(None, [noticed, ", ".join(enough)]))])


def _best_levels(cells: Sequence[Cell]) -> dict[str, list[str]]:
    """Axis → labels of the values that may be the best on average, if others are told not to be."""
    axes = {
        "x": {cell.x: cell.top_x for cell in cells},
        "y": {cell.y: cell.top_y for cell in cells},
    }
    return {
        axis: [label for label, top in tops.items() if top]
        for axis, tops in axes.items()
        if False in tops.values()
    }


def _level_words(tops: Mapping[str, Sequence[str]], question: Question) -> str:
    """Which values of axes may be best: "on average highest at ratio 0.4 or 0.5, at model a"."""
    columns, places = {"x": question.x, "y": question.y}, []
    for axis, labels in tops.items():
        names, more = [*labels[:NAMED_AT_MOST]], len(labels) - NAMED_AT_MOST
        if more > 0:
            names.append(f"{more} more")
        listed = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        places.append(f"at {reasons.among_title(columns[axis], question)} {listed}")
    return f"on average {question.best} {', '.join(places)}" if places else ""


# --------------------------------------------------------------------------- beside a baseline

ITSELF = "the baseline itself"
APART = "can be told apart from the baseline"
ALIKE = "cannot be told apart from the baseline"


def baseline_name(question: Question) -> str:
    """`Ratio 1, Model base`, or as `labels` says."""
    return question.labels.get("relative_to") or ", ".join(
        f"{wording.column(name, question.labels)} {question.called(name, [value])[value]}"
        for name, value in question.relative_to.items()
    )


def baseline_verdict(rows: Sequence[Cell]) -> Verdict:
    """How many cells can be told apart from their baseline, and how many of these are above."""
    judged = [row for row in rows if row.judged]
    apart = [row.value or 0.0 for row in judged if row.differs]
    doubtful = sum(row.doubtful is not None for row in rows)
    if not judged:
        silent = SORTS["unjudged"]
        return Verdict("not judged" * bool(doubtful), brief=silent, fewest=silent)
    above = f", {sum(value > 0 for value in apart):,} above it" if apart else ""
    number = f"{len(apart) or 'none'} of {len(judged):,}"
    line = f"{number} {APART}{above}"
    if doubtful:
        line = f"{line}, {doubtful:,} not judged"
    sort: Sort = "differ" if apart else "equal"
    brief = f"{number} differ" if apart else SORTS[sort]
    return Verdict(line, judged=True, brief=brief, sort=sort, fewest=SORTS[sort])


def baseline_parts(rows: Sequence[Drawn], question: Question, values: bool) -> list[str | Remark]:
    """Marks of differences, for `explain`, and why some have no interval."""
    marked = question.uncertainty != "none" and question.marks != "none"
    judged = any(row.judged for row in rows)
    none = marked and judged and not any(row.differs for row in rows)
    total = numbered(sum(not (row.missing or row.itself) for row in rows), "cell")
    why = Counter(row.doubtful for row in rows if row.doubtful and marked)
    return [
        "Δ",
        "bold" if values else "dot",
        Remark(f"no cell {APART}" * none, _differs(rows, rows, question)[1]),
        "0" if values else "",
        *(
            aside(f"{reasons.doubt_words(kind, question)} ({number:,} of {total})")
            for kind, number in why.items()
        ),
    ]


def _together(rows: Sequence[Drawn], question: Question) -> str:
    """The cells for which intervals of differences hold together."""
    several = len({row.panel for row in rows}) > 1
    part = f"each {'block' if question.nested else 'panel'}" if several else "the figure"
    return f"paired, for all cells of {part} together"


def means_words(rows: Sequence[Drawn], question: Question) -> str:
    """Of what there are means: `groups, rows and columns, each over its cells`."""
    nouns = {GROUPS: "groups", question.x: "rows", question.y: "columns"}
    *first, last = (noun for word, noun in nouns.items() if word in question.means)
    together = f"{', '.join(first)} and {last}" if first else last
    together += ", each over its cells" * bool(first and GROUPS in question.means)
    return together + ", without the baseline itself" * any(row.itself for row in rows)


# --------------------------------------------------------------------------- cells and panels


def facts(question: Question) -> dict[str, str]:
    """Title → column of a row: the facts of a cell beside its value, in all texts."""
    is_aggregate = metric(question.word).printed
    if question.relative_to:
        columns = {
            "Its own": "own_told",
            "Baseline": "base_told",
            "Shared problems": "size",
            "Standard error": "error",
            "95\u00a0% interval, for all cells of a panel together": "between",
        }
    else:
        size = "Problems, as printed" if is_aggregate else "Problems"
        columns = {"Standard error": "error", "95 % interval": "between", size: "size"}
    columns["Printed numbers" if is_aggregate else "Graded rows"] = "graded"
    return columns | ({note_title(question): "noted"} if question.annotate else {})


def counts_words(rows: Sequence[Cell], what: str) -> str:
    """How many problems and samples the cells with a value rest on; `what` they are called."""
    valued = [row for row in rows if not row.missing]
    if not valued:
        return f"No {what} has a value"
    if valued[0].printed:
        return f"{wording.sentence(PRINTED)}; {printed.counts_words(valued, what)}"
    problems = span(row.samples for row in valued)
    graded = span(row.epochs for row in valued)
    both = f"{problems} problems per {what}"
    return both if problems == graded else f"{both}, {graded} graded samples"


def axis_words(question: Question) -> tuple[str, str]:
    """The columns along x and y: `Ratio within each Task`."""
    axes = []
    for columns in (question.encoding.x, question.encoding.y):
        inner, *outer = levels(columns)[::-1]
        names = filter(None, [inner, question.grouping.get(inner), *outer])
        texts = (wording.column(name, question.labels) or name for name in names)
        axes.append(" within each ".join(texts))
    return axes[0], axes[1]


def spoken_panel(
    title: str, rows: Sequence[Drawn], question: Question, names: Names, judged: str = ""
) -> str:
    """A panel in words; `judged`: its verdict."""
    valued = [row for row in rows if row.value is not None and not row.itself]
    opening = f"{title}: " if title else ""
    if not valued:
        none = "value" if any(row.incomplete for row in rows) else "data"
        return f"{opening}no {none} in any of its cells."
    by_value = sorted(valued, key=lambda row: row.value or 0.0)
    ends = by_value[0], next(row for row in by_value if row.value == by_value[-1].value)
    low, high = (names.digits.value(row.value or 0.0, row.typical_error) for row in ends)
    parts = [f"{opening}{names.value} from {low} to {high} in {numbered(len(valued), 'cell')}"]
    places = [f"{names.x} {row.x}, {names.y} {row.y}" for row in valued if row.bold]
    many, at = len(places) > SPOKEN_AT_MOST, f"at {' and at '.join(places)}"
    if places and not question.relative_to:
        top = _bold(valued, rows, question)[0]
        parts.append(f"{top} {f'in {len(places)} cells' if many else at}")
    alike = sum(row.tied and not row.bold for row in valued) if places else 0
    if judged or alike:
        parts.append(judged or f"{numbered(alike, 'other')} {_alike(rows, question)}")
    parts += filter(None, [reasons.untested_words(rows)])
    parts += _spoken_states(rows)
    return "; ".join(parts) + "."


def _spoken_states(rows: Sequence[Drawn]) -> list[str]:
    """How many cells have no value, or are incomplete."""
    spoken = Counter[str]()
    for row in rows:
        if row.missing:
            spoken[row.state.spoken] += 1
        elif row.incomplete:
            spoken[_UNFINISHED.spoken] += 1
    order = [*(state.spoken for state in states.GAPS.values()), _UNFINISHED.spoken]
    return [f"{spoken[text]} {text}" for text in dict.fromkeys(order) if text and spoken[text]]
