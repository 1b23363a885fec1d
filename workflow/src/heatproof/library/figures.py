"""Samples → grid → chart: what `aggregate` and `draw` do in a run, for a table in memory."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import kinds, metrics
from heatproof.charts import spec, typefaces
from heatproof.config import meant
from heatproof.config.entries import refused
from heatproof.config.mistakes import FILLED, check, with_lists
from heatproof.kinds import api
from heatproof.library import calls, frames
from heatproof.library.charts import Chart
from heatproof.util import registry
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure

    Ranges = Mapping[str, Sequence[float]]
    """Column → what its 0 and 1 are: lowest and highest of its numbers."""

NAME = "figure"
"""What a figure is called that has no name in a config."""
CALLED = {"encoding.x": "x", "encoding.y": "y", "encoding.color": "metric"}
"""Key of a heatmap's block → what it is called in a call."""
ALONE = {
    "formats": "the path that `save` is given tells the format, by its ending",
    "name": "title='…' is what stands above a figure",
    "source": "the samples are given; those of two sources are put together before",
}
"""Keys that say something in a run alone."""
WORDS = {
    "encoding": "a heatmap is told x, y and metric",
    "kind": "this is a heatmap; hp.figure draws other kinds",
    "value": "finished numbers, a row a cell, are a grid already; hp.heatmap draws them",
}
"""Keys that the functions of a heatmap do not take, for other words say it."""
CELL = "finished"
PRINTED = f"printed({CELL})"
"""The measure, and the problem, that stand for finished numbers."""
PLAIN = {"verdict": "none", "best": "none", "ruler": False, "uncertainty": "none"}
"""What is shown of finished numbers beside themselves: nothing."""
JUDGED = {"value", "best", "tied", "gap", "peers"}
"""Columns of a heatmap's grid by which it is known."""


@calls.brief
def figure(
    data: Any,
    kind: str,
    fields: Mapping[str, str] | None = None,
    *,
    range: Ranges | None = None,  # noqa: A002  # as a source calls it
    **keys: Any,
) -> Chart:
    """A figure of any kind, as an Altair chart that notebooks show and `save` writes.

    Args:
        data: samples, as `read` gives them, or any table with a row for each graded attempt
            (polars, pandas, Arrow, DuckDB, a dict of columns).
        kind: `heatmap`, `pairwise`, `line`, `table`, `forest` or `scatter`.
        fields: column of ours → what it is called in `data`; `$row` for the number of the row.
            `sample_id` tells problems apart, `score` is 0–1 or true and false.
        range: scale of numbers that are not 0–1, as in `{"score": [1, 10]}`: they are shown in
            it. Of samples that `read` brought to 0–1, the `range` that it was given.
        keys: what config.yaml says of a figure (docs/figures.md), such as `encoding`, `panel`.

    Raises:
        Error: a key or a column is wrong, or the samples cannot be shown so.

    What config.yaml draws of the same samples has the same values and marks, but for what logs
    declare of samples that are missing: a table does not tell it.

    >>> import heatproof as hp
    >>> table = {"lr": [0.1, 0.1, 0.2, 0.2], "net": ["a"] * 4, "question": [1, 2, 1, 2],
    ...          "marks": [7, 9, 5, 4]}
    >>> chart = hp.figure(table, "line", {"sample_id": "question", "score": "marks"},
    ...                   range={"score": [1, 10]},
    ...                   encoding={"x": "lr", "y": "mean(score)", "color": "net"})
    """
    entry, samples = _given(data, kind, fields or {}, range or {}, keys)
    with _in_words():
        grid = api.part(kind, "aggregate").aggregate(samples.lazy(), entry)
        return _drawn(grid, entry)


