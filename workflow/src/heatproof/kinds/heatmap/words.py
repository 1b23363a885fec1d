"""The words of a heatmap: meanings of marks, verdicts, what is read out and what has no room."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import theme
from heatproof.charts.sheet import LIKE
from heatproof.charts.wording import count, names_cut, names_left_out
from heatproof.kinds.heatmap import (
    annotation,
    baseline_words,
    highlight,
    printed,
    reasons,
    ruler,
    sizing,
    trends,
)
from heatproof.kinds.heatmap.judging import ALPHA
from heatproof.kinds.heatmap.reasons import EMPTY, FAILED
from heatproof.kinds.heatmap.verdict import peer_sets
from heatproof.metrics import metric
from heatproof.util.numerals import show, span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Names, Panel, Place, Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.sizing import Plan
    from heatproof.util.lazy import polars as pl


ERROR_MEANINGS = {"se": "±: standard error over problems", "interval": "range: 95 % interval"}
ON_EQUAL = ", on equal problems"
"""Where cells lack problems of each other, the best is that of the problems that they share."""
NO_ROOM = "uncertainty: no room in the cells, see the table"
RULER = (
    "ruler, 0 to {end}: grey, spread of equal settings by chance (median, 95\u00a0%); "
    "◆ spread seen, filled if beyond"
)
UNKNOWN = "nothing is judged: which problems were solved is reconstructed"
COUNTED_MEANINGS = {
    "se": "±: standard error over problems × samples, from counts alone",
    "interval": "range: 95 % interval, Wilson over problems × samples",
}
"""The same where it is made up which problems were solved."""


def error_meanings(rows: Sequence[Row]) -> Mapping[str, str]:
    """What stands beside values → what it means, of these rows."""
    if any(printed.PROBLEMS in row for row in rows):
        errors, ranges = printed.errors_words(rows), printed.ranges_words(rows)
        return {"se": f"±: {errors}", "interval": f"range: {ranges}"}
    return COUNTED_MEANINGS if any(row["counted"] for row in rows) else ERROR_MEANINGS


def occurring_meanings(
    panels: Sequence[Panel], entry: Entry, errors: bool = True, values: bool = True
) -> list[str]:
    """What outlines, frames, dots, rulers, second lines, hatches and corners mean, if they occur.

    `errors`: there is room for the second lines; else the words say so. `values`: cells have
    numbers, of which some may be bold.
    """
    rows = [row for panel in panels if not panel.bare for row in panel.rows]
    shown, end, told = entry.uncertainty, entry.end, reasons.among_words(rows, entry)
    beyond, dots, scale = _beyond(panels), entry.marks == "dots", ruler_end(panels, entry)
    lost = [row for row in rows if row["missing"] and row["incomplete"]]
    what = metric(entry.encoding.color)
    ours = (
        baseline_words.meanings(rows, entry, values=values, errors=errors)
        if entry.relative_to
        else []
    )
    framed = highlight.meaning(rows, entry)
    parts = {
        **dict.fromkeys(ours, True),
        what.told: what.join,
        _outline(rows, f"{end}{told.its}"): count(rows, "outlined"),
        f"{'framed' if dots else 'bold'}: {end}{told.each}{ON_EQUAL * told.equal}": (
            count(rows, "bold") and (dots or values) and not entry.relative_to
        ),
        framed: bool(framed),
        **dict.fromkeys(_crowds(panels, entry) if dots or values else [], True),
        _dots(rows, f"{end}{told.its}"): count(rows, "dotted"),
        UNKNOWN: entry.marks != "none" and shown == "tied" and count(rows, "counted"),
        RULER.format(end=ruler.end_words(scale) if scale else ""): scale is not None,
        (below := _below(rows, entry, errors)): bool(below),
        f"hatched: {_empty(rows)}": count(rows, "missing") > len(lost),
        f"hatched, filled corner: {_gap(lost)}": lost,
        "filled corner: incomplete": count(rows, "incomplete") > len(lost),
        f"beyond the colour bar, drawn as its ends: {beyond}": beyond,
    }
    return [part for part, occurs in parts.items() if occurs]


def _empty(rows: Sequence[Row]) -> str:
    """Why cells have no records."""
    found = {row["gap"] for row in rows if row["missing"] and not row["incomplete"]}
    return ", or ".join([*(gap for gap in EMPTY if gap in found), *sorted(found - {*EMPTY})])


def _gap(lost: Sequence[Row]) -> str:
    """Why cells with records have no value, if all for one reason."""
    found = {row["gap"] for row in lost}
    return found.pop() if len(found) == 1 else "incomplete: no value, the table says why"


def _beyond(panels: Sequence[Panel]) -> str:
    """How many values lie beyond the ends that the user gives the colours; they are drawn as these.

    "1 below, 2 above"
    """
    found = [
        (row["value"], panel.bar.scale.domain)
        for panel in panels
        if panel.bar
        for row in panel.rows
        if not row["missing"]
    ]
    sides = {
        "below": sum(value < low for value, (low, _) in found),
        "above": sum(value > high for value, (_, high) in found),
    }
    return ", ".join(f"{count:,} {side}" for side, count in sides.items() if count)


def ruler_end(panels: Sequence[Panel], entry: Entry) -> float | None:
    """Where the scale of the rulers ends; None where there are none."""
    spreads = [panel.verdict.spread for panel in panels if panel.verdict.spread]
    if not (entry.rulers and spreads):
        return None
    bounded = metric(entry.encoding.color).is_share or entry.own_unit
    return ruler.scale_end(spreads, entry.unit.factor if bounded else None)


def _outline(rows: Sequence[Row], end: str) -> str:
    """What is outlined, by which method, and on how many problems."""
    problems = span(row["samples"] for row in rows if row["outlined"])
    return f"outline: ties with the {end} (95\u00a0%, paired, {problems} problems)"


def _dots(rows: Sequence[Row], end: str) -> str:
    others = [row for row in rows if not (row["framed"] or row["missing"])]
    every = " (here every cell)" if count(others, "dotted") == len(others) else ""
    return f"dot: not distinguishable from the {end}{LIKE}{every}"


def _below(rows: Sequence[Row], entry: Entry, errors: bool) -> str:
    """What stands on the second line of cells, if there is one; `errors`: there is room for it."""
    if entry.annotate:
        return annotation.meaning(entry, errors or entry.text is False)
    if not any(row["spread"] for row in rows) or (errors and entry.relative_to):
        return ""
    return _errors(rows, entry.uncertainty) if errors else NO_ROOM


def _errors(rows: Sequence[Row], shown: str) -> str:
    of = error_meanings(rows)
    return of.get(shown, "") + LIKE * (of is ERROR_MEANINGS)


def _crowds(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Panels in which so many cells share the best value that marks would say nothing."""
    found = [panel for panel in panels if panel.unmarked]
    how = "framed" if entry.marks == "dots" else "in bold"
    best, end = entry.best, "best" if entry.end == "lowest" else entry.end
    if len(found) > 2:
        most = max(panel.unmarked for panel in found)
        part = "block" if entry.nested else "panel"
        return [f"{end}: up to {most:,} cells of a {part} share the {best} value, not {how}"]
    where = {panel.name: f" in {panel.title[-1]}" if len(panels) > 1 else "" for panel in found}
    return [
        f"{end}{where[panel.name]}: {panel.unmarked:,} cells share the {best} value, not {how}"
        for panel in found
    ]


