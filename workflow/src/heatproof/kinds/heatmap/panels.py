"""The grid of a heatmap cut into panels, each with the colour bar by which it is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from heatproof.charts import bars, colour, wording
from heatproof.kinds.heatmap import among, cells, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl


@dataclass(frozen=True)
class Names:
    """What x, y and the value are called, and how values are printed."""

    x: str
    y: str
    value: str
    format: str
    panel: str
    """What stands before the number of a panel; nothing before a name, which speaks for itself."""


@dataclass(frozen=True)
class Panel:
    """One small heatmap: its rows, lettered, and its colours. Without any value, no bar."""

    name: str
    """Of its data set."""
    scale: str
    """Name of the data set of its bar."""
    title: list[str]
    """The title of the figure, if it has one, and the value of the panel's column."""
    rows: list[Row]
    bar: Bar | None
    answers: Mapping[str, str]
    """Title → expression of its text: what a cell answers who points at it."""
    description: str
    verdict: Sequence[str]
    """Sentences on what chance would give; none where that is not known."""

    @property
    def unframed(self) -> int:
        """The most peers that share the best value and are too many to frame."""
        crowds = Counter(r["peers"] for r in self.rows if r["best"] and not r["framed"])
        return max(crowds.values(), default=0)


def names(grid: pl.DataFrame, rows: Sequence[Row], entry: Entry) -> Names:
    """What the entry calls things; `rows`: the cells of the grid in words."""
    what, labels = entry.encoding, entry.labels
    kind = grid.schema.get(entry.panel or "")
    return Names(
        wording.column(what.x, labels),
        wording.column(what.y, labels),
        wording.measure(what.color, labels),
        entry.format or cells.number_format(rows, entry.shows_percent),
        wording.column(entry.panel, labels) if entry.panel and kind and kind.is_numeric() else "",
    )


def split(
    rows: Sequence[Row], entry: Entry, names: Names, verdicts: Mapping[str, Sequence[str]]
) -> list[Panel]:
    """The panels in order; those with a shared scale have the same bar.

    `verdicts`: label of a panel → its sentences.
    """
    parts = [list(part) for _, part in groupby(rows, key=lambda row: str(row["panel"]))]
    shared = entry.scale == "shared"
    return [
        _panel(part, rows if shared else part, entry, names, verdicts.get(part[0]["panel"], ()))
        for part in parts
    ]


def _panel(
    rows: list[Row], coloured: Sequence[Row], entry: Entry, names: Names, verdict: Sequence[str]
) -> Panel:
    colours = colour.palette(entry.palette)
    domain = cells.domain(coloured, colour.is_diverging(entry.palette))
    single = len({row["value"] for row in coloured if not row["missing"]}) == 1
    if entry.domain:
        domain, single = (entry.domain[0], entry.domain[1]), False
    title = [part for part in (entry.title, f"{names.panel} {rows[0]['panel']}".strip()) if part]
    rows = cells.framed(rows)
    lettered = cells.lettered(rows, domain, colours, names.format, entry.uncertainty)
    what = (names.x, names.y, names.value)
    each = among.words(rows, entry).each
    said = spoken.panel(" | ".join(title), rows, what, names.format, entry.end, each)
    said = " ".join([said, *(f"{one[0].upper()}{one[1:]}." for one in verdict)])
    alone = names.format if single else ""
    bar = bars.Bar(names.value, domain, colours, single=alone) if domain else None
    name = f"cells {rows[0]['panel']}".strip()
    scale = "colours" if entry.scale == "shared" else f"colours {rows[0]['panel']}".strip()
    answers = cells.answers(lettered, entry)
    return Panel(name, scale, title, lettered, bar, answers, said, verdict)
