"""aggregate: samples → the grids of figures, with the record of what they were made of."""

from functools import cache
from pathlib import Path

from heatproof import held, kinds, paths, provenance, selection, tables
from heatproof.batch import batch

with batch("aggregate", snakemake.log[0]) as figures:
    held_in = cache(held.read)
    for path in map(Path, snakemake.output):
        figure = snakemake.params.figures[path.stem]
        kind, entry = kinds.read(figure["entry"])
        found = snakemake.params.tables[entry.source]
        samples = [Path(table) for table in found]
        counts = [Path(paths.counts(table)) for table in found]
        shown = held.shown(map(held_in, counts), entry)
        record = provenance.of_grid(figure["entry"], figure["source"], shown, figure["code"])
        if figures.stands(path.stem, [path], record, [*counts, *samples]):
            continue
        rows = tables.scan(samples)
        selection.require_some(rows, tables.rejected(found), entry)
        tables.write(kind.aggregate(rows, entry, tables.shards(counts)), path, record)
