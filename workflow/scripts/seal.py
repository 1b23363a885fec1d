"""seal: all that was made → digests of pictures, of files, and of what they were made of."""

from pathlib import Path

from heatproof import job, tables
from heatproof.proof import manifest, pictures

with job.log(snakemake.log[0], snakemake.output):
    seen = pictures.seen(snakemake.params.figures, Path())
    tables.write_text(manifest.text(seen), Path(snakemake.output.pictures))
    made = [*snakemake.input, snakemake.output.pictures]
    one = manifest.of(snakemake.params.build, made, Path())
    tables.write_text(manifest.text(one), Path(snakemake.output.manifest))
