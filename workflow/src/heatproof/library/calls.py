"""How public functions are called: values and names of columns that scripts hand over, and what
they are told.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.config.configuration import plain_data
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

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


def brief(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """A function whose mistakes are the caller's: a traceback shows the call, not what is within.

    The message says all; a notebook showed it below eight frames of ours.
    """

    @wraps(function)
    def call(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except Error as error:
            raise error.with_traceback(None) from None

    return call


def warn(text: str) -> None:
    """A warning at the line of the script that called one of our functions."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def require_mapping(key: str, value: object, example: str) -> None:
    """Refuse what is no dict."""
    if not isinstance(value, Mapping):
        raise Error(f"{key}: {value!r} is not a dict; write {key}={example}")


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


def in_words_of(
    mistakes: Iterable[Mistake], entry: str, words: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Mistakes that name keys as they are given to a function, not as they stand in a config.

    Args:
        mistakes: what is wrong.
        entry: place of the block that the call stands for, such as `figures.it`.
        words: key of the config → argument of the call, such as `encoding.color` → `metric`.
    """
    lines = []
    for mistake in mistakes:
        text = mistake.sentence.removeprefix(entry).lstrip(".: ")
        for key in sorted(words, key=len, reverse=True):
            if text.startswith(key) and not text[len(key) :][:1].isidentifier():
                text = words[key] + text.removeprefix(key)
                break
        lines.append(text)
    return "\n".join(lines)


# ------------------------------ columns of a table that are called as ours are have other names
# while a figure is made


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that none of the columns has."""
    return name if name not in taken else free_name(f"{name}_", taken)


def names_within(columns: Collection[str], *, samples: bool) -> dict[str, str]:
    """Column → what it is called within, for those whose names would be taken for ours.

    `samples`: whether the table is one of ours, in which our names are right.
    """
    right = roles.OWN if samples else OURS
    clashing = [name for name in columns if name in roles.TAKEN and name not in right]
    return {name: free_name(f"{name}_", {*columns, *roles.TAKEN}) for name in clashing}


def renamed(entry: Figure, names: Mapping[str, str]) -> Figure:  # noqa: C901  the way of a block
    """The figure of columns that are called otherwise; it shows them under their own names."""
    if not names:
        return entry
    metrics, numbers = entry.metrics(), entry.measured().values()

    def metric(word: str) -> str:
        return IN_METRIC.sub(lambda match: names.get(match[0], match[0]), word)

    def value(item: Any, place: str) -> Any:
        if isinstance(item, list):
            return [value(part, place) for part in item]
        if isinstance(item, dict):
            return {key: value(part, f"{place}.{key}") for key, part in item.items()}
        if not isinstance(item, str):
            return item
        return metric(item) if place in metrics else names.get(item, item)

    def keyed(item: Any) -> Any:
        if isinstance(item, list):
            return [keyed(part) for part in item]
        return {names.get(key, metric(key)): part for key, part in item.items()}

    block = msgspec.to_builtins(entry)
    block |= {key: value(block[key], key) for key in VALUES if key in block}
    block |= {key: keyed(block[key]) for key in KEYS if block.get(key)}
    labels = {
        inside: name.replace("_", " ") if name in numbers else wording.column(name, {})
        for name, inside in names.items()
    }
    return msgspec.convert(block | {"labels": labels | block["labels"]}, type(entry))


@contextmanager
def in_own_names(names: Mapping[str, str]) -> Iterator[None]:
    """Mistakes name columns as the user's table does."""
    try:
        yield
    except Error as error:
        own = {inside: name for name, inside in names.items()}
        words = re.compile(rf"\b({'|'.join(map(re.escape, own))})\b")
        if not own:
            raise

        def restate(text: str) -> str:
            return words.sub(lambda match: own[match[0]], text)

        raise Error([mistake.restated(restate) for mistake in error.mistakes]) from None
