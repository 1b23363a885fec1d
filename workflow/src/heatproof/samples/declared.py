"""What logs declare and config.yaml expects, run by run, beside what there is of each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import roles
from heatproof.readers.api import Declared
from heatproof.samples import shard_index, tables
from heatproof.samples.counts import count_key
from heatproof.samples.shard_index import PROBLEMS_AT_MOST, Meant, ShardIndex
from heatproof.util import terminal
from heatproof.util.errors import choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.readers.api import Reject

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
    lacking = {name for those in meant.values() for one in those for name in one.lacks}
    short = partial.filter(pl.col("sample_id").is_in(list(lacking)))
    each = short.group_by(*names, "sample_id").agg(pl.col("epochs").sum())
    there: defaultdict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
    for *run, name, number in each.iter_rows():
        there[tuple(run)][name] = number
    left = dict(meant)
    sizes = pl.col("epochs").sum(), pl.col("sample_id").n_unique()
    for *run, found, problems in partial.group_by(names).agg(*sizes).iter_rows():
        those, wanted = meant.get(tuple(run[:-1]), []), logs.wanted(run)
        left.pop(tuple(run[:-1]), None)
        if those or wanted is not None:
            part = shard_index.declared_part(problems, those) or (None, None)
            yield (
                *run,
                *shard_index.declared_problems(found, those, there[tuple(run)], wanted),
                *part,
                None,
            )
    scorers = partial["scorer"].unique().to_list() or [""]
    for settings, those in left.items():
        for scorer in scorers:
            part = shard_index.declared_part(0, those) or (None, None)
            whole = shard_index.declared_problems(0, those, {}, logs.wanted(settings))
            yield *settings, scorer, *whole, *part, of[settings]


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


class Of(NamedTuple):
    """A declaration, and the log that it is of."""

    log: str
    declared: Declared


class Found:
    """What there is of a declaration in one run."""

    def __init__(self) -> None:
        self.whole: set[str] = set()
        """Problems that the log names and holds with all their epochs."""
        self.short: set[str] = set()
        """Problems that the log holds with too few epochs."""

    def note(self, declared: Declared, counts: pl.DataFrame) -> None:
        """Look for the problems that a log names."""
        pairs = counts.select("sample_id", "epochs").iter_rows()
        self.whole |= {one for one, n in pairs if n >= declared.each.get(one, n + 1)}


class Meaning:
    """Declarations of logs, held against the counts of their samples."""

    def __init__(self, declared: Mapping[str, Iterable[Declared]]) -> None:
        self._runs: defaultdict[str, list[Of]] = defaultdict(list)
        for log, those in declared.items():
            for one in those:
                self._runs[one.shared.get("run", log)].append(Of(log, one))
        self._names: list[str] = []
        self._found: defaultdict[str, dict[Settings, dict[int, Found]]] = defaultdict(dict)

    def take(self, counts: pl.DataFrame) -> None:
        """Look at a piece of the counts, sorted by run and problem."""
        if not self._runs:
            return
        names = count_key(counts.columns)
        self._names = [name for name in names if name not in ("run", "sample_id", "scorer")]
        by = ["run", *self._names]
        first = tables.starts(counts, by)
        ends = np.append(first[1:], len(counts))
        wanted = np.zeros(len(first), np.int64)
        those: list[dict[int, Found]] = []
        for at, (run, *settings) in enumerate(counts.select(by)[first].iter_rows()):
            base = self._base(run)
            those.append(self._fitting(base, tuple(settings)) if base else {})
            for number, found in those[-1].items():
                _, declared = self._runs[base or ""][number]
                wanted[at] = max(wanted[at], declared.epochs)
                if declared.each:
                    found.note(declared, counts[first[at] : ends[at]])
        short = np.flatnonzero(counts["epochs"].to_numpy() < np.repeat(wanted, ends - first))
        names = counts["sample_id"].gather(short).to_list()
        for name, at in zip(names, np.searchsorted(first, short, "right") - 1, strict=True):
            for found in those[at].values():
                found.short.add(name)

    def _base(self, run: str) -> str | None:
        """The run as logs name it; of a log that holds several, each has its settings behind."""
        ends = (at for at, sign in enumerate(run) if sign == "#")
        return next((one for one in (run, *(run[:at] for at in ends)) if one in self._runs), None)

    def _fitting(self, run: str, settings: Settings) -> dict[int, Found]:
        """The declarations that are of a run of these settings, by their place among its own."""
        those = self._found[run].setdefault(settings, {})
        for at, (_, declared) in enumerate(self._runs[run]):
            if self._fits(declared, settings):
                those.setdefault(at, Found())
        return those

    def _fits(self, declared: Declared, settings: Settings) -> bool:
        told = map(declared.shared.get, self._names)
        return all(one is None or one == own for one, own in zip(told, settings, strict=True))

    def with_declared(self, held: ShardIndex) -> ShardIndex:
        """What the logs hold, with what they were to hold."""
        meant: defaultdict[str, list[Meant]] = defaultdict(list)
        for run, those in self._runs.items():
            for at, one in enumerate(those):
                meant[one.log] += self._meant(run, at, one.declared, held.columns)
        logs = {
            path: msgspec.structs.replace(log, meant=_joined(meant[path]))
            for path, log in held.logs.items()
        }
        known = {path: log for path, log in logs.items() if log.settings != [] or log.meant}
        return msgspec.structs.replace(held, logs=known)

    def _meant(
        self, run: str, at: int, declared: Declared, names: Sequence[str]
    ) -> Iterator[Meant]:
        runs = {s: found[at] for s, found in self._found[run].items() if at in found}
        if not runs:
            told = [declared.shared.get(name) for name in names]
            yield _one(told, declared, declared.each, empty=True)
        elif len(runs) == 1:  # what is declared of several together is known of none
            ((settings, found),) = runs.items()
            lacks = {one: n for one, n in declared.each.items() if one not in found.whole}
            few = found.short if declared.epochs else ()
            yield _one([*settings], declared, lacks | dict.fromkeys(few, declared.epochs))


def _one(
    settings: list[Any], declared: Declared, lacks: Mapping[str, int], *, empty: bool = False
) -> Meant:
    few = len(lacks) <= PROBLEMS_AT_MOST
    named = few and declared.named()
    told = dict(sorted(lacks.items())) if few else {}
    part = declared.part if declared.part and declared.part[0] < declared.part[1] else None
    return Meant(settings, declared.samples, told, named, empty, declared.lacking, part)


def _joined(those: Sequence[Meant]) -> list[Meant]:
    """Of what one log says of a run in several places, all."""
    found: dict[Settings, Meant] = {}
    for one in those:
        settings = tuple(one.settings)
        found[settings] = _both(found[settings], one) if settings in found else one
    return [*found.values()]


def _both(one: Meant, other: Meant) -> Meant:
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


class Lost:
    """The samples of refused records, as far as these tell them: of each run the first ones."""

    def __init__(self, names: Sequence[str], defaults: Mapping[str, Any]) -> None:
        """`names`: of the settings."""
        self._names, self._defaults = names, {**WITHOUT, **defaults}
        self._logs: dict[str, dict[Settings, Epochs]] = {}
        self._runs: dict[tuple[str, Settings], str] = {}

    def add(self, log: str, refused: Reject) -> None:
        """Look at a refused record."""
        if refused.of is None or (name := refused.of.get("sample_id")) is None:
            return
        told = self._defaults | {n: v for n, v in refused.of.items() if v is not None}
        settings = tuple(map(told.get, self._names))
        runs = self._logs.setdefault(log, {})
        epochs = runs.setdefault(settings, defaultdict(set))
        if name in epochs or len(epochs) <= PROBLEMS_AT_MOST:
            epochs[str(name)].add(told.get("epoch", 0))
        self._runs[log, settings] = told.get("run", log)

    def declared(self, samples: pl.LazyFrame) -> dict[str, list[Declared]]:
        """Log → the epochs of each problem of which one is lost, with those that are there.

        `samples`: those of the other records, of any logs. What stands there was not lost.
        """
        for log, name, epoch, *settings in self._there(samples) if self._logs else ():
            runs = self._logs[log]
            if tuple(settings) in runs and name in runs[tuple(settings)]:
                runs[tuple(settings)][name].add(epoch)
        return {
            log: [
                Declared(
                    dict(zip(self._names, settings, strict=True))
                    | {"run": self._runs[log, settings]},
                    each={name: len(epochs) for name, epochs in sorted(found.items())},
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
