"""The words of a heatmap: meanings of marks, verdicts, what is read out and what has no room."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import wording
from heatproof.charts.sheet import LIKE
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import (
    annotation,
    axis_levels,
    baseline_words,
    marks,
    printed,
    reasons,
)
from heatproof.kinds.heatmap.judged import ALPHA
from heatproof.kinds.heatmap.panel import doubt
from heatproof.kinds.heatmap.reasons import EMPTY, FAILED
from heatproof.kinds.heatmap.verdict import NO_TOP, peer_sets
from heatproof.metrics import PRINTED, metric
from heatproof.util.numerals import numbered, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Names, Panel, Place, Row
    from heatproof.kinds.heatmap.reasons import Among
    from heatproof.util.lazy import polars as pl
    from heatproof.util.numerals import Digits


# ------------------------------------------------------------------------------ what marks mean

PLAIN_ERRORS = {"se": "standard error over problems", "interval": "95 % interval"}
COUNTED_ERRORS = {
    "se": "standard error over problems × samples, from counts alone: too small for problems like "
    "these",
    "interval": "95 % interval, Wilson over problems × samples: too narrow for problems like these",
}
"""The same where it is made up which problems were solved."""
ERROR_MARKS = {"se": "±", "interval": "range"}
"""Uncertainty → how it stands beside values."""
NO_ROOM = "uncertainty: no room in the cells, see the table"
RULER = (
    "ruler, 0 to {end}: diamond: spread seen, filled if beyond chance; grey: as far as equal "
    "settings would spread in 95\u00a0% of samples of problems like these, tick: in half of them"
)
UNKNOWN = "nothing is judged: which problems were solved is reconstructed"


def error_words(rows: Sequence[Row], uncertainty: str) -> str:
    """What the uncertainty of these rows is; empty where none is shown."""
    if uncertainty not in ERROR_MARKS:
        return ""
    if any(printed.PROBLEMS in row for row in rows):
        return {"se": printed.errors_words, "interval": printed.ranges_words}[uncertainty](rows)
    if any(row["counted"] for row in rows):
        return COUNTED_ERRORS[uncertainty]
    return PLAIN_ERRORS[uncertainty] + LIKE


class Marked(NamedTuple):
    """Cells that have a mark, among all of a figure."""

    rows: Sequence[Row]
    cells: Sequence[Row]
    entry: Entry
    sentence: bool
    """A caption is written, whose reader has no table at hand."""


class Meaning(NamedTuple):
    """What a mark means, wherever it stands."""

    occurs: Callable[[Row], Any]
    """Whether a cell has it."""
    words: Callable[[Marked], str]


def _best(marked: Marked) -> str:
    return reasons.among_words(marked.cells, marked.entry).top


def _tested(holder: str = "", *, apart: bool = False) -> Callable[[Marked], str]:
    """What is (not) told apart from the best. `holder`: what holds the others, in a sentence."""

    def words(marked: Marked) -> str:
        among = reasons.among_words(marked.cells, marked.entry)
        return among.tested(marked.rows, holder if marked.sentence else "", apart=apart)

    return words


def _gaps(marked: Marked) -> str:
    """Why cells have no value; where there is no record, that comes first."""
    gaps = {row["gap"] for row in marked.rows}
    return ", or ".join([*(gap for gap in EMPTY if gap in gaps), *sorted(gaps - {*EMPTY})])


def _few_gaps(marked: Marked) -> str:
    """The same in brief."""
    gaps = {row["gap"] for row in marked.rows}
    several = len(gaps - {*EMPTY}) > 1
    return "incomplete: no value, the table says why" if several else _gaps(marked)


def _flag(name: str) -> Callable[[Row], Any]:
    return lambda row: row[name]


def _unfinished(row: Row) -> bool:
    return bool(row["incomplete"] and not row["missing"])


def _incomplete(_: Marked) -> str:
    return "incomplete"


def _tied(row: Row) -> bool:
    return bool(row["outlined"] and not row["bold"])


MEANINGS: Mapping[str, Meaning] = {
    "bold": Meaning(_flag("bold"), _best),
    "framed": Meaning(_flag("framed"), _best),
    "outline": Meaning(_flag("outlined"), _tested("the outline holds")),
    "dagger": Meaning(_tied, _tested()),
    "†": Meaning(_tied, _tested()),
    "dot": Meaning(_flag("dotted"), _tested()),
    "black": Meaning(_flag("tied"), _tested()),
    "bar below": Meaning(_flag("excluded"), _tested("cells without a bar hold", apart=True)),
    "underlined": Meaning(_flag("excluded"), _tested(apart=True)),
    "hatched": Meaning(lambda row: row["missing"] and not row["incomplete"], _gaps),
    "hatched, filled corner": Meaning(lambda row: row["missing"] and row["incomplete"], _few_gaps),
    "no bar": Meaning(_flag("missing"), _few_gaps),
    "×": Meaning(_flag("missing"), _few_gaps),
    "–": Meaning(_flag("missing"), _gaps),
    "--": Meaning(_flag("missing"), _gaps),
    "filled corner": Meaning(_unfinished, _incomplete),
    "hollow": Meaning(_unfinished, _incomplete),
    "italics": Meaning(_unfinished, _incomplete),
}
"""Mark → of which cells, and what it means: in a figure, its caption and its tables."""


def explain(
    parts: Sequence[str], rows: Sequence[Row], entry: Entry, *, sentence: bool = False
) -> list[str]:
    """What marks mean that occur. `parts`: marks, and in between what else is said, if anything."""
    lines = []
    for part in parts:
        if meaning := MEANINGS.get(part):
            marked = Marked([row for row in rows if meaning.occurs(row)], rows, entry, sentence)
            lines += [f"{part}: {meaning.words(marked)}"] if marked.rows else []
        elif part:
            lines.append(part)
    return lines


def figure_meanings(
    panels: Sequence[Panel],
    entry: Entry,
    errors: bool = True,
    values: bool = True,
    sentence: bool = False,
) -> list[str]:
    """What the marks of a heatmap mean.

    `errors`: there is room for the second lines; else the words say so. `values`: cells have
    numbers, of which some may be bold. `sentence`: for a caption.
    """
    rows = [row for panel in panels if not panel.bare for row in panel.rows]
    beyond, scale = _beyond(panels), ruler_end(panels, entry)
    unknown = entry.marks != "none" and entry.uncertainty == "tied" and count(rows, "counted")
    below = _below(rows, entry, errors) if errors or not sentence else ""
    beside = (
        baseline_words.meanings(rows, entry, values=values, errors=errors)
        if entry.relative_to
        else []
    )
    best = "bold" if values else "framed"
    parts = [
        *beside,
        _join_words(entry),
        "outline",
        "" if entry.relative_to else best,
        "bar below",
        annotation.frame_meaning(rows, entry),
        *(_crowds(panels, entry) if values else []),
        reasons.untested_words(rows),
        UNKNOWN if unknown else "",
        "" if scale is None else RULER.format(end=marks.ruler_end_words(scale)),
        below,
        "hatched",
        "hatched, filled corner",
        "filled corner",
        f"beyond the colour bar, drawn as its ends: {beyond}" if beyond else "",
    ]
    return explain(parts, rows, entry, sentence=sentence)


def _join_words(entry: Entry) -> str:
    """How problems are joined, if not to their mean."""
    what = metric(entry.encoding.color)
    return what.caveat if what.join else ""


def table_meanings(rows: Sequence[Row], entry: Entry, dagger: str = "†") -> list[str]:
    """What bold, daggers and lines mean in a table, and which cells are in no test."""
    if entry.relative_to:
        return [f"bold: {baseline_words.apart_words(rows, entry)}"] if count(rows, "bold") else []
    return explain(["bold", dagger, "underlined", reasons.untested_words(rows)], rows, entry)


def latex_meanings(rows: Sequence[Row], entry: Entry, error: bool) -> list[str]:
    """The same in a table of LaTeX, with what ± and lacking numbers mean."""
    if entry.relative_to:
        meanings = baseline_words.meanings(rows, entry, values=True, errors=False)
        errors = "standard error of the difference" if any(row["se"] for row in rows) else ""
    else:
        meanings = [_join_words(entry), *table_meanings(rows, entry, "dagger")]
        errors = error_words(rows, "se") if any(row["se"] is not None for row in rows) else ""
    return explain([*meanings, f"+-: {errors}" if error and errors else "", "--"], rows, entry)


def _beyond(panels: Sequence[Panel]) -> str:
    """How many values lie beyond the ends that the user gives the colours; they are drawn as these.

    "1 below, 2 above"
    """
    placed = [
        (row["value"], panel.bar.scale.domain)
        for panel in panels
        if panel.bar
        for row in panel.rows
        if not row["missing"]
    ]
    sides = {
        "below": sum(value < low for value, (low, _) in placed),
        "above": sum(value > high for value, (_, high) in placed),
    }
    return ", ".join(f"{count:,} {side}" for side, count in sides.items() if count)


def ruler_end(panels: Sequence[Panel], entry: Entry) -> float | None:
    """Where the scale of the rulers ends; None where there are none."""
    spreads = [panel.verdict.spread for panel in panels if panel.verdict.spread]
    if not (entry.rulers and spreads):
        return None
    bounded = metric(entry.encoding.color).is_share or entry.own_unit
    return marks.ruler_scale(spreads, entry.unit.factor if bounded else None)


def _below(rows: Sequence[Row], entry: Entry, errors: bool) -> str:
    """What stands on the second line of cells, if there is one; `errors`: there is room for it."""
    if entry.annotate:
        return annotation.meaning(entry, errors or entry.text is False)
    if not any(row["spread"] for row in rows) or (errors and entry.relative_to):
        return ""
    if not errors:
        return NO_ROOM
    return f"{ERROR_MARKS[entry.uncertainty]}: {error_words(rows, entry.uncertainty)}"


def _crowds(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Panels in which so many cells share the highest value that marks would say nothing."""
    crowded = [panel for panel in panels if panel.unmarked]
    share = f"cells share the {entry.best} value, not bold"
    if len(crowded) > 2:
        most = max(panel.unmarked for panel in crowded)
        part = "block" if entry.nested else "panel"
        return [f"in a {part} up to {most:,} {share}"]
    where = {panel.name: f"in {panel.title[-1]} " if len(panels) > 1 else "" for panel in crowded}
    return [f"{where[panel.name]}{panel.unmarked:,} {share}" for panel in crowded]


