"""A family of files → each of its readings as a table."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heatproof.init import files
from heatproof.init.evidence import Evidence
from heatproof.init.facts import holds, weight
from heatproof.init.frame import (
    GRADED,
    NAMED,
    ROWS,
    Frame,
    fields_of,
    frame_of,
    kind,
    with_pair,
    with_truth,
    without_repeats,
)
from heatproof.init.records import LOOKED, as_written, joined_places
from heatproof.init.wide import unpivoted, with_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.init.layouts import Family

HAVE = 0.3  # part of the files of a family that must have a score


@lru_cache(maxsize=1)
def frames(family: Family) -> list[Frame]:
    """Each reading of a family as a table."""
    tables: list[Frame] = []
    for at, rows in family.places().items():
        if rows:
            table = frame_of(family, at, rows[:ROWS])
            tables += _tables(replace(table, proved=_proved(table)))
    kept: list[Frame] = []
    for table in tables:
        if not any(_is_check(table, other) for other in tables):
            kept.append(table)
    return kept


def _tables(table: Frame) -> list[Frame]:
    """The tables of a frame: with a row for each of several numbers, and as it is."""
    table = without_repeats(table)
    graded = with_truth(table)
    tables = [*unpivoted(table), with_pair(graded)]
    if answers := with_answers(graded):
        tables.append(with_pair(answers))
    return tables


def joined_frames(family: Family, alike: Sequence[str]) -> list[Frame]:
    """The records of some places of one shape as tables, with a column of the keys there."""
    at, keys, rows = joined_places(family.places(), alike)
    tables = _tables(frame_of(family, at, rows[:ROWS]))
    return [replace(table, group=keys) for table in tables if not table.place]


def sketch(family: Family, others: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """A source of these files that is to be completed, and the places of their records.

    Its places are the likeliest, or `PLACE`. Nothing of files that have no use as they are.
    """
    places = family.places()
    at = max(places, key=lambda place: len(places[place]), default=None)
    table = frame_of(family, at, places.get(at, [])[:LOOKED])
    names = [name for name in table.facts if kind(name) in ("field", "head")]
    if not names or "refused" in table.layout:
        return {}, []
    fields: dict[str, str] = {}
    for role in ("model", "sample_id", "score"):
        speaking = {name: weight(role, name) - weight(f"not_{role}", name) for name in names}
        likely = max(names, key=lambda name: speaking[name])
        fields[role] = likely if weight(role, likely) >= GRADED else "PLACE"
    logs = {"format": family.format, "logs": files.patterns(family.paths, others)}
    records = {"each": at} if at else {}
    entry = {**logs, **family.table, **records, "fields": fields}
    return as_written(entry), as_written(names)


def _proved(table: Frame) -> str:
    """The flag of records of whose mean, or number, each file has a number above them."""
    facts = [facts for facts in table.facts.values() if not (facts.missing or facts.constant)]
    numbers = [f.name for f in facts if kind(f.name) == "head" and f.type in ("int", "float")]
    for flag in facts:
        is_flag = flag.type == "bool" and kind(flag.name) == "field"
        if not (is_flag and numbers) or table.is_settled(flag.name):
            continue
        evidence = Evidence(table, [], flag.name)
        if any(map(evidence.sums_up, numbers)):
            return flag.name
    return ""


def _is_check(table: Frame, records: Frame) -> bool:
    """Whether numbers of a table were printed of the graded records that lie below them."""
    at, below = table.at or "", records.at or ""
    inside = below != at and below.startswith(at.lstrip("$"))
    many = len(records.data) >= 2 * len(table.data)
    if not (inside and many) or holds("moments", below):
        return False
    if records.proved:
        return True
    number, grade = table.likely_score, records.likely_score
    if number is None or grade is None or number.single:
        return False
    if grade.single:
        return True
    ids = [facts for name, facts in records.facts.items() if weight("sample_id", name) >= NAMED]
    return any(facts.distinct > 1 for facts in ids)


def ungraded(table: Frame, score: str) -> list[str]:
    """Files without the place of a score, such as the questions beside the answers.

    None of them, where few have a score: then it is another number, or it is asked about.
    """
    files_read = list(table.family.documents)
    having = {record.file for record in table.records}
    if HAVE * len(files_read) <= len(having) < len(files_read):
        return [path for path in files_read if path not in having]
    is_whole = table.data[score].null_count() == 0
    if table.place or is_whole or len(files_read) < 2:
        return []
    places = set(table.graded.values()) or {score}
    has_score: set[str] = set()
    for record in table.records:
        if record.file in has_score:
            continue
        if places <= fields_of(record, table.family.format).keys():
            has_score.add(record.file)
    if len(has_score) < HAVE * len(files_read):
        return []
    return [path for path in files_read if path not in has_score]
