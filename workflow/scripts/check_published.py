"""check_published: grids ↔ printed digits, cell by cell."""

from pathlib import Path

from heatproof.paper import published
from heatproof.provenance import job
from heatproof.samples import tables
from heatproof.util import terminal

with job.at_home(snakemake):
    grids = {Path(path).stem: tables.scan([Path(path)]).collect() for path in snakemake.input.grids}
    cells = published.read(Path(snakemake.input.cells).read_text(), snakemake.input.cells)
    means = [
        mean
        for path in snakemake.input.means
        for mean in published.read_means(Path(path).read_text(), path)
    ]
    rows = published.compare(grids, snakemake.params.given["entries"], cells, means)
    tables.write_text(published.table(rows), Path(snakemake.output[0]))
    tables.write_text(published.summary(rows) + "\n", Path(snakemake.output[1]))
    terminal.say(published.summary(rows), error=True)
