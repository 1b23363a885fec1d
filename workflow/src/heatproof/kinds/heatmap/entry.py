"""The keys of a heatmap in config.yaml, and what they cannot say together."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from heatproof.charts import colour, units, wording
from heatproof.charts.colour import ColorScale
from heatproof.config import hints
from heatproof.config.entries import Figure, Word, family_fault, of_kind, refused
from heatproof.kinds.heatmap.ordering import COUNTED, Order, levels
from heatproof.kinds.recount import Definition
from heatproof.metrics import Metric, is_share, metric
from heatproof.util.errors import Mistake, choices
from heatproof.util.numerals import TICK, is_format, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.roles import Type

    Rule = tuple[str, str, Any]
    """Key, what is wrong with it, and whether it is."""

LABEL = "label"  # of an item of `highlight`, beside its columns: what its frame means
LEVELS = 3  # columns that may lie along one axis: of more nobody reads the brackets
GROUPS = "groups"  # among `margins`: means of each group
METRIC = "metric"  # the column of the grid by which panels of several metrics are told apart
Best = Literal["highest", "lowest", "none"]
Marks = Literal["outline", "none"]
Looks = Literal["once", "many"]
Scale = Literal["independent", "shared", "row", "column"]
Letters = Literal["a", "A", "(a)", "(A)", "a)", "A)", "a.", "A."]


class Encoding(msgspec.Struct, kw_only=True):
    """Columns along x and y, and the metric that gives the colour.

    Columns of a list nest, each within those before it; metrics of a list have panels of their own.
    """

    x: str | list[str]
    y: str | list[str]
    color: str | list[str]


class Annotate(msgspec.Struct):
    """A number or text below the values of a heatmap."""

    text: str = ""
    """A metric, or a column with one value in each cell."""
    std: str = ""
    """Instead of `text`: a column, such as a seed. It prints the sample standard deviation of the
    cell's values, one for each value of the column."""
    format: str | None = None
    """For a metric: a format of d3; by default what fits."""


class Cells(Figure, kw_only=True):
    """A figure of cells: a heatmap, or a kind that shows the same numbers in another form."""

    LOOK: ClassVar[set[str]] = {"percent"}

    panel: str | None = None
    """A panel for each value of this column; `columns` sets how many stand in a row."""
    mean_over: str | None = None
    """Numbers are unweighted means over the values of this column."""
    pool: list[str] = []
    """Columns whose values a number may mix."""
    sort: dict[str, list[Word] | Order] = {}
    """Column → its values in order, or a word: ascending (by default), descending, value (by the
    mean of the cells that all have), -value, config (as `where` lists them), similarity (average
    linkage)."""
    percent: bool | None = None
    """Show values in percent; by default for scores."""


