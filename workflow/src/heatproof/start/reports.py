"""Reports that list the ids of problems: what `solved_ids` and `failed_ids` stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config.entries import spelling
from heatproof.readers import id_lists
from heatproof.start import scores, sheets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.start.families import Family
    from heatproof.start.sheets import Row

PLAIN = {
    "id", "ids", "list", "task", "tasks", "problem", "problems", "instance", "instances", "name",
    "names", "question", "questions", "item", "items", "sample", "samples", "test", "tests",
}  # fmt: skip
"""Words that tell nothing of right and wrong."""
UNJUDGED = {
    "error", "errors", "errored", "missing", "incomplete", "timeout", "timeouts", "skipped",
    "crashed", "invalid", "infra", "ambiguous", "unjudged", "broken",
}  # fmt: skip
"""Words in the names of what has no score."""


def listed(family: Family) -> Family:
    """The family with a record for each id, where its documents or lines list such."""
    rows = [row for sheet in family.sheets for row in sheet.rows]
    if family.format not in ("json", "jsonl") or any(sheet.each for sheet in family.sheets):
        return family
    ids = _lists(rows)
    if "1" not in ids or len(ids) < 2:
        return family
    spread = [s._replace(rows=[one for row in s.rows for one in _each(row, ids)], each=None)
              for s in family.sheets]  # fmt: skip
    return family._replace(sheets=[one for one in spread if one.rows], ids=ids)


def _lists(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Score, or `missing` → the places of the lists that stand for it."""
    places = dict.fromkeys(p for row in rows for p, value in row.items() if _is_ids(value))
    found: dict[str, list[str]] = {}
    for place in places:
        words = [word for word in scores.words(place) if word not in PLAIN]
        value = scores.verdict("_".join(words))
        told = id_lists.MISSING if {*words} & UNJUDGED else "" if value is None else spelling(value)
        if told:
            found.setdefault(told, []).append(place)
    return found


def _is_ids(value: object) -> bool:
    return isinstance(value, list) and all(type(one) in (str, int) for one in value)


def _each(row: Row, ids: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """A record for each id of a report that has a score."""
    head = {f"{sheets.HEAD}{place}": v for place, v in row.items() if not isinstance(v, list)}
    for score, places in ids.items():
        for place in places if score != id_lists.MISSING else ():
            for one in row.get(place, ()):
                yield head | {"sample_id": one, "score": float(score)}
