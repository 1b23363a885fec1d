"""Samples → grid → chart, for a table in memory: the stages `aggregate` and `draw` of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import kinds, metrics
from heatproof.charts import spec, theme, typefaces
from heatproof.config import hints, roles, schema, venues
from heatproof.config.entries import refused
from heatproof.config.schema import check, with_lists
from heatproof.kinds import api
from heatproof.library import frames
from heatproof.library.charts import Chart
from heatproof.samples import selection
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, not_one_of
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.library.frames import Names

    Ranges = Mapping[str, Sequence[float]]
    """Column → what its 0 and 1 are: lowest and highest of its numbers."""
    Keys = Mapping[str, Any]
    """Key of a figure's block → its value."""

NAME = "figure"  # what a figure is called that has no name in a config
PLACE = f"figures.{NAME}"
IN_CALL = {"encoding.x": "x", "encoding.y": "y", "encoding.color": "metric"}
"""Key of a heatmap's block → what it is called in a call."""
NOT_HERE = {"kind", "formats", "name", "source"}  # keys that have a meaning in a run alone
AXES = ("encoding.", "panel", "row", "column")  # how keys of axes and panels begin
CELL = "finished_"  # the measure, and the problem, of finished numbers
PLAIN = {"verdict": "none", "best": "none", "uncertainty": "none"}
"""Keys of finished numbers, which carry no verdict."""
JUDGED = {"value", "best", "tied", "gap", "peers"}
"""Columns by which the grid of a heatmap is recognised."""


@frames.public(PLACE)
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
        data: samples from `read`, or any table with a row for each graded attempt (polars, pandas,
            Arrow, DuckDB, a dict of columns).
        kind: `heatmap`, `pairwise`, `line`, `table`, `forest` or `scatter`.
        fields: our column → its name in `data`; `$row` for the number of the row. `sample_id` is
            the problem, `score` is 0–1 or true and false.
        range: scale of numbers that are not 0–1, such as `{"score": [1, 10]}`; the figure shows
            them on it. For samples from `read`, the `range` that `read` was given.
        keys: keys of a figure in config.yaml (`heatproof guide figures`), such as `encoding`,
            `panel`.

    Raises:
        Error: a key or a column is wrong, or the samples cannot be drawn so.

    A run draws the same samples with the same values and marks. Only a run knows which samples are
    missing, because logs declare them.

    >>> import heatproof as hp
    >>> table = {"lr": [0.1, 0.1, 0.2, 0.2], "net": ["a"] * 4, "question": [1, 2, 1, 2],
    ...          "marks": [7, 9, 5, 4]}
    >>> chart = hp.figure(table, "line", {"sample_id": "question", "score": "marks"},
    ...                   range={"score": [1, 10]},
    ...                   encoding={"x": "lr", "y": "mean(score)", "color": "net"})
    """
    entry = _entry(kind, keys)
    cells, counted = _count_figure(data, entry, fields, range)
    return _chart(cells, counted, entry)


@frames.public(PLACE, IN_CALL)
def grid(
    data: Any,
    *,
    x: str,
    y: str,
    metric: str | list[str] = "pass@1",
    fields: Mapping[str, str] | None = None,
    range: Ranges | None = None,  # noqa: A002
    **keys: Any,
) -> pl.DataFrame:
    """The numbers of a heatmap: a row per cell, with `value`, `se`, `low`, `high`, `tied`, `best`.

    Args:
        data: samples or any table, as for `figure`.
        x: column along x; it keeps its name.
        y: column along y.
        metric: `pass@k`, `pass^k`, `mean(column)`, `median(column)` … (`heatproof guide
            statistics`); a list of them adds a column `metric`.
        fields: our column → its name in `data`, as for `figure`.
        range: as for `figure`; the grid itself holds numbers from 0 to 1.
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
    entry: Any = _entry("heatmap", _heatmap_keys(x, y, metric, keys))
    cells, counted = _count_figure(data, entry, fields, range)
    question = entry.question
    names = {"x": question.x, "y": question.y}
    names |= zip(counted.question.panels, question.panels, strict=True)
    for key, name in question.place_keys().items():
        if name in cells.columns and name not in names:
            message = f"{name!r} is the name of a column of the grid; rename yours"
            raise Error(f"{key}: {message}, such as my_{name}")
    return cells.rename(names)


