"""left_out: fails, telling why figures were left out of a run that keeps going."""

from heatproof.provenance import job
from heatproof.util.errors import Error

with job.at_home(snakemake):
    raise Error("\n".join(snakemake.params.told))
