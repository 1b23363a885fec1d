"""draw, as a board: one matrix of all pairs of models.

Below the diagonal how far the model of a column is ahead of that of a row, above it where the
instances of both lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, colour, scales, sheet, spec, theme, wording
from heatproof.charts.bars import Bar
from heatproof.charts.lettering import widest
from heatproof.kinds.pairwise import board, board_layout, board_words, naming
from heatproof.kinds.pairwise import board_density as density
from heatproof.kinds.pairwise.board_density import places, position, rows_of, short
from heatproof.kinds.pairwise.board_layout import BAR, LEAD, LIFT, PAD, TITLE
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.scales import Domain
    from heatproof.kinds.pairwise.board import Board, Duel
    from heatproof.kinds.pairwise.board_layout import Plan
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

Row = dict[str, Any]
DASH: dict[str, Any] = {"stroke": theme.LINE, "strokeWidth": 0.6, "strokeDash": [2, 2]}
HAIRLINE: dict[str, Any] = {"stroke": "#c8c8c8", "strokeWidth": 0.4}
RANK = "#b8b8b8"
NUMBER = 9.0
"""Largest type of a difference."""


def draw(grid: pl.DataFrame, entry: Entry, notes: Sequence[str]) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the board."""
    found = board.read(grid, entry)
    names = [found.called[model] for model in found.order]
    number = board_words.number(found)
    colours = colour.palette(_palette(found, entry))
    bar = Bar("mean difference", scales.scale(_domain(found, entry), colours))
    room = bar.room + bars.GAP
    longest = widest((show(one.lead, number) for one in found.duels), theme.SMALL)
    plan = board_layout.plan(names, entry, longest, room)
    shown = dict(zip(names, plan.names, strict=True))
    said = [
        *notes,
        *board_words.meanings(found, entry, plan.full),
        *naming.key(shown),
    ]
    lines = sheet.lines(said, [], plan.sheet.text) if entry.footer else []
    chart = _composed(found, plan, bar, entry, lines, number)
    silent = plan.full and not density.answers(found, plan)
    left_out = board_words.omitted(naming.cut(shown), silent, density.ANSWERS)
    left_out += wording.beyond_page(plan.sheet.tall(lines), entry, "fewer `models`")
    return spec.with_panels(spec.with_omitted(chart, left_out), _boxes(found, plan))


def _boxes(found: Board, plan: Plan) -> list[list[float]]:
    """Where cells can be opened: the squares, then the densities, if there are any."""
    place, side = density.places(found), density.short(plan.side)
    squares = [
        [density.short(place[model] * plan.step) for model in (duel.column, duel.row)] + [side] * 2
        for duel in found.duels
    ]
    return [*squares, *(density.boxes(found, plan) if plan.full else [])]


def _palette(found: Board, entry: Entry) -> str | list[str]:
    return entry.palette or (colour.SIGNED if found.mixed else colour.USUAL)


def _domain(found: Board, entry: Entry) -> Domain:
    """From 0 to the largest difference, or as far below as above."""
    end = found.furthest or 1.0
    both = found.mixed or colour.is_diverging(_palette(found, entry))
    return (-end if both else 0.0), end


def _composed(
    found: Board, plan: Plan, bar: Bar, entry: Entry, lines: Sequence[str], number: str
) -> alt.TopLevelConcatSpec:
    squares = [_square(duel, found, plan, bar, number) for duel in found.duels]
    data: dict[str, Sequence[Row]] = {"squares": squares}
    layers = [*_square_marks(plan), *_names(found, plan, data, entry.title)]
    if plan.full:
        layers += density.marks(found, plan, data, entry.count_scale(found.verdicts))
    layers.append(_answering("squares", plan, board_words.SQUARE_PLACES, board_words.SQUARE_FACTS))
    if density.answers(found, plan):
        layers.append(_answering("bins", plan, board_words.BIN_PLACES, board_words.BIN_FACTS))
    words = board_words.spoken(found, entry.axis)
    view = alt.LayerChart(layer=layers, width=plan.reach, height=plan.reach)
    charts: list[Any] = [view]
    if not plan.digits:
        at = plan.right - plan.bar if plan.right >= plan.bar else -plan.bar
        charts.append(bars.chart(bar, "colours", BAR, 1, 5.0, plan.reach, at + bars.GAP))
        data["colours"] = bars.slices(bar, BAR)
    return plan.sheet.assemble([charts], data, lines, words)


def _square(duel: Duel, found: Board, plan: Plan, bar: Bar, number: str) -> Row:
    """What is drawn of a pair below the diagonal, and what it answers."""
    place = places(found)
    x, y = (place[model] * plan.step for model in (duel.column, duel.row))
    told = duel.apart or not duel.judged
    fill = bar.scale.drawn(duel.lead) if told else "#ffffff"
    return {
        "x": short(x),
        "x2": short(x + plan.side),
        "y": short(y),
        "y2": short(y + plan.side),
        "fill": fill,
        "ink": colour.ink(fill),
        "told": told,
        "bold": duel.apart,
        **board_words.square(duel, found, number),
    }


