"""What kinds share that show the cells of a heatmap otherwise: as lines, rows, points.

Such a figure has the grid of a heatmap, so that aggregate, trace, evidence and numbers of a heatmap
are its own too, asked with `View.cells`. Its keys may lie elsewhere in its entry: the messages of a
heatmap are told with those of the figure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from heatproof.config.entries import Figure, Word, of_kind
from heatproof.kinds.heatmap.entry import Encoding, Entry
from heatproof.kinds.heatmap.ordering import Order  # noqa: TC001  msgspec looks it up
from heatproof.metrics import metric
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.config.roles import Type

SPARE = ("scorer", "task", "model", "run")
"""Columns of every source, the first of which has one value in most."""
_KEY = re.compile(r"\bencoding\.(x|y|color)\b")


class View(Figure, kw_only=True):
    """A figure of the cells of a heatmap."""

    USUAL: ClassVar[str] = "interval"
    """What `uncertainty` is by default."""

    panel: str | None = None
    """A panel for each value of this column."""
    mean_over: str | None = None
    """Numbers are the unweighted mean over the values of this column."""
    pool: list[str] = []
    """Columns whose values may be mixed in a number."""
    family: str | None = None
    """A regular expression whose one group names, in the id of a sample, the family it is of."""
    best: Literal["highest", "lowest", "none"] = "highest"
    """Which end of the values is marked as best, if any is."""
    sort: dict[str, list[Word] | Order] = {}
    """Column → its values in the order in which they are shown, or a word for it (`ordering`)."""
    format: str | None = None
    """How values are printed, such as `.2f` (a format of d3); by default what fits them."""
    percent: bool | None = None
    """Show values × 100; by default for scores."""
    footer: bool = True
    """Lines below the figure: notes, and what its marks mean."""
    id: bool = True
    """The figure's id in its corner; the provenance record is in its files all the same."""

    def axes(self) -> dict[str, str]:
        """`x`, `y` and `color` of the heatmap with the same cells."""
        raise NotImplementedError

    def keys(self) -> dict[str, str]:
        """These three → what the same is called under `encoding` of this figure."""
        raise NotImplementedError

    def shown_uncertainty(self) -> Literal["none", "se", "interval", "tied"]:
        """That of the heatmap: what the grid must know.

        Of another metric than a mean nothing is known, and the default asks for nothing.
        """
        return "none" if self.unknown and self.uncertainty == self.USUAL else self.uncertainty

    @property
    def unknown(self) -> bool:
        """Whether the metric is one of whose uncertainty nothing is known."""
        return self._is_unknown(self.axes()["color"])

    @staticmethod
    def _is_unknown(word: str) -> bool:
        try:
            return metric(word).join is not None and not metric(word).printed
        except Error:
            return False  # it is told as a mistake

    def cells(self) -> Entry:
        """The heatmap with the same cells."""
        shared = {field.name for field in msgspec.structs.fields(View)}
        given = {name: getattr(self, name) for name in sorted(shared)}
        told = {"kind": "heatmap", "uncertainty": self.shown_uncertainty()}
        return Entry(**given | told, encoding=Encoding(**self.axes()))

    def spare(self, given: str | None, used: list[str]) -> str:
        """The column `given`, or one with one value, so that no axis has more cells by it.

        The heatmap has two axes, and this figure may have one.
        """
        taken = {*used, self.panel, self.mean_over, *self.pool}
        return given or next(name for name in SPARE if name not in taken)

    def wrong_ends(
        self, key: str, ends: list[float] | None, scale_key: str, scale: str
    ) -> list[str]:
        """What is wrong with the ends of an axis of numbers."""
        if ends is None:
            return []
        if not (len(ends) == 2 and ends[0] < ends[1]):
            return [f".{key}: {ends!r} is not [lowest, highest]"]
        if scale == "log" and ends[0] <= 0:
            return [f".{key}: {ends!r} begins at 0 or below, where {scale_key}: log ends"]
        return []

    def wrong_columns(self, columns: int | None) -> list[str]:
        """What is wrong with the number of panels in a row."""
        if columns is None:
            return []
        found = [f".columns: {columns} is not 1 or more"] if columns < 1 else []
        none = ".columns: there is one panel; `panel` names the column that makes more"
        return found + ([none] if self.panel is None else [])

    def reworded(self, text: str) -> str:
        """What is said of the keys of the heatmap, said of those of this figure."""
        return _KEY.sub(lambda found: f"encoding.{self.keys()[found[1]]}", text)

    def used(self) -> dict[str, str]:
        return {self.reworded(key): column for key, column in self.cells().used().items()}

    def measured(self) -> dict[str, str]:
        return {self.reworded(key): column for key, column in self.cells().measured().items()}

    def asks_uncertainty(self) -> bool:
        return super().asks_uncertainty() and self.uncertainty != self.USUAL

    def metrics(self) -> dict[str, str]:
        return {self.reworded(key): word for key, word in self.cells().metrics().items()}

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[str]:
        return [self.reworded(wrong) for wrong in self.cells().misranged(ranges)]

    def voted(self) -> dict[str, str]:
        return {self.reworded(key): word for key, word in self.cells().voted().items()}

    def spelled(self) -> dict[str, tuple[str, list[Word]]]:
        return self.cells().spelled()

    def labelled(self) -> list[str]:
        return self.cells().labelled()

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        sort = {
            column: of_kind(order, types.get(column)) if isinstance(order, list) else order
            for column, order in self.sort.items()
        }
        return msgspec.structs.replace(super().fitted(types), sort=sort)

    def expects(self) -> bool:
        return True

    def drawing(self) -> set[str]:
        return super().drawing() | {"format", "percent", "footer", "id"}

    def mistakes(self) -> list[str]:
        return [self.reworded(mistake) for mistake in self.cells().mistakes()]

    @property
    def shows_percent(self) -> bool:
        """Whether values are shown × 100."""
        return self.cells().shows_percent
