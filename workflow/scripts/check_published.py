"""check_published: grids ↔ printed digits, cell by cell."""

from pathlib import Path

from heatproof import paper
from heatproof.ledger import pieces
from heatproof.provenance import job
from heatproof.samples import tables
from heatproof.util import terminal

with job.at_home(snakemake):
    grids = {Path(path).stem: tables.scan([Path(path)]).collect() for path in snakemake.input.grids}
    cells = paper.read(Path(snakemake.input.cells).read_text(), snakemake.input.cells)
    means = [
        mean
        for path in snakemake.input.means
        for mean in paper.read(Path(path).read_text(), path, means=True)
    ]
    rows = paper.compare(grids, snakemake.params.settings["entries"], cells, means)
    tables.write_text(paper.table(rows), Path(snakemake.output[0]))
    tables.write_text(paper.summary(rows) + "\n", Path(snakemake.output[1]))
    terminal.say(paper.summary(rows), error=True)
    pieces.write(snakemake)
