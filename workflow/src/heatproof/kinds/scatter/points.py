"""The points of a scatter: the cells of the grid with both metrics, and how they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import series, theme, wording
from heatproof.kinds.heatmap import cells, views_told
from heatproof.kinds.heatmap.reasons import NOTHING
from heatproof.kinds.scatter.entry import ALONG
from heatproof.kinds.scatter.front import Spot, doubtful, unbeaten
from heatproof.util.errors import Error
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.series import Style
    from heatproof.kinds.heatmap.cells import Names
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]


@dataclass(frozen=True)
class Points:
    """All points of a figure."""

    panels: Mapping[str, Sequence[Row]]
    """Label of a panel → its rows with both values."""
    lost: Sequence[Row]
    """Rows with records of which some value is none."""
    names: Names
    x: str
    """What lies along x, with its unit."""
    x_format: str
    styles: Mapping[str, Style]
    """Value of `label` → how its points are drawn, where `detail` tells them apart."""

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.panels.values() for row in rows]


def points(grid: pl.DataFrame, entry: Entry) -> Points:
    """The points of a grid.

    A row is a cell in words (`cells.letter_cells`), its value along y, with its place in the grid
    (`cell`), `cost` along x, ends of what is drawn around both (`lower` and `upper`, `left_end` and
    `right_end`), what both are in words, its `name` in the figure and all of it (`setting`), and
    whether it is on the `front` or may be (`maybe`).

    Raises:
        Error: a log axis is asked for, and there are values that have no place on it.
    """
    table, names = views_told.worded(grid, entry)
    lettered = cells.letter_cells(table, None, names.format, entry.uncertainty)
    several = len({row["x"] for row in table}) > 1
    styled = series.styles(list(dict.fromkeys(row["y"] for row in table))) if several else {}
    along = _along(grid, entry)
    spec = cells.number_format(along, entry.costs().shows_percent)
    found: dict[str, list[Row]] = {}
    lost = []
    for n, (row, cost) in enumerate(zip(lettered, along, strict=True)):
        title = ", ".join(names.of(row["panel"]))
        part = found.setdefault(title, [])
        told = row | {"cell": n, "panel": title} | _cost(cost, spec, entry)
        told |= {
            "setting": f"{row['y']} · {row['x']}" if several else row["y"],
            "name": row["x"] if several else row["y"],
            "gap": row["gap"] or cost["gap"],
        }
        told |= dict(zip(("lower", "upper"), _ends(told, entry), strict=True))
        told |= styled[row["y"]].told() if several else {"shape": "circle", "colour": theme.INK}
        if row["missing"] or cost["missing"]:
            lost += [told] if told["gap"] != NOTHING else []
        else:
            part.append(told)
    _require_positive([row for part in found.values() for row in part], entry)
    panels = {title: _standing(part, entry) for title, part in found.items()}
    title = cells.value_title(entry.costs())
    return Points(panels, lost, names, title, spec, styled)


def _along(grid: pl.DataFrame, entry: Entry) -> list[Row]:
    """What lies along x, in its unit."""
    unit = entry.costs().unit
    found = []
    for row in grid.iter_rows(named=True):
        told = {name: row[f"x_{name}"] for name in ALONG}
        told |= {k: unit.value(told[k]) for k in ("value", "low", "high")}
        told |= {"se": unit.span(told["se"])}
        found.append({**told, "missing": told["value"] is None})
    return found


def _cost(cost: Row, spec: str, entry: Entry) -> Row:
    """The columns of a row that tell of x."""
    left, right = views_told.spread_ends(cost, entry.costs().uncertainty, entry.uncertainty)
    return {
        "cost": cost["value"],
        "cost_told": cost["gap"] if cost["missing"] else show(cost["value"], spec),
        "cost_between": cells.between(cost, spec),
        "cost_low": cost["low"],
        "cost_high": cost["high"],
        "left_end": left,
        "right_end": right,
    }


def _ends(row: Row, entry: Entry) -> tuple[float | None, float | None]:
    return views_told.spread_ends(row, entry.cells().uncertainty, entry.uncertainty)


def spots(rows: Sequence[Row], entry: Entry) -> list[Spot]:
    """The points turned so that less of x and more of y is better.

    A metric of which no interval is known is taken as it is.
    """
    found = []
    for row in rows:
        x = [row["cost"], *_sure(row, "cost", "cost_low", "cost_high")]
        y = [row["value"], *_sure(row, "value", "low", "high")]
        if entry.front == "highest":
            x = [-x[0], -x[2], -x[1]]
        if entry.best == "lowest":
            y = [-y[0], -y[2], -y[1]]
        found.append(Spot(x[0], y[0], x[1], x[2], y[1], y[2]))
    return found


def _sure(row: Row, value: str, low: str, high: str) -> tuple[float, float]:
    if row[low] is None or row[high] is None:
        return row[value], row[value]
    return row[low], row[high]


def _standing(rows: Sequence[Row], entry: Entry) -> list[Row]:
    """The rows with how they stand: on the front, perhaps on it, or beaten."""
    if entry.front == "none":
        return [row | {"front": False, "maybe": True, "filled": True} for row in rows]
    turned = spots(rows, entry)
    on, may = unbeaten(turned), doubtful(turned)
    return [
        row | {"front": one, "maybe": other, "filled": one or not other}
        for row, one, other in zip(rows, on, may, strict=True)
    ]


def _require_positive(rows: Sequence[Row], entry: Entry) -> None:
    """Raises Error where a log axis is to hold what is 0 or below."""
    for key, scale, column, words in (
        ("x_scale", entry.x_scale, "cost", "cost_told"),
        ("y_scale", entry.y_scale, "value", "told"),
    ):
        low = next((row for row in rows if not row[column] > 0), None)
        if scale == "log" and low:
            raise Error(
                f"config.yaml: figures.{entry.name}.{key}: {low[words]} ({low['setting']}) has no "
                "place on a log axis; there is linear"
            )


def settings_title(entry: Entry) -> str:
    """What the points are called."""
    what = entry.encoding
    title = wording.column(what.label, entry.labels) or what.label
    return f"{title} · {wording.column(what.detail, entry.labels)}" if what.detail else title
