"""Figures that fit what varies: which columns are axes, which panels, which are pooled."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.start.block import Line
from heatproof.start.columns import depends
from heatproof.start.source import listed, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Columns
    from heatproof.start.source import Found
    from heatproof.start.trial import Trial

BOARD = 24
"""Models that a board of pairs has at most."""
SHARED = 0.5
"""Part of their problems that models have in common at least."""
PANELS = 16
"""Panels of a figure at most."""
FILLED = 0.25
"""Part of the cells that hold records, at least, for two settings to be the axes."""


class Figure(NamedTuple):
    """A figure to be written."""

    name: str
    lines: list[Line]
    what: str
    """What it shows, in a few words."""


class _Sweep(NamedTuple):
    """What varies in the logs of a source."""

    columns: dict[str, list[Any]]
    varied: list[str]
    """Settings with several values, pooled ones left out."""
    numbers: list[str]
    """Of these, numbers."""
    pooled: list[str]
    metric: str
    looked: float
    """Part of the logs that was looked into."""

    def values(self, column: str) -> list[Any]:
        told = dict.fromkeys(self.columns[column])
        return sorted(told, key=lambda one: (one is None, isinstance(one, str), one))

    def count(self, column: str) -> int:
        return len({*self.columns[column]})

    def filled(self, x: str, y: str) -> float:
        """Part of the cells of two axes that hold records."""
        there = {*zip(self.columns[x], self.columns[y], strict=True)}
        return len(there) / (self.count(x) * self.count(y)) / self.looked


def figures(found: Found, read: Trial, told: Columns, name: str) -> list[Figure]:
    """The figures of a source."""
    sweep = _sweep(found, read, told)
    if found.printed:
        return _of_aggregates(sweep, found.printed, name)
    if found.versus:
        return [_of_cells(sweep, name, name, found.versus, "model")]
    made = [_heatmap(sweep, name)]
    if len(sweep.numbers) == 1:
        made.append(_line(sweep, f"{name}-line", name))
    if {"model", "task"} <= {*sweep.varied} and sweep.numbers:
        made.append(_table(sweep, f"{name}-tasks", name))
    if board := _board(sweep, f"{name}-pairs", name):
        made.append(board)
    return made


def _sweep(found: Found, read: Trial, told: Columns) -> _Sweep:
    settings = ["model", "task", *told.params, "scorer"]
    varied = [column for column in settings if len({*read.columns[column]}) > 1]
    pooled = [column for column in varied if column in found.pooled]
    varied = [column for column in varied if column not in pooled]
    numbers = [column for column in varied if told.params.get(column) in ("int", "float")]
    sweep = _Sweep(read.columns, varied, numbers, pooled, "", _share(found))
    numbers = [one for one in numbers if not _is_told(sweep, one)]
    numbers.sort(key=lambda column: -sweep.count(column))
    metric = "pass@1" if {*read.columns["score"]} <= {0.0, 1.0} else "mean(score)"
    return sweep._replace(numbers=numbers, metric=metric)


def _of_aggregates(sweep: _Sweep, numbers: Sequence[str], name: str) -> list[Figure]:
    """A heatmap of each number; what they are repeated over is averaged, or one is chosen."""
    over, rest = sweep.pooled[:1], sweep.pooled[1:]
    sweep = sweep._replace(pooled=[], varied=[*sweep.varied, *rest])
    made = []
    for number in numbers:
        own = name if number == numbers[0] else f"{name}-{number.replace('_', '-')}"
        one = _heatmap(sweep._replace(metric=f"printed({number})"), name)
        told = [Line("mean_over", one, f"repetitions, {listed(sweep.values(one))}") for one in over]
        lines = [*one.lines[:-1], *told, *one.lines[-1:]]
        made.append(Figure(own, lines, f"{number}, {one.what}"))
    return made


def _share(found: Found) -> float:
    return len(found.family.looked) / len(found.family.paths)


def _is_told(sweep: _Sweep, column: str) -> bool:
    """Whether the model or the task tells its value, as harnesses ask each task with its shots."""
    of_task = "task" in sweep.varied and depends(sweep.columns[column], sweep.columns["task"])
    return of_task or _is_of_model(sweep, column)


def _is_of_model(sweep: _Sweep, column: str) -> bool:
    """Whether the model tells its value: then it is no setting that was swept."""
    return "model" in sweep.varied and depends(sweep.columns[column], sweep.columns["model"])


def _axes(sweep: _Sweep) -> tuple[str, str]:
    """The columns along x and y."""
    for n, x in enumerate(sweep.numbers):
        for y in sweep.numbers[n + 1 :]:
            if sweep.filled(x, y) >= FILLED:
                return x, y
    words = [one for one in sweep.varied if one not in sweep.numbers and one != "scorer"]
    words = [one for one in words if one in ("model", "task") or not _is_told(sweep, one)]
    long = next((one for one in words if sweep.count(one) > PANELS and _tells(sweep, one)), "")
    if long and not sweep.numbers:
        return "task", long
    if sweep.numbers:
        first = [one for one in ("model", "task", *words) if one in words]
        return sweep.numbers[0], (first[0] if first else "model")
    if "model" in words and "task" in words:
        return "task", "model"
    other = next((one for one in words if one not in ("model", "task")), "")
    if other:
        return other, ("task" if "task" in words else "model")
    return "task", "model"


def _tells(sweep: _Sweep, column: str) -> bool:
    """Whether a setting tells the model, so that it can stand in the place of it."""
    own = column not in ("model", "task")
    return own and depends(sweep.columns["model"], sweep.columns[column])


def _rest(sweep: _Sweep, used: Sequence[str]) -> list[str]:
    """Settings that a figure has to name beside its axes.

    What the ones before tell is the same in each cell, and is not named.
    """
    found: list[str] = []
    for column in sweep.varied:
        known = [sweep.columns[one] for one in (*used, *found)]
        if column not in used and not depends(
            sweep.columns[column], list(zip(*known, strict=True)) if known else []
        ):
            found.append(column)
    return found


def _placed(sweep: _Sweep, rest: Sequence[str]) -> list[Line]:
    """Panels for one or two further settings; of others, one value is chosen."""
    rest = sorted(rest, key=lambda one: (one == "scorer", one not in ("model", "task")))
    panels = [one for one in rest if one != "scorer" and sweep.count(one) <= PANELS][:2]
    if len(panels) == 2 and sweep.count(panels[0]) * sweep.count(panels[1]) > PANELS:
        panels = panels[:1]
    chosen = {one: _usual(sweep, one) for one in rest if one not in panels}
    lines = []
    if chosen:
        others = "; ".join(f"{one}: {listed(sweep.values(one))}" for one in chosen)
        lines.append(Line("where", chosen, f"one of several, {others}"))
    if len(panels) == 1:
        lines.append(Line("panel", panels[0], f"a panel each: {listed(sweep.values(panels[0]))}"))
    elif panels:
        row, column = sorted(panels, key=sweep.count)
        lines.append(Line("row", row, listed(sweep.values(row))))
        lines.append(Line("column", column, listed(sweep.values(column))))
    return lines


def _usual(sweep: _Sweep, column: str) -> Any:
    """The value that most records have; of scorers, one for each task where tasks differ."""
    counts = Counter(sweep.columns[column])
    order = sorted(sweep.values(column), key=lambda value: -counts[value])
    if column != "scorer":
        return order[0]
    of_task: dict[Any, set[Any]] = defaultdict(set)
    for task, scorer in zip(sweep.columns["task"], sweep.columns["scorer"], strict=True):
        of_task[task].add(scorer)
    chosen: set[Any] = set()
    for names in sorted(of_task.values(), key=len):
        covered = [one for one in of_task.values() if one & chosen]
        free = (one for one in order if one in names and not any(one in had for had in covered))
        if not names & chosen:
            chosen.add(next(free, None))
    if None in chosen:
        return order[0]
    return sorted(chosen) if len(chosen) > 1 else chosen.pop()


def _pool(sweep: _Sweep) -> list[Line]:
    told = "; ".join(f"{one}: {listed(sweep.values(one))}" for one in sweep.pooled)
    return [Line("pool", sweep.pooled, f"repetitions, {told}")] if sweep.pooled else []


def _heatmap(sweep: _Sweep, name: str) -> Figure:
    x, y = _axes(sweep)
    return _of_cells(sweep, name, name, x, y)


def _table(sweep: _Sweep, name: str, source: str) -> Figure:
    return _of_cells(sweep, name, source, "task", "model")


def _of_cells(sweep: _Sweep, name: str, source: str, x: str, y: str) -> Figure:
    rest = _rest(sweep, [x, y])
    why = f"{x}: {listed(sweep.values(x))}; {y}: {listed(sweep.values(y))}"
    lines = [
        Line("kind", "heatmap"),
        Line("source", source),
        *_placed(sweep, rest),
        *_pool(sweep),
        Line("encoding", {"x": x, "y": y, "color": sweep.metric}, why),
    ]
    return Figure(name, lines, f"{x} × {y}{_only(sweep, lines)}")


def _only(sweep: _Sweep, lines: Sequence[Line]) -> str:
    """What a figure leaves out, in words: its `where`, and the part of the samples that is."""
    where: dict[str, Any] = next((line.value for line in lines if line.key == "where"), {})
    if not where:
        return ""
    rows = zip(*(sweep.columns[column] for column in where), strict=True)
    kept = [one if isinstance(one, list) else [one] for one in where.values()]
    drawn = (all(value in one for value, one in zip(row, kept, strict=True)) for row in rows)
    part = sum(drawn) / len(sweep.columns["score"])
    named = zip(where, (" and ".join(map(short, one)) for one in kept), strict=True)
    told = ", ".join(f"{column}: {values}" for column, values in named)
    return f", only {told} ({part:.0%} of the samples)"


def _line(sweep: _Sweep, name: str, source: str) -> Figure:
    x = sweep.numbers[0]
    words = [one for one in sweep.varied if one not in (x, "scorer")]
    color = next((one for one in ("model", "task", *words) if one in words), "model")
    rest = _rest(sweep, [x, color])
    lines = [
        Line("kind", "line"),
        Line("source", source),
        *_single(sweep, rest),
        *_pool(sweep),
        Line("encoding", {"x": x, "y": sweep.metric, "color": color},
             f"one setting varies, {x}; a line for each {color}"),
    ]  # fmt: skip
    return Figure(name, lines, f"{sweep.metric} over {x}")


def _single(sweep: _Sweep, rest: Sequence[str]) -> list[Line]:
    """As `_placed`, for kinds that have no grid of panels."""
    first = [one for one in ("task", *rest) if one in rest and one != "scorer"][:1]
    chosen = {one: _usual(sweep, one) for one in rest if one not in first}
    lines = []
    if chosen:
        others = "; ".join(f"{one}: {listed(sweep.values(one))}" for one in chosen)
        lines.append(Line("where", chosen, f"one of several, {others}"))
    return lines + [
        Line("panel", one, f"a panel each: {listed(sweep.values(one))}") for one in first
    ]


def _board(sweep: _Sweep, name: str, source: str) -> Figure | None:
    """Models against each other, where they have most problems in common."""
    join = ["sample_id", *(one for one in sweep.varied if one not in ("model", "scorer"))]
    join = [one for one in (*join, *sweep.pooled) if not _is_of_model(sweep, one)]
    if "model" not in sweep.varied:
        return None
    sets: dict[Any, set[Any]] = defaultdict(set)
    # Of some logs alone, few are of equal settings: then problems must do.
    common = join if sweep.looked == 1 else [one for one in join if one in ("sample_id", "task")]
    if not common:
        return None
    keys = zip(*(sweep.columns[one] for one in common), strict=True)
    for model, key in zip(sweep.columns["model"], keys, strict=True):
        sets[model].add(key)
    sets.pop(None, None)
    most = max(sets.values(), key=len)
    models = sorted(m for m, keys in sets.items() if len(keys & most) >= SHARED * len(most))
    if not 2 <= len(models) <= BOARD or len(set.intersection(*(sets[m] for m in models))) < 2:
        return None
    shared = len(set.intersection(*(sets[m] for m in models)))
    known = list(zip(*(sweep.columns[one] for one in join if one != "sample_id"), strict=True))
    each = bool(known) and depends(sweep.columns["scorer"], known)  # what is compared tells it
    several = "scorer" in sweep.varied and not each
    where = {"scorer": _usual(sweep, "scorer")} if several else {}
    lines = [
        Line("kind", "pairwise"),
        Line("source", source),
        *([Line("where", where, listed(sweep.values("scorer")))] if where else []),
        Line("measure", "score"),
        Line("models", models, f"{shared:,} problems in common"),
    ]
    if len(join) > 1:
        lines.append(Line("join", join, "compared where these are the same"))
    return Figure(name, lines, f"{len(models)} models, each against each")
