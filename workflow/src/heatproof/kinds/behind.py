"""The records behind a number, and how a cell is named: `task=AIME24,ratio=0.3`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.config.naming import spelling
from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.config.entries import Word

SHOWN = (*roles.SETTINGS, *roles.KEY[1:])
"""Columns that say which answer a record grades."""


Recounted = tuple[str, float | None, float | None, bool]
"""Cell, its value, the one counted anew, whether all that was counted agrees."""


class Part(msgspec.Struct):
    """Some of the records: all of a cell, those of a task, or those of an instance."""

    title: str
    value: float | None
    samples: int
    epochs: int
    records: list[dict[str, Any]]


class Behind(msgspec.Struct):
    """A number of a figure with all that it was made of."""

    cell: dict[str, Any]
    metric: str
    value: float | None
    """As the grid has it."""
    samples: int
    epochs: int
    counted: float | None
    """The same counted anew from `parts`."""
    agrees: bool | None
    """Whether value, problems and epochs counted anew are those of the grid; None: not counted."""
    parts: list[Part]
    note: str = ""
    """What is not told, and why."""
    changed: list[str] = []
    """Logs that are not as they were when the figure was made, in words."""
    grown: list[str] = []
    """Logs to which more was added since; they were read as far as they were. In words."""
    unread: list[str] = []
    """Logs that could not be read again: their records are as the samples table has them."""
    gap: str = ""
    """Why there is no value by the records; empty where there is one."""
    failed: list[str] = []
    """Where there is no record: the logs that were to hold some."""
    asked: str = ""
    """Where not all problems of a data set were asked for: how many, in words."""
    expected: int | None = None
    """Records that a complete run would hold; None where the kind does not know."""


def parse(text: str) -> dict[str, str]:
    """`task=a,ratio=0.3` as names and values; a value may hold commas.

    Raises:
        Error: a part has no `=`.
    """
    found: dict[str, str] = {}
    for part in re.split(r",(?=[^,=]+=)", text) if text else []:
        name, equals, value = part.partition("=")
        if not equals:
            raise Error(f"--cell: {part!r} is not name=value")
        found[name.strip()] = value.strip()
    return found


def pick(
    name: str, given: str | None, values: Iterable[Any], called: Mapping[Any, str] = {}
) -> Any:
    """The one of `values` that is meant; where there is only one, it need not be given.

    `called`: value → what the figure calls it, which will do as well.

    Raises:
        Error: none is, or there are several and none is given.
    """
    known = list(values)
    if given is None:
        if len(known) == 1:
            return known[0]
        raise Error(f"--cell: which {name}? {choices('', map(spelling, known))}")
    for value in known:
        words = str(value), spelling(value), called.get(value)
        right = given in (*words, spreadsheet.guarded(words[0]))
        if right or (_is_number(value) and _number(given) == value):
            return value
    raise Error(f"--cell: {name}={given}: {choices(given, map(spelling, known))}")


def require_known(wanted: Mapping[str, str], keys: Sequence[str]) -> None:
    """Raises Error where a name is not one of those that tell cells apart."""
    for name in wanted:
        if name not in keys:
            raise Error(f"--cell: {name!r} does not tell cells apart; {choices(name, keys)}")


def where(wanted: Mapping[str, Word | list[Word]]) -> pl.Expr:
    """The condition under which a sample belongs to a figure."""
    tests = [
        pl.col(column).is_in(value if isinstance(value, list) else [value])
        for column, value in wanted.items()
    ]
    return pl.all_horizontal(tests) if tests else pl.lit(value=True)


def as_dicts(rows: pl.DataFrame, measure: str) -> list[dict[str, Any]]:
    """The records as plain values: place, answer, and what was measured as `value`."""
    shown = [*roles.PLACE, *SHOWN, pl.col(measure).alias("value")]
    return ordered(rows).select(shown).to_dicts()


def ordered(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows in the order in which they are told; one record may hold several."""
    return rows.sort("task", *roles.PLACE[:-1], *roles.KEY[1:])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
