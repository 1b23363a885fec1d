"""How public functions are called: the values that scripts hand over, and what they are told."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from heatproof.config.configuration import plain_data
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from heatproof.util.errors import Mistake

PACKAGE = __name__.partition(".")[0]
Params = ParamSpec("Params")
Result = TypeVar("Result")


def brief(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """A function whose mistakes are the caller's: a traceback shows the call, not what is within.

    The message says all; a notebook showed it below eight frames of ours.
    """

    @wraps(function)
    def called(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except Error as error:
            raise error.with_traceback(None) from None

    return called


def warn(text: str) -> None:
    """A warning at the line of the script that called one of our functions."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def require_mapping(key: str, given: object, form: str) -> None:
    """Refuse what is no dict; `form`: one, as it is written.

    Raises:
        Error: it is none.
    """
    if not isinstance(given, Mapping):
        raise Error(f"{key}: {given!r} is not a dict; write {key}={form}")


def plain(given: Any) -> Any:
    """What a script says in place of config.yaml, as YAML would have it.

    Tuples, numpy arrays and columns of tables are lists, and numpy's numbers are Python's.
    """
    if isinstance(given, Mapping):
        return plain_data({key: plain(value) for key, value in given.items()})
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(given, name):
            return plain(getattr(given, name)())
    if isinstance(given, list | tuple):
        return [plain(value) for value in given]
    return plain_data(given)


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
