"""table: a metric in rows and columns, as papers print it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from heatproof.kinds.heatmap.views import View
from heatproof.metrics import is_printed

if TYPE_CHECKING:
    from heatproof.kinds.heatmap.entry import Entry as Heatmap


class Encoding(msgspec.Struct, kw_only=True):
    """The columns along x (a column each) and y (a row each), and the metric that is printed."""

    x: str
    y: str
    text: str


class Entry(View, kw_only=True):
    """A table in config.yaml."""

    USUAL: ClassVar[str] = "se"

    encoding: Encoding
    """What lies along x and along y, and which metric is printed."""
    uncertainty: Literal["none", "se", "interval"] = "se"
    """What is printed beside numbers, or below them where there is no room beside."""
    verdict: Literal["dots", "none"] = "dots"
    """Whether dots mark what cannot be told from the best."""
    color: bool = False
    """Ground cells in the colours of their values."""
    palette: str = ""
    """Of the ground."""
    margins: bool = False
    """A last column: the unweighted mean of the numbers of a row, where all are there."""

    def axes(self) -> dict[str, str]:
        what = self.encoding
        return {"x": what.x, "y": what.y, "color": what.text}

    def keys(self) -> dict[str, str]:
        return {"x": "x", "y": "y", "color": "text"}

    def shown_uncertainty(self) -> Literal["none", "se", "interval", "tied"]:
        """Ties are counted wherever they are known: the grid then has the rest as well."""
        asked = self.unknown and self.uncertainty != self.USUAL
        return self.uncertainty if asked or self.verdict == "none" else "tied"

    def cells(self) -> Heatmap:
        heat = super().cells()
        unjudged = self.best == "none" or is_printed(self.encoding.text)
        heat.verdict = "none" if unjudged else self.verdict
        heat.palette = self.palette or ("blues" if self.color else "")
        return heat

    def shows(self) -> str:
        what = self.encoding
        each = f", a part for each {self.panel}" if self.panel else ""
        rows = f"a row for each {what.y}, a column for each {what.x}"
        return self.caption or f"{what.text}, {rows}{each}"

    def drawing(self) -> set[str]:
        return super().drawing() | {"color", "palette", "margins"}

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        if self.palette and not self.color:
            found.append(f".palette: {self.palette!r} colours what `color: true` asks for")
        return found
