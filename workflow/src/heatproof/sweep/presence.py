"""The coverage of a sweep as a heatmap: how much of each cell is there, and what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.charts import units
from heatproof.export.drawing import RESERVED
from heatproof.kinds.heatmap import cells, sizing, words
from heatproof.kinds.heatmap import draw as heatmap_draw
from heatproof.kinds.heatmap.entry import Encoding, Entry
from heatproof.kinds.heatmap.reasons import FAILED, NOTHING
from heatproof.sweep.coverage import STATES, settings
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.util.lazy import altair as alt

PANEL = "setting"
PANELS = 16
"""More settings than these are summed, those with the most values first."""
COLOR = "mean(rows)"


def axes(rows: pl.DataFrame, wanted: Mapping[str, str]) -> tuple[str, str]:
    """The settings along x and y: those `wanted`, else the ones with the most values.

    Hyper-parameters go before model, task and scorer.

    Raises:
        Error: a wanted one is no setting of the sweep, or both are the same.
    """
    names = settings(rows)
    for key, name in wanted.items():
        if name not in names:
            raise Error(f"--{key} {name}: not a setting; {choices(name, names)}")
    by_size = sorted(names, key=lambda n: (n in ("model", "task", "scorer"), -rows[n].n_unique()))
    left = [name for name in by_size if name not in wanted.values()]
    several = [n for n in left if rows[n].n_unique() > 1] + [n for n in left if n != "scorer"]
    x = wanted.get("x") or several[0]
    y = wanted.get("y") or next(name for name in several if name != x)
    if x == y:
        raise Error(f"--x {x}, --y {y}: not two settings")
    return x, y


def spread(rows: pl.DataFrame, x: str, y: str) -> list[str]:
    """Settings other than x and y that vary: as many as give no more than `PANELS` panels."""
    varied = {n: rows[n].n_unique() for n in settings(rows) if n not in (x, y)}
    kept: list[str] = []
    count = 1
    for name, size in sorted(varied.items(), key=lambda item: item[1]):
        if size > 1 and count * size <= PANELS:
            kept.append(name)
            count *= size
    return [name for name in varied if name in kept]


def grid(rows: pl.DataFrame, x: str, y: str, over: Sequence[str]) -> pl.DataFrame:
    """A row per panel and cell in drawing order, as the grid of a heatmap.

    `rows`: of `coverage.coverage`; `over`: settings that have a panel for each combination of their
    values. `value` is the share of the expected epochs that is there, null where there is none.
    """
    summed = ("samples", "epochs", "expected")
    lost = pl.when((pl.col("state") == "failed").any()).then(pl.lit(FAILED))
    sums = [pl.col(name).sum() for name in summed]
    found = rows.group_by([*over, y, x]).agg(*sums, lost.otherwise(pl.lit(NOTHING)).alias("gap"))
    # Epochs beyond what others hold make no cell more than complete.
    value = pl.when(pl.col("epochs") > 0).then((pl.col("epochs") / pl.col("expected")).clip(0, 1))
    words = [pl.col(name).cast(pl.String).fill_null("none") for name in over]
    return found.sort([*over, y, x], nulls_last=True).select(
        (pl.concat_str(words, separator=", ") if over else pl.lit("")).alias(PANEL),
        pl.col(x).alias("x"),
        pl.col(y).alias("y"),
        value.alias("value"),
        *summed,
        *(pl.lit(None, pl.Float64).alias(name) for name in ("se", "low", "high")),
        pl.lit(value=False).alias("best"),
        *(pl.lit(None, pl.Boolean).alias(name) for name in ("tied", "peers", "common")),
        pl.when(pl.col("epochs") == 0).then("gap").alias("gap"),
    )


def names(rows: pl.DataFrame, given: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """What values are called: as `given` by column; words that cannot be drawn, so that they can.

    Along an axis these look the same, a space that does not break behind them.
    """
    found = {column: {**called} for column, called in given.items()}
    for column in settings(rows):
        for word in sorted(RESERVED & {*rows[column].cast(pl.String)}):
            found.setdefault(column, {}).setdefault(word, f"{word}\N{NO-BREAK SPACE}")
            found.setdefault(PANEL, {}).setdefault(word, f"{column}={word}")
    return found


def entry(
    name: str,
    x: str,
    y: str,
    labels: Mapping[str, str],
    names: Mapping[str, dict[str, str]] | None = None,
) -> Entry:
    """How the heatmap looks: one scale from nothing to all, for every sweep the same.

    `labels`, `names`: as of a figure.
    """
    return Entry(
        name=name,
        kind="heatmap",
        source=name,
        encoding=Encoding(x=x, y=y, color=COLOR),
        panel=PANEL,
        labels={COLOR: "Rows found (%)", **labels},
        names={**(names or {})},
        scale="shared",
        palette="ember_r",
        uncertainty="none",
        percent=True,
        format=".0f",
        domain=[0.0, 100.0],
    )


def draw(rows: pl.DataFrame, given: Entry, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a sweep's coverage; `rows` as `coverage.coverage` gives them.

    `notes` are printed first below the panels.
    """
    x, y = given.x, given.y
    placed = rows.drop_nulls([x, y])
    over = spread(placed, x, y)
    shares = grid(placed, x, y, over)
    given = given if over else msgspec.structs.replace(given, panel=None)
    drawn = cells.cell_table(shares, given, units.PERCENT, "none")
    names = cells.panel_names(shares, drawn, given)
    parts = [
        replace(part, rows=[_counted(row) for row in part.rows])
        for part in cells.split_panels(drawn, given, names, {})
    ]
    plan = sizing.plan(parts, given, names)
    notes = [*notes, *said(rows, shares, given, over)]
    told = [words.spoken_figure(names, given.shows_percent), *(part.description for part in parts)]
    lines = heatmap_draw.footer_lines(parts, plan, notes, given)
    return heatmap_draw.compose_figure(parts, plan, names.format, lines, " ".join([*told, *notes]))


def _counted(row: Row) -> dict[str, Any]:
    return row | {"label": "" if row["missing"] else f"{row['epochs']:,}"}


def said(rows: pl.DataFrame, shares: pl.DataFrame, given: Entry, over: Sequence[str]) -> list[str]:
    """The lines below: runs by state, what the numbers are, what is summed, what has no place."""
    x, y = given.x, given.y
    placed = rows.drop_nulls([x, y])
    least, most = shares.select(pl.col("expected").min(), most=pl.col("expected").max()).row(0)
    whole = f"{most:,}" if most == least else f"{least:,} to {most:,}"
    lines = [f"{given.source}: {states(placed)}", f"numbers: graded rows found, of {whole} a cell"]
    varied = [n for n in settings(placed) if placed[n].n_unique() > 1]
    if summed := [n for n in varied if n not in (x, y, *over)]:
        lines.append(f"a cell holds the runs of every {', '.join(summed)}")
    if len(rest := rows.filter(pl.any_horizontal(pl.col(x, y).is_null()))):
        lines.append(f"not shown, as they have no {x} or {y}: {states(rest)}")
    return lines


def states(rows: pl.DataFrame) -> str:
    """How many runs there are of each state: "3 of 20 runs missing, 1 incomplete"."""
    counts = dict(rows.group_by("state").len().iter_rows())
    total = numbered(len(rows), "run")
    lacking = [f"{counts[state]:,} {state}" for state in STATES[:0:-1] if counts.get(state)]
    return f"{total}, {', '.join(lacking) or 'all complete'}"
