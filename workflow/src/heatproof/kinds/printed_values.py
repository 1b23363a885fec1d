"""What a paper can quote of a figure: its printed numbers, each with its address.

All of it is read from the cells as they are drawn: digits, marks and verdicts are those of the
figure. Beside each text stands the number to its last digit, by which rounded ones are judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

Standing = Literal["missing", "best", "tied", "level", "behind", "differs", "alike", "unjudged"]
"""`best`: it has the highest value; `tied`: not told apart from it; `level`: nor is any other cell;
`differs`, `alike`: told apart from its baseline, or not."""


class Exact(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers of a cell to the last digit, in the unit of the figure."""

    value: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    records: int | None = None  # graded ones
    beside: list[float] = []  # other numbers of the cell: along x, annotated, of both sides


class PrintedCell(msgspec.Struct, kw_only=True):
    """A number of a figure with what stands around it, as text."""

    address: dict[str, str]  # column → value, as in the addresses of cells
    names: dict[str, str]  # column → what the figure calls the value
    value: str = ""
    interval: str = ""
    low: str = ""
    high: str = ""
    se: str = ""
    n: str = ""  # problems that it rests on
    standing: Standing = "unjudged"
    verdict: str = ""  # the same in words
    exact: Exact = Exact()


class PrintedPanel(msgspec.Struct, kw_only=True):
    """The best value of a panel, and the settings that have it; empty where none is marked."""

    address: dict[str, str]  # of the panel
    best: str = ""
    setting: str = ""  # in words: `window 32, ratio 0.4`


class PrintedDifference(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The first of two cells of a panel less the second, on the problems that both hold."""

    value: str
    interval: str = ""  # it holds for all pairs of the panel together
    low: str = ""
    high: str = ""
    n: str = ""  # common problems


class PrintedFigure(msgspec.Struct, kw_only=True):
    """All numbers of a figure, by their addresses (`canonical_address`)."""

    id: str = ""  # printed in its corner
    title: str = ""
    metrics: list[str] = []
    percent: bool = False
    ends: Literal["highest", "lowest", "none"] = "none"  # which values are best
    columns: dict[str, str] = {}  # column that tells cells apart → its title
    fixed: dict[str, str] = {}  # column → the value that all cells have
    missing: int = 0  # cells without a value, or that lack records
    panels: dict[str, PrintedPanel] = {}
    cells: dict[str, PrintedCell] = {}
    differences: dict[str, dict[str, PrintedDifference]] = {}  # address → address → first − second

    def add(self, cell: PrintedCell) -> None:
        """Add a cell at its address."""
        self.cells[canonical_address(cell.address)] = cell


def canonical_address(address: Mapping[str, str]) -> str:
    """An address with its columns in the order of the alphabet: `ratio=0.3,task=sum`."""
    return ",".join(f"{name}={value}" for name, value in sorted(address.items()))
