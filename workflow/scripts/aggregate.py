"""aggregate: samples → the grid of a figure, its numbers as CSV, and what lies behind each cell."""

from functools import cache
from pathlib import Path

from heatproof import ledger
from heatproof.kinds import api
from heatproof.provenance import job, record
from heatproof.samples import refusals, shard_index, tables
from heatproof.util import canonical

with job.log(snakemake.log[0]):
    settings, index = snakemake.params.settings, cache(shard_index.read_index)
    entry, source = api.read(settings["entry"]), settings["source"]
    samples = [*snakemake.input.tables]
    refused = {entry.source: settings["refused"]}
    refusals.require_few({entry.source: source}, {entry.source: samples}, refused, index)
    shards = shard_index.shards_of_figure(samples, entry, index)
    shards = shards._replace(expect=source.get("expect"), scales=shard_index.scales_of(source))
    code = {"aggregate": snakemake.params.code["rooms"]}
    kind = api.kind(entry.kind)
    grid = shard_index.aggregate(kind, entry, shards, samples)
    footer = record.of_grid(settings["entry"], source, shards.logs, code)
    tables.write(grid, Path(snakemake.output.grid), footer)
    tables.write_text(kind.csv(grid, entry), Path(snakemake.output.csv))
    behind = kind.records(shards.portions(), entry, grid, shards.partial())
    tables.write_text(canonical.text(behind) + "\n", Path(snakemake.output.behind))
    ledger.write(snakemake)
