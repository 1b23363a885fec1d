"""What values are called in a figure: a model, a task, a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config.check import is_bare_exponent
from heatproof.util.errors import Error
from heatproof.util.numerals import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def spelling(value: object) -> str:
    """A value as a key of `names`: 1 and 1.0 are the same, and so are 1e-5 and 0.00001."""
    if isinstance(value, bool):
        return str(value).lower()
    number = float(value) if is_bare_exponent(value) else value
    return repr(number).removesuffix(".0") if isinstance(number, float) else str(number)


def called(
    values: Sequence[Any], names: Mapping[str, str], place: str, plain: Sequence[str] = ()
) -> dict[Any, str]:
    """Value → what it is called: by `names`, else as in `plain`, else as numbers are printed.

    Raises:
        Error: two of them would be called the same; the message names both and the `place`.
    """
    distinct, spelled = list(dict.fromkeys(values)), {spelling(key): names[key] for key in names}
    found: dict[str, Any] = {}
    for value, word in zip(distinct, plain or words(distinct), strict=True):
        name = spelled.get(spelling(value), word)
        if name in found:
            raise Error(f"{place}: {found[name]!r} and {value!r} would both be called {name!r}")
        found[name] = value
    return {value: name for name, value in found.items()}
