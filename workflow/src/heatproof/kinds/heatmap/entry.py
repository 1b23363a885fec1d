"""heatmap: small panels of cells, coloured by a metric over two hyper-parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.charts import colour, units
from heatproof.charts.scales import ColorScale
from heatproof.config.entries import Figure, Word, family_fault, of_kind, refused
from heatproof.kinds.heatmap import annotation, baseline_figure, highlight, nesting, ordering
from heatproof.kinds.heatmap.annotation import Annotate
from heatproof.kinds.heatmap.ordering import Order  # noqa: TC001  msgspec looks it up
from heatproof.metrics import is_share, metric
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.config.roles import Type


Marks = Literal["outline", "dots", "none"]


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
    """Which end of the values is marked as best, if any is."""
    verdict: Marks | None = None
    """How the cells are shown that tie with the best: by an outline around them (which is what
    there is by default), by a frame and dots, or not at all."""
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
    base: dict[str, Any] = {}
    """What the figure shows that `relative_to` names: no key, but filled from there."""
    relation: Literal["difference", "ratio"] = msgspec.field(default="difference", name="as")
    """What of the two is shown."""
    margins: bool | Literal["mean", "bar"] = False
    """Set apart, the unweighted mean of the cells of each row and column, where all are there:
    as cells (`true` or `mean`), or as bars that begin at 0."""

    def used(self) -> dict[str, str]:
        keys = self.axis_keys() | self.split()
        keys |= {self.note_key: self.noted} if self.annotate and not self.beside else {}
        keys |= {"mean_over": self.mean_over} if self.mean_over else {}
        pooled = {f"pool[{n}]": column for n, column in enumerate(self.pool)}
        named = {f"sort.{column}": column for column in self.sort}
        named |= {f"groups.{column}": column for column in self.groups}
        named |= {f"relative_to.{column}": column for column in self.apart}
        named |= {key: column for key, (column, _) in self._framed().items()}
        return super().used() | keys | pooled | named

    def wanted(self) -> dict[str, tuple[str, list[Word]]]:
        given = [(name, v) for name, v in self.apart.items() if v is not None]
        grouped = {
            f"groups.{column}.{label}": (column, values)
            for column, groups in self.groups.items()
            for label, values in groups.items()
        }
        bases = {f"relative_to.{name}": (name, [v]) for name, v in given}
        return super().wanted() | bases | grouped | self._framed()

    def _framed(self) -> dict[str, tuple[str, list[Word]]]:
        """Key → a column and its value in the cells that have a frame."""
        return {
            f"highlight[{n}].{name}": (name, [value])
            for n, item in enumerate(self.highlight)
            for name, value in highlight.columns(item).items()
        }

    def shown(self) -> dict[str, list[Word]]:
        """Those of the baseline too, which may lie outside `where`."""
        found = super().shown()
        if self.base:
            theirs = self.baseline().shown()
            return {n: [*v, *theirs[n]] for n, v in found.items() if n in theirs}
        for name, value in self.apart.items():
            if name in found and value not in found[name]:
                found[name] = [*found[name], value]  # type: ignore[list-item]  # null is asked for
        return found

    def spelled(self) -> dict[str, tuple[str, list[Word]]]:
        listed = [(column, order) for column, order in self.sort.items() if isinstance(order, list)]
        return super().spelled() | {f"sort.{column}": (column, order) for column, order in listed}

    def texts(self) -> dict[str, str]:
        groups = {
            f"groups.{column}.{label}": label
            for column, named in self.groups.items()
            for label in named
        }
        return super().texts() | groups | highlight.texts(self)

    def labelled(self) -> list[str]:
        ours = {"relative_to"} if self.relative_to else set()
        return [word for word in self.labels if word not in ours and refused("", metric, word)]

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        sort = {
            column: of_kind(order, types.get(column)) if isinstance(order, list) else order
            for column, order in self.sort.items()
        }
        groups = {
            column: {name: of_kind(values, types.get(column)) for name, values in named.items()}
            for column, named in self.groups.items()
        }
        base = {
            name: None if v is None else of_kind(v, types.get(name))
            for name, v in self.relative_to.items()
        }
        framed = [{n: of_kind(v, types.get(n)) for n, v in one.items()} for one in self.highlight]
        told = {"sort": sort, "groups": groups, "relative_to": base, "highlight": framed}
        return msgspec.structs.replace(super().fitted(types), **told)

    def measured(self) -> dict[str, str]:
        return {key: metric(word).of for key, word in self.metrics().items()}

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[str]:
        word, ratio = self.encoding.color, self.relation == "ratio"
        wrong = units.faults(word, {} if self.percent else ranges, ratio)
        key = "as" if ratio and metric(word).row.keeps else "encoding.color"
        return [f".{key}: {wrong}"] * bool(wrong)

    def metrics(self) -> dict[str, str]:
        words = {"encoding.color": self.encoding.color}
        return words | ({self.note_key: self.noted} if self.beside else {})

    def voted(self) -> dict[str, str]:
        return {key: word for key, word in self.metrics().items() if metric(word).votes}

    def shows(self) -> str:
        what = self.encoding
        what_each = "blocks" if self.nested else "a panel"
        each = f", {what_each} for each {' and '.join(self.panels)}" if self.panels else ""
        named = (f"{n} {'none' if v is None else v}" for n, v in self.relative_to.items())
        each += f", {self.relation} to {', '.join(named)}" if self.relative_to else ""
        return self.caption or f"{what.color} over {self.x} and {self.y}{each}"

    def expects(self) -> bool:
        return True

    def drawing(self) -> set[str]:
        return super().drawing() | {
            "scale", "palette", "text", "format", "percent", "domain", "columns", "letters",
            "margins", "color_scale", "legend", "verdict", "ruler", "footer", "id", "highlight",
        }  # fmt: skip

    def mistakes(self) -> list[str]:
        found = [*super().mistakes(), *refused(".encoding.color", metric, self.encoding.color)]
        found += [
            *nesting.listed(self),
            *annotation.mistakes(self),
            *self._twice(),
            *self._unpaired(),
            *self._unjudged(),
            *highlight.faults(self),
        ]
        if not found and metric(self.encoding.color).join:
            found += self._only_means()
        found += self._miscoloured()
        if self.format is not None and not is_format(self.format):
            found.append(f".format: {self.format!r} is not a format; there are .1f, .3~s, ,d, …")
        if self.family is not None and (wrong := family_fault(self.family)):
            found.append(f".family: {self.family!r} {wrong}")
        if self.columns is not None and self.columns < 1:
            found.append(f".columns: {self.columns} is not 1 or more")
        return [*found, *self._in_grid(), *ordering.mistakes(self)]

    def _in_grid(self) -> list[str]:
        """What is said of panels in a row that `row` and `column` say already."""
        if self.nested:
            return [*nesting.mistakes(self), *nesting.misscaled(self)]
        if self.scale in ("row", "column") and not getattr(self, self.scale):
            return [f".scale: {self.scale!r} without {self.scale}: name the column that it shows"]
        if not (self.row or self.column):
            return []
        word = "row" if self.row else "column"
        other = "it makes a grid of panels, panel a list that is wrapped"
        found = [f".panel: {self.panel!r} beside {word}: {other}"]
        wrapped = f".columns: {self.columns} beside {word}: it says how `panel` is wrapped"
        return found * bool(self.panel) + [wrapped] * (self.columns is not None)

    def _miscoloured(self) -> list[str]:
        """Mistakes of palette and scale of colour."""
        found = [] if self.palette == "" else refused(".palette", colour.palette, self.palette)
        if self.domain and self.color_scale.domain:
            found.append(".domain: color_scale.domain says the same; choose one")
        short = "" if self.domain else ".color_scale"
        return found + [
            f"{short if wrong.startswith('.domain') else '.color_scale'}{wrong}"
            for wrong in self.color.mistakes()
        ]

    def _only_means(self) -> list[str]:
        """What is asked of another metric than a mean that there is of means alone."""
        word, found = self.encoding.color, []
        if metric(word).printed:
            return self._only_printed()
        for key, value in (("verdict", self.verdict), ("ruler", self.ruler)):
            if value not in (None, "none", False):
                found.append(f".{key}: ties are known of means, not of {word}: take it out")
        if self.uncertainty in ("se", "interval"):
            found.append(
                f".uncertainty: {self.uncertainty!r} is known of means, not of {word}: take it out"
            )
        if self.mean_over not in (None, "task"):
            found.append(
                f".mean_over: {self.mean_over!r}: {word} is averaged over tasks alone; choose one "
                f"value under where, or list {self.mean_over!r} under pool"
            )
        return found

    def _only_printed(self) -> list[str]:
        """What is asked of aggregates that there is of records of problems alone."""
        word = self.encoding.color
        asked = {
            f".verdict: {self.verdict!r}": self.verdict not in (None, "none"),
            ".ruler: true": bool(self.ruler),
            f".family: {self.family!r}": self.family is not None,
        }
        found = [
            f"{key} needs records of problems, and {word} is an aggregate: take it out"
            for key, is_asked in asked.items()
            if is_asked
        ]
        return found + [
            f".pool: {name!r}: samples are pooled, and {word} is an aggregate; there is "
            f"mean_over: {name}"
            for name in self.pool
        ]

    def _unjudged(self) -> list[str]:
        """Marks that are asked for and that nothing is known for."""
        asked = {
            f".verdict: {self.verdict!r}": self.verdict in ("outline", "dots"),
            ".ruler: true": self.ruler is True,
        }
        lacks = [] if self.best != "none" else ["`best: highest` or `best: lowest`"]
        lacks += [] if self.uncertainty == "tied" else ["`uncertainty: tied`"]
        lacks += ["no `relative_to`"] if self.relative_to else []
        return [
            f"{key} needs {' and '.join(lacks)}" for key, is_asked in asked.items()
            if is_asked and lacks
        ]  # fmt: skip

    def _twice(self) -> list[str]:
        """Columns asked to lie in two directions, or mixed in one; values twice on an axis."""
        places = {
            **self.axis_keys(),
            **self.split(),
            "mean_over": self.mean_over,
            **{f"pool[{n}]": column for n, column in enumerate(self.pool)},
        }
        given = [(key, column) for key, column in places.items() if column]
        found = [
            f".{key}: {column!r} is {before} already"
            for at, (key, column) in enumerate(given)
            for before, other in given[:at]
            if other == column
        ]
        return found + [
            f".sort.{column}: {value!r} stands there twice"
            for column, values in self.sort.items()
            if isinstance(values, list)
            for at, value in enumerate(values)
            if value in values[:at]
        ]

    def _unpaired(self) -> list[str]:
        """Columns of `relative_to` by which no cell has one baseline, or by which it is its own."""
        if not self.relative_to:
            lone = self.relation != "difference"
            return [f".as: {self.relation!r} says how, and relative_to to what"] * lone
        axes = [self.x, self.y, *self.panels]
        faults = {name: self._unfit(name, axes) for name in self.apart}
        found = self._beside_figure()
        found += [f".relative_to.{name}: {name!r}{said}" for name, said in faults.items() if said]
        if self.best == "lowest":
            found.append(".best: 'lowest': beside a baseline no best is marked; take it out")
        if self.relation == "ratio" and self.uncertainty == "se":
            found.append(".uncertainty: 'se' is known of differences, not of ratios: take it out")
        if self.relation == "ratio" and (self.percent or self.margins):
            key = "percent" if self.percent else "margins"
            found.append(f".{key}: true: not of ratios; take it out, or as: difference")
        elif self.margins == "bar":
            found.append(
                ".margins: 'bar': differences have a sign, and bars a length; there is mean"
            )
        if not (found or self.other) and all(
            name not in axes and self.where[name] == value for name, value in self.apart.items()
        ):
            found.append(".relative_to: every cell is its own baseline; name another value")
        return found

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

    def _beside_figure(self) -> list[str]:
        """What is said of a baseline beside the name of a figure."""
        if self.other is None:
            return []
        found = [".relative_to.figure: this figure itself; name another"]
        found *= self.other == self.name
        rest = [name for name in self.relative_to if name != baseline_figure.KEY]
        return found + [
            f".relative_to.{name}: beside figure, which says all of the baseline; choose one"
            for name in rest
        ]

    def misjoined(self, figures: Mapping[str, Figure], known: Iterable[str]) -> list[str]:
        return baseline_figure.faults(self, figures, known)

    def joined(self, figures: Mapping[str, Figure]) -> Figure:
        if self.other is None:
            return self
        return msgspec.structs.replace(self, base=baseline_figure.block(figures[self.other]))

    @property
    def other(self) -> str | None:
        """The figure of the config that is the baseline, if one is."""
        columns = {self.x, self.y, *self.panels, *self.where}
        given = self.relative_to.get(baseline_figure.KEY)
        return None if given is None or baseline_figure.KEY in columns else str(given)

    @property
    def apart(self) -> dict[str, Word | None]:
        """Column → its value in the baseline. In another figure a cell lies at the same place."""
        return {} if self.other else self.relative_to

    def alone(self) -> Entry:
        """The same figure without a baseline."""
        return msgspec.structs.replace(self, relative_to={}, base={}, relation="difference")

    def baseline(self) -> Entry:
        """The figure of the baseline alone.

        Raises:
            Error: it is another figure, and not known here.
        """
        if self.other and not self.base:
            place = f"config.yaml: figures.{self.name}.relative_to.{baseline_figure.KEY}"
            raise Error(f"{place}: {self.other!r} is known where a config.yaml has it alone")
        if self.base:
            return msgspec.convert(self.base, Entry)
        rest = {name: v for name, v in self.where.items() if name not in self.relative_to}
        where: Any = rest | self.relative_to
        return msgspec.structs.replace(self, where=where)

    def split(self) -> dict[str, str]:
        """Key → the column whose values have panels, or blocks, of their own; of rows first."""
        given = {"panel": self.panel, "row": self.row, "column": self.column}
        split = {key: column for key, column in given.items() if column}
        return split | nesting.outer_keys(self)

    @property
    def panels(self) -> tuple[str, ...]:
        """Columns whose values, or pairs of values, have a panel each; that of rows first."""
        return tuple(self.split().values())

    @property
    def x(self) -> str:
        """The column whose values lie along x, within the blocks if there are some."""
        return nesting.levels(self.encoding.x)[-1]

    @property
    def y(self) -> str:
        """The same of y."""
        return nesting.levels(self.encoding.y)[-1]

    def axis_keys(self) -> dict[str, str]:
        """Key → the column that it lays along x or y."""
        return nesting.inner_keys(self)

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
        return bool(nesting.outer_keys(self))

    @property
    def rows_split(self) -> int:
        """How many of `panels` split rows; the others split columns."""
        nested = len(nesting.levels(self.encoding.y)) - 1
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
        given, ratio = self.color_scale, self.relation == "ratio"
        equal = (1.0 if ratio else 0.0) if self.relative_to else None
        return msgspec.structs.replace(
            given,
            type="log" if ratio and given.type is None else given.type,
            domain=self.domain or given.domain,
            center=equal if given.center is None else given.center,
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
    def end(self) -> str:
        """What the marked end of the values is called; only a high mean is called the best."""
        other = self.best == "lowest" or metric(self.encoding.color).join
        return self.best if other and self.best != "none" else "best"

    @property
    def shows_percent(self) -> bool:
        """Whether values are shown × 100."""
        if self.relation == "ratio" or self.own_unit:
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
        if self.relation == "ratio":
            return units.PLAIN
        return unit._replace(start=0.0) if self.relative_to else unit
