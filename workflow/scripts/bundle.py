"""bundle: the JavaScript that draws specs, as one text for all pages."""

from pathlib import Path

from heatproof.export import export
from heatproof.provenance import job
from heatproof.samples import tables

with job.run(snakemake):
    tables.write_text(export.library(), Path(snakemake.output[0]))
