"""The cells of a heatmap in words, with flags for its marks; its panels with their colour bars."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain, groupby, product
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import structs

from heatproof.charts import bars, colour, units, wording
from heatproof.kinds import picture as pictures
from heatproof.kinds.heatmap import marks, ordering, reasons, words
from heatproof.kinds.heatmap.cell import Cell, Drawn, Place, fields_of, read_cells, side_unit
from heatproof.kinds.heatmap.words import Verdict
from heatproof.kinds.picture import NONE, Latex, escape, line
from heatproof.kinds.question import GROUPS
from heatproof.metrics import is_printed, metric
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, few_digits, fitting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.charts.colour import ColorScale, Scale
    from heatproof.kinds.heatmap.cell import Shown
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.ordering import Line
    from heatproof.kinds.question import Marks, Question

AnyCell = TypeVar("AnyCell", bound=Cell)
AnyDrawn = TypeVar("AnyDrawn", bound=Drawn)
FRAMES = 3  # peers that may always share the mark of the best; more of them only up to `SHARE`
SHARE = 0.1
CALM = 2.0  # so many times what chance alone would put between them do colours of noise span


# ------------------------------------------------------------------------------ cells in words


def place(cell: Cell) -> list[str]:
    """The labels of a cell, in the order of `Question.along`."""
    return [*cell.panel, cell.y, cell.x]


def shown_cells(grid: pl.DataFrame, question: Question) -> list[Drawn]:
    """The cells in words, with the marks of the figure."""
    cells = read_cells(grid, question, "tied")
    numbers, sides = all_digits(cells, question), side_digits(cells, question)
    return letter_cells(marked_cells(cells, question.marks), numbers, question, sides)


def latex(
    parts: Mapping[str, Sequence[Sequence[AnyDrawn]]],
    names: Names, text: Callable[[AnyDrawn], str],
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
            mean = mean_text(here, names.numbers[here[0].metric], NONE)
            own[m].append(escape(mean) if x.mean or y.mean else text(here[0]))
        for group, lines in groupby(enumerate(names.lines[1]), key=lambda pair: pair[1].group):
            name = ", ".join(filter(None, (part, group)))
            tex[name] = [r"\addlinespace " * y.outer + line(own[n]) for n, y in lines]
    return Latex(columns=f"l{'r' * len(across)}", head=head, parts=tex, meanings=meanings)


def mean_text(cells: Sequence[Cell], digits: Digits, none: str) -> str:
    """The mean of cells as printed; `none`: what stands where there is none."""
    mean = mean_of(cells)
    if mean is None:
        return none
    return "0" if all(cell.itself for cell in cells) else digits.value(mean)


def mean_of(cells: Sequence[Cell]) -> float | None:
    """The unweighted mean of cells, if all have a value; of differences without the baseline."""
    others = [cell for cell in cells if not cell.itself]
    values = []
    for cell in others or cells:
        if cell.value is None:
            return None
        values.append(cell.value)
    return math.fsum(values) / len(values) if values else None


def crossings(
    cells: Sequence[AnyCell], lines: Sequence[Sequence[Line]]
) -> Iterator[tuple[tuple[int, Line], tuple[int, Line], list[AnyCell]]]:
    """Each line along y and each along x, by number, with the cells where they meet.

    `cells`: those of a panel; `lines`: those along x, and along y.
    """
    by_place = {(cell.x, cell.y): cell for cell in cells}
    for y, x in product(enumerate(lines[1]), enumerate(lines[0])):
        yield y, x, [by_place[place] for place in product(x[1].values, y[1].values)]


# --------------------------------------------------------------------------------------- numbers


def all_digits(cells: Sequence[Cell], question: Question) -> dict[str, Digits]:
    """Metric → how its values are printed."""
    return {
        word: value_digits([cell for cell in cells if cell.metric == word], own)
        for word, own in question.by_metric().items()
    }


def value_digits(cells: Sequence[Cell], question: Question) -> Digits:
    """How the values of one metric are printed: percent with a decimal, else as fits the values."""
    forms = question.format
    if form := forms.get(question.word) if isinstance(forms, dict) else forms:
        return Digits(form, fixed=True)
    sign, written = "+" if question.relative_to else "", metric(question.word).printed
    values, errors = [], []
    sets: dict[tuple[Place, int | None], list[tuple[float, bool]]] = {}
    for cell in cells:
        if cell.value is not None:
            values.append(cell.value)
            errors.append(cell.typical_error or 0.0)
            sets.setdefault((cell.panel, cell.peers), []).append((cell.value, cell.best))
    if question.shows_percent and not (written and few_digits(values)):
        return Digits(f"{sign}.1f")
    near = []  # from the best to the next, of each set of cells that are compared
    for peers in sets.values():
        best = [value for value, is_best in peers if is_best]
        others = [value for value, is_best in peers if not is_best]
        if best and others:
            near.append(min(abs(best[0] - other) for other in others))
    return Digits(sign + fitting(values, errors, near, written))


def letter_cells(
    cells: Sequence[Cell],
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
    drawn, whats = [], {word: metric(word) for word in numbers}
    for cell in cells:
        digits = numbers[cell.metric]
        lettered = Drawn(**fields_of(cell))
        if cell.value is not None:
            lettered.label = digits.value(cell.value, cell.typical_error)
        elif cell.gap:
            part = question.averaged or ""
            lettered.why = cell.gap.words(whats[cell.metric], part)
        lettered.told = lettered.label or lettered.why
        lettered.error = spread(cell, digits, "se").replace("±", "± ")
        lettered.between = _between(cell, digits, " to ")
        lettered.size = _size(cell)
        lettered.graded = f"{cell.epochs:,} of {cell.expected:,}"
        lettered.spread = spread(cell, digits, shown)
        if scale:
            lettered.ink = scale.ink(cell.value)
        if cell.highlighted:
            lettered.framed_as = words.highlight_words(cell.highlighted, question) or "yes"
        drawn.append(lettered)
    return _letter_sides(drawn, question, sides) if sides else drawn


def _size(cell: Cell) -> str:
    """Of how many problems a cell is."""
    size = cell.problems if cell.printed else cell.samples
    if cell.side is not None:
        if cell.printed:
            return ""
        size = cell.side.problems
    return "–" if size is None else f"{size:,}"


def side_digits(cells: Sequence[Cell], question: Question) -> Digits | None:
    """How both sides of differences are printed: as finely as these."""
    sides = [cell.side for cell in cells if cell.side]
    if not sides:
        return None
    if side_unit(question) == units.PERCENT:
        return Digits(".1f")
    values = [value for side in sides for value in (side.own, side.base) if value is not None]
    near, written = [value_digits(cells, question).step], is_printed(question.word)
    return Digits(fitting(values, near=near, written=written))


def _letter_sides(cells: list[Drawn], question: Question, digits: Digits) -> list[Drawn]:
    """Both sides of differences; what differs is bold."""
    marked = question.uncertainty != "none" and question.marks != "none"
    for cell in cells:
        if cell.side is None:
            continue
        own, base = cell.side.own, cell.side.base
        cell.own_told = "" if own is None else digits.value(own)
        cell.base_told = "" if base is None else digits.value(base)
        cell.bold = cell.differs and marked
        if cell.itself:
            cell.stands = words.ITSELF
            cell.label, cell.told = "0", f"0, {words.ITSELF}"
        elif cell.judged:
            cell.stands = words.APART if cell.differs else words.ALIKE
        elif cell.doubt:
            cell.stands = reasons.doubt_words(cell.doubt, question)
    return cells


def _between(cell: Cell, digits: Digits, joint: str) -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return ""
    ends = (digits.end(end, cell.value, cell.typical_error) for end in (cell.low, cell.high))
    return joint.join(ends)


def spread(cell: Cell, digits: Digits, shown: Shown) -> str:
    """The uncertainty of a cell as printed; empty where it is not known or not asked for."""
    if shown == "std":
        return cell.noted
    if shown == "se" and cell.se is not None and cell.value is not None:
        error = digits.error(cell.se, cell.value)
        return f"±{error}" if error else ""
    if shown == "interval":
        return _between(cell, digits, " to " if "+" in digits.spec else "–")
    return ""


def cell_answers(cells: Sequence[Drawn], question: Question) -> dict[str, str]:
    """Tooltip of cells: title → expression of its text, for what is known of any cell."""
    facts = words.facts(question) | {"Highlighted": "framed_as", "Verdict": "stands"}
    answers = {question.value_title: "datum.told"}
    for title, name in facts.items():
        if any(getattr(cell, name) for cell in cells):
            answers[title] = f"datum.{name}"
    return answers


# --------------------------------------------------------------------------------------- verdicts


def marked_cells(cells: Sequence[Cell], verdict: Marks | Literal["dots"]) -> list[Cell]:
    """The cells with the marks of a verdict.

    `bold`: the best, unless all its peers tie, or too many share it and nothing is judged.
    `outlined`: the tied set, unless it is all peers. Where an outline would set off the others, see
    `_barred`, these are `excluded`, and the best is `framed`. With dots, as tables have them, the
    best is bold, judged or not, and `dotted` the rest of the tied set.
    """
    groups: dict[int | None, list[Cell]] = {}
    for cell in cells:
        if not cell.missing:
            groups.setdefault(cell.peers, []).append(cell)
    every, judged, crowds = set(), set(), set()
    for number, peers in groups.items():
        tied = sum(cell.tied for cell in peers)
        if tied:
            judged.add(number)
        if tied == len(peers):
            every.add(number)
        if sum(cell.best for cell in peers) > max(FRAMES, SHARE * len(peers)):
            crowds.add(number)
    dots = verdict == "dots"
    hidden = crowds if dots else every | (crowds - judged)
    parted = judged - every if verdict == "outline" else set()
    barred, marked = _barred(cells, parted), []
    for cell in cells:
        bars = cell.panel in barred
        among = cell.peers in parted and not cell.missing
        bold = cell.best and cell.peers not in hidden
        changed = structs.replace(
            cell,
            bold=bold,
            outlined=among and cell.tied and not bars,
            excluded=among and not cell.tied and bars,
            framed=bold and among and bars,
            dotted=dots and cell.tied and not bold,
        )
        marked.append(changed)
    return marked


def _barred(cells: Sequence[Cell], parted: Collection[int | None]) -> set[Place]:
    """Panels with bars instead of an outline; `parted`: the sets in which not all cells tie.

    There more than half of the cells tie, or the tied ones surround others, so that an outline
    would set off what it leaves out.
    """
    across = list(dict.fromkeys(cell.x for cell in cells))
    down = list(dict.fromkeys(cell.y for cell in cells))
    judged = Counter[Place]()
    ties: dict[Place, dict[int | None, list[marks.Cell]]] = {}
    for cell in cells:
        if cell.missing or cell.peers not in parted:
            continue
        judged[cell.panel] += 1
        sets = ties.setdefault(cell.panel, {})
        if cell.tied:
            at = across.index(cell.x), down.index(cell.y)
            sets.setdefault(cell.peers, []).append(at)
    barred = set()
    for panel, sets in ties.items():
        many = 2 * sum(map(len, sets.values())) > judged[panel]
        if many or any(map(marks.has_hole, sets.values())):
            barred.add(panel)
    return barred


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
    sides: Digits | None = None  # how both sides of differences are printed

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
    rows: list[Drawn]
    bar: Bar | None  # none without any value
    description: str
    verdict: Verdict
    question: Question  # of its metric alone
    digits: Digits
    letter: str = ""  # what stands before its name, if panels have letters
    bare: bool = False  # a place in a grid of panels without any record: words stand there

    @property
    def legend(self) -> Bar | None:
        return self.bar if self.bar and self.bar.drawn else None

    @property
    def unmarked(self) -> int:
        """The most peers that share the best value and are too many to mark, if not all tie."""
        crowds = Counter(row.peers for row in self.rows if row.best and not row.bold)
        level = {row.peers for row in self.rows if row.tied and not (row.outlined or row.dotted)}
        return max((many for peers, many in crowds.items() if peers not in level), default=0)


def panel_names(
    grid: pl.DataFrame, rows: Sequence[Cell], question: Question, downward: bool | None = None
) -> Names:
    """The words of a figure; `rows`: its cells; `downward`: as in `Names`, not as y has it."""
    labels = question.labels
    downward = ordering.is_downward(grid["y"]) if downward is None else downward
    titled = question.relative_to or question.several
    numeric = [grid.schema.get(name, pl.String()).is_numeric() for name in question.panels]
    before = zip(question.panels, numeric, strict=True)
    return Names(
        wording.column(question.x, labels),
        wording.column(question.y, labels),
        question.value_title if titled else wording.measure(question.word, labels),
        all_digits(rows, question),
        tuple(wording.column(name, labels) if number else "" for name, number in before),
        axis_lines(grid, rows, question, downward),
        downward,
        side_digits(rows, question),
    )


def axis_lines(
    grid: pl.DataFrame, rows: Sequence[Cell], question: Question, downward: bool
) -> tuple[list[Line], list[Line]]:
    """The lines along x from left to right, and along y from the top; `rows`: all cells."""
    axes = {}
    for at, name in (("x", question.x), ("y", question.y)):
        by, column = question.grouping.get(name, ""), f"group_{at}"
        groups = grid[column].to_list() if column in grid.columns else [None] * len(grid)
        called = question.called(by, [group for group in groups if group]) if by else {}
        pairs = zip(rows, groups, strict=True)
        labels = {getattr(row, at): called.get(group, group or "") for row, group in pairs}
        if at == "y" and not downward:
            labels = dict(reversed(labels.items()))
        axes[at] = ordering.lines(labels, GROUPS in question.means, name in question.means)
    return axes["x"], axes["y"]


def split_panels(
    rows: Sequence[Cell], entry: Entry, names: Names, verdicts: Mapping[Place, Verdict]
) -> list[Panel]:
    """The panels in order; those with a scale in common have the same bar."""
    question = entry.question
    deep, figures = question.rows_split, question.by_metric()
    parts = {place: list(part) for place, part in groupby(rows, key=lambda row: row.panel)}
    alike_of = {"independent": slice(None), "shared": slice(0), "row": slice(deep)}
    common = alike_of.get(entry.sharing, slice(deep, None))  # labels of panels coloured alike
    coloured: dict[Place, list[Cell]] = {}
    for place, part in parts.items():
        coloured.setdefault(place[common], []).extend(part)
    key = f"figures.{question.name}{'' if entry.domain else '.color_scale'}.domain"
    values, domain = values_of(rows), entry.color(question.word).domain
    colour.require_within(values, domain, question.shows_percent, key)
    panels = []
    for n, (place, part) in enumerate(parts.items()):
        word = part[0].metric
        own, beside = figures[word], [row for row in rows if row.metric == word]
        alike: Sequence[Cell] = coloured[place[common]]
        signed = is_signed([*alike, *beside], domain)
        levels = own.shows_percent and not own.relative_to  # their colours reach from 0 to 100
        if not levels and len({*values_of(alike)}) == 1:
            alike = beside  # one value alone would be the middle of its colours, whatever it is
        letter = lettered(n, entry.letters) if entry.letters else ""
        judged = verdicts.get(place, Verdict())
        noise = judged.noise if len(alike) == len(part) else 0.0
        bar = _bar(alike, own, entry, signed, noise)
        called = names
        if question.several:  # their panels are named by the metric
            called = replace(names, value="values", numbers={word: names.numbers[word]})
        panels.append(_panel(part, bar, own, entry, called, judged, letter))
    return panels


def values_of(cells: Sequence[Cell]) -> list[float]:
    """The values of cells that have one."""
    return [cell.value for cell in cells if cell.value is not None]


def is_signed(rows: Sequence[Cell], domain: Sequence[float] | None = None) -> bool:
    """Whether values, or the ends that the user gives their colours, lie on both sides of zero."""
    values = [*values_of(rows), *(domain or ())]
    return any(value < 0 for value in values) and any(value > 0 for value in values)


def color_scale(
    rows: Sequence[Cell],
    question: Question,
    wish: ColorScale,
    palette: str | list[str],
    signed: bool,
) -> Scale | None:
    """The scale on which the values of these rows are coloured; None without values.

    `signed`: the figure has values on both sides of zero, so that a diverging palette is usual, and
    zero in its middle.

    Raises:
        Error: the scale that the user wishes does not hold them.
    """
    values = values_of(rows)
    name = palette or (colour.USUAL if wish.center is None and not signed else colour.SIGNED)
    if wish.center is None and signed and colour.is_diverging(name):
        wish = structs.replace(wish, center=0.0)
    try:
        share = question.shows_percent and not question.relative_to
        return colour.fitted(values, colour.palette(name), wish, share)
    except Error as error:
        place = f"figures.{question.name}.color_scale"
        raise Error([wrong.below(place) for wrong in error.mistakes]) from None


def _calm_ends(
    values: Collection[float], question: Question, wish: ColorScale, noise: float
) -> list[float] | None:
    """Ends of colours by which no value stands out that may differ from others by chance alone.

    They lie `CALM` × `noise` apart around the values, as far as values can be. None where values
    spread further than `noise`, where the user gives ends, and on a log axis: it has ratios.
    """
    asked = wish.domain or wish.clip or wish.type == "log"
    low, high = min(values, default=0.0), max(values, default=0.0)
    if asked or low == high or noise <= high - low:
        return None
    least, most = 0.0 if low >= 0 else -math.inf, math.inf
    if question.own_unit or question.shows_percent:
        least, most = question.unit.ends
    width = min(CALM * noise, most - least)
    start = max(min((low + high - width) / 2, most - width), least)
    return [float(f"{end:.12g}") for end in (start, start + width)]


def _bar(
    rows: Sequence[Cell], question: Question, entry: Entry, signed: bool, noise: float
) -> Bar | None:
    """The bar of a scale; one value alone needs none, unless the user says where it ends.

    `question`: of the metric of the rows alone.
    """
    values, wish = {*values_of(rows)}, entry.color(question.word)
    ends = _calm_ends(values, question, wish, noise)
    fitted = structs.replace(wish, domain=ends or wish.domain)
    scale = color_scale(rows, question, fitted, entry.palette, signed)
    if not scale:
        return None
    low, high = scale.domain
    varied = len(values) > 1 or wish.domain is not None
    untitled = question.several or question.labels.get(question.word) == ""
    return bars.Bar(
        "" if untitled else question.value_title,
        scale,
        below=min(values) < low,
        above=max(values) > high,
        calm=ends is not None,
        drawn=varied if entry.legend is None else entry.legend,
    )


def lettered(number: int, style: str) -> str:
    """The letter of a panel, in the style of an example: of a they are a to z, then aa, ab."""
    letters, number = "", number + 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return style.lower().replace("a", letters.upper() if "A" in style else letters)


def _panel(
    rows: list[Cell],
    bar: Bar | None,
    question: Question,
    entry: Entry,
    names: Names,
    judged: Verdict,
    letter: str,
) -> Panel:
    own, nested = rows[0].panel, question.nested
    place = names.of(own)
    title = [part for part in (entry.title, ", ".join(place)) if part]
    marked = marked_cells(rows, question.marks)
    scale = bar.scale if bar else None
    cells = letter_cells(marked, names.numbers, question, names.sides, question.uncertainty, scale)
    if question.annotate:
        _annotate(cells, beside=entry.text is not False)
    description = words.spoken_panel(" | ".join(title), cells, question, names, judged.words)
    grid = len(question.panels) > 1 and not nested
    return Panel(
        name=" ".join(["cells", *(own if len(own) < 2 else map(repr, own))]),
        place=place, title=title, rows=cells, bar=bar, verdict=judged, question=question,
        digits=names.digits, letter=letter,
        description=f"{letter}: {description}" if letter else description,
        bare=grid and all(cell.gap is not None and cell.state.is_absent for cell in cells),
    )  # fmt: skip


def _annotate(cells: Sequence[Drawn], *, beside: bool) -> None:
    """Set what `annotate` prints on the second line of cells, or instead of their value."""
    for cell in cells:
        text = "" if cell.missing else cell.noted or "–"
        if beside:
            cell.spread = text
        elif not cell.itself:
            cell.label = text
