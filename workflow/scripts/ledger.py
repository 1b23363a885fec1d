"""ledger: what all jobs wrote down of themselves, in one file."""

from pathlib import Path

from heatproof.ledger import pieces
from heatproof.provenance import job

with job.at_home(snakemake):
    made = [pieces.read(Path(path)) for path in snakemake.input]
    pieces.save(made, snakemake.params.build, Path(snakemake.output[0]))
