"""Columns side by side that are one: a grade of each model, a number of each task."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from heatproof.init.facts import numbers
from heatproof.init.frame import Frame, Place
from heatproof.init.words import weight
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from heatproof.init.facts import Facts

HOLE = "column"
"""What the column of their names is called."""
TASK = "task"
"""The same, where nothing beside a name tells what it is of."""
MOST = 3
"""Other columns of a table whose columns are tasks, beside the one that names its rows."""


def unpivoted(frame: Frame, facts: dict[str, Facts]) -> Frame | None:
    """The frame with a row for each column of a group; None if no columns are one."""
    if frame.family.format == "json" and frame.at is None:
        return None
    for template, columns in _groups(facts, frame).items():
        if len(columns) > 1:
            return _spread(frame, template, columns)
    return None


def _groups(facts: dict[str, Facts], frame: Frame) -> dict[str, dict[str, str]]:
    """Template of a group → token → column."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    fields = [name for name in facts if frame.places[name].part == "field"]
    # Objects in documents are places of records of their own.
    signs = r"[_\- ]" if frame.family.format == "json" else r"[_.\- ]"
    for name in fields:
        column = facts[name]
        for token, template in _templates(name, signs):
            graded = weight("score", template) - weight("not_score", template)
            small = (
                column.numeric and column.type != "float" and 0 <= column.low <= column.high <= 1
            )
            if small and graded >= 1.5 and weight("score", token) < 1 and not token.isdigit():
                groups[template][token] = name
    return groups if any(len(group) > 1 for group in groups.values()) else _tasks(facts, fields)


def _templates(name: str, signs: str) -> list[tuple[str, str]]:
    """What a name may be taken apart into: a token, and the rest with a hole in its place."""
    cuts = [(match.start(), match.end()) for match in re.finditer(signs, name)]
    first = [(name[:start], f"{{{HOLE}}}{name[start:]}") for start, _ in cuts]
    last = [(name[end:], f"{name[:end]}{{{HOLE}}}") for _, end in cuts]
    return [*first, *last]


def _tasks(facts: dict[str, Facts], fields: list[str]) -> dict[str, dict[str, str]]:
    """Numbers of one scale side by side, in a table whose rows one text tells apart."""
    rows = max((facts[name].filled for name in fields), default=0)
    shares = [
        name
        for name in fields
        if facts[name].type in ("float", "int")
        and not facts[name].missing
        and facts[name].low >= 0
        and facts[name].high <= 100
        and abs(weight("score", name) - weight("not_score", name)) < 0.9
        and max(weight("setting", name), weight("count", name)) < 1
    ]
    heads = [name for name in fields if facts[name].type == "text" and facts[name].distinct == rows]
    others = [name for name in fields if name not in shares]
    scales = {facts[name].high <= 1 for name in shares}
    fractions = any(facts[name].type == "float" for name in shares)
    apart = rows > 1 and heads and len(others) <= MOST and len(scales) == 1 and fractions
    return {f"{{{TASK}}}": {name: name for name in shares}} if apart else {}


def _spread(frame: Frame, template: str, columns: dict[str, str]) -> Frame:
    hole = template.partition("{")[2].partition("}")[0]
    rest = [name for name in frame.data.columns if name not in (*columns.values(), hole)]
    parts = [
        frame.data.select(rest).with_columns(
            pl.lit(token).alias(hole), numbers(frame, name).alias(template)
        )
        for token, name in columns.items()
    ]
    places = {name: frame.places[name] for name in rest if name in frame.places}
    places |= {hole: Place("hole", hole), template: Place("field", template)}
    bare = template == f"{{{TASK}}}"
    return replace(
        frame, data=pl.concat(parts, how="vertical_relaxed"), places=places,
        group=[*columns] if bare else [],
    )  # fmt: skip
