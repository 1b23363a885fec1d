"""ledger: what all jobs wrote down of themselves, in one file."""

from pathlib import Path

from heatproof import ledger
from heatproof.provenance import job

with job.log(snakemake.log[0]):
    ledger.join(snakemake.input, snakemake.params.build, Path(snakemake.output[0]))
