"""aggregate: samples → the grids of figures, with the record of what they were made of."""

from functools import cache
from pathlib import Path

from heatproof import held, kinds, near, paths, provenance, systematic, tables
from heatproof.batch import batch

with batch("aggregate", snakemake.log[0]) as figures:
    held_in = cache(held.read)
    sources = {one["source"]["name"]: one["source"] for one in snakemake.params.figures.values()}
    systematic.require_few(sources, snakemake.params.tables, snakemake.params.refused, held_in)
    for path in map(Path, snakemake.output):
        figure = snakemake.params.figures[path.stem]
        kind, entry = kinds.read(figure["entry"])
        samples = snakemake.params.tables[entry.source]
        mine = near.near(samples, entry, held_in)
        record = provenance.of_grid(figure["entry"], figure["source"], mine.logs, figure["code"])
        if figures.stands(path.stem, [path], record, [*map(paths.counts, samples), *samples]):
            continue
        with figures.one():
            tables.write(near.aggregate(kind, entry, mine, samples), path, record)
