"""What the places of records mean: which is the score, and what fills model, task, settings."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from heatproof.config import roles
from heatproof.formats.places import GROUP, KEY, ROW
from heatproof.start import answers, columns, known, pathparts, scores
from heatproof.start.columns import Column, Records
from heatproof.start.duels import duel
from heatproof.start.pathparts import Part
from heatproof.start.scores import Score
from heatproof.start.sheets import HEAD
from heatproof.start.source import Cannot, listed, seen
from heatproof.start.tasks import is_model, is_task, model_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.start.answers import Pair
    from heatproof.start.families import Family
    from heatproof.start.known import Layout
    from heatproof.start.pathparts import Token
    from heatproof.start.source import Ask

MOST = 60_000
"""Records looked at, of all files."""
ALIAS = {
    "t": "temperature", "temp": "temperature", "s": "seed", "p": "top_p", "k": "top_k",
    "topp": "top_p", "topk": "top_k", "m": "model", "ds": "task", "dataset": "task",
    "run": "repeat",
    "rep": "repeat", "bench": "task", "benchmark": "task", "model_name": "model", "id": "sample_id",
    "sample": "sample_id", "problem": "sample_id", "question": "sample_id", "epoch": "repeat",
}  # fmt: skip
"""Words in paths → columns."""


class Role(NamedTuple):
    """What fills a column."""

    column: str
    place: str
    """In the record; empty: a part of the path."""
    values: list[Any]
    """Of all records."""
    type: str = "str"
    part: int = -1
    """Number of the part of the path."""
    pooled: bool = False

    def why(self) -> str:
        """What was seen of it."""
        if self.place in (KEY, ROW):
            return f"the key or number of each record, {len({*self.values}):,} in all"
        if self.column == "sample_id":
            return f"{len({*self.values}):,} problems, such as {self.values[0]!s:.30}"
        return seen(self.values)


class Meaning:
    """What the records of a family may mean."""

    def __init__(self, family: Family, ask: Ask) -> None:
        self.family, self.ask = family, ask
        self.records = Records.of(family.sheets, MOST)
        self.sheet = family.sheets[0]
        self.doubts: list[str] = []
        self.rivals: list[Score] = []
        """Places that may be the score as well, where nobody answered."""
        self.numbered = False
        """Whether a problem is known by the number of its record alone."""
        self.swapped = False
        """Whether what paths tell of models may be tasks, where nobody answered."""
        self.layout = known.find(self.records.places())
        if self.layout:
            self.family = family._replace(why=f"{self.layout.name}; {family.why}")
        self.duel = None if self.layout else duel(self.records)
        self.pair = cast("Pair | None", None)
        """Answer and target that are compared, where there is no score."""
        given = self.duel.score if self.duel else self._of_groups()
        self.score, self.others = (given, []) if given else self._score()
        taken = {self.score.place, *(self.pair.places if self.pair else ())}
        self.columns = [one for one in columns.singles(self.records) if one.place not in taken]
        if self.layout:
            self.columns = [one for one in self.columns if one.place in self.layout.places]
        self.roles: list[Role] = []
        self.set: dict[str, str] = {}
        self._settle()

    def _of_groups(self) -> Score | None:
        """The score of records with groups, which have it at one place."""
        place = self.family.score
        return scores.of(place, self.records.values(place)) if place else None

    def _score(self) -> tuple[Score, list[Score]]:
        if self.layout:
            return known.score(self.layout, self.records), []
        named = scores.candidates(self.records.rows, above=False)
        sure = [one for one in named if scores.name(one.place) in scores.SURE]
        likely = [one for one in named if one in sure or varies(self.records.values(one.place))]
        if not likely:
            unnamed = scores.unnamed(self.records.rows)
            self.doubts += [f"{one.place} is true or false, and taken for the score"
                            for one in unnamed[:1]]  # fmt: skip
            likely = unnamed or named
        if not likely:
            return self._compared(), []
        best = likely[0]
        if not varies(self.records.values(best.place)):
            self.doubts.append(f"{best.place} is the same in all records: is it the score?")
        errors = [one for one in self.records.places() if "stderr" in scores.words(one)]
        if errors:
            raise Cannot(f"a record is a run, not a problem: {errors[0]} beside {best.place}")
        rivals = [one for one in likely[1:] if _is_rival(one, best, self.records)]
        if not rivals:
            return best, likely[1:]
        options = [best, *rivals]
        answer = self.ask(
            f"{self.family.looked[0]}: which is the score?",
            [f"{one.place} ({one.seen})" for one in options],
        )
        chosen = options[answer or 0]
        if answer is None:
            self.rivals = rivals
            self.doubts.append(
                f"{chosen.place} is taken for the score; {_places(options[1:])} may be it, too"
            )
        return chosen, [one for one in likely if one is not chosen]

    def _compared(self) -> Score:
        """What stands for the score where an answer is compared with its target."""
        self.pair = answers.pair(self.records.rows)
        if self.pair is None:
            shown = ", ".join(self.records.places()[:8])
            raise Cannot(f"no score in its records; they have {shown}")
        if self.pair.same:
            told = f"each {self.pair.answer} is its {self.pair.target}"
            raise Cannot(f"no score in its records, and {told}: data, or nothing to judge")
        if self.pair.grade is None:
            raise Cannot(self.pair.why_not)
        self.doubts.append(
            f"no score in the records: {self.pair.answer} is compared with {self.pair.target} "
            f"({self.pair.seen}), grade: {self.pair.told}"
        )
        return Score(
            self.pair.answer, "compared", f"such as {self.pair.seen}", listed=self.pair.listed
        )

    def _settle(self) -> None:
        """Find what tells models, tasks, problems, settings and repetitions."""
        self._take_named()
        self._take_keys()
        paths = self.family.paths
        parts = self.tokens = pathparts.parts(paths) if len(paths) > 1 else []
        problems = self._problem(parts)
        settings = [one for one in self._left() if self._is_setting(one, problems)]
        names = [one for one in settings if self._names_file(one)]
        for one in sorted(settings, key=_is_vague):
            known = self._told(one) if _is_vague(one) else self._known(one)
            if one not in names and not known:
                self._take_setting(one)
        self._path(parts)
        for one in names:
            if not self._distinct():
                self._take_setting(one)
        self._path(parts, again=True)
        self._rerun(parts, problems)
        self._unnamed()
        self._epoch(problems)

    def _take_keys(self) -> None:
        """What keys on the way to records tell."""
        for hole in GROUP.findall(self.sheet.each or ""):
            place = f"{{{hole}}}"
            values = [str(value) for value in self.records.values(place)]
            part = Part("", values, "")
            kind = "str"
            if part.numeric:
                kind = "int" if all(map(_is_whole, values)) else "float"
            named = "" if part.numeric else self._named(part, Role("", place, values))
            self.roles.append(Role(named or free("variant", self._names()), place, values, kind))

    def _take_named(self) -> None:
        """Model and task, where a place has such a name."""
        sides = {one.place: one for one in self.columns}
        model = columns.model(self.columns)
        if self.layout:
            return self._take_known(self.layout)
        if self.duel:
            self._take("model", sides[self.duel.side])
            self._take("opponent", sides[self.duel.opponent])
        elif model:
            self._take("model", model)
        task = columns.task(self._left(), self.records)
        if task:
            self._take("task", task)
        return None

    def _take_known(self, layout: Layout) -> None:
        """What places of a layout fill, as far as its records have them."""
        there = {one.place: one for one in self.columns}
        for column, place in layout.fields.items():
            if place in there:
                self._take(column, there[place])

    def _left(self) -> list[Column]:
        taken = {role.place for role in self.roles}
        return [one for one in self.columns if one.place not in taken]

    def _take(self, column: str, one: Column, *, pooled: bool = False) -> None:
        kind = one.type()
        self.roles.append(Role(column, one.place, one.values, kind, pooled=pooled))

    def role(self, column: str) -> Role | None:
        """What fills a column."""
        return next((one for one in self.roles if one.column == column), None)

    def _problem(self, tokens: Sequence[Token]) -> list[Any]:
        """The problem of each record; where they have no id, its number in its file."""
        if self.role("sample_id") is None:
            self._find_problem(tokens)
        told, task = self.role("sample_id"), self.role("task")
        ids = told.values if told else [self.set["sample_id"]] * len(self.records.rows)
        return list(zip(ids, task.values, strict=True)) if task else ids

    def _find_problem(self, tokens: Sequence[Token]) -> None:
        taken = [role.place for role in self.roles]
        one = columns.problem(self.columns, self.records, taken)
        alone = self.sheet.each == "" and self.family.format == "json"
        if self.sheet.keyed and (one is None or one.name not in ("id", "sample_id", "question_id")):
            self.roles.append(Role("sample_id", KEY, self._numbers()))
        elif one is not None and not (alone and len(one.distinct()) == 1):
            self._take("sample_id", one)
        elif alone:
            self._alone(tokens)
        elif self._is_grid():
            self.set["sample_id"] = "all"
            self.doubts.append("no record names a problem, a record a cell: all are of one, 'all'")
        else:
            place = KEY if self.family.format == "json" else ROW
            self.roles.append(Role("sample_id", place, self._numbers()))
            self.numbered = True
            self.doubts.append(
                f"no place looks like the id of a problem: {place} numbers the records of a file, "
                "right if all have the same problems in the same order"
            )

    def _alone(self, tokens: Sequence[Token]) -> None:
        """Files of a record each: the path tells the problem, or there is only one.

        Raises:
            Cannot: it holds lists side by side, one of scores and one of ids.
        """
        lists = [place for place, one in self.sheet.rows[0].items() if isinstance(one, list)]
        ids = [one for one in lists if scores.name(one).removesuffix("s") in columns.IDS]
        if self.score.listed and ids:
            raise Cannot(
                f"it holds lists side by side, {ids[0]} and {self.score.place}: write a record a "
                "problem (JSON lines, CSV)"
            )
        for number, part in enumerate(tokens):
            if isinstance(part, Part) and ALIAS.get(part.key.lower()) == "sample_id":
                return self.roles.append(self._of_part("sample_id", number, part))
        self.set["sample_id"] = "all"
        self.doubts.append("a file is a record, and none names a problem: all are of one, 'all'")
        return None

    def _is_grid(self) -> bool:
        """Whether records differ by numbers that vary on their own: each is then a cell."""
        size = len(self.records.rows)
        judged = {one.place for one in self.others}
        likely = [
            one
            for one in self._left()
            if one.place not in judged and one.full and one.type() in ("int", "float")
            and 2 <= len(one.distinct()) <= min(columns.FEW, size // 2)
            and (one.name in columns.SETTINGS or not columns.is_measure(one))
        ]  # fmt: skip
        keys = {*zip(*(one.values for one in likely), self.records.files, strict=True)}
        return len(likely) > 1 and len(keys) == size

    def _numbers(self) -> list[int]:
        counts: dict[Any, int] = defaultdict(int)
        found = []
        for file, row in zip(self.records.files, self.records.rows, strict=True):
            group = file, *(value for place, value in row.items() if GROUP.fullmatch(place))
            found.append(counts[group])
            counts[group] += 1
        return found

    def _is_setting(self, one: Column, problems: Sequence[Any]) -> bool:
        if one.name in columns.EPOCHS and one.name != "seed" and one.type() == "int":
            inside = not columns.depends(one.values, self.records.files)
            if inside:
                return False  # numbers repetitions
        if self.numbered and not columns.depends(one.values, self.records.files):
            found = columns.in_blocks(one, self.records)
        else:
            found = columns.is_setting(one, self.records, problems)
        if not found or (one.type() != "str" and _is_result(one)):
            return False
        return one.place not in {other.place for other in self.others} and not self._known(one)

    def _known(self, one: Column) -> bool:
        """Whether what is taken already tells a column."""
        return any(_same(one.values, role.values) for role in self.roles)

    def _names_file(self, one: Column) -> bool:
        """Whether it is a text of its own in each file, such as the name of a run: no setting where
        settings tell files apart.
        """
        files = len({*self.records.files})
        own = one.name not in (*columns.SETTINGS, *columns.SEEDS) and one.type() == "str"
        named = {*scores.words(one.place)} & columns.OF_RUNS
        return own and files > (1 if named else 2) and _same(one.values, self.records.files)

    def _take_setting(self, one: Column) -> None:
        name = free(one.name, self._names())
        self._take(name, one, pooled=columns.is_seed(one.name))

    def _of_part(self, column: str, number: int, part: Part) -> Role:
        index = {path: n for n, path in enumerate(self.family.paths)}
        at = [index[path] for path in self.records.paths]
        kind = "str"
        if part.numeric:
            kind = "int" if all(_is_whole(value) for value in part.values) else "float"
        cast = {"int": int, "float": float}.get(kind, str)
        values = [cast(part.values[at[file]]) for file in self.records.files]
        pooled = columns.is_seed(column) or column == "repeat"
        return Role(column, "", values, kind, number, pooled)

    def _path(self, tokens: Sequence[Token], *, again: bool = False) -> None:
        """Parts of the path that tell what no record does; `again`: those that number runs, which
        tell nothing where all else does.
        """
        parts = [(n, one) for n, one in enumerate(tokens) if isinstance(one, Part)]
        parts = [(n, one) for n, one in parts if not one.stamp and one.key != "sample_id"]
        parts = [(n, one) for n, one in parts if _numbers_runs(one) == again]
        for number, part in sorted(parts, key=lambda pair: _late(pair[1])):
            role = self._of_part(part.key.lower() or "part", number, part)
            needed = not (again and self._distinct())
            if len({*role.values}) > 1 and needed and not self._told(role):
                name = self._named(part, role)
                if name:
                    self.roles.append(
                        role._replace(
                            column=name, pooled=columns.is_seed(name) or name.startswith("repeat")
                        )
                    )

    def _told(self, role: Role | Column) -> bool:
        """Whether what is known tells its values already: as one, or all together."""
        if any(_same(role.values, one.values) for one in self.roles):
            return True
        known = [one.values for one in self.roles if one.column not in ("sample_id", "epoch")]
        together = list(zip(*known, strict=True)) if known else [()] * len(role.values)
        return columns.depends(role.values, together)

    def _named(self, part: Part, role: Role) -> str:
        """The column that a part of the path fills; empty if it tells nothing."""
        taken = self._names()
        key = part.key.lower()
        if key:
            name = ALIAS.get(key, key)
            return free(key if name == "sample_id" else name, taken)
        if part.numeric or {*map(str, role.values)} <= {f"run{n}" for n in range(99)}:
            return "" if self._distinct() else free("repeat", taken)
        texts = [str(value) for value in dict.fromkeys(role.values)]
        if len({re.sub(r"_?\d*$", "", text) for text in texts}) == 1 and "" in {
            re.sub(r"^.*?(_?\d*)$", r"\1", text) for text in texts
        }:
            return free("repeat", taken)
        models, problems = sum(map(is_model, texts)), sum(map(is_task, texts))
        open_ = [name for name in ("model", "task") if name not in taken]
        if not models and "model" in open_ and self._constant("model"):
            open_.remove("model")
        if len(open_) == 2 and models == problems:
            answer = self.ask(f"{', '.join(texts[:6])}: what are these, by the paths?", open_)
            if answer is None and not models:
                self.swapped = True
                self.doubts.append(f"{listed(texts)} (in paths) are taken for models")
            return open_[answer or 0]
        if "model" in open_ and (models > problems or "task" not in open_):
            return "model"
        return "task" if "task" in open_ else free("variant", taken)

    def _distinct(self) -> bool:
        """Whether what is known tells all files apart."""
        known = [one.values for one in self.roles if one.column not in ("sample_id", "epoch")]
        together = list(zip(*known, strict=True)) if known else [()] * len(self.records.rows)
        return columns.depends(self.records.files, together)

    def _rerun(self, tokens: Sequence[Token], problems: Sequence[Any]) -> None:
        """Where files hold the same problems of the same settings, a time or hash tells them."""
        known = [role.values for role in self.roles if role.column not in ("sample_id", "epoch")]
        keys = list(zip(problems, *known, strict=True))
        if columns.depends(self.records.files, keys):
            return
        for number, part in enumerate(tokens):
            if isinstance(part, Part) and part.stamp:
                role = self._of_part("repeat", number, part)
                if columns.depends(self.records.files, list(zip(keys, role.values, strict=True))):
                    self.roles.append(role._replace(column=free("repeat", self._names())))
                    return

    def _names(self) -> set[str]:
        return {one.column for one in self.roles}

    def _unnamed(self) -> None:
        """Columns that a figure names and nothing tells."""
        for column in ("model", "task"):
            if self.role(column) is None:
                if column == "task" and self.layout and self.layout.task:
                    self.set[column] = self.layout.task
                    continue
                name = self._constant(column)
                told = f"{name} (in all paths) is taken for the {column}"
                none = f"no place looks like a {column}: set: {{{column}: mine}}"
                self.set[column] = name or "mine"
                self.doubts.append(told if name else none)

    def _constant(self, column: str) -> str:
        """The model, or the task, that all paths name, if they name one."""
        pieces = "/".join(token for token in self.tokens if isinstance(token, str))
        own = model_of(pieces) if column == "model" else ""
        return pathparts.common(self.family.paths, column) or own

    def _epoch(self, problems: Sequence[Any]) -> None:
        """Number repetitions, where settings and problem alone do not tell records apart."""
        known = [role.values for role in self.roles if role.column != "sample_id"]
        if self.duel:  # a game is the same, whichever side is named first
            sides = [role.values for role in self.roles if role.column in ("model", "opponent")]
            known += [[frozenset(pair) for pair in zip(*sides, strict=True)]]
            known = [values for values in known if values not in sides]
        keys = list(zip(problems, *known, strict=True))
        if len({*keys}) == len(keys) or self.score.listed:
            return
        for one in columns.named(self._left(), columns.EPOCHS):
            tells = {*zip(keys, one.values, strict=True)}
            if one.full and one.type() == "int" and len(tells) == len(keys):
                self._take("epoch", one)
                return
        place = KEY if self.family.format == "json" else ROW
        self.roles.append(Role("epoch", place, self._numbers()))
        self.doubts.append(
            f"problems stand there several times, and nothing numbers them: {place} does, "
            "so that each is a repetition"
        )


def _numbers_runs(part: Part) -> bool:
    """Whether a part of the path numbers runs."""
    bare = not part.key and all(re.fullmatch(r"(?:run)?\d+", value) for value in part.values)
    return bare or ALIAS.get(part.key.lower()) == "repeat"


def _is_rival(one: Score, best: Score, records: Records) -> bool:
    """Whether it may be the score as well: named so, on a sure scale, and other values."""
    alike = one.rank[0] == best.rank[0] == 0 and one.listed == best.listed
    plain = one.range is None and best.range is None and one.rank[1] <= best.rank[1]
    values = records.values(one.place)
    return alike and plain and varies(values) and values != records.values(best.place)


def varies(values: Sequence[Any]) -> bool:
    """Whether there are several."""
    return any(value != values[0] for value in values)


def _places(options: Sequence[Score]) -> str:
    return ", ".join(one.place for one in options)


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether the values of each tell those of the other."""
    return columns.depends(one, other) and columns.depends(other, one)