@frames.public(PLACE, IN_CALL)
def heatmap(
    data: Any,
    *,
    x: str = "",
    y: str = "",
    metric: str | list[str] = "pass@1",
    value: str | None = None,
    n: str | None = None,
    stderr: str | None = None,
    fields: Mapping[str, str] | None = None,
    range: Ranges | None = None,  # noqa: A002
    **keys: Any,
) -> Chart:
    """A heatmap, as an Altair chart that notebooks show: samples, or what `grid` made of them.

    Or finished numbers, one row a cell, in the column `value`. They have no outline, and an
    interval only with `n` or `stderr`.

    Args:
        data: as for `figure`; or a grid, with the `x`, `y`, `metric`, `panel` of its making.
        x: column along x.
        y: column along y.
        metric: as for `grid`.
        value: column of finished numbers, instead of a metric of samples.
        n: with `value`, column of its number of problems, if it is a share of right answers.
        stderr: with `value`, column of its standard error (`uncertainty="se"` or `"interval"`).
        fields: as for `figure`.
        range: as for `figure`; of a grid, the one that it was made with.
        keys: as for `grid`, and those of its look, such as `palette`, `labels`, `width`.

    Raises:
        Error: as `figure`.

    >>> import heatproof as hp
    >>> rows = {"model": ["a", "a", "b", "b"], "task": ["t"] * 4, "id": [1, 2, 1, 2]}
    >>> chart = hp.heatmap(rows | {"right": [1, 0, 1, 1]}, x="task", y="model",
    ...                    fields={"sample_id": "id", "score": "right"})
    >>> hp.save(chart, "figure.pdf")
    """
    frames.require_long(data)
    if not (x and y):
        raise Error("a heatmap needs x and y: the columns along its axes, x='task', y='model'")
    table = frames.polars_of(data)
    if value is not None:
        if fields or range:
            raise Error("value: finished numbers are shown as they are; remove fields and range")
        return _finished(table, {"value": value, "n": n, "stderr": stderr}, x, y, keys)
    if n or stderr:
        raise Error("n, stderr: they belong to finished numbers; name their column too: value")
    block = _heatmap_keys(x, y, metric, keys)
    if metric in table.columns and refused("", metrics.metric, metric):
        ways = f"for samples, write mean({metric}); for finished numbers, a row a cell"
        raise Error(f"metric: {metric!r} is a column; {ways}, value={metric!r}")
    if set(table.columns) >= JUDGED:
        entry: Any = _entry("heatmap", block)
        if set(entry.question.along) <= set(table.columns):
            entry = msgspec.structs.replace(entry, ranges=_ranges(range))
            # In a grid the columns of the axes have their own names.
            question = entry.question
            names = {name: f"{name}_" for name in question.panels if name in ("x", "y")}
            cells = table.rename({**names, question.x: "x", question.y: "y"})
            return _chart(cells, frames.renamed(entry, names), entry)
    return figure(table, "heatmap", fields, range=range, **block)


def _heatmap_keys(x: str, y: str, metric: str | list[str], keys: Keys) -> dict[str, Any]:
    """The keys of a heatmap; the name of a column may be a number."""
    if {"encoding", "kind"} & keys.keys():
        raise Error("encoding, kind: they are keys of hp.figure; a heatmap has x, y and metric")
    axes = {"x": _column_name(x), "y": _column_name(y)}
    return {**keys, "encoding": {**axes, "color": metric}}


def _column_name(name: Any) -> Any:
    name = frames.plain(name)
    if type(name) is int:
        return f"{name}"
    return name


def _finished(
    table: pl.DataFrame, columns: Mapping[str, str | None], x: str, y: str, keys: Keys
) -> Chart:
    """The chart of a table with a row a cell; `columns`: argument of the call → its column."""
    numbers = {"value": CELL, "n": f"{CELL}_n", "stderr": f"{CELL}_stderr"}
    for key, column in columns.items():
        if column is not None:
            frames.require_column(table, column, f"{key}: ")
            values = frames.number_column(table, column)
            table = table.with_columns(values.alias(numbers[key]))
    value = columns["value"] or ""
    metric = f"printed({CELL})"
    problem = pl.lit(CELL)
    cells = table.with_columns(sample_id=problem)
    cells = cells.filter(pl.col(CELL).is_not_null())
    if not len(cells):
        raise Error(f"value: none of {numbered(len(table), 'row')} has a number in {value!r}")
    labels = {metric: value.replace("_", " ")}
    for name, text in keys.get("labels", {}).items():
        if name == value:
            labels[metric] = text
        else:
            labels[name] = text
    block = PLAIN | _heatmap_keys(x, y, metric, keys) | {"labels": labels}
    return figure(cells, "heatmap", **block)


