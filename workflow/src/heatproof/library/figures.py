"""Samples → grid → chart: what `aggregate` and `draw` do in a run, for a table in memory."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof import kinds, metrics
from heatproof.charts import spec, typefaces
from heatproof.config import hints
from heatproof.config.checks import FILLED, check, with_lists
from heatproof.config.entries import refused
from heatproof.kinds import api
from heatproof.library import calls, frames
from heatproof.library.charts import Chart
from heatproof.samples import selection
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.samples.shard_index import ShardIndex

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
AXES = ("encoding.", "panel", "row", "column")
"""What keys begin with that say where samples lie."""
CELL = "finished"
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
    with _in_words():
        return _prepared(data, kind, fields or {}, range or {}, keys).chart()


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
    with _in_words(CALLED):
        block = _block(x, y, metric, keys)
        prepared = _prepared(data, "heatmap", fields or {}, range or {}, block)
        cells, own = prepared.grid(), prepared.own
        names = {"x": own.x, "y": own.y}
        names |= dict(zip(prepared.inside.panels, own.panels, strict=True))
        for key, name in {**own.axis_keys(), **own.split()}.items():
            if name in {*cells.columns} - {*names}:
                raise Error(
                    f"{key}: {name!r} is what a column of the grid is called; call yours "
                    f"otherwise, such as my_{name}"
                )
        return cells.rename(names)


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
        if value is not None and (fields or range):
            raise Error("value: finished numbers are shown as they stand, without fields and range")
        table = frames.polars_of(data)
        if value is not None:
            return _finished(table, {"value": value, "n": n, "stderr": stderr}, x, y, keys)
        if n or stderr:
            key = "n" if n else "stderr"
            raise Error(f"{key}: is of finished numbers; name their column: value")
        block = _block(x, y, metric, keys)
        if metric in table.columns and refused("", metrics.metric, metric):
            ways = f"mean({metric}) of samples, or of finished numbers, a row a cell"
            raise Error(f"metric: {metric!r} is a column; {ways}, value={metric!r}")
        if {*table.columns} >= JUDGED:
            entry: Any = _entry("heatmap", block)
            if {*entry.along} <= {*table.columns}:
                entry = msgspec.structs.replace(entry, ranges=_ranges(range or {}))
                # In a grid the columns of the axes have their own names.
                names = {name: f"{name}_" for name in entry.panels if name in ("x", "y")}
                cells = table.rename({**names, entry.x: "x", entry.y: "y"})
                return _chart(cells, calls.renamed(entry, names), entry)
        return figure(table, "heatmap", fields, range=range, **block)


def _finished(
    table: pl.DataFrame, columns: Mapping[str, str | None], x: str, y: str, keys: Mapping[str, Any]
) -> Chart:
    """The chart of a table with a row a cell: aggregates, as those of a source.

    `columns`: argument → column of the values, and of what is known of their uncertainty.
    """
    number = calls.free_name(CELL, table.columns)
    for key, column in columns.items():
        if column is not None and column not in table.columns:
            there = choices(column, table.columns)
            raise Error(f"{key}: the table has no column {column!r}; {there}")
    value = columns["value"] or ""
    cells = table.with_columns(
        *(
            frames.as_numbers(table, name).alias(number if key == "value" else f"{number}_{key}")
            for key, name in columns.items()
            if name is not None
        ),
        sample_id=pl.lit(CELL),
    ).filter(pl.col(number).is_not_null())
    if not len(cells):
        raise Error(f"value: none of {numbered(len(table), 'row')} has a number in {value!r}")
    word, texts = f"printed({number})", keys.get("labels", {})
    labels = {word: texts.get(value, value.replace("_", " "))}
    labels |= {name: text for name, text in texts.items() if name != value}
    return figure(cells, "heatmap", **{**PLAIN, **_block(x, y, word, keys), "labels": labels})


def _block(x: str, y: str, metric: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The block of a heatmap; a column may be called by a number."""
    for key in sorted({*WORDS} & {*keys}):
        raise Error(f"{key}: {WORDS[key]}")
    axes = {key: calls.plain(name) for key, name in (("x", x), ("y", y))}
    axes = {key: f"{name}" if type(name) is int else name for key, name in axes.items()}
    return {**keys, "encoding": {**axes, "color": metric}}


class Prepared(NamedTuple):
    """A figure and the samples that it is to show."""

    own: Any
    """Its block, with the user's names of columns."""
    inside: Any
    """The same with those that columns have within."""
    names: Mapping[str, str]
    """The one → the other, where they differ."""
    samples: pl.DataFrame
    logs: ShardIndex
    """What rows without a number were to hold."""

    def grid(self) -> pl.DataFrame:
        """Its numbers."""
        more: dict[str, Any] = {"logs": self.logs} if self.inside.expects() else {}
        with calls.in_own_names(self.names):
            return api.kind(self.inside.kind).aggregate(self.samples.lazy(), self.inside, **more)

    def chart(self) -> Chart:
        """Its chart."""
        grid = self.grid()
        with calls.in_own_names(self.names):
            return _chart(grid, self.inside, self.own)


