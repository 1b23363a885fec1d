"""aggregate: samples → the grid of a figure, its numbers as CSV, and what lies behind each cell."""

from functools import cache
from pathlib import Path

from heatproof.cluster import remote
from heatproof.kinds import api
from heatproof.provenance import job, provenance
from heatproof.samples import shard_index, shards_of_figure, systematic, tables
from heatproof.util import canonical

with job.at_home(snakemake):
    given, held_in = snakemake.params.given, cache(shard_index.read_index)
    entry, source = api.read(given["entry"]), given["source"]
    samples = [remote.named(path) for path in snakemake.input.tables]
    asked = {entry.source: source}, {entry.source: samples}, {entry.source: given["refused"]}
    systematic.require_few(*asked, held_in)
    mine = shards_of_figure.shards_near(samples, entry, held_in)
    mine = mine._replace(expect=source.get("expect"), scales=shards_of_figure.scales_of(source))
    record = provenance.of_grid(given["entry"], source, mine.logs, given["code"])
    part, evidence, numbers = (
        api.part(entry.kind, name) for name in ("aggregate", "evidence", "numbers")
    )
    grid = shards_of_figure.aggregate(part, entry, mine, samples)
    tables.write(grid, Path(snakemake.output.grid), record)
    tables.write_text(numbers.csv(grid, entry), Path(snakemake.output.csv))
    behind = evidence.records(mine.portions(), entry, grid, mine.partial())
    tables.write_text(canonical.text(behind) + "\n", Path(snakemake.output.behind))
