"""draw: a grid → an Altair chart as a Vega-Lite spec, data and provenance inside."""

from pathlib import Path

from heatproof import figures, job, provenance, registry, spec, tables

with job.log(snakemake.log[0]):
    given, path = snakemake.params.entry, Path(snakemake.input.grid)
    kind = registry.find(figures, given["kind"], "kind", "figure kind")
    grid, record = tables.read(path)
    record = provenance.of_spec(record, given, path, snakemake.params.code)
    chart = kind.draw(grid, job.entry(kind.Entry, given), notes=provenance.notes(record))
    tables.write_text(spec.text(chart, record), Path(snakemake.output[0]))
