"""What config.yaml says of the sources and figures shown, key by key."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.util.structs import usual

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from heatproof.plan.plan import Plan


class Setting(NamedTuple):
    """What stands for a key, be it written or taken for granted."""

    value: Any
    required: bool
    """Whether it has to be written."""
    usual: Any = None
    """What is taken where nothing is written, if that is more than nothing."""


def settings(plan: Plan) -> dict[str, Setting]:
    """Key in config.yaml, such as `figures.r1-llama.encoding.x` → what stands for it.

    Defaults are told like what was written; what is empty is left out.
    """
    sources = {f"sources.{name}": plan.sources[name] for name in plan.shards}
    figures = {f"figures.{name}": entry for name, entry in plan.figures.items()}
    shown: dict[str, msgspec.Struct] = {**sources, **figures}
    return {key: one for place, entry in shown.items() for key, one in of_entry(place, entry)}


def of_entry(
    place: str, entry: msgspec.Struct, without: Collection[str] = ()
) -> Iterator[tuple[str, Setting]]:
    """The same of one entry, `place` being its key in config.yaml, `without` some of its parts."""
    values = msgspec.to_builtins(entry)
    for field in _fields(type(entry)):
        if field.name == "name" or field.name in without:
            continue  # the key says the name
        key = f"{place}.{field.name}"
        default = msgspec.to_builtins(None if field.required else usual(field))
        for leaf, value in _leaves(values[field.name], key):
            yield leaf, Setting(value, field.required, default if leaf == key else None)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name in value:
            yield from _leaves(value[name], f"{key}.{name}")
    elif value not in (None, "", []):
        yield key, value
