"""The records behind a cell of a heatmap, task by task where it is a mean over tasks.

What runs were to hold, told once more in plain Python from records and declarations.

A run is one setting and scorer. Where one run of each task lies in a cell, and the logs of all of
them tell their size, nothing else may stand there; elsewhere it is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from heatproof.config import roles
from heatproof.kinds import recount
from heatproof.kinds.cell_records import Behind, Part, as_dicts, pick, require_known, where
from heatproof.kinds.heatmap import (
    annotation,
    baseline_recount,
    printed_recount,
    trends,
)
from heatproof.kinds.heatmap.reasons import EMPTY, FAILED
from heatproof.metrics import metric
from heatproof.samples import answers, shard_index
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from heatproof.config.entries import Figure
    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric
    from heatproof.samples.shard_index import Meant, ShardIndex

    _Counted = tuple[str, Mapping[str, Any], Fraction]
    """A cell, its row of the grid, and what was counted; its sign makes the highest the best."""
    Place = tuple[Any, ...]
    """The values of some columns."""


def keys(entry: Entry) -> list[str]:
    """What tells the cells of the figure apart."""
    return [*entry.panels, entry.x, entry.y]


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Panels, x and y."""
    return [_column(name, entry) for name in keys(entry)]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """Value and counts."""
    beside = ["own_value", "baseline_value", "paired_problems"] if entry.relative_to else []
    beside += [annotation.NOTE] if entry.annotate else []
    return ["value", "samples", "epochs", "expected", *beside]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of a cell, and of its baseline."""
    names = {"x": entry.x, "y": entry.y}
    at = {names.get(name, name): value for name, value in cell.items()}
    mine = where(entry.where) & pl.all_horizontal(pl.col(n) == v for n, v in at.items())
    return samples.filter(
        mine | baseline_recount.of_baseline(entry, at) if entry.relative_to else mine
    )


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The cell that `wanted` names and its records, and what is printed beside its value.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    found = _behind(samples, grid, entry, wanted)
    if not entry.annotate:
        return found
    if not entry.beside:
        said, right = annotation.text_behind(samples, grid, entry, found.cell)
        return structs.replace(found, beside=said, agrees=bool(found.agrees and right))
    beside = _behind(samples, annotation.values_of(grid), entry.beside, wanted)
    known, counted = (
        "no value" if value is None else f"{value:.12g}" for value in (beside.value, beside.counted)
    )
    said = f"{beside.metric} = {known}, counted anew {counted}"
    return structs.replace(found, beside=said, agrees=bool(found.agrees and beside.agrees))


def _behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The value with its records."""
    require_known(wanted, keys(entry))
    at = {name: _pick(grid, name, entry, wanted.get(name)) for name in keys(entry)}
    row = grid.filter(pl.col(_column(n, entry)) == v for n, v in at.items()).row(0, named=True)
    mine = samples.filter(where(entry.where), *(pl.col(n) == v for n, v in at.items())).collect()
    what = metric(entry.encoding.color)
    rows = mine.filter(pl.col(what.of).is_not_null())
    counts = tasks(rows, entry)
    panel = [pl.col(name) == at[name] for name in entry.panels]
    beside = samples.filter(where(entry.where), *panel).select("task").unique().collect()
    lacking = _lacking(counts, _wanted(entry, at, mine, {*beside["task"]}))
    total, why = _total(counts, lacking), _gap(what, counts, lacking, len(mine))
    found = Behind(
        cell=at,
        metric=what.word,
        value=row["value"],
        samples=row["samples"],
        epochs=row["epochs"],
        counted=None if total.value is None else float(total.value),
        agrees=_agrees(row, total, bool(len(mine))),
        parts=[_part(task, count, rows, what) for task, count in counts.items()],
        gap=row["gap"] if row["gap"] == FAILED and not len(mine) else why,
        expected=row["expected"],
        asked=row.get("asked") or "",
        printed=printed_recount.told(mine, what, entry.unit_of_samples) if what.printed else "",
    )
    if not entry.relative_to:
        return _in_unit(found, entry)
    theirs = samples.filter(baseline_recount.of_baseline(entry, at), pl.col(what.of).is_not_null())
    wanted_tasks = _wanted(entry, at, mine, {*beside["task"]})
    sides = baseline_recount.Sides(rows, theirs.collect(), wanted_tasks)
    return _in_unit(_beside(found, row, entry, sides), entry)


