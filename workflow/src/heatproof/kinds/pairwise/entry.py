"""pairwise: each model against each other on the same instances, as a board or as panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.charts import colour, units, wording
from heatproof.config import venues
from heatproof.config.choice import Choice, Word
from heatproof.config.entries import Figure, family_fault, of_kind, refused
from heatproof.kinds.question import AGAINST, Encoding, Question
from heatproof.util.errors import Mistake
from heatproof.util.numerals import TICK, numbered, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.config.entries import ListedValues, NamedColumns
    from heatproof.config.roles import Type
    from heatproof.kinds.recount import Definition

CELLS = 0.6  # part of a board's width that its squares have at least
SMALLEST = 7.0
"""Side of a square and the gap beside it at least, in pt, so that each row has its name."""
MOST_BINS = {"board": 25, "panels": 100}
"""Bins along an axis, at most: smaller ones are not told apart on a page."""

LISTED = 4  # models that the beginning of a caption names, at most
ALL = ("all", "*", "any", "auto")  # words for all models
TASKS = (
    "a problem belongs to one task, so tasks cannot be compared on it; if tasks share problems, "
    "write set: {task: …}, and fill a column to compare by path or params"
)


class Entry(Figure, kw_only=True):
    """A pairwise figure in config.yaml."""

    LOOK: ClassVar[set[str]] = {"form", "sort", "palette"}

    measure: str = "progress"
    """What both axes show, 0 to 1; repeats of an instance are averaged."""
    models: list[Word]
    """Values of `compare` to compare, each with each; at least two."""
    compare: str = "model"
    """The column whose values are compared."""
    join: list[str] = msgspec.field(default_factory=lambda: ["sample_id"])
    """Columns that two samples of the same instance share."""
    bins: int | None = None
    """Bins along each axis, at most 100 in panels and 25 on a board; by default ten, or two if each
    instance is right or wrong."""
    form: Literal["board", "panels"] | None = None
    """`board`: one matrix of all pairs (by default for three models or more); `panels`: a panel for
    each pair."""
    value: Literal["difference", "win_rate"] = "difference"
    """What a board shows: the mean difference, or the percent of instances that the model of the
    column wins, ties counted half."""
    sort: Literal["value", "config"] | None = None
    """Order of models on a board: by their mean (by default), or as `models` lists them."""
    palette: str | list[str] = ""
    """A name, or hex colours; by default lagoon, or poles on a board with leads of both signs or
    with win rates (around 50)."""

    @property
    def values(self) -> dict[str, Word]:
        """Name of each of the `models` in the grid → its value, which may be a number."""
        return {str(value): value for value in self.models}

    @property
    def titles(self) -> dict[str, str]:
        """The same → what the figure calls it: a number with its column."""
        values = self.values
        column = wording.column(self.compare, self.labels)
        plain = [v if isinstance(v, str) else f"{column} {name}" for name, v in values.items()]
        titles = self.called(self.compare, list(values.values()), plain)
        return {name: titles[value] for name, value in values.items()}

    @property
    def units(self) -> str:
        """What varies independently."""
        return "problems" if self.family is None else "families"

    @property
    def question(self) -> Question:
        """What is counted: each model against each other, on a scale from 0 to 1."""
        return Question.of(
            self,
            encoding=Encoding(x=AGAINST, y=self.compare, color=f"{self.value}({self.measure})"),
            keys={"x": "", "y": "compare", "color": "measure", "note": "", "values": "models"},
            where={**self.where, self.compare: list(self.models)},
            pool=["task"], sort={}, ranges={},
        )  # fmt: skip

    def definitions(self) -> list[Definition]:
        """What its numbers are, for `trace` and `verify`."""
        return self.question.definitions()

    def called(
        self, column: str, values: Sequence[Any], plain: Sequence[str] = ()
    ) -> dict[Any, str]:
        if column == AGAINST:
            column = self.compare
        return super().called(column, values, plain)

    @property
    def axis(self) -> str:
        """Title of the measure, with the range of the logs where that is brought to 0–1."""
        name = wording.column(self.measure, self.labels)
        if self.rescaled:
            return f"{name} ({self.rescaled})"
        return name

    @property
    def rescaled(self) -> str:
        """The range of the logs that is brought to 0–1; empty where there is none."""
        unit = units.logged_unit(f"mean({self.measure})", self.ranges)
        if unit:
            return f"{'–'.join(show(end, TICK) for end in unit.ends)} as 0–1"
        return ""

    @property
    def board(self) -> bool:
        if self.form is None:
            return len(self.models) > 2
        return self.form == "board"

    @property
    def win_rates(self) -> bool:
        return self.value == "win_rate"

    def used(self) -> NamedColumns:
        joined = {f"join[{n}]": column for n, column in enumerate(self.join)}
        return super().used() | {"compare": self.compare} | joined

    def required(self) -> ListedValues:
        return super().required() | {"models": (self.compare, list(self.models))}

    def spelled(self) -> ListedValues:
        values = super().spelled()
        if self._are_all:
            return {k: v for k, v in values.items() if k != "models"}
        return values

    @property
    def _are_all(self) -> bool:
        return len(self.models) == 1 and str(self.models[0]).casefold() in ALL

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        models = of_kind(self.models, types.get(self.compare))
        return msgspec.structs.replace(super().fitted(types), models=models)

    def selected(self) -> dict[str, Choice]:
        return super().selected() | {self.compare: Choice(self.models)}

    def measured(self) -> dict[str, str]:
        return {"measure": self.measure}

    def shows(self) -> str:
        titles = self.titles.values()
        models = ", ".join(titles)
        if self.board and len(self.models) > LISTED:  # the order of the board names them
            models = numbered(len(self.models), wording.column(self.compare, self.labels).lower())
        return self.caption or f"{self.axis} of {models}, pair by pair"

    def mistakes(self) -> list[Mistake]:
        join = self.join
        models = self.models
        twice = {name for name in join if join.count(name) > 1}
        fault = None
        if self.family is not None:
            apart = "" if "sample_id" in join else "is for sample_id, which is not in join"
            fault = family_fault(self.family) or apart
        forms = "; ".join(f"form: {name} draws {n}" for name, n in MOST_BINS.items())
        most = len(models)
        if self.board and not refused("", venues.width, self.width):
            most = int(CELLS * venues.width(self.width) / SMALLEST)
        compared = f"{self.compare!r} is compared, so samples to compare do not share it; remove it"
        faults = [
            (".join", not join, "is an empty list: name what two samples share, such as sample_id"),
            *((".join", True, f"{name!r} occurs twice") for name in sorted(twice)),
            (".join", self.compare in join, compared),
            (".compare", self.compare == "task", TASKS),
            (".family", fault, f"{self.family!r} {fault}"),
            # Where a word stands for all models, the logs tell which there are.
            (".models", not self._are_all and len(set(models)) < max(len(models), 2),
             f"{models!r} is not two or more different models"),
            (".bins", self.bins is not None and self.bins < 1, f"{self.bins} is not 1 or more"),
            (".bins", (self.bins or 0) > MOST_BINS["board" if self.board else "panels"],
             f"{self.bins} along an axis are too small to see; {forms} at most"),
            (".sort", not self.board and self.sort is not None,
             f"{self.sort!r} is for a board alone (form: board)"),
            (".value", not self.board and self.win_rates,
             f"{self.value!r} is for a board alone (form: board)"),
            (".models", len(models) > most,
             f"{len(models)} are too many: {self.width!r} has room for {most}"),
        ]  # fmt: skip
        return [
            *super().mistakes(),
            *(Mistake(key, why) for key, occurs, why in faults if occurs),
            *refused(".palette", colour.palette, self.palette or colour.USUAL),
        ]
