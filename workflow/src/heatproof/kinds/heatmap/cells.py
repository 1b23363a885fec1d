"""What the marks of a heatmap read: the grid with labels, ink and flags as columns.

The grid of a heatmap cut into panels, each with the colour bar by which it is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.charts import bars, colour, scales, wording
from heatproof.kinds.heatmap import (
    annotation,
    baseline_words,
    highlight,
    ordering,
    printed,
    reasons,
    words,
)
from heatproof.kinds.heatmap.reasons import EMPTY, UNPAIRED
from heatproof.kinds.heatmap.verdict import NOTHING
from heatproof.metrics import metric
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import TICK, fitting, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.charts.scales import Scale
    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.entry import Entry, Marks
    from heatproof.kinds.heatmap.grouping import Runs
    from heatproof.kinds.heatmap.verdict import Verdict


Row = dict[str, Any]
Place = tuple[str, ...]
"""Labels of a panel: one for each column that panels are split by."""
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
    `tied` (not distinguishable from the best, or the best, where the figure is to show it);
    `counted` (`se`, `low`, `high` rest on counts alone, as the problems solved are made up).
    """
    along = dict(zip(entry.places, entry.along, strict=True))
    names = {key: entry.called(column, grid[key].to_list()) for key, column in along.items()}
    uneven = {*grid.filter(pl.col("samples") > pl.col("common"))["peers"]}
    notes = annotation.told(grid, entry) if entry.annotate else [""] * len(grid)
    return [
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
            **{key: row[key] for key in ("samples", "epochs", "expected", "peers")},
            **({printed.PROBLEMS: row[printed.PROBLEMS]} if printed.PROBLEMS in row else {}),
            **(baseline_words.of_cell(row, entry) if entry.relative_to else {}),
            **(_framed(row, entry) if entry.highlight else {}),
            **({"noted": note} if entry.annotate else {}),
        }
        for row, note in zip(grid.iter_rows(named=True), notes, strict=True)
    ]


def _framed(row: Mapping[str, Any], entry: Entry) -> Row:
    return {"highlighted": highlight.of_row(row, entry), "framed_as": highlight.words(row, entry)}


def place(row: Row) -> list[str]:
    """The labels of a cell, in the order of `Entry.along`."""
    return [*row["panel"], row["y"], row["x"]]


def _is_incomplete(row: Mapping[str, Any]) -> bool:
    if row["value"] is None:
        return row["gap"] not in EMPTY and not (row["gap"] or "").startswith(UNPAIRED)
    return bool(row["epochs"] < row["expected"])


def shown_cells(grid: pl.DataFrame, entry: Entry) -> tuple[list[Row], str]:
    """The cells in the unit of the figure, marked for an outline, and the format of its numbers."""
    rows = cell_table(grid, entry, entry.unit, "tied")
    marked = marked_cells(rows, "outline")
    marked = baseline_words.marked_cells(marked, entry) if entry.relative_to else marked
    return marked, value_format(rows, entry)


def value_format(rows: Sequence[Row], entry: Entry) -> str:
    """The format of the values of a figure."""
    if entry.relative_to:
        return baseline_words.number_format(rows, entry)
    return entry.format or number_format(rows, entry.shows_percent)


def marked_cells(rows: Sequence[Row], verdict: Marks) -> list[Row]:
    """The rows with the marks of a verdict.

    `bold`: the best, unless all that it is compared with tie, or nothing is judged and so many
    share it that it would say nothing. `outlined`: tied with the best, or the best, unless all are.
    With dots instead, `framed` is what is bold, be it judged or not, and `dotted` what is tied with
    it and has no frame.
    """
    groups: dict[int | None, list[Row]] = {}
    for row in rows:
        if not row["missing"]:
            groups.setdefault(row["peers"], []).append(row)
    every = {one for one, peers in groups.items() if all(row["tied"] for row in peers)}
    judged = {one for one, peers in groups.items() if any(row["tied"] for row in peers)}
    crowds = {one for one, peers in groups.items() if _is_crowd(peers)}
    hidden = crowds if verdict == "dots" else every | crowds - judged
    found = []
    for row in rows:
        bold = row["best"] and row["peers"] not in hidden
        dots = verdict == "dots"
        outlined = verdict == "outline" and row["tied"] and row["peers"] not in every
        marks = {"bold": bold, "outlined": outlined, "framed": dots and bold}
        found.append(row | marks | {"dotted": dots and row["tied"] and not bold})
    return found


