"""normalize: the logs of a shard → samples, counts, rejects, and what became of each log."""

from pathlib import Path

from heatproof import counting, job, known, readers, registry, tables
from heatproof.canonical import key
from heatproof.reading import holding, logs, normalize

with job.log(snakemake.log[0], snakemake.output):
    reader = registry.find(readers, snakemake.params.entry["format"], "format", "log format")
    entry = job.entry(reader.Entry, snakemake.params.entry)
    paths = logs.find(entry, Path())
    mine = logs.deal(paths, logs.shards(entry, len(paths)))[snakemake.wildcards.shard]
    progress = job.Progress(f"normalize {entry.name}/{snakemake.wildcards.shard}", len(mine))
    samples, rejected = Path(snakemake.output.samples), Path(snakemake.output.rejected)
    result = normalize.write(mine, Path(), entry, reader.read, samples, rejected, progress)
    if not entry.reconstruct:
        normalize.require_unchanged(result, snakemake.params.logs)
    if entry.strict:
        normalize.require_clean(result, entry)
    held = holding.held(samples, result)
    values = counting.write(samples, Path(snakemake.output.counts), held)
    known.note(values, entry.name, snakemake.wildcards.shard, key(dict(snakemake.params)))
    tables.write_text(normalize.manifest_text(result.manifest), Path(snakemake.output.manifest))
