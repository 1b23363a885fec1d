"""The cells of a heatmap in words, with flags for its marks; its panels with their colour bars."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain, groupby, product
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from heatproof.charts import bars, colour, units, wording
from heatproof.kinds import picture as pictures
from heatproof.kinds import states
from heatproof.kinds.heatmap import marks, ordering, printed, reasons, words
from heatproof.kinds.heatmap.aggregate import NOTE
from heatproof.kinds.heatmap.entry import GROUPS, METRIC
from heatproof.kinds.heatmap.words import Verdict, doubt
from heatproof.kinds.picture import NONE, Latex, escape, line
from heatproof.metrics import is_printed, is_share, metric
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, few_digits, fitting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.charts.colour import Scale
    from heatproof.kinds.heatmap.entry import Entry, Marks
    from heatproof.kinds.heatmap.ordering import Line

Row = dict[str, Any]
Place = tuple[str, ...]  # labels of a panel: one for each column that panels are split by
Shown = Literal["none", "se", "interval", "tied", "std"]
FRAMES = 3  # peers that may always share the mark of the best; more of them only up to `SHARE`
SHARE = 0.1
CALM = 2.0  # so many times what chance alone would put between them do colours of noise span


# ------------------------------------------------------------------------------ cells in words


def cell_table(grid: pl.DataFrame, entry: Entry, shown: Shown) -> list[Row]:
    """A row per cell in the order of the grid; values in the unit shown, axes and panel as words.

    `gap`: why there is no value, and `state`: its code. `peers`: number of the set of cells that
    are compared. `noted`: what `annotate` prints. `highlighted`: items of `highlight` that name
    the cell.
    Flags: `best`; `missing` (no value); `incomplete` (fewer rows than a complete run holds, or too
    few for a value); `uneven` (its peers hold other problems); `tied` (not told apart from the
    best, or the best, if `shown` is `tied`); `counted` (`se`, `low`, `high` rest on counts alone).
    """
    along = dict(zip(entry.places, entry.along, strict=True))
    names = {key: entry.called(column, grid[key].to_list()) for key, column in along.items()}
    uneven = {*grid.filter(pl.col("samples") > pl.col("common"))["peers"]}
    figures = entry.by_metric()
    units = {word: own.unit for word, own in figures.items()}
    rows = []
    for row in grid.iter_rows(named=True):
        word = entry.metric_of(row)
        unit = units[word]
        missing, gap = row["value"] is None, states.read_gap(row)
        lacking = gap is None or gap.state.is_begun
        rows.append({
            "panel": tuple(names[name][row[name]] for name in entry.panels),
            "x": names["x"][row["x"]],
            "y": names["y"][row["y"]],
            **{key: unit.value(row[key]) for key in ("value", "low", "high")},
            "se": unit.span(row["se"]),
            "best": bool(row["best"]) and not missing,
            "missing": missing,
            "incomplete": lacking if missing else row["epochs"] < row["expected"],
            "uneven": row["peers"] in uneven,
            "tied": shown == "tied" and bool(row["tied"]) and not missing,
            "counted": bool(row.get("reconstructed")),
            "gap": reasons.gap_words(row, figures[word]),
            "state": gap.kind if gap else "",
            **{key: row[key] for key in ("samples", "epochs", "expected", "peers", reasons.TRIED)},
            **({reasons.BROKEN: row[reasons.BROKEN]} if row.get(reasons.BROKEN) else {}),
            **({printed.PROBLEMS: row[printed.PROBLEMS]} if printed.PROBLEMS in row else {}),
            **({METRIC: row[METRIC]} if entry.several else {}),
        })  # fmt: skip
    if entry.annotate:
        rows = [row | note for row, note in zip(rows, _notes(grid, entry), strict=True)]
    rows = _with_frames(rows, grid, entry) if entry.highlight else rows
    return _with_sides(rows, grid, entry) if entry.relative_to else rows


def _notes(grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """`noted`: what `annotate` prints in a cell; of a `deviation` also of how many `values`."""
    notes, beside = grid[NOTE].to_list(), entry.beside
    if beside is None:
        names = entry.called(entry.noted, [note for note in notes if note is not None])
        return [{"noted": "" if note is None else names[note]} for note in notes]
    values = [(beside.unit.span if entry.deviates else beside.unit.value)(note) for note in notes]
    numbers = [value for value in values if value is not None]
    form = entry.note.format
    spec = form or (".1f" if beside.shows_percent else fitting(numbers))
    digits = Digits(spec, fixed=form is not None)
    sign = "±" * bool(entry.deviates)
    texts = ["" if value is None else sign + digits.value(value) for value in values]
    if not entry.deviates:
        return [{"noted": text} for text in texts]
    rows = zip(texts, values, grid["note_samples"], strict=True)
    return [{"noted": text, "deviation": value, "values": n} for text, value, n in rows]


def _with_frames(rows: Sequence[Row], grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """The rows with the items that name each, and the meaning of its frame."""
    items, at = entry.framed, dict(zip(entry.along, entry.places, strict=True))
    numbers = [
        [n for n, item in enumerate(items) if all(cell[at[k]] == v for k, v in item.items())]
        for cell in grid.iter_rows(named=True)
    ]
    for n, item in enumerate(items):
        if not any(n in some for some in numbers):
            what = ", ".join(f"{name}: {value}" for name, value in item.items())
            place = f"figures.{entry.name}.highlight[{n}]"
            raise Error(Mistake(place, f"there is no cell with {what}"))
    texts = [words.highlight_words(some, entry) or "yes" * bool(some) for some in numbers]
    return [
        row | {"highlighted": some, "framed_as": text}
        for row, some, text in zip(rows, numbers, texts, strict=True)
    ]


def _with_sides(rows: Sequence[Row], grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """The rows with both sides of a difference, printed as finely as differences, and the verdict.

    `itself`: a cell is the baseline; `differs`: its interval leaves out 0; `doubtful`: the code of
    why there is no interval; `stands`: one of these in words; `judged`: whether it has one.
    """
    word = entry.word
    percent = is_share(word) and not entry.own_unit
    unit = units.PERCENT if percent else entry.own_unit or units.PLAIN
    sides = [[*map(unit.value, grid[name])] for name in ("own_value", "baseline_value")]
    numbers = [value for side in sides for value in side if value is not None]
    near = [value_digits(rows, entry).step]
    digits = Digits(".1f" if percent else fitting(numbers, near=near, written=is_printed(word)))
    texts = [["" if value is None else digits.value(value) for value in side] for side in sides]
    beside = []
    for row, cell, own, base in zip(rows, grid.iter_rows(named=True), *texts, strict=True):
        itself = cell["is_baseline"] and cell["value"] is not None
        judged = not itself and cell["differs"] is not None
        doubtful, stands = "", words.ITSELF if itself else ""
        if judged:
            stands = words.APART if cell["differs"] else words.ALIKE
        elif not itself and cell["unjudged"]:
            doubtful = cell["unjudged"]
            stands = reasons.doubt_words(doubtful, entry)
        beside.append(row | {
            "own_told": own, "base_told": base, "paired": cell["paired_problems"],
            "itself": itself, "judged": judged, "differs": bool(cell["differs"]),
            "doubtful": doubtful,
            "stands": stands,
        })  # fmt: skip
    return beside


def place(row: Row) -> list[str]:
    """The labels of a cell, in the order of `Entry.along`."""
    return [*row["panel"], row["y"], row["x"]]


def shown_cells(grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """The cells in words, with the marks of the figure."""
    rows = cell_table(grid, entry, "tied")
    digits, marked = all_digits(rows, entry), marked_cells(rows, entry.marks)
    shown = [row | texts(row, digits[entry.metric_of(row)]) for row in marked]
    return mark_differences(shown, entry) if entry.relative_to else shown


def latex(
    parts: Mapping[str, Sequence[Sequence[Row]]], names: Names, text: Callable[[Row], str],
    title: str, meanings: Sequence[str], outer: Sequence[Place] = ((),), nested: bool = False,
) -> Latex:  # fmt: skip
    """Cells as a table of LaTeX.

    `parts`: title of a part → the panels beside each other in it; `text`: of a cell; `title`: over
    all columns; `outer`: labels of the panels beside each other, which are blocks if `nested`.
    """
    across = [(block, x) for block in outer for x in names.lines[0]]
    blocks = [(*block, x.group) for block, x in across]
    inner = len(blocks[0])
    headings = (pictures.tex_heading(blocks, deep) for deep in range(1, inner))
    head = [*chain.from_iterable(headings)]
    wide = len(across) - (not nested and across[-1][1].outer)
    if title or not nested:
        head.append(line(["", rf"\multicolumn{{{wide}}}{{c}}{{{escape(title)}}}"]))
    if not nested:
        head.append(rf"\cmidrule(lr){{2-{wide + 1}}}")
    head += pictures.tex_heading(blocks, inner)
    head.append(line([*map(escape, [names.y, *(x.printed for _, x in across)])]))
    tex = {}
    for part, panels in parts.items():
        own = [[escape(y.printed)] for y in names.lines[1]]
        for (m, y), (_, x), here in chain(*(crossings(rows, names.lines) for rows in panels)):
            mean = mean_text(here, names.numbers.get(here[0].get(METRIC, ""), names.digits), NONE)
            own[m].append(escape(mean) if x.mean or y.mean else text(here[0]))
        for group, lines in groupby(enumerate(names.lines[1]), key=lambda pair: pair[1].group):
            name = ", ".join(filter(None, (part, group)))
            tex[name] = [r"\addlinespace " * y.outer + line(own[n]) for n, y in lines]
    return Latex(columns=f"l{'r' * len(across)}", head=head, parts=tex, meanings=meanings)


def mean_text(rows: Sequence[Row], digits: Digits, none: str) -> str:
    """The mean of cells as printed; `none`: what stands where there is none."""
    mean = mean_of(rows)
    zero = all(row.get("itself") for row in rows)
    return none if mean is None else "0" if zero else digits.value(mean)


def mean_of(rows: Sequence[Row]) -> float | None:
    """The unweighted mean of cells, if all have a value; of differences without the baseline."""
    values = [row["value"] for row in [row for row in rows if not row.get("itself")] or rows]
    return math.fsum(values) / len(values) if values and None not in values else None


def crossings(
    rows: Sequence[Row], lines: Sequence[Sequence[Line]]
) -> Iterator[tuple[tuple[int, Line], tuple[int, Line], list[Row]]]:
    """Each line along y and each along x, by number, with the cells where they meet.

    `rows`: the cells of a panel; `lines`: those along x, and along y.
    """
    by_place = {(row["x"], row["y"]): row for row in rows}
    for y, x in product(enumerate(lines[1]), enumerate(lines[0])):
        yield y, x, [by_place[place] for place in product(x[1].values, y[1].values)]


# --------------------------------------------------------------------------------------- numbers


def all_digits(rows: Sequence[Row], entry: Entry) -> dict[str, Digits]:
    """Metric → how its values are printed."""
    return {
        word: value_digits([row for row in rows if row.get(METRIC, word) == word], own)
        for word, own in entry.by_metric().items()
    }


def value_digits(rows: Sequence[Row], entry: Entry) -> Digits:
    """How the values of one metric are printed: percent with a decimal, else as fits the values."""
    forms = entry.format
    if form := forms.get(entry.word) if isinstance(forms, dict) else forms:
        return Digits(form, fixed=True)
    sign, written = "+" * bool(entry.relative_to), metric(entry.word).printed
    valued = [row for row in rows if not row["missing"]]
    values, errors = [row["value"] for row in valued], [doubt(row) or 0.0 for row in valued]
    if entry.shows_percent and not (written and few_digits(values)):
        return Digits(f"{sign}.1f")
    sets: dict[Any, list[Row]] = {}
    for row in valued:
        sets.setdefault((row.get("panel"), row.get("peers")), []).append(row)
    near = []  # from the best to the next, of each set of cells that are compared
    for peers in sets.values():
        best = [row["value"] for row in peers if row.get("best")]
        others = [row["value"] for row in peers if not row.get("best")]
        near += [min(abs(best[0] - other) for other in others)] if best and others else []
    return Digits(sign + fitting(values, errors, near, written))


def letter_cells(
    rows: Sequence[Row], scale: Scale | None, digits: Digits, shown: Shown
) -> list[Row]:
    """The rows with `texts`, `spread` (second line) and `ink`: black or white, by contrast."""
    return [
        row
        | texts(row, digits)
        | {"spread": spread(row, digits, shown)}
        | {"ink": scale.ink(row["value"]) if scale else "#000000"}
        for row in rows
    ]


def texts(row: Mapping[str, Any], digits: Digits) -> dict[str, str]:
    """Of a cell `label`, and what tables and tooltips have: its value as `told`, and facts."""
    label = "" if row["missing"] else digits.value(row["value"], doubt(row))
    size = row.get(printed.PROBLEMS, row["samples"])
    problems = "–" if size is None else f"{size:,}"
    if "paired" in row:
        problems = "" if printed.PROBLEMS in row else f"{row['paired']:,}"
    error = spread(row, digits, "se")
    return {
        "label": label,
        "told": row["gap"] if row["missing"] else label,
        "error": error.replace("±", "± "),
        "between": _between(row, digits, " to "),
        "size": problems,
        "graded": f"{row['epochs']:,} of {row['expected']:,}",
    }


def _between(row: Mapping[str, Any], digits: Digits, joint: str) -> str:
    if None in (row["value"], row["low"], row["high"]):
        return ""
    ends = (digits.end(row[end], row["value"], doubt(row)) for end in ("low", "high"))
    return joint.join(ends)


def spread(row: Mapping[str, Any], digits: Digits, shown: Shown) -> str:
    """The uncertainty of a cell as printed; empty where it is not known or not asked for."""
    if shown == "std":
        return str(row["noted"])
    if shown == "se" and None not in (row["se"], row["value"]):
        error = digits.error(row["se"], row["value"])
        return f"±{error}" if error else ""
    if shown == "interval":
        return _between(row, digits, " to " if "+" in digits.spec else "–")
    return ""


def cell_answers(rows: Sequence[Row], entry: Entry) -> dict[str, str]:
    """Tooltip of cells: title → expression of its text, for what is known of any cell."""
    facts = words.facts(entry) | {"Highlighted": "framed_as", "Verdict": "stands"}
    known = {title: key for title, key in facts.items() if any(row.get(key) for row in rows)}
    return {entry.value_title: "datum.told"} | {t: f"datum.{key}" for t, key in known.items()}


# --------------------------------------------------------------------------------------- verdicts


def marked_cells(rows: Sequence[Row], verdict: Marks | Literal["dots"]) -> list[Row]:
    """The rows with the marks of a verdict.

    `bold`: the best, unless all its peers tie, or too many share it and nothing is judged.
    `outlined`: the tied set, unless it is all peers. Where an outline would set off the others, see
    `_barred`, these are `excluded`, and the best is `framed`. With dots, as tables have them, the
    best is bold, judged or not, and `dotted` the rest of the tied set.
    """
    groups: dict[int | None, list[Row]] = {}
    for row in rows:
        if not row["missing"]:
            groups.setdefault(row["peers"], []).append(row)
    every = {number for number, peers in groups.items() if all(row["tied"] for row in peers)}
    judged = {number for number, peers in groups.items() if any(row["tied"] for row in peers)}
    shares = {n: (sum(row["best"] for row in peers), len(peers)) for n, peers in groups.items()}
    crowds = {number for number, (best, all_) in shares.items() if best > max(FRAMES, SHARE * all_)}
    dots = verdict == "dots"
    hidden = crowds if dots else every | crowds - judged
    parted = judged - every if verdict == "outline" else set()
    barred, marked = _barred(rows, parted), []
    for row in rows:
        bold, bars = row["best"] and row["peers"] not in hidden, row["panel"] in barred
        among = row["peers"] in parted and not row["missing"]
        marked.append(row | {
            "bold": bold,
            "outlined": among and row["tied"] and not bars,
            "excluded": among and not row["tied"] and bars,
            "framed": bold and among and bars,
            "dotted": dots and row["tied"] and not bold,
        })  # fmt: skip
    return marked


def _barred(rows: Sequence[Row], parted: Collection[Any]) -> set[Any]:
    """Panels with bars instead of an outline; `parted`: the sets in which not all cells tie.

    There more than half of the cells tie, or the tied ones surround others, so that an outline
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


