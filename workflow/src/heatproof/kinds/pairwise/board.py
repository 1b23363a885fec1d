"""All pairs of models as a board: one matrix, models ranked by their mean lead.

Squares below the diagonal say how far the model of a column is ahead of that of a row; densities
above it show where the instances of both lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, sheet, spec, theme, wording
from heatproof.charts.lettering import SLOPE, Labels, cut_labels, fit_labels, stacked, widest
from heatproof.charts.quantity import clamped
from heatproof.charts.spec import data_chart, datum
from heatproof.kinds import states
from heatproof.kinds.lattice import (
    Box,
    Lattice,
    Line,
    even_spans,
)
from heatproof.kinds.looks import corner_dot_path, dot_path
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.pairwise.entry import CELLS, SMALLEST
from heatproof.kinds.pairwise.pairs import MOST, SAME
from heatproof.kinds.picture import Charts, Picture, Remark, aside
from heatproof.util import numerals
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.spec import ChartKeys, Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Board
    from heatproof.kinds.picture import Layers

BETWEEN = " : "


def board_meanings(board: Board, entry: Entry, full: bool) -> list[Remark]:
    """What squares and densities mean."""
    measure = entry.axis.lower()
    things = entry.question.instances
    text = f"mean {measure} of column − row"
    if entry.win_rates:
        text = f"percent won by column (ties half), by {measure}"
    if full and board.judged:
        text += f"; won{BETWEEN}lost"
    size = numerals.span(pair.n for pair in board.pairs)
    remarks = [Remark(f"{'below' if full else 'squares'}: {text}", f" ({size} {things})")]
    if board.judged:
        remarks.append(Remark("cannot be told apart", _test_words(board, entry), mark="dot"))
    few = sum(bool(pair.why) for pair in board.pairs)
    if few:
        remarks.append(aside(f"of these {few:,} {states.DOUBTS[states.EQUAL_MEANS]}"))
    if full and board.verdicts:
        sides = f"{measure} of column (right half: 1) and row (upper half: 1)"
        remarks.append(Remark(f"above: {things} by {sides}"))
    elif full:
        sides = f"{measure} of column (x) and row (y), 0 to 1"
        black = f"black: {board.fullest:,}; line: equal"
        remarks.append(Remark(f"above: {things} by {sides}; {black}"))
    return remarks


def _test_words(board: Board, entry: Entry) -> str:
    """When a pair cannot be told apart, by how many problems and which test."""
    several = sorted({pair.fewer for pair in board.pairs if pair.fewer})
    by = ""
    if several:
        by = f" by {numerals.span(several)} {entry.units}"
    equal = 50 if entry.win_rates else 0
    count = len(board.pairs)
    how = "paired t"
    if count > 1:
        by = f"{by} for all {count} pairs"
        how = "paired t, Bonferroni"
    return f", {equal} is in the 95 % interval{by} ({how}){sheet.LIKE}"


# ------------------------------------------------------------------------------------------- sizes

LARGEST = 60.0  # side of a square at most
PAIRED = 30.0  # least side of a square with two lines in it, or with a density
NAMES = 0.27  # the part that names of rows may take
GAP, GAP_SMALL = 2.0, 1.0  # between squares
PAD = 5.0  # from names to squares
LIFT = 3.0  # from the squares to the names of columns
LEAD = 4.0  # from names to mean leads beside them
BOLD = 0.93  # width of a regular line as a part of the same in bold
HALF = 0.7  # of the height of a line, as a part of the size of its type: as Vega reckons
HANG = 80.0  # height of an upright name, about
ROOM = 4.0  # around a difference, the gap to the next square included
BAR = 72.0  # height of a colour bar
ROWS = 2  # most lines of the name of a row
BELOW = 2.0
AROUND = 110.0  # height kept free for title, names of columns and lines below
LEAST = 260.0  # a page is no narrower, for the lines below, but where that is asked for
EDGE = 2.5  # of frames that hang out of their squares, and of rounding


@dataclass(frozen=True)
class BoardPlan:
    """Sizes of a board, in pt; places count from the upper left corner of the squares."""

    entry: Entry
    step: float  # from one square to the next
    rows: Mapping[str, Sequence[str]]  # model → lines of its name beside its row
    labels: Labels  # names of columns; on one line where they are turned
    left: float  # room of the names of rows, their mean leads included
    right: float  # what reaches beyond the squares: turned names, a bar beside them
    bar: float = 0.0  # room of a colour bar, for squares without digits
    full: bool = False  # with densities above the diagonal; else the lower triangle alone

    @property
    def side(self) -> float:
        return self.step - (GAP if self.full else GAP_SMALL)

    @cached_property
    def lattice(self) -> Lattice:
        """The squares of all pairs; rows and columns are the models in order."""
        lines = [Line(name, [name]) for name in self.rows]
        spans = even_spans(len(lines), self.step, self.side)
        return Lattice((lines, lines), (spans, spans))

    @property
    def reach(self) -> float:
        """From the edge of the first square to that of the last."""
        return self.lattice.spans[0][-1][1]

    @property
    def above(self) -> float:
        """Room above the squares for the names of columns."""
        # On the diagonal the first name stands highest, and each as much lower as a square is high.
        drop = self.step
        if self.full:
            drop = 0.0
        turn = math.radians(self.labels.angle)
        tops = [0.0]
        for n, lines in enumerate(self.labels.lines.values()):
            high = theme.LEADING * len(lines)
            if turn:
                high = widest(lines, theme.LABEL) * math.sin(turn)
                high += theme.LABEL * HALF * math.cos(turn)
            tops.append(high - n * drop)
        return max(tops) + 2.0 + LIFT + BELOW

    @property
    def sheet(self) -> sheet.Sheet:
        entry = self.entry
        width = self.entry.page_width
        needed = math.ceil(self.left) + self.reach + self.right + EDGE
        if not entry.width:
            width = min(width, max(math.ceil(needed), LEAST))
        margin = max(width - needed, 0.0) / 2
        return sheet.Sheet(
            width=width, above=self.above, below=BELOW, height=self.reach, gap=0.0, rows=1,
            left=math.ceil(margin + self.left),  # Vega rounds it up in any case
            margin=margin, with_id=entry.id, title=entry.title,
        )  # fmt: skip


def plan_board(models: Sequence[str], entry: Entry, number: float, bar: float) -> BoardPlan:
    """The board with squares as large as the names let them be.

    `models`: their names; `number`: width of the widest difference in type of `theme.SMALL`; `bar`:
    room of a colour bar, for a board whose squares have no room for digits.
    """
    count = len(models)
    # The step at most, lest the board is higher than a page.
    high = (entry.page_height - AROUND) / count
    if count <= MOST:
        most = high
        if not entry.width:
            most = min(LARGEST, high)
        plan = _full_plan(models, entry, most)
        if plan.side >= PAIRED:
            return plan
    plan, least = _lower_plan(models, entry, high, number + ROOM, 0.0)
    if plan.step < least:
        plan, _ = _lower_plan(models, entry, high, SMALLEST, bar)
    return plan


def _full_plan(models: Sequence[str], entry: Entry, most: float) -> BoardPlan:
    """The board with densities above the diagonal; `most`: from one square to the next."""
    width = entry.page_width
    rows = stacked(models, NAMES * width * BOLD, ROWS)
    longest = widest(chain(*rows.values()), theme.LABEL, bold=True)
    left = max(longest, widest(["+0.000 on average"], theme.SMALL)) + PAD
    step, labels, hang = _measure_columns(models, width, left + EDGE, most, GAP)
    return BoardPlan(entry, step, rows, labels, left, hang, full=True)


def _lower_plan(
    models: Sequence[str], entry: Entry, high: float, least: float, bar: float
) -> tuple[BoardPlan, float]:
    """The lower triangle alone, perhaps with a colour bar, and `least`: the step it should have."""
    width = entry.page_width
    count = len(models)
    leads = widest(["+0.000"], theme.SMALL) + LEAD + PAD
    # Of a bar that has no room in the empty corner.
    beside = bar
    if count * least - HANG - bar >= BAR:
        beside = 0.0
    spare = (CELLS + NAMES) * width - leads - EDGE - beside - count * least - 1.0
    rows = stacked(models, max(NAMES * width - leads, spare), 1)
    left = widest(chain(*rows.values()), theme.LABEL) + leads
    step, labels, hang = _measure_columns(models, width, left + beside + EDGE, high, GAP_SMALL)
    # A name is cut alike as a column and as a row.
    for text, model in cut_labels(labels.lines).items():
        if widest([text], theme.LABEL) <= left - leads:
            rows[model] = [text]
    return BoardPlan(entry, step, rows, labels, left, hang + beside, bar), least


def _measure_columns(
    models: Sequence[str], width: float, used: float, most: float, gap: float
) -> tuple[float, Labels, float]:
    """The step, names of columns, and how far slanted ones reach beyond the squares."""
    count = len(models)
    room = width - used
    hang = 0.0
    step = min(room / count, most)
    labels = fit_labels(models, step)
    if labels.angle and step * SLOPE >= theme.LEADING:
        reach = widest(models, theme.LABEL) * SLOPE + theme.LABEL * HALF
        most_hang = (1 - CELLS - NAMES) * width
        hang = clamped(reach - step / 2, 0.0, most_hang)
        step = min((room - hang) / count, most)
        labels = fit_labels(models, step, hang)
    # The step, a bit less, at which all squares together are whole pt: Vega rounds the page up.
    return (math.floor(step * count - gap) + gap) / count, labels, hang


# ------------------------------------------------------------------------------------------- marks

FACTS = {
    "Verdict": "datum.verdict", "Column ahead": "datum.won", "Equal": "datum.ties",
    "Row ahead": "datum.lost",
}  # fmt: skip
"""What a square answers beside its two numbers: title → expression of its text."""
HAIRLINE: ChartKeys = {"stroke": "#c8c8c8", "strokeWidth": 0.4}
RANK = "#b8b8b8"
NUMBER = 9.0  # largest type of a difference
GREYS, PALE = ("#e4e4e4", "#000000"), ("#f4f4f4", "#a8a8a8")
"""From one instance in a bin to the most; and where black numbers stand on them."""
FRAME: ChartKeys = {"stroke": "#b0b0b0", "strokeWidth": 0.5}
PARITY: list[ChartKeys] = [
    {"stroke": "#ffffff", "strokeWidth": 1.7},
    {"stroke": "#d6006c", "strokeWidth": 0.7},
]
"""The line of equal models, on a casing that sets it off."""
INSET = 0.02  # of a density's side, left free at its edges


def picture(grid: Grid, entry: Entry) -> Picture:
    """What a board shows and says."""
    board = pairs.read_board(grid, entry)
    bar = _lead_bar(board, entry)
    longest = widest((pair.texts(board.number)[0] for pair in board.pairs), theme.SMALL)
    plan = plan_board(list(board.titles.values()), entry, longest, bar.room + bars.GAP)
    numbers = {model: number for number, model in enumerate(board.titles)}
    spots = [(numbers[pair.x], numbers[pair.y]) for pair in board.pairs]
    squares = [plan.lattice.box(x, y) for x, y in spots]
    densities = []
    if plan.full:  # above the diagonal, where rows and columns change places
        densities = [plan.lattice.box(y, x).within(plan.side * INSET) for x, y in spots]

    def charts() -> Charts:
        data: dict[str, Sequence[Datum]] = {"squares": _square_rows(board, squares, bar)}
        data |= _name_rows(board, plan)
        layers = _square_marks(plan) + _square_names(plan)
        if plan.full:
            layers += _densities(board, plan, data, densities)
        lead = "Won by the column (%), ties half" if entry.win_rates else "Mean of column − row"
        facts = {lead: "datum.lead", pairs.INTERVAL: "datum.between"} | FACTS
        layers.append(_square_answers("squares", ("Column", "Row"), facts))
        if plan.full:
            layers.append(_square_answers("bins", ("x", "y"), pairs.BIN_FACTS))
        row: list[Any] = [alt.LayerChart(layer=layers, width=plan.reach, height=plan.reach)]
        if plan.bar:
            left = -plan.bar
            if plan.right >= plan.bar:
                left = plan.right - plan.bar
            row.append(bars.chart(bar, BAR, 1, 5.0, plan.reach, left + bars.GAP))
        return [row], data

    return Picture(
        shows=entry.shows(),
        sheet=plan.sheet,
        charts=charts,
        mend="fewer `models`",
        spoken=_board_in_words(board, entry),
        meanings=board_meanings(board, entry, plan.full),
        omitted=wording.names_cut(list(cut_labels(plan.rows).values())),
        panels=[box.size(3) for box in squares + densities],
    )


def _board_in_words(board: Board, entry: Entry) -> list[str]:
    """The board in words: the models, and how many pairs can be told apart."""
    models = board.ranking(sorted(board.titles, key=board.rank))
    mean = "mean win rate against" if entry.win_rates else "mean lead over"
    spoken = [f"Pairs of models by {entry.axis}, {mean} the others: {models}."]
    if board.judged:
        apart = sum(pair.apart for pair in board.pairs)
        spoken.append(f"{apart} of {len(board.pairs)} pairs can be told apart.")
    return spoken


def _lead_bar(board: Board, entry: Entry) -> bars.Bar:
    """The colours of the leads: of both signs where models are ahead of better ones."""
    mixed = any(pair.lead < -SAME for pair in board.pairs)
    palette = entry.palette or (colour.SIGNED if mixed or entry.win_rates else colour.USUAL)
    end = max(abs(pair.lead) for pair in board.pairs) or 1.0
    low = 0.0
    if mixed or colour.is_diverging(palette):
        low = -end
    middle = board.center or 0.0
    title = "win rate (%)" if entry.win_rates else "mean difference"
    ends = middle + low, middle + end
    return bars.Bar(title, colour.scale(ends, colour.palette(palette), center=board.center))


def _square_rows(board: Board, boxes: Sequence[Box], bar: bars.Bar) -> list[Datum]:
    """The squares as data: how they look, what stands in them, and what they answer."""
    rows = []
    for pair, box in zip(board.pairs, boxes, strict=True):
        coloured = pair.apart or not pair.judged
        fill = "#ffffff"
        if coloured:
            fill = bar.scale.drawn((board.center or 0.0) + pair.lead)
        won, ties, lost = pair.tallies
        row = _sides(box) | {
            "fill": fill, "ink": colour.ink(fill), "told": coloured, "bold": pair.apart,
            "number": pair.texts(board.number)[0],
            "tally": f"{won}{BETWEEN}{lost}" if pair.judged else "",
        }  # fmt: skip
        answers = {
            "column": board.titles[pair.x], "row": board.titles[pair.y], "lead": pair.texts()[0],
            "between": pair.between, "verdict": pair.verdict, "won": won, "ties": ties,
            "lost": lost,
        }  # fmt: skip
        rows.append(row | answers)
    return rows


def _sides(box: Box) -> Datum:
    """The sides and the middle of a box as data."""
    sides: Datum = {side: _round_place(place) for side, place in box._asdict().items()}
    middle = {"px": (box.left + box.right) / 2, "py": (box.top + box.foot) / 2}
    return sides | {axis: _round_place(place) for axis, place in middle.items()}


def _square_boxes(data: str) -> alt.Chart:
    """The boxes of a data set."""
    return spec.boxed().properties(data=alt.NamedData(data))


def _square_marks(plan: BoardPlan) -> Layers:
    """Squares and their numbers; white with a dot where models cannot be told apart."""
    squares = _square_boxes("squares")
    filled = squares.transform_filter("datum.told")
    hollow = squares.transform_filter("!datum.told")
    texts = data_chart("squares")
    alike = texts.transform_filter("!datum.told")
    path = dot_path(plan.side / 8) if plan.bar else corner_dot_path((plan.side, plan.side))
    marks = [
        filled.mark_rect(fill=datum("fill"), stroke=None, aria=False),
        hollow.mark_rect(fill="#ffffff", aria=False, **HAIRLINE),
        alike.mark_point(
            shape=path, size=4, fill=theme.INK, stroke=None, opacity=1, aria=False,
            x=datum("px"), y=datum("py"),
        ),
    ]  # fmt: skip
    if plan.bar:
        return marks
    style: ChartKeys = {"align": "center", "color": datum("ink"), "aria": False}
    size = max(min(theme.VALUE, plan.side * 0.32), theme.SMALL)
    lift = 0.0
    if plan.full:
        size = min(NUMBER, plan.side * 0.32)
        lift = -size * 0.32
        small = {"fontSize": theme.SMALL + 0.2, "dy": size * 0.75}
        marks.append(spec.texts(texts, "tally", **style, **small))
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    number = spec.texts(texts, "number", **style, fontSize=size, fontWeight=weight, dy=lift)
    return marks + [number]


def _name_rows(board: Board, plan: BoardPlan) -> dict[str, list[Datum]]:
    """Names of rows with their mean leads, of columns, and ranks on the diagonal."""
    words: dict[str, list[Datum]] = {"rows": [], "leads": [], "columns": [], "ranks": []}
    high = theme.line_height(theme.LABEL)

    def word(name: str, x: float, y: float, text: str) -> None:
        words[name].append({"px": _round_place(x), "py": _round_place(y), "text": text})

    for n, (model, name) in enumerate(board.titles.items()):
        middle = n * plan.step + plan.side / 2
        lead = board.lead(model)
        lines = plan.rows[name]
        if plan.full:
            tall = high * len(lines) + theme.line_height(theme.SMALL) - high
            first = middle - tall / 2
            for k, line in enumerate(lines):
                word("rows", -PAD, first + high * k, line)
            word("leads", -PAD, first + high * len(lines) - 0.5, f"{lead} on average")
        else:
            word("rows", -PAD - widest(["+0.000"], theme.SMALL) - LEAD, middle, lines[0])
            word("leads", -PAD, middle, lead)
        word("ranks", middle, middle, str(board.rank(model)))
        # Above the board, or on the diagonal where nothing stands above it.
        top = n * plan.step
        if plan.full:
            top = 0.0
        for k, line in enumerate(list(plan.labels.lines[name])[::-1]):
            up = LIFT
            if not plan.labels.angle:
                up = LIFT + theme.LABEL / 2 - 1.0 + high * k
            word("columns", middle, top - up, line)
    return words


def _square_names(plan: BoardPlan) -> Layers:
    angle = plan.labels.angle
    small = min(11.0, plan.side * 0.7)
    turned: ChartKeys = {"align": "center"}
    if angle:
        turn = -angle % 360
        turned = {"align": "left", "angle": turn}
    weight = "bold" if plan.full else "normal"
    looks: dict[str, ChartKeys] = {
        "rows": {"fontSize": theme.LABEL, "fontWeight": weight, "align": "right"},
        "leads": {"fontSize": theme.SMALL, "color": theme.QUIET, "align": "right"},
        "columns": {"fontSize": theme.LABEL, **turned},
        "ranks": {"fontSize": small, "color": RANK, "align": "center"},
    }
    if small < theme.SMALL:
        del looks["ranks"]
    marks = []
    for name, look in looks.items():
        base = data_chart(name)
        marks.append(spec.texts(base, "text", aria=False, **look))
    return marks


def _densities(
    board: Board, plan: BoardPlan, data: dict[str, Sequence[Datum]], boxes: Sequence[Box]
) -> Layers:
    """Above the diagonal: frames, bins, lines of parity; of verdicts numbers instead of lines."""
    data["frames"] = [_sides(box) for box in boxes]
    data["bins"] = _bin_rows(board, boxes)
    edge = plan.side * INSET
    around = {"x": f"left - {edge}", "x2": f"right + {edge}", "y": f"top - {edge}",
              "y2": f"foot + {edge}"}  # fmt: skip
    frames = data_chart("frames")
    frame = frames.mark_rect(aria=False, fill="#ffffff", **FRAME).encode(**spec.places(**around))
    fill = datum("fill")
    layers = [frame, _square_boxes("bins").mark_rect(fill=fill, stroke=None, aria=False)]
    if not board.verdicts:
        parity = spec.places(x="left", y="foot", x2="right", y2="top")
        return layers + [frames.mark_rule(aria=False, **look).encode(**parity) for look in PARITY]
    size = max(min(theme.VALUE, plan.side * (1 - 2 * INSET) / 4), theme.SMALL)
    numbers = spec.texts(
        data_chart("bins"), "printed", align="center", fontSize=size,
        color=theme.INK, aria=False,
    )  # fmt: skip
    return layers + [numbers]


def _bin_rows(board: Board, boxes: Sequence[Box]) -> list[Datum]:
    """The bins with instances as data; there the same two meet with the better one as the row."""
    colours = GREYS
    if board.verdicts:
        colours = PALE
    most = max(board.fullest, 2)
    ends = 1.0, float(most)
    shades = colour.scale(ends, colours, not board.verdicts)
    rows = []
    for turned, box in zip(board.turned, boxes, strict=True):
        side = box.right - box.left
        x = board.titles[turned.x]
        y = board.titles[turned.y]
        for bin_ in turned.bins:
            count = bin_.samples
            if not count:
                continue
            left = box.left + bin_.x0 * side
            right = box.left + bin_.x1 * side
            top = box.top + (1 - bin_.y1) * side
            foot = box.top + (1 - bin_.y0) * side
            names = {"column": f"{x} {bin_.x_span}", "row": f"{y} {bin_.y_span}"}
            look = {"lead": bin_.lead, "fill": shades.drawn(count)}
            printed = f"{count:,}"
            counts = {"samples": count, "printed": printed}
            sides = _sides(Box(left, top, right, foot))
            rows.append(sides | names | counts | look)
    return rows


def _square_answers(data: str, axes: tuple[str, str], facts: Mapping[str, str]) -> alt.Chart:
    places = dict(zip(axes, ("datum.column", "datum.row"), strict=True))
    return spec.layer(_square_boxes(data), places, facts)


def _round_place(value: float) -> float:
    """A place in pt, without digits that nobody can see."""
    return float(f"{value:.6g}")
