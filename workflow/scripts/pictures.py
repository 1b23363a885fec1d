"""pictures: figure files → how each figure can be known again when its record is lost."""

from pathlib import Path

from heatproof.provenance import job, manifest, pictures
from heatproof.samples import tables

with job.at_home(snakemake):
    seen = pictures.seen(snakemake.params.pictures, Path())
    tables.write_text(manifest.text(seen), Path(snakemake.output[0]))
