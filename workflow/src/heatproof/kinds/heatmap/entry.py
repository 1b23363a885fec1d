"""heatmap: small panels of cells, coloured by a metric over two hyper-parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.charts import colour, units
from heatproof.charts.scales import ColorScale
from heatproof.config import hints
from heatproof.config.entries import Figure, Word, family_fault, of_kind, refused
from heatproof.kinds.heatmap import annotation, ordering, reasons
from heatproof.kinds.heatmap.annotation import Annotate
from heatproof.kinds.heatmap.ordering import Order  # noqa: TC001  msgspec looks it up
from heatproof.kinds.recount import Definition
from heatproof.metrics import STD, is_share, metric
from heatproof.util.errors import Mistake, choices
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.config.roles import Type


Marks = Literal["outline", "none"]


Scale = Literal["independent", "shared", "row", "column"]


Letters = Literal["a", "A", "(a)", "(A)", "a)", "A)", "a.", "A."]


class Encoding(msgspec.Struct, kw_only=True):
    """Which column lies along x, which along y, and the metric that gives the colour.

    Of a list the last lies along the axis, within each value of those before it.
    """

    x: str | list[str]
    y: str | list[str]
    color: str


class Entry(Figure, kw_only=True):
    """A heatmap in config.yaml."""

    encoding: Encoding
    """What lies along x and along y, and which metric gives the colour."""
    panel: str | None = None
    """A panel for each value of this column, so many in a row as fit, or as `columns` says."""
    row: str | None = None
    """A row of panels for each value of this column."""
    column: str | None = None
    """A column of panels for each value of this one."""
    mean_over: str | None = None
    """Cells are the unweighted mean over the values of this column."""
    pool: list[str] = []
    """Columns whose values may be mixed in a cell."""
    family: str | None = None
    """A regular expression whose one group names, in the id of a sample, the family it is of:
    variants of one template are not independent, and the family becomes the unit."""
    best: Literal["highest", "lowest", "none"] = "highest"
    """Which end of the values is looked for and marked, if any is."""
    verdict: Marks | None = None
    """Whether an outline shows the cells that are not told apart from the highest, as it does by
    default."""
    ruler: bool | None = None
    """Below each panel the spread of its values beside that of equal settings: with the outline, by
    default."""
    footer: bool = True
    """Lines below the figure: notes, and what its marks mean."""
    id: bool = True
    """The figure's id in its corner; the provenance record is in its files all the same."""
    highlight: list[dict[str, Word]] = []
    """Cells that have a frame: their columns and values, and a `label` that says what it means."""
    scale: Scale | None = None
    """Colours from the lowest to the highest value of each panel, or of all, or of each row or
    column of a grid of panels; by default of each panel, and of all blocks of nested axes."""
    palette: str | list[str] = ""
    """A name, or hex colours; by default lagoon, and poles where values of both signs, or around a
    center, are coloured."""
    color_scale: ColorScale = msgspec.field(default_factory=ColorScale)
    """How values become colours; its `domain` may stand under `domain` as well."""
    legend: bool | None = None
    """Draw the colour bar; by default where there is more than one value."""
    sort: dict[str, list[Word] | Order] = {}
    """Column → the order of its values along the axis, or a word for it: ascending (by default),
    descending, value (by the mean of the cells that all have), -value, config (as `where` lists
    them), similarity (leaves of an average-linkage tree)."""
    groups: dict[str, dict[str, list[Word]]] = {}
    """Column of x or y → label of a group → its values. Groups stand apart, in this order; values
    of no group come last."""
    annotate: str | Annotate | None = None
    """A metric, or a column of which each cell has one value, printed below the values of cells, or
    with `text: false` instead of them; with a `format`, if it stands as `text` beside one."""
    text: bool | None = None
    """Print values in cells: always, never, or by default while they fit."""
    format: str | None = None
    """How values are printed, such as `.2f` (a format of d3); by default what fits them."""
    percent: bool | None = None
    """Show values × 100; by default for scores."""
    domain: list[float] | None = None
    """Ends of the colour scale, in the unit shown."""
    columns: int | None = None
    """Panels in a row."""
    letters: Letters | None = None
    """A letter before the name of each panel, in the style of this one."""
    relative_to: dict[str, Word | None] = {}
    """Column → its value in the baseline. A cell is then compared with the one that is the same but
    for these, on the problems that both hold; `null` is where a log does not say the column."""
    margins: bool = False
    """Set apart, the unweighted mean of the cells of each row and column, where all are there."""

    def used(self) -> dict[str, str]:
        keys = self.axis_keys() | self.split()
        keys |= {self.note_key: self.noted} if self.annotate and not self.beside else {}
        keys |= {"mean_over": self.mean_over} if self.mean_over else {}
        pooled = {f"pool[{n}]": column for n, column in enumerate(self.pool)}
        columns = {f"sort.{column}": column for column in self.sort}
        columns |= {f"groups.{column}": column for column in self.groups}
        columns |= {f"relative_to.{column}": column for column in self.relative_to}
        columns |= {key: column for key, (column, _) in self._framed().items()}
        return super().used() | keys | pooled | columns

    def wanted(self) -> dict[str, tuple[str, list[Word]]]:
        baseline = [(name, v) for name, v in self.relative_to.items() if v is not None]
        grouped = {
            f"groups.{column}.{label}": (column, values)
            for column, groups in self.groups.items()
            for label, values in groups.items()
        }
        bases = {f"relative_to.{name}": (name, [v]) for name, v in baseline}
        return super().wanted() | bases | grouped | self._framed()

    def _framed(self) -> dict[str, tuple[str, list[Word]]]:
        """Key → a column and its value in the cells that have a frame."""
        return {
            f"highlight[{n}].{name}": (name, [value])
            for n, item in enumerate(self.highlight)
            for name, value in annotation.framed_columns(item).items()
        }

    def shown(self) -> dict[str, list[Word]]:
        """Those of the baseline too, which may lie outside `where`."""
        values = super().shown()
        for name, value in self.relative_to.items():
            if name in values and value not in values[name]:
                values[name] = [*values[name], value]  # type: ignore[list-item]  # null is asked for
        return values

    def spelled(self) -> dict[str, tuple[str, list[Word]]]:
        listed = [(column, order) for column, order in self.sort.items() if isinstance(order, list)]
        return super().spelled() | {f"sort.{column}": (column, order) for column, order in listed}

    def labelled(self) -> list[str]:
        reserved = {"relative_to"} if self.relative_to else set()
        return [word for word in self.labels if word not in reserved and refused("", metric, word)]

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        sort = {
            column: of_kind(order, types.get(column)) if isinstance(order, list) else order
            for column, order in self.sort.items()
        }
        groups = {
            column: {name: of_kind(values, types.get(column)) for name, values in members.items()}
            for column, members in self.groups.items()
        }
        base = {
            name: None if v is None else of_kind(v, types.get(name))
            for name, v in self.relative_to.items()
        }
        framed = [{n: of_kind(v, types.get(n)) for n, v in item.items()} for item in self.highlight]
        changes = {"sort": sort, "groups": groups, "relative_to": base, "highlight": framed}
        return msgspec.structs.replace(super().fitted(types), **changes)

    def measured(self) -> dict[str, str]:
        return {key: metric(word).of for key, word in self.metrics().items()}

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:
        wrong = units.faults(self.encoding.color, {} if self.percent else ranges)
        return [Mistake(".encoding.color", wrong)] * bool(wrong)

    def metrics(self) -> dict[str, str]:
        words = {"encoding.color": self.encoding.color}
        return words | ({self.note_key: self.noted} if self.beside else {})

    def voted(self) -> dict[str, str]:
        return {key: word for key, word in self.metrics().items() if metric(word).votes}

    def shows(self) -> str:
        what = self.encoding
        what_each = "blocks" if self.nested else "a panel"
        parts = f", {what_each} for each {' and '.join(self.panels)}" if self.panels else ""
        baseline = (f"{n} {'none' if v is None else v}" for n, v in self.relative_to.items())
        parts += f", difference to {', '.join(baseline)}" if self.relative_to else ""
        return self.caption or f"{what.color} over {self.x} and {self.y}{parts}"

    def expects(self) -> bool:
        return True

    def drawing(self) -> set[str]:
        return super().drawing() | {
            "scale", "palette", "text", "format", "percent", "domain", "columns", "letters",
            "margins", "color_scale", "legend", "verdict", "ruler", "footer", "id", "highlight",
        }  # fmt: skip

    def mistakes(self) -> list[Mistake]:
        problems = [*super().mistakes(), *refused(".encoding.color", metric, self.encoding.color)]
        problems += [
            *ordering.level_mistakes(self),
            *annotation.mistakes(self),
            *self._twice(),
            *self._unpaired(),
            *self._unjudged(),
            *annotation.frame_mistakes(self),
        ]
        if not problems and metric(self.encoding.color).join:
            problems += self._only_means()
        problems += self._miscoloured()
        if self.format is not None and not is_format(self.format):
            problems.append(Mistake(".format", hints.number_format(self.format)))
        if self.family is not None and (wrong := family_fault(self.family)):
            problems.append(Mistake(".family", f"{self.family!r} {wrong}"))
        if self.columns is not None and self.columns < 1:
            problems.append(Mistake(".columns", f"{self.columns} is not 1 or more"))
        return [*problems, *self._in_grid(), *ordering.mistakes(self)]

    def _in_grid(self) -> list[Mistake]:
        """What is said of panels in a row that `row` and `column` say already."""
        if self.nested:
            return [*ordering.nesting_mistakes(self), *ordering.scale_mistakes(self)]
        if self.scale in ("row", "column") and not getattr(self, self.scale):
            return [
                Mistake(
                    ".scale", f"{self.scale!r} without {self.scale}: name the column that it shows"
                )
            ]
        if not (self.row or self.column):
            return []
        word = "row" if self.row else "column"
        other = "it makes a grid of panels, panel a list that is wrapped"
        problems = [Mistake(".panel", f"{self.panel!r} beside {word}: {other}")]
        wrapped = Mistake(
            ".columns", f"{self.columns} beside {word}: it says how `panel` is wrapped"
        )
        return problems * bool(self.panel) + [wrapped] * (self.columns is not None)

    def _miscoloured(self) -> list[Mistake]:
        """Mistakes of palette and scale of colour."""
        problems = [] if self.palette == "" else refused(".palette", colour.palette, self.palette)
        if self.domain and self.color_scale.domain:
            problems.append(Mistake(".domain", "color_scale.domain says the same; choose one"))
        short = "" if self.domain else ".color_scale"
        return problems + [
            wrong.below(short if wrong.place == ".domain" else ".color_scale")
            for wrong in self.color.mistakes()
        ]

    def _only_means(self) -> list[Mistake]:
        """What is asked of another metric than a mean that there is of means alone."""
        word, problems = self.encoding.color, []
        if metric(word).printed:
            return self._only_printed()
        for key, value in (("verdict", self.verdict), ("ruler", self.ruler)):
            if value not in (None, "none", False):
                problems.append(
                    Mistake(f".{key}", f"ties are known of means, not of {word}: take it out")
                )
        if self.uncertainty in ("se", "interval"):
            problems.append(
                Mistake(
                    ".uncertainty",
                    f"{self.uncertainty!r} is known of means, not of {word}: take it out",
                )
            )
        spread = metric(word).join is STD
        if self.averaged:
            other = "put it on an axis" if spread else f"list {self.mean_over!r} under pool"
            problems.append(
                Mistake(
                    ".mean_over",
                    f"{self.mean_over!r}: {word} is averaged over tasks alone; choose one "
                    f"value under where, or {other}",
                )
            )
        return problems + [
            Mistake(
                f".pool[{n}]",
                f"{name!r}: {word} is the spread over problems, each the mean of its samples, "
                f"and not over {name!r}; choose one value under where, or put it on an axis",
            )
            for n, name in enumerate(self.pool)
            if spread and name != "task"
        ]

    def _only_printed(self) -> list[Mistake]:
        """What is asked of aggregates that there is of records of problems alone."""
        word = self.encoding.color
        wishes = {
            (".verdict", f"{self.verdict!r}"): self.verdict not in (None, "none"),
            (".ruler", "true"): bool(self.ruler),
            (".family", f"{self.family!r}"): self.family is not None,
        }
        problems = [
            Mistake(
                key, f"{value} needs records of problems, and {word} is an aggregate: take it out"
            )
            for (key, value), is_asked in wishes.items()
            if is_asked
        ]
        return problems + [
            Mistake(
                ".pool",
                f"{name!r}: samples are pooled, and {word} is an aggregate; there is "
                f"mean_over: {name}",
                word=name,
            )
            for name in self.pool
        ]

    def _unjudged(self) -> list[Mistake]:
        """Marks that are asked for and that nothing is known for."""
        wishes = {
            (".verdict", f"{self.verdict!r}"): self.verdict == "outline",
            (".ruler", "true"): self.ruler is True,
        }
        lacks = [] if self.best != "none" else ["`best: highest` or `best: lowest`"]
        lacks += [] if self.uncertainty == "tied" else ["`uncertainty: tied`"]
        lacks += ["no `relative_to`"] if self.relative_to else []
        return [
            Mistake(key, f"{value} needs {' and '.join(lacks)}")
            for (key, value), is_asked in wishes.items()
            if is_asked and lacks
        ]  # fmt: skip

    def _twice(self) -> list[Mistake]:
        """Columns asked to lie in two directions, or mixed in one; values twice on an axis."""
        places = {
            **self.axis_keys(),
            **self.split(),
            "mean_over": self.mean_over,
            **{f"pool[{n}]": column for n, column in enumerate(self.pool)},
        }
        pairs = [(key, column) for key, column in places.items() if column]
        problems = [
            Mistake(f".{key}", f"{column!r} is {before} already")
            for at, (key, column) in enumerate(pairs)
            for before, other in pairs[:at]
            if other == column
        ]
        return problems + [
            Mistake(f".sort.{column}", f"{value!r} stands there twice", word=f"{value}")
            for column, values in self.sort.items()
            if isinstance(values, list)
            for at, value in enumerate(values)
            if value in values[:at]
        ]

    def _unpaired(self) -> list[Mistake]:
        """Columns of `relative_to` by which no cell has one baseline, or by which it is its own."""
        if not self.relative_to:
            return []
        axes = [self.x, self.y, *self.panels]
        faults = {name: self._unfit(name, axes) for name in self.relative_to}
        problems = [
            Mistake(f".relative_to.{name}", f"{name!r}{fault}")
            for name, fault in faults.items()
            if fault
        ]
        if self.best == "lowest":
            problems.append(
                Mistake(".best", "'lowest': beside a baseline no best is marked; take it out")
            )
        alike = (n not in axes and self.where[n] == v for n, v in self.relative_to.items())
        if not problems and all(alike):
            problems.append(
                Mistake(".relative_to", "every cell is its own baseline; name another value")
            )
        return problems

    def _unfit(self, name: str, axes: Sequence[str]) -> str:
        """Why a column tells no baseline of a cell; empty where it does."""
        if name in ("sample_id", "task"):
            return ": cells are paired by it; name a setting"
        if name in (self.mean_over, *self.pool):
            return ": a cell holds several of its values"
        single = name in self.where and not isinstance(self.where[name], list)
        if name in axes or single:
            return ""
        single_ones = [key for key, value in self.where.items() if not isinstance(value, list)]
        return f" has no one value in a cell; {choices(name, dict.fromkeys([*axes, *single_ones]))}"

    @property
    def averaged(self) -> str | None:
        """The column over whose values that of each problem is the mean, if there is one."""
        return None if self.mean_over == "task" else self.mean_over

    def alone(self) -> Entry:
        """The same figure without a baseline."""
        return msgspec.structs.replace(self, relative_to={})

    def baseline(self) -> Entry:
        """The figure of the baseline alone."""
        rest = {name: v for name, v in self.where.items() if name not in self.relative_to}
        where: Any = rest | self.relative_to
        return msgspec.structs.replace(self, where=where)

    def split(self) -> dict[str, str]:
        """Key → the column whose values have panels, or blocks, of their own; of rows first."""
        keys = {"panel": self.panel, "row": self.row, "column": self.column}
        split = {key: column for key, column in keys.items() if column}
        return split | ordering.outer_keys(self)

    @property
    def panels(self) -> tuple[str, ...]:
        """Columns whose values, or pairs of values, have a panel each; that of rows first."""
        return tuple(self.split().values())

    @property
    def x(self) -> str:
        """The column whose values lie along x, within the blocks if there are some."""
        return ordering.levels(self.encoding.x)[-1]

    @property
    def y(self) -> str:
        """The same of y."""
        return ordering.levels(self.encoding.y)[-1]

    def axis_keys(self) -> dict[str, str]:
        """Key → the column that it lays along x or y."""
        return ordering.inner_keys(self)

    @property
    def noted(self) -> str:
        """The column or metric that is printed beside values; empty for none."""
        return annotation.word(self)

    @property
    def note_key(self) -> str:
        """Where that is said."""
        return "annotate.text" if isinstance(self.annotate, Annotate) else "annotate"

    @property
    def beside(self) -> Entry | None:
        """The figure of the metric that is printed beside values; None where it is no metric."""
        return annotation.figure(self)

    @property
    def prints(self) -> bool | None:
        """Whether cells have text; None: where there is room."""
        return None if self.annotate and self.text is False else self.text

    @property
    def nested(self) -> bool:
        """Whether panels are blocks of one strip, named by brackets along its axes."""
        return bool(ordering.outer_keys(self))

    @property
    def rows_split(self) -> int:
        """How many of `panels` split rows; the others split columns."""
        nested = len(ordering.levels(self.encoding.y)) - 1
        return nested if self.nested else int(bool(self.row))

    @property
    def sharing(self) -> Scale:
        """What is coloured alike."""
        return self.scale or ("shared" if self.nested else "independent")

    @property
    def along(self) -> list[str]:
        """Columns that tell the cells apart, as the grid has them: of panels, y, x."""
        return [*self.panels, self.y, self.x]

    @property
    def places(self) -> list[str]:
        """What these are called in the grid."""
        return [*self.panels, "y", "x"]

    @property
    def color(self) -> ColorScale:
        """How values become colours, wherever that is said; a baseline is in their middle."""
        scale = self.color_scale
        parity = 0.0 if self.relative_to else None
        return msgspec.structs.replace(
            scale,
            domain=self.domain or scale.domain,
            center=parity if scale.center is None else scale.center,
        )

    @property
    def marks(self) -> Marks:
        """How the verdict is shown where there is one."""
        return self.verdict or ("none" if self.best == "none" else "outline")

    @property
    def rulers(self) -> bool:
        """Whether panels have rulers where chance is known."""
        room = self.marks == "outline" and not (self.nested and self.rows_split)
        return room if self.ruler is None else self.ruler

    @property
    def shows_percent(self) -> bool:
        """Whether values are shown × 100."""
        if self.own_unit:
            return False
        return is_share(self.encoding.color) if self.percent is None else self.percent

    @property
    def own_unit(self) -> units.Unit | None:
        """The unit of the logs, where values are shown in it; of a baseline's sides too."""
        return None if self.percent else units.own(self.encoding.color, self.ranges)

    @property
    def unit_of_samples(self) -> units.Unit:
        """That in which single samples are told."""
        word = self.encoding.color
        return units.of_samples(word, self.ranges) if self.own_unit else units.PLAIN

    @property
    def unit(self) -> units.Unit:
        """That in which values of the grid are shown; a difference is one of values."""
        unit = self.own_unit or (units.PERCENT if self.shows_percent else units.PLAIN)
        return unit._replace(start=0.0) if self.relative_to else unit

    def definition(self, prefix: str = "", title: str = "") -> Definition:
        """What its values are, for those who count them once more."""
        what, own = metric(self.encoding.color), self.own_unit
        return Definition(
            metric=what, where=self.where,
            keys={name: name for name in self.panels} | {self.x: "x", self.y: "y"},
            relative_to=self.relative_to, panels=self.panels, prefix=prefix, title=title,
            joins_tasks="task" in (self.mean_over, *self.pool), empty=reasons.EMPTY,
            averaged="" if what.printed else self.averaged or "",
            unit=self.unit if own else units.PLAIN, side_unit=own or units.PLAIN,
            sample_unit=self.unit_of_samples,
        )  # fmt: skip

    def definitions(self) -> list[Definition]:
        """That of its values, and that of the metric that is printed beside them."""
        beside = self.beside if self.annotate else None
        return [self.definition(), *([beside.definition("note_", self.noted)] if beside else [])]
