"""values: grids → the numbers that figures print, by name, for LaTeX and all others."""

import json
from pathlib import Path

from heatproof.kinds import api
from heatproof.kinds.heatmap import printed_cells
from heatproof.paper import values
from heatproof.provenance import job
from heatproof.samples import tables

with job.run(snakemake):
    figures = {}
    entries, files = snakemake.params.settings["entries"], snakemake.input
    listed = zip(entries, files.grids, files.behind, files.specs, strict=True)
    for name, path, behind, spec in listed:
        grid, _ = tables.read(Path(path))
        entry = api.read(entries[name])
        figure = api.kind(entry.kind).printed_values(grid, entry)
        if panels := json.loads(Path(behind).read_bytes())["problems"]:
            printed_cells.add_differences(figure, panels, entry)
        figure.id = json.loads(Path(spec).read_bytes())["usermeta"]["heatproof"]["id"]
        figures[name] = figure
    tables.write_text(values.tex_text(figures), Path(snakemake.output.tex))
    tables.write_bytes(values.json_text(figures), Path(snakemake.output.json))
