"""What logs declare beside what became of it: how many samples of a run, and which are lacking."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from heatproof import tallying
from heatproof.counts import key
from heatproof.held import MOST, Held, Meant
from heatproof.reading import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from heatproof.readers._batch import Declared

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


class Meaning:
    """Declarations of logs, held against the counts of their samples."""

    def __init__(self, declared: Mapping[str, Iterable[Declared]]) -> None:
        self._runs: defaultdict[str, list[Of]] = defaultdict(list)
        for log, those in declared.items():
            for one in those:
                self._runs[one.shared.get("run", log)].append(Of(log, one))
        self._names: list[str] = []
        self._found: dict[tuple[str, Settings], dict[int, Found]] = {}

    def take(self, counts: pa.Table) -> None:
        """Look at a piece of the counts, sorted by run and problem."""
        if not self._runs:
            return
        names = key(counts.column_names)
        self._names = [name for name in names if name not in ("run", "sample_id", "scorer")]
        by = ["run", *self._names]
        first = np.flatnonzero(tallying.starts(counts, by))
        heads = [tallying.heads(columns.array(counts, name), first).to_pylist() for name in by]
        ends = np.append(first[1:], len(counts)).tolist()
        for run, *settings, start, stop in zip(*heads, first.tolist(), ends, strict=True):
            if base := self._base(run):
                self._count(base, tuple(settings), counts[start:stop])

    def _base(self, run: str) -> str | None:
        """The run as logs name it; of a log that holds several, each has its settings behind."""
        ends = (at for at, sign in enumerate(run) if sign == "#")
        return next((one for one in (run, *(run[:at] for at in ends)) if one in self._runs), None)

    def _count(self, run: str, settings: Settings, rows: pa.Table) -> None:
        ids, epochs = None, np.asarray(rows["epochs"])
        those = self._found.setdefault((run, settings), {})
        for at, (_, declared) in enumerate(self._runs[run]):
            if not self._fits(declared, settings):
                continue
            found = those.setdefault(at, Found())
            if declared.each:
                ids = ids or rows["sample_id"].to_pylist()
                pairs = zip(ids, epochs.tolist(), strict=True)
                found.whole |= {one for one, n in pairs if n >= declared.each.get(one, n + 1)}
            elif declared.epochs:
                short = np.flatnonzero(epochs < declared.epochs)
                found.short |= set(rows["sample_id"].take(short).to_pylist())

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
        return Held(
            held.columns,
            {path: log for path, log in logs.items() if log.settings != [] or log.meant},
        )

    def _meant(
        self, run: str, at: int, declared: Declared, names: Sequence[str]
    ) -> Iterator[Meant]:
        runs = {s: found[at] for (of, s), found in self._found.items() if of == run and at in found}
        if not runs:
            told = [declared.shared.get(name) for name in names]
            yield _one(told, declared, declared.each, empty=True)
        elif len(runs) == 1:  # what is declared of several together is known of none
            ((settings, found),) = runs.items()
            lacks = {one: n for one, n in declared.each.items() if one not in found.whole}
            yield _one([*settings], declared, lacks | dict.fromkeys(found.short, declared.epochs))


def _one(
    settings: list[Any], declared: Declared, lacks: Mapping[str, int], *, empty: bool = False
) -> Meant:
    few = len(lacks) <= MOST
    named = few and declared.named()
    return Meant(
        settings, declared.samples, dict(sorted(lacks.items())) if few else {}, named, empty
    )


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
    )
