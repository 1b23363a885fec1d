"""Samples → grid → chart: what `aggregate` and `draw` do in a run, for a table in memory."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import kinds
from heatproof.charts import spec, typefaces
from heatproof.config import paths
from heatproof.config.configuration import plain_data
from heatproof.config.entries import FORMATS
from heatproof.config.mistakes import check, with_lists
from heatproof.export import export
from heatproof.kinds import api
from heatproof.library import frames
from heatproof.util import registry
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config.entries import Figure

NAME = "figure"
"""What a figure is called that has no name in a config."""
PLACE = re.compile(rf"config\.yaml: figures\.{NAME}[.:]? ?")
"""Where a mistake lies in a config."""
CELL = "finished"
"""The measure, and the problem, that stand for finished numbers."""
PLAIN = {"verdict": "none", "best": "none", "ruler": False, "uncertainty": "none"}
"""What is shown of finished numbers beside themselves: nothing."""
JUDGED = {"value", "best", "tied", "gap", "peers"}
"""Columns of a heatmap's grid by which it is known."""


def figure(data: Any, kind: str, fields: Mapping[str, str] | None = None, **keys: Any) -> alt.Chart:
    """A figure of any kind, as an Altair chart that notebooks show.

    Args:
        data: samples, as `read` gives them, or any table with a row for each graded attempt
            (polars, pandas, Arrow, DuckDB, a dict of columns).
        kind: `heatmap`, `pairwise`, `line`, `table`, `forest` or `scatter`.
        fields: column of ours → what it is called in `data`; `$row` for the number of the row.
            `sample_id` tells problems apart, `score` is 0–1 or true and false.
        keys: what config.yaml says of a figure (docs/figures.md), such as `encoding`, `panel`.

    Raises:
        Error: a key or a column is wrong, or the samples cannot be shown so.

    What config.yaml draws of the same samples has the same values and marks, but for what logs
    declare of samples that are missing: a table does not tell it.
    """
    entry, samples = _given(data, kind, fields or {}, keys)
    with _in_words():
        grid = api.part(kind, "aggregate").aggregate(samples.lazy(), entry)
        return _drawn(grid, entry)


def grid(
    data: Any,
    *,
    x: str,
    y: str,
    metric: str = "pass@1",
    fields: Mapping[str, str] | None = None,
    **keys: Any,
) -> pl.DataFrame:
    """The numbers of a heatmap: a row per cell, with `value`, `se`, `low`, `high`, `tied`, `best`.

    Args:
        data: samples or any table, as for `figure`.
        x: column along which cells lie; it keeps its name.
        y: likewise.
        fields: column of ours → what it is called in `data`, as for `figure`.
        metric: `pass@k`, `pass^k`, `mean(column)`, `median(column)` … (docs/statistics.md).
        keys: further keys of a heatmap, such as `panel`, `where`, `pool`, `mean_over`.

    Raises:
        Error: as `figure`.
    """
    entry, samples = _given(data, "heatmap", fields or {}, _keys(x, y, metric, keys))
    with _in_words():
        made = api.part("heatmap", "aggregate").aggregate(samples.lazy(), entry)
    return made.rename({"x": x, "y": y})  # type: ignore[no-any-return]


def heatmap(
    data: Any,
    *,
    x: str,
    y: str,
    metric: str = "pass@1",
    value: str | None = None,
    fields: Mapping[str, str] | None = None,
    **keys: Any,
) -> alt.Chart:
    """A heatmap, as an Altair chart that notebooks show: samples, or what `grid` made of them.

    Or finished numbers, a row a cell, in the column `value`: of these nothing is known but
    themselves, so there is no outline, no interval and no ruler.

    Args:
        data: as for `figure`; or a grid, with the `x`, `y`, `metric`, `panel` that it was made by.
        x: column along which cells lie.
        y: likewise.
        metric: as for `grid`.
        value: column of finished numbers, instead of a metric of samples.
        fields: as for `figure`.
        keys: those of `grid`, and how it looks, such as `palette`, `labels`, `width`.

    Raises:
        Error: as `figure`.

    >>> import heatproof as hp
    >>> rows = {"model": ["a", "a", "b", "b"], "task": ["t"] * 4, "id": [1, 2, 1, 2]}
    >>> chart = hp.heatmap(rows | {"right": [1, 0, 1, 1]}, x="task", y="model",
    ...                    fields={"sample_id": "id", "score": "right"})
    >>> hp.save(chart, "figure.pdf")  # doctest: +SKIP
    """
    table = frames.polars_of(data)
    if value is not None:
        return _finished(table, value, _keys(x, y, f"mean({CELL})", keys))
    given = _keys(x, y, metric, keys)
    if set(table.columns) >= {x, y, *JUDGED}:
        entry = _entry("heatmap", given)
        with _in_words():
            return _drawn(table.rename({x: "x", y: "y"}), entry)
    return figure(table, "heatmap", fields, **given)


