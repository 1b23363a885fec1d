"""Field maps: which place in a record, in the log's path or in config.yaml fills which column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.entries import constant
from heatproof.readers._typed import from_text
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from heatproof.readers._mapped import Mapped

LISTED = "*"
"""Starts the name of a column that holds a list a record, one item an epoch."""
EACH = "*"
"""In a place: of each object in a list."""
ROW = "$row"
"""In `fields`: the number of the record in its log, from 1."""
KEY = "$key"
"""In `fields`: the key of a record in the object that holds the records, or its place in a list."""
GRADED = ("answer", "target")
"""Places in a record that are compared to grade it; no columns of the table."""
VERDICT = "verdict"
"""A score that is a text until `verdicts` tell what it stands for."""
KINDS = {"epoch": "int", "score": "number", **dict.fromkeys((*GRADED, VERDICT), "text")}
"""Types of columns that every source may have, where they are not `str`."""
NUMBERED = ("sample_id", "epoch")
"""What the number of a record may tell."""


class Field(NamedTuple):
    """A column filled from the record: where it lies and what type it must have there."""

    column: str
    place: str
    type: str
    required: bool


def fields(entry: Mapped) -> list[Field]:
    """The columns that are filled from the record; path and constants fill the others."""
    elsewhere = {*re.compile(entry.path).groupindex, *entry.set}
    lists = entry.exploded()
    found = []
    for name, place in entry.fields.items():
        column = VERDICT if name == "score" and entry.verdicts else name
        if name in lists:
            found.append(Field(f"{LISTED}{column}", place, f"{_standard(column)}s", required=True))
        else:
            found.append(Field(column, place, _standard(column), required=True))
    for name in entry.params:
        if name not in elsewhere:
            param = entry.param(name)
            needed = param.default is None
            found.append(Field(name, param.field or name, param.type, required=needed))
    found += [
        Field(f"{LISTED}{m}", place, "numbers", required=False)
        if m in lists
        else Field(m, place, "number", required=False)
        for m, place in entry.measures.items()
    ]
    return found


def _standard(column: str) -> str:
    return KINDS.get(column, "str")


def shared(entry: Mapped, log: str) -> dict[str, Any]:
    """What the log's path and config.yaml say of all its records.

    Raises:
        Error: the path does not match, or a part of it is not of the column's type.
    """
    match = re.search(entry.path, log)
    if match is None:
        raise Error(f"the path does not match {entry.path!r}{_until(entry.path, log)}")
    found: dict[str, Any] = {c: constant(v, kind(entry, c)) for c, v in entry.set.items()}
    for column, text in match.groupdict().items():
        if text is not None:
            found[column] = from_text(text, kind(entry, column), column)
    return found


def _until(pattern: str, log: str) -> str:
    """How far the path of a log has what a pattern wants; empty if it has nothing of it."""
    for end in range(len(pattern) - 1, 0, -1):
        try:
            found = re.search(pattern[:end], log)
        except re.error:  # within a group, say
            continue
        if found and found[0]:
            return f"; it does up to {log[: found.end()]!r}, then {pattern[end:]!r} is not there"
    return ""


def kind(entry: Mapped, column: str) -> Any:
    """The type of a column that tells runs, problems or repetitions apart."""
    return entry.param(column).type if column in entry.params else _standard(column)


def scaled(
    entry: Mapped, columns: dict[str, list[Any]], only: set[str] | None = None
) -> dict[str, list[Any]]:
    """Columns with scores and measures as floats, brought to 0–1 where `range` says so.

    True and false are 1 and 0 whatever the range of numbers: true is not the least of 1–10.
    """
    for column in ("score", *entry.measures):
        if column not in columns or (only is not None and column not in only):
            continue
        low, high = entry.range.get(column, (0.0, 1.0))
        span = high - low
        told = (bool,) if (low, high) != (0.0, 1.0) else (bool, int, float)
        try:
            columns[column] = [
                v if v is None else float(v) if isinstance(v, told) else (v - low) / span
                for v in columns[column]
            ]
        except TypeError:  # a place that fills a column of texts, too
            wrong = next(v for v in columns[column] if not isinstance(v, float | int | None))
            raise TypeError(f"{column}: {wrong!r:.40} is not a number") from None
    return columns
