"""aggregate: samples → the grids of figures, with the record of what they were made of."""

from pathlib import Path

from heatproof import job, kinds, provenance, selection, tables

with job.log(snakemake.log[0], snakemake.output):
    for path in map(Path, snakemake.output):
        figure = snakemake.params.figures[path.stem]
        kind, entry = kinds.read(figure["entry"])
        rows = tables.scan(list(map(Path, figure["tables"])))
        partial = tables.shards(list(map(Path, figure["counts"])))
        selection.require_some(rows, tables.rejected(figure["tables"]), entry)
        grid = kind.aggregate(rows, entry, partial)
        record = provenance.of_grid(figure["entry"], figure["tables"], figure["code"])
        tables.write(grid, path, record)
