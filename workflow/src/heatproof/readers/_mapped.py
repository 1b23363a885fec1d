"""The keys of config.yaml that map records of any layout to columns, and what can be wrong."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

import msgspec

from heatproof.config import roles
from heatproof.config.entries import Columns, Param, Source, Word, unfit
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.readers import _mistakes
from heatproof.readers._fields import GRADED, KEY, ROW, kind, shared
from heatproof.readers._grading import Grade  # noqa: TC001 - msgspec looks it up
from heatproof.util.errors import Error, choices

COUNTED = {
    ROW: "its number in the log",
    KEY: "its key in the object that holds the records, or its number in the list",
}
"""What stands for the number of a record, in words."""
IDENTITY = (*roles.SETTINGS, *roles.KEY[1:], *roles.KEY[:1])


class Mapped(Source, kw_only=True):
    """Keys of a source whose records have any layout."""

    fields: dict[str, str] = {}
    """model, task, sample_id, epoch, scorer, run, score → place in the record (`a.b`, `a.0`).

    `$row` is the number of the record, where all logs have the same problems in the same order.
    """
    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and place in the record."""
    measures: dict[str, str] = {}
    """Further numbers (progress, tokens, …) → place in the record."""
    path: str = ""
    """A regular expression searched in the log's path; its named groups fill columns."""
    set: dict[str, Word] = {}
    """Columns that are the same for all records."""
    range: dict[str, list[float]] = {}
    """Score or measure → its lowest and highest value, brought to 0 and 1."""
    verdicts: dict[str, float] = {}
    """Scores that are texts: what each stands for, from 0 to 1."""
    grade: Grade | None = None
    """For logs without a score: how the `answer` in `fields` is compared with the `target`."""
    empty: Literal["refuse", "wrong"] = "refuse"
    """An empty answer has no grade, or is a wrong one."""

    numbers: ClassVar[str] = ROW
    """What stands in `fields` for the number of a record."""

    def columns(self) -> Columns:
        return Columns.of(Param.all(self.params), list(self.measures))

    def repeated(self) -> str:
        told = {*self.fields, *self.set, *re.compile(self.path).groupindex}
        hint = f"`fields: {{epoch: {self.numbers}}}`"
        return "" if "epoch" in told or self.exploded() else hint

    def told(self, path: str) -> dict[str, Any] | None:
        try:
            return shared(self, path)
        except Error:
            return None

    def param(self, name: str) -> Param:
        return Param.of(self.params[name])

    def mistakes(self) -> list[str]:
        """What is wrong with the map beyond the types of its keys."""
        try:
            groups = set(re.compile(self.path).groupindex)
        except re.error as error:
            return [f".path: {self.path!r} is not a regular expression: {error}"]
        standard = [*IDENTITY, "score", *GRADED]
        constant = [*IDENTITY, *self.params]
        numbers = ["score", *self.measures]
        problems = [
            f".{key}.{name}: {name!r} is not a column; {choices(name, valid)}"
            for key, names, valid in (
                ("fields", self.fields, standard),
                ("path", groups, constant),
                ("set", self.set, constant),
                ("range", self.range, numbers),
            )
            for name in names
            if name not in valid
        ]
        problems += [
            f".fields.{name}: {'path' if name in groups else 'set'} fills {name!r} too; keep one"
            for name in self.fields
            if name in {*groups, *self.set}
        ]
        problems += _mistakes.of_numbers(self.fields, self.numbers)
        for name in self.set:
            if name in constant:
                problems += unfit(self.set[name], kind(self, name), f".set.{name}")
        for name, param in Param.all(self.params).items():
            problems += [f".params.{name}{problem}" for problem in param.mistakes()]
        for name, ends in self.range.items():
            if len(ends) != 2 or ends[0] >= ends[1]:
                problems.append(f".range.{name}: {ends} is not [lowest, highest]")
        if "sample_id" not in {*self.fields, *groups, *self.set}:
            problems.append(
                ".fields: needs 'sample_id', the place of a problem's id in a record"
                f" ({self.numbers!r}: {COUNTED[self.numbers]})"
            )
        filled = {*self.fields, *self.exploded()}
        problems += _mistakes.of_verdicts(self.verdicts, filled, self.range)
        problems += _mistakes.of_grades(self.grade, filled)
        return super().mistakes() + problems

    def libraries(self) -> list[str]:
        return ["math-verify"] if self.grade == "math" else []

    def exploded(self) -> list[str]:
        """Columns of which a record holds a list, one item an epoch."""
        return []


class Lists(msgspec.Struct):
    """Records that hold several epochs, as lists side by side."""

    lists: list[str]
    """Names in `fields` or `measures` whose places hold lists: score, answer, …

    A place like `samples.*.score` is that of each object in the list `samples`.
    """


class Listed(Mapped, kw_only=True):
    """Keys of a source of JSON records."""

    epochs: Lists | None = None

    def exploded(self) -> list[str]:
        return self.epochs.lists if self.epochs else []

    def mistakes(self) -> list[str]:
        known = [*self.fields, *self.measures]
        problems = [
            f".epochs.lists: {name!r} is not among fields and measures; {choices(name, known)}"
            for name in self.exploded()
            if name not in known
        ]
        if "epoch" not in self.exploded():
            problems += _mistakes.of_lists(self.fields, self.exploded())
        if self.exploded() and "epoch" in self.fields:
            problems.append(".fields.epoch: the place in the lists is the epoch")
        params = {name: param.field or name for name, param in Param.all(self.params).items()}
        given = {"fields": self.fields, "measures": self.measures, "params": params}
        places = {
            f"{k}.{name}": place for k, named in given.items() for name, place in named.items()
        }
        problems += _mistakes.of_places(places, self.exploded())
        return super().mistakes() + problems
