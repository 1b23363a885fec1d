"""Figures of what was read: those that a person wants first."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.init.text import values_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        combinations = self.samples.select(others).n_unique()
        return bool(others) and self.samples.select([*others, name]).n_unique() == combinations

    @cached_property
    def dimensions(self) -> list[str]:
        """Settings that differ between runs, and that those before do not determine."""
        names: list[str] = []
        for name in ("model", "task", *self.params, "scorer"):
            repeats = name in self.pooled and not self.printed_repeats
            if not repeats and self.count(name) > 1 and not self.follows(name, names):
                names.append(name)
        return names

    @cached_property
    def printed_repeats(self) -> bool:
        """Whether repetitions of printed numbers are all that varies."""
        names = [n for n in ("model", "task", *self.params) if n not in self.pooled]
        return self.is_printed and all(self.count(name) < 2 for name in names)

    @property
    def is_printed(self) -> bool:
        return self.metric.startswith("printed")

    @cached_property
    def numbers(self) -> list[str]:
        """Of these the numbers, those with most values first."""
        numbers = [n for n in self.dimensions if self.params.get(n) in ("int", "float")]
        return sorted(numbers, key=lambda name: -self.count(name))

    @property
    def repeats(self) -> dict[str, Any]:
        """The key that pools repetitions."""
        pooled = [] if self.is_printed else [*self.pooled]
        return {"pool": pooled} if pooled else {}

    def figure(
        self, end: str, kind: str, along: dict[str, str], keys: dict[str, Any], what: str
    ) -> Figure:
        """A figure with the values that its axes and panels show."""

        def values(name: str) -> str:
            listed = self.samples[name].drop_nulls().unique().to_list()
            listed.sort(key=lambda value: (isinstance(value, str), value))
            return values_in_words(listed)

        axes = [name for name in along.values() if name in self.samples.columns]
        whys = {"encoding": "; ".join(f"{name}: {values(name)}" for name in axes)}
        whys |= {key: values(name) for key, name in keys.items() if isinstance(name, str)}
        present = {
            name: self.samples[name].drop_nulls().unique().sort().to_list()
            for name in (*axes, *keys.values())
            if isinstance(name, str) and self.samples[name].null_count()
        }
        if where := {**present, **keys.get("where", {})}:  # others have no place on an axis
            keys = {**keys, "where": where}
        keys = {**keys, **self.repeats, "encoding": along}
        return Figure(end, kind, keys, what, {**whys, "pool": "repetitions"})


def figures(sweep: Sweep) -> list[Figure]:
    """The figures of a source, the first of which shows all of it."""
    dimensions, metric = sweep.dimensions, sweep.metric
    if len(dimensions) < 2:
        y = dimensions[0] if dimensions else "model"
        axes = {"x": metric, "y": y}
        drawn = [sweep.figure("", "forest", axes, {}, f"{metric} of each {y}")]
    else:
        drawn = [_heatmap(sweep, *_axes(sweep))]
    drawn += _line(sweep)
    if {"model", "task"} <= {*dimensions} and sweep.numbers:
        drawn.append(_heatmap(sweep, "task", "model", "-tasks"))
    return drawn + ([] if sweep.is_printed else _board(sweep))


def _axes(sweep: Sweep) -> tuple[str, str]:
    """Columns along x and y: the model down, numbers across; many names are read down."""
    numbers = sweep.numbers
    left = sorted(
        sweep.dimensions,
        key=lambda n: (n == "scorer", n not in numbers, n != "task", -sweep.count(n)),
    )
    if len(numbers) > 1 and {"model", "task"} <= {*left}:
        return numbers[0], numbers[1]
    y = left.pop(left.index("model") if "model" in left else 1 if len(numbers) > 1 else -1)
    x = left[0]
    return (y, x) if x not in numbers and sweep.count(x) > max(WIDE, sweep.count(y)) else (x, y)


def _heatmap(sweep: Sweep, x: str, y: str, end: str = "") -> Figure:
    """Cells of two columns; panels for two more, the mean over a third."""
    rest = sorted(
        (c for c in sweep.dimensions if c not in (x, y) and not sweep.follows(c, [x, y])),
        key=lambda c: (c == "scorer", c not in ("model", "task"), sweep.count(c)),
    )
    keys: dict[str, Any] = {}
    panels = [column for column in rest if sweep.count(column) <= PANELS][:2]
    if len(panels) == 2 and sweep.count(panels[0]) * sweep.count(panels[1]) > PANELS:
        panels = panels[:1]
    over = [column for column in rest if column not in panels]
    over += sweep.pooled if sweep.is_printed and not sweep.printed_repeats else []
    keys |= dict(zip(("row", "column"), sorted(panels, key=sweep.count), strict=False))
    if len(panels) == 1:
        keys = {"panel": panels[0]}
    keys |= {"mean_over": over[0]} if over else {}
    counts = {name: sweep.samples[name].value_counts(sort=True) for name in over[1:]}
    if counts:
        keys["where"] = {name: counts[name][name][0] for name in counts}  # what most samples have
    axes = {"x": x, "y": y, "color": sweep.metric}
    return sweep.figure(end, "heatmap", axes, keys, f"{x} × {y}")


def _line(sweep: Sweep) -> list[Figure]:
    """A line for each model over the only number that varies."""
    if len(sweep.numbers) != 1 or sweep.count(sweep.numbers[0]) < CURVE:
        return []
    x = sweep.numbers[0]
    others = sorted((c for c in sweep.dimensions if c != x), key=lambda c: c != "model")
    color, rest = next(iter(others), "model"), others[1:]
    if len(rest) > 1 or any(sweep.count(column) > PANELS for column in rest):
        return []
    keys = {"panel": rest[0]} if rest else {}
    if sweep.is_printed and sweep.pooled:
        keys["mean_over"] = sweep.pooled[0]
    what = f"{sweep.metric} over {x}, a line for each {color}"
    axes = {"x": x, "y": sweep.metric, "color": color}
    return [sweep.figure("-line", "line", axes, keys, what)]


def _board(sweep: Sweep) -> list[Figure]:
    """Models against each other, where they have most problems in common."""
    if "model" not in sweep.dimensions or "scorer" in sweep.dimensions:
        return []
    names = dict.fromkeys(("task", *sweep.dimensions, *sweep.pooled))
    join = ["sample_id", *(n for n in names if n != "model" and sweep.count(n) > 1)]
    by_model = sweep.samples.drop_nulls("model").partition_by("model", as_dict=True)
    problems = {model: {*part.select(join).iter_rows()} for (model,), part in by_model.items()}
    most = max((problems[model] for model in sorted(problems)), key=len)
    models = sorted(m for m, own in problems.items() if len(own & most) >= SHARED * len(most))
    common = len(set.intersection(*(problems[model] for model in models)))
    if not 2 <= len(models) <= BOARD or common < 2:
        return []
    keys: dict[str, Any] = {"measure": "score", "models": models}
    keys |= {"join": join} if len(join) > 1 else {}
    whys = {"models": f"{common:,} problems in common", "join": "compared where these are alike"}
    return [Figure("-pairs", "pairwise", keys, f"{len(models)} models, each against each", whys)]
