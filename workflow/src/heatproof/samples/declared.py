"""What logs declare and config.yaml expects, run by run, beside what there is of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import roles
from heatproof.formats.api import Declared
from heatproof.samples.rows import fitting
from heatproof.util import terminal
from heatproof.util.errors import choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.formats.api import Reject
    from heatproof.samples.shard_index import ShardIndex

    Settings = tuple[Any, ...]

AT_MOST = 1000  # problems that a log lacks, and settings of its samples, that are listed of one log
LOG = "log"
"""Of a run of which no sample came, the log that says that it was to be there; null of others."""
ENTRY, EPOCHS, PROBLEM = " declaration", " epochs", " problem"
"""Columns of joins; no column of a table has a blank in its name."""
UNKNOWN = "\0"  # stands for a setting that a refused record does not tell; no setting is called so


class Meant(msgspec.Struct, omit_defaults=True):
    """What a log says that it was to hold of a run."""

    settings: list[Any]  # values of `ShardIndex.columns`
    samples: int | None = None  # problems × epochs; None where the log does not tell
    lacks: dict[str, int] = {}
    """Problem → its epochs, of those that the log names and does not hold whole."""
    names_all: bool = False  # whether it names all problems
    empty: bool = False  # whether it holds no sample of the run
    lacking: int = 0  # samples that it lacks of problems that it does not name
    part: tuple[int, int] | None = None
    """Problems that were asked for, and those of the data set, where these are more."""


class Size(NamedTuple):
    """How large a run should be."""

    least: int  # samples that it holds, or is known to lack
    declared: int | None  # samples that its logs declare; None if they do not, or not all
    part: tuple[int, int] | None = None
    """Problems that it was asked for, and those of the data set, where these are more. None where
    its logs do not say the same, or it holds more: its logs may be parts of it."""


def run_size(
    samples: int,
    problems: int,
    logs: Sequence[Meant],
    short: Mapping[str, int],
    expected: int | None,
) -> Size:
    """What is expected of a run by the word of its logs.

    Several logs of the same settings make up for each other where they name what they lack. Where
    they do not, those that hold samples are parts of the run, and one that failed was done again.

    Args:
        samples: of the run.
        problems: of the run.
        logs: what its logs declare.
        short: problem → its samples, of those that a log does not hold whole.
        expected: what config.yaml expects in all, which goes before.
    """
    (part,) = parts if len(parts := {log.part for log in logs}) == 1 else (None,)
    part = part if part and problems <= part[0] else None
    lacks = _most(log.lacks for log in logs)
    least = samples + sum(max(0, n - short.get(name, 0)) for name, n in lacks.items())
    least += sum(log.lacking for log in logs)
    sizes = [log.samples for log in logs if log.samples is not None]
    if expected is not None:
        return Size(least, max(least, expected), part)
    if not logs or len(sizes) < len(logs):
        return Size(least, None, part)
    if len(logs) > 1 and all(log.names_all for log in logs):
        return Size(least, least, part)
    parts_of_run = sum(log.samples or 0 for log in logs if not log.empty)
    return Size(least, max(least, parts_of_run, *sizes), part)


def _most(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The highest count of each problem."""
    most = Counter[str]()
    for problems in counts:
        most |= Counter(problems)
    return dict(most)


def runs(partial: pl.DataFrame, index: ShardIndex | None) -> pl.DataFrame:
    """A row per run, by its settings and scorer, with what its logs declare.

    The numbers of `Size`: `least`; `whole`, null where its logs do not tell; `asked`, `dataset`,
    null unless it was asked for a part of its data set. Of a run without a sample there is a row
    for each scorer of the others, with its first `log`.

    Args:
        partial: counts (`samples.counts`) of all shards, their `epochs` at least.
        index: the same logs.
    """
    names = roles.settings(partial.columns)
    deep = len(roles.columns(partial.columns, "setting"))
    numbers = dict.fromkeys(("least", "whole", "asked", "dataset"), pl.Int64())
    schema = {name: partial.schema[name] for name in names} | numbers | {LOG: pl.String()}
    if index is None:
        return pl.DataFrame(schema=schema)
    logs: defaultdict[Settings, list[Meant]] = defaultdict(list)
    first: dict[Settings, str] = {}
    for path, log in sorted(index.logs.items()):
        for entry in log.runs:
            logs[tuple(entry.settings)].append(entry)
            first.setdefault(tuple(entry.settings), path)
    lacking = {name for entries in logs.values() for entry in entries for name in entry.lacks}
    short: defaultdict[Settings, dict[str, int]] = defaultdict(dict)
    epochs = pl.col("epochs").sum()
    there = partial.filter(pl.col("sample_id").is_in(list(lacking)))
    for *run, name, number in there.group_by(*names, "sample_id").agg(epochs).iter_rows():
        short[tuple(run)][name] = number
    counts = partial.group_by(names).agg(epochs, pl.col("sample_id").n_unique()).sort(names)
    every = [(*row, None) for row in counts.iter_rows()]
    graders = counts.select(names[deep:]).unique().sort(names[deep:]).rows()
    graders = graders or [("",) * len(names[deep:])]
    present = {row[:deep] for row in every}
    for settings in (settings for settings in logs if settings not in present):
        every += [(*settings, *grader, 0, 0, first[settings]) for grader in graders]
    rows = []
    for *run, samples, problems, path in every:
        settings = tuple(run[:deep])
        expected = index.expected_of(settings)
        size = run_size(samples, problems, logs.get(settings, []), short[tuple(run)], expected)
        rows.append((*run, size.least, size.declared, *(size.part or (None, None)), path))
    return pl.DataFrame(rows, schema, orient="row")


