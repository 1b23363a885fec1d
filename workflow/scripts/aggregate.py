"""aggregate: samples → the grid of a figure, with the record of what it was made of."""

from pathlib import Path

from heatproof import job, kinds, provenance, tables

with job.log(snakemake.log[0], snakemake.output):
    given, samples = snakemake.params.entry, snakemake.input.tables
    kind, entry = kinds.read(given)
    rows, partial = (tables.scan(list(map(Path, x))) for x in (samples, snakemake.input.counts))
    grid = kind.aggregate(rows, entry, partial)
    record = provenance.of_grid(given, samples, snakemake.params.code)
    tables.write(grid, Path(snakemake.output[0]), record)
