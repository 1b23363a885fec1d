"""bundle: the JavaScript that draws specs, as one text for all pages."""

from pathlib import Path

from heatproof import job, tables
from heatproof.files import html

with job.log(snakemake.log[0], snakemake.output):
    tables.write_text(html.library(), Path(snakemake.output[0]))