class Entry(Cells, kw_only=True):
    """A heatmap in config.yaml."""

    LOOK: ClassVar[set[str]] = {
        "scale", "palette", "text", "format", "domain", "columns", "letters", "margins",
        "color_scale", "legend", "verdict", "highlight",
    }  # fmt: skip

    encoding: Encoding
    """Columns along x and y, and the metric that gives the colour; each metric of a list has its
    own panels."""
    row: str | None = None
    """A row of panels for each value of this column."""
    column: str | None = None
    """A column of panels for each value of this column."""
    best: Best | dict[str, Best] = "highest"
    """Mark the highest or the lowest value, or none; for several metrics, perhaps metric → one of
    these."""
    verdict: Marks | None = None
    """`outline` (by default) frames the cells that cannot be told apart from the highest. If that
    would be most cells of a panel, bars mark the others."""
    looks: Looks | None = None
    """Whether the figure is looked at while its sweep grows (`many`): then its verdicts hold at
    every look, and need more to be given. By default `many` if records are missing, else `once`."""
    highlight: list[dict[str, Word]] = []
    """Cells to frame: their columns and values, and a `label` for the meaning of the frame."""
    scale: Scale | None = None
    """Which panels share colours: none (`independent`), all, those of a row, or those of a column.
    By default none; all blocks of nested axes."""
    palette: str | list[str] = ""
    """A name, or hex colours; by default lagoon, or poles for values of both signs or with a
    `center`."""
    color_scale: ColorScale = msgspec.field(default_factory=ColorScale)
    """How values become colours; you may also write its `domain` as a key of the figure."""
    legend: bool | None = None
    """Draw the colour bar; by default if there is more than one value."""
    groups: dict[str, str | dict[str, list[Word]]] = {}
    """Column of x or y → the column that groups its values, or label of a group → its values.
    Groups keep this order; values without a group come last."""
    annotate: str | Annotate | None = None
    """A metric, or a column with one value in each cell, printed below each value; with `text:
    false`, in its place. `{text: …, format: …}` gives it a format; `{std: seed}` prints the
    standard deviation over seeds."""
    text: bool | None = None
    """Print values in cells; by default if they fit."""
    format: str | dict[str, str] | None = None
    """Number format of d3, such as `.2f`, or metric → format; by default what fits the values."""
    domain: list[float] | None = None
    """Ends of the colour scale, in the unit shown."""
    columns: int | None = None
    """Panels in a row."""
    letters: Letters | None = None
    """Letters before the names of panels, in this style."""
    relative_to: dict[str, Word | None] = {}
    """Column → its value in the baseline; `null` if logs do not give it. Cells show the difference
    to the baseline on common problems."""
    margins: bool | str | list[str] = False
    """Add unweighted means of cells that all have a value, set apart: of each row and column
    (`true`), over the columns that are listed, or of each group (`groups`)."""

    def used(self) -> dict[str, str]:
        keys = self.place_keys()
        keys |= {self.note_key: self.noted} if self.noted and not self.beside else {}
        keys |= {"annotate.std": self.deviates} if self.deviates else {}
        keys |= {"mean_over": self.mean_over} if self.mean_over else {}
        keys |= {f"pool[{n}]": column for n, column in enumerate(self.pool)}
        for key in ("sort", "groups", "relative_to"):
            keys |= {f"{key}.{column}": column for column in getattr(self, key)}
        keys |= {f"groups.{column}": by for column, by in self.grouping.items()}
        return super().used() | keys | {key: column for key, (column, _) in self._framed().items()}

    def required(self) -> dict[str, tuple[str, list[Word]]]:
        grouped = {
            f"groups.{column}.{label}": (column, values)
            for column in self.groups
            for label, values in self.members(column).items()
        }
        given = [(name, value) for name, value in self.relative_to.items() if value is not None]
        baseline = {f"relative_to.{name}": (name, [value]) for name, value in given}
        return super().required() | baseline | grouped | self._framed()

    def _framed(self) -> dict[str, tuple[str, list[Word]]]:
        """Key → a column and its value in the cells that have a frame."""
        return {
            f"highlight[{n}].{name}": (name, [value])
            for n, item in enumerate(self.framed)
            for name, value in item.items()
            if not (self.several and name == METRIC)
        }

    def selected(self) -> dict[str, list[Word]]:
        """Those of the baseline too, which may lie outside `where`."""
        values = super().selected()
        for name, value in self.relative_to.items():
            if name in values and value not in values[name]:
                values[name] = [*values[name], value]  # type: ignore[list-item]  # null is asked for
        return values

    def spelled(self) -> dict[str, tuple[str, list[Word]]]:
        listed = [(column, order) for column, order in self.sort.items() if isinstance(order, list)]
        return super().spelled() | {f"sort.{column}": (column, order) for column, order in listed}

    def labelled(self) -> list[str]:
        reserved = {"relative_to"} if self.relative_to else {METRIC} if self.several else set()
        return [word for word in self.labels if word not in reserved and refused("", metric, word)]

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        def fit(value: Any, column: str) -> Any:
            if isinstance(value, dict):
                return {name: fit(values, column) for name, values in value.items()}
            return of_kind(value, types.get(column))

        def fit_all(values: Mapping[str, Any]) -> dict[str, Any]:
            return {column: fit(value, column) for column, value in values.items()}

        changed = {key: fit_all(getattr(self, key)) for key in ("sort", "groups", "relative_to")}
        highlight = [fit_all(item) for item in self.highlight]
        return replace(super().fitted(types), **changed, highlight=highlight)

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:
        scales = {} if self.percent else ranges
        faults = {key: units.faults(word, scales) for key, word in self.metric_keys().items()}
        rules = [(f".{key}", fault, fault) for key, fault in faults.items()]
        rules += _one_unit(replace(self, ranges={**ranges}))
        return [Mistake(key, why) for key, why, wrong in rules if wrong]

    def metrics(self) -> dict[str, str]:
        noted = {self.note_key: self.noted} if self.beside and not self.deviates else {}
        return self.metric_keys() | noted

    def shows(self) -> str:
        part = "blocks" if self.nested else "a panel"
        text = f"{', '.join(self.metric_keys().values())} over {self.x} and {self.y}"
        text += f", {part} for each {' and '.join(self.panels)}" if self.panels else ""
        baseline = (f"{n} {'none' if v is None else v}" for n, v in self.relative_to.items())
        text += f", difference to {', '.join(baseline)}" if self.relative_to else ""
        return self.caption or text

    def expects(self) -> bool:
        return True

    def mistakes(self) -> list[Mistake]:
        return [*super().mistakes(), *mistakes(self)]

    def alone(self) -> Entry:
        return replace(self, relative_to={})

    def baseline(self) -> Entry:
        """The figure of the baseline alone."""
        rest = {name: v for name, v in self.where.items() if name not in self.relative_to}
        return replace(self, where=rest | self.relative_to)

    # -------------------------------------------------------------------------------------- metrics

    def metric_keys(self) -> dict[str, str]:
        return self.channel_keys("color")

    @property
    def several(self) -> bool:
        """Whether metrics have panels of their own: the grid then has a column of them."""
        return not isinstance(self.encoding.color, str)

    @property
    def word(self) -> str:
        """The metric; of several the first."""
        return next(iter(self.metric_keys().values()), "")

    def metric_of(self, row: Mapping[str, Any]) -> str:
        return str(row[METRIC]) if self.several else self.word

    def of_metrics(self, color: str | list[str]) -> Entry:
        """The figure of one of its metrics, or of a list of them, all with the same `best`."""
        word = color if isinstance(color, str) else color[0]
        return replace(self, encoding=replace(self.encoding, color=color), best=self.best_of(word))

    def best_of(self, word: str) -> Best:
        return self.best if isinstance(self.best, str) else self.best.get(word, "highest")

    def by_metric(self) -> dict[str, Entry]:
        """Metric → the panels of it alone."""
        if not self.several:
            return {self.word: self}
        return {word: self.of_metrics([word]) for word in self.encoding.color}

    def by_best(self) -> list[Entry]:
        """The figure, or a figure for all metrics with the same `best`."""
        if not self.several:
            return [self]
        words: dict[Best, list[str]] = {}
        for word in self.encoding.color:
            words.setdefault(self.best_of(word), []).append(word)
        return [self.of_metrics(alike) for alike in words.values()]

    @property
    def value_title(self) -> str:
        """The metric with its unit: `(%)`, or the range of the logs without a label of the user."""
        if self.several and len(self.encoding.color) > 1:
            *titles, last = (own.value_title for own in self.by_metric().values())
            return f"{', '.join(titles)} and {last}"
        name = wording.measure(self.word, self.labels)
        if self.relative_to:
            return f"Δ {name}{' (points)' * self.shows_percent}"
        if self.shows_percent:
            return name if "%" in name else f"{name} (%)"
        if not self.own_unit or self.labels.get(self.word) or not metric(self.word).moves:
            return name
        return f"{name} ({'–'.join(show(end, TICK) for end in self.own_unit.ends)})"

    def called(
        self, column: str, values: Sequence[Any], plain: Sequence[str] = ()
    ) -> dict[Any, str]:
        if self.several and column == METRIC:
            titles = {word: own.value_title for word, own in self.by_metric().items()}
            plain = [titles[word] for word in dict.fromkeys(values)]
        return super().called(column, values, plain)

    # ------------------------------------------------------------------- columns and where they lie

    def channel_keys(self, name: str) -> dict[str, str]:
        """Key → each column of an axis, the outermost first; or each metric."""
        channel = getattr(self.encoding, name)
        if isinstance(channel, str):
            return {f"encoding.{name}": channel}
        return {f"encoding.{name}[{n}]": column for n, column in enumerate(channel)}

    def outer_keys(self) -> dict[str, str]:
        """Key → each column that parts the strip into blocks; those along y first."""
        y, x = ([*self.channel_keys(axis).items()] for axis in "yx")
        return dict(y[:-1] + x[:-1])

    def split(self) -> dict[str, str]:
        """Key → the column whose values have panels, or blocks, of their own; of rows first."""
        keys = {"panel": self.panel, "row": self.row, "column": self.column}
        return {key: column for key, column in keys.items() if column} | self.outer_keys()

    def place_keys(self) -> dict[str, str]:
        """Key → each column along which cells lie: x, y, and those of panels."""
        x, y = ([*self.channel_keys(axis).items()] for axis in "xy")
        return dict(x[-1:] + y[-1:]) | self.split()

    @property
    def panels(self) -> tuple[str, ...]:
        """Columns whose values, or pairs of values, have a panel each; that of rows first."""
        columns = [*self.split().values()]
        if self.several:
            columns.insert(int(bool(self.row)), METRIC)
        return tuple(columns)

    @property
    def wraps(self) -> bool:
        """Whether panels are a list that is wrapped, and no grid of rows and columns."""
        return bool(self.panel or (self.several and not (self.row or self.column)))

    @property
    def x(self) -> str:
        """The column whose values lie along x, within the blocks if there are some."""
        return levels(self.encoding.x)[-1]

    @property
    def y(self) -> str:
        return levels(self.encoding.y)[-1]

    @property
    def along(self) -> list[str]:
        """Columns that tell the cells apart, as the grid has them: of panels, y, x."""
        return [*self.panels, self.y, self.x]

    @property
    def places(self) -> list[str]:
        """The columns of the grid for `along`."""
        return [*self.panels, "y", "x"]

    @property
    def nested(self) -> bool:
        """Whether panels are blocks of one strip."""
        return bool(self.outer_keys())

    @property
    def rows_split(self) -> int:
        """How many of `panels` split rows; the others split columns."""
        nested = len(levels(self.encoding.y)) - 1
        return nested if self.nested else int(bool(self.row or (self.several and self.column)))

    @property
    def grouping(self) -> dict[str, str]:
        """Column of x or y → the column that groups its values."""
        return {column: by for column, by in self.groups.items() if isinstance(by, str)}

    def members(self, column: str) -> dict[str, list[Word]]:
        """Label of each group of a column → its values; empty where another column gives them."""
        groups = self.groups.get(column, {})
        return {} if isinstance(groups, str) else groups

    @property
    def means(self) -> list[str]:
        """The columns over which there are means beside cells, and `GROUPS`."""
        if isinstance(self.margins, bool):
            return [self.x, self.y] * self.margins
        return [self.margins] if isinstance(self.margins, str) else self.margins

    @property
    def averaged(self) -> str | None:
        """The column over which the value of each problem is a mean, if any."""
        return None if self.mean_over == "task" else self.mean_over

    @property
    def note(self) -> Annotate:
        """What is printed beside values."""
        own = self.annotate
        return own if isinstance(own, Annotate) else Annotate(own or "")

    @property
    def note_key(self) -> str:
        return "annotate.text" if isinstance(self.annotate, Annotate) else "annotate"

    @property
    def noted(self) -> str:
        """The column or metric that is printed beside values; empty for none."""
        return f"std over {self.deviates}" if self.deviates else self.note.text

    @property
    def deviates(self) -> str:
        """The column over whose values the standard deviation of a cell is printed."""
        return self.note.std

    @property
    def beside(self) -> Entry | None:
        """The figure of the metric that is printed beside values; None where it is no metric."""
        word = self.word if self.deviates else self.noted
        if not word or refused("", metric, word):
            return None
        orders = {name: order for name, order in self.sort.items() if order not in COUNTED}
        return replace(
            self.alone(), encoding=replace(self.encoding, color=word), sort=orders, annotate=None,
            best="none", verdict=None, uncertainty="none", percent=None, highlight=[],
            margins=False, format=self.note.format,
            mean_over=None if self.deviates == self.mean_over else self.mean_over,
            pool=[*self.pool, *[self.deviates] * bool(self.deviates)],
        )  # fmt: skip

    @property
    def parts(self) -> Entry:
        """The same with a cell for each value over which a cell deviates."""
        own, name = self.beside or self, self.deviates
        x, pool = [name, *levels(own.encoding.x)], [other for other in own.pool if other != name]
        return replace(own, encoding=replace(own.encoding, x=x), pool=pool)

    @property
    def framed(self) -> list[dict[str, Any]]:
        return [{n: v for n, v in item.items() if n != LABEL} for item in self.highlight]

    # ------------------------------------------------------------------------------ how it is shown

    @property
    def prints(self) -> bool | None:
        """Whether cells have text; None: if there is room."""
        return None if self.annotate and self.text is False else self.text

    @property
    def sharing(self) -> Scale:
        return self.scale or ("shared" if self.nested else "independent")

    @property
    def color(self) -> ColorScale:
        """How values become colours; a baseline is in their middle."""
        scale = self.color_scale.of(self.word)
        center = 0.0 if self.relative_to and scale.center is None else scale.center
        return replace(scale, domain=self.domain or scale.domain, center=center)

    @property
    def marks(self) -> Marks:
        return self.verdict or ("none" if self.best == "none" else "outline")

    @property
    def shows_percent(self) -> bool:
        percent = is_share(self.word) if self.percent is None else self.percent
        return percent and not self.own_unit

    @property
    def own_unit(self) -> units.Unit | None:
        """The unit of the logs, where values are shown in it."""
        return None if self.percent else units.own(self.word, self.ranges)

    @property
    def unit(self) -> units.Unit:
        """The unit in which values are shown; of differences without its start."""
        unit = self.own_unit or (units.PERCENT if self.shows_percent else units.PLAIN)
        return unit._replace(start=0.0) if self.relative_to else unit

    def definition(self, prefix: str = "", title: str = "") -> Definition:
        """What its values are, for the recount and `trace`."""
        word, own = self.word, self.own_unit
        return Definition(
            metric=metric(word), where=self.where,
            keys={name: name for name in self.panels} | {self.x: "x", self.y: "y"},
            relative_to=self.relative_to, panels=self.panels, prefix=prefix, title=title,
            joins_tasks="task" in (self.mean_over, *self.pool),
            averaged="" if metric(word).printed else self.averaged or "",
            unit=self.unit if own else units.PLAIN, side_unit=own or units.PLAIN,
            sample_unit=units.of_samples(word, self.ranges) if own else units.PLAIN,
        )  # fmt: skip

    def definitions(self) -> list[Definition]:
        """One of its values, or of each metric, and one of the metric that is printed beside."""
        if self.several:
            return [
                dataclasses.replace(self.of_metrics(word).definition(), part={METRIC: word})
                for word in self.encoding.color
            ]
        if not (beside := self.beside):
            return [self.definition()]
        noted = beside.definition("note_", self.noted)
        return [self.definition(), dataclasses.replace(noted, deviates=self.deviates)]


