"""What a kind of figure must bring, and where its functions are found.

A kind is a file or a folder of `heatproof.kinds`, found by its name. A file has `Entry`, its keys
in config.yaml, and `picture`; the other functions are made of these by `frame`. A folder names its
`Entry` in its `__init__` and has the functions in modules (`MODULES`), but for those that all kinds
share. A cell is a row of the grid.

- `aggregate(samples, entry, partial=None)` → the grid: a row per number that the figure shows.
  `partial` holds the counts of the same samples (`samples.counts`) by shards: much shorter. Where
  `Entry.expects` says so, a keyword `logs` (`samples.held`) tells what they declare.
- `picture(grid, entry)` → `Picture`: all that the figure shows and says.
- `csv(grid, entry)`: all of the grid in the unit of the logs, which it names.
- Of the one picture, `content`: `latex(grid, entry, content, note="")`: a tabular, with `note` as a
  comment at its head; `table(grid, entry, content)` → `Table`: the same numbers on the page;
  `caption(grid, entry, content)` → sentences, of which empty ones are left out.
- `problem_counts(samples, entry, grid, partial, logs)`: the counts of problems behind the cells, by
  panels, as plain values; empty where they do not give all numbers of the figure.
- `printed_values(grid, entry)` → `PrintedFigure`: the numbers that the figure prints, by address.
- `records(samples, entry, grid, partial=None)`: what lies behind each cell, as plain values without
  words, as JSON can hold them; samples and counts come in portions. `entry` may lack what only
  shapes the drawing (`Entry.drawing`). `story(records, entry, grid, content)`: the same in words.
- `columns(entry, grid)`: those that tell one row of the grid from another; `value_columns(entry,
  grid)`: those that are the numbers of a cell, and not what follows from them.
- `within(samples, entry, cell)` → the samples that lie in a cell, given by its `columns`.
- `behind(samples, grid, entry, cell)` → `Behind`: the cell that `cell` names, and its records.
- `derived_numbers(samples, grid, entry)` → a `DerivedNumber` for each number made of several
  cells, such as a crossing of a line, counted by other code; by default none.
- `recounted(samples, grid, entry)` → a `Recounted` for each cell, by other code than `aggregate`.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import kinds
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.config import entries
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.picture import Picture, Story, Table
    from heatproof.util.lazy import altair as alt

HERE = Path(__file__).parent
MODULES = {
    "aggregate": "aggregate", "picture": "draw", "records": "report", "story": "report",
    "csv": "report", "latex": "report", "caption": "report", "table": "report",
    "printed_values": "printed_cells", "problem_counts": "problem_counts",
}  # fmt: skip
"""Function of a kind → the module of its folder that has it; else `pairs` or `trace` does."""


class FigureKind:
    """The functions of a kind, each imported when it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def draw(
        self, grid: Grid, entry: entries.Figure, *, notes: Sequence[str] = ()
    ) -> alt.TopLevelConcatSpec:
        return FigureTexts(grid, entry).draw(notes)

    def latex(self, grid: Grid, entry: entries.Figure, note: str = "") -> str:
        return FigureTexts(grid, entry).latex(note)

    def caption(self, grid: Grid, entry: entries.Figure) -> list[str]:
        return FigureTexts(grid, entry).caption()

    def table(self, grid: Grid, entry: entries.Figure) -> Table:
        return FigureTexts(grid, entry).table()

    def story(self, records: Mapping[str, Any], entry: entries.Figure, grid: Grid) -> Story:
        return FigureTexts(grid, entry).story(records)

    def __getattr__(self, function: str) -> Any:
        return self.find(function)

    def find(self, function: str) -> Any:
        """The function of that name in the modules of the kind."""
        places = [self._name, "frame", "trace"]
        if not is_file(self._name):
            own_modules = (MODULES.get(function, "trace"), "pairs", "trace")
            places = [f"{self._name}/{module}" for module in own_modules]
            places = [place for place in places if (HERE / f"{place}.py").is_file()]
            places.append("trace")
        for place in places:
            path = place.replace("/", ".")
            module = import_module(f"heatproof.kinds.{path}")
            if hasattr(module, function):
                return getattr(module, function)
        raise AttributeError(f"the kind {self._name} has no {function!r}")


class FigureTexts:
    """A grid as it is drawn and told: all is made of one picture, in the type that is in use."""

    def __init__(self, grid: Grid, entry: entries.Figure) -> None:
        self.grid = grid
        self.entry = entry
        kind = FigureKind(entry.kind)
        self._find = kind.find

    @cached_property
    def content(self) -> Picture:
        """What it shows and says. Raises Error: its cells cannot be drawn as the config says."""
        picture: Picture = self._find("picture")(self.grid, self.entry)
        return picture

    def draw(self, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
        """The chart, with `notes` in it: what readers must know wherever it goes."""
        from heatproof.kinds import picture

        return picture.draw_picture(self.content, self.entry, notes)

    def latex(self, note: str = "") -> str:
        """Its numbers as a table, with `note` as a comment."""
        return str(self._find("latex")(self.grid, self.entry, self.content, note))

    def caption(self) -> list[str]:
        """Sentences, of which empty ones are left out."""
        return list(self._find("caption")(self.grid, self.entry, self.content))

    def table(self) -> Table:
        """Its numbers on the page."""
        numbers: Table = self._find("table")(self.grid, self.entry, self.content)
        return numbers

    def story(self, records: Mapping[str, Any]) -> Story:
        """What the page tells of each cell, from what lies behind it."""
        return {**self._find("story")(records, self.entry, self.grid, self.content)}


def read(block: Mapping[str, Any]) -> Any:
    """The typed entry of a figure that a job or a record carries as plain values.

    Raises:
        Error: there is no kind of that name.
        msgspec.ValidationError: it has other keys.
    """
    return msgspec.convert(block, registry.find(kinds, block["kind"], "kind", "figure kind").Entry)


def kind(name: str) -> FigureKind:
    """A kind by its name."""
    return FigureKind(name)


def is_file(name: str) -> bool:
    """Whether a kind is one file, which shows the cells of a heatmap (`frame`)."""
    folder = HERE / name
    return not (folder / "__init__.py").is_file()
