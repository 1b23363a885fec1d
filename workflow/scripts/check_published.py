"""check_published: grids made of reconstructed logs ↔ the printed digits, cell by cell."""

from pathlib import Path

from heatproof.paper import agreement, published
from heatproof.provenance import job
from heatproof.samples import tables
from heatproof.util import terminal

with job.log(snakemake.log[0], snakemake.output):
    grids = {Path(path).stem: tables.scan([Path(path)]).collect() for path in snakemake.input.grids}
    cells = published.read(Path(snakemake.input.cells).read_text(), snakemake.input.cells)
    means = published.read_means(Path(snakemake.input.means).read_text(), snakemake.input.means)
    rows = agreement.compare(grids, snakemake.params.given["entries"], cells, means)
    tables.write_text(agreement.table(rows), Path(snakemake.output[0]))
    tables.write_text(agreement.summary(rows) + "\n", Path(snakemake.output[1]))
    terminal.say(agreement.summary(rows), error=True)