# -------------------------------------------------------------------- what keys cannot say together


def mistakes(entry: Entry) -> list[Mistake]:
    """All of them, in the order in which users read them."""
    unread = [
        wrong
        for key, word in entry.metric_keys().items()
        for wrong in refused(f".{key}", metric, word)
    ]
    rules = [*_axes(entry), *_annotation(entry), *_baseline(entry), *_highlight(entry)]
    rules += _metrics(entry)
    if not unread:
        for word, own in entry.by_metric().items():
            rules += [rule for rule in _metric(own, metric(word)) if rule not in rules]
        rules += _one_unit(entry)
    scales = [] if entry.palette == "" else refused(".palette", colour.palette, entry.palette)
    short = "" if entry.domain else ".color_scale"
    colours = [own.color for own in entry.by_metric().values()]
    for wrong in dict.fromkeys(wrong for scale in colours for wrong in scale.mistakes()):
        scales.append(wrong.below(short if wrong.place == ".domain" else ".color_scale"))
    fault = family_fault(entry.family) if entry.family is not None else ""
    rules += [
        (".domain", "color_scale.domain says the same; choose one",
         entry.domain and entry.color_scale.domain),
        *((f".format{key}", hints.number_format(form), not is_format(form))
          for key, form in _by_key(entry.format)),
        (".family", f"{entry.family!r} {fault}", fault),
        (".columns", f"{entry.columns} is not 1 or more",
         entry.columns is not None and entry.columns < 1),
        *(_blocks(entry) if entry.nested else _panels(entry)),
        *_order(entry),
    ]  # fmt: skip
    return [*unread, *(Mistake(key, why) for key, why, wrong in rules if wrong), *scales]