def mark_differences(rows: Sequence[Row], entry: Entry) -> list[Row]:
    """The rows with what differs in `bold`, and the baseline itself as plain 0."""
    marked = entry.uncertainty != "none" and entry.marks != "none"
    zero = {"label": "0", "told": f"0, {words.ITSELF}"}
    return [
        row | {"bold": row["differs"] and marked} | (zero if row["itself"] else {}) for row in rows
    ]


# ----------------------------------------------------------------------------------------- panels


@dataclass(frozen=True)
class Names:
    """The words for axes, values and panels, and how values are printed."""

    x: str
    y: str
    value: str
    numbers: Mapping[str, Digits]  # metric → how its values are printed
    panels: tuple[str, ...]
    """Words before the number of a panel; none before a name."""
    lines: tuple[Sequence[Line], Sequence[Line]] = ((), ())
    """From left to right, and from the top: those of cells and of means."""
    downward: bool = False  # whether the first value of y lies on top

    @property
    def digits(self) -> Digits:
        return next(iter(self.numbers.values()))

    def of(self, place: Place) -> Place:
        return tuple(f"{a} {b}".strip() for a, b in zip(self.panels, place, strict=True))


@dataclass(frozen=True)
class Panel:
    """One small heatmap: its cells, colours, words and verdict."""

    name: str  # of its data set; no two have the same
    place: Place  # its labels, with the words before them
    title: list[str]  # the title of the figure, if any, and the name of the panel
    rows: list[Row]
    bar: Bar | None  # none without any value
    description: str
    verdict: Verdict
    entry: Entry  # of its metric alone
    digits: Digits
    letter: str = ""  # what stands before its name, if panels have letters
    bare: bool = False  # a place in a grid of panels without any record: words stand there

    @property
    def legend(self) -> Bar | None:
        return self.bar if self.bar and self.bar.drawn else None

    @property
    def unmarked(self) -> int:
        """The most peers that share the best value and are too many to mark, if not all tie."""
        crowds = Counter(r["peers"] for r in self.rows if r["best"] and not r["bold"])
        level = {r["peers"] for r in self.rows if r["tied"] and not (r["outlined"] or r["dotted"])}
        return max((many for peers, many in crowds.items() if peers not in level), default=0)


