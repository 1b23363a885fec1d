"""pictures: figure files → how each figure can be known again when its record is lost."""

from pathlib import Path

from heatproof.provenance import failed, job, manifest, pictures
from heatproof.samples import tables

with job.log(snakemake.log[0], snakemake.output):
    given = snakemake.params
    drawn = {name: path for name, path in given.pictures.items() if failed.why(path) is None}
    seen = pictures.seen(drawn, Path(), given.code)
    tables.write_text(manifest.text(seen), Path(snakemake.output[0]))
