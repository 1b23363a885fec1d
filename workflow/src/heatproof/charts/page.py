"""A chart of any kind on a page: width, typeface, title, notes and the figure's id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.spec import MARK
from heatproof.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config import Figure

HIGH = 0.62
"""Height of a figure as a part of its width."""


def titled(chart: Any, entry: Figure, notes: Sequence[str] = (), words: str = "") -> Any:
    """One chart, or layers of it, fitted to the page that the entry asks for.

    Notes and id stand small below the title. `words`: what is read out to those who cannot see it.
    """
    width = theme.width(entry.width)
    title = alt.TitleParams(entry.title or entry.name, subtitle=[*notes, MARK], anchor="start")
    return chart.properties(
        width=width, height=round(width * HIGH), title=title, config=theme.config(),
        description=words or entry.shows(),
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    )  # fmt: skip