def panel_names(
    grid: pl.DataFrame, rows: Sequence[Row], entry: Entry, downward: bool | None = None
) -> Names:
    """The words of a figure; `rows`: its cells; `downward`: as in `Names`, not as y has it."""
    labels = entry.labels
    downward = ordering.is_downward(grid["y"]) if downward is None else downward
    titled = entry.relative_to or entry.several
    numeric = [grid.schema.get(name, pl.String()).is_numeric() for name in entry.panels]
    before = zip(entry.panels, numeric, strict=True)
    return Names(
        wording.column(entry.x, labels),
        wording.column(entry.y, labels),
        entry.value_title if titled else wording.measure(entry.word, labels),
        all_digits(rows, entry),
        tuple(wording.column(name, labels) if number else "" for name, number in before),
        axis_lines(grid, rows, entry, downward),
        downward,
    )


def axis_lines(
    grid: pl.DataFrame, rows: Sequence[Row], entry: Entry, downward: bool
) -> tuple[list[Line], list[Line]]:
    """The lines along x from left to right, and along y from the top; `rows`: all cells."""
    axes = {}
    for at, name in (("x", entry.x), ("y", entry.y)):
        by, column = entry.grouping.get(name, ""), f"group_{at}"
        groups = grid[column].to_list() if column in grid.columns else [None] * len(grid)
        called = entry.called(by, [group for group in groups if group]) if by else {}
        pairs = zip(rows, groups, strict=True)
        labels = {row[at]: called.get(group, group or "") for row, group in pairs}
        if at == "y" and not downward:
            labels = dict(reversed(labels.items()))
        axes[at] = ordering.lines(labels, GROUPS in entry.means, name in entry.means)
    return axes["x"], axes["y"]