def expectation_words(
    source: str, expect: int | dict[str, int] | None, counts: pl.DataFrame | pl.LazyFrame
) -> Iterator[str]:
    """Tasks that no run is of, and runs that hold more than is expected: a line each.

    `counts`: of all shards (`samples.counts`).
    """
    if expect is None:
        return
    place = f"config.yaml: sources.{source}.expect"
    names = roles.settings(counts.lazy().collect_schema().names())
    sizes = counts.lazy().group_by(names).agg(pl.col("epochs").sum()).collect()
    tasks = sorted(sizes["task"].unique())
    expected = expect if isinstance(expect, dict) else dict.fromkeys(tasks, expect)
    for task in sorted(expected.keys() - {*tasks}):
        yield f"{place}.{task}: no sample is of task {task!r}; {choices(task, tasks)}"
    for task in filter(expected.get, tasks):
        runs = sizes.filter(pl.col("task") == task)["epochs"]
        if more := [n for n in runs if n > expected[task]]:
            of_task = f" of task {terminal.name(task)}" if task else ""
            yield (
                f"{place}: {numbered(len(more), 'run')}{of_task} of more than {expected[task]:,} "
                f"samples, up to {max(more):,} (it counts problems × epochs)"
            )


class Declarations:
    """What logs declare of their runs, joined with the counts of their samples."""

    def __init__(self, declared: Mapping[str, Iterable[Declared]]) -> None:
        self._all = [(log, entry) for log, entries in declared.items() for entry in entries]
        self._of_run: defaultdict[str, list[int]] = defaultdict(list)
        problems = []
        for number, (log, entry) in enumerate(self._all):
            self._of_run[entry.shared.get("run", log)].append(number)
            problems += [(number, name, epochs) for name, epochs in entry.each.items()]
        schema = {ENTRY: pl.Int64, "sample_id": pl.String, PROBLEM: pl.Int64}
        self._problems = pl.DataFrame(problems, schema, orient="row")
        self._runs: defaultdict[int, set[Settings]] = defaultdict(set)
        """Settings of the runs that a declaration is of, by its number."""
        self._complete: defaultdict[int, set[str]] = defaultdict(set)
        self._short: defaultdict[int, set[str]] = defaultdict(set)
        """Problems of which there are as many epochs as are declared, and fewer."""

    def take(self, counts: pl.DataFrame) -> None:
        """Look at a piece of the counts."""
        names = roles.columns(counts.columns, "setting")
        if not self._all:
            return
        runs, pairs = counts.select("run", *names).unique(), []
        for run, *settings in runs.iter_rows():
            for number in self._fitting(run, dict(zip(names, settings, strict=True))):
                self._runs[number].add(tuple(settings))
                pairs.append((run, *settings, number, self._all[number][1].epochs))
        schema = pl.Schema({**runs.schema, ENTRY: pl.Int64(), EPOCHS: pl.Int64()})
        entries = pl.DataFrame(pairs, schema, orient="row")
        rows = counts.join(entries, on=["run", *names], nulls_equal=True)
        short = rows.filter(pl.col("epochs") < pl.col(EPOCHS))
        complete = rows.join(self._problems, on=[ENTRY, "sample_id"])
        complete = complete.filter(pl.col("epochs") >= pl.col(PROBLEM))
        for part, problems in ((short, self._short), (complete, self._complete)):
            for number, name in part.select(ENTRY, "sample_id").iter_rows():
                problems[number].add(name)

    def _fitting(self, run: str, settings: Mapping[str, Any]) -> Iterator[int]:
        """The declarations that are of a run.

        A run is called as logs name it; of a log that holds several, each has its settings behind.
        """
        names = (run, *(run[:at] for at, sign in enumerate(run) if sign == "#"))
        base = next((name for name in names if name in self._of_run), "")
        for number in self._of_run.get(base, ()):
            shared = self._all[number][1].shared
            if all(shared.get(name) in (None, value) for name, value in settings.items()):
                yield number

    def of_logs(self, columns: Sequence[str]) -> dict[str, list[Meant]]:
        """Log → what it was to hold of each run; of several runs together nothing.

        `columns`: model, task and hyper-parameters.
        """
        logs: defaultdict[str, dict[Settings, Meant]] = defaultdict(dict)
        for number, (path, entry) in enumerate(self._all):
            runs = self._runs[number]
            untold = not runs and entry.refused and not entry.shared.keys() >= {*columns}
            if len(runs) > 1 or untold:
                continue
            complete = self._complete[number]
            lacks = {name: n for name, n in entry.each.items() if name not in complete}
            if entry.epochs:
                lacks |= dict.fromkeys(self._short[number], entry.epochs)
            few = len(lacks) <= AT_MOST
            settings = next(iter(runs), tuple(entry.shared.get(name) for name in columns))
            before = logs[path].get(settings, Meant([], empty=True))
            part = entry.part if entry.part and entry.part[0] < entry.part[1] else None
            logs[path][settings] = Meant(
                [*settings],
                entry.samples if before.samples is None else before.samples,
                dict(sorted(_most((before.lacks, lacks if few else {})).items())),
                before.names_all or (few and entry.named()),
                before.empty and not runs,
                before.lacking + entry.lacking,
                before.part or part,
            )
        return {path: [*entries.values()] for path, entries in logs.items()}


