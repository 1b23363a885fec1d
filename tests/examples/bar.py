"""bar: a bar for each setting, from 0 to its value, with its interval."""

import math
from typing import Any, ClassVar

from heatproof.charts import quantity, sheet, theme
from heatproof.charts.lettering import APART, PAD, fit_labels
from heatproof.kinds import frame
from heatproof.kinds.picture import Latex, Picture, Remark
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl


class Entry(frame.View, kw_only=True):
    """A bar chart in config.yaml."""

    LOOK: ClassVar[set[str]] = {"domain"}
    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "x", "color": "y"}
    SHOWS: ClassVar[str] = "{y} of each {x}"
    ENDS: ClassVar[dict[str, str]] = {"domain": "y_scale"}

    encoding: frame.DetailEncoding
    """What has a bar each, and which metric is its height."""
    domain: list[float] | None = None
    """Ends of y, in the unit shown."""

    def mistakes(self) -> list[Mistake]:
        own = [Mistake(".encoding.detail", "bars have none; write panel")]
        return super().mistakes() + own * bool(self.encoding.detail)


HIGH, THICK, GAP = 120.0, 0.66, 14.0


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """All that a bar chart shows and says."""
    question, (panels, names) = entry.question, frame.panels_of(grid, entry, frame.Row)
    rows = frame.all_rows(panels)
    most = max(map(len, panels.values()))
    known = [end for row in rows for end in (row.value, row.upper) if end is not None]
    low, high = entry.domain or (min([0.0, *known]), max(known) * 1.05)
    y = quantity.upward((low, high), HIGH, False, frame.value_limits(question))
    left = math.ceil(theme.LABEL + APART + quantity.label_room(y) + APART)
    wide = int(entry.page_width - left - 2)
    labels = fit_labels(tuple(dict.fromkeys(row.y for row in rows)), wide / most)
    page = sheet.Sheet(
        width=entry.page_width, left=left, above=theme.TITLE + 6 if entry.panel else 3.0,
        below=PAD + labels.height + PAD + theme.LABEL, height=round(HIGH), gap=GAP,
        rows=len(panels), margin=0.0, title=entry.title, with_id=entry.id,
    )  # fmt: skip
    boxes = [(round(n * labels.step, 2), 0.0, round(labels.step, 2), HIGH) for n in range(most)]
    spoken = {
        label: f"{label}: " * bool(label) + "; ".join(f"{row.y} {row.told}" for row in part) + "."
        for label, part in panels.items()
    }

    for part in panels.values():
        for row, box in zip(part, boxes, strict=False):
            row.put(box)

    def charts() -> Any:
        data = {f"bars {label}": frame.data_of(part) for label, part in panels.items()}
        return [[_panel(k, spoken[k])] for k in panels], data

    def _panel(label: str, description: str) -> Any:
        band = alt.Scale(type="band", domain=list(labels.all), range=[0, wide], padding=1 - THICK)
        up = y.axis(**frame.y_title([question.value_title], HIGH, left))
        x, scale = alt.X("y:N", scale=band, axis=labels.axis(wide, [names.y])), y.scale(upward=True)
        there = alt.Chart().transform_filter("!datum.missing")
        bars = there.mark_bar(color="#7fb3d5", aria=False)
        bars = bars.encode(x, alt.Y("value:Q", scale=scale, axis=up))
        errors = there.transform_filter("isValid(datum.lower)")
        errors = errors.mark_rule(aria=False, strokeWidth=0.9)
        layers = [bars, errors.encode(x, alt.Y("lower:Q", scale=scale, axis=up), alt.Y2("upper:Q"))]
        layers += [sheet.title([label], 0.0, 4.0, "left", fontWeight="bold")] if label else []
        layers.append(frame.answers(entry, rows, {names.y: "datum.y"}))
        return frame.panel_chart(layers, f"bars {label}", (wide, round(HIGH)), description)

    each = frame.settings_words(entry, entry.encoding.x)
    marks: list[str | Remark] = [frame.errors_meaning(rows, entry, "line"), "–"]
    return Picture(
        shows=f"{question.value_title} of each {each}", noun="bar",
        rows=rows, sheet=page, charts=charts,
        meanings=frame.explain(entry, rows, marks, frame.doubts_of(grid, question)),
        spoken=[f"Bar chart of {frame.spoken_value(entry)} of each {names.y}.", *spoken.values()],
        latex=Latex(
            columns="lrr",
            head=[frame.tex_row([names.y, question.value_title, "95 % interval"])],
            parts={
                label: [frame.tex_row([row.y, row.label, row.between]) for row in part]
                for label, part in panels.items()
            },
            meanings=[],
        ),
    )  # fmt: skip