def _by_key(value: Any) -> list[tuple[str, str]]:
    """The rest of a key and its value, of each metric or of all."""
    if isinstance(value, dict):
        return [(f".{word}", what) for word, what in value.items()]
    return [] if value is None else [("", value)]


def _metrics(entry: Entry) -> Iterator[Rule]:
    """Keys that name other metrics, or that figures of several metrics do not take."""
    words = [*entry.metric_keys().values()] if entry.several else []
    by_metric = ("best", entry.best), ("format", entry.format)
    for key, value in (*by_metric, ("color_scale.type", entry.color_scale.type)):
        for part, _ in _by_key(value):
            why = f"is not a metric of encoding.color; {choices(part[1:], words)}"
            yield f".{key}{part}", f"{part[1:]!r} {why}", part and part[1:] not in words
    if not entry.several:
        return
    yield ".encoding.color", "is an empty list", not words
    for n, (key, word) in enumerate(entry.metric_keys().items()):
        yield f".{key}", f"{word!r} occurs twice", word in words[:n]
    for key, column in entry.place_keys().items():
        why = f"{column!r} is the column of the panels of several metrics; name one metric"
        yield f".{key}", why, column == METRIC
    panels = "encoding.color lists metrics, which have panels of their own"
    why = f"{entry.panel!r}: {panels}; use `row` or `column` instead"
    yield ".panel", why, entry.panel
    yield ".column", f"{entry.column!r}: {panels}; remove row", entry.row and entry.column
    alone = "encoding.color lists several metrics, but this takes one: draw a figure of each"
    for word in ("annotate", "relative_to"):
        yield f".{word}", alone, getattr(entry, word)
    why = "nested axes take one metric, but encoding.color lists several"
    for axis in ("x", "y"):
        yield f".encoding.{axis}", why, len(levels(getattr(entry.encoding, axis))) > 1


