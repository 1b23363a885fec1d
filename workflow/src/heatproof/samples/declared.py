"""What logs declare and config.yaml expects, run by run, beside what there is of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.formats.api import Declared
from heatproof.samples import shard_index
from heatproof.samples.rows import fitting
from heatproof.samples.shard_index import PROBLEMS_AT_MOST, Meant, ShardIndex
from heatproof.util import terminal
from heatproof.util.errors import choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.formats.api import Reject

    Epochs = defaultdict[str, set[int]]


NUMBERS = ("least", "whole", "asked", "dataset")
LOG = "log"
"""Of a run of which no sample came, the log that says that it was to be there; null of others."""


def none(partial: pl.DataFrame) -> pl.DataFrame:
    """Nothing is declared of the runs in `partial`."""
    kept = partial.select(roles.settings(partial.columns)).clear()
    none = [pl.lit(None, pl.Int64).alias(name) for name in NUMBERS]
    return kept.with_columns(*none, pl.lit(None, pl.String).alias(LOG))


def runs(partial: pl.DataFrame, logs: ShardIndex) -> pl.DataFrame:
    """A row per run of which logs declare something, by its settings and scorer.

    `least`: samples that it holds or is known to lack; `whole`: those declared, null where its logs
    do not tell; `asked`, `dataset`: problems that it was asked for, and those of the data set, null
    unless these are more. Of a run without a sample there is a row for each scorer of the others,
    with its first `log`.

    Args:
        partial: counts (`samples.counts`) of all shards, their `epochs` at least.
        logs: the same logs.
    """
    meant = defaultdict[tuple[Any, ...], list[shard_index.Meant]](list)
    of: dict[tuple[Any, ...], str] = {}
    for path, log in sorted(logs.logs.items()):
        for one in log.meant:
            meant[tuple(one.settings)].append(one)
            of.setdefault(tuple(one.settings), path)
    empty = none(partial)
    told = pl.DataFrame([*_told(partial, meant, logs, of)], schema=empty.schema, orient="row")
    return pl.concat([empty, told])


def _told(
    partial: pl.DataFrame,
    meant: dict[tuple[Any, ...], list[Meant]],
    logs: ShardIndex,
    of: dict[tuple[Any, ...], str],
) -> Iterator[tuple[Any, ...]]:
    names = roles.settings(partial.columns)
    deep = len(roles.of(partial.columns, "setting"))
    lacking = {name for those in meant.values() for one in those for name in one.lacks}
    short = partial.filter(pl.col("sample_id").is_in(list(lacking)))
    each = short.group_by(*names, "sample_id").agg(pl.col("epochs").sum())
    there: defaultdict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
    for *run, name, number in each.iter_rows():
        there[tuple(run)][name] = number
    left = dict(meant)
    sizes = pl.col("epochs").sum(), pl.col("sample_id").n_unique()
    for *run, found, problems in partial.group_by(names).agg(*sizes).iter_rows():
        those, wanted = meant.get(tuple(run[:deep]), []), logs.wanted(run)
        left.pop(tuple(run[:deep]), None)
        if those or wanted is not None:
            part = shard_index.declared_part(problems, those) or (None, None)
            yield (
                *run,
                *shard_index.declared_problems(found, those, there[tuple(run)], wanted),
                *part,
                None,
            )
    graders = partial.select(names[deep:]).unique().rows() or [("",) * len(names[deep:])]
    for settings, those in left.items():
        for grader in graders:
            part = shard_index.declared_part(0, those) or (None, None)
            whole = shard_index.declared_problems(0, those, {}, logs.wanted(settings))
            yield *settings, *grader, *whole, *part, of[settings]


TOLD_AT_MOST = 5
"""Tasks that are named at most, of those that hold more."""


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
    runs = counts.lazy().group_by(names).agg(pl.col("epochs").sum()).collect()
    tasks = sorted(runs["task"].unique())
    each = expect if isinstance(expect, dict) else dict.fromkeys(tasks, expect)
    for task in sorted(each.keys() - {*tasks}):
        yield f"{place}.{task}: no sample is of task {task!r}; {choices(task, tasks)}"
    many = [(t, runs.filter(pl.col("task") == t, pl.col("epochs") > each.get(t, 1 << 62)))
            for t in tasks]  # fmt: skip
    more = [(task, found) for task, found in many if len(found)]
    for task, found in more[:TOLD_AT_MOST]:
        of = f" of task {terminal.name(task)}" if task else ""
        most = max(found["epochs"].to_list())
        yield (
            f"{place}: {numbered(len(found), 'run')}{of} of more than {each[task]:,} samples, "
            f"up to {most:,} (it counts problems × epochs)"
        )
    if len(more) > TOLD_AT_MOST:
        yield f"{place}: and of {len(more) - TOLD_AT_MOST:,} tasks more"


Settings = tuple[Any, ...]
ENTRY, EPOCHS, PROBLEM = " declaration", " epochs", " problem"
"""Columns of joins; no column of a table has a blank in its name."""


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
        self._settings: defaultdict[int, set[Settings]] = defaultdict(set)
        self._complete: defaultdict[int, set[str]] = defaultdict(set)
        self._short: defaultdict[int, set[str]] = defaultdict(set)

    def take(self, counts: pl.DataFrame) -> None:
        """Look at a piece of the counts."""
        if not self._all:
            return
        names = roles.of(counts.columns, "setting")
        runs = counts.select("run", *names).unique()
        pairs = []
        for run, *settings in runs.iter_rows():
            for number in self._fitting(run, dict(zip(names, settings, strict=True))):
                self._settings[number].add(tuple(settings))
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
        marks = (at for at, sign in enumerate(run) if sign == "#")
        names = (run, *(run[:at] for at in marks))
        base = next((name for name in names if name in self._of_run), "")
        for number in self._of_run.get(base, ()):
            shared = self._all[number][1].shared
            if all(shared.get(name) in (None, value) for name, value in settings.items()):
                yield number

    def with_declared(self, index: ShardIndex) -> ShardIndex:
        """What the logs hold, with what they were to hold."""
        meant: defaultdict[str, dict[Settings, Meant]] = defaultdict(dict)
        for number, (log, entry) in enumerate(self._all):
            if one := self._meant(number, entry, index.columns):
                settings = tuple(one.settings)
                before = meant[log].get(settings)
                meant[log][settings] = _joined(before, one) if before else one
        logs = {
            path: msgspec.structs.replace(log, meant=[*meant[path].values()])
            for path, log in index.logs.items()
        }
        filled = {path: log for path, log in logs.items() if log.settings != [] or log.meant}
        return msgspec.structs.replace(index, logs=filled)

    def _meant(self, number: int, entry: Declared, names: Sequence[str]) -> Meant | None:
        """What a log was to hold; nothing of what it declares of several runs together."""
        runs = self._settings[number]
        if len(runs) > 1 or (not runs and entry.refused and not entry.shared.keys() >= {*names}):
            return None
        complete, short = self._complete[number], self._short[number] if entry.epochs else ()
        lacks = {name: n for name, n in entry.each.items() if name not in complete}
        lacks |= dict.fromkeys(short, entry.epochs)
        few = len(lacks) <= PROBLEMS_AT_MOST
        return Meant(
            [*next(iter(runs))] if runs else [entry.shared.get(name) for name in names],
            entry.samples,
            dict(sorted(lacks.items())) if few else {},
            few and entry.named(),
            not runs,
            entry.lacking,
            entry.part if entry.part and entry.part[0] < entry.part[1] else None,
        )


def _joined(one: Meant, other: Meant) -> Meant:
    """Of what one log says of a run in several places, all."""
    names = sorted({*one.lacks, *other.lacks})
    return Meant(
        one.settings,
        other.samples if one.samples is None else one.samples,
        {name: max(one.lacks.get(name, 0), other.lacks.get(name, 0)) for name in names},
        one.named or other.named,
        one.empty and other.empty,
        one.lacking + other.lacking,
        one.part or other.part,
    )


WITHOUT = {"model": "", "task": ""}
"""What records are of that do not say."""


UNKNOWN = "\0"
"""Stands for a setting that a refused record does not tell; no setting is called so."""


class Lost:
    """The samples of refused records, as far as these tell them: of each run the first ones."""

    def __init__(
        self, kinds: Mapping[str, str], defaults: Mapping[str, Any], versus: str = ""
    ) -> None:
        """`kinds`: types of the settings; `versus`: the setting that names the other side."""
        self._kinds, self._defaults, self._versus = kinds, defaults, versus
        self._names = [*kinds]
        self._logs: dict[str, dict[Settings, Epochs]] = {}
        self._unnamed = Counter[tuple[str, Settings]]()
        self._runs: dict[tuple[str, Settings], str] = {}

    def add(self, log: str, refused: Reject) -> None:
        """Look at a refused record; a game was to be a sample of either side."""
        if not refused.samples or not (refused.of or refused.told):
            return
        known = {n: v for n, v in (refused.of or refused.told).items() if v is not None}
        if refused.of is not None:
            none = {**dict.fromkeys(self._names), **WITHOUT} if "sample_id" in known else {}
            known = {**none, **self._defaults, **known}
        else:
            known = {**self._defaults, **self._fitting(known)}
        self._add(log, known, refused.samples)
        if self._versus:
            sides = {"model": known.get(self._versus), self._versus: known.get("model")}
            self._add(log, known | sides, refused.samples)

    def _fitting(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What is told, without settings that are not of the type of their column."""
        kinds = self._kinds
        return {
            name: value
            for name, value in told.items()
            if name not in kinds or not fitting([value], kinds[name])[1]
        }

    def _add(self, log: str, known: Mapping[str, Any], samples: int) -> None:
        settings = tuple(known.get(name, UNKNOWN) for name in self._names)
        self._runs[log, settings] = known.get("run", log)
        epochs = self._logs.setdefault(log, {}).setdefault(settings, defaultdict(set))
        name, epoch = known.get("sample_id"), known.get("epoch", 0)
        if name is None:
            self._unnamed[log, settings] += samples
        elif name in epochs or len(epochs) <= PROBLEMS_AT_MOST:
            mine = epochs[str(name)]
            at = epoch if isinstance(epoch, int) else -1 - len(mine)  # whichever it was to be
            mine.update(range(at, at + samples))

    def declared(self, samples: pl.LazyFrame) -> dict[str, list[Declared]]:
        """Log → the epochs of each problem of which one is lost, with those that are there.

        `samples`: those of the other records, of any logs. What stands there was not lost.
        """
        for log, name, epoch, *settings in self._there(samples) if self._logs else ():
            for run, epochs in self._logs[log].items():
                pairs = zip(run, settings, strict=True)
                if name in epochs and all(one in (UNKNOWN, other) for one, other in pairs):
                    epochs[name].add(epoch)
        return {
            log: [
                Declared(
                    {
                        name: value
                        for name, value in zip(self._names, settings, strict=True)
                        if value is not UNKNOWN
                    }
                    | {"run": self._runs[log, settings]},
                    each={name: len(epochs) for name, epochs in sorted(found.items())},
                    lacking=self._unnamed[log, settings],
                    refused=True,
                )
                for settings, found in runs.items()
            ]
            for log, runs in self._logs.items()
        }

    def _there(self, samples: pl.LazyFrame) -> Iterator[tuple[Any, ...]]:
        """Samples of logs and of problems of which one is lost."""
        names = {name for runs in self._logs.values() for found in runs.values() for name in found}
        of = pl.col("log").is_in([*self._logs]) & pl.col("sample_id").is_in(sorted(names))
        found = samples.filter(of).select("log", "sample_id", "epoch", *self._names)
        return found.collect(engine="streaming").iter_rows()
