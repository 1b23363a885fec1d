"""export: a spec → figure files, through vl-convert alone."""

import json
from pathlib import Path

from heatproof import export, job, tables

with job.log(snakemake.log[0]):
    spec = json.loads(Path(snakemake.input.spec).read_text())
    library = "".join(Path(path).read_text() for path in [snakemake.input.library] if path)
    files = export.render(spec, [Path(path).suffix[1:] for path in snakemake.output], library)
    for path in snakemake.output:
        tables.write_bytes(files[Path(path).suffix[1:]], Path(path))
