"""What the marks of a heatmap read: the grid with labels, ink and flags as columns.

The grid of a heatmap cut into panels, each with the colour bar by which it is read.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.charts import bars, colour, scales, wording
from heatproof.kinds.heatmap import (
    annotation,
    marks,
    ordering,
    printed,
    reasons,
    words,
)
from heatproof.kinds.heatmap.panel import NOTHING, Names, Panel, Place, Row, doubt
from heatproof.kinds.heatmap.reasons import EMPTY, NO_BASELINE
from heatproof.metrics import metric
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import TICK, Digits, few_digits, fitting, show

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.charts.scales import Scale
    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.entry import Entry, Marks
    from heatproof.kinds.heatmap.panel import Verdict


Shown = Literal["none", "se", "interval", "tied"]
FRAMES = 3
"""Peers that may always share the mark of the best; more of them only up to `SHARE`."""
SHARE = 0.1


def cell_table(grid: pl.DataFrame, entry: Entry, unit: Unit, shown: Shown) -> list[Row]:
    """A row per cell in the order of the grid; values in a `unit`, axes and panel as words.

    `gap` says why there is no value, `peers` is the number of the cells that it is compared with.
    `noted` is what `annotate` prints.
    Flags: `best`; `missing` (no value); `incomplete` (fewer rows than a complete run holds, or too
    few for a value); `uneven` (it lacks problems of its peers, or they lack some of its own);
    `tied` (not told apart from the best, or the best, where the figure is to show it);
    `counted` (`se`, `low`, `high` rest on counts alone, as the problems solved are made up).
    """
    along = dict(zip(entry.places, entry.along, strict=True))
    names = {key: entry.called(column, grid[key].to_list()) for key, column in along.items()}
    uneven = {*grid.filter(pl.col("samples") > pl.col("common"))["peers"]}
    notes = annotation.texts(grid, entry) if entry.annotate else [""] * len(grid)
    rows = [
        {
            "panel": tuple(names[name][row[name]] for name in entry.panels),
            "x": names["x"][row["x"]],
            "y": names["y"][row["y"]],
            **{key: unit.value(row[key]) for key in ("value", "low", "high")},
            "se": unit.span(row["se"]),
            "best": bool(row["best"]) and row["value"] is not None,
            "missing": row["value"] is None,
            "incomplete": _is_incomplete(row),
            "uneven": row["peers"] in uneven,
            "tied": shown == "tied" and bool(row["tied"]) and row["value"] is not None,
            "counted": bool(row.get("reconstructed")),
            "gap": row["gap"] or "",
            **({reasons.TRIED: tried} if (tried := row.get(reasons.TRIED)) else {}),
            **{key: row[key] for key in ("samples", "epochs", "expected", "peers")},
            **({printed.PROBLEMS: row[printed.PROBLEMS]} if printed.PROBLEMS in row else {}),
            **({"noted": note} if entry.annotate else {}),
        }
        for row, note in zip(grid.iter_rows(named=True), notes, strict=True)
    ]
    rows = annotation.with_frames(rows, grid, entry) if entry.highlight else rows
    if entry.relative_to:
        return words.with_sides(rows, grid, entry, value_digits(rows, entry))
    return rows


def place(row: Row) -> list[str]:
    """The labels of a cell, in the order of `Entry.along`."""
    return [*row["panel"], row["y"], row["x"]]


def _is_incomplete(row: Mapping[str, Any]) -> bool:
    if row["value"] is None:
        return row["gap"] not in EMPTY and not (row["gap"] or "").startswith(NO_BASELINE)
    return bool(row["epochs"] < row["expected"])


def shown_cells(grid: pl.DataFrame, entry: Entry) -> tuple[list[Row], Digits]:
    """The cells in the unit of the figure and in words, with the marks that the entry asks for, and
    how its numbers are printed.
    """
    rows = cell_table(grid, entry, entry.unit, "tied")
    digits = value_digits(rows, entry)
    marked = [row | texts(row, digits) for row in marked_cells(rows, entry.marks)]
    marked = words.mark_differences(marked, entry) if entry.relative_to else marked
    return marked, digits


def value_digits(rows: Sequence[Row], entry: Entry) -> Digits:
    """How the values of a figure are printed."""
    if entry.format:
        return Digits(entry.format, asked=True)
    sign, written = "+" * bool(entry.relative_to), metric(entry.encoding.color).printed
    return Digits(sign + number_format(rows, entry.shows_percent, written))


def marked_cells(rows: Sequence[Row], verdict: Marks | Literal["dots"]) -> list[Row]:
    """The rows with the marks of a verdict.

    `bold`: the best, unless all that it is compared with tie, or nothing is judged and so many
    share it that it would say nothing. `outlined`: tied with the best, or the best, unless all are,
    or so many in a panel that the outline would set off what is not; then those are `excluded`, and
    the best is `framed`, too, for where no digits are. With dots instead, as tables have them, bold
    is the best be it judged or not, and `dotted` what else is tied with it.
    """
    groups: dict[int | None, list[Row]] = {}
    for row in rows:
        if not row["missing"]:
            groups.setdefault(row["peers"], []).append(row)
    every = {number for number, peers in groups.items() if all(row["tied"] for row in peers)}
    judged = {number for number, peers in groups.items() if any(row["tied"] for row in peers)}
    crowds = {number for number, peers in groups.items() if _is_crowd(peers)}
    hidden = crowds if verdict == "dots" else every | crowds - judged
    parted = judged - every if verdict == "outline" else set()
    barred = _barred(rows, parted)
    dots, marked = verdict == "dots", []
    for row in rows:
        bold = row["best"] and row["peers"] not in hidden
        bars = row["panel"] in barred
        among = row["peers"] in parted and not row["missing"]
        flags = {
            "bold": bold,
            "outlined": among and row["tied"] and not bars,
            "excluded": among and not row["tied"] and bars,
            "framed": bold and among and bars,
            "dotted": dots and row["tied"] and not bold,
        }
        marked.append(row | flags)
    return marked


def _barred(rows: Sequence[Row], parted: Collection[Any]) -> set[Any]:
    """Panels whose excluded cells have a bar each; `parted`: the sets in which not all tie.

    Where more than half of their cells tie, or some of those that tie go around others, an outline
    would set off what it leaves out.
    """
    across, down = (list(dict.fromkeys(row[axis] for row in rows)) for axis in "xy")
    judged = Counter(row["panel"] for row in rows if row["peers"] in parted and not row["missing"])
    ties: dict[Any, dict[Any, list[marks.Cell]]] = {panel: {} for panel in judged}
    for row in rows:
        if row["peers"] in parted and row["tied"]:
            cell = across.index(row["x"]), down.index(row["y"])
            ties[row["panel"]].setdefault(row["peers"], []).append(cell)
    return {
        panel
        for panel, sets in ties.items()
        if 2 * sum(map(len, sets.values())) > judged[panel]
        or any(map(marks.has_hole, sets.values()))
    }


def _is_crowd(peers: Sequence[Row]) -> bool:
    best = sum(row["best"] for row in peers)
    return bool(best > max(FRAMES, SHARE * len(peers)))


def number_format(rows: Sequence[Row], percent: bool, written: bool = False) -> str:
    """One decimal for percent, else what fits the values; `written`: aggregates, as in the logs."""
    valued = [row for row in rows if not row["missing"]]
    values, errors = [row["value"] for row in valued], [doubt(row) or 0.0 for row in valued]
    if percent and not (written and few_digits(values)):
        return ".1f"
    return fitting(values, errors, _margins_of_best(valued), written)


def _margins_of_best(rows: Sequence[Row]) -> list[float]:
    """How far the best is from the next, of each set of cells that are compared."""
    sets: dict[Any, list[Row]] = {}
    for row in rows:
        sets.setdefault((row.get("panel"), row.get("peers")), []).append(row)
    margins = []
    for peers in sets.values():
        best = [row["value"] for row in peers if row.get("best")]
        others = [row["value"] for row in peers if not row.get("best")]
        margins += [min(abs(best[0] - other) for other in others)] if best and others else []
    return margins


def color_scale(rows: Sequence[Row], entry: Entry, signed: bool) -> Scale | None:
    """The scale on which the values of these rows are coloured; None without values.

    `signed`: the figure has values on both sides of zero, so that a diverging palette is usual, and
    zero in its middle.

    Raises:
        Error: the scale that the user wants does not hold them.
    """
    wish = entry.color
    values = [row["value"] for row in rows if not row["missing"]]
    middle = signed or wish.center is not None
    name = entry.palette or (colour.SIGNED if middle else colour.USUAL)
    if wish.center is None and signed and colour.is_diverging(name):
        wish = msgspec.structs.replace(wish, center=0.0)
    try:
        share = entry.shows_percent and not entry.relative_to
        return scales.fitted(values, colour.palette(name), wish, share)
    except Error as error:
        place = f"figures.{entry.name}.color_scale"
        raise Error([wrong.below(place) for wrong in error.mistakes]) from None


def is_signed(rows: Sequence[Row], entry: Entry) -> bool:
    """Whether values, or the ends that the user gives their colours, lie on both sides of zero."""
    values = [row["value"] for row in rows if not row["missing"]] + (entry.color.domain or [])
    return any(value < 0 for value in values) and any(value > 0 for value in values)


def letter_cells(
    rows: Sequence[Row], scale: Scale | None, digits: Digits, shown: Shown
) -> list[Row]:
    """The rows with `label`, `spread` (second line) and `ink`: black or white, by contrast.

    What a cell answers: `told` (its value), `error` and `between`, empty where not known.
    """
    return [
        {
            **row,
            **texts(row, digits),
            "spread": spread(row, digits, shown),
            "ink": scale.ink(row["value"]) if scale else "#000000",
        }
        for row in rows
    ]


def value_title(entry: Entry) -> str:
    """What the value of a cell is called, with its unit."""
    if entry.relative_to:
        return words.difference_title(entry)
    return with_unit(wording.measure(entry.encoding.color, entry.labels), entry)


def with_unit(name: str, entry: Entry) -> str:
    """The name of a metric with what its values are of: `(%)`, or the range of the logs.

    A metric that the user names speaks for itself, but for percent.
    """
    if entry.shows_percent:
        return name if "%" in name else f"{name} (%)"
    word = entry.encoding.color
    if not entry.own_unit or word in entry.labels or not metric(word).moves:
        return name
    return f"{name} ({'–'.join(show(end, TICK) for end in entry.own_unit.ends)})"


def cell_answers(rows: Sequence[Row], entry: Entry) -> dict[str, str]:
    """Title → expression of its text, for what is known of any cell; `rows`: as `lettered`."""
    facts = words.facts(entry) | {"Highlighted": "framed_as", "Verdict": "stands"}
    known = {title: key for title, key in facts.items() if any(row.get(key) for row in rows)}
    return {value_title(entry): "datum.told"} | {t: f"datum.{key}" for t, key in known.items()}


def texts(row: Mapping[str, Any], digits: Digits) -> dict[str, str]:
    """`label`, `told`, `error`, `between`, `size` and `graded` of a cell."""
    label = "" if row["missing"] else digits.value(row["value"], doubt(row))
    error = _error(row, digits)
    return {
        "label": label,
        "told": row["gap"] if row["missing"] else label,
        "error": f"± {error}" if error else "",
        "between": _between(row, digits, " to "),
        "size": words.size_words(row),
        "graded": f"{row['epochs']:,} of {row['expected']:,}",
    }


def _error(row: Mapping[str, Any], digits: Digits) -> str:
    missing = row["se"] is None or row["value"] is None
    return "" if missing else digits.error(row["se"], row["value"])


def _between(row: Mapping[str, Any], digits: Digits, joint: str) -> str:
    if None in (row["value"], row["low"], row["high"]):
        return ""
    ends = (digits.end(row[end], row["value"], doubt(row)) for end in ("low", "high"))
    return joint.join(ends)


def spread(row: Mapping[str, Any], digits: Digits, shown: Shown) -> str:
    """The uncertainty of a cell in words; empty where it is not known or not asked for."""
    if shown == "se":
        return f"±{error}" if (error := _error(row, digits)) else ""
    if shown == "interval":
        return _between(row, digits, " to " if "+" in digits.spec else "–")
    return ""


def panel_names(grid: pl.DataFrame, rows: Sequence[Row], entry: Entry) -> Names:
    """What the entry calls things; `rows`: the cells of the grid in words."""
    what, labels = entry.encoding, entry.labels
    numbers = [grid.schema.get(name, pl.String()).is_numeric() for name in entry.panels]
    return Names(
        wording.column(entry.x, labels),
        wording.column(entry.y, labels),
        words.difference_title(entry) if entry.relative_to else wording.measure(what.color, labels),
        value_digits(rows, entry),
        tuple(
            wording.column(name, labels) if number else ""
            for name, number in zip(entry.panels, numbers, strict=True)
        ),
        ordering.axis_runs(grid, entry),
    )


def split_panels(
    rows: Sequence[Row], entry: Entry, names: Names, verdicts: Mapping[Place, Verdict]
) -> list[Panel]:
    """The panels in order; those with a scale in common have the same bar."""
    parts = {place: list(part) for place, part in groupby(rows, key=lambda row: row["panel"])}
    coloured: dict[Place, list[Row]] = {}
    for place, part in parts.items():
        coloured.setdefault(sharing(place, entry), []).extend(part)
    signed = is_signed(rows, entry)
    key = f"figures.{entry.name}{'' if entry.domain else '.color_scale'}.domain"
    values = [row["value"] for row in rows if not row["missing"]]
    scales.require_within(values, entry.color.domain, entry.shows_percent, key)
    levels = entry.shows_percent and not entry.relative_to  # their colours reach from 0 to 100
    panels = []
    for n, (place, part) in enumerate(parts.items()):
        alike: Sequence[Row] = coloured[sharing(place, entry)]
        if not levels and len({row["value"] for row in alike if not row["missing"]}) == 1:
            alike = rows  # one value alone would be the middle of its colours, whatever it is
        scale = color_scale(alike, entry, signed)
        bar = _bar(alike, scale, entry) if scale else None
        letter = lettered(n, entry.letters) if entry.letters else ""
        panels.append(_panel(part, bar, entry, names, verdicts.get(place, NOTHING), letter))
    return panels


def lettered(number: int, style: str) -> str:
    """The letter of a panel, in the style of an example: of a they are a to z, then aa, ab."""
    letters, number = "", number + 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return style.lower().replace("a", letters.upper() if "A" in style else letters)


def sharing(place: Place, entry: Entry) -> Place:
    """What panels have in common that are coloured alike."""
    rows = entry.rows_split
    return {
        "independent": place, "shared": (), "row": place[:rows], "column": place[rows:],
    }[entry.sharing]  # fmt: skip


def _panel(
    rows: list[Row], bar: Bar | None, entry: Entry, names: Names, judged: Verdict, letter: str
) -> Panel:
    """A panel; no two data sets of panels have the same name."""
    own = rows[0]["panel"]
    place = names.of(own)
    title = [part for part in (entry.title, ", ".join(place)) if part]
    rows = marked_cells(rows, entry.marks)
    printed = letter_cells(rows, bar.scale if bar else None, names.digits, entry.uncertainty)
    printed = annotation.lettered(printed, entry) if entry.annotate else printed
    printed = words.mark_differences(printed, entry) if entry.relative_to else printed
    sentence = words.verdict_words(judged, names.digits)
    description = words.spoken_panel(" | ".join(title), rows, entry, names, sentence)
    blocks = (wording.column(name, entry.labels) or name for name in entry.panels)
    grid = len(entry.panels) > 1 and not entry.nested
    return Panel(
        name=" ".join(["cells", *(own if len(own) < 2 else map(repr, own))]),
        place=place,
        title=title,
        rows=printed,
        bar=bar,
        answers=cell_answers(printed, entry),
        description=f"{letter}: {description}" if letter else description,
        verdict=judged,
        letter=letter,
        blocks={text: f"datum.panel[{n}]" for n, text in enumerate(blocks)} if entry.nested else {},
        bare=grid and all(row["gap"] == reasons.NOTHING for row in rows),
    )


def _bar(rows: Sequence[Row], scale: Scale, entry: Entry) -> Bar:
    """The bar of a scale; one value alone needs none, unless the user says where it ends."""
    values = {row["value"] for row in rows if not row["missing"]}
    varied = len(values) > 1 or entry.color.domain is not None
    low, high = scale.domain
    return bars.Bar(
        value_title(entry), scale,
        below=min(values) < low, above=max(values) > high,
        drawn=varied if entry.legend is None else entry.legend,
    )  # fmt: skip
