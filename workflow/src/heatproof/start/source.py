"""What a source is written of, and the question that decides between two readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from heatproof.start.block import Line
    from heatproof.start.families import Family

Ask = Callable[[str, Sequence[str]], int | None]
"""A question and its answers → the number of the one chosen; None where nobody answers."""
LONG = 24
"""Characters of a value that is listed."""
SHOWN = 6
"""Values that are listed of a column."""


class Cannot(Error):
    """Why no source can be made of some files."""


class Found(NamedTuple):
    """A source."""

    family: Family
    lines: list[Line]
    """Its keys beyond `format` and `logs`."""
    told: list[tuple[str, str, str]]
    """Place, what was seen there, and what it became."""
    doubts: list[str]
    """What was not sure."""
    pooled: list[str]
    """Hyper-parameters that are repetitions, such as seeds."""
    versus: str = ""
    """The opponent, where a record is a game of two models."""
    strange: Mapping[str, str] = {}
    """Files that its format knows, and of which nothing can be drawn → why."""
    printed: list[str] = []
    """Aggregates that have a figure each, where records hold such."""


def listed(values: Sequence[Any]) -> str:
    """Values in a few words."""
    shown = [short(value) for value in values]
    more = f" … {shown[-1]}, {len(shown)} in all" if len(shown) > SHOWN else ""
    return ", ".join(shown[: SHOWN - 1 if more else SHOWN]) + more


def seen(values: Sequence[Any]) -> str:
    """The different values of a column in a few words, with what they are."""
    told = list(dict.fromkeys(value for value in values if value is not None))
    if all(isinstance(value, bool) for value in told):
        return listed([str(value).lower() for value in told])
    kind = "text"
    if all(isinstance(value, int | float) for value in told):
        kind = "whole" if all(isinstance(value, int) for value in told) else "number"
        told = sorted(told)
    return f"{kind} {listed(told)}"


def short(value: Any) -> str:
    """A value as it stands in a list of such."""
    text = terminal.name(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