def _count_figure(
    data: Any, entry: Figure, fields: Names | None, scales: Ranges | None
) -> tuple[pl.DataFrame, Any]:
    """The grid of a figure, and the figure in which columns named as ours have other names."""
    ranges = _ranges(scales)
    table = frames.polars_of(data)
    fields = fields or {}
    if wrong := check(dict[str, str | int], frames.plain(fields), "fields"):
        raise Error(wrong)
    kept = roles.OWN if frames.is_samples(table) and not fields else frames.FIELDS
    names = {}
    for name in table.columns:
        if name in roles.TAKEN and name not in kept:
            names[name] = f"{name}_"
    entry = frames.pooled_by_role(frames.renamed(entry, names), fields)
    table = table.rename(names)
    ranges = {names.get(name, name): ends for name, ends in ranges.items()}
    for key, column in entry.used().items():
        if column == "score":
            raise Error(f"{key}: 'score' is a number, not a setting; its mean is mean(score)")
    numbers = list(dict.fromkeys(entry.measured().values()))
    measures = numbers + _printed_columns(entry, table)
    settings = list(entry.used().values()) + list(entry.where)
    texts = {name: f"{column}" for name, column in fields.items()}
    texts = {name: names.get(column, column) for name, column in texts.items()}
    samples = frames.samples_of(table, settings, measures, texts, ranges)
    entry = _fit_figure(entry, samples, ranges)
    lazy = samples.lazy()
    rows = selection.of_figure(lazy, entry).collect()
    axes = {key: name for key, name in entry.used().items() if key.startswith(AXES)}
    frames.require_placed(rows, axes)
    for name in numbers:
        _warn_missing(rows, name)
    options: dict[str, Any] = {}
    if entry.expects():
        options["logs"] = frames.without_numbers(rows, numbers)
    counted = api.kind(entry.kind).aggregate(lazy, entry, **options)
    return counted, entry


def _warn_missing(rows: pl.DataFrame, name: str) -> None:
    """Warn of rows without a number in a column."""
    none = rows.filter(pl.col(name).is_null())
    if 0 < len(none) < len(rows):
        count = frames.share_of_rows(len(none), rows)
        log, line = none.select("log", "line").row(0)
        place = f"{log}:{line}"
        if log == frames.FRAME:
            place = f"row {line}"
        head = f"{name}: {count} have no number (the first is {place})"
        text = f"{head}; they are missing samples, not wrong ones: a wrong one has the score 0"
        frames.warn(frames.RENAMED.sub(r"\1", text))


def _printed_columns(entry: Figure, table: pl.DataFrame) -> list[str]:
    """The columns of the table with numbers of problems and errors of printed values."""
    columns = []
    for word in entry.metrics().values():
        metric = metrics.metric(word)
        if metric.printed:
            columns += [f"{metric.of}_n", f"{metric.of}_stderr"]
    return [name for name in columns if name in table.columns]


def _fit_figure(entry: Figure, samples: pl.DataFrame, ranges: Mapping[str, list[float]]) -> Figure:
    """The figure with values as the columns hold them. Raises Error: a column does not fit."""
    columns = frames.columns_of(samples)
    types = columns.identity()
    numbers = columns.numbers()
    problems = []
    for key, column in entry.used().items():
        if column not in types:
            problems.append(Mistake(key, not_one_of(column, "column", types)))
    scales = {f"range.{name}": name for name in ranges}
    for key, column in (entry.measured() | scales).items():
        if column not in numbers:
            problems.append(Mistake(key, not_one_of(column, "number", numbers)))
    problems += entry.mistyped(types) + entry.misranged(ranges)
    if problems:
        raise Error(problems)
    return msgspec.structs.replace(entry.fitted(types), ranges=ranges)


def _ranges(scales: Ranges | None) -> dict[str, list[float]]:
    ranges: dict[str, list[float]] = frames.plain(scales or {})
    if wrong := check(dict[str, list[float]], ranges, "range"):
        raise Error(wrong)
    for name, ends in ranges.items():
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise Error(f"range.{name}: {ends} is not [lowest, highest]")
    return ranges


def _entry(kind: str, keys: Keys) -> Figure:
    """The checked block of a figure. Raises Error with a line for each mistake."""
    struct = registry.find(kinds, kind, "kind", "figure kind").Entry
    block = with_lists(struct, frames.plain({**keys, "kind": kind, "source": NAME, "name": NAME}))
    names = [name for name in schema.fields(struct) if name not in NOT_HERE]
    problems = []
    for key in keys:
        if key not in names:
            message = f"{key!r} is not a key of a {kind} here; {hints.key(key, names)}"
            problems.append(Mistake("", message, word=key))
    if not problems:
        problems = check(struct, block, "")
    if problems:
        raise Error(problems)
    entry: Figure = msgspec.convert(block, struct)
    if problems := entry.mistakes():
        raise Error(problems)
    return entry


def _chart(grid: pl.DataFrame, entry: Figure, written: Figure) -> Chart:
    """The chart of a grid, with the block that the user has `written` as its record."""
    sizes = venues.type_of(entry.type, entry.width)
    with typefaces.using(typefaces.load(entry.font)), theme.using(sizes):
        chart = api.kind(entry.kind).draw(grid, entry)
        keys = msgspec.to_builtins(written)
        block = {name: value for name, value in keys.items() if value}
        text = spec.text(chart, {"entry": block, "figure": entry.name})
        drawn = json.loads(text)
        return Chart.of_spec(drawn)
