"""What a heatmap says: meanings of its marks, verdicts, facts of its cells, what is read out."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units, wording
from heatproof.charts.sheet import LIKE
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import annotation, axis_levels, marks, printed, reasons
from heatproof.kinds.heatmap.judged import ALPHA
from heatproof.kinds.heatmap.panel import Spread, Verdict, doubt
from heatproof.kinds.heatmap.reasons import EMPTY, FAILED
from heatproof.metrics import PRINTED, is_printed, is_share, metric
from heatproof.util.numerals import Digits, fitting, numbered, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Names, Panel, Place, Row
    from heatproof.util.lazy import polars as pl

    GridRow = Mapping[str, Any]
    Words = Callable[[Sequence[Row], Sequence[Row], Entry], str]

# ------------------------------------------------------------------------------ what marks mean

ERROR_MARKS = {"se": "±", "interval": "range"}
"""Uncertainty → how it stands beside values."""
ERRORS = {"se": f"standard error over problems{LIKE}", "interval": f"95 % interval{LIKE}"}
COUNTED_ERRORS = {
    "se": "standard error over problems × samples, from counts alone: too small for problems like "
    "these",
    "interval": "95 % interval, Wilson over problems × samples: too narrow for problems like these",
}
"""The same where it is made up which problems were solved."""
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
        return printed.ERRORS[uncertainty]
    return (COUNTED_ERRORS if any(row["counted"] for row in rows) else ERRORS)[uncertainty]


def top_words(rows: Sequence[Row], entry: Entry) -> str:
    """What is marked as the best: `highest of each task on equal problems`."""
    scope = reasons.figure_scope(rows, entry)
    each = f" of each {scope}" if scope else ""
    return f"{entry.best}{each}{' on equal problems' * any(row['uneven'] for row in rows)}"


def alike_words(rows: Sequence[Row], entry: Entry) -> str:
    """What cells are that may be as high as the best."""
    scope = reasons.figure_scope(rows, entry)
    return f"not told apart from the {entry.best}{f' of its {scope}' if scope else ''}"


def _best(_: Sequence[Row], rows: Sequence[Row], entry: Entry) -> str:
    return top_words(rows, entry)


def _alike(marked: Sequence[Row], rows: Sequence[Row], entry: Entry) -> str:
    how = f"95\u00a0%, paired, {span(row['samples'] for row in marked)} problems"
    return f"{alike_words(rows, entry)} ({how}){LIKE}"


def _apart(marked: Sequence[Row], rows: Sequence[Row], entry: Entry) -> str:
    return _alike(marked, rows, entry).removeprefix("not ")


def _gaps(marked: Sequence[Row], _: Sequence[Row], __: Entry) -> str:
    """Why cells have no value; where there is no record, that comes first."""
    gaps = {row["gap"] for row in marked}
    return ", or ".join([*(gap for gap in EMPTY if gap in gaps), *sorted(gaps - {*EMPTY})])


def _few_gaps(marked: Sequence[Row], rows: Sequence[Row], entry: Entry) -> str:
    several = len({row["gap"] for row in marked} - {*EMPTY}) > 1
    why = "incomplete: no value, the table says why"
    return why if several else _gaps(marked, rows, entry)


class Meaning(NamedTuple):
    """What a mark means, wherever it stands."""

    occurs: Callable[[Row], Any]
    """Whether a cell has it."""
    words: Words
    """Of the cells that have it, among all of a figure."""


def _flag(name: str) -> Callable[[Row], Any]:
    return lambda row: row[name]


_TIED = Meaning(lambda row: row["outlined"] and not row["bold"], _alike)
_UNFINISHED = Meaning(lambda row: row["incomplete"] and not row["missing"], lambda *_: "incomplete")
MEANINGS: Mapping[str, Meaning] = {
    "bold": Meaning(_flag("bold"), _best),
    "framed": Meaning(_flag("framed"), _best),
    "outline": Meaning(_flag("outlined"), _alike),
    "dagger": _TIED,
    "†": _TIED,
    "dot": Meaning(_flag("dotted"), _alike),
    "black": Meaning(_flag("tied"), _alike),
    "bar below": Meaning(_flag("excluded"), _apart),
    "underlined": Meaning(_flag("excluded"), _apart),
    "hatched": Meaning(lambda row: row["missing"] and not row["incomplete"], _gaps),
    "hatched, filled corner": Meaning(lambda row: row["missing"] and row["incomplete"], _few_gaps),
    "no bar": Meaning(_flag("missing"), _few_gaps),
    "×": Meaning(_flag("missing"), _few_gaps),
    "–": Meaning(_flag("missing"), _gaps),
    "--": Meaning(_flag("missing"), _gaps),
    "filled corner": _UNFINISHED,
    "hollow": _UNFINISHED,
    "italics": _UNFINISHED,
}
"""Mark → of which cells, and what it means: in a figure, its caption and its tables."""


def explain(parts: Sequence[str], rows: Sequence[Row], entry: Entry) -> list[str]:
    """What marks mean that occur. `parts`: marks, and in between what else is said, if anything."""
    lines = []
    for part in parts:
        if meaning := MEANINGS.get(part):
            marked = [row for row in rows if meaning.occurs(row)]
            lines += [f"{part}: {meaning.words(marked, rows, entry)}"] if marked else []
        elif part:
            lines.append(part)
    return lines


def figure_meanings(
    panels: Sequence[Panel], entry: Entry, errors: bool = True, values: bool = True
) -> list[str]:
    """What the marks of a heatmap mean.

    `errors`: there is room for the second lines; else the words say so. `values`: cells have
    numbers, of which some may be bold.
    """
    rows = [row for panel in panels if not panel.bare for row in panel.rows]
    beyond, scale = _beyond(panels), ruler_end(panels, entry)
    unknown = entry.marks != "none" and entry.uncertainty == "tied" and count(rows, "counted")
    best = "bold" if values else "framed"
    parts = [
        *(baseline_meanings(rows, entry, values, errors) if entry.relative_to else []),
        metric(entry.encoding.color).caveat if metric(entry.encoding.color).join else "",
        "outline",
        "" if entry.relative_to else best,
        "bar below",
        annotation.frame_meaning(rows, entry),
        *(_crowds(panels, entry) if values else []),
        reasons.untested_words(rows),
        UNKNOWN if unknown else "",
        "" if scale is None else RULER.format(end=marks.ruler_end_words(scale)),
        _below(rows, entry, errors),
        "hatched",
        "hatched, filled corner",
        "filled corner",
        f"beyond the colour bar, drawn as its ends: {beyond}" if beyond else "",
    ]
    return explain(parts, rows, entry)


def table_meanings(rows: Sequence[Row], entry: Entry, dagger: str = "†") -> list[str]:
    """What bold, daggers and lines mean in a table, and which cells are in no test."""
    if entry.relative_to:
        return [f"bold: {_told_apart(rows, entry)}"] if count(rows, "bold") else []
    return explain(["bold", dagger, "underlined", reasons.untested_words(rows)], rows, entry)


def latex_meanings(rows: Sequence[Row], entry: Entry, error: bool) -> list[str]:
    """The same in a table of LaTeX, with what ± and lacking numbers mean."""
    what = metric(entry.encoding.color)
    if entry.relative_to:
        meanings = baseline_meanings(rows, entry, values=True, errors=False)
        errors = "standard error of the difference"
    else:
        caveat = what.caveat if what.join else ""
        meanings = [caveat, *table_meanings(rows, entry, "dagger")]
        errors = error_words(rows, "se")
    shown = error and any(row["se"] is not None for row in rows)
    return explain([*meanings, f"+-: {errors}" if shown else "", "--"], rows, entry)


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


# ------------------------------------------------------------------------------------- verdicts

NO_TOP = "no setting can be told to be {end}"
NAMED_AT_MOST = 4
"""Blocks that are named at most."""


def verdicts(grid: pl.DataFrame, entry: Entry, digits: Digits) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict; values in the unit of the figure, as it prints them."""
    asked = entry.relative_to or entry.uncertainty in ("tied", "interval")
    if entry.uncertainty == "none" or not asked or (entry.marks == "none" and not entry.rulers):
        return {}
    names = {column: entry.called(column, grid[column].to_list()) for column in entry.panels}
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: tuple(called[row[n]] for n, called in names.items()))
    judge = _baseline_verdict if entry.relative_to else verdict
    judged = {place: judge([*part], entry, digits) for place, part in parts}
    if entry.marks == "none":
        return {place: judgement._replace(line="") for place, judgement in judged.items()}
    return judged


