"""aggregate: samples → the grid of a figure, with the record of what it was made of."""

from pathlib import Path

from heatproof import figures, job, provenance, registry, tables

with job.log(snakemake.log[0], snakemake.output):
    given, samples = snakemake.params.entry, snakemake.input.tables
    kind = registry.find(figures, given["kind"], "kind", "figure kind")
    grid = kind.aggregate(tables.scan(list(map(Path, samples))), job.entry(kind.Entry, given))
    record = provenance.of_grid(given, samples, snakemake.params.code)
    tables.write(grid, Path(snakemake.output[0]), record)
