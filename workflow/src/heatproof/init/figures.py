"""Figures of what was read: those that a person wants first."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.init.write import Line, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.util.lazy import polars as pl

PANELS = 24
WIDE = 16
"""Names along x at most, where y has fewer."""
BOARD = 8
"""Models of a board."""
SHARED = 0.5
"""Part of the problems of the largest model that one of a board must have."""
CURVE = 3
"""Numbers of a setting from which a line is drawn over it."""


@dataclass(frozen=True)
class Figure:
    """A figure of a source."""

    end: str
    """What its name has behind that of the source."""
    kind: str
    keys: dict[str, Any]
    what: str
    """What it shows, in few words."""
    whys: dict[str, str] = field(default_factory=dict)

    def line(self, source: str) -> Line:
        """As it is written."""
        keys = [Line(key, value, self.whys.get(key, "")) for key, value in self.keys.items()]
        keys = [Line("kind", self.kind), Line("source", source), *keys]
        return Line(f"{source}{self.end}", keys, self.what)


@dataclass(frozen=True)
class Sweep:
    """Samples, and what varies between them."""

    samples: pl.DataFrame
    params: dict[str, str]
    """Hyper-parameter → type."""
    metric: str
    pooled: Sequence[str]
    """Hyper-parameters that number repetitions."""

    def count(self, name: str) -> int:
        return self.samples[name].n_unique()

    def values(self, name: str) -> list[Any]:
        """Those of a column, in their order."""
        values = self.samples[name].drop_nulls().unique().to_list()
        return sorted(values, key=lambda value: (isinstance(value, str), value))

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        combinations = self.samples.select(others).n_unique()
        return bool(others) and self.samples.select([*others, name]).n_unique() == combinations

    @cached_property
    def dimensions(self) -> list[str]:
        """Settings that differ between runs, and that those before do not determine."""
        names: list[str] = []
        for name in ("model", "task", *self.params, "scorer"):
            if name in self.pooled or self.count(name) < 2:
                continue
            if not (names and self.follows(name, names)):
                names.append(name)
        return names

    @cached_property
    def numbers(self) -> list[str]:
        """Of these the numbers, those with most values first."""
        numbers = [n for n in self.dimensions if self.params.get(n) in ("int", "float")]
        return sorted(numbers, key=lambda name: -self.count(name))


def figures(sweep: Sweep) -> list[Figure]:
    """The figures of a source, the first of which shows all of it."""
    drawn = [_main(sweep)]
    if curve := _line(sweep):
        drawn.append(curve)
    if {"model", "task"} <= {*sweep.dimensions} and sweep.numbers:
        drawn.append(_heatmap(sweep, "task", "model", "-tasks"))
    if not sweep.metric.startswith("printed") and (board := _board(sweep)):
        drawn.append(board)
    return drawn


def _main(sweep: Sweep) -> Figure:
    """Setting × setting, or a row for each value where one thing varies."""
    dimensions = sweep.dimensions
    if len(dimensions) < 2:
        y = dimensions[0] if dimensions else "model"
        keys = {**_pool(sweep), "encoding": {"x": sweep.metric, "y": y}}
        return Figure("", "forest", keys, f"{sweep.metric} of each {y}", _whys(sweep, [y], keys))
    return _heatmap(sweep, *_axes(sweep))


def _axes(sweep: Sweep) -> tuple[str, str]:
    """Columns along x and y: the model down, numbers across; many names are read down."""
    left = sorted(
        sweep.dimensions,
        key=lambda n: (n == "scorer", n not in sweep.numbers, n != "task", -sweep.count(n)),
    )
    y = "model" if "model" in left else ""
    if y:
        left.remove(y)
    elif len(sweep.numbers) > 1:
        y = left.pop(1)
    else:
        y = left.pop()
    x = left[0]
    if x not in sweep.numbers and sweep.count(x) > max(WIDE, sweep.count(y)):
        x, y = y, x
    return x, y


def _heatmap(sweep: Sweep, x: str, y: str, end: str = "") -> Figure:
    """Cells of two columns; panels for two more, blocks along x for a third, the mean over one."""
    rest = sorted(
        (c for c in sweep.dimensions if c not in (x, y) and not sweep.follows(c, [x, y])),
        key=lambda c: (c == "scorer", c not in ("model", "task"), sweep.count(c)),
    )
    keys: dict[str, Any] = {}
    along: str | list[str] = x
    panels = [column for column in rest if sweep.count(column) <= PANELS][:2]
    if len(panels) == 2 and sweep.count(panels[0]) * sweep.count(panels[1]) > PANELS:
        panels = panels[:1]
    over = [column for column in rest if column not in panels]
    if over and sweep.count(over[0]) * sweep.count(x) <= PANELS:
        along = [over.pop(0), x]
    if len(panels) == 1:
        keys["panel"] = panels[0]
    elif panels:
        keys["row"], keys["column"] = sorted(panels, key=sweep.count)
    if sweep.metric.startswith("printed"):
        over += sweep.pooled
    keys |= _pool(sweep)
    if over:
        keys["mean_over"] = over.pop(0)
    if over:
        counts = {name: sweep.samples[name].value_counts(sort=True) for name in over}
        keys["where"] = {name: counts[name][name][0] for name in over}  # what most samples have
    keys["encoding"] = {"x": along, "y": y, "color": sweep.metric}
    what = f"{' and '.join(along) if isinstance(along, list) else along} × {y}"
    return Figure(end, "heatmap", keys, what, _whys(sweep, [x, y], keys))


def _pool(sweep: Sweep) -> dict[str, Any]:
    if not sweep.pooled or sweep.metric.startswith("printed"):
        return {}
    return {"pool": [*sweep.pooled]}


def _whys(sweep: Sweep, along: Iterable[str], keys: dict[str, Any]) -> dict[str, str]:
    """Key of a figure → the values that it shows."""

    def values(names: Iterable[str]) -> str:
        return "; ".join(f"{name}: {listed(sweep.values(name))}" for name in names)

    whys = {"encoding": values(along), "pool": "repetitions"}
    for key in {"panel", "row", "column", "mean_over"} & {*keys}:
        whys[key] = listed(sweep.values(keys[key]))
    return whys | {"where": f"one of several, {values(keys.get('where', ()))}"}


def _line(sweep: Sweep) -> Figure | None:
    """A line for each model over the only number that varies."""
    if len(sweep.numbers) != 1 or sweep.count(sweep.numbers[0]) < CURVE:
        return None
    x = sweep.numbers[0]
    others = [column for column in sweep.dimensions if column != x]
    color = "model" if "model" in others else next(iter(others), "model")
    rest = [column for column in others if column != color]
    if len(rest) > 1 or any(sweep.count(column) > PANELS for column in rest):
        return None
    keys: dict[str, Any] = {"panel": rest[0]} if rest else {}
    if sweep.metric.startswith("printed") and sweep.pooled:
        keys["mean_over"] = sweep.pooled[0]
    keys |= _pool(sweep)
    keys["encoding"] = {"x": x, "y": sweep.metric, "color": color}
    what = f"{sweep.metric} over {x}, a line for each {color}"
    return Figure("-line", "line", keys, what, _whys(sweep, [x, color], keys))


def _board(sweep: Sweep) -> Figure | None:
    """Models against each other, where they have most problems in common."""
    if "model" not in sweep.dimensions or "scorer" in sweep.dimensions:
        return None
    names = ("task", *sweep.dimensions, *sweep.pooled)
    join = ["sample_id", *(n for n in dict.fromkeys(names) if n != "model" and sweep.count(n) > 1)]
    by_model = sweep.samples.drop_nulls("model").partition_by("model", as_dict=True)
    problems = {model: {*part.select(join).iter_rows()} for (model,), part in by_model.items()}
    most = max((problems[model] for model in sorted(problems)), key=len)
    models = sorted(m for m, own in problems.items() if len(own & most) >= SHARED * len(most))
    common = len(set.intersection(*(problems[model] for model in models)))
    if not 2 <= len(models) <= BOARD or common < 2:
        return None
    keys: dict[str, Any] = {"measure": "score", "models": models}
    if len(join) > 1:
        keys["join"] = join
    whys = {"models": f"{common:,} problems in common", "join": "compared where these are alike"}
    return Figure("-pairs", "pairwise", keys, f"{len(models)} models, each against each", whys)
