"""What a kind of figure must bring, and where its functions are found.

A kind is a file or a folder of `heatproof.kinds`, found by its name. A file has `Entry`, its keys
in config.yaml, and `picture`, all that a figure shows and says; the functions of `Kind` are made of
these by `frame`. A folder names its `Entry` in its `__init__` and has the functions in modules
(`MODULES`), but for those that all kinds share.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heatproof import kinds
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds import picture
    from heatproof.kinds.trace import Behind, Recounted
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl

MODULES = {
    "aggregate": "aggregate",
    "draw": "draw",
    "csv": "report", "latex": "report", "caption": "report", "table": "report",
    "records": "evidence", "story": "evidence",
    "columns": "trace", "value_columns": "trace", "within": "trace", "behind": "trace",
    "recounted": "trace",
}  # fmt: skip
"""Function of a kind → the module of its folder that has it."""
HERE = Path(__file__).parent


class Kind(Protocol):
    """The functions of a kind. `entry` is of its `Entry`; a cell is a row of the grid."""

    def aggregate(
        self,
        samples: pl.LazyFrame,
        entry: Any,
        partial: Sequence[pl.LazyFrame] | None = None,
        **keys: Any,
    ) -> pl.DataFrame:
        """The grid: a row per number that the figure shows.

        `partial` holds the counts of the same samples (`samples.counts`) by shards: much shorter.
        Where `Entry.expects` says so, a keyword `logs` (`samples.held`) tells what they declare.
        """

    def draw(self, grid: pl.DataFrame, entry: Any, *, notes: Sequence[str] = ()) -> alt.SchemaBase:
        """The figure, with `notes` in it: what readers must know wherever it goes."""

    def csv(self, grid: pl.DataFrame, entry: Any) -> str:
        """All of the grid, in its own unit and to the last digit."""

    def latex(self, grid: pl.DataFrame, entry: Any, note: str = "") -> str:
        """A tabular with the rules of the package booktabs; `note` is a comment at its head."""

    def caption(self, grid: pl.DataFrame, entry: Any) -> list[str]:
        """Sentences to be pasted below the figure; empty ones are left out."""

    def table(self, grid: pl.DataFrame, entry: Any) -> picture.Table:
        """The same numbers on the page, as text."""

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

    def story(self, records: Mapping[str, Any], entry: Any, grid: pl.DataFrame) -> dict[str, Any]:
        """What the page tells of each cell that is opened: `records` in words."""

    def columns(self, entry: Any, grid: pl.DataFrame) -> list[str]:
        """Columns of the grid that tell one row from another."""

    def value_columns(self, entry: Any, grid: pl.DataFrame) -> list[str]:
        """Columns of the grid that are the numbers of a cell, and not what follows from them."""

    def within(self, samples: pl.LazyFrame, entry: Any, cell: Mapping[str, Any]) -> pl.LazyFrame:
        """The samples that lie in a cell, given by its `columns`."""

    def behind(
        self, samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any, cell: Mapping[str, str]
    ) -> Behind:
        """The cell that `cell` names and its records."""

    def recounted(
        self, samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any
    ) -> Iterator[Recounted]:
        """Every cell, counted once more from the samples by other code than that of `aggregate`."""


def read(block: Mapping[str, Any]) -> Any:
    """The typed entry of a figure that a job or a record carries as plain values.

    Raises:
        Error: there is no kind of that name.
        msgspec.ValidationError: it has other keys.
    """
    return msgspec.convert(block, registry.find(kinds, block["kind"], "kind", "figure kind").Entry)


class _Functions:
    """The functions of a kind, each imported when it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> Any:
        module = MODULES[function]
        if not is_file(self._name):
            own = HERE / self._name / f"{module}.py"
            place = f"{self._name}.{module}" if own.is_file() else module
            return getattr(import_module(f"heatproof.kinds.{place}"), function)
        own_file = import_module(f"heatproof.kinds.{self._name}")
        return getattr(own_file, function, None) or getattr(
            import_module("heatproof.kinds.frame"), function
        )


def kind(name: str) -> Kind:
    """A kind by its name."""
    functions: Any = _Functions(name)
    return functions  # type: ignore[no-any-return]


def is_file(name: str) -> bool:
    """Whether a kind is one file, which shows the cells of a heatmap (`frame`)."""
    return not (HERE / name / "__init__.py").is_file()
