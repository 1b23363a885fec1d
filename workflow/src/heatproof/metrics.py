"""Metrics: the words `pass@k`, `pass^k` and `mean(column)`."""

from __future__ import annotations

import re
from typing import NamedTuple

from heatproof.util.errors import Error

SHAPE = re.compile(r"pass(?P<how>[@^])(?P<k>[1-9]\d*)|mean\((?P<of>\w+)\)")


class Metric(NamedTuple):
    """A number made of many graded samples: `pass@k` of the score, or the mean of a column."""

    word: str
    of: str
    k: int | None = None
    every: bool = False
    """Whether all k samples of a problem are to be right (`pass^k`), and not one at least."""

    @property
    def is_share(self) -> bool:
        """Whether the metric lies between 0 and 1 and reads best in percent."""
        return self.of in ("score", "progress")


def metric(word: str) -> Metric:
    """The metric that a word in `encoding.color` stands for.

    Raises:
        Error: the word is none of these.
    """
    match = SHAPE.fullmatch(word.replace(" ", ""))
    if match is None:
        known = "pass@k, pass^k (k = 1, 2, …) and mean(column)"
        raise Error(f"{word!r} is not a metric; there are {known}")
    if match["of"]:
        return Metric(word, match["of"])
    return Metric(word, "score", int(match["k"]), match["how"] == "^")


def is_share(word: str) -> bool:
    """Whether the metric lies between 0 and 1 and reads best in percent."""
    return metric(word).is_share
