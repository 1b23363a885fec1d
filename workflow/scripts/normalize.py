"""normalize: the logs of shards → samples, counts, rejects, and what became of each log."""

from pathlib import Path

from heatproof import readers
from heatproof.logs import logs
from heatproof.plan import inventory
from heatproof.provenance import job
from heatproof.provenance.batch import batch
from heatproof.samples import counting, holding, known, normalize, outcome, tables
from heatproof.util import registry, terminal
from heatproof.util.canonical import key

with batch("normalize", snakemake.log[0]) as shards:
    given = dict(snakemake.params)
    reader = registry.find(readers, given["entry"]["format"], "format", "log format")
    entry = job.entry(reader.Entry, given["entry"])
    noted = {} if entry.reconstruct else given["logs"]
    noted = {shard: inventory.noted(digest, Path()) for shard, digest in noted.items()}
    dealt = {shard: one.logs for shard, one in noted.items()} or logs.dealt(entry, Path())
    made = ("samples", "rejected", "counts", "manifest")
    outputs = zip(*(map(Path, snakemake.output[name]) for name in made), strict=True)
    progress = job.Progress(
        f"normalize {entry.name}", sum(len(dealt[one]) for one in given["logs"])
    )
    read = []
    for (shard, digest), files in zip(given["logs"].items(), outputs, strict=True):
        made_of = given | {"logs": digest}
        (samples, rejected, counts, manifest), mine = files, dealt[shard]
        if shards.stands(name := f"{entry.name}/{shard}", files, made_of, snakemake.input):
            progress.done += len(mine)
            continue
        extents = noted[shard].files if noted else None
        places = (samples, rejected, progress, extents)
        result = normalize.write(mine, Path(), entry, reader.read, *places)
        read.append(result)
        values = counting.write(samples, counts, holding.held(samples, result), result.declared)
        if noted and result.digest != digest:
            shards.unsettled(name)
        else:
            known.note(values, entry.name, shard, key(made_of))
        tables.write_text(normalize.manifest_text(result.manifest), manifest)
    if entry.strict:
        normalize.require_clean(read, entry)
    if job.tells() and (said := outcome.told(read, entry)):
        terminal.say(said, error=True)
