"""scatter: one metric against another, such as cost against score, a point for each setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.kinds.heatmap.entry import Encoding as Axes
from heatproof.kinds.heatmap.entry import Entry as Heatmap
from heatproof.kinds.heatmap.views import View

if TYPE_CHECKING:
    from collections.abc import Mapping

ALONG = ("value", "se", "low", "high", "samples", "epochs", "gap")
"""Columns of the grid of what lies along x; in that of the scatter with `x_` before them."""


class Encoding(msgspec.Struct, kw_only=True):
    """The metrics along x and y, and the columns whose values, or pairs of them, have a point."""

    x: str
    y: str
    label: str = "model"
    detail: str | None = None
    """With it points are named by its values, and told apart by colour for those of `label`."""


class Entry(View, kw_only=True):
    """A scatter in config.yaml."""

    encoding: Encoding
    """Which metric lies along x, which along y, and what has a point each."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """What is drawn around points: nothing, a standard error, or a 95 % interval."""
    front: Literal["lowest", "highest", "none"] = "lowest"
    """Which end of x is the good one, for the front of those that no other beats in both; the good
    end of y is `best`."""
    x_scale: Literal["linear", "log"] = "linear"
    """How values lie along x."""
    y_scale: Literal["linear", "log"] = "linear"
    """How values lie along y."""
    x_domain: list[float] | None = None
    """Ends of x, in the unit shown."""
    domain: list[float] | None = None
    """Ends of y, in the unit shown."""
    columns: int | None = None
    """Panels in a row."""

    def axes(self) -> dict[str, str]:
        what = self.encoding
        return {"x": self.spare(what.detail, [what.label]), "y": what.label, "color": what.y}

    def keys(self) -> dict[str, str]:
        return {"x": "detail", "y": "label", "color": "y"}

    def costs(self) -> Heatmap:
        """The heatmap of what lies along x."""
        heat, what = self.cells(), self.encoding
        heat.encoding = Axes(**(self.axes() | {"color": what.x}))
        heat.best = "highest" if self.front == "highest" else "lowest"
        heat.format, heat.percent = None, None
        unknown = what.x != what.y and self._is_unknown(what.x)
        heat.uncertainty = "none" if unknown else heat.uncertainty
        return heat

    def reworded_costs(self, text: str) -> str:
        """What is said of the keys of that heatmap, said of those of this figure."""
        return self.reworded(text.replace("encoding.color", "encoding.\0")).replace("\0", "x")

    def used(self) -> dict[str, str]:
        used = super().used()
        if self.encoding.detail is None:
            used.pop("encoding.detail")  # of no key of the user's
        return used

    def measured(self) -> dict[str, str]:
        found = self.costs().measured()
        return super().measured() | {self.reworded_costs(key): of for key, of in found.items()}

    def metrics(self) -> dict[str, str]:
        found = self.costs().metrics()
        return super().metrics() | {self.reworded_costs(key): of for key, of in found.items()}

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[str]:
        found = self.costs().misranged(ranges)
        return super().misranged(ranges) + [self.reworded_costs(wrong) for wrong in found]

    def voted(self) -> dict[str, str]:
        found = self.costs().voted()
        return super().voted() | {self.reworded_costs(key): of for key, of in found.items()}

    def shows(self) -> str:
        what = self.encoding
        each = f", a panel for each {self.panel}" if self.panel else ""
        of = f"{what.label} and {what.detail}" if what.detail else what.label
        return self.caption or f"{what.y} over {what.x}, a point for each {of}{each}"

    def drawing(self) -> set[str]:
        own = {"front", "x_scale", "y_scale", "x_domain", "domain", "columns"}
        return super().drawing() | own

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        costs = [one for one in self.costs().mistakes() if one.startswith(".encoding.color")]
        found += map(self.reworded_costs, costs)
        found += self.wrong_ends("x_domain", self.x_domain, "x_scale", self.x_scale)
        found += self.wrong_ends("domain", self.domain, "y_scale", self.y_scale)
        found += self.wrong_columns(self.columns)
        if self.front != "none" and self.best == "none":
            found.append(
                ".best: 'none' leaves no good end of y for the front; there is front: none"
            )
        return found
