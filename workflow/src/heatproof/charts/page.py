"""A chart of any kind on a page: width, typeface, title, notes and the figure's id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.fonts import STACK
from heatproof.charts.spec import MARK
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Figure

HIGH = 0.62
"""Height of a figure as a part of its width."""


def titled(chart: Any, entry: Figure, notes: Sequence[str] = (), words: str = "") -> Any:
    """One chart, or layers of it, fitted to the page that the entry asks for.

    Notes and id stand small below the title. `words`: what is read out to those who cannot see it.
    """
    width = theme.width(entry.width)
    title = alt.TitleParams(entry.title or entry.name, subtitle=[*notes, MARK], anchor="start")
    return chart.properties(
        width=width, height=round(width * HIGH), title=title, config=_config(),
        description=words or entry.shows(),
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    )  # fmt: skip


def _config() -> dict[str, Any]:
    """The theme, with what charts of lines and points need and heatmaps do not."""
    config = theme.config()
    text = {"labelFont": STACK, "titleFont": STACK}
    size = {"labelFontSize": theme.LABEL, "titleFontSize": theme.LABEL}
    lines = {"domain": True, "domainColor": theme.LINE, "ticks": True, "grid": True}
    return config | {
        "axis": {**config["axis"], **lines, "gridColor": theme.FAINT},
        "title": {**config["title"], "offset": 8},
        "legend": {**text, **size, "titleFontWeight": "normal", "symbolSize": 30},
        "line": {"strokeWidth": 1.2},
        "point": {"size": 16},
    }
