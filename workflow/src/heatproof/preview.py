"""The first records of each source, read before any job, so that all mistakes are told at once.

A small source is read whole, and its figures are counted and laid out: all that is wrong of it is
known. Of a larger one the first records of some logs tell whether none can be read. The rest jobs
say.
"""

from __future__ import annotations

import time
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from heatproof import formats, ledger
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.samples import normalize, refusals, selection, shard_index
from heatproof.samples.derived import files_beside
from heatproof.util import hashed, registry
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.config.entries import Figure
    from heatproof.plan import Plan

SECONDS = 1.0  # of CPU: no source, and no figure, is begun later
WHOLE = 1 << 20  # bytes of a source that is read whole …
MOST_LOGS = 200  # … and its logs at most
TRIED = 5  # logs of a larger one, evenly chosen …
FIRST = 128 << 10  # … and the bytes of each; of documents, those that have no more
ALL = 0.99  # share of the records of these that one reason must refuse


def first_mistakes(plan: Plan, dry: bool) -> list[Mistake]:
    """Mistakes that records show, of sources that are still to be read.

    `dry`: no job will run and tell; so of figures too whose sources are read, and that wait.
    """
    mistakes: list[Mistake] = []
    end = time.process_time() + SECONDS
    missing = set(ledger.missing_jobs(plan.jobs, plan.root))
    for source in sorted(plan.shown):
        waits = any(f"normalize {source}/{shard}" in missing for shard in plan.logs[source])
        figures = [figure for figure in plan.figures.values() if figure.source == source]
        if waits and time.process_time() < end:
            mistakes += _of_source(plan, source, figures, end)
        if dry and not waits:
            to_count = [figure for figure in figures if f"aggregate {figure.name}" in missing]
            mistakes += _of_tables(plan, source, to_count, end)
    return list(dict.fromkeys(mistakes))


def _of_source(plan: Plan, source: str, figures: Sequence[Figure], end: float) -> Iterator[Mistake]:
    entry, logs = plan.sources[source], list(filter(plan.size, chain(*plan.logs[source].values())))
    is_small = sum(map(plan.size, logs)) <= WHOLE and len(logs) <= MOST_LOGS
    step = 1 if is_small else max(len(logs) // TRIED, 1)
    noted = {log: extent for log in logs[::step] if (extent := _noted(plan, source, log, is_small))}
    if not noted:
        return
    beside = {path for log in noted for path in files_beside(entry, log, plan.root)}
    noted_all = noted | {path: hashed.content(plan.root / path) for path in beside - noted.keys()}
    reader = registry.find(formats, entry.format, "format", "log format")
    with TemporaryDirectory(prefix="heatproof-") as folder:
        samples, rejected, counts = (Path(folder, name) for name in ("0", "rejected", "counts"))
        try:
            read = normalize.write(
                noted, plan.root, entry, reader.read, samples, rejected, noted_all
            )
        except Error as error:
            yield from error.mistakes
            return
        shard_index.write_counts(samples, counts, read)
        refused = refusals.grouped([rejected])
        accepted = entry.refused if is_small else ALL
        plain = msgspec.to_builtins(entry)
        judge = refusals.Judge(plain, read.manifest, refused, [counts], accepted)
        wrong = judge.mistakes()
        yield from wrong
        if is_small and not wrong:
            for figure in figures if time.process_time() < end else ():
                yield from _of_figure(figure, [samples], [rejected])


def _of_tables(plan: Plan, source: str, figures: Sequence[Figure], end: float) -> Iterator[Mistake]:
    """Mistakes of figures of a source that is read, if its tables are small."""
    samples = [plan.root / table for table in plan.tables_of(source)]
    sizes = [table.stat().st_size for table in samples if table.is_file()]
    if len(sizes) < len(samples) or sum(sizes) > WHOLE:
        return
    rejected = [Path(paths.rejected(str(table))) for table in samples]
    for figure in figures:
        if time.process_time() < end:
            yield from _of_figure(figure, samples, rejected)


def _noted(plan: Plan, source: str, log: str, is_small: bool) -> hashed.Extent | None:
    """How much of a log is read; None: nothing."""
    packed = not log.endswith((".gz", ".zst")) and plan.sources[source].has_lines(log)
    if is_small or plan.size(log) <= FIRST:
        return hashed.content(plan.root / log)
    if not packed:
        return None
    with open(plan.root / log, "rb") as file:
        return hashed.extent(file.fileno(), FIRST)


def _of_figure(figure: Figure, samples: Sequence[Path], rejected: Sequence[Path]) -> list[Mistake]:
    table = pl.scan_parquet(list(samples))
    try:
        selection.require_some(table, pl.scan_parquet(list(rejected)), figure)
        grid = api.kind(figure.kind).aggregate(table, figure)
        _ = api.FigureTexts(grid, figure).content
    except Error as error:
        return error.mistakes
    return []
