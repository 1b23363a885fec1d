"""Metrics: the words `pass@k` and `mean(column)`."""

from __future__ import annotations

import re
from typing import NamedTuple

from heatproof.util.errors import Error

SHAPE = re.compile(r"pass@(?P<k>[1-9]\d*)|mean\((?P<of>\w+)\)")


class Metric(NamedTuple):
    """A number made of many graded samples: `pass@k` of the score, or the mean of a column."""

    word: str
    of: str
    k: int | None = None

    @property
    def is_share(self) -> bool:
        """Whether the metric lies between 0 and 1 and reads best in percent."""
        return self.of in ("score", "progress")


def metric(word: str) -> Metric:
    """The metric that a word in `encoding.color` stands for.

    Raises:
        Error: the word is neither pass@k nor mean(column).
    """
    match = SHAPE.fullmatch(word.replace(" ", ""))
    if match is None:
        raise Error(f"{word!r} is not a metric; there are pass@k (k = 1, 2, …) and mean(column)")
    return Metric(word, match["of"] or "score", int(match["k"]) if match["k"] else None)


def is_share(word: str) -> bool:
    """Whether the metric lies between 0 and 1 and reads best in percent."""
    return metric(word).is_share