@calls.brief
def grid(
    data: Any,
    *,
    x: str,
    y: str,
    metric: str = "pass@1",
    fields: Mapping[str, str] | None = None,
    range: Ranges | None = None,  # noqa: A002
    **keys: Any,
) -> pl.DataFrame:
    """The numbers of a heatmap: a row per cell, with `value`, `se`, `low`, `high`, `tied`, `best`.

    Args:
        data: samples or any table, as for `figure`.
        x: column along which cells lie; it keeps its name.
        y: likewise.
        metric: `pass@k`, `pass^k`, `mean(column)`, `median(column)` … (docs/statistics.md).
        fields: column of ours → what it is called in `data`, as for `figure`.
        range: as for `figure`; numbers of the grid are 0–1, whatever figures show.
        keys: further keys of a heatmap, such as `panel`, `where`, `pool`, `mean_over`.

    Raises:
        Error: as `figure`.

    >>> import heatproof as hp
    >>> table = {"lr": [0.1, 0.1, 0.2, 0.2], "model": ["a"] * 4, "question": [1, 2, 1, 2],
    ...          "right": [True, False, True, True]}
    >>> fields = {"sample_id": "question", "score": "right"}
    >>> hp.grid(table, x="lr", y="model", fields=fields).select("lr", "value", "samples").rows()
    [(0.1, 0.5, 2), (0.2, 1.0, 2)]
    """
    entry, samples = _given(data, "heatmap", fields or {}, range or {}, _keys(x, y, metric, keys))
    with _in_words(CALLED):
        made = api.part("heatmap", "aggregate").aggregate(samples.lazy(), entry)
    return made.rename({"x": x, "y": y})  # type: ignore[no-any-return]


@calls.brief
def heatmap(
    data: Any,
    *,
    x: str,
    y: str,
    metric: str = "pass@1",
    value: str | None = None,
    n: str | None = None,
    stderr: str | None = None,
    fields: Mapping[str, str] | None = None,
    range: Ranges | None = None,  # noqa: A002
    **keys: Any,
) -> Chart:
    """A heatmap, as an Altair chart that notebooks show: samples, or what `grid` made of them.

    Or finished numbers, a row a cell, in the column `value`: of these nothing is known but
    themselves, so there is no outline and no ruler, and an interval only by `n` or `stderr`.

    Args:
        data: as for `figure`; or a grid, with the `x`, `y`, `metric`, `panel` that it was made by.
        x: column along which cells lie.
        y: likewise.
        metric: as for `grid`.
        value: column of finished numbers, instead of a metric of samples.
        n: beside `value`, column of the problems behind it, where it is the share that is right.
        stderr: likewise, column of its standard error (`uncertainty="se"` or `"interval"`).
        fields: as for `figure`.
        range: as for `figure`; of a grid, that by which it was made.
        keys: those of `grid`, and how it looks, such as `palette`, `labels`, `width`.

    Raises:
        Error: as `figure`.

    >>> import heatproof as hp
    >>> rows = {"model": ["a", "a", "b", "b"], "task": ["t"] * 4, "id": [1, 2, 1, 2]}
    >>> chart = hp.heatmap(rows | {"right": [1, 0, 1, 1]}, x="task", y="model",
    ...                    fields={"sample_id": "id", "score": "right"})
    >>> hp.save(chart, "figure.pdf")
    """
    with _in_words(CALLED):
        if value is not None:
            beside = {"n": n, "stderr": stderr}
            return _finished(data, value, beside, _keys(x, y, PRINTED, keys), fields or range)
        if n or stderr:
            raise Error(
                f"{'n' if n else 'stderr'}: is of finished numbers; name their column: value"
            )
        given, table = _keys(x, y, metric, keys), frames.polars_of(data)
        if metric in table.columns and refused("", metrics.metric, metric):
            ways = (
                f"mean({metric}) of samples, or of finished numbers, a row a cell, value={metric!r}"
            )
            raise Error(f"metric: {metric!r} is a column; {ways}")
        if {x, y, *JUDGED} <= set(table.columns):
            entry = msgspec.structs.replace(_entry("heatmap", given), ranges=_ranges(range or {}))
            return _drawn(table.rename({x: "x", y: "y"}), entry)
        return figure(table, "heatmap", fields, range=range, **given)


def _finished(
    data: Any, value: str, beside: Mapping[str, str | None], keys: Mapping[str, Any], other: Any
) -> Chart:
    """The chart of a table with a row a cell: aggregates, as those of a source.

    `beside`: what is known of their uncertainty → its column.
    """
    if other:
        raise Error("value: finished numbers are shown as they stand, without fields and range")
    table = frames.polars_of(data)
    if value not in table.columns:
        raise Error(f"value: the table has no column {value!r}; {choices(value, table.columns)}")
    cells = table.with_columns(frames.as_numbers(table, value).alias(CELL), sample_id=pl.lit(CELL))
    for what, column in beside.items():
        if column is not None and column not in table.columns:
            told = choices(column, table.columns)
            raise Error(f"{what}: the table has no column {column!r}; {told}")
        if column is not None:
            known = frames.as_numbers(table, column).alias(f"{CELL}_{what}")
            cells = cells.with_columns(known)
    cells = cells.filter(pl.col(value).is_not_null())
    labels = {PRINTED: keys.get("labels", {}).get(value, value.replace("_", " "))}
    labels |= {name: text for name, text in keys.get("labels", {}).items() if name != value}
    return figure(cells, "heatmap", **{**PLAIN, **keys, "labels": labels})