def verdict(rows: Sequence[GridRow], entry: Entry, digits: Digits) -> Verdict:
    """The verdict on the cells of one panel; of sets that share no problems, one on all of them."""
    sets: dict[int, list[GridRow]] = {}
    doubts: dict[str, set[int]] = {}  # why there is no verdict on some cells
    for row in rows:
        if row["peers"] is not None and row["spread"] is not None:
            sets.setdefault(row["peers"], []).append(row)
        if words := row.get(reasons.UNJUDGED):
            doubts.setdefault(words, set()).add(row["peers"])
    why = [f"in {len(peers):,} {words}" if sets else words for words, peers in doubts.items()]
    scope, lines, levels, spread = reasons.scope(rows, entry), [], "", None
    if len(sets) == 1:
        (peers,) = sets.values()
        lines = [_set_words(peers, scope, entry, digits)]
        levels = axis_levels.line_words(peers, entry)
        if 2 * sum(bool(row["tied"]) for row in peers) > len(peers):
            lines, levels = [*lines, levels], ""
        numbers = [peers[0][name] for name in ("spread_equal", "chance_median", "chance_high")]
        if peers[0]["chance_p"] is not None and None not in numbers:
            value, median, high = map(entry.unit.span, numbers)
            beyond = peers[0]["chance_p"] <= ALPHA
            spread = Spread(value, median, high, beyond, digits.value(value))
    elif sets:
        level = sum(all(row["tied"] for row in peers) for peers in sets.values())
        none = NO_TOP.format(end=entry.best)
        some = f": in {level:,} of {len(sets):,} {none}" if level else ""
        every = level == len(sets)
        lines = [f"{none} of its {scope}" if every else f"compared within each {scope}{some}"]
    return Verdict("; ".join(filter(None, [*lines, *why])), spread, levels)