def split_panels(
    rows: Sequence[Row], entry: Entry, names: Names, verdicts: Mapping[Place, Verdict]
) -> list[Panel]:
    """The panels in order; those with a scale in common have the same bar."""
    deep, figures = entry.rows_split, entry.by_metric()
    parts = {place: list(part) for place, part in groupby(rows, key=lambda row: row["panel"])}
    alike_of = {"independent": slice(None), "shared": slice(0), "row": slice(deep)}
    common = alike_of.get(entry.sharing, slice(deep, None))  # labels of panels coloured alike
    coloured: dict[Place, list[Row]] = {}
    for place, part in parts.items():
        coloured.setdefault(place[common], []).extend(part)
    key = f"figures.{entry.name}{'' if entry.domain else '.color_scale'}.domain"
    values = [row["value"] for row in rows if not row["missing"]]
    colour.require_within(values, entry.color.domain, entry.shows_percent, key)
    panels = []
    for n, (place, part) in enumerate(parts.items()):
        word = entry.metric_of(part[0])
        own, beside = figures[word], [row for row in rows if row.get(METRIC, word) == word]
        alike: Sequence[Row] = coloured[place[common]]
        signed = is_signed([*alike, *beside], entry)
        levels = own.shows_percent and not own.relative_to  # their colours reach from 0 to 100
        if not levels and len({row["value"] for row in alike if not row["missing"]}) == 1:
            alike = beside  # one value alone would be the middle of its colours, whatever it is
        letter = lettered(n, entry.letters) if entry.letters else ""
        judged = verdicts.get(place, Verdict())
        bar = _bar(alike, own, signed, judged.noise if len(alike) == len(part) else 0.0)
        called = names
        if entry.several:  # their panels are named by the metric
            called = replace(names, value="values", numbers={word: names.numbers[word]})
        panels.append(_panel(part, bar, own, called, judged, letter))
    return panels


