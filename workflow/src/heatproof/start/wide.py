"""Records that hold several samples each: a group of columns for each model, task or repetition.

`gpt-4o_correct,tiny-b_correct` is `{model}_correct`, and `s1,s2,s3` is `s{epoch}`. Records are
spread before their places are looked at: a record for each group, with what all groups have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.places import POINT
from heatproof.start import columns, scores, sheets, tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.start.families import Family
    from heatproof.start.sheets import Row, Sheet

SEPARATORS = "_- ./:"
"""What may stand between the name of a group and the rest of a key."""
TRIES = {
    "s", "r", "k", "run", "seed", "try", "attempt", "trial", "sample", "epoch", "rep", "repeat",
    "rollout", "round", "iter", "iteration", "generation", "gen",
}  # fmt: skip
"""Words before the number of a repetition, where no score is named."""
SOME = 200
"""Records that are looked at."""


class Hole(NamedTuple):
    """A place with a hole in it: what stands before and behind that, in the whole place."""

    before: str
    after: str
    deep: bool
    """Whether the hole is a key of its own in an object."""

    def place(self, column: str) -> str:
        """The place as config.yaml writes it."""
        return f"{self.before}{{{column}}}{self.after}"


class Groups(NamedTuple):
    """The groups of records."""

    column: str
    """What they fill."""
    names: list[str]
    score: Hole
    holes: list[Hole]
    """Of all that groups have."""


def spread(family: Family) -> Family:
    """The family with a record for each group, where its records hold such."""
    rows = [
        row for sheet in family.sheets for row in sheet.rows[: max(SOME // len(family.sheets), 2)]
    ]
    groups = _groups(rows, flat=family.format == "csv")
    if groups is None:
        return family
    long = [sheet._replace(rows=[*_long(sheet, groups)]) for sheet in family.sheets]
    score = groups.score.place(groups.column)
    return family._replace(sheets=long, score=score)


def undotted(family: Family) -> Family:
    """The family without places that cannot be named, for a key in them has a point."""
    firsts = [row for sheet in family.sheets for row in sheet.rows[:1]]
    if not any(POINT in place for row in firsts for place in row):
        return family
    return family._replace(
        sheets=[
            sheet._replace(
                rows=[{p: v for p, v in row.items() if POINT not in p} for row in sheet.rows]
            )
            for sheet in family.sheets
        ]
    )


def _groups(rows: Sequence[Row], *, flat: bool) -> Groups | None:
    """What groups records hold; None if they hold none. `flat`: a place is one key."""
    places = dict.fromkeys(p for row in rows for p in row if not p.startswith(sheets.HEAD))
    found: dict[Hole, list[str]] = defaultdict(list)
    for place in places:
        for hole, name in dict.fromkeys(_cuts(place, flat=flat)):
            found[hole].append(name)
    several = {hole: names for hole, names in found.items() if len(names) > 1}
    ranked = sorted(
        several, key=lambda one: (-len(several[one]), -sum(map(len, several[one])), one)
    )
    for hole in ranked:
        names = several[hole]
        column = _column(names)
        values = [row[hole.before + n + hole.after] for row in rows for n in names
                  if hole.before + n + hole.after in row]  # fmt: skip
        judged = column == "model" and any(scores.name(one) in columns.MODELS for one in places)
        if column and not judged and _is_score(hole, column, values):
            mine = {*names}
            holes = [one for one in several if len(mine & {*several[one]}) > 1]
            return Groups(column, names, hole, [one for one in holes if one.deep == hole.deep])
    return None


def _cuts(place: str, *, flat: bool) -> Iterator[tuple[Hole, str]]:
    """Each way to cut a hole into a place, and what stands in it."""
    parts, sign = ([place], "") if flat else (place.split("."), ".")
    for at, part in enumerate(parts):
        above = "".join(f"{one}{sign}" for one in parts[:at])
        below = "".join(f"{sign}{one}" for one in parts[at + 1 :])
        edges = [0, *(n for n, one in enumerate(part) if one in SEPARATORS), len(part)]
        for first, last in combinations(dict.fromkeys(edges), 2):
            start = first + (first > 0)
            deep = start == 0 and last == len(part)
            if start < last and (above or below or not deep):
                yield Hole(above + part[:start], part[last:] + below, deep), part[start:last]
        for digits in re.finditer(r"\d+", part):
            if digits[0] != part:
                before, after = part[: digits.start()], part[digits.end() :]
                yield Hole(above + before, after + below, deep=False), digits[0]


def _column(names: Sequence[str]) -> str:
    """What names of groups are; empty if nothing tells."""
    if all(name.isdigit() for name in names):
        return "epoch"
    models, problems = sum(map(tasks.is_model, names)), sum(map(tasks.is_task, names))
    if 2 * max(models, problems) < len(names):
        return ""
    return "model" if models >= problems else "task"


def _is_score(hole: Hole, column: str, values: Sequence[Any]) -> bool:
    """Whether what stands at a place is the score of a group."""
    place = hole.place(column)
    if any(isinstance(value, list) for value in values):
        return False
    if scores.candidates([{place: value} for value in values], above=False):
        return True
    if not {*map(repr, values)} <= {"True", "False", "0", "1", "0.0", "1.0"}:
        return False
    word = hole.before.rstrip(SEPARATORS).lower()
    return not hole.after and (hole.deep or (column == "epoch" and word in TRIES))


def _long(sheet: Sheet, groups: Groups) -> Iterator[Row]:
    """A record for each group of each record."""
    of: dict[str, tuple[str, str]] = {}
    for name in groups.names:
        for hole in groups.holes:
            of.setdefault(hole.before + name + hole.after, (name, hole.place(groups.column)))
    score, mark = groups.score.place(groups.column), f"{{{groups.column}}}"
    for row in sheet.rows:
        held: dict[str, Row] = {}
        for place in row.keys() & of.keys():
            name, own = of[place]
            held.setdefault(name, {})[own] = row[place]
        rest = {place: value for place, value in row.items() if place not in of}
        for name in groups.names:
            if score in held.get(name, {}):
                told: Any = int(name) if groups.column == "epoch" else name.replace(POINT, ".")
                yield rest | dict(sorted(held[name].items())) | {mark: told}
