"""draw: a grid → its chart as a Vega-Lite spec, then, from that alone, the files; and its words."""

import json
from pathlib import Path

from heatproof.charts import lettering, spec
from heatproof.cluster import remote
from heatproof.config import paths
from heatproof.export import export
from heatproof.gallery import gallery
from heatproof.kinds import api, captions
from heatproof.provenance import job, provenance
from heatproof.samples import tables
from heatproof.util import canonical, hashed

with job.log(snakemake.log[0], snakemake.output):
    given, path = snakemake.params.given, remote.named(snakemake.input.grid)
    entry = api.read(given["entry"])
    grid, record = tables.read(Path(path))
    digest = {path: hashed.sha256(path)}
    record = provenance.of_spec(record, given["entry"], digest, given["code"])
    notes = provenance.notes(record)
    with spec.unchecked(), lettering.using(entry.font):
        chart = api.part(entry.kind, "draw").draw(grid, entry, notes=notes)
        text = spec.text(chart, record)
    tables.write_text(text, Path(snakemake.output.spec))
    library = "".join(Path(path).read_text() for path in snakemake.input.library)
    files = {paths.form_of(path): Path(path) for path in snakemake.output.files}
    drawn = export.render(json.loads(text), [*files], library)
    for form, made in drawn.items():
        tables.write_bytes(made, files[form])
    with lettering.using(entry.font):  # what tells where cells lie measures as what drew them
        latex = api.part(entry.kind, "numbers").latex(grid, entry, " ".join(notes))
        tables.write_text(latex, Path(snakemake.output.tex))
        shown = captions.Shown(entry.name, json.loads(text), captions.width(drawn["svg"]), [*files])
        said = [
            *api.part(entry.kind, "caption").caption(grid, entry),
            *notes,
            *spec.omitted(shown.spec),
        ]
        for form, words in captions.write(said, shown).items():
            tables.write_text(words, Path(paths.caption(entry.name, form)))
        behind = json.loads(Path(snakemake.input.behind).read_text())
        page = canonical.text(gallery.figure_text(behind, entry, grid)) + "\n"
        tables.write_text(page, Path(snakemake.output.page))
