"""heatmap: small panels of cells, coloured by a metric over two hyper-parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.charts import units
from heatproof.charts.scales import ColorScale
from heatproof.config.entries import Figure, Word, of_kind, refused
from heatproof.kinds.heatmap import annotation, checks, ordering, reasons
from heatproof.kinds.heatmap.annotation import Annotate
from heatproof.kinds.heatmap.ordering import Order  # noqa: TC001  msgspec looks it up
from heatproof.kinds.recount import Definition
from heatproof.metrics import is_share, metric
from heatproof.util.errors import Mistake

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        keys |= {f"pool[{n}]": column for n, column in enumerate(self.pool)}
        for key in ("sort", "groups", "relative_to"):
            keys |= {f"{key}.{column}": column for column in getattr(self, key)}
        return super().used() | keys | {key: column for key, (column, _) in self._framed().items()}

    def wanted(self) -> dict[str, tuple[str, list[Word]]]:
        grouped = {
            f"groups.{column}.{label}": (column, values)
            for column, groups in self.groups.items()
            for label, values in groups.items()
        }
        baseline = {
            f"relative_to.{name}": (name, [value])
            for name, value in self.relative_to.items()
            if value is not None
        }
        return super().wanted() | baseline | grouped | self._framed()

    def _framed(self) -> dict[str, tuple[str, list[Word]]]:
        """Key → a column and its value in the cells that have a frame."""
        return {
            f"highlight[{n}].{name}": (name, [value])
            for n, item in enumerate(annotation.framed(self))
            for name, value in item.items()
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
        def fit(value: Any, column: str) -> Any:
            if isinstance(value, dict):
                return {name: fit(values, column) for name, values in value.items()}
            return of_kind(value, types.get(column))

        def fit_all(values: Mapping[str, Any]) -> dict[str, Any]:
            return {column: fit(value, column) for column, value in values.items()}

        return msgspec.structs.replace(
            super().fitted(types),
            sort=fit_all(self.sort),
            groups=fit_all(self.groups),
            relative_to=fit_all(self.relative_to),
            highlight=[fit_all(item) for item in self.highlight],
        )

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
        part = "blocks" if self.nested else "a panel"
        parts = f", {part} for each {' and '.join(self.panels)}" if self.panels else ""
        baseline = (f"{n} {'none' if v is None else v}" for n, v in self.relative_to.items())
        parts += f", difference to {', '.join(baseline)}" if self.relative_to else ""
        return self.caption or f"{self.encoding.color} over {self.x} and {self.y}{parts}"

    def expects(self) -> bool:
        return True

    def drawing(self) -> set[str]:
        return super().drawing() | {
            "scale", "palette", "text", "format", "percent", "domain", "columns", "letters",
            "margins", "color_scale", "legend", "verdict", "ruler", "footer", "id", "highlight",
        }  # fmt: skip

    def mistakes(self) -> list[Mistake]:
        return [*super().mistakes(), *checks.mistakes(self)]

    def alone(self) -> Entry:
        """The same figure without a baseline."""
        return msgspec.structs.replace(self, relative_to={})

    def baseline(self) -> Entry:
        """The figure of the baseline alone."""
        rest = {name: v for name, v in self.where.items() if name not in self.relative_to}
        where: Any = rest | self.relative_to
        return msgspec.structs.replace(self, where=where)

    # ------------------------------------------------------------------- columns and where they lie

    def split(self) -> dict[str, str]:
        """Key → the column whose values have panels, or blocks, of their own; of rows first."""
        keys = {"panel": self.panel, "row": self.row, "column": self.column}
        split = {key: column for key, column in keys.items() if column}
        return split | ordering.outer_keys(self)

    def axis_keys(self) -> dict[str, str]:
        """Key → the column that it lays along x or y."""
        levels = [ordering.level_keys(self, axis) for axis in "xy"]
        return dict(pair for pairs in levels for pair in pairs[-1:])

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
        return ordering.levels(self.encoding.y)[-1]

    @property
    def along(self) -> list[str]:
        """Columns that tell the cells apart, as the grid has them: of panels, y, x."""
        return [*self.panels, self.y, self.x]

    @property
    def places(self) -> list[str]:
        """What these are called in the grid."""
        return [*self.panels, "y", "x"]

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
    def averaged(self) -> str | None:
        """The column over whose values that of each problem is the mean, if there is one."""
        return None if self.mean_over == "task" else self.mean_over

    @property
    def noted(self) -> str:
        """The column or metric that is printed beside values; empty for none."""
        annotate = self.annotate
        return annotate.text if isinstance(annotate, Annotate) else annotate or ""

    @property
    def note_key(self) -> str:
        """Where that is said."""
        return "annotate.text" if isinstance(self.annotate, Annotate) else "annotate"

    @property
    def beside(self) -> Entry | None:
        """The figure of the metric that is printed beside values; None where it is no metric."""
        return annotation.figure(self)

    # ------------------------------------------------------------------------------ how it is shown

    @property
    def prints(self) -> bool | None:
        """Whether cells have text; None: where there is room."""
        return None if self.annotate and self.text is False else self.text

    @property
    def sharing(self) -> Scale:
        """What is coloured alike."""
        return self.scale or ("shared" if self.nested else "independent")

    @property
    def color(self) -> ColorScale:
        """How values become colours, wherever that is said; a baseline is in their middle."""
        scale = self.color_scale
        center = 0.0 if self.relative_to and scale.center is None else scale.center
        return msgspec.structs.replace(scale, domain=self.domain or scale.domain, center=center)

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
    def unit(self) -> units.Unit:
        """That in which values of the grid are shown; a difference is one of values."""
        unit = self.own_unit or (units.PERCENT if self.shows_percent else units.PLAIN)
        return unit._replace(start=0.0) if self.relative_to else unit

    def definition(self, prefix: str = "", title: str = "") -> Definition:
        """What its values are, for those who count them once more."""
        word, own = self.encoding.color, self.own_unit
        return Definition(
            metric=metric(word), where=self.where,
            keys={name: name for name in self.panels} | {self.x: "x", self.y: "y"},
            relative_to=self.relative_to, panels=self.panels, prefix=prefix, title=title,
            joins_tasks="task" in (self.mean_over, *self.pool), empty=reasons.EMPTY,
            averaged="" if metric(word).printed else self.averaged or "",
            unit=self.unit if own else units.PLAIN, side_unit=own or units.PLAIN,
            sample_unit=units.of_samples(word, self.ranges) if own else units.PLAIN,
        )  # fmt: skip

    def definitions(self) -> list[Definition]:
        """That of its values, and that of the metric that is printed beside them."""
        beside = self.beside if self.annotate else None
        return [self.definition(), *([beside.definition("note_", self.noted)] if beside else [])]
