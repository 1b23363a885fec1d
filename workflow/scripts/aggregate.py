"""aggregate: samples → the grid of a figure, its numbers as CSV, and the records behind cells."""

from pathlib import Path

import polars as pl

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance import job, quotes, record
from heatproof.samples import normalize, refusals, shard_index, tables
from heatproof.util import canonical
from heatproof.util.errors import Error

with job.run(snakemake):
    settings = snakemake.params.settings
    entry, source = api.read(settings["entry"]), settings["source"]
    samples = snakemake.params.tables
    logs = []
    for table in samples:
        logs += normalize.read_manifest(Path(paths.manifest(table)))
    rejected = [Path(paths.rejected(table)) for table in samples]
    counts = [Path(paths.counts(table)) for table in samples]
    refused = refusals.grouped(rejected)
    judge = refusals.Judge(source, logs, refused, counts, settings["refused"])
    if mistakes := judge.mistakes():
        raise Error(mistakes)
    shards = shard_index.shards_of_figure(samples, entry, source.get("expect"))
    kind = api.kind(entry.kind)
    grid = shard_index.aggregate(kind, entry, shards, samples)
    code = snakemake.params.code["rooms"]
    footer = record.of_grid(settings["entry"], source, shards.log_index.logs, code)
    tables.write(grid, Path(snakemake.output.grid), footer)
    tables.write_text(kind.csv(grid, entry), Path(snakemake.output.csv))
    behind = kind.records(shards.portions(), entry, grid, shards.partial())
    table = pl.scan_parquet(shards.samples)
    behind["problems"] = kind.problem_counts(table, entry, grid, shards.partial(), shards.log_index)
    if quoted := settings.get("show_records"):
        behind["quotes"] = quotes.quoted(behind, quoted, Path())
    tables.write_text(canonical.text(behind) + "\n", Path(snakemake.output.behind))