def _is_result(one: Column) -> bool:
    """Whether the head of a document tells by it what the run came to: `^pass_at_1`."""
    return one.place.startswith(HEAD) and scores.is_named(one.place)


def _is_vague(one: Column) -> bool:
    """Whether it is a number that is not called as settings are, such as a run's success rate."""
    named = one.name in columns.SETTINGS or columns.is_seed(one.name)
    return one.type() in ("int", "float") and not named


def _late(part: Part) -> tuple[int, bool]:
    """Numbers that a word names come first, then texts, then such as `start5` and `end10`.

    Of texts those that look like models or tasks come before any: what is left is the other.
    """
    if not part.key:
        vague = sum(map(is_model, part.values)) == sum(map(is_task, part.values))
        return 1, vague
    return (2 if part.key.lower() in columns.NEVER else 0), False


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdigit()


def free(name: str, taken: set[str]) -> str:
    """A name for a column that neither ours nor another has."""
    plain = "_".join(scores.words(name)) or "setting"
    plain = plain if plain[0].isalpha() else f"p_{plain}"
    if plain in roles.TAKEN and plain not in (*roles.SETTINGS, "sample_id"):
        plain = f"{plain}_setting"
    number, found = 2, plain
    while found in taken:
        found, number = f"{plain}_{number}", number + 1
    return found
