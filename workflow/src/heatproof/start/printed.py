"""A source of aggregates: which numbers were printed, and what tells that no record lies below.

A record is a run and its numbers where standard errors stand beside numbers, where they are called
as W&B, MLflow and code benchmarks call such, or where settings tell all records apart, none has the
id of a problem, and what looks like a score is called like a share and is neither 0 nor 1.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats import aggregates
from heatproof.formats.places import KEY, VALUE
from heatproof.start import columns, evaluations, known, own, scores
from heatproof.start.block import Line
from heatproof.start.meaning import MOST, Role, free
from heatproof.start.source import listed
from heatproof.start.tasks import is_model, is_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.start.columns import Column, Records
    from heatproof.start.families import Family
    from heatproof.start.known import Layout
    from heatproof.start.pathparts import Token
    from heatproof.start.scores import Score
    from heatproof.start.source import Ask, Found

SHARES = {
    "acc", "accuracy", "acc_norm", "avg", "average", "mean", "bleu", "rouge", "em", "exact_match",
    "f1", "mcc", "pass_rate", "passrate", "resolve_rate", "resolved_rate", "score", "solve_rate",
    "success_rate", "win_rate", "winrate", "perplexity", "ppl", "loss", "eval_loss", "val_loss",
    "overall", "result", "value", "percent", "mean_score", "average_score",
}  # fmt: skip
"""What numbers of whole runs are called."""
VAGUE = {"score", "result", "value", "em", "exact_match", "f1"}
"""Of these, what single problems have, too."""
ERRORS = re.compile(r"[_\s]*(?:std_?err(?:or)?|stderr|standard_error|se|sem)\b", re.IGNORECASE)
PASSES = re.compile(r"(?:pass|maj|cons)@\d+", re.IGNORECASE)
LOGGED = re.compile(r"(?:metrics?|eval|test|val|valid|validation|summary)[./]", re.IGNORECASE)
"""Before the names of numbers that W&B and MLflow log."""
SIZES = {
    "n", "n_samples", "num_samples", "samples", "questions", "num_questions", "n_questions",
    "total", "n_problems", "num_problems", "problems", "num_examples", "n_examples", "examples",
}  # fmt: skip
LOSS = {"loss", "ppl", "perplexity", "nll", "bpb", "bleu", "rouge"}
"""Words in the names of what is no share."""
STATES = {"state", "status", "run_status", "run_state"}
ENDED = {"finished", "completed", "complete", "success", "succeeded", "done", "ok"}
NAMED = ("name", "run_name", "display_name", "experiment", "method", "setting", "run", "run_id")
"""What runs are called."""
BESIDE = ("^configs", "^versions", "^n-shot", "^n-samples", "^higher_is_better", "^group",
          "^task_hashes", "^versions")  # fmt: skip
"""Places in which lm-evaluation-harness tells of tasks."""
MANY = 400
"""Records of aggregates at most, where nothing but their values tells what they are."""
SHOWN = 3
"""Numbers that have a figure of their own."""


class Number(NamedTuple):
    """A number and what is known of it."""

    name: str
    place: str
    values: list[Any]
    stderr: str = ""
    n: str = ""

    def line(self) -> Line:
        """What config.yaml says of it."""
        known = {"value": self.place, "stderr": self.stderr, "n": self.n}
        told = {key: place for key, place in known.items() if place}
        held = [value for value in map(_number, self.values) if value is not None]
        why = f"{min(held):g} … {max(held):g}" if held else ""
        return Line(self.name, self.place if len(told) == 1 else told, why)


def found(family: Family, ask: Ask) -> Found | None:
    """The source of a family of aggregates; None if its records are of problems.

    Raises:
        Cannot: no path or place tells what they are.
    """
    records = columns.Records.of(family.sheets, MOST)
    if evaluations.is_whole(records.places()):
        return evaluations.found(family, records)
    if layout := known.find(records.places()):
        return _known(family, layout, ask) if layout.printed else None
    numbers, wide = _numbers(family, records)
    if not numbers:
        return None
    return _Guess(family, ask, numbers, wide).found()


def _known(family: Family, layout: Layout, ask: Ask) -> Found:
    """The source of a harness whose finished numbers are known; other records are passed over."""
    sheets = [
        sheet._replace(rows=[row for row in sheet.rows if {*layout.printed} <= {*row}])
        for sheet in family.sheets
    ]
    family = family._replace(sheets=sheets)
    records = columns.Records.of(sheets, MOST)
    numbers = [Number(place, place, records.values(place), n=layout.n) for place in layout.printed]
    return _Guess(family, ask, numbers, []).found()


def _numbers(family: Family, records: Records) -> tuple[list[Number], list[str]]:
    """The printed numbers of records, and of a column for each task these; nothing if none is."""
    likely = [one for one in columns.singles(records) if not one.place.startswith("^")]
    numeric = [one for one in likely if _is_number(one) and _is_in_all(one, family)]
    errors = {one.place: ERRORS.search(one.place) for one in numeric}
    named = [one for one in numeric if not errors[one.place] and _is_named(one)]
    first = named[0].place if named else ""
    bases = {p: p[: m.start()] + p[m.end() :] or first for p, m in errors.items() if m}
    beside = [one for one in numeric if one.place in bases.values()]
    # Records of problems group their scores under such words, too.
    exported = family.format == "csv" or not _has_problems(likely)
    logged = [one for one in numeric if exported and LOGGED.match(one.place)]
    logged = [one for one in logged if one.place not in bases]
    logged = [] if _name_problems(likely, logged) else logged
    sure = list(dict.fromkeys(one.place for one in [*beside, *_passes(numeric), *logged]))
    every = {one.place: one for one in numeric}
    if not sure and family.sheets[0].printed:
        sure = [one.place for one in numeric if one.place not in bases]
    if not sure and (found := _wide(family, likely, numeric))[0]:
        return found
    if not sure and _is_table_of_runs(family, records, likely, named):
        sure = [one.place for one in named]
    if sure:
        sizes = [one.place for one in numeric if _size(one)]
        sure = [place for place in sure if place not in sizes]
        more = [one.place for one in named if one.place not in sure]
        back = {base: place for place, base in bases.items()}
        return _told([every[place] for place in [*sure, *more]], back, sizes), []
    return [], []


def _told(found: Iterable[Column], errors: dict[str, str], sizes: Sequence[str]) -> list[Number]:
    taken: set[str] = set()
    numbers = []
    for one in found:
        plain = (
            "number" if one.place == VALUE else one.place.rpartition("/")[2].replace("@", "_at_")
        )
        name = free(plain, taken)
        taken.add(name)
        before = re.sub(r"[^./]*$", "", one.place)
        near = [place for place in sizes if place.startswith(before)]
        size = next(iter([*near, *sizes] if _is_share(one) else []), "")
        numbers.append(Number(name, one.place, one.values, errors.get(one.place, ""), size))
    return numbers


def _is_share(one: Column) -> bool:
    """Whether its values can be shares of problems, so that these tell an interval."""
    held = [value for value in map(_number, one.values) if value is not None]
    return not LOSS & {*scores.words(one.place)} and all(0 <= value <= 100 for value in held)


def _passes(numeric: Sequence[Column]) -> list[Column]:
    """Shares of problems that were solved: those of single problems are 0 or 1."""
    return [one for one in numeric if PASSES.fullmatch(_last(one.place)) and _is_between(one)]


def _last(place: str) -> str:
    return re.split(r"[./]", place)[-1]


def _is_named(one: Column) -> bool:
    return scores.name(one.place.partition(",")[0]) in SHARES or bool(
        PASSES.fullmatch(_last(one.place))
    )


def _is_between(one: Column) -> bool:
    """Whether some value is neither 0 nor 1, nor 100."""
    return any(value not in (None, 0.0, 1.0, 100.0) for value in map(_number, one.values))


def _number(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"-?\d+,\d+\s*%", value.strip()):
        value = value.replace(",", ".")  # of a table with a decimal comma
    try:
        return None if isinstance(value, bool) else aggregates.number(value)
    except TypeError:
        return None


def _is_number(one: Column) -> bool:
    """Whether it holds numbers, `N/A` and the like."""
    told = [value for value in one.values if value is not None]
    blank = [v for v in told if isinstance(v, str) and v.strip().casefold() in aggregates.NOTHING]
    held = [value for value in told if _number(value) is not None]
    return bool(held) and len(held) + len(blank) == len(told)


def _is_in_all(one: Column, family: Family) -> bool:
    """Whether all tables have it; an item of a document may lack a number."""
    first = (sheet.rows[:1] for sheet in family.sheets)
    return family.format != "csv" or all(one.place in row for rows in first for row in rows)


def _size(one: Column) -> bool:
    """Whether it is how many problems are behind the numbers beside it."""
    whole = all(value is None or (isinstance(value, int) and value >= 1) for value in one.values)
    return whole and scores.name(_last(one.place)) in SIZES


def _name_problems(likely: Sequence[Column], logged: Sequence[Column]) -> bool:
    """Whether records name problems; an `id` alone, which W&B has, does beside 0 and 1 only."""
    ids = [one for one in likely if one.name in columns.IDS and one.name not in NAMED]
    ids = [one for one in ids if len(one.distinct()) > 1]
    return any(one.name != "id" for one in ids) or (bool(ids) and not any(map(_is_between, logged)))


def _is_table_of_runs(
    family: Family, records: Records, likely: Sequence[Column], named: Sequence[Column]
) -> bool:
    """Whether settings tell all records apart, of which none names a problem."""
    size = len(records.rows)
    if not named or not _is_between(named[0]) or size > MANY or _is_alone(family, named):
        return bool(named) and _is_alone(family, named) and _is_between(named[0])
    if family.sheets[0].keyed or family.format != "csv":
        return False
    if _has_problems(likely):
        return False
    settings = [one for one in likely if one.type() == "str" or one.name in _SETTINGS]
    settings = [one for one in settings if one not in named and one.name not in columns.NEVER]
    keys = {*zip(*(one.values for one in settings), strict=True)} if settings else set()
    model, task = columns.model(likely), columns.named(likely, columns.TASKS)
    if size > 1 and len(keys) == size and bool(model or task):
        return True
    return _is_whole_grid([one for one in likely if one not in named], size)


def _is_whole_grid(likely: Sequence[Column], size: int) -> bool:
    """Whether whole numbers name the cells of a grid, each of which is there once."""
    axes = [one for one in likely if one.full and one.type() == "int" and not _size(one)]
    axes = [one for one in axes if len(one.distinct()) > 1 and one.name not in columns.NEVER]
    keys = {*zip(*(one.values for one in axes), strict=True)} if len(axes) > 1 else set()
    return size > 1 and len(keys) == size == prod(len(one.distinct()) for one in axes)


def _has_problems(likely: Sequence[Column]) -> bool:
    """Whether some place tells problems apart."""
    ids = [one for one in likely if one.name in columns.IDS and one.name not in NAMED]
    return any(len(one.distinct()) > 1 for one in ids)


_SETTINGS = {*columns.SETTINGS, *columns.SEEDS}


def _is_alone(family: Family, named: Sequence[Column]) -> bool:
    """Whether each file is a document with a number that only whole runs have."""
    return family.is_single and any(scores.name(one.place) not in VAGUE for one in named)


def _wide(
    family: Family, likely: Sequence[Column], numeric: Sequence[Column]
) -> tuple[list[Number], list[str]]:
    """A column for each task: one names the run, and others are called like tasks."""
    texts = [one for one in likely if one.type() == "str" and one.full]
    rows = len(likely[0].values) if likely else 0
    texts = [one for one in texts if one.name not in columns.IDS or one.name in NAMED]
    named = [one for one in texts if len(one.distinct()) == rows > 1]
    left = [one for one in numeric if one.name not in (*columns.IDS, *_SETTINGS, "params", "size")]
    left = [one for one in left if _is_between(one) and not columns.is_measure(one)]
    if family.format != "csv" or not named or rows > MANY:
        return [], []
    of = "model" if named[0].name in columns.TASKS else "task"
    is_one = is_model if of == "model" else is_task
    sure = [one for one in left if is_one(one.place)]
    if len(sure) < (1 if of == "model" else 2):
        return [], []
    kept = [one for one in left if is_one(one.place) or _like(one, sure)]
    values = [value for one in kept for value in one.values]
    return [Number("acc", f"{{{of}}}", values)], [one.place for one in kept]


def _like(one: Column, tasks: Sequence[Column]) -> bool:
    """Whether its values lie where those of tasks do."""
    held = [value for value in map(_number, one.values) if value is not None]
    known = [v for task in tasks for v in map(_number, task.values) if v is not None]
    percent = max(known) > 1
    return all((value > 1) == percent and value <= 100 for value in held)


class _Guess(own.Guess):
    """What the records of a family of aggregates mean, beside their numbers."""

    def __init__(
        self, family: Family, ask: Ask, numbers: Sequence[Number], wide: Sequence[str]
    ) -> None:
        """`wide`: columns that are tasks."""
        self.numbers, self.wide = numbers, wide
        self.finished: dict[str, str] = {}
        self.named: list[Column] = []
        """Names of runs, each its own."""
        super().__init__(family, ask)

    def _score(self) -> tuple[Score, list[Score]]:
        return scores.Score(self.numbers[0].place, "printed", ""), []

    def _settle(self) -> None:
        taken = {place for one in self.numbers for place in (one.place, one.stderr, one.n)}
        self.columns = [one for one in self.columns if one.place not in {*taken, *self.wide}]
        self.columns = [one for one in self.columns if not self._is_state(one)]
        others = [one for one in self.columns if _is_number(one) and one.type() == "float"]
        left = {one.place for one in others if one.name not in _SETTINGS and not _is_param(one)}
        left |= {one.place for one in self.columns if self._is_of_harness(one)}
        size = len(self.records.rows)
        self.named = [one for one in columns.named(self.columns, NAMED)
                      if one.type() == "str" and len(one.distinct()) == size > 1]  # fmt: skip
        left |= {one.place for one in self.named}
        self.columns = [one for one in self.columns if one.place not in left]
        super()._settle()

    def _is_of_harness(self, one: Column) -> bool:
        """Whether it is what a harness tells beside numbers, and neither model nor setting."""
        if one.place == "alias" or one.place.startswith(BESIDE):
            return self.sheet.keyed
        if self.sheet.keyed and one.place.startswith("^") and one.name in columns.TASKS:
            return True
        known = {other.place for other in self.columns}
        better = {"^model_name", "^config.model_args"} & known
        return one.place == "^config.model" and bool(better)

    def _is_state(self, one: Column) -> bool:
        """Whether it tells which runs finished."""
        if one.name not in STATES or one.type() != "str":
            return False
        done = [value for value in one.distinct() if str(value).casefold() in ENDED]
        if len(done) == 1:
            self.finished[one.place] = done[0]
            rest = [value for value in one.distinct() if value not in done]
            if rest:
                self.doubts.append(f"{one.place}: runs that are {listed(rest)} are missing")
        return len(done) == 1

    def _problem(self, tokens: Sequence[Token]) -> list[Any]:  # noqa: ARG002
        """What a record is beside the settings of its run: a task."""
        args = next((one for one in self._left() if one.name == "model_args"), None)
        names = columns.named(self._left(), NAMED)
        name = next((one for one in names if one.full and columns.is_text(one, 500)), args)
        if self.role("model") is None and name is not None:
            self._take("model", name)
        tasks = [one for one in columns.named(self._left(), columns.TASKS) if columns.is_text(one)]
        if self.role("task") is None and tasks and not self.sheet.keyed:
            self._take("task", tasks[0])
        if self.sheet.keyed and self.role("task") is None:
            self.roles.append(Role("task", KEY, self._numbers()))
        task = self.role("task")
        return list(task.values) if task else [""] * len(self.records.rows)

    def _is_setting(self, one: Column, problems: Sequence[Any]) -> bool:
        if _is_param(one):
            return len(one.distinct()) > 1 and not self._known(one)
        return super()._is_setting(one, problems)

    def _unnamed(self) -> None:
        """What columns of a table name needs no other name."""
        if self.named and not self._apart():
            swept = any(len({*one.values}) > 1 for one in self.roles if one.column != "task")
            if swept or self.role("model") or self._of("model"):  # a run of the same settings
                self._take(free("run_name", self._names()), self.named[0], pooled=True)
            else:
                self._take("model", self.named[0])
        super()._unnamed()
        for column in ("model", "task"):
            if self._of(column):
                self.set.pop(column, None)
                self.doubts = [one for one in self.doubts if f"like a {column}:" not in one]

    def _of(self, column: str) -> bool:
        """Whether columns of a table are its values."""
        return bool(self.wide) and self.numbers[0].place == f"{{{column}}}"

    def _epoch(self, problems: Sequence[Any]) -> None:  # noqa: ARG002
        """Where settings do not tell all records apart, others do, or the name of the run."""
        while not self._apart():
            left = [one for one in self._left() if self._may_tell(one)]
            best = max(left, key=self._apart_by, default=None)
            if best is None or self._apart_by(best) <= self._apart_by(None):
                break
            self._take_setting(best)
        if not self._apart():
            self.doubts.append(
                "records of equal settings: nothing tells them apart, and all but the first are "
                "refused; give what does a place under params"
            )

    def _may_tell(self, one: Column) -> bool:
        plain = one.full and one.name not in columns.NEVER and not columns.is_measure(one)
        return plain and one.type() in ("str", "int", "bool") and len(one.distinct()) > 1

    def _apart(self) -> bool:
        return self._apart_by(None) == len(self.records.rows)

    def _apart_by(self, more: Column | None) -> int:
        """How many records settings tell apart, with one column `more`."""
        known = [role.values for role in self.roles] + ([more.values] if more else [])
        return len({*zip(*known, self.records.files, strict=True)}) if known else 1

    def _scored(self) -> list[Line]:
        return []

    def _scale(self) -> list[Line]:
        return []

    def found(self) -> Found:
        """The source, as far as it is known."""
        found = super().found()
        lines = [
            line for line in found.lines if line.key != "measures" and line.value not in ([], {})
        ]
        if self.finished:
            lines.append(Line("finished", dict(self.finished), "what others printed is missing"))
        lines.append(
            Line("aggregates", [*map(self._line, self.numbers)],
                 "printed numbers, of which no record lies below")
        )  # fmt: skip
        lines += self._percent()
        return found._replace(lines=lines, printed=[one.name for one in self.numbers[:SHOWN]])

    def _line(self, one: Number) -> Line:
        if not self.wide:
            return one.line()
        held = [value for value in map(_number, one.values) if value is not None]
        why = f"a column for each, {min(held):g} … {max(held):g}"
        return Line(one.name, {"value": one.place, "of": list(self.wide)}, why)

    def _percent(self) -> list[Line]:
        """What is 0 and what is 1, for an interval of shares that were printed in percent."""
        told = {}
        for one in self.numbers:
            held = [value for value in map(_number, one.values) if value is not None]
            if one.n and not one.stderr and held and 1 < max(held) <= 100 and min(held) >= 0:
                told[one.name] = [0, 100]
        return [Line("range", told, "percent")] if told else []

    def _seen(self) -> list[tuple[str, str, str]]:
        told = [one for one in super()._seen() if one[2] != "score"]
        for one in self.numbers:
            what = f"{one.place.strip('{}')}, the name of the column"
            told += [(place, "", what) for place in self.wide]
            if not self.wide:
                told.append((one.place, one.line().why, f"aggregates.{one.name}"))
            beside = ((one.stderr, "standard error"), (one.n, "problems"))
            told += [(place, "", f"{what} of {one.name}") for place, what in beside if place]
        return told


def _is_param(one: Column) -> bool:
    return one.place.startswith(("params.", "config.", "config/", "params/"))