def _one_unit(entry: Entry) -> Iterator[Rule]:
    """Colours in common of metrics without a common unit."""
    units_there = {
        word: ("%" if is_share(word) else metric(word).unit_of, own.own_unit)
        for word, own in entry.by_metric().items()
    }
    first = next(iter(units_there), "")
    other = next((word for word, unit in units_there.items() if unit != units_there[first]), "")
    across = {"shared": True, "row": entry.row, "column": entry.column}.get(entry.scale or "")
    apart = f"{first} and {other} have no unit in common"
    yield ".scale", f"{entry.scale!r}: {apart}; write independent", other and across
    key = ".domain" if entry.domain else ".color_scale.domain"
    why = f"{entry.color.domain}: {apart}, and each panel has its own ends; remove it"
    yield key, why, other and entry.color.domain


def _axes(entry: Entry) -> Iterator[Rule]:
    for axis, columns in {"x": entry.encoding.x, "y": entry.encoding.y}.items():
        number = 1 if isinstance(columns, str) else len(columns)
        why = f"lists {number or 'no'} columns; there may be 1 to {LEVELS}"
        yield f".encoding.{axis}", why, not 1 <= number <= LEVELS
    pooled = {f"pool[{n}]": column for n, column in enumerate(entry.pool)}
    mean_over = {"mean_over": entry.mean_over} if entry.mean_over else {}
    places = entry.place_keys() | mean_over | pooled
    for n, (key, column) in enumerate(places.items()):
        for other in [*places][:n]:
            yield f".{key}", f"{column!r} is {other} already: name another", places[other] == column


