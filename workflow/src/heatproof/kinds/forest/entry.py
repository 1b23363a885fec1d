"""forest: settings below each other, each with its value and its interval."""

from __future__ import annotations

from typing import Literal

import msgspec

from heatproof.kinds.heatmap.views import View


class Encoding(msgspec.Struct, kw_only=True):
    """The metric along x, and the columns whose values, or pairs of them, have a row each."""

    x: str
    y: str
    detail: str | None = None


class Entry(View, kw_only=True):
    """A forest in config.yaml."""

    encoding: Encoding
    """What lies along y, a row each, and which metric along x."""
    uncertainty: Literal["none", "se", "interval"] = "interval"
    """What is drawn around values: nothing, a standard error, or a 95 % interval."""
    verdict: Literal["ink", "none"] = "ink"
    """Whether what can be told from the best stands back in grey."""
    scale: Literal["linear", "log"] = "linear"
    """How values lie along x."""
    domain: list[float] | None = None
    """Ends of x, in the unit shown."""

    def axes(self) -> dict[str, str]:
        what = self.encoding
        return {"x": self.spare(what.detail, [what.y]), "y": what.y, "color": what.x}

    def keys(self) -> dict[str, str]:
        return {"x": "detail", "y": "y", "color": "x"}

    def used(self) -> dict[str, str]:
        used = super().used()
        if self.encoding.detail is None:
            used.pop("encoding.detail")  # of no key of the user's
        return used

    def shown_uncertainty(self) -> Literal["none", "se", "interval", "tied"]:
        """Ties are counted wherever they are known: the grid then has the rest as well."""
        asked = self.unknown and self.uncertainty != self.USUAL
        return self.uncertainty if asked or self.verdict == "none" else "tied"

    def shows(self) -> str:
        what = self.encoding
        each = f", a part for each {self.panel}" if self.panel else ""
        of = f"{what.y} and {what.detail}" if what.detail else what.y
        return self.caption or f"{what.x} of each {of}{each}"

    def drawing(self) -> set[str]:
        return super().drawing() | {"scale", "domain"}

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        found += self.wrong_ends("domain", self.domain, "scale", self.scale)
        return found