def _is_crowd(peers: Sequence[Row]) -> bool:
    best = sum(row["best"] for row in peers)
    return bool(best > max(FRAMES, SHARE * len(peers)))


def number_format(rows: Sequence[Row], percent: bool) -> str:
    """One decimal for percent, else what fits the values."""
    return ".1f" if percent else fitting([row["value"] for row in rows if not row["missing"]])


def color_scale(rows: Sequence[Row], entry: Entry, signed: bool) -> Scale | None:
    """The scale on which the values of these rows are coloured; None without values.

    `signed`: the figure has values on both sides of zero, so that a diverging palette is usual, and
    zero in its middle.

    Raises:
        Error: the scale that the user wants does not hold them.
    """
    asked = entry.color
    values = [row["value"] for row in rows if not row["missing"]]
    if entry.relation == "ratio" and asked.type == "log":  # that of nothing is beyond all others
        values = [value for value in values if value > 0] or [1.0] * bool(values)
    middle = signed or asked.center is not None
    name = entry.palette or (colour.SIGNED if middle else colour.USUAL)
    if asked.center is None and signed and colour.is_diverging(name):
        asked = msgspec.structs.replace(asked, center=0.0)
    try:
        share = entry.shows_percent and not entry.relative_to
        return scales.fitted(values, colour.palette(name), asked, share)
    except Error as error:
        raise Error(f"config.yaml: figures.{entry.name}.color_scale{error}") from None


def is_signed(rows: Sequence[Row], entry: Entry) -> bool:
    """Whether values, or the ends that the user gives their colours, lie on both sides of zero."""
    values = [row["value"] for row in rows if not row["missing"]] + (entry.color.domain or [])
    return any(value < 0 for value in values) and any(value > 0 for value in values)


def letter_cells(rows: Sequence[Row], scale: Scale | None, spec: str, shown: Shown) -> list[Row]:
    """The rows with `label`, `spread` (second line) and `ink`: black or white, by contrast.

    What a cell answers: `told` (its value), `error` and `between`, empty where not known.
    """
    return [
        {
            **row,
            "label": "" if row["missing"] else show(row["value"], spec),
            "told": row["gap"] if row["missing"] else show(row["value"], spec),
            "error": error(row, spec),
            "between": between(row, spec),
            "spread": spread(row, spec, shown),
            "ink": scale.ink(row["value"]) if scale else "#000000",
        }
        for row in rows
    ]


FACTS = ("Standard error", "95 % interval", "Problems", "Graded rows")
"""What is told of a cell beside its value, on the page as in the figure."""
PRINTED_FACTS = (*FACTS[:2], "Problems, as printed", "Printed numbers")
"""The same of aggregates."""


def facts(entry: Entry) -> tuple[str, ...]:
    """What is told of a cell beside its value."""
    return PRINTED_FACTS if metric(entry.encoding.color).printed else FACTS


def value_title(entry: Entry) -> str:
    """What the value of a cell is called, with its unit."""
    if entry.relative_to:
        return baseline_words.title(entry)
    return with_unit(wording.measure(entry.encoding.color, entry.labels), entry)


def with_unit(name: str, entry: Entry) -> str:
    """The name of a metric with what its values are of: `(%)`, or the range of the logs.

    A metric that the user names speaks for itself, but for percent.
    """
    if entry.shows_percent:
        return name if "%" in name else f"{name} (%)"
    word = entry.encoding.color
    if not entry.own_unit or word in entry.labels or not metric(word).row.moves:
        return name
    return f"{name} ({'–'.join(show(end, TICK) for end in entry.own_unit.ends)})"


