"""A family of files → its likeliest readings, each on trial: read by the real reader, with the
thresholds of a run. The first that holds is written; what only a person can say is a question.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any

import heatproof as hp
from heatproof.charts import typefaces, wording
from heatproof.config import configuration
from heatproof.formats.places import GROUP, VALUE
from heatproof.init import doubts, roles
from heatproof.init.facts import (
    NAMED,
    differ_in_one_key,
    in_words,
    is_amount,
    is_label,
    may_be_score,
    names_score,
    score_weight,
    weight,
)
from heatproof.init.facts import words as words_of
from heatproof.init.files import mixed
from heatproof.init.frame import (
    CHOICES,
    EQUAL,
    NUMBER,
    TRUTH,
    Frame,
    grades_of,
    kind,
    with_grades,
    with_records,
    with_score,
)
from heatproof.init.games import OPPONENT
from heatproof.init.readings import frames, joined_frames, ungraded
from heatproof.init.roles import Given
from heatproof.init.source import GRADES, Draft, Figure, Source, Trial
from heatproof.init.wide import scale, shares_of_counts, with_hole
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.init.facts import Facts
    from heatproof.init.layouts import Family

BYTES, OPTION = 64 << 20, 2 << 20
"""Of all logs, read on trial; of those of an answer that nobody gave."""
EMPTY = 0.02  # part of the cells that must be filled
SHOWN = 0.5  # part of the samples that a first figure must show
TRIED = 4  # readings at most
CANDIDATES = 6  # columns that are named where none is known to be the score
SURE, PROVED, SHARE = 99.0, 9.0, 1.5
"""Weight of a score that is known; of one of which heads print the mean; of a share of counts."""
ROWS = 6  # from which it is no chance that a number is the share of two others
PANELS, CELLS = 24, 10_000
ACROSS = 16  # names along x at most, where y has fewer
BOARD = 8  # models of a board
NOTHING = Given()
NO_GRADE = (
    "no column grades answers: write right or wrong, or a number, into each record; or name the "
    "score: heatproof init FOLDER --score PLACE"
)
BETWEEN = re.compile(r"[_.\- ]+")  # words of a name
ALIKE = 3  # columns whose names end alike, from which they are offered together
EXACT = 4  # decimals of printed numbers that are shown as they are
NAMES = 3  # names that cannot be drawn, as they are listed
APART = 4  # figures of one kind, where a column has no place in one
AGAINST = "against"  # along x: the opponents, of a board of games
CURVE = 3  # numbers of a setting from which a line is drawn over it


def best(
    family: Family,
    patterns: str | list[str],
    within: str,
    root: Path,
    given: Given = NOTHING,
    most: int = BYTES,
) -> Source:
    """The first reading of a family that a trial bears out, or a question: it has no figures.

    `patterns`: of its logs; `within`: what the folder is called; `given`: what a person said;
    `most`: bytes that are read on trial.
    """
    tables = _frames(family, given)
    reasons = [table.layout["refused"] for table in tables if "refused" in table.layout]
    columns = _ranked([] if reasons else tables, given.score)
    question = Source(family.paths)
    for likely, name, table in columns[:TRIED]:
        if likely < roles.LEAST["score"]:
            break
        if lacking := ungraded(table, name):
            return Source(family.paths, ungraded=lacking)
        if asked := _ask_which(table, name, columns, given):
            return asked
        records = with_records(with_score(table, name), given.values)
        reading = roles.Reading(records, name, given)
        source = Draft(reading, patterns, within, given).source
        source.graded = name == given.score
        if source.question:  # nothing less likely is drawn
            reasons.append(source.question)
            question = source
            break
        on_trial(source, root, read(source.entry, root, most))
        _ask_of_empty(source, given)
        if source.figures or source.question:
            source.rejected = reasons
            return source
        reasons.append(f"{_label(name)} was tried: {source.rejected[0]}")
    scores = _score_answers(columns, given)
    if reasons or question.answers or given.grade:
        return _asked(question, reasons, scores)
    return _ask_grade(question, tables, scores, given)


def has_column(family: Family, place: str) -> bool:
    """Whether records of a family have a place, or one that ends so."""
    tables = _frames(family, NOTHING)
    if GROUP.search(place) and any(with_hole(table, place) for table in tables):
        return True
    names = set(chain(*(table.facts for table in tables)))
    lasts = {name.rpartition(".")[2] for name in names}
    return place in names | lasts


def has_score(family: Family) -> bool:
    """Whether records of a family have a column that is called a score."""
    for likely, *_ in _ranked(_frames(family, NOTHING), "")[:1]:
        return likely >= roles.LEAST["score"]
    return False


def _ask_of_empty(source: Source, given: Given) -> None:
    """Ask what empty answers are, if there are many: no figure is drawn before."""
    trial = source.trial
    doubt = doubts.doubt_of_empty(trial.unanswered(), len(trial.samples))
    if doubt:
        source.ask(doubt.question, doubt.answers, given)
    if source.question:
        source.figures.clear()


def _frames(family: Family, given: Given) -> list[Frame]:
    """The readings of a family, as far as a person said which."""
    tables = frames(family)
    laid_out = [table for table in tables if table.at == table.layout.get("at", "")]
    tables = laid_out or tables
    if len(given.places) > 1:
        tables = joined_frames(family, given.places)
    elif given.places:
        tables = [table for table in tables if table.at == given.places[0]]
    if GROUP.search(given.score):
        longer = [with_hole(table, given.score) for table in tables]
        tables = [table for table in longer if table] or tables
    if given.grade:
        tables = [with_grades(table, given.grade) for table in tables if table.pair]
    return tables


def _grade_answers(table: Frame, given: Given) -> list[tuple[str, Given]]:
    """How answers may be graded against what was expected, and how many are right then."""
    if not table.pair:
        return []
    ranked: dict[int, tuple[str, Given]] = {}  # how many are right → the answer
    for grade, words in GRADES.items():
        grades = grades_of(table, grade).drop_nulls()
        right = int(grades.sum())
        if right and right not in ranked:  # another picture
            answer_words = f"if it {words}: {right:,} of {len(grades):,} are right"
            ranked[right] = answer_words, replace(given, score=EQUAL, grade=grade)
    answers = [ranked[right] for right in sorted(ranked, reverse=True)]
    if table.facts[table.pair["answer"]].distinct <= CHOICES:  # a word is right if it is the word
        answers.sort(key=lambda option: option[1].grade != "exact")
    return answers


def _ask_grade(
    question: Source, tables: Sequence[Frame], scores: list[tuple[str, Given]], given: Given
) -> Source:
    """A question how answers are graded, where records have both sides; or which is the score."""
    for table in tables:
        if grades := _grade_answers(table, given):
            expected, truth = table.pair["target"], table.family.truth
            if expected == TRUTH and truth:
                expected = f"what {truth.file} says"
            answer = table.answers or table.pair["answer"]
            question.question = (
                f"nothing grades {answer}: when is it right? {expected} was expected"
            )
            question.answers = grades + scores
            return question
    return _asked(question, [], scores)


def _asked(question: Source, reasons: list[str], scores: list[tuple[str, Given]]) -> Source:
    """What only a person can say of logs of which no reading holds; `scores`: columns to choose."""
    question.answers = question.answers or scores
    question.question = "; ".join(reasons)
    if not reasons:
        unknown = "no column says that it is the score: which is it?"
        question.question = unknown if scores else NO_GRADE
    elif question.answers and not question.entry:
        question.question = f"which column is the score? {question.question}"
    return question


def _ask_which(
    table: Frame, name: str, columns: Sequence[tuple[float, str, Frame]], given: Given
) -> Source | None:
    """A question where equal records, or equal columns of a record, lie in several places."""
    if siblings := _siblings(table, name, columns):
        return _ask_place(table.family, name, siblings, given)
    if alike := _places_alike(table, name, columns, given):
        return _ask_columns(table.family, name, alike, given)
    return None


def _ask_place(family: Family, name: str, places: list[str], given: Given) -> Source:
    """A question where records of one shape lie in several places."""
    text = f"{_label(name)} is in {in_words(places, len(places))}: which is drawn?"
    answers: list[tuple[str, Given]] = []
    if not any("{" in place for place in places):
        answers.append(("all of them, kept apart", replace(given, places=tuple(places))))
    for place in places[:CANDIDATES]:
        answers.append((f"that in {place}", replace(given, places=(place,))))
    return Source(family.paths, question=text, answers=answers)


def _places_alike(
    table: Frame, name: str, columns: Sequence[tuple[float, str, Frame]], given: Given
) -> list[str]:
    """Places of equal columns below several keys of a record, unless a person chose one."""
    if given.score:
        return []
    above, point, hole = table.place.rpartition(".{")
    if not point:
        return _keys_alike(table, name)
    places = {table.place}
    for *_, other in columns:
        key, _, end = other.place.rpartition(".{")
        if other.at == table.at and end == hole and differ_in_one_key(key, above):
            places.add(other.place)
    return sorted(places) if len(places) > 1 else []


def _keys_alike(table: Frame, name: str) -> list[str]:
    """Columns that differ from a score in one key, as those of several systems; none if one is
    known to be the score.
    """
    above, point, last = name.rpartition(".")
    certain = table.layout.get("roles", {}).get("score")
    if certain or table.place or not point or kind(name) != "field":
        return []
    keys = {above}
    for other, facts in table.facts.items():
        key, point, end = other.rpartition(".")
        is_alike = point and end == last and facts.type == table.facts[name].type
        if is_alike and kind(other) == "field" and differ_in_one_key(key, above):
            keys.add(key)
    return [f"{key}.{last}" for key in sorted(keys)] if len(keys) > 1 else []


def _ask_columns(family: Family, name: str, places: list[str], given: Given) -> Source:
    """A question where a record has equal columns below several keys."""
    within = ".{" if "{" in name else "."
    keys = [place.rpartition(within)[0] for place in places]
    numbers = "equal columns" if "{" in name else name.rpartition(".")[2]
    text = f"records have {numbers} in {in_words(keys, len(keys))}: which are drawn?"
    answers: list[tuple[str, Given]] = []
    for key, place in zip(keys, places, strict=True):
        answers.append((f"those in {key}", replace(given, score=place)))
    return Source(family.paths, question=text, answers=answers)


def _siblings(table: Frame, name: str, columns: Sequence[tuple[float, str, Frame]]) -> list[str]:
    """Places with a score that differ in one key; none if there is one alone."""
    own = table.at or ""
    places = {own}
    for _, score, other in columns:
        if score == name and differ_in_one_key(other.at or "", own):
            places.add(other.at or "")
    if len(places) == 1 or "" in places:
        return []
    return sorted(places)


def _label(name: str) -> str:
    """A column as a person finds it in the logs."""
    if name == NUMBER:
        return "the numbers of several columns"
    return GROUP.sub("*", name)


def _score_answers(
    columns: Sequence[tuple[float, str, Frame]], given: Given
) -> list[tuple[str, Given]]:
    """The columns that may be the score, the likeliest first, with their values: several of one
    kind, what is called a score, classes of answers, other numbers, amounts.
    """
    by_name: dict[str, Given] = {}
    labels: dict[str, Given] = {}
    likely: dict[str, Given] = {}
    amounts: dict[str, Given] = {}
    for _, name, table in columns:
        facts = table.facts[name]
        if may_be_score(facts) and name != given.score:
            answers = amounts if is_amount(facts) else likely
            if is_label(facts):
                answers = labels
            elif names_score(table.called(name)):
                answers = by_name
            label = f"{name} in {table.at}" if name == VALUE else name
            # What was said of another score is not true of this one.
            answer = replace(given, score=name, keys={})
            answers.setdefault(f"{label}: {facts.contents}", answer)
    several = _several_answers(columns, given)
    ranked = several | by_name | labels | likely | amounts
    return list(ranked.items())[:CANDIDATES]


def _several_answers(columns: Sequence[tuple[float, str, Frame]], given: Given) -> dict[str, Given]:
    """Columns whose names end alike, such as a rate of each condition, as one score."""
    starts_of: dict[str, set[str]] = defaultdict(set)
    facts_of: dict[str, list[Facts]] = defaultdict(list)
    for _, name, table in columns:
        for gap in BETWEEN.finditer(name) if not table.place else ():
            start = name[: gap.start()]
            place = f"{{column}}{name.removeprefix(start)}"
            if place in facts_of or with_hole(table, place):
                starts_of[place].add(start)
                facts_of[place].append(table.facts[name])
    answers: dict[str, Given] = {}
    for place, starts in starts_of.items():
        if len(starts) >= ALIKE and _are_alike(facts_of[place]):
            words = f"{place}: {in_words(sorted(starts), len(starts))}"
            answers[words] = replace(given, score=place, keys={})
    return answers


def _are_alike(columns: Sequence[Facts]) -> bool:
    """Whether columns are of scores on one scale, and none of amounts."""
    graded = all(map(may_be_score, columns)) and not any(map(is_amount, columns))
    return graded and len(set(map(scale, columns))) == 1


def _ranked(tables: Sequence[Frame], score: str) -> list[tuple[float, str, Frame]]:
    """Columns that may be the score, the likeliest first."""
    columns: list[tuple[float, str, Frame]] = []
    for table in tables:
        weights = _score_weights(table, score)
        columns += [(weight_, name, table) for name, weight_ in weights.items()]
    ranked = sorted(columns, key=lambda column: -column[0])
    varied = [column for column in ranked if column[0] >= SURE or not _is_settled(column)]
    named = bool(varied) and varied[0][0] >= roles.LEAST["score"]
    return varied if named else ranked


def _score_weights(table: Frame, score: str) -> dict[str, float]:
    """Column of a frame → how likely it is the score; of several columns their one."""
    if table.score:
        if score not in ("", table.score):
            return {}
        return {table.score: SURE if score else table.weight}
    last_keys = {name: name.rpartition(".")[2] for name in table.facts}
    count = Counter(last_keys.values())
    certain = score or table.layout.get("roles", {}).get("score", "")
    if certain not in table.facts and count[certain] == 1:
        [certain] = (name for name, last in last_keys.items() if last == certain)
    weights: dict[str, float] = {}
    told = _told_by_rows(table)
    likely = [name for name in table.facts if name == certain or told.get(name, 1) > 0]
    for name in [name for name in likely if kind(name) == "field"]:
        value = score_weight(table.called(name)) - _repeated_key(name, count[last_keys[name]])
        if name == certain:
            value = SURE
        elif name in told and not score:
            value = max(value, told[name])
        elif score or not _may_be_named(name, table):
            value = min(value, 0.0)
        weights[name] = value
    return weights


def _told_by_rows(table: Frame) -> dict[str, float]:
    """Column → how likely it is the score by the rows: surely not, as counts and running totals."""
    fields = [name for name in table.facts if kind(name) == "field"]
    told = {name: 0.0 for name in fields if table.is_running(name)}
    numbers = [table.facts[name] for name in fields if table.facts[name].type in ("int", "float")]
    if len(table.data) < ROWS:
        numbers = []
    for share, counts in shares_of_counts(numbers, table).items():
        told |= dict.fromkeys(counts, 0.0)
        told[share] = SHARE
    if table.proved:
        told[table.proved] = PROVED
    return told


def _is_settled(column: tuple[float, str, Frame]) -> bool:
    _, name, table = column
    return table.is_settled(name)


def _repeated_key(name: str, times: int) -> float:
    """How much it speaks against a column that its last key stands in others too: keys may be
    values.
    """
    if times == 1:
        return 0.0
    less = 1.5 if "." in name else 0.3
    return less + 3.0 if times > 6 else less


def _may_be_named(name: str, table: Frame) -> bool:
    if table.is_of_side(name) or table.is_spread(name):
        return False
    return names_score(table.called(name)) or _is_mean(name, table)


def _is_mean(name: str, table: Frame) -> bool:
    """Whether a column is called a mean, and its error or its interval lies beside it."""
    if words_of(name) not in (["mean"], ["average"], ["avg"]):
        return False
    others = [other for other in table.facts if other != name]
    return any(weight("stderr", other) >= NAMED or "ci" in words_of(other) for other in others)


def read(entry: Mapping[str, Any], root: Path, most: int = BYTES) -> Trial:
    """The samples of a source; of many or large logs, of some."""
    try:
        config = configuration.read({"sources": {"trial": dict(entry)}}, root)
        source = config.sources["trial"]
        paths = logs.find(source, root)
        taken = _some(paths, root, most)
        (samples, rejected), words, problems = reading.tables_of(source, taken, root)
    except Error as error:
        return Trial(fault=_plain(error))
    told = "; ".join(map(_plain, problems))
    fault = " ".join(told.split())
    if not (fault or len(samples)):
        fault = words or "none of its records could be read"
    part = ""
    if len(taken) < len(paths):
        part = f"; {len(taken):,} of them read"
    return Trial(source, samples, words, part, fault, rejected)


def _plain(error: object) -> str:
    return str(error).replace("config.yaml: ", "").replace("sources.trial", "it")


def _some(paths: Sequence[str], root: Path, most: int) -> list[str]:
    """Logs that are read on trial: all, or some of all folders."""
    taken: list[str] = []
    left = most
    for path in mixed(paths):
        left -= (root / path).stat().st_size
        if left >= 0 or not taken:
            taken.append(path)
    return sorted(taken)


def on_trial(source: Source, root: Path, trial: Trial | None = None) -> Source:
    """The source with the figures that say something; none, and why, if it cannot be read so."""
    source.trial = trial = trial or read(source.entry, root)
    source.rejected = [trial.fault] if trial.fault else []
    if trial.fault:
        return source
    metric = source.metric
    if source.metric == "pass@1":
        scores = trial.samples["score"].drop_nulls()
        if "range" in source.entry or not scores.is_in([0.0, 1.0]).all():
            metric = "mean(score)"
    sweep = Sweep(source, metric)
    for plain in sweep.figures():
        figure = _told(plain, source, metric)
        if figure.keys["kind"] == "pairwise" and source.best != "highest":
            continue  # who is ahead there has the higher score
        if not _add_figure(source, figure) and not source.figures:
            break  # another figure of the same would say no more
    source.notes += sweep.notes if source.figures else []
    source.notes += _undrawn_names(source)
    return source


def _undrawn_names(source: Source) -> list[str]:
    """A line for each reason for which figures cannot show names of their axes and panels."""
    samples = source.trial.samples
    columns: set[str] = set()
    for figure in source.figures:
        axes = figure.keys.get("encoding", {"": "model"}).values()
        words = {word for word in chain(axes, figure.keys.values()) if isinstance(word, str)}
        columns |= words.intersection(samples.columns)
    reasons: dict[str, list[str]] = {}
    for column in sorted(columns):
        for name in sorted(map(str, samples[column].drop_nulls().unique())):
            if not name.isascii() and (reason := typefaces.name_fault(name)):
                reasons.setdefault(reason, []).append(name)
    lines: list[str] = []
    for reason, names in reasons.items():
        lines.append(f"{_some_names(names)}: {reason}")
    return lines


def _some_names(names: Sequence[str]) -> str:
    """The first names of many."""
    first = ", ".join(names[:NAMES])
    if not names[NAMES:]:
        return first
    return f"{first} and {len(names) - NAMES} more"


def _told(figure: Figure, source: Source, metric: str) -> Figure:
    """The figure with the names of the scores that were chosen, and without a doubtful best."""
    keys: dict[str, Any] = {}
    if source.chosen and metric in figure.keys.get("encoding", {}).values():
        name = wording.measure(metric, {})
        keys["labels"] = {metric: f"{name} ({', '.join(source.chosen)})"}
    elif source.number == NUMBER.strip("$"):  # no column of the logs is called so
        keys["labels"] = {metric: "Score" if source.best == "highest" else "Value"}
    if source.best != "highest":
        keys["best"] = source.best
    if source.printed and figure.keys["kind"] == "heatmap":
        values = source.trial.samples[source.number].drop_nulls()
        if (values.round(EXACT) != values).any():
            keys["format"] = ".3f" if values.is_between(-1, 1).all() else ".1f"
    return figure._replace(keys={**figure.keys, **keys})


def _add_figure(source: Source, figure: Figure) -> bool:
    """Whether a figure says something: then its source has it, else the reason why not."""
    try:
        cells = _cells(source, figure)
    except Error as error:
        source.rejected.append(str(error))
        return False
    if cells is not None:
        if reason := _fault(source, figure, cells):
            source.rejected.append(reason)
            return False
        if not source.figures:
            source.examples = _examples(source, figure, cells)
    source.figures.append(figure)
    return True


def _cells(source: Source, figure: Figure) -> pl.DataFrame | None:
    """The numbers of a figure, a row per cell; None of pairs of models.

    Raises Error: it cannot be drawn.
    """
    keys = {key: value for key, value in figure.keys.items() if key != "kind"}
    encoding = list(keys.pop("encoding", {}).values())
    if not encoding or AGAINST in encoding:
        return None
    samples = source.trial.samples
    [metric] = (word for word in encoding if word not in samples.columns)
    axes = [name for name in encoding if name in samples.columns]
    x, y = (axes + ["task" if "model" in axes else "model"])[:2]
    count = prod(samples[name].n_unique() for name in _places(source, figure))
    if count > CELLS:
        raise Error(f"it would have {count:,} cells")
    try:
        with warnings.catch_warnings(action="ignore"):  # the run tells them
            return hp.grid(samples, x=x, y=y, metric=metric, uncertainty="none", **keys)
    except Error as error:
        raise Error(f"it cannot be drawn: {error}") from error


def _places(source: Source, figure: Figure) -> list[str]:
    """The columns that say where a cell of a figure stands: those of its axes and panels."""
    columns = [*figure.keys["encoding"].values()]
    columns += [figure.keys.get(key) for key in ("panel", "row", "column")]
    return [name for name in columns if name in source.trial.samples.columns]


def _fault(source: Source, figure: Figure, cells: pl.DataFrame) -> str:
    """Why a figure of these cells says nothing; empty if it says something."""
    samples = source.trial.samples.filter(**figure.keys.get("where", {}))
    share = cells["epochs"].sum() / len(samples)
    if share < SHOWN:
        return f"it shows {share:.0%} of the samples"
    values = cells["value"].drop_nulls()
    if len(values) > values.n_unique() == 1 and not source.graded:
        return f"all cells are {values[0]:g}"
    if len(values) >= max(1, EMPTY * len(cells)):
        return ""
    axes = " × ".join(cells.columns[:2])
    return f"only {len(values)} of {len(cells)} cells would be filled ({axes})"


def _examples(source: Source, figure: Figure, cells: pl.DataFrame) -> list[str]:
    """The value and the first record of the cell with most records, and of that with fewest: by
    these a person sees what the numbers of a figure are.
    """
    by_size = cells.drop_nulls("value").sort("epochs", descending=True, maintain_order=True)
    ends = by_size[[0, -1]].unique("epochs", maintain_order=True)
    [low, high] = source.trial.source.ranges().get(source.number, [0, 1])
    lines: list[str] = []
    for cell in ends.iter_rows(named=True):
        place = {name: cell[name] for name in _places(source, figure)}
        place |= figure.keys.get("where", {})
        records = source.trial.samples.filter(**place).sort("log", "line")
        called = [place.pop(name) for name in ("model", "task") if name in place]
        called += [f"{name} {value}" for name, value in place.items()]
        value = low + (high - low) * cell["value"]
        count = numbered(len(records), "record")
        first = f"{records['log'][0]}:{records['line'][0]}"
        lines.append(f"{', '.join(called)}: {value:.4g}, of {count}, such as {first}")
    return lines


def _end_of_name(values: Sequence[object]) -> str:
    """The end of the name of a figure of some values; empty without any."""
    text = "-".join(map(str, values))
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")
    return f"-{plain or 1}" if values else ""


class Sweep:
    """The samples of a source, and what varies between them; `metric`: of its figures."""

    def __init__(self, source: Source, metric: str) -> None:
        self.metric, self.number = metric, source.number
        self.samples, self.printed = source.trial.samples, source.printed
        self.is_of_games = "versus" in source.entry
        self.notes: list[str] = []
        """Of heatmaps that were made: which values have none."""
        samples, params = self.samples, source.trial.source.columns().params
        self.on_scale = bool(samples[self.number].drop_nulls().is_between(0, 1).all())
        self.shares = self.on_scale and source.best == "highest"
        """Whether scores are parts of what was to be had, which have a mean over tasks."""
        self.count = {name: samples[name].n_unique() for name in samples.columns}
        self.attributes = [name for name in source.attributes if self.count[name] > 1]
        determined = [name for name in params if self._is_told(name)]
        if self.follows("task", determined):  # a setting says more than a name that holds it
            params = {name: params[name] for name in [*determined, *params]}
            names = ["model", *params, "task", "scorer"]
        else:
            names = ["model", "task", *params, "scorer"]
        names = [name for name in names if name not in self.attributes and self.count[name] > 1]
        pooled = source.pooled
        if self.is_of_games and "task" in names:  # games of all tasks count alike
            names.remove("task")
            pooled = pooled + ["task"]
        # Repetitions of printed numbers may be all that varies.
        repeated = self.printed and set(names) <= set(pooled)
        self.pooled = [] if repeated else pooled
        self.dimensions: list[str] = []
        """Settings that differ between runs, and that those before do not determine."""
        for name in names:
            if name not in self.pooled and not self.follows(name, self.dimensions):
                self.dimensions.append(name)
        numbers = [n for n in self.dimensions if params.get(n) in ("int", "float")]
        self.numbers = sorted(numbers, key=lambda n: -self.count[n])

    def _is_told(self, name: str) -> bool:
        """Whether the name of each task holds a setting: `sums:digits=2`."""
        if self.count[name] == 1:
            return False
        pairs = self.samples.select("task", name).unique().iter_rows()
        return all(f"{name}={value}" in str(task) for task, value in pairs)

    def follows(self, name: str, others: Sequence[str]) -> bool:
        """Whether other columns determine one."""
        if not others:
            return False
        combinations = self.samples.select(others).n_unique()
        return self.samples.select(*others, name).n_unique() == combinations

    def figures(self) -> Iterator[Figure]:
        """The figures of a source, the first of which shows all of it."""
        metric = self.metric
        if self.is_of_games:
            yield from self._heatmaps(OPPONENT, "model")
            return
        if len(self.dimensions) < 2:
            y = next(iter(self.dimensions), "model")
            yield self._figure("", "forest", {"x": metric, "y": y}, {}, f"{metric} of each {y}")
        else:
            axes, widest = self._axes(), self._widest()
            _, lost = self._panels(*axes)
            _, left = self._panels(*widest)
            is_mean = all(map(self._has_mean, lost))
            if lost and not (left and is_mean):  # none if it can be
                axes = widest
            yield from self._heatmaps(*axes)
        yield from self._line()
        yield from self._attributes()
        apart = self.count["sample_id"] > 1 and "scorer" not in self.dimensions
        if apart and not self.printed and "model" in self.dimensions:
            yield from self._board()

    def _figure(
        self, end: str, kind: str, along: dict[str, str], keys: dict[str, Any], what: str
    ) -> Figure:
        mixed = [name for name in self.attributes if name not in along.values()]
        mixed = self.pooled + mixed
        if mixed:
            pool = {"mean_over": mixed[0]} if self.printed else {"pool": mixed}
            keys = {**pool, **keys}
        return Figure(end, {"kind": kind, **keys, "encoding": along}, what)

    def _axes(self) -> tuple[str, str]:
        """Columns along x and y: the model down, numbers across; many names are read down.

        Numbers of different scorers are not compared, so these have panels if they can.
        """
        aside = self.numbers + ["scorer"]
        names = [name for name in self.dimensions if name not in aside]
        names.sort(key=lambda n: (n != "task", -self.count[n]))
        columns = self.numbers + names
        if len(columns) < 2:
            columns.append("scorer")
        y = "model" if "model" in columns else columns[-1]
        x = next(name for name in columns if name != y)
        fewest = max(ACROSS, self.count[y])
        many = x not in self.numbers and self.count[x] > fewest
        return (y, x) if many else (x, y)

    def _widest(self) -> tuple[str, str]:
        """Columns along x and y: those of most values, numbers across."""
        names = sorted(self.dimensions, key=lambda name: (name == "scorer", -self.count[name]))
        widest = names[:2]
        widest.sort(key=lambda name: (name not in self.numbers, self.count[name]))
        x, y = widest
        return x, y

    def _panels(self, x: str, y: str) -> tuple[list[str], list[str]]:
        """Columns that panels are for, two at most, and those that have no place then."""
        rest = [name for name in self.dimensions if name not in (x, y)]
        rest = [name for name in rest if not self.follows(name, [x, y])]
        rest.sort(key=self._rank_as_panels)
        panels: list[str] = []
        number = 1
        for column in rest:
            if len(panels) < 2 and number * self.count[column] <= PANELS:
                panels.append(column)
                number *= self.count[column]
        return panels, [column for column in rest if column not in panels]

    def _rank_as_panels(self, column: str) -> tuple[bool, bool, bool, int]:
        """What tells which column has panels first: scorers, what has no mean, few names."""
        is_mean, is_number = self._has_mean(column), column in self.numbers
        return column != "scorer", is_mean, is_number, self.count[column]

    def _has_mean(self, column: str) -> bool:
        """Whether readers know the mean over a column: that of shares over tasks.

        One over judges, methods or prompts compares nothing; nor do seconds of several tasks.
        """
        return column == "task" and self.shares

    def _heatmaps(self, x: str, y: str) -> Iterator[Figure]:
        """Cells of two columns; panels for two more, and figures for the values of what is left."""
        panels, left = self._panels(x, y)
        places = ("row", "column") if panels[1:] else ("panel",)
        panels.sort(key=lambda column: self.count[column])
        keys: dict[str, Any] = dict(zip(places, panels, strict=False))
        what = f"{x} × {y}"
        if any(map(self._has_mean, left)):
            keys["mean_over"] = "task"
            what += f", the mean over {self.count['task']} tasks"
        axes = {"x": x, "y": y, "color": self.metric}
        if self.is_of_games:
            axes |= {"x": AGAINST, "color": f"win_rate({self.number})"}
            what = "games that each model won against each other"
        apart = self._apart(left)
        if len(apart) > APART:
            columns = in_words(left, len(left))
            room = f"no figure has room for {columns} too"
            drawn = f"{APART} of {len(apart)} values are drawn, and `where` chooses others"
            self.notes.append(f"{room}: {drawn}")
        ends: set[str] = set()
        for values in apart.head(APART).iter_rows(named=True):
            where = {"where": values} if values else {}
            end = _end_of_name(list(values.values()))
            if end in ends:  # as names in Hangul, of which nothing is left
                end = f"{end}-{len(ends) + 1}"
            ends.add(end)
            values_words = [f"{column} {value}" for column, value in values.items()]
            title = ", ".join([what] + values_words)
            yield self._figure(end, "heatmap", axes, where | keys, title)

    def _apart(self, left: Sequence[str]) -> pl.DataFrame:
        """The values of columns that have no place in a figure and no mean; a row without any."""
        columns = [column for column in left if not self._has_mean(column)]
        if not columns:
            return pl.DataFrame([{}])
        values = self.samples.select(columns).drop_nulls()
        return values.unique().sort(columns)

    def _line(self) -> Iterator[Figure]:
        """A curve over the one number that varies, for each model; panels for what is left."""
        others = [name for name in self.dimensions if name not in self.numbers]
        others.sort(key="model".__ne__)
        color, *panels = others or ["model"]
        if len(self.numbers) != 1 or len(panels) > 1:
            return
        [x] = self.numbers
        if self.count[x] >= CURVE:
            keys: dict[str, Any] = {"panel": panels[0]} if panels else {}
            axes = {"x": x, "y": self.metric, "color": color}
            what = f"{self.metric} over {x}, a line for each {color}"
            yield self._figure("-line", "line", axes, keys, what)

    def _attributes(self) -> Iterator[Figure]:
        """A further figure by each attribute of problems; panels for what else varies."""
        if len(self.dimensions) > 2 or "scorer" in self.dimensions:
            return
        y, *panels = self.dimensions or ["model"]
        for name in self.attributes:
            along = {"x": name, "y": y, "color": self.metric}
            keys = {"panel": panels[0]} if panels else {}
            yield self._figure(f"-{name}", "heatmap", along, keys, f"{name} of problems × {y}")

    def _board(self) -> Iterator[Figure]:
        """Models against each other on the problems that all of them have."""
        names = dict.fromkeys(["task"] + self.dimensions + self.pooled + self.attributes)
        join = ["sample_id"]
        join += [name for name in names if name != "model" and self.count[name] > 1]
        models = sorted(self.samples["model"].drop_nulls().unique())
        shared = self.samples.group_by(join).n_unique()["model"] == len(models)
        fits = self.on_scale and 2 <= len(models) <= BOARD
        if fits and shared.sum() > 1:
            keys = {"kind": "pairwise", "measure": self.number, "models": models}
            keys |= {"join": join} if len(join) > 1 else {}
            what = f"{len(models)} models, pair by pair; {shared.sum():,} shared problems"
            yield Figure("-pairs", keys, what)
