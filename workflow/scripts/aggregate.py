"""aggregate: samples → the grids of figures, with the record of what they were made of."""

from functools import cache
from pathlib import Path

from heatproof import kinds, paths, provenance, selection, tables
from heatproof.batch import batch

with batch("aggregate", snakemake.log[0]) as figures:
    made_up = cache(provenance.reconstructed)
    for path in map(Path, snakemake.output):
        figure = snakemake.params.figures[path.stem]
        samples = figures.digests(figure["tables"])
        logs = figures.digests(map(paths.manifest, samples))
        given = {**samples, **logs, **figures.digests(figure["counts"])}
        if figures.stands(path.stem, [path], figure, given):
            continue
        kind, entry = kinds.read(figure["entry"])
        rows = tables.scan(list(map(Path, figure["tables"])))
        partial = tables.shards(list(map(Path, figure["counts"])))
        selection.require_some(rows, tables.rejected(figure["tables"]), entry)
        grid = kind.aggregate(rows, entry, partial)
        behind = provenance.Behind(samples, logs, made_up(tuple(samples)))
        tables.write(grid, path, provenance.of_grid(figure["entry"], behind, figure["code"]))
