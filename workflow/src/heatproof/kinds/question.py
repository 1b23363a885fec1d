"""What a figure counts: of which samples, along which columns, by which metric, beside what.

Every kind that shows cells has a `Question`. Grids, recounts and words are made of it alone, and
its mistakes name the keys that the user wrote (`Question.keys`), whatever the kind calls them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from heatproof.charts import units, wording
from heatproof.config.choice import Choice, Word, Written, read_choices
from heatproof.config.entries import Spaces, name_values, names_in, refused
from heatproof.kinds.recount import Definition
from heatproof.metrics import is_share, metric
from heatproof.pair_numbers import TABLE
from heatproof.statistics.fits import Form  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error, Mistake
from heatproof.util.numerals import TICK, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.colour import Domain
    from heatproof.config.entries import Figure, ListedValues, NamedColumns
    from heatproof.kinds.states import GridRow
    from heatproof.pair_numbers import PairNumber

K = "k"  # the column of k, if a metric is shown over it
AGAINST = "against"
"""The column of the other value, of a number about two values of the column along y."""
METRIC = "metric"  # the column of the grid by which panels of several metrics are told apart
LABEL = "label"  # of an item of `highlight`, beside its columns: what its frame means
GROUPS = "groups"  # among `margins`: means of each group
KEYS = {"x": "encoding.x", "y": "encoding.y", "color": "encoding.color", "note": "annotate"}
"""Columns, metric and note of a question → the keys of a heatmap for them."""
COUNTED = ("value", "-value", "similarity")  # orders that need all to be counted
Order = Literal["ascending", "descending", "value", "-value", "config", "similarity"]
"""`config`: as `where` lists them; `value`: by the mean of the cells, `-value` from the highest."""
Best = Literal["highest", "lowest", "none"]
Marks = Literal["dots", "none"]
Looks = Literal["once", "many"]
Uncertainty = Literal["none", "se", "interval", "tied", "stars"]


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


class Question(msgspec.Struct, kw_only=True):
    """What a figure counts; fields that figures have too mean the same (`config.entries`)."""

    encoding: Encoding
    keys: dict[str, str] = msgspec.field(default_factory=lambda: KEYS)
    """As in `KEYS`; a column without a key of its own, which the user did not name, has none."""
    name: str = ""  # of the figure
    source: str = ""
    where: dict[str, Written] = {}
    labels: dict[str, str] = {}
    names: dict[str, dict[str, str] | Spaces] | Spaces = {}
    family: str | None = None
    ranges: dict[str, list[float]] = {}
    opponent: str = ""
    mixable: list[str] = []
    orders: dict[str, list[str]] = {}
    uncertainty: Uncertainty = "tied"
    panel: str | None = None
    row: str | None = None
    column: str | None = None
    mean_over: str | None = None
    pool: list[str] = []
    k: list[int] = []
    fit: Form | None = None
    crossing: float | None = None
    join: list[str] = []
    sort: dict[str, list[Word] | Order] = {}
    groups: dict[str, str | dict[str, list[Word]]] = {}
    relative_to: dict[str, Word | None] = {}
    percent: bool | None = None
    format: str | dict[str, str] | None = None
    best: Best | dict[str, Best] = "highest"
    verdict: Marks | None = None
    looks: Looks | None = None
    margins: bool | str | list[str] = False
    annotate: str | Annotate | None = None
    highlight: list[dict[str, Word]] = []

    @staticmethod
    def of(figure: Figure, **others: Any) -> Question:
        """The question of a figure; `others`: fields that it has under another name, or not."""
        fields = set(Question.__struct_fields__) & set(figure.__struct_fields__)
        keys = {name: getattr(figure, name) for name in fields}
        return Question(**keys | others)

    @property
    def place(self) -> str:
        """The place of its figure in the config."""
        return f"figures.{self.name}"

    @property
    def metric_place(self) -> str:
        """The place of the key of its metric, or of all its metrics."""
        return f"{self.place}.{self.keys['color']}"

    def fault(self, key: str, why: str) -> Error:
        """A mistake at one of the keys of its figure."""
        return Error(Mistake(f"{self.place}.{key}", why))

    # ------------------------------------------------------------------- what it asks of samples

    def selected(self) -> dict[str, Choice]:
        """Column → its values that are shown; those of the baseline too, wherever they lie."""
        choices = read_choices(self.where)
        for name, value in self.relative_to.items():
            if name in choices:
                choices[name] = choices[name].including(value)
        return choices

    def used(self) -> NamedColumns:
        """Key → each column that it names."""
        keys = self.place_keys() | self._pooled_keys()
        for key in ("sort", "groups", "relative_to"):
            for column in getattr(self, key):
                keys[f"{key}.{column}"] = column
        for column, by in self.grouping.items():
            keys[f"groups.{column}"] = by
        for key, (column, _) in self._framed().items():
            keys[key] = column
        if self.pair:
            keys |= {f"join[{number}]": column for number, column in enumerate(self.join)}
        return {key: column for key, column in keys.items() if column not in self.made_columns}

    def _pooled_keys(self) -> NamedColumns:
        """Key → the columns of which a cell has several values, or prints the one."""
        keys = {}
        if self.deviates:
            keys[f"{self.keys['note']}.std"] = self.deviates
        elif self.noted and not self.beside:
            keys[self.note_key] = self.noted
        if self.mean_over:
            keys["mean_over"] = self.mean_over
        for number, column in enumerate(self.pool):
            keys[f"pool[{number}]"] = column
        return keys

    def required(self) -> ListedValues:
        """Key → a column and its values that some sample must have."""
        keys = {}
        for name, value in self.relative_to.items():
            if value is not None:
                keys[f"relative_to.{name}"] = name, [value]
        for column in self.groups:
            for label, values in self.members(column).items():
                keys[f"groups.{column}.{label}"] = column, values
        return keys | self._framed()

    def spelled(self) -> ListedValues:
        """Key → a column and values that must be of its type."""
        keys = {}
        for column, order in self.sort.items():
            if isinstance(order, list):
                keys[f"sort.{column}"] = column, order
        return keys

    def _framed(self) -> ListedValues:
        """Key → a column and its value in the cells that have a frame."""
        keys = {}
        for number, item in enumerate(self.framed):
            for name, value in item.items():
                if name not in self.made_columns:
                    keys[f"highlight[{number}].{name}"] = name, [value]
        return keys

    def labelled(self) -> list[str]:
        """Columns that have a label."""
        words = [label_word for label_word in self.labels if refused("", metric, label_word)]
        reserved = self.made_columns
        if self.relative_to:
            reserved = reserved + ["relative_to"]
        return [label_word for label_word in words if label_word not in reserved]

    def metrics(self) -> NamedColumns:
        """Key → the metric that it names."""
        keys = self.metric_keys()
        if self.beside and not self.deviates:
            keys[self.note_key] = self.noted
        return keys

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:
        """Metrics that do not exist for columns with a `range`."""
        scales = {} if self.percent else ranges
        faults = {
            key: units.faults(metric_word, scales)
            for key, metric_word in self.metric_keys().items()
        }
        return [Mistake(f".{key}", fault) for key, fault in faults.items() if fault]

    def alone(self) -> Question:
        """The same without a baseline."""
        return replace(self, relative_to={})

    def baseline(self) -> Question:
        """That of the baseline alone."""
        rest = {name: v for name, v in self.where.items() if name not in self.relative_to}
        where = rest | self.relative_to
        return replace(self, where=where)

    # ----------------------------------------------------------------- two values of a column

    @property
    def pair(self) -> PairNumber | None:
        """The number about two values of the column along y; None where cells are of one."""
        if self.several or refused("", metric, self.word):
            return None
        shown_metric = metric(self.word)
        return TABLE.get(shown_metric.pair)

    @property
    def made_columns(self) -> list[str]:
        """Columns of cells that no sample has."""
        columns = []
        if self.several:
            columns.append(METRIC)
        if self.k:
            columns.append(K)
        if self.pair:
            columns.append(AGAINST)
        return columns

    @property
    def side_columns(self) -> list[str]:
        """The columns that tell one side of a pair from another; of games also the opponent's."""
        if self.opponent:
            return [self.y, self.opponent]
        return [self.y]

    @property
    def instance_key(self) -> list[str]:
        """The columns by which two values have an instance in common."""
        if self.y == "task":
            return self.join
        return ["task", *(name for name in self.join if name != "task")]

    @property
    def instances(self) -> str:
        """What its instances are called."""
        if set(self.join) <= {"sample_id", "task"}:
            return "problems"
        return "instances"

    @property
    def shows_leads(self) -> bool:
        """Whether values have a sign that says who is ahead."""
        return self.pair is not None and not (self.pair.is_alike or self.pair.equal)

    @property
    def center(self) -> float | None:
        """The value of equals, in the unit shown, where cells compare two."""
        if self.relative_to:
            return 0.0
        if self.pair is None or self.pair.is_alike:
            return None
        return self.unit.value(self.pair.equal)

    # -------------------------------------------------------------------------------------- metrics

    def metric_keys(self) -> NamedColumns:
        """Key → each metric."""
        return self.channel_keys("color")

    @property
    def several(self) -> bool:
        """Whether metrics have panels of their own: the grid then has a column of them."""
        return not isinstance(self.encoding.color, str)

    @property
    def word(self) -> str:
        """The metric; of several the first."""
        return axis_columns(self.encoding.color)[0]

    def metric_of(self, row: GridRow) -> str:
        """The metric of a row of the grid."""
        if self.several:
            return str(row[METRIC])
        return self.word

    def of_metrics(self, color: str | list[str]) -> Question:
        """That of one of its metrics, or of a list of them, all with the same `best`."""
        metric_word, *_ = axis_columns(color)
        return replace(
            self, encoding=replace(self.encoding, color=color), best=self.best_of(metric_word)
        )

    def at_k(self, number: int) -> Question:
        """That of one k, whose number is in the samples as a setting `K`."""
        word = f"{self.word.removesuffix(K)}{number}"
        return replace(self, encoding=replace(self.encoding, color=word), k=[])

    def best_of(self, word: str) -> Best:
        """The end of a metric that is marked."""
        if isinstance(self.best, str):
            return self.best
        return self.best.get(word, "highest")

    def by_metric(self) -> dict[str, Question]:
        """Metric → the panels of it alone."""
        if not self.several:
            return {self.word: self}
        return {metric_word: self.of_metrics([metric_word]) for metric_word in self.encoding.color}

    def by_best(self) -> list[Question]:
        """Itself, or a question for all metrics with the same `best`."""
        if not self.several:
            return [self]
        words: dict[Best, list[str]] = {}
        for metric_word in self.encoding.color:
            words.setdefault(self.best_of(metric_word), []).append(metric_word)
        return [self.of_metrics(metric_words) for metric_words in words.values()]

    @property
    def value_title(self) -> str:
        """The metric with its unit: `(%)`, or the range of the logs without a label of the user."""
        if self.several and len(self.encoding.color) > 1:
            *titles, last = (alone.value_title for alone in self.by_metric().values())
            return f"{', '.join(titles)} and {last}"
        name = wording.measure(self.word, self.labels)
        if self.relative_to:
            unit = " (points)" if self.shows_percent else ""
            return f"Δ {name}{unit}"
        if self.shows_leads and self.shows_percent:
            return f"{name} (points)"
        if self.shows_percent:
            unit = "" if "%" in name else " (%)"
            return f"{name}{unit}"
        if not self.own_unit or self.labels.get(self.word) or not metric(self.word).moves:
            return name
        low, high = self.own_unit.ends
        return f"{name} ({show(low, TICK)}–{show(high, TICK)})"

    def called(
        self, column: str, values: Sequence[Any], plain: Sequence[str] = ()
    ) -> dict[Any, str]:
        """Value of a column → its name in the figure, as `config.entries.Figure.called`."""
        if self.several and column == METRIC:
            titles = {
                metric_word: alone.value_title for metric_word, alone in self.by_metric().items()
            }
            plain = [titles[metric_word] for metric_word in dict.fromkeys(values)]
        if self.pair and column == AGAINST:
            column = self.y
        place = f"{self.place}.names.{column}"
        return name_values(values, names_in(self.names, column), plain, place)

    # ------------------------------------------------------------------- columns and where they lie

    def channel_keys(self, name: str) -> NamedColumns:
        """Key → each column of an axis, the outermost first; or each metric."""
        channel = getattr(self.encoding, name)
        key = self.keys[name]
        if isinstance(channel, str):
            return {key: channel} if key else {}
        return {f"{key}[{number}]": column for number, column in enumerate(channel)}

    def outer_keys(self) -> NamedColumns:
        """Key → each column that parts the strip into blocks; those along y first."""
        y = list(self.channel_keys("y").items())
        x = list(self.channel_keys("x").items())
        return dict(y[:-1] + x[:-1])

    def split(self) -> NamedColumns:
        """Key → the column whose values have panels, or blocks, of their own; of rows first."""
        keys = {"panel": self.panel, "row": self.row, "column": self.column}
        columns = {key: column for key, column in keys.items() if column}
        return columns | self.outer_keys()

    def place_keys(self) -> NamedColumns:
        """Key → each column along which cells lie: x, y, and those of panels."""
        x = list(self.channel_keys("x").items())
        y = list(self.channel_keys("y").items())
        return dict(x[-1:] + y[-1:]) | self.split()

    @property
    def panels(self) -> tuple[str, ...]:
        """Columns whose values, or pairs of values, have a panel each; that of rows first."""
        split = self.split()
        columns = list(split.values())
        if self.several:
            columns.insert(int(bool(self.row)), METRIC)
        return tuple(columns)

    @property
    def wraps(self) -> bool:
        """Whether panels are a list that is wrapped, and no grid of rows and columns."""
        is_grid = self.row or self.column
        return bool(self.panel or (self.several and not is_grid))

    @property
    def x(self) -> str:
        """The column whose values lie along x, within the blocks if there are some."""
        return axis_columns(self.encoding.x)[-1]

    @property
    def y(self) -> str:
        """The same along y."""
        return axis_columns(self.encoding.y)[-1]

    @property
    def along(self) -> list[str]:
        """Columns that tell the cells apart, as the grid has them: of panels, y, x."""
        return [*self.panels, self.y, self.x]

    @property
    def places(self) -> list[str]:
        """The columns of the grid for `along`."""
        return [*self.panels, "y", "x"]

    @property
    def grid_columns(self) -> dict[str, str]:
        """Column of `along` → the column of the grid for it."""
        return dict(zip(self.along, self.places, strict=True))

    @property
    def nested(self) -> bool:
        """Whether panels are blocks of one strip."""
        return bool(self.outer_keys())

    @property
    def rows_split(self) -> int:
        """How many of `panels` split rows; the others split columns."""
        if self.nested:
            return len(axis_columns(self.encoding.y)) - 1
        return int(bool(self.row or (self.several and self.column)))

    @property
    def grouping(self) -> dict[str, str]:
        """Column of x or y → the column that groups its values."""
        return {column: by for column, by in self.groups.items() if isinstance(by, str)}

    def members(self, column: str) -> dict[str, list[Word]]:
        """Label of each group of a column → its values; empty where another column gives them."""
        groups = self.groups.get(column, {})
        if isinstance(groups, str):
            return {}
        return groups

    @property
    def means(self) -> list[str]:
        """The columns over which there are means beside cells, and `GROUPS`."""
        if self.margins is True:
            return [self.x, self.y]
        if isinstance(self.margins, str):
            return [self.margins]
        return self.margins or []

    @property
    def averaged(self) -> str | None:
        """The column over which the value of each problem is a mean, if any."""
        if self.mean_over == "task":
            return None
        return self.mean_over

    @property
    def note(self) -> Annotate:
        """What is printed beside values."""
        if isinstance(self.annotate, Annotate):
            return self.annotate
        return Annotate(self.annotate or "")

    @property
    def note_key(self) -> str:
        """Its key."""
        key = self.keys["note"]
        if isinstance(self.annotate, Annotate):
            return f"{key}.text"
        return key

    @property
    def noted(self) -> str:
        """The column or metric that is printed beside values; empty for none."""
        if self.deviates:
            return f"std over {self.deviates}"
        return self.note.text

    @property
    def deviates(self) -> str:
        """The column over whose values the standard deviation of a cell is printed."""
        return self.note.std

    @property
    def beside(self) -> Question | None:
        """That of the metric that is printed beside values; None where it is no metric."""
        metric_word = self.noted
        if self.deviates:
            metric_word = self.word
        if not metric_word or refused("", metric, metric_word):
            return None
        pool = self.pool
        mean_over = self.mean_over
        if self.deviates:
            pool = pool + [self.deviates]
            if mean_over == self.deviates:
                mean_over = None
        return replace(
            self.alone(), encoding=replace(self.encoding, color=metric_word),
            sort=self.plain_orders(), annotate=None, best="none", verdict=None, uncertainty="none",
            percent=None, highlight=[], margins=False, format=self.note.format,
            mean_over=mean_over, pool=pool,
        )  # fmt: skip

    @property
    def deviating(self) -> Question:
        """The same with a cell for each value over which a cell deviates."""
        question = self.beside or self
        name = self.deviates
        pool = [column for column in question.pool if column != name]
        x = [name] + axis_columns(question.encoding.x)
        return replace(question, encoding=replace(question.encoding, x=x), pool=pool)

    def plain_orders(self) -> dict[str, list[Word] | Order]:
        """`sort` without the orders by the numbers of cells."""
        return {name: order for name, order in self.sort.items() if order not in COUNTED}

    @property
    def framed(self) -> list[dict[str, Any]]:
        """Column → value of the cells with a frame, for each item of `highlight`."""
        frames = []
        for item in self.highlight:
            frames.append({column: value for column, value in item.items() if column != LABEL})
        return frames

    # ----------------------------------------------------------------------- how values are written

    @property
    def marks(self) -> Marks:
        """What sets off the cells that cannot be told apart from the best."""
        return self.verdict or ("none" if self.best == "none" else "dots")

    @property
    def shows_percent(self) -> bool:
        """Whether values are shown in percent."""
        percent = self.percent
        if percent is None:
            percent = is_share(self.word)
        return percent and not self.own_unit

    @property
    def own_unit(self) -> units.Unit | None:
        """The unit of the logs, where values are shown in it."""
        if self.percent:
            return None
        return units.logged_unit(self.word, self.ranges)

    @property
    def unit(self) -> units.Unit:
        """The unit in which values are shown; of differences without its start."""
        unit = self.own_unit or (units.PERCENT if self.shows_percent else units.PLAIN)
        if self.relative_to:
            return unit._replace(start=0.0)
        return unit

    @property
    def possible(self) -> Domain | None:
        """The ends between which values lie, in the unit of the figure; None: not known."""
        is_bounded = is_share(self.word) or (self.own_unit and metric(self.word).keeps)
        if not is_bounded:
            return None
        low, high = self.unit.ends
        if self.relative_to or self.pair:
            return low - high, high - low
        return low, high

    def definition(self, prefix: str = "", title: str = "") -> Definition:
        """What its values are, for the recount and `trace`."""
        shown_metric = metric(self.word)
        unit = self.own_unit
        keys = {**{name: name for name in self.panels}, self.x: "x", self.y: "y"}
        pair_keys: dict[str, Any] = {}
        if self.pair:
            del keys[self.x]
            pair_keys = {
                "pair": self.pair,
                "against": (self.y, AGAINST),
                "task": "",
                "opponent": self.opponent,
                "problem": self.instance_key,
            }
        return Definition(
            metric=shown_metric, where=self.where, prefix=prefix, title=title, keys=keys,
            relative_to=self.relative_to, panels=self.panels,
            joins_tasks="task" in (self.mean_over, *self.pool),
            averaged="" if shown_metric.printed else self.averaged or "",
            unit=self.unit if unit else units.PLAIN, side_unit=unit or units.PLAIN,
            sample_unit=units.of_samples(self.word, self.ranges) if unit else units.PLAIN,
            **pair_keys,
        )  # fmt: skip

    def definitions(self) -> list[Definition]:
        """One of its values, or of each metric, and one of the metric that is printed beside."""
        if self.several:
            definitions = {
                metric_word: self.of_metrics(metric_word).definition()
                for metric_word in self.encoding.color
            }
            return [dataclasses.replace(d, part={METRIC: w}) for w, d in definitions.items()]
        if self.k:
            return [self._definition_at(number) for number in self.k]
        if self.beside is None:
            return [self.definition()]
        noted = self.beside.definition("note_", self.noted)
        return [self.definition(), dataclasses.replace(noted, deviates=self.deviates)]

    def _definition_at(self, number: int) -> Definition:
        """What the values of one k are: no sample has it, but cells have."""
        definition = self.at_k(number).definition()
        keys = {name: column for name, column in definition.keys.items() if name != K}
        panels = [name for name in definition.panels if name != K]
        place = definition.keys[K]
        return dataclasses.replace(
            definition, keys=keys, panels=panels, part={place: number}, names={place: K}
        )


def axis_columns(columns: str | Sequence[str]) -> list[str]:
    """The columns along an axis, the outermost first."""
    if isinstance(columns, str):
        return [columns]
    return list(columns) or [""]