NAMED_AT_MOST = 4
"""Sets of cells that are named at most."""
SET_MARKS = ("outlined", "excluded")
"""Flags of cells of which some has one where the tied set is marked."""


def verdicts_below(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Verdicts for which there is no room above their panels, a line each.

    Of blocks of a strip only what no mark shows, said once for all that it holds of.
    """
    if not entry.nested:
        lines = [(panel.title[-1:], panel.verdict.line) for panel in panels]
        return [": ".join([*title, line]) for title, line in lines if line]
    blocks: dict[str, list[str]] = {}
    for panel in panels:
        if panel.verdict.line and not any(r[mark] for mark in SET_MARKS for r in panel.rows):
            blocks.setdefault(panel.verdict.line, []).append(", ".join(panel.place))
    return [
        f"{'; '.join(names) if len(names) <= NAMED_AT_MOST else f'{len(names)} blocks'}: {line}"
        for line, names in blocks.items()
    ]


class VerdictLines(NamedTuple):
    """What an axis is called, and its values."""

    title: str
    names: Mapping[Any, str]


def verdicts_of(
    grid: pl.DataFrame, entry: Entry, factor: float, digits: Digits
) -> dict[Place, list[str]]:
    """Labels of a panel → its sentences; none for panels without a judgement.

    Columns as `panel.judge` writes them; values × `factor`, printed as the figure does.
    """
    names = {column: entry.called(column, grid[column].to_list()) for column in entry.panels}
    axes = {
        axis: VerdictLines(
            reasons.among_title(column, entry), entry.called(column, grid[axis].to_list())
        )
        for axis, column in (("x", entry.x), ("y", entry.y))
    }
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: tuple(called[row[n]] for n, called in names.items()))
    return {label: sentences(list(part), factor, digits, axes, entry.best) for label, part in parts}


def sentences(
    rows: Sequence[Mapping[str, Any]],
    factor: float,
    digits: Digits,
    axes: Mapping[str, VerdictLines],
    end: str,
) -> list[str]:
    """The verdict on the cells of one panel; `end`: what is looked for, the highest or the lowest.

    Where cells share no problems, one on all sets of cells that do. Where the method is not known
    to hold, why there is no verdict.
    """
    sets = [*peer_sets(rows).values()]
    why = [*dict.fromkeys(row[reasons.UNJUDGED] for row in rows if row.get(reasons.UNJUDGED))]
    if not sets:
        return why
    if reasons.is_several(rows):
        axis = reasons.shared_along(rows)
        return [apart_words(sets, axis, axes[axis] if axis else None, end), *why]
    (peers,) = sets
    chance = chance_words(peers[0], len(peers), factor, digits, end)
    return [chance, *axis_levels.sentences(peers, axes, end), *why]


def apart_words(
    sets: Sequence[Sequence[Mapping[str, Any]]],
    axis: str | None,
    lines: VerdictLines | None,
    end: str,
) -> str:
    """One sentence on sets of cells that are not compared with each other.

    "for GSM8K: 1 of 3 settings can be told not to be highest; for AIME24, AIME25: no setting can be
    told to be highest". `axis`: on which each set has a value of its own, if there is one, with its
    `lines`.
    """
    title = lines.title if lines else ""
    within = f"within each {title or 'set of cells that share problems'}"
    by_verdict: dict[str, list[str]] = {}
    for peers in sets:
        name = lines.names[peers[0][axis]] if lines and axis else ""
        by_verdict.setdefault(tied_words(peers[0], len(peers), end), []).append(name)
    if len(by_verdict) == 1:
        ((words, names),) = by_verdict.items()
        return f"{f'for {names[0]}' if lines and len(sets) == 1 else within}: {words}"
    if lines and len(sets) <= NAMED_AT_MOST:
        parts = (f"for {', '.join(names)}: {words}" for words, names in by_verdict.items())
        return "; ".join(parts)
    clear = sum(bool(peers[0]["separated"]) for peers in sets)
    return f"{within}, settings can be told not to be {end} in {clear:,} of {len(sets):,}"


def tied_words(row: Mapping[str, Any], filled: int, end: str) -> str:
    """How many cells of a set are told apart from the best; `filled`: their number."""
    if row["chance_p"] is None:
        return f"too few problems to tell which setting is {end}"
    if row["separated"]:
        return f"{row['separated']} of {filled} settings can be told not to be {end}"
    beyond = bool(row["chance_p"] <= ALPHA)
    return "more than chance, but " * beyond + NO_TOP.format(end=end)


def chance_words(
    row: Mapping[str, Any], filled: int, factor: float, digits: Digits, end: str = "highest"
) -> str:
    """One sentence; `filled`: cells that are compared.

    "spread 10.0; equal settings would spread 10.7 (in 95 % of samples up to 14.7): no setting can
    be told to be highest". Where problems are missing, the spread on equal problems too: it is this
    that chance is of.
    """
    words = tied_words(row, filled, end)
    if row["chance_p"] is None:
        return words
    numbers = ("spread", "spread_equal", "chance_median", "chance_high")
    spread, equal, middle, high = (
        None if row[name] is None else digits.value(row[name] * factor) for name in numbers
    )
    if middle is None:
        return f"spread {spread}, with few problems in common: {words}"
    beside = f", {equal} on equal problems" if equal != spread else ""
    chance = f"{middle} (in {100 * (1 - ALPHA):g}\u00a0% of samples up to {high})"
    return f"spread {spread}{beside}; equal settings would spread {chance}: {words}"


def panels_words(entry: Entry) -> str:
    """What panels there are, and what numbers are the mean of, for the end of a sentence."""
    panels = () if entry.nested else entry.panels
    titles = " and ".join(reasons.among_title(name, entry) for name in panels)
    part = f", a panel for each {titles}" if titles else ""
    over = entry.mean_over
    mean = f", mean over {reasons.among_title(over, entry)} (unweighted)" if over else ""
    return part + mean


def counts_words(rows: Sequence[Row], what: str) -> str:
    """How many problems and samples the cells with a value rest on; `what` they are called."""
    valued = [row for row in rows if not row["missing"]]
    if not valued:
        return f"No {what} has a value"
    if printed.PROBLEMS in valued[0]:
        return f"{wording.sentence(PRINTED)}; {printed.counts_words(valued, what)}"
    problems, graded = (span(row[key] for row in valued) for key in ("samples", "epochs"))
    both = f"{problems} problems a {what}"
    return both if problems == graded else f"{both}, {graded} graded samples"


SPOKEN_AT_MOST = 3
"""Places of the highest that are read out; of more, only the number is."""


def spoken_panel(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    digits: Digits,
    among: Among,
) -> str:
    """A panel in words. `names`: of x, y and value; rows: as `cells.marked_cells` makes them."""
    along, up, what = names
    valued = [row for row in rows if row["value"] is not None]
    opening = f"{title}: " if title else ""
    if not valued:
        none = "value" if count(rows, "incomplete") else "data"
        return f"{opening}no {none} in any of its cells."
    parts = [f"{opening}{spoken_range(valued, what, digits)}"]
    places = [f"{along} {row['x']}, {up} {row['y']}" for row in valued if row["bold"]]
    if places:
        several = f"in {len(places)} cells"
        where = f"at {' and at '.join(places)}" if len(places) <= SPOKEN_AT_MOST else several
        parts.append(f"{among.top} {where}")
    elif count(valued, "tied"):
        parts.append(NO_TOP.format(end=f"{among.end}{among.its}"))
    elif (shared := count(valued, "best")) > 1:
        parts.append(f"{shared} cells share the {among.end} value")
    marked = {row["peers"] for row in valued if row["bold"]}
    alike = sum(row["tied"] and not row["bold"] and row["peers"] in marked for row in valued)
    lost = [row for row in rows if row["missing"] and row["gap"] != reasons.ITSELF]
    few, failed = count(lost, "incomplete"), sum(row["gap"] == FAILED for row in lost)
    counts = {
        f"{numbered(alike, 'other')} {among.alike}": alike,
        (untested := reasons.untested_words(rows)): untested,
        f"{len(lost) - few - failed} without data": len(lost) - few - failed,
        f"{failed} of runs that failed or are unfinished": failed,
        f"{few} incomplete and without a value": few,
        f"{count(rows, 'incomplete') - few} incomplete": count(rows, "incomplete") - few,
    }
    return "; ".join([*parts, *(words for words, number in counts.items() if number)]) + "."


def spoken_range(rows: Sequence[Row], what: str, digits: Digits) -> str:
    """From where to where values reach; `what` they are."""
    ends = (end(rows, key=lambda row: float(row["value"])) for end in (min, max))
    low, high = (digits.value(row["value"], doubt(row)) for row in ends)
    return f"{what} from {low} to {high} in {numbered(len(rows), 'cell')}"


def spoken_figure(names: Names, percent: bool, nested: tuple[str, str] | None = None) -> str:
    """What a heatmap shows, in a sentence; `nested`: what lies along axes of several columns."""
    unit = " in percent" if percent else ""
    x, y = nested or (names.x, names.y)
    return f"Heatmap of {names.value}{unit} over {x} (x) and {y} (y)."
