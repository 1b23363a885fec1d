"""normalize: the logs of a shard → samples, counts, rejects, and what became of each log."""

from pathlib import Path

from heatproof import readers
from heatproof.cluster import remote
from heatproof.plan import inventory
from heatproof.provenance import growing, job
from heatproof.samples import counting, last_values, normalize, outcome, tables
from heatproof.util import registry, terminal
from heatproof.util.canonical import key

with job.at_home(snakemake):
    given, shard = snakemake.params.given, snakemake.wildcards.shard
    reader = registry.find(readers, given["entry"]["format"], "format", "log format")
    entry = job.entry(reader.Entry, given["entry"])
    noted = inventory.noted(given["logs"], Path())
    if made := inventory.is_made(given["logs"]):
        noted = inventory.with_made(noted, entry, Path())
    progress = job.Progress(f"normalize {entry.name}/{shard}", len(noted.logs))
    samples, rejected, counts, manifest = map(Path, snakemake.output)
    places = samples, rejected, progress, noted.files
    read = normalize.write(noted.logs, Path(), entry, reader.read, *places)
    values = counting.write_counts(
        samples, counts, counting.index_logs(samples, read), read.declared
    )
    tables.write_text(normalize.manifest_text(read.manifest), manifest)
    settled = read.digest == noted.digest
    growing.note([remote.named(path) for path in snakemake.output], Path(), settled=settled)
    if settled and not made:  # what will have been made by the next run is not known before
        last_values.note_values(values, entry.name, shard, key(given))
    if entry.strict:
        normalize.require_clean([read], entry)
    if job.tells() and (said := outcome.refusals_told([read], entry)):
        terminal.say(job.seen(said, "results/tables/"), error=True)
