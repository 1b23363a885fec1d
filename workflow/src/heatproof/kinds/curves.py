"""Curves through lines (`fit`), and where they cross a level: keys, marks and words.

The grid has the curve of each line in all of its rows (`heatmap.curves`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import spec, theme
from heatproof.charts.spec import data_chart, data_name, datum
from heatproof.config.entries import refused
from heatproof.kinds.picture import Remark
from heatproof.metrics import metric
from heatproof.statistics.fits import LINKS
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import numpy as np
from heatproof.util.numerals import TICK, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.quantity import Domain, Quantity
    from heatproof.charts.series import Styles
    from heatproof.charts.spec import Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.picture import Layers
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import GridRow
    from heatproof.statistics.fits import Form

CURVES, CROSSINGS, LEVELS = "curves", "crossings", "levels"  # begin the names of data sets
STEPS = 64  # from end to end of a curve
APART = 3.0  # between the intervals of two lines, in pt
DIAMOND = 26.0
GAPS = {
    "few": "fewer than three values of {x}",
    "doubtful": "a point has no interval",
    "alike": "all values are the same",
    "flat": "the curve cannot be told apart from a level one",
    "before": "lower than {first}, the lowest {x}",
    "beyond": "higher than {last}, the highest {x}",
    "separated": "no curve can be fitted: all right or all wrong {change}",
}
"""Code of why a curve has no crossing in the data → its words."""
FORMS: Mapping[Form, str] = {
    "logistic": "logistic curve over log2 of {x}",
    "log-linear": "straight line over log2 of {x}",
}


CurvePoint = tuple[float, float]
"""A value of x, and that of the curve there."""


class DrawnCurve(NamedTuple):
    """The curve of a line, in the unit shown, and what is said of its crossing."""

    panel: str
    line: str
    points: Sequence[CurvePoint]  # none where no curve can be fitted
    at: float | None
    low: float | None
    high: float | None
    told: str  # crossing with its interval, or why there is none


def curve_mistakes(question: Question, *, is_even: bool) -> list[Mistake]:
    """What does not go with a curve; `is_even`: values of x stand at equal distances."""
    if question.fit is None:
        why = "crosses no curve: write fit: logistic, or draw the level as a `reference`"
        if question.crossing is None:
            return []
        return [Mistake(".crossing", why)]
    wrong = []
    if is_even:
        why = "values of x stand at equal distances here; draw lines with x_scale: log or linear"
        wrong.append(Mistake(".fit", f"{question.fit!r}: {why}"))
    if question.k:
        why = "all k count the same samples; a curve is fitted over a column of the logs"
        wrong.append(Mistake(".fit", f"{question.fit!r}: {why}"))
    if refused("", metric, question.word):
        return wrong
    shown_metric = metric(question.word)
    bounded = shown_metric.is_share or question.own_unit
    if not bounded or shown_metric.join:
        why = f"needs a mean of scores with two ends, and {question.word} is none"
        return wrong + [Mistake(".fit", f"{question.fit!r} {why}; give the column a `range`")]
    level, (low, high) = question.crossing, question.unit.ends
    if level is not None and not low < level < high:
        why = f"{level:g} is no level between {low:g} and {high:g}"
        wrong.append(Mistake(".crossing", why))
    return wrong


def mistyped(question: Question) -> list[Mistake]:
    """A curve over names."""
    return [Mistake(".fit", f"{question.fit!r} is over numbers, and {question.x!r} has names")]


# ------------------------------------------------------------------------------ what was fitted


def curves_of(
    grid: Grid, question: Question, places: Sequence[tuple[str, str]]
) -> list[DrawnCurve]:
    """The curves of a grid; `places`: label of the panel and name of the line, of each row."""
    rows_of_lines: dict[tuple[str, str], list[GridRow]] = {}
    for place, row in zip(places, grid.iter_rows(named=True), strict=True):
        rows_of_lines.setdefault(place, []).append(row)
    return [_curve(panel, line, rows, question) for (panel, line), rows in rows_of_lines.items()]


def _curve(panel: str, line: str, rows: Sequence[GridRow], question: Question) -> DrawnCurve:
    first = rows[0]
    x = sorted(float(row["x"]) for row in rows if row["value"] is not None)
    points: list[CurvePoint] = []
    if first["curve_slope"] is not None:
        points = _points(first["curve_start"], first["curve_slope"], (x[0], x[-1]), question)
    ends = first["curve_low"], first["curve_high"]
    words = _crossing_words(first["curve_crossing"], ends, first["curve_gap"], x, question)
    return DrawnCurve(panel, line, points, first["curve_crossing"], *ends, words)


def _points(start: float, slope: float, ends: Domain, question: Question) -> list[CurvePoint]:
    """A curve from end to end."""
    x = np.geomspace(*ends, STEPS + 1)
    means = LINKS[question.fit or "logistic"].mean(start + slope * np.log2(x))
    return [
        (float(f"{at:.8g}"), float(f"{question.unit.value(mean):.8g}"))
        for at, mean in zip(x.tolist(), means.tolist(), strict=True)
    ]


def _crossing_words(
    at: float | None,
    ends: tuple[float | None, float | None],
    gap: str | None,
    x: Sequence[float],
    question: Question,
) -> str:
    """A crossing with its interval, in words; without `crossing`, why there is no curve."""
    name = _x_words(question)
    low, high = ends
    if gap is None:
        if at is None:
            return ""
        return f"{_crossing_number(at)} ({_end(low, x)} to {_end(high, x)})"
    first = last = ""
    if x:
        first = show(x[0], TICK)
        last = show(x[-1], TICK)
    text = GAPS[gap].format(x=name, first=first, last=last, change=_change_words(low, high, name))
    if gap == "beyond" and low is not None and low < x[-1]:
        return f"{text} (95\u00a0% interval from {_end(low, x)} on)"
    if gap == "before" and high is not None and high > x[0]:
        return f"{text} (95\u00a0% interval up to {_end(high, x)})"
    return text


def _crossing_number(x: float) -> str:
    """A crossing with three digits, or all before its point."""
    if x >= 1e4:
        return show(x, ".3~s")
    return show(x, f".{max(3, len(f'{x:.0f}'))}~g")


def _end(end: float | None, x: Sequence[float]) -> str:
    """An end of an interval; beyond the data it is not known."""
    if end is None:
        return "?"
    if end <= x[0]:
        return f"below {show(x[0], TICK)}"
    if end >= x[-1]:
        return f"above {show(x[-1], TICK)}"
    return _crossing_number(end)


def _change_words(low: float | None, high: float | None, name: str) -> str:
    """Where values are all right or all wrong."""
    if high is None:
        return f"up to {name} {show(low or 0.0, TICK)}"
    if low is None:
        return f"from {name} {show(high, TICK)} on"
    return f"up to {name} {show(low, TICK)} and from {show(high, TICK)} on"


def level_words(question: Question) -> str:
    """The level with its unit."""
    level = question.crossing or 0.0
    number = show(level, TICK)
    if question.shows_percent:
        return f"{number}\u00a0%"
    return number


def curve_meanings(fitted: Sequence[DrawnCurve], question: Question) -> list[Remark]:
    """What curves are, and where each crosses the level."""
    if question.fit is None:
        return []
    x = _x_words(question)
    remarks = [Remark(FORMS[question.fit].format(x=x), mark="line")]
    meanings = "; ".join(_curve_words(curve) for curve in fitted if curve.told)
    if question.crossing is None:
        if meanings:
            return remarks + [Remark(f"no curve: {meanings}")]
        return remarks
    words = f"{x} at which it crosses {level_words(question)} (95\u00a0% interval)"
    return remarks + [Remark(meanings, mark=words)]


def below_table(fitted: Sequence[DrawnCurve], question: Question) -> list[str]:
    """The crossings, below a table of LaTeX."""
    if question.fit is None or question.crossing is None:
        return []
    x = _x_words(question)
    curve = f"a {FORMS[question.fit].format(x=x)} crosses {level_words(question)}"
    lines = "; ".join(_curve_words(curve) for curve in fitted)
    return [f"{x} at which {curve} (95\u00a0% interval): {lines}"]


def _x_words(question: Question) -> str:
    """The column along x, within a sentence."""
    return question.labels.get(question.x) or question.x.replace("_", " ")


def _curve_words(curve: DrawnCurve) -> str:
    place = curve.line
    if curve.panel:
        place = f"{curve.panel}, {curve.line}"
    return f"{place} {curve.told}"


# ---------------------------------------------------------------------------------------- marks


def curve_rows(fitted: Sequence[DrawnCurve], styles: Styles) -> list[Datum]:
    """The data of curves."""
    rows = []
    for curve in fitted:
        style = styles[curve.line]
        look = {"line": curve.line, "colour": style.colour, "dash": style.dash}
        rows += [{"at": at, "value": value} | look for at, value in curve.points]
    return rows


def crossing_rows(
    fitted: Sequence[DrawnCurve], styles: Styles, x: Quantity, down: float
) -> list[Datum]:
    """The data of crossings with their intervals, in pt, around the level, `down` pt deep."""
    rows: list[Datum] = []
    ends: list[float] = []  # of the last interval in each lane
    for curve in sorted(fitted, key=lambda curve: curve.low or 0.0):
        if curve.at is None or curve.low is None or curve.high is None:
            continue
        at, left, right = (round(x.place(end), 2) for end in (curve.at, curve.low, curve.high))
        lane = next((lane for lane, end in enumerate(ends) if end < left), len(ends))
        ends[lane : lane + 1] = [right]
        side = 1 if lane % 2 else -1
        deep = round(down + side * ((lane + 1) // 2) * APART, 2)
        colour = styles[curve.line].colour
        rows.append({"px": at, "left": left, "right": right, "py": deep, "colour": colour})
    return rows


def curve_layers(axes: Sequence[Any], label: str) -> Layers:
    """The marks of the curves of a panel."""
    base = data_chart(data_name(CURVES, label)).encode(*axes)
    lines = base.mark_line(
        stroke=datum("colour"), strokeWidth=1.3, strokeDash=datum("dash"),
        aria=False,
    )  # fmt: skip
    return [lines.encode(alt.Detail("line:N"), alt.Order("at:Q"))]


def crossing_layers(label: str) -> Layers:
    """The marks of the crossings of a panel."""
    base = data_chart(data_name(CROSSINGS, label))
    colour = datum("colour")
    bars = base.mark_rule(color=colour, strokeWidth=1.6, aria=False)
    diamonds = base.mark_point(
        shape="diamond", size=DIAMOND, fill=colour, stroke=theme.PAPER, strokeWidth=0.6,
        x=datum("px"), y=datum("py"), opacity=1, aria=False,
    )  # fmt: skip
    return [bars.encode(**spec.places(x="left", x2="right", y="py", y2="py")), diamonds]
