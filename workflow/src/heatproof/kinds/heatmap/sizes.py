"""What runs were to hold, told once more in plain Python from records and declarations.

A run is one setting and scorer. Where one run of each task lies in a cell, and the logs of all of
them tell their size, nothing else may stand there; elsewhere it is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import roles
from heatproof.samples import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.samples.held import Held, Meant
    from heatproof.util.lazy import polars as pl

    Place = tuple[Any, ...]
    """The values of some columns."""


class Size(NamedTuple):
    """What a cell, or a run, was to hold."""

    least: int
    sure: bool
    """Whether it is just that."""


def cells(
    graded: pl.DataFrame, logs: Held, entry: Figure, axes: Sequence[str], also: Iterable[str]
) -> dict[Place, dict[str, Size]]:
    """Place on the axes → task → what was to be there, where some log tells.

    Args:
        graded: the records of the figure with a number.
        logs: what holds them, and what failed.
        entry: the figure.
        axes: columns that tell its cells apart.
        also: further settings of which a cell may hold several.
    """
    if roles.WITHIN & {*axes, *also, *entry.where}:
        return {}
    meant: dict[Place, list[Meant]] = {}
    for one in held.meant(logs, entry):
        meant.setdefault(tuple(one.settings), []).append(one)
    names = logs.columns
    runs: dict[tuple[Place, str], Counter[str]] = {}
    columns = [*names, "scorer", "sample_id"]
    some = meant or logs.expect is not None
    for *settings, scorer, sample in graded.select(columns).iter_rows() if some else ():
        runs.setdefault((tuple(settings), scorer), Counter())[sample] += 1
    found: dict[Place, dict[str, list[Size]]] = {}
    for (run, scorer), samples in runs.items():
        told = dict(zip(names, run, strict=True)) | {"scorer": scorer}
        at = found.setdefault(tuple(told[name] for name in axes), {}).setdefault(told["task"], [])
        at.append(size(samples, meant.get(run, []), logs.wanted(run)))
    scorers = sorted({*graded["scorer"]}) if "scorer" in axes else [""]
    for run, scorer in product(meant.keys() - {run for run, _ in runs}, scorers):  # they failed
        told = dict(zip(names, run, strict=True)) | {"scorer": scorer}
        tasks = found.setdefault(tuple(told[name] for name in axes), {})
        tasks.setdefault(told["task"], []).append(Size(0, sure=False))
    return {place: {t: _sum(one) for t, one in tasks.items()} for place, tasks in found.items()}


def size(samples: Mapping[str, int], meant: Sequence[Meant], wanted: int | None) -> Size:
    """What a run was to hold: by problem where its logs name what they lack, else in all.

    What config.yaml says (`wanted`) goes before.
    """
    lacking = Counter[str]()
    for one in meant:
        for name, epochs in one.lacks.items():
            lacking[name] = max(lacking[name], epochs - samples.get(name, 0))
    least = sum(samples.values()) + lacking.total() + sum(one.lacking for one in meant)
    if wanted is not None:
        return Size(max(least, wanted), sure=True)
    if not meant or any(one.samples is None for one in meant):
        return Size(least, sure=False)
    if len(meant) > 1 and all(one.named for one in meant):
        return Size(least, sure=True)
    parts = sum(one.samples or 0 for one in meant if not one.empty)
    return Size(max(least, parts, *(one.samples or 0 for one in meant)), sure=True)


def agrees(stored: int, tasks: Mapping[str, Size], wanted: set[str]) -> tuple[int, bool]:
    """The rows that a cell was to hold at least, and whether it says so.

    `wanted`: the tasks that it tells of.
    """
    least = sum(one.least for one in tasks.values())
    sure = tasks.keys() == wanted and all(one.sure for one in tasks.values())
    return least, stored == least if sure else stored >= least


def _sum(runs: Sequence[Size]) -> Size:
    alone = len(runs) == 1 and runs[0].sure
    return Size(sum(one.least for one in runs), alone)
