"""What logs declare beside what became of it: how many samples of a run, and which are lacking."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.samples import tables
from heatproof.samples.counts import key
from heatproof.samples.held import MOST, Held, Meant
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars as pl

    from heatproof.readers.api import Declared

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
        names = key(counts.columns)
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

    def told(self, held: Held) -> Held:
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
    few = len(lacks) <= MOST
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
