"""normalize: the logs of a shard → samples, counts, rejects, and a line for each log."""

from pathlib import Path

from heatproof import ledger
from heatproof.config import paths
from heatproof.provenance import job
from heatproof.samples import joining, normalize, refusals, shard_index, tables
from heatproof.util import hashed, terminal
from heatproof.util.errors import Error, Mistake

with job.run(snakemake) as known:
    reader, entry = job.source(snakemake.params.settings["entry"])
    logs = [*snakemake.input.logs]
    table = snakemake.output.samples
    samples, rejected, counts, manifest = Path(table), *map(Path, paths.beside(table))
    known.written.extend([rejected, counts, manifest])
    counts.parent.mkdir(parents=True, exist_ok=True)
    if snakemake.input.joined:  # a shard of one of several sources: it has read the logs
        piece = ledger.read(Path(snakemake.input.joined[0]))
        *part, manifest_of_part = map(Path, piece.outputs)
        joining.join(part[0].parent.name, part, entry, samples, rejected, counts)
        summaries = normalize.read_manifest(manifest_of_part)
    else:
        # Of a log that is being written, only whole records are read.
        noted = {path: hashed.unread_extent(path, job.begun()) for path in snakemake.input}
        outcome = normalize.write(logs, Path(), entry, reader.read, samples, rejected, noted)
        shard_index.write_counts(samples, counts, outcome)
        summaries = outcome.manifest
        groups = refusals.grouped([rejected])
        words = refusals.words(groups)
        if entry.strict and any(group.kind != refusals.FAILED for group in groups):
            raise Error(Mistake(f"sources.{entry.name}.strict", words))
        if words and snakemake.params.upstream:  # of a module Snakemake takes no last words
            tables_ = f"results/tables/{entry.name}/*.rejected.parquet"
            terminal.say(
                f"heatproof: source {entry.name}: {words}\n  all of them: {tables_}", error=True
            )
    tables.write_text(normalize.manifest_text(summaries), manifest)
    for log in summaries:
        known.digests[log.log] = hashed.Extent(log.blake3, log.bytes)
