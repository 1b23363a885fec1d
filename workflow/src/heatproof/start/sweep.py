"""What the logs of a source hold, in words: runs, problems that they share, what is lacking."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import TYPE_CHECKING, Any

from heatproof.start import columns
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection

    from heatproof.config.entries import Columns
    from heatproof.start.families import Family
    from heatproof.start.trial import Trial

REASONS = 3
"""Reasons for refusals that are told."""


def words(
    read: Trial, told: Columns, family: Family, versus: str = "", printed: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Word and text of each thing worth a line; `versus`, `printed`: as in `Found`."""
    settings = ["model", "task", *told.params, "scorer"]
    runs: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    keys = zip(*(read.columns[name] for name in settings), strict=True)
    for key, sample in zip(keys, read.columns["sample_id"], strict=True):
        runs[key].add(sample)
    looked = f"; {len(family.looked):,} of {len(family.paths):,} logs were read"
    begun = "" if read.whole else "; only the beginnings were read"
    looked = begun if family.all_looked else looked
    found = [("runs", f"{_sizes(runs)}{looked}")]
    if printed:
        told_of = f"{', '.join(printed)}: printed numbers, of which no record lies below"
        found = [("runs", f"{numbered(len(runs), 'run')}{looked}"), ("numbers", told_of)]
    if not versus and (gaps := _gaps(settings, runs)):  # no model meets itself
        found.append(("lacking", gaps))
    if read.short:
        found.append(("lacking", f"fewer samples than declared in {numbered(read.short, 'log')}"))
    if again := _again(read, settings):
        found.append(("not sure", again))
    return found + _refused(read)


def _again(read: Trial, settings: list[str]) -> str:
    """Samples that nothing tells apart, which a run would refuse."""
    names = [*settings, "run", "sample_id", "epoch"]
    keys = [*zip(*(read.columns[name] for name in names), strict=True)]
    again = len(keys) - len({*keys})
    told = (
        f"{again:,} of {len(keys):,} samples stand there twice, with equal settings, problem and "
        "repetition: a run refuses them; are logs there twice?"
    )
    return told if again else ""


def _sizes(runs: dict[tuple[Any, ...], set[str]]) -> str:
    """How many runs, and how many problems each."""
    by_task: dict[Any, list[set[str]]] = defaultdict(list)
    for key, samples in runs.items():
        by_task[key[1]].append(samples)
    short = sum(len(samples) < max(map(len, sets)) for sets in by_task.values() for samples in sets)
    most = sorted({max(map(len, sets)) for sets in by_task.values()})
    size = numbered(most[0], "problem")
    size = size if len(most) == 1 else f"{most[0]:,} to {most[-1]:,} problems"
    told = f"{numbered(len(runs), 'run')}, {size} in each"
    if short:
        told += f", but fewer in {short:,}"
    shared = all(len(set.intersection(*sets)) * 2 >= len(sets[0]) for sets in by_task.values())
    return told if shared or len(runs) < 2 else f"{told}; they share few of them"


def _gaps(settings: list[str], keys: Collection[tuple[Any, ...]]) -> str:
    """Combinations of settings without a run, where all but a few are there.

    What the task tells, as its scorer or its number of shots, makes no further combinations.
    """
    of = dict(zip(settings, zip(*keys, strict=True), strict=True))
    free = {
        name: values
        for name, values in of.items()
        if name in ("model", "task") or not columns.depends(values, of["task"])
    }
    whole = prod(len({*values}) for values in free.values())
    lacking = whole - len({*zip(*free.values(), strict=True)})
    if not lacking or lacking * 2 > whole:
        return ""
    varied = [name for name, values in free.items() if len({*values}) > 1]
    have = "has" if lacking == 1 else "have"
    return f"{lacking:,} of {whole:,} combinations of {' × '.join(varied)} {have} no run"


def _refused(read: Trial) -> list[tuple[str, str]]:
    total = sum(read.refused.values()) + len(read.columns["score"])
    return [
        ("refused", f"{count:,} of {total:,} records: {reason} (first: {read.first[reason]})")
        for reason, count in read.refused.most_common(REASONS)
    ]
