"""normalize: the logs of a shard → samples, counts, rejects, and what became of each log."""

from pathlib import Path

from heatproof import formats
from heatproof.ledger import pieces
from heatproof.provenance import job
from heatproof.samples import normalize, shard_index, tables
from heatproof.util import hashed, registry, terminal

with job.at_home(snakemake):
    settings, shard = snakemake.params.settings, snakemake.wildcards.shard
    reader = registry.find(formats, settings["entry"]["format"], "format", "log format")
    entry = job.entry(reader.Entry, settings["entry"])
    logs = snakemake.input.logs
    progress = job.Progress(f"normalize {entry.name}/{shard}", len(logs))
    samples, rejected, counts, manifest = map(Path, snakemake.output[:4])
    # Of a log that is being written, only whole records are read: what lacks its end is left.
    noted = {path: hashed.whole(path, job.begun()) for path in snakemake.input}
    read = normalize.write(
        logs, Path(), entry, reader.read, samples, rejected, progress, noted=noted
    )
    shard_index.write_counts(samples, counts, read)
    tables.write_text(normalize.manifest_text(read.manifest), manifest)
    if entry.strict:
        normalize.require_clean(read, entry)
    if job.tells() and (words := normalize.refused_words(read, entry)):
        terminal.say(job.at(words, "results/tables/"), error=True)
    pieces.write(snakemake, {one.log: (one.blake3, one.bytes) for one in read.manifest})
