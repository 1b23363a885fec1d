"""What the gallery tells of a figure, read off its grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import numbers
from heatproof.charts import theme, wording
from heatproof.gallery.gallery import FigureCard, Row
from heatproof.heatmaps import cells
from heatproof.numerals import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.figures.heatmap import Entry
    from heatproof.lazy import polars as pl


TESTED = ("mean x − y", "95 % interval", "p (sign test, Holm)")


def card(
    entry: Any,
    grid: pl.DataFrame,
    image: bytes,
    spec: Mapping[str, Any],
    files: Sequence[tuple[str, str]],
    audit: Mapping[str, Any] | None = None,
) -> FigureCard:
    """The card of a figure.

    Args:
        entry: its block of the config, of its kind's `Entry`.
        grid: as `aggregate` made it.
        image: the figure as SVG or PNG.
        spec: its Vega-Lite spec, for the description and the record.
        files: (label, address) of all that can be had of it.
        audit: what is behind its cells, see `audit.audit`.
    """
    record = spec.get("usermeta", {}).get("heatproof", {})
    told = _of_pairs(grid) if numbers.is_pairwise(grid) else _of_cells(grid, entry)
    return FigureCard(
        name=entry.name,
        kind=entry.kind,
        source=entry.source,
        image=image,
        width=theme.width(entry.width),
        title=entry.title,
        caption=entry.caption,
        alt=str(spec.get("description", "")),
        reconstructed=bool(record.get("reconstructed")),
        files=files,
        audit=audit or {},
        **told,
    )


def _of_cells(grid: pl.DataFrame, entry: Entry) -> dict[str, Any]:
    """A row per cell, in the unit and to the digit that the figure shows."""
    panel = numbers.panel_column(grid)
    percent = entry.shows_percent
    rows = cells.table(grid, panel, 100.0 if percent else 1.0, "tied")
    spec = entry.format or cells.number_format(rows, percent)
    axes = {"panel": panel, "y": entry.encoding.y, "x": entry.encoding.x}
    titles = {axis: wording.column(name, entry.labels) for axis, name in axes.items() if name}
    value = wording.measure(entry.encoding.color, entry.labels) + (" (%)" if percent else "")
    gaps = [row for row in rows if row["missing"] or row["incomplete"]]
    return {
        "columns": (*titles.values(), value, "95 % interval", "± SE", "problems", "graded", "of"),
        "texts": len(titles),
        "rows": [_row(row, titles, spec) for row in rows],
        "n": f"{_range(row['samples'] for row in rows if not row['missing'])} problems a cell",
        "incomplete": [_gap(row, titles) for row in gaps],
    }


def _row(row: cells.Row, titles: Mapping[str, str], spec: str) -> Row:
    value, error = (
        show(row[key], spec) if row[key] is not None else "–" for key in ("value", "se")
    )
    between = cells.spread(row, spec, "interval") or "–"
    counted = [f"{row[key]:,}" for key in ("samples", "epochs", "expected")]
    names = [str(row[axis]) for axis in titles]
    lacks = row["missing"] or row["incomplete"]
    numbered = (value, between, error)
    return Row((*names, *numbered, *counted), row["best"], lacks, row["tied"])


def _gap(row: cells.Row, titles: Mapping[str, str]) -> str:
    where = ", ".join(f"{title} {row[axis]}" for axis, title in titles.items())
    what = "no data" if row["missing"] else f"{row['epochs']:,} of {row['expected']:,} graded rows"
    return f"{where}: {what}"


def _of_pairs(grid: pl.DataFrame) -> dict[str, Any]:
    """A row per pair of models."""
    pairs = list(numbers.pairs(grid).iter_rows(named=True))
    counts = ("n", "wins", "ties", "losses")
    return {
        "columns": ("x", "y", "instances", "x ahead", "equal", "y ahead", *TESTED),
        "texts": 2,
        "rows": [
            Row((row["x"], row["y"], *(f"{row[key]:,}" for key in counts), *_tested(row)))
            for row in pairs
        ],
        "n": f"{_range(row['n'] for row in pairs)} instances a pair",
    }


def _tested(row: Mapping[str, Any]) -> list[str]:
    told = numbers.compared(*(row[key] for key in ("mean", "low", "high", "p")))
    return ["–" if text == numbers.NONE else text for text in told]


def _range(counts: Iterable[int]) -> str:
    found = list(counts) or [0]
    low, high = min(found), max(found)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
