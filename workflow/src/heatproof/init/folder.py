"""From a folder to a config: what lies there, what can be read, what is to be decided."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.config.configuration import is_name
from heatproof.formats import detection
from heatproof.init import files, layouts, readings, records
from heatproof.init.harness_source import harness_source, harness_type, preset_of
from heatproof.init.records import as_inside, as_written, plain
from heatproof.init.roles import Given, listed
from heatproof.init.source import Source
from heatproof.init.trial import BYTES, OPTION, best, has_column, has_score
from heatproof.init.truths import find_truths
from heatproof.logs import logs
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from heatproof.config import entries
    from heatproof.init.layouts import Family

    Ask = Callable[[str, Sequence[str]], int | None]
    """A question and its answers → the number of the one chosen; None where nobody answers."""


CONFIRM = "is this what the logs say?"
DRAW, LEAVE = "yes: draw it", "no: leave it in config.yaml as a comment"
UNGRADED = "taken for settings, as no value in it may be a score"
NO_SCORE = "without the score that others like them have, such as the questions asked"
NUMBER = re.compile(r"\d[\d,.]*")
PART = 8  # records from which it is no chance that others have the same grades
ROUNDED = 0.005  # how far a printed mean may be from that of its records


class Start:
    """What a folder holds, and what was made of it.

    Args:
        folder: where it lies; `within`: what it is called in the project, `root`.
        ask: what decides between two readings.
        taken: names of sources and figures that there are; logs of those `configured` are left.
        scores: places of scores that the user names, each for the logs that have it.
        sure: whether doubtful readings are drawn, too.

    Raises:
        Error: no log has a place that was named.
    """

    def __init__(
        self,
        folder: Path,
        within: str,
        root: Path,
        ask: Ask,
        taken: Collection[str] = (),
        configured: Iterable[entries.Source] = (),
        scores: Sequence[str] = (),
        *,
        sure: bool = False,
    ) -> None:
        self.root, self.sure = root, sure
        self.ask: Ask = lambda question, options: ask(plain(question), list(map(plain, options)))
        self.scores = dict.fromkeys(map(as_inside, scores), 0)
        """Place of a score that the user names → how many families of logs have it."""
        self.place = within or "."
        self.label = Path(within).name or root.name
        self.names = set(taken)
        self.sources: dict[str, Source] = {}
        self.open: list[Source] = []  # logs of which only a person can say what is to be drawn
        self.beside: dict[str, list[str]] = defaultdict(list)
        """What files are beside logs → these files."""
        self.answered: dict[str, int | None] = {}
        """Question and its answers, but for their numbers → the answer that was given."""
        self.expected: list[str] = []  # files with what was expected of the problems of others
        self.selected: list[str] = []  # files with some of the records of others
        self.unread = files.inventory(folder, within)
        """Why files are not read → these files."""
        every = self.unread.pop("", [])
        before = _matched(every, configured)
        copies, retold = files.copies(every, root), files.retold(every)
        self.logs = sorted(set(every).difference(before, copies, retold))
        self.beside["read by the config already"] += before
        self.unread["the numbers of another file beside it, or the course to them"] += retold
        self.unread["copies of other files, byte for byte"] += copies
        near = list(folder.parent.iterdir()) if folder.is_file() else []
        siblings = {Path(within).with_name(path.name).as_posix() for path in near}
        self.every = self.logs + copies + retold + sorted(siblings - {within})
        self.every += self.unread[files.LFS]
        self.every += self.unread[files.EMPTY]
        self._look()
        for score, number in self.scores.items():
            if not number:
                raise Error(
                    f"--score {as_written(score)}: no record has it; write a place of {self.place}"
                )

    def _look(self) -> None:
        """Sort files into logs of harnesses, families of other logs, and what is neither."""
        sampled = sorted(files.mixed(self.logs)[: detection.FILES])
        harnesses: dict[str, list[str]] = defaultdict(list)
        for path in sampled:
            head = detection.head(path, self.root).data
            names = [*detection.reasons(path, head), preset_of(path, head)]
            harnesses[names[0]].append(path)
        own = harnesses.pop("", [])
        for name, paths in harnesses.items():
            entry = harness_type(name)
            others = [path for path in self.logs if path not in paths]
            near = [path for path in others if entry.is_sidecar(path)]
            self.beside[f"written by {name} beside its logs"] += near
            twins = set(entry.retold(paths, others)).difference(paths, near)
            self.beside[f"the same samples as in other logs of {name}"] += sorted(twins)
        beside = {path for paths in self.beside.values() for path in paths}
        own = [path for path in own if path not in beside]
        families = layouts.families(own, self.root, self.unread)
        rest = set(self.logs) - set(sampled) - beside
        groups = [family.paths for family in families] + list(harnesses.values())
        files.complete(groups, rest, self.unread["not like any file that was read"])
        families, attached = layouts.attach(families, self.root)
        self.beside["settings of these logs"] += attached
        for paths in self.unread.values():
            paths[:] = [path for path in paths if path not in attached]
        for name, paths in sorted(harnesses.items()):
            self._add_harness(name, paths)
        self.expected = find_truths(families)
        self.beside["what was expected of the problems of other logs"] += self.expected
        expected = set(self.expected)
        families = [family for family in families if not expected.issuperset(family.paths)]
        self.selected = list(chain(*(family.selections() for family in families)))
        self.beside["some records of another file beside them"] += self.selected
        families = [family.without(self.expected + self.selected) for family in families]
        # What sums logs up comes after them.
        for family in sorted(families, key=lambda family: -family.size):
            self._add_family(family)
        if not self.sure:
            self._confirm_guesses()

    def _confirm_guesses(self) -> None:
        """Ask about doubtful readings; else they are answers to be uncommented."""
        guessed = {name: source for name, source in self.sources.items() if source.guess}
        lines = [CONFIRM]
        for name, source in guessed.items():
            first, *others = _guess_words(source)
            lines += [f"{name}: {first}"] + [f"  {line}" for line in others]
        if not guessed:
            return
        if self.ask("\n".join(lines), [DRAW, LEAVE]) == 0:
            return
        for name, source in guessed.items():
            del self.sources[name]
            question = f"{CONFIRM} {'; '.join(_guess_words(source))}"
            asked = Source(source.paths, question=question)
            asked.answers = [(DRAW, Given())]
            asked.options = [(DRAW, source)]
            self.open.append(asked)

    def _add_harness(self, name: str, paths: list[str]) -> None:
        beside = self.beside[f"written by {name} beside its logs"]
        if retold := harness_type(name).retold(paths, []):
            self.beside[f"the same samples as in other logs of {name}"] += retold
            paths = sorted(set(paths) - set(retold))
        source = harness_source(name, paths, self._others(paths), beside, self.root)
        while strangers := source.trial.strangers():
            for path, reason in strangers.items():
                self.unread[reason].append(path)
            paths = [path for path in paths if path not in strangers]
            source = harness_source(name, paths, self._others(paths), beside, self.root)
        if source.figures:
            self._add(source, name)
        else:
            self.unread[source.rejected[0]] += paths

    def _others(self, paths: Iterable[str]) -> list[str]:
        """Files of the folder that are none of some, nor passed over beside logs."""
        own = set(paths).union(*self.beside.values())
        own -= {*self.expected, *self.selected}
        return [path for path in self.every if path not in own]

    def _add_family(self, family: Family) -> None:
        if self._is_told(family):
            return
        source = self._infer(family, Given(self._named_score(family)))
        parts = family.by_columns() if source.is_mixed else []
        for part in parts:  # as sweeps of other settings
            self._add_family(part)
        if parts:
            return
        source = self._answered(source, family)
        if source.ungraded:
            self._add_graded(family, source.ungraded)
        elif not source.figures:
            self._leave_open(source, family)
        elif twins := [name for name, other in self.sources.items() if _same(source, other)]:
            self.unread[f"it holds the same samples as the logs of {twins[0]}"] += family.paths
        else:
            self._add(source, _source_name(family.paths, self.label))

    def _answered(self, source: Source, family: Family) -> Source:
        """What is read after all answers; a question with what each would draw, if nobody does."""
        asked: set[str] = set()
        while source.answers and source.question not in asked:
            asked.add(source.question)
            answer = self._answer(source)
            if answer is None:
                source.options = [(words, self._option(family, g)) for words, g in source.answers]
                score = source.answers[0][1].score
                source.is_nameable = not score or has_column(family, score)
                break
            source = self._infer(family, source.answers[answer][1])
        return source

    def _add_graded(self, family: Family, ungraded: Sequence[str]) -> None:
        """Add the files that have a score, and the others by themselves if they have one too."""
        graded = family.without(ungraded)
        rest = family.rest_of(graded)
        self._add_family(graded)
        if has_score(rest):
            self._add_family(rest)
        else:
            self.unread[NO_SCORE] += rest.paths

    def _infer(self, family: Family, given: Given, most: int = BYTES) -> Source:
        """The reading of a family that a trial bears out; `most`: bytes that are read."""
        patterns = files.patterns(family.paths, self._others(family.paths))
        return best(family, patterns, self.label, self.root, given, most)

    def _option(self, family: Family, given: Given) -> Source:
        """What would be drawn after an answer, of the files that have a score then."""
        source = self._infer(family, given, OPTION)
        if source.ungraded:
            source = self._infer(family.without(source.ungraded), given, OPTION)
        return source

    def _is_told(self, family: Family) -> bool:
        """Whether logs of a source hold what some files sum up, or tell again."""
        for name, source in self.sources.items():
            if _sums_up(family, source):
                self.beside["numbers of logs whose records lie beside them"] += family.paths
                return True
            if _retells(family, source):
                reason = f"the logs of {name} have the same names, and as many records"
                self.unread[reason] += family.paths
                return True
        return False

    def _named_score(self, family: Family) -> str:
        """The place that the user named and this family has, the longest; empty if none."""
        known = [score for score in self.scores if has_column(family, score)]
        for score in known:
            self.scores[score] += 1
        return max(known, key=len, default="")

    def _answer(self, source: Source) -> int | None:
        """The answer to a question; the same one where other logs raise it again."""
        if self.sure and source.is_proposed:
            return 0
        options = [words for words, _ in source.answers]
        asked = NUMBER.sub("", "\n".join([source.question] + options))
        if asked not in self.answered:
            self.answered[asked] = self.ask(source.question, options)
        return self.answered[asked]

    def _leave_open(self, source: Source, family: Family) -> None:
        """Keep a question, unless these files hold settings."""
        if family.format == "yaml" and not source.answers:
            self.unread[UNGRADED] += family.paths
        else:
            others = self._others(family.paths)
            if not any(option.figures for _, option in source.options):
                source.entry, source.places = readings.sketch(family, others)
            self.open.append(source)

    def _add(self, source: Source, base: str) -> None:
        name, number = base, 2
        while self._is_taken(name):
            name, number = f"{base}{number}", number + 1
        self.names.add(name)
        self.sources[name] = source

    def _is_taken(self, name: str) -> bool:
        """Whether a source has a name, or one of its figures may have it."""
        return any(other == name or other.startswith(f"{name}-") for other in self.names)


def _matched(paths: Sequence[str], configured: Iterable[entries.Source]) -> list[str]:
    """Files that sources of a config read already."""
    sources = list(configured)
    return [path for path in paths if any(logs.matches(source, path) for source in sources)]


def _guess_words(source: Source) -> list[str]:
    """Why a source is doubtful, what would be drawn, and cells of it."""
    mean = f", the mean over {listed(source.pooled)}" if source.pooled else ""
    figure = f"the figure: {source.figures[0].what}{mean}"
    return [source.guess, figure] + source.examples


def _source_name(paths: Sequence[str], label: str) -> str:
    """What logs are called: the last part of their common path that is more than a date."""
    common = os.path.commonpath([detection.plain(path) for path in paths])
    for part in [*reversed(Path(common).parts), label]:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(part).stem).strip("-_")
        if is_name(name) and re.search("[A-Za-z]", name):
            return name
    return "logs"


def _sums_up(family: Family, source: Source) -> bool:
    """Whether files beside graded logs hold one number each that is the mean of such a log."""
    if source.printed or source.number != "score" or not family.has_one_record:
        return False
    if _folders(family.paths) != _folders(source.paths):
        return False
    settings = ["model", "task", *source.trial.source.columns().params]
    documents = [records.flat(rows[0], 2) for rows in family.documents.values()]
    for run in (settings, settings + ["epoch"]):  # a seed may be the epoch
        runs = source.trial.samples.group_by(run).agg(pl.mean("score"))
        means = runs["score"].drop_nulls().sort().to_list()
        for name in documents[0]:
            numbers = [document.get(name) for document in documents]
            if _are_close([n for n in numbers if isinstance(n, int | float)], means):
                return True
    return False


def _retells(family: Family, source: Source) -> bool:
    """Whether files are called as logs of another format, and have as many records."""
    if not _stems(family.paths) <= _stems(source.paths):
        return False
    count = source.trial.samples.select("log", "line").n_unique()
    count += len(source.trial.rejected)
    return any(len(table.data) == count for table in readings.frames(family))


def _folders(paths: Iterable[str]) -> list[str]:
    return sorted(map(os.path.dirname, paths))


def _stems(paths: Iterable[str]) -> set[str]:
    return {os.path.splitext(path)[0] for path in paths}


def _are_close(numbers: list[float], means: Sequence[float]) -> bool:
    """Whether printed numbers are some means, in another order."""
    if len(numbers) != len(means):
        return False
    pairs = zip(sorted(numbers), means, strict=True)
    return all(abs(number - mean) < ROUNDED for number, mean in pairs)


def _same(source: Source, other: Source) -> bool:
    """Whether two sources hold the same numbers, as of one table in two formats."""
    if not source.figures or source.metric != other.metric:
        return False
    columns = ["model", "task", "sample_id", source.number]
    first = source.trial.samples.select(columns).sort(columns)
    second = other.trial.samples.select("scorer", *columns).sort(columns)
    if first.equals(second.drop("scorer")):
        return True
    graded = first.drop("task")
    by_scorer = second.drop("task").partition_by("scorer", include_key=False)
    return any(_is_part(graded, part) for part in by_scorer)


def _is_part(few: pl.DataFrame, many: pl.DataFrame) -> bool:
    """Whether graded problems are some of those of other logs, all with the grades there."""
    *problems, number = few.columns
    known = many.unique()
    if len(few) < PART or few[number].n_unique() == 1:
        return False
    if known.select(problems).is_duplicated().any():
        return False
    return few.join(known, on=few.columns, how="anti").is_empty()