def is_signed(rows: Sequence[Row], entry: Entry) -> bool:
    """Whether values, or the ends that the user gives their colours, lie on both sides of zero."""
    values = [row["value"] for row in rows if not row["missing"]] + (entry.color.domain or [])
    return any(value < 0 for value in values) and any(value > 0 for value in values)


def color_scale(
    rows: Sequence[Row], entry: Entry, signed: bool, ends: list[float] | None = None
) -> Scale | None:
    """The scale on which the values of these rows are coloured; None without values.

    `signed`: the figure has values on both sides of zero, so that a diverging palette is usual, and
    zero in its middle. `ends`: of the colours, instead of those of the entry.

    Raises:
        Error: the scale that the user wants does not hold them.
    """
    wish = structs.replace(entry.color, domain=ends or entry.color.domain)
    values = [row["value"] for row in rows if not row["missing"]]
    name = entry.palette or (colour.USUAL if wish.center is None and not signed else colour.SIGNED)
    if wish.center is None and signed and colour.is_diverging(name):
        wish = structs.replace(wish, center=0.0)
    try:
        share = entry.shows_percent and not entry.relative_to
        return colour.fitted(values, colour.palette(name), wish, share)
    except Error as error:
        place = f"figures.{entry.name}.color_scale"
        raise Error([wrong.below(place) for wrong in error.mistakes]) from None


