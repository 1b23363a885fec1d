"""aggregate: samples → the grid of a figure, its numbers as CSV, and what lies behind each cell."""

from functools import cache
from pathlib import Path

from heatproof.kinds import api
from heatproof.ledger import pieces
from heatproof.provenance import job, provenance
from heatproof.samples import refusals, shard_index, tables
from heatproof.util import canonical

with job.at_home(snakemake):
    given, index = snakemake.params.settings, cache(shard_index.read_index)
    entry, source = api.read(given["entry"]), given["source"]
    samples = [*snakemake.input.tables]
    asked = {entry.source: source}, {entry.source: samples}, {entry.source: given["refused"]}
    refusals.require_few(*asked, index)
    shards = shard_index.shards_of_figure(samples, entry, index)
    shards = shards._replace(expect=source.get("expect"), scales=shard_index.scales_of(source))
    code = {"aggregate": snakemake.params.code["rooms"]}
    record = provenance.of_grid(given["entry"], source, shards.logs, code)
    kind = api.kind(entry.kind)
    grid = shard_index.aggregate(kind, entry, shards, samples)
    tables.write(grid, Path(snakemake.output.grid), record)
    tables.write_text(kind.csv(grid, entry), Path(snakemake.output.csv))
    behind = kind.records(shards.portions(), entry, grid, shards.partial())
    tables.write_text(canonical.text(behind) + "\n", Path(snakemake.output.behind))
    pieces.write(snakemake)