def _prepared(
    data: Any, kind: str, fields: Mapping[str, str], scales: Ranges, keys: Mapping[str, Any]
) -> Prepared:
    """A figure's block and the samples that it is to show, of which all columns are there."""
    own, ranges, table = _entry(kind, keys), _ranges(scales), frames.polars_of(data)
    calls.require_mapping("fields", fields, "{'sample_id': 'a column'}")
    names = calls.names_within(table.columns, samples=frames.is_samples(table) and not fields)
    entry = calls.renamed(own, names)
    for key, column in own.used().items():
        if column == "score":
            raise Error(f"{key}: 'score' is no setting but a number; mean(score) is a metric of it")
    with calls.in_own_names(names):
        table = table.rename(names)
        ranges = {names.get(name, name): ends for name, ends in ranges.items()}
        numbers = [*dict.fromkeys(entry.measured().values())]
        printed = [metrics.metric(word) for word in entry.metrics().values()]
        beside = [f"{p.of}_{end}" for p in printed if p.printed for end in ("n", "stderr")]
        samples = frames.samples_of(
            table,
            [*entry.used().values(), *entry.where],
            [*numbers, *(name for name in beside if name in table.columns)],
            {name: names.get(f"{place}", f"{place}") for name, place in fields.items()},
            ranges,
        )
        entry = _fitted(entry, samples, ranges)
        rows = selection.of_figure(samples.lazy(), entry).collect()
        axes = {key: name for key, name in entry.used().items() if key.startswith(AXES)}
        frames.require_placed(rows, axes)
    for name, inside in zip(dict.fromkeys(own.measured().values()), numbers, strict=True):
        none = rows.filter(pl.col(inside).is_null())
        if 0 < len(none) < len(rows):
            count = f"{len(none):,} of {numbered(len(rows), 'row')} have no number"
            log, line = none.select("log", "line").row(0)
            first = f"the first is {'row ' if log == frames.FRAME else f'{log}:'}{line}"
            calls.warn(
                f"{name}: {count} ({first}); they are missing samples, not wrong ones: what is "
                "wrong has the score 0"
            )
    _warn_of_unused(own, samples, names)
    return Prepared(own, entry, names, samples, frames.without_numbers(rows, numbers))


def _warn_of_unused(entry: Figure, samples: pl.DataFrame, names: Mapping[str, str]) -> None:
    """Warn of values that the figure names or puts in order, and that no row has."""
    listed = {column: names.get(column, column) for _, column, _ in selection.listed_values(entry)}
    there = {column: samples[own] for column, own in listed.items() if own in samples.columns}
    values = {column: of.drop_nulls().unique().sort().to_list() for column, of in there.items()}
    for mistake in selection.unused_values([entry], {NAME: values}):
        calls.warn(calls.in_words_of([mistake], f"figures.{NAME}"))


def _fitted(entry: Figure, samples: pl.DataFrame, ranges: Mapping[str, list[float]]) -> Figure:
    """The figure with values as the columns of the samples hold them.

    Raises:
        Error: a column is not there, or holds something else than the figure needs.
    """
    columns = frames.columns_of(samples)
    types = columns.identity()
    problems = [
        Mistake(key, f"{column!r} is not a {what}; {choices(column, valid)}")
        for used, valid, what in (
            (entry.used(), types, "column"),
            (entry.measured(), columns.numbers(), "number"),
            ({f"range.{name}": name for name in ranges}, columns.numbers(), "number"),
        )
        for key, column in used.items()
        if column not in valid
    ]
    if problems := [*problems, *entry.mistyped(types), *entry.misranged(ranges)]:
        raise Error(problems)
    return msgspec.structs.replace(entry.fitted(types), ranges=ranges)


def _ranges(scales: Ranges) -> dict[str, list[float]]:
    """The scale of each column that has one of its own."""
    calls.require_mapping("range", scales, "{'score': [0, 100]}")
    ranges = {name: calls.plain(ends) for name, ends in scales.items()}
    for name, ends in ranges.items():
        if check(list[float], ends, "") or len(ends) != 2 or not ends[0] < ends[1]:
            raise Error(f"range.{name}: {ends} is not [lowest, highest]")
    return ranges


def _entry(kind: str, keys: Mapping[str, Any]) -> Figure:
    """The checked block of a figure; Error with a line for each mistake."""
    module = registry.find(kinds, kind, "kind", "figure kind")
    for key in sorted({*ALONE} & {*keys}):
        raise Error(f"{key}: {ALONE[key]}")
    block = calls.plain({**keys, "kind": kind, "source": NAME, "name": NAME})
    if gone := [*hints.take_gone({"figures": {NAME: block}})]:
        raise Error([Mistake(place, why) for place, why in gone])
    block = with_lists(module.Entry, block)
    names = [field.encode_name for field in msgspec.structs.fields(module.Entry)]
    names = [name for name in names if name not in (*FILLED, *ALONE, "kind")]
    problems = [
        Mistake("", f"{key!r} is not a key of a {kind}; {hints.key(key, names)}")
        for key in keys
        if key not in names
    ]
    if problems := problems or check(module.Entry, block, ""):
        raise Error(problems)
    entry: Figure = msgspec.convert(block, module.Entry)
    if problems := entry.mistakes():
        raise Error(problems)
    return entry


def _chart(grid: pl.DataFrame, entry: Figure, own: Figure) -> Chart:
    """The chart of a grid, with the user's `own` block as its record."""
    with typefaces.using(typefaces.load(entry.font)):
        typefaces.register(typefaces.typeface())
        chart = api.kind(entry.kind).draw(grid, entry)
        block = {name: value for name, value in msgspec.to_builtins(own).items() if value}
        text = spec.text(chart, {"entry": block, "figure": entry.name})
        return Chart.from_dict(json.loads(text), validate=False)


@contextmanager
def _in_words(words: Mapping[str, str] | None = None) -> Iterator[None]:
    """Messages name keys as they are given here, not as they stand in a config."""
    try:
        yield
    except Error as error:
        entry = f"figures.{NAME}"
        raise Error(calls.in_words_of(error.mistakes, entry, words or {})) from None