def _calm_ends(values: Collection[float], entry: Entry, noise: float) -> list[float] | None:
    """Ends of colours by which no value stands out that may differ from others by chance alone.

    They lie `CALM` × `noise` apart around the values, as far as values can be. None where values
    spread further than `noise`, where the user gives ends, and on a log axis: it has ratios.
    """
    asked = entry.color.domain or entry.color.clip or entry.color.type == "log"
    low, high = min(values, default=0.0), max(values, default=0.0)
    if asked or low == high or noise <= high - low:
        return None
    least, most = 0.0 if low >= 0 else -math.inf, math.inf
    if entry.own_unit or entry.shows_percent:
        least, most = entry.unit.ends
    width = min(CALM * noise, most - least)
    start = max(min((low + high - width) / 2, most - width), least)
    return [float(f"{end:.12g}") for end in (start, start + width)]


def _bar(rows: Sequence[Row], entry: Entry, signed: bool, noise: float) -> Bar | None:
    """The bar of a scale; one value alone needs none, unless the user says where it ends."""
    values = {row["value"] for row in rows if not row["missing"]}
    ends = _calm_ends(values, entry, noise)
    if not (scale := color_scale(rows, entry, signed, ends)):
        return None
    low, high = scale.domain
    varied = len(values) > 1 or entry.color.domain is not None
    return bars.Bar(
        "" if entry.several or entry.labels.get(entry.word) == "" else entry.value_title, scale,
        below=min(values) < low, above=max(values) > high, calm=ends is not None,
        drawn=varied if entry.legend is None else entry.legend,
    )  # fmt: skip