NAMED_AT_MOST = 4
"""Sets of cells that are named at most."""


def verdicts_below(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Verdicts for which there is no room above their panels, a line each.

    Of blocks of a strip only what no outline shows, said once for all that it holds of.
    """
    if not entry.nested:
        lines = [(panel.title[-1:], panel.verdict.line) for panel in panels]
        return [": ".join([*title, line]) for title, line in lines if line]
    said: dict[str, list[str]] = {}
    for panel in panels:
        if panel.verdict.line and not any(r["outlined"] or r["dotted"] for r in panel.rows):
            said.setdefault(panel.verdict.line, []).append(", ".join(panel.place))
    return [
        f"{'; '.join(names) if len(names) <= NAMED_AT_MOST else f'{len(names)} blocks'}: {line}"
        for line, names in said.items()
    ]


class VerdictLines(NamedTuple):
    """What an axis is called, and its values."""

    title: str
    names: Mapping[Any, str]


def verdicts_of(
    grid: pl.DataFrame, entry: Entry, factor: float, spec: str
) -> dict[Place, list[str]]:
    """Labels of a panel → its sentences; none for panels without a judgement.

    Columns as `panel.judge` writes them; values × `factor`, printed in the format `spec`.
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
    return {label: sentences(list(part), factor, spec, axes) for label, part in parts}


def sentences(
    rows: Sequence[Mapping[str, Any]], factor: float, spec: str, axes: Mapping[str, VerdictLines]
) -> list[str]:
    """The verdict on the cells of one panel, and what would part its best from the runner-up.

    Where cells share no problems, one on all sets of cells that do. Where the method is not known
    to hold, why there is no verdict.
    """
    sets = peer_sets(rows)
    why = [*dict.fromkeys(row[reasons.UNJUDGED] for row in rows if row.get(reasons.UNJUDGED))]
    return [*_judged(rows, sets, factor, spec, axes), *why]


def _judged(
    rows: Sequence[Mapping[str, Any]],
    sets: Mapping[int, list[Mapping[str, Any]]],
    factor: float,
    spec: str,
    axes: Mapping[str, VerdictLines],
) -> list[str]:
    """The verdict on `sets` of cells that are compared; `rows`: all of the panel."""
    if not sets:
        return []
    if reasons.is_several(rows):
        axis = reasons.shared_along([row for peers in sets.values() for row in peers])
        return [apart_words([*sets.values()], axis, axes[axis] if axis else None)]
    (peers,) = sets.values()
    said = [chance_words(peers[0], len(peers), factor, spec)]
    alone = sum(bool(row["tied"]) for row in peers) == 1
    if peers[0]["needed"] and not alone:
        said.append(needed_words(peers[0]["needed"], max(row["samples"] for row in peers)))
    return said + trends.sentence(peers[0], {axis: lines.title for axis, lines in axes.items()})


def apart_words(
    sets: Sequence[Sequence[Mapping[str, Any]]], axis: str | None, lines: VerdictLines | None
) -> str:
    """One sentence on sets of cells that are not compared with each other.

    "GSM8K: 1 of 3 settings can be told from the best; AIME24, AIME25: no evidence of a best
    setting". `axis`: on which each set has a value of its own, if there is one, with its `lines`.
    """
    each = f"within each {lines.title if lines else 'set of cells that share problems'}"
    said: dict[str, list[str]] = {}
    for peers in sets:
        name = lines.names[peers[0][axis]] if lines and axis else ""
        said.setdefault(found_words(peers[0], len(peers)), []).append(name)
    if len(said) == 1:
        ((words, names),) = said.items()
        return f"{names[0] if lines and len(sets) == 1 else each}: {words}"
    if lines and len(sets) <= NAMED_AT_MOST:
        return "; ".join(f"{', '.join(those)}: {words}" for words, those in said.items())
    clear = sum(bool(peers[0]["separated"]) for peers in sets)
    return f"{each}, settings can be told from the best in {clear:,} of {len(sets):,}"


def needed_words(problems: int, there: int) -> str:
    """One sentence; the number is rough, so two digits of it are told.

    "at least 840 problems, not 30, would part the best from the runner-up"
    """
    unit = 10 ** max(len(str(problems)) - 2, 0)
    rough = -(-problems // unit) * unit
    now = f", not {there:,}," if rough > there else ""
    return f"at least {rough:,} problems{now} would part the best from the runner-up"


def found_words(row: Mapping[str, Any], filled: int) -> str:
    """What the cells of one set are found to be; `filled`: their number."""
    if row["chance_p"] is None:
        return "too few problems to tell a best setting from chance"
    if row["separated"]:
        return f"{row['separated']} of {filled} settings can be told from the best"
    if row["chance_p"] <= ALPHA:
        return "more than chance, but no setting can be told from the best"
    return "no evidence of a best setting"


def chance_words(row: Mapping[str, Any], filled: int, factor: float, spec: str) -> str:
    """One sentence; `filled`: cells that are compared.

    "spread 10.0; equal settings would spread 10.7 (95 %: 14.7): no evidence of a best setting".
    Where problems are missing, the spread on equal problems too: it is this that chance is of.
    """
    words = found_words(row, filled)
    if row["chance_p"] is None:
        return words
    numbers = ("spread", "spread_equal", "chance_median", "chance_high")
    spread, equal, middle, high = (
        None if row[name] is None else show(row[name] * factor, spec) for name in numbers
    )
    if middle is None:
        return f"spread {spread}, with few problems in common: {words}"
    beside = f", {equal} on equal problems" if equal != spread else ""
    level = f"{100 * (1 - ALPHA):g}\u00a0%"
    return (
        f"spread {spread}{beside}; equal settings would spread {middle} ({level}: {high}): {words}"
    )


SPOKEN_AT_MOST = 3
"""Places of the best that are read out; of more, only the number is."""


def spoken_panel(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    spec: str,
    end: str = "best",
    each: str = "",
) -> str:
    """A panel in words. `names`: of x, y and value; rows: as `cells.marked_cells` makes them.

    `end`: what the marked end of the values is called (`Entry.end`); `each`: of which cells it is
    the end (`among.Among`).
    """
    along, up, what = names
    known = [row for row in rows if row["value"] is not None]
    opening = f"{title}: " if title else ""
    if not known:
        none = "value" if count(rows, "incomplete") else "data"
        return f"{opening}no {none} in any of the {len(rows)} cells."
    low, high = (show(end(row["value"] for row in known), spec) for end in (min, max))
    places = [f"{along} {row['x']}, {up} {row['y']}" for row in known if row["bold"]]
    shared, value = count(known, "best"), "highest" if end == "best" else end
    ties = sum(row["tied"] and not row["bold"] for row in known)
    level = ties == len(known) and not count(known, "dotted")
    said = [f"{opening}{what} from {low} to {high} in {len(known)} cells"]
    said += (
        [f"{end}{each} at {' and at '.join(places)}"] if 0 < len(places) <= SPOKEN_AT_MOST else []
    )
    if level:
        said.append(f"all tie: no {end} among them")
    elif shared and not said[1:]:
        apart = f"{end}{each} in {len(places)} cells"
        said.append(apart if each else f"{shared} cells share the {value} value")
    said += [f"{ties} others not distinguishable from it"] if ties and not level else []
    lost = [row for row in rows if row["missing"]]
    few, failed = count(lost, "incomplete"), sum(row["gap"] == FAILED for row in lost)
    none = len(lost) - few - failed
    said += [f"{none} without data"] if none else []
    said += [f"{failed} of runs that failed or are unfinished"] if failed else []
    said += [f"{few} incomplete and without a value"] if few else []
    said += [f"{part} incomplete"] if (part := count(rows, "incomplete") - few) else []
    return "; ".join(said) + "."


def spoken_figure(names: Names, percent: bool, nested: tuple[str, str] | None = None) -> str:
    """What a heatmap shows, in a sentence; `nested`: what lies along axes of several columns."""
    unit = " in percent" if percent else ""
    x, y = nested or (names.x, names.y)
    return f"Heatmap of {names.value}{unit} over {x} (x) and {y} (y)."


def omitted(panels: Sequence[Panel], plan: Plan, entry: Entry) -> list[str]:
    """A line each, with what would give room; nothing if all is there."""
    found = []
    if entry.prints is None and not plan.value:
        found.append(
            f"the numbers in its cells, which are too small for them: {_wider(plan, entry)}"
            "`text: true` prints them all the same, `text: false` asks for none"
        )
    elif plan.value and sizing.has_errors(panels) and not plan.errors:
        found.append(
            f"the `{_second(entry)}` below its numbers, which the cells are too "
            f"small for: {_wider(plan, entry)}the tables have it"
        )
    names = plan.axes.key(plan.layout)
    without = [] if key_words(plan, entry) else names.values()
    found += names_cut([*plan.axes.cut(), *without])
    return found + names_left_out(plan.axes.unprinted(plan.layout))


def _second(entry: Entry) -> str:
    """What asks for a second line in cells."""
    return f"annotate: {entry.noted}" if entry.annotate else f"uncertainty: {entry.uncertainty}"


KEYED = 8
"""Names that are told below the figure, at most: more of them would be a page of their own."""


def key_words(plan: Plan, entry: Entry) -> list[str]:
    """What labels that are cut stand for; none where they are too many to be told."""
    names = plan.axes.key(plan.layout)
    if len(names) > KEYED or not entry.footer:
        return []
    return [f"{part} = {whole}" for part, whole in names.items()]


def _wider(plan: Plan, entry: Entry) -> str:
    if theme.width(entry.width) < theme.ROOMY:
        return "a larger `width` gives more room, "
    if plan.layout.columns == 1:
        return ""
    part = "blocks" if entry.nested else "panels"
    fewer = f"{part} beside each other" if plan.layout.needs.grid else "`columns`"
    return f"fewer {fewer} give more room, "
