"""What logs were to hold of their runs: by their own word, and by records that were refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.formats.api import Declared
from heatproof.samples import tables
from heatproof.samples.rows import fitting
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.formats.api import Reject
    from heatproof.samples.tables import Kinds, Samples, Table

    Settings = tuple[Any, ...]
    Entries = Sequence[tuple[str, Declared]]  # a log's path, and what it declares

BEYOND = 1 << 62  # from which a number is no epoch: no column may hold its followers
AT_MOST = 1000  # problems that a log lacks, and settings of its samples, that are listed of one log
ENTRY = " declaration"
EPOCHS = " epochs"
LEAST = " least"
"""Columns of joins; no column of a table has a blank in its name."""


class DeclaredRun(msgspec.Struct, omit_defaults=True):
    """What a log says that it was to hold of a run."""

    settings: list[Any]  # model, task and hyper-parameters
    samples: int | None = None  # problems × epochs; None where the log does not tell
    lacks: dict[str, int] = {}
    """Problem → its epochs, of those that the log names and does not hold whole."""
    names_all: bool = False  # whether it names all problems
    empty: bool = False  # whether it holds no sample of the run
    lacking: int = 0  # samples that it lacks of problems that it does not name
    part: tuple[int, int] | None = None
    """Problems that were asked for, and those of the data set, where these are more."""
    failed: int = 0  # samples of records that say that they failed
    stopped: bool = False
    """Whether samples were stopped by the results of others, so that the mean is biased."""

    def add(self, entry: Declared, lacks: Mapping[str, int]) -> None:
        """Add what one more entry says; `lacks`: problems of which it has too few epochs."""
        if self.samples is None:
            self.samples = entry.samples
        if len(lacks) <= AT_MOST:
            highest = highest_counts((self.lacks, lacks))
            self.lacks = dict(sorted(highest.items()))
            self.names_all |= entry.named()
        self.lacking += entry.lacking
        self.failed += entry.failed
        self.stopped |= entry.stopped
        if self.part is None and entry.part:
            asked, of_all = entry.part
            if asked < of_all:
                self.part = entry.part


class Lost:
    """The samples of refused records, as far as these tell them: of each run the first ones."""

    def __init__(self, kinds: Kinds, defaults: Mapping[str, Any], versus: str = "") -> None:
        """`kinds`: types of the settings; `versus`: the setting that names the other side."""
        self._kinds = kinds
        self._defaults = dict(defaults)
        self._versus = versus
        self.logs: defaultdict[str, dict[Settings, Declared]] = defaultdict(dict)

    def add(self, log: str, refused: Reject) -> None:
        """Look at a refused record; a game was to be a sample of either side."""
        if not refused.samples or not refused.cells:
            return
        values = {name: value for name, value in refused.cells.items() if value is not None}
        if not refused.lacks_score:
            values = self._fitting(values)
        elif "sample_id" in values:  # what the record does not say, it does not have
            absent: dict[str, Any] = dict.fromkeys(self._kinds)
            values = absent | {"model": "", "task": ""} | self._defaults | values
        side = self._defaults | values
        side.setdefault("run", log)
        self._add_side(log, side, refused)
        if self._versus:
            model = values.get("model")
            opponent = values.get(self._versus)
            side |= {"model": opponent, self._versus: model}
            self._add_side(log, side, refused)

    def _fitting(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values without those that do not fit their column: these are not known."""
        settings = dict(values)
        for name in values.keys() & self._kinds:
            _, faults = fitting([values[name]], self._kinds[name])
            if faults:
                del settings[name]
        return settings

    def _add_side(self, log: str, side: Mapping[str, Any], refused: Reject) -> None:
        names = ["run"] + list(self._kinds)
        shared = {name: side[name] for name in names if name in side}
        entry = Declared(shared, refused=True)
        settings = tuple(shared.items())
        entry = self.logs[log].setdefault(settings, entry)
        if refused.kind == "failed":
            entry.failed += refused.samples
        name = side.get("sample_id")
        if name is None:
            entry.lacking += refused.samples
        elif name in entry.lost or len(entry.lost) <= AT_MOST:
            epochs = entry.lost.setdefault(str(name), set())
            start = side.get("epoch", 0)
            if not isinstance(start, int) or abs(start) >= BEYOND:
                start = -1 - len(epochs)  # whichever it was
            stop = start + refused.samples
            epochs.update(range(start, stop))