def _set_words(peers: Sequence[GridRow], scope: str, entry: Entry, digits: Digits) -> str:
    """The highest of the cells that are compared, and how many cannot be told apart from it.

    "highest 87.5; 2 others not told apart"; "no setting can be told to be highest".
    """
    number, tied, p = len(peers), sum(bool(row["tied"]) for row in peers), peers[0]["chance_p"]
    if tied == number and p is None:
        return f"too few problems to tell which setting is {entry.best}"
    if tied == number:
        return NO_TOP.format(end=entry.best) + ", yet they spread beyond chance" * bool(p <= ALPHA)
    unit, tops = entry.unit, [row for row in peers if row["best"]]
    best = [digits.value(unit.value(row["value"]), unit.span(doubt(row))) for row in tops]
    top = f"{entry.best} of each {scope}" if scope else entry.best
    top += " on equal problems" * any(row["samples"] > row["common"] for row in peers)
    top += f" {best[0]}" if len({*best}) == 1 else ""
    top += f" in {len(best)} cells" * (len(best) > 1)
    if alike := tied - len(best):
        return f"{top}; {numbered(alike, 'other')} not told apart"
    others = number - len(best)
    return f"{top}, told apart from {'the other' if others == 1 else f'all {others:,} others'}"


def verdict_words(judged: Verdict, digits: Digits) -> str:
    """A verdict with what its ruler reads: "spread 10.0; equal settings would spread 10.7 (…)"."""
    chance, spread = "", judged.spread
    if spread:
        median, high = (digits.value(number) for number in (spread.median, spread.high))
        chance = f"{median} (in {100 * (1 - ALPHA):g}\u00a0% of samples up to {high})"
        chance = f"spread {spread.label}; equal settings would spread {chance}"
    said = "; ".join(filter(None, [judged.line, judged.levels]))
    return ": ".join(filter(None, [chance, said]))


