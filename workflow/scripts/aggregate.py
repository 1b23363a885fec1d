"""aggregate: samples → the grid of a figure, its numbers as CSV, and what lies behind each cell."""

from functools import cache
from pathlib import Path

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance import job, record
from heatproof.samples import refusals, shard_index, tables
from heatproof.util import canonical
from heatproof.util.errors import Error

with job.run(snakemake):
    settings, index = snakemake.params.settings, cache(shard_index.read_index)
    entry, source = api.read(settings["entry"]), settings["source"]
    samples = [*snakemake.input.tables]
    counts = [Path(paths.counts(path)) for path in samples]
    if mistakes := refusals.Judge(source, counts, settings["refused"], index).mistakes():
        raise Error(mistakes)
    shards = shard_index.shards_of_figure(samples, entry, index)
    shards = shards._replace(expect=source.get("expect"))
    kind = api.kind(entry.kind)
    grid = shard_index.aggregate(kind, entry, shards, samples)
    code = snakemake.params.code["rooms"]
    footer = record.of_grid(settings["entry"], source, shards.logs, code)
    tables.write(grid, Path(snakemake.output.grid), footer)
    tables.write_text(kind.csv(grid, entry), Path(snakemake.output.csv))
    behind = kind.records(shards.portions(), entry, grid, shards.partial())
    tables.write_text(canonical.text(behind) + "\n", Path(snakemake.output.behind))
