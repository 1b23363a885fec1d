"""draw: a grid → its chart as a Vega-Lite spec, then, from that alone, the files; and its words."""

import json
from pathlib import Path

from heatproof import page
from heatproof.charts import spec, theme, typefaces
from heatproof.config import paths, venues
from heatproof.export import drawing, export
from heatproof.kinds import api, picture
from heatproof.provenance import job, record
from heatproof.samples import tables
from heatproof.util import canonical, hashed

with job.run(snakemake):
    settings, path = snakemake.params.settings, snakemake.input.grid
    entry = api.read(settings["entry"])
    grid, footer = tables.read(Path(path))
    behind = json.loads(Path(snakemake.input.behind).read_text())
    counts = None if settings.get("private") else behind["problems"]
    fonts = {font: hashed.sha256(font) for font in snakemake.input.fonts}
    code = snakemake.params.code["rooms"]
    usermeta = record.of_spec(footer, settings["entry"], hashed.sha256(path), code, fonts)
    notes = record.notes(usermeta)
    files = {paths.form_of(path): Path(path) for path in snakemake.output.files}
    library = Path(paths.LIBRARY).read_text() if snakemake.input.library else ""
    # The places of cells are measured in the typeface that drew them.
    sizes = venues.type_of(entry.type, entry.width)
    with typefaces.using(typefaces.load(entry.font)), theme.using(sizes):
        with spec.unchecked():
            figure = api.FigureTexts(grid, entry)
            chart = figure.draw(notes)
            text = spec.text(chart, usermeta, counts)
        tables.write_text(text, Path(snakemake.output.spec))
        vega_lite = json.loads(text)
        pictures = export.render(vega_lite, [*files], library)
        width, _ = drawing.size(pictures["svg"].decode())
        venues.require_fit(width, f"figures.{entry.name}", entry.width)
        for form, data in pictures.items():
            tables.write_bytes(data, files[form])
        tables.write_text(figure.latex(" ".join(notes)), Path(snakemake.output.tex))
        sentences = [*figure.caption(), *notes]
        words = picture.captions(sentences, entry.name, vega_lite, width, [*files])
        for form, caption in words.items():
            tables.write_text(caption, Path(paths.caption(entry.name, form)))
        drawn_files = [*map(str, files.values())]
        text = page.text_of_figure(behind, figure, vega_lite, pictures["svg"], drawn_files)
        tables.write_text(canonical.text(text) + "\n", Path(snakemake.output.page))
        tables.write_text(page.script(entry.name, text), Path(snakemake.output.script))
