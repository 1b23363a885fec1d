"""values: grids → the numbers that figures print, by name, for LaTeX and all others."""

import json
from pathlib import Path

from heatproof.kinds import api
from heatproof.paper import values
from heatproof.provenance import job
from heatproof.samples import tables

with job.run(snakemake):
    figures = {}
    entries, files = snakemake.params.settings["entries"], snakemake.input
    for name, path, spec in zip(entries, files.grids, files.specs, strict=True):
        grid, _ = tables.read(Path(path))
        entry = api.read(entries[name])
        figure = api.kind(entry.kind).printed_values(grid, entry)
        figure.id = json.loads(Path(spec).read_bytes())["usermeta"]["heatproof"]["id"]
        figures[name] = figure
    tables.write_text(values.tex_text(figures), Path(snakemake.output.tex))
    tables.write_bytes(values.json_text(figures), Path(snakemake.output.json))
