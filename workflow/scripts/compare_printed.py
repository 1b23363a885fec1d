"""compare_printed: numbers that the harness printed beside its logs ↔ those of the samples."""

from pathlib import Path

from heatproof import printed
from heatproof.config import paths
from heatproof.provenance import job
from heatproof.samples import normalize, tables
from heatproof.util import terminal

with job.run(snakemake):
    reader, entry = job.source(snakemake.params.settings["entry"])
    refused = {}
    for table in snakemake.params.tables:
        for log in normalize.read_manifest(Path(paths.manifest(table))):
            if log.records:
                refused[log.log] = log.rejected + log.failed
    numbers = list(printed.read(refused, Path(), entry, reader.printed))
    overs = {number.over for _, number in numbers}
    scored = printed.gather([Path(path) for path in snakemake.params.tables], overs)
    comparisons = printed.compare_numbers(numbers, scored, refused)
    settings = ["model", "task", *entry.columns().params]
    rows = [comparison.row(settings) for comparison in comparisons]
    tables.write_text(printed.comparison_table(rows, settings), Path(snakemake.output[0]))
    terminal.say(f"{entry.name}, printed by the harness: {printed.headline(rows)}", error=True)