class Gap(msgspec.Struct):
    """What a log lacks of a run."""

    run: str = ""
    epochs: defaultdict[str, set[int]] = msgspec.field(default_factory=lambda: defaultdict(set))
    """Problem → its epochs, of problems of which one is lost."""
    unnamed: int = 0  # samples of problems that are not known


class Lost:
    """The samples of refused records, as far as these tell them: of each run the first ones."""

    def __init__(
        self, kinds: Mapping[str, str], defaults: Mapping[str, Any], versus: str = ""
    ) -> None:
        """`kinds`: types of the settings; `versus`: the setting that names the other side."""
        self._kinds, self._defaults, self._versus = kinds, defaults, versus
        self._logs: defaultdict[str, defaultdict[Settings, Gap]]
        self._logs = defaultdict(lambda: defaultdict(Gap))

    def add(self, log: str, refused: Reject) -> None:
        """Look at a refused record; a game was to be a sample of either side."""
        values = {n: v for n, v in (refused.of or refused.told).items() if v is not None}
        if not refused.samples or not (refused.of or refused.told):
            return
        if refused.of is None:  # what does not fit its column is not known
            kinds = self._kinds
            values = {
                name: value for name, value in values.items()
                if name not in kinds or not fitting([value], kinds[name])[1]
            }  # fmt: skip
        elif "sample_id" in values:  # what the record does not say, it does not have
            none = dict.fromkeys(self._kinds) | {"model": "", "task": ""}
            values = {**none, **self._defaults, **values}
        values = {**self._defaults, **values}
        sides = [values]
        if self._versus:
            other = {"model": values.get(self._versus), self._versus: values.get("model")}
            sides.append(values | other)
        for side in sides:
            gap = self._logs[log][tuple(side.get(name, UNKNOWN) for name in self._kinds)]
            gap.run = side.get("run", log)
            name, epoch = side.get("sample_id"), side.get("epoch", 0)
            if name is None:
                gap.unnamed += refused.samples
            elif name in gap.epochs or len(gap.epochs) <= AT_MOST:
                epochs = gap.epochs[str(name)]
                start = epoch if isinstance(epoch, int) else -1 - len(epochs)  # whichever it was
                epochs.update(range(start, start + refused.samples))

    def declared(self, samples: pl.LazyFrame) -> dict[str, list[Declared]]:
        """Log → the epochs of each problem of which one is lost, with those that are there.

        `samples`: those of the other records, of any logs. What stands there was not lost.
        """
        gaps = [gap for runs in self._logs.values() for gap in runs.values()]
        names = {name for gap in gaps for name in gap.epochs}
        here = pl.col("log").is_in([*self._logs]) & pl.col("sample_id").is_in(sorted(names))
        rows = samples.filter(here).select("log", "sample_id", "epoch", *self._kinds)
        there = rows.collect(engine="streaming").iter_rows() if gaps else ()
        for log, name, epoch, *values in there:
            for settings, gap in self._logs[log].items():
                pairs = zip(settings, values, strict=True)
                if name in gap.epochs and all(s in (UNKNOWN, value) for s, value in pairs):
                    gap.epochs[name].add(epoch)
        return {
            log: [self._entry(settings, gap) for settings, gap in runs.items()]
            for log, runs in self._logs.items()
        }

    def _entry(self, settings: Settings, gap: Gap) -> Declared:
        pairs = zip(self._kinds, settings, strict=True)
        shared = {name: value for name, value in pairs if value is not UNKNOWN}
        problems = {name: len(epochs) for name, epochs in sorted(gap.epochs.items())}
        return Declared(shared | {"run": gap.run}, each=problems, lacking=gap.unnamed, refused=True)