def _annotation(entry: Entry) -> Iterator[Rule]:
    noted, key = entry.noted, ".annotate"
    yield key, "names neither `text` nor `std`", entry.annotate is not None and not noted
    if not noted:
        return
    form, beside = entry.note.format, entry.beside
    if name := entry.deviates:
        why = "a cell holds only one value of it; list it under `mean_over` or `pool`"
        faults = {
            why: name not in (entry.mean_over, *entry.pool),
            "a cell has no room for this and `text`; remove one of them": entry.note.text,
            "cannot be drawn beside a baseline (relative_to)": entry.relative_to,
        }
        yield from ((f"{key}.std", f"{name!r}: {fault}", wrong) for fault, wrong in faults.items())
    shown = noted in (*entry.along, entry.word)
    yield key, f"{noted!r} is shown already; name another column or metric", shown
    # What is spelled like no metric is a column, which others look for.
    for wrong in refused(key, metric, noted) if {*"(@^"} & {*noted} and not name else ():
        yield key, wrong.message, True
    why = f"{form!r}: {noted!r} is a column, but only metrics have a format"
    yield f"{key}.format", why, form is not None and beside is None
    wrong_format = form is not None and beside is not None and not is_format(form)
    yield f"{key}.format", hints.number_format(form or ""), wrong_format
    why = f"{noted} can only be averaged over tasks, not over {entry.mean_over!r}"
    yield key, why, beside and metric(beside.word).join and entry.averaged and not name
    why = "a cell has room for one line below its value; remove one of them"
    uncertain = entry.uncertainty in ("se", "interval")
    yield key, f"beside uncertainty: {entry.uncertainty!r}: {why}", uncertain
    why = f"are means of values, but with `text: false` cells show only {noted}"
    yield ".margins", why, entry.text is False and entry.margins


