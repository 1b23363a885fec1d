"""ledger: the pieces of all jobs, in one file."""

from pathlib import Path

from heatproof import ledger
from heatproof.provenance import job

with job.run(snakemake):
    ledger.join_pieces(snakemake.input, snakemake.params.build, Path(snakemake.output[0]))
