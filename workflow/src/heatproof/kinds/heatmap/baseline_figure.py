"""A heatmap whose baseline is another figure of the config: what both must have in common.

Each cell is compared with the one at the same place of the other figure, on the problems that both
hold. What the other shows is taken over into the entry (`base`), so that a grid, a record and a
trace know it without the config.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from heatproof.config.entries import Figure
    from heatproof.kinds.heatmap.entry import Entry

KEY = "figure"
"""Under `relative_to`, where no column is called so."""
TAKEN = ("name", "kind", "source", "where", "encoding", "panel", "row", "column", "mean_over",
         "pool", "family", "ranges")  # fmt: skip
"""What of the other figure says what its cells are."""


def block(other: Figure) -> dict[str, Any]:
    """What says which samples lie in the cells of another figure, as plain values."""
    plain = msgspec.to_builtins(other)
    return {name: plain[name] for name in TAKEN if name in plain}


def faults(entry: Entry, figures: Mapping[str, Figure], known: Iterable[str]) -> list[str]:
    """Why another figure can be no baseline: `.key: what is wrong`.

    `figures`: those without mistakes; `known`: names of all, each of which has its own told.
    """
    name, place = entry.other, f".relative_to.{KEY}"
    if name is None:
        return []
    if name not in figures:
        rest = [one for one in known if one != entry.name]
        return [] if name in rest else [f"{place}: {name!r} is not a figure; {choices(name, rest)}"]
    other: Any = figures[name]
    if other.kind != entry.kind:
        return [f"{place}: {name!r} is a {other.kind}, whose cells lie otherwise; name a heatmap"]
    if other.relative_to:
        return [f"{place}: {name!r} has a baseline of its own; name one without relative_to"]
    return [f"{place}: {name!r} {fault}" for fault in _unlike(entry, other)]


def _unlike(entry: Entry, other: Entry) -> list[str]:
    """In what the cells of two figures differ, so that none is the baseline of another."""
    pairs = {
        "x": (entry.encoding.x, other.encoding.x),
        "y": (entry.encoding.y, other.encoding.y),
        "color": (entry.encoding.color, other.encoding.color),
        "panels": (sorted(entry.panels), sorted(other.panels)),
        "mean_over": (entry.mean_over, other.mean_over),
        "source": (entry.source, other.source),
    }
    return [
        f"has {key} {_word(theirs)}, and this figure {_word(own)}: cells are compared that lie at "
        "the same place"
        for key, (own, theirs) in pairs.items()
        if own != theirs
    ]


def _word(given: Any) -> str:
    if isinstance(given, list):
        return ", ".join(map(repr, given)) or "none"
    return "none" if given is None else repr(given)
