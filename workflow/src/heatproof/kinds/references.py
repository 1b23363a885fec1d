"""Lines that are no data: a level such as chance, or the diagonal where x and y are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.charts import spec, theme
from heatproof.charts.spec import data_chart
from heatproof.kinds.picture import Remark
from heatproof.util.errors import Mistake
from heatproof.util.numerals import TICK, show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.charts.quantity import Quantity
    from heatproof.charts.spec import Datum
    from heatproof.kinds.lattice import Size
    from heatproof.kinds.picture import Layers

DATA = "references"  # begins the names of their data sets
DASH = (3, 2)
ABOVE = 3.0  # from a line to the middle of its name, beside half a letter
DIAGONAL: Literal["diagonal"] = "diagonal"


class ReferenceLevel(msgspec.Struct):
    """A level of y, and what it is called."""

    value: float
    """In the unit shown."""
    label: str = ""
    """What stands beside the line, such as chance."""


Reference = float | Literal["diagonal"] | ReferenceLevel | list[float | ReferenceLevel] | None


def levels_of(reference: Reference) -> list[ReferenceLevel]:
    """The levels of y among what the config gives."""
    items = reference if isinstance(reference, list) else [reference]
    levels = []
    for item in items:
        if isinstance(item, ReferenceLevel):
            levels.append(item)
        elif isinstance(item, int | float):
            level = ReferenceLevel(float(item))
            levels.append(level)
    return levels


def level_values(reference: Reference) -> list[float]:
    """The levels of y alone."""
    return [level.value for level in levels_of(reference)]


def reference_mistakes(
    reference: Reference, ends: Sequence[float] | None, *, log: bool
) -> list[Mistake]:
    """Levels that the axis of y cannot hold; `ends`: of it, in the config."""
    wrong = []
    for level in levels_of(reference):
        if log and level.value <= 0:
            why = f"{level.value:g} cannot be shown on a log axis; write y_scale: linear"
            wrong.append(Mistake(".reference", why))
        elif ends and not ends[0] <= level.value <= ends[1]:
            why = f"{level.value:g} lies beyond domain {ends}"
            wrong.append(Mistake(".reference", why))
    return wrong


def line_rows(
    reference: Reference, y: Quantity, x: Quantity | None, size: Size, factor: float
) -> list[Datum]:
    """The lines of a panel in pt, each with its name. `factor`: y per x along the diagonal."""
    wide, high = size
    rows: list[Datum] = []
    for level in levels_of(reference):
        down = round(high - y.place(level.value), 2)
        name = down - theme.LABEL / 2 - 1
        row = {"left": 0.0, "right": wide, "start": down, "end": down}
        rows.append(row | {"name": level.label, "px": 2.0, "py": round(name, 2)})
    if reference == DIAGONAL and x is not None:
        low = max(x.domain[0], y.domain[0] / factor)
        top = min(x.domain[1], y.domain[1] / factor)
        if low < top:
            start, end = (high - y.place(value * factor) for value in (low, top))
            row = {"left": x.place(low), "right": x.place(top), "start": start, "end": end}
            row = {name: round(place, 2) for name, place in row.items()}
            rows.append(row | {"name": "", "px": 0.0, "py": 0.0})
    return rows


def reference_layers(data: str) -> Layers:
    """The marks of a data set of lines, their names on white."""
    base = data_chart(data)
    ends = spec.places(x="left", x2="right", y="start", y2="end")
    lines = base.mark_rule(color=theme.LINE, strokeWidth=0.9, strokeDash=list(DASH), aria=False)
    size = {"fontSize": theme.LABEL, "aria": False}
    halo = spec.texts(base, "name", color=theme.PAPER, stroke=theme.PAPER, strokeWidth=2.4, **size)
    names = spec.texts(base, "name", color=theme.INK, **size)
    return [lines.encode(**ends), halo, names]


def meaning(reference: Reference, value_text: Callable[[float], str] | None = None) -> Remark:
    """What the lines are."""
    if reference == DIAGONAL:
        return Remark("dashed line: x and y are equal")
    texts = []
    for level in levels_of(reference):
        number = value_text(level.value) if value_text else show(level.value, TICK)
        texts.append(f"{level.label} ({number})" if level.label else number)
    return Remark(f"dashed line: {', '.join(texts)}" if texts else "")
