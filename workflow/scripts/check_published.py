"""check_published: grids ↔ printed digits, cell by cell."""

from pathlib import Path

from heatproof import paper
from heatproof.provenance import job
from heatproof.samples import tables
from heatproof.util import terminal

with job.run(snakemake):
    grids = {Path(path).stem: tables.scan([Path(path)]).collect() for path in snakemake.input.grids}
    cells, *means = ((Path(path).read_text(), path) for path in snakemake.input.printed)
    printed_means = [mean for text, path in means for mean in paper.read(text, path, means=True)]
    entries = snakemake.params.settings["entries"]
    rows = paper.compare(grids, entries, paper.read(*cells), printed_means)
    tables.write_text(paper.table(rows), Path(snakemake.output[0]))
    tables.write_text(paper.summary(rows) + "\n", Path(snakemake.output[1]))
    terminal.say(paper.summary(rows), error=True)
