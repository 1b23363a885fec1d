"""Figure kinds: what a module must bring, what it may bring, and what is told without it.

A kind is a module of `heatproof.figures`, found by its name, with the three names of `Kind`. That
is all it needs: every other stage tells of any grid in a plain way (`_plain`), or in the kind's
own, where its room has a module named like the kind.

    heatproof.numbers            `Numbers`: the numbers behind a figure as CSV and LaTeX
    heatproof.gallery.tables     `Tables`: the same numbers on the page
    heatproof.gallery.evidence   `Evidence`: what the page tells of a cell that is opened
    heatproof.proof.traces       `Traces`: the records behind a cell, and the cell counted anew

No kind imports these: a stage finds them by name, and its digest covers those that it finds. So a
cell that is traced in another way redraws no figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from heatproof import figures, registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from heatproof.config import Figure
    from heatproof.gallery.table import Table
    from heatproof.lazy import altair as alt
    from heatproof.lazy import polars as pl
    from heatproof.proof.behind import Behind, Recounted

PLAIN = "_plain"
"""The module of a room for kinds that have none of their own there."""


class Kind(Protocol):
    """What a module of `heatproof.figures` must bring. `entry` is of its `Entry`."""

    Entry: type[Figure]
    """The keys in config.yaml, with types, choices and defaults."""

    def aggregate(
        self, samples: pl.LazyFrame, entry: Any, partial: Sequence[pl.LazyFrame] | None = None
    ) -> pl.DataFrame:
        """The grid: a row per number that the figure shows.

        `partial` holds the counts of the same samples (`heatproof.counts`) by shards: much shorter.
        Where `Entry.expects` says so, a keyword `logs` (`heatproof.held`) tells what they declare.
        """

    def draw(self, grid: pl.DataFrame, entry: Any, *, notes: Sequence[str] = ()) -> alt.SchemaBase:
        """The figure, with `notes` in it: what readers must be told wherever it goes."""


class Numbers(Protocol):
    """What a module of `heatproof.numbers` brings."""

    def csv(self, grid: pl.DataFrame, entry: Any) -> str:
        """All of the grid, in its own unit and to the last digit."""

    def latex(self, grid: pl.DataFrame, entry: Any, note: str = "") -> str:
        """A tabular with the rules of the package booktabs; `note` is a comment at its head."""


class Tables(Protocol):
    """What a module of `heatproof.gallery.tables` brings."""

    def table(self, grid: pl.DataFrame, entry: Any) -> Table:
        """The numbers below the figure, as text."""


class Evidence(Protocol):
    """What a module of `heatproof.gallery.evidence` brings."""

    def story(
        self,
        samples: Sequence[pl.LazyFrame],
        entry: Any,
        grid: pl.DataFrame,
        partial: Sequence[pl.LazyFrame] | None = None,
    ) -> dict[str, Any]:
        """What is told of each cell, as plain values; nothing, if cells cannot be opened.

        `samples`, and the `partial` counts of the same, come in portions: held one at a time.
        """


class Traces(Protocol):
    """What a module of `heatproof.proof.traces` brings. A cell is a row of the grid."""

    def columns(self, entry: Any, grid: pl.DataFrame) -> list[str]:
        """Columns of the grid that tell one row from another."""

    def told(self, entry: Any, grid: pl.DataFrame) -> list[str]:
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
        """Every cell, counted once more from the samples by other code than that of `aggregate`.

        Where `Entry.expects` says so, `expected(samples, grid, entry, logs)` beside it does the
        same for what the logs declare.
        """


def of(name: str) -> Kind:
    """The kind of that name.

    Raises:
        Error: there is none.
    """
    return cast("Kind", registry.find(figures, name, "kind", "figure kind"))


def read(given: Mapping[str, Any]) -> tuple[Kind, Any]:
    """The kind of an entry that a job or a record carries as plain values, and the typed entry."""
    kind = of(given["kind"])
    return kind, msgspec.convert(given, kind.Entry)


def own(room: ModuleType, name: str) -> Any:
    """What a room has for a kind: the module of its name, else the plain one."""
    return registry.load(room, name if has(room, name) else PLAIN)


def has(room: ModuleType, name: str) -> bool:
    """Whether a room has a module for a kind."""
    return name in registry.names(room)
