"""A source for records of any layout: its lines, each with what was seen that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.formats.places import GROUP
from heatproof.start import columns, known, pathparts, wide
from heatproof.start.block import Line
from heatproof.start.columns import Records
from heatproof.start.meaning import MOST, Meaning, free, varies
from heatproof.start.sheets import HEAD
from heatproof.start.source import Found, listed

if TYPE_CHECKING:
    from heatproof.start.families import Family
    from heatproof.start.meaning import Role
    from heatproof.start.source import Ask


ROUNDS = ("trial", "attempt", "iteration", "iter", "fold")
"""Numbers that may be repetitions, or steps of which each builds on the one before."""


def found(family: Family, ask: Ask) -> Found:
    """The source of a family.

    Raises:
        Cannot: no score, or no problems, can be made out.
    """
    if not known.find(Records.of(family.sheets, MOST).places()):
        family = wide.spread(family)
    return Guess(wide.undotted(family), ask).found()


class Guess(Meaning):
    """The source that says what records mean."""

    def found(self) -> Found:
        """The source, as far as it is known."""
        path = self._pattern()
        self.doubts += [
            f"{role.column}: repetitions, pooled; if it is a setting, take it out of pool, for x"
            for role in self.roles
            if role.pooled and role.column in ROUNDS
        ]
        own = [*roles.SETTINGS, "sample_id", "epoch"]
        inside = [one for one in self.roles if one.part < 0 and not GROUP.fullmatch(one.place)]
        fields = [Line(r.column, r.place, r.why()) for r in inside if r.column in own]
        params = [r for r in self.roles if r.column not in own]
        fields += self._scored()
        fields += [
            Line("score", one.place, f"or this: {one.seen}", off=True) for one in self.rivals
        ]
        lines = [Line("path", path, "parts of the path that fill columns")] if path else []
        if self.swapped and path:
            other = path.replace("(?P<model>", "(?P<task>")
            lines.append(Line("path", other, "or these are tasks; set: {model: …} then", off=True))
        lines += self._layout()
        lines += [Line("set", dict(self.set), "nothing in the logs tells it")] if self.set else []
        lines.append(Line("fields", fields, "column: its place in a record"))
        if params:
            lines.append(Line("params", [self._param(role) for role in params],
                              "settings of a run, which vary"))  # fmt: skip
        if self.duel:
            told = "a record is a game, and counts for both sides"
            lines.append(Line("versus", "opponent", told))
        lines += self._scale()
        also = {one.place for one in self.others if not one.listed and not one.verdicts}
        left = [one for one in self._left() if one.place in also and one.type() in ("int", "float")]
        left += columns.measures(self._left(), [self.score.place, *also])
        if left and not self.duel:
            named = {free(one.name, set()): one.place for one in left[:4]}
            lines.append(Line("measures", named, "further numbers, for mean(…)", off=True))
        return Found(
            family=self.family,
            lines=lines,
            told=self._seen(),
            doubts=self.doubts,
            pooled=[role.column for role in self.roles if role.pooled],
            versus="opponent" if self.duel else "",
        )

    def _scored(self) -> list[Line]:
        """The places that tell what is right."""
        if self.pair is None:
            return [Line("score", self.score.place, self.score.seen)]
        return [
            Line("answer", self.pair.answer, self.score.seen),
            Line("target", self.pair.target, "what is right"),
        ]

    def _pattern(self) -> str:
        named = {role.part: role.column for role in self.roles if role.part >= 0}
        found = pathparts.pattern(self.tokens, named, self.family.paths)
        if named and not found:
            self.roles = [role for role in self.roles if role.part < 0]
            self.doubts.append("what differs in the paths could not be put into one pattern")
        return found

    def _each(self) -> str:
        """The place of the records, with the columns that keys on the way fill."""
        each = self.sheet.each or ""
        for role in self.roles:
            if GROUP.fullmatch(role.place):
                each = each.replace(role.place, f"{{{role.column}}}")
        return each

    def _layout(self) -> list[Line]:
        """Keys that say where the records of a file lie."""
        found = []
        if any(role.place.startswith(HEAD) for role in self.roles) and self.family.sidecar:
            told = "settings of a log, beside it or above; their places begin with ^"
            found.append(Line("sidecar", self.family.sidecar, told))
        if self.sheet.each:
            what = "an object" if self.sheet.keyed else "a list"
            size = len(self.sheet.rows)
            found.append(Line("each", self._each(), f"{what} of {size:,} records in the first"))
        if self.family.format == "csv" and self.sheet.delimiter != ",":
            found.append(Line("delimiter", self.sheet.delimiter))
        if self.sheet.decimal != ".":
            found.append(Line("decimal", self.sheet.decimal))
        if self.score.listed:
            told = "a record holds a list: each item is a repetition"
            column = "answer" if self.pair else "score"
            found.append(Line("epochs", {"lists": [column]}, told))
        return found

    def _param(self, role: Role) -> Line:
        kind = role.type
        plain = role.part >= 0 or role.place == role.column or bool(GROUP.fullmatch(role.place))
        value: Any = kind if plain else {"type": kind, "field": role.place}
        return Line(role.column, value, role.why() + (", pooled" if role.pooled else ""))

    def _scale(self) -> list[Line]:
        """What brings the score to 0–1."""
        if self.pair:
            rest = [one for one in ("exact", "number", "math") if one != self.pair.grade]
            chosen = Line("grade", self.pair.grade, "how answer and target are compared")
            return [chosen, *(Line("grade", one, "or this", off=True) for one in rest)]
        if self.score.verdicts:
            if self.score.unknown:
                left = listed(self.score.unknown)
                self.doubts.append(f"nothing says what the score {left} stands for: it is refused")
            return [Line("verdicts", dict(self.score.verdicts), "what the texts stand for")]
        if self.score.range is None:
            return []
        low, high = self.score.range
        if not self.score.sure:
            self.doubts.append(
                f"{self.score.place}: {self.score.seen} is taken for {low} to {high}"
            )
        found = [Line("range", {"score": [low, high]}, f"{self.score.kind}: what is 0, what is 1")]
        others = [] if self.score.sure else self.score.scales
        return found + [Line("range", {"score": [*ends]}, "or this", off=True) for ends in others]

    def _seen(self) -> list[tuple[str, str, str]]:
        found = []
        for role in self.roles:
            column = role.column
            param = column not in (*roles.SETTINGS, "sample_id", "epoch")
            where = GROUP.sub(f"{{{column}}}", role.place) or "path"
            became = f"params.{column}" + (", pooled" if role.pooled else "") if param else column
            found.append((where, role.why(), became))
        became = f"answer, graded by {self.pair.target}" if self.pair else "score"
        found.append((self.score.place, self.score.seen, became))
        others = [one for one in self.others if varies(self.records.values(one.place))]
        found += [(one.place, one.seen, "unused; may be a score, too") for one in others[:3]]
        return found
