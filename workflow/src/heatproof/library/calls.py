"""How public functions are called: values and names of columns that scripts hand over, and words of
mistakes.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec

from heatproof.config import roles
from heatproof.config.configuration import plain_data
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from heatproof.config.entries import Figure
    from heatproof.util.errors import Mistake

PACKAGE = __name__.partition(".")[0]
Params = ParamSpec("Params")
Result = TypeVar("Result")

OURS = (*roles.SETTINGS, "sample_id", "epoch", "score")
"""Columns that tables of users have under our names."""
VALUES = (
    "encoding", "panel", "row", "column", "mean_over", "pool", "annotate", "compare", "join",
    "measure",
)  # fmt: skip
"""Keys of a figure whose values are columns, or metrics of columns."""
KEYS = ("where", "labels", "names", "sort", "groups", "relative_to", "highlight")
"""Keys of a figure below which columns are keys."""
IN_METRIC = re.compile(r"(?<=\()\w+(?=\)$)")
RENAMED = re.compile(rf"\b({'|'.join(roles.TAKEN)})_\b")
"""What a column is called while a figure is made that is called as one of ours."""


def public(
    place: str = "", words: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[Params, Result]], Callable[Params, Result]]:
    """A function whose mistakes are the caller's: told in words of the call, and a traceback ends
    there.

    Args:
        place: of the block of a config that the call stands for, such as `figures.it`.
        words: key of the config → argument of the call, such as `encoding.color` → `metric`.
    """

    def decorate(function: Callable[Params, Result]) -> Callable[Params, Result]:
        @wraps(function)
        def call(*args: Params.args, **kwargs: Params.kwargs) -> Result:
            try:
                return function(*args, **kwargs)
            except Error as error:
                mistakes = error.mistakes
            raise Error(in_words_of(mistakes, place, words))

        return call

    return decorate


def in_words_of(mistakes: Iterable[Mistake], place: str, words: Mapping[str, str]) -> str:
    """Mistakes that name keys as they are given to a function; arguments as of `public`."""
    lines = []
    for mistake in mistakes:
        text = mistake.sentence.removeprefix(place).lstrip(".: ")
        key = next((key for key in words if re.match(rf"{key}\b", text)), "")
        lines.append(RENAMED.sub(r"\1", words.get(key, "") + text.removeprefix(key)))
    return "\n".join(lines)


def warn(text: str) -> None:
    """A warning at the line of the script that called one of our functions."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def plain(value: Any) -> Any:
    """What a script says in place of config.yaml, as YAML would have it.

    Tuples, numpy arrays and columns of tables are lists, and numpy's numbers are Python's.
    """
    if isinstance(value, Mapping):
        return plain_data({key: plain(item) for key, item in value.items()})
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    return [plain(item) for item in value] if isinstance(value, list | tuple) else plain_data(value)


def renamed(entry: Figure, names: Mapping[str, str]) -> Figure:
    """The figure of columns that have other `names`."""

    def name(word: Any) -> Any:
        if isinstance(word, list):
            return [name(part) for part in word]
        if isinstance(word, dict):
            return {key: name(part) for key, part in word.items()}
        if not isinstance(word, str):
            return word
        return names.get(word) or IN_METRIC.sub(lambda match: names.get(match[0], match[0]), word)

    def with_keys(item: Any) -> Any:
        if isinstance(item, list):
            return [with_keys(part) for part in item]
        return {name(key): part for key, part in item.items()}

    block = msgspec.to_builtins(entry)
    block |= {key: name(block[key]) for key in VALUES if key in block}
    block |= {key: with_keys(block[key]) for key in KEYS if block.get(key)}
    return msgspec.convert(block, type(entry))
