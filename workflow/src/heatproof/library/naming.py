"""Columns of a table that are called as ours are: within, while a figure is made, otherwise."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.config.entries import Figure

OURS = (*roles.SETTINGS, "sample_id", "epoch", "score")
"""Columns that tables of users have under our names."""
VALUES = (
    "encoding", "panel", "row", "column", "mean_over", "pool", "annotate", "compare", "join",
    "measure",
)  # fmt: skip
"""Keys of a figure whose values are columns, or metrics of columns."""
KEYS = ("where", "labels", "names", "sort", "groups", "relative_to", "highlight")
"""Keys of a figure below which columns are keys."""
OF = re.compile(r"(?<=\()\w+(?=\)$)")
"""The column in a metric."""


def free(name: str, taken: Collection[str]) -> str:
    """A name that none of the columns has."""
    return name if name not in taken else free(f"{name}_", taken)


def names_within(columns: Collection[str], *, samples: bool) -> dict[str, str]:
    """Column → what it is called within, for those whose names would be taken for ours.

    `samples`: whether the table is one of ours, in which our names are right.
    """
    right = roles.OWN if samples else OURS
    clashing = [name for name in columns if name in roles.TAKEN and name not in right]
    return {name: free(f"{name}_", {*columns, *roles.TAKEN}) for name in clashing}


def renamed(entry: Figure, names: Mapping[str, str]) -> Figure:
    """The figure of columns that are called otherwise; it shows them under their own names."""
    if not names:
        return entry
    block, metrics, numbers = msgspec.to_builtins(entry), entry.metrics(), entry.measured().values()
    block |= {key: _value(block[key], key, names, metrics) for key in VALUES if key in block}
    block |= {key: _keyed(block[key], names) for key in KEYS if block.get(key)}
    labels = {
        inside: name.replace("_", " ") if name in numbers else wording.column(name, {})
        for name, inside in names.items()
    }
    return msgspec.convert(block | {"labels": labels | block["labels"]}, type(entry))


def _value(given: Any, place: str, names: Mapping[str, str], metrics: Collection[str]) -> Any:
    """What a key says of columns; at the places of `metrics` are these."""
    if isinstance(given, list):
        return [_value(item, place, names, metrics) for item in given]
    if isinstance(given, dict):
        return {k: _value(item, f"{place}.{k}", names, metrics) for k, item in given.items()}
    if not isinstance(given, str):
        return given
    return _of(given, names) if place in metrics else names.get(given, given)


def _keyed(given: Any, names: Mapping[str, str]) -> Any:
    if isinstance(given, list):
        return [_keyed(item, names) for item in given]
    return {names.get(key, _of(key, names)): item for key, item in given.items()}


def _of(metric: str, names: Mapping[str, str]) -> str:
    return OF.sub(lambda match: names.get(match[0], match[0]), metric)


@contextmanager
def told_outside(names: Mapping[str, str]) -> Iterator[None]:
    """Mistakes name columns as the user's table does."""
    try:
        yield
    except Error as error:
        own = {inside: name for name, inside in names.items()}
        words = re.compile(rf"\b({'|'.join(map(re.escape, own))})\b")
        if not own:
            raise
        raise Error(
            [
                m.restated(lambda text: words.sub(lambda match: own[match[0]], text))
                for m in error.mistakes
            ]
        ) from None