def declared_runs(
    samples: Samples, declared: Mapping[str, Iterable[Declared]]
) -> dict[str, list[DeclaredRun]]:
    """Log → what it was to hold of each run; nothing of several runs together."""
    entries: list[tuple[str, Declared]] = []
    for log, of_log in declared.items():
        entries += [(log, entry) for entry in of_log]
    if not entries:
        return {}
    columns = tables.setting_names(samples)
    pairs = _runs_of_entries(entries, samples.select("run", *columns))
    rows = samples.join(pairs.lazy(), on=["run"] + columns, nulls_equal=True)
    lacks_of = _lacking(entries, rows)
    runs_of = pairs.select(ENTRY, *columns).unique().rows_by_key(ENTRY)
    logs = defaultdict[str, dict["Settings", DeclaredRun]](dict)
    for number, (path, entry) in enumerate(entries):
        runs = runs_of.get(number, [])
        is_clear = not entry.refused or entry.shared.keys() >= set(columns)
        if len(runs) > 1 or not (runs or is_clear):
            continue
        if runs:
            settings = runs[0]
        else:
            settings = tuple(map(entry.shared.get, columns))
        empty = DeclaredRun(list(settings), empty=True)
        run = logs[path].setdefault(settings, empty)
        run.empty &= not runs
        run.add(entry, lacks_of[number])
    return {path: list(runs.values()) for path, runs in logs.items()}


def _runs_of_entries(entries: Entries, rows: Samples) -> Table:
    """The runs of a samples table, each with the numbers of the entries that are of it."""
    of_run = defaultdict[str, list[int]](list)
    for number, (log, entry) in enumerate(entries):
        name = entry.shared.get("run", log)
        of_run[name].append(number)
    runs = rows.unique().collect(engine="streaming")
    pairs = []
    for run, *settings in runs.iter_rows():
        values = dict(zip(runs.columns[1:], settings, strict=True))
        for number in _entries_of(run, of_run):
            shared = entries[number][1].shared
            if all(shared.get(name) in (None, value) for name, value in values.items()):
                pairs.append((run, *settings, number))
    return pl.DataFrame(pairs, runs.schema | {ENTRY: pl.Int64}, orient="row")


def _entries_of(run: str, of_run: Mapping[str, list[int]]) -> list[int]:
    """The numbers of the entries of a run, which is called as logs name it; of a log that holds
    several, each has its settings behind a `#`.
    """
    ends = [index for index, sign in enumerate(run) if sign == "#"]
    for end in [len(run)] + ends:
        name = run[:end]
        if name in of_run:
            return of_run[name]
    return []


def _lacking(entries: Entries, rows: Samples) -> defaultdict[int, dict[str, int]]:
    """Number of an entry → problem → its declared epochs, of those of which `rows` hold fewer."""
    epochs_of = []
    declared = []
    lost = []
    for number, (_, entry) in enumerate(entries):
        if entry.epochs:
            epochs_of.append((number, entry.epochs))
        declared += [(number, name, epochs) for name, epochs in entry.each.items()]
        for name, numbers in entry.lost.items():
            lost += [(number, name, epoch) for epoch in numbers]
    problem = [ENTRY, "sample_id"]
    losses = _frame(lost, *problem, "epoch")
    # Epochs of refused records that are there all the same were not lost.
    read = rows.select(*problem, "epoch").join(losses, on=problem, how="semi")
    size = pl.len().cast(pl.Int64).alias(LEAST)
    refused = pl.concat([losses, read]).unique().group_by(problem).agg(size)
    lowest = pl.concat([_frame(declared, *problem, LEAST), refused])
    epochs = pl.len().alias(EPOCHS)
    counted = rows.group_by(*problem, *roles.GRADERS).agg(epochs)
    is_complete = pl.col(EPOCHS) >= pl.col(LEAST)
    complete = counted.join(lowest, on=problem).filter(is_complete)
    absent = lowest.join(complete, on=problem, how="anti")
    expected = _frame(epochs_of, ENTRY, LEAST)
    short = counted.join(expected, on=ENTRY).filter(~is_complete)
    lacking = pl.concat([absent, short.select(*problem, LEAST)])
    problems = defaultdict[int, dict[str, int]](dict)
    lacks = lacking.collect(engine="streaming")
    for number, name, least in lacks.iter_rows():
        problems[number][name] = least
    return problems


def _frame(rows: Sequence[tuple[Any, ...]], *names: str) -> Samples:
    types: dict[str, type[pl.DataType]] = dict.fromkeys(names, pl.Int64)
    if "sample_id" in types:
        types["sample_id"] = pl.String
    return pl.LazyFrame(rows, types, orient="row")


def highest_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The highest count of each problem."""
    highest = Counter[str]()
    for problems in counts:
        highest |= Counter(problems)
    return dict(highest)
