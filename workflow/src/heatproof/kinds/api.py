"""What a figure kind must bring, what it may bring, and where its parts are found.

A kind is a folder of `heatproof.kinds`, found by its name, with these modules; the first three it
needs:

    entry        the class `Entry`, named in the folder's `__init__`: its keys in config.yaml
    aggregate    `Aggregate`: samples → the grid
    draw         `Draw`: the grid → a chart
    numbers      `Numbers`: the numbers behind a figure as CSV and LaTeX
    caption      `Caption`: what its caption says
    table        `Table`: the same numbers on the page
    evidence     `Evidence`: what the page tells of a cell that is opened
    trace        `Trace`: the records behind a cell, and the cell counted anew

`numbers`, `caption` and `table` may stand together in one module, `report`.
What it leaves out is told plainly (`heatproof.kinds.plain`). A kind that brings the first three
alone may be one file, `heatproof/kinds/NAME.py`.

No kind imports what its numbers, table, evidence and trace are; a stage finds them by name, and
its digest covers those that it finds. So a cell that is traced in another way redraws no figure.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heatproof import kinds
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds import tables
    from heatproof.kinds.cell_records import Behind, Recounted
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl

NEEDED = ("entry", "aggregate", "draw")
"""Parts that no kind is without."""
REPORT = ("numbers", "caption", "table")
"""Parts that may stand together in a module `report`."""
HERE = Path(__file__).parent


class Aggregate(Protocol):
    """Its `aggregate`. `entry` is of its `Entry`, here and below."""

    def aggregate(
        self, samples: pl.LazyFrame, entry: Any, partial: Sequence[pl.LazyFrame] | None = None
    ) -> pl.DataFrame:
        """The grid: a row per number that the figure shows.

        `partial` holds the counts of the same samples (`samples.counts`) by shards: much shorter.
        Where `Entry.expects` says so, a keyword `logs` (`samples.held`) tells what they declare.
        """


class Draw(Protocol):
    """Its `draw`."""

    def draw(self, grid: pl.DataFrame, entry: Any, *, notes: Sequence[str] = ()) -> alt.SchemaBase:
        """The figure, with `notes` in it: what readers must be told wherever it goes."""


class Numbers(Protocol):
    """Its `numbers`, to be pasted elsewhere."""

    def csv(self, grid: pl.DataFrame, entry: Any) -> str:
        """All of the grid, in its own unit and to the last digit."""

    def latex(self, grid: pl.DataFrame, entry: Any, note: str = "") -> str:
        """A tabular with the rules of the package booktabs; `note` is a comment at its head."""


class Caption(Protocol):
    """Its `caption`, to be pasted below the figure."""

    def caption(self, grid: pl.DataFrame, entry: Any) -> list[str]:
        """Sentences; empty ones are left out."""


class Table(Protocol):
    """Its `table`: the same numbers on the page."""

    def table(self, grid: pl.DataFrame, entry: Any) -> tables.Table:
        """The numbers below the figure, as text."""


class Evidence(Protocol):
    """Its `evidence`: what the page tells of a cell that is opened."""

    def records(
        self,
        samples: Sequence[pl.LazyFrame],
        entry: Any,
        grid: pl.DataFrame,
        partial: Sequence[pl.LazyFrame] | None = None,
    ) -> dict[str, Any]:
        """What lies behind each cell, as plain values without words, as JSON can hold them.

        `samples`, and the `partial` counts of the same, come in portions: held one at a time.
        `entry` may lack what only shapes the drawing (`Entry.drawing`).
        """

    def story(self, found: Mapping[str, Any], entry: Any, grid: pl.DataFrame) -> dict[str, Any]:
        """The same in words; nothing, if cells cannot be opened. `found` comes from `records`."""


class Trace(Protocol):
    """Its `trace`: the records behind a cell, which is a row of the grid."""

    def columns(self, entry: Any, grid: pl.DataFrame) -> list[str]:
        """Columns of the grid that tell one row from another."""

    def value_columns(self, entry: Any, grid: pl.DataFrame) -> list[str]:
        """Columns of the grid that are the numbers of a cell, and not what follows from them."""

    def within(self, samples: pl.LazyFrame, entry: Any, cell: Mapping[str, Any]) -> pl.LazyFrame:
        """The samples that lie in a cell, given by its `columns`."""

    def behind(
        self, samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any, wanted: Mapping[str, str]
    ) -> Behind:
        """The cell that `wanted` names and its records."""

    def recounted(
        self, samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any
    ) -> Iterator[Recounted]:
        """Every cell, counted once more from the samples by other code than that of `aggregate`."""


def read(given: Mapping[str, Any]) -> Any:
    """The typed entry of a figure that a job or a record carries as plain values.

    Raises:
        Error: there is no kind of that name.
        msgspec.ValidationError: it has other keys.
    """
    kind = registry.find(kinds, given["kind"], "kind", "figure kind")
    return msgspec.convert(given, kind.Entry)


def kind(name: str) -> Any:
    """The module, or folder, of a kind."""
    return import_module(f"heatproof.kinds.{name}")


class _Parts:
    """The functions of a kind that is one file: its own, else those that its sort shares."""

    def __init__(self, *rooms: Any) -> None:
        self._rooms = rooms

    def __getattr__(self, name: str) -> Any:
        return next(getattr(room, name) for room in self._rooms if hasattr(room, name))


def part(kind: str, name: str) -> Any:
    """The module that a part of a kind lies in: its own, else the plain one."""
    if (HERE / kind / "__init__.py").is_file():  # a folder may outlive its files
        return import_module(module(kind, name))
    return _Parts(*map(import_module, _rooms(kind)))


def is_view(kind: str) -> bool:
    """Whether a kind is one file with a `picture` of the cells of a heatmap (`frame`)."""
    spec = find_spec(f"{kinds.__name__}.{kind}")
    if spec is None or not spec.origin or spec.submodule_search_locations:
        return False
    return "\ndef picture(" in Path(spec.origin).read_text(encoding="utf-8")


def module(kind: str, name: str) -> str:
    """The name of that module; nothing is loaded."""
    if (HERE / kind / f"{_file(kind, name)}.py").is_file():
        return f"heatproof.kinds.{kind}.{_file(kind, name)}"
    return f"heatproof.kinds.{kind if name in NEEDED or is_view(kind) else 'plain'}"


def _rooms(kind: str) -> list[str]:
    shared = "frame" if is_view(kind) else "plain"
    own = [kind] if find_spec(f"{kinds.__name__}.{kind}") else []
    return [f"heatproof.kinds.{name}" for name in [*own, shared]]


def has(kind: str, name: str) -> bool:
    """Whether a kind tells a part itself."""
    return is_view(kind) or (HERE / kind / f"{_file(kind, name)}.py").is_file()


def _file(kind: str, name: str) -> str:
    together = name in REPORT and (HERE / kind / "report.py").is_file()
    return "report" if together else name
