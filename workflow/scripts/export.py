"""export: specs → figure files, through vl-convert alone."""

import json
from pathlib import Path

from heatproof import job, tables
from heatproof.files import export

with job.log(snakemake.log[0], snakemake.output):
    library = "".join(Path(path).read_text() for path in [snakemake.input.library] if path)
    for path in map(Path, snakemake.input.specs):
        files = snakemake.params.files[path.name.removesuffix(".vl.json")]
        formats = [Path(output).suffix[1:] for output in files]
        made = export.render(json.loads(path.read_text()), formats, library)
        for form, output in zip(formats, files, strict=True):
            tables.write_bytes(made[form], Path(output))