def _square_marks(plan: Plan) -> list[alt.Chart]:
    """Squares and what stands in them: dashed and white where there is no difference to tell."""
    box = position(plan, "x", "x2", "y", "y2")
    fill = alt.Fill("fill:N", scale=None)
    filled = rows_of("squares").transform_filter("datum.told").mark_rect(aria=False)
    edge = DASH if plan.full else HAIRLINE
    hollow = rows_of("squares").transform_filter("!datum.told")
    found = [
        filled.encode(*box, fill),
        hollow.mark_rect(aria=False, fill="#ffffff", **edge).encode(*box),
    ]
    if plan.digits:
        size = min(NUMBER, plan.side * 0.32) if plan.full else _digits(plan)
        lift = -size * 0.32 if plan.full else 0.0
        for bold in (True, False):
            base = rows_of("squares").transform_filter("datum.bold" if bold else "!datum.bold")
            weight: Any = "bold" if bold else "normal"
            found.append(_text(base, plan, "number", size, lift, weight))
        if plan.full:
            below = rows_of("squares")
            found.append(_text(below, plan, "tally", theme.SMALL + 0.2, size * 0.75, "normal"))
    return found


def _digits(plan: Plan) -> float:
    """Type of differences in small squares."""
    return max(min(theme.VALUE, plan.side * 0.32), theme.SMALL)


def _text(
    base: alt.Chart, plan: Plan, field: str, size: float, lower: float, weight: Any
) -> alt.Chart:
    middle: alt.Chart = base.mark_text(
        aria=False, fontSize=size, fontWeight=weight, baseline="middle", align="center",
        xOffset=plan.side / 2, yOffset=plan.side / 2 + lower,
    ).encode(*position(plan, "x", "y"), alt.Text(f"{field}:N"), _ink())  # fmt: skip
    return middle


def _ink() -> alt.Color:
    return alt.Color("ink:N", scale=None)


def _names(found: Board, plan: Plan, data: dict[str, Sequence[Row]], title: str) -> list[alt.Chart]:
    """Names of rows with their mean leads, of columns, ranks on the diagonal, and the title."""
    leads, ranks = found.leads, found.ranks
    number = board_words.number(found)
    rows: list[Row] = []
    quiet: list[Row] = []
    diagonal: list[Row] = []
    for n, model in enumerate(found.order):
        middle = n * plan.step + plan.side / 2
        lead = show(leads[model], number)
        lines = plan.rows[n]
        high = theme.line_height(plan.name)
        if plan.full:
            first = middle - (high * len(lines) + theme.line_height(theme.SMALL) - high) / 2
            rows += [_word(-PAD, first + high * k, line) for k, line in enumerate(lines)]
            quiet.append(_word(-PAD, first + high * len(lines) - 0.5, f"{lead} on average"))
        else:
            name_at = -PAD - widest(["+0.000"], theme.SMALL) - LEAD
            rows.append(_word(name_at, middle, lines[0]))
            quiet.append(_word(-PAD, middle, lead))
        diagonal.append(_word(middle, middle, str(ranks[model])))
    data |= {"rows": rows, "leads": quiet, "ranks": diagonal, "columns": _columns(plan)}
    right: dict[str, Any] = {"align": "right", "baseline": "middle", "aria": False}
    weight: Any = "bold" if plan.full else "normal"
    small = min(11.0, plan.side * 0.7)
    turned: dict[str, Any] = (
        {"align": "left", "angle": plan.angle % 360} if plan.angle else {"align": "center"}
    )
    marks = [
        _written("rows", plan, fontSize=plan.name, fontWeight=weight, **right),
        _written("leads", plan, fontSize=theme.SMALL, color=theme.QUIET, **right),
        _written("columns", plan, fontSize=plan.name, baseline="middle", aria=False, **turned),
    ]
    if small >= theme.SMALL:
        marks.append(
            _written("ranks", plan, fontSize=small, color=RANK, align="center",
                     baseline="middle", aria=False)
        )  # fmt: skip
    if title:
        lift = plan.above - theme.line_height(TITLE) + 2.0
        marks.append(sheet.title([title], -plan.left, lift, "left", TITLE, fontWeight=600))
    return marks


def _word(x: float, y: float, text: str) -> Row:
    return {"x": short(x), "y": short(y), "text": text}


def _written(data: str, plan: Plan, **how: Any) -> alt.Chart:
    made: alt.Chart = rows_of(data).mark_text(**how)
    return made.encode(*position(plan, "x", "y"), alt.Text("text:N"))


def _columns(plan: Plan) -> list[Row]:
    """Names of columns: above the board, or on the diagonal where nothing stands above it."""
    found = []
    for n, lines in enumerate(plan.columns):
        middle, top = n * plan.step + plan.side / 2, 0.0 if plan.full else n * plan.step
        high = theme.line_height(plan.name)
        for k, line in enumerate(lines[::-1]):
            up = LIFT if plan.angle else LIFT + plan.name / 2 - 1.0 + high * k
            found.append(_word(middle, top - up, line))
    return found


def _answering(
    data: str, plan: Plan, places: Mapping[str, str], facts: Mapping[str, str]
) -> alt.Chart:
    base = rows_of(data).encode(*position(plan, "x", "x2", "y", "y2"))
    return spec.layer(base, places, facts)
