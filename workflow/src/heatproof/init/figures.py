"""Figures of what was read: those that a person wants first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.init.text import values_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.util.lazy import polars as pl

PANELS = 24
LONG = 40  # numbers along an axis, at most, where there are others
WIDE = 16  # names along x at most, where y has fewer
BOARD = 8  # models of a board
SHARED = 0.5  # part of the problems of the largest model that one of a board must have
CURVE = 3  # numbers of a setting from which a line is drawn over it


class Figure(NamedTuple):
    """A figure of a source."""

    end: str
    """What its name has behind that of the source."""
    keys: dict[str, Any]
    what: str
    """What it shows, in few words."""
    whys: dict[str, str]
    """Key → the values that it shows."""


class Sweep:
    """Samples, and what varies between them.

    Args:
        samples: the table.
        params: hyper-parameter → type.
        metric: what cells show.
        pooled: hyper-parameters that number repetitions.
    """

    def __init__(
        self, samples: pl.DataFrame, params: Mapping[str, str], metric: str, pooled: Sequence[str]
    ) -> None:
        self.samples, self.metric = samples, metric
        self.printed = metric.startswith("printed")
        self.count = {name: samples[name].n_unique() for name in samples.columns}
        names = [n for n in ("model", "task", *params, "scorer") if self.count[n] > 1]
        if self.printed and {*names} <= {*pooled}:
            pooled = []  # repetitions of printed numbers are all that varies
        self.pooled = [*pooled]
        self.dimensions: list[str] = []
        """Settings that differ between runs, and that those before do not determine."""
        for name in names:
            if name not in pooled and not self.follows(name, self.dimensions):
                self.dimensions.append(name)
        numbers = [n for n in self.dimensions if params.get(n) in ("int", "float")]
        self.numbers = sorted(numbers, key=lambda n: (self.count[n] > LONG, -self.count[n]))

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        combinations = self.samples.select(others).n_unique()
        return bool(others) and self.samples.select([*others, name]).n_unique() == combinations

    def figures(self) -> Iterator[Figure]:
        """The figures of a source, the first of which shows all of it."""
        metric = self.metric
        if len(self.dimensions) < 2:
            y = next(iter(self.dimensions), "model")
            yield self._figure("", "forest", {"x": metric, "y": y}, {}, f"{metric} of each {y}")
        else:
            yield self._heatmap(*self._axes())
        yield from self._line()
        if {"model", "task"} <= {*self.dimensions} and self.numbers:
            yield self._heatmap("task", "model", "-tasks")
        if not self.printed and "model" in self.dimensions and "scorer" not in self.dimensions:
            yield from self._board()

    def _figure(
        self, end: str, kind: str, along: dict[str, str], keys: dict[str, Any], what: str
    ) -> Figure:
        axes = [name for name in along.values() if name in self.samples.columns]
        values = {}
        for name in (*axes, *keys.values()):
            if isinstance(name, str):
                values[name] = self.samples[name].drop_nulls().unique().sort().to_list()
                if self.samples[name].null_count():  # others have no place on an axis
                    keys = {**keys, "where": {**keys.get("where", {}), name: values[name]}}
        words = {name: values_in_words(values[name]) for name in values}
        whys = {key: words[name] for key, name in keys.items() if isinstance(name, str)}
        whys["encoding"] = "; ".join(f"{name}: {words[name]}" for name in axes)
        if self.pooled and not self.printed:
            keys, whys["pool"] = {**keys, "pool": self.pooled}, "repetitions"
        return Figure(end, {"kind": kind, **keys, "encoding": along}, what, whys)

    def _axes(self) -> tuple[str, str]:
        """Columns along x and y: the model down, numbers across; many names are read down."""
        left = sorted(
            self.dimensions,
            key=lambda n: (n == "scorer", n not in self.numbers, n != "task", -self.count[n]),
        )
        if len(self.numbers) > 1 and {"model", "task"} <= {*left}:
            return self.numbers[0], self.numbers[1]
        y = left.pop(left.index("model") if "model" in left else 1 if len(self.numbers) > 1 else -1)
        x = left[0]
        many = x not in self.numbers and self.count[x] > max(WIDE, self.count[y])
        return (y, x) if many else (x, y)

    def _heatmap(self, x: str, y: str, end: str = "") -> Figure:
        """Cells of two columns; panels for two more, the mean over a third."""
        rest = [c for c in self.dimensions if c not in (x, y) and not self.follows(c, [x, y])]
        rest.sort(key=lambda c: (c == "scorer", c not in ("model", "task"), self.count[c]))
        panels = [column for column in rest if self.count[column] <= PANELS][:2]
        if len(panels) == 2 and self.count[panels[0]] * self.count[panels[1]] > PANELS:
            panels = panels[:1]
        over = [column for column in rest if column not in panels]
        over += self.pooled if self.printed else []
        pairs = zip(("row", "column"), sorted(panels, key=self.count.get), strict=False)  # type: ignore[arg-type]
        keys: dict[str, Any] = {"panel": panels[0]} if len(panels) == 1 else dict(pairs)
        keys |= {"mean_over": over[0]} if over else {}
        if over[1:]:  # what most samples have
            counts = {name: self.samples[name].value_counts(sort=True)[name] for name in over[1:]}
            keys["where"] = {name: values[0] for name, values in counts.items()}
        axes = {"x": x, "y": y, "color": self.metric}
        return self._figure(end, "heatmap", axes, keys, f"{x} × {y}")

    def _line(self) -> Iterator[Figure]:
        """A line for each model over the only number that varies."""
        x = self.numbers[0] if len(self.numbers) == 1 else ""
        others = sorted((c for c in self.dimensions if c != x), key=lambda c: c != "model")
        color, rest = next(iter(others), "model"), others[1:]
        many = len(rest) > 1 or any(self.count[column] > PANELS for column in rest)
        if x and not many and self.count[x] >= CURVE:
            keys = {"panel": rest[0]} if rest else {}
            keys |= {"mean_over": self.pooled[0]} if self.printed and self.pooled else {}
            what = f"{self.metric} over {x}, a line for each {color}"
            axes = {"x": x, "y": self.metric, "color": color}
            yield self._figure("-line", "line", axes, keys, what)

    def _board(self) -> Iterator[Figure]:
        """Models against each other, where they have most problems in common."""
        names = dict.fromkeys(("task", *self.dimensions, *self.pooled))
        join = ["sample_id", *(n for n in names if n != "model" and self.count[n] > 1)]
        by_model = self.samples.drop_nulls("model").partition_by("model", as_dict=True)
        problems = {model: {*part.select(join).iter_rows()} for (model,), part in by_model.items()}
        most = max((problems[model] for model in sorted(problems)), key=len)
        models = sorted(m for m, own in problems.items() if len(own & most) >= SHARED * len(most))
        common = len(set.intersection(*(problems[model] for model in models)))
        if 2 <= len(models) <= BOARD and common > 1:
            keys = {"kind": "pairwise", "measure": "score", "models": models}
            keys |= {"join": join} if len(join) > 1 else {}
            whys = {"models": f"{common:,} problems in common", "join": "compared where alike"}
            yield Figure("-pairs", keys, f"{len(models)} models, each against each", whys)
