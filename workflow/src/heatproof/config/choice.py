"""Which values of a column `where` keeps: one, those of a list, or all but some (`not`).

Samples, runs and recounts choose by a `Choice` alone, so that all of them keep the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.config import hints
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Word = str | int | float | bool


class LeftOut(msgspec.Struct, frozen=True):
    """All values of a column but some."""

    CURE: ClassVar[str] = hints.OTHERS
    """What to write for a mapping that has no key of this one."""

    not_: Word | list[Word] = msgspec.field(name="not")
    """The value, or values, to leave out; all others are kept."""


Written = Word | list[Word] | LeftOut
"""What config.yaml writes for a column under `where`."""


@dataclass(frozen=True)
class Choice:
    """The values of a column that are kept; None stands for no value."""

    values: Sequence[Word | None]
    leaves_out: bool = False
    """Whether all are kept but `values`."""
    is_single: bool = False
    """Whether it is one value, which all that is kept has in common."""

    @classmethod
    def read(cls, written: Written | None) -> Choice:
        """The choice as config.yaml, or a cell, writes it."""
        if isinstance(written, LeftOut):
            words = written.not_
            return cls(words if isinstance(words, list) else [words], leaves_out=True)
        if isinstance(written, list):
            return cls(written)
        return cls([written], is_single=True)

    @property
    def named(self) -> list[Word]:
        """Its values, without None."""
        return [value for value in self.values if value is not None]

    @property
    def key(self) -> str:
        """The rest of the key, behind the column, below which its values stand."""
        return ".not" if self.leaves_out else ""

    def words(self, column: str) -> str:
        """What is chosen, for a message."""
        sign = "≠" if self.leaves_out else "="
        return f"{column}{sign}{', '.join(map(str, self.values))}"

    def keeps(self, value: object) -> bool:
        """Whether a value is kept."""
        return (value in self.values) != self.leaves_out

    def test(self, column: str) -> pl.Expr:
        """The same, of each row."""
        values = pl.col(column)
        words = self.named
        tests = [values == value for value in words]
        if len(words) > 1:
            tests = [values.is_in(words)]
        if len(words) < len(self.values):
            tests.append(values.is_null())
        is_named = pl.any_horizontal(tests).fill_null(value=False)
        return ~is_named if self.leaves_out else is_named

    def including(self, value: Word | None) -> Choice:
        """The choice that keeps a further value."""
        if self.keeps(value):
            return self
        if self.leaves_out:
            return Choice([word for word in self.values if word != value], leaves_out=True)
        return Choice([*self.values, value])


def read_choices(chosen: Mapping[str, Written | None]) -> dict[str, Choice]:
    """Column → what is kept of it."""
    return {column: Choice.read(written) for column, written in chosen.items()}


def single_values(written: Mapping[str, Any]) -> dict[str, Any]:
    """Column → its one value, of those columns of which `written` keeps one."""
    return {column: v for column, v in written.items() if Choice.read(v).is_single}


def left_out(written: Mapping[str, Written]) -> dict[str, Sequence[Word | None]]:
    """Column → the values that are left out of it."""
    choices = read_choices(written)
    return {column: choice.values for column, choice in choices.items() if choice.leaves_out}


def conditions_of(values: Mapping[str, Any]) -> pl.Expr:
    """Whether a row has these values: column → one, one of a list, all but some, or none (None)."""
    tests = [pl.lit(value=True)]
    for column, choice in read_choices(values).items():
        tests.append(choice.test(column))
    return pl.all_horizontal(tests)
