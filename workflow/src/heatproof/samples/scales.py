"""Values as their logs have them, where the `range` of a source brought them to 0–1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Scale = Sequence[float]
    """What 0 and 1 are in the log."""

DIGITS = 12
"""Of a number that is brought back: the last ones are what brought it to 0–1."""


class Unfit(Error):
    """A value of a log that a figure cannot show; told as it stands there if its scale is known."""

    def __init__(self, column: str, words: Callable[[Callable[[float], str]], str]) -> None:
        """`words` makes the message, by what spells a value of a `column`."""
        super().__init__(words(lambda value: f"{value:.{DIGITS}g}"))
        self._column, self._words = column, words

    def on(self, scales: Mapping[str, Scale]) -> Error:
        """The same with values on the scale of the log; `scales`: of columns that have one."""
        low, high = scales.get(self._column) or (0.0, 1.0)
        return Error(self._words(lambda value: f"{low + value * (high - low):.{DIGITS}g}"))


def of(source: Mapping[str, Any]) -> dict[str, Scale]:
    """Column → what its 0 and 1 are in the logs of a source, given by its plain values."""
    told = source.get("range") or {}
    return {**told} if isinstance(told, dict) else {"score": told}
