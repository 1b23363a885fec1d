"""check_published: grids ↔ printed digits, cell by cell."""

from pathlib import Path

from heatproof import paper
from heatproof.provenance import job
from heatproof.samples import tables
from heatproof.util import terminal

with job.run(snakemake):
    grids = {Path(path).stem: tables.read(Path(path))[0] for path in snakemake.input.grids}
    entries = snakemake.params.settings["entries"]
    tables_printed = map(Path, snakemake.input.printed)
    rows = [row for path in tables_printed for row in paper.compare(path, grids, entries)]
    tables.write_text(paper.table(rows), Path(snakemake.output[0]))
    tables.write_text(paper.summary(rows) + "\n", Path(snakemake.output[1]))
    terminal.say(paper.summary(rows), error=True)
