"""pairwise: each model against each other on the same instances, as a board or as panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.charts import colour, wording
from heatproof.config import venues
from heatproof.config.entries import Figure, Word, family_fault, of_kind, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config.roles import Type

PALETTES = {"count": "viridis", "difference": "dusk"}

CELLS = 0.6
"""Part of a board's width that its squares have at least."""
SMALLEST = 7.0
"""Side of a square and the gap beside it at least, in pt, so that each row has its name."""

TASKS = (
    "a problem is of one task, so that 'task' has no two values of it; where tasks share their "
    "problems, set: {task: …} makes them one, and path or params fill a column to compare"
)


class Entry(Figure, kw_only=True):
    """A pairwise figure in config.yaml."""

    measure: str = "progress"
    """What both axes show, 0 to 1: the mean over the repeats of an instance."""
    models: list[Word]
    """Values of `compare`, each against each; at least two."""
    compare: str = "model"
    """The column whose values are compared."""
    join: list[str] = msgspec.field(default_factory=lambda: ["sample_id"])
    """Columns that say that two samples are of the same instance."""
    family: str | None = None
    """A regular expression whose one group names, in the id of a sample, the family it is of:
    variants of one template are not independent, and the family becomes the unit."""
    bins: int | None = None
    """Bins along each axis; without, ten, or two where each instance is right or wrong."""
    form: Literal["board", "panels"] | None = None
    """One matrix of all pairs, or a panel for each; without, panels for two models alone."""
    sort: Literal["value", "config"] | None = None
    """The order of models on a board: by their mean lead, which it is without, or as given."""
    color: Literal["count", "difference"] | None = None
    """What colour says in panels: how many instances, or the mean of x − y; without, how many."""
    scale: Literal["log", "linear"] | None = None
    """Of the colours of counts; without, log, or linear where there are two bins along an axis."""
    points: bool | None = None
    """Draw single instances over the counts of panels, where the grid has them; without, they
    are."""
    palette: str | list[str] = ""
    """A name, or hex colours."""
    footer: bool = True
    """Lines below it that say what its marks mean."""
    id: bool = True
    """The id in its corner; the record stays in the file."""
    columns: int | None = None
    """Panels in a row, or fewer where they would be too small; without, three at most."""

    @property
    def named(self) -> dict[str, Word]:
        """What each of the `models` is called, and its value: windows are compared as well."""
        return {str(value): value for value in self.models}

    @property
    def titles(self) -> dict[str, str]:
        """The same with what the figure calls it: a number says nothing without its column."""
        values, column = list(self.named.values()), wording.column(self.compare, self.labels)
        plain = [v if isinstance(v, str) else f"{column} {name}" for name, v in self.named.items()]
        found = self.called(self.compare, values, plain)
        return {name: found[value] for name, value in self.named.items()}

    @property
    def units(self) -> str:
        """What varies independently: that of which a pair has many."""
        return "problems" if self.family is None else "families"

    @property
    def axis(self) -> str:
        """What the measure is called."""
        return wording.column(self.measure, self.labels)

    def used(self) -> dict[str, str]:
        joined = {f"join[{n}]": column for n, column in enumerate(self.join)}
        return super().used() | {"compare": self.compare} | joined

    def wanted(self) -> dict[str, tuple[str, list[Word]]]:
        return super().wanted() | {"models": (self.compare, [*self.models])}

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        models = of_kind(self.models, types.get(self.compare))
        return msgspec.structs.replace(super().fitted(types), models=models)

    def shown(self) -> dict[str, list[Word]]:
        return super().shown() | {self.compare: [*self.models]}

    def measured(self) -> dict[str, str]:
        return {"measure": self.measure}

    def shows(self) -> str:
        models = ", ".join(self.titles.values())
        return self.caption or f"{self.measure} of {models}, each against each"

    def drawing(self) -> set[str]:
        own = {"form", "sort", "color", "scale", "points", "palette", "columns", "footer", "id"}
        return super().drawing() | own

    def count_scale(self, verdicts: bool) -> Literal["log", "linear"]:
        """Of the colours of counts; `verdicts`: whether each instance is right or wrong."""
        return self.scale or ("linear" if verdicts else "log")

    @property
    def board(self) -> bool:
        """Whether it is drawn as a board."""
        return len(self.models) > 2 if self.form is None else self.form == "board"

    @property
    def sorted(self) -> Literal["value", "config"]:
        """The order of models on a board."""
        return self.sort or "value"

    @property
    def reading(self) -> Literal["count", "difference"]:
        """What colour says in panels."""
        return self.color or "count"

    @property
    def things(self) -> str:
        """What is compared one by one: problems, unless more than their ids is joined."""
        return "problems" if {*self.join} <= {"sample_id", "task"} else "instances"

    def _mistaken_form(self) -> Iterator[str]:
        """Keys of the other form, and more models than a board has room for."""
        if not self.board:
            if self.sort is not None:
                yield f".sort: {self.sort!r} is how a board is sorted (form: board)"
            return
        of_panels = {"color": self.color, "points": self.points, "columns": self.columns}
        for key, value in of_panels.items():
            if value is not None:
                shown = str(value).lower() if isinstance(value, bool) else repr(value)
                yield f".{key}: {shown} is of panels (form: panels); this figure is a board"
        if self._size():
            return
        most = int(CELLS * venues.width(self.width) / SMALLEST)
        if len(self.models) > most:
            yield f".models: {len(self.models)} are too many: {self.width!r} has room for {most}"

    def _mistaken_columns(self) -> Iterator[str]:
        """What is wrong with the columns that say what is compared, and on what."""
        if not self.join:
            yield ".join: names no column, so that nothing says what two samples share"
        for column in sorted({name for name in self.join if self.join.count(name) > 1}):
            yield f".join: {column!r} stands there twice"
        if self.compare in self.join:
            yield f".join: {self.compare!r} is compared, so no two samples to compare share it"
        if self.compare == "task":
            yield f".compare: {TASKS}"

    def mistakes(self) -> list[str]:
        found = super().mistakes()
        found += self._mistaken_columns()
        if self.family is not None:
            wrong = family_fault(self.family)
            if not wrong and "sample_id" not in self.join:
                wrong = "is found in sample_id, which is not under join"
            found += [f".family: {self.family!r} {wrong}"] if wrong else []
        if len(set(self.models)) < max(len(self.models), 2):
            found.append(f".models: {self.models!r} is not two or more different models")
        if self.bins is not None and self.bins < 1:
            found.append(f".bins: {self.bins} is not 1 or more")
        if self.columns is not None and self.columns < 1:
            found.append(f".columns: {self.columns} is not 1 or more")
        found += self._mistaken_form()
        return found + refused(".palette", colour.palette, self.colours)

    @property
    def colours(self) -> str | list[str]:
        """The palette asked for, or the usual one of what colour says."""
        return PALETTES[self.reading] if self.palette == "" else self.palette
