"""draw: a grid → its chart as a Vega-Lite spec, then, from that alone, the files; and its words."""

import json
from pathlib import Path

from heatproof.charts import spec, typefaces
from heatproof.config import paths, venues
from heatproof.export import drawing, export
from heatproof.kinds import api, captions
from heatproof.ledger import pieces
from heatproof.page import gallery
from heatproof.provenance import job, provenance
from heatproof.samples import tables
from heatproof.util import canonical, hashed

with job.at_home(snakemake):
    given, path = snakemake.params.settings, snakemake.input.grid
    entry = api.read(given["entry"])
    grid, record = tables.read(Path(path))
    digest = {path: hashed.sha256(path)}
    fonts = {path: hashed.sha256(path) for path in snakemake.input.fonts}
    record = provenance.of_spec(
        record, given["entry"], digest, snakemake.params.code["rooms"], fonts
    )
    notes = provenance.notes(record)
    files = {paths.form_of(path): Path(path) for path in snakemake.output.files}
    library = "".join(Path(path).read_text() for path in snakemake.input.library)
    # What tells where cells lie measures in the typeface that drew them.
    with typefaces.using(typefaces.load(entry.font)):
        with spec.unchecked():
            chart = api.kind(entry.kind).draw(grid, entry, notes=notes)
            text = spec.text(chart, record)
        tables.write_text(text, Path(snakemake.output.spec))
        made = json.loads(text)
        drawn = export.render(made, [*files], library)
        wide, _ = drawing.size(drawn["svg"].decode())
        venues.require_fit(wide, f"figures.{entry.name}", entry.width)
        for form, data in drawn.items():
            tables.write_bytes(data, files[form])
        latex = api.kind(entry.kind).latex(grid, entry, " ".join(notes))
        tables.write_text(latex, Path(snakemake.output.tex))
        shown = captions.Shown(entry.name, made, wide, [*files])
        said = api.kind(entry.kind).caption(grid, entry)
        told = captions.write([*said, *notes, *spec.noted(made, "omitted")], shown)
        for form, words in told.items():
            tables.write_text(words, Path(paths.caption(entry.name, form)))
        behind = json.loads(Path(snakemake.input.behind).read_text())
        page = canonical.text(gallery.figure_text(behind, entry, grid)) + "\n"
        tables.write_text(page, Path(snakemake.output.page))
    pieces.write(snakemake)