def _highlight(entry: Entry) -> Iterator[Rule]:
    for n, columns in enumerate(entry.framed):
        place = f".highlight[{n}]"
        yield place, f"names no column; {choices('', entry.along)}", not columns
        for name in columns:
            why = f"{name!r} is on no axis and has no panels; {choices(name, entry.along)}"
            yield f"{place}.{name}", why, name not in entry.along


def _baseline(entry: Entry) -> Iterator[Rule]:
    """Columns of `relative_to` that give a cell no baseline, several, or itself."""
    if not entry.relative_to:
        return
    axes = [entry.x, entry.y, *entry.panels]
    single = [name for name, value in entry.where.items() if not isinstance(value, list)]
    there = dict.fromkeys([*axes, *single])
    itself = all(n not in axes and entry.where.get(n) == v for n, v in entry.relative_to.items())
    for name in entry.relative_to:
        fault = ""
        if name in ("sample_id", "task"):
            fault = " pairs the cells with their baseline; name a setting"
        elif name in (entry.mean_over, *entry.pool):
            fault = " has several values in a cell; name a setting"
        elif name not in there:
            fault = f" has no single value in a cell; {choices(name, there)}"
        itself = itself and not fault
        yield f".relative_to.{name}", f"{name!r}{fault}", fault
    why = "'lowest': beside a baseline no best is marked; remove it"
    yield ".best", why, entry.best == "lowest"
    yield ".relative_to", "every cell is its own baseline; name another value", itself


