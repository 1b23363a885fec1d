"""What the logs of a source hold, in words: runs, problems that they share, what is lacking."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import TYPE_CHECKING, Any

from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from heatproof.config.entries import Columns
    from heatproof.start.trial import Trial

REASONS = 3
"""Reasons for refusals that are told."""


def words(read: Trial, told: Columns) -> list[tuple[str, str]]:
    """Word and text of each thing worth a line."""
    settings = ["model", "task", *told.params, "scorer"]
    runs: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    keys = zip(*(read.columns[name] for name in settings), strict=True)
    for key, sample in zip(keys, read.columns["sample_id"], strict=True):
        runs[key].add(sample)
    looked = "" if read.whole else "; only the beginnings were read"
    found = [("runs", f"{_sizes(runs)}{looked}")]
    if gaps := _gaps(settings, runs):
        found.append(("lacking", gaps))
    if read.short:
        found.append(("lacking", f"{numbered(read.short, 'log')} hold fewer samples than declared"))
    return found + _refused(read)


def _sizes(runs: dict[tuple[Any, ...], set[str]]) -> str:
    """How many runs, and how many problems each."""
    by_task: dict[Any, list[set[str]]] = defaultdict(list)
    for key, samples in runs.items():
        by_task[key[1]].append(samples)
    short = sum(len(samples) < max(map(len, sets)) for sets in by_task.values() for samples in sets)
    most = sorted({max(map(len, sets)) for sets in by_task.values()})
    size = f"{most[0]:,}" if len(most) == 1 else f"{most[0]:,} to {most[-1]:,}"
    told = f"{numbered(len(runs), 'run')}, {size} problems in each"
    if short:
        told += f", but fewer in {short:,}"
    shared = all(len(set.intersection(*sets)) * 2 >= len(sets[0]) for sets in by_task.values())
    return told if shared or len(runs) < 2 else f"{told}; they share few of them"


def _gaps(settings: list[str], runs: dict[tuple[Any, ...], set[str]]) -> str:
    """Combinations of settings without a run, where all but a few are there."""
    sizes = [len({key[n] for key in runs}) for n in range(len(settings))]
    whole = prod(sizes)
    lacking = whole - len(runs)
    if not lacking or lacking * 2 > whole:
        return ""
    varied = [name for name, size in zip(settings, sizes, strict=True) if size > 1]
    have = "has" if lacking == 1 else "have"
    return f"{lacking:,} of {whole:,} combinations of {' × '.join(varied)} {have} no run"


def _refused(read: Trial) -> list[tuple[str, str]]:
    total = sum(read.refused.values()) + len(read.columns["score"])
    return [
        ("refused", f"{count:,} of {total:,} records: {reason} (first: {read.first[reason]})")
        for reason, count in read.refused.most_common(REASONS)
    ]