def lettered(number: int, style: str) -> str:
    """The letter of a panel, in the style of an example: of a they are a to z, then aa, ab."""
    letters, number = "", number + 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return style.lower().replace("a", letters.upper() if "A" in style else letters)


def is_whole(row: Row) -> bool:
    """Whether no record of the cell is expected."""
    return row["state"] != "" and states.GAPS[row["state"]].is_whole


def is_absent(row: Row) -> bool:
    """Whether nobody tried to make a record of the cell."""
    return row["state"] != "" and states.GAPS[row["state"]].is_absent


def _panel(
    rows: list[Row], bar: Bar | None, entry: Entry, names: Names, judged: Verdict, letter: str
) -> Panel:
    own, nested = rows[0]["panel"], entry.nested
    place = names.of(own)
    title = [part for part in (entry.title, ", ".join(place)) if part]
    rows = marked_cells(rows, entry.marks)
    cells = letter_cells(rows, bar.scale if bar else None, names.digits, entry.uncertainty)
    if entry.annotate:  # on the second line of the cells, or instead of the value
        line = "label" if entry.text is False else "spread"
        cells = [row | {line: "" if row["missing"] else row["noted"] or "–"} for row in cells]
    cells = mark_differences(cells, entry) if entry.relative_to else cells
    description = words.spoken_panel(" | ".join(title), rows, entry, names, judged.words)
    grid = len(entry.panels) > 1 and not nested
    return Panel(
        name=" ".join(["cells", *(own if len(own) < 2 else map(repr, own))]),
        place=place, title=title, rows=cells, bar=bar, verdict=judged, entry=entry,
        digits=names.digits, letter=letter,
        description=f"{letter}: {description}" if letter else description,
        bare=grid and all(map(is_absent, rows)),
    )  # fmt: skip