def save(chart: alt.Chart, path: str | Path) -> None:
    """Write a chart as svg, pdf, png or html, in its typeface, as a run does; by the path's ending.

    Raises:
        Error: the ending is none of these.
    """
    form = paths.form_of(f"{path}")
    if form is None:
        ends = ", ".join(f".{end}" for end in FORMATS.values())
        raise Error(f"{path}: its ending names no format; there are {ends}")
    Path(path).write_bytes(export.render(chart.to_dict(validate=False), [form])[form])


def _finished(table: pl.DataFrame, value: str, keys: Mapping[str, Any]) -> alt.Chart:
    """The chart of a table with a row a cell: each is the one sample of its cell."""
    if value not in table.columns:
        raise Error(f"value: the table has no column {value!r}; {choices(value, table.columns)}")
    cells = table.with_columns(pl.col(value).alias(CELL), sample_id=pl.lit(CELL))
    cells = cells.filter(pl.col(value).is_not_null())
    labels = {f"mean({CELL})": keys.get("labels", {}).get(value, value.replace("_", " "))}
    labels |= {name: text for name, text in keys.get("labels", {}).items() if name != value}
    return figure(cells, "heatmap", **{**PLAIN, **keys, "labels": labels})


def _keys(x: str, y: str, metric: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The block of a heatmap."""
    return {**keys, "encoding": {"x": x, "y": y, "color": metric}}


def _given(
    data: Any, kind: str, fields: Mapping[str, str], keys: Mapping[str, Any]
) -> tuple[Figure, pl.DataFrame]:
    """A figure's block and the samples that it is to show, of which all columns are there."""
    entry = _entry(kind, keys)
    named = [*entry.used().values(), *entry.where]
    samples = frames.samples_of(data, named, entry.measured().values(), fields)
    columns = frames.columns_of(samples)
    types = columns.identity()
    problems = [
        f"{key}: {column!r} is not a {what}; {choices(column, valid)}"
        for used, valid, what in (
            (entry.used(), types, "column"),
            (entry.measured(), columns.numbers(), "number"),
        )
        for key, column in used.items()
        if column not in valid
    ]
    if problems := [*problems, *entry.mistyped(types)]:
        raise Error("\n".join(problem.removeprefix(".") for problem in problems))
    return entry.fitted(types), samples


def _entry(kind: str, keys: Mapping[str, Any]) -> Figure:
    """The checked block of a figure.

    Raises:
        Error: a line for each mistake.
    """
    module = registry.find(kinds, kind, "kind", "figure kind")
    block = plain_data({**keys, "kind": kind, "source": NAME, "name": NAME})
    given = with_lists(module.Entry, block)
    problems = check(module.Entry, given, "")
    made: Figure | None = None if problems else msgspec.convert(given, module.Entry)
    if made is None or (problems := made.mistakes()):
        raise Error("\n".join(problem.removeprefix(".").removeprefix(": ") for problem in problems))
    return made


def _drawn(made: pl.DataFrame, entry: Figure) -> alt.Chart:
    """The chart of a grid, with the block and the digest of its numbers as its record."""
    with typefaces.using(typefaces.of(entry.font)):
        typefaces.register(typefaces.typeface())
        chart = api.part(entry.kind, "draw").draw(made, entry)
        block = {name: value for name, value in msgspec.to_builtins(entry).items() if value}
        text = spec.text(chart, {"entry": block, "figure": entry.name})
        return alt.Chart.from_dict(json.loads(text))


@contextmanager
def _in_words() -> Iterator[None]:
    """Messages name keys as they are given here, not as they stand in a config."""
    try:
        yield
    except Error as error:
        told = PLACE.sub("", str(error))
        raise Error(told) from None
