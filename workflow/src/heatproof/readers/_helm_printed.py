"""What HELM printed of a run: `stats.json` beside its instances, means by split.

Each is the mean over the instances in every train trial, and then over the trials
(`benchmark/metrics/metric.py`, `statistic.py`). Those of worst cases are not of single instances.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._batch import Declared
from heatproof.readers._documents import decoded
from heatproof.readers._printed import Printed, beside, count, number
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers._log import Log
    from heatproof.readers.helm import Entry

STATS = "stats.json"
INSTANCES = "num_instances"
DERIVED = ("worst", "original")
"""What a mean over several versions of an instance was computed on."""

Of = tuple[str, str, str]
"""Metric, split and perturbation."""


class Kind(msgspec.Struct):
    """What a statistic is of."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class Stat(msgspec.Struct):
    """The mean of a metric."""

    name: Kind
    mean: Any = None
    sum: Any = None
    """Over the train trials."""


def files(path: str, root: Path) -> list[str]:
    """The file of means beside the instances at a path, if it is there."""
    folder = path.rpartition("/")[0]
    found = f"{folder}/{STATS}" if folder else STATS
    return [found] if (root / found).is_file() else []


def declared(log: Log, entry: Entry, shared: dict[str, Any]) -> Iterator[Declared]:
    """How many instances there were of each split and perturbation, by the means of the run.

    `num_instances` is told for each train trial: their sum is that over the trials. A damaged file
    tells nothing here: it is named where printed numbers are compared.
    """
    found = Counter[tuple[str, str]]()
    for path in filter(log.was_there, files(log.path, log.root)):
        with suppress(Error):
            stats = _stats(log.beside(path, entry.max_document))
            for name, number in {repr(stat.name): (stat.name, stat.sum) for stat in stats
                                 if stat.name.name == INSTANCES}.values():  # fmt: skip
                version = name.perturbation or {}
                if version.get("computed_on") not in DERIVED:
                    of = name.split or "", str(version.get("name") or "")
                    found[of] += count(number) or 0
    for (split, perturbation), total in found.items():
        yield Declared(shared | {"split": split, "perturbation": perturbation}, total)


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The means of the metric that is read.

    Raises:
        Error: the file is damaged or too large.
    """
    low, high = entry.range or (0.0, 1.0)
    for path in files(log.path, log.root):
        stats = _stats(beside(log, path, entry.max_document))
        kinds = {at: _of(stat.name) for at, stat in enumerate(stats)}
        times = Counter(kinds.values())
        sizes = {kinds[at][1:]: count(stat.mean) for at, stat in enumerate(stats)
                 if stat.name.name == INSTANCES}  # fmt: skip
        for at, stat in enumerate(stats):
            metric, split, perturbation = kinds[at]
            if metric != entry.metric or _is_derived(stat.name):
                continue
            value = number(stat.mean)
            why = "" if value is not None else "it is not a number"
            if times[kinds[at]] > 1:
                why = "several numbers of this name"
            yield Printed(
                file=path,
                name=", ".join(filter(None, (metric, split, perturbation))),
                value=value,
                scorer=metric,
                where={"split": split, "perturbation": perturbation},
                problems=sizes.get((split, perturbation)),
                low=low,
                high=high,
                why=why,
            )


@lru_cache(maxsize=2)
def _stats(data: bytes) -> list[Stat]:
    return decoded(data, list[Stat], STATS)  # type: ignore[no-any-return]


def _of(kind: Kind) -> Of:
    perturbation = str((kind.perturbation or {}).get("name") or "")
    if kind.sub_split or _is_derived(kind):
        perturbation += f" {kind.sub_split or ''} {(kind.perturbation or {}).get('computed_on')}"
    return kind.name, kind.split or "", perturbation


def _is_derived(kind: Kind) -> bool:
    return bool(kind.sub_split) or (kind.perturbation or {}).get("computed_on") in DERIVED
