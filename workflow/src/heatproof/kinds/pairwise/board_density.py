"""Above the diagonal of a board: where the instances of each pair of models lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from heatproof.charts import scales, theme
from heatproof.kinds.pairwise import bins, board_words
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.scales import Scale
    from heatproof.kinds.pairwise.board import Board, Duel
    from heatproof.kinds.pairwise.board_layout import Plan

Row = dict[str, Any]
GREYS = ("#e4e4e4", "#000000")
"""From one instance in a bin to the most."""
PALE = ("#f4f4f4", "#a8a8a8")
"""The same where black numbers stand on them."""
FRAME: dict[str, Any] = {"stroke": "#b0b0b0", "strokeWidth": 0.5}
PARITY: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 1.7},
    {"stroke": "#d6006c", "strokeWidth": 0.7},
]
"""The line of equal models, on a casing that sets it off."""
INSET = 0.02
"""Of a density's side, left free at its edges."""
FINE = 25
"""Bins along an axis above which densities are drawn as pictures."""
ANSWERS = 10_000
"""Bins that answer who points at them, at most: each takes 200 bytes of a file."""


def boxes(found: Board, plan: Plan) -> list[list[float]]:
    """Left, top, width and height of the densities, in the order of the board's pairs."""
    place, pad = places(found), plan.side * INSET
    corners = [
        (place[duel.row] * plan.step, place[duel.column] * plan.step) for duel in found.duels
    ]
    inner = plan.side - 2 * pad
    return [[short(at) for at in (x + pad, y + pad, inner, inner)] for x, y in corners]


def answers(found: Board, plan: Plan) -> bool:
    """Whether bins answer who points at them."""
    return plan.full and sum(len(duel.bins) for duel in found.duels) <= ANSWERS


def marks(
    found: Board, plan: Plan, data: dict[str, Sequence[Row]], scale: Literal["log", "linear"]
) -> list[alt.Chart]:
    """Frames, bins, lines of parity; what they are drawn of is added to `data`.

    Of verdicts, with their numbers instead of the line: four bins say all.
    """
    greys = PALE if found.verdicts else GREYS
    shades = scales.scale((1.0, float(max(found.fullest, 2))), greys, scale)
    placed = [*zip(found.duels, boxes(found, plan), strict=True)]
    data["frames"] = [
        {"x": x, "x2": short(x + side), "y": short(y + side), "y2": y}
        for _, (x, y, side, _) in placed
    ]
    fine = found.across > FINE
    if not fine or answers(found, plan):
        data["bins"] = [
            _bin(row, box, shades) | board_words.bin_facts(row, duel, found)
            for duel, box in placed
            for row in duel.bins
        ]
    corners, pad = position(plan, "x", "x2", "y", "y2"), plan.side * INSET
    frame = rows_of("frames").mark_rect(
        aria=False, fill="#ffffff", xOffset=-pad, x2Offset=pad, yOffset=pad, y2Offset=-pad, **FRAME
    )
    if fine:
        data["pictures"] = [
            {"x": x, "y": y, "url": _picture(duel, found.across, shades)}
            for duel, (x, y, *_) in placed
        ]
        inner = plan.side - 2 * pad
        filled = rows_of("pictures").mark_image(
            smooth=False, aspect=False, width=inner, height=inner, align="left", baseline="top"
        )
        filled = filled.encode(*position(plan, "x", "y"), alt.Url("url:N"))
    else:
        filled = rows_of("bins").mark_rect(aria=False)
        filled = filled.encode(*corners, alt.Fill("fill:N", scale=None))
    if found.verdicts:
        return [frame.encode(*corners), filled, _numbers(plan)]
    lines = [rows_of("frames").mark_rule(aria=False, **look).encode(*corners) for look in PARITY]
    return [frame.encode(*corners), filled, *lines]


def _numbers(plan: Plan) -> alt.Chart:
    """How many instances each of four bins has, in its middle."""
    quarter = plan.side * (1 - 2 * INSET) / 4
    middle: alt.Chart = rows_of("bins").mark_text(
        aria=False, fontSize=max(min(theme.VALUE, quarter), theme.SMALL), color=theme.INK,
        baseline="middle", align="center", xOffset=quarter, yOffset=quarter,
    ).encode(*position(plan, "x", "y"), alt.Text("samples:Q", format=","))  # fmt: skip
    return middle


def _bin(row: Row, box: Sequence[float], shades: Scale) -> Row:
    x, y, side, _ = box
    ends = {
        "x": x + row["x0"] * side,
        "x2": x + row["x1"] * side,
        "y": y + (1 - row["y1"]) * side,
        "y2": y + (1 - row["y0"]) * side,
    }
    fill = shades.drawn(row["samples"])
    return {name: short(at) for name, at in ends.items()} | {"fill": fill}


def _picture(duel: Duel, across: int, shades: Scale) -> str:
    held = {(round(r["x0"] * across), round(r["y0"] * across)): r["samples"] for r in duel.bins}
    rows = [{"x0": x, "value": held.get((x, y))} for y in range(across) for x in range(across)]
    return bins.url(rows, shades)


def places(found: Board) -> dict[str, int]:
    """Model → its place in the order, from 0."""
    return {model: n for n, model in enumerate(found.order)}


def short(value: float) -> float:
    """A place in pt, without the digits that none can see."""
    return float(f"{value:.6g}")


def rows_of(data: str) -> alt.Chart:
    """A chart of one of the figure's data sets."""
    return alt.Chart(alt.NamedData(data))


def position(plan: Plan, *names: str) -> list[Any]:
    """Channels of places in pt, from the upper left corner of the board."""
    scale = alt.Scale(domain=[0, plan.reach], range=[0, plan.reach], nice=False, zero=False)
    channels: dict[str, Any] = {
        "x": lambda field: alt.X(field, scale=scale, axis=None),
        "y": lambda field: alt.Y(field, scale=scale, axis=None),
        "x2": alt.X2,
        "y2": alt.Y2,
    }
    return [channels[name](f"{name}:Q") for name in names]
