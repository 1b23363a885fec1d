"""compare_printed: what the harness printed beside its logs ↔ what is counted of the samples."""

from pathlib import Path

from heatproof import readers
from heatproof.printed import moments, pairing, report
from heatproof.provenance import job
from heatproof.samples import outcome, tables
from heatproof.util import registry, terminal

with job.at_home(snakemake):
    given = snakemake.params.given["entry"]
    reader = registry.find(readers, given["format"], "format", "log format")
    entry = job.entry(reader.Entry, given)
    refused = outcome.refused([Path(path) for path in snakemake.input.manifests])
    progress = job.Progress(f"compare_printed {entry.name}", len(refused))
    printed = list(pairing.read(refused, Path(), entry, reader.printed, progress))
    overs = {one.over for _, one in printed}
    scored = moments.gather([Path(path) for path in snakemake.input.samples], overs)
    compared, others = pairing.compare(printed, scored, refused)
    settings = ["model", "task", *entry.columns().params]
    rows = [report.row(one, settings) for one in compared]
    tables.write_text(report.table(rows, settings), Path(snakemake.output[0]))
    tables.write_text(report.text(rows, others), Path(snakemake.output[1]))
    terminal.say(f"{entry.name}, printed by the harness: {report.headline(rows)}", error=True)
