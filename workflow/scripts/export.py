"""export: specs → figure files, through vl-convert alone."""

import json
from pathlib import Path

from heatproof.export import export
from heatproof.provenance import failed
from heatproof.provenance.batch import batch
from heatproof.samples import tables

with batch("export", snakemake.log[0]) as figures:
    bundle = [path for path in [snakemake.input.library] if path]
    library = "".join(Path(path).read_text() for path in bundle)
    for path in map(Path, snakemake.input.specs):
        name = path.name.removesuffix(".vl.json")
        files = snakemake.params.files[name]
        with figures.one(name, files):
            failed.require_made([path])
            formats = [Path(output).suffix[1:] for output in files]
            given = figures.digests([path, *(bundle if "html" in formats else [])])
            if figures.stands(name, files, [snakemake.params.code, given], given):
                continue
            made = export.render(json.loads(path.read_text()), formats, library)
            for form, output in zip(formats, files, strict=True):
                tables.write_bytes(made[form], Path(output))
