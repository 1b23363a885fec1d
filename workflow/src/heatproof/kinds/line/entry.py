"""line: a metric over one parameter, a line for each value of another column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.kinds.heatmap.views import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.config.roles import Type


class Encoding(msgspec.Struct, kw_only=True):
    """The column along x, the metric along y, and the column that has a line for each value."""

    x: str
    y: str
    color: str = "model"


class Entry(View, kw_only=True):
    """A line figure in config.yaml."""

    encoding: Encoding
    """Which parameter lies along x, which metric along y, and what has a line each."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """What is drawn around points: nothing, a standard error, or a 95 % interval."""
    errors: Literal["band", "bars"] | None = None
    """How; by default as a band, and over names, where there is nothing between, as bars."""
    x_scale: Literal["linear", "log", "ordinal"] | None = None
    """Where values lie along x; by default linear, and for names, which have no distances, in
    their order, all alike apart."""
    y_scale: Literal["linear", "log"] = "linear"
    """How values lie along y."""
    scale: Literal["independent", "shared"] = "shared"
    """The values along y from the lowest to the highest of each panel, or of all."""
    domain: list[float] | None = None
    """Ends of y, in the unit shown."""
    columns: int | None = None
    """Panels in a row."""
    legend: bool | None = None
    """Name the lines beside their ends, or by default where there is no room in a legend above;
    `true` always above, `false` not at all."""

    def axes(self) -> dict[str, str]:
        what = self.encoding
        return {"x": what.x, "y": what.color, "color": what.y}

    def keys(self) -> dict[str, str]:
        return {"x": "x", "y": "color", "color": "y"}

    def shows(self) -> str:
        what = self.encoding
        each = f", a panel for each {self.panel}" if self.panel else ""
        return self.caption or f"{what.y} over {what.x}, a line for each {what.color}{each}"

    def drawing(self) -> set[str]:
        own = {"errors", "x_scale", "y_scale", "scale", "domain", "columns", "legend"}
        return super().drawing() | own

    def mistyped(self, types: Mapping[str, Type]) -> list[str]:
        x = self.encoding.x
        named = types.get(x) in ("str", "bool")
        if self.x_scale in ("linear", "log") and named:
            what = "names" if types.get(x) == "str" else "yes and no"
            wrong = f"{self.x_scale!r} is for numbers, and {x!r} holds {what}"
            return [f".x_scale: {wrong}; there is ordinal"]
        if x in self.sort and self.x_scale != "ordinal" and not named:
            why = "numbers lie along x as large as they are"
            return [f".sort.{x}: {why}; `x_scale: ordinal` sorts them"]
        return []

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        found += self.wrong_ends("domain", self.domain, "y_scale", self.y_scale)
        found += self.wrong_columns(self.columns)
        if self.errors and self.uncertainty == "none":
            found.append(f".errors: {self.errors!r} asks for what `uncertainty: none` leaves out")
        return found