def cell_answers(rows: Sequence[Row], entry: Entry) -> dict[str, str]:
    """Title → expression of its text, for what is known of any cell; `rows`: as `lettered`."""
    graded = "format(datum.epochs, ',') + ' of ' + format(datum.expected, ',')"
    framed = {highlight.TITLE: "datum.framed_as"} if any(r.get("framed_as") for r in rows) else {}
    if entry.relative_to:
        answers = baseline_words.answers(rows, graded)
        return {value_title(entry): "datum.told", **answers, **framed, **_noted(entry)}
    size = "format(datum.samples, ',')"
    if metric(entry.encoding.color).printed:
        size = f"isValid(datum.{printed.PROBLEMS}) ? format(datum.{printed.PROBLEMS}, ',') : '–'"
    texts = ("datum.error", "datum.between", size, graded)
    unknown = {f"datum.{key}" for key in ("error", "between") if not any(r[key] for r in rows)}
    pairs = zip(facts(entry), texts, strict=True)
    known = {title: text for title, text in pairs if text not in unknown}
    return {value_title(entry): "datum.told", **known, **framed, **_noted(entry)}


def _noted(entry: Entry) -> dict[str, str]:
    return {annotation.title(entry): "datum.noted"} if entry.annotate else {}


def error(row: Mapping[str, Any], spec: str) -> str:
    """The standard error of a cell in words; empty where it is not known."""
    return "" if row["se"] is None else f"± {show(row['se'], spec.replace('+', ''))}"


