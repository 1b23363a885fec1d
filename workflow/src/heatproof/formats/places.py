r"""Places in config.yaml: what they may look like.

A place is keys and numbers of items joined by points, `a.b.0`. One that begins with `^` is of the
head of a log, not of each record: `^config.model` is `config.model` of what the list of records
lies in. A key of a record that itself begins with `^` is written `\^key`. Where `{model}` stands in
a place, a record has one for each model, and a row each: what stands in the key of the record fills
that column.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.config import roles

if TYPE_CHECKING:
    from collections.abc import Mapping

ROW = "$row"
"""In `fields`: the number of the record in its log, from 1."""
KEY = "$key"
"""In `fields`: the key of a record in the object that holds the records, or its place in a list."""
VALUE = "$value"
"""In `fields`: the record itself, where that is no object. `*.key`: of each object in the list that
it is."""
HEAD = "^"
"""Begins a place of the head."""
EACH = "*"
"""In a place: of each object in a list."""
POINT = "\x01"
"""In a place: a point within a key, as the name of a group may have; config.yaml has none such."""
ESCAPED = re.compile(r"\\+\^")
"""Begins a place of the record whose first key begins with `^`, with one backslash too many."""
GROUP = re.compile(r"\{(\w+)\}")

ANSWER = "answer"
GRADED = (ANSWER, "target")
"""Places in a record that are compared to grade it; no columns of the table, but for answers that
are kept (`Mapped.keeps_answers`)."""
VERDICT = "verdict"
"""A score that is a text until `verdicts` tell what it stands for."""
IDENTITY = (*roles.SETTINGS, *roles.KEY[1:], *roles.KEY[:1])
"""Columns that every source may have beside its score."""


def is_head(place: str) -> bool:
    """Whether a place is one of the head."""
    return place.startswith(HEAD)


def literal(place: str) -> str:
    """A place as it stands in a record or head: without the mark of the head, unescaped."""
    place = place.removeprefix(HEAD)
    return place[1:] if ESCAPED.match(place) else place


def group_pattern(place: str, column: str) -> re.Pattern[str]:
    """What keys fit a part of a place that has `{column}` in it."""
    before, _, after = place.partition(f"{{{column}}}")
    return re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)


def group_of(places: Mapping[str, str]) -> str:
    """The column that groups fill, of all places of a source; empty if records have no groups."""
    return next((match[1] for place in places.values() if (match := GROUP.search(place))), "")


def grouped_place(places: Mapping[str, str]) -> str:
    """The place that tells which groups a record has: that of score, answer, or first aggregate."""
    candidates = [places.get(f"fields.{name}", "") for name in ("score", "answer")]
    candidates += [place for where, place in places.items() if where.startswith("aggregates.")]
    return next(filter(GROUP.search, candidates), "")