def _in_unit(found: Behind, entry: Entry) -> Behind:
    """The same with values as logs have them, where the figure shows them so."""
    own = entry.own_unit
    if own is None:
        return found
    one, unit = entry.unit_of_samples, entry.unit
    parts = [
        structs.replace(
            part,
            value=own.value(part.value),
            records=[record | {"value": one.value(record["value"])} for record in part.records],
        )
        for part in found.parts
    ]
    value, counted = unit.value(found.value), unit.value(found.counted)
    return structs.replace(found, value=value, counted=counted, parts=parts)


def _beside(
    found: Behind, row: Mapping[str, Any], entry: Entry, sides: baseline_recount.Sides
) -> Behind:
    """The same of a cell beside its baseline, with the records of both."""
    what, base = metric(entry.encoding.color), sides.base
    both = baseline_recount.compare(sides, entry, what)
    parts = [_part(task, count, base, what) for task, count in tasks(base, entry).items()]
    own = [structs.replace(part, title=f"own, {part.title}") for part in found.parts]
    parts = [structs.replace(part, title=f"baseline, {part.title}") for part in parts]
    sizes = tuple(sum(getattr(part, of) for part in own) for of in ("samples", "epochs"))
    lacking = row["gap"] if row["value"] is None and both.value is None else ""
    return structs.replace(
        found,
        counted=None if both.value is None else float(both.value),
        agrees=baseline_recount.agrees(row, both, sizes),
        parts=[*own, *parts],
        gap=found.gap or lacking or "",
        against=both.said(entry),
    )


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every cell of the grid, counted once more from samples, and which of them is the best.

    With them what is printed beside their values.
    """
    yield from _recounted(samples, grid, entry)
    if metric(entry.encoding.color).printed and not entry.relative_to:
        yield from _uncertainty(samples, grid, entry)
    if entry.annotate:
        yield from annotation.recounted(samples, grid, entry, _recounted)


def _recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """The values."""
    what = metric(entry.encoding.color)
    names = keys(entry)
    rows = samples.filter(where(entry.where)).collect()
    cells = rows.partition_by(names, as_dict=True)
    every = _tasks_by_panel(rows, entry)
    counted: dict[int, list[_Counted]] = {}
    bases = baseline_recount.Bases(samples, entry) if entry.relative_to else None
    for row in grid.iter_rows(named=True):
        at = {name: row[_column(name, entry)] for name in names}
        mine = cells.get(tuple(at.values()), rows.clear())
        numbered = mine.filter(pl.col(what.of).is_not_null())
        counts = tasks(numbered, entry)
        beside = every.get(tuple(at[name] for name in entry.panels), set())
        lacking = _lacking(counts, _wanted(entry, at, mine, beside))
        total = _total(counts, lacking)
        cell = ", ".join(f"{name}={value}" for name, value in at.items())
        if row["value"] is None and (why := _gap(what, counts, lacking, len(mine))):
            cell += f" ({row['gap']!r}, by its records: {why})"
        value = None if total.value is None else float(total.value)
        right = _agrees(row, total, bool(len(mine)))
        if bases:
            wanted = _wanted(entry, at, mine, beside)
            value, right = bases.recounted(row, at, numbered, wanted, total[1:])
        yield cell, row["value"], value, right
        if entry.best != "none" and total.value is not None and row["peers"] is not None:
            exact = total.value if entry.best == "highest" else -total.value
            counted.setdefault(row["peers"], []).append((cell, row, exact))
        elif row["best"]:
            yield f"{cell}: best", 1.0, 0.0, False
    for peers in counted.values():
        yield from _best(peers)
        yield from trends.recounted(peers, entry)
    if bases:
        yield from baseline_recount.marks(grid.iter_rows(named=True), entry)


def _uncertainty(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """What is told of the uncertainty of aggregates, where it is not what was printed."""
    names, what = keys(entry), metric(entry.encoding.color)
    rows = samples.filter(where(entry.where)).collect()
    cells = rows.partition_by(names, as_dict=True)
    for row in grid.iter_rows(named=True):
        at = {name: row[_column(name, entry)] for name in names}
        cell = ", ".join(f"{name}={value}" for name, value in at.items())
        mine = cells.get(tuple(at.values()), rows.clear())
        yield from printed_recount.recounted(cell, row, mine, what)


def _tasks_by_panel(rows: pl.DataFrame, entry: Entry) -> dict[Place, set[str]]:
    """Panel → tasks of which it holds records."""
    every: dict[Place, set[str]] = {}
    for *panel, task in _tasks_of_panels(rows, entry):
        every.setdefault(tuple(panel), set()).add(task)
    return every


def _best(peers: Sequence[_Counted]) -> Iterator[Recounted]:
    """Cells that are compared, and wrongly said to be the best, or not: it is the highest counted.

    Where some lack problems of others, values alone do not tell it, and nothing is said.
    """
    unjudged = any(row.get("unjudged") for _, row, _ in peers)
    if not unjudged and any(row["common"] != row["samples"] for _, row, _ in peers):
        return
    top = max(value for *_, value in peers)
    stored = {row["value"] for _, row, value in peers if value == top}
    for cell, row, value in peers:
        near = recount.same(float(value), top) and not unjudged
        sure = value == top and row["value"] in stored and len(stored) == 1 and not unjudged
        if row["best"] != near and (row["best"] or sure):
            yield f"{cell}: best", float(row["best"]), float(near), False


def expected(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, logs: ShardIndex
) -> Iterator[Recounted]:
    """The rows that each cell was to hold by the word of its `logs`, where they tell.

    Of a run that failed they must.
    """
    entry = entry.alone()
    what, names = metric(entry.encoding.color), keys(entry)
    also = [*entry.pool, *([entry.mean_over] if entry.mean_over else [])]
    rows = samples.filter(where(entry.where), pl.col(what.of).is_not_null()).collect()
    told = cell_sizes(rows, logs, entry, names, also)
    every, deep = {*_tasks_of_panels(rows, entry)}, len(entry.panels)
    for at, tasks_ in told.items():
        every |= {(*at[:deep], task) for task in tasks_}
    for row in grid.iter_rows(named=True):
        place = {name: row[_column(name, entry)] for name in names}
        here = told.get(tuple(place.values()), {})
        wanted = {*here}
        if "task" in also:
            panel = [place[name] for name in entry.panels]
            wanted = {task for *of, task in every if of == panel}
        least, right = size_agrees(row["expected"], here, wanted)
        cell = ", ".join(f"{name}={value}" for name, value in place.items())
        failed = row["gap"] == FAILED
        if here or failed:
            yield f"{cell}: expected", row["expected"], least, right and bool(here)


def _tasks_of_panels(rows: pl.DataFrame, entry: Entry) -> Iterator[Place]:
    """Values of the columns of panels, then a task of which such a panel holds records."""
    panels = [pl.col(name).alias(f"panel {name}") for name in entry.panels]
    yield from rows.select(*panels, "task").unique().iter_rows()


def _wanted(entry: Entry, at: Mapping[str, Any], mine: pl.DataFrame, beside: set[str]) -> set[str]:
    """The tasks that a cell should tell of.

    That at which it lies; for a mean over tasks all `beside` it, of which its panel holds records;
    else those of its own records.
    """
    if "task" in at:
        return {at["task"]}
    return beside if "task" in (entry.mean_over, *entry.pool) else {*mine["task"]}


def _lacking(counts: Mapping[str, recount.Count], wanted: set[str]) -> list[str]:
    """Of these tasks those for which there is no number."""
    return sorted(task for task in wanted if task not in counts or counts[task].value is None)


def _total(counts: dict[str, recount.Count], lacking: Sequence[str]) -> recount.Count:
    """The cell: a mean that lacks a task is none."""
    total = recount.mean(counts)
    return total._replace(value=None) if lacking else total


def _agrees(row: Mapping[str, Any], total: recount.Count, records: bool) -> bool:
    """Whether the grid says what was counted; that there are no records only where there are."""
    if row["value"] is None and (row["gap"] in EMPTY) == records:
        return False
    return recount.same(row["value"], total.value) and (row["samples"], row["epochs"]) == total[1:]


def _gap(
    what: Metric, counts: Mapping[str, recount.Count], lacking: Sequence[str], records: int
) -> str:
    """Why there is no value; empty where there is one."""
    if not records:
        return "no record"
    if not lacking:
        return ""
    tried = [task for task in lacking if task in counts]
    few = f"{what.lacks} of {', '.join(tried)}" if tried else ""
    none = [task for task in lacking if task not in counts]
    of = ", ".join(filter(None, none))
    number = f"no {what.of}{f' of {of}' * bool(of)}" if none else ""
    return f"no value: {'; '.join(filter(None, [number, few]))} in {records:,} records"


def tasks(rows: pl.DataFrame, entry: Entry) -> dict[str, recount.Count]:
    """Task → what its records give, counted anew."""
    what = metric(entry.encoding.color)
    if what.votes:
        told = rows.select("task", "sample_id", what.of, answers.COLUMN).iter_rows()
        return recount.votes(told, what)
    triples = rows.select("task", "sample_id", what.of).iter_rows()
    return recount.cell(triples, what, pooled=bool(rows["reconstructed"].any()))


def _part(task: str, count: recount.Count, rows: pl.DataFrame, what: Metric) -> Part:
    value = None if count.value is None else float(count.value)
    also = [answers.COLUMN] if what.votes else []
    mine = as_dicts(rows.filter(pl.col("task") == task), what.of, *also)
    return Part(f"task={task}", value, count.samples, count.epochs, mine)


def _column(name: str, entry: Entry) -> str:
    return {entry.x: "x", entry.y: "y"}.get(name, name)


def _pick(grid: pl.DataFrame, name: str, entry: Entry, given: str | None) -> Any:
    values = grid[_column(name, entry)].unique(maintain_order=True).to_list()
    return pick(name, given, values, entry.called(name, values))


class Size(NamedTuple):
    """What a cell, or a run, was to hold."""

    least: int
    sure: bool
    """Whether it is just that."""


def cell_sizes(
    graded: pl.DataFrame, logs: ShardIndex, entry: Figure, axes: Sequence[str], also: Iterable[str]
) -> dict[Place, dict[str, Size]]:
    """Place on the axes → task → what was to be there, where some log tells.

    Args:
        graded: the records of the figure with a number.
        logs: what holds them, and what failed.
        entry: the figure.
        axes: columns that tell its cells apart.
        also: further settings of which a cell may hold several.
    """
    if roles.WITHIN & {*axes, *also, *entry.where}:
        return {}
    meant: dict[Place, list[Meant]] = {}
    for one in shard_index.meant_runs(logs, entry):
        meant.setdefault(tuple(one.settings), []).append(one)
    names = logs.columns
    runs: dict[tuple[Place, str], Counter[str]] = {}
    columns = [*names, "scorer", "sample_id"]
    some = meant or logs.expect is not None
    for *settings, scorer, sample in graded.select(columns).iter_rows() if some else ():
        runs.setdefault((tuple(settings), scorer), Counter())[sample] += 1
    found: dict[Place, dict[str, list[Size]]] = {}
    for (run, scorer), samples in runs.items():
        told = dict(zip(names, run, strict=True)) | {"scorer": scorer}
        at = found.setdefault(tuple(told[name] for name in axes), {}).setdefault(told["task"], [])
        at.append(wanted_size(samples, meant.get(run, []), logs.wanted(run)))
    scorers = sorted({*graded["scorer"]}) if "scorer" in axes else [""]
    for run, scorer in product(meant.keys() - {run for run, _ in runs}, scorers):  # they failed
        told = dict(zip(names, run, strict=True)) | {"scorer": scorer}
        tasks = found.setdefault(tuple(told[name] for name in axes), {})
        tasks.setdefault(told["task"], []).append(Size(0, sure=False))
    return {place: {t: _sum(one) for t, one in tasks.items()} for place, tasks in found.items()}


def wanted_size(samples: Mapping[str, int], meant: Sequence[Meant], wanted: int | None) -> Size:
    """What a run was to hold: by problem where its logs name what they lack, else in all.

    What config.yaml says (`wanted`) goes before.
    """
    lacking = Counter[str]()
    for one in meant:
        for name, epochs in one.lacks.items():
            lacking[name] = max(lacking[name], epochs - samples.get(name, 0))
    least = sum(samples.values()) + lacking.total() + sum(one.lacking for one in meant)
    if wanted is not None:
        return Size(max(least, wanted), sure=True)
    if not meant or any(one.samples is None for one in meant):
        return Size(least, sure=False)
    if len(meant) > 1 and all(one.named for one in meant):
        return Size(least, sure=True)
    parts = sum(one.samples or 0 for one in meant if not one.empty)
    return Size(max(least, parts, *(one.samples or 0 for one in meant)), sure=True)


def size_agrees(stored: int, tasks: Mapping[str, Size], wanted: set[str]) -> tuple[int, bool]:
    """The rows that a cell was to hold at least, and whether it says so.

    `wanted`: the tasks that it tells of.
    """
    least = sum(one.least for one in tasks.values())
    sure = tasks.keys() == wanted and all(one.sure for one in tasks.values())
    return least, stored == least if sure else stored >= least


def _sum(runs: Sequence[Size]) -> Size:
    alone = len(runs) == 1 and runs[0].sure
    return Size(sum(one.least for one in runs), alone)