def _keys(x: str, y: str, metric: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The block of a heatmap."""
    for key in sorted({*WORDS} & {*keys}):
        raise Error(f"{key}: {WORDS[key]}")
    return {**keys, "encoding": {"x": x, "y": y, "color": metric}}


def _given(
    data: Any,
    kind: str,
    fields: Mapping[str, str],
    scales: Ranges,
    keys: Mapping[str, Any],
) -> tuple[Figure, pl.DataFrame]:
    """A figure's block and the samples that it is to show, of which all columns are there."""
    entry, ranges = _entry(kind, keys), _ranges(scales)
    named = [*entry.used().values(), *entry.where]
    numbers = [*entry.measured().values(), *_beside(data, entry)]
    samples = frames.samples_of(data, named, numbers, fields, ranges)
    columns = frames.columns_of(samples)
    types = columns.identity()
    problems = [
        f"{key}: {column!r} is not a {what}; {choices(column, valid)}"
        for used, valid, what in (
            (entry.used(), types, "column"),
            (entry.measured(), columns.numbers(), "number"),
            ({f"range.{name}": name for name in ranges}, columns.numbers(), "number"),
        )
        for key, column in used.items()
        if column not in valid
    ]
    if problems := [*problems, *entry.mistyped(types), *entry.misranged(ranges)]:
        raise Error("\n".join(problem.removeprefix(".") for problem in problems))
    return msgspec.structs.replace(entry.fitted(types), ranges=ranges), samples


def _beside(data: Any, entry: Figure) -> list[str]:
    """Columns of a table that tell of the uncertainty of aggregates."""
    of = [metrics.metric(word) for word in entry.metrics().values()]
    known = [f"{one.of}_{end}" for one in of if one.printed for end in ("n", "stderr")]
    there = frames.polars_of(data).columns if known else []
    return [name for name in known if name in there]


def _ranges(given: Ranges) -> dict[str, list[float]]:
    """The scale of each column that has one of its own.

    Raises:
        Error: it is no pair of numbers, the lowest and the highest.
    """
    found = {name: list(calls.plain(ends)) for name, ends in given.items()}
    for name, ends in found.items():
        numbers = [end for end in ends if isinstance(end, int | float)]
        if len(numbers) != 2 or len(ends) != 2 or not ends[0] < ends[1]:
            raise Error(f"range.{name}: {ends} is not [lowest, highest]")
    return found


def _entry(kind: str, keys: Mapping[str, Any]) -> Figure:
    """The checked block of a figure.

    Raises:
        Error: a line for each mistake.
    """
    module = registry.find(kinds, kind, "kind", "figure kind")
    for key in sorted({*ALONE} & {*keys}):
        raise Error(f"{key}: {ALONE[key]}")
    block = calls.plain({**keys, "kind": kind, "source": NAME, "name": NAME})
    given = with_lists(module.Entry, block)
    names = [one.encode_name for one in msgspec.structs.fields(module.Entry)]
    names = [one for one in names if one not in (*FILLED, *ALONE, "kind")]
    wrong = [key for key in keys if key not in names]
    problems = [f"{key!r} is not a key of a {kind}; {meant.key(key, names)}" for key in wrong]
    problems = problems or check(module.Entry, given, "")
    made: Figure | None = None if problems else msgspec.convert(given, module.Entry)
    if made is None or (problems := made.mistakes()):
        raise Error("\n".join(problem.removeprefix(".").removeprefix(": ") for problem in problems))
    return made


def _drawn(made: pl.DataFrame, entry: Figure) -> Chart:
    """The chart of a grid, with the block and the digest of its numbers as its record."""
    with typefaces.using(typefaces.of(entry.font)):
        typefaces.register(typefaces.typeface())
        chart = api.part(entry.kind, "draw").draw(made, entry)
        block = {name: value for name, value in msgspec.to_builtins(entry).items() if value}
        text = spec.text(chart, {"entry": block, "figure": entry.name})
        return Chart.from_dict(json.loads(text), validate=False)


@contextmanager
def _in_words(words: Mapping[str, str] | None = None) -> Iterator[None]:
    """Messages name keys as they are given here, not as they stand in a config."""
    try:
        yield
    except Error as error:
        raise calls.in_words_of(error, NAME, words or {}) from None