def between(row: Mapping[str, Any], spec: str) -> str:
    """The 95 % interval of a cell in words; empty where it is not known."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"{show(row['low'], spec)} to {show(row['high'], spec)}"


def spread(row: Mapping[str, Any], spec: str, shown: Shown) -> str:
    """The uncertainty of a cell in words; empty where it is not known or not asked for."""
    if shown == "se" and row["se"] is not None:
        return f"±{show(row['se'], spec.replace('+', ''))}"
    if shown == "interval" and row["low"] is not None and row["high"] is not None:
        joint = " to " if "+" in spec else "–"
        return f"{show(row['low'], spec)}{joint}{show(row['high'], spec)}"
    return ""


@dataclass(frozen=True)
class Names:
    """What x, y and the value are called, and how values are printed."""

    x: str
    y: str
    value: str
    format: str
    panels: tuple[str, ...]
    """What stands before the number of a panel; nothing before a name, which speaks for itself."""

    groups: tuple[Runs, Runs] = field(default_factory=lambda: ([], []))
    """Groups of x and of y: label and number of values of each."""

    def of(self, place: Place) -> Place:
        """The labels of a panel with what stands before them."""
        return tuple(f"{a} {b}".strip() for a, b in zip(self.panels, place, strict=True))


@dataclass(frozen=True)
class Panel:
    """One small heatmap: its rows, lettered, and its colours. Without any value, no bar."""

    name: str
    """Of its data set."""
    scale: str
    """Name of the data set of its bar."""
    place: Place
    """What it is called: the value of the column of panels, or those of row and column."""
    title: list[str]
    """The title of the figure, if it has one, and what the panel is called."""
    rows: list[Row]
    bar: Bar | None
    answers: Mapping[str, str]
    """Title → expression of its text: what a cell answers who points at it."""
    description: str
    verdict: Verdict
    """What stands beside the cells."""
    letter: str = ""
    """What stands before its name, if panels have letters."""
    blocks: Mapping[str, str] = field(default_factory=dict)
    """Of nested axes, title → expression of the text of what names the block."""
    bare: bool = False
    """A place in a grid of panels for which there is no record at all: words stand there."""

    @property
    def legend(self) -> Bar | None:
        """The bar where it is drawn."""
        return self.bar if self.bar and self.bar.shown else None

    @property
    def unmarked(self) -> int:
        """The most peers that share the best value and are too many to mark, if not all tie."""
        crowds = Counter(r["peers"] for r in self.rows if r["best"] and not r["bold"])
        level = {r["peers"] for r in self.rows if r["tied"] and not (r["outlined"] or r["dotted"])}
        return max((many for one, many in crowds.items() if one not in level), default=0)


def panel_names(grid: pl.DataFrame, rows: Sequence[Row], entry: Entry) -> Names:
    """What the entry calls things; `rows`: the cells of the grid in words."""
    what, labels = entry.encoding, entry.labels
    numbers = [grid.schema.get(name, pl.String()).is_numeric() for name in entry.panels]
    return Names(
        wording.column(entry.x, labels),
        wording.column(entry.y, labels),
        baseline_words.title(entry) if entry.relative_to else wording.measure(what.color, labels),
        value_format(rows, entry),
        tuple(
            wording.column(name, labels) if number else ""
            for name, number in zip(entry.panels, numbers, strict=True)
        ),
        ordering.axis_runs(grid, entry),
    )


def split_panels(
    rows: Sequence[Row],
    entry: Entry,
    names: Names,
    sentences: Mapping[Place, Sequence[str]],
    verdicts: Mapping[Place, Verdict] | None = None,
) -> list[Panel]:
    """The panels in order; those with a scale in common have the same bar.

    `sentences`, `verdicts`: labels of a panel → what is read out, and shown, of its verdict.
    """
    parts = {place: list(part) for place, part in groupby(rows, key=lambda row: row["panel"])}
    coloured: dict[Place, list[Row]] = {}
    for place, part in parts.items():
        coloured.setdefault(sharing(place, entry), []).extend(part)
    signed = is_signed(rows, entry)
    found = []
    for place, part in parts.items():
        alike = coloured[sharing(place, entry)]
        of = color_scale(alike, entry, signed)
        bar = _bar(alike, of, entry) if of else None
        found.append(_panel(part, bar, entry, names, sentences.get(place, ())))
    style = entry.letters
    letters = [lettered(number, style) if style else "" for number in range(len(found))]
    return [
        replace(
            one,
            verdict=(verdicts or {}).get(one.rows[0]["panel"], NOTHING),
            letter=letter,
            description=f"{letter}: {one.description}" if letter else one.description,
        )
        for one, letter in zip(found, letters, strict=True)
    ]


def lettered(number: int, style: str) -> str:
    """The letter of a panel, in the style of an example: of a they are a to z, then aa, ab."""
    letters, number = "", number + 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    upper = "A" in style
    return style.lower().replace("a", letters.upper() if upper else letters)


def sharing(place: Place, entry: Entry) -> Place:
    """What panels have in common that are coloured alike."""
    rows = entry.rows_split
    return {
        "independent": place, "shared": (), "row": place[:rows], "column": place[rows:],
    }[entry.sharing]  # fmt: skip


def _panel(
    rows: list[Row], bar: Bar | None, entry: Entry, names: Names, sentences: Sequence[str]
) -> Panel:
    place = names.of(rows[0]["panel"])
    title = [part for part in (entry.title, ", ".join(place)) if part]
    rows = marked_cells(rows, entry.marks)
    lettered = letter_cells(rows, bar.scale if bar else None, names.format, entry.uncertainty)
    lettered = annotation.lettered(lettered, entry) if entry.annotate else lettered
    what = (names.x, names.y, names.value)
    if entry.relative_to:
        lettered = baseline_words.marked_cells(lettered, entry)
        said = baseline_words.spoken(" | ".join(title), rows, entry, names.format)
    else:
        each = reasons.within_words(rows, entry).each
        said = words.spoken_panel(" | ".join(title), rows, what, names.format, entry.end, each)
    said = " ".join([said, *(f"{one[0].upper()}{one[1:]}." for one in sentences)])
    name = _data_name("cells", rows[0]["panel"])
    scale = _data_name("colours", sharing(rows[0]["panel"], entry))
    answers = cell_answers(lettered, entry)
    grid = len(entry.panels) > 1 and not entry.nested
    bare = grid and all(row["gap"] == reasons.NOTHING for row in rows)
    blocks = _blocks(entry) if entry.nested else {}
    return Panel(
        name, scale, place, title, lettered, bar, answers, said, NOTHING, blocks=blocks, bare=bare
    )


def _blocks(entry: Entry) -> dict[str, str]:
    """Title → expression of its text: of which block a cell is, which no name above it tells."""
    titles = (wording.column(name, entry.labels) or name for name in entry.panels)
    return {title: f"datum.panel[{n}]" for n, title in enumerate(titles)}


def _data_name(what: str, place: Place) -> str:
    """The name of a data set of panels; no two are alike."""
    return " ".join([what, *(place if len(place) < 2 else map(repr, place))])


def _bar(rows: Sequence[Row], of: Scale, entry: Entry) -> Bar:
    """The bar of a scale; one value alone needs none, unless the user says where it ends."""
    values = {row["value"] for row in rows if not row["missing"]}
    varied = len(values) > 1 or entry.color.domain is not None
    low, high = of.domain
    return bars.Bar(
        value_title(entry), of,
        below=min(values) < low, above=max(values) > high,
        shown=varied if entry.legend is None else entry.legend,
    )  # fmt: skip