def _metric(entry: Entry, what: Metric) -> Iterator[Rule]:
    """Marks, errors and means that the metric does not have."""
    word, over = entry.word, entry.mean_over
    needs = {
        "`best: highest` or `best: lowest`": entry.best == "none",
        "`uncertainty: tied`": entry.uncertainty != "tied",
        "no `relative_to`": entry.relative_to,
        f"only for means of records, and {word} is not one": what.join,
    }
    lacks = " and ".join(need for need, missing in needs.items() if missing)
    yield ".verdict", f"'outline' needs {lacks}", lacks and entry.verdict == "outline"
    if what.printed:
        why = f"needs records of problems, but {word} is an aggregate: remove it"
        yield ".family", f"{entry.family!r} {why}", entry.family is not None
        for n, name in enumerate(entry.pool):
            why = f"samples are pooled, but {word} is an aggregate; write mean_over: {name}"
            yield f".pool[{n}]", f"{name!r}: {why}", True
    elif what.join:
        why = f"{entry.uncertainty!r} needs a mean, but {word} is not one: remove it"
        yield ".uncertainty", why, entry.uncertainty in ("se", "interval")
        other = "put it on an axis" if what.is_spread else f"list {over!r} under pool"
        why = f"{word} can only be averaged over tasks; choose one value under where, or {other}"
        yield ".mean_over", f"{over!r}: {why}", entry.averaged
        for n, name in enumerate(entry.pool):
            why = (
                f"{word} is the spread over problems, each the mean of its samples, not over "
                f"{name!r}; choose one value under where, or put it on an axis"
            )
            yield f".pool[{n}]", f"{name!r}: {why}", what.is_spread and name != "task"


def _panels(entry: Entry) -> Iterator[Rule]:
    """Keys of wrapped panels beside `row` or `column`, and a scale without its column."""
    metrics = entry.several and (entry.row or entry.column)  # they are the other direction
    split = entry.scale in ("row", "column") and not (getattr(entry, entry.scale) or metrics)
    why = f"{entry.scale!r} without {entry.scale}: name the column that it shows"
    yield ".scale", why, split
    word, grid = "row" if entry.row else "column", entry.row or entry.column
    why = f"{entry.panel!r} beside {word}: one makes a list of panels, one a grid; remove one"
    yield ".panel", why, grid and entry.panel
    why = f"{entry.columns} beside {word}: it is for the list of `panel`; remove it"
    yield ".columns", why, grid and entry.columns is not None


def _blocks(entry: Entry) -> Iterator[Rule]:
    key = next(iter(entry.outer_keys())).partition("[")[0]
    for word in ("panel", "row", "column"):
        column = getattr(entry, word)
        why = (
            f"beside nested axes ({key}): they make the blocks of one strip; put {column!r} in the "
            "list, or remove one of them"
        )
        yield f".{word}", f"{column!r} {why}", column
    for word, value in {"columns": entry.columns, "letters": entry.letters}.items():
        why = f"it is for panels, but nested axes ({key}) make blocks of one strip"
        yield f".{word}", f"{value!r}: {why}", value is not None
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    why = f"{entry.scale!r}: it needs a second column in encoding.{axis}"
    yield ".scale", why, axis and len(levels(getattr(entry.encoding, axis))) == 1


def _order(entry: Entry) -> Iterator[Rule]:
    """Orders and groups of a column on no axis, and values that occur twice."""
    for column, order in entry.sort.items():
        key, listed = f".sort.{column}", order if isinstance(order, list) else []
        for n, value in enumerate(listed):
            yield f"{key}[{n}]", f"{value!r} occurs twice", value in listed[:n]
        there = [*entry.along, *entry.grouping.values()]
        why = f"it is on no axis and has no panels; {choices(column, dict.fromkeys(there))}"
        yield key, why, column not in there
        why = f"{order!r}: groups have no value of their own; list them"
        yield key, why, column in entry.grouping.values() and order in COUNTED
        lists = isinstance(entry.where.get(column), list)
        yield key, f"'config': where.{column} lists no values", order == "config" and not lists
        why = f"groups.{column} gives the order; remove one of them"
        yield key, why, listed and entry.members(column)
    axes = (entry.x, entry.y)
    for column, groups in entry.groups.items():
        key = f".groups.{column}"
        why = f"groups stand along x or y; {choices(column, axes)}"
        yield key, why, column not in axes
        yield key, f"{groups!r} lies along an axis", groups in entry.along
        members = entry.members(column).values()
        number = Counter(value for values in members for value in values)
        for value in number:
            yield key, f"{value!r} occurs twice", number[value] > 1
    for word in entry.means:
        why = f"{word!r}: means are over x or y, or of {GROUPS}; {choices(word, [*axes, GROUPS])}"
        yield ".margins", why, word not in (*axes, GROUPS)
        yield ".margins", f"{word!r}: no column has groups", word == GROUPS and not entry.groups