def verdicts_below(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Verdicts for which there is no room above their panels, a line each.

    Of blocks of a strip only what no mark shows, said once for all that it holds of.
    """
    if not entry.nested:
        lines = [(panel.title[-1:], panel.verdict.line) for panel in panels]
        return [": ".join([*title, line]) for title, line in lines if line]
    blocks: dict[str, list[str]] = {}
    for panel in panels:
        marked = any(row["outlined"] or row["excluded"] for row in panel.rows)
        if panel.verdict.line and not marked:
            blocks.setdefault(panel.verdict.line, []).append(", ".join(panel.place))
    return [
        f"{'; '.join(names) if len(names) <= NAMED_AT_MOST else f'{len(names)} blocks'}: {line}"
        for line, names in blocks.items()
    ]


# --------------------------------------------------------------------------- beside a baseline

LABEL = "relative_to"
"""Key of `labels`: what the baseline is called."""
ITSELF = "the baseline itself"
APART = "told apart from the baseline"


def baseline_name(entry: Entry) -> str:
    """What the baseline is called: `Ratio 1, Model base`, or as `labels` says."""
    return entry.labels.get(LABEL) or ", ".join(
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in entry.relative_to.items()
    )


def difference_title(entry: Entry) -> str:
    """What a difference is called, with its unit."""
    what = wording.measure(entry.encoding.color, entry.labels)
    return f"Δ {what} (points)" if entry.shows_percent else f"Δ {what}"


def with_sides(
    rows: Sequence[Row], grid: pl.DataFrame, entry: Entry, digits: Digits
) -> list[dict[str, Any]]:
    """The rows of a figure with both sides in words, and how they stand.

    Sides are printed all alike, with the decimals of `digits`, by which differences are. `itself`:
    a cell is the baseline; `differs`: its interval leaves out parity; `doubtful`: why there is no
    interval.
    """
    percent, word = is_share(entry.encoding.color) and not entry.own_unit, entry.encoding.color
    unit = units.PERCENT if percent else entry.own_unit or units.PLAIN
    sides = [
        [unit.value(value) for value in grid[name]] for name in ("own_value", "baseline_value")
    ]
    numbers = [value for side in sides for value in side if value is not None]
    spec = ".1f" if percent else fitting(numbers, near=[digits.step], written=is_printed(word))
    told = Digits(spec)
    texts = [["" if value is None else told.value(value) for value in side] for side in sides]
    beside = []
    for row, cell, own, base in zip(rows, grid.iter_rows(named=True), *texts, strict=True):
        itself = cell["is_baseline"] and cell["value"] is not None
        stands = doubtful = "" if itself else cell.get(reasons.UNJUDGED) or ""
        if not itself and cell["differs"] is not None:
            stands, doubtful = APART if cell["differs"] else f"not {APART}", ""
        beside.append(row | {
            "own_told": own, "base_told": base, "paired": cell["paired_problems"],
            "itself": itself, "differs": bool(cell["differs"]), "doubtful": doubtful,
            "stands": ITSELF if itself else stands,
        })  # fmt: skip
    return beside


def mark_differences(rows: Sequence[Row], entry: Entry) -> list[dict[str, Any]]:
    """The rows of one panel: `bold` what differs, and the baseline itself as plain 0."""
    marked = entry.uncertainty != "none" and entry.marks != "none"
    return [
        {**row, "bold": row["differs"] and marked}
        | ({"label": "0", "told": f"0, {ITSELF}"} if row["itself"] else {})
        for row in rows
    ]


def _baseline_verdict(rows: Sequence[GridRow], _: Entry, __: Digits) -> Verdict:
    """How many of the cells that are judged are told apart, and how many of these are above."""
    others = [row for row in rows if not row["is_baseline"]]
    judged = [row for row in others if row["differs"] is not None]
    apart = [row["value"] for row in judged if row["differs"]]
    doubtful = sum(row["differs"] is None and bool(row.get(reasons.UNJUDGED)) for row in others)
    if not judged:
        return Verdict("not judged" * bool(doubtful), None)
    above = f", {sum(value > 0 for value in apart):,} above it" if apart else ""
    line = f"{len(apart) or 'none'} of {len(judged):,} told apart from the baseline{above}"
    return Verdict(f"{line}, {doubtful:,} not judged" if doubtful else line, None)


def baseline_meanings(rows: Sequence[Row], entry: Entry, values: bool, errors: bool) -> list[str]:
    """What colours and digits mean, where they occur.

    `values`: cells have numbers; `errors`: and their uncertainty below, if it is asked for.
    """
    what = wording.measure(entry.encoding.color, entry.labels)
    marked = entry.uncertainty != "none" and entry.marks != "none"
    shared = "" if is_printed(entry.encoding.color) else ", on the problems that both hold"
    apart = count(rows, "differs")
    judged = any(row["stands"] in (APART, f"not {APART}") for row in rows)
    total = numbered(sum(not (row["missing"] or row["itself"]) for row in rows), "cell")
    why = Counter(row["doubtful"] for row in rows if row["doubtful"])
    parts = {
        f"Δ: {what} less that of the baseline ({baseline_name(entry)}){shared}": True,
        f"{'bold' if values else 'dot'}: {_told_apart(rows, entry)}": marked and apart,
        f"no cell: {_told_apart(rows, entry)}": marked and judged and not apart,
        "±: standard error of the difference": errors and entry.uncertainty == "se",
        f"range: {_interval(rows, entry)}{LIKE}": errors and entry.uncertainty == "interval",
        f"0: {ITSELF}": values and any(row["itself"] for row in rows),
        **{f"{words} ({number:,} of {total})": marked for words, number in why.items()},
    }
    return [words for words, occurs in parts.items() if occurs]


def _interval(rows: Sequence[Row], entry: Entry) -> str:
    """What intervals there are, and what holds together."""
    several = len({row["panel"] for row in rows}) > 1
    part = f"each {'block' if entry.nested else 'panel'}" if several else "the figure"
    return f"95\u00a0% interval (paired, all cells of {part} together)"


def _told_apart(rows: Sequence[Row], entry: Entry) -> str:
    return f"told apart from the baseline by its {_interval(rows, entry)}{LIKE}"


# --------------------------------------------------------------------------- cells and panels


def facts(entry: Entry) -> dict[str, str]:
    """Title → column of a row: what is told of a cell beside its value, wherever it is told."""
    is_aggregate = metric(entry.encoding.color).printed
    if entry.relative_to:
        told = {
            "Its own": "own_told",
            "Baseline": "base_told",
            "Problems that both hold": "size",
            "Standard error": "error",
            "95\u00a0% interval, for all cells of a panel together": "between",
        }
    else:
        size = "Problems, as printed" if is_aggregate else "Problems"
        told = {"Standard error": "error", "95 % interval": "between", size: "size"}
    told["Printed numbers" if is_aggregate else "Graded rows"] = "graded"
    return told | ({annotation.title(entry): "noted"} if entry.annotate else {})


def size_words(row: Mapping[str, Any]) -> str:
    """How many problems a cell rests on; `–` where that was not printed."""
    if "paired" in row:
        return "" if printed.PROBLEMS in row else f"{row['paired']:,}"
    size = row.get(printed.PROBLEMS, row["samples"])
    return "–" if size is None else f"{size:,}"


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
    title: str, rows: Sequence[Row], entry: Entry, names: Names, judged: str = ""
) -> str:
    """A panel in words; `judged`: its verdict."""
    valued = [row for row in rows if row["value"] is not None and not row.get("itself")]
    opening = f"{title}: " if title else ""
    if not valued:
        return (
            f"{opening}no {'value' if count(rows, 'incomplete') else 'data'} in any of its cells."
        )
    ends = (end(valued, key=lambda row: float(row["value"])) for end in (min, max))
    low, high = (names.digits.value(row["value"], doubt(row)) for row in ends)
    places = [f"{names.x} {row['x']}, {names.y} {row['y']}" for row in valued if row["bold"]]
    many, at = len(places) > SPOKEN_AT_MOST, f"at {' and at '.join(places)}"
    best = "" if entry.relative_to or not places else top_words(rows, entry)
    lost = [row for row in rows if row["missing"] and row["gap"] != reasons.ITSELF]
    few, failed = count(lost, "incomplete"), sum(row["gap"] == FAILED for row in lost)
    alike = sum(row["tied"] and not row["bold"] for row in valued) if places else 0
    parts = {
        f"{opening}{names.value} from {low} to {high} in {numbered(len(valued), 'cell')}": True,
        f"{best} {f'in {len(places)} cells' if many else at}": best,
        judged or f"{numbered(alike, 'other')} {alike_words(rows, entry)}": judged or alike,
        (untested := reasons.untested_words(rows)): untested,
        f"{len(lost) - few - failed} without data": len(lost) - few - failed,
        f"{failed} of runs that failed or are unfinished": failed,
        f"{few} incomplete and without a value": few,
        f"{count(rows, 'incomplete') - few} incomplete": count(rows, "incomplete") - few,
    }
    return "; ".join(words for words, holds in parts.items() if holds) + "."
